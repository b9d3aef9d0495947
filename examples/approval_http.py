"""Ask on a page before anything is deleted: a button allows the call that waits, and it runs.

pip install "stream-guard-llm[asgi]" uvicorn
uvicorn examples.approval_http:app

Then open http://127.0.0.1:8000. An app with users checks in `answer` that the call belongs to who answers.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from sse_starlette import EventSourceResponse
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from stream_guard import BlockOutput, Guard, Risk, Tool, ToolBlock, Toolset, run

FILES = {"notes.txt": "Buy milk.", "old.txt": "Sold the car."}
PATIENCE = 300.0
"""Seconds that a person has to answer."""

WAITING: dict[str, asyncio.Future[bool]] = {}
"""The answers that calls wait for, by the id of the call."""


def delete_file(call: dict[str, Any]) -> str:
    """Delete a file from memory."""
    return f"{call['path']} is gone" if FILES.pop(call["path"], None) is not None else "there is no such file"


PATH = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"], "additionalProperties": False}
TOOLS = Toolset(Tool("delete_file", "Delete a file", PATH, handler=delete_file, risk=Risk.DESTRUCTIVE))
GUARD = Guard(TOOLS)


async def model() -> AsyncIterator[str]:
    """Stands for a model's stream: two calls."""
    for path in ("notes.txt", "old.txt"):
        yield f'I delete {path}.\n\n```json\n{{"tool": "delete_file", "path": "{path}"}}\n```\n\n'


def asks(block: ToolBlock) -> bool:
    """Return whether a person is asked about a call."""
    tool = TOOLS.get(block.tool) if block.tool is not None else None
    return block.executable and tool is not None and tool.risk >= Risk.DESTRUCTIVE


def answer_to(block: ToolBlock) -> asyncio.Future[bool]:
    """Return the answer about a call, which may come before it is asked for."""
    return WAITING.setdefault(block.call_id, asyncio.get_running_loop().create_future())


async def approve(block: ToolBlock, _: Tool) -> bool | str:
    """Wait for the button; the text of a refusal is for the model."""
    if not asks(block):
        return True
    try:
        return await asyncio.wait_for(answer_to(block), PATIENCE) or "The user said no."
    except TimeoutError:
        return "The user did not answer."


async def chat(_: Request) -> EventSourceResponse:
    """Stream the reply: its text, a question for each call that destroys, and the outputs."""

    async def events() -> AsyncIterator[dict[str, str]]:
        asked: list[str] = []
        try:
            async with run(GUARD.stream(model()), TOOLS, approve) as turn:
                async for item in turn:
                    match item:
                        case str():
                            yield {"event": "text", "data": json.dumps(item)}
                        case ToolBlock() if asks(item):
                            asked.append(item.call_id)
                            answer_to(item)
                            told = {"call": item.call_id, "tool": item.tool, "path": item.path}
                            yield {"event": "ask", "data": json.dumps(told)}
                        case BlockOutput():
                            yield {"event": "output", "data": json.dumps(item.for_model())}
            yield {"event": "done", "data": "{}"}
        finally:  # also where the page has gone: nothing that waited may be allowed later
            for call in asked:
                WAITING.pop(call, None)

    return EventSourceResponse(events())


async def answer(request: Request) -> Response:
    """Take an answer: `{"call": ..., "allow": true}`. Only a call that waits has one, and only once."""
    said = await request.json()
    waiting = WAITING.get(said["call"])
    if waiting is None or waiting.done():
        return Response(status_code=404)
    waiting.set_result(said["allow"] is True)
    return Response(status_code=204)


PAGE = """<!doctype html><meta charset="utf-8"><title>Approval</title><h1>Approval</h1><pre id="log"></pre><script>
const log = document.getElementById("log");
const source = new EventSource("/chat");
source.addEventListener("text", ({ data }) => log.append(JSON.parse(data)));
source.addEventListener("output", ({ data }) => log.append(JSON.parse(data) + "\\n\\n"));
source.addEventListener("done", () => source.close());
source.addEventListener("ask", ({ data }) => {
  const { call, tool, path } = JSON.parse(data);
  const question = document.createElement("span");
  question.textContent = `${tool} ${path}? `;
  for (const [label, allow] of [["Allow", true], ["Refuse", false]]) {
    const button = document.createElement("button");
    button.textContent = label;
    button.onclick = () => {
      question.replaceChildren();
      const headers = { "content-type": "application/json" };
      fetch("/answer", { method: "POST", headers, body: JSON.stringify({ call, allow }) });
    };
    question.append(button);
  }
  log.append(question);
});
</script>"""


async def page(_: Request) -> HTMLResponse:
    """Send the page."""
    return HTMLResponse(PAGE)


app = Starlette(routes=[Route("/", page), Route("/chat", chat), Route("/answer", answer, methods=["POST"])])
