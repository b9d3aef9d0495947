"""Dialects that write the name of a call in a header, and its arguments as JSON after it."""

from __future__ import annotations

from functools import partial
from typing import Final

import regex

from ..bodies.header_json import HeaderJson
from ..bodies.json_body import JsonBody
from ..table import Dialect, Opener
from ..write import behind_headers

_NAME: Final = regex.compile(r"\w")
_TAG: Final = regex.compile("<")
_VALUE: Final = regex.compile(r"\{|\[[^A-Z]")  # a bracket before a capital is a marker: the opener was written twice
_NO_CLOSER: Final = "whether the reply was cut off after the JSON: there is no closer"

_PARTS: Final = ("tool calls begin", "tool calls end", "tool call begin", "tool call end", "tool sep")
_DEEPSEEK: Final = tuple(
    {part: f"<{bar}{part.replace(' ', gap)}{bar}>" for part in _PARTS}
    for bar, gap in (("｜", "▁"), ("|", "▁"), ("｜", "_"), ("｜", " "))
)
"""The spellings of DeepSeek's markers: in its tokenizer, and as models and servers write them in text."""

_SEP: Final = "<[｜|]tool[▁_ ]sep[｜|]>"


def _spelt(part: str) -> tuple[str, ...]:
    return tuple(spelling[part] for spelling in _DEEPSEEK)


def _deepseek(name: str, header: str, behind: str, models: str) -> Dialect:
    """Return a dialect with DeepSeek's markers, which reads all their spellings."""
    make = partial(
        HeaderJson,
        rf"(?:function{_SEP}(?P<name>[\w.-]+)\s*```(?:json)?\s*|(?P<name>[\w.-]+){_SEP}\s*)",
        call_open=_spelt("tool call begin"),
        call_close=_spelt("tool call end"),
        outer_open=_spelt("tool calls begin"),
        outer_close=_spelt("tool calls end"),
        fence=True,
    )
    own = _DEEPSEEK[0]
    return Dialect(
        name,
        (
            *(Opener(text, make, _TAG) for text in _spelt("tool calls begin")),
            *(Opener(text, partial(make, wrapped=False), begins_body=True) for text in _spelt("tool call begin")),
        ),
        behind_headers(
            own["tool call begin"],
            header.format,
            f"{behind}{own['tool call end']}",
            outer=(own["tool calls begin"], own["tool calls end"]),
            between="\n",
        ),
        closers=(*_spelt("tool calls end"), *_spelt("tool call end")),
        models=models,
        several="several calls in one block",
    )


DEEPSEEK_V3: Final = _deepseek(
    "deepseek_v3",
    f"function{_DEEPSEEK[0]['tool sep']}{{0}}\n```json\n",
    "\n```",
    "DeepSeek V3, R1 and distilled models, Cogito",
)
DEEPSEEK_V31: Final = _deepseek("deepseek_v31", f"{{0}}{_DEEPSEEK[0]['tool sep']}", "", "DeepSeek V3.1")

_SECTIONS: Final = ("<|tool_calls_section_begin|>", "<|tool_call_section_begin|>")
_ENDS: Final = ("<|tool_calls_section_end|>", "<|tool_call_section_end|>")
_KIMI: Final = partial(
    HeaderJson,
    r"\s*(?P<id>(?:functions\.)?(?P<name>[A-Za-z_][\w.-]*?)(?::\d+)?)\s*<\|tool_call_argument_begin\|>\s*",
    call_open=("<|tool_call_begin|>",),
    call_close=("<|tool_call_end|>",),
    outer_open=_SECTIONS,
    outer_close=_ENDS,
)

KIMI_K2: Final = Dialect(
    "kimi_k2",
    (
        *(Opener(text, _KIMI, _TAG) for text in _SECTIONS),
        Opener("<|tool_call_begin|>", partial(_KIMI, wrapped=False), begins_body=True),
    ),
    behind_headers(
        "<|tool_call_begin|>",
        "functions.{}:{}<|tool_call_argument_begin|>".format,
        "<|tool_call_end|>",
        outer=(_SECTIONS[0], _ENDS[0]),
    ),
    closers=(*_ENDS, "<|tool_call_end|>"),
    models="Kimi K2, K2.5, K2 Thinking",
    several="several calls in one section",
    unknown="the name, where the id is only a number",
    stripped="the markers; then the call is not recognised",
)

_BEHIND_MISTRAL: Final = ("[TOOL_CALLS]", "[TOOL_RESULTS]")
_MISTRAL: Final = partial(
    HeaderJson,
    r"\s*(?P<name>[\w.-]+)(?:\s*\[CALL_ID\]\s*(?P<id>[\w-]+))?(?:\s*\[ARGS\])?\s*",
    ends_rest=_BEHIND_MISTRAL,
)

MISTRAL: Final = Dialect(
    "mistral",
    (Opener("[TOOL_CALLS]", _MISTRAL, _NAME), Opener("[TOOL_CALLS]", partial(JsonBody, openers=_BEHIND_MISTRAL), _VALUE)),
    behind_headers("[TOOL_CALLS]", "{0}[ARGS]".format),
    models="Mistral Small 3.2, Magistral, Devstral, Ministral 3; as an array Mistral 7B 0.3, Nemo, Large and Small up to 3.1",
    several="an opener each; older models: in the array",
    unknown=_NO_CLOSER,
    stripped="the markers; then the call is not recognised",
)

_MESSAGE: Final = partial(
    HeaderJson,
    r"(?:functions\.)?(?P<name>[\w.-]+)\s*(?:<\|channel\|>\s*\w+)?\s*(?:<\|constrain\|>)?\s*\w*\s*<\|message\|>\s*",
    call_close=("<|call|>",),
    needs_closer=False,
    ends_rest=("<|start|>", "<|channel|>", "<|end|>", "<|return|>"),
)

HARMONY: Final = Dialect(
    "harmony",
    (
        *(
            Opener(f"{start}{channel} to=", _MESSAGE, _NAME)
            for start in ("", "<|start|>assistant")
            for channel in ("<|channel|>commentary", "<|channel|>analysis", "")
            if start or channel
        ),
        Opener("to=", _MESSAGE, _NAME, place="reply"),
    ),
    behind_headers(
        "<|start|>assistant<|channel|>commentary to=",
        "functions.{0} <|constrain|>json<|message|>".format,
        "<|call|>",
    ),
    closers=("<|call|>",),
    models="gpt-oss",
    several="a message each; of the first, whose beginning is in the prompt, ` to=` is the opener",
    unknown="whether the reply was cut off after the JSON: servers strip the closer",
    stripped="all its tokens; then the call is not recognised",
)

TABLES: Final = (DEEPSEEK_V3, DEEPSEEK_V31, KIMI_K2, MISTRAL, HARMONY)
