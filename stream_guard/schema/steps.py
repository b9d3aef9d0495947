"""How many steps the validation of a value takes at most, counted before the validation.

A validator in C cannot be interrupted, and a schema of a few hundred characters can take it hours: one that contains itself in
two branches of a union doubles the steps with each level of the value. `Steps` knows which parts of a schema apply to which
parts of a value, and how often; it does not know what is valid.

    schema -> nodes, a node after those that it includes -> value by value: which nodes, how often -> steps

Rule 1: steps are counted, and never measured: a call is refused on all machines or on none.
Rule 2: the count is at least as high as the work that is done. A keyword whose effect is not decided here counts with
everything that it may apply.
Rule 3: counting ends at the bound, and is linear in the steps that it has counted.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping
from itertools import chain, islice
from typing import Any, Final

from . import patterns

MOST: Final = 1_000_000
"""The most steps of one validation, about 50 ms of processor time. A call that may take more is refused."""

_COST: Final = (1, 1, 32, 128)
"""The steps of a rule for each of `_WHYS`: to be asked what it evaluates, to be judged, to be read, or to be read in a branch,
where most rules fail."""

_VISIT: Final = 40
"""The steps of the counting itself: for one node and one value, besides the validator's own."""

_LISTED: Final = 2
"""The steps of a value that a rule lists, when its violation is read."""

_FLOAT: Final = 64
"""The steps of comparing a number with a fraction, which is compared as a decimal."""

_COPY: Final = 3
"""The steps of copying one value: each violation has a copy of the whole value that breaks the rule."""

_SAME: Final = ("allOf", "anyOf", "oneOf")
_VALUE: Final = ("not", "if")
_CHILDREN: Final = (
    "additionalProperties", "additionalItems", "unevaluatedProperties", "unevaluatedItems", "propertyNames", "contains",
    "items",
)  # fmt: skip
_DEPENDENT: Final = ("dependentSchemas", "dependencies")  # a member of these may be a list of names, and no schema
_NAMED: Final = ("properties", "patternProperties", *_DEPENDENT)
_SCHEMAS: Final = frozenset({*_SAME, *_VALUE, *_CHILDREN, *_NAMED, "then", "else", "prefixItems", "$defs", "definitions"})
"""The keywords whose value holds schemas, each of which gets a node of its own."""

_FAILING: Final[Mapping[type, tuple[str, ...]]] = {
    str: ("minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType", "enum", "const"),
    dict: ("minProperties", "maxProperties", "unevaluatedProperties", "enum", "const"),
    list: ("minItems", "maxItems", "uniqueItems", "contains", "additionalItems", "unevaluatedItems", "enum", "const"),
}
"""The rules that a string, an object or a list may break, once each. Whether the value breaks them is not looked at here."""

_JUDGING: Final = ("not", "anyOf", "oneOf")
"""The rules that any value may break, once each, and whose schemas are judged."""

_ASKED, _JUDGED, _READ, _BRANCH = _WHYS = range(4)
"""The reasons why a node applies to a value. It is asked which members or items it evaluates (for that, everything that it
includes is judged and asked too); it is judged (valid or not); its violations are read; or those of a branch are read. A node
is asked last."""

_READING: Final = (_READ, _BRANCH)


_MOST_WAYS: Final = 2_000
"""Limit: ways from the schemas with `unevaluatedProperties` or `unevaluatedItems` through the schemas that they include; each
schema on a way counts. The validator copies all of them when it reads a schema, and parts that are shared are copied once for
each way. A copy takes 700 bytes."""


class EndlessSchemaError(ValueError):
    """Raised for a schema that applies to its own value again, and so never ends; and for a reference that leads nowhere."""


class SharedPartsError(ValueError):
    """Raised for a schema that the validator would not finish reading: its parts are shared in very many ways."""


