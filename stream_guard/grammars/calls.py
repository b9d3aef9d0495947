"""Calls in the forms of dialects: how a call begins, and all texts that may follow.

Rule: a grammar here allows exactly the calls that `dialects/write.py` writes, also in other layouts of models. A guard reads
all of them back unchanged.
"""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from ..dialects.tables import DIALECTS, SPELLINGS
from ..schema.schema import Schema
from ..schema.violations import kind_of, types_of
from ..values.events import FENCE
from ..values.issues import JsonPath
from . import regexes
from .automata import BLANK
from .nodes import (
    ANY,
    EMPTY,
    NOTHING,
    Alt,
    Chars,
    Json,
    Lexeme,
    Lit,
    Many,
    Node,
    Python,
    Seq,
    Until,
    alt,
    both,
    chars,
    many,
    maybe,
    of,
    other,
    seq,
    walk,
)
from .reading import NotExpressed, Reader, kinds_of
from .shapes import Anything, Map, Member, Members, Named, Number, OneOf, Shape, Str, Values, one_of, parts_of
from .values import COLON, Style, behind, closing, comma, opening, text_of


class GrammarError(ValueError):
    """Raised for tools or a dialect for which no grammar can be made."""


@dataclass(frozen=True, slots=True)
class Described:
    """The parts of a tool that a grammar needs."""

    name: str
    """The name of the tool."""

    schema: Schema
    """The compiled schema of the tool's arguments."""

    rules: tuple[str, ...] = ()
    """The names of the tool's rules beyond the schema."""


@dataclass(frozen=True, slots=True)
class Entry:
    """The beginning of a call, and the rest of it up to its end."""

    trigger: str
    """The characters from which on the text is a call."""

    body: Node
    """The node of the text after the trigger."""


@dataclass(frozen=True, slots=True)
class Calls:
    """The calls of tools in one dialect."""

    entries: tuple[Entry, ...]
    """The beginnings of calls."""

    named: Mapping[str, Shape]
    """The shapes that have names, by name."""

    lost: tuple[NotExpressed, ...]
    """The rules that are not expressed."""

    line: bool
    """Whether a line must end after a call."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A tool whose schema was read."""

    name: str
    """The name of the tool."""

    shape: Shape
    """The shape of the tool's arguments."""

    schema: Schema
    """The compiled schema of the tool's arguments."""

    reader: Reader
    """The reader of the schema: it knows the shapes that have names, and notes the rules that are not expressed."""

    def forms(self) -> Iterator[Members | Map]:
        """Yield the objects that the tool's arguments may be."""
        yield from self._forms(self.shape, set())

    def _forms(self, shape: Shape, seen: set[str]) -> Iterator[Members | Map]:
        if isinstance(shape, Members | Map):
            yield shape
        elif isinstance(shape, Anything):
            yield Map(shape)
        elif isinstance(shape, Named) and shape.name not in seen:
            seen.add(shape.name)
            yield from self._forms(self.reader.named[shape.name], seen)
        elif isinstance(shape, OneOf):
            for part in shape.shapes:
                yield from self._forms(part, seen)

    def object(self) -> Shape:
        """Return the shape of the tool's arguments without the values that are no objects."""
        return one_of(*self.forms())


def read(tools: Sequence[Described]) -> list[Taken]:
    """Read the schemas of tools. Raises GrammarError for a tool whose arguments cannot be an object."""
    made = []
    for tool in tools:
        reader = Reader(tool.name, tool.schema)
        taken = Taken(tool.name, reader.read(), tool.schema, reader)
        for rule in tool.rules:
            reader.lost[NotExpressed(tool.name, "", rule, "accepts_more", "it is written in Python")] = None
        if next(taken.forms(), None) is None:
            raise GrammarError(f"tool {tool.name!r}: its schema allows no object, so that no call of it can be written")
        made.append(taken)
    return made


@dataclass(frozen=True, slots=True)
class Further(Many):
    """The calls of a block that may hold several: all of them, or those after the first."""


def further(call: Node, least: int = 0) -> Node:
    """Return a call that may be repeated in its block."""
    made = many(call, least)
    return Further(call, least) if isinstance(made, Many) else made


