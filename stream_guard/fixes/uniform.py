"""Whether a text may have the damage that the block shows between its tokens.

What replaces a mark replaces all of them: a program that makes `'` of `"`, `=>` of `:` or `[` of `{` does not stop at the edge
of a text. Between the tokens its change is known, and undone. In a text it looks like something that was written so:
`echo '$HOME'` is a command as well as `echo "$HOME"` is.

Rule 1: a check only refuses, and asks two things: whether all marks of a kind were replaced (not one of them is left in the
block), and whether a text has what replaced them, in a place where the mark may have stood.
Rule 2: a language that writes its own marks so leaves no such sign: a text in single quotes may have an apostrophe, and code
that is an argument of a call may have an `=`.
Rule 3: each text is looked at once for each mark.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from ..values.call_keys import TOOL_KEY
from .catalogue import leaving
from .reading import Fixed, Key, Step, String

_LACKING: Final = leaving("last_brace")

_BEHIND_A_LETTER: Final = r"(?<=[^\W\d_])(?<!\b[bfruBFRUL])(?<!\b[bfrBFR]{2})"
"""A pattern for a place after a letter that is not the prefix of a literal (`f'x'`)."""

_APOSTROPHE: Final = re.compile(rf"{_BEHIND_A_LETTER}\\?'(?=[^\W\d_])")
"""Matches the apostrophe in a word, escaped or not."""

_ESCAPED_APOSTROPHE: Final = re.compile(rf"{_BEHIND_A_LETTER}\\'(?=[^\W\d_])")
"""Matches the escaped apostrophe in a word."""

_OF_SEVERAL: Final = re.compile(r"[^']*s\\?'\s[^']*")
"""Matches a text whose only quote is the apostrophe of a plural: `the dogs' bowl`."""

_A_QUOTE: Final = r"\\?[\"'`“”]"
"""A pattern for a quote, escaped or not."""

_LACKS_A_COMMA: Final = re.compile(r"[^\[({]*+[\[({].*?(?:\d|[\"'])(?:\s|\\n)+(?:\d|\\?[\"'\[{])", re.DOTALL)
"""Matches a text with a bracket, and behind it two values with no more than blanks between them."""

_SIGNS: Final = ("=>", "->", ":=", "=", "::", ": :")
"""The signs that are written in place of a colon."""

_BEHIND_A_KEY: Final = {
    sign: re.compile(rf"[{{,]\s*{_A_QUOTE}[^\"'`\\\n]{{1,80}}{_A_QUOTE}\s*{re.escape(sign)}(?![=>])") for sign in _SIGNS
}
"""Matches such a sign after a key in quotes, by the sign. Code seldom has that on purpose."""

_BEHIND_A_WORD: Final = {
    sign: re.compile(rf"(?:{_A_QUOTE}|(?:\A|[{{,;\n\"'`]|\\n)[^\S\n]*[\w.$-]{{1,80}})\s*{re.escape(sign)}(?![=>])")
    for sign in _SIGNS
}
"""Matches such a sign after any quote, or after the first word of a line, an object or a literal, by the sign."""

_FOR_A_BACKSLASH: Final = re.compile(
    r"""
    [¥₩＼￥￦∖⧵﹨]
    (?: (?<![\d"'].)(?<!\d\ .)["'] | [nrt] | u[0-9a-fA-F]{4} )
    """,
    re.VERBOSE,
)
"""Matches a sign that fonts and keyboards of some countries have in place of the backslash, with the character of the escape
after it. Before a quote the sign is a currency if it is after a number, or alone in its quotes."""


def may_bear_the_damage_of_the_marks(
    body: str, steps: Sequence[Step], pairs: Sequence[tuple[String, str]], fixes: Collection[str]
) -> bool:
    """Return whether a text of a mended body may have the same damage as the marks between its tokens.

    `pairs` are the strings of its steps, each with its text as written, and `fixes` the names of all fixes among the steps.
    """
    texts = [raw for _, raw in pairs]
    return (
        ('"' not in body and _have_its_quotes(pairs))
        or ("separator" in fixes and _have_its_separators(body, steps, texts))
        or _have_its_brackets(body, texts, fixes)
        or ("extra_comma" in fixes and any(",," in raw for raw in texts))
        or ("missing_comma" in fixes and _have_its_commas(body, texts))
        or (not body.isascii() and any(_FOR_A_BACKSLASH.search(raw) is not None for raw in texts))
    )


def _have_its_quotes(pairs: Sequence[tuple[String, str]]) -> bool:
    """Return whether a text contains the kind of quote that encloses it. In a block without any `"` all such quotes may have
    been `"`.

    The answer is False if the apostrophe of a word is escaped: then the writer chose these quotes.
    """
    ticked = any(string.mark == "`" and "`" in raw for string, raw in pairs)
    quoted = "\n".join([raw for string, raw in pairs if string.mark == "'" and "'" in raw])
    rest = _APOSTROPHE.sub("", quoted)
    return ticked or ("'" in rest and _OF_SEVERAL.fullmatch(rest) is None and _ESCAPED_APOSTROPHE.search(quoted) is None)


def _have_its_separators(body: str, steps: Sequence[Step], texts: Sequence[str]) -> bool:
    """Return whether a text contains, as after a key, the sign that the block has in place of every colon.

    Colons of the text show nothing: a program that replaces one without a blank leaves one with a blank.
    """
    keys = [step for step in steps if isinstance(step, Key)]
    written = [body[step.start : step.end] for step in steps if isinstance(step, Fixed) and step.fix == "separator"]
    named = sum(body[key.start : key.end] == TOOL_KEY for key in keys)  # a native call gets its name with a colon
    if len(written) < len(keys) - named or len(set(written)) != 1:
        return False
    sign = written[0]
    if sign in ("::", ": :"):
        return any(sign in raw for raw in texts)
    quoted = all(body[key.end : key.end + 1] in ('"', "'", "”") for key in keys)
    behind = (_BEHIND_A_WORD if quoted else _BEHIND_A_KEY)[sign]
    return any(sign in raw and behind.search(raw) is not None for raw in texts)


def _have_its_commas(body: str, texts: Sequence[str]) -> bool:
    """Return whether a text may lack its commas, as the block does: it has two values beside each other in brackets.

    One comma may be left: a native call gets its name with a comma.
    """
    if body.count(",") > 1 or any("," in raw for raw in texts):
        return False
    return any(_LACKS_A_COMMA.match(raw) is not None for raw in texts)


def _have_its_brackets(body: str, texts: Sequence[str], fixes: Collection[str]) -> bool:
    """Return whether brackets of a text may have been braces, as those of the block were; or whether a text may have lost its
    last braces, as the block did.
    """
    if "square_object" in fixes and "{" not in body and "}" not in body:
        return any("[" in raw or "]" in raw for raw in texts)
    return not _LACKING.isdisjoint(fixes) and "}" not in body and any("{" in raw for raw in texts)
