"""Rows of plain text: prose, code blocks, calls in fences, examples of calls, reasoning."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Final

from ..calls import Call
from ..cases import sound
from ..render import Style, joined, render
from ..sources import own
from ..toolsets import CLOSED, FILES, Json
from ..values import PROSE
from .rows import CUTS, Draft, Meant, Row, cut, tools_of

FILE_TOOLS: Final = tools_of(FILES)

LEADS: Final = (
    "I'll add it.\n\n",
    "Sure, here it is:\n\n",
    "Größe und Farbe: naïve café 😀, 日本語.\n\n",
    "1. First the file.\n2. Then the rest.\n\n",
    "The `path` is new; `a` stays.\n\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n",
    "> Quoted, as you asked.\n\n",
    "# Heading\n\nSome *text* with a [link](https://example.com/a_(b)).\n\n",
    "",
)
"""Prose that stands before a call."""

TAILS: Final = ("\nThat is all.\n", '\n\nDone! Tell me if "x" is wrong.\n', "\n", "", "\n- and\n- so on\n")
"""Prose that stands after a call. It begins with the line end of the closing fence, if more follows."""


def fenced(body: str, *, fence: str = "```", info: str = "json") -> str:
    """Return a body between two fences, without the line end after the second."""
    return f"{fence}{info}\n{body}\n{fence}"


def meant(calls: Sequence[Call], *, must: bool = True) -> list[Meant]:
    """Return calls as a row states them."""
    return [Meant(call.tool, call.arguments, must) for call in calls]


def rows(seed: int) -> Iterator[Row]:
    """Yield the rows of plain text."""
    yield from _prose(seed)
    yield from _code(seed)
    yield from _calls(seed)
    yield from _wrapped(seed)
    yield from _leniencies(seed)
    yield from _examples(seed)
    yield from _reasoning(seed)
    yield from _quoted_fences(seed)


def _row(
    kind: str, why: str, draft: Draft, how: str, rng: Random, tools: Sequence[Json], *needs: str, timed: bool = True
) -> Row:
    deltas = cut(draft.text, how, rng)
    calls = (
        draft.timed(deltas) if timed else draft.calls
    )  # elsewhere than after `tool`, a name alone does not say that it is a tool's
    needed = ("fence", *needs, *(("several",) if len(calls) > 1 else ()), *(("streams",) if len(deltas) > 1 else ()))
    return Row(kind, why, tools, deltas, calls, texts=[draft.pieces], needs=needed)


def _prose(seed: int) -> Iterator[Row]:
    rng = Random(f"prose:{seed}")
    stretches = [text for text in (*PROSE, *LEADS) if text]
    for number in range(120):
        text = "\n".join(rng.choice(stretches).rstrip("\n") for _ in range(rng.randint(1, 6))) + rng.choice(("", "\n"))
        deltas = cut(text, CUTS[number % len(CUTS)], rng)
        yield Row(
            "text/prose",
            "Text without a call comes out as it is, each delta before the next is read.",
            FILE_TOOLS,
            deltas,
            texts=[[text]],
            needs=("text", "streams"),
            at_once=not any(mark in text for mark in "`~"),
        )


def _code(seed: int) -> Iterator[Row]:
    rng = Random(f"code:{seed}")
    for language, (text, *_) in sorted(own().texts.items()):
        for how in ("characters", "random", "lines"):
            fence = "````" if "```" in text else "```"
            whole = f"{rng.choice(LEADS)}{fenced(text.rstrip(chr(10)), fence=fence, info=language.split()[0])}\nSo.\n"
            yield Row(
                "text/code",
                f"A code block of {language} is text, and comes out as it is.",
                FILE_TOOLS,
                cut(whole, how, rng),
                texts=[[whole]],
                needs=("text", "fence", "intent", "streams"),
            )


def _calls(seed: int) -> Iterator[Row]:
    rng = Random(f"calls:{seed}")
    made = 0
    while made < 320:
        toolset = rng.choice(CLOSED)
        draft = Draft()
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            calls, wrapping, tokens = sound(toolset, own(), rng, rng.choice((60, 150, 400)))
            if wrapping != "bare":
                continue
            body = joined(tokens)
            draft.say(rng.choice(LEADS)).write(fenced(body, fence=_longer(body)), *meant(calls)).say(rng.choice(TAILS))
            if not draft.text.endswith("\n"):
                draft.say("\n")
        if not draft.calls:
            continue
        yield _row(
            "fence/calls",
            "Each valid call in a fenced JSON block runs, once, with its values; the text around it comes out.",
            draft,
            CUTS[made % len(CUTS)],
            rng,
            tools_of(toolset),
        )
        made += 1


def _longer(body: str) -> str:
    """Return a fence that no line of the body closes."""
    size = 3
    while any(line.strip().startswith("`" * size) for line in body.split("\n")):
        size += 1
    return "`" * size


def _wrapped(seed: int) -> Iterator[Row]:
    rng = Random(f"wrapped:{seed}")
    for number in range(120):
        toolset = CLOSED[number % len(CLOSED)]
        while True:
            calls, wrapping, tokens = sound(toolset, own(), rng, 150)
            if wrapping != "bare" and len(calls) == len({json.dumps(call.arguments) for call in calls}):
                break
        body = joined(tokens)
        draft = Draft().say(rng.choice(LEADS)).write(fenced(body, fence=_longer(body)), *meant(calls)).say("\nSo.\n")
        yield _row(
            "fence/wrappings",
            f"A call runs in the wrapping `{wrapping}`, in which APIs and frameworks have models write it.",
            draft,
            CUTS[number % len(CUTS)],
            rng,
            tools_of(toolset),
            "wrappings",
            timed=False,
        )


LENIENCIES: Final = {
    "JSON in capitals": "```JSON\n{}\n```\n",
    "Json": "```Json\n{}\n```\n",
    "words behind the language": "```json title=call\n{}\n```\n",
    "a longer fence": "`````json\n{}\n`````\n",
    "a longer closing fence": "```json\n{}\n`````\n",
    "tildes": "~~~json\n{}\n~~~\n",
    "a blank before the language": "``` json\n{}\n```\n",
    "the fence indented by three": "   ```json\n{}\n   ```\n",
    "CRLF": "```json\r\n{}\r\n```\r\n",
    "the closer behind the brace": "```json\n{}```\n",
    "JSON in the line of the opener": "```json {}\n```\n",
    "a shorter closing fence": "````json\n{}\n```\n",
    "a closing fence of tildes": "```json\n{}\n~~~\n",
    "a closing fence that is indented": "```json\n{}\n    ```\n",
    "words behind the closing fence": "```json\n{}\n``` Done.\n",
    "a fence in a list": "- So:\n  ```json\n  {}\n  ```\n",
    "a fence on the line of a list marker": "- ```json\n  {}\n  ```\n",
}
"""Fences as models write them. Braces stand for the call."""


def _leniencies(seed: int) -> Iterator[Row]:
    rng = Random(f"lenient:{seed}")
    for name, form in LENIENCIES.items():
        for call in (
            Call("write_file", {"path": "a.txt", "content": "x"}),
            Call("write_file", {"path": "src/b.md", "content": "one\ntwo {three}\n"}),
            Call("delete_file", {"path": "old.txt"}),
        ):
            body = joined(render([call], "bare", Style(), rng))
            for how in ("whole", "characters", "random"):
                deltas = cut(f"Now:\n\n{form.replace('{}', body)}And so on.\n", how, rng)
                yield Row(
                    "fence/lenient",
                    f"A call runs in a fence with {name}.",
                    FILE_TOOLS,
                    deltas,
                    meant([call]),
                    texts=[["Now:\n\n", None, "And so on.\n"]],
                    needs=("fence", "lenient", *(("streams",) if len(deltas) > 1 else ())),
                )


EXAMPLES: Final = {
    "in a longer fence": "Write:\n\n````markdown\n```json\n{}\n```\n````\nas you like.\n",
    "in a fence of tildes": "Write:\n\n~~~text\n```json\n{}\n```\n~~~\nas you like.\n",
    "in an indented block": "Write:\n\n    ```json\n    {}\n    ```\n\nas you like.\n",
    "in a fence of Python": "Write:\n\n```python\ncall = {}\n```\nas you like.\n",
    "in a fence of text": "Write:\n\n```text\n{}\n```\nas you like.\n",
    "in inline code": "Write `{}` as you like.\n",
    "in prose": "Write {} as you like.\n",
    "in two inline fences": "Write ``` ```json {} ``` ``` as you like.\n",
}
"""Calls that are only shown, and not made. Braces stand for the call."""


def _examples(seed: int) -> Iterator[Row]:
    rng = Random(f"examples:{seed}")
    calls = ['{"tool": "write_file", "path": "a.txt", "content": "x"}', '{"tool": "delete_file", "path": "a.txt"}']
    for name, form in EXAMPLES.items():
        for body in calls:
            text = form.replace("{}", body)
            for how in ("whole", "characters", "random", "tokens"):
                yield Row(
                    "text/examples",
                    f"A call that is shown {name} is text, and never runs.",
                    FILE_TOOLS,
                    cut(text, how, rng),
                    texts=[[text]],
                    needs=("fence", "streams"),
                )


MARKS: Final = (
    ("<think>", "</think>"), ("<thinking>", "</thinking>"), ("<reasoning>", "</reasoning>"), ("<thought>", "</thought>"),
    ("[THINK]", "[/THINK]"), ("◁think▷", "◁/think▷"), ("<|START_THINKING|>", "<|END_THINKING|>"),
)  # fmt: skip
"""Marks between which models reason."""


def _reasoning(seed: int) -> Iterator[Row]:
    rng = Random(f"reasoning:{seed}")
    thought = '{"tool": "delete_file", "path": "a.txt"}'
    call = Call("write_file", {"path": "a.txt", "content": "x"})
    for opener, closer in MARKS:
        said = f"{opener}\nI could do this:\n\n```json\n{thought}\n```\n\nNo, better not.\n{closer}\n\n"
        for how in ("whole", "characters", "random"):
            for acts in (False, True):
                draft = Draft().say(said)
                if acts:
                    draft.write(fenced(joined(render([call], "bare", Style(), rng))), *meant([call])).say("\nDone.\n")
                else:
                    draft.say("I did nothing.\n")
                yield _row(
                    "text/reasoning",
                    f"A call that a model only thinks of, after {opener}, never runs; one behind {closer} does.",
                    draft,
                    how,
                    rng,
                    FILE_TOOLS,
                    "reasoning",
                )


QUOTING: Final[Mapping[str, Sequence[str]]] = {
    "````markdown": ("", "```", "~~~", "~~~~", "~~~~~", "```` js", "    ````"),
    "`````": ("", "```", "````", "~~~~~"),
    "~~~~md": ("", "~~~", "```", "````", "~~~~ js"),
    "~~~text": ("", "```", "````", "~~~ js"),
    "```text": ("~~~", "~~~~", "``` js", "    ```"),
}
"""Fences around examples, each with lines that do not end it: of fewer marks, of the other mark, with words, indented."""


def _quoted_fences(seed: int) -> Iterator[Row]:
    rng = Random(f"quoted fences:{seed}")
    shown = [joined(render([Call("delete_file", {"path": path})], "bare", Style(), rng)) for path in "abc"]
    made = Call("write_file", {"path": "d.txt", "content": "x"})
    for opener, lines in QUOTING.items():
        mark = opener.rstrip("abcdefghijklmnopqrstuvwxyz")
        for line in lines:
            before = f"{line}\n" * bool(line)
            if mark == "```":
                inside = f"{before}```json\n{shown[0]}\n"  # the line that ends the example ends the outer fence, too
            else:
                inside = "".join(f"{before}{fenced(body)}\n" for body in shown)
            for closed in (True, False):
                draft = Draft().say(f"Write:\n\n{opener}\n{inside}")
                if closed:
                    draft.say(f"{mark}\n\nas you like.\n\n")
                    draft.write(fenced(joined(render([made], "bare", Style(), rng))), *meant([made])).say("\nSo.\n")
                elif mark == "```":
                    continue
                for how in ("whole", "characters", "random"):
                    why = f"Nothing in a block of `{opener}` runs{f', also behind a line `{line}`' if line else ''}"
                    why += "; a call behind its end does." if closed else ", and nothing ends it."
                    yield _row("text/quoted-fences", why, draft, how, rng, FILE_TOOLS)
