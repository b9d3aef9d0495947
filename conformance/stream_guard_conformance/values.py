"""Values drawn for a JSON Schema, with texts out of `sources`. Nearly all values are valid; `calls` drops the others.

The type decides what is drawn, then `enum`, `const`, `format`, `pattern`, bounds and unions. The keyword `x-text`, or the name
of the field, tells what a string is for. Keywords at which a draw cannot aim (`not`, `contains`, `if`) are left to chance.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random
from typing import Any, Final
from urllib.parse import unquote

from .patterns import drawn
from .sources import Sources
from .toolsets import Json

DEEPEST: Final = 8
"""Limit: levels to which a schema that contains itself is followed; below, only its required fields are drawn."""

PROSE: Final = (
    "Meet at 5, not at 6",
    'He said "yes", then left: "no"',
    "it's Ann's turn",
    "C:\\Users\\new\\table.txt",
    "\\section{Intro}\n\\textit{one}",
    "https://example.com/a?b=1#c // see",
    "total: 1,000 (net)",
    "a, b; c",
    "{not a call}",
    "[1, 2",
    "50% off!",
    "naïve café 😀",
    "first\nsecond",
    "col\tcol",
    "# heading",
    "/* keep */ x",
    'say "hi"',
    '"quoted"',
    "a + b",
    "x",
    "true or false",
    "Größe: 12",
    "^\\d+\\.\\w*$",
    "key: value",
    "'single'",
    "“curly”",
    "<b>bold</b> &amp; more",
    "{{ name }}",
    "`tick`",
    "end with colon:",
    "Ελλάδα, 日本語",
)
VERBATIM: Final = (
    "\\section{A}\n\\textit{b}",
    "\\begin{table}\n\\frac{a}{b} \\neq \\rho \\dots",
    "^\\w+\\b\\d{2}\\t\\n$",
    "C:\\Users\\new\\temp\\file.txt",
    "re.split(r'\\s*\\|\\s*', x)\n\\bword\\b",
    "\\textbf{x} \\dots \\newline \\LaTeX",
    "cd C:\\Program Files\\nodejs\\bin && dir",
    "printf '%s\\t%d\\n' \\x41 \\u00e9 \\d",
    'x = "a\\tb\\n" + r"\\d" + "\\u{1F600}"',
)
"""LaTeX, regular expressions, Windows paths and code. Some of their backslashes look like JSON's escapes."""

TRAPS: Final = (
    '", "path": "other.txt',
    'x", "amount": 1, "note": "y',
    '"}, {"title": "z',
    '", // was "y"',
    '"a" + "b"',
)
"""Texts that look like the members around them if their quotes are not escaped."""

WORDS: Final = (
    "alpha",
    "Bob",
    "inv-2024-07",
    "ops",
    "north_2",
    "main",
    "u42",
    "Zoë",
    "x.y",
    "ticket",
    "beta-3",
    "Ann",
    "true",
    "12",
)
PATHS: Final = (
    "a.txt", "src/main.py", "docs/read me.md", "lib/x-1.js", "it's.md", "data/2024-01-01.csv", "src\\win\\new.txt",
    "über/ñ.txt", "build/temp", "a,b.txt", "x (1).tex", "C:\\temp\\readme.md",
)  # fmt: skip
EMAILS: Final = ("a@example.com", "b.c@example.org", "ops+1@example.net", "d@example.com")
DATES: Final = ("2024-01-01", "2025-12-31T08:00:00Z", "2024-02-29 10:30")
URLS: Final = ("https://example.com/a", 'http://example.org/?q="x"&r=1', "https://example.net/#top")
FORMATS: Final[Mapping[str, tuple[str, ...]]] = {
    "email": EMAILS,
    "idn-email": EMAILS,
    "uri": ("https://example.com/a", "http://example.org/?q=x&r=1", "https://example.net/#top"),
    "iri": ("https://example.com/a", "http://example.org/?q=ü"),
    "url": URLS,
    "uri-reference": ("https://example.com/a", "/a/b?c=d"),
    "date": ("2024-01-01", "2025-12-31", "2024-02-29"),
    "date-time": ("2024-01-01T00:00:00Z", "2025-12-31T08:00:00Z", "2024-02-29T10:30:00+02:00"),
    "time": ("10:30:00Z", "08:00:00+02:00"),
    "duration": ("PT5M", "P1DT12H"),
    "uuid": ("7f9c24e5-2f9e-4d4c-9f31-1b0b6f6d3c11", "00000000-0000-4000-8000-000000000000"),
    "hostname": ("example.com", "a-1.example.org"),
    "ipv4": ("192.0.2.1", "198.51.100.255"),
    "ipv6": ("2001:db8::1",),
    "regex": ("^\\d+$", "[a-z]{2,}"),
    "json-pointer": ("/a/0",),
}
"""Texts of each format."""

