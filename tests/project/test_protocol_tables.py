"""The tables by protocol, in tests and in the corpus: each has a row for every protocol that it is about.

A table that is complete has the names of one of `CLASSES`, or is in `OTHERS` with the protocols that it leaves out: a new
protocol fails for each table that lacks it. Tables of a few protocols are about a thing that only those have. Whoever adds a
protocol goes through them once: the last test lists them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from stream_guard_adapters import protocols
from stream_guard_adapters.protocols import LANGCHAIN, PROTOCOLS, Protocol

ROOT = Path(__file__).parents[2]
FOLDERS = (
    "adapters/stream_guard_adapters",
    "benchmarks",
    "conformance",
    "demo_server",
    "docs",
    "examples",
    "stream_guard",
    "tests",
)
FEW = 3
"""Fewer names in one place are no table."""

GONE_THROUGH = {
    "ag-ui", "ai-sdk", "anthropic", "gemini", "langchain", "langchain-v3", "ollama", "openai-chat", "openai-responses",
    "pydantic-ai", "text",
}  # fmt: skip
"""The protocols for which somebody has looked through the tables of a few protocols."""


def having(*members: str) -> set[str]:
    """The protocols whose tables have some of these methods of their own."""
    return {
        name
        for name, table in PROTOCOLS.items()
        if any(getattr(type(table), one) is not getattr(Protocol, one) for one in members)
    }


ALL = set(PROTOCOLS)
SENT = {name for name, table in PROTOCOLS.items() if table.framing is not None}
NATIVE = having("whole_call")
CUT_OFF = {name for name, table in PROTOCOLS.items() if "length" in table.reasons.values()}
CLASSES = {
    "all": ALL,
    "all but plain text": ALL - {"text"},
    "sent by servers": SENT,
    "sent as server-sent events": {name for name in SENT if PROTOCOLS[name].framing == "events"},
    "with native calls": NATIVE,
    "whose events repeat a text": having("echo"),
    "with a reason at the token limit": CUT_OFF,
    "with native calls, and a reason at the token limit": NATIVE & CUT_OFF,
}

OTHERS: dict[tuple[str, str], str] = {
    ("conformance/stream_guard_conformance/corpus/places.py", "ai-sdk text"): "they have one place for text",
    (
        "conformance/stream_guard_conformance/corpus/protocol_rows.py",
        "langchain langchain-v3 openai-responses pydantic-ai text",
    ): ("`ERRORS`; the others are in `WITHOUT_ERROR`"),
    ("tests/adapters/protocols/test_protocols.py", "anthropic gemini openai-chat openai-responses"): (
        "`UNLISTED`; the others are in `UNKNOWN`"
    ),
    ("tests/conformance/test_wrong_readers.py", "langchain-v3 ollama openai-chat text"): (
        "their everyday events are all of the kinds that the other rows have"
    ),
}
"""Tables of more than half of the protocols that are no class: by file and what they leave out, the reason. A new protocol is
left out too, until its row is in the table, or its name here.
"""


def name_of(node: ast.expr | None) -> str | None:
    """The protocol that an expression names: by its name, or by its table."""
    if isinstance(node, ast.Constant) and node.value in PROTOCOLS:
        return str(node.value)
    table = getattr(protocols, node.id, None) if isinstance(node, ast.Name) and node.id in protocols.__all__ else None
    return table.name if isinstance(table, Protocol) else None


def tables_of(tree: ast.AST) -> Iterator[tuple[int, set[str]]]:
    for node in ast.walk(tree):
        items = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", [])
        names = {name for item in items if (name := name_of(item)) is not None}
        if len(names) >= FEW:
            yield getattr(node, "lineno", 0), names


@cache
def tables() -> list[tuple[str, int, frozenset[str]]]:
    """Every table: its file, its line, and the protocols in it."""
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py")) if path != Path(__file__)]
    trees = [(path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))) for path in paths]
    return [(path, line, frozenset(names)) for path, tree in trees for line, names in tables_of(tree)]


def test_a_table_of_most_protocols_has_all_that_it_is_about() -> None:
    left_out = {
        (path, " ".join(sorted(ALL - names))): f"{path}:{line}"
        for path, line, names in tables()
        if len(names) > len(ALL) / 2 and names not in CLASSES.values()
    }
    assert {found: place for found, place in left_out.items() if found not in OTHERS} == {}
    assert OTHERS.keys() <= left_out.keys(), "these tables are complete, or gone"


def test_a_framework_knows_the_finish_reasons_of_every_provider() -> None:
    """A message of LangChain's has the reason of its own provider, in that provider's words."""
    assert {name for name, table in PROTOCOLS.items() if table.reasons.items() - LANGCHAIN.reasons.items()} == set()


def test_a_new_protocol_is_missed_in_the_tables() -> None:
    tree = ast.parse(
        "A = {'gemini': 1, 'ollama': 2, CHAT: 3, **MAKERS}\nB = ('gemini', 'ollama')\nC = ['text', 'gemini', AI_SDK]"
    )
    assert [*tables_of(tree)] == [(1, {"gemini", "ollama", "openai-chat"}), (3, {"text", "gemini", "ai-sdk"})]


def test_the_tables_of_a_few_protocols_were_gone_through_for_each() -> None:
    few = [f"{path}:{line}" for path, line, names in tables() if len(names) <= len(ALL) / 2]
    assert ALL == GONE_THROUGH, f"add a row wherever the new protocol has such a thing, and then its name here: {few}"
