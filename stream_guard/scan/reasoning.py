"""The marks that models put around reasoning in their text: what opens it, and what closes it.

Reasoning is a draft: a call in it was weighed, and not made. So its text is prose, to the closer that belongs to its opener.

Rule 1: an opener counts at the beginning of a line only, outside of fences. In the middle of a line somebody speaks of it.
Rule 2: a closer counts wherever it stands in the reasoning, the first one that there is.
Rule 3: a mark that comes in pieces is read again with each of them; no character is looked at more than `MAX_MARK` times.
"""

from __future__ import annotations

import re
from typing import Final, Literal

import regex

Reasoning = Literal["skip", "inside", "scan"]
"""What becomes of reasoning in a text: it is prose (`skip`), also where the text begins in it (`inside`), or it is looked into
(`scan`)."""

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
"""Any closer, for a text that begins inside of reasoning."""

_OPENER: Final = regex.compile("|".join(map(regex.escape, PAIRS)), regex.I)
_CLOSERS: Final = {opener.lower(): re.compile(re.escape(closer), re.IGNORECASE) for opener, closer in PAIRS.items()}
FIRSTS: Final = frozenset(opener[0] for opener in PAIRS)
"""What every mark begins with. No closer has one of these inside of it."""

MAY_OPEN: Final = "|".join(
    "{}(?:\\Z|{}(?:\\Z|{}))".format(*map(re.escape, start)) for start in sorted({opener[:3].lower() for opener in PAIRS})
)
"""The first characters of an opener, as far as they are here, as a pattern that ignores case: most lines of HTML are others."""


def opener_in(head: str) -> str | None:
    """The opener that a text begins with; "" while it may become one; None when it cannot any more."""
    found = _OPENER.match(head, partial=True)
    return None if found is None else "" if found.partial else found[0]


def closer_begun(text: str) -> str:
    """The end of a text, from where a closer may begin that is not whole yet; empty when none may."""
    at = max(text.rfind(first, max(len(text) - MAX_MARK, 0)) for first in FIRSTS)
    return text[at:] if at >= 0 else ""


def closer_of(opener: str) -> re.Pattern[str]:
    """The pattern of the closer that belongs to an opener."""
    return _CLOSERS[opener.lower()]
