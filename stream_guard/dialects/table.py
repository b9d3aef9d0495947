"""`Dialect`: one form in which models write tool calls into text, as data.

A dialect has the openers of its body, the places where they count, the cursor of the body, and its closers. Everything else is
the same for all dialects. The tables themselves are in `tables`, grouped by the grammar of their bodies.
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
"""Where an opener counts: `anywhere` outside fences, inline code and reasoning, or only at the beginning of a `line`, or of the
`reply`: there the prompt may have written the first half of the opener."""

EXAMPLE: Final[Call] = ("write_file", {"path": "a.txt", "content": "x"})
"""The call that examples show."""

TOOL: Final = "{tool}"
"""The placeholder in an opener for the name of each tool."""


class Opener(NamedTuple):
    """One opener of a body."""

    text: str
    """The characters of the opener. `{tool}` in it is replaced by the name of each tool, and each of its aliases."""

    body: Callable[..., BodyCursor]
    """A function that returns the cursor of the body. It is given the name of the tool if that is in an opener before the body,
    or the path that is before the opener."""

    begins: regex.Pattern[str] | None = None
    """Matches the beginning of the body, after blanks, for an opener that several dialects share. None: any beginning."""

    place: Place = "anywhere"

    behind_path: bool = False
    """Whether the path of a file is in the line before the opener; that line stays text. In a fence, such an opener counts if
    the path is the first line inside, or the last line before the fence."""

    begins_body: bool = False
    """Whether the body begins with the opener itself: its own first tag, bracket or brace."""

    sure: bool = False
    """Whether the opener shows that a call follows, although other openers of its dialect do not. Then the call may have text
    beside it."""

    yields: bool = False
    """Whether openers of other dialects come first if they are spelled alike and their bodies begin alike."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One form in which models write tool calls."""

    name: str
    """The name of the dialect in `Guard(dialects=...)` and `ToolBlock.dialect`."""

    openers: tuple[Opener, ...]
    """The openers of a body."""

    write: Writer
    """A function that writes calls in this dialect. Raises ValueError for values that the dialect cannot express."""

    closers: tuple[str, ...] = ()
    """The closers of a body; empty if its last bracket ends it. A body that is too long passes as text up to a closer."""

    strays: tuple[str, ...] = ()
    """The marks that show in prose that an opener before them was lost. They count where the openers do."""

    sure: bool = True
    """Whether an opener shows that a call follows; if not, only the name of a known tool shows it."""

    alone: bool = False
    """Whether a call needs its line to itself: with text after it on the line it is only an example."""

    tools: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    """The names of tools for each operation, the best first, of a dialect that carries files. Empty for a dialect that names
    its tools."""

    signed: bool = False
    """Whether each line of the dialect's texts has a sign before it. A blank is such a sign, and then no indent of a marker."""

    whole: bool = False
    """Whether either all calls of a block run, or none."""

    sample: Call = field(default=EXAMPLE, hash=False)
    """The call in the dialect's example."""

    models: str = ""
    """The models that write the dialect."""

    several: str = ""
    """How several calls are written, in words."""

    unknown: str = ""
    """The facts that a reader of the text cannot know, in words."""

    stripped: str = ""
    """The part that servers remove from the text before anybody can read it; empty for nothing."""

    @property
    def value_marks(self) -> tuple[str, ...]:
        """Return the marks around the dialect's values without escapes, of all its openers."""
        return _value_marks(self.openers)

    @property
    def in_fences(self) -> bool:
        """Return whether the dialect's calls may be in fences of any language."""
        return any(opener.behind_path for opener in self.openers)

    @property
    def example(self) -> str:
        """One call."""
        return self.write([self.sample])

    def written_as(self, call: Call, raw: str) -> str:
        """Return a call in this dialect, with the marks of `raw`, the text that was read. Raises ValueError if the dialect's
        writer uses another form.

        One dialect may have several forms: with other marks, or with JSON instead of tags.
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
    """Return the marks around values of the bodies after these openers. The result is cached, since each guard asks for it."""
    bodies = (one.body() for one in openers if TOOL not in one.text and not one.behind_path)
    return tuple(dict.fromkeys(mark for body in bodies for mark in body.value_marks))


_IN_JSON: Final = late(r"(?:<[^<>\s=\"{]+>\s*)*[\[{]")
_MARK: Final = late(r"<[^<>\s=\"{]+[>\s=]|\[[A-Z_]+\]")
"""Matches a mark of a dialect, up to the name or the key that it contains."""
