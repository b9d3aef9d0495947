"""What a correction may say, tried by an attacker who controls the answer: what is taken was written, to the last value."""

from __future__ import annotations

import asyncio
import copy
import json
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stream_guard import CorrectionPolicy, Guard, Risk, Tool, ToolBlock, Toolset
from stream_guard.correct.drift import Origin, compare
from stream_guard.correct.values import says_the_same, spells
from stream_guard.schema.json_text import parse
from stream_guard.testing import FakeCorrector, FakeStream, collect
from stream_guard.tools.files import DELETE_FILE, EDIT_FILE, WRITE_FILE
from tests.kit.proof import Cases

Call = dict[str, Any]

# -- tools whose schemas have rules of every kind ------------------------------------------------------------------------

_TEXT: Final = {"type": "string"}


def tool(name: str, required: list[str], properties: Call, risk: Risk = Risk.WRITE, **rules: Any) -> Tool:
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False, **rules}
    return Tool(name, "", schema, risk=risk)


PAY: Final = tool(
    "pay",
    ["to", "amount"],
    {
        "to": {**_TEXT, "pattern": "^[a-z]+$"},
        "amount": {"type": "integer"},
        "currency": {"enum": ["EUR", "USD", "GBP"]},
        "urgent": {"type": "boolean"},
        "note": {**_TEXT, "maxLength": 30},
        "kind": {"const": "transfer"},
    },
    maxProperties=4,
)
SEND: Final = tool(
    "send",
    ["body"],
    {
        "body": _TEXT,
        "cc": _TEXT,
        "bcc": _TEXT,
        "archive": {"const": True},
        "tags": {"type": "array", "items": _TEXT, "uniqueItems": True, "maxItems": 3},
    },
    anyOf=[{"required": ["cc"]}, {"required": ["bcc"]}, {"required": ["archive"]}],
)
PICK: Final = tool(
    "pick",
    [],
    {"user": _TEXT, "group": _TEXT, "level": {"type": "number", "minimum": 0}, "note": _TEXT},
    oneOf=[{"required": ["user"]}, {"required": ["group"]}],
)
BOOK: Final = tool(
    "book",
    ["room"],
    {"room": _TEXT, "start": _TEXT, "end": _TEXT, "guests": {"type": "integer"}, "catering": {"type": "boolean"}},
    dependentRequired={"start": ["end"], "catering": ["guests"]},
)
LABEL: Final = Tool(
    "label",
    "",
    {
        "type": "object",
        "properties": {"id": {"type": "integer"}, "title": _TEXT},
        "patternProperties": {"^x_": _TEXT},
        "required": ["id"],
        "additionalProperties": False,
        "maxProperties": 3,
    },
)
ROWS: Final = tool(
    "rows",
    ["table", "rows"],
    {
        "table": _TEXT,
        "rows": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"key": _TEXT, "value": {"type": "number"}, "on": {"type": "boolean"}},
                "required": ["key", "value"],
                "additionalProperties": False,
            },
        },
    },
)
DROP: Final = tool(
    "drop",
    ["table", "cascade"],
    {
        "table": _TEXT,
        "cascade": {"type": "boolean"},
        "limit": {"type": "integer"},
        "paths": {"type": "array", "items": _TEXT},
        "confirm": {"const": True},
        "mode": {"enum": ["soft", "hard"]},
    },
    Risk.DESTRUCTIVE,
)
TOOLS: Final = Toolset(PAY, SEND, PICK, BOOK, LABEL, ROWS, DROP, WRITE_FILE, EDIT_FILE, DELETE_FILE)

PAID: Final[Call] = {"tool": "pay", "to": "alice", "amount": 12, "note": "thanks, bob"}
SENT: Final[Call] = {"tool": "send", "body": "hi\nthere", "cc": "alice", "tags": ["a", "b"]}
ROWED: Final[Call] = {"tool": "rows", "table": "t", "rows": [{"key": "a", "value": 1, "on": True}, {"key": "b", "value": 2.5}]}
EDITED: Final[Call] = {"tool": "edit_file", "path": "a.py", "search_replace": {"old_string": "one", "new_string": "two"}}
WROTE: Final[Call] = {"tool": "write_file", "path": "src/a.txt", "content": "rm -rf build\nmake all\n"}

ROW1: Final = ROWED["rows"][1]
Block = tuple[str, Call, bool]
"""What the model wrote, the call to begin an attack from, and whether that call is an honest correction of it."""


def wrote(call: Call, good: Call, *, honest: bool = True) -> Block:
    return json.dumps(call), good, honest


