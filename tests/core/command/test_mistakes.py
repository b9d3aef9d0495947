"""What a person gets wrong on the command line is one clear line and an exit status, and what was not read is not counted."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from stream_guard.command.cli import OWN
from tests.kit.command import command, process

CALL = '```json\n{"tool": "delete_file", "path": "a"}\n```\n'
ROW = json.dumps({"text": CALL})
DEEP = "[" * 100_000


NAMES = """
from pydantic import BaseModel
EMPTY = None
class Half(BaseModel):
    x: "Undefined"
MODELS = [Half]
class Odd(BaseModel):
    def __get_pydantic_json_schema__(*_):
        raise LookupError("no such field")
class Gone(BaseModel):
    def __get_pydantic_json_schema__(*_):
        raise GeneratorExit
"""
"""A module of an app, some of whose names cannot be read."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files of every kind that cannot be read, and some that can."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("x", encoding="utf-8")
    files: dict[str, str | bytes] = {
        "good.txt": CALL,
        "prose.txt": "No call.\n",
        "empty.txt": "",
        "empty.sse": "",
        "empty.jsonl": "",
        "empty.json": "",
        "binary.txt": b"\xff\xfe\x00",
        "binary.jsonl": b"\x80\x81",
        "binary.sse": b"\x80\x81",
        "binary.json": b"\xff",
        "binary.yaml": b"\x80: [",
        "binary.parquet": b"\x80\x81",
        "deep.json": DEEP,
        "deep.jsonl": DEEP,
        "deep.sse": f"data: {DEEP}\n\n",
        "prose.sse": "Not a stream.\n",
        "foreign.sse": 'data: {"what": 1}\n\n',
        "foreign.jsonl": '{"what": 1}\n',
        "first.jsonl": f'{{"id": 1}}\n{ROW}\n',
        "later.jsonl": f"{ROW}\n{{\n{ROW}\n[]\n[]\n",
        "odd.json": '{"interactions": 3}',
        "odder.json": '{"interactions": [3]}',
        "zipped.json": json.dumps(
            {
                "interactions": [
                    {
                        "response": {
                            "headers": {"content-type": "text/event-stream", "content-encoding": "gzip"},
                            "body": {"base64_string": "H4sI"},
                        }
                    }
                ]
            }
        ),
        "fails.py": "1 / 0\n",
        "leaves.py": "raise SystemExit('bye')\n",
        "wrong.py": "def f(:\n",
        "none.py": "",
        "names.py": NAMES,
        "cancelled.py": "import asyncio\nraise asyncio.CancelledError('enough')\n",
        "wordless.py": "class NoText(Exception):\n    def __str__(self):\n        raise RuntimeError\nraise NoText\n",
        "steers.py": "raise ImportError('one\\ntwo\\x1b[31m')\n",
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return tmp_path


def run(folder: Path, *arguments: str, stdin: str | bytes = b"") -> subprocess.CompletedProcess[str]:
    return command(*arguments, folder=folder, stdin=stdin)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("check missing.txt", "missing.txt: No such file or directory"),
        ("check binary.txt", "binary.txt: not UTF-8 text: invalid byte at offset 0"),
        ("check binary.jsonl", "binary.jsonl: line 1 is not JSON"),
        ("check binary.parquet", "binary.parquet: not Parquet that can be read"),
        ("check deep.jsonl", "deep.jsonl: it is nested too deep"),
        ("check deep.sse", "deep.sse: it is nested too deep"),
        ("check prose.sse", "prose.sse: no server-sent events in it"),
        ("check foreign.sse", "foreign.sse: it has no event of a known protocol"),
        ("check foreign.jsonl", "name the column with --column"),
        ("check foreign.jsonl --column who", "foreign.jsonl: row 1: no column 'who'"),
        ("check folder", "folder: no files to check in this directory"),
        ("check good.txt --report folder", "folder: Is a directory"),
        ("check good.txt --tools fails:X", "cannot import fails: ZeroDivisionError: division by zero (fails.py, line 1)"),
        ("check good.txt --tools leaves:X", "cannot import leaves: SystemExit: bye"),
        ("check good.txt --tools wrong:X", "cannot import wrong: SyntaxError"),
        ("check good.txt --tools none:X", "the module none has no attribute 'X'"),
        ("check good.txt --tools names:EMPTY", "EMPTY in the module names is None"),
        ("check good.txt --tools names:Half", "names:Half: PydanticUserError: `TypeAdapter["),
        ("codegen names:MODELS", "names:MODELS: PydanticUserError: `TypeAdapter["),
        ("mcp --tools names:Half", "names:Half: PydanticUserError"),
        ("check good.txt --tools names:Odd", "names:Odd: LookupError: no such field (names.py, line 9)"),
        ("check good.txt --tools names:Gone", "names:Gone: GeneratorExit: "),
        ("check good.txt --tools cancelled:X", "cannot import cancelled: CancelledError: enough (cancelled.py, line 2)"),
        ("check good.txt --tools wordless:X", "cannot import wordless: NoText: its text cannot be read (wordless.py, line 4)"),
        ("check good.txt --tools steers:X", "cannot import steers: one two␛[31m"),
        ("check good.txt --tools deep.json", "deep.json: not JSON that can be read: it is nested too deep"),
        ("check good.txt --tools odd.json", "odd.json: entry 1: it has no name"),
        ("check good.txt --tools none.py:X", "none.py is a file; write none:X"),
        ("check good.txt --tools ./folder/none.py:X", "folder/none.py is a file; write folder.none:X"),
        ("check good.txt --tools /a/none.py:X", "/a/none.py is a file; write none:X in the folder /a"),
        ("proxy --upstream http://x --corrector none.py:X", "none.py is a file; write none:X"),
        ("watch missing.txt", "missing.txt: No such file or directory"),
        ("watch folder", "folder: Is a directory"),
        ("watch foreign.sse", "foreign.sse: it has no event of a known protocol"),
        ("codegen empty.json", "empty.json: not JSON"),
        ("codegen binary.json", "binary.json: not UTF-8 text"),
        ("codegen odd.json -o file", "odd.json"),
        ("completion tcsh", "invalid choice: 'tcsh'"),
        ("import prose.txt", "prose.txt: no stream: not one event of it is JSON"),
        ("import empty.sse", "empty.sse: no stream"),
        ("import missing.sse", "missing.sse: No such file or directory"),
        ("import folder", "folder: expected a VCR cassette"),
        ("import odd.json", "odd.json: not a recording that can be read"),
        ("import odder.json", "odder.json: not a recording that can be read"),
        ("import zipped.json", "zipped.json: not a recording that can be read"),
        ("import deep.json", "deep.json: not a recording that can be read"),
        ("import binary.yaml", "binary.yaml"),
        ("import foreign.sse -o file", "file"),
        ("lesson check missing.json", "missing.json: No such file or directory"),
        ("lesson check deep.json", "nested too deep"),
        ("lesson check binary.json", "not UTF-8 text"),
        ("mcp --tools none:X", "no attribute 'X'"),
        ("proxy --upstream http://x --port 99999", "a port must be a number from 0 to 65535, got '99999'"),
        ("proxy --upstream http://x --port -1", "a port must be a number"),
        ("proxy --upstream http://x --grace -1", "give a number of seconds, 0 or more"),
        ("proxy --upstream http://x --order x", "invalid choice: 'x'"),
        ("check good.txt --dialects fence,none", "see stream-guard check --help"),
        ("check", "stream-guard check: the following arguments are required: FILE; see stream-guard check --help"),
        ("nonsense", "invalid choice: 'nonsense'"),
        ("", "the following arguments are required: COMMAND"),
    ],
)
def test_a_mistake_is_one_clear_line(folder: Path, line: str, says: str) -> None:
    done = run(folder, *line.split())
    assert done.returncode == 2, done.stderr
    assert says in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert "usage:" not in done.stderr
    assert all(len(one) < 320 for one in done.stderr.splitlines())


