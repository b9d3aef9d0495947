"""OpenAI, and every server that speaks its protocols: guarding their streams, and asking their models for corrections."""

from __future__ import annotations

import re
from collections.abc import AsyncIterable
from typing import TYPE_CHECKING, Any, Final, Literal, Unpack

from stream_guard import SYSTEM, CorrectionRequest, Guard, Reply, correction_prompt

from .asking import ModelCorrector, Settings
from .calls import Native
from .events import GuardedEvents
from .protocols import CHAT, RESPONSES
from .room import Note

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_REASONING: Final = re.compile(r"(?:.*/)?(?:o\d|gpt-5)(?!.*chat)")
"""Models known to take no temperature, and to count their tokens under another name."""

_ENDS: Final[dict[str, Literal["stop", "length", "refusal"]]] = {"stop": "stop", "content_filter": "refusal"}


def guard_chat(
    stream: AsyncIterable[Any],
    guard: Guard,
    *,
    stream_id: str | None = None,
    native: Native = "guard",
    promote: bool = False,
    on_uninspected: Note | None = None,
) -> GuardedEvents:
    """Guard the texts of `await client.chat.completions.create(..., stream=True)`.

    Yields its chunks, those of which nothing had to be held as the very objects, and ToolStatus and ToolBlock among them.
    Native tool calls are held and sent on whole when they are valid (`native="guard"`), or only reported (`"observe"`). With
    `promote` a call that was written as text is told as a native one too, at the end of the text.
    """
    return GuardedEvents(stream, guard, CHAT, stream_id, native, promote=promote, on_uninspected=on_uninspected)


def guard_responses(
    stream: AsyncIterable[Any],
    guard: Guard,
    *,
    stream_id: str | None = None,
    native: Native = "guard",
    promote: bool = False,
    on_uninspected: Note | None = None,
) -> GuardedEvents:
    """Guard the texts of `await client.responses.create(..., stream=True)`, and what its events repeat of them at the end.

    Its function calls are treated as those of `guard_chat`.
    """
    return GuardedEvents(stream, guard, RESPONSES, stream_id, native, promote=promote, on_uninspected=on_uninspected)


class OpenAICorrector(ModelCorrector):
    """Asks a model for corrected blocks, by chat completions, of whatever server has them. See `ModelCorrector`."""

    wanted_client = "AsyncOpenAI"

    def __init__(self, client: AsyncOpenAI, model: str, **settings: Unpack[Settings]) -> None:
        self._reasons: Final = _REASONING.match(model) is not None
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