BLOCKS: Final[dict[str, Block]] = {
    # In JSON, and wrong.
    "a number as a text": wrote({**PAID, "amount": "12 "}, PAID),
    "a number with a comma in it": wrote({**PAID, "amount": "1,000"}, {**PAID, "amount": 1000}),
    "a number that none is": wrote({**PAID, "amount": "twelve"}, PAID, honest=False),
    "no amount": wrote({"tool": "pay", "to": "alice", "note": "5000"}, {**PAID, "amount": 5000}, honest=False),
    "two names in one field": wrote({**PAID, "to": "alice or mallory"}, {**PAID, "to": "mallory"}, honest=False),
    "blanks around a name": wrote({**PAID, "to": " alice\n"}, PAID),
    "a slip in an enum": wrote({**PAID, "currency": "eur", "note": "x"}, {**PAID, "currency": "EUR", "note": "x"}),
    "another currency": wrote({**PAID, "currency": "CHF"}, {**PAID, "currency": "USD"}, honest=False),
    "a truth value as a text": wrote({**PAID, "urgent": "False"}, {**PAID, "urgent": False}),
    "yes": wrote({**PAID, "urgent": "yes"}, {**PAID, "urgent": True}, honest=False),
    "a note that is too long": wrote(
        {**PAID, "note": "do not pay this before the first of May"}, {**PAID, "note": "pay this"}, honest=False
    ),
    "a field that is none": wrote({**PAID, "memo": "x"}, PAID, honest=False),
    "too many fields": wrote({**PAID, "currency": "EUR", "urgent": True}, {**PAID, "urgent": True}, honest=False),
    "a list for a name": wrote({**PAID, "to": ["alice"]}, PAID),
    "a list of names": wrote({**PAID, "to": ["alice", "mallory"]}, {**PAID, "to": "mallory"}, honest=False),
    "another kind": wrote({**PAID, "kind": "refund"}, {**PAID, "kind": "transfer"}, honest=False),
    "none of three": wrote(
        {"tool": "send", "body": "hi alice"}, {"tool": "send", "body": "hi alice", "cc": "alice"}, honest=False
    ),
    "none of three, and a strange one": wrote(
        {"tool": "send", "body": "hi", "copy": "alice"}, {"tool": "send", "body": "hi", "bcc": "alice"}, honest=False
    ),
    "a list that may be lines, or JSON": wrote({**SENT, "body": ["hi", "there"]}, SENT, honest=False),
    "the same tag twice": wrote({**SENT, "tags": ["a", "b", "a"]}, SENT),
    "too many tags": wrote({**SENT, "tags": ["a", "b", "c", "d"]}, {**SENT, "tags": ["a", "b", "c"]}, honest=False),
    "a tag that is a number": wrote({**SENT, "tags": ["a", 7]}, {**SENT, "tags": ["a", "7"]}),
    "both of two": wrote({"tool": "pick", "user": "a", "group": "b"}, {"tool": "pick", "group": "b"}, honest=False),
    "neither of two": wrote({"tool": "pick", "note": "alice"}, {"tool": "pick", "user": "alice"}, honest=False),
    "less than the least": wrote(
        {"tool": "pick", "user": "a", "level": -1.5}, {"tool": "pick", "user": "a", "level": 1.5}, honest=False
    ),
    "what another field asks for": wrote(
        {"tool": "book", "room": "r", "start": "9:00"},
        {"tool": "book", "room": "r", "start": "9:00", "end": "9:00"},
        honest=False,
    ),
    "its number": wrote(
        {"tool": "book", "room": "7", "catering": True},
        {"tool": "book", "room": "7", "catering": True, "guests": 7},
        honest=False,
    ),
    "too many of a pattern": wrote(
        {"tool": "label", "id": 1, "x_a": "p", "x_b": "q", "title": "t"},
        {"tool": "label", "id": 1, "x_a": "p", "title": "t"},
        honest=False,
    ),
    "a number in a pattern": wrote({"tool": "label", "id": 1, "x_a": 1.5}, {"tool": "label", "id": 1, "x_a": "1.5"}),
    "an item's number as a text": wrote({**ROWED, "rows": [ROWED["rows"][0], {**ROW1, "value": "2.50"}]}, ROWED),
    "an item's stranger": wrote({**ROWED, "rows": [ROWED["rows"][0], {**ROW1, "unit": "kg"}]}, ROWED, honest=False),
    "an item without its key": wrote({**ROWED, "rows": [ROWED["rows"][0], {"value": 2.5}]}, ROWED, honest=False),
    "two edits": wrote(
        {**EDITED, "search_replace": [EDITED["search_replace"], {"old_string": "x", "new_string": "y"}]}, EDITED, honest=False
    ),
    "one edit in a list": wrote({**EDITED, "search_replace": [EDITED["search_replace"]]}, EDITED),
    "an edit without what to look for": wrote(
        {**EDITED, "search_replace": {"new_string": "two"}},
        {**EDITED, "search_replace": {"old_string": "", "new_string": "two"}},
        honest=False,
    ),
    "lines of a file": wrote({**WROTE, "content": ["rm -rf build\n", "make all\n"]}, WROTE),
    "a path from the root": wrote({**WROTE, "path": "/src/a.txt"}, WROTE),
    "no cascade": wrote({"tool": "drop", "table": "t"}, {"tool": "drop", "table": "t", "cascade": True}, honest=False),
    "a cascade as a text": wrote(
        {"tool": "drop", "table": "t", "cascade": "false"}, {"tool": "drop", "table": "t", "cascade": False}
    ),
    "a dry run": wrote(
        {"tool": "drop", "table": "t", "cascade": False, "dry_run": True},
        {"tool": "drop", "table": "t", "cascade": False},
        honest=False,
    ),
    "a refusal to confirm": wrote(
        {"tool": "drop", "table": "t", "cascade": False, "confirm": False},
        {"tool": "drop", "table": "t", "cascade": False, "confirm": True},
        honest=False,
    ),
    "paths in a text": wrote(
        {"tool": "drop", "table": "t", "cascade": False, "paths": "a, b"},
        {"tool": "drop", "table": "t", "cascade": False, "paths": ["a", "b"]},
        honest=False,
    ),
    # No JSON.
    "no JSON: quotes": (
        '{"tool": "write_file", "path": "src/a.txt", "content": "say("no", "yes") := x"}',
        {**WROTE, "content": 'say("no", "yes") := x'},
        True,
    ),
    "no JSON: a mark that is none": (
        '{"tool": "pick", "user": "alice" ;"note": "thanks, bob"}',
        {"tool": "pick", "user": 'alice" ;"note": "thanks, bob'},
        False,
    ),
    "no JSON: a mark too many": ('{"tool": "pay", "to": "alice",, : "amount": 12, "note": "thanks, bob"}', PAID, True),
    "no JSON: an amount": (
        '{"tool": "pay", "to": "alice",, : "amount": 12, "note": "thanks, "dear" bob"}',
        {**PAID, "note": 'thanks, "dear" bob'},
        True,
    ),
    "no JSON: two edits": (
        '{"tool": "edit_file", "path": "a.py", "search_replace": [{"old_string": "one", "new_string": "two"},'
        ' {"old_string": "x"y", "new_string": "z"}] :}',
        EDITED,
        False,
    ),
    "no JSON: records": (
        '{"tool": "rows", "table": "t" "rows": [{"key": "a", "value": 1, "on": true}, {"key": "b", "value": 2.5} :]}',
        ROWED,
        True,
    ),
}
assert len(BLOCKS) >= 40

