"""The rows of `broken_replies.jsonl` that were written one by one. A row stands on one line."""

# ruff: noqa: E501
# fmt: off

from __future__ import annotations

from typing import Any

from tests.corpora.calls import CALLS, Call
from tests.corpora.rows import Rows


def note(body: str, **more: Any) -> Call:
    """A note."""
    return {"tool": "save_note", "title": "T", "body": body, **more}


def write(path: str, content: str) -> Call:
    """A file to write."""
    return {"tool": "write_file", "path": path, "content": content}


DELETE = CALLS["delete"][1]
LAMP_OFF: Call = {"tool": "set_device", "device_id": "lamp.hall", "state": {"power": "off"}}
COMMENT: Call = {"tool": "comment_ticket", "ticket_id": 12, "text": "Works again."}
ORDER: Call = {"tool": "create_order", "customer_id": "C-1", "items": [{"sku": "A-1", "quantity": 2}], "currency": "EUR"}
LINE = '{"tool": "comment_ticket", "ticket_id": 12, "text": "Works again."}'


def by_hand(rows: Rows) -> None:
    """Add all of them."""
    ends(rows)
    inside_strings(rows)
    tokens(rows)
    numbers(rows)
    shapes(rows)
    names(rows)
    remarks(rows)
    several(rows)
    unsure(rows)
    destructive(rows)


def ends(rows: Rows) -> None:
    """How the block opens and ends."""
    why = "the call is complete, and the reply ended with stop"
    rows.add("unclosed_at_stop", 5, "helpdesk", f"Done:\n\n```json\n{LINE}", [COMMENT], why)
    rows.add("unclosed_at_stop", 5, "home", '```json\n{\n  "tool": "set_device",\n  "device_id": "lamp.hall",\n  "state": {"power": "off"}\n}\n', [LAMP_OFF], why)
    rows.add("unclosed_at_stop", 5, "files", '```json\n{"tool": "write_file", "path": "a.md", "content": "# A\\n\\n```sh\\nls\\n```\\n"}', [write("a.md", "# A\n\n```sh\nls\n```\n")], why)
    rows.add("unclosed_at_stop", 5, "calendar", '```json\n{"tool": "create_event", "title": "Almoço", "start": "2025-08-01T12:00",}\n', [{"tool": "create_event", "title": "Almoço", "start": "2025-08-01T12:00"}], "complete but for a trailing comma, and the reply ended with stop")
    rows.add("unclosed_at_length", 3, "helpdesk", f"```json\n{LINE}", None, "the reply reached its length: another call or a closer may have followed", ended="length")
    cut = "nobody knows how the text goes on"
    rows.add("cut_in_string", 5, "files", '```json\n{"tool": "write_file", "path": "app.py", "content": "import os\\n\\ndef main():\\n    pri', None, cut, ended="length")
    rows.add("cut_in_string", 5, "mail", '```json\n{"tool": "send_email", "to": ["a@example.com"], "subject": "Offer", "body": "Dear Ms. Lee,\\n\\nwe are pleased to', None, cut, ended="length")
    rows.add("cut_in_string", 4, "mail", '```json\n{"tool": "send_email", "to": ["a@example.com"], "subject": "Offer", "body": "Dear Ms. Lee,\\n\\nwe are pleased to\n```\n', None, cut)
    rows.add("cut_in_list", 4, "shop", '```json\n{"tool": "create_order", "customer_id": "C-1", "currency": "EUR", "items": [{"sku": "A", "quantity": 1}, {"sku": "B",', None, "more items may have followed", ended="length")
    rows.add("cut_in_list", 3, "shop", '```json\n{"tool": "create_order", "customer_id": "C-1", "currency": "EUR", "items": [{"sku": "A", "quantity": 1},\n```\n', None, "the comma says that more items followed")
    rows.add("cut_after_key", 3, "calendar", '```json\n{"tool": "create_event", "title": "Call", "start": "2025-03-01", "end":\n```\n', None, "a value was begun")
    rows.add("cut_number", 3, "home", '```json\n{"tool": "set_device", "device_id": "lamp.hall", "state": {"brightness": 1', None, "the number may go on", ended="length")
    rows.add("cut_with_ellipsis", 3, "files", '```json\n{"tool": "write_file", "path": "long.py", "content": "import os\\n...\n```\n', None, "the model left the rest out")
    other = "closed by other marks than it was opened with, and the reply ended"
    rows.add("other_closer", 2, "home", '```json\n{"tool": "set_device", "device_id": "lamp.hall", "state": {"power": "off"}}\n~~~\n', [LAMP_OFF], other)
    rows.add("other_closer", 2, "helpdesk", f"```json\n{LINE}\n``", [COMMENT], other)
    rows.add("other_closer", 2, "helpdesk", f"```json\n{LINE}\n'''\n", [COMMENT], other)
    rows.add("deep_closer", 2, "home", '```json\n    {"tool": "set_device", "device_id": "lamp.hall", "state": {"power": "off"}}\n    ```\n', [LAMP_OFF], "the closer is indented like the body")
    one = "all on one line"
    rows.add("one_line", 4, "home", '```json {"tool": "set_device", "device_id": "lamp.hall", "state": {"power": "off"}} ```', [LAMP_OFF], one)
    rows.add("one_line", 4, "helpdesk", f"```json {LINE}\n```\n", [COMMENT], one)
    rows.add("one_line", 4, "helpdesk", f"```json\n{LINE}```\n", [COMMENT], "the closer stands behind the brace")
    rows.add("one_line", 3, "helpdesk", f"Comment: ```json\n{LINE}\n```\n", [COMMENT], "the opener stands behind a word")
    rows.add("listed_fence", 2, "home", '1. Turn it off:\n\n    ```json\n    {"tool": "set_device", "device_id": "lamp.hall", "state": {"power": "off"}}\n    ```\n', [LAMP_OFF], "in an item of a list")
    rows.add("quoted_lines", 1, "helpdesk", '```json\n> {"tool": "comment_ticket",\n>  "ticket_id": 12, "text": "Works again."}\n```\n', [COMMENT], "each line is marked as quoted")
    rows.add("doubled_opener", 2, "helpdesk", f"```json\n```json\n{LINE}\n```\n```\n", [COMMENT], "the fence was opened twice")
    rows.add("doubled_opener", 2, "helpdesk", f"```json\njson\n{LINE}\n```\n", [COMMENT], "the language was written twice")


