"""`Sent`: what a provider sends in a reply, stated in short; and the row that it makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..toolsets import Json
from .fences import FILE_TOOLS
from .rows import Form, Meant, Piece, Row


@dataclass(frozen=True, slots=True)
class Sent:
    """A stream, or one whole reply, of a protocol; and what must come out of it."""

    why: str
    input: Sequence[Any]
    calls: Sequence[Meant] = ()
    texts: Sequence[Sequence[Piece]] = (("",),)
    needs: Sequence[str] = ()
    form: Form = "events"
    tools: Sequence[Json] = tuple(FILE_TOOLS)
    dialect: str = "fence"

    def row(self, kind: str, protocol: str) -> Row:
        """Return the row of this class. What its form and its calls need is added to `needs`."""
        forms = {"events": ("streams",), "reply": ("reply",), "bytes": ("bytes", "streams"), "text": ()}
        several = ("several",) if len(self.calls) > 1 else ()
        dialect = (f"dialect:{self.dialect}",) if self.dialect != "fence" else ()
        return Row(
            kind,
            self.why,
            self.tools,
            list(self.input),
            self.calls,
            texts=[list(pieces) for pieces in self.texts],
            needs=tuple(dict.fromkeys((f"protocol:{protocol}", *forms[self.form], *several, *dialect, *self.needs))),
            form=self.form,
            protocol=protocol,
            dialect=self.dialect,
        )