@pytest.mark.parametrize(
    "line", ["check binary.txt", "import odd.json", "lesson check deep.json", "check good.txt --tools fails:X"]
)
def test_a_process_says_what_the_command_says_here(folder: Path, line: str) -> None:
    """The tests above call it in their own process."""
    alone, here = process(*line.split(), folder=folder), run(folder, *line.split())
    assert (alone.returncode, alone.stdout, alone.stderr) == (here.returncode, here.stdout, here.stderr)


def test_a_gateway_listens_nowhere_by_mistake(folder: Path) -> None:
    """An empty name would be every address of the machine."""
    done = run(folder, "proxy", "--upstream", "http://x", "--host", "")
    assert done.returncode == 2
    assert "give a host name or an IP address" in done.stderr


@pytest.mark.parametrize(
    ("files", "status", "summary"),
    [
        (["good.txt", "empty.txt"], 0, "1 block in 2 files: 1 passed, 0 failed"),
        (["good.txt", "missing.txt", "folder"], 2, "1 block in 1 file: 1 passed, 0 failed; 2 inputs could not be read"),
        (["first.jsonl"], 2, "1 block in 1 file: 1 passed, 0 failed; 1 input could not be read"),
        (["later.jsonl"], 2, "2 blocks in 2 replies of 1 file: 2 passed, 0 failed; 3 inputs could not be read"),
        (["foreign.jsonl", "prose.sse"], 2, "0 blocks in 0 files: 0 passed, 0 failed; 2 inputs could not be read"),
    ],
)
def test_what_was_not_read_is_counted_as_that(folder: Path, files: list[str], status: int, summary: str) -> None:
    done = run(folder, "check", *files)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (status, summary)


