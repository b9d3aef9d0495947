"""Makes calls of the values of a block: takes them out of envelopes, and gives them the tool's own names.

Each step takes a value that is JSON and gives calls, or leaves it as it is. A value that fits no step stays as it is, and the
schema says what is wrong with it.

Rule 1: a value, or the name of a tool, is made up only if that is asked for, and never for a tool that takes something away.
Rule 2: a name changes only to the one that is meant: by table, by another spelling, by a slip that can be no other word.
Rule 3: a call that is given two different names is no call.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, Final

from ..schema.fields import Field, split
from ..schema.items import ADDRESS, is_one_item
from ..schema.json_text import accepts
from ..schema.spelling import Choices, Names, tokens
from ..schema.violations import kind_of
from ..toolset.arguments import path_rule
from ..toolset.envelopes import is_listed
from ..toolset.tool import Risk, Tool
from ..toolset.tools import Tools
from ..values.call_keys import ARGUMENT_KEYS, NEUTRAL_KEYS, PATH_KEY, TOOL_KEY, without_tool
from ..values.issues import JsonPath, dotted
from .against import says_nothing_against
from .grammar import NAMES, WRAPPERS
from .lines import names_a_long_text, names_a_text_with_marks, names_a_word
from .reading import number, unspelt
from .remarks import is_remark, says_it_is_a_call
from .strings import may_end_a_path

_EVERYDAY: Final = frozenset({"args", "input"})
"""Keys that hold the arguments in some envelopes, and are also fields of many tools. Such a key alone does not show an
envelope."""

_NAMES: Final = ("tool", "tool_name", "toolName", "name", "function_name", "function", "action", "recipient_name")
_DEEPEST: Final = 4
"""Limit: how many envelopes may be nested around a call."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change of shape: the fix, the path of the field, and its value before and after."""

    fix: str
    path: str
    before: Any
    after: Any


@dataclass(slots=True)
class Shaped:
    """The result for one value: a call with the changes that made it one, the value unchanged, or nothing (refused)."""

    call: Any
    """The call; or a value that is no call, whose issues the schema reports; None if the value is refused."""

    changes: list[Change] = field(default_factory=list)

    @classmethod
    def left(cls, value: Any) -> Shaped:
        """Return a value unchanged, because no envelope is known in it."""
        return cls(value)

    @classmethod
    def refused(cls) -> Shaped:
        """Return no call for a value that may mean several things. Then nothing in its block may be mended."""
        return cls(None)

    def change(self, fix: str, path: str, before: Any, after: Any) -> None:
        """Record a change of this call."""
        self.changes.append(Change(fix, path, before, after))


Decode = Callable[[str], Any]
"""A function that returns the object in a text, or None when the text holds none."""


def calls(
    value: Any, tools: Tools, decode: Decode, *, strict: bool, invent: bool = False, callee: str | None = None
) -> list[Shaped]:
    """Return the calls that a value means, each under its tool's own names. `strict` says that the body of the value was valid
    JSON, `callee` is the function that was called with it, and `invent` says that missing parts may be made up. A call with two
    different names of tools is refused.
    """
    if callee is not None:
        tool = tools.meant(callee)
        one = isinstance(value, dict) and not (tool is not None and _names_one_more(value, tool, tools))
        value = _named(callee, value, tools) if one else None
    found: list[Shaped] = []
    for shaped in _unwrapped(value, tools, decode, _DEEPEST):
        if isinstance(shaped.call, dict):
            found += _split(_aligned(shaped, tools, strict=strict, invent=invent), tools)
        else:
            found.append(shaped)
    return found


# -- envelopes ---------------------------------------------------------------------------------------------------------


def _unwrapped(value: Any, tools: Tools, decode: Decode, depth: int) -> list[Shaped]:
    """Return the objects in a value that may be calls, taken out of strings, lists and envelopes."""
    if depth == 0:
        return [Shaped.left(value)]
    if isinstance(value, str):
        inner = decode(value)
        return (
            _noted(_unwrapped(inner, tools, decode, depth - 1), "encoded", value) if inner is not None else [Shaped.left(value)]
        )
    if isinstance(value, list) and value and all(isinstance(item, dict | str) for item in value):
        made = [shaped for item in value for shaped in _unwrapped(item, tools, decode, depth - 1)]
        return _noted(made, "array_of_calls", value)
    if not isinstance(value, dict):
        return [Shaped.left(value)]
    if _defines(value):
        return [Shaped.refused()]
    for key in ("tool_calls", *WRAPPERS):
        inner = value.get(key)
        if isinstance(inner, dict | list) and _only(value, {key}):
            made = _noted(_unwrapped(inner, tools, decode, depth - 1), "envelope", value)
            return made if all(_beside(value, {key}, shaped.call, tools) for shaped in made) else [Shaped.refused()]
    return [_opened(value, tools, decode)]


def _defines(value: Mapping[str, Any]) -> bool:
    """Return whether an object defines a tool as a request to OpenAI does. A call has `arguments` and no `parameters`."""
    function = value.get("function")
    held = function if isinstance(function, dict) else value if value.get("type") == "function" else {}
    return "parameters" in held and "arguments" not in held


def _noted(made: list[Shaped], fix: str, before: Any) -> list[Shaped]:
    made[0].changes.insert(0, Change(fix, "", before, None))
    return made


def _only(value: Mapping[str, Any], keys: set[str]) -> bool:
    """Return whether the keys of an object, other than `keys`, are such as may be beside any call."""
    return value.keys() <= keys | NEUTRAL_KEYS


