"""AG-UI, the protocol between agents and user interfaces."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final

from stream_guard import StreamEnd, ToolEvent, wire

from .access import Shape, alike, bare, get, has_more, put
from .base import (
    AS_IT_CAME,
    EVERY,
    FEW,
    GUARD_EVENTS,
    MANY,
    NAME,
    AddedText,
    Called,
    Ended,
    Event,
    Lane,
    Piece,
    Protocol,
    Sent,
    as_piece,
    chosen,
    each,
    is_left_out,
    is_of_type,
    sent_in_order,
)

_BEGUN, _ARGUMENTS, _DONE, _CHUNK = "TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_CHUNK"
_MESSAGE: Final = {"toolCallId": NAME, "toolCalls": [{"id": NAME, "function": {"name": NAME}}, FEW]}

_FRAME: Final = ("type", "messageId", "delta", "subagentRunId", "timestamp", "rawEvent")
"""The members of a piece that identify its text, its time and its source. Old clients refuse an empty text, so an empty text is
sent only if the event has other members than these."""

_PAIRS: Final = {
    ("RUN_STARTED", "RUN_FINISHED"): (("threadId", "runId"), "runId"),
    ("STEP_STARTED", "STEP_FINISHED"): (("stepName",), "stepName"),
    ("TEXT_MESSAGE_START", "TEXT_MESSAGE_END"): (("messageId",), "messageId"),
    (_BEGUN, _DONE): (("toolCallId",), "toolCallId"),
}
"""The events that begin and end a run, a step and so on: the members that both have, and the member with its name."""

_CHUNKS: Final[Lane] = ("", "chunks")
"""The key of all calls in chunks, of which only the first chunk of each call must have its id."""


class AgUi(Protocol):
    """The table of AG-UI. A lane is a message."""

    name = "ag-ui"
    client = "ag_ui"
    sign = "type"
    promotes = True
    varies = ("timestamp",)
    shape: ClassVar[Shape] = {
        "type": str,
        "messageId": NAME,
        "toolCallId": NAME,
        "toolCallName": NAME,
        "messages": [_MESSAGE, MANY],
    }

    def recognises(self, event: Event) -> bool:
        known = is_of_type(event, "RUN_", "TEXT_MESSAGE_", "TOOL_CALL_", "MESSAGES_SNAPSHOT")
        return known and bool(get(event, "type").isupper())

    def as_object(self, data: Any) -> Event:
        from ag_ui.core import Event as AnyEvent  # deferred: the client is here only when objects are asked for
        from pydantic import TypeAdapter

        return TypeAdapter(AnyEvent).validate_python(data)

    def texts(self, event: Event) -> Sequence[tuple[Lane, str]]:
        text = self._text_member(event)
        return ((_message(event), text),) if isinstance(text, str) and text else ()

    def _text_member(self, event: Event) -> Any:
        return get(event, "delta") if get(event, "type") in ("TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CHUNK") else None

    def others_text(self, event: Event) -> Lane | None:
        begins = get(event, "type") in ("TEXT_MESSAGE_START", "TEXT_MESSAGE_CHUNK")
        return _message(event) if begins and get(event, "role") not in (None, "assistant") else None

    def piece(self, event: Event, lane: Lane, text: str, *, first: bool, last: bool) -> Event:
        whole = last or (first and not self.beside(event))
        return put(event if whole else bare(event, "type", "messageId", "subagentRunId"), delta=text)

    def beside(self, event: Event) -> bool:
        return has_more(event, "role", *_FRAME)

    def ends(self, event: Event) -> Sequence[Ended]:
        kind = get(event, "type")
        if kind == "TEXT_MESSAGE_END":
            return ((_message(event), None),)
        if kind == "RUN_FINISHED":
            return ((EVERY, "unknown"),)  # the protocol has no finish reason
        return ((EVERY, "error"),) if kind == "RUN_ERROR" else ()

    def echo(self, event: Event, visible: Callable[[str], str]) -> Event:
        if get(event, "type") != "MESSAGES_SNAPSHOT":
            return event
        spoken = [
            put(message, content=visible(content))
            if get(message, "role") == "assistant" and isinstance(content := get(message, "content"), str)
            else message
            for message in get(event, "messages") or ()
        ]
        return put(event, messages=spoken)

    def calls(self, event: Event) -> Sequence[Piece]:
        kind, known, name = get(event, "type"), get(event, "toolCallId") or None, get(event, "toolCallName") or None
        if kind not in (_BEGUN, _ARGUMENTS, _DONE, _CHUNK):
            return ()
        said, whole = as_piece(get(event, "delta"))
        at = _CHUNKS if kind == _CHUNK else (known or "",)
        begins = kind == _BEGUN
        return (Piece(at, known, name, said, whole=whole, begins=begins, opens=begins),)

    def about(self, event: Event) -> Lane | None:
        kind = get(event, "type")
        if not is_of_type(event, "TOOL_CALL_") or kind in (_BEGUN, _ARGUMENTS, _DONE, _CHUNK, "TOOL_CALL_RESULT"):
            return None
        return (get(event, "toolCallId") or "",)

    def plain(self, event: Event) -> tuple[Lane, str] | None:
        return None if get(event, "type") == "TEXT_MESSAGE_CHUNK" else super().plain(event)  # such a chunk ends a chunked call

    def beside_call(self, event: Event) -> bool:
        return bool(get(event, "type") == _DONE) or _says_more(event)

    def without_calls(self, event: Event, held: Collection[int]) -> Event | None:
        return None

    def call_ends(self, event: Event, calls: Collection[Lane]) -> Sequence[Ended]:
        kind, at = get(event, "type"), (get(event, "toolCallId") or "",)
        failed: StreamEnd | None = {"RUN_FINISHED": "disconnect", "RUN_ERROR": "error"}.get(kind)  # type: ignore[assignment]
        chunks_end = kind not in (_CHUNK, "RAW", "RUN_ERROR")

        def why(call: Lane) -> StreamEnd | None:
            return "stop" if (call == _CHUNKS and chunks_end) or (kind == _DONE and call == at) else failed

        ending = calls if failed is not None else [call for call in dict.fromkeys((_CHUNKS, at)) if call in calls]
        return [(call, cause) for call in ending if (cause := why(call)) is not None]

    def whole_call(self, pieces: Sequence[Event], call: Lane, name: str, arguments: str) -> Iterable[Event]:
        begun, *rest = pieces
        if get(begun, "type") == _CHUNK:
            yield put(begun, toolCallName=name, delta=arguments)
            yield from (put(event, delta="") for event in rest if _says_more(event))
            return
        yield put(begun, toolCallName=name)
        at = get(begun, "toolCallId")
        said = next((event for event in rest if get(event, "type") == _ARGUMENTS), None)
        if said is None:
            yield alike(begun, type=_ARGUMENTS, toolCallId=at, delta=arguments)
        for event in rest:
            if event is said:
                yield put(event, delta=arguments)
            elif get(event, "type") != _ARGUMENTS:
                yield event
            elif _says_more(event):
                yield put(event, delta="")
        if not any(get(event, "type") == _DONE for event in rest):
            yield alike(begun, type=_DONE, toolCallId=at)

    def with_arguments(self, event: Event, arguments: str, *, first: bool) -> Event | None:
        if get(event, "type") not in (_ARGUMENTS, _CHUNK):
            return None
        return put(event if first else bare(event, "type", "toolCallId", "subagentRunId"), delta=arguments)

    def begun(self, event: Event) -> Sequence[tuple[str, bool]]:
        kind = str(get(event, "type"))
        for (first, last), (_, key) in _PAIRS.items():
            if kind in (first, last):
                return ((f"{first} {get(event, key)}", kind == first),)
        return ()

    def closing(self, like: Event, ends: Mapping[Lane, bool], begun: Mapping[str, Event]) -> Sequence[Event]:
        events = []
        for name, event in reversed([*begun.items()]):
            first = name.partition(" ")[0]
            for (begins, last), (keys, _) in _PAIRS.items():
                if begins == first:
                    events.append(alike(like, type=last, **{key: get(event, key) for key in keys}))
        return events

    def recalled(self, event: Event, sent: Mapping[str, Sequence[Sent]]) -> Event | None:
        kind, following = get(event, "type"), sent_in_order(sent)
        if kind == "TOOL_CALL_RESULT":
            return None if is_left_out(sent, get(event, "toolCallId")) else event
        if kind != "MESSAGES_SNAPSHOT":
            return event

        def message(one: Any) -> Any:
            calls, kept = get(one, "toolCalls"), []
            if not isinstance(calls, list):
                return one
            for call in calls:
                made = following(get(call, "id"))
                if made is None:
                    continue
                function = get(call, "function")
                same = made == AS_IT_CAME or made == (get(function, "name"), get(function, "arguments"))
                kept.append(call if same else put(call, function=put(function, name=made[0], arguments=made[1])))
            same = len(kept) == len(calls) and all(one is made for one, made in zip(calls, kept, strict=True))
            return one if same else put(one, toolCalls=kept)

        left = chosen(event, "messages", lambda one: not is_left_out(sent, get(one, "toolCallId")))
        return each(left, "messages", message)

    def promote(self, like: Event, call: Called) -> Iterable[Event]:
        yield alike(like, type=_BEGUN, toolCallId=call.id, toolCallName=call.tool, parentMessageId=call.lane[0])
        yield alike(like, type=_ARGUMENTS, toolCallId=call.id, delta=call.arguments)
        yield alike(like, type=_DONE, toolCallId=call.id)

    def tell(self, like: Event, said: AddedText) -> Iterable[Event]:
        yield alike(like, type="TEXT_MESSAGE_START", messageId=said.id, role="assistant")
        yield alike(like, type="TEXT_MESSAGE_CONTENT", messageId=said.id, delta=said.text)
        yield alike(like, type="TEXT_MESSAGE_END", messageId=said.id)

    def carried(self, event: dict[str, Any]) -> tuple[Any, Any] | None:
        name = event.get("name")
        return (name, event.get("value")) if event.get("type") == "CUSTOM" and name in GUARD_EVENTS else None

    def disowned(self, event: dict[str, Any]) -> dict[str, Any]:
        if event.get("type") == "CUSTOM" and (name := event.get("name")) in GUARD_EVENTS:
            return {**event, "name": f"upstream-{name}"}
        return event

    def carry(self, event: ToolEvent, like: Event | None, lane: Lane | None, *, within: bool) -> Iterable[dict[str, Any]]:
        yield {"type": "CUSTOM", "name": wire.name(event), "value": wire.to_dict(event)}


def _says_more(event: Event) -> bool:
    """Return whether a piece of a call has other members than its arguments and those that identify the call."""
    return has_more(event, "toolCallId", "toolCallName", "parentMessageId", *_FRAME)


def _message(event: Event) -> Lane:
    return (str(get(event, "messageId") or ""),)
