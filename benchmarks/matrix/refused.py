"""What peers read and the guard refuses: by kind of row, with the rule that refuses it.

A row is here when its call did not run on the guard, and ran as it was meant on a peer. The makers of the corpus leave open
whether the call of a broken block runs, because the block alone does not say what was meant: of rows of one kind, some peers
read some right, and others wrongly. The table has both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from stream_guard_conformance.conform import Verdict
from stream_guard_conformance.corpus import Row

REASONS: Final[Mapping[str, str]] = {
    "broken/brackets": (
        "A bracket that is lost, added, swapped or of the wrong kind may have taken an item with it, or moved a member "
        "into another object. Only braces at the very end are added ([missing_bracket](fixes.md#missing_bracket)), a "
        "list is closed before a key of the object around it ([list_end](fixes.md#list_end)), and closers behind the "
        "end are taken away where no inner object can own them ([extra_closer](fixes.md#extra_closer))."
    ),
    "broken/characters": "A comma of another script may be part of a text that lost its quotes.",
    "broken/colons": (
        "Where a colon is lost or doubled, a value may have been lost beside it."
    ),
    "broken/commas": (
        "A comma in front of the first member says that a member was left out there "
        "([extra_comma](fixes.md#extra_comma)); a semicolon behind a value may end a statement of code."
    ),
    "broken/comments": (
        "A comment says something of the call: that it is an example, or what the value should be instead. It is taken "
        "away only if it has harmless words and those of the tool's name or the field beside it "
        "([comment](fixes.md#comment))."
    ),
    "broken/cuts": (
        "Where a block stops and begins again, nobody knows what the model took back: the first beginning, or the second."
    ),
    "broken/escapes": (
        "A backslash before a letter or a mark has two readings: one too many, or one that was not doubled"
        " ([escape](fixes.md#escape), [apostrophe](fixes.md#apostrophe))."
    ),
    "broken/joiners": (
        "Strings that meet in the middle of a line may be one text with a `+` in it "
        "([concatenation](fixes.md#concatenation))."
    ),
    "broken/keys": "A dash before a key is a list in YAML, in which the object around it means something else.",
    "broken/marks": "A mark that is lost, added or doubled stands for any of the kinds above, by chance.",
    "broken/members": (
        "In an item of a list, the rest of two merged objects looks like a member that was repeated "
        "([repeated_key](fixes.md#repeated_key))."
    ),
    "broken/prose": (
        "A sentence beside the call may forbid or correct it. It is taken away only if it has harmless words, and the "
        "tool is not destructive ([prose](fixes.md#prose))."
    ),
    "broken/quotes": (
        "Where a quote is lost, the text may have lost its beginning with it; where only some quotes are escaped, a "
        "text may end in two places ([quotes](fixes.md#quotes)); curly quotes may be a text's own "
        "([quote_marks](fixes.md#quote_marks))."
    ),
    "broken/raw": (
        "A tab or a line break in a text of one line (a title, a path, an item of a list, any text of at most 64 "
        "characters) may have come from elsewhere ([control_character](fixes.md#control_character)); for a destructive "
        "tool none is added."
    ),
    "broken/records": (
        "In a list of records, a lost bracket, colon or quote may have merged two records, and no schema tells one from two."
    ),
    "broken/several-faults": "One of the faults is of a kind listed above, or several fixes together are less certain than "
    "each alone.",
    "broken/values": (
        "A number that lacks a digit beside its point may have lost it, a value without quotes may have lost its "
        "beginning or its end ([bare_word](fixes.md#bare_word), [number](fixes.md#number)), and for a destructive tool "
        "no value is assumed."
    ),
    "broken/wrappings": (
        "What stands around the block (`await`, the marks of a diff, line numbers, entities) may stand in its texts "
        "too, and then is the model's own."
    ),
    "by-hand": "The comment has a value in quotes: it may be the one that was meant ([comment](fixes.md#comment)).",
    "cut-off/in-a-closed-fence": (
        "The body stops behind a member of an inner object: a member of it that the call may have can be missing"
        " ([missing_bracket](fixes.md#missing_bracket))."
    ),
    "carried/dialects": (
        "A value without quotes that holds a marker of its own dialect may be a damaged call "
        "([markers](dialects.md#markers-in-keys-and-values))."
    ),
}  # fmt: skip
"""Why the guard refuses rows of a class that some peer reads."""

HEAD: Final = (
    "The call of a row in this table did not run on the guard, and ran as it was meant on at least one peer. No row "
    "states that such a call must run: with a fault, a block alone does not say what was meant. The last column is what"
    " became of all rows of the same faults on the peers: what reads these rows also runs some that nobody meant. "
    "[fixes.md](fixes.md) has each rule, and when it is not applied.\n"
)


def refused(rows: Mapping[str, Row], ours: Mapping[str, Verdict], peers: Mapping[str, Mapping[str, Verdict]]) -> Iterator[str]:
    """Yield the lines of the section: the verdicts are those of the guard, and of each peer, by the ids of rows."""
    found = read_by_peers(ours, peers)
    yield HEAD
    yield "| rows | read by a peer, not by the guard | why the guard refuses them | all rows of these faults, on the peers |"
    yield "|---|---|---|---|"
    for kind, first in examples(rows, found).items():
        names = [name for name in found if rows[name].kind == kind]
        faults = {rows[name].why for name in names}
        same = [name for name, row in rows.items() if row.kind == kind and row.why in faults]
        tried = [verdicts[name] for verdicts in peers.values() for name in same if name in verdicts]
        right = tried.count(Verdict.PASSED)
        ran = sum(verdict in (Verdict.UNSAFE, Verdict.CALL_WRONG) for verdict in tried)
        yield (
            f"| {kind} | {len(names)} of {sum(row.kind == kind for row in rows.values()):,}, such as"
            f" [`{first}`](#{anchor(first)}) | {REASONS[kind]} | {right:,} right, {ran:,} ran wrongly |"
        )
    yield f"| all | {len(found):,} | | |\n"


def read_by_peers(ours: Mapping[str, Verdict], peers: Mapping[str, Mapping[str, Verdict]]) -> list[str]:
    """Return the ids of the rows that the guard refused, and a peer read as they were meant."""
    return [
        name
        for name, verdict in ours.items()
        if verdict is Verdict.REFUSED and any(verdicts.get(name) is Verdict.PASSED for verdicts in peers.values())
    ]


def examples(rows: Mapping[str, Row], found: Iterable[str]) -> dict[str, str]:
    """Return the smallest of some rows of each class, by class."""
    smallest: dict[str, str] = {}
    for name in sorted(found, key=lambda name: sum(map(len, rows[name].input))):
        smallest.setdefault(rows[name].kind, name)
    return dict(sorted(smallest.items()))


def anchor(name: str) -> str:
    """Return the anchor of the row with an id."""
    return f"refused-{name.replace('/', '-')}"
