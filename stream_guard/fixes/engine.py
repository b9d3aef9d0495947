"""Mends a block without a model: leads it through the steps below, and decides whether the changes are allowed.

    body -> strict? -> reader -> gate -> shape -> strict parser and schema -> Mended

Rule 1: nothing runs on a block that is valid. What comes out was read and validated again like any other body.
Rule 2: all calls of a block are mended, or none is.
Rule 3: every change is in the record, with how much it assumed. What assumes more than is allowed is not done.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, Final, NamedTuple

from ..schema.fields import Field, split
from ..schema.json_text import accepts
from ..schema.violations import issue, kind_of, type_name, types_of
from ..toolset.escapes import placed
from ..toolset.tool import Risk, Tool
from ..toolset.tools import Tools
from ..toolset.validate import Validated, validate
from ..values.call_keys import CALL_ARGUMENTS, CALL_EXTRAS, CALL_NAMES, TOOL_KEY, without_tool
from ..values.characters import CONTROL
from ..values.fix import ALLOWED, AutoFix, Fixes, Safety
from ..values.issues import JsonPath, dotted, value_at
from ..values.limits import Limits
from ..values.wording import OF_CALL
from . import shape
from .brackets import WITHOUT_A_BRACE, ends_too_late, lacks_an_object, may_be_an_object
from .catalogue import CATALOGUE, fixes_where, leaving
from .gate import holds
from .gate import texts as texts_and_keys
from .grammar import Grammar
from .layers import is_typeset_code, joins_items
from .lines import has_one_line, names_a_long_text, names_an_id, names_code, names_one_line, without_indent
from .near_names import near_members
from .reader import read
from .reading import LITERALS, Edit, NoReading, Reading, number
from .remarks import is_harmless, is_harmless_comment
from .strings import breaks_lines_only, doubtful, may_be_escaped_twice
from .templates import is_a_template
from .together import MAY_LOSE_ONE, call_faults_have_one_cause, may_have_lost_one, types_were_lost
from .worn import may_share_damage, may_share_spelling

_ABOUT_FORM_ONLY: Final = fixes_where(lambda fix: fix.about == "form")
_IN_A_TEXT: Final = fixes_where(lambda fix: fix.about == "text")
_BETWEEN_STRINGS: Final = fixes_where(lambda fix: fix.syntax.ends_strings)
_BETWEEN_BRACKETS: Final = _BETWEEN_STRINGS | fixes_where(
    lambda fix: fix.syntax.puts == "quotes" and fix.safety is Safety.LOSSLESS
)
_BETWEEN: Final = leaving("object")
_OF_LISTS: Final = leaving("list")
_OF_TYPES: Final = leaving("type")
_OF_LINES: Final = leaving("lines")
_MOVED: Final = leaving("place")
_NAMES: Final = leaving("spelling")
_SAID: Final = fixes_where(lambda fix: fix.syntax.leaves_out == "said")
"""The fixes that the checks below ask for, each by a column of the catalogue, which says what it means."""

_QUOTE: Final = "[\"'`\u201c\u201d]"
_PATH_LIKE: Final = re.compile(r"[\w\\:./ -]{1,300}")
_STRING: Final = re.compile(r'"((?:[^"\\]++|\\.)*+)"')
"""Matches a string of a body that is JSON."""

_TAB_OR_BREAK: Final = re.compile(r"\\[nrt]")
_ESCAPED_QUOTE: Final = re.compile(r'\\(?<!\\\\)(?:\\\\)*"')
_ESCAPED: Final = re.compile(r'(?:\s*[{\[](?:\s|\\[nrt])*+){1,4}\\"')
_SHOWS_ESCAPING: Final = re.compile(r'\\(?<!\\\\)(?:\\\\)++"(?!\s*[:,}\]])')
"""Matches a quote inside a text of a body that was escaped as a whole. If only quotes were escaped, it would end the text."""

_IDS: Final = CALL_EXTRAS - {"type"}
_ID: Final = re.compile(r"[\w.:-]{1,80}")
"""Matches the id of a call in a dialect."""

_TYPES: Final = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})

_LEFT_OF_AN_ITEM: Final = re.compile(r",[^\S\n]+\]")
"""Matches a comma at the end of a list with a blank after it, as before an item. JSON over lines has a line break there."""

_LEFT: Final = re.compile(r"[}\],]")
"""Matches what may be left over of an object; no parenthesis, and not the end of a statement, may be."""


@dataclass(frozen=True, slots=True)
class Mended:
    """One call of a fixed block."""

    body: str
    """The JSON of the call."""

    verdict: Validated
    """The verdict of the strict parser and the schema on `body`."""

    fixes: tuple[AutoFix, ...]
    """The changes that were made."""


@dataclass(frozen=True, slots=True)
class _Said:
    """A piece of text that was passed over because it is no part of a call."""

    text: str
    """Prose, or a comment with its marks."""

    field: str | None
    """The field that a comment stands beside, empty if there is none; None for prose."""

    @classmethod
    def of(cls, body: str, edit: Edit) -> _Said:
        """Return the text that an edit passed over."""
        last = next((step for step in reversed(edit.path) if isinstance(step, str)), "")
        return cls(body[edit.start : edit.end], last if edit.fix == "comment" else None)


class Tried(NamedTuple):
    """What the fixes made of a body."""

    mended: tuple[Mended, ...] = ()
    """The fixed calls. There are none if a fix would be a guess."""

    meant: Validated | None = None
    """If there are no fixed calls, the verdict on the calls that the body probably means. It is for the hint alone: with its
    issues a model can correct all of a block that has no fix (`Judge.judged` takes it, `Judge.mend` does not). No call may be
    run because of it."""


class Engine:
    """Fixes the blocks of one toolset."""

    def __init__(self, tools: Tools, limits: Limits, fixes: Fixes) -> None:
        self._tools: Final = tools
        self._limits: Final = limits
        self._allowed: Final = ALLOWED[fixes]
        self._grammar: Final = Grammar(tools)

    def tried(self, body: str, *, fenced: bool, called: str | None = None, indent: int = 0, with_ids: bool = False) -> Tried:
        """Return the fixed calls of a body that is not valid, or what it probably means. The body is read once.

        `fenced` says that a fence closes the body: without it, nothing shows that the body was written to its end. `called` is
        the tool that a native call names: such a body makes no call of another tool, and no second call. `indent` is the
        column of the fence. `with_ids` is whether a call may have its id beside its arguments, as dialects write it.
        """
        changes: list[AutoFix] = []
        flat = without_indent(body, indent) if indent else body
        body = flat if flat is not None else body
        shaped = self._calls_in(body, changes, invent=self._allowed >= Safety.INVENTED, with_ids=with_ids)
        if not shaped or shaped[0].call is None or len(shaped) > self._limits.max_calls or _repeated(shaped):
            return Tried()
        if called is not None and (len(shaped) > 1 or shaped[0].call.get(TOOL_KEY) != _tool_name(self._tools.meant(called))):
            return Tried()
        if flat is None and any(change.rule == "control_character" for change in changes):
            return Tried()  # the blanks after a line break may be those of the fence
        mended = tuple(self._finished(found, [] if index else changes, body) for index, found in enumerate(shaped))
        if any(part.fixes for part in mended):
            mended = tuple(self._with_near_names(part) for part in mended)
        if all(part.verdict.passed for part in mended) and self._may(mended, body, fenced=fenced):
            return Tried(mended)
        uncertain = any(fix.safety is Safety.INVENTED or fix.rule in WITHOUT_A_BRACE for fix in mended[0].fixes)
        if uncertain or any(not isinstance(found.call, dict) for found in shaped) or any(map(self._swallowed, mended)):
            return Tried()
        return Tried(meant=mended[0].verdict if len(mended) == 1 else _of_several(mended))

    def is_whole(self, body: str) -> bool:
        """Return whether some reading of a body accounts for all of it, whether or not that reading gives a call."""
        if len(body) > self._limits.max_repair:
            return False
        try:
            read(body, self._grammar, most=self._limits.max_calls)
        except NoReading as reason:
            return reason.why == "ambiguous"
        return True

    def understood(self, body: str) -> Validated | None:
        """Return the verdict on the one call that a body means, under the tools' own names.

        None if the call is uncertain, if the body means several calls, or if it cannot be read. No call may be run because of
        it.
        """
        changes: list[AutoFix] = []
        shaped = self._calls_in(body, changes, invent=False)
        if len(shaped) != 1 or not isinstance(shaped[0].call, dict):
            return None
        call = self._finished(shaped[0], changes, body)
        if self._swallowed(call) or self._misplaced(call, call.fixes):
            return None
        return call.verdict

    def faults_have_one_cause(self, body: str) -> bool:
        """Return whether the faults of a body's names and values have one cause, which may have changed other values too."""
        changes: list[AutoFix] = []
        shaped = self._calls_in(body, changes, invent=False)
        if len(shaped) != 1 or not isinstance(shaped[0].call, dict):
            return any(found.call is None for found in shaped)
        call = self._finished(shaped[0], changes, body)
        tool, value = self._tools.get(call.verdict.tool or ""), call.verdict.value
        if tool is None or not isinstance(value, dict):
            return False
        wrong = [issue.field for issue in call.verdict.issues if issue.code == "type"]
        return call_faults_have_one_cause(value, tool, call.fixes, {fix.rule for fix in call.fixes}, wrong)

    @staticmethod
    def value_of(written: str) -> Any:
        """Return the value of a text that is JSON, its numbers spelt as in the text."""
        return json.loads(written, parse_float=number, parse_int=number)

    def meant_by(self, call: dict[str, Any]) -> list[Any]:
        """Return the calls that a value means once its shape is fixed, with None in place of anything that is no call.

        No call may be run because of them.
        """
        found = shape.calls(call, self._tools, lambda _: None, strict=True, invent=self._allowed >= Safety.INVENTED)
        return [one.call for one in found]

    def _calls_in(self, body: str, changes: list[AutoFix], *, invent: bool, with_ids: bool = False) -> list[shape.Shaped]:
        """Return the calls that a body means; none if it cannot be read, or names one call in two ways.

        Returns a single refused call instead if a name shows damage that a string may have too.
        """
        strict = accepts(body, max_depth=self._limits.max_depth, max_values=self._limits.max_values)
        callee: str | None = None
        said: list[_Said] = []
        if strict:
            try:
                values: tuple[Any, ...] = (json.loads(body, parse_float=number, parse_int=number),)
            except NoReading:  # a number with more figures than anybody reads
                return []
        else:
            reading = self._read(body, changes, said)
            if reading is None:
                return []
            values, callee = reading.values, reading.callee
        if with_ids:
            ids = {change.rule for change in changes} <= _BETWEEN_BRACKETS  # else a bracket before the id may be missing
            values = tuple(self._in_dialect(value, ids=ids) for value in values)
        if callee is not None and (len(values) > 1 or self._tools.meant(callee) is None):
            return []
        made = partial(self._calls, changes=changes, said=said, strict=strict, invent=invent, callee=callee)
        shaped = [found for value in values for found in made(value)]
        if any(found.call is None for found in shaped):
            return []
        if self._may_share_damage(shaped, values):
            return [shape.Shaped.refused()]
        tools = {_tool_name(self._tools.near(str(_own_tool(found)))) for found in shaped}
        tool = self._tools.get(tools.pop() or "") if len(tools) == 1 else None
        if not all(self._is_harmless(one, tool) for one in said):
            return []
        paths = {change.before for found in shaped for change in found.changes if change.fix == "path_escape"}
        if strict and paths and self._careless(body, paths):
            return []
        if callee is not None:
            shaped[0].change("function_call", TOOL_KEY, None, callee)
        return shaped

    def _in_dialect(self, value: Any, *, ids: bool) -> Any:
        """Return a call, or a list of calls, without what the dialect writes around and beside the arguments; any other value
        unchanged.

        Removed are the id, if `ids` says so, and the word that it is a function (elsewhere that word, with `parameters`,
        defines a tool). A member that may be a field of the tool stays, and the call is then refused.
        """
        if isinstance(value, list):
            return [self._in_dialect(item, ids=ids) if isinstance(item, dict) else item for item in value]
        if not isinstance(value, dict):
            return value
        inner = value.get("function")
        if (
            isinstance(inner, dict)
            and value.keys() - CALL_EXTRAS == {"function"}
            and ("parameters" in inner or value.keys() & _IDS)
        ):
            flat = self._in_dialect({**{key: value[key] for key in value if key != "function"}, **inner}, ids=ids)
            return flat if flat.keys() == inner.keys() else value
        if value.keys() & CALL_EXTRAS == set():
            return value
        named = [value[key] for key in CALL_NAMES if key in value]
        tool = self._tools.near(named[0]) if len(named) == 1 and isinstance(named[0], str) else None
        held = [given for key in CALL_ARGUMENTS if key in value and (given := _given(value[key])) is not None]
        if tool is None or len(held) != 1:
            return value
        extras = {key for key in _IDS & value.keys() if ids and _ID.fullmatch(str(value[key]))}
        if value.get("type") == "function" and isinstance(held[0], dict) and not _describes(held[0]):
            extras.add("type")
        return {key: item for key, item in value.items() if key not in extras or key in tool.fields.members}

    def _may_share_damage(self, shaped: list[shape.Shaped], values: tuple[Any, ...]) -> bool:
        """Return whether a text of these calls looks as a name of them did before it was mended."""
        changes = [
            change for found in shaped for change in found.changes if change.fix in _NAMES and isinstance(change.before, str)
        ]
        names = [(change.before, change.after) for change in changes]
        if not names:
            return False
        tools = [tool for found in shaped if (tool := self._tools.near(str(_own_tool(found)))) is not None]
        declared = {alias for tool in tools for alias in (*tool.aliases, *tool.field_aliases)}
        names = [(before, after) for before, after in names if before not in declared]
        texts = [text for found in shaped if isinstance(found.call, dict) for text in _texts_as_written(found)]
        written = {text for value in values for text in texts_and_keys(value)}
        of_fields = [(change.before, change.after) for change in changes if change.fix == "field_name"]
        if of_fields and may_share_spelling(of_fields, self._unlisted(shaped), set(_keys(values))):
            return True
        return may_share_damage(names, texts, written, takes_away=any(tool.risk is Risk.DESTRUCTIVE for tool in tools))

    def _unlisted(self, shaped: list[shape.Shaped]) -> set[str]:
        """Return the keys of these calls that no schema lists."""
        found = ((self._tools.near(str(_own_tool(one))), one.call) for one in shaped if isinstance(one.call, dict))
        return {key for tool, call in found if tool is not None for key in _unlisted(without_tool(call), tool.fields)}

    @staticmethod
    def _careless(body: str, paths: set[str]) -> bool:
        """Return whether a string of a JSON body, other than these paths, may also hold a backslash that was not doubled."""
        escaped = ((raw, json.loads(f'"{raw}"')) for raw in _STRING.findall(body) if "\\" in raw)
        return any(doubtful(raw) for raw, text in escaped if text not in paths and not _PATH_LIKE.fullmatch(text))

    def _is_harmless(self, said: _Said, tool: Tool | None) -> bool:
        """Return whether prose or a comment says only that this tool is called."""
        if said.field is None:
            return is_harmless(said.text, self._tools, tool)
        return is_harmless_comment(said.text, self._tools, tool, said.field)

    def _may(self, mended: tuple[Mended, ...], body: str, *, fenced: bool) -> bool:
        """Return whether every change of these calls is allowed, and no call may mean something else."""
        fixes = [fix for part in mended for fix in part.fixes]
        if not all(fix.safety <= self._allowed for fix in fixes):
            return False
        rules = {fix.rule for fix in fixes}
        repaired = {fix.rule for fix in fixes if fix.type == "SYNTAX_REPAIR"}
        if _exclude_each_other(rules, repaired):
            return False
        if not rules.isdisjoint(WITHOUT_A_BRACE) and not (fenced and self._forgot_a_brace(mended)):
            return False
        if len(mended) > 1 and types_were_lost([(part.verdict.value, self._tool(part), part.fixes) for part in mended]):
            return False
        return not any(
            self._may_mean_more(part, body, rules, fixes, repaired=bool(repaired))
            or call_faults_have_one_cause(part.verdict.value, self._tool(part), part.fixes, rules)
            or (
                self._takes_away(part)
                and (
                    # A line break that slipped into what a destructive tool is told may have cut it.
                    _places({"control_character"}, index, mended)
                    or self._assumes_a_value(index, mended)
                    # Of two braces one is closed: a member may be lost with the other.
                    or rules >= {"doubled_brace", "missing_bracket"}
                    or _may_have_lost_digits(part.verdict.value, fixes)
                    or self._may_have_lost_one(index, mended)
                    or ("trailing_comma" in rules and _LEFT_OF_AN_ITEM.search(body) is not None)
                )
            )
            for index, part in enumerate(mended)
        )

    def _may_mean_more(self, part: Mended, body: str, rules: set[str], fixes: list[AutoFix], *, repaired: bool) -> bool:
        """Return whether a call may mean something else than its fixes make of it.

        A field that the call lacks may have been swallowed by one of its strings, or stand in another place.
        """
        if (repaired and self._swallowed(part)) or _misses_a_backslash(part, body, repaired=repaired):
            return True
        value, about, destroys = part.verdict.value, self._tool(part).fields, self._takes_away(part)
        if is_a_template(value, about, destroys=destroys) or self._misplaced(part, fixes):
            return True
        return (
            _may_have_lost_a_member(value, about, fixes, destroys=destroys)
            # If only the quotes of a body were escaped, its writer meant `\n` as two characters.
            or ("escaped_body" in rules and not _SHOWS_ESCAPING.search(body) and _breaks(value, about, (), takes_away=destroys))
            # In a block that has `[` for `{` an empty list may be `{}`.
            or ("square_object" in rules and _holds_an_empty_list(value, about))
            or (any(fix.rule == "extra_closer" and _LEFT.search(str(fix.full_before)) for fix in fixes) and self._is_open(part))
            # If the quotes of a body lost their escapes, a member that the schema does not list may be the rest of a text.
            or ("quotes" in rules and _has_an_unlisted_one_behind_a_text(value, about))
            # Where a list has no end, a field of another tool ended it: in this one the member may have stood anywhere. And of
            # such a member nobody knows whether parentheses around a text are those of a list with one item.
            or (not rules.isdisjoint(_OF_LISTS) and not value.keys() <= {TOOL_KEY, *about.members})
            or (repaired and _has_one_outside(value, about))
            or _bears_a_sign(value)
        )

    def _forgot_a_brace(self, mended: tuple[Mended, ...]) -> bool:
        """Return whether a block lacks only closing braces, as far as the block shows."""
        if any(fix.rule == "wrapper" for part in mended for fix in part.fixes):
            return False  # what was put around the call may lack its end too: then the call was cut off
        if any(fix.safety > Safety.LOSSLESS and fix.rule not in WITHOUT_A_BRACE for part in mended for fix in part.fixes):
            return False
        return not any((self._takes_away(part) and self._goes_on(part)) or self._is_open(part) for part in mended)

    def _misplaced(self, part: Mended, fixes: Sequence[AutoFix]) -> bool:
        """Return whether a bracket is missing or left over, so that a member may belong to another object, or be lost with it.

        `fixes` are those of the whole block.
        """
        tool, value = self._tools.get(part.verdict.tool or ""), part.verdict.value
        rules = {fix.rule for fix in fixes}
        if tool is None:
            return "extra_closer" in rules or not rules.isdisjoint(WITHOUT_A_BRACE)
        moved = any(fix.rule == "field_name" and len(split(fix.path)) > 1 for fix in part.fixes)
        left = [str(fix.full_before) for fix in fixes if fix.rule == "extra_closer"]
        if left and (moved or (any("}" in one or "]" in one for one in left) and lacks_an_object(value, tool.fields))):
            return True
        return not rules.isdisjoint(WITHOUT_A_BRACE) and (not rules.isdisjoint(_BETWEEN) or ends_too_late(value, tool.fields))

    def _is_open(self, part: Mended) -> bool:
        """Return whether a call holds an object that may have any members: then the end of that object is undetermined.

        The arguments of an open tool are such an object if they have a member that the schema does not list.
        """
        about, members = self._tool(part).fields, part.verdict.value.items()
        return any(
            _holds_open(item, about.at((key,))) or (key not in about.members and key != TOOL_KEY) for key, item in members
        )

    def _assumes_a_value(self, index: int, mended: tuple[Mended, ...]) -> bool:
        """Return whether a fix assumed something about the values of this call.

        A fix in a text of another call of the array does not count.
        """
        split_up = _was_split_up(mended)
        for place, part in enumerate(mended):
            for fix in part.fixes:
                if fix.safety is Safety.LOSSLESS or fix.rule in _ABOUT_FORM_ONLY:
                    continue
                item = next(iter(split(fix.path)), None)
                in_a_call = isinstance(item, int) and item != index
                elsewhere = place == 0 and not split_up and fix.rule in _IN_A_TEXT and in_a_call
                if not elsewhere and place in (0, index):
                    return True
        return False

    def _may_have_lost_one(self, index: int, mended: tuple[Mended, ...]) -> bool:
        """Return whether a call may have lost a member where a comma, or a member, is one too many."""
        part, places = mended[index], _places(MAY_LOSE_ONE, index, mended)
        return may_have_lost_one(part.verdict.value, self._tool(part).fields, places, part.fixes)

    def _tool(self, part: Mended) -> Tool:
        """Return the tool of a call that passed."""
        tool = self._tools.get(part.verdict.tool or "")
        assert tool is not None  # else it would not have passed
        return tool

    def _takes_away(self, part: Mended) -> bool:
        return self._tool(part).risk is Risk.DESTRUCTIVE

    def _goes_on(self, part: Mended) -> bool:
        """Return whether the tool takes fields that the call lacks: the call may have been meant to go on."""
        about = self._tool(part).fields
        return not about.closed or not part.verdict.value.keys() >= about.members.keys()

    def _swallowed(self, part: Mended) -> bool:
        """Return whether a string holds the name of a field that an object around the string lacks; the name is in quotes, or
        has its colon.

        Each item of a list is looked at by itself: a name that one item lacks may well stand in another.
        """
        tool = self._tools.get(part.verdict.tool or "")
        if tool is None or not any(fix.rule == "quotes" for fix in part.fixes):
            return False
        return _takes_in(part.verdict.value, tool.fields, tool.field_aliases, frozenset())

    def _read(self, body: str, changes: list[AutoFix], said: list[_Said]) -> Reading | None:
        """Return what a body that is not JSON means, if it has one reading; else None."""
        if len(body) > self._limits.max_repair:
            return None
        for fix, undo in (("quoted_lines", _unquoted), ("escaped_body", _unescaped), ("entities", _without_entities)):
            undone = undo(body)
            if undone is not None:
                changes.append(_record(fix, "", body, undone))
                body = undone
        try:
            reading = read(body, self._grammar, most=self._limits.max_calls)
        except NoReading:
            return None
        if not holds(body, reading):
            return None
        said += [_Said.of(body, edit) for edit in reading.edits if edit.fix in _SAID]
        texts = {(text.start, text.end): text.says for text in reading.texts}
        for edit in reading.edits:
            before = body[edit.start : edit.end]
            after = _written(edit, before, texts)
            if edit.fix == "several_objects":  # it is a place between them
                before = body
            path = edit.path[:-1] if edit.path[-1:] == ("",) else edit.path  # before a name that is not read yet
            changes.append(_record(edit.fix, dotted(path), before, after))
        return reading

    def _calls(
        self, value: Any, changes: list[AutoFix], said: list[_Said], *, strict: bool, invent: bool, callee: str | None
    ) -> list[shape.Shaped]:
        def decode(text: str) -> Any:
            """Return the object in a string, parsed strictly or fixed; None if the string holds no object."""
            if not text.lstrip().startswith(("{", "[")):
                return None
            if accepts(text, max_depth=self._limits.max_depth, max_values=self._limits.max_values):
                return json.loads(text, parse_float=number, parse_int=number)
            reading = self._read(text, changes, said)
            return reading.values[0] if reading is not None and len(reading.values) == 1 else None

        return shape.calls(value, self._tools, decode, strict=strict, invent=invent, callee=callee)

    def _finished(self, found: shape.Shaped, changes: list[AutoFix], written: str) -> Mended:
        made = [_record(change.fix, change.path, change.before, change.after) for change in found.changes]
        body = laid_out(self._by_tool(found.call, made))
        verdict = validate(body, self._tools, self._limits, written=written)
        fixes = _once([*changes, *made])
        value = verdict.value if isinstance(verdict.value, dict) else {}
        return Mended(body, verdict, tuple(_after(fix, value) for fix in fixes))

    def _with_near_names(self, part: Mended) -> Mended:
        """Return a call of a fixed block, with an issue for each member whose name is nearly that of a missing field.

        A closed schema reports these anyway. An open one allows such a member in a block that is valid as written.
        """
        tool, value = self._tools.get(part.verdict.tool or ""), part.verdict.value
        if tool is None or not part.verdict.passed or not isinstance(value, dict):
            return part
        listed = (TOOL_KEY, *tool.field_aliases, *tool.remarks, *tool.defaults)
        found = [issue(one, tool.name, tool.fields) for one in near_members(value, tool.fields, listed)]
        return replace(part, verdict=part.verdict._replace(issues=(*part.verdict.issues, *found))) if found else part

    def _by_tool(self, call: Any, made: list[AutoFix]) -> Any:
        """Return a call as the function `mend` of its tool changes it; the call itself when the tool has none."""
        tool = self._tools.get(name) if isinstance(call, dict) and isinstance(name := call.get(TOOL_KEY), str) else None
        if tool is None or tool.mend is None:
            return call
        arguments, fixes = tool.mend(without_tool(call))
        made += fixes
        return {TOOL_KEY: tool.name, **arguments}