def _single(body: Node) -> Node:
    """Return the node of the text after a trigger, with only one call in the block."""
    if isinstance(body, Alt):
        return alt(*map(_single, body.parts))
    if not isinstance(body, Seq):
        return body
    return seq(*(many(part.part, part.least, part.least) if isinstance(part, Further) else part for part in body.parts))


def calls(tools: Sequence[Described], dialect: str, *, several: bool) -> Calls:
    """Return the calls of tools in a dialect; with `several`, a block may hold several calls, if the dialect allows that.

    Raises GrammarError for a dialect that has no grammar.
    """
    name = SPELLINGS.get(dialect, dialect)
    if name not in FORMS:
        what = f"has no grammar: {REFUSED[name]}" if name in DIALECTS else "is no dialect"
        raise GrammarError(f"{dialect!r} {what}; there are grammars for {', '.join(FORMS)}")
    taken = read(tools)
    entries = tuple(entry for entry in FORMS[name](taken) if entry.body != NOTHING)
    if not several:
        entries = tuple(Entry(entry.trigger, _single(entry.body)) for entry in entries)
    named = {key: shape for tool in taken for key, shape in tool.reader.named.items()}
    lost = tuple(loss for tool in taken for loss in tool.reader.lost)
    alone = name == FENCE or DIALECTS[name].alone
    return Calls(entries, named, lost, alone)


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


def _plain(tool: Taken, pattern: str = r"[\w.-]+") -> str:
    """Return the name of a tool for a dialect without quotes. Raises GrammarError for a name that does not match `pattern`."""
    if not re.fullmatch(pattern, tool.name, re.ASCII):
        raise GrammarError(f"tool {tool.name!r}: this dialect has no quotes for its name; use letters, digits and _")
    return tool.name


_JSON: Final[Style] = ("json", (), False)
_LINE: Final[Style] = ("json", (), True)

# -- a fence

_SPELLINGS: Final = ('```json\n{"tool": ', '```json\n{"tool":', '```json\n{\n  "tool": ')


def _fence(tools: Sequence[Taken]) -> Iterator[Entry]:
    body = alt(*(seq(Lit(_quoted(tool.name)[1:]), _beside(form), Lit("\n```")) for tool in tools for form in tool.forms()))
    for opener in _SPELLINGS:
        yield Entry(f'{opener}"', body)


def _beside(form: Members | Map) -> Node:
    """Return the arguments after the tool in the same object, up to the end of that object."""
    end = Lexeme(seq(maybe(alt(Lit(" "), Lit("\n"))), Lit("}")))
    if isinstance(form, Members):
        return seq(behind(form.members, _JSON), end)
    more = seq(comma(_JSON), Json(Str()), COLON, Json(form.value))
    return seq(many(more, form.least, form.most), end)


# -- JSON between markers


def _named(tool: Taken, key: str, style: Style = _JSON) -> Node:
    """Return a call as an object with a name and its arguments."""
    return seq(Lit(f'{{"name": {_quoted(tool.name)}, "{key}": '), Json(tool.object(), (), style[2]), Lit("}"))


def _between(
    tools: Sequence[Taken],
    opener: str,
    closer: str = "",
    *,
    around: Sequence[tuple[str, str]] = (("", ""),),
    key: str = "arguments",
) -> Iterator[Entry]:
    """Yield calls as objects, each between an opener and a closer, with one of these pairs of blanks around it."""
    made = (seq(Lit(before), _named(tool, key), Lit(f"{end}{closer}")) for before, end in around for tool in tools)
    yield Entry(opener, alt(*made))


def _array(tools: Sequence[Taken], opener: str, closer: str = "") -> Iterator[Entry]:
    yield Entry(opener, _listed((_named(tool, "arguments") for tool in tools), closer))


def _listed(calls_of_tools: Iterable[Node], closer: str) -> Node:
    """Return a JSON array of calls, followed by the closer."""
    one = alt(*calls_of_tools)
    return seq(opening("[", _JSON), one, further(seq(comma(_JSON), one)), closing("]", _JSON), Lit(closer))


def _cohere(tools: Sequence[Taken]) -> Iterator[Entry]:
    parts = (
        seq(
            Lit('{"tool_call_id": "'),
            _COUNT,
            Lit(f'", "tool_name": {_quoted(tool.name)}, "parameters": '),
            Json(tool.object()),
            Lit("}"),
        )
        for tool in tools
    )
    yield Entry("<|START_ACTION|>", _listed(parts, "<|END_ACTION|>"))


