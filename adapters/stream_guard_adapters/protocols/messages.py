"""Anthropic messages: their raw events, and the ends of blocks as the client's helper extends them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain, repeat
from types import MappingProxyType
from typing import Any, ClassVar, Final

from stream_guard import ToolEvent

from .access import Shape, bare, get, has_more, put, walk
from .base import (
    AS_IT_CAME,
    EVERY,
    MANY,
    NAME,
    AddedText,
    Called,
    Ended,
    Event,
    Lane,
    LeftOut,
    Piece,
    Protocol,
    Sent,
    Thinking,
    as_member,
    as_piece,
    each,
    inside,
    is_of_type,
    seen,
    sent_in_order,
)
from .json_text import dumped, loaded

_BLOCK: Final = {"type": str, "id": NAME, "name": NAME, "text": str}


class Messages(Protocol):
    """The table of messages. A lane is a content block."""

    name = "anthropic"
    sign = "type"
    named = promotes = True
    client = "anthropic"
    paths = ("/messages",)
    call_types = ("tool_use",)
    places = "index"
    thinks = "messages"
    reasons = MappingProxyType({
        "end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length", "model_context_window_exceeded": "length",
        "refusal": "content_filter",
        "length": "length", "content_filter": "content_filter", "error": "error",  # of servers with models of other providers
    })  # fmt: skip
    claims = ("tool_use",)
    words = MappingProxyType({"length": "max_tokens", "stop": "end_turn"})
    shape: ClassVar[Shape] = {
        "type": str,
        "index": int,
        "delta": {},
        "content_block": _BLOCK,
        "message": {"content": [_BLOCK, MANY]},
    }

    def _reads(self, event: Event) -> bool:
        unread = walk(event, "delta", "partial_json") is not None and not isinstance(walk(event, "delta", "type"), str)
        return not unread and super()._reads(event)

    def recognises(self, event: Event) -> bool:
        return is_of_type(event, "message_start", "content_block_", "message_delta", "message_stop")

    def as_object(self, data: Any) -> Event:
        from anthropic._models import construct_type  # deferred, and private: the client's own choice among its types of events
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
            if not first:
                event, delta = bare(event, "type", "index"), bare(delta, "type")
            return put(event, delta=put(delta, text=text))
        if first:
            return put(event, content_block=put(get(event, "content_block"), text=text))
        said: dict[str, Any] = {"type": "content_block_delta", "index": lane[0], "delta": {"type": "text_delta", "text": text}}
        return said if isinstance(event, dict) else self.as_object(said)

    def beside(self, event: Event) -> bool:
        if get(event, "type") == "content_block_start":
            return True
        return has_more(event, "type", "index", "delta") or has_more(get(event, "delta"), "type", "text")

    def begins(self, event: Event) -> bool:
        return bool(get(event, "type") == "content_block_start")

    def ends(self, event: Event) -> Sequence[Ended]:
        kind = get(event, "type")
        if kind == "content_block_stop":
            return (((get(event, "index") or 0,), None),)
        if kind == "message_delta":
            reason = walk(event, "delta", "stop_reason")
            return ((EVERY, self.cause(reason)),) if reason else ()
        if kind == "error":
            return ((EVERY, "error"),)
        return ((EVERY, "unknown"),) if kind == "message_stop" else ()  # an earlier event has the reason

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
                given = get(block, "input")  # nearly always {}, since deltas have the arguments
                said = dumped(given, spaced=True) if given else ""
                return (Piece(at, get(block, "id"), get(block, "name"), said, whole=bool(said), begins=True, opens=True),)
            # Calls that the provider's own servers run have arguments too, but are no calls of clients.
            return (Piece(at, get(block, "id"), "", ""),) if get(block, "input") is not None else ()
        if kind == "content_block_delta" and walk(event, "delta", "type") == "input_json_delta":
            said, whole = as_piece(walk(event, "delta", "partial_json"))
            return (Piece(at, None, None, said, whole=whole),)
        return ()

    def thinking(self, event: Event) -> Sequence[Thinking]:
        kind, at = get(event, "type"), (get(event, "index") or 0,)
        if kind == "content_block_start":
            block = get(event, "content_block")
            return (Thinking(at, block),) if get(block, "type") in ("thinking", "redacted_thinking") else ()
        if kind == "content_block_stop":
            return (Thinking(at, ended=True),)
        said = walk(event, "delta", "type") if kind == "content_block_delta" else None
        if said == "thinking_delta" and isinstance(text := walk(event, "delta", "thinking"), str):
            return (Thinking(at, text=text),)
        if said == "signature_delta" and isinstance(signature := walk(event, "delta", "signature"), str):
            return (Thinking(at, signature=signature),)
        return ()

    def beside_call(self, event: Event) -> bool:
        return has_more(event, "type", "index", "delta") or has_more(get(event, "delta"), "type", "partial_json")

    def about(self, event: Event) -> Lane | None:
        return (get(event, "index") or 0,) if get(event, "type") == "content_block_delta" and not self.calls(event) else None

    def without_calls(self, event: Event, held: Collection[int]) -> Event | None:
        return None if get(event, "type") in ("content_block_start", "content_block_delta") else event

    def call_ends(self, event: Event, calls: Collection[Lane]) -> Sequence[Ended]:
        if get(event, "type") == "content_block_stop":
            at = (get(event, "index") or 0,)
            return ((at, None),) if at in calls else ()
        # A block that is still open had no end of its own: it was cut off, whatever the message says.
        return [(call, "disconnect" if why in ("stop", "unknown") else why) for _, why in self.ends(event) for call in calls]

    def whole_call(self, pieces: Sequence[Event], call: Lane, name: str, arguments: str) -> Iterable[Event]:
        start = _first(pieces, "content_block_start")
        rest = [event for event in pieces if get(event, "type") == "content_block_delta"]
        given = {} if any(self.calls(event) for event in rest) else loaded(arguments or "{}")
        yield put(start, content_block=put(get(start, "content_block"), name=name, input=given))
        left = chain((arguments,), repeat(""))
        for delta in rest:
            yield put(delta, delta=put(get(delta, "delta"), partial_json=next(left))) if self.calls(delta) else delta

    def with_arguments(self, event: Event, arguments: str, *, first: bool) -> Event | None:
        if get(event, "type") != "content_block_delta":
            return None
        return put(event, delta=put(get(event, "delta"), partial_json=arguments))

    def uncalled(self, end: Event, left_out: Mapping[Lane, LeftOut]) -> Event:
        def uncalled(said: Any) -> Any:
            return inside(said, "stop_reason", lambda reason: self.uncalled_reason(reason, left_out[()]))

        return inside(end, _SAYS[kind], uncalled) if (kind := get(end, "type")) in _SAYS and () in left_out else end

    def recalled(self, event: Event, sent: Mapping[str, Sequence[Sent]]) -> Event:
        def retold(block: Any, call: Sent) -> Any:
            if call is None or call == AS_IT_CAME:
                return block
            try:
                return put(block, name=call[0], input=loaded(call[1] or "{}"))
            except ValueError:  # it was sent on as written
                return block

        def said(message: Any) -> Any:
            following, blocks, kept = sent_in_order(sent), get(message, "content"), []
            for block in blocks:
                call = following(get(block, "id")) if get(block, "type") == "tool_use" else AS_IT_CAME
                if call is not None:
                    kept.append(retold(block, call))
            same = len(kept) == len(blocks) and all(one is made for one, made in zip(blocks, kept, strict=True))
            return message if same else put(message, content=kept)

        kind = get(event, "type")
        if kind == "content_block_stop" and walk(event, "content_block", "type") == "tool_use":
            known = sent.get(walk(event, "content_block", "id"))
            return inside(event, "content_block", lambda block: retold(block, known[-1])) if known else event
        if kind == "message_stop" and isinstance(walk(event, "message", "content"), list):
            return inside(event, "message", said)
        return event

    def begun(self, event: Event) -> Sequence[tuple[str, bool]]:
        kind = get(event, "type")
        if kind in ("content_block_start", "content_block_stop"):
            return ((f"block {get(event, 'index') or 0}", kind == "content_block_start"),)
        return (("message", kind == "message_start"),) if kind in ("message_start", "message_stop") else ()

    def closing(self, like: Event, ends: Mapping[Lane, bool], begun: Mapping[str, Event]) -> Sequence[Event]:
        left = {name: event for name, event in begun.items() if name != "message"}
        events: list[dict[str, Any]] = [
            {"type": "content_block_stop", "index": get(event, "index") or 0} for event in left.values()
        ]
        for called in ends.values():
            used = get(_usage(begun.get("message")), "output_tokens") or 0
            delta = {"stop_reason": self.closed(called=called), "stop_sequence": None}
            events.append({"type": "message_delta", "delta": delta, "usage": {"output_tokens": used}})
        if ends or "message" in begun:
            events.append({"type": "message_stop"})
        return events if isinstance(like, dict) else [self.as_object(event) for event in events]

    def only_ends(self, event: Event) -> bool:
        return bool(get(event, "type") == "content_block_stop")

    def promote(self, like: Event, call: Called) -> Iterable[Event]:
        block = {"type": "tool_use", "id": call.id, "name": call.tool, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": call.arguments}
        events = [
            {"type": "content_block_start", "index": call.number, "content_block": block},
            {"type": "content_block_delta", "index": call.number, "delta": delta},
            {"type": "content_block_stop", "index": call.number},
        ]
        return events if isinstance(like, dict) else [self.as_object(event) for event in events]

    def promoted(self, end: Event, calls: Sequence[Called]) -> Event:
        if self.cause(walk(end, "delta", "stop_reason")) != "stop":
            return end
        return inside(end, "delta", lambda delta: put(delta, stop_reason="tool_use"))

    def tell(self, like: Event, said: AddedText) -> Iterable[Event]:
        at = {"index": said.number}
        events = [
            {"type": "content_block_start", **at, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", **at, "delta": {"type": "text_delta", "text": said.text}},
            {"type": "content_block_stop", **at},
        ]
        return events if isinstance(like, dict) else [self.as_object(event) for event in events]

    def is_reply(self, data: Mapping[str, Any]) -> bool:
        return data.get("type") == "message" and data.get("role") == "assistant" and isinstance(data.get("content"), list)

    def unfolded(self, reply: dict[str, Any]) -> Sequence[Event]:
        events: list[Event] = []
        for index, block in enumerate(reply["content"]):
            kind, at = get(block, "type"), {"index": index}
            delta = None
            if kind == "text" and isinstance(get(block, "text"), str):
                block, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
            elif kind == "tool_use":
                said = dumped(get(block, "input"), spaced=True)
                block, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": said}
            events.append({"type": "content_block_start", **at, "content_block": block})
            if delta is not None:
                events.append({"type": "content_block_delta", **at, "delta": delta})
            events.append({"type": "content_block_stop", **at})
        ended = {key: reply.get(key) for key in ("stop_reason", "stop_sequence")}
        return [*events, {"type": "message_delta", "delta": ended}, {"type": "message_stop"}]

    def folded(self, reply: dict[str, Any], events: Sequence[Event]) -> dict[str, Any]:
        blocks: list[Any] = []
        said: list[list[str]] = []  # the texts and the arguments of the deltas of each block
        ended: dict[str, Any] = {}
        for event in events:
            if event["type"] == "content_block_start":
                blocks.append(event["content_block"])
                said.append([])
            elif event["type"] == "content_block_delta":
                said[-1].append(event["delta"].get("text") or event["delta"].get("partial_json") or "")
            elif event["type"] == "message_delta":
                ended = {key: value for key, value in event["delta"].items() if key in reply}
        content = []
        for block, pieces in zip(blocks, said, strict=True):
            kind = get(block, "type")
            if kind == "text" and (pieces or get(block, "text")):
                content.append(put(block, text=f"{get(block, 'text')}{''.join(pieces)}"))
            elif kind == "tool_use" and pieces:
                content.append(put(block, input=loaded("".join(pieces) or "{}")))
            elif kind != "text":  # the API refuses an empty text that is sent back
                content.append(block)
        return put(reply, **ended, content=content)

    def nothing(self, like: Event | None, lane: Lane | None, *, within: bool) -> dict[str, Any] | None:
        return _silent(lane) if lane is not None and within else {"type": "ping"}

    def counted(self, event: Event) -> bool:
        return isinstance(get(_usage(event), "output_tokens"), int)

    def carry(self, event: ToolEvent, like: Event | None, lane: Lane | None, *, within: bool) -> Iterable[dict[str, Any]]:
        if lane is not None and within:
            yield {**_silent(lane), "stream_guard": as_member(event)}
        else:  # no text is open; this says nothing new, and a later one of its kind will say what there is to be said
            reason = {"stop_reason": None, "stop_sequence": None}
            used = get(_usage(like), "output_tokens") or 0  # clients take it as the count so far
            yield {"type": "message_delta", "delta": reason, "usage": {"output_tokens": used}, "stream_guard": as_member(event)}


def _usage(event: Event | None) -> Any:
    """Return the token usage that an event reports; None if it reports none."""
    kind = get(event, "type")
    if kind == "message_delta":
        return get(event, "usage")
    return walk(event, "message", "usage") if kind == "message_start" else None


def _silent(lane: Lane) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": lane[0], "delta": {"type": "text_delta", "text": ""}}


_SAYS: Final = {"message_delta": "delta", "message_stop": "message"}
"""The events with the reason why a message ended, each with the member that has it."""


def _first(events: Sequence[Event], kind: str) -> Event | None:
    return next((event for event in events if get(event, "type") == kind), None)
