"""Dialects that write the values of a call as raw text between tags."""

from __future__ import annotations

from functools import partial
from typing import Final

import regex

from ..bodies.arg_key_value import ArgKeyValue
from ..bodies.function_parameter import FunctionParameter
from ..bodies.invoke_parameter import InvokeParameter
from ..bodies.json_body import JsonBody
from ..bodies.named_tags import NamedTags
from ..table import TOOL, Dialect, Opener
from ..write import arg_keys, functions, invokes, named_tags, params

_TAG: Final = regex.compile("<")
_OBJECT: Final = regex.compile(r"\{")
_SUFFIXED: Final = regex.compile(r"[\w.-]{1,32}>\s{0,16}<tool_call:")
_NAME: Final = regex.compile(r"\w")
_UNTYPED: Final = "the types of values, which the schema decides; whether a value holds its own closers"


def _functions(name: str, outer: str, models: str) -> Dialect:
    """Return a dialect of functions with parameters inside an outer tag."""
    opener, closer = f"<{outer}>", f"</{outer}>"
    make = partial(FunctionParameter, outer_open=(opener,), outer_close=(closer,))
    return Dialect(
        name,
        (Opener(opener, make, _TAG), Opener("<function=", partial(make, wrapped=False), begins_body=True)),
        functions(opener, closer),
        closers=(closer, "</function>"),
        several="a block each",
        unknown=_UNTYPED,
        models=models,
    )


QWEN3_CODER: Final = _functions(
    "qwen3_coder",
    "tool_call",
    models="Qwen3-Coder, Qwen3-Next, Qwen 3.5 and later, Nemotron 3, Step 3.5, MiMo 2 (without line ends)",
)

SEED_OSS: Final = _functions("seed_oss", "seed:tool_call", models="Seed-OSS")

_OUTER: Final = ("tool_calls", "calls", "function_calls", "toolcalls", "tool")
_PREFIXES: Final = ("｜DSML｜", "｜DSML｜ ", "|DSML|")
_GIGACHAT: Final = "｜GCML｜"


def _dsml(name: str, outer: tuple[str, ...], models: str, prefixes: tuple[str, ...] = _PREFIXES) -> Dialect:
    """Return a dialect of DeepSeek's markup, for some names of its outer tag, in all its spellings."""
    make = partial(InvokeParameter, prefixes=prefixes)
    wrapped = [Opener(f"<{prefix}{tag}>", partial(make, outer=(tag,)), _TAG) for prefix in prefixes for tag in outer]
    bare = [
        Opener(f"<{prefix}invoke name=", partial(make, outer=_OUTER, wrapped=False), begins_body=True) for prefix in prefixes
    ]
    return Dialect(
        name,
        (*wrapped, *bare),
        invokes("｜DSML｜", outer[0], typed=True),
        closers=tuple(f"</{prefix}{tag}>" for prefix in prefixes for tag in (*outer, "invoke")),
        models=models,
        several="several `invoke` in one block",
        unknown="whether a value holds its own closers",
        stripped="`｜DSML｜`; then it is `claude_xml`",
    )


DSML_32: Final = _dsml("deepseek_v32_dsml", ("function_calls",), "DeepSeek V3.2")

DSML_4: Final = _dsml(
    "deepseek_v4_dsml",
    _OUTER,
    "DeepSeek V4; V4.1, with a blank before the name of each tag; GigaChat 3.5, which writes `GCML` for `DSML`",
    (*_PREFIXES, _GIGACHAT),
)

MINIMAX_M2: Final = Dialect(
    "minimax_m2",
    (Opener("<minimax:tool_call>", partial(InvokeParameter, outer=("minimax:tool_call",)), _TAG),),
    invokes("", "minimax:tool_call"),
    closers=("</minimax:tool_call>",),
    models="MiniMax M2",
    several="several `invoke` in one block",
    unknown=_UNTYPED,
)

_CLAUDE: Final = ("", "antml:")

CLAUDE_XML: Final = Dialect(
    "claude_xml",
    (
        *(Opener(f"<{prefix}function_calls>", partial(InvokeParameter, prefixes=(prefix,)), _TAG) for prefix in _CLAUDE),
        *(
            Opener(f"<{prefix}invoke name=", partial(InvokeParameter, prefixes=(prefix,), wrapped=False), begins_body=True)
            for prefix in _CLAUDE
        ),
    ),
    invokes("", "function_calls"),
    closers=tuple(f"</{prefix}{tag}>" for prefix in _CLAUDE for tag in ("function_calls", "invoke")),
    models="Claude before its native calls, and models that imitate it",
    several="several `invoke` in one block",
    unknown=_UNTYPED,
)

