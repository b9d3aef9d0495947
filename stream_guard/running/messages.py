"""Makes messages of a turn of a model: its text, its calls, and their results.

Three APIs have messages of their own for calls. A fourth form is text alone, for models that were taught to write their calls
into their text; every API takes it.

Rule 1: a call is native only where its tool is one of those that were offered. Any other stays text, as it was written.
Rule 2: every native call has its result directly after the message that has the call: APIs refuse anything else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

from ..values.block import call_body, fenced
from ..values.call_keys import TOOL_KEY
from ..values.events import NATIVE, ToolBlock
from ..values.quoting import named
from ..values.wording import WITH_ARGUMENTS
from .calling import BlockOutput

if TYPE_CHECKING:
    from ..dialects.history import History

Api = Literal["chat", "responses", "messages", "text"]
"""OpenAI's chat completions, OpenAI's responses, Anthropic's messages; or messages of text alone, which all of them take."""


def messages(turn: Iterable[str | BlockOutput], offered: Container[str], api: Api | History) -> list[dict[str, Any]]:
    """Return the messages of one turn, to append to the conversation.

    Args:
        turn: What the model wrote, in order: text, and the outputs of blocks where the blocks stood.
        offered: The names of the tools.
        api: The format of the messages; or the history of a dialect, in which calls and results are written as text.
    """
    if isinstance(api, str):
        return _in_api(turn, offered, api)
    return _in_dialect(turn, api)


def _in_dialect(turn: Iterable[str | BlockOutput], history: History) -> list[dict[str, Any]]:
    """Return a message of text with the calls, and one with their results."""
    texts: list[str] = []
    results: list[tuple[str, str]] = []
    for part in turn:
        if isinstance(part, str):
            texts.append(part)
        else:
            texts.append(_written(part, history))
            results.append((part.block.tool or "", part.for_model() if part.ok else _result(part)))
    reply = [{"role": "assistant", "content": "".join(texts)}] if any(texts) else []
    return [*reply, *([{"role": history.role, "content": history.results(results)}] if results else [])]


def _written(output: BlockOutput, history: History) -> str:
    """Return a call in a dialect as it ran; as it was written where it did not, or has that form, or cannot have it."""
    block = output.block
    if (
        not block.executable
        or block.tool is None
        or block.parts > 1
        or (block.dialect == history.dialect and not block.corrected)
    ):
        return block.raw
    try:
        return history.calls([(block.tool, _arguments(output))])
    except ValueError:  # the dialect has no way to write a value
        return block.raw


def _in_api(turn: Iterable[str | BlockOutput], offered: Container[str], api: Api) -> list[dict[str, Any]]:
    if api not in _FORMS:
        raise ValueError(f"api must be {', '.join(map(repr, _FORMS))}; not {api!r}")
    texts: list[list[str]] = [[]]  # a new one begins where a block is taken out
    calls: list[BlockOutput] = []
    results: list[str] = []
    for part in turn:
        if isinstance(part, str):
            texts[-1].append(part)
        elif api != "text" and part.block.tool is not None and part.block.tool in offered:
            calls.append(part)
            texts.append([])
        else:
            if part.block.dialect != NATIVE:
                texts[-1].append(part.block.raw)
            elif part.block.raw:
                texts += [_as_text(part.block, texts)], []
            results.append(_result(part))
    return _FORMS[api](_without_gaps(map("".join, texts)), calls, results)


def _as_text(block: ToolBlock, before: Sequence[Sequence[str]]) -> str:
    """Return a native call as a block of text, with the blank lines around it that belong behind these texts."""
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
    return {key: value for key, value in (output.block.arguments or {}).items() if key != TOOL_KEY}


def _as_json(output: BlockOutput) -> str:
    return json.dumps(_arguments(output), ensure_ascii=False)


def _user(results: Sequence[str]) -> list[dict[str, Any]]:
    return [{"role": "user", "content": "\n\n".join(results)}] if results else []


def _chat(text: str, calls: Sequence[BlockOutput], results: Sequence[str]) -> list[dict[str, Any]]:
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


def _responses(text: str, calls: Sequence[BlockOutput], results: Sequence[str]) -> list[dict[str, Any]]:
    called = [
        {"type": "function_call", "call_id": call.block.call_id, "name": call.block.tool, "arguments": _as_json(call)}
        for call in calls
    ]
    reply = [{"role": "assistant", "content": text}] if text else []
    return [*reply, *called, *(call.to_openai(api="responses") for call in calls), *_user(results)]


def _messages(text: str, calls: Sequence[BlockOutput], results: Sequence[str]) -> list[dict[str, Any]]:
    reply: list[dict[str, Any]] = [{"type": "text", "text": text}] if text.strip() else []  # it refuses a text of blanks
    reply += [
        {"type": "tool_use", "id": call.block.call_id, "name": call.block.tool, "input": _arguments(call)} for call in calls
    ]
    back = [*(call.to_anthropic() for call in calls), *({"type": "text", "text": one} for one in results)]
    turns = (("assistant", reply), ("user", back))
    return [{"role": role, "content": content} for role, content in turns if content]


def _text(text: str, calls: Sequence[BlockOutput], results: Sequence[str]) -> list[dict[str, Any]]:
    assert not calls
    return [*([{"role": "assistant", "content": text}] if text else []), *_user(results)]


_FORMS: Final[Mapping[str, Callable[[str, Sequence[BlockOutput], Sequence[str]], list[dict[str, Any]]]]] = {
    "chat": _chat,
    "responses": _responses,
    "messages": _messages,
    "text": _text,
}
