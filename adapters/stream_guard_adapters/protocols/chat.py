"""OpenAI chat completions, the older completions, and compatible APIs: Azure, Mistral, Groq, LiteLLM ..."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, groupby
from types import MappingProxyType
from typing import Any, ClassVar, Final

from stream_guard import ToolEvent

from .access import Shape, bare, get, has_more, only, put, without
from .base import (
    EVERY,
    FEW,
    LATEST,
    MANY,
    NAME,
    OLDER,
    Called,
    Ended,
    Event,
    Lane,
    LeftOut,
    Piece,
    Protocol,
    as_member,
    as_text,
    calls_of,
    each,
    inside,
    is_failed,
)

_FUNCTION: Final = {"name": NAME}
_DELTA: Final = {
    "content": (str, [{"text": str}, MANY]),
    "tool_calls": [{"index": int, "id": NAME, "function": _FUNCTION}, FEW],
    "function_call": _FUNCTION,
}
_CHOICE: Final = {"index": int, "text": str, "delta": _DELTA}


class Chat(Protocol):
    """The table of chat completions. A lane is a choice."""

    name = "openai-chat"
    sign = "choices"
    mark = "[DONE]"
    promotes = joins_names = repeats_reasons = True
    client = "openai"
    paths = ("/chat/completions",)
    call_members = ("tool_calls", "function_call")
    reasons = MappingProxyType({
        "stop": "stop", "length": "length", "content_filter": "content_filter", "error": "error",
        # Servers that speak this protocol pass on the reasons of their models and engines.
        "STOP": "stop", "end_turn": "stop", "stop_sequence": "stop", "eos": "stop", "eos_token": "stop", "completed": "stop",
        "max_tokens": "length", "MAX_TOKENS": "length", "max_output_tokens": "length",
        "model_context_window_exceeded": "length", "content-filter": "content_filter", "refusal": "content_filter",
        "SAFETY": "content_filter", "RECITATION": "content_filter", "PROHIBITED_CONTENT": "content_filter",
        "BLOCKLIST": "content_filter", "SPII": "content_filter", "ERROR": "error", "abort": "error",
    })  # fmt: skip
    claims = ("tool_calls", "function_call")
    words = MappingProxyType({"length": "length", "stop": "stop"})
    varies = ("created", "obfuscation", "p")
    shape: ClassVar[Shape] = {"choices": [_CHOICE, FEW]}
    loose = ("delta", "text", "content", "tool_calls", "function_call")
    frame = ("id", "object", "created", "model", "index", "role")

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
            if not delta or choice.get("finish_reason") is not None or delta.get("tool_calls") or delta.get("function_call"):
                return None
            if choice.get("message"):
                return None
            content, index = delta.get("content"), choice.get("index")
        else:
            try:
                (choice,) = event.choices
                delta, index = choice.delta, choice.index
                if choice.finish_reason is not None or delta.tool_calls or delta.function_call:
                    return None
                if "error" in (event.__pydantic_extra__ or ()) or "message" in (choice.__pydantic_extra__ or ()):
                    return None
                content = delta.content
            except (AttributeError, TypeError, ValueError):
                return None
        return ((index or 0,), content) if content and type(content) is str else None

    def piece(self, event: Event, lane: Lane, text: str, *, first: bool, last: bool) -> Event:
        choice = next(choice for choice in get(event, "choices") if _lane(choice) == lane)
        if first:
            made, event = _with_text(choice, text), without(event, "obfuscation")
        else:
            delta, usage = get(choice, "delta"), get(event, "usage")
            content = [{"type": "text", "text": text}] if _has_parts(get(delta, "content")) else text
            said = {"text": text} if delta is None else {"delta": only(delta, content=content)}
            event = _framed(event, choice, **said)
            made = put(get(event, "choices")[0], **_end(choice))
            event = put(event, usage=usage) if usage is not None else event
        if not last:
            made = _unended(made)
            event = put(event, usage=None) if get(event, "usage") is not None else event
        return put(event, choices=[made])

    def form(self, event: Event, lane: Lane) -> str:
        said = next((one for one in get(event, "choices") if _lane(one) == lane and _text(one)), None)
        return "text" if get(said, "delta") is None else "delta"

    def beside(self, event: Event) -> bool:
        return has_more(event, "choices", *_FRAME, *self.varies) or any(
            has_more(choice, "index", "delta", "text") or _more(get(choice, "delta")) for choice in get(event, "choices")
        )

    def choices(self, event: Event) -> Sequence[Lane]:
        return [_lane(choice) for choice in get(event, "choices") or ()]

    def opening(self, event: Event, choice: Lane) -> Event:
        said = next(one for one in get(event, "choices") if _lane(one) == choice)
        delta = get(said, "delta")
        return _framed(event, said, **({"text": ""} if delta is None else {"delta": only(delta, content="")}))

    def unread(self, event: Event) -> bool:
        return any(get(choice, "message") for choice in get(event, "choices") or ())

    def apart(self, event: Event) -> Sequence[Event]:
        choices = [part for choice in get(event, "choices") for part in _in_parts(choice)]
        if len(choices) < 2:
            return (event,)
        *most, last = choices
        return [*(put(bare(event, *_FRAME), choices=[one]) for one in most), put(event, choices=[last])]

    def ends(self, event: Event) -> Sequence[Ended]:
        if is_failed(event):
            return ((EVERY, "error"),)
        reasons = [(_lane(choice), get(choice, "finish_reason")) for choice in get(event, "choices") or ()]
        return [(lane, self.cause(reason)) for lane, reason in reasons if reason]

    def calls(self, event: Event) -> Sequence[Piece]:
        found: list[Piece] = []
        for choice in get(event, "choices") or ():
            for call in _calls(choice):
                function = get(call, "function")
                name, arguments = get(function, "name"), get(function, "arguments")
                at = (*_lane(choice), _key(call))
                at_once = arguments is not None and not isinstance(arguments, str)  # as some servers send them
                found.append(Piece(at, get(call, "id") or None, name or None, as_text(arguments), whole=at_once))
        return found

    def unread_calls(self, event: Event) -> Sequence[tuple[Lane, str]]:
        return [
            (_lane(choice), str(get(call, "id") or ""))
            for choice in get(event, "choices") or ()
            for call in get(get(choice, "delta"), "tool_calls") or ()
            if get(call, "function") is None and get(call, "type") not in (None, "", "function")
        ]

    def beside_call(self, event: Event) -> bool:
        return any(_says_more(call) for choice in get(event, "choices") or () for call in _calls(choice))

    def without_calls(self, event: Event, held: Collection[int]) -> Event | None:
        left = []
        nth = count()
        for choice in get(event, "choices"):
            calls = _calls(choice)
            kept = [call for call in calls if next(nth) not in held]
            left.append(put(choice, delta=_with_calls(get(choice, "delta"), kept)) if calls else choice)
        made = put(without(event, "obfuscation"), choices=left)
        return made if self.beside(made) or self.texts(made) else None

    def in_order(self, event: Event) -> Sequence[Event]:
        choices = get(event, "choices") or ()
        calling = [choice for choice in choices if _calls(choice)]
        if not calling:
            return (event,)
        silent = [put(one, delta=_with_calls(get(one, "delta"), ())) if _calls(one) else one for one in choices]
        said = [_unended(one) for one in silent if _speaks(one)]
        called = [_only_says(one, delta=only(get(one, "delta"), **_saying(_calls(one)))) for one in calling]
        ended = [_only_ended(one) if _speaks(one) else one for one in silent if get(one, "finish_reason")]
        parts = [part for part in (said, called, ended) if part]
        if len(parts) < 2:
            return (event,)
        first = put(without(event, "obfuscation"), choices=parts[0])
        events = [first, *(put(bare(event, *_FRAME), choices=part) for part in parts[1:])]
        if get(event, "usage") is None:
            return events
        return [*(put(one, usage=None) for one in events[:-1]), put(events[-1], usage=get(event, "usage"))]

    def call_ends(self, event: Event, calls: Collection[Lane]) -> Sequence[Ended]:
        if is_failed(event):
            return [(call, "error") for call in calls]
        choices = get(event, "choices") or ()
        ended = {_lane(choice): reason for choice in choices if (reason := get(choice, "finish_reason"))}
        return [(call, self.cause(ended[call[:1]])) for call in calls_of(calls, ended)] if ended else ()

    def whole_call(self, pieces: Sequence[Event], call: Lane, name: str, arguments: str) -> Iterable[Event]:
        told, known = False, None
        for nth, event in enumerate(pieces):
            (choice,) = get(event, "choices")
            (made,) = _calls(choice)
            function, own = get(made, "function"), get(made, "id")
            if not told and function is not None:
                told = True
                made = put(made, function=put(function, name=name, arguments=arguments))
            elif nth:
                if not (own and not known) and not _says_more(made):
                    continue
                if function is not None:
                    made = put(made, function=put(_unset(function, "name"), arguments=""))
                made = _unset(made, "id") if known == own else made
            known = known or own
            yield put(event, choices=[put(choice, delta=only(get(choice, "delta"), **_saying([made])))])

    def with_arguments(self, event: Event, arguments: str, *, first: bool) -> Event:
        def cut(call: Any) -> Any:
            function = put(get(call, "function"), arguments=arguments)
            if not first:
                call, function = _unset(call, "id", "type"), _unset(function, "name")
            return put(call, function=function)

        def cut_in(choice: Any) -> Any:
            delta, calls = get(choice, "delta"), [cut(call) for call in _calls(choice)]
            return put(choice, delta=put(delta, **_saying(calls))) if calls else choice

        return each(event if first else self.alone(event, 0), "choices", cut_in)

    def alone(self, event: Event, nth: int) -> Event:
        for choice in get(event, "choices"):
            calls = _calls(choice)
            if nth < len(calls):
                delta = only(get(choice, "delta"), **_saying([calls[nth]]))
                return _framed(event, choice, delta=delta)
            nth -= len(calls)
        return event

    def numbered(self, event: Event, numbers: Sequence[int | None]) -> Event:
        left = iter(numbers)
        choices = []
        for choice in get(event, "choices"):
            calls = _calls(choice)
            if calls:
                made = [one if number is None else put(one, index=number) for one, number in zip(calls, left, strict=False)]
                choice = put(choice, delta=put(get(choice, "delta"), **_saying(made)))
            choices.append(choice)
        return put(event, choices=choices)

    def uncalled(self, end: Event, left_out: Mapping[Lane, LeftOut]) -> Event:
        def uncalled(choice: Any) -> Any:
            why = left_out.get(_lane(choice))
            if why is None:
                return choice
            for key in ("finish_reason", _NATIVE):
                choice = inside(choice, key, lambda reason: self.uncalled_reason(reason, why))
            return choice

        return each(end, "choices", uncalled)

    def closing(self, like: Event, ends: Mapping[Lane, bool], begun: Mapping[str, Event]) -> Sequence[Event]:
        (choice, *_) = get(like, "choices")
        silent = {"text": ""} if get(choice, "delta") is None else {"delta": only(get(choice, "delta"))}
        made = _framed(like, choice, **silent)
        return [
            put(made, choices=[put(_only_says(choice, **silent), index=lane[0], finish_reason=self.closed(called=called))])
            for lane, called in ends.items()
        ]

    def numbering(self, lane: Lane) -> Lane:
        return lane

    def can_call(self, like: Event, lane: Lane) -> bool:
        return any(
            _lane(one) == lane and get(one, "delta") is not None for one in get(like, "choices")
        )  # not older completions

    def promote(self, like: Event, call: Called) -> Iterable[Event]:
        choice = next(one for one in get(like, "choices") if _lane(one) == call.lane)
        delta = get(choice, "delta")
        function = {"name": call.tool, "arguments": call.arguments}
        said = {"tool_calls": [{"index": call.number, "id": call.id, "type": "function", "function": function}]}
        yield _framed(like, choice, delta=said if isinstance(choice, dict) else _delta(delta, said))

    def promoted(self, end: Event, calls: Sequence[Called]) -> Event:
        lanes = {call.lane for call in calls}
        return each(
            end,
            "choices",
            lambda choice: (
                put(choice, finish_reason="tool_calls")
                if _lane(choice) in lanes and self.cause(get(choice, "finish_reason")) == "stop"
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
                    numbered = _numbered(call, number) if isinstance(call, dict) else call
                    events.append({"choices": [{**at, "delta": {"tool_calls": [numbered]}}]})
                if message.get("function_call") is not None:
                    events.append({"choices": [{**at, "delta": {"function_call": message["function_call"]}}]})
                events.append({"choices": [{**at, "delta": {}, "finish_reason": get(choice, "finish_reason")}]})
            else:
                events.append({"choices": [{**at, "text": get(choice, "text")}]})
                events.append({"choices": [{**at, "text": "", "finish_reason": get(choice, "finish_reason")}]})
        return events

    def folded(self, reply: dict[str, Any], events: Sequence[Event]) -> dict[str, Any]:
        left = [choice for event in events for choice in event["choices"]]
        return put(reply, choices=[_folded(choice, left) for choice in reply["choices"]])

    def nothing(self, like: Event | None, lane: Lane | None, *, within: bool) -> dict[str, Any] | None:
        if not (self.recognises(like) and self.reads(like)):  # clients would take its id for that of the reply
            return None
        if any(get(choice, "delta") is None for choice in get(like, "choices") or ()):
            return _empty(like, lane, {"text": ""})  # the older completions
        return _empty(like, lane, {"delta": {"content": ""} if within else {}})

    def carry(self, event: ToolEvent, like: Event | None, lane: Lane | None, *, within: bool) -> Iterable[dict[str, Any]]:
        yield {**_empty(like, lane, {"delta": {}}), "stream_guard": as_member(event)}


_FRAME: Final = ("id", "object", "created", "model", "system_fingerprint", "service_tier", "provider")
"""The members that identify the reply of an event. All events of the reply repeat them."""

_NATIVE: Final = "native_finish_reason"
"""The member with the finish reason of the model's own provider, which some servers send besides the usual one."""


