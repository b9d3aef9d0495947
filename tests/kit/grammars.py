"""Tools with calls of them, and texts that a grammar accepts, drawn with llguidance as the judge of what it accepts."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from hypothesis import strategies as st
from llguidance import LLMatcher, LLTokenizer

from stream_guard import End, Guard, Tool, ToolBlock, Toolset
from stream_guard.dialects.bodies.tags import TagBody
from stream_guard.dialects.tables import DIALECTS
from stream_guard.dialects.write import Call
from stream_guard.grammars.lark import regex
from stream_guard.grammars.nodes import NOTHING, Node
from stream_guard.values.quoting import inside
from stream_guard.values.wording import sentence

BYTES = LLTokenizer("byte")
"""A vocabulary of single bytes."""

HINTS = (
    "\n</parameter>\n", "</arg_value>\n", "</function>", "<parameter=", "<tool_call>", "</tool_call>", "<", "</", "null",
    "true", "7", "[", "{", '"', "```", "\n", "\\n", "'", "<arg_key>", "é", "🎉", "; ", "#", "\n  ", "\r",
)  # fmt: skip
"""What is tried now and then while a text is drawn: closers, so that it ends, and what looks like one."""

_ENDINGS = ("\n ", "\n</parameter>\n", "</arg_value>\n", '"', "'", "}", "]", ")", ">")


@lru_cache(maxsize=8)
def _matcher(grammar: str) -> LLMatcher:
    """What reads a text by a grammar, to be copied for each: to make it takes most of the time."""
    return LLMatcher(BYTES, grammar)


def accepts(grammar: str, text: str) -> bool:
    """Whether a grammar accepts a text."""
    matcher = _matcher(grammar).deep_copy()
    assert not matcher.is_error(), matcher.get_error()
    tokens = list(text.encode())
    return matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting()


def complaint(grammar: str) -> str:
    """What llguidance says against a grammar; empty for nothing."""
    return LLMatcher.validate_grammar(grammar, BYTES)


UNSAID = {"duplicate_key", "undoubled_backslash"}
"""Issues of calls that a grammar accepts: it cannot say that a name stands once, nor what an escape was meant for."""

_DAMAGE = {"ambiguous_value", "ambiguous_end"}
"""Issues of a call with a value that may hold a damaged marker, and of the calls beside it."""


def closers(dialect: str) -> list[str]:
    """The closing tags of a dialect, as its writer writes them."""
    return re.findall(r"</[^<>]+>", "" if dialect == "fence" else DIALECTS[dialect].example)


def drawn(grammar: str, dice: random.Random, ends: Sequence[str] = (), *, soft: int = 150, hard: int = 2_000) -> str | None:
    """A text that a grammar accepts, byte by byte; None if it does not end. These `ends` are tried when it is long enough."""
    matcher = LLMatcher(BYTES, grammar)
    assert not matcher.is_error(), matcher.get_error()
    made = bytearray()
    while len(made) < hard:
        mask = matcher.compute_bitmask()
        allowed = [byte for byte in range(256) if mask[byte >> 3] & (1 << (byte & 7))]
        if matcher.is_accepting() and (not allowed or len(made) > soft or dice.random() < 0.3):
            return made.decode()
        assert allowed, (bytes(made), matcher.get_error())
        if len(allowed) > 1:
            late = len(made) > soft
            hint = (dice.choice((*_ENDINGS, *ends) if late else HINTS)).encode()
            if dice.random() < (0.7 if late else 0.1) and matcher.validate_tokens(list(hint)) == len(hint):
                assert matcher.consume_tokens(list(hint))
                made += hint
                continue
            if dice.random() < 0.7:
                allowed = [byte for byte in allowed if 32 <= byte < 127] or allowed
        byte = dice.choice(allowed)
        assert matcher.consume_token(byte)
        made.append(byte)
    return None


def _tags(dialect: str) -> TagBody | None:
    """Return what reads a call as the dialect's writer writes it, if its values stand in tags; else None."""
    if dialect == "fence":
        return None
    example = DIALECTS[dialect].example
    for opener in DIALECTS[dialect].openers:
        behind = example.removeprefix(opener.text).lstrip()
        if example.startswith(opener.text) and (opener.begins is None or opener.begins.match(behind)):
            body = opener.body()
            return body if isinstance(body, TagBody) else None
    return None


