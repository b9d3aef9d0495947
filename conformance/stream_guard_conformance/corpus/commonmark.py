"""Rows of fences as CommonMark reads them, however they are written; and of lines that are none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from random import Random
from typing import Final

from .fences import FILE_TOOLS
from .rows import CUTS, Draft, Meant, Row, cut

BEGINNING: Final = "commonmark/"

_CALL: Final = Meant("delete_file", {"path": "a.txt"})
_BODY: Final = '{"tool": "delete_file", "path": "a.txt"}'

OPENERS: Final[Mapping[str, str]] = {
    "three backticks": "```json", "four backticks": "````json", "tildes": "~~~json", "an indent of one": " ```json",
    "an indent of two": "  ```json", "an indent of three": "   ```json", "blanks behind the mark": "``` json",
    "blanks behind the word": "```json  ",
}  # fmt: skip
"""Lines that open a block of JSON."""

CLOSERS: Final[Mapping[str, str]] = {
    "its own mark": "{0}", "a longer mark": "{0}{1}", "a mark twice as long": "{0}{0}", "an indent of one": " {0}",
    "an indent of three": "   {0}", "blanks behind it": "{0}  ", "a tab behind it": "{0}\t", "all of that": "  {0}{1} \t",
}  # fmt: skip
"""Lines that close a block, of its mark and of one more of its signs."""

NO_OPENERS: Final[Mapping[str, str]] = {
    "three backticks": "```x``` is code.",
    "three backticks around all of the line": "```x```",
    "the word that opens a block": "```json``` is a word.",
    "four backticks": "````x```` is code.",
    "a single backtick behind three": "``` and ` in a line",
    "code of another word": "```js f() ``` in a line",
    "an indent": "  ```x``` is code.",
    "two in a line": "```x``` and ```y``` are code.",
}
"""Lines that begin with three backticks, and open no block: a backtick stands behind them."""


def rows(seed: int) -> Iterator[Row]:
    """Yield the rows."""
    rng = Random(f"commonmark:{seed}")
    for nth, ((opens, opener), (closes, closer)) in enumerate(product(OPENERS.items(), CLOSERS.items())):
        mark = opener.strip().partition("json")[0].strip()
        block = f"{opener}\n{_BODY}\n{closer.format(mark, mark[0])}"
        draft = Draft().say("Now.\n\n").write(block, _CALL).say("\nSo.\n")
        yield _row("fences", f"CommonMark reads this block: opened by {opens}, closed by {closes}.", draft, nth, rng)
    block = f"```json\n{_BODY}\n```"
    for nth, (what, line) in enumerate(NO_OPENERS.items()):
        for behind in ("\n\n", "\n", f"\n\n{line}\n\n"):
            draft = Draft().say(f"{line}{behind}").write(block, _CALL).say("\nSo.\n")
            why = f"Inline code of several backticks opens no block, and what follows it is a call: {what}."
            yield _row("inline-code", why, draft, nth, rng)
        for mark in ("```", "````text"):
            end = f"\n{mark[:4]}" if len(mark) > 3 else ""  # the shorter one ends with the mark of the block in it
            draft = Draft().say(f"{line}\n\n{mark}\n{block}{end}\n\nSo.\n")
            yield _row("inline-code", f"It opens no block, and a block behind it shows a call: {what}.", draft, nth, rng)


def _row(kind: str, why: str, draft: Draft, nth: int, rng: Random) -> Row:
    deltas = cut(draft.text, CUTS[nth % len(CUTS)], rng)
    needs = ("fence", *(("streams",) if len(deltas) > 1 else ()))
    return Row(f"{BEGINNING}{kind}", why, FILE_TOOLS, deltas, draft.timed(deltas), texts=[draft.pieces], needs=needs)