def inside_strings(rows: Rows) -> None:
    """Faults within a text."""
    sure = "only one reading makes a text and a call"
    rows.fenced("quoted_word", 5, "mail", '{"tool": "send_email", "to": ["kim@example.com"], "subject": "The "final" version", "body": "See the attached file."}', [{"tool": "send_email", "to": ["kim@example.com"], "subject": 'The "final" version', "body": "See the attached file."}], sure)
    rows.fenced("quoted_word", 5, "helpdesk", '{"tool": "create_ticket", "title": "Button "Save" does nothing", "description": "Click "Save", then "OK": nothing happens.", "priority": "medium"}', [{"tool": "create_ticket", "title": 'Button "Save" does nothing', "description": 'Click "Save", then "OK": nothing happens.', "priority": "medium"}], sure)
    rows.fenced("quoted_word", 4, "notebook", '{"tool": "save_note", "title": "Zitat", "body": "Goethe: "Es irrt der Mensch, solang er strebt.""}', [{"tool": "save_note", "title": "Zitat", "body": 'Goethe: "Es irrt der Mensch, solang er strebt."'}], "the quotation ends the text")
    rows.fenced("quoted_word", 4, "notebook", '{"tool": "save_note", "title": "Citação", "body": ""Navegar é preciso", escreveu Pessoa."}', [{"tool": "save_note", "title": "Citação", "body": '"Navegar é preciso", escreveu Pessoa.'}], "the quotation begins the text")
    rows.fenced("german_quote", 3, "mail", '{\n  "tool": "send_email",\n  "to": ["a@example.de"],\n  "subject": "Titel",\n  "body": "Der Titel „Am Fluss" gefällt mir."\n}', [{"tool": "send_email", "to": ["a@example.de"], "subject": "Titel", "body": 'Der Titel „Am Fluss" gefällt mir.'}], "a German quotation closed by a straight quote")
    rows.fenced("inches", 3, "shop", '{"tool": "create_order", "customer_id": "C-7", "items": [{"sku": "TV-55", "quantity": 1}], "currency": "USD", "note": "the 55" model, not the 50" one"}', [{"tool": "create_order", "customer_id": "C-7", "items": [{"sku": "TV-55", "quantity": 1}], "currency": "USD", "note": 'the 55" model, not the 50" one'}], sure)
    package = '{\n  "name": "site",\n  "private": true,\n  "scripts": {\n    "dev": "vite"\n  }\n}\n'
    rows.fenced("json_inside", 4, "files", '{\n  "tool": "write_file",\n  "path": "package.json",\n  "content": "' + package + '"\n}', [write("package.json", package)], "a JSON file inside, as it looks")
    rows.fenced("json_inside", 4, "files", '{"tool": "write_file", "path": "config.json", "content": "{"debug": false, "port": 8080}"}', [write("config.json", '{"debug": false, "port": 8080}')], "a JSON file inside, on one line")
    rows.fenced("json_inside", 4, "files", '{"tool": "write_file", "path": "config.json", "content": {"debug": false, "port": 8080}}', [write("config.json", '{"debug": false, "port": 8080}')], "the file's JSON stands there as an object", accept=[[write("config.json", '{\n  "debug": false,\n  "port": 8080\n}')]])
    rows.fenced("newline_in_code", 4, "files", '{\n  "tool": "write_file",\n  "path": "hi.c",\n  "content": "#include <stdio.h>\n\nint main(void) {\n    printf("hi\\n");\n    return 0;\n}\n"\n}', [write("hi.c", '#include <stdio.h>\n\nint main(void) {\n    printf("hi\\n");\n    return 0;\n}\n')], "lines are written as they look, so the escape is the code's")
    rows.fenced("newline_in_code", 4, "files", '{\n  "tool": "write_file",\n  "path": "join.py",\n  "content": "lines = [str(n) for n in range(3)]\nprint(\'\\n\'.join(lines))\n"\n}', [write("join.py", "lines = [str(n) for n in range(3)]\nprint('\\n'.join(lines))\n")], "lines are written as they look, so the escape is the code's")
    rows.fenced("pattern_backslash", 4, "files", r'{"tool": "replace_text", "path": "v.py", "old_text": "\d+\.\d+", "new_text": "\d+\.\d+\.\d+"}', [{"tool": "replace_text", "path": "v.py", "old_text": r"\d+\.\d+", "new_text": r"\d+\.\d+\.\d+"}], "a pattern with its backslashes written once")
    rows.fenced("pattern_backslash", 3, "warehouse", r'{"tool": "run_query", "sql": "SELECT name FROM files WHERE name ~ ' + r"'^\w+\.(csv|tsv)$'" + '"}', [{"tool": "run_query", "sql": r"SELECT name FROM files WHERE name ~ '^\w+\.(csv|tsv)$'"}], "a pattern with its backslashes written once")
    rows.fenced("pattern_backslash", 2, "notebook", r'{"tool": "save_note", "title": "T", "body": "$\alpha + \sum_i x_i$"}', [note(r"$\alpha + \sum_i x_i$")], "TeX with its backslashes written once")
    rows.fenced("pattern_backslash", 2, "notebook", r'{"tool": "save_note", "title": "T", "body": "$\frac{a}{b} \times \beta$"}', [note(r"$\frac{a}{b} \times \beta$")], "a form feed, a tab and a backspace in a formula are TeX")
    rows.fenced("windows_path", 4, "files", r'{"tool": "read_file", "path": "C:\Users\ana\docs\plan.md"}', [{"tool": "read_file", "path": r"C:\Users\ana\docs\plan.md"}], "a path of Windows with its backslashes written once")
    rows.fenced("windows_path", 4, "files", r'{"tool": "read_file", "path": "C:\temp\new\report.txt", "first_line": 1}', [{"tool": "read_file", "path": r"C:\temp\new\report.txt", "first_line": 1}], "a path holds no tabs and line ends")
    rows.fenced("windows_path", 3, "mail", r'{"tool": "send_email", "to": ["a@example.com"], "subject": "Scan", "body": "See attachment.", "attachments": ["D:\Scans\2025\page.pdf"]}', [{"tool": "send_email", "to": ["a@example.com"], "subject": "Scan", "body": "See attachment.", "attachments": [r"D:\Scans\2025\page.pdf"]}], "a path of Windows with its backslashes written once")
    rows.fenced("shell_continuation", 3, "files", '{"tool": "write_file", "path": "run.sh", "content": "docker run \\\n  --rm \\\n  alpine ls\n"}', [write("run.sh", "docker run \\\n  --rm \\\n  alpine ls\n")], "a backslash at the end of a line is the shell's")
    rows.fenced("dollar_backslash", 2, "files", r'{"tool": "write_file", "path": "a.sh", "content": "echo \$HOME\n"}', [write("a.sh", "echo \\$HOME\n")], "an escape that JSON has not is the text's")
    rows.fenced("four_quotes", 3, "files", '{"tool": "write_file", "path": "m.py", "content": """"Docstring of m."""\nX = 1\n"}', [write("m.py", '"""Docstring of m."""\nX = 1\n')], "the text begins with a docstring")
    rows.fenced("raw_prefix", 1, "files", '{"tool": "replace_text", "path": "a.py", "old_text": r"\\d+", "new_text": r"\\w+"}', [{"tool": "replace_text", "path": "a.py", "old_text": r"\d+", "new_text": r"\w+"}], "raw strings of Python")
    rows.fenced("lost_end_quote", 2, "calendar", '{\n  "tool": "create_event",\n  "title": "Team sync,\n  "start": "2025-03-14T09:30"\n}', [{"tool": "create_event", "title": "Team sync", "start": "2025-03-14T09:30"}], "a quote was lost at the end of a line")
    rows.fenced("lost_end_quote", 2, "helpdesk", '{\n  "tool": "create_ticket",\n  "title": "Printer is offline",\n  "description": "Third floor.",\n  "priority": "low\n}', [{"tool": "create_ticket", "title": "Printer is offline", "description": "Third floor.", "priority": "low"}], "a quote was lost before the last brace")
    rows.fenced("lost_start_quote", 2, "calendar", '{\n  "tool": "create_event",\n  "title": Team sync",\n  "start": "2025-03-14T09:30"\n}', [{"tool": "create_event", "title": "Team sync", "start": "2025-03-14T09:30"}], "the first quote was lost")
    rows.fenced("lost_key_quote", 2, "helpdesk", '{"tool": "comment_ticket", "ticket_id: 12, "text": "Works again."}', [COMMENT], "the key's second quote was lost")
    rows.fenced("lost_key_quote", 2, "home", '{"tool": "set_device", device_id": "lamp.hall", "state": {"power": "off"}}', [LAMP_OFF], "the key's first quote was lost")
    rows.fenced("template_value", 3, "files", '{"tool": "write_file", "path": "a.txt", "content": `Hello ${name}`}', None, "a template: nobody knows the name, or whether the file is to hold it")
    rows.fenced("template_value", 3, "files", '{"tool": "write_file", "path": "b.txt", "content": fs.readFileSync("a.txt", "utf8")}', None, "the text stands in another file")
    rows.fenced("template_value", 2, "mail", '{"tool": "send_email", "to": ["a@example.com"], "subject": f"Invoice {number}", "body": "See attachment."}', None, "the number is not known")
    rows.fenced("mixed_escape", 2, "notebook", r'{"tool": "save_note", "title": "T", "body": "\d+ and \bword\b"}', [note(r"\d+ and \bword\b")], "a backspace beside a pattern is a part of it")
    rows.fenced("short_unicode", 1, "notebook", r'{"tool": "save_note", "title": "T", "body": "caf\u00e and more"}', None, "a character was cut short, and could be any of sixteen")
    rows.fenced("python_unicode", 1, "notebook", r'{"tool": "save_note", "title": "T", "body": "smile \U0001F600"}', [note("smile \U0001f600")], "Python's long escape", accept=[[note(r"smile \U0001F600")]])
    rows.fenced("hex_escape", 1, "notebook", r'{"tool": "save_note", "title": "T", "body": "caf\xe9"}', [note("café")], "an escape of Python and JavaScript", accept=[[note(r"caf\xe9")]])


