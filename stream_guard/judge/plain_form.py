"""Writes the calls of a dialect in the plain form: the JSON object that a fence would hold.

The calls are written as the model wrote them. Text that is no JSON stays as it is, so that it fails, or is mended, as in a
fence. If the dialect does not show the type of a value, the type is taken from the schema, and never guessed:

- only text is allowed, or the schema says nothing of the field: it is text;
- text is not allowed: it is JSON of an allowed type;
- both are allowed: it is the one that is valid, if only one is. If both are valid, or text that is no JSON begins like an
  object or a list, the field is unclear, and the call does not run;
- in a dialect whose texts have quotes, a literal without them is itself wherever the schema takes it.
"""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from ..dialects.call import INSTEAD, Keys, RawCall, Value
from ..dialects.marks import AS_BRACKETS, marks
from ..dialects.own_tags import Opened, own_brackets
from ..dialects.remains import holds_a_token
from ..dialects.table import Dialect
from ..fixes.reading import NoReading, number
from ..fixes.writing import laid_out
from ..running.toolset import Toolset
from ..schema.fields import Field
from ..schema.json_text import accepts
from ..schema.violations import kind_of, types_of
from ..toolset.tool import Tool
from ..toolset.validate import validate
from ..values.block import Block, Unclear, call_body
from ..values.call_keys import CALL_ARGUMENTS, CALL_EXTRAS, CALL_NAMES, TOOL_KEY
from ..values.limits import Limits
from .file_form import of_tool, whole_patch

_BLANK: Final = " \t\r\n"
_BETWEEN: Final = re.compile(r"[ \t\r\n,;]*")
_PYTHON_WORDS: Final[Mapping[str, str]] = {"True": "boolean", "False": "boolean", "None": "null"}
_JSON_WORDS: Final[Mapping[str, Any]] = {"true": True, "false": False, "null": None}
_PLAIN_KEY: Final = re.compile(r"[^\s<>=\"'`]+")
_encode: Final = json.JSONEncoder(ensure_ascii=False).encode
_DECODER: Final = json.JSONDecoder(parse_float=number, parse_int=number)


def plain_form(block: Block, calls: Sequence[RawCall], tools: Toolset, limits: Limits, dialect: Dialect) -> tuple[Block, ...]:
    """Return the block of a dialect with the plain form of its call as body. If it has several calls: a block for each, as
    parts of one block.
    """
    if dialect.tools:
        calls = [of_tool(call, tools) for call in whole_patch(block, tuple(calls))]
    written: list[Body] = [body for call in calls for body in _bodies(call, tools, limits)]
    written = written or [(block.body, ())]
    if len(written) > limits.max_calls:
        written = [(written[0][0], (("", "many"),))]
    if dialect.whole and len(written) > 1 and not all(_passes(*body, tools, limits) for body in written):
        whole: tuple[str, Unclear] = ("patch", "whole")
        unclear = dict.fromkeys(each for _, some in written for each in (*some, whole))
        written = [("\n".join(body for body, _ in written), tuple(unclear))]
    count = len(written)
    return tuple(
        replace(block, body=body, raw=block.raw if part == 1 else "", part=part, parts=count, unclear=unclear)
        for part, (body, unclear) in enumerate(written, 1)
    )


def _passes(body: str, unclear: Sequence[tuple[str, Unclear]], tools: Toolset, limits: Limits) -> bool:
    """Return whether a call is valid as it is."""
    return not unclear and validate(body, tools, limits).passed


Body = tuple[str, tuple[tuple[str, Unclear], ...]]
"""The plain form of one call, and its unclear fields."""


def _bodies(call: RawCall, tools: Toolset, limits: Limits) -> Iterator[Body]:
    arguments = call.arguments
    if not isinstance(arguments, Value):
        whole = _held(call.name, arguments, tools)
        yield _by_key(call, arguments, tools) if whole is None else (whole, ())
        return
    text = arguments.text.strip(_BLANK)
    breaks = arguments.doubt == "margin" and not accepts(text)  # JSON has line breaks outside of its texts alone
    unclear: tuple[tuple[str, Unclear], ...] = (("arguments", "margin"),) if breaks else ()
    if call.name is not None:
        yield call_body(call.name, text), unclear
    else:
        yield from ((body, unclear) for body in _whole_calls(arguments.text, limits, keyed=arguments.form == "keyed"))