def _only_says(choice: Any, **said: Any) -> Any:
    """Return a choice that has only these members, and no finish reason."""
    none = {key: None for key in ("logprobs", "finish_reason") if not isinstance(choice, dict) or key in choice}
    return put(bare(choice, "index"), **said, **none)


def _speaks(choice: Any) -> bool:
    """Return whether a choice without calls has a part that leaves before the end of the choice."""
    if _text(choice) or _more(get(choice, "delta")):
        return True
    return not get(choice, "finish_reason") and has_more(choice, "index", "delta", "text")


def _unended(choice: Any) -> Any:
    """Return a choice without its end: only the parts that may leave before the end."""
    return put(without(choice, _NATIVE) if get(choice, "finish_reason") else choice, finish_reason=None)


def _only_ended(choice: Any) -> Any:
    """Return a choice with only its end."""
    delta = get(choice, "delta")
    return put(_only_says(choice, **({"text": ""} if delta is None else {"delta": only(delta)})), **_end(choice))


def _end(choice: Any) -> dict[str, Any]:
    """Return the members of a choice that give the reason of its end; none if it continues."""
    reason, native = get(choice, "finish_reason"), get(choice, _NATIVE)
    return {"finish_reason": reason, **({_NATIVE: native} if reason and native is not None else {})}