def _of_several(mended: tuple[Mended, ...]) -> Validated:
    """Return the issues of several calls. The path of each begins with the place of its call: `[1].path`."""
    issues = tuple(
        replace(
            issue,
            message=OF_CALL.format(number=index + 1, problem=issue.message),
            field=f"[{index}]{'.' if issue.field else ''}{issue.field}",
            pointer=f"/{index}{issue.pointer}",
        )
        for index, part in enumerate(mended)
        for issue in part.verdict.issues
    )
    return Validated(None, None, None, issues)


_encode: Final = json.JSONEncoder(ensure_ascii=False).encode


def laid_out(value: Any, line: str = "\n") -> str:
    """Return JSON with each member on a line of its own, as `json.dumps` with `indent` writes it, and faster."""
    if not value or not isinstance(value, dict | list):
        return _encode(value)
    inner = line + "  "
    if isinstance(value, dict):
        members = [f"{_encode(key)}: {laid_out(item, inner)}" for key, item in value.items()]
        return f"{{{inner}{f',{inner}'.join(members)}{line}}}"
    return f"[{inner}{f',{inner}'.join(laid_out(item, inner) for item in value)}{line}]"


def _takes_in(value: Any, field: Field | None, aliases: Mapping[str, str], lacking: frozenset[str]) -> bool:
    """Return whether a string in a value holds a field that its object, or an object around it, lacks."""
    if isinstance(value, str):
        words = "|".join(map(re.escape, lacking))
        names = rf"{_QUOTE}(?:{words}){_QUOTE}|(?:{_QUOTE}[\s,]*(?:{words})|(?<!\w)(?:{words}){_QUOTE})\s*[:=,;]"
        return bool(words) and re.search(names, value) is not None
    if isinstance(value, list):
        items = field.items if field is not None else None
        return any(_takes_in(item, items, {}, lacking) for item in value)
    if not isinstance(value, dict):
        return False
    members = field.members if field is not None else {}
    known = {*members, *(alias for alias, target in aliases.items() if str(split(target)[0]) not in value)}
    lacking |= {name for name in known if name not in value}
    return any(_takes_in(item, members.get(key), {}, lacking) for key, item in value.items())


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


