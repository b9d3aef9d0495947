"""Steps are counted before a value is validated, and what may take too many is refused."""

from __future__ import annotations

import json
import random
from functools import partial
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stream_guard import Guard, Tool, Toolset
from stream_guard.schema import steps, unions
from stream_guard.schema.schema import Schema, SchemaError
from stream_guard.schema.steps import Steps
from tests.kit.breadth import some
from tests.kit.counting import calls
from tests.kit.values import VALUES

F: dict[str, Any] = {"$ref": "#/$defs/f"}
"""The schema that contains itself."""


def recursive(f: dict[str, Any]) -> dict[str, Any]:
    return {"$defs": {"f": f}, "type": "object", "properties": {"where": F}, "required": ["where"]}


def form(kind: str, **members: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"kind": {"const": kind}, **members},
        "required": ["kind", *members],
        "additionalProperties": False,
    }


FILTER = recursive({"anyOf": [form("and", left=F, right=F), form("or", left=F, right=F), form("is", value={"type": "string"})]})
ALIKE = recursive({"anyOf": [{"properties": {"l": F, "r": F}, "required": [name]} for name in ("x", "y")]})


def chain(depth: int, leaf: Any, **beside: Any) -> dict[str, Any]:
    for _ in range(depth):
        leaf = {**beside, "l": leaf}
    return {"where": leaf}


def nested_list(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value, 1]
    return value


def filtered(depth: int, leaf: Any) -> dict[str, Any]:
    for _ in range(depth):
        leaf = {"kind": "and", "right": {"kind": "is", "value": "b"}, "left": leaf}
    return {"where": leaf}


def test_a_union_with_a_discriminator_takes_steps_in_proportion_to_its_depth() -> None:
    """Each value is validated with the one form that its field names, whatever the others contain."""
    counted = Steps(unions.decide(FILTER).document)
    wrong = {"kind": "is", "value": 5}
    few, many = (counted.reading(filtered(depth, wrong)) for depth in (15, 60))
    assert many < 5 * few < steps.MOST


@pytest.mark.parametrize("depth", [1, 12, 60])
def test_the_one_wrong_leaf_of_a_deep_filter_is_named(depth: int) -> None:
    schema = Schema(FILTER)
    (violation,) = schema.violations(filtered(depth, {"kind": "is", "value": 5}))
    assert violation.path == ("where", *["left"] * depth, "value")
    assert violation.keyword == "type"
    assert schema.accepts(filtered(depth, {"kind": "is", "value": "x"}))


@pytest.mark.parametrize(
    ("leaf", "path", "keyword", "expected"),
    [
        ({"value": "x"}, ("kind",), "required", ["and", "or", "is"]),
        ({"kind": "if", "value": "x"}, ("kind",), "enum", ["and", "or", "is"]),
        ({"kind": "is", "value": "x", "valu": 1}, ("valu",), "additionalProperties", ["kind", "value"]),
    ],
    ids=["no kind", "another kind", "a field too many"],
)
def test_violations_of_a_union_say_what_is_expected(
    leaf: dict[str, Any], path: tuple[str, ...], keyword: str, expected: list[str]
) -> None:
    (violation,) = Schema(FILTER).violations(filtered(3, leaf))
    assert (violation.path[4:], violation.keyword, violation.expected) == (path, keyword, expected)


class Unasked:
    """A validator that must not be asked."""

    def is_valid(self, _: object) -> bool:
        raise AssertionError("the validator was asked")

    iter_errors = is_valid