def _framed(event: Event, choice: Any, **said: Any) -> Event:
    """Return an event of the same reply and choice, with only these members in its choice."""
    event = put(bare(event, *_FRAME), choices=[_only_says(choice, **said)])
    return put(event, usage=None) if get(event, "usage") is not None else event


def _empty(like: Event | None, lane: Lane | None, said: dict[str, Any]) -> dict[str, Any]:
    choice = {"index": lane[0] if lane is not None else 0, **said, "finish_reason": None, "logprobs": None}
    kept = bare(like, *_FRAME) if like else {}
    return {"id": "", "object": "chat.completion.chunk", "created": 0, "model": "", **kept, "choices": [choice]}


def _folded(choice: Any, left: Sequence[Any]) -> Any:
    """Return a choice of a whole reply, with the content of the choices of its events."""
    left = [one for one in left if _lane(one) == _lane(choice)]
    message = get(choice, "message")
    text = "".join(_text(one) or "" for one in left)
    if text != (_text(choice if message is None else {"delta": message}) or ""):
        if not isinstance(message, dict):
            choice = put(choice, text=text)
        elif isinstance(message.get("content"), list):
            message = put(message, content=_joined(left))
        else:
            message = put(message, content=text)
    if isinstance(message, dict):
        order = [get(call, "id") for call in message.get("tool_calls") or ()]
        calls = [call for one in left for call in _calls(one)]
        listed = _saying(calls).get("tool_calls", [])
        listed.sort(key=lambda call: order.index(call.get("id")) if call.get("id") in order else len(order))
        listed = [_renumbered(call) for call in listed]
        if listed != (message.get("tool_calls") or []):
            message = put(message, tool_calls=listed) if listed else without(message, "tool_calls")
        older = _saying(calls).get("function_call")
        if older != message.get("function_call"):
            message = put(message, function_call=older) if older is not None else without(message, "function_call")
        choice = put(choice, message=message)
    reasons = [one["finish_reason"] for one in left if one.get("finish_reason") is not None]
    return put(choice, finish_reason=reasons[-1]) if reasons else choice


