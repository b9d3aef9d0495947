"""Calls in dialects that are damaged as models, servers and streams damage them, each with what was meant.

    for reply in replies(200, seed=1, dialects=("hermes",)):
        wrong = reply.wrong(my_parser(reply.text()))  # the calls that were not meant

A reply is written by the dialect's own writer and taken apart into markers and values. A fault drops, doubles, swaps or cuts
markers, or puts one into a value. The characters of values are left alone: such a change could not be seen. `rows` has
damaged replies as rows of the corpus, for `stream-guard conform --damaged 400`.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from stream_guard.dialects.table import Dialect
from stream_guard.dialects.tables import DIALECTS

from .conform.checking import same
from .corpus import dialects as written
from .corpus.rows import End, Meant, Row
from .toolsets import Json

Call = tuple[str, Json]
"""A tool's name and its arguments."""

HOLE: Final = re.compile(r"HOLE(\d+)X")
_TOKEN: Final = re.compile(
    r"HOLE\d+X|<[^<>\s][^<>\n]*>|\[[A-Z_]{3,}\]|```\w*|\"\w+\"(?=:)|[\w.-]+(?==)|[{}\[\]();,:=\"']|\s+|[^\s<>{}\[\]();,:=\"'`]+|."
)
_MARKER: Final = re.compile(r"<[^<>\n]+>|\[[A-Z_]{3,}\]|```\w*|[{}\[\]();,:=\"']")
_CLOSER: Final = re.compile(r"</|[}\])]|<\|?tool_call\|>|<escape>|<end_|<\|\"\|>|<[^<>]*(?:end|_end)\|?>|<｜[^<>]*end｜>|```$")
_KEYS: Final = re.compile(r"\b(path|content|query|limit|exact|tags)\b")

TEXTS: Final = (
    "x", "", "a.txt", "a b.py", f"{written.CODE[1]['content']}\n",
    "null", "7", "\n", "  two\n\nlines \n", '{"a": [1, 2]}', "it's \"so\"", "f(a=1, b='c')",
    '<div class="a">é 🎉</div>', "a\\nb \\", "}", "]}", '"}', "')]", "],", "```json\n{}\n```", "# <b>", "a: b, c: d",
)  # fmt: skip


def _escape_of(dialect: Dialect) -> Callable[[str], str]:
    """Return how the dialect writes the characters of a text."""
    quoted = dialect.write([("f", {"k": 'HOLE0X"\nHOLE1X'})]).split("HOLE0X")[1].split("HOLE1X")[0]
    if quoted == '"\n':
        return str
    if quoted == '\\"\\n':
        return lambda text: json.dumps(text, ensure_ascii=False)[1:-1]
    return lambda text: "".join(_PYTHON.get(char, char) for char in text)


_PYTHON: Final = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
ANY_TOOL: Final = {name: dialect for name, dialect in DIALECTS.items() if not dialect.tools}
"""The dialects that can call any tool. The others carry files."""

ESCAPES: Final = {name: _escape_of(dialect) for name, dialect in ANY_TOOL.items()}
MARKERS: Final = sorted({
    token
    for dialect in ANY_TOOL.values()
    for token in _TOKEN.findall(dialect.write([("write_file", {"path": "HOLE0X", "content": "HOLE1X"})]))
    if len(token) > 3 and _MARKER.fullmatch(token)
})  # fmt: skip
"""The markers of all dialects."""


CLINE: Final = ANY_TOOL["cline_xml"]
RAW: Final = frozenset(name for name, escape in ESCAPES.items() if escape is str)
"""The dialects that write text as it is."""

TOOLS: Final[Sequence[Json]] = (
    *written.TOOLS,
    {
        "name": "open_page",
        "description": "Open page.",
        "input_schema": {
            "type": "object",
            "properties": {"url": {"type": "string"}, "method": {"type": "string"}},
            "required": ["url"],
        },
        "annotations": {"destructiveHint": False},
    },
)
"""The tools that the model was given, of which one takes keys that its schema does not declare: a damaged key is one."""

_FIELDS: Final = {tool["name"]: tuple(tool["input_schema"]["properties"]) for tool in TOOLS}


def own_markers(dialect: Dialect) -> frozenset[str]:
    """Return the markers that no value of a dialect may hold where nothing in it is escaped: everything that its writer puts
    around keys and values.
    """
    written = [
        token
        for name, fields in _FIELDS.items()
        for token in _TOKEN.findall(dialect.write([(name, dict.fromkeys(fields, "HOLE0X"))]))
    ]
    return frozenset(token for token in written if len(token) > 3 and _MARKER.fullmatch(token))


OWN: Final = {name: own_markers(ANY_TOOL[name]) for name in RAW}


