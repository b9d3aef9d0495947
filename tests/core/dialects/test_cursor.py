"""The cursor over a growing body."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stream_guard.dialects.cursor import LARGE, MAX_STRING, Cursor, Decoder, Signal, unescape
from stream_guard.testing import by_char, random_splits
from tests.kit.values import VALUES


def run(chunks: list[str], cursor: Cursor | None = None) -> tuple[Cursor, list[Any]]:
    """Feed the chunks; returns the cursor and what it signalled, with lines left out."""
    cursor = cursor or Cursor()
    seen: list[Any] = []
    for chunk in chunks:
        pos = 0
        while pos < len(chunk):
            pos = cursor.feed(chunk, pos, len(chunk))
            if cursor.signal is Signal.KEY:
                seen.append(("key", cursor.path))
            elif cursor.signal is Signal.STRING:
                seen.append(("string", cursor.path, cursor.text))
            elif cursor.signal in (Signal.COMPLETE, Signal.BROKEN):
                seen.append(cursor.signal.name)
    return cursor, seen


@given(
    st.dictionaries(st.text(max_size=5), VALUES, max_size=5) | st.lists(VALUES, max_size=5), st.booleans(), st.integers(0, 9)
)
def test_every_json_document_is_read_to_its_end_and_no_further(value: Any, spread: bool, seed: int) -> None:
    """Complete at the last character, never broken, the same however it is cut, with and without watching, and without keys."""
    text = json.dumps(value, indent=1 if spread else None, ensure_ascii=False)
    whole = run([text])
    strings = [item for item in whole[1] if item[0] != "key"]
    for watch, keys in ((True, True), (True, False), (False, True)):
        for chunks in [by_char(text), *random_splits(text, seed, 3)]:
            cursor = Cursor()
            cursor.watch, cursor.keys = watch, keys
            cursor, seen = run(chunks, cursor)
            assert cursor.complete
            assert cursor.whole_once
            assert cursor.broken is None
            assert cursor.depth == 0
            assert seen[-1] == "COMPLETE"
            if watch:
                assert seen == (whole[1] if keys else strings)
    if len(text) > 2:
        cursor, _ = run([text[:-1]])
        assert not cursor.complete


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("x", "root"),
        ('"text"', "root"),
        ("42", "root"),
        ("{'a': 1}", "syntax"),
        ("{a: 1}", "syntax"),
        ('{"a" 1}', "syntax"),
        ('{"a": 1 "b": 2}', "syntax"),
        ('{"a": 1,}', "syntax"),
        ("[1,]", "syntax"),
        ('{"a": "x" y}', "syntax"),
        ("{]", "syntax"),
        ('{"a": 1]', "syntax"),
        ("[1}", "syntax"),
        ('{"a": \u201cx\u201d}', "syntax"),
        ("{}x", "syntax"),
        ("{} }", "syntax"),
        ("[" * 65, "depth"),
    ],
)
def test_what_is_not_json_is_broken_and_stays_so(body: str, why: str) -> None:
    """With the reason; nothing is claimed after it."""
    for chunks in ([body + ' {"a": 1}'], by_char(body + ' {"a": 1}')):
        cursor, seen = run(chunks)
        assert cursor.broken == why
        assert not cursor.complete
        assert seen.count("BROKEN") == 1
        assert seen[-1] == "BROKEN"


def test_a_complete_value_may_be_followed_by_another() -> None:
    """Models write two calls in one block; only the first is watched."""
    cursor, seen = run(['{"tool": "a"}; {"tool": "b"},\n{"tool": "c"'])
    assert [item for item in seen if item[0] == "string"] == [("string", ("tool",), "a")]
    assert seen.count("COMPLETE") == 2
    assert cursor.whole_once
    assert not cursor.complete


def test_shallow_strings_are_told_with_the_keys_that_lead_to_them() -> None:
    """Through envelopes and arrays; deep ones are not."""
    body = '[{"function": {"name": "w", "arguments": {"path": "p", "deep": [[{"x": "y"}]]}}}, {"name": "second"}]'
    _, seen = run([body])
    assert [item[1:] for item in seen if item[0] == "string"] == [
        (("function", "name"), "w"),
        (("function", "arguments", "path"), "p"),
    ]


def test_what_lies_in_arrays_or_under_other_keys_is_not_told_as_a_field() -> None:
    """`{"path": ["x"]}` has no path, and `{"meta": {"path": "x"}}` has none of ours."""
    cursor = Cursor(through={"arguments"})
    body = (
        '{"path": ["x"], "meta": {"x": {"x": {}, "path": "y"}, "path": "y"}, "arguments": {"path": "z", "deep": {"path": "w"}}}'
    )
    _, seen = run([body], cursor)
    assert [item for item in seen if item[0] == "string"] == [("string", ("arguments", "path"), "z")]


def test_a_deep_list_of_objects_does_not_end_the_watch() -> None:
    """Only the end of the first of several calls does."""
    body = json.dumps({"a": [[{"x": [{}, None], "y": "z"}]], "b": "c"})
    whole = run([body])[1]
    assert run(by_char(body))[1] == whole
    assert ("string", ("a", "y"), "z") in whole


def test_strings_are_decoded_or_not_told() -> None:
    """Escapes count; what is too long or does not exist is None."""
    _, seen = run(['{"a": "\\u00e9\\n", "b": "\\q", "c": "' + "x" * (MAX_STRING + 1) + '", "d": "raw\nline"}'])
    assert [item[2] for item in seen if item[0] == "string"] == ["é\n", None, None, "raw\nline"]
    assert unescape("\\ud83d\\ude00") == "😀"
    assert unescape("a\nb\\tc") == "a\nb\tc"


@pytest.mark.parametrize("size", [10, LARGE * 3])
def test_raw_line_ends_in_strings_are_read_over_and_reported_where_a_fence_may_stand(size: int) -> None:
    """The line's first character is left to whoever knows fences. An empty line has none."""
    filler = "x" * size
    body = '{"a": "' + filler + "\n```\n~~~\nplain\n  indented\n\n" + '"}'
    for chunks in ([body], by_char(body)):
        cursor = Cursor()
        lines: list[str] = []
        for chunk in chunks:
            pos = 0
            while pos < len(chunk):
                pos = cursor.feed(chunk, pos, len(chunk))
                if cursor.signal is Signal.LINE:
                    lines.append(chunk[pos : pos + 1])
        assert cursor.complete
        if len(chunks) == 1:
            assert lines == ["`", "~"]


