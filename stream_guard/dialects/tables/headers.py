"""Dialects that write the name of a call in a header, and its arguments as JSON behind it."""

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
_VALUE: Final = regex.compile(r"[{\[]")
_NO_CLOSER: Final = "whether the reply was cut off behind the JSON: there is no closer"

_CALLS: Final = ("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>")
_CALL: Final = ("<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>")
_SEP: Final = "<｜tool▁sep｜>"


def _deepseek(name: str, header: str, behind: str, models: str) -> Dialect:
    """Return a dialect of DeepSeek's markers. Each reads the spelling of both."""
    make = partial(
        HeaderJson,
        rf"(?:function{_SEP}(?P<name>[\w.-]+)\s*```(?:json)?\s*|(?P<name>[\w.-]+){_SEP}\s*)",
        call_open=_CALL[:1],
        call_close=_CALL[1:],
        outer_open=_CALLS[:1],
        outer_close=_CALLS[1:],
        fence=True,
    )
    return Dialect(
        name,
        (Opener(_CALLS[0], make, _TAG), Opener(_CALL[0], partial(make, wrapped=False), begins_body=True)),
        behind_headers(_CALL[0], header.format, f"{behind}{_CALL[1]}", outer=_CALLS, between="\n"),
        closers=(_CALLS[1], _CALL[1]),
        models=models,
        several="several calls in one block",
    )


DEEPSEEK_V3: Final = _deepseek(
    "deepseek_v3", f"function{_SEP}{{0}}\n```json\n", "\n```", "DeepSeek V3, R1 and distilled models, Cogito"
)
DEEPSEEK_V31: Final = _deepseek("deepseek_v31", f"{{0}}{_SEP}", "", "DeepSeek V3.1")

_KIMI: Final = partial(
    HeaderJson,
    r"\s*(?P<id>(?:functions\.)?(?P<name>[A-Za-z_][\w.-]*?)(?::\d+)?)\s*<\|tool_call_argument_begin\|>\s*",
    call_open=("<|tool_call_begin|>",),
    call_close=("<|tool_call_end|>",),
    outer_open=("<|tool_calls_section_begin|>",),
    outer_close=("<|tool_calls_section_end|>",),
)

KIMI_K2: Final = Dialect(
    "kimi_k2",
    (
        Opener("<|tool_calls_section_begin|>", _KIMI, _TAG),
        Opener("<|tool_call_begin|>", partial(_KIMI, wrapped=False), begins_body=True),
    ),
    behind_headers(
        "<|tool_call_begin|>",
        "functions.{}:{}<|tool_call_argument_begin|>".format,
        "<|tool_call_end|>",
        outer=("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
    ),
    closers=("<|tool_calls_section_end|>", "<|tool_call_end|>"),
    models="Kimi K2, K2.5, K2 Thinking",
    several="several calls in one section",
    unknown="the name, where the id is only a number",
    stripped="the markers; then it is not read",
)

_MISTRAL: Final = partial(HeaderJson, r"\s*(?P<name>[\w.-]+)(?:\[CALL_ID\](?P<id>[\w-]+))?(?:\[ARGS\])?\s*")

MISTRAL: Final = Dialect(
    "mistral",
    (Opener("[TOOL_CALLS]", _MISTRAL, _NAME), Opener("[TOOL_CALLS]", JsonBody, _VALUE)),
    behind_headers("[TOOL_CALLS]", "{0}[ARGS]".format),
    models="Mistral Small 3.2, Magistral, Devstral, Ministral 3; as an array Mistral 7B 0.3, Nemo, Large and Small up to 3.1",
    several="an opener each; older models: in the array",
    unknown=_NO_CLOSER,
    stripped="the markers; then it is not read",
)

_MESSAGE: Final = partial(
    HeaderJson,
    r"(?:functions\.)?(?P<name>[\w.-]+)\s*(?:<\|channel\|>\s*\w+)?\s*(?:<\|constrain\|>)?\s*\w*\s*<\|message\|>\s*",
    call_close=("<|call|>",),
    needs_closer=False,
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
    unknown="whether the reply was cut off behind the JSON: servers strip the closer",
    stripped="all its tokens; then it is not read",
)

TABLES: Final = (DEEPSEEK_V3, DEEPSEEK_V31, KIMI_K2, MISTRAL, HARMONY)
