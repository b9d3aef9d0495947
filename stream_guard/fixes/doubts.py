"""Refuses a body that was read to its end if something in it may mean something else than what was read.

The reader takes the cheapest way through a body. These checks look at the result as a whole: at what a string may have
swallowed, at conventions that contradict each other, and at what may have been lost without a trace.

Rule 1: a check only refuses. None of them changes what was read.
Rule 2: each looks at every string once, so all of them together are linear in the body.
"""

from __future__ import annotations

import html
import re
from collections.abc import Container, Iterable
from itertools import islice, pairwise
from typing import Final

from ..values.call_keys import ARGUMENT_KEYS
from ..values.characters import CONTROL
from .brackets import WITHOUT_A_BRACE, are_doubled
from .catalogue import leaving
from .edges import took_a_mark
from .grammar import WRAPPERS
from .layout import lost_a_line
from .line_breaks import OVER_LINES
from .one_fault import marks_tell_of_one
from .reading import LITERALS, Close, Fixed, Join, Key, Open, Scalar, Step, String
from .strings import breaks_a_literal, may_be_escaped_twice, shows_lines, undoubled, unknown_escapes
from .swallowed import has_one_too_many, holds_members, slipped, taken
from .uniform import may_bear_the_damage_of_the_marks
from .widths import AROUND, was_wrapped

_ENVELOPES: Final = frozenset({"tool_calls", *ARGUMENT_KEYS, *WRAPPERS})

_TYPOGRAPHIC: Final = frozenset("“”„")
_TYPOGRAPHIC_MARK: Final = re.compile("[“”„]")
_ENTITY: Final = re.compile(r"&(?:quot|amp|lt|gt|apos|#\d{2,5}|#[xX][0-9a-fA-F]{2,4});")
_QUOTED: Final = frozenset("\"'“”„‘’`")
_MARKUP: Final = re.compile(r"[<>]|&(?!#?\w+;)")
"""Matches a character that HTML would have escaped: `<`, `>`, and an `&` that begins no entity."""

_BARE_KEY: Final = re.compile(r"(?:\A|[,{\[;\n]|\\n)[^\S\n]*([\w$.-]{1,80})\s*(?:[:：]|=(?!=))")
"""Matches a key without quotes at the beginning of a member: `path:`, `path=`."""

_VALUE: Final = re.compile(r"[:：=]\s*[\"'`“”„]")
"""Matches the colon or equals sign after a key, and the quote with which its value begins."""

_KEYS: Final = {mark: re.compile(rf"\n[ \t]*{mark}(\w{{1,80}}){mark}\s*:") for mark in "\"'"}
"""Matches a line that begins with a key in quotes and its colon, for each kind of quote."""

_SCALAR: Final = re.compile(r"\s*(?:[-+.,\d]+|true|false|null)?\s*", re.IGNORECASE)
_THREE_QUOTES: Final = frozenset({'"""', "'''"})
_THREE: Final = re.compile(r"\\\\(?<!\\\\\\)(?:\\\\)*\\[bfrt]")
r"""Matches three backslashes or more before the letter of an escape: `\\\t`."""

_CODE_POINT: Final = re.compile(
    r"u(?<!\\u)(?:00[89a-fA-F][0-9a-fA-F]|(?:(?<![^\W_]u)|(?<=\\u[0-9a-fA-F]{4}u))(?:0[1-9a-fA-F]|20)[0-9a-fA-F]{2}"
    r"|[dD][89abAB][0-9a-fA-F]{2}u[dD][c-fC-F][0-9a-fA-F]{2})"
)
"""Matches the number of a character as JSON escapes it, without its backslash: `u00e9`."""

_NUMBER: Final = re.compile(r"\\(?<!\\\\)(?:\\\\)*u[0-9a-fA-F]{4}")
r"""Matches the number of a character as JSON escapes it: `\u00e9`.

This pattern and those above begin with a sign and look back from there: the search for a sign is fast."""

_NEXT_LINE: Final = re.compile(r",\s*\n")
"""Matches a comma and the end of its line: two items may have become one string."""

_NEXT_MEMBER: Final = re.compile(r"\s*,\s*[\"'`]?[\w$.-]{1,80}[\"'`]?\s*(?::|=>?)\s*\Z")
"""Matches a string that is only a comma and a key: `, "path":`."""

_TWICE_ESCAPED: Final = re.compile(r'\\(?<!\\\\)\\(?:\\\\)*"')
"""Matches a quote with two backslashes or more before it."""

_TAB_IN_A_LINE: Final = re.compile(r"\\t(?<=[^\\\s]\\t)(?<!\\[nt]\\t)(?!\\n|\Z)")
"""Matches the escape of a tab in the middle of a line."""

_NOT_OF_JSON: Final = frozenset("'`")
_OF_PYTHON: Final = frozenset({"'", *_THREE_QUOTES})
_SLASH: Final = re.compile(r"\\(?<!\\\\)(?:\\\\)*/")
r"""Matches an escaped slash: `\/`."""

_ANY_ESCAPE: Final = re.compile(r"\\.", re.DOTALL)

_BREAKS_NO_LINE: Final = re.compile(
    r"""
    \\n(?=\w)  # first: the search for it is fast
    (?: (?<=[~%]\\n) | (?<=[A-Za-z]:\\n)(?<![^\W_].:\\n)
      | (?<=\.\\n)(?<![.\w]\.\\n) | (?<=\.\.\\n)(?<![.\w]\.\.\\n) )
    """,
    re.VERBOSE | re.DOTALL,
)
r"""Matches a `\n` that may be part of a path: after a drive, a folder or a variable."""

_BEHIND_A_DRIVE: Final = re.compile(r":\\(?<=(?<!\w)[A-Za-z]:\\)[bfnrt]\w")
r"""Matches the beginning of a path of Windows with a backslash that was not doubled: `C:\new`."""