KEYS: Final = ("alpha", "beta-3", "north_2", "x.y", "Content-Type", "u42")
"""Keys of objects that take any."""

KIND_OF: Final = (
    (r"(^|_)(path|file|filename|dir|folder|cwd)$", "path"),
    (r"(^|_)(code|content|contents|body|text|script|html|sql|source|query|markdown|patch|diff|command)$", "code"),
    (r"(^|_)(e?mail|recipient|to|cc|bcc)$", "email"),
    (r"(^|_)(url|uri|link|href)$", "url"),
    (r"(^|_)(date|time|start|end|at|deadline)$", "date"),
    (r"(^|_)(id|name|key|user|tag|label|slug|type|kind|status|language)s?$", "word"),
)
"""What a string is for, by the name of its field."""


class Values:
    """Draws values of one schema."""

    def __init__(self, schema: Json, sources: Sources, rng: Random) -> None:
        self._root: Final = schema
        self._sources: Final = sources
        self._rng: Final = rng

    def draw(self, budget: int = 400) -> Any:
        """Return a value whose texts are about as long as the budget; None if the schema demands a value without end."""
        try:
            return self._value(self._root, "", budget, 0)
        except RecursionError:
            return None

    def text(self, name: str, budget: int) -> str:
        """Return a text for a field of this name."""
        return _text(_kind(name, self._rng), self._sources, self._rng, budget)

    def _value(self, schema: Any, name: str, budget: int, depth: int) -> Any:
        schema = self._plain(schema, 0)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._rng.choice(schema["enum"])
        kinds = schema.get("type") or _implied(schema)
        match kinds if isinstance(kinds, str) else self._rng.choice(kinds):
            case "object":
                return self._object(schema, budget, depth)
            case "array":
                return self._array(schema, name, budget, depth)
            case "string":
                return self._string(schema, name, budget)
            case "integer":
                return self._integer(schema)
            case "number":
                return self._number(schema)
            case "boolean":
                return self._rng.random() < 0.5
            case _:
                return None

    def _plain(self, schema: Any, followed: int) -> Json:
        """Return the schema without references, unions and parts: with one branch of each."""
        if not isinstance(schema, Mapping):
            return {}
        found: Json = dict(schema)
        for key in ("$ref", "$dynamicRef"):
            if key in found and followed < DEEPEST:
                found = _both(self._plain(self._referred(found.pop(key)), followed + 1), found)
        for part in found.pop("allOf", ()):
            found = _both(found, self._plain(part, followed + 1))
        for key in ("anyOf", "oneOf"):
            if found.get(key):
                found = _both(found, self._plain(self._rng.choice(found.pop(key)), followed + 1))
        return found

    def _referred(self, reference: object) -> Any:
        here: Any = self._root
        for step in str(reference).removeprefix("#").split("/")[1:]:
            key = unquote(step).replace("~1", "/").replace("~0", "~")
            try:
                here = here[int(key)] if isinstance(here, list) else here[key]
            except (KeyError, IndexError, ValueError, TypeError):
                return {}
        return here

    def _object(self, schema: Json, budget: int, depth: int) -> Json:
        rng = self._rng
        listed, needed = schema.get("properties") or {}, schema.get("required") or ()
        deep = depth > DEEPEST
        names = [name for name in listed if name in needed or (rng.random() < 0.6 and not deep)]
        if rng.random() < 0.3:
            rng.shuffle(names)
        share = budget // max(1, len(names) // 2)
        made = {name: self._value(listed[name], name, share, depth + 1) for name in names if listed[name] is not False}
        more = schema.get("additionalProperties", not listed)
        least = max(int(schema.get("minProperties", 0)) - len(made), 0)
        if more is not False and (isinstance(more, Mapping) or not listed or least):
            inner = more if isinstance(more, Mapping) and more else {"type": ["string", "integer", "boolean"]}
            most = max(least, 0 if deep else min(3, int(schema.get("maxProperties", 3)) - len(made)))
            keyed = schema.get("propertyNames", {})
            for key in rng.sample(keyed.get("enum", KEYS), min(rng.randint(least, most), len(KEYS))):
                made[key] = self._value(inner, key, share // 2, depth + 1)
        for name in needed:
            if name not in made:
                made[name] = self._value({}, name, share, depth + 1)
        return made

    def _array(self, schema: Json, name: str, budget: int, depth: int) -> list[Any]:
        least = int(schema.get("minItems", 0))
        most = int(schema.get("maxItems", least + 3))
        if budget <= 60 or depth > DEEPEST:
            most = max(1, least)
        count = self._rng.randint(min(least, most), most)
        leading = schema.get("prefixItems", ())
        made = [self._value(item, name, budget // max(1, count), depth + 1) for item in leading]
        items = schema.get("items", {"type": "string"})
        if items is not False:
            made += [self._value(items, name, budget // max(1, count), depth + 1) for _ in range(count - len(made))]
        return [item for at, item in enumerate(made) if item not in made[:at]] if schema.get("uniqueItems") else made

    def _string(self, schema: Json, name: str, budget: int) -> str:
        rng = self._rng
        if "pattern" in schema:
            found = drawn(str(schema["pattern"]), rng)
            if found is not None:
                return found
        least, most = int(schema.get("minLength", 0)), int(schema.get("maxLength", 1_000_000))
        fitting = [text for text in FORMATS.get(str(schema.get("format")), ()) if least <= len(text) <= most]
        if fitting:
            return rng.choice(fitting)
        kind = schema["x-text"] if "x-text" in schema else _kind(name, rng)
        made = _text(kind, self._sources, rng, min(budget, most))
        if len(made) > most:
            made = made[:most].rstrip("\n") or made[:most]
        return made + "x" * (least - len(made))

    def _integer(self, schema: Json) -> int:
        low, high = _bounds(schema, 1)
        made = int(min(high, max(low, self._rng.choice((1, 5, 12, 30, 500, 755, 1000, 30_000)))))
        step = schema.get("multipleOf", 1)
        return made if made % step == 0 else int(-(-made // step) * step)

    def _number(self, schema: Json) -> float:
        low, high = _bounds(schema, 0.25)
        made = min(high, max(low, self._rng.choice((1, 12, 12.5, 0.75, 1000, 1250.25, 99, 3e-05))))
        step = schema.get("multipleOf")
        return round(made / step) * step if step else made


def _both(one: Json, other: Json) -> Json:
    """Return a schema that asks for what both ask for, as far as a draw can aim at it."""
    made = {**one, **other}
    if "properties" in one and "properties" in other:
        members = {**one["properties"], **other["properties"]}
        for name in one["properties"].keys() & other["properties"].keys():
            first, second = one["properties"][name], other["properties"][name]
            if isinstance(first, Mapping) and isinstance(second, Mapping):
                members[name] = _both(dict(first), dict(second))
        made["properties"] = members
    if "required" in one and "required" in other:
        made["required"] = [*one["required"], *other["required"]]
    if "enum" in one and "enum" in other:
        made["enum"] = [value for value in one["enum"] if value in other["enum"]] or other["enum"]
    return made


def _implied(schema: Json) -> str | list[str]:
    """Return the types that a schema without `type` is meant for, by its other keywords."""
    for words, kind in (
        (("properties", "required", "additionalProperties", "minProperties", "patternProperties"), "object"),
        (("items", "prefixItems", "minItems", "maxItems"), "array"),
        (("pattern", "format", "minLength", "maxLength", "x-text"), "string"),
        (("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"), "number"),
    ):
        if any(word in schema for word in words):
            return kind
    return ["string", "integer", "boolean"]


def _bounds(schema: Json, step: float) -> tuple[float, float]:
    """Return the least and the greatest number that a schema takes; `step` away from a bound that is excluded."""
    low, high = schema.get("minimum", -1_000_000_000), schema.get("maximum", 1_000_000_000)
    below, above = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    if isinstance(below, int | float) and not isinstance(below, bool):
        low = max(low, below + step)
    if isinstance(above, int | float) and not isinstance(above, bool):
        high = min(high, above - step)
    return low, high


def _kind(name: str, rng: Random) -> str:
    """Return what a string is for, by the name of its field."""
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).replace("-", "_").lower()
    for pattern, kind in KIND_OF:
        if re.search(pattern, plain):
            return kind
    return rng.choice(("prose", "prose", "word", "code"))


def _text(kind: str, sources: Sources, rng: Random, budget: int) -> str:
    match kind:
        case "code":
            if budget < 40 or rng.random() < 0.15:
                return _text("prose", sources, rng, budget)
            if rng.random() < 0.08:
                return rng.choice(VERBATIM)
            return sources.stretch(rng, budget)
        case "prose":
            return rng.choice(TRAPS) if rng.random() < 0.03 else rng.choice(PROSE)
        case "path":
            return rng.choice(PATHS)
        case "email":
            return rng.choice(EMAILS)
        case "date":
            return rng.choice(DATES)
        case "url":
            return rng.choice(URLS)
        case _:
            return rng.choice(WORDS)
