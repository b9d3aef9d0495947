"""Decodes the escapes of one string, given what stands between its quotes; or finds that it may mean two things.

A model that forgets to escape one thing may have forgotten others, so the meaning of a backslash depends on the rest of the
string. If two meanings are left, `Ambiguous` is raised: a wrong character in a file is worse than another question.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Final

from ..values.characters import BACK_OR_FEED_ESCAPE, CONTROL
from .line_ends import begins_as_code, ends_as_code
from .swallowed import leaves_a_bracket_open

_JSON: Final = json.JSONDecoder(strict=False)
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(\r?\n)|(.)|\Z)", re.DOTALL)
"""Matches one escape, also one that JSON does not have."""

_PLAIN: Final = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_STRANGE: Final = re.compile(r'\\(?!["/bfnrt]|u[0-9a-fA-F]{4})')
"""Matches a backslash that begins no escape of JSON."""

_EXPRESSION: Final = re.compile(r"\$\{(?<!\\\$\{)|\\(?<!\\\\)\\(?:\\\\)*\$\{")
"""Matches the beginning of an expression in a template of JavaScript: `${`."""

_BARE_QUOTE: Final = re.compile(r'\\(?<!\\\\)\\(?:\\\\)*"')
"""Matches a quote whose backslashes escape each other."""

_UP_TO_A_QUOTE: Final = re.compile(r'(?:[^"\\]++|\\.)*+', re.DOTALL)
_PYTHON: Final = re.compile(r"\\(?:x([0-9a-fA-F]{2})|U(000[0-9a-fA-F]{5}|0010[0-9a-fA-F]{4}))")
r"""Matches an escape of a character that Python has and JSON lacks: `\x41`, `\U0001f600`."""

_QUOTE_BY_CODE: Final = re.compile(r"\\x(?:22|27|5[cC])")
_MARKDOWN: Final = frozenset("_*[]<>#~")
"""Characters that Markdown escapes, and that a text seldom has after a backslash for another reason."""

_OF_MARKDOWN: Final = _MARKDOWN | frozenset("()!.-+{}|")
"""All characters that Markdown escapes."""

_OF_A_PATTERN: Final = re.compile(r"\\\\|[\^|]|\$\Z|\.[*+?]|[\])][*+?{]|\(\?")
"""Matches a mark that patterns have, and sentences do not: `.*`, `[a]+`, `(?`."""

_TWO_WAYS: Final = frozenset("'`$!&")
"""The characters after a backslash that may be escaped needlessly, or follow a backslash that was not doubled."""


class Ambiguous(Exception):
    """Raised for a string that may mean two things."""


def decoded(
    raw: str, mark: str, *, plain: bool, quotes: int, careless: bool, unknown: set[str], long: bool = False
) -> tuple[str, set[str]]:
    """Return the text between two marks, and the names of the fixes that its reading took. Raises `Ambiguous`.

    `plain` texts are names and paths, which contain no control characters. `quotes` is how many marks of the string's own kind
    are in it without a backslash. `careless` says that some backslash in the block was not doubled: then no other backslash is
    certain. `unknown` is the result of `unknown_escapes` for this string. `long` is whether its field is named like a text of
    several lines.
    """
    fixes: set[str] = set()
    if not raw.isprintable() and CONTROL.search(raw):
        fixes.add("control_character")
    if quotes:
        fixes.add("quotes")
    if mark == "`" and _EXPRESSION.search(raw):
        raise Ambiguous  # the value of the expression is not in the body
    if "\\" not in raw:
        return raw, fixes
    if mark in _NOT_OF_JSON and escapes_some_quotes(raw, mark):
        raise Ambiguous  # its backslash may be part of the code
    if mark == '"' and escapes_apostrophes(raw):
        fixes.add("apostrophe")
        raw = raw.replace("\\'", "'")
    if mark in ('"""', "'''", "`"):
        _check_raw(raw, mark)
    _check_escapes(raw, mark, unknown)
    if unknown:
        fixes.add("escape")
    controls = "control_character" in fixes
    if not (plain or unknown or quotes or careless or mark != '"' or controls):
        return json.loads(f'"{raw}"'), fixes  # most strings are valid JSON
    bare = raw.replace("\\\\", "")  # the string without its doubled backslashes
    if quotes and BACK_OR_FEED_ESCAPE.search(bare):
        raise Ambiguous
    if plain:
        _check_name(raw, bare, mark, unknown)
        if _CONTROL.search(bare):
            fixes.add("path_escape")
    else:
        _check_text(raw, bare, unknown, quotes=quotes, careless=careless, controls=controls, long=long)
    if mark == '"' and not plain and not unknown:
        try:
            return _JSON.decode(f'"{raw}"'), fixes  # control characters are its only mistakes
        except ValueError:
            pass  # what follows reads every string, one escape at a time
    said = _python(raw, mark, unknown)
    says = _ESCAPE.sub(lambda found: _one(found, mark, plain=plain, odd=bool(unknown)), said)
    return says, fixes


def _check_escapes(raw: str, mark: str, unknown: set[str]) -> None:
    """Raise Ambiguous if an escape in the string may mean two things, for any kind of string."""
    if "x" in unknown and has_a_quote_by_code(raw):
        raise Ambiguous  # a quote as other languages escape it, or one of a pattern
    if unknown and (_writes_a_character(raw) or _cuts_a_character(raw)):
        raise Ambiguous  # a character as other languages escape it, or a cut escape, or a backslash of the text
    if any(not char.isascii() for char in unknown):
        raise Ambiguous  # no language escapes it
    if unknown & _MARKDOWN and unknown <= _OF_MARKDOWN and not _shows_a_pattern(raw):
        raise Ambiguous  # Markdown escapes its own marks so: then the text has no backslash
    over = "\\\\" in raw if mark in "“”„«" else mark != '"' and '\\\\\\"' in raw
    if unknown & _TWO_WAYS or (over and _ONCE.search(raw) is None):
        raise Ambiguous  # escaped needlessly, or not doubled; or the whole text was escaped once too often


def _check_name(raw: str, bare: str, mark: str, unknown: set[str]) -> None:
    """Raise Ambiguous if a name or a path may mean two things. `bare` is the string without its doubled backslashes."""
    if unknown and not _WINDOWS.fullmatch(raw):
        raise Ambiguous
    if "\\\\" in raw and (unknown or _CONTROL.search(bare)):
        raise Ambiguous  # some backslashes are doubled, and some are not
    if may_end_a_path(bare):
        raise Ambiguous  # a line break or a tab may follow the path
    if mark != '"' and "\\" * 4 in raw[2:]:
        raise Ambiguous  # a path has a doubled backslash only at its beginning: the string was escaped twice


def _check_text(raw: str, bare: str, unknown: set[str], *, quotes: int, careless: bool, controls: bool, long: bool) -> None:
    """Raise Ambiguous if a string that is neither name nor path may mean two things. `controls` says that it has a raw control
    character.
    """
    if controls and _TABBED.search(bare):
        raise Ambiguous
    if quotes > 1 and '\\"' in bare and not _are_attributes(raw):
        raise Ambiguous  # some quotes are escaped: by a slip, or because the code has both
    if quotes == 1 and '\\"' in bare and leaves_a_bracket_open(raw, _UP_TO_A_QUOTE.match(raw)):
        raise Ambiguous  # a piece of the text is lost, or was written twice
    if quotes and '\\"' in bare and _ESCAPE_BEFORE_A_QUOTE.search(bare) is not None:
        raise Ambiguous  # `\\n"o\\"` for `\\"no\\"`: a quote and the letter behind it changed places
    if careless and (doubtful(raw) or (not unknown and BACK_OR_FEED_ESCAPE.search(raw))):
        raise Ambiguous
    if unknown and controls and _CONTROL.search(bare):
        raise Ambiguous  # one control character is raw, one is escaped, and other backslashes escape nothing
    if unknown and (_BACK_OR_TAB.search(bare) or not _meant(raw)):
        raise Ambiguous
    if unknown and _CONTROL.search(bare) and not (long and _are_lines(raw)):
        raise Ambiguous  # LaTeX, a pattern and a Windows path have a `\n` that breaks no line
    if (careless or quotes > 1 or controls) and breaks_a_literal(raw, either=careless):
        raise Ambiguous


def escapes_apostrophes(raw: str) -> bool:
    """Return whether every backslash before an apostrophe was written to escape it, and is not part of the text.

    In code, a quote inside a literal has a backslash of its own, and the quotes around the literal have none. In LaTeX the two
    characters are an accent. So each such apostrophe has to be in an English word, before a letter that is not ASCII, or around
    words.
    """
    if "\\'" not in raw or _NO_PROSE.search(raw) is not None or raw.count("'") != raw.count("\\'"):
        return False
    return "'" not in _QUOTATION.sub("", _APOSTROPHE.sub("", raw))


def escapes_some_quotes(raw: str, mark: str) -> bool:
    """Return whether some quotes of one kind in a text have a backslash before them, and others have none.

    A string between three quotes needs a backslash before three quotes of that kind, and before one at its end: these do not
    count.
    """
    rest = raw.replace("\\\\", "")
    if len(mark) == 3:
        rest = _NEEDED[mark].sub("", rest)
    return any(0 < rest.count(f"\\{quote}") < rest.count(quote) for quote in "\"'`")


