"""Reads a `response_template`, by which models on Hugging Face declare how they write messages, as a dialect.

Of its fields only `tool_calls` is read. It describes calls by patterns; here they are recognised as one of the known grammars,
which read more strictly: a marker in a value makes it uncertain, and types come from the schema. A template that fits no
grammar is refused, and the error names the key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

import regex

from ..values.call_keys import CALL_ARGUMENTS, CALL_NAMES
from . import write
from .bodies.arg_key_value import ArgKeyValue
from .bodies.bracecall import BraceCall
from .bodies.function_parameter import FunctionParameter
from .bodies.header_json import HeaderJson
from .bodies.invoke_parameter import InvokeParameter
from .bodies.json_body import JsonBody
from .reading_back import is_read
from .table import Dialect, Opener
from .turns import begins_aside

_FIELD: Final = "fields.tool_calls"
_TEMPLATE_KEYS: Final = frozenset({"version", "defaults", "fields", "start_anchor", "start_anchor_pattern"})
_FIELD_KEYS: Final = frozenset({
    "open", "open_pattern", "close", "close_pattern", "content", "content_args", "repeats", "join", "optional", "transform",
    "transform_each",
})  # fmt: skip
_SEVERAL: Final = {True: "a block each", False: "in the array"}


class Mark(NamedTuple):
    """One part of an opener or a closer: fixed text, or a part that changes."""

    text: str
    """The fixed text; empty for a part that changes."""

    group: str = ""
    """The name of the part's group; empty if it has none."""

    blanks: str = ""
    """The pattern of the blanks, if the part is blanks; else empty."""


def read(template: Mapping[str, Any], name: str) -> Dialect:
    """Return the dialect of a template's calls. Raises ValueError, with the key, for a template that no grammar can read."""
    if not isinstance(template, Mapping):
        raise _refused("fields", "the template must be an object that has them")
    _known("response_template", template, _TEMPLATE_KEYS)
    if template.get("version", 1) != 1:
        raise _refused("version", f"it must be 1, got {template['version']!r}")
    fields = template.get("fields")
    if not isinstance(fields, Mapping) or not isinstance(fields.get("tool_calls"), Mapping):
        raise _refused(_FIELD, "it is missing: without it the template does not describe calls")
    return _Field(fields["tool_calls"], name).dialect()


