"""Whether the calls of a mended block may leave. Each check that refuses them has a name, and says why.

    calls (Mended) -> MendedBlock -> CHECKS, in their order -> the first that applies, or None

What a body may mean beside what was read is asked before, where it is read (`doubts.py`). These checks have what came out: the
values of each call, its tool, and the changes.

Rule 1: a check only refuses, and changes nothing. All that it asks for is in the block and in the tools.
Rule 2: docs/fixes.md is printed from the table: the reason of a check is one sentence, which stands on its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Final

from ..schema.fields import Field, split
from ..toolset.escapes import placed
from ..toolset.tool import Risk, Tool
from ..toolset.tools import Tools
from ..values.call_keys import TOOL_KEY
from ..values.characters import CONTROL
from ..values.fix import AutoFix, Safety
from ..values.issues import JsonPath
from .brackets import WITHOUT_A_BRACE, ends_too_late, has_one_outside, holds_an_empty_list, holds_open, lacks_an_object
from .catalogue import fixes_where, leaving
from .check import Check, first_to_apply
from .layers import is_typeset_code, joins_items
from .lines import has_one_line, names_a_long_text, names_an_id, names_code, names_one_line
from .mended import Mended
from .one_fault import (
    MAY_LOSE_ONE,
    call_faults_have_one_cause,
    exclude_each_other,
    may_have_lost_a_member,
    may_have_lost_digits,
    may_have_lost_one,
    types_were_lost,
)
from .swallowed import ends_with_a_member
from .templates import is_a_template
from .undo import shows_escaping

_ABOUT_FORM_ONLY: Final = fixes_where(lambda fix: fix.about == "form")
_IN_A_TEXT: Final = fixes_where(lambda fix: fix.about == "text")
_BETWEEN: Final = leaving("object")
_OF_LISTS: Final = leaving("list")
_MOVED: Final = leaving("place")
"""The fixes that the checks ask for, each by a column of the catalogue, which says what it means."""


class MendedBlock:
    """The calls of a block that was mended, and what the checks have to know of it."""

    def __init__(self, mended: Sequence[Mended], tools: Tools, body: str, *, fenced: bool, allowed: int) -> None:
        self.body: Final = body
        self.fenced: Final = fenced
        self.allowed: Final = allowed
        self.mended: Final = mended
        self.fixes: Final = [fix for part in mended for fix in part.fixes]
        self.rules: Final = {fix.rule for fix in self.fixes}
        self.syntax: Final = {fix.rule for fix in self.fixes if fix.type == "SYNTAX_REPAIR"}
        """The fixes among them that changed the marks of the block."""

        self.calls: Final = [MendedCall(self, index, part, _tool_of(part, tools)) for index, part in enumerate(mended)]

    @cached_property
    def was_split_up(self) -> bool:
        """Whether a fix has moved the calls, so that the first step of a path may not be the place of its call."""
        return not self.rules.isdisjoint(_MOVED)

    def places(self, rules: Container[str], index: int) -> list[str]:
        """Return the places of fixes that may concern this call. Those in another call count only if a fix has moved the
        calls.
        """
        items = ((fix.path, next(iter(split(fix.path)), None)) for fix in self.fixes if fix.rule in rules)
        return [path for path, item in items if self.was_split_up or not isinstance(item, int) or item == index]


@dataclass(frozen=True, slots=True)
class MendedCall:
    """One call of a mended block."""

    block: MendedBlock
    index: int
    part: Mended
    tool: Tool

    @property
    def value(self) -> Any:
        """The JSON of the call."""
        return self.part.verdict.value

    @property
    def about(self) -> Field:
        """The fields of its tool."""
        return self.tool.fields

    @property
    def destroys(self) -> bool:
        """Whether its tool is destructive."""
        return self.tool.risk is Risk.DESTRUCTIVE


def _tool_of(part: Mended, tools: Tools) -> Tool:
    """Return the tool of a call that passed."""
    tool = tools.get(part.verdict.tool or "")
    assert tool is not None  # else it would not have passed
    return tool


def refusal(block: MendedBlock) -> Check[MendedBlock] | None:
    """Return the first check that refuses a mended block; None if its calls may leave."""
    return first_to_apply(CHECKS, block)


# -- the block as a whole ----------------------------------------------------------------------------------------------


def _assumes_too_much(block: MendedBlock) -> bool:
    return not all(fix.safety <= block.allowed for fix in block.fixes)


def _has_no_place_for_a_brace(block: MendedBlock) -> bool:
    return not block.rules.isdisjoint(WITHOUT_A_BRACE) and not (block.fenced and _lacks_only_braces(block))


def _lacks_only_braces(block: MendedBlock) -> bool:
    """Return whether a block lacks only closing braces, as far as the block shows."""
    if "wrapper" in block.rules:
        return False  # what was put around the call may lack its end too: then the call was cut off
    if any(fix.safety > Safety.LOSSLESS and fix.rule not in WITHOUT_A_BRACE for fix in block.fixes):
        return False
    return not any((call.destroys and _goes_on(call)) or _is_open(call) for call in block.calls)


def _goes_on(call: MendedCall) -> bool:
    """Return whether the tool takes fields that the call lacks: the call may have been meant to go on."""
    return not call.about.closed or not call.value.keys() >= call.about.members.keys()


def _is_open(call: MendedCall) -> bool:
    """Return whether a call holds an object that may have any members: then the end of that object is undetermined.

    The arguments of an open tool are such an object if they have a member that the schema does not list.
    """
    about = call.about
    return any(
        holds_open(item, about.at((key,))) or (key not in about.members and key != TOOL_KEY) for key, item in call.value.items()
    )


def _lost_its_types(block: MendedBlock) -> bool:
    return len(block.calls) > 1 and types_were_lost([(call.value, call.tool, call.part.fixes) for call in block.calls])


# -- each call ---------------------------------------------------------------------------------------------------------


def swallowed(part: Mended, tool: Tool | None) -> bool:
    """Return whether a string holds the name of a field that an object around the string lacks; the name is in quotes, or
    has its colon. Or whether the last line of a string is such a field with its value; or, where the keys of the block have no
    quotes, a comma stands before such a field and its colon.

    Each item of a list is looked at by itself: a name that one item lacks may well stand in another.
    """
    if tool is None:
        return False
    rules = {fix.rule for fix in part.fixes}
    if "quotes" in rules and _holds_a_field(part.verdict.value, tool, _IN_QUOTES):
        return True
    return _is_a_member_too(part.verdict.value, tool, rules)


def _is_a_member_too(value: Any, tool: Tool, rules: Container[str]) -> bool:
    """Return whether a string holds a member that an object around the string lacks, as a block of these fixes writes it."""
    return _ends_late(value, tool, rules) or ("bare_key" in rules and _holds_a_field(value, tool, _BARE_MEMBER))


def _ends_late(value: Any, tool: Tool, rules: Container[str]) -> bool:
    """Return whether a string ends with a member that an object around the string lacks, in a block of these fixes.

    The keys of the block have no quotes, or its strings have other marks: there a member looks like words of a text.
    """
    if "control_character" not in rules or not ("bare_key" in rules or "quote_marks" in rules):
        return False
    return any(ends_with_a_member(*told) for told in _strings(value, tool.fields, tool.field_aliases, {}))


def _holds_a_field(value: Any, tool: Tool, written: str) -> bool:
    """Return whether a string in a value holds a field that its object, or an object around it, lacks. `written` is the pattern
    of how the field stands there, with `NAME` for its name.
    """
    for text, lacking in _strings(value, tool.fields, tool.field_aliases, {}):
        names = "|".join(map(re.escape, sorted(lacking)))
        if names and re.search(written.replace("NAME", f"(?:{names})"), text) is not None:
            return True
    return False


_QUOTE: Final = "[\"'`\u201c\u201d]"
_IN_QUOTES: Final = rf"{_QUOTE}NAME{_QUOTE}|(?:{_QUOTE}[\s,]*NAME|(?<!\w)NAME{_QUOTE})\s*[:=,;]"
"""A pattern for a field in quotes, or with one quote beside it and a mark behind it."""

_BARE_MEMBER: Final = r",\s*NAME\s*(?::|=(?!=))"
"""A pattern for a comma and a field without quotes, with its colon or equals sign."""


def _strings(
    value: Any, field: Field | None, aliases: Mapping[str, str], lacking: Mapping[str, Field | None]
) -> Iterator[tuple[str, Mapping[str, Field | None]]]:
    """Yield each string in a value, with the fields that its object, or an object around it, lacks."""
    if isinstance(value, str):
        yield value, lacking
    elif isinstance(value, list):
        items = field.items if field is not None else None
        for item in value:
            yield from _strings(item, items, {}, lacking)
    elif isinstance(value, dict):
        members = field.members if field is not None else {}
        others = {alias: members.get(first) for alias, to in aliases.items() if (first := str(split(to)[0])) not in value}
        lacking = {**lacking, **{name: about for name, about in {**others, **members}.items() if name not in value}}
        for key, item in value.items():
            yield from _strings(item, members.get(key), {}, lacking)


def _has_swallowed_a_field(call: MendedCall) -> bool:
    return bool(call.block.syntax) and (
        swallowed(call.part, call.tool) or _is_a_member_too(call.value, call.tool, call.block.rules)
    )


def _misses_a_backslash(call: MendedCall) -> bool:
    r"""Return whether an escape in a call may be a backslash that was not doubled, and the letter after it.

    In a call that was fixed, this may be so for `\b` and `\f`; if its marks were mended, also for `\n`, `\r` and `\t` in an id.
    """
    body = call.block.body
    if ("\\b" in body or "\\f" in body) and any("\b" in text or "\f" in text for _, text in placed(call.value)):
        return True
    if not call.block.syntax or _TAB_OR_BREAK.search(body) is None:
        return False
    return any(names_an_id(path) and CONTROL.search(text) is not None for path, text in placed(call.value))


_TAB_OR_BREAK: Final = re.compile(r"\\[nrt]")


def _is_a_template(call: MendedCall) -> bool:
    return is_a_template(call.value, call.about, destroys=call.destroys)


def misplaced(part: Mended, tool: Tool | None, fixes: Sequence[AutoFix]) -> bool:
    """Return whether a bracket is missing or left over, so that a member may belong to another object, or be lost with it.

    `fixes` are those of the whole block.
    """
    value, rules = part.verdict.value, {fix.rule for fix in fixes}
    if tool is None:
        return "extra_closer" in rules or not rules.isdisjoint(WITHOUT_A_BRACE)
    moved = any(fix.rule == "field_name" and len(split(fix.path)) > 1 for fix in part.fixes)
    left = [str(fix.full_before) for fix in fixes if fix.rule == "extra_closer"]
    if left and (moved or (any("}" in one or "]" in one for one in left) and lacks_an_object(value, tool.fields))):
        return True
    return not rules.isdisjoint(WITHOUT_A_BRACE) and (not rules.isdisjoint(_BETWEEN) or ends_too_late(value, tool.fields))


def _has_a_misplaced_member(call: MendedCall) -> bool:
    return misplaced(call.part, call.tool, call.block.fixes)


def _may_have_lost_a_member(call: MendedCall) -> bool:
    return may_have_lost_a_member(call.value, call.about, call.block.fixes, destroys=call.destroys)


def _breaks_by_an_escape(call: MendedCall) -> bool:
    if "escaped_body" not in call.block.rules or shows_escaping(call.block.body):
        return False
    return _breaks(call.value, call.about, (), takes_away=call.destroys)


def _breaks(value: Any, field: Field | None, path: JsonPath, *, takes_away: bool) -> bool:
    """Return whether a string holds a control character although its schema, its name or the tool's risk asks for one line."""
    if isinstance(value, str):
        one_line = (field is not None and has_one_line(field)) or names_one_line(path)
        return (one_line or (takes_away and not names_a_long_text(path))) and CONTROL.search(value) is not None
    if isinstance(value, list):
        items = field.items if field is not None else None
        return any(_breaks(item, items, (*path, index), takes_away=takes_away) for index, item in enumerate(value))
    if not isinstance(value, dict):
        return False
    members = field.members if field is not None else {}
    return any(_breaks(item, members.get(key), (*path, key), takes_away=takes_away) for key, item in value.items())