def _holds_an_empty_list(value: Any, about: Field | None) -> bool:
    """Return whether an empty list stands somewhere in a value where the schema also takes an object."""
    if isinstance(value, dict):
        members = about.members if about is not None else {}
        return any(_holds_an_empty_list(item, members.get(key)) for key, item in value.items())
    if not isinstance(value, list):
        return False
    if not value:
        return may_be_an_object(about)
    return any(_holds_an_empty_list(item, about.items if about is not None else None) for item in value)


def _was_split_up(mended: tuple[Mended, ...]) -> bool:
    """Return whether a fix has moved the calls: see `_MOVED`."""
    return any(fix.rule in _MOVED for part in mended for fix in part.fixes)


def _places(rules: Container[str], index: int, mended: tuple[Mended, ...]) -> list[str]:
    """Return the places of fixes that may concern this call. Those in another call count only if a fix has moved the calls."""
    elsewhere = not _was_split_up(mended)
    found = (fix.path for part in mended for fix in part.fixes if fix.rule in rules)
    items = ((path, next(iter(split(path)), None)) for path in found)
    return [path for path, item in items if not (elsewhere and isinstance(item, int) and item != index)]


def _misses_a_backslash(part: Mended, body: str, *, repaired: bool) -> bool:
    r"""Return whether an escape in a call may be a backslash that was not doubled, and the letter after it.

    In a call that was fixed, this may be so for `\b` and `\f`; if its syntax was `repaired`, also for `\n`, `\r` and `\t` in
    an id.
    """
    if any("\b" in text or "\f" in text for text in _texts(part.verdict.value)) and ("\\b" in body or "\\f" in body):
        return True
    if not repaired or _TAB_OR_BREAK.search(body) is None:
        return False
    return any(names_an_id(path) and CONTROL.search(text) is not None for path, text in placed(part.verdict.value))


