"""Recognises template calls: examples whose strings are placeholders, such as `<path>`.

Rule 1: all strings of a template are placeholders, except choices, of which a template shows one. Other values do not count.
Rule 2: a sign of a placeholder (`<b>`) may be a real value, and so may the one word that is the field's name. If it is the only
string of the call, the call is no template. The type, the name or the description of the field itself always counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from ..schema.fields import Field
from ..schema.spelling import tokens
from ..values.call_keys import TOOL_KEY
from .lines import names_a_long_text

_PLACEHOLDER: Final = re.compile(
    r"<[A-Za-z][\w .:'/-]{0,60}>|\{{1,2}\s?[A-Za-z_$][\w .$'\"\[\]-]{0,60}\}{1,2}|\[[A-Z][A-Z0-9_ ]{2,60}\]"
    r"|\$\{[^{}\n]{1,60}\}|\$[A-Za-z_]\w{0,60}(?:\.\w{1,60}|\[\w{1,60}\]){1,6}|%\(?[A-Za-z_]\w{0,60}(?:\)s|%)"
    r"|(?:INSERT|YOUR|ENTER)_[A-Z0-9_]{1,60}|[A-Z][A-Z0-9_ ]{0,60}[_ ]HERE|[a-z]\w{0,60}_here|PLACEHOLDER|TBD|TBC|TODO"
    r"|(?:your|insert|enter|put) [\w ]{1,60} here|to be (?:filled in|determined|decided|defined|added|provided)"
)
"""Matches a placeholder: `<path>`, `{path}`, `${name}`, `YOUR_TOKEN`, `TODO`."""

_TYPE: Final = re.compile(
    r"\W{0,3}(?:(?:optional|required)[\s:,]{1,3})?(?:string|str)\W{0,3}(?:(?<!\s)\Z|[(\[|,:;>/?*-].{0,200})"
    r"|\W{0,3}(?:optional|required|nullable)\W{0,3}|\.{3}|\u2026",
    re.IGNORECASE | re.DOTALL,
)
"""Matches the type of a text, alone or with more about it (`string (required)`), or a text that means any text (`...`)."""


def is_a_template(call: Any, about: Field | None, *, destroys: bool = False) -> bool:
    """Return whether a call of a tool with these fields is a template. If it `destroys`, a single placeholder is enough."""
    if not isinstance(call, dict):
        return False
    texts = sorted(_texts({key: item for key, item in call.items() if key != TOOL_KEY}, about, ""), key=lambda it: len(it[0]))
    shown = False
    for text, field, name in texts:  # most calls end with the first text, which is the quickest to read
        if _says_what_is_due(text, field, name):
            shown = True
        elif text != name and _PLACEHOLDER.fullmatch(text) is None:
            return False
    return shown or len(texts) > 1 or (destroys and bool(texts))


def _says_what_is_due(text: str, about: Field | None, name: str) -> bool:
    """Return whether a text is only the type, the name or the description of its field."""
    if _TYPE.fullmatch(text) is not None:
        return True
    if about is None:
        return False
    words, own, described = _words(text), _words_of_a_schema(name), about.description
    if words == own:
        return len(words) > 1 or text.strip(_MARKS) != text
    return (bool(described) and words == _words_of_a_schema(str(described))) or _describes(text, words, name)


def _describes(text: str, words: tuple[str, ...], name: str) -> bool:
    """Return whether a text describes its field: it has every word of the field's name, and more (`The id of the user`).

    If the name has one word, the text must begin with an article. In a field for long texts nothing counts as a description.
    """
    own = set(_words_of_a_schema(name))
    if not own or not own < set(words) or names_a_long_text((name,)):
        return False
    return words[0] in _ARTICLES or (len(own) > 1 and " " in text)


_MARKS: Final = "<>[]{}$%_ "
"""The marks around a placeholder."""

_ARTICLES: Final = frozenset({"a", "an", "the", "your"})


def _words(text: str) -> tuple[str, ...]:
    """Return the words of a text, without the marks around and between them."""
    return tuple(word for part in _WORD.findall(text, 0, _LONGEST) for word in tokens(part))


_words_of_a_schema: Final = lru_cache(maxsize=1024)(_words)  # the same names and descriptions come with each call

_WORD: Final = re.compile(r"[^\W_]+")

_LONGEST: Final = 1_000
"""The number of characters of a text whose words are read."""


def _texts(value: Any, about: Field | None, name: str) -> Iterator[tuple[str, Field | None, str]]:
    """Yield the strings of a value whose fields list no choices, each with its field and the field's name."""
    if isinstance(value, str):
        if about is None or not about.allowed:
            yield value, about, name
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(item, about.at((key,)) if about is not None else None, key)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _texts(item, about.at((index,)) if about is not None else None, name)
