"""The project itself: what importing costs, what the pages say, and that they say it of this code."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from collections.abc import Iterable
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import stream_guard
from benchmarks.repair import CONTESTANTS
from docs.__main__ import PRINTED
from docs.pages import EXAMPLES
from stream_guard import Limits, Tool
from stream_guard.toolset.arguments import check_arguments
from stream_guard.values.wording import RULES
from tests.kit.command import python

ROOT = Path(__file__).parents[2]
WAIT = ("stream/guarded.py", "stream/source.py", "stream/turn.py", "stream/work.py", "running/awaiting.py", "testing.py")
HEAVY = {
    "openai",
    "anthropic",
    "starlette",
    "sse_starlette",
    "httpx",
    "jsonschema",
    "msgspec",
    "pydantic",
    "stream_guard_adapters",
    "jsonschema_rs",
    "rapidfuzz",
    "asyncio",
    "logging",
}


def test_importing_the_guard_imports_no_sdk_no_framework_and_no_adapter() -> None:
    loaded = set(python("import sys, stream_guard; print(*{name.split('.')[0] for name in sys.modules})").split())
    assert not loaded & HEAVY


def test_what_only_a_block_that_failed_needs_is_loaded_with_the_first() -> None:
    """The fixes, and what reads other libraries' errors: a third of all that there is to load."""
    told = python(
        "import sys; from stream_guard import Guard; from stream_guard.tools.files import FILE_TOOLS\n"
        "late = ('stream_guard.fixes.engine', 'stream_guard.schema.other_errors', 'stream_guard.correct.correcting', 'regex')\n"
        "def scan(body): return [*Guard(FILE_TOOLS).scan(['```json\\n' + body + '\\n```\\n'])][-2].outcome\n"
        'print(scan(\'{"tool": "delete_file", "path": "a"}\'), [name in sys.modules for name in late])\n'
        'print(scan(\'{"tool": "delete_file", "path": 1}\'), [name in sys.modules for name in late])\n'
    )
    assert told == "valid [False, False, False, False]\nfailed [True, True, False, False]\n"


def test_a_command_loads_what_it_needs_and_none_of_the_others() -> None:
    aliens = {"proxy": "stream_guard_conformance", "chaos": "stream_guard_adapters", "check": "stream_guard_adapters"}
    for name, alien in aliens.items():
        told = python(
            "import sys; from stream_guard.command.cli import main\n"
            f"try: main([{name!r}, '--help'])\n"
            f"except SystemExit: print(any(name.startswith({alien!r}) for name in sys.modules))\n"
        )
        assert f"usage: stream-guard {name} " in told
        assert told.endswith("False\n"), name


@pytest.mark.parametrize(
    "server",
    [
        "from stream_guard_adapters.asgi import StreamGuardMiddleware; StreamGuardMiddleware(None, guard=Guard(FILE_TOOLS))",
        "from stream_guard_adapters.resume import *; ResumableStreams(MemoryStore(), Guard(FILE_TOOLS))",
    ],
)
def test_a_server_loads_it_as_it_starts(server: str) -> None:
    """The first broken block of a process makes no other stream wait."""
    loaded = python(
        f"import sys; from stream_guard import Guard; from stream_guard.tools.files import FILE_TOOLS\n{server}\n"
        "before = set(sys.modules)\n"
        'list(Guard(FILE_TOOLS).scan([\'```json\\n{"tool": "delete_file", path: 1,}\\n```\\n\']))\n'
        "print(*(name for name in set(sys.modules) - before if name.startswith('stream_guard')))\n"
    )
    assert loaded.split() == []


def test_the_demo_imports_what_its_extra_names() -> None:
    """A fresh machine has that, with what it brings, and a provider's client where there is a key for it; what another
    package brings today it may not bring tomorrow.
    """
    named = required("stream-guard-llm", "demo") | {"anthropic"}
    known = packages_distributions()
    for file in sorted((ROOT / "demo_server").rglob("*.py")):
        for name in imported(ast.parse(file.read_text(encoding="utf-8"))) - set(sys.stdlib_module_names) - {"demo_server"}:
            brought = name.startswith("stream_guard") or named.intersection(map(canonicalize_name, known[name]))
            assert brought, f"{file} imports {name}"