def _given(arguments: Any) -> dict[str, Any] | str | None:
    """Return the arguments of a call: an object, or a string if they are encoded and no JSON, or are nothing. Else None."""
    if shape.is_nothing(arguments):
        return ""
    if not isinstance(arguments, str):
        return arguments if isinstance(arguments, dict) else None
    try:
        decoded = json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments if arguments.lstrip().startswith("{") else None
    return decoded if isinstance(decoded, dict) else None


def _describes(parameters: dict[str, Any]) -> bool:
    """Return whether an object describes the arguments of a tool, as a tool's definition does."""
    if isinstance(parameters.get("properties"), dict) or parameters.get("type") == "object":
        return True
    return any(
        item in _TYPES if isinstance(item, str) else isinstance(item, dict) and "type" in item for item in parameters.values()
    )


def _repeated(shaped: list[shape.Shaped]) -> bool:
    """Return whether one call says all that another says, and perhaps more: it may be a call that was begun and written again.

    Blanks around strings make no difference.
    """
    if len(shaped) < 2:
        return False
    said = [_trimmed(one.call).items() for one in shaped]
    return any(one <= other or other <= one for at, one in enumerate(said) for other in said[:at])


def _trimmed(call: Any) -> dict[str, str]:
    """Return the members of a call as text, to compare them: strings without the blanks around them."""
    members = call if isinstance(call, Mapping) else {"": call}
    return {
        key: value.strip() if isinstance(value, str) else json.dumps(value, sort_keys=True) for key, value in members.items()
    }