class _Field:
    """The field of the template that describes calls."""

    def __init__(self, field: Mapping[str, Any], name: str) -> None:
        _known(_FIELD, field, _FIELD_KEYS)
        self._field: Final = field
        self._name: Final = name
        self._args: Final[Mapping[str, Any]] = _object(f"{_FIELD}.content_args", field.get("content_args") or {})
        self._open: Final = tuple(_marks(field, "open"))
        self._close: Final = tuple(_marks(field, "close"))
        if not self._open:
            raise _refused(f"{_FIELD}.open", "a call needs an opener")
        if any(begins_aside(_shown(marks).lstrip()) for marks in self._open):
            raise _refused(
                f"{_FIELD}.open", "an opener that begins like reasoning, a result or a turn is never read as that of a call"
            )
        if field.get("join") is not None:
            raise _refused(f"{_FIELD}.join", "calls cannot be joined")

    def dialect(self) -> Dialect:
        """Return the dialect that the field describes."""
        content = self._field.get("content", "text")
        if content == "xml-inline":
            return self._tags()
        if content != "json":
            raise _refused(f"{_FIELD}.content", f"{content!r} has no grammar here; 'json' and 'xml-inline' have")
        _known(f"{_FIELD}.content_args", self._args, {"string_delims", "unquoted_keys", "allow_non_json"})
        if self._args.get("allow_non_json"):
            raise _refused(f"{_FIELD}.content_args.allow_non_json", "it must be false or left out: a call is never plain text")
        named = any(mark.group for marks in self._open for mark in marks)
        if self._args.get("string_delims") or self._args.get("unquoted_keys"):
            return self._braces()
        return self._behind_header() if named else self._whole_calls()

    # JSON that names its tool itself.

    def _whole_calls(self) -> Dialect:
        openers, closers = self._literals(self._open, "open"), self._literals(self._close, "close")
        each = self._field.get("transform_each", False)
        names, arguments = self._keys(each=each)
        if names not in (None, *CALL_NAMES) or arguments not in (None, *CALL_ARGUMENTS):
            known = f"{', '.join(CALL_NAMES)}, and {', '.join(CALL_ARGUMENTS)}"
            raise _refused(f"{_FIELD}.transform", f"a call has its tool and its arguments under one of {known}")
        body = partial(JsonBody, openers=openers, closers=closers)
        begins = regex.compile(r"\[" if each else r"[{\[]")
        return self._made(
            tuple(Opener(text, body, begins) for text in openers),
            _json_writer(openers[0], closers[0] if closers else "", names or "name", arguments or "arguments", each=each),
            closers,
            several=_SEVERAL[not each],
        )

    def _keys(self, *, each: bool) -> tuple[str | None, str | None]:
        """Return the keys of the tool and of the arguments in the JSON of a call; None for both if the template takes the JSON
        as it is.
        """
        transform = self._field.get("transform")
        inner = "{%s}" if each else "{content.%s}"
        if transform is None and not each:
            return None, None
        function = _function(transform)
        if function == "{content}":
            return None, None
        if isinstance(function, Mapping) and function.keys() == {"name", "arguments"}:
            found = [
                re.fullmatch(re.escape(inner).replace("%s", r"(\w+)"), str(function[key])) for key in ("name", "arguments")
            ]
            if found[0] is not None and found[1] is not None:
                return found[0][1], found[1][1]
        raise _refused(
            f"{_FIELD}.transform",
            "it must take exactly `name` and `arguments` from a call, each by one path such as {content.name}",
        )

    # The name of the tool in the opener.

    def _named(self) -> tuple[Mark, ...]:
        """Return the parts of the only opener, which has the name of the tool."""
        if len(self._open) != 1 or [mark.group for mark in self._open[0] if mark.group] != ["name"]:
            raise _refused(f"{_FIELD}.open_pattern", "it must have one group, 'name', for the tool")
        function = _function(self._field.get("transform"))
        if function != {"name": "{name}", "arguments": "{content}"} or self._field.get("transform_each"):
            raise _refused(f"{_FIELD}.transform", "with the name in the opener it takes '{name}' and '{content}'")
        return self._open[0]

    def _behind_header(self) -> Dialect:
        opener = self._named()
        head, rest = opener[0].text, list(opener[1:])
        closers = self._literals(self._close, "close")
        if not head.strip():
            raise _refused(f"{_FIELD}.open_pattern", "it must begin with text")
        pattern = "".join(
            r"(?P<name>[\w.-]+)"
            if mark.group
            else re.escape(mark.text).replace(r"\ ", " ")
            if mark.text
            else mark.blanks or "[^{]*?"
            for mark in rest
        )
        body = partial(HeaderJson, rf"\s*{pattern}\s*", call_close=closers)
        shown = "".join("{0}" if mark.group else " " if mark.blanks == r"\s+" else mark.text for mark in rest)
        header = write.behind_headers(head, lambda name, _: shown.replace("{0}", name), closers[0] if closers else "")
        begins = (
            next((regex.escape(mark.text.lstrip()) for mark in rest[:2] if mark.text), r"\w")
            if any(mark.blanks for mark in rest[:1])
            else r"\w"
        )
        made = self._made((Opener(head, body, regex.compile(begins)),), header, closers)
        if not is_read(made, made.sample, made.example):
            changing = "a part that changes, other than the name, must not be optional: a call could be read, but not written"
            raise _refused(f"{_FIELD}.open_pattern", changing)
        return made

    def _braces(self) -> Dialect:
        opener = list(self._named())
        if len(opener) > 3 and opener[1].blanks and opener[2].text == "call:":  # the grammar passes over these blanks
            opener = [Mark(opener[0].text + opener[2].text), *opener[3:]]
        delims = self._args.get("string_delims") or []
        if not _is_a_pair(delims):
            raise _refused(f"{_FIELD}.content_args.string_delims", "it must be one mark, the same on both sides of a string")
        if not self._args.get("unquoted_keys"):
            raise _refused(f"{_FIELD}.content_args.unquoted_keys", "keys have no quotes in the grammar with such strings")
        head, closers, quote = opener[0].text, self._literals(self._close, "close"), delims[0][0]
        behind = _ENDS_IN_BLANKS.search(self._field["open_pattern"]) is not None
        if not head.endswith("call:") or len(opener) != 2 or not closers or behind:
            raise _refused(
                f"{_FIELD}.open_pattern", "it must be a marker, 'call:' and the name, with no blanks in it, and have a closer"
            )
        head = head.removesuffix("call:")
        body = partial(BraceCall, quote=quote, openers=(head,), closers=closers)
        return self._made((Opener(head, body, regex.compile(r"[A-Za-z_:]")),), write.braces(head, closers[0], quote), closers)

    # Arguments between tags.

    def _tags(self) -> Dialect:
        _known(f"{_FIELD}.content_args", self._args, {"tag_pattern", "value_parser", "merge_duplicates"})
        if self._args.get("merge_duplicates"):
            raise _refused(
                f"{_FIELD}.content_args.merge_duplicates",
                "the values of a key that is written twice are not merged here; leave it out",
            )
        where = f"{_FIELD}.content_args.tag_pattern"
        head, item = _shown(self._named()), _shown(_parts(self._args.get("tag_pattern"), where))
        ends = [_shown(marks) for marks in self._close]
        function = re.fullmatch(r"(?:<([\w:|-]+)>)?<function=\{name\}>", head)
        if function is not None and item == "<parameter={key}>{value}</parameter>":
            return self._functions(function[1], ends)
        invoke = re.fullmatch(r'<([^<>]*?)invoke\ ?name="\{name\}">', head)
        if invoke is not None and item.replace("parametername", "parameter name") == (
            f'<{invoke[1]}parameter name="{{key}}">{{value}}</{invoke[1]}parameter>'
        ):
            return self._invokes(invoke[1], ends)
        prefix = re.fullmatch(r"<([^<>]*?)tool_call>\{name\}", head)
        if prefix is not None:
            tags = [f"{prefix[1]}{tag}" for tag in ("arg_key", "arg_value")]
            if item == "".join(f"<{tag}>{{{what}}}</{tag}>" for tag, what in zip(tags, ("key", "value"), strict=True)):
                return self._arg_keys(prefix[1], ends)
        raise _refused(
            where, "no known grammar has this opener; there are grammars of functions, of invokes, and of keys and values"
        )

    def _functions(self, outer: str | None, ends: list[str]) -> Dialect:
        opener, closer = (f"<{outer}>", f"</{outer}>") if outer is not None else ("", "")
        self._ends_as(ends, "</function>", closer, f"</function>{closer}")
        if outer is None:
            raise _refused(f"{_FIELD}.open_pattern", "it must have an outer tag, such as <tool_call>, with the functions in it")
        make = partial(FunctionParameter, outer_open=(opener,), outer_close=(closer,))
        return self._made((Opener(opener, make, regex.compile("<")),), write.functions(opener, closer), (closer,))

    def _invokes(self, prefix: str, ends: list[str]) -> Dialect:
        self._ends_as(ends, f"</{prefix}invoke>")
        make = partial(InvokeParameter, prefixes=(prefix,), wrapped=False)
        opener = Opener(f"<{prefix}invoke name=", make, begins_body=True)
        return self._made((opener,), write.invokes(prefix, ""), (f"</{prefix}invoke>",))

    def _arg_keys(self, prefix: str, ends: list[str]) -> Dialect:
        self._ends_as(ends, f"</{prefix}tool_call>")
        opener = Opener(f"<{prefix}tool_call>", partial(ArgKeyValue, prefix=prefix), regex.compile(r"\w"))
        return self._made((opener,), write.arg_keys(prefix), (f"</{prefix}tool_call>",))

    def _ends_as(self, ends: list[str], *known: str) -> None:
        """Raise ValueError for closers that the grammar does not know."""
        if not ends or not set(ends) <= set(known):
            raise _refused(f"{_FIELD}.close", f"a call of this form ends with {' or '.join(filter(None, known))}")

    # Small parts.

    def _literals(self, marks: tuple[tuple[Mark, ...], ...], key: str) -> tuple[str, ...]:
        """Return openers or closers that are fixed text."""
        if any(mark.blanks for each in marks for mark in each):
            raise _refused(f"{_FIELD}.{key}_pattern", "blanks are allowed before and after it, but not inside")
        texts = tuple(each[0].text for each in marks if len(each) == 1 and each[0].text.strip())
        if len(texts) != len(marks):
            raise _refused(f"{_FIELD}.{key}_pattern", "it must be fixed text here, without parts that change")
        if any(a != b and a.startswith(b) for a in texts for b in texts):
            raise _refused(f"{_FIELD}.{key}", "one of its texts is the beginning of another")
        return texts

    def _made(
        self, openers: tuple[Opener, ...], writer: write.Writer, closers: tuple[str, ...], *, several: str = _SEVERAL[True]
    ) -> Dialect:
        return Dialect(
            self._name, openers, writer, closers=closers, models="those with this `response_template`", several=several
        )