def _has_a_list_for_an_object(call: MendedCall) -> bool:
    return "square_object" in call.block.rules and holds_an_empty_list(call.value, call.about)


def _closed_an_open_object(call: MendedCall) -> bool:
    closers = (str(fix.full_before) for fix in call.block.fixes if fix.rule == "extra_closer")
    return any(map(_LEFT_OF_AN_OBJECT.search, closers)) and _is_open(call)


_LEFT_OF_AN_OBJECT: Final = re.compile(r"[}\],]")
"""Matches what may be left over of an object; no parenthesis, and not the end of a statement, may be."""


def _has_the_rest_of_a_text(call: MendedCall) -> bool:
    return "quotes" in call.block.rules and _has_an_unlisted_one_behind_a_text(call.value, call.about)


def _has_an_unlisted_one_behind_a_text(value: Any, about: Field | None) -> bool:
    """Return whether some object in a value has a member that the schema does not list directly after a string."""
    if isinstance(value, list):
        return any(_has_an_unlisted_one_behind_a_text(item, about.items if about is not None else None) for item in value)
    if not isinstance(value, dict):
        return False
    listed = {TOOL_KEY, *(about.members if about is not None else ())}
    if any(isinstance(one, str) and key not in listed for (_, one), (key, _) in pairwise(value.items())):
        return True
    fields = {key: about.at((key,)) if about is not None else None for key in value}
    return any(_has_an_unlisted_one_behind_a_text(item, fields[key]) for key, item in value.items())


