"""Values and names that a fix would read in one of two ways: a sign that is the value, a text beside a damaged name, no item.

Each kind is made of many tools, and stands beside honest neighbours, which run.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import chain, product
from typing import Any

import pytest

from stream_guard import Guard, Risk, Tool, Toolset
from stream_guard.schema.spelling import Choices

S: Any = {"type": "string"}
N: Any = {"type": "number"}
L: Any = {"type": "array", "items": S}
SIGNS = " _-./"


def _guard(name: str, required: str, risk: Risk = Risk.WRITE, /, *, settings: Any = None, **fields: Any) -> Guard:
    schema = {"type": "object", "properties": fields, "required": required.split(), "additionalProperties": False}
    return Guard(Toolset(Tool(name, "", schema, risk=risk)), **(settings or {}))


def _ran(guard: Guard, body: Any) -> dict[str, Any] | None:
    block = guard.check(body if isinstance(body, str) else json.dumps(body, ensure_ascii=False))
    return {key: value for key, value in (block.arguments or {}).items() if key != "tool"} if block.executable else None


# A sign of a choice that is its value.

SIGNED = [
    ["-5", "-0.5", "5"], ["-1", "1"], ["A+", "A", "A-", "B"], ["AB+", "AB-"], ["1/4", "1/2", "1", "2"], ["24/7", "9-5"],
    ["0-5", "5-10"], ["1/3", "2/3"], ["+", "-"], ["16/9", "4/3"], ["2.5", "25"], ["v1.1", "v11"], ["x_1_1", "x_11"],
    ["top_10", "top_1_0"], ["a_b", "ab"], ["x-y", "x_y"], ["1.0", "10"], ["-40", "40"], ["sha_256", "sha_25_6"], ["A4", "A5"],
]  # fmt: skip
"""Choices whose signs stand beside a digit or a single letter, or at an edge."""


def _edited(choice: str) -> Iterator[str]:
    """Yield a choice with one sign more, or less, or another one."""
    for at in range(len(choice) + 1):
        for sign in (*SIGNS, "--", ". ", " -"):
            yield choice[:at] + sign + choice[at:]
            if choice[at : at + 1] and not choice[at].isalnum():
                yield choice[:at] + sign + choice[at + 1 :]
        if choice[at : at + 1] and not choice[at].isalnum():
            yield choice[:at] + choice[at + 1 :]


JOINED = [
    ("read", "write"), ("buy", "sell"), ("low", "medium"), ("left", "right"), ("import", "export"), ("mon", "fri"),
    ("draft", "final"), ("north", "east"), ("pass", "fail"),
]  # fmt: skip
UNITS = [
    "MB", "Mb", "GB", "Gb", "kB", "KB", "mb", "mg", "Mg", "mm", "mW", "MW", "MHz", "mHz", "MWh", "m", "M", "s", "S", "mV", "MV",
    "GiB", "Mbps", "5m", "5M", "1D", "m²", "pH", "MPa",
]  # fmt: skip


@pytest.mark.promise("P8")
@pytest.mark.parametrize("choices", SIGNED, ids=str)
def test_a_sign_that_is_the_value_of_a_choice_is_no_other_spelling(choices: list[str]) -> None:
    known = Choices(choices)
    tried = {text for choice in choices for text in _edited(choice)} - {*choices}
    assert [text for text in tried if known.spelt(text) is not None] == []
    guard = _guard("pick", "one", one={"enum": choices}, many={"type": "array", "items": {"enum": choices}})
    some = sorted(tried)[::7]
    assert [text for text in some if _ran(guard, {"tool": "pick", "one": text}) is not None] == []
    assert [text for text in some if _ran(guard, {"tool": "pick", "one": choices[0], "many": [text]}) is not None] == []


@pytest.mark.promise("P8")
@pytest.mark.parametrize("pair", JOINED, ids="_".join)
def test_a_choice_that_joins_two_is_not_meant_by_both_with_another_sign(pair: tuple[str, str]) -> None:
    for words, sign in product((pair, pair[::-1]), SIGNS):
        known = Choices([*words, sign.join(words)])
        for other in (*SIGNS, "", " / ", ", ", " or "):
            for text in (other.join(words), other.join(words).upper(), other.join(map(str.title, words))):
                assert known.spelt(text) in (None, sign.join(words) if text.lower() == sign.join(words) else None)
        assert Choices([sign.join(words)]).spelt("/".join(words)) in (None, "/".join(words))
        assert Choices([f"{words[0]}_{words[1]}", f"{words[0]}-{words[1]}"]).spelt(" ".join(words)) is None


@pytest.mark.promise("P8")
@pytest.mark.parametrize("unit", UNITS)
def test_the_capitals_of_a_unit_and_of_a_letter_are_its_own(unit: str) -> None:
    forms = {unit.lower(), unit.upper(), unit.capitalize(), unit.swapcase()} - {unit}
    for choices in ([unit], [unit, "none"], [unit, "other_unit"]):
        assert {form for form in forms if Choices(choices).spelt(form) is not None} == set()


@pytest.mark.parametrize(
    ("written", "choices", "meant"),
    [
        ("High", ["low", "high"], "high"),
        ("OFF", ["on", "off"], "off"),
        ("eur", ["EUR", "USD"], "EUR"),
        ("am", ["AM", "PM"], "AM"),
        ("in progress", ["todo", "in_progress"], "in_progress"),
        ("In-Progress", ["todo", "in_progress"], "in_progress"),
        ("inProgress", ["todo", "in_progress"], "in_progress"),
        ("IN_PROGRESS", ["todo", "in_progress"], "in_progress"),
        ("order.created", ["order_created", "order_paid"], "order_created"),
        ("read-write", ["read_only", "read_write"], "read_write"),
        ("filename", ["file_name", "size"], "file_name"),
        ("X_Axis", ["x_axis", "y_axis"], "x_axis"),
        ("utf-8", ["UTF-8", "UTF-16"], "UTF-8"),
        ("Read/Write", ["read/write"], "read/write"),
        ("c++", ["C++", "C#", "C"], "C++"),
        ("Über uns", ["über_uns"], None),
    ],
)
def test_another_spelling_of_the_words_of_a_choice_is_that_choice(written: str, choices: list[str], meant: str | None) -> None:
    assert Choices(choices).spelt(written) == meant
    guard = _guard("pick", "one", one={"enum": choices})
    assert _ran(guard, {"tool": "pick", "one": written}) == (None if meant is None else {"one": meant})


# A name that shows what happened to the texts beside it.


def _forms(name: str, texts: dict[str, Any]) -> Iterator[Any]:
    yield {"tool": name, **texts}
    yield {"name": name, "arguments": texts}
    yield {"type": "function", "function": {"name": name, "arguments": texts}}
    yield [{"tool": name, **texts}]
    yield {"name": name, "arguments": json.dumps(texts)}
    yield json.dumps({"tool": name, **texts})[:-1] + ",}"


DAMAGES: dict[str, tuple[str, list[str]]] = {
    "a blank at the beginning": (" drop_table", [" users", "users ", "\tusers"]),
    "a blank at the end": ("drop_table ", ["users ", " users", "users\n"]),
    "a doubled sign": ("drop__table", ["order__items", "a__b__c"]),
    "blanks for the sign": ("drop table", ["order items", "a b c"]),
    "a doubled blank": ("drop  table", ["order  items"]),
    "blanks around the sign": ("drop _ table", ["order _ items"]),
    "capitals": ("DROP_TABLE", ["ORDERS", "ORDER_ITEMS"]),
}
REPLACED = {"-": "order-items", ".": "order.items", "/": "order/items"}


@pytest.mark.some(9)
@pytest.mark.promise("P8")
@pytest.mark.parametrize("risk", [Risk.READ, Risk.WRITE, Risk.DESTRUCTIVE], ids=str)
@pytest.mark.parametrize("kind", DAMAGES)
def test_a_text_that_looks_as_its_damaged_name_did_is_refused(kind: str, risk: Risk) -> None:
    name, texts = DAMAGES[kind]
    guard = _guard("drop_table", "table", risk, table=S, note=S, tables=L)
    for text in texts:
        for given in ({"table": text}, {"table": text, "note": text}, {"table": text, "tables": [text]}):
            for body in chain(_forms(name, given), _forms(name.replace("drop", "Drop") if name.islower() else name, given)):
                assert _ran(guard, body) is None, body


@pytest.mark.promise("P8")
@pytest.mark.parametrize("sign", REPLACED)
def test_something_is_taken_away_only_where_no_sign_of_a_text_may_be_another(sign: str) -> None:
    guard = _guard("drop_table", "table", Risk.DESTRUCTIVE, table=S)
    assert _ran(guard, {"tool": f"drop{sign}table", "table": REPLACED[sign]}) is None
    assert _ran(guard, {"tool": f"drop{sign}table", "table": "order_items"}) == {"table": "order_items"}
    assert _ran(guard, {"tool": f"drop{sign}table", "table": "orders"}) == {"table": "orders"}


@pytest.mark.promise("P8")
def test_the_name_of_a_field_shows_it_too_and_that_of_another_call() -> None:
    guard = _guard("add_tag", "tag_name", tag_name=S, kind=S)
    assert _ran(guard, {"tool": "add_tag", "tag__name": "a__b"}) is None
    assert _ran(guard, {"tool": "add_tag", "tag__name": "a_b"}) == {"tag_name": "a_b"}
    assert not guard.check('[{"tool": " add_tag", "tag_name": "a"}, {"tool": "add_tag", "tag_name": " b"}]').executable


@pytest.mark.promise("P8")
@pytest.mark.parametrize("wrapping", ["<tool_call>\n%s\n</tool_call>\n", "<longcat_tool_call>\n%s\n</longcat_tool_call>\n"])
def test_a_damaged_name_in_a_call_of_a_dialect_shows_it_too(wrapping: str) -> None:
    guard = _guard("drop_table", "table", table=S, settings={"dialects": "all"})
    for name, text in ((" drop_table", " users"), ("drop__table", "a__b"), ("drop table", "a b")):
        made = guard.scan([wrapping % json.dumps({"name": name, "arguments": {"table": text}})])
        assert not any(getattr(item, "executable", False) for item in made)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        (" send_mail", {"to": "ann@example.com", "body": "Hello Ann, how are you?"}),
        ("send__mail", {"to": "ann_b@example.com", "body": "my_text is here"}),
        ("send mail", {"to": "ann@example.com", "body": "Hello Ann, how are you?"}),
        ("Send Mail", {"to": "ann@example.com", "body": "The file is a_b"}),
        ("send mail", {"to": "order_items", "body": "call Ann"}),
        ("send-mail", {"to": "ann-b@example.com", "body": "x-y"}),
        ("sendMail", {"to": "annB", "body": "call Ann"}),
        ("SEND_MAIL", {"to": "ANN", "body": "Hello Ann"}),
        ("SEND_MAIL", {"to": "EU", "body": "US"}),
        ("send_mail", {"to": " ann", "body": "a__b"}),
    ],
)
def test_a_damaged_name_beside_texts_that_look_otherwise_is_mended(name: str, given: dict[str, Any]) -> None:
    assert _ran(_guard("send_mail", "to body", to=S, body=S), {"tool": name, **given}) == given


# An empty line where a comma or a bracket is missing.

EMPTY = ["\n\n", "\n \n", "\r\n\r\n", "\n\t\n  ", "\n\n\n", " \n\n"]


def _with_empty_lines() -> Iterator[str]:
    for gap in EMPTY:
        yield f'{{"tool": "poll", "question": "q", "options": ["a",{gap}"votes": [1]}}'
        yield f'{{"tool": "poll", "question": "q", "options": ["a"{gap}, "votes": [1]}}'
        yield f'{{"tool": "poll", "question": "q", "options": ["a", // the call{gap}"votes": [1]}}'
        yield f'{{"tool": "poll", "question": "q", "options": ["a", "b",{gap}]}}'
        yield f'{{"tool": "poll", "question": "q", "options": ["a", "b"{gap},]}}'
        yield f'{{"tool": "poll", "question": "q", "options": ["a", "b", // the call{gap}]}}'
        yield f'{{"tool": "poll", "question": "q", "options": ["a"],{gap}}}'
        yield f'{{"tool": "poll", "question": "q"{gap}"options": ["a"]}}'
        yield f'{{"tool": "poll", "question": "q", "options": ["a"{gap}"b"]}}'
        yield f'{{"tool": "poll", "question": "q", "options": ["a"]{gap}"votes": [1]}}'


@pytest.mark.promise("P8")
@pytest.mark.parametrize("settings", [{}, {"fixes": "lossless"}], ids=str)
def test_an_empty_line_where_a_mark_is_missing_may_have_held_something(settings: Any) -> None:
    guard = _guard("poll", "question options", question=S, options=L, votes={"type": "array", "items": N}, settings=settings)
    assert [body for body in _with_empty_lines() if _ran(guard, body) is not None] == []


@pytest.mark.parametrize(
    "body",
    [
        '{"tool": "poll",\n\n"question": "q", "options": ["a",\n"votes": [1]}',
        '{\n\n"tool": "poll", "question": "q",\n\n"options": ["a", "b",\n]}',
        '{"tool": "poll", "question": "q"\n"options": ["a"],\n\n"votes": [1]\n\n}',
        '{"tool": "poll", "question": "One?\n\nTwo?", "options": ["a"],}',
    ],
)
def test_an_empty_line_elsewhere_says_nothing(body: str) -> None:
    assert (
        _ran(_guard("poll", "question options", question=S, options=L, votes={"type": "array", "items": N}), body) is not None
    )


# A text in the place of a list.

NO_ITEMS = """
    none None NONE n/a N/A n.a. na nil null - -- — – ? ! . … * nobody noone no-one nothing never all ALL any everyone
    everybody both others same default true True false yes no on off 0 Nein keine Keiner niemand ja nenhum nenhuma ninguém
    aucun aucune personne ninguno nadie nessuno niente geen niemand ingen brak никто нет все kein_ not_applicable
    not-available 无 没有 なし 없음 全部 いいえ 네 لا כולם नहीं !a -a +a =a ^a %a a&b 1-5 1..3 1–3 10:20