def _apertus(tools: Sequence[Taken]) -> Iterator[Entry]:
    parts = (seq(Lit(f"{{{_quoted(tool.name)}: "), Json(tool.object()), Lit("}")) for tool in tools)
    yield Entry("<|tools_prefix|>", _listed(parts, "<|tools_suffix|>"))


_COUNT: Final = Lexeme(many(chars((48, 57)), 1, 4))
"""The node of the number of a call."""


def _bare(
    tools: Sequence[Taken], before: str, between: str, behind_it: str = "", *, key: str = "parameters"
) -> Iterator[Entry]:
    """Yield calls as objects. Their opener `{` alone shows no call, so each trigger includes the name of the tool."""
    more = seq(further(seq(Lit(between), alt(*(_named(tool, key, _LINE) for tool in tools)))), Lit(behind_it))
    for tool in tools:
        trigger = f'{before}{{"name": {_quoted(tool.name)}, "{key}": '
        yield Entry(trigger, seq(Json(tool.object(), (), True), Lit("}"), more))


# -- JSON after a header


def _mistral(tools: Sequence[Taken]) -> Iterator[Entry]:
    yield Entry("[TOOL_CALLS]", alt(*(seq(Lit(f"{_plain(tool)}[ARGS]"), Json(tool.object())) for tool in tools)))


def _deepseek(tools: Sequence[Taken], before: str, between: str, behind_it: str) -> Iterator[Entry]:
    one = alt(
        *(
            seq(
                Lit(f"<｜tool▁call▁begin｜>{before}{_plain(tool)}{between}"),
                Json(tool.object()),
                Lit(f"{behind_it}<｜tool▁call▁end｜>"),
            )
            for tool in tools
        )
    )
    yield Entry("<｜tool▁calls▁begin｜>", seq(one, further(seq(maybe(Lit("\n")), one)), Lit("<｜tool▁calls▁end｜>")))


def _kimi(tools: Sequence[Taken]) -> Iterator[Entry]:
    one = alt(
        *(
            seq(
                Lit(f"<|tool_call_begin|>functions.{_plain(tool, '[A-Za-z_][A-Za-z0-9_.-]*')}:"),
                _COUNT,
                Lit("<|tool_call_argument_begin|>"),
                Json(tool.object()),
                Lit("<|tool_call_end|>"),
            )
            for tool in tools
        )
    )
    yield Entry("<|tool_calls_section_begin|>", seq(further(one, 1), Lit("<|tool_calls_section_end|>")))


# -- Python


def _pythonic(tools: Sequence[Taken]) -> Iterator[Entry]:
    bodies = {_plain(tool, "[A-Za-z_][A-Za-z0-9_.]*"): alt(*map(_keywords, tool.forms())) for tool in tools}
    more = further(seq(Lit(", "), alt(*(seq(Lit(f"{name}("), body, Lit(")")) for name, body in bodies.items()))))
    for name, body in bodies.items():
        yield Entry(f"[{name}(", seq(body, Lit(")"), more, Lit("]")))


def _keywords(form: Members | Map) -> Node:
    """Return arguments as keyword arguments of Python."""
    if isinstance(form, Map):
        one = seq(_IDENTIFIER, Lit("="), Python(form.value))
        all_of_it = seq(one, many(seq(Lit(", "), one), max(form.least - 1, 0), None if form.most is None else form.most - 1))
        return EMPTY if form.most == 0 else all_of_it if form.least else maybe(all_of_it)
    for member in form.members:
        if not member.key.isidentifier() or not member.key.isascii() or keyword.iskeyword(member.key):
            raise GrammarError(f"the field {member.key!r} cannot be written as Python's name of an argument")
    made: Node = EMPTY
    rest: Node = EMPTY
    for member in reversed(form.members):
        one = seq(Lit(f"{member.key}="), Python(member.shape))
        first = seq(one, rest)
        made = first if member.required else alt(first, made)
        more = seq(Lit(", "), one)
        rest = seq(more if member.required else maybe(more), rest)
    return made