def holds_damage(dialect: str, blocks: Sequence[ToolBlock]) -> bool:
    """Whether the guard refuses blocks for nothing but a value that may hold a damaged marker: a grammar cannot say which do.

    A whole marker in such a value is no excuse: a grammar keeps it out.
    """
    body = _tags(dialect)
    if body is None or {issue.code for block in blocks for issue in block.issues} - _DAMAGE:
        return False
    found = [(block, issue) for block in blocks for issue in block.issues if issue.code == "ambiguous_value"]
    for block, issue in found:
        if block.arguments is None or issue.message != sentence("ambiguous_value.marker", field=inside(issue.field)):
            return False
        value = block.arguments[issue.field]
        if body._any.find(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), 0, final=True)[1]:
            return False
    return bool(found)


def ends_unclear(dialect: str, call: Call) -> bool:
    """Whether a text of a call ends with what may be the indent of its closer, in a dialect where it has no quotes."""
    texts = (value for value in call[1].values() if isinstance(value, str))
    return _tags(dialect) is not None and any(re.search(r"[\r\n][ \t]+[\r\n]*\Z|\r\Z", text) for text in texts)


def pattern_of(node: Node) -> re.Pattern[str]:
    """A node as a pattern of Python."""
    return re.compile(re.sub(r"\\u\{(\w+)\}", lambda found: f"\\U{found[1]:0>8}", regex(node)))


def takes(node: Node, text: str) -> bool:
    """Whether a node is all of a text."""
    return node != NOTHING and pattern_of(node).fullmatch(text) is not None


def read(tools: Toolset, dialect: str, text: str) -> list[ToolBlock]:
    """The blocks that a guard finds in a text that is known to have ended."""
    guard = Guard(tools, dialects=(dialect,))
    return [item for item in guard.scan([text, End("stop")]) if isinstance(item, ToolBlock)]


def written(dialect: str, call: Call) -> str:
    """A call as a dialect writes it. Raises ValueError for one that it cannot hold."""
    if dialect == "fence":
        return f"```json\n{json.dumps({'tool': call[0], **call[1]}, ensure_ascii=False)}\n```"
    return DIALECTS[dialect].write([call])


Pair = tuple[dict[str, Any], st.SearchStrategy[Any]]
"""A schema, and values of it as `json.dumps` writes them."""

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_WHOLE = st.integers(-(10**17), 10**17)
_NUMBER = st.one_of(_WHOLE, st.floats(-1.796e308, 1.796e308))

