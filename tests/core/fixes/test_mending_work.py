"""How much work it is to mend a body of 16 KiB, the most that is mended where it holds others up. Counted, never timed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from stream_guard import Guard, Limits, Tool, Toolset
from stream_guard.fixes import doubts, edges, engine, gate, line_breaks, reader, reading, remarks, strings, swallowed, widths
from stream_guard.fixes.engine import Engine
from stream_guard.schema import spelling
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.counting import calls

SIZE: Final = 16_000
MOST_CALLS: Final = 450_000
"""So many functions are called at most, for any body of this size."""

MOST_CHARACTERS: Final = 2_000 * SIZE
"""So many characters are looked at by patterns at most, on all ways together."""


MODULES: Final = (doubts, edges, engine, gate, line_breaks, reader, reading, remarks, strings, swallowed, widths)


class Counting:
    """A pattern that counts the characters that it looks at."""

    def __init__(self, pattern: re.Pattern[str], counts: list[int]) -> None:
        self._pattern = pattern
        self._counts = counts

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pattern, name)

    def _found(self, how: str, text: str, pos: int, end: int | None) -> Any:
        last = len(text) if end is None else min(end, len(text))
        found = getattr(self._pattern, how)(text, pos, last)
        looked = (found.end() if found is not None and how != "fullmatch" else last) - pos
        # None of these patterns goes on for longer before it fails.
        self._counts[0] += min(looked, 1_000) if found is None and how == "match" else max(0, looked) + 1
        return found

    def match(self, text: str, pos: int = 0, end: int | None = None) -> Any:
        return self._found("match", text, pos, end)

    def search(self, text: str, pos: int = 0, end: int | None = None) -> Any:
        return self._found("search", text, pos, end)

    def fullmatch(self, text: str, pos: int = 0, end: int | None = None) -> Any:
        return self._found("fullmatch", text, pos, end)

    def findall(self, text: str) -> Any:
        self._counts[0] += len(text)
        return self._pattern.findall(text)

    def finditer(self, text: str, pos: int = 0, end: int | None = None) -> Any:
        last = len(text) if end is None else end
        self._counts[0] += last - pos
        return self._pattern.finditer(text, pos, last)

    def sub(self, by: Any, text: str) -> str:
        self._counts[0] += len(text)
        return self._pattern.sub(by, text)

    def split(self, text: str) -> Any:
        self._counts[0] += len(text)
        return self._pattern.split(text)


@pytest.fixture
def characters(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """How many characters the patterns of mending have looked at."""
    counts = [0]
    patched = 0
    for module in MODULES:
        for name, value in list(vars(module).items()):
            if isinstance(value, re.Pattern):
                monkeypatch.setattr(module, name, Counting(value, counts))
                patched += 1
    for name in ("_MARKS", "_MARKS_OF_BOTH"):
        marks = vars(reader)[name]
        monkeypatch.setattr(reader, name, {mark: Counting(pattern, counts) for mark, pattern in marks.items()})
    assert patched >= 50
    yield counts


def write(text: str) -> str:
    return f'{{"tool": "write_file", "path": "a", "content": "{text}"}}'


def full(piece: str, size: int) -> str:
    return piece * ((size - 120) // len(piece))


SHAPES: Final[dict[str, Callable[[int], str]]] = {
    "raw line breaks": lambda n: write(full("\n", n)),
    "raw lines with quotes": lambda n: write(full('say "hi" to\n', n)),
    "apostrophes in a list": lambda n: f"[{full(chr(39) + 'it' + chr(39) + 's' + chr(39) + ', ', n)}'x']",
    "commas": lambda n: f'{{"tool": "write_file", "path": "a"{full(",", n)}}}',
    "keys in a text": lambda n: write(full('", "sql": "', n)),
    "known keys in a text": lambda n: write(full('", "content": "', n)),
    "quotes with blanks": lambda n: write(full('" ', n)),
    "comment marks behind quotes": lambda n: write(full('" # ', n)),
    "slashes behind quotes": lambda n: write(full('" // ', n)),
    "open comments behind quotes": lambda n: write(full('" /* ', n)),
    "joiners behind quotes": lambda n: write(full('" + "', n)),
    "colons behind quotes": lambda n: write(full('": ', n)),
    "comments": lambda n: f'{{{full("#a" + chr(10), n)}"path": "a"}}',
    "comments of many words": lambda n: '{"tool": "rm", // ' + " ".join(f"w{i:03x}" for i in range(n // 6)) + '\n"path": "a"}',
    "prose of many words": lambda n: " ".join(f"w{i:03x}" for i in range(n // 6)) + ' {"tool": "rm", "path": "a",}',
    "bare keys": lambda n: f"{{{full('a: 1, ', n)}b: 1}}",
    "members that repeat": lambda n: f'{{"tool": "write_file", {full(chr(34) + "content" + chr(34) + ": 1, ", n)}"path": "a"}}',
    "sums": lambda n: f'{{"content": {full(chr(34) + "a" + chr(34) + " + ", n)}"b"}}',
    "list of texts": lambda n: f'["{full("a" + chr(34) + ", " + chr(34), n)}x",]',
    "quotes in a list": lambda n: f'["{full("a" + chr(34) + "b" + chr(34) + ", " + chr(34), n)}x",]',
    "objects": lambda n: full('{"tool": "rm", "path": "a",}\n', n),
    "brackets": lambda n: write('"x" ' + full("([", n)),
    "backslashes": lambda n: write(full("\\d", n)),
    "escaped quotes": lambda n: write(full('\\"a\\"b', n) + '" x'),
    "an odd escaped quote": lambda n: write(full('\\"a\\"b', n) + '\\"" x'),
    "closing quotes": lambda n: write(full("a” ", n)),
    "typographic quotes": lambda n: write(full("“a” ", n)).replace('"tool"', "“tool”"),
    "typographic quotes in a text": lambda n: write(full("“a” ", n)).replace("}", ",}"),
    "three quotes": lambda n: write(full('""" ', n)),
    "quotes and braces behind a call in a list": lambda n: f"[{write('x')},{full(chr(34) + '}', n)}]",
    "blanks": lambda n: f"{{{full(chr(160) + ' ', n)}'path': 'a'}}",
    "openers": lambda n: full("[{", n),
    "closers": lambda n: write("x") + full("}", n),
    "backslashes before a quote": lambda n: write(full("\\\\", n) + '\\\\" x'),
    "quotes behind two backslashes": lambda n: write(full('\\\\"', n) + " x"),
    "attributes": lambda n: write(full('<a b=\\"\\" ', n) + '"x"'),
}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.promise("P6")
def test_the_work_is_bounded_and_grows_with_the_body(name: str, characters: list[int]) -> None:
    """Twice the body is at most about twice the work."""
    worked = []
    mending = Engine(FILE_TOOLS, Limits(), "likely")
    mending.tried(write("x,"), fenced=True)[0]
    for size in (SIZE // 2, SIZE):
        body = SHAPES[name](size)
        assert size * 0.8 < len(body) <= size + 60
        characters[0] = 0
        worked.append((calls(lambda body=body: mending.tried(body, fenced=True)[0], native=True), characters[0]))  # type: ignore[misc]
    (small, looked), (large, looked_at) = worked
    assert large <= MOST_CALLS, large
    assert looked_at <= MOST_CHARACTERS, looked_at / SIZE
    assert large <= 2.3 * small + 10_000, (small, large)
    assert looked_at <= 4.4 * looked + 50_000, (looked, looked_at)


TRIP: Final = Tool(
    "book_trip",
    "",
    {
        "type": "object",
        "properties": {
            "traveller": {"type": "object", "properties": {"name": {"type": "string"}, "email": {"type": "string"}}},
            "legs": {
                "type": "array",
                "items": {"type": "object", "properties": {key: {"type": "string"} for key in ("from", "to", "date", "seat")}},
            },
            "budget": {"type": "number"},
            "remarks": {"type": "string"},
        },
        "additionalProperties": False,
    },
)
LEG: Final = json.dumps({"from": "\\begin{b}\n", "to": "const a = {b: \"c\", d: ['e']};", "date": '""'})
LEGS: Final = f"[{LEG}, {LEG}, {LEG}]"
SHORT_BODIES: Final = (
    '[{"tool": "book_trip", "traveller": {"name": “<p class=\\"x\\">hi</p>”, "email": "a"}, "legs": ' + LEGS + "}",
    ('{"tool": "book_trip", "legs": ' + LEGS + ', "r\'emarks": "x"}\n') * 2,
)
"""Bodies of fewer than a thousand characters in which many quotes may end a string; none can be read."""

MOST_CALLS_SHORT: Final = 50_000


@pytest.mark.parametrize("body", SHORT_BODIES)
@pytest.mark.promise("P6")
def test_a_short_body_is_given_up_early(body: str) -> None:
    mending = Engine(Toolset(TRIP), Limits(), "likely")
    mending.tried(write("x,"), fenced=True)[0]
    assert len(body) < 1_000
    worked = calls(lambda: mending.tried(body, fenced=True)[0], native=True)
    assert worked <= MOST_CALLS_SHORT, worked


def test_what_a_schema_lists_is_read_once_for_all_items_and_issues(monkeypatch: pytest.MonkeyPatch) -> None:
    """A value of a list of many, and a field of an object with many, each in another spelling than the one that was meant."""
    made = [0]
    plain = spelling.Names.__init__

    def counted(self: spelling.Names, *given: Any) -> None:
        made[0] += 1
        plain(self, *given)

    monkeypatch.setattr(spelling.Names, "__init__", counted)
    words = {"type": "array", "items": {"enum": [f"value number {n}" for n in range(100)]}}
    fields = {f"some_field_{n}": {"type": "string"} for n in range(100)}
    schema = {"type": "object", "properties": {"words": words, **fields}, "additionalProperties": False}
    guard = Guard(Toolset(Tool("pick", "", schema)))
    before = made[0]
    few = guard.check(json.dumps({"tool": "pick", "words": ["valu number 7"] * 2, "som_field_1": "x"}))
    after_few = made[0] - before
    many = guard.check(
        json.dumps({"tool": "pick", "words": ["valu number 7"] * 200, **{f"som_field_{n}": "x" for n in range(100)}})
    )
    assert made[0] - before - after_few <= after_few
    assert not few.executable
    assert not many.executable


def test_patterns_of_an_odd_backslash_begin_with_one() -> None:
    """One that looks back first is tried at every character of a body; that for a sign is searched for by the sign."""
    known = {f"{module.__name__}.{name}": value for module in MODULES for name, value in vars(module).items()}
    assert not [
        name for name, value in known.items() if isinstance(value, re.Pattern) and value.pattern.startswith(r"(?<!\\)(?:\\\\)")
    ]
