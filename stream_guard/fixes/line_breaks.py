"""Refuses a body in which a raw line break, or another raw control character, stands where none was meant.

A model that forgets to escape a line break means it. Some line breaks are not meant: one that slipped in, one that wraps a
line at the width of a mail or terminal, one that changed places with a quote, and one where a value was cut, and begun again
or continued. What the string should have been is then undetermined.

    body, its strings, reading -> BrokenTexts -> LINE_CHECKS, in their order -> the first that applies, or None

Rule 1: a check only refuses, and looks at every string once.
Rule 2: a single break shows that lines were meant only if the text before it ends, and the text after it begins, as lines do.
Several breaks show it if the string has no other breaks, and its lines have no margin in common with those of the block.
Rule 3: in a string whose name does not suggest several lines, and which has few, each line must end as lines do; in a command,
each line must, however many there are.
Rule 4: docs/fixes.md is printed from the table: the reason of a check is one sentence, which stands on its own.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from functools import cached_property
from itertools import islice, pairwise
from typing import Final

from ..schema.json_text import accepts
from ..values.characters import CONTROL, LINE_END
from ..values.issues import JsonPath
from .check import Check, first_to_apply
from .forms import are_of_one_form
from .layers import holds_a_frame
from .line_marks import holds_line_marks
from .lines import (
    names_a_command,
    names_a_long_text,
    names_a_text_of_a_file,
    names_a_title,
    names_code,
    names_one_line,
)
from .reading import Reading, Step, String
from .strings import are_two_lines, ends_a_line, lost_an_indent, makes_an_empty_line
from .swallowed import leaves_a_fence_open
from .widths import MARGIN, was_broken_once, was_wrapped, were_broken_at_a_width
from .wraps import FIRST_WORD, NARROW, WIDTHS, came_twice, goes_on, was_broken_at_a_width

_RAW_BREAK: Final = re.compile(r"\n(?<!\\\n)")
"""Matches a raw line break with no backslash before it."""

_ESCAPED_BREAK: Final = re.compile(r"\\(?<!\\\\)(?:\\\\)*[nr]")
"""Matches an escaped line break."""

_NO_TEXT: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
"""Matches a control character that is neither a tab nor a line break."""

_TAB_IN_A_WORD: Final = re.compile(r"\t(?:(?<=[^\W\dA-Z_]\t)(?=[^\W\dA-Z_])|(?<=[A-Z]\t)(?=[A-Z])|(?<=\d\t)(?=\d))")
"""Matches a tab between two small letters, two capitals or two figures."""

_COLOURED: Final = re.compile(r"(?:[^\x1b]*+(?:\x1b\[(?!0?m)[\d;]+m[^\x1b]*+)+\x1b\[0?m)+[^\x1b]*\Z")
"""Matches a text for a terminal: it begins colours, and ends them all."""

_OF_A_TERMINAL: Final = re.compile(r"\x1b\[[\d;]*m|\x0c(?:(?![a-z])|(?<=[a-z]\x0c))")
r"""Matches a control character that is usual in a text for a terminal: a colour, or a form feed that is no `\f` of a command
such as `\frac`."""

_FEW: Final = 3
"""The most lines of a string that may have been meant as a single line."""

_CUT: Final = re.compile(r"(?:\.{3}|…|`{3}\w*)\s*\Z")
"""Matches the end of a line that stops in the middle: `...`, or an open fence."""

_ONE_WORD: Final = re.compile(r"(?:[^\S\r\n]*[\r\n]\s*)?[\w./@:-]+(?:[^\S\r\n]*[\r\n]\s*)?")
"""Matches a text of one word, with line breaks beside it."""

_ENDS_BEHIND_A_KEY: Final = re.compile(r"[{,][^\S\n]*[\"'`“]?[\w$.-]{1,80}[\"'`”]?:[^\S\n]*\n(?![^\S\n])")
"""Matches a line that ends between a key and its value, and does not begin with that key."""

_MARGIN_AT_AN_EDGE: Final = re.compile(r"\r?\n[^\S\n]+(?=\S)[^\n]*|[^\n]*\n[^\S\n]+")
"""Matches a text whose only line break is at its beginning or end, with the margin of a line beside it."""

_HALF_A_BREAK: Final = re.compile(r"\r(?!\n)")
"""Matches a CR without its LF."""

_WRITES_OVER: Final = re.compile(r"\r(?!\n|\Z)")
"""Matches a CR after which a terminal writes over the line."""

_ENDS_IN_MARKS: Final = re.compile(r"\r?\n[^\w\n]*\Z")
"""Matches a line break after which a text has only marks."""

_ENDS_WITH_A_TAB: Final = re.compile(r"\S\t[^\w\n]*\Z")
"""Matches a tab after which a text has only marks."""

_BREAKS_BEHIND: Final = re.compile(r"[^\w\n]{0,9}\n\s*\S")
"""Matches the marks between the end of a string and the next token, and a line break among them."""

_BEFORE_A_CLOSER: Final = re.compile(r"[^\S\n]*(?:,[^\S\n]*)?[}\]]")
"""Matches a closing bracket, perhaps with a comma before it."""

_NO_TAB_BETWEEN_WORDS: Final = re.compile(r"[^\t -\U0010ffff]|(?<!\w)\t|\t(?!\w)")
"""Matches a control character in a title, other than a tab between two words."""

OVER_LINES: Final = frozenset({'"""', "'''", "`"})
"""The quotes of strings that are allowed to have several lines, as some language has them."""


def _has_a_stray_control(text: str, *, long: bool) -> bool:
    """Return whether a string has a control character, neither a tab nor a line break, that may have slipped in.

    Such a character slips in alone. A `long` string that ends all colours that it begins was written for a terminal, where
    colours and form feeds are usual.
    """
    if _NO_TEXT.search(text) is None:
        return False
    return not (long and _COLOURED.match(text) is not None and _NO_TEXT.search(_OF_A_TERMINAL.sub("", text)) is None)


def _has_a_tab_in_a_word(text: str) -> bool:
    """Return whether the only tab of a string of one line is inside a word or a number. Several tabs separate columns."""
    if text.count("\t") != 1 or _TAB_IN_A_WORD.search(text) is None:
        return False
    return "\n" not in text and "\r" not in text and _ESCAPED_BREAK.search(text) is None


def _lines(text: str) -> list[str]:
    """Return the lines of a string, without the empty lines."""
    return [line for line in LINE_END.split(text) if line.strip()]


def _is_cut(text: str, *, code: bool) -> bool:
    """Return whether a text of two lines was probably one line. `code` is whether its field is named like code."""
    lines = _lines(text)
    if len(lines) < 2:
        return _IN_THE_INDENT.fullmatch(text) is not None
    if len(lines) == 2 and not LINE_END.match(text) and text[-1] not in "\r\n":
        continued = lines[0].endswith("\\")  # in JavaScript, a line break after a backslash is not part of the text
        alone = len(LINE_END.findall(text)) == 1 and not continued
        if not (alone and are_of_one_form(*lines, code=code)) and (goes_on(*lines) or (alone and not are_two_lines(*lines))):
            return True
    return False


def _was_begun_again(text: str) -> bool:
    """Return whether the part of a text after a line break begins with the whole part before it."""
    lines = _lines(text)
    if len(lines) < 2:
        return False
    text, head = text.strip(), lines[0].strip()
    again = (found for found in MARGIN.finditer(text) if text.startswith(head, found.end())) if _WORD.search(head) else ()
    return any(text.startswith(text[: found.start()].rstrip(" \t"), found.end()) for found in islice(again, _AGAIN))


_AGAIN: Final = 3
"""Limit: the line breaks of a text after which it is compared with its beginning."""


_WORD: Final = re.compile(r"\w")
"""Matches a character of a word."""

_IN_THE_INDENT: Final = re.compile(r"[^\S\r\n]+\r?\n[^\r\n]+")
"""Matches a text whose only line break is among the blanks before its only line."""


def _may_be_one_line(text: str) -> bool:
    """Return whether a string of few lines may have been meant as one line, because one of the lines does not certainly end.

    That is also so for a string with one line and a line break before it.
    """
    lines = _lines(text)
    if len(lines) == 1 and LINE_END.match(text) and _ESCAPED_BREAK.search(text) is None and text[-1] not in "\r\n":
        return True  # the line break slipped in before the text
    return len(lines) <= _FEW and any(
        _CUT.search(before) is not None or not _ends(before, after) for before, after in pairwise(lines)
    )


def _may_be_one_command(text: str) -> bool:
    """Return whether a command of several lines may have been meant as one line: one of its lines does not certainly end.

    A document inside it (a heredoc) shows that its lines were meant.
    """
    lines = _lines(text)
    document = _DOCUMENT.search(text)
    if document is not None and any(line.strip() == document[1] for line in lines):
        return False
    return any(
        not (before.endswith("\\") or are_of_one_form(before, after, code=True) or _are_two_commands(before, after))
        for before, after in pairwise(lines)
    )


def _are_two_commands(before: str, after: str) -> bool:
    """Return whether two lines of a command are two commands. A capital does not show it: an argument may begin with one."""
    return are_two_lines(before, after) and (before.endswith(";") or not after.lstrip()[:1].isupper())


_DOCUMENT: Final = re.compile(r"<<-?\s?\\?[\"']?(\w{1,40})\b")
"""Matches the beginning of a document in a command (`<<EOF`), and captures the word that ends the document."""


def _ends(before: str, after: str) -> bool:
    """Return whether a line certainly ends before the next one."""
    return ends_a_line(f"{before}\n{after}", len(before))


_OPENS: Final = ("(", "[", "{", ":", ">")
"""The ends of a line that opens a block or a bracket."""

_ENDS_CODE: Final = (";", "}", ">")
"""The ends of a statement or a tag."""

_INDENTED: Final = re.compile(r"\n( {2,}|\t+)(?=\S)")
"""Matches a line break and the margin of the next line. A single blank is no margin."""


def _hangs(text: str, margins: Container[str] | None) -> bool:
    """Return whether a string may have been wrapped with a hanging indent: all its lines but the first have one margin, which
    is in `margins`.

    `margins` are the margins of the block's other lines; None if the block has line breaks only in its texts: then any margin
    counts. A first line that opens a block or bracket is no sign of wrapping, nor is a text that escapes other breaks.
    Otherwise a sentence has to continue over lines, or the only break has to end no line for sure; without `margins`, one
    doubtful break is enough.
    """
    first, *others = _lines(text) or [""]
    shown = {line[: len(line) - len(line.lstrip(" \t"))] for line in others}
    margin = shown.pop() if len(shown) == 1 else ""
    if not margin or first[0] in " \t" or first.endswith(_OPENS) or (margins is not None and margin not in margins):
        return False
    if _ESCAPED_BREAK.search(text) is not None:
        return False
    if len(others) == 1 and not _ends(first, others[0]):
        return True
    pairs = [(one.strip(), two.strip()) for one, two in pairwise([first, *others])]
    return any(goes_on(*pair) or (margins is None and not are_two_lines(*pair)) for pair in pairs)


def _has_a_margin(body: str, texts: Iterable[str]) -> bool:
    """Return whether all lines of a body have a margin, so that the margin may not belong to the strings.

    The first line may lack the margin if a sentence of a text continues over lines, as after wrapping with a hanging indent; or
    if the last line has only closing brackets, which belong below the opening ones.
    """
    first, *others = [line for line in body.split("\n") if line.strip()]
    if not others or not all(line[0] in " \t" for line in others):
        return False
    if first[0] in " \t" or _ONLY_CLOSES.fullmatch(others[-1]) is not None:
        return True
    return any(goes_on(*pair) for text in texts for pair in pairwise(_lines(text)))


_ONLY_CLOSES: Final = re.compile(r"[ \t]+[}\])]+\s*")
"""Matches a line that has an indent and only closing brackets."""


def _is_broken_at_an_edge(body: str, strings: Iterable[String]) -> bool:
    """Return whether a line break at the beginning or the end of a text may have changed places with the quote beside it.

    That is possible in a block written in lines, if a bracket comes directly after the quote, or a margin beside the break; or
    if the break is the only one in any string, and none is between its string and the next token. A string with a CR but
    without its LF has half of a line break.
    """
    texts = [one for one in strings if one.mark not in OVER_LINES]
    rest = _without(body, texts).strip()
    between, pairs = "\n" in rest, "\r\n" in rest
    margins = "\n\t" in rest
    breaks = sum(body.count("\n", one.start, one.end) for one in texts)
    for one in texts:
        text = body[one.start : one.end]
        if (pairs and _HALF_A_BREAK.search(text)) or (margins and _ENDS_WITH_A_TAB.search(text)):
            return True
        ends = _ENDS_IN_MARKS.search(text) if between and breaks == 1 else None
        if ends is not None and (pairs != ("\r" in ends[0]) or not _BREAKS_BEHIND.match(body, one.end)):
            return True
        begins = text.startswith(("\n", "\r\n"))
        if not begins and "\n" not in text[len(text.rstrip()) :]:
            continue
        if between and (
            (one.item and begins)
            or _MARGIN_AT_AN_EDGE.fullmatch(text)
            or (text[-1] == "\n" and _BEFORE_A_CLOSER.match(body, one.end + 1))
        ):
            return True
    return False


def _is_broken_beside_its_quote(text: str, path: JsonPath) -> bool:
    """Return whether a text has its only raw line break at its end; or at its beginning, and no escaped ones.

    The text of a file may end so if its last line is whole, and another long text or code, but a command, if it ends as code
    does.
    """
    line = text.strip("\r\n")
    if not line.strip() or "\n" in line or "\n" not in text or line[-1] == "\\":
        return False
    *others, line = _ESCAPED_BREAK.split(line)
    if text[-1] != "\n":
        return not others
    if names_a_command(path):
        return True
    if names_a_text_of_a_file(path):
        return _ENDS_A_FILE.match(line) is None
    return not (names_a_long_text(path) or names_code(path)) or _ENDS_A_LINE_OF_CODE.search(line) is None


_ENDS_A_LINE_OF_CODE: Final = re.compile(r"[;{}>)\]]\Z")
"""Matches the end of a line of code, a tag or a bracket."""


_ENDS_A_FILE: Final = re.compile(
    r".*[,:;.!?{}()\[\]>|`*/\"']\Z|[^\t]*\t|(?:\s|#|//|--|[-*+]\s)|[\w.$\[\]]+(?::\s?[^\s=]+)?\s?[-+*/|&:]?=\s?\S"
    r"|(?:import|from|return|use|using|package|const|let|var)\s"
)
"""Matches a line of a file that is whole: it ends with a mark, has an indent, or is a statement, a comment or an item."""


