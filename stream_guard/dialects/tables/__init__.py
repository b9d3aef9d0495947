"""The dialects, by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final, Literal

from ...values.events import FENCE
from ...values.given import several
from ..table import Dialect

DIALECTS: Mapping[str, Dialect]
"""Every dialect except the fence, by name. If two share an opener and the beginning of a body, the first enabled one that does
not yield is used."""

SPELLINGS: Final[Mapping[str, str]] = {
    "apply_patch": "v4a_patch",
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
"""Other names of dialects, such as those of models and parsers, with the dialect that each means."""


@cache
def _dialects() -> Mapping[str, Dialect]:
    from . import code, files, headers, json, tags  # deferred: most guards read fences only

    return {dialect.name: dialect for dialect in (*json.TABLES, *tags.TABLES, *headers.TABLES, *code.TABLES, *files.TABLES)}


def __getattr__(name: str) -> Mapping[str, Dialect]:
    if name == "DIALECTS":
        return _dialects()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def is_known(name: str) -> bool:
    """Return whether a dialect, or a spelling of one, has this name."""
    return name in (FENCE, "all") or name in SPELLINGS or name in _dialects()


def names_of(given: Iterable[str | Dialect] | Literal["all"]) -> tuple[str | Dialect, ...]:
    """Return the names in `given` as names of dialects: `all` becomes all names, and a `Dialect` stays as it is. An empty
    result means that no call is read in text.

    Raises ValueError for a name that no dialect has.
    """
    names = tuple(several("dialects", given, "names, or 'all'"))
    if names in ((), (FENCE,)):
        return names
    dialects = _dialects()
    names = tuple(each for name in names for each in ((FENCE, *dialects) if name == "all" else (name,)))
    unknown = [name for name in names if not isinstance(name, Dialect) and not is_known(name)]
    if unknown:
        known = ", ".join((FENCE, *dialects))
        raise ValueError(f"dialects must be 'all' or some of {known}; not {', '.join(map(repr, unknown))}")
    return names


def of_name(name: str | Dialect) -> Dialect:
    """Return the dialect of this name or spelling, or the dialect itself. Raises KeyError for any other."""
    return name if isinstance(name, Dialect) else _dialects()[SPELLINGS.get(name, name)]