def _joined(left: Sequence[Any]) -> list[Any]:
    """Return the content of the choices of a reply's events as one list of parts, in order. Adjacent texts are one part."""
    parts: list[Any] = []
    for one in left:
        content = get(get(one, "delta"), "content") or []
        for part in content if isinstance(content, list) else [{"type": "text", "text": content}]:
            if parts and part.keys() == parts[-1].keys() == {"type", "text"}:
                parts[-1] = put(parts[-1], text=parts[-1]["text"] + part["text"])
            else:
                parts.append(part)
    return parts


_OWN: Final = "index of the reply"
"""The key under which a call keeps the index that it has in a reply (some replies have one) while it has that of an event."""


def _numbered(call: dict[str, Any], number: int) -> dict[str, Any]:
    """Return a call of a reply as a call of an event, with this index."""
    return put(call, index=number, **({_OWN: call["index"]} if "index" in call else {}))


def _renumbered(call: dict[str, Any]) -> dict[str, Any]:
    """Return a call of an event as a call of a reply, with the index that it had in the reply, if any."""
    return put(without(call, _OWN), index=call[_OWN]) if _OWN in call else without(call, "index")


def _lane(choice: Any) -> Lane:
    return (get(choice, "index") or 0,)


@dataclass(frozen=True, slots=True)
class _Older:
    """A call in the older member `function_call`. A choice has at most one; it has no number and no id."""

    function: Any


