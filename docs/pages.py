"""The text of each printed page."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, get_args

from stream_guard import CODES, Guard, Limits, RetryHint, Risk, Tool, Toolset, build_hint
from stream_guard.fixes.catalogue import CATALOGUE
from stream_guard.fixes.check import Check
from stream_guard.fixes.checks import CHECKS
from stream_guard.fixes.line_breaks import LINE_CHECKS
from stream_guard.tools.files import FILE_TOOLS
from stream_guard.tools.lessons.catalogue import LESSON_RULES
from stream_guard.tools.lessons.names import NAMES
from stream_guard.toolset.arguments import check_arguments, schema_issues, which_tool
from stream_guard.toolset.hints import tool_failed
from stream_guard.values.fix import Fixes

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
    """Return the page of issue codes."""
    parts = [
        "# Issues",
        "Printed from `stream_guard.CODES` by `python -m docs`; do not edit.",
        _paragraph(
            "A block that fails has a list of `ValidationIssue` objects. `code` is one of the codes below, `constraint` is the",
            "broken rule as a JSON Schema keyword, `expected` and `got` are data, `field` is the dotted path and `pointer` the",
            "JSON pointer of the value, and `line`, `column` and `offset` are its position in the text. The levels are checked",
            "in order, and a level is left out where an issue of the one before makes it meaningless: in text that is not JSON",
            "no tool is looked up, and for an unknown tool no argument is checked but a path, where every tool requires one.",
        ),
        _paragraph(
            f"A block with {' or '.join(f'`{code}`' for code, row in CODES.items() if row.two_readings)} says two things. No",
            "model is asked for a correction of it: the answer would choose between them.",
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
    """Return the page of hints: one for each rule, and one for each other reason."""
    parts = [
        "# Hints",
        "Printed by `python -m docs`; do not edit.",
        _paragraph(
            "`build_hint(error, tool)` returns a `RetryHint` for issues, for an error with an `issues()` method, for a list",
            "of objects with a field and a constraint (as `Issues()` of Go returns, also as JSON), for an error of pydantic,",
            "jsonschema, jsonschema-rs, msgspec or a JSON parser, and for any text. Bounds and formats that an error does not",
            "state are taken from the tool's schema, if it names the field. A hint names at most three",
            "fields and five values. `hint.for_model()` is the text in the boxes below, `hint.for_person()` is one line,",
            "`to_openai`, `to_anthropic` and `to_mcp` return the answer in a provider's format, and `to_json()` returns the",
            "hint as data. The placeholders in an example are never valid values: a copied placeholder fails again.",
        ),
        _paragraph(
            "Text that a model wrote is quoted as data. Names of tools and fields are cut to 60 characters, invisible",
            "characters (line ends, controls, direction marks) are escaped, and names that are not plain words are quoted. No",
            "line of `for_model()` begins with text of the model.",
        ),
        "## Rules of a schema",
    ]
    for rule, (schema, value) in EXAMPLES.items():
        shown = {} if value is ... else {"n": value}
        parts += [f"### `{rule}`", f"Arguments `{json.dumps(shown)}`:", *_hint(hint_for(schema, value))]
    parts.append("## Other reasons")
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
    """Return the page of fixes."""
    parts = [
        "# Fixes",
        "Printed from `stream_guard.fixes.catalogue` by `python -m docs`; do not edit.",
        _paragraph(
            "The changes that the guard makes to a block that failed, without a model. No fix is made to a block that is",
            "valid, that was cut off, or whose end is uncertain. The result is parsed and validated like any other block, and",
            "every change is recorded in `block.fixes`. `Guard(fixes=...)` sets how much a fix may assume: `lossless` (every",
            "reader would take the same value from the block), `likely` (another reading exists, and is improbable; the",
            "default), `spec` (an empty string for a missing one, and a tool that was not named; such a block passes, and is",
            'executable only with `run_invented=True`) or `off`. `Guard(mode="shadow")` changes nothing and reports what would',
            "have been changed.",
        ),
        _paragraph(
            "Every result must fit the tool's schema, every string in it must occur letter by letter in the block, no unknown",
            "field may be dropped from a block that was not JSON, and no word of the block may be left over. Of several ways",
            "to read a block the one with the least cost counts. If two have the same cost, the block is ambiguous and fails.",
        ),
        _paragraph(
            "The structure of a block never becomes text. The quotes inside a string must come in pairs around words; what",
            "stands between two strings of a block (a comma, a colon, a comment, a joiner, a known field) is text only inside",
            "brackets that open and close in the same string, and a field of a tool never is. A comment, prose around the",
            "object, and a remark among its members are accepted only if they consist of harmless words: `here is the call`,",
            "`ok`, the tool's own name. If they contain a number, another name, or a word of any other kind or language,",
            "nothing is executable. A body that ends early may lack one brace at most, and only in a fence that is closed.",
            "For a destructive tool (`Risk.DESTRUCTIVE`, and any tool from a listing that declares no risk) no fix may change",
            "what a value says, and prose beside the call is not accepted.",
        ),
        _paragraph(
            "No check sees a loss without a trace. If an optional member is lost from one comma to the next, the rest is JSON.",
            "If a comma or the next key's quote is lost with the member, the block looks as if only that mark were missing:",
            '`"lines": [] "message": "m"` and `"lines": [], message": "m"` run without the member that stood before `message`.',
        ),
        _paragraph(
            "What a layer between the model and the guard did to a text stays there. A block that needs a fix is refused if a",
            "text shows such a layer: an item with what stands between two (`a&quot;, &quot;b`), code with typographic quotes",
            "(`print(“hi”)`, `{“a”: 1}`, `content: “x”;`, in `command` also `echo “a”`), a pair of quotes of which one is",
            'typographic (`"fix”`). So is one with a path that has one backslash (`C:\\temp`), and one with commas for points',
            "in a list of numbers (`[0,5, 1,5]`).",
        ),
        _paragraph(
            "A program that replaces marks replaces all of them, in texts too. So a block is refused if every mark of a kind",
            "is another one, and a text has that one where the mark may have stood: `'` for `\"`, `=>` or `=` for a colon",
            "behind a quote, `[` for `{`, `¥` for a backslash.",
        ),
        *_levels(),
        *_checks(),
    ]
    for name, fix in CATALOGUE.items():
        parts.append(f"## `{name}`")
        parts.append(f"{fix.what}. {fix.why} ({fix.type}, {fix.safety.name}, confidence {fix.confidence})")
        parts.append(f"{_code(fix.before)}\n\nbecomes\n\n{_code(fix.after)}")
        parts.append(_reasons(fix.unless) if fix.unless else "Always safe.")
    return "\n\n".join(parts) + "\n"


def _reasons(unless: Iterable[str]) -> str:
    """Return the reasons not to fix something as a list."""
    return "**Not fixed** if one of these holds:\n\n" + "\n".join(f"- {reason}" for reason in unless)


_CASES: Final = (
    (
        "a tool that pays, sends or deletes",
        "`Risk.DESTRUCTIVE` for the tool, with any level",
        "No fix changes what a value says, whatever the level: only how the call is written is mended, such as other quotes or",
        "a comma too many after a call that is whole. All else fails with a hint, so that the model sends the call again.",
        "Take `lossless` if all your tools are such",
    ),
    (
        "a tool that writes files or notes, where a change is seen and undone",
        "`likely` with `Risk.WRITE`: both are the default",
        "Most blocks with code in them need it: raw line breaks, quotes that are not escaped, a name that is spelt otherwise",
    ),
    (
        "an audit of what models get wrong, before you rely on a level",
        '`mode="shadow"`, with the level that you try',
        "Nothing is changed. A broken block fails as it would without fixes, and `block.fixes` has what would have been done",
    ),
    (
        "a form in which a person completes what the model left out",
        "`spec`",
        "An empty text stands for a missing one, and the only tool that fits for one that was not named. The block passes and",
        "is `corrected`, and does not run: its `outcome` is `failed`, and its `hint` names what was put in. It runs with",
        "`run_invented=True`",
    ),
    (
        "a client that repairs calls itself, or takes valid ones only",
        "`off`",
        "Blocks are validated, and those that fail have a hint",
    ),
)
"""Cases for each level: who has it, the setting, and why."""

_TRIED: Final = (
    ("a comma too many", '{"tool": "note", "text": "a", "days": 3,}'),
    ("a number in quotes", '{"tool": "note", "text": "a", "days": "3"}'),
    ("a text that is missing", '{"tool": "note", "days": 3}'),
)
"""Blocks on which the levels differ."""


def _levels() -> Iterator[str]:
    """Yield the section on which level to choose; its second table is what becomes of real blocks."""
    yield "## Which level? How to choose `fixes`"
    yield _paragraph(
        "Keep the default, `likely`, and give each tool its [risk](tools.md). The level is a setting of the guard, for all",
        "tools: it says how much a fix may assume. The risk of a tool limits that further, for this tool. Whatever the level,",
        "only a block that is `executable` may run.",
    )
    yield "\n".join(
        [
            "| your case | setting | why |",
            "|---|---|---|",
            *(f"| {who} | {level} | {' '.join(why)} |" for who, level, *why in _CASES),
        ]
    )
    yield "What becomes of a block, by the risk of its tool:"
    note = {
        "type": "object",
        "required": ["text"],
        "properties": {"text": {"type": "string"}, "days": {"type": "integer"}},
        "additionalProperties": False,
    }
    levels: tuple[Fixes, ...] = get_args(Fixes)
    rows = [f"| the block has | risk | {' | '.join(f'`{level}`' for level in levels)} |", "|---|---|---|---|---|---|"]
    for name, body in _TRIED:
        for risk in (Risk.WRITE, Risk.DESTRUCTIVE):
            tools = Toolset(Tool("note", "Keep a note.", note, risk=risk))
            blocks = [Guard(tools, fixes=level).check(body) for level in levels]
            shown = [
                "failed (passed, not run)" if block.validation_passed > block.executable else block.outcome for block in blocks
            ]
            rows.append(f"| {name} | `{risk.name}` | {' | '.join(shown)} |")
    yield "\n".join(rows)


def _checks() -> Iterator[str]:
    """Yield the section on the checks that refuse a block after it was mended."""
    yield "## Why is a block not mended, although each fix is in order?"
    yield _paragraph(
        "Each fix below says when it is not done. After that, the calls that came out are checked together, with all that was",
        "changed in the block. If one of these checks applies, no call of the block is mended, and the block fails as it was",
        "written. The first that applies is told by the logger `stream_guard`, at the level `DEBUG`: its name and the sentence",
        "here, and nothing of the block.",
    )
    yield _table_of("what the block may mean or lack", CHECKS)
    yield _paragraph(
        "A raw line break in a text is [mended](#control_character) only if its writer meant it. So the first of these checks",
        "that applies refuses the body; the log tells it in the same way.",
    )
    yield _table_of("what the line break may be", LINE_CHECKS)


def _table_of(what: str, checks: Iterable[Check[Any]]) -> str:
    return "\n".join([f"| check | {what} |", "|---|---|", *(f"| `{it.name}` | {it.why} |" for it in checks)])


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


LESSON_FIXES = """\
What is fixed, always on record:

