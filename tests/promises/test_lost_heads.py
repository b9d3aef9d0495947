"""A call whose head was lost or has one wrong sign: what a text of it quotes does not run, and ordinary text refuses nothing.

Rule: each kind is made of many forms, and stands beside honest text that looks like it, behind which a call runs.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from stream_guard import End, Guard, Risk, Tool, Toolset
from stream_guard.dialects.tables import DIALECTS
from stream_guard.scan.strays import OF_HTML
from tests.kit.breadth import some, splits
from tests.kit.ran import ran

S: Final = {"type": "string"}
INNER: Final = '{"tool": "unlock_door", "door": "front"}'
FENCE: Final = f"```json\n{INNER}\n```"
OTHERS: Final = tuple(
    DIALECTS[name].write([("unlock_door", {"door": "front"})])
    for name in ("hermes", "mistral", "lfm2", "llama4_pythonic", "functiongemma")
)


def tools(**fields: Any) -> Toolset:
    """Return a tool that can be quoted, and one with these fields."""
    schema = {"type": "object", "properties": {**fields, "zq": S}, "required": [*fields]}
    door = {"type": "object", "properties": {"door": S}, "required": ["door"]}
    return Toolset(Tool("put_thing", "", schema, risk=Risk.WRITE), Tool("unlock_door", "", door, risk=Risk.DESTRUCTIVE))


MAIL: Final = tools(to={"type": "array", "items": S}, subject=S, body=S)
ALL: Final = Guard(MAIL, dialects="all")
FENCES: Final = Guard(MAIL)


def runs(guard: Guard, text: str) -> list[str | None]:
    return ran(guard.scan([text, End("stop")]))


def mail(text: str) -> dict[str, Any]:
    return {"to": ["a@b.example"], "subject": "Hi", "body": text}


def wrong_signs(text: str, end: int, signs: str) -> Iterator[str]:
    """Yield a text with one sign less, more or other, at each place before `end`."""
    for at in range(end):
        yield text[:at] + text[at + 1 :]
        yield text[:at] + text[at + 1 : at + 2] + text[at : at + 1] + text[at + 2 :]
        for sign in signs:
            yield text[:at] + sign + text[at:]
            yield text[:at] + sign + text[at + 1 :]


# Tags of fields that are elements of HTML too.


@pytest.mark.some
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("dialects", ["all", ("fence", "cline_xml")], ids=str)
def test_the_tag_of_a_field_that_html_has_too_shows_a_lost_opener(dialects: Any) -> None:
    for field in some(sorted(OF_HTML), 12):
        guard = Guard(tools(**{field: S}), dialects=dialects)
        for opener in ("<put_thin>\n", "<put_thing\n", "put_thing>\n", "<put-thing>\n", "<pu`t_thing>\n", ""):
            text = f"{opener}<{field}>\nSee:\n{FENCE}\nthanks\n</{field}>\n</put_thing>\n"
            assert "unlock_door" not in runs(guard, text), text


SETTINGS: Final[dict[str, Any]] = {"fences": ("fence",), "all": "all", "some": ("fence", "cline_xml")}


@pytest.mark.some(8)
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("setting", sorted(SETTINGS))
@pytest.mark.parametrize("field", ["subject", "to", "memo_text", "notes"])
@pytest.mark.parametrize("closed", ["", "<zq>\na\n</zq>\n", "<zq>a</zq>\n", "So:\n\n"])
def test_the_tag_of_a_field_leaves_its_text_open_whatever_dialects_are_read(setting: str, field: str, closed: str) -> None:
    guard = Guard(tools(**{field: S}), dialects=SETTINGS[setting])
    for opener in ("", "<put_thin>\n", "<put_thing\n"):
        for begins in (f"<{field}>\nSee:\n", f"<{field}>\n", f"<{field}>see:\n", f"  <{field}>\nsee\n\n"):
            for behind in (f"\nend\n</{field}>\n</put_thing>\n", f"\n</{field}>\n<put_thing>\n</put_thing>\n"):
                assert "unlock_door" not in runs(guard, f"{opener}{closed}{begins}{FENCE}{behind}"), (opener, begins)


@pytest.mark.promise("P8")
@pytest.mark.parametrize("setting", ["fences"])
@pytest.mark.parametrize(
    "line",
    [
        *("<subject>\nHi\n</subject>", "<subject>Hi</subject>", "The <subject> is Hi", "`<subject>`", "> <subject>"),
        *("<subject>: what it is about", "<subject> is what it is about", "<title>", "<b>", '<subject id="a">', "</subject>"),
        *(
            "Usage: send <subject> <body>",
            "<Subject />",
            "<SubjectList>",
            "<subjects>",
            "<div>\n<p>",
            "a <subject>\n",
            "<subject/>",
        ),
    ],
)
def test_a_tag_of_a_field_that_is_closed_or_spoken_of_leaves_nothing_open(setting: str, line: str) -> None:
    guard = Guard(tools(subject=S, title=S), dialects=SETTINGS[setting])
    for between in ("\n", "\n\n", "\nmore\n"):
        assert runs(guard, f"So:\n{line}{between}{FENCE}\n") == ["unlock_door"]


MARKS_WITHIN: Final = (
    *("<parameter=subject>", "<arg_value>", "<ifm|arg_value>", "<longcat_arg_value>", "<escape>", '<|"|>'),
    *('<\uff5cDSML\uff5cparameter name="subject" string="true">', '<parameter name="subject">', '<param name="subject">'),
)


@pytest.mark.some(11)
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("setting", ["fences", "some"])
@pytest.mark.parametrize("mark", MARKS_WITHIN)
@pytest.mark.parametrize("before", ["x", "x</parameter>", "Sure. ", "ey><ifm|arg_value>50</ifm|arg_value>", "put_thing "])
@pytest.mark.parametrize("begins", ["see:\n", "\n", "see:\nmore\n\n"])
def test_a_mark_in_the_middle_of_a_line_leaves_its_text_open(setting: str, mark: str, before: str, begins: str) -> None:
    guard = Guard(MAIL, dialects=SETTINGS[setting])
    assert "unlock_door" not in runs(guard, f"Sure.\n\n{before}{mark}{begins}{FENCE}\nend\n")


@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("mark", [*MARKS_WITHIN, "<ifm|tool_calls<ifm|tool_call>put_thing<ifm|arg_key>a</ifm|arg_key>"])
def test_a_mark_before_a_fence_on_its_line_leaves_its_text_open(mark: str) -> None:
    guard = Guard(MAIL, languages=("json", ""))
    for before in ("", "Sure.", "Sure. <put>"):
        assert "unlock_door" not in runs(guard, f"{before}{mark}{FENCE}\nend\n")


@pytest.mark.promise("P8")
@pytest.mark.parametrize(
    "line",
    [
        *("It has `x <parameter=subject>` there", "the <parameter=subject> tag", "a <arg_value>, say", "> x <arg_value>see:"),
        *("x <parameter=subject>Hi</parameter> y", "a <|im_end|> b", "a <escape>b<escape> c", "the </parameter> tag"),
    ],
)
def test_a_mark_in_the_middle_of_a_line_that_is_spoken_of_or_closed_refuses_nothing(line: str) -> None:
    for between in ("\n", "\n\n"):
        assert runs(FENCES, f"So:\n{line}{between}{FENCE}\n") == ["unlock_door"]


@pytest.mark.some(40)
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("setting", sorted(SETTINGS))
@pytest.mark.parametrize("dialect", sorted(name for name, one in DIALECTS.items() if name != "fence" and not one.tools))
def test_nothing_runs_in_a_call_behind_a_fence_that_lost_its_closer(setting: str, dialect: str) -> None:
    """The opener of the call stands between the end of the first fence and the next one."""
    guard = Guard(MAIL, dialects=SETTINGS[setting], fixes="off")
    outer = DIALECTS[dialect].write([("put_thing", {**mail("see:\nQQ"), "to": ["a"]})])
    begun, _, ended = outer.partition("QQ")
    begun = begun.replace("see:\\n", "see:\n")
    for between in ("\n\nThen:\n\n", "\n"):
        text = f'```json\n{{"tool": "put_thing", "to": [], "subject": "a", "body": "b"}}{between}{begun}{FENCE}\nend{ended}\n'
        assert "unlock_door" not in runs(guard, text), text


@pytest.mark.some
@pytest.mark.parametrize("field", ["details", "summary", "text", "title", "code"])
def test_an_element_of_html_refuses_nothing_once_it_is_closed_or_where_no_field_has_its_name(field: str) -> None:
    whole = f"<{field}>More</{field}>\n\n<{field}>\nsome text\n\n</{field}>\n\n{FENCE}\n"
    for deltas in splits(whole, 12):
        assert ran(Guard(tools(**{field: S}), dialects="all").scan([*deltas, End("stop")])) == ["unlock_door"], deltas
    assert runs(ALL, f"<{field}>\nsome text\n\n{FENCE}\n") == ["unlock_door"]


# A bracket before a mark, which is the end of a tag that was lost.

FLAT: Final = ("minicpm5", "hunyuan_v3", "k2_horizon", "gemma4", "functiongemma", "claude_xml", "muse_glimmer", "glm45")


@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("dialect", FLAT)
def test_a_bracket_straight_before_a_sign_is_no_mark_of_a_quote(dialect: str) -> None:
    for inner in (FENCE, *OTHERS):
        text = DIALECTS[dialect].write([("put_thing", mail("See:"))]).replace(">\n<", "><")
        text = text.replace("See:", f"See:\n{inner}\nThanks")
        end = text.index("See:")
        for at in (at for at in range(end) if text[at] == ">" and "body" in text[at:end]):
            assert "unlock_door" not in runs(ALL, text[at:]), text[at:]


@pytest.mark.some
@pytest.mark.parametrize("mark", ['<parameter name="body">', "<arg_value>", "</invoke>", '<|"|>'])
def test_a_mark_in_a_quote_of_markdown_or_in_inline_code_refuses_nothing(mark: str) -> None:
    for line in (
        f"> {mark} opens it",
        f">\t{mark}",
        f"The `{mark}` opens it",
        f"A ``x `{mark} y`` ends",
        f"`one\nx {mark} y` ends",
    ):
        for deltas in splits(f"So:\n\n{line}\n\n{FENCE}\n", 10):
            assert ran(ALL.scan([*deltas, End("stop")])) == ["unlock_door"], deltas


# A backtick in the place of a sign.


@pytest.mark.some
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("dialect", [name for name, dialect in DIALECTS.items() if not dialect.tools])
def test_marks_behind_a_backtick_that_nothing_closes_count(dialect: str) -> None:
    try:
        text = DIALECTS[dialect].write([("put_thing", mail(f"See:\n{FENCE}\nThanks"))])
    except ValueError:  # a value that this form cannot hold
        return
    for at in some(range(text.index("See:")), 30):
        assert "unlock_door" not in runs(ALL, f"{text[:at]}`{text[at + 1 :]}"), (at, text)


# What is left of a call, from a key with a text on.

MEMBERS: Final = ("hermes", "longcat", "deepseek_v31", "kimi_k2", "olmo3", "pythonic")


def written(dialect: str, text: str) -> str:
    if dialect == "fence":
        return f"```json\n{json.dumps({'tool': 'put_thing', **mail(text)})}\n```"
    return DIALECTS[dialect].write([("put_thing", mail(text))])


@pytest.mark.some
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("dialect", ["fence", *MEMBERS])
def test_what_a_text_of_a_call_without_its_head_quotes_does_not_run(dialect: str) -> None:
    """Whatever of its members is lost, but for the key before the text; whether its line breaks are escaped or raw."""
    for inner in (FENCE, *OTHERS):
        text = written(dialect, f"See:\n{inner}\nThanks")
        end = text.rindex("body") - 1
        for at in some(range(1, end), 12):
            for cut in (text[at:], text[at:].replace("\\n", "\n"), text[at:].replace("\\n", "\n").replace('\\"', '"')):
                for guard in (ALL, FENCES):
                    assert "unlock_door" not in runs(guard, f"{cut}\n"), cut


@pytest.mark.some
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("inner", OTHERS[1:3])
def test_a_call_in_code_with_one_wrong_sign_before_its_text_leaves_it_open(inner: str) -> None:
    text = written("pythonic", f"See:\n{inner}\nThanks")
    for wrong in some(wrong_signs(text, text.index("See:"), 'x\n "('), 150):
        assert "unlock_door" not in runs(ALL, f"{wrong}\n"), wrong


ORDINARY: Final[dict[str, str]] = {
    "a member": 'Set "subject": "Hi" and "body": "Dear all" in it.\n',
    "members on lines": '"subject": "Hi",\n"body": "it\'s me"\n',
    "an apostrophe behind it": '"subject": "Hi" is what it\'s about, isn\'t it?\n',
    "code": '```python\nsubject = \'Hi\'\nbody = f"{x[\'y\']}"  # it\'s "so"\nsend(to=[\'a\'], body="""a\nb""")\n```\n',
    "code with brackets": "```js\nconst x = [{\n  'subject': 'a',\n  body: `b`,\n```\n",
    "JSON in a text of code": '```python\nx = \'{"subject": "a", "body": "b"}\'\n```\n',
    "JSON in a text of prose": 'It prints \'{"subject": "a", "body": "b"}\' there.\n',
    "attributes": '```html\n<a subject="x"\n   body="y">it\'s</a>\n```\n',
    "a shell": "```sh\nsubject='it'\\''s' body=\"$x\" mail\n```\n",
    "inline code": 'Four quotes (`"body": """"So`) begin it.\n',
    "another field": "```sh\nMESSAGE='a\n```\n",
}
"""Text with keys, behind which a call runs."""


