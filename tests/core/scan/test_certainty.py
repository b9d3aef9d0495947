"""Whether the end of a block is certain, of all that may know."""

from __future__ import annotations

from stream_guard.scan.buffer import Buffer
from stream_guard.scan.certainty import Certainty
from stream_guard.scan.states import Closed
from stream_guard.tools.files import FILE_TOOLS
from stream_guard.values.block import Block

CALL = '{"tool": "write_file", "path": "a", "content": "one\n'
WHOLE = CALL + '"}\n'


def made(text: str = "") -> tuple[Certainty, Buffer]:
    buffer = Buffer()
    buffer.push(text)
    return Certainty(FILE_TOOLS, (), buffer, 1_000), buffer


def test_a_call_in_passing_text_that_is_open_takes_the_certainty_of_the_reply() -> None:
    for text, lost in ((CALL, True), (WHOLE, False), ("Some prose.\n", False)):
        certainty, buffer = made(text)
        assert "".join(certainty.take(buffer.end)) == text
        certainty.opens()
        assert certainty.lost is lost
        certainty.opens()
        assert certainty.lost is lost  # nothing gives it back but another reply
        certainty.restart()
        assert not certainty.lost


def test_what_a_line_begins_with_is_followed_up_to_where_a_block_opens() -> None:
    """An opener that names no tool: only what follows its line knows of it."""
    text = '<boltAction type="file" filePath="a">\n'
    for begun in (True, False):
        certainty, buffer = made(text)
        certainty.begins_line(0, text[0], may_begin=begun)
        assert (certainty.unfenced is not None) is begun
        certainty.take(buffer.end)
        certainty.opens()
        assert certainty.unfenced is None
        assert certainty.lost is begun


def test_a_call_that_closes_where_certainty_is_lost_has_no_certain_end() -> None:
    certainty, _ = made()
    closed = Closed(Block(raw="", body="", end_cause="closed", ambiguous=False, canonical=False))
    assert certainty.marked(closed) is closed
    certainty.lose(when=False)
    assert certainty.marked(closed) is closed
    certainty.lose()
    assert certainty.marked(closed).block.ambiguous


def test_reasoning_is_read_for_calls_only_where_its_closer_may_stand_in_one() -> None:
    for quiet in (True, False):
        certainty, buffer = made(CALL)
        certainty.reasoning_opens(quiet=quiet)
        certainty.reasoning_closes(buffer.end, "")
        assert certainty.lost is not quiet
