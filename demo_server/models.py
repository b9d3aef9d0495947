"""The models of the demo: a script, or a real model if there is a key for one. A session may have one of its own: endpoints.py.

    OPENAI_API_KEY      and OPENAI_BASE_URL for a server of your own
    ANTHROPIC_API_KEY   and ANTHROPIC_BASE_URL likewise
    STREAM_GUARD_MODEL  which model to ask

Rule 1: a key is read by its provider's client, and by nobody else.
Rule 2: why a model does not answer is told in this server's own words. A provider's may repeat the key.
"""

from __future__ import annotations

import asyncio
import os
import socket
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from stream_guard_adapters.reach import Refused

from stream_guard import CorrectionRequest, Corrector, Toolset

from .scenarios import BY_NAME, SCENARIOS, UNFIT, meant

if TYPE_CHECKING:
    from openai import AsyncOpenAI


@dataclass(frozen=True, slots=True)
class Asked:
    """One request to a model: the text, the chat so far, and what became of earlier calls."""

    request: str
    scenario: str | None
    """The reply that was picked by its name."""

    before: Sequence[Mapping[str, str]] = ()
    """The chat so far, as messages with a role and a content."""

    notes: str = ""
    """What became of the calls of the last answer."""


class ModelAway(Exception):
    """Raised when a model does not begin to answer, with the reason and what to do."""


_SAID: Final[Mapping[int, str]] = {
    400: "does not take the request. Is the model's name one for chat completions?",
    401: "does not take the key. Check it, and that it is for this server.",
    403: "does not take the key for this model. Check both.",
    404: "has no such model, or no chat completions at this base URL. Most base URLs end in /v1.",
    429: "takes no more requests at the moment, or the account has no credit left.",
}


def away(error: BaseException) -> ModelAway:
    """Return why a model does not begin to answer, made of what its client raised."""
    if isinstance(error, ModelAway):
        return error
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        said = _SAID.get(status) or ("redirects, which is not followed." if status < 400 else "failed. Try again later.")
        return ModelAway(f"The model's server {said} (status {status})")
    found: BaseException | None = error
    while found is not None:
        if isinstance(found, Refused):
            return ModelAway(f"This base URL is not asked: {found}")
        if isinstance(found, socket.gaierror):
            return ModelAway("There is no such host. Check the base URL.")
        if isinstance(found, TimeoutError) or "Timeout" in type(found).__name__:
            return ModelAway("The model's server did not answer in time. Try again later.")
        found = found.__cause__ or found.__context__
    return ModelAway("The model's server cannot be reached: nothing answers there, or its certificate is not valid.")


class Model(Protocol):
    """**Protocol:** a model, real or scripted."""

    @property
    def name(self) -> str:
        """The name, as the page shows it."""
        ...

    @property
    def replayable(self) -> bool:
        """Whether the same request always gives the same reply. Then another worker can continue a reply that broke off."""
        ...

    @property
    def corrector(self) -> Corrector:
        """The corrector of its blocks."""
        ...

    async def stream(self, asked: Asked) -> Any:
        """Return the answer, as an async iterable of text or of a provider's events. Raises ModelAway."""
        ...

    async def aclose(self) -> None:
        """Close the connections."""
        ...