def _closes_nothing(text: str) -> bool:
    """Return whether a line of a text begins with a closing bracket that nothing in the text opens, and that no line of code
    begins with.

    A piece of code begins so as well, but the line before it has a larger indent or ends a statement, and no word follows the
    bracket directly.
    """
    opened, at = Counter[str](), 0
    for found in _BEGINS_WITH_A_CLOSER.finditer(text):
        margin, closer, word = found.groups()
        between = text[at : found.start()]
        at = found.start()
        for opens, closes in _BRACKETS.items():
            opened[closes] += between.count(opens) - between.count(closes)
        if opened[closer] > 0:
            continue
        line = _lines(between)[-1] if between.strip() else ""
        if word or len(margin) > len(line) - len(line.lstrip()) or (line[-1:].isalnum() and not line[0].isspace()):
            return True
    return False


_BEGINS_WITH_A_CLOSER: Final = re.compile(r"\n([^\S\r\n]*)([)\]}])(\w?)")
"""Matches a line break, the margin of the next line, a closing bracket, and the word character behind it."""

_BRACKETS: Final = {"(": ")", "[": "]", "{": "}"}


def _goes_on_behind_a_page_number(text: str) -> bool:
    """Return whether a word or a sentence of a text goes on behind a line that is nothing but the number of a page, or the mark
    of a part that was left out.
    """
    lines = _lines(text)
    return any(
        _PAGE_NUMBER.fullmatch(number) is not None and not before.rstrip()[-1].isdigit() and goes_on(before, after)
        for before, number, after in zip(lines, lines[1:], lines[2:], strict=False)
    )