def tokens(rows: Rows) -> None:
    """Faults between the texts."""
    rows.fenced("harmless_comment", 3, "home", '{\n  "tool": "set_device", // the tool\n  "device_id": "lamp.hall",\n  "state": {"power": "off"} // turn it off\n}', [LAMP_OFF], "the comments repeat the call")
    rows.fenced("harmless_comment", 3, "helpdesk", '{\n  # comment on the ticket\n  "tool": "comment_ticket",\n  "ticket_id": 12,\n  "text": "Works again."\n}', [COMMENT], "the comment repeats the call")
    rows.fenced("harmless_comment", 3, "shop", '{\n  "tool": "create_order",\n  "customer_id": "C-1", /* customer */\n  "items": [\n    {"sku": "A-1", "quantity": 2} // item\n  ],\n  "currency": "EUR"\n}', [ORDER], "the comments repeat the call")
    rows.fenced("harmless_comment", 2, "calendar", '{\n  "tool": "create_event",\n  "title": "Jantar", // título do evento\n  "start": "2025-07-01T20:00" // início\n}', [{"tool": "create_event", "title": "Jantar", "start": "2025-07-01T20:00"}], "the comments name the fields, in Portuguese")
    rows.fenced("doubting_comment", 3, "shop", '{\n  "tool": "create_order",\n  "customer_id": "C-1",\n  "items": [{"sku": "A-1", "quantity": 2}], // or was it 20?\n  "currency": "EUR"\n}', None, "the comment puts the number in doubt")
    rows.fenced("doubting_comment", 3, "mail", '{\n  "tool": "send_email",\n  "to": ["all@example.com"], // TODO: confirm the address first\n  "subject": "News",\n  "body": "We moved."\n}', None, "the comment asks for a confirmation first")
    rows.fenced("commented_out", 2, "files", '{\n  "tool": "write_file",\n  "path": "a.txt",\n  // "path": "b.txt",\n  "content": "x"\n}', [write("a.txt", "x")], "what is commented out does not hold")
    rows.fenced("missing_colon", 1, "helpdesk", '{"tool" "comment_ticket", "ticket_id": 12, "text": "Works again."}', [COMMENT], "a colon forgotten")
    rows.fenced("semicolons", 1, "home", '{"tool": "set_device"; "device_id": "lamp.hall"; "state": {"power": "off"}}', [LAMP_OFF], "semicolons for commas")
    rows.fenced("wrong_closer", 2, "shop", '{"tool": "create_order", "customer_id": "C-1", "items": [{"sku": "A-1", "quantity": 2}}, "currency": "EUR"}', [ORDER], "the list is closed by a brace")
    rows.fenced("wrong_closer", 2, "home", '{"tool": "set_device", "device_id": "lamp.hall", "state": {"power": "off"]}', [LAMP_OFF], "the state is closed by a bracket")
    rows.fenced("wrong_closer", 2, "helpdesk", LINE[:-1] + ")", [COMMENT], "the call is closed by a parenthesis")
    rows.fenced("missing_bracket", 3, "shop", '{"tool": "create_order", "customer_id": "C-1", "items": [{"sku": "A-1", "quantity": 2}, "currency": "EUR"}', [ORDER], "the list was not closed before the next field")
    rows.fenced("missing_bracket", 3, "mail", '{"tool": "send_email", "to": ["a@example.com", "b@example.com", "subject": "Hi", "body": "Hello"}', [{"tool": "send_email", "to": ["a@example.com", "b@example.com"], "subject": "Hi", "body": "Hello"}], "the list was not closed before the next field")
    rows.fenced("missing_bracket", 3, "home", '{"tool": "set_device", "device_id": "lamp.hall", "state": {"power": "off", "transition_s": 2}', [{**LAMP_OFF, "transition_s": 2}], "the state was not closed before the next field")
    rows.fenced("early_brace", 2, "calendar", '{"tool": "create_event", "title": "Call", "start": "2025-03-01"}, "location": "Room 4"}', [{"tool": "create_event", "title": "Call", "start": "2025-03-01", "location": "Room 4"}], "the object was closed too early")
    rows.fenced("no_comma_in_list", 2, "mail", '{"tool": "send_email", "to": ["a@example.com" "b@example.com"], "subject": "Hi", "body": "Hello"}', [{"tool": "send_email", "to": ["a@example.com", "b@example.com"], "subject": "Hi", "body": "Hello"}], "two addresses without a comma")
    rows.fenced("no_comma_in_list", 2, "shop", '{"tool": "create_order", "customer_id": "C-1", "items": [\n  {"sku": "A", "quantity": 1}\n  {"sku": "B", "quantity": 2}\n], "currency": "EUR"}', [{**ORDER, "items": [{"sku": "A", "quantity": 1}, {"sku": "B", "quantity": 2}]}], "two items without a comma")
    rows.fenced("no_comma_in_list", 1, "notebook", '{"tool": "save_note", "title": "T", "body": "x", "tags": ["to" "read"]}', None, "two tags, or one in two pieces")
    rows.fenced("bare_value", 2, "helpdesk", '{"tool": "create_ticket", "title": "Wifi", "description": "Slow.", "priority": high}', [{"tool": "create_ticket", "title": "Wifi", "description": "Slow.", "priority": "high"}], "a word of the schema without quotes")
    rows.fenced("bare_value", 2, "home", '{"tool": set_device, "device_id": "lamp.hall", "state": {"power": off}}', [LAMP_OFF], "words of the schema without quotes")
    rows.fenced("bare_value", 2, "calendar", '{"tool": "create_event", "title": "Call", "start": 2025-03-14T10:00}', [{"tool": "create_event", "title": "Call", "start": "2025-03-14T10:00"}], "a date without quotes")
    rows.fenced("bare_value", 2, "helpdesk", '{"tool": "create_ticket", "title": "Wifi", "description": "Slow.", "priority": "low", "due_date": 2025-06-30}', [{"tool": "create_ticket", "title": "Wifi", "description": "Slow.", "priority": "low", "due_date": "2025-06-30"}], "a date without quotes")
    rows.fenced("bare_value", 1, "mail", '{"tool": "search_mail", "query": invoice, "limit": 5}', [{"tool": "search_mail", "query": "invoice", "limit": 5}], "one word without quotes where a text must stand")
    rows.fenced("undefined", 2, "calendar", '{"tool": "create_event", "title": "Call", "start": "2025-03-14", "location": undefined}', [{"tool": "create_event", "title": "Call", "start": "2025-03-14"}], "JavaScript leaves such a field out")
    rows.fenced("undefined", 2, "helpdesk", '{"tool": "comment_ticket", "ticket_id": undefined, "text": "Works again."}', None, "the ticket is not known")
    rows.fenced("not_a_number", 1, "home", '{"tool": "set_device", "device_id": "t-1", "state": {"temperature_c": NaN}}', None, "no temperature is given")
    rows.fenced("ellipsis", 3, "shop", '{"tool": "create_order", "customer_id": "C-1", "items": [{"sku": "A-1", "quantity": 2}, ...], "currency": "EUR"}', None, "items were left out")
    rows.fenced("ellipsis", 3, "files", '{"tool": "write_file", "path": "a.py", "content": ...}', None, "the text was left out")
    rows.fenced("ellipsis", 2, "calendar", '{"tool": "create_event", "title": "Call", "start": "2025-03-14", ...}', None, "fields were left out")
    rows.fenced("empty_value", 3, "helpdesk", '{"tool": "comment_ticket", "ticket_id": , "text": "Works again."}', None, "the ticket is not known")
    rows.fenced("empty_value", 2, "calendar", '{"tool": "create_event", "title": "Call", "start": "2025-03-14", "location": }', None, "a place was begun, and may matter")
    rows.fenced("question_mark", 2, "home", '{"tool": "set_device", "device_id": "lamp.hall", "state": {"brightness": ?}}', None, "the model did not know")
    rows.fenced("angle_placeholder", 3, "mail", '{"tool": "send_email", "to": [<recipient>], "subject": "Hello", "body": "Hi there"}', None, "a placeholder for the recipient")
    rows.fenced("lone_colon_text", 1, "notebook", 'title: "Ideas"\nbody: "a garden"', None, "nothing says that it is a call")


