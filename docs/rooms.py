"""The rooms of the packages and the imports between them, read from the code: for the page, and for the test that holds them.

An import counts wherever it stands: at the top of a module, under `TYPE_CHECKING`, or inside a function.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, Literal, NamedTuple

ROOT: Final = Path(__file__).parent.parent

Kind = Literal["import", "type", "deferred"]
"""Where an import stands: at the top of a module, under `TYPE_CHECKING`, or inside a function."""


class Arrow(NamedTuple):
    """One import of one module by another, each by its full name."""

    source: str
    target: str
    kind: Kind


@dataclass(frozen=True)
class Package:
    """A package, and the layers its rooms stand in."""

    name: str
    folder: Path
    layers: tuple[tuple[str, ...], ...]
    """From the top down. A room imports rooms of lower layers only: none above it, and none beside it."""

    @property
    def modules(self) -> Mapping[str, Path]:
        """Every module by its full name, and its file."""
        found = {}
        for path in sorted(self.folder.rglob("*.py")):
            parts = (self.name, *path.relative_to(self.folder).with_suffix("").parts)
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
        return found

    def room(self, module: str) -> str:
        """The room of a module: its first part below the package; `` for the package's own `__init__`."""
        return module.removeprefix(self.name).lstrip(".").partition(".")[0]

    def level(self, room: str) -> int:
        """How high a room stands. Raises KeyError for one that is in no layer."""
        for height, layer in enumerate(reversed(self.layers)):
            if room in layer:
                return height
        raise KeyError(f"{self.name}: the room {room!r} is in no layer of docs/rooms.py")

    def docstring(self, room: str) -> str:
        """The docstring of a room, or of the module that is one by itself."""
        there = self.folder / room / "__init__.py"
        path = there if there.exists() else self.folder / f"{room or '__init__'}.py"
        return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""


CORE: Final = Package(
    "stream_guard",
    ROOT / "stream_guard",
    (
        ("__main__", "spi"),
        ("command",),
        ("",),
        ("calls", "guard", "json_tool_block", "testing"),
        ("stream",),
        ("correct",),
        ("judge",),
        ("codegen", "fixes", "tools"),
        ("toolset",),
        ("scan", "schema", "wire"),
        ("values",),
    ),
)

ADAPTERS: Final = Package("stream_guard_adapters", ROOT / "adapters" / "stream_guard_adapters", ())

OPEN: Final = ("", "spi", "testing", "tools", "wire")
"""What the adapters may import of the core: its public names, and these modules."""

NAMED: Final[Mapping[tuple[str, str], str]] = {
    ("stream_guard.toolset.tool", "stream_guard.toolset.sources"): (
        "`Tool.of` is a door: it makes a `Tool` from a function or a model, and what reads those makes `Tool`s."
    ),
}
"""Imports that close a circle, and why they stay."""


@cache
def arrows(package: Package, *others: Package) -> tuple[Arrow, ...]:
    """Every import, of any kind, between modules of a package, and from it to `others`."""
    known = {name for one in (package, *others) for name in one.modules}
    found: list[Arrow] = []
    for name, path in package.modules.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found += dict.fromkeys(
            Arrow(name, target, kind) for target, kind in _imports(tree, name, path, known) if target != name
        )
    return tuple(found)


