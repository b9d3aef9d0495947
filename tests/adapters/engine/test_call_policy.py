"""What the settings of a stream mean for its native calls."""

from __future__ import annotations

import logging
from itertools import product
from typing import Any

import pytest
from stream_guard_adapters.engine.call_policy import CallPolicy
from stream_guard_adapters.engine.settings import NATIVE
from stream_guard_adapters.protocols import CHAT, LANGCHAIN, PROTOCOLS

from stream_guard import Guard
from stream_guard.tools.files import FILE_TOOLS

GUARD = Guard(FILE_TOOLS)
SHADOW = Guard(FILE_TOOLS, mode="shadow")


def test_calls_are_held_where_the_app_the_protocol_and_the_guard_agree() -> None:
    for native, table, guard in product(NATIVE, PROTOCOLS.values(), (GUARD, SHADOW)):
        policy = CallPolicy(guard, table, native)
        assert policy.holds is (native in ("mend", "withhold") and table.holds_calls and guard is GUARD)
        assert policy.fixes is (native == "mend")


@pytest.mark.parametrize(("guard", "native", "is_own"), [
    (GUARD, "mend", True),
    (GUARD, "withhold", True),
    (GUARD, "observe", False),
    (GUARD, "off", False),
    (SHADOW, "mend", True),
    (SHADOW, "observe", False),
])  # fmt: skip
def test_an_observer_judges_where_nothing_is_held_or_to_be_reported(guard: Guard, native: Any, is_own: bool) -> None:
    assert (CallPolicy(guard, CHAT, native).guard is guard) is is_own


@pytest.mark.parametrize(("table", "native", "times"), [
    (LANGCHAIN, "mend", 1),
    (LANGCHAIN, "withhold", 1),
    (LANGCHAIN, "observe", 0),
    (CHAT, "mend", 0),
])  # fmt: skip
def test_it_warns_once_that_calls_are_not_held(table: Any, native: Any, times: int, caplog: pytest.LogCaptureFixture) -> None:
    policy = CallPolicy(GUARD, table, native)
    with caplog.at_level(logging.WARNING, "stream_guard"):
        policy.warn()
        policy.warn()
    assert len(caplog.records) == times
