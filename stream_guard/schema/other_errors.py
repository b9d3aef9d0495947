"""Converts errors of other libraries to issues, so that hints have the same words for all of them.

    structured first  ->  a path in the text next  ->  the tool's schema last

An error with an `issues()` method is read item by item, and so is a list of objects that each have a field and a constraint,
as `Issues()` of Go returns it, also when the list comes as JSON. Errors of pydantic, jsonschema, jsonschema-rs and msgspec are
read by their own data, JSON errors by their place, and any other error as a text that may contain a field's name.

Rule 1: no library is imported to recognise an error; the code that raised it has imported its own.
Rule 2: a text that names no known field is not interpreted: it is passed on unchanged, but cut if it is long.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ..values.issues import JsonPath, ValidationIssue
from ..values.quoting import inside
from ..values.wording import JSON_AT_BYTE, JSON_AT_LINE, sentence
from . import unions
from .fields import Field, split
from .json_text import parse, position
from .schema import Schema, violations_of
from .violations import Violation, issue

_LONGEST: Final = 300
"""The most characters of another library's message that are passed on; four times as many are read."""

_LONGEST_LIST: Final = 100_000
"""The most characters of JSON that are read as a list of issues."""


@dataclass(frozen=True, slots=True)
class About:
    """The call that an error is about."""

    tool: str | None = None
    """The tool's name; None if it is not known."""

    schema: Schema | None = None
    """The schema of the tool's arguments."""

    aliases: Mapping[str, str] = field(default_factory=dict)
    """The aliases of the tool's fields: the field that each means."""

    arguments: Mapping[str, Any] | None = None
    """The arguments of the call."""

    @property
    def fields(self) -> Field | None:
        """The fields of the schema; None without a schema."""
        return self.schema.fields if self.schema is not None else None


def issues_of(error: object, about: About | None = None) -> tuple[ValidationIssue, ...]:
    """Return the issues for an error of another library."""
    about = about or About()
    if isinstance(error, ValidationIssue):
        return (error,)
    spoken = _spoken(error)
    if spoken is not None:
        return tuple(_issue(item, about) for item in spoken)
    if isinstance(error, Iterable) and not isinstance(error, str | bytes | Mapping):
        return tuple(found for item in error for found in issues_of(item, about))
    syntax = _json(error)
    if syntax:
        return syntax
    found = tuple(issue(violation, about.tool, about.fields) for violation in _structured(error, about))
    return found or _texts(str(error), about)


def _structured(error: object, about: About) -> Iterator[Violation]:
    if callable(getattr(error, "errors", None)) and hasattr(error, "error_count"):
        entries: Any = error.errors()  # type: ignore[attr-defined]
        for entry in entries:
            yield _pydantic(entry, about.fields)
    elif hasattr(error, "kind") and hasattr(error, "instance_path"):
        yield from about.schema.read(error) if about.schema is not None else violations_of(error)
    elif hasattr(error, "validator_value") and hasattr(error, "absolute_path"):
        yield from _jsonschema(error)
    elif (type(error).__module__ or "").partition(".")[0] == "msgspec":
        yield from _msgspec(str(error), about.fields)


def _spoken(error: object) -> list[Any] | None:
    """Return the items of an error that has an `issues()` method or is a list of issues; None for any other error."""
    for name in ("issues", "Issues"):
        spoken = error.get(name) if isinstance(error, Mapping) else getattr(error, name, None)
        items: Any = spoken() if callable(spoken) else spoken
        if callable(spoken) or (isinstance(items, list | tuple) and items and all(map(_is_item, items))):
            return list(items)
    if isinstance(error, Mapping) and _is_item(error):
        return [error]
    if isinstance(error, str | Exception):
        text = str(error).strip()
        value = parse(text).value if text[:1] in ("{", "[") and len(text) <= _LONGEST_LIST else None
        if isinstance(value, list) and value and all(map(_is_item, value)):
            return value
        return _spoken(value) if isinstance(value, dict) else None
    return None


def _is_item(item: object) -> bool:
    """Return whether an object is one issue of another library's list."""
    return (
        isinstance(item, Mapping)
        and isinstance(_attribute(item, "field"), str)
        and isinstance(_attribute(item, "constraint"), str)
    )


