"""Rows of when a call is named and runs: native calls and calls in dialects, neither before they are whole nor long after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from random import Random
from typing import Any, Final

from ..toolsets import tool_of
from .dialects import DIALECTS, FILE_TOOLS, FILES, TOOLS, WITHOUT_QUOTES
from .native import Event, following
from .native_rows import OBJECTS, STREAMED, given
from .protocol_rows import HELLO
from .rows import Draft, Meant, Places, Row, cut
from .sent import Sent

BEGINNING: Final = "calls-in-time/"

_FILE: Final = Meant("write_file", {"path": "a.txt", "content": "one and two and three"})
_FIND: Final = Meant("find_notes", {"query": "x y z", "limit": 7})
_LIST: Final = Meant("list_all", {})

CALLS: Final[Mapping[str, Sequence[Meant]]] = {
    "a call": (_FILE,),
    "two calls": (_FILE, _FIND),
    "three calls, one without arguments": (_FIND, _LIST, _FILE),
}

USAGE: Final[Mapping[str, Event]] = {
    "openai-chat": {"id": "c", "choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}},
    "gemini": {"usageMetadata": {"promptTokenCount": 1, "totalTokenCount": 3}, "modelVersion": "m"},
}
"""An event that follows the one with the finish reason."""


def rows(seed: int) -> Iterator[Row]:
    """Yield the rows."""
    yield from _native()
    yield from _names()
    yield from _dialects(seed)
    yield from _files(seed)


# -- native calls


def chat(calls: Sequence[Meant], rng: Random, *, mixed: bool = False, choice: int = 0) -> list[Event]:
    """Return calls as chunks of a chat completion. The piece with a name has arguments, too, so that the name is whole."""

    def chunk(**call: Any) -> Event:
        return {"id": "c", "choices": [{"index": choice, "delta": {"tool_calls": [call]}, "finish_reason": None}]}

    told = []
    for index, call in enumerate(calls):
        name, arguments = given(call)
        first, *rest = cut(arguments, "random", rng)
        head = {"index": index, "id": f"t{choice}{index}", "type": "function"}
        told.append([
            chunk(**head, function={"name": name, "arguments": first}),
            *(chunk(index=index, function={"arguments": piece}) for piece in rest),
        ])  # fmt: skip
    events = []
    while any(told):
        events.append(following(told, rng, mixed=mixed).pop(0))
    return events


def _hello(text: str, reason: str | None = None) -> Event:
    delta = {"role": "assistant", "content": text} if text else {}
    return {"id": "c", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


def part_of(event: Event) -> int | None:
    """Return the number of the call of which an event has the name, or some of the arguments; -1 of one that comes whole."""
    match event:
        case {"choices": [{"delta": {"tool_calls": [{"index": int(number)}]}}]}:
            return number
        case {"type": "response.output_item.added" | "response.function_call_arguments.delta", "output_index": int(number)}:
            return number if event.get("delta", event["type"]) else None
        case {"type": "content_block_start" | "content_block_delta", "index": int(number)}:
            return number if event.get("delta", {}).get("partial_json", event["type"]) else None
        case {"type": "tool-input-start" | "tool-input-delta" | "TOOL_CALL_START" | "TOOL_CALL_ARGS", "toolCallId": str(of)}:
            return int(of[1:]) if event.get("delta", event.get("inputTextDelta", of)) else None
        case {"candidates": [{"content": {"parts": [{"functionCall": _}]}}]} | {"message": {"tool_calls": [_]}}:
            return -1
    return None


def timed(calls: Sequence[Meant], events: Sequence[Event], end: int) -> list[Meant]:
    """Return native calls with the events that have their names and the last of their arguments; `end` ends their message."""
    at: dict[int, list[int]] = {}
    for number, event in enumerate(events):
        part = part_of(event)
        if part is not None:
            at.setdefault(part if part >= 0 else len(at), []).append(number)
    assert len(at) == len(calls)
    return [replace(call, named=at[nth][0], ready=at[nth][-1], due=end) for nth, call in enumerate(calls)]


def _native() -> Iterator[Row]:
    for name, (make, text) in STREAMED.items():
        for what, calls in CALLS.items():
            for number in range(1 if name in OBJECTS else 4):
                rng = Random(f"native in time:{name}:{number}")
                mixed = number == 3 and name in ("openai-chat", "openai-responses")
                if name == "openai-chat":
                    events = [_hello(HELLO), *chat(calls, rng, mixed=mixed), _hello("", "tool_calls")]
                else:
                    seeds = {} if name in OBJECTS else {"seed": 10 + number, **({"mixed": True} if mixed else {})}
                    events = make([given(call) for call in calls], **seeds)
                said = next((nth for nth, event in enumerate(events) if "Hi\\n" in f"{event!r}"), None)
                end = len(events) - (2 if name == "anthropic" else 1)
                why = f"A native call of `{name}` is named with its name, and runs neither before it is whole nor after"
                why += f" its message has ended: {what}{', whose pieces are mixed' if mixed else ''}."
                sent = [*events, USAGE[name]] if name in USAGE else events
                row = Sent(why, sent, timed(calls, events, end), [[text]], ("native",), tools=TOOLS)
                yield replace(
                    row.row(f"{BEGINNING}native", name), out=[[(said, len(text.strip()))]] if said is not None else ()
                )


NAME_TOOLS: Final = [
    tool_of("find", ("query",), query={"type": "string"}),
    tool_of("find_notes", ("query",), query={"type": "string"}),
    tool_of("find_notes_of", ("query",), query={"type": "string"}),
]
"""Tools of which the name of one is the beginning of another's."""