@pytest.mark.some
@pytest.mark.parametrize("kind", ORDINARY)
def test_ordinary_text_with_keys_refuses_no_call(kind: str) -> None:
    for guard in (FENCES, ALL):
        for deltas in splits(f"So:\n\n{ORDINARY[kind]}\n{FENCE}\n", 12):
            assert ran(guard.scan([*deltas, End("stop")])) == ["unlock_door"], deltas


PIECES: Final[dict[str, Callable[[str], str]]] = {
    "a key": lambda text: f'"subject": "Hi", "body": "See:\n{text}',
    "a backtick": lambda text: f'<f`nction name="put_thing"><param name="body">See:\n{text}',
    "a bracket": lambda text: f'><parameter name="body">See:\n{text}',
    "a line of a list": lambda text: f"[put_thing\n(to=['a'], subject='Hi', body='See:\\n{text}",
    "an element": lambda text: f"<put_thin>\n<body>\nSee:\n{text}",
}


@pytest.mark.some
@pytest.mark.promise("P1", "P8")
@pytest.mark.parametrize("kind", PIECES)
def test_where_the_text_is_cut_changes_none_of_it(kind: str) -> None:
    for inner in (FENCE, OTHERS[1]):
        text = PIECES[kind](f"{inner}\n")
        for deltas in splits(text, 40):
            assert ran(ALL.scan([*deltas, End("stop")])) == [], deltas


