"""Whether a mark that ends or begins lines of code does so here, or stands in a sentence or a command that goes on.

A line break behind `}`, `>` or `;`, or before a tag or `# `, mostly is one of code. But a sentence has placeholders, tags,
semicolons and numbers too: `your order {id}⏎will be`, `the <b>new</b>⏎price`, `issue⏎# 5`.

Rule: such a mark shows the end of a line only if the line before the break, or the one behind it, is one of code or markup: if
the brace closes more than a name, if the tag is none of a word in a sentence, if the semicolon ends a statement.
"""

from __future__ import annotations

import re
from typing import Final

_PLACEHOLDER: Final = re.compile(r"\{(?:\{[^\n{}]*\}|[^\s{};:=()\"',]*(?:,[^\S\n]?[^\s{};:=()\"',]+)*)\}\Z")
"""Matches a name in braces at the end of a line: `{id}`, `${NS}`, `{{user}}`."""

_TAG: Final = re.compile(r"<(/?)([A-Za-z!][\w:.-]*)(?:\s[^<>]*)?(/?)>\Z")
"""Matches a tag at the end of a line."""

_BEGINS_WITH_A_TAG: Final = re.compile(r"\s*</?([A-Za-z!][\w:.-]*)")
"""Matches a tag at the beginning of a line."""

_ENDS_MARKUP: Final = re.compile(r"(?:--|[?%])>\Z|\A\s*#\s?include\s*<[^<>]*>\Z")
"""Matches the end of a comment or a script, as in `-->` and `?>`, and an `#include` of C."""

_WORDS_OF_SENTENCES: Final = """
    a abbr b bdi bdo big cite code del dfn em font i ins kbd mark q s samp small span strong sub sup time tt u var
"""
_WORDS_OF_LINES: Final = """
    article aside blockquote body br dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 head header hr html li link main
    meta nav ol option p pre script section select style svg table tbody td template tfoot th thead title tr ul
"""
_OF_WORDS: Final = frozenset(_WORDS_OF_SENTENCES.split())
"""The tags of HTML around words of a sentence."""

_OF_LINES: Final = frozenset(_WORDS_OF_LINES.split())
"""The tags of HTML on lines of their own, and those that break the line."""

_STATEMENT: Final = re.compile(
    r"""
      \s*[\w.$*&<>\[\]:,-]+(?:\s[\w.$*&<>\[\]:,-]+){0,4}\s?(?:[-+*/%&|^:?.<>]|\|\||&&)?=    # x = 1, int x += 1
    | .*\w[(\[]                                                                      # f(x)
    | \s*[)\]}]+;\Z                                                                     # });
    | \s*(?:break|continue|done|end|esac|exit|fi|pass|return|[\w.]+(?:\+\+|--));\Z        # break; i++;
    | \s*(?:if|for|while|switch|catch)\ \(
    | \s*(?:package|namespace|typedef|const|var|val|static|public|private|protected|void|int|char|bool|unsigned|struct|enum)\s
    | \s*(?:return|throw|import|export|from|using|use|let|float|double|long|goto|delete|del|pub|mod|extern|local|echo|print
        |raise|yield)\b(?!\ [a-z]+\ [a-z]+[\s;])                                         # use a::b; but not: use the first;
    | (?:\s+|[^{;]*\{\s*)[\w-]+:\s?[^;]*;\Z                                              # color: red;
    | \s*[A-Z]{2,}\b                                                                 # DROP TABLE t;
    """,
    re.VERBOSE,
)
"""Matches a statement that a semicolon ends."""

_MAY_BE_ONE: Final = re.compile(r"\s*[^\s;]+;\Z|.*[)\]}\"'`0-9];\Z")
"""Matches what may be a statement with its semicolon (`$f;`), or a part of a sentence (`one; see two`)."""

_MEMBER: Final = re.compile(r"\s*[\w-]+\??: [^;]*;\Z")
"""Matches a member of a type, as in TypeScript: `name?: string;`."""

_CODE: Final = re.compile(
    r"\s|#|@\w+(?:\(.*)?\Z|(?:import|return|def|class|const|var|function|export|cd|echo|from\s\S+\simport)\s"
    r"|[\w.$\[\]\"']+(?:\s\w+)?\s?[-+*/|&:]?=|[a-z_][\w.$-]*:(?:\s|\Z)|[\w.$]+\(|- |.*[:;{}()\[\],\"'`\\>|]\Z"
)
"""Matches a line of code that a comment, a decorator or a directive may follow."""

_AS_CODE: Final = re.compile(rf"(?:{_CODE.pattern})|\w+\Z")
"""Matches a line of code, or a single word."""

_NO_MARK: Final = re.compile(r"#\s[^#A-Z]|@|/\*(?!.*\*/)(?!\*?\s*\Z)|//\s\d")
"""Matches the sign of a number (`# 5`), of a name (`@user`), of a path with `/*`, or of a division (`// 2`)."""

_CLOSES: Final = re.compile(r"\s*[)\]}]")
"""Matches a line that begins with a closing bracket."""


def ends_as_code(before: str, after: str) -> bool:
    """Return whether the mark at the end of a line, a brace, an angle or a semicolon, ends it before a small letter."""
    if before[-1] == "}":
        return _PLACEHOLDER.search(before) is None
    if before[-1] == ";":
        if _MEMBER.match(before) and _MEMBER.match(after):
            return True
        return _STATEMENT.match(before) is not None or (
            _MAY_BE_ONE.match(before) is not None and _AS_CODE.match(after) is not None
        )
    if _ENDS_MARKUP.search(before) is not None:
        return True
    tag = _TAG.search(before)
    if tag is None:
        return False
    closes, name, empty = tag.groups()
    if name.lower() in _OF_WORDS:
        return False
    return (
        bool(closes or empty)
        or name[0] == "!"
        or name.lower() in _OF_LINES
        or tag.start() == len(before) - len(before.lstrip())
    )


def begins_as_code(before: str, after: str) -> bool:
    """Return whether the mark at the beginning of a line begins it, and is no part of a sentence or a command that goes on."""
    if after[0] == "|":  # a row of a table, and no pipe
        return before[0] == "|" or after.rstrip()[-1] == "|"
    if after[0] in "#/" and before[0].isspace() and _CLOSES.match(before) is None:
        return False  # the comment of an indented line, without the blanks before it
    if after[0] in "#@/":
        return _NO_MARK.match(after) is None or _CODE.match(before) is not None
    tag = _BEGINS_WITH_A_TAG.match(after)
    if tag is None or tag[1][0] == "!":
        return True
    if before[-1] in ">}":
        return ends_as_code(before, after)
    return tag[1].lower() in _OF_LINES or (tag[1].lower() not in _OF_WORDS and after.rstrip()[-1] == ">")
