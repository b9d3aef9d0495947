"""Ask a person before anything is deleted. What was approved is what runs.

pip install stream-guard-llm
python -m examples.approval
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from stream_guard import BlockOutput, Guard, Risk, Tool, ToolBlock, Toolset, run

PATH = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"], "additionalProperties": False}
TOOLS = Toolset(
    Tool("read_file", "Read a file", PATH, handler=lambda call: f"the text of {call['path']}", risk=Risk.READ),
    Tool("delete_file", "Delete a file", PATH, handler=lambda call: f"{call['path']} is gone", risk=Risk.DESTRUCTIVE),
)


async def model() -> AsyncIterator[str]:
    """What a model would stream."""
    yield 'I look first.\n\n```json\n{"tool": "read_file", "path": "notes.txt"}\n```\n\n'
    yield 'Then I delete it.\n\n```json\n{"tool": "delete_file", "path": "notes.txt"}\n```\n'


async def approve(block: ToolBlock, tool: Tool) -> bool | str:
    """Ask on the terminal; the text of a refusal is for the model."""
    if tool.risk < Risk.DESTRUCTIVE:
        return True
    answer = await asyncio.to_thread(input, f"{tool.name} {block.path}? [y/N] ")
    return True if answer.strip().lower() == "y" else "The user said no."


async def main() -> None:
    """Run the calls of the reply, with a question before each that destroys."""
    async with run(Guard(TOOLS).stream(model()), TOOLS, approve) as turn:
        async for item in turn:
            if isinstance(item, BlockOutput):
                print(f"{item.block.tool}: {item.for_model().splitlines()[0]}")


if __name__ == "__main__":
    asyncio.run(main())
