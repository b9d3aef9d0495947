"""The dialects, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..table import Dialect
from . import code, headers, json, tags

DIALECTS: Final[Mapping[str, Dialect]] = {
    dialect.name: dialect for dialect in (*json.TABLES, *tags.TABLES, *headers.TABLES, *code.TABLES)
}
"""Every dialect but the fence. Where two share an opener and the beginning of a body, the first that is enabled is taken."""

SPELLINGS: Final[Mapping[str, str]] = {
    "apriel": "jamba",
    "ernie45": "hermes",
    "firefunction_v2": "phi4_mini",
    "granite4": "hermes",
    "hunyuan_a13b": "jamba",
    "ling3": "glm45",
    "mimo": "qwen3_coder",
    "poolside_v1": "glm45",
    "reka_edge": "hermes",
    "xlam": "json_array",
}
"""Other names of dialects: of models and parsers that write or read them."""


def of_name(name: str) -> Dialect:
    """Return the dialect of this name or spelling. Raises KeyError for any other."""
    return DIALECTS[SPELLINGS.get(name, name)]
