"""OpenAI responses. Each text comes in deltas, and then as a whole, up to four times."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Final

from stream_guard import ToolEvent

from .access import Shape, bare, get, has_more, put, walk, without
from .base import (
    AS_IT_CAME,
    ELSEWHERE,
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
    Repeated,
    Sent,
    Thinking,
    as_member,
    as_piece,
    as_text,
    each,
    inside,
    is_nothing,
    is_of_type,
    is_whole,
    seen,
)

_DELTA = "response.output_text.delta"
_BEGUN, _DONE = "response.output_item.added", "response.output_item.done"
_ARGUMENTS, _WRITTEN = "response.function_call_arguments.delta", "response.function_call_arguments.done"
_LAST = ("response.completed", "response.incomplete", "response.failed", "response.cancelled", "error")

_OTHER_CALLS: Final = ("custom_tool_call", "local_shell_call", "shell_call", "apply_patch_call", "computer_call")
"""The types of further items that are calls for the client to run. The provider runs items of other types."""

_FAILED: Final = ("failed", "cancelled")

_FRAME: Final = ("type", "item_id", "output_index", "content_index", "sequence_number")
"""The members that identify the text of a delta."""

_PART: Final = {"text": str}
_ITEM: Final = {"type": str, "id": NAME, "call_id": NAME, "name": NAME, "namespace": NAME, "status": str}


class Responses(Protocol):
    """The table of OpenAI's responses. A lane is one content part of one output item."""

    name = "openai-responses"
    sign = "type"
    named = promotes = True
    client = "openai"
    paths = ("/responses",)
    call_types = ("function_call",)
    places = "output_index"
    thinks = "responses"
    reasons = MappingProxyType({
        "max_output_tokens": "length", "max_tokens": "length", "length": "length", "content_filter": "content_filter",
    })  # fmt: skip
    varies = ("sequence_number", "obfuscation")
    counts = "sequence_number"
    shape: ClassVar[Shape] = {
        "type": str,
        "output_index": int,
        "content_index": int,
        "sequence_number": int,
        "text": str,
        "name": NAME,
        "part": _PART,
        "item": _ITEM,
        "response": {"output": [_ITEM, MANY], "incomplete_details": {}},
    }

    def recognises(self, event: Event) -> bool:
        return is_of_type(event, "response.")

    def as_object(self, data: Any) -> Event:
        from openai._models import construct_type  # deferred, and private: the client's own choice among its types of events
        from openai.types.responses import ResponseStreamEvent

        return construct_type(type_=ResponseStreamEvent, value=data)

    def texts(self, event: Event) -> Sequence[tuple[Lane, str]]:
        if get(event, "type") != _DELTA:
            return ()
        text = get(event, "delta")
        return ((_lane(event), text),) if isinstance(text, str) and text else ()

    def _text_member(self, event: Event) -> Any:
        return get(event, "delta") if get(event, "type") == _DELTA else None

    def piece(self, event: Event, lane: Lane, text: str, *, first: bool, last: bool) -> Event:
        if first:
            return put(without(event, "obfuscation"), delta=text)
        return put(bare(event, *_FRAME), delta=text, logprobs=[])

    def beside(self, event: Event) -> bool:
        return has_more(event, "delta", *_FRAME, *self.varies)

    def ends(self, event: Event) -> Sequence[Ended]:
        kind = get(event, "type")
        if kind == "response.output_text.done":
            return ((_lane(event), None),)
        if kind not in _LAST:
            return ()
        status = walk(event, "response", "status")
        if kind == "response.incomplete" or (kind == "response.completed" and status == "incomplete"):
            return ((EVERY, self.cause(walk(event, "response", "incomplete_details", "reason") or "length")),)
        return ((EVERY, "stop" if kind == "response.completed" and status not in _FAILED else "error"),)

    def echo(self, event: Event, visible: Callable[[str], str]) -> Event:
        kind = get(event, "type")
        if kind == "response.output_text.done":
            return seen(event, visible)
        if kind == "response.content_part.done":
            return inside(event, "part", lambda part: _part(part, visible))
        if kind == _DONE:
            return inside(event, "item", lambda item: _item(item, visible))
        if kind in _LAST and walk(event, "response", "output"):
            return inside(event, "response", lambda response: _response(response, visible))
        return event

    def calls(self, event: Event) -> Sequence[Piece]:
        kind, at = get(event, "type"), (get(event, "output_index") or 0,)
        about = self.item(event)
        if kind == _ARGUMENTS:
            said, whole = as_piece(get(event, "delta"))
            return (Piece(at, None, None, said, whole=whole, item=about),)
        if kind == _WRITTEN:  # only its items have the namespace of the name
            said, name = as_text(get(event, "arguments")), get(event, "name") or None
            return (Piece(at, None, None, said, whole=True, item=about, repeats=name),)
        item = get(event, "item") if kind in (_BEGUN, _DONE) else None
        if get(item, "type") != "function_call":
            return ()
        said = as_text(get(item, "arguments"))
        if kind == _BEGUN and is_nothing(said):
            said = ""
        whole = kind == _DONE or is_whole(said)
        return (Piece(at, get(item, "call_id"), _tool(item), said, whole=whole, opens=kind == _BEGUN, item=about),)

    def unread_calls(self, event: Event) -> Sequence[tuple[Lane, str]]:
        kind = get(event, "type")
        if kind in (_BEGUN, _DONE):
            items: Sequence[Any] = (get(event, "item"),)
        else:
            items = (walk(event, "response", "output") or ()) if kind in _LAST else ()
        called = [item for item in items if get(item, "type") in _OTHER_CALLS]
        return [((), str(get(item, "call_id") or get(item, "id") or "")) for item in called]

    def item(self, event: Event) -> str | None:
        found = get(get(event, "item"), "id") or get(event, "item_id")
        return found if isinstance(found, str) and len(found) <= NAME else None

    def is_no_text(self, event: Event) -> bool:
        said = get(event, "delta") if get(event, "type") == _ARGUMENTS else None
        return said is not None and not isinstance(said, str)

    def final(self, event: Event) -> Sequence[Piece]:
        return [
            Piece((nth,), get(item, "call_id"), _tool(item), as_text(get(item, "arguments")), whole=True)
            for nth, item in _repeated(event)
        ]

    def thinking(self, event: Event) -> Sequence[Thinking]:
        item = get(event, "item") if get(event, "type") == _DONE else None
        if get(item, "type") != "reasoning":
            return ()
        return (Thinking((get(event, "output_index") or 0,), item, ended=True),)

    def beside_call(self, event: Event) -> bool:
        return get(event, "type") == _ARGUMENTS and self.beside(event)

    def about(self, event: Event) -> Lane | None:
        if not is_of_type(event, "response.function_call") or self.calls(event):
            return None
        return (get(event, "output_index") or 0,)

    def without_calls(self, event: Event, held: Collection[int]) -> Event | None:
        return None

    def call_ends(self, event: Event, calls: Collection[Lane]) -> Sequence[Ended]:
        if get(event, "type") != _DONE:
            return [(call, why) for lane, why in self.ends(event) if lane == EVERY for call in calls]
        at = (get(event, "output_index") or 0,)
        return ((at, "length" if walk(event, "item", "status") == "incomplete" else None),) if at in calls else ()

    def whole_call(self, pieces: Sequence[Event], call: Lane, name: str, arguments: str) -> Iterable[Event]:
        told = any(get(event, "type") in (_ARGUMENTS, _WRITTEN, _DONE) for event in pieces)
        deltas = 0
        for event in pieces:
            kind = get(event, "type")
            if not self.calls(event):
                yield event
            elif kind == _ARGUMENTS:
                deltas += 1
                if deltas == 1:
                    yield put(without(event, "obfuscation"), delta=arguments)
                elif self.beside(event):  # other members are kept where the name came after them
                    yield put(without(event, "obfuscation"), delta="")
            elif kind == _WRITTEN:
                yield put(event, arguments=arguments, **({} if get(event, "name") is None else {"name": name}))
            else:
                begun = kind == _BEGUN and (told or not as_text(get(get(event, "item"), "arguments")))
                yield put(event, item=put(get(event, "item"), name=name, arguments="" if begun else arguments))

    def with_arguments(self, event: Event, arguments: str, *, first: bool) -> Event | None:
        return put(without(event, "obfuscation"), delta=arguments) if get(event, "type") == _ARGUMENTS else None

    def uncalled(self, end: Event, left_out: Mapping[Lane, LeftOut]) -> Event:
        if get(end, "type") != "response.completed" or left_out.get(()) != "length":
            return end
        why: Any = {"reason": "max_output_tokens"}
        kind = "response.incomplete"
        if isinstance(end, dict):
            response = put(end["response"], status="incomplete", incomplete_details=why)
            return put(end, type=kind, response=response)
        from openai.types.responses import ResponseIncompleteEvent  # deferred: here only when the events are its objects
        from openai.types.responses.response import IncompleteDetails

        response = put(get(end, "response"), status="incomplete", incomplete_details=IncompleteDetails.model_validate(why))
        number = get(end, "sequence_number")
        return ResponseIncompleteEvent.model_construct(type=kind, response=response, sequence_number=number)

    def begun(self, event: Event) -> Sequence[tuple[str, bool]]:
        kind = get(event, "type")
        if kind == _DONE:  # the end repeats it
            return ((f"item {get(event, 'output_index')}", True),)
        return (("response", True),) if kind == "response.created" else ()

    def closing(self, like: Event, ends: Mapping[Lane, bool], begun: Mapping[str, Event]) -> Sequence[Event]:
        known = begun.get("response")
        response = get(known, "response") if known is not None else None
        if not ends or response is None:
            return ()
        number = get(like, "sequence_number") or 0
        items = [get(event, "item") for name, event in begun.items() if name != "response"]
        made = put(response, status="completed", output=items)
        if isinstance(known, dict):
            whole: Any = {"type": "response.completed", "response": made, "sequence_number": number}
        else:
            from openai.types.responses import ResponseCompletedEvent  # deferred: here only when the events are its objects

            whole = ResponseCompletedEvent.model_construct(type="response.completed", response=made, sequence_number=number)
        return [self.uncalled(whole, {lane: "length" for lane, called in ends.items() if not called})]

    def repeated(self, event: Event) -> Sequence[Repeated]:
        return [Repeated(get(item, "call_id"), get(item, "id"), nth, _tool(item) or "") for nth, item in _repeated(event)]

    def retold(self, event: Event, sent: Sequence[Sent]) -> Event:
        known = {nth: call for (nth, _), call in zip(_repeated(event), sent, strict=True)}

        def retold(response: Any) -> Any:
            items, left = get(response, "output"), []
            for nth, item in enumerate(items):
                call = known.get(nth, AS_IT_CAME)
                if call is not None:
                    same = call == AS_IT_CAME or call == (_tool(item), get(item, "arguments"))
                    left.append(item if same else put(item, name=call[0], arguments=call[1]))
            same = len(left) == len(items) and all(one is made for one, made in zip(items, left, strict=True))
            return response if same else put(response, output=left)

        return inside(event, "response", retold) if any(call != AS_IT_CAME for call in sent) else event

    def promote(self, like: Event, call: Called) -> Iterable[Event]:
        item, number = _called(call), get(like, "sequence_number") or 0
        at = {"output_index": call.number, "sequence_number": number}
        events = [
            {"type": _BEGUN, **at, "item": {**item, "arguments": "", "status": "in_progress"}},
            {"type": _ARGUMENTS, **at, "item_id": item["id"], "delta": call.arguments},
            {"type": _WRITTEN, **at, "item_id": item["id"], "name": call.tool, "arguments": call.arguments},
            {"type": _DONE, **at, "item": item},
        ]
        return events if isinstance(like, dict) else [self.as_object(event) for event in events]

    def promoted(self, end: Event, calls: Sequence[Called]) -> Event:
        if get(end, "response") is None:
            return end
        items: list[Any] = [_called(call) for call in calls]
        if not isinstance(end, dict):
            from openai.types.responses import ResponseFunctionToolCall  # deferred: here only when the events are its objects

            items = [ResponseFunctionToolCall.model_validate(item) for item in items]
        return _with_items(end, items)

    def tell(self, like: Event, said: AddedText) -> Iterable[Event]:
        item = _told(said)
        (part,) = item["content"]
        where = {"output_index": said.number, "sequence_number": get(like, "sequence_number") or 0}
        at = {**where, "item_id": said.id, "content_index": 0}
        events = [
            {"type": _BEGUN, **where, "item": {**item, "content": [], "status": "in_progress"}},
            {"type": "response.content_part.added", **at, "part": {**part, "text": ""}},
            {"type": _DELTA, **at, "delta": said.text, "logprobs": []},
            {"type": "response.output_text.done", **at, "text": said.text, "logprobs": []},
            {"type": "response.content_part.done", **at, "part": part},
            {"type": _DONE, **where, "item": item},
        ]
        return events if isinstance(like, dict) else [self.as_object(event) for event in events]

    def told(self, end: Event, said: AddedText) -> Event:
        if get(end, "response") is None:
            return end
        item: Any = _told(said)
        if not isinstance(end, dict):
            from openai.types.responses import ResponseOutputMessage  # deferred, as above

            item = ResponseOutputMessage.model_validate(item)
        return _with_items(end, [item])

    def is_reply(self, data: Mapping[str, Any]) -> bool:
        return data.get("object") == "response" and isinstance(data.get("output"), list)

    def unfolded(self, reply: dict[str, Any]) -> Sequence[Event]:
        events: list[Event] = []
        for index, item in enumerate(reply["output"]):
            at, kind = {"item_id": get(item, "id") or "", "output_index": index}, get(item, "type")
            if kind == "function_call":
                begun = {**item, "arguments": "", "status": "in_progress"}
                events.append({"type": _BEGUN, **at, "item": begun})
                events.append({"type": _ARGUMENTS, **at, "delta": as_text(get(item, "arguments"))})
            if kind == "function_call" or kind in _OTHER_CALLS:
                events.append({"type": _DONE, **at, "item": item})
            for number, part in enumerate(_content(item) if kind == "message" else ()):
                text = get(part, "text") if get(part, "type") == "output_text" else None
                if isinstance(text, str) and text:
                    events.append({"type": _DELTA, **at, "content_index": number, "delta": text})
                    events.append({"type": "response.output_text.done", **at, "content_index": number, "text": text})
        status = reply.get("status")
        ended = status if status in ("incomplete", "failed", "cancelled") else "completed"
        return [*events, {"type": f"response.{ended}", "response": reply}]

    def folded(self, reply: dict[str, Any], events: Sequence[Event]) -> dict[str, Any]:
        made: dict[str, Any] = events[-1]["response"]  # this event repeats everything that was sent before
        return made

    def nothing(self, like: Event | None, lane: Lane | None, *, within: bool) -> dict[str, Any] | None:
        if lane is not None and within:
            return _silent(like, lane)
        return {"type": "keepalive", "sequence_number": 0}  # as the servers of this protocol send it

    def carry(self, event: ToolEvent, like: Event | None, lane: Lane | None, *, within: bool) -> Iterable[dict[str, Any]]:
        if lane is None or not within:  # no text is open to which an empty delta could belong
            yield {"type": "keepalive", "sequence_number": 0, "stream_guard": as_member(event)}
            return
        yield {**_silent(like, lane), "stream_guard": as_member(event)}


