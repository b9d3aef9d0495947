"""Dialects that are loaded from a `response_template`: what models on Hugging Face say of how they write."""

from __future__ import annotations

import re
from typing import Any

import pytest

from stream_guard import End, Guard, ToolBlock
from stream_guard.dialects import from_response_template
from stream_guard.dialects.table import Dialect
from stream_guard.testing import by_char, every_split, merge_text, original, random_splits
from tests.kit.breadth import some
from tests.kit.dialects import CALLS, FIND, SMALL, TOOLS

NAMED = {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}
WHOLE = {"type": "function", "function": "{content}"}


def each(**keys: Any) -> dict[str, Any]:
    return {"transform": NAMED, "repeats": True, **keys}


def tags(opener: str, closer: str, tag: str, **args: Any) -> dict[str, Any]:
    return each(open_pattern=opener, close=closer, content="xml-inline", content_args={"tag_pattern": tag, **args})


FIELDS: dict[str, dict[str, Any]] = {
    "json": {"open": "<tool_call>", "close": "</tool_call>", "repeats": True, "content": "json", "transform": WHOLE},
    "json as it is": {"open": ["<call>", "<calls>"], "close": ["</call>", "</calls>"], "content": "json"},
    "json in a list": {
        "open": "<|START_ACTION|>",
        "close": "<|END_ACTION|>",
        "content": "json",
        "transform_each": True,
        "transform": {"type": "function", "function": {"name": "{tool_name}", "arguments": "{parameters}"}},
    },
    "json with other keys": {
        "open": "<call>",
        "close": "</call>",
        "content": "json",
        "transform": {"type": "function", "function": {"name": "{content.name}", "arguments": "{content.args}"}},
    },
    "a header": each(
        open_pattern=r"<\|channel\|>commentary to=functions\.(?P<name>\w+).*?<\|message\|>", close="<|call|>", content="json"
    ),
    "a name and a line end": each(open_pattern=r"<call>(?P<name>\w+)\n", close="</call>", content="json"),
    "a name and a marker": each(open_pattern=r"\[TOOL_CALLS\](?P<name>[\w.-]+)\[ARGS\]", close="</s>", content="json"),
    "braces": each(
        open_pattern=r"<\|tool_call>call:(?P<name>\w+)",
        close="<tool_call|>",
        content="json",
        content_args={"string_delims": [['<|"|>', '<|"|>']], "unquoted_keys": True},
    ),
    "functions": tags(
        r"<tool_call>\s*<function=(?P<name>\w+)>",
        "</tool_call>",
        r"<parameter=(?P<key>\w+)>\s*(?P<value>.*?)\s*</parameter>",
        value_parser={"name": "json", "args": {"allow_non_json": True}},
    ),
    "functions with line ends": tags(
        r"<tool_call>\n<function=(?P<name>\w+)>\n",
        "</tool_call>",
        r"<parameter=(?P<key>\w+)>\n(?P<value>.*?)\n</parameter>\n",
    ),
    "functions with both closers": {
        **tags(
            r"\s*<tool_call>\s*<function=(?P<name>[^>\n]+)>",
            "",
            r"<parameter=(?P<key>[^>\n]+)>\s*(?P<value>.*?)\s*</parameter>",
        ),
        "close_pattern": r"</function>\s*</tool_call>",
    },
    "invokes": tags(
        r'<atem:invoke\b[^>]*?\bname="(?P<name>[^"]+)">',
        "</atem:invoke>",
        r'<atem:parameter\b[^>]*?\bname="(?P<key>[^"]+)"[^>]*?>(?P<value>.*?)</atem:parameter>',
    ),
    "keys and values": tags(
        r"<tool_call>(?P<name>\w+)\s*",
        "</tool_call>",
        r"<arg_key>(?P<key>.*?)</arg_key>\s*<arg_value>(?P<value>.*?)</arg_value>",
    ),
}
FIELDS["functions with both closers"].pop("close")


def template(field: Any, **keys: Any) -> dict[str, Any]:
    return {
        "defaults": {"role": "assistant"},
        "start_anchor": "<|im_start|>assistant\n",
        "fields": {"content": {"content": "text"}, "tool_calls": field},
        **keys,
    }


