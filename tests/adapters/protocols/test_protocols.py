"""Each protocol's table against a stream of the protocol."""

from __future__ import annotations

from copy import deepcopy
from typing import get_args

import pytest
from anthropic.types import StopReason
from google.genai.types import FinishReason as GeminiReason
from openai.types.chat.chat_completion_chunk import Choice
from openai.types.responses.response import IncompleteDetails
from stream_guard_adapters.protocols import EVERY, PROTOCOLS, disowned, recognised
from stream_guard_conformance.corpus.streams import STREAMS

from stream_guard import Guard
from stream_guard.tools.files import FILE_TOOLS

BLOCK = '```json\n{"tool": "delete_file", "path": "a.txt"}\n```\n'


def test_every_protocol_has_a_stream_to_be_tried_on() -> None:
    """A table that is registered without one would be tried on nothing."""
    assert STREAMS.keys() == PROTOCOLS.keys()


UNKNOWN = {
    "openai-chat": {"tool_calls", "function_call"},
    "openai-responses": {"max_messages", "steered"},
    "anthropic": {"tool_use", "pause_turn"},
    "gemini": {
        "FINISH_REASON_UNSPECIFIED", "LANGUAGE", "OTHER", "MALFORMED_FUNCTION_CALL", "IMAGE_OTHER", "NO_IMAGE", "CONTINUATION",
        "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "MISSING_THOUGHT_SIGNATURE", "MALFORMED_RESPONSE", "ESCALATION",
        "PUP_LIMITED_DISABLED",
    },
}  # fmt: skip
"""The finish reasons of each client that say nothing of how a text ended."""

UNLISTED = {
    "ollama": "any text",
    "ai-sdk": "its client is written in JavaScript",
    "ag-ui": "it has none",
    "text": "it has none",
    "pydantic-ai": "those of the provider behind it",
    "langchain": "those of the provider behind it",
    "langchain-v3": "those of the provider behind it",
}
"""The other protocols, and what the types of their clients say of finish reasons."""


def reasons_of_clients() -> dict[str, set[str]]:
    """The finish reasons that the types of each client list."""
    chat, incomplete = Choice.model_fields["finish_reason"], IncompleteDetails.model_fields["reason"]
    return {
        "openai-chat": {*get_args(get_args(chat.annotation)[0])},
        "openai-responses": {*get_args(get_args(incomplete.annotation)[0])},
        "anthropic": {*get_args(StopReason)},
        "gemini": {reason.value for reason in GeminiReason},
    }


def test_every_client_is_one_that_lists_its_finish_reasons_or_none() -> None:
    assert UNKNOWN.keys() == reasons_of_clients().keys()
    assert sorted([*UNKNOWN, *UNLISTED]) == sorted(PROTOCOLS)


@pytest.mark.parametrize("name", UNKNOWN)
def test_every_finish_reason_of_a_client_is_known_or_known_to_say_nothing(name: str) -> None:
    """A new one is looked at before it counts for anything."""
    listed = reasons_of_clients()[name]
    assert len(listed) > 1
    assert {reason for reason in listed if PROTOCOLS[name].cause(reason) == "unknown"} <= UNKNOWN[name]


def test_only_the_word_of_the_protocol_itself_is_evidence_of_an_end() -> None:
    """Servers for the models of others may say that these were cut off, and no more; those that speak chat say anything."""
    ends = {name: {reason for reason, why in table.reasons.items() if why == "stop"} for name, table in PROTOCOLS.items()}
    assert ends["anthropic"] == {"end_turn", "stop_sequence"}
    assert ends["gemini"] == {"STOP"}
    assert ends["ollama"] == ends["ai-sdk"] == ends["pydantic-ai"] == {"stop"}
    assert not ends["openai-responses"] | ends["ag-ui"] | ends["text"]  # a response has a status
    assert ends["langchain"] == ends["langchain-v3"] == ends["openai-chat"]
    for table in PROTOCOLS.values():
        assert not table.claims or {*table.claims}.isdisjoint(table.reasons)
        assert all(table.cause(table.words[why]) == why for why in ("length", "stop") if table.words)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_text_is_found_in_its_lane(name: str) -> None:
    table, spoken = PROTOCOLS[name], STREAMS[name]
    lanes = []
    for number in range(spoken.lanes):
        event = spoken.say(number, "Hi.")
        assert table.reads(event)
        ((lane, text),) = table.texts(event)
        assert text == "Hi."
        assert table.plain(event) in (None, (lane, text))
        lanes.append(lane)
    assert len(set(lanes)) == spoken.lanes


