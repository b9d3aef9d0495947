"""A stream's events merged into the JSON reply that the provider would have sent instead."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from stream_guard_adapters.protocols import Protocol

Event = dict[str, Any]


def merged(events: Sequence[Event], table: Protocol) -> Event | None:
    """Return the reply; None for a stream that has none: it was cut off, or repeats nothing at its end."""
    return MERGED[table.name](events) if table.name in MERGED else None


def _chat(events: Sequence[Event]) -> Event | None:
    choices: dict[int, Event] = {}
    numbers: dict[int, list[Any]] = {}
    for event in events:
        for choice in event.get("choices") or ():
            at = choice.get("index") or 0
            if "delta" not in choice:
                return None
            said: Event = {"role": "assistant", "content": None}
            into = choices.setdefault(at, {"index": at, "message": said, "finish_reason": None})
            message, delta = into["message"], choice["delta"] or {}
            if isinstance(delta.get("content"), str):
                message["content"] = (message["content"] or "") + delta["content"]
            elif delta.get("content"):
                return None
            for call in delta.get("tool_calls") or ():
                calls = message.setdefault("tool_calls", [])
                known, number = call.get("id"), call.get("index")
                begun = [one for one, its in zip(calls, numbers.setdefault(at, []), strict=True) if its == number]
                if not begun or (known and begun[-1].get("id") not in (None, known)):  # two calls may share a number
                    begun.append({"id": known, "type": "function", "function": {"name": "", "arguments": ""}})
                    calls.append(begun[-1])
                    numbers[at].append(number)
                begun[-1]["id"] = known or begun[-1]["id"]
                for key in ("name", "arguments"):
                    begun[-1]["function"][key] += (call.get("function") or {}).get(key) or ""
            into["finish_reason"] = choice.get("finish_reason") or into["finish_reason"]
    if not choices or not all(choice["finish_reason"] for choice in choices.values()):
        return None
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": list(choices.values())}


def _messages(events: Sequence[Event]) -> Event | None:
    reply: Event = {"id": "m", "type": "message", "role": "assistant", "model": "m", "stop_reason": None, "stop_sequence": None}
    content: list[Event] = []
    said: list[str] = []
    for event in events:
        kind = event.get("type")
        if kind == "content_block_start":
            content.append(dict(event["content_block"]))
            said.append("")
        elif kind == "content_block_delta":
            delta = event["delta"]
            if "text" in delta:
                content[event["index"]]["text"] += delta["text"]
            said[event["index"]] += delta.get("partial_json") or ""
        elif kind == "message_delta":
            reply |= {key: value for key, value in event["delta"].items() if key in reply}
    for block, arguments in zip(content, said, strict=True):
        if arguments:
            block["input"] = json.loads(arguments)
    return {**reply, "content": content, "usage": {"input_tokens": 1, "output_tokens": 1}} if reply["stop_reason"] else None


def _responses(events: Sequence[Event]) -> Event | None:
    if sum(event.get("type") == "response.created" for event in events) > 1:  # a recording of several
        return None
    last = events[-1] if events else {}
    response = last.get("response") if str(last.get("type")) in ("response.completed", "response.incomplete") else None
    return {"object": "response", **response} if response and response.get("output") else None


def _gemini(events: Sequence[Event]) -> Event | None:
    candidates: dict[int, Event] = {}
    for event in events:
        for one in event.get("candidates") or ():
            at = one.get("index") or 0
            into = candidates.setdefault(at, {"index": at, "content": {"role": "model", "parts": []}})
            parts = into["content"]["parts"]
            for part in (one.get("content") or {}).get("parts") or []:
                call = part.get("functionCall")
                if call is not None and (not call.get("name") or "willContinue" in call or "partialArgs" in call):
                    _go_on(parts, part)
                else:
                    parts.append(part)
            if one.get("finishReason"):
                into["finishReason"] = one["finishReason"]
    return {"candidates": list(candidates.values())} if all("finishReason" in one for one in candidates.values()) else None


def _go_on(parts: list[Event], part: Event) -> None:
    """Add a part of a call to its last part; of one that begins, the first."""
    call = part["functionCall"]
    if call.get("name"):
        parts.append({**part, "functionCall": {"name": call["name"], "args": {}}})
    args = parts[-1]["functionCall"]["args"]
    for one in call.get("partialArgs") or ():
        (value,) = (said for key, said in one.items() if key.endswith("Value"))
        *most, last = (int(step) if step.isdigit() else step for step in re.findall(r"[^.\[\]$]+", one["jsonPath"]))
        node = args
        for step, following in zip(most, [*most[1:], last], strict=True):
            node = _at(node, step, [] if isinstance(following, int) else {})
        said = _at(node, last, "" if "stringValue" in one else None)
        node[last] = said + value if "stringValue" in one else None if value == "NULL_VALUE" else value


def _at(node: Any, step: Any, new: Any) -> Any:
    if isinstance(node, list):
        node += [new] * (step + 1 - len(node))
        return node[step]
    return node.setdefault(step, new)


def _ollama(events: Sequence[Event]) -> Event | None:
    if not events or not events[-1].get("done"):
        return None
    last = events[-1]
    if "message" in last:
        text = "".join(event["message"].get("content") or "" for event in events)
        calls = [call for event in events for call in event["message"].get("tool_calls") or ()]
        called = {"tool_calls": calls} if calls else {}
        return {**last, "message": {**last["message"], "content": text, **called}}
    return {**last, "response": "".join(event.get("response") or "" for event in events)}


MERGED: Final[Mapping[str, Callable[[Sequence[Event]], Event | None]]] = {
    "openai-chat": _chat,
    "anthropic": _messages,
    "openai-responses": _responses,
    "gemini": _gemini,
    "ollama": _ollama,
}
"""How the events of each protocol with whole replies are merged."""
