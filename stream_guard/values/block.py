"""The text of one block, and the plain form of a body."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final, Literal

from .call_keys import TOOL_KEY
from .events import FENCE, EndCause

Unclear = Literal["type", "marker", "blanks", "margin", "key", "place", "sign", "whole", "many"]
"""The reason why the value of a field is uncertain.

- `type`: the field's text may mean two values of different types, and the schema allows both.
- `marker`: the field's text has no escapes, and holds a marker of its own dialect.
- `blanks`: the field's text has blanks around it, which agents that read the dialect strip.
- `margin`: the field has several lines and is inside a quote or a list: the marks before each line may belong to the quote or
  the list.
- `key`: the field's key is not a name, such as a key with a blank in it.
- `place`: the tool has no field for all that the call says about the place of the text in a file.
- `sign`: a line of a patch lacks the sign (a blank, `+` or `-`) that says whether it is context, added or removed.
- `whole`: the field holds one of several changes of a patch. One of these cannot run, so none of them runs.
- `many`: the block holds more than `max_calls` calls; no single field is meant.
"""


@dataclass(frozen=True, slots=True)
class Block:
    """The text of one block.

    It has two texts: `raw` is what the model wrote, and `body` the JSON that is validated. The `content` of its `ToolBlock` is
    the body in a fence, or `raw` if that has this form already. Four members show whether the block is whole. `ended`: the
    model ended it. `ambiguous`: it is undetermined where it ended. `end_is_certain`: the model ended it, and it is certain
    where. `complete`: its JSON is whole.
    """

    raw: str
    """The text from the opener to the closer, as written; of a native call its arguments. Empty for all parts but the first."""

    body: str
    """The text between the fences. In a dialect, and of a native call: the call as JSON, as a fence would hold it."""

    end_cause: EndCause
    """Why the block ended."""

    ambiguous: bool
    """Whether the end of the block is uncertain."""

    canonical: bool
    """Whether the block has the plain form: three backticks, `json`, the body on lines of its own, three backticks."""

    fenced: bool = True
    """Whether the body was in a fence. A body without one may have been cut off anywhere."""

    native_tool: str | None = None
    """The tool that a native call names; None for a block of text, whose body names the tool."""

    complete: bool = False
    """Whether the body is a whole value, with every string and bracket closed: then at most the fence is missing."""

    dialect: str = FENCE
    """The dialect in which the block is written."""

    part: int = 1
    """The number of the body's call in the block, from 1. A block of a dialect may hold several calls, each judged alone."""

    parts: int = 1
    """The number of calls in the block that are judged alone."""

    beside: str = ""
    """The text after the language in the line of the opening fence: ` title="x"` of ` ```json title="x" `."""

    indent: int = 0
    """The column of the opening fence. As CommonMark says, up to this many blanks are removed from each line of the body."""

    open_end: bool = False
    """Whether the fence that ended the body may be part of one of the body's strings. It is not if the body can be read."""

    after_doubt: bool = False
    """Whether an earlier block of the text is no call, or failed. Then quotes that are all escaped (`\\"`) may belong to a
    string that was never closed."""

    unclear: tuple[tuple[str, Unclear], ...] = ()
    """The names of the fields whose values are uncertain, each with the reason."""

    @property
    def ended(self) -> bool:
        """Whether the model ended the block: by a closing fence, or by ending its reply after a complete call."""
        return self.end_cause in ("closed", "stop")

    @property
    def end_is_certain(self) -> bool:
        """Whether the model ended the block, and it is certain where."""
        return self.ended and not self.ambiguous

    @staticmethod
    def bare(body: str) -> Block:
        """Return the block for a body without a fence."""
        return Block(raw=body, body=body, end_cause="closed", ambiguous=False, canonical=False, fenced=False)


def fenced(body: str) -> str:
    """Return a body as a fenced block in the plain form that front ends look for."""
    return f"```json\n{body.strip()}\n```"


BLANKS: Final = " \t\r\n"
"""The whitespace of JSON; Python's `strip` takes more."""


def call_body(name: str | None, arguments: str) -> str:
    """Return the JSON of a call's arguments, with the name of its tool if it has one, as the body of a block.

    The arguments keep their lines, and may be broken JSON.
    """
    head, begin, tail = _around(name, arguments)
    return f"{head}{arguments[begin:]}{tail}"


def in_arguments(name: str | None, arguments: str, offset: int) -> int:
    """Return the offset in a call's arguments of a character of its body. For a character of the tool's name: the offset where
    the arguments begin.
    """
    head, begin, _ = _around(name, arguments)
    return min(offset - len(head) + begin, len(arguments)) if offset >= len(head) else _begin(arguments)


def _around(name: str | None, arguments: str) -> tuple[str, int, str]:
    """Return the three parts of which the body of a call is made: the text before the arguments (`{"tool": "x", `), the offset
    from which the arguments are copied, and the text after them (empty, or `}`).
    """
    tool = json.dumps(name)
    at = _begin(arguments)
    if at == len(arguments):
        return f'{{"{TOOL_KEY}": {tool}}}', at, ""
    if arguments[at] != "{":
        return f'{arguments[:at]}{{"name": {tool}, "arguments": ', at, "}"
    rest = arguments[at + 1 :]
    between = "" if rest.lstrip(BLANKS).startswith("}") else "," if rest[:1] in BLANKS else ", "
    return f'{arguments[:at]}{{"{TOOL_KEY}": {tool}{between}', at + 1, ""


def _begin(arguments: str) -> int:
    return len(arguments) - len(arguments.lstrip(BLANKS))
