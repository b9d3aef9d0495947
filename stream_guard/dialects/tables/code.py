"""Dialects that write a call as code does: Python's calls, and names with braces."""

from __future__ import annotations

from functools import partial
from typing import Final

import regex

from ..bodies.bracecall import BraceCall
from ..bodies.json_body import JsonBody
from ..bodies.pycall import PyCall
from ..table import TOOL, Dialect, Opener
from ..write import braces, python

_LIST: Final = regex.compile(r"\[")
_NAME: Final = regex.compile(r"[A-Za-z_:]")

PYTHONIC: Final = Dialect(
    "pythonic",
    (Opener(f"[{TOOL}(", PyCall, place="line", begins_body=True),),
    python(),
    sure=False,
    alone=True,
    models="Llama 3.2 1B and 3B, ToolACE",
    several="in the list",
    unknown="whether a list alone on its line is a call: only the name of a known tool makes it one",
)

LLAMA4: Final = Dialect(
    "llama4_pythonic",
    (
        Opener(
            "<|python_start|>",
            partial(PyCall, openers=("<|python_start|>",), closers=("<|python_end|>",), needs_closer=False),
            _LIST,
        ),
    ),
    python("<|python_start|>", "<|python_end|>"),
    closers=("<|python_end|>",),
    models="Llama 4",
    several="in the list",
    stripped="the markers; then it is `pythonic`",
)

LFM2: Final = Dialect(
    "lfm2",
    (
        Opener(
            "<|tool_call_start|>",
            partial(PyCall, openers=("<|tool_call_start|>",), closers=("<|tool_call_end|>",)),
            regex.compile(r"\[\s{0,16}[A-Za-z_]"),
        ),
        Opener(
            "<|tool_call_start|>",
            partial(JsonBody, openers=("<|tool_call_start|>",), closers=("<|tool_call_end|>",)),
            regex.compile(r"(?:\[\s{0,16})?\{"),
        ),
        Opener(
            "<|tool_call_start|>",
            partial(PyCall, openers=("<|tool_call_start|>",), closers=("<|tool_call_end|>",), brackets=False),
            regex.compile(r"[A-Za-z_]"),
        ),
    ),
    python("<|tool_call_start|>", "<|tool_call_end|>"),
    closers=("<|tool_call_end|>",),
    models="LFM2, LFM2.5",
    several="in the list, or a block each, also without the list",
    stripped="the markers; then it is `pythonic`",
)

OLMO3: Final = Dialect(
    "olmo3",
    (
        Opener(
            "<function_calls>",
            partial(PyCall, openers=("<function_calls>",), closers=("</function_calls>",), brackets=False),
            _NAME,
        ),
    ),
    python("<function_calls>", "</function_calls>", line=True),
    closers=("</function_calls>",),
    models="OLMo 3",
    several="a line each",
)

GEMMA4: Final = Dialect(
    "gemma4",
    (Opener("<|tool_call>", partial(BraceCall, openers=("<|tool_call>",)), _NAME),),
    braces("<|tool_call>", "<tool_call|>", '<|"|>'),
    closers=("<tool_call|>",),
    models="Gemma 4",
    several="a block each",
    unknown="the types of values without quotes, which the schema decides",
    stripped="the markers, and the quotes of strings; then the call is not recognised",
)

FUNCTIONGEMMA: Final = Dialect(
    "functiongemma",
    (
        Opener(
            "<start_function_call>",
            partial(BraceCall, quote="<escape>", openers=("<start_function_call>",), closers=("<end_function_call>",)),
            _NAME,
        ),
    ),
    braces("<start_function_call>", "<end_function_call>", "<escape>"),
    closers=("<end_function_call>",),
    models="FunctionGemma",
    several="a block each",
    unknown="the types of values without quotes, which the schema decides",
    stripped="the markers, and the quotes of strings; then the call is not recognised",
)

TABLES: Final = (PYTHONIC, LLAMA4, LFM2, OLMO3, GEMMA4, FUNCTIONGEMMA)
