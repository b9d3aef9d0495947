"""Faults around the object: prose, wrappings of other programs, and texts that were rewritten as a whole."""

from __future__ import annotations

import html
import json
from random import Random
from typing import Final

from ..render import Tokens, joined
from .table import Scene, kind, mark, noise, pick, places, plain


def _framed(tokens: Tokens, before: str, after: str = "") -> Tokens:
    return (noise(before), *tokens, noise(after))


def _rewritten(text: str) -> Tokens:
    return (noise(text),)


# Prose inside the fence

BEFORE: Final = (
    "Here it is:", "I'll do this now.", "Sure! Here is the call:", "Hier ist der Aufruf:", "Voici l'appel :", "Aquí está:",
    "Ecco la chiamata:", "Calling the tool", "Step 1:", "As you asked:", "这是调用：", "Now the file (new):",
)  # fmt: skip
AFTER: Final = (
    "Done.", "This does what you asked.", "That should work :)", "Let me know.", "Das war es.", "C'est fait.", "Listo.",
    "Fatto.", "完成。",
)  # fmt: skip
FORBIDS_BEFORE: Final = (
    "Do not run this:", "Don't execute the following:", "Never do this:", "This would be wrong:", "For example:",
    "An example of a call:", "E.g.", "Instead of this:", "Nicht ausführen:", "Zum Beispiel:", "Bitte nicht:",
    "Ne pas exécuter :", "Par exemple :", "No ejecutar:", "Por ejemplo:", "Non eseguire:", "Per esempio:", "Ad esempio:",
    "I will not call this:", "You could have called", "Hypothetically:", "Old version:", "DRAFT, not final:",
)  # fmt: skip
FORBIDS_AFTER: Final = (
    "(cancelled, ignore this)", "Wait, no. Don't run that.", "Actually, don't.", "Just kidding, ignore it.",
    "(only an example)", "^ this is wrong", "Nicht ausführen!", "Abgebrochen.", "Annulé, ne pas exécuter.", "Cancelado.",
    "Annullato, ignora.", "Scratch that.", "This was the old call; skip it.",
)  # fmt: skip


