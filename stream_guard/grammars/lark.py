"""Prints nodes as Lark, in the dialect of llguidance, which OpenAI's custom tools take as well."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Final

from .automata import BLANK
from .calls import Calls
from .nodes import EMPTY, Alt, Chars, Lexeme, Lit, Many, Node, Rule, Seq, Until, complement, times
from .values import JSON_CHAR, Expander

_HEADER: Final = "%llguidance {}"


def text(calls: Calls, *, prose: bool) -> str:
    """Return the grammar of a whole reply; without prose, of one call alone."""
    expander = Expander(calls.named)
    printer = _Printer()
    numbered = list(enumerate(calls.entries, 1))
    found = {body: f"call{number}" for number, body in enumerate(dict.fromkeys(entry.body for entry in calls.entries), 1)}
    bodies = {name: expander.expand(body) for body, name in found.items()}
    names = " | ".join(f"trigger{number} {found[entry.body]}" for number, entry in numbered)
    lines = []
    if prose:
        behind = '"\\n" reply' if calls.line else "reply"
        alone = " | call" if calls.line else ""
        lines += [_HEADER, f"start: reply\nreply: PROSE{alone} | call {behind}\ncall: {names}", "PROSE: /(?s:.*)/"]
        lines += (f"trigger{number}[lazy]: /(?s:.*)/ {_quoted(entry.trigger)}" for number, entry in numbered)
    else:
        lines.append(f"start: {names}")
        lines += (f"trigger{number}: {_quoted(entry.trigger)}" for number, entry in numbered)
    rules = [f"{name}: {printer.rule(node, 0)}" for name, node in {**bodies, **expander.rules}.items()]
    return "\n".join([*lines, *rules, *printer.terminals()]) + "\n"


class _Printer:
    def __init__(self) -> None:
        self._made: Final[dict[Lexeme | Chars | Until, str]] = {}

    def terminals(self) -> Iterable[str]:
        """Yield the definitions of the grammar's terminals."""
        for node, name in self._made.items():
            if isinstance(node, Until):
                quote = f"{_quoted(node.closer)} " if node.in_json else ""  # one piece, as the strings that are listed are
                yield f"{name}: {quote}{name}_TEXT {_quoted(node.closer)}"
                yield f"{name}_TEXT: {_excluding(node)}"
            else:
                yield f"{name}: /{regex(node.part if isinstance(node, Lexeme) else node)}/"

    def rule(self, node: Node, tight: int) -> str:
        """Return the text of a node, in brackets if the text around it binds more tightly: 1 in a sequence, 2 under a
        repetition.
        """
        if isinstance(node, Lit):
            return _quoted(node.text)
        if isinstance(node, Rule):
            return node.name
        if isinstance(node, Lexeme | Chars | Until):
            return self._made.setdefault(node, f"{'TEXT' if isinstance(node, Until) else 'T'}{len(self._made) + 1}")
        if isinstance(node, Many):
            return f"{self.rule(node.part, 2)}{times(node)}"
        assert isinstance(node, Seq | Alt)
        if isinstance(node, Seq):
            inner = " ".join(self.rule(part, 1) for part in node.parts) or '""'
            return f"({inner})" if tight > 1 and len(node.parts) > 1 else inner
        parts = [part for part in node.parts if part != EMPTY]
        inner = " | ".join(self.rule(part, 0) for part in parts)
        if len(parts) < len(node.parts):
            return f"({inner})?"
        return f"({inner})" if tight else inner


def _excluding(node: Until) -> str:
    """Return the expression for the text before a closer: any text except the excluded ones."""
    blanks = f"[{_regex_text(BLANK)}]*"
    made = [f"/(?:{regex(JSON_CHAR, 0)}){_least(node)}/" if node.in_json else f"/(?s:.){_least(node)}/"]
    if node.without:
        made.append(f"~/(?s:.*)(?:{'|'.join(map(_regex_text, node.without))})(?s:.*)/")
    if node.never:
        made.append(f"~/{blanks}(?:{'|'.join(map(_regex_text, node.never))}){blanks}/")
    if node.never_begins:
        made.append(f"~/{blanks}[{_regex_text(node.never_begins)}](?s:.*)/")
    if not node.indents:
        half = r"|\r" if node.closer[0] == "\n" else ""
        made.append(rf"~/(?s:.*)(?:[\r\n][ \t]+[\r\n]*{half})/")
    return " & ".join(made)


def _least(node: Until) -> str:
    return "*" if not node.least else "+"


def _quoted(text: str) -> str:
    made = json.dumps(text, ensure_ascii=False)
    return "".join(f"\\u{ord(char):04x}" if "\x7f" <= char <= "\x9f" else char for char in made)  # no literal may contain these


def regex(node: Node, tight: int = 0) -> str:
    """Return a node as a regular expression."""
    if isinstance(node, Lit):
        inner = _regex_text(node.text)
        return f"(?:{inner})" if tight > 1 and len(node.text) > 1 else inner
    if isinstance(node, Chars):
        return _class(node)
    if isinstance(node, Lexeme):
        return regex(node.part, tight)
    if isinstance(node, Many):
        return f"{regex(node.part, 2)}{times(node)}"
    assert isinstance(node, Seq | Alt)
    if isinstance(node, Seq):
        inner = "".join(regex(part, 1) for part in node.parts)
        return f"(?:{inner})" if tight > 1 else inner
    return f"(?:{'|'.join(regex(part, 0) for part in node.parts)})"


def _regex_text(text: str) -> str:
    return "".join(map(_character, text))


def _character(char: str) -> str:
    if char in "\n\r\t":
        return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}[char]
    if char.isprintable():
        return f"\\{char}" if re.match(r"[\\.+*?()|\[\]{}^$/&~#-]", char) else char
    return f"\\x{ord(char):02X}" if ord(char) < 128 else f"\\u{{{ord(char):X}}}"


def _class(node: Chars) -> str:
    left_out = complement(node)
    if left_out is not None and not left_out.ranges:
        return "(?s:.)"
    inner = "".join(
        _character(chr(first)) if first == last else f"{_character(chr(first))}-{_character(chr(last))}"
        for first, last in (left_out or node).ranges
    )
    return f"[{'' if left_out is None else '^'}{inner}]"