def _has_one_outside(value: Any, about: Field | None) -> bool:
    """Return whether a member that an object does not list stands beside one that does: a brace may close too early.

    Without any fix the text itself shows the member's place; beside a lost comma or another slip of the marks its place is
    undetermined.
    """
    if isinstance(value, list):
        return any(_has_one_outside(item, about.at((at,)) if about is not None else None) for at, item in enumerate(value))
    if not isinstance(value, dict) or about is None:
        return False
    within = {key: about.at((key,)) for key, item in value.items() if isinstance(item, dict)}
    outside = value.keys() - about.members.keys() - {TOOL_KEY}
    if any(not outside.isdisjoint(inner.members) for inner in within.values() if inner is not None):
        return True
    return any(_has_one_outside(item, about.at((key,))) for key, item in value.items())


def _bears_a_sign(value: Any) -> bool:
    """Return whether a string in a value bears the sign of a layer: an item that is two items, or code that was typeset."""
    return any(
        (isinstance(path[-1], int) and joins_items(text)) or is_typeset_code(text, code=names_code(path))
        for path, text in placed(value)
    )


def _texts_as_written(found: shape.Shaped) -> list[str]:
    """Return the strings of a call, except its tool. A choice that was spelt otherwise is returned as the model spelt it."""
    before = {split(change.path): change.before for change in found.changes if change.fix == "coercion"}
    texts = ((path, text) for key, value in found.call.items() if key != TOOL_KEY for path, text in placed(value, (key,)))
    return [said if isinstance(said := before.get(path), str) else text for path, text in texts]


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in inner for text in _texts(item)]


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


