"""The catalogue of fixes: what each does, why, an example, when it is not done, and what other checks have to know of it.

A row changes nothing; docs/fixes.md is printed from this table. The code is elsewhere: a fix of syntax in `reader.py`, one
inside a string in `strings.py`, one of the body as a whole in `engine.py`, one of shape in `shape.py`. Each names its row where
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
"""What a fix leaves open, so that a check looks closer at the block, or refuses it.

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
    """What the reader has to know of a fix of syntax."""

    cost: int
    """What the fix adds to the cost of a reading; the cheapest reading is taken. 0 if the fix has no alternative."""

    writes: str | None = None
    """The characters that the fix writes, empty if it only removes some; None if they depend on the body (`puts`)."""

    puts: Literal["text", "value", "word", "quotes"] = "text"
    """What it writes instead: `text`, the text that was read there; `value`, that of the word there; `word`, the word in
    quotes; `quotes`, the text, or else the word in quotes. Where no text was read, the record shows the field's value."""

    leaves_out: Literal["nothing", "known", "said"] = "nothing"
    """Which words of the body it may leave out: `known` are words of formats, which its own code has checked; `said` are the
    model's own words, which have to be harmless (`remarks.py`)."""

    ends_strings: bool = False
    """Whether the fix leaves no doubt about the end of any string."""

    joins: bool = False
    """Whether the fix makes one string of several."""