def _beside(value: Mapping[str, Any], keys: set[str], call: Any, tools: Tools) -> bool:
    """Return whether the members of an envelope, other than `keys`, say nothing that could change its call."""
    name = call.get(TOOL_KEY) if isinstance(call, dict) else None
    tool = tools.near(name) if isinstance(name, str) else None
    if tool is None:
        return _of_this_type(value, call, tools)  # the value is no call, and will be none
    return all(is_remark(key, item, tools, tool, apart=True) for key, item in value.items() if key not in keys)


def _opened(value: dict[str, Any], tools: Tools, decode: Decode) -> Shaped:
    """Return the call whose name and arguments are in members of an envelope.

    A value without the name of a tool stays as it is, and so does a value that may be an envelope or a call. A value that
    contradicts itself is refused.
    """
    key = next((key for key in _NAMES if isinstance(value.get(key), str) and tools.knows(value[key])), None)
    if key is None:
        only = next(iter(value), None)
        if len(value) == 1 and only is not None and tools.get(only) is not None and isinstance(value[only], dict):
            return _taken_out(Shaped(_named(only, value[only], tools)), value)
        return Shaped.left(value)
    if not _agree(value, value[key], tools):
        return Shaped.refused()
    tool = tools.near(value[key])
    assert tool is not None  # `tools.knows` said so
    held = next((held for held in sorted(ARGUMENT_KEYS) if isinstance(value.get(held), dict | str)), None)
    if held is None or value[held] == "":
        held = next((key for key in sorted(ARGUMENT_KEYS & value.keys()) if _says_nothing(value[key], tool)), held)
    if held in _EVERYDAY and key == TOOL_KEY and not tool.fields.closed and not tool.required and not _lists(tool, value[held]):
        return Shaped.left(value)  # `args` may be one argument of several: nothing shows that it holds them all
    if held is None:
        held = _of_their_own(value, key, tool)
    if held is not None and held not in tool.fields.members:
        if not _only(value, {key, held}):
            return Shaped.refused()  # the envelope has arguments, and fields beside them
        return _held_in(value, key, held, tool, tools, decode)
    if key == TOOL_KEY or TOOL_KEY in value or key in tool.fields.members:
        return Shaped.left(value)
    if any(_may_hold_all(value, key, own, tool, decode) for own in ARGUMENT_KEYS & tool.fields.members.keys() & value.keys()):
        return Shaped.refused()
    arguments = {name: item for name, item in value.items() if name != key}
    if _names_one_more(arguments, tool, tools) or _may_be_all(arguments, tool):
        return Shaped.refused()
    shaped = Shaped({TOOL_KEY: value[key], **arguments})
    shaped.change("field_name", TOOL_KEY, key, TOOL_KEY)
    return shaped


def _names_one_more(value: Mapping[str, Any], tool: Tool, tools: Tools) -> bool:
    """Return whether a call of an open tool has an unlisted member that is the name of a tool, or an object that names one.

    The key of that member may be what is left of `tool`: two calls may have become one.
    """
    unlisted = (item for key, item in value.items() if key not in NAMES and _is_unlisted(key, tool))
    return any(_holds_a_name(item) or (isinstance(item, str) and tools.meant(item) is not None) for item in unlisted)


def _may_be_all(arguments: Mapping[str, Any], tool: Tool) -> bool:
    """Return whether the only argument of an open tool is an object under an unlisted key, which may be a
    misspelt `arguments`.
    """
    return len(arguments) == 1 and all(isinstance(item, dict) and _is_unlisted(key, tool) for key, item in arguments.items())


def _is_unlisted(key: str, tool: Tool) -> bool:
    """Return whether a key is an argument only because the tool takes any key: the key is no spelling of a field
    of the tool.
    """
    return not tool.fields.closed and not is_listed(key, tool) and tool.field_names.meant(key) is None


def _held_in(value: dict[str, Any], key: str, held: str, tool: Tool, tools: Tools, decode: Decode) -> Shaped:
    """Return the call of an envelope: its name is under `key`, and its arguments are under `held`, as an object
    or as a string.
    """
    inner = value[held]
    if any(beside in tool.fields.members and beside not in (key, held) for beside in value):
        return Shaped.refused()  # a field of the tool is beside its arguments
    if not _beside(value, {key, held}, {TOOL_KEY: value[key]}, tools):
        return Shaped.refused()
    shaped = Shaped(value)
    if _says_nothing(inner, tool):
        inner = {}
    if isinstance(inner, str):
        read = decode(inner)
        if not isinstance(read, dict):
            return Shaped.left(value)
        shaped.change("encoded", held, inner, read)
        inner = read
    if _is_schema(inner) and not inner.keys() & tool.fields.members.keys():
        return Shaped.refused()  # the value defines a tool, and calls none
    shaped.call = _named(value[key], inner, tools)
    return _taken_out(shaped, value)


def _says_nothing(arguments: Any, tool: Tool) -> bool:
    """Return whether a tool without any fields is given no arguments: null, or an empty string or list."""
    takes_nothing = tool.fields.closed and not (tool.fields.members or tool.remarks or tool.defaults)
    return takes_nothing and is_nothing(arguments)


def is_nothing(arguments: Any) -> bool:
    """Return whether a value means no arguments: null, or an empty string or list."""
    return arguments is None or arguments in ("", [])