_PAGE_NUMBER: Final = re.compile(
    r"[^\w\n]*(?:(?:(?:page|seite|p\.)\s)?\d{1,4}(?:\s?(?:of|von|/)\s?\d{1,4})?|\.{3}|…)[^\w\n]*", re.IGNORECASE
)
"""Matches a line that is nothing but the number of a page, or the three full stops of a part that was left out."""


def _breaks_a_sentence(text: str) -> bool:
    """Return whether a sentence certainly goes on over a line break: inside brackets or quotes around words, on a line that is
    shorter than those of a paragraph, or before a last line that is nothing but a number.
    """
    if _ENDS_IN_A_NUMBER.search(text) is not None:
        return True
    return any(found.start(1) - text.rfind("\n", 0, found.start(1)) <= NARROW for found in _AROUND_WORDS.finditer(text))


_AROUND_WORDS: Final = re.compile(
    r"(?<!\S)(?:\((?=[^()\n]*\n[^()\n]*\))|\\\"(?=[^\"\n]*\n[^\"\n]*\"))\w[\w ,.'-]*(\r?\n)\w[\w ,.'-]*(?:\)|\\\")"
)
"""Matches words in brackets or quotes with one line break between them."""

_ENDS_IN_A_NUMBER: Final = re.compile(r"[^\W\d_]\r?\n\d{1,3}[.)]\s*\Z")
"""Matches a last line that is nothing but a number and a full stop."""