_NOT_OF_JSON: Final = frozenset({"'", "`", "'''", '"""'})
_NEEDED: Final = {mark * 3: re.compile(rf"(?:\\?{mark}){{3,}}|\\{mark}\Z") for mark in "\"'"}

_ESCAPE_BEFORE_A_QUOTE: Final = re.compile(r'\\[bfnrt]"(?!\\"\\")')
"""Matches an escape of one letter, and a bare quote directly behind it that is not the first of three."""

_NO_PROSE: Final = re.compile(r"[\"`]|\\(?!['n]|u[0-9a-fA-F]{4})")
"""Matches a character that English prose lacks: a double quote, a backtick, or another escape than these."""

_APOSTROPHE: Final = re.compile(r"(?<=[^\W\d_])\\'(?=(?:s|t|re|ll|ve|m|d)\b|(?![A-Za-z])[^\W\d_])")
r"""Matches an escaped apostrophe in a word: `don\'t`."""

_QUOTATION: Final = re.compile(r"(?<!\w)\\'[^'\\\n]+\\'(?!\w)")


def _are_attributes(raw: str) -> bool:
    """Return whether all double quotes of a string are around attributes of HTML, where a backslash before one is not part of
    the text.
    """
    return '"' not in _ATTRIBUTES.sub("", raw)


_ATTRIBUTES: Final = re.compile(r"""(?<=[\w-]=)\\?"[^"\\<>\n]*\\?"(?=[\s/>])""")


def has_a_quote_by_code(raw: str) -> bool:
    """Return whether a string has an escape for a quote or a backslash that other languages have and JSON lacks."""
    return "\\x" in raw and _QUOTE_BY_CODE.search(raw.replace("\\\\", "")) is not None


def _writes_a_character(raw: str) -> bool:
    r"""Return whether a text has an escape by which other languages write a character (`\x41`), outside any literal of code.

    Inside a literal, or inside the brackets of a pattern, the escape belongs to the code, and its backslash was not doubled.
    """
    bare = raw.replace("\\\\", "")
    if _DRIVE.match(raw):
        return False
    if _OCTAL.search(bare) is not None and _OCTAL.search(_LITERALS.sub("", bare)) is not None:
        return True  # in brackets it may be a quote in a list, or a letter between quotes
    return _CHARACTER.search(bare) is not None and _CHARACTER.search(_OF_CODE.sub("", bare)) is not None