def required(package: str, extra: str) -> set[str]:
    """The packages that an extra of a package names, with the package's own and those of its extras that are named."""
    names: set[str] = set()
    for line in requires(package) or []:
        found = Requirement(line)
        if found.marker is not None and not found.marker.evaluate({"extra": extra}):
            continue
        names.add(canonicalize_name(found.name))
        if found.name == package:
            names = names.union(*(required(package, more) for more in found.extras))
    return names


def imported(tree: ast.AST) -> set[str]:
    """The packages that a module imports where it runs, at once or later."""
    if isinstance(tree, ast.If) and "TYPE_CHECKING" in ast.unparse(tree.test):
        return set().union(*map(imported, tree.orelse))
    if isinstance(tree, ast.ImportFrom):
        return set() if tree.level else {str(tree.module).partition(".")[0]}
    if isinstance(tree, ast.Import):
        return {name.name.partition(".")[0] for name in tree.names}
    return set().union(*map(imported, ast.iter_child_nodes(tree)))


def test_only_the_shell_awaits() -> None:
    """The core is synchronous: `async` and `await` stand in four modules, and in the kit for tests."""
    for file in sorted((ROOT / "stream_guard").rglob("*.py")):
        code = file.read_text(encoding="utf-8")
        tree = ast.parse(code if re.search(r"\b(?:async|await)\b", code) else "")
        waits = [
            node for node in ast.walk(tree) if isinstance(node, ast.Await | ast.AsyncFor | ast.AsyncWith | ast.AsyncFunctionDef)
        ]
        assert not waits or str(file.relative_to(ROOT / "stream_guard")) in WAIT, file


def test_the_public_names_are_all_there_and_each_says_what_it_is() -> None:
    assert sorted(stream_guard.__all__, key=lambda name: (name != name.upper(), name)) == stream_guard.__all__
    for name in stream_guard.__all__:
        thing = getattr(stream_guard, name)
        if isinstance(thing, type) or inspect.isfunction(thing):
            assert thing.__doc__, name


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "docs/guard.md",
        "docs/tools.md",
        "docs/running.md",
        "docs/streams.md",
        "docs/testing.md",
        "docs/batch.md",
        "docs/dialects.md",
    ],
)
def test_the_examples_on_the_pages_run_and_print_what_they_say(page: str) -> None:
    lines = r"((?:(?!```).*\n)*)"
    examples = re.findall(
        f"^```python\n{lines}```\n\n```text\n{lines}```", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE
    )
    assert examples
    for code, output in examples:
        assert python(code) == output


@pytest.mark.parametrize("path", PRINTED, ids=lambda path: path.name)
def test_a_printed_page_is_what_the_code_prints(path: Path) -> None:
    """Also the event types of the browser's client."""
    same = path.read_text(encoding="utf-8") == PRINTED[path]()
    assert same, f"{path.relative_to(ROOT)} is not what the code prints: run `make docs`, and read the difference"


def test_the_page_of_hints_has_every_rule_that_has_words() -> None:
    rules = {key for key in RULES if "." not in key}
    assert set(EXAMPLES) == {*rules, "required", "type", "additionalProperties", "unevaluatedProperties"}
    for rule, (schema, value) in EXAMPLES.items():
        tool = Tool("book", "", schema)
        (issue,) = check_arguments(tool, {} if value is ... else {"n": value}, Limits())
        assert issue.constraint == rule