NASTY: dict[str, tuple[dict[str, Any], Any]] = {
    "forms that are alike": (ALIKE, chain(40, {}, r={})),
    "allOf": (recursive({"allOf": [{"properties": {"l": F}}] * 2 + [{"properties": {"l": dict(F)}}]}), chain(40, {})),
    "oneOf": (recursive({"oneOf": [{"properties": {"l": dict(F)}}, {"properties": {"l": dict(F)}}]}), chain(40, {})),
    "not": (recursive({"not": {"properties": {"l": {"not": F}}}, "properties": {"l": dict(F)}}), chain(60, {})),
    "if": (recursive({"if": {"properties": {"l": F}}, "then": {"properties": {"l": dict(F)}}}), chain(40, {})),
    "patternProperties": (recursive({"patternProperties": {"l": F, "^l": dict(F)}}), chain(40, {})),
    "additionalProperties": (
        recursive({"properties": {}, "patternProperties": {"l": F}, "additionalProperties": dict(F)}),
        chain(40, {}),
    ),
    "dependentSchemas": (
        recursive({"dependentSchemas": {"l": {"properties": {"l": F}}}, "properties": {"l": dict(F)}}),
        chain(40, {}),
    ),
    "unevaluatedProperties": (
        recursive({"allOf": [{"properties": {"l": F}}], "unevaluatedProperties": F}),
        chain(40, {}, z={}),
    ),
    "unevaluatedItems": ({"properties": {"where": F}, "$defs": {"f": {"unevaluatedItems": F}}}, {"where": nested_list(40)}),
    "contains and unevaluatedItems": (
        {"properties": {"where": F}, "$defs": {"f": {"contains": F, "unevaluatedItems": F}}},
        {"where": nested_list(40)},
    ),
    "unevaluatedProperties of no member": (
        recursive({"anyOf": [{"properties": {"l": F}}], "unevaluatedProperties": False}),
        chain(40, {}),
    ),
    "$dynamicRef": (
        {"$dynamicAnchor": "n", "allOf": [{"properties": {"l": {"$dynamicRef": "#n"}}} for _ in "ab"]},
        chain(40, {})["where"],
    ),
    "references that double": (
        {
            "$defs": {f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"} for _ in "ab"]} for n in range(30)}
            | {"d30": {"type": "null"}},
            "properties": {"a": {"$ref": "#/$defs/d0"}},
        },
        {"a": 1},
    ),
    "a big enum and many items": (
        {"properties": {"a": {"items": {"enum": [{"n": n} for n in range(2000)]}}}},
        {"a": [{"n": -1}] * 2000},
    ),
    "numbers with fractions": ({"properties": {"a": {"items": {"enum": [n + 0.5 for n in range(300)]}}}}, {"a": [1] * 400}),
    "a pattern that looks ahead": ({"properties": {"a": {"pattern": "(?=.*x)(?=.*y)"}}}, {"a": "a" * 8000}),
    "a pattern that repeats repetitions": ({"properties": {"a": {"pattern": "(x{0,100}){0,100}y"}}}, {"a": "x" * 8000}),
    "a pattern of many items": ({"properties": {"a": {"items": {"pattern": "(a*)*b\\1"}}}}, {"a": ["a" * 28] * 200}),
    "patterns of names": (
        {"patternProperties": {f"(a|b){n}x[01]{{9}}$": {} for n in range(60)}},
        {f"k{n}": 1 for n in range(900)},
    ),
}


@pytest.mark.parametrize("name", NASTY)
def test_what_takes_too_many_steps_is_refused_without_asking_the_validator(name: str) -> None:
    document, value = NASTY[name]
    schema = Schema(document)
    assert schema.is_heavy or schema._steps.judging(value) > steps.MOST
    object.__setattr__(schema, "_validator", Unasked())
    assert schema._steps.judging(value) > steps.MOST
    assert not schema.accepts(value)
    assert not schema.refuses(value)
    (violation,) = schema.violations(value)
    assert (violation.keyword, violation.expected) == ("steps", steps.MOST)


@pytest.mark.parametrize("name", NASTY)
def test_counting_ends_soon_after_the_bound(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The nodes that are looked at, not their steps, are the work of counting."""
    document, value = NASTY[name]
    looked = [0]
    plain = steps._of_patterns

    def counted(node: Any, here: Any) -> int:
        looked[0] += 1
        return plain(node, here)

    monkeypatch.setattr(steps, "_of_patterns", counted)
    counts = Steps(document)
    assert counts.judging(value) > steps.MOST
    assert looked[0] < 5_000


@pytest.mark.parametrize(
    ("document", "value"),
    [
        ({"patternProperties": {f"^k{n}.*x": {"type": "string"} for n in range(400)}}, {f"f{n}": n for n in range(4_000)}),
        ({"allOf": [{"additionalProperties": {"type": "string"}} for _ in range(400)]}, {f"f{n}": n for n in range(4_000)}),
        ({"allOf": [{"propertyNames": {"pattern": f"x{n}"}} for n in range(400)]}, {f"f{n}": n for n in range(4_000)}),
        ({"allOf": [{"items": {"type": "string", "pattern": f"x{n}"}} for n in range(400)]}, [*range(4_000)]),
    ],
    ids=["patterns", "members", "names", "items"],
)
def test_counting_does_not_list_what_it_will_not_count(document: dict[str, Any], value: Any) -> None:
    """Every schema for every member would be 1,600,000 pairs."""
    counts = Steps(document)
    for count in (counts.judging, counts.reading):
        assert calls(partial(count, value), native=True) < 200_000
        assert count(value) > steps.MOST


def test_a_block_that_takes_too_many_steps_is_not_executable_and_says_so() -> None:
    guard = Guard(Toolset(Tool("search", "", ALIKE)))
    block = guard.check(json.dumps({"tool": "search", **chain(40, {}, r={})}))
    assert not block.executable
    assert [issue.code for issue in block.issues] == ["too_complex"]
    assert block.hint is not None
    assert "Nest less deeply" in block.hint.message


@given(st.dictionaries(st.text(max_size=40), VALUES, max_size=9))
def test_a_json_text_is_no_shorter_than_the_size_of_its_value(value: dict[str, Any]) -> None:
    """So what the length of the text allows, counting allows too."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    assert steps.size_of(value) <= len(text)


def test_the_values_of_a_short_text_need_not_be_counted() -> None:
    """Those of a longer one, and those of a schema that contains itself, are."""
    plain, endless = Schema(ladder({"allOf": [{"type": "object"}] * 20}, 1, {}, {})), Schema(FILTER)
    most = plain._steps.uncounted
    assert most > 1000
    assert plain.accepts_of(most) == plain._validator.is_valid
    assert plain.accepts_of(most + 1) == plain.accepts != plain._validator.is_valid
    assert endless.accepts_of(0) == endless.accepts != endless._validator.is_valid


def test_what_is_not_valid_and_takes_too_long_to_explain_is_refused() -> None:
    """Whether it is valid takes fewer steps than why it is not."""
    schema, value = Schema(ALIKE), chain(10, {"l": 5, "q": 1}, r={"q": 1})
    assert schema._steps.judging(value) <= steps.MOST < schema._steps.reading(value)
    assert [violation.keyword for violation in schema.violations(value)] == ["steps"]


@pytest.mark.parametrize(
    "document",
    [
        {"allOf": [{"$ref": "#"}]},
        {
            "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"anyOf": [{"$ref": "#/$defs/a"}]}},
            "properties": {"x": {"$ref": "#/$defs/a"}},
        },
        {"not": {"$ref": "#"}},
    ],
    ids=["allOf", "two that refer to each other", "not"],
)
def test_a_schema_that_applies_to_its_own_value_without_end_is_refused(document: dict[str, Any]) -> None:
    with pytest.raises(SchemaError, match="its own value again without end"):
        Schema(document)


@pytest.mark.parametrize("counts", [1, 3, 30])
def test_an_ordinary_recursive_schema_takes_few_steps(counts: int) -> None:
    """Optional links, lists of children and operators with names of their own do not multiply."""
    node = recursive(
        {"type": "object", "properties": {"next": {"anyOf": [F, {"type": "null"}]}, "all": {"items": F}, "not": F}}
    )
    value: Any = {}
    for _ in range(counts):
        value = {"next": value, "all": [{}, {}], "not": {"next": None}}
    assert Schema(node)._steps.reading({"where": value}) < 200_000
    assert Schema(node).accepts({"where": value})


def nodes(draw: random.Random, depth: int) -> dict[str, Any]:
    """Return a random schema with unions."""
    kind = draw.choice(("object", "object", "union", "string", "integer", "null", "array"))
    if depth == 0 or kind in ("string", "integer", "null"):
        return draw.choice(({"type": "string"}, {"type": "integer"}, {"type": "null"}, {"$ref": "#/$defs/f"}, {"const": "a"}))
    if kind == "array":
        return {"type": "array", "items": nodes(draw, depth - 1)}
    if kind == "union":
        branches = [
            tagged(draw, depth - 1, tag) for tag in draw.choice((("a", "b"), ("a", "b", "c"), ("a", "a"), (1, True), (1, 2)))
        ]
        others = draw.sample(
            ({"type": "null"}, {"type": "string"}, {"type": ["null", "object"]}, {"enum": ["x"]}, {}), draw.choice((0, 0, 1, 2))
        )
        made = [*branches, *others]
        draw.shuffle(made)
        return {
            draw.choice(("anyOf", "oneOf")): made,
            **draw.choice(({}, {}, {"required": ["t"]}, {"unevaluatedProperties": False})),
        }
    return tagged(draw, depth, "a")


def tagged(draw: random.Random, depth: int, tag: Any) -> dict[str, Any]:
    if draw.random() < 0.15:
        return {"$ref": "#/$defs/f"}
    members = {name: nodes(draw, depth - 1) for name in draw.sample(("l", "r", "v"), draw.randrange(3))} if depth else {}
    made: dict[str, Any] = {"properties": {"t": draw.choice(({"const": tag}, {"enum": [tag, f"{tag}2"]})), **members}}
    if draw.random() < 0.9:
        made["type"] = "object"
    if draw.random() < 0.7:
        made["required"] = ["t"]
    if draw.random() < 0.5:
        made["additionalProperties"] = False
    return made


def values(draw: random.Random, depth: int) -> Any:
    if depth == 0 or draw.random() < 0.3:
        return draw.choice(("a", "x", 1, 1.0, True, None, {}, []))
    if draw.random() < 0.15:
        return [values(draw, depth - 1) for _ in range(draw.randrange(3))]
    made = {name: values(draw, depth - 1) for name in draw.sample(("l", "r", "v"), draw.randrange(3))}
    return made if draw.random() < 0.15 else {"t": draw.choice(("a", "b", "c", "a2", 1, 1.0, True, 2, None)), **made}


def compiled(document: dict[str, Any]) -> Schema | None:
    """Return the schema; None for one that applies to its own value without end."""
    try:
        return Schema(document)
    except SchemaError:
        return None


@pytest.mark.some
def test_a_union_that_is_decided_accepts_the_values_that_it_accepted() -> None:
    """Random unions of tagged forms, nested and recursive, and random values: the verdict is that of the schema as written."""
    draw = random.Random(20261122)
    seen = {True: 0, False: 0}
    decided = 0
    rounds = len(some(range(3_000), 1_200))
    for _ in range(rounds):
        document = {"$defs": {"f": nodes(draw, 2)}, "properties": {"where": nodes(draw, 3)}}
        schema = compiled(document)
        if schema is None:
            continue
        decided += schema._unions.document != document
        plain = jsonschema_rs.validator_for(document)
        for _ in range(8):
            value = {"where": values(draw, 3)}
            verdict = plain.is_valid(value)
            seen[verdict] += 1
            assert schema.accepts(value) is verdict, (document, value)
            assert (not list(schema.violations(value))) is verdict, (document, value)
    assert decided > rounds // 10
    assert min(seen.values()) > rounds * 2 // 3, seen


R: dict[str, Any] = {"$ref": "#/$defs/r"}
LADDERS: dict[str, dict[str, Any]] = {
    "$ref": {**R, "allOf": [R]},
    "allOf": {"allOf": [R, R]},
    "anyOf": {"anyOf": [R, R]},
    "oneOf": {"oneOf": [R, R, R]},
    "if": {"if": R, "then": R, "else": R},
    "then": {"if": {"required": ["a"]}, "then": R, "else": R},
    "dependentSchemas": {"dependentSchemas": {"a": R, "b": R}},
    "one in another": {"allOf": [{"anyOf": [R, {"if": True, "then": R}]}]},
}
"""What one level of a ladder asks of the next one, which is `R` there."""


def ladder(rung: Any, levels: int, leaf: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    """Return a schema of which each level refers to the next one as `rung` refers to `R`."""

    def at(level: int) -> Any:
        return json.loads(json.dumps(rung).replace("#/$defs/r", f"#/$defs/d{level + 1}"))

    return {"$ref": "#/$defs/d0", "$defs": {f"d{n}": at(n) for n in range(levels)} | {f"d{levels}": leaf}, **root}


@pytest.mark.some(40)
@pytest.mark.parametrize("levels", [14, 40, 60])
@pytest.mark.parametrize("where", ["at the root", "at each level"])
@pytest.mark.parametrize("keyword", ["unevaluatedProperties", "unevaluatedItems"])
@pytest.mark.parametrize("name", LADDERS)
def test_what_the_validator_would_copy_too_often_is_refused_before_it_reads_it(
    name: str, keyword: str, where: str, levels: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It copies what a schema includes for each way there, so a part that is shared by two branches doubles with each level."""

    def unasked(*_: object, **__: object) -> None:
        raise AssertionError("the validator was asked")

    monkeypatch.setattr(jsonschema_rs, "validator_for", unasked)
    rung = LADDERS[name] | ({keyword: False} if where == "at each level" else {})
    document = ladder(rung, levels, {"required": ["x"]}, {keyword: False} if where == "at the root" else {})
    with pytest.raises(SchemaError, match="in more than 2,000 ways"):
        Schema(document)


def test_a_tool_with_such_a_schema_is_named() -> None:
    with pytest.raises(ValueError, match=r"tool 'search'.*in more than 2,000 ways"):
        Tool("search", "", {"type": "object", **ladder(LADDERS["anyOf"], 40, {}, {"unevaluatedProperties": False})})


@pytest.mark.parametrize("name", LADDERS)
def test_shared_parts_of_a_few_levels_are_read(name: str) -> None:
    """Also where there are many such parts, and where a form of a large union looks for what it has not evaluated."""
    few = ladder(LADDERS[name] | {"unevaluatedProperties": False}, 4, {"properties": {"x": {}}}, {})
    assert Schema(few).document == few
    forms = [form(f"k{n}", **{f"m{k}": {"type": "string"} for k in range(20)}) for n in range(60)]
    for one in forms:
        del one["additionalProperties"]
        one |= {"allOf": [{"$ref": "#/$defs/base"}], "unevaluatedProperties": False}
    document = {"$defs": {"base": {"properties": {"id": {}}}}, "anyOf": forms, "unevaluatedProperties": False}
    value = {"kind": "k7", "id": 1, **{f"m{k}": "x" for k in range(20)}}
    assert Schema(document).accepts(value)
    assert not Schema(document).accepts({**value, "z": 1})


BELOW: dict[str, dict[str, Any]] = {
    "properties": {"properties": {"a": R}, "patternProperties": {"a": R}},
    "additionalProperties": {"allOf": [{"additionalProperties": R}], "additionalProperties": R},
    "unevaluatedProperties": {"unevaluatedProperties": R, "allOf": [{"unevaluatedProperties": R}]},
    "additional and unevaluated": {"oneOf": [{"additionalProperties": R}], "unevaluatedProperties": R},
    "if": {"if": {"properties": {"a": R}}, "then": {"additionalProperties": R}, "unevaluatedProperties": R},
    "items": {"prefixItems": [R, R], "items": R, "contains": R},
    "contains": {"contains": R, "minContains": 1, "maxContains": 3, "items": R},
    "unevaluatedItems": {"unevaluatedItems": R},
    "contains and unevaluatedItems": {"contains": R, "unevaluatedItems": R},
    "all of them": {"anyOf": [{"contains": R}, {"prefixItems": [R]}], "unevaluatedItems": R},
    "items and unevaluatedItems": {"if": {"contains": R}, "then": {"items": R}, "unevaluatedItems": False},
}
"""What one level of a ladder asks of the members and items of its value."""

SAME = LADDERS | {
    "one of allOf": {"allOf": [R]},
    "one of anyOf": {"anyOf": [R]},
    "not": {"allOf": [R, {"not": R}]},
    "not both": {"not": {"allOf": [R, R]}},
    "dependencies": {"dependencies": {"a": R, "b": R}},
}


class Probe:
    """A keyword of the last level, that counts how often the validator comes to it."""

    seen = 0

    def __init__(self, _parent: object, value: bool, _path: object) -> None:
        self.holds = value

    def validate(self, _value: object) -> None:
        Probe.seen += 1
        if not self.holds:
            raise ValueError("it does not hold")

    def is_valid(self, _value: object) -> bool:
        Probe.seen += 1
        return self.holds


@pytest.mark.some(80)
@pytest.mark.parametrize("draft", ["2019-09", "2020-12"])
@pytest.mark.parametrize(
    "beside",
    [
        {},
        {"unevaluatedProperties": False},
        {"unevaluatedItems": False},
        {"unevaluatedProperties": {"probe": True}, "unevaluatedItems": {"probe": False}},
    ],
    ids=["nothing", "unevaluatedProperties", "unevaluatedItems", "both"],
)
@pytest.mark.parametrize("name", [*SAME, *(f"below: {name}" for name in BELOW)])
def test_what_is_counted_is_at_least_what_the_validator_does(
    name: str, beside: dict[str, Any], draft: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes to the last level of a ladder no more often than counted, where each rule costs a step and all else nothing."""
    for constant, value in (("_VISIT", 0), ("_LISTED", 0), ("_COST", (1, 1, 1, 1)), ("MOST", 10**12), ("_MOST_WAYS", 10**12)):
        monkeypatch.setattr(steps, constant, value)
    deep = name.removeprefix("below: ")
    rung = {**beside, **BELOW[deep]} if deep != name else {**SAME[name], **beside}
    most = 0
    for levels in (3, 5):
        given: list[Any] = [{}, {"a": 1}, {"a": 1, "b": 2, "c": 3}, [], [1], 1]
        if deep != name:
            given = [nested(levels, {"a": 0}), nested(levels, {"a": 0, "b": 1}), nested(levels, [0]), nested(levels, [0, 1, 2])]
        for leaf in ({"probe": True}, {"probe": False}, {"probe": True, "properties": {"a": {}}}):
            document = {"$schema": f"https://json-schema.org/draft/{draft}/schema"} | ladder(rung, levels, leaf, {})
            validator = jsonschema_rs.validator_for(document, offline=True, keywords={"probe": Probe})
            counts = Steps(document)
            counts._static = steps._ENDLESS  # type: ignore[misc]  # count, however light it is
            counts.is_light = False  # type: ignore[misc]
            for value in given:
                Probe.seen = 0
                validator.is_valid(value)
                assert Probe.seen <= counts.judging(value), (levels, leaf, value)
                most = max(most, Probe.seen)
                Probe.seen = 0
                list(validator.iter_errors(value))
                assert Probe.seen <= counts.reading(value), (levels, leaf, value)
    assert most


def nested(levels: int, around: Any) -> Any:
    """Return a value that holds itself as its member `a` or its first item."""
    value: Any = 1
    for _ in range(levels):
        value = {**around, "a": value} if isinstance(around, dict) else [value, *around[1:]]
    return value


NAMES = [f"r{n}" for n in range(600)]
BIG: dict[str, Any] = {"a": [{"x": n} for n in range(600)], "t": "x" * 20_000}

FAILING: dict[str, dict[str, Any]] = {
    "required": {"required": NAMES},
    "dependentRequired": {"dependentRequired": {"b": NAMES, "a": NAMES}},
    "dependencies": {"$schema": "http://json-schema.org/draft-07/schema#", "dependencies": {"a": NAMES}},
    "dependentSchemas": {"dependentSchemas": {"a": {"required": NAMES}}},
    "then": {"if": {"required": ["a"]}, "then": {"required": NAMES}},
    "else": {"if": {"required": ["b"]}, "else": {"required": NAMES}},
    "a reference": {"allOf": [{"$ref": "#/$defs/x"}], "$defs": {"x": {"required": NAMES}}},
    "anyOf": {"anyOf": [{"required": NAMES}, {"required": ["b", *NAMES]}]},
    "oneOf": {"oneOf": [{"required": NAMES}, {"minProperties": 9}]},
    "one union in another": {"anyOf": [{"oneOf": [{"required": NAMES}]}]},
    "type": {"allOf": [{"type": ["string", "array"]} for _ in NAMES]},
    "not": {"allOf": [{"not": {"required": ["a"]}} for _ in NAMES]},
    "const": {"allOf": [{"const": {"b": 1}} for _ in NAMES]},
    "enum": {"allOf": [{"enum": [{"b": 1}, name]} for name in NAMES]},
    "false": {"allOf": [False for _ in NAMES]},
    "minProperties": {"allOf": [{"minProperties": 9} for _ in NAMES]},
    "maxProperties": {"allOf": [{"maxProperties": 0} for _ in NAMES]},
    "propertyNames": {"propertyNames": {"allOf": [{"maxLength": 0} for _ in NAMES]}},
    "propertyNames of a type": {"propertyNames": {"anyOf": [{"type": "null"} for _ in NAMES]}},
    "additionalProperties": {"allOf": [{"additionalProperties": False} for _ in NAMES]},
    "additionalProperties beside others": {
        "allOf": [{"properties": {"b": {}}, "patternProperties": {"c": {}}, "additionalProperties": False} for _ in NAMES]
    },
    "unevaluatedProperties": {"allOf": [{"unevaluatedProperties": False} for _ in NAMES]},
    "a union that fits twice": {"allOf": [{"oneOf": [True, {}]} for _ in NAMES]},
    "maxLength": {"properties": {"t": {"allOf": [{"maxLength": 0} for _ in NAMES]}}},
    **{
        f"{rule} of a list": {"properties": {"a": {"allOf": [{rule: asked} for _ in NAMES]}}}
        for rule, asked in {
            "contains": False, "minItems": 10**4, "maxItems": 0, "items": False, "unevaluatedItems": False, "type": "string",
        }.items()
    },
}  # fmt: skip
"""Schemas that one value breaks in very many ways."""


def size(value: Any) -> int:
    """Return how many values there are in a value."""
    if isinstance(value, dict):
        return 1 + sum(1 + size(held) for held in value.values())
    return 1 + sum(map(size, value)) if isinstance(value, list) else 1


def copied(error: Any) -> int:
    """Return how many values an error has copies of, with those of the branches of a union."""
    within = error.kind.as_dict().get("context", ()) if error.kind.name in ("anyOf", "oneOf") else ()
    return size(error.instance) + sum(copied(one) for branch in within for one in branch)


@pytest.mark.parametrize("name", FAILING)
def test_no_violations_are_read_that_would_copy_a_value_very_often(name: str) -> None:
    """Each violation has a copy of the value that it is about; the longer both are, the longer that takes."""
    schema = Schema({"type": "object", **FAILING[name]})
    assert not schema.accepts(BIG)
    assert schema._steps.reading(BIG) > steps.MOST
    assert [violation.keyword for violation in schema.violations(BIG)] == ["steps"]


FEW: dict[str, Any] = {"a": [{"x": 1}, {"x": []}, "y"], "b": {"c": {"d": "e"}}, "c": "x", "t": "words"}


def placed(document: dict[str, Any], levels: int) -> dict[str, Any]:
    """Return a schema that has this one for the values of each level, or for the root alone."""
    own = {key: part for key, part in document.items() if key not in ("$schema", "$defs")}
    beside = {key: part for key, part in document.items() if key in ("$schema", "$defs")}
    for _ in range(levels):
        own = {"allOf": [own, {"additionalProperties": own, "items": own}]}
    return {**own, **beside}


@pytest.mark.some(30)
@pytest.mark.parametrize("levels", [0, 1, 2])
@pytest.mark.parametrize("name", FAILING)
def test_violations_copy_no_more_values_than_are_counted(name: str, levels: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copied value costs a step here, and all else nothing."""
    for constant, held in (("_VISIT", 0), ("_LISTED", 0), ("_COST", (0, 0, 0, 0)), ("_COPY", 1), ("MOST", 10**12)):
        monkeypatch.setattr(steps, constant, held)
    few = json.loads(json.dumps(FAILING[name]).replace(json.dumps(NAMES)[1:-1], json.dumps(NAMES[:3])[1:-1]))
    document = placed({key: part[:3] if key == "allOf" else part for key, part in few.items()}, levels)
    validator = jsonschema_rs.validator_for(document, offline=True)
    counts = Steps(document)
    counts._static = steps._ENDLESS  # type: ignore[misc]  # count, however light it is
    counts.is_light = False  # type: ignore[misc]
    few_values: list[Any] = [FEW, {}, {"a": {}}, {"a": [[], [1]]}, {"a": FEW, "z": [FEW]}]
    for value in few_values:
        # The copy of a value that is neither a text nor a container costs no more than its violation.
        done = sum(copied(error) for error in validator.iter_errors(value))
        single = sum(1 for error in validator.iter_errors(value) if size(error.instance) == 1)
        assert done - single <= counts.reading(value), value


def honest(fields: int, levels: int) -> dict[str, Any]:
    """Return the schema of an object that requires this number of fields, on each of this number of levels."""
    properties: dict[str, Any] = {f"f{n}": {"type": "string", "maxLength": 100} for n in range(fields)}
    if levels:
        properties["rows"] = {"type": "array", "items": honest(fields, levels - 1)}
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def filled(fields: int, levels: int, rows: int) -> dict[str, Any]:
    made: dict[str, Any] = {f"f{n}": "some words" for n in range(fields)}
    return made | {"rows": [filled(fields, levels - 1, rows) for _ in range(rows)]} if levels else made


@pytest.mark.parametrize(("fields", "levels", "rows"), [(500, 0, 0), (40, 1, 10), (8, 2, 6), (4, 3, 4)])
def test_what_is_wrong_with_a_call_of_a_large_tool_is_named(fields: int, levels: int, rows: int) -> None:
    """However many names are required: those that are there break no rule."""
    schema = Schema(honest(fields, levels))
    call = filled(fields, levels, rows)
    assert schema.accepts(call)
    del call["f1"]
    call["f2"] = 5
    call["more"] = 1
    found = [(violation.path, violation.keyword) for violation in schema.violations(call)]
    assert sorted(found) == [(("f1",), "required"), (("f2",), "type"), (("more",), "additionalProperties")]
