"""The replies of the demo without a model: one for each way in which models write their tool calls.

Each is a text cut into tokens, or a provider's events; what they are is the `Scenario`'s, and how fast they come the caller's.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from stream_guard import End

SEED: Final = {
    "README.md": "# Notes\n\nA small app that keeps notes.\n",
    "package.json": '{\n  "name": "notes",\n  "version": "1.0.0"\n}\n',
    "src/App.tsx": "export default function App() {\n  return (\n    <main>\n      <h1>Notes</h1>\n    </main>\n  );\n}\n",
    "src/OldButton.tsx": "export const OldButton = () => <button>Save</button>;\n",
}
"""The files of a new workspace."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A reply of the script."""

    name: str
    title: str
    """What it shows, in a few words."""

    request: str
    """The request that it answers."""

    reply: str
    """The text, as a model writes it."""

    calls: tuple[tuple[str, str], ...] = ()
    """Native calls behind the text: the tool, and its arguments as the model wrote them."""

    cut: bool = False
    """Whether the reply ends at the token limit."""

    corrections: Mapping[str, str] | None = None
    """The scripted corrector's answers, by a text in the block."""

    @property
    def native(self) -> bool:
        """Whether it comes as a provider's events, and not as text."""
        return bool(self.calls)

    def deltas(self) -> list[Any]:
        """Return the deltas of the reply; the same every time."""
        tokens = list(_tokens(self.reply, self.name))
        if self.native:
            return list(_events(tokens, self.calls))
        return [*tokens, End("length")] if self.cut else list(tokens)


def _tokens(text: str, seed: str) -> Iterator[str]:
    """Yield pieces of the size of a model's tokens."""
    dice = random.Random(seed)  # noqa: S311  # cuts need no secrecy
    at = 0
    while at < len(text):
        size = dice.randint(2, 6)
        yield text[at : at + size]
        at += size


