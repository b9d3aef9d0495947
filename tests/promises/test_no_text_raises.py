"""Nothing that a model writes raises out of a public method: bad output is a value, and only a caller's mistake raises."""

from __future__ import annotations

import json
import os
import random
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any

import pytest
from pydantic import AfterValidator, BaseModel, Field

from stream_guard import Guard, NotExecutableError, Tool, ToolBlock, Toolset, build_hint, run, validate_json_tool_block, wire
from stream_guard.dialects import History
from stream_guard.dialects.history import FORMS
from stream_guard.dialects.tables import DIALECTS
from stream_guard.stream.turn import Turn
from tests.kit.fuzzing import PIECES

SEED = int(os.environ.get("SEED", "1"))
WRITTEN = int(os.environ.get("WRITTEN", "80"))


def even(value: int) -> int:
    if value % 2:
        raise ValueError("it must be even")
    return value


class Order(BaseModel):
    """Place an order."""

    customer: str = Field(pattern=r"^C\d{2}$")
    count: Annotated[int, AfterValidator(even)] = 2
    notes: dict[str, str] = {}


def note(text: str, tags: list[str] | None = None) -> str:
    """Keep a text."""
    return text.upper()


TOOLS = Toolset(Tool.of(Order, handler=lambda order: f"{order}"), Tool.of(note))
CALLS = (
    '{"tool": "Order", "customer": "C42", "count": 4}', '{"tool": "Order", "customer": "C42", "count": 3}',
    '{"tool": "note", "text": "', '{"tool": "note", "text": "<tool_call>\\n</tool_call>"}',
    '{"tool": "note", "text": "\\u0000"}',
    '{"tool": "note", "tags": [', '{"name": "note", "arguments": "{}"}', "[" * 300, '{"tool": "note", "text": 1e999}',
    "\ud83d", "\\ud83d", "\x00", "\ufeff", "9" * 5_000, '{"tool": 3}', '{"tool": ["note"]}', "<think>", "</think>",
)  # fmt: skip
"""What stands beside the pieces of the fuzzer: calls of these tools, and characters that cannot be written everywhere."""

EXAMPLE_TEXTS = tuple(dialect.example for dialect in DIALECTS.values())


def a_text(dice: random.Random) -> str:
    """A text as a model might write it: calls, parts of them, and examples of dialects, cut and changed."""
    made = "".join(dice.choice(dice.choice((CALLS, PIECES, EXAMPLE_TEXTS))) for _ in range(dice.randint(1, 6)))
    if dice.random() < 0.3:
        made = f"```json\n{made}\n```\n"
    if dice.random() < 0.3:
        at = dice.randrange(len(made) + 1)
        made = made[:at] + dice.choice((*CALLS, *PIECES)) + made[at + dice.randint(0, 9) :]
    return made


TEXTS = [a_text(dice) for dice in [random.Random(SEED)] for _ in range(WRITTEN)]


async def streamed(text: str) -> AsyncIterator[str]:
    yield text


GUARDS = {
    "a fence": Guard(TOOLS),
    "all dialects": Guard(TOOLS, dialects="all", untagged="validate", early="abort", preview=True, fixes="spec"),
    "nothing fixed": Guard(TOOLS, dialects="all", fixes="off", mode="shadow", reasoning="scan", languages=("json", "")),
}


def sayable(block: ToolBlock) -> None:
    """Ask a block for all that it has."""
    assert ToolBlock.from_dict(block.to_dict()) == block
    assert wire.from_json(wire.BLOCK, wire.to_json(block)) == block
    assert repr(block)
    for hint in filter(None, (block.hint, build_hint(block.issues, block.tool, arguments=block.arguments))):
        assert hint.for_model()
        assert hint.for_person()
        assert hint.to_openai("1")
        assert hint.to_anthropic("1")
        assert hint.to_mcp()
        assert type(hint).from_dict(json.loads(hint.to_json())) == hint
    if block.call is None:
        with pytest.raises(NotExecutableError):
            block.value(Order)
    elif block.tool == "Order":
        assert isinstance(block.value(Order), Order)  # what its tool let through, a model takes


@pytest.mark.more
@pytest.mark.parametrize("name", GUARDS)
async def test_no_text_raises_out_of_a_guard(name: str) -> None:
    guard = GUARDS[name]
    for text in TEXTS:
        block = guard.check(text)
        sayable(block)
        assert await guard.acheck(text) == block
        for item in guard.scan([text]):
            if not isinstance(item, str):
                assert wire.from_dict(wire.name(item), wire.to_dict(item)) == item
            if isinstance(item, ToolBlock):
                sayable(item)


@pytest.mark.more
async def test_no_text_raises_out_of_a_turn_or_its_messages() -> None:
    for text in TEXTS[: WRITTEN // 3]:
        turn: Turn[Any] = run(GUARDS["all dialects"].stream(streamed(text)), TOOLS)
        outputs = [item async for item in turn]
        assert outputs
        for api in APIS:
            json.dumps(turn.messages(api))
        for output in turn.outputs:
            assert output.for_model()
            assert output.to_openai()
            assert output.to_anthropic()


APIS: tuple[Any, ...] = ("chat", "responses", "messages", "text", *map(History, FORMS))


def arguments_of(text: str) -> list[object]:
    """A text as the arguments of a call, in the ways in which a provider may give it."""
    made: list[object] = [text, {"text": text}, {text: text}, [text], {"text": [text]}, {"customer": text, "count": text}]
    return made


@pytest.mark.more
async def test_no_text_raises_out_of_a_direct_call() -> None:
    for text in TEXTS[: WRITTEN // 3]:
        for given in arguments_of(text):
            for name in ("note", text):
                output = await TOOLS.call(name, given)
                assert output.for_model()
                assert json.dumps([output.to_openai("1"), output.to_anthropic("1"), output.to_mcp()])


SAID: dict[str, Callable[[str], object]] = {
    "the function of the specification": validate_json_tool_block,
    "a hint of a text": lambda text: build_hint(text, "note"),
    "a hint of a name": lambda text: build_hint("it failed", text),
    "results of a history": lambda text: [History(name).results([("note", text)]) for name in FORMS],
}


@pytest.mark.more
@pytest.mark.parametrize("name", SAID)
def test_no_text_raises_out_of_what_only_speaks_of_it(name: str) -> None:
    for text in TEXTS:
        assert SAID[name](text)
