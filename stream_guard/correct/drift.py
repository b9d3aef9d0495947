"""What a correction may not change. Promise P8: it mends the call that the model made, and makes no other one.

There are two ways to know what the model made. Where the block can be read, however wrong the call, it is compared field by
field: what no issue named is equal, and what one named is made of what stood there. Where it cannot be read, every value of the
correction must stand in the block's text behind its own name, and no words of the text may be missing.

Rule 1: tool, path and URLs are the model's own, or the correction is refused; also where an issue named them.
Rule 2: what two places of the block could be meant by is known from neither.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..faults import PATH_KEY
from ..fields import Field, split
from ..intent import ENVELOPES, NAME_KEYS, TOOL_KEYS
from ..issues import JsonPath, ValidationIssue, dotted
from ..nearest import nearest_of, normal
from ..toolset import TOOL_KEY, Tool, Toolset

LEAST_ALIKE: Final = 0.9
"""How much of a long text must be left as it was when a correction may change it at all."""

_LONG: Final = 200
"""A text of so many characters is long: changing a word of it is one thing, rewriting it another."""

_URL: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9+.\-]*://[^\s\"'`<>\\)\]}]+")
_WORDS: Final = re.compile(r"\w+")
_SHORTER: Final = "maxLength"


@dataclass(frozen=True, slots=True)
class Drift:
    """Where a correction says what the block did not."""

    kind: str
    """`tool`, `path`, `URL` or `value`."""

    field: str
    """Which field it is in, dotted."""


@dataclass(frozen=True, slots=True)
class Origin:
    """What is known of the call that the model made."""

    text: str
    """The block's body."""

    call: Mapping[str, Any] | None = None
    """The call, under the toolset's names, as far as it can be read; None when it cannot."""

    issues: tuple[ValidationIssue, ...] = ()
    """What is wrong with that call."""

    tool: str | None = None
    """The tool that was read before the text went wrong, as the model named it."""

    path: str | None = None
    """The path that was read before the text went wrong."""


def drift(arguments: Mapping[str, Any], origin: Origin, tools: Toolset) -> Drift | None:
    """Where a valid correction says what the block did not; None when it nowhere does."""
    tool = tools.get(str(arguments.get(TOOL_KEY)))
    if tool is None:
        return Drift("tool", TOOL_KEY)
    if origin.call is not None:
        return _Read(origin.call, origin, tool).drift(arguments)
    return _Text(origin, tool, tools).drift(arguments)


# -- where the block can be read -----------------------------------------------------------------------------------------


class _Read:
    """The comparison with a call that could be read."""

    __slots__ = ("_before", "_call", "_lacking", "_named", "_spare", "_text", "_tool")

    def __init__(self, call: Mapping[str, Any], origin: Origin, tool: Tool) -> None:
        self._call = call
        self._tool = tool
        self._text = skeleton(origin.text)
        self._named = [(split(issue.pointer), issue.constraint) for issue in origin.issues]
        self._lacking = {split(issue.pointer)[:-1] for issue in origin.issues if issue.constraint == "required"}
        self._before = dict(_leaves(call))
        self._spare = {value for path, value in self._before.items() if isinstance(value, str) and self._rules(path)}

    def drift(self, arguments: Mapping[str, Any]) -> Drift | None:
        """Compare."""
        if self._call.get(TOOL_KEY) != self._tool.name:
            return Drift("tool", TOOL_KEY)
        after = dict(_leaves(arguments))
        for path in self._before.keys() - after.keys():
            if not self._rules(path) and not any(_within(path, kept) or _within(kept, path) for kept in after):
                return _drift(path)
        for path, value in after.items():
            if path == (TOOL_KEY,) or (path in self._before and _same(self._before[path], value)):
                continue
            if not self._rules(path) or not self._may_become(path, value):
                return _drift(path)
            if isinstance(value, str) and not _urls_stand(value, self._text):
                return Drift("URL", dotted(path))
        return None

    def _rules(self, path: JsonPath) -> set[str]:
        """The broken rules that named this place, or one above or below it.

        Where a field is missing, one that is not the tool's may be its misnomer: nobody says a word of that one.
        """
        rules = {rule for named, rule in self._named if _within(path, named) or _within(named, path)}
        for size in range(len(path)):
            if path[:size] in self._lacking and self._tool.fields.at(path[: size + 1]) is None:
                rules.add("additionalProperties")
        return rules

    def _may_become(self, path: JsonPath, value: Any) -> bool:
        """Whether a value that an issue named may become this one."""
        if not isinstance(value, str):
            return True  # numbers and truth values name nothing
        field = self._tool.fields.at(path)
        before = _at(self._call, path)
        if path == (PATH_KEY,):
            return _relative(before) == value if isinstance(before, str) else value in self._spare
        if field is not None and field.allowed:
            return _chosen(before, value, field)
        if (
            value in self._spare
            or (value == "" and before is None)
            or (field is not None and field.rules.get("default") == value)
        ):
            return True
        if isinstance(before, str):
            return self._reworded(before, value, self._rules(path))
        return before is not None and skeleton(value) in (skeleton(json.dumps(before, ensure_ascii=False)), _joined(before))

    def _reworded(self, before: str, after: str, rules: set[str]) -> bool:
        """Whether a text is made of the words of another, and if it is long, nearly the same."""
        if Counter(_WORDS.findall(after)) - Counter(_WORDS.findall(before)):
            return False
        if len(before) < _LONG or _SHORTER in rules:
            return True
        from rapidfuzz.distance import Indel  # deferred: only a long text that was changed gets this far

        return Indel.normalized_similarity(before, after, score_cutoff=LEAST_ALIKE) > 0


