"""Which calls a careful client of any library runs: those of known tools with arguments that are valid by the tool's schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import jsonschema_rs
from stream_guard_conformance.conform.parser import Ran


@cache
def _validators(tools: str) -> Mapping[str, Any]:
    return {tool["name"]: jsonschema_rs.validator_for(tool["input_schema"]) for tool in json.loads(tools)}


def called(value: Any, question: Mapping[str, Any]) -> Ran | None:
    """Return the call that an object is: it names a known tool, and its arguments are valid."""
    if not isinstance(value, dict) or not isinstance(value.get("tool"), str):
        return None
    return valid(value["tool"], {key: item for key, item in value.items() if key != "tool"}, question)


def valid(name: str, arguments: Any, question: Mapping[str, Any]) -> Ran | None:
    """Return a call if its tool is known and its arguments are valid."""
    known = _validators(json.dumps(question["tools"]))
    return Ran(name, arguments) if name in known and known[name].is_valid(arguments) else None