# -- JSON


def _whole_calls(text: str, limits: Limits, *, keyed: bool) -> Iterator[str]:
    """Yield the plain form of each call in JSON that holds whole calls; if JSON is in no known envelope, the text itself."""
    values = _values(text, limits)
    if values is None:
        yield text.strip(_BLANK)
        return
    calls = values[0] if len(values) == 1 and isinstance(values[0], list) and values[0] else values
    plain = [_by_name(call) if keyed else _without_envelope(call) for call in calls]
    if plain == [None] or not all(isinstance(call, dict) for call in calls):
        yield text.strip(_BLANK)
    else:
        yield from (laid_out(call or whole) for call, whole in zip(plain, calls, strict=True))


def _values(text: str, limits: Limits) -> list[Any] | None:
    """Return the JSON values of a text, one after the other; None if it holds anything else."""
    values: list[Any] = []
    at = _BETWEEN.match(text).end()  # type: ignore[union-attr]  # it matches the empty string
    try:
        while at < len(text):
            value, end = _DECODER.raw_decode(text, at)
            if not accepts(text[at:end], max_depth=limits.max_depth, max_values=limits.max_values):
                return None
            values.append(value)
            at = _BETWEEN.match(text, end).end()  # type: ignore[union-attr]
    except (ValueError, RecursionError, NoReading):
        return None
    return values


def _by_name(call: Any) -> dict[str, Any] | None:
    """Return the plain call of an object whose only key is the name of a tool; None for anything else."""
    if not isinstance(call, dict) or len(call) != 1:
        return None
    ((name, arguments),) = call.items()
    return {TOOL_KEY: name, **arguments} if isinstance(arguments, dict) and TOOL_KEY not in arguments else None


def _without_envelope(call: Any) -> dict[str, Any] | None:
    """Return the plain call in an envelope of a dialect; None for anything else."""
    if not isinstance(call, dict):
        return None
    inner = call.get("function")
    if isinstance(inner, dict) and call.keys() - CALL_EXTRAS == {"function"}:
        call = inner
    names = [key for key in CALL_NAMES if key in call]
    held = [key for key in CALL_ARGUMENTS if key in call]
    if len(names) != 1 or len(held) > 1 or not isinstance(call[names[0]], str) or call.keys() - CALL_EXTRAS != {*names, *held}:
        return None
    arguments = call[held[0]] if held else {}
    if not isinstance(arguments, dict) or TOOL_KEY in arguments:
        return None
    return {TOOL_KEY: call[names[0]], **arguments}


# -- arguments by key


def _held(name: str | None, arguments: Sequence[tuple[str, Value]], tools: Toolset) -> str | None:
    """Return the plain form of a call whose only argument holds all arguments as JSON; None for any other call."""
    if name is None or len(arguments) != 1:
        return None
    ((key, value),) = arguments
    tool = tools.meant(name)
    if key not in CALL_ARGUMENTS or value.form != "json" or not value.text.lstrip(_BLANK).startswith("{"):
        return None
    return call_body(name, value.text.strip(_BLANK)) if tool is None or key not in tool.fields.members else None


def _by_key(call: RawCall, arguments: Sequence[tuple[str, Value]], tools: Toolset) -> Body:
    name = call.name
    tool = tools.meant(name) if name is not None else None
    members = [f"{_encode(TOOL_KEY)}: {_encode(name)}"] if name is not None else []
    unclear: list[tuple[str, Unclear]] = []
    tags = marks(tuple(f"{start}{key}>" for key in tool.fields.members for start in ("<", "</")) if tool is not None else ())
    given = {key.lower() for key, _ in arguments}
    quoted = not any(value.form == "bare" and _kind(value.text.strip(_BLANK)) is None for _, value in arguments)
    for key, value in arguments:
        written, why = _written(value, key, tool, quoted=quoted)
        if _PLAIN_KEY.fullmatch(key) is None and (tool is None or key not in tool.fields.members):
            why = "key"
        elif value.doubt == "margin" and (value.lines or written.startswith('"')):
            why = "margin"
        elif value.doubt in ("place", "sign"):
            why = value.doubt
        elif (
            value.doubt == "marker"
            or (call.keys == "tags" and tags.find(value.text, 0, final=True)[1] is not None)
            or (value.form in _RAW and tool is not None and _holds_field(value.text, tool, call.keys, given))
            or (value.form in _RAW and written[:1] in ("[", "{") and _holds_a_token_within(written))
            or (value.form == "python" and _KEYWORD.search(written) is not None and not accepts(written))
        ):
            why = "marker"
        if why is not None:
            unclear.append((key, why))
        members.append(f"{_encode(key)}: {written}")
    return "{\n  " + ",\n  ".join(members) + "\n}", tuple(unclear)


