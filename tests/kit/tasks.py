"""What asyncio leaves behind."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator


@contextlib.asynccontextmanager
async def nothing_left_running() -> AsyncIterator[None]:
    """Of what ran inside, no task goes on."""
    before = asyncio.all_tasks()
    yield
    async with asyncio.timeout(300):
        while asyncio.all_tasks() - before:
            await asyncio.sleep(0.001)
