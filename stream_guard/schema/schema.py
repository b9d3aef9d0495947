"""JSON Schema, compiled once. The one file that knows jsonschema-rs.

Formats are checked, references are never fetched, the draft is the one `$schema` names (2020-12 if it names none).

Rule: the verdict is the validator's. What is added here is which of a failed union's branches to speak of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..values.issues import JsonPath
from . import fields, unions
from .violations import Violation


class SchemaError(ValueError):
    """A schema that cannot be used, and where it goes wrong. The tool's author is to blame, so it is raised."""


class Schema:
    """A JSON Schema, ready to use."""

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
        """Whether a value breaks no rule. The validator's own method: a layer over it would cost as much as it does."""
        self.fields = fields.read(self.document)
        self._unions = unions.find(self.document)

    def __reduce__(self) -> tuple[type[Schema], tuple[dict[str, Any]]]:
        """To another process it goes as its document, and is compiled there."""
        return Schema, (self.document,)

    def violations(self, value: Any) -> Iterator[Violation]:
        """The rules that a value breaks."""
        for error in self._validator.iter_errors(value):
            yield from self.read(error)

    def read(self, error: Any) -> Iterator[Violation]:
        """What an error says that jsonschema-rs made of this schema."""
        return violations_of(error, self._unions)


def violations_of(error: Any, known: Mapping[JsonPath, unions.Union] | None = None) -> Iterator[Violation]:
    """What one error of jsonschema-rs says: a violation, or those of the branch of a union that was meant."""
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
    """What a rule asks for: the one detail that its error bears, or all of them."""
    values = list(details.values())
    return values[0] if len(values) == 1 else dict(details) or None
