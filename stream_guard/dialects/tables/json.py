"""Dialects that write a call as JSON between markers, or alone on its line."""

from __future__ import annotations

from functools import partial
from typing import Final

import regex

from ..bodies.arg_key_value import ArgKeyValue
from ..bodies.json_body import JsonBody
from ..table import Dialect, Opener
from ..write import Writer, array, cohere, each, keyed

_VALUE: Final = regex.compile(r"[{\[]")
_OBJECT: Final = regex.compile(r"\{")
_NAME: Final = regex.compile(r"\w")
_ARRAY: Final = regex.compile(r"\[")


def _between(name: str, opener: str, closer: str, write: Writer, *, models: str, several: str, stripped: str = "") -> Dialect:
    """Return a dialect of JSON between one opener and one closer."""
    body = partial(JsonBody, openers=(opener,), closers=(closer,))
    return Dialect(
        name, (Opener(opener, body, _VALUE),), write, closers=(closer,), models=models, several=several, stripped=stripped
    )


_HERMES: Final = partial(JsonBody, openers=("<tool_call>",), closers=("</tool_call>",))

HERMES: Final = Dialect(
    "hermes",
    (Opener("<tool_call>", _HERMES, _OBJECT), Opener("<tool_call>", _HERMES, _ARRAY, yields=True)),
    each("<tool_call>\n", "\n</tool_call>"),
    closers=("</tool_call>",),
    models="Hermes 2 and 3, Qwen 2.5 and 3, QwQ, Granite 4, ERNIE 4.5, Reka, many finetunes",
    several="a block each",
    stripped="the markers, in the few models that have them as special tokens; then it is `llama3_json`",
)

LONGCAT: Final = Dialect(
    "longcat",
    (
        Opener(
            "<longcat_tool_call>",
            partial(JsonBody, openers=("<longcat_tool_call>",), closers=("</longcat_tool_call>",)),
            _VALUE,
        ),
        Opener("<longcat_tool_call>", partial(ArgKeyValue, prefix="longcat_"), _NAME),
    ),
    each("<longcat_tool_call>", "</longcat_tool_call>"),
    closers=("</longcat_tool_call>",),
    models="LongCat-Flash; with a tag for each key and value (`<longcat_arg_key>`) LongCat-Flash-Lite",
    several="a block each",
)

JAMBA: Final = _between(
    "jamba",
    "<tool_calls>",
    "</tool_calls>",
    array("<tool_calls>", "</tool_calls>"),
    models="Jamba 1.5, Hunyuan A13B, Apriel",
    several="in the array",
    stripped="the markers of Jamba; then it is `json_array`",
)

NEMOTRON: Final = _between(
    "nemotron_nano_v2",
    "<TOOLCALL>",
    "</TOOLCALL>",
    array("<TOOLCALL>", "</TOOLCALL>"),
    models="Nemotron Nano 2",
    several="in the array",
)

INTERNLM: Final = Dialect(
    "internlm2",
    tuple(
        Opener(
            f"<|action_start|>{blank}<|plugin|>",
            partial(JsonBody, openers=("<|action_start|>",), closers=("<|action_end|>",)),
            _OBJECT,
        )
        for blank in ("", " ")
    ),
    each("<|action_start|><|plugin|>\n", "<|action_end|>", arguments="parameters"),
    closers=("<|action_end|>",),
    models="InternLM 2, 2.5 and 3, Intern-S1",
    several="a block each",
    stripped="the markers; then it is `llama3_json`",
)

GRANITE3: Final = Dialect(
    "granite3",
    (
        Opener(
            "<|tool_call|>",
            partial(JsonBody, openers=("<|tool_call|>",), closers=("<|/tool_call|>",), needs_closer=False),
            _ARRAY,
        ),
        Opener(
            "<tool_call>", partial(JsonBody, openers=("<tool_call>",), closers=("</tool_call>",), needs_closer=False), _ARRAY
        ),
    ),
    array("<|tool_call|>"),
    models="Granite 3.0; with the opener of `hermes` Granite 3.1 and later",
    several="in the array",
    unknown="whether the reply was cut off after the array: there is no closer",
    stripped="the marker; then it is `json_array`",
)

