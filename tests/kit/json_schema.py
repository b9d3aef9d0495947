"""The suite of JSON Schema, and jsonschema-rs without us."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs

DRAFTS = {"draft2020-12": "https://json-schema.org/draft/2020-12/schema", "draft7": "http://json-schema.org/draft-07/schema#"}


def rows(corpora: Path) -> Iterator[tuple[dict[str, Any], Any]]:
    with (corpora / "jsonschema_suite.jsonl").open(encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            schema = row["schema"]
            if isinstance(schema, bool):
                schema = {} if schema else {"not": {}}
            yield row, {"$schema": DRAFTS[row["draft"]], **schema}


def alone(schema: dict[str, Any]) -> Any:
    """jsonschema-rs without us; None for a schema that it refuses."""
    try:
        jsonschema_rs.meta.validate(schema)
        return jsonschema_rs.validator_for(schema, validate_formats=True, offline=True)
    except (ValueError, jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError):
        return None
