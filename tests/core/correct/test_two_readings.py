r"""A block that says two things runs with no answer of a corrector: neither with the block repeated, nor with another reading.

Kinds of doubt in every dialect that has them: a value of two types, blanks or an indent around a text, a marker in it, a key
that is none, lines of a file without a place or a sign, an end that may be none, a backslash that was not doubled.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from random import Random
from typing import Any, Final

import pytest

from stream_guard import CODES, CorrectionRequest, End, Guard, Tool, ToolBlock, Toolset
from stream_guard.dialects.table import Dialect
from stream_guard.dialects.tables import DIALECTS
from stream_guard.testing import FakeStream, collect
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.breadth import some
from tests.kit.proof import Cases

DOUBTS: Final = {code for code, row in CODES.items() if row.two_readings}
S: Final = {"type": "string"}


def takes(**fields: Any) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": [*fields], "additionalProperties": False}


TOOLS: Final = Toolset(
    *(FILE_TOOLS[name] for name in ("write_file", "delete_file")),
    Tool("edit_file", "", takes(path=S, search=S, replace=S)),
    Tool("find", "", takes(id={"type": ["string", "integer"]})),
    Tool("go", "", takes(to={**S, "pattern": "^[a-z.]+$"})),
)
EDITS: Final = 10
"""The edits that are drawn in each dialect."""

CALLS: Final[list[tuple[str, dict[str, Any]]]] = [
    ("write_file", {"path": "a.txt", "content": "x\n"}),
    ("write_file", {"path": "a.txt", "content": "  x\n  y\n"}),
    ("write_file", {"path": "a.txt", "content": "x <"}),
    ("edit_file", {"path": "a.txt", "search": "x\n", "replace": "  y\n"}),
    ("find", {"id": "12"}),
    ("find", {"id": 12}),
    ("find", {"id": "true"}),
]
PUT_IN: Final = ("\n", "  ", "\n    ", "x", "<", "</", "<x>", "\n```\n", "*** Move to: b.py\n", "@@ def f():\n", "\\b")
FILES: Final = (
    *(f"*** Begin Patch\n*** Update File: a.py\n{lines}*** End Patch\n" for lines in (
        "*** Move to: b.py\n@@\n-x\n+y\n", "@@ def f():\n-x\n+y\n", "@@\n-x\n+y\n*** End of File\n", "@@\n+y\n",
        "@@\n-x\n\n+y\n", "@@\n-x\n+y\nz\n", "@@ class A\n@@ def f():\n-x\n+y\n", "@@\n-x\n+y\n*** Delete File: b\n",
    )),
    '<boltArtifact id="a">\n  <boltAction type="file" filePath="a">\n    x\n    y\n  </boltAction>\n</boltArtifact>\n',
    "<edit_file>\n<path>a</path>\n<search>  x</search>\n<replace>  y</replace>\n</edit_file>\n",
)  # fmt: skip


def edited(dialect: Dialect) -> Iterator[tuple[dict[str, Any] | None, str]]:
    """Yield replies: calls as they are written, and with one edit; with what was meant."""
    rng = Random(dialect.name)
    for name, arguments in CALLS:
        meant = {"tool": name, **arguments}
        try:
            text = dialect.write([(name, arguments)])
        except ValueError:  # it cannot hold that
            continue
        yield meant, text
        for _ in range(EDITS):
            at = rng.randrange(len(text))
            edit = rng.choice(PUT_IN)
            yield meant, rng.choice((f"{text[:at]}{edit}{text[at:]}", f"{text[:at]}{text[at + rng.randrange(1, 8) :]}"))


def answers(block: ToolBlock, meant: dict[str, Any] | None) -> Iterator[str | None]:
    """Yield answers: the block as it is shown (None), what was meant, and the block with each value read otherwise."""
    yield None
    calls = [meant] if meant is not None else []
    if isinstance(block.arguments, dict):
        told = block.arguments
        for field, value in told.items():
            if field != "tool" and isinstance(value, str):
                others: list[Any] = [value.strip(), f"  {value}", f"{value}\n", value.strip(" \n"), value.lstrip("\b\t\n\f\r")]
                others += [json.loads(value)] if value.isdigit() or value == "true" else []
                calls += [{**told, field: other} for other in others]
    for call in calls:
        yield f"```json\n{json.dumps(call)}\n```"


async def asked(guard: Guard, reply: str) -> list[ToolBlock]:
    return [item for item in await collect(guard.stream(FakeStream([reply, End("stop")]))) if isinstance(item, ToolBlock)]


def doubted(dialects: Any, reply: str) -> list[ToolBlock]:
    """The blocks of a reply that say two things."""
    blocks = [item for item in Guard(TOOLS, dialects=dialects).scan([reply, End("stop")]) if isinstance(item, ToolBlock)]
    return [block for block in blocks if any(issue.code in DOUBTS for issue in block.issues)]


def runs(dialects: Any, reply: str, answer: str | None, block: ToolBlock) -> bool:
    """Whether the block runs, or is asked about, with a corrector that gives this answer; None for what it was shown."""
    requests: list[CorrectionRequest] = []

    async def corrector(request: CorrectionRequest) -> str:
        requests.append(request)
        return answer if answer is not None else request.block

    blocks = asyncio.run(asked(Guard(TOOLS, dialects=dialects, corrector=corrector), reply))
    return any(found.executable for found in blocks if found.raw == block.raw) or any(
        issue.code in DOUBTS for request in requests for issue in request.issues
    )


@pytest.mark.some
@pytest.mark.promise("P8")
@pytest.mark.parametrize("name", DIALECTS)
def test_no_answer_chooses_between_the_readings_of_a_block(name: str, cases: Cases) -> None:
    tried = 0
    for meant, reply in some((*edited(DIALECTS[name]), *((None, text) for text in FILES)), 8):
        for block in doubted([name], reply)[:1]:
            for answer in some(answers(block, meant), 8):
                tried += 1
                assert not runs([name], reply, answer, block), (reply, answer)
    cases(tried)


@pytest.mark.some(8)
@pytest.mark.promise("P8")
@pytest.mark.parametrize("escape", ["\\t", "\\n", "\\f", "\\r", "\\b", "\\u0009", " \\t", "\\n\\t"])
@pytest.mark.parametrize("field", ["path", "to"])
@pytest.mark.parametrize("lost", ["", ","])
def test_no_answer_drops_an_escape_that_may_be_a_backslash(escape: str, field: str, lost: str) -> None:
    """Also where another rule is broken, or the block is not JSON."""
    call = {"path": {"tool": "delete_file"}, "to": {"tool": "go"}}[field]
    body = f'{json.dumps(call)[:-1]},{lost} "{field}": "{escape}emp.txt"}}'
    for to in ("emp.txt", "temp.txt", "t/emp.txt", "\\temp.txt"):
        text = f"```json\n{json.dumps({**call, field: to})}\n```"
        reply = f"```json\n{body}\n```\n"

        async def corrector(_: CorrectionRequest, text: str = text) -> str:
            return text

        blocks = asyncio.run(asked(Guard(TOOLS, corrector=corrector), reply))
        assert not any(block.executable and block.arguments == {**call, field: to} for block in blocks), text


OWN: Final = (
    "f('it\\'s', \\\"x\\\");\\n",
    "f(\\'a\\', `b`)",
    "say 'it\\'s'",
    "caf\\'e",
    "[\\'a\\']\\d",
    "x = \\'a\\' # it's",
)
"""Texts of a body with a backslash before an apostrophe, which code, LaTeX or a pattern may have written."""


def accepted(text: str, content: str, fault: str) -> bool:
    """Whether a block with this text, written into a body with a fault, runs with an answer that has this content."""

    async def corrector(_: CorrectionRequest) -> str:
        return json.dumps({"tool": "write_file", "path": "a.js", "content": content})

    body = f'{{"tool": "write_file"{fault} "path": "a.js", "content": "{text}"}}'
    blocks = asyncio.run(asked(Guard(TOOLS, corrector=corrector), f"```json\n{body}\n```\n"))
    return any(block.executable for block in blocks)


@pytest.mark.promise("P8")
@pytest.mark.parametrize("fault", [",", "", ",,"])
@pytest.mark.parametrize("text", OWN)
def test_no_answer_decides_whether_a_backslash_before_an_apostrophe_is_the_text_s_own(text: str, fault: str) -> None:
    """The kind: an escape that JSON lacks is decoded only where the fixes know what it says."""
    dropped = text.replace("\\'", "'").replace('\\"', '"').replace("\\n", "\n")
    kept = text.replace('\\"', '"').replace("\\n", "\n")
    for content in (dropped, kept, kept.replace("\\'", "'", 1)):
        assert not accepted(text, content, fault), content


@pytest.mark.parametrize("fault", [",", "", ",,"])
def test_an_answer_may_drop_the_backslash_of_an_apostrophe_in_a_sentence(fault: str) -> None:
    for text in ("it\\'s", "don\\'t, and they\\'re here", "call it \\'so\\' then"):
        assert accepted(text, text.replace("\\'", "'"), fault), text