_IDENTIFIER: Final = Lexeme(
    seq(chars((65, 90), (95, 95), (97, 122)), many(chars((48, 57), (65, 90), (95, 95), (97, 122)), 0, 30))
)

# -- tags


@dataclass(frozen=True, slots=True)
class _Tags:
    """How a dialect writes an argument between tags."""

    before: str
    """The opener; `{}` in it is replaced by the key."""

    behind: str
    """The closer of a value."""

    markers: tuple[str, ...]
    """The markers that no value may contain."""

    typed: tuple[str, str] | None = None
    """The end of an opener before a string, and before any other value, if these differ."""


def _functions(tools: Sequence[Taken], outer: str) -> Iterator[Entry]:
    marks = (f"<{outer}>", f"</{outer}>", "<function=", "</function>", "<parameter=", "</parameter>")
    tags = _Tags("<parameter={}>\n", "\n</parameter>\n", marks)
    yield Entry(f"<{outer}>", _tagged(tools, "\n<function={}>\n", tags, f"</function>\n</{outer}>"))


def _glm(tools: Sequence[Taken]) -> Iterator[Entry]:
    marks = tuple(f"{start}{tag}>" for tag in ("arg_key", "arg_value", "tool_call") for start in ("<", "</"))
    made = []
    for line in ("\n", ""):
        tags = _Tags(f"<arg_key>{{}}</arg_key>{line}<arg_value>", f"</arg_value>{line}", marks)
        made.append(_tagged(tools, f"{{}}{line}", tags, "</tool_call>"))
    yield Entry("<tool_call>", alt(*made))


def _keys(tools: Sequence[Taken], prefix: str = "", behind_name: str = "", *, lines: Sequence[str] = ("",)) -> Iterator[Entry]:
    """Yield calls with keys and values in tags of their own, several calls in one block, with one of `lines`
    between the tags.
    """
    names = ("arg_key", "arg_value", "tool_call", "tool_calls")
    marks = (*(f"{start}{prefix}{tag}>" for tag in names for start in ("<", "</")), *filter(None, (behind_name,)))
    made = []
    for line in lines:
        tags = _Tags(f"<{prefix}arg_key>{{}}</{prefix}arg_key>{line}<{prefix}arg_value>", f"</{prefix}arg_value>{line}", marks)
        one = _tagged(tools, f"<{prefix}tool_call>{{}}{behind_name}{line}", tags, f"</{prefix}tool_call>{line}")
        made.append(seq(Lit(line), further(one, 1), Lit(f"</{prefix}tool_calls>")))
    yield Entry(f"<{prefix}tool_calls>", alt(*made))


def _invokes(tools: Sequence[Taken], outer: str, prefix: str = "", *, typed: bool = False) -> Iterator[Entry]:
    """Yield calls with names in the attributes of tags, several calls in one block."""
    names = ("invoke", "parameter", outer, f"{outer.split('_')[0]}>")  # the last one is half of the outer tag
    marks = tuple(f"{start}{prefix}{name}" for name in names for start in ("<", "</"))
    ends = (' string="true">', ' string="false">') if typed else None
    before = f'<{prefix}parameter name="{{}}"{"" if typed else ">"}'
    tags = _Tags(before, f"</{prefix}parameter>\n", marks, ends)
    one = _tagged(tools, f'<{prefix}invoke name="{{}}">\n', tags, f"</{prefix}invoke>\n")
    yield Entry(f"<{prefix}{outer}>", seq(Lit("\n"), further(one, 1), Lit(f"</{prefix}{outer}>")))


def _tagged(tools: Sequence[Taken], opener: str, tags: _Tags, closer: str) -> Node:
    """Return the node of a call of any tool. Raises GrammarError for a tool whose calls all have two readings."""
    made: list[Node] = []
    for tool in tools:
        forms = [form for form in (_arguments(tool, each, tags) for each in tool.forms()) if form != NOTHING]
        if not forms:
            raise GrammarError(
                f"tool {tool.name!r}: a required field has no value that is clear without quotes; choose a dialect with JSON"
            )
        made += (seq(Lit(opener.format(_plain(tool))), form, Lit(closer)) for form in forms)
    return alt(*made)


