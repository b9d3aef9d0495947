"""Peers in Python, as parsers for the conformance runner: each called as its documentation says.

    python -m benchmarks.matrix.peers json-repair

A library that repairs or reads one JSON document stands in a naive client: a regular expression finds the fences once the
reply has ended, and an object whose `tool` is known and whose arguments are valid by the tool's schema is a call. All of these
get the same client, and it claims that it tells calls from other JSON and runs nothing of a fence that has not closed.
"""

from __future__ import annotations

import json
import os
import re
import sys
import types
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any, Final

from stream_guard_conformance.conform.parser import Answer, Item, Parser, Text
from stream_guard_conformance.conform.serving import serve

from benchmarks.matrix.calls import called, valid

FENCE: Final = re.compile(r"^```json[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
"""What a naive client finds: a fence at a line's start, up to the next."""


class Naive:
    """A client that finds fences with a regular expression, and reads each with a function."""

    def __init__(self, name: str, loads: Callable[[str], Any], *more: str) -> None:
        self.name = name
        self.capabilities = frozenset({"fence", "several", "streams", "text", "intent", "endings", "schemas", *more})
        self._loads = loads

    def read(self, question: Any) -> Answer:
        """Wait for the end, and read the fences."""
        text = "".join(question["input"])
        items: list[Item] = []
        at = 0
        for found in FENCE.finditer(text):
            try:
                call = called(self._loads(found[1]), question)
            except Exception:  # whatever a library raises, it has refused
                call = None
            if call is not None:
                items += [Text(text[at : found.start()]), call]
                at = found.end()
        return Answer.whole([*items, Text(text[at:])])


class Whole:
    """A library that makes one value of a whole reply."""

    def __init__(self, name: str, reads: Callable[[str], Any], *more: str) -> None:
        self.name = name
        self.capabilities = frozenset({"fence", "streams", "schemas", *more})
        self._reads = reads

    def read(self, question: Any) -> Answer:
        """Give it the reply, and take its value for a call if it is a valid one."""
        try:
            call = called(self._reads("".join(question["input"])), question)
        except Exception:  # whatever a library raises, it has refused
            call = None
        return Answer.whole([] if call is None else [call])


def baml() -> Parser:
    """Return BAML, with a function that answers any JSON; its client is never called."""
    from baml_py import BamlRuntime

    from benchmarks.matrix.baml import SOURCE

    os.environ.setdefault("BAML_LOG", "off")
    runtime = BamlRuntime.from_files("baml_src", {"main.baml": SOURCE}, {})
    context, names = runtime.create_context_manager(), types.ModuleType("names")

    def read(text: str) -> Any:
        return runtime.parse_llm_response("Read", text, names, names, names, False, context, None, None, {})

    return Whole(f"BAML {version('baml-py')}", read, "repair")


def langchain() -> Parser:
    """Return LangChain's parser of JSON in Markdown."""
    from langchain_core.output_parsers import JsonOutputParser

    return Whole(f"langchain-core {version('langchain-core')}", JsonOutputParser().parse, "integers")


def json_repair() -> Parser:
    """Return json-repair in the naive client."""
    from json_repair import loads

    return Naive(f"json-repair {version('json-repair')}", loads, "repair", "integers")


def partial_json_parser() -> Parser:
    """Return partial-json-parser in the naive client."""
    from partial_json_parser import loads

    return Naive(f"partial-json-parser {version('partial-json-parser')}", loads, "integers")


_CALL: Final = {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}
_HERMES: Final = {
    "defaults": {"role": "assistant"},
    "start_anchor": ["<|im_start|>assistant\n"],
    "fields": {
        "content": {"close": ["<|im_end|>"], "content": "text"},
        "tool_calls": {
            "open": "<tool_call>", "close": "</tool_call>", "repeats": True, "content": "json",
            "transform": {"type": "function", "function": {"name": "{content.name}", "arguments": "{content.arguments}"}},
        },
    },
}  # fmt: skip
_GEMMA4: Final = {
    "defaults": {"role": "assistant"},
    "start_anchor": ["<|turn>model\n"],
    "fields": {
        "content": {"close": ["<turn|>"], "content": "text"},
        "tool_calls": {
            "open_pattern": r"<\|tool_call>call:(?P<name>\w+)", "close": "<tool_call|>", "repeats": True, "content": "json",
            "content_args": {"string_delims": [['<|"|>', '<|"|>']], "unquoted_keys": True}, "transform": _CALL,
        },
    },
}  # fmt: skip


class Transformers:
    """The parser of response templates of Transformers, with those of two families of models."""

    def __init__(self) -> None:
        self.name = f"transformers ResponseParser {version('transformers')}"
        self.capabilities = frozenset({"several", "streams", "text", "dialect:hermes", "dialect:gemma4", "schemas", "integers"})

    def read(self, question: Any) -> Answer:
        """Feed the deltas; the message at the end has the text and the calls."""
        from transformers.utils.chat_parsing import ResponseParser

        template = _HERMES if question["dialect"] == "hermes" else _GEMMA4
        tools = [
            {"type": "function", "function": {"name": tool["name"], "parameters": tool["input_schema"]}}
            for tool in question["tools"]
        ]
        parser = ResponseParser(template, prefix="", tools=tools)
        events: list[Any] = []
        try:
            for delta in question["input"]:
                events += parser.feed(delta)
            message, last = parser.finalize()
        except ValueError:  # it refuses the rest of the message
            message, last = {}, []
        said = [
            Text(event["text"]) for event in (*events, *last) if event["type"] == "region_chunk" and event["field"] == "content"
        ]
        calls = [each["function"] for each in message.get("tool_calls") or ()]
        ran = [valid(call["name"], call["arguments"], question) for call in calls]
        return Answer.whole([*said, *(call for call in ran if call is not None)])


def sglang() -> Parser:
    """Return the detectors of SGLang, without the server."""
    from benchmarks.matrix.servers import SGLang

    return SGLang()


def vllm() -> Parser:
    """Return the tool parsers of vLLM, without the server."""
    from benchmarks.matrix.servers import VLLM

    return VLLM()


PEERS: Final[Mapping[str, Callable[[], Parser]]] = {
    "naive": lambda: Naive("regex and json.loads", json.loads, "integers"),
    "json-repair": json_repair,
    "partial-json-parser": partial_json_parser,
    "langchain": langchain,
    "baml": baml,
    "transformers": Transformers,
    "sglang": sglang,
    "vllm": vllm,
}


def main(arguments: list[str]) -> None:
    """Serve the peer that is named."""
    out, sys.stdout = sys.stdout, sys.stderr  # what a library prints is no answer
    serve(PEERS[arguments[0]](), answers=out)


if __name__ == "__main__":
    main(sys.argv[1:])