@kind("prose", "a sentence stands before the object", stage="around", gate=True)
def prose_before(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _framed(tokens, rng.choice(BEFORE) + rng.choice(("\n", "\n\n", " ")))


@kind("prose", "a sentence stands behind the object", stage="around", gate=True)
def prose_after(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _framed(tokens, "", rng.choice(("\n", "\n\n", " ")) + rng.choice(AFTER))


@kind("prose", "a sentence with quotes or brackets stands before the object", stage="around", gate=True)
def quoted_prose_before(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _framed(
        tokens,
        rng.choice(
            ('This sets "path":', "Using {x} and [y]:", 'The "content" is new:', "It's the `tool` call:", 'As "JSON" {strict}:')
        )
        + "\n",
    )


@kind("prose", "the text before the object forbids it, or calls it an example", stage="around", refuse=True)
def forbidden_before(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _framed(tokens, rng.choice(FORBIDS_BEFORE) + rng.choice(("\n", " ")))


@kind("prose", "the text behind the object takes it back", stage="around", refuse=True)
def forbidden_after(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _framed(tokens, "", rng.choice(("\n", " ")) + rng.choice(FORBIDS_AFTER))


OTHERWISE_BEFORE: Final = (
    "Move right by 50:", "Scale down by 2:", "Old dose:", "Yesterday I ran:", "Executed:", "Completed:", "History:",
    "Rollback:", "The attacker wants:", "Suspicious:", "Fill in the names:", "Next week:", "Queued:", "In micrograms:",
    "For patient q:", "Twice:", "3x", "REM", "-", "*", "не выполнять:", "niet uitvoeren:", "実行しないで：", "لا تنفذ:",
    "실행하지 마세요:", "çalıştırma:", "kör inte:", "ห้ามเรียกใช้:",
)  # fmt: skip
OTHERWISE_AFTER: Final = (
    "Actually, make that 50.", "Correction: 50", "I mean micrograms.", "Oops, twice too much.", "Undone.", "= old", "x 3", "*/",
    "-->", "</do_not_run>", "</example>", "</removed>", "</del>", "</tool_result>", "отменено", "torstaina", "キャンセル済み",
)  # fmt: skip


@kind("prose", "the text before the object tells of another call, or of another time", stage="around", refuse=True)
def otherwise_before(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _framed(tokens, rng.choice(OTHERWISE_BEFORE) + rng.choice(("\n", " ")))


@kind("prose", "the text behind the object corrects it, or closes what did not hold a call", stage="around", refuse=True)
def otherwise_after(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _framed(tokens, "", rng.choice(("\n", " ")) + rng.choice(OTHERWISE_AFTER))


@kind("prose", "a comment forbids the call", stage="around", refuse=True)
def forbidding_comment(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    sign = rng.choice(("// {}\n", "# {}\n", "/* {} */\n", "<!-- {} -->\n"))
    return _framed(
        tokens,
        sign.format(
            rng.choice(
                ("do not run this", "example only, not to be executed", "nicht ausführen", "ne pas exécuter", "cancelled")
            )
        ),
    )


@kind("prose", "the whole call is commented out", stage="text", refuse=True)
def commented_out(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    text = joined(tokens)
    line = rng.choice(("// ", "# ", "-- "))
    return _rewritten(
        "\n".join(line + part for part in text.split("\n")) if rng.random() < 0.7 or "*/" in text else f"/* {text} */"
    )


# Wrappings


@kind("wrappings", "the block stands in a list", stage="around")
def in_list(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _framed(tokens, "[", rng.choice(("]", ",]", "\n]")))


@kind("wrappings", "the block stands in parentheses", stage="around")
def in_parentheses(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _framed(tokens, "(", rng.choice((")", ");")))


@kind("wrappings", "the braces of the block are doubled")
def doubled_braces(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    braces = places(tokens, mark("{", "}"))
    if not braces:
        return None
    chosen = set(braces) if rng.random() < 0.5 else {braces[0], braces[-1]}
    return tuple(token.spoilt(token.text * 2) if at in chosen else token for at, token in enumerate(tokens))


@kind("wrappings", "a function is called with the object", stage="around")
def function_call(tokens: Tokens, rng: Random, scene: Scene) -> Tokens | None:
    tool = scene.calls[0].tool
    if len(scene.calls) > 1 or not any(token.name and plain(token) and token.value == tool for token in tokens):
        return None
    return _framed(tokens, f"{rng.choice(('', 'functions.', 'await '))}{tool}(", rng.choice((")", ");")))


@kind("wrappings", "a function is called with the object, which does not name its tool")
def function_call_alone(tokens: Tokens, rng: Random, scene: Scene) -> Tokens | None:
    tool = scene.calls[0].tool
    at = pick(tokens, rng, lambda token: token.name and plain(token))
    if at is None or len(scene.calls) > 1 or not mark("{")(tokens[0]):
        return None
    if tokens[at].value != tool or tokens[at - 1].text not in (" ", ":"):
        return None
    key = at - 1
    while key > 0 and tokens[key].kind != "key":
        key -= 1
    end = at + 1
    if end < len(tokens) and mark(",")(tokens[end]):
        end += 1
    elif (before := max(places(tokens[:key], mark(",")), default=None)) is not None:
        key = before
    if any(token.call < 0 for token in tokens) or tokens[key].value != "tool":
        return None
    return (noise(f"{tool}("), *tokens[:key], *tokens[end:], noise(")"))


@kind("wrappings", "the block stands in tags", stage="around")
def tagged(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    tag = rng.choice(("tool_call", "function_call", "tool", "tool_use", "json"))
    return _framed(tokens, f"<{tag}>\n", f"\n</{tag}>")


@kind("wrappings", "the block is assigned to a name", stage="around")
def assigned(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _framed(
        tokens,
        rng.choice(("tool_call = ", "const call = ", "json = ", "call: ", "let toolCall = ", "tool_call: ")),
        rng.choice(("", ";")),
    )


@kind("wrappings", "the language is named once more", stage="around")
def language_word(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _framed(tokens, rng.choice(("json\n", "json ", "JSON\n", "json:\n")))


@kind("wrappings", "a semicolon or a full stop ends the block", stage="around")
def statement(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _framed(tokens, "", rng.choice((";", ".", ",", ";;")))


@kind("wrappings", "the block is a JSON string", stage="text")
def double_encoded(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _rewritten(json.dumps(joined(tokens), ensure_ascii=False))


@kind("wrappings", "the block is escaped as a JSON string, without the quotes around it", stage="text")
def escaped_body(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _rewritten(json.dumps(joined(tokens), ensure_ascii=False)[1:-1])


@kind("wrappings", "the block is escaped as HTML", stage="text")
def html_escaped(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _rewritten(html.escape(joined(tokens), quote=rng.random() < 0.5).replace('"', "&quot;"))


@kind("wrappings", "a markdown renderer escaped the block", stage="text")
def markdown_escaped(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    text = joined(tokens)
    return _rewritten(text.replace("_", "\\_")) if "_" in text else None


def _lines(tokens: Tokens, prefix: str) -> Tokens:
    return _rewritten("\n".join(f"{prefix}{line}" for line in joined(tokens).split("\n")))


@kind("wrappings", "each line has the mark of a block quote", stage="text")
def block_quote(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _lines(tokens, rng.choice(("> ", ">", "> > ")))


@kind("wrappings", "each line has the mark of a diff", stage="text")
def diff_marks(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _lines(tokens, rng.choice(("+", "+ ")))


@kind("wrappings", "each line is numbered", stage="text")
def line_numbers(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    form = rng.choice(("{} ", "{}: ", "{:>3} | ", "{}\t"))
    return _rewritten("\n".join(form.format(number) + line for number, line in enumerate(joined(tokens).split("\n"), 1)))


@kind("wrappings", "each line is an item of a list, or has a prompt before it", stage="text")
def list_marks(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _lines(tokens, rng.choice(("- ", "* ", "| ", "$ ", ">>> ")))


@kind("wrappings", "the block was written as Python prints it", stage="text", gate=False)
def python_bytes(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    text = joined(tokens)
    return _rewritten(repr(text)) if "'" not in text else None


@kind("wrappings", "the quotes of the block are escaped, and its backslashes are not", stage="text")
def only_quotes_escaped(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _rewritten(joined(tokens).replace('"', '\\"'))


@kind("wrappings", "all braces of the block are doubled, those of its texts too", stage="text")
def template_escaped(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _rewritten(joined(tokens).replace("{", "{{").replace("}", "}}"))


@kind("wrappings", "the block is one line, and is broken wherever the width ends", stage="text")
def hard_wrapped(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    line, width = joined(tokens), rng.choice((40, 60, 76))
    if "\n" in line or len(line) <= 2 * width:
        return None  # of one break nobody can know that it is none of the text's
    return _rewritten("\n".join(line[at : at + width] for at in range(0, len(line), width)))


@kind("wrappings", "the block begins on the line of its fence, behind a sentence", stage="around", refuse=True, inline=True)
def sentence_in_opener(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _framed(tokens, rng.choice((*FORBIDS_BEFORE, *OTHERWISE_BEFORE)) + rng.choice(("\n", " ")))


@kind("wrappings", "the block begins on the line of its fence, and lost its first mark", stage="text", refuse=True, inline=True)
def lost_mark_in_opener(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    rest = joined(tokens)[1:]
    if not mark("{")(tokens[0]) or rest.lstrip().startswith("{") or not rest.split("\n")[0].strip():
        return None  # of two marks one is left; and without a word after it, it is only a first brace that is lost
    return _rewritten(rng.choice(("", ",", ";", "x")) + rest)
