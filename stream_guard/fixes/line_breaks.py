"""Refuses a body in which a raw line break stands where none was meant.

A model that forgets to escape a line break means it. Some line breaks are not meant: one that slipped in, one that wraps a
line at the width of a mail or terminal, one that changed places with a quote, and one where a value was cut, and begun again
or continued. What the string should have been is then undetermined.

Rule 1: a check only refuses, and looks at every string once.
Rule 2: a single break shows that lines were meant only if the text before it ends, and the text after it begins, as lines do.
Several breaks show it if the string has no other breaks, and its lines have no margin in common with those of the block.
Rule 3: in a string whose name does not suggest several lines, and which has few, each line must end as lines do; in a command,
each line must, however many there are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Sequence
from itertools import islice, pairwise
from typing import Final

from ..schema.json_text import accepts
from ..values.characters import CONTROL, LINE_END
from ..values.issues import JsonPath
from .forms import are_of_one_form
from .layers import holds_a_frame
from .line_marks import holds_line_marks
from .lines import names_a_command, names_a_long_text, names_a_title, names_code, names_one_line
from .reading import Reading, Step, String
from .strings import are_two_lines, ends_a_line, is_between_lines, lost_an_indent, makes_an_empty_line
from .swallowed import leaves_a_fence_open
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

_OPENER: Final = re.compile(r"[{\[]")


def holds_a_line_too_many(body: str, steps: Iterable[Step], reading: Reading, *, marked: bool) -> bool:
    """Return whether a raw line break of a string was probably not meant. `marked` is whether marks of a block quote may be
    before the lines of the block.
    """
    broken = {(edit.start, edit.end): edit.path for edit in reading.edits if edit.fix == "control_character"}
    if not broken:
        return False
    if marked:
        return True  # each line may have such a mark, those of the texts too
    texts = [body[start:end] for start, end in broken]
    # `a␀b`
    if any(_has_a_stray_control(body[start:end], long=names_a_long_text(path)) for (start, end), path in broken.items()):
        return True  # a part of the text was lost
    # `fr⇥ont`
    if any(_has_a_tab_in_a_word(body[start:end]) and not names_a_title(path) for (start, end), path in broken.items()):
        return True
    # each line of the block is indented, and so each line of its texts
    if _has_a_margin(body, texts):
        return True
    strings = [step for step in steps if isinstance(step, String)]
    bare = [span for one in strings if one.mark not in OVER_LINES and (span := (one.start, one.end)) in broken]
    rest = _without(body, strings) if bare else ""
    if _WRITES_OVER.search(rest) is None and any(map(_HALF_A_BREAK.search, texts)):
        return True  # where lines end with CR and LF, this text lost half of one
    if _ENDS_BEHIND_A_KEY.search(rest) is not None:
        return True  # a program wrapped the block there, and may have wrapped its texts
    margins = frozenset(_INDENTED.findall(rest)) if "\n" in rest.strip() else None
    # `one⏎> two⏎> `, `one⏎2: two⏎3: three`, `if x:⏎y()`
    if holds_line_marks(body, sorted(broken), margins or ()):
        return True
    # `{"a": "x⏎y"}`
    if any((text.start, text.end) in broken and _breaks_a_text_of_json(text.says) for text in reading.texts):
        return True
    # `kit⏎chen`; `one⏎  two` where the block has that margin; `⏎one`
    for start, end in bare:
        text, path = body[start:end], broken[start, end]
        if _is_cut(text, code=names_code(path)) or _hangs(text, margins):
            return True
        if (names_a_command(path) and _may_be_one_command(text)) or (not names_a_long_text(path) and _may_be_one_line(text)):
            return True
    # `word⏎`; a break that changed places with the quote beside it
    if any(_ONE_WORD.fullmatch(text) for text in texts) or (bare and _is_broken_at_an_edge(body, strings)):
        return True
    # a break where a line of 76 characters is full
    if _was_broken_once(body, broken) or _were_broken_at_a_width(body, sorted(broken)):
        return True
    # `parcel service t⏎wice` in a text with lines of its own; `One.⏎⏎Two.` where each break of the block is two
    if was_broken_at_a_width(body, broken) or came_twice(body, tuple(broken)):
        return True
    if _slipped_in(body, strings) and any(_breaks_otherwise(body, one) for one in strings):
        return True  # its writer breaks lines in another way: a single raw break may have slipped in
    # every line of the block is full, or ends with `=`
    if was_wrapped(body) or _are_quoted_printable(texts):
        return True
    # one of two fences; `data: ` of an event stream between two lines
    if any(leaves_a_fence_open(text) or holds_a_frame(text) for text in texts):
        return True
    # a break in a `path`
    return any(
        _breaks_one_line(body, step, broken[step.start, step.end]) for step in strings if (step.start, step.end) in broken
    )


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
    """Return whether a text of two lines was probably one line, or was begun again after a line break.

    A text was begun again if the part after a break begins with the whole part before it. `code` is whether the field of the
    text is named like code.
    """
    lines = _lines(text)
    if len(lines) < 2:
        return _IN_THE_INDENT.fullmatch(text) is not None
    if len(lines) == 2 and not LINE_END.match(text) and text[-1] not in "\r\n":
        continued = lines[0].endswith("\\")  # in JavaScript, a line break after a backslash is not part of the text
        alone = len(LINE_END.findall(text)) == 1 and not continued
        if not (alone and are_of_one_form(*lines, code=code)) and (goes_on(*lines) or (alone and not are_two_lines(*lines))):
            return True
    text, head = text.strip(), lines[0].strip()
    again = (found for found in _MARGIN.finditer(text) if text.startswith(head, found.end())) if _WORD.search(head) else ()
    return any(text.startswith(text[: found.start()].rstrip(" \t"), found.end()) for found in islice(again, AROUND))


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
        not (before.endswith("\\") or are_of_one_form(before, after, code=True) or are_two_lines(before, after))
        for before, after in pairwise(lines)
    )


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


def _was_broken_once(body: str, texts: Iterable[tuple[int, int]]) -> bool:
    """Return whether the only line break in these strings may come from a program that keeps lines within a usual width.

    A line break that clearly ends a line of the string does not.
    """
    broken = [(start, end) for start, end in texts if "\n" in body[start:end]]
    if len(broken) != 1 or body.count("\n", *broken[0]) != 1:
        return False
    ((start, end),) = broken
    at = body.index("\n", start, end)
    if _ONE_BLANK.match(body, at - 1, end):
        return True  # nobody begins a line with one blank: the blank was between two words
    behind = body[at + 1 : end].lstrip(" ")  # the blanks before the first word came with the wrapping
    begins = body.rfind("\n", 0, at) + 1
    width = at - begins
    longest = max(map(len, body.split("\n")))
    if not (longest == width and width in WIDTHS) and not _ends_for_want_of_room(width, behind, longest):
        return False
    return at == start or not is_between_lines(body[start : at + 1] + behind, at - start)


def _were_broken_at_a_width(body: str, texts: Sequence[tuple[int, int]]) -> bool:
    """Return whether several line breaks in these strings, each with the same margin after it, are where a line was full.

    Line breaks between two tokens do not count: the body may have had lines of its own before it was wrapped.
    """
    breaks, shown_before = 0, set[str]()
    for found in (found for start, end in texts for found in _MARGIN.finditer(body, start, end) if found.end() < end):
        breaks += 1
        shown_before.add(found[1])
        if len(shown_before) > 2:
            return False  # most code ends here, with its third line
    margins = sorted(shown_before, key=len)
    if breaks < _BROKEN or not {margins[0], f"{margins[0]} "}.issuperset(margins):
        return False
    lines = [_Line.ended_by(found) for found in _BREAK.finditer(body)]
    spans = iter(texts)
    start, end = next(spans)
    for line in lines:
        while end <= line.end and (start, end) != texts[-1]:
            start, end = next(spans)
        line.inside = start <= line.end and line.begins < end
    indent = len(margins[0])
    if not any(line.inside and line.splits(body) for line in lines):
        return False
    return any(_are_full(body, lines, indent, shown) for shown in {0, indent})


class _Line:
    """A line of a body, up to the break that ends it."""

    __slots__ = ("begins", "behind", "end", "filled", "inside", "word")

    def __init__(self, end: int, filled: int, behind: int, begins: int, word: int) -> None:
        self.end: Final = end  # where the last word of the line ends
        self.filled: Final = filled  # where the blanks after that word end
        self.behind: Final = behind  # where the next line begins
        self.begins: Final = begins  # where the first word of the next line begins
        self.word: Final = word  # the length of that first word
        self.inside = False  # whether the line break is in a text

    @classmethod
    def ended_by(cls, found: re.Match[str]) -> _Line:
        """Return the line that ends at this match of `_BREAK`."""
        word = FIRST_WORD.match(found.string, found.end())
        assert word is not None  # it may be empty
        return cls(found.start(), found.start(1), found.end(1), found.end(), word.end() - word.start())

    def splits(self, body: str) -> bool:
        """Return whether the line break is inside a sentence: between two of its words, or inside a word."""
        return (body[self.end - 1].isalnum() or body[self.end - 1] == ",") and body[self.begins].islower()


def _are_full(body: str, lines: Sequence[_Line], indent: int, shown: int) -> bool:
    """Return whether each line that ends in a string is full: the next word would not fit, or all such lines are equally long.

    `indent` is the length of the margin before a line that begins in a text; `shown` is how much of the margin counts as width.
    """
    words: list[int] = []
    places: list[int] = []
    begin, taken = 0, 0
    for line in lines:
        words.append(line.end - begin + taken)
        places.append(line.filled - begin + taken)
        begin, taken = (line.behind + indent, shown) if line.inside else (line.behind, 0)
    width = max(*words, len(body) - begin + taken)
    ended = [index for index, line in enumerate(lines) if line.inside]
    if width < NARROW:
        return False
    return all(words[index] + 1 + lines[index].word > width for index in ended) or len({places[index] for index in ended}) == 1


_BROKEN: Final = 2
"""The fewest breaks in strings that show that a body was wrapped."""

_BREAK: Final = re.compile(r"(?<![ \t])[ \t]*((?:\r\n|[\n\r\x0b\x0c])+)([\s>|]*)")
"""Matches line breaks, with the blanks before them and the margin after them. It is slower than `_MARGIN`."""

_MARGIN: Final = re.compile(r"[\n\r\x0b\x0c]+([\s>|]*)")
"""Matches line breaks with the margin after them."""


def _ends_for_want_of_room(length: int, behind: str, longest: int) -> bool:
    """Return whether a line ends because the next word would not fit into the usual width of a mail or a terminal.

    `longest` is the length of the longest line, which fits.
    """
    word = FIRST_WORD.match(behind)
    if word is None or not word[0].islower():
        return False
    return any(longest <= width <= length + word.end() for width in _OF_TERMINALS)


_ONE_BLANK: Final = re.compile(r"[^\W_]\n [^\W_]")
"""Matches a line break and one blank between two words."""

_OF_TERMINALS: Final = frozenset({70, 72, 76, 78, 79, 80})
"""The widths at which mail programs and terminals break lines between words."""


def _breaks_otherwise(body: str, string: String) -> bool:
    """Return whether a string shows that its writer breaks lines in another way: by an escape, or between three quotes."""
    if len(string.mark) == 3 and "\n" in body[string.start : string.end]:
        return True
    return _ESCAPED_BREAK.search(body, string.start, string.end) is not None


def _slipped_in(body: str, strings: Iterable[String]) -> bool:
    """Return whether a string in double quotes has a raw line break that probably slipped in.

    A single break slipped in unless it certainly ends a line; if it is the only one of the block, also if it makes an empty
    line and the text has no other. A break at the edge of a text of one line slipped in unless a statement or a tag ends there.
    One that stands for an indent slipped in too, and one where a line of a usual width is full.

    Of several breaks, some slipped in if one is inside a sentence, or, in a text that also escapes breaks, if a word was cut:
    all of them are inside that word.
    """
    texts = [(string, body[string.start : string.end]) for string in strings if string.mark == '"']
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


def was_wrapped(body: str) -> bool:
    """Return whether a program wrapped the lines of a body at a fixed width.

    Text around the call, on its first line or after it, may have been added later.
    """
    begins = [found.start() for found in islice(_OPENER.finditer(body), AROUND)] or [0]
    whole = body[: max(body.rfind("}"), body.rfind("]")) + 1] or body
    closing = whole.find("\n", len(whole.rstrip(" \t\r\n}],)")))
    ends = {whole, whole[:closing] if closing >= 0 else whole}
    return any(_fill_a_width(end[start:].strip("\n").split("\n")) for start in begins for end in ends)


AROUND: Final = 3
"""Limit: the first brackets of a body that are tried as the beginning of the block: that of a list, of an
envelope, of a call."""


def _fill_a_width(lines: list[str]) -> bool:
    """Return whether all lines break after the same number of characters, or each is filled until no other word fits.

    A word that is longer than the width fills a line by itself, as JSON without blanks does.
    """
    if len(lines) > 2 and len(lines[0]) >= NARROW and all(len(line) == len(lines[0]) for line in lines[:-1]):
        return True
    width = max((len(line) for line in lines if " " in line.rstrip(" ")), default=0)
    words = sum(len(line) > width for line in lines)
    if width < NARROW and not any(map(_ENDS_WITH_A_KEY.search, lines)):
        return False
    # one that ends behind the first word of a text shows as much as another line does
    first = len(lines) == _MANY_LINES - 1 and len(lines[0]) > width
    first = first and all(one[-1:].isalnum() and two[:1].islower() for one, two in pairwise(lines))
    if (len(lines) < _MANY_LINES and not first) or 2 * words > len(lines):
        return False
    return all(len(line) + 1 + len(FIRST_WORD.match(after.lstrip(" "))[0]) > width for line, after in pairwise(lines))  # type: ignore[index]


_MANY_LINES: Final = 4
"""The fewest lines that show that a body was wrapped: fewer may be full by chance."""

_ENDS_WITH_A_KEY: Final = re.compile(r"[\"'`“”]:\Z")
"""Matches a line that ends between a key and its value. Nobody writes such lines: they show wrapping at any width."""
