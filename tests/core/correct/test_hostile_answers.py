"""Answers of a model that says in a correction what the block does not: forty blocks of tools that no other test has."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Final

import pytest

from stream_guard import CorrectionPolicy, Guard, Risk, Tool, ToolBlock, Toolset
from stream_guard.testing import FakeCorrector, FakeStream, collect

Call = dict[str, Any]
S: Final[Call] = {"type": "string"}
I: Final[Call] = {"type": "integer"}  # noqa: E741
N: Final[Call] = {"type": "number"}
B: Final[Call] = {"type": "boolean"}
L: Final[Call] = {"type": "array", "items": S}


def tool(name: str, required: str, risk: Risk = Risk.WRITE, /, rules: Call | None = None, **fields: Any) -> Tool:
    schema = {"type": "object", "properties": fields, "required": required.split(), "additionalProperties": False}
    return Tool(name, "", {**schema, **(rules or {})}, risk=risk)


STEP: Final = {
    "type": "object",
    "properties": {"run": S, "after": S, "retries": I},
    "required": ["run"],
    "additionalProperties": False,
}
TOOLS: Final = Toolset(
    tool("wire", "to_account amount", to_account=S, amount=N, memo=S, currency={"enum": ["EUR", "CHF"]}),
    tool("scale", "service replicas", service={**S, "pattern": "^[a-z-]+$"}, replicas={**I, "maximum": 20}, zone=S, wait_s=I),
    tool("invite", "guests", guests=L, hosts=L, subject=S, private=B),
    tool("grant", "user role", user=S, role={"enum": ["viewer", "editor", "owner"]}, until=S, reason=S),
    tool("route", "origin destination", origin=S, destination=S, via=L, avoid=L),
    tool("publish", "page", page=S, draft={"const": True}, locale=S, html=S),
    tool("pipeline", "steps", steps={"type": "array", "items": STEP, "minItems": 1, "maxItems": 3}, name=S),
    tool("alarm", "limit", limit={"type": "object", "properties": {"low": N, "high": N}, "required": ["low", "high"],
         "additionalProperties": False}, unit={"enum": ["C", "F"]}),
    tool("search", "", rules={"oneOf": [{"required": ["text"]}, {"required": ["regex"]}]}, text=S, regex=S, limit=I),
    tool("label", "id", rules={"maxProperties": 2}, id=I, red=B, blue=B, text=S),
    tool("purge", "bucket", Risk.DESTRUCTIVE, bucket=S, prefix=S, dry_run=B, keep=L, mode={"enum": ["shallow", "deeply"]}),
    tool("meet", "id", id=I, note=S, place={"type": "object", "properties": {"room": S, "note": S},
         "additionalProperties": False}),
    tool("fire", "employee", Risk.DESTRUCTIVE, employee=I, notice_days=I, reason=S),
)  # fmt: skip

HOSTILE: Final[dict[str, tuple[Call, Call]]] = {
    # A value under a name that nobody knows, put where something is missing.
    "the sender is paid": ({"tool": "wire", "sender": "DE1", "amount": 5}, {"tool": "wire", "to_account": "DE1", "amount": 5}),
    "a role from a team": (
        {"tool": "grant", "user": "ann", "team": "owner"},
        {"tool": "grant", "user": "ann", "role": "owner"},
    ),
    "a stop is the end": ({"tool": "route", "origin": "A", "stop": "B"}, {"tool": "route", "origin": "A", "destination": "B"}),
    "those who declined are invited": ({"tool": "invite", "declined": ["a"]}, {"tool": "invite", "guests": ["a"]}),
    "an archive is published": ({"tool": "publish", "archive": "home"}, {"tool": "publish", "page": "home"}),
    "a backup is purged": ({"tool": "purge", "backup": "b1"}, {"tool": "purge", "bucket": "b1"}),
    "a colleague is fired": ({"tool": "fire", "manager": 7}, {"tool": "fire", "employee": 7}),
    "a thing found is a thing sought": ({"tool": "search", "result": "x"}, {"tool": "search", "text": "x"}),
    "a number for a missing one": (
        {"tool": "scale", "service": "api", "old": 3},
        {"tool": "scale", "service": "api", "replicas": 3},
    ),
    # Known fields trade places.
    "origin and destination": (
        {"tool": "route", "origin": ["A"], "destination": "B"},
        {"tool": "route", "origin": "B", "destination": "A"},
    ),
    "low and high": ({"tool": "alarm", "limit": {"low": "9", "high": 2}}, {"tool": "alarm", "limit": {"low": 2, "high": 9}}),
    "hosts as guests": ({"tool": "invite", "hosts": ["h"], "guests": "g"}, {"tool": "invite", "guests": ["h"], "hosts": ["g"]}),
    "via as avoid": (
        {"tool": "route", "origin": "A", "destination": "B", "avoid": "C"},
        {"tool": "route", "origin": "A", "destination": "B", "via": ["C"]},
    ),
    "a text as a pattern": ({"tool": "search", "text": "a.b", "regex": "x"}, {"tool": "search", "regex": "a.b"}),
    # Bounds and lists of words are no licence.
    "down to the maximum": (
        {"tool": "scale", "service": "api", "replicas": 200},
        {"tool": "scale", "service": "api", "replicas": 20},
    ),
    "without its last zero": (
        {"tool": "scale", "service": "api", "replicas": "200"},
        {"tool": "scale", "service": "api", "replicas": 20},
    ),
    "up to the pattern": (
        {"tool": "scale", "service": "api v2", "replicas": 2},
        {"tool": "scale", "service": "api-v", "replicas": 2},
    ),
    "the nearest role": ({"tool": "grant", "user": "ann", "role": "admin"}, {"tool": "grant", "user": "ann", "role": "owner"}),
    "less than asked for": (
        {"tool": "grant", "user": "ann", "role": "edit or view"},
        {"tool": "grant", "user": "ann", "role": "viewer"},
    ),
    "francs are euros": (
        {"tool": "wire", "to_account": "X", "amount": 5, "currency": "SFr"},
        {"tool": "wire", "to_account": "X", "amount": 5, "currency": "CHF"},
    ),
    "a degree for another": (
        {"tool": "alarm", "limit": {"low": 1, "high": 2}, "unit": "K"},
        {"tool": "alarm", "limit": {"low": 1, "high": 2}, "unit": "C"},
    ),
    "a mode by a slip": ({"tool": "purge", "bucket": "b", "mode": "deply"}, {"tool": "purge", "bucket": "b", "mode": "deeply"}),
    # What was written is dropped.
    "a stop": (
        {"tool": "route", "origin": "A", "destination": "B", "via": "C", "x": 1},
        {"tool": "route", "origin": "A", "destination": "B"},
    ),
    "a step of four": (
        {"tool": "pipeline", "steps": [{"run": "a"}, {"run": "b"}, {"run": "c"}, {"run": "d"}]},
        {"tool": "pipeline", "steps": [{"run": "a"}, {"run": "b"}, {"run": "d"}]},
    ),
    "an end of the grant": (
        {"tool": "grant", "user": "ann", "role": "VIEWER", "until": "May"},
        {"tool": "grant", "user": "ann", "role": "viewer"},
    ),
    "a colour of two": ({"tool": "label", "id": 1, "red": True, "blue": False}, {"tool": "label", "id": 1, "red": True}),
    "a field of the tool inside a stranger": (
        {"tool": "wire", "to_account": "X", "amount": "5", "meta": {"memo": "rent"}},
        {"tool": "wire", "to_account": "X", "amount": 5},
    ),
    "the rest of an envelope": (
        {"tool": "wire", "transfer": {"to_account": "X", "amount": 5, "confirm": "later"}},
        {"tool": "wire", "to_account": "X", "amount": 5},
    ),
    "a rehearsal": ({"tool": "purge", "bucket": "b", "dry_run": "yes"}, {"tool": "purge", "bucket": "b"}),
    "what is to be kept": ({"tool": "purge", "bucket": "b", "keep": "a"}, {"tool": "purge", "bucket": "b", "keep": []}),
    "a condition": ({"tool": "fire", "employee": 7, "unless": "rehired"}, {"tool": "fire", "employee": 7}),
    "a null that no issue names": ({"tool": "purge", "bucket": "b", "prefix": None}, {"tool": "purge", "bucket": "b"}),
    # What stands under a name that the tool does not know may change the call: it is neither dropped nor moved.
    **{
        f"{name} of a transfer": (
            {"tool": "wire", "to_account": "X", "amount": 5, name: value},
            {"tool": "wire", "to_account": "X", "amount": 5},
        )
        for name, value in {
            "unit": "cents",
            "where": "id=3",
            "per_day": True,
            "times": 3,
            "hold": True,
            "on_date": "May",
            "cancelled": True,
            "cancelled_at": None,
            "unless": "x",
            "explanation": "the recipient is Y",
            "id": "Y",
            "color": "red",
            "currncy": "USD",
        }.items()
    },
    "a rehearsal by a slip": (
        {"tool": "scale", "service": "api", "replicas": 2, "wait_sec": 9},
        {"tool": "scale", "service": "api", "replicas": 2},
    ),
    "what is hidden from a guest": (
        {"tool": "invite", "guests": ["a"], "bcc": ["b"]},
        {"tool": "invite", "guests": ["a"]},
    ),
    "a condition of a step": (
        {"tool": "pipeline", "steps": [{"run": "a", "unless": "x"}]},
        {"tool": "pipeline", "steps": [{"run": "a"}]},
    ),
    "a slip of another field": (
        {"tool": "wire", "memoo": "rent", "amount": 5},
        {"tool": "wire", "to_account": "rent", "amount": 5},
    ),
    "those who are not invited": ({"tool": "invite", "uninvite": ["a"]}, {"tool": "invite", "guests": ["a"]}),
    "an allergy": ({"tool": "grant", "user": "p", "denied": "owner"}, {"tool": "grant", "user": "p", "role": "owner"}),
    # What nobody wrote.
    "a reason": (
        {"tool": "grant", "user": ["ann"], "role": "viewer"},
        {"tool": "grant", "user": "ann", "role": "viewer", "reason": "x"},
    ),
    "no draft": ({"tool": "publish", "page": ["home"], "draft": False}, {"tool": "publish", "page": "home", "draft": True}),
    "a draft": ({"tool": "publish", "page": ["home"]}, {"tool": "publish", "page": "home", "draft": True}),
    "retries": ({"tool": "pipeline", "steps": [{"run": ["a"]}]}, {"tool": "pipeline", "steps": [{"run": "a", "retries": 5}]}),
    "a step": ({"tool": "pipeline", "steps": []}, {"tool": "pipeline", "steps": [{"run": ""}]}),
    "a prefix": (
        {"tool": "purge", "bucket": "b", "dry_run": "true"},
        {"tool": "purge", "bucket": "b", "dry_run": True, "prefix": "x"},
    ),
    # Another value of another kind.
    "one text of several": ({"tool": "publish", "page": ["home", "about"]}, {"tool": "publish", "page": "home\nabout"}),
    "one text of several, as JSON": (
        {"tool": "publish", "page": ["home", "about"]},
        {"tool": "publish", "page": '["home", "about"]'},
    ),
    "one guest of two": ({"tool": "invite", "guests": "ann, bob"}, {"tool": "invite", "guests": ["ann, bob"]}),
    "two guests of one": ({"tool": "invite", "guests": "ann, bob"}, {"tool": "invite", "guests": ["ann", "bob"]}),
    "a list in a text, in a list": ({"tool": "invite", "guests": '["ann"]'}, {"tool": "invite", "guests": ['["ann"]']}),
    "a pair of accounts": (
        {"tool": "wire", "to_account": ["X", "Y"], "amount": 5},
        {"tool": "wire", "to_account": "Y", "amount": 5},
    ),
    "a decimal comma": (
        {"tool": "wire", "to_account": "X", "amount": "1,500"},
        {"tool": "wire", "to_account": "X", "amount": 1.5},
    ),
    "a sign": ({"tool": "wire", "to_account": "X", "amount": "-5"}, {"tool": "wire", "to_account": "X", "amount": 5}),
    "a member of the next step": (
        {"tool": "pipeline", "steps": [{"run": "a", "after": 1}, {"run": "b"}]},
        {"tool": "pipeline", "steps": [{"run": "a"}, {"run": "b", "after": "1"}]},
    ),
    "steps in another order": (
        {"tool": "pipeline", "steps": [{"run": ["a"]}, {"run": "b"}]},
        {"tool": "pipeline", "steps": [{"run": "b"}, {"run": "a"}]},
    ),
}


def answered(body: Call, answer: Call) -> ToolBlock:
    return answered_text(json.dumps(body), answer)


def answered_text(body: str, answer: Call) -> ToolBlock:
    async def run() -> list[Any]:
        corrector = FakeCorrector(json.dumps(answer))
        guard = Guard(TOOLS, fixes="off", corrector=corrector, correction=CorrectionPolicy(max_attempts=1))
        return await collect(guard.stream(FakeStream([f"`````json\n{body}\n`````\n"])))

    (block,) = [item for item in asyncio.run(run()) if isinstance(item, ToolBlock)]
    return block


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.promise("P8")
def test_nothing_of_a_hostile_correction_runs(name: str) -> None:
    """Each answer is a valid call; each says what the block does not."""
    body, answer = HOSTILE[name]
    guard = Guard(TOOLS, fixes="off")
    assert guard.check(json.dumps(answer)).validation_passed
    assert not guard.check(json.dumps(body)).validation_passed
    assert not answered(body, answer).executable


def test_there_are_forty() -> None:
    assert len(HOSTILE) >= 40


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        ({"tool": "wire", "to_account": "X", "amount": "5"}, {"tool": "wire", "to_account": "X", "amount": 5}),
        ({"tool": "wire", "transfer": {"to_account": "X", "amount": 5}}, {"tool": "wire", "to_account": "X", "amount": 5}),
        ({"tool": "invite", "guests": "ann"}, {"tool": "invite", "guests": ["ann"]}),
        ({"tool": "invite", "guests": '["ann", "bob"]'}, {"tool": "invite", "guests": ["ann", "bob"]}),
        ({"tool": "grant", "user": "ann", "role": "Viewer"}, {"tool": "grant", "user": "ann", "role": "viewer"}),
        ({"tool": "wire", "to_account": "X", "amount": 5, "thought": "ok"}, {"tool": "wire", "to_account": "X", "amount": 5}),
        ({"tool": "wire", "to_account": "X", "amount": 5, "memo": None}, {"tool": "wire", "to_account": "X", "amount": 5}),
        ({"tool": "purge", "bucket": "b", "dry_run": "true"}, {"tool": "purge", "bucket": "b", "dry_run": True}),
        ({"tool": "pipeline", "steps": {"run": "a"}}, {"tool": "pipeline", "steps": [{"run": "a"}]}),
    ],
)
@pytest.mark.promise("P8")
def test_honest_answers_run(body: Call, answer: Call) -> None:
    block = answered(body, answer)
    assert block.executable, block.attempts
    assert block.arguments == answer


LOST_QUOTES: Final[list[tuple[Call, str]]] = [
    ({"tool": "wire", "to_account": "A-1", "memo": "rent", "amount": 5}, "to_account"),
    ({"tool": "wire", "to_account": "A-1", "memo": "rent, and food", "amount": 5}, "memo"),
    ({"tool": "route", "origin": "A", "destination": "B", "via": ["C"]}, "destination"),
    ({"tool": "purge", "bucket": "b1", "prefix": "tmp", "dry_run": True}, "bucket"),
    ({"tool": "fire", "employee": 7, "reason": "left", "notice_days": 3}, "reason"),
]
JOINTS: Final = (", ", ",", " ", ": ", ":", ",\n  ", ";", " ,", ", // ", "")
"""What stands behind the value that lost its closing quote."""


@pytest.mark.parametrize(("call", "field"), LOST_QUOTES)
@pytest.mark.promise("P8")
def test_a_value_that_lost_its_closing_quote_ends_before_the_separator_or_is_unknown(call: Call, field: str) -> None:
    """An answer that takes in the separator never runs. One that does not may run where nothing but the quote is lost."""
    said = f'"{call[field]}"'
    destructive = TOOLS[call["tool"]].risk is Risk.DESTRUCTIVE
    for joint in JOINTS:
        broken = json.dumps(call).replace(f"{said}, ", f"{said[:-1]}{joint}", 1)
        for more in {joint, joint.strip(), joint.rstrip(), ",", joint + '"'} - {""}:
            assert not answered_text(broken, {**call, field: call[field] + more}).executable, (joint, more)
        assert answered_text(broken, call).executable == (joint == ", " and not destructive), joint


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        # A sum, and a text with a sign between its quotes.
        ('{"tool": "wire", "to_account": "a" + "b", "amount": 5}', {"tool": "wire", "to_account": "ab", "amount": 5}),
        ('{"tool": "fire", "employee": 7, "reason": "press "+" now"}', {"tool": "fire", "employee": 7, "reason": "press  now"}),
        ('{"tool": "wire", "to_account": "A", "amount": "5" + "6"}', {"tool": "wire", "to_account": "A", "amount": 56}),
        # A brace that is missing, or stands before the comma.
        (
            '{"tool": "scale", "service": "api", "replicas": 2, "zone": {"wait_s": 3}',
            {"tool": "scale", "service": "api", "replicas": 2, "wait_s": 3},
        ),
        # A text that was cut off, and the block begun anew.
        (
            '{"tool": "wire", "to_account": "A", "amount": 5, "memo": "pay t\n[lost]\n```json\npay the rent"}',
            {"tool": "wire", "to_account": "A", "amount": 5, "memo": "pay t\n[lost]\n```json\npay the rent"},
        ),
        # Braces that may have been doubled with those of the block, and a quote by its code.
        ('{{"tool": "wire", "to_account": "{{A}}", "amount": 5}}', {"tool": "wire", "to_account": "{{A}}", "amount": 5}),
        (r'{"tool": "wire", "to_account": "A\x22", "amount": 5}', {"tool": "wire", "to_account": r"A\x22", "amount": 5}),
        # Two texts with nothing but quotes between.
        ('{"tool": "wire", "to_account": "A"""A", "amount": 5}', {"tool": "wire", "to_account": 'A"""A', "amount": 5}),
    ],
)
@pytest.mark.promise("P8")
def test_a_value_that_spans_a_place_where_the_block_is_broken_is_not_spelled_in_it(body: str, answer: Call) -> None:
    assert not answered_text(body, answer).executable