class Script:
    """Answers without a model, at a human pace.

    Args:
        pace: Characters a second; 0 for no waiting.
        thinking: How long a correction takes, in seconds.
    """

    name = "script"
    replayable = True

    def __init__(self, pace: float = 160, thinking: float = 1.2) -> None:
        self._pace = pace
        self._thinking = thinking
        self.corrector: Corrector = self._correct

    async def stream(self, asked: Asked) -> AsyncIterator[Any]:
        """Return the picked reply, or the one that fits the request best; without one, an answer that says so."""
        scenario = BY_NAME[asked.scenario] if asked.scenario else meant(asked.request)
        return self._paced(scenario.deltas() if scenario is not None else [f"{word} " for word in UNFIT.split(" ")])

    async def aclose(self) -> None:
        """Do nothing: a script has no connections."""

    async def _paced(self, deltas: Sequence[Any]) -> AsyncIterator[Any]:
        for delta in deltas:
            size = len(delta) if isinstance(delta, str) else 4
            await asyncio.sleep(size / self._pace if self._pace else 0)
            yield delta

    async def _correct(self, request: CorrectionRequest) -> str:
        await asyncio.sleep(self._thinking if self._pace else 0)
        for scenario in SCENARIOS:
            for about, reply in (scenario.corrections or {}).items():
                if about in request.block:
                    return reply
        return "I cannot tell what was meant."


class _Provider(ABC):
    """Answers with a real model; a picked reply still comes from the script."""

    replayable = False

    def __init__(self, script: Script, tools: Toolset, name: str) -> None:
        self._script = script
        self._prompt = tools.to_prompt()
        self.name = name
        self.corrector: Corrector
        self._client: Any

    async def aclose(self) -> None:
        """Close the provider's client."""
        await self._client.close()

    async def stream(self, asked: Asked) -> Any:
        """Return the model's answer; of a picked reply, the script's. Raises ModelAway."""
        if asked.scenario:
            return await self._script.stream(asked)
        try:
            return await self._ask([*asked.before, {"role": "user", "content": asked.notes + asked.request}])
        except Exception as error:
            raise away(error) from None  # what a provider said may repeat the key

    @abstractmethod
    async def _ask(self, messages: Sequence[Mapping[str, str]]) -> Any:
        """Send the messages to the model and return its stream."""


class OpenAIModel(_Provider):
    """Answers with a model of OpenAI's API, or of a server that speaks it.

    Args:
        script: Has the replies that are picked.
        tools: The tools that the model is told of.
        name: The model to ask.
        client: The client to ask with; None for one with the key of the environment.
    """

    def __init__(self, script: Script, tools: Toolset, name: str, client: AsyncOpenAI | None = None) -> None:
        from openai import AsyncOpenAI  # deferred: only with a key for it
        from stream_guard_adapters.openai import OpenAICorrector

        super().__init__(script, tools, name)
        self._client = client or AsyncOpenAI()
        self.corrector = OpenAICorrector(self._client, name)

    async def _ask(self, messages: Sequence[Mapping[str, str]]) -> Any:
        said = [{"role": "system", "content": self._prompt}, *messages]
        stream = await self._client.chat.completions.create(model=self.name, messages=said, stream=True)
        if not stream.response.headers.get("content-type", "").startswith("text/event-stream"):
            await stream.close()
            raise ModelAway("The server answers, but does not stream: this may be no base URL of an OpenAI-compatible API.")
        return stream


class AnthropicModel(_Provider):
    """Answers with a model of Anthropic's API."""

    def __init__(self, script: Script, tools: Toolset, name: str) -> None:
        from anthropic import AsyncAnthropic  # deferred: only with a key for it
        from stream_guard_adapters.anthropic import AnthropicCorrector

        super().__init__(script, tools, name)
        self._client = AsyncAnthropic()
        self.corrector = AnthropicCorrector(self._client, name)

    async def _ask(self, messages: Sequence[Mapping[str, str]]) -> Any:
        return await self._client.messages.create(
            model=self.name, system=self._prompt, messages=list(messages), max_tokens=8192, stream=True
        )


def chosen(tools: Toolset, script: Script, environment: Mapping[str, str] = os.environ) -> Model:
    """Return the model that there is a key for; without a key, the script."""
    name = environment.get("STREAM_GUARD_MODEL")
    if environment.get("OPENAI_API_KEY"):
        return OpenAIModel(script, tools, name or "gpt-4.1-mini")
    if environment.get("ANTHROPIC_API_KEY"):
        return AnthropicModel(script, tools, name or "claude-sonnet-4-5")
    return script
