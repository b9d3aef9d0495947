"""The marks that chat templates write around results of tools, and around the turns of the user and of the system.

A model that writes on after the end of its turn writes these marks too; then it made up the result, or the user's message. The
tags of reasoning are here as well; the other marks of reasoning are in `scan/reasoning.py`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from ..values.late import late

RESULTS: Final[Mapping[str, tuple[str, ...]]] = {
    **{
        f"<{tag}>": (f"</{tag}>",)
        for tag in (
            *("tool_response", "tool_result", "tool_results", "tool_output", "tool_outputs"),
            *("function_result", "function_results", "function_response", "longcat_tool_response"),
        )
    },
    "[TOOL_RESULTS]": ("[/TOOL_RESULTS]",),
    "[TOOL_CONTENT]": ("[/TOOL_RESULTS]",),
    "<|START_TOOL_RESULT|>": ("<|END_TOOL_RESULT|>",),
    "<｜tool▁outputs▁begin｜>": ("<｜tool▁outputs▁end｜>",),
    "<｜tool▁output▁begin｜>": ("<｜tool▁output▁end｜>",),
    "<|tool_response>": ("<tool_response|>",),
    "<|tool_response_start|>": ("<|tool_response_end|>",),
    "<start_function_response>": ("<end_function_response>",),
}
"""The closers of a result, by its opener."""

_OTHERS: Final = ("user", "system", "developer", "tool", "function", "observation", "environment", "ipython")
"""The names of roles that are not the model's."""

_HEADERS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "<|im_start|>": ("assistant", ("<|im_end|>",)),
    "<|start_header_id|>": ("assistant", ("<|eot_id|>", "<|eom_id|>")),
    "<|header_start|>": ("assistant", ("<|eot|>", "<|eom|>")),
    "<|start_of_role|>": ("assistant", ("<|end_of_text|>",)),
    "<|start|>": ("assistant", ("<|end|>",)),
    "<start_of_turn>": ("model", ("<end_of_turn>",)),
    "<|turn>": ("model", ("<turn|>",)),
    "<seed:bos>": ("assistant", ("<seed:eos>",)),
    "<|begin|>": ("assistant", ("<|end|>",)),
    "]~b]": ("ai", ("[e~[",)),
}
"""By the mark before the name of a role: the model's own role, and the marks that end a turn."""

TURNS: Final[Mapping[str, tuple[str, ...]]] = {
    **{f"{before}{role}": (*ends, f"{before}{own}") for before, (own, ends) in _HEADERS.items() for role in _OTHERS},
    **{
        f"<|{role}|>": ("<|assistant|>", "<|end|>", f"<|endof{role}|>", "<|response|>")
        for role in ("user", "userprompt", "system", "tool", "observation")
    },
    **{
        f"<SPECIAL_1{number}>{role}": ("<SPECIAL_11>Assistant", "<SPECIAL_12>")
        for number, role in enumerate(("System", "User"))
    },
    **{f"[|{role}|]": ("[|assistant|]", "[|endofturn|]") for role in ("user", "system", "tool")},
    **{
        f"<role>{role}</role>": ("<role>ASSISTANT", "<|role_end|>")
        for role in ("HUMAN", "USER", "SYSTEM", "OBSERVATION", "TOOL")
    },
    **{f"<｜{role}｜>": ("<｜Assistant｜>", "<｜end▁of▁sentence｜>") for role in ("User", "System")},
    **{f"<｜hy_{role}｜>": ("<｜hy_Assistant｜>",) for role in ("User", "System")},
    **{f"<|im_{role}|>": ("<|im_end|>", "<|im_assistant|>") for role in ("user", "system")},
    **{f"<|{role}_start|>": (f"<|{role}_end|>", "<|assistant_start|>") for role in ("user", "system", "developer")},
    **{
        f"<|START_OF_TURN_TOKEN|><|{role}_TOKEN|>": ("<|END_OF_TURN_TOKEN|>", "<|CHATBOT_TOKEN|>")
        for role in ("USER", "SYSTEM")
    },
    **{f"[{block}]": (f"[/{block}]",) for block in ("INST", "SYSTEM_PROMPT", "AVAILABLE_TOOLS")},
}
"""The marks that end a turn that is not the model's, by its opener: the end of the turn, or the model's next turn."""

K2: Final = ("ifm|think", "ifm|think_fast", "ifm|think_faster")
THINK: Final = ("think", "thinking", "thought", "thoughts", "reasoning")
TAGS: Final = (
    *THINK,
    "reflection",
    "scratchpad",
    "analysis",
    "antThinking",
    "seed:think",
    "mm:think",
    "longcat_think",
    "seed:cot_budget_reflect",
    *K2,
)
"""The names of the tags of reasoning."""

MOST_BLANKS: Final = 4
"""The most blanks between the name of a tag and its bracket."""

LONGEST_SUFFIX: Final = 32
"""The longest suffix of a mark."""

LOCAL: Final = rf"(?:{'|'.join(sorted(THINK, key=len, reverse=True))})"
_SETTING: Final = rf"(?:effort|mode|budget|level)[ \t]{{0,{MOST_BLANKS}}}>"
"""A pattern for the rest of a tag that sets how much to think, after the name: `effort>`."""

_BEHIND: Final = rf"(?:[_-](?!{_SETTING})[\w-]{{1,24}})?(?::[\w.-]{{1,{LONGEST_SUFFIX}}})?"
ATTRIBUTES: Final = r"""(?:[ \t]{1,2}[a-z][\w:-]{0,15}=(?:"[^"<>\r\n]{0,20}"|'[^'<>\r\n]{0,20}'|[\w.-]{1,20})){1,2}"""
SHAPED_TAG: Final = rf"(?:[\w.-]{{1,24}}[:|])?{LOCAL}(?:{ATTRIBUTES}|{_BEHIND})[ \t]{{0,{MOST_BLANKS}}}>"
"""A pattern for a tag of reasoning, without its first bracket. The name may have a namespace before it, and a word or
attributes after it."""

_ASIDE: Final = late(rf"<(?:{'|'.join(map(re.escape, TAGS))})>|<{SHAPED_TAG}", re.IGNORECASE)


def begins_aside(text: str) -> bool:
    """Return whether a text begins with a tag of reasoning, or with the opener of a result or a turn. A call in such a text is
    never read.
    """
    return _ASIDE.match(text) is not None or text.lower().startswith(tuple(opener.lower() for opener in (*RESULTS, *TURNS)))
