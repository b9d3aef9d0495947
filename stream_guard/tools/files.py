"""write_file, delete_file, edit_file: the tools of a coding assistant's workspace."""

from __future__ import annotations

from typing import Final

from ..running.toolset import Toolset
from ..toolset.arguments import path_rule
from ..toolset.tool import Risk, Tool

_PATH: Final = {
    "type": "string",
    "minLength": 1,
    "description": "Path of the file, relative to the workspace, with forward slashes",
}
_PATH_ALIASES: Final[dict[str, str]] = dict.fromkeys(
    ("file_path", "filepath", "filename", "file_name", "filePath", "file"), "path"
)
_CONTENT_ALIASES: Final[dict[str, str]] = dict.fromkeys(
    ("contents", "code", "text", "body", "file_content", "file_text"), "content"
)
_EDIT_ALIASES: Final[dict[str, str]] = {
    **dict.fromkeys(("old", "old_str", "old_string", "old_text", "search", "find"), "search_replace.old_string"),
    **dict.fromkeys(("new", "new_str", "new_string", "new_text", "replace", "replacement"), "search_replace.new_string"),
    **dict.fromkeys(("edits", "edit"), "search_replace"),
}

WRITE_FILE: Final = Tool(
    "write_file",
    "Create a file, or replace all of its text",
    {
        "type": "object",
        "properties": {
            "path": _PATH,
            "content": {"type": "string", "description": "The whole text of the file; may be empty"},
        },
        "required": ["path", "content"],
        "additionalProperties": False,
    },
    rules=(path_rule,),
    examples=({"path": "src/hello.py", "content": 'print("hello")\n'},),
    aliases=("create_file", "create", "new_file", "save_file", "write", "overwrite_file", "write_to_file"),
    field_aliases={**_PATH_ALIASES, **_CONTENT_ALIASES},
    remarks=("description", "language"),
    defaults={"overwrite": True, "append": False, "mode": "w", "encoding": "utf-8"},
)

DELETE_FILE: Final = Tool(
    "delete_file",
    "Delete a file",
    {
        "type": "object",
        "properties": {"path": _PATH},
        "required": ["path"],
        "additionalProperties": False,
    },
    rules=(path_rule,),
    examples=({"path": "src/old.py"},),
    aliases=("remove_file", "rm", "unlink", "delete"),
    field_aliases=_PATH_ALIASES,
    risk=Risk.DESTRUCTIVE,
)

EDIT_FILE: Final = Tool(
    "edit_file",
    "Replace one piece of text in a file",
    {
        "type": "object",
        "properties": {
            "path": _PATH,
            "search_replace": {
                "type": "object",
                "description": "What to look for in the file and what to put in its place",
                "properties": {
                    "old_string": {"type": "string", "description": "The text to replace, exactly as it stands in the file"},
                    "new_string": {"type": "string", "description": "The text to put in its place"},
                },
                "required": ["old_string", "new_string"],
                "additionalProperties": False,
            },
        },
        "required": ["path", "search_replace"],
        "additionalProperties": False,
    },
    rules=(path_rule,),
    examples=({"path": "src/hello.py", "search_replace": {"old_string": "hello", "new_string": "goodbye"}},),
    aliases=("str_replace", "replace_in_file", "update_file", "modify_file", "search_replace", "edit"),
    field_aliases={**_PATH_ALIASES, **_EDIT_ALIASES},
)

FILE_TOOLS: Final = Toolset(WRITE_FILE, DELETE_FILE, EDIT_FILE)
"""The three file tools."""
