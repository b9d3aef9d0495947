"""Rows of several calls with text between them, of which some fail: the others run, and no text is lost."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, Final

from .dialects import DIALECTS, TOOLS, WITHOUT_QUOTES
from .fences import fenced
from .native_rows import STREAMED, given, whole_replies
from .rows import CUTS, Draft, Meant, Row, cut
from .sent import Sent

BEGINNING: Final = "between/"

FIRST: Final = Meant("write_file", {"path": "a.txt", "content": "x"})
LAST: Final = Meant("find_notes", {"query": "true", "limit": 7})

FAILS: Final[Mapping[str, Meant]] = {
    "without a required value": Meant("write_file", {"path": "b.txt"}),
    "with a value of another type": Meant("find_notes", {"query": "x", "limit": "many"}),
    "of a tool that nobody declared": Meant("rename_everything", {"from": "a"}),
}
"""Calls that their schema, or the toolset, refuses."""

UNMARKED: Final = frozenset({"llama3_json", "json_array", "pythonic"})
"""Dialects without marks: where the tool is unknown, what stands there is no call, and neither is what stands beside it."""


def rows(seed: int) -> Iterator[Row]:
    """Yield the rows."""
    for number, (what, failed) in enumerate(FAILS.items()):
        yield from _native(what, failed)
        yield from _fences(what, failed, number, seed)
    yield from _dialects(seed)


def _native(what: str, failed: Meant) -> Iterator[Row]:
    for calls in ((failed, LAST), (FIRST, failed, LAST)):
        runs = [call for call in calls if call is not failed]
        for name, (make, text) in STREAMED.items():
            others = "the ones around it run" if len(runs) > 1 else "the one behind it runs"
            why = f"A native call of `{name}` {what} fails, and {others}."
            sent = Sent(
                why, make([given(call) for call in calls]), runs, [[text]], ("native", "schemas", "several"), tools=TOOLS
            )
            yield sent.row(f"{BEGINNING}native", name)
        for name, reply in whole_replies(calls).items():
            why = f"A native call {what} fails in a whole reply of `{name}`, and the one behind it runs."
            sent = Sent(why, [reply], runs, needs=("native", "schemas", "several"), form="reply", tools=TOOLS)
            yield sent.row(f"{BEGINNING}native", name)


def _written(call: Meant) -> str:
    return fenced(json.dumps({"tool": call.name, **call.arguments}, ensure_ascii=False))


def _fences(what: str, failed: Meant, number: int, seed: int) -> Iterator[Row]:
    rng = Random(f"between fences:{number}:{seed}")
    for calls in ((failed, LAST), (FIRST, failed, LAST)):
        draft = Draft().say("First:\n\n")
        for call in calls:
            draft.write(_written(call), *([call] if call is not failed else []), shown=call is failed).say(
                "\n\nThen the next:\n\n"
            )
        draft.say("Done.\n")
        for how in ("whole", CUTS[1 + number]):
            deltas = cut(draft.text, how, rng)
            needed = ["fence", "schemas", "several", *["streams"] * (len(deltas) > 1)]
            why = f"A call {what} fails in its fence, and the one behind it runs; the text between comes out."
            yield Row(f"{BEGINNING}fences", why, TOOLS, deltas, draft.calls, texts=[draft.pieces], needs=needed)


def _dialects(seed: int) -> Iterator[Row]:
    for nth, (name, write) in enumerate(DIALECTS.items()):
        bad = [*FAILS.items()][: 2 if name in UNMARKED else None]
        rng = Random(f"between:{name}:{seed}")

        def written(*calls: Meant, write: Any = write) -> str:
            said: str = write([(call.name, call.arguments) for call in calls])
            return said

        draft = Draft().say("First:\n\n").write(written(FIRST), FIRST).say("\n\nThen the other:\n\n")
        draft.write(written(LAST), LAST).say("\n\nDone.\n")
        yield _row(name, "two calls run, and the text between them comes out", draft, CUTS[nth % 4], rng)
        what, failed = bad[nth % len(bad)]
        draft = Draft().say("First:\n\n").write(written(failed), shown=True).say("\n\nI hope so. And:\n\n")
        draft.write(written(LAST), LAST).say("\n\nDone.\n")
        says = f"a call {what} fails, the one behind it runs, and the text behind both comes out"
        yield _row(name, says, draft, CUTS[(nth + 1) % 4], rng, "schemas")
        draft = Draft().say("So:\n\n").write(written(failed, LAST), LAST, shown=True).say("\n\nDone.\n")
        yield _row(
            name, f"a call {what} fails, and the one straight behind it runs", draft, CUTS[(nth + 2) % 4], rng, "schemas"
        )


def _row(name: str, why: str, draft: Draft, how: str, rng: Random, *needs: str) -> Row:
    deltas = cut(draft.text, how, rng)
    typed = ("schemas",) if name in WITHOUT_QUOTES and "schemas" not in needs else ()
    needed = ("several", *needs, *typed, *(("streams",) if len(deltas) > 1 else ()))
    why = f"In the form `{name}`, {why}."
    return draft.in_dialect(f"{BEGINNING}dialects", why, name, TOOLS, deltas, draft.calls, needed)