def _issue(item: object, about: About) -> ValidationIssue:
    """Return an issue for one item of an error's `issues()`: an object with field, constraint, expected and got."""
    if isinstance(item, ValidationIssue):
        return item
    given = {key: _attribute(item, key) for key in ("field", "constraint", "expected", "got", "message")}
    path = split(str(given["field"] or ""))
    if about.fields is not None and about.fields.at(path) is None:
        path = about.fields.find(str(given["field"] or ""), about.aliases) or path
    violation = _completed(Violation(path, str(given["constraint"] or ""), given["expected"], given["got"]), item, about)
    if given["message"]:
        return _with_text(str(given["message"]), violation)
    if violation.keyword:
        return issue(violation, about.tool, about.fields)
    return _with_text(sentence("rejected", field=inside(str(given["field"]))), violation)


_CONSTRAINTS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("missing", "missingfield", "notempty", "presence"), "required"),
    **dict.fromkeys(("oneof", "enummismatch", "invalidenumvalue", "allowed", "allowedvalues"), "enum"),
    **dict.fromkeys(("regex", "regexp", "invalidpattern"), "pattern"),
    **dict.fromkeys(("invalidformat", "formatted"), "format"),
    **dict.fromkeys(("invalidtype", "invalidfieldtype"), "type"),
    **dict.fromkeys(("min", "gte", "ge", "min length", "minlen", "lengthmin"), "minimum"),
    **dict.fromkeys(("max", "lte", "le", "maxlen", "lengthmax"), "maximum"),
    **dict.fromkeys(("gt", "exclusivemin"), "exclusiveMinimum"),
    **dict.fromkeys(("lt", "exclusivemax"), "exclusiveMaximum"),
    **dict.fromkeys(("invalidrange", "invalidlength", "length", "len", "outofrange"), "range"),
    **dict.fromkeys(("unknown", "unknownfield", "extrafield", "unexpected"), "additionalProperties"),
}
"""The names of rules in other validators, Go's among them, in lower case without signs; and JSON Schema's word for each."""

_EXPECTED: Final[Mapping[str, tuple[str, ...]]] = {
    "enum": ("allowed", "allowed_values", "enum", "values"),
    "pattern": ("pattern",),
    "format": ("format",),
    "minimum": ("min", "minimum", "min_len", "min_length"),
    "maximum": ("max", "maximum", "max_len", "max_length"),
}
"""The other names under which an item of an error may have the expected value, by rule: `allowed` for an `enum`."""

_SIZES: Final[Mapping[str, str]] = {"string": "Length", "array": "Items", "object": "Properties"}


def _completed(violation: Violation, item: object, about: About) -> Violation:
    """Return a violation with JSON Schema's word for its rule, and the value that the schema's rule expects."""
    keyword = _CONSTRAINTS.get(re.sub(r"[^a-z]", "", violation.keyword.lower()), violation.keyword)
    known = about.fields.at(violation.path) if about.fields is not None else None
    expected, got = violation.expected, violation.got
    if keyword == "range":
        side = next(
            (one for one in ("minimum", "maximum") if any(_attribute(item, key) is not None for key in _EXPECTED[one])), None
        )
        keyword = (_side(known, got) if known is not None else None) or side or keyword
    if expected is None:
        base = "minimum" if keyword.startswith("min") else "maximum" if keyword.startswith("max") else keyword
        expected = next((value for key in _EXPECTED.get(base, ()) if (value := _attribute(item, key)) is not None), None)
    keyword = _sized(keyword, known)
    if isinstance(expected, str) and keyword.startswith(("min", "max", "exclusive")):
        expected = parse(expected).value
    if keyword == "enum" and not isinstance(expected, list | tuple):
        expected = [expected] if expected is not None else None
    if known is not None and expected is None and keyword != "required":
        expected = _expected(keyword, known)
    if keyword == "enum" and not expected:
        keyword, expected = ("value", None)
    return Violation(violation.path, keyword, expected, got, violation.message)


def _expected(keyword: str, known: Field) -> Any:
    """Return the value that a rule of a field expects; None if the schema has no such rule."""
    by_keyword = {"enum": list(known.allowed), "format": known.format, "type": list(known.kinds)}
    return by_keyword.get(keyword, known.rules.get(keyword)) or known.rules.get(keyword)


