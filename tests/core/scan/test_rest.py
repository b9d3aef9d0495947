"""What stands behind a call whose values are raw: what waits for it, and what it says of the end of that call."""

from __future__ import annotations

from stream_guard.scan.rest import Rest
from stream_guard.scan.states import Closed, Opened, Scanned
from stream_guard.values.block import Block

ENDS = ("</value>", "</call>")


def closed(
    raw: str = "<call><value>x</value></call>", *, ends: tuple[str, ...] = ENDS, dialect: str = "d", sure: bool = True
) -> Closed:
    return Closed(Block(raw, "", "closed", ambiguous=not sure, canonical=False, dialect=dialect), raw_ends=ends)


def seen(items: list[Scanned]) -> list[str | bool]:
    """Prose as it is, of a block whether its end is certain."""
    return [item.block.end_is_certain if isinstance(item, Closed) else str(item) for item in items]


def test_nothing_waits_without_a_raw_value() -> None:
    rest = Rest(100)
    assert seen(rest.take(["a", closed(ends=()), "b"])) == ["a", True, "b"]
    assert not rest.waiting


def test_a_call_waits_with_all_that_follows_it() -> None:
    rest = Rest(100)
    assert rest.take(["a", closed(), " \n", Opened(), closed()]) == ["a"]
    assert (bool(rest.waiting), rest.held) == (True, 31)
    assert seen(rest.end([], "unknown")) == [True, " \n", "Opened(named=True)", True]
    assert (bool(rest.waiting), rest.held) == (False, 0)


def test_text_behind_it_needs_an_end_that_is_known() -> None:
    for cause, certain in (("stop", True), ("unknown", False), ("length", False)):
        rest = Rest(100)
        assert seen(rest.take([closed(), "\nDone."])) == []
        assert seen(rest.end(["!"], cause)) == [certain, "\nDone.!"]  # type: ignore[arg-type]


def test_a_block_that_is_no_certain_call_counts_as_text_behind_the_call_that_waits() -> None:
    for other in (closed(dialect="e", ends=(), raw="{}"), closed(ends=(), raw="x", sure=False)):
        rest = Rest(100)
        assert rest.take([closed(), other]) == []
        assert seen(rest.end([], "unknown"))[0] is False
        rest.take([closed(), other])
        assert seen(rest.end([], "stop")) == [True, other.block.end_is_certain]


def test_a_closer_in_the_text_ends_all_certainty_up_to_the_end_of_the_reply() -> None:
    rest = Rest(100)
    assert rest.take([closed(), " and </ca"]) == []
    assert seen(rest.take(["ll>."])) == [False, " and </call>."]
    assert seen(rest.take([closed(), closed(ends=()), "x"])) == [False, False, "x"]
    rest.end([], "stop")
    rest.take([closed()])
    assert seen(rest.end([], "stop")) == [True]


def test_a_raw_call_whose_end_is_uncertain_does_the_same() -> None:
    rest = Rest(100)
    assert seen(rest.take([closed(sure=False), closed(ends=())])) == [False, False]
    rest = Rest(100)
    assert seen(rest.take([closed(), closed(sure=False)])) == [False, False]


def test_no_end_is_certain_behind_a_call_in_a_dialect_whose_own_end_is_not() -> None:
    """Whatever its values are written in. A call that waits before it is judged by what follows it."""
    rest = Rest(100)
    assert seen(rest.take([closed(ends=(), sure=False), "x", closed(ends=()), closed(dialect="fence", ends=())])) == [
        *(False, "x", False, False)
    ]
    rest = Rest(100)
    assert rest.take([closed(), closed(ends=(), raw="x", sure=False), closed(ends=())]) == []
    assert seen(rest.end([], "stop")) == [True, False, False]
    assert seen(rest.take([closed(dialect="fence", ends=(), sure=False), closed(ends=())])) == [False, True]


def test_what_waits_is_bounded() -> None:
    rest = Rest(10)
    assert rest.take([closed(), "1234567890"]) == []
    assert seen(rest.take(["1"])) == [False, "12345678901"]
    rest = Rest(10)
    rest.take([closed()])
    rest.overflow()
    assert seen(rest.take(["1"])) == [False, "1"]


def test_short_pieces_of_text_are_joined() -> None:
    rest = Rest(10_000)
    rest.take([closed(), *"x" * 5_000])
    assert len(rest.end([], "stop")) < 30


def test_after_an_error_nothing_that_waited_is_certain() -> None:
    rest = Rest(100)
    rest.take([closed(), "a"])
    assert seen(rest.abandon([closed(), "b"])) == [False, "a", False, "b"]