def numbers(rows: Rows) -> None:
    """Numbers and words in other spellings."""
    event: Call = {"tool": "create_event", "title": "Call", "start": "2025-03-14"}
    one = "the text spells one number"
    rows.fenced("number_as_text", 5, "helpdesk", '{"tool": "comment_ticket", "ticket_id": "12", "text": "Works again."}', [COMMENT], one)
    rows.fenced("number_as_text", 5, "calendar", '{"tool": "create_event", "title": "Call", "start": "2025-03-14", "reminder_minutes": "15"}', [{**event, "reminder_minutes": 15}], one)
    rows.fenced("number_as_text", 4, "home", '{"tool": "set_device", "device_id": "t-1", "state": {"temperature_c": "20.5"}}', [{"tool": "set_device", "device_id": "t-1", "state": {"temperature_c": 20.5}}], one)
    rows.fenced("number_as_text", 4, "shop", '{"tool": "create_order", "customer_id": "C-1", "items": [{"sku": "A-1", "quantity": "2", "unit_price": "7.95"}], "currency": "EUR"}', [{**ORDER, "items": [{"sku": "A-1", "quantity": 2, "unit_price": 7.95}]}], one)
    rows.fenced("text_as_number", 4, "shop", '{"tool": "create_order", "customer_id": 88213, "items": [{"sku": 7891000, "quantity": 2}], "currency": "EUR"}', [{**ORDER, "customer_id": "88213", "items": [{"sku": "7891000", "quantity": 2}]}], "the number is spelled in one way")
    rows.fenced("text_as_number", 3, "helpdesk", '{"tool": "create_ticket", "title": "Crash", "description": "At start.", "priority": "high", "custom_fields": {"version": 4.20, "build": 118}}', [{"tool": "create_ticket", "title": "Crash", "description": "At start.", "priority": "high", "custom_fields": {"version": "4.20", "build": "118"}}], "a version keeps its last zero")
    rows.fenced("leading_zero", 3, "shop", '{"tool": "create_order", "customer_id": "C-1", "items": [{"sku": "A-1", "quantity": 2}], "currency": "EUR", "ship_to": {"street": "Am Ring 3", "city": "Dresden", "postcode": 01067}}', [{**ORDER, "ship_to": {"street": "Am Ring 3", "city": "Dresden", "postcode": "01067"}}], "a postcode keeps its zero")
    rows.fenced("leading_zero", 2, "shop", '{"tool": "create_order", "customer_id": "C-1", "items": [{"sku": "A-1", "quantity": 02}], "currency": "EUR"}', [ORDER], "a number with a zero in front")
    rows.fenced("bool_as_text", 4, "calendar", '{"tool": "create_event", "title": "Call", "start": "2025-03-14", "all_day": "true"}', [{**event, "all_day": True}], "the text spells true")
    rows.fenced("bool_as_text", 3, "mail", '{"tool": "search_mail", "query": "rent", "unread_only": "False"}', [{"tool": "search_mail", "query": "rent", "unread_only": False}], "the text spells false, as Python does")
    rows.fenced("bool_as_text", 2, "calendar", '{"tool": "create_event", "title": "Festa", "start": "2025-03-14", "all_day": "sim"}', [{**event, "title": "Festa", "all_day": True}], "Portuguese for yes")
    rows.fenced("bool_as_number", 2, "home", '{"tool": "set_device", "device_id": "door.2", "state": {"locked": 1}}', [{"tool": "set_device", "device_id": "door.2", "state": {"locked": True}}], "1 is true")
    rows.fenced("float_as_integer", 3, "home", '{"tool": "set_device", "device_id": "lamp.hall", "state": {"brightness": 40.0}}', [{"tool": "set_device", "device_id": "lamp.hall", "state": {"brightness": 40}}], "a whole number, spelled with a point")
    rows.fenced("float_as_integer", 2, "shop", '{"tool": "create_order", "customer_id": "C-1", "items": [{"sku": "A-1", "quantity": 2.5}], "currency": "EUR"}', None, "half a piece cannot be ordered")
    rows.fenced("number_spelling", 2, "warehouse", '{"tool": "run_query", "sql": "SELECT 1", "limit": 1_000}', [{"tool": "run_query", "sql": "SELECT 1", "limit": 1000}], "Python's grouping")
    rows.fenced("number_spelling", 2, "warehouse", '{"tool": "run_query", "sql": "SELECT 1", "timeout_s": .5}', [{"tool": "run_query", "sql": "SELECT 1", "timeout_s": 0.5}], "no zero before the point")
    rows.fenced("number_spelling", 1, "home", '{"tool": "set_device", "device_id": "t-1", "state": {"temperature_c": +21}}', [{"tool": "set_device", "device_id": "t-1", "state": {"temperature_c": 21}}], "a sign that JSON has not")
    rows.fenced("number_spelling", 1, "home", '{"tool": "set_device", "device_id": "t-1", "state": {"temperature_c": 21.}}', [{"tool": "set_device", "device_id": "t-1", "state": {"temperature_c": 21}}], "nothing after the point")
    rows.fenced("number_spelling", 2, "warehouse", '{"tool": "run_query", "sql": "SELECT 1", "timeout_s": 60 * 2}', [{"tool": "run_query", "sql": "SELECT 1", "timeout_s": 120}], "a sum anyone can do")
    rows.fenced("money", 3, "shop", '{"tool": "create_order", "customer_id": "C-1", "items": [{"sku": "A-1", "quantity": 2, "unit_price": "€7.95"}], "currency": "EUR"}', [{**ORDER, "items": [{"sku": "A-1", "quantity": 2, "unit_price": 7.95}]}], "the sign repeats the currency")
    rows.fenced("money", 3, "shop", '{"tool": "create_order", "customer_id": "C-1", "items": [{"sku": "A-1", "quantity": 1, "unit_price": "R$ 1.250,00"}], "currency": "BRL"}', [{**ORDER, "currency": "BRL", "items": [{"sku": "A-1", "quantity": 1, "unit_price": 1250}]}], "Brazilian spelling, beyond doubt with two decimals")
    rows.fenced("money", 3, "shop", '{"tool": "create_order", "customer_id": "C-1", "items": [{"sku": "A-1", "quantity": 1, "unit_price": "1.250"}], "currency": "EUR"}', None, "one and a quarter, or one thousand two hundred and fifty")
    rows.fenced("money", 3, "shop", '{"tool": "create_order", "customer_id": "C-1", "items": [{"sku": "A-1", "quantity": 1, "unit_price": "$7.95"}], "currency": "EUR"}', None, "the sign contradicts the currency")
    rows.fenced("money", 2, "shop", '{"tool": "create_order", "customer_id": "C-1", "items": [{"sku": "A-1", "quantity": 1, "unit_price": 7,95}], "currency": "EUR"}', None, "a decimal comma splits the number in two: 7.95, or a typing error")
    rows.fenced("money", 2, "shop", '{"tool": "create_order", "customer_id": "C-1", "items": [{"sku": "A-1", "quantity": 2}], "currency": "€"}', [ORDER], "the sign names one of the currencies")
    rows.fenced("unit", 3, "home", '{"tool": "set_device", "device_id": "lamp.hall", "state": {"brightness": "40%"}}', [{"tool": "set_device", "device_id": "lamp.hall", "state": {"brightness": 40}}], "per cent is what the field counts in")
    rows.fenced("unit", 2, "calendar", '{"tool": "create_event", "title": "Call", "start": "2025-03-14", "reminder_minutes": "15 minutes"}', [{**event, "reminder_minutes": 15}], "minutes are what the field counts in")
    rows.fenced("unit", 3, "calendar", '{"tool": "create_event", "title": "Call", "start": "2025-03-14", "reminder_minutes": "2 hours"}', [{**event, "reminder_minutes": 120}], "two hours are 120 minutes")
    rows.fenced("unit", 3, "home", '{"tool": "set_device", "device_id": "t-1", "state": {"temperature_c": "68°F"}}', [{"tool": "set_device", "device_id": "t-1", "state": {"temperature_c": 20}}], "68 degrees Fahrenheit are 20; 68 would be a fault")
    rows.fenced("unit", 2, "home", '{"tool": "set_device", "device_id": "t-1", "state": {"temperature": 68}}', None, "68 of which degrees?")
    rows.fenced("date", 3, "helpdesk", '{"tool": "create_ticket", "title": "Wifi", "description": "Slow.", "priority": "low", "due_date": "2025-06-30T00:00:00Z"}', [{"tool": "create_ticket", "title": "Wifi", "description": "Slow.", "priority": "low", "due_date": "2025-06-30"}], "midnight of a day is the day")
    rows.fenced("date", 2, "helpdesk", '{"tool": "create_ticket", "title": "Wifi", "description": "Slow.", "priority": "low", "due_date": "03/04/2025"}', None, "April or March")
    rows.fenced("date", 2, "calendar", '{"tool": "create_event", "title": "Call", "start": "2025-03-14 10:00"}', [{"tool": "create_event", "title": "Call", "start": "2025-03-14T10:00"}], "a blank for the T")
    rows.fenced("date", 2, "calendar", '{"tool": "create_event", "title": "Call", "start": "tomorrow at 10"}', None, "nobody knows which day")
    rows.fenced("enum_case", 4, "helpdesk", '{"tool": "create_ticket", "title": "Wifi", "description": "Slow.", "priority": "High"}', [{"tool": "create_ticket", "title": "Wifi", "description": "Slow.", "priority": "high"}], "the same word with a capital")
    rows.fenced("enum_case", 4, "shop", '{"tool": "create_order", "customer_id": "C-1", "items": [{"sku": "A-1", "quantity": 2}], "currency": "eur"}', [ORDER], "the same word without capitals")
    rows.fenced("enum_case", 3, "home", '{"tool": "set_device", "device_id": "lamp.hall", "state": {"power": "OFF"}}', [LAMP_OFF], "the same word in capitals")
    rows.fenced("enum_word", 3, "home", '{"tool": "set_device", "device_id": "lamp.hall", "state": {"power": false}}', [LAMP_OFF], "false is off")
    rows.fenced("enum_word", 2, "home", '{"tool": "set_device", "device_id": "t-1", "state": {"temperature_c": 20}, "schedule": [{"day": "Monday", "at": "06:30"}]}', [{"tool": "set_device", "device_id": "t-1", "state": {"temperature_c": 20}, "schedule": [{"day": "mon", "at": "06:30"}]}], "the whole word for its first letters")
    rows.fenced("enum_word", 3, "helpdesk", '{"tool": "create_ticket", "title": "Wifi", "description": "Slow.", "priority": "critical"}', None, "high or urgent")
    rows.fenced("enum_word", 2, "helpdesk", '{"tool": "create_ticket", "title": "Wifi", "description": "Slow.", "priority": "hihg"}', [{"tool": "create_ticket", "title": "Wifi", "description": "Slow.", "priority": "high"}], "two letters changed places")
    rows.fenced("out_of_range", 3, "home", '{"tool": "set_device", "device_id": "lamp.hall", "state": {"brightness": 255}}', None, "255 of 255, or a fault: not to be cut to 100 unasked")
    rows.fenced("out_of_range", 2, "mail", '{"tool": "search_mail", "query": "rent", "limit": 1000}', None, "more than the tool gives; a cut would change the answer")