def _arguments(tool: Taken, form: Members | Map, tags: _Tags) -> Node:
    if isinstance(form, Map):
        texts = [shape for shape in _strings(form.value, tool) if isinstance(shape, Str)]
        _lose_texts(form.value, tool, tags, ("additionalProperties",))
        before, behind_key = tags.before.split("{}")
        behind_key += tags.typed[0] if tags.typed else ""
        if not texts:
            tool.reader.lose(
                (), "additionalProperties", "accepts_less", "only text can be the value of a name that is not listed"
            )
            return NOTHING if form.least else EMPTY
        one = seq(Lit(before), _IDENTIFIER, Lit(behind_key), alt(*(_text(shape, tags) for shape in texts)))
        return many(one, form.least, form.most)
    parts: list[Node] = []
    for member in form.members:
        if not re.fullmatch(r"[\w.-]+", member.key):
            raise GrammarError(
                f"tool {tool.name!r}: this dialect has no quotes for the field {member.key!r}; use letters, digits and _"
            )
        value = _value(tool, member, tags)
        one = seq(Lit(tags.before.format(member.key)), value)
        parts.append(one if member.required else EMPTY if value == NOTHING else maybe(one))
    return seq(*parts)


_FIRST: Final[Mapping[str, str]] = {
    "object": "{", "array": "[", "number": "-0123456789", "integer": "-0123456789",
}  # fmt: skip
_WORDS: Final[Mapping[str, tuple[str, ...]]] = {"null": ("null",), "boolean": ("true", "false")}


def _value(tool: Taken, member: Member, tags: _Tags) -> Node:
    """Return a value without quotes, and its closer: a text that a guard reads as a string, or JSON that it reads as JSON."""
    _lose_texts(member.shape, tool, tags, ("properties", member.key))
    field = tool.schema.fields.at((member.key,))
    kinds = types_of(field)
    texts = list(_strings(member.shape, tool))
    at = ("properties", member.key)
    if tags.typed:
        return _told_apart(tool, member, tags, tags.typed)
    if not kinds or kinds == {"string"}:
        if _others(member.shape, tool) != OneOf(()) or isinstance(member.shape, Anything):
            tool.reader.lose(at, "type", "accepts_less", "only text is written where no type says that it may be more")
        return alt(*(part for part in (_text(shape, tags) for shape in texts) if part != NOTHING))
    rest = _others(member.shape, tool)
    json_value = seq(Json(rest, tags.markers), Lexeme(Lit(tags.behind))) if rest != OneOf(()) else NOTHING
    if "string" not in kinds or not texts:
        if texts:  # of a union whose branch with the string states no type
            tool.reader.lose(
                at, "type", "accepts_less", "text beside other types is written only where a type says that it may be"
            )
        return json_value
    stated = _stated(rest, kinds)
    if stated != rest:  # a value without a stated type is taken for text
        tool.reader.lose(at, "type", "accepts_less", "a value is written only where a type says that it may be one")
        json_value = seq(Json(stated, tags.markers), Lexeme(Lit(tags.behind))) if stated != OneOf(()) else NOTHING
    made, unclear = _apart_from_values(texts, tool, tags, at, kinds)
    if unclear:
        tool.reader.lose(at, "type", "accepts_less", "a value that may be text and something else is not written")
    else:
        made.append(json_value)
    return alt(*(part for part in made if part != NOTHING))


def _apart_from_values(
    texts: Sequence[Str | Values], tool: Taken, tags: _Tags, at: tuple[str, str], kinds: frozenset[str]
) -> tuple[list[Node], bool]:
    """Return nodes for the texts that no guard reads as a value of these types, and whether some such texts are left out."""
    barred = "".join(dict.fromkeys(char for kind in sorted(kinds) for char in _FIRST.get(kind, "")))
    words = tuple(word for kind in sorted(kinds) for word in _WORDS.get(kind, ()))
    made: list[Node] = []
    unclear = False
    for shape in texts:
        if isinstance(shape, Values):
            kept = [text for text in shape.texts if not _is_json(json.loads(text), kinds)]
            unclear = unclear or len(kept) < len(shape.texts)
            made.append(_text(Values(tuple(kept)), tags))
        elif shape.pattern is None:
            made.append(_text(shape, tags, never=words, barred=barred))
            unclear = True
        elif _begins(regexes.read(shape.pattern)).isdisjoint({*barred, *(word[0] for word in words), *" \t\r\n"}):
            made.append(_text(shape, tags))
        else:
            tool.reader.lose(at, "pattern", "accepts_more", "text that may be something else is written beside the pattern")
            made.append(_text(Str(), tags, never=words, barred=barred))
            unclear = True
    return made, unclear