@dataclass
class Reply:
    """A reply in a dialect, in pieces, with the calls that were meant."""

    dialect: Dialect
    tokens: list[str]
    texts: list[str]
    calls: list[Call]
    """What was meant; a text value in it is the number of its text."""
    faults: list[str]
    end: str = "unknown"
    size: int | None = None
    """How many characters of it arrive."""
    margin: tuple[str, str] = ("", "")
    """What stands before its first line, and before each other one."""

    def meant(self) -> list[Call]:
        """Return the calls as they were meant."""
        return [(name, {key: self._value(value) for key, value in held.items()}) for name, held in self.calls]

    def _value(self, value: Any) -> Any:
        hole = HOLE.fullmatch(value) if isinstance(value, str) else None
        return self.texts[int(hole[1])] if hole is not None else value

    def text(self) -> str:
        """Return the reply as it arrives."""
        escape = ESCAPES[self.dialect.name]
        whole = HOLE.sub(lambda hole: escape(self.texts[int(hole[1])]), "".join(self.tokens))
        first, other = self.margin
        return (first + whole.replace("\n", f"\n{other}"))[: self.size]

    def wrong(self, calls: Iterable[Call]) -> list[Call]:
        """Return the calls, of those that a parser would run, that were not meant. Each call that was meant may run once.

        None is wrong if the damaged reply is exactly what its dialect writes for the calls that ran.
        """
        ran, meant, found = list(calls), self.meant(), []
        for call in ran:
            at = next((at for at, one in enumerate(meant) if _equal(call, one)), None)
            if at is None:
                found.append(call)
            else:
                del meant[at]
        return found if found and not self.says(ran) else []

    def says(self, calls: Sequence[Call]) -> bool:
        """Return whether the reply is, blanks aside, the only way in which its dialect writes these calls.

        It has another reading if a call differs from a meant call only in blanks, which belong to a value; and, in a dialect
        that writes text as it is, if a key or a value holds a marker of the dialect.
        """
        if not all(isinstance(held, dict) for _, held in calls):
            return False
        meant = self.meant()
        if any(_bare(call) in map(_bare, meant) and not any(_equal(call, one) for one in meant) for call in calls):
            return False
        said = [text for _, held in calls for pair in held.items() for text in map(str, pair)]
        if any(mark in part for mark in OWN.get(self.dialect.name, ()) for part in said):
            return False
        texts: list[str] = []

        def hole(value: Any) -> Any:
            if not isinstance(value, str):
                return value
            texts.append(ESCAPES[self.dialect.name](value))
            return f"HOLE{len(texts) - 1}X"

        told = self.dialect.write([(name, {key: hole(value) for key, value in held.items()}) for name, held in calls])
        for at, each in enumerate(texts):
            told = told.replace(f"HOLE{at}X", each)
        return "".join(told.split()) == "".join(self.text().split())

    def markers(self) -> list[int]:
        """Return the places of the markers."""
        return [at for at, token in enumerate(self.tokens) if _MARKER.fullmatch(token)]

    def holes(self) -> list[int]:
        """Return the numbers of the texts."""
        return [int(hole[1]) for hole in map(HOLE.fullmatch, self.tokens) if hole is not None]


def sound(dialect: Dialect, rng: Random) -> Reply:
    """Return a reply without a fault: one to three calls."""
    texts: list[str] = []

    def text() -> str:
        drawn = rng.choice(TEXTS)
        texts.append(drawn)
        return f"HOLE{len(texts) - 1}X"

    def call() -> Call:
        kind = rng.random()
        if kind < 0.6:
            return "write_file", {"path": text(), "content": text()}
        if kind < 0.7:
            return "list_all", {}
        if kind < 0.8:
            more_keys = () if dialect is CLINE else ("until", "page")  # in a text, nobody can know a tag for a key
            return "open_page", {key: text() for key in ("url", "method", *more_keys) if key == "url" or rng.random() < 0.6}
        more: dict[str, Any] = {"limit": rng.randrange(100), "exact": rng.random() < 0.5, "tags": ["a", "b c"]}
        return "find_notes", {"query": text(), **{key: more[key] for key in more if rng.random() < 0.6}}

    calls = [call() for _ in range(rng.choice((1, 1, 2, 3)))]
    tokens = _TOKEN.findall(dialect.write(calls))
    return Reply(dialect, tokens, texts, calls, [])


# -- faults: each changes the reply, or returns False where it has nothing to change


def _drop(reply: Reply, rng: Random) -> bool:
    at = rng.choice(reply.markers() or [-1])
    if at < 0:
        return False
    del reply.tokens[at]
    return True


def _drop_several(reply: Reply, rng: Random) -> bool:
    """Lose closers that stand in a row."""
    closers = [at for at in reply.markers() if _CLOSER.match(reply.tokens[at])]
    begin = rng.randrange(len(closers) or 1)
    found = closers[begin : begin + rng.randint(2, 4)]
    for place in reversed(found):
        del reply.tokens[place]
    return bool(found)


