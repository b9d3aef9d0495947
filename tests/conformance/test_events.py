"""`stream_guard_conformance.events`: streams with odd events, for parsers, functions and clients of one's own."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import httpx2
import pytest
from stream_guard_conformance.conform import Answer, Ran, Report, Text, Verdict, tried
from stream_guard_conformance.conform.guard_parser import GuardParser
from stream_guard_conformance.corpus.rows import schema
from stream_guard_conformance.events import KIND, ODD, PROTOCOLS, Drawn, ends, hostile, rows, served

from stream_guard.command.cli import main


def said(chunks: Iterable[bytes], read: Callable[[str], Iterable[str]]) -> str:
    """The text of the events that a function can read."""
    events = re.findall(r"(?m)^data: (.*)$", b"".join(chunks).decode("utf-8", "replace"))
    return "".join(text for event in events for text in read(event))


def trusting(event: str) -> Iterable[str]:
    """Read a chunk as the provider's documentation has it."""
    for choice in json.loads(event)["choices"]:
        yield choice["delta"].get("content") or ""


def careful(event: str) -> Iterable[str]:
    """Read a chunk, whatever it is; what cannot be read is passed over."""
    try:
        choices = json.loads(event)["choices"]
        texts = [choice["delta"].get("content") for choice in choices]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return
    yield from (text for text in texts if isinstance(text, str))


def test_a_client_that_trusts_its_provider_is_caught_and_a_careful_one_is_not() -> None:
    crashed = 0
    for stream in hostile(60, protocols=("openai-chat",)):
        assert stream.later in said(stream.chunks, careful)
        try:
            said(stream.chunks, trusting)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            crashed += 1
    assert crashed > 30


@pytest.mark.parametrize("protocol", ["openai-chat", "gemini"])
def test_who_reads_the_first_choice_only_loses_the_text_of_the_second(protocol: str) -> None:
    class First(GuardParser):
        def read(self, question: Any) -> Answer:
            [step] = super().read(question).steps
            return Answer.whole(item for item in step if not item.choice)

    made = list(rows(80, only=(f"{KIND}/{protocol}",)))
    assert {stream.choice for stream in hostile(4, protocols=(protocol,))} == {0, 1}
    assert {result.verdict for result in tried(made, First())} == {Verdict.PASSED, Verdict.TEXT_LOST}
    assert {result.verdict for result in tried(made, GuardParser())} == {Verdict.PASSED}


def test_a_client_that_stops_at_the_first_odd_event_has_lost_text() -> None:
    def stops(chunks: Iterable[bytes]) -> str:
        found = ""
        for event in re.findall(r"(?m)^data: (.*)$", b"".join(chunks).decode("utf-8", "replace")):
            try:
                found += "".join(trusting(event))
            except Exception:
                return found
        return found

    lost = sum(stream.later not in stops(stream.chunks) for stream in hostile(60, protocols=("openai-chat",)))
    assert lost > 30


def test_the_same_seed_draws_the_same_streams_and_another_seed_others() -> None:
    assert list(hostile(40, 7)) == list(hostile(40, 7))
    assert list(hostile(40, 7)) != list(hostile(40, 8))
    assert Counter(stream.protocol for stream in hostile(40)) == dict.fromkeys(PROTOCOLS, 5)
    assert [stream for stream in hostile(40) if stream.protocol == "gemini"] == list(hostile(5, protocols=("gemini",)))
    with pytest.raises(ValueError, match="there are no events of grpc; name some of openai-chat, "):
        list(hostile(1, protocols=("grpc",)))


def test_no_stream_has_an_event_behind_which_a_reader_may_stop() -> None:
    events = [event for stream in hostile(1_000) for event in stream.events]
    assert not any(map(ends, events))
    assert ends({"type": "message_stop"})
    assert ends({"done": True})
    assert ends({"error": {}})
    assert len(events) > 3_000


def test_everything_odd_is_drawn() -> None:
    text = "".join(json.dumps(event) for stream in hostile(3_000) for event in stream.events)
    assert [odd for odd in ODD if json.dumps(odd) not in text] == []
    assert Drawn(b"").below(7) == 0


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_client_gets_a_stream_from_an_address(protocol: str) -> None:
    (stream,) = hostile(1, 3, (protocol,))
    async with served(stream) as url, httpx2.AsyncClient() as client:
        for answer in (await client.get(url), await client.post(f"{url}/v1/chat/completions", json={"stream": True})):
            assert answer.content == b"".join(stream.chunks)
            assert answer.status_code == 200


class Trusting:
    """Reads the bytes of chat completions as its provider's documentation has them."""

    name = "trusting"
    capabilities = frozenset({"bytes", "streams", "text", "schemas", "protocol:openai-chat"})

    def read(self, question: Any) -> Answer:
        import base64

        chunks = [base64.b64decode(chunk) for chunk in question["input"]]
        text = said(chunks, trusting)
        calls = [Ran("delete_file", {"path": "a"})] if "delete_file" in text else []
        return Answer.whole([Text(text), *calls])


def test_a_parser_is_tried_on_rows_of_odd_events() -> None:
    import jsonschema_rs

    made = list(rows(80, 2))
    valid = jsonschema_rs.validator_for(schema())
    for row in made:
        valid.validate(row.to_json())
    found: dict[str, Counter[Verdict]] = {}
    for parser in (Trusting(), GuardParser()):
        report = Report()
        for result in tried(made, parser):
            report.add(result)
        found[parser.name] = report.total()
    assert found["stream_guard"] == {Verdict.PASSED: 80}
    assert found["trusting"][Verdict.CRASHED] >= 5
    assert found["trusting"][Verdict.NOT_CLAIMED] == 70


def test_the_command_tries_odd_events_and_prints_a_row_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conform", "--events", "24", "--seed", "3"]) == 0
    assert "24 of 24 rows that apply are right" in capsys.readouterr().out
    given = ["--events", "24", "--seed", "3", "--parser", "tests.conformance.test_events:Trusting"]
    assert main(["conform", *given]) == 1
    out = capsys.readouterr().out
    again = re.search(r"its row: stream-guard (conform --events 24 --seed 3 --only (\S+) --write -)", out)
    assert again is not None, out
    assert main(again[1].split()) == 0
    assert json.loads(capsys.readouterr().out)["id"] == again[2]
    assert again[2].startswith(f"{KIND}/openai-chat/")
    assert main(["conform", "--events", "8", "--list"]) == 0
    assert "growth" not in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["conform", "--events", "0"])