def _imports(tree: ast.Module, name: str, path: Path, known: set[str]) -> Iterator[tuple[str, Kind]]:
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]

    def walk(node: ast.AST, kind: Kind) -> Iterator[tuple[str, Kind]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                yield from ((target, kind) for alias in child.names for target in _known(alias.name, known))
            elif isinstance(child, ast.ImportFrom):
                base = child.module or ""
                if child.level:
                    above = package.split(".")[: len(package.split(".")) - child.level + 1]
                    base = ".".join([*above, *([child.module] if child.module else [])])
                for alias in child.names:
                    yield from ((target, kind) for target in _known(f"{base}.{alias.name}", known))
            elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                yield from walk(child, "deferred")
            elif isinstance(child, ast.If) and kind == "import" and "TYPE_CHECKING" in ast.unparse(child.test):
                yield from walk(child, "type")
            else:
                yield from walk(child, kind)

    return walk(tree, "import")


def _known(name: str, known: set[str]) -> Iterator[str]:
    """The module that a name is, or is in."""
    while name and name not in known:
        name = name.rpartition(".")[0]
    if name:
        yield name


def circles(arrows: Sequence[Arrow]) -> list[list[str]]:
    """The modules that import each other, directly or not, in groups. Tarjan's algorithm."""
    after: dict[str, list[str]] = {}
    for arrow in arrows:
        after.setdefault(arrow.source, []).append(arrow.target)
        after.setdefault(arrow.target, [])
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    groups: list[list[str]] = []

    def visit(module: str) -> None:
        number[module] = low[module] = len(number)
        stack.append(module)
        for target in after[module]:
            if target not in number:
                visit(target)
                low[module] = min(low[module], low[target])
            elif target in stack:
                low[module] = min(low[module], number[target])
        if low[module] == number[module]:
            at = stack.index(module)
            groups.append(sorted(stack[at:]))
            del stack[at:]

    for module in after:
        if module not in number:
            visit(module)
    return [group for group in groups if len(group) > 1]


def between(package: Package, found: Sequence[Arrow]) -> set[tuple[str, str]]:
    """The imports of a package between its rooms."""
    pairs = {(package.room(arrow.source), package.room(arrow.target)) for arrow in found}
    return {(one, other) for one, other in pairs if one != other}


def architecture() -> str:
    """The page of the rooms."""
    found = arrows(CORE)
    pairs = between(CORE, found)
    modules = CORE.modules
    lines = [
        "# Architecture",
        "",
        "Printed from the imports of the code by `python -m docs`; do not edit.",
        "",
        f"The package `stream_guard` has {len(modules)} modules in rooms. A room imports rooms below it, never one above it or",
        "beside it. `tests/project/test_rooms.py` holds that for every import: at the top of a module, under",
        f"`TYPE_CHECKING`, and inside a function. There are {len(pairs)} arrows between rooms; the picture shows those that",
        "others do not imply.",
        "",
        "```mermaid",
        "flowchart TD",
    ]
    drawn = sorted(_reduced({(one, other) for one, other in pairs if one and other and one != "__main__"}))
    lines += [f"    {one} --> {other}" for one, other in drawn]
    lines += ["```", "", "From the top down:", "", "| room | what it owns | imports |", "|---|---|---|"]
    for layer in CORE.layers:
        for room in layer:
            claim = " ".join(CORE.docstring(room).split("\n\n")[0].split()).replace("|", "\\|")
            below = ", ".join(f"`{other}`" for one, other in sorted(pairs) if one == room and other) or "nothing"
            lines.append(f"| `{room or 'stream_guard'}` | {claim} | {below} |")
    lines += ["", "Circles between modules, each with its reason:", ""]
    lines += [f"- `{one}` and `{other}`: {reason}" for (one, other), reason in NAMED.items()]
    lines += [
        "",
        "The adapters (`stream_guard_adapters`) import the public names of `stream_guard`, "
        + ", ".join(f"`stream_guard.{name}`" for name in OPEN if name)
        + ", and nothing else of it. The core never imports an adapter.",
    ]
    return "\n".join(lines) + "\n"


def _reduced(pairs: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """The pairs that do not follow from others."""
    after: dict[str, set[str]] = {}
    for one, other in pairs:
        after.setdefault(one, set()).add(other)

    def reaches(one: str, other: str) -> bool:
        return any(step == other or reaches(step, other) for step in after.get(one, ()))

    return {(one, other) for one, other in pairs if not any(reaches(step, other) for step in after[one] if step != other)}
