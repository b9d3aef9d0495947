"""OpenAI chat completions, the older completions, and compatible APIs: Azure, Mistral, Groq, LiteLLM ..."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import count
from typing import Any, ClassVar, Final

from stream_guard import ToolEvent

from .access import Shape, bare, get, only, put, walk, without
from .base import EVERY, FEW, NAME, Called, Ended, Event, Lane, LeftOut, Piece, Protocol, as_member, cause, each, is_failed

_CHOICE: Final = {"index": int, "delta": {"tool_calls": [{"id": NAME, "function": {"name": NAME}}, FEW]}}


class Chat(Protocol):
    """The table of chat completions. A lane is a choice."""

    name = "openai-chat"
    sign = "choices"
    mark = "[DONE]"
    promotes = True
    client = "openai"
    varies = ("created", "obfuscation", "p")
    shape: ClassVar[Shape | None] = {"choices": [_CHOICE, FEW]}

    def recognises(self, event: Event) -> bool:
        return isinstance(get(event, "choices"), list)

    def as_object(self, data: Any) -> Event:
        from openai.types.chat import ChatCompletionChunk  # deferred: whoever asks for objects has the client

        return ChatCompletionChunk.construct(**data)

    def texts(self, event: Event) -> Sequence[tuple[Lane, str]]:
        found: list[tuple[Lane, str]] = []
        for choice in get(event, "choices") or ():
            text = _text(choice)
            if text:
                found.append((_lane(choice), text))
        return found

    def plain(self, event: Event) -> tuple[Lane, str] | None:
        if type(event) is dict:
            choices = event.get("choices")
            if not choices or len(choices) > 1 or "error" in event or type(choices[0]) is not dict:
                return None
            choice = choices[0]
            delta = choice.get("delta")
            if not delta or choice.get("finish_reason") is not None or delta.get("tool_calls"):
                return None
            content, index = delta.get("content"), choice.get("index")
        else:
            try:
                (choice,) = event.choices
                delta, index = choice.delta, choice.index
                if choice.finish_reason is not None or delta.tool_calls or "error" in (event.__pydantic_extra__ or ()):
                    return None
                content = delta.content
            except (AttributeError, TypeError, ValueError):
                return None
        return ((index or 0,), content) if content and type(content) is str else None

    def piece(self, event: Event, lane: Lane, text: str, *, first: bool, last: bool) -> Event:
        choice = next(choice for choice in get(event, "choices") if _lane(choice) == lane)
        made = _with_text(choice, text, beside=first)
        if not first and not last and isinstance(made, dict):
            said = "delta" if made.get("delta") is not None else "text"
            event, made = bare(event, *_FRAME), {**bare(made, "index"), said: made[said]}
        if not first:
            made = put(made, logprobs=None)
        if not last:
            made = put(made, finish_reason=None)
        event = put(without(event, "obfuscation"), choices=[made])
        return event if last or get(event, "usage") is None else put(event, usage=None)

    def beside(self, event: Event) -> bool:
        return any(
            get(choice, "finish_reason") is not None or _more(get(choice, "delta")) for choice in get(event, "choices")
        ) or bool(get(event, "usage"))

    def apart(self, event: Event) -> Sequence[Event]:
        choices = get(event, "choices")
        if len(choices) < 2:
            return (event,)
        *most, last = choices
        return [*(put(bare(event, *_FRAME), choices=[one]) for one in most), put(event, choices=[last])]

    def ends(self, event: Event) -> Sequence[Ended]:
        if is_failed(event):
            return ((EVERY, "error"),)
        reasons = [(_lane(choice), get(choice, "finish_reason")) for choice in get(event, "choices") or ()]
        return [(lane, cause(reason)) for lane, reason in reasons if reason]

    def calls(self, event: Event) -> Sequence[Piece]:
        found: list[Piece] = []
        for choice in get(event, "choices") or ():
            for call in walk(choice, "delta", "tool_calls") or ():
                function = get(call, "function")
                name, arguments = get(function, "name"), get(function, "arguments")
                at = (*_lane(choice), _key(call))
                at_once = isinstance(arguments, dict | list)  # as some dialects tell them, and no client reads them
                said = json.dumps(arguments) if at_once else arguments if isinstance(arguments, str) else ""
                found.append(Piece(at, get(call, "id") or None, name or None, said, whole=at_once))
        return found

    def without_calls(self, event: Event, held: Collection[int]) -> Event | None:
        left = []
        nth = count()
        for choice in get(event, "choices"):
            calls = walk(choice, "delta", "tool_calls") or ()
            kept = [call for call in calls if next(nth) not in held]
            delta = put(get(choice, "delta"), tool_calls=kept or None) if calls else get(choice, "delta")
            if isinstance(delta, dict) and not kept:
                delta = without(delta, "tool_calls")
            left.append(put(choice, delta=delta) if calls else choice)
        made = put(without(event, "obfuscation"), choices=left)
        says = any(_text(choice) or get(choice, "finish_reason") or _more(get(choice, "delta")) for choice in left)
        return made if says or get(event, "usage") else None

    def call_ends(self, event: Event, calls: Collection[Lane]) -> Sequence[Ended]:
        if is_failed(event):
            return [(call, "error") for call in calls]
        choices = get(event, "choices") or ()
        ended = {_lane(choice): reason for choice in choices if (reason := get(choice, "finish_reason"))}
        return [(call, cause(ended[call[:1]])) for call in calls if call[:1] in ended] if ended else ()

    def whole_call(self, pieces: Sequence[Event], call: Lane, name: str, arguments: str) -> Iterable[Event]:
        first = pieces[0]
        choice, calls = next(
            (choice, one)
            for choice in get(first, "choices")
            if _lane(choice) == call[:1]
            for one in walk(choice, "delta", "tool_calls") or ()
            if _key(one) == call[1]
        )
        made = put(calls, function=put(get(calls, "function"), name=name, arguments=arguments))
        choice = put(choice, delta=only(get(choice, "delta"), tool_calls=[made]), finish_reason=None, logprobs=None)
        event = put(without(first, "obfuscation"), choices=[choice])
        yield put(event, usage=None) if get(event, "usage") is not None else event

    def alone(self, event: Event, nth: int) -> Event:
        choices, first = get(event, "choices"), nth == 0
        for choice in choices:
            calls = walk(choice, "delta", "tool_calls") or ()
            if nth < len(calls):
                if not first:
                    event = bare(event, *_FRAME)
                made = put(
                    choice if first else bare(choice, "index"), delta=only(get(choice, "delta"), tool_calls=[calls[nth]])
                )
                made = put(made, finish_reason=None) if get(choice, "finish_reason") is not None else made
                alone = put(event, choices=[made])
                return put(alone, usage=None) if get(event, "usage") is not None else alone
            nth -= len(calls)
        return event

    def numbered(self, event: Event, numbers: Sequence[int | None]) -> Event:
        left = iter(numbers)
        choices = []
        for choice in get(event, "choices"):
            calls = walk(choice, "delta", "tool_calls") or ()
            if calls:
                made = [one if number is None else put(one, index=number) for one, number in zip(calls, left, strict=False)]
                choice = put(choice, delta=put(get(choice, "delta"), tool_calls=made))
            choices.append(choice)
        return put(event, choices=choices)

    def uncalled(self, end: Event, left_out: Mapping[Lane, LeftOut]) -> Event:
        return each(
            end,
            "choices",
            lambda choice: (
                put(choice, finish_reason=left_out[_lane(choice)])
                if _lane(choice) in left_out and get(choice, "finish_reason") in ("tool_calls", "function_call")
                else choice
            ),
        )

    def numbering(self, lane: Lane) -> Lane:
        return lane

    def promote(self, like: Event, call: Called) -> Iterable[Event]:
        choice = next(one for one in get(like, "choices") if _lane(one) == call.lane)
        delta = get(choice, "delta")
        if delta is None:  # the older completions call nothing
            return
        function = {"name": call.tool, "arguments": call.arguments}
        said = {"tool_calls": [{"index": call.number, "id": call.id, "type": "function", "function": function}]}
        made = said if isinstance(delta, dict) else type(delta).model_validate(said)
        choice = put(choice, delta=made, finish_reason=None, logprobs=None)
        event = put(without(like, "obfuscation"), choices=[choice])
        yield put(event, usage=None) if get(event, "usage") is not None else event

    def promoted(self, end: Event, calls: Sequence[Called]) -> Event:
        lanes = {call.lane for call in calls}
        return each(
            end,
            "choices",
            lambda choice: (
                put(choice, finish_reason="tool_calls")
                if _lane(choice) in lanes and get(choice, "finish_reason") == "stop"
                else choice
            ),
        )

    def is_reply(self, data: Mapping[str, Any]) -> bool:
        choices = data.get("choices")
        if not isinstance(choices, list) or data.get("object") == "chat.completion.chunk":
            return False
        said = [choice for choice in choices if isinstance(choice, dict)]
        return any(isinstance(choice.get("message"), dict) or isinstance(choice.get("text"), str) for choice in said)

    def unfolded(self, reply: dict[str, Any]) -> Sequence[Event]:
        events: list[Event] = []
        for choice in reply["choices"]:
            at, message = {"index": get(choice, "index") or 0, "finish_reason": None}, get(choice, "message")
            if isinstance(message, dict):
                events.append({"choices": [{**at, "delta": {"content": message.get("content")}}]})
                for number, call in enumerate(message.get("tool_calls") or ()):
                    numbered = {**call, "index": number} if isinstance(call, dict) else call
                    events.append({"choices": [{**at, "delta": {"tool_calls": [numbered]}}]})
                events.append({"choices": [{**at, "delta": {}, "finish_reason": get(choice, "finish_reason")}]})
            else:
                events.append({"choices": [{**at, "text": get(choice, "text")}]})
                events.append({"choices": [{**at, "text": "", "finish_reason": get(choice, "finish_reason")}]})
        return events

    def folded(self, reply: dict[str, Any], events: Sequence[Event]) -> dict[str, Any]:
        left = [choice for event in events for choice in event["choices"]]
        return {**reply, "choices": [_folded(choice, left) for choice in reply["choices"]]}

    def nothing(self, like: Event, lane: Lane, *, within: bool) -> dict[str, Any] | None:
        if any(get(choice, "delta") is None for choice in get(like, "choices") or ()):
            return _empty(like, lane, {"text": ""})  # the older completions
        return _empty(like, lane, {"delta": {"content": ""} if within else {}})

    def carry(self, event: ToolEvent, like: Event | None, lane: Lane | None, *, within: bool) -> Iterable[dict[str, Any]]:
        yield {**_empty(like, lane, {"delta": {}}), "stream_guard": as_member(event)}


_FRAME: Final = ("id", "object", "created", "model", "system_fingerprint")
"""Members that identify the reply of an event."""


def _empty(like: Event | None, lane: Lane | None, said: dict[str, Any]) -> dict[str, Any]:
    choice = {"index": lane[0] if lane is not None else 0, **said, "finish_reason": None, "logprobs": None}
    kept = bare(like, *_FRAME) if like else {}
    return {"id": "", "object": "chat.completion.chunk", "created": 0, "model": "", **kept, "choices": [choice]}


def _folded(choice: Any, left: Sequence[Any]) -> Any:
    """Return a choice of a reply with the content of the choices of its events."""
    left = [one for one in left if _lane(one) == _lane(choice)]
    message = get(choice, "message")
    text = "".join(_text(one) or "" for one in left)
    if text != (_text(choice if message is None else {"delta": message}) or ""):
        choice = {**choice, "logprobs": None} if "logprobs" in choice else choice
        if not isinstance(message, dict):
            choice = {**choice, "text": text}
        else:
            message = _with_text({"delta": message}, text, beside=True)["delta"]
    if isinstance(message, dict):
        order = [get(call, "id") for call in message.get("tool_calls") or ()]
        calls = [call for one in left for call in walk(one, "delta", "tool_calls") or ()]
        calls.sort(key=lambda call: order.index(call.get("id")) if call.get("id") in order else len(order))
        calls = [without(call, "index") for call in calls]
        if calls != (message.get("tool_calls") or []):
            message = {**message, "tool_calls": calls} if calls else without(message, "tool_calls")
        choice = {**choice, "message": message}
    reasons = [one["finish_reason"] for one in left if one.get("finish_reason") is not None]
    return {**choice, "finish_reason": reasons[-1]} if reasons else choice


def _lane(choice: Any) -> Lane:
    return (get(choice, "index") or 0,)


def _key(call: Any) -> int | str:
    """Return the key of a call: its index, if it has one, and its id, since two calls may share an index."""
    index = get(call, "index")
    return index if isinstance(index, int) else str(get(call, "id") or "")


def _text(choice: Any) -> str | None:
    delta = get(choice, "delta")
    content = get(delta, "content") if delta is not None else get(choice, "text")
    if isinstance(content, list):
        return "".join(text for part in content if isinstance(text := get(part, "text"), str))
    return content if isinstance(content, str) else None


def _with_text(choice: Any, text: str, *, beside: bool) -> Any:
    delta = get(choice, "delta")
    if delta is None:
        return put(choice, text=text)
    content: Any = get(delta, "content")
    if isinstance(content, list):
        others = [part for part in content if not isinstance(get(part, "text"), str)] if beside else []
        content = [*others, {"type": "text", "text": text}]
    else:
        content = text
    return put(choice, delta=put(delta, content=content) if beside else only(delta, content=content))


_MORE = ("role", "refusal", "tool_calls", "function_call", "reasoning_content", "reasoning", "reasoning_details", "audio")


def _more(delta: Any) -> bool:
    """Return whether a delta has more than text."""
    return delta is not None and (any(get(delta, key) for key in _MORE) or isinstance(get(delta, "content"), list))