_RAW: Final = ("untyped", "text")
"""The forms of values that may stand between markers without quotes."""

_KEYWORD: Final = re.compile(r"=\s*['\"]")
"""Matches what may be the next argument of a call as Python writes it, inside a value that is no literal."""

_OPENS_FIELD: Final = re.compile(
    r"""</?(?P<tag>[\w:|\uff5c.-]{1,64})(?:[ \t]*=[ \t]*|[ \t]+name[ \t]*=[ \t]*)"""
    r"""["']?(?P<field>[\w.-]{1,64})["']?[^<>\r\n]{0,64}>|"""
    r"""[\w:|\uff5c]{1,64}[ \t]+name=["'](?P<bare>[\w.-]{1,64})["'](?:[ \t]+string=["']\w*["'])?>"""
)
"""Matches what may be the opener of another value, whatever the name of its tag."""


_REST_OF_OPENER: Final = re.compile(
    r"""(?<=[^\s=(,\[:{&|+<])["'](?P<name>[\w.-]{1,64})["'][^<>"'\r\n]{0,32}>|"""
    r"""</?(?i:param|arg|invoke|func)\w{0,16}[ \t:.=|/-]{1,4}["']?(?!name[ \t]*=)(?P<beside>[\w-]{1,64})"""
)
"""Matches what is left of such an opener: its name and its end, or a tag of its kind with the name anywhere beside it."""

_TAG: Final = re.compile(r"<(?P<closes>/?)(?P<tag>[\w.-]{1,64})(?:[ \t][^<>]{0,256})?>")


def _holds_field(text: str, tool: Tool, keys: Keys | None, given: Collection[str]) -> bool:
    """Return whether a text holds a marker of a field of its tool, or the rest of one, that is not also HTML.

    For a field that is not `given`, the end of its opener is enough.
    """
    if ">" not in text and "<" not in text and text.isascii():
        return False
    text = text if text.isascii() else text.translate(AS_BRACKETS)
    fields = {name.lower() for name in tool.fields.members}
    return (
        any(
            (found["field"] or found["bare"]).lower() in fields and (found["tag"] or "").lower() not in NAMED_IN_HTML
            for found in _OPENS_FIELD.finditer(text)
        )
        or any((found["name"] or found["beside"]).lower() in fields for found in _REST_OF_OPENER.finditer(text))
        or _ends_an_opener(text, keys, fields, given)
        or _closes_a_field(text, fields - NAMED_IN_HTML - _IN_TEXTS_OF_HTML)
    )


def _ends_an_opener(text: str, keys: Keys | None, fields: set[str], given: Collection[str]) -> bool:
    """Return whether the end of the opener of one of these fields stands in a text, and is not code: `he="timeout">30`.

    For a field that is `given`, the end counts only if the rest of the word before the name stands before it:
    `ameter=timeout>30`.
    """
    known, fields = fields, fields.difference(given)
    names = (*fields, *_OF_ATTRIBUTES) if keys == "quoted" else tuple(fields)
    ends = tuple(name[at:] for name in names if name for at in range(max(len(name) - _LEAST, 0) + 1))
    found: list[re.Match[str]] = []
    if keys == "quoted":
        some = islice(_END_OF_QUOTED.finditer(text), _MOST)
        for one in some:
            name = one["name"].lower()
            if name in names or one["more"] or (not one["opens"] and name.endswith(ends)):
                found.append(one)
    elif keys is not None:
        for one in _END_OF_PLAIN.finditer(text):
            name = one["name"].lower()
            whole = one["value"] and name in (known if one["word"] else fields)
            if whole or (one["alone"] is not None and name.endswith(ends)):
                found.append(one)
    begins = _BEGINS_WITH_END.match(text) if keys is not None else None
    if begins is not None and any(name.endswith(begins["name"].lower()) for name in names):
        return True
    if not found:
        return False
    own = own_brackets(text)
    left = [one for one in found if not _is_in_a_tag(one, own.get(one.start("end")))]
    if keys == "quoted":
        closing = _closing_quotes(text) if left else set()
        return not all(_is_of_a_shell(one, closing) for one in left)
    prompts = Counter(one[1] for one in _PROMPT.finditer(text)) if left else Counter()
    return any(prompts[one["name"]] < 2 for one in left)


