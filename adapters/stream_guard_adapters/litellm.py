"""A guardrail for LiteLLM's proxy: the replies of all its models, guarded on their way out.

    # config.yaml
    guardrails:
      - guardrail_name: stream-guard
        litellm_params:
          guardrail: stream_guard_adapters.litellm.StreamGuardrail
          mode: post_call
          default_on: true
          tools: my_tools:TOOLS

A guard with settings of its own, as a subclass (`guardrail: my_guard.MyGuard`) or an instance (`callbacks: my_guard.guarding`,
under `litellm_settings`):

    # my_guard.py
    class MyGuard(StreamGuardrail):
        guard = Guard(TOOLS)

    guarding = StreamGuardrail(guard=Guard(TOOLS))

Chat completions, responses and messages are guarded, streamed or not. The guard's events are members named `stream_guard`, as
in the middleware.

LiteLLM's own streams, where you call it as a library, are chat completions: see `stream_guard_adapters.openai.guard_chat`.

Rule: a chunk that does not change is the same object; a changed one is an instance of LiteLLM's own class.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from litellm.integrations.custom_guardrail import CustomGuardrail
from litellm.types.utils import ModelResponseStream

from stream_guard import Guard, StreamEnd, ToolBlock, ToolStatus
from stream_guard.spi import GuardedStream, toolset
from stream_guard.tools.files import FILE_TOOLS

from .engine.body import Body, Output
from .engine.replies import aguard_folding, taken_apart
from .engine.request_tools import RequestGuards, check_offers
from .engine.settings import Blocks, Native, RequestTools, Settings
from .protocols import CHAT, RESPONSES, Protocol

_KEPT: Final = "_hidden_params"
"""The attributes of a reply that the proxy uses for its headers and its records."""

_HOOK: Final = "async_post_call_streaming_iterator_hook"


class StreamGuardrail(CustomGuardrail):
    """Guards the replies of LiteLLM's proxy. Arguments that are not given are taken from the class attributes.

    Args:
        guard: The guard of the streams.
        tools: Instead of it, the tools: `"module:name"` or a JSON file, as the command line takes them.
        native: What happens to native calls: `"mend"`, `"withhold"`, `"observe"` or `"off"`.
        promote: Whether a call written as text is sent as a native call, if its tool is one that the request offers.
        blocks: How a client gets a block: as events (`"events"`), in the text at its place (`"text"`), or as both.
        emit: Whether the guard's events are sent. If not, blocks are in the text.
        request_tools: What the tools that a request offers to the model are used for: to guard its reply with them and the
            guard's own (`"add"`, the default where a guard or tools are given), with them alone where there are any
            (`"only"`, the default elsewhere), or not at all (`"off"`).
        default_on: Whether it runs for requests that do not ask for it.
        options: What LiteLLM gives to any guardrail.
    """

    guard: Guard = Guard(FILE_TOOLS)
    native: Native = "mend"
    promote: bool = False
    blocks: Blocks | None = None
    emit: bool = True
    request_tools: RequestTools | None = None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if _HOOK not in cls.__dict__:
            # LiteLLM calls the hook only where the class itself has it, and says nothing where it is inherited.
            setattr(cls, _HOOK, getattr(cls, _HOOK))

    def __init__(
        self,
        *,
        guard: Guard | None = None,
        tools: str | None = None,
        native: Native | None = None,
        promote: bool | None = None,
        blocks: Blocks | None = None,
        emit: bool | None = None,
        request_tools: RequestTools | None = None,
        default_on: bool | None = True,
        **options: Any,
    ) -> None:
        super().__init__(default_on=bool(default_on), **options)
        if guard is not None and tools is not None:
            raise ValueError("give the guardrail a guard or tools, not both")
        if guard is not None or tools is not None:
            self.guard = guard if guard is not None else Guard(toolset(tools))
        self.native = self.native if native is None else native
        self.promote = self.promote if promote is None else promote
        self.blocks = self.blocks if blocks is None else blocks
        self.emit = self.emit if emit is None else emit
        self.guard.preload()
        own = self.guard is not StreamGuardrail.guard
        self.request_tools = request_tools or self.request_tools or ("add" if own else "only")
        self._settings: Final = Settings(
            native=self.native,
            promote=self.promote,
            blocks=self.blocks,
            emit="auto" if self.emit else "none",
            request_tools=self.request_tools,
        )
        check_offers(self.promote, self.request_tools)
        self._request_guards: Final = RequestGuards(self.guard, self.request_tools, note=self._settings.note, offered_only=True)

    async def _guard_for(self, request: object) -> tuple[Guard, Settings]:
        """Return how to guard the reply to a request."""
        guard, promotable = await self._request_guards.of_request(request)
        return guard, self._settings.promoting(promotable)

    async def async_post_call_streaming_iterator_hook(
        self,
        user_api_key_dict: Any,  # noqa: ARG002  # the proxy names its arguments
        response: AsyncIterable[Any],
        request_data: dict[str, Any],
    ) -> AsyncGenerator[Any, None]:
        """Yield what the proxy sends of a stream."""
        guard, how = await self._guard_for(request_data)
        reader = _Reader(guard, how)
        settings, corrections = guard.judge.settings, guard.corrections
        async with GuardedStream[Any](settings, corrections, response, reader) as stream:
            async for item in stream:
                for chunk in reader.sent(item):
                    yield chunk

    async def async_post_call_success_hook(
        self,
        data: dict[str, Any],
        user_api_key_dict: Any,  # noqa: ARG002
        response: Any,
    ) -> Any:
        """Return what the proxy sends of a reply that is not streamed."""
        guard, how = await self._guard_for(data)
        folding = taken_apart(response, how)
        if folding is None:
            return response
        await aguard_folding(folding, guard)
        made = folding.with_events()
        if made is folding.given:
            return response
        if isinstance(response, dict):
            return made
        guarded = type(response)(**made)
        kept = getattr(response, _KEPT, None)
        if kept is not None:
            setattr(guarded, _KEPT, kept)
        return guarded


@dataclass(frozen=True, slots=True)
class _AsCame:
    """A chunk that passes unchanged."""

    chunk: Any


class _Reader:
    """Reads LiteLLM's chunks: it gives them to a body as the events that the proxy sends."""

    def __init__(self, guard: Guard, settings: Settings) -> None:
        self._guard: Final = guard
        self._settings: Final = settings
        self._body: Body | None = None
        self._like: ModelResponseStream | None = None  # the last chunk of a chat completion
        self._frame: tuple[Any, bytes | None] = (None, None)  # the chunk that was tried last, as it is sent

    @property
    def holding(self) -> bool:
        """Whether text is held back."""
        return self._body is not None and self._body.holding

    @property
    def over(self) -> bool:
        """Whether the guard has ended the stream."""
        return self._body is not None and self._body.over

    def as_delta(self, delta: object) -> object:
        """Return the chunk: chunks of any kind are allowed, and unknown ones pass."""
        return delta

    def try_pass(self, chunk: Any) -> bool:
        """Take a chunk that passes unchanged, and return True. Otherwise return False: then `feed` it."""
        frame = self._framed(chunk)
        return frame is not None and self._body is not None and self._body.try_pass(frame)

    def feed(self, chunk: Any) -> Iterator[Any]:
        """Take a chunk; yield what is to be sent."""
        frame = self._framed(chunk)
        if frame is None:
            yield _AsCame(chunk)
            return
        if self._body is None:
            self._body = Body(self._guard, "events", _protocol(chunk), self._settings)
        for output in self._body.push(frame):
            yield _AsCame(chunk) if output is frame or output == frame else output

    def end(self, cause: StreamEnd = "unknown") -> Iterator[Output]:
        """End the stream; yield what is still held."""
        return self._body.end(cause) if self._body is not None else iter(())

    def sent(self, item: Any) -> Iterator[Any]:
        """Yield what the proxy is to send for an item: chunks of its own kind, or bytes that it sends as they are."""
        body = self._body
        if isinstance(item, _AsCame):
            yield item.chunk
            return
        if body is None or not isinstance(item, bytes | dict | ToolStatus | ToolBlock):
            yield item  # a chunk that passed at once
            return
        raw = item if isinstance(item, bytes) else body.event_bytes(item) if not isinstance(item, dict) else body.encoded(item)
        if self._like is None:
            if raw:
                yield raw
            return
        for frame in raw.split(b"\n\n"):
            if frame.startswith(b"data: {"):
                yield _chunk(json.loads(frame[6:]), self._like)

    def _framed(self, chunk: Any) -> bytes | None:
        """Return a chunk as the bytes that the proxy sends for it; None for an object that is no chunk of a known protocol."""
        if chunk is not self._frame[0]:
            self._frame = (chunk, self._written(chunk))
        return self._frame[1]

    def _written(self, chunk: Any) -> bytes | None:
        if isinstance(chunk, bytes | str):
            return chunk.encode() if isinstance(chunk, str) else chunk
        if isinstance(chunk, ModelResponseStream):
            self._like = chunk
        elif _protocol(chunk) is None:
            return None
        text: str = chunk.model_dump_json(exclude_none=True, exclude_unset=True)
        return f"data: {text}\n\n".encode()


def _protocol(chunk: Any) -> Protocol | None:
    """Return the protocol of an object; None for bytes and for anything that is no event."""
    if isinstance(chunk, ModelResponseStream):
        return CHAT
    kind = getattr(chunk, "type", None)
    return RESPONSES if isinstance(kind, str) and kind.startswith("response.") and hasattr(chunk, "model_dump_json") else None


def _chunk(data: dict[str, Any], like: ModelResponseStream) -> ModelResponseStream:
    """Return a chunk of these members, with those of the stream that the proxy reads."""
    known = {key: getattr(like, key) for key in ("id", "created", "model") if key not in data and getattr(like, key, None)}
    # With the member `provider_specific_fields`, be it empty, the proxy writes every member of the chunk; else those it knows.
    written: dict[str, Any] = {"provider_specific_fields": {}} if "stream_guard" in data else {}
    return ModelResponseStream(**{**known, **data, **written})
