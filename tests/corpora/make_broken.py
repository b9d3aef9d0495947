"""Prints the rows of `broken_replies.jsonl`: `python -m tests.corpora.make_broken`.

A row is a call as it was meant and a reply that breaks it, by one of the ways below or by hand (`by_hand.py`). The
ways are those of recorded and reported replies; their weights, from 1 (seen) to 5 (daily), are judged from these. They
share no code with the fixes, and their author had not read it. Nothing is drawn by chance: the same rows come out each time.
"""

# ruff: noqa: E501

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from tests.corpora.by_hand import by_hand
from tests.corpora.calls import CALLS, Call
from tests.corpora.rows import HERE, Rows

Spelling = Callable[[str], str]
Break = Callable[[Call], str]


def quoted(text: str) -> str:
    """The text as JSON spells it."""
    return json.dumps(text, ensure_ascii=False)


class Style(NamedTuple):
    """How a value is written; the default is JSON as models indent it."""

    text: Spelling = quoted
    key: Spelling = quoted
    words: Mapping[Any, str] = MappingProxyType({True: "true", False: "false", None: "null"})
    colon: str = ": "
    comma: str = ","
    trailing: str = ""
    indent: int = 2
    """0 writes all in one line."""

    def write(self, value: Any, depth: int = 0) -> str:
        """The value in this style."""
        if isinstance(value, str):
            return self.text(value)
        if value is None or isinstance(value, bool):
            return self.words[value]
        if not isinstance(value, dict | list):
            return json.dumps(value)
        opener, closer = "{}" if isinstance(value, dict) else "[]"
        if isinstance(value, dict):
            parts = [f"{self.key(name)}{self.colon}{self.write(one, depth + 1)}" for name, one in value.items()]
        else:
            parts = [self.write(one, depth + 1) for one in value]
        if not parts:
            return opener + closer
        if not self.indent:
            return f"{opener}{f'{self.comma} '.join(parts)}{self.trailing}{closer}"
        line = "\n" + " " * self.indent * (depth + 1)
        return f"{opener}{line}{f'{self.comma}{line}'.join(parts)}{self.trailing}{line[: -self.indent]}{closer}"


PLAIN: Final = Style()
SHORT: Final = Style(indent=0)


def raw_lines(text: str) -> str:
    """Quoted, with its line ends and tabs as they are."""
    return quoted(text).replace("\\n", "\n").replace("\\t", "\t")


def raw_quotes(text: str) -> str:
    """Quoted, with the quotes in it as they are."""
    return quoted(text).replace('\\"', '"')


def raw_both(text: str) -> str:
    """Quoted, with its lines and quotes as they are."""
    return raw_lines(text).replace('\\"', '"')


