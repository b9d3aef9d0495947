"""Rows of bytes: native calls in them, ends that decide, and lines that are long, empty, or have signs that end none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final

from .dialects import TOOLS
from .fences import fenced
from .native import Event
from .native_rows import CUT_OFF as NATIVE_CUT_OFF
from .native_rows import STREAMED, given
from .protocol_rows import ERRORS, SENT, SMALL, as_chunks, as_sent, body
from .rows import Draft, Meant, Piece, Row
from .sent import Sent
from .streams import STREAMS
from .unfinished import CUT_OFF

BEGINNING: Final = "wire/"


def rows(seed: int) -> Iterator[Row]:
    """Yield the rows."""
    for name in SENT:
        rng = Random(f"wire:{name}:{seed}")
        yield from _native(name, rng)
        yield from _ends(name, rng)
        yield from _lines(name, rng)


def _cut(text: str, size: int = 9) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def _row(
    kind: str,
    name: str,
    why: str,
    sent: str,
    rng: Random,
    calls: Sequence[Meant] = (),
    texts: Sequence[Piece] = ("",),
    needs: Sequence[str] = ("fence",),
    **more: Any,
) -> Row:
    sizes = (1, 3, 20, 60, 300) if len(sent) < 20_000 else (1_000, 5_000, 30_000)
    chunks = as_chunks(sent.encode(), rng, sizes)
    return Sent(f"The bytes of `{name}`: {why}.", chunks, calls, [texts], needs, "bytes", **more).row(
        f"{BEGINNING}{kind}", name
    )


# -- native calls

_CALLS: Final[Mapping[str, Sequence[Meant]]] = {
    "a native call": (Meant("write_file", {"path": "ü.txt", "content": 'é 😀 "x"\n\\n\u2028'}),),
    "two native calls": (
        Meant("write_file", {"path": "a.txt", "content": "x"}),
        Meant("find_notes", {"query": "x", "limit": 7}),
    ),
    "a native call without arguments": (Meant("list_all", {}),),
}


def _native(name: str, rng: Random) -> Iterator[Row]:
    make, text = STREAMED[name]
    for what, calls in _CALLS.items():
        events = make([given(call) for call in calls])
        yield _row("native", name, f"{what} runs", as_sent(events, name), rng, calls, [text], ("native",), tools=TOOLS)
    call = _CALLS["a native call"][0]
    refused = ("write_file", '{"path": "a.txt"}')
    why = "a native call without a required value never runs, and the one behind it does"
    events = make([refused, given(call)])
    yield _row("native", name, why, as_sent(events, name), rng, [call], [text], ("native", "several", "schemas"), tools=TOOLS)
    whole = given(call)[1]
    if name not in ("gemini", "ollama"):
        cut = as_sent(make([(call.name, whole[:-9])], NATIVE_CUT_OFF.get(name)), name)
        yield _row("native", name, "a native call that was cut off never runs", cut, rng, (), [text], ("native", "endings"))


# -- ends

_OPEN: Final = f"Hi.\n\n```json\n{body(SMALL)}\n"
"""A text that ends with a complete object in a fence that is open."""


def _ends(name: str, rng: Random) -> Iterator[Row]:
    says = [STREAMS[name].say(0, delta) for delta in _cut(_OPEN)]
    ends: dict[str, Sequence[Event]] = {"no event behind it": ()}
    ends |= {f"the reason {reason}": last for reason, last in CUT_OFF.get(name, {}).items()}
    if name in ERRORS:
        ends["an error"] = [ERRORS[name]]
    for how, last in ends.items():
        why = f"a complete call whose fence is open never runs, with {how}"
        yield _row("ends", name, why, as_sent([*says, *last], name), rng, (), ["Hi.\n\n", None], ("fence", "endings"))
        if how == "no event behind it":
            sent = as_sent(says, name).removesuffix("data: [DONE]\n\n")
            yield _row("ends", name, f"{why}, nor a last mark", sent, rng, (), ["Hi.\n\n", None], ("fence", "endings"))
    if SENT[name].lines:
        return
    closer = as_sent([*says, STREAMS[name].say(0, "```\n")], name).removesuffix("data: [DONE]\n\n")
    why = "an event without the empty line behind it was cut off: it completes no call"
    for missing in (1, 2):
        sent = closer[:-missing]
        yield _row("ends", name, why, sent, rng, (), ["Hi.\n\n", None], ("fence", "endings"))


# -- lines


def _drafts() -> Mapping[str, Draft]:
    return {
        "text": Draft().say("Hi, there it is.\nAnd `more`.\n"),
        "a call": Draft().say("Hi.\n\n").write(fenced(body(SMALL)), SMALL).say("\nSo.\n"),
    }


_LONG: Final = "word " * 14_000 + "end.\n"

EVENTS: Final[Mapping[str, Callable[[str], str]]] = {
    "`data` without anything first": lambda sent: f"data:\n\ndata: \n\n{sent}",
    "`data` without anything between": lambda sent: sent.replace("\n\n", "\n\ndata:\n\n", 3),
    "several empty lines between": lambda sent: sent.replace("\n\n", "\n\n\n\n"),
    "fields that nobody knows": lambda sent: sent.replace("data: {", 'foo: {"a": 1}\nretry\ndata: {'),
}
"""What servers and proxies put between events."""

LINES: Final[Mapping[str, Callable[[str], str]]] = {
    "empty lines between": lambda sent: sent.replace("\n", "\n\n"),
    "empty lines first, and CR LF": lambda sent: "\r\n\r\n" + sent.replace("\n", "\r\n\r\n"),
    "blanks around each line": lambda sent: " " + sent.replace("\n", " \n "),
    "no line end behind the last": lambda sent: sent.removesuffix("\n"),
}
"""What servers and proxies do to lines of JSON."""


def _lines(name: str, rng: Random) -> Iterator[Row]:
    spoken = STREAMS[name]
    for what, draft in _drafts().items():
        for how, change in (LINES if SENT[name].lines else EVENTS).items():
            *deltas, last = _cut(draft.text)
            events = spoken.stream([*deltas, last])
            if name == "ollama":  # the last line has text, too
                events = [*spoken.stream(deltas)[:-1], {**events[-1], "message": {"role": "assistant", "content": last}}]
            sent = change(as_sent(events, name))
            yield _row("lines", name, f"{how} are nothing, with {what}", sent, rng, draft.calls, draft.pieces)
    for sign in "\u2028\u2029\x85":
        text = f"a{sign}b {sign}{sign}\ndata: {sign}c\n"
        sent = as_sent(spoken.stream([text[:2], text[2:]]), name)
        yield _row("lines", name, f"{sign!a} in a text ends no line", sent, rng, (), [text], ("text",))
    call = Meant("write_file", {"path": "a.txt", "content": "a\u2028b\u2029c\x85d"})
    draft = Draft().say("Hi.\n\n").write(fenced(body(call)), call).say("\nSo.\n")
    sent = as_sent(spoken.stream(_cut(draft.text)), name)
    yield _row("lines", name, "separators of Unicode in a value end no line", sent, rng, draft.calls, draft.pieces)
    said = ["Hi. ", "It ends with data: [DONE]. ", "[DONE]", "\ndata: [DONE]\n\n", "That is all.\n"]
    sent = as_sent(spoken.stream(said), name)
    yield _row("lines", name, "`[DONE]` in a text is text", sent, rng, (), ["".join(said)], ("text",))
    if name in ("openai-chat", "anthropic", "ollama"):
        sent = as_sent(spoken.stream(["So:\n", _LONG, "And more.\n"]), name)
        yield _row(
            "lines", name, "a line of 70,000 characters is a line", sent, rng, (), [f"So:\n{_LONG}And more.\n"], ("text",)
        )
        call = Meant("write_file", {"path": "a.txt", "content": _LONG})
        make, text = STREAMED[name]
        sent = as_sent(make([given(call)]), name)
        yield _row("lines", name, "a native call of 70,000 characters runs", sent, rng, [call], [text], ("native",))
