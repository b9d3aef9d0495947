"""Mends a block without a model: leads it through the steps below.

    body -> strict? -> undo -> reader -> gate -> shape -> strict parser and schema -> Mended -> checks

Rule 1: nothing runs on a block that is valid. What comes out was read and validated again like any other body.
Rule 2: all calls of a block are mended, or none is.
Rule 3: every change is in the record, with how much it assumed. What assumes more than is allowed is not done (`checks.py`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, NamedTuple

from ..schema.json_text import accepts
from ..schema.violations import issue
from ..toolset.tool import Tool
from ..toolset.tools import Tools
from ..toolset.validate import Validated, validate
from ..values.call_keys import TOOL_KEY, without_tool
from ..values.fix import ALLOWED, AutoFix, Fixes, Safety
from ..values.issues import dotted
from ..values.limits import Limits
from ..values.log import log
from ..values.wording import OF_CALL
from . import shape
from .brackets import WITHOUT_A_BRACE
from .catalogue import fixes_where
from .check import Check
from .checks import MendedBlock, misplaced, refusal, swallowed
from .frame import without_frame
from .gate import holds
from .grammar import Grammar
from .lines import without_indent
from .mended import Mended
from .near_names import near_members
from .one_fault import call_faults_have_one_cause
from .reader import read
from .reading import Edit, NoReading, Reading, number
from .records import once, record, with_value, written
from .remarks import is_harmless, is_harmless_comment
from .shared_damage import own_tool, share_damage
from .strings import doubtful
from .undo import STRING, undone
from .writing import laid_out

_BETWEEN_BRACKETS: Final = fixes_where(
    lambda fix: fix.syntax.ends_strings or (fix.syntax.puts == "quotes" and fix.safety is Safety.LOSSLESS)
)
_SAID: Final = fixes_where(lambda fix: fix.syntax.leaves_out == "said")
"""The fixes that the engine asks for, each by a column of the catalogue, which says what it means."""

_PATH_LIKE: Final = re.compile(r"[\w\\:./ -]{1,300}")


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

    refused: Check[MendedBlock] | None = None
    """Why calls that passed are no fixed calls: the check that refused them. None if there is no such call."""


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
        refused = None
        if all(part.verdict.passed for part in mended):
            refused = refusal(MendedBlock(mended, self._tools, body, fenced=fenced, allowed=self._allowed))
            if refused is None:
                return Tried(mended)
            log.debug("a block that was mended is refused (%s): %s", refused.name, refused.why)
        uncertain = any(fix.safety is Safety.INVENTED or fix.rule in WITHOUT_A_BRACE for fix in mended[0].fixes)
        if uncertain or any(not isinstance(found.call, dict) for found in shaped) or any(map(self._swallowed, mended)):
            return Tried(refused=refused)
        return Tried(meant=mended[0].verdict if len(mended) == 1 else _of_several(mended), refused=refused)

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
        if self._swallowed(call) or misplaced(call, self._tools.get(call.verdict.tool or ""), call.fixes):
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
            values = tuple(without_frame(value, self._tools, ids=ids) for value in values)
        if callee is not None and (len(values) > 1 or self._tools.meant(callee) is None):
            return []
        made = partial(self._calls, changes=changes, said=said, strict=strict, invent=invent, callee=callee)
        shaped = [found for value in values for found in made(value)]
        if any(found.call is None for found in shaped):
            return []
        if share_damage(shaped, values, self._tools):
            return [shape.Shaped.refused()]
        tools = {_tool_name(self._tools.near(str(own_tool(found)))) for found in shaped}
        tool = self._tools.get(tools.pop() or "") if len(tools) == 1 else None
        if not all(self._allows(one, tool) for one in said):
            return []
        paths = {change.before for found in shaped for change in found.changes if change.fix == "path_escape"}
        if strict and paths and _is_careless(body, paths):
            return []
        if callee is not None:
            shaped[0].change("function_call", TOOL_KEY, None, callee)
        return shaped

    def _read(self, body: str, changes: list[AutoFix], said: list[_Said]) -> Reading | None:
        """Return what a body that is not JSON means, if it has one reading; else None."""
        if len(body) > self._limits.max_repair:
            return None
        for fix, before, after in undone(body):
            changes.append(record(fix, "", before, after))
            body = after
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
            says = written(edit, before, texts)
            if edit.fix == "several_objects":  # it is a place between them
                before = body
            path = edit.path[:-1] if edit.path[-1:] == ("",) else edit.path  # before a name that is not read yet
            changes.append(record(edit.fix, dotted(path), before, says))
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

    def _finished(self, found: shape.Shaped, changes: list[AutoFix], source: str) -> Mended:
        made = [record(change.fix, change.path, change.before, change.after) for change in found.changes]
        body = laid_out(self._by_tool(found.call, made))
        verdict = validate(body, self._tools, self._limits, written=source)
        fixes = once([*changes, *made])
        value = verdict.value if isinstance(verdict.value, dict) else {}
        return Mended(body, verdict, tuple(with_value(fix, value) for fix in fixes))

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

    def _swallowed(self, part: Mended) -> bool:
        """Return whether a string of a call may hold a field that the call lacks."""
        return swallowed(part, self._tools.get(part.verdict.tool or ""))

    def _allows(self, said: _Said, tool: Tool | None) -> bool:
        """Return whether prose or a comment says only that this tool is called."""
        if said.field is None:
            return is_harmless(said.text, self._tools, tool)
        return is_harmless_comment(said.text, self._tools, tool, said.field)


def _tool_name(tool: Tool | None) -> str | None:
    return tool.name if tool is not None else None


def _is_careless(body: str, paths: set[str]) -> bool:
    """Return whether a string of a JSON body, other than these paths, may also hold a backslash that was not doubled."""
    escaped = ((raw, json.loads(f'"{raw}"')) for raw in STRING.findall(body) if "\\" in raw)
    return any(doubtful(raw) for raw, text in escaped if text not in paths and not _PATH_LIKE.fullmatch(text))


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