def half_quotes(text: str) -> str:
    """Quoted, with every other pair of its quotes escaped."""
    parts = quoted(text)[1:-1].split('\\"')
    joined = parts[0]
    for count, part in enumerate(parts[1:]):
        joined += ('\\"' if count // 2 % 2 else '"') + part
    return f'"{joined}"'


def single(text: str) -> str:
    """As Python's `repr` writes it."""
    return repr(text)


def curly(text: str) -> str:
    """Between curly quotes."""
    return f"“{quoted(text)[1:-1]}”"


def apostrophes(text: str) -> str:
    """Quoted, with apostrophes escaped as in JavaScript."""
    return quoted(text).replace("'", "\\'")


def triple(text: str) -> str:
    """A long text between three quotes."""
    return f'"""{text}"""' if "\n" in text else quoted(text)


def backticks(text: str) -> str:
    """A long text between backticks."""
    return f"`{text}`" if "\n" in text else quoted(text)


def lost_escapes(text: str) -> str:
    """Quoted, with every backslash that the text itself holds written once."""
    return quoted(text).replace("\\\\", "\\")


def joined(text: str) -> str:
    """A long text as its lines, joined by `+`."""
    lines = text.splitlines(keepends=True)
    return " +\n    ".join(quoted(line) for line in lines) if len(lines) > 1 else quoted(text)


def adjacent(text: str) -> str:
    """A long text as its lines in parentheses, as Python joins them."""
    lines = text.splitlines(keepends=True)
    return "(" + "\n    ".join(quoted(line) for line in lines) + ")" if len(lines) > 1 else quoted(text)


def inner(call: Call) -> Call:
    """The arguments."""
    return {name: value for name, value in call.items() if name != "tool"}


def styled(**style: Any) -> Break:
    """A break that is a style of writing."""
    return Style(**style).write


def envelope(name: str, arguments: str, *, encoded: bool = False, **more: Any) -> Break:
    """A break that wraps a call as a provider's format does."""

    def wrap(call: Call) -> str:
        held = inner(call)
        return PLAIN.write({**more, name: call["tool"], arguments: SHORT.write(held) if encoded else held})

    return wrap


def edited(change: Callable[[str], str], base: Style = PLAIN) -> Break:
    """A break that changes the text of a call."""
    return lambda call: change(base.write(call))


def camel(name: str) -> str:
    """The name as JavaScript spells it."""
    return re.sub(r"_(\w)", lambda found: found[1].upper(), name)


def pascal(name: str) -> str:
    """The name as C# spells it."""
    return camel(f"_{name}")


def keys(spell: Spelling) -> Break:
    """A break that spells all keys but `tool` otherwise."""
    return styled(key=lambda name: quoted(name if name == "tool" else spell(name)))


def renamed(spell: Spelling) -> Break:
    """A break that spells the tool's name otherwise."""
    return lambda call: PLAIN.write({**call, "tool": spell(call["tool"])})


def without_last(text: str) -> str:
    """The text without its last brace."""
    return text[:-1].rstrip()


def no_commas(text: str) -> str:
    """The text without the commas at the ends of its lines, where a member of the call follows."""
    return re.sub(r',\n  "', '\n  "', text)


def one_comma(text: str) -> str:
    """The text without the first comma at the end of a line."""
    return text.replace(',\n  "', '\n  "', 1)


def as_function(call: Call) -> str:
    """The call as Python writes it."""
    python = Style(text=single, words={True: "True", False: "False", None: "None"}, key=single, indent=0)
    return f"{call['tool']}({', '.join(f'{name}={python.write(value)}' for name, value in inner(call).items())})"


def as_yaml(call: Call) -> str:
    """A flat call as YAML."""
    return "\n".join(f"{name}: {value if isinstance(value, str) else PLAIN.write(value)}" for name, value in call.items())


PYTHON: Final = {True: "True", False: "False", None: "None"}
# fmt: off
WAYS: Final[list[tuple[str, int, Break, str, str]]] = [
    # way, weight, break, calls, why
    ("raw_newline", 5, styled(text=raw_lines), "py jsx go rust css mail_pt note_de ticket_pt query", "line ends and tabs are written as they look"),
    ("raw_quotes", 5, styled(text=raw_quotes), "jsx html shell yaml css py mail ticket note query_params", "the quotes of the text are not escaped"),
    ("raw_lines_and_quotes", 5, styled(text=raw_both), "py jsx html shell go mail ticket note yaml", "the text is written as it looks"),
    ("some_quotes_escaped", 3, styled(text=half_quotes), "jsx html mail shell", "some quotes are escaped and some are not"),
    ("raw_nested_fence", 4, styled(text=raw_lines), "readme", "the file has fences of its own"),
    ("trailing_comma", 5, styled(trailing=","), "py event order note delete refund lamp", "a comma before the closer"),
    ("python_repr", 4, styled(text=single, key=single, words=PYTHON), "py event mail_pt order ticket note_de html", "the call was printed by Python"),
    ("single_quotes", 3, styled(text=single, key=single), "order_br heating delete find_events", "single quotes all over"),
    ("python_words", 4, styled(words=PYTHON), "event_pt query_params ticket note replace", "True, False and None"),
    ("bare_keys", 3, styled(key=str), "jsx order heating comment unlock event", "keys as in JavaScript"),
    ("javascript_object", 3, styled(key=str, text=lambda text: "'" + quoted(text)[1:-1].replace('\\"', '"').replace("'", "\\'") + "'", trailing=","), "order ticket event_de mail_pt", "an object of JavaScript"),
    ("no_comma_between_lines", 3, edited(no_commas), "event mail order_br comment", "a line end for a comma"),
    ("one_comma_missing", 3, edited(one_comma), "lamp ticket_pt search_mail delete_rows", "one comma forgotten"),
    ("missing_last_brace", 4, edited(without_last), "order heating replace note comment", "the last brace or braces forgotten, the fence closed"),
    ("extra_brace", 3, edited(lambda text: text + "}"), "event mail_de refund heating", "a brace too many"),
    ("extra_closers", 2, edited(lambda text: text + "]}", SHORT), "order_br comment", "closers of a list that was never opened"),
    ("semicolon_end", 2, edited(lambda text: text + ";"), "lamp query", "a statement of JavaScript"),
    ("curly_quotes", 3, styled(text=curly, key=curly), "event_pt order comment lamp ticket_pt", "quotes of a word processor"),
    ("escaped_apostrophe", 4, styled(text=apostrophes), "mail_pt note_de query delete_rows", "JSON has no escape for an apostrophe"),
    ("lost_backslash", 4, styled(text=lost_escapes), "regex", "backslashes of a pattern written once"),
    ("triple_quotes", 3, styled(text=triple), "jsx rust html mail_pt note_de", "a long text between three quotes"),
    ("backticks", 2, styled(text=backticks), "jsx html css mail_de", "a template of JavaScript"),
    ("plus_joined", 2, styled(text=joined), "css mail_de rust", "lines joined by plus"),
    ("adjacent_strings", 1, styled(text=adjacent), "yaml ticket_pt", "lines in parentheses, as Python joins them"),
    ("equals", 1, styled(colon=" = "), "comment lamp", "an equals sign for the colon"),
    ("arrow", 1, styled(colon=" => "), "order_br event_pt", "a hash of Ruby or PHP"),
    ("doubled_braces", 2, edited(lambda text: text.replace("{", "{{").replace("}", "}}")), "lamp order comment", "braces doubled by a template"),
    ("escaped_body", 2, edited(lambda text: quoted(text)[1:-1], SHORT), "comment event_pt unlock", "the body escaped as a whole"),
    ("body_is_string", 2, edited(quoted, SHORT), "lamp order_br ticket", "the body is a string of JSON"),
    ("html_entities", 2, edited(lambda text: text.replace('"', "&quot;")), "comment search_mail", "quotes as HTML entities"),
    ("no_break_spaces", 2, edited(lambda text: text.replace("\n  ", "\n\u00a0\u00a0")), "lamp comment", "indented by no-break spaces"),
    ("byte_order_mark", 1, edited(lambda text: "\ufeff" + text), "order unlock", "a byte order mark in front"),
    ("zero_width", 1, edited(lambda text: text.replace('": ', '"\u200b: ')), "ticket_pt comment", "zero-width spaces between tokens"),
    ("full_width_marks", 1, edited(lambda text: text.replace('": ', '"：').replace(",\n", "，\n")), "comment lamp", "colons and commas of a Chinese keyboard"),
    ("leading_comma", 1, edited(lambda text: text.replace("{\n  ", "{\n  , ", 1)), "comment order_br", "a comma in front"),
    ("doubled_comma", 1, edited(lambda text: text.replace(",\n", ",,\n", 1)), "event lamp", "a comma too many"),
    ("name_arguments", 5, envelope("name", "arguments"), "py event mail order lamp ticket note", "the format of native calls"),
    ("name_arguments_string", 4, envelope("name", "arguments", encoded=True), "jsx mail_pt order heating", "arguments as a string, as in the API"),
    ("name_parameters", 5, envelope("name", "parameters"), "query comment event_de order_br", "the format of Llama"),
    ("tool_parameters", 5, envelope("tool", "parameters"), "replace mail_de lamp note_de ticket_pt", "tool and parameters"),
    ("tool_args", 4, envelope("tool", "args"), "read event_pt order comment", "tool and args"),
    ("tool_input", 4, envelope("name", "input", type="tool_use", id="toolu_01A9"), "html event search_mail heating", "Anthropic's content block"),
    ("action_input", 3, envelope("action", "action_input"), "query_params mail lamp", "the format of ReAct"),
    ("tool_name_input", 3, envelope("tool_name", "tool_input"), "ticket order_br note", "tool_name and tool_input"),
    ("function_type", 4, lambda call: PLAIN.write({"type": "function", "function": {"name": call["tool"], "arguments": inner(call)}}), "event comment refund", "an entry of tool_calls"),
    ("tool_calls_list", 4, lambda call: PLAIN.write({"tool_calls": [{"id": "call_1", "type": "function", "function": {"name": call["tool"], "arguments": SHORT.write(inner(call))}}]}), "lamp mail_de order", "the whole of tool_calls"),
    ("tool_as_key", 2, lambda call: PLAIN.write({call["tool"]: inner(call)}), "py event order note_de", "the tool is the key of its arguments"),
    ("list_of_one", 4, lambda call: PLAIN.write([call]), "mail comment lamp query", "a list of one call"),
    ("functions_prefix", 3, renamed(lambda name: f"functions.{name}"), "py event comment", "the namespace of the prompt"),
    ("server_prefix", 2, renamed(lambda name: f"mcp__server__{name}"), "read order", "a server's prefix"),
    ("camel_tool", 3, renamed(camel), "rust event_de order_br", "the tool's name in camel case"),
    ("pascal_tool", 2, renamed(pascal), "mail_de note", "the tool's name in Pascal case"),
    ("dashed_tool", 2, renamed(lambda name: name.replace("_", "-")), "lamp ticket_pt", "the tool's name with dashes"),
    ("camel_keys", 4, keys(camel), "read order heating query event ticket_pt", "keys in camel case"),
    ("pascal_keys", 3, keys(pascal), "comment mail_de replace", "keys in Pascal case"),
    ("upper_keys", 1, styled(key=lambda name: quoted(name.upper())), "search_mail", "keys in capitals"),
    ("keyword_call", 3, as_function, "read event_pt query_params comment search_mail", "a call of Python"),
    ("call_with_object", 3, lambda call: f"{call['tool']}({PLAIN.write(inner(call))})", "css order lamp", "a call with an object"),
    ("tool_call_tags", 4, lambda call: f"<tool_call>\n{SHORT.write({'name': call['tool'], 'arguments': inner(call)})}\n</tool_call>", "event mail_pt heating", "the tags of Hermes"),
    ("yaml", 1, as_yaml, "read find_events unlock", "YAML, though the fence says JSON"),
    ("comma_and_python", 3, styled(text=raw_lines, trailing=",", words=PYTHON), "event_de ticket_pt replace", "three faults at once"),
    ("envelope_and_raw_lines", 4, lambda call: Style(text=raw_lines).write({"name": call["tool"], "arguments": inner(call)}), "py mail_pt query", "native format, and lines as they look"),
    ("envelope_and_raw_quotes", 4, lambda call: Style(text=raw_both).write({"tool": call["tool"], "parameters": inner(call)}), "jsx shell mail", "arguments apart, and text as it looks"),
    ("envelope_and_comma", 3, lambda call: Style(trailing=",").write({"name": call["tool"], "arguments": inner(call)}), "order lamp", "native format, and trailing commas"),
]
# fmt: on


INTROS: Final = (
    "",
    "",
    "Sure, here you go:\n\n",
    "",
    "Vou fazer isso agora.\n\n",
    "",
    "Ich erledige das:\n\n",
    "I'll do that now.\n\n",
)


def made() -> list[dict[str, Any]]:
    """All rows, in order."""
    rows = Rows()
    for way, weight, broken, names, why in WAYS:
        for name in names.split():
            toolset, call = CALLS[name]
            intro = INTROS[len(rows.rows) % len(INTROS)]
            rows.add(way, weight, toolset, f"{intro}```json\n{broken(call)}\n```\n", [call], why)
    by_hand(rows)
    return rows.rows


def printed() -> str:
    """The file's text."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in made())


if __name__ == "__main__":
    (HERE / "broken_replies.jsonl").write_text(printed(), encoding="utf-8")
