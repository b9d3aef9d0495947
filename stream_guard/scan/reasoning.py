"""The marks that open and close reasoning in a model's text, and results of tools that a model writes itself.

A call in reasoning was considered and not made, and one in a result was quoted. So both are prose, from the opener to the
closer of the same kind.

Rule 1: an opener counts only at the beginning of a line, outside fences, also behind the marker of a list or the marks of bold
type. In the middle of a line it is quoted.
Rule 2: the first closer counts, wherever it stands.
Rule 3: a mark that arrives in pieces is read again with each of them; no character is read more than `MAX_MARK` times.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal

Reasoning = Literal["skip", "inside", "scan"]
"""How reasoning in a text is read: as prose (`skip`); as prose, and the text begins in it (`inside`); as any text (`scan`)."""

_K2: Final = ("ifm|think", "ifm|think_fast", "ifm|think_faster")
_TAGS: Final = (
    "think",
    "thinking",
    "thought",
    "thoughts",
    "reasoning",
    "reflection",
    "scratchpad",
    "analysis",
    "antThinking",
    "seed:think",
    "mm:think",
    "longcat_think",
    *_K2,
)
PAIRS: Final = {
    **{f"<{tag}>": f"</{tag}>" for tag in _TAGS},
    "[THINK]": "[/THINK]",
    "◁think▷": "◁/think▷",
    "<|START_THINKING|>": "<|END_THINKING|>",
    "<|begin_of_thought|>": "<|end_of_thought|>",
    "<|channel|>analysis<|message|>": "<|end|>",
    "<|channel>thought": "<channel|>",
    "<|inner_prefix|>": "<|inner_suffix|>",
    "<|think|>": "<|end|>",
    "<|open|>think<|sep|>": "<|close|>think<|sep|>",
    **{f"{before}<|content_thinking|>": "<|end_message|>" for before in ("", "<|message_model|>")},
}
"""Each opener of reasoning, and its closer. Upper and lower case are the same."""

RESULTS: Final = {
    **{
        f"<{tag}>": f"</{tag}>"
        for tag in ("tool_response", "tool_result", "tool_results", "tool_output", "function_results", "function_response")
    },
    "[TOOL_RESULTS]": "[/TOOL_RESULTS]",
    "<|START_TOOL_RESULT|>": "<|END_TOOL_RESULT|>",
    "<｜tool▁outputs▁begin｜>": "<｜tool▁outputs▁end｜>",
    "<|tool_response>": "<tool_response|>",
    "<|tool_response_start|>": "<|tool_response_end|>",
    "<start_function_response>": "<end_function_response>",
}
"""The same of a tool's result. No text begins in one."""

_ALL: Final = PAIRS | RESULTS

_MOST_BLANKS: Final = 4
"""The most blanks between the name of a tag and its bracket."""

_LONGEST_SUFFIX: Final = 32
"""The longest suffix of a mark."""

_PLAIN: Final = re.compile(r"</?\w+>")
"""Matches a mark that some models write with a suffix behind its name: `<think:opensource>`."""

MAX_MARK: Final = max(map(len, (*_ALL, *_ALL.values()))) + _MOST_BLANKS + 1 + _LONGEST_SUFFIX
"""The length of the longest mark."""


def _spaced(mark: str) -> str:
    """Return a pattern of a mark; there may be blanks before the bracket that ends a tag."""
    return rf"{re.escape(mark[:-1])}[ \t]{{0,{_MOST_BLANKS}}}>" if mark[-1] == ">" else re.escape(mark)


def _any_suffix(mark: str) -> str:
    """Return the same with any suffix, or none."""
    if _PLAIN.fullmatch(mark) is None:
        return _spaced(mark)
    return rf"{re.escape(mark[:-1])}(?::[\w.-]{{1,{_LONGEST_SUFFIX}}})?[ \t]{{0,{_MOST_BLANKS}}}>"


