"""Writes calls in the forms of dialects: for prompts, for histories, and to put a mended call back into a text.

A value is written as its dialect writes it; without quotes, a text is written unchanged. A text that contains a marker of its
own dialect cannot be written so, and raises ValueError.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from ..values.late import late
from . import files

Call = tuple[str, Mapping[str, Any]]
"""The name of a tool, and its arguments."""

Writer = Callable[[Sequence[Call]], str]
"""A function that writes one or several calls."""

encode: Final = json.JSONEncoder(ensure_ascii=False).encode


def in_json(call: Call, arguments: str = "arguments") -> str:
    """Return a call as a JSON object."""
    return encode({"name": call[0], arguments: dict(call[1])})


def each(opener: str, closer: str = "", *, between: str = "\n", arguments: str = "arguments") -> Writer:
    """Return a writer of JSON, each call between an opener and a closer."""

    def write(calls: Sequence[Call]) -> str:
        return between.join(f"{opener}{in_json(call, arguments)}{closer}" for call in calls)

    return write


def array(opener: str, closer: str = "", *, arguments: str = "arguments") -> Writer:
    """Return a writer of one JSON array of calls between an opener and a closer."""

    def write(calls: Sequence[Call]) -> str:
        return f"{opener}[{', '.join(in_json(call, arguments) for call in calls)}]{closer}"

    return write


def cohere(calls: Sequence[Call]) -> str:
    """Return calls as one JSON array of numbered calls."""
    written = ({"tool_call_id": str(at), "tool_name": name, "parameters": dict(held)} for at, (name, held) in enumerate(calls))
    return f"<|START_ACTION|>{encode(list(written))}<|END_ACTION|>"


def keyed(opener: str, closer: str) -> Writer:
    """Return a writer of one JSON array of objects, each with the name of its tool as its only key."""

    def write(calls: Sequence[Call]) -> str:
        return f"{opener}{encode([{name: dict(arguments)} for name, arguments in calls])}{closer}"

    return write


def raw(value: Any, *markers: str) -> str:
    """Return a value as text without quotes. Raises ValueError for a text that contains one of these markers."""
    text = value if isinstance(value, str) else encode(value)
    if any(marker in text for marker in markers):
        raise ValueError("a value contains a marker of its dialect, which has no escape for it")
    return text


def invokes(prefix: str, outer: str, *, typed: bool = False, between: str = "\n") -> Writer:
    """Return a writer of tags with names in their attributes, inside a tag `outer` unless that is empty.

    With `typed`, each value has an attribute that says whether it is text.
    """

    def write(calls: Sequence[Call]) -> str:
        inner = between.join(one(*call) for call in calls)
        return f"<{prefix}{outer}>{between}{inner}{between}</{prefix}{outer}>" if outer else inner

    def one(name: str, arguments: Mapping[str, Any]) -> str:
        items = "".join(f"{parameter(key, value)}{between}" for key, value in arguments.items())
        return f'<{prefix}invoke name="{name}">{between}{items}</{prefix}invoke>'

    def parameter(key: str, value: Any) -> str:
        kind = f' string="{"true" if isinstance(value, str) else "false"}"' if typed else ""
        text = raw(value, *(f"{start}{prefix}{tag}" for start in ("<", "</") for tag in ("invoke", "parameter", outer) if tag))
        return f'<{prefix}parameter name="{key}"{kind}>{text}</{prefix}parameter>'

    return write


def params(calls: Sequence[Call]) -> str:
    """Return calls as functions with parameters, names in their attributes."""
    return "\n".join(_params(*call) for call in calls)


def _params(name: str, arguments: Mapping[str, Any]) -> str:
    marks = ("<function", "</function>", "<param", "</param>", "<![CDATA[", "]]>")
    items = (f'<param name="{key}">{raw(value, *marks)}</param>' for key, value in arguments.items())
    return f'<function name="{name}">{"".join(items)}</function>'


def arg_keys(prefix: str = "", *, outer: str = "", behind_name: str = "\n", line: str = "\n") -> Writer:
    """Return a writer of keys and values in tags of their own."""

    def write(calls: Sequence[Call]) -> str:
        written = ("" if outer else "\n").join(one(*call) for call in calls)
        return f"<{prefix}{outer}>{written}</{prefix}{outer}>" if outer else written

    def one(name: str, arguments: Mapping[str, Any]) -> str:
        return f"<{prefix}tool_call>{name}{behind_name}{''.join(map(item, arguments.items()))}</{prefix}tool_call>"

    def item(argument: tuple[str, Any]) -> str:
        key, value = argument
        text = raw(value, *(f"{start}{prefix}{tag}>" for start in ("<", "</") for tag in ("arg_key", "arg_value", "tool_call")))
        return f"<{prefix}arg_key>{key}</{prefix}arg_key>{line}<{prefix}arg_value>{text}</{prefix}arg_value>{line}"

    return write


def behind_headers(
    before: str, header: Callable[[str, int], str], behind: str = "", *, outer: tuple[str, str] = ("", ""), between: str = ""
) -> Writer:
    """Return a writer of a header before the JSON of each call. `header` makes the header of the tool's name and the call's
    index.
    """

    def write(calls: Sequence[Call]) -> str:
        written = (f"{before}{header(name, at)}{encode(dict(arguments))}{behind}" for at, (name, arguments) in enumerate(calls))
        return f"{outer[0]}{between.join(written)}{outer[1]}"

    return write


def python(before: str = "", behind: str = "", *, line: bool = False) -> Writer:
    """Return a writer of calls as Python writes them, in a list or each on a `line`."""

    def write(calls: Sequence[Call]) -> str:
        written = [f"{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})" for name, arguments in calls]
        inner = "\n".join(written) if line else f"[{', '.join(written)}]"
        return f"{before}{inner}{behind}"

    return write


def braces(before: str, behind: str, quote: str) -> Writer:
    """Return a writer of names with braces, with the mark `quote` on each side of a string."""

    def write(calls: Sequence[Call]) -> str:
        return "".join(f"{before}call:{name}{value(dict(arguments))}{behind}" for name, arguments in calls)

    def value(given: Any) -> str:
        if isinstance(given, str):
            return f"{quote}{raw(given, quote)}{quote}"
        if isinstance(given, Mapping):
            return f"{{{','.join(f'{key}:{value(item)}' for key, item in given.items())}}}"
        return f"[{','.join(map(value, given))}]" if isinstance(given, list) else encode(given)

    return write


AS_LINES: Final = ("content", "diff")
"""The fields of named tags whose text is written on lines of its own: the reader removes one line end on each side. It strips
the texts of all other fields, so a text with blanks around it cannot be written in these."""


def named_tags(calls: Sequence[Call]) -> str:
    """Return calls as tags that have the names of the tool and of its fields."""
    return "\n".join(_named_tags(*call) for call in calls)


def _named_tags(name: str, arguments: Mapping[str, Any]) -> str:
    marks = [f"{start}{tag}>" for start in ("<", "</") for tag in (name, *arguments)]
    if any(
        key not in AS_LINES and isinstance(value, str) and value != value.strip(" \t\r\n") for key, value in arguments.items()
    ):
        raise ValueError("a value has blanks around it, which readers of this dialect strip")
    items = (f"<{key}>\n{raw(value, *marks)}\n</{key}>\n" for key, value in arguments.items())
    return f"<{name}>\n{''.join(items)}</{name}>"


def functions(opener: str, closer: str) -> Writer:
    """Return a writer of functions with parameters inside an outer tag."""

    def write(calls: Sequence[Call]) -> str:
        return "\n".join(f"{opener}\n{one(*call)}\n{closer}" for call in calls)

    def one(name: str, arguments: Mapping[str, Any]) -> str:
        marks = (opener, closer, "<function=", "</function>", "<parameter=", "</parameter>")
        values = "".join(f"<parameter={key}>\n{raw(value, *marks)}\n</parameter>\n" for key, value in arguments.items())
        return f"<function={name}>\n{values}</function>"

    return write


def bolt(calls: Sequence[Call]) -> str:
    """Return calls as one artifact with an action for each call: files, and other calls with one text."""
    return f'<boltArtifact id="changes" title="Changes">\n{"".join(_bolt(*call) for call in calls)}</boltArtifact>'


def _bolt(name: str, arguments: Mapping[str, Any]) -> str:
    if name not in files.WRITE:
        content = files.only(arguments, "content")[0]
        return f'<boltAction type="{_attribute("tool", name)}">\n{raw(content, *_BOLT)}\n</boltAction>\n'
    path, content = files.only(arguments, "path", "content")
    if content and content[-1] not in "\r\n":
        raise ValueError("a file without a line end after its last line cannot be written in this dialect")
    return f'<boltAction type="file" filePath="{_attribute("path", path)}">\n{raw(content, *_BOLT)}</boltAction>\n'


_BOLT: Final = ("<boltAction", "</boltAction", "<boltArtifact", "</boltArtifact")


def _attribute(field: str, text: str) -> str:
    if any(char in text for char in '"<>\r\n'):
        raise ValueError(f"{field} is an attribute in `bolt_artifact`, and cannot hold quotes, angle brackets or line breaks")
    return text


def patch(calls: Sequence[Call]) -> str:
    """Return calls as a patch of the form V4A. Each text ends with a line end, and the changes of one file are together."""
    written: dict[str, str] = {}
    last = ""
    for name, arguments in calls:
        path = files.path_of(files.value_of(arguments, "path"))
        head, change = _change(name, arguments)
        if path in written and (path != last or head != _UPDATE):
            raise ValueError("a patch in this dialect names a file once; only edits of it may follow each other")
        written[path] = f"{written[path]}{change}" if path in written else f"*** {head} File: {path}\n{change}"
        last = path if head == _UPDATE else ""
    return f"*** Begin Patch\n{''.join(written.values())}*** End Patch"


_UPDATE: Final = "Update"


def _change(name: str, arguments: Mapping[str, Any]) -> tuple[str, str]:
    """Return the operation on a file, and the lines of the patch for it."""
    if name in files.DELETE:
        files.only(arguments, "path")
        return "Delete", ""
    if name in files.WRITE:
        return "Add", _signed("+", files.only(arguments, "path", "content")[1])
    if name in files.EDIT:
        _, old, new = files.only(arguments, "path", "search", "replace")
        if not old:
            raise ValueError("an edit that replaces nothing cannot be written in this dialect")
        return _UPDATE, f"@@\n{_signed('-', old)}{_signed('+', new)}"
    raise ValueError(f"{name!r} is no tool that this dialect can call; it writes, edits and deletes files")


def _signed(sign: str, text: str) -> str:
    if text and text[-1] != "\n":
        raise ValueError("a text without a line end after its last line cannot be written in this dialect")
    return "".join(f"{sign}{line}\n" for line in text.split("\n")[:-1])


def search_replace(calls: Sequence[Call]) -> str:
    """Return calls as a path, the lines to search for, and the lines that replace them. Each text ends with a line end."""
    return "\n".join(_search_replace(*call) for call in calls)


def _search_replace(name: str, arguments: Mapping[str, Any]) -> str:
    if name not in files.EDIT:
        raise ValueError(f"{name!r} is no tool that this dialect can call; it edits files")
    path, old, new = files.only(arguments, "path", "search", "replace")
    for text in (old, new):
        if (text and text[-1] != "\n") or _LIKE_MARKER.search(text):
            raise ValueError("a text without a last line end, or with a line like a marker, cannot be written in this dialect")
    if not files.BARE_PATH.fullmatch(path):
        raise ValueError("a path with blanks or quotes cannot be written in this dialect")
    return f"{path}\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE"


_LIKE_MARKER: Final = late(r"^(?:<{4}|>{4}|={4,}[ \t\r]*$|[-+]{5,} (?:SEARCH|REPLACE))", re.MULTILINE)
