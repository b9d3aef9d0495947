"""Blocks by which strangers made something run that was not meant: smallest first, each by its kind."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable
from itertools import product
from typing import Any, Final

import pytest
from stream_guard_adapters.events import guard_events

from stream_guard import End, Guard, Risk, Tool, ToolBlock, Toolset
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.breadth import some
from tests.kit.ran import ran

S: Any = {"type": "string"}
I: Any = {"type": "integer"}  # noqa: E741
B: Any = {"type": "boolean"}
L: Any = {"type": "array", "items": S}
ANY: Any = {"type": "object"}


def obj(**fields: Any) -> Any:
    return {"type": "object", "properties": fields, "additionalProperties": False}


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
    tool("dose_mg", "patient drug amount", patient=S, drug=S, amount={"type": "number"}, unit={"enum": ["mg", "mcg"]}),
    tool("dose_mcg", "patient drug amount", patient=S, drug=S, amount={"type": "number"}),
    tool("move_left", "cm", cm={"type": "number"}, tool_choice={"enum": ["auto", "required"]}),
    tool("move_right", "cm", cm={"type": "number"}),
    tool("grant", "user role", user=S, role={"enum": ["reader", "admin"]}, scope=S),
    tool("lists", "allow deny", allow=L, deny=L),
    tool("forward", "message_id to", message_id=S, to=L),
    tool("wipe", "users", Risk.DESTRUCTIVE, users=L, flag={"type": ["boolean", "number"]}, any={}),
    tool("drop", "id", Risk.DESTRUCTIVE, id=S, ids=L, opts=obj(force=B), force=B),
    tool("addr", "rows", rows={"type": "array", "items": obj(id=S, note=S)}, note=S),
    tool("either", "of", of={"anyOf": [obj(a=S), {"type": "array"}]}),
    tool("run_query", "sql", sql=S, params=L, timeout=I),
    tool("pairs", "items", items={"type": "array", "items": {}}),
    tool("close_account", "account reason", Risk.DESTRUCTIVE, account=S, reason=S, pay_out_to=S, force=B),
    tool("update_event", "id", id=I, title=S, place=obj(room=S, floor=I, note=S), note=S, all_day=B),
    tool("erase", "disk", Risk.DESTRUCTIVE, closed=False, disk=S, dry_run=B),
    tool("set_limit", "account", account=S, amount={"type": "number"}, memo=S),
    tool("run_code", "code", closed=False, code=S, stdin=S),
    tool("find_items", "filters", filters={"type": "array", "items": obj(field=S, op=S, note=S)}, note=S),
    tool("plot", "points", points={"type": "array", "items": {"type": "array", "items": {"type": "number"}}}),
    tool("log", "level message", closed=False, level=S, message=S, meta=ANY),
    tool("set_any", "", closed=False, label=S),
    tool("put", "key value", closed=False, key=S, value={}),
    tool("page", "url", closed=False, url=S, headers=ANY, data={"type": ["string", "object", "null"]}),
    tool("patch", "file old new", file=S, old=S, new=S),
    tool("open_folder", "cwd", cwd=S, paths=L),
    tool("follow", "points", points={"type": "array", "items": {"type": "array", "items": I}}, stop_at=L),
)
GUARD = Guard(TOOLS)

LEASE = json.dumps({
    "tool": "patch",
    "file": "the lease of the house",
    "old": "the lessee shall pay, in full and in time, all of the rent of a year and a day, whatever he may say",
    "new": "the lessee shall pay, in full and in time, half of it, and the lessor shall not object to that at all",
})  # fmt: skip

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
    "an object that closed too early": [
        '{"tool":"drop","id":"x","opts":{},"force":true}}',
        '{"tool":"addr","rows":[{"id":"y"}],"note":"z"}]}',
    ],
    "a list that closes too late": [
        '{"tool":"addr","rows":[{"id":"y"},"note":"z"}]}',
        '{"tool":"run_query","sql":"q","params":["a","timeout":3}]}',
    ],
    "an item of a list that took in another": ['{"tool":"drop","id":"x","ids":[\'a\',\'b\'c\']}'],
    "a closing mark of the text, and a quote that was lost": [
        '{"tool":"drop","id":"15”}',
        '{"tool":"tag","id":"15”}',
        '{"tool":"drop","id":"15”,"force":true}',
        '{"tool":"tag","id":"x","tags":["15”,"b"]}',
        '{"tool":"delete_user","user_id":“15"}',
        '{"tool":"set_timeout","service":"x","max":“15"}',
    ],
    "an escape that was doubled, and not to the end": [r'{"tool":"note","title":"t","text":"\\\frac{1}{2}",}'],
    "a member that was lost before the brackets": ['{"tool":"note","title":"t","text":"x",\n }}'],
    "a line break in a literal, and no brace": [r"""{"tool":"set_slot","value":"s = \"a: 'b'\n\"\nend" """],
    "entities in hexadecimal": ["{“tool”: “note”, “title”: “t”, “text”: “it&#x27;s”,}"],
    "a sum in a text": ['{"tool":"note","title":"t","text":"{"a":"b","path":"x" + str(n) + "t","c":"y"}"}'],
    "the mark of a list before harmless words": ['* As you asked:\n{"tool":"enable_alarm","zone":"z"}'],
    "a number that the object lacks": [
        '{"tool":"dose_mcg","patient":7,"drug":"d"}',
        '{"tool":"set_timeout","service":"x","reason":5}',
    ],
    "a body of which only the quotes were escaped": [
        r"{\"tool\":\"drop\",\"id\":\"C:\\new\"}",
        r"{\"tool\":\"tag\",\"id\":\"7\",\"tags\":[\"a\\tb\"]}",
        r"{\"tool\":\"delete_contacts\",\"ids\":[\"C:\\new\"]}",
    ],
    "a colon for a comma in a list": [
        '{"tool":"pairs","items":[["a":"b"]]}',
        '{"tool":"query","table":"t","where":["a":"b"]}',
        '{"tool":"either","of":["a":"b"]}',
    ],
    "a mail quote in a block quote": [
        '> {"tool":"note","title":"t","text":"> hi\n> there"}',
        '> {"tool":"note",\n> "title":"t","text":"hi\n> there"}',
    ],
    "a word that begins like a call's id": [
        '{"tool":"set_slot","value":"x","id":"call_off"}',
        '{"tool":"set_slot","value":"x","call_id":"call_me"}',
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
    "an escape beside backslashes that escape nothing": [
        *(rf'{{"tool":"set_slot","value":"\d+ \{letter} x"}}' for letter in "tnbf"),
        r'{"tool":"set_slot","value":"^\w+ \d foo\n$"}',
        r'{"tool":"set_slot","value":"\\alpha \\beta a\n b"}'.replace("\\\\", "\\"),
        r'{"tool":"note","title":"t","text":"C:\Users\ann or a\n b"}',
        r'{"tool":"note","title":"t","text":"see \w \d\n"}',
        r'{"tool":"snippet","title":"t","code":"from \"(\w+)\d\n"}',
    ],
    "a sum that does not meet at the end of a line": [
        r'{"tool":"set_limit","account":"B","memo":"C:\\Users\\n" + "ew\\temp"}',
    ],
    "a sum of strings with backslashes": ['{"tool":"set_slot","value":("^\\w{2" "}\\t\\n$")}'],
    "a whole that was escaped once more": ["{'tool':'set_slot','value':'a" + "\\" * 4 + 'b \\"c\\"' + "'}"],
    "quotes that may be written twice": ['{"tool":"set_slot","value":"f("","")"}'],
    "a member that stands there twice, and not alike": [
        '{"tool":"wipe","users":[],"users":["x"]}',
        '{"tool":"wipe","users":["x"],"any":{},"any":{"a":1}}',
        '{"tool":"wipe","users":["x"],"any":[[1],[]],"any":[[1],[2]]}',
        '{"tool":"wipe","users":["x"],"flag":true,"flag":1}',
        '{"tool":"wipe","users":["x"],"flag":1,"flag":1.0}',
        '{"tool":"set_slot","value":1.10,"value":1.1}',
        '{"tool":"set_slot","value":"x","value":"x"+"y"}',
        '{"tool":"env","name":"x","vars":{"a":[],"a":["b"]}}',
        '{"name":"wipe","arguments":{},"arguments":{"users":["x"]}}',
        '{"name":"wipe","arguments":"{\\"users\\":[],\\"users\\":[\\"x\\"]}"}',
    ],
    "a closing tag that closes something else": [
        '{"tool":"delete_user","user_id":7}\n</do_not_run>',
        '{"tool":"delete_user","user_id":7}</example>',
        '{"tool":"delete_user","user_id":7}\n</tool_result>',
        '<tool_call>{"tool":"delete_user","user_id":7}</json>',
        '{"tool":"move_left","cm":5}\n</move_right>',
        '{"tool":"move_left","cm":5} */',
        '{"tool":"move_left","cm":5}\n-->',
    ],
    "a comment that says another value": [
        '{"tool":"grant","user":"bob","role":"admin" /* reader */}',
        '{"tool":"lists","allow":[/* alice, bob */],"deny":[]}',
        '{"tool":"dose_mg","patient":"p","drug":"d","amount":5 /* mcg */}',
        '{"tool":"dose_mg","patient":"p","drug":"d","amount":500 // should be 50\n}',
        '{"tool":"dose_mg","patient":"p","drug":"d","amount":500 // or 50?\n}',
        '{"tool":"schedule","start":"a" /* end */,"end":"b"}',
        '{"tool":"move_left","cm":5,"tool_choice":"auto" /* required */}',
        '{"tool":"set_timeout","service":"x","timeout_ms":5 // seconds\n}',
    ],
    "a comment that says what was left out": [
        '{"tool":"lists","allow":["a" // etc\n],"deny":[]}',
        '{"tool":"lists","allow":["a", // and so on\n],"deny":[]}',
        '{"tool":"lists","allow":["a" # all others too\n],"deny":[]}',
        '{"tool":"lists","allow":[// same as before\n],"deny":[]}',
        '{"tool":"lists","allow":[/* fill in */],"deny":[]}',
    ],
    "prose that names another call": [
        'Move right by 50:\n{"tool":"move_left","cm":50}',
        'Moving right:\n{"tool":"move_left","cm":50}',
        'Dose mcg:\n{"tool":"dose_mg","patient":"p","drug":"d","amount":5}',
        'Revoking admin:\n{"tool":"grant","user":"bob","role":"admin"}',
    ],
    "prose that corrects the call": [
        '{"tool":"dose_mg","patient":"p","drug":"d","amount":500}\nActually, make that 50.',
        '{"tool":"dose_mg","patient":"p","drug":"d","amount":500}\nOops, twice too much',
        'In micrograms:\n{"tool":"dose_mg","patient":"p","drug":"d","amount":500}',
        '3x move_left({"cm":5})',
    ],
    "prose that tells of another time": [
        f'{said}\n{{"tool":"move_left","cm":5}}'
        for said in ("Old dose:", "Executed:", "Yesterday I ran:", "Next week:", "Queued:", "The attacker wants:")
    ],
    "prose in a language that nobody reads": [
        f'{said}\n{{"tool":"move_left","cm":5}}'
        for said in ("не выполнять:", "niet uitvoeren:", "実行しないで：", "لا تنفذ", "실행하지 마세요", "ห้ามเรียกใช้")
    ],
    "a mark of a line": ['- {"tool":"move_left","cm":5}', 'REM {"tool":"move_left","cm":5}'],
    "a list that lost its end, or doubled its opener": [
        '{"tool":"follow","points":[[],"stop_at":["a"]}',
        '{"tool":"matrix","rows":[[1],"note":"x"}',
    ],
    "a colon in the quotes of a key": [
        '{"tool":"set_slot","value:" "a b"}',
        '{"tool":"set_slot","value:" "a \\" b","label":"x"}',
    ],
    "an expression": ['{"tool":"set_slot","value":`a${x}b`}'],
    "an argument under a name that a remark has": [
        '{"tool":"forward","message_id":"m1","to":["a"],"id":"m2"}',
        '{"tool":"move_left","cm":5,"id":"50"}',
        '{"tool":"move_left","cm":5,"id":50}',
        '{"tool":"grant","user":"bob","role":"admin","explanation":"as reader"}',
        '{"tool":"lists","allow":["a"],"deny":[],"explanation":"c too"}',
        '{"tool":"dose_mg","patient":"p","drug":"d","amount":5,"explanation":"amount is in micrograms"}',
        '{"reasoning":"do not run this","function":{"name":"move_left","arguments":{"cm":5}}}',
        '{"tool":"delete_user","user_id":7,"type":"function"}',
        '{"tool":"move_left","cm":5,"type":["a"]}',
    ],
    "a control character in a key": [
        '{"tool": "erase", "disk": "d1", "dry_\x08run": true}',
        '{"tool": "erase", "disk": "d1", "\x1b[0mdry_run": true}',
        '{"tool": "erase", "disk": "d1", "dry_\u200brun": true,}',
    ],
    "quotes around a sign in a text": [
        '{"tool":"set_limit","account":"A","memo":"press "+" now"}',
        '{"tool":"run_code","code":""+""}',
        '{"tool":"run_code","code":"C"+""}',
        '{"tool":"run_code","code":("yes" "no")}',
        '{"tool":"set_limit","account":"A","amount":"5" + "6"}',
        '{"tool":"set_limit","account":"A","amount":("5"\n "6")}',
        '{"tool":"tag","id":"A","tags":["a" +\n"b"]}',
    ],
    "a body of which only the quotes were escaped, and a backslash": [
        r"{\"tool\":\"close_account\",\"account\":\"A\",\"reason\":\"\\frac\"}",
        r"{\"tool\":\"close_account\",\"account\":\"A\",\"reason\":\"\frac\"}",
        r"{\"tool\":\"close_account\",\"account\":\"A\",\"reason\":\"\\bword\"}",
        r"{\"tool\":\"run_code\",\"code\":\"C:\\bin\"}",
        r"{\"tool\":\"run_code\",\"code\":\"C:\\new\\table\"}",
        r"{\"tool\":\"run_code\",\"code\":\"print('a\\n')\"}",
        r"{\"tool\":\"run_code\",\"code\":\"\\u0041\"}",
    ],
    "doubled braces in a text of a body whose braces are doubled": [
        '{{"tool":"close_account","account":"A","reason":"{{x}}"}}',
        '{{"tool":"run_code","code":"import {{ x }} from"}}',
        '{{"tool":"run_code","code":"f({{}})"}}',
    ],
    "a missing brace, and a member that has two homes": [
        '{"tool":"update_event","id":7,"place":{"room":"R1","note":"x"}',
        '{"tool":"update_event","id":7,"place":{"room":"R1" "note":"x"}',
        "{'tool':'update_event','id':7,'place':{'room':'R1','note':'x'}",
        '{"tool":"update_event","id":7,"place":{"room":"R1" "floor":1}',
        '{"tool":"find_items","filters":[{"op":"eq" "note":"x"}, "note":"y"}',
    ],
    "a brace and a comma that changed places": ['{"tool":"update_event","id":7,"place":{"floor":2,} "note":"x"}'],
    "a spare brace, and an object that lost its beginning": ['{"tool":"update_event","id":7,"note":"x"}}'],
    "two texts with nothing but quotes between": [
        '{"tool":"set_limit","account":"A"""B"}',
        '{"tool":"set_limit","account":"Ann"""Bob"}',
        '{"tool":"run_code","code":"a|""|b"}',
        '{"tool":"run_code","code":"say "h""i""}',
        '{"tool":"run_code","code":"x","stdin":"| a |""| a |"}',
        '{"tool":"run_code","code":"(a) "" (a) "}',
        '{"tool":"run_code","code":"operator<<(std:"  ":ostream& os)"}',
    ],
    "a text that was cut off before the block began anew": [
        '{"tool":"set_limit","account":"B","memo":"pay t\n[connection lost]\n```json\npay the rent please"}',
        '{"tool":"set_limit","account":"B","memo":"pay t\n~~~ JSON\npay the rent please"}',
    ],
    "two records that became one": ['{"tool":"find_items","filters":[{"op":"eq","op":"eq"}]}'],
    "a text that was split between two literals": ['{"tool":"set_limit","account":"B","memo":"key = "ht" "tps://a"\\n"}'],
    "braces that were doubled": [
        '["tool":"set_limit","account":"B","memo":"if x {{ y }} end"]',
        '{{"tool":"set_limit","account":"B","memo":"if x {{ y }} end"}}',
    ],
    "a list that does not end": [
        '([\n{"tool":"set_limit","account":"A"},\n{"tool":"set_limit","account":"B","memo":"x",};);',
        '[\n {"tool":"set_limit","account":"B","memo":"x",}',
        '([{"tool":"set_limit","account":"B","memo":"x",})',
    ],
    "lines that ended where the width did": [
        '{"tool":"set_limit","account":"B",\n"memo":"pay the rent of the long\nflat to the owner of that house\n'
        'and then go on to work"}',
        '[{"tool":"set_limit","account":\n"Bob","memo":"pay the rent of t\nhe flat"}\n]',
        '{"tool":=\n "run_code","code":"x"}',
        '{"tool":"run_code","code":"pay =\nthe rent"}',
    ],
    "blanks that were all replaced": ['{"tool":\xa0"set_limit","account":\xa0"A\xa01"}'],
    "a closing mark for both quotes": ['{"tool":"set_limit","account":"B","memo":”"}'],
    "a quote by its code": [r"""{"tool":"set_limit","account":"B","memo":"say \x22hi\x22 to"}"""],
    "a bracket that may stand around one item or around all": [
        '{"tool":"plot","points":[1,2]}',
        '{"tool":"plot","points":[1,2,[3]]}',
        '{"tool":"plot","points":[[0,[2.5]]]}',
        '{"tool":"plot","points":[[1],[2,[-3.25]]]}',
        '{"tool":"tag","id":"7","tags":["a",["b"]]}',
    ],
    "a body whose members stand on lines, and of which only the quotes were escaped": [
        '{\n\\"tool\\": \\"run_code\\",\n\\"code\\": \\"\\\\n\\"\n}',
        '{\n\\"tool\\": \\"run_code\\",\n\\"code\\": \\"print(1)\\\\nprint(2)\\"\n}',
        '{\\"tool\\": \\"run_code\\", \\"code\\": \\"\\\\\\\\\\"}',
    ],
    "an escape in an id or a path where a backslash was meant": [
        r'{"tool":"delete_file","path":"C:\new\table.txt"}',
        r'{"tool":"drop","id":"C:\new"}',
        r'{"tool":"drop","id":"\\srv\new"}',
        r'{"tool":"patch","file":"C:\temp\new","old":"a","new":"b"}',
        r'{"tool":"open_folder","cwd":"C:\new folder\bin"}',
        r'{"tool":"open_folder","cwd":"src","paths":["src\new.txt"]}',
        r'{"name":"drop","arguments":"{\"id\":\"C:\\new\"}"}',
        '{tool: "drop", id: "C:\\new"}',
        '{tool: "tag", id: "a\\new", "tags": []}',
        r"{'tool':'patch','file':'a','old':'C:\temp\new','new':'x'}",
    ],
    "a backspace or a form feed before a letter": [
        r'{"tool":"note","title":"t","text":"\frac{1}{2}"}',
        r'{"tool":"note","title":"t","text":"see \beta"}',
        r'{"tool":"drop","id":"north\bay",}',
        r'{"tool":"drop","id":"\b",}',
        r'{"tool":"note","title":"say "hi" now","text":"\frac{1}{2}"}',
        r'{"tool":"NOTE","title":"t","text":"^\b"}',
    ],
    "a bracket that is left over, and an object of any members that is not there": [
        '{"tool":"log","level":"i","message":"m","x":0}}',
        '{"tool":"page","url":"a","Accept":"b"}}',
        '{"name":"log","arguments":{"level":"i","message":"m","x":0}}}',
    ],
    "a brace that is left over, and doubled braces in a text": ['{"tool":"note","title":"a {{x}}","text":"b"}}'],
    "an argument of a tool that takes any, under the name of the tool's own key": [
        '{"name":"log","arguments":{"name":"log","level":"i","message":"m"}}',
        '{"name":"log","arguments":{"level":"i","message":"m","function":"log"}}',
        '{"name":"put","arguments":{"key":"a","value":1,"name":"put"}}',
        '{"name":"log","arguments":{"tool":"log","level":"i","message":"m"}}',
    ],
    "a key of an envelope, mistyped, in a tool that takes any": [
        '{"name":"log","argumets":{"level":"i","message":"m"},"level":"i","message":"m"}',
        '{"tool_calls":[{"name":"set_any","argumets":{"a":1}}]}',
        '[{"name":"set_any","argumets":{"a":1}}]',
        '{"name":"set_any","arguments\u200b":{"a":1}}',
        '{"tool":"set_any","arguments\u200b":{"a":1}}',
        '{"tool":"set_any","Arguments_":{"a":1}}',
        '{"tool":"set_any","inputs":{"a":1}}',
        '{"tool":"set_any","argum\u0435nts":{"a":1}}',
        '{"tool":"set_any","toolcall":"log"}',
        '{"type":"function","function":{"name":"set_any","arguments\u00ad":{"a":1}}}',
        '{"name":"set_any","argumentu00ads":{"a":"say "b" now"}}',
    ],
    "arguments in an object of their own, or one argument of a tool that takes any": [
        '{"tool":"set_any","input":{"a":1}}',
        '{"tool":"set_any","input":{"a":1},}',
        '{"tool":: "set_any","input":{"a":1}}',
        '[{"tool":"set_any","input":{"a":1}}]',
        '[{"tool":"set_any","input":{}}]',
        '{"tool":"set_any","args":{}}',
        '{"name":"set_any","arguments":[]}',
        '{"name":"set_any","arguments":[{"label":"x"}]}',
    ],
    "a sign before a key, in a tool that takes any": [
        '{"tool":"set_any", $label: "a"}',
        '{"tool":"set_any", "$label": "a"}',
        '{"tool":"set_any", "label ": "a"}',
        '{"tool":"set_any", "--label": "a"}',
        '{"tool":"set_any", "\u200blabel": "a"}',
        '{"tool":"set_any", "": "a"}',
        '{"name":"set_any", $arguments: {"label":"a"}}',
    ],
    "two names of a tool that takes any": [
        '{"label":"x","tool\u200c":"set_any","action":"log"}',
        '{"t\u043eol":"log","name":"set_any"}',
        '{"tool":"set_any","name":"log"}',
        '{"tool":"set_any","action":"set_any"}',
        '{"tool":"set_any","function":{"name":"log"}}',
    ],
    "a bracket too many or too few, and a member that no schema lists": [
        '{"tool":"log","level":"i","message":"m","metb":"x"}}',
        '{"tool":"set_any","labek":"x"',
    ],
    "the end of a list that lost its beginning": [
        '  {\n    "tool": "move_left",\n    "cm": 5\n  }\n]',
        '  {"tool": "move_left", "cm": 5}\n]',
    ],
    "two commas, and a member that may have stood between": [
        '{"tool":"enable_alarm","zone":"z", , "delay_s":5}',
        '{"tool":"enable_alarm","zone":"z",\n  ,\n"delay_s":5}',
        '{"tool":"enable_alarm","zone":"z",, ,"delay_s":5}',
    ],
    "a line that changed places with another": [
        '{\n  "tool": "log",\n  "level": "i",\n    "k": 1\n  "message": "m",\n  "meta": {\n    "j": 2\n  }\n}',
        '{\n  "tool": "log",\n  "level": "i"\n    "k": 1,\n  "message": "m",\n  "meta": {\n    "j": 2\n  }\n}',
    ],
    "marks that Markdown escapes": [
        *(
            rf'{{"tool":"note","title":"t","text":"{text}"}}'
            for text in (r"\[a\](b)", r"\[a\]", r"\*a\*", r"\<b\>", r"\_a\_ \[b\]", r"my\_x and my\_y", r"\*Really?\*")
        ),
        r'{"tool":"page","url":"https://x.y/\[a\]\_b"}',
    ],
    "backslashes that were all lost": [
        '{"tool":"note","title":"t","text":"u00e9 "a""}',
        '{"tool":"note","title":"cafu00e9","text":"say "a" now"}',
    ],
    "a line break that slipped in": [
        '{"tool":"note","title":"t","text":"a\nb\\nc"}',
        '{"tool":"note","title":"a\\nb","text":"c\nd"}',
        '{"tool":"note","title":"\\nabla x","text":"c\nd"}',
        '{"tool":"schedule","start":"a","end":"b","title":"x","until":"Mon\nday"}',
        '[{"tool":"note","title":"tr\nue","text":"x"},{"tool":"note","title":"t","text":"""a\nb\n"""}]',
        '{"tool":"send_mail","to":["a@b.co"],"subject":"i\nt is","body":"a\nb\n"}',
        '{"tool":"delete_user","user_id":7,"reason":"x\ny"}',
        '{"tool":"close_account","account":"A","reason":"x\ny"}',
    ],
    "marks without a word between quotes": [
        '{"tool":"set_slot","value":"[" "]"}',
        '{"tool":"note","title":"t","text":"{" "}"}',
    ],
    "one empty pair of quotes": ['{"tool":"snippet","title":"t","code":"out.flags("")"}'],
    "an empty list in a block that has brackets for braces": ['["tool":"put","key":"a","value":[]]'],
    "a point before a number": [
        '{"tool":"set_limit","account":"a","amount":.1500}',
        '{"tool":"set_limit","account":"a","amount":.100}',
    ],
    "a list that has no end, and stands where a text was to stand": ['{"tool":"set_limit","account":["","amount":1500}'],
    "a text that was wrapped, with a margin before its lines": [
        *(
            margin.join(textwrap.wrap(LEASE, width, break_on_hyphens=False))
            for width, margin in product((40, 60, 72, 100), ("\n", "\n  ", "\n\t", "\n> ", "\n\n", "\n\xa0\xa0", "\r", "\r\n"))
        ),
        *(
            margin.join(LEASE[at : at + width] for at in range(0, len(LEASE), width))
            for width, margin in product((50, 72, 76), ("\n", "\n  ", "\n> ", "\r"))
        ),
        '{"tool":"patch","file":"the lease of the flat on the top floor","old":"the\nlessee shall pay","new":"nothing"}',
        '{"tool":"patch","file":"lease","old":"users of the\n thing","new":"nothing"}',
        '{"tool":"note","title":"the lease of house number 18","text":"fw\n-2"}',
    ],
    "a character as another language escapes it": [
        *(
            rf'{{"tool":"note","title":"t","text":"{text}"}}'
            for text in (
                r"\u{1F600} hi",
                r"\u{e9}t\u{e9}",
                r"caf\xe9, na\xefve",
                r"\N{BULLET} \N{BULLET}",
                r"\e[31mred\e[0m",
                r"\101 \102",
                r"\0 \0",
                r"\a \a",
                r"\u00 \u11",
                "\\é \\è",
                r"1\. one 2\. two",
                r"\| a \| b",
                r"50\% of 60\%",
                r"x\ y\ z",
            )
        ),
        r"{tool:'note',title:'t',text:'\u{1F600} hi'}",
    ],
    "a backslash of a writer who escapes nothing": [
        r'{"tool":"patch","file":"f","old":"say "x" now","new":"\textit{x}"}',
        r'{"tool":"patch","file":"f","old":"say "x" now","new":"a\tb"}',
        r'{"tool":"note","title":"t","text":"print("a\tb")"}',
        '{"tool":"patch","file":"f","old":"line a\nline b\n","new":"printf a\\n"}',
        '{"tool":"patch","file":"f","old":"line a\nline b\n","new":"x \\\\ y"}',
    ],
    "a piece that was lost or doubled beside escaped quotes": [
        r'{"tool":"note","title":"t","text":"const s = `a ${"c\"`; // d"}',
        r'{"tool":"note","title":"t","text":"{\"tool\": \"wipe_d"{\"tool\": \"x\"}"}',
        "{'tool':'note','title':'core1'e1','text':'a'}",
    ],
    "parentheses around a number": [
        '{"tool":"set_limit","account":"A","amount":(5)}',
        '{"tool":"matrix","rows":[[(1), 2]]}',
        '{"tool":"tag","id":"A","tags":[("a")]}',
    ],
    "a brace that is missing, and the end of what is around the call": [
        '<tool_call>\n{"tool":"set_limit","account":"A"',
        'tool_call = {"tool":"set_limit","account":"A"',
    ],
    "two separators between two calls": [
        f'{{"tool":"move_left","cm":1}}{marks}{{"tool":"move_left","cm":2}}' for marks in (",,", ";;", ";,", ",,\n")
    ],
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
    assert not any(issue.code == "guard_error" for item in items if isinstance(item, ToolBlock) for issue in item.issues)
    assert [item.arguments for item in items if isinstance(item, ToolBlock) and item.executable] == []


