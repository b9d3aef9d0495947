"""What holds for the bodies of every grammar: any cut, nothing raised, each character read once, and an honest end."""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stream_guard.dialects import json_part, marks
from stream_guard.dialects.bodies.action_tags import ActionTags
from stream_guard.dialects.bodies.arg_key_value import ArgKeyValue
from stream_guard.dialects.bodies.bracecall import BraceCall
from stream_guard.dialects.bodies.function_parameter import FunctionParameter
from stream_guard.dialects.bodies.header_json import HeaderJson
from stream_guard.dialects.bodies.invoke_parameter import InvokeParameter
from stream_guard.dialects.bodies.json_body import JsonBody
from stream_guard.dialects.bodies.named_tags import NamedTags
from stream_guard.dialects.bodies.patch import Patch
from stream_guard.dialects.bodies.pycall import PyCall
from stream_guard.dialects.bodies.search_replace import SearchReplace
from stream_guard.dialects.body import Body
from stream_guard.dialects.call import Value
from tests.kit.breadth import some
from tests.kit.cursors import Make, Outcome, read

DEPTH = int(os.environ.get("TOKENS", "4"))
"""How many tokens every sequence has; more under `make more`, and there all of them are tried."""

DRAWN = 300
"""How many sequences of a few tokens more are drawn for each grammar."""


@dataclass(frozen=True)
class Grammar:
    """A cursor, tokens of its grammar, and texts that lead into the middle of a body."""

    make: Make
    tokens: tuple[str, ...]
    begins: tuple[str, ...]
    sample: str
    """A whole body, with `%s` where text may stand that is as long as one likes."""

    by_line: bool = False
    """Whether a line end must stand behind the body."""

    moved: bool = False
    """Whether a tag right behind the body may be a field's that moved there: then the body is not complete."""

    glued: bool = False
    """Whether a word right behind the body may be a part of it: then the body is not complete either."""


def kimi() -> HeaderJson:
    return HeaderJson(
        r"\s*(?P<name>\w+)<arg>\s*",
        call_open=("<call>",),
        call_close=("</call>",),
        outer_open=("<calls>",),
        outer_close=("</calls>",),
    )


