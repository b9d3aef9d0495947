"""The marks, in prose, of a call with raw values whose opener was lost or damaged, or belongs to no dialect that is read.

The text after such a mark may be a value of that call: a file with a fence in it, or a document about calls. So no block after
it in the reply has a certain end.

Rule 1: where no dialect is read, a mark counts at the beginning of a line; else wherever the opener of a dialect counts.
Rule 2: a mark in code, in a fence or in reasoning is quoted, and does not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_PREFIXES: Final = ("", "antml:", "atem:", "｜dsml｜", "｜dsml｜ ", "|dsml|", "｜gcml｜")
STRAYS: Final = (
    *(f"<{prefix}{tag}" for prefix in _PREFIXES for tag in ("parameter=", "parameter name=", "parameter>", "invoke name=")),
    *(f"</{prefix}{tag}>" for prefix in _PREFIXES for tag in ("parameter", "invoke")),
    *(
        "<function=",
        "<function name=",
        "<functionname=",
        "</function>",
        "<param name=",
        "<paramname=",
        "</param>",
        "<tool_sep>",
        "<ifm|tool_call>",
    ),
    *(
        f"{start}{prefix}{tag}>"
        for start in ("<", "</")
        for prefix in ("", "ifm|", "longcat_")
        for tag in ("arg_key", "arg_type", "arg_value")
    ),
    *('<|"|>', "<escape>"),
)
"""The marks, in lower case. Upper and lower case are the same."""

_OPENER: Final = re.compile(r"[<\u2039][^<>\u2039\s]++>")
_ENDS: Final = ("|>", "\uff5c>", ">")
"""The ends of special tokens and tags."""


def spoiled(openers: Iterable[str]) -> tuple[str, ...]:
    """Return, for each opener that is a tag, its name with a sign after it: `<tool_call ` as of `<tool_call
    status="cancelled">`.
    """
    tags = {found for opener in openers for found in _OPENER.findall(opener) if "name=" not in found}
    names = {next(tag.removesuffix(end) for end in _ENDS if tag.endswith(end)) for tag in tags}
    return tuple(f"{name}{sign}" for name in sorted(names) for sign in " \t\r\n=!")


_STARTS: Final = frozenset(mark[:end] for mark in STRAYS for end in range(len(mark)))
STRAYS_BEGIN: Final = frozenset(mark[:6] for mark in STRAYS)
"""The first six characters of each mark, compared before a line is read as one that may begin with a mark. Few lines of HTML
match."""


def stray_in(head: str) -> str | None:
    """Return the mark with which a text begins; "" if the text may still become one, None if it cannot."""
    told = head.lower()
    if told.startswith(STRAYS):
        return next(mark for mark in STRAYS if told.startswith(mark))
    return "" if told in _STARTS else None


OF_HTML: Final = frozenset({
    "a", "abbr", "b", "big", "blockquote", "body", "br", "caption", "center", "code", "dd", "del", "details", "dfn",
    "div", "dl", "dt", "em", "figure", "font", "footer", "form", "h1", "h2", "h3", "h4", "head", "header", "hr", "html",
    "i", "img", "input", "ins", "kbd", "label", "li", "link", "main", "mark", "meta", "nav", "object", "ol", "option",
    "output", "p", "pre", "q", "s", "samp", "script", "section", "select", "small", "source", "span", "strong", "style",
    "sub", "summary", "sup", "table", "td", "template", "text", "textarea", "th", "time", "title", "tr", "u", "ul", "var",
    "video",
})  # fmt: skip
"""Elements of HTML that may occur in Markdown, or are fields of many tools. At the beginning of a line they are no marks."""


def strays_of(names: Iterable[str], fields: Iterable[str]) -> tuple[str, ...]:
    """Return the marks of calls whose tags have the names of tools or fields. They count only at the beginning of a line."""
    tags = {f"{start}{field}>" for start in ("<", "</") for field in fields if field.lower() not in OF_HTML}
    return (*sorted(tags), *(f"</{name}>" for name in names))