def _holds_a_token_within(written: str) -> bool:
    """Return whether a text inside of JSON, or of what is nearly JSON, holds a token of a chat template.

    JSON has quotes around every string, so a token counts as only mentioned if it has other quotes.
    """
    if not holds_a_token(written.replace('"', " ")):
        return False
    return not accepts(written) or any(map(holds_a_token, _texts(json.loads(written))))


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts in a value, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for item in value.items() if isinstance(value, dict) else value:
            yield from _texts(list(item) if isinstance(item, tuple) else item)


_OF_ATTRIBUTES: Final = ("true", "false")
"""The values of attributes that stand after a key in quotes: `string="true"`."""

_LEAST: Final = 3
"""The fewest letters of a name that show to which name an end belongs."""

_MOST: Final = 4096
"""The most places of one value that are looked at as such an end."""

_END_OF_QUOTED: Final = re.compile(
    r"""(?:</?)?(?:(?P<value>=)?(?P<opens>(?<==)["']|(?<=[^\s=(,\[:{&|+<])["']|(?<=\n)["'])|(?<!["'\w-]))"""
    r"""(?P<name>-*+\w[\w-]*+)(?P<closes>["'])(?P<more>[ \t]+string=["']\w*["'])?(?P<end>>)"""
)
"""Matches what may be the end of an opener, after a possible beginning of a closer: its key, or the end of it, in quotes."""

_END_OF_PLAIN: Final = re.compile(
    r"""(?:(?P<word>ter)?(?P<value>=)|(?<![\w-]))(?P<opens>)(?P<name>-*+\w[\w-]*+)(?P<closes>)(?P<more>)(?P<end>>)"""
    r"""(?P<alone>[ \t]*+\r?\n|(?:true|false|null)\b)?"""
)
"""The same without quotes: after an equals sign, before a literal, or where the value has lines of its own."""

_BEGINS_WITH_END: Final = re.compile(
    r"""\s*+=?+["']?(?P<name>-*+\w[\w-]*+)(?:["'](?:[ \t]+string=["']\w*["'])?>|>(?![\s=\d.(-]))"""
)
"""Matches the same where a value begins, with less of the name. A comparison with a number does not match (`timeout>30`)."""

_PROMPT: Final = re.compile(r"^([\w-]++)>", re.MULTILINE)
"""Matches what may be a prompt. A prompt begins more than one line of its text."""


def _is_in_a_tag(found: re.Match[str], opened: Opened | None) -> bool:
    """Return whether the end of an opener closes a tag of the text, or a list of types (`Omit<Page, "body">`)."""
    if opened is None or (found["value"] and opened.kind != "tag"):
        return False
    closes = found["closes"]
    return bool(found["opens"]) or not closes or found.string.count(closes, opened.start, found.start("closes")) % 2 == 1


def _is_of_a_shell(found: re.Match[str], closing: Collection[int]) -> bool:
    """Return whether a shell command may contain this end of an opener: `--mode="x">log`, `echo "of mode">log`."""
    if not found["opens"]:
        return not found["more"] and found.start("closes") in closing
    at = found.start("opens")
    return not found["more"] and _OPTION.search(found.string, max(at - _FAR, 0), at) is not None


_OPTION: Final = re.compile(r"(?<!\S)(?:--?[A-Za-z][\w-]*|[A-Z_][A-Z0-9_]+)=\Z")
"""Matches an option of a command, or a variable of a shell, whose value follows."""

_FAR: Final = 64
"""The number of characters before a quote that are searched for the option whose value the quote opens."""


