"""Decides whether a dialect can express a call: the call is written, and read back with the dialect's own cursor.

Rule: this file has no pattern of names. A dialect can express the names and keys that its cursor reads as such.
"""

from __future__ import annotations

from ..values.surrogates import has_half
from .call import RawCall, Value
from .margins import in_markup
from .table import TOOL, Dialect
from .write import Call, encode


def write_back(dialect: Dialect, call: Call) -> str:
    """Return a call as a dialect writes it. Raises ValueError if the dialect would read it as another call, or as no call."""
    text = dialect.write([call])
    if has_half(text):
        raise ValueError("a text of the call holds half of a surrogate pair, which no text can contain; remove it")
    if dialect.tools or is_read(dialect, call, text):  # a dialect that carries files has no call of a single tool
        return text
    name, arguments = call
    if arguments and is_read(dialect, (name, {}), dialect.write([(name, {})])):
        wrong = next((key for key in arguments if not is_read(dialect, one := (name, {key: ""}), dialect.write([one]))), None)
        raise ValueError(
            f"the dialect {dialect.name!r} does not read a call with a field called {wrong!r}"
            if wrong is not None
            else f"the dialect {dialect.name!r} does not read a call with these values"
        )
    raise ValueError(f"the dialect {dialect.name!r} does not read a call of a tool called {name!r}")


def is_read(dialect: Dialect, call: Call, text: str) -> bool:
    """Return whether a text is read as this call: with its name and its keys, and with no doubtful value."""
    name, arguments = call
    for opener in dialect.openers:
        begin = opener.text.replace(TOOL, name)
        behind = text[len(begin) :]
        if not text.startswith(begin) or opener.place == "reply":
            continue
        if opener.begins is not None and opener.begins.match(behind.lstrip(" \t\r\n")) is None:
            continue
        cursor = opener.body(name) if TOOL in opener.text and not opener.begins_body else opener.body()
        cursor.read(text if opener.begins_body else behind, 0)
        cursor.finish()
        read = cursor.calls()
        calls = read if dialect.signed else [*in_markup(read, text)]
        return cursor.complete and not cursor.over and len(calls) == 1 and _is(calls[0], name, [*arguments])
    return False


def _is(read: RawCall, name: str, keys: list[str]) -> bool:
    """Return whether a raw call has this name and these keys."""
    if read.name not in (None, name):
        return False
    if isinstance(read.arguments, Value):
        named = (name, *keys) if read.name is None else keys
        return all(encode(each) in read.arguments.text for each in named)
    return [key for key, _ in read.arguments] == keys and all(value.doubt is None for _, value in read.arguments)
