"""Blocks in which one fault shows in two places: something moved, changed places, was copied over something else, or was lost.

Each place alone looks like a slip that a fix mends. Each kind stands beside blocks with the same slips that tell of nothing.
Those run.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from itertools import product
from typing import Any, Final

import pytest

from stream_guard import Guard, Risk, Tool, Toolset
from tests.kit.breadth import some
from tests.kit.proof import Cases
from tests.kit.ran import ran

S: Final[Any] = {"type": "string"}
N: Final[Any] = {"type": "number"}
UNION: Final[Any] = {"type": ["string", "number", "boolean"]}


def _closed(required: str, /, **fields: Any) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "required": required.split(), "additionalProperties": False}


def _list(of: Any) -> Any:
    return {"type": "array", "items": of}


_STEP: Final = _closed("device", device=S, level=N, at=S)
TOOLS: Final = Toolset(
    Tool("set_item", "", _closed("", name=S, size=N, tags=_list(S), mode={**S, "enum": ["low", "high"]}, value=UNION, note=S)),
    Tool("add_steps", "", _closed("steps", title=S, steps=_list(_STEP), extra=_list(_STEP))),
    Tool("turn_off", "", _closed("devices", devices=_list(S), delay=N, from_room=S)),
    Tool("drop_table", "", _closed("table_name", table_name=S, cascade={"type": "boolean"}), risk=Risk.DESTRUCTIVE),
    Tool("wipe", "", _closed("name", name=S), risk=Risk.DESTRUCTIVE),
    Tool("run_command", "", _closed("command", command=S, stdin=S, shell=S)),
    Tool("write_file", "", _closed("path content", path=S, content=S)),
    Tool("calibrate", "", _closed("sensor points", sensor=S, points=_list(_list(N))), risk=Risk.DESTRUCTIVE),
    Tool("purge_all", "", {"type": "object", "properties": {"name": S}, "required": ["name"]}, risk=Risk.DESTRUCTIVE),
)  # fmt: skip
WRITTEN: Final = ("compact", "spaced", "lines")


def _body(tool: str, members: list[str], how: str, end: str = "") -> str:
    members = [f'"tool": "{tool}"', *members]
    if how == "lines":
        return "{\n  " + ",\n  ".join(members) + f"{end}\n}}"
    return "{" + (", " if how == "spaced" else ",").join(members) + end + "}"


def _swapped() -> Iterator[str]:
    """Two values changed places: each fits the other's field as it stands, and one at least does not fit its own."""
    pairs = [
        ("name", 5, "size", "77"), ("name", ["a"], "tags", "P-1"), ("name", 2.5, "value", "INR"), ("note", True, "value", "x"),
        ("note", "High", "mode", "x"), ("size", "3", "value", 3), ("name", "high", "mode", "LOW"),
    ]  # fmt: skip
    for (one, said, other, told), turned, how in product(pairs, (False, True), WRITTEN):
        members = [f'"{one}": {json.dumps(said)}', f'"{other}": {json.dumps(told)}']
        yield _body("set_item", members[::-1] if turned else members, how)
    for said, told in product((7, 2.5), ("3", "12.5")):
        yield _body("add_steps", [f'"steps": [{{"device": {said}, "level": "{told}"}}]'], "spaced")


def _moved() -> Iterator[str]:
    """A member moved from one object to another, with its comma or without the one before it."""
    gaps = ("\n      ", " ", "")
    for gap, left, first in product(gaps, (",", ", ", ",\n    "), (True, False)):
        came = f'{{"device": "a", "at": "08:00"{gap}"level": 3}}'
        stood = f'{{"device": "b"{left}}}'
        steps = f"{came}, {stood}" if first else f"{stood}, {came}"
        yield _body("add_steps", [f'"steps": [{steps}]'], "lines")
        yield _body("add_steps", [f'"steps": [{came}]', f'"extra": [{stood}]'], "spaced")
    for gap in gaps[:2]:
        steps = f'{{"device": "a", "at": "b"{gap}"level": 3}}, {{"device": "b",, "at": "c"}}'
        yield _body("add_steps", [f'"steps": [{steps}]'], "lines")
        yield f'{{"tool": "add_steps", "title": "t"{gap}"steps": [{{"device": "a", }}]}}'


