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

from stream_guard import ApprovalPolicy, Guard, Risk, Tool, ToolBlock, Toolset, run
from stream_guard.wire import to_sse

FILES = {"notes.txt": "Buy milk.", "old.txt": "Sold the car."}
WAITING: dict[str, asyncio.Future[bool]] = {}
"""The answers that calls wait for, by the id of the call."""


def delete_file(call: dict[str, Any]) -> str:
    """Delete a file from memory."""
    return f"{call['path']} is gone" if FILES.pop(call["path"], None) is not None else "there is no such file"


async def approve(block: ToolBlock, _: Tool) -> bool | str:
    """Wait for the button; the text of a refusal is for the model."""
    answer = WAITING[block.call_id] = asyncio.get_running_loop().create_future()
    try:
        return await answer or "The user said no."
    finally:  # also where the page has gone: what waited cannot be allowed later
        del WAITING[block.call_id]


PATH = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"], "additionalProperties": False}
TOOLS = Toolset(Tool("delete_file", "Delete a file", PATH, handler=delete_file, risk=Risk.DESTRUCTIVE))
GUARD = Guard(TOOLS, approve=approve, approval=ApprovalPolicy(timeout=300))


async def model() -> AsyncIterator[str]:
    """Stands for a model's stream: two calls."""
    for path in ("notes.txt", "old.txt"):
        yield f'I delete {path}.\n\n```json\n{{"tool": "delete_file", "path": "{path}"}}\n```\n\n'


async def chat(_: Request) -> EventSourceResponse:
    """Stream the reply: its text, the status of each call (`approving` while it waits), and the results."""

    async def events() -> AsyncIterator[Any]:
        async with run(GUARD.stream(model()), TOOLS) as turn:
            async for item in turn:
                yield {"event": "text", "data": json.dumps(item)} if isinstance(item, str) else to_sse(item)
        yield {"event": "done", "data": "{}"}

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
source.addEventListener("json-tool-result", ({ data }) => log.append(JSON.parse(data).text + "\\n\\n"));
source.addEventListener("done", () => source.close());
source.addEventListener("json-tool-status", ({ data }) => {
  const { status, callId, toolType, arguments: given } = JSON.parse(data);
  if (status !== "approving") return;
  const question = document.createElement("span");
  question.textContent = `${toolType} ${JSON.stringify(given)}? `;
  for (const [label, allow] of [["Allow", true], ["Refuse", false]]) {
    const button = document.createElement("button");
    button.textContent = label;
    button.onclick = () => {
      question.replaceChildren();
      const headers = { "content-type": "application/json" };
      fetch("/answer", { method: "POST", headers, body: JSON.stringify({ call: callId, allow }) });
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
