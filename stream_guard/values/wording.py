"""The words of issues and hints: every sentence that a model or a person reads.

    SENTENCES   what is wrong, by issue code; `code.variant` where a code has several
    RULES       what a rule of a schema asks for, as the end of a sentence that begins with the field
    ADVICE      what to do about it, by issue code or reason; the hint says it after the sentence

Rule 1: words are changed here and nowhere else; no code looks at a sentence to find out what is wrong.
Rule 2: what fills a `{gap}` was quoted and cut short by whoever fills it.

A toolset's own rules have their own sentences: those of lessons stand in `tools/lessons/wording.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SENTENCES: Final[Mapping[str, str]] = {
    # Level 0: the block as it came through the stream.
    "truncated": "The block was cut off after {count} characters",
    "truncated.length": "The block was cut off at the token limit after {count} characters",
    "truncated.content_filter": "The block was cut off by a content filter after {count} characters",
    "truncated.error": "The block was cut off by an error after {count} characters",
    "missing_fence": "The closing fence is missing",
    "oversize": "The block is longer than {most} characters",
    "oversize.block": "The block has more than {most} calls",
    "oversize.calls": "The reply has more than {most} texts and calls",
    "private": '"{field}" is not valid',
    "private.arguments": "The arguments are not valid",
    "repetition": "The block repeats one text for {most} characters",
    "ambiguous_end": "The end of the block is uncertain: a fence stands inside its JSON, or the block stands in another call",
    "ambiguous_end.dialect": "The end of the call is uncertain: its closer is missing, or may stand inside a value",
    "text_in_opener": "The line of the opening fence has text after the language that may be part of a call",
    "ambiguous_value.type": '"{field}" may be text or a value of another type, and the schema allows both',
    "ambiguous_value.marker": 'The value of "{field}" holds a marker of its own dialect: it may be text, or a damaged call',
    "ambiguous_value.blanks": '"{field}" has blanks around its text, which may not belong to it',
    "ambiguous_value.margin": '"{field}" has an indent or marks before its lines, which may belong to the text around it',
    "ambiguous_value.place": 'The tool has no field for everything that the call says about the place of "{field}" in the file',
    "ambiguous_value.sign": 'A line of "{field}" lacks its sign: a blank, + or -, for context, added or removed',
    "ambiguous_value.whole": 'The "{field}" has several changes; one of them cannot run, so none is run',
    "ambiguous_value.key": '"{field}" is not the name of a field: a marker before it may be damaged',
    "several_calls": "The block holds {count} calls, and one was to be checked (`Guard.scan` takes several)",
    "several_calls.blocks": "The text holds {count} blocks, and one was to be checked (`Guard.scan` takes several)",
    "guard_error.block": "The guard failed on this block ({error})",
    "guard_error.correction": "The guard failed on the correction ({error})",
    "guard_error.corrector": "The corrector failed ({error})",
    "guard_error.rule": "The rule {rule} of {tool} failed ({error})",
    "guard_error.arguments": "The arguments could not be checked ({error})",
    "guard_error.not_json": "The arguments are not JSON ({error})",
    "guard_error.result": "The result could not be checked ({error})",
    "guard_error.handler": "The handler's issues could not be checked ({error})",
    "correction_refused": "The correction has another {what} than the block",
    "not_approved": "The call of {tool} was not approved",
    "not_approved.unasked": "The call of {tool} needs an approval, and nobody could be asked",
    "not_approved.failed": "The approval of {tool} failed ({error})",
    "not_approved.timeout": "The approval of {tool} was not given within {seconds} s",
    "not_approved.odd": "The approval of {tool} had an answer of the wrong type: {kind}",
    "not_approved.changed": "The arguments of {tool} were changed while its approval was waited for",
    "not_approved.edit": "The arguments given with the approval of {tool} are not valid ({error})",
    # Level 1: is it JSON, strictly? In a block they stand inside `json_at_line`.
    "empty_block": "The block is empty",
    "syntax": "Unexpected token",
    "unterminated": "Unexpected end",
    "control_character": "Unexpected token",
    "invalid_escape": "Invalid escape",
    "trailing_garbage": "Unexpected text after the value",
    "duplicate_key": 'Duplicate key "{key}"',
    "not_a_number": "{word} is not a JSON value",
    "not_a_number.unknown": "The text here is not a JSON value",
    "number_range": "Number too large",
    "number_range.parser": "Number out of range",
    "too_deep": "Nested deeper than {most} levels",
    "too_deep.parser": "Nested too deeply",
    "too_many_values": "More than {most} values",
    "lone_surrogate": "Half of a surrogate pair stands alone",
    # Level 2: which tool is it?
    "not_an_object": "A tool block is one JSON object, not {kind}",
    "missing_tool": 'Missing "tool" field',
    "invalid_tool": "Invalid tool type: {name}. Must be {names}",
    # Level 3: the tool's schema and rules.
    "required": 'Missing "{field}" field',
    "required.tool": '{tool} tool requires "{field}" field',
    "type": "{subject} must be {kinds}, not {kind}",
    "type.result": "The result holds values that are not JSON: {kinds}",
    "unknown_field": 'There is no "{field}" field',
    "unknown_field.tool": '{tool} tool has no "{field}" field',
    "unknown_field.outcome": '{tool} tool lists no "{field}" field; the record of a call that was run has its outcome there',
    "unknown_field.envelope": '{tool} tool lists no "{field}" field, and a key of a call or another field has nearly that name',
    "empty_path": '"path" must be a non-empty string',
    "schema": "{subject} {rule}",
    "schema.other": "{subject}: {words}",
    "schema.unknown": "{subject}: breaks a rule of the schema",
    "too_complex": "It takes more than {most} steps to check the arguments",
    "rejected": '"{field}" was refused',
    "rejected.silent": "It was refused without a reason",
    "path_absolute": '"path" must be relative',
    "path_parent": '"path" must not have ".." segments',
    "path_drive": '"path" must not begin with a drive letter',
    "path_unc": '"path" must not name a network share or device',
    "path_placeholder": '"path" must not be a placeholder',
    "path_nul": '"path" must not hold a NUL character',
    "path_control": '"path" must not hold control characters',
    "undoubled_backslash": '"{field}" has an escape such as \\n or \\b where a backslash was meant; double each backslash',
}
"""The sentence of each issue code; by `code.variant` if a code has several."""

WORDED_ELSEWHERE: Final = frozenset({"content"})
"""Codes whose sentences are those of the toolset that raises them."""

RULES: Final[Mapping[str, str]] = {
    "enum": "must be one of: {asked}",
    "enum.one": "must be {asked}",
    "const": "must be {asked}",
    "pattern": "must match the pattern {asked}",
    "format": "must have the format {asked}",
    "minimum": "must be at least {asked}",
    "maximum": "must be at most {asked}",
    "exclusiveMinimum": "must be more than {asked}",
    "exclusiveMaximum": "must be less than {asked}",
    "multipleOf": "must be a multiple of {asked}",
    "minLength": "must have at least {asked} characters",
    "minLength.one": "must have at least {asked} character",
    "maxLength": "must have at most {asked} characters",
    "maxLength.one": "must have at most {asked} character",
    "minItems": "must have at least {asked} items",
    "minItems.one": "must have at least {asked} item",
    "maxItems": "must have at most {asked} items",
    "maxItems.one": "must have at most {asked} item",
    "minProperties": "must have at least {asked} fields",
    "minProperties.one": "must have at least {asked} field",
    "maxProperties": "must have at most {asked} fields",
    "maxProperties.one": "must have at most {asked} field",
    "uniqueItems": "must not contain the same item twice",
    "contains": "must contain at least one required item",
    "additionalItems": "has too many items",
    "unevaluatedItems": "has too many items",
    "propertyNames": "is not an allowed field name",
    "falseSchema": "must not be given",
    "not": "must not have this value",
    "anyOf": "must have one of these forms: {asked}",
    "anyOf.several": "must have exactly one of its forms, and fits several",
    "oneOf": "must have one of these forms: {asked}",
    "oneOf.several": "must have exactly one of its forms, and fits several",
}
"""The end of a rule's sentence. `.one` is used if the rule names one thing, `.several` if too many forms fit."""

