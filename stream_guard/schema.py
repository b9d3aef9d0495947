"""JSON Schema, compiled once. The one file that knows jsonschema-rs.

Formats are checked, references are never fetched, the draft is the one `$schema` names (2020-12 if it names none).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


class SchemaError(ValueError):
    """A schema that cannot be used, and where it goes wrong. The tool's author is to blame, so it is raised."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One rule of a schema that a value breaks."""

    path: tuple[str | int, ...]
    """Where the value is."""

    keyword: str
    """The rule, in JSON Schema's word: `required`, `type`, `minimum` ..."""

    expected: Any
    """What the rule asks for."""

    got: Any
    """What stood there."""

    message: str
    """The rule in words."""


class Schema:
    """A JSON Schema, ready to use."""

    __slots__ = ("_validator", "document")

    def __init__(self, document: Mapping[str, Any]) -> None:
        import jsonschema_rs  # deferred: 40 ms that a program without tools need not pay

        self.document = dict(document)
        try:
            jsonschema_rs.meta.validate(self.document)
            self._validator = jsonschema_rs.validator_for(self.document, validate_formats=True, offline=True)
        except jsonschema_rs.ValidationError as error:
            where = "/".join(str(step) for step in error.instance_path)
            raise SchemaError(f"bad schema at /{where}: {error.message}") from None
        except (ValueError, jsonschema_rs.ReferencingError) as error:
            raise SchemaError(f"bad schema: {error}") from None

    def accepts(self, value: Any) -> bool:
        """Whether the value breaks no rule."""
        return self._validator.is_valid(value)

    def faults(self, value: Any) -> Iterator[Fault]:
        """Every rule that the value breaks, in the order of the schema."""
        for error in self._validator.iter_errors(value):
            details: dict[str, Any] = error.kind.as_dict()
            path = tuple(error.instance_path)
            keyword = error.kind.name
            if keyword == "required":
                missing = details["property"]
                yield Fault((*path, missing), keyword, missing, None, error.message)
            elif keyword == "additionalProperties":
                instance: Any = error.instance
                for name in details["unexpected"]:
                    yield Fault((*path, name), keyword, None, instance[name], f'"{name}" is not a known field')
            else:
                expected = next(iter(details.values())) if len(details) == 1 else details or None
                yield Fault(path, keyword, expected, error.instance, error.message)