def test_the_commands_of_the_readme_are_targets_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    for page in ("README.md", "CONTRIBUTING.md"):
        for target in re.findall(r"(?:^ {4}|`)make ([a-z]+)", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE):
            assert target in targets, (page, target)
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "make test" in ci
    assert "make test" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_figures_of_the_readme_are_those_of_the_last_run() -> None:
    """`python -m benchmarks --write` puts them on the page of figures."""
    page = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
    shares = re.compile(r"^\| ([^|]+) \|" + r" ([\d.]+%) \|" * 9, re.MULTILINE)
    measured = shares.findall(page)
    told = shares.findall((ROOT / "README.md").read_text("utf-8"))
    assert told == measured
    assert len(told) == len(CONTESTANTS)


OF_ONE_SYSTEM = {"fcntl", "resource", "pty", "tty", "termios", "pwd", "grp", "msvcrt", "winreg"}
FOLDERS = ("stream_guard", "adapters", "demo_server", "conformance", "benchmarks", "docs", "tests")


def programs(*folders: str) -> Iterable[tuple[Path, str]]:
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path, path.read_text(encoding="utf-8")


def test_no_file_imports_what_only_one_system_has() -> None:
    """Inside of a function it may, where it says what to do without."""
    imports = re.compile(rf"^(?:import|from) (?:{'|'.join(OF_ONE_SYSTEM)})\b", re.MULTILINE)
    assert [path for path, code in programs(*FOLDERS) if imports.search(code)] == []
    assert imports.search('"""A module."""\nimport pwd\n')


def test_what_is_written_is_the_same_on_every_system() -> None:
    """Text is written with its line ends named; tests may write what nobody compares."""
    found = []
    for path, code in programs(*FOLDERS[:-1]):
        for node in ast.walk(ast.parse(code)) if re.search(r"\bwrite_text\b|\.\s*open\s*\(", code) else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                modes = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
                writes = node.func.attr == "write_text" or (node.func.attr == "open" and {"w", "a", "x"} & {*map(str, modes)})
                if writes and not any(keyword.arg == "newline" for keyword in node.keywords):
                    found.append(f"{path}:{node.lineno}")
    assert found == []
    assert "* text=auto eol=lf" in (ROOT / ".gitattributes").read_text(encoding="utf-8")


def test_what_make_clean_leaves_is_what_is_kept() -> None:
    """Whatever the project makes is ignored by git, and removed."""
    ignored = [line.strip("/") for line in (ROOT / ".gitignore").read_text(encoding="utf-8").split()]
    clean = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\nclean:")[2]
    assert [name for name in ignored if name.replace("/.venv", ".venv") not in clean and name != ".venv"] == []


def test_the_changelog_knows_this_version() -> None:
    assert f"## {stream_guard.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("folder", ["stream_guard", "adapters/stream_guard_adapters", "conformance/stream_guard_conformance"])
def test_the_packages_are_typed(folder: str) -> None:
    assert (ROOT / folder / "py.typed").exists()


def test_what_is_built_holds_the_three_packages_and_nothing_else(tmp_path: Path) -> None:
    """The wheel, not the tree: no demo server, no tests, no top-level `adapters`."""
    pytest.importorskip("hatchling", reason="hatchling is not installed; `make test` installs it")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*-py3-none-any.whl")
    names = subprocess.run(
        [sys.executable, "-m", "zipfile", "-l", str(wheel)], capture_output=True, text=True, check=True
    ).stdout
    tops = {line.split()[0].split("/")[0] for line in names.splitlines()[1:]}
    version = stream_guard.__version__
    assert tops == {
        "stream_guard",
        "stream_guard_adapters",
        "stream_guard_conformance",
        f"stream_guard_llm-{version}.dist-info",
    }
    assert "stream_guard/py.typed" in names
    assert "stream_guard_adapters/py.typed" in names
    assert "stream_guard_conformance/py.typed" in names
    corpus = ROOT / "conformance" / "stream_guard_conformance"  # whose rows are made from these, under the project's licence
    needed = [path for path in corpus.rglob("*") if path.suffix in (".py", ".json", ".txt")]
    held = {line.split()[0] for line in names.splitlines()[1:]}
    assert {str(path.relative_to(corpus.parent)) for path in needed} <= held
    assert f"stream_guard_llm-{version}.dist-info/licenses/LICENSE" in held
