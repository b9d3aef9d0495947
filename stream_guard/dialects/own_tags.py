"""Finds the brackets by which a value closes its own tags and lists of types (`Omit<Page, "body">`).

Such a bracket is not the end of a marker. No language is parsed: the text may be code in any language, or a piece of code.

Rule 1: a bracket closes something only at the depth of round, square and curly brackets at which that was opened (`x={a > b}`).
Rule 2: a bracket that may be a comparison stays open only until the end of its statement or line (`i<n;`); a tag may contain a
semicolon.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple, cast

Kind = Literal["tag", "list", "line", "closer"]


class Opened(NamedTuple):
    """A bracket that a text opened."""

    kind: Kind
    """The kind of the bracket. A `line` is closed by the end of its line; a `closer` is a whole tag that closes."""

    start: int
    depth: int


def own_brackets(text: str) -> dict[int, Opened]:
    """Return the places of the brackets that close a tag, or a list of types, of this text, each with the bracket that it
    closes.
    """
    closed: dict[int, Opened] = {}
    opened: list[Opened] = []
    depth = at = 0
    while (found := (_IN_TAG if opened and opened[-1].kind == "tag" else _IN_TEXT).search(text, at)) is not None:
        at, kind = found.end(), found.lastgroup
        if kind in ("tag", "list", "line", "closer"):
            opened.append(Opened(cast("Kind", kind), found.start(), depth))
        if kind in ("end", "closer"):
            if opened and opened[-1].depth == depth:
                closed[at - 1] = opened.pop()
        elif kind == "deeper":
            depth += 1
        elif kind == "higher":
            depth -= 1
            while opened and opened[-1].depth > depth:
                opened.pop()
        elif kind == "stop":
            while opened and opened[-1].depth == depth and (opened[-1].kind != "tag" or found[0] != ";"):
                opened.pop()
        elif kind == "break":
            while opened and opened[-1].kind == "line":
                opened.pop()
    return closed


_IN_TEXT: Final = re.compile(
    r"""<!--|[=-]>|>=|(?<=\S[ ])>(?=[ ])|<=|<<++(?!["'\w])"""  # comments, arrows and comparisons open and close nothing
    r"""|(?P<closer></[\w:.-]*+\s*+>)|(?P<tag><[!?@#$%]?[A-Za-z][\w:.-]*+(?=[\s/"'`])|(?<!\w)<[A-Za-z][\w.]*+(?=<))"""
    r"""|(?P<list><(?=[^\s=</])|(?<=\w)<(?=\r?\n))|(?P<line>(?<!\S)<(?=[ \t])|<(?=<))"""
    r"""|(?P<end>>)|(?P<deeper>[(\[{])|(?P<higher>[)\]}])|(?P<stop>;|\s(?:&&|\|\|)\s)|(?P<break>\n)"""
)
_IN_TAG: Final = re.compile(rf"""=\s*+(?:"[^"]*+"|'[^']*+')|{_IN_TEXT.pattern}""")
"""Matches the same signs inside a tag, and its attributes, which may contain brackets."""
