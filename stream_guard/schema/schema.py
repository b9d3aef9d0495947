"""JSON Schema, compiled once. Only this file uses jsonschema-rs.

Formats are checked, references are never fetched, the draft is the one `$schema` names (2020-12 if it names none).

Rule: only the validator decides what is valid. This file adds which branch of a failed union to report.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..values.issues import JsonPath
from . import fields, unions
from .violations import Violation


class SchemaError(ValueError):
    """Raised for an invalid schema, with the place of the error."""


class Schema:
    """A compiled JSON Schema."""

    __slots__ = ("_unions", "_validator", "accepts", "document", "fields")

    def __init__(self, document: Mapping[str, Any]) -> None:
        import jsonschema_rs  # deferred: 40 ms that a program without tools need not pay

        if not isinstance(document, Mapping):
            raise SchemaError(f"a schema must be an object, got {type(document).__name__}")
        self.document = dict(document)
        try:
            jsonschema_rs.meta.validate(self.document)
            self._validator = jsonschema_rs.validator_for(self.document, validate_formats=True, offline=True)
        except jsonschema_rs.ValidationError as error:
            where = "/".join(str(step) for step in error.instance_path)
            raise SchemaError(f"invalid schema at /{where}: {error.message}") from None
        except (TypeError, ValueError, jsonschema_rs.ReferencingError) as error:
            raise SchemaError(f"invalid schema: {error}") from None
        self.accepts = self._validator.is_valid
        """Whether a value is valid: the validator's own method, since a wrapper would double its cost."""
        self.fields = fields.read(self.document)
        self._unions = unions.find(self.document)

    def __reduce__(self) -> tuple[type[Schema], tuple[dict[str, Any]]]:
        """Pickle the document; the other process compiles it again."""
        return Schema, (self.document,)

    def violations(self, value: Any) -> Iterator[Violation]:
        """Yield the violations of a value."""
        for error in self._validator.iter_errors(value):
            yield from self.read(error)

    def read(self, error: Any) -> Iterator[Violation]:
        """Convert an error that jsonschema-rs raised with this schema into violations."""
        return violations_of(error, self._unions)


def violations_of(error: Any, known: Mapping[JsonPath, unions.Union] | None = None) -> Iterator[Violation]:
    """Yield the violations for one error of jsonschema-rs; for a union, those of the branch that was meant."""
    path, keyword, got = tuple(error.instance_path), error.kind.name, error.instance
    details: Mapping[str, Any] = error.kind.as_dict()
    if keyword in ("anyOf", "oneOf"):
        branches = [list(_together(branch, known)) for branch in details.get("context", ())]
        union = (known or {}).get(tuple(error.schema_path)) or unions.unknown(len(branches))
        if not branches or not all(branches):  # it fits several, where it may fit one
            yield Violation(path, keyword, None, got)
        else:
            yield from unions.choose(path, keyword, got, branches, union)
    elif keyword == "required":
        yield Violation((*path, details["property"]), keyword, None, None)
    elif keyword in ("additionalProperties", "unevaluatedProperties"):
        for name in details["unexpected"]:
            yield Violation((*path, name), keyword, None, got.get(name) if isinstance(got, Mapping) else None)
    elif keyword == "propertyNames":
        yield Violation((*path, str(details["error"].instance)), keyword, None, None)
    else:
        yield Violation(path, keyword, _expected(details), got, error.message)


def _together(errors: Sequence[Any], known: Mapping[JsonPath, unions.Union] | None) -> Iterator[Violation]:
    for error in errors:
        yield from violations_of(error, known)


def _expected(details: Mapping[str, Any]) -> Any:
    """Return what a rule expects: the single detail of its error, or all of them."""
    values = list(details.values())
    return values[0] if len(values) == 1 else dict(details) or None
