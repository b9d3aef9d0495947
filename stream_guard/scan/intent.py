"""Is this ```json block a tool call at all?  A fence is not evidence of one.

`Intent` hears what the cursor reports of a body as it grows and says, as soon as it can be said, whether the block is ours.
Examples of configuration files and data are as common in answers as tool calls; they must stream on as text.

A block is ours

- by a key that says tool (`tool`, `function_call`) with a known name; an everyday word only beside a field of its tool;
- by such a key with any other name, or none, beside a field that tells a call;
- by a key that may say anything (`name`, `action`) with a known name that is no everyday word, beside arguments or, where the
  name is exactly as declared and has several words, a field of its tool.

It is foreign at the first key that no call has, and where arguments are a schema: that defines a tool, and calls none.

Rule 1: the state is decided once and never changes.
Rule 2: the state depends on the characters read, never on how they were cut into deltas.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Final, Protocol

from ..values.call_keys import (
    ARGUMENT_KEYS,
    NAME_KEYS,
    NEUTRAL_KEYS,
    REMARK_KEYS,
    TOOL_KEYS,
    AnySpelling,
    KnownName,
    folded,
)

HINT_WINDOW: Final = 256
"""How much of a body that is not JSON is searched for a tool's name."""

REMARK_ROOM: Final = 260
"""How far behind a key that tells nothing its value must end: 256 characters, and the usual signs around them."""

_NEUTRAL: Final = AnySpelling(NEUTRAL_KEYS, REMARK_KEYS)
_TOOL: Final = AnySpelling(TOOL_KEYS)
_NAME: Final = AnySpelling(NAME_KEYS)
_ARGUMENTS: Final = AnySpelling(ARGUMENT_KEYS)
_SAYS_CALL: Final = AnySpelling(("tool_use", "tool_call", "function_call"))
"""The `type` of an object that makes its `name` a tool's."""

_SCHEMA_KEYS: Final = frozenset({
    "$schema", "$defs", "additionalProperties", "allOf", "anyOf", "oneOf", "properties", "required",
})  # fmt: skip
"""What stands in a schema of arguments, and in arguments only where a tool has such a field."""
_TITLE: Final = "title"
_KEYS_INSIDE: Final = re.compile(r'"([\w-]{1,64})"\s{0,8}:')
"""Keys in arguments that are written as a string."""


class IntentState(Enum):
    """What the block is."""

    UNDECIDED = auto()
    OURS = auto()
    FOREIGN = auto()


class KnownTools(Protocol):
    """What the gate needs to know of a toolset."""

    @property
    def keys(self) -> frozenset[str]:
        """Every top-level field of every tool, aliases included, folded."""
        ...

    @property
    def telling(self) -> frozenset[str]:
        """Those of them that tell a call though its tool is unknown."""
        ...

    def known(self, name: str, /) -> KnownName | None:
        """How much a name says; None for one that is no tool's, nor near to one."""
        ...

    def mentions(self, head: str, /) -> bool:
        """Whether a body that is not JSON names a tool as a call does, given how it begins."""
        ...


