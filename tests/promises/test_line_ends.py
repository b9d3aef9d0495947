"""A mark that ends or begins lines of code stands in a sentence and in a command too: no wrap beside one runs.

The sentences, commands and marks are drawn. Beside them stand lines of code with the same marks: those run.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any, Final

import pytest

from stream_guard import Guard, Tool, Toolset
from tests.kit.proof import Cases

S: Final[Any] = {"type": "string"}


def _tool(name: str, *fields: str) -> Tool:
    schema = {"properties": dict.fromkeys(fields, S), "required": list(fields), "additionalProperties": False}
    return Tool(name, "", {"type": "object", **schema})


GUARD: Final = Guard(Toolset(_tool("save", "content"), _tool("run_command", "command"), _tool("mail", "title", "body")))
FORMS: Final = {
    "content": '{"tool": "save", "content": "%s"}',
    "command": '{"tool": "run_command", "command": "%s"}',
    "body": '{\n  "tool": "mail",\n  "title": "t",\n  "body": "%s"\n}',
}
NAMES: Final = ("id", "order_id", "customer", "NS", "DIR", "user.name", "date")
INLINE: Final = ("b", "i", "em", "strong", "a", "span", "code", "sup")
WORDS: Final = sorted(
    {"we", "wrote", "that", "our", "old", "shop", "will", "be", "open", "again", "soon", "they", "asked", "its", "price"}
)


def _placeholder(dice: Random) -> str:
    name = dice.choice(NAMES)
    return dice.choice(("{%s}", "${%s}", "{{%s}}", "{{ %s }}", "${%s}/{a,b}", "#{%s}", "<%s>", "x-{%s}")) % name


def _element(dice: Random) -> str:
    tag, word = dice.choice(INLINE), dice.choice(WORDS)
    return dice.choice((f"<{tag}>{word}</{tag}>", f"<{tag} class='x'>{word} {word}</{tag}>"))


def _marked(dice: Random) -> str:
    """A few words, the last of which has a mark at its end."""
    words = " ".join(dice.choices(WORDS, k=dice.randint(1, 5)))
    return f"{words} {dice.choice((_placeholder, _element))(dice)}"


def _goes_on(dice: Random) -> str:
    """A few words, the first of which has a mark at its beginning."""
    words = " ".join(dice.choices(WORDS, k=dice.randint(1, 5)))
    number = dice.randint(1, 99)
    return dice.choice(
        (f"{_element(dice)} {words}", f"# {number} {words}", f"@{dice.choice(NAMES)}", f"| {words} | wc -l", f"/* {words}")
    )


@pytest.mark.promise("P7")
def test_no_wrap_beside_a_mark_in_a_sentence_runs(cases: Cases) -> None:
    dice = Random(1)
    wrong = []
    for _ in range(500):
        words = " ".join(dice.choices(WORDS, k=dice.randint(2, 5)))
        text = dice.choice((
            f"{_marked(dice)}\n{words}", f"{words}\n{_goes_on(dice)}", f"{words};\n{words}", f"<p>{_marked(dice)}\n{words}</p>",
            f"<p>{words}\n{_element(dice)}.</p>",
        ))  # fmt: skip
        for form in FORMS.values():
            body = form % json.dumps(text)[1:-1].replace("\\n", "\n")
            if GUARD.check(body).executable:
                wrong.append(body)
            cases(1)
    assert not wrong, (len(wrong), *wrong[:12])


OF_CODE: Final = (
    "x = f(1);\nreturn x;", "a { color: red }\nb { color: blue }", "}\nfunction f() {", "if (x) { y(); }\nz();",
    "<p>One</p>\nand two", "<ul>\n<li>a</li>", "#include <stdio.h>\nint x;", "x = 1\n# the next", "# One\n# two",
    "name: string;\nprice: number;", "<title>a</title>\n<link href='b'>", "@first\n@second", "break;\ncase 2:",
    "<!-- a -->\n<div>", "Text:\n| a | b |",
    "type A = { a, b }\ntype B = { c }", "x();\n/* the next */",
)  # fmt: skip


@pytest.mark.promise("P8")
@pytest.mark.parametrize("text", OF_CODE)
def test_a_mark_ends_and_begins_lines_of_code(text: str) -> None:
    for field in ("content", "body"):
        block = GUARD.check(FORMS[field] % json.dumps(text)[1:-1].replace("\\n", "\n"))
        assert block.executable and block.arguments is not None and block.arguments[field] == text, field