_IN_A_UNIT: Final = re.compile(
    r"""
      </?[A-Za-z][^<>\n]*\w\r?\n\w[^<>\n]*>                       # <div cla⏎ss=a>
    | [{,][^\S\n]*(\\?["'])[\w$.-]{1,80}\1:[^\S\n]*\r?\n(?=[^\s{\[])  # {"x":⏎1}
    | (?:\A|\n)[a-z][\w.-]*\r?\n--?[A-Za-z]                      # curl⏎-X POST
    """,
    re.VERBOSE,
)
"""Matches a line break inside a tag, between a key and its value, or between a command and its first option."""

_LONE_BACKSLASH: Final = re.compile(r"\n[^\S\r\n]*\\\\[^\S\r\n]*(?:\r?\n|(?:\\r)?\\n|\Z)")
"""Matches a line that is nothing but a backslash: it belongs to the end of the line before."""

_FOLDED: Final = re.compile(r"\\\r?\n(?<!\\\\\n)(?<!\\\\\r\n)([^\S\r\n]*)")
"""Matches a backslash before a line break, which are no text, and captures the margin of the next line."""


def _was_folded(text: str) -> bool:
    """Return whether a text was continued over lines that all have a margin: YAML takes it away, and JavaScript keeps it.

    Who folds a text folds it at each of its line breaks: an escaped one within a line shows that the margin is its own.
    """
    margins = _FOLDED.findall(text)
    return bool(margins) and all(margins) and _WITHIN_A_LINE.search(text) is None