def _cuts_a_character(raw: str) -> bool:
    r"""Return whether a string has an escaped number of a character with too few digits (`\u00e`), as JSON and Python write
    such numbers.
    """
    return _CUT_CHARACTER.search(raw.replace("\\\\", "")) is not None and _DRIVE.match(raw) is None


_CUT_CHARACTER: Final = re.compile(r"\\(?:u[0-9a-fA-F]{1,3}|x[0-9a-fA-F]|U00[0-9a-fA-F]{0,5})(?![0-9a-fA-F])")
"""Matches the escaped number of a character with too few digits."""

_DRIVE: Final = re.compile(r"[A-Za-z]:\\")
r"""Matches the drive of a path of Windows: `C:\`."""

_CHARACTER: Final = re.compile(
    r"\\(?:x[0-9a-fA-F]{2}|u\{[0-9a-fA-F]{1,6}\}|U[0-9a-fA-F]{8}|N\{[A-Z][A-Z0-9 -]*\}|e\[|[0-3][0-7]{2}|0(?!\d)|c[A-Z]\b)"
)
r"""Matches an escape by which other languages write a character: `\x41`, `\u{1F600}`."""

_OCTAL: Final = re.compile(r"\\[0-3][0-7]{2}")
r"""Matches an escape of three figures: `\101`."""

_LITERALS: Final = re.compile(r"""(?<!\w)[bfruBFRU]{0,2}(\\?["'`])(?:(?!\1)[^\n])*\1""")
"""Matches a literal of code in quotes."""

_OF_CODE: Final = re.compile(r"""(?<!\w)[bfruBFRU]{0,2}(\\?["'`])(?:(?!\1)[^\n])*\1|\[[^\[\]\n]*\]""")
"""Matches a literal of code in quotes, or brackets as those of a pattern."""


def may_end_a_path(path: str) -> bool:
    r"""Return whether an escape such as `\n` or `\t` may follow a path and not be part of it: at its end, after a file, or in a
    path with slashes.
    """
    return _BEHIND_A_PATH.search(path) is not None and ("/" in path or _BEHIND_A_FILE.search(path) is not None)


_BEHIND_A_PATH: Final = re.compile(r"\\[bfnrt]")
"""Matches an escape that may be a backslash and a letter of a path."""

_BEHIND_A_FILE: Final = re.compile(r"(?:\.[A-Za-z]\w{0,7}\\[bfnrt])|\\[bfnrt](?!\w)")


def _python(raw: str, mark: str, unknown: set[str]) -> str:
    """Return a string with the escapes of Python decoded, if its quotes are those of Python. Raises `Ambiguous` if other
    backslashes make that uncertain.
    """
    if mark != "'" or not _PYTHON.search(raw.replace("\\\\", "")):
        return raw
    if "\\\\" in raw or unknown:
        raise Ambiguous  # some escapes would be decoded, and some not
    return _PYTHON.sub(lambda found: chr(int(found[1] or found[2], 16)), raw)


def doubtful(raw: str) -> bool:
    """Return whether a string has a backslash that may not have been doubled, in a block where others were not."""
    if "\\" not in raw:
        return False
    return "\\\\" in raw or _WORD_OR_BLANK.search(raw) is not None or ("\\n" in raw and _OVER_LINES.search(raw) is not None)


def undoubled(raw: str, quotes: int, unknown: set[str], *, plain: bool) -> bool:
    r"""Return whether some backslash in a string was not doubled: it escapes nothing, or leaves a quote after it unescaped.

    In a `plain` string, which is a name or a path, `\n` and `\t` count too: it has no line breaks or tabs.
    """
    if plain and _CONTROL.search(raw.replace("\\\\", "")):
        return True
    return bool(unknown) or (quotes > 0 and '\\\\"' in raw and _BARE_QUOTE.search(raw) is not None)


def unknown_escapes(raw: str, mark: str) -> set[str]:
    """Return the characters after a backslash that make no escape in this string. Raises `Ambiguous` if a raw line break may be
    escaped.
    """
    if "\\" not in raw or not _STRANGE.search(raw.replace("\\\\", "")):
        return set()
    if mark == '"' and escapes_apostrophes(raw):
        raw = raw.replace("\\'", "'")
    found: set[str] = set()
    for match in _ESCAPE.finditer(raw):
        char = match[3]
        if (
            match[1] is None
            and match[2] is None
            and char not in _PLAIN
            and char != mark[0]
            and not (mark == "`" and char == "$")
        ):
            if not (mark == "'" and _PYTHON.match(raw, match.start())):
                found.add(char or "")
        elif match[2] is not None and not raw[: match.start()].endswith("\\n"):
            raise Ambiguous  # the line continues, in JavaScript or in the code itself
    if _GOES_ON_IN_AN_ESCAPE.search(raw) is not None and _GOES_ON.search(raw) is None:
        raise Ambiguous  # the break may be inside the next escape
    return found


_REST_OF_AN_ESCAPE: Final = r"(?:[nrtu\"/]|\\(?!\\))"
"""A pattern for a text that may be the rest of an escape."""

_GOES_ON_IN_AN_ESCAPE: Final = re.compile(rf"\\n\\\r?\n(?={_REST_OF_AN_ESCAPE})")
"""Matches a line that continues after its escaped break, before a text that may be the rest of an escape."""

_GOES_ON: Final = re.compile(rf"\\n\\\r?\n(?!{_REST_OF_AN_ESCAPE})")
"""Matches a line that continues after its escaped break, before any other text."""


def _check_raw(raw: str, mark: str) -> None:
    """Raise `Ambiguous` if a string has raw line breaks or doubled backslashes, beside which an escape may be
    meant literally.
    """
    kinds = {match[3] for match in _ESCAPE.finditer(raw)}
    aware = bool(kinds & {"\\", mark[0], "$"})
    if kinds & set("nrtbf") and "\n" in raw and not aware:
        raise Ambiguous
    if "\\" in kinds and kinds - set("\\nrtbf$") - {mark[0]}:
        raise Ambiguous


