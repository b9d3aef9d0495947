"""OpenAI, and every server that speaks its protocols: guarding their streams, and asking their models for corrections."""

from __future__ import annotations

import re
from collections.abc import AsyncIterable
from typing import TYPE_CHECKING, Any, Final, Literal

from stream_guard import SYSTEM, CorrectionRequest, Guard, Reply, correction_prompt

from .asking import Options, asynchronous, call_schema
from .calls import Native
from .events import GuardedEvents
from .protocols import CHAT, RESPONSES

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_REASONING: Final = re.compile(r"(?:.*/)?(?:o\d|gpt-5)(?!.*chat)")
"""Models known to take no temperature, and to count their tokens under another name."""

_ENDS: Final[dict[str, Literal["stop", "length", "refusal"]]] = {"stop": "stop", "content_filter": "refusal"}


def guard_chat(
    stream: AsyncIterable[Any], guard: Guard, *, stream_id: str | None = None, native: Native = "guard"
) -> GuardedEvents:
    """Guard the texts of `await client.chat.completions.create(..., stream=True)`.

    Yields its chunks, those of which nothing had to be held as the very objects, and ToolStatus and ToolBlock among them.
    Native tool calls are held and sent on whole when they are valid (`native="guard"`), or only reported (`"observe"`).
    """
    return GuardedEvents(stream, guard, CHAT, stream_id, native)


def guard_responses(
    stream: AsyncIterable[Any], guard: Guard, *, stream_id: str | None = None, native: Native = "guard"
) -> GuardedEvents:
    """Guard the texts of `await client.responses.create(..., stream=True)`, and what its events repeat of them at the end."""
    return GuardedEvents(stream, guard, RESPONSES, stream_id, native)


class OpenAICorrector:
    """Asks a model for corrected blocks, by chat completions.

    Args:
        client: An async client, with whatever base URL. Its own retries are not used.
        model: The model to ask. A small, quick one will do.
        temperature: How freely it answers; None leaves it out. Models that refuse one are asked without.
        structured: Whether to ask for JSON of the tool's schema, where the API can.
        extra: More of the request's body.
    """

    def __init__(
        self,
        client: AsyncOpenAI,
        model: str,
        *,
        temperature: float | None = 0.1,
        structured: bool = True,
        extra: dict[str, Any] | None = None,
    ) -> None:
        self._client: Final = asynchronous(client, "AsyncOpenAI").with_options(max_retries=0)
        self._model: Final = model
        self._reasons: Final = _REASONING.match(model) is not None
        self._temperature: Final = None if self._reasons else temperature
        self._structured: Final = structured
        self._extra: Final = extra or {}
        self._options: Final = Options()

    async def __call__(self, request: CorrectionRequest) -> Reply:
        """Ask. Raises what the client raises."""
        options = self._options.allowed(self._wanted(request))
        try:
            return await self._ask(request, options)
        except Exception as error:
            self._options.learn(error, options)
            raise

    def _wanted(self, request: CorrectionRequest) -> dict[str, Any]:
        schema = call_schema(request) if self._structured else None
        named = "max_completion_tokens" if self._reasons or self._options.refused("max_tokens") else "max_tokens"
        return {
            "temperature": self._temperature,
            named: request.max_tokens,
            "stream_options": {"include_usage": True},
            "response_format": schema and {"type": "json_schema", "json_schema": {"name": "call", "schema": schema}},
            **self._extra,
        }

    async def _ask(self, request: CorrectionRequest, options: dict[str, Any]) -> Reply:
        stream = await self._client.chat.completions.create(
            model=self._model,
            messages=[{"role": "system", "content": SYSTEM}, {"role": "user", "content": correction_prompt(request)}],
            stream=True,
            extra_body=options,
        )
        said: list[str] = []
        size, finish, refused, usage = 0, None, False, None
        async with stream:
            async for chunk in stream:
                usage = chunk.usage or usage
                for choice in chunk.choices or ():
                    refused = refused or bool(getattr(choice.delta, "refusal", None))
                    text = choice.delta.content if choice.delta is not None else None
                    if isinstance(text, str):
                        said.append(text)
                        size += len(text)
                    finish = choice.finish_reason or finish
                if size > request.max_characters:
                    break
        return Reply(
            "".join(said),
            "refusal" if refused else _ENDS.get(finish or "", "length"),
            getattr(usage, "prompt_tokens", None),
            getattr(usage, "completion_tokens", None),
        )