def _has_an_unlisted_one_beside_a_list(call: MendedCall) -> bool:
    return not call.block.rules.isdisjoint(_OF_LISTS) and not call.value.keys() <= {TOOL_KEY, *call.about.members}


def _has_one_outside(call: MendedCall) -> bool:
    return bool(call.block.syntax) and has_one_outside(call.value, call.about)


def _bears_a_sign(call: MendedCall) -> bool:
    return any(
        (isinstance(path[-1], int) and joins_items(text)) or is_typeset_code(text, code=names_code(path))
        for path, text in placed(call.value)
    )


def _has_faults_of_one_cause(call: MendedCall) -> bool:
    return call_faults_have_one_cause(call.value, call.tool, call.part.fixes, call.block.rules)


# -- each call of a destructive tool -----------------------------------------------------------------------------------


def _has_a_raw_break(call: MendedCall) -> bool:
    return bool(call.block.places({"control_character"}, call.index))


def _assumes_a_value(call: MendedCall) -> bool:
    """Return whether a fix assumed something about the values of this call.

    A fix in a text of another call of the array does not count.
    """
    for place, part in enumerate(call.block.mended):
        for fix in part.fixes:
            if fix.safety is Safety.LOSSLESS or fix.rule in _ABOUT_FORM_ONLY:
                continue
            item = next(iter(split(fix.path)), None)
            in_a_call = isinstance(item, int) and item != call.index
            elsewhere = place == 0 and not call.block.was_split_up and fix.rule in _IN_A_TEXT and in_a_call
            if not elsewhere and place in (0, call.index):
                return True
    return False


