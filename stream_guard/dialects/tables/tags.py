"""Dialects that write the values of a call as raw text between tags."""

from __future__ import annotations

import re
from functools import partial
from typing import Final

from ..bodies.arg_key_value import ArgKeyValue
from ..bodies.function_parameter import FunctionParameter
from ..bodies.invoke_parameter import InvokeParameter
from ..bodies.named_tags import NamedTags
from ..table import TOOL, Dialect, Opener
from ..write import arg_keys, functions, invokes, named_tags

_TAG: Final = re.compile("<")
_NAME: Final = re.compile(r"\w")
_UNTYPED: Final = "the types of values, which the schema decides; whether a value holds its own closers"


def _functions(name: str, outer: str, **more: str) -> Dialect:
    """Return a dialect of functions with parameters inside an outer tag."""
    opener, closer = f"<{outer}>", f"</{outer}>"
    make = partial(FunctionParameter, outer_open=(opener,), outer_close=(closer,))
    return Dialect(
        name,
        (Opener(opener), Opener("<function=", begins_body=True)),
        make,
        functions(opener, closer),
        partial(make, wrapped=False),
        begins=_TAG,
        closers=(closer, "</function>"),
        several="a block each",
        unknown=_UNTYPED,
        **more,
    )


QWEN3_CODER: Final = _functions(
    "qwen3_coder",
    "tool_call",
    models="Qwen3-Coder, Qwen3-Next, Qwen 3.5 and later, Nemotron 3, Step 3.5, MiMo 2 (without line ends)",
)

SEED_OSS: Final = _functions("seed_oss", "seed:tool_call", models="Seed-OSS")

_OUTER: Final = ("function_calls", "tool_calls", "calls", "toolcalls", "tool")
_PREFIXES: Final = ("｜DSML｜", "｜DSML｜ ", "|DSML|")


def _dsml(name: str, prefix: str, outer: str, openers: tuple[str, ...], models: str) -> Dialect:
    """Return a dialect of DeepSeek's markup. Each reads all its spellings, which models mix up."""
    make = partial(InvokeParameter, prefixes=_PREFIXES, outer=_OUTER)
    return Dialect(
        name,
        (*map(Opener, openers), *(Opener(f"<{spelled}invoke name=", begins_body=True) for spelled in _PREFIXES)),
        make,
        invokes(prefix, outer, typed=True),
        partial(make, wrapped=False),
        begins=_TAG,
        closers=tuple(f"</{spelled}{tag}>" for spelled in _PREFIXES for tag in (*_OUTER, "invoke")),
        models=models,
        several="several `invoke` in one block",
        unknown="whether a value holds its own closers",
        stripped="`｜DSML｜`, without which nothing can be recovered",
    )


DSML_32: Final = _dsml(
    "deepseek_v32_dsml",
    "｜DSML｜",
    "function_calls",
    tuple(f"<{prefix}function_calls>" for prefix in _PREFIXES),
    "DeepSeek V3.2",
)

DSML_4: Final = _dsml(
    "deepseek_v4_dsml",
    "｜DSML｜",
    "tool_calls",
    tuple(f"<{prefix}{tag}>" for prefix in _PREFIXES for tag in _OUTER),
    "DeepSeek V4; V4.1, with a blank before the name of each tag",
)

MINIMAX_M2: Final = Dialect(
    "minimax_m2",
    (Opener("<minimax:tool_call>"),),
    partial(InvokeParameter, outer=("minimax:tool_call",), trim="line ends"),
    invokes("", "minimax:tool_call"),
    begins=_TAG,
    closers=("</minimax:tool_call>",),
    models="MiniMax M2",
    several="several `invoke` in one block",
    unknown=_UNTYPED,
)

CLAUDE_XML: Final = Dialect(
    "claude_xml",
    (
        *(Opener(f"<{prefix}function_calls>") for prefix in ("", "antml:")),
        *(Opener(f"<{prefix}invoke name=", begins_body=True) for prefix in ("", "antml:")),
    ),
    partial(InvokeParameter, prefixes=("", "antml:")),
    invokes("", "function_calls"),
    partial(InvokeParameter, prefixes=("", "antml:"), wrapped=False),
    begins=_TAG,
    closers=("</function_calls>", "</function_calls>", "</invoke>", "</invoke>"),
    models="Claude before its native calls, and models that imitate it",
    several="several `invoke` in one block",
    unknown=_UNTYPED,
)

GLM45: Final = Dialect(
    "glm45",
    (Opener("<tool_call>"),),
    ArgKeyValue,
    arg_keys(),
    begins=_NAME,
    closers=("</tool_call>",),
    models="GLM 4.5 and 4.6; GLM 4.7 and 5, Ling 3, Spark 2.5 and Laguna without line ends",
    several="a block each",
    unknown=_UNTYPED,
)

HUNYUAN_3: Final = Dialect(
    "hunyuan_v3",
    (Opener("<tool_calls>"),),
    partial(ArgKeyValue, outer="tool_calls", name_close=("<tool_sep>",)),
    arg_keys(outer="tool_calls", behind_name="<tool_sep>", line=""),
    begins=_TAG,
    closers=("</tool_calls>",),
    models="Hunyuan 3 and 4",
    several="several `tool_call` in one block",
    unknown=_UNTYPED,
)

CLINE: Final = Dialect(
    "cline_xml",
    (Opener(f"<{TOOL}>"),),
    NamedTags,
    named_tags,
    begins=_TAG,
    sure=False,
    models="any model that is told to: Cline, Roo Code and Kilo Code until 2026, and what is made after them",
    several="one behind the other",
    unknown=f"whether a tag that is called like a tool is one; {_UNTYPED}",
)

TABLES: Final = (QWEN3_CODER, SEED_OSS, DSML_32, DSML_4, MINIMAX_M2, CLAUDE_XML, GLM45, HUNYUAN_3, CLINE)