SUBJECTS: Final[Mapping[str, str]] = {"field": '"{field}"', "arguments": "The arguments", "value": "It"}
"""The subject of a rule's sentence: a field by its name, all of a call, or a value without a name."""

ADVICE: Final[Mapping[str, str]] = {
    "truncated": "Nothing was run. Send it again.",
    "truncated.length": "Nothing was run. Send it again, in smaller parts.",
    "missing_fence": "Nothing was run. Send it again, and end it with a line of three backticks.",
    "oversize": "Nothing was run. Send it again, in smaller parts.",
    "oversize.calls": "Nothing was run. Send it again, with fewer calls at once.",
    "repetition": "Nothing was run. Send it again, and end it where its content ends.",
    "several_calls": "Send one call at a time.",
    "guard_error": "Nothing was run.",
    "correction_refused": "Nothing was run.",
    "json": "Write one valid JSON object, with double quotes.",
    "control_character": "Inside a JSON string write a line break as \\n and a tab as \\t.",
    "invalid_escape": "Inside a JSON string write a backslash as \\\\.",
    "unterminated": "Close every string, object and array.",
    "trailing_garbage": "Write one JSON object, and nothing after it.",
    "duplicate_key": "Write each field once.",
    "not_a_number": "JSON has neither NaN nor Infinity; use null or a number.",
    "number_range": "Use a smaller number.",
    "too_deep": "Nest less deeply.",
    "too_many_values": "Send fewer values at once.",
    "too_complex": "Nest less deeply, or send less at once.",
    "lone_surrogate": "Write characters outside the basic plane directly, not as one half of a surrogate pair.",
    "empty_block": "Write one JSON object.",
    "ambiguous_end": "Inside a JSON string write a line break as \\n, so that no fence stands on a line of its own.",
    "text_in_opener": "Write ```json alone on that line, and nothing but the call below it.",
    "ambiguous_end.dialect": "Write the call as a ```json block, where text stands in quotes.",
    "ambiguous_value": "Write the call as a ```json block, where text stands in quotes.",
    "missing_tool": "Name one in it: {names}.",
    "invalid_tool": "Call one of these, or none.",
    "which_tool": "Name the tool in it.",
    "arguments": "Nothing was run. Send the call again, corrected.",
    "invented": "The missing values were filled in only to show the call, and nothing was run. Send the call again, complete.",
    "arguments.ran": "Send the call again, corrected.",
    "malformed_response": "The call itself was valid, and it was run.",
    "tool_failed": "The call was valid, and it may have had an effect.",
    "tool_failed.no_effect": "The call was valid.",
    "denied": "Nothing was run. Do not send the same call again.",
}
"""The advice about an issue, by issue code or reason. `json` is for broken JSON without advice of its own, `which_tool` for a
call without a tool."""

