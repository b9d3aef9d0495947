"""An agent with OpenAI's client, or any server with chat completions: native calls, and calls in the text, are guarded and run.

pip install "stream-guard-llm[openai,pydantic]"
export OPENAI_API_KEY=...            # OPENAI_BASE_URL=http://localhost:11434/v1 for a local model
MODEL=gpt-4.1-mini python -m examples.agent_chat "How is the weather in Rio?"
"""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

from openai import AsyncOpenAI
from openai.types.chat import ChatCompletionChunk
from stream_guard_adapters.openai import guard_chat

from stream_guard import BlockOutput, Guard, Risk, Tool, Toolset, run


def weather(city: str) -> str:
    """The weather in a city."""
    return f"sunny in {city}"


TOOLS = Toolset(Tool.of(weather, risk=Risk.READ))
GUARD = Guard(TOOLS)


async def main(question: str) -> None:
    """Ask, run what is called, and ask again until the model calls nothing."""
    client = AsyncOpenAI()
    conversation: list[Any] = [{"role": "user", "content": question}]
    for _ in range(8):
        reply = await client.chat.completions.create(
            model=os.environ.get("MODEL", "gpt-4.1-mini"), messages=conversation, tools=TOOLS.to_openai(), stream=True
        )
        async with run(guard_chat(reply, GUARD), TOOLS) as turn:
            async for item in turn:
                match item:
                    case BlockOutput():
                        print(f"[{item.block.tool}: {item.for_model().splitlines()[0]}]")
                    case ChatCompletionChunk(choices=[choice, *_]):
                        print(choice.delta.content or "", end="")
        print()
        if not turn.outputs:
            return
        conversation += turn.messages("chat")


if __name__ == "__main__":
    asyncio.run(main(" ".join(sys.argv[1:]) or "How is the weather in Rio?"))
