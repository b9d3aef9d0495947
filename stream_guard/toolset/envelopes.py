"""Reports keys that a tool with an open schema would take for arguments, and that probably mean something else.

A schema that allows unlisted members allows a mistyped envelope as well: `argumets` would be an argument that holds all others.
And it allows the record of a call, which has the result of that call (`decision`, `exit_code`) and is no call.

Rule 1: a key that the schema lists is an argument, whatever its name.
Rule 2: only the arguments themselves are judged. Values inside them are data.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from ..values.call_keys import ARGUMENT_KEYS, NAME_KEYS, TOOL_KEYS
from ..values.issues import ValidationIssue
from ..values.late import late
from ..values.quoting import named, place
from ..values.wording import sentence
from .tool import Tool


def envelope_keys(tool: Tool, arguments: Mapping[str, Any]) -> Iterable[ValidationIssue]:
    """Return an issue for each key of an open tool's call that cannot be meant as an argument.

    Such a key names an outcome, is nearly a key of an envelope, or is another spelling of a listed field.
    """
    if tool.compiled.fields.closed:
        return ()  # its schema refuses every key that it does not list
    return _envelope_keys(tool, arguments)


def _envelope_keys(tool: Tool, arguments: Mapping[str, Any]) -> Iterator[ValidationIssue]:
    for key, value in arguments.items():
        if is_listed(key, tool):
            continue
        if wraps(key) or _is_dressed(key, tool) or _is_spelt(key, tool):
            yield _issue(tool, key, value)
        elif tool.fields.members and len(key) <= _LONGEST and _letters(key) in _OUTCOMES:
            yield _issue(tool, key, value, "outcome")


def second_names(tool: Tool, arguments: Mapping[str, Any], known: Callable[[str], Tool | None]) -> Iterable[ValidationIssue]:
    """Return an issue for each argument of an open tool that names a tool a second time, under `name`, `function` or `action`.

    `known` returns the tool that a name means, or None.
    """
    return () if tool.compiled.fields.closed else _second_names(tool, arguments, known)


def _second_names(tool: Tool, arguments: Mapping[str, Any], known: Callable[[str], Tool | None]) -> Iterator[ValidationIssue]:
    for key, value in arguments.items():
        if not is_listed(key, tool) and len(key) <= _LONGEST and _is_near(key, _NAMING) and _names_a_tool(value, known):
            yield _issue(tool, key, value)


def is_listed(key: str, tool: Tool) -> bool:
    """Return whether the tool declares this key: as a field, an alias, a remark or a default."""
    return key in tool.fields.members or key in tool.field_aliases or key in tool.remarks or key in tool.defaults


def wraps(key: str) -> bool:
    """Return whether a key is one of an envelope, in any spelling and with at most one slip: `input`, `Inputs`, `argumets`."""
    return len(key) <= _LONGEST and _is_near(key, _WRAPPING)


def _issue(tool: Tool, key: str, value: Any, constraint: str = "envelope") -> ValidationIssue:
    message = sentence(f"unknown_field.{constraint}", tool=named(tool.name), field=place((key,)))
    return ValidationIssue.at((key,), "unknown_field", message, constraint, expected=list(tool.fields.members), got=value)


def _is_dressed(key: str, tool: Tool) -> bool:
    """Return whether a key is no name, or is a listed field with signs around it: `$path`, or `path` with a blank after it."""
    if not key.isprintable() or key != key.strip() or not key:
        return True
    bare = _SIGNS.sub("", unicodedata.normalize("NFKC", key))
    return bare != key and bare in tool.fields.members


@lru_cache(maxsize=256)
def _spelt(fields: tuple[str, ...]) -> frozenset[str]:
    """Return the letters and digits of each listed field. A key with the same letters and digits is another spelling of that
    field.
    """
    return frozenset(map(_letters, fields)) - {""}


def _is_spelt(key: str, tool: Tool) -> bool:
    """Return whether a key is a listed field in another spelling."""
    return len(key) <= _LONGEST and _letters(key) in _spelt(tuple(tool.fields.members))


def _names_a_tool(value: Any, known: Callable[[str], Tool | None]) -> bool:
    """Return whether a value is the name of a known tool, or an object that has one."""
    if isinstance(value, dict):
        return any(_names_a_tool(item, known) for key, item in value.items() if isinstance(item, str) and key in _NAME_KEYS)
    return isinstance(value, str) and known(value) is not None


@lru_cache(maxsize=4096)
def _is_near(key: str, known: frozenset[str]) -> bool:
    """Return whether a key has the letters of a known key, apart from at most one slip."""
    letters = _letters(key)
    return letters in known or any(_slipped(letters, word) for word in known)


def _letters(key: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFKC", key).casefold() if char.isalnum())


def _slipped(written: str, word: str) -> bool:
    """Return whether a word differs from another by one slip: a letter is missing, too many or wrong, or two neighbours changed
    places.

    A slip of a short word adds no new letter: `tools` is no slip of `tool`. Letters of other scripts may look alike.
    """
    if abs(len(written) - len(word)) > 1 or (
        len(word) < _LONG and not {char for char in written if char.isascii()} <= set(word)
    ):
        return False
    at = next(
        (at for at, (one, two) in enumerate(zip(written, word, strict=False)) if one != two), min(len(written), len(word))
    )
    one, two = written[at:], word[at:]
    return one[1:] in (two, two[1:]) or one == two[1:] or (one[1::-1] == two[:2] and one[2:] == two[2:])


_LONGEST: Final = 64
"""Limit: characters of a key that is compared. No key of an envelope is longer, whatever separates its words."""

_LONG: Final = 5
"""The fewest letters of a word in which one letter may be wrong without making it another word."""

_SIGNS: Final = late(r"^\W+|\W+$")
_NAME_KEYS: Final = NAME_KEYS | TOOL_KEYS
_OF_DATA: Final = frozenset({"name", "function", "action"})
"""Keys that name a tool in some envelopes, and are arguments of many tools: their value decides which."""

_WRAPPING: Final = frozenset(map(_letters, (TOOL_KEYS | NAME_KEYS | ARGUMENT_KEYS) - _OF_DATA))
_NAMING: Final = frozenset(map(_letters, _OF_DATA))
_OUTCOMES: Final = frozenset(
    {
        "decision",
        "verdict",
        "outcome",
        "result",
        "results",
        "error",
        "errors",
        "exception",
        "iserror",
        "denied",
        "approved",
        "rejected",
        "executed",
        "succeeded",
        "permissiondecision",
        "exitcode",
        "returncode",
        "stdout",
        "stderr",
    }
)
"""Keys of the result of a call, as in audit rows. A tool that has an argument of such a name lists it."""