def shapes(rows: Rows) -> None:
    """The same values in another shape."""
    mail: Call = {"tool": "send_email", "to": ["a@example.com"], "subject": "Hi", "body": "Hello"}
    event: Call = {"tool": "create_event", "title": "Call", "start": "2025-03-14"}
    ticket: Call = {"tool": "create_ticket", "title": "Wifi", "description": "Slow.", "priority": "low"}
    rows.fenced("single_for_list", 5, "mail", '{"tool": "send_email", "to": "a@example.com", "subject": "Hi", "body": "Hello"}', [mail], "one address is a list of one")
    rows.fenced("single_for_list", 4, "notebook", '{"tool": "save_note", "title": "T", "body": "x", "tags": "garden"}', [note("x", tags=["garden"])], "one tag is a list of one")
    rows.fenced("single_for_list", 3, "shop", '{"tool": "create_order", "customer_id": "C-1", "items": {"sku": "A-1", "quantity": 2}, "currency": "EUR"}', [ORDER], "one item is a list of one")
    rows.fenced("commas_for_list", 4, "mail", '{"tool": "send_email", "to": "a@example.com, b@example.com", "subject": "Hi", "body": "Hello"}', [{**mail, "to": ["a@example.com", "b@example.com"]}], "an address holds no comma")
    rows.fenced("commas_for_list", 3, "notebook", '{"tool": "save_note", "title": "T", "body": "x", "tags": "garden, spring"}', [note("x", tags=["garden", "spring"])], "tags as people type them")
    rows.fenced("null_for_optional", 5, "calendar", '{"tool": "create_event", "title": "Call", "start": "2025-03-14", "end": null, "location": null, "attendees": null}', [event], "null for what is not given")
    rows.fenced("null_for_optional", 5, "shop", '{"tool": "create_order", "customer_id": "C-1", "items": [{"sku": "A-1", "quantity": 2, "unit_price": null}], "currency": "EUR", "coupon": null}', [ORDER], "null for what is not given, also inside")
    rows.fenced("null_for_optional", 4, "helpdesk", '{"tool": "create_ticket", "title": "Wifi", "description": "Slow.", "priority": "low", "assignee": "null", "due_date": "null"}', [ticket | {"assignee": None}], "the text null for what is not given", accept=[[ticket]])
    rows.fenced("null_for_required", 4, "helpdesk", '{"tool": "comment_ticket", "ticket_id": null, "text": "Works again."}', None, "the ticket is not known")
    rows.fenced("empty_for_optional", 4, "helpdesk", '{"tool": "create_ticket", "title": "Wifi", "description": "Slow.", "priority": "low", "due_date": ""}', [ticket], "an empty text for a date that is not given")
    rows.fenced("object_as_text", 4, "home", r'{"tool": "set_device", "device_id": "lamp.hall", "state": "{\"power\": \"off\"}"}', [LAMP_OFF], "an object encoded once more")
    rows.fenced("object_as_text", 3, "home", '{"tool": "set_device", "device_id": "lamp.hall", "state": "{\'power\': \'off\'}"}', [LAMP_OFF], "an object as Python prints it, as a text")
    rows.fenced("list_as_text", 4, "mail", r'{"tool": "send_email", "to": "[\"a@example.com\", \"b@example.com\"]", "subject": "Hi", "body": "Hello"}', [{**mail, "to": ["a@example.com", "b@example.com"]}], "a list encoded once more")
    rows.fenced("list_as_text", 3, "shop", r'{"tool": "create_order", "customer_id": "C-1", "items": "[{\"sku\": \"A-1\", \"quantity\": 2}]", "currency": "EUR"}', [ORDER], "a list encoded once more")
    rows.fenced("list_for_object", 2, "home", '{"tool": "set_device", "device_id": "lamp.hall", "state": [{"power": "off"}]}', [LAMP_OFF], "a list of one for an object")
    rows.fenced("list_for_single", 3, "calendar", '{"tool": "create_event", "title": ["Call"], "start": "2025-03-14"}', [event], "a list of one for a text")
    rows.fenced("lines_for_text", 3, "notebook", '{"tool": "save_note", "title": "T", "body": ["- milk", "- bread", "- tea"]}', [note("- milk\n- bread\n- tea")], "a text as a list of its lines", accept=[[note("- milk\n- bread\n- tea\n")]])
    rows.fenced("lines_for_text", 3, "files", '{"tool": "write_file", "path": "a.py", "content": ["import os", "", "print(os.name)"]}', [write("a.py", "import os\n\nprint(os.name)")], "a file as a list of its lines", accept=[[write("a.py", "import os\n\nprint(os.name)\n")]])
    rows.fenced("objects_for_texts", 3, "calendar", '{"tool": "create_event", "title": "Call", "start": "2025-03-14", "attendees": [{"email": "a@example.com"}, {"email": "b@example.com"}]}', [{**event, "attendees": ["a@example.com", "b@example.com"]}], "addresses wrapped one by one")
    rows.fenced("texts_for_objects", 2, "notebook", '{"tool": "save_note", "title": "T", "body": "x", "links": ["https://example.org/a"]}', [note("x", links=[{"url": "https://example.org/a"}])], "an address for a link that needs no more")
    rows.fenced("pairs_for_map", 2, "helpdesk", '{"tool": "create_ticket", "title": "Wifi", "description": "Slow.", "priority": "low", "custom_fields": [{"key": "floor", "value": "3"}]}', [{**ticket, "custom_fields": {"floor": "3"}}], "a map as a list of pairs")
    rows.fenced("flattened", 3, "home", '{"tool": "set_device", "device_id": "lamp.hall", "power": "off"}', [LAMP_OFF], "the state's field one level up")
    rows.fenced("flattened", 3, "shop", '{"tool": "create_order", "customer_id": "C-1", "items": [{"sku": "A-1", "quantity": 2}], "currency": "EUR", "street": "Am Ring 3", "city": "Bonn", "postcode": "53111"}', [{**ORDER, "ship_to": {"street": "Am Ring 3", "city": "Bonn", "postcode": "53111"}}], "the address one level up")
    rows.fenced("dotted", 2, "home", '{"tool": "set_device", "device_id": "lamp.hall", "state.power": "off"}', [LAMP_OFF], "a path for a key")
    rows.fenced("too_deep", 2, "calendar", '{"tool": "create_event", "event": {"title": "Call", "start": "2025-03-14"}}', [event], "the arguments in an object of their own name")
    rows.fenced("wrapped_value", 2, "home", '{"tool": "set_device", "device_id": "lamp.hall", "state": {"power": {"value": "off"}}}', [LAMP_OFF], "a value in an object of its own")
    rows.fenced("schema_echo", 2, "home", '{"tool": "set_device", "device_id": {"type": "string", "value": "lamp.hall"}, "state": {"power": "off"}}', [LAMP_OFF], "the schema repeated around a value")
    rows.fenced("properties_echo", 2, "helpdesk", '{"tool": "comment_ticket", "properties": {"ticket_id": 12, "text": "Works again."}}', [COMMENT], "the schema's word for the arguments")
    rows.fenced("square_object", 1, "helpdesk", '["tool": "comment_ticket", "ticket_id": 12, "text": "Works again."]', [COMMENT], "brackets for braces")
    rows.fenced("merged_members", 2, "home", '{"tool": "set_device", "device_id": "lamp.hall", "state": {"power: off"}}', [LAMP_OFF], "a member between one pair of quotes")