def _sized(keyword: str, known: Field | None) -> str:
    """Return the keyword of a size (`minLength`, `maxItems` ...) for `minimum` or `maximum`, if the field is no number; else
    `keyword`.
    """
    if known is None or keyword not in ("minimum", "maximum"):
        return keyword
    sizes = [f"{keyword[:3]}{_SIZES[kind]}" for kind in known.kinds if kind in _SIZES]
    return next(
        (rule for rule in sizes if keyword not in known.rules and (rule in known.rules or len(known.kinds) == 1)), keyword
    )


def _side(known: Field, got: Any) -> str | None:
    """Return `minimum` or `maximum`, whichever the value breaks; None if it breaks neither."""
    size = len(got) if isinstance(got, str | list | Mapping) else got
    if isinstance(size, bool) or not isinstance(size, int | float):
        return None
    for keyword in ("minimum", "maximum"):
        bound = known.rules.get(_sized(keyword, known))
        if isinstance(bound, int | float) and (size < bound if keyword == "minimum" else size > bound):
            return keyword
    return None


def _attribute(item: object, key: str) -> Any:
    """Return a member or attribute of an item, spelt as in Python, Go or JSON: `old_string`, `OldString`, `oldString`."""
    spellings = (key, key.title().replace("_", ""), key[0] + key.title().replace("_", "")[1:])
    if isinstance(item, Mapping):
        return next((item[name] for name in spellings if name in item), None)
    return next((getattr(item, name) for name in spellings if hasattr(item, name)), None)


def _with_text(text: str, violation: Violation = Violation((), "", None, None)) -> ValidationIssue:  # noqa: B008  # a frozen value
    """Return an issue with another library's message."""
    codes = {"required": "required", "type": "type", "additionalProperties": "unknown_field"}
    line = " ".join(text.split())
    return ValidationIssue.at(
        violation.path,
        codes.get(violation.keyword, "schema" if violation.keyword else "rejected"),
        line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…",
        violation.keyword,
        expected=violation.expected,
        got=violation.got,
    )


# -- JSON --------------------------------------------------------------------------------------------------------------

_PLACE: Final = re.compile(r"(?:at )?line (\d+),? column (\d+)")


def _json(error: object) -> tuple[ValidationIssue, ...]:
    """Return the issues for a JSON parser's error: the standard library's, jiter's, pydantic's or msgspec's."""
    document, at = getattr(error, "doc", None), getattr(error, "pos", None)
    if isinstance(document, str) and isinstance(at, int):
        found = parse(document).issues
        if found:
            return found
        line, column = position(document, at)
        return (_syntax(line, column, at),)
    if isinstance(error, str):
        return ()
    text = str(error)
    place = _PLACE.search(text)
    if place is not None and (type(error) is ValueError or "Invalid JSON" in text):
        return (_syntax(int(place[1]), int(place[2]), None),)
    broken = re.search(r"JSON is malformed: .*\(byte (\d+)\)", text)
    return (_syntax(None, None, int(broken[1])),) if broken else ()


def _syntax(line: int | None, column: int | None, offset: int | None) -> ValidationIssue:
    frame = JSON_AT_LINE if line is not None else JSON_AT_BYTE
    message = frame.format(what=sentence("syntax"), line=line, offset=offset)
    return ValidationIssue(
        "syntax", message, constraint="json", line=line, column=column, offset=offset if line is not None else None
    )


# -- pydantic ----------------------------------------------------------------------------------------------------------

_PYDANTIC: Final[Mapping[str, tuple[str, str | None]]] = {
    "missing": ("required", None),
    "missing_argument": ("required", None),
    "missing_keyword_only_argument": ("required", None),
    "extra_forbidden": ("additionalProperties", None),
    "unexpected_keyword_argument": ("additionalProperties", None),
    "string_pattern_mismatch": ("pattern", "pattern"),
    "string_too_short": ("minLength", "min_length"),
    "string_too_long": ("maxLength", "max_length"),
    "too_short": ("minItems", "min_length"),
    "too_long": ("maxItems", "max_length"),
    "greater_than_equal": ("minimum", "ge"),
    "greater_than": ("exclusiveMinimum", "gt"),
    "less_than_equal": ("maximum", "le"),
    "less_than": ("exclusiveMaximum", "lt"),
    "multiple_of": ("multipleOf", "multiple_of"),
    "literal_error": ("enum", "expected"),
    "enum": ("enum", "expected"),
}
"""pydantic's error types: for each, the rule in JSON Schema's word, and the key of the bound in the error's context."""

