"""The rooms of the packages and the imports between them, read from the code: for the page, and for the test that holds them.

An import counts wherever it stands: at the top of a module, under `TYPE_CHECKING`, or inside a function.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final, Literal, NamedTuple

from stream_guard.scan.states import TRANSITIONS

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
    """A package, and the layers of its rooms."""

    name: str
    folder: Path
    layers: tuple[tuple[str, ...], ...]
    """From the top down. A room imports rooms of lower layers only: none above it, and none beside it but the ones named."""

    beside: Mapping[tuple[str, str], str] = field(default_factory=dict, hash=False)
    """Imports of a room by one beside it, each with its reason."""

    entries: tuple[str, ...] = ()
    """Rooms that the picture shows as one."""

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
        return _docstring(there if there.exists() else self.folder / f"{room or '__init__'}.py")


OF_COMMANDS: Final = ("command",)
"""The rooms of which the page has every module in a table of their own: those of the command line."""

OPENED: Final = ("scan", "fixes", "toolset", "judge", "correct", "stream")
"""The rooms of which the page has every module: those on the way from a delta to an event."""

CORE: Final = Package(
    "stream_guard",
    ROOT / "stream_guard",
    (
        ("__main__", "spi"),
        ("command",),
        ("",),
        ("calls", "elsewhere", "guard", "json_tool_block", "testing"),
        ("stream",),
        ("correct",),
        ("judge",),
        ("codegen", "tools", "wire"),
        ("running",),
        ("fixes",),
        ("toolset",),
        ("grammars",),
        ("scan", "schema"),
        ("dialects",),
        ("values",),
    ),
)

ENTRIES: Final = (
    "anthropic", "asgi", "batch", "bridges", "call_counts", "events", "litellm", "mcp_server", "openai", "proxy",
    "pytest_plugin", "reach", "resume", "sse", "targets", "telemetry", "uploads", "virtual_time",
)  # fmt: skip
"""What users import of the adapters, one for each provider, framework or server."""

ADAPTERS: Final = Package(
    "stream_guard_adapters",
    ROOT / "adapters" / "stream_guard_adapters",
    (("", *ENTRIES), ("cassettes", "model_corrector"), ("engine",), ("protocols",)),
    {
        ("proxy", "asgi"): "the gateway is the middleware around a client of the provider",
        ("proxy", "call_counts"): "one entry module in four files",
        ("proxy", "targets"): "one entry module in four files",
        ("proxy", "uploads"): "one entry module in four files",
        ("resume", "sse"): "a resumable stream keeps the events that this entry module makes",
    },
    ENTRIES,
)

OPEN: Final = ("", "spi", "testing", "tools", "wire")
"""What the adapters may import of the core: its public names, and these modules."""

TABLES_USE: Final = ("", "wire")
"""What the tables of protocols may import of the core."""

NAMED: Final[Mapping[tuple[str, str], str]] = {
    ("stream_guard.toolset.tool", "stream_guard.toolset.sources"): (
        "`Tool.of` calls `sources`, and `sources` makes `Tool`s, so each imports the other."
    ),
}
"""Imports that close a circle, and why they stay."""


@cache
def _docstring(path: Path) -> str:
    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""


@cache
def arrows(package: Package, *others: Package) -> tuple[Arrow, ...]:
    """Every import, of any kind, between modules of a package, and from it to `others`."""
    known = {name for one in (package, *others) for name in one.modules}
    found: list[Arrow] = []
    for name, path in package.modules.items():
        ways = ((target, kind) for told, kind in _imports(name, path) for target in _known(told, known))
        found += dict.fromkeys(Arrow(name, target, kind) for target, kind in ways if target != name)
    return tuple(found)


@cache
def _imports(name: str, path: Path) -> tuple[tuple[str, Kind], ...]:
    """What a module imports, by full names, and where."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]

    def walk(node: ast.AST, kind: Kind) -> Iterator[tuple[str, Kind]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                continue  # no import stands in one
            if isinstance(child, ast.Import):
                yield from ((alias.name, kind) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                base = child.module or ""
                if child.level:
                    above = package.split(".")[: len(package.split(".")) - child.level + 1]
                    base = ".".join([*above, *([child.module] if child.module else [])])
                yield from ((f"{base}.{alias.name}", kind) for alias in child.names)
            elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                yield from walk(child, "deferred")
            elif isinstance(child, ast.If) and kind == "import" and "TYPE_CHECKING" in ast.unparse(child.test):
                yield from walk(child, "type")
            else:
                yield from walk(child, kind)

    return tuple(walk(ast.parse(path.read_text(encoding="utf-8")), "import"))


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
    both = {package: between(package, arrows(package)) for package in (CORE, ADAPTERS)}
    lines = [
        "# Architecture",
        "",
        "Printed from the imports of the code by `python -m docs`; do not edit.",
        "",
        "Both packages are split into rooms. A room imports rooms below it, none above it, and none beside it but for the",
        "exceptions named here. `tests/project/test_rooms.py` holds that for every import: at the top of a module, under",
        "`TYPE_CHECKING`, and inside a function. The pictures show the arrows that others do not imply.",
        "",
        "## The core",
        "",
        f"`stream_guard` has {len(CORE.modules)} modules, and {len(both[CORE])} arrows between its rooms.",
        "",
        *_picture(CORE, both[CORE]),
        "",
        *_table(CORE, both[CORE]),
        "",
        "The modules of the rooms that a block goes through, from its first character to its event:",
        "",
        *_modules(CORE, OPENED),
        "",
        "The modules of the command line:",
        "",
        *_modules(CORE, OF_COMMANDS),
        "",
        "Circles between modules, each with its reason:",
        "",
        *(f"- `{one}` and `{other}`: {reason}" for (one, other), reason in NAMED.items()),
        "",
        "## The adapters",
        "",
        f"`stream_guard_adapters` has {len(ADAPTERS.modules)} modules, and {len(both[ADAPTERS])} arrows between its rooms.",
        f"They import the public names of `stream_guard`, {', '.join(f'`stream_guard.{name}`' for name in OPEN if name)},",
        "and nothing else of it; `protocols` imports the public names and `wire` only. The core never imports an adapter.",
        "An entry module imports no other, but for these:",
        "",
        *(f"- `{one}` imports `{other}`: {reason}." for (one, other), reason in ADAPTERS.beside.items()),
        "",
        *_picture(ADAPTERS, both[ADAPTERS]),
        "",
        *_table(ADAPTERS, both[ADAPTERS]),
        "",
        "## The scanner",
        "",
        "The states of the scanner and the transitions between them (`TRANSITIONS` in `stream_guard/scan/states.py`):",
        "",
        "```mermaid",
        *diagram(),
        "```",
    ]
    return "\n".join(lines) + "\n"


def _picture(package: Package, pairs: set[tuple[str, str]]) -> Iterator[str]:
    """The arrows between rooms that others do not imply, a line for each room, from the top down."""

    def shown(room: str) -> str:
        return "entries" if room in package.entries else room

    drawn = _reduced({(shown(one), shown(other)) for one, other in pairs if one and other and shown(one) != shown(other)})
    yield "```mermaid"
    yield "flowchart TD"
    for room in dict.fromkeys(shown(room) for layer in package.layers for room in layer):
        below = sorted(other for one, other in drawn if one == room and room != "__main__")
        if below:
            yield f"    {room} --> {' & '.join(below)}"
    yield "```"


def _table(package: Package, pairs: set[tuple[str, str]]) -> Iterator[str]:
    yield "| room | what it owns | imports |"
    yield "|---|---|---|"
    for layer in package.layers:
        for room in layer:
            below = ", ".join(f"`{other}`" for one, other in sorted(pairs) if one == room and other) or "nothing"
            yield f"| `{room or package.name}` | {_claim(package.docstring(room))} | {below} |"


def _modules(package: Package, rooms: Sequence[str]) -> Iterator[str]:
    yield "| module | what it owns |"
    yield "|---|---|"
    for room in rooms:
        for path in sorted((package.folder / room).glob("[!_]*.py")):
            yield f"| `{room}/{path.name}` | {_claim(_docstring(path))} |"


def _claim(docstring: str) -> str:
    """The first paragraph of a docstring, as the cell of a table."""
    return " ".join(docstring.split("\n\n")[0].split()).replace("|", "\\|")


def diagram() -> list[str]:
    """The lines of the scanner's state diagram, from its table."""
    lines = ["stateDiagram-v2", "    [*] --> START"]
    for state, ways in TRANSITIONS.items():
        together: dict[str, list[str]] = {}
        for seen, after in ways.items():
            together.setdefault(after.name, []).append(seen.value)
        lines += [f"    {state.name} --> {after}: {' / '.join(seen)}" for after, seen in together.items()]
    return lines


def _reduced(pairs: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """The pairs that do not follow from others."""
    after: dict[str, set[str]] = {}
    for one, other in pairs:
        after.setdefault(one, set()).add(other)

    def reaches(one: str, other: str) -> bool:
        return any(step == other or reaches(step, other) for step in after.get(one, ()))

    return {(one, other) for one, other in pairs if not any(reaches(step, other) for step in after[one] if step != other)}
