"""Prose beside a call: what forbids it, what only wraps it, what says nothing of it."""

from __future__ import annotations

import pytest

from stream_guard.fixes.remarks import forbids, is_wrapper
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

HARMLESS = """
Here it is:
Here is the call:
I will replace `a` with `b` (see [docs](x)):
Done :)
This writes the file.
This removes the old module.
Creating the file now.
Let me write the tests:
Calling write_file
Now the second file:
Das schreibt die Datei.
Hier ist der Aufruf:
Voici l'appel :
J'écris le fichier.
Aquí está la llamada:
Escribo el archivo para ti.
现在写入文件：
这是调用：
OK
"""

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
@pytest.mark.parametrize("form", ["{}", "Well, {}", "{} Thanks", "{}\n\nIt is here."])
def test_prose_that_takes_a_call_back_forbids_it(form: str, cases: Cases) -> None:
    """Whatever else stands beside it, and however it is written."""
    for line in lines(FORBIDDING):
        for text in (line, line.upper(), line.lower()):
            assert forbids(form.format(text)), text
    cases(3 * len(lines(FORBIDDING)))


def test_prose_that_only_explains_forbids_nothing() -> None:
    for line in [*lines(HARMLESS), "", "notebook", "conditional", "nothingness_file", "samples_of_x2"[7:]]:
        assert not forbids(line), line


def test_what_only_wraps_a_call_is_no_prose() -> None:
    for text in WRAPPERS:
        assert is_wrapper(text), text
        assert not forbids(text), text
    for text in NO_WRAPPERS:
        assert not is_wrapper(text), text


def test_a_long_text_is_read_to_its_end() -> None:
    for text in ("a" * 100_000, "word " * 20_000, "'" * 50_000, "Here it is. " * 5_000):
        assert not forbids(text)
        assert not is_wrapper(text)
        assert forbids(f"{text} not")
    for text in ("<tool_call>" * 50_000, "call=" * 10_000, " " * 100_000):
        assert is_wrapper(text)
        assert not is_wrapper(f"{text} not")
