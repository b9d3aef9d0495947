"""Where tests stand: a module's own are found by its name, and what several need is in the kit."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.project.covered import modules, own

TESTS = Path(__file__).parents[1]
FILES = [path for path in TESTS.rglob("*.py") if path.name != "__init__.py" and "goldens" not in path.parts]


def imported(path: Path) -> set[str]:
    """The modules of tests that a file imports, wherever it does."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            found |= {node.module, *(f"{node.module}.{one.name}" for one in node.names)}
    return {name for name in found if name.startswith("tests.")}


def test_no_test_imports_from_another() -> None:
    """What two of them need stands in tests/kit."""
    for path in FILES:
        others = [name for name in imported(path) if name.rpartition(".")[2].startswith("test_")]
        assert not [name for name in others if (TESTS.parent / f"{name.replace('.', '/')}.py").exists()], path


def test_the_kit_holds_no_test() -> None:
    for path in FILES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        tests = [node for node in tree.body if getattr(node, "name", "").startswith("test_")]
        assert bool(tests) == path.name.startswith("test_"), path


def test_every_module_of_the_core_has_tests_of_its_own() -> None:
    """By its name, or by a row of the table in covered.py."""
    assert [module for module in modules() if not own(module)] == []
