"""Whether a string with unescaped quotes is a text with quotes in it, or has swallowed a part of the block.

A reader that may pass over a quote can pass over the end of a string, and then commas, keys and comments of the block become
text. What tells the two apart is how the quotes pair up. In a text they stand around words: `say "hi" to all`, `class="x">`,
`print("a", "b")`. Where they were the block's own they stand around what is between two strings: a comma, a colon, a comment.

Rule 1: the quotes of a text come in pairs, and no pair stands in the middle of a word.
Rule 2: what stands between two strings of a block is text only inside brackets that open and close in the same text.
Rule 3: a field that the tools know is never text, brackets or not.
"""

from __future__ import annotations

import re
import string
from bisect import bisect_left
from collections.abc import Container, Iterator, Mapping
from functools import cached_property
from itertools import accumulate
from typing import Final

from ..schema.fields import Field
from ..values.call_keys import ENVELOPES

_QUOTES: Final = {"'": "'", "`": "`", **dict.fromkeys("“”„", '"“”„')}
"""The marks that count as quotes of a string, by the mark with which the string begins; for all others, only `"`."""

_SEPARATOR: Final = re.compile(
    r"""
    \s* (?: [,;:)\]}，：；、]              # what ends a value, and in the writing of other countries
          | //|/\*|\s\#|\#\s               # a comment
          | (?:\+|\.|&&?|\|\|?|\\) (?:\s|\Z)  # a joiner of strings
          | (?:or|and|plus) \s* \Z
          )
    | \s* \Z                               # nothing but blanks: two strings beside each other
    | \s [^\n]* \s \Z                      # a word between two strings, with its blanks
    | \s* if \b [^\n]* \b else \s* \Z
    | \W* [,;:] \W* \Z                     # marks alone, one of which ends a value
    | \s+ [\w$-]+ \s* (?:[:=]|=>) \s* \Z    # a key without quotes
    """,
    re.VERBOSE,
)
"""Matches the beginning of the text between two strings of a block: a comma, a colon, a bracket, a comment."""

_JOINER: Final = re.compile(
    r"\s*(?:\+|&&?|\|\|?|\.\.?|\\(?![nrt])|\?\?|<>|or)(?:\s*[$@]?[\w.]+(?:\([\w., ]*\))?\s*(?:\+|\.\.?))?\s*"
    r"|\s*,\s*[$@]?[\w.]+\s*,\s*|\s*\n\s*|\s+[^\w\s]{1,3}\s+|\s+[^\W\d_]{1,8}\.?\s+|\s+if\s\w+\selse\s+"
)
"""Matches a text that joins two strings, of a block or of code: an operator, a name between operators, or a short word."""
_MARK: Final = re.compile(r"\\.|[\"'`“”„]", re.DOTALL)
"""Matches a quote, or a backslash with the character after it."""

_ANY_QUOTE: Final = "\"'`“”„«»"
_KEY_IN_QUOTES: Final = re.compile(
    rf"(?:\A|[,{{\[;])\s*(\\*[{_ANY_QUOTE}])([\w$.-]{{1,80}})(\\*[{_ANY_QUOTE}])(?=\s*(?:[:：]|=>|->|=(?!=)))"
)
"""Matches a key with its quotes and the backslashes before them, if a colon or its like follows."""

_SHORT: Final = frozenset({".", ",", ":", ";", ", ", ": ", "; "})
"""The texts that code often puts between two names."""

_ADDED_TO: Final = re.compile(r"\w\s*\+\s*\Z")
"""Matches the end of a text before a literal that is added to a name: `a + `."""

_ADDED: Final = re.compile(r"\s*\+\s*\w")

_BEFORE_A_VALUE: Final = re.compile(
    r"(?:\A|[=(\[{,:?+!]|&&|\|\||\\n|\n|\b(?:return|yield|case|in|is|or|and|not|else|if|then|default|print|echo))[^\S\n]*\Z"
    r"|[=(\[,:][^\S\n]*[bfru]{1,2}\Z"
)
"""Matches the end of a text before a value of code."""

