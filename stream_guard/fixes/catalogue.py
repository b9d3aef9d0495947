"""Every fix there is, and what each has to say for itself. docs/fixes.md is printed from this table.

Rule: what is done without an entry here is not done.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from ..values.fix import FixType, Safety


class Fix(NamedTuple):
    """One row of the catalogue."""

    type: FixType
    """What kind of change it is."""

    safety: Safety
    """How much it assumes."""

    confidence: float
    """How sure it is, from 0 to 1."""

    what: str
    """What it does, as the record of a change says it."""

    why: str
    """Why models make the mistake, or why the change is right."""

    before: str
    """A body that needs it."""

    after: str
    """What becomes of it."""

    unless: str
    """When it is not done, because it would be a guess."""


_SYNTAX: Final[FixType] = "SYNTAX_REPAIR"
_STRUCTURE: Final[FixType] = "STRUCTURE_CORRECTION"
_FIELDS: Final[FixType] = "FIELD_MAPPING"
_DELETE: Final = '{"tool": "delete_file", "path": "a.txt"}'
_WRITE: Final = '{"tool": "write_file", "path": "a.txt", "content": "x"}'


def _lossless(what: str, why: str, before: str, after: str, unless: str = "Never.") -> Fix:
    return Fix(_SYNTAX, Safety.LOSSLESS, 1.0, what, why, before, after, unless)


def _likely(what: str, why: str, before: str, after: str, unless: str, confidence: float = 0.95) -> Fix:
    return Fix(_SYNTAX, Safety.LIKELY, confidence, what, why, before, after, unless)


CATALOGUE: Final[Mapping[str, Fix]] = {
    # Spelling: every reader would take the same value from it.
    "control_character": _lossless(
        "Escaped line breaks, tabs and other control characters in a string",
        "Models write code as it would stand in a file.",
        '{"tool": "write_file", "path": "a.txt", "content": "one\ntwo"}',
        '{"tool": "write_file", "path": "a.txt", "content": "one\\ntwo"}',
        "The string also holds `\\n` between quotes of the code, where it may be the code's own. Or its schema or name says"
        " that it has one line: a pattern, a format, a list of values, at most 64 characters, an item of a list, `path`,"
        " `user_id`. In a call that takes something away only what is named as a long text may have several: `body`, `note`.",
    ),
    "trailing_comma": _lossless(
        "Dropped a comma with nothing after it",
        "JavaScript and Python allow one.",
        '{"tool": "delete_file", "path": "a.txt",}',
        _DELETE,
    ),
    "extra_comma": _likely(
        "Dropped a second comma",
        "A member was left out, or the comma slipped in.",
        '{"tool": "write_file",, "path": "a.txt", "content": "x"}',
        _WRITE,
        "A required field is missing: then it is likely the one that was left out.",
    ),
    "missing_comma": _lossless(
        "Put a comma between two members",
        "A line break looks like a separator.",
        '{"tool": "delete_file" "path": "a.txt"}',
        _DELETE,
        "What follows is no key of the tool, or the comma may be the last thing in the text before.",
    ),
    "repeated_key": _lossless(
        "Dropped a member that stood there twice with one value",
        "The model repeated itself.",
        '{"tool": "delete_file", "path": "a.txt", "path": "a.txt"}',
        _DELETE,
        "The two values differ, be it in type or in the spelling of a number; an empty list is a value. Or another "
        "member stands between the two: what is left of two objects looks the same.",
    ),
    "quote_marks": _lossless(
        "Replaced other quotation marks by double quotes",
        "Python, JavaScript and typography have quotes of their own.",
        "{'tool': 'delete_file', 'path': 'a.txt'}",
        _DELETE,
        "The string holds escapes that its kind of quotes reads in two ways, or `${...}` between backticks.",
    ),
    "bare_key": _lossless("Put a key into quotes", "JavaScript needs none.", '{tool: "delete_file", path: "a.txt"}', _DELETE),
    "key_quote": _likely(
        "Completed the quotes of a key",
        "One of the two was forgotten.",
        '{tool": "write_file", "path": "a.txt", "content": "x"}',
        _WRITE,
        "What stands there is no single word.",
    ),
    "separator": _lossless(
        "Replaced another separator by a colon",
        "Other languages write `=` and `=>`.",
        '{"tool" = "delete_file", "path" => "a.txt"}',
        _DELETE,
    ),
    "literal": _lossless(
        "Spelled True, False or None as JSON does",
        "Models mix in Python.",
        '{"tool": "resize", "keep": True}',
        '{"tool": "resize", "keep": true}',
    ),
    "comment": _lossless(
        "Dropped a comment",
        "JSON has none.",
        '{"tool": "delete_file", // ok\n "path": "a.txt"}',
        _DELETE,
        "It holds anything but harmless words, such as `the call`, and the name of the tool or of the field beside it: a "
        "number, a quotation, a word that nobody knows. Or some string has unescaped quotes: then it may be part of the code.",
    ),
    "invisible": _lossless(
        "Dropped invisible characters between tokens",
        "Text that passed through a web page gathers them. In strings they stay.",
        '\ufeff{"tool":\u00a0"delete_file", "path": "a.txt"}',
        _DELETE,
    ),
    "doubled_brace": _lossless(
        "Replaced doubled braces by single ones",
        "Templates write them so.",
        '{{"tool": "delete_file", "path": "a.txt"}}',
        _DELETE,
    ),
    "extra_closer": _lossless(
        "Dropped brackets and semicolons after the end",
        "The model lost count, or wrote a statement.",
        '{"tool": "delete_file", "path": "a.txt"}}]',
        _DELETE,
    ),
    "escaped_body": _lossless(
        "Unescaped a body that was escaped as a whole",
        "It was put into a string, and taken out without its quotes.",
        '{\\"tool\\": \\"delete_file\\", \\"path\\": \\"a.txt\\"}',
        _DELETE,
        "What comes out is no block.",
    ),
    "quoted_lines": _lossless(
        "Dropped the marks of a block quote",
        "The block stands in one.",
        '> {"tool": "delete_file",\n> "path": "a.txt"}',
        _DELETE,
        "Not every line has one.",
    ),
    "wrapper": _lossless(
        "Dropped marks around the object",
        "Other formats put a call into marks of their own.",
        f"<tool_call>\n{_DELETE}\n</tool_call>",
        _DELETE,
        "They hold a word that is none of such a format: then it is prose. Or a tag closes that did not open.",
    ),
    "prose": _likely(
        "Passed over prose around the object",
        "Models explain what they do.",
        f"Here it is:\n{_WRITE}",
        _WRITE,
        "It holds anything but harmless words, such as `here is the call` and the tool's own name: it may forbid the call, "
        "correct it, or speak of another. Or the tool takes something away.",
    ),
    # What another reading exists for.
    "quotes": _likely(
        "Escaped quotes inside a string",
        "Code is full of them. A string ends where a key of the tool, a closing bracket or the end follows.",
        '{"tool": "write_file", "path": "a.html", "content": "<p class="x">hi</p>"}',
        '{"tool": "write_file", "path": "a.html", "content": "<p class=\\"x\\">hi</p>"}',
        "The string may end in two places, some of its quotes are escaped and some are not, or a field that the call lacks "
        "stands in it.",
        0.9,
    ),
    "escape": _likely(
        "Doubled a backslash that escapes nothing",
        "Regular expressions and Windows paths are written as they are.",
        '{"tool": "write_file", "path": "a.py", "content": "\\d+"}',
        '{"tool": "write_file", "path": "a.py", "content": "\\\\d+"}',
        "Other escapes in the block may be meant as they stand, too.",
        0.9,
    ),
    "missing_bracket": _likely(
        "Closed the braces that were left open at the end",
        "The model lost count.",
        '{"tool": "delete_file", "path": "a.txt"',
        _DELETE,
        "More than closing braces is missing, no string, list or object ends where the block does, anything else had to be "
        "assumed, or no fence closes the block: then it may have been cut off.",
        0.9,
    ),
    "list_end": _likely(
        "Closed a list before a key",
        "The bracket was forgotten.",
        '{"tool": "resize", "sizes": [1, 2, "keep": true}',
        '{"tool": "resize", "sizes": [1, 2], "keep": true}',
        "The key is none of the object that the list stands in, or is there already. Or the last item is a list: the bracket "
        "that opens the outer one may stand there twice.",
    ),
    "concatenation": _likely(
        "Joined strings that were written as a sum",
        "That is how long strings are written in code.",
        '{"tool": "write_file", "path": "a.txt", "content": "one\\n" + "two"}',
        '{"tool": "write_file", "path": "a.txt", "content": "one\\ntwo"}',
        "Some quote in them is not escaped, or they meet in the middle of a line: then it may be a sum in the code.",
    ),
    "parenthesis": _likely(
        "Joined strings in parentheses",
        "Python joins them.",
        '{"tool": "write_file", "path": "a.txt", "content": ("one"\n "two")}',
        '{"tool": "write_file", "path": "a.txt", "content": "onetwo"}',
        "Anything else stands in them.",
    ),
    "bare_word": _likely(
        "Put a word into quotes",
        "The quotes were forgotten.",
        '{"tool": write_file, "path": "a.txt", "content": "x"}',
        _WRITE,
        "It is none of the words that may stand there.",
    ),
    "square_object": _likely(
        "Replaced square brackets around members by braces",
        "The brackets were confused.",
        '["tool": "write_file", "path": "a.txt", "content": "x"]',
        _WRITE,
        "What they hold is no list of members.",
    ),
    "several_objects": Fix(
        _STRUCTURE,
        Safety.LIKELY,
        0.95,
        "Took each of several objects as a call",
        "Models put several calls into one block.",
        f"{_DELETE}\n{_DELETE.replace('a.txt', 'b.txt')}",
        "two calls, in order",
        "One of them is no valid call: then none is.",
    ),
    # Shape.
    "array_of_calls": Fix(
        _STRUCTURE,
        Safety.LIKELY,
        0.95,
        "Took each item of an array as a call",
        "Models put several calls into one block.",
        f"[{_DELETE}]",
        _DELETE,
        "One of them is no valid call: then none is.",
    ),
    "envelope": Fix(
        _STRUCTURE,
        Safety.LIKELY,
        0.95,
        "Took a call out of its envelope",
        "Providers wrap calls in names of their own, and models have read them all.",
        '{"name": "delete_file", "arguments": {"path": "a.txt"}}',
        _DELETE,
        "The envelope holds anything that is not known.",
    ),
    "encoded": Fix(
        _STRUCTURE,
        Safety.LIKELY,
        0.95,
        "Read an object that was written as a string",
        "Native tool calls carry their arguments so.",
        '{"name": "delete_file", "arguments": "{\\"path\\": \\"a.txt\\"}"}',
        _DELETE,
        "The string is no object.",
    ),
    "function_call": Fix(
        _STRUCTURE,
        Safety.LIKELY,
        0.9,
        "Took the tool's name from the function that is called",
        "It looks like code.",
        'delete_file({"path": "a.txt"})',
        _DELETE,
        "The function is no tool.",
    ),
    "tool_name": Fix(
        _FIELDS,
        Safety.LIKELY,
        0.95,
        "Gave the tool its own name",
        "Other programs call it otherwise, and models have seen them.",
        '{"tool": "create_file", "path": "a.txt", "content": "x"}',
        _WRITE,
        "The name may be another word: another spelling counts, a declared alias, or one slipped letter inside a long word; of"
        " a tool that takes something away no slip. Or another name in the block does not agree with it.",
    ),
    "missing_tool": Fix(
        _FIELDS,
        Safety.INVENTED,
        0.3,
        "Named the one tool that takes exactly these fields",
        "The model forgot to, or showed an example; nobody knows.",
        '{"path": "a.txt", "content": "x"}',
        _WRITE,
        'Anything but `fixes="spec"` is set, more than one takes them, it takes only one field, or it takes something away.',
    ),
    "field_name": Fix(
        _FIELDS,
        Safety.LIKELY,
        0.95,
        "Gave a field its own name",
        "Other programs call it otherwise, or a letter slipped.",
        '{"tool": "write_file", "file_path": "a.txt", "code": "x"}',
        _WRITE,
        "The field is there already, or the name may be another word: an opposite, a unit, a direction. For a tool that takes"
        " something away no slip counts.",
    ),
    "extra_field": Fix(
        _FIELDS,
        Safety.LIKELY,
        0.9,
        "Dropped a remark beside the call",
        "Models explain themselves where nobody asked.",
        '{"tool": "write_file", "path": "a.txt", "content": "x", "explanation": "asked for"}',
        _WRITE,
        "It says more than harmless words do, or is no call's id (`call_...`). Or the tool has ids of its own, takes any"
        " field, or takes something away. Or its name is not one of a remark,"
        " or the block was not JSON: then it may be the rest of a string.",
    ),
    "list_of_paths": Fix(
        _STRUCTURE,
        Safety.LIKELY,
        0.9,
        "Made one call for each path of a list",
        "It is shorter to write.",
        '{"tool": "open_file", "path": ["a.txt", "b.txt"]}',
        "two calls, in order",
        "The tool takes more than a path, or takes something away.",
    ),
    "coercion": Fix(
        "VALUE_COERCION",
        Safety.LIKELY,
        0.9,
        "Spelled a value in the type that the tool takes",
        "A number and the text that spells it look alike.",
        '{"tool": "write_file", "path": "VERSION", "content": 1.10}',
        '{"tool": "write_file", "path": "VERSION", "content": "1.10"}',
        "The text does not spell exactly one value.",
    ),
    "path_escape": Fix(
        _FIELDS,
        Safety.LIKELY,
        0.9,
        "Read an escape in a path as a backslash",
        "A path holds no tabs and line breaks; a Windows path was not escaped.",
        '{"tool": "write_file", "path": "build\\temp", "content": "x"}',
        '{"tool": "write_file", "path": "build\\\\temp", "content": "x"}',
        "The character is none that a letter after a backslash stands for, or stands there as it is. Or it is no file's path.",
    ),
    "missing_field": Fix(
        "METADATA_ADDITION",
        Safety.INVENTED,
        0.3,
        "Put an empty text where a required one was missing",
        "The specification's own generosity; nobody wrote it.",
        '{"tool": "write_file", "path": "a.txt"}',
        '{"tool": "write_file", "path": "a.txt", "content": ""}',
        'Anything but `fixes="spec"` is set.',
    ),
}
"""Every fix, by its name."""
