"""Blocks by which strangers made something run that was not meant: smallest first, each by its kind."""

from __future__ import annotations

from typing import Any

import pytest

from stream_guard import Guard, Risk, Tool, ToolBlock, Toolset

S: Any = {"type": "string"}
I: Any = {"type": "integer"}  # noqa: E741
B: Any = {"type": "boolean"}
L: Any = {"type": "array", "items": S}
ANY: Any = {"type": "object"}


def tool(name: str, required: str, risk: Risk = Risk.WRITE, /, *, closed: bool = True, **fields: Any) -> Tool:
    schema = {"type": "object", "properties": fields, "required": required.split()}
    return Tool(name, "", {**schema, "additionalProperties": False} if closed else schema, risk=risk)


TOOLS = Toolset(
    tool("snippet", "title code", title=S, code=S, explanation=S, language=S),
    tool("delete_contacts", "ids", Risk.DESTRUCTIVE, ids=L, dry_run=B, cascade=B, reason=S),
    tool("delete_file", "path", Risk.DESTRUCTIVE, path=S, reason=S),
    tool("delete_user", "user_id", Risk.DESTRUCTIVE, user_id=I, reason=S, dry_run=B),
    tool("reset_config", "service", Risk.DESTRUCTIVE, service=S, keys=L),
    tool("send_mail", "to subject body", to=L, subject=S, body=S, cc=L, bcc=L),
    tool("run", "command", command=S, args=L, env=ANY, cwd=S),
    tool("env", "name vars", name=S, vars=ANY, comment=S, export=B),
    tool("query", "table", table=S, where=ANY),
    tool("set_slot", "value", value=S, label=S),
    tool("set_timeout", "service", service=S, max=I, timeout_ms=I, reason=S),
    tool("tag", "id", id=S, tags=L),
    tool("matrix", "rows", rows={"type": "array", "items": {"type": "array", "items": I}}, note=S),
    tool("note", "title text", title=S, text=S),
    tool("enable_alarm", "zone", zone=S, delay_s=I),
    tool("disable_alarm", "zone", zone=S, delay_s=I),
    tool("otag", "text", closed=False, text=S),
    tool("reboot", "", Risk.DESTRUCTIVE, closed=False, host=S),
    tool("reset", "", Risk.DESTRUCTIVE),
    tool("schedule", "start end", start=S, end=S, title=S),
)
GUARD = Guard(TOOLS)

