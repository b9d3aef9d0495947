"""Counts by outcome, in the form that Prometheus reads. No label holds what a model or a person wrote."""

from __future__ import annotations

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, generate_latest

from stream_guard import ToolBlock, ToolStatus


class Metrics:
    """The counts of one server."""

    def __init__(self) -> None:
        self._all = CollectorRegistry()
        self._blocks = Counter("stream_guard_blocks", "Blocks by tool and outcome", ["tool", "outcome"], registry=self._all)
        self._turns = Counter("stream_guard_turns", "Streams by how they ended", ["ending"], registry=self._all)
        self._executions = Counter("stream_guard_executions", "Calls that were run", ["state"], registry=self._all)
        self._requests = Counter("stream_guard_requests", "Requests by status", ["route", "status"], registry=self._all)
        self.running: Final = Gauge("stream_guard_streams", "Streams that run", registry=self._all)

    def block(self, event: ToolBlock) -> None:
        """Count a block."""
        known = event.validation_passed and event.tool is not None  # else its name may be anything
        self._blocks.labels(event.tool if known else "unknown", event.outcome).inc()

    def status(self, event: ToolStatus) -> None:
        """Count a status."""
        if event.status == "released":
            self._blocks.labels("none", "released").inc()

    def turn(self, ending: str) -> None:
        """Count a stream that ended."""
        self._turns.labels(ending).inc()

    def execution(self, state: str) -> None:
        """Count a call that was run."""
        self._executions.labels(state).inc()

    def request(self, route: str, status: int) -> None:
        """Count a request."""
        self._requests.labels(route, str(status)).inc()

    def text(self) -> bytes:
        """Return all counts in Prometheus' text format."""
        return generate_latest(self._all)
