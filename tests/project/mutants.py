"""Change the code in thousands of small ways, and see whether its own tests notice. `make mutants`.

What is changed: how a stream is read, how a block is mended, and the limits. Each mutant runs in a process of its own, which
imports the changed module anew: so what runs at import is changed too. mutmut says what to change; the tests are those that a
module calls its own, without the rest of the suite.

Not every mutant can be noticed: some change nothing. Those are listed in `tests/project/survivors.jsonl`, each with its reason.
One that lives and is not listed ends the run with an error; `--stale` prints the rows whose code is gone. What a run noticed
the next does not run again unless the function has changed; `--again` does.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib.abc
import importlib.util
import json
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]
LISTED: Final = ROOT / "tests" / "project" / "survivors.jsonl"
KEPT: Final = ROOT / ".mutants.jsonl"

READING: Final = (
    "core/scan/test_scanner.py",
    "core/scan/test_fences.py",
    "core/dialects/test_cursor.py",
    "core/test_guard.py",
    "promises/test_outcomes.py::test_streams_are_scanned_as_they_were",
)
MENDING: Final = ("core/fixes/test_engine.py", "promises/test_outcomes.py::test_blocks_are_mended_as_they_were")
DOUBTS: Final = ("core/fixes/test_lines.py", "core/fixes/test_brackets.py", "promises/test_two_readings.py")
OWN: Final = {
    **{f"scan/{name}.py": READING for name in ("block_reader", "held_block", "prose_reader", "scanner", "stream_text")},
    "dialects/cursor.py": READING,
    "values/limits.py": (*READING, *MENDING),
    "values/fix.py": MENDING,
    **{f"fixes/{name}.py": MENDING for name in ("catalogue", "engine", "frame", "gate", "records", "shared_damage", "undo")},
    "fixes/checks.py": ("core/fixes/test_checks.py", *DOUBTS, *MENDING),
    "fixes/doubts.py": (*DOUBTS, *MENDING),
    **{f"fixes/{name}.py": (f"core/fixes/test_{name}.py", *DOUBTS, *MENDING) for name in ("line_breaks", "widths")},
    "fixes/swallowed.py": ("core/fixes/test_swallowed.py", *DOUBTS, *MENDING),
    **{f"fixes/{name}.py": (f"core/fixes/test_{name}.py", *MENDING) for name in ("grammar", "reader", "shape", "strings")},
}
"""The tests that are a module's own, quickest first."""

SECONDS: Final = 120
"""How long the tests may work for one mutant; without a change they take a sixth of it."""

MEMORY: Final = 4 << 30


@dataclass(frozen=True)
class Mutant:
    """One change."""

    module: str
    function: str
    number: int
    of: str  # a digest of the function: what was found of another is not known of this one
    tree: Any
    change: Any

    @property
    def name(self) -> str:
        return f"{self.module}:{self.function}:{self.number}:{self.of}"

    def source(self) -> str:
        """The whole module, changed. This takes a while, so it is done when it is wanted."""
        return str(self.tree.deep_replace(self.change.original_node, self.change.mutated_node).code)

    def lines(self) -> tuple[str, str]:
        """What it changes: the first line that differs, before and after."""
        function = self.change.contained_by_top_level_function  # a part of the module is printed sooner than the whole
        changed = function.deep_replace(self.change.original_node, self.change.mutated_node)
        was, now = (self.tree.code_for_node(node).splitlines() for node in (function, changed))
        return next(((one.strip(), other.strip()) for one, other in zip(was, now, strict=False) if one != other), ("", ""))


def mutants(module: str) -> list[Mutant]:
    """Every mutant of a module."""
    from mutmut.mutation.file_mutation import create_mutations

    path = ROOT / "stream_guard" / module
    tree, changes, _, _ = create_mutations(str(path), path.read_text(encoding="utf-8"))
    owners = {
        node: (name, hashlib.sha256(tree.code_for_node(node).encode()).hexdigest()[:8]) for name, node in _functions(tree.body)
    }
    numbers: Counter[str] = Counter()
    found = []
    for change in changes:
        owner = owners.get(change.contained_by_top_level_function)
        if owner is not None:  # else it is a text of an Enum, or the like
            function, of = owner
            numbers[function] += 1
            found.append(Mutant(module, function, numbers[function], of, tree, change))
    return found


def _functions(body: Sequence[Any], owner: str = "") -> Iterator[tuple[str, Any]]:
    import libcst

    for node in body:
        if isinstance(node, libcst.FunctionDef):
            yield owner + node.name.value, node
        elif isinstance(node, libcst.ClassDef):
            yield from _functions(node.body.body, f"{owner}{node.name.value}.")