@pytest.mark.parametrize("name", PROTOCOLS)
def test_an_event_is_split_into_its_text_and_nothing_else_of_it(name: str) -> None:
    """A piece has the text that it is given, in the same lane; the event that came stays as it was."""
    table, spoken = PROTOCOLS[name], STREAMS[name]
    event = spoken.say(0, f"Hi.\n{BLOCK}Bye.")
    before = deepcopy(event)
    ((lane, _),) = table.texts(event)
    for first in (True, False):
        for last in (True, False):
            for text in ("Hi.\n", "x"):
                piece = table.piece(event, lane, text, first=first, last=last)
                assert list(table.texts(piece)) == [(lane, text)]
                assert "delete_file" not in str(piece)
            assert "delete_file" not in str(table.piece(event, lane, "", first=first, last=last))
    assert event == before


@pytest.mark.parametrize("name", PROTOCOLS)
def test_an_event_is_recognised_as_of_its_protocol_alone(name: str) -> None:
    """An event with text by its own table and by no other; every other event by no other, whatever order they are asked in."""
    spoken = STREAMS[name]
    table = PROTOCOLS[name]
    assert all(table.sign in event for event in spoken.stream(["Hi."]) if isinstance(event, dict) and table.recognises(event))
    assert table.carries(spoken.say(0, "Hi."))
    assert not table.carries(spoken.say(0, ""))
    assert recognised(spoken.say(0, "Hi.")) is PROTOCOLS[name]
    for event in spoken.stream(["Hi."]):
        assert {other.name for other in PROTOCOLS.values() if other.recognises(event)} <= {name}


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_stream_ends_its_lane(name: str) -> None:
    """By an event for the lane, or by one for all lanes; no event with text in it ends anything."""
    table, spoken = PROTOCOLS[name], STREAMS[name]
    *said, _ = spoken.stream(["Hi.", "Bye."]) if name != "text" else ["Hi.", "Bye.", ""]
    ((lane, _),) = table.texts(said[0])
    assert not table.ends(said[0])
    ends = [end for event in spoken.stream(["Hi.", "Bye."]) for end in table.ends(event)]
    assert {ended for ended, _ in ends} <= {lane, EVERY}
    assert (name == "text") is not any(cause is not None for _, cause in ends)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_no_event_of_ours_is_taken_from_upstream(name: str) -> None:
    """Each shape in which a table sends our events has another name when it comes from upstream; its own events keep theirs."""
    table, spoken = PROTOCOLS[name], STREAMS[name]
    items = [item for item in Guard(FILE_TOOLS).scan([BLOCK], stream_id="s") if not isinstance(item, str)]
    sent = [data for item in items for data in table.carry(item, None, None, within=False)]
    assert bool(sent) is (table.framing in ("events", "lines"))
    for data in sent:
        assert disowned(data) != data
        assert disowned(disowned(data)) == disowned(data)
    for event in spoken.stream(["Hi."]):
        assert disowned(event) is event


def test_a_client_object_is_made_where_a_table_names_its_client() -> None:
    """And answers as the JSON that it was made of."""
    for table in PROTOCOLS.values():
        event = STREAMS[table.name].say(0, "Hi.")
        if table.makes_objects:
            made = table.as_object(event)
            assert type(made).__module__.partition(".")[0] == table.client
            assert table.texts(made) == table.texts(event)
        else:
            with pytest.raises(NotImplementedError):
                table.as_object(event)