def test_an_escape_may_be_cut_anywhere() -> None:
    """A backslash at the end of a piece escapes the next character; before a raw newline it escapes nothing."""
    for body in ['{"a": "x\\"y\\\\"}', '{"a": "\\\\\\""}', '{"a": "x\\\ny"}']:
        for cut in range(1, len(body)):
            cursor, _ = run([body[:cut], body[cut:]])
            assert cursor.complete, (body, cut)


def test_a_new_cursor_knows_nothing() -> None:
    """And says so in so many words; what begins again is not whole."""
    cursor = Cursor()
    assert (cursor.signal, cursor.complete, cursor.whole_once, cursor.broken) == (None, False, False, None)
    assert (cursor.path, cursor.text, cursor.watch) == ((), None, True)
    cursor, _ = run(["{} {"])
    assert (cursor.complete, cursor.whole_once, cursor.watch) == (False, True, False)
    cursor, _ = run(["{} x"])
    assert (cursor.complete, cursor.whole_once, cursor.broken) == (False, True, "syntax")


def test_where_the_cursor_stands_can_be_asked() -> None:
    """In a key or a value, under which key."""
    cursor, _ = run(['{"pa'])
    assert (cursor.in_string, cursor.in_key, cursor.key) == (True, True, None)
    cursor, _ = run(['{"path": "x'])
    assert (cursor.in_string, cursor.in_key, cursor.key) == (True, False, "path")
    cursor, _ = run(['{"path": "x"'])
    assert (cursor.in_string, cursor.in_key, cursor.key) == (False, False, "path")
    cursor, _ = run([""])
    assert (cursor.key, cursor.depth) == (None, 0)


@given(st.text(max_size=30), st.booleans(), st.integers(0, 5))
def test_what_is_decoded_joined_is_the_text(text: str, ascii_only: bool, seed: int) -> None:
    """However the escapes are cut."""
    written = json.dumps(text, ensure_ascii=ascii_only)[1:-1]
    for chunks in [by_char(written), *random_splits(written, seed, 3)]:
        decoder = Decoder()
        assert "".join(decoder.feed(chunk) for chunk in chunks) + decoder.feed("") == text


def test_decoding_stops_at_an_escape_that_does_not_exist() -> None:
    """What follows is anybody's guess, and nothing is taken back."""
    for bad in ("\\q", "\\uZZZZ 123456789"):
        decoder = Decoder()
        assert decoder.feed("ab") == "ab"
        assert decoder.feed(bad) == ""
        assert decoder.feed("cdefghijklmnop") == ""
        assert decoder.feed("more") == ""


@pytest.mark.parametrize("bad", ["\\q", "\\\n", "\\u12", "\\uZZZZ", "\\ud83d\\q", "\\ud83d\\u12", "\\'"])
def test_what_stands_before_an_escape_that_does_not_exist_is_decoded_at_any_cut(bad: str) -> None:
    text = f'one \\"two\\" \\u00e9 {bad} three, and \\n more'
    found = set()
    for size in (1, 2, 3, 7, len(text)):
        decoder = Decoder()
        found.add("".join(decoder.feed(text[at : at + size]) for at in range(0, len(text), size)))
    assert len(found) == 1
    assert found.pop().startswith('one "two" é ')


