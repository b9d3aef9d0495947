"""Anthropic: guarding its streams, and asking its models for corrections."""

from __future__ import annotations

from collections.abc import AsyncIterable
from typing import TYPE_CHECKING, Any, Final, Literal

from stream_guard import SYSTEM, CorrectionRequest, Guard, Reply, correction_prompt

from .asking import Options, asynchronous, call_schema
from .calls import Native
from .events import GuardedEvents
from .protocols import MESSAGES

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

_ENDS: Final[dict[str, Literal["stop", "length", "refusal"]]] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "refusal": "refusal",
}


def guard_messages(
    stream: AsyncIterable[Any], guard: Guard, *, stream_id: str | None = None, native: Native = "guard"
) -> GuardedEvents:
    """Guard the texts of `await client.messages.create(..., stream=True)`.

    Yields its events, those of which nothing had to be held as the very objects, and ToolStatus and ToolBlock among them.
    Native tool calls are held and sent on whole when they are valid (`native="guard"`), or only reported (`"observe"`).
    """
    return GuardedEvents(stream, guard, MESSAGES, stream_id, native)


class AnthropicCorrector:
    """Asks a model for corrected blocks, by the messages API.

    Args:
        client: An async client. Its own retries are not used.
        model: The model to ask. A small, quick one will do.
        temperature: How freely it answers; None leaves it out. Models that refuse one are asked without.
        structured: Whether to ask for JSON of the tool's schema, where the API can.
        extra: More of the request's body.
    """

    def __init__(
        self,
        client: AsyncAnthropic,
        model: str,
        *,
        temperature: float | None = 0.1,
        structured: bool = True,
        extra: dict[str, Any] | None = None,
    ) -> None:
        self._client: Final = asynchronous(client, "AsyncAnthropic").with_options(max_retries=0)
        self._model: Final = model
        self._temperature: Final = temperature
        self._structured: Final = structured
        self._extra: Final = extra or {}
        self._options: Final = Options()

    async def __call__(self, request: CorrectionRequest) -> Reply:
        """Ask. Raises what the client raises."""
        schema = call_schema(request) if self._structured else None
        wanted = {
            "temperature": self._temperature,
            "output_config": schema and {"format": {"type": "json_schema", "schema": schema}},
            **self._extra,
        }
        options = self._options.allowed(wanted)
        try:
            return await self._ask(request, options)
        except Exception as error:
            self._options.learn(error, options)
            raise

    async def _ask(self, request: CorrectionRequest, options: dict[str, Any]) -> Reply:
        stream = await self._client.messages.create(
            model=self._model,
            max_tokens=request.max_tokens,
            system=SYSTEM,
            messages=[{"role": "user", "content": correction_prompt(request)}],
            stream=True,
            extra_body=options,  # not every version of the client names them all
        )
        said: list[str] = []
        size, reason, spent, made = 0, None, None, None
        async with stream:
            async for event in stream:
                if event.type == "message_start":
                    spent = event.message.usage.input_tokens
                elif event.type == "content_block_delta" and event.delta.type == "text_delta":
                    said.append(event.delta.text)
                    size += len(event.delta.text)
                elif event.type == "message_delta":
                    reason = event.delta.stop_reason or reason
                    made = event.usage.output_tokens
                if size > request.max_characters:
                    break
        return Reply("".join(said), _ENDS.get(reason or "", "length"), spent, made)
