"""`Preview`: one change of a call's arguments while they are written; and which fields of a tool may be shown.

Rule 1: changes only append. A client that applies them in order never takes anything back.
Rule 2: a field that its tool lists as private is in no change, nor is anything that may stand for it: beside a private field
only the declared fields are shown, and an object with a private field inside is shown as an object or not at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol, Self

Op = Literal["open", "text", "close", "value"]
"""What a change does: a value begins, a text goes on, a value is whole, a whole value comes at once."""


@dataclass(frozen=True, slots=True)
class Preview:
    """One change of a call's arguments while they are written. Changes only append."""

    op: Op
    """`open`: `value` is an empty text, object or array that grows. `text`: `value` continues the text. `close`: what was
    opened is whole. `value`: a whole value at once, a text or one that holds no others; left out for null."""

    pointer: str
    """The path of the value in the arguments, as a JSON pointer."""

    value: Any = None
    """The empty value, the piece of text, or the whole value; None when it is closed, and for null."""


class _Text:
    """A text that grows."""

    __slots__ = ("pieces",)

    def __init__(self) -> None:
        self.pieces: list[str] = []


def previewed(changes: Iterable[Preview]) -> dict[str, Any]:
    """Return the arguments that these changes come to, in their order: all changes of a block, or those so far."""
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
    """Put the texts in place of the pieces that they grew from."""
    for holder in open_values.values():
        if isinstance(holder, _Text):
            continue
        for key, value in enumerate(holder) if isinstance(holder, list) else list(holder.items()):
            if isinstance(value, _Text):
                holder[key] = "".join(value.pieces)


Paths = dict[str, Any]
"""A set of dotted names as a tree: `{"token": True, "login": {"password": True}}`."""


def paths(names: Iterable[tuple[str, ...]]) -> Paths:
    """Return these paths as a tree. A path includes all paths below it."""
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
    """**Protocol:** what a schema says of a value: its members and its items."""

    @property
    def members(self) -> Mapping[str, Any]:
        """Return the described members."""
        ...

    @property
    def items(self) -> Any:
        """Return what is described of the items of an array."""
        ...

    @property
    def closed(self) -> bool:
        """Return whether only the described members are allowed."""
        ...


class View:
    """Which members of a value are shown.

    Args:
        fields: What the schema says of the value, if anything.
        hidden: Its private members, if it has any.
        wanted: The members that are asked for; None for all.
    """

    __slots__ = ("_fields", "_hidden", "_wanted")

    def __init__(self, fields: Described | None, hidden: Paths | None = None, wanted: Paths | None = None) -> None:
        self._fields: Final = fields
        self._hidden: Final = hidden or None
        self._wanted: Final = wanted

    @property
    def whole(self) -> bool:
        """Whether the value may be shown if it is not an object or an array: nothing in it is private or left out."""
        return self._hidden is None and self._wanted is None

    def declares(self, key: str) -> bool:
        """Return whether the schema describes this member."""
        return self._fields is not None and key in self._fields.members

    @property
    def closed(self) -> bool:
        """Whether the schema allows only the members that it describes."""
        return self._fields is not None and self._fields.closed

    def member(self, key: str) -> Self | None:
        """Return the view of a member; None if it is not shown."""
        hidden, wanted = self._hidden, self._wanted
        if hidden is not None:
            if hidden.get(key) is True or not self.declares(key):
                return None
            hidden = hidden.get(key)
        if wanted is not None:
            if key not in wanted:
                return None
            wanted = None if wanted[key] is True else wanted[key]
        fields = self._fields.members.get(key) if self._fields is not None else None
        return type(self)(fields, hidden, wanted)

    def item(self) -> Self:
        """Return the view of the items of an array. A dotted name leaves indexes out."""
        return type(self)(self._fields.items if self._fields is not None else None, self._hidden, self._wanted)

    def of(self, value: Any) -> Any:
        """Return what is shown of a whole value: objects without the members that are not shown."""
        if self.whole:
            return value
        if isinstance(value, list):
            item = self.item()
            return [item.of(one) for one in value]
        if not isinstance(value, dict):
            return None
        views = ((key, self.member(key)) for key in value)
        return {key: view.of(value[key]) for key, view in views if view is not None}