GRAMMARS = {
    "json": Grammar(
        lambda: JsonBody(openers=("<t>",), closers=("</t>",)),
        ('{"name": "f"', "}", '"', "\n</t>", "</t>", "<t>", ', "a": ', "[", " "),
        ("", '{"name": "f", "arguments": {"a": "'),
        '{"name": "f", "arguments": {"a": "%s"}}</t>',
    ),
    "json, bare": Grammar(
        lambda: JsonBody(separators=";"),
        ('{"a": 1', "}", '"', ";", " ", "[", "]", ","),
        ("", '{"a": 1}'),
        '{"name": "f", "arguments": {"a": "%s"}}',
        glued=True,
    ),
    "function parameter": Grammar(
        FunctionParameter,
        ("<function=f>", "<parameter=a>", "</parameter>", "</function>", "</tool_call>", "<tool_call>", "x", "\n", "<"),
        ("", "<function=f><parameter=a>", "<function=f><parameter=a>x</parameter>"),
        "<function=f><parameter=a>%s</parameter></function></tool_call>",
    ),
    "function parameter, unwrapped": Grammar(
        lambda: FunctionParameter(wrapped=False),
        ("<function=f>", "<parameter=a>", "</parameter>", "</function>", "</tool_call>", '{"a": 1}', "x", "\n", "<"),
        ("<function=f><parameter=a>", "<function=f>"),
        "<function=f><parameter=a>%s</parameter></function>",
    ),
    "arg key value": Grammar(
        ArgKeyValue,
        ("f", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", "</tool_call>", "<tool_call>", "\n", "<"),
        ("", "f<arg_key>a</arg_key><arg_value>"),
        "f<arg_key>a</arg_key><arg_value>%s</arg_value></tool_call>",
    ),
    "arg key value, wrapped": Grammar(
        lambda: ArgKeyValue(outer="calls", name_close=("<sep>",)),
        ("<tool_call>f", "<arg_key>a</arg_key>", "<arg_value>", "</arg_value>", "</tool_call>", "</calls>", "<sep>", "\n", "x"),
        ("", "<tool_call>f<arg_key>a</arg_key><arg_value>"),
        "<tool_call>f<sep><arg_key>a</arg_key><arg_value>%s</arg_value></tool_call></calls>",
    ),
    "invoke parameter": Grammar(
        lambda: InvokeParameter(cdata=True),
        ('<invoke name="f">', '<parameter name="">', "</parameter>", "</invoke>", "</function_calls>", "<![CDATA[", "]]>", "x"),
        ("", '<invoke name="f"><parameter name="a">'),
        '<invoke name="f"><parameter name="a">%s</parameter></invoke></function_calls>',
    ),
    "named tags": Grammar(
        lambda: NamedTags("f"),
        ("<a>", "</a>", "<path>", "</path>", "</f>", "<f>", "x", "\n", "<"),
        ("", "<a>", "<a>x</a>"),
        "<a>%s</a></f>",
        moved=True,
    ),
    "pycall": Grammar(
        lambda: PyCall(openers=("<t>",), closers=("</t>",)),
        ("[f(", "a=", "'", '"', ")", "]", ",", "</t>", "<t>"),
        ("", "[f(a=", '[f(a="'),
        '[f(a="%s")]</t>',
    ),
    "pycall, bare": Grammar(
        PyCall,
        ("f(", "a=", "'", '"', "{", "}", ")", "]", ","),
        ("[", "[f(a="),
        '[f(a="""%s""")]',
        glued=True,
    ),
    "pycall, lines": Grammar(
        lambda: PyCall(closers=("</t>",), brackets=False),
        ("f(", "a=", "'", ")", "[", "]", "\n", "</t>", "<"),
        ("", "f(a=1)"),
        "f(a='''%s''')</t>",
    ),
    "bracecall": Grammar(
        lambda: BraceCall(openers=("<t>",)),
        ("a:", '<|"|>', '"', "{", "}", "[", "]", ",", "<tool_call|>", "<t>"),
        ("call:f{", "call:f{a:{b:"),
        'call:f{a:<|"|>%s<|"|>}<tool_call|>',
    ),
    "action tags": Grammar(
        ActionTags,
        ('id="a">', '<boltAction type="f">', "</boltAction>", "</boltArtifact>", "<boltArtifact ", "x", "\n", "<"),
        ("", '><boltAction type="f" a="b">'),
        '><boltAction type="f">%s</boltAction></boltArtifact>',
    ),
    "patch": Grammar(
        Patch,
        ("*** End Patch", "*** Add File: a", "*** ", "+", "x", "\n", "@@", "\r\n"),
        ("", "\n*** Update File: a\n"),
        "\n*** Add File: a\n+%s\n*** End Patch",
        by_line=True,
    ),
    "search and replace": Grammar(
        lambda: SearchReplace("p"),
        ("=======", ">>>>>>> REPLACE", "<<<<<<< SEARCH", "x", "\n", " ", "\r\n", "-"),
        ("", "\na\n", "\na\n=======\n"),
        "\n%s\n=======\nb\n>>>>>>> REPLACE",
        by_line=True,
    ),
    "header json": Grammar(
        kimi,
        ("<call>", "f<arg>", '{"a": ', '"', "}", "</call>", "</calls>", "\n", "x"),
        ("", "<call>f<arg>{", '<call>f<arg>{"a": "'),
        '<call>f<arg>{"a": "%s"}</call></calls>',
    ),
}  # fmt: skip

every = pytest.mark.parametrize("grammar", GRAMMARS.values(), ids=GRAMMARS)


def sequences(grammar: Grammar, depth: int) -> list[str]:
    return [begin + "".join(tokens) for begin in grammar.begins for tokens in itertools.product(grammar.tokens, repeat=depth)]


def drawn(grammar: Grammar) -> Iterator[str]:
    """Yield longer sequences, the same ones each time."""
    dice = random.Random(1)
    for _ in range(DRAWN):
        yield dice.choice(grammar.begins) + "".join(dice.choices(grammar.tokens, k=DEPTH + dice.randint(1, 3)))


def markers(body: Any) -> tuple[str, ...]:
    found: tuple[str, ...] = getattr(body, "_any", marks.marks(())).markers
    return found


@every
@pytest.mark.more
def test_every_sequence_of_tokens_is_read_alike_in_one_piece_and_by_character(grammar: Grammar) -> None:
    """And whatever is complete holds no marker in a raw value, and ends no later than the text."""
    known: tuple[str, ...] = markers(grammar.make())
    for text in itertools.chain(some(sequences(grammar, DEPTH), 350), drawn(grammar)):
        whole = read(grammar.make, [text])
        assert read(grammar.make, text) == whole, text
        if whole.complete:
            assert whole.size is not None
            assert raw_values_hold_no(known, whole), text


def raw_values_hold_no(known: tuple[str, ...], outcome: Outcome) -> bool:
    values = [value for call in outcome.calls if not isinstance(call.arguments, Value) for _, value in call.arguments]
    return not any(marker in value.text for value in values if value.form == "untyped" for marker in known)


@every
@given(data=st.data())
def test_any_cut_of_any_text_is_read_alike(grammar: Grammar, data: st.DataObject) -> None:
    tokens = st.sampled_from([*grammar.tokens, *grammar.sample.split("%s")]) | st.text(max_size=5)
    text = data.draw(st.sampled_from(grammar.begins)) + "".join(data.draw(st.lists(tokens, max_size=12)))
    seed = data.draw(st.integers(0, 99))
    whole = read(grammar.make, [text])
    dice = random.Random(seed)
    for _ in range(3):
        cut = sorted(dice.choices(range(len(text) + 1), k=dice.randint(0, 6)))
        assert read(grammar.make, [text[a:b] for a, b in itertools.pairwise([0, *cut, len(text)])]) == whole


@every
def test_every_text_that_is_cut_off_is_uncertain(grammar: Grammar) -> None:
    text = grammar.sample % "a b"
    assert read(grammar.make, [text]).complete
    for end in range(len(text)):
        found = read(grammar.make, [text[:end]])
        assert not found.complete, text[:end]
        assert found.broken is None, text[:end]


@every
def test_what_follows_a_body_changes_nothing(grammar: Grammar) -> None:
    text = grammar.sample % "x"
    for rest in (" text", "\n\ntext", "text", "<", "\n<", "{", "<b>", "\n\n", "```"):
        rest = "\n" + rest if grammar.by_line else rest
        found = read(grammar.make, [text, rest])
        whole = not ((grammar.moved and rest.strip() == "<") or (grammar.glued and rest == "text"))
        assert (found.complete, found.size) == (whole, len(text)), rest
        assert read(grammar.make, text + rest) == found


class Counting:
    """A pattern that counts the characters between where it began and where it stopped."""

    def __init__(self, pattern: Any, counted: list[int]) -> None:
        self._pattern, self._counted = pattern, counted

    def match(self, text: str, pos: int = 0) -> Any:
        found = self._pattern.match(text, pos)
        self._counted[0] += 1 + (found.end() - pos if found is not None else 0)
        return found

    def search(self, text: str, pos: int = 0) -> Any:
        found = self._pattern.search(text, pos)
        self._counted[0] += (found.end() if found is not None else len(text)) - pos
        return found


FILLINGS = {
    "plain": "text ",
    "half markers": "</to</par",
    "brackets": "<",
    "blanks": " ",
    "lines": "\n",
    "tags": "<b>x</b>\n",
    "quotes": '\\"',
}


@pytest.mark.some(112)
@every
@pytest.mark.parametrize("filling", FILLINGS.values(), ids=FILLINGS)
@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_the_work_for_a_character_does_not_grow(
    grammar: Grammar, filling: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted, never timed: the characters that the search for markers looks at, and those that are kept and read again."""
    counted = [0]
    found = marks.Marks.find
    kept = Body._run

    def find(self: marks.Marks, text: str, pos: int, *, final: bool = False) -> tuple[int, str | None]:
        at, marker = found(self, text, pos, final=final)
        counted[0] += at - pos
        return at, marker

    def run(self: Body, text: str, at: int) -> None:
        counted[0] += len(self._kept)
        kept(self, text, at)

    monkeypatch.setattr(marks.Marks, "find", find)
    monkeypatch.setattr(Body, "_run", run)
    monkeypatch.setattr(marks, "_BLANKS", Counting(marks._BLANKS, counted))
    work = []
    for length in (1_500, 6_000):
        text = grammar.sample % (filling * (length // len(filling)))
        counted[0] = 0
        read(grammar.make, [text[at : at + size] for at in range(0, len(text), size)])
        work.append(counted[0] / len(text))
    assert work[1] < max(1.2 * work[0], 40), work
    assert work[1] < json_part._ROOM + 40


def test_many_bodies_without_closers_are_not_read_again_and_again() -> None:
    """What was read behind a doubtful closer is given back, and read again as the next body: no more than once."""
    for make, unit in (
        (GRAMMARS["json"].make, '<t>{"a": "}</t> "'),
        (GRAMMARS["json"].make, '<t>{"</t> '),
        (GRAMMARS["json"].make, "<t>{'a</t> "),
        (GRAMMARS["arg key value"].make, "<tool_call>f<arg_key>a</arg_key><arg_value>x</tool_call> text\n"),
        (GRAMMARS["function parameter"].make, "<tool_call><function=f><parameter=a>x</tool_call> text\n"),
    ):
        opener = unit[: unit.index(">") + 1]
        text = unit * 200
        at, looked_at = len(opener), 0
        while True:
            body = make()
            taken = body.read(text, at)
            if not body.done:
                body.finish()
            looked_at += taken - at
            end = taken - body.over if body.done else taken
            following = text.find(opener, end)
            if following < 0:
                break
            at = following + len(opener)
        assert looked_at < 6 * len(text), unit