def ran(guard: Guard, chunks: list[str]) -> tuple[list[Any], list[Any]]:
    found = merge_text(guard.scan([*chunks, End("stop")], stream_id="s"))
    return found, [(block.call.tool, block.call.arguments) for block in found if isinstance(block, ToolBlock) and block.call]


@pytest.mark.some
@pytest.mark.parametrize("field", FIELDS.values(), ids=FIELDS)
def test_a_template_is_a_dialect_that_reads_what_it_writes(field: dict[str, Any]) -> None:
    """Whole and cut anywhere; beside fences; and nothing that was cut off runs."""
    dialect = from_response_template(template(field), "mine")
    guard = Guard(TOOLS, dialects=["fence", dialect])
    for calls in CALLS.values():
        text = f"So:\n{dialect.write(calls)}\nDone.\n"
        found, executed = ran(guard, [text])
        assert executed == [(name, dict(held)) for name, held in calls]
        assert original(found) == text
        assert {item.dialect for item in found if isinstance(item, ToolBlock)} == {"mine"}
        for chunks in (by_char(text), *random_splits(text, 0, 3)):
            assert ran(guard, chunks) == (found, executed)
    text = dialect.write([FIND])
    for size in some(range(1, len(text)), 40):
        closed = field.get("close") in ("</s>", "<|call|>") and text[size:] in field["close"]
        assert closed or not ran(guard, [text[:size]])[1], text[:size]
    assert SMALL[0] in TOOLS.to_prompt(dialect=dialect)


def without(name: str, *keys: str, **others: Any) -> dict[str, Any]:
    return {**{key: value for key, value in FIELDS[name].items() if key not in keys}, **others}