_PYDANTIC_KINDS: Final[Mapping[str, str]] = {
    "string": "string",
    "int": "integer",
    "float": "number",
    "decimal": "number",
    "bool": "boolean",
    "list": "array",
    "tuple": "array",
    "set": "array",
    "dict": "object",
    "model": "object",
    "dataclass": "object",
    "none": "null",
}
_LITERAL: Final = re.compile(r"'(?:[^'\\]|\\.)*'|-?\d+|True|False|None")


def _pydantic(entry: Mapping[str, Any], fields: Field | None) -> Violation:
    kind, context = str(entry.get("type")), entry.get("ctx") or {}
    path = _known_path(tuple(entry.get("loc", ())), fields)
    got = entry.get("input")
    if kind in ("union_tag_not_found", "union_tag_invalid"):
        key = str(context.get("discriminator", "")).strip("'")
        values = _literals(str(context.get("expected_tags", "")))
        if kind == "union_tag_not_found":
            return Violation((*path, key), "required", values or None, None)
        return Violation((*path, key), "enum", values, context.get("tag"))
    known = _PYDANTIC.get(kind)
    if known is not None:
        keyword, bound = known
        expected = context.get(bound) if bound else None
        if keyword == "enum":
            expected = _literals(str(expected))
        return Violation(path, keyword, expected, None if keyword == "required" else got)
    base = _PYDANTIC_KINDS.get(kind.partition("_")[0])
    if base is not None and kind.endswith(("_type", "_parsing", "_from_float", "_attributes_type")):
        return Violation(path, "type", [base], got)
    return Violation(
        path, "format" if kind.endswith("_parsing") else kind, None, got, _PREFIX.sub("", str(entry.get("msg", "")))
    )


_PREFIX: Final = re.compile(r"^(?:Value error|Assertion failed), ")


def _known_path(loc: Sequence[Any], fields: Field | None) -> JsonPath:
    """Return pydantic's location without the names of union branches in it."""
    steps = [step for step in loc if isinstance(step, str | int)]
    if fields is None:
        return tuple(steps)
    here: Field | None = fields
    path: list[str | int] = []
    for index, step in enumerate(steps):
        into = here.step(step) if here is not None else None
        last = index == len(steps) - 1
        if into is None and here is not None and not last and here.step(steps[index + 1]) is not None:
            continue
        if into is None and last and isinstance(step, str) and here is not fields and here is not None and not here.members:
            continue  # a branch that is a plain value
        path.append(step)
        here = into
    return tuple(path)


def _literals(text: str) -> list[Any]:
    """Return the values that pydantic lists in an error's context, as `'a', 'b' or 'c'`."""
    return [ast.literal_eval(found[0]) for found in _LITERAL.finditer(text)]


# -- jsonschema --------------------------------------------------------------------------------------------------------

_QUOTED_NAME: Final = re.compile(r"^'(.*)' is a (?:required|dependency)")


def _jsonschema(error: Any) -> Iterator[Violation]:
    path, keyword, got = tuple(error.absolute_path), str(error.validator), error.instance
    if keyword in ("anyOf", "oneOf") and error.context:
        branches: dict[int, list[Violation]] = {}
        for inner in error.context:
            branches.setdefault(int(inner.relative_schema_path[0]), []).extend(_jsonschema(inner))
        union = unions.describe(error.schema, error.validator_value, error.schema.get("discriminator"))
        yield from unions.choose(path, keyword, got, [branches[index] for index in sorted(branches)], union)
    elif keyword in ("required", "dependentRequired", "dependencies"):
        name = _QUOTED_NAME.match(error.message)
        yield Violation((*path, name[1]) if name else path, "required", None, None)
    elif keyword in ("additionalProperties", "unevaluatedProperties") and isinstance(got, Mapping):
        listed = error.schema.get("properties", {})
        patterns = error.schema.get("patternProperties", {})
        for name in got:
            if name not in listed and not any(re.search(pattern, name) for pattern in patterns):
                yield Violation((*path, name), keyword, None, got[name])
    elif keyword == "type":
        kinds = error.validator_value
        yield Violation(path, keyword, kinds if isinstance(kinds, list) else [kinds], got)
    elif keyword == "None":
        yield Violation(path, "falseSchema", None, got)
    else:
        yield Violation(path, keyword, error.validator_value, got, "")