def _names() -> Iterator[Row]:
    """Yield names in pieces, of which the first ones are the names of other tools."""
    for pieces in (("find", "_notes"), ("find", "_notes", "_of"), ("find_notes", "_of"), ("fi", "nd"), ("f", *"ind_notes")):
        for together in (True, False):
            call = Meant("".join(pieces), {"query": "x"})
            arguments = given(call)[1]
            events = [_hello(HELLO)]
            for nth, piece in enumerate(pieces):
                function = {"name": piece, **({"arguments": arguments[:4]} if together and nth == len(pieces) - 1 else {})}
                head = {"id": "t0", "type": "function"} if nth == 0 else {}
                events.append(_called(head, function))
            if not together:
                events.append(_called({}, {"arguments": arguments[:4]}))
            events += [_called({}, {"arguments": arguments[4:]}), _hello("", "tool_calls")]
            others = {name["name"] for name in NAME_TOOLS if call.name.startswith(name["name"])} - {call.name}
            named = len(pieces) if together and not others & {*accumulate(pieces)} else None  # else it may be told sooner
            meant = replace(call, named=named, ready=len(events) - 2, due=len(events) - 1)
            how = "that begin in its last piece" if together else "that come behind it"
            why = f"A name in pieces is whole when the arguments begin, {how}, and no other tool's: {' + '.join(pieces)}."
            sent = Sent(why, [*events, USAGE["openai-chat"]], [meant], [[HELLO]], ("native",), tools=NAME_TOOLS)
            yield sent.row(f"{BEGINNING}names", "openai-chat")


def _called(head: Event, function: Event) -> Event:
    call = {"index": 0, **head, "function": function}
    return {"id": "c", "choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": None}]}


# -- dialects

WITH_ENDS: Final = (
    "hermes", "longcat", "jamba", "nemotron_nano_v2", "internlm2", "deepseek_v3", "deepseek_v31", "kimi_k2", "harmony",
    "cohere_command", "apertus", "inkling",
)  # fmt: skip
"""Dialects whose texts have quotes, and whose calls have an end of their own: a call there is whole before the reply ends."""

_LEAD: Final = "I will write it now, as you said.\n\n"
_REST: Final = "\n\nSo that is done, I think.\nAnd one more line, and more.\n"


def _dialects(seed: int) -> Iterator[Row]:
    """Yield calls whose first piece ends in the name, and whose second one in the first value: wherever a call is named."""
    for name, write in DIALECTS.items():
        rng = Random(f"dialects in time:{name}:{seed}")
        for nth in range(2):
            draft = Draft().say(_LEAD).write(write([(_FILE.name, _FILE.arguments)]), _FILE).say(_REST)
            text = draft.text
            marks = (text.index(_FILE.name) + 3, text.index("a.txt") + 2)
            last = max(text.rindex(value) + len(value) for value in _FILE.arguments.values())
            deltas = [text[: marks[0]], text[marks[0] : marks[1]], *cut(text[marks[1] :], ("characters", "tokens")[nth], rng)]
            sure = name in WITH_ENDS
            places = Places(deltas)
            due = places.delta_at(text.index("\n", len(text) - len(_REST))) if sure else None
            meant = replace(_FILE, named=1, ready=places.delta_at(last - 1), due=due)
            out = [by for by in draft.out(deltas) if sure or by[1] <= len("".join(_LEAD.split()))]
            why = f"In the form `{name}`, a call is named when its name is whole, and does not run before its last value is;"
            why += " the text before it comes out" + (", and that behind it, too." if sure else ".")
            typed = ("schemas",) if name in WITHOUT_QUOTES else ()
            yield draft.in_dialect(f"{BEGINNING}dialects", why, name, TOOLS, deltas, [meant], ("streams", *typed), [out])


# -- dialects that carry files

_PAGE: Final = Meant("write_file", {"path": "src/page.txt", "content": "one and two\nand three\nand four\n"})
_EDIT: Final = Meant(
    "edit_file", {"path": "src/page.txt", "old_string": "one and two\nand three\n", "new_string": "and four\nand five\n"}
)

CHANGED: Final[Mapping[str, tuple[Meant, str, str, str]]] = {
    "bolt_artifact": (_PAGE, "<boltAction", "one and", "and four\n"),
    "v4a_patch": (_PAGE, "*** Add File", "one and", "and four"),
    "aider_search_replace": (_EDIT, "<<<<<<< SEARCH", "one and", "and five\n"),
}
"""A change in each dialect that carries files; what says of which kind it is, what stands behind that, and the end of it."""


def _files(seed: int) -> Iterator[Row]:
    """Yield changes of files, of which the first piece ends in what says their kind, and the second one in their first text."""
    for name, (call, says, behind, last) in CHANGED.items():
        rng = Random(f"files in time:{name}:{seed}")
        lead = f"{_LEAD}{call.arguments['path']}\n" if name == "aider_search_replace" else _LEAD
        for how in ("characters", "tokens", "lines"):
            draft = Draft().say(lead).write(FILES[name]([(call.name, call.arguments)]), call).say(_REST)
            text = draft.text
            marks = (text.index(says) + 4, text.index(behind) + len(behind))
            deltas = [text[: marks[0]], text[marks[0] : marks[1]], *cut(text[marks[1] :], how, rng)]
            places = Places(deltas)
            ready = places.delta_at(text.rindex(last) + len(last) - 1)
            meant = replace(call, named=1, ready=ready)
            out = [(0, len("".join(_LEAD.split())))]
            why = f"In the form `{name}`, a change is named when its kind is known, and does not run before its last line is;"
            why += " the text before it comes out."
            yield draft.in_dialect(f"{BEGINNING}files", why, name, FILE_TOOLS, deltas, [meant], ("streams",), [out])
