"""A small model corrects the block that no fix can repair; the guard checks that the answer adds nothing and drops nothing.

pip install "stream-guard-llm[openai]"
export OPENAI_API_KEY=...
MODEL=gpt-4.1-nano python -m examples.corrector
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator

from openai import AsyncOpenAI
from stream_guard_adapters.openai import OpenAICorrector

from stream_guard import CorrectionPolicy, Guard, Tool, ToolBlock, Toolset, ToolStatus

BOOK = Tool(
    "book_table",
    "Book a table in a restaurant",
    {
        "type": "object",
        "properties": {"name": {"type": "string"}, "guests": {"type": "integer", "minimum": 1}},
        "required": ["name", "guests"],
        "additionalProperties": False,
    },
)


async def model() -> AsyncIterator[str]:
    """A block whose quotes can be read in two ways."""
    yield '```json\n{"tool": "book_table", "name": "Ann "the "boss"", "guests": "4"}\n```\n'


async def main() -> None:
    """Print what becomes of the block."""
    corrector = OpenAICorrector(AsyncOpenAI(), os.environ.get("MODEL", "gpt-4.1-nano"))
    guard = Guard(Toolset(BOOK), corrector=corrector, correction=CorrectionPolicy(max_attempts=2, timeout=10))
    async with guard.stream(model()) as stream:
        async for item in stream:
            match item:
                case ToolStatus(status="correcting"):
                    print(f"correcting, attempt {item.attempt} of {item.max_attempts}")
                case ToolBlock():
                    print(item.outcome, item.executable, item.arguments)
                    for attempt in item.attempts:
                        print(f"attempt {attempt.number}: {attempt.outcome} {attempt.reason or ''}".rstrip())


if __name__ == "__main__":
    asyncio.run(main())
