"""How the time for one block grows with its size, for everybody; and how many streams one loop carries, and what each holds.

    growth -> docs/images/growth.svg          crowd -> docs/images/crowd.svg

    python -m benchmarks.growth       # small blocks, of the guard and the quickest peer

Who reads everything again with every delta grows with the square of the block: he is measured as far as he comes in `PATIENCE`
seconds.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import math
import statistics
import time
import tracemalloc
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any, Final

from stream_guard import Guard
from stream_guard.tools.files import FILE_TOOLS

from . import fixtures
from .contestants import PEERS, Contestant, guard

IMAGES: Final = Path(__file__).parents[1] / "docs" / "images"
SIZES: Final = (1_000, 4_000, 16_000, 64_000, 256_000, 1_000_000)
PATIENCE: Final = 5.0
"""Seconds that one reading of a block may take."""

CROWDS: Final = (1, 10, 100, 1_000, 10_000)
GUARD: Final = Guard(FILE_TOOLS)


def growth(turns: int) -> dict[str, list[tuple[int, float, float, float]]]:
    """For everybody: the size of the block, and the median, least and most seconds for it."""
    found: dict[str, list[tuple[int, float, float, float]]] = {}
    for name, read in {"stream_guard": guard, **PEERS}.items():
        text = fixtures.reply if name == "stream_guard" else fixtures.body
        found[name] = curve(read, text, turns)
    return found


def curve(read: Contestant, text: Callable[[int], str], turns: int) -> list[tuple[int, float, float, float]]:
    found: list[tuple[int, float, float, float]] = []
    read(fixtures.deltas(text(100)))  # what is imported and made once, is
    for size in SIZES:
        if found and expected(found, size) > PATIENCE:
            break
        deltas = fixtures.deltas(text(size))
        took = sorted(timed(read, deltas) for _ in range(turns))
        found.append((size, statistics.median(took), took[0], took[-1]))
    return found


def expected(found: Sequence[tuple[int, float, float, float]], size: int) -> float:
    """How long it will take, if it goes on as it went."""
    (*_, (last, took, *_rest)) = found
    power = 2.0 if len(found) < 2 else math.log(took / found[-2][1]) / math.log(last / found[-2][0])
    return took * float((size / last) ** max(power, 1.0))


def timed(read: Contestant, deltas: Sequence[str]) -> float:
    gc.collect()
    start = time.perf_counter()
    read(deltas)
    return time.perf_counter() - start


def shown(found: dict[str, list[tuple[int, float, float, float]]]) -> list[str]:
    """As a table: milliseconds at each size, and what it grows with."""
    rows = [
        f"| ms for one block in deltas of {fixtures.DELTA}, median (least-most) | "
        + " | ".join(f"{size:,}" for size in SIZES)
        + " | grows with size to the power |",
        "|---" * (len(SIZES) + 2) + "|",
    ]
    for name, points in found.items():
        cells = [f"{1e3 * took:,.1f} ({1e3 * least:,.1f}-{1e3 * most:,.1f})" for _, took, least, most in points]
        cells += ["-"] * (len(SIZES) - len(cells))
        (first, slow, *_), (last, quick, *_rest) = points[-min(len(points), 3)], points[-1]
        power = math.log(quick / slow) / math.log(last / first) if last > first else math.nan
        rows.append(f"| {name} | " + " | ".join(cells) + f" | {power:.1f} |")
    return rows


# -- a crowd -----------------------------------------------------------------------------------------------------------


async def said(deltas: Sequence[str], rounds: asyncio.Event | None = None) -> AsyncIterator[str]:
    for delta in deltas:
        yield delta
        await asyncio.sleep(0)
    if rounds is not None:
        await rounds.wait()


async def identity(stream: AsyncIterator[str]) -> AsyncIterator[str]:
    async for delta in stream:
        yield delta


async def _drained(stream: AsyncIterator[Any]) -> None:
    async for _ in stream:
        pass


async def _together(count: int, deltas: Sequence[str], *, guarded: bool) -> float:
    """Deltas a second, of so many streams in one loop."""
    streams = [GUARD.stream(said(deltas)) if guarded else identity(said(deltas)) for _ in range(count)]
    start = time.perf_counter()
    await asyncio.gather(*(_drained(aiter(stream)) for stream in streams))
    return count * len(deltas) / (time.perf_counter() - start)


def crowd(turns: int) -> list[tuple[int, float, float, str]]:
    """Of how many streams: deltas a second with the guard and without, and the ratio with its spread."""
    found = []
    for count in CROWDS:
        reply = fixtures.deltas(fixtures.prose(300) + fixtures.reply(400))
        deltas = (reply * max(1, 20_000 // (count * len(reply))))[: max(200, 200_000 // count)]
        pairs = [
            (asyncio.run(_together(count, deltas, guarded=True)), asyncio.run(_together(count, deltas, guarded=False)))
            for _ in range(turns)
        ]
        ratios = sorted(ours / theirs for ours, theirs in pairs)
        spread = f"{statistics.median(ratios):.2f}x ({ratios[0]:.2f}-{ratios[-1]:.2f})"
        found.append((count, statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs), spread))
    return found


def idle(count: int = 5_000) -> dict[str, tuple[float, float]]:
    """Kilobytes that a stream holds while it waits, in prose and in a block of 1,000: with the guard, and without."""
    prose = fixtures.deltas(fixtures.prose(400))
    held = fixtures.deltas(fixtures.reply(1_000)[:-20])
    return {
        what: (asyncio.run(_waiting(count, deltas, guarded=True)), asyncio.run(_waiting(count, deltas, guarded=False)))
        for what, deltas in (("in prose", prose), ("in a block of 1,000", held))
    }


async def _waiting(count: int, deltas: Sequence[str], *, guarded: bool) -> float:
    end = asyncio.Event()
    tracemalloc.start()
    tasks = []
    for _ in range(count):
        stream = said(deltas, end)
        tasks.append(asyncio.create_task(_drained(aiter(GUARD.stream(stream)) if guarded else identity(stream))))
    for _ in range(len(deltas) + 10):
        await asyncio.sleep(0)
    gc.collect()
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    end.set()
    await asyncio.gather(*tasks)
    return used / count / 1024


def table(turns: int) -> list[str]:
    """Both, as tables; and their pictures are drawn."""
    grown, crowds = growth(turns), crowd(turns)
    drawn(grown, crowds)
    rows = [
        *shown(grown),
        "",
        "| streams in one loop | deltas a second, guarded and bare | guarded against bare |",
        "|---|---|---|",
    ]
    rows += [f"| {count:,} | {ours:,.0f} and {theirs:,.0f} | {ratio} |" for count, ours, theirs, ratio in crowds]
    rows += ["", "| memory of a stream that waits | with the guard | without |", "|---|---|---|"]
    rows += [f"| {what} | {ours:.1f} KB | {theirs:.1f} KB |" for what, (ours, theirs) in idle().items()]
    return rows


def drawn(grown: dict[str, list[tuple[int, float, float, float]]], crowds: list[tuple[int, float, float, str]]) -> None:
    """The pictures. Grey lines and letters can be read on light and on dark."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "stream_guard", "font.family": "sans-serif"})
    mpl.rcParams.update(
        dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), "#808080")
    )
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(10, 5))
    for name, points in grown.items():
        sizes, medians, least, most = (list(column) for column in zip(*points, strict=True))
        wide = 3.0 if name == "stream_guard" else 1.5
        (line,) = axes.plot(sizes, medians, marker="o", linewidth=wide, label=name, zorder=wide)
        axes.fill_between(sizes, least, most, color=line.get_color(), alpha=0.2)
    axes.set(xscale="log", yscale="log", xlabel="characters in the block", ylabel="seconds, in deltas of 4")
    axes.grid(visible=True, alpha=0.3)
    axes.legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1, 1))
    _saved(figure, "growth")

    figure, axes = pyplot.subplots(figsize=(8, 3.5))
    for name, column in (("guarded", 1), ("an identity generator", 2)):
        axes.plot([row[0] for row in crowds], [row[column] for row in crowds], marker="o", label=name)
    axes.set(xscale="log", xlabel="streams in one loop", ylabel="deltas a second", ylim=(0, None))
    axes.grid(visible=True, alpha=0.3)
    axes.legend(frameon=False)
    _saved(figure, "crowd")


