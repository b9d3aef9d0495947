r"""Escapes that were not meant: `"C:\new"` is valid JSON with a line break where its writer meant a backslash.

Rule 1: only characters that no text has on purpose count: a backspace or a form feed before a letter, and a control character
in a path.
Rule 2: a text with a path and other words, LaTeX and regular expressions with `\n` and `\t` have two readings, and pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from ..schema.spelling import normal
from ..values.characters import BACK_OR_FEED_ESCAPE
from ..values.issues import JsonPath, ValidationIssue, dotted
from ..values.late import late
from ..values.quoting import inside
from ..values.wording import sentence

_ESCAPE: Final = re.compile(r"\\[bfnrt]")
_BACK_BEFORE_A_LETTER: Final = late(r"[\x08\x0c](?=[^\W\d_])")
_CONTROL: Final = re.compile(r"[\x08\t\n\x0c\r](?=\w)")

_PART: Final = r"[\w.~@+$%#&()-]"
_SPLIT: Final = r"[\\/\x08\t\n\x0c\r]"
_LONGEST: Final = 262
"""The length of the longest string that is searched for a path. Longer strings are no paths."""

_IN_A_WORKSPACE: Final = late(rf"(?:{_PART}|{_SPLIT}){{1,260}}")
_WHOLE: Final = late(
    rf"(?:[B-PR-Zb-pr-z]:(?={_SPLIT})|\\{{1,2}}(?={_PART}))(?:{_PART}|{_SPLIT}){{1,260}}",
)
r"""Matches a path that begins with a drive or a server. `A:` and `Q:` with a line break begin an answer and a question."""

_PATHS: Final = frozenset({"path", "filepath", "filename", "dir", "directory", "folder", "cwd"})
_LISTS_OF_PATHS: Final = _PATHS | frozenset({"paths", "filepaths", "filenames", "dirs", "directories", "folders", "files"})
"""The last words in the names of fields that hold a list of paths."""


def undoubled(arguments: dict[str, Any], written: str) -> Iterable[ValidationIssue]:
    r"""Return an issue for each string with an escape that was meant as a backslash and a letter; `written` is the JSON of
    the call.

    A string without `\b`, `\f`, `\n`, `\r` and `\t` costs one search.
    """
    if _ESCAPE.search(written) is None:
        return ()
    found: list[ValidationIssue] = []
    for step, value in arguments.items():
        if not isinstance(value, str):
            found += [_issue(path) for path, text in placed(value, (step,)) if _is_undoubled(text, path, written)]
        elif not value.isprintable() and _is_undoubled(value, (step,), written):  # few texts need the second look
            found.append(_issue((step,)))
    return found


def _issue(path: JsonPath) -> ValidationIssue:
    message = sentence("undoubled_backslash", field=inside(dotted(path)))
    return ValidationIssue.at(path, "undoubled_backslash", message, "escape")


def _is_undoubled(text: str, path: JsonPath, written: str) -> bool:
    """Return whether a string has an escape that was meant as a backslash and a letter."""
    return not text.isprintable() and (_holds_a_back(text, written) or _is_a_broken_path(text, path))


def _holds_a_back(text: str, written: str) -> bool:
    """Return whether a text has a backspace or form feed before a letter, and the JSON has an escape of one."""
    if "\b" not in text and "\f" not in text:
        return False
    return _BACK_BEFORE_A_LETTER.search(text) is not None and BACK_OR_FEED_ESCAPE.search(written) is not None


def _is_a_broken_path(text: str, path: JsonPath) -> bool:
    """Return whether a string is one path with a control character before a letter or a digit in it."""
    if len(text) > _LONGEST or _CONTROL.search(text) is None:
        return False
    if _WHOLE.fullmatch(text) or (text[1:2] == ":" and _names_a_path(path) and _WHOLE.fullmatch(text.replace(" ", "_"))):
        return True
    return _IN_A_WORKSPACE.fullmatch(text) is not None and _names_a_path(path)


def _names_a_path(path: JsonPath) -> bool:
    name = next((step for step in reversed(path) if isinstance(step, str)), "")
    words = _PATHS if isinstance(path[-1], str) else _LISTS_OF_PATHS
    return normal(name).rpartition("_")[2] in words


def placed(value: Any, path: JsonPath = ()) -> Iterator[tuple[JsonPath, str]]:
    """Yield every string in a value, without the keys, each with its path."""
    if isinstance(value, str):
        yield path, value
        return
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, item in inner:
        if isinstance(item, str):
            yield (*path, step), item
        else:
            yield from placed(item, (*path, step))
