"""What the correctors of all providers share: which options a request carries, and what to do when one is refused.

Rule 1: one call of a corrector is one request. A client's own retries are switched off, since the guard counts calls.
Rule 2: an option that an API refuses is left out from then on. The attempt that found out has failed, and the next one is
without it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from inspect import iscoroutinefunction
from typing import Any, ClassVar, Final, TypedDict

from stream_guard import CorrectionRequest, Reply

_KEPT: Final = ("type", "properties", "required", "items", "enum", "const", "anyOf", "allOf", "$ref", "$defs", "description")
"""The rules that every provider's structured output takes. The others are the guard's to check."""


class Options:
    """The options of one corrector's requests, less those that its API was found to refuse."""

    __slots__ = ("_refused",)

    def __init__(self) -> None:
        self._refused: set[str] = set()

    def allowed(self, wanted: Mapping[str, Any]) -> dict[str, Any]:
        """Those that have a value and were not refused."""
        return {name: value for name, value in wanted.items() if value is not None and name not in self._refused}

    def refused(self, name: str) -> bool:
        """Whether the API refuses this one."""
        return name in self._refused

    def learn(self, error: Exception, sent: Mapping[str, Any]) -> None:
        """Note which of the options that were sent a request was refused for, if that is what this error says."""
        if getattr(error, "status_code", None) in (400, 422):
            said = str(error)
            self._refused.update(name for name in sent if name in said)


class Settings(TypedDict, total=False):
    """How a corrector asks: see `ModelCorrector`."""

    temperature: float | None
    structured: bool
    extra: dict[str, Any] | None


class ModelCorrector(ABC):
    """Asks a model for corrected blocks.

    Args:
        client: An async client. Its own retries are not used.
        model: The model to ask. A small, quick one will do.
        temperature: How freely it answers; None leaves it out. Models that refuse one are asked without.
        structured: Whether to ask for JSON of the tool's schema, where the API can.
        extra: More of the request's body.
    """

    wanted_client: ClassVar[str]
    """What the client's class is called."""

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
            raise TypeError(f"a corrector needs an async client, {self.wanted_client}, and not {type(client).__name__}")
        self._client: Final[Any] = client.with_options(max_retries=0)
        self._model: Final = model
        self._temperature: Final = temperature
        self._structured: Final = structured
        self._extra: Final = extra or {}
        self._options: Final = Options()

    async def __call__(self, request: CorrectionRequest) -> Reply:
        """Ask. Raises what the client raises."""
        schema = call_schema(request) if self._structured else None
        options = self._options.allowed({"temperature": self._temperature, **self._wanted(request, schema), **self._extra})
        try:
            return await self._ask(request, options)
        except Exception as error:
            self._options.learn(error, options)
            raise

    @abstractmethod
    def _wanted(self, request: CorrectionRequest, schema: dict[str, Any] | None) -> dict[str, Any]:
        """The options that this API knows by names of its own."""

    @abstractmethod
    async def _ask(self, request: CorrectionRequest, options: dict[str, Any]) -> Reply:
        """Send one request, and read its reply."""


def call_schema(request: CorrectionRequest) -> dict[str, Any] | None:
    """The schema of the whole call that is wanted; None when the tool is not known, or only the rest of a block is wanted."""
    if request.schema is None or request.tool is None or request.kind != "correct":
        return None
    arguments = _simple(request.schema)
    members = {"tool": {"type": "string", "const": request.tool}, **arguments.get("properties", {})}
    return {**arguments, "properties": members, "required": ["tool", *arguments.get("required", ())]}


def _simple(schema: Any) -> Any:
    """A schema without the rules that structured output does not take."""
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