_BEGINS_WITH_A_BREAK: Final = re.compile(r"\\n\w")
r"""Matches a `\n` at the beginning of a text and a letter after it, which may begin a path or a formula: `\new`, `\nabla`."""

_LAYOUT: Final = re.compile(r"(?<!\\)\\n(?:\\n|[ ]{2}|\Z)")
"""Matches an escaped line break at the end of a text, or before an empty or indented line: a line break that was meant."""

_BEGINS_WITH_A_TAB: Final = re.compile(r"\\t[A-Za-z]")
r"""Matches a `\t` at the beginning of a text and a letter after it: `\textit`."""

_ESCAPES: Final = re.compile(r"\\[nt\\]")
r"""Matches `\n`, `\t` or a doubled backslash: an escape that may have been meant literally."""

_BREAK_OR_TAB: Final = re.compile(r"\\[nt](?<!\\\\[nt])")
"""Matches an escaped line break or tab."""

_CHANGING: Final = re.compile(r"\\(?:[\\/ubf]|r(?!\\n))")
r"""Matches any escape except `\"`, `\t`, `\n` and the `\r` before a `\n`."""

_LACKING: Final = leaving("bracket")
"""The fixes after which it is uncertain where an object or a list ends."""

_OPENER: Final = re.compile(r"[{\[]")
_BRACKET: Final = re.compile(r"[}\]]")
_CLOSING_BRACE: Final = re.compile(r"\}")
_ENDS: Final = re.compile(r"[\s}\]]*\Z")
_HOLE: Final = re.compile(r", {2,}\S")
"""Matches a comma, two blanks or more, and the beginning of the next token."""

_ALONE: Final = {mark: re.compile(rf"[^{mark}]*(?<![\w\\]){mark}(?![\s{mark}])") for mark in "\"'"}
"""Matches a text up to its first quote, if that quote opens a literal and is written once; for each kind of quote."""

_BRACES_UNKNOWN: Final = leaving("braces")
"""The fixes of blocks whose own braces are doubled or missing. Then nothing shows whether braces in strings were doubled."""

_UNSEEN: Final = "[\u200b-\u200f\u2060\ufeff]"
"""A character class of the invisible characters that may occur between two tokens."""

_UP_TO_A_TOKEN: Final = re.compile(rf"(?:[\s,]++|{_UNSEEN}++|//[^\n]*+|#[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)*+")
"""Matches the blanks, commas and comments between two tokens."""

_EMPTY_LINE: Final = re.compile(rf"(?>\r\n?|\n)(?:[^\S\r\n]|{_UNSEEN})*(?>\r\n?|\n)|\n(?:[^\S\n]|{_UNSEEN})*\n")
"""Matches an empty line."""

_WHERE_ONE_MAY_BE_LOST: Final = leaving("lost")
"""The fixes at which an item or a member may be lost."""

_COMMA_AT_AN_EDGE: Final = re.compile(r"\A(?:\s|\\[nrt])*+(?:,|(?<![ ]{2})(?:[^\n\\]|\\[^n])*,(?:\s|\\[nrt])*+\Z)")
"""Matches a text that begins with a comma, or a text of one line that ends with one. Code that is indented, or of several
lines, may end with a comma."""

_BEFORE_A_COMMA: Final = re.compile(r"\d[ \n]")
"""Matches a digit and the blank or line break after it, just before a comma."""

_LOST_BREAK: Final = re.compile(
    r"""
    [.,:;!?)\]}](?=n)  # one class first: the search for it is fast
    (?: (?<![.!?])n{1,2}(?:[ ]{2,}|(?=["'`])|\Z) | (?<=[)\]}])n(?!(?:ew|ull|ot)\b)[A-Za-z] | nn[A-Za-z] )
    """,
    re.VERBOSE,
)
"""Matches the `n` of a line break that lost its backslash: between two lines of code, or doubled between two paragraphs."""

_LOST_IN_ONE_LINE: Final = re.compile(
    r"""
      (?:[^\w]|\d)(?:r?n){1,2}[ ]{2,}(?=\S) | [A-Za-z_]n[ ]{2,}(?=[A-Za-z"'<@$}])     # before an indented line
    | \A(?:r?n){1,2}(?=[^\w\s.,;:)=]) | [.,!?>"'`)\]};{(](?:r?n){1,2}\Z              # at the beginning, and at the end
    | [)\]}](?:r?n){1,2}(?!(?:ew|ull|ot)\b)[^\s.,;:)\]}]                            # behind a bracket
    | [)\]};:,{(\[](?:r?n){1,2}(?=["'`])                                           # between a mark and a quote
    | (?:[;,)}\]"']|\d(?!n\))|/>|</\w{1,20}>)(?:r?n){1,2}(?=[}\])]|</?[A-Za-z!]) # before a bracket or a tag
    | ">(?:r?n){1,2}(?=<[A-Za-z!])
    | (?:</\w{1,20}>|/>|\#include\ <[\w./]{1,80}>)(?:r?n){1,2}[A-Za-z]              # after a tag
    | (?<!&lt)(?<!&gt)(?<!&amp)(?<!&quot)(?<!&nbsp)[;{]r?n(?:r?n|[/\#$@-](?!-))      # after a statement, before a mark
    | (?<!&lt)(?<!&gt)(?<!&amp)(?<!&quot)(?<!&nbsp);r?n                              # and before another one
      (?!(?:ew|ull|ot|ext|ame|ode|pm|um|ohup|umber|av|ow|one|arg)\b)[A-Za-z_]
    | [A-Z]{2}r?n(?=[A-Z@/\#"])
    | (?:[?!,;]|["')\]]\.)r?n(?=[A-Z]) | %[sdfiux]n(?=["'])                           # between sentences, and after a format
    | \A([*+-]\ )[^\n]*?\Sn\1 | \A\d+[.)]\ [^\n]*?\Sn\d+[.)]\  | \A\|[^\n]*\|n\Z     # after an item, and a row
    """,
    re.VERBOSE,
)
"""Matches the `n` of a line break that lost its backslash in a string of one line: an `n` that is no word there, beside the
layout of code."""