class _Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Has one module imported as changed."""

    def __init__(self, mutant: Mutant) -> None:
        self._name = "stream_guard." + mutant.module.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
        self._path = str(ROOT / "stream_guard" / mutant.module)
        self._source = mutant.source()

    def find_spec(self, name: str, path: object, target: object = None) -> ModuleSpec | None:
        if name != self._name:
            return None
        within = [str(Path(self._path).parent)] if self._path.endswith("__init__.py") else None
        return importlib.util.spec_from_file_location(name, self._path, loader=self, submodule_search_locations=within)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self._source, self._path, "exec"), module.__dict__)


def lives(mutant: Mutant | None, module: str) -> bool:
    """Whether the tests pass with this change; to be called in a process of its own."""
    import resource  # deferred: not every system has it

    import pytest

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    signal.alarm(3 * SECONDS)
    assert not any(name.split(".")[0] == "stream_guard" for name in sys.modules), "it was imported before it could be changed"
    if mutant is not None:
        sys.meta_path.insert(0, _Changed(mutant))
    os.environ.update(WHOLE="1", EXAMPLES="25", HARM="150", EVERY="4", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    quiet = ["-x", "-q", "--no-header", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    options = ["-p", "pytest_asyncio.plugin", "-k", "not real_code"]  # those take long, and find no more
    return pytest.main([*quiet, *options, *(f"tests/{own}" for own in OWN[module])]) == 0


def _started(mutant: Mutant | None, module: str) -> int:
    """A process that ends with 0 when the tests noticed nothing."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        if mutant is not None:
            for stream in (1, 2):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
        code = 0 if lives(mutant, module) else 1
    finally:
        sys.stdout.flush()
        os._exit(code)


def alive(todo: Sequence[Mutant], jobs: int) -> Iterator[tuple[Mutant, bool]]:
    """Each mutant, and whether it lived."""
    running: dict[int, Mutant] = {}
    waiting = list(reversed(todo))
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                mutant = waiting.pop()
                running[_started(mutant, mutant.module)] = mutant
            child, status = os.wait()
            yield running.pop(child), status == 0
    finally:
        for child in running:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)


def listed() -> dict[tuple[str, str, str, str], str]:
    """The changes that nobody can or need notice, and why: by module, function, and the line before and after."""
    rows = [json.loads(line) for line in LISTED.read_text(encoding="utf-8").splitlines()] if LISTED.exists() else []
    return {(row["module"], row["function"], row["before"], row["after"]): row["why"] for row in rows}


def stale(modules: Sequence[str]) -> list[dict[str, str]]:
    """The rows of the list that say nothing any more: the code that they name is gone, or has changed."""
    rows = [json.loads(line) for line in LISTED.read_text(encoding="utf-8").splitlines()]
    made: dict[tuple[str, str], list[Mutant]] = {}
    for module in {row["module"] for row in rows if not modules or row["module"] in modules}:
        for mutant in mutants(module) if (ROOT / "stream_guard" / module).exists() else ():
            made.setdefault((module, mutant.function), []).append(mutant)
    found: list[dict[str, str]] = []
    for row in rows:
        if not modules or row["module"] in modules:
            of = made.get((row["module"], row["function"]), [])
            if not any(mutant.lines() == (row["before"], row["after"]) for mutant in of):
                found.append(row)
    return found


def _kept(path: Path) -> dict[str, bool]:
    """What was found before, of each whether it lived."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    return {row["name"]: row["lives"] for row in rows}


def main() -> int:
    """Run them, and say how many were noticed."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("modules", nargs="*", help="such as scan/scanner.py or fixes/reader.py; all when none is named")
    options.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options.add_argument("--again", action="store_true", help="run those too that an earlier run has noticed")
    options.add_argument("--stale", action="store_true", help="run none; print the rows of the list whose code is gone")
    given = options.parse_args()
    import hypothesis  # noqa: F401 - what every process needs is imported once
    import jiter  # noqa: F401
    import jsonschema_rs  # noqa: F401
    import regex  # noqa: F401

    os.chdir(ROOT)
    sys.path[:0] = [str(ROOT), str(ROOT / "adapters")]
    if given.stale:
        gone = stale(given.modules)
        for row in gone:
            print(json.dumps(row, ensure_ascii=False))
        return 1 if gone else 0
    every = [mutant for module in given.modules or OWN for mutant in mutants(module)]
    for module in given.modules or OWN:  # where they fail without a change, they notice nothing
        if os.waitpid(_started(None, module), 0)[1] != 0:
            print(f"the tests of {module} fail without a change")
            return 2
    before = {} if given.again else _kept(KEPT)
    found = {mutant.name: False for mutant in every if before.get(mutant.name) is False}
    todo = [mutant for mutant in every if mutant.name not in found]
    began = time.monotonic()
    known, strangers = listed(), 0
    with KEPT.open("a", encoding="utf-8") as file:
        for done, (mutant, lived) in enumerate(alive(todo, given.jobs), 1):
            found[mutant.name] = lived
            file.write(json.dumps({"name": mutant.name, "lives": lived}) + "\n")
            file.flush()
            if done % 50 == 0:
                each = (time.monotonic() - began) / done
                print(f"{done:,} of {len(todo):,}, {each * (len(todo) - done) / 60:.0f} min left", flush=True)
            if lived and (mutant.module, mutant.function, *mutant.lines()) not in known:
                strangers += 1
                print(mutant.name, *mutant.lines(), sep="\n    ", flush=True)
    for module in given.modules or OWN:
        of = [lived for name, lived in found.items() if name.startswith(f"{module}:")]
        print(f"{module:20} {len(of):5,} mutants, {sum(of):3} live, {1 - sum(of) / max(len(of), 1):.1%} noticed")
    share = 1 - sum(found.values()) / len(found)
    print(f"{len(found):,} mutants, {sum(found.values()):,} live, {share:.1%} noticed")
    print(f"{strangers} live that {LISTED.name} does not list")
    return 1 if strangers else 0


if __name__ == "__main__":
    sys.exit(main())