_BEHIND_A_VALUE: Final = re.compile(r"[^\S\n]*(?:[)\]},;:+?.]|==|&&|\|\||!=|\\n|\n|\Z)|[^\S\n]+(?:if|else|and|or|for)\b")
"""Matches the beginning of a text after a value of code."""

_ASSIGNED: Final = re.compile(r"[\w\])] = \Z")
"""Matches the end of a text before a literal that is assigned to a name: `a = `."""

_GOES_ON_BEHIND: Final = re.compile(r"[^\S\n]+(?:#|//|if|or|and)\s")
"""Matches a comment or a condition after such a literal, on the same line."""

_ATTRIBUTE: Final = re.compile(r"<[A-Za-z][^<>]*\s[\w:@-]+=\Z")
"""Matches the end of a text before the value of an attribute of HTML."""

_BEHIND_ATTRIBUTE: Final = re.compile(r"\s*(?:/?>|[\w:@-]+=|\Z)")
"""Matches the beginning of a text after such a value."""

_LISTED: Final = re.compile(r"\s*(?:,.*|[:|])\s*", re.DOTALL)
"""Matches the text between two values of a list or a map in code, which does not join them."""

_GLUED: Final = re.compile(r"(?:in|of|instanceof)\s")
"""Matches an operator of JavaScript that needs no blank after a quote."""

_LONE_BEFORE: Final = re.compile(r"[(\[{=,:+!?]\s*'\Z")
"""Matches the end of a text before a quote that is the whole of a literal in single quotes: `f('`."""

_LONE_BEHIND: Final = re.compile(r"'\s*(?:[)\]},:;+.]|\\n|\n|\Z)")
"""Matches the beginning of a text after such a quote: `')`."""

_OPENERS: Final = {"(": ")", "[": "]", "{": "}"}
_CLOSERS: Final = {closer: opener for opener, closer in _OPENERS.items()}
"""The opening bracket of each closing one."""

_NOTHING: Final = re.compile(r"\s*[^\w\s()\[\]{}]{0,2}\s*")
"""Matches a text without words and brackets."""

_NO_WORDS: Final = string.punctuation + string.whitespace
_BRACKET: Final = re.compile(r"[()\[\]{}]")
_BRACE: Final = re.compile(r"[\[\]{}]")
"""Matches a brace or a square bracket."""

_ESCAPED_STRING: Final = re.compile(r'\\"(?:[^\\\n]|\\(?!"))*+\\"')
"""Matches a string of a JSON text whose quotes are escaped, since that text is itself a string."""

_JSON_BEGINS: Final = re.compile(r"(?:\s|\\[nrt])*[{\[]")
"""Matches the beginning of JSON in a string."""

_BETWEEN: Final = "," + string.whitespace
"""The characters between two items of a list."""

_CLOSER_BEHIND: Final = re.compile(r"\s*[}\]]")
"""Matches a closing bracket after a value."""

_PREFIXES: Final = frozenset({"f", "r", "b", "u", "F", "R", "B", "L", "rb", "br", "fr", "rf", "return", "case", "typeof"})
"""The words and prefixes that may directly precede the quote of a literal: `f"`, `return"`."""


_OPEN_ENDED: Final = re.compile(r"(?:\A|[^\S\n]|[(\[{=,:<+*&|\\'`-]|\b(?:f|r|b|u|rb|br|fr|rf|return|case|typeof))\Z")


def ends_whole(raw: str, *, escaping: bool) -> bool:
    """Return whether a string is complete where the block ends after its quote. Otherwise the block was cut off inside the
    string, at a quote of the text.

    `escaping` says that the block escapes quotes elsewhere: then an unescaped quote ends the string.
    """
    inside = _Inside(raw, [])
    end = len(raw.rstrip()) - 1
    if raw[end : end + 1] in _CLOSERS and not inside.matched(end):
        return False  # the bracket may belong to the block, and be before the quote by a slip
    return escaping or (_OPEN_ENDED.search(raw) is None and not inside.unclosed)


