"""Virtual time for tests: when an event loop has only timers to wait for, its clock jumps to the next one.

    with virtual_time():
        await asyncio.sleep(3600)

It works inside one event loop only. Sockets and threads take real time; a task that waits for a socket or thread with a
deadline may reach the deadline first.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any


@contextmanager
def virtual_time() -> Generator[None]:
    """Let the running loop's time jump to its next timer whenever no task can run."""
    loop: Any = asyncio.get_running_loop()
    selector = getattr(loop, "_selector", None)
    if selector is None:
        raise RuntimeError(f"virtual time needs asyncio's own event loop on a selector, not {type(loop).__name__}")
    select = selector.select
    now = loop.time()

    def at_once(timeout: float | None = None) -> Any:
        nonlocal now
        if timeout is None:
            return select(None)
        ready = select(0)
        if not ready and timeout > 0:
            now += timeout
        return ready

    selector.select = at_once
    loop.time = lambda: now
    try:
        yield
    finally:
        del selector.select
        del loop.time