_LEFT_OUT: Final = frozenset({"...", "…"})


class _Read:
    """The steps of the reader for a body, sorted by kind, and the fixes that were made."""

    __slots__ = ("bare_quotes", "body", "fixed", "fixes", "keys", "pairs", "scalars", "steps", "strings", "texts")

    def __init__(self, body: str, steps: Iterable[Step]) -> None:
        self.body: Final = body
        self.steps: Final = tuple(steps)
        self.strings: Final = [step for step in self.steps if type(step) is String]
        self.bare_quotes: Final = any(string.quotes for string in self.strings)
        """Whether a string has quotes that were not escaped."""

        self.texts: Final = [body[string.start : string.end] for string in self.strings]
        self.pairs: Final = tuple(zip(self.strings, self.texts, strict=True))
        self.keys: Final = [step for step in self.steps if type(step) is Key]
        self.scalars: Final = [step for step in self.steps if type(step) is Scalar]
        self.fixed: Final = [step for step in self.steps if type(step) is Fixed]
        self.fixes: Final = {step.fix for step in self.fixed}

    def quoted(self) -> list[String | Key]:
        """Return the steps of all strings and keys."""
        return [*self.strings, *self.keys]

    def made(self, fix: str) -> list[Fixed]:
        """Return the steps in which this fix was made."""
        return [step for step in self.fixed if step.fix == fix] if fix in self.fixes else []


def is_doubtful(body: str, steps: Iterable[Step], fields: Container[str], outer: Container[str], *, careless: bool) -> bool:
    """Return whether a reading of the body may differ from what was meant.

    Args:
        body: The text that was read.
        steps: What the reader found in it, in order.
        fields: The names of all fields of all tools.
        outer: The names of the fields that a call itself has, and no object inside it.
        careless: Whether the writer of the body left some backslash undoubled.
    """
    read = _Read(body, steps)
    return (
        _lost_backslashes(read, careless=careless)
        or _took_other_quotes(read)
        or _holds_more(read, fields)
        or _moved_a_bracket(read, outer)
        or _moved_a_member(read)
        or _writes_decimal_commas(read)
        or _took_other_blanks(read)
        or took_a_mark(body, read.steps)
        or marks_tell_of_one(body, read.steps, read.strings, read.fixes)
        or may_bear_the_damage_of_the_marks(body, read.steps, read.pairs, read.fixes)
        or ("comment" in read.fixes and read.bare_quotes)  # what looks like one may be code
    )


def _lost_backslashes(read: _Read, *, careless: bool) -> bool:
    """Return whether some backslashes of the strings may have been lost."""
    body = read.body
    if careless and (_writes_no_break(read) or any(type(step) is Join for step in read.steps)):
        return True  # a part of a sum may have such a backslash, and another part show it
    numbers = "\\u" in body
    if _was_escaped(read) or (numbers and _LETTERS_FOR_ZEROS.search(body) is not None):
        return True
    if ("\\" not in body or (numbers and _NUMBER.search(body) is not None)) and _CODE_POINT.search(body) is not None:
        if any(_CODE_POINT.search(body, step.start, step.end) for step in read.quoted()):
            return True  # the `u00e9` of a character that lost its backslash
    if "\\" in body and (_escapes_nothing(read) or any(map(_shouts_an_escape, read.texts))):
        return True
    if read.bare_quotes and (_escaped_by_another_sign(read) or any(map(_HALF_A_CONTINUATION.search, read.texts))):
        return True
    return (careless or read.bare_quotes) and _lost_one_of_each(read)


def _shouts_an_escape(raw: str) -> bool:
    r"""Return whether a string may have `\N` or `\T` for a line break or a tab, as Caps Lock writes them.

    It may, if it has no small letters, or if a mark stands before the backslash: no path and no command goes on so.
    """
    if _CAPITAL_ESCAPE.search(raw) is None:
        return False
    return _ANY_ESCAPE.sub("", raw).isupper() or _CAPITAL_BREAK.search(raw) is not None


_CAPITAL_ESCAPE: Final = re.compile(r"\\(?<!\\\\)(?:\\\\)*[NTR]")
r"""Matches `\N`, `\T` or `\R`."""

_CAPITAL_BREAK: Final = re.compile(r"[,;!?)\]}>\"'\-](?:\\N)+|\\N(?:\\N|\Z)")
r"""Matches `\N` after a mark, twice, or at the end of a text."""


def _escaped_by_another_sign(read: _Read) -> bool:
    r"""Return whether a text with bare quotes may have another sign in place of a backslash: `say /"a\" now`."""
    return any(string.quotes and '\\"' in raw and _SIGN_AND_QUOTE.search(raw) is not None for string, raw in read.pairs)


_SIGN_AND_QUOTE: Final = re.compile(r"[/|¦´`¬]\"")
"""Matches a bare quote, and before it a sign that looks like a backslash or has its key beside that of the backslash."""

_HALF_A_CONTINUATION: Final = re.compile(r"[^\S\n]\\\\n(?=[ \t]|\\t|\Z)")
r"""Matches a blank, `\\n` and another blank or a tab: a command that goes on in the next line, and lost one of the two
backslashes that escape its own."""