def _holds_open(value: Any, about: Field | None) -> bool:
    if isinstance(value, dict):
        if about is None or not about.closed:
            return True
        return any(_holds_open(item, about.members.get(key)) for key, item in value.items())
    if isinstance(value, list):
        return any(_holds_open(item, about.items if about is not None else None) for item in value)
    return False


def _own_tool(found: shape.Shaped) -> Any:
    """Return the name of the tool in a call."""
    return found.call.get(TOOL_KEY) if isinstance(found.call, dict) else None


def _tool_name(tool: Tool | None) -> str | None:
    return tool.name if tool is not None else None


def _record(name: str, path: str, before: Any, after: Any) -> AutoFix:
    fix = CATALOGUE[name]
    return AutoFix(name, fix.type, fix.what, path, before, after, fix.confidence, fix.safety)


_MARKS: Final = "\"'`“”„"


def _written(edit: Edit, before: str, texts: Mapping[tuple[int, int], str]) -> str | None:
    """Return the characters that one edit has in the fixed JSON; None if the record should show the field's value instead."""
    syntax = CATALOGUE[edit.fix].syntax
    if syntax.writes is not None:
        return syntax.writes
    if syntax.puts == "value":
        return json.dumps(LITERALS[before] if before in LITERALS else number(before))
    says = texts.get((edit.start, edit.end))
    if says is not None and syntax.puts != "word":
        return _encode(says)[1:-1]
    word = before.strip().strip(_MARKS)
    if edit.fix == "quote_marks" and not word:
        return '"'
    return _encode(word) if syntax.puts in ("word", "quotes") else None


