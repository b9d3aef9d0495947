"""Makes messages of a turn of a model: its text, its calls, and their results.

Three APIs have messages of their own for calls. A fourth form is text alone, for models that were taught to write their calls
into their text; every API takes it.

Rule 1: a native call of the model is native in its messages too, whatever became of it, and so is a call in its text whose
tool is one of those that were offered. Any other call stays text, as it was written, and so does a call whose name no API
accepts.
Rule 2: every native call has its result directly after the message that has the call: APIs refuse anything else.
Rule 3: reasoning goes back to its own API as it came, before the text or the calls that followed it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from ..values.block import call_body, fenced
from ..values.call_keys import without_tool
from ..values.events import NATIVE, ToolBlock
from ..values.given import shown
from ..values.quoting import named
from ..values.wording import WITH_ARGUMENTS
from .calling import BlockOutput

if TYPE_CHECKING:
    from ..dialects.history import History

Api = Literal["chat", "responses", "messages", "text"]
"""OpenAI's chat completions, OpenAI's responses, Anthropic's messages; or messages of text alone, which all of them take."""


@dataclass(frozen=True, slots=True)
class Thought:
    """The model's reasoning before it wrote or called, in the form in which its API wants it back."""

    api: Api
    """The API that takes it. For any other API it is left out."""

    block: dict[str, Any]
    """The reasoning, unchanged."""


def messages(turn: Iterable[str | Thought | BlockOutput], offered: Container[str], api: Api | History) -> list[dict[str, Any]]:
    """Return the messages of one turn, to append to the conversation.

    Args:
        turn: What the model wrote, in order: text, reasoning, and the outputs of blocks where the blocks stood.
        offered: The names of the tools.
        api: The format of the messages; or the history of a dialect, in which calls and results are written as text.
    """
    if isinstance(api, str):
        return _in_api(turn, offered, api)
    if not hasattr(api, "dialect"):
        raise TypeError(f"api must be {', '.join(map(repr, _FORMS))}, or a History; not {shown(api)}")
    return _in_dialect(turn, api)


def _in_dialect(turn: Iterable[str | Thought | BlockOutput], history: History) -> list[dict[str, Any]]:
    """Return a message of text with the calls, and one with their results."""
    texts: list[str] = []
    results: list[tuple[str, str]] = []
    for part in turn:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, BlockOutput):
            texts.append(_written(part, history, texts))
            results.append((part.block.tool or "", part.for_model() if part.ok else _result(part)))
    reply = [{"role": "assistant", "content": "".join(texts)}] if any(texts) else []
    return [*reply, *([{"role": history.role, "content": history.results(results)}] if results else [])]


def _written(output: BlockOutput, history: History, before: Sequence[str]) -> str:
    """Return a call in a dialect, with the arguments it ran with; as written if it did not run, or cannot be written so."""
    block = output.block
    as_it_was = _as_text(block, [before]) if block.dialect == NATIVE else block.raw
    if (
        not block.executable
        or block.tool is None
        or block.parts > 1
        or (block.dialect == history.dialect and not block.corrected)
    ):
        return as_it_was
    try:
        return history.calls([(block.tool, _arguments(output))])
    except ValueError:  # the dialect has no way to write a value
        return as_it_was


@dataclass(slots=True)
class _Stretch:
    """What a model wrote after its reasoning, until it reasoned again."""

    thoughts: list[dict[str, Any]] = field(default_factory=list)
    texts: list[list[str]] = field(default_factory=lambda: [[]])
    """A new part begins where a block is taken out."""

    calls: list[BlockOutput] = field(default_factory=list)

    @property
    def text(self) -> str:
        return _without_gaps(map("".join, self.texts))


def _in_api(turn: Iterable[str | Thought | BlockOutput], offered: Container[str], api: Api) -> list[dict[str, Any]]:
    if api not in _FORMS:
        raise ValueError(f"api must be {', '.join(map(repr, _FORMS))}; not {api!r}")
    stretches = [_Stretch()]
    results: list[str] = []
    for part in turn:
        last = stretches[-1]
        if isinstance(part, str):
            last.texts[-1].append(part)
        elif isinstance(part, Thought):
            if part.api == api:
                if last.calls or any(map(any, last.texts)):
                    stretches.append(last := _Stretch())
                last.thoughts.append(part.block)
        elif api != "text" and _is_native(part.block, offered):
            last.calls.append(part)
            last.texts.append([])
        else:
            if part.block.dialect != NATIVE:
                last.texts[-1].append(part.block.raw)
            else:
                last.texts += [_as_text(part.block, last.texts)], []
            results.append(_result(part))
    return _FORMS[api](stretches, results)