_WITHIN_A_LINE: Final = re.compile(r"\\(?<!\\\\)(?:\\\\)*n(?!\\\r?\n|\Z)")
"""Matches an escaped line break that no backslash and raw one follow."""


def _without(body: str, texts: Iterable[String]) -> str:
    """Return a body without these strings, which must be in order."""
    rest, last = [], 0
    for one in texts:
        rest.append(body[last : one.start])
        last = one.end
    return "".join([*rest, body[last:]])


def _breaks_one_line(body: str, string: String, path: JsonPath) -> bool:
    """Return whether a string that should have one line holds a raw control character.

    A tab between two words of a title is allowed.
    """
    if not (string.one_line or names_one_line(path)):
        return False
    sought = CONTROL if string.one_line or not names_a_title(path) else _NO_TAB_BETWEEN_WORDS
    return sought.search(body, string.start, string.end) is not None


def _breaks_otherwise(body: str, string: String) -> bool:
    """Return whether a string shows that its writer breaks lines in another way: by an escape, or between three quotes."""
    if len(string.mark) == 3 and "\n" in body[string.start : string.end]:
        return True
    return _ESCAPED_BREAK.search(body, string.start, string.end) is not None


def _slipped_in(body: str, strings: Iterable[String]) -> bool:
    """Return whether a string has a raw line break that probably slipped in, between quotes of a single line.

    A single break slipped in unless it certainly ends a line; if it is the only one of the block, also if it makes an empty
    line and the text has no other. A break at the edge of a text of one line slipped in unless a statement or a tag ends there.
    One that stands for an indent slipped in too, and one where a line of a usual width is full.

    Of several breaks, some slipped in if one is inside a sentence, or, in a text that also escapes breaks, if a word was cut:
    all of them are inside that word.
    """
    texts = [(string, body[string.start : string.end]) for string in strings if string.mark not in OVER_LINES]
    alone = sum(raw.count("\n") for _, raw in texts) == 1
    for string, raw in texts:
        places = [found.start() for found in _RAW_BREAK.finditer(raw)] if "\n" in raw else []
        if len(places) == 1 and (not ends_a_line(raw, places[0]) or (alone and makes_an_empty_line(raw, places[0]))):
            return True
        if len(places) == 1 and raw[places[0] :].strip():  # behind the end of a text stands no word that had no room
            if lost_an_indent(raw, places[0]) or _fills_a_usual_width(body, raw, places[0], string.start):
                return True
        one_line = len(places) == 1 and "\n" not in raw.strip() and _ESCAPED_BREAK.search(raw) is None
        if one_line and not raw[: places[0]].endswith(_ENDS_CODE):
            return True  # the line break is at the edge of the text, and nothing shows a second line
        if len(places) > 1 and (any(goes_on(*pair) for pair in pairwise(_lines(raw))) or _wraps_a_line(raw)):
            return True
        if len(places) > 1 and _cut_a_word(raw, places[0], places[-1]):
            return True
    return False


