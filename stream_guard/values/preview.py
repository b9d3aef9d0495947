"""`Preview`: one change of a call's arguments while they are written; and which fields of a tool may be shown.

Rule 1: changes only append. A client that applies them in order never takes anything back.
Rule 2: no change shows a field that its tool lists as private, or anything that may stand for such a field, at any depth. For a
tool with private fields, only what its schema lists is shown, and only in the form that the schema expects: no member of an
object where no object is expected, no item of an array where no array is, and no string where an object is. An object that
takes any members shows those with no similar name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol, Self

Op = Literal["open", "text", "close", "value"]
"""The kinds of changes: a value begins (`open`), a text continues (`text`), a value is whole (`close`), or a whole value comes
at once (`value`)."""


@dataclass(frozen=True, slots=True)
class Preview:
    """One change of a call's arguments while they are written. Changes only append."""

    op: Op
    """`open`: `value` is an empty text, object or array that grows. `text`: `value` continues the text. `close`: what was
    opened is whole. `value`: a whole value at once, a string or another value that contains no values; left out for null."""

    pointer: str
    """The path of the value in the arguments, as a JSON pointer."""

    value: Any = None
    """The empty value, the piece of text, or the whole value; None when it is closed, and for null."""


class _Text:
    """A string of which pieces have arrived so far."""

    __slots__ = ("pieces",)

    def __init__(self) -> None:
        self.pieces: list[str] = []


def previewed(changes: Iterable[Preview]) -> dict[str, Any]:
    """Return the arguments that these changes build. `changes` are the changes of one block in order: all, or those so far."""
    arguments: dict[str, Any] = {}
    open_values: dict[str, Any] = {"": arguments}
    for change in changes:
        if change.op == "text":
            open_values[change.pointer].pieces.append(change.value)
            continue
        if change.op == "close":
            continue
        value: Any = change.value
        if change.op == "open":
            value = open_values[change.pointer] = _Text() if value == "" else type(value)()
        above, _, last = change.pointer.rpartition("/")
        holder = open_values[above]
        if isinstance(holder, list):
            holder.append(value)
        else:
            holder[last.replace("~1", "/").replace("~0", "~")] = value
    _spell(open_values)
    return arguments


def _spell(open_values: Mapping[str, Any]) -> None:
    """Replace each unfinished string (`_Text`) in these objects and arrays by its text, in place."""
    for holder in open_values.values():
        if isinstance(holder, _Text):
            continue
        for key, value in enumerate(holder) if isinstance(holder, list) else list(holder.items()):
            if isinstance(value, _Text):
                holder[key] = "".join(value.pieces)


Paths = dict[str, Any]
"""A set of dotted names as a tree: `{"token": True, "login": {"password": True}}`."""


def paths(names: Iterable[tuple[str, ...]]) -> Paths:
    """Return these paths as a tree, as in `Paths`. A path includes all paths below it."""
    tree: Paths = {}
    for path in sorted(names, key=len):
        here: Any = tree
        for step in path[:-1]:
            here = here.setdefault(step, {})
            if here is True:
                break
        else:
            here[path[-1]] = True
    return tree


class Described(Protocol):
    """**Protocol:** the description of a value by its schema: its members, its items and its rules."""

    @property
    def members(self) -> Mapping[str, Any]:
        """Return the described members."""
        ...

    @property
    def items(self) -> Any:
        """Return the description of an array's items."""
        ...

    @property
    def leading(self) -> Sequence[Any]:
        """Return the descriptions of an array's first items, if these have their own (`prefixItems`)."""
        ...

    @property
    def values(self) -> Any:
        """Return the description of members whose names are not listed."""
        ...

    @property
    def kinds(self) -> Sequence[str]:
        """Return the allowed JSON types; empty for any."""
        ...

    @property
    def rules(self) -> Mapping[str, Any]:
        """Return the other rules by JSON Schema keyword: `patternProperties`."""
        ...

    @property
    def closed(self) -> bool:
        """Return whether only the described members are allowed."""
        ...