- **Names.** A field, a widget's type and the lesson itself may have other names ([Names](#names)), in any case, with
  or without accents, in the singular or the plural, in English or Portuguese. Two names that are equally good and
  hold two values are not guessed between.
- **Forms.** JSON in a text; a lesson inside `lesson`; the content of a widget beside its type; one item for a list;
  items as a mapping, pairs or texts; an address in an `<iframe>`, a tag, a Markdown link or an object.
- **Right answers.** By text, letter, id, number, or as true or false. A number counts from 0 or 1 as its field's name
  states, or as all questions of the quiz allow; where both are possible, the lesson is refused.
- **Optional values** in another form are converted where their meaning is plain: `"1h30"`, `"azul claro"`, `"sim"`; a number
  of attempts that is out of range becomes the nearest one allowed. What cannot be converted is left out, with a warning, and
  so is a negative number of attempts, which often means any number. They never refuse a lesson, with one exception: of more
  than six learning objectives, nobody but the author knows which to keep.
- **The head.** One without a category is named after the subject, or else the topic. A head is added only where there
  is a subject.
- **HTML.** Scripts, event handlers and dangerous addresses are removed, tags are closed, and `class` and `style` are
  kept unless the style loads something or covers the page.

Fields that no widget has are kept as they are, except for markup that could run, and for an `image` or another address
that is empty.""".splitlines()


def lessons_page() -> str:
    """Return the page of lesson rules."""
    errors = sum(rule.severity == "error" for rule in LESSON_RULES)
    lines = [
        "# Lessons",
        "",
        "`validate_lesson_data(lesson)` validates a lesson made of widgets, fixes what can be fixed, and returns the result in",
        "the format of its specification. It is in `stream_guard.tools.lessons`, which needs `stream-guard-llm[lessons]`. A",
        "guard with the toolset `LESSON_TOOLS` treats blocks with lessons the same way, and `stream-guard mcp` serves the tool",
        "to MCP clients. On the command line (`--urls` also requests the URLs in a lesson, which needs",
        "`stream-guard-llm[proxy]`):",
        "",
        "    stream-guard lesson check lessons/*.json          # prints fixes and issues; or --json",
        "    stream-guard lesson check a.json --fix -o b.json  # writes the fixed lesson",
        "",
        f"A lesson is checked against {len(LESSON_RULES)} rules. {errors} are errors; the others are advice, which is in",
        "`validationSummary` and `validationChecks` in words. This page is printed from `stream_guard/tools/lessons`",
        "(`shapes.py` has what a schema can say, `rules.py` the other rules), and tests run every example and every name.",
        "",
        *LESSON_FIXES,
    ]
    for where in dict.fromkeys(rule.where for rule in LESSON_RULES):
        lines += ["", f"## {where}", "", "| rule | why | bad | good |", "|---|---|---|---|"]
        for rule in LESSON_RULES:
            if rule.where == where:
                name = rule.id.removeprefix(f"{where}.") + (" (advice)" if rule.severity == "warning" else "")
                bad, good = (_cell(part, rule.path) for part in (rule.bad, rule.good))
                lines.append(f"| `{name}` | {rule.reason} | {bad} | {good} |")
    lines += ["", "## Names", "", "| where | field | other names, the nearest first |", "|---|---|---|"]
    for place, fields in NAMES.items():
        for field, rows in fields.items():
            lines.append(f"| {place} | `{field}` | {'; '.join(', '.join(row.words) for row in rows)} |")
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