def test_every_row_that_was_not_read_is_named(folder: Path) -> None:
    assert run(folder, "check", "later.jsonl").stderr == (
        "stream-guard: later.jsonl: row 2: not JSON\nstream-guard: later.jsonl: rows 4 to 5: no column 'text'\n"
    )
    told = [json.loads(line) for line in run(folder, "check", "--json", "later.jsonl", "missing.txt").stdout.splitlines()]
    assert [(one["file"], one.get("row"), one.get("unreadable")) for one in told] == [
        ("later.jsonl", 1, None),
        ("later.jsonl", 2, "not JSON"),
        ("later.jsonl", 3, None),
        ("later.jsonl", 4, "no column 'text'"),
        ("later.jsonl", 5, "no column 'text'"),
        ("missing.txt", None, "No such file or directory"),
    ]
    holes = "".join("{\n" if number % 2 else f"{ROW}\n" for number in range(100))
    (folder / "holes.jsonl").write_text(holes, encoding="utf-8")
    assert "38, 40 and more, 50 in all: not JSON" in run(folder, "check", "holes.jsonl").stderr


def test_output_that_nobody_takes_is_told_as_that(folder: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no device that is always full")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "stream_guard", "check", "good.txt"],
            cwd=folder, stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (2, "stream-guard: cannot write the output: No space left on device\n")


def test_line_ends_are_judged_as_they_are(folder: Path) -> None:
    """And the mark that editors of Windows put before a text is none of it."""
    written = CALL.replace("\n", "\r\n")
    (folder / "windows.txt").write_bytes(b"\xef\xbb\xbf" + written.encode())
    for more in ([], ["-"]):
        done = run(folder, "check", "--json", *(more or ["windows.txt"]), stdin=(folder / "windows.txt").read_bytes())
        assert json.loads(done.stdout)["raw"] == written.removesuffix("\r\n")
    (folder / "tools.json").write_bytes(b'\xef\xbb\xbf[{"name": "delete_file", "parameters": {"type": "object"}}]\r\n')
    assert "1 block in 1 file: 1 passed" in run(folder, "check", "windows.txt", "--tools", "tools.json").stdout


def test_every_command_has_json_for_programs(folder: Path) -> None:
    watched = [json.loads(line) for line in run(folder, "watch", "good.txt", "--json").stdout.splitlines()]
    assert [one.get("event") for one in watched if "event" in one][-1] == "json-tool-block"
    assert [one["text"] for one in watched if "text" in one] == ["\n"]
    assert {one["lane"] for one in watched} == {"text"}
    (folder / "tools.json").write_text('[{"name": "delete_file", "parameters": {"type": "object"}}]', encoding="utf-8")
    for more, told in ((["--check"], {"current": False}), ([], {"written": True}), (["--check"], {"current": True})):
        lines = run(folder, "codegen", "tools.json", "--json", *more).stdout.splitlines()
        assert [json.loads(line) for line in lines] == [{"file": name, **told} for name in ("tools.py", "tools.ts")]
    done = run(folder, "import", "foreign.sse", "prose.txt", "--json", "-o", "out")
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {"file": str(Path("out", "foreign.jsonl")), "from": "foreign.sse", "events": 1, "protocol": None},
        {"from": "prose.txt", "unreadable": "prose.txt: no stream: not one event of it is JSON"},
    ]
    done = run(folder, "lesson", "check", "missing.json", "--json")
    assert json.loads(done.stdout)["file"] == "missing.json"


BASH = """
source <(PYTHON -m stream_guard completion bash)
for line in "" c "check --r" "check good" "lesson " "lesson check --u" "proxy --native o" "completion " "check check --j"; do
    IFS=" " read -ra COMP_WORDS <<< "stream-guard $line"
    [[ "$line" == *" " || -z "$line" ]] && COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _stream_guard
    echo "$line: ${COMPREPLY[*]}"
done
"""


def test_the_shell_completes_commands_options_and_values(folder: Path) -> None:
    names = [*OWN, *sorted({entry.name for entry in entry_points(group="stream_guard.commands")} - OWN.keys())]
    script = BASH.replace("PYTHON", f"'{sys.executable}'")
    done = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        f": {' '.join(names)}",
        f"c: {' '.join(name for name in names if name.startswith('c'))}",
        "check --r: --report --require-blocks --reasoning",
        "check good: ",
        "lesson : check",
        "lesson check --u: --urls",
        "proxy --native o: observe off",
        "completion : bash zsh fish",
        "check check --j: --json --jobs",
    ]
    zsh, fish = (run(folder, "completion", shell).stdout for shell in ("zsh", "fish"))
    assert "bashcompinit\n" in zsh
    assert "complete -c stream-guard -n '__stream_guard_at lesson check' -l urls" in fish
    assert "complete -c stream-guard -n '__stream_guard_at proxy' -l native -x -a 'mend withhold observe off'" in fish
