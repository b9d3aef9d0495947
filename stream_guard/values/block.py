"""The text of one fenced block, and how a body is written as one."""

from __future__ import annotations

from dataclasses import dataclass

from .events import EndCause


@dataclass(frozen=True, slots=True)
class Block:
    """The text of one block of ours."""

    raw: str
    """From the opener to the closing fence, as written."""

    body: str
    """What stands between."""

    end_cause: EndCause
    """What ended it."""

    ambiguous: bool
    """Whether its end is a guess."""

    canonical: bool
    """Whether it is written the plain way: three backticks, `json`, the body on lines of its own, three backticks."""

    fenced: bool = True
    """Whether it came in a fence. A body that came bare may have been cut off anywhere."""

    called: str | None = None
    """The tool that a native call names; None for a block of text, which names its own."""

    @staticmethod
    def bare(body: str) -> Block:
        """A body that came without a fence."""
        return Block(raw=body, body=body, end_cause="closed", ambiguous=False, canonical=False, fenced=False)


def fenced(body: str) -> str:
    """A body in the plain form that front ends look for."""
    return f"```json\n{body.strip()}\n```"