OPENERS = [
    '```json x{"tool": "enable_alarm", "zone": "a"}\n{"tool": "move_left", "cm": 5}\n```',
    '```json "tool": "enable_alarm", "zone": "a"}\n{"tool": "disable_alarm", "zone": "b"}\n```',
    '```json ,{"tool": "enable_alarm", "zone": "a"}\n{"tool": "disable_alarm", "zone": "b"}\n```',
    '```json dry run: {"tool": "enable_alarm", "zone": "a"}\n{"tool": "disable_alarm", "zone": "b"}\n```',
    '```json dry run: do not execute\n{"tool": "erase", "disk": "q"}\n```',
    '```json example\n{"tool": "move_left", "cm": 5}\n```',
    '```json title="do not run"\n{"tool": "move_left", "cm": 5,}\n```',
    "~~~json never this\n{'tool': 'move_left', 'cm': 5}\n~~~",
    '```json please\n{"tool": "erase", "disk": "q"}\n```',
    *(
        f'```json {attribute}\n{{"tool": "move_left", "cm": 5}}\n```'
        for attribute in ("run=false", "eval=FALSE", "exec=false", "enabled=false", "disabled=true", "norun=1", "mode=preview")
    ),
]
ATTRIBUTES = ['title="a.json"', "copy", 'title="my file" {1}', "src/a.json", "tool_call", "move_left", "linenums=1"]


