"""The command, as a person runs it: what needs a terminal, a pipe or a signal in its own process, the rest in this one.

`tests/project/test_commands.py` runs each command in a process of its own.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from stream_guard_adapters.cassettes.recorded import Recorded

from stream_guard import Guard, ToolStatus
from stream_guard.command import cli, terminal, watch
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.command import command

CALL = '{"tool": "delete_file", "path": "a.txt"}'
GUARD = Guard(FILE_TOOLS)
NOTHING: dict[str, Any] = {}
NONE: list[Any] = []
GOOD = f"Hi\n```json\n{CALL}\n```\nBye\n"
BAD = '```json\n{"tool": "write_file", "path": "b"}\n```\n'


@pytest.fixture
def good(tmp_path: Path) -> str:
    file = tmp_path / "good.txt"
    file.write_text(GOOD, encoding="utf-8")
    return str(file)


@pytest.fixture
def bad(tmp_path: Path) -> str:
    file = tmp_path / "bad.jsonl"
    file.write_text("\n".join(json.dumps(char) for char in BAD), encoding="utf-8")
    return str(file)


def test_check_prints_a_table_and_passes_when_every_block_does(good: str) -> None:
    done = command("check", good)
    assert done.returncode == 0
    header, row, summary = done.stdout.splitlines()
    assert header.split() == ["FILE", "TOOL", "PATH", "OUTCOME", "END", "REMARK", "(its", "place", "in", "the", "block)"]
    assert row.split()[-4:] == ["delete_file", "a.txt", "valid", "closed"]
    assert summary == "1 block in 1 file: 1 passed, 0 failed"


def test_how_a_reply_is_read_can_be_said(tmp_path: Path) -> None:
    """In `check` and in `watch`: what is reasoning, and which fences may hold a call."""
    call = '{"tool": "delete_file", "path": "a.txt"}'
    replies = {
        "open": f"I think.\n```json\n{call}\n```\n</think>\nNo.\n",
        "think": f"<think>\n```json\n{call}\n```\n</think>\nNo.\n",
        "bare": f"```\n{call}\n```\n",
    }
    expected = {
        (): {"open": 1, "think": 0, "bare": 0},
        ("--reasoning", "inside"): {"open": 0, "think": 0, "bare": 0},
        ("--reasoning", "scan"): {"open": 1, "think": 1, "bare": 0},
        ("--languages", "json,"): {"open": 1, "think": 0, "bare": 1},
        ("--dialects", "none"): {"open": 0, "think": 0, "bare": 0},
    }
    for name, reply in replies.items():
        file = tmp_path / f"{name}.txt"
        file.write_text(reply, encoding="utf-8")
        for options, blocks in expected.items():
            told = [json.loads(line) for line in command("watch", str(file), "--json", *options).stdout.splitlines()]
            assert sum(item.get("event") == "json-tool-block" for item in told) == blocks[name], (name, options)
            assert len(command("check", str(file), "--json", *options).stdout.splitlines()) == blocks[name], (name, options)
    refused = command("check", str(tmp_path / "open.txt"), "--languages", "js on")
    assert refused.returncode == 2
    assert "--languages: a language is one word without spaces, backticks or brackets, not 'js on'" in refused.stderr


def test_check_fails_when_a_block_does_and_says_why(good: str, bad: str) -> None:
    done = command("check", good, bad)
    assert done.returncode == 1
    assert 'write_file tool requires "content" field (line 1, column 1)' in done.stdout
    assert done.stdout.endswith("2 blocks in 2 files: 1 passed, 1 failed\n")


def test_check_prints_json_for_programs(bad: str) -> None:
    done = command("check", "--json", bad)
    assert done.returncode == 1
    (document,) = [json.loads(line) for line in done.stdout.splitlines()]
    assert (document["file"], document["lane"], document["validationPassed"]) == (bad, "text", False)
    assert document["issues"][0]["code"] == "required"


def test_check_reads_standard_input_and_judges_examples_when_asked() -> None:
    assert command("check", "-", stdin=GOOD).returncode == 0
    example = '```json\n{"name": "demo"}\n```\n'
    assert command("check", "-", stdin=example).stdout == (
        "0 blocks in 1 file: 0 passed, 0 failed; no call was found to check\n"
    )
    assert command("check", "--all", "-", stdin=example).returncode == 1


def test_what_cannot_be_read_is_one_clear_line(tmp_path: Path, good: str) -> None:
    binary = tmp_path / "x.txt"
    binary.write_bytes(b"\xff\xfe")
    broken = tmp_path / "x.jsonl"
    broken.write_text('"a"\n{', encoding="utf-8")
    for name, why in [
        (str(tmp_path / "nope"), "No such file or directory"),
        (str(binary), "not UTF-8 text: invalid byte at offset 0"),
        (str(broken), "line 2 is not JSON"),
    ]:
        for begun in ("check", "watch"):
            done = command(begun, name)
            assert done.returncode == 2
            (line,) = done.stderr.splitlines()
            assert line.startswith(f"stream-guard: {name}: {why}")
    done = command("check", str(tmp_path / "nope"), good)
    assert done.returncode == 2
    assert "1 block in 1 file: 1 passed" in done.stdout
    assert command("watch", good, "--speed", "-1").returncode == 2
    assert command().returncode == 2
    assert command("--version").stdout.startswith("stream-guard 0.")


def test_watch_plays_a_stream_with_its_pills(bad: str, good: str) -> None:
    done = command("watch", good, "--speed", "0")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "Hi",
        "🔧 Receiving...",
        "🔧 Receiving... delete_file",
        "🔧 Receiving... delete_file a.txt",
        "✅ May run: delete_file a.txt (52 characters)",
        "",
        "Bye",
    ]
    assert command("watch", good).stdout == done.stdout
    done = command("watch", bad, "--speed", "100000")
    assert done.returncode == 1
    assert "❌ May not run: write_file b" in done.stdout
    assert '   write_file tool requires "content" field (line 1, column 1)' in done.stdout


def test_what_a_model_wrote_does_not_steer_the_terminal(tmp_path: Path) -> None:
    file = tmp_path / "x.txt"
    file.write_text('\x1b[2J\x07\n```json\n{"tool": "\\u001b[31m", "path": "\\u009b"}\n```\n', encoding="utf-8")
    for begun in (["watch", "--speed", "0"], ["check"]):
        out = command(*begun, str(file)).stdout
        assert "\x1b" not in out
        assert "\x07" not in out
        assert "\x9b" not in out


def on_terminal(*arguments: str) -> str:
    """What the command shows on a terminal."""
    import pty  # deferred: not every system has it

    leader, follower = pty.openpty()
    with subprocess.Popen([sys.executable, "-m", "stream_guard", *arguments], stdin=follower, stdout=follower, stderr=follower):
        os.close(follower)
        shown = b""
        try:
            while piece := os.read(leader, 65536):
                shown += piece
        except OSError:  # the other end is closed
            pass
    os.close(leader)
    return shown.decode()


def test_on_a_terminal_the_pill_is_one_line_and_many_files_have_a_bar(good: str) -> None:
    shown = on_terminal("watch", good, "--speed", "0")
    assert "\r\x1b[2K\x1b[32m✅ May run: delete_file a.txt" in shown
    assert on_terminal("watch", good).startswith("-- 400 characters a second; --speed 0 shows all at once --")
    assert "characters a second" not in shown
    shown = on_terminal("check", *[good] * 10)
    assert "] 10 replies" in shown
    assert "10 blocks in 10 files: 10 passed, 0 failed" in shown


def test_colours_and_lines_that_are_written_over_can_be_turned_off(good: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    shown = on_terminal("watch", good, "--speed", "0")
    assert "\r\x1b[2K✅ May run: delete_file a.txt" in shown
    assert "\x1b[3" not in shown
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b" not in on_terminal("watch", good, "--speed", "0")
    assert "\x1b" not in on_terminal("check", *[good] * 10)


def test_a_reader_that_leaves_early_is_no_error(good: str) -> None:
    """`stream-guard watch FILE | head -1` ends quietly."""
    line = f"'{sys.executable}' -m stream_guard check --json {' '.join([good] * 500)} | head -n 1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert json.loads(done.stdout)["tool"] == "delete_file"
    assert (done.returncode, done.stderr) == (141, "")  # and not 0: not every block was looked at


def test_what_was_mended_is_told(tmp_path: Path) -> None:
    file = tmp_path / "mended.txt"
    file.write_text(fence_of('{"tool": "rm", "path": "a.txt",}'), encoding="utf-8")
    row = command("check", str(file)).stdout.splitlines()[1]
    assert "fixed" in row
    assert row.endswith("Removed a trailing comma; Replaced an alias of the tool with its name")
    assert "   fixed: Replaced an alias of the tool with its name" in command("watch", str(file), "--speed", "0").stdout


def fence_of(body: str) -> str:
    return f"```json\n{body}\n```\n"


LISTING = [{"name": "get_weather", "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}}}]


@pytest.fixture
def listing(tmp_path: Path) -> str:
    file = tmp_path / "My tools.json"
    file.write_text(json.dumps({"tools": LISTING}), encoding="utf-8")
    return str(file)


def test_blocks_are_checked_against_the_tools_that_are_named(tmp_path: Path, listing: str) -> None:
    """A listing in a file, or a name in a module."""
    reply = tmp_path / "reply.txt"
    reply.write_text('```json\n{"tool": "get_weather", "city": "Ghent"}\n```\n', encoding="utf-8")
    assert "1 block in 1 file: 1 passed" in command("check", str(reply), "--tools", listing).stdout
    assert "0 blocks" in command("check", str(reply), "--tools", "stream_guard.tools.files:FILE_TOOLS").stdout
    assert "get_weather" in command("watch", str(reply), "--speed", "0", "--tools", listing).stdout


def test_codegen_writes_both_modules_and_can_tell_whether_they_are_up_to_date(tmp_path: Path, listing: str) -> None:
    out = tmp_path / "a" / "b"
    assert command("codegen", listing, "-o", str(out), "--check").returncode == 1
    done = command("codegen", listing, "-o", str(out))
    assert (done.returncode, done.stdout.split()) == (0, [str(out / "my_tools.py"), str(out / "my_tools.ts")])
    assert "class GetWeatherPayload(TypedDict):" in (out / "my_tools.py").read_text(encoding="utf-8")
    assert "export interface GetWeatherPayload {" in (out / "my_tools.ts").read_text(encoding="utf-8")
    assert command("codegen", listing, "-o", str(out), "--check").returncode == 0
    (out / "my_tools.ts").write_text("// Generated by stream-guard codegen", encoding="utf-8")
    assert "my_tools.ts is out of date" in command("codegen", listing, "-o", str(out), "--check").stderr
    assert command("codegen", listing, "-o", str(out), "--name", "weather").returncode == 0
    assert (out / "weather.py").exists()


def test_codegen_leaves_a_file_that_it_did_not_write(tmp_path: Path, listing: str) -> None:
    (tmp_path / "my_tools.py").write_text("mine = 1\n", encoding="utf-8")
    done = command("codegen", listing, "-o", str(tmp_path))
    assert done.returncode == 2
    assert "was not generated by this command" in done.stderr
    assert (tmp_path / "my_tools.py").read_text(encoding="utf-8") == "mine = 1\n"
    assert not (tmp_path / "my_tools.ts").exists()


@pytest.mark.parametrize(
    ("toolset", "says"),
    [
        ("nowhere.json", "No such file"),
        ("no_such_module:TOOLS", "No module named"),
        ("stream_guard.tools.files:NOPE", "has no attribute 'NOPE'"),
        (
            "stream_guard.tools.files:annotations",
            "expected a Toolset, or objects of which Toolset.of makes one: expected a function, a model",
        ),
        ("tests.core.command.test_cli:GUARD", "expected a Toolset, got Guard: name the toolset that it was made with"),
        (
            "tests.core.command.test_cli:NOTHING",
            "a provider's tool definition or a JSON Schema, got an object with nothing in it",
        ),
        ("tests.core.command.test_cli:NONE", "expected a Toolset, or a list of tools, got a list with nothing in it"),
        ("{bad}", "Expecting value"),
        ("{odd}", "unevaluatedProperties"),
    ],
)
def test_a_toolset_that_cannot_be_had_is_told_with_the_reason(tmp_path: Path, toolset: str, says: str) -> None:
    (tmp_path / "bad.json").write_text("nonsense", encoding="utf-8")
    odd = {"name": "t", "parameters": {"unevaluatedProperties": False}}
    (tmp_path / "odd.json").write_text(json.dumps([odd]), encoding="utf-8")
    named = toolset.format(bad=tmp_path / "bad.json", odd=tmp_path / "odd.json")
    done = command("codegen", named, "-o", str(tmp_path))
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_stage_writes_news_over_news_and_text_on_lines_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is no call, what is corrected, lanes, empty text."""
    stage = watch._Stage(out := Terminal())
    stage.text("")
    stage.text("Hi")
    stage.status(ToolStatus("s-1", 1, "correcting", "write_file", "a.txt", attempt=1, max_attempts=2))
    stage.status(ToolStatus("s-1", 2, "validating", "write_file", "a.txt"))
    stage.status(ToolStatus("s-1", 3, "released", reason="no_tool"))
    stage.note("-- lane 1 --")
    stage.close()
    shown = out.getvalue()
    assert "Correcting (1/2)... write_file a.txt" in shown
    assert "not a tool call (no_tool)" in shown
    assert "-- lane 1 --\n" in shown
    stage = watch._Stage(out := Terminal())
    stage.text("Hi")
    stage.close()
    assert out.getvalue() == "Hi\n"
    stream = tmp_path / "two.txt"
    stream.write_text("x", encoding="utf-8")
    said: Any = {"a": ["Hi"], "b": ['```json\n{"v": 1}\n```\n']}
    monkeypatch.setattr(watch, "recorded", lambda _: Recorded(said))
    monkeypatch.setattr(sys, "stdout", plain := io.StringIO())
    assert cli.main(["watch", str(stream), "--speed", "0"]) == 0
    assert plain.getvalue().startswith("-- lane a --\nHi\n-- lane b --\n")


