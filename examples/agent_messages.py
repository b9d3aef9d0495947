"""The same agent with Anthropic's client.

pip install "stream-guard-llm[anthropic,pydantic]"
export ANTHROPIC_API_KEY=...
MODEL=claude-sonnet-4-5 python -m examples.agent_messages "How is the weather in Rio?"
"""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

from anthropic import AsyncAnthropic
from anthropic.types import RawContentBlockDeltaEvent, TextDelta
from stream_guard_adapters.anthropic import guard_messages

from stream_guard import BlockOutput, Guard, Risk, Tool, Toolset, run


def weather(city: str) -> str:
    """The weather in a city."""
    return f"sunny in {city}"


TOOLS = Toolset(Tool.of(weather, risk=Risk.READ))
GUARD = Guard(TOOLS)


async def main(question: str) -> None:
    """Ask, run what is called, and ask again until the model calls nothing."""
    client = AsyncAnthropic()
    conversation: list[Any] = [{"role": "user", "content": question}]
    for _ in range(8):
        reply = await client.messages.create(
            model=os.environ.get("MODEL", "claude-sonnet-4-5"),
            max_tokens=2000,
            messages=conversation,
            tools=TOOLS.to_anthropic(),
            stream=True,
        )
        async with run(guard_messages(reply, GUARD), TOOLS) as turn:
            async for item in turn:
                match item:
                    case BlockOutput():
                        print(f"[{item.block.tool}: {item.for_model().splitlines()[0]}]")
                    case RawContentBlockDeltaEvent(delta=TextDelta(text=text)):
                        print(text, end="")
        print()
        if not turn.outputs:
            return
        conversation += turn.messages("messages")


if __name__ == "__main__":
    asyncio.run(main(" ".join(sys.argv[1:]) or "How is the weather in Rio?"))
