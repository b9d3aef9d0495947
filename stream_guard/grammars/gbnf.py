"""Prints nodes as GBNF, the format of llama.cpp, which xgrammar reads too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from . import automata
from .calls import Calls
from .nodes import EMPTY, Alt, Chars, Lexeme, Lit, Many, Node, Rule, Seq, Until, alt, complement, seq, times
from .shapes import Shapes
from .values import Expander

_SPELT: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}


def text(calls: Calls, *, prose: bool) -> str:
    """Return the grammar of a reply from its first trigger on; without prose, of one call alone."""
    expander = Expander(calls.named)
    printer = _Printer()
    found = {body: Rule(f"call{number}") for number, body in enumerate(dict.fromkeys(entry.body for entry in calls.entries), 1)}
    entries = [(entry.trigger, found[entry.body]) for entry in calls.entries]
    behind: Node = EMPTY
    free: Mapping[str, Node] = {}
    if prose:
        free = automata.dispatch(entries, "free")
        behind = alt(EMPTY, seq(Lit("\n"), Rule("free"))) if calls.line else Rule("free")
    bodies = {rule.name: seq(expander.expand(body), behind) for body, rule in found.items()}
    root = alt(*(seq(Lit(trigger), body) for trigger, body in entries))
    return printer.all({"root": root, **bodies, **free, **expander.rules})


def of_node(node: Node, named: Shapes) -> str:
    """Return the grammar of one node."""
    expander = Expander(named)
    root = expander.expand(node)
    return _Printer().all({"root": root, **expander.rules})


class _Printer:
    def __init__(self) -> None:
        self._texts: Final[dict[Until, str]] = {}

    def all(self, rules: Mapping[str, Node]) -> str:
        """Return the text of these rules, and of the rules for the texts in them."""
        lines = [f"{name} ::= {self._node(node, 0)}" for name, node in rules.items()]
        printed = 0
        while printed < len(self._texts):
            for node, name in list(self._texts.items())[printed:]:
                printed += 1
                lines += (f"{each} ::= {self._node(part, 0)}" for each, part in automata.until(node, name).items())
        return "\n".join(lines) + "\n"

    def _node(self, node: Node, tight: int) -> str:
        """Return the text of a node, in brackets if the text around it binds more tightly: 1 in a sequence, 2 under a
        repetition.
        """
        if isinstance(node, Lit):
            return _quoted(node.text)
        if isinstance(node, Chars):
            return _class(node)
        if isinstance(node, Rule):
            return node.name
        if isinstance(node, Lexeme):
            return self._node(node.part, tight)
        if isinstance(node, Until):
            name = self._texts.setdefault(node, f"text{len(self._texts) + 1}")
            return f"({_quoted(node.closer)} {name})" if node.in_json else name
        if isinstance(node, Many):
            return f"{self._node(node.part, 2)}{times(node)}"
        assert isinstance(node, Seq | Alt)
        if isinstance(node, Seq):
            inner = " ".join(self._node(part, 1) for part in node.parts) or '""'
            return f"({inner})" if tight > 1 and len(node.parts) > 1 else inner
        inner = " | ".join(self._node(part, 0) for part in node.parts)
        return f"({inner})" if tight and len(node.parts) > 1 else inner


def _quoted(text: str) -> str:
    return f'"{"".join(map(_character, text))}"'


def _character(char: str) -> str:
    if char in _SPELT:
        return _SPELT[char]
    return f"\\x{ord(char):02X}" if ord(char) < 32 or 127 <= ord(char) < 160 else char


def _class(node: Chars) -> str:
    left_out = complement(node)
    if left_out is not None and not left_out.ranges:
        return '([^\\n] | "\\n")'
    return f"[{'' if left_out is None else '^'}{''.join(map(_range, (left_out or node).ranges))}]"


def _range(bounds: tuple[int, int]) -> str:
    first, last = bounds
    low, high = _member(first), _member(last)
    return low if first == last else f"{low}{high}" if last == first + 1 else f"{low}-{high}"


def _member(code: int) -> str:
    char = chr(code)
    if char in "-^[]":
        return f"\\x{code:02X}"
    if char == '"':
        return char
    if code > 255 and not char.isprintable():
        return f"\\u{code:04X}" if code < 65536 else f"\\U{code:08X}"
    return _character(char)