def _may_hold_all(value: Mapping[str, Any], name: str, held: str, tool: Tool, decode: Decode) -> bool:
    """Return whether `held`, which is a field of the tool and a key that envelopes have, may hold all arguments of the call.

    No, if the tool requires `held` and the object under it has no such field. Without other members beside `held`: yes, unless
    all keys of the object are listed only in the schema of `held`. With other members: yes, if a key is a field of the tool
    that the schema of `held` does not list.
    """
    said = value[held]
    inner = decode(said) if isinstance(said, str) else said
    if not isinstance(inner, dict) or (held in tool.required and held not in inner):
        return False
    fields = tool.fields.members
    own = fields[held].members
    if not _only(value, {name, held}):
        return any(key in fields and key not in own for key in inner)
    return not inner or any(key in fields or key not in own for key in inner)


def _lists(tool: Tool, inner: Any) -> bool:
    """Return whether an object has keys, and all of them are fields of the tool."""
    return isinstance(inner, dict) and bool(inner) and inner.keys() <= tool.fields.members.keys()


def _of_their_own(value: Mapping[str, Any], name: str, tool: Tool) -> str | None:
    """Return the only key beside the tool's name if its object holds all arguments; else None.

    The key is a word of the tool's name, or the schema's word for arguments.
    """
    others = [key for key in value if key != name]
    if len(others) != 1 or tool.risk is Risk.DESTRUCTIVE or tool.field_names.meant(others[0]) is not None:
        return None
    (key,), inner = others, value[others[0]]
    if not isinstance(inner, dict) or not tool.required or not set(tool.required) <= inner.keys() <= tool.fields.members.keys():
        return None
    if key == "properties":
        described = any(isinstance(item, dict) and "type" in item and "value" not in item for item in inner.values())
        return None if described else key  # the object may be the schema of the arguments
    return key if key in tokens(tool.name)[1:] else None


def _is_schema(value: Mapping[str, Any]) -> bool:
    """Return whether an object is a schema of arguments, and not the arguments themselves."""
    return isinstance(value.get("properties"), dict) or value.get("type") == "object"


def _taken_out(shaped: Shaped, envelope: Any) -> Shaped:
    """Record the envelope among the changes of a call, and return the call."""
    if shaped.call is not None:
        shaped.change("envelope", "", envelope, shaped.call)
    return shaped


def _named(name: str, arguments: dict[str, Any], tools: Tools) -> dict[str, Any] | None:
    """Return the arguments with the name of their tool as `tool`; None if they name another tool, or may name one."""
    if not _agree(arguments, name, tools):
        return None
    tool = tools.near(name)
    again = _said(arguments, tool)
    if again and tool is not None and not tool.fields.closed:
        return None  # the name may be an argument of a tool that takes any
    if tool is not None and any(_holds_a_name(item) for key, item in arguments.items() if key not in tool.fields.members):
        return None  # a member that the tool does not list may be the call itself
    return {TOOL_KEY: name, **{key: item for key, item in arguments.items() if key not in again}}


def _holds_a_name(value: Any) -> bool:
    """Return whether a value is an object that may name a tool, or a list of such objects."""
    items = value if isinstance(value, list) else [value]
    return any(isinstance(item, dict) and any(isinstance(item.get(key), str) for key in _NAMES) for item in items)


def _said(value: Mapping[str, Any], tool: Tool | None) -> dict[str, str]:
    """Return the members of an object that may name its tool, except fields of that tool."""
    own = tool.fields.members if tool is not None else {}
    return {key: item for key, item in value.items() if key in NAMES and key not in own and isinstance(item, str)}


def _agree(value: Mapping[str, Any], name: str, tools: Tools) -> bool:
    """Return whether an object names no other tool than the one called `name`."""
    meant, about = tools.meant(name), tools.near(name)
    if any(said != name and (meant is None or tools.meant(said) is not meant) for said in _said(value, about).values()):
        return False
    return (about is not None and "type" in about.fields.members) or _of_this_type(value, {TOOL_KEY: name}, tools)


def _of_this_type(value: Mapping[str, Any], call: Any, tools: Tools) -> bool:
    """Return whether the `type` beside a call is not the name of another tool."""
    kind, name = value.get("type"), call.get(TOOL_KEY) if isinstance(call, dict) else None
    other = tools.near(kind) if isinstance(kind, str) else None
    return other is None or (isinstance(name, str) and other is tools.near(name))


# -- names and values --------------------------------------------------------------------------------------------------


def _aligned(shaped: Shaped, tools: Tools, *, strict: bool, invent: bool) -> Shaped:
    """Return a call under the names of its tool, its values in the types of the fields, as far as that is certain. Each change
    is recorded.
    """
    call = shaped.call
    name = call.get(TOOL_KEY)
    arguments = without_tool(call)
    tool = tools.meant(name) if isinstance(name, str) else _inferred(arguments, tools) if name is None and invent else None
    if tool is None:
        return shaped
    if name is None:
        shaped.change("missing_tool", TOOL_KEY, None, tool.name)
    elif name != tool.name:
        shaped.change("tool_name", TOOL_KEY, name, tool.name)
    valid = _is_valid(arguments, tool)
    as_written = valid and name == tool.name  # a valid call stays as it is, whatever was mended around it
    if not as_written:
        arguments = _given(_without_remarks(_renamed(arguments, tool, shaped), tool, shaped), tool, shaped)
    found = _without_neutral(arguments, tool, tools, shaped, strict=strict)
    if found is None:
        return Shaped.refused()
    arguments = found
    taken = _taken_for_a_text(arguments, tool.fields)
    for key, member in tool.fields.members.items():
        if key in arguments:
            if not as_written:
                arguments[key] = _of_a_json_file(arguments[key], key, arguments, tool, shaped)
                may_lack = key not in tool.required if tool.risk > Risk.READ else None
                arguments[key] = _coerced(arguments[key], member, (key,), shaped, kept=key in taken, may_lack=may_lack)
            if key == PATH_KEY:
                arguments[key] = _of_a_file(arguments[key], tool, shaped, strict=strict)
        elif invent and _may_be_empty(key, member, arguments, tool):
            arguments[key] = ""
            shaped.change("missing_field", key, None, "")
    if not valid and (_may_be_null(arguments, tool.fields) or _took_a_number_in(arguments, tool, shaped)):
        return Shaped.refused()
    shaped.call = {TOOL_KEY: tool.name, **arguments}
    return shaped


