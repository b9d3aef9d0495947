"""Text inside an open string is taken with one look, and nothing about a block depends on that."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from stream_guard import Guard, Limits, ToolBlock
from stream_guard.dialects.tables import of_name
from stream_guard.scan.scanner import FenceScanner
from stream_guard.scan.states import Closed, Progress, Scanned
from stream_guard.scan.string_tail import StringTail
from stream_guard.testing import by_char, every_split, merge_text
from stream_guard.tools.files import FILE_TOOLS
from stream_guard.values.preview import Preview
from tests.kit.scanning import scanner_of
from tests.kit.watching import watch

BEGINNING = '```json\n{"tool": "write_file", "path": "a", "content": "'
END = '"}\n```\n'


def opened(**settings: Any) -> FenceScanner:
    """A scanner in the open string of a block."""
    scanner = scanner_of(**settings)
    scanner.feed(BEGINNING)
    assert scanner.string_tail.decides_at
    return scanner


@pytest.mark.parametrize("text", ["x", "if (a) { b[0] }", "`", "\\n", '\\"', "\\u00e9", "\\", "a\\", "é", "\U0001f600", "  "])
def test_text_that_ends_nothing_is_taken(text: str) -> None:
    """Also escapes, one whose rest is to come, and what would be a fence at the beginning of a line."""
    scanner = opened()
    assert scanner.string_tail.take(text)
    assert scanner.held == len(BEGINNING) + len(text)


@pytest.mark.parametrize(
    "text", ["", '"', 'a"', '\\""', "\n", "\r", "a\nb", "\\\n", "\t", "\ud83d", "\udc00", "\x00", "\u2028"]
)
def test_other_text_is_not(text: str) -> None:
    """A quote, a line end, half a character, and whatever else is rare; nothing has changed then."""
    scanner = opened()
    assert not scanner.string_tail.take(text)
    assert scanner.held == len(BEGINNING)
    assert not scanner.string_tail.escaped


def test_an_escape_may_be_cut_anywhere() -> None:
    """A quote behind a backslash of an earlier piece ends nothing, and one behind two of them does."""
    tail = opened().string_tail
    assert [tail.take(piece) for piece in ("a\\", "", '"', "\\", "\\", '"')] == [True, False, True, True, True, False]


@pytest.mark.parametrize(
    "begun",
    [
        "",
        "text ",
        "```json\n",
        '```json\n{"tool": "write_file", ',
        BEGINNING + 'x", ',
        BEGINNING + "x\n",
        BEGINNING + "x\n``",
        BEGINNING + "x\r",
        BEGINNING + "\ud83d",
        BEGINNING + END,
        '```json\n{"tool": "x" "',
        "```json\n{'tool': 'x",
    ],
)
def test_nothing_is_taken_elsewhere(begun: str) -> None:
    """Outside of strings, where a line begins, behind half a character, and in what is not JSON."""
    for pieces in ([begun], by_char(begun)):
        scanner = FenceScanner(FILE_TOOLS)
        for piece in pieces:
            scanner.feed(piece)
        assert not scanner.string_tail.take("x")


def reports(pieces: Iterable[str], **settings: Any) -> list[Any]:
    scanner = scanner_of(**settings)
    found: list[Scanned] = [item for piece in pieces for item in scanner.feed(piece)]
    return merge_text(found + scanner.end())


@pytest.mark.parametrize(
    "content",
    ['say \\"hi\\" and \\\\', "a\\u00e9\\ud83d\\ude00b", "one\ntwo `x` three\n```\nfour", 'x"y', "\\x \t\u2028 end"],
)
def test_every_split_gives_the_same(content: str) -> None:
    """In strings that are valid and in broken ones."""
    text = BEGINNING + content + END + "after"
    whole = reports([text])
    assert reports(by_char(text)) == whole
    for pieces in every_split(text):
        assert reports(pieces) == whole


def test_progress_is_reported_as_soon_as_it_is_due() -> None:
    """With the delta that reaches the step, and with no other."""
    scanner = opened(watch=watch(progress=50))
    body = len(BEGINNING) - len("```json\n")
    received = []
    for number in range(1, 200):
        received += [(item.received, body + number) for item in scanner.feed("x") if isinstance(item, Progress)]
    assert received == [(place, place) for place in range(50, body + 200, 50) if place > body]


def test_every_piece_of_a_preview_leaves_at_once() -> None:
    """Its text is not collected."""
    scanner = scanner_of(watch=watch(preview="content"))
    scanner.feed(BEGINNING)
    changes = [item.preview for piece in "abc" for item in scanner.feed(piece) if isinstance(item, Progress)]
    assert changes == [(Preview("text", "/content", piece),) for piece in "abc"]


SHOWN: dict[tuple[str, ...], list[str | None]] = {
    ("ab",): ["ab"],
    (r"a\n\"", "b"): ['a\n"', "b"],
    (r"\u00e9", r"\\u"): ["é", "\\u"],
    (r"\ud83d\ude00",): ["😀"],
    ("a\\", "nb"): ["a", "\nb"],
    ("\\", '"'): [None, '"'],
    (r"\u00", "e9", "a"): [None, "é", "a"],
    (r"\ud83d", "\\", "ude00", "a"): [None, None, "😀", "a"],
    ("a\\", "xb", "c"): ["a", None, None],
    (r"a\xb", "c", r"\n"): ["a", None, None],
    (r"\ud83d", "a", "b"): [None, None, None],
    (r"a\ude00", "b"): ["a", None],
}
"""Pieces of a string, and what each shows: what is cut with the piece that ends it, what stands before what is invalid, and
nothing behind that."""


@pytest.mark.parametrize("pieces", SHOWN)
def test_a_preview_shows_escapes_without_the_cursor(pieces: tuple[str, ...]) -> None:
    scanner = scanner_of(watch=watch(preview="content"))
    scanner.feed(BEGINNING + "x")
    found = [[report.preview for report in scanner.feed(piece) if isinstance(report, Progress)] for piece in pieces]
    assert found == [[] if shown is None else [(Preview("text", "/content", shown),)] for shown in SHOWN[pieces]]
    assert scanner.string_tail.pieces == [*pieces]


def test_a_limit_is_reached_at_its_character() -> None:
    """Whatever was taken before."""
    room = len(BEGINNING) - len("```json\n") + 10
    for size in (1, 3, 100):
        text = BEGINNING + "x" * 100 + END
        found = reports([text[at : at + size] for at in range(0, len(text), size)], limits=Limits(max_block=room))
        (block,) = [item.block for item in found if isinstance(item, Closed)]
        assert block.end_cause == "oversize"
        assert len(block.body) == room


def test_overflow_ends_the_block_at_the_next_character() -> None:
    """And what was taken is in it."""
    scanner = opened()
    scanner.feed("abc")
    scanner.overflow()
    (closed,) = [item for item in scanner.feed("d") if isinstance(item, Closed)]
    assert closed.block.raw == BEGINNING + "abc"


def test_nothing_that_was_taken_is_lost() -> None:
    """Where the stream ends, and where the guard fails."""
    for leave in (FenceScanner.end, FenceScanner.abandon):
        scanner = opened()
        scanner.feed("abc\\")
        left = "".join(
            item if isinstance(item, str) else item.block.raw for item in leave(scanner) if isinstance(item, str | Closed)
        )
        assert left == BEGINNING + "abc\\"


def test_the_cursor_reads_few_deltas_of_a_long_string() -> None:
    """One in a thousand, however the string goes on: with code and escapes, announced or not, with and without progress."""
    code = 'if (a) { return \\"b\\"; }\\n' * 4_000
    for beginning in (BEGINNING, '```json\n{"content": "'):
        for progress in (None, 10_000):
            scanner = scanner_of(watch=watch(progress=progress))
            scanner.feed(beginning)
            seen = 0
            for at in range(0, len(code), 4):
                piece = code[at : at + 4]
                if not scanner.string_tail.take(piece):
                    scanner.feed(piece)
                    seen += 1
            assert seen <= len(code) / 4_000 + 12, (beginning, progress, seen)


def test_so_it_does_where_a_call_may_be_aborted() -> None:
    """With previews too: only what completes a window is searched for repetition."""
    code = "".join(f'if (a) {{ return \\"{number}\\"; }}\\n' for number in range(4_000))
    for preview in (False, True):
        scanner = scanner_of(watch=watch(early="abort", preview=preview))
        scanner.feed(BEGINNING)
        pieces = [code[at : at + 4] for at in range(0, len(code), 4)]
        read = [piece for piece in pieces if not scanner.string_tail.take(piece) and scanner.feed(piece) is not None]
        assert len(read) <= len(code) / 2_000 + 12


CODE = 'if (a) { return \\"b\\"; }\\n' * 2_000


@pytest.mark.parametrize(
    "name", ["hermes", "qwen3_coder", "minimax_m2", "glm45", "kimi_k2", "mistral", "gemma4", "pythonic", "lfm2"]
)
def test_the_cursor_of_a_dialect_reads_few_deltas_of_a_long_value(name: str) -> None:
    """And the events are those of the whole text, at any cut; nothing is lost where the text ends in the value."""
    dialect = of_name(name)
    whole = dialect.write([("write_file", {"path": "a", "content": CODE})])
    guard = Guard(FILE_TOOLS, dialects=[name])
    wanted = [item for item in guard.scan([whole]) if isinstance(item, ToolBlock)]
    for size in (1, 4, 7):
        session, seen, found = guard.session(asks=False), 0, list[Any]()
        for at in range(0, len(whole), size):
            piece = whole[at : at + size]
            if not session.string_tail.take(piece):
                found += session.feed(piece)
                seen += 1
        found += session.end()
        assert [replace(item, id="", seq=0) for item in found if isinstance(item, ToolBlock)] == [
            replace(item, id="", seq=0) for item in wanted
        ]
        assert seen <= len(whole) / 4_000 + 200 / size, (name, size, seen)
    begun = whole[: len(whole) // 2]
    left = list(guard.scan([begun[at : at + 4] for at in range(0, len(begun), 4)]))
    assert "".join(item if isinstance(item, str) else getattr(item, "raw", "") for item in left) == begun


def test_it_takes_nothing_until_it_is_told_where_to_decide() -> None:
    """As it is made, and behind what was handed over."""
    tail = StringTail()
    assert not tail.take("x")
    tail.decides_at = 3
    assert [tail.take("x") for _ in range(3)] == [True, True, False]
    assert (tail.size, tail.taken()) == (2, ["x", "x"])
    assert (tail.decides_at, tail.size, tail.pieces) == (0, 0, [])
