"""Shapes as Python: typed dictionaries, and the functions that read, check and write them."""

from __future__ import annotations

import inspect
import keyword
import re
from collections.abc import Iterator
from pprint import pformat
from typing import Any, Final

from . import checks
from .shapes import Either, ListOf, MapOf, Named, OneOf, Record, Shape, Shapes, Simple

_MARK: Final = "# -- copied into generated modules from here on"
_SIMPLE: Final = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None", "any": "Any"}
_TYPING: Final = ("Any", "Literal", "NotRequired", "TypeAlias", "TypedDict")


def module(shapes: Shapes, header: str) -> str:
    """Return the text of the Python module."""
    imports, runtime = _runtime()
    types = "\n\n\n".join(_declaration(name, shape) for name, shape in shapes.declared.items())
    functions = "\n\n\n".join(_functions(payload.word, payload.type, payload.tool.name) for payload in shapes.payloads)
    schemas = "\n\n".join(f"{_constant(payload.word)}: Any = {_literal(payload.tool.schema)}" for payload in shapes.payloads)
    body = "\n\n\n".join((types, functions, schemas, runtime))
    used = [name for name in _TYPING if re.search(rf"\b{name}\b", body)]
    imports = imports.replace("from typing import Any", f"from typing import {', '.join(used)}")
    return f'"""{_docstring(shapes, header)}"""\n\n{imports}\n\n{body}\n'


def _docstring(shapes: Shapes, header: str) -> str:
    lines = [f"{header}; not to be edited.", "", "A payload is what a tool takes. For each there is a type, and:", ""]
    lines.append("    validate_x(value)    the value as its type, or InvalidPayload, whose issues() say what is wrong")
    lines.append("    decode_x(text)       the same of a JSON text")
    lines.append("    encode_x(payload)    the payload as a JSON text")
    if shapes.unchecked:
        lines += ["", f"Not checked here: the formats {', '.join(sorted(shapes.unchecked))}."]
    return "\n".join([*lines, ""])


def _runtime() -> tuple[str, str]:
    """Return two texts: the imports that the checks need, and the code of the checks."""
    source = inspect.getsource(checks)
    head, _, rest = source.partition(_MARK)
    return head[head.index("from __future__") :].rstrip() + "\n", rest.partition("\n")[2].strip()


def _declaration(name: str, shape: Record | Shape) -> str:
    if not isinstance(shape, Record):
        return f"{name}: TypeAlias = {_quoted(_type(shape))}"
    if not all(_plain(member.key) for member in shape.members):
        rows = "".join(f"        {member.key!r}: {_quoted(_of(member.shape, member.required))},\n" for member in shape.members)
        return f'{name} = TypedDict(\n    "{name}",\n    {{\n{rows}    }},\n)'
    return "\n".join([f"class {name}(TypedDict):", *_body(shape)])


def _body(shape: Record) -> Iterator[str]:
    if shape.description:
        yield f"    {_comment(shape.description)}"
    for member in shape.members:
        if member.description:
            yield f"    {_comment(member.description)}"
        yield f"    {member.key}: {_of(member.shape, member.required)}"


def _comment(text: str) -> str:
    line = " ".join(text.split())
    return f"# {line}"


def _plain(key: str) -> bool:
    """Return whether a key can be an attribute of a class body without hiding a name that the types in it need."""
    spelt = key.isascii() and key.isidentifier() and not keyword.iskeyword(key) and not key.startswith("__")
    return spelt and key not in (*_SIMPLE.values(), *_TYPING, "list", "dict")


def _of(shape: Shape, required: bool) -> str:
    return _type(shape) if required else f"NotRequired[{_type(shape)}]"


def _type(shape: Shape) -> str:
    match shape:
        case Simple(kind):
            return _SIMPLE[kind]
        case OneOf(values):
            return f"Literal[{', '.join(map(repr, values))}]"
        case ListOf(item):
            return f"list[{_type(item)}]"
        case MapOf(value):
            return f"dict[str, {_type(value)}]"
        case Either(shapes):
            return " | ".join(map(_type, shapes))
        case Named(name):
            return name


def _functions(word: str, type: str, tool: str) -> str:
    schema = _constant(word)
    return f'''\
def validate_{word}(value: object) -> {type}:
    """The value, if it is a payload of {_inline(tool)}. Raises InvalidPayload."""
    payload: {type} = _valid({tool!r}, {schema}, value)
    return payload


def decode_{word}(text: str | bytes) -> {type}:
    """The payload of {_inline(tool)} in a JSON text. Raises InvalidPayload."""
    return validate_{word}(_decoded({tool!r}, text))


def encode_{word}(payload: {type}) -> str:
    """The payload of {_inline(tool)} as a JSON text. Raises InvalidPayload."""
    return json.dumps(validate_{word}(payload), ensure_ascii=False)'''


def _inline(name: str) -> str:
    return re.sub(r"[^\w .-]", "?", name)


def _constant(word: str) -> str:
    return f"_{word.upper()}_SCHEMA"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _literal(value: Any) -> str:
    """Return a value as a Python literal, the same on every machine."""
    return pformat(value, width=110, sort_dicts=False)
