"""Faults of names: the tool's and the fields'. A name that another tool may have is not this tool's."""

from __future__ import annotations

import re
from collections.abc import Iterable
from random import Random

from ..render import Token, Tokens, joined
from ..toolsets import plain_name
from .table import Scene, inner, kind, mark, member_starts, noise, pick, places, plain, put, value_span


def _tool(tokens: Tokens, rng: Random) -> int | None:
    return pick(tokens, rng, lambda token: token.name and plain(token))


def _renamed(tokens: Tokens, at: int | None, names: Iterable[str], rng: Random) -> Tokens | None:
    able = sorted(set(names) - {inner(tokens[at])}) if at is not None else []
    return put(tokens, at, tokens[at].spoilt(f'"{rng.choice(able)}"')) if at is not None and able else None


def slips(name: str) -> list[str]:
    """Return the names with one typing error in a long word.

    Two letters are transposed, one is doubled, or one is missing; never the first.
    """
    found = set()
    for word in re.finditer(r"[A-Za-z]{5,}", name):
        for at in range(word.start() + 1, word.end()):
            found.add(name[:at] + name[at] + name[at:])
            found.add(name[:at] + name[at + 1 :])
            if at + 1 < word.end():
                found.add(name[:at] + name[at + 1] + name[at] + name[at + 2 :])
    return sorted(found - {name})


def spellings(name: str) -> list[str]:
    """Return the same words in another spelling."""
    words = name.split("_")
    camel = words[0] + "".join(word.capitalize() for word in words[1:])
    found = {
        camel,
        camel[:1].upper() + camel[1:],
        "-".join(words),
        " ".join(words),
        name.upper(),
        "_".join(word.capitalize() for word in words),
    }
    return sorted(found - {name})


# The tool's name


def _slipped(tokens: Tokens, rng: Random, scene: Scene, *, destructive: bool) -> Tokens | None:
    tools = scene.toolset.by_name
    at = pick(tokens, rng, lambda token: token.name and plain(token) and tools[token.value].destructive is destructive)
    if at is None:
        return None
    taken = {other for tool in scene.toolset.tools for other in tool.strangers}
    return _renamed(tokens, at, _news(scene, set(slips(inner(tokens[at]))) - taken), rng)


def _news(scene: Scene, names: Iterable[str]) -> list[str]:
    """Return those of the names that no tool has."""
    return [name for name in names if plain_name(name) not in scene.toolset.known]


@kind("tool names", "one letter of the tool's name is wrong; the tool is not destructive")
def name_slip(tokens: Tokens, rng: Random, scene: Scene) -> Tokens | None:
    return _slipped(tokens, rng, scene, destructive=False)


@kind("tool names", "one letter of the tool's name is wrong; the tool is destructive", refuse=True)
def destructive_slip(tokens: Tokens, rng: Random, scene: Scene) -> Tokens | None:
    return _slipped(tokens, rng, scene, destructive=True)


@kind("tool names", "the tool's name is another tool's: an opposite, a unit, another operation", refuse=True)
def stranger_name(tokens: Tokens, rng: Random, scene: Scene) -> Tokens | None:
    at = _tool(tokens, rng)
    return None if at is None else _renamed(tokens, at, scene.toolset.by_name[tokens[at].value].strangers, rng)


OPPOSITES = (
    "un{}",
    "de{}",
    "dis{}",
    "no_{}",
    "not_{}",
    "cancel_{}",
    "undo_{}",
    "{}_undo",
    "{}_dry_run",
    "{}_all",
    "{}_2",
    "{}s",
    "pre{}",
    "{}_except",
    "re{}",
    "can_{}",
    "test_{}",
)


@kind("tool names", "the tool's name has a part more, which makes it another tool", refuse=True)
def longer_name(tokens: Tokens, rng: Random, scene: Scene) -> Tokens | None:
    at = _tool(tokens, rng)
    return (
        None if at is None else _renamed(tokens, at, _news(scene, (form.format(inner(tokens[at])) for form in OPPOSITES)), rng)
    )


@kind("tool names", "the tool's name is that of another tool of the set", stage="meaning", refuse=True)
def sibling_name(tokens: Tokens, rng: Random, scene: Scene) -> Tokens | None:
    return _renamed(tokens, _tool(tokens, rng), scene.toolset.by_name, rng)


@kind("tool names", "the tool's name is written in another spelling of the same words")
def name_spelling(tokens: Tokens, rng: Random, scene: Scene) -> Tokens | None:
    at = _tool(tokens, rng)
    if at is None:
        return None
    others = {name for tool in scene.toolset.tools for name in (tool.name, *tool.aliases)}
    return _renamed(tokens, at, [name for name in spellings(inner(tokens[at])) if name not in others], rng)


@kind("tool names", "the tool is called by another name, which its makers told of")
def alias(tokens: Tokens, rng: Random, scene: Scene) -> Tokens | None:
    at = _tool(tokens, rng)
    return None if at is None else _renamed(tokens, at, scene.toolset.by_name[tokens[at].value].aliases, rng)


