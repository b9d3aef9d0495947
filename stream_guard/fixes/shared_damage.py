"""Whether a text or a key of a block may have the damage of one of its names: what `worn.py` compares, taken from the calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from ..schema.fields import Field, split
from ..toolset.escapes import placed
from ..toolset.tool import Risk
from ..toolset.tools import Tools
from ..values.call_keys import TOOL_KEY, without_tool
from .catalogue import leaving
from .gate import texts_and_keys
from .shape import Shaped
from .worn import may_share_damage, may_share_spelling

_NAMES: Final = leaving("spelling")


def share_damage(shaped: Sequence[Shaped], values: tuple[Any, ...], tools: Tools) -> bool:
    """Return whether a text of these calls looks as a name of them did before it was mended."""
    changes = [
        change for found in shaped for change in found.changes if change.fix in _NAMES and isinstance(change.before, str)
    ]
    names = [(change.before, change.after) for change in changes]
    if not names:
        return False
    meant = [(found, tool) for found in shaped if (tool := tools.near(str(own_tool(found)))) is not None]
    declared = {alias for _, tool in meant for alias in (*tool.aliases, *tool.field_aliases)}
    names = [(before, after) for before, after in names if before not in declared]
    texts = [text for found in shaped if isinstance(found.call, dict) for text in _texts_as_written(found)]
    written = {text for value in values for text in texts_and_keys(value)}
    of_fields = [(change.before, change.after) for change in changes if change.fix == "field_name"]
    calls = ((found.call, tool) for found, tool in meant if isinstance(found.call, dict))
    own = {key for call, tool in calls for key in _unlisted(without_tool(call), tool.fields)}
    if of_fields and may_share_spelling(of_fields, own, set(_keys(values))):
        return True
    return may_share_damage(names, texts, written, takes_away=any(tool.risk is Risk.DESTRUCTIVE for _, tool in meant))


def own_tool(found: Shaped) -> Any:
    """Return the name of the tool in a call."""
    return found.call.get(TOOL_KEY) if isinstance(found.call, dict) else None


def _texts_as_written(found: Shaped) -> list[str]:
    """Return the strings of a call, except its tool. A choice that was spelt otherwise is returned as the model spelt it."""
    before = {split(change.path): change.before for change in found.changes if change.fix == "coercion"}
    texts = ((path, text) for key, value in found.call.items() if key != TOOL_KEY for path, text in placed(value, (key,)))
    return [said if isinstance(said := before.get(path), str) else text for path, text in texts]


def _keys(value: Any) -> Iterator[str]:
    """Yield all keys of a value."""
    if isinstance(value, dict):
        yield from value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    for item in inner:
        yield from _keys(item)


def _unlisted(value: Any, about: Field | None) -> Iterator[str]:
    """Yield the keys of a value that its schema does not list."""
    if isinstance(value, list):
        for at, item in enumerate(value):
            yield from _unlisted(item, about.at((at,)) if about is not None else None)
    elif isinstance(value, dict):
        for key, item in value.items():
            if about is None or key not in about.members:
                yield key
            yield from _unlisted(item, about.at((key,)) if about is not None else None)