_WORD_OR_BLANK: Final = re.compile(
    r"""
    \\(?:[r/](?!\\n)|u[0-9a-fA-F]{4})   # what such a string seldom has on purpose
    | \\t(?=[A-Za-z{])                  # a tab, or \\text: a command, a path, a pattern
    | (?<!\\n)\\n(?=[A-Za-z{+?|^*\\])(?!\\n)    # a line break, or \\new; where two follow each other, both are breaks
      (?!(?:import|from|def|class|if|for|while|return|const|let|var|function|export|async|try|with|public|private)\b)
      (?!(?<=[\w)\]};]\\n)[A-Z][A-Z_0-9]+\ =\ )   # a word that begins a line of code begins one
    | (?<![*/])/\\n | \\n/(?![/*])       # a line break at the edge of a pattern
    | [|^]\\n | \\[^nt"\\]\\n | \\n\\[^nt"\\]    # or in the middle of one
    """,
    re.VERBOSE,
)
"""Matches an escape that may be a backslash and a letter, in a string with a backslash that was not doubled."""

_PATTERN: Final = re.compile(r"\\[dDwWsS][+*?{]|\[[^\]\n]*\\[dDwWsS]|\(\??[:=!]?\\[dDwWsS]|\^\\[dDwWsS]|\\[dDwWsS]\$")


_WINDOWS: Final = re.compile(r"(?:[A-Za-z]:)?(?:\\{1,2}|[\w. ()~+@-]+)+")
"""Matches a path as Windows writes it."""

_TABBED: Final = re.compile(r"\\[tbfr](?=[A-Za-z])|:(?<=(?<!\w)[A-Za-z]:)\\[a-z]\w*[\\.\w]")
"""Matches an escape that may be part of a path or of a command, in a string with raw line breaks."""

_BACK_OR_TAB: Final = re.compile(r"\\[bfrt]")
"""Matches an escape that may be part of a pattern or a path, in a string with backslashes that escape nothing."""

_ONCE: Final = re.compile(r"\\(?<!\\\\)(?!\\)")
"""Matches a single backslash."""

_NAMED: Final = re.compile(r"\\(?:[dDwWsSBAZ](?![a-z])|[1-9](?!\d)|(?!u[0-9a-fA-F])[A-Za-z]{2})")
r"""Matches a backslash as in a pattern, a formula or a path of Windows: of a class (`\d`), a group (`\1`), a word of several
letters."""


def _meant(raw: str) -> bool:
    """Return whether the backslashes that escape nothing were meant.

    They were if one of them is in a pattern, or if there are several and one is as in a pattern, a formula or a path. A single
    backslash may have slipped into a word; and with a mark or a letter it is another character in some languages.
    """
    if _PATTERN.search(raw) is not None or "\\u{" in raw:
        return True
    bare = raw.replace("\\\\", "")
    if len(_STRANGE.findall(bare)) < 2:
        return False
    return _shows_a_pattern(raw) or _NAMED.search(bare) is not None or _CHARACTER.search(bare) is not None


def _shows_a_pattern(raw: str) -> bool:
    """Return whether a string has a mark that patterns have, and sentences do not. A mark with a backslash before it does not
    count.
    """
    return _OF_A_PATTERN.search(_ESCAPED_MARK.sub("", raw)) is not None


_ESCAPED_MARK: Final = re.compile(r"(?<!\\)\\[|^]")


_CONTROL: Final = re.compile(r"\\[nrt]")
"""Matches an escaped line break or tab."""

_LINE: Final = re.compile(r"(?:\\\\|\\[^n]|[^\\])*+(?:\\n|\Z)", re.DOTALL)
"""Matches a line, up to its escaped break."""

_LITERAL: Final = re.compile(
    r"""
    \\"(?:[^"'\\]|\\(?!["n]).|')*+\\"    # between escaped quotes
    | '(?:[^'"\\]|\\(?!["n]).|\\")*+'    # between single ones
    | `(?:[^`\\]|\\(?!n).)*+`            # between backticks
    | (?<=[(=,:\s])/(?![/*\s])(?:[^/\\\n]|\\(?!n).)++/[gimsuy]*(?=[.,;)\s]|\Z)   # a pattern of JavaScript
    """,
    re.VERBOSE | re.DOTALL,
)
"""Matches a literal of code, between quotes of any kind, or a pattern of JavaScript."""

_QUOTE: Final = re.compile(r"[\"'`]")
_COMMENT: Final = re.compile(r"(?:#|//).*", re.DOTALL)
_STATEMENT: Final = re.compile(
    r"\s*(?:(?:import|from|def|class|return|const|let|var|function|export|async|if|for|while|try|with|public|private|use|fn)\s"
    r"|(?:[\w.$]+|\[\w+\])\s?[:+]?=\s|[\w.$]+\(|[})\]]|\#|//|@\w|<\w|\Z)"
)


def _are_lines(raw: str) -> bool:
    """Return whether all lines of a string, divided at the escaped line breaks, are lines of code.

    Every other backslash must be inside a literal.
    """
    for found in _LINE.finditer(raw):
        line = found[0].removesuffix("\\n")
        if _STATEMENT.match(line) is None:
            return False
        rest = _LITERAL.sub("_", line)
        if "\\" in rest or _QUOTE.search(_COMMENT.sub("", rest)):
            return False
    return True


_ENDS_OF_LINES: Final = frozenset(':;.!?{}()[]>|`*"')
"""The marks with which a line may end."""

_STARTS_OF_LINES: Final = frozenset("#*|-`@{}<>])")
"""The marks with which a line may begin."""

_SIGN: Final = re.compile(r"-\d")
"""Matches the minus of a number, which does not count as a mark at the beginning of a line."""