@kind("tool names", "the tool is called by another name of another tool of the set", stage="meaning", refuse=True)
def sibling_alias(tokens: Tokens, rng: Random, scene: Scene) -> Tokens | None:
    at = _tool(tokens, rng)
    if at is None:
        return None
    return _renamed(
        tokens, at, {name for tool in scene.toolset.tools if tool.name != tokens[at].value for name in tool.aliases}, rng
    )


@kind("tool names", "the tool's name has a prefix that says nothing")
def known_prefix(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = _tool(tokens, rng)
    return None if at is None else _renamed(tokens, at, {"functions." + inner(tokens[at])}, rng)


@kind("tool names", "the tool's name has the prefix of another server", refuse=True)
def foreign_prefix(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = _tool(tokens, rng)
    return (
        None
        if at is None
        else _renamed(
            tokens,
            at,
            {prefix + inner(tokens[at]) for prefix in ("mcp__backup__", "staging.", "other:", "remote/", "x__", "sandbox_")},
            rng,
        )
    )


@kind("tool names", "the tool's name is one that nobody knows", refuse=True)
def invented_tool(tokens: Tokens, rng: Random, scene: Scene) -> Tokens | None:
    names = ("do_it", "tool", "process", "handle_request", "run", "execute", "perform_action", "", "none")
    return _renamed(tokens, _tool(tokens, rng), _news(scene, names), rng)


@kind("tool names", "the tool is not named", refuse=True)
def missing_tool(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = _tool(tokens, rng)
    key = None if at is None else max(places(tokens[:at], lambda token: token.kind == "key"), default=None)
    if at is None or key is None:
        return None
    end = at + 1
    if end < len(tokens) and mark(",")(tokens[end]):
        end += 1
    return (*tokens[:key], *tokens[end:])


@kind("tool names", "two tools are named", refuse=True)
def two_names(tokens: Tokens, rng: Random, scene: Scene) -> Tokens | None:
    at = _tool(tokens, rng)
    if at is None:
        return None
    others = sorted({*scene.toolset.by_name, *scene.toolset.by_name[tokens[at].value].strangers} - {tokens[at].value})
    keys = [key for key in ("name", "tool_name", "function", "action", "tool") if key not in _members(tokens[at], scene)]
    if not others:
        return None
    key = rng.choice(keys)
    return put(tokens, at, tokens[at], noise(f', "{key}": "{rng.choice(others)}"'))


def _members(token: Token, scene: Scene) -> frozenset[str]:
    """Return the names of the members that the call of a token may have, and of what stands around it."""
    tool = scene.tool(token)
    return frozenset({*(tool.schema.get("properties") or ()), *tool.field_aliases})


@kind("tool names", "the name outside the object is another than the one inside", stage="around", refuse=True)
def disagreeing_names(tokens: Tokens, rng: Random, scene: Scene) -> Tokens | None:
    written = joined(token for token in tokens if token.kind == "noise")
    if not any(token.name for token in tokens) and scene.calls[0].tool not in written:  # a text that has this word is no name
        return None  # what stands outside is the only name: by the letter the block calls that tool
    others = sorted(
        {*scene.toolset.by_name, *(name for tool in scene.toolset.tools for name in tool.strangers)} - {scene.calls[0].tool}
    )
    if not others:
        return None
    form = rng.choice(
        (
            "{}({})",
            "{}({});",
            "functions.{}({})",
            "{}: {}",
            "{}\n{}",
            "{} = {}",
            '{{"tool": "{}", "arguments": {}}}',
            "<{}>{}",
            '[TOOL] "{}"\n{}',
        )
    )
    return _framed(tokens, *form.format(rng.choice(others), "\0").split("\0"))


def _framed(tokens: Tokens, before: str, after: str) -> Tokens:
    return (noise(before), *tokens, noise(after))


# Keys around the arguments


@kind("envelopes", "a key around the arguments has a typing error, or an ending more", refuse=True)
def envelope_slip(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(tokens, rng, lambda token: token.kind == "key" and plain(token) and not token.field and token.value in _AROUND)
    if at is None:
        return None
    name = inner(tokens[at])
    taken = {"argument", "parameter", "args", "tool_call", "toolcalls"} - {name}
    return _renamed(tokens, at, {*slips(name), f"{name}_", f"${name}", f"{name} ", name.removesuffix("s")} - taken, rng)


_AROUND = frozenset({"tool", "arguments", "tool_calls"})


@kind("envelopes", "the name or the arguments stand under a key that other formats have for them")
def other_envelope(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    held = pick(
        tokens, rng, lambda token: token.kind == "key" and plain(token) and not token.field and token.value == "arguments"
    )
    if held is None:
        return None
    outer = max(places(tokens[:held], lambda token: token.kind == "key" and token.value == "name"), default=None)
    if outer is not None and rng.random() < 0.7:
        tokens = put(tokens, outer, tokens[outer].spoilt('"tool"'))
    return put(tokens, held, tokens[held].spoilt(f'"{rng.choice(("arguments", "parameters", "args", "input"))}"'))


# Fields' names


def _fields(tokens: Tokens, scene: Scene) -> list[int]:
    """Return the indexes of the keys of fields in objects that allow only listed members. Elsewhere any name is a member."""
    return places(tokens, lambda token: token.kind == "key" and bool(token.field) and plain(token) and scene.closed(token))


@kind("field names", "a field's name is another field's: an opposite, a unit", refuse=True)
def stranger_field(tokens: Tokens, rng: Random, scene: Scene) -> Tokens | None:
    able = [(at, names) for at in _fields(tokens, scene) if (names := _strangers(tokens[at], scene))]
    if not able:
        return None
    at, names = rng.choice(able)
    return _renamed(tokens, at, names, rng)


def _strangers(token: Token, scene: Scene) -> tuple[str, ...]:
    return scene.toolset.by_name[scene.calls[token.call].tool].stranger_fields.get(token.field, ())


AFFIXES = (
    "not_{}",
    "min_{}",
    "max_{}",
    "{}_old",
    "{}_from",
    "no_{}",
    "{}_x",
    "exclude_{}",
    "un{}",
    "{}_2",
    "{}_cents",
    "{}_ms",
    "other_{}",
    "default_{}",
    "{}_id",
)


@kind("field names", "a field's name has a part more, which makes it another field", refuse=True)
def longer_field(tokens: Tokens, rng: Random, scene: Scene) -> Tokens | None:
    able = _fields(tokens, scene)
    if not able:
        return None
    at = rng.choice(able)
    return _renamed(tokens, at, scene.news(tokens[at], (form.format(inner(tokens[at])) for form in AFFIXES)), rng)


def _holds_one_item(tokens: Tokens, key: int) -> bool:
    """Whether the value of a key is a list of one item, which may stand for the item."""
    span = value_span(tokens, key)
    return span is not None and tokens[span[0]].text == "[" and not any(token.text == "," for token in tokens[slice(*span)])


@kind("field names", "a field's name is that of another field of the tool", stage="meaning", refuse=True)
def sibling_field(tokens: Tokens, rng: Random, scene: Scene) -> Tokens | None:
    able = [at for at in _fields(tokens, scene) if tokens[at].call >= 0 and not _holds_one_item(tokens, at)]
    if not able:
        return None
    at = rng.choice(able)
    return _renamed(
        tokens,
        at,
        {token.field for token in tokens if token.kind == "key" and token.field and token.call == tokens[at].call},
        rng,
    )


@kind("field names", "a field's name is written in another spelling of the same words")
def field_spelling(tokens: Tokens, rng: Random, scene: Scene) -> Tokens | None:
    able = _fields(tokens, scene)
    at = rng.choice(able) if able else None
    return None if at is None else _renamed(tokens, at, spellings(inner(tokens[at])), rng)


@kind("field names", "a field is called by another name, which the tool's makers told of")
def field_alias(tokens: Tokens, rng: Random, scene: Scene) -> Tokens | None:
    able = [(at, names) for at in _fields(tokens, scene) if (names := _aliases(tokens[at], scene))]
    if not able:
        return None
    at, names = rng.choice(able)
    return _renamed(tokens, at, names, rng)


def _aliases(token: Token, scene: Scene) -> list[str]:
    told = scene.toolset.by_name[scene.calls[token.call].tool].field_aliases
    return [alias for alias, field in told.items() if field == token.field]


@kind("field names", "a letter of a field's name slipped")
def field_slip(tokens: Tokens, rng: Random, scene: Scene) -> Tokens | None:
    able = [at for at in _fields(tokens, scene) if slips(inner(tokens[at]))]
    at = rng.choice(able) if able else None
    if at is None:
        return None
    known = {other for tool in scene.toolset.tools for names in tool.stranger_fields.values() for other in names}
    return _renamed(tokens, at, scene.news(tokens[at], set(slips(inner(tokens[at]))) - known), rng)


@kind("field names", "a field's value stands in another field that the tool does not know", refuse=True)
def invented_field(tokens: Tokens, rng: Random, scene: Scene) -> Tokens | None:
    able = _fields(tokens, scene)
    at = rng.choice(able) if able else None
    names = ("zone", "flavour", "q", "misc", "", "arg1")
    return None if at is None else _renamed(tokens, at, scene.news(tokens[at], names), rng)


@kind("field names", "a required field is lost", stage="meaning", refuse=True)
def lost_member(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    able = [(key, span) for key in member_starts(tokens) if (span := value_span(tokens, key))]
    if not able:
        return None
    key, (_start, end) = rng.choice(able)
    if end < len(tokens) and mark(",")(tokens[end]):
        return (*tokens[:key], *tokens[end + 1 :])
    before = max(places(tokens[:key], mark(",")), default=None)
    start = before if before is not None and all(token.kind == "space" for token in tokens[before + 1 : key]) else key
    return (*tokens[:start], *tokens[end:])