def _closing_quotes(text: str) -> set[int]:
    """Return the places of the quotes that close what was opened on their line, or before it."""
    closing: set[int] = set()
    for quote in "\"'":
        line = whole = False
        for found in re.finditer(rf"(?<!\\){quote}|\n", text):
            if found[0] == "\n":
                line = False
            else:
                if line or whole:
                    closing.add(found.start())
                line, whole = not line, not whole
    return closing


def _closes_a_field(text: str, fields: Collection[str]) -> bool:
    """Return whether a text holds a closer with the name of a field that the text does not open."""
    opened: set[str] = set()
    for tag in _TAG.finditer(text):
        name = tag["tag"].lower()
        if tag["closes"] and name in fields and name not in opened:
            return True
        opened.add(name)
    return False


NAMED_IN_HTML: Final = frozenset({
    "a", "button", "fieldset", "form", "iframe", "img", "input", "label", "map", "meta", "object", "option", "output", "select",
    "slot", "textarea",
})  # fmt: skip
"""Elements of HTML that have a name."""

_IN_TEXTS_OF_HTML: Final = frozenset({
    "abbr", "address", "b", "body", "cite", "code", "data", "desc", "details", "dialog", "em", "figure", "footer", "head",
    "header", "html", "i", "kbd", "label", "link", "main", "mark", "menu", "nav", "p", "pre", "q", "s", "section", "small",
    "source", "span", "strong", "style", "sub", "summary", "table", "template", "text", "time", "title", "track", "u", "var",
    "video",
})  # fmt: skip
"""Elements of HTML and SVG that have the names of fields, and occur in texts."""

Written = tuple[str, Unclear | None]
"""The JSON of a value, and the reason why it is uncertain; None if it is certain."""


def _written(value: Value, key: str, tool: Tool | None, *, quoted: bool) -> Written:
    """Return the JSON of a value. `quoted` says that each text of its call has the quotes that the dialect has."""
    if value.form == "text" and value.doubt != "blanks":
        return _encode(value.text), None
    if value.form == "json":
        return value.text.strip(_BLANK), "type" if value.instead is not None and _takes_more(tool, key, value.instead) else None
    if value.form == "python":
        return _from_python(value.text), None
    kinds = types_of(_field(key, tool))
    text = value.text.strip(_BLANK)
    if kinds == {"string"} or value.form == "text":
        return _text(value, key, tool)
    if value.form == "bare":
        return _bare(value, key, tool, kinds, quoted=quoted)
    if tool is None or not kinds:
        return _text(value, key, tool)
    kind = _kind(text)
    if "string" not in kinds:
        mendable = _PYTHON_WORDS.get(text) in kinds or (kinds & {"object", "array"} and text.startswith(("{", "[")))
        return (text if kind is not None or mendable else _encode(value.text)), None
    if kind is None and _nearly(text, kinds):
        return _encode(value.text), "type"
    if kind is None or not _allowed(kind, kinds):
        return _text(value, key, tool)
    as_text, as_json = _fits(tool, key, value.text), _fits(tool, key, json.loads(text))
    if as_text and as_json:
        return _encode(value.text), "type"
    return (text, None) if as_json else _text(value, key, tool)


def _bare(value: Value, key: str, tool: Tool | None, kinds: Collection[str], *, quoted: bool) -> Written:
    """Return the JSON of a value without quotes, and the doubt about it.

    If the texts of the call have quotes, `true`, `3` or `null` is that literal. If they have none and the field takes a
    string, the value is a string, with the doubt `type`. A word that is no literal (`flase`, `5 0`) is such a string too, if
    the field takes any string, and other types as well.
    """
    kind = _kind(value.text)
    if kind is None and tool is not None and "string" in kinds and not {"string", "null"}.issuperset(kinds):
        return _encode(value.text), "type" if _fits(tool, key, f"{value.text} {value.text}") else None
    if kind is None or (kinds and not _allowed(kind, kinds)):
        return _text(value, key, tool) if not kinds or "string" in kinds else (value.text.strip(_BLANK), None)
    unsure = not quoted and (not kinds or "string" in kinds)
    return (_encode(value.text), "type") if unsure else (value.text, None)