def is_between_lines(raw: str, at: int, width: int = 1) -> bool:
    """Return whether a line break at this place ends a line: an indented or empty line, code, or marks are beside it.

    `width` is 1 for a raw line break and 2 for an escaped one. A line break that slipped in is between two words, or after a
    comma.
    """
    before, after = _beside(raw, at, width)
    if not before.strip() or not after.strip() or before[:1].isspace() or after[:1].isspace():
        return True
    if before.rstrip()[-1] in _ENDS_OF_LINES or (after[0] in _STARTS_OF_LINES and not _SIGN.match(after)):
        return True
    return (_STATEMENT.match(before) and _STATEMENT.match(after)) is not None


def _beside(raw: str, at: int, width: int) -> tuple[str, str]:
    """Return the lines before and after a line break of this width. An `n` after an escaped backslash ends no line."""
    before = _BREAKS.split(raw[:at])[-1].removesuffix("\\r")
    return before, _BREAKS.split(raw[at + width :], maxsplit=1)[0]


_BREAKS: Final = re.compile(r"\n|\\\\\\n|\\n(?<!\\\\n)")


def shows_lines(raw: str) -> bool:
    """Return whether an escaped line break of a string certainly is one, and not a backslash and a letter.

    It is one between two lines, or after a statement or an indented line. Alone, or after a word, it may be either.
    """
    for before, after in pairwise(_ESCAPED_BREAK.split(raw)):
        before, after = before.rpartition("\n")[2], after.partition("\n")[0]
        if before.strip() and is_between_lines(f"{before}\\n{after}", len(before), 2):
            if after.strip() or _INDENT.match(before) is not None or _STATEMENT.match(before) is not None:
                return True
    return False


_ESCAPED_BREAK: Final = re.compile(r"\\(?<!\\\\)(?:\\\\)*n")


def ends_a_line(raw: str, at: int) -> bool:
    """Return whether a raw line break at this place certainly ends a line, even if it is the only one.

    A line break that slipped in may be beside any mark: in open brackets or quotes, after a blank or before one. So the line
    before has to end as a statement, a sentence or a tag, and the next line has to be indented for it, or begin as lines do.
    """
    before, after = _beside(raw, at, 1)
    before = before.removesuffix("\r")
    indented = _INDENT.match(after) is not None
    if not before.strip() or not after.strip():
        if before and not before.strip() and raw[:at].strip():
            return False  # the line break is in an indent
        return indented or not before or not after.strip()
    # `ls⏎  -l` is no line, and `f():⏎  x` is
    continues = before[-1:] != "\\" and _CONTINUED.search(raw, 0, at) is not None
    if indented and (continues or not _is_indented_for_it(before, after)):
        indented, after = False, _MARGIN.sub("", after)
        if after.startswith(("#", "//", "--")):
            return False  # `x⏎  # `x⏎  # y`: the blanks before a remark are those of one at the end of a line
    # `f(⏎  x` and `f(⏎)` are lines, and `f(a,⏎b)` is not
    if leaves_a_bracket_open(before):
        if before[-1] + after[0] in _EMPTY:
            return _ALONE.fullmatch(before + after) is not None
        return before[-1] in "([{" and (indented or after[0] in ")]}")
    if _IS_CUT.search(f"{before[-_NEAR:]}\n{after[:_NEAR]}") is not None:
        return False
    # `say ⏎hi`, `say "a⏎b"`, `<a⏎b`, `a &amp;⏎b`: behind a blank, in quotes, in a tag, behind an entity
    if before[-1:].isspace() or _IN_A_TAG.search(before[-_NEAR:]) is not None:
        return False
    if any(_odd(before, quote) and _odd(after, quote) for quote in "\"'"):
        return False
    # `do:⏎  x`, `x⏎# y`
    if indented or _FIRST_OF_A_LINE.match(after) is not None:
        return indented or begins_as_code(before, after)
    # `buy:⏎- milk`, `- a⏎- b`; `7⏎- 2` is a difference
    if _ITEM.match(after):
        return before[-1] in ".:!?" or _ITEM.match(before) is not None
    # `x;⏎y`, `<p>⏎Hi`; `x ->⏎y` goes on
    if before[-1] in ";}>":
        return (
            after[0].isalpha()
            and not (before[-1] == ";" and _GLUED.search(f"{before}\n{after}"))
            and not before.endswith(("->", "=>", " >"))
            and ((before[-1] != ";" and not after[0].islower()) or ends_as_code(before, after))
        )
    # `    x:⏎One`
    if before[-1] in ":," and _INDENT.match(before) is not None:
        return False
    # `One.⏎Two.`
    if after[0].isalpha() and not after[0].islower() and _KEY.fullmatch(before) is None:
        if _SENTENCE_ENDS.search(before) is not None or (before[-1] in _ENDS_OF_LINES and _STATEMENT.match(before)):
            return True
    if (
        _STATEMENT.match(after) is None
        or after[0] == "."
        or _HALF_AN_IMPORT.fullmatch(before)
        or (_ENDS_IN_A_WORD.search(before) and _may_go_on_in_a_name(before, after))
    ):
        return False  # `say⏎f(x)`, `al⏎pha = y`: the rest of a cut word may begin a call or an assignment
    # `f()⏎x = 2`, `x = 1⏎y = 2`; in `if (a) b⏎c = 1` a name may be cut
    if before[-1] in "\"'`)]":  # `(was 10)⏎for two`: a word of code may be one of a sentence
        return _STATEMENT.match(before) is not None or _WORD.match(after) is None
    ends = before[-1].isalnum() and _BEHIND_A_HEAD.match(before) is None
    return _STATEMENT.match(before) is not None and (ends or before[-1] in "_:{")


def _may_go_on_in_a_name(before: str, after: str) -> bool:
    """Return whether the word at the end of a line may go on in a name: of a call, or of an assignment behind no import."""
    return _CALL.match(after) is not None or (_ASSIGNS.match(after) is not None and _IMPORTS.match(before) is None)