def _without_neutral(
    arguments: dict[str, Any], tool: Tool, tools: Tools, shaped: Shaped, *, strict: bool
) -> dict[str, Any] | None:
    """Return the arguments without the members that only describe the call, such as `thought`; None if one of these may be an
    argument.

    The members stay if the schema is open, or the body was not JSON.
    """
    called = "type" not in tool.fields.members and says_it_is_a_call(arguments.get("type"))
    made = dict(arguments)
    for key in [key for key in arguments if key not in tool.fields.members and key in NEUTRAL_KEYS]:
        if tool.risk is Risk.DESTRUCTIVE or not is_remark(key, arguments[key], tools, tool, called=called):
            return None
        if strict and tool.fields.closed:
            shaped.change("extra_field", key, made.pop(key), None)
    return made


def _may_be_empty(key: str, member: Field, arguments: Mapping[str, Any], tool: Tool) -> bool:
    """Return whether a missing field is a required string without rules, and no other member may hold its value."""
    return (
        key in tool.required
        and member.kinds == ("string",)
        and not member.rules
        and not any(
            name not in tool.fields.members and (_may_name(name, key) or _stands_in(key, value))
            for name, value in arguments.items()
        )
    )


def _stands_in(key: str, value: Any) -> bool:
    """Return whether a value has a member, at any depth, whose name may mean a field. JSON inside strings counts too."""
    if isinstance(value, dict):
        return any(_may_name(name, key) or _stands_in(key, item) for name, item in value.items())
    if isinstance(value, list):
        return any(_stands_in(key, item) for item in value)
    return isinstance(value, str) and value.lstrip()[:1] in ("{", "[") and key in value


def _may_name(written: str, name: str) -> bool:
    """Return whether one name may mean the other: they share a word, or most of their letters."""
    if not set(tokens(written)).isdisjoint(tokens(name)):
        return True
    return bool(get_close_matches(written[:_LONGEST_NAME].lower(), [name.lower()], 1))


_LONGEST_NAME: Final = 64
"""The number of characters of a name that are compared with another name."""


def _is_valid(arguments: dict[str, Any], tool: Tool) -> bool:
    """Return whether the tool's schema accepts the arguments unchanged."""
    try:
        return tool.compiled.accepts(unspelt(arguments))
    except UnicodeEncodeError:  # half of a surrogate pair, which the strict parser refuses
        return False


def _without_remarks(arguments: dict[str, Any], tool: Tool, shaped: Shaped) -> dict[str, Any]:
    """Return the arguments without the members that the tool lists in `remarks`, or in `defaults` with this value. Each is
    recorded.
    """
    if tool.risk is Risk.DESTRUCTIVE or not tool.fields.closed:
        return arguments
    made = dict(arguments)
    for key, item in arguments.items():
        if key in tool.fields.members:
            continue
        usual = key in tool.defaults and type(item) is type(tool.defaults[key]) and item == tool.defaults[key]
        if usual or (key in tool.remarks and isinstance(item, str) and says_nothing_against(item)):
            shaped.change("extra_field", key, made.pop(key), None)
    return made


def _given(arguments: dict[str, Any], tool: Tool, shaped: Shaped) -> dict[str, Any]:
    """Return the arguments without the null values of optional fields that do not allow null. Each is recorded.

    If the schema's default is null, null and a missing field mean the same. Otherwise null may clear a value, lift a bound, or
    turn off a default. So null means nothing only for two kinds of tools: one that changes nothing, and one that makes
    something new, which has nothing to clear. Even there null has a meaning in a field that is a bound, or has a default.
    """
    if tool.risk is Risk.DESTRUCTIVE:
        return arguments
    made = dict(arguments)
    for key, item in arguments.items():
        about = tool.fields.members.get(key)
        nothing = item is None or (item in _NULLS if isinstance(item, str) else False)
        if nothing and about is not None and key not in tool.required and _is_left_out(key, about, tool):
            if _takes_null(about) if item is None else not _refuses(about):
                continue  # null, or the text `null`, is valid there
            shaped.change("null_field", key, f"{json.dumps(key)}: {json.dumps(item)}", "")
            del made[key]
    return made


def _takes_null(about: Field) -> bool:
    """Return whether null is a valid value of a field."""
    return "null" in about.kinds or (None in about.allowed if about.allowed else not about.kinds)


def _refuses(about: Field) -> bool:
    """Return whether a field certainly does not allow the string `null`: it takes no strings, or only digits, or a format."""
    return "string" not in about.kinds or about.format is not None or _is_spelt_in_figures(about.rules.get("pattern"))


def _is_spelt_in_figures(pattern: object) -> bool:
    return isinstance(pattern, str) and re.search(r"\\d|0-9", pattern) is not None and re.search(r"null|None", pattern) is None


