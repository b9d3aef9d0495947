"""`History`: the calls of a turn and their results as text, in the form in which a model was trained to see them.

Only the contents of messages are written: the marks between messages come from the model's chat template.

Rule: nothing in a result can end the result, or look like a call. A result with a marker of the dialect, or with a special
token of any chat template, is written as JSON, in which the marker is escaped. In the texts of a call such a token is escaped
too; a dialect without escapes refuses the call.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from .reading_back import write_back
from .tables import SPELLINGS, of_name
from .write import Call, encode

Result = tuple[str, str]
"""The name of a tool, and the text of its result."""


@dataclass(frozen=True, slots=True)
class _Form:
    """How a dialect shows the results of calls."""

    role: str
    """The role of the message that holds the results, in the model's chat template."""

    result: Callable[[str, str], str]
    """A function that writes one result, given the name of the tool and the text."""

    markers: tuple[str, ...]
    """The texts that no result may contain, besides special tokens."""

    between: str = "\n"

    raw: bool = False
    """Whether the dialect has no escapes in the values of calls."""


def _response(_: str, text: str) -> str:
    return f"<tool_response>\n{text}\n</tool_response>"


_TAGS: Final = ("<tool_response", "</tool_response", "<tool_call", "</tool_call")
FORMS: Final[Mapping[str, _Form]] = {
    "hermes": _Form("user", _response, _TAGS),
    "qwen3_coder": _Form("user", _response, (*_TAGS, "<function=", "</function", "<parameter=", "</parameter"), raw=True),
    "deepseek_v31": _Form(
        "tool",
        lambda _, text: f"<｜tool▁output▁begin｜>{text}<｜tool▁output▁end｜>",
        ("<｜tool▁", "<｜Assistant", "<｜User", "<｜begin▁of", "<｜end▁of"),
        "",
    ),
    "mistral": _Form(
        "tool",
        lambda _, text: f"[TOOL_RESULTS]{text}[/TOOL_RESULTS]",
        ("[TOOL_", "[/TOOL_", "[ARGS]", "[CALL_ID]", "[INST]", "[/INST]"),
        "",
    ),
    "llama3_json": _Form("ipython", lambda _, text: encode({"output": text}), ("<|",)),
    "harmony": _Form(
        "tool",
        lambda name, text: f"<|start|>functions.{name} to=assistant<|channel|>commentary<|message|>{text}<|end|>",
        ("<|",),
        "",
    ),
}
"""The form for results of each dialect that has one."""


SPECIAL: Final = re.compile(
    r"<[|\uff5c]|<[\w/]{1,32}\|>|</?(?:s|bos|eos|pad|unk)>|<(?:start|end)_of_\w{1,32}>|</?(?:start|end)_\w{1,32}>|<</?SYS>>"
    r"|\[/?(?:INST|TOOL_\w{1,32}|AVAILABLE_TOOLS|ARGS|CALL_ID|THINK|SYSTEM_PROMPT|PREFIX|SUFFIX|MIDDLE|IMG\w{0,8})\]"
    r"|\[\|/?\w{1,32}\|\]|</?seed:\w{1,32}>|\]~\w{1,8}\]|\[e~\[|\[[gs]?MASK\]|<[se]op>|</?role>|<(?:SPECIAL|extra_id)_\d{1,4}>",
    re.IGNORECASE,
)
"""Matches the beginning of a special token of a chat template. Many servers act on such a token anywhere in a message."""


class History:
    """Writes a turn's calls and results as text in one dialect, for a chat loop without native tool calls.

    A call is a tuple of the tool's name and its arguments, a result one of the tool's name and the text.

    `turn.messages(History("hermes"))` returns the messages of a turn as text in the dialect `hermes`.
    """

    __slots__ = ("_dialect", "_form", "role")

    def __init__(self, dialect: str) -> None:
        """Prepare to write in a dialect. Raises ValueError for a dialect that has no form for results."""
        name = SPELLINGS.get(dialect, dialect)
        if name not in FORMS:
            raise ValueError(f"{dialect!r} has no form for results; there are forms for {', '.join(FORMS)}")
        self._dialect: Final = of_name(name)
        self._form: Final = FORMS[name]
        self.role: Final = self._form.role
        """The role of the message that holds the results, in the model's chat template."""

    @property
    def dialect(self) -> str:
        """Return the name of the dialect."""
        return self._dialect.name

    def calls(self, calls: Sequence[Call]) -> str:
        """Return calls as the model writes them: each the name of a tool and its arguments.

        Raises ValueError for a name or a value that the dialect cannot hold, or does not read.
        """
        for name, arguments in calls if self._form.raw else ():
            token = SPECIAL.search(encode(dict(arguments)))
            if token is not None:
                held = f"{name}: a value holds {token[0]!r}, of the special tokens of chat templates"
                raise ValueError(f"{held}, and {self.dialect!r} has no escape for it")
        for call in calls:
            write_back(self._dialect, call)
        hidden = _Hidden(encode([dict(arguments) for _, arguments in calls]))
        return hidden.shown(self._dialect.write([(name, hidden.hide(dict(arguments))) for name, arguments in calls]))

    def results(self, results: Sequence[Result]) -> str:
        """Return results, in order, as the text that is shown to the model."""
        return self._form.between.join(self._form.result(name, self._safe(text)) for name, text in results)

    def _safe(self, text: str) -> str:
        """Return a text without markers: as it is, or else as JSON with the markers escaped."""
        if not any(marker in text for marker in self._form.markers) and SPECIAL.search(text) is None:
            return text
        text = encode(text)
        for marker in self._form.markers:
            text = text.replace(marker, _escaped(marker[0]) + marker[1:])
        return SPECIAL.sub(lambda found: _escaped(found[0][0]) + found[0][1:], text)


class _Hidden:
    """Replaces the first character of each special token while a call is written, and puts the escape of that character there
    afterwards.
    """

    def __init__(self, text: str) -> None:
        """Choose a private-use character for the first character of each special token; `text` must contain none of them."""
        free = (chr(code) for code in range(0xE000, 0xF900) if chr(code) not in text)
        self._signs: Final = {sign: next(free) for sign in "<[]"}

    def hide(self, value: Any) -> Any:
        """Return a value with the first character of each special token replaced."""
        if isinstance(value, str):
            return SPECIAL.sub(lambda found: self._signs[found[0][0]] + found[0][1:], value)
        if isinstance(value, Mapping):
            return {self.hide(key): self.hide(item) for key, item in value.items()}
        return [self.hide(item) for item in value] if isinstance(value, list) else value

    def shown(self, text: str) -> str:
        """Return the text of a call with the replaced characters as escapes."""
        for sign, hidden in self._signs.items():
            text = text.replace(hidden, _escaped(sign))
        return text


def _escaped(sign: str) -> str:
    return f"\\u{ord(sign):04x}"