def _told_apart(tool: Taken, member: Member, tags: _Tags, ends: tuple[str, str]) -> Node:
    """Return the end of an opener, which shows whether a string follows, then a value, and the closer."""
    made = [seq(Lit(ends[0]), _text(shape, tags)) for shape in _strings(member.shape, tool)]
    rest = _others(member.shape, tool)
    if rest != OneOf(()):
        made.append(seq(Lit(ends[1]), Json(rest, tags.markers), Lexeme(Lit(tags.behind))))
    if isinstance(member.shape, Anything):
        why = "only text is written where no type says that it may be more"
        tool.reader.lose(("properties", member.key), "type", "accepts_less", why)
    return alt(*(part for part in made if part != NOTHING))


def _lose_texts(shape: Shape, tool: Taken, tags: _Tags, at: JsonPath) -> None:
    """Note the rules of strings in a value for which the grammar leaves out valid strings, or accepts invalid ones."""
    no_mark = f"beside this rule a text has no {tags.markers[0][0]!r}, which may begin a marker of the dialect"
    no_blank = "; between tags it has no blank at its end"
    for rule in dict.fromkeys(_narrowed(shape, tool, tags.markers, ())):
        tool.reader.lose(at, rule, "accepts_less", no_mark if rule in ("pattern", "enum") else no_mark + no_blank)
    for text in _strings(shape, tool):
        if isinstance(text, Values):
            if any(_ends_unclear(json.loads(each), tags) for each in text.texts):
                why = "no text is written that ends with a line of blanks, or with half of a line end"
                tool.reader.lose(at, "enum", "accepts_less", why)
        elif text.pattern is not None and _may_end_unclear(regexes.read(text.pattern)):
            why = "a text may end with a line of blanks, which may be the indent of its closer"
            tool.reader.lose(at, "pattern", "accepts_more", why)


def _narrowed(shape: Shape, tool: Taken, markers: tuple[str, ...], above: tuple[str, ...]) -> Iterator[str]:
    """Yield the rules of strings in a shape for which valid strings are left out, since they may contain a marker."""
    if isinstance(shape, Str) and shape.pattern is not None:
        starts = of("".join(marker[0] for marker in markers))
        if any(isinstance(part, Chars) and both(part, starts).ranges for part in walk(regexes.read(shape.pattern))):
            yield "pattern"
    elif isinstance(shape, Str) and (shape.most is not None or shape.least > 1):
        yield "minLength" if shape.most is None else "maxLength"
    elif isinstance(shape, Values) and any(marker in text for text in shape.texts for marker in markers):
        yield "enum"
    elif isinstance(shape, Named):
        if shape.name not in above:
            yield from _narrowed(tool.reader.named[shape.name], tool, markers, (*above, shape.name))
    else:
        for part in parts_of(shape):
            yield from _narrowed(part, tool, markers, above)


_LAST_LINE_IS_BLANK: Final = re.compile(r"[\r\n][ \t]+[\r\n]*\Z")


def _ends_unclear(text: str, tags: _Tags) -> bool:
    """Return whether a text may end with the indent of its closer, or half of a line end: a guard refuses such a call."""
    return _LAST_LINE_IS_BLANK.search(text) is not None or (text.endswith("\r") and tags.behind[0] == "\n")


def _may_end_unclear(pattern: Node) -> bool:
    """Return whether a text that matches this node may end so."""
    breaks = any(isinstance(part, Chars) and both(part, of("\r\n")).ranges for part in walk(pattern))
    return breaks and not _starts(pattern, last=True)[0].isdisjoint(BLANK)


def _is_json(text: str, kinds: frozenset[str]) -> bool:
    """Return whether a string is also JSON of another allowed type."""
    try:
        kind = kind_of(json.loads(text))
    except ValueError:
        return False
    return kind != "string" and (kind in kinds or (kind == "integer" and "number" in kinds))


