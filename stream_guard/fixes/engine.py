"""Mending a block without a model.

    body -> strict? -> reader -> gate -> shape -> strict parser and schema -> Mended

Rule 1: nothing runs on a block that is valid. What comes out was read and validated again like any other body.
Rule 2: all calls of a block are mended, or none is.
Rule 3: every change is in the record, with how much it assumed. What assumes more than is allowed is not done.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from ..fields import split
from ..issues import dotted, shorten
from ..limits import Limits
from ..parse import accepts
from ..toolset import TOOL_KEY, Risk, Toolset
from ..validate import Validated, validate
from . import AutoFix, Safety, shape
from .catalogue import CATALOGUE
from .gate import holds, texts
from .grammar import Grammar
from .reader import Reading, Unreadable, number, read

Fixes = Literal["off", "lossless", "likely", "spec"]
"""How much a fix may assume."""

ALLOWED: Final[dict[str, int]] = {"off": 0, "lossless": Safety.LOSSLESS, "likely": Safety.LIKELY, "spec": Safety.INVENTED}

_READ_INTO: Final = frozenset({"quotes", "escape", "concatenation", "parenthesis", "bare_word", "coercion"})
"""The fixes that settle what a value says, and not only how it is written."""

_QUOTE: Final = "[\"'`\u201c\u201d]"
_QUOTED_LINES: Final = re.compile(r"(?:^>[^\n]*(?:\n|\Z))+\Z", re.MULTILINE)
_ESCAPED: Final = re.compile(r'\s*[{\[]\s*(?:\\n\s*)?\\"')


@dataclass(frozen=True, slots=True)
class Mended:
    """One call of a block, mended."""

    body: str
    """Its JSON."""

    verdict: Validated
    """What the strict parser and the schema say of it."""

    fixes: tuple[AutoFix, ...]
    """What was changed."""


class Engine:
    """Mends the blocks of one toolset."""

    def __init__(self, tools: Toolset, limits: Limits, fixes: Fixes) -> None:
        self._tools: Final = tools
        self._limits: Final = limits
        self._allowed: Final = ALLOWED[fixes]
        self._grammar: Final = Grammar(tools)

    def mend(self, body: str) -> tuple[Mended, ...]:
        """The calls of a body that is not valid; none when it cannot be mended honestly."""
        changes: list[AutoFix] = []
        shaped = self._shaped(body, changes, invent=self._allowed >= Safety.INVENTED)
        if not shaped or len(shaped) > self._limits.max_calls or _repeated(shaped):
            return ()
        mended = tuple(self._finished(found, [] if index else changes) for index, found in enumerate(shaped))
        return mended if all(part.verdict.passed for part in mended) and self._may(mended) else ()

    def understood(self, body: str) -> Validated | None:
        """The one call that a body means, under the tools' own names, with all that is wrong with it.

        None when it means several, or cannot be read. Nothing may be run on the strength of it.
        """
        shaped = self._shaped(body, [], invent=False)
        if len(shaped) != 1 or not isinstance(shaped[0].call, dict):
            return None
        return self._finished(shaped[0], []).verdict

    def _shaped(self, body: str, changes: list[AutoFix], *, invent: bool) -> list[shape.Shaped]:
        """The calls that a body means; none when it cannot be read."""
        strict = accepts(body, max_depth=self._limits.max_depth, max_values=self._limits.max_values)
        callee = None
        if strict:
            values: tuple[Any, ...] = (json.loads(body, parse_float=number, parse_int=number),)
        else:
            reading = self._read(body, changes)
            if reading is None:
                return []
            values, callee = reading.values, reading.callee
        told = {"strict": strict, "invent": invent}
        shaped = [found for value in values for found in self._calls(_called(value, callee), changes, **told)]
        if callee is not None and shaped:
            shaped[0].change("function_call", "tool", None, callee)
        return shaped

    def _may(self, mended: tuple[Mended, ...]) -> bool:
        """Whether all that was changed is allowed. From what was no JSON no field is dropped: it may be a string's rest.

        And none may be lacking that stands in a string: it may be a field that the string took in.
        """
        fixes = [fix for part in mended for fix in part.fixes]
        dropped = any(fix.rule == "extra_field" for fix in fixes)
        repaired = any(fix.type == "SYNTAX_REPAIR" for fix in fixes)
        if repaired and (dropped or any(self._swallowed(part) for part in mended)):
            return False
        return all(fix.safety <= self._allowed and not self._dares(fix, part) for part in mended for fix in part.fixes)

    def _swallowed(self, part: Mended) -> bool:
        """Whether a field that the call lacks stands, quoted and with its colon, in a text with unescaped quotes."""
        tool = self._tools.get(part.verdict.tool or "")
        if tool is None or not any(fix.rule == "quotes" for fix in part.fixes):
            return False
        said = list(texts(part.verdict.value))
        names = {str(path[-1]): str(path[-1]) for path in tool.fields.all()}
        names |= {alias: str(split(target)[-1]) for alias, target in tool.field_aliases.items()}
        words = "|".join(re.escape(word) for word, name in names.items() if name not in said)
        field = re.compile(rf"{_QUOTE}(?:{words}){_QUOTE}|(?:{_QUOTE}(?:{words})|(?<!\w)(?:{words}){_QUOTE})\s*[:=,;]")
        return bool(words) and any(field.search(text) for text in said)

    def _dares(self, fix: AutoFix, part: Mended) -> bool:
        """Whether a fix reads a value of a call that takes something away: there, another reading is one too many."""
        tool = self._tools.get(part.verdict.tool or "")
        if tool is None or tool.risk is not Risk.DESTRUCTIVE or fix.rule not in _READ_INTO:
            return False
        return split(fix.path)[:1] in {(name,) for name in tool.fields.members}

    def _read(self, body: str, changes: list[AutoFix]) -> Reading | None:
        """What a body says that is no JSON, if it says one thing."""
        if len(body) > self._limits.max_repair:
            return None
        for fix, undone in (("quoted_lines", _unquoted(body)), ("escaped_body", _unescaped(body))):
            if undone is not None:
                changes.append(_record(fix, "", shorten(body), shorten(undone)))
                body = undone
        try:
            reading = read(body, self._grammar)
        except Unreadable:
            return None
        if not holds(body, reading):
            return None
        changes += [_record(edit.fix, dotted(edit.path), shorten(body[edit.start : edit.end]), None) for edit in reading.edits]
        return reading

    def _calls(self, value: Any, changes: list[AutoFix], *, strict: bool, invent: bool) -> list[shape.Shaped]:
        def decode(text: str) -> Any:
            """An object in a string, strict or mended; None when there is none."""
            if not text.lstrip().startswith(("{", "[")):
                return None
            if accepts(text, max_depth=self._limits.max_depth, max_values=self._limits.max_values):
                return json.loads(text)
            reading = self._read(text, changes)
            return reading.values[0] if reading is not None and len(reading.values) == 1 else None

        return shape.calls(value, self._tools, decode, strict=strict, invent=invent)

    def _finished(self, found: shape.Shaped, changes: list[AutoFix]) -> Mended:
        made = [_record(change.fix, change.path, shorten(change.before), shorten(change.after)) for change in found.changes]
        body = _laid_out(self._by_tool(found.call, made), "\n")
        verdict = validate(body, self._tools, self._limits)
        fixes = _once([*changes, *made])
        value = verdict.value if isinstance(verdict.value, dict) else {}
        return Mended(body, verdict, tuple(_after(fix, value) for fix in fixes))

    def _by_tool(self, call: Any, made: list[AutoFix]) -> Any:
        """A call, mended by what its tool brings along for that."""
        tool = self._tools.get(name) if isinstance(call, dict) and isinstance(name := call.get(TOOL_KEY), str) else None
        if tool is None or tool.mend is None:
            return call
        arguments, fixes = tool.mend({key: value for key, value in call.items() if key != TOOL_KEY})
        made += fixes
        return {TOOL_KEY: tool.name, **arguments}


_encode: Final = json.JSONEncoder(ensure_ascii=False).encode


def _laid_out(value: Any, line: str) -> str:
    """JSON with a member on each line. What json writes with `indent`, without its detour through Python for every value."""
    if not value or not isinstance(value, dict | list):
        return _encode(value)
    inner = line + "  "
    if isinstance(value, dict):
        members = [f"{_encode(key)}: {_laid_out(item, inner)}" for key, item in value.items()]
        return f"{{{inner}{f',{inner}'.join(members)}{line}}}"
    return f"[{inner}{f',{inner}'.join(_laid_out(item, inner) for item in value)}{line}]"


def _repeated(shaped: list[shape.Shaped]) -> bool:
    """Whether one call stands there twice: meant twice, or written twice, nobody can know."""
    return any(one.call == other.call for index, one in enumerate(shaped) for other in shaped[:index])


def _called(value: Any, callee: str | None) -> Any:
    """An object in the parentheses of a call gets the name that stands before them."""
    return {"tool": callee, **value} if callee is not None and isinstance(value, dict) and "tool" not in value else value


def _record(name: str, path: str, before: Any, after: Any) -> AutoFix:
    fix = CATALOGUE[name]
    return AutoFix(name, fix.type, fix.what, path, before, after, fix.confidence, fix.safety)


def _once(fixes: list[AutoFix]) -> list[AutoFix]:
    """Each kind of change once for each field."""
    return list({(fix.rule, fix.path): fix for fix in reversed(fixes)}.values())[::-1]


def _after(fix: AutoFix, value: dict[str, Any]) -> AutoFix:
    """The record, with what stands in the field now."""
    return replace(fix, after=shorten(value[fix.path])) if fix.after is None and fix.path in value else fix


def _unquoted(body: str) -> str | None:
    """A body without the marks of a block quote, if every line has one."""
    if not body.startswith(">") or not _QUOTED_LINES.match(body):
        return None
    return re.sub(r"^> ?", "", body, flags=re.MULTILINE)


def _unescaped(body: str) -> str | None:
    """A body that is the inside of a JSON string, if it is."""
    if not _ESCAPED.match(body):
        return None
    try:
        undone: str = json.loads(f'"{body}"', strict=False)
    except ValueError:
        return None
    return undone
