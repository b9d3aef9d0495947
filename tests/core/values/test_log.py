"""The guard's logger."""

from __future__ import annotations

import logging

import pytest

from stream_guard.values.log import log
from tests.kit.command import python


def test_a_message_is_that_of_the_logger_and_of_the_line_that_writes_it(caplog: pytest.LogCaptureFixture) -> None:
    log.warning("said of %s", "x")
    (record,) = caplog.records
    assert (record.name, record.levelno, record.getMessage()) == ("stream_guard", logging.WARNING, "said of x")
    assert record.pathname == __file__


def test_logging_is_loaded_with_the_first_message() -> None:
    told = python(
        "import sys, stream_guard; from stream_guard.values.log import log\n"
        "print('logging' in sys.modules); log.error('x'); print('logging' in sys.modules)\n"
    )
    assert told == "False\nTrue\n"


def test_what_a_person_has_to_ask_for_loads_nothing_and_is_said_of_the_line_that_writes_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    told = python(
        "import sys, stream_guard; from stream_guard.values.log import log\nlog.debug('x'); print('logging' in sys.modules)\n"
    )
    assert told == "False\n"
    with caplog.at_level(logging.DEBUG, logger="stream_guard"):
        log.debug("said of %s", "x")
    (record,) = caplog.records
    assert (record.levelno, record.getMessage(), record.pathname) == (logging.DEBUG, "said of x", __file__)
