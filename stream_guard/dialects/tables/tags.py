"""Dialects that write the values of a call as raw text between tags."""

from __future__ import annotations

import re
from functools import partial
from typing import Final

from ..bodies.function_parameter import FunctionParameter
from ..table import Dialect, Opener
from ..write import functions

_TAG: Final = re.compile("<")
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

TABLES: Final = (QWEN3_CODER, SEED_OSS)