def leaves_a_bracket_open(raw: str, within: re.Match[str] | None = None) -> bool:
    """Return whether a string, or the part of it up to the end of `within`, has a bracket that does not close. Brackets in
    literals count too.
    """
    end = within.end() if within is not None else len(raw)
    return any(place < end for place in _Inside(raw, []).unclosed)


def slipped(raw: str, *, lacking: bool, left: bool, closers: bool) -> bool:
    """Return whether a bracket in a string may belong to the block, or a bracket of the block to the string.

    If the block is `lacking` a bracket, a closing bracket at the end of the string may be that one, and so may any closing
    brace that the string does not open. If the block has a mark `left` over, an opening bracket at the end of the string may
    belong to it. If `closers` are left over, one of them may be the bracket that the string lacks.
    """
    end = len(raw.rstrip()) - 1
    if lacking and raw[end : end + 1] in _CLOSERS:
        return not _Inside(raw, []).matched(end)
    if lacking and _closes_too_early(raw):
        return True
    return (left and raw[-1:] in _OPENERS) or (closers and _lacks_its_last_bracket(raw))


def _lacks_its_last_bracket(raw: str) -> bool:
    """Return whether a string lacks a bracket at its end.

    A string of several lines, which may be a part of a file, lacks it if the bracket would stand alone in its last line, under
    the line that opens it.
    """
    *others, last = _LINE_BREAK.split(raw)
    if not others:
        return leaves_a_bracket_open(raw)
    if last.strip():
        return False
    opened = list(_Inside(raw, []).unclosed)
    if len(opened) != 1:
        return False
    opener = _LINE_BREAK.split(raw[: opened[0]])[-1] + raw[opened[0]]
    return opener[: len(opener) - len(opener.lstrip())] == last


_LINE_BREAK: Final = re.compile(r"\n|\\n")
"""Matches a line break, as it is or escaped."""


def _closes_too_early(raw: str) -> bool:
    """Return whether a string has a closing brace or square bracket before the one that opens it.

    If the string is JSON, brackets inside the strings of that JSON do not count, provided that all other brackets match.
    """
    for text in (raw, _ESCAPED_STRING.sub("", raw)):
        if text is not raw and _JSON_BEGINS.match(text) is None:
            return True
        depths = {"{": 0, "[": 0}
        early = False
        mark: str
        for mark in _BRACE.findall(text):
            opener = _CLOSERS.get(mark, mark)
            depths[opener] += 1 if mark == opener else -1
            early = early or depths[opener] < 0
        if not early:
            return text is not raw and any(depths.values())
    return True


def has_one_too_many(text: str) -> bool:
    """Return whether a string ends in a closing brace or bracket, and has more of these than of the opening kind. Brackets in
    literals count.
    """
    last = text[-1:]
    return last in ("}", "]") and text.count(last) > text.count(_CLOSERS[last])


_Quote = tuple[int, int, bool]  # where the quote begins, where it ends, and whether it has no backslash


def taken(raw: str, mark: str, fields: Container[str], *, open_keys: bool) -> bool:
    """Return whether the quotes in a string show that it may have swallowed a part of the block.

    `raw` is the string as written, and `fields` are the names of all known fields.

    `open_keys` is whether the object that holds the string may have any key.
    """
    places = _quotes(raw, mark)
    if places is None or len(places) % 2 or _are_marks(raw, places):
        return True
    pairs = list(zip(places[::2], places[1::2], strict=True))
    if _NOTHING.fullmatch(_outside(raw, pairs)):
        return True  # these are the quotes of the string itself, written twice
    inside = _Inside(raw, pairs)
    last: tuple[_Quote, _Quote] | None = None
    for pair in pairs:
        if (pair[0][2] or pair[1][2]) and _are_of_the_block(raw, inside, last, pair):
            return True
        last = pair
    return any(open_keys or key in fields for key in _keys(raw, mark))


