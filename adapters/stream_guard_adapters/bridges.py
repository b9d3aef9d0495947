"""Any guarded stream of a provider, as a UI message stream of the AI SDK or as events of AG-UI.

    guarded = guard_chat(await client.chat.completions.create(..., stream=True), guard)
    async for event in to_ai_sdk(guarded):
        ...  # send it as the data of a server-sent event

Text, the guard's events and native calls are passed on; reasoning, and whatever else a provider sends, is not. A call that was
written as text is a block, as everywhere; with `promote=True` the guarded stream sends it as a native call too.

Rule 1: the order of events is right for the strictest reader: everything that begins ends exactly once, before the end of the
stream.
Rule 2: a native call is sent whole, once it is certain that it was not cut off. A call that has no end is left out, and so is
one in the middle of which an event was not read.
Rule 3: a preview of a call is sent only in a form in which the whole call replaces it, and in which a call that never comes
has visibly failed. AG-UI has no such form: its reader runs the pieces that it was sent.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import Any, ClassVar, Final
from uuid import uuid4

from stream_guard import Preview, StreamEnd, ToolBlock, ToolEvent, ToolStatus

from .engine.guarded_events import GuardedEvents
from .engine.unfinished import is_unfinished
from .protocols import AG_UI, AI_SDK, ObjectText, Protocol
from .protocols.base import EVERY, LATEST, OLDER, Called, Lane, Piece, is_block

log: Final = logging.getLogger("stream_guard")

UiEvent = dict[str, Any]
"""An event, as JSON."""

_FAILED: Final = "The stream failed"
_NO_OBJECT: Final = "The arguments are not a JSON object, or hold a number that JSON readers cannot hold"
_NOT_SENT: Final = "The call was not sent"


def to_ai_sdk(stream: GuardedEvents[Any], *, message_id: str | None = None) -> AsyncGenerator[UiEvent, None]:
    """Yield a guarded stream as the chunks of a UI message stream, which `useChat` reads. Closes the stream at its end.

    A failure of the stream is an `error` chunk, and is logged by its type. Raises TypeError for a stream that is not async.
    """
    return _bridged(stream, _AiSdk(message_id or uuid4().hex))


def to_ag_ui(
    stream: GuardedEvents[Any], *, thread_id: str | None = None, run_id: str | None = None
) -> AsyncGenerator[UiEvent, None]:
    """Yield a guarded stream as the events of one run of AG-UI. Closes the stream at its end.

    A failure of the stream is a `RUN_ERROR`, and is logged by its type. Raises TypeError for a stream that is not async.
    """
    return _bridged(stream, _AgUi(thread_id or uuid4().hex, run_id or uuid4().hex))


def _bridged(stream: GuardedEvents[Any], target: _Target) -> AsyncGenerator[UiEvent, None]:
    if not isinstance(stream, GuardedEvents):
        raise TypeError(
            f"a bridge takes a guarded stream that is async, of guard_chat or guard_events; got {type(stream).__name__}"
        )
    return _events(stream, target)


async def _events(stream: GuardedEvents[Any], target: _Target) -> AsyncGenerator[UiEvent, None]:
    reading = _Reading(target)
    for event in target.begin():
        yield event
    try:
        async with stream:
            async for item in stream:
                for event in reading.take(item, stream):
                    yield event
    except Exception as error:  # whatever it was, the reader is told that the stream has ended
        log.error("a stream failed: %s", type(error).__name__)
        reading.failed = True
    for event in reading.end():
        yield event


class _Target:
    """One form of events. A text is identified by the id of its part, a call by its own id."""

    table: ClassVar[Protocol]
    closes_text: ClassVar[bool]
    """Whether open texts are closed before a block."""

    shows_calls: ClassVar[bool]
    """Whether calls are shown while they are written. Then the whole call must replace what was sent of it before."""

    def begin(self) -> Sequence[UiEvent]:
        raise NotImplementedError

    def text_begins(self, part: str) -> UiEvent:
        raise NotImplementedError

    def text(self, part: str, delta: str) -> UiEvent:
        raise NotImplementedError

    def text_ends(self, part: str) -> UiEvent:
        raise NotImplementedError

    def broken_call(self, call: Called) -> Sequence[UiEvent]:
        """Return the events of a call whose arguments are no JSON object."""
        raise NotImplementedError

    def whole(self, call: Called) -> list[UiEvent]:
        """Return the events of a whole call. The last one replaces what was sent of the call before."""
        return list(self.table.promote({}, call))

    def call_begins(self, id: str, tool: str) -> UiEvent:
        """Return the beginning of a call that is shown while it is written; only for a target with `shows_calls`."""
        raise NotImplementedError

    def call_grows(self, id: str, delta: str) -> UiEvent:
        """Return more of the JSON of such a call."""
        raise NotImplementedError

    def call_fails(self, id: str, tool: str) -> UiEvent:
        """Return the end of such a call if the whole call is not sent."""
        raise NotImplementedError

    def end(self, cause: StreamEnd, *, called: bool) -> Sequence[UiEvent]:
        raise NotImplementedError


class _AiSdk(_Target):
    table = AI_SDK
    closes_text = True  # clients show what comes within a text after all of it
    shows_calls = True

    def __init__(self, message_id: str) -> None:
        self._message = message_id

    def begin(self) -> Sequence[UiEvent]:
        return {"type": "start", "messageId": self._message}, {"type": "start-step"}

    def text_begins(self, part: str) -> UiEvent:
        return {"type": "text-start", "id": part}

    def text(self, part: str, delta: str) -> UiEvent:
        return {"type": "text-delta", "id": part, "delta": delta}

    def text_ends(self, part: str) -> UiEvent:
        return {"type": "text-end", "id": part}

    def broken_call(self, call: Called) -> Sequence[UiEvent]:
        at = {"toolCallId": call.id, "toolName": call.tool}
        return ({"type": "tool-input-error", **at, "input": call.arguments, "errorText": _NO_OBJECT},)

    def whole(self, call: Called) -> list[UiEvent]:  # what grows is what a preview shows: without private fields, so not this
        return [event for event in super().whole(call) if event["type"] != "tool-input-delta"]

    def call_begins(self, id: str, tool: str) -> UiEvent:
        return {"type": "tool-input-start", "toolCallId": id, "toolName": tool}

    def call_grows(self, id: str, delta: str) -> UiEvent:
        return {"type": "tool-input-delta", "toolCallId": id, "inputTextDelta": delta}

    def call_fails(self, id: str, tool: str) -> UiEvent:
        return {"type": "tool-input-error", "toolCallId": id, "toolName": tool, "input": {}, "errorText": _NOT_SENT}

    def end(self, cause: StreamEnd, *, called: bool) -> Sequence[UiEvent]:
        reason = _REASONS.get(cause, "other")
        if called and reason in ("stop", "other"):
            reason = "tool-calls"
        failed = ({"type": "error", "errorText": _FAILED},) if cause in ("error", "disconnect") else ()
        return *failed, {"type": "finish-step"}, {"type": "finish", "finishReason": reason}


_REASONS: Final[dict[StreamEnd, str]] = {
    "stop": "stop", "length": "length", "content_filter": "content-filter", "error": "error", "disconnect": "error",
}  # fmt: skip


class _AgUi(_Target):
    table = AG_UI
    closes_text = False
    shows_calls = False

    def __init__(self, thread_id: str, run_id: str) -> None:
        self._run: Final = {"threadId": thread_id, "runId": run_id}

    def begin(self) -> Sequence[UiEvent]:
        return ({"type": "RUN_STARTED", **self._run},)

    def text_begins(self, part: str) -> UiEvent:
        return {"type": "TEXT_MESSAGE_START", "messageId": part, "role": "assistant"}

    def text(self, part: str, delta: str) -> UiEvent:
        return {"type": "TEXT_MESSAGE_CONTENT", "messageId": part, "delta": delta}

    def text_ends(self, part: str) -> UiEvent:
        return {"type": "TEXT_MESSAGE_END", "messageId": part}

    def broken_call(self, call: Called) -> Sequence[UiEvent]:
        value = {"toolCallId": call.id, "toolName": call.tool, "input": call.arguments, "errorText": _NO_OBJECT}
        return ({"type": "CUSTOM", "name": "tool-input-error", "value": value},)  # AG-UI has no event for it

    def end(self, cause: StreamEnd, *, called: bool) -> Sequence[UiEvent]:  # noqa: ARG002  # a run has no reason for its end
        if cause in ("error", "disconnect"):
            return ({"type": "RUN_ERROR", "message": _FAILED},)
        return ({"type": "RUN_FINISHED", **self._run},)


class _Open:
    """A native call that has begun."""

    __slots__ = ("_object", "arguments", "id", "lacks", "lane", "name")

    def __init__(self, piece: Piece) -> None:
        self.id, self.name, self.lane = piece.id, piece.name, piece.call
        self.arguments = ""
        self.lacks = False
        """Whether it may lack a part."""
        self._object: Final = ObjectText()

    def write(self, piece: Piece) -> None:
        """Add a piece. If a piece has all arguments, it replaces what was written before."""
        self.id, self.name = self.id or piece.id, self.name or piece.name
        written = self._object.add(piece.members) if piece.members else piece.arguments
        self.arguments = written if piece.whole else self.arguments + written

    def may_lack_a_part(self) -> None:
        """Note that something was not read: if the arguments are not whole yet, that may have been a part of them."""
        self.lacks = self.lacks or not self.arguments.strip() or is_unfinished(self.arguments)


class _Shown:
    """A call that is shown while it is written: the changes of its preview, as JSON that grows."""

    __slots__ = ("_begun", "_open", "tool")

    def __init__(self, tool: str) -> None:
        self.tool: Final = tool
        self._open: list[str] = [""]  # what closes the values that are open in the arguments
        self._begun = True  # whether nothing stands in the innermost of them

    def written(self, changes: Sequence[Preview]) -> str:
        """Return the JSON that these changes add to the JSON of earlier changes."""
        return "".join(map(self._written, changes))

    def _written(self, change: Preview) -> str:
        if change.op == "text":
            return _json(change.value)[1:-1]
        if change.op == "close":
            self._begun = False
            return self._open.pop()
        before = "{" if self._open == [""] and self._begun else "" if self._begun else ", "
        if self._open[-1] != "]":
            key = change.pointer.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
            before += f"{_json(key)}: "
        self._begun = change.op == "open"
        written = _json(change.value)
        if change.op == "value":
            return before + written
        self._open.append(written[1:])
        return before + written[0]


class _Reading:
    """The texts and calls that are open in a guarded stream."""

    def __init__(self, target: _Target) -> None:
        self._target: Final = target
        self._prefix: Final = uuid4().hex[:8]
        self._texts: Final[dict[Lane, str]] = {}
        self._calls: Final[dict[Lane, list[_Open]]] = {}
        self._latest: Final[dict[Lane, Lane]] = {}  # the call that began last, of each choice or of the message
        self._ended: Final[list[_Open]] = []  # calls that have ended, and why is still to come
        self._ids: Final[dict[str, Lane]] = {}  # of the calls that were sent, and which each of them is
        self._shown: Final[dict[str, _Shown]] = {}  # the calls that are shown and were not sent yet
        self._count = 0
        self._part = ""  # the text that was written last, to which a call belongs
        self._cause: StreamEnd = "unknown"
        self.failed = False
        """Whether the stream raised an exception."""

    def take(self, item: Any, stream: GuardedEvents[Any]) -> Iterator[UiEvent]:
        """Yield the events of one item."""
        table = stream.protocol
        if isinstance(item, ToolStatus | ToolBlock):
            yield from self._carried(item)
            if isinstance(item, ToolStatus) and item.preview and item.tool_type and self._target.shows_calls:
                yield from self._grows(stream.native_id(item), item.tool_type, item.preview)
            return
        for lane, text in table.said(item):
            yield from self._text(lane, text)
        if not table.reads(item):
            self._lost()
        else:
            for piece in table.calls(item):
                self._piece(piece)
            for lane, cause in table.call_ends(item, tuple(self._calls)):
                yield from self._call_ends(lane, cause)
            for lane, cause in table.ends(item):
                yield from self._text_ends(lane)
                if cause is not None:
                    yield from self._released(cause)
                    self._cause = cause if cause != "unknown" else self._cause

    def end(self) -> Iterator[UiEvent]:
        """Yield the last events. A call that has not ended is left out."""
        cause: StreamEnd = "error" if self.failed else self._cause
        yield from self._text_ends(EVERY)
        yield from self._released(cause)
        for known, shown in self._shown.items():
            yield self._target.call_fails(known, shown.tool)
        yield from self._target.end(cause, called=bool(self._ids))

    def _carried(self, event: ToolEvent) -> Iterator[UiEvent]:
        if self._target.closes_text and is_block(event):
            yield from self._text_ends(EVERY)
        yield from self._target.table.carry(event, None, None, within=False)

    def _grows(self, id: str | None, tool: str, changes: Sequence[Preview]) -> Iterator[UiEvent]:
        """Yield what is new of a call that is being written, if the call will be sent."""
        if id is None or id in self._ids:
            return
        if id not in self._shown:
            self._shown[id] = _Shown(tool)
            if self._target.closes_text:
                yield from self._text_ends(EVERY)
            yield self._target.call_begins(id, tool)
        yield self._target.call_grows(id, self._shown[id].written(changes))

    def _text(self, lane: Lane, text: str) -> Iterator[UiEvent]:
        part = self._texts.get(lane)
        if part is None:
            self._count += 1
            part = self._texts[lane] = f"text_{self._prefix}_{self._count}"
            yield self._target.text_begins(part)
        self._part = part
        yield self._target.text(part, text)

    def _text_ends(self, lane: Lane) -> Iterator[UiEvent]:
        for each in [each for each in self._texts if lane == EVERY or each == lane]:
            yield self._target.text_ends(self._texts.pop(each))

    def _lost(self) -> None:
        """Note that an event was not read: it may have had a part of any call that is open."""
        for calls in self._calls.values():
            for call in calls:
                call.may_lack_a_part()

    def _piece(self, piece: Piece) -> None:
        group = piece.call[:-1]
        goes_on = piece.call[-1] == LATEST and not piece.name and self._latest.get(group, (OLDER,))[-1] != OLDER
        calls = self._calls.setdefault(self._latest[group] if goes_on else piece.call, [])
        if not calls or piece.begins or (piece.id and calls[-1].id and piece.id != calls[-1].id):
            calls.append(_Open(piece))
            self._latest[group] = piece.call
        calls[-1].write(piece)

    def _call_ends(self, lane: Lane, cause: StreamEnd | None) -> Iterator[UiEvent]:
        self._ended.extend(self._calls.pop(lane, ()))
        if cause is not None:
            yield from self._released(cause)

    def _released(self, cause: StreamEnd) -> Iterator[UiEvent]:
        """Yield the calls that have ended. Calls that were cut off are left out."""
        ended = self._ended[:]
        self._ended.clear()
        for call in ended:
            if (
                cause in _CUT_OFF
                or call.lacks
                or not call.name
                or (call.id is not None and self._ids.get(call.id) == call.lane)
            ):
                continue  # cut off; no call; or the same call, repeated whole
            known = call.id if call.id and call.id not in self._ids else f"call_{self._prefix}_{len(self._ids) + 1}"
            shown = self._shown.pop(known, None)
            if shown is not None and shown.tool != call.name:  # a reader shows a call under the name that it began with
                yield self._target.call_fails(known, shown.tool)
                self._ids[known] = call.lane  # it has ended, and no call has it again
                known, shown = f"{known}_{self._prefix}", None
            self._ids[known] = call.lane
            called = Called((self._part or f"text_{self._prefix}_0",), len(self._ids), known, call.name, call.arguments or "{}")
            if _is_object(called.arguments):
                whole = self._target.whole(called)
                yield from whole if shown is None else whole[-1:]
            else:
                yield from self._target.broken_call(called)


_CUT_OFF: Final = frozenset({"length", "error", "disconnect", "content_filter"})


_json: Final = json.JSONEncoder(ensure_ascii=False).encode


def _is_object(text: str) -> bool:
    """Return whether a text is a JSON object that can be written as JSON again: one with NaN or 1e999 cannot."""
    try:
        value = json.loads(text)
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict)