@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("text", OPENERS)
def test_words_behind_the_language_of_a_fence_refuse_its_block(text: str) -> None:
    (block,) = [item for item in GUARD.scan([f"{text}\n"]) if isinstance(item, ToolBlock)]
    assert not block.executable
    assert "text_in_opener" in [issue.code for issue in block.issues]


@pytest.mark.parametrize("attributes", ATTRIBUTES)
@pytest.mark.parametrize("body", ['{"tool": "move_left", "cm": 5}', "{'tool': 'move_left', 'cm': 5}"])
def test_attributes_of_a_fence_are_not_words(attributes: str, body: str) -> None:
    (block,) = [item for item in GUARD.scan([f"```json {attributes}\n{body}\n```\n"]) if isinstance(item, ToolBlock)]
    assert block.executable, block.issues


MEANT = [
    r'{"tool":"note","title":"t","text":"one\ntwo\n\tthree"}',
    r'{"tool":"note","title":"t","text":"A:\nyes"}',
    r'{"tool":"note","title":"t","text":"\\frac{1}{2} \\beta"}',
    '{"tool":"note","title":"t","text":"page\\f\\nnext"}',
    r'{"tool":"open_folder","cwd":"C:\\new\\table"}',
    r'{"tool":"open_folder","cwd":"M0 0\nL1 1"}',
    r'{"tool":"note","title":"t","text":"^\\[(\\w+)\\]$"}',
    r'{"tool":"note","title":"t","text":"^\[(\w+)\]$"}',
    '{"tool":"plot","points":[1]}',
    '{"tool":"plot","points":["[1, 2]", [3]]}',
    '{"tool":"set_limit","account":"a","amount":.15}',
    '{"tool":"snippet","title":"t","code":"f("a", "")"}',
    '{"tool":"set_any","arguments":{"label":"x"}}',
    '{"tool":"enable_alarm","zone":"z",,"delay_s":5}',
    '{\n  "tool": "enable_alarm",\n  "zone": "z"\n  "delay_s": 5\n}',
    '{ "tool": "enable_alarm"\n  "zone": "z"\n  "delay_s": 5 }',
    '{"tool":"set_any","parameters":{"a":1}}',
    '{"tool":"set_any","input":{"label":"x"}}',
    '{"name":"set_any","input":{"a":1}}',
    '{"name":"set_any","arguments":{}}',
    '{"tool":"set_any","name":"Bob","action":"greet","tools":["a"],"a":{"input":1,"argumets":2}}',
]


