"""Parsers that read some blocks otherwise than CommonMark does, or find a call inside other JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from stream_guard_conformance.conform import Ran, Verdict, tried
from stream_guard_conformance.conform.guard_parser import GuardParser
from stream_guard_conformance.corpus import corpus
from stream_guard_conformance.corpus.inside import WITH_OBJECTS

from tests.kit.wrong_parsers import Misread, Spoilt, Steps, found, told, wrong


def lines(pattern: str, becomes: str) -> Callable[[str], str]:
    return lambda text: re.sub(pattern, becomes, text, flags=re.MULTILINE)


BLOCKS = {
    "a closer is as long as its opener": lines(r"^(```json *\n.*\n *)````+([ \t]*)$", r"\1x````\2"),
    "a closer has no indent": lines(r"^ +(`{3,}|~{3,})(?=[ \t]*$)", r"x\1"),
    "nothing stands behind a closer": lines(r"^( *(?:`{3,}|~{3,}))[ \t]+$", r"x\1"),
    "an opener has no indent": lines(r"^ +(```json)", r"x\1"),
    "no blank stands before the word": lines("^``` json", "x``` json"),
    "no blank stands behind the word": lines("^```json  $", "x```json"),
}


@pytest.mark.parametrize("what", BLOCKS)
def test_who_does_not_read_all_blocks_of_commonmark_misses_calls_without_claiming_more(what: str) -> None:
    parser = Misread(BLOCKS[what])
    parser.capabilities = frozenset({"fence", "streams"})
    assert told(Verdict.CALL_MISSING, parser, "commonmark/fences")


@pytest.mark.parametrize("worst", [Verdict.UNSAFE, Verdict.CALL_MISSING])
def test_who_takes_inline_code_for_an_opener_is_told(worst: Verdict) -> None:
    parser = Misread(lines(r"^( {0,3}`{3,}[^`\n]+)`.*$", r"\1"))
    parser.capabilities = frozenset({"fence"})
    assert told(worst, parser, "commonmark/inline-code")


# Calls inside other JSON


def named(value: Any) -> Iterator[Any]:
    """Yield what looks like a call, in a value."""
    if isinstance(value, dict):
        if "tool" in value and "path" in value:
            yield value
        elif "name" in value and isinstance(value.get("arguments"), dict):
            yield {"tool": value["name"], **value["arguments"]}
        else:
            yield from (one for held in value.values() for one in named(held))
    elif isinstance(value, list):
        yield from (one for held in value for one in named(held))
    elif isinstance(value, str) and value.startswith("{"):
        yield from named(json.loads(value))


def test_who_finds_a_call_inside_other_json_is_unsafe() -> None:
    def inner(text: str) -> str:
        before, body, behind = re.split(r"^```(?:json)?$", text, flags=re.MULTILINE)
        return f"{before}```json\n{json.dumps(next(named(json.loads(body))))}\n```{behind}"

    assert wrong(found(Misread(inner), "inside/other-json")) == {Verdict.UNSAFE}
    assert Verdict.PASSED not in found(Misread(inner), "inside/other-json")


@pytest.mark.parametrize("kind", ["a-call", "native"])
def test_who_runs_what_stands_in_a_value_as_well_is_unsafe_in_each_row(kind: str) -> None:
    def inner(steps: Steps) -> Steps:
        return [
            [
                one
                for item in step
                for one in (
                    item,
                    *(
                        Ran(call["tool"], {"path": call["path"]}, item.choice)
                        for call in (named(item.arguments) if isinstance(item, Ran) else ())
                    ),
                )
            ]
            for step in steps
        ]

    assert found(Spoilt(inner), f"inside/{kind}") == {Verdict.UNSAFE}


@pytest.mark.parametrize("name", WITH_OBJECTS)
def test_who_finds_a_call_inside_the_json_of_a_dialect_is_unsafe(name: str) -> None:
    def inner(text: str) -> str:
        at, end = text.index("{"), text.rindex("}") + 1
        (found,) = objects(json.loads(text[at:end]))
        return f"{text[:at]}{json.dumps(found)}{text[end:]}"

    rows = [row for row in corpus(only=("inside/dialects",)) if row.dialect == name]
    assert {result.verdict for result in tried(rows, Misread(inner))} == {Verdict.UNSAFE}


def objects(value: Any) -> list[Any]:
    """Return the objects with a name of a tool, in a value."""
    if isinstance(value, dict) and any(held == "delete_file" for held in value.values()):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [one for held in inner for one in objects(held)]


def test_who_reads_blocks_as_commonmark_does_is_right() -> None:
    parser = GuardParser()
    parser.capabilities = frozenset({"fence", "streams", "text", "intent"})
    assert found(parser, "commonmark/", "inside/other-json", "inside/a-call") == {Verdict.PASSED}