# -- what an attacker makes of a good call -------------------------------------------------------------------------------

Place = tuple[Any, ...]


def leaves(value: Any, path: Place = ()) -> Iterator[tuple[Place, Any]]:
    if isinstance(value, dict | list) and value:
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            if (*path, key) != ("tool",):
                yield from leaves(item, (*path, key))
    else:
        yield path, value


def put(call: Call, path: Place, value: Any) -> Call:
    made = copy.deepcopy(call)
    here: Any = made
    for step in path[:-1]:
        here = here[step]
    here[path[-1]] = value
    return made


def lists(value: Any, path: Place = ()) -> Iterator[tuple[Place, list[Any]]]:
    if isinstance(value, list):
        yield path, value
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from lists(item, (*path, key))


Attack = Callable[[Call], Iterator[Call]]


def each(kind: type | tuple[type, ...], change: Callable[[Any], Any]) -> Attack:
    """Change every value of a kind, one at a time."""

    def attack(call: Call) -> Iterator[Call]:
        for path, value in leaves(call):
            if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
                yield put(call, path, change(value))

    return attack


def every_list(change: Callable[[list[Any]], Any]) -> Attack:
    return lambda call: (put(call, path, change(copy.deepcopy(items))) for path, items in lists(call))


def swap(call: Call) -> Iterator[Call]:
    found = list(leaves(call))
    for index, (one, value) in enumerate(found):
        for other, second in found[index + 1 :]:
            yield put(put(call, one, second), other, value)


def copied(call: Call) -> Iterator[Call]:
    found = list(leaves(call))
    for path, _ in found:
        yield from (put(call, path, value) for other, value in found if other != path)


def added(value: Any) -> Attack:
    def attack(call: Call) -> Iterator[Call]:
        known = TOOLS.get(call["tool"])
        assert known is not None
        yield from ({**call, name: value} for name in (*known.fields.members, "x_c") if name not in call)

    return attack


def dropped(call: Call) -> Iterator[Call]:
    for path, _ in leaves(call):
        made = copy.deepcopy(call)
        here: Any = made
        for step in path[:-1]:
            here = here[step]
        del here[path[-1]]
        yield made


