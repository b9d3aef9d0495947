"""OpenAI, and servers with its protocols: guards their streams, and asks their models for corrections."""

from __future__ import annotations

import re
from collections.abc import AsyncIterable, Iterable
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, Unpack, overload

from stream_guard import SYSTEM, CorrectionRequest, Guard, Reply, correction_prompt

from .engine.guarded_events import GuardedEvents, GuardedIterator, guarded
from .engine.settings import Settings, StreamSettings
from .model_corrector import CorrectorSettings, ModelCorrector
from .protocols import CHAT, RESPONSES

if TYPE_CHECKING:
    from openai import AsyncOpenAI

E = TypeVar("E")

_REASONING: Final = re.compile(r"(?:.*/)?(?:o\d|gpt-5)(?!.*chat)")
"""Models that take no temperature, and whose limit of tokens is called `max_completion_tokens`."""

_ENDS: Final[dict[str, Literal["stop", "length", "refusal"]]] = {"stop": "stop", "content_filter": "refusal"}


@overload
def guard_chat(stream: AsyncIterable[E], guard: Guard, **settings: Unpack[StreamSettings]) -> GuardedEvents[E]: ...


@overload
def guard_chat(stream: Iterable[E], guard: Guard, **settings: Unpack[StreamSettings]) -> GuardedIterator[E]: ...


def guard_chat(
    stream: AsyncIterable[E] | Iterable[E], guard: Guard, **settings: Unpack[StreamSettings]
) -> GuardedEvents[E] | GuardedIterator[E]:
    """Guard the texts of `await client.chat.completions.create(..., stream=True)`.

    Yields its chunks, with ToolStatus and ToolBlock among them. A chunk of which nothing is held is passed on as the same
    object. Native calls are held, and sent on whole: fixed if the fix is certain, else as they were written. The stream of a
    client that is not async gives a plain iterator of the same items; no model is asked for corrections then.

    Args:
        stream: What the client returned.
        guard: How to guard it.
        **settings: `native="withhold"` sends on no call that failed, `"observe"` only reports them, `"off"` reads none.
            `promote=True` sends a call that was written as text as a native call, at the end of the text. `blocks="text"` puts
            blocks back into the text instead of yielding events, `"both"` does both. `stream_id` is the beginning of the ids
            of the blocks. `on_uninspected` is called with the reason when an event passes unread.
    """
    return guarded(stream, guard, CHAT, Settings(**settings))


@overload
def guard_responses(stream: AsyncIterable[E], guard: Guard, **settings: Unpack[StreamSettings]) -> GuardedEvents[E]: ...


@overload
def guard_responses(stream: Iterable[E], guard: Guard, **settings: Unpack[StreamSettings]) -> GuardedIterator[E]: ...


def guard_responses(
    stream: AsyncIterable[E] | Iterable[E], guard: Guard, **settings: Unpack[StreamSettings]
) -> GuardedEvents[E] | GuardedIterator[E]:
    """Guard the texts of `await client.responses.create(..., stream=True)`, and the events that repeat these texts at the end.

    Function calls, settings and clients that are not async are treated as in `guard_chat`.
    """
    return guarded(stream, guard, RESPONSES, Settings(**settings))


class OpenAICorrector(ModelCorrector):
    """Asks a model for corrected blocks, by chat completions. See `ModelCorrector`."""

    wanted_client = "AsyncOpenAI"

    def __init__(self, client: AsyncOpenAI, model: str, **settings: Unpack[CorrectorSettings]) -> None:
        self._reasons: Final = _REASONING.match(str(model)) is not None
        if self._reasons:
            settings["temperature"] = None
        super().__init__(client, model, **settings)

    def _wanted(self, request: CorrectionRequest, schema: dict[str, Any] | None) -> dict[str, Any]:
        named = "max_completion_tokens" if self._reasons or self._options.refused("max_tokens") else "max_tokens"
        return {
            named: request.max_tokens,
            "stream_options": {"include_usage": True},
            "response_format": schema and {"type": "json_schema", "json_schema": {"name": "call", "schema": schema}},
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