OTHER_KEYS = {"type": "function", "function": {"name": "{content.f}", "arguments": "{content.a}"}}
REFUSED = [
    (None, "fields.tool_calls: it is missing"),
    (without("json", "open"), "fields.tool_calls.open: a call needs an opener"),
    (without("json", open=[1]), "fields.tool_calls.open: it must be text"),
    *(
        (without("json", "open", **{key: opener}), "fields.tool_calls.open: an opener that begins like reasoning")
        for key, opener in (("open", "<think>"), ("open", ["<a>", "<tool_result>"]), ("open_pattern", r"\s*<\|im_start\|>tool"))
    ),
    (without("json", open_pattern="x"), "fields.tool_calls.open_pattern: leave it out, or leave out 'open'"),
    (without("json", open=["<a>", "<a><b>"]), "fields.tool_calls.open: one of its texts is the beginning of another"),
    (without("json", "open", open_pattern=r"<a>\d{3}"), "fields.tool_calls.open_pattern: '\\\\d{3}' is no text"),
    (without("json", "open", open_pattern=r"<a>|<b>"), "fields.tool_calls.open_pattern: '|<b>' is no text"),
    (without("json", content="kv-lines"), "fields.tool_calls.content: 'kv-lines' has no grammar"),
    (without("json", content_args={"allow_non_json": True}), "fields.tool_calls.content_args.allow_non_json"),
    (without("json", content_args={"x": True}), "fields.tool_calls.content_args.x: this key is not known"),
    (without("json", join=""), "fields.tool_calls.join: calls cannot be joined"),
    (without("json", strict=True), "fields.tool_calls.strict: this key is not known"),
    (without("json", transform={"function": "{content}"}), "fields.tool_calls.transform: it must take exactly"),
    (without("json in a list", transform=NAMED | {"id": "{id}"}), "fields.tool_calls.transform: it must take exactly"),
    (without("json with other keys", transform=OTHER_KEYS), "fields.tool_calls.transform: a call has its tool"),
    (without("a header", transform=WHOLE), "fields.tool_calls.transform: with the name in the opener"),
    (without("a header", open_pattern=r"<c>(?P<tool>\w+)<d>"), "fields.tool_calls.open_pattern: it must have one group"),
    (without("braces", content_args={"string_delims": [["<", ">"]], "unquoted_keys": True}), "content_args.string_delims"),
    (without("braces", content_args={"string_delims": [['"', '"']]}), "content_args.unquoted_keys"),
    (without("braces", open_pattern=r"<c>(?P<name>\w+)"), "fields.tool_calls.open_pattern: it must be a marker, 'call:'"),
    (without("functions", content_args={}), "content_args.tag_pattern: it must be a pattern"),
    (tags("<a>(?P<name>x+)", "</a>", "<b>(?P<key>.*?)"), "fields.tool_calls.open_pattern: '(?P<name>x+)' is no text"),
    (tags(r"<a>(?P<name>\w+)", "</a>", "<b>(?P<key>.*?)"), "content_args.tag_pattern: no known grammar has this opener"),
    (without("functions", close="</function"), "fields.tool_calls.close: a call of this form ends with"),
    (
        without("functions", content_args={**FIELDS["functions"]["content_args"], "merge_duplicates": True}),
        "content_args.merge_duplicates: the values of a key that is written twice",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("field", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_what_cannot_be_expressed_is_an_error_that_names_the_key(field: Any, message: str) -> None:
    with pytest.raises(ValueError, match=r"response_template: .*" + re.escape(message)):
        from_response_template(template(field))


def test_a_template_has_known_keys_and_a_name_of_its_own() -> None:
    with pytest.raises(ValueError, match="version: it must be 1"):
        from_response_template(template(FIELDS["json"], version=2))
    with pytest.raises(ValueError, match=r"response_template\.stop: this key is not known"):
        from_response_template(template(FIELDS["json"], stop="x"))
    with pytest.raises(ValueError, match="the template must be an object"):
        from_response_template([])  # type: ignore[arg-type]
    for name in ("hermes", "mimo", "fence", "all"):
        with pytest.raises(ValueError, match="give another name"):
            from_response_template(template(FIELDS["json"]), name)


def test_an_opener_that_cannot_be_written_is_refused() -> None:
    """An id that must stand in it is in no call of ours: a prompt would teach a form that is not read."""
    opener = r"<\|tool_call:begin\|>%s<\|tool_call:name\|>(?P<name>\w+)<\|tool_call:args\|>"
    call = {
        "close": "<|tool_call:end|>",
        "repeats": True,
        "content": "json",
        "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}},
    }
    with pytest.raises(ValueError, match=r"open_pattern: a part that changes"):
        from_response_template({"fields": {"tool_calls": {**call, "open_pattern": opener % r"\w+"}}}, "some")
    dialect = from_response_template({"fields": {"tool_calls": {**call, "open_pattern": opener % ""}}}, "some")
    assert "<|tool_call:begin|><|tool_call:name|>" in dialect.example


@pytest.mark.parametrize("wrong", [5, None, True, {}, {"a": 5}, [5], [None], ["a"], "", [["a"]], [["a", 5]]])
@pytest.mark.parametrize("key", ["open", "close", "content_args", "string_delims", "content", "transform"])
def test_a_value_of_another_type_is_refused_or_read_and_raises_nothing_else(key: str, wrong: Any) -> None:
    """With the key in the message."""
    field: dict[str, Any] = {"open_pattern": r"<c>call:(?P<name>\w+)", "close": "</c>", "content": "json"}
    args: dict[str, Any] = {"string_delims": [["|", "|"]], "unquoted_keys": True}
    function = {"name": "{name}", "arguments": "{content}"}
    field |= {"content_args": args, "transform": {"type": "function", "function": function}}
    if key == "string_delims":
        args[key] = wrong
    else:
        field[key] = wrong
        if key == "open":
            del field["open_pattern"]
    try:
        from_response_template({"fields": {"tool_calls": field}}, "mine")
    except ValueError as error:
        assert "tool_calls" in str(error)


@pytest.mark.parametrize("name", ["", "native", None, 5])
def test_a_dialect_needs_a_name_of_its_own(name: Any) -> None:
    with pytest.raises(ValueError, match="name must be a non-empty string other than 'native'"):
        from_response_template({"fields": {}}, name)


HEADER = each(open_pattern=r"<tool_call>(?P<name>\w+)\n", close="</tool_call>", content="json")
"""Calls with the opener of `glm45`, and a body that begins like one of it."""


@pytest.mark.parametrize("beside", [["glm45"], ["hermes", "glm45"], ["all"]], ids=str)
def test_dialects_with_the_same_opener_are_each_read(beside: list[str]) -> None:
    """Whichever is named first: a body that is none of the first one is tried with the next."""
    mine = from_response_template(template(HEADER), "mine")
    calls = {
        "mine": mine.write([SMALL]),
        "glm45": "<tool_call>list_all\n</tool_call>",
        "hermes": '<tool_call>{"name": "list_all"}</tool_call>',
    }
    orders: list[list[str | Dialect]] = [[*beside, mine], [mine, *beside]]
    for dialects in orders:
        guard = Guard(TOOLS, dialects=dialects)
        for name, call in calls.items():
            if name in ("mine", *beside) or beside == ["all"]:
                for chunks in ([call], *every_split(call), by_char(call)):
                    found, _ = ran(guard, chunks)
                    assert [(block.dialect, block.executable) for block in found if isinstance(block, ToolBlock)] == [
                        (name, True)
                    ], chunks
        for text in ("<tool_call>hello there\n", "<tool_call>list_all, as it says\n", f"<tool_call>{'x' * 300}\n"):
            for chunks in ([text], by_char(text)):
                found, executed = ran(guard, chunks)
                assert (original(found), executed) == (text, [])


BLANKS: dict[str, tuple[dict[str, Any], list[str], list[str], str]] = {
    "a header": (
        each(close="</c>", content="json"),
        ["<c>", "<f=", r"(?P<name>\w+)", "<s>", ""],
        ["<c>", "<f=", "list_all", "<s>", ""],
        "{}</c>",
    ),
    "a header behind one marker": (
        each(close="</c>", content="json"),
        ["<c>", r"(?P<name>\w+)", "```json", ""],
        ["<c>", "list_all", "```json", ""],
        "{}</c>",
    ),
    "json": (
        {"close": "</c>", "repeats": True, "content": "json", "transform": WHOLE},
        ["<c>", "<f>", ""],
        ["<c>", "<f>", ""],
        '{"name": "list_all"}</c>',
    ),
    "braces": (
        each(
            close="<tool_call|>", content="json", content_args={"string_delims": [['<|"|>', '<|"|>']], "unquoted_keys": True}
        ),
        [r"<\|tool_call>", "call:", r"(?P<name>\w+)", ""],
        ["<|tool_call>", "call:", "list_all", ""],
        "{}<tool_call|>",
    ),
    "functions": (
        tags("", "</tool_call>", r"<parameter=(?P<key>\w+)>(?P<value>.*?)</parameter>"),
        ["<tool_call>", r"<function=(?P<name>\w+)>", ""],
        ["<tool_call>", "<function=list_all>", ""],
        "</function></tool_call>",
    ),
    "keys and values": (
        tags("", "</tool_call>", r"<arg_key>(?P<key>.*?)</arg_key><arg_value>(?P<value>.*?)</arg_value>"),
        ["<tool_call>", r"(?P<name>\w+)", ""],
        ["<tool_call>", "list_all", ""],
        "</tool_call>",
    ),
}  # fmt: skip
"""Templates, the parts of their openers and of a text that has it, and what stands behind."""


@pytest.mark.parametrize("form", BLANKS)
@pytest.mark.promise("P1")
def test_blanks_that_a_pattern_allows_are_read_or_the_template_is_refused(form: str) -> None:
    """Between any two parts of an opener: as many as stand there, or none where none may."""
    field, parts, written, rest = BLANKS[form]
    read = 0
    for at in range(len(parts)):
        for pattern, found in ((r"\s*", ["", " ", "\n", " \n\n"]), (r"\s+", [" ", "\n", "\t "])):
            opener = "".join((*parts[:at], pattern, *parts[at:]))
            try:
                dialect = from_response_template(template({**field, "open_pattern": opener}), "mine")
            except ValueError as error:
                assert "open_pattern" in str(error)
                continue
            read += 1
            for blanks in found if at else [""]:
                text = "".join((*written[:at], blanks, *written[at:], rest))
                for chunks in ([text], by_char(text), *random_splits(text, 1, 2)):
                    assert ran(Guard(TOOLS, dialects=[dialect]), chunks)[1] == [("list_all", {})], (opener, chunks)
    assert read >= len(parts)