def test_nothing_needs_a_blank_between() -> None:
    """What stands at once behind a comma, a colon or a bracket is seen."""
    _, seen = run(['{"a":"b","c":{"d":"e","f":[["g"]]},"j":-1,"n":"o"}'])
    assert seen == [
        ("key", ("a",)),
        ("string", ("a",), "b"),
        ("key", ("c",)),
        ("key", ("c", "d")),
        ("string", ("c", "d"), "e"),
        ("key", ("c", "f")),
        ("key", ("j",)),
        ("key", ("n",)),
        ("string", ("n",), "o"),
        "COMPLETE",
    ]
    for text in ('{"a":1,"b":[2,"x"],"c":{}}', "[1,[2],{}]", '[[],{"a":[]},"x"]'):
        assert run([text])[1][-1] == run(by_char(text))[1][-1] == "COMPLETE"
        for wrong in (text.replace(",", ",,", 1), text.replace(":", "::", 1) if ":" in text else text.replace("[", "[,", 1)):
            assert run([wrong])[1][-1] == run(by_char(wrong))[1][-1] == "BROKEN"


@pytest.mark.parametrize(("cursor", "deepest"), [(Cursor, 64), (lambda: Cursor(2), 2), (lambda: Cursor(max_depth=1), 1)])
def test_the_deepest_level_is_a_level(cursor: Any, deepest: int) -> None:
    assert run(["[" * deepest + "]" * deepest], cursor())[1] == ["COMPLETE"]
    broken, seen = run(["[" * (deepest + 1)], cursor())
    assert (broken.broken, seen) == ("depth", ["BROKEN"])


def test_the_longest_string_is_told_and_a_longer_one_is_not() -> None:
    """However it comes."""
    for size, text in ((MAX_STRING, "x" * MAX_STRING), (MAX_STRING + 1, None)):
        body = '{"a": "' + "x" * size + '"}'
        for chunks in ([body], [body[at : at + 1_000] for at in range(0, len(body), 1_000)]):
            assert run(chunks)[1][1] == ("string", ("a",), text)


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ('{"a":"x\r\n`y\r`z\n`"}', [9, 12, 15]),
        ('{"a":"x\\\n`y\\\r\n`z"}', [9, 14]),
        ('{"a" 1\r\n`b\r`c\n`', [8, 11, 14]),
        ('{"a":1}\r\n`', []),
        ('{"a":"x\r\n', [9]),
    ],
)
def test_each_line_end_is_told_where_it_ends(text: str, ends: list[int]) -> None:
    """Where a fence may stand behind it. A CR and its LF are one where both are there."""

    def told(size: int) -> list[int]:
        cursor = Cursor()
        found: list[int] = []
        for start in range(0, len(text), size):
            pos = start
            while pos < min(start + size, len(text)) and not cursor.complete:
                pos = cursor.feed(text, pos, min(start + size, len(text)))
                if cursor.signal is Signal.LINE:
                    found.append(pos)
        return found

    assert told(len(text)) == ends
    assert {end for end in told(1) if text[end - 1 : end + 1] != "\r\n"} == set(ends)


def test_a_window_of_a_text_is_read_as_the_text_alone() -> None:
    """The one who feeds need not cut: an escape may end at any place of any window."""
    text = '{"tool": "wr\\"ite\\\\", "a\\n\\u00e9": ["x\\"", {"b": "\\\\\\""}], "c": "\\\\"}'
    whole = run([text])[1]
    for size in range(1, 9):
        cursor = Cursor()
        seen: list[Any] = []
        for start in range(0, len(text), size):
            pos, end = start, min(start + size, len(text))
            while pos < end:
                pos = cursor.feed(text, pos, end)
                if cursor.signal is Signal.KEY:
                    seen.append(("key", cursor.path))
                elif cursor.signal is Signal.STRING:
                    seen.append(("string", cursor.path, cursor.text))
                elif cursor.signal is Signal.COMPLETE:
                    seen.append("COMPLETE")
        assert seen == whole, size


def test_a_large_string_that_ends_past_a_window_is_read_to_the_windows_end() -> None:
    """The one who feeds may stop anywhere."""
    body = '{"a": "' + "x" * (3 * LARGE) + '", "b": 1}'
    cursor = Cursor()
    end = 2 * LARGE
    assert cursor.feed(body, cursor.feed(body, 0, end), end) == end
    assert cursor.in_string
    while (end := cursor.feed(body, end, len(body))) < len(body):
        pass
    assert cursor.complete
