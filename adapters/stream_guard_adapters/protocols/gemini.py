"""Gemini's `streamGenerateContent`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final

from stream_guard import ToolEvent

from .access import Shape, bare, get, put, walk, without
from .base import EVERY, FEW, MANY, Ended, Event, Lane, Protocol, as_member, cause, is_failed


class Gemini(Protocol):
    """The table of Gemini. A lane is a candidate; its thoughts are no text."""

    name = "gemini"
    sign = "candidates"
    shape: ClassVar[Shape | None] = {"candidates": [{"index": int, "content": {"parts": [{}, MANY]}}, FEW]}

    def recognises(self, event: Event) -> bool:
        return get(event, "candidates") is not None

    def texts(self, event: Event) -> Sequence[tuple[Lane, str]]:
        found: list[tuple[Lane, str]] = []
        for candidate in get(event, "candidates") or ():
            text = "".join(get(part, "text") for part in _parts(candidate) if _is_text(part))
            if text:
                found.append((_candidate(candidate), text))
        return found

    def piece(self, event: Event, lane: Lane, text: str, *, first: bool, last: bool) -> Event:
        candidate = next(one for one in get(event, "candidates") if _candidate(one) == lane)
        content = get(candidate, "content")
        if not first and not last:
            event, candidate, content = bare(event, *_FRAME), bare(candidate, "index"), bare(content, "role")
        others = _parts(candidate)
        parts = [part for part in others if not _is_text(part)] if first else []
        if text:
            parts.append({"text": text})
        if last:  # a signature seals what it stands beside
            parts += [put(part, text="") for part in others if _is_text(part) and get(part, "thoughtSignature")]
        made = put(candidate, content=put(content, parts=parts))
        if last:
            return put(event, candidates=[made])
        made = without(made, "finishReason", "groundingMetadata", "citationMetadata")
        return put(without(event, "usageMetadata"), candidates=[made])

    def beside(self, event: Event) -> bool:
        return True  # each event counts the tokens

    def apart(self, event: Event) -> Sequence[Event]:
        candidates = get(event, "candidates")
        if len(candidates) < 2:
            return (event,)
        *most, last = candidates
        return [*(put(bare(event, *_FRAME), candidates=[one]) for one in most), put(event, candidates=[last])]

    def ends(self, event: Event) -> Sequence[Ended]:
        if is_failed(event):
            return ((EVERY, "error"),)
        reasons = [(_candidate(one), get(one, "finishReason")) for one in get(event, "candidates") or ()]
        return [(lane, cause(reason)) for lane, reason in reasons if reason]

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

    def nothing(self, like: Event, lane: Lane, *, within: bool) -> dict[str, Any] | None:
        return _empty_candidate(like, lane)  # to some of its clients every line is JSON, and none a comment

    def carry(self, event: ToolEvent, like: Event | None, lane: Lane | None, *, within: bool) -> Iterable[dict[str, Any]]:
        yield {**_empty_candidate(like, lane), "stream_guard": as_member(event)}


_FRAME: Final = ("modelVersion", "responseId")
"""Members that identify the reply of an event."""


def _empty_candidate(like: Event | None, lane: Lane | None) -> dict[str, Any]:
    kept = bare(like, *_FRAME) if like else {}
    index = lane[0] if lane is not None else 0
    return {**kept, "candidates": [{"content": {"parts": [], "role": "model"}, "index": index}]}


def _folded(candidate: dict[str, Any], left: Sequence[Any]) -> dict[str, Any]:
    """Return a candidate of a reply with the content of the candidates of its events. Adjacent texts become one."""
    parts = _joined(part for one in left if _candidate(one) == _candidate(candidate) for part in _parts(one))
    if parts == _joined(_parts(candidate)):
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


def _candidate(candidate: Any) -> Lane:
    return (get(candidate, "index") or 0,)


def _parts(candidate: Any) -> Sequence[Any]:
    return walk(candidate, "content", "parts") or ()


def _is_text(part: Any) -> bool:
    """Return whether a part is text and no thought."""
    return isinstance(get(part, "text"), str) and not get(part, "thought")