def test_what_cannot_be_written_or_read_again_is_one_clear_line(
    tmp_path: Path, listing: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder that is a file, a module that is no text, another's module, a schema that no module can be written for."""
    (tmp_path / "file").write_text("x", encoding="utf-8")
    assert cli.main(["codegen", listing, "-o", str(tmp_path / "file" / "deeper")]) == 2
    assert "file" in capsys.readouterr().err
    (tmp_path / "nowhere").symlink_to(tmp_path / "gone")
    assert cli.main(["codegen", listing, "-o", str(tmp_path / "nowhere")]) == 2
    assert f"{tmp_path / 'nowhere'}: " in capsys.readouterr().err
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.py").write_bytes(b"\xff")
    assert cli.main(["codegen", listing, "-o", str(tmp_path / "out"), "--name", "mine"]) == 2
    assert "mine.py" in capsys.readouterr().err
    assert cli.main(["codegen", listing, "-o", str(tmp_path / "out"), "--name", "not a name"]) == 2
    assert "a module name must be lower case letters, digits and _, got 'not a name'" in capsys.readouterr().err


@pytest.mark.parametrize(("seconds", "says"), [(0.4, "0 s"), (59, "59 s"), (61, "1 min 01 s"), (3_660, "1 h 01 min")])
def test_how_long_it_will_take_is_said_in_few_words(seconds: float, says: str) -> None:
    assert terminal._duration(seconds) == says


def test_a_bar_says_how_much_is_left_once_that_can_be_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing where nobody sees it."""
    now = iter(range(0, 1_000, 10))
    monkeypatch.setattr("time.monotonic", lambda: float(next(now)))
    monkeypatch.setattr(sys, "stderr", err := Terminal())
    bar = terminal.Bar(100, shown=True)
    bar.add(25)
    assert "] 25%, 30 s left" in err.getvalue()
    bar.clear()
    assert err.getvalue().endswith("\r\x1b[2K")
    quiet = terminal.Bar(100, shown=False)
    quiet.add(25)
    quiet.clear()
    assert list(terminal.progress(["a", "b"])) == ["a", "b"]
    assert err.getvalue().endswith("\r\x1b[2K")


@pytest.mark.parametrize(
    ("fields", "rest"), [({"path": ""}, ""), ({"path": 1}, " (and 1 more)"), ({"pth": 2, "cntent": 3}, " (and 3 more)")]
)
def test_check_says_how_many_issues_a_block_has_beside_the_one_shown(tmp_path: Path, fields: Any, rest: str) -> None:
    block = json.dumps({"tool": "write_file", **fields})
    (tmp_path / "a.txt").write_text(f"```json\n{block}\n```\n", encoding="utf-8")
    row = command("check", str(tmp_path / "a.txt")).stdout.splitlines()[1]
    issues = json.loads(command("check", "--json", str(tmp_path / "a.txt")).stdout)["issues"]
    assert f" (and {len(issues) - 1} more)" * (len(issues) > 1) == row[row.rfind(" (and") :] * (" (and" in row)


def test_check_says_which_row_is_the_block_and_which_the_native_call(tmp_path: Path) -> None:
    """Their tools and outcomes may be alike."""
    call = {"index": 0, "id": "c", "type": "function", "function": {"name": "delete_file", "arguments": '{"path": "a.txt"}'}}
    deltas: tuple[dict[str, Any], ...] = ({"content": GOOD}, {"tool_calls": [call]}, {})
    lines = [
        {
            "object": "chat.completion.chunk",
            "choices": [{"index": 0, "delta": delta, "finish_reason": None if delta else "tool_calls"}],
        }
        for delta in deltas
    ]
    file = tmp_path / "two.sse"
    file.write_text("".join(f"data: {json.dumps(line)}\n\n" for line in lines) + "data: [DONE]\n\n", encoding="utf-8")
    block, native = command("check", str(file)).stdout.splitlines()[1:3]
    assert "two.sse, lane 0 " in block
    assert "two.sse, native call 1 " in native
    assert block.split()[-4:] == native.split()[-4:] == ["delete_file", "a.txt", "valid", "closed"]


@pytest.mark.parametrize("text", ["", "\ufeff"])
def test_watch_says_that_nothing_was_there(tmp_path: Path, text: str) -> None:
    (tmp_path / "empty.txt").write_text(text, encoding="utf-8")
    for more in ((), ("--json",), ("--speed", "0")):
        done = command("watch", str(tmp_path / "empty.txt"), *more)
        assert (done.returncode, done.stdout) == (0, '{"lane": "text", "text": ""}\n' * ("--json" in more))
        assert "nothing was there to show: no text, no call" in done.stderr
    (tmp_path / "empty.txt").write_text("Hi", encoding="utf-8")
    assert not command("watch", str(tmp_path / "empty.txt")).stderr