def _json_writer(opener: str, closer: str, name: str, arguments: str, *, each: bool) -> write.Writer:
    def one(call: write.Call) -> dict[str, Any]:
        return {name: call[0], arguments: dict(call[1])}

    if each:
        return lambda calls: f"{opener}{write.encode([one(call) for call in calls])}{closer}"
    return lambda calls: "\n".join(f"{opener}{write.encode(one(call))}{closer}" for call in calls)


def _function(transform: Any) -> Any:
    """Return the source text of the function that makes a call, from a template's `transform`."""
    if isinstance(transform, Mapping) and transform.keys() <= {"type", "function"} and transform.get("type") == "function":
        return transform.get("function")
    return None


# Patterns.


def _marks(field: Mapping[str, Any], key: str) -> Iterator[tuple[Mark, ...]]:
    """Yield the openers or closers of a field, each in parts."""
    where = f"{_FIELD}.{key}"
    if key in field and f"{key}_pattern" in field:
        raise _refused(f"{where}_pattern", f"leave it out, or leave out {key!r}: only one of them is allowed")
    if f"{key}_pattern" in field:
        yield _parts(field[f"{key}_pattern"], f"{where}_pattern")
        return
    texts = field.get(key, [])
    if not isinstance(texts, str | list | tuple):
        raise _refused(where, "it must be text, or a list of texts")
    for text in [texts] if isinstance(texts, str) else texts:
        if not isinstance(text, str) or not text:
            raise _refused(where, "it must be text, or a list of texts")
        yield (Mark(text),)