class _Node:
    """One schema of a document: the cost of its own rules, and the nodes that it applies to a value."""

    __slots__ = (
        "branches",
        "decides",
        "fails",
        "judged",
        "keys",
        "listed",
        "names_fail",
        "number",
        "schema",
        "strings",
        "tried",
        "unchecked",
        "values_listed",
        "within",
    )

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.schema = schema
        self.number = 0
        """The node's place in an order in which each node follows those that it includes."""
        self.keys = 1
        """The steps that the node's own rules take."""
        self.values_listed = 0
        """How many values the node's own rules list."""
        self.strings: tuple[tuple[str, bool], ...] = ()
        """The node's patterns, each with whether the linear engine takes it."""
        self.fails: Mapping[type, int] = {}
        """How many of the node's own rules a string, an object or a list may break, whatever its value."""
        self.names_fail = 0
        """How many rules a member's name may break although it is valid by this schema and by those that it includes."""
        self.unchecked = patterns.UNCHECKED in schema
        """Whether the schema has lost a pattern, so that the validity of strings and objects is undetermined."""
        self.within: list[_Node] = []
        """The nodes that apply to the same value."""
        self.branches: list[_Node] = []
        """The branches of the node's unions. They are judged; if none is valid, their violations are read."""
        self.judged: list[_Node] = []
        """The nodes of schemas that only have to be valid or not (`not`, `if`), and whose violations are never read."""
        self.decides: tuple[_Test | None, _Node | None, _Node | None] | None = None
        """The node's `if`: the test, if it is simple, and the node for each result of the test."""
        self.tried = False
        """Whether the node has `unevaluatedProperties` or `unevaluatedItems`, and so asks the schemas beside it what they have
        evaluated."""
        self.listed: dict[str, list[_Node]] = {}
        """The nodes of the schemas for members and items, by the keyword that holds them: `properties`, `items` ..."""


_Test = tuple[dict[str, tuple[Any, ...]], tuple[str, ...], bool]
"""A simple condition: the values of some members, the members that must be there, and whether the value must be an object."""