def _fills_a_usual_width(body: str, raw: str, at: int, start: int) -> bool:
    """Return whether a line break beside an escaped one, or at the beginning of a text, ends a line of a usual width.

    The line has no room for the next word. One of less than 60 characters may be as long by chance.
    """
    if not (not at or raw[:at].endswith("\\n") or raw.startswith("\\n", at + 1)):
        return False
    longest = max(map(len, body.split("\n")))
    length = start + at - body.rfind("\n", 0, start + at) - 1
    word = FIRST_WORD.match(_ESCAPED_BREAK.split(raw[at + 1 :], maxsplit=1)[0])
    assert word is not None  # it may be empty
    return any(longest <= width <= length + len(word[0]) for width in WIDTHS if width >= 2 * NARROW)


def _wraps_a_line(raw: str) -> bool:
    """Return whether a text that also escapes line breaks has a raw one that may have slipped in.

    A raw one may have slipped in where no line certainly ends, or next to an escaped one. All breaks between two lines with
    text count as one.
    """
    before: str | None = None
    between = ""
    for number, piece in enumerate(_ANY_BREAK.split(raw) if _ESCAPED_BREAK.search(raw) is not None else ()):
        if number % 2:
            between += piece
        elif piece.strip():
            if "\n" in between and ("\\" in between or (before is not None and not _ends(before, piece))):
                return True
            before, between = piece, ""
    return "\n" in between and "\\" in between


def _breaks_a_text_of_json(text: str) -> bool:
    """Return whether a text is JSON except for raw line breaks in its strings."""
    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return False
    return not accepts(text)


def _cut_a_word(raw: str, first: int, last: int) -> bool:
    """Return whether the line breaks from `first` to `last` are inside one word, and all escaped line breaks are elsewhere.

    The letter of an escape does not count as a letter of a word.
    """
    if _IN_A_WORD.fullmatch(_ESCAPE.sub(" ", raw[:first])[-1:] + raw[last : last + 2]) is None:
        return False
    return _ESCAPED_BREAK.search(raw) is not None and _ESCAPED_BREAK.search(raw, first, last) is None


_ANY_BREAK: Final = re.compile(r"(\r?\n|\\\\\\n|(?:\\r)?\\n(?<!\\\\n))")
"""Matches a line break, raw or escaped."""

_IN_A_WORD: Final = re.compile(r"\w\n\w")
"""Matches a line break between two letters or figures."""

_ESCAPE: Final = re.compile(r"\\.")
"""Matches an escape."""


def _are_quoted_printable(texts: Iterable[str]) -> bool:
    """Return whether a `=` precedes each line break in these strings, as when mail programs wrap lines."""
    lines = [line for text in texts for line in text.split("\n")[:-1]]
    return bool(lines) and all(line.rstrip("\r").endswith("=") for line in lines)


# -- the table ---------------------------------------------------------------------------------------------------------


class BrokenTexts:
    """The strings of a body that have raw control characters, most of them line breaks, and what the checks ask for."""

    def __init__(self, body: str, steps: Iterable[Step], reading: Reading, *, marked: bool) -> None:
        self.body: Final = body
        self.broken: Final = {(edit.start, edit.end): edit.path for edit in reading.edits if edit.fix == "control_character"}
        """The places of these strings, with their paths."""

        self.marked: Final = marked
        """Whether marks of a block quote may be before the lines of the block."""

        self._reading: Final = reading
        self._steps: Final = steps

    @cached_property
    def texts(self) -> list[str]:
        """These strings, as they are written."""
        return [self.body[start:end] for start, end in self.broken]

    @cached_property
    def strings(self) -> list[String]:
        """All strings of the body, in their order."""
        return [step for step in self._steps if isinstance(step, String)]

    @cached_property
    def bare(self) -> list[tuple[str, JsonPath]]:
        """The broken strings between quotes that are not allowed to have several lines, with their paths."""
        spans = ((one.start, one.end) for one in self.strings if one.mark not in OVER_LINES)
        return [(self.body[start:end], self.broken[start, end]) for start, end in spans if (start, end) in self.broken]

    @cached_property
    def rest(self) -> str:
        """The body without its strings. Empty if no string in `bare` is broken."""
        return _without(self.body, self.strings) if self.bare else ""

    @cached_property
    def margins(self) -> frozenset[str] | None:
        """The margins of the lines that begin between two tokens; None if there is no such line."""
        return frozenset(_INDENTED.findall(self.rest)) if "\n" in self.rest.strip() else None

    @property
    def places(self) -> list[tuple[int, int]]:
        """The places of the broken strings, in their order."""
        return sorted(self.broken)

    def says(self) -> Iterator[str]:
        """Yield what each broken string says, without its escapes."""
        return (text.says for text in self._reading.texts if (text.start, text.end) in self.broken)