def _has_one_brace_of_two(call: MendedCall) -> bool:
    return call.block.rules >= {"doubled_brace", "missing_bracket"}


def _may_have_lost_digits(call: MendedCall) -> bool:
    return may_have_lost_digits(call.value, call.block.fixes)


def _may_have_lost_one_at_a_comma(call: MendedCall) -> bool:
    return may_have_lost_one(call.value, call.about, call.block.places(MAY_LOSE_ONE, call.index), call.part.fixes)


def _has_room_for_an_item(call: MendedCall) -> bool:
    return "trailing_comma" in call.block.rules and _LEFT_OF_AN_ITEM.search(call.block.body) is not None


_LEFT_OF_AN_ITEM: Final = re.compile(r",[^\S\n]+\]")
"""Matches a comma at the end of a list with a blank after it, as before an item. JSON over lines has a line break there."""


# -- the table ---------------------------------------------------------------------------------------------------------


def _a_call(holds: Callable[[MendedCall], bool]) -> Callable[[MendedBlock], bool]:
    """Return a check of a block: whether this is so for one of its calls."""
    return lambda block: any(map(holds, block.calls))


def _a_destructive_call(holds: Callable[[MendedCall], bool]) -> Callable[[MendedBlock], bool]:
    """Return a check of a block: whether this is so for one of its calls of destructive tools."""
    return lambda block: any(call.destroys and holds(call) for call in block.calls)


