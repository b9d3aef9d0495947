"""`Dialect`: one form in which models write tool calls into text, as data.

A dialect says how its body is opened, where the opener may stand, which cursor reads the body, and what closes it.
Everything else is the same for all dialects. The tables themselves are in `tables`, grouped by the grammar of their bodies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from ..values.late import late
from .call import BodyCursor
from .write import Call, Writer

if TYPE_CHECKING:
    import regex

Place = Literal["anywhere", "line", "reply"]
"""Where an opener counts: `anywhere` outside fences, inline code and reasoning, or only as the first thing of a `line`, or of
the `reply`: there the prompt may have written the first half of the opener."""

EXAMPLE: Final[Call] = ("write_file", {"path": "a.txt", "content": "x"})
"""The call in examples."""

TOOL: Final = "{tool}"
"""What stands in an opener for the name of each tool."""


class Opener(NamedTuple):
    """What opens a body."""

    text: str
    """The characters. `{tool}` stands for the name of each tool, and each of its aliases."""

    body: Callable[..., BodyCursor]
    """Makes the cursor of the body; given the name of the tool, where the body stands after an opener that has it, or the path
    that stands before the opener."""

    begins: regex.Pattern[str] | None = None
    """What the body begins with, after blanks, for openers of several bodies that are spelled alike. None: anything."""

    place: Place = "anywhere"

    behind_path: bool = False
    """Whether the path of a file stands in the line before, which stays text. In a fence, such an opener counts if the path is
    the first line inside, or the last line before the fence."""

    begins_body: bool = False
    """Whether the body begins with the opener itself: its own first tag, bracket or brace."""

    sure: bool = False
    """Whether it shows that a call follows, although the other openers of its dialect do not: the call may have text beside
    it."""

    yields: bool = False
    """Whether openers of other dialects come first if they are spelled alike and their bodies begin alike."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One form in which models write tool calls."""

    name: str
    """The name by which `Guard(dialects=...)` and `ToolBlock.dialect` call it."""

    openers: tuple[Opener, ...]
    """The openers."""

    write: Writer
    """Writes calls in this form. Raises ValueError for values that this form cannot hold."""

    closers: tuple[str, ...] = ()
    """What closes a body; empty if its last bracket does. After a body that is too long they end what passes as text."""

    strays: tuple[str, ...] = ()
    """The marks that show in prose that an opener before them was lost. They count where its openers do."""

    sure: bool = True
    """Whether the opener shows that a call follows; if not, only the name of a known tool does."""

    alone: bool = False
    """Whether a call has its line to itself: with text after it on the line it is only an example."""

    tools: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    """The names of tools that can do what it says, the best first. Empty for a dialect that names its tools; dialects that
    carry files do not."""

    signed: bool = False
    """Whether each line of its texts has a sign before it. A blank is such a sign, so blanks there are not the indent of a
    marker."""

    whole: bool = False
    """Whether either all calls of a block run, or none."""

    sample: Call = field(default=EXAMPLE, hash=False)
    """The call in its example."""

    models: str = ""
    """The models that write it."""

    several: str = ""
    """How several calls are written."""

    unknown: str = ""
    """The facts that a reader of the text cannot know."""

    stripped: str = ""
    """What a server removes from the text before anybody can read it; empty for nothing."""

    @property
    def value_marks(self) -> tuple[str, ...]:
        """Return the marks around its values without escapes, in all its forms."""
        return _value_marks(self.openers)

    @property
    def in_fences(self) -> bool:
        """Return whether its calls may stand in fences of any language."""
        return any(opener.behind_path for opener in self.openers)

    @property
    def example(self) -> str:
        """One call."""
        return self.write([self.sample])

    def written_as(self, call: Call, raw: str) -> str:
        """Return a call as it is written, spelled as in the text that was read. Raises ValueError if the dialect's writer uses
        another form.

        Several forms of models are one dialect: with other marks, or with JSON where this one has tags.
        """
        name, arguments = call
        bare = self.write([(name, dict.fromkeys(arguments, ""))]).strip()
        if any(mark not in raw for mark in _MARK.findall(bare)):
            raise ValueError(f"a call in {self.name!r} was written with other marks")
        opener = next((one.text for one in self.openers if TOOL not in one.text and bare.startswith(one.text)), "")
        begins, told = (text[len(opener) :].lstrip() for text in (bare, raw.strip()))
        alike = begins[:1] == told[:1] and (_IN_JSON.match(begins) is None) == (_IN_JSON.match(told) is None)
        if not raw.strip().startswith(opener) or not alike:
            raise ValueError(f"a call in {self.name!r} was written in another form")
        return self.write([call])


@lru_cache(maxsize=256)
def _value_marks(openers: tuple[Opener, ...]) -> tuple[str, ...]:
    """Return the marks around values of the bodies after these openers. They are asked for once: each guard wants them."""
    bodies = (one.body() for one in openers if TOOL not in one.text and not one.behind_path)
    return tuple(dict.fromkeys(mark for body in bodies for mark in body.value_marks))


_IN_JSON: Final = late(r"(?:<[^<>\s=\"{]+>\s*)*[\[{]")
_MARK: Final = late(r"<[^<>\s=\"{]+[>\s=]|\[[A-Z_]+\]")
"""Matches a mark of a dialect, up to the name or the key after it."""
