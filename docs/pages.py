"""The text of each printed page."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from stream_guard import CODES, Guard, Limits, RetryHint, Tool, Toolset, build_hint
from stream_guard.fixes.catalogue import CATALOGUE
from stream_guard.tools.files import FILE_TOOLS
from stream_guard.tools.lessons.catalogue import LESSON_RULES
from stream_guard.toolset.arguments import check_arguments, schema_issues, which_tool
from stream_guard.toolset.hints import tool_failed

LEVELS: Final = {
    0: "The block as it came through the stream",
    1: "Level 1: is it JSON, strictly?",
    2: "Level 2: which tool is it?",
    3: "Level 3: the tool's schema and rules",
}

EXAMPLES: Final[Mapping[str, tuple[Any, Any]]] = {
    "required": ({"properties": {"n": {"type": "string", "description": "The guest's name"}}, "required": ["n"]}, ...),
    "type": ({"properties": {"n": {"type": "integer"}}}, "two"),
    "enum": ({"properties": {"n": {"enum": ["monday", "tuesday"]}}}, "mondy"),
    "const": ({"properties": {"n": {"const": 2}}}, 1),
    "pattern": ({"properties": {"n": {"type": "string", "pattern": "^[A-Z]{3}$"}}}, "abc"),
    "format": ({"properties": {"n": {"type": "string", "format": "date"}}}, "tomorrow"),
    "minimum": ({"properties": {"n": {"minimum": 1}}}, 0),
    "maximum": ({"properties": {"n": {"maximum": 8}}}, 9),
    "exclusiveMinimum": ({"properties": {"n": {"exclusiveMinimum": 0}}}, 0),
    "exclusiveMaximum": ({"properties": {"n": {"exclusiveMaximum": 1}}}, 1),
    "multipleOf": ({"properties": {"n": {"multipleOf": 5}}}, 7),
    "minLength": ({"properties": {"n": {"minLength": 2}}}, "x"),
    "maxLength": ({"properties": {"n": {"maxLength": 3}}}, "xxxx"),
    "minItems": ({"properties": {"n": {"minItems": 1}}}, []),
    "maxItems": ({"properties": {"n": {"maxItems": 1}}}, [1, 2]),
    "uniqueItems": ({"properties": {"n": {"uniqueItems": True}}}, [1, 1]),
    "contains": ({"properties": {"n": {"contains": {"const": "yes"}}}}, ["no"]),
    "unevaluatedItems": ({"properties": {"n": {"prefixItems": [{}], "unevaluatedItems": False}}}, [1, 2]),
    "additionalItems": (
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "properties": {"n": {"items": [{}], "additionalItems": False}},
        },
        [1, 2],
    ),
    "minProperties": ({"properties": {"n": {"minProperties": 1}}}, {}),
    "maxProperties": ({"properties": {"n": {"maxProperties": 1}}}, {"a": 1, "b": 2}),
    "propertyNames": ({"properties": {"n": {"propertyNames": {"maxLength": 2}}}}, {"abc": 1}),
    "additionalProperties": ({"properties": {"number": {}}, "additionalProperties": False}, 1),
    "unevaluatedProperties": ({"properties": {"number": {}}, "unevaluatedProperties": False}, 1),
    "falseSchema": ({"properties": {"n": False}}, 1),
    "not": ({"properties": {"n": {"not": {"const": 0}}}}, 0),
    "anyOf": ({"properties": {"n": {"anyOf": [{"required": ["mail"]}, {"required": ["phone"]}]}}}, {}),
    "oneOf": ({"properties": {"n": {"oneOf": [{"minimum": 1}, {"minimum": 2}]}}}, 3),
}
"""A schema for each rule, and a value of `n` that breaks it; `...` is none."""


def issues_page() -> str:
    """The table of issue codes."""
    parts = [
        "# Issues",
        "Printed from `stream_guard.CODES` by `python -m docs`; do not edit.",
        _paragraph(
            "What is wrong with a block is a list of `ValidationIssue`: its `code` is one of these, its",
            "`constraint` is the broken rule in JSON Schema's word, `expected` and `got` are data, `field` is",
            "dotted, `pointer` is the same as a JSON pointer, and `line`, `column` and `offset` are those of the",
            "value in the text. A level is looked at only when the one before it found nothing.",
        ),
    ]
    for level, title in LEVELS.items():
        parts.append(f"## {title}")
        for code, row in CODES.items():
            if row.level == level:
                parts.append(f"### `{code}`")
                parts.append(f"{row.finds} {row.why}")
                parts.append(f"Bad:\n\n{_code(row.bad or ' ')}\n\nGood:\n\n{_code(row.good)}")
    return "\n\n".join(parts) + "\n"


def hints_page() -> str:
    """One hint for each rule, and one for each other reason."""
    parts = [
        "# Hints",
        "Printed by `python -m docs`; do not edit.",
        _paragraph(
            "`build_hint(error, tool)` makes one `RetryHint` of whatever refused a call: issues, an error with an",
            "`issues()` method, an error of pydantic, jsonschema, jsonschema-rs, msgspec or a JSON parser, or any",
            "text. It speaks of three fields and lists five values at most. `hint.for_person()` is one line,",
            "`hint.for_model()` is what stands in the boxes here, `to_openai`, `to_anthropic` and `to_mcp` are",
            "the answer in the provider's own shape, and `to_json()` is the hint as data. Placeholders in an",
            "example are never values that would do: copied as they stand, they fail again.",
        ),
        _paragraph(
            "What a model wrote is data in all of them. A tool's or a field's name is cut to 60 characters, what",
            "is not to be seen in it (line ends, controls, marks of direction) is escaped, and what is no plain",
            "name stands in quotes; so no line of `for_model()` begins with anything but the hint's own words.",
        ),
        "## One for each rule of a schema",
    ]
    for rule, (schema, value) in EXAMPLES.items():
        shown = {} if value is ... else {"n": value}
        parts += [f"### `{rule}`", f"Arguments `{json.dumps(shown)}`:", *_hint(hint_for(schema, value))]
    parts.append("## One for each other reason")
    for title, hint in _others():
        parts += [f"### {title}", *_hint(hint)]
    return "\n\n".join(parts) + "\n"


def hint_for(schema: Mapping[str, Any], value: Any) -> RetryHint | None:
    """The hint for a value of `n`."""
    tool = Tool("book", "", schema)
    arguments = {} if value is ... else {"n": value}
    return build_hint(check_arguments(tool, arguments, Limits()), tool, arguments=arguments)


def _others() -> Iterator[tuple[str, RetryHint | None]]:
    guard = Guard(FILE_TOOLS, fixes="off")
    yield "The block is not JSON", guard.check('{"tool": "write_file", "path": "a", "content": "one\ntwo"}').hint
    yield "The block was cut off", guard.check('```json\n{"tool": "write_file", "path": "a').hint
    yield "There is no such tool", build_hint([which_tool("create_file", FILE_TOOLS.names, FILE_TOOLS.near)], "create_file")
    weather = Tool("get_weather", "", {}, {"properties": {"degrees": {"type": "number"}}})
    assert weather.output is not None
    broken = schema_issues(weather.output, {"degrees": "mild"}, Limits())
    yield "The tool's result is malformed", build_hint(broken, weather, result=True)
    yield "The tool failed", tool_failed("get_weather")
    yield "Another library refused it", build_hint("the kitchen is closed on mondays", Toolset(weather).get("get_weather"))


def fixes_page() -> str:
    """The catalogue of fixes."""
    parts = [
        "# Fixes",
        "Printed from `stream_guard.fixes.catalogue` by `python -m docs`; do not edit.",
        _paragraph(
            "What a block that failed may be mended by, without a model. Nothing runs on a block that is valid,",
            "that was cut off, or whose end is uncertain. What comes out is parsed and validated again like any",
            "other block, and every change is in `block.fixes`. `Guard(fixes=...)` says how much may be assumed:",
            "`lossless` (every reader would take the same value from it), `likely` (another reading exists, and",
            "is far-fetched; the default), `spec` (an empty text for a missing one, a tool that nobody named; such a",
            "block passes, and runs only with `run_invented=True`) or `off`.",
            '`Guard(mode="shadow")` changes nothing and tells what would have been changed.',
        ),
        _paragraph(
            "Behind all of them stands one gate: the tool's schema, no unknown field dropped from what was not",
            "JSON, every string found letter by letter in the block, and no word of the block left over. Of",
            "several ways to read a block the cheapest counts; two of the same cost are ambiguous, and then the",
            "block fails.",
        ),
        _paragraph(
            "No structure of the block becomes text. The quotes of a text come in pairs around words; what stands",
            "between two strings of a block (a comma, a colon, a comment, a joiner, a known field) is text only",
            "inside brackets that open and close in the same text, and a field that the tools know never is.",
            "A comment, prose around the object, and a remark among its members are passed over only if they are",
            "made of harmless words: `here is the call`, `ok`, the tool's own name. A number, another name, a word",
            "of any other kind or language: then nothing runs. A body that stops lacks one brace at most, and that",
            "only in a fence that closes. A tool that takes something away (`Risk.DESTRUCTIVE`, and any tool that came in a",
            "listing and declares no risk) takes no change of what its values say, and no prose beside it.",
        ),
    ]
    for name, fix in CATALOGUE.items():
        parts.append(f"## `{name}`")
        parts.append(f"{fix.what}. {fix.why} ({fix.type}, {fix.safety.name}, confidence {fix.confidence})")
        parts.append(f"{_code(fix.before)}\n\nbecomes\n\n{_code(fix.after)}")
        parts.append(f"Not done when: {fix.unless}" if fix.unless != "Never." else "Always safe.")
    return "\n\n".join(parts) + "\n"


def _hint(hint: RetryHint | None) -> Iterator[str]:
    assert hint is not None
    yield f"`{hint.reason}`, `{hint.recovery}`"
    yield f"```text\n{hint.for_model()}\n```"


def _paragraph(*lines: str) -> str:
    return textwrap.fill(" ".join(lines), 130)


def _code(text: str) -> str:
    """A text in a fence that it cannot close."""
    fence = "`" * max(3, 1 + max((len(run) for run in _runs(text)), default=0))
    return f"{fence}text\n{text}\n{fence}"


def _runs(text: str) -> Iterator[str]:
    run = ""
    for char in text + " ":
        if char == "`":
            run += char
        elif run:
            yield run
            run = ""


def lessons_page() -> str:
    """Every rule of a lesson."""
    errors = sum(rule.severity == "error" for rule in LESSON_RULES)
    lines = [
        "# Lessons",
        "",
        "`validate_lesson_data(lesson)` checks a lesson of widgets, mends what can be mended, and answers as its specification",
        "says. It is in `stream_guard.tools.lessons`, which needs `stream-guard-llm[lessons]`. In a stream that is guarded",
        "with `LESSON_TOOLS` a block that calls it goes the same way; `stream-guard mcp` serves it to models; for people there",
        "is the command line (`--urls` asks the addresses too, which needs `stream-guard-llm[proxy]`):",
        "",
        "    stream-guard lesson check lessons/*.json          # what was mended, what is wrong and where; or --json",
        "    stream-guard lesson check a.json --fix -o b.json  # the mended lesson",
        "",
        f"A lesson is checked against {len(LESSON_RULES)} rules. {errors} are errors; the others are advice.",
        "This page is printed from them (`stream_guard/tools/lessons/catalogue.py`), and every example on it is run by a test.",
    ]
    for where in dict.fromkeys(rule.where for rule in LESSON_RULES):
        lines += ["", f"## {where}", "", "| rule | why | bad | good |", "|---|---|---|---|"]
        for rule in LESSON_RULES:
            if rule.where == where:
                name = rule.id.removeprefix(f"{where}.") + (" (advice)" if rule.severity == "warning" else "")
                bad, good = (_cell(part, rule.path) for part in (rule.bad, rule.good))
                lines.append(f"| `{name}` | {rule.reason} | {bad} | {good} |")
    return "\n".join(lines) + "\n"


def _cell(part: Any, path: tuple[str, ...]) -> str:
    """What stands at a path, as far as a cell has room for it."""
    for step in path:
        try:
            part = part[-1 if step == "[]" and isinstance(part[0], dict) and "type" in part[0] else 0 if step == "[]" else step]
        except (KeyError, IndexError, TypeError):
            return "nothing"
    if isinstance(part, list):
        kinds = [item["type"] for item in part if isinstance(item, dict) and "type" in item]
        part = kinds or part
    text = json.dumps(part, ensure_ascii=False).replace("|", "\\|")
    return f"`{text if len(text) <= 60 else text[:57] + '...'}`"


PAGES: Final[Mapping[str, Callable[[], str]]] = {
    "fixes.md": fixes_page,
    "hints.md": hints_page,
    "issues.md": issues_page,
    "lessons.md": lessons_page,
}
"""Each page, and who prints it."""
