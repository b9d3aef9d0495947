"""The page of dialects: a table and an example of each, printed from the tables."""

from __future__ import annotations

from typing import Final

from stream_guard import Guard, ToolStatus
from stream_guard.dialects.table import Dialect
from stream_guard.dialects.tables import DIALECTS, SPELLINGS
from stream_guard.tools.files import FILE_TOOLS

_HEAD: Final = """\
# Dialects

Printed from the tables by `python -m docs`; do not edit.

Models write calls into text in other forms than a fenced block, each model in the form of its training. A server usually
parses that form and sends a native call. If the server does not, the call stays in the text, where a guard with `dialects`
reads it:

```python
from stream_guard import Guard
from stream_guard.tools.files import FILE_TOOLS

guard = Guard(FILE_TOOLS, dialects=("fence", "hermes", "qwen3_coder"))  # or dialects="all"
(block,) = (item for item in guard.scan([
    '<tool_call>\\n{"name": "delete_file", "arguments": {"path": "a.txt"}}\\n</tool_call>'
]) if not isinstance(item, str) and hasattr(item, "dialect"))
print(block.dialect, block.outcome, block.path)
```

```text
hermes valid a.txt
```

The default is the fence alone. `stream-guard check --dialects all recorded.sse` reads recorded replies, and the gateway takes
`--dialects` too. `Toolset.to_prompt(dialect=...)` returns the text that teaches a model one of them; for the name of a tool or
a field that the dialect does not read it raises ValueError, and for one whose call would begin like reasoning or a result: a
tool called `think` in `cline_xml`.

What holds for fences holds for every dialect:

- The opener is held back while it may become one, and let go unchanged. Nothing opens inside a code block of another kind, in
  inline code, in a block quote (`> `), in a row of a table or a box (`| `, `│ `), in an indented example or in reasoning.
- `ToolBlock.content` is the call as a fenced JSON block, so that one parser is enough. `raw` is what the model wrote, and
  `dialect` is the name of the dialect. Several calls of one block are its `part` of `parts`, and each is judged alone.
- Validation, fixes, hints and corrections are the same. A call whose opener shows it, but whose tool is unknown, fails with
  a hint. So does JSON that cannot be fixed, with any kind of quotes, if it begins with a name or arguments as calls do.
- Some dialects share an opener and the beginning of a body. If a body turns out not to be of the first of these, it is read
  as a body of the next.
- A call never runs if its end is uncertain: it was cut off, its dialect has a closer and the call lacks it, or a value holds
  what may be the value's own closer. Such a value is read up to the first closer that is followed by structure of the dialect.
- [Previews](streams.md#while-a-call-is-written) are the same if the arguments are JSON, for the first call of a block. There
  are no previews of raw values and of code: the end and the type of such a value may show only after it. There is no early
  verdict: a block with a call that fails may have later calls that run.
- The name of a tool is announced with the character that ends it; in `glm45`, `hunyuan_v3` and `k2_horizon` with the marker
  after it, as in `longcat` where it has tags; and in `kimi_k2`, `harmony`, `mistral`, `deepseek_v3` and `deepseek_v31` with
  the brace after the header, for without that the text is no call of theirs. A name in JSON that is broken before it is not
  announced.

## Types of values

Where a dialect writes values without quotes, the schema decides their type:

| the field takes | the value |
|---|---|
| text, or anything | is text, as it stands |
| no text | is JSON of an allowed type; Python's `True`, `False` and `None` are fixed, on record |
| text and another type | is the one that is valid, if only one is. If both are valid, the call fails with `ambiguous_value` |

A value that is no JSON of an allowed type is fixed as in a fence, on record, if it has one reading (`coercion`): `a` for a
list of texts, `1` or `TRUE` for a boolean, a word of an `enum` in another case, but not one with blanks around it. A whole
number is an integer however it is written (`5.0`, `1e3`), and where a field takes integers alone, its handler gets an `int`.

A broken value that begins like an object or a list has two readings too, if both a text and such a value are allowed. In
`gemma4` and `functiongemma` texts have quotes, so a number, `true`, `false` or `null` without them is itself wherever the
field takes it; but where another text of the call lacks its quotes, it has two readings.

Line ends and blanks around a value belong to it, except one line end on each side if the dialect writes one. The
parsers of the models that write `qwen3_coder` and `seed_oss` take off one on each side whatever stands on the other, and so
does the guard: of a file that is written flat (`<parameter=content>a⏎</parameter>`) the last line end is lost, and nothing
shows that. The agents that read `cline_xml` take off all of them, but in `content` and `diff`, where they take off one on each
side: a flat `<content>a⏎</content>` loses it too. So a call in it fails with
`ambiguous_value` if another text has blanks around it, such as the indentation of its first line: whether they are meant
is undetermined. In every dialect with raw values, a call that is laid out with an indent fails in this way too: a closer
stands after an indent; or markers do, and no line of the text begins at the left edge. In a patch the blank before a line
is its sign.

## Markers in keys and values

A raw value that holds a marker of its own dialect has two readings: the text is about the dialect, or a marker was doubled,
lost or mistaken for another. The same holds for a marker without its first or last character, and for a closer of which only
the beginning is there, whatever follows it (`</param- x`, `</parameters>`), in another case, or with entities for its
brackets. It holds for a tag whose name is nearly that of a marker (another case, a letter more, less or other, letters that
changed places, a part twice), for the opener of a field of the tool under any other name (`<param=FIELD>`,
`<arg name="FIELD">`), and for a value that begins with the end of its opener (`>`, `">`) or ends with the beginning of its
closer (`</par`). The mark of a quote in Markdown (`> `) is none where a line begins with it; straight after the bracket of
an opener (`<parameter=content>> a`) it may be that bracket once more. In `cline_xml`, where keys are tags, the tags of all
fields of the tool are markers. Such a call fails with `ambiguous_value`, and the model is asked for a fenced block. So does a
call with a key that is no plain name (one with a quote, `=`, `<`, `>` or a blank), unless the schema has it: the marker before
it may be damaged. A CDATA section may hold any marker but its own.

So does a value in which the rest of a marker stands: an opener with the key of any field and without its bracket, on a line of
its own (`parameter=purge>`, `arameter=slug>`), a closer without brackets or the beginning of an opener there (`/parameter`,
`<param`), a closer cut short that the value did not open (`</par>`), and the end of its own opener, or a closer of nothing,
after which the value begins anew (`ho="slug">home`).

A part of a stream may be lost, or come twice. What that leaves of a marker between letters makes a value uncertain too:

- the beginning of a closer, from its first letter on, that begins a line or stands after what may be the end of a value
  (`5</padonly">false`, but not `</p>`, `</proc/cpuinfo`, `wc </file`, `"</p" in text` or `</p[^>]*>`); a closer with the first
  four letters of the value's own that the value did not open, where letters follow (`home</parade>false`);
- the end of its own opener, however short, with what is left of its closer before it, after which the value begins anew
  (`DEe>DELETE`, `fix it</lue>fix it`), and the beginning of its closer after which the value ends anew (`x.py</y`): not where
  the piece stands twice as well, for then the text repeats itself (`<td>⏎<td>`), nor where things are compared
  (`size>size_max`, `x.size<size`), or lines or tags begin alike (`#include <a>⏎#include <b>`);
- the end of the opener of a field that the call does not have: three letters of its name, with a bracket and the quote that
  its dialect has (`he="timeout">30`, `heldin">`), or with a bracket that ends the line (`/rameter=stdin>⏎`) or has `true`,
  `false` or `null` after it; the whole name after an equals sign (`users parameter=cascade>no`); and less of it where the
  value begins (`de">true`). Of `<arg_value>` all but two characters are enough. It is none where
  the bracket closes a tag or a list of types of the text (`<a name="stdin">`, `Omit<Page, "stdin">`,
  `Map<Pair<A, B>, Stdin>⏎`), nor where a shell has it (`echo "on stdin">log`, `run --from="stdin">log`), nor in a prompt that
  begins more than one line (`stdin>⏎`).

Shorter pieces occur in code and prose as well, and a call with one runs: a lone bracket (`hel>30`, `ls</mp`, `c>cat`), two
letters of a name (`an">`), a piece that looks like a tag (`</wd>`, `<mp>`). If no piece is left, nothing shows the loss:
letters are missing in a value, two values ran into one, or an optional argument is lost with both its markers. Of 56,000
calls in these dialects with code, HTML, SQL, commands and prose, of which a part that touches a marker was left out or stood
twice, 14,900 ran before there was this rule, and 7,000 do: the others of this kind, or with a piece that code has as well. Of
88,000 calls with code of many languages, in which fields are called as words beside its brackets are, 6 are refused for it:
all with a text that was cut inside of a list of types.

A value with a token of any chat template (`<|im_end|>`, `</s>`, `[/INST]`) is uncertain as well: a server passed it on, and
what stands around it may be no value. A value may speak of a token, in quotes or backticks on its line or in a fence of
Markdown, and may close with `</s>` or `[/INST]` what it has opened. Texts in CDATA, and those of `gemma4` and `functiongemma`,
stand between markers as in quotes, and may hold tokens. A value that is a list or an object is uncertain for the tokens in its
texts. In the middle of a word `<s>`, `<unk>`, `<pad>` and `<0x0A>` are tokens too.

In `gemma4` and `functiongemma` the marker of a string has two readings wherever it was spoiled, in a string or around a word:
with other quotes, with blanks in it, as entities, in another case, or as the marker of the other of the two. A text without
that marker is uncertain if it holds a colon: a key may have run into it (`stdin:out:30`). So is what is no literal (`flase`,
`5 0`), where the schema takes any text there, and something else as well.

That refuses intact calls that quote their own dialect: 3 of 264 in recorded replies in these dialects, all of them written to
test parsers.

## The end of raw values

Dialects with tags, and Gemma's, write text without escapes. So a value may hold all closers of its call in a row, and the call
seems to end there:

```text
<parameter=content>
The closers are
</parameter>
</function>
</tool_call>
in this order.
</parameter>
</function>
</tool_call>
```

The rest of the reply shows it: it has the closers that were meant. So a call with such a value is announced at once, and
its block waits for the end of the reply, with all that stands after it. Calls without such values, and calls in JSON that
have their closer, wait for nothing.

| after the call | the call |
|---|---|
| nothing, blanks, or whole calls of its dialect | is certain; but not if the stream is known to have been cut off |
| other text, or other blocks | is certain if the stream is known to have ended (`End("stop")`, or a provider's finish reason) |
| a closer of its dialect that closes nothing | is uncertain, as is every call after it |
| more than `Limits.max_block` characters | is uncertain, as is every call after it |

A call in any dialect whose own end is uncertain makes the calls after it uncertain too: they may be part of one of its texts.
Its markers are broken, its value went on, or one wrong sign has closed its JSON or its code too early. A mark of a raw value
in prose has the same effect (`<parameter=...`, `</invoke>`, `<arg_value>`, the
marker of a string in `gemma4`; with `cline_xml` a tag with the name of a field at the beginning of a line): the opener before
it was lost or damaged, and what follows may stand in its value. A tag of a field that is an element of HTML too (`<text>`,
`<summary>`) leaves open what stands in it, in a fence as well, up to its closer. A guard knows these marks, and the openers of
all dialects, at the beginning of a line, whatever dialects it reads:
[no fence after them runs](fences.md#what-is-quoted-in-a-text) that may be quoted. The same holds for what has the shape of a
special token or of a tag with a namespace or a suffix, and speaks of a tool,
a call, an argument, a parameter or a function (`<|tool_call:start|>`, `<abc:invoke name=`, `<tool_call:abc>`): it opens a call
of a dialect that no table describes. Marks in inline code, fences, block quotes and reasoning are quoted, and refuse nothing.
The opener of a dialect that is read counts wherever it opens a call, for some (`mistral`, `lfm2`, `harmony`, `longcat`) in the
middle of a line too: prose that names it without backticks leaves open what follows.
A quote has a blank after its mark: `>tool_call>` is an opener with another bracket, and `><parameter=` a mark after the end
of a tag. Inline code is closed in its paragraph: where a backtick stands in the place of a sign of an opener, and another one
follows in the value, the marks between them are quoted all the same.
In indented code they count: models indent the markup of calls, and not the text in it. A wrapper whose closer ends its line,
and that has nothing in it (`<tool_call></tool_call>`), is over; one with anything else in it is not, since a text may hold the
closer. Code that breaks after the name of a call (`[f('a')]`, `f(a: 1)`) is read up to its closer, where its dialect has
one: a text in it may quote calls, and no call after it is certain. A parenthesis with a key in it (`f(a=`), after any name,
leaves its texts open up to where it closes, as does a list of such calls. Where every mark before a value was lost,
nothing shows that the text is a value.

Where a text begins in reasoning (`reasoning="inside"`) no mark shows that it does. A call that is open where the reasoning
ends makes those after it uncertain, since what ended the reasoning may stand in it. One with raw values that ended before,
with its closer at the end of a line, does not; but the blocks after it wait for the end of the reply, and that closer,
further on, shows that its value went on.

A call in a dialect that has no opener of its own (`llama3_json`, `json_array`, `pythonic`) is uncertain after a line that is a
member of an object (`"dry_run": true,`) or the end of one, and where a line before it has begun what does not count: a comment
(`/*`, `(*`, `<!--`, `#if 0`), or text that is struck out (`<del>`, `<s>`, `<strike>`, `~~`).

The price is time: such a call runs when its reply has ended, and the text after it is shown then. Models rarely write text
after such calls.

In broken JSON it is undetermined where strings are: what seems to end the JSON may stand in one. So such a call waits too. In
a dialect that has no closer, or whose closer servers strip, JSON is fixed where its strings are known all the same: with a
comma before a closing bracket, or `True` and `False`. With any other fault such a call fails, with `ambiguous_end` or the
issue of its fault. An id beside the arguments, whatever it says, is part of every dialect in JSON.

A quote that is not escaped, with the brackets of the call after it (`"filter": "use "} else {" here", "dry_run": true}`),
seems to end JSON or a list of calls in a text. Where no closer is due, what follows shows it: up to the next mark of a
dialect or a fence, at most 1,024 characters, and of text that begins on a line of its own only its paragraph, up to an empty
line or one that begins with a bracket. The end is uncertain if a quote or a bracket there closes what was not opened, if a
quote stands where a text ends (`"}`, `", "key":`), if a literal and the next key stand there (`true, "key":`), or if the
closer stands after it. So a call with text after it runs at the end of that paragraph; at the end of a reply, or before
another call of its dialect, it waits for nothing. If the string goes on after that paragraph, the guard does not see it. It
does not see either that a string holds the closer of its dialect: a call ends with the first closer, and runs at once.
`"end with "}}⏎</tool_call> and go on"}}⏎</tool_call>` is read as a call that ends with the first closer, for the second one
comes when the call has run.

Three things are undetermined. A value may hold closers and then openers, so that the reply is character by character what
other calls would be: it is read as those calls. A source may end directly after the closers in a value, without a finish
reason: the reply is taken for whole. A tag in a value of `cline_xml` may be a key that the tool's schema does not declare.
None of this happens in a dialect whose values have quotes and escapes, if the model writes the escapes. A model that writes
untrusted text into calls should write fences, or a dialect with JSON.

## Dialects that carry files

`bolt_artifact`, `aider_search_replace` and `v4a_patch` name no tool: they say what is to be done to a file. A guard reads that
as a call of the tool that the toolset has for it; where it has none, the text is prose (with `bolt_artifact` a call that
fails).

| what is written | the tool, by the first of these names | its fields |
|---|---|---|
| a new file: `<boltAction type="file" ...>`, `*** Add File:` | `write_file`, `create_file`, `file` | `path`, `content` |
| other lines in place of some: `<<<<<<< SEARCH`, `*** Update File:` | `edit_file`, `edit` | `path`, `search`, `replace` |
| a file goes: `*** Delete File:` | `delete_file` | `path` |
| a whole patch, if there is such a tool; it comes before the others | `apply_patch` | `patch` or `input` |
| any other `type` of a `<boltAction>` | the tool of that name | its attributes, and `content` |

Names and aliases count as they are declared. A field may have another of its usual names (`file_path`, `old_string`,
`new_str`), an alias, or stand in another field, as in `edit_file` of `stream_guard.tools.files`.

- Texts are whole lines: each ends with a line end. `bolt_artifact` adds it to the last line of a file, as the programs do that
  read it.
- The path of `aider_search_replace` stands alone in the line before the opener, or before the fence around it, and stays
  text. Of all dialects only this one may stand in a fence of any language, and only as the first thing in it, with or
  without the path: that is its form, and so an example of it in a fence is a call. In a fence of JSON, where the markers of
  other dialects around a call are taken off on record, or after other text in a fence, it is text. Without a path there is
  no call; with nothing but blanks between two blocks, the second has the path of the first. A path with marks around it
  (`~~a.py~~`, `**a.py**`) or a blank in it is none, nor is one with a colon after it or a number sign before it; in a
  patch such marks, or a remark after a path (`a.py (not yet)`), make the end uncertain.
- It is one of `all`. In 928 recorded replies, 724 texts in other dialects and 1,581 Markdown and text files (22 million
  characters) one example was a call: that on this page. Left out, it would do harm: to a guard that does not read these blocks,
  a call of another dialect in the lines of one is a call. Where your model writes about such formats, name its own dialects.
- A line that looks like a marker (`=======`, `>>>>>>> main`, `<<<<<<< HEAD`) between the markers of a search makes its end
  uncertain. So does a line of four or more `=` of any length, such as one below a heading.
- Each piece of an update in a patch is an `edit_file` call: the lines that are there, and those that take their place. What
  such a call cannot say is refused with `ambiguous_value`: a place (`@@ def f():`, `*** End of File`), another name (`*** Move
  to:`), a piece without a line that is there, an empty line without its sign. A tool `apply_patch` takes all of it, as it was
  written.
- A patch runs whole or not at all: if one of its calls is not valid, all of them are one block that fails. A file that is named
  twice, or a line without a sign, makes its end uncertain.
- All three wait for the end of the reply, as raw values do (see above). A mark of one of them in prose (`<<<<<`,
  `*** Update File`, `<boltAction`) shows that an opener was lost: nothing runs after it.

## A dialect from a `response_template`

Models on Hugging Face may say in `tokenizer_config.json` how they write messages (`response_template`). A guard reads the
calls that it describes:

```python
from stream_guard import Guard
from stream_guard.dialects import from_response_template
from stream_guard.tools.files import FILE_TOOLS

template = {"fields": {"tool_calls": {
    "open_pattern": r"<call>(?P<name>\\w+)<args>", "close": "</call>", "repeats": True, "content": "json",
    "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}},
}}}
guard = Guard(FILE_TOOLS, dialects=["fence", from_response_template(template, "my_model")])
*_, block = guard.scan(['<call>delete_file<args>{"path": "a.txt"}</call>'])
print(block.dialect, block.outcome)
```

```text
my_model valid
```

JSON between two texts, JSON after a name, `string_delims` with `unquoted_keys`, and `xml-inline` in the form of functions,
invokes, or keys and values can be expressed, with the usual keys of a call, after openers that do not begin
like reasoning or a result. Blanks that a pattern allows may stand between the parts of an opener, but not in one text before
JSON that names its tool. Anything else is a `ValueError` that names the
key. Calls are read more strictly than the template says: a marker in a value, or an end that is missing, is no call that
runs, types come from the schema and not from `value_parser`, and blanks around a text are its own. The other fields and the
anchors are not read: for reasoning there is `Guard(reasoning=...)`.

## A conversation in a dialect

A server that passes text on unread also takes it so: what the model called, and what came of it, go back in the form that it
was trained on. `History` writes both for `hermes`, `qwen3_coder`, `deepseek_v31`, `mistral`, `llama3_json` and `harmony`, and
`turn.messages(History(...))` returns the two messages of a turn:

```python
import asyncio
from stream_guard import Guard, Risk, Tool, Toolset, run
from stream_guard.dialects import History

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = Toolset(Tool("weather", "The weather", SCHEMA, handler=lambda call: f"rain in {call['city']}", risk=Risk.READ))

async def model(conversation):  # a server of yours, without a parser of calls
    if conversation[-1]["role"] == "user" and "<tool_response>" in conversation[-1]["content"]:
        yield "It rains."
    else:
        yield '<tool_call>\\n{"name": "weather", "arguments": {"city": "Oslo",}}\\n</tool_call>'

async def main():
    guard, history = Guard(TOOLS, dialects=["hermes"]), History("hermes")
    conversation = [
        {"role": "system", "content": TOOLS.to_prompt(dialect="hermes")}, {"role": "user", "content": "How is Oslo?"},
    ]
    while True:
        async with run(guard.stream(model(conversation)), TOOLS) as turn:
            async for item in turn:
                pass
        conversation += turn.messages(history)
        if not turn.outputs:
            break
    for message in conversation[2:]:
        print(message["role"], "|", message["content"])

asyncio.run(main())
```

```text
assistant | <tool_call>
{"name": "weather", "arguments": {"city": "Oslo"}}
</tool_call>
user | <tool_response>
rain in Oslo
</tool_response>
assistant | It rains.
```

A call stands there as it ran; one that did not run, or that the dialect cannot hold, as it was written, and its result says
what was wrong. A result that holds a marker of its dialect, or a special token of any chat template (`<|im_end|>`, `</s>`,
`[/INST]`), is written as JSON with the marker escaped: it can neither end itself nor be a call. In the texts of a call such a
token is escaped too; `qwen3_coder` has no escapes, and `History.calls` raises ValueError for it, as for a name or a value that
the dialect would not read again. It does not know the schema, which decides the types of raw values: `5` or `null` as a text
where the field takes a number or null too is ambiguous if it is read again, and an object where the schema says nothing is
text. The marks between messages are those of the chat template, and `history.role` is the role
that the results have in it.

## Text that adapters put back

Adapters with `blocks="text"` put a block back into the text. With `Guard(rewrite="own")`, the default, a call stands there as
it was written, or mended in its own dialect; where that is another model's form (`GCML`, tags with a suffix, tags for JSON) it
stands as it was written. With `rewrite="fence"` it is a fenced block where it may run and is the only call
of its block, but for `aider_search_replace`, which may stand in a fence. What may not run stands as it was written.
A fence ends its line, so what stood after the call on that line begins one.

## The dialects
"""


