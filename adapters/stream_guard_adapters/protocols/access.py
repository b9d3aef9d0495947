"""Reads and copies provider events, as JSON and as objects of clients.

Rule 1: an event is never changed. A copy shares all unchanged parts with its original.
Rule 2: a copy has the type of its original: a dict, or an object of the client.
Rule 3: a member is named as in JSON; the attribute of a client's object has that name in snake case.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Collection, Mapping
from dataclasses import is_dataclass, replace
from itertools import chain
from typing import Any, Final, TypeVar

from .json_text import Doubled

Node = TypeVar("Node")


def get(node: Any, key: str) -> Any:
    """Return a member of a node; None if there is no such member."""
    if type(node) is dict:
        return node.get(key)
    return node.get(key) if _is_mapping(type(node)) else getattr(node, _ATTRIBUTES[key], None)


class _Attributes(dict[str, str]):
    """The attribute names of members, by the names in JSON; computed when first asked for."""

    def __missing__(self, key: str) -> str:
        self[key] = name = "".join(f"_{char.lower()}" if char.isupper() else char for char in key)
        return name


_ATTRIBUTES: Final = _Attributes()

_MAPPINGS: Final[dict[type[Any], bool]] = {}
"""Whether each type is a mapping: a cache, since `get` needs it for every object of every event, and `issubclass` is slow."""


def _is_mapping(kind: type[Any]) -> bool:
    known = _MAPPINGS.get(kind)
    if known is None:
        known = _MAPPINGS[kind] = issubclass(kind, Mapping)
    return known


_OBJECTS: Final[dict[type[Any], bool]] = {}
"""Whether objects of each type have members: a cache for `is_object`."""


def is_object(node: Any) -> bool:
    """Return whether a node may have members: a mapping, or an object of a client.

    Python's own types (bytes, sets, classes, exceptions and all others), and types derived from them, have no members here.
    """
    kind = type(node)
    known = _OBJECTS.get(kind)
    if known is None:
        own = [base for base in kind.__mro__[:-1] if base.__module__ == "builtins"]
        known = _OBJECTS[kind] = kind is not object and (_is_mapping(kind) or not own)
    return known


def walk(node: Any, *path: str | int) -> Any:
    """Return the value at a path of keys and indexes; None if a step has no value."""
    for step in path:
        if isinstance(step, str):
            node = get(node, step)
        elif isinstance(node, list | tuple) and -len(node) <= step < len(node):
            node = node[step]
        else:
            return None
    return node


Shape = type[Any] | dict[str, Any] | list[Any] | tuple[Any, ...] | int
"""The shape of a node: a type; for an object the shapes of its members; for a list the shape of its items and their most
number; for a text that is kept the most characters; or a tuple of alternative shapes.
"""


def fits(node: Any, shape: Shape) -> bool:
    """Return whether a node has this shape.

    A member that is missing or null fits. A member that the shape does not name is not checked.
    """
    if isinstance(shape, dict):
        if type(node) is dict:
            for key, wanted in shape.items():
                item = node.get(key)
                if item is not None and type(item) is not wanted and not fits(item, wanted):
                    return False
            return True
        if not is_object(node):
            return False
        for key, wanted in shape.items():
            item = get(node, key)
            if item is not None and not fits(item, wanted):
                return False
        return True
    if isinstance(shape, list):
        wanted, most = shape
        return isinstance(node, list | tuple) and len(node) <= most and all(fits(item, wanted) for item in node)
    if isinstance(shape, tuple):
        return any(fits(node, one) for one in shape)
    if isinstance(shape, int):
        return isinstance(node, str) and len(node) <= shape
    return isinstance(node, shape) and not isinstance(node, bool)


def fitted(node: Any, shape: Shape, loose: Collection[str], beside: Collection[str]) -> tuple[Any, Any] | None:
    """Return a node without the members that do not have its shape, and those members, or None for these if they have no
    content.

    Only `loose` members can be left out, each as a whole unless it is an object with such members. If any other member does not
    fit, None is returned. `beside` are the members that identify the place of a node; the part that was left out keeps them
    too.
    """
    if isinstance(shape, list):
        if not isinstance(node, list) or len(node) > shape[1]:
            return None
        pairs = [fitted(item, shape[0], loose, beside) for item in node]
        found = [pair for pair in pairs if pair is not None]
        left = [rest for _, rest in found if rest is not None]
        return ([kept for kept, _ in found], left or None) if len(found) == len(pairs) else None
    if not isinstance(shape, dict) or not fits(node, {}):
        return None
    kept, out = node, {}
    for key, wanted in shape.items():
        item = get(node, key)
        if item is None or fits(item, wanted):
            continue
        inner = fitted(item, wanted, loose, beside) if isinstance(wanted, dict) or key not in loose else None
        if inner is None and key not in loose:
            return None
        empty: Any = (
            {} if isinstance(node, Mapping) and isinstance(wanted, dict) and not wanted.keys().isdisjoint(loose) else None
        )
        made, rest = inner or (empty, item if _says_any(item) else None)
        kept = put(kept, **{key: made})
        if rest is not None:
            out[key] = rest
    return kept, {**{key: said for key in beside if (said := get(node, key)) is not None}, **out} if out else None


def fitting(node: Any, shape: Shape) -> Any:
    """Return a copy of a node without the parts that do not fit its shape, at any depth: null replaces them, and items of lists
    are removed.
    """
    if fits(node, shape):
        return node
    if isinstance(shape, dict) and fits(node, {}):
        odd = ((key, wanted) for key, wanted in shape.items() if not fits(node, {key: wanted}))
        return put(node, **{key: fitting(get(node, key), wanted) for key, wanted in odd})
    if isinstance(shape, list) and isinstance(node, list | tuple):
        wanted, most = shape
        return [made for item in node[:most] if (made := fitting(item, wanted)) is not None]
    if isinstance(shape, tuple):
        return next((made for one in shape if (made := fitting(node, one)) is not None), None)
    return None


def _says_any(node: Any) -> bool:
    """Return whether a node contains, at any depth, a text, a number or a truth value. Nothing else counts as content."""
    if isinstance(node, Mapping):
        return any(map(_says_any, node.values()))
    if isinstance(node, list | tuple):
        return any(map(_says_any, node))
    return bool(node)


def put(node: Node, **members: Any) -> Node:
    """Return a copy of a node with these members replaced."""
    if isinstance(node, Doubled):
        return node.replaced(members)  # type: ignore[return-value]
    if isinstance(node, Mapping):
        return {**node, **members}  # type: ignore[return-value]
    members = {_ATTRIBUTES[key]: value for key, value in members.items()}
    model: Any = node
    if hasattr(model, "model_copy"):
        copied: Node = model.model_copy(update=members)
        return copied
    if is_dataclass(node) and not isinstance(node, type):
        return replace(node, **members)
    made = copy.copy(node)
    for name, value in members.items():
        setattr(made, name, value)
    return made


def only(node: Node, **members: Any) -> Node:
    """Return a new node of the same type with only these members."""
    if isinstance(node, Mapping):
        return members  # type: ignore[return-value]
    model: Any = node
    if hasattr(model, "model_construct"):
        made: Node = model.model_construct(**{_ATTRIBUTES[key]: value for key, value in members.items()})
        return made
    return put(node, **members)


def alike(node: Any, **members: Any) -> Any:
    """Return an event with these members, `type` among them: as JSON, or as an object of the package of `node`."""
    if not isinstance(node, Mapping):
        for kind in vars(sys.modules[type(node).__module__]).values():
            fields = getattr(kind, "model_fields", {}) if isinstance(kind, type) else {}
            if "type" in fields and fields["type"].default == members["type"]:
                return kind.model_validate(members)
    return members


_SHORT: Final = 256
"""Limit: the characters of a member that is repeated in every piece of an event."""


def bare(node: Node, *keys: str) -> Node:
    """Return JSON with only these members, and of them only short ones; for a client's object, a copy with only its declared
    fields.
    """
    if not isinstance(node, dict):
        extra = getattr(node, "__pydantic_extra__", None)
        return without(node, *(key for key in extra if key not in keys)) if extra else node
    kept = {key: node[key] for key in keys if key in node and not isinstance(node[key], dict | list)}
    return {key: value for key, value in kept.items() if not isinstance(value, str) or len(value) <= _SHORT}  # type: ignore[return-value]


def has_more(node: Any, *known: str) -> bool:
    """Return whether a node has a member, other than the `known` ones, that is neither null nor empty."""
    if isinstance(node, Mapping):
        return any(key not in known and _says(value) for key, value in node.items())
    known = tuple(_ATTRIBUTES[key] for key in known)
    extra = getattr(node, "__pydantic_extra__", None) or {}
    members = chain(getattr(node, "__dict__", {}).items(), extra.items())
    return any(key not in known and _says(value) for key, value in members)


def _says(value: Any) -> bool:
    return value is not None and not (isinstance(value, str | list | tuple | Mapping) and not value)


def without(node: Node, *keys: str) -> Node:
    """Return a copy of a node without these members. The declared fields of a client's object stay."""
    if isinstance(node, Doubled):
        return node.without(keys)  # type: ignore[return-value]
    if isinstance(node, Mapping):
        return {key: value for key, value in node.items() if key not in keys}  # type: ignore[return-value]
    extra = getattr(node, "__pydantic_extra__", None)
    if not extra or not any(key in extra for key in keys):
        return node
    made = put(node)
    left: Any = made
    for key in keys:
        left.__pydantic_extra__.pop(key, None)
    return made
