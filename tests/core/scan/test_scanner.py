"""The scanner's machine: its table, its buffer, its doubts."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from stream_guard import Limits, StreamEnd
from stream_guard.scan.followers import HEAD
from stream_guard.scan.scanner import FenceScanner
from stream_guard.scan.states import (
    TRANSITIONS,
    Accepted,
    Closed,
    IllegalTransition,
    Named,
    Opened,
    Progress,
    Released,
    Scanned,
    Seen,
    State,
)
from stream_guard.scan.unended import UNREAD
from stream_guard.testing import by_char, every_split, merge_text, random_splits
from stream_guard.tools.files import FILE_TOOLS
from stream_guard.values.block import Block
from stream_guard.values.preview import Preview, previewed
from tests.kit.scanning import scanner_of
from tests.kit.watching import watch

CALL = '{"tool": "delete_file", "path": "a"}'


def scan(*chunks: str, **settings: Any) -> list[Any]:
    scanner = scanner_of(**settings)
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
            with pytest.raises(IllegalTransition, match=rf"^the scanner has no transition from {state.name} on {seen.name}$"):
                scanner._go(seen)


def test_the_news_of_a_block_come_in_order() -> None:
    """Opened, accepted as soon as its tool is known, named as soon as its path is, closed."""
    assert scan(f"a\n```json\n{CALL}\n```\nb") == [
        "a\n",
        Opened(),
        Accepted("delete_file", None),
        Named("delete_file", "a"),
        Closed(Block(f"```json\n{CALL}\n```", CALL + "\n", "closed", ambiguous=False, canonical=True, complete=True)),
        "\nb",
    ]


def test_a_name_key_names_the_tool_of_a_call() -> None:
    """As a tool key does, once it is certain that the block is a call."""
    body = '{"name": "delete_file", "arguments": {"path": "a"}}'
    names = [item for item in scan(f"```json\n{body}\n") if isinstance(item, Accepted | Named)]
    assert names == [Accepted("delete_file", None), Named("delete_file", "a")]


def test_a_field_that_no_tool_has_is_shown_beside_the_key_tool_alone() -> None:
    """There it is an argument; beside another key it may be a part of the envelope."""
    for key, shown in (("tool", ["/note", "/path"]), ("function_call", ["/path"])):
        items = scan(f'```json\n{{"{key}": "delete_file", "note": "x", "path": "a"}}\n```', watch=watch(preview=True))
        assert [one.pointer for item in items if isinstance(item, Progress) for one in item.preview] == shown


def test_an_example_streams_on_after_its_first_foreign_key() -> None:
    """What was held of it comes at once, with the reason."""
    scanner = FenceScanner(FILE_TOOLS)
    assert scanner.feed('```json\n{"name": "demo", "scripts') == [Opened()]
    assert scanner.feed('"') == [Released("foreign_key"), '```json\n{"name": "demo", "scripts', '"']
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
    scanner = scanner_of(untagged="validate")
    items = [*scanner.feed(text), *scanner.end(given)]
    assert block(items).end_cause == cause
    assert block(items).raw == text
    assert scanner.state is State.START
    assert scanner.feed("next") == ["next"]


def test_a_closing_fence_at_the_very_end_closes() -> None:
    """A quarter of all replies end on one, without a line end."""
    for text in (f"```json\n{CALL}\n```", f"```json\n{CALL}```", f"```json\n{CALL}\n```  ", f"```json\n{CALL}         ```"):
        assert block(scan(text)).end_cause == "closed"
        assert block(scan(text)).raw == text


@pytest.mark.parametrize("text", ["  ", "a\n \t", "```py\n  ", "- a\n  ", "```json\n  ", f"```json\n{CALL}\n  "])
def test_a_reply_may_end_on_blanks(text: str) -> None:
    """Nothing is lost of them."""
    for chunks in every_split(text):
        items = scan(*chunks)
        held = [item.block.raw for item in items if isinstance(item, Closed)]
        assert "".join([*(item for item in items if isinstance(item, str)), *held]) == text


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


def test_a_body_that_ends_at_the_bound_is_oversize_however_it_is_cut() -> None:
    for most, cause in ((len(CALL), "oversize"), (len(CALL) + 1, "closed")):
        for chunks in every_split(f"```json\n{CALL}\n```\n"):
            (ended,) = [item.block for item in scan(*chunks, limits=Limits(max_block=most)) if isinstance(item, Closed)]
            assert ended.end_cause == cause, chunks


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
        (write("```py\nx\n```js\ny\n```\nend\n"), '"}\n```', False, "\nafter\n"),
        (write("````md\n```\nls\n```\n````\nend\n"), '"}\n```', False, "\nafter\n"),
        (write("\n```py\nx\n```js\ny\n```\nend\n"), '"}\n```', False, "\nafter\n"),
        (write("\n````md\n```\nls\n```\n````\nend\n"), '"}\n```', False, "\nafter\n"),
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
        ('```json\n{"tool": "delete_file\n```\nafter\n', "delete_file\n```", False, "\nafter\n"),
        ('```json\n{"args": {"path": "a"}, "name": "delete_file\n```\nafter\n', "delete_file\n```", False, "\nafter\n"),
        ("```json\n[{'tool': 'delete_file', 'path': 'a'}]\n```\nafter\n", "'a'}]\n```", False, "\nafter\n"),
        # A fence cannot open inside an open one: so the bare one before it was the end, whatever comes later.
        (write("abc\n", '```\nafter\n```py\nx\n```\n"}\n```\n'), "abc\n```", True, '\nafter\n```py\nx\n```\n"}\n```\n'),
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
    scanner = scanner_of(limits=Limits(lookahead=10))
    scanner.feed(write("abc\n", "```\n12345678"))
    assert any(isinstance(item, Closed) for item in scanner.feed("90"))


def test_untagged_blocks_are_ours_when_asked_for() -> None:
    """`untagged="validate"` takes every block of the language."""
    assert block(scan('```json\n{"name": "demo"}\n```\n', untagged="validate")).body == '{"name": "demo"}\n'
    assert block(scan("```json\n```\n", untagged="validate")).body == ""
    assert scan('```json\n{"name": "demo"}\n```\n', untagged="validate")[:2] == [Opened(), Accepted(None, None)]


CLOSERS = [
    ("```json", "~~~"),
    ("~~~json", "```"),
    ("````json", "```"),
    ("~~~~json", "~~~"),
    ("```json", "``"),
    ("```json", " ``\t"),
    ("```json", "         ```"),
    ("```json", "\t~~~~"),
]


@pytest.mark.parametrize(("opener", "closer"), CLOSERS)
def test_behind_a_complete_value_any_fence_on_a_line_of_its_own_closes(opener: str, closer: str) -> None:
    """Of whatever kind, however short, however deep. Two backticks close where their line ends, and not before."""
    text = f"{opener}\n{CALL}\n{closer}\nafter"
    for chunks in every_split(text):
        items = scan(*chunks)
        found = block(items)
        assert (found.raw, found.body) == (text.removesuffix("\nafter"), CALL + "\n")
        assert (found.end_cause, found.ambiguous, items[-1]) == ("closed", False, "\nafter")


@pytest.mark.parametrize(("opener", "closer"), CLOSERS)
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\\n"])
def test_in_a_string_such_a_fence_ends_nothing(opener: str, closer: str, line_end: str) -> None:
    """Whatever a text is made of: a block ends behind its value. A fence of its own kind may end it, but only uncertainly."""
    if closer.strip()[0] == opener[0] and len(closer.strip()) >= len(opener) - 4 and not closer.startswith(" " * 9):
        return
    body = f'{{"tool": "write_file", "path": "a", "content": "x{line_end}{closer}{line_end}y"}}'
    text = f"{opener}\n{body}\n{opener.removesuffix('json')}\nafter"
    for chunks in every_split(text):
        found = block(scan(*chunks))
        assert (found.body, found.ambiguous) == (body + "\n", False)


@pytest.mark.parametrize("line", ["`", "`` x", "``x``", "~~", "words ```", "  x", "-```", "> ```", "` ``", "~~ ~"])
def test_what_is_no_fence_behind_a_complete_value_closes_nothing(line: str) -> None:
    """The value goes on into something that is no JSON."""
    text = f"```json\n{CALL}\n{line}\n```\nafter"
    for chunks in every_split(text):
        assert block(scan(*chunks)).raw == text.removesuffix("\nafter")


@pytest.mark.some(8)
@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (" Done.", "```"), ("<|im_end|>", "```"), (".", "```"), (" I have deleted `a`.", "```"), ("end", "```"), ("  ;", "```"),
        (" Now, on to the next:", "```"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("before", ["\n", "", "\n      "])
def test_words_behind_a_closing_fence_are_prose(words: str, kept: str, before: str) -> None:
    """Behind a complete value a fence with words that open nothing closes; the words follow the block as text."""
    text = f"```json\n{CALL}{before}```{words}\n\n```json\n{CALL}\n```"
    for chunks in every_split(text):
        items = scan(*chunks)
        first, second = (item.block for item in items if isinstance(item, Closed))
        assert first.raw == f"```json\n{CALL}{before}{kept}"
        assert (first.end_cause, first.ambiguous, second.ambiguous) == ("closed", False, False)
        assert [item for item in items if isinstance(item, str)] == [words + "\n\n"]


_WRITE = '{"tool": "write_file", "path": "a", "content": "x"'


@pytest.mark.some(10)
@pytest.mark.parametrize(
    "body",
    [
        _WRITE + ",}\n",
        _WRITE + "\n",
        _WRITE[:-1] + "\n",
        _WRITE + "} and so on\n",
        '[{"tool": "delete_file", "path": "a"},]\n',
        "{'tool': 'delete_file', 'path': 'a', 'missing_ok': True}\n",
        '{"tool": "write_file", "path": "a", "content": "say "hi" {}"}\n',
        '{"tool": "delete_file", "path": "a\n',
        'delete_file(path="a")\n',
    ],
)
@pytest.mark.parametrize("words", [" Done.", "<|im_end|>", " I have deleted it."])
def test_words_behind_a_closing_fence_change_nothing_where_the_json_is_broken(words: str, body: str) -> None:
    """The block is the one that a fence without words ends, and what follows is prose, as behind that."""
    before, after = f"Now:\n```json\n{body}```", f"\n\nAnd `b`:\n```json\n{CALL}\n```"
    expected = scan(before + after)
    ended = next(place for place, item in enumerate(expected) if isinstance(item, Closed))
    said = expected[ended + 1]
    if isinstance(said, str):
        expected[ended + 1] = words + said
    for chunks in every_split(before + words + after):
        assert scan(*chunks) == expected, chunks


@pytest.mark.some(5)
@pytest.mark.parametrize("body", ["# T\n", "[x]\n", '{"id": "a" "b"}\n', '{"id": {"id": 1},}\n', '{"id": "1"\n'])
@pytest.mark.parametrize("words", [" so then", "rust,ignore", " `a`"])
def test_words_close_no_block_that_is_no_call(words: str, body: str) -> None:
    """There they are the info string of CommonMark, with which no fence closes: a call behind it is quoted."""
    text = f"```json\n{body}```{words}\n```json\n{CALL}\n```\nafter\n```json\n{CALL}\n```\n"
    for chunks in every_split(text):
        found = block(scan(*chunks))
        assert found.raw == f"```json\n{CALL}\n```"
        assert "".join(item for item in scan(*chunks) if isinstance(item, str)).endswith("after\n\n"), chunks


@pytest.mark.parametrize("mark", ["rust,ignore", "{r}", " Done."])
def test_a_fence_line_with_words_may_stand_in_a_text(mark: str) -> None:
    """A text goes on behind it if it is closed later, and else for as long as it does behind a fence without words."""
    whole = write(f"# T\n\n```{mark}\nlet x;\n```\n\nend\n")
    lost = write("abc\n", f"```{mark}\nafter\n")
    for chunks in ([whole], by_char(whole)):
        found = block(scan(*chunks))
        assert (found.raw, found.ambiguous) == (whole.removesuffix("\nafter\n"), False)
    for chunks in every_split(lost):
        items = scan(*chunks)
        assert (block(items).raw, block(items).ambiguous) == (write("abc\n", "```"), True)
        assert items[-1] == f"{mark}\nafter\n"
    assert block(scan(lost, "x" * 40, limits=Limits(lookahead=20))).raw == write("abc\n", "```")


def test_a_line_that_begins_with_code_between_backticks_may_stand_in_a_text() -> None:
    """It is inline code, and no fence: a fence that opens behind it settles nothing."""
    text = write("```ls``` lists.\n\n```sh\nls\n```\nend\n")
    for chunks in ([text], by_char(text)):
        found = block(scan(*chunks))
        assert (found.raw, found.ambiguous) == (text.removesuffix("\nafter\n"), False)


@pytest.mark.parametrize("opener", ["```python", "~~~", "```py title=x", "````js {1,2}", "```json", "~~~json"])
def test_a_fence_that_opens_behind_a_complete_value_ends_it_uncertainly(opener: str) -> None:
    """The closer was forgotten. What opens there is read as what it is."""
    closer = opener[: len(opener) - len(opener.lstrip("`~"))]
    text = f"```json\n{CALL}\n{opener}\nx\n{closer}\nafter\n```json\n{CALL}\n```"
    for chunks in every_split(text):
        found = [item.block for item in scan(*chunks) if isinstance(item, Closed)]
        if opener == "~~~":  # without a word it closes
            assert (found[0].raw, found[0].ambiguous) == (f"```json\n{CALL}\n~~~", False)
        else:
            assert (found[0].raw, found[0].ambiguous, found[-1].body) == (f"```json\n{CALL}\n", True, CALL + "\n")


ENDS: tuple[StreamEnd, ...] = get_args(StreamEnd)


def ended(*chunks: str, cause: StreamEnd) -> Block:
    scanner = FenceScanner(FILE_TOOLS)
    return block([item for chunk in chunks for item in scanner.feed(chunk)] + scanner.end(cause))


@pytest.mark.parametrize("tail", ["", "\n", "\n\n  ", "\n`", "\n``", "``", "`", "\n~", "\n   ``", "\r\n`"])
def test_a_complete_value_without_a_fence_ends_by_stop_only_where_that_was_said(tail: str) -> None:
    """Half a closing fence is none, and no part of the body."""
    text = f"```json\n{CALL}{tail}"
    for cause in ENDS:
        for chunks in every_split(text):
            found = ended(*chunks, cause=cause)
            assert (found.raw, found.body.strip(), found.complete) == (text, CALL, True)
            assert found.end_cause == ("disconnect" if cause == "unknown" else cause)
            assert found.ended is (cause == "stop")


@pytest.mark.parametrize(
    "body",
    [
        CALL[:-1],
        CALL[:-2],
        CALL[:-4],
        f"[{CALL}",
        f"{CALL},",
        f"{CALL}\nwords",
        f"{CALL[:-1]},",
        "",
        "{",
        "[" + CALL + ",",
        "words }",
    ],
)
def test_a_value_that_is_not_complete_never_ends_by_stop(body: str) -> None:
    """The reply stopped inside it."""
    for cause in ENDS:
        for chunks in every_split(f"```json\n{body}"):
            scanner = scanner_of(untagged="validate")
            found = block([item for chunk in chunks for item in scanner.feed(chunk)] + scanner.end(cause))
            assert not found.ended
            assert found.end_cause == ("disconnect" if cause in ("stop", "unknown") else cause)


def test_progress_and_previews_are_told_when_asked_for() -> None:
    """Every so many characters, and each piece of the field as it is written."""
    text = write("line 1\\nl\\u00e9 \\ud83d\\ude00")
    items = [item for item in scan(*by_char(text), watch=watch(progress=20, preview="content")) if isinstance(item, Progress)]
    assert previewed(change for item in items for change in item.preview) == {"content": "line 1\nlé 😀"}
    (whole,) = (item for item in scan(text, watch=watch(preview="content")) if isinstance(item, Progress))
    assert whole.preview == (Preview("value", "/content", "line 1\nlé 😀"),)
    marks = [item.received for item in scan(*by_char(text), watch=watch(progress=20)) if isinstance(item, Progress)]
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


@pytest.mark.parametrize(
    "first", ["", "Words\n", f"```json\n{CALL}\n```\n", '```json\n{"tool": ', "<think>so", "- one\n  two", "a\r"]
)
@pytest.mark.parametrize("ends", [1, 2])
@pytest.mark.parametrize("reasoning", ["skip", "scan", "inside"])
def test_a_text_that_has_ended_leaves_nothing_to_the_next(first: str, ends: int, reasoning: Any) -> None:
    """Though what it leaves is cleared only when the next one begins. Nothing follows an end but another text."""
    used, fresh = scanner_of(reasoning=reasoning), scanner_of(reasoning=reasoning)
    used.feed(first)
    used.end()
    for _ in range(ends - 1):
        assert used.end() == []
    assert not (used.holding or used.held or used.line_is_inert or used.in_line)
    for text in ("    ```json\n", "\nMore.\n", f"```json\n{CALL}\n```\n", "</think> and so on\n"):
        assert used.feed(text) == fresh.feed(text)
    assert used.end() == fresh.end()


def heard(text: str, **settings: Any) -> list[tuple[int, Scanned]]:
    """Everything but text, and after how many characters it was said."""
    scanner = scanner_of(**settings)
    return [(at, item) for at, char in enumerate(text, 1) for item in scanner.feed(char) if not isinstance(item, str)]


@pytest.mark.parametrize(
    ("body", "at", "said"),
    [
        # Words, and no tool among the first 256 characters: a text in a json fence.
        ("words " * 60, 256, Released("not_an_object")),
        ("words " * 42 + "abcdelete_file", 256, Released("not_an_object")),
        ("{version 1, " + "words " * 60, 256, Released("not_json")),
        # A tool's name, whole at the last of them.
        ("words " * 38 + "path=a, words:  delete_file " + "x" * 40, 256, Accepted(None, None)),
        # A key that says tool and a field, which were read before it broke, say it at once. A field alone says nothing.
        ('{"path": "a", "tool": b', 23, Accepted(None, "a")),
        ('{"path": "a" b' + "x" * 300, 256, Released("not_json")),
    ],
)
def test_what_is_no_json_is_judged_by_how_it_begins(body: str, at: int, said: Scanned) -> None:
    """At the character that decides, however the text is cut; and what is ours goes on to its fence."""
    opener = "```json\n"
    news = [(place - len(opener), item) for place, item in heard(opener + body) if not isinstance(item, Opened | Named)]
    assert news == [(at, said)]
    scanner = FenceScanner(FILE_TOOLS)
    scanner.feed(opener)
    first = [item for item in scanner.feed(body[:at]) if not isinstance(item, str | Named)]
    assert first == [said]
    assert scanner.holding is isinstance(said, Accepted)
    rest = [*scanner.feed(body[at:] + "\n```\nafter"), *scanner.end()]
    if isinstance(said, Accepted):
        assert block(rest).end_cause == "closed"
        assert block(rest).body == body + "\n"
    assert str(merge_text(rest)[-1]).endswith("\nafter")
    assert scanner.feed("\n```json\n")[-1] == Opened()


@pytest.mark.parametrize(
    ("body", "at", "said"),
    [
        ('{"name": "' + "x" * 200, 60, Released("no_tool")),
        ('{"action": "write_file", "content": "' + "x" * 200, 60, None),
        ('{"tool": "write_file", "content": "' + "x" * 200, 60, None),
    ],
)
def test_at_the_bound_it_is_decided_whose_block_it_is(body: str, at: int, said: Released | None) -> None:
    """What is nobody's flows on; what is a call ends there."""
    opener = "```json\n"
    for chunks in ([opener + body], by_char(opener + body), [opener, body[:at], body[at:]]):
        scanner = scanner_of(limits=Limits(max_block=60))
        items = [item for chunk in chunks for item in scanner.feed(chunk)]
        if said is None:
            assert block(items).end_cause == "oversize"
        else:
            assert [item for item in items if isinstance(item, Released)] == [said]
        assert merge_text(items)[-1] == (body[60:] if said is None else opener + body)
        assert scanner.state is State.FENCED
        assert scanner.feed("\n```\n```json\n")[-1] == Opened()
    news = [place - len(opener) for place, _ in heard(opener + body, limits=Limits(max_block=60))]
    assert news[-1] == (at if said else at + 1)


