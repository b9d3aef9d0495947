"""Ollama's chat and generate."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Final

from stream_guard import ToolEvent

from .access import Shape, get, has_more, only, put, walk, without
from .base import EVERY, FEW, NAME, Called, Ended, Event, Lane, LeftOut, Piece, Protocol, as_member, as_value, is_failed

_CALL: Final = {"id": NAME, "function": {"name": NAME}}


class Ollama(Protocol):
    """The table of Ollama. There is one lane. A call is sent whole, with its arguments as an object."""

    name = "ollama"
    client = "ollama"
    sign = "done"
    shape: ClassVar[Shape] = {"message": {"content": str, "tool_calls": [_CALL, FEW]}, "response": str}
    loose = ("message", "tool_calls")
    frame = ("model", "created_at", "role")
    framing = "lines"
    promotes = True
    paths = ("/api/chat", "/api/generate")
    call_members = ("tool_calls",)
    reasons = MappingProxyType({"stop": "stop", "length": "length", "content_filter": "content_filter", "error": "error"})
    varies = ("created_at",)

    def recognises(self, event: Event) -> bool:
        return get(event, "done") is not None and (get(event, "message") is not None or get(event, "response") is not None)

    def texts(self, event: Event) -> Sequence[tuple[Lane, str]]:
        message = get(event, "message")
        text = get(message, "content") if message is not None else get(event, "response")
        return (((0,), text),) if isinstance(text, str) and text else ()

    def piece(self, event: Event, lane: Lane, text: str, *, first: bool, last: bool) -> Event:
        message = get(event, "message")
        if not first:
            event = only(
                event, **{key: said for key in (*_FRAME, *(_COUNTS if last else ())) if (said := get(event, key)) is not None}
            )
        if message is not None:
            role = get(message, "role")
            made = put(event, message=put(message, content=text) if first else only(message, role=role, content=text))
        else:
            made = put(event, response=text)
        return made if last or not get(event, "done") else put(without(made, *_COUNTS), done=False)

    def form(self, event: Event, lane: Lane) -> str:
        return "response" if get(event, "message") is None else "message"

    def beside(self, event: Event) -> bool:
        return bool(get(event, "done")) or has_more(event, "message", "response", *_FRAME) or _more(get(event, "message"))

    def ends(self, event: Event) -> Sequence[Ended]:
        if is_failed(event):
            return ((EVERY, "error"),)
        return ((EVERY, self.cause(get(event, "done_reason"))),) if get(event, "done") else ()

    def calls(self, event: Event) -> Sequence[Piece]:
        found: list[Piece] = []
        for nth, call in enumerate(_calls(event)):
            known, arguments = get(call, "id") or None, walk(call, "function", "arguments")
            arguments = {} if arguments is None else arguments
            said = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
            name = walk(call, "function", "name") or None
            found.append(Piece((0, known or str(nth)), known, name, said, whole=True, begins=True))
        return found

    def without_calls(self, event: Event, held: Collection[int]) -> Event | None:
        left = _with_calls(event, [call for nth, call in enumerate(_calls(event)) if nth not in held])
        return left if _calls(left) or self.texts(left) or self.beside(left) else None

    def in_order(self, event: Event) -> Sequence[Event]:
        calls, message = _calls(event), get(event, "message")
        if not calls:
            return (event,)
        silent = _with_calls(event, ())
        more = not get(event, "done") and has_more(event, "message", "response", *_FRAME)
        says = self.texts(silent) or _more(get(silent, "message")) or more
        unended = put(_framed(event), message=get(silent, "message"), done=False) if get(event, "done") else silent
        said = [unended] if says else []
        empty = only(message, role=get(message, "role"), content="")
        if get(event, "done") and self.cause(get(event, "done_reason")) not in ("stop", "unknown"):
            # The reason decides which of the calls may be sent on, so they stay with it.
            return [*said, put(event, message=put(empty, tool_calls=calls))] if said else (event,)
        ended = [put(silent, message=empty)] if get(event, "done") else []
        if len(said) + len(calls) + len(ended) < 2:
            return (event,)
        return [*said, *(self.alone(event, nth) for nth in range(len(calls))), *ended]

    def call_ends(self, event: Event, calls: Collection[Lane]) -> Sequence[Ended]:
        ended = self.ends(event)
        begun = () if ended else {piece.call for piece in self.calls(event)}
        return [(call, ended[0][1] if ended else None) for call in calls if ended or call in begun]

    def whole_call(self, pieces: Sequence[Event], call: Lane, name: str, arguments: str) -> Iterable[Event]:
        (made,) = _calls(pieces[0])
        said = put(get(made, "function"), name=name, arguments=as_value(arguments))
        yield _with_calls(pieces[0], [put(made, function=said)])

    def alone(self, event: Event, nth: int) -> Event:
        message, calls = get(event, "message"), [_calls(event)[nth]]
        return put(_framed(event), message=only(message, role=get(message, "role"), content="", tool_calls=calls), done=False)

    def uncalled(self, end: Event, left_out: Mapping[Lane, LeftOut]) -> Event:
        if (
            not get(end, "done")
            or left_out.get((0,)) != "length"
            or self.cause(get(end, "done_reason")) not in ("stop", "unknown")
        ):
            return end
        return put(end, done_reason="length")

    def closing(self, like: Event, ends: Mapping[Lane, bool], begun: Mapping[str, Event]) -> Sequence[Event]:
        message = get(like, "message")
        made: dict[str, Any] = {"response": ""}
        if message is not None:
            made = {"message": only(message, role=get(message, "role"), content="")}
        return [put(_framed(like), **made, done=True, done_reason="stop" if called else "length") for called in ends.values()]

    def can_call(self, like: Event, lane: Lane) -> bool:
        return get(like, "message") is not None  # otherwise a text was asked for, which has no calls

    def promote(self, like: Event, call: Called) -> Iterable[Event]:
        message = get(like, "message")
        function = {"name": call.tool, "arguments": json.loads(call.arguments)}
        made: Any = {"role": get(message, "role") or "assistant", "content": "", "tool_calls": [{"function": function}]}
        if not isinstance(like, dict):
            from ollama import Message  # deferred: here only when the events are its objects

            made = Message.model_validate(made)
        yield put(_framed(like), message=made, done=False)

    def is_reply(self, data: Mapping[str, Any]) -> bool:
        return data.get("done") is True and self.recognises(data)

    def unfolded(self, reply: dict[str, Any]) -> Sequence[Event]:
        return (reply,)

    def folded(self, reply: dict[str, Any], events: Sequence[Event]) -> dict[str, Any]:
        reasons = [event["done_reason"] for event in events if event.get("done_reason")]
        if reasons and reasons[-1] != reply.get("done_reason"):
            reply = {**reply, "done_reason": reasons[-1]}
        text = "".join(text for event in events for _, text in self.texts(event))
        if isinstance(reply.get("message"), dict):
            message = {**reply["message"], "content": text}
            calls = [call for event in events for call in _calls(event)]
            if calls != (message.get("tool_calls") or []):
                message = {**message, "tool_calls": calls} if calls else without(message, "tool_calls")
            return {**reply, "message": message}
        return {**reply, "response": text}

    def nothing(self, like: Event | None, lane: Lane | None, *, within: bool) -> dict[str, Any] | None:
        return _empty_message(like)

    def carry(self, event: ToolEvent, like: Event | None, lane: Lane | None, *, within: bool) -> Iterable[dict[str, Any]]:
        yield {**_empty_message(like), "stream_guard": as_member(event)}


def _more(message: Any) -> bool:
    """Return whether a message has other members than its text."""
    return message is not None and has_more(message, "role", "content")


def _calls(event: Event) -> Sequence[Any]:
    return walk(event, "message", "tool_calls") or ()


def _framed(event: Event) -> Event:
    """Return an event with only those members that all events of its reply have."""
    return only(event, **{key: said for key in _FRAME if (said := get(event, key)) is not None})


def _with_calls(event: Event, calls: Sequence[Any]) -> Event:
    message = get(event, "message")
    if not calls and isinstance(message, dict):
        return put(event, message=without(message, "tool_calls"))
    return put(event, message=put(message, tool_calls=[*calls] or None))


def _empty_message(like: Event | None) -> dict[str, Any]:
    kept = {key: like[key] for key in ("model", "created_at") if like and key in like}
    empty = {"response": ""} if like and "response" in like else {"message": {"role": "assistant", "content": ""}}
    return {**kept, **empty, "done": False}


_FRAME: Final = ("model", "created_at", "done")
"""The members that all events of a reply have."""

_COUNTS = ("done_reason", "total_duration", "load_duration", "prompt_eval_count", "prompt_eval_duration", "eval_count",
           "eval_duration", "context")  # fmt: skip
