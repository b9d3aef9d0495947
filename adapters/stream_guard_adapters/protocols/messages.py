"""Anthropic messages: their raw events, and the ends of blocks as the client's helper extends them."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final

from stream_guard import ToolEvent

from .access import Shape, bare, get, put, walk
from .base import (
    EVERY,
    MANY,
    NAME,
    Called,
    Ended,
    Event,
    Lane,
    Piece,
    Protocol,
    Sent,
    cause,
    each,
    inside,
    is_of_type,
    seen,
    told,
)

_BLOCK: Final = {"type": str, "id": NAME, "name": NAME, "text": str}


class Messages(Protocol):
    """The table of messages. A lane is a content block."""

    name = "anthropic"
    sign = "type"
    named = promotes = survives = True
    client = "anthropic"
    shape: ClassVar[Shape | None] = {
        "type": str,
        "index": int,
        "delta": {"type": str, "text": str, "partial_json": str},
        "content_block": _BLOCK,
        "message": {"content": [_BLOCK, MANY]},
    }

    def recognises(self, event: Event) -> bool:
        return is_of_type(event, "message_start", "content_block_", "message_delta", "message_stop")

    def as_object(self, data: Any) -> Event:
        from anthropic._models import construct_type  # deferred, and private: the client's own choice among its kinds of events
        from anthropic.types import RawMessageStreamEvent

        return construct_type(type_=RawMessageStreamEvent, value=data)

    def texts(self, event: Event) -> Sequence[tuple[Lane, str]]:
        kind = get(event, "type")
        text = None
        if kind == "content_block_delta" and walk(event, "delta", "type") == "text_delta":
            text = walk(event, "delta", "text")
        elif kind == "content_block_start" and walk(event, "content_block", "type") == "text":
            text = walk(event, "content_block", "text")
        return (((get(event, "index") or 0,), text),) if isinstance(text, str) and text else ()

    def piece(self, event: Event, lane: Lane, text: str, *, first: bool, last: bool) -> Event:
        if get(event, "type") == "content_block_delta":
            delta = get(event, "delta")
            if not first and not last:
                event, delta = bare(event, "type", "index"), bare(delta, "type")
            return put(event, delta=put(delta, text=text))
        if first:
            return put(event, content_block=put(get(event, "content_block"), text=text))
        return {"type": "content_block_delta", "index": lane[0], "delta": {"type": "text_delta", "text": text}}

    def beside(self, event: Event) -> bool:
        return bool(get(event, "type") == "content_block_start")

    def ends(self, event: Event) -> Sequence[Ended]:
        kind = get(event, "type")
        if kind == "content_block_stop":
            return (((get(event, "index") or 0,), None),)
        if kind == "message_delta":
            reason = walk(event, "delta", "stop_reason")
            return ((EVERY, cause(reason)),) if reason else ()
        if kind == "error":
            return ((EVERY, "error"),)
        return ((EVERY, "unknown"),) if kind == "message_stop" else ()  # the reason came before it

    def echo(self, event: Event, visible: Callable[[str], str]) -> Event:
        kind = get(event, "type")
        if kind == "content_block_stop" and walk(event, "content_block", "type") == "text":
            return inside(event, "content_block", lambda block: seen(block, visible))
        if kind == "message_stop" and walk(event, "message", "content"):
            return inside(event, "message", lambda message: each(message, "content", lambda block: seen(block, visible)))
        return event

    def calls(self, event: Event) -> Sequence[Piece]:
        kind, at = get(event, "type"), (get(event, "index") or 0,)
        if kind == "content_block_start":
            block = get(event, "content_block")
            if get(block, "type") == "tool_use":
                given = get(block, "input")  # nearly always {}: the deltas have the arguments
                said = json.dumps(given, ensure_ascii=False) if given else ""
                return (Piece(at, get(block, "id"), get(block, "name"), said),)
            # What the provider's own servers run has arguments too, and is no call of anybody's.
            return (Piece(at, get(block, "id"), "", ""),) if get(block, "input") is not None else ()
        if kind == "content_block_delta" and walk(event, "delta", "type") == "input_json_delta":
            return (Piece(at, None, None, walk(event, "delta", "partial_json") or ""),)
        return ()

    def without_calls(self, event: Event, held: Collection[int]) -> Event | None:
        return None if get(event, "type") in ("content_block_start", "content_block_delta") else event

    def call_ends(self, event: Event, calls: Collection[Lane]) -> Sequence[Ended]:
        if get(event, "type") == "content_block_stop":
            at = (get(event, "index") or 0,)
            return ((at, None),) if at in calls else ()
        # What is still open has had no end of its own: it was cut off, whatever the message says.
        return [(call, "disconnect" if why in ("stop", "unknown") else why) for _, why in self.ends(event) for call in calls]

    def whole_call(self, pieces: Sequence[Event], call: Lane, name: str, arguments: str) -> Iterable[Event]:
        start = _first(pieces, "content_block_start")
        delta = _first(pieces, "content_block_delta")
        given = json.loads(arguments) if delta is None else {}
        yield put(start, content_block=put(get(start, "content_block"), name=name, input=given))
        if delta is not None:
            yield put(delta, delta=put(get(delta, "delta"), partial_json=arguments))

    def no_call(self, pieces: Sequence[Event], call: Lane) -> Iterable[Event]:
        start = _first(pieces, "content_block_start")  # an index that is missing is more than its clients survive
        if start is not None:
            yield put(start, content_block=_nothing(start))

    def recalled(self, event: Event, sent: Mapping[str, Sent]) -> Event:
        def recalled(block: Any) -> Any:
            known = get(block, "id")
            if get(block, "type") != "tool_use" or known not in sent:
                return block
            call = sent[known]
            return _nothing(block) if call is None else put(block, name=call[0], input=json.loads(call[1] or "{}"))

        kind = get(event, "type")
        if kind == "content_block_stop" and get(event, "content_block") is not None:
            return inside(event, "content_block", recalled)
        if kind == "message_stop" and walk(event, "message", "content"):
            return inside(event, "message", lambda message: each(message, "content", recalled))
        return event

    def place(self, event: Event) -> int | None:
        place: int | None = get(event, "index")
        return place

    def promote(self, like: Event, call: Called) -> Iterable[Event]:
        block = {"type": "tool_use", "id": call.id, "name": call.tool, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": call.arguments}
        told = [
            {"type": "content_block_start", "index": call.number, "content_block": block},
            {"type": "content_block_delta", "index": call.number, "delta": delta},
            {"type": "content_block_stop", "index": call.number},
        ]
        if isinstance(like, dict):
            return told
        from anthropic import types  # deferred: here only when the events are its objects

        kinds: Any = (types.RawContentBlockStartEvent, types.RawContentBlockDeltaEvent, types.RawContentBlockStopEvent)
        return [kind.model_validate(event) for kind, event in zip(kinds, told, strict=True)]

    def promoted(self, end: Event, calls: Sequence[Called]) -> Event:
        if walk(end, "delta", "stop_reason") != "end_turn":
            return end
        return inside(end, "delta", lambda delta: put(delta, stop_reason="tool_use"))

    def nothing(self, like: Event, lane: Lane, *, within: bool) -> dict[str, Any] | None:
        return _silent(lane) if within else {"type": "ping"}

    def ours(self, event: ToolEvent, like: Event | None, lane: Lane | None, *, within: bool) -> Iterable[dict[str, Any]]:
        if lane is not None and within:
            yield {**_silent(lane), "stream_guard": told(event)}
        else:  # no text is open; this says nothing, and a later one of its kind will say what there is to be said
            reason = {"stop_reason": None, "stop_sequence": None}
            yield {"type": "message_delta", "delta": reason, "usage": {"output_tokens": 0}, "stream_guard": told(event)}


def _silent(lane: Lane) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": lane[0], "delta": {"type": "text_delta", "text": ""}}


def _nothing(like: Any) -> Any:
    """Return an empty text block, in the place of a call."""
    if isinstance(like, dict):
        return {"type": "text", "text": ""}
    from anthropic.types import TextBlock  # deferred: here only when the events are its objects

    return TextBlock(type="text", text="")


def _first(events: Sequence[Event], kind: str) -> Event | None:
    return next((event for event in events if get(event, "type") == kind), None)