@pytest.mark.parametrize("blank", ["", " ", "\t ", "\r\n", "\n"])
@pytest.mark.parametrize("body", ['{"path": "x"}', '{"path":\n["x"]}', '[{"path": "x"}\n]'])
def test_a_block_released_at_its_last_brace_ends_where_its_fence_does(body: str, blank: str) -> None:
    """It has nothing to say what it is but its end; and its fence may follow at once, or begin a line."""
    text = f"```json\n{body}{blank}```\nafter\n```json\n{CALL}\n```"
    for chunks in every_split(text):
        items = scan(*chunks)
        assert [item for item in items if isinstance(item, Released)] == [Released("no_tool")]
        assert block(items).body == CALL + "\n"
        assert f"{body}{blank}```\nafter\n" in "".join(item for item in items if isinstance(item, str))


def test_a_fence_in_a_string_of_a_block_that_is_nobodys_is_its_end() -> None:
    """It was read ahead to see whether the string goes on; then a key says that it is no call, and all of it flows."""
    text = f'```json\n{{"content": "abc\n```\nmore", "scripts": 1}}\nafter\n\n```json\n{CALL}\n```'
    for chunks in every_split(text):
        items = scan(*chunks)
        assert items[:3] == [Opened(), Released("foreign_key"), text[: text.index(f"```json\n{CALL}")]]
        assert block(items).body == CALL + "\n"


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        (f"   ```json\n{CALL[:-1]}\n      ```\nafter", False),
        (f"   ```json\n{CALL[:-1]}\n    ```\nafter", False),
        (f" ```json\n{CALL}\n   ```\nafter", True),
        (f"- a\n\n     ```json\n{CALL}\n        ```\nafter", True),
        (f"- a\n\n     ```json\n{CALL[:-1]}\n         ```\nafter", False),
        (f"- a\n\n     ```py\n\n        ```\n```json\n{CALL}\n```\nafter", True),
        (f"- a\n\nb\n     ```json\n{CALL}\n     ```\nafter", None),
        (f"- a\nb\n     ```json\n{CALL}\n     ```\nafter", True),
        (f"- a\n# b\n     ```json\n{CALL}\n     ```\nafter", None),
    ],
)
def test_how_deep_a_fence_may_stand(text: str, ours: bool | None) -> None:
    """Three blanks deep; in a list deeper, and its closer as deep as its opener and three more. None: it does not open.

    Behind a complete value the closer may stand anywhere.
    """
    for chunks in [*every_split(text), text.splitlines(keepends=True)]:
        items = scan(*chunks)
        if ours is None:
            assert items == [text]
        else:
            assert (block(items).end_cause == "closed", items[-1] == "\nafter") == (ours, ours)


