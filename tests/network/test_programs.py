"""Real programs, unmodified, in front of the gateway: none is worse off than without it, and where a call was broken better.

`make programs` runs all of them, in an environment of their own, and writes docs/programs.md from what they said. The tests run
those that are installed here, over a few of the scenarios.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from stream_guard_adapters.proxy import proxy

from stream_guard import Guard
from stream_guard.tools.files import FILE_TOOLS
from tests.kit import javascript, programs, scripted
from tests.kit.proof import Cases
from tests.kit.servers import printed_by, served

ROOT: Final = Path(__file__).parents[2]
OWN: Final = ROOT / ".venv" / "programs" / "bin" / "python"
SCRIPT: Final = ROOT / "tests" / "js" / "programs.mjs"
PAGE: Final = os.environ.get("PROGRAMS")
"""Where the page of results is written; all programs run then."""

JAVASCRIPT: Final = (
    "openai (js)",
    "openai (js), its helper",
    "openai responses (js), its helper",
    "anthropic (js)",
    "anthropic (js), its helper",
    "AI SDK agent, chat",
    "AI SDK agent, responses",
    "AI SDK agent, messages",
)
"""The programs of tests/js/programs.mjs."""

HERE: Final = ("openai", "openai, `stream=False`", "openai responses, its helper", "anthropic, its helper", "pydantic-ai agent")
FEW: Final = ("prose", "only a broken block", "a broken native call", "a wrong native call", "a native call that is cut off")

ASKS_FOR_MORE: Final = ("instructor", "smolagents agent")
"""Programs that do not take prose for an answer."""

LEFT_OUT: Final = ("aider, the command",) if sys.version_info >= (3, 13) else ()
"""Programs that this version of Python does not run."""

ONLY_TEXT: Final = ("sgpt, the command", "aider, the command")
"""Programs that offer no tool: they show the text of the model as it is, or write files from it."""

OFFERS_NO_TOOL: Final = ("smolagents agent", *ONLY_TEXT)
"""Programs whose text comes from a request that offers no tool: the gateway knows of none that a block could call."""

MENDS_ITSELF: Final = ("gptme, the command",)
"""Programs that run a broken call as it was meant."""

SENDS_OBJECTS: Final = (
    "anthropic, `stream=False`",
    "google-genai",
    "google-genai, not streamed",
    "ollama",
    "ollama, `stream=False`",
)
"""Programs whose protocol has the arguments of a call as an object: what is no JSON is lost before it is sent."""

BESIDE: Final = ("gptme, the command", "aider, the command")
"""Programs in environments of their own. aider waits a minute before it gives up a provider that fails."""

Row = dict[str, Any]
Rows = dict[tuple[str, str], Row]
MEANT: Final = [{"city": "Rio"}, {"city": "Lima"}]
"""The arguments of all calls of the scenarios."""


async def rows(command: Sequence[str], urls: Sequence[str], names: Sequence[str], scenarios: Sequence[str]) -> list[Rows]:
    """What the programs say of each of these addresses, by program and scenario. They run in a process of their own: in one,
    since what they import takes longer than all that they do.
    """
    process = await asyncio.create_subprocess_exec(
        *(*command, ",".join(urls), *names),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    out, _ = await printed_by(process, "\n".join(scenarios).encode())
    assert process.returncode == 0
    found = [json.loads(line) for line in out.decode().splitlines() if line.startswith("{")]
    told = [row for row in found if "missing" not in row]
    return [{(row["program"], row["scenario"]): row for row in told if row["url"] == url} for url in urls]


def good(row: Row) -> int:
    """How many calls were delivered as the model meant them."""
    return sum(call[1] in MEANT for call in row["calls"])


def harm(row: Row) -> int:
    """How many calls can be run that nobody meant: the city is cut off."""
    return sum(isinstance(call[1], dict) and call[1].get("city") == "R" for call in row["calls"])


def worse(without: Row, through: Row) -> str | None:
    """How a program is worse off behind the gateway; None if it is not."""
    if through["error"] and not without["error"]:
        return f"it complains: {through['error']}"
    if len(through["text"]) < len(without["text"]) - 1 and not harm(without):  # a comma too many is mended away
        return "text is missing"
    if good(through) < good(without):
        return "a call is missing"
    if harm(through):
        return "half a call can be run"
    if without["answered"] and not through["answered"]:
        return "it does not come to its answer"
    if without["usage"] and not through["usage"]:
        return "the usage is missing"
    if through["reason"] in ("tool_calls", "tool_use") and not through["calls"]:
        return "the reason speaks of a call that is not there"
    return None


def better(without: Row, through: Row) -> bool:
    """Whether a program is better off: by a call as it was meant, a mended block, an answer, no complaint, no half call."""
    mended = scripted.BROKEN in without["text"] and scripted.BROKEN not in through["text"]
    return (
        mended
        or good(through) > good(without)
        or harm(through) < harm(without)
        or (through["answered"] and not without["answered"])
        or bool(without["error"] and not through["error"])
    )


def cell(row: Row) -> str:
    """A row in a few characters."""
    if row["error"]:
        return f"error ({row['error'].partition(':')[0]})"
    said = ["text"] if row["text"] else []
    broken = len(row["calls"]) - good(row) - harm(row)
    said += [f"{harm(row)} half call{'s' if harm(row) > 1 else ''}"] if harm(row) else []
    said += [f"{good(row)} call{'s' if good(row) > 1 else ''}"] if good(row) else []
    said += [f"{broken} broken"] if broken else []
    said += ["answer"] if row["answered"] and not row["text"] else []
    return ", ".join(said) or "nothing"


def page(without: Rows, through: Rows) -> str:
    """The page of results."""
    names = list(dict.fromkeys(name for name, _ in without))
    lines = [
        "# Real programs behind the gateway",
        "",
        f"`make programs` writes this page. {len(names)} programs, unmodified, in {len(scripted.SCENARIOS)} scenarios, asked",
        "a scripted provider directly, and then through the gateway (with the defaults of its command). Each pair of a",
        "program and a scenario is a cell; a row is there for each cell in which something differs. A half call is one that",
        "was cut off, and that the program takes for a whole one.",
        "",
        "aider offers no tool: it shows what the model writes, and makes files of it. Both are the same through the gateway,",
        "with one exception: a file whose text is a call of `write_file`, `edit_file` or `delete_file`, and is no JSON. These",
        "are the tools that the gateway knows where neither `--tools` nor the request names any. It mends such a call, in a",
        "file too; `--fixes off` leaves it. gptme runs a broken call as it was meant, so that nothing is better there.",
        "",
        "| program | scenario | without | through the gateway | |",
        "|---|---|---|---|---|",
    ]
    same = 0
    for key, one in without.items():
        other = through[key]
        ahead = better(one, other)
        if not ahead and cell(one) == cell(other) and one["text"] == other["text"]:
            same += 1
            continue
        said = "better" if ahead else f"**worse**: {worse(one, other)}" if worse(one, other) else "as good"
        fixed = " (fixed)" if scripted.BROKEN in one["text"] and scripted.BROKEN not in other["text"] else ""
        lines.append(f"| {key[0]} | {key[1]} | {cell(one)} | {cell(other)}{fixed} | {said} |")
    lines += ["", f"In {same} of {len(without)} cells nothing differs.", ""]
    return "\n".join(lines)


@pytest.fixture
def javascript_command(tmp_path: Path) -> list[str]:
    """How to run the programs in JavaScript; they look for their clients where they were installed."""
    program = javascript.node()
    (tmp_path / "node_modules").symlink_to(javascript.MODULES)
    shutil.copy(SCRIPT, tmp_path / SCRIPT.name)
    return [program, str(tmp_path / SCRIPT.name)]


async def compared(groups: Sequence[tuple[Sequence[str], Sequence[str]]], scenarios: Sequence[str]) -> tuple[Rows, Rows]:
    """What programs say of the provider, and of the gateway; each group is a command and the programs that it runs."""
    async with served(scripted.provider()) as direct, served(proxy(direct, Guard(FILE_TOOLS), request_tools="only")) as gateway:
        found = await asyncio.gather(*(rows(command, (direct, gateway), names, scenarios) for command, names in groups))
    without, through = ({key: row for pair in found for key, row in pair[side].items()} for side in (0, 1))
    assert without.keys() == through.keys()
    assert {name for name, _ in without} == {name for _, names in groups for name in names}
    return without, through


def judge(without: Rows, through: Rows) -> None:
    """Fail where a program is worse off, and where it shows no better what could be mended."""
    shown = {one["text"] for (name, scenario), one in without.items() if scenario == "prose" and name not in ASKS_FOR_MORE}
    assert shown == {scripted.SCENARIOS["prose"].turns[0].text}
    changed = {key[1] for key, one in without.items() if key[0] in ONLY_TEXT and one["text"] != through[key]["text"]}
    assert changed <= {"a file with a call in it"}
    complaints = {key: worse(one, through[key]) for key, one in without.items()}
    assert {key: why for key, why in complaints.items() if why is not None} == {}
    for key, one in without.items():
        blocks = key[1] in ("a block that can be mended", "only a broken block") and key[0] not in OFFERS_NO_TOOL
        call = key[1] == "a broken native call" and key[0] not in (*SENDS_OBJECTS, *OFFERS_NO_TOOL, *MENDS_ITSELF)
        if (blocks or call) and not one["error"]:
            assert better(one, through[key]) or not one["text"], key


@pytest.mark.promise("P2")
async def test_no_program_is_worse_off_behind_the_gateway(cases: Cases, request: pytest.FixtureRequest) -> None:
    """Each as its users run it. A call that was broken is delivered, or the program's own loop answers it."""
    python = [str(OWN) if PAGE else sys.executable, "-P", str(Path(programs.__file__))]
    groups: list[tuple[list[str], Sequence[str]]] = [(python, HERE)]
    if PAGE:
        others = [name for name in programs.PROGRAMS if name not in (*BESIDE, *LEFT_OUT)]
        groups = [(python, others), *((python, [name]) for name in BESIDE if name not in LEFT_OUT)]
    if PAGE:
        groups.append((request.getfixturevalue("javascript_command"), JAVASCRIPT))
    without, through = await compared(groups, list(scripted.SCENARIOS) if PAGE else FEW)
    cases(len(without))
    if PAGE:
        await asyncio.to_thread(Path(PAGE).write_text, page(without, through), encoding="utf-8")
    judge(without, through)


@pytest.mark.promise("P2")
async def test_no_javascript_program_is_worse_off_behind_the_gateway(javascript_command: list[str], cases: Cases) -> None:
    without, through = await compared([(javascript_command, JAVASCRIPT)], FEW)
    cases(len(without))
    judge(without, through)
