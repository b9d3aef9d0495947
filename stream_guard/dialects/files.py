"""The tools for files, and their fields, by the names that they have in toolsets.

Dialects that carry files name an operation (write, edit, delete), and no tool.

Rule: a name counts only in exactly the declared spelling. An operation that no tool of the toolset can do is no call.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..values.late import late

WRITE: Final = ("write_file", "create_file", "file")
EDIT: Final = ("edit_file", "edit")
DELETE: Final = ("delete_file",)
PATCH: Final = ("apply_patch",)

FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(("path", "filePath"), ("path", "file_path", "filePath", "filename", "file")),
    "content": ("content", "contents", "text"),
    "search": ("search", "old_string", "old_str", "old_text", "old"),
    "replace": ("replace", "new_string", "new_str", "new_text", "new"),
    "patch": ("patch", "input"),
}
"""The names of the fields in which tools take the texts of these dialects, the best first. A field may be inside
another field."""

SEARCH: Final = "search"
"""The key of the text that an edit replaces."""

CREATED: Final = ("write_file", {"path": "src/hello.py", "content": 'print("hello")\n'})
EDITED: Final = (
    "edit_file", {"path": "src/hello.py", "search": 'print("hello")\n', "replace": 'print("goodbye")\n'},
)  # fmt: skip
DELETED: Final = ("delete_file", {"path": "src/old.py"})
SAMPLES: Final = (CREATED, EDITED, DELETED)
"""The calls that examples show, one for each operation."""


BARE_PATH: Final = late(
    r"(?=[^\w\r\n]*\w)(?!~~|[^\r\n]*~~(?:[\r\n]|\Z)|\([^\r\n]*\)\Z|\[[^\r\n]*\]\Z)[\w./\\@+~$%&,()\[\]-]{0,511}[\w\]~+-]"
)
"""Matches a line that is recognised as a path: no blanks, no marks of Markdown, no end of a sentence."""


_MARKED: Final = late(
    r"[`*\"'].*|.*[`*\"']|~~.*|.*~~|<.*>|\(.*\)|\[.*\]"
    r"|.*[ \t]\([^()]*\)|.*[ \t](?://|#|<-|->|=>|[-\u2013\u2014])[ \t].*|.*,[ \t].*"
)


def is_marked(path: str) -> bool:
    """Return whether a path has marks of Markdown or quotes around it, or a remark after it."""
    return _MARKED.fullmatch(path) is not None


def value_of(arguments: Mapping[str, object], what: str) -> str:
    """Return the string that an argument holds, under any of its names. Raises ValueError if there is not exactly one."""
    found = list(_found(arguments, FIELDS[what]))
    if len(found) != 1 or not isinstance(found[0], str):
        raise ValueError(f"a call in this dialect needs exactly one string for {what!r}")
    return found[0]


def _found(arguments: Mapping[str, object], names: tuple[str, ...]) -> list[object]:
    found = []
    for key, value in arguments.items():
        if key in names:
            found.append(value)
        elif isinstance(value, Mapping):
            found += _found(value, names)
    return found


def only(arguments: Mapping[str, object], *whats: str) -> tuple[str, ...]:
    """Return the strings of these arguments. Raises ValueError if one is missing, or if there are other arguments."""
    texts = tuple(value_of(arguments, what) for what in whats)
    if _leaves(arguments) != len(whats):
        raise ValueError(f"a call in this dialect has {', '.join(whats)} and nothing else")
    return texts


def _leaves(arguments: Mapping[str, object]) -> int:
    return sum(_leaves(value) if isinstance(value, Mapping) else 1 for value in arguments.values())


def path_of(path: str) -> str:
    """Return the path if it can be alone on its line. Raises ValueError otherwise."""
    if not path or path != path.strip() or not path.isprintable():
        raise ValueError("the path must be one line: not empty, printable, without blanks around it")
    return path