class Steps:
    """Counts the steps of validating values with a schema.

    Args:
        document: The schema.

    Raises:
        EndlessSchemaError: The schema applies to its own value again, or has a reference that leads nowhere.
        SharedPartsError: Its unevaluated rules look through its parts in too many ways.
    """

    __slots__ = ("_named", "_nodes", "_root", "_static", "is_heavy", "is_light", "uncounted", "ways")

    def __init__(self, document: Mapping[str, Any]) -> None:
        reader = _Reader(document)
        self._root: Final = reader.node(document)
        self._nodes: Final = _ordered(reader.nodes)
        self.ways: Final = _ways(self._nodes)
        """How many parts of the schema the validator copies."""
        self._static: Final = _unfolded(self._root)
        self._named: Final = any("propertyNames" in node.listed for node in self._nodes)
        """Whether a schema has `propertyNames`, so that an object may break one rule as often as it has members."""
        self.is_light: Final = self._static <= _LIGHT
        """Whether no value that is short enough to be judged can take too many steps."""
        self.uncounted: Final = -1 if self._static == _ENDLESS else int(MOST / max(self._static * _COST[_JUDGED], 1)) - 1
        """The length of the longest JSON text whose values cannot take too many steps to be judged, whatever they are: a text
        has at least as many characters as `size_of` counts in its value."""
        self.is_heavy: Final = self._static > _HEAVY
        """Whether a short value may take many steps."""

    def judging(self, value: Any) -> int:
        """Return the most steps it takes to learn whether a value is valid. Counting stops above `MOST`."""
        return 0 if self.is_light else self._count(value, _JUDGED)

    def reading(self, value: Any) -> int:
        """Return the most steps it takes to read all violations of a value. Counting stops above `MOST`."""
        return 0 if self.is_light and not self._named else self._count(value, _READ)

    def _count(self, value: Any, why: int) -> int:
        uneven = self._static == _ENDLESS or (why == _READ and self._named)
        if not uneven and self._static * _COST[_BRANCH if why == _READ else why] * (1 + size_of(value)) <= MOST:
            return 0  # whatever applies to whatever
        total = 0
        left: list[tuple[Any, dict[int, int]]] = [(value, {len(_WHYS) * self._root.number + why: 1})]
        while left:
            here, given = left.pop()
            total += self._at(here, given, left, MOST - total)
            if total > MOST:
                break
        return total

    def _at(self, value: Any, given: dict[int, int], left: list[tuple[Any, dict[int, int]]], most: int) -> int:
        """Return the steps at one value, given its nodes and how often each applies. Those of inner values go to `left`."""
        total = 0
        waiting = [-state for state in given]
        heapq.heapify(waiting)
        below: dict[Any, dict[int, int]] = {}
        whole = 0.0  # the size of the value, if it has to be known

        def add(node: _Node, why: int, times: int) -> None:
            state = len(_WHYS) * node.number + why
            if state not in given:
                given[state] = 0
                heapq.heappush(waiting, -state)
            given[state] += times

        looks = 0  # at the values below

        def under(key: Any, node: _Node, why: int, times: int) -> None:
            nonlocal looks
            nodes = below.setdefault(key, {})
            state = len(_WHYS) * node.number + why
            looks += state not in nodes
            nodes[state] = nodes.get(state, 0) + times

        while waiting and total + _VISIT * looks <= most:
            state = -heapq.heappop(waiting)
            node, why, times = self._nodes[state // len(_WHYS)], state % len(_WHYS), given[state]
            total += _VISIT + times * (
                node.keys * _COST[why] + (_LISTED * node.values_listed if why in _READING else 0) + _of_patterns(node, value)
            )
            broken = _broken(node, value) if why in _READING else 0
            if broken:
                whole = whole or size_of(value)
                total += int(whole * (1 + times * broken * _COPY))
            if total + _VISIT * max(looks, _below(node, value)) > most:
                return most + 1
            asked = why == _ASKED
            for part in _included(node, value):
                add(part, _JUDGED if asked else why, times)
                if asked:
                    add(part, _ASKED, times)
            for part in chain(node.branches, node.judged):
                add(part, _JUDGED, times)
                if asked:
                    add(part, _ASKED, times)
            if why in _READING:
                for part in node.branches:
                    add(part, _BRANCH, times)
            if node.tried and not asked and isinstance(value, dict | list):
                add(node, _ASKED, times)
            below_why = _JUDGED if asked else why
            if node.listed and isinstance(value, dict):
                _members(node, value, below_why, times, under)
            elif node.listed and isinstance(value, list):
                _items(node, value, below_why, times, under)
        if isinstance(value, dict):
            left += ((key.name if isinstance(key, _Name) else value[key], nodes) for key, nodes in below.items())
        elif isinstance(value, list):
            left += ((value[key], nodes) for key, nodes in below.items())
        return total if total + _VISIT * looks <= most else most + 1


class _Name(tuple[str]):
    """The name of a member, treated as a value of its own, because `propertyNames` validates names."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return self[0]


def _below(node: _Node, value: Any) -> int:
    """Return how many times at least a node applies to the members or items of a value."""
    if not node.listed or not isinstance(value, dict | list):
        return 0
    each = _OF_EACH_MEMBER if isinstance(value, dict) else _OF_EACH_ITEM
    named = len(node.listed.get("properties", ())) if isinstance(value, dict) else 0  # not for `additionalProperties`
    return max(0, len(value) - named) * len({id(part) for keyword in each for part in node.listed.get(keyword, ())})


_OF_EACH_MEMBER: Final = ("patternProperties", "additionalProperties", "unevaluatedProperties", "propertyNames")
"""The keywords whose schemas apply to each member of an object."""

_OF_EACH_ITEM: Final = ("items", "additionalItems", "unevaluatedItems", "contains")
"""The keywords whose schemas apply to each item of a list."""

Under = Callable[[Any, _Node, int, int], None]


def _members(node: _Node, value: dict[str, Any], why: int, times: int, under: Under) -> None:
    """Call `under` with each member's key, a node that applies to the member, the reason, and `times`."""
    named: dict[str, _Node] = dict(zip(node.schema.get("properties", ()), node.listed.get("properties", ()), strict=False))
    few, many = (named, value) if len(named) < len(value) else (value, named)
    for key in few:
        if key in many:
            under(key, named[key], why, times)
    for keyword in ("patternProperties", "additionalProperties", "unevaluatedProperties"):
        for part in node.listed.get(keyword, ()):
            for key in value:
                if keyword == "patternProperties" or key not in named:
                    under(key, part, why, times)
                    if why in _READING and keyword != "patternProperties":
                        under(key, part, _JUDGED, times)
    for part in node.listed.get("propertyNames", ()):
        for key in value:
            under(_Name((key,)), part, why, times)
            if why in _READING:
                under(_Name((key,)), part, _JUDGED, times)


def _items(node: _Node, value: list[Any], why: int, times: int, under: Under) -> None:
    """Call `under` with each item's index, a node that applies to the item, the reason, and `times`."""
    leading = node.listed.get("prefixItems", ())
    for index, part in zip(range(len(value)), leading, strict=False):
        under(index, part, why, times)
    for keyword in _OF_EACH_ITEM:
        for part in node.listed.get(keyword, ()):
            for index in range(len(value)):
                under(index, part, why, times)


def _included(node: _Node, value: Any) -> Iterator[_Node]:
    """Yield the nodes that a node applies to the same value."""
    yield from node.within
    for keyword in ("dependentSchemas", "dependencies"):
        if keyword in node.listed and isinstance(value, dict):
            asked = [key for key, part in node.schema[keyword].items() if isinstance(part, Mapping)]
            yield from (part for key, part in zip(asked, node.listed[keyword], strict=True) if key in value)
    if node.decides is not None:
        test, then, otherwise = node.decides
        passes = None if test is None else _passes(test, value)
        if then is not None and passes is not False:
            yield then
        if otherwise is not None and passes is not True:
            yield otherwise


def _passes(test: _Test, value: Any) -> bool:
    """Return whether a value passes a simple condition."""
    members, required, is_object = test
    if not isinstance(value, dict):
        return not is_object
    if any(key not in value for key in required):
        return False
    return all(key not in value or _is_one(value[key], values) for key, values in members.items())


def _broken(node: _Node, value: Any) -> int:
    """Return how many of its own rules a node may find broken by a value that contains other values, or is a string.

    Each violation has a copy of the value. Three such rules are looked at more closely: that an object lacks names, has too
    many names, or is no object. Most tools have no other rules for objects, and calls break few of these, whatever the number
    of required names and the size of the call.
    """
    kind = type(value)
    if kind not in _FAILING:
        return 0
    schema = node.schema
    broken = node.fails.get(kind, 0) + _is_other(schema.get("type"), kind)
    if kind is not dict:
        return broken
    broken += _lacking(schema.get("required"), value)
    for keyword in ("dependentRequired", "dependencies"):
        depending = schema.get(keyword)
        if isinstance(depending, Mapping):
            broken += sum(_lacking(names, value) for key, names in depending.items() if key in value)
    if schema.get("additionalProperties") is False:
        named = schema.get("properties")
        broken += "patternProperties" in schema or not (isinstance(named, Mapping) and value.keys() <= named.keys())
    return broken + sum(len(value) * part.names_fail for part in node.listed.get("propertyNames", ()))


def _lacking(names: Any, value: dict[str, Any]) -> int:
    """Return how many of the required names an object lacks."""
    return sum(name not in value for name in names) if isinstance(names, list) else 0


def _is_other(kinds: Any, kind: type) -> bool:
    """Return whether a value of this Python type breaks the rule `type` with these types."""
    return kinds is not None and _NAMES[kind] not in (kinds if isinstance(kinds, list) else (kinds,))


_NAMES: Final[Mapping[type, str]] = {str: "string", dict: "object", list: "array"}


def _is_one(value: Any, values: tuple[Any, ...]) -> bool:
    return any(value == other and isinstance(value, bool) == isinstance(other, bool) for other in values)


def _test(schema: Any) -> _Test | None:
    """Return the condition of an `if` that only asks for the values of members; None for any other `if`."""
    if not isinstance(schema, Mapping) or not schema.keys() <= {"properties", "required", "type"}:
        return None
    members: dict[str, tuple[Any, ...]] = {}
    properties = schema.get("properties", {})
    for key, member in properties.items() if isinstance(properties, Mapping) else ():
        if not isinstance(member, Mapping) or not member.keys() <= {"const", "enum", "title", "description", "type"}:
            return None
        values = (member["const"],) if "const" in member else tuple(member.get("enum", ()))
        if not values or ("const" in member and "enum" in member):
            return None
        if "type" in member and not (member["type"] == "string" and all(isinstance(value, str) for value in values)):
            return None
        members[key] = values
    if schema.get("type", "object") != "object":
        return None
    return members, tuple(schema.get("required", ())), "type" in schema


def _of_patterns(node: _Node, value: Any) -> int:
    """Return the steps of a node's patterns and formats with a value, and with the names of its members."""
    if node.unchecked and isinstance(value, str | dict):
        return MOST + 1
    if isinstance(value, str):
        return len(value) // 16 + sum(patterns.steps(pattern, linear, len(value)) for pattern, linear in node.strings)
    if not isinstance(value, dict) or not node.strings:
        return 0
    keyed = node.schema.get("patternProperties")
    asked = [(pattern, linear) for pattern, linear in node.strings if isinstance(keyed, Mapping) and pattern in keyed]
    least = 8 * len(asked) * len(value)
    if least * _VISIT > MOST:
        return MOST + 1
    return least + sum(patterns.steps(pattern, linear, len(key)) for pattern, linear in asked for key in value)


_ENDLESS: Final = float("inf")

_LIGHT: Final = 12
"""Up to this number of steps for each value, whatever the value, nothing needs to be counted."""

_HEAVY: Final = 200
"""The steps for each value above which a schema is heavy. A schema that contains itself is always heavy."""


def size_of(value: Any) -> float:
    """Return how many values there are in a value; a long string counts as several. Counting ends when the number is large."""
    size, left = 0.0, [value]
    while left and size < MOST:
        item = left.pop()
        size += 1
        if isinstance(item, dict):
            for key, held in islice(item.items(), MOST):
                size += 1 + (len(key) / 16 if isinstance(key, str) else 0)
                if isinstance(held, str):  # most are: none of them need wait
                    size += 1 + len(held) / 16
                else:
                    left.append(held)
        elif isinstance(item, list):
            left += item
        elif isinstance(item, str):
            size += len(item) / 16
    return size


def _unfolded(root: _Node) -> float:
    """Return how many steps a schema takes for each value at most; infinite if it contains itself."""
    known: dict[_Node, float] = {}
    inside: set[_Node] = set()
    left: list[tuple[_Node, bool]] = [(root, False)]
    while left:
        node, done = left.pop()
        parts = [*_parts(node), *chain.from_iterable(node.listed.values())]
        if done:
            inside.discard(node)
            known[node] = node.keys + node.values_listed / 64 + sum(known.get(part, _ENDLESS) for part in parts)
            known[node] += 2 * sum(known.get(part, _ENDLESS) for part in node.branches)
        elif node not in known and node not in inside:
            if node.tried or node.unchecked or any(patterns.steps(*each, 16) > 1 for each in node.strings):
                return _ENDLESS  # it depends on the value
            inside.add(node)
            left.append((node, True))
            left += ((part, False) for part in parts)
    return known[root]


def _parts(node: _Node) -> Iterator[_Node]:
    """Yield all nodes that may apply to the same value."""
    yield from node.within
    yield from node.branches
    yield from node.judged
    for keyword in ("dependentSchemas", "dependencies"):
        yield from node.listed.get(keyword, ())
    yield from (part for part in (node.decides or ())[1:] if isinstance(part, _Node))


def _ordered(nodes: list[_Node]) -> list[_Node]:
    """Number the nodes, each after those that apply to the same value, and return them in that order."""
    made: list[_Node] = []
    begun: set[_Node] = set()
    for start in nodes:
        left: list[tuple[_Node, Iterator[_Node]]] = []
        if start not in begun:
            begun.add(start)
            left.append((start, _parts(start)))
        above = {start}
        while left:
            node, parts = left[-1]
            part = next(parts, None)
            if part is None:
                left.pop()
                above.discard(node)
                node.number = len(made)
                own = node.fails.get(str, 0) + _is_other(node.schema.get("type"), str)
                node.names_fail = min(own + sum(part.names_fail for part in _parts(node)), MOST)
                made.append(node)
            elif part in above:
                raise EndlessSchemaError(
                    "it applies to its own value again without end; let the `$ref` apply to a member or an item"
                )
            elif part not in begun:
                begun.add(part)
                above.add(part)
                left.append((part, _parts(part)))
    return made


def _ways(nodes: list[_Node]) -> int:
    """Return the number of ways from the nodes with rules for unevaluated values through the schemas that they include.

        Raises SharedPartsError if there are too many.

    The nodes are ordered, so that those that apply to the same value are known. A copy has the names of members, too, and
    reads each pattern of names again.
    """
    if not any(node.tried for node in nodes):
        return 0
    known: dict[_Node, int] = {}
    total = 0
    for node in nodes:
        keyed = node.schema.get("patternProperties")
        own = 1 + len(node.listed.get("properties", ())) // 8
        own += sum(map(patterns.weight, keyed)) if isinstance(keyed, Mapping) else 0
        known[node] = min(own + sum(known[part] for part in _parts(node)), _MOST_WAYS + 1)
        total += known[node] if node.tried else 0
        if total > _MOST_WAYS:
            raise SharedPartsError(
                f"it looks for what its parts have not evaluated in more than {_MOST_WAYS:,} ways; let fewer schemas have"
                " unevaluatedProperties or unevaluatedItems, or refer to a shared part once"
            )
    return total


class _Reader:
    """Reads the nodes of one document, each of its schemas once."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._bases: Final[dict[int, str]] = {}
        self._homes: Final[dict[tuple[str, str], list[Any]]] = {}
        self._dynamic: Final[dict[str, list[Any]]] = {}
        self._known: Final[dict[int, _Node]] = {}
        self.nodes: Final[list[_Node]] = []
        """All nodes that were read."""
        self._address(document)

    def _address(self, document: Mapping[str, Any]) -> None:
        """Note the base address of each place of the document, and each schema that has a name or an address (`$id`,
        `$anchor`).
        """
        old = "draft-0" in str(document.get("$schema", ""))
        self._homes["", ""] = [document]
        left: list[tuple[Any, str]] = [(document, "")]
        while left:
            here, base = left.pop()
            if isinstance(here, list):
                left += ((item, base) for item in here)
            elif isinstance(here, Mapping):
                for key in ("$id", "id") if old else ("$id",):
                    if isinstance(here.get(key), str):
                        address, name = _joined(base, here[key])
                        self._homes.setdefault((address, name), []).append(here)
                        base = address
                self._bases[id(here)] = base
                for key in ("$anchor", "$dynamicAnchor"):
                    if isinstance(here.get(key), str):
                        self._homes.setdefault((base, here[key]), []).append(here)
                if isinstance(here.get("$dynamicAnchor"), str):
                    self._dynamic.setdefault(here["$dynamicAnchor"], []).append(here)
                if here.get("$recursiveAnchor") is True:
                    self._dynamic.setdefault("", []).append(here)
                left += ((item, base) for item in here.values())

    def node(self, schema: Any) -> _Node:
        """Return the node of a schema, and make the nodes of all schemas that it leads to."""
        root, left = self._node(schema, []), [schema]
        while left:
            here = left.pop()
            if isinstance(here, Mapping):
                self._fill(self._known[id(here)], left)
        return root

    def _node(self, schema: Any, left: list[Any]) -> _Node:
        known = self._known.get(id(schema))
        if known is None:
            known = self._known[id(schema)] = _Node(schema if isinstance(schema, Mapping) else {})
            known.fails = dict.fromkeys(_FAILING, int(schema is False))
            self.nodes.append(known)
            left.append(schema)
        return known

    def _fill(self, node: _Node, left: list[Any]) -> None:
        """Set the attributes of a node from its schema: the nodes below it, and the cost of its own rules.

        Schemas that have no node yet get one, and are appended to `left`.
        """
        schema = node.schema
        for key, part in schema.items():
            self._fill_by(node, key, part, left)
        if "if" in schema:
            then, otherwise = (self._node(schema[key], left) if key in schema else None for key in ("then", "else"))
            node.decides = _test(schema["if"]), then, otherwise
        keyed = schema.get("patternProperties")
        found = (schema.get("pattern"), *(keyed if isinstance(keyed, Mapping) else ()))
        node.strings = tuple((one, patterns.is_linear(one)) for one in found if isinstance(one, str))
        node.tried = "unevaluatedProperties" in schema or "unevaluatedItems" in schema
        if schema:
            node.fails = {kind: sum(rule in schema for rule in (*rules, *_JUDGING)) for kind, rules in _FAILING.items()}

    def _fill_by(self, node: _Node, key: str, part: Any, left: list[Any]) -> None:
        """Set the attributes of a node that depend on one keyword of its schema."""
        if key == "allOf" and isinstance(part, list):
            node.within += (self._node(branch, left) for branch in part)
        elif key in ("anyOf", "oneOf") and isinstance(part, list):
            node.branches += (self._node(branch, left) for branch in part)
        elif key in _VALUE:
            node.judged.append(self._node(part, left))
        elif key in ("$ref", "$dynamicRef", "$recursiveRef") and isinstance(part, str):
            node.within += (self._node(target, left) for target in self._targets(node.schema, key, part))
        elif key in _NAMED and isinstance(part, Mapping):
            schemas = [one for one in part.values() if key not in _DEPENDENT or isinstance(one, Mapping)]
            node.listed[key] = [self._node(one, left) for one in schemas]
            node.keys += len(part) if key != "properties" else 0
            node.keys += sum(len(one) for one in part.values() if key == "dependencies" and isinstance(one, list))
        elif key in ("prefixItems", "items") and isinstance(part, list):
            node.listed["prefixItems"] = [self._node(item, left) for item in part]
        elif key in _CHILDREN:
            node.listed[key] = [self._node(part, left)]
        elif key not in _SCHEMAS:
            listed = int(min(size_of(part), MOST))
            node.keys += _compared(part) if key in ("enum", "const") else listed
            node.values_listed += listed

    def _targets(self, schema: Mapping[str, Any], key: str, reference: str) -> list[Any]:
        """Return the schemas that a reference may lead to."""
        from urllib.parse import unquote, urljoin  # deferred: most schemas refer to nothing

        base = self._bases.get(id(schema), "")
        address, name = _joined(base, reference)
        if name.startswith("/"):
            found = [end for home in self._homes.get((address, ""), ()) for end in _pointed(home, name)]
        else:
            found = [*self._homes.get((address, unquote(name)), ())]
        if key != "$ref":
            found += self._dynamic.get(unquote(name), ())  # twice is more than enough
        if not found and urljoin("http:", address).removeprefix("https:").removeprefix("http:").startswith(
            "//json-schema.org/"
        ):
            return [_OF_SCHEMAS]
        if not found:
            raise EndlessSchemaError(f"the schema does not define {reference!r}; a reference must lead into the schema")
        return found


def _joined(base: str, reference: str) -> tuple[str, str]:
    """Return the address and the fragment of a reference. `urljoin` does not know that a URN may have a fragment."""
    from urllib.parse import urldefrag, urljoin  # deferred: most schemas refer to nothing

    address, name = urldefrag(base + reference if reference.startswith("#") else urljoin(base, reference))
    return address, name


_OF_SCHEMAS: Final[Mapping[str, Any]] = {"enum": [0.5] * 16}
"""A small schema that stands for the schema of schemas, which the validator knows. It takes about the same time for every
value."""


def _pointed(home: Any, pointer: str) -> Iterator[Any]:
    """Yield the value that a JSON pointer names in `home`; nothing if there is no such value."""
    from urllib.parse import unquote  # deferred: most schemas refer to nothing

    here = home
    for step in unquote(pointer).split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(here, list) and key.isdecimal() and int(key) < len(here):
            here = here[int(key)]
        elif isinstance(here, Mapping) and key in here:
            here = here[key]
        else:
            return
    yield here


def _compared(values: Any) -> int:
    """Return the steps of comparing a value with those of an `enum` or a `const`. Strings and integers are looked up."""
    if isinstance(values, list) and all(isinstance(one, str) for one in values):
        return 1
    steps, left = 0, [values]
    while left and steps < MOST:
        one = left.pop()
        steps += _FLOAT if isinstance(one, float) else 4
        if isinstance(one, Mapping):
            left += one.values()
        elif isinstance(one, list):
            left += one
    return steps