def _is_left_out(key: str, about: Field, tool: Tool) -> bool:
    """Return whether a null field means the same as a field that is not given."""
    if about.without and not about.defaulted:
        return True
    if tool.risk > Risk.READ and (not _makes(tool.name) or set(about.kinds) & _NUMBERS):
        return False
    bound = not _BOUNDING.isdisjoint(tokens(key))
    texts = set(about.kinds) <= {"string", "array", "object", *_NUMBERS}
    return bool(about.kinds) and texts and not about.allowed and not about.defaulted and not bound


def _makes(name: str) -> bool:
    """Return whether a tool makes something new: its name begins with such a word (`create`), and has no word of a change
    (`update`).
    """
    first, *others = tokens(name)
    return first in _MAKING and _CHANGING.isdisjoint(others)


_MAKING: Final = frozenset({"add", "compose", "create", "generate", "insert", "make", "new", "register", "send", "submit"})
"""Words with which the name of a tool begins that makes something new: such a tool has nothing that null could clear. Words
that are nouns too are left out: `book_return`, `post_pin` and `schedule_pause` make nothing.
"""

_CHANGING: Final = frozenset({
    "assign", "change", "clear", "configure", "edit", "merge", "modify", "move", "or", "overwrite", "patch", "put", "rename",
    "replace", "reset", "set", "update", "upsert",
})  # fmt: skip
_NUMBERS: Final = frozenset({"integer", "number"})

_WORDS_OF_BOUNDS: Final = """
    limit max maximum min minimum timeout ttl expires expiry expiration until before after since end start from to size count
    depth quota budget cap retries deadline duration lifetime ceiling retention stop top cutoff bound days hours frist bis
"""
_BOUNDING: Final = frozenset(_WORDS_OF_BOUNDS.split())
"""Words in the names of fields that are bounds, such as `limit`: null in such a field may mean that there is no bound."""


def _inferred(arguments: Mapping[str, Any], tools: Tools) -> Tool | None:
    """Return the one tool that takes exactly these fields, for a call that names none.

    None if several tools do, or if the only one is destructive or takes a single field.
    """
    fitting = [tool for tool in tools if len(tool.required) > 1 and _takes(tool, arguments)]
    alone = len(fitting) == 1 and fitting[0].risk < Risk.DESTRUCTIVE
    return fitting[0] if alone and _agree(arguments, fitting[0].name, tools) else None


def _takes(tool: Tool, arguments: Mapping[str, Any]) -> bool:
    """Return whether these are the tool's fields, in any spelling, and all that it requires are among them."""
    names = tool.field_names
    own = {key: _path(names.spelt(key), tool) for key in arguments if key not in NEUTRAL_KEYS or key in tool.fields.members}
    return all(own.values()) and {path[0] for path in own.values()} >= set(tool.required)


def _path(meant: str | None, tool: Tool) -> JsonPath:
    """Return the path of the field that a name means, as `Names` gives it; empty without a field."""
    if meant is None:
        return ()
    return (meant,) if meant in tool.fields.members else split(meant)


def _meant(key: str, names: Names, tool: Tool, about: Field) -> str | None:
    """Return the field that a key means; None if there is none.

    A typing error is accepted only if the tool is not destructive and no other name is possible there.
    """
    slips = tool.risk < Risk.DESTRUCTIVE and about.values is None
    return names.meant(key) if slips else names.spelt(key)


def _renamed(arguments: dict[str, Any], tool: Tool, shaped: Shaped) -> dict[str, Any]:
    """Return the arguments under the names of the tool's fields, each change recorded; unchanged if two would get the same
    place.
    """
    made: dict[str, Any] = {}
    noted = len(shaped.changes)
    names = tool.field_names
    lifted = _lifted(arguments, tool)
    for key, item in arguments.items():
        path = (
            (key,) if key in tool.fields.members else _path(_meant(key, names, tool, tool.fields), tool) or lifted.get(key, ())
        )
        if len(path) < 2 or tool.fields.at(path) is None:
            to = str(path[0]) if len(path) == 1 else key
            if to != key and (to in arguments or to in made):
                to = key
            if to != key:
                shaped.change("field_name", to, key, to)
            made[to] = _inner(item, tool.fields.members.get(to), tool, (to,), shaped)
            continue
        *above, last = map(str, path)
        here = made
        for step in above:
            inside = here.setdefault(step, {})
            if not isinstance(inside, dict) or step in arguments:
                break
            here = inside
        else:
            if last not in here:
                here[last] = item
                shaped.change("field_name", dotted(path), key, dotted(path))
                continue
        del shaped.changes[noted:]
        return arguments
    return made


def _lifted(arguments: Mapping[str, Any], tool: Tool) -> dict[str, JsonPath]:
    """Return the path of each key that is written as a path (`state.power`), by key.

    The object of the path (`state`) must be absent, and all its required fields must be written so. A key without the path
    (`power`) may be another member of the call.
    """
    found: dict[str, JsonPath] = {}
    strange = [key for key in arguments if key not in tool.fields.members]
    for name, about in tool.fields.members.items():
        if not strange or tool.risk is Risk.DESTRUCTIVE or name in arguments or "object" not in about.kinds:
            continue
        own = {key: part for key in strange for part in about.members if key == f"{name}.{part}"}
        if own and set(about.required) <= set(own.values()):
            found |= {key: (name, part) for key, part in own.items()}
    return found