def _repeated(event: Event) -> Sequence[tuple[int, Any]]:
    """Return the calls that the last event of a response repeats, each with its place."""
    items = (walk(event, "response", "output") or ()) if get(event, "type") in _LAST else ()
    return [(nth, item) for nth, item in enumerate(items) if get(item, "type") == "function_call"]


def _content(item: Any) -> Sequence[Any]:
    """Return the parts of a message; no parts if its content is no list."""
    content = get(item, "content")
    return content if isinstance(content, list) else ()


def _tool(item: Any) -> str | None:
    """Return the name of the tool that an item calls; for a tool in a namespace, a name that no other tool has."""
    return ELSEWHERE if get(item, "namespace") else get(item, "name")


def _lane(event: Event) -> Lane:
    return (get(event, "output_index") or 0, get(event, "content_index") or 0)


def _silent(like: Event | None, lane: Lane) -> dict[str, Any]:
    kept = {key: like[key] for key in ("item_id", "sequence_number") if like and key in like}
    return {"type": _DELTA, "item_id": "", "sequence_number": 0, **kept, "output_index": lane[0], "content_index": lane[1],
            "delta": "", "logprobs": []}  # fmt: skip


def _called(call: Called) -> dict[str, Any]:
    """Return a call written as text as an item."""
    said = {"name": call.tool, "arguments": call.arguments}
    return {"type": "function_call", "id": f"fc_{call.id}", "call_id": call.id, **said, "status": "completed"}


