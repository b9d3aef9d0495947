"""The names of fixes in the code: each is a row of the catalogue, and each row is made somewhere.

A name that is spelt otherwise than its row is never found: a check that asks for it refuses nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from stream_guard.fixes.catalogue import CATALOGUE
from stream_guard.values.wording import RULES

ROOT = Path(__file__).parents[2]
CORE = ROOT / "stream_guard"
FIXES = CORE / "fixes"
LESSONS = CORE / "tools" / "lessons"
"""They have a catalogue of their own."""

SETS = {"fixes", "rules", "syntax", "repaired"}
"""The names of sets and lists of fixes."""

ASK_ONLY = {"made", "places"}
"""The functions that take the name of a fix and make none."""


@cache
def trees() -> dict[Path, ast.Module]:
    paths = [path for folder in (CORE, ROOT / "adapters" / "stream_guard_adapters") for path in sorted(folder.rglob("*.py"))]
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in paths if LESSONS not in path.parents}


def takers(modules: Mapping[Path, ast.Module]) -> dict[str, int]:
    """The functions that have a parameter `fix: str`, and the records with such a field, each with its place."""
    found: dict[str, int] = {}
    for node in (one for path, tree in modules.items() if path.parent == FIXES for one in ast.walk(tree)):
        if isinstance(node, ast.FunctionDef):
            taken = [ast.unparse(one) for one in node.args.args if one.arg != "self"]
        elif isinstance(node, ast.ClassDef):
            taken = [ast.unparse(one) for one in node.body if isinstance(one, ast.AnnAssign)]
        else:
            continue
        if "fix: str" in taken:
            found[node.name] = taken.index("fix: str")
    return found


def last(node: ast.expr) -> str:
    """The last part of a name: `fix` of `step.fix`. Empty for anything else, and for the rules of a schema."""
    if isinstance(node, ast.Attribute):
        return "" if ast.unparse(node.value) in ("about", "field", "fields") else node.attr
    return node.id if isinstance(node, ast.Name) else ""


def texts(node: ast.expr) -> Iterator[ast.Constant]:
    """The texts that an expression may be, or that it lists."""
    parts = [node.body, node.orelse] if isinstance(node, ast.IfExp) else getattr(node, "elts", None)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node
    for part in parts or ():
        yield from texts(part)


def named(tree: ast.AST, taken: Mapping[str, int]) -> Iterator[tuple[str, int, bool]]:
    """The texts that stand where the code names a fix, each with its line, and with whether the fix is made there."""
    for node in ast.walk(tree):
        made, told = False, []
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            equal = isinstance(node.ops[0], ast.Eq | ast.NotEq)
            if {last(side) for side in sides} & ({"fix", "rule"} if equal else {*SETS, "fix", "rule"}):
                told = sides
        elif isinstance(node, ast.Call):
            name = last(node.func)
            made = name not in ASK_ONLY
            if name in taken:
                told = node.args[taken[name] : taken[name] + 1]
            elif name == "places" or (isinstance(node.func, ast.Attribute) and last(node.func.value) in SETS):
                told = node.args
        elif isinstance(node, ast.For) and "fix" in {last(one) for one in ast.walk(node.target) if isinstance(one, ast.expr)}:
            made, told = True, [node.iter]
        yield from ((str(text.value), text.lineno, made) for one in told for text in texts(one))


@cache
def found() -> list[tuple[str, str, bool]]:
    """The names of fixes in the code, each with its place, and with whether the fix is made there."""
    taken = takers(trees())
    assert taken.keys() >= {"_mend", "_complete", "made", "change", "record", "Change", "Edit", "Fixed"}
    return [
        (name, f"{path.relative_to(ROOT)}:{line}", made)
        for path, tree in trees().items()
        for name, line, made in named(tree, taken if path.parent == FIXES else {})
        if path.parent == FIXES or name not in RULES  # where `rule` may be a rule of a schema
    ]


def test_every_name_of_a_fix_in_the_code_is_a_row_of_the_catalogue() -> None:
    assert [f"{place}: {name}" for name, place, _ in found() if name not in CATALOGUE] == []


def test_every_row_of_the_catalogue_is_made_somewhere() -> None:
    assert CATALOGUE.keys() == {name for name, _, made in found() if made}


@pytest.mark.parametrize(
    "code",
    [
        'fix.rule == "coma"', 'one.fix != "coma"', 'step.fix in ("coma", "number")', '"coma" in read.fixes',
        '"coma" not in rules', 'fixes >= {"coma", "number"}', 'read.made("coma")', 'self._mend("coma" if x else "escape", 1)',
        'fixes.add("coma")', 'block.places({"coma"}, 1)', 'shaped.change("coma", key, 1, 2)', 'rules.isdisjoint({"coma"})',
        'for fix, undo in (("coma", one), ("number", two)):\n    pass',
    ],
)  # fmt: skip
def test_a_slip_in_a_name_is_found(code: str) -> None:
    assert "coma" in {name for name, _, _ in named(ast.parse(code), takers(trees()))}
