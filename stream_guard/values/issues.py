"""`ValidationIssue`: one thing that is wrong with a block or a call.

Rule 1: what a model got wrong is a `ValidationIssue`, never an exception.
Rule 2: a code that is not in `CODES` cannot be reported; the documentation is printed from that table.
Rule 3: an issue says what was expected and what was found as data. The message is for people and may be shown to them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal

from .codes import CODES
from .quoting import one_line, place
from .wording import COLUMN, sentence

JsonPath = tuple[str | int, ...]
"""The keys and indexes that lead to a value."""

Severity = Literal["error", "warning"]
"""`error` keeps a block from passing; `warning` only accompanies it."""


@dataclass(frozen=True, slots=True)
class ValidationIssue:
    """One problem of a block or call: its code, its place, and the expected value."""

    code: str
    """The key of the issue in `CODES`."""

    message: str
    """One sentence for a person, on one line."""

    field: str = ""
    """The field, dotted and indexed: `search_replace.old_string`, `widgets[2].title`. Empty for the block as a whole.

    A name that a model made up is cut short and escaped in it; `pointer` has the whole name.
    """

    constraint: str = ""
    """The rule that was broken, in JSON Schema's word where it has one: `required`, `type`, `enum` ..."""

    expected: Any = None
    """The value that the rule expects, as data."""

    got: Any = None
    """The value in the block, as data; shortened when long."""

    suggestion: str | None = None
    """The tool, field or value that was probably meant; only if exactly one is close."""

    severity: Severity = "error"
    """Whether the issue keeps the block from passing."""

    pointer: str = ""
    """The path of the value as a JSON pointer."""

    line: int | None = None
    """Line in the body, from 1."""

    column: int | None = None
    """Column in that line, in characters, from 1."""

    offset: int | None = None
    """Characters from the start of the body."""

    def __post_init__(self) -> None:
        if self.code not in CODES:
            raise ValueError(f"unknown issue code: {self.code!r}; see stream_guard.CODES")
        object.__setattr__(self, "message", one_line(self.message))  # whoever made it: it may quote the block

    @staticmethod
    def at(
        path: JsonPath,
        code: str,
        message: str,
        constraint: str = "",
        *,
        expected: Any = None,
        got: Any = None,
        suggestion: str | None = None,
        severity: Severity = "error",
        line: int | None = None,
        column: int | None = None,
        offset: int | None = None,
    ) -> ValidationIssue:
        """Return the issue for the value at a path, with its field and pointer; `got` is shortened."""
        where = (pointer(path), line, column, offset)
        return ValidationIssue(code, message, place(path), constraint, expected, shorten(got), suggestion, severity, *where)

    def __str__(self) -> str:
        if self.line is None:
            return self.message
        if self.constraint == "json":  # its message ends with the line
            return COLUMN.format(problem=self.message, column=self.column)
        return f"{self.message} (line {self.line}, column {self.column})"


def dotted(tokens: JsonPath) -> str:
    """Return a path in dotted form: `("widgets", 2, "title")` is `widgets[2].title`."""
    out = ""
    for token in tokens:
        if isinstance(token, int):
            out += f"[{token}]"
        else:
            out += f".{token}" if out else token
    return out


def value_at(value: Any, path: Iterable[str | int], missing: Any = None) -> Any:
    """Return the value at a path inside a value; `missing` if there is none."""
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return missing
    return value


def pointer(tokens: JsonPath) -> str:
    """Return a path as a JSON pointer (RFC 6901)."""
    return "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in tokens)


_SHOWN: Final = 80
"""How many characters of a value an issue quotes."""


def shorten(value: Any) -> Any:
    """Return a value shortened for an issue."""
    if isinstance(value, str) and len(value) > _SHOWN:
        return value[: _SHOWN - 1] + "…"
    if isinstance(value, dict | list) and (len(value) > _SHOWN // 2 or len(repr(value)) > _SHOWN):
        kind = "object" if isinstance(value, dict) else "array"
        return f"{kind} of {len(value)}"
    return value


def internal_error(error: BaseException, what: str) -> ValidationIssue:
    """Return the issue for a failure of the guard, a rule or a hook. It names the type of the error and no content.

    `what` names the part that failed: a variant of `guard_error` in `wording.SENTENCES`.
    """
    return ValidationIssue("guard_error", sentence(f"guard_error.{what}", error=type(error).__name__))
