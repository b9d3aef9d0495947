"""The rooms of the packages: over all three kinds of imports, none imports what stands above it."""

from __future__ import annotations

import ast
import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

from docs.rooms import ADAPTERS, CORE, NAMED, OPEN, ROOT, TABLES_USE, Arrow, Package, arrows, circles

both = pytest.mark.parametrize("package", [CORE, ADAPTERS], ids=lambda package: package.name)


def crossing(package: Package) -> list[tuple[str, str, Arrow]]:
    """The imports between two rooms, with their names."""
    found = [(package.room(arrow.source), package.room(arrow.target), arrow) for arrow in arrows(package)]
    return [(one, other, arrow) for one, other, arrow in found if one != other]


@both
def test_every_file_is_in_a_room_with_a_layer_and_every_room_has_a_file(package: Package) -> None:
    rooms = {package.room(module) for module in package.modules}
    assert sorted(rooms) == sorted(room for layer in package.layers for room in layer)


@both
def test_a_room_imports_only_rooms_below_it(package: Package) -> None:
    upward = [(one, other, arrow) for one, other, arrow in crossing(package) if package.level(one) <= package.level(other)]
    assert [arrow for one, other, arrow in upward if (one, other) not in package.beside] == []
    assert {(one, other) for one, other, _ in upward} == package.beside.keys()  # an exception that is not needed is taken out


def test_contributing_lists_the_rooms_by_level() -> None:
    """But for the two above the command, and the package's own `__init__`."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    told = page.partition("its rooms by level;")[2].partition("\n\n")[0].splitlines()[1:]
    levels = [set(layer) - {"__main__", "spi", ""} for layer in CORE.layers]
    assert [set(line.strip().split(", ")) for line in told] == [level for level in levels if level]


@both
def test_no_modules_import_each_other_but_the_named_ones(package: Package) -> None:
    found = arrows(package)
    assert circles([arrow for arrow in found if arrow[:2] not in NAMED]) == []
    closing = {arrow[:2] for group in circles(found) for arrow in found if {*arrow[:2]} <= {*group}}
    named = {pair for pair in NAMED if pair[0].partition(".")[0] == package.name}
    assert named <= closing  # an exception that is no longer needed is taken out


@both
def test_every_room_says_what_it_owns_and_imports_what_it_says(package: Package) -> None:
    for room in (room for layer in package.layers for room in layer):
        text = package.docstring(room)
        assert text, room
        if not room or not (package.folder / room).is_dir():
            continue
        said = re.search(r"^May import: (.+?)\.$", text, re.MULTILINE)
        assert said is not None, room
        assert "May not: " in text, room
        if said[1].startswith("every other room"):
            continue
        may = set() if said[1] == "nothing" else set(re.split(r", (?:and )?| and ", said[1]))
        for one, other, arrow in crossing(package):
            assert one != room or may & {other, arrow.target.removeprefix(f"{package.name}.")}, arrow


def test_adapters_use_what_is_open_to_them_and_the_core_knows_no_adapter() -> None:
    used = {arrow for arrow in arrows(ADAPTERS, CORE) if arrow.target.split(".")[0] == CORE.name}
    assert [arrow for arrow in used if CORE.room(arrow.target) not in OPEN] == []
    tables = {arrow for arrow in used if ADAPTERS.room(arrow.source) == "protocols"}
    assert [arrow for arrow in tables if CORE.room(arrow.target) not in TABLES_USE] == []
    assert not [arrow for arrow in arrows(CORE, ADAPTERS) if arrow.target.startswith(ADAPTERS.name)]


def test_adapters_import_public_names_only() -> None:
    """A name that the core's own `__init__` imports for itself, and one with an underscore, are nobody else's."""
    taken = set()
    for module, path in ADAPTERS.modules.items():
        code = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(code)) if re.search(rf"^\s*from {CORE.name}\b", code, re.MULTILINE) else ():
            if isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").split(".")[0] == CORE.name:
                home = import_module(str(node.module))
                public = getattr(home, "__all__", None) or [name for name in vars(home) if not name.startswith("_")]
                submodules = OPEN if node.module == CORE.name else ()
                taken |= {(module, node.module, each.name) for each in node.names if each.name not in (*public, *submodules)}
    assert not taken


def test_a_table_imports_a_client_only_inside_a_function() -> None:
    """Whoever guards one provider's stream need not have the packages of the others."""
    known = {*sys.stdlib_module_names, CORE.name, "jiter"}  # which the core requires
    for module, path in ADAPTERS.modules.items():
        if ADAPTERS.room(module) == "protocols":
            top = ast.parse(path.read_text(encoding="utf-8")).body
            names = [node.module or "" for node in top if isinstance(node, ast.ImportFrom) and not node.level]
            names += [alias.name for node in top if isinstance(node, ast.Import) for alias in node.names]
            assert {name.split(".")[0] for name in names} <= known, module


def test_what_is_open_to_adapters_is_used_by_one() -> None:
    import stream_guard.spi

    beside = (*Path("demo_server").glob("*.py"), *Path("conformance").rglob("*.py"))
    text = "".join(path.read_text(encoding="utf-8") for path in (*ADAPTERS.modules.values(), *beside))
    assert [name for name in stream_guard.spi.__all__ if not re.search(rf"\b{name}\b", text)] == []


def test_an_import_counts_wherever_it_stands(tmp_path: Path) -> None:
    """At the top, under TYPE_CHECKING, in a function; of a module, of a name in it, and relative."""
    (tmp_path / "low").mkdir()
    (tmp_path / "low" / "__init__.py").write_text("")
    (tmp_path / "low" / "a.py").write_text(
        "from typing import TYPE_CHECKING\nfrom . import b\nif TYPE_CHECKING:\n    from ..high import c\n"
        "def f():\n    import own.high.c\n    from ..high.c import name\n"
    )
    (tmp_path / "low" / "b.py").write_text("from .a import f\n")
    (tmp_path / "high").mkdir()
    (tmp_path / "high" / "__init__.py").write_text("")
    (tmp_path / "high" / "c.py").write_text("import own.low\n")
    own = Package("own", tmp_path, (("high",), ("low",)))
    assert list(arrows(own)) == [
        Arrow("own.high.c", "own.low", "import"),
        Arrow("own.low.a", "own.low.b", "import"),
        Arrow("own.low.a", "own.high.c", "type"),
        Arrow("own.low.a", "own.high.c", "deferred"),
        Arrow("own.low.b", "own.low.a", "import"),
    ]
    assert circles(arrows(own)) == [["own.low.a", "own.low.b"]]
    with pytest.raises(KeyError, match="in no layer"):
        own.level("elsewhere")