# -- msgspec -----------------------------------------------------------------------------------------------------------

_AT: Final = re.compile(r" - at `(?:key in )?(\$[^`]*)`$")
_MSGSPEC_KINDS: Final[Mapping[str, str]] = {
    "str": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "array": "array",
    "object": "object",
    "null": "null",
}
_MSGSPEC_NAME: Final = re.compile(r"(?:required|unknown) field `([^`]*)`")
_MSGSPEC_TYPE: Final = re.compile(r"^Expected `([^`]*)`, got `([^`]*)`")
_MSGSPEC_BOUND: Final = re.compile(r"^Expected `(\w+)`(?: of length)? (>=|<=|>|<|==|that's a multiple of) ([-\d.e]+)")
_MSGSPEC_PATTERN: Final = re.compile(r"matching regex (.+)$", re.DOTALL)
_BOUNDS: Final = {">=": "minimum", ">": "exclusiveMinimum", "<=": "maximum", "<": "exclusiveMaximum"}


def _msgspec(text: str, fields: Field | None) -> Iterator[Violation]:
    at = _AT.search(text)
    path = split(at[1])[1:] if at else ()
    complaint = text[: at.start()] if at else text
    known = fields.at(path) if fields is not None else None
    name = _MSGSPEC_NAME.search(complaint)
    kind = _MSGSPEC_TYPE.match(complaint)
    bound = _MSGSPEC_BOUND.match(complaint)
    pattern = _MSGSPEC_PATTERN.search(complaint)
    if name is not None:
        missing = "missing" in complaint
        yield Violation((*path, name[1]), "required" if missing else "additionalProperties", None, None)
    elif kind is not None:
        kinds = [_MSGSPEC_KINDS.get(part.strip(), part.strip()) for part in kind[1].split("|")]
        yield Violation(path, "type", kinds, _EXAMPLES.get(kind[2]))
    elif pattern is not None:
        yield Violation(path, "pattern", ast.literal_eval(pattern[1]), None)
    elif bound is not None:
        limit = float(bound[3])
        keyword = _BOUNDS.get(bound[2], "multipleOf")
        if "of length" in complaint:
            keyword = ("min" if ">" in bound[2] else "max") + {"array": "Items", "object": "Properties"}.get(bound[1], "Length")
        yield Violation(path, keyword, int(limit) if limit.is_integer() else limit, None)
    elif complaint.startswith("Invalid"):
        allowed = list(known.allowed) if known is not None else []
        yield (
            Violation(path, "enum", allowed, _last_quoted(complaint))
            if allowed
            else Violation(path, "value", None, None, complaint)
        )


_EXAMPLES: Final[Mapping[str, Any]] = {
    "str": "", "int": 0, "float": 0.5, "bool": False, "array": [], "object": {}, "null": None,
}  # fmt: skip
"""An example value of each type that msgspec's errors name. It replaces the value in error, which such an error
does not have."""


def _last_quoted(text: str) -> Any:
    found = re.search(r"'(.*)'$", text)
    return found[1] if found else None


# -- texts -------------------------------------------------------------------------------------------------------------

_CANDIDATE: Final = re.compile(
    r"`([^`\n]{1,200})`|\"([^\"\n]{1,200})\"|'([^'\n]{1,200})'"  # quoted
    r"|(\$[.\[][\w.\[\]]*)|((?<!\w)/[\w~/-]+)|([A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[\d+\])+)"  # written as a path
    r"|^([A-Za-z_]\w*)(?=:)"  # before a colon
    r"|([A-Za-z_][\w-]*)"
)
"""Matches anything in a text that may be a field's name: first the names that are marked in some way, then every word."""

_MARKED: Final = 7
"""The number of groups of `_CANDIDATE` that match a marked name (quoted, or written as a path): all but the last."""

_SHAPED: Final = re.compile(r"[$/]?[\w.\[\]/-]+")
_COMMON: Final = frozenset(
    {"type", "string", "number", "integer", "object", "array", "value", "field", "name", "format", "required"}
)
"""Words of error messages that may also be fields. Without a mark they are read as plain words."""

