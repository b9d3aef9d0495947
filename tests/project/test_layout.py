"""Where tests stand: a module's own are found by its name, and what several need is in the kit."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from tests.project.covered import modules, own

TESTS = Path(__file__).parents[1]
FILES = [path for path in TESTS.rglob("*.py") if path.name != "__init__.py" and "goldens" not in path.parts]


@cache
def told(path: Path) -> tuple[set[str], bool]:
    """The modules of tests that a file imports, wherever it does; and whether it has tests."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: set[str] = set()
    below: list[ast.AST] = [tree]
    while below:
        for node in ast.iter_child_nodes(below.pop()):
            if isinstance(node, ast.Import):
                found |= {one.name for one in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module is not None:
                found |= {node.module, *(f"{node.module}.{one.name}" for one in node.names)}
            elif not isinstance(node, ast.expr):  # no import stands in one
                below.append(node)
    tests = any(getattr(node, "name", "").startswith("test_") for node in tree.body)
    return {name for name in found if name.startswith("tests.")}, tests


def test_no_test_imports_from_another() -> None:
    """What two of them need stands in tests/kit."""
    for path in FILES:
        others = [name for name in told(path)[0] if name.rpartition(".")[2].startswith("test_")]
        assert not [name for name in others if (TESTS.parent / f"{name.replace('.', '/')}.py").exists()], path


def test_the_kit_holds_no_test() -> None:
    for path in FILES:
        assert told(path)[1] == path.name.startswith("test_"), path


def test_every_module_of_the_core_has_tests_of_its_own() -> None:
    """By its name, or by a row of the table in covered.py."""
    assert [module for module in modules() if not own(module)] == []