@pytest.mark.parametrize("other", ["py", "json5", ""])
def test_a_fence_of_others_is_read_over(other: str) -> None:
    """Ours in it opens nothing, and its own closer closes it; also when the reply ends before."""
    inner = f"```{other}\nx\n  ```json\n{CALL}\n"
    for chunks in every_split(f"{inner}```\n```json\n{CALL}\n```"):
        items = scan(*chunks)
        if other:
            assert items[0] == inner + "```\n"
        assert block(items).end_cause == "closed"
    scanner = FenceScanner(FILE_TOOLS)
    assert scanner.feed("```py\nif x: {}```") == ["```py\nif x: {}```"]  # after a brace nothing closes that is not JSON
    assert scanner.state is State.FENCED
    scanner.end()
    assert scanner.feed(f"```json\n{CALL}\n```\n")[0] == Opened()


def test_what_is_calm_need_not_be_fed() -> None:
    """Whoever lets text pass by a scanner whose line is inert, or asks it first, as sessions do, hears the same."""
    lines = ["- a\n", "  b ` c\n", "\n", "d\r", "e\n", "\r\n", "```py\n", "f}```\n", "```\n", '```json\n{"v": 1,\n', "2}```\n"]
    text = "".join(lines) + "x\n" + f"~~~json\n{CALL}\n~~~\n" + "\ud83d\ude00 y\n" + "".join(reversed(lines))
    for chunks in (by_char(text), *random_splits(text, 7, 200)):
        scanner = FenceScanner(FILE_TOOLS)
        heard: list[Any] = []
        for chunk in chunks:
            passes = scanner.line_is_inert and not any(char in "\r\n" or "\ud800" <= char <= "\udfff" for char in chunk)
            heard += [chunk] if passes else scanner.feed(chunk)
        assert merge_text(heard + scanner.end()) == scan(*chunks)
        scanner, heard = FenceScanner(FILE_TOOLS), []
        for chunk in chunks:
            if scanner.in_line and chunk.isprintable() and (scanner.line_is_inert or len(scanner.passed_unread) < UNREAD):
                scanner.passed_unread.extend([] if scanner.line_is_inert else [chunk])
                heard.append(chunk)
            else:
                heard += scanner.feed(chunk)
        assert merge_text(heard + scanner.end()) == scan(*chunks)
        scanner, heard = FenceScanner(FILE_TOOLS), []
        for chunk in chunks:
            heard += [chunk] if scanner.try_pass(chunk) else scanner.feed(chunk)
        assert merge_text(heard + scanner.end()) == scan(*chunks)