def renamed(call: Call) -> Iterator[Call]:
    known = TOOLS.get(call["tool"])
    assert known is not None
    for key in call:
        for name in known.fields.members:
            if key != "tool" and name not in call:
                yield {name if old == key else old: value for old, value in call.items()}


def moved(call: Call) -> Iterator[Call]:
    """A member of one item goes into the next."""
    for path, items in lists(call):
        for index in range(len(items) - 1):
            if isinstance(items[index], dict):
                for key in items[index]:
                    made = copy.deepcopy(items)
                    made[index + 1][key] = made[index].pop(key)
                    yield put(call, path, made)


_NUMBER = (int, float)
ATTACKS: Final[dict[str, Attack]] = {
    "as it is": lambda call: iter([call]),
    "two values change places": swap,
    "a value stands twice": copied,
    "a field less": dropped,
    "a field under another name": renamed,
    "a member in the next item": moved,
    "a text more": added("alice"),
    "an empty text more": added(""),
    "a truth value more": added(True),
    "a number more": added(5000),
    "a list more": added(["a"]),
    "an empty list more": added([]),
    "items in another order": every_list(lambda items: items[::-1]),
    "the first item only": every_list(lambda items: items[:1]),
    "the last item only": every_list(lambda items: items[-1:]),
    "no items": every_list(lambda _: []),
    "an item twice": every_list(lambda items: [*items, *items[-1:]]),
    "the items in one": every_list(lambda items: [" ".join(map(str, items))]),
    "an item more": every_list(lambda items: [*items, "c"]),
    "other words": each(str, lambda _: "mallory"),
    "the last word": each(str, lambda text: text.split()[-1] if text.split() else "x"),
    "the first word": each(str, lambda text: text.split()[0] if text.split() else "x"),
    "words in another order": each(str, lambda text: " ".join(reversed(text.split())) or "x"),
    "a word more": each(str, lambda text: f"{text} now"),
    "an empty text": each(str, lambda _: ""),
    "large letters": each(str, str.upper),
    "one large letter": each(str, str.capitalize),
    "without its blanks": each(str, lambda text: "".join(text.split()) or "x"),
    "blanks around it": each(str, lambda text: f" {text} "),
    "another line end": each(str, lambda text: text.replace("\n", "\r\n") + "\n"),
    "escaped once more": each(str, lambda text: json.dumps(text)[1:-1] + "\\"),
    "in HTML": each(str, lambda text: text.replace("a", "&#97;") + "&amp;"),
    "decomposed": each(str, lambda text: unicodedata.normalize("NFD", text + "é")),
    "letters that look alike": each(str, lambda text: text.replace("a", "\u0430") + "\u200b"),
    "without its quotes": each(str, lambda text: text.replace('"', "")),
    "another sign": each(_NUMBER, lambda number: -number),
    "one more": each(_NUMBER, lambda number: number + 1),
    "ten times": each(_NUMBER, lambda number: number * 10),
    "999999": each(_NUMBER, lambda _: 999999),
    "nearly the number": each(_NUMBER, lambda number: number + 1e-9),
    "no number at all": each(_NUMBER, lambda _: 0),
    "minus nothing": each(_NUMBER, lambda _: -0.0),
    "1e3": each(_NUMBER, lambda _: 1e3),
    "a number as a text": each(_NUMBER, str),
    "a number as a truth value": each(_NUMBER, bool),
    "the other truth value": each(bool, lambda truth: not truth),
    "a truth value as a number": each(bool, int),
    "a truth value as a text": each(bool, str),
    "null": each((str, int, float), lambda _: None),
}
assert len(ATTACKS) >= 40


def judged(guard: Guard, body: str) -> ToolBlock:
    async def run() -> list[Any]:
        return await collect(guard.stream(FakeStream([f"Mallory says 99 and true.\n```json\n{body}\n```\nPay 5000.\n"])))

    (block,) = [item for item in asyncio.run(run()) if isinstance(item, ToolBlock)]
    return block


def answered(body: str, answer: Call, **settings: Any) -> ToolBlock:
    policy = CorrectionPolicy(max_attempts=1)
    guard = Guard(TOOLS, fixes="off", corrector=FakeCorrector(json.dumps(answer)), correction=policy, **settings)
    return judged(guard, body)


STRICT: Final = Guard(TOOLS, fixes="off")


def valid(call: Call) -> bool:
    return STRICT.check(json.dumps(call)).validation_passed


@pytest.mark.parametrize("name", BLOCKS)
@pytest.mark.promise("P8")
def test_whatever_an_attacker_answers_what_is_taken_is_what_was_meant(cases: Cases, name: str) -> None:
    """Every attack on every block: no value is changed, dropped or made up in what is taken."""
    body, good, honest = BLOCKS[name]
    assert valid(good)
    assert not STRICT.check(body).validation_passed
    origin = read(body)
    tried = 0
    for attack in ATTACKS.values():
        for answer in attack(good):
            if valid(answer) and not (honest and identical(answer, good)):
                tried += 1
                compared = compare(answer, origin, TOOLS)
                assert compared.drift is not None or compared.invented, answer
    assert tried >= 5
    cases(tried)


