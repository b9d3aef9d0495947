"""What is said stands in one place, a sentence for every code, and no code elsewhere writes or reads one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

from stream_guard import CODES
from stream_guard.tools.lessons.catalogue import LESSON_RULES
from stream_guard.tools.lessons.wording import SENTENCES as OF_LESSONS
from stream_guard.values import wording
from stream_guard.values.wording import ADVICE, RULES, SENTENCES, TO_THE_MODEL, WORDED_ELSEWHERE, code_of, sentence

ROOT = Path(wording.__file__).parents[1]

NOT_OF_ISSUES = {
    "codegen": "texts of the generated modules",
    "command": "what the command line prints",
    "guard.py": "why the guard of native calls lacks some settings, for whoever adds one",
    "elsewhere.py": "the message of an exception",
    "judge/settings.py": "the message of an exception",
    "judge/unfit.py": "what is wrong with a corrector or an approval, for whoever makes a guard",
    "correct/prompt.py": "the prompt of a corrector",
    "dialects": "the page of dialects",
    "grammars": "what a format of a grammar cannot express, for whoever exports one",
    "fixes": "the catalogue of fixes has its own sentences, and the rest are words to recognise",
    "scan/states.py": "names in a diagram",
    "schema/items.py": "words of several languages",
    "schema/lookalikes.py": "words of a language",
    "schema/words.py": "words of a language",
    "stream/source.py": "the message of an exception",
    "stream/turn.py": "the message of an exception",
    "tools/files.py": "descriptions of tools, which are the tools' own",
    "tools/lessons/__init__.py": "descriptions of tools, which are the tools' own",
    "tools/lessons/catalogue.py": "the page of rules",
    "tools/lessons/html.py": "what is wrong with markup, as a parser names it",
    "tools/lessons/mending.py": "the catalogue of what is mended",
    "tools/lessons/names.py": "the names of fields, with reasons",
    "tools/lessons/answers.py": "words to recognise",
    "tools/lessons/reading.py": "words to recognise",
    "tools/lessons/result.py": "the answer that the lessons' own specification asks for",
    "tools/lessons/service.py": "descriptions of tools, which are the tools' own",
    "tools/lessons/wording.py": "the sentences of lessons",
    "toolset/sources.py": "what no tool can be made of, for whoever gives it",
    "toolset/tool.py": "the representation of a tool",
    "toolset/listings.py": "what a model is told of its tools",
    "toolset/outline.py": "what a model is told of its tools",
    "values/codes.py": "the page of codes",
    "values/events.py": "the message of an exception",
    "tools/lessons/examples.py": "lessons",
    "values/given.py": "what is wrong with an argument, for whoever gives it",
    "values/wording.py": "the sentences",
    "wire.py": "the message of an exception",
}
"""Where texts stand that say nothing of a call that failed."""

SENTENCE = re.compile(r"[A-Za-z]+ [a-z]+ [a-z]+")


PHRASE = re.compile(r"(?:\A|[ (])[a-z]{3,}(?=[ ):,]|\Z)")
"""A word around a gap: two such words are a sentence to whoever reads them."""

SHORT = {
    "form {}": "the name of a form, which sentences quote",
    "stream_guard {}": "the name of a task",
    "before {}": "what a rule of lessons expects, as a value",
    "{} (line {}, column {})": "what `str` shows of an issue",
    "def make({}):": "code",
}
"""Texts with a gap that say nothing of a call that failed."""


def texts(path: Path, *, gaps: bool = False) -> Iterator[str]:
    """The texts of a module that users may read: no docstrings, no texts of exceptions and logs, none that is only compared.

    `gaps`: those that the code fills, whole, and with `{}` for what it puts in.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    passed = set()
    for node in ast.walk(tree):
        document = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
        read = called.startswith(("log.", "re.")) or called.endswith(".startswith") or isinstance(node, ast.Compare)
        if document or read or isinstance(node, ast.Raise | ast.Assert):
            passed |= {id(inner) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if id(node) in passed:
            continue
        if not gaps and isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        if gaps and isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)