def _double(reply: Reply, rng: Random) -> bool:
    at = rng.choice(reply.markers() or [-1])
    if at < 0:
        return False
    reply.tokens.insert(at, reply.tokens[at])
    return True


def _double_end(reply: Reply, rng: Random) -> bool:
    """Write the closers at the end again."""
    closers = list(itertools.takewhile(_CLOSER.match, (reply.tokens[at] for at in reversed(reply.markers()))))
    reply.tokens += reversed(closers[: rng.randint(1, 4)])
    return bool(closers)


def _swap(reply: Reply, rng: Random) -> bool:
    """Swap two markers that nothing but blanks separates. A quote would take a character into its string, or lose one."""
    places = [at for at in reply.markers() if reply.tokens[at] not in "\"'"]
    pairs = [(a, b) for a, b in itertools.pairwise(places) if not "".join(reply.tokens[a + 1 : b]).strip()]
    if not pairs:
        return False
    a, b = rng.choice(pairs)
    reply.tokens[a], reply.tokens[b] = reply.tokens[b], reply.tokens[a]
    return True


def _exchange(reply: Reply, rng: Random) -> bool:
    """Write the marker of another dialect, or another one of this dialect."""
    places = [at for at in reply.markers() if len(reply.tokens[at]) > 3]
    if not places:
        return False
    at = rng.choice(places)
    reply.tokens[at] = rng.choice(MARKERS if rng.random() < 0.5 else [reply.tokens[place] for place in places])
    return True


def _blunt(reply: Reply, rng: Random) -> bool:
    """Lose a quote, an equals sign or a blank of a marker, or double it."""
    places = [(at, inside) for at in reply.markers() for inside, char in enumerate(reply.tokens[at]) if char in '"= ']
    places = [place for place in places if len(reply.tokens[place[0]]) > 3]
    if not places:
        return False
    at, inside = rng.choice(places)
    token = reply.tokens[at]
    reply.tokens[at] = token[:inside] + token[inside] * rng.choice((0, 0, 2)) + token[inside + 1 :]
    return True


def _late(reply: Reply, rng: Random) -> bool:
    """Write the closer of a value after those that follow it: one item stands in another."""
    closers = [at for at in reply.markers() if reply.tokens[at].startswith("</")]
    if len(closers) < 2:
        return False
    begin = rng.randrange(len(closers) - 1)
    first, last = closers[begin], rng.choice(closers[begin + 1 :])
    reply.tokens.insert(last, reply.tokens.pop(first))
    return True


def _shorten(reply: Reply, rng: Random) -> bool:
    """Lose characters of a marker."""
    places = [at for at in reply.markers() if len(reply.tokens[at]) > 3]
    if not places:
        return False
    at = rng.choice(places)
    token, count = reply.tokens[at], rng.randint(1, 3)
    reply.tokens[at] = token[count:] if rng.random() < 0.5 else token[:-count]
    return True


def _mark_in_value(reply: Reply, rng: Random) -> bool:
    """Put a marker, or several in a row, into a value: they are meant to be in it."""
    if not reply.holes():
        return False
    hole, places = rng.choice(reply.holes()), reply.markers()
    begin = rng.randrange(len(places))
    marks = [reply.tokens[at] for at in places[begin : begin + rng.randint(1, 6)]]
    if reply.dialect.name in RAW:  # after a closer an opener is what it says: nobody can know that it is not meant
        behind = itertools.dropwhile(lambda mark: not _CLOSER.match(mark), marks)
        marks = marks if all(map(_CLOSER.match, behind)) else marks[:1]
    text = reply.texts[hole]
    at = rng.randint(0, len(text))
    mark = rng.choice(("", "\n", " ")).join(marks)
    reply.texts[hole] = text[:at] + mark + text[at:]
    return True


def _end_in_value(reply: Reply, rng: Random) -> bool:
    """Put a beginning of what ends the reply into its last value, or all of it, with text after it."""
    last = next((at for at in range(len(reply.tokens) - 1, -1, -1) if HOLE.fullmatch(reply.tokens[at])), None)
    if last is None:
        return False
    end = "".join(reply.tokens[last + 1 :])
    hole = int(HOLE.fullmatch(reply.tokens[last])[1])  # type: ignore[index]
    part = end if rng.random() < 0.5 else end[: rng.randint(1, len(end))]
    reply.texts[hole] += part + rng.choice(("", "more", "\nmore\n", "\n\n", f"{part}x", "<"))
    return True


def _unknown_key(reply: Reply, rng: Random) -> bool:
    places = [at for at, token in enumerate(reply.tokens) if _KEYS.search(token) and not HOLE.fullmatch(token)]
    if not places:
        return False
    at = rng.choice(places)
    reply.tokens[at] = _KEYS.sub("unheard_of", reply.tokens[at])
    return True


