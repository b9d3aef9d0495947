"""Rows of what is only said: reasoning by every mark, results and turns that a model made up, and marks that open nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Final

from .dialects import DIALECTS, WITHOUT_QUOTES
from .dialects import TOOLS as DIALECT_TOOLS
from .fences import FILE_TOOLS, MARKS, fenced
from .protocol_rows import DROP, SMALL, body
from .rows import Draft, Row, cut

BEGINNING: Final = "made-up/"

Marks = tuple[str, str]
"""An opener, and a closer of it."""


def _tags(*names: str) -> list[Marks]:
    return [(f"<{name}>", f"</{name}>") for name in names]


REASONING: Final[Sequence[Marks]] = (
    *_tags(
        "thoughts", "reflection", "scratchpad", "analysis", "antThinking", "seed:think", "seed:cot_budget_reflect", "mm:think",
        "longcat_think", "think_fast", "minimax:think",
    ),
    ('<think type="x">', "</think>"),
    ("<think:opensource>", "</think:opensource>"),
    ("<|think_start|>", "<|think_end|>"),
    ("<|plamo:begin_think:plamo|>", "<|plamo:end_think:plamo|>"),
    ("<ifm|think>", "</ifm|think>"),
    ("[unused16]", "[unused17]"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|channel|>analysis<|message|>", "<|end|>"),
    ("<|start|>assistant<|channel|>analysis<|message|>", "<|end|>"),
    ("<|think|>", "<|end|>"),
    ("<|channel>thought", "<channel|>"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ('<details type="reasoning">', "</details>"),
    ("<|open|>think<|sep|>", "<|close|>think<|sep|>"),
    ("<|content_thinking|>", "<|end_message|>"),
)  # fmt: skip
"""Marks between which models reason, beside those of `fences`."""

RESULTS: Final[Sequence[Marks]] = (
    *_tags(
        "tool_response", "tool_result", "tool_results", "tool_output", "tool_outputs", "function_result", "function_results",
        "function_response", "longcat_tool_response",
    ),
    ("[TOOL_RESULTS]", "[/TOOL_RESULTS]"),
    ("[TOOL_CONTENT]", "[/TOOL_RESULTS]"),
    ("<|START_TOOL_RESULT|>", "<|END_TOOL_RESULT|>"),
    ("<｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>"),
    ("<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"),
    ("<|tool_response>", "<tool_response|>"),
    ("<|tool_response_start|>", "<|tool_response_end|>"),
    ("<start_function_response>", "<end_function_response>"),
)  # fmt: skip
"""Marks around results of tools. A result that a model writes itself was made up."""

TURNS: Final[Sequence[Marks]] = (
    *((f"<|im_start|>{role}", "<|im_end|>") for role in ("user", "system", "developer", "tool", "function", "observation")),
    ("<|im_start|>user", "<|im_start|>assistant"),
    ("<|start_header_id|>user<|end_header_id|>", "<|eot_id|>"),
    ("<|start_header_id|>ipython<|end_header_id|>", "<|start_header_id|>assistant<|end_header_id|>"),
    ("<|header_start|>user<|header_end|>", "<|eot|>"),
    ("<|start_of_role|>user<|end_of_role|>", "<|end_of_text|>"),
    ("<|start|>user<|message|>", "<|end|>"),
    ("<start_of_turn>user", "<end_of_turn>"),
    ("<|turn>user", "<turn|>"),
    ("<seed:bos>user", "<seed:eos>"),
    ("]~b]user", "[e~["),
    ("<SPECIAL_11>User", "<SPECIAL_11>Assistant"),
    ("<|user|>", "<|assistant|>"),
    ("<|system|>", "<|end|>"),
    ("<|observation|>", "<|assistant|>"),
    ("[|user|]", "[|assistant|]"),
    ("<role>HUMAN</role>", "<role>ASSISTANT</role>"),
    ("<｜User｜>", "<｜Assistant｜>"),
    ("<|im_user|>", "<|im_end|>"),
    ("<|user_start|>", "<|user_end|>"),
    ("<|START_OF_TURN_TOKEN|><|USER_TOKEN|>", "<|END_OF_TURN_TOKEN|>"),
    ("[INST]", "[/INST]"),
    ("[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"),
    ("[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]"),
)
"""Marks around turns of others, as chat templates write them: a model that goes on past its own turn writes them too."""

SHOWN: Final[Mapping[str, str]] = {
    "in inline code": "The tag `{}` opens it.\n\n",
    "in the middle of a line": "A model writes {} first.\n\n",
    "in a code block": "So:\n\n```text\n{}\n```\n\n",
}
"""Where a mark is only shown. Braces stand for it."""


def rows(seed: int) -> Iterator[Row]:
    """Yield the rows."""
    kinds = {"reasoning": (REASONING, "reasoning"), "results": (RESULTS, "turns"), "turns": (TURNS, "turns")}
    for kind, (marks, need) in kinds.items():
        for nth, (opener, closer) in enumerate(marks):
            rng = Random(f"made up:{kind}:{nth}:{seed}")
            yield from _fences(kind, opener, closer, need, rng)
            yield _dialect(kind, opener, closer, need, nth, rng)
    yield from _shown(seed)
    yield from _quotes(seed)


def _row(kind: str, why: str, draft: Draft, how: str, rng: Random, *needs: str) -> Row:
    deltas = cut(draft.text, how, rng)
    needed = ("fence", *needs, *(("streams",) if len(deltas) > 1 else ()))
    return Row(f"{BEGINNING}{kind}", why, FILE_TOOLS, deltas, draft.timed(deltas), texts=[draft.pieces], needs=needed)


def _fences(kind: str, opener: str, closer: str, need: str, rng: Random) -> Iterator[Row]:
    said = f"Hm.\n\n{opener}\nSo:\n\n{fenced(body(DROP))}\n\nand so on.\n"
    behind = Draft().say(f"{said}{closer}\n\n").write(fenced(body(SMALL)), SMALL).say("\nDone.\n")
    yield _row(kind, f"A call behind {opener} never runs; one behind {closer} does.", behind, "characters", rng, need)
    yield _row(kind, f"A call behind {opener}, which nothing closes, never runs.", Draft().say(said), "tokens", rng, need)


def _dialect(kind: str, opener: str, closer: str, need: str, nth: int, rng: Random) -> Row:
    """Return a row with a call in one dialect after the other."""
    names = [name for name in DIALECTS if name not in WITHOUT_QUOTES]
    name = names[nth % len(names)]
    written = DIALECTS[name]([("write_file", {"path": "a.txt", "content": "x"})])
    draft = Draft().say(f"Hm.\n\n{opener}\nSo:\n\n{written}\n\nand so on.\n{closer}\nNo.\n")
    deltas = cut(draft.text, "random", rng)
    why = f"A call in the form `{name}` behind {opener} never runs."
    return draft.in_dialect(f"{BEGINNING}{kind}", why, name, DIALECT_TOOLS, deltas, needs=(need, "streams"))


def _shown(seed: int) -> Iterator[Row]:
    """Yield rows with marks that open nothing, before a call that runs."""
    marks = [opener for opener, _ in (*MARKS, *REASONING[:6], *RESULTS[:4])] + ["<|im_start|>user"]
    rng = Random(f"shown marks:{seed}")
    for nth, mark in enumerate(marks):
        for where, form in SHOWN.items():
            if "middle" in where and mark.startswith(("<|", "◁", "[")):
                continue  # a special token may open a turn there
            draft = Draft().say(form.replace("{}", mark)).write(fenced(body(SMALL)), SMALL).say("\nSo.\n")
            how = ("whole", "characters", "random")[nth % 3]
            yield _row("shown", f"{mark} {where} opens nothing: the call behind it runs.", draft, how, rng)


_FORMS: Final[Mapping[str, str]] = {
    "a block quote": "> ```json\n> {}\n> ```\n",
    "a block quote without blanks": ">```json\n>{}\n>```\n",
    "a block quote in a block quote": "> > ```json\n> > {}\n> > ```\n",
    "a block quote with more text": "> You said:\n>\n> ```json\n> {}\n> ```\n>\n> Right?\n",
}
"""Quotes of a call. Braces stand for it."""


def _quotes(seed: int) -> Iterator[Row]:
    rng = Random(f"block quotes:{seed}")
    for what, form in _FORMS.items():
        shown = form.replace("{}", body(DROP))
        for calls in ((), (SMALL,)):
            draft = Draft().say(f"You could write:\n\n{shown}\nShall I?\n\n")
            for call in calls:
                draft.write(fenced(body(call)), call).say("\nSo.\n")
            for how in ("whole", "characters", "lines"):
                why = f"A call in {what} is quoted, and never runs{'; one behind it does' if calls else ''}."
                yield _row("quotes", why, draft, how, rng)
