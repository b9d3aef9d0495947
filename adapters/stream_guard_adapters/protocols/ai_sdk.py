"""The UI message stream of the AI SDK."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

from stream_guard import ToolBlock, ToolEvent, wire

from .access import Shape, alike, bare, get, has_more, put
from .base import (
    EVERY,
    GUARD_EVENTS,
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
    as_piece,
    as_value,
    inside,
    is_block,
    is_left_out,
    is_of_type,
)

_BEGUN, _ARGUMENTS, _WHOLE, _REFUSED = "tool-input-start", "tool-input-delta", "tool-input-available", "tool-input-error"


class AiSdk(Protocol):
    """The table of UI message streams. A lane is a text part.

    If the app has refused a call (`tool-input-error`), only that event of the call is sent on.

    Clients show a data part that comes inside an open text part only after the whole text. So the text part is closed before a
    data part, and opened again after it.
    """

    name = "ai-sdk"
    sign = "type"
    mark = "[DONE]"
    reasons = MappingProxyType({"stop": "stop", "length": "length", "content-filter": "content_filter", "error": "error"})
    claims = ("tool-calls",)
    words = MappingProxyType({"length": "length", "stop": "stop"})
    promotes = True
    headers = MappingProxyType({"x-vercel-ai-ui-message-stream": "v1"})
    shape: ClassVar[Shape] = {"type": str, "id": NAME, "path": [NAME, 8], "toolCallId": NAME, "toolName": NAME}

    def recognises(self, event: Event) -> bool:
        return is_of_type(event, "text-", "start", "finish", "data-", "tool-input-", "reasoning-")

    def texts(self, event: Event) -> Sequence[tuple[Lane, str]]:
        text = self._text_member(event)
        return ((_part(event), text),) if isinstance(text, str) and text else ()

    def _text_member(self, event: Event) -> Any:
        return get(event, _text_key(event)) if get(event, "type") == "text-delta" else None

    def piece(self, event: Event, lane: Lane, text: str, *, first: bool, last: bool) -> Event:
        key, path = _text_key(event), get(event, "path")
        if not first:
            event = bare(event, "type", "id") if path is None else put(bare(event, "type"), path=path)
        return put(event, **{key: text})

    def beside(self, event: Event) -> bool:
        return has_more(event, "type", "id", "path", _text_key(event))

    def ends(self, event: Event) -> Sequence[Ended]:
        kind = get(event, "type")
        if kind == "text-end":
            return ((_part(event), None),)
        if kind == "finish":
            return ((EVERY, self.cause(get(event, "finishReason"))),)
        return ((EVERY, "error"),) if kind in ("abort", "error") else ()

    def calls(self, event: Event) -> Sequence[Piece]:
        kind, known = get(event, "type"), str(get(event, "toolCallId") or "")
        if kind == _ARGUMENTS:
            said, all_of_them = as_piece(get(event, "inputTextDelta"))
            return (Piece((known,), known, None, said, whole=all_of_them),)
        if kind not in (_BEGUN, _WHOLE):
            return ()
        if get(event, "providerExecuted") or get(event, "inputEncoding") == "text":  # not run by the client, or no JSON
            return (Piece((known,), known, "", ""),)
        said = "" if kind == _BEGUN else _written(get(event, "input"))
        whole = kind == _WHOLE  # the app has parsed it, and may have mended it; its client reads only this
        return (
            Piece(
                (known,), known, get(event, "toolName") or None, said, whole=whole, decides=whole, begins=not whole, opens=True
            ),
        )

    def unread_calls(self, event: Event) -> Sequence[tuple[Lane, str]]:
        if (
            get(event, "type") not in (_BEGUN, _WHOLE)
            or get(event, "providerExecuted")
            or get(event, "inputEncoding") != "text"
        ):
            return ()
        return (((), str(get(event, "toolCallId") or "")),)

    def about(self, event: Event) -> Lane | None:
        if not is_of_type(event, "tool-input-") or get(event, "type") == _REFUSED or self.calls(event):
            return None
        return (str(get(event, "toolCallId") or ""),)

    def beside_call(self, event: Event) -> bool:
        return get(event, "type") == _ARGUMENTS and has_more(event, "type", "toolCallId", "inputTextDelta")

    def refused(self, event: Event) -> bool:
        return bool(get(event, "type") == _REFUSED)

    def without_calls(self, event: Event, held: Collection[int]) -> Event | None:
        return None

    def call_ends(self, event: Event, calls: Collection[Lane]) -> Sequence[Ended]:
        if get(event, "type") not in (_WHOLE, _REFUSED):
            return [(call, "disconnect" if why in ("stop", "unknown") else why) for _, why in self.ends(event) if why
                    for call in calls]  # fmt: skip
        at = (str(get(event, "toolCallId") or ""),)
        return ((at, "error" if get(event, "type") == _REFUSED else "stop"),) if at in calls else ()

    def whole_call(self, pieces: Sequence[Event], call: Lane, name: str, arguments: str) -> Iterable[Event]:
        deltas = 0
        for event in pieces:
            kind = get(event, "type")
            if kind == _ARGUMENTS:
                deltas += 1
                if deltas == 1:
                    yield put(event, inputTextDelta=arguments)
                elif self.beside_call(event):  # other members are kept where the name came after them
                    yield put(event, inputTextDelta="")
            elif kind == _BEGUN:
                yield put(event, toolName=name)
            elif kind == _WHOLE:
                given = as_value(arguments)
                yield put(
                    event,
                    toolName=name,
                    input=given if _written(get(event, "input")) != _written(given) else get(event, "input"),
                )
            else:
                yield event

    def with_arguments(self, event: Event, arguments: str, *, first: bool) -> Event | None:
        return put(event, inputTextDelta=arguments) if get(event, "type") == _ARGUMENTS else None

    def uncalled(self, end: Event, left_out: Mapping[Lane, LeftOut]) -> Event:
        if get(end, "type") != "finish" or () not in left_out:
            return end
        return inside(end, "finishReason", lambda reason: self.uncalled_reason(reason, left_out[()]))

    def begun(self, event: Event) -> Sequence[tuple[str, bool]]:
        kind = str(get(event, "type"))
        if kind in ("start-step", "finish-step"):
            return (("step", kind == "start-step"),)
        part, _, what = kind.partition("-")
        if part in ("text", "reasoning") and what in ("start", "end"):
            return ((f"{part} {get(event, 'id')}", what == "start"),)
        return ()

    def closing(self, like: Event, ends: Mapping[Lane, bool], begun: Mapping[str, Event]) -> Sequence[Event]:
        events = []
        for name, event in reversed([*begun.items()]):
            part = name.partition(" ")[0]
            events.append(
                alike(like, type="finish-step") if part == "step" else alike(like, type=f"{part}-end", id=get(event, "id"))
            )
        ended = [alike(like, type="finish", finishReason=self.closed(called=called)) for called in ends.values()]
        return [*events, *ended]

    def recalled(self, event: Event, sent: Mapping[str, Sequence[Sent]]) -> Event | None:
        # The client raises for an event about a call that it does not know.
        about = is_of_type(event, "tool-output-", "tool-approval-request") and get(event, "toolCallId")
        return None if about and is_left_out(sent, about) else event

    def promote(self, like: Event, call: Called) -> Iterable[Event]:
        at: dict[str, Any] = {"toolCallId": call.id, "toolName": call.tool}
        yield alike(like, type=_BEGUN, **at)
        yield alike(like, type=_ARGUMENTS, toolCallId=call.id, inputTextDelta=call.arguments)
        yield alike(like, type=_WHOLE, **at, input=json.loads(call.arguments))

    def promoted(self, end: Event, calls: Sequence[Called]) -> Event:
        return put(end, finishReason="tool-calls") if self.cause(get(end, "finishReason")) == "stop" else end

    def tell(self, like: Event, said: AddedText) -> Iterable[Event]:
        yield alike(like, type="text-start", id=said.id)
        yield alike(like, type="text-delta", id=said.id, delta=said.text)
        yield alike(like, type="text-end", id=said.id)

    def carried(self, event: dict[str, Any]) -> tuple[Any, Any] | None:
        kind = event.get("type")
        name = kind.removeprefix("data-") if isinstance(kind, str) else ""
        return (name, event.get("data")) if name in GUARD_EVENTS else None

    def disowned(self, event: dict[str, Any]) -> dict[str, Any]:
        kind = event.get("type")
        if isinstance(kind, str) and kind.removeprefix("data-") in GUARD_EVENTS:
            return {**event, "type": kind.replace("json-tool-", "upstream-json-tool-")}
        return event

    def carry(self, event: ToolEvent, like: Event | None, lane: Lane | None, *, within: bool) -> Iterable[dict[str, Any]]:
        # A client replaces a part by one with the same id, so each call of a block has its own.
        name = f"{event.id}.{event.part}" if isinstance(event, ToolBlock) else event.id
        data = {"type": f"data-{wire.name(event)}", "id": name, "data": wire.to_dict(event)}
        if not is_block(event):
            yield {**data, "transient": True}
        elif lane is None or not within:
            yield data
        else:
            yield {"type": "text-end", "id": lane[0]}
            yield data
            yield {"type": "text-start", "id": lane[0]}


def _written(given: Any) -> str:
    """Return the input of a call as JSON. An input that is a string could not be parsed, and is returned as it is."""
    return given if isinstance(given, str) else json.dumps(given if given is not None else {}, ensure_ascii=False)


def _text_key(event: Event) -> str:
    """Return the name of the member with the text, which differs in the first version of the protocol."""
    return "delta" if get(event, "delta") is not None else "textDelta"


def _part(event: Event) -> Lane:
    name = get(event, "id")
    return (str(name),) if name is not None else tuple(get(event, "path") or ("",))
