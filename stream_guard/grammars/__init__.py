"""Grammars of calls, for servers that constrain what a model writes: Lark, GBNF, structural tags, and JSON Schema.

    schema -> reading (what a grammar can express, and what is lost) -> shapes -> calls (in the form of a dialect) -> nodes
    nodes -> values (shapes written out), automata -> lark, gbnf      nodes, shapes -> structural_tag, json_schema

Rule 1: a call that a grammar accepts is executable for a guard without a fix, except for the rules in `Grammar.not_expressed`.
Rule 2: a schema is read once, whatever the format.

May import: values, dialects, schema.
May not: know a `Tool`, a block or a stream; constrain anything itself.
"""

from .calls import FORMS, REFUSED, Described, GrammarError
from .grammar import Grammar, to_gbnf, to_json_schema, to_lark, to_structural_tag
from .reading import NotExpressed

__all__ = [
    "FORMS",
    "REFUSED",
    "Described",
    "Grammar",
    "GrammarError",
    "NotExpressed",
    "to_gbnf",
    "to_json_schema",
    "to_lark",
    "to_structural_tag",
]
