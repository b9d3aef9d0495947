"""`BraceCall`: a call as a name and braces, with keys that are not quoted and strings between markers.

    call:NAME{key:<|"|>text<|"|>,n:42,o:{k:<|"|>v<|"|>},l:[1,2]}<tool_call|>

A string is text without escapes. A value without quotes is untyped. Objects and lists are returned as JSON; inside them, a word
without quotes that is no JSON literal can only be text.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Final

from ...values.call_keys import folded
from ..call import INSTEAD, Doubt, Value, is_laid_out
from ..marks import holds_any, marks, skip
from ..own_tags import own_brackets
from ..pieces import Pieces
from ..remains import stands_twice
from .quoted import QuotedBody


class BraceCall(QuotedBody):
    """Reads `call:NAME{...}` and the closer after it."""

    def __init__(
        self,
        *,
        quote: str = '<|"|>',
        openers: tuple[str, ...] = (),
        closers: tuple[str, ...] = ("<tool_call|>",),
        needs_closer: bool = True,
        path_field: str | None = "path",
    ) -> None:
        """Read a body.

        Args:
            quote: The marker on each side of a string. Double quotes count too.
            openers: Openers of the dialect. An opener in a string shows that the string should have ended.
            closers: The closers of the body.
            needs_closer: Whether a body without its closer is uncertain.
            path_field: The field whose value is the `path`.
        """
        super().__init__(
            self._before,
            openers=openers,
            closers=closers,
            needs_closer=needs_closer,
            path_field=path_field,
        )
        self._quotes: Final = marks((quote, '"'))
        self._ends: Final = dict.fromkeys((quote, *closers))  # the ends of a value without escapes
        self._word: list[str] = []  # the name, the key or the word without quotes that is being read
        self._word_at = 0
        self._key = ""
        self._open: list[str] = []  # the closers of the objects and lists that are open
        self._json: list[str] = []  # the JSON of the outermost of these
        self._first = True  # whether the innermost of these is still empty
        self._doubt_within: Doubt | None = None  # why a text inside these may differ from the text that was meant
        self._lines_within = False  # whether a text inside these has several lines
        self._bare_within: list[int] = []  # the indexes of the pieces of `_json` that are texts without quotes

    @property
    def value_marks(self) -> tuple[str, ...]:
        """Return the marker on each side of a string, unless it is a quote that prose has too."""
        return tuple(mark for mark in self._quotes.markers if mark[0] == "<")

    # The name.

    def _before(self, text: str, at: int) -> int:
        at = skip(text, at)
        if at < len(text):
            self._word, self._word_at = [], self._origin + at
            self._state = self._in_name
        return at

    def _in_name(self, text: str, at: int) -> int:
        found = _NAME_RUN.match(text, at)
        stop = found.end() if found is not None else at
        self._word.append(text[at:stop])
        if stop == len(text):
            return stop
        name = _NAME.fullmatch("".join(self._word))
        if text[stop] != "{" or name is None:
            self._break("head", self._word_at)
            return stop
        self._open_call(name[1])
        self._state = self._before_key
        return stop + 1

    # Keys and values.

    def _before_key(self, text: str, at: int) -> int:
        """Read on in an object, where a key or the end of the object is due."""
        at = skip(text, at)
        quote = self._quotes.at(text, at)
        if at == len(text) or (quote is None and self._quotes.begun(text, at)):
            return at
        if quote is not None:
            self._open_string(quote, self._close_quoted_key)
            return at + len(quote)
        if text[at] == "}":
            return self._close(text, at)
        self._word, self._word_at = [], self._origin + at
        self._state = self._in_key
        return at

    def _in_key(self, text: str, at: int) -> int:
        found = _KEY_RUN.match(text, at)
        stop = found.end() if found is not None else at
        self._word.append(text[at:stop])
        if stop < len(text):
            key = "".join(self._word)
            if not key:
                self._break("structure", self._word_at)
                return stop
            self._take_key(key)
        return stop

    def _close_quoted_key(self) -> None:
        key = self._text_of_string()
        self.uncertain = self.uncertain or _is_spoiled(key)
        self._take_key(key)

    def _take_key(self, key: str) -> None:
        if self._open:
            self._json.append(("" if self._first else ",") + json.dumps(key, ensure_ascii=False) + ":")
            self._first = True
        else:
            self._key = key
        self._state = self._colon

    def _colon(self, text: str, at: int) -> int:
        at = skip(text, at)
        if at == len(text):
            return at
        if text[at] != ":":
            self._break("structure", self._origin + at)
            return at
        self._state = self._before_value
        return at + 1

    def _before_value(self, text: str, at: int) -> int:
        at = skip(text, at)
        quote = self._quotes.at(text, at)
        if at == len(text) or (quote is None and self._quotes.begun(text, at)):
            return at
        char = text[at]
        if quote is not None:
            if quote != '"':
                self._raw_ends.update(self._ends)
            self._open_string(quote, self._close_string_value)
            return at + len(quote)
        if char in _PAIRS:
            if not self._open:
                self._json, self._doubt_within, self._lines_within = [], None, False
                self._bare_within = []
            self._json.append(self._comma() + char)
            self._open.append(_PAIRS[char])
            self._first = True
            self._state = self._before_key if char == "{" else self._before_value
            return at + 1
        if char == "]" and self._open and self._open[-1] == "]":
            return self._close(text, at)
        self._word, self._word_at = [], self._origin + at
        self._state = self._in_word
        return at

    def _comma(self) -> str:
        return "," if self._open and self._open[-1] == "]" and not self._first else ""

    def _close_string_value(self) -> None:
        written = self._text_of_string()
        laid_out = self._quote != '"' and is_laid_out(written)
        spoiled = _is_spoiled(written) or (self._quote != '"' and _is_cut(written, self._quote))
        doubt: Doubt | None = "marker" if spoiled else "blanks" if laid_out else None
        self._take(Value(written, "text", doubt), json.dumps(written, ensure_ascii=False))

    def _text_of_string(self) -> str:
        """Return the text of the string that has ended. Escapes are decoded if strings in such quotes have them."""
        written = self._string.text()
        self._string = Pieces()
        if self._quote != '"' or "\\" not in written:
            return written
        try:
            return str(json.loads(f'"{written}"', strict=False))
        except ValueError:
            return written

    def _in_word(self, text: str, at: int) -> int:
        found = _WORD_RUN.match(text, at)
        stop = found.end() if found is not None else at
        self._word.append(text[at:stop])
        if stop < len(text):
            if text[stop] == "<":
                return self._behind_sign(text, stop)
            word = "".join(self._word).strip()
            if text[stop] in "{[" or not word:
                self._break("structure", self._word_at)
                return stop
            self.uncertain = self.uncertain or word[0] in "'\"" or word[-1] in "'\""  # other quotes, or half of them
            literal = _LITERAL.fullmatch(word) is not None
            if not literal:
                self._raw_ends.update(self._ends)
            written = "".join(self._word)
            around = not literal and word != written
            self.uncertain = self.uncertain or (around and bool(self._open))
            if _NO_WORD.search(word) is not None:
                value = Value(word, "bare", "marker")
            else:
                value = Value(written, "bare", "blanks") if around else Value(word, "bare")
            self._take(value, word if literal else json.dumps(word, ensure_ascii=False))
        return stop

    def _behind_sign(self, text: str, at: int) -> int:
        """Read on in a word at a text that may be a closer of the body: then a brace is missing."""
        closer = self._closers.at(text, at)
        if closer is not None:
            self._end_at(self._origin + at + len(closer), complete=False)
            return at
        quote = self._quotes.at(text, at)
        if self._closers.begun(text, at) or (quote is None and self._quotes.begun(text, at)):
            return at
        self.uncertain = self.uncertain or quote is not None  # the quote before the word is missing
        self._word.append(quote or text[at])
        return at + len(quote or text[at])

    def _take(self, value: Value, as_json: str) -> None:
        """Add a value: as an argument, or as a part of the object or list that is open."""
        if self._open:
            self._json += (self._comma(), as_json)
            if value.form == "bare" and as_json[0] == '"':
                self._bare_within.append(len(self._json) - 1)
            self._first = False
            self._doubt_within = self._doubt_within or ("marker" if value.doubt == "marker" else None)
            self._lines_within = self._lines_within or "\n" in value.text
        else:
            self._argument(value)
        self._state = self._behind_value

    def _argument(self, value: Value) -> None:
        self._add(self._key, value)
        if self.path is None and folded(self._key) == self._path_field and value.form != "json":
            self.path = value.text

    def _behind_value(self, text: str, at: int) -> int:
        at = skip(text, at)
        if at == len(text):
            return at
        if text[at] == ",":
            self._state = self._before_value if self._open and self._open[-1] == "]" else self._before_key
            return at + 1
        if text[at] in "}]":
            return self._close(text, at)
        self._break("structure", self._origin + at)
        return at

    def _close(self, text: str, at: int) -> int:
        """Close the innermost object or list, or the call."""
        char = text[at]
        if char != (self._open[-1] if self._open else "}"):
            self._break("structure", self._origin + at)
            return at
        if not self._open:
            self._closed = 1
            return self._close_body(at + 1)
        self._open.pop()
        self._json.append(char)
        self._first = False
        if not self._open:
            whole = "".join(self._json)
            for number in self._bare_within:
                self._json[number] = INSTEAD
            instead = "".join(self._json) if self._bare_within else None
            self._argument(Value(whole, "json", self._doubt_within, lines=self._lines_within, instead=instead))
        self._state = self._behind_value
        return at + 1

    def _cut_off(self) -> None:
        if not self._open and self._state in (self._in_string, self._escaped) and self._then == self._close_string_value:
            self._add(self._key, Value(self._string.text(), "text"))
        super()._cut_off()


def _is_spoiled(text: str) -> bool:
    """Return whether a text holds the rest of a marker of a string, `<|"|>` or `<escape>`."""
    return holds_any(text, _SIGNS) and _SPOILED.search(text) is not None


def _is_cut(text: str, quote: str) -> bool:
    """Return whether a text begins with the end of its marker, ends with the beginning of its marker, or has another marker
    inside.
    """
    begins = text.startswith(tuple(quote[at:] for at in range(1, len(quote)))) and not text.startswith("> ")
    mark = marks((quote,))
    ends = text.endswith(tuple(quote[:size] for size in range(1, len(quote))))
    if begins or ends or mark.within(text) or mark.retried(text) or stands_twice(text, (quote,), (quote,)):
        return True
    return quote == "<escape>" and _holds_letters(text)


def _holds_letters(text: str) -> bool:
    """Return whether the text holds letters of the marker `<escape>` after a bracket.

    A word that the text also has elsewhere (`total<estimate`), and a list of types, do not count.
    """
    found = list(_LETTERS.finditer(text))
    words = Counter(re.findall(r"\w++", text)) if found else {}
    own = {opened.start for opened in own_brackets(text).values()} if found else set()
    return any(words[each["word"]] < 2 and (each["tag"] is not None or each.start() not in own) for each in found)


_LETTERS: Final = re.compile(r"<(?P<word>es\w*+(?![\s>/:.@\[-])|(?:es?)?s?c?a?pe(?P<tag>(?=>)))")
"""Matches a text that may be the rest of the marker `<escape>`, by its letters."""

_NAME_RUN: Final = re.compile(r"[\w.:/$-]*+")
_NAME: Final = re.compile(r"(?:(?:call)?:)?([\w./$-]++)")
_KEY_RUN: Final = re.compile(r"[\w.$-]*+")
_WORD_RUN: Final = re.compile(r"[^,{}\[\]<]*+")
_LITERAL: Final = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|true|false|null")
_PAIRS: Final = {"{": "}", "[": "]"}

# What is left of the marker of a string, of either dialect, when one of its characters is lost, or written in another way.
_QUOTE: Final = r"""(?:\\*["'`´“”„‟‘’‚«»＂]|&(?:quot|apos|#0*3[49]|#x0*2[27]);)"""
_LESS: Final = r"(?:[<＜]|&(?:lt|#0*60|#x0*3c);)"
_GREATER: Final = r"(?:[>＞]|&(?:gt|#0*62|#x0*3e);)"
_BAR: Final = r"(?:[|｜]|&(?:vert|verbar|#0*124|#x0*7c);)"
_SPOILED: Final = re.compile(
    rf"(?i:{_LESS}\s*+(?:{_BAR}\s*+(?:{_QUOTE}|{_BAR}|{_GREATER})|{_QUOTE}\s*+{_BAR}|[/\\]*+\s*+escape)"
    rf"|{_LESS}(?:{_QUOTE}|[l1I!]{_QUOTE}[l1I!]){_GREATER}"
    rf"|{_BAR}{_QUOTE}{_BAR}|{_QUOTE}{_BAR}\s*+{_GREATER}|\bescape\s*+{_GREATER})"
)
_SIGNS: Final = "<＜>＞|｜&"
"""The characters of which any rest of a marker has one."""

# In a word without quotes these may be what is left of quotes: no word has them that is a text for certain.
_NO_WORD: Final = re.compile(rf"(?i::|{_LESS}|{_GREATER}|{_BAR}|\A{_QUOTE}|{_QUOTE}\Z)")