def refused_break(body: str, steps: Iterable[Step], reading: Reading, *, marked: bool) -> Check[BrokenTexts] | None:
    """Return the first check that refuses a raw line break of a string as probably not meant; None if all are meant.

    `marked` is whether marks of a block quote may be before the lines of the block.
    """
    texts = BrokenTexts(body, steps, reading, marked=marked)
    return first_to_apply(LINE_CHECKS, texts) if texts.broken else None


def _a_text(holds: Callable[[str, JsonPath], bool]) -> Callable[[BrokenTexts], bool]:
    """Return a check of a body: whether this is so for one of its broken strings, and the path of that string."""
    return lambda body: any(holds(text, path) for text, path in zip(body.texts, body.broken.values(), strict=True))


def _a_bare_text(holds: Callable[[str, JsonPath], bool]) -> Callable[[BrokenTexts], bool]:
    """Return a check of a body: whether this is so for one of its broken strings that is not allowed to have several lines."""
    return lambda body: any(holds(text, path) for text, path in body.bare)


LINE_CHECKS: Final[tuple[Check[BrokenTexts], ...]] = (
    # each line may have such a mark, those of the texts too
    Check(
        "quote_marks",
        "The lines of the block may have the marks of a quotation before them, and so the lines of its texts.",
        lambda body: body.marked,
    ),
    # `a␀b`
    Check(
        "stray_control",
        "A control character that is neither a tab nor a line break stands where a part of the text was lost.",
        _a_text(lambda text, path: _has_a_stray_control(text, long=names_a_long_text(path))),
    ),
    # `fr⇥ont`
    Check(
        "tab_in_a_word",
        "The only tab of a text stands inside a word or a number.",
        _a_text(lambda text, path: _has_a_tab_in_a_word(text) and not names_a_title(path)),
    ),
    Check(
        "margin",
        "All lines of the block have a margin, and so the lines of its texts may have it too.",
        lambda body: _has_a_margin(body.body, body.texts),
    ),
    Check(
        "half_a_break",
        "A carriage return has lost the line feed that the other lines of the block end with.",
        lambda body: _WRITES_OVER.search(body.rest) is None and any(map(_HALF_A_BREAK.search, body.texts)),
    ),
    Check(
        "break_behind_a_key",
        "A program broke a line of the block between a key and its value, and may have broken its texts.",
        lambda body: _ENDS_BEHIND_A_KEY.search(body.rest) is not None,
    ),
    # `one⏎> two⏎> `, `one⏎2: two⏎3: three`, `if x:⏎y()`
    Check(
        "line_marks",
        "The lines of a text have a mark, a number or an indent that may be those of the block, or lost their indents.",
        lambda body: holds_line_marks(body.body, body.places, body.margins or ()),
    ),
    # `{"a": "x⏎y"}`
    Check(
        "break_in_json",
        "A text is JSON except for a line break in one of its own strings.",
        lambda body: any(map(_breaks_a_text_of_json, body.says())),
    ),
    # `kit⏎chen`
    Check(
        "cut_line",
        "A text of two lines was probably one line.",
        _a_bare_text(lambda text, path: _is_cut(text, code=names_code(path))),
    ),
    Check(
        "begun_again",
        "The part of a text after a line break begins with the whole part before it: the text was begun again.",
        lambda body: any(_was_begun_again(text) for text, _ in body.bare),
    ),
    # `one⏎  two` where the block has that margin
    Check(
        "hanging_indent",
        "The lines of a text were wrapped, and have the margin of the block.",
        lambda body: any(_hangs(text, body.margins) for text, _ in body.bare),
    ),
    Check(
        "broken_command",
        "A command of several lines may be one line, because one of them does not certainly end.",
        _a_bare_text(lambda text, path: names_a_command(path) and _may_be_one_command(text)),
    ),
    Check(
        "few_lines",
        "A text whose name suggests no long one may be one line, because one of its few lines does not certainly end.",
        _a_bare_text(lambda text, path: not names_a_long_text(path) and _may_be_one_line(text)),
    ),
    # `word⏎`
    Check(
        "one_word",
        "A line break stands at the beginning or the end of a text of one word.",
        lambda body: any(map(_ONE_WORD.fullmatch, body.texts)),
    ),
    # `b⏎\\⏎c`
    Check(
        "lone_backslash",
        "A line of a text is nothing but the backslash that continues the line before it.",
        lambda body: any(_LONE_BACKSLASH.search(text) for text, _ in body.bare),
    ),
    Check(
        "folded",
        "A backslash before each line break continues the line, and the margins behind them may be no text.",
        lambda body: any(_was_folded(text) for text, _ in body.bare),
    ),
    # `2026-05-0⏎}1`
    Check(
        "lone_closer",
        "A line of a text begins with a closing bracket that nothing in the text opens.",
        lambda body: any(_closes_nothing(text) for text, _ in body.bare),
    ),
    # `see Table⏎2.`
    Check(
        "in_a_sentence",
        "A line of a text ends inside the brackets or quotes of a sentence, or before the number that ends it.",
        lambda body: any(_breaks_a_sentence(text) for text, _ in body.bare),
    ),
    # `<div cla⏎ss=a>`
    Check(
        "in_a_unit",
        "A line of a text ends inside a tag, between a key and its value, or between a command and its option.",
        lambda body: any(_IN_A_UNIT.search(text) is not None for text, _ in body.bare),
    ),
    # `the kitch⏎⏎2⏎⏎en lamp`
    Check(
        "page_number",
        "A sentence or a word of a text goes on behind the number of a page, or behind a line that is only `...`.",
        lambda body: any(_goes_on_behind_a_page_number(text) for text, _ in body.bare),
    ),
    # `call the plumber⏎`
    Check(
        "beside_a_quote",
        "The only raw line break of a text stands beside its quote, and may have changed places with it or slipped in.",
        _a_bare_text(_is_broken_beside_its_quote),
    ),
    Check(
        "edge",
        "A line break at the beginning or the end of a text may have changed places with the quote beside it.",
        lambda body: bool(body.bare) and _is_broken_at_an_edge(body.body, body.strings),
    ),
    Check(
        "full_line",
        "The only line break in the texts stands where a line of a usual width is full.",
        lambda body: was_broken_once(body.body, body.broken),
    ),
    Check(
        "one_margin",
        "The line breaks in the texts stand where lines are full, and have one margin after them.",
        lambda body: were_broken_at_a_width(body.body, body.places),
    ),
    # `parcel service t⏎wice` in a text with lines of its own
    Check(
        "wrapped_text",
        "The lines of the block end at one greatest width, and one of them inside a sentence or a word of a text.",
        lambda body: was_broken_at_a_width(body.body, body.broken),
    ),
    # `One.⏎⏎Two.` where each break of the block is two
    Check(
        "doubled_breaks",
        "Each line break of the block stands there twice, and so those of its texts.",
        lambda body: came_twice(body.body, tuple(body.broken)),
    ),
    Check(
        "slipped_in",
        "The writer of the block breaks lines in another way: a raw line break may have slipped in.",
        lambda body: _slipped_in(body.body, body.strings) and any(_breaks_otherwise(body.body, one) for one in body.strings),
    ),
    Check(
        "full_lines",
        "Each line of the block is full: a program wrapped it.",
        lambda body: was_wrapped(body.body),
    ),
    Check(
        "quoted_printable",
        "Each line in a text ends with `=`, as a mail program writes where it wraps.",
        lambda body: _are_quoted_printable(body.texts),
    ),
    Check(
        "open_fence",
        "A text has one fence of two, and may have been cut off there.",
        lambda body: any(map(leaves_a_fence_open, body.texts)),
    ),
    # `data: ` of an event stream between two lines
    Check(
        "frame",
        "A line of a text belongs to an event stream, a model or a pager, and slipped in.",
        lambda body: any(map(holds_a_frame, body.texts)),
    ),
    Check(
        "one_line_field",
        "A text has a line break or a tab, and its schema or its name asks for one line.",
        lambda body: any(
            _breaks_one_line(body.body, one, body.broken[one.start, one.end])
            for one in body.strings
            if (one.start, one.end) in body.broken
        ),
    ),
)
"""The checks, in the order in which they are asked."""
