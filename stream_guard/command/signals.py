"""Ends a command in order, with its worker processes."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Generator
from typing import Final


def undisturbed() -> None:
    """Ignore Ctrl-C in a worker; the main process handles it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextlib.contextmanager
def deaf_children() -> Generator[None]:
    """Start processes that ignore Ctrl-C from their first moment on; an initializer would run too late."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class Terminated(BaseException):
    """Raised on SIGTERM. It is no SystemExit, since other code that a command runs may raise and catch that."""


ENDS: Final = (KeyboardInterrupt, Terminated)
"""The exceptions with which a command is ended from outside. Code that catches everything else must let these pass."""


def _terminate(*_: object) -> None:
    raise Terminated


@contextlib.contextmanager
def in_order_on_sigterm() -> Generator[None]:
    """End the command in order on SIGTERM, with status 143: the workers are stopped, and shared resources are released."""
    if threading.current_thread() is not threading.main_thread():  # only there a handler can be set
        yield
        return
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    except Terminated:
        sys.exit(128 + signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
