"""`stream_guard_conformance.damaged`: calls in dialects with damaged markers, for parsers of one's own."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from stream_guard_conformance.conform import Answer, Ran, Verdict, check, tried
from stream_guard_conformance.conform.guard_parser import GuardParser
from stream_guard_conformance.corpus.rows import CAPABILITIES, schema
from stream_guard_conformance.damaged import ANY_TOOL, Reply, replies, rows

from stream_guard.command.cli import main
from stream_guard.dialects.tables import DIALECTS


def careless(text: str) -> Iterator[tuple[str, Any]]:
    """Reads whatever looks like an object, whatever stands around it."""
    for body in re.findall(r"\{.*\}", text):
        try:
            call = json.loads(body)
            yield call["name"], call["arguments"]
        except (ValueError, KeyError, TypeError):
            continue


def test_a_parser_that_passes_over_markers_is_caught() -> None:
    wrong = [reply for reply in replies(300, dialects=("hermes",)) if reply.wrong(careless(reply.text()))]
    assert len(wrong) > 5
    assert not any(reply.wrong(()) for reply in replies(300, dialects=("hermes",)))


def test_a_call_may_run_once_and_only_as_it_was_meant() -> None:
    reply = next(reply for reply in replies(300, dialects=("hermes",)) if len(reply.calls) == 1 and reply.calls[0][1])
    (call,) = reply.meant()
    assert reply.wrong([call]) == []
    assert reply.wrong([call, call]) == [call]
    other = (call[0], {**call[1], "more": "x"})
    assert reply.wrong([other]) == [other]
    odd: list[Any] = [(call[0], None), (call[0], ["a"]), (call[0], {key: [value] for key, value in call[1].items()})]
    assert reply.wrong(odd) == odd


def test_a_boolean_is_no_number() -> None:
    hermes = DIALECTS["hermes"]
    reply = Reply(hermes, ["?"], [], [("find_notes", {"limit": 1})], ["swap"])
    assert reply.wrong([("find_notes", {"limit": True})])
    assert not reply.wrong([("find_notes", {"limit": 1.0})])


def test_what_a_reply_says_in_so_many_words_is_right_though_it_was_not_put_in() -> None:
    hermes = DIALECTS["hermes"]
    said = ("write_file", {"path": "a.txt", "content": "x"})
    reply = Reply(hermes, [hermes.write([said])], [], [("list_all", {})], ["swap"])
    assert reply.says([said])
    assert reply.wrong([said]) == []
    blanks = Reply(hermes, [hermes.write([said])], [], [("write_file", {"path": "a.txt", "content": "x "})], ["swap"])
    assert blanks.wrong([said]) == [said]


def test_the_same_seed_draws_the_same_replies() -> None:
    assert [reply.text() for reply in replies(80, 7)] == [reply.text() for reply in replies(80, 7)]
    assert {reply.dialect.name for reply in replies(len(ANY_TOOL))} == set(ANY_TOOL)
    with pytest.raises(ValueError, match="there is no dialect klingon"):
        list(replies(1, dialects=("klingon",)))


def test_parsers_are_tried_on_rows_of_damaged_replies() -> None:
    import jsonschema_rs

    made = list(rows(2 * len(DIALECTS), 2))
    valid = jsonschema_rs.validator_for(schema())
    for row in made:
        valid.validate(row.to_json())
    found = Counter(result.verdict for result in tried(made, GuardParser()))
    assert set(found) <= {Verdict.PASSED, Verdict.REFUSED}
    row = next(row for row in made if row.calls and row.calls[0].arguments)
    spoilt = Ran(row.calls[0].name, {**row.calls[0].arguments, "path": "/etc/passwd"})
    assert check(row, Answer.whole([spoilt]), [*CAPABILITIES]).verdict in (Verdict.UNSAFE, Verdict.CALL_WRONG)


def test_the_command_tries_damaged_replies(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conform", "--damaged", "40"]) == 0
    assert "40 of 40 rows that apply are right" in capsys.readouterr().out
    assert main(["conform", "--damaged", "80", "--only", "damaged/hermes/0002", "--write", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["id"] == "damaged/hermes/0002"
    with pytest.raises(SystemExit):
        main(["conform", "--damaged", "8", "--events", "8"])