def _lost_one_of_each(read: _Read) -> bool:
    r"""Return whether a string shows the rest of an escape that lost its backslash, and no line break is certainly escaped.

    If one backslash was lost of each run, `\\d` became `\d`, `\n` became `n` and `\u0027` became `u0027`.
    """
    if "\\n" in read.body and any("\\n" in raw and shows_lines(raw) for raw in read.texts):
        return False
    numbers = "\\u00" not in read.body
    return any(
        ("n" in raw and _lost_breaks(raw)) or (numbers and "u00" in raw and _LOST_NUMBER.search(raw) is not None)
        for raw in read.texts
    )


_LETTERS_FOR_ZEROS: Final = re.compile(r"\\(?<!\\\\)(?:\\\\)*u(?=[0-9a-fA-F]{0,3}[oO])[0-9a-fA-FoO]{4}")
r"""Matches the escaped number of a character in which the letter `o` stands for a zero: `\u0o41`."""


def _writes_no_break(read: _Read) -> bool:
    r"""Return whether `\n` or `\t` may be a backslash and a letter, because a string of the block has backslashes that were not
    doubled.

    That string may be a pattern, and the string with `\n` the text that replaces what the pattern finds. A path whose
    backslashes are not doubled shows nothing about the strings.
    """
    texts = [(string, raw) for string, raw in read.pairs if "\\" in raw and not string.plain]
    if not any(_BREAK_OR_TAB.search(raw) is not None and not shows_lines(raw) for _, raw in texts):
        return False
    return any(undoubled(raw, string.quotes, unknown_escapes(raw, string.mark), plain=False) for string, raw in texts)


def _lost_breaks(raw: str) -> bool:
    """Return whether a string has the `n` of a line break that lost its backslash."""
    return _LOST_BREAK.search(raw) is not None or ("\n" not in raw and _LOST_IN_ONE_LINE.search(raw) is not None)


_LOST_NUMBER: Final = re.compile(r"u00[2-7][0-9a-fA-F]")
"""Matches the number of an ASCII character that lost its backslash: `u0027`. Encoders write `<` and `'` so."""


def _escapes_nothing(read: _Read) -> bool:
    r"""Return whether the writer of a body may have escaped nothing: then each backslash was meant as a backslash.

    Where a text has bare quotes, `\textit` may begin with a tab or with a backslash, and `C:\new` has no line break. Where
    one text has bare line breaks, its writer had no reason to escape those of another; only an escaped quote shows that this
    writer escapes. And where something was left bare, `\\` may be one backslash or two, unless something else shows that the
    writer escapes.
    """
    texts = [(string, raw) for string, raw in read.pairs if "\\" in raw]
    if ":\\" in read.body and any(_BEHIND_A_DRIVE.search(raw) is not None for _, raw in texts):
        return True
    quotes = read.bare_quotes
    if quotes:
        for string, raw in texts:
            if _TAB_IN_A_LINE.search(raw) or (not string.quotes and _BEGINS_WITH_A_TAB.match(raw) and "\\n" not in raw):
                return True
            if _BREAKS_NO_LINE.search(raw) is not None or (_BEGINS_WITH_A_BREAK.match(raw) and not _LAYOUT.search(raw, 2)):
                return True
    # An escaped quote shows that the writer escapes, in a body without bare quotes: most bodies end there.
    as_it_is = quotes or ('\\"' not in read.body and _has_bare_controls(read))
    if as_it_is and not _shows_that_it_escapes(read, quotes=quotes) and any(_is_changed(raw) for _, raw in texts):
        return True
    if "\\/" in read.body and any(map(_escapes_some_slashes, read.texts)) and (quotes or _has_bare_controls(read)):
        return True  # who escapes only quotes escapes no slash: `sed 's/\//_/'`
    if "\\'" in read.body and "\\\\" in read.body and _was_printed(read):
        return True
    if '\\"' in read.body or not any(
        "\n" in raw and "\\" not in raw and string.mark not in OVER_LINES for string, raw in read.pairs
    ):
        return False
    return any(_ESCAPES.search(raw) is not None and "\n" not in raw for string, raw in texts if not string.plain)


def _escapes_some_slashes(raw: str) -> bool:
    """Return whether some slashes of a text have a backslash before them, and others have none."""
    return _SLASH.search(raw) is not None and "/" in _ANY_ESCAPE.sub("", raw)


def _has_bare_controls(read: _Read) -> bool:
    """Return whether a string between quotes for one line has a control character that is not escaped."""
    return any(not raw.isprintable() and string.mark not in OVER_LINES and CONTROL.search(raw) for string, raw in read.pairs)


def _was_printed(read: _Read) -> bool:
    r"""Return whether Python may have printed a body: it has `\'` and doubled backslashes, as Python writes them."""
    if not any(string.mark == '"' and "\\'" in raw for string, raw in read.pairs):
        return False
    return not _shows_that_it_escapes(read, quotes=False) and any("\\\\" in raw for raw in read.texts)


def _shows_that_it_escapes(read: _Read, *, quotes: bool) -> bool:
    """Return whether a body shows that its writer escapes: it certainly has an escaped line break, or it has escaped quotes.

    Escaped quotes show it only if no string has bare `quotes`.
    """
    if not quotes and '\\"' in read.body:
        return True
    return any("\\n" in raw and shows_lines(raw) and not breaks_a_literal(raw, either=False) for raw in read.texts)


def _is_changed(raw: str) -> bool:
    """Return whether a string has an escape other than those of quotes, tabs and line ends, or has an escaped line break inside
    a literal of code.
    """
    return _CHANGING.search(raw) is not None or breaks_a_literal(raw, either=False)


