"""Rows of when text comes out: what could become no call is not held back, whatever stands before it or around it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final

from .fences import FILE_TOOLS, fenced
from .protocol_rows import DROP, SMALL, body
from .rows import By, Draft, Meant, Row, cut
from .streams import STREAMS

BEGINNING: Final = "in-time/"

_BEHIND: Final = "Then comes some more text, in one line and without an end of its own\nand one more line behind it.\n"

PROSE: Final[Mapping[str, str]] = {
    "a lone backtick": f"Press ` to open it, and go on until it is open. {_BEHIND}",
    "a lone backtick at the end of a line": f"Press the key `\n{_BEHIND}",
    "two lone backticks": f"Write `` for that, and go on as before. {_BEHIND}",
    "code in a line": f"Use `a` and ``b ` c`` and `d`, and go on as before. {_BEHIND}",
    "code in a line that nothing closes": f"Use `a and so on, and go on as before. {_BEHIND}",
    "a tilde": f"It takes ~5 minutes, or ~~ten~~ six. {_BEHIND}",
    "three backticks in a line": f"Write ``` for that.\n{_BEHIND}",
    "a line that begins with code": f"`a` is the first one.\n{_BEHIND}",
    "a line of backticks and code": f"``` a ``` is code.\n{_BEHIND}",
    "a line of two backticks": f"``\n{_BEHIND}",
    "a line of two tildes": f"~~\n{_BEHIND}",
    "a fence that is indented too far": f"So:\n\n    ```json\n    {body(DROP)}\n    ```\n\n{_BEHIND}",
    "a fence in a quote": f"So:\n\n> ```json\n> {body(DROP)}\n> ```\n\n{_BEHIND}",
    "a fence in a quote that nothing closes": f"So:\n\n> ```json\n> {body(DROP)}\n\n{_BEHIND}",
    "braces": f"Write {{ and [ and so on, as in {body(DROP)}, or not. {_BEHIND}",
    "an open brace": f"{{\n{_BEHIND}",
    "an object in a line of its own": f"{body(DROP)}\n{_BEHIND}",
    "a list": f"- one\n- two\n  and more\n1. three\n{_BEHIND}",
    "a table": f"| a | b |\n|---|---|\n| 1 | 2 |\n{_BEHIND}",
    "a heading and a rule": f"# One\n\n---\n\n***\n\nTwo\n===\n\n{_BEHIND}",
    "blank lines": f"One\n\n\n\n  \n{_BEHIND}",
    "words of calls": f"The tool delete_file takes a path. Tool: delete_file\n{_BEHIND}",
    "a line without an end": f"One\n{_BEHIND} and the last one has no end",
}
"""Prose, in which something looks like the beginning of a call, or of code."""

LANGUAGES: Final = ("python", "bash", "", "diff", "yaml", "javascript", "markdown", "text", "html", "Python 3", "c++")

CODE: Final[Mapping[str, str]] = {
    **{
        f"a fence of `{language}`" if language else "a fence without a language": (
            f"See:\n\n```{language}\none = 1\n\ntwo = {{'a': [3]}}\n```\n\n{_BEHIND}"
        )
        for language in LANGUAGES
    },
    "a fence of tildes": f"See:\n\n~~~python\none = 1\ntwo = 2\n~~~\n\n{_BEHIND}",
    "a fence that nothing closes": f"See:\n\n```python\none = 1\n\n{_BEHIND}",
    "a fence of another mark in a fence": f"See:\n\n```text\none\n~~~\ntwo\n```\n\n{_BEHIND}",
    "a fence of JSON in a longer one": f"See:\n\n````markdown\n```json\n{body(DROP)}\n```\nand so on\n````\n\n{_BEHIND}",
    "a call in a fence of Python": f"See:\n\n```python\ncall = {body(DROP)}\nrun(call)\n```\n\n{_BEHIND}",
    "a fence of `jsonl`": f"See:\n\n```jsonl\n{body(DROP)}\n{body(DROP)}\n```\n\n{_BEHIND}",
    "a fence in a list": f"- one\n\n  ```python\n  a = 1\n  b = 2\n  ```\n\n- two\n{_BEHIND}",
    "three fences": f"```a\n1\n```\n\n```b\n2\n```\n\n```c\n3\n```\n{_BEHIND}",
}
"""Code, of which no line could become a call of one who reads blocks of JSON."""

_THOUGHT: Final = f"I could do this, or not.\nSo let me see, there is `a`, and then\nthere is {body(DROP)} as well.\n"


def rows(seed: int) -> Iterator[Row]:
    """Yield the rows."""
    yield from _texts(seed)
    yield from _around_calls(seed)
    yield from _events(seed)
    yield from _choices(seed)


def _row(kind: str, why: str, draft: Draft, how: str, rng: Random, *needs: str, **more: Any) -> Row:
    deltas = cut(draft.text, how, rng)
    calls = draft.timed(deltas)
    needed = dict.fromkeys(
        ("text", "streams", *(("fence",) if calls else ()), *(("several",) if len(calls) > 1 else ()), *needs)
    )
    return Row(
        f"{BEGINNING}{kind}", why, FILE_TOOLS, deltas, calls, texts=[draft.pieces], needs=tuple(needed),
        out=[draft.out(deltas)], **more,
    )  # fmt: skip


def _texts(seed: int) -> Iterator[Row]:
    rng = Random(f"in time:{seed}")
    for kind, texts, needs in (("prose", PROSE, ()), ("code", CODE, ("fence", "intent"))):
        for what, text in texts.items():
            for how in ("characters", "tokens", "lines"):
                why = f"Nothing of a text is held back that could become no call: {what}, and text behind it."
                yield _row(kind, why, Draft().say(text), how, rng, *needs)
    for mark in ("think", "thinking"):
        for how in ("characters", "tokens", "lines"):
            draft = Draft().say(f"<{mark}>\n{_THOUGHT}</{mark}>\n\nHere is the answer.\n{_BEHIND}")
            why = f"Reasoning in a text comes out as it is read, and not with the answer: between marks of `{mark}`."
            yield _row("reasoning", why, draft, how, rng, "reasoning")
    json = '```json\n{\n  "name": "demo",\n  "version": "1.0.0",\n  "files": ["a", "b"]\n}\n```'
    for how in ("characters", "tokens", "lines"):
        draft = Draft().say("See:\n\n").say(json, whole=True).say(f"\n\n{_BEHIND}")
        why = "A block of JSON that is no call may be held back until its end, and no longer."
        yield _row("ordinary-json", why, draft, how, rng, "fence", "intent")


def _around_calls(seed: int) -> Iterator[Row]:
    rng = Random(f"in time, around calls:{seed}")
    python = "```python\none = 1\n```"
    drafts = {
        "a line of text behind it": Draft().say("Hi.\n\n").write(fenced(body(SMALL)), SMALL).say(f"\n{_BEHIND}"),
        "text behind it after empty lines": Draft().say("Hi.\n\n").write(fenced(body(SMALL)), SMALL).say(f"\n\n\n\n{_BEHIND}"),
        "code behind it": Draft().say("Hi.\n\n").write(fenced(body(SMALL)), SMALL).say(f"\n\n{python}\n\n{_BEHIND}"),
        "a lone backtick behind it": (
            Draft().say("Hi.\n\n").write(fenced(body(SMALL)), SMALL).say(f"\nPress ` to see it, and go on. {_BEHIND}")
        ),
        "a lone backtick before it": (
            Draft().say(f"Press ` to see it, and go on. {_BEHIND}\n").write(fenced(body(SMALL)), SMALL).say(f"\n{_BEHIND}")
        ),
        "code before it": Draft().say(f"So:\n\n{python}\n\n{_BEHIND}\n").write(fenced(body(SMALL)), SMALL).say(f"\n{_BEHIND}"),
        "text between it and another": (
            Draft().say("Hi.\n\n").write(fenced(body(SMALL)), SMALL).say(f"\n\n{_BEHIND}\n").write(fenced(body(DROP)), DROP)
            .say(f"\n\n{_BEHIND}")
        ),
    }  # fmt: skip
    for what, draft in drafts.items():
        for how in ("characters", "tokens", "lines"):
            why = f"The text around a call comes out as it is read, and does not wait for the next block: {what}."
            yield _row("around-calls", why, draft, how, rng)


def _drafts() -> Mapping[str, tuple[Draft, Sequence[str]]]:
    return {
        "a lone backtick": (Draft().say(PROSE["a lone backtick"]), ("text",)),
        "a fence in a quote": (Draft().say(PROSE["a fence in a quote"]), ("text",)),
        "code": (Draft().say(CODE["a fence of `python`"]), ("fence", "intent", "text")),
        "text around a call": (
            Draft().say(f"Press ` so. {_BEHIND}\n").write(fenced(body(SMALL)), SMALL).say(f"\n\n{_BEHIND}"),
            ("fence", "text"),
        ),
    }


def _moved(calls: Sequence[Meant], at: Sequence[int], choice: int = 0) -> list[Meant]:
    """Return calls whose deltas are at these places of a stream."""
    return [
        Meant(
            call.name,
            call.arguments,
            call.must,
            choice,
            *(None if number is None else at[number] for number in (call.named, call.ready, call.due)),
        )
        for call in calls
    ]


def _by(marks: Sequence[By], at: Sequence[int]) -> list[By]:
    return [(at[number], letters) for number, letters in marks]


def _events(seed: int) -> Iterator[Row]:
    rng = Random(f"in time, in events:{seed}")
    for name, spoken in STREAMS.items():
        for what, (draft, needs) in _drafts().items():
            deltas = cut(draft.text, "tokens", rng)
            yield Row(
                f"{BEGINNING}events",
                f"In `{name}`, nothing of a text is held back that could become no call: {what}.",
                FILE_TOOLS,
                spoken.stream(deltas),
                draft.timed(deltas),
                texts=[draft.pieces],
                needs=(f"protocol:{name}", "streams", *needs),
                form="events",
                protocol=name,
                out=[draft.out(deltas)],
            )


def _choices(seed: int) -> Iterator[Row]:
    """Yield two choices: what one of them holds back, the other does not wait for."""
    rng = Random(f"in time, in choices:{seed}")
    for name in ("openai-chat", "gemini"):
        spoken = STREAMS[name]
        assert spoken.stop is not None
        for first, (one, _) in _drafts().items():
            for second, (other, _) in _drafts().items():
                deltas = [cut(draft.text, "tokens", rng) for draft in (one, other)]
                left = [[(lane, text) for text in texts] for lane, texts in enumerate(deltas)]
                events: list[Any] = []
                at: list[list[int]] = [[], []]
                while any(left):
                    lane, text = rng.choice([queue for queue in left if queue]).pop(0)
                    at[lane].append(len(events))
                    events.append(spoken.say(lane, text))
                calls = [
                    call
                    for lane, draft in enumerate((one, other))
                    for call in _moved(draft.timed(deltas[lane]), at[lane], lane)
                ]
                yield Row(
                    f"{BEGINNING}choices",
                    f"In two choices of `{name}`, neither waits for the other: {first}, and {second}.",
                    FILE_TOOLS,
                    [*events, spoken.stop(0), spoken.stop(1)],
                    calls,
                    texts=[one.pieces, other.pieces],
                    needs=(f"protocol:{name}", "streams", "fence", "intent", "text", "several"),
                    form="events",
                    protocol=name,
                    out=[_by(draft.out(deltas[lane]), at[lane]) for lane, draft in enumerate((one, other))],
                )