def names(rows: Rows) -> None:
    """Other names for tools and fields."""
    mail: Call = {"tool": "send_email", "to": ["a@example.com"], "subject": "Hi", "body": "Hello"}
    same = "another name for the same, and no other tool is near"
    rows.fenced("other_tool", 3, "files", '{"tool": "create_file", "path": "a.txt", "content": "x"}', [write("a.txt", "x")], same)
    rows.fenced("other_tool", 3, "mail", '{"tool": "send_mail", "to": ["a@example.com"], "subject": "Hi", "body": "Hello"}', [mail], same)
    rows.fenced("other_tool", 3, "calendar", '{"tool": "add_event", "title": "Call", "start": "2025-03-14"}', [{"tool": "create_event", "title": "Call", "start": "2025-03-14"}], same)
    rows.fenced("other_tool", 2, "warehouse", '{"tool": "execute_query", "sql": "SELECT count(*) FROM users"}', [{"tool": "run_query", "sql": "SELECT count(*) FROM users"}], same)
    rows.fenced("other_tool", 2, "helpdesk", '{"tool": "update_ticket", "ticket_id": 12, "text": "Works again."}', None, "to change a ticket is not to comment on it")
    rows.fenced("other_tool", 2, "files", '{"tool": "append_file", "path": "a.txt", "content": "x"}', None, "to append is not to write anew")
    rows.fenced("tool_typo", 2, "home", '{"tool": "set_devcie", "device_id": "lamp.hall", "state": {"power": "off"}}', [LAMP_OFF], "two letters changed places")
    rows.fenced("tool_typo", 2, "helpdesk", '{"tool": "coment_ticket", "ticket_id": 12, "text": "Works again."}', [COMMENT], "a letter forgotten")
    rows.fenced("other_tool_key", 4, "home", '{"name": "set_device", "device_id": "lamp.hall", "state": {"power": "off"}}', [LAMP_OFF], "name for tool")
    rows.fenced("other_tool_key", 3, "helpdesk", '{"function": "comment_ticket", "ticket_id": 12, "text": "Works again."}', [COMMENT], "function for tool")
    rows.fenced("other_tool_key", 3, "helpdesk", '{"tool_name": "comment_ticket", "ticket_id": 12, "text": "Works again."}', [COMMENT], "tool_name for tool")
    rows.fenced("other_field", 4, "files", '{"tool": "write_file", "file_path": "a.txt", "content": "x"}', [write("a.txt", "x")], "another name for the path")
    rows.fenced("other_field", 4, "files", '{"tool": "write_file", "filename": "a.txt", "text": "x"}', [write("a.txt", "x")], "other names for both fields")
    rows.fenced("other_field", 4, "files", '{"tool": "replace_text", "path": "a.txt", "old_string": "x", "new_string": "y"}', [{"tool": "replace_text", "path": "a.txt", "old_text": "x", "new_text": "y"}], "the names of other programs")
    rows.fenced("other_field", 3, "mail", '{"tool": "send_email", "recipients": ["a@example.com"], "subject": "Hi", "message": "Hello"}', [mail], "other names for both fields")
    rows.fenced("other_field", 3, "warehouse", '{"tool": "run_query", "query": "SELECT 1"}', [{"tool": "run_query", "sql": "SELECT 1"}], "another name for the only required field")
    rows.fenced("other_field", 3, "calendar", '{"tool": "create_event", "summary": "Call", "start_time": "2025-03-14T10:00", "end_time": "2025-03-14T11:00"}', [{"tool": "create_event", "title": "Call", "start": "2025-03-14T10:00", "end": "2025-03-14T11:00"}], "the names of a known calendar")
    rows.fenced("other_field", 2, "helpdesk", '{"tool": "comment_ticket", "id": 12, "comment": "Works again."}', [COMMENT], "shorter names for both fields")
    rows.fenced("other_field", 2, "notebook", '{"tool": "save_note", "titulo": "T", "corpo": "x"}', [note("x")], "the names in Portuguese")
    rows.fenced("other_field", 2, "calendar", '{"tool": "create_event", "title": "Call", "date": "2025-03-14", "time": "10:00"}', [{"tool": "create_event", "title": "Call", "start": "2025-03-14T10:00"}], "a start in two parts", accept=[[{"tool": "create_event", "title": "Call", "start": "2025-03-14T10:00:00"}]])
    rows.fenced("field_typo", 2, "home", '{"tool": "set_device", "device_id": "lamp.hall", "state": {"brigthness": 30}}', [{"tool": "set_device", "device_id": "lamp.hall", "state": {"brightness": 30}}], "two letters changed places")
    rows.fenced("field_typo", 2, "shop", '{"tool": "create_order", "customer_id": "C-1", "items": [{"sku": "A-1", "quantiy": 2}], "currency": "EUR"}', [ORDER], "a letter forgotten")
    rows.fenced("short_field", 3, "shop", '{"tool": "create_order", "customer_id": "C-1", "items": [{"sku": "A-1", "qty": 2}], "currency": "EUR"}', [ORDER], "qty is quantity")