def holds_members(raw: str, fields: Container[str], *, open_keys: bool, bare_keys: bool) -> bool:
    """Return whether a string may begin in one member of the block and end in another.

    Such a string contains a key after a quote and a comma or bracket, and the key is in no brackets of the string, or after an
    odd number of quotes. Any kind of quote counts: one mark may have replaced the quotes of both members. `bare_keys` says that
    keys of the block have no quotes.
    """
    inside: _Inside | None = None
    raw = _IN_A_WORD.sub("x", raw)
    quotes, at = dict.fromkeys(_ANY_QUOTE, 0), 0
    for found in _KEY_BEHIND.finditer(raw):
        _, opens, name, closes = found.groups()
        if not (opens or closes or bare_keys) or not (open_keys or name in fields or name in ENVELOPES):
            continue
        end = found.start() + 1
        quotes = {mark: count + raw.count(mark, at, end) for mark, count in quotes.items()}
        at = end
        inside = inside or _Inside(raw, [])
        if quotes[found[1]] % 2 or not inside.at(found.start(3)):
            return True
    return False


def ends_with_a_member(text: str, lacking: Mapping[str, Field | None]) -> bool:
    """Return whether the last line of a text is one of these fields with a value that it takes.

    Then the mark that ends the text may stand one member too late. A word without quotes is such a value if the field lists it,
    or a comma ends the line before, as between two members.
    """
    first, *others = [line for line in text.splitlines() if line.strip()] or [""]
    member = _MEMBER_OF_A_LINE.fullmatch(others[-1]) if others and lacking else None
    if member is None or member[1] not in lacking:
        return False
    about, value = lacking[member[1]], member[2]
    bare = value.strip(_ANY_QUOTE)
    if about is not None and about.allowed:
        return any(str(one).lower() == bare.lower() for one in about.allowed)
    kinds = about.kinds if about is not None else ()
    if any(kind in kinds or not kinds for kind, form in _FORMS.items() if form.fullmatch(value)):
        return True
    said = bare != value or [first, *others][-2].rstrip().endswith(",")
    return said and (not kinds or "string" in kinds)


_MEMBER_OF_A_LINE: Final = re.compile(
    rf"\s*[{_ANY_QUOTE}]?([\w$.-]{{1,80}})[{_ANY_QUOTE}]?\s*(?::|=>?)\s*(\S(?:[^\n]*[^\s,])?)\s*,?\s*"
)
_FORMS: Final = {
    "boolean": re.compile(r"true|false", re.IGNORECASE),
    "integer": re.compile(r"[-+]?\d[\d_]*"),
    "number": re.compile(r"[-+]?\d[\d_.eE+-]*"),
    "null": re.compile(r"null|None|undefined"),
    "array": re.compile(r"\[.*\]"),
    "object": re.compile(r"\{.*\}"),
}
"""Match a line that is a member, with the field and its value; and a value of each type, as it stands without quotes."""

_IN_A_WORD: Final = re.compile(r"'(?<=\w')(?=\w)")
"""Matches an apostrophe in a word."""

_KEY_BEHIND: Final = re.compile(
    rf"""([{_ANY_QUOTE}])\s*[,{{}}\[\]][\s,{{}}\[\]]*([{_ANY_QUOTE}]?)([\w$.-]{{1,80}})([{_ANY_QUOTE}]?)\s*(?::|=(?!=))"""
)
"""Matches a key after a quote and a comma or bracket: `", "path":`."""


def _are_marks(raw: str, places: list[_Quote]) -> bool:
    """Return whether quotes in a string may be those of the block, judged by the rest of the string."""
    if _written_twice(raw, places) or ('"' in raw and _says_twice(raw)):
        return True
    _, last, bare = places[-1] if places else (0, 0, False)
    if bare and raw[last:] and not raw[last:].strip(_BETWEEN) and not all(alone for *_, alone in places):
        return True  # the string's own quote, where all others are escaped, and a quote that slipped in after it
    if not raw.strip(_NO_WORDS) and any(alone for *_, alone in places):
        return True  # a text without words is only marks, and some may belong to the block
    if len(places) != 2 or not (places[0][2] and places[1][2]) or raw[places[0][1] : places[1][0]].strip():
        return False
    if _ends_a_count(raw, *places):
        return True
    return places[0][1] == places[1][0] and not _is_needed(raw, *places)  # both may split a text, or be an empty literal