def _inner(item: Any, about: Field | None, tool: Tool, path: JsonPath, shaped: Shaped) -> Any:
    """Return a value with the names of the schema for the members of the objects inside it. Each change is recorded."""
    if about is not None and about.items is not None and isinstance(item, list):
        return [_inner(one, about.items, tool, (*path, index), shaped) for index, one in enumerate(item)]
    if about is None or not about.members or not isinstance(item, dict):
        return item
    aliases = ((alias, split(target)) for alias, target in tool.field_aliases.items())
    names = Names(about.members, ((alias, str(target[-1])) for alias, target in aliases if target[:-1] == path))
    made: dict[str, Any] = {}
    for key, inner in item.items():
        to = key
        if key not in about.members:
            meant = _meant(key, names, tool, about)
            to = meant if meant is not None and meant not in item and meant not in made else key
        if to != key:
            shaped.change("field_name", dotted((*path, to)), key, to)
        made[to] = _inner(inner, about.members.get(to), tool, (*path, to), shaped)
    return made


def _taken_for_a_text(value: Mapping[str, Any], about: Field) -> set[str]:
    """Return the keys of an object under which a number must not become a string, since the object lacks a number.

    The names of ids, codes and versions are left out: there a number is a spelling of the string.
    """
    if all(name in value or not _is_number(member) for name, member in about.members.items()):
        return set()
    return {name for name in value if not names_a_word((name,))}


def _took_a_number_in(arguments: Mapping[str, Any], tool: Tool, shaped: Shaped) -> bool:
    """Return whether a value was coerced in an inner object, and the call itself lacks a number of the same name.

    The value may be that number, one level too deep.
    """
    lacks = {name for name, member in tool.fields.members.items() if name not in arguments and _is_number(member)}
    coerced = [split(change.path) for change in shaped.changes if change.fix == "coercion"] if lacks else []
    return any(len(path) > 1 and path[-1] in lacks for path in coerced)


def _is_number(field: Field) -> bool:
    return "integer" in field.kinds or "number" in field.kinds


def _coerced(
    value: Any, about: Field, path: JsonPath, shaped: Shaped, *, kept: bool = False, may_lack: bool | None = None
) -> Any:
    """Return a value in the type that its field takes, if only one value can be meant, and record the change.

    With `kept` a number does not become a string. `may_lack` says that the call does not need the field: then a value that only
    fills its place is not changed. It is None for a tool that changes nothing, where such a value does no harm.
    """
    made = _of_a_kind(value, about, kept=kept or names_a_text_with_marks(path), text=names_a_long_text(path))
    if made is not value and may_lack and _may_fill(value, made, about):
        made = value
    if made is not value:
        shaped.change("coercion", dotted(path), value, made)
    if isinstance(made, dict):
        taken = _taken_for_a_text(made, about)
        return {
            key: _member(key, item, about, path, shaped, kept=key in taken, may_lack=may_lack) for key, item in made.items()
        }
    if isinstance(made, list) and about.items is not None:
        noted = len(shaped.changes)
        items = [_coerced(item, about.items, (*path, index), shaped, may_lack=may_lack) for index, item in enumerate(made)]
        if _moves_brackets(made, items, about.items):
            del shaped.changes[noted:]
            return made
        return items
    return made


def _moves_brackets(before: list[Any], after: list[Any], about: Field) -> bool:
    """Return whether brackets were added to items or taken off, where they might also belong to other items.

    `[1, 2]` in the place of a list of lists may be `[[1], [2]]` and `[[1, 2]]`. The same holds if only some items lack their
    brackets. A string that holds JSON does not count, since its brackets are in it.
    """
    moved = [
        isinstance(one, list) != isinstance(other, list) and not (isinstance(one, str) and one.lstrip().startswith("["))
        for one, other in zip(before, after, strict=True)
    ]
    return len(moved) > 1 and any(moved) and (about.kinds == ("array",) or not all(moved))


def _may_be_null(value: Any, about: Field | None) -> bool:
    """Return whether a value has the string `null` where its field takes both null and any string: either may be meant."""
    if isinstance(value, str):
        return value in _NULLS and about is not None and {"string", "null"} <= {*about.kinds} and not about.allowed
    if isinstance(value, dict):
        return any(_may_be_null(item, about and about.at((key,))) for key, item in value.items())
    return isinstance(value, list) and any(_may_be_null(item, about and about.items) for item in value)


def _may_fill(value: Any, made: Any, about: Field) -> bool:
    """Return whether a value that was changed to another type may be a placeholder, in a field for which the model had no
    value.

    0 and empty values may be placeholders, and so may a word in the place of a list (`unchanged`, `as-is`): no table of such
    words can be complete. A word that is a choice of the list's items, or has a digit or sign as names have, is none.
    """
    if isinstance(value, str):
        listed = about.items.allowed if about.items is not None else ()
        return made == [value] and value not in listed and _OF_A_NAME.search(value) is None
    return value is not False and not _says_something(value)


_OF_A_NAME: Final = re.compile(r"[\d@#/.:]")
"""Matches a sign that shows that a string is a name, an id, an address or a path, and no placeholder."""


def _says_something(value: Any) -> bool:
    """Return whether a value holds anything other than 0, false and empty values."""
    if isinstance(value, dict):
        return any(_says_something(item) for key, item in value.items() if key != "type" or len(value) == 1)
    return any(map(_says_something, value)) if isinstance(value, list) else bool(value)


