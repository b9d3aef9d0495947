"""A test of an app's chat code with a recorded stream: no provider, no key, and every chunking of the text.

pip install stream-guard-llm pytest
pytest examples/test_replay.py
"""

from __future__ import annotations

from pathlib import Path

import pytest
from stream_guard_adapters.cassettes import Chunking, replay

from stream_guard import Guard, ToolBlock
from stream_guard.tools.files import FILE_TOOLS

CASSETTE = Path(__file__).parent / "cassettes" / "hello.jsonl"
GUARD = Guard(FILE_TOOLS)


@pytest.mark.parametrize("chunking", ["recorded", "chars", "words", 1, 2, 3])
def test_the_call_is_the_same_however_the_text_is_cut(chunking: Chunking) -> None:
    """A fence, a key or an escape may be split between two deltas: the blocks do not depend on it."""
    blocks = [item for item in GUARD.scan(replay(CASSETTE, form="text", chunking=chunking)) if isinstance(item, ToolBlock)]
    assert [(block.tool, block.path, block.outcome) for block in blocks] == [("write_file", "hello.py", "fixed")]
    assert blocks[0].call is not None
    assert blocks[0].call.arguments["content"] == 'print("hello")\n'