def remarks(rows: Rows) -> None:
    """What stands beside the call."""
    harmless = "the remark changes nothing"
    rows.fenced("remark_field", 5, "home", '{"tool": "set_device", "device_id": "lamp.hall", "state": {"power": "off"}, "explanation": "Turning off the lamp in the hall."}', [LAMP_OFF], harmless)
    rows.fenced("remark_field", 4, "helpdesk", '{"thought": "The fix is out, so I tell the customer.", "tool": "comment_ticket", "ticket_id": 12, "text": "Works again."}', [COMMENT], harmless)
    rows.fenced("remark_field", 4, "files", '{"tool": "write_file", "path": "a.py", "content": "x = 1\\n", "description": "Adds a constant", "language": "python"}', [write("a.py", "x = 1\n")], harmless)
    rows.fenced("remark_field", 3, "files", '{"tool": "write_file", "path": "a.py", "content": "x = 1\\n", "encoding": "utf-8"}', [write("a.py", "x = 1\n")], "the encoding that it has anyway")
    rows.fenced("call_id", 4, "home", '{"id": "call_8d1", "type": "function", "tool": "set_device", "device_id": "lamp.hall", "state": {"power": "off"}}', [LAMP_OFF], "the parts of a native call")
    rows.fenced("call_id", 3, "helpdesk", '{"tool": "comment_ticket", "ticket_id": 12, "text": "Works again.", "call_id": "call_1"}', [COMMENT], "the id of a native call")
    matters = "the field would change what is done, and the tool has it not"
    rows.fenced("unknown_field", 4, "files", '{"tool": "write_file", "path": "log.txt", "content": "x\\n", "append": true}', None, matters)
    rows.fenced("unknown_field", 4, "mail", '{"tool": "send_email", "to": ["a@example.com"], "subject": "Hi", "body": "Hello", "send_at": "2025-04-01T08:00"}', None, matters)
    rows.fenced("unknown_field", 4, "shop", '{"tool": "create_order", "customer_id": "C-1", "items": [{"sku": "A-1", "quantity": 2}], "currency": "EUR", "dry_run": true}', None, matters)
    rows.fenced("unknown_field", 3, "files", '{"tool": "write_file", "path": "a.txt", "content": "x", "overwrite": false}', None, matters)
    rows.fenced("unknown_field", 3, "shop", '{"tool": "create_order", "customer_id": "C-1", "items": [{"sku": "A-1", "quantity": 2, "discount": 0.5}], "currency": "EUR"}', None, matters)
    rows.fenced("unknown_field", 3, "helpdesk", '{"tool": "comment_ticket", "ticket_id": 12, "text": "Works again.", "condition": "only if the build is green"}', None, matters)
    rows.fenced("prose_before", 4, "home", 'Here is the call:\n{"tool": "set_device", "device_id": "lamp.hall", "state": {"power": "off"}}', [LAMP_OFF], harmless)
    rows.fenced("prose_before", 3, "helpdesk", f"Aqui está a chamada:\n\n{LINE}", [COMMENT], harmless)
    rows.fenced("prose_after", 3, "helpdesk", f"{LINE}\n\nThis adds a comment to the ticket.", [COMMENT], harmless)
    rows.fenced("prose_after", 3, "home", '{"tool": "set_device", "device_id": "lamp.hall", "state": {"power": "off"}}\nDas schaltet die Lampe aus.', [LAMP_OFF], harmless)
    doubt = "the words forbid, delay or correct the call"
    rows.fenced("prose_forbids", 3, "mail", 'Do not send this yet:\n{"tool": "send_email", "to": ["a@example.com"], "subject": "Hi", "body": "Hello"}', None, doubt)
    rows.fenced("prose_forbids", 3, "home", '{"tool": "set_device", "device_id": "lamp.hall", "state": {"power": "off"}}\nSorry, I meant lamp.kitchen.', None, doubt)
    rows.fenced("prose_forbids", 2, "shop", 'Exemplo (não executar):\n{"tool": "create_order", "customer_id": "C-1", "items": [{"sku": "A-1", "quantity": 2}], "currency": "EUR"}', None, doubt)
    rows.fenced("prose_forbids", 2, "helpdesk", f"{LINE}\nErst nach Freigabe ausführen.", None, doubt)
    rows.fenced("repeated_key", 2, "helpdesk", '{"tool": "comment_ticket", "ticket_id": 12, "ticket_id": 12, "text": "Works again."}', [COMMENT], "the same member twice")
    rows.fenced("conflicting_key", 3, "helpdesk", '{"tool": "comment_ticket", "ticket_id": 12, "text": "Works again.", "ticket_id": 21}', None, "two tickets")
    rows.fenced("conflicting_key", 2, "home", '{"tool": "set_device", "device_id": "lamp.hall", "state": {"power": "on"}, "state": {"power": "off"}}', None, "on or off")
    rows.fenced("conflicting_tool", 2, "helpdesk", '{"tool": "comment_ticket", "name": "create_ticket", "ticket_id": 12, "text": "Works again."}', None, "two tools")
    rows.fenced("missing_required", 4, "mail", '{"tool": "send_email", "to": ["a@example.com"], "subject": "Hi"}', None, "no text was written")
    rows.fenced("missing_required", 3, "shop", '{"tool": "create_order", "customer_id": "C-1", "items": [{"sku": "A-1"}], "currency": "EUR"}', None, "how many is not said")
    rows.fenced("missing_required", 3, "files", '{"tool": "write_file", "path": "a.txt",}', None, "no content was written")
    rows.fenced("missing_tool", 3, "files", '{"path": "a.txt", "content": "x",}', None, "a call or an example; nothing says which")