def _copied() -> Iterator[str]:
    """A member or an item was written over the one behind it."""
    for how, end in product(WRITTEN, (",", ", ", ",\n")):
        yield _body("turn_off", ['"devices": ["a"]', '"delay": 5', '"delay": 5'], how, end)
        yield _body("wipe", ['"name": "x"', '"name": "x"'], how, end)
        yield _body("drop_table", ['"table_name": "x"', '"table_name": "x"'], how, end)
    for margin in ("  ", "      ", ""):
        yield f'{{\n    "tool": "turn_off",\n    "devices": ["a"],\n    "delay": 5,\n{margin}"delay": 5\n}}'
        yield f'{{\n    "tool": "turn_off",\n    "devices": ["a"],\n{margin}"devices": ["a"],\n    "delay": 5\n}}'
    for how in WRITTEN:
        yield _body("drop_table", ['"table_name": "x"', '"table_name": "x"'], how)
        yield _body("purge_all", ['"name": "x"', '"name": "x"'], how)
    for item, gap in product(('"a"', '"P-00123"', '""'), ("", " ", "\n    ")):
        yield f'{{"tool": "turn_off", "devices": [{gap}{item},{gap}{item},{gap}]}}'
    yield '{"tool": "add_steps", "steps": [{"device": "a", "level": 1}, {"device": "a", "level": 1}, ]}'


def _colons() -> Iterator[str]:
    """A colon moved out of a text of a destructive call, over its opening quote."""
    for code in ("0830", "x"):
        yield f'{{"tool": "drop_table", "table_name": :"{code}", "cascade": true}}'
        yield f'{{"tool": "drop_table", "table_name": : "{code}", "cascade": true}}'


def _worn() -> Iterator[str]:
    """A sign, or the capitals, of a name are lost or put in, and a text may have had the same."""
    for name, text in product(("droptable", "Drop_table", "Drop_Table", "Drop-Table"), ("Users", "Order items", "Ops")):
        yield _body("drop_table", [f'"table_name": "{text}"', '"cascade": true'], "spaced").replace("drop_table", name)
    for text in ("users_", "_users", "orderitems", "x"):
        yield f'{{"tool": "droptable", "table_name": "{text}"}}'
        yield f'{{"tool": "drop_table", "tablename": "{text}"}}'
    yield '{"tool": "drop_table", "Table_name": "Users"}'
    for text in ("hall_", "_hall"):
        yield f'{{"tool": "turnoff", "devices": ["{text}"]}}'
        yield f'{{"tool": "turn_off", "devices": ["x"], "fromroom": "{text}"}}'
    for mode, key in product(("HIGH", "LOW"), ("MODE", "mode")):
        yield f'{{"tool": "set_item", "NAME": "KITCHEN", "{key}": "{mode}"}}'


SLIPS: Final = ("devvices", "deivces", "devcies", "devicces")


def _without_characters() -> Iterator[str]:
    """A letter of a name is doubled or in another place, and a quote or a comma is missing too."""
    for slip, lost in product(SLIPS, (', "delay: 5', ', delay": 5', ' "delay": 5', '\n  "delay": 5')):
        yield f'{{"tool": "turn_off", "{slip}": ["a"]{lost}}}'
    for slip, gap in product(("add_stpes", "add_stteps"), (" ", "\n  ")):
        yield f'{{"tool": "{slip}", "title": "t"{gap}"steps": []}}'
    yield '{"tool": "turn_off", "devvices": ["a", "b", "delay": 5}'


def _lost_items() -> Iterator[str]:
    """The last items of a list are lost with its bracket: each has a line of its own, or a blank is left at the line's end."""
    for items, margin in product((["a"], ["a", "b"], ["a", "b", "c"]), ("  ", "    ", "\t")):
        lines = "".join(f'{margin}{margin}"{item}",\n' for item in items)
        yield f'{{\n{margin}"tool": "turn_off",\n{margin}"devices": [\n{lines}{margin}"delay": 5\n}}'
        listed = ", ".join(f'"{item}"' for item in items)
        yield f'{{\n{margin}"tool": "turn_off",\n{margin}"devices": [{listed}, \n{margin}"delay": 5\n}}'
    yield '{\n  "tool": "add_steps",\n  "steps": [\n    {"device": "a"},\n  "title": "t"\n}'


