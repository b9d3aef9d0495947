"""The buffer, against one string."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stream_guard.scan.buffer import MANY, Buffer


@given(st.data())
def test_a_buffer_reads_as_one_string_would(data: st.DataObject) -> None:
    """Whatever is put in, taken out, joined and looked at."""
    buffer, text, gone = Buffer(), "", 0
    for _ in range(data.draw(st.integers(1, 12))):
        match data.draw(st.integers(0, 3)):
            case 0 | 1:
                piece = data.draw(st.text(alphabet="abc", max_size=5))
                assert buffer.push(piece) == len(text)
                text += piece
            case 2:
                place = data.draw(st.integers(gone, len(text)))
                assert "".join(buffer.take(place)) == text[gone:place]
                gone = place
            case _:
                start = data.draw(st.integers(gone, len(text)))
                stop = data.draw(st.integers(start, len(text)))
                assert buffer.slice(start, stop) == text[start:stop]
                assert buffer.beginning(start, stop - start) == text[start:stop]
        assert (buffer.start, buffer.end) == (gone, len(text))
    assert "".join(buffer.take(len(text))) == text[gone:]
    assert not buffer.parts


def test_whole_pieces_leave_as_the_objects_that_came() -> None:
    """Empty ones too, in order."""
    buffer = Buffer()
    pieces = ["".join(["ab", "c"]), "", "".join(["d", "e"])]
    for piece in pieces:
        buffer.push(piece)
    assert [id(piece) for piece in buffer.take(5)] == [id(piece) for piece in pieces]


def test_many_small_pieces_are_joined_and_nothing_changes() -> None:
    """Also when a part of the first has left already."""
    buffer = Buffer()
    buffer.push("xyz")
    buffer.take(2)
    for _ in range(3 * MANY):
        buffer.push("a")
        buffer.compact()
    assert len(buffer.parts) <= MANY + 1
    assert "".join(buffer.take(buffer.end)) == "z" + "a" * 3 * MANY
