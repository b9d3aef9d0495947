"""Anthropic: guards its streams, and asks its models for corrections."""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, Unpack, overload

from stream_guard import SYSTEM, CorrectionRequest, Guard, Reply, correction_prompt

from .engine.guarded_events import GuardedEvents, GuardedIterator, guarded
from .engine.settings import Settings, StreamSettings
from .model_corrector import CorrectorSettings, ModelCorrector
from .protocols import MESSAGES

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

E = TypeVar("E")

_ENDS: Final[dict[str, Literal["stop", "length", "refusal"]]] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "refusal": "refusal",
}


@overload
def guard_messages(stream: AsyncIterable[E], guard: Guard, **settings: Unpack[StreamSettings]) -> GuardedEvents[E]: ...


@overload
def guard_messages(stream: Iterable[E], guard: Guard, **settings: Unpack[StreamSettings]) -> GuardedIterator[E]: ...


def guard_messages(
    stream: AsyncIterable[E] | Iterable[E], guard: Guard, **settings: Unpack[StreamSettings]
) -> GuardedEvents[E] | GuardedIterator[E]:
    """Guard the texts of `await client.messages.create(..., stream=True)`.

    Yields its events, with ToolStatus and ToolBlock among them. An event of which nothing is held is passed on as the same
    object. Native calls are held, and sent on whole: fixed if the fix is certain, else as they were written. A call that was
    cut off, or is over a limit, is not sent on. The stream of a client that is not async gives a plain iterator of the same
    items; no model is asked for corrections then.

    Args:
        stream: What the client returned.
        guard: How to guard it.
        **settings: `native="withhold"` sends on no call that failed, `"observe"` only reports them, `"off"` reads none.
            `promote=True` sends a call that was written as text as a native call, at the end of the text. `blocks="text"` puts
            blocks back into the text instead of yielding events, `"both"` does both. `stream_id` is the beginning of the ids
            of the blocks. `on_uninspected` is called with the reason when an event passes unread.
    """
    return guarded(stream, guard, MESSAGES, Settings(**settings))


class AnthropicCorrector(ModelCorrector):
    """Asks a model for corrected blocks, by the messages API. See `ModelCorrector`."""

    wanted_client = "AsyncAnthropic"

    def __init__(self, client: AsyncAnthropic, model: str, **settings: Unpack[CorrectorSettings]) -> None:
        super().__init__(client, model, **settings)

    def _wanted(self, request: CorrectionRequest, schema: dict[str, Any] | None) -> dict[str, Any]:  # noqa: ARG002
        return {"output_config": schema and {"format": {"type": "json_schema", "schema": schema}}}

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