_SHOWN: Final = 16
"""The most characters of a pattern that an error shows."""

_CLASS: Final = r"(?:\\w|\\S|\.|\[\^?(?:\\.|[^\]\\])+\])[+*]\??"
_PART: Final = re.compile(
    rf"(?P<blank>\\s[*+]\??|\\b)|\\(?P<line>[nrt])|\(\?P<(?P<name>\w+)>{_CLASS}\)|(?P<any>{_CLASS})"
    r"|\\(?P<escaped>[^\w\s])|(?P<plain>[^\\\[\](){}.*+?^$|])"
)

_ENDS_IN_BLANKS: Final = re.compile(r"\\s[*+]\??\Z")
_BLANK_ESCAPES: Final = {"n": "\n", "r": "\r", "t": "\t"}


def _parts(pattern: Any, where: str) -> tuple[Mark, ...]:
    """Return a pattern in parts: text, groups, changing parts, and blanks. Blanks at its beginning and end are left out."""
    if not isinstance(pattern, str) or not pattern:
        raise _refused(where, "it must be a pattern")
    parts: list[Mark] = []
    at = 0
    while at < len(pattern):
        found = _PART.match(pattern, at)
        if found is None:
            raise _refused(where, f"{pattern[at : at + _SHOWN]!r} is no text, group, class or blank")
        at = found.end()
        if found["blank"] is not None:
            if parts and found["blank"] != r"\b" and not parts[-1].blanks:
                parts.append(Mark("", "", found["blank"][:3]))
            continue
        text = found["escaped"] or found["plain"] or _BLANK_ESCAPES.get(found["line"], "")
        if found["name"] is not None:
            parts.append(Mark("", found["name"]))
        elif found["any"] is not None:
            parts.append(Mark(""))
        elif text and parts and parts[-1].text:
            parts[-1] = Mark(parts[-1].text + text)
        elif text:
            parts.append(Mark(text))
    return tuple(parts[:-1] if parts and parts[-1].blanks else parts)


def _shown(parts: tuple[Mark, ...]) -> str:
    """Return parts as one text, with the names of groups in braces. Other changing parts, and line ends, are left out."""
    return "".join(f"{{{mark.group}}}" if mark.group else re.sub(r"[\t\r\n]+", "", mark.text) for mark in parts)


def _known(where: str, given: Mapping[str, Any], keys: frozenset[str] | set[str]) -> None:
    """Raise ValueError for a key that is not among `keys`."""
    strange = sorted(map(str, given.keys() - keys))
    if strange:
        raise _refused(f"{where}.{strange[0]}", "this key is not known")


def _object(where: str, given: Any) -> Mapping[str, Any]:
    """Return `given` if it is an object. Raises ValueError otherwise."""
    if not isinstance(given, Mapping):
        raise _refused(where, "it must be an object")
    return given


def _is_a_pair(delims: Any) -> bool:
    """Return whether a template's delimiters are one mark, the same on both sides of a string."""
    pair = delims[0] if isinstance(delims, list | tuple) and len(delims) == 1 else None
    same = isinstance(pair, list | tuple | str) and len(pair) == 2 and pair[0] == pair[1]
    return same and pair is not None and isinstance(pair[0], str) and bool(pair[0])


def _refused(where: str, why: str) -> ValueError:
    return ValueError(f"response_template: {where}: {why}")
