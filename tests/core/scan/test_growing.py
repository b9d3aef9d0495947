"""What is reported of a call's arguments while they come: the path, the length and the fields."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stream_guard.scan.growing import Arguments, Growth
from stream_guard.scan.states import Failing, Named, Progress
from stream_guard.testing import by_char, random_splits
from stream_guard.values.limits import SHORT
from stream_guard.values.preview import previewed
from tests.kit.proof import Cases
from tests.kit.watching import watch

WRITTEN = json.dumps({"n": {"path": "inner"}, "list": [{"path": "x"}], "path": "a/é.txt", "content": 'line "1"\n' * 40})


def said(pieces: list[str], **settings: Any) -> list[Named | Failing | Progress]:
    """What is reported where every piece is read."""
    arguments = Arguments("write_file", max_depth=64, watch=watch(**settings))
    return [report for piece in pieces for report in arguments.feed(piece)]


def told(pieces: list[str], **settings: Any) -> tuple[list[Named | Failing | Progress], int]:
    """What is reported where `string_tail` takes what it can, as in a session, and how many pieces it did not take."""
    arguments, found, read = Arguments("write_file", max_depth=64, watch=watch(**settings)), list[Any](), 0
    tail = arguments.string_tail
    for piece in pieces:
        if not tail.take(piece):
            found += arguments.feed(piece)
            read += 1
        elif tail.members is not None:
            changes = tail.members.show(piece, tail.escaped)
            found += [Progress(tail.before + tail.size, changes)] if changes else []
    return found, read


def cut(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


@pytest.mark.promise("P1", "P3")
def test_the_path_is_reported_once_and_as_soon_as_its_string_closes(cases: Cases) -> None:
    """However the arguments are cut. A path inside another value is not the call's."""
    for pieces in ([WRITTEN], by_char(WRITTEN), *random_splits(WRITTEN, 50)):
        cases(1)
        assert said(list(pieces)) == [Named("write_file", "a/é.txt")]
    closed = WRITTEN.index('.txt"') + len('.txt"')
    assert said([WRITTEN[: closed - 1]]) == []
    assert len(said([WRITTEN[:closed]])) == 1


@pytest.mark.promise("P1")
def test_the_changes_of_a_preview_are_the_field(cases: Cases) -> None:
    for pieces in ([WRITTEN], by_char(WRITTEN), *random_splits(WRITTEN, 50)):
        cases(1)
        reports = [one for one in said(list(pieces), preview="content") if isinstance(one, Progress)]
        changes = [change for report in reports for change in report.preview]
        assert previewed(changes) == {"content": json.loads(WRITTEN)["content"]}


def test_the_length_is_reported_at_each_step() -> None:
    reports = [one for one in said(by_char(WRITTEN), progress=100) if isinstance(one, Progress)]
    assert [report.received for report in reports] == list(range(100, len(WRITTEN) + 1, 100))
    assert all(report.preview == () for report in reports)


@pytest.mark.parametrize(
    "written", ['{"path": ["a.txt"]}', '{"path": 3}', '["path", "a.txt"]', '"path"', '{path: "a.txt"}', "", "x"]
)
def test_nothing_is_guessed(written: str) -> None:
    assert said([written]) == said(by_char(written)) == []


def test_of_a_long_piece_only_the_beginning_is_followed() -> None:
    """What comes behind it is not either: nobody knows where in the JSON it stands."""
    beginning = '{"a": "' + "x" * SHORT + '", '
    assert said([beginning, '"path": "a.txt"}']) == []
    assert said(['{"path": "a.txt", "content": "' + "x" * SHORT]) == [Named("write_file", "a.txt")]


SETTINGS: list[dict[str, Any]] = [
    {},
    {"preview": True},
    {"preview": "content"},
    {"preview": "path", "progress": 7},
    {"early": "announce"},
    {"preview": True, "early": "abort", "progress": 100},
    {"early": "abort"},
    {"preview": True, "early": "abort"},
]
ODD = [
    WRITTEN,
    WRITTEN.replace("/", "\\ud83d\\ude00"),
    WRITTEN.replace("line", "\\x"),
    WRITTEN.replace("line", "\n\t\u2028"),
    WRITTEN.replace("line", "\\\\\ud83d"),
    WRITTEN.replace('a/é.txt"', '/etc/passwd"'),
    WRITTEN.replace("line", '"'),
    WRITTEN[:-30],
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.promise("P1", "P3")
def test_what_is_taken_unread_changes_no_report(settings: dict[str, Any], cases: Cases) -> None:
    """Whatever stands in a string, and however it is cut: each report comes with the same piece."""
    for text in ODD:
        for pieces in (by_char(text), *random_splits(text, 8), *(cut(text, size) for size in (2, 4, 7))):
            cases(1)
            assert told(list(pieces), **settings)[0] == said(list(pieces), **settings), pieces


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_few_pieces_of_a_long_string_are_read(settings: dict[str, Any]) -> None:
    """One in five hundred, and those at which the length is reported."""
    text = json.dumps({"path": "a", "content": "".join(f'if (a) {{ return "{number}"; }}\n' for number in range(4_000))})
    pieces = cut(text, 4)
    found, read = told(pieces, **settings)
    steps = len(text) // settings["progress"] if "progress" in settings else 0
    assert read <= len(pieces) / 500 + steps + 12
    assert found == said(pieces, **settings)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_a_call_that_repeats_itself_is_found_at_the_same_piece(settings: dict[str, Any]) -> None:
    """Though its text is taken unread up to the next look."""
    for text in ("ab" * 20_000, "-" * 20_000 + "x" * 3_000, "x = 1;" * 2_731 + "and so on " * 3_000):
        pieces = cut(json.dumps({"path": "a", "content": text}), 5)
        assert told(pieces, **settings)[0] == said(pieces, **settings)


def test_growth_reports_nothing_that_was_not_asked_for() -> None:
    watched = watch(early="announce")
    assert watched is not None
    growth = Growth(watched)
    assert [growth.report(received) for received in (0, 10, 10_000)] == [None] * 3
