"""Every command on the pages is run, in a folder that has what it speaks of; or, where it takes long or needs a registry, it is
seen that it would run.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import metadata
from itertools import chain
from pathlib import Path

import pytest

from tests.kit.command import command as cli
from tests.kit.javascript import INSTALLS, installed
from tests.kit.lessons import BASES

ROOT = Path(__file__).parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "benchmarks/README.md", "adapters/js/README.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]
HEADS = r"(?:make|stream-guard|python|\.venv/bin/python|pip|npm)"
COMMAND = re.compile(rf"^ {{4}}({HEADS} [^\n]*)|`({HEADS} [^`\n]*)`", re.MULTILINE)


def commands() -> list[str]:
    """Every command, once, without what is said of it."""
    found: dict[str, None] = {}
    for page in PAGES:
        for indented, inline in COMMAND.findall(page.read_text(encoding="utf-8")):
            found[re.sub(r"\s+#.*", "", indented or inline)] = None
    return list(found)


COMMANDS = commands()
REPLY = 'Hi.\n\n```json\n{"tool": "delete_file", "path": "a"}\n```\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What the pages' commands speak of."""
    for name in ("replies", "cassettes", "lessons", "tests/cassettes"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "replies" / "one.txt").write_text(REPLY, encoding="utf-8")
    chunk = {"choices": [{"index": 0, "delta": {"content": REPLY}, "finish_reason": "stop"}]}
    for name in ("recorded.sse", "dump.sse"):
        (tmp_path / name).write_text(f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n", encoding="utf-8")
    for name in ("recorded.jsonl", "cassettes/hello.jsonl"):
        (tmp_path / name).write_text(json.dumps(REPLY), encoding="utf-8")
    page = (ROOT / "docs" / "conformance.md").read_text(encoding="utf-8")
    (tmp_path / "my_module.py").write_text(page.partition("```python\n")[2].partition("```")[0], encoding="utf-8")
    (tmp_path / "my_app.py").write_text("from stream_guard.tools.files import FILE_TOOLS as TOOLS\n", encoding="utf-8")
    headers = {"Content-Type": ["text/event-stream"]}
    body = {"string": (tmp_path / "dump.sse").read_text(encoding="utf-8")}
    cassette = {"interactions": [{"response": {"headers": headers, "body": body}}]}
    for name in ("cassettes", "tests/cassettes"):
        (tmp_path / name / "one.yaml").write_text(json.dumps(cassette), encoding="utf-8")  # JSON is YAML
    for name in ("lessons/one.json", "a.json"):
        (tmp_path / name).write_text(json.dumps(next(iter(BASES.values()))), encoding="utf-8")
    answer = {"response": {"body": {"choices": [{"message": {"content": REPLY}}]}}}
    (tmp_path / "answers.jsonl").write_text(json.dumps(answer), encoding="utf-8")
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.table({"text": [REPLY]}), tmp_path / "replies.parquet")
    return tmp_path