@pytest.mark.parametrize(
    ("place", "note"),
    [
        ('{"room": "R1", "note": "x"}', ""),
        ('{"room": "R1" "note": "x"}', ""),
        ('{"room": "R1",} "note": "x"}', ""),
        ('{"room": "R1",}', ' "note": "x"}'),
    ],
)
@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.promise("P8")
def test_a_member_with_two_homes_is_in_neither(place: str, note: str, *, inside: bool) -> None:
    """Where brackets and commas do not tell in which object it stands."""
    body = f'{{"tool": "meet", "id": 7, "place": {place}{note}'
    held = {"room": "R1", "note": "x"} if inside else {"room": "R1"}
    answer: Call = {"tool": "meet", "id": 7, "place": held, **({} if inside else {"note": "x"})}
    assert not answered_text(body, answer).executable


@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize("field", ["command", "body", "sql", "content", "text", "message", "query", "memo", "target"])
@pytest.mark.promise("P8")
def test_no_answer_decides_what_a_raw_line_break_in_a_destructive_call_was(field: str, *, declared: bool) -> None:
    """Whatever the field is named, and also for a tool made of data that declares no risk."""
    takes = {"type": "object", "properties": {"to": S, field: S}, "required": [field], "additionalProperties": False}
    entry = {"type": "function", "function": {"name": "send", "description": "", "parameters": takes}}
    tools = Toolset(Tool("send", "", takes, risk=Risk.DESTRUCTIVE)) if declared else Toolset.of(entry)

    async def runs(body: str, answer: Call) -> bool:
        guard = Guard(tools, corrector=FakeCorrector(json.dumps(answer)), correction=CorrectionPolicy(max_attempts=1))
        items = await collect(guard.stream(FakeStream([f"```json\n{body}\n```\n"])))
        return any(item.executable for item in items if isinstance(item, ToolBlock))

    for text in ("rm -rf /srv/backup\n/old", "Pay 1\n00 EUR.", "One line.\nAnother line.\n", "a\n\nb", "a\r\nb", "a\tb"):
        call: Call = {"tool": "send", "to": "ops", field: text}
        escaped = json.dumps(call)
        raw = escaped.replace("\\n", "\n").replace("\\r", "\r").replace("\\t", "\t")
        for said in (text, "".join(text.split("\n")), " ".join(text.split())):
            assert not asyncio.run(runs(raw, {**call, field: said})), said
        assert asyncio.run(runs(escaped, call))


@pytest.mark.promise("P8")
def test_no_answer_takes_a_member_that_is_lacking_into_the_end_of_a_text() -> None:
    """The mark that ends the text may stand a line too late."""
    fields = {"path": S, "content": S, "mode": {"enum": ["replace", "append"]}, "dry_run": B}
    tools = Toolset(tool("save", "path content", **fields))

    async def runs(text: str) -> bool:
        body = f'{{\n  tool: "save",\n  path: "a.txt",\n  content: "{text}"\n}}'
        corrector = FakeCorrector(json.dumps({"tool": "save", "path": "a.txt", "content": text}))
        items = await collect(Guard(tools, corrector=corrector, fixes="off").stream(FakeStream([f"```json\n{body}\n```\n"])))
        return any(item.executable for item in items if isinstance(item, ToolBlock))

    for last in ("mode: append", "  mode: append", "dry_run: true", "dry_run = False,", "mode: 'replace'"):
        assert not asyncio.run(runs(f"Buy milk.\nBuy eggs.\n{last}")), last
    for last in ("colour: red", "mode: fast", "dry_run: maybe so", "Buy tea."):
        assert asyncio.run(runs(f"Buy milk.\nBuy eggs.\n{last}")), last
