"""Ollama's chat and generate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from stream_guard import ToolEvent

from .access import Shape, bare, get, only, put, without
from .base import EVERY, Ended, Event, Lane, Protocol, as_member, cause, is_failed


class Ollama(Protocol):
    """The table of Ollama. There is one lane."""

    name = "ollama"
    sign = "done"
    shape: ClassVar[Shape | None] = {"message": {}}
    framing = "lines"
    varies = ("created_at",)

    def recognises(self, event: Event) -> bool:
        return get(event, "done") is not None and (get(event, "message") is not None or get(event, "response") is not None)

    def texts(self, event: Event) -> Sequence[tuple[Lane, str]]:
        message = get(event, "message")
        text = get(message, "content") if message is not None else get(event, "response")
        return (((0,), text),) if isinstance(text, str) and text else ()

    def piece(self, event: Event, lane: Lane, text: str, *, first: bool, last: bool) -> Event:
        message = get(event, "message")
        if not first and not last:
            event, message = bare(event, "model", "created_at", "done"), bare(message, "role")
        if message is not None:
            role = get(message, "role")
            made = put(event, message=put(message, content=text) if first else only(message, role=role, content=text))
        else:
            made = put(event, response=text)
        return made if last or not get(event, "done") else put(without(made, *_COUNTS), done=False)

    def beside(self, event: Event) -> bool:
        message = get(event, "message")
        return bool(get(event, "done")) or any(get(message, key) for key in ("thinking", "images", "tool_calls"))

    def ends(self, event: Event) -> Sequence[Ended]:
        if is_failed(event):
            return ((EVERY, "error"),)
        return ((EVERY, cause(get(event, "done_reason"))),) if get(event, "done") else ()

    def is_reply(self, data: Mapping[str, Any]) -> bool:
        return data.get("done") is True and self.recognises(data)

    def unfolded(self, reply: dict[str, Any]) -> Sequence[Event]:
        return (reply,)

    def folded(self, reply: dict[str, Any], events: Sequence[Event]) -> dict[str, Any]:
        text = "".join(text for event in events for _, text in self.texts(event))
        if isinstance(reply.get("message"), dict):
            return {**reply, "message": {**reply["message"], "content": text}}
        return {**reply, "response": text}

    def nothing(self, like: Event, lane: Lane, *, within: bool) -> dict[str, Any] | None:
        return _empty_message(like)

    def carry(self, event: ToolEvent, like: Event | None, lane: Lane | None, *, within: bool) -> Iterable[dict[str, Any]]:
        yield {**_empty_message(like), "stream_guard": as_member(event)}


def _empty_message(like: Event | None) -> dict[str, Any]:
    kept = {key: like[key] for key in ("model", "created_at") if like and key in like}
    empty = {"response": ""} if like and "response" in like else {"message": {"role": "assistant", "content": ""}}
    return {**kept, **empty, "done": False}


_COUNTS = ("done_reason", "total_duration", "load_duration", "prompt_eval_count", "prompt_eval_duration", "eval_count",
           "eval_duration", "context")  # fmt: skip
