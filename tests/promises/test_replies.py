"""The promises over replies of the project's own, which are broken in many ways: at many cuts, and in every protocol."""

from __future__ import annotations

import pytest

from stream_guard import End, Guard
from stream_guard.testing import by_char, random_splits
from tests.corpora.score import guards, rows
from tests.kit.breadth import some
from tests.kit.kept import WAYS, check, opened_in_time
from tests.kit.proof import Cases

REPLIES = rows("broken_replies.jsonl")


@pytest.mark.some
@pytest.mark.promise("P1", "P2", "P4", "P7")
def test_every_reply_is_guarded_alike_at_any_cut(cases: Cases) -> None:
    """Each ends as its row says, and cut off in its middle; of what was cut off nothing runs."""
    by_name = {name: Guard(guard.tools, untagged="validate") for name, guard in guards().items()}
    for seed, row in some(enumerate(REPLIES), 60, kind=lambda each: each[1]["tool"]):
        text, guard = row["text"], by_name[row["tool"]]
        check([text, End(row["ended"])], seed, guard)
        check([text[: len(text) * 2 // 3], End("disconnect")], seed, guard)
        cases(2 * WAYS)


@pytest.mark.some
@pytest.mark.promise("P3")
def test_the_status_of_every_reply_leaves_in_the_tick_of_the_opener(cases: Cases) -> None:
    """Whole, by character, and at random cuts."""
    by_name = guards()
    seen = 0
    for seed, row in some(enumerate(REPLIES), 120, kind=lambda each: each[1]["tool"]):
        for chunks in ([row["text"]], by_char(row["text"]), *random_splits(row["text"], seed, 4)):
            seen += opened_in_time(by_name[row["tool"]], chunks)
    cases(seen)
    assert seen >= 300