@pytest.mark.parametrize("name", BLOCKS)
@pytest.mark.promise("P8")
def test_what_was_meant_is_taken_and_what_was_not_is_not(name: str) -> None:
    """Through the whole stream: the honest answer runs, and the one that is none ends in a refusal."""
    body, good, honest = BLOCKS[name]
    block = answered(body, good)
    assert block.executable is honest, block.attempts
    if honest:
        assert block.arguments == good
        assert block.corrected_by == "llm"
    else:
        assert (block.attempts[0].outcome, block.issues[-1].code) == ("refused", "correction_refused")
        if {issue.code for issue in block.issues} != {"correction_refused"}:  # it says nothing of the call
            assert block.hint is not None
            assert "correction" not in block.hint.for_model()
            assert set(block.hint.fields) <= {issue.field for issue in block.issues[:-1]}


def identical(one: Any, other: Any) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def read(body: str) -> Origin:
    call = STRICT.judge.understood(body)
    return Origin(body) if call is None else Origin(body, call.value, call.issues)


# -- calls of any schema -------------------------------------------------------------------------------------------------

WORDS: Final = st.sampled_from(["alice", "mallory", "a b", "12", "true", "x", "é", "", "a\nb", '"q"', "1.50"])
VALUES: Final = st.one_of(
    WORDS, st.integers(-20, 20), st.sampled_from([0.5, -2.25, 1e3, 12.0]), st.booleans(), st.lists(WORDS, max_size=3)
)
_KINDS: Final = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array"}


def schema_of(value: Any) -> Call:
    if isinstance(value, dict):
        return {
            "type": "object",
            "properties": {key: schema_of(item) for key, item in value.items()},
            "required": list(value),
            "additionalProperties": False,
        }
    items = {"items": _TEXT} if isinstance(value, list) else {}
    return {"type": _KINDS[type(value)], **items}


def broken(draw: Any, good: Call, path: Place) -> Call | None:
    """The same call with one value written otherwise; None where that one cannot be."""
    value: Any = good
    for step in path:
        value = value[step]
    ways: dict[str, Any] = {"in a list": [value]}
    if isinstance(value, int | float):
        ways["as a text"] = json.dumps(value)
    if isinstance(value, list):
        ways = {"its lines": {"a": 1}}
    if isinstance(value, list) and len(value) == 1:
        ways = {"its item": value[0]}
    return put(good, path, ways[draw(st.sampled_from(sorted(ways)))])


@st.composite
def attacks(draw: Any) -> tuple[Toolset, Call, Call, Call]:
    """A tool, a good call of it, the same one broken, and what somebody answers."""
    names = draw(
        st.lists(st.sampled_from(["to", "amount", "note", "flag", "items", "cc"]), min_size=2, max_size=5, unique=True)
    )
    fields: Call = {name: draw(VALUES) for name in names}
    if draw(st.booleans()):
        fields["inner"] = {"one": draw(VALUES), "two": draw(VALUES)}
    schema = schema_of(fields)
    spare = {name: draw(VALUES) for name in ("extra", "more")}
    schema["properties"] |= {name: schema_of(value) for name, value in spare.items()}
    schema |= draw(
        st.sampled_from(
            [
                {},
                {"maxProperties": len(fields)},
                {"minProperties": len(fields) + 1},
                {"anyOf": [{"required": ["extra"]}, {"required": ["more"]}]},
                {"oneOf": [{"required": ["extra"]}, {"required": ["more"]}, {"not": {"required": ["nothing"]}}]},
                {"dependentRequired": {names[0]: ["extra"]}},
            ]
        )
    )
    made = Toolset(Tool("act", "", schema, risk=draw(st.sampled_from(Risk))))
    good: Call = {"tool": "act", **fields}
    wrong = good
    for path, _ in draw(st.lists(st.sampled_from(list(leaves(fields))), max_size=2, unique_by=lambda leaf: leaf[0][0])):
        wrong = broken(draw, wrong, path if len(path) < 2 or path[0] == "inner" else path[:1]) or wrong
    for key in draw(st.lists(st.sampled_from([*names, "inner"]), max_size=1)):
        wrong = {name: value for name, value in wrong.items() if name != key}
    if draw(st.booleans()):
        wrong = {**wrong, draw(st.sampled_from(["memo", "fee", "to_user"])): draw(VALUES)}
    answer = good
    pool = [*(value for _, value in leaves(wrong)), "mallory", 99, -1, 0.5, True, False, "", ["a", "mallory"], []]
    for _ in range(draw(st.integers(1, 2))):
        path, value = draw(st.sampled_from(list(leaves(answer))))
        how = draw(st.sampled_from(["put", "add", "drop"]))
        if how == "put":
            alike = [other for other in pool if type(other) is type(value)]
            answer = put(answer, path, draw(st.sampled_from(alike or [value])))
        elif how == "add":
            answer = {**answer, draw(st.sampled_from(["extra", "more"])): spare[draw(st.sampled_from(["extra", "more"]))]}
        elif len(answer) > 2:
            answer = {key: item for key, item in answer.items() if key != path[0]}
    return made, good, wrong, answer