def test_inside_a_line_that_opens_nothing_the_scanner_is_calm() -> None:
    """The rest of a long line is let by without being read."""
    scanner = FenceScanner(FILE_TOOLS)
    for text, inert in (
        ("", False),
        (HEAD * "a", True),
        ("b\n", False),
        ("- c", False),
        (HEAD * "c", True),
        ("\n", False),
        (" ", False),
        (HEAD * "d", True),
        ("\r", False),
        (HEAD * "e", True),
        ("\n```", False),
        ("py", False),
        ("\n", False),
        ("f", False),
        ("f" * HEAD, True),
        ("\n", False),
        ("```", False),
        ("\n", False),
        ("\ud83d", False),
        ("\ude00" + HEAD * "g", True),
        ("\n", False),
        ('```json\n{"v": 1, "w"', False),
        (": 2", False),
        ("}\n```", False),
    ):
        scanner.feed(text)
        assert scanner.line_is_inert is inert, text


@pytest.mark.parametrize(("half", "other"), [("\ud800", "\udc00"), ("\udbff", "\udfff"), ("\ud83d", "\ude00")])
def test_two_halves_of_a_character_are_one(half: str, other: str) -> None:
    """Also when each comes alone, or with text behind it; a half whose other never comes stays what it is."""
    whole = (half + other).encode("utf-16", "surrogatepass").decode("utf-16")
    scanner = FenceScanner(FILE_TOOLS)
    assert scanner.feed(half) == []
    assert scanner.feed(other) == [whole]
    assert scan("a" + half, other + "b\n") == [f"a{whole}b\n"]
    for after in ("", "x", "\ud7ff", "\ue000", half):
        assert scan("a" + half, after) == [f"a{half}{after}"]
    assert scan("\ud7ff", other) == ["\ud7ff" + other]
    assert scan("\udc00", other) == ["\udc00" + other]