def _took_other_quotes(read: _Read) -> bool:
    """Return whether the quotes in which strings were read may be no quotes, or quotes of another language."""
    body = read.body
    if not body.isascii() and (_closes_by_another_mark(read) or _has_some_angles(read)):
        return True
    if _escapes_a_slash(read) or _is_of_another_language(read):
        return True
    if "concatenation" in read.fixes and was_wrapped(body):
        return True  # the `+` may belong to a text, where a program broke its line
    if ('"' in body or "\\" in body) and any(
        string.mark in _NOT_OF_JSON and _is_quoted_again(raw) for string, raw in read.pairs
    ):
        return True
    # A writer who escapes apostrophes escapes all of them: the escaped ones may be quotes that were written with another mark.
    bare = any(string.mark == "'" and string.quotes for string in read.strings)
    return bare and "\\'" in body and _escapes_an_apostrophe(body, read.strings)


def _escapes_a_slash(read: _Read) -> bool:
    r"""Return whether `\/` is in a string that may be Python's. Python keeps that backslash, JSON drops it.

    Strings in Python's quotes may be Python's, and so may all strings of a block whose keys have such quotes or are names of
    arguments.
    """
    marks = {string.mark for string, raw in read.pairs if "\\/" in raw and _SLASH.search(raw) is not None}
    if not marks or not marks.isdisjoint(_OF_PYTHON):
        return bool(marks)
    behind = (read.body[key.end : key.end + 2].strip()[:1] for key in read.keys)
    return "`" not in marks and any(mark in ("'", "=") for mark in behind)


def _is_of_another_language(read: _Read) -> bool:
    r"""Return whether a block may be of a language where `\n` between single quotes is a backslash and a letter.

    In Ruby, Perl and PHP, which write `=>`, only quotes and backslashes are escaped there. In TOML, which writes `=`, and
    in YAML, which needs no quotes, nothing is escaped; and YAML joins the lines of a text.
    """
    singles = [raw for string, raw in read.pairs if string.mark == "'" and "\\" in raw]
    if singles:
        marks = {read.body[step.start : step.end] for step in read.made("separator")}
        if "bare_word" in read.fixes or ("=" in marks and not _is_a_call(read)):
            return True
        if "=>" in marks and any(_ESCAPES_OTHERS.search(raw) is not None for raw in singles):
            return True
    return read.fixes >= {"bare_key", "bare_word"} and any(
        "\n" in raw and string.mark not in OVER_LINES for string, raw in read.pairs
    )


_ESCAPES_OTHERS: Final = re.compile(r"\\(?<!\\\\)(?:\\\\)*[^'\\]")


def _is_a_call(read: _Read) -> bool:
    """Return whether the first key of a body comes after a parenthesis: `write_file(path=`."""
    first = read.keys[0].start if read.keys else 0
    return read.body[:first].rstrip().endswith("(")


def _is_quoted_again(raw: str) -> bool:
    """Return whether a string between quotes that JSON lacks (`'`) has double quotes around its text, or is JSON
    with escapes.

    The double quotes may be the string's own. And nothing shows whether the escapes belong to the JSON or to the outer
    quotes.
    """
    if raw[:1] == '"':
        return len(raw) > 1 and raw.endswith('"') and '"' not in raw[1:-1]
    return "\\" in raw and raw.lstrip()[:1] in ("{", "[")


def _holds_more(read: _Read, fields: Container[str]) -> bool:
    """Return whether a string may have swallowed a part of the block, or may have lost a part of its text."""
    body, fixes = read.body, read.fixes
    typographic = any(body[step.start] in _TYPOGRAPHIC for step in read.made("quote_marks"))
    lacking, left = not fixes.isdisjoint(_LACKING), "extra_closer" in fixes
    closers = left and _has_a_closer_left(read)
    last = next((step for step in reversed(read.steps) if isinstance(step, String | Scalar)), None) if closers else None
    around = {body[key.start - 1] for key in read.keys if key.start} & {"'", '"'}
    for string, raw in read.pairs:
        if len(around) == 1 and string.mark in "'\"" and string.mark not in around and _holds_keys(raw, around, fields):
            return True  # the end of this string was lost, and it goes on to the end of another string
        if _took_in(string, raw, fields, typographic=typographic, bare_keys="bare_key" in fixes) or _lost(string, raw):
            return True
        if (lacking or left) and slipped(raw, lacking=lacking, left=left, closers=closers and string is last):
            return True  # a bracket that is one too many, or missing, may be in a string by a slip
        if not fixes.isdisjoint(WITHOUT_A_BRACE) and "\\n" in raw and breaks_a_literal(raw, either=False):
            return True  # a line break in a literal of code: its backslash was not doubled, and a brace is missing too
    return False


def _has_a_closer_left(read: _Read) -> bool:
    """Return whether a closing bracket is left over. A parenthesis does not count if it closes one that was opened before the
    call.
    """
    body = read.body
    first = next((found.start() for found in _OPENER.finditer(body)), 0)
    left = "".join(body[step.start : step.end] for step in read.made("extra_closer"))
    return _BRACKET.search(left) is not None or left.count(")") > body.count("(", 0, first)


def _moved_a_bracket(read: _Read, outer: Container[str]) -> bool:
    """Return whether a bracket may belong in another place, so that a member belongs to another object."""
    body, fixes = read.body, read.fixes
    closers = [body[step.start : step.end] for step in read.made("extra_closer")]
    if any(_BRACKET.search(closer) for closer in closers):
        if any(map(has_one_too_many, read.texts)):
            return True  # the last bracket of a text may be the one that is missing after the text
        if any(_ENDS.match(body, step.end) for step in read.made("trailing_comma")):
            return True  # a member with a bracket of its own may have been lost between the comma and the brackets
        if "list_end" in fixes:
            return True  # one bracket too few and one too many: a member may stand one level too high, or too low
        if _goes_on_behind_an_object(read.steps, outer):
            return True  # the bracket that is left over may belong to an inner object, which closed too early
    # The braces of the texts were doubled with those of the block, or were doubled before. Or one of two braces was lost,
    # and the other is left over.
    unknown = not fixes.isdisjoint(_BRACES_UNKNOWN) or any("}" in closer for closer in closers)
    return unknown and are_doubled(read.texts)