def _member(key: str, value: Any, about: Field, path: JsonPath, shaped: Shaped, *, kept: bool, may_lack: bool | None) -> Any:
    """Return the value of a member in the type that its field takes; unchanged if the schema does not describe the member."""
    member = about.members.get(key) or about.values
    if may_lack is False:
        may_lack = key in about.members and key not in about.required
    return value if member is None else _coerced(value, member, (*path, key), shaped, kept=kept, may_lack=may_lack)


def _of_a_kind(value: Any, about: Field, *, kept: bool, text: bool) -> Any:
    """Return a value in the only type that its field takes, null apart; the value itself if it is uncertain which value is
    meant.

    `text` says that the field is a long text: then a list may be a list of its lines, and is not changed.
    """
    words = [word for word in about.allowed if word is not None]
    kinds = [kind for kind in about.kinds if kind != "null"] or ["string" for word in words[:1] if isinstance(word, str)]
    if len(kinds) != 1 or value is None:
        return value
    (kind,) = kinds
    if isinstance(value, str):
        if value in _NULLS and "null" in about.kinds and value not in about.allowed and (kind != "string" or words):
            return None  # where any string is allowed, `null` is valid as it is
        return _of_a_text(value, kind, about)
    if isinstance(value, bool):
        on = "on" if value else "off"
        return on if set(about.allowed) == {"on", "off"} else value
    if isinstance(value, int | float):
        return _of_a_number(value, kind, about, kept=kept)
    if isinstance(value, list):
        alone = value[0] if len(value) == 1 and not text else None
        if kind == "array" or alone is None or kind_of(alone) != kind:
            return value
        return alone if kind != "object" or _is_record(alone, about) else value  # a list of pairs may mean a map
    if kind in _ALONE:
        inner = _alone(value, kind)
        return value if inner is None else _of_a_kind(inner, about, kept=True, text=text)
    one = kind == "array" and about.items is not None and _is_record(value, about.items)
    return [value] if one else value


def _of_a_text(text: str, kind: str, about: Field) -> Any:
    """Return a string as a value of this kind; the string itself if it spells none, or several."""
    if kind in ("integer", "number", "boolean"):
        return _spelt(text, kind)
    if kind in ("array", "object"):
        read = _decoded(text, list if kind == "array" else dict)
        return read if read is not None else _items(text, about.items) if kind == "array" else text
    return _dated(_listed(text, about), about)


def _of_a_number(value: float, kind: str, about: Field, *, kept: bool) -> Any:
    """Return a number as a value of this kind; the number itself if that is uncertain, or `kept` forbids a string."""
    if kind == "boolean" and type(value) is int and value in (0, 1):
        return value == 1
    if kind == "string" and not kept:
        return getattr(value, "word", None) or json.dumps(value)
    numbers = kind == "array" and about.items is not None and _is_number(about.items)
    return [value] if numbers and value > 0 else value  # 0 and -1 may mean none or all


_ALONE: Final = frozenset({"string", "integer", "number", "boolean"})
"""The types of a value that holds no other values."""


def _alone(value: Mapping[str, Any], kind: str) -> Any:
    """Return the value of an object that has only an `email` or a `value`, if the value is of this kind; else None.

    Beside `value` there may be the `type` that a schema gives it.
    """
    if value.keys() == {"email"}:
        email = value["email"]
        return email if kind == "string" and isinstance(email, str) and ADDRESS.fullmatch(email) else None
    inner = value.get("value")
    described = value.keys() == {"value"} or (value.keys() == {"type", "value"} and value["type"] == kind)
    fits = kind_of(inner) == kind or (kind == "number" and kind_of(inner) == "integer")
    return inner if described and fits else None


def _dated(text: str, about: Field) -> str:
    """Return a date or time in the form that its field's schema asks for; the text itself if it already has that form, or
    cannot have it.

    A time of midnight is dropped where a date is due, and a blank before the time becomes `T`.
    """
    found = _DATE.fullmatch(text)
    pattern = about.rules.get("pattern")
    if found is None or not (isinstance(pattern, str) or about.format in ("date", "date-time")):
        return text
    day, time, zone = found[1], found[2], found[3] or ""
    fitting = [
        made
        for made in (text, f"{day}T{time}{zone}", day if _MIDNIGHT.fullmatch(time) and zone in ("", "Z", "+00:00") else text)
        if _fits(made, about.format, pattern)
    ]
    return fitting[0] if fitting else text


def _fits(text: str, form: str | None, pattern: object) -> bool:
    """Return whether a date or time has the format and the pattern that a schema asks for."""
    if form == "date" and len(text) != len("2026-11-22"):
        return False
    if form == "date-time" and re.search(r"T.*(?:Z|[+-]\d\d:\d\d)\Z", text) is None:
        return False
    try:
        return not isinstance(pattern, str) or re.search(pattern, text) is not None
    except re.error:
        return False  # the pattern is of another dialect


_DATE: Final = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?")
_MIDNIGHT: Final = re.compile(r"00:00(?::00(?:\.0+)?)?")


def _items(text: str, items: Field | None) -> Any:
    """Return the list that a string means: of one item, or of mail addresses between commas; else the string itself."""
    if items is None or items.kinds != ("string",):
        return text
    if text in items.allowed or is_one_item(text):
        return [text]
    addresses = re.split(r"[,;]\s*", text)
    return addresses if all(map(ADDRESS.fullmatch, addresses)) else text


_NULLS: Final = frozenset({"null", "None"})