def _is_indented_for_it(before: str, after: str) -> bool:
    """Return whether the indent of a line is meant, and is not the margin of a wrapped line.

    It is meant after a line that opens a block with nothing after the opening. It is also meant if the line before has the same
    indent, unless a sentence, a call or the contents of a bracket continue.
    """
    if _OPENS_A_BLOCK.search(before) is not None:
        closer = _CLOSED_BY.get(before[-1], "\n")
        return after.count(closer) <= after.count(before[-1]) or after.rstrip(" ,;").endswith(closer)
    if _KEY.fullmatch(before) is not None:
        return _MEMBER.match(after) is not None
    margin = _MARGIN.match(before)
    if margin is None or not after.startswith(margin[0]):
        return False
    if before[-1].isspace() or leaves_a_bracket_open(before):
        return False
    if before[-1] == "=" or after.lstrip()[:2] in ("=", "= "):
        return False  # `x⏎  = 1`
    if _ENDS_IN_A_LETTER.search(before) is None or (_MEMBER.match(before) is not None and _MEMBER.match(after) is not None):
        return True
    before, after = before.lstrip(), after[len(margin[0]) :]
    return not after[0].isspace() and ends_a_line(f"{before}\n{after}", len(before))


_CONTINUED: Final = re.compile(r"\\\\(?:\n|\\n)(?:(?!\\n)[^\n])*\Z")
"""Matches the last line of a text, and before it the backslash that continues the line above."""

_OPENS_A_BLOCK: Final = re.compile(
    r"""
    [(\[{]\Z | \A\s*/?\* | <[A-Za-z][^<>]*(?<!/)>\Z    # a bracket, a comment, a tag
    | \A\s*(?:-\ )?(?:(?:async\ )?(?:def|class|if|elif|for|while|with|except|match|case)\b.*|else|try|finally):\Z
    """,
    re.VERBOSE,
)
"""Matches a line that opens a block: by a bracket, a comment, a tag or a head as in Python."""

_CLOSED_BY: Final = {"(": ")", "[": "]", "{": "}"}
_KEY: Final = re.compile(r"\s*(?:- )?[A-Za-z_\"'][\w.\"'-]*:")
"""Matches a key that opens a block: `name:`."""

_MEMBER: Final = re.compile(r"(?:\s|\\t)*(?:- |[\w\"'\\.-]+:(?:\s|\Z|\\n))")
"""Matches a member or an item below such a key."""

_MARGIN: Final = re.compile(r"\A(?: {2,}|\t+|(?:\\t)+)(?=\S)")
"""Matches the margin of a line."""

_WORD: Final = re.compile(
    r"\s*(?:class|export|for|from|function|if|let|private|public|return|try|use|while|with)\s(?![=:+-]|.*[:{;]\Z)"
)
"""Matches a word of code at the beginning of a line, which may be one of a sentence as well."""

_HALF_AN_IMPORT: Final = re.compile(r"\s*from\s+\S+\s*")
"""Matches the first half of an import of Python."""

_EMPTY: Final = frozenset({"()", "[]", "{}"})
"""Brackets with nothing between them."""

_ALONE: Final = re.compile(r"[^()\[\]{};]*(?:\(\)|\[\]|\{\})[;,]?")
"""Matches a line that ends with empty brackets and has no other brackets."""

_NEAR: Final = 80
"""The number of characters before and after a line break that are searched to see what the break cuts."""

_IS_CUT: Final = re.compile(
    r"\A\|.*[^|\s]\s*\n\||\A(?!\|).*\|\n\||\A(?:\S.*)?\w\n\)|\w\n<[A-Z]|/\n/|\A\S.*\n {2}(?:#|//) "
    r"|(?:;|\b(?:const|let|var|val|type|mut))\s(?:\w+\.)*\w*[a-z]\n[a-z]\w*(?:\.\w+)*\s?[-+*/|&]?="
)
"""Matches a line break that cuts a unit: a row of a table, two marks that are one (`||`, `//`), a bracket or a type after its
word, a comment at the end of a line, the name at the beginning of a statement."""

_IN_A_TAG: Final = re.compile(r"<[A-Za-z][^<>]*\Z|&#?\w{1,10};\Z")
"""Matches the end of a line inside a tag, or after an entity."""

_GLUED: Final = re.compile(r";\w")
"""Matches a semicolon that ends no statement: a word follows directly."""

_BEHIND_A_HEAD: Final = re.compile(r"\s*(?:for|if|while)\s?\(.*\)\s\w+\Z")
"""Matches a statement that begins on the line of its condition: `if (a) b`."""


def makes_an_empty_line(raw: str, at: int) -> bool:
    """Return whether the raw line break at this place makes one or two empty lines with escaped ones, and the text has no other
    such place.

    All breaks may be meant, or the raw one slipped in.
    """
    before, after = raw[:at], raw[at + 1 :]
    if not (before.endswith("\\n") or after.startswith("\\n")):
        return False
    made = "\\n\\n\\n" if before.endswith("\\n\\n") or after.startswith("\\n\\n") else "\\n\\n"
    return made not in before.removesuffix("\\n") and made not in after.removeprefix("\\n")


def lost_an_indent(raw: str, at: int) -> bool:
    """Return whether a raw line break behind an escaped one may stand for the indent of the line behind it.

    It does if the line before opens a block, or has an indent, and the next one has none: a program that breaks lines at blanks
    takes these away.
    """
    if not raw[:at].removesuffix("\r").endswith("\\n"):
        return False
    before, after = _BREAKS.split(raw[:at])[-2], _BREAKS.split(raw[at + 1 :], maxsplit=1)[0]
    if not before.strip() or not after.strip() or _INDENT.match(after) is not None:
        return False
    return _INDENT.match(before) is not None or before.rstrip()[-1] in ":{[(,"