def _told(said: AddedText) -> dict[str, Any]:
    """Return an added text as an item."""
    part = {"type": "output_text", "text": said.text, "annotations": []}
    return {"type": "message", "id": said.id, "role": "assistant", "content": [part], "status": "completed"}


def _with_items(end: Event, items: Sequence[Any]) -> Event:
    """Return the last event of a response with more items in its output."""

    def added(response: Any) -> Any:
        made = put(response, output=[*(get(response, "output") or ()), *items])
        told = response.get("output_text") if isinstance(response, Mapping) else None
        return put(made, output_text=told + _sum({"output": items})) if isinstance(told, str) else made

    return inside(end, "response", added)


def _response(response: Any, visible: Callable[[str], str]) -> Any:
    """Return a whole response with `visible` applied to its texts, and to their concatenation, which some servers add."""
    made = each(response, "output", lambda item: _item(item, visible))
    told = response.get("output_text") if isinstance(response, Mapping) else None  # an object of the client has no such member
    if not isinstance(told, str):
        return made
    shown = _sum(made) if told == _sum(response) else visible(told)
    return made if shown == told else put(made, output_text=shown)


def _sum(response: Any) -> str:
    """Return all texts of a response."""
    items = [item for item in get(response, "output") or () if get(item, "type") == "message"]
    return "".join(get(part, "text") or "" for item in items for part in _content(item))


def _part(part: Any, visible: Callable[[str], str]) -> Any:
    """Return a part of an item with `visible` applied to its text. The text of reasoning is no text of a reply: it stays."""
    return seen(part, visible) if get(part, "type") in (None, "output_text", "text") else part


def _item(item: Any, visible: Callable[[str], str]) -> Any:
    return each(item, "content", lambda part: _part(part, visible)) if get(item, "content") else item