def _moved_a_member(read: _Read) -> bool:
    """Return whether a member may be lost, or may belong to another object."""
    fixes, body = read.fixes, read.body
    if "missing_comma" in fixes and any(_COMMA_AT_AN_EDGE.search(raw) is not None for raw in read.texts):
        return True  # the comma slid into a text
    if any(_BEFORE_A_COMMA.match(body, step.start - 2) for step in read.made("trailing_comma")):
        return True  # the comma and the digit before it changed places
    if any(step.fix in _WHERE_ONE_MAY_BE_LOST and _stands_at_an_empty_line(body, step) for step in read.fixed):
        return True  # the empty line may have had an item or a member
    if fixes >= {"list_end", "key_quote"} or any(_HOLE.match(body, step.start) for step in read.made("list_end")):
        return True  # one piece is missing, and it held more than these marks
    if _repeats_an_object(read) or (not fixes.isdisjoint(_WHERE_A_FIGURE_MAY_BE_LOST) and _leaves_a_hole(body, read.steps)):
        return True
    if _took_a_sign_of_a_number(read) or _lost_a_figure(read):
        return True
    if "list_end" in fixes and len(fixes & _WHERE_ONE_MAY_BE_LOST) > 1:
        return True  # more than a bracket and a comma may be missing: the end of one object, and the beginning of another
    if fixes >= {"trailing_comma", "missing_comma"} and _closes_before_the_comma(read.steps):
        return True  # the brace may stand one member too early, and the comma after it
    return lost_a_line(body, read.steps)


def _stands_at_an_empty_line(body: str, step: Fixed) -> bool:
    """Return whether there is an empty line where a comma or a bracket is missing, or is one too many."""
    before = len(body[: step.start].rstrip())
    between = _UP_TO_A_TOKEN.match(body, before)
    return between is not None and _EMPTY_LINE.search(between[0]) is not None


def _leaves_a_hole(body: str, steps: Iterable[Step]) -> bool:
    """Return whether the value before a missing or doubled comma may have lost a digit, or may contain the missing comma.

    Where a comma is missing after a number and several blanks follow, the last digits of the number may be missing too.
    Where a comma is doubled, the first comma may stand for the last digit. And a comma near the end of a string may be the
    missing one: the object or the list may end there.
    """
    last: Step | None = None
    for step in steps:
        if not isinstance(step, Fixed):
            last = step if not (isinstance(step, Close) and isinstance(last, String)) else last
        elif step.fix not in _WHERE_A_FIGURE_MAY_BE_LOST:
            continue
        elif isinstance(last, Scalar) and last.word not in LITERALS:
            if step.fix == "extra_comma" or _BLANKS_LEFT.match(body, last.start + len(last.word)) is not None:
                return True
        elif step.fix == "missing_comma" and isinstance(last, String):
            if "," in body[max(last.start, last.end - _A_FEW) : last.end]:
                return True
    return False


_WHERE_A_FIGURE_MAY_BE_LOST: Final = leaving("figures")
"""The fixes at which the value before may have lost a digit, or contain a comma."""

_BLANKS_LEFT: Final = re.compile(r"[^\S\r\n]{2}|[^\S\r\n](?=[\r\n])|\t")
"""Matches blanks after a number that another value may have left: two or more, a tab, or any at the end of the line."""

_A_FEW: Final = 4
"""The most characters from the end of a string at which a comma counts as one that moved into the string."""


def _took_a_sign_of_a_number(read: _Read) -> bool:
    """Return whether a full stop or a comma after the call may be part of the last value, if that has only digits.

    A comma may be part of a string, and not of a number.
    """
    left = "".join(read.body[step.start : step.end] for step in read.made("extra_closer"))
    if "." not in left and "," not in left:
        return False
    last = next((step for step in reversed(read.steps) if isinstance(step, String | Scalar)), None)
    if isinstance(last, Scalar):
        return "." in left and _FIGURES.fullmatch(last.word) is not None
    return last is not None and _FIGURES.fullmatch(read.body, last.start, last.end) is not None


_FIGURES: Final = re.compile(r"-?\d{2,}")


def _lost_a_figure(read: _Read) -> bool:
    """Return whether a number begins with its point (`.5`) while others begin with `0.`: it may have lost another
    digit than 0.
    """
    if not any(_BEGINS_WITH_A_POINT.match(read.body, step.start) for step in read.made("number")):
        return False
    return any(_BEGINS_WITH_A_ZERO.match(scalar.word) for scalar in read.scalars)


_BEGINS_WITH_A_POINT: Final = re.compile(r"[+-]?\.")
"""Matches the beginning of a number without a digit before its point: `.5`, `-.5`."""

_BEGINS_WITH_A_ZERO: Final = re.compile(r"-?0\.")


def _writes_decimal_commas(read: _Read) -> bool:
    """Return whether commas of a list may be the decimal points of its numbers: `[0,5, 1,5]`. That is possible if some commas
    have a blank after them, and there are at most two numbers between two such commas.
    """
    if len(read.scalars) < 3:
        return False
    # Of this row of numbers: how many commas have no blank, how many have one, and whether no three numbers are without.
    beside, apart, alone = 0, 0, True
    last: Scalar | None = None
    near = False  # whether the comma before the last number has no blank after it
    for step in read.steps:
        if not isinstance(step, Scalar):
            if beside and apart and alone:
                return True
            beside, apart, alone, last, near = 0, 0, True, None, False
            continue
        if last is not None:
            between = read.body[last.start + len(last.word) : step.start]
            if between == "," and _WHOLE.fullmatch(last.word) is not None and step.word.isdecimal():
                alone = alone and not near
                beside, near = beside + 1, True
            else:
                apart, near = apart + (between != ","), False
                alone = alone and between != ","
        last = step
    return bool(beside and apart and alone)


