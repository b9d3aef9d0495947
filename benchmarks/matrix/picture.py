"""Pictures of the matrix: bars as SVG, plain enough to be read in any theme, and without colours.

A picture has a ground of its own, so that a page may be light or dark; its words are text, its title and description say what a
screen reader needs, and each bar ends with its figures.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from benchmarks.matrix.totals import Totals

WIDTH, LEFT, RIGHT, LINE = 1000, 300, 200, 30
"""The width, the room for names and for figures, and the height of a line, in pixels."""


class Part(NamedTuple):
    """One part of a bar."""

    name: str
    style: str


PARTS: Final = (
    Part("right", "right"),
    Part("wrong, and nothing ran wrongly", "other"),
    Part("ran wrongly", "ran"),
    Part("not claimed", "none"),
)
"""The parts of a bar, from the left."""

STYLE: Final = """
    .ground { fill: #ffffff; stroke: #d0d7de }
    text { font: 14px system-ui, sans-serif; fill: #1f2328 }
    .right { fill: #1a7f64 } .other { fill: #d4a72c } .ran { fill: #b3261e } .none { fill: #d8dee4 }
    @media (prefers-color-scheme: dark) {
      .ground { fill: #161b22; stroke: #3d444d }
      text { fill: #e6edf3 }
      .right { fill: #3fb68f } .other { fill: #e3b341 } .ran { fill: #ff7b72 } .none { fill: #3d444d }
    }"""


def bars(title: str, told: Mapping[str, Sequence[float]], figures: Mapping[str, str], parts: Sequence[Part]) -> Iterator[str]:
    """Yield the lines of a picture: for each name a bar of parts, whose sizes are shares of 1, and its figures."""
    height = LINE * (len(told) + 1) + 36
    says = "; ".join(f"{name}: {figures[name]}" for name in told)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" '
        'aria-labelledby="title says">'
    )
    yield f'  <title id="title">{html.escape(title)}</title>'
    yield f'  <desc id="says">{html.escape(says)}</desc>'
    yield f"  <style>{STYLE}\n  </style>"
    yield f'  <rect class="ground" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="6"/>'
    at = 20
    for part in parts:
        yield f'  <rect class="{part.style}" x="{at}" y="18" width="14" height="14"/>'
        yield f'  <text x="{at + 20}" y="30">{html.escape(part.name)}</text>'
        at += 50 + 8 * len(part.name)
    for number, (name, shares) in enumerate(told.items()):
        top = LINE * (number + 1) + 24
        yield f'  <text x="{LEFT - 12}" y="{top + 15}" text-anchor="end">{html.escape(name)}</text>'
        left = float(LEFT)
        for part, share in zip(parts, shares, strict=True):
            wide = share * (WIDTH - LEFT - RIGHT)
            if wide:
                yield f'  <rect class="{part.style}" x="{left:.1f}" y="{top}" width="{wide:.1f}" height="{LINE - 9}"/>'
            left += wide
        yield f'  <text x="{WIDTH - RIGHT + 12}" y="{top + 15}">{html.escape(figures[name])}</text>'
    yield "</svg>"


def all_rows(totals: Mapping[str, Totals]) -> str:
    """Return the picture of what became of all rows on each parser."""
    shares, figures = {}, {}
    for name, each in totals.items():
        other = each.applied - each.right - each.ran
        shares[name] = [count / each.rows for count in (each.right, other, each.ran, each.rows - each.applied)]
        figures[name] = f"{each.right:,} right of {each.applied:,}"
    return "\n".join(bars("What became of all rows on each parser", shares, figures, PARTS)) + "\n"


def ran_wrongly(totals: Mapping[str, Totals]) -> str:
    """Return the picture of how many of the rows that apply ran a wrong call."""
    most = max((each.ran / each.applied for each in totals.values() if each.applied), default=0) or 1
    shares, figures = {}, {}
    for name, each in totals.items():
        share = each.ran / each.applied if each.applied else 0
        shares[name] = [share / most]
        figures[name] = f"{share:.1%}: {each.ran:,} of {each.applied:,}"
    title = "Rows in which a wrong call ran, of those that apply to a parser"
    return "\n".join(bars(title, shares, figures, (Part("ran wrongly, of the rows that apply", "ran"),))) + "\n"
