"""What is measured, by the real SDK of OpenTelemetry; and that no content is in it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from stream_guard_adapters.events import guard_events
from stream_guard_adapters.telemetry import Telemetry
from stream_guard_conformance.corpus.native import chat

from stream_guard import Guard
from stream_guard.testing import FakeCorrector, FakeStream, collect
from stream_guard.tools.files import FILE_TOOLS

SECRET = "hunter2"
VALID = f'```json\n{{"tool": "write_file", "path": "{SECRET}", "content": "{SECRET}"}}\n```\n'
FIXED = VALID.replace("write_file", "create_file")
FAILED = f'```json\n{{"tool": "write_file", "path": "/{SECRET}", "content": "x"}}\n```\n'
STRANGE = f'```json\n{{"tool": "{SECRET}", "path": "a"}}\n```\n'
RELEASED = f'```json\n{{"name": "{SECRET}"}}\n```\n'


class Measured:
    """A guard whose telemetry can be read."""

    def __init__(self, **settings: Any) -> None:
        self.reader = InMemoryMetricReader()
        self.now = 0.0
        provider = MeterProvider(metric_readers=[self.reader])
        self.telemetry = Telemetry(FILE_TOOLS, provider="p", meter_provider=provider, clock=self._clock)
        hooks = {"on_status": self.telemetry.on_status, "on_block": self.telemetry.on_block}
        self.guard = Guard(FILE_TOOLS, **hooks, **settings)  # type: ignore[arg-type]

    def _clock(self) -> float:
        self.now += 1
        return self.now

    def read(self) -> dict[str, list[tuple[dict[str, Any], Any]]]:
        """Each metric's points: their attributes and their values."""
        data = self.reader.get_metrics_data()
        assert data is not None
        return {
            metric.name: [
                (dict(point.attributes or {}), getattr(point, "value", None) or getattr(point, "sum", None))
                for point in metric.data.data_points
            ]
            for resource in data.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }


async def test_every_outcome_is_counted_and_timed() -> None:
    """By tool, where it is one that is known; what a model makes up is counted as one."""
    made = Measured(corrector=FakeCorrector("no"), untagged="release")
    text = VALID + FIXED + FAILED + STRANGE + RELEASED
    await collect(made.guard.stream(FakeStream([text])))
    read = made.read()
    outcomes = {(at.get("gen_ai.tool.name"), at["stream_guard.outcome"]): value for at, value in read["stream_guard.blocks"]}
    assert outcomes == {
        ("write_file", "valid"): 1,
        ("write_file", "fixed"): 1,
        ("write_file", "failed"): 1,
        ("_other", "failed"): 1,
        (None, "released"): 1,
    }
    assert {at["gen_ai.provider.name"] for at, _ in read["stream_guard.blocks"]} == {"p"}
    assert sum(value for _, value in read["stream_guard.corrections"]) >= 1
    assert sum(value for _, value in read["stream_guard.buffer.size"]) == len(
        (VALID + FIXED + FAILED + STRANGE).replace("```\n", "```")
    )
    durations = {at["stream_guard.outcome"]: value for at, value in read["stream_guard.block.duration"]}
    assert all(value > 0 for value in durations.values())
    added = {at["stream_guard.outcome"] for at, _ in read["stream_guard.added_latency"]}
    assert added == {"valid", "fixed", "failed"}
    assert SECRET not in str(read)


async def test_the_current_span_hears_of_blocks_and_no_span_is_made() -> None:
    made = Measured()
    tracer = TracerProvider().get_tracer("app")
    with tracer.start_as_current_span("request") as span:
        await collect(made.guard.stream(FakeStream([VALID + FIXED])))
        await collect(guard_events(FakeStream(chat([("write_file", "{}")])), made.guard, "openai-chat"))
    events: Any = span.events  # type: ignore[attr-defined]
    assert [event.name for event in events] == ["stream_guard.block"] * 3
    assert [event.attributes["stream_guard.outcome"] for event in events] == ["valid", "fixed", "failed"]
    assert events[1].attributes["stream_guard.fixes"]
    assert events[2].attributes["stream_guard.issues"]
    assert SECRET not in str([dict(event.attributes) for event in events])


async def test_what_is_observed_is_counted_too() -> None:
    made = Measured()
    await collect(guard_events(FakeStream(chat([("write_file", "{}")])), made.guard, "openai-chat", native="observe"))
    made.telemetry.on_uninspected("compressed")
    read = made.read()
    assert [at["stream_guard.outcome"] for at, _ in read["stream_guard.blocks"]] == ["failed"]
    assert read["stream_guard.uninspected"] == [({"gen_ai.provider.name": "p", "stream_guard.reason": "compressed"}, 1)]


async def test_the_dialect_of_a_block_is_counted() -> None:
    """A native call has none: it counts as `native`."""
    measured = Measured(dialects="all")
    await collect(guard_events(FakeStream(chat([("write_file", "{}")])), measured.guard, "openai-chat"))
    list(measured.guard.scan([f'<tool_call>{{"name": "delete_file", "arguments": {{"path": "a"}}}}</tool_call>\n{VALID}']))
    points = measured.read()["stream_guard.blocks"]
    assert {at["stream_guard.dialect"]: value for at, value in points} == {"hermes": 1, "fence": 1, "native": 1}


def test_blocks_that_nobody_ends_are_forgotten() -> None:
    """Streams that their readers leave in the middle of a block."""
    made = Measured()
    for _ in range(10_050):
        list(zip(range(2), made.guard.scan(["```json\n", '{"tool": "wr']), strict=False))
    assert len(made.telemetry._open) <= 10_000


def test_a_hook_that_fails_breaks_no_stream(caplog: pytest.LogCaptureFixture) -> None:
    def fails(_: object) -> None:
        raise RuntimeError(SECRET)

    items = list(Guard(FILE_TOOLS, on_status=fails, on_block=fails).scan([VALID], stream_id="s"))
    assert items == list(Guard(FILE_TOOLS).scan([VALID], stream_id="s"))
    assert "a hook failed: RuntimeError" in caplog.text
    assert SECRET not in caplog.text


def test_a_missing_package_is_said() -> None:
    code = (
        "import sys; sys.modules['opentelemetry'] = None\n"
        "from stream_guard_adapters.telemetry import Telemetry\n"
        "from stream_guard.tools.files import FILE_TOOLS\n"
        "Telemetry(FILE_TOOLS)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert 'pip install "stream-guard-llm[otel]"' in done.stderr
