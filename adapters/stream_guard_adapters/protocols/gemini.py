"""Gemini's `streamGenerateContent`."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count, groupby
from typing import Any, ClassVar, Final

from stream_guard import StreamEnd, ToolEvent

from .access import Node, Shape, bare, get, has_more, only, put, walk, without
from .base import (
    EVERY,
    FEW,
    MANY,
    NAME,
    Called,
    Ended,
    Event,
    Lane,
    LeftOut,
    Piece,
    Protocol,
    as_member,
    as_value,
    calls_of,
    each,
    inside,
    is_failed,
)
from .object_text import BEGIN, END, Member

_CALL: Final = {"id": NAME, "name": NAME}
_PART: Final = {"text": str, "functionCall": _CALL, "function_call": _CALL}


_REASONS: Final[Mapping[str, StreamEnd]] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "SAFETY": "content_filter",
    "RECITATION": "content_filter",
    "PROHIBITED_CONTENT": "content_filter",
    "BLOCKLIST": "content_filter",
    "SPII": "content_filter",
    "IMAGE_SAFETY": "content_filter",
    "IMAGE_PROHIBITED_CONTENT": "content_filter",
    "IMAGE_RECITATION": "content_filter",
    "MODEL_ARMOR": "content_filter",
}


class Gemini(Protocol):
    """The table of Gemini. A lane is a candidate; its thoughts are no text. The arguments of a call are an object.

    A call is sent whole; or, where a request asks for it, in parts: the name, then members of the arguments (`partialArgs`), as
    long as it `willContinue`. The calls of a candidate come one after another, so that calls in parts share a key.
    """

    name = "gemini"
    client = "google.genai"
    sign = "candidates"
    promotes = unnamed = True
    paths = (":generateContent", ":streamGenerateContent")
    call_members = ("functionCall",)
    reasons = _REASONS
    shape: ClassVar[Shape] = {"candidates": [{"index": int, "content": {"parts": [_PART, MANY]}}, FEW]}

    loose = ("content", "parts")
    frame = ("modelVersion", "responseId", "index", "role")

    def recognises(self, event: Event) -> bool:
        return get(event, "candidates") is not None

    def texts(self, event: Event) -> Sequence[tuple[Lane, str]]:
        found: list[tuple[Lane, str]] = []
        for candidate in _candidates(event):
            text = "".join(get(part, "text") for part in _parts(candidate) if _is_text(part))
            if text:
                found.append((_candidate(candidate), text))
        return found

    def piece(self, event: Event, lane: Lane, text: str, *, first: bool, last: bool) -> Event:
        candidate = next(one for one in get(event, "candidates") if _candidate(one) == lane)
        content = get(candidate, "content")
        others = _parts(candidate)
        if not last:  # nearly all members are about the whole event
            event, candidate, content = _framed(event), _alone(candidate), _only(content, "role")
        parts = [part for part in others if not _is_text(part)] if first else []
        if text:
            like: Any = next((part for part in others if _is_text(part)), {})
            parts.append(only(like, text=text))
        if last:  # a signature signs the part that it is beside
            parts += [put(part, text="") for part in others if _is_text(part) and has_more(part, "text")]
        return put(event, candidates=[put(candidate, content=put(content, parts=parts))])

    def plain(self, event: Event) -> tuple[Lane, str] | None:
        found = super().plain(event)
        if found is None:
            return None
        candidates = _candidates(event)  # two may have one index
        return found if len(candidates) == 1 and all(_is_text(part) for part in _parts(candidates[0])) else None

    def beside(self, event: Event) -> bool:
        return True  # each event has a count of tokens

    def apart(self, event: Event) -> Sequence[Event]:
        candidates = [part for one in get(event, "candidates") for part in _in_parts(one)]
        if len(candidates) < 2:
            return (event,)
        *most, last = candidates
        return [*(put(_framed(event), candidates=[one]) for one in most), put(event, candidates=[last])]

    def ends(self, event: Event) -> Sequence[Ended]:
        if is_failed(event):
            return ((EVERY, "error"),)
        reasons = [(_candidate(one), _reason(one)) for one in _candidates(event)]
        return [(lane, self.cause(reason)) for lane, reason in reasons if reason]

    def calls(self, event: Event) -> Sequence[Piece]:
        found: list[Piece] = []
        for candidate in _candidates(event):
            for nth, part in enumerate(part for part in _parts(candidate) if _call(part) is not None):
                call, at = _call(part), _candidate(candidate)
                known, arguments = get(call, "id") or None, get(call, "args")
                name = get(call, "name") or None
                part = Piece((*at, _IN_PARTS), known, name, "", members=_members(call))
                again = part if known and name and not arguments else None
                if _is_in_parts(call):
                    begins = name is not None and not get(call, "partialArgs")
                    found.append(replace(part, begins=begins, again=again if begins else None))
                    continue
                said = json.dumps(arguments if arguments is not None else {}, ensure_ascii=False)
                found.append(Piece((*at, known or str(nth)), known, name, said, whole=True, begins=True, again=again))
        return found

    def beside_call(self, event: Event) -> bool:
        parts = [part for one in _candidates(event) for part in _parts(one) if _call(part) is not None]
        return any(has_more(part, "functionCall") or has_more(_call(part), *_CALLED) for part in parts)

    def without_calls(self, event: Event, held: Collection[int]) -> Event | None:
        nth = count()

        def kept(candidate: Any) -> Any:
            parts = [part for part in _parts(candidate) if _call(part) is None or next(nth) not in held]
            return inside(candidate, "content", lambda content: put(content, parts=parts))

        left = each(event, "candidates", kept)
        return left if _says(left) else None

    def in_order(self, event: Event) -> Sequence[Event]:
        candidates = _candidates(event)
        if not any(_call(part) is not None for one in candidates for part in _parts(one)):
            return (event,)
        events = [_holding(event, one, run) for one in candidates for run in _runs(one)[: -1 if _failed(one) else None]]
        left = []
        for one in candidates:
            kept = _runs(one)[-1] if _failed(one) else []
            left.append(put(one, content=put(get(one, "content"), parts=kept)) if _parts(one) else one)
        rest = put(event, candidates=left)
        ended = [rest] if _says(rest) else []
        return [*events, *ended] if events and len(events) + len(ended) > 1 else (event,)

    def call_ends(self, event: Event, calls: Collection[Lane]) -> Sequence[Ended]:
        if is_failed(event):
            return [(call, "error") for call in calls]
        ended = dict(self.ends(event))
        whole = [piece.call for piece in self.calls(event) if piece.whole or END in piece.members]
        closed = dict.fromkeys((*calls_of(calls, ended), *(call for call in whole if call in calls)))
        return [(call, ended.get(call[:1])) for call in closed]

    def whole_call(self, pieces: Sequence[Event], call: Lane, name: str, arguments: str) -> Iterable[Event]:
        beside: dict[str, Any] = {}  # the members of later parts, such as a signature
        called: dict[str, Any] = {}  # the members of the call in later parts, such as its id
        for event in pieces[1:]:
            for part in (part for one in _candidates(event) for part in _parts(one)):
                beside |= _members_of(part, _BESIDE, ("functionCall",))
                called |= _members_of(_call(part), ("id",), _CALLED)

        def written(part: Any) -> Any:
            made = put(_call(part), **{**_lacking(_call(part), called), "name": name, "args": as_value(arguments)})
            return put(_put_call(part, _unset(made, "partialArgs", "willContinue")), **_lacking(part, beside))

        yield each(pieces[0], "candidates", lambda one: inside(one, "content", lambda content: each(content, "parts", written)))

    def alone(self, event: Event, nth: int) -> Event:
        for candidate in get(event, "candidates"):
            parts = [part for part in _parts(candidate) if _call(part) is not None]
            if nth < len(parts):
                return _holding(event, candidate, [parts[nth]])
            nth -= len(parts)
        return event

    def uncalled(self, end: Event, left_out: Mapping[Lane, LeftOut]) -> Event:
        def uncalled(candidate: Any) -> Any:
            if left_out.get(_candidate(candidate)) != "length" or _reason(candidate) != "STOP":
                return candidate
            return put(candidate, finishReason=type(get(candidate, "finishReason"))("MAX_TOKENS"))

        return each(end, "candidates", uncalled)

    def closing(self, like: Event, ends: Mapping[Lane, bool], begun: Mapping[str, Event]) -> Sequence[Event]:
        (candidate, *_) = _candidates(like)
        events = []
        for lane, called in ends.items():
            reason = "STOP" if called else "MAX_TOKENS"
            said: Any = {"content": {"parts": [], "role": "model"}, "index": lane[0], "finishReason": reason}
            made = said if isinstance(candidate, dict) else type(candidate).model_validate(said)
            events.append(put(_framed(like), candidates=[made]))
        return events

    def numbering(self, lane: Lane) -> Lane:
        return lane

    def promote(self, like: Event, call: Called) -> Iterable[Event]:
        candidate = next(one for one in get(like, "candidates") if _candidate(one) == call.lane)
        said = {"name": call.tool, "args": json.loads(call.arguments)}
        made: Any = {"content": {"role": "model", "parts": [{"functionCall": said}]}, "index": call.lane[0]}
        made = made if isinstance(candidate, dict) else type(candidate).model_validate(made)
        yield put(_framed(like), candidates=[made])

    def is_reply(self, data: Mapping[str, Any]) -> bool:
        candidates = data.get("candidates")
        return isinstance(candidates, list) and all(isinstance(one, dict) for one in candidates)

    def unfolded(self, reply: dict[str, Any]) -> Sequence[Event]:
        events: list[Event] = []
        for one in reply["candidates"]:
            at = {"index": get(one, "index") or 0}
            parts = ({**one["content"], "parts": [part]} for part in _parts(one))
            events += [{"candidates": [{**at, "content": content}]} for content in parts]
            events.append({"candidates": [{**at, "content": {"parts": []}, "finishReason": get(one, "finishReason")}]})
        return events

    def folded(self, reply: dict[str, Any], events: Sequence[Event]) -> dict[str, Any]:
        left = [one for event in events for one in event["candidates"]]
        return {**reply, "candidates": [_folded(one, left) for one in reply["candidates"]]}

    def nothing(self, like: Event | None, lane: Lane | None, *, within: bool) -> dict[str, Any] | None:
        return _empty_candidate(like, lane)  # some clients read every line as JSON, also comments

    def carry(self, event: ToolEvent, like: Event | None, lane: Lane | None, *, within: bool) -> Iterable[dict[str, Any]]:
        yield {**_empty_candidate(like, lane), "stream_guard": as_member(event)}


_FRAME: Final = ("modelVersion", "responseId")
"""The members that identify the reply of an event."""


def _empty_candidate(like: Event | None, lane: Lane | None) -> dict[str, Any]:
    kept = bare(like, *_FRAME) if like else {}
    index = lane[0] if lane is not None else 0
    return {**kept, "candidates": [{"content": {"parts": [], "role": "model"}, "index": index}]}


def _folded(candidate: dict[str, Any], left: Sequence[Any]) -> dict[str, Any]:
    """Return a candidate of a whole reply with the content and the finish reason of its events that are sent, `left`.

    Adjacent texts become one.
    """
    left = [one for one in left if _candidate(one) == _candidate(candidate)]
    reasons = [one["finishReason"] for one in left if one.get("finishReason")]
    if reasons and reasons[-1] != candidate.get("finishReason"):
        candidate = {**candidate, "finishReason": reasons[-1]}
    parts = _joined(part for one in left for part in _parts(one))
    if _said(parts) == _said(_parts(candidate)):
        return candidate
    return {**candidate, "content": {**candidate["content"], "parts": parts}}


def _joined(parts: Iterable[Any]) -> list[Any]:
    found: list[Any] = []
    for part in parts:
        if found and all(_is_text(one) and one.keys() == {"text"} for one in (found[-1], part)):
            found[-1] = {"text": found[-1]["text"] + part["text"]}
        else:
            found.append(part)
    return found


def _said(parts: Sequence[Any]) -> list[Any]:
    """Return parts with adjacent texts joined, each with the other members of these texts. Held text is followed
    by such parts.
    """
    found: list[Any] = []
    for is_text, run in groupby(parts, _is_text):
        texts = [*run]
        if is_text:
            beside = [more for part in texts if (more := without(part, "text"))]
            found.append(("".join(part["text"] for part in texts), beside))
        else:
            found += texts
    return found


def _only(node: Any, *keys: str) -> Any:
    """Return a node of the same type with only these short members, given their names in JSON."""
    if isinstance(node, Mapping):
        return bare(node, *keys)
    return only(node, **{key: get(node, key) for key in keys})


def _framed(event: Event) -> Event:
    """Return an event with only the members that identify its reply."""
    return _only(event, *_FRAME)


def _alone(candidate: Any) -> Any:
    """Return a candidate with only its index."""
    return _only(candidate, "index")


def _unset(node: Node, *keys: str) -> Node:
    """Return a copy without these members, given their names in JSON."""
    if isinstance(node, Mapping):
        return without(node, *keys)
    given = [key for key in keys if get(node, key) is not None]
    return put(node, **dict.fromkeys(given)) if given else node


def _holding(event: Event, candidate: Any, parts: Sequence[Any]) -> Event:
    """Return an event of the same reply and candidate, with only these parts."""
    content = put(_only(get(candidate, "content"), "role"), parts=[*parts])
    return put(_framed(event), candidates=[put(_alone(candidate), content=content)])


def _says(event: Event) -> bool:
    """Return whether an event has other members than those that identify its reply and its candidates."""
    return has_more(event, "candidates", *_FRAME) or any(
        _parts(one) or has_more(one, "index", "content") or has_more(get(one, "content"), "role", "parts")
        for one in _candidates(event)
    )


def _candidates(event: Event) -> Sequence[Any]:
    return get(event, "candidates") or ()


def _candidate(candidate: Any) -> Lane:
    return (get(candidate, "index") or 0,)


def _parts(candidate: Any) -> Sequence[Any]:
    return walk(candidate, "content", "parts") or ()


def _failed(candidate: Any) -> bool:
    """Return whether a candidate with calls was cut off or failed, which decides which calls in its event may be sent on."""
    reason = _reason(candidate)
    failed = isinstance(reason, str) and _REASONS.get(reason, "stop") != "stop"
    return failed and any(_call(part) is not None for part in _parts(candidate))


def _in_parts(candidate: Any) -> Sequence[Any]:
    """Return a candidate that mixes texts with other parts as several candidates with one kind of part each, in order; any
    other candidate alone.

    The last has all other members of the candidate.
    """
    *most, last = [[*run] for _, run in groupby(_parts(candidate), _is_text)] or [[]]
    if not most:
        return (candidate,)
    content = get(candidate, "content")
    made = [put(_alone(candidate), content=put(_only(content, "role"), parts=run)) for run in most]
    return [*made, put(candidate, content=put(content, parts=last))]


def _runs(candidate: Any) -> list[list[Any]]:
    """Return the parts of a candidate in groups: each call alone, and the parts between calls together.

    If the candidate failed, all parts from its first call on are one group.
    """
    runs: list[list[Any]] = []
    failed, called = _failed(candidate), False
    for part in _parts(candidate):
        is_call = _call(part) is not None
        if runs and ((failed and called) or (not is_call and _call(runs[-1][-1]) is None)):
            runs[-1].append(part)
        else:
            runs.append([part])
        called = called or is_call
    return runs


def _is_text(part: Any) -> bool:
    """Return whether a part is text and no thought."""
    return isinstance(get(part, "text"), str) and not get(part, "thought")


def _call(part: Any) -> Any:
    """Return the call in a part; None when the part is no call."""
    return get(part, "functionCall")


def _put_call(part: Node, call: Any) -> Node:
    return put(part, functionCall=call)


_IN_PARTS: Final = "in parts"
"""The key of the calls of a candidate that come in parts."""

_BESIDE: Final = ("thoughtSignature", "partMetadata")
"""The members beside a part of a call that are sent on with the call."""


_CALLED: Final = ("name", "args", "partialArgs", "willContinue")
"""The members about the whole call that each part of a call has."""


def _members_of(node: Any, known: Sequence[str], others: Collection[str]) -> dict[str, Any]:
    """Return the members of a node: of JSON all except `others`, of a client's object those in `known`."""
    names = [key for key in node if key not in others] if isinstance(node, Mapping) else known
    return {key: said for key in names if (said := get(node, key)) is not None}


