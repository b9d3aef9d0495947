"""The marks that open and close reasoning in a model's text.

A call in reasoning was considered and not made. So reasoning is prose, from its opener to the closer of the same kind.

Rule 1: an opener counts only at the beginning of a line, outside fences. In the middle of a line it is quoted.
Rule 2: the first closer counts, wherever it stands.
Rule 3: a mark that arrives in pieces is read again with each of them; no character is read more than `MAX_MARK` times.
"""

from __future__ import annotations

import re
from typing import Final, Literal

Reasoning = Literal["skip", "inside", "scan"]
"""How reasoning in a text is read: as prose (`skip`); as prose, and the text begins in it (`inside`); as any text (`scan`)."""

_TAGS: Final = ("think", "thinking", "thought", "thoughts", "reasoning", "reflection", "scratchpad", "seed:think", "mm:think")
PAIRS: Final = {
    **{f"<{tag}>": f"</{tag}>" for tag in _TAGS},
    "[THINK]": "[/THINK]",
    "◁think▷": "◁/think▷",
    "<|START_THINKING|>": "<|END_THINKING|>",
    "<|begin_of_thought|>": "<|end_of_thought|>",
    "<|channel|>analysis<|message|>": "<|end|>",
}
"""Each opener, and its closer. Upper and lower case are the same."""

MAX_MARK: Final = max(map(len, (*PAIRS, *PAIRS.values())))
"""The length of the longest mark."""

ANY_CLOSER: Final = re.compile("|".join(map(re.escape, PAIRS.values())), re.IGNORECASE)
"""Any closer, for a text that begins inside reasoning."""

_OPENERS: Final = tuple(opener.lower() for opener in PAIRS)
_CLOSERS: Final = {opener.lower(): re.compile(re.escape(closer), re.IGNORECASE) for opener, closer in PAIRS.items()}
FIRSTS: Final = frozenset(opener[0] for opener in PAIRS)
"""The first characters of all marks. No closer has one of them inside it."""

MAY_OPEN: Final = "|".join(
    "{}(?:\\Z|{}(?:\\Z|{}))".format(*map(re.escape, start)) for start in sorted({opener[:3].lower() for opener in PAIRS})
)
"""Matches the first three characters of an opener, or fewer at the end of a text. Most lines of HTML do not match."""


def opener_in(head: str) -> str | None:
    """Return the opener that a text begins with; "" if it may still become one, None if it cannot."""
    told = head[:MAX_MARK].lower()
    for opener in _OPENERS:
        if told.startswith(opener):
            return head[: len(opener)]
    return "" if any(opener.startswith(told) for opener in _OPENERS) else None


def closer_begun(text: str) -> str:
    """Return the suffix of a text that may be the beginning of a closer; empty if there is none."""
    at = max(text.rfind(first, max(len(text) - MAX_MARK, 0)) for first in FIRSTS)
    return text[at:] if at >= 0 else ""


def closer_of(opener: str) -> re.Pattern[str]:
    """Return the pattern of the closer that belongs to an opener."""
    return _CLOSERS[opener.lower()]