CHECKS: Final[tuple[Check[MendedBlock], ...]] = (
    Check("level", "A fix assumes more than `fixes` allows.", _assumes_too_much),
    Check(
        "excluding_fixes",
        "Two fixes exclude each other: the change of one may be the cause of the other.",
        lambda block: exclude_each_other(block.rules, block.syntax),
    ),
    Check(
        "last_brace",
        "A closing brace is missing, and the block has no closing fence, has other faults that assume something, or may go on.",
        _has_no_place_for_a_brace,
    ),
    Check(
        "lost_types",
        "A value of one call was written as a text, and a text of another call spells a value that its place takes.",
        _lost_its_types,
    ),
    Check(
        "swallowed_field",
        "A string with quotes that were not escaped holds the name of a field that the call lacks; or such a field with its "
        "value is the last raw line of a string, where keys have no quotes or strings have other marks.",
        _a_call(_has_swallowed_a_field),
    ),
    Check(
        "single_backslash",
        "An escape in a text may be a backslash that was not doubled, and the letter after it.",
        _a_call(_misses_a_backslash),
    ),
    Check(
        "template",
        "The call only shows how one is written: its texts say what stands in their places.",
        _a_call(_is_a_template),
    ),
    Check(
        "misplaced_member",
        "A bracket is missing or left over, and a member may belong to another object, or be lost with the bracket.",
        _a_call(_has_a_misplaced_member),
    ),
    Check(
        "lost_key",
        "The value after two colons may belong to another member, whose key is lost with the value before it.",
        _a_call(_may_have_lost_a_member),
    ),
    Check(
        "escaped_break",
        "A text that should have one line has a line break, which its writer meant as two characters (`\\n`) if only the "
        "quotes of the body were escaped.",
        _a_call(_breaks_by_an_escape),
    ),
    Check(
        "empty_list",
        "In a block that has `[` for `{` an empty list may be `{}`.",
        _a_call(_has_a_list_for_an_object),
    ),
    Check(
        "open_object",
        "A bracket or a comma is left over, and an object that may have any members may have ended there.",
        _a_call(_closed_an_open_object),
    ),
    Check(
        "rest_of_a_text",
        "If the quotes of the body lost their escapes, a member that the schema does not list may be the rest of a text.",
        _a_call(_has_the_rest_of_a_text),
    ),
    # Where a list has no end, a field of another tool ended it: in this one the member may have stood anywhere. And of such a
    # member nobody knows whether parentheses around a text are those of a list with one item.
    Check(
        "list_without_end",
        "It is open whether a value is a list, or where it ends, and the call has a member that the schema does not list.",
        _a_call(_has_an_unlisted_one_beside_a_list),
    ),
    Check(
        "early_brace",
        "A member that its object does not list stands beside an object that lists it: a brace may close too early.",
        _a_call(_has_one_outside),
    ),
    Check(
        "sign_of_a_layer",
        "A text bears the sign of an encoder or a typographer: an item that is two items, or code with typographic quotes.",
        _a_call(_bears_a_sign),
    ),
    Check(
        "one_cause",
        "The fixes of a call have one cause that they do not mend, such as two values that changed places.",
        _a_call(_has_faults_of_one_cause),
    ),
    Check(
        "cut_by_a_break",
        "The tool is destructive, and a line break that slipped in may have cut what it is told.",
        _a_destructive_call(_has_a_raw_break),
    ),
    Check(
        "assumed_value",
        "The tool is destructive, and a fix assumed something about a value of the call.",
        _a_destructive_call(_assumes_a_value),
    ),
    Check(
        "half_closed",
        "The tool is destructive, and of two braces one is closed: a member may be lost with the other.",
        _a_destructive_call(_has_one_brace_of_two),
    ),
    Check(
        "lost_digits",
        "The tool is destructive, and a comma is missing after a number: digits may be lost with it.",
        _a_destructive_call(_may_have_lost_digits),
    ),
    Check(
        "lost_member",
        "The tool is destructive, and the call lacks a field that may have stood where a comma, or a member, is one too many.",
        _a_destructive_call(_may_have_lost_one_at_a_comma),
    ),
    Check(
        "lost_item",
        "The tool is destructive, and a blank stands between a comma and the end of a list, as before an item that is lost.",
        _a_destructive_call(_has_room_for_an_item),
    ),
)
"""The checks, in the order in which they are asked."""