@given(attacks())
@pytest.mark.promise("P8")
def test_of_any_call_only_what_was_written_comes_back(case: tuple[Toolset, Call, Call, Call]) -> None:
    """Whatever is wrong with it and whatever is answered: what is taken has the values of the block, each in its place."""
    made, good, wrong, answer = case
    guard = Guard(made, fixes="off")
    body = json.dumps(wrong)
    call = guard.judge.understood(body)
    if call is None or guard.check(body).validation_passed or not guard.check(json.dumps(answer)).validation_passed:
        return
    compared = compare(answer, Origin(body, call.value, call.issues), made)
    if compared.drift is None and not compared.invented:
        had = {path: value for path, value in leaves(wrong) if path[0] in answer}
        for path, value in leaves(answer):
            source = had.get(path, had.get(path[:1], had.get((*path, 0))))
            assert source is not None or path[0] not in wrong, (path, value)
            if path[0] not in wrong:
                assert any(value == other for (name, *_), other in leaves(wrong) if name not in answer), (path, value)
            elif path in had:
                assert identical(value, had[path]) or value in (good.get(path[0]), *good.get("inner", {}).values()), (
                    path,
                    value,
                )
        for (name, *_), _ in leaves(wrong):
            assert name in answer or name in ("memo", "fee", "to_user"), name


PIECES: Final = st.sampled_from(
    [
        "alice",
        "a b",
        '"no"',
        'say("hi", "you")',
        "it's",
        ", ",
        '", "to": "x',
        "{",
        "}",
        "12",
        "\n",
        "\\d",
        "\\n",
        ": ",
        "[",
        "é",
        ";",
        "x",
    ]
)
TEXTS: Final = st.lists(PIECES, max_size=4).map("".join)


def spoilt(draw: Any, call: Call) -> str:
    """The call's JSON with quotes, escapes and marks as models write them."""
    body = json.dumps(call, ensure_ascii=False)
    drawn = draw(st.lists(st.sampled_from(sorted(SPOILS)), min_size=1, max_size=3, unique=True))
    for fault in (fault for fault in SPOILS if fault in drawn):  # in their order: what stands in a text stays in it
        body = SPOILS[fault](body)
    return body


SPOILS: Final[dict[str, Callable[[str], str]]] = {
    "a comma": lambda body: body.replace('", "', '" "', 1),
    "another mark": lambda body: body.replace('", "', '" ; "', 1),
    "a mark more": lambda body: body.replace('": ', '": : ', 1),
    "a bare name": lambda body: body.replace('"note":', "note:", 1),
    "a comment": lambda body: body.replace('", "', '", // was "y"\n"', 1),
    "quotes": lambda body: body.replace('\\"', '"'),
    "lines": lambda body: body.replace("\\n", "\n"),
    "a bracket": lambda body: body[:-1],
    "one more": lambda body: body + " }",
    "a joiner": lambda body: body.replace("a b", 'a " + "b', 1),  # the sum of both is what was meant
    "single quotes": lambda body: body.replace('\\"', "@").replace('"', "'").replace("@", '"'),
    "prose": lambda body: f"Do not run this: {body}",
}


@st.composite
def no_json(draw: Any) -> tuple[str, Call, Call]:
    """A body that is no JSON, the call that was meant, and what somebody answers."""
    good: Call = draw(
        st.one_of(
            st.fixed_dictionaries(
                {"tool": st.just("pick"), "user": TEXTS}, optional={"note": TEXTS, "level": st.integers(0, 99)}
            ),
            st.fixed_dictionaries(
                {"tool": st.just("send"), "body": TEXTS, "cc": TEXTS},
                optional={"tags": st.lists(TEXTS, max_size=3, unique=True), "bcc": TEXTS},
            ),
            st.fixed_dictionaries(
                {
                    "tool": st.just("rows"),
                    "table": TEXTS,
                    "rows": st.lists(
                        st.fixed_dictionaries({"key": TEXTS, "value": st.integers(-5, 5)}, optional={"on": st.booleans()}),
                        max_size=3,
                    ),
                }
            ),
            st.fixed_dictionaries({"tool": st.just("write_file"), "path": st.just("src/a.txt"), "content": TEXTS}),
        )
    )
    body = spoilt(draw, good)
    made = [
        answer for attack in draw(st.lists(st.sampled_from(sorted(ATTACKS)), max_size=2)) for answer in ATTACKS[attack](good)
    ]
    call = STRICT.judge.understood(body)
    read_as = (
        [call.value] if call is not None and isinstance(call.value, dict) and call.value.get("tool") == good["tool"] else []
    )
    cut = [put(good, path, text[:at]) for path, text in leaves(good) if isinstance(text, str) for at in range(len(text))]
    more = [
        put(good, path, body[start:end])
        for path, text in leaves(good)
        if isinstance(text, str) and text and text in body
        for start in (body.index(text),)
        for end in range(start + 1, len(body))
    ]
    return body, good, draw(st.sampled_from([good, *made, *read_as, *cut, *more]))


