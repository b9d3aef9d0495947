"""Rows of what must not run: calls that were cut off, that their schema refuses, or that name another tool."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final

from ..calls import Call, make_call
from ..cuts import prefixes
from ..render import Style, joined, render
from ..sources import own
from ..toolsets import CLOSED, Json, Toolset
from .fences import fenced, meant
from .rows import Draft, End, Meant, Row, cut, tools_of


def rows(seed: int) -> Iterator[Row]:
    """Yield the rows."""
    yield from _cut_off(seed)
    yield from _prefixes(seed)
    yield from _unclosed(seed)
    yield from _invalid(seed)
    yield from _names(seed)
    yield from _keywords(seed)
    yield from _bounds(seed)


def _cut_off(seed: int) -> Iterator[Row]:
    """Yield replies that stop inside a call; in one of them a complete call comes before."""
    rng = Random(f"cut off:{seed}")
    for number in range(200):
        toolset = CLOSED[number % len(CLOSED)]
        body = joined(render([make_call(toolset, own(), rng, 120)], "bare", Style(), rng))
        size = max(1, len(body.rstrip("}]\n\t ")) * (number % 10 + 1) // 11)
        end: End = ("unknown", "length", "unknown", "length")[number % 4]
        draft = Draft().say("Now.\n\n")
        if number % 3 == 0:
            call = make_call(toolset, own(), rng, 60)
            first = joined(render([call], "bare", Style(), rng))
            draft.write(fenced(first, fence="````" if "```" in first else "```"), *meant([call])).say("\nAnd:\n\n")
        draft.write(f"```json\n{body[:size]}", shown=True)
        deltas = cut(draft.text, ("whole", "characters", "tokens", "random")[number % 4], rng)
        yield Row(
            "cut-off/in-a-call",
            "A call that was cut off never runs; one that was complete before it does.",
            tools_of(toolset),
            deltas,
            draft.calls,
            texts=[draft.pieces],
            needs=("fence", *(("streams",) if len(deltas) > 1 else ())),
            end=end,
        )


def _prefixes(seed: int) -> Iterator[Row]:
    """Yield bodies that stop in a fence that closes, at one character in seven."""
    rng = Random(f"prefixes:{seed}")
    for number, prefix in enumerate(prefixes(24, seed, toolsets=CLOSED)):
        if number % 7:
            continue
        deltas = cut(prefix.text, ("whole", "random")[number % 2], rng)
        forgotten = () if prefix.forgotten is None else meant(prefix.forgotten, must=False)
        yield Row(
            "cut-off/in-a-closed-fence",
            "A body that lacks its end never runs, though its fence closes; where only braces are missing, the call may.",
            tools_of(prefix.toolset),
            deltas,
            forgotten,
            texts=[["Now this.\n\n", None] if "```" in prefix.body else ["Now this.\n\n", None, "That is all.\n"]],
            needs=("fence", "schemas", *(("streams",) if len(deltas) > 1 else ())),
        )


def _unclosed(seed: int) -> Iterator[Row]:
    """Yield complete calls whose closing fence is missing at the end of the reply."""
    rng = Random(f"unclosed:{seed}")
    ends: tuple[End, ...] = ("stop", "length", "unknown")
    for number in range(60):
        toolset = CLOSED[number % len(CLOSED)]
        call = make_call(toolset, own(), rng, 60)
        body = joined(render([call], "bare", Style(), rng))
        end = ends[number % 3]
        deltas = cut(
            f"Now.\n\n```json\n{body}{('', chr(10))[number % 2]}", ("whole", "characters", "random")[number // 3 % 3], rng
        )
        yield Row(
            "cut-off/without-a-closing-fence",
            "A complete call without its closing fence may run where the model ended its reply, and nowhere else.",
            tools_of(toolset),
            deltas,
            meant([call], must=False) if end == "stop" else (),
            texts=[["Now.\n\n", None]],
            needs=("fence", "endings", *(("streams",) if len(deltas) > 1 else ())),
            end=end,
        )


def _invalid(seed: int) -> Iterator[Row]:
    """Yield calls that are JSON and that their schema refuses, with the words that a report has to name."""
    rng = Random(f"invalid:{seed}")
    for toolset in CLOSED:
        for spec in toolset.tools:
            for _ in range(2):
                call = make_call(toolset, own(), rng, 40)
                while call.tool != spec.name:
                    call = make_call(toolset, own(), rng, 40)
                for why, said, arguments in _spoilt(call, spec.schema):
                    body = json.dumps({"tool": call.tool, **arguments}, ensure_ascii=False)
                    text = f"Now this.\n\n{fenced(body, fence='````' if '```' in body else '```')}\n\nThat is all.\n"
                    yield Row(
                        "refused/schema",
                        why,
                        tools_of(toolset),
                        [text],
                        texts=[["Now this.\n\n", None, "That is all.\n"]],
                        needs=("fence", "schemas"),
                        explains=said,
                    )


def _spoilt(call: Call, schema: Json) -> Iterator[tuple[str, Sequence[str], Json]]:
    """Yield arguments that the schema refuses, and that cannot be another spelling of valid ones."""
    arguments = call.arguments
    for name in schema["required"]:
        yield f"A call without its required `{name}` never runs.", (name,), {k: v for k, v in arguments.items() if k != name}
    for name, field in schema["properties"].items():
        wrong: Any = _other_kind(field)
        if wrong is not None:
            yield f"A call whose `{name}` has a value of another kind never runs.", (name,), {**arguments, name: wrong}
        if "enum" in field:
            yield (
                f"A call whose `{name}` has a value that is not listed never runs.",
                (name,),
                {**arguments, name: "zzz unlisted"},
            )
        if field.get("type") == "integer":
            yield f"A call whose `{name}` is above its maximum never runs.", (name,), {**arguments, name: field["maximum"] + 1}


def _other_kind(field: Json) -> Any:
    """Return a value that no fix turns into a value of this field; None for a field without a type."""
    match field.get("type"):
        case "string":
            return {"nested": [1, 2]}
        case "array":
            return {"no": "list"}
        case "object":
            return 17
        case "integer" | "number" | "boolean":
            return "no such value"
        case _:
            return None


def _names(seed: int) -> Iterator[Row]:
    """Yield calls of tools and fields whose names resemble others, and mean something else."""
    rng = Random(f"names:{seed}")
    for toolset in CLOSED:
        for spec in toolset.tools:
            call = make_call(toolset, own(), rng, 40)
            while call.tool != spec.name:
                call = make_call(toolset, own(), rng, 40)
            for stranger in (*spec.strangers, *_unlike(spec.name)):
                yield _stranger(
                    toolset, {"tool": stranger, **call.arguments}, f"`{stranger!r}` is another name than `{spec.name}`"
                )
            for name, others in spec.stranger_fields.items():
                if name in call.arguments:
                    for other in others:
                        changed = {other if key == name else key: value for key, value in call.arguments.items()}
                        yield _stranger(toolset, {"tool": call.tool, **changed}, f"`{other}` is another field than `{name}`")


def _unlike(name: str) -> Iterator[str]:
    """Yield other names that look like this name."""
    yield name.replace("e", "е", 1) if "e" in name else name.replace("a", "а", 1)  # Cyrillic
    yield f"{name}\u202e"
    yield f"un{name}"
    yield f"{name}_all"
    yield f"not_{name}"
    yield f"{name}; delete_file"
    yield f"../{name}"


def _stranger(toolset: Toolset, body: Json, why: str) -> Row:
    written = json.dumps(body, ensure_ascii=False)
    return Row(
        "refused/names",
        f"{why}: nothing runs.",
        tools_of(toolset),
        [f"Now this.\n\n{fenced(written, fence='````' if '```' in written else '```')}\n\nThat is all.\n"],
        texts=[["Now this.\n\n", None, "That is all.\n"]],
        needs=("fence", "schemas"),
    )


HOSTILE: Final = (
    "constructor", "__proto__", "toString", "hasOwnProperty", "then", "prototype", "__class__", "__init__", "self", "None",
    "null", "true", "undefined", "NaN", "type", "id", "call", "function", "json", "eval", "import", "a", "A1", "x-y", "x.y",
    "größe", "ツール", "very_" * 11 + "long",
)  # fmt: skip
"""Names that a tool, or a field, may have, and that a careless reader stumbles over."""


def _keywords(seed: int) -> Iterator[Row]:
    """Yield calls of tools and fields with names that mean something to a language or a format."""
    rng = Random(f"hostile:{seed}")
    text = {"type": "string"}
    for name in HOSTILE:
        schema = {
            "type": "object",
            "properties": {name: text, "value": text},
            "required": ["value"],
            "additionalProperties": False,
        }
        tools = [
            {"name": "store_it", "description": "Store.", "input_schema": schema, "annotations": {"destructiveHint": False}},
            {"name": "drop_it", "description": "Drop.", "input_schema": schema, "annotations": {"destructiveHint": True}},
        ]
        call = Meant("store_it", {name: f"of {name}", "value": "v"})
        body = json.dumps({"tool": call.name, **call.arguments}, ensure_ascii=False)
        draft = Draft().say("Now.\n\n").write(fenced(body), call).say("\nSo.\n")
        yield Row(
            "hostile/field-names",
            f"A field that is called `{name}` is a field like any other.",
            tools,
            cut(draft.text, "random", rng),
            draft.calls,
            texts=[draft.pieces],
            needs=("fence", "streams"),
        )
    for name in HOSTILE:
        if not name.replace("-", "_").replace(".", "_").isascii():
            continue  # providers take no other names for tools
        tools = [
            {
                "name": name,
                "description": "Do it.",
                "input_schema": {
                    "type": "object",
                    "properties": {"value": text},
                    "required": ["value"],
                    "additionalProperties": False,
                },
                "annotations": {"destructiveHint": False},
            }
        ]
        body = json.dumps({"tool": name, "value": f"of {name}"})
        draft = Draft().say("Now.\n\n").write(fenced(body), Meant(name, {"value": f"of {name}"})).say("\nSo.\n")
        yield Row(
            "hostile/tool-names",
            f"A tool that is called `{name}` is a tool like any other.",
            tools,
            cut(draft.text, "random", rng),
            draft.calls,
            texts=[draft.pieces],
            needs=("fence", "streams"),
        )


# -- bounds

_BOUNDED: Final[Mapping[str, Json]] = {
    "label": {"type": "string", "minLength": 2, "maxLength": 5},
    "marks": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3},
    "share": {"type": "number"},
    "level": {"type": "integer", "minimum": 1, "maximum": 9},
    "code": {"type": "string", "pattern": "^[A-Z]{2}[0-9]$"},
    "size": {"anyOf": [{"type": "integer", "maximum": 10}, {"type": "string", "maxLength": 3}]},
}
"""Fields, each with a bound of another kind."""

_INSIDE: Final[Mapping[str, Sequence[str]]] = {
    "label": ('"ab"', '"abcde"', '"日本語"', '"😀😀😀😀😀"'),
    "marks": ('["a"]', '["a", "b", "c"]', '[""]'),
    "share": ("0", "-0.5", "1e3"),
    "level": ("1", "9"),
    "code": ('"AB1"',),
    "size": ("10", '"abc"'),
}
"""Values at their bounds, as JSON. A length is that of characters: an emoji is one."""

_NO_JSON: Final = ("NaN", "Infinity", "-Infinity")

_OUTSIDE: Final[Mapping[str, Sequence[str]]] = {
    "label": ('""', '"a"', '"😀"', '"abcdef"', '"日本語日本語"'),
    "marks": ("[]", '["a", "b", "c", "d"]', '["", "", "", ""]'),
    "share": _NO_JSON,
    "level": ("0", "10"),
    "code": ('"AB"', '"ab1"', '"AB12"'),
    "size": ("11", '"abcd"', "null"),
}
"""Values beyond their bounds, and numbers that JSON does not have."""


def _bounds(seed: int) -> Iterator[Row]:
    """Yield calls with values at a bound, which run, and beyond it, which do not."""
    rng = Random(f"bounds:{seed}")
    for field, schema in _BOUNDED.items():
        properties = {"type": "object", "properties": {field: schema}, "required": [field], "additionalProperties": False}
        tools = [
            {
                "name": "set_value",
                "description": "Set it.",
                "input_schema": properties,
                "annotations": {"destructiveHint": False},
            }
        ]
        for runs, values in ((True, _INSIDE[field]), (False, _OUTSIDE[field])):
            for value in values:
                block = fenced(f'{{"tool": "set_value", "{field}": {value}}}')
                calls = [Meant("set_value", {field: json.loads(value)})] if runs else []
                draft = Draft().say("Now.\n\n").write(block, *calls, shown=not runs).say("\nSo.\n")
                for how in ("whole", "tokens"):
                    deltas = cut(draft.text, how, rng)
                    yield Row(
                        "refused/bounds",
                        f"`{value}` as `{field}` {'is at its bound, and runs' if runs else 'is no valid value: nothing runs'}.",
                        tools,
                        deltas,
                        draft.timed(deltas),
                        texts=[draft.pieces],
                        needs=("fence", "schemas", *(("streams",) if len(deltas) > 1 else ())),
                        explains=() if runs or value in _NO_JSON else (field,),
                    )
