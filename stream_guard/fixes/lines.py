"""Whether a string may have several lines, as far as its field shows.

The model may have forgotten to escape a raw line break in a string, or the line may have been wrapped there. In the text of a
message or a file, the model forgot to escape it. In an id, a path or an item of a list no line break was meant, and what the
value should have been is undetermined.

Rule 1: a text with a pattern, a format, a list of values or a short length has one line; so has an item of a list.
Rule 2: so has a text whose name ends in a word for an id, a path, an address, a kind or a title, whatever its schema says.
Rule 3: in a call of a destructive tool, no raw line break is taken as meant: a wrapped text must not destroy the wrong thing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from ..schema.fields import Field
from ..schema.spelling import tokens
from ..values.issues import JsonPath

_SHORT: Final = 64
"""The largest `maxLength` of a text that counts as one line."""

_WORDS_OF_IDS: Final = """
    id ids uid uuid guid key keys login host hostname domain url urls uri link href email emails ip port slug branch commit sha
    hash ref token iban account sku isbn ean barcode serial
"""

_WORDS_OF_ONE_LINE: Final = """
    path paths file files filename filepath dir directory folder name names username user users tag tags version date dates
    time times datetime timestamp timezone day start begin end since until due deadline expires expiry birthday birthdate
    phone mobile fax currency locale language lang unit color colour type kind status state mode format extension mime
    encoding service zone region bucket table column database to from cc bcc recipient recipients zip zipcode postcode
    reference
"""

_WORDS_OF_TITLES: Final = """
    title titles subtitle subject heading headline label labels caption alt
"""

_WORDS_OF_A_LONG_TEXT: Final = """
    text texts body content contents message messages html markdown md code source script sql query note notes comment comments
    description summary reason explanation details patch diff snippet prompt template string old new search replace replacement
    document article answer reply terms rules instructions command commands
"""

_WORDS_OF_CODE: Final = """
    code source script sql query command commands snippet
"""

_WORDS_OF_FILES: Final = """
    content contents code source script html markdown md patch diff snippet template old new search replace replacement string
    document before after
"""

_WORDS_OF_COMMANDS: Final = """
    command commands cmd cmds
"""

_WORDS_OF_MARKED_TEXTS: Final = """
    date dates time times timestamp datetime day start end begin from to since until before after due deadline when at on
    expires expiry birthday birthdate host hostname ip address addresses domain url uri phone mobile fax
"""

_BLANKS: Final = (" ", "\t")

_IDS: Final = frozenset(_WORDS_OF_IDS.split())
_ONE_LINE: Final = _IDS | frozenset(_WORDS_OF_ONE_LINE.split())
_TITLES: Final = frozenset(_WORDS_OF_TITLES.split())
_LONG: Final = frozenset(_WORDS_OF_A_LONG_TEXT.split())
_CODE: Final = frozenset(_WORDS_OF_CODE.split())
_FILES: Final = frozenset(_WORDS_OF_FILES.split())
_COMMANDS: Final = frozenset(_WORDS_OF_COMMANDS.split())
_MARKED: Final = frozenset(_WORDS_OF_MARKED_TEXTS.split())


def without_indent(body: str, indent: int) -> str | None:
    """Return a body without the indentation of its fence, as CommonMark reads it.

    None if some line has less than that indentation: then the blanks before a line may belong to the fence, or to a string.
    """
    lines = body.split("\n")
    if not any(line[:1] in _BLANKS for line in lines if line.strip()):
        return body
    if any(line.strip() and not line.startswith(" " * indent) for line in lines):
        return None
    return "\n".join(line[min(indent, len(line) - len(line.lstrip(" "))) :] for line in lines)


def has_one_line(field: Field) -> bool:
    """Return whether the schema of a text allows only one line: by its values, a format, a pattern or a short length."""
    longest = field.rules.get("maxLength")
    short = isinstance(longest, int) and longest <= _SHORT
    return short or bool(field.allowed) or field.format is not None or "pattern" in field.rules


def names_one_line(path: JsonPath) -> bool:
    """Return whether the text at this path should have one line: its name says so, or it is an item of a list."""
    return names_a_word(path) or (bool(path) and _last_word(path) in _TITLES)


def names_a_title(path: JsonPath) -> bool:
    """Return whether the name of the text at this path is one of a title or a name. An item of a list has no name."""
    return bool(path) and not isinstance(path[-1], int) and (_last_word(path) in _TITLES or _last_word(path) == "name")


def names_a_word(path: JsonPath) -> bool:
    """Return whether the text at this path is no sentence: its name is one of an id, a path or a kind, or it is an item of a
    list.
    """
    return bool(path) and (isinstance(path[-1], int) or _last_word(path) in _ONE_LINE)


def names_an_id(path: JsonPath) -> bool:
    """Return whether the name of the text at this path, or of the list that it is in, is one of an id or an address."""
    named = [step for step in path if isinstance(step, str)]
    return bool(named) and _last_word(named) in _IDS


def names_a_long_text(path: JsonPath) -> bool:
    """Return whether the name of the text at this path is one of a text of several lines: `content`."""
    return _ends_with_a_word_of(path, _LONG)


def names_code(path: JsonPath) -> bool:
    """Return whether the name of the text at this path is one of code, a command or a query."""
    return _ends_with_a_word_of(path, _CODE)


def names_a_text_of_a_file(path: JsonPath) -> bool:
    """Return whether the name of the text at this path is one of a file, or of a piece of one."""
    return _ends_with_a_word_of(path, _FILES)


def names_a_command(path: JsonPath) -> bool:
    """Return whether the name of the text at this path is one of a command."""
    return _ends_with_a_word_of(path, _COMMANDS)


def names_a_text_with_marks(path: JsonPath) -> bool:
    """Return whether the name of the text at this path is one of a date, a time or an address.

    Such a text looks like a number if it lost its quotes and its marks: `20261122` for `2026-11-22`.
    """
    named = [step for step in path if isinstance(step, str)]
    return bool(named) and _last_word(named) in _MARKED


def _ends_with_a_word_of(path: JsonPath, words: Collection[str]) -> bool:
    """Return whether the last word of the name of the text at this path is in `words`. An item of a list has no name."""
    return bool(path) and not isinstance(path[-1], int) and _last_word(path) in words


def _last_word(path: Sequence[str | int]) -> str:
    return tokens(str(path[-1]))[-1]
