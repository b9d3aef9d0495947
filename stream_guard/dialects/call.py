"""`RawCall`, a call as it is written in the body of a dialect, and `BodyCursor`, which reads such a body as it grows.

Nothing here is typed yet: in most dialects the schema decides the type of a value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, Protocol

Form = Literal["json", "keyed", "text", "untyped", "bare", "python"]
"""How the text of a value is to be read.

- `json`: JSON, as written; it may be broken, and is then mended as the body of a fence is.
- `keyed`: JSON of whole calls; each is an object whose only key is the name of its tool.
- `text`: text for certain, because it was quoted or declared as text; escapes are decoded.
- `untyped`: text of which the schema decides the type.
- `bare`: a word without quotes, in a dialect whose strings have quotes: the schema decides its type; a literal keeps its own
  type if the schema allows that.
- `python`: a Python expression, as written; it need not be a literal.
"""


Envelope = Literal["none", "plain", "known", "dialect", "keyed"]
"""Where the arguments of a call are in its JSON.

- `none`: the whole JSON is the arguments, as in a native call.
- `plain`: beside the tool's name, which is under the key `tool` or before the JSON.
- `known`: in a known envelope, or beside a tool that is named otherwise, as in a fence.
- `dialect`: as `known`, but the envelope has a key that may also be a field of a tool.
- `keyed`: under a key that is the name of the tool.
"""


Doubt = Literal["marker", "blanks", "margin", "place", "sign"]
"""Why the text of a value may differ from the text that was meant.

- `margin`: it has several lines in a quote, a list or a listing, and the marks before each line may belong to that.
- `blanks`: it has blanks around it, which may belong to the markup of its dialect.
- `place`: it says more about the place of the text in a file than a call can: that the file is moved, or where in the file the
  text is.
- `sign`: a line of a patch lacks the sign that says whether it is context, added or removed.
- `marker`: the text has no escapes, and holds a marker of its own dialect: a marker may be wrong, doubled or lost.
"""


Keys = Literal["tags", "quoted", "plain"]
"""How the keys of a call are written in the tags before its values.

- `tags`: each is a tag of its own (`<key>`). Such a tag inside a value may be the beginning of another argument.
- `quoted`: in quotes (`<parameter name="key">`).
- `plain`: without quotes (`<parameter=key>`).
"""


def is_laid_out(text: str) -> bool:
    """Return whether the closer of a value without escapes is on an indented line: the indent may belong to the markup."""
    line = text.rstrip(" \t")
    return len(line) < len(text) and line.endswith(("\n", "\r")) and not line.isspace()


INSTEAD: Final = "\0"
"""The text that replaces a text without quotes. No JSON contains it."""


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a call."""

    text: str
    """The text as written, without the line ends that belong to the dialect."""

    form: Form

    doubt: Doubt | None = None
    """Why the text may differ from the text that was meant; None if it does not."""

    lines: bool = False
    """Whether a string inside this JSON or Python has several lines."""

    instead: str | None = field(default=None, compare=False)
    """This JSON with `INSTEAD` in place of each text in it that lacks its quotes; None if no text lacks them."""


class RawCall(NamedTuple):
    """One call as its dialect writes it."""

    name: str | None
    """The name of the tool outside the arguments; None if the JSON names its tool itself."""

    arguments: tuple[tuple[str, Value], ...] | Value
    """The keys and values of the arguments as written, in order and with repeated keys; or one JSON text.

    Without a `name`, that text is one or several whole calls, in any envelope that a fence may hold.
    """

    id: str | None = None
    """The id that the model wrote beside the call."""

    closed: bool = True
    """Whether the call ends where its dialect demands. If not, it was cut off, and has the part that was received."""

    keys: Keys | None = None
    """How keys are written in the tags before values; None if they are not."""


class BodyCursor(Protocol):
    """**Protocol:** reads one body, from the character after its opener to the last closer of its dialect.

    Any cut of the text gives the same result, and each character is read once. A text that may be the beginning of a marker is
    kept by the cursor, and read again with the next piece. A cursor never raises, and mends nothing.
    """

    @property
    def done(self) -> bool:
        """Return whether the body has ended."""
        ...

    @property
    def over(self) -> int:
        """Return how many of the characters taken so far are after the end of the body.

        The number is more than 0 in two cases only. The body is `done`, and turned out to have ended earlier: at a closer that
        was not written, or at a closer that seemed to be inside a string. Or it is `broken`, from a place on that was taken
        before.
        """
        ...

    @property
    def broken(self) -> str | None:
        """Return why this cannot be a body of this grammar; None while it can. Nothing is read after such a place."""
        ...

    @property
    def uncertain(self) -> bool:
        """Return whether the body may have been misread: it was cut off, has no closer, or has a marker in a value."""
        ...

    @property
    def spoiled(self) -> bool:
        """Return whether broken JSON is still open: the following text belongs to it, until a marker ends it."""
        ...

    @property
    def shows_call(self) -> bool:
        """Return whether JSON that is broken, so that its tool is unknown, begins as a call does, in any quotes."""
        ...

    @property
    def complete(self) -> bool:
        """Return whether the body is `done`, and has the last closer of its dialect or needs none."""
        ...

    @property
    def value_marks(self) -> tuple[str, ...]:
        """Return the tags and marks around values without escapes; empty if the grammar has none.

        Such a mark in prose shows that the opener of a call was lost.
        """
        ...

    @property
    def json(self) -> tuple[int, Envelope] | None:
        """Return where the JSON of the first call begins, counted from the beginning of the body, and where in it the arguments
        are.

        None if the arguments are no JSON, and until both are known.
        """
        ...

    @property
    def raw_ends(self) -> tuple[str, ...]:
        """Return the markers that may have ended the body inside a value; empty if certainly none has.

        A value without escapes may hold all closers in a row, and so may a string after a fault in JSON. Then the body seems
        whole, and the text after it is the rest of the value.
        """
        ...

    @property
    def name(self) -> str | None:
        """Return the name of the first call's tool, as soon as the character after that name was read."""
        ...

    @property
    def path(self) -> str | None:
        """Return the text of the first call's path field, as soon as the character after that text was read."""
        ...

    @property
    def behind(self) -> str | None:
        """Return the tag directly after the body, for a grammar in which the tags of values have the names of their keys."""
        ...

    @property
    def free(self) -> re.Pattern[str] | None:
        """Return the pattern of text that ends nothing at this place; None if there is no such text.

        Such text decides nothing: no name, no path, no end of the body. It may be read later, with the text after it. The group
        of the pattern is a cut escape.
        """
        ...

    def read(self, text: str, pos: int) -> int:
        """Read on from `pos`. Returns the place after the text that was taken: the end of the text, unless the body is over."""
        ...

    def finish(self) -> None:
        """Read the text that was kept, since no more will come."""
        ...

    def calls(self) -> list[RawCall]:
        """Return the calls that were read, in order; none if the body is broken."""
        ...
