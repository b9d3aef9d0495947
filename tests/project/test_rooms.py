"""The rooms of the packages: over all three kinds of imports, none imports what stands above it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.rooms import ADAPTERS, CORE, NAMED, OPEN, Arrow, Package, arrows, between, circles

LAYERED = [package for package in (CORE, ADAPTERS) if package.layers]


@pytest.mark.parametrize("package", LAYERED, ids=lambda package: package.name)
def test_a_room_imports_only_rooms_below_it(package: Package) -> None:
    upward = [
        arrow
        for arrow in arrows(package)
        if (one := package.room(arrow.source)) != (other := package.room(arrow.target))
        and package.level(one) <= package.level(other)
    ]
    assert not upward


@pytest.mark.parametrize("package", [CORE, ADAPTERS], ids=lambda package: package.name)
def test_no_modules_import_each_other_but_the_named_ones(package: Package) -> None:
    found = arrows(package)
    assert circles([arrow for arrow in found if arrow[:2] not in NAMED]) == []
    closing = {arrow[:2] for group in circles(found) for arrow in found if {*arrow[:2]} <= {*group}}
    named = {pair for pair in NAMED if pair[0].partition(".")[0] == package.name}
    assert named <= closing  # an exception that is no longer needed is taken out


@pytest.mark.parametrize("package", LAYERED, ids=lambda package: package.name)
def test_every_room_says_what_it_owns_and_imports_what_it_says(package: Package) -> None:
    pairs = between(package, arrows(package))
    for layer in package.layers:
        for room in layer:
            text = package.docstring(room)
            assert text, room
            if not (package.folder / room).is_dir() or not room:
                continue
            said = re.search(r"^May import: (.+?)\.$", text, re.MULTILINE)
            assert said is not None, room
            assert "May not: " in text, room
            if said[1].startswith(("nothing", "every other room")):
                may = set() if said[1].startswith("nothing") else {other for _, other in pairs}
            else:
                may = set(re.split(r", (?:and )?| and ", said[1]))
            assert {other for one, other in pairs if one == room} <= may, room


def test_adapters_use_what_is_open_to_them_and_the_core_knows_no_adapter() -> None:
    used = {arrow for arrow in arrows(ADAPTERS, CORE) if arrow.target.startswith("stream_guard.")}
    closed = [arrow for arrow in used if CORE.room(arrow.target) not in OPEN]
    assert not closed
    assert not [arrow for arrow in arrows(CORE, ADAPTERS) if arrow.target.startswith(ADAPTERS.name)]


def test_what_is_open_to_adapters_is_used_by_one() -> None:
    import stream_guard.spi

    text = "".join(path.read_text(encoding="utf-8") for path in (*ADAPTERS.modules.values(), *Path("demo_server").glob("*.py")))
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