@pytest.mark.parametrize("body", MEANT)
def test_what_is_written_on_purpose_runs(body: str) -> None:
    assert [item.executable for item in GUARD.scan([f"```json\n{body}\n```\n"]) if isinstance(item, ToolBlock)] == [True]


OWN_INPUT: Final = {"query": S, "limit": I, "input": {"type": "object", "properties": {"folder": S, "limit": I}}}


@pytest.mark.some(20)
@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("name", ["name", "function", "tool_name", "action"])
@pytest.mark.parametrize(
    ("members", "required", "runs"),
    [
        ('"input": {"query": "x"}', "", False),
        ('"input": {"query": "x", "input": {}}', "", False),
        ('"input": {"input": {}}', "", False),
        ('"input": {"limit": 1}', "", False),
        ('"input": {"other": 1}', "", False),
        ('"input": {}', "", False),
        ('"input": "{\\"query\\": \\"x\\"}"', "", False),
        ('"input": {"query": "x"}, "limit": 1', "", False),
        ('"id": "c", "input": {"query": "x"}', "", False),
        ('"input": {"input": {}, "query": "x"}', "input", False),
        ('"input": {"folder": "x"}', "", True),
        ('"input": {"folder": "x"}, "query": "x"', "", True),
        ('"input": {"limit": 1}, "query": "x"', "", True),
        ('"input": {}, "query": "x"', "", True),
        ('"input": {"folder": "x", "limit": 1}', "input", True),
    ],
)
@pytest.mark.promise("P7")
def test_a_field_with_the_name_of_an_envelope_is_not_taken_for_it(
    closed: bool, name: str, members: str, required: str, runs: bool
) -> None:
    """Where the tool's name stands as in other formats, such a field may hold all arguments: then nobody knows."""
    guard = Guard([tool("search", required, closed=closed, **OWN_INPUT)])
    body = f'{{"{name}": "search", {members}}}'
    for written in (body, body[:-1] + ",}", f'{{"tool_calls": [{body}]}}'):
        blocks = [item for item in guard.scan([f"```json\n{written}\n```\n"]) if isinstance(item, ToolBlock)]
        assert [block.executable for block in blocks] == [runs], written
        assert runs or blocks[0].issues, written


