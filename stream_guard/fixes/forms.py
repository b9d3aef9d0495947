"""Whether two lines have one form, so that the only line break of a text stands between them, and did not slip in.

A line break that slipped in cuts a text anywhere. By chance, the part after it may begin as a line does. But that part will
hardly begin in the same way as the line before the break: with a link, a bullet, a command, a member of the same object.

Rule 1: both lines are looked at, and each is whole: no form begins in the middle of a word that the break may have cut.
Rule 2: what is a word of a sentence as well is a command only in a field that is named like code.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

_WHOLE_QUOTE: Final = r"(?:\"[^\"]*\"|'[^']*')"
"""A pattern for a text in quotes."""

_ONE_BLANK: Final = re.compile(r" (?! )")
"""Matches a single blank between two words."""

_ENDS: Final = re.compile(r"[\w.!?)\]}>*;\"'`]\Z")
"""Matches the end of a line that may be whole."""

_CONNECTS: Final = re.compile(
    r"(?:\A|\s)(?:and|or|to|til|till|until|then|with|und|bis|et|à|y|a|the|of|by|from|for|at|in|on|is)\Z", re.IGNORECASE
)
"""Matches a word at the end of a line after which a sentence goes on: `and`, `the`, `of`."""

_LINES: Final = (
    re.compile(r"https?://[^\s,;|]*\w"),
    re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}"),
)
"""Each matches a whole line that is one item of a list: a link, an address of mail."""

_BOTH: Final = (
    re.compile(r"• "),
    re.compile(r"▪ "),
    re.compile(r"– (?!\d)"),
    re.compile(r"— (?!\d)"),
    re.compile(r"/// "),
    re.compile(r"-- "),
    re.compile(r"#\s?(?:include|define|undef|ifdef|ifndef|endif|pragma)\b"),
    re.compile(r"\{\"[^\"]*\": .*\}\Z"),
)
"""Each matches the beginning of one form of line, which both lines must have: the mark of an item or of a comment, a directive
of C, a JSON object."""

_COUNTED: Final = re.compile(r"\b([a-z])\) ")
"""Matches an item that is counted by a letter: `a) `."""

_MEMBER: Final = re.compile(r"\s*(\"[^\"]*\"|'[^']*'): \S")
"""Matches a member of an object whose key is in quotes."""

_TWO_MEMBERS: Final = re.compile(r",\s*(?:\"[^\"]*\"|'[^']*'): |,,")
"""Matches the end of one member and the key of the next in one line, or two commas."""

_SETTING: Final = re.compile(rf"\s*(?:- )?[\w.-]+: (?:true|false|{_WHOLE_QUOTE})")
"""Matches a setting whose value certainly ends: `debug: true`."""

_KEY: Final = re.compile(r"\s*(?:- )?[\w.-]{3,}:(?: |\Z)")
"""Matches a key at the beginning of a line: `name: `."""

_STATEMENT: Final = re.compile(
    r"\s*(?:(?:import|from|require(?:_relative)?|package|use|return|throw|raise|yield|await|assert|del|local|val|var|let|const)\s"
    r"|[\w.$\[\]]+(?:: [\w.\[\], |]+)?\s(?:[-+*/|&^%:?.]|\|\||&&|\?\?)?=\s"
    r"|[\w.$]+\(.*\)\Z)"
)
"""Matches a statement of a programming language."""

_NEXT_STATEMENT: Final = re.compile(
    r"(?:(?:import|require|require_relative)\s[\"'(\w]|(?:package|module|mod|struct|enum|local|val|var|let|const|type)\s\w"
    r"|(?:func|fn|def|function)\s\w+[.\w]*[(<]|class\s\w+\s?[(:{]|(?:await|throw|raise|yield|assert|defer)\s\w"
    r"|[\w.$\[\]]+(?:: [\w.\[\], |]+)?\s(?:[-+*/|&^%:?.]|\|\||&&|\?\?)?=\s)"
)
"""Matches a statement that certainly begins a line, after another one."""

_OPENS_A_BLOCK: Final = re.compile(
    r"(?:(?:if|elif|while|with)\s[^:{}]+|for\s[^:{}]+\sin\s[^:{}]+|try):|(?:if|for|while|switch)\s?\(.+\)\s?\{|try \{"
)
"""Matches a line that opens a block: `if x:`."""

_ENDS_A_BLOCK: Final = re.compile(r"(?:else|finally|except[\w\s.()]*|elif\s[^:{}]+):|end|fi|done|esac")
"""Matches a line that ends a block, or begins its next part: `else:`, `end`."""

_NAMED: Final = re.compile(r"(?:package|module|namespace) [\w.]+;?")
"""Matches the first line of a file: `package main`."""

_IMPORT: Final = re.compile(r"(?:import|use|using) (?:[\"(]|\w+[.:\\])")
"""Matches an import, which may follow the first line of a file."""

_ENDS_A_STATEMENT: Final = re.compile(r"(?:[\"')\]]|=\s\d+)\Z")
"""Matches the end of a statement after which no word can follow."""

_RUNS: Final = (
    r"(?:git (?:add|branch|checkout|clone|commit|diff|fetch|init|log|merge|pull|push|rebase|reset|stash|status|switch|tag)"
    r"|(?:npm|pnpm|yarn) (?:add|build|ci|install|run|start|test)|pip3? install|docker (?:build|images|ps|pull|push)"
    r"|cargo (?:build|check|test)|kubectl (?:apply|delete|describe|get|logs)"
    r"|apt(?:-get)? (?:install|update|upgrade)|systemctl (?:restart|start|status|stop)|terraform (?:apply|init|plan)|mkdir -p)"
)
"""Commands with a subcommand, as a pattern: `git add`, `npm install`."""

_BEFORE_A_COMMAND: Final = re.compile(rf"(?:sudo )?{_RUNS}\b|cd \S+\Z|set -[a-z]+\Z|export \w+=\S*\Z|python3? manage\.py \w")
"""Matches a command that does not run another command, so that a command on the next line is not its argument."""

_COMMAND: Final = re.compile(
    rf"(?:sudo )?{_RUNS}(?!\S)|docker run -|python3? manage\.py \w|pytest -|(?:export \w+=|chmod \+x )\S"
)
"""Matches the beginning of a command that cannot be prose, with its first argument."""

_A_FEW: Final = re.compile(r"(?:\s[^\W\d_]{1,2}|\s-\w)\Z")
"""Matches one or two letters at the end of a line, which may begin a word that goes on (`le⏎git`), or a flag that may lack its
value."""

_JOINED: Final = re.compile(r"[;|&]|\ssudo\Z")
"""Matches a sign that joins several commands in one line: `;`, `|`, `&`."""

_LONGEST: Final = 500
"""The most characters of a line whose form is compared. A longer line counts as having no form."""


def are_of_one_form(before: str, after: str, *, code: bool) -> bool:
    """Return whether two lines of a string have one form. `code` says that their field is named like code."""
    if max(len(before), len(after)) > _LONGEST:
        return False
    before, after = before.replace('\\"', '"'), after.replace('\\"', '"')
    if before[-1:].isspace() or _ONE_BLANK.match(after) or any(before.count(mark) % 2 for mark in "\"'"):
        return False  # beside a blank it slipped in, and in quotes too
    if _are_members(before, after):
        return True
    if _ENDS.search(before) is None or _CONNECTS.search(before) is not None:
        return False
    return any(form(before, after) for form in (*_FORMS, *(_OF_CODE if code else ())))


def _are_alike(before: str, after: str) -> bool:
    """Return whether both lines are links or addresses, or begin with the same mark and do not contain that mark again."""
    if any(line.fullmatch(before) and line.fullmatch(after) for line in _LINES):
        return True
    return any(
        (one := begins.match(before)) and begins.match(after) and before.count(one[0]) == 1 >= after.count(one[0])
        for begins in _BOTH
    )


def _are_counted(before: str, after: str) -> bool:
    one, two = _COUNTED.match(before), _COUNTED.match(after)
    if one is None or two is None or ord(two[1]) != ord(one[1]) + 1:
        return False
    return len(_COUNTED.findall(before)) == len(_COUNTED.findall(after)) == 1


def _are_members(before: str, after: str) -> bool:
    """Return whether both lines are members of one object, or settings of one file, and the value of the first
    certainly ends.
    """
    if before.endswith(","):
        return all(_MEMBER.match(line) and not _TWO_MEMBERS.search(line) for line in (before, after))
    return _SETTING.fullmatch(before) is not None and _KEY.match(after) is not None


def _are_statements(before: str, after: str) -> bool:
    """Return whether both lines are statements, and no word of the first may continue in the second."""
    if _NAMED.fullmatch(before) and _IMPORT.match(after):
        return True
    ends = _ENDS_A_STATEMENT.search(before) is not None
    if ends and before[0] in " \t" and _ENDS_A_BLOCK.fullmatch(after):
        return True
    if _STATEMENT.match(before) is None:
        return False
    return (ends and _NEXT_STATEMENT.match(after) is not None) or _OPENS_A_BLOCK.fullmatch(after) is not None


def _are_commands(before: str, after: str) -> bool:
    """Return whether both lines are commands, and the second cannot be an argument of the first."""
    if _BEFORE_A_COMMAND.match(before) is None or _COMMAND.match(after) is None or _JOINED.search(before) is not None:
        return False
    return (before[-1].isalnum() or before[-1] in "\"'" or before.endswith(" .")) and _A_FEW.search(before) is None


_Form = Callable[[str, str], bool]
_FORMS: Final[tuple[_Form, ...]] = (_are_alike, _are_counted, _are_statements)
_OF_CODE: Final[tuple[_Form, ...]] = (_are_commands,)