def _takes_more(tool: Tool | None, key: str, instead: str) -> bool:
    """Return whether a field still takes its value if each text without quotes in it is another text."""
    others = (json.loads(instead.replace(INSTEAD, word)) for word in ("0", "0.5", "true"))
    return tool is not None and _field(key, tool) is not None and any(_fits(tool, key, other) for other in others)


def _text(value: Value, key: str, tool: Tool | None) -> Written:
    """Return the JSON of a value that is a string. Blanks around it are kept only if the schema refuses it without them."""
    if value.doubt != "blanks":
        return _encode(value.text), None
    bare = value.text.strip(_BLANK)
    if tool is None or _field(key, tool) is None:
        return _encode(bare), "blanks"
    fits, fits_bare = _fits(tool, key, value.text), _fits(tool, key, bare)
    return (_encode(value.text), None) if fits and not fits_bare else (_encode(bare), "blanks" if fits else None)


def _allowed(kind: str, kinds: Collection[str]) -> bool:
    """Return whether JSON of this type is allowed, and no string is."""
    return kind != "string" and (kind in kinds or (kind == "integer" and "number" in kinds))


def _nearly(text: str, kinds: Collection[str]) -> bool:
    """Return whether a text that is no JSON may mean a value of an allowed type: it is broken JSON, or written as in Python."""
    structure = {"{": "object", "[": "array"}.get(text[:1])
    return structure in kinds or _PYTHON_WORDS.get(text) in kinds


def _field(key: str, tool: Tool | None) -> Field | None:
    """Return the field that a key means."""
    if tool is None:
        return None
    path = tool.fields.find(key, tool.field_aliases)
    return tool.fields.at(path) if path is not None and len(path) == 1 else None


def _kind(text: str) -> str | None:
    """Return the JSON type of a text; None if the text is not JSON. A whole number is an integer: `5.0`, `1e3`."""
    if not accepts(text):
        return None
    value = json.loads(text)
    return "integer" if isinstance(value, float) and value.is_integer() else kind_of(value)


def _fits(tool: Tool, key: str, value: Any) -> bool:
    """Return whether a field takes this value, whatever else the call lacks."""
    path = tool.fields.find(key, tool.field_aliases) or (key,)
    return not any(violation.path[:1] == path[:1] for violation in tool.compiled.violations({str(path[0]): value}))


# -- Python


def _from_python(text: str) -> str:
    """Return the JSON of a Python literal; any other text unchanged."""
    if _ODD.search(_STRING.sub('"', text)):
        return text
    try:
        tree = ast.parse(_ESCAPE.sub(_kept, text.strip(_BLANK)), mode="eval")
        return _encode(_value(tree.body))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text


_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_STRING: Final = re.compile(r"""('''|\"\"\"|'|")(?:[^\\]|\\.)*?(?:\1|\\?\Z)""", re.DOTALL)
_ODD: Final = re.compile(r'\w"|"\s*"|\d_|\d\.(?!\d)|\b0[xXoObB]|#')
"""Matches what Python reads and a model hardly means: strings with a prefix or with no comma between them, digits in groups,
numbers that end with a point or have another base, comments. Each string is one quote here."""


def _kept(escape: re.Match[str]) -> str:
    r"""Return an escape as written; one that Python does not know, such as `\d`, is a backslash and a character."""
    return escape[0] if escape[1] in "\\'\"abfnrtv0123xuUN\n" else f"\\{escape[0]}"


def _value(node: ast.expr) -> Any:
    """Return the value of a Python literal, or of JSON's words for one. Raises ValueError for anything else."""
    if isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, str | bool | int)):
        return node.value
    if isinstance(node, ast.Constant) and isinstance(node.value, float) and node.value - node.value == 0:
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        operand = _value(node.operand)
        if isinstance(operand, int | float) and not isinstance(operand, bool):
            return -operand
    if isinstance(node, ast.Name) and node.id in _JSON_WORDS:
        return _JSON_WORDS[node.id]
    if isinstance(node, ast.List | ast.Tuple):
        return [_value(item) for item in node.elts]
    if isinstance(node, ast.Dict):
        keys = [_value(key) if key is not None else None for key in node.keys]
        if all(isinstance(key, str) for key in keys) and len(set(keys)) == len(keys):
            return {key: _value(value) for key, value in zip(keys, node.values, strict=True)}
    raise ValueError("not a literal")