def _are_of_the_block(raw: str, inside: _Inside, last: tuple[_Quote, _Quote] | None, pair: tuple[_Quote, _Quote]) -> bool:
    """Return whether the quotes of a pair may be those of two strings of the block. `last` is the pair before it."""
    (start, opened, _), (closed, after, _) = pair
    if _in_a_word(raw, start, after):
        return True
    if raw[start - 1 : start] in _CLOSERS:
        return True  # no literal begins directly after a closing bracket
    closer = _CLOSER_BEHIND.match(raw, after)
    if closer is not None and not inside.matched(closer.end() - 1):
        return True  # a string of the block may end here, with its object or list
    if last is not None and _follow_each_other(raw, inside, last, pair):
        return True
    if "\n" in raw[opened:closed]:
        return True  # no literal has several lines
    if _JOINER.fullmatch(raw, opened, closed) and not _is_added(raw, start, opened, closed, after):
        return True
    padded = opened == closed or (raw[opened].isspace() and raw[closed - 1].isspace())
    if padded and not _is_a_value(raw, start, after):
        return True
    return _separates(raw, start, opened, closed, after) and not inside.at(start)


def _follow_each_other(raw: str, inside: _Inside, last: tuple[_Quote, _Quote], pair: tuple[_Quote, _Quote]) -> bool:
    """Return whether two pairs of quotes are beside each other as two strings of a block are, and not as two literals."""
    (before, begun, _), (ended, end, _) = last
    (start, opened, _), (closed, after, _) = pair
    if raw[end:start].isspace() or _JOINER.fullmatch(raw, end, start):
        listed = _LISTED.fullmatch(raw, end, start) or _have_lines_of_their_own(raw, before, end, start, after)
        if not (inside.at(start) and listed):
            return True
    # A literal directly after another one, or an empty one beside it.
    return end == start or ((begun == ended or opened == closed) and not raw[end:start].strip())


def _outside(raw: str, pairs: list[tuple[_Quote, _Quote]]) -> str:
    """Return the parts of a string that are outside its pairs of quotes, joined."""
    at, parts = 0, []
    for (start, *_), (_, after, _) in pairs:
        parts.append(raw[at:start])
        at = after
    return "".join([*parts, raw[at:]])


def _keys(raw: str, mark: str) -> Iterator[str]:
    """Yield each name in a string that is written like a key of the block: in quotes, with a colon after it.

    One of its quotes must be of the string's kind and have no backslash; another mark may have replaced the other. A name with
    both quotes escaped belongs to the text: quotes of the block are not escaped, and a slip escapes only one.
    """
    marks = _QUOTES.get(mark[0], '"')
    for found in _KEY_IN_QUOTES.finditer(raw):
        opens, name, closes = found.groups()
        if any(quote[-1] in marks and len(quote) % 2 for quote in (opens, closes)):
            yield name


def _quotes(raw: str, mark: str) -> list[_Quote] | None:
    """Return the quotes of a string, in order, of which each two make a pair; None if it is unclear which belong together.

    Three quotes in a row are around a text of their own, and do not count.
    """
    marks = _QUOTES.get(mark[0], '"')
    found: list[_Quote] = []
    triples: list[_Quote] = []
    mixed = 0  # the triples that are escaped in part, and may be the end of a string of the block
    for match in _MARK.finditer(raw):
        first, at = match.span()
        char, bare = raw[at - 1], at == first + 1
        if char not in marks or _apostrophe(raw, first):
            continue
        if raw[first - 1 : first] == raw[at : at + 1] == "'" and char == '"' and _is_alone(raw, first, at):
            continue
        found.append((first, at, bare))
        if len(found) > 2 and found[-1][0] == found[-2][1] and found[-2][0] == found[-3][1]:
            if raw[at : at + 1] == char:
                return None
            mixed += len({one[2] for one in found[-3:]}) > 1 and not _bounds_a_docstring(raw, found[-3][0], at)
            triples.append((found[-3][0], at, any(one[2] for one in found[-3:])))
            del found[-3:]
    if not triples:
        return found
    if mixed and len(triples) % 2:
        return None
    glued = (bare and raw[end : end + 1].isalnum() and _in_a_word(raw, start, start) for start, end, bare in triples)
    return None if any(glued) else found


