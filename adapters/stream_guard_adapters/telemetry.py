"""OpenTelemetry metrics of blocks, and events on the current span. They have no content: no text, path or argument.

    telemetry = Telemetry(tools)
    guard = Guard(tools, on_status=telemetry.on_status, on_block=telemetry.on_block)
    app.add_middleware(StreamGuardMiddleware, guard=guard, on_uninspected=telemetry.on_uninspected)

Provider clients and frameworks make the span of a request; this module makes none.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from stream_guard import ToolBlock, Toolset, ToolStatus

from .engine.tool_names import tool_name
from .engine.uninspected import Uninspected

if TYPE_CHECKING:
    from opentelemetry.metrics import MeterProvider

_NAME: Final = "stream_guard"
_OPEN: Final = 10_000
"""Limit: blocks whose start is remembered. The oldest are forgotten if their end is never announced."""


class Telemetry:
    """Hooks of a guard and of the middleware that record metrics.

    Args:
        tools: The tools whose names may be recorded.
        provider: The model's provider (`gen_ai.provider.name`); left out if None.
        meter_provider: Takes the metrics; the global one if None.
        clock: Returns seconds, for durations.
    """

    def __init__(
        self,
        tools: Toolset,
        *,
        provider: str | None = None,
        meter_provider: MeterProvider | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        try:
            from opentelemetry import metrics, trace  # deferred: only who measures needs it
        except ImportError:
            raise ImportError('telemetry needs OpenTelemetry\'s API: pip install "stream-guard-llm[otel]"') from None
        self._tools: Final = tools
        self._shared: Final[dict[str, Any]] = {"gen_ai.provider.name": provider} if provider is not None else {}
        self._clock: Final = clock
        self._current_span: Final = trace.get_current_span
        self._open: Final[OrderedDict[str, list[float]]] = OrderedDict()  # when a block began, and when it was whole
        meter = metrics.get_meter(_NAME, meter_provider=meter_provider)
        self._blocks: Final = meter.create_counter("stream_guard.blocks", "{block}", "Blocks, by tool and outcome")
        self._duration: Final = meter.create_histogram(
            "stream_guard.block.duration", "s", "From a block's first character to its event"
        )
        self._added: Final = meter.create_histogram(
            "stream_guard.added_latency", "s", "From a block's last character to its event"
        )
        self._size: Final = meter.create_histogram("stream_guard.buffer.size", "{character}", "What was held of a block")
        self._corrections: Final = meter.create_counter(
            "stream_guard.corrections", "{attempt}", "What a model was asked, by outcome"
        )
        self._uninspected: Final = meter.create_counter(
            "stream_guard.uninspected", "{item}", "What passed without being looked into, by reason"
        )

    def on_status(self, status: ToolStatus) -> None:
        """Take a status."""
        now = self._clock()
        if status.status == "buffering":
            self._open.setdefault(status.id, [now])
            if len(self._open) > _OPEN:
                self._open.popitem(last=False)
        elif status.status == "validating":
            self._open.setdefault(status.id, [now]).append(now)
        elif status.status == "released":
            self._closed(status.id, "released", {"stream_guard.reason": status.reason})

    def on_block(self, block: ToolBlock) -> None:
        """Count a block, record its times and size, and add an event to the current span."""
        named = {"gen_ai.tool.name": tool_name(block, self._tools), "stream_guard.dialect": block.dialect}
        details = {
            **named,
            "stream_guard.block.id": block.id,
            "stream_guard.end_cause": block.end_cause,
            "stream_guard.issues": [issue.code for issue in block.found],
            "stream_guard.fixes": [fix.type for fix in block.fixes],
            "stream_guard.attempts": len(block.attempts),
        }
        if block.part == 1:
            self._size.record(len(block.raw), {**self._shared, **named})
            for attempt in block.attempts:
                self._corrections.add(1, {**self._shared, **named, "stream_guard.outcome": attempt.outcome})
        self._closed(block.id, block.outcome, details, named)

    def on_uninspected(self, why: Uninspected) -> None:
        """Count what was not inspected, by reason."""
        self._uninspected.add(1, {**self._shared, "stream_guard.reason": why})

    def _closed(self, block: str, outcome: str, details: dict[str, Any], named: dict[str, Any] | None = None) -> None:
        attributes = {**self._shared, **(named or {}), "stream_guard.outcome": outcome}
        self._blocks.add(1, attributes)
        times = self._open.pop(block, None)
        if times is not None:
            now = self._clock()
            self._duration.record(now - times[0], attributes)
            if len(times) > 1:
                self._added.record(now - times[-1], attributes)
        span = self._current_span()
        if span.is_recording():
            span.add_event("stream_guard.block", {**self._shared, **details, "stream_guard.outcome": outcome})