def _once(fixes: list[AutoFix]) -> list[AutoFix]:
    """Return the fixes, with one record for each kind of change to a field."""
    return list({(fix.rule, fix.path): fix for fix in reversed(fixes)}.values())[::-1]


def _may_have_lost_a_member(value: Any, about: Field, fixes: Sequence[AutoFix], *, destroys: bool) -> bool:
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


def _may_have_lost_digits(value: Any, fixes: Sequence[AutoFix]) -> bool:
    """Return whether a comma is missing after a number of a call: digits may be lost with it."""
    paths = [split(fix.path) for fix in fixes if fix.rule == "missing_comma"]
    # In the block the call may stand in a list, or in an envelope.
    return any(_is_a_number(value_at(value, path[begin:])) for path in paths for begin in range(len(path)))


def _is_a_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _exclude_each_other(rules: set[str], repaired: set[str]) -> bool:
    """Return whether two of these fixes exclude each other: the change of one may be the cause of the other."""
    if "extra_field" in rules and not repaired <= _BETWEEN_STRINGS:
        return True  # the member may be the rest of a string
    # The mark before a line of a text may be the text's own; in a template its lines may have been wrapped; and in a body of
    # which only the quotes were escaped a control character is none.
    if "control_character" in rules and not rules.isdisjoint(_OF_LINES):
        return True
    # Texts are joined, and numbers added; and of a list that has no end nobody knows what it held.
    return "coercion" in rules and not rules.isdisjoint(_OF_TYPES)


