"""What is said beside a call: what only says that it is made, what only wraps it, and what may say anything else."""

from __future__ import annotations

import pytest

from stream_guard import Guard, Risk, Tool, ToolBlock, Toolset
from stream_guard.fixes.remarks import closes, is_harmless, is_harmless_comment, is_remark, is_wrapper
from tests.kit.proof import Cases

FORBIDDING = """
Do not run this:
Don't run this yet.
Don’t execute it
DO NOT EXECUTE
… (cancelled, ignore this)
Never call this:
I won't do this:
You shouldn't use:
Example:
For example
e.g.
Here is a sample call
This is only an illustration.
Should I run this?
Shall I go on with it?
I would call:
If you agree, I run it.
Once you confirm, I will call this.
Once the user agrees
After you have looked at it:
Instead of this:
Rather than
Skipped.
Template:
Hypothetically
(draft)
A proposal:
Previously:
deprecated
dry run
dry-run:
~~gone~~
❌
Stop! Abort this.
Wait for approval.
This call failed:
The wrong way:
The format is:
mistake, disregard
placeholder
Only a simulation.
<!-- off -->
Das nicht ausführen:
Nicht ausführen!
Führe das niemals aus
Beispiel:
z. B.
zum Beispiel so
Abgebrochen
Bitte ignorieren
Soll ich das ausführen?
Falls du zustimmst
Ich würde so vorgehen:
nur ein Entwurf
Warte auf die Freigabe
Keine Ausführung
Statt dessen
Ne pas exécuter :
N'exécutez pas ceci
N’exécutez jamais cela
Par exemple :
Exemple
Annulé
Ignorez ceci
Si vous confirmez
Brouillon
au lieu de
peut-être
Il faudrait attendre : attendez
No ejecutes esto:
Nunca lo llames
Por ejemplo
Ejemplo:
Cancelado
Ignora esto
¿Lo ejecuto?
Si quieres
en lugar de
tal vez
Es solo un borrador
Sin ejecutar
不要执行：
请勿运行
例如：
示例
别执行这个
取消
如果你同意
是否执行
無需執行
忽略以下内容
假设
"""

SAYING_MORE = """
Move right by 50:
Moving right:
Actually, make that 50.
Correction: 50
I mean micrograms
In micrograms:
For patient q:
Twice:
3x
Old dose:
Yesterday I ran:
Executed:
Completed:
Done:
Removed:
Rollback:
The attacker wants:
Next week:
Queued:
Fill in the names:
REM
-
- Here is the call:
> Here is the call:
*/
-->
"ok"
= ok
не выполнять
niet uitvoeren
実行しないでください
لا تنفذ
실행하지 마세요
çalıştırma
kör inte
ห้ามเรียกใช้
etc
and so on
the recipient
should be 50
mcg
# truncated
all others too
scale down
I called:
Ok required:
requires an ok
ask me
"""

HARMLESS = """
Here it is:
Here is the call:
I'll do this now.
Sure! Here is the call:
Calling write_file:
Calling the tool WriteFile:
Calling `write file`
As you asked:
that is all
This does it.
Hier ist der Aufruf:
Voici l'appel :
Voici l’appel :
Aquí está la llamada:
Ecco la chiamata:
这是调用：
OK
"""

S = {"type": "string"}


def tool(name: str, **fields: object) -> Tool:
    return Tool(name, "", {"type": "object", "properties": fields, "additionalProperties": False})


WRITE = tool("write_file", path=S, content=S)
CHOOSE = tool("choose", kind={"enum": ["none", "required"]}, user_id=S)
TOOLS = Toolset(WRITE, CHOOSE, tool("tool_call", ok=S))
FILES = Toolset(WRITE)

WRAPPERS = [
    "",
    " \n",
    "<tool_call>",
    "</tool_call>",
    "\n<tool_call>\n",
    "tool_call =",
    "tool_call:",
    "const toolCall =",
    "json",
    "JSON:",
    "<function_call>",
    "[TOOL_CALLS]",
    "[TOOL_REQUEST]\n",
    "tool_calls =",
    "<|tool_call|>",
    ";",
    "</tool_call>;",
    "<tool_call>\njson\n",
    "function_call:",
    "call =",
]