def _is_alone(raw: str, start: int, after: int) -> bool:
    """Return whether a quote is the whole content of a literal in single quotes: `f('"')`."""
    return _LONE_BEFORE.search(raw, max(0, start - 9), start) is not None and _LONE_BEHIND.match(raw, after) is not None


def _bounds_a_docstring(raw: str, start: int, after: int) -> bool:
    """Return whether three quotes begin or end a docstring: they are first in a line, with a word or a line break
    after them.
    """
    return _LINE_BEGINS.search(raw, max(0, start - 80), start) is not None and _GOES_ON.match(raw, after) is not None


_LINE_BEGINS: Final = re.compile(r"(?:\A|\n|(?<!\\)(?:\\\\)*\\n)[^\S\n]*\Z")
_LINE_ENDS: Final = re.compile(r"[^\S\n]*\n")
_ESCAPED_BLANK: Final = re.compile(r"\\(?<!\\\\)(?:\\\\)*[nt]\Z")
_GOES_ON: Final = re.compile(r"\w|\\n")


def _written_twice(raw: str, places: list[_Quote]) -> bool:
    """Return whether all quotes without a backslash are doubled, and may be something other than empty literals.

    Some formats escape a quote by another: `f("", "")` may be `f(", ")`.
    """
    bare = [(start, end) for start, end, alone in places if alone]
    twos = list(zip(bare[::2], bare[1::2], strict=False))
    if len(bare) < 3 or len(bare) % 2 or any(one[1] != other[0] for one, other in twos):
        return False
    if any(_separates(raw, one[0], one[1], other[0], other[1]) for one, other in twos):
        return True
    between = [raw[one[1][1] : other[0][0]] for one, other in zip(twos[::2], twos[1::2], strict=False)]
    return len(twos) % 2 == 0 and not any("\n" in text or "\\n" in text for text in between)


def _ends_a_count(raw: str, one: _Quote, other: _Quote) -> bool:
    """Return whether a pair of quotes is after a comma and before a brace: it may split a text such as `a{2,}`."""
    return raw[: one[0]].endswith(",") and raw.startswith("}", other[1])


def _is_needed(raw: str, one: _Quote, other: _Quote) -> bool:
    """Return whether code would lack a value without the empty literal of these two quotes: `f(, x)`, `a = `."""
    before, behind = raw[: one[0]].rstrip()[-1:], raw[other[1] :].lstrip()[:1]
    return before in ("=", ",", "+") or (before in ("(", "[") and behind == ",")


def _says_twice(raw: str) -> bool:
    """Return whether a string is one text twice, with only quotes between: a value that the model began anew."""
    for between in ('"', '""', '"""'):
        half = (len(raw) - len(between)) // 2
        if raw == raw[:half] + between + raw[:half]:
            return True
    return False


def leaves_a_fence_open(raw: str) -> bool:
    """Return whether a text has a fence after a raw line break that opens and does not close.

    Two fences with nothing between them count too.

    The text may have been cut off at that fence, and the text after it may be a new beginning of the block.
    """
    mark, begins, behind = "", 0, 0
    for found in _FENCE.finditer(raw) if "```" in raw or "~~~" in raw else ():
        if not mark:
            mark, begins, behind = found[1], found.start(), found.end()
        elif found[1].startswith(mark) and not found[2].strip():
            if raw.startswith("\n", begins) and not raw[behind : found.start()].strip():
                return True
            mark = ""
    return bool(mark) and raw.startswith("\n", begins)


_FENCE: Final = re.compile(r"(?:\A|\n|\\n)[^\S\n]*(`{3,}|~{3,})((?:(?!\\n)[^`\n])*+)(?=\n|\\n|\Z)")
"""Matches a line of a text that opens or closes a fenced block."""


def _apostrophe(raw: str, at: int) -> bool:
    return raw[at] == "'" and 0 < at < len(raw) - 1 and raw[at - 1].isalpha() and raw[at + 1].isalpha()


