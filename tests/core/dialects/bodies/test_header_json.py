"""A header with the name, and JSON."""

from __future__ import annotations

import pytest

from stream_guard.dialects.bodies.header_json import HeaderJson
from tests.kit.cursors import Row, check, read_in_any_way


def args() -> HeaderJson:
    return HeaderJson(r"\s*(?P<name>[\w.-]+)(?:\[ID\](?P<id>\w+))?(?:\[ARGS\])?\s*")


ARGS = [
    Row('f[ARGS]{"a": 1}', [("f", '{"a": 1}')]),
    Row('f[ARGS]{"a": 1}[CALLS]g[ARGS]{}', [("f", '{"a": 1}')], "[CALLS]g[ARGS]{}"),
    Row('f{"a": "}"} and text', [("f", '{"a": "}"}')], " and text"),
    Row('f[ID]x1[ARGS]{"a": 1}\n', [("f", '{"a": 1}')], "\n", ids=["x1"]),
    Row('f[ARGS] {"a": 1}', [("f", '{"a": 1}')]),
    Row('f[ARGS]{"a": ', [("f", '{"a": ')], complete=False, ended=False),
    Row('f[ARGS]{"a" 1}', broken="json"),
    Row("f[AR", [], complete=False, ended=False),
    Row("f[ARGX", broken="head"),
    Row(" is a marker", broken="head"),
    Row("[1, 2]", broken="head"),
    Row("f(x)", broken="head"),
]


@pytest.mark.parametrize("row", ARGS, ids=lambda row: row.text[-40:])
def test_json_behind_a_name_needs_no_closer(row: Row) -> None:
    check(args, row, "json")


def section() -> HeaderJson:
    return HeaderJson(
        r"\s*(?P<id>(?:functions\.)?(?P<name>[\w-]+):\d+)\s*<arg>\s*",
        call_open=("<call>",),
        call_close=("</call>",),
        outer_open=("<calls>",),
        outer_close=("</calls>",),
    )


SECTION = [
    Row(
        '<call>functions.f:0<arg>{"a": 1}</call>\n<call>g:1 <arg> {}\n</call></calls>.',
        [("f", '{"a": 1}'), ("g", "{}")],
        ".",
        ids=["functions.f:0", "g:1"],
    ),
    Row('<call>f:0<arg>{"a": "</call></calls>"}</call></calls>', [("f", '{"a": "</call></calls>"}')]),
    Row('<call>f:0<arg>{"a": "b "c""}</call></calls>.', [("f", '{"a": "b "c""}')], "."),
    Row(
        '<call>f:0<arg>{"a": "b "c""}\n</call>\n<call>g:1<arg>{}</call></calls>.', [("f", '{"a": "b "c""}\n'), ("g", "{}")], "."
    ),
    Row('<call>f:0<arg>{"a": "b "c""}</calls>.', [("f", '{"a": "b "c""}')], ".", complete=False),
    Row('<call>f:0<arg>{"a": 1}</calls>.', [("f", '{"a": 1}')], ".", complete=False),
    Row('<call>f:0<arg>{"a": 1}</call>.', [("f", '{"a": 1}')], ".", complete=False),
    Row('<call>f:0<arg>{"a": 1}</call>', [("f", '{"a": 1}')], complete=False),
    Row('<call>f:0<arg>{"a": 1} </ca', [("f", '{"a": 1}')], complete=False, ended=False),
    Row('<call>f:0<arg>{"a": "x}</call></calls> more', [("f", '{"a": "x}')], "</calls> more", complete=False),
    Row("<call>f:0<arg>{", [("f", "{")], complete=False, ended=False),
    Row("<call>f:0<arg>{}</call><call>g", [("f", "{}")], complete=False, ended=False),
    Row("<call>f<arg>{}", broken="head"),
    Row("<call>f:0<arg>[]" + "x" * 2000, broken="head"),
    Row("text", broken="structure"),
]


@pytest.mark.parametrize("row", SECTION, ids=lambda row: row.text[-40:])
def test_calls_between_markers(row: Row) -> None:
    check(section, row, "json")


def fence() -> HeaderJson:
    return HeaderJson(
        r"function<sep>(?P<name>[\w.-]+)\s*```(?:json)?\s*",
        call_open=("<call>",),
        call_close=("</call>",),
        outer_open=("<calls>",),
        outer_close=("</calls>",),
        fence=True,
    )


FENCE = [
    Row('<call>function<sep>f\n```json\n{"a": "```"}\n```</call>\n</calls>', [("f", '{"a": "```"}')]),
    Row('<call>function<sep>f\n```\n{"a": 1}```\n</call></calls> x', [("f", '{"a": 1}')], " x"),
    Row('<call>function<sep>f\n```json\n{"a": 1}\n``', [("f", '{"a": 1}')], complete=False, ended=False),
    Row('<call>function<sep>f\n```json\n{"a": 1}\n```\nDone.', [("f", '{"a": 1}')], "\n```\nDone.", complete=False),
]


@pytest.mark.parametrize("row", FENCE, ids=lambda row: row.text[-40:])
def test_json_in_a_fence_between_markers(row: Row) -> None:
    check(fence, row, "json")


def message() -> HeaderJson:
    return HeaderJson(r"\s*(?P<name>\w+)<message>\s*", call_close=("<call>",), needs_closer=False)


MESSAGE = [
    Row('f<message>{"a": 1}<call> x', [("f", '{"a": 1}')], " x"),
    Row('f<message>{"a": 1}', [("f", '{"a": 1}')]),
    Row('f<message>{"a": 1}\n', [("f", '{"a": 1}')], "\n"),
    Row('f<message>{"a": 1}<start>', [("f", '{"a": 1}')], "<start>"),
    Row('f<message>{"a": ', [("f", '{"a": ')], complete=False, ended=False),
]


@pytest.mark.parametrize("row", MESSAGE, ids=lambda row: row.text[-40:])
def test_a_closer_that_servers_strip_is_not_needed(row: Row) -> None:
    check(message, row, "json")


def test_the_name_is_known_where_the_json_begins() -> None:
    found = read_in_any_way(section, '<call>f:0<arg>{"path": "a"')
    assert (found.name, found.path) == ("f", "a")
