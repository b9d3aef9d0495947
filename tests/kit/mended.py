"""What becomes of the kinds of fault that the fault grammar knows: mended, or refused because nobody can know.

Three lists make up all kinds: those of which nothing may ever run (`Kind.refused`), those that may be refused whole
(`REFUSED`), and those that count as to be mended (`COUNTING`). The page of promises prints them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from stream_guard_conformance import KINDS

REFUSED: Final = frozenset(
    {
        "cut_closed", "cut_near_end", "cut_behind_value", "begun_again", "leading_comma", "semicolon", "semicolons",
        "other_separator", "lost_colon", "comma_for_colon", "lost_inner_brace", "lost_bracket", "lost_opener",
        "lost_first_brace", "extra_inner_closer", "stray_closer", "extra_opener", "wrong_closer", "crossed_closers",
        "other_list", "foreign_comment", "commented_member", "lost_mark", "other_mark", "swapped_tokens", "inserted_mark",
        "inserted_mark_near_end", "other_closing_mark", "item_lost_closer", "item_lost_opener", "item_lost_colon",
        "item_lost_quote", "item_semicolon", "item_wrong_bracket", "some_bare_quotes", "lost_opening_quote",
        "lost_closing_quote", "doubled_name_quotes", "raw_string", "entity_quotes", "undoubled_backslash",
        "undoubled_code_point", "over_escaped", "over_escaped_quotes", "escaped_outer_quotes", "invisible_in_name",
        "full_width_mark", "full_width_marks", "dressed_key", "capital_literal", "yes_or_no", "grouped_number",
        "grouped_otherwise", "plus_sign", "bare_point", "hexadecimal", "bare_text", "bare_sentence", "dot", "adjacent",
        "backslash_between", "lines_in_list", "quoted_prose_before", "html_escaped", "markdown_escaped", "diff_marks",
        "line_numbers", "list_marks", "python_bytes", "adjacent_lines", "verbatim_backslashes", "undoubled_backslashes",
        "undoubled_everywhere", "triple_quotes", "field_slip", "forgotten_brace", "line_comment", "hash_comment",
        "block_comment", "quoted_line_comment", "quoted_hash_comment", "quoted_block_comment", "prose_after",
        "plus", "parenthesised", "only_quotes_escaped", "escaped_apostrophe", "escaped_marks", "template_escaped",
        "hard_wrapped", "other_envelope",
    }
)  # fmt: skip
"""Kinds that a guard may refuse whole: what was meant can be guessed, and only guessed. All others are to be mended."""

COUNTING: Final = [name for name, kind in KINDS.items() if not kind.refused and name not in REFUSED]
"""Kinds that are to be mended."""

NOT_COVERED: Final = (
    "A fault that leaves valid JSON of a valid call cannot be detected. These blocks are counted apart. So `\\n` and `\\t` in "
    "LaTeX or in a regular expression, where the backslash was not doubled, are taken as a line break and a tab. In a "
    "path they "
    "fail, and so do `\\b` and `\\f` before a letter.",
    "One missing brace at the end of a closed fence, after a string, a list or an object, counts as forgotten if all "
    "required fields are there. If the reply was cut off at that place and the fence closed all the same, optional fields "
    "after it are missing. Calls of destructive tools are not closed if another field could follow.",
    "What a block lost without a trace: the first calls of a list of which only the `]` behind the last one is left, where no "
    "layout shows it; a last, optional member before a trailing comma; a text that reads as several members once its quotes "
    "are not escaped.",
    "A tool whose schema takes members that it does not list: a slip in a field's name leaves a valid call, and a text that "
    "was cut out of its quotes may look like a member. Such a key is refused only where it is, or nearly is, that of "
    "an envelope or of a listed field with signs around it.",
    "Names in other languages than English: near misses that are words of their own are known for English only, from a list "
    "of common words. A near miss never selects a destructive tool.",
    "Prose and comments inside the fence are accepted if they consist of words from a short list of harmless ones; otherwise "
    "the call is refused. A call of a destructive tool is refused if there is any prose beside it. Prose outside the fence"
    " is not checked.",
    "Whether a valid call is wise. The guard checks what is written, not what is wanted.",
)
"""What the tests do not cover, or cannot."""


def lines() -> Iterator[str]:
    """The kinds, for the page."""
    never = sorted(name for name, kind in KINDS.items() if kind.refused)
    for title, why, names in (
        ("Fixed", "The call can be known, and most blocks are fixed exactly.", sorted(COUNTING)),
        (
            "May be refused",
            "The call can only be guessed: a block is fixed exactly, or refused.",
            sorted(REFUSED),
        ),
        (
            "Never run",
            "No call of such a block is executable. A kind is what its generator writes: `stray_point` stands before a number "
            "that ends with a zero (`.500`); `.5` is how other languages write 0.5, and runs.",
            never,
        ),
    ):
        yield from ("", f"**{title}** ({len(names)}). {why}", "")
        yield from ("| kind | fault |", "|---|---|")
        yield from (f"| `{name}` | {KINDS[name].does} |".replace("||", "\\|\\|") for name in names)