LEAVES: Sequence[Pair] = (
    ({"type": "string"}, _TEXT),
    ({"type": "string", "minLength": 1}, _TEXT),
    ({"type": "string", "minLength": 2, "maxLength": 5}, _TEXT),
    ({"type": "string", "maxLength": 3}, _TEXT),
    ({"type": "string", "pattern": "^[A-Z]{2,3}-\\d+$"}, st.from_regex(r"\A[A-Z]{2,3}-[0-9]{1,4}\Z")),
    ({"type": "string", "pattern": "^(?:[^\\s\"']+|\\\\.)\\.(py|js)$"}, st.from_regex(r"\A[a-z<&]{1,5}\.(py|js)\Z")),
    ({"type": "string", "pattern": "b+|^c"}, st.from_regex(r"\A[ab]{0,3}b[ab]{0,3}\Z")),
    ({"type": "string", "format": "date"}, st.dates().map(str)),
    ({"type": "string", "format": "uuid"}, st.uuids().map(str)),
    ({"type": "string", "format": "ipv4"}, st.ip_addresses(v=4).map(str)),
    ({"enum": ["a", "a b", 'say "x"', "<tool_call>", "7"]}, st.sampled_from(["a", "a b", 'say "x"', "7"])),
    ({"enum": ["a", 1, None, True]}, st.sampled_from(["a", 1, None, True])),
    ({"const": 0}, st.just(0)),
    ({"type": "integer"}, _WHOLE),
    ({"type": "integer", "minimum": -7, "maximum": 123}, st.integers(-7, 123)),
    ({"type": "integer", "exclusiveMinimum": 0}, st.integers(1, 10**17)),
    ({"type": "integer", "maximum": -5}, st.integers(-(10**17), -5)),
    ({"type": "number"}, _NUMBER),
    ({"type": "number", "minimum": 0, "maximum": 1}, st.decimals(0, 1, places=3).map(float)),
    ({"type": "number", "exclusiveMinimum": -2.25, "maximum": 10.5}, st.decimals("-2.24", "10.5", places=2).map(float)),
    ({"type": "number", "minimum": 0.25, "exclusiveMaximum": 0.75}, st.decimals("0.25", "0.74", places=2).map(float)),
    ({"type": "number", "exclusiveMinimum": 0}, st.decimals("0.001", 999, places=3).map(float)),
    ({"type": "boolean"}, st.booleans()),
    ({"type": "null"}, st.none()),
    ({"type": ["string", "null"]}, st.one_of(_TEXT, st.none())),
    ({"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]}, st.one_of(st.dates().map(str), st.none())),
    ({"type": ["integer", "string"]}, st.one_of(_TEXT, _WHOLE)),
)  # fmt: skip


def _array(inner: Pair, least: int, most: int | None) -> Pair:
    schema = {"type": "array", "items": inner[0], "minItems": least, **({} if most is None else {"maxItems": most})}
    return schema, st.lists(inner[1], min_size=least, max_size=4 if most is None else most)


def _tuple(inner: Sequence[Pair]) -> Pair:
    schema = {"type": "array", "prefixItems": [each[0] for each in inner], "items": False, "minItems": 1}
    return schema, st.tuples(*(each[1] for each in inner)).map(list)


def an_object(members: Mapping[str, Pair], required: Sequence[str]) -> Pair:
    """An object with these members, in this order."""
    schema = {
        "type": "object",
        "properties": {key: pair[0] for key, pair in members.items()},
        "required": list(required),
        "additionalProperties": False,
    }
    values = st.fixed_dictionaries(
        {key: pair[1] for key, pair in members.items() if key in required},
        optional={key: pair[1] for key, pair in members.items() if key not in required},
    )
    return schema, values.map(lambda made: {key: made[key] for key in members if key in made})


def _either(pairs: Sequence[Pair]) -> Pair:
    return {"anyOf": [pair[0] for pair in pairs]}, st.one_of(*(pair[1] for pair in pairs))


_KEYS = st.lists(st.sampled_from(["alpha", "beta", "gamma", "kind", "to_do", "x1"]), unique=True, max_size=4)


@st.composite
def _objects(draw: st.DrawFn, inner: st.SearchStrategy[Pair]) -> Pair:
    keys = draw(_KEYS)
    members = {key: draw(inner) for key in keys}
    return an_object(members, [key for key in keys if draw(st.booleans())])


PAIRS: st.SearchStrategy[Pair] = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: st.one_of(
        st.builds(_array, inner, st.integers(0, 2), st.sampled_from([None, 2, 4])),
        st.builds(_tuple, st.lists(inner, min_size=1, max_size=3)),
        st.builds(_either, st.lists(inner, min_size=1, max_size=3)),
        _objects(inner),
    ),
    max_leaves=6,
)


@st.composite
def tools_and_calls(draw: st.DrawFn) -> tuple[Toolset, Call]:
    """A toolset, and a valid call of one of its tools."""
    made: list[tuple[Tool, st.SearchStrategy[Any]]] = []
    for name in ("find_notes", "move_item")[: draw(st.integers(1, 2))]:
        schema, values = draw(_objects(PAIRS))
        made.append((Tool(name, "", schema), values))
    tool, values = draw(st.sampled_from(made))
    arguments = draw(values.filter(tool.compiled.accepts))
    return Toolset(*(each for each, _ in made)), (tool.name, arguments)