""".split()  # noqa: SIM905
SEVERAL = [f"a{sign}b" for sign in ",;|，、；،؛।·•・︐﹐﹑﹔､；।۔።፣՝\n\u2028\u3002\u2223"]
SEVERAL += ["Mon/Wed/Fri", "red/blue", "5/7", "a+b", "#a#b", "a%2Cb", "a\\b", "anna@x.org/bob@y.org", "anna@x.org+bob@y.org"]
ITEMS = """
    garden urgent bug-fix a_b src/a.txt ./a.py ../b /etc/hosts ~/x .gitignore @ann #tag $HOME user:1 env=prod C++ node.js
    2026-11-23 v1.2 10.0.0.0/8 https://example.com/a?b=c no-reply on-call all-hands non-fiction 42 é 東京 Zoë naïve наука
    سلام a+b@example.com
""".split()  # noqa: SIM905


def _lists(texts: Iterable[str]) -> Iterator[tuple[str, Any]]:
    guards = [
        _guard("add_rule", "priority", priority=N, allow=L, note=S),
        _guard("tag", "id", id=S, allow={"type": ["array", "null"], "items": S}),
        _guard("find", "id", Risk.READ, id=S, allow=L),
    ]
    heads: list[dict[str, Any]] = [{"tool": "add_rule", "priority": 1}, {"tool": "tag", "id": "x"}, {"tool": "find", "id": "x"}]
    for text, (guard, head) in product(texts, zip(guards, heads, strict=True)):
        ran = _ran(guard, {**head, "allow": text})
        yield text, "refused" if ran is None else ran.get("allow", "dropped")


@pytest.mark.promise("P8")
def test_a_text_that_speaks_of_the_items_or_holds_several_is_no_item() -> None:
    assert [(text, made) for text, made in _lists([*NO_ITEMS, *SEVERAL]) if isinstance(made, list)] == []


def test_a_text_that_is_one_item_is_a_list_of_it() -> None:
    """A word alone only where the tool changes nothing: else it may say something of the field, as `unchanged` does."""
    for text in ITEMS:
        in_rule, in_tag, found = (made for _, made in _lists([text]))
        assert found == [text]
        is_a_name = any(char.isdigit() or char in "@#/.:" for char in text)
        assert (in_rule, in_tag) == (([text], [text]) if is_a_name else ("refused", "refused")), text


def test_a_text_that_the_items_allow_is_an_item() -> None:
    guard = _guard("notify", "to", to={"type": "array", "items": {"type": "string", "enum": ["all", "none", "Ann"]}})
    assert _ran(guard, {"tool": "notify", "to": "none"}) == {"to": ["none"]}


@pytest.mark.promise("P8")
@pytest.mark.parametrize("number", [0, -1, 0.0, -0.5])
def test_a_number_that_may_mean_none_or_all_is_no_item(number: float) -> None:
    guard = _guard("draw", "sizes", sizes={"type": "array", "items": N})
    assert _ran(guard, {"tool": "draw", "sizes": number}) is None
    assert _ran(guard, {"tool": "draw", "sizes": 3}) == {"sizes": [3]}


# Null in the place of a value.

VERBS = """
    adjust alter amend apply assign change configure deploy edit grant import link mark move mute overwrite patch put reassign
    book invite post publish record
    rename replace reset revise run save scale schedule
    set share start store sync tag unassign update upsert write zuweisen ändern
    create_or_update add_or_replace new_or_set