_BEHIND = """
Where two dialects share an opener, what follows it decides.

Not read are the calls of PLaMo 3, IQuest Coder V2, Pangu, Step-Audio 2, CWM, Functionary, Nemotron-Mini, Command R, Hunyuan's
dense models, Kimi K3, Solar Open 2, MiniMax M3 and Step 3: they stay text, or fail.

Some forms are near those of a dialect and stay text, or fail: calls with arguments that have no names (`[f('a')]`), a name
and JSON after `<tool_call>` or `Action:`, fences of `tool_code`, `>>>>>>> UPDATED` for the end of a search, Claude's first
form (`<invoke>` with `<tool_name>` and `<parameters>`), `<args>` around the fields of a tool, and code after
`<|python_tag|>` (`f.call(a=1)`). A
`<function=...>` with the closer `</tool_call>` and without its opener fails with `ambiguous_end`, for a closer that closes
nothing may be the end of a value.

Servers strip markers that are special tokens of the model. vLLM and SGLang keep them where a request has
`"skip_special_tokens": false`, llama.cpp those in `preserved_tokens`. The table names the dialect as which
what is left is read, if the guard reads that one; with `dialects="all"` it does. A dash stands where all markers are
ordinary text.

## Examples
"""


def _row(dialect: Dialect) -> str:
    """Return a row of the table."""
    openers = dict.fromkeys(opener.text.replace("{tool}", "TOOL") for opener in dialect.openers)
    shown = ", ".join(f"`{opener}`".replace("\n", "⏎").replace("|", "\\|") for opener in list(openers)[:3])
    names = [name for name, target in SPELLINGS.items() if target == dialect.name]
    also = f" (also `{'`, `'.join(names)}`)" if names else ""
    more = ", …" if len(openers) > 3 else ""
    preview = "yes" if _previewed(dialect) else "no"
    cells = (
        f"`{dialect.name}`{also}",
        shown + more,
        dialect.models,
        dialect.several,
        preview,
        dialect.unknown,
        dialect.stripped,
    )
    return "| " + " | ".join(cell.replace("`{tool}`", "`TOOL`") or "-" for cell in cells) + " |"


def _previewed(dialect: Dialect) -> bool:
    """Return whether the arguments of a call are shown while it is written."""
    guard = Guard(FILE_TOOLS, dialects=[dialect.name], preview=True)
    return any(isinstance(item, ToolStatus) and item.preview for item in guard.scan([dialect.example]))


def dialects_page() -> str:
    """Return the page."""
    lines = [
        _HEAD,
        "| name | opener | models | several calls | preview | what cannot be known | what servers strip |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += map(_row, DIALECTS.values())
    lines.append(_BEHIND)
    for dialect in DIALECTS.values():
        lines.append(f"`{dialect.name}`:\n\n````text\n{dialect.example}\n````\n")
    return "\n".join(lines)