def several(rows: Rows) -> None:
    """More than one call in a fence."""
    off = '{"tool": "set_device", "device_id": "lamp.hall", "state": {"power": "off"}}'
    on = '{"tool": "set_device", "device_id": "lamp.desk", "state": {"power": "on"}}'
    both: list[Call] = [LAMP_OFF, {"tool": "set_device", "device_id": "lamp.desk", "state": {"power": "on"}}]
    order = "all of them, in order"
    rows.fenced("lines_of_calls", 4, "home", f"{off}\n{on}", both, order)
    rows.fenced("lines_of_calls", 3, "home", f"{off},\n{on}", both, order)
    rows.fenced("lines_of_calls", 2, "home", f"{off}\n---\n{on}", both, order)
    rows.fenced("lines_of_calls", 2, "home", f"{off};\n{on};", both, order)
    rows.fenced("list_of_calls", 4, "home", f"[{off}, {on}]", both, order)
    rows.fenced("list_of_calls", 3, "home", f"[\n  {off},\n  {on},\n]", both, order)
    rows.fenced("list_of_calls", 3, "home", f"[{off}, {on}", both, "all of them; only the list's closer is missing")
    rows.fenced("list_of_native", 4, "home", '[{"name": "set_device", "arguments": {"device_id": "lamp.hall", "state": {"power": "off"}}}, {"name": "set_device", "arguments": {"device_id": "lamp.desk", "state": {"power": "on"}}}]', both, order)
    rows.fenced("wrapped_list", 3, "home", f'{{"calls": [{off}, {on}]}}', both, order)
    rows.fenced("wrapped_list", 3, "home", f'{{"tool_calls": [{off}, {on}]}}', both, order)
    rows.fenced("one_bad_of_two", 3, "home", f'{off}\n{{"tool": "set_device", "device_id": "lamp.desk"}}', None, "half of what was meant may be worse than nothing")
    rows.fenced("numbered_calls", 2, "home", f"1. {off}\n2. {on}", both, order)
    rows.fenced("choice", 2, "home", f"{off}\nor\n{on}", None, "one of them, and nobody knows which")
    rows.fenced("list_of_paths", 2, "files", '{"tool": "read_file", "path": ["a.txt", "b.txt"]}', [{"tool": "read_file", "path": "a.txt"}, {"tool": "read_file", "path": "b.txt"}], "reads each of them")


def unsure(rows: Rows) -> None:
    """Replies with two readings."""
    rows.fenced("two_readings", 2, "notebook", '{"tool": "save_note", "title": "A", "body": "x", "notebook": "y", "title": "B"}', None, "two titles")
    rows.fenced("two_readings", 2, "mail", '{"tool": "send_email", "to": ["a@example.com"], "subject": "Re: "body": "Hello"}', None, "the subject or the text was lost")
    rows.fenced("two_readings", 2, "notebook", '{"tool": "save_note", "title": "T", "body": "She said "yes", "tags": ["a"]}', None, "the quotation has no end: the quote or the word before the comma is wrong")
    rows.fenced("json_inside", 3, "files", '{"tool": "write_file", "path": "a.json", "content": "{"path": "b.json", "content": "x"}"}', [write("a.json", '{"path": "b.json", "content": "x"}')], "braces show where the inner text ends")
    rows.fenced("two_readings", 2, "files", '{"tool": "write_file", "path": "a.txt", "content": "one", "content": "two", "path": "b.txt"}', None, "two files, or one changed")
    rows.fenced("schema_not_call", 3, "helpdesk", '{"name": "comment_ticket", "description": "Comment on a ticket.", "parameters": {"type": "object", "properties": {"ticket_id": {"type": "integer"}}, }}', None, "the definition of a tool, no call")
    rows.fenced("result_not_call", 3, "helpdesk", '{"tool": "comment_ticket", "status": "ok", "result": {"id": 7,}}', None, "the result of a call, no call")
    rows.fenced("example_not_call", 2, "mail", '{"tool": "send_email", "to": ["<address>"], "subject": "<subject>", "body": "<body>",}', None, "placeholders all over")


def destructive(rows: Rows) -> None:
    """Tools that destroy, where a guess is not enough."""
    guess = "a destructive tool, and it takes a guess"
    clear = "a destructive tool, but nothing has to be guessed"
    refund: Call = {"tool": "refund_payment", "payment_id": "pay_1", "amount": 49.9, "currency": "USD"}
    rows.fenced("destructive_clear", 4, "files", "{'tool': 'delete_file', 'path': 'tmp/old-report.csv'}", [DELETE], clear)
    rows.fenced("destructive_clear", 4, "files", '{"name": "delete_file", "arguments": {"path": "tmp/old-report.csv"}}', [DELETE], clear)
    rows.fenced("destructive_clear", 3, "shop", '{"tool": "refund_payment", "payment_id": "pay_1", "amount": "49.90", "currency": "USD"}', [refund], clear)
    rows.fenced("destructive_clear", 3, "home", 'unlock_door(door_id="front", seconds=30)', [{"tool": "unlock_door", "door_id": "front", "seconds": 30}], clear)
    rows.fenced("destructive_guess", 3, "warehouse", '{"tool": "delete_rows", "table": "sessions", "where": "last_seen < \'2024-01-01\'", "max_rows": 10\n', None, "the brace is missing, and the number may go on")
    rows.fenced("destructive_guess", 4, "files", '{"tool": "rm", "path": "tmp/old-report.csv"}', None, guess)
    rows.fenced("destructive_guess", 4, "files", '{"tool": "delete_file", "file": "tmp/old-report.csv", "keep": 1}', None, guess)
    rows.fenced("destructive_guess", 3, "files", '{"path": "tmp/old-report.csv", "recursive": true,}', None, guess)
    rows.fenced("destructive_guess", 3, "files", '{"tool": "delete_file", "path": ["a.txt", "b.txt", "..."]}', None, guess)
    rows.fenced("destructive_guess", 3, "files", r'{"tool": "delete_file", "path": "C:\new\table.txt"}', None, "line ends and tabs, or backslashes: a guess at what to delete")
    rows.fenced("destructive_guess", 3, "files", '{"tool": "delete_file", "path": "tmp/my "old" report.csv"}', None, guess)
    rows.fenced("destructive_guess", 4, "files", '{"tool": "delete_file", "path": "build/\n', None, "the path may go on")
    rows.fenced("destructive_guess", 3, "shop", '{"tool": "refund_payment", "payment_id": "pay_1", "amount": "1,299", "currency": "USD"}', None, guess)
    rows.fenced("destructive_guess", 3, "shop", '{"tool": "refund_payment", "payment_id": "pay_1", "amount": 49,90, "currency": "EUR"}', None, guess)
    rows.fenced("destructive_guess", 3, "shop", '{"tool": "refund", "payment_id": "pay_1", "amount": 49.9, "currency": "USD"}', None, guess)
    rows.fenced("destructive_guess", 3, "shop", '{"tool": "refund_payment", "payment_id": "pay_1", "amount": 49.9, "currency": "US dollars"}', None, guess)
    rows.fenced("destructive_guess", 2, "shop", '{"tool": "refund_payment", "payment_id": "pay_1", "amount": 49.9, // customer wrote 94.90\n "currency": "USD"}', None, guess)
    rows.fenced("destructive_guess", 3, "warehouse", '{"tool": "delete_rows", "table": "sessions", "where": "status = "expired" OR user = "bot""}', None, guess)
    rows.fenced("destructive_guess", 3, "warehouse", '{"tool": "delete_rows", "table": "sessions", "where": "id < 100", "where": "id < 1000"}', None, guess)
    rows.fenced("destructive_guess", 3, "warehouse", '{"tool": "delete_row", "table": "sessions", "where": "id = 7"}', None, guess)
    rows.fenced("destructive_guess", 2, "warehouse", '{"tool": "delete_rows", "table": "sessions", "where": "", }', None, "everything, or a condition left out")
    rows.fenced("destructive_guess", 3, "home", '{"tool": "unlock", "door_id": "front"}', None, guess)
    rows.fenced("destructive_guess", 2, "home", 'Unlock the door only when I am there:\n{"tool": "unlock_door", "door_id": "front"}', None, guess)
    rows.fenced("destructive_guess", 2, "home", '{"tool": "unlock_door", "door_id": "front", "seconds": "30 minutes"}', None, guess)
    rows.fenced("destructive_guess", 3, "files", '{"tool": "delete_file", "path": "a.txt"}\n{"tool": "delete_file", "path": ...}', None, guess)