def _taken_items() -> Iterator[str]:
    """An item moved into a text, with its comma."""
    for text, item, end in product(("see *code*", "a `b` c", "users "), ("lamp", "hall", "x-1"), (",", ", ")):
        yield f'{{"tool": "set_item", "tags": ["hall"], "note": "{text}"{item}"{end}"}}'


def _closed_for_it() -> Iterator[str]:
    """A program closed the last text of a block whose quotes are all typographic."""
    for (opens, closes), end in product((("“", "”"), ("„", "“"), ("”", "”")), ("", "]")):
        value = f'[{opens}a{closes}, {opens}b"]' if end else f'{opens}front"'
        key = "devices" if end else "name"
        tool = "turn_off" if end else "wipe"
        yield f"{{{opens}tool{closes}: {opens}{tool}{closes}, {opens}{key}{closes}: {value}}}"


def _words_on_a_line() -> Iterator[str]:
    """A text of one word stands on a line of its own, between marks of any kind."""
    for mark, word, edges in product(('"', '"""', "'''", "`"), ("CBC", "hall", "P-00123", "a.txt"), ("~", "~|", "|~")):
        before, behind = edges.replace("~", "\n").split("|") if "|" in edges else ("\n", "\n")
        yield f'{{"tool": "set_item", "name": {mark}{before}{word}{behind}{mark}, "size": 3}}'
        yield f'{{\n  "tool": "set_item",\n  "note": {mark}{before}{word}{behind}{mark}\n}}'


def _wrapped() -> Iterator[str]:
    """A call on one line was wrapped at a width, and its text with it."""
    text = "SELECT * FROM users WHERE name = 'O' AND id IN (1, 2, 3); then call Ann back and tell her of it"
    call = {"tool": "add_steps", "title": text, "steps": [{"device": "DE893704", "at": "08:00", "level": 3}] * 2}
    for order, width in product((1, -1), range(20, 75)):
        body = json.dumps(dict(list(call.items())[::order]))
        wrapped = textwrap.fill(body, width, break_long_words=False, break_on_hyphens=False)
        if any(line.endswith('":') for line in wrapped.split("\n")) or max(map(len, wrapped.split("\n"))) >= 30:
            yield wrapped


def _exchanged() -> Iterator[str]:
    """Two values of different objects changed places: each was written as the other's field takes it."""
    for level, title, how in product(("9000", "1.5", "-3"), (12, 0.5, 7), WRITTEN):
        step = f'{{"device": "x", "level": "{level}"}}'
        yield _body("add_steps", [f'"title": {title}', f'"steps": [{step}]'], how)
        yield _body("add_steps", [f'"steps": [{{"device": {title}}}]', f'"extra": [{step}]'], how)


def _spread() -> Iterator[str]:
    """Blanks were put around the signs of names, and of texts."""
    for text, sign in product(("SH - 1042", "x -1", "a / b- 2", "v1. 2"), ("_ ", " _", " _ ")):
        yield f'{{"tool": "drop{sign}table", "table_name": "{text}"}}'
        yield f'{{"tool": "turn_off", "devices": ["{text}"], "from{sign}room": "y"}}'


def _stuck() -> Iterator[str]:
    """A key that sticks doubled a letter wherever it stands, in several names and in a text."""
    for text, how in product(("bettter", "see Matt", "BATT 3"), WRITTEN):
        yield _body("add_steps", ['"stteps": []', '"exttra": []', f'"title": "{text}"'], how)


def _cased() -> Iterator[str]:
    """Caps Lock turned the case of everything round."""
    for text in ("nO STAIRS", "tEAM", "call aNN"):
        yield f'{{"tool": "DROP_TABLE", "TABLE_NAME": "{text}"}}'
        yield f'{{"tool": "SET_ITEM", "NAME": "{text}", "SIZE": 3}}'


