"""The strict JSON parser: returns the value of a body, or issues with the place where it is not JSON.

jiter in its strict mode decides what is valid: it detects duplicate keys and never exhausts the stack. It counts columns in
bytes, and has few kinds of errors. So if the standard library's parser fails too, the place and the kind of the error are
taken from that parser.

Rule: only the strict parser decides what is valid. Nothing is fixed here.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import jiter

from ..values.characters import LINE_END
from ..values.issues import JsonPath, ValidationIssue
from ..values.late import late
from ..values.quoting import inside
from ..values.wording import JSON_AT_LINE, code_of, sentence


class Parsed(NamedTuple):
    """The result of parsing a body."""

    value: Any
    """The value; None if the body is not JSON."""

    issues: tuple[ValidationIssue, ...]
    """Why the body is not JSON; empty when it is."""

    @property
    def ok(self) -> bool:
        """Whether the body is strict JSON."""
        return not self.issues


def parse(body: str, *, max_depth: int = 200, max_values: int = 1_000_000) -> Parsed:
    """Parse a body strictly."""
    try:
        value = _read(body)
    except UnicodeEncodeError as error:
        return _failed("lone_surrogate", body, error.start)
    except ValueError as error:
        return _explain(body, str(error))
    found = excess(value, max_depth, max_values)
    if found is None:
        return Parsed(value, ())
    code, what, path = found
    return _failed_at(code, what, body, locate(body, path) or 0, path)


def accepts(body: str, *, max_depth: int = 200, max_values: int = 1_000_000) -> bool:
    """Return whether a body is strict JSON: the same as `parse(body).ok`, without building the issue."""
    try:
        return excess(_read(body), max_depth, max_values) is None
    except ValueError:
        return False


def _read(body: str) -> Any:
    return jiter.from_json(body.encode(), allow_inf_nan=False, catch_duplicate_keys=True, cache_mode="keys")


_JITER_PLACE: Final = late(r" at line (\d+) column (\d+)$")
_WORD: Final = late(r"-?(?:NaN|Infinity|inf|nan)")
_WORD_ROOM: Final = 10
"""How many characters before its error the parser may have begun to read a word."""

_SHOWN: Final = 20
"""How many characters an issue quotes from the place of an error."""


_HARMLESS: Final = frozenset({str, int, bool, type(None)})
"""The types of values that exceed no limit."""


def excess(value: Any, max_depth: int, max_values: int) -> tuple[str, str, JsonPath] | None:
    """Return the code, message and path of the part of a value that exceeds a limit (depth, number of values, a number's
    range), or None.

    Works level by level, without recursion; each value is read once.
    """
    if type(value) is dict and max_depth > 0 and len(value) < max_values and _HARMLESS.issuperset(map(type, value.values())):
        return None  # as most calls
    level: list[tuple[Any, JsonPath]] = [(value, ())]
    count = 1
    while level:
        deeper: list[tuple[Any, JsonPath]] = []
        for here, path in level:
            if isinstance(here, dict):
                items: Iterable[Any] = here.values()
            elif isinstance(here, list):
                items = here
            elif isinstance(here, float) and not math.isfinite(here):
                if math.isnan(here):  # the parser reads none; a caller's value may hold one
                    return "not_a_number", sentence("not_a_number", word="NaN"), path
                return "number_range", sentence("number_range"), path
            else:
                continue
            if len(path) >= max_depth:
                return "too_deep", sentence("too_deep", most=max_depth), path
            count += len(here)
            if count > max_values:
                return "too_many_values", sentence("too_many_values", most=max_values), ()
            if _HARMLESS.issuperset(map(type, items)):  # as in most calls: a loop takes several times as long
                continue
            for key, item in here.items() if isinstance(here, dict) else enumerate(here):
                if type(item) not in _HARMLESS:
                    deeper.append((item, (*path, key)))
        level = deeper
    return None


def _explain(body: str, message: str) -> Parsed:
    """Return the issue for jiter's error: a code, and a place in characters."""
    place = _JITER_PLACE.search(message)
    what = message[: place.start()] if place else message
    if not body.strip(" \t\r\n"):
        return _failed("empty_block", body, 0)
    if what.startswith("Detected duplicate key"):
        # The place is behind the colon of the second key.
        start = _key_start(body, _offset(body, place))
        try:
            key, _ = _DECODER.raw_decode(body, start)
        except ValueError:
            key = ""
        return _failed("duplicate_key", body, start, key=inside(str(key)))
    if what == "number out of range":
        return _failed("number_range.parser", body, _number_start(body, _offset(body, place)))
    if what == "recursion limit exceeded":
        return _failed("too_deep.parser", body, _offset(body, place))
    try:
        json.loads(body)
    except json.JSONDecodeError as error:
        return _located(body, error.msg, error.pos)
    except (ValueError, RecursionError):
        pass
    else:
        at = _offset(body, place)
        if "escape" in what or "surrogate" in what:
            # The standard parser takes half a pair; the strict one stops after it.
            lone = _LONE_ESCAPE.search(body)
            return _failed("lone_surrogate", body, lone.start() if lone else at)
        found = _WORD.search(body, max(at - _WORD_ROOM, 0))
        if found is None:
            return _failed("not_a_number.unknown", body, at)
        return _failed("not_a_number", body, found.start(), word=found[0])
    return _failed("syntax", body, _offset(body, place))


