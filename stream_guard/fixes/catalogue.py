"""The catalogue of fixes: what each does, why, an example, when it is not done, and what other checks have to know of it.

A row changes nothing; docs/fixes.md is printed from this table. The code is elsewhere: a fix of syntax in `reader.py`, one
inside a string in `strings.py`, one of the body as a whole in `undo.py`, one of shape in `shape.py`. Each names its row where
it records its change.

Rule 1: no fix is made without a row here.
Rule 2: whoever asks for fixes of a kind asks for a column of this table (`leaving`, `fixes_where`), and has no list of names.
Rule 3: a column that lets something run has a default under which it does not; `doubts`, which hold something back, have none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal, NamedTuple

from ..values.fix import AutoFix, FixType, Safety

Doubt = Literal[
    "last_brace", "bracket", "braces", "object", "lost", "figures", "order", "list", "type", "lines", "marks", "key", "comma",
    "place", "spelling", "layout", "left", "gone", "mark",
]  # fmt: skip
"""The things that may stay uncertain after a fix, so that a check looks closer at the block, or refuses it.

`last_brace`: where the last brace belongs. `bracket`: where an object or a list ends, so that one of its brackets may stand in
a text. `braces`: whether the braces of texts were doubled with those of the block. `object`: in which object the next member
stands; with a brace missing too, the block is refused. `lost`: whether an item or a member stood there. `figures`: whether the
value before has lost a figure, or taken a comma. `order`: whether lines changed places there, or are lost. `list`: whether a
value is a list, and what is in it. `type`: of which type it was. `lines`: whether line breaks and tabs of texts are their own.

`marks`: whether a mark or a blank between two tokens slipped into a text; `key`: the same beside a key and its quotes; `comma`:
whether a comma slipped into the text before it.

`place`: in which item of an array the call was written. `spelling`: whether what changed a name has changed a text too.
`layout`: whether each name stands where the model wrote it; a text that is shown in place of the block has our form then.

`left`: whether a comma stands where something moved away from. `gone`: whether a member is lost in that place. `mark`: whether
single characters were lost there, and so perhaps in texts.
"""


class Syntax(NamedTuple):
    """The columns of the catalogue that concern a fix of syntax, which `reader.py` and `reading.py` read."""

    cost: int
    """The cost that the fix adds to a reading; the cheapest reading is taken. 0 if the fix has no alternative."""

    writes: str | None = None
    """The characters that the fix writes; empty if it only removes characters; None if they depend on the body (`puts`)."""

    puts: Literal["text", "value", "word", "quotes"] = "text"
    """The text that the fix writes if `writes` is None: the `text` that was read at its place; the `value` of the word there;
    that `word` in quotes; or `quotes`, the text if there is one, else the word in quotes. Where no text was read, the record
    shows the field's value."""

    leaves_out: Literal["nothing", "known", "said"] = "nothing"
    """Which words of the body the fix may leave out. `known`: words of a format, which the code of the fix has checked. `said`:
    words of the model, which have to be harmless (`remarks.py`)."""

    ends_strings: bool = False
    """Whether the ends of all strings stay certain although the fix was made."""

    joins: bool = False
    """Whether the fix makes one string of several."""


class Fix(NamedTuple):
    """One row of the catalogue."""

    type: FixType
    """The kind of change that the fix makes."""

    safety: Safety
    """How much the fix assumes."""

    confidence: float
    """How sure the fix is, from 0 to 1."""

    what: str
    """The change in one sentence, for its record."""

    why: str
    """Why models make the mistake, or why the change is right."""

    before: str
    """A body that needs the fix."""

    after: str
    """The same body after the fix."""

    unless: tuple[str, ...]
    """When the fix is not done, because it would be a guess. Each entry is a reason of its own."""

    doubts: tuple[Doubt, ...]
    """The things that may stay uncertain after the fix. An entry too many only refuses calls; a missing one may let a wrong
    call run."""

    syntax: Syntax = Syntax(cost=0)
    """The columns for a fix of syntax. A fix of shape has the default, which the reader never asks for."""

    about: Literal["values", "text", "form"] = "values"
    """What a fix that is not lossless assumes something about: the values of a call, the contents of a single text, or only how
    a call is written. A call of a destructive tool runs only if all its fixes that are not lossless are about the form, or
    about a text of another call in the same array."""


_SYNTAX: Final[FixType] = "SYNTAX_REPAIR"
_STRUCTURE: Final[FixType] = "STRUCTURE_CORRECTION"
_FIELDS: Final[FixType] = "FIELD_MAPPING"
_DELETE: Final = '{"tool": "delete_file", "path": "a.txt"}'
_WRITE: Final = '{"tool": "write_file", "path": "a.txt", "content": "x"}'


def _lossless(
    what: str, why: str, before: str, after: str, unless: tuple[str, ...], doubts: tuple[Doubt, ...], syntax: Syntax
) -> Fix:
    return Fix(_SYNTAX, Safety.LOSSLESS, 1.0, what, why, before, after, unless, doubts, syntax)


def _likely(
    what: str,
    why: str,
    before: str,
    after: str,
    unless: tuple[str, ...],
    doubts: tuple[Doubt, ...],
    syntax: Syntax,
    about: Literal["values", "text", "form"] = "values",
    confidence: float = 0.95,
) -> Fix:
    return Fix(_SYNTAX, Safety.LIKELY, confidence, what, why, before, after, unless, doubts, syntax, about)