def _lacking(node: Any, members: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of these members that a node lacks."""
    return {key: said for key, said in members.items() if get(node, key) is None}


def _is_in_parts(call: Any) -> bool:
    """Return whether a call is only one part of a call, as some endpoints send it when a request asks for that."""
    return bool(not get(call, "name") or get(call, "partialArgs") or get(call, "willContinue"))


def _members(call: Any) -> Sequence[Member]:
    """Return the members of the arguments that a part of a call has, and their end if it is the last part."""
    told = get(call, "partialArgs") or ()
    found = [BEGIN] if get(call, "name") else []
    found += [_member(one) for one in told] if isinstance(told, list | tuple) else [_UNREADABLE]
    if get(call, "args"):
        found.append(_UNREADABLE)  # the arguments are given in two ways at once
    return found if get(call, "willContinue") else [*found, END]


_UNREADABLE: Final = Member("?")
"""A member for arguments that cannot be read. The object with that member cannot be read either."""


def _member(told: Any) -> Member:
    path, more = get(told, "jsonPath"), bool(get(told, "willContinue"))
    said = [value for key in ("stringValue", "numberValue", "boolValue") if (value := get(told, key)) is not None]
    if not isinstance(path, str) or len(said) + (get(told, "nullValue") is not None) != 1:
        return _UNREADABLE
    return Member(path, said[0] if said else None, more)


def _reason(candidate: Any) -> Any:
    """Return the finish reason of a candidate as a string. In an object of the client it is an enum."""
    reason = get(candidate, "finishReason")
    return getattr(reason, "value", reason)
