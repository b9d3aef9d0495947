"""An archive that fails for so long that the store forgets events meanwhile: it gets all that are left, and is told the gap."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest
from stream_guard_adapters.resume import Ending, Entry, MemoryStore, RedisStore, ResumeStore
from stream_guard_adapters.resume.record import Record

from tests.kit import stores
from tests.kit.resuming import Kept, begun, events

KEPT = 40
WHOLE = 150


class Failing(Kept):
    """An archive that fails for the events of some numbers, and, if it should, at its first end."""

    def __init__(self, down: Collection[int], end: bool) -> None:
        super().__init__()
        self._down = down
        self._end = end
        self.now = 0

    async def keep(self, stream: str, entries: Any) -> None:
        if self.now in self._down:
            raise RuntimeError("away")
        await super().keep(stream, entries)

    async def ended(self, stream: str, ending: Ending) -> None:
        if self._end:
            self._end = False
            raise RuntimeError("away")
        await super().ended(stream, ending)


def numbers(entries: list[Entry]) -> list[int]:
    return [int(entry.id.partition("-")[0]) for entry in entries]


@pytest.mark.some(12)
@pytest.mark.parametrize("kind", ["memory", "redis"])
@pytest.mark.parametrize("end", [False, True])
@pytest.mark.parametrize(
    "spans",
    [
        [(1, 2)],
        [(1, 60)],
        [(11, 20)],
        [(11, 51)],
        [(11, 52)],
        [(11, 101)],
        [(11, 101), (102, 120)],
        [(11, 101), (102, 148)],
        [(11, 101), (130, 140)],
        [(100, WHOLE + 1)],
        [(140, WHOLE + 1)],
        [(1, WHOLE + 1)],
    ],
    ids=str,
)
async def test_an_archive_gets_what_the_store_still_has_of_what_it_missed(
    kind: str, end: bool, spans: list[tuple[int, int]], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with contextlib.ExitStack() as stack:
        store: ResumeStore = MemoryStore(maxlen=KEPT)
        if kind == "redis":
            settings = [*stores.MEMORY, "--stream-node-max-entries", "1"]  # it removes as many as `maxlen` says
            store = RedisStore(stack.enter_context(stores.server(tmp_path / "v", *settings)).url, maxlen=KEPT)
        archive = Failing({number for span in spans for number in range(*span)}, end)
        lease = await begun(store)
        record = Record(store, lease, archive, lambda: None)
        expected: list[int] = []
        with caplog.at_level(logging.ERROR, "stream_guard"):
            for number in range(1, WHOLE + 1):
                archive.now = number
                await record.keep(events(number))
                if not any(first <= number < behind for first, behind in spans):
                    missed = range(expected[-1] + 1 if expected else 1, number + 1)
                    expected += [each for each in missed if each > number - KEPT]
            archive.now = 0
            await record.end("done")
        oldest = WHOLE + 1 - KEPT + (kind == "memory")  # an end removes nothing in Redis
        expected += range(max(oldest, expected[-1] + 1 if expected else 1), WHOLE + 2)
        assert numbers(archive.entries) == expected
        gaps = [(at, next_) for at, next_ in zip([0, *expected], expected, strict=False) if next_ != at + 1]
        assert archive.endings == ["interrupted" if gaps else "done"]
        told = [record.getMessage() for record in caplog.records if "lacks the events" in record.getMessage()]
        assert told == [
            f"the archive lacks the events {at + 1} to {next_ - 1} of a stream: the store has them no more"
            for at, next_ in gaps
        ]
        await store.aclose()


@pytest.mark.parametrize("kind", ["memory", "redis"])
async def test_a_reader_gets_no_stream_with_a_gap_for_that(kind: str, tmp_path: Path) -> None:
    """What an archive reads across a gap is read by nobody else, also at the same time."""
    with contextlib.ExitStack() as stack:
        store: ResumeStore = MemoryStore(maxlen=5)
        if kind == "redis":
            settings = [*stores.MEMORY, "--stream-node-max-entries", "1"]
            store = RedisStore(stack.enter_context(stores.server(tmp_path / "v", *settings)).url, maxlen=5)
        lease = await begun(store)
        added = [entry for number in range(20) for entry in await store.append(lease, events(number))]
        for after in ("", added[0].id, added[10].id):
            with pytest.raises(LookupError):
                await store.read("s", "me", after)
            across = await store.read("s", "me", after, gap=True)
            assert across is not None
            assert await anext(across) == added[-5:]
            await across.aclose()
        behind = await store.read("s", "me", added[-2].id, gap=True)
        assert behind is not None
        assert await anext(behind) == added[-1:]
        await behind.aclose()
        await store.aclose()
