"""Whether two fixes of a block, or a fix and a value, point to one fault that neither of them mends.

A fix looks at its own place. Where something moved, was copied over something else, or was lost on the way, there are two
places or more, and each alone looks like a slip: if a member moved, a comma is missing at its new place, and one is left over
at its old place.

Rule 1: a check only refuses. The reading is checked for its marks, and each call for its values and names.
Rule 2: each step, and each value, is looked at once.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, Final

from ..schema.fields import Field, split
from ..schema.spelling import slipped, tokens
from ..schema.violations import kind_of, type_name, types_of
from ..toolset.escapes import placed
from ..toolset.tool import Tool
from ..values.call_keys import ENVELOPES, TOOL_KEY, without_tool
from ..values.fix import AutoFix
from ..values.issues import JsonPath, value_at
from .catalogue import fixes_where, leaving
from .layout import indent_of
from .reading import Close, Fixed, Key, Open, Step, String

_BETWEEN_STRINGS: Final = fixes_where(lambda fix: fix.syntax.ends_strings)
_OF_TYPES: Final = leaving("type")
_OF_LINES: Final = leaving("lines")
_LEFT: Final = leaving("left")
"""The fixes where a comma may be left from a member or an item that moved away."""

_LOST_A_MARK: Final = leaving("mark")
"""The fixes where a single character may have been lost."""

MAY_LOSE_ONE: Final = leaving("gone")
"""The fixes at whose place a member may be lost."""

_NAMES: Final = leaving("spelling")

_TYPOGRAPHIC: Final = "“”„"
_HAS_A_FORM: Final = re.compile(r"[\d@:/]")
"""Matches the signs of a date, a number, an address or another text with a fixed form."""

_BLANK_AT_THE_END: Final = re.compile(r",[^\S\n]+\n")
"""Matches a comma and blanks at the end of a line."""

_ITEM_AT_THE_END: Final = {mark: re.compile(rf"(?<!\\)(?:\\\\)*{mark}, ?\Z") for mark in "\"'"}
"""Matches an unescaped quote and a comma at the end of a string, for each kind of quote."""


class _Level:
    """An object or a list that is open, and the signs in it that something moved."""

    __slots__ = ("before", "came", "key", "kind", "left", "repeated")

    def __init__(self, kind: str) -> None:
        self.kind: Final = kind
        self.key: Key | None = None  # the last key
        self.before: Key | None = None  # the key before it
        self.came = False  # whether a comma is missing, where a member or an item may have come to
        self.left = False  # whether a comma is left over, where one may have been
        self.repeated = False  # whether a member is in it twice


def marks_tell_of_one(body: str, steps: Sequence[Step], strings: Sequence[String], fixes: Collection[str]) -> bool:
    """Return whether the marks of a body show that a member or item moved, was copied over another, or is lost.

    `strings` are the strings among the steps, and `fixes` the names of the fixes among them.
    """
    ending = [one for one in strings if one.quotes and body[one.end - 1] in ", "]
    if _were_closed_for_it(body, steps) or any(_took_an_item(body, one) for one in ending):
        return True
    if _LEFT.isdisjoint(fixes) and "list_end" not in fixes and "repeated_key" not in fixes:
        return False
    open_levels: list[_Level] = []
    closed: list[_Level] = []
    for step in steps:
        if isinstance(step, Open):
            open_levels.append(_Level(step.kind))
            continue
        level = open_levels[-1] if open_levels else _Level("")
        if isinstance(step, Close):
            closed.append(open_levels.pop())
        elif isinstance(step, Key):
            level.before, level.key = level.key, step
        elif isinstance(step, Fixed):
            level.came |= step.fix == "missing_comma"
            level.left |= step.fix in _LEFT
            if step.fix == "list_end" and _lost_items(body, step.start, open_levels):
                return True
            if step.fix == "repeated_key":
                level.repeated = True
                if level.key is None or level.before is None or _stand_apart(body, level.key, level.before):
                    return True
    return any(level.repeated and level.left for level in closed) or _moved(closed)


def _moved(levels: Sequence[_Level]) -> bool:
    """Return whether a member or an item may have moved from one object to another, or inside its list."""
    for kind in ("{", "["):
        came = {level for level in levels if level.came and level.kind == kind}
        left = {level for level in levels if level.left and level.kind == kind}
        if came and left and (kind == "[" or len(came | left) > 1):
            return True
    return False


def _stand_apart(body: str, one: Key, other: Key) -> bool:
    """Return whether two copies of a member begin lines with different indents: one replaced a line of another indent."""
    indents = indent_of(body, one.start), indent_of(body, other.start)
    return None not in indents and indents[0] != indents[1]


def _lost_items(body: str, comma: int, levels: Sequence[_Level]) -> bool:
    """Return whether items may be lost, with the closing bracket, after the last comma of a list that has no end.

    They may be if each item has a line of its own, since the last item then has no comma; or if a blank after the comma ends
    the line, as before an item.
    """
    if _BLANK_AT_THE_END.match(body, comma):
        return True
    line = body.rfind("\n", 0, comma) + 1
    key = levels[-2].key if len(levels) > 1 else None
    return bool(body[line:comma].strip()) and (key is None or key.start < line)


def _took_an_item(body: str, string: String) -> bool:
    """Return whether a string ends with a bare quote and a comma: an item of a list may have moved into the string, with its
    comma.
    """
    mark = _ITEM_AT_THE_END.get(string.mark)
    return mark is not None and mark.search(body[max(string.start, string.end - _TAIL) : string.end]) is not None


_TAIL: Final = 40
"""The number of characters at the end of a string that are searched. Fewer backslashes than that precede a quote."""


def _were_closed_for_it(body: str, steps: Iterable[Step]) -> bool:
    """Return whether strings that begin with a typographic quote end with different quotes, some with a plain one.

    A program that closes a cut-off string writes a plain quote.
    """
    if not any(mark in body for mark in _TYPOGRAPHIC):
        return False
    quoted = [step for step in steps if isinstance(step, String | Key) and step.start]
    closers = {body[step.end : step.end + 1] for step in quoted if body[step.start - 1] in _TYPOGRAPHIC}
    return '"' in closers and len(closers) > 1


def call_faults_have_one_cause(
    value: Mapping[str, Any], tool: Tool, fixes: Sequence[AutoFix], rules: Collection[str], wrong: Iterable[str] = ()
) -> bool:
    """Return whether the fixes of a call may have a common cause that they do not mend. `rules` are the names of all fixes of
    its block.

    `wrong` are the dotted names of fields whose values still have a wrong type.
    """
    written = {path: value_at(value, path) for field in wrong if (path := split(field))}
    written |= {path: fix.full_before for fix in fixes if fix.rule == "coercion" and (path := split(fix.path))}
    if _changed_places(written, value, tool.fields) or _were_exchanged(written, tool.fields):
        return True
    if types_were_lost([(value, tool, fixes)]):
        return True
    return not _LOST_A_MARK.isdisjoint(rules) and _has_a_slip(tool, fixes)


def _changed_places(written: Mapping[JsonPath, Any], value: Mapping[str, Any], about: Field) -> bool:
    """Return whether a value of a wrong type and the value of another member of its object may have changed places.

    `written` are the values of a wrong type, by path, as the model wrote them. Each of the two values has to fit the other's
    field.
    """
    beside: dict[JsonPath, list[_Values]] = {}  # by the path of the object
    for path, one in written.items():
        above, field = path[:-1], about.at(path[:-1])
        within = value_at(value, above)
        if not isinstance(within, dict) or field is None:
            continue
        if above not in beside:
            members = ((name, item) for name, item in within.items() if name != TOOL_KEY)
            beside[above] = _by_field((field.at((name,)), written.get((*above, name), item)) for name, item in members)
        own = field.at(path[-1:])
        if any(other is not own and _change_places([one], own, items, other) for other, items in beside[above]):
            return True
    return False


def types_were_lost(calls: Sequence[tuple[Mapping[str, Any], Tool, Sequence[AutoFix]]]) -> bool:
    """Return whether all values of these calls may have been turned into strings, as `"5"` for 5.

    One value has to be such a string that was mended, and another such a string has to be left in a field that takes the value
    it spells. Each call comes with its tool and its fixes.
    """
    if not any(_was_a_text(fix, value) for value, _, fixes in calls for fix in fixes):
        return False
    return any(
        _spells_a_value(text, tool.fields.at(path)) for value, tool, _ in calls for path, text in placed(without_tool(value))
    )


def _was_a_text(fix: AutoFix, value: Mapping[str, Any]) -> bool:
    """Return whether a fix changed a string into the value of another type that the string spells."""
    before = fix.full_before
    if fix.rule != "coercion" or not isinstance(before, str) or _SPELT.fullmatch(before) is None:
        return False
    return not isinstance(value_at(value, split(fix.path)), str)


def _spells_a_value(text: str, about: Field | None) -> bool:
    """Return whether a string spells a number, a literal, a list or an object, and its field takes such a value."""
    found = _SPELT.fullmatch(text)
    if found is None:
        return False
    kinds = _KINDS[found.lastgroup or ""]
    types = types_of(about)
    return not types or not kinds.isdisjoint(types)


_SPELT: Final = re.compile(
    r"(?P<boolean>true|false)|(?P<null>null|none|undefined)|(?P<number>-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?)"
    r"|(?P<array>\[.*\])|(?P<object>\{.*\})",
    re.IGNORECASE | re.DOTALL,
)
"""Matches a string that spells a value of another type; the group that matches names the type."""

_KINDS: Final = {
    "boolean": {"boolean"},
    "null": {"null"},
    "number": {"integer", "number"},
    "array": {"array"},
    "object": {"object"},
}


def _were_exchanged(written: Mapping[JsonPath, Any], about: Field) -> bool:
    """Return whether two values of a wrong type fit each other's field, in one object or in two. `written` are all such values,
    by path.
    """
    values = _by_field((field, one) for path, one in written.items() if (field := about.at(path)) is not None)
    return any(_change_places(ones, field, others, other) for (field, ones), (other, others) in combinations(values[:_MOST], 2))


_MOST: Final = 100
"""Limit: how many fields are compared with each other."""


_Values = tuple[Field | None, list[Any]]
"""A field, and the values that a call has for it: several if it is a member of the items of a list."""


def _by_field(written: Iterable[tuple[Field | None, Any]]) -> list[_Values]:
    """Return each field with all values that the call has for it."""
    found: dict[int, _Values] = {}
    for field, one in written:
        found.setdefault(id(field), (field, []))[1].append(one)
    return list(found.values())


def _change_places(ones: Iterable[Any], field: Field | None, others: Iterable[Any], other: Field | None) -> bool:
    """Return whether a value of each of two fields fits the other field."""
    return any(_fits(one, other) for one in ones) and any(_fits(one, field) for one in others)


def _fits(value: Any, about: Field | None) -> bool:
    """Return whether a value has a type that its field takes, and is one of its choices. A field without a schema takes any
    value.
    """
    if about is None:
        return True
    types = types_of(about)
    if types and {kind_of(value), type_name(value)}.isdisjoint(types):
        return False
    if isinstance(value, list):
        return all(_fits(item, about.items) for item in value)
    if isinstance(value, dict):
        return value.keys() >= set(about.required) and (not about.closed or value.keys() <= about.members.keys())
    if isinstance(value, str) and (about.format is not None or "pattern" in about.rules):
        return _HAS_A_FORM.search(value) is not None
    return not about.allowed or value in about.allowed


def _has_a_slip(tool: Tool, fixes: Iterable[AutoFix]) -> bool:
    """Return whether a name in a call had a wrong letter. If a mark is missing too, characters were lost, and perhaps also in
    strings.
    """
    known = (tool.name, *tool.aliases, *tool.field_aliases)
    names = ((fix.full_before, split(str(fix.full_after))) for fix in fixes if fix.rule in _NAMES)
    return any(isinstance(written, str) and _is_a_slip(written, (*known, *map(str, meant))) for written, meant in names)


def _is_a_slip(written: str, known: Collection[str]) -> bool:
    """Return whether a name is one of the known names with one wrong letter, and is not just another spelling of one."""
    words = tokens(written)
    if any("".join(words) == "".join(tokens(name)) for name in known):
        return False
    return any(
        len(words) == len(others) and any(slipped(*pair) for pair in zip(words, others, strict=True))
        for others in map(tokens, known)
    )


def may_have_lost_one(value: Mapping[str, Any], about: Field, places: Iterable[str], fixes: Sequence[AutoFix]) -> bool:
    """Return whether a call may have lost a member at one of these places of its block. `fixes` are the fixes of the call.

    The member may have been on the line after the last comma, or in the place of a member that is there twice.
    """
    names = {fix.full_before: split(fix.path)[-1] for fix in fixes if fix.rule == "field_name"}
    return any(_lacks_one(tuple(names.get(step, step) for step in split(place)), value, about) for place in places)


def _lacks_one(path: JsonPath, value: Mapping[str, Any], about: Field) -> bool:
    """Return whether the object at the end of a path, without its last step, lacks some member that its schema allows."""
    if not path or isinstance(path[-1], int) or path[-1] in ENVELOPES - about.members.keys() - {TOOL_KEY}:
        return False
    # In the block the call may stand in a list, or in an envelope.
    for begin in range(len(path)):
        *above, key = path[begin:]
        within = value_at(value, tuple(above))
        if isinstance(within, dict) and key in within:
            field = about.at(tuple(above))
            return field is None or not field.closed or not within.keys() >= field.members.keys()
    return True


def exclude_each_other(rules: set[str], repaired: set[str]) -> bool:
    """Return whether two of these fixes exclude each other: the change of one may be the cause of the other."""
    if "extra_field" in rules and not repaired <= _BETWEEN_STRINGS:
        return True  # the member may be the rest of a string
    # The mark before a line of a text may be the text's own; in a template its lines may have been wrapped; and in a body of
    # which only the quotes were escaped a control character is none.
    if "control_character" in rules and not rules.isdisjoint(_OF_LINES):
        return True
    # Texts are joined, and numbers added; and of a list that has no end nobody knows what it held.
    return "coercion" in rules and not rules.isdisjoint(_OF_TYPES)


def may_have_lost_a_member(value: Any, about: Field, fixes: Sequence[AutoFix], *, destroys: bool) -> bool:
    """Return whether a value after two colons may belong to another member, whose key is lost with the value before it."""
    paths = [split(fix.path) for fix in fixes if fix.rule == "separator" and fix.full_before in ("::", ": :")]
    if not paths:
        return False
    if destroys and any(fix.full_before == ": :" for fix in fixes):
        return True  # the second colon may be the text's: it crossed the quote
    names = {fix.full_before: split(fix.path)[-1] for fix in fixes if fix.rule == "field_name"}
    named = [(*path[:-1], names.get(path[-1], path[-1])) for path in paths]
    sure = not destroys and all(fix.rule != "coercion" for fix in fixes)
    # In the block the call may stand in a list, or in an envelope.
    return any(_lacks_one_beside(value, about, path[begin:], sure=sure) for path in named for begin in range(len(path)))


def _lacks_one_beside(value: Any, about: Field, path: JsonPath, *, sure: bool) -> bool:
    """Return whether the value at the end of a path might belong to another member, which its object lacks.

    If the object is an item of a list, the value may have been the next item's. If nothing is `sure`, the type of the value
    does not count, and a member that the schema does not list may be meant too.
    """
    *above, key = path
    within, field = value_at(value, above), about.at(tuple(above))
    if not isinstance(within, dict) or key not in within or key == TOOL_KEY:
        return False
    if field is None or (above and isinstance(above[-1], int)) or not (sure or field.closed):
        return True
    said = {kind_of(within[key]), type_name(within[key])}
    types = [types_of(member) for name, member in field.members.items() if name not in within]
    return any(not (sure and one) or not said.isdisjoint(one) for one in types)


def may_have_lost_digits(value: Any, fixes: Sequence[AutoFix]) -> bool:
    """Return whether a comma is missing after a number of a call: digits may be lost with it."""
    paths = [split(fix.path) for fix in fixes if fix.rule == "missing_comma"]
    # In the block the call may stand in a list, or in an envelope.
    return any(_is_a_number(value_at(value, path[begin:])) for path in paths for begin in range(len(path)))


def _is_a_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