def _saved(figure: Any, name: str) -> None:
    figure.tight_layout()
    figure.savefig(IMAGES / f"{name}.svg", transparent=True, metadata={"Date": None})


# -- small blocks ------------------------------------------------------------------------------------------------------

SMALL: Final = (250, 500, 1_000, 2_000, 4_000, 16_000)


def small(turns: int = 21) -> list[str]:
    """Return a table of the guard and the quickest peer at small blocks: processor time, in turns."""
    name, peer = next(iter(PEERS.items()))
    rows = [f"| a block of | stream_guard, us | {name}, us | against ours: median (least-most) |", "|---|---|---|---|"]
    for size in SMALL:
        reply, body = fixtures.deltas(fixtures.reply(size)), fixtures.deltas(fixtures.body(size))
        guard(reply)
        peer(body)
        took = [(spent(guard, reply), spent(peer, body)) for _ in range(turns)]
        ours, theirs = (1e6 * statistics.median(column) for column in zip(*took, strict=True))
        ratios = sorted(other / own for own, other in took)
        shown = f"{statistics.median(ratios):.2f}x ({ratios[0]:.2f}-{ratios[-1]:.2f})"
        rows.append(f"| {size:,} | {ours:,.0f} | {theirs:,.0f} | {shown} |")
    return rows


def spent(read: Contestant, deltas: Sequence[str]) -> float:
    start = time.process_time()
    for _ in range(5):
        read(deltas)
    return (time.process_time() - start) / 5


if __name__ == "__main__":
    argparse.ArgumentParser(prog="python -m benchmarks.growth", description="Time small blocks, beside jiter.").parse_args()
    print("\n".join(small()))