ANY_CLOSER: Final = re.compile("|".join(map(_any_suffix, PAIRS.values())), re.IGNORECASE)
"""Any closer, for a text that begins inside reasoning."""

_BOLD: Final = "**"
"""The marks of Markdown that may stand before an opener."""

_OPENERS: Final = tuple(opener.lower() for opener in _ALL)
_STARTS: Final = frozenset(opener[:end] for opener in _OPENERS for end in range(len(opener)))
_OPENER: Final = re.compile(rf"(?:{re.escape(_BOLD)})?(?:{'|'.join(map(_any_suffix, _ALL))})", re.IGNORECASE)
_BLANKS: Final = re.compile(r"[ \t]+")
_SUFFIX: Final = re.compile(rf"(?<=\w):[\w.-]{{1,{_LONGEST_SUFFIX}}}(?=>)")
_BEGUN_SUFFIX: Final = re.compile(
    rf"(?:{'|'.join(re.escape(opener[:-1]) for opener in _OPENERS if _PLAIN.fullmatch(opener))})"
    rf":(?:[\w.-]{{1,{_LONGEST_SUFFIX}}}[ \t]{{0,{_MOST_BLANKS}}})?"
)
_END_BLANKS: Final = re.compile(rf"(?<=\w)[ \t]{{1,{_MOST_BLANKS}}}\Z")
_CLOSERS: Final = {
    **{opener.lower(): re.compile(_spaced(closer), re.IGNORECASE) for opener, closer in _ALL.items()},
    **dict.fromkeys(  # the model mixes them up
        (f"<{tag}>" for tag in _K2), re.compile("|".join(_spaced(f"</{tag}>") for tag in _K2), re.IGNORECASE)
    ),
}
FIRSTS: Final = frozenset(opener[0] for opener in _ALL)
"""The first characters of all marks."""

_HEADS: Final = tuple({closer[:at] for closer in _ALL.values() for at in range(1, len(closer)) if closer[at] in FIRSTS})
"""What stands in a closer before such a character inside it."""

MAY_OPEN: Final = "|".join(
    "{}(?:\\Z|{}(?:\\Z|{}))".format(*map(re.escape, start)) for start in sorted({opener[:3].lower() for opener in _ALL})
)
"""Matches the first three characters of an opener, or fewer at the end of a text. Most lines of HTML do not match."""


def opener_in(head: str) -> str | None:
    """Return the opener that a text begins with, as written; "" if it may still become one, None if it cannot."""
    found = _OPENER.match(head)
    if found is not None:
        return found[0]
    told = head[: MAX_MARK + len(_BOLD)].lower()
    bare = _END_BLANKS.sub("", told.removeprefix(_BOLD))
    begun = bare in _STARTS or _BOLD.startswith(told) or _BEGUN_SUFFIX.fullmatch(told.removeprefix(_BOLD)) is not None
    return "" if begun else None


def closer_begun(text: str) -> str:
    """Return the suffix of a text that may be the beginning of a closer; empty if there is none."""
    at = max(text.rfind(first, max(len(text) - MAX_MARK, 0)) for first in FIRSTS)
    head = next((head for head in _HEADS if at > 0 and text[:at].lower().endswith(head)), "")
    return text[at - len(head) :] if at >= 0 else ""


def closer_of(opener: str) -> re.Pattern[str]:
    """Return the pattern of the closer that belongs to an opener: one with its suffix, if it has one."""
    told = _BLANKS.sub("", opener.lower().removeprefix(_BOLD))
    return _CLOSERS.get(told) or _suffixed(_SUFFIX.sub("", told), _SUFFIX.search(told)[0])  # type: ignore[index]  # it has one


@lru_cache(maxsize=64)
def _suffixed(opener: str, suffix: str) -> re.Pattern[str]:
    """Return the pattern of the closer of an opener, with a suffix."""
    closer = next(_ALL[mark] for mark in _ALL if mark.lower() == opener)
    return re.compile(_spaced(f"{closer[:-1]}{suffix}>"), re.IGNORECASE)
