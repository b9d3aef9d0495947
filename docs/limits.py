"""The page of limits: the bounds that an app sets, and every number of the code that is fixed.

A module constant that is a number is on the page, with the docstring that stands under it as its reason. So a new one without a
reason cannot be printed, and one with a reason is missing from the page until it is printed anew.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from .rooms import ADAPTERS, CORE, Package

NO_BOUNDS: Final = frozenset({
    "stream_guard.command.check.MUCH",
    "stream_guard.command.terminal.MANY",
    "stream_guard.command.terminal._EVERY",
    "stream_guard.command.terminal._WIDTH",
    "stream_guard.correct.budget._CHARACTERS",
    "stream_guard.correct.budget._FRAME",
    "stream_guard.correct.correcting.CONFIDENCE",
    "stream_guard.correct.reply._REPEATED",
    "stream_guard.fixes.lines._SHORT",
    "stream_guard.scan.buffer.MANY",
    "stream_guard.dialects.cursor.LARGE",
    "stream_guard.dialects.cursor.WINDOW",
    "stream_guard.scan.fences.TAB",
    "stream_guard.schema.other_errors._MARKED",
    "stream_guard.schema.spelling._CUTOFF",
    "stream_guard.schema.spelling._LONG",
    "stream_guard.schema.spelling._VERY_LONG",
    "stream_guard.stream.guarded.EVENT",
    "stream_guard.values.limits.SHORT",
    "stream_guard_adapters.cassettes.cassette.VERSION",
    "stream_guard_adapters.proxy._YOUNG",
    "stream_guard_adapters.resume.redis_line.TICK",
    "stream_guard_adapters.resume.memory._ENTRY",
    "stream_guard_adapters.resume.redis.BEATS",
})  # fmt: skip
"""Numbers that bound nothing: where one way of working gives way to another, what is estimated, what a format says."""


NAMES: Final = "stream_guard.command.exit_status."
"""Numbers that are only names: the exit statuses. They are not on the page; docs/commands.md has them."""


class Number(NamedTuple):
    """A number of the code, and why it is what it is."""

    name: str
    value: Any
    reason: str


def documented(body: list[ast.stmt]) -> Iterator[Number]:
    """The numbers that a module or a class assigns, each with the docstring under it; an empty reason where there is none."""
    known: dict[str, Any] = {}
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.AnnAssign):
            target: ast.expr = node.target
        elif isinstance(node, ast.Assign):
            target = node.targets[0]
        else:
            continue
        if node.value is None or not isinstance(target, ast.Name) or not _is_number(node.value, known):
            continue
        value = known[target.id] = eval(ast.unparse(node.value), {}, known)  # numbers, operators and names of numbers alone
        told = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else None
        yield Number(target.id, value, " ".join(told.split()) if isinstance(told, str) else "")


def _is_number(node: ast.expr, known: dict[str, Any]) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int | float) and not isinstance(node.value, bool)
    if isinstance(node, ast.BinOp):
        return _is_number(node.left, known) and _is_number(node.right, known)
    if isinstance(node, ast.UnaryOp):
        return _is_number(node.operand, known)
    return isinstance(node, ast.Name) and node.id in known


def fixed(package: Package) -> Iterator[Number]:
    """Every number that a module of a package names, by its full name."""
    for module, path in package.modules.items():
        for number in _constants(path):
            yield _reasoned(number._replace(name=f"{module}.{number.name}"))


def caches(package: Package) -> Iterator[Number]:
    """Every function whose results are kept, its most results, and what it returns."""
    for module, path in package.modules.items():
        if "lru_cache" not in path.read_text(encoding="utf-8"):
            continue
        for node in ast.walk(_tree(path)):
            if isinstance(node, ast.FunctionDef):
                for mark in node.decorator_list:
                    if isinstance(mark, ast.Call) and ast.unparse(mark.func).endswith("lru_cache"):
                        most = ast.literal_eval([*mark.args, *(keyword.value for keyword in mark.keywords)][0])
                        told = (ast.get_docstring(node) or "").partition("\n")[0]
                        yield _reasoned(Number(f"{module}.{node.name}", most, told))


def _reasoned(number: Number) -> Number:
    if not number.reason:
        raise ValueError(f"{number.name} is a number without a reason: write one as a docstring under it")
    return number


@cache
def _constants(path: Path) -> tuple[Number, ...]:
    return tuple(documented(_tree(path).body))


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _settings(file: str, name: str) -> list[Number]:
    """The fields of a dataclass that are numbers."""
    found = next(node for node in _tree(CORE.folder / file).body if isinstance(node, ast.ClassDef) and node.name == name)
    return list(map(_reasoned, documented(found.body)))


def limits_page() -> str:
    """Every bound: what an app sets, and what is fixed, with its reason."""
    numbers = [number for number in (*fixed(CORE), *fixed(ADAPTERS)) if not number.name.startswith(NAMES)]
    lines = [
        "# Limits",
        "",
        "Printed from the code by `python -m docs`; do not edit.",
        "",
        "## `Limits`",
        "",
        "The bounds of one stream, set by `Guard(limits=Limits(...))`. Sizes are in characters. Reaching one raises nothing.",
        "",
        *_table("field", _settings("values/limits.py", "Limits")),
        "",
        "## `CorrectionPolicy`",
        "",
        "What a corrector may cost, set by `Guard(correction=CorrectionPolicy(...))`.",
        "",
        *_table("field", _settings("correct/budget.py", "CorrectionPolicy")),
        "",
        "## Fixed bounds",
        "",
        "These cannot be set. They keep the work and the memory of one step small.",
        "",
        *_table("constant", [number for number in numbers if number.name not in NO_BOUNDS]),
        "",
        "## Caches",
        "",
        "The results of these functions are kept, so many of each; the oldest make way.",
        "",
        *_table("function", [*caches(CORE), *caches(ADAPTERS)], "results kept", "what it returns"),
        "",
        "## Other numbers",
        "",
        "These bound nothing: where one way of working gives way to another, what is estimated, what a format says.",
        "",
        *_table("constant", [number for number in numbers if number.name in NO_BOUNDS]),
    ]
    return "\n".join(lines) + "\n"


def _table(of: str, numbers: list[Number], value: str = "value", reason: str = "reason") -> Iterator[str]:
    yield f"| {of} | {value} | {reason} |"
    yield "|---|---|---|"
    for name, number, why in numbers:
        shown = name.replace("stream_guard_adapters.", "adapters.").removeprefix("stream_guard.")
        yield f"| `{shown}` | {number:,} | {why.replace('|', chr(92) + '|')} |"