def test_the_issue_of_an_escape_names_its_field_and_says_what_to_do() -> None:
    (block,) = [
        item for item in GUARD.scan(['```json\n{"tool":"delete_file","path":"C:\\new"}\n```\n']) if isinstance(item, ToolBlock)
    ]
    (issue,) = block.issues
    assert (issue.code, issue.field, issue.line) == ("undoubled_backslash", "path", 1)
    assert "double each backslash" in issue.message


async def test_a_direct_call_with_such_an_escape_is_refused() -> None:
    tools = Toolset(Tool("rm", "", obj(path=S), risk=Risk.DESTRUCTIVE, handler=lambda arguments: arguments))
    assert (await tools.call("rm", '{"path": "C:\\new"}')).error is not None
    assert (await tools.call("rm", '{"path": "C:\\\\new"}')).error is None


def test_a_number_in_encoded_arguments_keeps_its_spelling() -> None:
    for arguments in ('{"value": %s}', '{"value": %s,}'):
        for word in ("1.10", "1e5", "-0", "12345678901234567.0", "10"):
            for body in (
                f'{{"name":"set_slot","arguments":{json.dumps(arguments % word)}}}',
                json.dumps(f'{{"tool":"set_slot","value":{word}}}'),
            ):
                (block,) = [item for item in GUARD.scan([f"```json\n{body}\n```\n"]) if isinstance(item, ToolBlock)]
                assert block.arguments == {"tool": "set_slot", "value": word}, body
                assert block.executable