def _strings(shape: Shape, tool: Taken) -> Iterator[Str | Values]:
    """Yield the strings of a shape."""
    if isinstance(shape, Str):
        yield shape
    elif isinstance(shape, Anything):
        yield Str()
    elif isinstance(shape, Values):
        texts = tuple(text for text in shape.texts if text.startswith('"'))
        if texts:
            yield Values(texts)
    elif isinstance(shape, OneOf | Named):
        for part in shape.shapes if isinstance(shape, OneOf) else (tool.reader.named[shape.name],):
            yield from _strings(part, tool)


def _others(shape: Shape, tool: Taken) -> Shape:
    """Return a shape without the strings in it."""
    if isinstance(shape, Str | Anything):
        return OneOf(())
    if isinstance(shape, Values):
        texts = tuple(text for text in shape.texts if not text.startswith('"'))
        return Values(texts) if texts else OneOf(())
    if isinstance(shape, OneOf):
        return one_of(*(_others(part, tool) for part in shape.shapes))
    return shape


def _stated(shape: Shape, kinds: frozenset[str]) -> Shape:
    """Return a shape with only those of its values that have these types."""
    if isinstance(shape, OneOf):
        return one_of(*(_stated(part, kinds) for part in shape.shapes))
    if isinstance(shape, Values):
        found = tuple(text for text in shape.texts if kind_of(json.loads(text)) in (*kinds, *_wider(kinds)))
        return Values(found) if found else OneOf(())
    if isinstance(shape, Number) and not kinds.isdisjoint({"number", "integer"} if shape.whole else {"number"}):
        return shape
    return shape if not isinstance(shape, Number) and kinds_of(shape) <= kinds else OneOf(())


def _wider(kinds: frozenset[str]) -> tuple[str, ...]:
    return ("integer",) if "number" in kinds else ()


def _text(shape: Str | Values, tags: _Tags, *, never: tuple[str, ...] = (), barred: str = "") -> Node:
    """Return the node of text without quotes, with its closer."""
    if isinstance(shape, Values):
        texts = [json.loads(text) for text in shape.texts]
        clear = [text for text in texts if not (any(mark in text for mark in tags.markers) or _ends_unclear(text, tags))]
        return alt(*(Lexeme(Lit(f"{text}{tags.behind}")) for text in clear))
    if shape.pattern is None and shape.most is None and shape.least <= 1:
        return Until(tags.behind, tags.markers, never, barred, shape.least, indents=False)
    starts = of("".join(marker[0] for marker in tags.markers))
    if shape.pattern is not None:
        inner = text_of(shape, lambda part: other(part, starts) if other(part, starts).ranges else NOTHING)
        return NOTHING if inner == NOTHING else Lexeme(seq(inner, Lit(tags.behind)))
    plain = other(ANY, starts)
    first = other(plain, of(f"{barred}{''.join(word[0] for word in never)}{BLANK}")) if never or barred else plain
    return Lexeme(seq(_between_ends(first, plain, shape.least, shape.most), Lit(tags.behind)))


def _between_ends(first: Chars, plain: Chars, least: int, most: int | None) -> Node:
    """Return a text of so many characters, whose last one is no blank."""
    if most == 0:
        return EMPTY
    last = other(plain, of(BLANK))
    rest = seq(many(plain, max(least - 2, 0), None if most is None else max(most - 2, 0)), last)
    if first == plain:
        inner = seq(many(plain, max(least - 1, 0), None if most is None else most - 1), last)
    elif most == 1:
        inner = first
    else:
        inner = seq(first, rest if least > 1 else maybe(rest))
    return inner if least else maybe(inner)


def _begins(node: Node) -> frozenset[str]:
    """Return the ASCII characters with which a text of a node may begin, and a blank if the text may be empty."""
    found, empty = _starts(node)
    return frozenset(found) | (frozenset(" ") if empty else frozenset())


def _starts(node: Node, *, last: bool = False) -> tuple[set[str], bool]:
    """Return the ASCII characters with which a text of a node may begin (with `last`: end), and whether the text
    may be empty.
    """
    if isinstance(node, Chars):
        ascii_part = both(node, chars((0, 127)))
        return {chr(code) for first, end in ascii_part.ranges for code in range(first, end + 1)}, False
    if isinstance(node, Many):
        found, empty = _starts(node.part, last=last)
        return found, empty or node.least == 0
    parts = node.parts if isinstance(node, Seq) else getattr(node, "parts", ())
    made: set[str] = set()
    if isinstance(node, Seq):
        for part in reversed(parts) if last else parts:
            found, empty = _starts(part, last=last)
            made |= found
            if not empty:
                return made, False
        return made, True
    each = [_starts(part, last=last) for part in parts]
    return made.union(*(found for found, _ in each)), any(empty for _, empty in each)