GRANITE_20B: Final = Dialect(
    "granite_20b_fc",
    (Opener("<function_call>", partial(JsonBody, openers=("<function_call>",)), _OBJECT),),
    each("<function_call> "),
    models="granite-20b-functioncalling",
    several="an opener each",
    unknown="whether the reply was cut off after the object: there is no closer",
)

PHI4: Final = Dialect(
    "phi4_mini",
    (
        Opener("functools", partial(JsonBody, openers=("functools[",)), _ARRAY, place="line"),
        *(
            Opener(
                f"<|{tag}|>",
                partial(JsonBody, openers=(f"<|{tag}|>",), closers=(f"<|/{tag}|>",), needs_closer=False),
                _ARRAY,
                yields=True,
            )
            for tag in ("tool_call", "tool_calls")
        ),
    ),
    array("functools"),
    models="Phi-4-mini, FireFunction 2; the marker is that of later templates",
    several="in the array",
    unknown="whether the reply was cut off after the array: there is no closer",
)

LLAMA3: Final = Dialect(
    "llama3_json",
    (
        Opener("<|python_tag|>", partial(JsonBody, separators=";"), _OBJECT, sure=True),
        Opener("{", partial(JsonBody, separators=";"), place="line", begins_body=True),
    ),
    each("", between="; ", arguments="parameters"),
    sure=False,
    alone=True,
    models="Llama 3.1 to 3.3, Llama 4, many small models",
    several="separated by `; `",
    unknown="whether an object alone on its line is a call: only the name of a known tool makes it one",
    stripped="the marker `<|python_tag|>`, where it is written; it is read without it too",
)

JSON_ARRAY: Final = Dialect(
    "json_array",
    tuple(
        Opener(f"[{blank}{{", JsonBody, place="line", begins_body=True)
        for blank in (
            *("", " "),
            *(f"{end}{indent}" for end in ("\n", "\r\n", "\n\n", "\r\n\r\n") for indent in ("", " ", "  ", "    ", "\t")),
            *("  ", "\t"),
        )
    ),
    array("", arguments="parameters"),
    sure=False,
    alone=True,
    models="xLAM; any model whose server forces a call (`tool_choice: required`)",
    several="in the array",
    unknown="whether an array alone on its line is a call: only the name of a known tool makes it one",
)

COHERE: Final = _between(
    "cohere_command",
    "<|START_ACTION|>",
    "<|END_ACTION|>",
    cohere,
    models="Command R7B, Command A, Cohere 2",
    several="in the array",
    stripped="the markers; then it is `json_array`",
)

APERTUS: Final = Dialect(
    "apertus",
    (
        Opener(
            "<|tools_prefix|>",
            partial(JsonBody, openers=("<|tools_prefix|>",), closers=("<|tools_suffix|>",), name_is_key=True),
            _ARRAY,
        ),
    ),
    keyed("<|tools_prefix|>", "<|tools_suffix|>"),
    closers=("<|tools_suffix|>",),
    models="Apertus",
    several="in the array",
    stripped="the markers; then it is `json_array`",
)

INKLING: Final = Dialect(
    "inkling",
    (
        Opener(
            "<|content_invoke_tool_json|>",
            partial(JsonBody, openers=("<|content_invoke_tool_json|>",), closers=("<|end_message|>",)),
            _OBJECT,
        ),
    ),
    each("<|content_invoke_tool_json|>", "<|end_message|>", arguments="args"),
    closers=("<|end_message|>",),
    models="Inkling, which writes `<|message_model|>` and the name before it; they stay text",
    several="a message each",
    stripped="the markers; then it is `llama3_json`",
)

_OF_GIGACHAT3: Final = ("<|function_call|>", "function call<|role_sep|>")

GIGACHAT3: Final = Dialect(
    "gigachat3",
    tuple(Opener(text, partial(JsonBody, openers=_OF_GIGACHAT3), _OBJECT) for text in _OF_GIGACHAT3),
    each("<|function_call|>"),
    models="GigaChat 3",
    several="an opener each",
    unknown="whether the reply was cut off after the object: there is no closer",
    stripped="the markers; then it is `llama3_json`",
)

TABLES: Final = (
    HERMES, LONGCAT, JAMBA, NEMOTRON, INTERNLM, GRANITE3, GRANITE_20B, PHI4, LLAMA3, JSON_ARRAY, COHERE, APERTUS, INKLING,
    GIGACHAT3,
)  # fmt: skip
