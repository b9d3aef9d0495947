"""The scanner's machine: its table, its buffer, its doubts."""

from __future__ import annotations

from typing import Any

import pytest

from stream_guard import Limits
from stream_guard.scanner import (
    TRANSITIONS,
    Accepted,
    Block,
    Closed,
    FenceScanner,
    IllegalTransition,
    Named,
    Opened,
    Progress,
    Released,
    Scanned,
    Seen,
    State,
)
from stream_guard.testing import by_char, every_split, merge_text
from stream_guard.tools.files import FILE_TOOLS

CALL = '{"tool": "delete_file", "path": "a"}'


def scan(*chunks: str, **settings: Any) -> list[Any]:
    scanner = FenceScanner(FILE_TOOLS, **settings)
    out: list[Scanned] = []
    for chunk in chunks:
        out += scanner.feed(chunk)
    return merge_text(out + scanner.end())


def block(items: list[Any]) -> Block:
    (closed,) = [item for item in items if isinstance(item, Closed)]
    assert isinstance(closed, Closed)
    return closed.block


def test_every_state_has_its_ways_and_every_way_a_state() -> None:
    """Each state can be left, reached and explained; a way that is not in the table is an error that names both ends."""
    assert set(TRANSITIONS) == set(State)
    reached = {after for ways in TRANSITIONS.values() for after in ways.values()}
    assert reached == set(State)
    assert {seen for ways in TRANSITIONS.values() for seen in ways} == set(Seen)
    scanner = FenceScanner(FILE_TOOLS)
    for state in State:
        for seen in set(Seen) - set(TRANSITIONS[state]):
            scanner.state = state
            with pytest.raises(IllegalTransition, match=rf"^no transition from {state.name} on {seen.name}$"):
                scanner._go(seen)


def test_the_news_of_a_block_come_in_order() -> None:
    """Opened, accepted as soon as its tool is known, named as soon as its path is, closed."""
    assert scan(f"a\n```json\n{CALL}\n```\nb") == [
        "a\n",
        Opened(),
        Accepted("delete_file", None),
        Named("delete_file", "a"),
        Closed(Block(f"```json\n{CALL}\n```", CALL + "\n", "closed", ambiguous=False, canonical=True)),
        "\nb",
    ]


def test_an_example_streams_on_after_its_first_foreign_key() -> None:
    """What was held of it comes at once, with the reason."""
    scanner = FenceScanner(FILE_TOOLS)
    assert scanner.feed('```json\n{"name": "demo", "version') == [Opened()]
    assert scanner.feed('"') == [Released("foreign_key"), '```json\n{"name": "demo", "version', '"']
    assert scanner.feed(": 1}\n``") == [": 1}\n``"]
    assert scanner.feed("`\n") == ["`\n"]
    assert scanner.state is State.LINE


@pytest.mark.parametrize(
    ("end", "after"),
    [
        ("\n```\n", State.LINE),
        ("```\n", State.LINE),
        ("\n````\n", State.LINE),
        ("\n~~~\n", State.FENCED_LINE),
        (" x```\n", State.FENCED_LINE),
    ],
)
def test_a_released_block_ends_where_its_fence_does(end: str, after: State) -> None:
    """So that the next block is found; also when its closer follows the last brace."""
    text = f'```json\n{{"name": "demo", "version": 1}}{end}'
    for chunks in ([text], by_char(text)):
        scanner = FenceScanner(FILE_TOOLS)
        for chunk in chunks:
            scanner.feed(chunk)
        assert scanner.state is after


@pytest.mark.parametrize(
    ("cut_at", "cause", "given"),
    [(8, "length", "length"), (20, "disconnect", "stop"), (30, "error", "error"), (44, "content_filter", "content_filter")],
)
def test_a_block_that_the_stream_ends_in_says_so(cut_at: int, cause: str, given: Any) -> None:
    """With all that came of it."""
    text = f"```json\n{CALL}\n```"[:cut_at]
    scanner = FenceScanner(FILE_TOOLS, untagged="validate")
    items = [*scanner.feed(text), *scanner.end(given)]
    assert block(items).end_cause == cause
    assert block(items).raw == text
    assert scanner.state is State.LINE
    assert scanner.feed("next") == ["next"]


def test_a_closing_fence_at_the_very_end_closes() -> None:
    """A quarter of all replies end on one, without a line end."""
    for text in (f"```json\n{CALL}\n```", f"```json\n{CALL}```", f"```json\n{CALL}\n```  "):
        assert block(scan(text)).end_cause == "closed"
        assert block(scan(text)).raw == text


def test_an_oversize_body_ends_the_block_at_the_bound_and_text_goes_on() -> None:
    """The rest, up to the closing fence, is text."""
    body = '{"tool": "write_file", "path": "a", "content": "' + "x" * 100 + '"}'
    text = f"```json\n{body}\n```\nafter\n```json\n{CALL}\n```"
    for chunks in every_split(text):
        items = scan(*chunks, limits=Limits(max_block=60))
        first, second = [item.block for item in items if isinstance(item, Closed)]
        assert (first.end_cause, len(first.body)) == ("oversize", 60)
        assert second.end_cause == "closed"
        assert [item for item in items if isinstance(item, str)] == [body[60:] + "\n```\nafter\n"]


README = "# T\n\n```\nls\n```\n\nsay {}\n"


def write(content: str, end: str = '"}\n```\nafter\n') -> str:
    return '```json\n{"tool": "write_file", "path": "R.md", "content": "' + content + end