class Intent:
    """Judges one block."""

    __slots__ = (
        "_arguments", "_called", "_encoded", "_inside", "_known", "_nested", "_schema", "_seen", "_strange", "_stranger",
        "_told", "_tool_key", "_tools", "reason", "remark", "state",
    )  # fmt: skip

    def __init__(self, tools: KnownTools) -> None:
        self._tools = tools
        self._seen: set[str] = set()  # fields of some tool, of the call and in its arguments
        self._tool_key = False  # a key that says tool was seen
        self._nested = False  # it holds an object
        self._called = False  # the `type` says that this is a call
        self._known: KnownName | None = None  # the first name that is known
        self._told = False  # it stands under a key that says tool
        self._strange = False  # a name that nobody knows stands under a key that says tool
        self._stranger = False  # one stands under a key that may say anything
        self._arguments = False  # a key that holds arguments was seen
        self._inside = False  # they hold something that is no schema
        self._encoded = False  # they are a string
        self._schema = False  # they are a schema
        self.remark = False
        """Whether the last key tells nothing, and its value may not go on for long."""
        self.state = IntentState.UNDECIDED
        self.reason = ""
        """Why the block is foreign."""

    def key(self, path: tuple[str, ...]) -> None:
        """A shallow key has closed."""
        self.remark = False
        if not path or self.state is not IntentState.UNDECIDED:
            return
        key, place = path[-1], path[-2] if len(path) > 1 else ""
        known = folded(key) in self._tools.keys
        self._nested = self._nested or place in _TOOL
        if place in _ARGUMENTS:
            self._argument(key, place, known=known)
        elif key in _TOOL:
            self._tool_key = True
        elif key in _ARGUMENTS:
            self._arguments = True
            if self._stranger and not (known or self._tool_key or self._called or self._known):
                self._foreign("unknown_tool")
        elif known or key in _NAME or key in _NEUTRAL or _TORN.search(key):
            self.remark = not known and key in _NEUTRAL
        else:
            self._foreign()
        self._see(key)

    def _argument(self, key: str, place: str, *, known: bool) -> None:
        """A key inside of what may be the arguments has closed."""
        if known or key == "type" or folded(place) in self._tools.keys:
            return  # a field, or what the value decides; what a field holds tells nothing
        if key in _SCHEMA_KEYS:
            self._schema = True
        elif key in _TOOL:
            self._tool_key = True
        elif key == _TITLE or key in _NEUTRAL:
            self.remark = True
        elif self._known is not None and self._known.exact and not self._known.everyday:
            self._inside = True
        else:
            self._foreign()

    def string(self, path: tuple[str, ...], text: str | None) -> None:
        """A shallow string value has closed."""
        self.remark = False
        if not path or self.state is not IntentState.UNDECIDED:
            return
        key, inside = path[-1], len(path) > 1 and path[-2] in _ARGUMENTS
        if key in _TOOL or (key in _NAME and not inside):
            self._name(text, told=any(step in _TOOL for step in path))
        elif key in _ARGUMENTS and not inside:
            self._encoded = True
            self._seen.update({folded(word) for word in _KEYS_INSIDE.findall(text or "")} & self._tools.keys)
        elif folded(key) == "type":
            self._schema = self._schema or (inside and text == "object")
            self._called = self._called or (not inside and text in _SAYS_CALL)
        self._see()

    def _name(self, text: str | None, *, told: bool) -> None:
        known = self._tools.known(text) if text is not None else None
        if known is None:
            self._strange, self._stranger = self._strange or told, self._stranger or not told
        elif self._known is None or (told and not self._told):
            self._known, self._told = known, told

    def _see(self, key: str | None = None) -> None:
        """Weigh what is known so far."""
        if key is not None and folded(key) in self._tools.keys and key not in _NEUTRAL and key not in _NAME:
            self._seen.add(folded(key))
        if self.state is not IntentState.UNDECIDED:
            return
        if self._schema:
            self._foreign("no_tool")
        elif self._is_known_call() or self._is_strange_call():
            self.state = IntentState.OURS

    def _is_known_call(self) -> bool:
        name = self._known
        if name is None:
            return False
        beside = not name.fields.isdisjoint(self._seen)
        if self._told or self._called:
            return beside or not name.everyday
        if self._arguments:
            return not name.everyday and (beside or self._encoded or self._inside)
        return name.exact and not name.word and beside

    def _is_strange_call(self) -> bool:
        """Whether a key that says tool, of a name that nobody knows, stands beside a field that tells a call."""
        strange = self._strange or (self._called and self._stranger)
        return strange and not self._tools.telling.isdisjoint(self._seen)

    def complete(self) -> None:
        """The value is whole."""
        if self.state is not IntentState.UNDECIDED:
            return
        name = self._known
        named = name is not None and name.exact and not name.everyday and self._arguments  # with nothing in them
        said_nothing = self._tool_key and not (self._nested or self._strange or name is not None)
        if named or (said_nothing and not self._tools.telling.isdisjoint(self._seen)):
            self.state = IntentState.OURS
        else:
            self._foreign("unknown_tool" if self._strange else "no_tool")

    def broken(self, why: str | None, head: str, *, whole: bool) -> None:
        """The body is not JSON, or ends before it is. `head` is its beginning; `whole` when no more of it will be known.

        A broken call is still a call: a tool that its beginning names, as calls do, makes it ours. So does a key that says tool
        whose value was cut off.
        """
        if self.state is not IntentState.UNDECIDED:
            return
        cut = why is None and self._tool_key and not (self._nested or self._strange or self._known)
        if self._tools.mentions(head) or (cut and whole):
            self.state = IntentState.OURS
        elif len(head) >= HINT_WINDOW or whole:
            self._foreign({None: "no_tool", "root": "not_an_object"}.get(why, "not_json"))

    def no_object(self) -> None:
        """The body is neither an object nor a list, and its fence does not say that it is JSON."""
        if self.state is IntentState.UNDECIDED:
            self._foreign("not_an_object")

    def rambles(self) -> None:
        """What stands under a key that tells nothing goes on for too long to be a remark."""
        if self.state is IntentState.UNDECIDED:
            self._foreign()

    def _foreign(self, reason: str | None = None) -> None:
        self.state = IntentState.FOREIGN
        self.reason = reason or ("unknown_tool" if self._strange else "foreign_key")


# A key that holds one of these is the work of mixed-up quotes: the body is about to break, and is judged then.
_TORN: Final = re.compile(r"[\u2018-\u201f\r\n]")