@pytest.mark.parametrize("text", ["a\r|b|\n ```json\n{}\n", "a\r|\n ```json\n{}\n", "```json\r|\n{}", "a|\r|\r\n|```json\n"])
def test_a_line_end_in_two_pieces_is_one(text: str) -> None:
    """And two are two."""
    text = text.replace("{}", CALL)
    assert scan(*text.split("|")) == scan(text.replace("|", ""))
    assert Opened() in scan(*text.split("|"), "\n", CALL)


def test_a_fence_line_in_a_block_is_read_to_a_bound() -> None:
    """Past it the line is text, and the block is too long."""
    body = '{"tool": "write_file", "path": "a", "content": "'
    for long, cause in ((400, "closed"), (600, "oversize")):
        text = f"```json\n{body}\n```" + "x" * long + '\n"}\n```\n'
        limit = len(body) + 4 if long > 500 else 10_000
        for chunks in ([text], by_char(text)):
            found = block(scan(*chunks, limits=Limits(max_block=limit)))
            assert found.end_cause == cause
    news = heard(f"```json\n{body}\n```" + "x" * 600, limits=Limits(max_block=len(body) + 4))
    assert isinstance(news[-1][1], Closed)


def test_a_bare_block_and_an_error_are_what_they_say() -> None:
    assert Block.bare("x") == Block("x", "x", "closed", ambiguous=False, canonical=False, fenced=False)
    error = IllegalTransition(State.LINE, Seen.DOUBT)
    assert (error.args, error.state, error.seen) == ((State.LINE, Seen.DOUBT), State.LINE, Seen.DOUBT)
    scanner = FenceScanner(FILE_TOOLS)
    assert scanner.abandon() == []
    assert scanner.feed("a\n```json\n") == ["a\n", Opened()]