FORMS: Final[Mapping[str, Callable[[Sequence[Taken]], Iterator[Entry]]]] = {
    FENCE: _fence,
    "hermes": partial(_between, opener="<tool_call>", closer="</tool_call>", around=[("\n", "\n")]),
    "longcat": partial(_between, opener="<longcat_tool_call>", closer="</longcat_tool_call>", around=[("", ""), ("\n", "\n")]),
    "jamba": partial(_array, opener="<tool_calls>", closer="</tool_calls>"),
    "nemotron_nano_v2": partial(_array, opener="<TOOLCALL>", closer="</TOOLCALL>"),
    "internlm2": partial(
        _between, opener="<|action_start|><|plugin|>", closer="<|action_end|>", around=[("\n", "")], key="parameters"
    ),
    "granite3": partial(_array, opener="<|tool_call|>"),
    "granite_20b_fc": partial(_between, opener="<function_call>", around=[(" ", "")]),
    "phi4_mini": partial(_bare, before="functools[", between=", ", behind_it="]", key="arguments"),
    "llama3_json": partial(_bare, before="", between="; "),
    "json_array": partial(_bare, before="[", between=", ", behind_it="]"),
    "cohere_command": _cohere,
    "apertus": _apertus,
    "inkling": partial(_between, opener="<|content_invoke_tool_json|>", closer="<|end_message|>", key="args"),
    "gigachat3": partial(_between, opener="<|function_call|>"),
    "qwen3_coder": partial(_functions, outer="tool_call"),
    "seed_oss": partial(_functions, outer="seed:tool_call"),
    "deepseek_v32_dsml": partial(_invokes, outer="function_calls", prefix="｜DSML｜", typed=True),
    "deepseek_v4_dsml": partial(_invokes, outer="tool_calls", prefix="｜DSML｜", typed=True),
    "minimax_m2": partial(_invokes, outer="minimax:tool_call"),
    "claude_xml": partial(_invokes, outer="function_calls"),
    "muse_glimmer": partial(_invokes, outer="function_calls", prefix="atem:"),
    "dots": partial(_invokes, outer="dots_function_call"),
    "glm45": _glm,
    "hunyuan_v3": partial(_keys, behind_name="<tool_sep>", lines=["", "\n"]),
    "k2_horizon": partial(_keys, prefix="ifm|"),
    "mistral": _mistral,
    "deepseek_v3": partial(_deepseek, before="function<｜tool▁sep｜>", between="\n```json\n", behind_it="\n```"),
    "deepseek_v31": partial(_deepseek, before="", between="<｜tool▁sep｜>", behind_it=""),
    "kimi_k2": _kimi,
    "pythonic": _pythonic,
}
"""The function that yields the calls of tools, by dialect."""

_FILES: Final = (
    "it names no tool and no field, but files and their lines, so that a schema says nothing of what may stand in it"
)
_QUOTES: Final = "its strings stand between marks that are no quotes, and JSON in it has keys without quotes"

_CODE: Final = (
    "a text that holds its closer leaves the end of a call uncertain, and a grammar of code does not keep it out of texts"
)

REFUSED: Final[Mapping[str, str]] = {
    "minicpm5": "its server writes the blanks in its tags or leaves them out, so that no one text is a call",
    "cline_xml": "its tags are called like tools and fields, and a reader strips the blanks around most values, "
    "so that a text with blanks is none that was meant",
    "harmony": "its marks are tokens that the server writes and reads itself; constrain the arguments with to_json_schema",
    "llama4_pythonic": _CODE,
    "lfm2": _CODE,
    "olmo3": _CODE,
    "gemma4": _QUOTES,
    "functiongemma": _QUOTES,
    "bolt_artifact": _FILES,
    "aider_search_replace": _FILES,
    "v4a_patch": _FILES,
}
"""The dialects without a grammar, with the reason."""