_WHOLE: Final = re.compile(r"[-+]?\d+")


def _repeats_an_object(read: _Read) -> bool:
    """Return whether an object is followed by an equal one without a comma between: the writer may have started over."""
    for step in read.made("missing_comma"):
        before, after = read.body[: step.start].rstrip(), read.body[step.end :].lstrip()
        if not (before.endswith("}") and after.startswith("{")):
            continue
        if any(before.endswith(after[: brace.end()]) for brace in islice(_CLOSING_BRACE.finditer(after), AROUND)):
            return True
    return False


def _took_other_blanks(read: _Read) -> bool:
    """Return whether blanks of an unusual kind are between tokens and also in a text, which may have had plain blanks."""
    between = (*read.made("invisible"), *read.made("extra_closer"))
    odd = {char for step in between for char in read.body[step.start : step.end] if not char.isascii() or char.isspace()}
    odd -= _PLAIN_BLANKS
    return bool(odd) and any(not odd.isdisjoint(text) for text in read.texts if not text.isascii())


_PLAIN_BLANKS: Final = frozenset(" \t\r\n")


def _escapes_an_apostrophe(body: str, strings: Iterable[String]) -> bool:
    r"""Return whether a string in single quotes has an apostrophe with a backslash before it: `\'`."""
    return any("\\'" in body[string.start : string.end] for string in strings if string.mark == "'")


def _closes_before_the_comma(steps: tuple[Step, ...]) -> bool:
    """Return whether an object closes right after a comma, and a member follows the object without a comma.

    The brace and the comma may have changed places.
    """
    marks = [
        step
        for step in steps
        if isinstance(step, Open | Close | Key)
        or (isinstance(step, Fixed) and (step.fix == "trailing_comma" or step.fix == "missing_comma"))
    ]
    return any(
        isinstance(one, Fixed)
        and one.fix == "trailing_comma"
        and isinstance(two, Close)
        and isinstance(three, Fixed)
        and three.fix == "missing_comma"
        and isinstance(four, Key)
        for one, two, three, four in zip(marks, marks[1:], marks[2:], marks[3:], strict=False)
    )


def _goes_on_behind_an_object(steps: Iterable[Step], outer: Container[str]) -> bool:
    """Return whether a member follows an inner object, or a list that holds one, and may belong to that object.

    It belongs to the call if both the member, and the key that holds the object, are fields of the call itself.
    """
    held: list[bool] = []  # for each open object and list: whether an object has closed in it
    sure: list[bool] = []  # for each: whether all objects that closed in it are values of a call's own fields
    keys: list[str] = []  # for each: its last key
    objects: list[bool] = []
    for step in steps:
        if isinstance(step, Open):
            held.append(False)
            sure.append(True)
            keys.append("")
            objects.append(step.kind == "{")
        elif isinstance(step, Close):
            keys.pop()
            sure.pop()
            closed = objects.pop() | held.pop()
            if held:
                held[-1] |= closed
                sure[-1] &= not closed or (keys[-1] in outer and keys[-1] not in _ENVELOPES)
        elif isinstance(step, Key):
            if held[-1] and not (sure[-1] and step.name in outer):
                return True
            keys[-1] = step.name
    return False


def _closes_by_another_mark(read: _Read) -> bool:
    """Return whether a string has a straight quote at one end and a typographic one at the other, so that one of the two may
    belong to the text.

    `"15”` is doubtful unless every string and key of the body ends with `”`: the `”` may belong to the text. `“15"` is
    doubtful if it holds a number or a truth value: its quotes may be those of another text, of which the rest is lost.
    """
    body = read.body
    for step in read.strings:
        opens, closes = body[step.start - 1], body[step.end : step.end + 1]
        if step.mark == '"' and closes == "”":
            return not all(body.startswith("”", step.end) for step in read.quoted())
        if opens in _TYPOGRAPHIC and closes == '"' and _SCALAR.fullmatch(body, step.start, step.end):
            return True
    return False


def _has_some_angles(read: _Read) -> bool:
    """Return whether `«` and `»` around a string may belong to a text instead.

    They may if other strings stand between other marks, or if a quote in a string has two backslashes before it.
    """
    body = read.body
    angles = [body.startswith("«", step.start - 1) for step in read.quoted()] if "«" in body else []
    return any(angles) and (not all(angles) or any(_TWICE_ESCAPED.search(body, one.start, one.end) for one in read.strings))


_OWN_QUOTE: Final = re.compile(r'"(?<!\\")')


def _was_escaped(read: _Read) -> bool:
    """Return whether entities in the strings may once have been quotes, or the whole body may have been escaped.

    Doubled backslashes show that the body was escaped as JSON. Entities show that the body was escaped as HTML, unless a
    text has a character that HTML would have escaped.
    """
    if _OWN_QUOTE.search(read.body) is not None:
        return False
    rest = read.body.replace('\\"', "")
    entities = {entity[0] for entity in _ENTITY.finditer(read.body)}
    if any(html.unescape(entity) in _QUOTED for entity in entities) or (entities and not any(map(_MARKUP.search, read.texts))):
        return True
    return may_be_escaped_twice(rest, (raw for string, raw in read.pairs if not string.plain))