def are_two_lines(before: str, after: str) -> bool:
    """Return whether the texts before and after the only line break of a text are two lines.

    The first has to end, and the second to begin, as lines do. A line break that slipped in may be anywhere: inside a word, a
    number, a date, an address or quotes, or beside a blank.
    """
    margin = before[: len(before) - len(before.lstrip(" "))]
    # `- a⏎ - b`
    if not margin and _ITEM.match(before) and _ITEM.match(after) and after[0] == " ":
        return False
    # `  a⏎  b`
    shared = margin and after.startswith(margin) and not (before[-1].isalpha() and after.lstrip()[:1].islower())
    if shared or before == "<?php":
        return True
    # `a⏎ b`
    if _ONE_BLANK.match(after) is not None and not before.startswith(("/*", "+", "-")):
        return False
    # `Mr.⏎Smith`
    if _BEFORE_A_NAME.search(before) is not None:
        return False
    if ends_a_line(f"{before}\n{after}", len(before)):
        return True
    # `Hello Ann,⏎Thank you`, `# Title⏎Some text`
    if after[0].isupper() and _ABOVE_A_TEXT.match(before) is not None:
        return before[-1] == "," or before[-1].isalnum()
    # `x(⏎y`
    if _NO_END.search(before) is not None or leaves_a_bracket_open(before) or any(_odd(before, quote) for quote in "\"'"):
        return False
    if before[-1].isupper() and after[0].islower():
        return False  # the first word begins with a capital, and may have been cut
    # `line 1⏎line 2`, `1. a⏎2. b`, `a: x⏎b: y`
    if _are_counted(before, after) or any(mark.match(before) and mark.match(after) for mark in _BOTH_BEGIN):
        return True
    # `He said.⏎We`; `It is.⏎we` and `Hi !⏎3` may go on
    if _SENTENCE_ENDS.search(before) is not None:
        if _LONE_MARK.search(before) is not None and not after[0].isalpha():
            return False
        return (after[0].isalpha() and not after[0].islower()) or _BEGINS_A_SENTENCE.match(after) is not None
    # `say⏎f(x)`
    if _ENDS_IN_A_WORD.search(before) and _CALL.match(after):
        return False
    # `SELECT x⏎FROM t`; a capital alone begins no line: `on⏎Monday`, `12⏎EUR`, `a⏎B`
    if _FIRST_IN_CAPITALS.match(before) is not None and _FIRST_IN_CAPITALS.match(after) is not None:
        return not before[-1].isupper()
    # `Title⏎=====`
    return _UNDERLINE.fullmatch(after) is not None


def _are_counted(before: str, after: str) -> bool:
    """Return whether two lines differ only in the number at their end: `line 1` and `line 2`."""
    begins, ends = before.rstrip(_FIGURES), after.rstrip(_FIGURES)
    return begins == ends and begins[:1].isalpha() and before != begins and after != ends


_FIGURES: Final = "0123456789"
_ONE_BLANK: Final = re.compile(r" (?! )")
"""Matches the blank between two words."""

_BEFORE_A_NAME: Final = re.compile(
    r"(?:\b(?:[A-Z]|Mr|Mrs|Ms|Dr|Prof|St|No|Nr|Fig|vs|ca|cf|e\.g|i\.e)\.|(?:\A|\s)\d{1,3}\.|&\w{1,10};)\Z"
)
"""Matches the end of a line with a mark that ends no sentence: after an initial or title before a name, after the number of an
item, or of an entity of HTML."""

_BOTH_BEGIN: Final = [
    re.compile(begins)
    for begins in (r"\d+[.)]\s", r"(?:export )?[\w.\"'-]+=(?!=)(?:\S*|.*[^\w\s])\Z", r"[\w.\"'-]+(?: [\w-]+)?:\s", r"[A-Z]\.\s")
]
"""Each matches the beginning of a kind of line that both lines must be: a numbered item, a setting, a member, a
lettered item."""

_LONE_MARK: Final = re.compile(r"(?:\A|[\s,])!\Z")
"""Matches an exclamation mark that stands apart: it ends no sentence."""

_NO_END: Final = re.compile(r"(?:[-,/\\@_=+$€£#&|<({\[¿¡]|(?<! )[^\S\n])\Z")
"""Matches the end of a line that cannot be whole: a mark, or a single blank."""

_ABOVE_A_TEXT: Final = re.compile(
    r"#{1,6}\s|(?:hello|hi|hey|dear|best|regards|(?:best|kind|warm) regards|cheers|thanks|yours|sincerely)(?: \w+\.?){0,3},\Z",
    re.IGNORECASE,
)
"""Matches a line that stands above a text or a name: a heading, the greeting or the closing of a letter."""

_FIRST_IN_CAPITALS: Final = re.compile(
    r"\s*(?:SELECT|FROM|WHERE|GROUP|HAVING|ORDER|LIMIT|(?:LEFT |RIGHT |INNER |CROSS |FULL )?JOIN|UNION|INSERT|VALUES|UPDATE|SET"
    r"|DELETE|CREATE|ALTER|DROP|RUN|COPY|WORKDIR|ENV|EXPOSE|CMD|ENTRYPOINT|DEBUG|INFO|WARN|WARNING|ERROR|PASS|FAIL)\b"
)
"""Matches a first word in capitals that lines of SQL, of a Dockerfile or of a log begin with."""

_UNDERLINE: Final = re.compile(r"=+|-{3,}|~+")
"""Matches a line that underlines a heading."""

_SENTENCE_ENDS: Final = re.compile(r"[.!?:。！？：；…][\"'”’)\]*_`]*(?: {2})?\Z")
"""Matches the end of a sentence at the end of a line."""

_BEGINS_A_SENTENCE: Final = re.compile(r"\\?[\"'“‘]|[(\[*_`>#$<]|\d+[.)]\s|https?://|[^\w\s!-~]")
"""Matches the beginning of a sentence that does not begin with a letter."""