""".split()  # noqa: SIM905
MAKING = "add compose create generate insert make new register send submit".split()  # noqa: SIM905
BOUNDS = "deadline duration ceiling retention_days stop top frist".split()  # noqa: SIM905
FIELDS = "assignee deadline duration ceiling retention_days stop top frist note owner proxy parent_id password".split()  # noqa: SIM905


@pytest.mark.promise("P8")
@pytest.mark.parametrize("risk", [Risk.WRITE, Risk.DESTRUCTIVE], ids=str)
def test_a_null_is_never_dropped_where_something_is_changed(risk: Risk) -> None:
    for verb in VERBS:
        guard = _guard(f"{verb}_item", "id", risk, id=S, **dict.fromkeys(FIELDS, S), size=N, names=L)
        for field, null in product((*FIELDS, "size", "names"), (None, "null", "None")):
            ran = _ran(guard, {"tool": f"{verb}_item", "id": "a", field: null})
            assert ran is None or ran[field] == null, (verb, field, null)
    guard = _guard("list_items", "id", Risk.READ, id=S, **dict.fromkeys(FIELDS, S))
    assert _ran(guard, {"tool": "list_items", "id": "a", "owner": None}) == {"id": "a"}


@pytest.mark.promise("P8")
@pytest.mark.parametrize("verb", MAKING)
def test_a_null_is_dropped_where_something_is_made_but_in_no_bound(verb: str) -> None:
    """What is not there yet has nothing to be cleared. A bound may hold by itself, and any number may be one."""
    names = [*FIELDS, "size", "names"]
    for risk in (Risk.WRITE, Risk.DESTRUCTIVE):
        guard = _guard(f"{verb}_item", "id", risk, id=S, **dict.fromkeys(FIELDS, S), size=N, names=L)
        for field in names:
            dropped = risk is Risk.WRITE and field not in {*BOUNDS, "size"}
            assert _ran(guard, {"tool": f"{verb}_item", "id": "a", field: None}) == ({"id": "a"} if dropped else None), field


@pytest.mark.parametrize(
    ("written", "choices", "proposed"),
    [
        ("-.5", ["-5", "-0.5"], None),
        ("AB.", ["AB+", "AB-"], None),
        ("Mb", ["MB", "GB"], None),
        ("hgih", ["low", "high"], "high"),
        ("in progres", ["todo", "in_progress"], "in_progress"),
    ],
)
def test_no_choice_is_proposed_whose_signs_are_others(written: str, choices: list[str], proposed: str | None) -> None:
    body = json.dumps({"tool": "pick", "one": written})
    (issue,) = _guard("pick", "one", one={"enum": choices}).check(body).issues
    assert issue.suggestion == proposed