def test_a_text_that_is_no_call_when_its_fence_closes_flows_on() -> None:
    """It was too short to be judged before."""
    text = "```json\nwords\n```\nafter"
    assert scan(text) == [Opened(), Released("not_an_object"), text]


def test_a_fence_with_words_behind_the_last_brace_neither_closes_nor_opens() -> None:
    """It stands inside a line."""
    for words in ("json", "py"):
        text = f"```json\n{CALL}```{words}\n{CALL}\n```\nafter"  # a language, as behind a fence that opens
        for chunks in every_split(text):
            assert block(scan(*chunks)).raw == text.removesuffix("\nafter")


def test_a_path_that_cannot_be_read_is_not_told() -> None:
    items = scan('```json\n{"path": "\\q", "tool": "delete_file"}\n```')
    assert [item for item in items if isinstance(item, Accepted | Named)] == [Accepted("delete_file", None)]


def test_only_the_calls_own_path_is_told() -> None:
    """Not that of something in it; and a key that cannot be read is none."""
    items = scan('```json\n{"\\q": "x", "tool": "write_file", "meta": {"path": "y", "z": {}}, "path": "p"}\n```')
    assert [item for item in items if isinstance(item, Accepted | Named)] == [
        Accepted("write_file", None),
        Named("write_file", "p"),
    ]