TO_THE_MODEL: Final[Mapping[str, str]] = {
    "several_calls": "There are several calls, and one was to be checked",
}
"""The sentence of an issue in a hint, by issue code, if the issue's own sentence tells the developer what to do."""

JSON_AT_LINE: Final = "JSON parsing error: {what} at line {line}"
"""The message of a JSON error of which the line is known."""

JSON_AT_BYTE: Final = "JSON parsing error: {what} at byte {offset}"
"""The message of a JSON error of which only the offset is known, as of a parser of bytes."""

OF_CALL: Final = "Call {number}: {problem}"
"""The sentence of an issue in one of several calls of a block, with the number of that call."""

COLUMN: Final = "{problem}, column {column}"
"""The sentence of a JSON error followed by its column."""

TOOL_FAILED: Final = "{tool} failed while it ran"
"""The problem of a valid call whose handler raised an exception."""

TOOK_TOO_LONG: Final = "{tool} took longer than {seconds:g} s"
"""The problem of a valid call whose handler ran into its timeout."""

DENIED: Final = "The call of {tool} was not allowed"
"""The problem of a valid call that an approver refused."""

WITH_ARGUMENTS: Final = "{tool} (with the arguments {arguments})"
"""A call that ran with other arguments than the model's, because the approver changed them."""

NOT_RUN: Final = "The call cannot be run"
"""The problem of a call that is not executable, if nothing more is known."""

MALFORMED: Final = "The result of {tool} is malformed: {issues}"
"""The problem of a valid call whose result is refused by its output schema."""

SOME_TOOL: Final = "the tool"
"""Replaces {tool} in a sentence when the tool has no name."""

HALF_A_PAIR: Final = "half of a surrogate pair"
"""Replaces {kinds} in `type.result` when a text of the result has half a surrogate pair."""

SOME_CALL: Final = "A call"
"""Replaces {tool} at the beginning of a hint when the call names no tool."""

ONE_OF: Final = "one of: {names}"
"""Replaces {names} in a sentence when there are more to choose from than it lists."""

MORE: Final = " ({left} more)"
"""Behind the issues that a hint has: how many it leaves out."""

DID_YOU_MEAN: Final = 'Did you mean "{meant}"?'
"""Proposes the tool, field or value that was probably meant."""

ASK: Final = "If the answer is not known, ask: {question}"
"""Tells the model to ask the user when it does not know the answer."""

EXAMPLE: Final = "For example: {example}"
"""Shows the model an example of the call."""

HOW_MANY_BLOCKS: Final = "Expected one ```json code block, found {count}"
"""The error of a text that should have exactly one block, with the number that it has."""

RETURNED: Final = "What it returned: {result}"
"""Shows the result that a handler returned although its output schema refuses it."""

WHICH_TOOL: Final = "Which tool is to be called?"
"""The clarifying question about a call that names no tool."""

WHICH_VALUES: Final = "What should be given for: {fields}?"
"""The clarifying question about a call whose fields are missing or wrong."""


def sentence(key: str, /, **gaps: object) -> str:
    """Return the sentence of a code, or of one of its variants, with its gaps filled."""
    return SENTENCES[key].format(**gaps)


def code_of(key: str) -> str:
    """Return the issue code that a key of `SENTENCES` belongs to."""
    return key.partition(".")[0]