@pytest.mark.parametrize(
    ("text", "raw_ends", "ambiguous", "rest"),
    [
        # The string ends well after the nested fences: they belong to it.
        (write("# T\n\n```\nls\n```\n\nend\n"), '"}\n```', False, "\nafter\n"),
        (write('# T\n\n```sh\nls\n```\n\nsay "hi"\n'), '"}\n```', False, "\nafter\n"),
        (write('say "hi"\n\n```\nls\n```\nend\n'), '"}\n```', False, "\nafter\n"),
        (write("```py\nif x: {}\n```\nend\n"), '"}\n```', False, "\nafter\n"),
        (write("abc\n", "```\n"), "abc\n```", False, "\n"),
        # The quote was forgotten: the first closing fence is the end, and the rest is text again.
        (write("abc\n", "```\nafter\nmore"), "abc\n```", True, "\nafter\nmore"),
        (write("abc\n", "```\nafter\n```py\nx\n```\n"), "abc\n```", True, "\nafter\n```py\nx\n```\n"),
        (write("abc\n}\n", "```\nafter\n"), "abc\n}\n```", True, "\nafter\n"),
        # It ends like a call, or stands where no lines can be: closed at once, with nothing read ahead.
        ("```json\n{'tool': 'delete_file', 'path': 'a'}\n```\nafter\n", "'a'}\n```", False, "\nafter\n"),
        (write('say "hi"\n'), '"}\n```', False, "\nafter\n"),
        ('```json\n{"tool": "delete_file", "path": "a\n```\nafter\n', "a\n```", False, "\nafter\n"),
        ('```json\n{"tool": "delete_file", "path": "a"\n```\nafter\n', '"a"\n```', False, "\nafter\n"),
        ('```json\n{"tool": "delete_file", "pa\n```\nafter\n', '"pa\n```', False, "\nafter\n"),
        # A doubtful fence that is not closed again, and something like an end far behind it in a code sample.
        (write("abc\n", "```\nRun:\n```\nfoo() {\n}\n```\nafter\n"), "abc\n```", True, "\nRun:\n```\nfoo() {\n}\n```\nafter\n"),
    ],
)
def test_a_fence_line_in_an_open_string(text: str, raw_ends: str, ambiguous: bool, rest: str) -> None:
    """Closes the block unless the string can still end well; an unclosed quote does not swallow the reply."""
    for chunks in ([text], by_char(text)):
        items = scan(*chunks)
        found = block(items)
        assert found.raw.endswith(raw_ends)
        assert found.ambiguous is ambiguous
        assert found.raw + "".join(item for item in items if isinstance(item, str)) == text
        assert items[-1] == rest


def test_two_blocks_never_merge_when_the_first_lacks_a_quote() -> None:
    """The opener of the second settles the doubt."""
    first = write("abc\n", "```")
    text = f"{first}\nprose\n```json\n{CALL}\n```\n"
    for chunks in every_split(text):
        one, two = [item.block for item in scan(*chunks) if isinstance(item, Closed)]
        assert one.raw == first
        assert one.ambiguous
        assert two.body == CALL + "\n"


def test_reading_ahead_is_bounded() -> None:
    """Past `lookahead` the text is let go, and blocks in it are found."""
    text = write("abc\n", "```\n") + "x" * 50 + f"\n```json\n{CALL}\n```\n"
    for bound in (1, 10, 40):
        for chunks in ([text], by_char(text)):
            one, two = [item.block for item in scan(*chunks, limits=Limits(lookahead=bound)) if isinstance(item, Closed)]
            assert one.ambiguous
            assert two.body == CALL + "\n"
    scanner = FenceScanner(FILE_TOOLS, limits=Limits(lookahead=10))
    scanner.feed(write("abc\n", "```\n12345678"))
    assert any(isinstance(item, Closed) for item in scanner.feed("90"))


def test_untagged_blocks_are_ours_when_asked_for() -> None:
    """`untagged="validate"` takes every block of the language."""
    assert block(scan('```json\n{"name": "demo"}\n```\n', untagged="validate")).body == '{"name": "demo"}\n'
    assert block(scan("```json\n```\n", untagged="validate")).body == ""


def test_progress_and_previews_are_told_when_asked_for() -> None:
    """Every so many characters, and each piece of the field as it is written."""
    text = write("line 1\\nl\\u00e9 \\ud83d\\ude00")
    items = [item for item in scan(*by_char(text), progress=20, preview="content") if isinstance(item, Progress)]
    assert "".join(item.preview for item in items) == "line 1\nlé 😀"
    marks = [item.received for item in scan(*by_char(text), progress=20) if isinstance(item, Progress)]
    assert marks == [21, 40, 60, 80]  # by the first the tool was known


def test_giving_up_loses_nothing_and_ends_the_block() -> None:
    """After a fault of ours everything held leaves as text."""
    scanner = FenceScanner(FILE_TOOLS)
    scanner.feed("a\n```json\n{")
    scanner._out = []
    assert scanner.abandon() == [Released("guard_error"), "```json\n{"]
    assert scanner.feed("\n```\n```json\n") == ["\n```\n", Opened()]  # the fence it was in is still known
    scanner = FenceScanner(FILE_TOOLS)
    scanner.feed("a\ud83d")
    scanner._out = []
    assert scanner.abandon() == ["\ud83d"]


def test_many_blocks_in_one_delta_are_all_found() -> None:
    """Drained fully, whatever one delta holds."""
    text = f"```json\n{CALL}\n```\nand\n" * 500
    items = scan(text)
    assert len([item for item in items if isinstance(item, Closed)]) == 500
    assert scan(*[text[i : i + 1000] for i in range(0, len(text), 1000)]) == items