def _closed_on_the_line() -> Iterator[str]:
    """A program closed a list behind the comma of an item: its opening bracket ends a line, and the other one ends none."""
    for margin, (item, key, tool), blank in product(
        ("", "  ", "\t"), (('"a"', "devices", "turn_off"), ('{"device": "a"}', "steps", "add_steps")), ("", " ", "\r")
    ):
        items = f",\n{margin}{margin}".join([item, item.replace("a", "b"), ""]).rstrip()
        listed = f'"{key}": [{blank}\n{margin}{margin}{items}]'
        yield f'{{\n{margin}"tool": "{tool}",\n{margin}{listed}\n}}'
        yield f'{{"tool": "{tool}", {listed}}}'


def _empty_texts() -> Iterator[str]:
    """Two empty texts have a quote too many each: what stands between them looks like one in three quotes."""
    for mark, gap, colon in product("\"'", (", ", ",", ",\n  "), (": ", ":")):
        for key in (f"{mark}note{mark}", "note"):
            yield f'{{"tool": "set_item", "name"{colon}{mark * 3}{gap}{key}{colon}{mark * 3}, "size"{colon}3}}'


def _written_over() -> Iterator[str]:
    """A terminal wrote over a line, behind a CR alone."""
    for text, key in product(("10%\r20%\r30%", "x = 1;\ry = 2;\rreturn y;", "One.\nTwo.\rThree.\nFour."), ("note", "value")):
        yield f'{{"tool": "set_item", "{key}": "{text}"}}'
        yield f'{{\n  "tool": "set_item",\n  "{key}": "{text}"\n}}'


def _without_a_figure() -> Iterator[str]:
    """The figure before a point is lost, where other numbers of the block have a zero there."""
    for one, other in product((".75", "-.5", "+.25"), ("0.5", "-0.25", "0.0")):
        yield f'{{"tool": "add_steps", "steps": [{{"device": "a", "level": {one}}}, {{"device": "b", "level": {other}}}]}}'
        yield f'{{"tool": "add_steps", "steps": [{{"device": "a", "level": {other}}}, {{"device": "b", "level": {one}}}]}}'


def _of_a_layer() -> Iterator[str]:
    """An encoder joined two items, a typographer set the quotes of code, a transport put its frames between lines."""
    for quote, comma in product(('\\\\"', "&quot;", "%22", "'"), (",", ", ")):
        yield f'{{"tool": "turn_off", "devices": ["SH-1042{quote}{comma}{quote}QC__4"] "delay": 5}}'
        yield f'{{"tool": "turn_off", "devices": ["x", "a{quote}{comma}{quote}b{quote}{comma}{quote}c"],}}'
        yield f'{{"tool": "turnOff", "devices": ["hall{quote}{comma}{quote}lamp"]}}'
    for code in ("print(“hi”)", "x = “a”", "d[‘k’]"):
        yield f'{{"tool": "set_item", "note": "{code}",}}'
        yield f'{{“tool”: “set_item”, "note": "{code}"}}'
        yield f'{{"tool": "setItem", "note": "{code}"}}'
    for frame, gap in product(("data: ", "data: [DONE]", "event: message", ": keep-alive"), ("\n", "\n\n")):
        yield f'{{"tool": "set_item", "note": "x = 1;{gap}{frame}{gap}y = f(x);\nreturn y;"}}'


def _letters_for_zeros() -> Iterator[str]:
    """Letters stand for the zeros of a character's number, and other backslashes are not doubled."""
    for number, other in product(("uoob5", "u0ob5", "uO0e9", "u2o14", "uooB5"), (r"\d+", r"\w", r"\.\s")):
        yield f'{{"tool": "set_item", "note": "5 \\{number} {other}"}}'
        yield f'{{"tool": "set_item", "name": "5 \\{number}", "note": "{other}"}}'