def test_no_sentence_stands_elsewhere() -> None:
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if name not in NOT_OF_ISSUES and name.split("/")[0] not in NOT_OF_ISSUES:
            found += [(name, text) for text in texts(path) if SENTENCE.search(text)]
    assert found == [("correct/correcting.py", "no tool is named")]  # a value of `Attempt.reason`, and documented as one


def test_no_words_around_a_gap_stand_elsewhere() -> None:
    """Users read them too, although they are shorter than a sentence. Patterns do not count."""
    found = set()
    for path in sorted(ROOT.rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if name not in NOT_OF_ISSUES and name.split("/")[0] not in NOT_OF_ISSUES:
            said = [text for text in texts(path, gaps=True) if not set(text) & set("\\[|<")]
            found |= {(name, text) for text in said if PHRASE.search(text) and text not in SHORT}
    assert found == set()


def test_nothing_reads_a_sentence_to_find_out_what_is_wrong() -> None:
    """A text that is looked for in a message, at its beginning or as all of it."""
    known = {*SENTENCES.values(), *RULES.values(), *ADVICE.values(), *OF_LESSONS.values()}
    openings = {text.partition("{")[0].strip() for text in known if len(text.partition("{")[0].split()) > 1}
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            reads = isinstance(node, ast.Compare) or (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in ("startswith", "endswith", "find")
            )
            if reads:
                for part in ast.walk(node):
                    assert not (isinstance(part, ast.Constant) and part.value in openings), (path, part.lineno)


def test_every_code_has_a_sentence_and_every_sentence_a_code() -> None:
    any_code = {"private"}  # what is said of a field whose value nobody is to see, whatever is wrong with it
    assert {code_of(key) for key in SENTENCES} - any_code == CODES.keys() - WORDED_ELSEWHERE
    assert {code_of(key) for key in RULES if "." in key} <= RULES.keys()


CORRECTABLE = {
    "content", "control_character", "correction_refused", "duplicate_key", "empty_block", "empty_path", "guard_error",
    "invalid_escape", "invalid_tool", "lone_surrogate", "missing_fence", "missing_tool", "not_a_number", "not_an_object",
    "not_approved", "number_range", "oversize", "path_absolute", "path_control", "path_drive", "path_nul", "path_parent",
    "path_placeholder", "path_unc", "rejected", "repetition", "required", "schema", "several_calls", "syntax", "text_in_opener",
    "too_complex", "too_deep", "too_many_values", "trailing_garbage", "truncated", "type", "unknown_field", "unterminated",
}  # fmt: skip
"""The codes of issues beside which a corrector may be asked, as far as the code alone decides it."""


def test_each_code_says_whether_the_block_may_have_two_meanings() -> None:
    """With `two_readings` no corrector is asked. It is the flag that a new row forgets without any other test."""
    assert {code for code, row in CODES.items() if not row.two_readings} == CORRECTABLE


def test_every_rule_of_a_lesson_that_no_schema_has_has_a_sentence() -> None:
    rules = {rule.constraint for rule in LESSON_RULES}
    assert OF_LESSONS.keys() - rules == {"reachable", "left_out"}  # asked of the web on request; and of what mending left out


@pytest.mark.parametrize("key", SENTENCES)
def test_a_sentence_is_one_line_without_an_end(key: str) -> None:
    gaps = [name for _, name, _, _ in Formatter().parse(SENTENCES[key]) if name is not None]
    said = sentence(key, **dict.fromkeys(gaps, "{x}"))  # what fills a gap is not read for gaps again
    assert said.count("{x}") == len(gaps)
    assert "\n" not in said
    assert not said.endswith(".")


def test_no_hint_speaks_of_the_library() -> None:
    """A model cannot call a guard: where a sentence tells the developer to, the hint has another one."""
    said = [text for key, text in SENTENCES.items() if code_of(key) not in TO_THE_MODEL]
    for text in (*said, *ADVICE.values(), *RULES.values(), *TO_THE_MODEL.values()):
        assert re.search(r"\bGuard\b|`\w+\.\w+`|\w\(\)", text) is None, text
    assert TO_THE_MODEL.keys() <= CODES.keys()
