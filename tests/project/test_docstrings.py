"""What a docstring says is about its own name."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("stream_guard", "adapters/stream_guard_adapters", "conformance/stream_guard_conformance")


def docstrings(scope: ast.Module | ast.ClassDef) -> Iterator[str]:
    """The docstrings of what a module or a class has: of its functions and classes, and behind its values."""
    for one, following in zip(scope.body, [*scope.body[1:], None], strict=True):
        if isinstance(one, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(one)
            if text is not None:
                yield text
        elif isinstance(one, ast.Assign | ast.AnnAssign) and isinstance(following, ast.Expr):
            if isinstance(following.value, ast.Constant) and isinstance(following.value.value, str):
                yield following.value.value


@pytest.mark.parametrize("package", PACKAGES)
def test_no_two_names_of_a_module_or_a_class_have_the_same_docstring(package: str) -> None:
    """One of two would be about the other. A short one may fit several."""
    found = 0
    for path in (ROOT / package).rglob("*.py"):
        for scope in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(scope, ast.Module | ast.ClassDef):
                texts = Counter(docstrings(scope))
                found += len(texts)
                twice = [text for text, count in texts.items() if count > 1 and len(text) > 70]
                assert not twice, (path, twice)
    assert found > 300
