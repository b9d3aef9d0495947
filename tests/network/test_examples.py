"""The programs of `examples` are run as they stand: as processes, against providers on loopback, and the page in a browser."""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import re
import sys
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.kit import scripted
from tests.kit.servers import free_port, printed_by, served

ROOT: Final = Path(__file__).parents[2]
EXAMPLES: Final = ROOT / "examples"
FAILING: Final = '```json\n{"tool": "delete_file"}\n```\n'


async def ran(name: str, *arguments: str, stdin: str = "", **environment: str) -> str:
    """What a program prints; it has to end well."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("OPENAI_", "ANTHROPIC_", "MODEL"))}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", f"examples.{name}", *arguments),
        env={**clean, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "adapters")]), "NO_PROXY": "*", **environment},
        cwd=ROOT,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await printed_by(process, stdin.encode())
    assert process.returncode == 0, err.decode()[-2000:]
    return out.decode().replace("\r\n", "\n")


def files_of(folder: Path) -> list[str]:
    """The files below a folder."""
    return [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]


def test_the_list_of_examples_is_the_folder() -> None:
    listed = set(re.findall(r"`([\w.]+)`", (EXAMPLES / "README.md").read_text(encoding="utf-8").partition("|---")[2]))
    assert {name for name in listed if name.endswith((".py", ".html"))} == {
        path.name for path in EXAMPLES.iterdir() if path.suffix in (".py", ".html")
    }
    for path in EXAMPLES.glob("*.py"):
        assert "pip install" in path.read_text(encoding="utf-8").split('"""')[1], path


async def test_files_are_written_and_nothing_outside_of_the_folder(tmp_path: Path) -> None:
    out = await ran("files", str(tmp_path / "here"))
    assert (tmp_path / "here" / "site" / "index.html").read_text(encoding="utf-8").startswith("<h1>Hello</h1>\n<p>")
    assert "[fixed] site/index.html: 62 characters" in out
    assert '[failed] "path" must not have ".." segments.' in out
    assert files_of(tmp_path) == ["here/site/index.html"]


