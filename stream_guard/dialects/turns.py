"""What chat templates write around results of tools, and around what another than the model says.

A model that goes on past the end of its turn writes these too: then it made up the result, or what the user says.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

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
"""Each opener of a result, and its closers."""

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
}
"""What stands before the name of a role, with the model's own role, and the marks that end a turn."""

TURNS: Final[Mapping[str, tuple[str, ...]]] = {
    **{f"{before}{role}": (*ends, f"{before}{own}") for before, (own, ends) in _HEADERS.items() for role in _OTHERS},
    **{f"<|{role}|>": ("<|assistant|>", "<|end|>") for role in ("user", "system", "tool", "observation")},
    **{f"[|{role}|]": ("[|assistant|]", "[|endofturn|]") for role in ("user", "system", "tool")},
    **{f"<role>{role}</role>": ("<role>ASSISTANT", "<|role_end|>") for role in ("HUMAN", "SYSTEM", "OBSERVATION")},
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
"""Each opener of a turn that is not the model's, and what ends it: the end of the turn, or the model's own turn."""
