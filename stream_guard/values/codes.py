"""The table of issue codes: what each reports, why it matters, and an example without it."""

from __future__ import annotations

from typing import Final, NamedTuple


class Code(NamedTuple):
    """One row of the table of codes."""

    level: int
    """0: the guard itself. 1: JSON. 2: which tool. 3: the tool's own rules."""

    finds: str
    """What it reports."""

    why: str
    """Why that matters."""

    bad: str
    """A body that has it, cut to what matters."""

    good: str
    """The same body without it."""


_WRITE: Final = '{"tool": "write_file", "path": "a.txt", "content": "x"}'


CODES: Final[dict[str, Code]] = {
    # Level 0: the block as it came through the stream.
    "truncated": Code(
        0,
        "The stream ended inside the block.",
        "Half a file looks like a whole one once it is closed off. Such a block is never executable.",
        '{"tool": "write_file", "path": "a.txt", "content": "x',
        _WRITE,
    ),
    "oversize": Code(
        0,
        "The body is longer than `Limits.max_block`.",
        "Memory per stream is bounded; what was not read was not checked.",
        '{"tool": "write_file", "content": "xxxxxxxx ...',
        _WRITE,
    ),
    "ambiguous_end": Code(
        0,
        "A fence line stood inside an open string and nothing after it settled where the block ends.",
        "With two readings possible, neither may be executed.",
        '{"tool": "write_file", "path": "a.txt", "content": "x\n```\nand prose',
        _WRITE,
    ),
    "guard_error": Code(
        0,
        "The guard itself, a rule or a corrector failed on this block.",
        "A fault of ours must not let a block through as checked.",
        "any body, and a rule that raises",
        _WRITE,
    ),
    "correction_refused": Code(
        0,
        "A model's correction said what the block did not: another tool, path or value, or less or more than it said.",
        "A correction may mend a call, not make another one.",
        '{"tool": "delete_file", "path": "/etc/passwd"} offered for {"tool": "delete_file"}',
        _WRITE,
    ),
    # Level 1: is it JSON, strictly?
    "empty_block": Code(1, "There is nothing between the fences.", "There is nothing to do.", "", _WRITE),
    "syntax": Code(
        1,
        "The body is not JSON: something other than the next token stands here.",
        "Nothing after this place can be trusted.",
        '{"tool": "write_file" "path": "a.txt"}',
        '{"tool": "write_file", "path": "a.txt"}',
    ),
    "unterminated": Code(
        1,
        "A string, object or array is never closed.",
        "The value may be longer than what is here.",
        '{"tool": "delete_file", "path": "a.txt"',
        '{"tool": "delete_file", "path": "a.txt"}',
    ),
    "control_character": Code(
        1,
        "A raw newline, tab or other control character stands in a string.",
        "JSON wants it escaped; most often it is code written as it would look in a file.",
        '{"content": "line 1\nline 2"}',
        '{"content": "line 1\\nline 2"}',
    ),
    "invalid_escape": Code(
        1,
        "A backslash in a string is followed by something that JSON does not escape.",
        "Regular expressions and Windows paths lose their backslashes in lenient parsers.",
        '{"content": "\\d+"}',
        '{"content": "\\\\d+"}',
    ),
    "trailing_garbage": Code(
        1,
        "Something follows the complete value.",
        "A second call or a sentence would be dropped without a word.",
        '{"tool": "delete_file", "path": "a"} done',
        '{"tool": "delete_file", "path": "a"}',
    ),
    "duplicate_key": Code(
        1,
        "An object holds the same key twice.",
        "Parsers disagree on which one counts.",
        '{"path": "a.txt", "path": "b.txt"}',
        '{"path": "a.txt"}',
    ),
    "not_a_number": Code(
        1, "NaN or Infinity stands where a value should.", "JSON has no such values.", '{"n": NaN}', '{"n": null}'
    ),
    "number_range": Code(
        1,
        "A number is too large to hold, or has too many digits.",
        "It would become infinity, or cost more to read than it is worth.",
        '{"n": 1e400}',
        '{"n": 1e300}',
    ),
    "too_deep": Code(
        1,
        "Objects and arrays nest deeper than `Limits.max_depth`.",
        "Depth is how small texts exhaust a parser.",
        "[[[[ ... ]]]]",
        "[[1]]",
    ),
    "too_many_values": Code(
        1,
        "The block holds more values than `Limits.max_values`.",
        "Each is looked at more than once; so many are a mistake or an attack.",
        "[1,1,1, ... ]",
        "[1,1,1]",
    ),
    "lone_surrogate": Code(
        1,
        "Half of a surrogate pair stands alone.",
        "Such text cannot be encoded, so it cannot be written to a file.",
        '{"content": "\\ud83d"}',
        '{"content": "\\ud83d\\ude00"}',
    ),
    # Level 2: which tool is it?
    "not_an_object": Code(
        2, "The body is not one JSON object.", "A call is an object that names its tool.", '["write_file"]', _WRITE
    ),
    "missing_tool": Code(2, 'There is no "tool" field.', "Nothing says what to do.", '{"path": "a.txt"}', _WRITE),
    "invalid_tool": Code(
        2,
        "The named tool is not one of the toolset.",
        "No handler will answer to it.",
        '{"tool": "create_file", "path": "a.txt", "content": "x"}',
        _WRITE,
    ),
    # Level 3: the tool's schema and rules.
    "required": Code(
        3, "A required field is missing.", "The tool cannot run without it.", '{"tool": "write_file", "path": "a.txt"}', _WRITE
    ),
    "type": Code(
        3,
        "A field holds a value of another type than the tool takes.",
        "A number is not a text that spells it.",
        '{"tool": "write_file", "path": "a.txt", "content": 3}',
        '{"tool": "write_file", "path": "a.txt", "content": "3"}',
    ),
    "unknown_field": Code(
        3,
        "A field is not one that the tool takes.",
        "Dropped silently, it hides a misspelt or misplaced one.",
        '{"tool": "delete_file", "path": "a.txt", "recursive": true}',
        '{"tool": "delete_file", "path": "a.txt"}',
    ),
    "empty_path": Code(
        3,
        "The path is an empty string.",
        "There is no file by that name.",
        '{"tool": "delete_file", "path": ""}',
        '{"tool": "delete_file", "path": "a.txt"}',
    ),
    "schema": Code(
        3,
        "A field breaks another rule of the tool's JSON Schema; `constraint` says which.",
        "The tool states what it can take.",
        '{"tool": "resize", "width": -1}',
        '{"tool": "resize", "width": 640}',
    ),
    "content": Code(
        3,
        "A field says what its tool does not take: an address that is none, HTML that could run; `constraint` says which rule.",
        "A schema knows the form of a value, and not what it says.",
        '{"tool": "show", "image": "javascript:alert(1)"}',
        '{"tool": "show", "image": "https://example.com/a.png"}',
    ),
    "rejected": Code(
        3,
        "A handler, or another library, refused the call and gave no rule that is known here.",
        "What it said is passed on as it stands.",
        '{"tool": "book", "day": "yesterday"}, and a handler that takes no past days',
        '{"tool": "book", "day": "tomorrow"}',
    ),
    "path_absolute": Code(
        3,
        "The path is absolute.",
        "Tools work inside a workspace.",
        '{"tool": "delete_file", "path": "/etc/passwd"}',
        '{"tool": "delete_file", "path": "etc/passwd"}',
    ),
    "path_parent": Code(
        3,
        "A segment of the path is `..`.",
        "It leads out of the workspace.",
        '{"tool": "delete_file", "path": "../b.txt"}',
        '{"tool": "delete_file", "path": "b.txt"}',
    ),
    "path_drive": Code(
        3,
        "The path begins with a drive letter.",
        "It leads out of the workspace on Windows.",
        '{"tool": "delete_file", "path": "C:/b.txt"}',
        '{"tool": "delete_file", "path": "b.txt"}',
    ),
    "path_unc": Code(
        3,
        "The path names a network share or a device.",
        "It leads to another machine.",
        '{"tool": "delete_file", "path": "\\\\\\\\host\\\\share"}',
        '{"tool": "delete_file", "path": "share"}',
    ),
    "path_placeholder": Code(
        3,
        "The path is a placeholder.",
        "The model copied a template; nobody wants a file of that name.",
        '{"tool": "delete_file", "path": "<path>"}',
        '{"tool": "delete_file", "path": "a.txt"}',
    ),
    "path_nul": Code(
        3,
        "The path holds a NUL character.",
        "Some programs stop reading there, others do not.",
        '{"tool": "delete_file", "path": "a.txt\\u0000.png"}',
        '{"tool": "delete_file", "path": "a.txt"}',
    ),
    "path_control": Code(
        3,
        "The path holds a control character.",
        "Most often an escape gone wrong, as in `C:\\new`.",
        '{"tool": "delete_file", "path": "src\\new.txt"}',
        '{"tool": "delete_file", "path": "src/new.txt"}',
    ),
}
"""Every code an issue may carry, in the order of the levels."""