MUSE: Final = Dialect(
    "muse_glimmer",
    (
        Opener("<atem:function_calls>", partial(InvokeParameter, prefixes=("atem:",)), _TAG),
        Opener("<atem:invoke name=", partial(InvokeParameter, prefixes=("atem:",), wrapped=False), begins_body=True),
    ),
    invokes("atem:", "function_calls"),
    closers=("</atem:function_calls>", "</atem:invoke>"),
    models="Muse",
    several="several `invoke` in one block",
    unknown=_UNTYPED,
    stripped="the header of the message, which names the tool too",
)

MINICPM5: Final = Dialect(
    "minicpm5",
    tuple(
        Opener(
            f"<function{before}",
            partial(
                InvokeParameter,
                call="function",
                item="param",
                outer=(),
                before_name=(" name=", "name="),
                cdata=True,
                wrapped=False,
            ),
            begins_body=True,
        )
        for before in (" name=", "name=")
    ),
    params,
    closers=("</function>",),
    models="MiniCPM 5",
    several="one after the other",
    unknown=_UNTYPED,
    stripped="the blanks in tags, where these are special tokens; it is read without them too",
)

GLM45: Final = Dialect(
    "glm45",
    (Opener("<tool_call>", ArgKeyValue, _NAME),),
    arg_keys(),
    closers=("</tool_call>",),
    models="GLM 4.5 and 4.6; GLM 4.7 and 5, Ling 3, Spark 2.5 and Laguna without line ends",
    several="a block each",
    unknown=_UNTYPED,
)

HUNYUAN_3: Final = Dialect(
    "hunyuan_v3",
    (
        Opener("<tool_calls>", partial(ArgKeyValue, outer="tool_calls", name_close=("<tool_sep>",)), _TAG),
        Opener("<tool_calls:", partial(ArgKeyValue, outer="tool_calls", name_close=("<tool_sep>",), suffixed=True), _SUFFIXED),
    ),
    arg_keys(outer="tool_calls", behind_name="<tool_sep>", line=""),
    closers=("</tool_calls>", "</tool_calls:"),
    models="Hunyuan 3 and 4, also with a suffix after the name of each tag (`<tool_calls:opensource>`)",
    several="several `tool_call` in one block",
    unknown=_UNTYPED,
)

DOTS: Final = Dialect(
    "dots",
    (
        Opener("<dots_function_call>", partial(InvokeParameter, outer=("dots_function_call",)), _TAG),
        Opener("<dots_function_call>", partial(JsonBody, closers=("</dots_function_call>",)), _OBJECT),
    ),
    invokes("", "dots_function_call"),
    closers=("</dots_function_call>",),
    models="dots",
    several="several `invoke` in one block, or a block each",
    unknown=_UNTYPED,
)

K2_HORIZON: Final = Dialect(
    "k2_horizon",
    (
        Opener(
            "<ifm|tool_calls>",
            partial(JsonBody, openers=("<ifm|tool_calls>",), closers=("</ifm|tool_calls>",), inner="ifm|tool_call"),
            regex.compile(r"<ifm\|tool_call>\s{0,16}\{"),
        ),
        Opener("<ifm|tool_calls>", partial(ArgKeyValue, prefix="ifm|", outer="tool_calls"), _TAG),
    ),
    arg_keys("ifm|", outer="tool_calls", behind_name="", line=""),
    closers=("</ifm|tool_calls>",),
    models="K2 Horizon; with an object in each `<ifm|tool_call>` where it is told to write JSON",
    several="several calls in one block",
    unknown=_UNTYPED,
)

CLINE: Final = Dialect(
    "cline_xml",
    (Opener(f"<{TOOL}>", NamedTags, _TAG),),
    named_tags,
    sure=False,
    models="any model that is told to: Cline, Roo Code and Kilo Code until 2026, and what is made after them",
    several="one after the other",
    unknown=f"whether a tag that is called like a tool is one; {_UNTYPED}",
)

TABLES: Final = (
    QWEN3_CODER, SEED_OSS, DSML_32, DSML_4, MINIMAX_M2, CLAUDE_XML, MUSE, MINICPM5, GLM45, HUNYUAN_3, DOTS, K2_HORIZON, CLINE,
)  # fmt: skip
