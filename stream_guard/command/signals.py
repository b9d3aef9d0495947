"""Ends a command in order, with its worker processes."""

from __future__ import annotations

import _thread
import contextlib
import signal
import sys
import threading
from collections.abc import Generator
from typing import Final

SOON: Final = 0.01
"""Seconds until a signal is raised again whose exception Python dropped. Limit: the wait before another try."""


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
def _never_dropped() -> Generator[None]:
    """Raise `ENDS` again where Python drops it: a signal that comes while a finalizer or a weak reference's callback runs."""
    before = sys.unraisablehook
    timer: threading.Timer | None = None

    def hook(dropped: sys.UnraisableHookArgs) -> None:
        nonlocal timer
        if not isinstance(dropped.exc_value, ENDS):
            before(dropped)
        elif timer is None or not timer.is_alive():  # a second one would come while the command ends
            signum = signal.SIGTERM if isinstance(dropped.exc_value, Terminated) else signal.SIGINT
            # In a moment: what is raised in this hook would be dropped, too.
            timer = threading.Timer(SOON, _thread.interrupt_main, (signum,))
            timer.start()

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = before


@contextlib.contextmanager
def in_order_on_sigterm() -> Generator[None]:
    """End the command in order on SIGTERM, with status 143: the workers are stopped, and shared resources are released.

    No SIGTERM and no Ctrl-C is lost, wherever it comes.
    """
    if threading.current_thread() is not threading.main_thread():  # only there a handler can be set
        yield
        return
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        with _never_dropped():
            yield
    except Terminated:
        sys.exit(128 + signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