def _took_in(string: String, raw: str, fields: Container[str], *, typographic: bool, bare_keys: bool) -> bool:
    """Return whether a string may have swallowed a part of the block. `bare_keys` says that some keys have no quotes."""
    if string.quotes and taken(raw, string.mark, fields, open_keys=string.open_keys):
        return True
    if (string.quotes or string.mark != '"') and (":" in raw or "=" in raw):
        if holds_members(raw, fields, open_keys=string.open_keys, bare_keys=bare_keys):
            return True
    if string.quotes and bare_keys and (_VALUE.search(raw) or any(key[1] in fields for key in _BARE_KEY.finditer(raw))):
        return True
    if raw.isascii() or _TYPOGRAPHIC_MARK.search(raw) is None:
        return False
    return string.mark in _TYPOGRAPHIC or (typographic and not string.plain and taken(raw, "“", fields, open_keys=True))


def _holds_keys(raw: str, marks: Iterable[str], fields: Container[str]) -> bool:
    """Return whether a line of a string begins with the name of a field in quotes of one of these kinds, followed
    by a colon.
    """
    return any(mark in raw and any(key[1] in fields for key in _KEYS[mark].finditer(raw)) for mark in marks)


def _lost(string: String, raw: str) -> bool:
    """Return whether a part of a string may be lost, or a mark directly before it."""
    if string.mark == '"' and raw[:3] == raw[-3:] == '"""' and len(raw) > 6:
        return True  # a text in three quotes that lost the string's own quotes; or a text in quotes between three quotes
    if string.item and (_NEXT_LINE.search(raw) or raw.strip() in _LEFT_OUT):
        return True  # two items that lost the quotes between them; or items that were left out
    if string.quotes > 1 and _has_a_sign_before_each(raw, string):
        return True  # each quote was escaped, but with another sign than a backslash
    if string.mark == '"' and string.quotes and _repeats_a_piece(raw):
        return True  # its writer started again at an earlier place, or wrote the mark before the text twice
    if raw.endswith("\\\\") and raw.count('\\"') % 2:
        return (
            True  # a quotation opens and does not close: its last quote was escaped twice, and the quote of the string is lost
        )
    if "\\\\\\" in raw and _THREE.search(raw):
        return True  # a backslash before a tab or a form feed: that of `\\frac`, doubled twice, but not in full
    return len(string.mark) == 3 and _is_no_text_between_three(string, raw)


def _is_no_text_between_three(string: String, raw: str) -> bool:
    """Return whether the text between three quotes may be less than the string that was meant, or more."""
    if _NEXT_MEMBER.match(raw):
        return True  # two empty texts with a quote too many each: what looks like the text stands between them
    if _BEHIND_AN_EMPTY_ONE.match(raw) is not None and _BEFORE_AN_EMPTY_ONE.search(raw) is not None:
        return True  # a text that begins and ends with an empty literal, or lines of a table: `"","x",""`
    # Three quotes around one line may be quotes of a text, each written twice; but not if its first quote is written once.
    return "\n" not in raw and _ALONE[string.mark[0]].match(raw) is None


_BEHIND_AN_EMPTY_ONE: Final = re.compile(r"[,;|:)\]}+.=\t]|[ ](?![ ])")
"""Matches a text that may follow an empty literal: `,`, `;`, a closing bracket, a blank."""

_BEFORE_AN_EMPTY_ONE: Final = re.compile(r"[,;|:(\[{+.=\t]\Z|(?<! )[ ]\Z")
"""Matches a text that may precede an empty literal: `,`, `;`, an opening bracket, a blank."""


def _has_a_sign_before_each(raw: str, string: String) -> bool:
    """Return whether every quote in a text has the same sign before it, a sign with which no literal begins: an escape that is
    not a backslash.
    """
    quote = _BEFORE_A_QUOTE.get(string.mark)
    found = quote.findall(raw) if quote is not None else []
    return len(found) >= string.quotes and len(set(found)) == 1 and _NO_LITERAL_BEHIND.match(found[0]) is not None


_BEFORE_A_QUOTE: Final = {mark: re.compile(rf"([^\\]){mark}") for mark in "\"'`“«"}
"""Matches a quote and the sign before it, which is no backslash, for each mark of a string."""

_NO_LITERAL_BEHIND: Final = re.compile(r"[^\w\s(\[{,=:\"'+<>]")


def _repeats_a_piece(raw: str) -> bool:
    """Return whether a bare quote in a string is between two equal pieces of text, so that a piece may have been
    written twice.

    The piece from the quote to the next one, or to the end, also precedes the quote. If it is the only bare quote, the first
    piece may begin with the string, or after an escaped quote, which the bare one replaces. Or the quote is the first character
    of the string, blanks and commas aside.
    """
    places = [found.end() - 1 for found in _BARE_QUOTE.finditer(raw)]
    for at, end in pairwise([*places, len(raw)]):
        if raw[end - 1] == raw[at - 1] and end - at > _A_PIECE:  # most strings end here
            behind = raw[at + 1 : end].lstrip(_SEPARATING)
            if len(behind) >= _A_PIECE and raw.endswith(behind, 0, at):
                return True
    if len(places) != 1 or '\\"' not in raw:
        return False
    at = places[0]
    if not raw[:at].strip(_SEPARATING) or (at >= _A_PIECE and raw.startswith(raw[:at], at + 1)):
        return True
    begins = at
    for _ in range(_BACK):
        begins = raw.rfind('\\"', 0, begins)
        if begins < 0:
            return False
        if begins + 2 < at and raw.startswith(raw[begins + 2 : at], at + 1):
            return True
    return False


_SEPARATING: Final = ":,= "
"""The marks between two pieces, which do not count as part of a piece."""

_A_PIECE: Final = 3
"""The fewest characters of a piece: an escape has two, and so may the letters before a literal of code."""

_BARE_QUOTE: Final = re.compile(r'"(?<!\\")|\\(?<!\\\\)\\(?:\\\\)*"')
"""Matches a quote without a backslash, or one whose backslashes escape each other."""

_BACK: Final = 8
"""The number of escaped quotes before a bare one within which a repeated piece may begin."""