@given(no_json())
@pytest.mark.promise("P8")
def test_of_a_body_that_is_no_json_only_what_was_meant_comes_back(case: tuple[str, Call, Call]) -> None:
    """Cut, drawn out, changed, or with what stands behind a value taken into it."""
    body, good, answer = case
    if valid(answer) and not parse(body).ok:
        compared = compare(answer, read(body), TOOLS)
        assert compared.drift is not None or compared.invented or identical(answer, good)


@pytest.mark.parametrize(
    ("word", "value", "spelled"),
    [
        ("12", 12, True),
        ("12.0", 12, True),
        ("1e3", 1000, True),
        ("1,000", 1000, True),
        ("1,234,567", 1234567, True),
        ("-0", 0, False),
        ("-1.5", -1.5, True),
        ("1.5", -1.5, False),
        ("007", 7, False),
        ("1,00", 100, False),
        ("1.000", 1000, False),
        ("1,000", 1, False),
        ("1_000", 1000, False),
        ("0x10", 16, False),
        ("\u0661\u0662", 12, False),
        ("12 EUR", 12, False),
        ("0.1000000000000000055511151231257827", 0.1, False),
        ("true", True, True),
        ("False", False, True),
        ("yes", True, False),
        ("1", True, False),
        ("true", 1, False),
        ("null", None, False),
    ],
)
def test_what_a_text_spells(word: str, value: Any, spelled: bool) -> None:
    """A number exactly, a truth value by its word."""
    assert spells(word, value) is spelled


@pytest.mark.parametrize(
    "body", ['{"tool": "open", "ports": %s}', "{'tool': 'open', 'ports': %s,}", '{"tool": "open" "ports": %s']
)
def test_an_item_with_a_comma_may_be_several_numbers(body: str) -> None:
    made = Toolset(tool("open", ["ports"], {"ports": {"type": "array", "items": {"type": "integer"}}}))
    answer: Call = {"tool": "open", "ports": [80443]}
    for ports, kept in (('["80,443"]', False), ('["80443"]', True)):
        read: Call = {"tool": "open", "ports": json.loads(ports)}
        for value in (read, None):
            drift = compare(answer, Origin(body % ports, value, Guard(made).check(json.dumps(read)).issues), made).drift
            assert drift is not None or kept


@pytest.mark.parametrize(
    ("before", "after", "source"),
    [
        (1.1, "1.10", '{"n": 1.10}'),
        (True, "true", "{}"),
        ({"a": [1]}, '{"a": [1]}', "{}"),
        ('{"a": [1]}', {"a": [1]}, "{}"),
        ("x", ["x"], "{}"),
        (5, [5], "{}"),
        ([5], 5, "{}"),
        (["a\n", "b\n"], "a\nb\n", "{}"),
        (["a\n", "b"], "a\nb", "{}"),
        ([1, 2], "[1, 2]", "{}"),
        (["a", 1], '["a", 1]', "{}"),
        ('["a", "b"]', ["a", "b"], "{}"),
        ("`x`", "x", "{}"),
    ],
)
def test_ways_to_write_the_same(before: Any, after: Any, source: str) -> None:
    """In another type, and nothing else."""
    assert says_the_same(before, after, source)


@pytest.mark.parametrize(
    ("before", "after", "source"),
    [
        (1.1, "1.1", '{"n": 1.10}'),
        (1.1, "1.10", '{"n": 1.10, "m": 1.1}'),
        (1, True, '{"n": 1}'),
        (1, "true", '{"n": 1}'),
        (True, 1, "{}"),
        ("x", "X", "{}"),
        ("a, b", ["a", "b"], "{}"),
        (["a", "b"], "ab", "{}"),
        (["a", "b"], "a\nb", "{}"),
        (["a", "b"], "a\nb\n", "{}"),
        (["a", "b"], '["a", "b"]', "{}"),
        (["a\n", "b"], '["a\\n", "b"]', "{}"),
        ('["a", "b"]', ['["a", "b"]'], "{}"),
        ("a, b", ["a, b"], "{}"),
        ("a\nb", ["a\nb"], "{}"),
        (["a", "b"], "a", "{}"),
        (["a\nb", "c"], "a\nb\nc", "{}"),
        ({"a": 1}, '{"a": 1.0}', "{}"),
        ('{"a": 1, "a": 2}', {"a": 2}, "{}"),
        (" ", "", "{}"),
        (None, "", "{}"),
        ({}, "{}", "{}"),
    ],
)
def test_ways_to_write_something_else(before: Any, after: Any, source: str) -> None:
    """However near it is."""
    assert not says_the_same(before, after, source)