def test_many_blocks_in_one_delta_are_all_found() -> None:
    """Drained fully, whatever one delta holds."""
    text = f"```json\n{CALL}\n```\nand\n" * 500
    items = scan(text)
    assert len([item for item in items if isinstance(item, Closed)]) == 500
    assert scan(*[text[i : i + 1000] for i in range(0, len(text), 1000)]) == items


def test_a_state_that_allows_for_nothing_lets_nothing_pass_and_loses_nothing() -> None:
    """The fault is met where text is buffered."""
    scanner = FenceScanner(FILE_TOOLS)
    scanner.state = State.AHEAD  # no line begins there
    scanner._set_fast_path()
    assert not scanner.try_pass("a\n")
    with pytest.raises(AssertionError):
        scanner.feed("a\n")
    assert scanner.abandon() == ["a\n"]
    assert scanner.try_pass("b")


def test_a_pair_of_surrogates_is_one_character_however_it_is_cut() -> None:
    """In prose and in a block, in one delta and in two."""
    text = 'a \ud83d\ude00\n```json\n{"tool": "write_file", "path": "a", "content": "\ud83d\ude00"}\n```\n'
    whole = scan(text)
    assert whole == scan(*text) == scan(text.encode("utf-16", "surrogatepass").decode("utf-16"))


@pytest.mark.parametrize("text", ["Here is my tale.", "Here's my thought", "here I am", "/thin/air", "/think"])
def test_the_first_words_of_a_reply_pass_while_they_are_compared(text: str) -> None:
    """They may open reasoning, and are prose whatever they turn out to be."""
    scanner = FenceScanner(FILE_TOOLS)
    assert [scanner.feed(char) for char in text] == [[char] for char in text]