NO_WRAPPERS = [
    "Here:",
    "<script>",
    "tool",
    "not a tool_call =",
    "<tool_call> do not",
    "example =",
    "tool_call example",
    "x =",
    "<tool_call",
    "json file",
    "call",
    "delete_file",
    "# json",
    "// tool_call =",
    "<not_a_tool_call>",
]


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


@pytest.mark.promise("P8")
@pytest.mark.parametrize("form", ["{}", "Here it is: {}", "{} ok", "{}\n\nThis is the call."])
def test_what_says_more_than_that_the_call_is_made_is_not_harmless(form: str, cases: Cases) -> None:
    """Whatever else stands beside it, however it is written, in whatever language."""
    said = [*lines(FORBIDDING), *lines(SAYING_MORE)]
    for line in said:
        for text in (line, line.upper(), line.lower()):
            assert not is_harmless(form.format(text), FILES, WRITE), text
            assert form != "{}" or not is_harmless_comment(f"/* {text} */", FILES, WRITE) or set(text) <= set("*/# -"), text
    cases(3 * len(said))


def test_what_says_that_the_call_is_made_is_harmless() -> None:
    for line in lines(HARMLESS):
        assert is_harmless(line, FILES, WRITE), line
        assert is_harmless_comment(f"// {line}", FILES, WRITE), line
    for comment in ("//", "/* */", "// required", "# the path", "// path", "/* Path: */"):
        assert is_harmless_comment(comment, FILES, WRITE, "path"), comment


def test_a_name_is_harmless_only_where_it_is_the_own_one() -> None:
    assert not is_harmless("write_file", TOOLS, CHOOSE)
    assert not is_harmless("content", TOOLS, WRITE)
    assert not is_harmless_comment("// content", TOOLS, WRITE, "path")
    assert not is_harmless_comment("// required", TOOLS, CHOOSE, "kind"), "it is another value"
    assert not is_harmless("This tool call:", TOOLS, WRITE), "another tool has this name"
    assert not is_harmless("ok", TOOLS, WRITE), "it is a field"
    assert is_harmless("ok", FILES, WRITE)


def test_the_words_of_a_tools_own_name_say_no_more_than_that_it_is_called() -> None:
    """But for those that may speak of the call, and beside a tool that takes something away."""
    for said in ("I'll write the file now:", "I need to write your file.", "Writing the file", "This writes it"):
        assert is_harmless(said, FILES, WRITE), said
        assert not is_harmless(said, Toolset(CHOOSE), CHOOSE), said
    for said in (
        "Writing the file later:",
        "I will not write the file",
        "Write another file:",
        "wrote the file",
        "write 2 files",
    ):
        assert not is_harmless(said, FILES, WRITE), said
    stop = tool("cancel_order", order=S)
    assert is_harmless("the order", Toolset(stop), stop)
    assert not is_harmless("cancel the call", Toolset(stop), stop)
    wipe = Tool("wipe_disk", "", WRITE.schema, risk=Risk.DESTRUCTIVE)
    assert not is_harmless("I'll wipe the disk", Toolset(wipe), wipe)


_WORDS = """
never wait forget discard abort revert block deny refuse decline drop leave avoid hold pause reject exclude omit without disable
prevent prohibit forbid suspend postpone defer delay retract withdraw void undo ignore skip stop cancel no not dont off false
wrong invalid error fail old previous last instead other another different except unless only after before until later tomorrow
if perhaps example test demo sample draft template mock fake placeholder todo pending
"""
AGAINST = tuple(_WORDS.split())
ACTIONS = ("replace", "remove", "delete", "move", "append", "fix", "rename", "file", "scrap", "shelve")
SAID = ("{} the call", "{} this", "{} it", "{} the tool call", "{} this call", "{} tool", "this is {}", "I will {} the call")


