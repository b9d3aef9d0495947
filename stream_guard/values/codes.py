"""The table of issue codes: what each reports, why it matters, and an example with and without it.

A row describes a code and reports nothing. The sentence of each is in `wording.py`. It is reported where a `ValidationIssue` is
made of it; the recipe "Add an issue code" of CONTRIBUTING.md lists those files. docs/issues.md is printed from this table.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

HintKind = Literal["cut_off", "not_checked", "too_complex", "two_readings", "json", "tool", "arguments"]
"""Which hint `build_hint` makes for an issue.

`cut_off` asks to send the call again. `not_checked`: the issue says nothing about the call itself; beside an issue that does,
the hint leaves it out. `too_complex`: send less. `two_readings`: write the call in a form with one reading, and nothing else.
`json`: write JSON. `tool`: name a tool of the toolset. `arguments`: what is wrong with which argument.
"""


class Code(NamedTuple):
    """One row of the table of codes."""

    level: int
    """0: the block as it came through the stream. 1: JSON. 2: which tool. 3: the tool's schema and rules."""

    finds: str
    """The condition under which the issue is reported."""

    why: str
    """Why that matters."""

    bad: str
    """A body that has the issue, shortened."""

    good: str
    """The same body without the issue."""

    hint: HintKind
    """Which hint a call with the issue gets."""

    two_readings: bool = False
    """Whether the block has two meanings, and nothing in it shows which was meant. Then no model is asked for a correction:
    its answer would be a guess."""


_WRITE: Final = '{"tool": "write_file", "path": "a.txt", "content": "x"}'