def environment(folder: Path) -> dict[str, str]:
    """The variables with which a command finds the packages, and the modules of the folder."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "adapters"), str(folder)])}


def run(arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        arguments,
        shell=True,
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        stdin=-3,
    )


Program = Callable[[str, Path], "subprocess.CompletedProcess[str]"]
"""Runs a module with arguments, both as `python -m` takes them, in a folder."""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """Each run is a process of its own, which begins with the package imported (see tests/kit/forked.py)."""
    started = subprocess.Popen(
        [sys.executable, "-P", ROOT / "tests" / "kit" / "forked.py", "stream_guard.command.cli", "jsonschema_rs"],
        env=environment(tmp_path_factory.mktemp("empty")),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )

    def runs(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
        assert started.stdin is not None
        assert started.stdout is not None
        module, *arguments = shlex.split(line)
        asked = {"module": module, "arguments": arguments, "folder": str(folder), "variables": {}}
        print(json.dumps(asked), file=started.stdin, flush=True)
        told = json.loads(started.stdout.readline())
        return subprocess.CompletedProcess(line, told["code"], told["out"], told["err"])

    yield runs
    started.communicate()


def listening(line: str, folder: Path) -> str:
    """The line in which a server says where it listens; then it is stopped."""
    with subprocess.Popen(
        shlex.split(line), cwd=folder, env=environment(folder), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as server:
        assert server.stdout is not None
        said = server.stdout.readline()
        server.terminate()
        return said + server.stdout.read()


def test_the_tables_of_options_have_all_of_them(folder: Path) -> None:
    """Those of the gateway, and those that say how a reply is read."""

    def told(page: str, heading: str) -> set[str]:
        section = (ROOT / "docs" / page).read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
        return set(
            re.findall(r"--[a-z-]+", "".join(row.split("|")[1] for row in re.findall(r"^\| `--.*$", section, re.MULTILINE)))
        )

    def taken(name: str) -> set[str]:
        usage = cli(name, "--help", folder=folder).stdout.partition("\noptions:")[0]
        return set(re.findall(r"--[a-z-]+", usage))

    assert told("streams.md", "Gateway") == taken("proxy")
    assert told("commands.md", "How a reply is read") == {"--reasoning", "--languages", "--dialects"} <= taken("watch")


def test_the_pages_have_commands() -> None:
    assert len(COMMANDS) > 30
    assert {command.split()[0] for command in COMMANDS} == {"make", "stream-guard", "python", ".venv/bin/python", "pip", "npm"}


OURS = [command for command in COMMANDS if command.startswith("stream-guard ")]
FIRST = set({command.split()[1]: command for command in reversed(OURS)}.values())
"""The first line of each command, which runs in a process of its own."""


@pytest.mark.parametrize("command", OURS)
def test_the_command_line_does_what_the_pages_say(command: str, folder: Path, program: Program) -> None:
    arguments = command.partition(" ")[2]
    if arguments in ("check", "watch"):  # the command as such is spoken of
        arguments += " recorded.jsonl"
    if arguments == "conform":
        arguments += " --only by-hand"  # all of it takes a minute
    if arguments.startswith("conform --command"):
        return  # `tests/conformance/test_conform.py` runs it, with the packages of Node
    arguments = re.sub(r"--(events|damaged) (?:N|\d+)", r"--\1 8", arguments)  # those of the pages take seconds
    if arguments == "proxy":
        arguments += " --upstream https://api.example.com"
    if arguments == "attack":
        arguments += " my_app:TOOLS"
    if arguments.startswith("attack"):
        arguments += " --blocks 40 --processes 0"
    if arguments == "chaos":
        arguments += " http://127.0.0.1:8000"
    if arguments.startswith(("proxy", "chaos")):
        line = f"{shlex.quote(sys.executable)} -m stream_guard {arguments.replace(' URL', ' http://127.0.0.1:8000')}"
        assert "://127.0.0.1:" in listening(f"{line} --port 0", folder)
        return
    named = (sorted(map(str, folder.glob(word))) if "*" in word else [word] for word in shlex.split(arguments))
    words = [*chain.from_iterable(named)]
    done = program(shlex.join(["stream_guard", *words]), folder) if command in FIRST else cli(*words, folder=folder)
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("command", [command for command in COMMANDS if command.startswith("make ")])
def test_every_word_of_make_would_run(command: str, program: Program) -> None:
    """Of its recipe each program of Python is there, and takes what it is given."""
    done = run(f"make --dry-run --no-print-directory {command.partition(' ')[2]}", ROOT)
    assert done.returncode == 0, done.stderr
    recipe = done.stdout.replace("\\\n", " ").splitlines()
    assert recipe
    for line in recipe:
        runs = re.search(r"\.venv/bin/python -m (\S+)(.*)", line)
        if runs is None or " pip " in line or "npm" in line:
            continue
        if runs[1] == "pytest":
            assert all((ROOT / name).exists() for name in re.findall(r"tests/[\w/]+\.py", runs[2])), line
        elif runs[1] not in ("docs", "venv", "coverage", "hatchling"):
            told = program(f"{runs[1]} {runs[2]} --help", ROOT)
            assert told.returncode == 0, told.stdout[-500:] + told.stderr[-2_000:]


@pytest.mark.parametrize("command", [command for command in COMMANDS if "python " in command.partition(" ")[0] + " "])
def test_every_program_is_there_and_takes_what_it_is_given(command: str, program: Program) -> None:
    """Those that print pages print what is there: `tests/project/test_project.py` and others hold them against it."""
    arguments = command.partition(" -m ")[2].replace(" URL", " redis://127.0.0.1")
    name = arguments.partition(" ")[0]
    if name == "docs" or ".test_" in name:
        import_module("docs.__main__" if name == "docs" else name)
        return
    if not name:  # the interpreter as such is spoken of
        done = run(f"{shlex.quote(sys.executable)} --help", ROOT)
    else:
        done = program("venv --help" if name == "venv" else f"{arguments} --help", ROOT)
    assert done.returncode == 0, done.stderr
    assert name.startswith("tests.") or "usage" in done.stdout.lower()


@pytest.mark.parametrize("command", [command for command in COMMANDS if command.startswith("pip ")])
def test_what_is_to_be_installed_is_what_this_package_is_called(command: str) -> None:
    """From an index by its name, or from a folder: a clone is called as the repository is."""
    found = re.fullmatch(r'pip install "?([a-z-]+|\.|\.{1,2}/stream_guard)(?:\[([a-z,]+)\])?"?(?: uvicorn)?', command)
    assert found is not None
    name, extra = found.groups()
    about = metadata("stream-guard-llm")
    assert name in (about["Name"], ".", "./stream_guard", "../stream_guard")
    assert set((extra or "").split(",")) - {""} <= set(about.get_all("Provides-Extra") or ())


@pytest.mark.parametrize("command", [command for command in COMMANDS if command.startswith("npm install ")])
def test_the_browsers_client_can_be_installed_from_here(command: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert command == INSTALLS
    assert (installed(tmp_path_factory) / "node_modules" / "stream-guard-client" / "cjs" / "index.d.ts").exists()