def _odd(line: str, quote: str) -> bool:
    """Return whether a literal in this kind of quotes is open at one end of a line. Triple quotes and apostrophes
    do not count.
    """
    return _NO_LITERAL.sub("", _TRIPLE.sub("", line)).count(quote) % 2 == 1


_ENDS_IN_A_WORD: Final = re.compile(r"[^\W\d]\d*\Z")
"""Matches a word at the end of a line."""

_CALL: Final = re.compile(r"[\w.$]+\(")
"""Matches the beginning of a call."""

_ENDS_IN_A_LETTER: Final = re.compile(r"\w\Z")
"""Matches a letter or a figure at the end of a line."""

_ASSIGNS: Final = re.compile(r"[\w.$]+\s?[-+*/|&:]?=")
"""Matches the beginning of an assignment."""

_IMPORTS: Final = re.compile(r"\s*(?:import|from|use|using)\s")
"""Matches the beginning of an import."""

_INDENT: Final = re.compile(r"[ ]{2}|\t|\\t|[ ]\*")
"""Matches the indent of a line."""

_ITEM: Final = re.compile(r"\s*[*+-]\s")
"""Matches the mark of an item."""

_FIRST_OF_A_LINE: Final = re.compile(
    r"#{1,6}\s|\|(?=.*\|)|`{3}|~{3}|@[A-Za-z]\w*(?:\(|\s*(?:\\n|\Z))|[}\])]|</?[A-Za-z!]|///?\s|/\*"
)
"""Matches another beginning of a line: a heading, a row of a table, a fence, a tag, a bracket, a comment."""

_LINE_STRUCTURE: Final = re.compile(r"\\n(?:\\n|[ ]{2})|[^\s\\]\\n\Z")
"""Matches an escaped line break before an empty or indented line, or after the last word: it is certainly a line break."""


def breaks_lines_only(raw: str) -> bool:
    """Return whether each backslash of a string belongs to a line break, and each of these is between two lines."""
    if "\\" in raw.replace("\\n", "") or breaks_a_literal(raw, either=True):
        return False
    return _LINE_STRUCTURE.search(raw) is not None or not doubtful(raw) or _are_lines(raw)


def may_be_escaped_twice(body: str, texts: Iterable[str]) -> bool:
    r"""Return whether a body without double quotes may have been escaped as a whole: then `\\n` in it is a line break.

    In such a body every backslash is doubled except those before quotes and before the number of a character; there is no other
    trace. `texts` are the strings of the body without names and paths, in which `\\` is always a backslash.
    """
    if "\\\\" not in body or _NOT_DOUBLED.search(_QUOTE_TWICE.sub("", body)) is not None:
        return False
    return "\\" * 4 in body or any(_DOUBLED_ESCAPE.search(raw) is not None for raw in texts)


_QUOTE_TWICE: Final = re.compile(r"\\{3}(?=[\"']|&quot;)")
"""Matches the backslashes of a quote that was escaped twice."""

_NOT_DOUBLED: Final = re.compile(r"\\(?<!\\\\)(?:\\\\)*(?!\\|u[0-9a-fA-F]{4})")
"""Matches a backslash that is neither doubled nor before the number of a character."""

_DOUBLED_ESCAPE: Final = re.compile(r"\\\\(?:[bfnrt/]|u[0-9a-fA-F]{4})")


_OVER_LINES: Final = re.compile(r"`|\"{3}|'{3}")
"""Matches a quote of a literal of code that may have several lines: in it an escaped line break and a raw one cannot be told
apart."""

_NO_LITERAL: Final = re.compile(
    r"""'(?<=[A-Za-z]{2}')(?<![bfrBFR]{2}')(?:s|t|re|ll|ve|m|d)\b|'(?<!\\')\\?"'|"(?<!\\")'"|\\(?<!\\\\)"'\\\""""
)
"""Matches the apostrophe of a word, or a quote between two quotes of the other kind: neither opens a literal."""

_TRIPLE: Final = re.compile(r"""'(?<!\\')''|(?:"(?<!\\")|\\(?<!\\\\)")(?:\\?"){2}""")
"""Matches three quotes of a docstring, also escaped ones."""

_BREAK: Final = re.compile(r"(\\[nrt]|\n)")


def breaks_a_literal(raw: str, *, either: bool) -> bool:
    """Return whether an escaped line break of a string may be inside a literal of the code that the string holds.

    It is if the number of quotes in the lines on both sides of it is odd; with `either`, on one side.

    The apostrophe of a word does not count, nor does a quote between two of another kind. The quotes of a docstring, which may
    have several lines, count only with `either`.
    """
    if _CONTROL.search(raw) is None or not ("'" in raw or '"' in raw):
        return False
    if not either and "\\n" in raw and ("'''" in raw or '"""' in raw or '\\"\\"' in raw):
        raw = _TRIPLE.sub("", raw)
    if "'" in raw and "\\n" in raw:
        raw = _NO_LITERAL.sub("", raw)
    parts = _BREAK.split(raw.replace("\\\\", "") if "\\\\" in raw else raw)
    odd = [part.count("'") % 2 + 2 * (part.count('"') % 2) for part in parts[::2]]
    beside = zip(odd, odd[1:], parts[1::2], strict=False)
    return any(sign != "\n" and (here | after if either else here & after) for here, after, sign in beside)


def _one(found: re.Match[str], mark: str, *, plain: bool, odd: bool) -> str:
    """Return the text of one escape. A sequence that is no escape keeps its backslash."""
    if found[1]:
        return chr(int(found[1], 16))
    if found[2]:
        return ""  # the line continues; the caller has recorded that
    char = found[3]
    if char is None:
        return "\\"
    if char in _PLAIN and not (plain and char in "bfnrt") and not (odd and char in "bf"):
        return _PLAIN[char]
    if char == mark[0] or (mark == "`" and char == "$"):
        return char
    return found[0]
