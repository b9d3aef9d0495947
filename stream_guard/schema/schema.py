"""JSON Schema, compiled once. Only this file uses jsonschema-rs.

Formats are checked, references are never fetched, the draft is the one `$schema` names (2020-12 if it names none).

Rule 1: only the validator decides what is valid. This file adds which branch of a failed union to report.
Rule 2: the validator is asked only what it can answer in a bounded number of steps (`steps.MOST`). A value that may take more
steps is not accepted, and has one violation, which says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from . import fields, patterns, steps, unions
from .violations import Violation

_MOST_PLACED: Final = 2_000
"""Limit: values of an invalid schema for which the error shows the place and the reason."""


class SchemaError(ValueError):
    """Raised for an invalid schema, with the place of the error."""


class Schema:
    """A compiled JSON Schema."""

    __slots__ = ("_steps", "_unions", "_validator", "_written", "accepts", "document", "fields")

    def __init__(self, document: Mapping[str, Any]) -> None:
        import jsonschema_rs  # deferred: 40 ms that a program without tools need not pay

        if not isinstance(document, Mapping):
            raise SchemaError(f"a schema must be an object, got {type(document).__name__}")
        self.document = dict(document)
        trying = jsonschema_rs.FancyRegexOptions(backtrack_limit=patterns.BACKTRACKS)
        try:
            if not jsonschema_rs.meta.is_valid(self.document):  # the error has a copy of all that is wrong, for each rule
                if steps.size_of(self.document) > _MOST_PLACED:
                    raise ValueError("it breaks a rule of JSON Schema, and is too large to say where")
                jsonschema_rs.meta.validate(self.document)
            self._unions = unions.decide(self.document)
            decided: Any = self._unions.document
            self._steps = steps.Steps(decided)  # first: it refuses what the validator would not finish reading
            self._validator = jsonschema_rs.validator_for(decided, validate_formats=True, offline=True, pattern_options=trying)
        except jsonschema_rs.ValidationError as error:
            where = "/".join(str(step) for step in error.instance_path)
            raise SchemaError(f"invalid schema at /{where}: {error.message}") from None
        except (TypeError, ValueError, jsonschema_rs.ReferencingError) as error:
            raise SchemaError(f"invalid schema: {error}") from None
        self.accepts = self._validator.is_valid if self._steps.is_light else self._accepts
        """Returns whether a value is valid: the validator's own method if possible, since a wrapper would double the cost."""
        self.fields = fields.read(self.document)
        self._written: unions.Decided | None = None

    def __reduce__(self) -> tuple[type[Schema], tuple[dict[str, Any]]]:
        """Pickle the document; the other process compiles it again."""
        return Schema, (self.document,)

    @property
    def is_heavy(self) -> bool:
        """Whether a short value may take the validator long: the schema contains itself, or has a pattern that is matched by
        trying one way after the other.
        """
        return self._steps.is_heavy

    @property
    def ways(self) -> int:
        """How many parts of the schema the validator has copied, besides those that are written in it."""
        return self._steps.ways

    def refuses(self, value: Any) -> bool:
        """Return whether a value is certainly not valid. A value that takes too many steps is neither accepted nor refused."""
        return self._steps.judging(value) <= steps.MOST and not self._validator.is_valid(value)

    def accepts_of(self, length: int) -> Callable[[Any], bool]:
        """Return `accepts` for the values of a JSON text of this length: those of a short one need not be counted."""
        return self._validator.is_valid if length <= self._steps.uncounted else self.accepts

    def _accepts(self, value: Any) -> bool:
        return self._steps.judging(value) <= steps.MOST and self._validator.is_valid(value)

    def violations(self, value: Any) -> Iterator[Violation]:
        """Yield the violations of a value. A value that takes too many steps to validate has a single one, `steps`."""
        if self._steps.reading(value) <= steps.MOST:
            for error in self._validator.iter_errors(value):
                yield from violations_of(error, self._unions)
        elif not self.accepts(value):
            yield Violation((), "steps", steps.MOST, None)

    def read(self, error: Any) -> Iterator[Violation]:
        """Convert an error that another validator of jsonschema-rs raised with this schema into violations."""
        if self._written is None:
            self._written = unions.as_written(self.document)
        return violations_of(error, self._written)


def violations_of(error: Any, known: unions.Decided | None = None) -> Iterator[Violation]:
    """Yield the violations for one error of jsonschema-rs; for a union, those of the branch that was meant."""
    path, keyword, got = tuple(error.instance_path), error.kind.name, error.instance
    details: Mapping[str, Any] = error.kind.as_dict()
    union = known.unions.get(tuple(error.schema_path)) if known is not None else None
    if keyword in ("anyOf", "oneOf"):
        branches = [list(_together(branch, known)) for branch in details.get("context", ())]
        union = union or unions.unknown(len(branches))
        if not branches or not all(branches):  # it fits several, where it may fit one
            yield Violation(path, keyword, None, got)
        else:
            yield from unions.choose(path, keyword, got, branches, union)
    elif keyword == "required":
        yield Violation((*path, details["property"]), keyword, union.values if union is not None else None, None)
    elif keyword in ("additionalProperties", "unevaluatedProperties"):
        members = known.members.get(tuple(error.schema_path)[:-1]) if known is not None and keyword[0] == "a" else None
        for name in details["unexpected"]:
            value = got.get(name) if isinstance(got, Mapping) else None
            yield Violation((*path, name), keyword, list(members) if members else None, value)
    elif keyword == "propertyNames":
        yield Violation((*path, str(details["error"].instance)), keyword, None, None)
    else:
        yield Violation(path, keyword, _expected(details), got, error.message)


def _together(errors: Sequence[Any], known: unions.Decided | None) -> Iterator[Violation]:
    for error in errors:
        yield from violations_of(error, known)


def _expected(details: Mapping[str, Any]) -> Any:
    """Return what a rule expects from the details of its error: the only detail, or all of them as an object."""
    values = list(details.values())
    return values[0] if len(values) == 1 else dict(details) or None