def _indented_for_the_margin() -> Iterator[str]:
    """A text of one line was wrapped, and its second line has the margin of the block."""
    for margin, (before, after) in product(
        ("  ", "    ", "\t"),
        [
            ("rm -rf a", "/b"),
            ("ls", "-l"),
            ("12.", "50 EUR"),
            ("ann@", "x.org"),
            ("ERR", "OR"),
            ("2024-05", "-06"),
            ("docker run -v /data:", "/data a"),
            ("echo a >", "b"),
            ("echo hello", "| tee a"),
            ("let", "ter"),
            ("see Ann,", "then Bob"),
        ],
    ):
        yield f'{{"tool": "run_command", "command": "{before}\n{margin}{after}"}}'
        yield f'{{"tool": "set_item", "note": "{before}\n{margin}{after}", "size": 3}}'
        yield f'{{\n{margin}"tool": "set_item",\n{margin}"value": "{before}\n{margin}{after}"\n}}'


COMMANDS: Final = (
    "rm -rf /tmp/build /tmp/cache /var/tmp/old.log", "kubectl delete pod web-1 --all --namespace=prod",
    "echo hello world | tee -a out.log > /dev/null", "git push origin main --force", "find . -name '*.tmp' -delete -print",
    "cp -r src/a src/b /backup/2024", "curl -X DELETE http://localhost:8000/items/5",
)  # fmt: skip


def _wrapped_commands() -> Iterator[str]:
    """A call that runs a command was wrapped at a width, with a margin or without one."""
    for command, margin, width in product(COMMANDS, ("", "  ", "    ", "\t"), range(20, 90, 3)):
        body = json.dumps({"tool": "run_command", "command": command})
        wrapped = textwrap.fill(body, width, subsequent_indent=margin, break_long_words=False, break_on_hyphens=False)
        if command not in wrapped:
            yield wrapped
    for command in ("rm -rf\n/tmp/a\n/tmp/b", "git push\n--force\n--all", "cp a b\nc d\n/backup"):
        yield f'{{"tool": "run_command", "command": "{command}"}}'


def _slipped_at_an_edge() -> Iterator[str]:
    """A line break slipped in at the edge of a text: of one word, or of one line where others are escaped."""
    for word, blanks in product(("pump", "00123", "A-1042", "a.txt"), ("", " ", "  ", "\t")):
        for slip in (f"{word}\n{blanks}", f"\n{blanks}{word}", f"{word}{blanks}\n", f"{blanks}\n{word}"):
            yield f'{{"tool": "set_item", "value": "{slip}", "size": 1}}'
            yield f'{{"tool": "set_item", "note": "{slip}"}}'
    for text, other in product(("\nbeta two", "beta two\n"), ("a\\nb", 'a\\n\\"b\\"', '\\"a\\"\\nb')):
        yield f'{{"tool": "write_file", "path": "x", "content": "{text}", "note": "{other}"}}'
        yield f'{{"tool": "run_command", "command": "{text}", "stdin": "{other}"}}'


def _inside_an_escape() -> Iterator[str]:
    """A text was broken inside an escape, behind its backslash, where another one breaks a line."""
    for begin, rest in product(("# T", "a;", "x"), ("n- milk\\n- eggs", "nreturn b;\\n", "tb", "u00e9", "rn", '"x\\"')):
        yield f'{{"tool": "write_file", "path": "a.md", "content": "{begin}\\n\\\n{rest}"}}'


def _decimal_commas() -> Iterator[str]:
    """The points of the numbers of a list are commas, and the next number has a blank before it."""
    for points in (
        "[0,5, 1,5], [0,7, 2,5]",
        "[1, 12,75], [2, 3,5]",
        "[1, 12,75]",
        "[-0,5, 3]",
        "[7,\n 12,5]",
        "[1, 2], [3, 4,5]",
    ):
        yield f'{{sensor: "s", tool: "calibrate", points: [{points}]}}'
        yield f"{{'tool': 'calibrate', 'sensor': 's', 'points': [{points}]}}"
        yield f'{{"tool": "calibrate", "sensor": "s", "points": [{points}],}}'