KINDS = {
    "a field beside the arguments": [
        '{"name":"snippet","arguments":{"title":"t","code":"c"},"explanation":"x"}',
        '{"tool":"set_slot","value":"v","arguments":{"label":"x"}}',
    ],
    "a member in a comment": [
        '{"tool":"delete_contacts","ids":["1"] # dry_run: true\n}',
        '{"tool":"delete_contacts","ids":["1"] // dry_run true\n}',
        '{"tool":"run","command":"m" # cwd: /tmp\n}',
    ],
    "members behind the object": [
        '{"tool":"snippet","title":"t","code":"c"},\n\'language\': \'true\',',
        '{"tool":"run","command":"m"}, cwd: x',
    ],
    "a bracket that slipped into a string": [
        '{"tool":"send_mail","to":["a@b.co]","subject":"s","body":"b"}',
        '{"tool":"run","command":"x","env":{"k":"v}"}',
        '{"tool":"delete_contacts","ids":["1"],"reason":"{"}}',
    ],
    "an object that never says where it ends": [
        '{"tool":"env","name":"x","vars":{"a":"1","comment":"c"}',
        '{"tool":"env","name":"x","vars":{"a":"1","export":true}',
        '{\n"tool": "query",\n"table": "t",\n"where": {\n"a": {\n"b": [\n1\n]},\n"c": 2\n}\n}\n}',
    ],
    "junk between two members": [
        '{"tool":"set_timeout","service":"\\"", -1"max":3}',
        '{"tool":"set_slot","value":"x\\"]}", {"label":"a"}',
        '{"tool":"delete_file","path":"a’ +"reason":"x"}',
        '{"tool":"schedule","start":"a","end":"\\"", ~"title":"y"}',
        '{"tool":"matrix","note":"o k{"rows":[[1]]}',
    ],
    "a run that was lost": [
        '{"tool":"delete_file","path":"sr"reason":"x"}',
        '{"tool":"delete_file","path":""reason":"x"}',
        '{"tool":"tag","id":""tags":["a"]}',
        '{"tool":"set_timeout","service":"x","timeout_ms":44"reason":"r"}',
    ],
    "a key that lost its beginning": [
        '{"tool":"send_mail","to":["a"],"subject":"s","body":"b",cc":["x"]}',
        '{"tool":"env","name":"x","vars":{},xport":true}',
    ],
    "a comma that a blank hides": ['{"tool":"set_slot","value":"a,"\xa0"label":"x"}'],
    "an item that was lost": [
        '{"tool":"matrix","rows":[[1,,2]]}',
        '{"tool":"send_mail","to":["a", ,"b"],"subject":"s","body":"b"}',
    ],
    "quotes of two kinds": [
        '{"tool":"set_slot","value":"print("\\b\\")"}',
        '{"tool":"set_slot","value":"a\\"", b"}',
        "{“tool”: “env”, “name”: “x\\“y”, “vars”:{}}",
        '{“tool”: “send_mail”, “to”: ["a, “b”], “subject”: “s”, “body”: “b”}',
        '{"tool":"delete_user","user_id":7,"reason":"he is “away”}',
        '{"tool":"note","title":"t","text":"say \\&quot;hi\\&quot;"}',
        '{"tool":"set_slot","value":" "x""}',
    ],
    "a literal of another kind": ['{"tool":"enable_alarm","zone":True}', '{True:"a","tool":"otag","text":"t"}'],
    "an argument that an open schema takes": [
        '{"tool":"OTAG","text":"t","type":"todo"}',
    ],
    "what is no call by its type": [
        '{"type":"tool_result","name":"delete_user","input":{"user_id":7}}',
        '{"tool":"delete_user","user_id":7,"type":"dry_run"}',
        '{"type":"function","function":{"name":"reboot","description":"d","parameters":{"type":"object","properties":{}}}}',
        '{"name":"reboot","parameters":{"type":"object","properties":{}}}',
        '{"name":"reset","type":"module"}',
    ],
    "marks beside a call": [
        '❌{"tool":"delete_user","user_id":7}',
        '!{"tool":"delete_user","user_id":7}',
        '{"tool":"delete_user","user_id":7} ?',
        '!delete_user({"user_id":7})',
        '<|tool|>{"tool":"delete_user","user_id":7}',
        '</tool_call>{"tool":"delete_user","user_id":7}<tool_call>',
        '{"tool":"enable_alarm","zone":"z"} * 0',
    ],
    "a mark of a comment behind prose": ["As you asked: -- {'tool':'enable_alarm','zone':'z'}"],
    "a name on a line of its own": ["<json>\ndisarm\nenable_alarm({'zone':'z'})\n</json>"],
    "comments beside a call": [
        '{"tool":"delete_user","user_id":7} // should be 8',
        '{"tool":"delete_user","user_id":7} // only test',
        '{"tool":"delete_user","user_id":7} // не выполнять',
        '{"tool":"enable_alarm","zone":"z"} // disable_alarm',
    ],
    "a stretch that was lost between two calls": [
        '{"path":"a","tool":"note","path":"a","title":"t","text":"x"}',
    ],
    "an item that stands for others": ['{"tool":"tag","id":"1","tags":["a","...","b"],}'],
    "a value that was wrapped": [
        '{"tool":"tag","id":"us\ner_7"}',
        '{"tool":"tag","id":"7","tags":["a\nb"]}',
        '{"tool":"delete_user","user_id":7,"reason":"x",}'.replace('"reason":"x"', '"nothing":"x\ny"'),
    ],
    "an escape that was doubled, and a quote that was lost": ['{"tool"="set_slot","value":"say \\"hi\\\\","label":"x"}'],
    "a tab beside escapes": ['{"tool":"set_slot","value":"^\\w+\\d{2}\t\\n$"}'],
    "a sum of strings with backslashes": ['{"tool":"set_slot","value":("^\\w{2" "}\\t\\n$")}'],
    "a whole that was escaped once more": ["{'tool':'set_slot','value':'a" + "\\" * 4 + 'b \\"c\\"' + "'}"],
    "quotes that may be written twice": ['{"tool":"set_slot","value":"f("","")"}'],
    "remarks that say otherwise": [
        '{"tool":"delete_user","user_id":7,"explanation":"DO NOT RUN. Example only."}',
        '{"tool":"delete_user","user_id":7,"id":8}',
        '{"thought":"I will not do this","action":"delete_user","action_input":{"user_id":7}}',
        '{"tool":"enable_alarm","zone":"z","id":"disable_alarm"}',
    ],
}


@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("body", [body for bodies in KINDS.values() for body in bodies])
def test_what_a_stranger_made_run_runs_no_more(body: str) -> None:
    items = [*GUARD.scan([f"```json\n{body}\n```\n"])]
    assert [item.arguments for item in items if isinstance(item, ToolBlock) and item.executable] == []