def _delta(like: Any, said: dict[str, Any]) -> Any:
    """Return these members as a delta of the kind of `like`: as an object of the client, if that is one."""
    if like is None or isinstance(like, dict):
        from openai.types.chat.chat_completion_chunk import ChoiceDelta  # deferred: here only when the events are its objects

        return ChoiceDelta.model_validate(said)
    return type(like).model_validate(said)


def _unset(node: Any, *keys: str) -> Any:
    """Return a node without these members; in a client's object they are set to None."""
    if isinstance(node, _Older):
        return node
    return without(node, *keys) if isinstance(node, dict) else put(node, **dict.fromkeys(keys))


_CALLED: Final = ("tool_calls", "function_call")


def _calls(choice: Any) -> list[Any]:
    """Return the pieces of calls in a choice."""
    delta = get(choice, "delta")
    older = get(delta, "function_call")
    return [*(get(delta, "tool_calls") or ()), *(() if older is None else (_Older(older),))]


def _saying(calls: Sequence[Any]) -> dict[str, Any]:
    """Return these pieces of calls as the members of a delta."""
    listed = [call for call in calls if not isinstance(call, _Older)]
    older = next((call.function for call in calls if isinstance(call, _Older)), None)
    return {key: value for key, value in zip(_CALLED, (listed or None, older), strict=True) if value is not None}