class Fix(NamedTuple):
    """One row of the catalogue."""

    type: FixType
    """What kind of change it is."""

    safety: Safety
    """How much it assumes."""

    confidence: float
    """How sure it is, from 0 to 1."""

    what: str
    """What it does, as the record of a change says it."""

    why: str
    """Why models make the mistake, or why the change is right."""

    before: str
    """A body that needs it."""

    after: str
    """What becomes of it."""

    unless: tuple[str, ...]
    """When the fix is not done, because it would be a guess. Each entry is a reason of its own."""

    doubts: tuple[Doubt, ...]
    """What the fix leaves open. An entry too many only refuses calls; a missing one may let a wrong call run."""

    syntax: Syntax = Syntax(cost=0)
    """What the reader has to know of a fix of syntax; None for a fix of shape."""

    about: Literal["values", "text", "form"] = "values"
    """What it assumes something about, if it is not lossless: the values of a call, the contents of a single text, or only how
    a call is written. A destructive tool takes a call with the last alone, or with a text of another call of the same array."""


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
                "The text has one line break, or several with nothing between them, between two small letters (`line "
                "one⏎line two`, `kit⏎chen`), between two figures, or after a comma or the hyphen of a word and "
                "before a small letter or a figure: it may come from wrapping, or split a word."
            ),
            (
                "The only line break of a text stands inside a number, a date, an address or a word in capitals "
                "(`12.⏎50 EUR`, `c@⏎d.org`, `ERR⏎OR`), in quotes or brackets, or beside a blank. This reason and the "
                "one above do not hold where the text shows that lines were meant: by a capital after the line "
                "break, the end of a sentence before it, two lines of one form (each with a link, a bullet, a member,"
                " a statement, or in `command` a command), or a second line after it. In `content`, `Line one.⏎Line "
                "two.`, `line one⏎Line two`, `- milk⏎- eggs` and `buy milk⏎buy eggs⏎buy tea` are fixed."
            ),
            (
                "The field is not named like a long text, and a line break stands before the only line; or one of at "
                "most three lines does not end for sure, as a statement or a sentence does."
            ),
            (
                "The field is named like a command, and one of its lines, however many, does not end for sure: `rm -rf` "
                "with two paths on lines of their own. A document in a command (`<<EOF`) is fixed."
            ),
            (
                "Only the indent of the next line would show that a line ends (`ls` and an indented `-l`): it may be "
                "the margin of a line that was wrapped. It shows it after what opens a block (`def f():`, `if (a) {`, "
                "`services:`, `<ul>`), and where the line before has the same."
            ),
            (
                "A sentence goes on over a line break in a text that escapes others, or a word goes on after several"
                " line breaks with something between them: it was cut there."
            ),
            (
                "A sentence goes on over lines of a text, and all its lines but the first have the margin of a line "
                "of the block; or, in a block on one line, they have any, and one does not end for sure; or all lines "
                "of the block have a margin."
            ),
            "What stands after a line break begins with all that stands before it: the text was begun again.",
            "The string also holds `\\n` between quotes of the code, where it may belong to the code.",
            (
                "Its schema or name implies a single line: a pattern, a format, an enum, at most 64 characters, an "
                "item of a list, `path`, `user_id`; a tab between two words of a title or a `name` is its own."
            ),
            "The tool is destructive.",
            (
                "It is the only one in its text, others of the block are escaped, and it ends no line for sure: it "
                "slipped in on the way. One that ends a line stands after a statement, a sentence or a tag, or "
                "before what a line begins with, in no bracket or quotes that its line opens, and at no edge of a "
                "text of one line."
            ),
            (
                "It is the only one of the block that makes an empty line, beside one that is escaped, in a text "
                "without another such line: it may have slipped in too."
            ),
            "One of its lines is a fence without another half: the text may have been cut off there.",
            "All lines of the body are as long as its width allows, or end with `=`: it was wrapped.",
            (
                "The only line break ends the longest line, at 40 or 76 characters for example, and stands between "
                "two words: the line may have been wrapped."
            ),
            "The line breaks in texts all have one margin after them, and stand where a width ends.",
            "The texts have no escaped quote, and another one escapes its line breaks.",
            "Only some lines have the indentation of the fence. Where all do, it is taken off, as in Markdown.",
            "It stands in a key: a key with a control character in it is no key.",
            (
                "It is another control character than a tab or a line break, such as NUL or a form feed: but in a "
                "field that is named like a long text, one with a colour of a terminal and its end (`␛[31mred␛[0m`) "
                "keeps its colours and form feeds."
            ),
            (
                "It is the only tab of a text of one line, which is no title, and stands between two letters or two "
                "figures (`fr⇥ont`)."
            ),
            "A line break stands at the beginning or the end of a text of one word, with blanks or without.",
            "A line of the block ends between a key and its value, and does not begin with the key: it was wrapped there.",
            (
                "A backslash stands before it, after `\\n`, and the next line begins with a letter of an escape: it "
                "may stand inside that."
            ),
            (
                "A line break may have changed places with the quote beside it: the block is written in lines, and a "
                "bracket of it stands after that quote, or its margin stands in the text, or no line ends between "
                "the text and the next token."
            ),
            "Half of a line break (`\\r`) stands in the text.",
            ("A `\\r` alone stands in the text, and none between the tokens: a terminal wrote over what is before it."),
            (
                "Lines of an event stream stand between its own (`data: `, `event: message`, `: keep-alive`), and it "
                "has no settings and does not begin so."
            ),
            "The block has an escape (`\\\\`, `\\/`, `\\u200b`) and nothing shows that its writer escapes.",
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
            "It stands after a digit and a blank or a line break: a comma and a digit changed places.",
            "A blank stands after it before the end of a list, and the tool is destructive: an item may be lost.",
            (
                "The bracket after it begins a line at another indent than the line with its opening bracket: lines "
                "between them were lost."
            ),
            (
                "The bracket that closes a list stands on the line of its last item, and the one that opens it ends "
                "its line: a program closed what was cut off."
            ),
            "A comma between two members of another object is missing: a member moved there.",
            (
                "The item before it is that before the last once more, or a member of its object stands there twice: "
                "it was written over another."
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
            ("A required field is missing: it is probably the one that was left out; of an optional one nobody knows."),
            "It stands after a number, whose last figure it may be.",
            "Something stands between the commas, if only a blank: so may a member that was lost.",
            "A comma between two members of another object is missing: a member moved there.",
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
            "What follows is not a key of the tool, or the comma may be the last character of the string before.",
            "A comma stands before the brace there: the two may have changed places.",
            "The two members have other indents: lines may have changed places.",
            "An object follows an equal one: it may have been begun again.",
            (
                "It is missing after a number, whose last digits may be missing with it, and the tool is "
                "destructive, or more blanks than one stand there, or one at the end of a line."
            ),
            (
                "A text beside it ends with a blank, or any text of the block begins with a comma, or one of a single"
                " line that is not indented ends with one, or the text before it has one among its last four signs: "
                "it may have crossed the quote."
            ),
            "An empty line stands there: a member may have stood in it.",
            "A comma is too many in another object: a member moved from there.",
            "A name has a wrong letter: characters were lost on the way, and perhaps in texts too.",
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
            (
                "The two values differ in type, value or the spelling of a number (an empty list is a value), or "
                "another member stands between them, or they stand in an item of a list: the rest of two merged "
                "objects looks the same."
            ),
            (
                "They begin lines of other indents, or a comma of their object is one too many, or the tool is "
                "destructive and the object may have members that it has not: the second may have been written over "
                "another."
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
                "The string holds escapes with two readings for its kind of quotes (one that no language has, such as"
                " the `\\U` of `C:\\Users`, beside `\\n`; or quotes of which some are escaped and some are not: between "
                'single quotes `"` needs no backslash), or `${...}` between backticks.'
            ),
            (
                "`\\/` stands in it, or in any string of a block whose keys have Python's quotes or are names of "
                "arguments (`f(path=...)`): Python keeps the backslash, and JSON does not."
            ),
            ('Of several that begin with typographic quotes some end with one and some with `"`: a program closed it.'),
            ('It begins with `"` and ends with `”`, and others do not: the mark may be its own. So may the first of `“15"`.'),
            "Only some strings and keys stand between `«` and `»`, or a text has one of these marks within.",
            (
                "A text between single quotes or backticks is quoted again, or is JSON with escapes: they may be of "
                "the JSON or of the marks."
            ),
            (
                "Two backticks or more stand beside each other at its beginning or end, as Markdown writes them "
                "around code: what is between them may be the text, and the line of the marks, or not."
            ),
            (
                "A text between other marks holds members of the block: they are those of two texts. So are two empty"
                " ones with a quote too many each, where a comma and a key seem to be a text between three quotes."
            ),
            (
                "A backslash stands between single quotes where `=`, or values without quotes, show TOML or YAML, or "
                "one before anything but a quote or a backslash where `=>` shows Ruby, Perl or PHP: there it is the "
                "text's own. YAML joins lines, too: a text over several is refused where keys and values lack their "
                "quotes."
            ),
        ),
        ("key",),
        Syntax(cost=0, puts="quotes"),
    ),
    "bare_key": _lossless(
        "Quoted a key",
        "JavaScript needs no quotes.",
        '{tool: "delete_file", path: "a.txt"}',
        _DELETE,
        (),
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
                "The text beside it begins or ends with a blank, a quote without another half or a mark of JSON: it "
                "may have crossed the quote. In any block that is not JSON, this is so of a text that begins with a "
                "blank where the quotes of the others have one before them."
            ),
            "A name has a wrong letter: characters were lost on the way, and perhaps in texts too.",
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
            "An `=` ends a line: mail programs wrap lines so.",
            "A text without quotes may begin with the second colon.",
            (
                "The value after two colons may be another member's, of which the key is lost with the value before "
                "it: the object stands in a list, or lacks a member that its schema lists for such a value (of a "
                "destructive tool, or where a value of the call is converted: any member)."
            ),
            ("The tool is destructive, and a blank stands between two colons: the second may have crossed the quote."),
            (
                "The text after it begins with a blank or a mark that may have crossed its quote, and not all "
                "separators of the block are others."
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
        ("One is written in capitals, `TRUE` or `FALSE`, where not only a truth value may stand.",),
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
                "It contains more than harmless words, such as `the call`, and the name of the tool or of the field "
                "beside it, or words of it that speak neither against a call (`pending`) nor of it (`replace this "
                "call`): a number, a quotation, an unknown word."
            ),
            "A string has unescaped quotes: then it may be part of the code.",
        ),
        (),
        Syntax(cost=0, writes="", leaves_out="said"),
    ),
    "invisible": _lossless(
        "Removed invisible characters between tokens",
        "Text copied from web pages contains them. In strings they stay.",
        '\ufeff{"tool":\u00a0"delete_file", "path": "a.txt"}',
        _DELETE,
        ("A text has one of them too: there it may have been a plain blank, as all others were.",),
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
                "The texts have braces, and all of them are doubled too (but `{{ name }}` between two tags of a "
                "page): they may have been doubled with the others."
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
                "A member follows an inner object, which may have closed too early: only a field that no inner object"
                " may have is the call's own."
            ),
            (
                "The call holds an object that takes any field, or a field that the tool does not list, or lacks an "
                "object or a list of objects that the tool lists: the bracket may be that object's."
            ),
            "All braces in the texts are doubled: one of a doubled pair may be left over.",
            "A list ends after an indented object: its beginning was lost.",
            "The last text of the block has a bracket too few, in one line.",
            (
                "A full stop is left over, or after a text a comma, and the last value has only figures: it may be "
                "the value's own."
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
            (
                "The result is not a valid call, or a text of a single line has a line break or a tab in it, and no "
                "quote in a text shows that its backslash was escaped too: then it may be that only the quotes were. "
                "Nor if a text has any other escape, and neither an escaped quote in a text nor a line break between "
                "two members shows that the backslashes of the texts were doubled; nor if one has any, and the "
                "members stand on lines of their own."
            ),
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
            ("The result is not JSON, or the body has a quote, another entity, or a character that HTML would have escaped."),
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
        ("Not every line has one, or a string goes over several lines: then the marks in it may be its own.",),
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
            "A tag closes that did not open.",
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
                "It contains more than harmless words, such as `I'll call`, and the tool's own name, or words of it "
                "that speak neither against a call (`never`) nor of it (`discard the call`): it may forbid the call, "
                "correct it, or refer to another one."
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
            (
                "The string may end in two places, some of its quotes are escaped and some are not (but around "
                "attributes of HTML, or one quote in a text whose brackets before it close), or it contains a field "
                "that the call lacks, or a member that the schema does not list stands after a text."
            ),
            "It says one thing twice with quotes between, or three quotes stand in the middle of a word.",
            (
                "Its only unescaped quotes are one empty pair, or it has no word, or a slash stands before each of "
                'several (`/"hi/"`).'
            ),
            "One of them has a closing brace or bracket after it that the text does not open.",
            (
                "The keys of the block have no quotes, or are arguments as Python writes them, and a colon or an "
                "equals sign stands before one."
            ),
            (
                "A text holds a character's number without its backslash (`u00e9`), and the block has none at all or "
                "escapes other characters so; or it has none at all, and a text, this one or another, holds the `n` "
                "of a line break (`f(x)n`, `{n  x}`, `- an- b`) or any number of a character (`u003c`): then all were"
                " lost."
            ),
            "A text has an escaped tab in the middle of a line, which may be a backslash and a letter.",
            (
                "A `\\n` stands before a letter after a drive (`C:\\new`), a folder (`..\\new`) or a variable, or at "
                "the beginning of a text without another one at its end, or before an empty or an indented line."
            ),
            "Three quotes stand at both ends of the text.",
            "Some apostrophes of the block are escaped, and some are not.",
            (
                "The block has another escape (`\\\\`, `\\/`, `\\u200b`), and no line break between two lines shows that "
                "its writer escapes."
            ),
            (
                "A quote that is not escaped stands between two pieces that are the same, or the only one after the "
                "mark before the text: it was begun again there."
            ),
            (
                "One stands before a comma at the end of the text: an item moved into it, with its comma. Four things"
                " cannot be known and are read: an escaped quote in another text; one quote that is escaped beside "
                "one that is not; backslashes that were all lost and left no other trace than words that look odd "
                '(`C:newt.txt`, `(w+)`, `|n|`); and an address that a page made a link of (`<a href="x">x</a>`).'
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
            (
                "Another escape in the block (`\\n`, `\\t`) may have been meant as a plain backslash and a letter; so "
                "may any tab."
            ),
            "It is `\\x22`, `\\x27` or `\\x5c`, by which other languages write a quote or a backslash.",
            (
                "It is the escape of a character in another language (`\\xe9`, `\\u{1F600}`, `\\e[`), outside of a "
                "literal of code; or a character's number that lacks a figure (`\\u65e`) or has letters for its zeros "
                "(`\\uoob5`)."
            ),
            (
                "All of them stand before marks (`\\_`, `\\.`), and nothing shows a pattern. Beside it a `\\n` is a line"
                " break only between lines of code, in a field named like a long text: `content`, `code`. In another "
                "text of the block it has to stand between two lines or after a statement or an indented line: "
                "alone, or after a word, it may be what takes the place of what a pattern finds, and so may a `\\t` "
                "in a text without lines. A path that was not escaped says nothing of the other texts."
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
                "The text has other quotes, or apostrophes without a backslash, or another backslash than that of a "
                "line break: then it may be code, and the backslash its own."
            ),
            "The apostrophe stands neither in an English word nor in a pair: it may be an accent of LaTeX.",
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
            "A fix is needed that assumes anything.",
            "The markup around the object lacks its end too.",
            "No fence closes the block.",
            (
                "The last text ends with a bracket that it does not open, also before blanks or a line break, or some"
                " text holds a brace or a square bracket that it does not open."
            ),
            ("The last inner object has a member that the call lacks and may have: the brace may be missing before it."),
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
                "It is not the last mark of the block, or something else is wrong as well, or what `missing_bracket` "
                "is not done for."
            ),
            "It is square and stands after a list: it may be that of a list around this one.",
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
            "The key is not a field of the object around the list, or is there already.",
            "The last item is a list: its opening bracket may be a doubled one.",
            "A bracket is left over at the end, or a comma is missing or too many.",
            "A quote of the key is missing too, or two blanks stand there: more was lost than a bracket.",
            "An empty line stands there: an item may have stood in it.",
            ("The keys before it begin lines, and this one does not, or has another indent: items are lost with the bracket."),
            (
                "Each item has a line of its own, and the last one that is left has a comma on it; or a blank stands "
                "after the comma at the end of its line: another item came."
            ),
            ("A name of the block has a wrong letter. Of items that are lost with the end of their line there is no trace."),
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
                "One of their quotes is not escaped, or they meet in the middle of a line: then the `+` may be part "
                "of the text. It is the end of a line where a `\\n` stands before it, or a line break in the block. "
                "Nor is it done in a list, or for a number."
            ),
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
            (
                "The parentheses hold anything else, or the strings meet in the middle of a line. Nor is it done in a"
                " list, or for a number."
            ),
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
                "The schema does not list the word among the allowed values. Where a text is due, a whole date and a "
                "code that begins with a zero are quoted all the same."
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
            "It begins with a point and ends with a zero: the point may have slipped in.",
            (
                "Others of the block have a zero before their point (`0.5` beside `.75`): another figure may be lost "
                "there. Whether the point and another digit changed places, or a figure before it is lost (`.99` is "
                "0.99), nobody knows."
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
            "An empty list stands where an object may.",
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
            "Two separators stand between them: a call is lost there.",
            "One says what another says, and perhaps more: it may have been begun, and written again.",
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
            "One says what another says, and perhaps more.",
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
                "The envelope holds unknown keys, or its own key is neither a known one nor a word of the tool's name"
                " (`event` for `create_event`)."
            ),
            "The tool takes any field, and among the arguments stands one under a name for the tool.",
            "Null, or an empty text or list, stands in place of the arguments, and the tool takes some.",
            (
                "It defines a tool: what OpenAI calls `function` has `parameters`, where a call has `arguments`. Nor "
                "is any fix made to a template: a call whose texts all say what stands there, a type (`string "
                "(required)`), the name or the description of their field, or several placeholders (`<id>`, "
                "`{{step.id}}`, `YOUR_ID`, `to be filled in`); one text that does not is enough. Of a destructive "
                "tool one placeholder is a template, if the call has no other text."
            ),
            "Null, or an empty text or list, stands for no arguments only where the tool takes none.",
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
                '`delete_file(path="a.txt")`, is read too, if nothing stands around it.'
            ),
            "The tool takes any field, and the text of one that it does not list is the name of a tool.",
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
                'A text looks as this name did, or as that of a field did: it has a blank at an edge (`" users"` '
                'beside `" drop_table"`), a sign twice (`order__items` beside `drop__table`), blanks around one (`SH '
                "- 1042` beside `drop _ table`), a letter twice that several names have twice, Caps Lock (`nO "
                "STAIRS`), or all texts are capitals as the name is; for a destructive tool too if the name and all "
                "texts begin with capitals."
            ),
            (
                "It lost the signs between its words (`droptable`), and the tool is destructive, or a text begins or "
                "ends with such a sign."
            ),
            (
                "It may be a name with blanks for its signs, as this one, and no sign of that kind stands in the "
                "block; for a destructive tool that is so of any text with the sign that stands in the name."
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
                "The field is there already, or the name may be another word: an opposite, a unit, a direction. For a"
                " destructive tool no wrong letter is accepted. Where an open schema has a member that is nearly one "
                "of its fields, which is absent (a letter, digits that look like letters, a word more or less), a "
                "block that needs any fix is refused, with the question for that field. The tool's name does not move"
                " from another key (`name`, `function`) to `tool` where the tool takes any field, and one that it "
                "does not list has the name of a tool, holds what may be a call, or is an object with all that the "
                "call says: two calls may have become one."
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
            "It contains more than harmless words, or is not a call's id (`call_...`).",
            "The tool has ids of its own, takes any field, or is destructive.",
            (
                "Its name is not that of a remark, or the block was not JSON: then it may be part of a string. "
                "Members that the tool lists in `remarks` may have other words, but no sign and no word known to be "
                "against the call, in six languages; a remark that is against it in other words is removed as any "
                "other. Those that it lists in `defaults` need the value there. Both are removed beside raw line "
                "breaks and trailing commas too."
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
        ("The tool does not work on a file, takes more, or is destructive; or one of the calls is not valid.",),
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
            "The field takes null, which is a value then.",
            (
                "The tool changes something that is there: null may clear a field of it. Only a tool that changes "
                "nothing, or whose name says that it makes something (`create_event`, `send_mail`), cannot be meant "
                "so."
            ),
            (
                "The schema has a default that is not null, or the field is a choice or a bound (`limit`, "
                "`deadline`), or a number of a tool that makes something: null may lift the bound. Where the default "
                "is null, the two are the same."
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
                "Brackets would be put around some items of a list and not around others, or around each item of a "
                "list of lists, where they may belong around all."
            ),
            (
                "The object lacks a number, and the text in whose place this one stands is not named like an id, a "
                "version or a code."
            ),
            (
                "That text is a date, a time or an address by its name (`start`, `host`): without its quotes and a "
                "mark, one looks like a number."
            ),
            (
                "It stands in an inner object, and the call lacks a number of that name. Of a choice only capitals "
                "may differ, and the one blank, `_`, `-` or `.` between two words: not beside a digit or a single "
                "letter, not at an edge, and not where two choices may be meant, or several beside the one that joins"
                " them; nor the capitals of a unit or of a single letter (`Mb`, `m`). A text is no list of one item "
                "if it holds a sign that parts items in any script, or may join two (`a/b`, `a+b`) and is no path or "
                "address, begins with another sign, is a range (`A1-A3`, `Mon-Fri`, `a..b`), says which are meant "
                "(`not-A1`), or is a word for none, all or a truth value (`none`, `n/a`, `keine`, `all`, `false`; no "
                "list of words holds all); nor is 0 or a negative number. In a field that need not be given, of a "
                'tool that changes something, what may only fill its place stays too: 0, what is empty (`[""]`, '
                '`{"value": 0}`), and a text in the place of a list, unless it is a choice or has a digit or a sign '
                "as a name or an address has it: `unchanged` and `as-is` are words as any other. An object is a "
                "file's text only if the path ends in `.json`, and path and `content` are all that the tool (of risk "
                "WRITE) needs and the call gives."
            ),
            (
                "The value fits, as it was written, the field of a member beside it, or of another value that is "
                "converted, and that one's fits here: they may have changed places."
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
                'A member that the schema does not list has nearly its name, or holds one that has: `{"data": '
                '{"content": "x"}}`.'
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
    """Return the names of the fixes that leave this open."""
    return fixes_where(lambda fix: doubt in fix.doubts)


def keeps_layout(fix: AutoFix) -> bool:
    """Return whether a change leaves every name where the model wrote it. For a tool's own fix, its type decides."""
    if fix.rule in CATALOGUE:
        return "layout" not in CATALOGUE[fix.rule].doubts
    return fix.type in ("SYNTAX_REPAIR", "VALUE_COERCION")