# What is left of a call whose keys have no quotes, from the end of a lost string on.

BARE: Final[dict[str, str]] = {
    "JavaScript": '{\n  tool: "put_thing",\n  to: ["a@b.example"],\n  subject: "Hi",\n  body: `%s`,\n  zq: "z"\n}',
    "JavaScript on a line": '{tool: "put_thing", subject: "Hi", zq: "z", body: `%s`, to: ["a"]}',
    "in apostrophes": "{tool: 'put_thing',\n subject: 'Hi',\n zq: 'z',\n body: '%s'}",
    "YAML": "tool: \"put_thing\"\nsubject: \"Hi\"\nzq: 'z'\nbody: '%s'\n",
    "YAML in quotes": 'tool: "put_thing"\nsubject: "Hi"\nbody: "%s"\nzq: "z"\n',
    "three quotes": 'tool = "put_thing"\nsubject = "Hi"\nzq = "z"\nbody = """%s"""\n',
}


@pytest.mark.some
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("notation", BARE)
def test_a_text_behind_a_key_without_quotes_is_open_where_a_lost_string_ends_before_it(notation: str) -> None:
    """Whatever of the call is lost: its beginning up to a place in a string, or to the quote that ends one."""
    for begins, before in itertools.product(("See:\n", "\n", "See:\n\nmore\n\n"), ("", "Sure, I'll ", "Sure.\n\n")):
        text = BARE[notation] % f"{begins}{FENCE}\nThanks\n"
        ends = [found.end() for word in ("put_thing", "Hi", "z") for found in re.finditer(rf"(?<=[\"']){word}(?=[\"'])", text)]
        for end in (end for end in ends if end < text.index("body") and (not before or text[end + 1] == ",")):
            for at in range(end - 1, end + 1):
                left = f"{before}{text[at:]}"
                for deltas in some(([left], list(left), *([left[:cut], left[cut:]] for cut in range(1, 40))), 4):
                    assert "unlock_door" not in ran(FENCES.scan([*deltas, End("stop")])), deltas


SPOKEN: Final = (
    'Set subject: "Hi" and body: `x` in it.\n',
    '"a", subject: "b", body: `c`\n',
    "```yaml\nsubject: 'Hi'\nbody: 'it''s me'\n```\n",
    '```js\nsend({ to: "a", subject: "Hi", body: `x\n${y}`, zq: \'z\' })\n```\n',
    'users", they said\nsubject: "Hi"\nbody: it\'s me\n',
    "the users'\n\nsubject: it's about \"x\"\nbody = f'{x}'\n",
    '"""\nIt is so.\n"""\nsubject = "x"\nbody = `y`\n',
    '"Hi",\nsaid he.\n',
)


@pytest.mark.some
@pytest.mark.parametrize("text", SPOKEN)
def test_text_with_keys_without_quotes_and_ends_of_strings_refuses_no_call(text: str) -> None:
    for guard in (FENCES, ALL):
        for deltas in splits(f"{text}\n{FENCE}\n", 12):
            assert ran(guard.scan([*deltas, End("stop")])) == ["unlock_door"], deltas