def _with_calls(delta: Any, calls: Sequence[Any]) -> Any:
    """Return a delta with these pieces of calls in place of its own."""
    delta = without(delta, *_CALLED) if isinstance(delta, dict) else put(delta, **dict.fromkeys(_CALLED))
    return put(delta, **_saying(calls))


def _key(call: Any) -> int | str:
    """Return the key of a call: its index if it has one, else its id. Two calls may share an index."""
    if isinstance(call, _Older):
        return OLDER
    index = get(call, "index")
    return index if isinstance(index, int) else str(get(call, "id") or LATEST)


def _says_more(call: Any) -> bool:
    """Return whether a piece of a call has other members than its arguments and those that identify the call."""
    more = False if isinstance(call, _Older) else has_more(call, "index", "id", "type", "function")
    function = get(call, "function")
    return more or (function is not None and has_more(function, "name", "arguments"))


def _text(choice: Any) -> str | None:
    delta = get(choice, "delta")
    content = get(delta, "content") if delta is not None else get(choice, "text")
    if isinstance(content, list):
        return "".join(text for part in content if isinstance(text := get(part, "text"), str))
    return content if isinstance(content, str) else None


def _has_parts(content: Any) -> bool:
    """Return whether content is a list with other parts than texts. Lists of texts are cut into strings, since clients join no
    lists.
    """
    return isinstance(content, list) and not all(
        isinstance(get(part, "text"), str) and not has_more(part, "type", "text") for part in content
    )


def _in_parts(choice: Any) -> Sequence[Any]:
    """Return a choice whose content mixes texts with other parts as several choices with one kind of part each, in order; any
    other choice alone.

    The first has all other members, and the last has the finish reason.
    """
    delta = get(choice, "delta")
    content = get(delta, "content")
    if not isinstance(content, list):
        return (choice,)
    runs = [list(run) for _, run in groupby(content, lambda part: isinstance(get(part, "text"), str))]
    if len(runs) < 2:
        return (choice,)
    first = put(choice, delta=put(delta, content=runs[0]))
    made = [first, *(_only_says(choice, delta=only(delta, content=run)) for run in runs[1:])]
    if get(choice, "finish_reason") is None:
        return made
    return [_unended(made[0]), *made[1:-1], put(made[-1], **_end(choice))]


def _with_text(choice: Any, text: str) -> Any:
    """Return a choice with its text replaced, and all its other members."""
    delta = get(choice, "delta")
    if delta is None:
        return put(choice, text=text)
    content: Any = get(delta, "content")
    if _has_parts(content):
        others = [part for part in content if not isinstance(get(part, "text"), str)]
        more = [put(part, text="") for part in content if isinstance(get(part, "text"), str) and has_more(part, "type", "text")]
        return put(choice, delta=put(delta, content=[*others, *more, {"type": "text", "text": text}]))
    return put(choice, delta=put(delta, content=text))


def _more(delta: Any) -> bool:
    """Return whether a delta has more than text."""
    return delta is not None and (has_more(delta, "content") or isinstance(get(delta, "content"), list))
