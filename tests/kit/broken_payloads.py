"""Sixty broken payloads for one tool, each under a name. What is to be said of each is in goldens/hints.json."""

from __future__ import annotations

from typing import Any

from stream_guard import Tool

TEXT = {"type": "string"}

BOOK = Tool(
    "book",
    "Book a table",
    {
        "type": "object",
        "properties": {
            "city": {"type": "string", "minLength": 2, "maxLength": 20, "description": "The city to book in"},
            "seats": {"type": "integer", "minimum": 1, "maximum": 8, "description": "How many people come."},
            "day": {"enum": ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday"], "description": "The weekday"},
            "meal": {"enum": ["lunch", "dinner"]},
            "code": {"type": "string", "pattern": "^[A-Z]{3}$"},
            "mail": {"type": "string", "format": "email", "description": "Where to send the confirmation"},
            "date": {"type": "string", "format": "date"},
            "tip": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
            "step": {"type": "integer", "multipleOf": 5},
            "vip": {"type": "boolean"},
            "version": {"const": 2},
            "note": {"type": ["string", "null"]},
            "tags": {"type": "array", "items": TEXT, "minItems": 1, "maxItems": 3, "uniqueItems": True},
            "must": {"type": "array", "contains": {"const": "yes"}},
            "pair": {"type": "array", "prefixItems": [TEXT, {"type": "integer"}], "items": False},
            "extra": {"type": "object", "minProperties": 1, "maxProperties": 2, "propertyNames": {"pattern": "^[a-z]+$"}},
            "never": False,
            "not_zero": {"not": {"const": 0}},
            "guest": {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "description": "The guest's full name"},
                    "age": {"type": "integer", "minimum": 18},
                    "address": {"type": "object", "properties": {"street": TEXT, "zip": TEXT}, "required": ["street", "zip"]},
                },
                "required": ["name"],
                "additionalProperties": False,
            },
            "courses": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"dish": {"type": "string", "description": "What to serve"}, "count": {"type": "integer"}},
                    "required": ["dish"],
                },
            },
            "payment": {
                "oneOf": [
                    {
                        "type": "object",
                        "properties": {"by": {"const": "card"}, "number": {"type": "string", "pattern": "^\\d{4}$"}},
                        "required": ["by", "number"],
                    },
                    {"type": "object", "properties": {"by": {"const": "cash"}, "tip": {"type": "integer"}}, "required": ["by"]},
                ]
            },
            "where": {
                "anyOf": [
                    {"title": "a table number", "type": "integer", "minimum": 1},
                    {"title": "a room", "type": "object", "properties": {"room": TEXT, "floor": TEXT}, "required": ["room"]},
                    {"type": "null"},
                ]
            },
            "who": {"oneOf": [{"required": ["mail"]}, {"required": ["phone"]}], "type": "object"},
            "from": TEXT,
            "until": TEXT,
        },
        "required": ["city", "seats", "day"],
        "additionalProperties": False,
        "dependentRequired": {"from": ["until"]},
    },
)

GOOD: dict[str, Any] = {"city": "Ghent", "seats": 2, "day": "monday"}

CHANGES: dict[str, dict[str, Any]] = {
    "required": {"city": ...},
    "required, a number": {"seats": ...},
    "required, an enum": {"day": ...},
    "required, all": {"city": ..., "seats": ..., "day": ...},
    "required, nested": {"guest": {}},
    "required, nested twice": {"guest": {"name": "A", "address": {"street": "x"}}},
    "required, in an item": {"courses": [{"dish": "soup"}, {"count": 1}]},
    "required by another field": {"from": "12:00"},
    "required, by another name": {"city": ..., "town": "Ghent"},
    "type, string": {"city": 9000},
    "type, integer as text": {"seats": "two"},
    "type, integer as number": {"seats": 2.5},
    "type, null": {"city": None},
    "type, boolean as text": {"vip": "yes"},
    "type, one of two": {"note": 3},
    "type, array as text": {"tags": "a, b"},
    "type, object as text": {"guest": "Ann"},
    "type, object as array": {"guest": ["Ann"]},
    "type, nested": {"guest": {"name": ["Ann"]}},
    "type, in an item": {"courses": [{"dish": "soup", "count": "1"}]},
    "type, an item": {"tags": ["a", 1]},
    "enum, near": {"day": "Mondy"},
    "enum, other spelling": {"day": "MONDAY"},
    "enum, far": {"day": "someday"},
    "enum, of two": {"meal": "brunch"},
    "enum, of another type": {"meal": 1},
    "const": {"version": 1},
    "pattern": {"code": "abc"},
    "format, email": {"mail": "ann at example"},
    "format, date": {"date": "tomorrow"},
    "minimum": {"seats": 0},
    "maximum": {"seats": 9},
    "exclusive minimum": {"tip": 0},
    "exclusive maximum": {"tip": 1},
    "multiple of": {"step": 7},
    "minimum, nested": {"guest": {"name": "Ann", "age": 17}},
    "length, too short": {"city": "G"},
    "length, too long": {"city": "G" * 21},
    "length, empty": {"city": ""},
    "items, too few": {"tags": []},
    "items, too many": {"tags": ["a", "b", "c", "d"]},
    "items, twice the same": {"tags": ["a", "a"]},
    "items, one is lacking": {"must": ["no"]},
    "items, one beyond the listed": {"pair": ["a", 1, 2]},
    "fields, too few": {"extra": {}},
    "fields, too many": {"extra": {"a": 1, "b": 2, "c": 3}},
    "fields, a bad name": {"extra": {"A": 1}},
    "additional": {"colour": "red"},
    "additional, near": {"metal": "lunch", "meals": "lunch"},
    "additional, nested": {"guest": {"name": "Ann", "nmae": "Ann"}},
    "ruled out": {"never": 1},
    "ruled out by not": {"not_zero": 0},
    "union, form chosen, field missing": {"payment": {"by": "card"}},
    "union, form chosen, field wrong": {"payment": {"by": "card", "number": "12"}},
    "union, form unknown": {"payment": {"by": "cheque"}},
    "union, form not told": {"payment": {"number": "1234"}},
    "union, no such kind": {"where": "by the window"},
    "union, closest form": {"where": {"floor": "2"}},
    "union, right kind": {"where": 0},
    "union, two as close": {"who": {}},
}
"""What each payload changes of the good one; `...` takes a field out."""


def payload(name: str) -> dict[str, Any]:
    """The broken payload of this name."""
    return {key: value for key, value in {**GOOD, **CHANGES[name]}.items() if value is not ...}