def _wrong_type(reply: Reply, rng: Random) -> bool:
    """Write a number as a word."""
    places = [at for at, token in enumerate(reply.tokens) if token.isdigit()]
    if not places:
        return False
    reply.tokens[rng.choice(places)] = rng.choice(("many", "1_000", "0x10", "1e999", "NaN", "-", "１"))
    return True


def _prose(reply: Reply, rng: Random) -> bool:
    """Write words between two markers."""
    places = reply.markers()
    free = [b for a, b in itertools.pairwise(places) if not "".join(reply.tokens[a + 1 : b]).strip()]
    if not free:
        return False
    reply.tokens.insert(rng.choice(free), rng.choice(("and then ", "...", "\n\n", "\\n", "<", "\ufeff")))
    return True


def _margin(reply: Reply, rng: Random) -> bool:
    """Write the call in a quote or a list. The marks before its lines are no part of the call."""
    reply.margin = rng.choice((("> ", "> "), (">", ">"), ("- ", "  "), ("- a\n  ", "  "), ("  ", "  "), ("1. > ", "   > ")))
    return True


def _cut(reply: Reply, rng: Random) -> bool:
    reply.size = rng.randrange(1, max(len(reply.text()), 2))
    reply.end = rng.choice(("unknown", "length", "disconnect"))
    return True


FAULTS: Final[Sequence[Callable[[Reply, Random], bool]]] = (
    _drop, _drop_several, _double, _double_end, _swap, _exchange, _shorten, _blunt, _late, _mark_in_value, _end_in_value,
    _unknown_key, _wrong_type, _prose, _margin, _cut,
)  # fmt: skip


def _neighbours(tokens: Sequence[str]) -> int:
    """Return how many values have nothing but blanks before the next one."""
    solid = [token for token in tokens if token.strip()]
    return sum(not (_MARKER.fullmatch(a) or _MARKER.fullmatch(b)) for a, b in itertools.pairwise(solid))


def damaged(dialect: Dialect, rng: Random) -> Reply:
    """Return a reply with one fault, or two. Two values never become one: it could not be seen that they were two."""
    while True:
        reply = sound(dialect, rng)
        apart = _neighbours(reply.tokens)
        for fault in rng.choices(FAULTS, k=rng.choice((1, 1, 1, 2))):
            if reply.tokens and fault(reply, rng):
                reply.faults.append(fault.__name__.strip("_"))
        if reply.faults and _neighbours(reply.tokens) <= apart:
            if reply.size is None and rng.random() < 0.5:
                reply.end = "stop"
            return reply


def _equal(call: Call, other: Call) -> bool:
    return call[0] == other[0] and same(call[1], other[1])


def _bare(call: Call) -> str:
    """Return a call without its blanks."""
    return "".join(json.dumps(call, default=repr).replace("\\n", "").split())


def replies(count: int, seed: int = 1, dialects: Sequence[str] = tuple(ANY_TOOL)) -> Iterator[Reply]:
    """Yield damaged replies, in each of the dialects in turn. The same seed draws the same replies on every machine."""
    unknown = set(dialects) - set(ANY_TOOL)
    if unknown or not dialects:
        raise ValueError(f"there is no dialect {' or '.join(sorted(unknown))}; `stream-guard conform --list` names them")
    for number in range(count):
        name = dialects[number % len(dialects)]
        yield damaged(ANY_TOOL[name], Random(f"{seed} {name} {number // len(dialects)}"))


def rows(count: int, seed: int = 1, only: tuple[str, ...] = ()) -> Iterator[Row]:
    """Yield damaged replies as rows of the corpus, or those whose ids begin with one of `only`. Only what was meant may run."""
    for number, reply in enumerate(replies(count, seed)):
        kind = f"{KIND}/{reply.dialect.name}"
        name = f"{kind}/{number // len(ANY_TOOL) + 1:04}"
        if only and not name.startswith(only):
            continue
        faults = ", ".join(fault.replace("_", " ") for fault in reply.faults)
        yield Row(
            kind,
            f"Calls in the form `{reply.dialect.name}` with damage ({faults}): none runs that was not meant.",
            TOOLS,
            [reply.text()],
            [Meant(tool, dict(held), must=False) for tool, held in reply.meant()],
            needs=(f"dialect:{reply.dialect.name}", "endings", "schemas", "several"),
            dialect=reply.dialect.name,
            end=ENDS[reply.end],
            says=reply.says,
            id=name,
        )


KIND: Final = "damaged"
"""How the classes of the rows begin."""

ENDS: Final[Mapping[str, End]] = {"stop": "stop", "length": "length", "unknown": "unknown", "disconnect": "unknown"}
"""How the end of a reply is told to a parser."""