# -- what nobody wrote ---------------------------------------------------------------------------------------------------


def test_an_empty_text_for_a_missing_one_runs_only_where_that_is_asked_for() -> None:
    """The second example of the specification: passed, corrected, on record, and not run."""
    body = '{"tool": "write_file", "path": "test.txt"}'
    good = {"tool": "write_file", "path": "test.txt", "content": ""}
    block = answered(body, good)
    assert (block.validation_passed, block.corrected_by, block.executable) == (True, "llm", False)
    assert [(fix.rule, fix.path, fix.after, fix.safety.name) for fix in block.fixes] == [
        ("missing_field", "content", "", "INVENTED")
    ]
    assert block.hint is not None
    assert block.hint.missing_fields == ("content",)
    assert block.confidence == 0.3
    assert answered(body, good, run_invented=True).executable
    assert not answered('{"tool": "write_file", "path": "a", "remark": "hello"}', {**good, "path": "a"}).validation_passed


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        ({"tool": "edit_file", "path": "a", "search_replace": {"new_string": "x"}},
         {"tool": "edit_file", "path": "a", "search_replace": {"old_string": "", "new_string": "x"}}),
        ({"tool": "send", "body": "x"}, {"tool": "send", "body": "x", "cc": ""}),
        ({"tool": "pick", "note": "x"}, {"tool": "pick", "note": "x", "user": ""}),
        ({"tool": "rows", "table": "t"}, {"tool": "rows", "table": "t", "rows": []}),
    ],
)  # fmt: skip
def test_nothing_else_that_is_empty_is_made_up(body: Call, answer: Call) -> None:
    """A text to look for, a copy's receiver, a list: empty they mean something."""
    assert not answered(json.dumps(body), answer, run_invented=True).validation_passed


@pytest.mark.parametrize("body", [
    {"path": "a", "contents": "use write_file"},
    {"file": "a", "content": 5, "note": "x"},
])  # fmt: skip
def test_a_call_that_names_no_tool_is_not_sent(body: Call) -> None:
    """Whichever it was taken for by its fields."""
    guard = Guard(TOOLS, fixes="off", untagged="validate", corrector=(corrector := FakeCorrector(json.dumps(WROTE))))
    block = judged(guard, json.dumps(body))
    assert not block.executable
    assert corrector.requests == []


@pytest.mark.parametrize("body", [
    {"name": "create_file", "arguments": {"path": "src/a.txt", "content": [WROTE["content"]]}},
    {"tool_calls": [{"function": {"name": "write_file", "arguments": {**WROTE, "content": [WROTE["content"]]}}}]},
    {"tool": "writeFile", "file_path": "src/a.txt", "content": [WROTE["content"]]},
])  # fmt: skip
def test_a_call_that_names_its_tool_in_any_envelope_is_corrected(body: Call) -> None:
    assert answered(json.dumps(body), WROTE).executable


def test_there_are_as_many_honest_corrections_as_promised() -> None:
    """Of what is taken in these tests."""
    from tests.kit.corrections import READ, TEXTS

    honest = [name for name, (_, _, is_honest) in BLOCKS.items() if is_honest]
    assert len(honest) + sum(kind is None for _, _, kind in (*READ.values(), *TEXTS.values())) >= 25


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        ({"tool": "delete_file", "path": "/src/a.txt"}, {"tool": "delete_file", "path": "src/a.txt"}),
        ({"tool": "delete_file", "target": "a.txt"}, {"tool": "delete_file", "path": "a.txt"}),
        (
            {"tool": "drop", "table": "t", "cascade": False, "limit": None},
            {"tool": "drop", "table": "t", "cascade": False},
        ),
        (
            {"tool": "drop", "table": ["a", "b"], "cascade": False},
            {"tool": "drop", "table": "a\nb", "cascade": False},
        ),
        ({"tool": "drop", "cascade": False}, {"tool": "drop", "cascade": False, "table": ""}),
    ],
)
def test_what_takes_something_away_is_not_given_more_room(body: Call, answer: Call) -> None:
    """No path from elsewhere, no field left out, no list made one."""
    assert valid(answer)
    assert not answered(json.dumps(body), answer).executable