def _typeset() -> Iterator[str]:
    """A typographer set the quotes of a command, or of JSON in a text."""
    for opens, closes in ("“”", "„“", "‘’", "””"):
        yield f'{{"tool": "run_command", "command": "echo {opens}a{closes} > b",}}'
        yield f'{{"tool": "runCommand", "command": "rm {opens}a b{closes}"}}'
    for text in ("{“a”: 1}", "[“a”, “b”]", "{“a”: {“b”: “c”}}"):
        yield f"{{tool: 'set_item', value: '{text}'}}"
        yield f'{{"tool": "set_item", "note": "{text}",}}'


def _wrapped_before_it_was_encoded() -> Iterator[str]:
    """Encoded arguments have a line break behind a key, and others in a text."""
    for command, gap in product(("docker run -v\n$HOME:/data image ls\n/data", "x = 1;\ny = f(x);\nreturn y;"), ("\n", " \n")):
        for key in ("command", "stdin"):
            other = "" if key == "command" else '\\"command\\": \\"ls\\", '
            inner = f'{{{other}\\"{key}\\":{gap}\\"{command}\\"}}'
            yield f'{{"name": "run_command", "arguments": "{inner}"}}'
            yield f'{{\n  "name": "run_command",\n  "arguments": "{inner}"\n}}'


def _behind_a_drive() -> Iterator[str]:
    """A path of Windows has one backslash, and the letter behind it makes an escape of it."""
    paths = (
        "C:\\temp",
        "C:\\new",
        "D:\\reports",
        'C:\\temp\\"a\\"',
        'C:\\temp \\"a\\"',
        'see E:\\tools \\"x y\\"',
        "C:\\backup",
    )
    for path, text in product(paths, ("one\n\ntwo\n\nthree", "x = 1;\ny = 2;\nreturn y;")):
        yield f'{{"tool": "set_item", "value": "{path}", "note": "{text}"}}'
        yield f'{{"tool": "run_command", "command": "ls", "stdin": "{text}", "shell": "{path}"}}'


