"""The corpus: what is pinned of it, what a row is, and that rows say what their makers put in."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema_rs
import pytest
import stream_guard_conformance
from stream_guard_adapters.protocols import PROTOCOLS
from stream_guard_conformance import corpus as package
from stream_guard_conformance.corpus import CAPABILITIES, NAMED, SEED, VERSION, Row, classes, corpus, digest, line, schema
from stream_guard_conformance.corpus.dialects import CALLS, DIALECTS, WITHOUT_QUOTES
from stream_guard_conformance.corpus.rows import CUTS, Draft, Meant, Places, cut

from stream_guard.dialects.tables import DIALECTS as READ

DIGEST = "b8237be98151c6b88ce07bafd73bf8b9150a68b97a698c66e8f564d68bc65e56"


def test_a_version_of_the_corpus_has_the_same_rows_on_every_machine() -> None:
    """If rows were to change, raise VERSION, and pin the new digest."""
    assert VERSION == 6
    assert digest(corpus()) == DIGEST


def test_there_are_more_than_three_thousand_rows_each_with_an_id_of_its_own() -> None:
    rows = corpus()
    assert len(rows) > 3_000
    assert len({row.id for row in rows}) == len(rows)
    assert sum(classes(rows).values()) == len(rows)
    assert all(re.fullmatch(r"[a-z0-9_/-]+/\d{4}", row.id) for row in rows)


def test_every_row_is_valid_by_the_schema_and_is_read_back_from_its_line() -> None:
    valid = jsonschema_rs.validator_for(schema())
    for row in corpus():
        written = json.loads(line(row))
        valid.validate(written)
        assert Row.from_json(written).to_json() == row.to_json()


def test_every_protocol_dialect_and_capability_has_rows() -> None:
    needs = {need for row in corpus() for need in row.needs}
    assert needs == {
        *(name for name in CAPABILITIES if name not in ("announce", "hints")),
        *(f"protocol:{name}" for name in PROTOCOLS),
        *(f"dialect:{name}" for name in READ),
    }
    assert {need for need in needs if ":" in need} == set(NAMED)
    assert any(call.named is not None for row in corpus() for call in row.calls)  # what `announce` is tried on
    assert any(row.explains for row in corpus())  # and `hints`


def test_no_maker_of_rows_knows_a_parser() -> None:
    """What must come out is stated from what was put in."""
    folder = Path(package.__file__).parent
    for file in folder.glob("*.py"):
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"^\s*(from|import) stream_guard(?!_conformance)", text, re.MULTILINE), file
        assert "..conform" not in text, file
    assert folder.is_relative_to(Path(stream_guard_conformance.__file__).parent)


@pytest.mark.some(0)
def test_another_seed_draws_other_rows_of_the_same_classes() -> None:
    other = corpus(SEED + 1)
    assert classes(other).keys() == classes(corpus()).keys()
    assert digest(other) != DIGEST


def test_a_call_is_ready_with_the_delta_that_has_its_last_bracket() -> None:
    for row in [row for row in corpus() if row.form == "text" and row.dialect == "fence"][::97]:
        for call in row.calls:
            if call.ready is not None and call.named is not None:
                assert call.named <= call.ready < len(row.input), row.id
                assert {"}", "]"} & {*row.input[call.ready]}, row.id
                assert '"' in row.input[call.named], row.id
                if call.due is not None:
                    assert call.ready <= call.due, row.id
                    assert "\n" in row.input[call.due], row.id


@pytest.mark.parametrize("how", CUTS)
def test_a_text_that_is_cut_is_the_same_text(how: str) -> None:
    from random import Random

    text = "Größe 😀\nand so on, and on.\r\n\n"
    deltas = cut(text, how, Random(1))
    places = Places(deltas)
    assert "".join(deltas) == text
    assert all(text[offset] in deltas[places.delta_at(offset)] for offset in range(len(text)))
    with pytest.raises(ValueError, match="past the end"):
        places.delta_at(len(text))


def test_a_draft_tells_the_text_around_its_calls_apart() -> None:
    draft = Draft().say("a").say("b").write("CALL", Meant("x", {})).say("c").write("HALF", shown=True)
    assert draft.text == "abCALLcHALF"
    assert draft.pieces == ["ab", "", "c", None]


@pytest.mark.parametrize("name", DIALECTS)
def test_both_writers_of_a_dialect_say_the_same(name: str) -> None:
    """That of the corpus, which follows the models' templates, and that of the guard: but for white space between tokens."""
    for calls in CALLS.values():
        one, other = (re.sub(r"\s+", "", write(calls)) for write in (DIALECTS[name], READ[name].write))
        assert one == other.removeprefix("<|start|>assistant")  # which templates write into the prompt


def test_dialects_whose_values_have_no_quotes_need_the_schema() -> None:
    assert DIALECTS.keys() > WITHOUT_QUOTES
    for row in corpus():
        if row.dialect in WITHOUT_QUOTES:
            assert "schemas" in row.needs