def _relative(path: str) -> str:
    """A path as a workspace takes it, if only its spelling was wrong."""
    return re.sub(r"/+", "/", re.sub(r"^(?:\./|/)+", "", path.strip().replace("\\", "/")))


def _chosen(before: Any, value: str, field: Field) -> bool:
    """Whether a value that is one of a few is the one that was meant: the only one, another spelling, or a slip."""
    if len(field.allowed) == 1:
        return True
    return isinstance(before, str) and (normal(before) == normal(value) or nearest_of(before, field.allowed) == value)


def _joined(value: Any) -> str:
    """All texts in a value, one after the other."""
    return skeleton("".join(leaf for _, leaf in _leaves(value) if isinstance(leaf, str)))


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


# -- where it cannot be read ---------------------------------------------------------------------------------------------


class _Text:
    """The comparison with a text that could not be read: it is letter by letter, but for quotes and backslashes."""

    __slots__ = ("_kept", "_origin", "_quoted", "_tool", "_tools")

    def __init__(self, origin: Origin, tool: Tool, tools: Toolset) -> None:
        self._origin = origin
        self._tool = tool
        self._tools = tools
        self._kept, self._quoted = unquoted(origin.text)

    def drift(self, arguments: Mapping[str, Any]) -> Drift | None:
        """Compare."""
        if not self._is_the_tool():
            return Drift("tool", TOOL_KEY)
        for path, value in _leaves(arguments):
            if path == (TOOL_KEY,):
                continue
            if path == (PATH_KEY,) and self._origin.path is not None:
                if value != self._origin.path:
                    return _drift(path)
            elif not self._stands(path, value):
                return _drift(path)  # and so do the addresses in it
        return Drift("value", "") if self._lost(arguments) else None

    def _is_the_tool(self) -> bool:
        if self._origin.tool is not None:
            meant = self._tools.meant(self._origin.tool)
            return meant is not None and meant.name == self._tool.name
        found = {self._tool_at(at) for at in self._behind(TOOL_KEY)}
        if not found:
            found = {self._tool_at(at) for key in TOOL_KEYS | NAME_KEYS for at in self._behind(key)} - {None}
        return found == {self._tool.name}

    def _tool_at(self, at: int) -> str | None:
        """The tool that is named here, if one is."""
        word = _NAME.match(self._kept, at)
        meant = self._tools.meant(word[1]) if word is not None else None
        return meant.name if meant is not None else None

    def _stands(self, path: JsonPath, value: Any) -> bool:
        """Whether a value stands behind its name in the text; a short one may stand in no other place than inside itself."""
        said = unquoted(value)[0] if isinstance(value, str) else json.dumps(value)
        key = next((step for step in reversed(path) if isinstance(step, str)), "")
        names = {key, *(alias for alias, to in self._tool.field_aliases.items() if split(to)[-1:] == (key,))}
        item = isinstance(path[-1], int)
        behind = self._items if item else [at for name in names for at in self._behind(name)]
        if not behind:
            return value == "" and not any(name in self._kept for name in names)
        whole = [
            (at, start + len(word))
            for at in behind
            for word in (said, _PYTHON.get(said, said))
            for start in self._starts(at, word)
            if self._is_whole(start, start + len(word))
        ]
        if item:
            return bool(whole)
        return any(len(said) > _LONG or all(at <= other < end for other in behind if other != at) for at, end in whole)

    def _behind(self, name: str) -> list[int]:
        """The places of the text where this field's value may begin, blanks before it included."""
        return [
            mark.end()
            for at in _all(self._kept, name)
            if (at == 0 or not (self._kept[at - 1].isalnum() or self._kept[at - 1] == "_"))
            for mark in [_SEPARATOR.match(self._kept, at + len(name))]
            if mark is not None
        ]

    @property
    def _items(self) -> list[int]:
        """The places of the text where an item of a list may begin."""
        return [mark.end() for mark in _ITEM.finditer(self._kept)]

    def _starts(self, at: int, word: str) -> Iterator[int]:
        """Where a value stands at a place, after as many blanks as are not its own."""
        blanks = _BLANKS.match(self._kept, at)
        for start in range(at, blanks.end() + 1 if blanks is not None else at + 1):
            if self._kept.startswith(word, start):
                yield start

    def _is_whole(self, start: int, end: int) -> bool:
        """Whether nothing of a value is missing: quotes on both sides or on neither, and a mark or the next field behind it."""
        if (start in self._quoted) is not (end in self._quoted):
            return False
        behind = _BLANKS.match(self._kept, end)
        at = behind.end() if behind is not None else end
        if at >= len(self._kept) or self._kept[at] in ",}])":
            return True
        fields = (*self._tools.fields, TOOL_KEY)
        return any(self._kept.startswith(name, at) and _SEPARATOR.match(self._kept, at + len(name)) for name in fields)

    def _lost(self, arguments: Mapping[str, Any]) -> bool:
        """Whether more words of the text are missing than a comment has."""
        had = Counter(_WORDS.findall(_plain(self._origin.text)))
        total = had.total()
        for path, value in _leaves(arguments):
            had.subtract(_WORDS.findall(_plain(value) if isinstance(value, str) else json.dumps(value)))
            had.subtract(step for step in path if isinstance(step, str))
        known = {
            *self._tools.fields,
            *ENVELOPES,
            *(name for tool in self._tools for name in (tool.name, *tool.aliases)),
            "json",
        }
        lost = sum(count for word, count in had.items() if count > 0 and word not in known)
        return lost > min(_COMMENT, total // _SHARE)


_COMMENT: Final = 12
"""So many words may be missing at most: a comment's ..."""

_SHARE: Final = 50
"""... and no more than one in so many."""

_SEPARATOR: Final = re.compile(r"\s*[:=]>?")
_ITEM: Final = re.compile(r"[\[,]")
_BLANKS: Final = re.compile(r"\s*")
_NAME: Final = re.compile(r"\s*([\w.\-]+)")
_PYTHON: Final = {"true": "True", "false": "False", "null": "None"}


# -- what both use -------------------------------------------------------------------------------------------------------

_UNICODE: Final = re.compile(r"\\+u([0-9a-fA-F]{4})")
_QUOTES: Final = "\"'`‘’‚‛“”„«»"
_ESCAPE: Final = re.compile(r"\\+([ntrbf]?)")
_QUOTE: Final = re.compile(f"[{_QUOTES}]+")
_MARKS: Final = re.compile(rf"\\+[ntrbf]?|[\s{_QUOTES}\u200b\ufeff]+")
_BLANK: Final = {"n": "\n", "t": "\t"}


def skeleton(text: str) -> str:
    """What is left of a text without blanks, quotes and backslashes."""
    return _MARKS.sub("", _spelt_out(text))


def unquoted(text: str) -> tuple[str, set[int]]:
    """A text without quotes and backslashes, which is what no mending of a string may change; and where quotes stood in it.

    Blanks are kept, and those that are escaped are spelt out: so much of a string is the same however it is escaped.
    """
    text = _ESCAPE.sub(lambda found: _BLANK.get(found[1], ""), _spelt_out(text).replace("\r", ""))
    kept: list[str] = []
    quoted: set[int] = set()
    size, last = 0, 0
    for quote in _QUOTE.finditer(text):
        kept.append(text[last : quote.start()])
        size += quote.start() - last
        last = quote.end()
        quoted.add(size)
    return "".join(kept) + text[last:], quoted


def _plain(text: str) -> str:
    """A text without its escapes."""
    return re.sub(r"\\+[ntrbf]?", " ", _spelt_out(text))


def _spelt_out(text: str) -> str:
    if "\\u" not in text:
        return text
    return (
        _UNICODE.sub(lambda found: chr(int(found[1], 16)), text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    )


def _urls_stand(value: str, text: str) -> bool:
    """Whether every URL in a value stands in the text."""
    return all(skeleton(url) in text for url in _URL.findall(value))


def _leaves(value: Any, path: JsonPath = ()) -> Iterator[tuple[JsonPath, Any]]:
    """Every value that holds no other one, and where it stands."""
    if isinstance(value, Mapping) and value:
        for key, item in value.items():
            yield from _leaves(item, (*path, key))
    elif isinstance(value, list) and value:
        for index, item in enumerate(value):
            yield from _leaves(item, (*path, index))
    else:
        yield path, value


def _at(value: Any, path: JsonPath) -> Any:
    """What stands at a path; None when nothing does."""
    for step in path:
        if isinstance(value, Mapping):
            value = value.get(str(step))
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def _within(path: JsonPath, place: JsonPath) -> bool:
    """Whether a path is this place or inside it."""
    return path[: len(place)] == place


def _all(text: str, part: str) -> Iterator[int]:
    """Every place of a part in a text."""
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def _drift(path: JsonPath) -> Drift:
    return Drift("path" if path == (PATH_KEY,) else "value", dotted(path))