CODES: Final[dict[str, Code]] = {
    # Level 0: the block as it came through the stream.
    "truncated": Code(
        0,
        "The stream ended inside the block.",
        "A file that was cut off looks complete once its string is closed. Such a block is never executable.",
        '{"tool": "write_file", "path": "a.txt", "content": "x',
        _WRITE,
        hint="cut_off",
    ),
    "missing_fence": Code(
        0,
        "The stream ended after a complete call, without a closing fence, and no finish reason says that the model was done.",
        "The model may have been about to write more. With the finish reason `stop` such a call is whole.",
        '```json\n{"tool": "delete_file", "path": "a.txt"}',
        '```json\n{"tool": "delete_file", "path": "a.txt"}\n```',
        hint="cut_off",
    ),
    "oversize": Code(
        0,
        "The body is longer than `Limits.max_block`, or in a dialect it has more calls than `Limits.max_calls`.",
        "Memory per stream is bounded, and the rest of the body was not checked.",
        '{"tool": "write_file", "content": "xxxxxxxx ...',
        _WRITE,
        hint="cut_off",
    ),
    "repetition": Code(
        0,
        'The body repeats one short text for more than `Limits.max_loop` characters. Only with `Guard(early="abort")`.',
        "A model that cannot find an end writes until the token limit, and every token is paid for.",
        '{"tool": "write_file", "path": "a.txt", "content": "na na na na na na na ...',
        _WRITE,
        hint="cut_off",
    ),
    "ambiguous_end": Code(
        0,
        "A fence line stands inside an open string, and the text after it does not decide where the block ends. Or the block "
        "stands inside another call.",
        "With two possible readings, neither may be executed.",
        '{"tool": "write_file", "path": "a.txt", "content": "x\n```\nand prose',
        _WRITE,
        hint="two_readings",
        two_readings=True,
    ),
    "ambiguous_value": Code(
        0,
        "In a dialect without quotes, a value has two readings: text or another value, both allowed by the schema; text "
        "that holds a marker of its own dialect, or a damaged call; text with or without what stands around it or before its "
        "lines; lines of a file at a place that its tool has no field for, or without their sign. Or a key is no name. Or "
        "another change of the same patch cannot run.",
        "With two possible readings, neither may be executed.",
        "<parameter=id>42</parameter>",
        '{"tool": "find", "id": "42"}',
        hint="two_readings",
        two_readings=True,
    ),
    "text_in_opener": Code(
        0,
        "After the language, the line of the opening fence has words about the call, or a part of one.",
        "What is lost there may be the first of several calls, and words may forbid the call. Attributes such as `title=a.json`"
        " pass.",
        '```json x{"tool": "read"}\n{"tool": "delete_file", "path": "a.txt"}\n```',
        '```json\n{"tool": "delete_file", "path": "a.txt"}\n```',
        hint="arguments",
    ),
    "several_calls": Code(
        0,
        "A text that was given to `Guard.check` holds several blocks, or its block several calls. `Guard.scan` takes those.",
        "One verdict cannot say which of them may run, and a call that was passed over would be lost.",
        '[{"tool": "delete_file", "path": "a.txt"}, {"tool": "delete_file", "path": "b.txt"}]',
        '{"tool": "delete_file", "path": "a.txt"}',
        hint="two_readings",
    ),
    "guard_error": Code(
        0,
        "The guard itself, a rule or a corrector failed on this block.",
        "An internal error must not let an unchecked block pass.",
        "any body, if a rule raises an exception",
        _WRITE,
        hint="not_checked",
    ),
    "correction_refused": Code(
        0,
        "A model's correction changed the meaning of the block: another tool, path or value, or a value added or dropped.",
        "A correction may repair a call, and not replace it by another one.",
        '{"tool": "delete_file", "path": "/etc/passwd"} offered for {"tool": "delete_file"}',
        _WRITE,
        hint="not_checked",
    ),
    "not_approved": Code(
        0,
        "The call needs an approval (`Guard(approve=...)`), and has none.",
        "What cannot be undone waits for somebody's yes. No answer, or one that cannot be used, is a no.",
        'a valid call of a tool with `Risk.DESTRUCTIVE`, for which `approve` returns "Not today."',
        _WRITE,
        hint="arguments",
    ),
    # Level 1: is it JSON, strictly?
    "empty_block": Code(1, "The block is empty.", "There is no call to run.", "", _WRITE, hint="json"),
    "syntax": Code(
        1,
        "The body is not JSON: there is an unexpected token.",
        "The text after it cannot be parsed reliably.",
        '{"tool": "write_file" "path": "a.txt"}',
        '{"tool": "write_file", "path": "a.txt"}',
        hint="json",
    ),
    "unterminated": Code(
        1,
        "A string, object or array is never closed.",
        "The rest of the value may be missing.",
        '{"tool": "delete_file", "path": "a.txt"',
        '{"tool": "delete_file", "path": "a.txt"}',
        hint="json",
    ),
    "control_character": Code(
        1,
        "A raw newline, tab or other control character stands in a string.",
        "JSON requires an escape. Most often it is code written as in a file. One that may be a mistake is not fixed.",
        '{"content": "line 1\nline 2"}',
        '{"content": "line 1\\nline 2"}',
        hint="json",
    ),
    "invalid_escape": Code(
        1,
        "A backslash in a string is followed by something that JSON does not escape.",
        "Regular expressions and Windows paths lose their backslashes in lenient parsers.",
        '{"content": "\\d+"}',
        '{"content": "\\\\d+"}',
        hint="json",
    ),
    "trailing_garbage": Code(
        1,
        "Something follows the complete value.",
        "A second call or a sentence would be lost without notice.",
        '{"tool": "delete_file", "path": "a"} done',
        '{"tool": "delete_file", "path": "a"}',
        hint="json",
    ),
    "duplicate_key": Code(
        1,
        "An object holds the same key twice.",
        "Parsers disagree on which value to use.",
        '{"path": "a.txt", "path": "b.txt"}',
        '{"path": "a.txt"}',
        hint="json",
    ),
    "not_a_number": Code(
        1,
        "NaN or Infinity stands where a value should.",
        "JSON does not have these values.",
        '{"n": NaN}',
        '{"n": null}',
        hint="json",
    ),
    "number_range": Code(
        1,
        "A number is too large to hold, or has too many digits.",
        "It would become infinity, or take too long to parse.",
        '{"n": 1e400}',
        '{"n": 1e300}',
        hint="json",
    ),
    "too_deep": Code(
        1,
        "Objects and arrays nest deeper than `Limits.max_depth`.",
        "Deep nesting exhausts parsers, even in small texts.",
        "[[[[ ... ]]]]",
        "[[1]]",
        hint="json",
    ),
    "too_many_values": Code(
        1,
        "The block holds more values than `Limits.max_values`.",
        "Each value is checked several times; this many are a mistake or an attack.",
        "[1,1,1, ... ]",
        "[1,1,1]",
        hint="json",
    ),
    "lone_surrogate": Code(
        1,
        "Half of a surrogate pair stands alone.",
        "Such text cannot be encoded, so it cannot be written to a file.",
        '{"content": "\\ud83d"}',
        '{"content": "\\ud83d\\ude00"}',
        hint="json",
    ),
    # Level 2: which tool is it?
    "not_an_object": Code(
        2, "The body is not one JSON object.", "A call is an object that names its tool.", '["write_file"]', _WRITE, hint="tool"
    ),
    "missing_tool": Code(
        2, 'There is no "tool" field.', "The block does not say which tool to call.", '{"path": "a.txt"}', _WRITE, hint="tool"
    ),
    "invalid_tool": Code(
        2,
        "The named tool is not in the toolset.",
        "There is no handler for it.",
        '{"tool": "create_file", "path": "a.txt", "content": "x"}',
        _WRITE,
        hint="tool",
    ),
    # Level 3: the tool's schema and rules.
    "required": Code(
        3,
        "A required field is missing.",
        "The tool cannot run without it.",
        '{"tool": "write_file", "path": "a.txt"}',
        _WRITE,
        hint="arguments",
    ),
    "type": Code(
        3,
        "A value has another type than the schema requires.",
        "A number and the string that spells it are different values.",
        '{"tool": "write_file", "path": "a.txt", "content": 3}',
        '{"tool": "write_file", "path": "a.txt", "content": "3"}',
        hint="arguments",
    ),
    "unknown_field": Code(
        3,
        "The tool does not take this field; or its schema takes any, does not list this one, and another key of a call has "
        "that name, or nearly so (`input`, `argumets`, `tool`, `$path`), or a record of a call has there what became of it "
        "(`decision`, `result`, `exit_code`).",
        "Ignoring it would hide a misspelt or misplaced field. A mistyped envelope would become an argument that holds all "
        "others.",
        '{"tool": "delete_file", "path": "a.txt", "recursive": true}',
        '{"tool": "delete_file", "path": "a.txt"}',
        hint="arguments",
    ),
    "empty_path": Code(
        3,
        "The path is an empty string.",
        "No file has an empty name.",
        '{"tool": "delete_file", "path": ""}',
        '{"tool": "delete_file", "path": "a.txt"}',
        hint="arguments",
    ),
    "schema": Code(
        3,
        "A field breaks another rule of the tool's JSON Schema; `constraint` says which.",
        "The schema states which values the tool can take.",
        '{"tool": "resize", "width": -1}',
        '{"tool": "resize", "width": 640}',
        hint="arguments",
    ),
    "too_complex": Code(
        3,
        "The arguments may take too many steps to validate: the tool's JSON Schema contains itself in several branches of a "
        "union without a field that tells them apart, or has a regular expression that may backtrack too long.",
        "A validator cannot be interrupted, and all other streams would wait for it. What was not checked is never executable.",
        '{"tool": "search", "where": {"and": [{"and": [{"and": [...]}]}]}}',
        '{"tool": "search", "where": {"is": "x"}}',
        hint="too_complex",
    ),
    "content": Code(
        3,
        "The content of a field breaks a rule of the tool: an invalid URL, HTML with scripts; `constraint` says which rule.",
        "A schema checks the form of a value, not its content.",
        '{"tool": "show", "image": "javascript:alert(1)"}',
        '{"tool": "show", "image": "https://example.com/a.png"}',
        hint="arguments",
    ),
    "rejected": Code(
        3,
        "A handler, or another library, refused the call without a known rule.",
        "Its message is passed on unchanged.",
        '{"tool": "book", "day": "yesterday"}, and a handler that takes no past days',
        '{"tool": "book", "day": "tomorrow"}',
        hint="arguments",
    ),
    "path_absolute": Code(
        3,
        "The path is absolute.",
        "Tools work inside a workspace.",
        '{"tool": "delete_file", "path": "/etc/passwd"}',
        '{"tool": "delete_file", "path": "etc/passwd"}',
        hint="arguments",
    ),
    "path_parent": Code(
        3,
        "A segment of the path is `..`.",
        "It leads out of the workspace.",
        '{"tool": "delete_file", "path": "../b.txt"}',
        '{"tool": "delete_file", "path": "b.txt"}',
        hint="arguments",
    ),
    "path_drive": Code(
        3,
        "The path begins with a drive letter.",
        "It leads out of the workspace on Windows.",
        '{"tool": "delete_file", "path": "C:/b.txt"}',
        '{"tool": "delete_file", "path": "b.txt"}',
        hint="arguments",
    ),
    "path_unc": Code(
        3,
        "The path names a network share or a device.",
        "It leads to another machine.",
        '{"tool": "delete_file", "path": "\\\\\\\\host\\\\share"}',
        '{"tool": "delete_file", "path": "share"}',
        hint="arguments",
    ),
    "path_placeholder": Code(
        3,
        "The path is a placeholder.",
        "The model copied a template without filling it in.",
        '{"tool": "delete_file", "path": "<path>"}',
        '{"tool": "delete_file", "path": "a.txt"}',
        hint="arguments",
    ),
    "path_nul": Code(
        3,
        "The path holds a NUL character.",
        "Some programs end the path there, others do not.",
        '{"tool": "delete_file", "path": "a.txt\\u0000.png"}',
        '{"tool": "delete_file", "path": "a.txt"}',
        hint="arguments",
    ),
    "path_control": Code(
        3,
        "The path holds a control character.",
        "Most often it is a wrong escape, as in `C:\\new`.",
        '{"tool": "delete_file", "path": "src\\new.txt"}',
        '{"tool": "delete_file", "path": "src/new.txt"}',
        hint="arguments",
    ),
    "undoubled_backslash": Code(
        3,
        "A path holds a line break, a tab or another control character before a letter, or a text holds a backspace or a form "
        "feed before one.",
        "Nobody writes these on purpose: a backslash was not doubled, and the JSON is valid but says something else. In other "
        "texts `\\n` and `\\t` are taken as written.",
        '{"tool": "find", "text": "\\bword\\b"}',
        '{"tool": "find", "text": "\\\\bword\\\\b"}',
        hint="arguments",
        two_readings=True,
    ),
}
"""Every code an issue may carry, in the order of the levels."""
