"""Shows a value as HTML, for notebooks. What a model wrote is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Final

from .quoting import one_line

_COLOURS: Final = {"valid": "#1a7f37", "fixed": "#9a6700", "corrected": "#9a6700", "failed": "#cf222e"}


def as_html(outcome: str, name: str, rows: Iterable[tuple[str, str | None]], content: str) -> str:
    """Return HTML with an outcome, a table of facts, and a text."""
    heading = f'<b style="color:{_COLOURS[outcome]}">{outcome}</b> {escape(one_line(name))}'
    shown_rows = ((key, escape(one_line(value))) for key, value in rows if value is not None)
    cells = "".join(f"<tr><th>{key}</th><td>{value}</td></tr>" for key, value in shown_rows)
    return f"<div>{heading}<table>{cells}</table><pre>{escape(content)}</pre></div>"