CATALOGUE: Final[Mapping[str, Fix]] = {
    # Spelling: every reader would take the same value from it.
    "control_character": _lossless(
        "Escaped line breaks, tabs and other control characters in a string",
        "Models write code as it would look in a file.",
        '{"tool": "write_file", "path": "a.txt", "content": "One.\nTwo."}',
        '{"tool": "write_file", "path": "a.txt", "content": "One.\\nTwo."}',
        (
            (
                "The string has one line break, or several in a row, and the break may come from wrapping or split a "
                "word: it stands between two small letters (`line one⏎line two`, `kit⏎chen`), between two digits, or "
                "after a comma or a hyphen and before a small letter or a digit."
            ),
            (
                "The only line break of a string stands inside a number, a date, an address or a word in capitals "
                "(`12.⏎50 EUR`, `c@⏎d.org`, `ERR⏎OR`), in quotes or brackets, or beside a blank. This reason and the "
                "one above do not apply if the string shows that lines were meant: by the end of a sentence before the "
                "line break and the beginning of one after it, by two lines of one form (each with a link, a bullet, a "
                "member or a statement; in `command`, each with a command), or by a second line break after it. A capital "
                "alone shows nothing (`the meeting is on⏎Monday`, `line one⏎Line two`), except below a heading and below the "
                "greeting or the closing of a letter. In `content`, `Line one.⏎Line two.`, `- milk⏎- eggs` and `buy milk⏎buy "
                "eggs⏎buy tea` are fixed."
            ),
            (
                "The name of the field does not suggest a long text, and a line break stands before the only line; or"
                " the string has at most three lines, and one of these does not certainly end, as a statement or a "
                "sentence does."
            ),
            (
                "The name of the field suggests a command, and one of its lines, however many there are, does not "
                "certainly end: `rm -rf` followed by two paths on lines of their own, or `git commit -m` by a word with a "
                "capital. A document inside a command "
                "(`<<EOF`) is fixed."
            ),
            (
                "Only the indent of the next line would show that a line ends (`ls` and an indented `-l`): the indent"
                " may be the margin of a wrapped line. The indent is enough after the head of a block (`def f():`, "
                "`if (a) {`, `services:` before a member, `<ul>`), and if the line before has it too and ends with a mark, "
                "or both lines would be lines without it."
            ),
            ("A sentence goes on over a line break in a string that escapes other line breaks: the string was cut there."),
            "A word goes on after several line breaks with text between them: the string was cut there.",
            (
                "A sentence goes on over lines of a string, and all its lines except the first have the margin of a "
                "line of the block."
            ),
            (
                "The block is on one line, all lines of a string except the first have some margin, and one of its "
                "lines does not certainly end."
            ),
            "A sentence goes on over lines of a string, and all lines of the block have a margin.",
            ("The part after a line break begins with everything that stands before it: the string was begun again."),
            "The string also has `\\n` between quotes of its code, where the `\\n` may belong to the code.",
            (
                "The lines of a text but the first may have a mark, a number or a margin of the block's lines: the closing "
                "quote stands behind it too (`one⏎> two⏎> `); the numbers are those of the lines (`one⏎2: two⏎3: three`); "
                "all have the margin of a line of the block, and the first one neither has it nor opens what they stand in; "
                "or they are lines of a diff (`-old`, `+new`). Or all their indents were taken off (`if x:⏎y()`). Or they "
                "begin with a prompt (`cd a;⏎$ ls;`) that the first line neither has nor announces with a colon; or a numbered "
                "list goes on with a margin (`1. first⏎    2. second`)."
            ),
            (
                "The only raw line break of a text stands beside its quote (`call the plumber⏎`); where a text escapes "
                "others, at its end. The text of a file "
                "or a piece of one (`content`, `code`) may end so if its line is whole: a statement, a sentence, an item. "
                "Another long text, or code that is no command, may end so behind a semicolon or a closing bracket."
            ),
            (
                "A line begins with a closing bracket that nothing in the text opens, and a word follows directly "
                "(`2026-05-0⏎}1`), or the line before has a smaller indent and ends no statement."
            ),
            (
                "A line ends inside a tag (`<p>One.</p>⏎<div cla⏎ss=a>`), between a key in quotes and its value, or between a "
                "command and its first option (`One.⏎curl⏎-X POST a`)."
            ),
            (
                "A sentence certainly goes on: over the number of a page (`the kitch⏎⏎2⏎⏎en lamp`) or a line `...`, on a "
                "short line inside brackets or quotes (`Now (was 10⏎EUR); see below.⏎Later.`), or before a number that ends "
                "the text (`see⏎Table⏎2.`)."
            ),
            (
                "A line is nothing but the backslash that continues the line before it; or the text is continued by "
                "backslashes over lines that all have a margin, which YAML takes away."
            ),
            (
                "A text that escapes line breaks has several as they stand, and one of them does not end a line for sure, or "
                "stands beside an escaped one. Or a text is JSON but for a line break in one of its strings."
            ),
            "A carriage return has no line feed behind it, and the lines of the block do not end so.",
            (
                "Its schema or name implies a single line: a pattern, a format, an enum, at most 64 characters, an "
                "item of a list, `path`, `user_id`; a tab between two words of a title or a `name` is its own."
            ),
            "The tool is destructive.",
            (
                "The line break is the only raw one in its string, others of the block are escaped, and it does not "
                "certainly end a line: it slipped in on the way. It certainly ends a line after a statement, a "
                "sentence or a tag, or before the beginning of a new line; but not inside brackets or quotes that its"
                " line opens, and not at the edge of a string of one line."
            ),
            (
                "The line break is the only one of the block that makes an empty line: it stands beside an escaped "
                "line break, and the string has no other empty line. It may have slipped in too. So may one that makes a "
                "second empty line beside an escaped one, where the string has no other two."
            ),
            "One line of the string is a fence without its other half: the string may have been cut off there.",
            (
                "One line of the string is nothing but a line of an event stream (`data: [DONE]`), a model's special token "
                "(`<|im_end|>`, `</s>`) or the mark of a pager (`--More--`), and the string has no others and does not begin "
                "with it: it slipped in. In a file of settings, `data:` may be a setting; but not below a line `event:` or "
                "`id:`, nor behind a line that does not end (`key: ⏎data: x`). The comment that keeps a stream open slipped in "
                "anywhere in a line (`src: keep-alive⏎⏎/app`)."
            ),
            (
                "The keys of the block have no quotes, or its strings other marks, and the last line of the string is a member "
                "that the call lacks (`pinned: true`): the mark that ends the string may stand a line too late."
            ),
            "All lines of the body are as long as its width allows, or end with `=`: the body was wrapped.",
            (
                "The only line break ends the longest line, at 40 or 76 characters for example, and stands between "
                "two words: the line may have been wrapped."
            ),
            "The line breaks in strings all have the same margin after them, and stand where a width ends.",
            (
                "A line of a text is the longest of the block, has a usual width (80 characters, for example) and does not "
                "certainly end (`the parcel service t⏎wice`); or two have one greatest width, whatever it is: a program "
                "broke them. Lines that end with a word and have no room for the next one may be the text's own. They are "
                "refused if the first line of the text is as full as the others, or if its name suggests no long text."
            ),
            "All line breaks of the block, between tokens and in texts, come in pairs, or end with two carriage returns.",
            (
                "A brace, an angle or a semicolon ends a line before a small letter, or a tag, `# ` and a number, or another "
                "mark begins one, and neither line is one of code or markup (`order {id}⏎will`, `<b>new</b>⏎price`, "
                "`issue⏎# 5`)."
            ),
            (
                "A text that escapes line breaks has one as it stands beside an escaped one: where a usual width ends, or "
                "without the indent that the line before has or asks for (`if x:\\n⏎print(x)`)."
            ),
            "The strings have no escaped quote, and another string escapes its line breaks.",
            "Only some lines have the indentation of the fence. If all have it, it is removed, as in Markdown.",
            "The control character stands in a key.",
            (
                "The control character is neither a tab nor a line break, such as NUL or a form feed. But in a field "
                "whose name suggests a long text, a string with a terminal colour and the end of that colour "
                "(`␛[31mred␛[0m`) keeps its colours and form feeds."
            ),
            (
                "The control character is the only tab of a string of one line, which is no title, and stands between"
                " two letters or two digits (`fr⇥ont`)."
            ),
            "A line break, with or without blanks, stands at the beginning or the end of a string of one word.",
            (
                "A line of the block ends between a key and its value, and does not begin with the key: the block was"
                " wrapped there."
            ),
            (
                "A backslash stands before the line break, the backslash follows `\\n`, and the next line begins with "
                "the letter of an escape: the line break may stand inside that escape."
            ),
            (
                "A line break may have changed places with the quote beside it. That may be if the block is written "
                "in lines, and a bracket of the block stands after that quote, or the margin of the block stands in "
                "the string. It may also be if no line ends between the string and the next token."
            ),
            (
                "The block has an escape (`\\\\`, `\\/`, `\\u200b`) and nothing shows that its writer escapes. So it is of a "
                "`\\/` in a text with another slash that has no backslash, whatever else is escaped."
            ),
        ),
        (),
        Syntax(cost=0, ends_strings=True),
    ),
    "trailing_comma": _lossless(
        "Removed a trailing comma",
        "JavaScript and Python allow it.",
        '{"tool": "delete_file", "path": "a.txt",}',
        _DELETE,
        (
            "An empty line stands beside the comma: the last item or member may have stood there.",
            ("The comma stands after a digit and a blank or a line break: a comma and a digit may have changed places."),
            ("A blank follows the comma before the end of a list, and the tool is destructive: an item may be lost."),
            (
                "The bracket after the comma begins a line with another indent than the line of its opening bracket: "
                "lines between them were lost."
            ),
            (
                "The bracket that closes a list stands on the line of the last item, although the opening bracket "
                "ends its line: a program closed a list that was cut off."
            ),
            "A comma between two members of another object is missing: a member moved there.",
            (
                "The item before the comma equals the item before that one, or a member of its object is there twice:"
                " it may have been written over another item or member."
            ),
        ),
        ("object", "lost", "order", "marks", "left"),
        Syntax(cost=1, writes="", ends_strings=True),
    ),
    "extra_comma": _likely(
        "Removed a second comma",
        "The comma is a typing error, or a member was left out.",
        '{"tool": "write_file",, "path": "a.txt", "content": "x"}',
        _WRITE,
        (
            (
                "A required field is missing: it was probably left out between the commas. If an optional field was "
                "left out, nothing shows it."
            ),
            "The comma stands after a number, and may stand for the last digit of that number.",
            "There is something between the commas, even only a blank: a member may be lost there.",
            "A comma between two members of another object is missing: a member moved there.",
            "A text has two commas in a row too.",
        ),
        ("object", "figures", "marks", "comma", "left"),
        Syntax(cost=2, writes=""),
    ),
    "missing_comma": _lossless(
        "Added a missing comma between two members",
        "Models take a line break for a separator.",
        '{"tool": "delete_file" "path": "a.txt"}',
        _DELETE,
        (
            ("The next token is not a key of the tool, or the comma may be the last character of the string before it."),
            "A comma stands before the brace there: the two may have changed places.",
            "All commas of the block are lost, and a text has two values beside each other in brackets: it may lack one too.",
            "The two members have other indents: lines may have changed places.",
            "An object follows an equal one: it may have been begun again.",
            (
                "The comma is missing after a number, and the tool is destructive, or several blanks, or a blank at "
                "the end of a line, follow the number: its last digits may be missing too."
            ),
            (
                "The comma may have crossed a quote: a string beside the place ends with a blank; any string of the "
                "block begins with a comma; a string of one line that is not indented ends with a comma; or the "
                "string before the place has a comma among its last four characters."
            ),
            "An empty line stands there: a member may have stood in it.",
            "A comma is too many in another object: a member moved from there.",
            "A name has a wrong letter: characters were lost on the way, and perhaps some in strings too.",
        ),
        ("object", "lost", "figures", "order", "marks", "comma", "mark"),
        Syntax(cost=1, writes=","),
    ),
    "repeated_key": _lossless(
        "Removed a repeated member with the same value",
        "The model repeated itself.",
        '{"tool": "delete_file", "path": "a.txt", "path": "a.txt"}',
        _DELETE,
        (
            "The two values differ in type, value or the spelling of a number (an empty list is a value too).",
            (
                "Another member stands between the two, or they stand in an item of a list: the rest of two merged "
                "objects looks the same."
            ),
            (
                "The second may have been written over another member: the two begin lines with different indents, or"
                " their object has a comma too many, or the tool is destructive and the object may have members that "
                "it lacks."
            ),
        ),
        ("object", "gone"),
        Syntax(cost=2, writes=""),
    ),
    "quote_marks": _lossless(
        "Replaced other quotation marks with double quotes",
        "Python, JavaScript and typography use other quotes.",
        "{'tool': 'delete_file', 'path': 'a.txt'}",
        _DELETE,
        (
            (
                "The string has escapes with two readings for its kind of quotes. One kind is an escape that no "
                "language has, such as the `\\U` of `C:\\Users`, beside `\\n`. Another is quotes of which only some are "
                'escaped (between single quotes `"` needs no backslash). A third is `${...}` between backticks.'
            ),
            (
                "`\\/` stands in the string, or in any string of a block whose keys have Python's quotes or are names "
                "of arguments (`f(path=...)`): Python keeps the backslash, and JSON drops it."
            ),
            (
                'Of several strings that begin with a typographic quote, some end with one and some with `"`: a '
                "program closed the latter."
            ),
            (
                'The string begins with `"` and ends with `”`, unlike other strings: the `”` may be part of the text.'
                ' The first mark of `“15"` may be, too.'
            ),
            "Only some strings and keys stand between `«` and `»`, or a string has one of these marks inside.",
            (
                "A text between single quotes or backticks has quotes of its own around it, or is JSON with escapes: "
                "these may belong to the JSON, or to the outer marks."
            ),
            (
                "Two or more backticks stand side by side at the beginning or the end, as Markdown writes them around"
                " code: it is undetermined whether the line with the marks is part of the text."
            ),
            (
                "The block has no `\"`, and a text has the quotes that it stands between (`echo '$HOME'`): a program may have "
                "replaced all of them. An apostrophe in a word, or of a plural, is no quote; and where a backslash stands "
                "before one, the writer chose the quotes."
            ),
            (
                "What stands between three quotes may stand between two empty literals, as the end of a text that begins "
                'and ends with one: `,"x",` of `"","x",""`. Or it begins with a line break, which some languages leave out, '
                "and its field is not named like a long text."
            ),
            "Another kind of quotes stands in a key.",
        ),
        ("key",),
        Syntax(cost=0, puts="quotes"),
    ),
    "bare_key": _lossless(
        "Quoted a key",
        "JavaScript needs no quotes.",
        '{tool: "delete_file", path: "a.txt"}',
        _DELETE,
        (
            "A text has a comma and a field that its object lacks, with a colon or an equals sign (`all, summary: x`): both "
            "quotes between the two members were lost.",
        ),
        ("key",),
        Syntax(cost=0, puts="word", ends_strings=True),
    ),
    "key_quote": _likely(
        "Completed the quotes of a key",
        "The model forgot one of them.",
        '{tool": "write_file", "path": "a.txt", "content": "x"}',
        _WRITE,
        (
            "The key is not a single word.",
            (
                "The string beside the key begins or ends with a blank, a quote without its other half, or a mark of "
                "JSON: that may have crossed the quote. In any block that is not JSON, the same holds for a string "
                "that begins with a blank, if other strings have one before their quotes."
            ),
            "A name has a wrong letter: characters were lost on the way, and perhaps some in strings too.",
        ),
        ("key", "comma", "mark"),
        Syntax(cost=1, puts="quotes"),
        about="form",
    ),
    "separator": _lossless(
        "Replaced another separator with a colon",
        "Other languages write `=` and `=>`; and a colon may stand there twice.",
        '{"tool" = "delete_file", "path" => "a.txt"}',
        _DELETE,
        (
            "An `=` ends a line: mail programs wrap lines in this way.",
            "A text without quotes may begin with the second colon.",
            (
                "The value after two colons may belong to another member, whose key was lost together with the value "
                "before it. That may be if the object stands in a list, or lacks a member that its schema lists for "
                "such a value; for a destructive tool, or if a value of the call is converted, if it lacks any "
                "member."
            ),
            ("The tool is destructive, and a blank stands between two colons: the second colon may have crossed the quote."),
            (
                "The string after the separator begins with a blank or a mark that may have crossed its quote, and "
                "some other separators of the block are colons."
            ),
            (
                "All colons of the block are one other sign, and a text has that sign, beside colons too, behind a "
                "quote or, where the keys have quotes, behind a word that begins a line, an object or a literal: "
                "there it may have been a colon too."
            ),
        ),
        ("object", "marks"),
        Syntax(cost=0, writes=":", ends_strings=True),
    ),
    "literal": _lossless(
        "Replaced True, False, None, TRUE or FALSE with JSON literals",
        "They are literals of Python, and of other languages.",
        '{"tool": "resize", "keep": True}',
        '{"tool": "resize", "keep": true}',
        ("`TRUE` or `FALSE` is written in capitals, and other values than truth values are allowed there.",),
        (),
        Syntax(cost=0, puts="value", ends_strings=True),
    ),
    "comment": _lossless(
        "Removed a comment",
        "JSON has no comments.",
        '{"tool": "delete_file", // ok\n "path": "a.txt"}',
        _DELETE,
        (
            (
                "The comment contains more than harmless words. Harmless are words such as `the call`, and the name "
                "of the tool or of the field beside the comment. Single words of these names are harmless unless they"
                " speak against a call (`pending`) or about it (`replace this call`). A number, a quotation or an "
                "unknown word is not harmless."
            ),
            "A string has unescaped quotes: then the comment may be part of the code in it.",
        ),
        (),
        Syntax(cost=0, writes="", leaves_out="said"),
    ),
    "invisible": _lossless(
        "Removed invisible characters between tokens",
        "Text copied from web pages contains them. In strings they stay.",
        '\ufeff{"tool":\u00a0"delete_file", "path": "a.txt"}',
        _DELETE,
        ("A string has such a character too: it may have been a plain blank there, like all others.",),
        (),
        Syntax(cost=0, writes="", ends_strings=True),
    ),
    "doubled_brace": _lossless(
        "Replaced doubled braces with single ones",
        "Template languages escape braces this way.",
        '{{"tool": "delete_file", "path": "a.txt"}}',
        _DELETE,
        (
            (
                "The strings have braces, and all that open are doubled too (not counting `{{ name }}` between "
                "two tags of a page): they may have been doubled together with those of the block."
            ),
        ),
        ("braces", "lines"),
        Syntax(cost=1, writes="{"),
    ),
    "extra_closer": _lossless(
        "Removed brackets, a semicolon or a full stop after the end",
        "The model miscounted brackets, or wrote a statement, or a comma as after an item of a list: after a call that is "
        "whole, in a fence that the model closed, a comma shows no second call.",
        '{"tool": "delete_file", "path": "a.txt"}}]',
        _DELETE,
        (
            (
                "A member follows an inner object, which may have closed too early. If no inner object may have such "
                "a field, the field belongs to the call."
            ),
            (
                "The bracket may belong to an object in the call: the call holds an object that takes any field, or a"
                " field that the tool does not list, or it lacks an object or a list of objects that the tool lists."
            ),
            "All braces in the strings are doubled: one of a doubled pair may be left over.",
            "A list ends after an indented object: its beginning was lost.",
            "The last string of the block has one line and a bracket too few.",
            (
                "A full stop is left over, or a comma after a string, and the last value has only digits: the mark "
                "may belong to that value."
            ),
            ("Some keys of an object begin lines and others do not, or at different indents: two drafts became one."),
        ),
        ("order", "marks"),
        Syntax(cost=1, writes="", leaves_out="known"),
    ),
    "escaped_body": _lossless(
        "Unescaped a body that was escaped as a whole",
        "The body was encoded as a string and lost its outer quotes.",
        '{\\"tool\\": \\"delete_file\\", \\"path\\": \\"a.txt\\"}',
        _DELETE,
        (
            "The result is not a valid call.",
            (
                "Perhaps only the quotes were escaped, and not the backslashes: a string of a single line has a line "
                'break or a tab in it (`"a\\tb"`), and no quote in a string shows that its backslash was escaped too.'
            ),
            (
                "A string has another escape, and nothing shows that the backslashes of the strings were doubled. An "
                "escaped quote in a string would show it, or a line break between two members."
            ),
            "A string has another escape, and the members stand on lines of their own.",
        ),
        ("lines",),
        Syntax(cost=0),
    ),
    "entities": _likely(
        "Replaced the entities of quotes",
        "The body was escaped as HTML.",
        "{&quot;tool&quot;: &quot;write_file&quot;, &quot;path&quot;: &quot;a.txt&quot;, &quot;content&quot;: &quot;x&quot;}",
        _WRITE,
        (
            (
                "The result is not JSON, or the body has a quote, another entity, or a character that HTML would have escaped. "
                "Beside `&#34;` or `&#x22;` an apostrophe may be escaped by its number too, if none is left."
            ),
            "Every backslash is doubled, and it may have been escaped as JSON too.",
            "The tool is destructive.",
        ),
        (),
        Syntax(cost=0),
    ),
    "quoted_lines": _lossless(
        "Removed block quote markers",
        "The block stands in a block quote.",
        '> {"tool": "delete_file",\n> "path": "a.txt"}',
        _DELETE,
        (("Not every line has a marker, or a string goes over several lines: then the markers in it may be its own."),),
        ("lines",),
        Syntax(cost=0),
    ),
    "wrapper": _lossless(
        "Removed markup around the object",
        "Other formats wrap a call in tags.",
        f"<tool_call>\n{_DELETE}\n</tool_call>",
        _DELETE,
        (
            "The markup holds a word that does not belong to such a format: then it is prose.",
            "A tag is closed that was not opened.",
        ),
        ("layout",),
        Syntax(cost=2, writes="", leaves_out="known"),
    ),
    "prose": _likely(
        "Removed prose around the object",
        "Models explain what they do.",
        f"Here it is:\n{_WRITE}",
        _WRITE,
        (
            (
                "The prose contains more than harmless words. Harmless are words such as `I'll call`, and the tool's "
                "own name. Single words of that name are harmless unless they speak against a call (`never`) or about"
                " it (`discard the call`). Other prose may forbid the call, correct it, or refer to another one."
            ),
            "The tool is destructive.",
        ),
        ("layout",),
        Syntax(cost=2, writes="", leaves_out="said"),
    ),
    # Another reading exists.
    "quotes": _likely(
        "Escaped quotes inside a string",
        "Code contains quotes. A string ends where a key of the tool, a closing bracket or the end of the body follows.",
        '{"tool": "write_file", "path": "a.html", "content": "<p class="x">hi</p>"}',
        '{"tool": "write_file", "path": "a.html", "content": "<p class=\\"x\\">hi</p>"}',
        (
            "The string may end in two places.",
            (
                "A text of the block has `\\\\n` between blanks: the line break behind a backslash may have lost one of three "
                "backslashes."
            ),
            (
                "Some quotes of the string are escaped and some are not. Not counted: quotes around attributes of "
                "HTML, and a single quote in a string whose brackets before it close. But where that stands directly behind "
                '`\\n` or `\\t` (`\\n"o\\"`), it changed places with the letter of a word.'
            ),
            ("The string contains a field that the call lacks, or a member that the schema does not list follows a string."),
            "The string says one thing twice with quotes between, or three quotes stand in the middle of a word.",
            (
                "Its only unescaped quotes are one empty pair, or it has no word, or a slash or another sign stands before "
                'each of several (`/"hi/"`, `^"hi^"`).'
            ),
            'A sign that some fonts show for a backslash stands before a quote or the letter of an escape (`¥"`, `¥n`).',
            "One of them has a closing brace or bracket behind it that the text does not open.",
            (
                "The keys of the block have no quotes, or are arguments as in Python, and a colon or an equals sign "
                "stands before one of the quotes."
            ),
            (
                "A text holds a character's number without its backslash (`u00e9`), and the block has none at all or "
                "escapes other characters so; or it has none at all, and a text, this one or another, holds the `n` "
                "of a line break (`f(x)n`, `{n  x}`, `- an- b`) or any number of a character (`u003c`): then all were"
                " lost. So it is where others are left, but none before the `n` of a line break: of two, one was lost."
            ),
            (
                "The block has no backslash, and any string has the `n` of a line break (`f(x)n`, `{n  x}`, `- an- "
                "b`, `?nA`, `%sn`) or the number of a character (`u003c`): all backslashes were lost."
            ),
            "A string has an escaped tab in the middle of a line, which may be a backslash and a letter.",
            (
                "A `\\n` may be part of a path or a formula: it stands before a letter after a drive (`C:\\new`), a "
                "folder (`..\\new`) or a variable; before an empty or an indented line; or at the beginning of a "
                "string that does not end with another `\\n`."
            ),
            "Triple quotes stand at both ends of the string.",
            "Some apostrophes of the block are escaped, and some are not.",
            (
                "The block has another escape (`\\\\`, `\\/`, `\\u200b`), and no escaped line break between two lines "
                "shows that its writer escapes."
            ),
            (
                "A bare quote stands between two equal pieces; or the only bare quote is followed by the same text "
                "that stands before it: the string was begun again there."
            ),
            (
                "A bare quote stands before a comma at the end of the string: an item moved into the string, with its"
                " comma. Four cases cannot be recognised, and are read as they stand: an escaped quote in another "
                "string; one escaped quote beside one that is not; backslashes that were all lost, with no trace but "
                "odd words (`C:newt.txt`, `(w+)`, `|n|`); and an address that a page made into a link (`<a "
                'href="x">x</a>`).'
            ),
        ),
        (),
        Syntax(cost=0),
        about="text",
        confidence=0.9,
    ),
    "escape": _likely(
        "Escaped a backslash that escapes nothing",
        "Models write regular expressions and Windows paths unescaped.",
        '{"tool": "write_file", "path": "a.py", "content": "\\d+"}',
        '{"tool": "write_file", "path": "a.py", "content": "\\\\d+"}',
        (
            ("Another escape in the block (`\\n`, `\\t`), or a tab, may have been meant as a plain backslash and a letter."),
            (
                "The escape is `\\N`, `\\T` or `\\R`, and may be a line break or a tab that Caps Lock wrote: the text has no "
                "small letters, or `\\N` stands after a mark, twice, or at the end."
            ),
            "The escape is `\\x22`, `\\x27` or `\\x5c`, with which other languages write a quote or a backslash.",
            (
                "The escape is that of a character in another language (`\\xe9`, `\\u{1F600}`, `\\e[`), and stands "
                "outside of a literal of code."
            ),
            (
                "The escape is a character's number that lacks a digit (`\\u65e`), or has letters in place of its "
                "zeros (`\\uoob5`)."
            ),
            "All backslashes that escape nothing stand before marks (`\\_`, `\\.`), and nothing shows a pattern.",
            (
                "A `\\n` in the same string may be a backslash and a letter. It is a line break only between lines of "
                "code, in a field whose name suggests a long text (`content`, `code`)."
            ),
            (
                "A `\\n` in another string of the block may be a backslash and a letter, as in the text that replaces "
                "what a pattern finds. It is a line break only between two lines, or after a statement or an indented"
                " line. The same doubt holds for a `\\t` in a string without lines. A path that was not escaped shows "
                "nothing about the other strings."
            ),
        ),
        (),
        Syntax(cost=0),
        about="text",
        confidence=0.9,
    ),
    "apostrophe": _likely(
        "Removed a backslash before an apostrophe",
        "Python and JavaScript escape it; JSON has no such escape.",
        '{"tool": "write_file", "path": "a.txt", "content": "it\\\'s"}',
        '{"tool": "write_file", "path": "a.txt", "content": "it\'s"}',
        (
            (
                "The string has other quotes, apostrophes without a backslash, or another backslash than that of a "
                "line break: then it may be code, and the backslash part of it."
            ),
            "The apostrophe stands neither in an English word nor in a pair: it may be an accent in LaTeX.",
            ("A backslash is doubled in the block, and nothing shows that its writer escapes: Python may have printed it."),
        ),
        (),
        Syntax(cost=0),
        about="text",
        confidence=0.9,
    ),
    "missing_bracket": _likely(
        "Added missing closing braces at the end",
        "The model miscounted brackets. One that notices it may write the call again; then both run, each on its own.",
        '{"tool": "delete_file", "path": "a.txt"',
        _DELETE,
        (
            "Anything but closing braces is missing: the block may have been cut off.",
            "The body does not end after a string, a list or an object.",
            "Another fix is needed that assumes anything.",
            "The markup around the object lacks its end too.",
            "No fence closes the block.",
            (
                "The last text ends with a bracket that it does not open, also before blanks or a line break, or some"
                " text holds a brace or a square bracket that it does not open (but in the strings of a text that is "
                "JSON); or no closing brace stands in the block, and a text opens one."
            ),
        ),
        ("last_brace", "bracket", "marks"),
        Syntax(cost=1, writes="}"),
        about="form",
        confidence=0.9,
    ),
    "wrong_closer": _likely(
        "Replaced another closing bracket with the last brace",
        "The model confused the brackets.",
        '{"tool": "write_file", "path": "a.txt", "content": "x")',
        _WRITE,
        (
            (
                "The bracket is not the last mark of the block, or something else is wrong as well, or one of the "
                "reasons of `missing_bracket` holds."
            ),
            "The bracket is square and follows a list: it may close a list around this one.",
            "The tool is destructive.",
        ),
        ("last_brace", "bracket", "marks"),
        Syntax(cost=1, writes="}"),
        confidence=0.9,
    ),
    "list_end": _likely(
        "Closed a list before a key",
        "The model forgot the bracket.",
        '{"tool": "resize", "sizes": [1, 2, "keep": true}',
        '{"tool": "resize", "sizes": [1, 2], "keep": true}',
        (
            "The key is not a field of the object around the list, or that object has the key already.",
            "The last item is a list: its opening bracket may be a doubled one.",
            "A bracket is left over at the end, or a comma is missing or too many.",
            "A quote of the key is missing too, or two blanks stand there: more than a bracket was lost.",
            "An empty line stands there: an item may have stood in it.",
            (
                "The keys before this one begin lines, and this one does not, or has another indent: items were lost "
                "with the bracket."
            ),
            (
                "Each item has a line of its own and the last remaining item has a comma, or a blank follows the "
                "comma at the end of a line: another item followed."
            ),
            (
                "A name of the block has a wrong letter. If items were lost together with the end of their line, "
                "nothing shows it."
            ),
        ),
        ("bracket", "object", "lost", "order", "list", "type", "marks", "comma", "mark"),
        Syntax(cost=2, writes="]"),
    ),
    "concatenation": _likely(
        "Joined concatenated strings",
        "Code splits long strings this way.",
        '{"tool": "write_file", "path": "a.txt", "content": "one\\n" + "two"}',
        '{"tool": "write_file", "path": "a.txt", "content": "one\\ntwo"}',
        (
            (
                "A quote in one of the strings is not escaped, or the strings meet in the middle of a line: then the "
                "`+` may be part of the text. A `\\n` before it, or a line break in the block, shows the end of a "
                "line."
            ),
            "The strings stand in a list, or in place of a number.",
        ),
        ("type",),
        Syntax(cost=1, writes="", joins=True),
    ),
    "parenthesis": _likely(
        "Joined strings in parentheses",
        "Python joins adjacent strings.",
        '{"tool": "write_file", "path": "a.txt", "content": ("one"\n "two")}',
        '{"tool": "write_file", "path": "a.txt", "content": "onetwo"}',
        (
            "The parentheses contain anything else, or the strings meet in the middle of a line.",
            "The strings stand in a list, or in place of a number.",
        ),
        ("list", "type"),
        Syntax(cost=1, writes="", joins=True),
    ),
    "bare_word": _likely(
        "Quoted a word",
        "The model forgot the quotes.",
        '{"tool": write_file, "path": "a.txt", "content": "x"}',
        _WRITE,
        (
            (
                "The schema does not list the word among the allowed values. If a string is due, a whole date, and a "
                "code that begins with a zero, are quoted all the same."
            ),
        ),
        (),
        Syntax(cost=1, puts="word"),
    ),
    "number": _likely(
        "Replaced another spelling of a number",
        "Other languages write `+3` and `.5`.",
        '{"tool": "resize", "sizes": [+3], "keep": true}',
        '{"tool": "resize", "sizes": [3], "keep": true}',
        (
            "The field takes no number, or the number has zeros in front, digits in groups or a comma.",
            "The number begins with a point and ends with a zero: the point may have slipped in.",
            (
                "Other numbers of the block have a zero before their point (`0.5` beside `.75`): another digit may be"
                " lost there. If the point and another digit changed places, or a digit before the point is lost, "
                "nothing shows it: `.99` becomes 0.99."
            ),
        ),
        (),
        Syntax(cost=1, puts="value"),
    ),
    "square_object": _likely(
        "Replaced square brackets around members with braces",
        "The model confused the brackets.",
        '["tool": "write_file", "path": "a.txt", "content": "x"]',
        _WRITE,
        (
            "They do not hold a list of members, or a list may stand there: then the colon may be the mistake.",
            ("The texts have braces, and all of them are doubled: no brace of the block shows whether they were meant."),
            "An empty list stands where the schema allows an object.",
            "No brace stands in the block, and a text has a square bracket: it may have been one.",
        ),
        ("braces",),
        Syntax(cost=2, writes="{"),
        about="form",
    ),
    "several_objects": Fix(
        _STRUCTURE,
        Safety.LIKELY,
        0.95,
        "Split several objects into calls",
        "Models put several calls into one block.",
        f"{_DELETE}\n{_DELETE.replace('a.txt', 'b.txt')}",
        "two calls, in order",
        (
            "One of the calls is not valid; then none is accepted.",
            "Two separators stand between the objects: a call is lost there.",
            "One object says all that another says, and perhaps more: it may have been begun, and written again.",
        ),
        ("layout",),
        about="form",
    ),
    # Shape.
    "array_of_calls": Fix(
        _STRUCTURE,
        Safety.LIKELY,
        0.95,
        "Split an array into calls",
        "Models put several calls into one block.",
        f"[{_DELETE}]",
        _DELETE,
        (
            "One of the calls is not valid; then none is accepted.",
            "One call says all that another says, and perhaps more.",
        ),
        ("layout",),
        about="form",
    ),
    "envelope": Fix(
        _STRUCTURE,
        Safety.LIKELY,
        0.95,
        "Unwrapped a call from its envelope",
        "Models imitate the formats of several providers.",
        '{"name": "delete_file", "arguments": {"path": "a.txt"}}',
        _DELETE,
        (
            (
                "The envelope has unknown keys, or its own key is neither a known key nor a word of the tool's name "
                "(`event` for `create_event`)."
            ),
            "The tool takes any field, and one of the arguments stands under a key for names of tools.",
            "The arguments are null, an empty string or an empty list, although the tool takes arguments.",
            ("The object defines a tool: what OpenAI calls `function` has `parameters`, where a call has `arguments`."),
            (
                "The call is a template: each of its strings only tells what belongs there. Such a string is a type "
                "(`string (required)`), the name or the description of its field, or one of several placeholders "
                "(`<id>`, `{{step.id}}`, `YOUR_ID`, `to be filled in`). One real string is enough to make it a call. "
                "For a destructive tool, a single placeholder makes a template if the call has no other string. No "
                "fix of any kind is made to a template."
            ),
            (
                "Null, an empty string or an empty list in place of the arguments means no arguments only for a tool "
                "that takes none."
            ),
        ),
        ("place", "layout"),
        about="form",
    ),
    "encoded": Fix(
        _STRUCTURE,
        Safety.LIKELY,
        0.95,
        "Parsed an object that was encoded as a string",
        "Native tool calls encode their arguments this way.",
        '{"name": "delete_file", "arguments": "{\\"path\\": \\"a.txt\\"}"}',
        _DELETE,
        ("The string does not hold an object.",),
        ("place", "layout"),
        about="form",
    ),
    "function_call": Fix(
        _STRUCTURE,
        Safety.LIKELY,
        0.9,
        "Read the tool from a function call",
        "Models write calls like code, after `await` too.",
        'delete_file({"path": "a.txt"})',
        _DELETE,
        (
            (
                "The function is not a tool of the toolset. A call with arguments by name, "
                '`delete_file(path="a.txt")`, is read too, if no other text is around it.'
            ),
            "The tool takes any field, and a string under a key that it does not list is the name of a tool.",
        ),
        ("layout",),
        about="form",
    ),
    "tool_name": Fix(
        _FIELDS,
        Safety.LIKELY,
        0.95,
        "Replaced an alias of the tool with its name",
        "Other programs use other names for it.",
        '{"tool": "create_file", "path": "a.txt", "content": "x"}',
        _WRITE,
        (
            (
                "The name may be another word: only another spelling, a declared alias, or one wrong letter inside a "
                "long word is accepted, and no wrong letter for a destructive tool."
            ),
            "Another name in the block contradicts it.",
            (
                "A string may have the same damage as this name, or as the name of a field. Examples: a blank at an "
                'edge (`" users"` beside `" drop_table"`), a doubled sign (`order__items` beside `drop__table`), '
                "blanks around a sign (`SH - 1042` beside `drop _ table`), the doubled letter that several names "
                "have, Caps Lock (`nO STAIRS`), or capitals in the name and in all strings. For a destructive tool it"
                " is enough if the name and all strings begin with capitals."
            ),
            (
                "The name lost the signs between its words (`droptable`), and the tool is destructive, or a string "
                "begins or ends with such a sign."
            ),
            (
                "The name has blanks in place of its signs; a string may be a name with the same damage, and no such "
                "sign is left in the block. For a destructive tool, any string with the sign that the name has "
                "instead may be damaged."
            ),
        ),
        ("spelling", "layout"),
        about="form",
    ),
    "missing_tool": Fix(
        _FIELDS,
        Safety.INVENTED,
        0.3,
        "Added the only tool that takes exactly these fields",
        "The model forgot the tool; or the block is an example, which cannot be excluded.",
        '{"path": "a.txt", "content": "x"}',
        _WRITE,
        (('`fixes` is not `"spec"`, several tools take these fields, the tool takes only one field, or it is destructive.'),),
        ("layout",),
    ),
    "field_name": Fix(
        _FIELDS,
        Safety.LIKELY,
        0.95,
        "Replaced an alias of a field with its name",
        "Other programs use other names for it, or a letter is wrong.",
        '{"tool": "write_file", "file_path": "a.txt", "code": "x"}',
        _WRITE,
        (
            (
                "The call has the field already, or the name may be another word: an opposite, a unit, a direction. "
                "For a destructive tool no wrong letter is accepted."
            ),
            (
                "An open schema has a member whose name is nearly that of a missing field (one letter, digits that "
                "look like letters, a word more or less). Then a block that needs any fix is refused, and the hint "
                "asks for that field."
            ),
            (
                "The tool's name stands under another key than `tool` (`name`, `function`), the tool takes any field,"
                " and an unlisted member is the name of a tool, may be a call, or is an object with everything that "
                "the call says: two calls may have become one."
            ),
            (
                "A key that no schema lists is spelt as this name was (`userId` beside `onConflict`), and no key of the block "
                "as the field is: a program may have respelt all of them."
            ),
        ),
        ("spelling", "layout"),
        about="form",
    ),
    "extra_field": Fix(
        _FIELDS,
        Safety.LIKELY,
        0.9,
        "Removed a remark beside the call",
        "Models add explanations.",
        '{"tool": "write_file", "path": "a.txt", "content": "x", "explanation": "asked for"}',
        _WRITE,
        (
            "The remark contains more than harmless words, or is not a call's id (`call_...`).",
            "The tool has ids of its own, takes any field, or is destructive.",
            (
                "The name of the member is not that of a remark, or the block was not JSON: then the member may be "
                "part of a string. Exceptions are the members that the tool lists in `remarks` and `defaults`: they "
                "are removed beside raw line breaks and trailing commas too. A member in `remarks` may have any "
                "words, except signs and words known to speak against the call, in six languages; a remark that is "
                "against the call in other words is removed like any other. A member in `defaults` must have the "
                "value given there."
            ),
        ),
        ("layout",),
        about="form",
    ),
    "list_of_paths": Fix(
        _STRUCTURE,
        Safety.LIKELY,
        0.9,
        "Made one call for each path of a list",
        "Models abbreviate repeated calls.",
        '{"tool": "open_file", "path": ["a.txt", "b.txt"]}',
        "two calls, in order",
        ("The tool takes more than a path, or is destructive.",),
        ("place", "layout"),
    ),
    "list_of_edits": Fix(
        _STRUCTURE,
        Safety.LIKELY,
        0.9,
        "Made one call for each change of a file",
        "Models abbreviate repeated calls.",
        '{"tool": "edit_file", "path": "a", "search_replace": [{"old_string": "x", "new_string": "y"}, '
        '{"old_string": "v", "new_string": "w"}]}',
        "two calls, in order",
        (
            (
                "The tool does not work on a file, or takes more than such changes, or is destructive; or one of the "
                "calls is not valid."
            ),
        ),
        ("place", "layout"),
    ),
    "null_field": Fix(
        _FIELDS,
        Safety.LIKELY,
        0.9,
        "Removed a null from a field that need not be given",
        "Models write down every field, also those for which there is no value.",
        '{"tool": "resize", "sizes": [1], "keep": true, "title": null}',
        '{"tool": "resize", "sizes": [1], "keep": true}',
        (
            "The field takes null: there null is a value.",
            (
                "The tool changes something that exists: null may clear a field of it. A tool that changes nothing, "
                "or whose name says that it makes something new, such as `create_event` or `send_mail`, has nothing "
                "to clear."
            ),
            (
                "The schema has a default that is not null, or the field is a choice or a bound (`limit`, "
                "`deadline`), or a number of a tool that makes something new: null may lift the bound. If the default"
                " is null, null and a missing field mean the same."
            ),
            "The tool is destructive.",
        ),
        (),
    ),
    "coercion": Fix(
        "VALUE_COERCION",
        Safety.LIKELY,
        0.9,
        "Converted a value to the type that the tool takes",
        "Models confuse a number with the string that spells it, a list with its one item, a list or an object with its JSON,"
        " a value with an object that holds it, the capitals of a choice, and the forms of a date.",
        '{"tool": "write_file", "path": "VERSION", "content": 1.10}',
        '{"tool": "write_file", "path": "VERSION", "content": "1.10"}',
        (
            "The string does not spell exactly one value.",
            (
                "Brackets would be put around some items of a list and not around others; or around each item of a "
                "list of lists, where they may belong around all items together."
            ),
            (
                "The object lacks a number, and this number stands in place of a string whose field is not named like"
                " an id, a version or a code."
            ),
            (
                "By its name, the string is a date, a time or an address (`start`, `host`): if it lost its quotes and"
                " a mark, it looks like a number."
            ),
            "The value stands in an inner object, and the call lacks a number of the same name.",
            (
                "A choice differs in more than its capitals and the single blank, `_`, `-` or `.` between two words. "
                "Such a sign counts as different beside a digit or a single letter, and at an edge. So do the "
                "capitals of a unit or of a single letter (`Mb`, `m`)."
            ),
            "Two choices may be meant, or several besides the one that joins them.",
            (
                "A text in place of a list is not certainly its only item. It is not if it has a sign that separates "
                "items in any script; a sign that may join two items (`a/b`, `a+b`), unless it is a path or an "
                "address; or another sign at its beginning. It is not if it is a range (`A1-A3`, `Mon-Fri`, `a..b`), "
                "says which items are meant (`not-A1`), or is a word for none, all, or a truth value (`none`, `n/a`, "
                "`keine`, `all`, `false`; such a list of words is never complete). 0 and negative numbers are not, "
                "either."
            ),
            (
                "The field is optional, the tool changes something, and the value may only fill its place: 0, an "
                'empty value (`[""]`, `{"value": 0}`), or a text in the place of a list, such as `unchanged` and '
                "`as-is`. A text that is a choice, or has a digit or a sign as names and addresses have, is no such "
                "filler."
            ),
            (
                "An object stands in place of a file's text, and the path does not end in `.json`, or path and "
                "`content` are not all that the tool (of risk WRITE) needs and the call gives."
            ),
            (
                "Two values may have changed places: this value, as it was written, fits the field of a member beside"
                " it, or of another converted value, and that one's value fits here."
            ),
            (
                "A string spelt another value, and another string spells one too (a number, a truth value, null, a list, an "
                "object) where the schema takes it: all values of the block may have become strings."
            ),
        ),
        (),
    ),
    "path_escape": Fix(
        _FIELDS,
        Safety.LIKELY,
        0.9,
        "Replaced an escape in a path with a backslash",
        "The backslashes of a Windows path were not escaped; a path contains no tabs and line breaks.",
        '{"tool": "write_file", "path": "build\\temp", "content": "x"}',
        '{"tool": "write_file", "path": "build\\\\temp", "content": "x"}',
        ("The character is not written as a backslash and a letter, or the value is not the path of a file.",),
        (),
    ),
    "missing_field": Fix(
        "METADATA_ADDITION",
        Safety.INVENTED,
        0.3,
        "Added an empty string for a missing required field",
        "The specification of the file tools allows it. The model did not write it.",
        '{"tool": "write_file", "path": "a.txt"}',
        '{"tool": "write_file", "path": "a.txt", "content": ""}',
        (
            '`fixes` is not `"spec"`.',
            (
                "An unlisted member has nearly the name of the missing field, or contains a member that has: "
                '`{"data": {"content": "x"}}`.'
            ),
        ),
        ("layout",),
    ),
}
"""Every fix, by its name."""


def fixes_where(holds: Callable[[Fix], bool]) -> frozenset[str]:
    """Return the names of the fixes whose rows satisfy this condition."""
    return frozenset(name for name, fix in CATALOGUE.items() if holds(fix))


def leaving(doubt: Doubt) -> frozenset[str]:
    """Return the names of the fixes whose rows list this doubt."""
    return fixes_where(lambda fix: doubt in fix.doubts)


def keeps_layout(fix: AutoFix) -> bool:
    """Return whether a change leaves each name in the place where the model wrote it. For a tool's own fix, its
    type decides.
    """
    if fix.rule in CATALOGUE:
        return "layout" not in CATALOGUE[fix.rule].doubts
    return fix.type in ("SYNTAX_REPAIR", "VALUE_COERCION")
