"""The adapters' rooms and the direction of the imports between them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path

import pytest
import stream_guard_adapters

HOME = Path(stream_guard_adapters.__file__).parent
NAME = "stream_guard_adapters"

DOORS = {"protocols", "engine", "cassettes", "model_corrector"}
"""What a door may import: every room below it."""

MAY: dict[str, set[str]] = {
    "protocols": set(),
    "engine": {"protocols"},
    "cassettes": {"protocols", "engine.framing"},
    "model_corrector": set(),
    "resume": set(),
}
"""What each room may import of the others. Any other file is a door."""

EXCEPTIONS = {
    ("proxy", "asgi"): "the gateway is the middleware around a client of the provider",
    ("proxy", "targets"): "one door in two files",
    ("resume", "sse"): "a resumable stream keeps the events that this door makes",
}
"""Imports of one door by another, with the reason."""


def modules() -> dict[str, Path]:
    """Every file, by its module's name below the package."""
    found = {}
    for path in sorted(HOME.rglob("*.py")):
        parts = path.relative_to(HOME).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def imports(module: str) -> Iterator[str]:
    """The modules that a file imports, under TYPE_CHECKING and inside functions too, by their full names."""
    path = MODULES[module]
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = [NAME, *package][: len(package) + 2 - node.level] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                yield inner if inner.removeprefix(f"{NAME}.") in MODULES else base


def ours(module: str) -> set[str]:
    """Those of them that are adapters, by their names below the package."""
    found = {name.removeprefix(NAME).removeprefix(".") for name in imports(module) if name.split(".")[0] == NAME}
    return {name for name in found if name}


def room(module: str) -> str:
    return module.split(".")[0]


def test_every_import_between_rooms_is_allowed() -> None:
    """Of all three kinds: at the top of a file, for types only, and inside a function."""
    used = set()
    for module in MODULES:
        mine = room(module)
        for other in ours(module):
            theirs = room(other)
            if theirs == mine:
                continue
            if (mine, theirs) in EXCEPTIONS:
                used.add((mine, theirs))
                continue
            allowed = MAY.get(mine, DOORS)
            assert theirs in allowed or other in allowed, f"{module} imports {other}"
    assert used == EXCEPTIONS.keys(), "an exception that nothing needs"


def test_no_file_imports_itself_in_a_circle() -> None:
    """`prepare` raises CycleError, which names the files."""
    TopologicalSorter({module: ours(module) for module in MODULES}).prepare()


def test_a_table_uses_only_the_public_names_of_the_core() -> None:
    for module in MODULES:
        if room(module) == "protocols":
            core = {name for name in imports(module) if name.split(".")[0] == "stream_guard"}
            assert core <= {"stream_guard"}, module


def test_a_table_imports_a_client_only_inside_a_function() -> None:
    """Whoever guards one provider's stream need not have the packages of the others."""
    import sys

    known = {*sys.stdlib_module_names, "stream_guard"}
    for module, path in MODULES.items():
        if room(module) == "protocols":
            top = ast.parse(path.read_text(encoding="utf-8")).body
            names = [node.module or "" for node in top if isinstance(node, ast.ImportFrom) and not node.level]
            names += [alias.name for node in top if isinstance(node, ast.Import) for alias in node.names]
            assert {name.split(".")[0] for name in names} <= known, module


@pytest.mark.parametrize("name", ["protocols", "engine", "cassettes", "resume"])
def test_a_room_says_what_it_owns_and_what_it_may_import(name: str) -> None:
    said = import_module(f"{NAME}.{name}").__doc__ or ""
    for part in ("\nOwns: ", "\nMay import: ", "\nMay not import: "):
        assert part in said
