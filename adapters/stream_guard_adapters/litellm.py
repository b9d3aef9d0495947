"""A guardrail for LiteLLM's proxy: the streams of all its models, guarded on their way out.

    # my_guard.py
    class MyGuard(StreamGuardrail):
        guard = Guard(TOOLS)

    # config.yaml
    guardrails:
      - guardrail_name: stream-guard
        litellm_params: {guardrail: my_guard.MyGuard, mode: post_call, default_on: true}

LiteLLM's own streams, where you call it as a library, are chat completions: see `stream_guard_adapters.openai.guard_chat`.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any, ClassVar

from litellm.integrations.custom_guardrail import CustomGuardrail
from litellm.types.utils import Delta, ModelResponseStream, StreamingChoices

from stream_guard import Guard, ToolBlock, ToolEvent, ToolStatus
from stream_guard.tools.files import FILE_TOOLS

from .engine.guarded_events import GuardedEvents, Peeked
from .engine.settings import Native, Settings
from .protocols import CHAT, TEXT
from .protocols.base import told


class StreamGuardrail(CustomGuardrail):
    """Guards what LiteLLM's proxy streams. Subclass it to say how."""

    guard: ClassVar[Guard] = Guard(FILE_TOOLS)
    """The guard of the streams."""

    native: ClassVar[Native] = "guard"
    """What happens to native calls: `"guard"`, `"observe"` or `"off"`."""

    promote: ClassVar[bool] = False
    """Whether a call written as text is sent as a native call too."""

    emit: ClassVar[bool] = True
    """Whether our events are sent: in chunks with an empty delta, as the member `stream_guard`."""

    async def async_post_call_streaming_iterator_hook(
        self,
        user_api_key_dict: Any,  # noqa: ARG002  # the proxy names its arguments
        response: Any,
        request_data: dict[str, Any],  # noqa: ARG002
    ) -> AsyncGenerator[Any, None]:
        """Yield what the proxy sends of a stream."""
        source = Peeked(response)
        try:
            table = await source.protocol(or_else=TEXT)  # a stream of an unknown protocol passes as it is
            settings = Settings(native=self.native, promote=self.promote and table.promotes)
            last: Any = None
            async with GuardedEvents(source, self.guard, table, settings) as stream:
                async for item in stream:
                    if not isinstance(item, ToolStatus | ToolBlock):
                        last = item
                        yield item
                    elif self.emit and table is CHAT:
                        yield _ours(item, last)
        finally:
            await source.aclose()


def _ours(event: ToolEvent, like: Any) -> ModelResponseStream:
    known = {key: getattr(like, key) for key in ("id", "created", "model") if getattr(like, key, None)}
    nothing = [StreamingChoices(index=0, delta=Delta())]
    return ModelResponseStream(**known, choices=nothing, stream_guard=told(event))