def _after(fix: AutoFix, value: dict[str, Any]) -> AutoFix:
    """Return the record with the value that the field has now; for the whole block, with the call."""
    if fix.full_after is not None or fix.rule == "extra_field":
        return fix
    now = value_at(value, split(fix.path), missing=_NOTHING)
    if now is _NOTHING or fix.rule not in CATALOGUE:
        return fix
    return _record(fix.rule, fix.path, fix.full_before, now)


_NOTHING: Final = object()


def _unquoted(body: str) -> str | None:
    """Return a body without the `>` of block quotes, nested ones included; None if a line lacks it."""
    if not body.startswith(">"):
        return None
    lines, undone = body.split("\n"), 0
    last = len(lines) - (not lines[-1])
    while undone < _QUOTES_IN_QUOTES and all(line.startswith(">") for line in lines[:last]):
        mark = "> " if all(line.startswith("> ") or line == ">" for line in lines[:last]) else ">"
        lines = [line.removeprefix(mark).removeprefix(">" if line == ">" else "") for line in lines]
        undone += 1
    return "\n".join(lines) if undone else None


_QUOTES_IN_QUOTES: Final = 4
"""The most `>` that are taken off a line. Deeper quotes do not occur."""


def _without_entities(body: str) -> str | None:
    """Return a body with quotes in place of their entities; None if that is not JSON.

    None too if the body has bare quotes, other entities, or `<` or `>`: then nobody knows what was escaped. Or if its
    backslashes may have been escaped too: entities hide whether its quotes were. Who writes a quote by its number escapes
    apostrophes so, too.
    """
    if "&" not in body or '"' in body or "<" in body or ">" in body:
        return None
    entities = set(_ENTITY.findall(body))
    quote, apostrophe = next(((one, other) for one, other in _ENTITIES_OF_QUOTES if one in entities), ("", ""))
    if not quote or not entities <= {quote, apostrophe} or (apostrophe in entities and "'" in body):
        return None
    undone = body.replace(quote, '"')
    if not accepts(undone) or may_be_escaped_twice(body, _STRING.findall(undone)):
        return None
    return undone.replace(apostrophe, "'") if apostrophe in entities else undone


_ENTITY: Final = re.compile(r"&(?:[#\w]{1,40};)?")
_ENTITIES_OF_QUOTES: Final = (("&quot;", ""), ("&#34;", "&#39;"), ("&#034;", "&#039;"), ("&#x22;", "&#x27;"))
"""Match an entity, or the sign that begins one; and how encoders write a quote, and an apostrophe where they escape it."""


def _unescaped(body: str) -> str | None:
    """Return the text of a body that is the inside of a JSON string; None if the body is anything else."""
    if not _ESCAPED.match(body):
        return None
    try:
        undone: str = json.loads(f'"{body}"', strict=False)
    except ValueError:
        return None
    return undone if _is_escaped_whole(body, undone) else None


def _is_escaped_whole(body: str, undone: str) -> bool:
    """Return whether a body was escaped as a whole, and not only its quotes.

    `undone` shows it by a quote that is still escaped, or by a line break that the body lacks. If it has neither, its texts may
    have escaped line breaks between their lines, and no other backslash; and no backslash at all if the body has bare line
    breaks, which would have been escaped too.
    """
    if _ESCAPED_QUOTE.search(undone) or undone.count("\n") > body.count("\n"):
        return True
    if "\n" in body.strip():
        return not any("\\" in raw for raw in _STRING.findall(undone))
    return not any("\\" in raw and not breaks_lines_only(raw) for raw in _STRING.findall(undone))


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