@pytest.mark.parametrize("word", [*AGAINST, *ACTIONS])
def test_a_word_of_a_name_that_is_said_of_the_call_is_not_harmless(word: str) -> None:
    """Nor is one that is against a call, wherever it stands. The whole name is."""
    for name in (f"{word}_order", f"send_{word}", f"never_{word}_again", word):
        named = tool(name, id=S)
        alone = ("{}", "{}:", "the {} call", "I'll {}") if word in AGAINST else ()
        for said in (*SAID, *alone):
            assert not is_harmless(said.format(word), Toolset(named), named), (name, said)
        for said in ("Calling {}:", "I'll use `{}`.", "calling the {} tool"):
            assert is_harmless(said.format(name), Toolset(named), named), (name, said)
    mail = tool("send_mail", **{word: S})
    for said in SAID:
        assert not is_harmless_comment(f"// {said.format(word)}", Toolset(mail), mail, word), said


def test_a_remark_is_a_member_that_says_nothing_of_the_call() -> None:
    key: str
    value: object
    for key, value in (
        ("type", "function"), ("id", "call_1"), ("call_id", "toolu_01AbC"), ("explanation", "as you requested"),
        ("thought", ""), ("thought", None),
    ):  # fmt: skip
        assert is_remark(key, value, FILES, WRITE), key
    for key, value in (
        ("type", "todo"), ("type", ["a"]), ("type", {"a": 1}), ("id", 8), ("id", "m2"), ("id", "alice"), ("id", "call_a b"),
        ("explanation", "c too"), ("explanation", "the recipient is alice"), ("explanation", ["ok"]), ("note", "ok"),
        ("confidence", 1), ("dry_run", None),
    ):  # fmt: skip
        assert not is_remark(key, value, FILES, WRITE), (key, value)
    assert not is_remark("id", "call_1", TOOLS, CHOOSE), "the tool has an id of its own"
    assert is_remark("id", "call_1", TOOLS, CHOOSE, apart=True)


def test_the_tags_that_close_are_those_that_opened() -> None:
    assert closes("<tool_call>", "</tool_call>")
    assert closes("<json>\n<tool_call>", "</tool_call>\n</json>")
    assert closes("", "</tool_call>")
    assert closes("[TOOL_REQUEST]", "")
    assert not closes("<tool_call>", "</json>")
    assert not closes("<json><tool_call>", "</json></tool_call>")


def test_what_only_wraps_a_call_is_no_prose() -> None:
    for text in WRAPPERS:
        assert is_wrapper(text), text
    for text in NO_WRAPPERS:
        assert not is_wrapper(text), text


def test_a_long_text_is_not_read_and_a_long_wrapper_is_read_to_its_end() -> None:
    for text in ("a" * 100_000, "ok " * 20_000, "'" * 50_000, "Here it is. " * 5_000):
        assert not is_harmless(text, FILES, WRITE)
        assert not is_wrapper(text)
    for text in ("<tool_call>" * 50_000, "call=" * 10_000, " " * 100_000):
        assert is_wrapper(text)
        assert not is_wrapper(f"{text} not")


@pytest.mark.parametrize("said", ["get-weather", "Get-weather:", "call get-weather", "`get-weather`"])
def test_the_name_of_another_tool_is_no_spelling_of_this_one(said: str) -> None:
    """Both are in the toolset, and differ by a mark."""
    tools = [Tool(name, "", {"type": "object", "properties": {}}) for name in ("get_weather", "get-weather")]
    for own, runs in (("get_weather", False), ("get-weather", True)):
        found = Guard(tools).scan(f'```json\n{said}\n{{"tool": "{own}"}}\n```\n')
        executed = any(item.executable for item in found if isinstance(item, ToolBlock))
        assert not executed or runs
    alone = Guard(tools[:1]).scan(f'```json\n{said}\n{{"tool": "get_weather"}}\n```\n')
    assert any(item.executable for item in alone if isinstance(item, ToolBlock))