@pytest.mark.some(3)
@pytest.mark.parametrize("scenario", ["a-broken-native-call", "a-wrong-native-call", "two-native-calls"])
@pytest.mark.parametrize(("name", "made_by"), [("agent_chat", "AsyncOpenAI"), ("agent_messages", "AsyncAnthropic")])
async def test_an_agent_runs_its_calls_to_the_end(
    name: str, made_by: str, scenario: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first as a program, the others in this process: each program takes the client's package two seconds to import."""
    async with served(scripted.provider()) as url:
        keys = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": f"{url}/v1", "ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": url}
        if scenario == "a-broken-native-call":
            out = await ran(name, MODEL=scenario, **keys)
        else:
            for key, value in {**keys, "MODEL": scenario, "NO_PROXY": "*"}.items():
                monkeypatch.setenv(key, value)
            program = importlib.import_module(f"examples.{name}")
            async with getattr(program, made_by)() as client:  # which a program leaves open until it ends
                monkeypatch.setattr(program, made_by, lambda: client)
                await program.main("How is the weather in Rio?")
            out = capsys.readouterr().out
    assert "[weather: sunny in Rio]" in out
    assert "It is sunny in Rio." in out or scenario == "two-native-calls"


@pytest.mark.parametrize(("answer", "result"), [("y", "notes.txt is gone"), ("n", "was not allowed: The user said no.")])
async def test_a_person_is_asked_before_anything_is_deleted(answer: str, result: str) -> None:
    out = await ran("approval", stdin=f"{answer}\n")
    assert "read_file: the text of notes.txt" in out
    assert "delete_file notes.txt? [y/N]" in out
    assert result in out


async def test_a_button_on_a_page_allows_a_call_and_another_refuses_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was refused did not run, an answer counts once, and none is taken for a call that nobody asked about."""
    from examples import approval_http

    monkeypatch.setattr(approval_http, "FILES", dict(approval_http.FILES))
    told: list[tuple[str, Any]] = []
    statuses: list[int] = []
    async with served(approval_http.app) as here, httpx2.AsyncClient(trust_env=False) as client:
        assert "<h1>Approval</h1>" in (await client.get(here)).text

        async def answered(call: str, *, allow: bool) -> None:
            body = json.dumps({"call": call, "allow": allow}).encode()
            statuses.append((await client.post(f"{here}/answer", content=body)).status_code)

        await answered("call_of_nobody", allow=True)
        async with client.stream("GET", f"{here}/chat") as reply:
            kind = ""
            async for line in reply.aiter_lines():
                kind = line[7:] if line.startswith("event: ") else kind
                if line.startswith("data: "):
                    told.append((kind, json.loads(line[6:])))
                    asked = told[-1][1]
                    if kind == "json-tool-status" and asked["status"] == "approving":
                        await answered(asked["callId"], allow=asked["arguments"] == {"path": "old.txt"})
                        await answered(asked["callId"], allow=True)
    assert statuses == [404, 204, 404, 204, 404]
    assert [said["callId"] for kind, said in told if kind == "json-tool-result"] == [
        said["callId"] for _, said in told if "status" in said and said["status"] == "approving"
    ]
    outputs = [said["text"] for kind, said in told if kind == "json-tool-result"]
    assert "The user said no." in outputs[0]
    assert outputs[1] == "old.txt is gone"
    assert list(approval_http.FILES) == ["notes.txt"]
    assert approval_http.WAITING == {}


async def test_typed_tools_give_instances() -> None:
    assert (await ran("typed_tools")).splitlines() == [
        "invoice: C0042 120.5 EUR 2026-12-01",
        "output:  C0042 is reminded in 30 days",
        r'refused: "customer" must match the pattern ^C\d{4}$',
    ]


async def test_stored_replies_are_counted(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(f'{FAILING}\n```json\n{{"tool": "delete_file", "path": "a",}}\n```\n', encoding="utf-8")
    (tmp_path / "b.txt").write_text("Only prose.\n", encoding="utf-8")
    assert (await ran("stored_replies", str(tmp_path / "a.txt"), str(tmp_path / "b.txt"))).splitlines() == [
        "outcomes: 1 failed, 1 fixed",
        "issues: 1 required",
        "fixes: 1 trailing_comma",
    ]


async def test_a_recorded_stream_is_tested() -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(EXAMPLES / "test_replay.py")),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await printed_by(process)
    assert process.returncode == 0, out.decode()
    assert "12 passed" in out.decode()


async def test_the_middleware_guards_what_the_app_passes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    from examples.middleware import app

    async with served(scripted.provider()) as url:
        for name, value in {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": f"{url}/v1", "MODEL": "prose"}.items():
            monkeypatch.setenv(name, value)
        async with served(app) as here, httpx2.AsyncClient(trust_env=False) as client:
            answer = await client.post(f"{here}/chat", content=b'{"prompt": "Hi"}')
    chunks = [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: {")]
    text = "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks)
    assert text == "Hello, *world*.\n\nIt is `fine`."
    assert answer.text.rstrip().endswith("data: [DONE]")


async def test_the_backend_of_the_tutorial_says_when_the_provider_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that is away, and one that refuses the key: the page gets an event, which quotes nothing of the provider's."""
    from examples.backend import app

    async def refuses(_: Request) -> Response:
        return JSONResponse({"error": {"message": "Incorrect API key provided: SECRET"}}, 401)

    monkeypatch.setenv("OPENAI_API_KEY", "SECRET")
    async with served(Starlette(routes=[Route("/{path:path}", refuses, methods=["POST"])])) as provider, served(app) as here:
        for base, kind in ((provider, "AuthenticationError"), (f"http://127.0.0.1:{free_port()}", "APIConnectionError")):
            monkeypatch.setenv("OPENAI_BASE_URL", base)
            async with httpx2.AsyncClient(trust_env=False) as client:
                answer = await client.post(f"{here}/chat", content=b'{"prompt": "Note that I need milk"}', timeout=300)
            assert re.findall(r"^event: (\S+)", answer.text, re.MULTILINE) == ["error"]
            assert f"The reply failed ({kind})" in answer.text
            assert "SECRET" not in answer.text


def test_a_page_of_the_examples_asks_for_no_icon() -> None:
    """A browser would, and would tell a beginner of a 404."""
    pages = list((ROOT / "examples").rglob("*.html"))
    assert pages and all('<link rel="icon" href="data:,">' in page.read_text(encoding="utf-8") for page in pages)


async def test_the_backend_of_the_tutorial_runs_the_call_and_asks_again(monkeypatch: pytest.MonkeyPatch) -> None:
    from examples.backend import NOTES, app

    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    NOTES.clear()
    async with served(app) as here, httpx2.AsyncClient(trust_env=False) as client:
        page = await client.get(here)
        answer = await client.post(f"{here}/chat", content=b'{"prompt": "Note that I need milk"}')
    assert "<h1>Chat</h1>" in page.text
    names = re.findall(r"^event: (\S+)", answer.text, re.MULTILINE)
    assert names[-1] == "done"
    assert names.index("json-tool-status") < names.index("json-tool-block") < names.index("json-tool-result")
    assert '"outcome":"fixed"' in answer.text
    assert NOTES == {"Milk": "Buy milk."}
