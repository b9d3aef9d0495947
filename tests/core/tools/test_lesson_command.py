"""The lesson tool from outside: on the command line, and over MCP with the official package's own client."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from stream_guard.command import lesson as lesson_command
from stream_guard.command.cli import main
from stream_guard.tools.lessons import validate_lesson_data
from stream_guard.tools.lessons.result import OUTPUT
from tests.kit.lessons import BASES, FATAL, LESSONS


def written(folder: Path, lessons: dict[str, Any]) -> list[str]:
    paths = []
    for number, lesson in enumerate(lessons.values()):
        path = folder / f"{number}.json"
        path.write_text(json.dumps(lesson, ensure_ascii=False), encoding="utf-8")
        paths.append(str(path))
    return paths


def test_the_command_says_what_was_mended_and_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = next(iter(LESSONS.values()))[0]
    good, mended, bad = written(tmp_path, {"a": BASES["água"], "b": broken, "c": FATAL["an image that runs"]})
    assert main(["lesson", "check", good, mended]) == 0
    out = capsys.readouterr().out
    assert f"{good}: valid. 6 widgets, 0 fixes" in out
    assert "  fixed     " in out
    assert main(["lesson", "check", bad]) == 1
    out = capsys.readouterr().out
    assert "invalid" in out
    assert 'error     "widgets[4].content.image" must be an address' in out


def test_the_command_prints_the_tools_output_and_writes_what_it_mended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    some = dict(list(LESSONS.items())[:6])
    paths = written(tmp_path, {name: broken for name, (broken, _) in some.items()})
    assert main(["lesson", "check", *paths, "--json", "--fix", "-o", str(tmp_path / "out")]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["success"] for one in told] == [True] * 6
    for path, one, (_, meant) in zip(paths, told, some.values(), strict=True):
        assert json.loads((tmp_path / "out" / Path(path).name).read_text(encoding="utf-8")) == meant
        assert one["data"]["validatedLessonData"] == meant
    assert main(["lesson", "check", paths[0], "--fix", "-o", str(tmp_path / "one.json")]) == 0
    assert (tmp_path / "one.json").exists()


def test_what_cannot_be_read_is_said_and_the_others_are_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (good,) = written(tmp_path, {"a": BASES["água"]})
    (tmp_path / "b.json").write_text("{")
    assert main(["lesson", "check", str(tmp_path / "b.json"), str(tmp_path / "none.json"), good]) == 2
    said = capsys.readouterr()
    assert "b.json: not JSON: Expecting property name" in said.err
    assert "none.json: No such file or directory" in said.err
    assert "valid. 6 widgets" in said.out
    for options in (["--fix"], ["-o", "x"]):
        with pytest.raises(SystemExit):
            main(["lesson", "check", good, *options])
        assert "--fix and -o must be given together" in capsys.readouterr().err


async def test_a_client_of_mcp_lists_and_calls_the_tool() -> None:
    """Over stdio: the specification's output, for a good lesson, a mended one and one that cannot be mended."""
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    broken, meant = next(iter(LESSONS.values()))
    server = StdioServerParameters(command=str(Path(sys.executable).with_name("stream-guard")), args=["mcp"])
    async with stdio_client(server) as (receiving, sending), ClientSession(receiving, sending) as session:
        await session.initialize()
        (tool,) = (await session.list_tools()).tools
        assert tool.name == "validate_lesson_data"
        assert tool.output_schema == OUTPUT
        advised = {**meant, "widgets": meant["widgets"][:3]}
        encoded = json.dumps({"lesson": meant})
        given: tuple[tuple[Any, bool], ...] = (
            (meant, True),
            (broken, True),
            (FATAL["no right answer"], False),
            ({}, False),
            (encoded, True),
            (advised, True),
        )
        for lesson, success in given:
            result: Any = await session.call_tool("validate_lesson_data", {"lessonData": lesson})
            assert not result.is_error
            out = result.structured_content
            assert out == json.loads(result.content[0].text)
            expected = validate_lesson_data(lesson).to_dict()
            for one in (out, expected):
                del one["debug"]["timestamp"], one["debug"]["processingTime"]
            assert out == expected
            assert out["success"] is success
        wrong: Any = await session.call_tool("validate_lesson_data", {"lesson": 1})
        assert wrong.is_error


def test_without_the_packages_that_lessons_need_the_command_says_which(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (good,) = written(tmp_path, {"a": BASES["água"]})
    monkeypatch.setitem(sys.modules, "stream_guard.tools.lessons", None)
    with pytest.raises(SystemExit, match="2"):
        main(["lesson", "check", good])
    assert "stream_guard.tools.lessons" in capsys.readouterr().err


def test_who_asks_addresses_is_an_adapter() -> None:
    assert callable(lesson_command._reach())
