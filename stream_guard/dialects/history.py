"""`History`: the calls of a turn and their results as text, in the form in which a model was trained to see them.

Only what stands inside a message is written: the marks between messages are those of the model's chat template.

Rule: nothing in a result can end it, or look like a call: a result that holds a marker of its dialect is written as JSON, and
the marker is escaped in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from .tables import SPELLINGS, of_name
from .write import Call, encode

Result = tuple[str, str]
"""The name of a tool, and the text of its result."""


@dataclass(frozen=True, slots=True)
class _Form:
    """How a dialect shows the results of calls."""

    role: str
    """The role of the message with the results, in the model's chat template."""

    result: Callable[[str, str], str]
    """Writes one result, given the name of the tool and the text."""

    markers: tuple[str, ...]
    """What no result may hold."""

    between: str = "\n"


def _response(_: str, text: str) -> str:
    return f"<tool_response>\n{text}\n</tool_response>"


_TAGS: Final = ("<tool_response", "</tool_response", "<tool_call", "</tool_call")
FORMS: Final[Mapping[str, _Form]] = {
    "hermes": _Form("user", _response, _TAGS),
    "qwen3_coder": _Form("user", _response, (*_TAGS, "<function=", "</function", "<parameter=", "</parameter")),
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
"""The dialects that have a form for results."""


class History:
    """Writes a turn's calls and results as text in one dialect, for a chat loop without native tool calls.

    `turn.messages(History("hermes"))` returns the messages of a turn as text in the dialect `hermes`.
    """

    __slots__ = ("_dialect", "_form", "role")

    def __init__(self, dialect: str) -> None:
        """Prepare to write in a dialect. Raises ValueError for one that has no form for results."""
        name = SPELLINGS.get(dialect, dialect)
        if name not in FORMS:
            raise ValueError(f"{dialect!r} has no form for results; there are forms for {', '.join(FORMS)}")
        self._dialect: Final = of_name(name)
        self._form: Final = FORMS[name]
        self.role: Final = self._form.role
        """The role of the message with the results, in the model's chat template."""

    @property
    def dialect(self) -> str:
        """Return the name of the dialect."""
        return self._dialect.name

    def calls(self, calls: Sequence[Call]) -> str:
        """Return calls as the model writes them. Raises ValueError for a value that the dialect cannot hold."""
        return self._dialect.write(calls)

    def results(self, results: Sequence[Result]) -> str:
        """Return results as the model is shown them, in order."""
        return self._form.between.join(self._form.result(name, self._safe(text)) for name, text in results)

    def _safe(self, text: str) -> str:
        """Return a text in which no marker stands."""
        if not any(marker in text for marker in self._form.markers):
            return text
        text = encode(text)
        for marker in self._form.markers:
            text = text.replace(marker, f"\\u{ord(marker[0]):04x}{marker[1:]}")
        return text