def _is_native(block: ToolBlock, offered: Container[str]) -> bool:
    """Return whether a call is native in the messages: it was native, under a name that APIs take, or its tool was offered."""
    if block.tool is None:
        return False
    return block.tool in offered or (block.dialect == NATIVE and _NAME.fullmatch(block.tool) is not None)


_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
"""Matches the names that every API takes back in a call."""


def _as_text(block: ToolBlock, before: Sequence[Sequence[str]]) -> str:
    """Return a native call as a block of text, with the blank lines that it needs after these texts."""
    gap = "\n\n" if any(map(any, before)) else ""
    return f"{gap}{fenced(call_body(block.tool, block.raw))}\n\n"


def _without_gaps(texts: Iterable[str]) -> str:
    """Return texts joined, with one blank line at most where two of them meet."""
    joined: list[str] = []
    ends = 0  # the line ends at the end of what is joined
    for text in filter(None, texts):
        body = text.lstrip("\n")
        begins = len(text) - len(body)
        joined.append("\n" * max(min(begins, 2 - ends), 0) + body if joined else text)
        ends = len(body) - len(body.rstrip("\n")) if body else max(ends, min(ends + begins, 2))
    return "".join(joined)


def _result(output: BlockOutput) -> str:
    """Return the result of a call, for a model that wrote the call as text."""
    name = named(output.block.tool) if output.block.tool else "A call"
    if output.block.corrected_by == "approval":
        name = WITH_ARGUMENTS.format(tool=name, arguments=_as_json(output))
    return f"{name}{'' if output.ok else ' failed'}: {output.for_model()}"


def _arguments(output: BlockOutput) -> dict[str, Any]:
    return without_tool(output.block.arguments or {})


def _as_json(output: BlockOutput) -> str:
    return json.dumps(_arguments(output), ensure_ascii=False)


def _user(results: Sequence[str]) -> list[dict[str, Any]]:
    return [{"role": "user", "content": "\n\n".join(results)}] if results else []


def _called(stretches: Iterable[_Stretch]) -> list[BlockOutput]:
    return [call for stretch in stretches for call in stretch.calls]


def _chat(stretches: Sequence[_Stretch], results: Sequence[str]) -> list[dict[str, Any]]:
    (stretch,) = stretches
    text, calls = stretch.text, stretch.calls
    reply: dict[str, Any] = {"role": "assistant", "content": text or None}
    if calls:
        reply["tool_calls"] = [
            {
                "id": call.block.call_id,
                "type": "function",
                "function": {"name": call.block.tool, "arguments": _as_json(call)},
            }
            for call in calls
        ]
    return [*([reply] if text or calls else []), *(call.to_openai() for call in calls), *_user(results)]


def _responses(stretches: Sequence[_Stretch], results: Sequence[str]) -> list[dict[str, Any]]:
    reply: list[dict[str, Any]] = []
    for stretch in stretches:
        written: list[dict[str, Any]] = [{"role": "assistant", "content": stretch.text}] if stretch.text else []
        written += [
            {"type": "function_call", "call_id": call.block.call_id, "name": call.block.tool, "arguments": _as_json(call)}
            for call in stretch.calls
        ]
        reply += [*stretch.thoughts, *written] if written else []  # it refuses reasoning without what stood after it
    return [*reply, *(call.to_openai(api="responses") for call in _called(stretches)), *_user(results)]


def _messages(stretches: Sequence[_Stretch], results: Sequence[str]) -> list[dict[str, Any]]:
    reply: list[dict[str, Any]] = []
    written = 0  # it refuses a message that ends with reasoning
    for stretch in stretches:
        reply += stretch.thoughts
        if stretch.text.strip():  # it refuses a text of blanks
            reply.append({"type": "text", "text": stretch.text})
        reply += [
            {"type": "tool_use", "id": call.block.call_id, "name": call.block.tool, "input": _arguments(call)}
            for call in stretch.calls
        ]
        written = len(reply) if stretch.calls or stretch.text.strip() else written
    calls = _called(stretches)
    back = [*(call.to_anthropic() for call in calls), *({"type": "text", "text": one} for one in results)]
    turns = (("assistant", reply[:written]), ("user", back))
    return [{"role": role, "content": content} for role, content in turns if content]


def _text(stretches: Sequence[_Stretch], results: Sequence[str]) -> list[dict[str, Any]]:
    (stretch,) = stretches
    assert not stretch.calls
    return [*([{"role": "assistant", "content": stretch.text}] if stretch.text else []), *_user(results)]


_FORMS: Final[Mapping[str, Callable[[Sequence[_Stretch], Sequence[str]], list[dict[str, Any]]]]] = {
    "chat": _chat,
    "responses": _responses,
    "messages": _messages,
    "text": _text,
}
