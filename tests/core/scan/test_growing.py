"""What is reported of a call's arguments while they come: the path, the length and the fields."""

from __future__ import annotations

import json

import pytest

from stream_guard.scan.growing import Arguments, Growth
from stream_guard.scan.states import Failing, Named, Progress
from stream_guard.testing import by_char, random_splits
from stream_guard.values.limits import SHORT
from stream_guard.values.preview import previewed
from tests.kit.proof import Cases
from tests.kit.watching import watch

WRITTEN = json.dumps({"n": {"path": "inner"}, "list": [{"path": "x"}], "path": "a/é.txt", "content": 'line "1"\n' * 40})


def said(pieces: list[str], *, progress: int | None = None, preview: str | bool = False) -> list[Named | Failing | Progress]:
    arguments = Arguments("write_file", max_depth=64, watch=watch(progress=progress, preview=preview))
    return [report for piece in pieces for report in arguments.feed(piece)]


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


def test_growth_reports_nothing_that_was_not_asked_for() -> None:
    watched = watch(early="announce")
    assert watched is not None
    growth = Growth(watched)
    assert [growth.report(received) for received in (0, 10, 10_000)] == [None] * 3
