"""Bodies of blocks, whole and broken, for whoever must agree on them: calls of the file tools, with one or two slips each."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any, Final

_CALLS: Final[list[Any]] = [
    {"tool": "write_file", "path": "a.txt", "content": 'x = "1"\n\t\\ é 😀 ```'},
    {"tool": "write_file", "path": "a/b.json", "content": '{"a": 1, "a": 2}'},
    {"tool": "delete_file", "path": "a b.txt"},
    {"tool": "edit_file", "path": "a.txt", "search_replace": {"old_string": "a", "new_string": ""}},
    [{"tool": "delete_file", "path": "a"}, {"tool": "write_file", "path": "b", "content": ""}],
]
_VALUES: Final[list[Any]] = [None, True, 0, -1.5, 1e300, "", "a", "../a", "/a", "a:b", [], ["a"], {}, {"a": 1}, 2**53 + 1]
_KEYS: Final = [
    "tool",
    "path",
    "content",
    "search_replace",
    "old_string",
    "more",
    "__proto__",
    "constructor",
    "tool_name",
    "name",
]
_MARKS: Final[list[str]] = [*'"{}[],:\\\n\x00\u00a0\ufeff/1', "//x", "e9", "..", "\\u005f", "\\ud800"]


def bodies(count: int = 4_000, seed: int = 1) -> Iterator[str]:
    """So many, the same ones for the same seed."""
    drawn = random.Random(seed)
    for call in _CALLS:
        yield json.dumps(call)
        yield json.dumps(call, ensure_ascii=False, indent=2)
    for _ in range(count):
        text = json.dumps(
            _changed(drawn, drawn.choice(_CALLS)), ensure_ascii=drawn.random() < 0.5, indent=drawn.choice([None, 2])
        )
        for _ in range(drawn.choice([0, 0, 1, 1, 2])):
            text = _slip(drawn, text)
        yield text


def _changed(drawn: random.Random, call: Any) -> Any:
    """A call with another value or member somewhere."""
    if isinstance(call, list):
        return [_changed(drawn, one) for one in call][: drawn.choice([1, 2, 2])]
    made = dict(call)
    kind = drawn.randrange(6)
    if kind == 0:
        made[drawn.choice(list(made))] = drawn.choice(_VALUES)
    elif kind == 1:
        del made[drawn.choice(list(made))]
    elif kind == 2:
        made[drawn.choice(_KEYS)] = drawn.choice(_VALUES)
    elif kind == 3 and "search_replace" in made:
        made["search_replace"] = _changed(drawn, made["search_replace"])
    return made


def _slip(drawn: random.Random, text: str) -> str:
    at = drawn.randrange(len(text) + 1)
    kind = drawn.randrange(4)
    if kind == 0:
        return text[:at] + drawn.choice(_MARKS) + text[at:]
    if kind == 1:
        return text[:at] + text[at + 1 :]
    if kind == 2:  # a member twice
        key = drawn.choice(_KEYS)
        return text.replace("{", f'{{"{key}": {json.dumps(drawn.choice(_VALUES))}, ', 1)
    return text[:at]