def _in_a_word(raw: str, start: int, after: int) -> bool:
    """Return whether the opening quote directly follows a word, or a word directly follows the closing quote."""
    if raw[after : after + 1].isalnum():
        return _GLUED.match(raw, after) is None or _BEFORE_A_VALUE.search(raw, max(0, start - 20), start) is None
    first = start
    while first > 0 and start - first < 7 and (raw[first - 1].isalnum() or raw[first - 1] == "_"):
        first -= 1
    if _ESCAPED_BLANK.search(raw, max(0, start - 80), start):
        return False
    return first < start and raw[first:start] not in _PREFIXES


def _separates(raw: str, start: int, opened: int, closed: int, after: int) -> bool:
    """Return whether the text between two quotes may be the text between two strings of a block."""
    if closed == opened:
        return not _is_a_value(raw, start, after)
    return not _is_added(raw, start, opened, closed, after) and _SEPARATOR.match(raw[opened:closed]) is not None


def _is_a_value(raw: str, start: int, after: int) -> bool:
    """Return whether a literal that is empty, or begins and ends with a blank, is where code or HTML has a value."""
    if _ATTRIBUTE.search(raw, max(0, start - 300), start):
        return _BEHIND_ATTRIBUTE.match(raw, after) is not None
    if _ASSIGNED.search(raw, max(0, start - 9), start) and _GOES_ON_BEHIND.match(raw, after):
        return True
    if raw[start - 1 : start] == raw[after : after + 1] == ":":
        return False  # `std::x`, cut in two between its colons
    return bool(_BEFORE_A_VALUE.search(raw, max(0, start - 20), start) and _BEHIND_A_VALUE.match(raw, after))


def _have_lines_of_their_own(raw: str, first: int, end: int, start: int, after: int) -> bool:
    """Return whether each of two literals is alone on its line, as in a list of imports."""
    return (
        "\n" in raw[end:start]
        and _LINE_BEGINS.search(raw, max(0, first - 80), first) is not None
        and _LINE_ENDS.match(raw, after) is not None
    )


def _is_added(raw: str, start: int, opened: int, closed: int, after: int) -> bool:
    """Return whether a literal of code is put between names (`a + "." + b`) or between the items of a list
    (`",".join(names)`).
    """
    if raw.startswith(".join(", after):
        return True
    if raw[opened:closed] not in _SHORT:
        return False
    return _ADDED_TO.search(raw, max(0, start - 9), start) is not None and _ADDED.match(raw, after) is not None


class _Inside:
    """The brackets that open and close in a text, outside of its literals. They are searched for at the first question."""

    def __init__(self, raw: str, pairs: list[tuple[_Quote, _Quote]]) -> None:
        self._raw: Final = raw
        self._pairs: Final = pairs

    @cached_property
    def _found(self) -> tuple[list[int], list[int], list[int]]:
        """The places of brackets that have a partner, in order; the depth after each; and the places of brackets that only
        open.
        """
        raw, pairs = self._raw, self._pairs
        steps: list[tuple[int, int]] = []
        stack: list[tuple[str, int]] = []
        at = 0
        for start, end in [*((one[0], other[1]) for one, other in pairs), (len(raw), len(raw))]:
            for found in _BRACKET.finditer(raw, at, start):
                char = found[0]
                if char in _OPENERS:
                    stack.append((char, found.start()))
                    continue
                while stack and stack[-1][0] != _CLOSERS[char]:
                    stack.pop()
                if stack:
                    _, opened = stack.pop()
                    steps += [(opened, 1), (found.start(), -1)]
            at = end
        steps.sort()
        return [place for place, _ in steps], list(accumulate(step for _, step in steps)), [place for _, place in stack]

    @property
    def unclosed(self) -> list[int]:
        """The places of the brackets that do not close."""
        return self._found[2]

    def matched(self, place: int) -> bool:
        """Return whether the bracket at this place has a partner."""
        places, _, _ = self._found
        index = bisect_left(places, place)
        return index < len(places) and places[index] == place

    def at(self, place: int) -> bool:
        """Return whether this place is inside of brackets."""
        places, depths, _ = self._found
        index = bisect_left(places, place) - 1
        return index >= 0 and depths[index] > 0
