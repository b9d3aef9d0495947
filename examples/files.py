"""Write the files that a model asks for, into one folder. No provider: the reply stands in this file.

pip install stream-guard-llm
python -m examples.files workspace
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from stream_guard import BlockOutput, Guard, Tool, ToolError, Toolset, run
from stream_guard.tools.files import DELETE_FILE, EDIT_FILE, WRITE_FILE

REPLY = """I'll add the page and drop the old one.

```json
{"tool": "write_file", "path": "site/index.html", "content": "<h1>Hello</h1>
<p>A raw line break, and a comma too many.</p>
",}
```

```json
{"tool": "delete_file", "path": "../../etc/passwd"}
```

Done.
"""


class Workspace:
    """Files in one folder, and nowhere else."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()

    def _path(self, call: dict[str, Any]) -> Path:
        path: Path = (
            self.root / call["path"]
        ).resolve()  # the guard checks the path's text; links are for the handler to follow
        if not path.is_relative_to(self.root):
            raise ToolError("That path is outside of the workspace.", effect=False)
        return path

    def write(self, call: dict[str, Any]) -> str:
        """Write a file."""
        path = self._path(call)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(call["content"], encoding="utf-8", newline="")
        return f"{call['path']}: {len(call['content'])} characters"

    def edit(self, call: dict[str, Any]) -> str:
        """Replace a text that stands in the file once."""
        path, change = self._path(call), call["search_replace"]
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            raise ToolError(f"{call['path']} cannot be read.", effect=False) from error
        if text.count(change["old_string"]) != 1:
            raise ToolError("old_string must stand in the file exactly once.", effect=False)
        path.write_text(text.replace(change["old_string"], change["new_string"]), encoding="utf-8", newline="")
        return f"{call['path']}: changed"

    def delete(self, call: dict[str, Any]) -> str:
        """Delete a file."""
        path = self._path(call)
        if not path.is_file():
            raise ToolError(f"There is no file {call['path']}.", effect=False)
        path.unlink()
        return f"{call['path']}: deleted"


async def deltas(text: str) -> AsyncIterator[str]:
    """The reply as a provider streams it, a few characters at a time."""
    for at in range(0, len(text), 4):
        yield text[at : at + 4]


async def main(folder: str) -> None:
    """Run the calls of the reply."""
    workspace = Workspace(Path(folder))
    tools = Toolset(
        Tool.of(WRITE_FILE, handler=workspace.write),
        Tool.of(EDIT_FILE, handler=workspace.edit),
        Tool.of(DELETE_FILE, handler=workspace.delete),
    )
    async with run(Guard(tools).stream(deltas(REPLY)), tools) as turn:
        async for item in turn:
            match item:
                case str():
                    print(item, end="")
                case BlockOutput():
                    print(f"[{item.block.outcome}] {item.for_model().splitlines()[0]}")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "workspace"))
