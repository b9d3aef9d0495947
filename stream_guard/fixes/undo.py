r"""What was done to a body as a whole, undone: quote marks before its lines, escapes, entities.

    > {"tool": ...    {\"tool\": ...    {&quot;tool&quot;: ...

Rule: each function returns None if the body may be anything else than what it undoes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from ..schema.json_text import accepts
from .strings import breaks_lines_only, may_be_escaped_twice

STRING: Final = re.compile(r'"((?:[^"\\]++|\\.)*+)"')
"""Matches a string of a body that is JSON."""

_QUOTES_IN_QUOTES: Final = 4
"""The most `>` that are taken off a line. Deeper quotes do not occur."""

_ESCAPED: Final = re.compile(r'(?:\s*[{\[](?:\s|\\[nrt])*+){1,4}\\"')
_ESCAPED_QUOTE: Final = re.compile(r'\\(?<!\\\\)(?:\\\\)*"')
_SHOWS_ESCAPING: Final = re.compile(r'\\(?<!\\\\)(?:\\\\)++"(?!\s*[:,}\]])')
"""Match the beginning of a body that was escaped, a quote that is escaped, and a quote inside a text of a body that was escaped
as a whole: if only quotes were escaped, that one would end the text."""

_ENTITY: Final = re.compile(r"&(?:[#\w]{1,40};)?")
_ENTITIES_OF_QUOTES: Final = (("&quot;", ""), ("&#34;", "&#39;"), ("&#034;", "&#039;"), ("&#x22;", "&#x27;"))
"""Match an entity, or the sign that begins one; and how encoders write a quote, and an apostrophe where they escape it."""


def undone(body: str) -> Iterator[tuple[str, str, str]]:
    """Yield each of these fixes that a body needs, in their order: its name, and the body before and after it."""
    for fix, undo in (("quoted_lines", _unquoted), ("escaped_body", _unescaped), ("entities", _without_entities)):
        after = undo(body)
        if after is not None:
            yield fix, body, after
            body = after


def shows_escaping(body: str) -> bool:
    """Return whether a body that was escaped shows that all of it was, and not only its quotes."""
    return _SHOWS_ESCAPING.search(body) is not None


def _unquoted(body: str) -> str | None:
    """Return a body without the `>` of block quotes, nested ones included; None if a line lacks it."""
    if not body.startswith(">"):
        return None
    lines, taken = body.split("\n"), 0
    last = len(lines) - (not lines[-1])
    while taken < _QUOTES_IN_QUOTES and all(line.startswith(">") for line in lines[:last]):
        mark = "> " if all(line.startswith("> ") or line == ">" for line in lines[:last]) else ">"
        lines = [line.removeprefix(mark).removeprefix(">" if line == ">" else "") for line in lines]
        taken += 1
    return "\n".join(lines) if taken else None


def _unescaped(body: str) -> str | None:
    """Return the text of a body that is the inside of a JSON string; None if the body is anything else."""
    if not _ESCAPED.match(body):
        return None
    try:
        text: str = json.loads(f'"{body}"', strict=False)
    except ValueError:
        return None
    return text if _is_escaped_whole(body, text) else None


def _is_escaped_whole(body: str, text: str) -> bool:
    """Return whether a body was escaped as a whole, and not only its quotes; `text` is what it says.

    The text shows it by a quote that is still escaped, or by a line break that the body lacks. If it has neither, its strings
    may have escaped line breaks between their lines, and no other backslash; and no backslash at all if the body has bare line
    breaks, which would have been escaped too.
    """
    if _ESCAPED_QUOTE.search(text) or text.count("\n") > body.count("\n"):
        return True
    if "\n" in body.strip():
        return not any("\\" in raw for raw in STRING.findall(text))
    return not any("\\" in raw and not breaks_lines_only(raw) for raw in STRING.findall(text))


def _without_entities(body: str) -> str | None:
    """Return a body with quotes in place of their entities; None if that is not JSON.

    None too if the body has bare quotes, other entities, or `<` or `>`: then nobody knows what was escaped. Or if its
    backslashes may have been escaped too: entities hide whether its quotes were. Who writes a quote by its number escapes
    apostrophes so, too.
    """
    if "&" not in body or '"' in body or "<" in body or ">" in body:
        return None
    entities = set(_ENTITY.findall(body))
    quote, apostrophe = next(((one, other) for one, other in _ENTITIES_OF_QUOTES if one in entities), ("", ""))
    if not quote or not entities <= {quote, apostrophe} or (apostrophe in entities and "'" in body):
        return None
    text = body.replace(quote, '"')
    if not accepts(text) or may_be_escaped_twice(body, STRING.findall(text)):
        return None
    return text.replace(apostrophe, "'") if apostrophe in entities else text