_GOT: Final = re.compile(r"\sbut\sgot\svalue\s")
"""Matches the text before the value in Goa's messages. The value names no field and no rule."""

_SAYS: Final[Sequence[tuple[str, re.Pattern[str]]]] = (
    ("additionalProperties", re.compile(r"\b(?:unknown|unexpected|additional|extra|unrecognized)\b", re.IGNORECASE)),
    ("required", re.compile(r"\b(?:missing|required|is undefined)\b", re.IGNORECASE)),
    ("enum", re.compile(r"\b(?:one of|enum|allowed values?|valid values?|invalid (?:option|choice))\b", re.IGNORECASE)),
    ("pattern", re.compile(r"\b(?:pattern|regex(?:p)?|match(?:es)?)\b", re.IGNORECASE)),
    ("type", re.compile(r"\b(?:type|expected \w+,? (?:got|received|but)|must be an? \w+|should be a valid)\b", re.IGNORECASE)),
    ("format", re.compile(r"\bformat(?:ted)?\b", re.IGNORECASE)),
    ("minLength", re.compile(r"\b(?:too short|empty|blank)\b", re.IGNORECASE)),
    ("maxLength", re.compile(r"\btoo long\b", re.IGNORECASE)),
    (
        "minimum",
        re.compile(r"\b(?:at least|minimum|greater (?:or equal )?than|too small|less than the minimum)\b|>=", re.IGNORECASE),
    ),
    ("maximum", re.compile(r"\b(?:at most|maximum|less(?:er)? (?:or equal )?than|too (?:big|large))\b|<=", re.IGNORECASE)),
)
"""Patterns of error messages and the rule that each one means; the first match counts."""


def _texts(text: str, about: About) -> tuple[ValidationIssue, ...]:
    """Return the issues for a message: several if it joins several parts that each name a field, as Goa's messages do."""
    parts = text[: 4 * _LONGEST].split("; ")
    found = tuple(_text(part, about) for part in parts)
    return found if len(parts) > 1 and all(one.field for one in found) else (_text(text, about),)


def _text(text: str, about: About) -> ValidationIssue:
    """Return the issue for a message: the first field of the tool that it names, and the rule that its words imply."""
    text = text[: 4 * _LONGEST]
    rule_part = _GOT.split(text, maxsplit=1)[0]
    keyword = next((rule for rule, words in _SAYS if words.search(rule_part)), "")
    path = _path_in(rule_part, keyword, about)
    if path is None:
        return _with_text(text or sentence("rejected.silent"))
    known = about.fields.at(path) if about.fields is not None else None
    if keyword == "required" or (keyword == "additionalProperties" and known is None):
        return issue(Violation(path, keyword, None, None), about.tool, about.fields)
    if known is None or not keyword:
        return _with_text(text, Violation(path, keyword, None, None))
    keyword = _sized(keyword, known)
    return _with_text(text, Violation(path, keyword, _expected(keyword, known), None))


def _path_in(text: str, keyword: str, about: About) -> JsonPath | None:
    """Return the field that a message is about.

    Names in quotes or in the form of a path are tried first; then plain words, which count only if they are a field's exact
    name. A text that says that something is missing, without a name, is about the first required field that is missing.
    """
    found = [(match.lastindex or 0, match[match.lastindex or 0]) for match in _CANDIDATE.finditer(text)]
    marked = [name.rstrip(".") for group, name in found if group <= _MARKED]
    if about.fields is None:
        shaped = next((name for name in marked if _SHAPED.fullmatch(name)), None)
        return _steps(shaped) if shaped is not None else None
    for name in marked:
        path = about.fields.find(name, about.aliases)
        if path is not None:
            return path
    if keyword == "additionalProperties" and marked:
        return _steps(marked[0])
    for group, name in found:
        path = split(name.rstrip("."))
        if group > _MARKED and name not in _COMMON and about.fields.at(path) is not None and about.fields.step(path[0]):
            return path
    if keyword == "required" and about.arguments is not None:
        return next(((name,) for name in about.fields.required if name not in about.arguments), None)
    return None


def _steps(name: str) -> JsonPath:
    return split(name)[1:] if name.startswith("$") else split(name)