def _is_record(value: Mapping[str, Any], about: Field) -> bool:
    """Return whether an object has every member that a field requires, and no unknown one.

    The field must require at least one.
    """
    return "object" in about.kinds and bool(about.required) and set(about.required) <= value.keys() <= about.members.keys()


def _decoded(text: str, kind: type) -> Any:
    """Return the list or object that a string holds as JSON; None if it holds neither."""
    if not text.lstrip().startswith(("{", "[")) or not accepts(text):
        return None
    read = json.loads(text, parse_float=number, parse_int=number)
    return read if isinstance(read, kind) else None


def _listed(text: str, about: Field) -> str:
    """Return the allowed value of which a string is another spelling (`High` for `high`); else the string itself."""
    choices = _choices(about) if about.allowed else None
    meant = choices.spelt(text) if choices is not None else None
    return text if meant is None or meant == text else meant  # the same object, so that no change is recorded


@lru_cache(maxsize=64)
def _choices(about: Field) -> Choices | None:
    """Return the allowed values of a field as `Choices`, read once for all items of a list; None if some of them are no
    strings.
    """
    words = [word for word in about.allowed if word is not None]
    return Choices(words) if words and all(isinstance(word, str) for word in words) else None


def _of_a_file(path: Any, tool: Tool, shaped: Shaped, *, strict: bool) -> Any:
    r"""Return the path of a file with the backslashes that were not doubled (`C:\new` for `C:` and a line break), and record
    that.

    This is done only for a tool of files, since in another path a line break may be meant; only if the body was valid JSON, so
    that each such character was written as an escape; and only if no escape is at the end of the path, or beside slashes.
    """
    written = strict and not any(change.fix == "encoded" for change in shaped.changes)
    if not (written and isinstance(path, str) and path_rule in tool.rules) or "\\" in path:
        return path  # a doubled backslash shows that the escapes are as meant
    made = path.translate(_UNESCAPED)
    if may_end_a_path(made):
        return path
    if made != path:
        shaped.change("path_escape", PATH_KEY, path, made)
    return made


def _of_a_json_file(value: Any, key: str, arguments: Mapping[str, Any], tool: Tool, shaped: Shaped) -> Any:
    """Return the JSON of an object that was given as the text of a JSON file; any other value unchanged.

    The tool must write files, require just a path and this field, and be given nothing else.
    """
    path, about = arguments.get(PATH_KEY), tool.fields.members[key]
    writes = tool.risk is Risk.WRITE and key in _CONTENTS and {PATH_KEY, key} == set(tool.required) == arguments.keys()
    of_a_file = writes and isinstance(path, str) and path.endswith(".json")
    if not (of_a_file and about.kinds == ("string",) and isinstance(value, dict)) or _has_a_fraction(value):
        return value
    made = json.dumps(value, ensure_ascii=False)
    shaped.change("coercion", key, value, made)
    return made


_CONTENTS: Final = frozenset({"content", "contents"})
"""The names of a field that holds the whole text of a file. A field of another name may hold a part of it, or a
text to search."""


def _has_a_fraction(value: Any) -> bool:
    """Return whether a value holds a number with a fraction: such a number has several spellings."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return isinstance(value, float) or any(map(_has_a_fraction, inner))


_UNESCAPED: Final = {8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r"}


_TRUTHS: Final = frozenset({"true", "True", "TRUE", "false", "False", "FALSE"})


def _spelt(text: str, kind: str) -> Any:
    """Return the value of this kind that a string spells in JSON or Python; the string itself if it spells none."""
    if kind == "boolean":
        return text.lower() == "true" if text in _TRUTHS else text
    try:
        value = json.loads(text)
    except ValueError:
        return text
    fits = isinstance(value, int if kind == "integer" else int | float) and not isinstance(value, bool)
    return value if fits and json.dumps(value) in (text, _DECIMALS.sub(r"\1", text)) else text


_DECIMALS: Final = re.compile(r"^(?!-?\d{1,3}\.\d{3}$)(-?\d+\.\d+?)0+$")
"""Matches a decimal number with zeros at its end, as in prices: `120.50`. Not `1.500`, which may have a mark
between thousands."""


def _split(shaped: Shaped, tools: Tools) -> list[Shaped]:
    """Return a call for each path of a list, if the tool takes only one path, or for each change of a list, if it takes one
    change of a file; else the call alone.
    """
    call = shaped.call
    name = call.get(TOOL_KEY) if isinstance(call, dict) else None
    tool = tools.get(name) if isinstance(name, str) else None
    if tool is None or call.keys() != {TOOL_KEY, *tool.required}:
        return [shaped]
    listed = (key for key in tool.required if key in tool.fields.members)
    key = next((key for key in listed if isinstance(call[key], list) and len(call[key]) > 0), None)
    if key is None:
        return [shaped]
    if _is_valid(without_tool(call), tool):
        return [shaped]
    items, about = call[key], tool.fields.members[key]
    paths = tool.required == (PATH_KEY,) == tuple(tool.fields.members) and all(isinstance(item, str) for item in items)
    edits = (
        path_rule in tool.rules
        and tool.fields.closed
        and tool.risk < Risk.DESTRUCTIVE
        and about.kinds == ("object",)
        and len(items) > 1
        and all(isinstance(item, dict) for item in items)
    )
    if not paths and not edits:
        return [shaped]
    if edits:
        items = [_inner(item, about, tool, (key,), shaped) for item in items]
    made = [Shaped({**call, key: item}) for item in items]
    made[0].changes = [*shaped.changes, Change("list_of_paths" if paths else "list_of_edits", key, call[key], None)]
    return made