def _events(tokens: Sequence[str], calls: Sequence[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    """Yield the reply as the events of chat completions."""

    def event(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {"id": "chatcmpl-demo", "object": "chat.completion.chunk", "created": 1, "model": "script", "choices": [choice]}

    yield event({"role": "assistant", "content": ""})
    for token in tokens:
        yield event({"content": token})
    for index, (tool, arguments) in enumerate(calls):
        yield event(_call(index, arguments="", id=f"call_{index}", type="function", name=tool))
        for piece in _tokens(arguments, tool):
            yield event(_call(index, arguments=piece))
    yield event({}, "tool_calls")


def _call(index: int, arguments: str, name: str | None = None, **more: str) -> dict[str, Any]:
    function = {"arguments": arguments, **({"name": name} if name else {})}
    return {"tool_calls": [{"index": index, **more, "function": function}]}


def _block(value: Any) -> str:
    return f"```json\n{json.dumps(value, indent=2)}\n```\n"


_BUTTON: Final = """\
export function Button({ label, onClick }) {
  return (
    <button className="btn" onClick={onClick}>
      {label}
    </button>
  );
}
"""

_LESSON: Final = {
    "tool": "validate_lesson_data",
    "lessonData": {
        "metadata": {"topic": "The water cycle", "duration": 40},
        "widgets": [
            {"type": "head-1", "content": {"category": "The water cycle"}},
            {"type": "text-1", "content": {"text": "Water rises from the sea and falls as rain, <b>again and again</b>."}},
            {
                "type": "quiz-1",
                "content": {
                    "questions": [
                        {
                            "question": "What makes water rise?",
                            "answers": [
                                {"text": "The heat of the sun", "correct_answer": "true"},
                                {"text": "The pull of the moon", "correct_answer": "false"},
                            ],
                        }
                    ]
                },
            },
        ],
    },
}

SCENARIOS: Final = (
    Scenario(
        "valid",
        "A valid call",
        "Add a button component.",
        "I'll add the button component first.\n\n"
        + _block({"tool": "write_file", "path": "src/components/Button.tsx", "content": _BUTTON})
        + "\nIt takes a `label` and an `onClick`.\n",
    ),
    Scenario(
        "wrong-tool",
        "A tool name that does not exist",
        "Add a licence.",
        "Here is the licence file.\n\n"
        + _block({"tool": "create_file", "path": "LICENSE", "content": "MIT License\n\nCopyright (c) the authors\n"})
        + "\nDone.\n",
    ),
    Scenario(
        "missing-content",
        "A required field is missing",
        "Create an empty environment file.",
        "An empty file is enough for now:\n\n"
        + _block({"tool": "write_file", "path": ".env.example"})
        + "\nFill it in when you need it.\n",
        corrections={".env.example": _block({"tool": "write_file", "path": ".env.example", "content": ""})},
    ),
    Scenario(
        "raw-newline",
        "Raw line breaks in a string",
        "Write a changelog.",
        "I'll begin a changelog.\n\n```json\n"
        '{\n  "tool": "write_file",\n  "path": "CHANGELOG.md",\n'
        '  "content": "# Changelog\n\n## 1.0.0\n\n- First release\n"\n}\n'
        "```\n\nAdd a line for each release.\n",
    ),
    Scenario(
        "old-new",
        "old and new in place of search_replace",
        "Rename the heading.",
        "One small edit:\n\n"
        + _block({"tool": "edit_file", "path": "src/App.tsx", "old": "<h1>Notes</h1>", "new": "<h1>My notes</h1>"})
        + "\nThe heading says so now.\n",
    ),
    Scenario(
        "quotes",
        "Unescaped quotes in code",
        "Add a banner.",
        'A banner with a class:\n\n```json\n{\n  "tool": "write_file",\n  "path": "src/Banner.tsx",\n'
        '  "content": "export const Banner = () => <p className="banner" role="status">Saved</p>;\\n"\n}\n```\n\n'
        "That is all.\n",
    ),
    Scenario(
        "nested-fences",
        "Fences inside the content of a README",
        "Write a README with the commands.",
        'The README, with its own code blocks:\n\n```json\n{\n  "tool": "write_file",\n  "path": "README.md",\n'
        '  "content": "# Notes\n\n```bash\nnpm install\nnpm start\n```\n\nThen open the page.\n"\n}\n```\n\nReady.\n',
    ),
    Scenario(
        "truncated",
        "Cut off at the token limit",
        "Write a long stylesheet.",
        'Here is the stylesheet.\n\n```json\n{\n  "tool": "write_file",\n  "path": "src/style.css",\n'
        '  "content": "body { margin: 0; }\\nmain { max-width: 60rem; padding: 1',
        cut=True,
    ),
    Scenario(
        "example",
        "An example, and no tool call",
        "What should my package.json look like?",
        "It can be as short as this:\n\n"
        + _block({"name": "notes", "version": "1.0.0", "scripts": {"start": "vite"}})
        + "\nNothing was changed.\n",
    ),
    Scenario(
        "two-blocks",
        "Two blocks in one reply",
        "Replace the old button.",
        "First the new one:\n\n"
        + _block({"tool": "write_file", "path": "src/Button.tsx", "content": _BUTTON})
        + "\nThen the old one goes:\n\n"
        + _block({"tool": "delete_file", "path": "src/OldButton.tsx"})
        + "\nNothing else used it.\n",
    ),
    Scenario(
        "corrected",
        "Corrected by a model",
        "Add the colours of the page.",
        "The colours:\n\n"
        + _block({"tool": "write_file", "path": "src/colours.json", "content": ['{"text": "black", "button": "green"}']})
        + "\nAdd more as you like.\n",
        corrections={
            "src/colours.json": _block(
                {"tool": "write_file", "path": "src/colours.json", "content": '{"text": "black", "button": "green"}'}
            )
        },
    ),
    Scenario(
        "uncorrectable",
        "A path that nobody may write to",
        "Add me to the users of this machine.",
        "I'll add a user:\n\n"
        + _block({"tool": "write_file", "path": "/etc/passwd", "content": "me::0:0::/:/bin/sh\n"})
        + "\nYou can log in now.\n",
        corrections={"/etc/passwd": _block({"tool": "write_file", "path": "passwd", "content": "me::0:0::/:/bin/sh\n"})},
    ),
    Scenario(
        "native",
        "Native tool calls of a provider",
        "Note what is to be done.",
        "I'll use the tool for that.\n",
        calls=(("write_file", '{"path": "TODO.md", "content": "# To do\n\n- Water the plants\n"}'),),
    ),
    Scenario(
        "lesson",
        "A lesson of widgets, mended",
        "Make a lesson about the water cycle.",
        "Here is the lesson:\n\n" + _block(_LESSON) + "\nIt takes forty minutes.\n",
    ),
)

BY_NAME: Final = {scenario.name: scenario for scenario in SCENARIOS}


UNFIT: Final = (
    "No script fits this request, and without a key for a model there is nobody else to answer it.\n\n"
    "- Pick one of the replies below.\n"
    "- Or open the **Playground** at the top of the page, and paste what a model of yours has written.\n"
)
"""The answer of the script to a request that it has no reply for."""


def meant(request: str) -> Scenario | None:
    """Return the reply that shares the most words with a request; None if it has less than half of the request's words."""
    words = set(_words(request))

    def fit(scenario: Scenario) -> int:
        return len(words & {*_words(scenario.request), *_words(scenario.title), *_words(scenario.name)})

    best = max(SCENARIOS, key=fit)
    return best if words and 2 * fit(best) >= len(words) else None


def _words(text: str) -> list[str]:
    small = ("a", "an", "the", "and", "of", "in", "to", "is", "that", "for", "with", "my", "me", "i", "by")
    return [word for word in "".join(char if char.isalnum() else " " for char in text.lower()).split() if word not in small]
