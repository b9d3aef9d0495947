"""The base of the correctors of all providers: which options a request has, and what happens when one is refused.

Rule 1: one call of a corrector is one request. A client's own retries are switched off, since the guard counts calls.
Rule 2: an option that an API refuses is left out of later requests. The refused attempt counts as failed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from inspect import iscoroutinefunction
from typing import Any, ClassVar, Final, TypedDict

from stream_guard import CorrectionRequest, Reply
from stream_guard.spi import shown

_KEPT: Final = ("type", "properties", "required", "items", "enum", "const", "anyOf", "allOf", "$ref", "$defs", "description")
"""The schema rules that every provider's structured output accepts. The guard checks the others."""


class Options:
    """The options of one corrector's requests, without those that its API has refused."""

    __slots__ = ("_refused",)

    def __init__(self) -> None:
        self._refused: set[str] = set()

    def allowed(self, wanted: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options that have a value and were not refused."""
        return {name: value for name, value in wanted.items() if value is not None and name not in self._refused}

    def refused(self, name: str) -> bool:
        """Return whether the API has refused an option."""
        return name in self._refused

    def learn(self, error: Exception, sent: Mapping[str, Any]) -> None:
        """Note the options for which a request was refused, if the error names any."""
        if getattr(error, "status_code", None) in (400, 422):
            said = str(error)
            self._refused.update(name for name in sent if name in said)


class CorrectorSettings(TypedDict, total=False):
    """The keyword arguments of a corrector: see `ModelCorrector`."""

    temperature: float | None
    structured: bool
    extra: dict[str, Any] | None


class ModelCorrector(ABC):
    """Asks a model for corrected blocks.

    Args:
        client: An async client. Its own retries are not used.
        model: The model to ask. A small, quick one will do.
        temperature: The sampling temperature; None leaves it out. Models that refuse one are asked without.
        structured: Whether to ask for JSON of the tool's schema, where the API supports it.
        extra: More members of the request's body.

    Raises:
        TypeError: The client is not an async one.
    """

    wanted_client: ClassVar[str]
    """The name of the client's class, for messages."""

    def __init__(
        self,
        client: Any,
        model: str,
        *,
        temperature: float | None = 0.1,
        structured: bool = True,
        extra: dict[str, Any] | None = None,
    ) -> None:
        if not iscoroutinefunction(getattr(client, "close", None)):  # the other kind would hold up the event loop
            raise TypeError(f"a corrector needs an async client, {self.wanted_client}; not {type(client).__name__}")
        if not isinstance(model, str):
            raise TypeError(f"a corrector needs the name of a model, not {shown(model)}")
        self._client: Final[Any] = client.with_options(max_retries=0)
        self._model: Final = model
        self._temperature: Final = temperature
        self._structured: Final = structured
        self._extra: Final = extra or {}
        self._options: Final = Options()

    async def __call__(self, request: CorrectionRequest) -> Reply:
        """Return the model's reply to a request. Raises what the client raises."""
        schema = call_schema(request) if self._structured else None
        options = self._options.allowed({"temperature": self._temperature, **self._wanted(request, schema), **self._extra})
        try:
            return await self._ask(request, options)
        except Exception as error:
            self._options.learn(error, options)
            raise

    @abstractmethod
    def _wanted(self, request: CorrectionRequest, schema: dict[str, Any] | None) -> dict[str, Any]:
        """Return the options whose names only this API has."""

    @abstractmethod
    async def _ask(self, request: CorrectionRequest, options: dict[str, Any]) -> Reply:
        """Send one request, and return its reply."""


def call_schema(request: CorrectionRequest) -> dict[str, Any] | None:
    """Return the schema of the call to ask for; None if its tool is unknown, or only the rest of a block is asked for."""
    if request.schema is None or request.tool is None or request.kind != "correct":
        return None
    arguments = _simple(request.schema)
    members = {"tool": {"type": "string", "const": request.tool}, **arguments.get("properties", {})}
    return {**arguments, "properties": members, "required": ["tool", *arguments.get("required", ())]}


def _simple(schema: Any) -> Any:
    """Return a schema without the rules that structured output does not accept."""
    if not isinstance(schema, Mapping):
        return schema
    kept: dict[str, Any] = {key: schema[key] for key in _KEPT if key in schema}
    for key in ("properties", "$defs"):
        if key in kept:
            kept[key] = {name: _simple(inner) for name, inner in kept[key].items()}
    for key in ("anyOf", "allOf"):
        if key in kept:
            kept[key] = [_simple(inner) for inner in kept[key]]
    if "items" in kept:
        kept["items"] = _simple(kept["items"])
    if kept.get("type") == "object" or "properties" in kept:
        kept = {"type": "object", **kept, "additionalProperties": False}
    return kept
