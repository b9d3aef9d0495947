"""Parsers that take a value for one of another type, as their language does: each form's own rows tell them apart."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from stream_guard_conformance.conform import Answer, Verdict, tried
from stream_guard_conformance.conform.guard_parser import GuardParser
from stream_guard_conformance.corpus import Row, corpus
from stream_guard_conformance.corpus.by_type import BEYOND
from stream_guard_conformance.corpus.dialects import DIALECTS
from stream_guard_conformance.corpus.native_rows import OBJECTS, STREAMED, whole_replies

from tests.kit.wrong_parsers import found, wrong


class Loose(GuardParser):
    """The guard, to which a type is others as well."""

    def __init__(self, types: dict[str, Any]) -> None:
        self.types = types

    def read(self, question: Any) -> Answer:
        def loose(schema: Any) -> Any:
            if isinstance(schema, list):
                return [loose(held) for held in schema]
            if not isinstance(schema, dict):
                return schema
            return {key: self.types.get(str(held), held) if key == "type" else loose(held) for key, held in schema.items()}

        return super().read({**question, "tools": loose(question["tools"])})


class Clamps(GuardParser):
    """The guard, to which a number that is too large is the largest one of its language."""

    def read(self, question: Any) -> Answer:
        given = question["input"]
        written = json.dumps(["".join(given)] if question["form"] == "text" else given)
        for number in BEYOND:
            written = written.replace(number, "1.7976931348623157e308")
        steps = super().read({**question, "input": json.loads(written)}).steps
        return Answer.whole(item for step in steps for item in step)


LOOSE: dict[str, GuardParser] = {
    "a truth value is an integer": Loose({"integer": ["integer", "boolean"]}),
    "a fraction is an integer": Loose({"integer": "number"}),
    "a truth value is a number": Loose({"number": ["number", "boolean"]}),
}


FORMS: dict[str, Callable[[], list[Row]]] = {
    "fences": lambda: list(corpus(only=("types/fences",))),
    **{
        f"{kind} {name}": lambda kind=kind, name=name: [  # type: ignore[misc]
            row for row in corpus(only=(f"types/{kind}",)) if name in (row.dialect, row.protocol)
        ]
        for kind, names in {"dialects": DIALECTS, "native": STREAMED, "replies": whole_replies([])}.items()
        for name in names
    },
}


@pytest.mark.parametrize("form", FORMS)
def test_who_takes_a_value_for_one_of_another_type_is_unsafe_in_each_form(form: str) -> None:
    rows = FORMS[form]()
    for what, parser in LOOSE.items():
        assert Verdict.UNSAFE in {result.verdict for result in tried(rows, parser)}, what
    if not form.startswith("replies") and form not in {f"native {name}" for name in (*OBJECTS, "ai-sdk")}:
        assert Verdict.UNSAFE in {result.verdict for result in tried(rows, Clamps())}


def test_who_asks_for_the_types_of_the_schema_is_right() -> None:
    assert not wrong(found(GuardParser(), "types/"))