ONE_FAULT: Final = {
    "two values changed places": _swapped,
    "a member moved to another object": _moved,
    "a copy stands over another line": _copied,
    "a colon crossed the quote": _colons,
    "a text may be worn as a name is": _worn,
    "characters were lost": _without_characters,
    "the end of a list is lost": _lost_items,
    "an item moved into a text": _taken_items,
    "a text was closed for its writer": _closed_for_it,
    "a word stands on a line of its own": _words_on_a_line,
    "the lines of a block were wrapped": _wrapped,
    "two values of different objects changed places": _exchanged,
    "blanks stand around signs": _spread,
    "a letter is doubled everywhere": _stuck,
    "the case of everything is another": _cased,
    "a list was closed on its last line": _closed_on_the_line,
    "two empty texts have a quote too many": _empty_texts,
    "a line was written over": _written_over,
    "a figure is lost before a point": _without_a_figure,
    "letters stand for zeros": _letters_for_zeros,
    "a layer left its sign in a text": _of_a_layer,
    "a wrapped line has the margin of the block": _indented_for_the_margin,
    "a command was wrapped": _wrapped_commands,
    "a line break slipped in at the edge of a text": _slipped_at_an_edge,
    "a text was broken inside an escape": _inside_an_escape,
    "commas stand for the points of numbers": _decimal_commas,
    "the quotes of a command are typeset": _typeset,
    "arguments were wrapped before they were encoded": _wrapped_before_it_was_encoded,
    "a path has one backslash": _behind_a_drive,
}
NEIGHBOURS: Final = [
    # One value of another type, or several of which none fits the field of another.
    '{"tool": "set_item", "name": 5, "size": 77}',
    '{"tool": "set_item", "name": "a", "size": "77"}',
    '{"tool": "set_item", "size": "77", "tags": "P-1"}',
    '{"tool": "set_item", "name": "a", "mode": "HIGH", "size": "5"}',
    # A comma that is missing and one too many in one object; commas that are only missing, or only left over.
    '{"tool": "turn_off" "devices": ["a"], "delay": 5,}',
    '{"tool": "add_steps", "steps": [{"device": "a" "level": 3,}]}',
    '{"tool": "add_steps", "steps": [{"device": "a" "level": 3}, {"device": "b" "level": 3}]}',
    '{"tool": "add_steps", "steps": [{"device": "a", "level": 3,}, {"device": "b", "level": 3,},],}',
    '{"tool": "turn_off" "devices": ["a", "b",]}',
    # A member that is there twice, and items that are alike.
    '{"tool": "turn_off", "devices": ["a"], "delay": 5, "delay": 5}',
    '{\n  "tool": "turn_off",\n  "devices": ["a"],\n  "delay": 5,\n  "delay": 5\n}',
    '{"tool": "wipe", "name": "x", "name": "x"}',
    '{tool: "turn_off", devices: ["a", "a"]}',
    '{"tool": "turn_off", "devices": ["a", "b", ]}',
    # A destructive call that is whole.
    '{"tool": "wipe", "name": "x",}',
    '{\n  "tool": "drop_table",\n  "table_name": "x",\n  "cascade": true,\n}',
    '{"name": "drop_table", "arguments": {"table_name": "x"},}',
    '[{"tool": "turn_off", "devices": ["a"],}, {"tool": "drop_table", "table_name": "x"}]',
    '{"tool":: "drop_table", "table_name": "x"}',
    # Names in another spelling, and a slip alone.
    '{"tool": "dropTable", "table_name": "users"}',
    '{"tool": "drop-table", "table_name": "users"}',
    '{"tool": "DropTable", "table_name": "users"}',
    '{"tool": "DropTable", "tableName": "Users"}',
    '{"tool": "turnoff", "devices": ["hall_lamp"], "fromroom": "x"}',
    *(f'{{"tool": "turn_off", "{slip}": ["a"], "delay": 5{end}}}' for slip, end in product(SLIPS, ("", ","))),
    '{"tool": "turnOff", "devices": ["a"] "delay": 5}',
    '{"tool": "turn_off", "devices": ["a"], delay": 5}',
    '{"tool": "set_item", "NAME": "Kitchen", "MODE": "HIGH"}',
    '{"tool": "turnOff", "devices": ["hallLamp"], "fromRoom": "x"}',
    '{"tool": "add_steps", "stteps": [], "title": "see Matt"}',
    '{"tool": "add_steps", "stteps": [], "exttra": [], "title": "see Ann"}',
    '{"tool": "turn_off", "devices": ["a - b"], "fromRoom": "x"}',
    '{"tool": "SET_ITEM", "NAME": "i OK", "SIZE": 3}',
    '{"tool": "add_steps", "title": 12, "steps": [{"device": "x", "level": 3}]}',
    '{"tool": "add_steps", "title": "t", "steps": [{"device": "x", "level": "3"}], "extra": [{"device": "y", "level": "4"}]}',
    # A list that lacks its bracket alone.
    '{\n  "tool": "turn_off",\n  "devices": ["a", "b",\n  "delay": 5\n}',
    '{"tool": "turn_off", "devices": ["a", "b", "delay": 5}',
    '{\n  "tool": "turn_off",\n  "devices": [\n    "a"\n  ,\n  "delay": 5\n}',
    # A list that closes as it opens, and an object that does not.
    '{"tool": "turn_off", "devices": ["a",\n "b",]}',
    '{\n  "tool": "turn_off",\n  "devices": ["a", "b",],\n}',
    '{\n  "tool": "turn_off",\n  "devices": [\n    "a",\n    "b",\n  ]\n}',
    '{\n  "tool": "turn_off",\n  "devices": ["a"],}',
    # A number that begins with its point, and one whose zero is there.
    '{"tool": "turn_off", "devices": ["a"], "delay": .75}',
    '{"tool": "add_steps", "steps": [{"device": "a", "level": .75}, {"device": "b", "level": 1.5}]}',
    r'{"tool": "set_item", "note": "of \\uoob5",}',
    r'{"tool": "set_item", "note": "caf\u00e9",}',
    # Empty texts, and texts in three quotes.
    '{"tool": "set_item", "name": "", "note": "",}',
    '{"tool": "set_item", "name": \'\', "note": \'\'}',
    '{"tool": "set_item", "note": """\n, b: 1\n""", "size": 3}',
    # Items with quotes of their own, prose that is typeset, settings.
    '{"tool": "turn_off", "devices": ["print(\\"a\\", \\"b\\")", "sep=\\", \\""],}',
    '{"tool": "set_item", "note": "the lessor (“Ann”) said: “yes”",}',
    '{"tool": "set_item", "note": "kind: Secret\ndata:\n  a: b\nevent: x\n"}',
    '{"tool": "set_item", "note": "x = 1;\r\ny = 2;\r\nreturn y;"}',
    # Lines of a text, between marks that may span lines.
    '{"tool": "set_item", "note": """\nx = 1\n"""}',
    '{"tool": "set_item", "note": `f(x)\n`}',
    '{\n"tool":\n"set_item",\n"note":\n"x = 1;\ny = f(x);\nreturn y;"\n}',
    # An indent that is a line's own, and lines of a command.
    '{"tool": "set_item", "note": "def f(x):\n    return x"}',
    '{"tool": "set_item", "note": "if (a) {\n  b();"}',
    '{"tool": "set_item", "note": "services:\n  web: x"}',
    '{"tool": "set_item", "note": "<ul>\n  <li>x</li>"}',
    '{"tool": "set_item", "note": "    total = 0\n    names = []"}',
    '{"tool": "set_item", "note": "f(\n    a,\n    b\n)"}',
    '{"tool": "run_command", "command": "cd src\nnpm install\nnpm test"}',
    '{"tool": "run_command", "command": "git add .\ngit commit -m fix\ngit push"}',
    '{"tool": "run_command", "command": "cat > a.txt <<EOF\none two\nthree\nEOF"}',
    '{"tool": "set_item", "note": "a b\nc d\ne f"}',
    # A line break at the end of lines, and one behind a line that goes on.
    '{"tool": "write_file", "path": "x", "content": "one;\\ntwo;\\nthree;\n"}',
    '{"tool": "set_item", "note": "x = 1\ny = 2\n"}',
    '{"tool": "write_file", "path": "a.md", "content": "# T\\n\\\nmilk\\n\\\nnuts"}',
    '{"tool": "write_file", "path": "a.md", "content": "# T\\n\\\n- milk"}',
    # Numbers that stand as the others do, and rows of several.
    '{sensor: "s", tool: "calibrate", points: [[0,5,1,5], [0,7,2,5]]}',
    '{sensor: "s", tool: "calibrate", points: [[0, 5, 1, 5], [0,7]]}',
    '{sensor: "s", tool: "calibrate", points: [[1,0,0,\n0,1,0,\n0,0,1]]}',
    '{sensor: "s", tool: "calibrate", points: [[0.5, 1.5], [0.5,1.5]]}',
    # Typographic quotes in a literal of a command, arguments that were laid out, paths that are whole.
    '{"tool": "run_command", "command": "git commit -m \'so “it” is\'",}',
    '{"tool": "run_command", "command": "echo don’t",}',
    '{"tool": "set_item", "value": "C:\\\\temp \\"a\\"", "note": "x = 1;\ny = 2;\nreturn y;"}',
    # Quotes of a text's own, and of one kind.
    '{"tool": "set_item", "note": "say "hi", then go"}',
    '{"tool": "set_item", "note": "say "hi" now,"}',
    "{“tool”: “wipe”, “name”: “front”}",
    '{„tool": „wipe", „name": „front"}',
]  # fmt: skip


@pytest.mark.some
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("fixes", ["likely", "lossless"])
@pytest.mark.parametrize("kind", ONE_FAULT)
def test_what_tells_of_one_fault_is_not_mended_in_two_places(kind: str, fixes: Any, cases: Cases) -> None:
    guard = Guard(TOOLS, fixes=fixes)
    made = some(list(dict.fromkeys(ONE_FAULT[kind]())), 20)
    for body in made:
        assert not ran(guard.scan([f"```json\n{body}\n```\n"])), body
    cases(len(made))


@pytest.mark.promise("P7")
@pytest.mark.parametrize("body", NEIGHBOURS)
def test_the_same_slips_are_mended_where_they_tell_of_nothing(body: str) -> None:
    assert ran(Guard(TOOLS).scan([f"```json\n{body}\n```\n"])), body
