"""Rows of what is easily lost: large integers, rare characters, one of two equal calls, what follows an empty delta."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Final

from ..toolsets import Json, tool_of
from .fences import FILE_TOOLS, fenced
from .rows import Draft, Meant, Row, cut


def rows(seed: int) -> Iterator[Row]:
    """Yield the rows."""
    yield from _integers(seed)
    yield from _characters(seed)
    yield from _equal_calls(seed)
    yield from _empty_deltas(seed)


def _written(call: Meant, *, ascii_only: bool = False) -> str:
    """Return a call as a fenced block."""
    return fenced(json.dumps({"tool": call.name, **call.arguments}, ensure_ascii=ascii_only))


def _around(call: Meant, *, ascii_only: bool = False) -> Draft:
    return Draft().say("Now.\n\n").write(_written(call, ascii_only=ascii_only), call).say("\nSo.\n")


_HOWS: Final = ("whole", "characters", "tokens")


def _row(kind: str, why: str, draft: Draft, deltas: Sequence[str], *needs: str, tools: Sequence[Json] = FILE_TOOLS) -> Row:
    calls = draft.timed(deltas)
    needed = ["fence" if calls else "text"] + ["several"] * (len(calls) > 1) + ["streams"] * (len(deltas) > 1)
    return Row(f"exact/{kind}", why, tools, deltas, calls, texts=[draft.pieces], needs=(*needed, *needs))


EVERYWHERE: Final[Mapping[str, tuple[Sequence[Meant], Sequence[str]]]] = {
    "two equal calls": ((Meant("write_file", {"path": "a.txt", "content": "x"}),) * 2, ("several",)),
    "large integers": (
        (Meant("find_notes", {"query": "x", "limit": 2**53 + 1}), Meant("find_notes", {"query": "x", "limit": -(2**63) - 1})),
        ("several", "integers"),
    ),
    "rare characters": (
        (Meant("write_file", {"path": "cafe\u0301.txt", "content": "e\u0301 \u212b \ufb01 x\u00b2 a\u200db\ufeff c\u2028d"}),),
        (),
    ),
}
"""Calls of the tools of `dialects` that all forms of calls can carry, and what is needed to read them."""


# -- integers


_INTEGER: Final = {"type": "integer"}

ID_TOOLS: Final = [
    tool_of("open_item", ("id",), id=_INTEGER),
    tool_of("tag_items", ("ids",), ids={"type": "array", "items": _INTEGER}),
    tool_of("find_items", ("where",), where={"type": "object", "additionalProperties": _INTEGER}),
]

BITS: Final = 53
"""How many bits of an integer a double has."""

SMALL: Final = (0, -1, 2**31 - 1, -(2**31), 2**31, 2**32 + 1, 2**BITS - 1, -(2**BITS) + 1)
LARGE: Final = (
    2**BITS + 1, -(2**BITS) - 1, 2**54 + 3, 1_234_567_890_123_456_789, 2**63 - 1, -(2**63) + 1, 2**63 + 1, 2**64 - 1, 2**64 + 1,
    98_765_432_109_876_543_211, 10**29 + 7,
)  # fmt: skip
"""Integers that every double has, and integers that are another one as a double."""


def _integers(seed: int) -> Iterator[Row]:
    rng = Random(f"integers:{seed}")
    for number in (*SMALL, *LARGE):
        large = number in LARGE
        for call in (
            Meant("open_item", {"id": number}),
            Meant("tag_items", {"ids": [7, number]}),
            Meant("find_items", {"where": {"id": number}}),
        ):
            draft = _around(call)
            deltas = cut(draft.text, rng.choice(_HOWS), rng)
            size = "that is another one as a double" if large else f"of {number.bit_length()} bits"
            why = f"An integer {size} comes out as it was written: {number}."
            yield _row("integers", why, draft, deltas, *(["integers"] if large else []), tools=ID_TOOLS)


# -- characters

CHARACTERS: Final[Mapping[str, str]] = {
    "a letter and its accent": "cafe\u0301 nai\u0308ve",
    "Hangul in parts": "\u1112\u1161\u11ab\u1100\u1173\u11af",
    "signs with a newer form": "\u212b \u2126 \u0958 \uf900",
    "accents in another order": "a\u0301\u0323",
    "ligatures, fractions and powers": "\ufb01 \u00bd x\u00b2 \u2168 \u338f \u2026",
    "wide letters and digits": "\uff21\uff11\uff0f \uff76",
    "blanks that are no space": "a\u00a0b\u3000c\u2009d",
    "emoji that are joined": "\U0001f468\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f \U0001f1eb\U0001f1f7",
    "characters of no width": "a\u200bb\u200cc\u2060d\u00ade\ufefff",
    "marks of direction": "a\u202eb\u202cc\u200fd\u2066e\u2069",
    "a null character": "a\0b",
    "other control characters": "a\x01\x07\x1b[31mb\x7fc",
    "a backspace and a form feed": "a\x08b\x0cc",
    "line separators of Unicode": "a\u2028b\u2029c\x85d",
    "separators of other kinds": "a\x0bb\x1cc\x1ed",
    "characters that stand for none": "a\ufffdb\ufffec\uffffd\ue000e\U0010ffff",
    "entities and escapes": "a&amp;b &lt; &#39; %20 \\n \\u0041 +",
    "upper case that grows": "\u00df \u0130 \u01c5 \ufb00",
    "quotes and dashes of a typesetter": "\u201ea\u201c \u2018b\u2019 \u2013 \u2014 \u2212",
    "carriage returns": "a\rb\r\nc\n\rd",
    "blanks at the ends of lines": "a  \t\nb \n\n\n\n \tc",
}
"""Characters that a reader changes, or loses, when it means well."""

DOUBTED: Final = frozenset("\x08\x0c")
"""Characters of text that no value here has: as an escape, `\\b` or `\\f` may be a backslash that was not doubled."""

PATHS: Final = ("cafe\u0301.txt", "nai\u0308ve/\u00fc.md", "\u1112\u1161\u11ab.txt", "\ufb01x\u00b2.txt", "\u212b.txt")

SEPARATORS: Final = ("\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e")
"""What ends a line in some languages, and in neither CommonMark nor JSON."""


def _characters(seed: int) -> Iterator[Row]:
    rng = Random(f"characters:{seed}")
    for what, text in CHARACTERS.items():
        said = f"So: {text}.\n"
        for how in ("whole", "characters", "random"):
            yield Row(
                "exact/characters",
                f"Text comes out with the characters that it has: {what}.",
                FILE_TOOLS,
                cut(said, how, rng),
                texts=[[said]],
                needs=("text", "streams"),
                at_once=said.count("\n") == 1 and "\r" not in said,
            )
        if DOUBTED.intersection(text):
            continue
        call = Meant("write_file", {"path": "a.txt", "content": f" {text} "})
        for ascii_only in (False, True):
            draft = _around(call, ascii_only=ascii_only)
            why = f"A value has the characters that were written{' with escapes' * ascii_only}: {what}."
            yield _row("characters", why, draft, cut(draft.text, rng.choice(_HOWS), rng))
    for path in PATHS:
        for ascii_only in (False, True):
            call = Meant("delete_file", {"path": path})
            draft = _around(call, ascii_only=ascii_only)
            why = f"A path is the one that was written, and no other spelling of it: {path!a}."
            yield _row("characters", why, draft, cut(draft.text, rng.choice(_HOWS), rng))
    shown, made = Meant("delete_file", {"path": "a"}), Meant("delete_file", {"path": "b"})
    for mark in SEPARATORS:
        example = _written(shown).replace("\n", mark)
        draft = Draft().say(f"Write{mark}{example}{mark}as you like.\n\n").write(_written(made), made).say("\nSo.\n")
        for how in ("whole", "characters"):
            why = f"{mark!a} ends no line, so that a fence behind it is none."
            yield _row("characters", why, draft, cut(draft.text, how, rng))


# -- equal calls

_A: Final = Meant("delete_file", {"path": "a.txt"})
_B: Final = Meant("write_file", {"path": "b.txt", "content": "x\n"})
_TURNED: Final = Meant("write_file", {"content": "x\n", "path": "b.txt"})

EQUAL: Final[Mapping[str, Sequence[Meant]]] = {
    "two": (_A, _A),
    "two with other members": (_B, _B),
    "three": (_B, _B, _B),
    "one between": (_A, _B, _A),
    "two of each": (_A, _A, _B, _B),
    "one whose members stand in another order": (_B, _TURNED),
}
"""Calls of one reply of which some are equal."""


def _equal_calls(seed: int) -> Iterator[Row]:
    rng = Random(f"equal calls:{seed}")
    for what, calls in EQUAL.items():
        for between in ("\n", "\n\nAnd once more:\n\n"):
            draft = Draft().say("Now.\n\n")
            for call in calls:
                draft.write(_written(call), call).say(between)
            draft.say("So.\n")
            for how in ("whole", "characters", "random"):
                why = f"Equal calls in blocks of their own run as often as they were made: {what}."
                yield _row("equal-calls", why, draft, cut(draft.text, how, rng))


# -- empty deltas


def _drafts() -> Mapping[str, Draft]:
    long = Meant("write_file", {"path": "src/ü.py", "content": 'def f():\n\treturn "é 😀"\n'})
    code = "See:\n\n```python\ncall = 1\n```\n\nand\n\n````markdown\n```json\n{}\n```\n````\n\nSo.\n"
    return {
        "text": Draft().say("Nothing but text, 日本語 and so on.\nOne more line.\n"),
        "code": Draft().say(code),
        "a call": Draft().say("Hi.\n\n").write(_written(long), long).say("\nDone, all of it.\n"),
        "two calls": Draft().say("Hi.\n\n").write(_written(_A), _A).say("\nand\n\n").write(_written(_B), _B).say("\nDone.\n"),
    }


def _empty_deltas(seed: int) -> Iterator[Row]:
    rng = Random(f"empty deltas:{seed}")
    for what, draft in _drafts().items():
        for how in ("lines", "characters", "tokens"):
            deltas = cut(draft.text, how, rng)
            middle = rng.randrange(1, len(deltas))
            for where, given in {
                "between all others": [delta for each in deltas for delta in (each, "")],
                "before the first": ["", "", *deltas],
                "behind the last": [*deltas, "", ""],
                "in the middle": [*deltas[:middle], "", "", "", *deltas[middle:]],
                "here and there": [delta for each in deltas for delta in ["", each][rng.randrange(2) :]],
            }.items():
                yield _row("empty-deltas", f"An empty delta says nothing, and ends nothing: {what}, {where}.", draft, given)
