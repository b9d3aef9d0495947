"""Draws stream_guard/schema/lookalikes.py anew: `python -m tests.project.lookalikes WORDS`.

WORDS is a list of English words, one a line: SCOWL's of size 70, American and British.

A word is drawn when a slip that would be forgiven makes it of another word.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from stream_guard.schema.spelling import slipped
from stream_guard.schema.words import opposites

PAGE: Final = Path(__file__).parents[2] / "stream_guard" / "schema" / "lookalikes.py"
SHORT: Final = frozenset(
    """
    admin alloc arg args async attr attrs auth authn authz bool char cmd cmds coord coords config configs const creds
    ctrl cron ctx dest dict dir dirs dst enum enums env envs err errs exec expr ext func funcs ident impl init int ints
    iter json lang len libs loc max meta min misc msg msgs mutex num nums obj objs param params perm perms pos pref
    prefs prev prod proc procs prop props ptr qty query ref refs regex repo repos req reqs res resp sched sec seq spec
    specs src stat stats stderr stdin stdout str struct structs sync sys temp tmp tuple tuples uint url urls usr util
    utils val vals var vars vec ver yaml
    """.split()  # noqa: SIM905
)
"""What programmers call words, and dictionaries do not."""

_DECLINED: Final = re.compile(r"(?:ed|ing|ly|ness|[sxz]|[cs]h|[^aeiou]y)\Z")


def made(word: str) -> Iterator[str]:
    """Every word with one letter transposed, missing or doubled."""
    for at in range(len(word)):
        yield word[:at] + word[at + 1 :]
        yield word[: at + 1] + word[at:]
        yield word[:at] + word[at + 1 : at + 2] + word[at] + word[at + 2 :]


def drawn(words: set[str]) -> list[str]:
    """The words that another one becomes by a slip; without those that only an `s` makes different."""
    found = {
        slip for word in words for slip in made(word) if slip in words and slip != word and slipped(slip, word)
    } - opposites().keys()
    return sorted(word for word in found if not (word.endswith("s") and word[:-1] in found))


def main() -> None:
    """Write the module."""
    listed = Path(sys.argv[1]).read_text(encoding="utf-8").split()
    words = {word.lower() for word in listed if re.fullmatch("[A-Za-z]{3,}", word)} | SHORT | opposites().keys()
    words |= {f"{word}s" for word in words if not _DECLINED.search(word)}  # lists leave many a plural out
    head, opening, rest = PAGE.read_text(encoding="utf-8").partition('frozenset(\n    """\n')
    closing = rest[rest.index('""".split()') :]
    PAGE.write_text(f"{head}{opening}{textwrap.fill(' '.join(drawn(words)), 128)}\n{closing}", encoding="utf-8")


if __name__ == "__main__":
    main()