class View:
    """Decides which members of a value are shown.

    Args:
        fields: The description of the value by the schema; None without one.
        hidden: The private members of the value; None without any.
        wanted: The members that are asked for; None for all.
        resemble: Returns whether a name may stand for a private field of the tool; None for a tool without private fields.
    """

    __slots__ = ("_fields", "_hidden", "_resemble", "_wanted")

    def __init__(
        self,
        fields: Described | None,
        hidden: Paths | None = None,
        wanted: Paths | None = None,
        resemble: Callable[[str], bool] | None = None,
    ) -> None:
        self._fields: Final = fields
        self._hidden: Final = hidden or None
        self._wanted: Final = wanted
        self._resemble: Final = resemble

    @property
    def whole(self) -> bool:
        """Whether no named part of the value is private or left out."""
        return self._hidden is None and self._wanted is None

    @property
    def shows_text(self) -> bool:
        """Whether the value may be shown if it is a string. A string in place of an object may be the JSON of that object."""
        return self.whole and (self._resemble is None or self._expects("string") or not self._holds)

    def declares(self, key: str) -> bool:
        """Return whether the schema describes this member."""
        return self._fields is not None and key in self._fields.members

    @property
    def closed(self) -> bool:
        """Whether the schema allows only the members that it describes."""
        return self._fields is not None and self._fields.closed

    @property
    def _holds(self) -> bool:
        """Whether the schema allows an object or an array."""
        fields = self._fields
        return fields is not None and bool(fields.members or fields.items or not {"object", "array"}.isdisjoint(fields.kinds))

    def _expects(self, kind: str) -> bool:
        """Return whether the schema takes a value of this JSON type."""
        return self._fields is None or not self._fields.kinds or kind in self._fields.kinds

    def _takes_any(self) -> bool:
        """Return whether the schema lets the value be an object with members that it does not list."""
        fields = self._fields
        if fields is None:
            return True
        some = fields.values is not None or "patternProperties" in fields.rules
        return (some or not (fields.members or fields.closed)) and self._expects("object")

    def member(self, key: str) -> Self | None:
        """Return the view of a member; None if the member is not shown."""
        hidden, wanted, fields = self._hidden, self._wanted, self._fields
        if hidden is not None:
            if hidden.get(key) is True or not self.declares(key):
                return None
            hidden = hidden.get(key)
        elif self._resemble is not None and not self.declares(key) and (not self._takes_any() or self._resemble(key)):
            return None
        if wanted is not None:
            if key not in wanted:
                return None
            wanted = None if wanted[key] is True else wanted[key]
        inner = fields.members.get(key, fields.values) if fields is not None else None
        return type(self)(inner, hidden, wanted, self._resemble)

    def item(self, number: int) -> Self | None:
        """Return the view of the item with this index; None if it is not shown. A dotted name has no indexes, so one rule holds
        for all items of an array.
        """
        fields = self._fields
        if fields is None:
            return type(self)(None, self._hidden, self._wanted, self._resemble)
        if self._resemble is not None and not (self._expects("array") or fields.items or fields.leading):
            return None
        inner = fields.leading[number] if number < len(fields.leading) else fields.items
        return type(self)(inner, self._hidden, self._wanted, self._resemble)

    def step(self, step: str | int) -> Self | None:
        """Return the view of the member or array item that one step of a path names; None if it is not shown."""
        fields = self._fields
        has_items = fields is not None and bool(fields.items or fields.leading) and step not in fields.members
        return self.item(int(step)) if has_items and str(step).isdecimal() else self.member(str(step))

    def of(self, value: Any) -> Any:
        """Return the part of a whole value that is shown: an object without its hidden members, and null for any other value
        that may not be shown.
        """
        if isinstance(value, list):
            items = ((self.item(number), item) for number, item in enumerate(value))
            return [view.of(item) for view, item in items if view is not None]
        if isinstance(value, dict):
            views = ((key, self.member(key)) for key in value)
            return {key: view.of(value[key]) for key, view in views if view is not None}
        return value if self.whole and (self.shows_text or not isinstance(value, str)) else None