def executed(text: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the calls of a text that are to be run."""
    items = (item for item in GUARD.scan([text]) if isinstance(item, ToolBlock))
    return [(item.call.tool, item.call.arguments) for item in items if item.call is not None]


FAULTS: dict[str, Callable[[str], str]] = {
    "trailing comma": lambda body: f"{body[:-1]},}}",
    "doubled comma": lambda body: body.replace(", ", ",, ", 1),
    "doubled colon": lambda body: body.replace('": ', '":: ', 1),
    "missing comma": lambda body: body.replace(", ", " ", 1),
    "single quotes": lambda body: str(json.loads(body)),
    "typographic quotes": lambda body: body.replace('"', "”").replace("{”", "{“").replace(" ”", " “"),
    "a bare key": lambda body: body.replace('"tool"', "tool").replace('"name": "set', 'name: "set'),
    "a comment": lambda body: f"{body[:-1]} // calling\n}}",
    "prose": lambda body: f"Here it is:\n{body}",
    "a list": lambda body: f"[{body}]",
    "tool_calls": lambda body: f'{{"tool_calls": [{body}]}}',
    "a block quote": lambda body: f"> {body}",
    "an invisible mark": lambda body: f"\ufeff{body},".replace("},", "}"),
}
KEYS = [
    *("input", "args", "arguments", "parameters", "argumets", "Inputs", "tool_input", "function", "name", "action", "toolName"),
    *("Label", "label_", "$label", "labels", "id", "type", "thought", "version", "path", "a"),
]
VALUES: list[Any] = [{"label": "x"}, {"a": 1}, {}, [], [{"a": 1}], "x", "null", None, "5", 5, "set_any", '{"label": "x"}']


HEADS = [{"tool": "set_any"}, {"tool": "set_any", "label": "y"}, {"tool": "put", "key": "k", "value": "null"}]
BODIES = [json.dumps({**head, key: value}) for key, value, head in product(KEYS, VALUES, HEADS)]


@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_call_of_an_open_tool_means_one_thing_whatever_is_wrong_beside_it(fault: str) -> None:
    """Each fault on every eleventh call, beginning with another one."""
    for body in BODIES[[*FAULTS].index(fault) % 11 :: 11]:
        ran = executed(f"```json\n{FAULTS[fault](body)}\n```\n")
        assert ran in ([], executed(f"```json\n{body}\n```\n")), body


END_OF_CALLS = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}


@pytest.mark.promise("P9")
@pytest.mark.parametrize("key", ["pa\\_th", "\\q", "pa\\u", "path" * 400])
def test_a_native_call_with_a_key_that_cannot_be_read_is_refused(key: str) -> None:
    call = {"id": "c", "type": "function", "index": 0, "function": {"name": "delete_file", "arguments": f'{{"{key}": "a"}}'}}
    chunk = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}
    reported: list[str] = []
    items = list(guard_events([chunk, END_OF_CALLS], GUARD, "openai-chat", native="withhold", on_uninspected=reported.append))
    assert "tool_calls" not in str([item for item in items if isinstance(item, dict)])
    assert not reported
    assert [item.executable for item in items if isinstance(item, ToolBlock)] == [False]


INNER = '{"tool": "delete_file", "path": "b"}'
GOOD = '{"tool": "set_any", "label": "x"}'


@pytest.mark.promise("P8")
@pytest.mark.parametrize("dialects", [("fence",), "all"])
@pytest.mark.parametrize(
    "text",
    [
        f'{{"tool": "set_any", "label": "Here:\n```json\n{INNER}\n```\nDone."}}',
        f'{{"tool": "set_any", "label": "Here:\n```json\n{json.dumps(INNER)[1:-1]}\n```\nDone."}}',
        f'The call: {{"tool": "set_any", "label": "Here:\n```json\n{INNER}\n```\nDone."}}',
        f'[{{"tool": "set_any", "label": "Here:\n```json\n{INNER}\n```',
        f'{{"tool": "set_any", "label": [}}\n{GOOD}',
        f'{GOOD}\n{{"tool": "set_any", "label": [}}',
        f'[\n {GOOD},\n{{"tool": "set_any", "label": }},\n {GOOD}\n',
    ],
)
def test_check_takes_no_call_out_of_a_larger_text_that_is_one(text: str, dialects: Any) -> None:
    block = Guard(TOOLS, dialects=dialects).check(text)
    assert not block.executable or (block.arguments or {}).get("label", "").startswith("Here:")


BARE: Final = {
    "json": '{"tool": "delete_page", "slug": "home"}',
    "lines": '{\n  "tool": "delete_page",\n  "slug": "home"\n}',
    "array": '[{"name": "delete_page", "parameters": {"slug": "home"}}]',
    "pythonic": '[delete_page(slug="home")]',
}
"""Calls that have no opener of their own."""


@pytest.mark.some(12)
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("form", sorted(BARE))
@pytest.mark.parametrize(
    "before",
    [
        *('"purge": false,', '  "purge": false,', "purge: false,", "'purge': false,", '{"purge": false,', '"purge": false'),
        *('"purge": "no",', 'purge = "no",', '"a": {', '"a": {\n  "b": 1\n},', '"a": [\n  1\n],'),
    ],
)
@pytest.mark.parametrize("between", ["\n", "\n\n", " \r\n"])
def test_a_call_without_an_opener_behind_a_member_of_it_does_not_run(form: str, before: str, between: str) -> None:
    for words in ("", "So:\n\n"):
        text = f"{words}{before}{between}{BARE[form]}"
        assert not of_pages(text), text
        assert not Guard(PAGES, dialects="all").check(text).executable


@pytest.mark.some(12)
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("form", sorted(BARE))
@pytest.mark.parametrize(
    ("before", "behind"),
    [
        *(("/*", "*/"), ("/**", "*/"), ("(*", "*)"), ("<!--", "-->"), ("<del>", "</del>"), ("<s>", "</s>")),
        *(("#if 0", "#endif"), ("~~", "~~"), ("<!-- old:", "-->"), ("No: <!--", "-->"), ("/* not this:", "*/"), ("/*", "")),
    ],
)
def test_a_call_without_an_opener_that_is_commented_or_struck_out_does_not_run(form: str, before: str, behind: str) -> None:
    for words in ("", "So:\n\n", "/* a */\n"):
        for lines in ("", "\nold:\n"):
            text = f"{words}{before}\n{lines}{BARE[form]}\n{behind}"
            assert not of_pages(text), text
            assert not Guard(PAGES, dialects="all").check(text).executable


@pytest.mark.promise("P6")
@pytest.mark.parametrize("form", sorted(BARE))
@pytest.mark.parametrize(
    "before",
    [
        *("I will delete it, as you asked,", "Slug: home", "Note: this is it,", "<!-- a -->", "/* a */", "<del>old</del>"),
        *("See `src/*`", "The glob is src/*", '"purge": off, so I call it', "~~old~~", '{"purge": false}', "a = b"),
    ],
)
def test_words_before_a_call_without_an_opener_refuse_nothing(form: str, before: str) -> None:
    assert of_pages(f"{before}\n\n{BARE[form]}") == [{"slug": "home"}]


@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize(
    "behind", ['true, "purge":', ' false, "purge": ', "1, 'purge':", " null,", 'true, "purge": false}', '], "purge": true}]']
)
@pytest.mark.parametrize(
    "call",
    [
        '<|tool_call|>[{"name": "delete_page", "arguments": {"slug": "home"}}]',
        '[TOOL_CALLS]delete_page[ARGS]{"slug": "home"}',
        'functools[{"name": "delete_page", "arguments": {"slug": "home"}}]',
        '<|function_call|>{"name": "delete_page", "arguments": {"slug": "home"}}',
    ],
)
def test_the_rest_of_an_object_behind_its_call_refuses_it(call: str, behind: str) -> None:
    assert not of_pages(f"{call} {behind}")
    assert of_pages(f'{call} true, I did it: "so"') == [{"slug": "home"}]


@pytest.mark.promise("P8")
@pytest.mark.parametrize("behind", ["", "Sorry:\n", "\n"])
@pytest.mark.parametrize(
    "aside",
    [
        "<think>\n```json\n{}\n```\n</think>\n",
        "  <think>\nNo:\n```json\n{}\n```\n</think>\n",
        "````markdown\n```json\n{}\n```\n````\n",
        "~~~~text\n```json\n{}\n```\n~~~~\n",
        "Example:\n\n> ```json\n> {}\n> ```\n",
    ],
)
def test_nothing_runs_of_reasoning_or_an_example_behind_a_block_without_its_closer(behind: str, aside: str) -> None:
    assert executed(f"```json\n{GOOD}\n{behind}{aside.replace('{}', INNER)}") in (
        [],
        [("set_any", {"tool": "set_any", "label": "x"})],
    )


DOCUMENTS = [
    "a\n```\nb\n```json\nCALL\n```\nc",
    "```\na\n```\n\n```\nb\n```\n\n```json\nCALL\n```\nc",
    "```sh\nls\n```\n```\nx\n```\n```json\nCALL\n```",
    "end\n```\n\nNow:\n\n```json\nCALL\n```\n",
    'say \\"hi\\"\n{a}\n```\nb\n```json\nCALL\n```\nc',
    "f(x) }\n```\nThen\n```json\nCALL\n```\n",
    "text\n```\nCALL\n```\n",
]
TAILS = ['"}\n```\n', '"}\n```\nDone.', '"}', ""]
SETTINGS: list[dict[str, Any]] = [{}, {"dialects": "all"}, {"fixes": "off"}, {"languages": ("json", "")}]


@pytest.mark.some
@pytest.mark.promise("P8")
@pytest.mark.parametrize("document", DOCUMENTS)
@pytest.mark.parametrize("quotes", ["escaped", "raw"])
def test_a_call_that_a_text_quotes_never_runs(document: str, quotes: str) -> None:
    """A text with raw line breaks and fences of its own: where it ends is not known, so no block behind it is sure."""
    call = json.dumps(INNER)[1:-1] if quotes == "escaped" else INNER
    heads = ('{"tool": "note", "title": "t", "text": "', '{"tool": "note", "title": "say "it" now", "text": "')
    for head, tail, settings, cause in some(product(heads, TAILS, SETTINGS, ("stop", "length")), 30):
        reply = f"```json\n{head}{document.replace('CALL', call)}{tail}"
        items = [*Guard(TOOLS, **settings).scan([reply, End(cause)])]
        assert "delete_file" not in ran(items), (head, tail, settings, cause)


def test_a_block_behind_one_that_is_wrong_but_whole_runs() -> None:
    """What cannot be mended, and shows where it ends, takes nothing in."""
    for broken in (
        '{"tool": "move_left", "cm": 5, // should be 8\n}',
        '{"tool": "move_right", cm: "much"}',
        '{"tool": "nothing", "cm": 5,}',
    ):
        text = f'```json\n{broken}\n```\n\n```json\n{{"tool": "move_left", "cm": 5}}\n```\n'
        assert executed(text) == [("move_left", {"cm": 5})], broken
    items = [
        *GUARD.scan([f'```json\n{{"tool": "note", "text": "{DOCUMENTS[0]}', End("stop"), "\n\n", f"```json\n{GOOD}\n```\n"])
    ]
    assert [item.executable for item in items if isinstance(item, ToolBlock)][-1]


LAID_OUT = [
    "<tool_call>\n  <function=erase>\n    <parameter=disk>\n      d1\n    </parameter>\n  </function>\n</tool_call>",
    "<tool_call>erase\n  <arg_key>disk</arg_key>\n  <arg_value>\n    d1\n  </arg_value>\n</tool_call>",
    '<|tool_call>call:erase{\n  disk:<|"|>\n    d1\n  <|"|>\n}<tool_call|>',
]


@pytest.mark.promise("P8")
@pytest.mark.parametrize("text", LAID_OUT)
def test_the_indent_of_markup_is_no_part_of_a_value(text: str) -> None:
    (block,) = [item for item in Guard(TOOLS, dialects="all").scan([f"{text}\n", End("stop")]) if isinstance(item, ToolBlock)]
    assert not block.executable
    assert [issue.code for issue in block.issues] == ["ambiguous_value"]


NULLABLE = Guard(Toolset(tool("post_message", "channel", Risk.WRITE, channel=S, thread={"type": ["string", "null"]})))


@pytest.mark.promise("P7")
@pytest.mark.parametrize("word", ["null", "None"])
@pytest.mark.parametrize(
    "body", ['{"tool":"postMessage","channel":"c","thread":"%s"}', '{"tool":"post_message","channel":1,"thread":"%s",}']
)
def test_a_value_that_is_valid_is_not_changed_because_another_is_mended(body: str, word: str) -> None:
    block = NULLABLE.check(body % word)
    assert not block.executable or (block.arguments or {})["thread"] == word


@pytest.mark.promise("P8")
@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"tool":\xa0"delete_file",\xa0"path":\xa0"a\xa0b"}\n```\n',
        '```json\n{"tool": "delete_file",\xa0"path":\xa0"a\xa0b"}\n```\n',
        '- ```json\n  {"tool":\xa0"delete_file",\n  "path":\xa0"a\xa0b"}\n  ```\n',
        '1. x\n\n   ```json\n   {\n   \xa0"tool":\xa0"delete_file",\n   \xa0"path":\xa0"a\xa0b"\n   }\n   ```\n',
    ],
)
def test_blanks_between_tokens_do_not_tell_what_a_no_break_space_in_a_text_was(text: str) -> None:
    assert not executed(text)


@pytest.mark.promise("P8")
def test_nor_do_those_that_the_guard_puts_before_the_arguments_of_a_native_call() -> None:
    call = {
        "id": "c",
        "type": "function",
        "index": 0,
        "function": {"name": "delete_file", "arguments": '{"path":\xa0"a\xa0b"}'},
    }
    chunk = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}
    items = list(guard_events([chunk, END_OF_CALLS], GUARD, "openai-chat", native="withhold"))
    assert [item.executable for item in items if isinstance(item, ToolBlock)] == [False]


RECORDS = Guard(
    Toolset(
        tool("patch", "diff", closed=False, diff=S, message=S),
        tool("rows", "rows", rows={"type": "array", "items": {"type": "object", "properties": {"note": S, "html": S}}}),
        tool("send", "body", body={"type": "object"}),
    )
)


@pytest.mark.promise("P8")
@pytest.mark.parametrize(
    "body",
    [
        '{"tool": "patch", "diff": "<p class="x">a</p>", "message": "x", "when": "now"}',
        '{"tool": "rows", "rows": [{"html": "<p class="x">a</p>", "note": "x", "when": "now"}]}',
        '{"tool": "send", "body": {"t": "x", "when": "now", "h": "<p class="x">a</p>"}}',
    ],
)
def test_a_member_that_no_schema_lists_is_not_read_out_of_a_text_whose_quotes_lost_their_escapes(body: str) -> None:
    assert not RECORDS.check(body).executable


NET = Guard(
    Toolset(
        tool("push_config", "device config", closed=False, device=S, config=S, dry_run=B),
        tool("wipe_device", "device", Risk.DESTRUCTIVE, closed=False, device=S, keep_config=B),
    )
)
WIPE = '{"tool": "wipe_device", "device": "core1"}'


@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize(
    "words",
    [
        *("run=false", "eval=false", "eval=FALSE", "exec=false", "execute=false", "enabled=false", "disabled=true", "norun"),
        *("norun=1", "mode=preview", "class=example", "data-run=false", "run='false'"),
    ],
)
@pytest.mark.parametrize("body", [WIPE, '{"tool": "push_config", "device": "a", "config": "b"}'])
def test_an_attribute_of_a_fence_that_says_more_than_how_it_is_shown_refuses_its_block(words: str, body: str) -> None:
    (block,) = [item for item in NET.scan([f"```json {words}\n{body}\n```\n"]) if isinstance(item, ToolBlock)]
    assert not block.executable
    assert "text_in_opener" in [issue.code for issue in block.issues]


@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("key", ["keepConfig", "keep-config", "KEEP_CONFIG", "keep config", "Keep_Config", "keepconfig"])
def test_a_listed_field_in_another_spelling_is_no_argument_of_its_own(key: str) -> None:
    for wrong in ("", ","):
        body = f'{WIPE[:-1]}, "{key}": true{wrong}}}'
        assert not any(item.executable for item in NET.scan([f"```json\n{body}\n```\n"]) if isinstance(item, ToolBlock))
    assert NET.check(f'{WIPE[:-1]}, "keep_config": true, "dry": true}}').executable


@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("qwen3_coder", " <function=wipe_device>\n  <parameter=device>\n   a\n  </parameter>\n </function>"),
        ("qwen3_coder", "<function=wipe_device>\n<parameter=device>\n  a\n  </parameter>\n</function>"),
        ("glm45", "<tool_call>wipe_device\n  <arg_key>device</arg_key>\n  <arg_value>\n    a\n  </arg_value>\n</tool_call>"),
        ("gemma4", '<|tool_call>call:wipe_device{\n  device:<|"|>\n    a\n  <|"|>\n}<tool_call|>'),
        ("mistral", '> [TOOL_CALLS]wipe_device[ARGS]{"device": "a"}'),
        ("jamba", '> <tool_calls>[{"name": "wipe_device", "arguments": {"device": "a"}}]</tool_calls>'),
        ("fence", f"<think >\n```json\n{WIPE}\n```\n</think>\n"),
        ("fence", f"**<think>**\n```json\n{WIPE}\n```\n</think>\n"),
        ("fence", f"- <think>\n```json\n{WIPE}\n```\n</think>\n"),
        ("fence", f"<analysis>\n```json\n{WIPE}\n```\n</analysis>\n"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_an_indent_of_markup_a_block_quote_and_reasoning_run_nothing(dialect: str, text: str, size: int) -> None:
    guard = Guard(NET.tools, dialects=("fence", dialect))
    items = list(guard.scan([text[at : at + size] for at in range(0, len(text), size)]))
    assert not any(item.executable for item in items if isinstance(item, ToolBlock))
    assert "".join(item if isinstance(item, str) else item.raw for item in items if isinstance(item, str | ToolBlock)) == text


@pytest.mark.promise("P8")
@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("aider_search_replace", "~~src/a.py~~\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n"),
        ("v4a_patch", "*** Begin Patch\n*** Update File: `src/a.py`\n@@\n-a\n+b\n*** End Patch\n"),
        ("v4a_patch", "*** Begin Patch\n*** Delete File: a (not yet)\n*** End Patch\n"),
        ("v4a_patch", "*** Begin Patch\n*** Delete File: a, b\n*** End Patch\n"),
        (
            "bolt_artifact",
            '<boltArtifact id="i" title="t">\n  <boltAction type="file" filePath="a.py">\n  x\n  </boltAction></boltArtifact>',
        ),
    ],
)  # fmt: skip
def test_marks_around_a_path_and_the_indent_of_markers_are_no_part_of_a_file(dialect: str, text: str) -> None:
    items = Guard(FILE_TOOLS, dialects=("fence", dialect)).scan([text])
    assert not any(item.executable for item in items if isinstance(item, ToolBlock))


@pytest.mark.parametrize("opener", ["<tool_call>\n", "{x | x > 0}\n", "[write_file(a=1)]\n", '{"a": "b"}\n', "<details>\n\n"])
def test_what_leaves_no_text_open_refuses_no_block_behind_it(opener: str) -> None:
    assert [item.executable for item in NET.scan([f"{opener}```json\n{WIPE}\n```\n"]) if isinstance(item, ToolBlock)] == [True]


PAGES = Toolset(
    tool("delete_page", "slug", Risk.DESTRUCTIVE, slug=S, purge=B, redirect_to=S),
    tool("save_page", "slug body", slug=S, body=S),
)
QWEN = "<tool_call>\n<function=%s>\n%s</function>\n</tool_call>"
SEED_OSS = "<seed:tool_call>\n<function=%s>\n%s</function>\n</seed:tool_call>"


def of_pages(text: str) -> list[dict[str, Any]]:
    found = Guard(PAGES, dialects="all").scan([f"{text}\n", End("stop")])
    return [item.call.arguments for item in found if isinstance(item, ToolBlock) and item.executable and item.call is not None]


@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("form", [QWEN, SEED_OSS])
@pytest.mark.parametrize("spacing", ["\n\n", "\n\n\n", "\r\r\n", "\r", " \n", "\t\n", "\n\r", "\r\n\r\n", " \r\n", "\n \n"])
def test_no_value_contains_an_odd_line_end_that_the_whole_call_uses(form: str, spacing: str) -> None:
    one = "<parameter=slug>\nhome\n</parameter>\n"
    for items in (one, f"{one}<parameter=purge>\ntrue\n</parameter>\n"):
        assert not of_pages((form % ("delete_page", items)).replace("\n", spacing))


@pytest.mark.promise("P6")
@pytest.mark.parametrize("form", [QWEN, SEED_OSS])
def test_a_value_with_blank_lines_of_its_own_runs(form: str) -> None:
    """The markers around it have plain line ends, of one kind."""
    for body in ("a\n\n", "\n\na", "\na\n", " a\n\nb \n"):
        for between in ("\n", "\n\n"):
            items = f"<parameter=slug>\nhome\n</parameter>{between}<parameter=body>\n{body}\n</parameter>\n"
            assert of_pages(form % ("save_page", items)) == [{"slug": "home", "body": body}]
    windows = (form % ("delete_page", "<parameter=slug>\nhome\n</parameter>\n")).replace("\n", "\r\n")
    assert of_pages(windows) == [{"slug": "home"}]


CLAUDE = '<function_calls>\n<invoke name="%s">\n%s</invoke>\n</function_calls>'
PARAMETER = '<parameter name="%s">%s</parameter>\n'
REMAINS = [
    f"home{remains}"
    for field in ("slug", "purge")
    for remains in (
        f'"{field}">home', f"'{field}'>home", f'</pa"{field}">home', f"<parameter:{field}>true", f"<parameter.{field}>true",
        f"<parameter/{field}>true", f'<param {field}="true"/>', f"<arg {field}>true", f'<parameters "{field}">true',
        f"</{field}><purge>true</purge>", f"</{field}>", f"\uff1cparameter name=\uff02{field}\uff02\uff1etrue",
    )
] + [
    "home\uff1c/parameter\uff1e", "home\u3008/parameter\u3009", "home\\u003c/parameter\\u003e", "home%3C/parameter%3E",
    "home[/parameter]", "home{/parameter}",
]  # fmt: skip


@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("value", REMAINS)
@pytest.mark.parametrize("form", ["claude", "qwen", "seed"])
def test_what_is_left_of_a_marker_is_no_part_of_a_value(form: str, value: str) -> None:
    """The name of a field as a marker has it, a tag of a field that nothing opens, or a marker in other brackets."""
    items = f"<parameter=slug>\n{value}\n</parameter>\n"
    text = CLAUDE % ("delete_page", PARAMETER % ("slug", value)) if form == "claude" else (
        (QWEN if form == "qwen" else SEED_OSS) % ("delete_page", items)
    )  # fmt: skip
    assert not of_pages(text)


FLAT: Final = {
    "qwen": "<tool_call><function=%s>%s</function></tool_call>",
    "seed": "<seed:tool_call><function=%s>%s</function></seed:tool_call>",
    "claude": '<function_calls><invoke name="%s">%s</invoke></function_calls>',
    "dsml": '<\uff5cDSML\uff5cfunction_calls><\uff5cDSML\uff5cinvoke name="%s">%s</\uff5cDSML\uff5cinvoke>'
    "</\uff5cDSML\uff5cfunction_calls>",
    "glm": "<tool_call>%s\n%s</tool_call>",
}
OPENS: Final = {
    "qwen": ("<parameter=%s>", "</parameter>"),
    "seed": ("<parameter=%s>", "</parameter>"),
    "claude": ('<parameter name="%s">', "</parameter>"),
    "dsml": ('<\uff5cDSML\uff5cparameter name="%s" string="true">', "</\uff5cDSML\uff5cparameter>"),
    "glm": ("<arg_key>%s</arg_key><arg_value>", "</arg_value>"),
}
LEFT: Final = {"qwen": "urge>", "seed": "urge>", "claude": 'rge">', "dsml": '" string="true">', "glm": "rg_value>"}
"""As little as shows the opener of a field: a part of its name, before a literal, or the end of the marker."""


@pytest.mark.some(7)
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("form", sorted(FLAT))
@pytest.mark.parametrize("before", ["", "h", "home", "home page ", "a\n"])
@pytest.mark.parametrize("lined", [False, True])
def test_the_end_of_an_opener_is_no_part_of_a_value_wherever_it_stands(form: str, before: str, lined: bool) -> None:
    """What was lost begins in a value, and ends in the opener of the next field."""
    opens, closes = OPENS[form]
    whole = opens % "purge"
    for at in range(1, whole.index(LEFT[form]) + 1):
        items = f"{opens % 'slug'}{before}{whole[at:]}true{closes}"
        if before[-1:] == " " and whole[at] == '"':
            continue  # a shell has it: `echo "purge">log`
        assert not of_pages((FLAT[form] % ("delete_page", items)).replace("><", ">\n<" if lined else "><")), whole[at:]


@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("token", ["</s>", "<|im_end|>", "<unk>", "<s>", "<pad>", "<0x0A>", "<end_of_turn>"])
@pytest.mark.parametrize("form", ["claude", "qwen", "glm"])
def test_a_token_in_a_text_of_a_list_is_as_in_a_text(form: str, token: str) -> None:
    opens, closes = OPENS[form]
    for value in (f'["kit{token}chen", "hall"]', f'["hall",\n "kit{token}chen"]', f'{{"a": {{"b": ["kit{token}chen"]}}}}'):
        assert not listed(FLAT[form] % ("set_rooms", f"{opens % 'rooms'}{value}{closes}"))
        assert not listed(FLAT[form] % ("set_rooms", f"{opens % 'note'}kit{token}chen{closes}"))
    for value in ('["`</s>` ends it"]', '["<s>old</s>", "x"]', "[\"say '<|im_end|>'\"]", '["a <unk> b"]'):
        items = f"{opens % 'rooms'}{value}{closes}"
        assert listed(FLAT[form] % ("set_rooms", items)) == [{"rooms": json.loads(value)}]


def listed(text: str) -> list[Any]:
    tools = Toolset(tool("set_rooms", "", Risk.DESTRUCTIVE, rooms={"type": ["array", "object"]}, note=S))
    found = Guard(tools, dialects="all").scan([f"{text}\n", End("stop")])
    return [item.call.arguments for item in found if isinstance(item, ToolBlock) and item.executable and item.call is not None]


@pytest.mark.promise("P6")
@pytest.mark.parametrize("form", ["qwen", "claude"])
@pytest.mark.parametrize(
    "body",
    [
        "if timeout>30 and x.limit>5: pass", "<input type=limit><a mode=timeout>x</a>", "a >= timeout > b",
        "run --mode=x > log", "f(mode=timeout)", "std::vector<S>v; un<s>happy</s>ly", "x <unk> y",
        "max_value>min_value", "timeout=30", "limit>\n5",
    ],
)  # fmt: skip
def test_a_comparison_with_the_name_of_a_field_is_a_value(form: str, body: str) -> None:
    tools = Toolset(tool("save", "body", body=S, timeout=I, mode=S) if "limit>\n" in body else (
        tool("save", "body", body=S, timeout=I, limit=I, mode=S)
    ))  # fmt: skip
    opens, closes = OPENS[form]
    found = Guard(tools, dialects="all").scan([FLAT[form] % ("save", f"{opens % 'body'}{body}{closes}"), "\n", End("stop")])
    (block,) = [item for item in found if isinstance(item, ToolBlock)]
    assert block.executable and block.call is not None and block.call.arguments == {"body": body}


@pytest.mark.promise("P6")
@pytest.mark.parametrize(
    "body",
    [
        '<html><body><div id="slug">a</div><input name="purge"></body></html>',
        '<svg><path d="M0 0"/><title>a</title></svg>',
        "const a: Pick<Page, 'slug'> = b as Omit<Page, \"body\">;",
        '<Route slug="a" body={<Page slug="b">c</Page>} />',
        "<page><slug>home</slug><purge>true</purge></page>",
        'echo "slug" > a && cat <b >c; std::vector<std::function<void(int)>> d;',
        "Usage: page <slug> [--purge]; if (a < slug && purge > b) {}",
        "\u2039slug\u203a says \u300aa\u300b: 3 \uff1c 4",
        "See <code>a</code>, <b>slug</b> and </body></html>",
    ],
)
def test_code_with_the_names_of_fields_is_a_value(body: str) -> None:
    text = CLAUDE % ("save_page", (PARAMETER % ("slug", "home")) + (PARAMETER % ("body", body)))
    assert of_pages(text) == [{"slug": "home", "body": body}]


PERSON = obj(name=S, email=S, age=I, tags=L)
TICKETS = Toolset(
    tool("ticket", "subject", subject=S, priority=I, customer={**PERSON, "required": ["name"]}),
    tool("box", "label", label=S, size=obj(width=I, height=I)),
)


@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("value", ["Kim", 5, 5.0, True, ["Kim"], {"name": "Kim"}, None])
@pytest.mark.parametrize("key", ["name", "email", "age", "tags", "width", "height"])
def test_an_unknown_member_makes_no_inner_object(key: str, value: Any) -> None:
    """Its name is that of a member of one, which the model did not write. The hint says where it may belong."""
    tool_name, field = ("box", "label") if key in ("width", "height") else ("ticket", "subject")
    body = json.dumps({"tool": tool_name, field: "x", key: value})
    block = Guard(TICKETS, fixes="likely").check(f"```json\n{body}\n```\n")
    assert not block.executable
    outer = "size" if tool_name == "box" else "customer"
    assert block.hint is not None
    assert f"{outer}.{key}" in block.hint.for_model()


@pytest.mark.promise("P6")
def test_a_member_with_the_path_of_its_field_as_its_name_stands_in_its_object() -> None:
    body = '{"tool": "ticket", "subject": "x", "customer.name": "Kim"}'
    block = Guard(TICKETS, fixes="likely").check(f"```json\n{body}\n```\n")
    assert block.executable
    assert block.arguments == {"tool": "ticket", "subject": "x", "customer": {"name": "Kim"}}


@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("key", ["messag", "mesage", "message_", "massage", "messages", "commit_message", "Mesage"])
@pytest.mark.parametrize("fault", [",", ""])
def test_no_text_is_invented_beside_a_member_with_nearly_its_name(key: str, fault: str) -> None:
    commits = Toolset(tool("commit", "message", closed=False, message=S, author=S))
    text = f'```json\n{{"tool": "commit", "{key}": "Aspirin", "author": "x"{fault}}}\n```\n'
    found = Guard(commits, fixes="spec", run_invented=True).scan([text, End("stop")])
    ran = [item.arguments for item in found if isinstance(item, ToolBlock) and item.executable]
    assert all(arguments["message"] == "Aspirin" for arguments in ran if arguments is not None)


@pytest.mark.some(10)
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("control", ["\n", "\t", "\r", "\r\n", "\n\n", "\b", "\f"])
@pytest.mark.parametrize("path", ["src/main.py{}", "src/a.py{}src/b.py", "a.txt{}b.txt", "README.md{}", "notes{}", "a.py{}x/b"])
@pytest.mark.parametrize("fault", ["", ","])
def test_a_path_with_a_control_character_does_not_run(path: str, control: str, fault: str) -> None:
    """It stands at the end, behind the name of a file, or in a path with slashes."""
    body = json.dumps({"tool": "write_file", "path": path.format(control), "content": "x"})
    found = Guard(FILE_TOOLS).scan([f"```json\n{body[:-1]}{fault}}}\n```\n", End("stop")])
    assert not any(isinstance(item, ToolBlock) and item.executable for item in found)


@pytest.mark.promise("P6")
@pytest.mark.parametrize("path", ["build\\temp", "src\\new\\table.py", "a\\node_modules\\readme.md", "v1.2\\notes\\file.txt"])
def test_a_backslash_inside_a_path_of_windows_is_put_back(path: str) -> None:
    body = f'{{"tool": "write_file", "path": "{path}", "content": "x"}}'
    found = Guard(FILE_TOOLS).scan([f"```json\n{body}\n```\n", End("stop")])
    assert [item.path for item in found if isinstance(item, ToolBlock) and item.executable] == [path]


@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("code", [r"\042", r"\047", r"\134", r"\303\251", r"\012", r"\101", r"\173"])
@pytest.mark.parametrize("around", ["{}a{}", "[{}a{}]", "$x = [{}a{}]", "({}a{})", "[a] [{}]", "f([{}])"])
def test_an_escape_of_three_figures_is_no_text(code: str, around: str) -> None:
    """In brackets too: what it says there may be a quote around a text, or a letter, as Git and C write them."""
    body = f'{{"tool": "note", "title": "a", "text": "{around.format(code, code)}"}}'
    assert not executed(f"```json\n{body}\n```\n")