_LONE_ESCAPE: Final = late(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F][0-9a-fA-F]{2})|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)


def _located(body: str, message: str, at: int) -> Parsed:
    """Return the failed result for an error of the standard library's parser."""
    if message.startswith("Illegal trailing comma"):  # from Python 3.13 on; before, it is the bracket that is unexpected
        at = _skip(body, at + 1)
    if at >= len(body.rstrip(" \t\r\n")) or message.startswith("Unterminated"):
        return _failed("unterminated", body, at)
    if message.startswith("Invalid control character"):
        return _failed("control_character", body, at)
    if message.startswith("Invalid \\"):
        return _failed("invalid_escape", body, at)
    if message == "Extra data":
        return _failed("trailing_garbage", body, at)
    word = _WORD.match(body, at)
    if word:
        return _failed("not_a_number", body, at, word=word[0])
    return _failed("syntax", body, at)


def _failed(key: str, body: str, at: int, /, **gaps: str) -> Parsed:
    """Return the failed result for a body, with the sentence that `wording.SENTENCES` has under a key."""
    return _failed_at(code_of(key), sentence(key, **gaps), body, at)


def _failed_at(code: str, what: str, body: str, at: int, field: JsonPath = ()) -> Parsed:
    line, column = position(body, at)
    got = body[at : at + _SHOWN].split("\n")[0] or None
    message = JSON_AT_LINE.format(what=what, line=line)
    issue = ValidationIssue.at(field, code, message, "json", got=got, line=line, column=column, offset=at)
    return Parsed(None, (issue,))


def position(text: str, offset: int) -> tuple[int, int]:
    """Return line and column of a character, both from 1. A line ends with LF, CR or CRLF."""
    before = text[:offset]
    if "\r" not in before:
        return before.count("\n") + 1, offset - before.rfind("\n")
    ends = [found.end() for found in LINE_END.finditer(before)]
    if before.endswith("\r") and text[offset : offset + 1] == "\n":
        ends.pop()
    return len(ends) + 1, offset - (ends[-1] if ends else 0) + 1


def _offset(body: str, place: re.Match[str] | None) -> int:
    """Return the offset of the line and byte column that jiter names; 0 if it names none. jiter ends lines at LF only."""
    if place is None:
        return 0
    line, column = int(place[1]), int(place[2])
    start = 0
    for _ in range(line - 1):
        start = body.find("\n", start) + 1
    end = body.find("\n", start)
    written = body[start : end if end >= 0 else len(body)].encode()
    return min(start + len(written[: max(column - 1, 0)].decode(errors="ignore")), max(len(body) - 1, 0))


def _key_start(body: str, at: int) -> int:
    """Return the offset of the key whose colon is at `at`."""
    close = body.rfind('"', 0, at)
    start = body.rfind('"', 0, close)
    while _escaped(body, start):
        start = body.rfind('"', 0, start)
    return max(start, 0)


def _escaped(body: str, at: int) -> bool:
    """Return whether an odd number of backslashes precedes this place."""
    first = at
    while first > 0 and body[first - 1] == "\\":
        first -= 1
    return (at - first) % 2 == 1


def _number_start(body: str, at: int) -> int:
    at = min(at, len(body) - 1)
    while at > 0 and body[at - 1] in "+-.0123456789eE":
        at -= 1
    return at


_DECODER: Final = json.JSONDecoder()
_SPACES: Final = late(r"[ \t\r\n]*")


Places = dict[int, dict[str | int, int]]
"""The offsets of the members of containers, by the offset of the container: a cache for `locate`."""


def locate(body: str, path: JsonPath, known: Places | None = None) -> int | None:
    """Return the offset of the value at this path in a body that is JSON; None if there is no such value."""
    known = {} if known is None else known
    at = _skip(body, 0)
    for step in path:
        if at not in known:
            known[at] = _members(body, at)
        found = known[at].get(str(step) if body[at] == "{" else int(step) if str(step).isdecimal() else step)
        if found is None:
            return None
        at = found
    return at


def _members(body: str, at: int) -> dict[str | int, int]:
    """Return the offsets of the members of the container that begins here; none for other values."""
    opener = body[at]
    found: dict[str | int, int] = {}
    if opener not in "{[":
        return found
    at = _skip(body, at + 1)
    while body[at] not in "}]":
        key: str | int = len(found)
        if opener == "{":
            key, at = _DECODER.raw_decode(body, at)
            at = _skip(body, _skip(body, at) + 1)
        found[key] = at
        _, at = _DECODER.raw_decode(body, at)
        at = _skip(body, at)
        if body[at] == ",":
            at = _skip(body, at + 1)
    return found


def _skip(body: str, at: int) -> int:
    found = _SPACES.match(body, at)
    assert found is not None
    return found.end()
