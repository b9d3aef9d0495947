"""Whether a text beside a call is harmless: prose and comments around it, and members that are no fields of its tool.

To find what such a text forbids, one would need every word of every language. So this works the other way round: a text is
passed over if all its words say only that a call is made.

Rule 1: what is not known to be harmless is not passed over: a number, a quotation, a word of another field, any other word.
Rule 2: a known wrapper's marks are no words, and neither is the tool's own name as a whole, in any spelling. A single word of
that name is harmless if it is not against the call, and does not say what is to become of the call (`replace this call`).
Rule 3: a word that is a name or a value of the toolset is not harmless, whatever it means elsewhere.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

from ..schema.fields import Field
from ..schema.spelling import tokens
from ..toolset.tool import Risk, Tool
from ..toolset.tools import Tools
from ..values.call_keys import NEUTRAL_KEYS
from .against import APOSTROPHES, SPOKEN, limits_nothing, says_nothing_against

_WORDS: Final = """
    a am an as asked call calling calls for function going here here's i i'll i'm invoke invoking is it let let's me my need now
    of ok okay on please requested sure that the this to tool use using will with you your
    der die das hier ist aufruf rufe ich auf werkzeug
    voici l'appel appel de la le outil l'outil
    aquí está llamada herramienta
    ecco chiamata strumento
    aqui chamada ferramenta
    这是调用 调用 调用工具
"""
_HARMLESS: Final = frozenset(_WORDS.split())
"""The words of which harmless prose is made. Each word, and any combination of them, says only that a call is made."""

_WORDS_OF_CALLS: Final = """
    abort after another ask avoid before block cancel decline defer delay deny different disable draft drop dry error example
    exclude fail false forget hold ignore invalid last leave mock no not off other out pause plan prevent preview reject revert
    sample simulate skip stop suspend test undo wait when withdraw
"""
_AGAINST: Final = frozenset(_WORDS_OF_CALLS.split())
"""Words that are not harmless even if the tool's name contains them, since beside a call they may be about the call (`cancel`).
All words that speak against a call in a remark belong here too."""

_PHRASES: Final = re.compile(r"\b(?:that(?: i|')s all|this does it|(?:i'll|i will) do this)\b|\A\W*required\W*\Z")
"""Matches a phrase that is harmless as a whole, though some word in it is not."""

_BETWEEN: Final = re.compile(r"[\s`*.,:!()。，：！]*")
"""Matches the marks and blanks between harmless words."""

_ITEM: Final = re.compile(r"(?:\A|\s)\*(?=\s|\Z)")
"""Matches the mark of a list item (`*`): the text after it is one of several."""

_COMMENT: Final = re.compile(r"//+|#+|/\*+|\*+/")
_MOST: Final = 300
"""The longest text that may be harmless. A longer text says more than that a call is made."""

_WRAPPER: Final = re.compile(
    r"\s*(?:"
    r"(?!<\|tool\|)</?\|?(?:tool_calls?|tool_use|toolcall|function_calls?|function|invoke|tool|json)\|?>"
    r"|\[/?(?:TOOL_CALLS?|TOOL_REQUEST|END_TOOL_REQUEST)\]"
    r"|(?:(?:const|let|var)\s+)?(?:tool_calls?|tool_use|tool_code|toolCalls?|function_calls?|functionCall|call|(?i:json))\s*(?:=|:|:=|=>)"
    r"|(?:(?i:json)|tool_calls?|tool_code)(?=\s*\Z)"
    r"|\A`{3,}(?i:json)?[ \t]*(?=\n\s*\Z)"  # the fence, opened twice
    r"|;"
    r")",
)
"""Matches the marks that models have learned to put around a call (`<tool_call>`, `const call =`). A name alone counts only if
nothing follows it."""


_MARKS: Final = frozenset(" \t\r\n>`()[];")


def is_wrapper(text: str, *, behind: bool | None = None) -> bool:
    """Return whether a text before or after an object has only blanks and marks that wrap a call.

    `behind` is whether the text comes after the object, where no opening mark is allowed; before it, no closing mark is.
    """
    if behind is not None and (_OPENS if behind else _CLOSES).search(text):
        return False
    if _MARKS.issuperset(text):
        return True
    at = 0
    while found := _WRAPPER.match(text, at):
        at = found.end()
    return not text[at:].strip()


_OPENS: Final = re.compile(r"<[^/]|[:=(]\s*\Z")
"""Matches an opening mark: a tag, or a sign at the end after which something follows."""

_CLOSES: Final = re.compile(r"</")


def closes(before: str, behind: str) -> bool:
    """Return whether the closing tags after an object match the opening tags before it. True if there are none on one side."""
    opened, closed = _TAG.findall(before), _TAG.findall(behind)
    return not opened or not closed or opened == [tag.replace("/", "", 1) for tag in reversed(closed)]


_TAG: Final = re.compile(r"[<\[][/|]*\w+\|?[>\]]")


def _others(tools: Tools, tool: Tool) -> set[str]:
    """Return the names of all tools but one, in lower case."""
    return {one.name.lower() for one in tools} - {tool.name.lower()}


_NAMES: Final = re.compile(r"[\w.-]*\w")


def is_harmless(text: str, tools: Tools, tool: Tool | None = None, field: str | None = None) -> bool:
    """Return whether a text beside a call says only that the call is made.

    Args:
        text: Prose, a comment without its marks, or a remark.
        tools: The tools whose names and values make a text say more.
        tool: The tool that is called, whose name the text may contain.
        field: The field beside the text, whose name the text may contain.
    """
    text = text.translate(APOSTROPHES).strip()
    if len(text) > _MOST or (text and not SPOKEN.search(text)) or _ITEM.search(text):
        return False
    if tool is not None and _others(tools, tool).intersection(_NAMES.findall(text.lower())):
        return False  # another tool, whose name may be another spelling of the same words
    names = [name for name in (tool.name if tool is not None else None, field) if name]
    own = _own_words(*names)
    if tool is not None:
        own |= _own_words(*tool.aliases)
    for name in sorted(names, key=_is_one_word):
        if _is_one_word(name) and _is_about_the_call(SPOKEN.findall(text.lower()), own):
            return False
        spelt = r"[ _.\-/]?".join(map(re.escape, tokens(name)))
        named = "" if not _is_against(name) else "(?<=`)" if name == field else _CALLED
        text = re.sub(rf"{named}(?<!\w){spelt}(?!\w)", " ", text, flags=re.IGNORECASE)
    if _is_about_the_call(SPOKEN.findall(text.lower()), own):
        return False
    text = text.lower()
    left = _PHRASES.sub(" ", text)
    if tool is None or tool.risk is Risk.DESTRUCTIVE:
        own = frozenset()
    words = SPOKEN.findall(left)
    if not (_HARMLESS | own).issuperset(words) or _BETWEEN.fullmatch(SPOKEN.sub(" ", left)) is None:
        return False
    return _said(tools).search(f" {' '.join('-' if word in own else word for word in SPOKEN.findall(text))} ") is None


_CALLED: Final = r"(?:(?<=`)|\b(?:call|calling|use|using|invoke|invoking)\s+(?:the\s+)?)"
"""A pattern for the words before a tool's name (`calling the`). A name of one word that may be against the call counts as a
name only after these."""


def _is_one_word(name: str) -> bool:
    return len(tokens(name)) == 1


@lru_cache(maxsize=256)
def _is_against(name: str) -> bool:
    """Return whether a name has only one word that is not harmless, and that word speaks against a call."""
    words = [word for word in tokens(name) if word not in _HARMLESS]
    return len(words) == 1 and _is_word_against(words[0])


def _is_word_against(word: str) -> bool:
    return word in _AGAINST or not says_nothing_against(f"x {word}")


def _may_be_said_of_it(word: str) -> bool:
    """Return whether a word before `it` or `this` may give an order about the call (`replace it`); not a form such as
    `replacing it`, unless its stem is harmless.
    """
    stems = {word.removesuffix("s"), word.removesuffix("ing"), f"{word.removesuffix('ing')}e"}
    return not word.endswith(("s", "ing")) or not all(says_nothing_against(f"it {stem}") for stem in stems)


@lru_cache(maxsize=256)
def _own_words(*names: str) -> frozenset[str]:
    """Return the words of these names, also with the endings `-s` and `-ing`, except words that are against a call."""
    words = {word for name in names for word in tokens(name) if word.isalpha() and not _is_word_against(word)}
    forms = {f"{word.removesuffix('e')}ing" for word in words} | {f"{word}s" for word in words}
    return frozenset(form for form in words | forms if not _is_word_against(form))


def _is_about_the_call(words: list[str], own: frozenset[str]) -> bool:
    """Return whether a word of the tool's or field's name is used about the call: `replace this call`, `replace it`, `this is
    old`.
    """
    for at, word in enumerate(words):
        if word not in own:
            continue
        before, behind = words[at - 1] if at else "", words[at + 1 :]
        if before in _BEING and not word.endswith("ing"):
            return True
        of_it = [one for one in behind[:2] if one not in ("the", "my")]
        if of_it and (
            (of_it[0] in _THIS and _may_be_said_of_it(word))
            or (of_it[0] in _CALLS and (behind[0] in ("the", "my") or before not in _NAMING))
        ):
            return True
    return False


_THIS: Final = frozenset({"it", "this", "that"})
_CALLS: Final = frozenset({"call", "calls", "calling", "tool", "function"})
_BEING: Final = frozenset({"is", "it's", "that's", "am", "i'm", "ist"})
_NAMING: Final = frozenset({"the", "a", "my", "your", "this", "call", "calling", "use", "using", "invoke", "invoking"})
"""The words before a name that make `call` or `tool` after it part of a description, and no order: `the search tool`."""


def is_harmless_comment(comment: str, tools: Tools, tool: Tool | None = None, field: str | None = None) -> bool:
    """Return whether a comment, with its marks, says only that the call is made, or names the field beside it."""
    said = _COMMENT.sub(" ", comment)
    return is_harmless(said, tools, tool, field)


@lru_cache(maxsize=64)
def _said(tools: Tools) -> re.Pattern[str]:
    """Return a pattern that finds the names of these tools and fields, and the values that the fields list."""
    names = {name for tool in tools for name in (tool.name, *tool.aliases, *tool.field_aliases, *_names(tool.fields))}
    spelt = {" ".join(tokens(name)) for name in names} - {""}
    return re.compile("|".join(f" {re.escape(words)} " for words in sorted(spelt)) or r"(?!)")


def _names(about: Field) -> set[str]:
    """Return the names of all fields in a schema, at any depth, and the strings that it lists as values."""
    found: set[str] = set()
    waiting, seen = [about], set[int]()
    while waiting:
        here = waiting.pop()
        if id(here) in seen:
            continue
        seen.add(id(here))
        found.update(here.members)
        found.update(value for value in here.allowed if isinstance(value, str))
        waiting += [part for part in (*here.members.values(), here.items, here.values) if part is not None]
    return found


_SAYS_CALL: Final = frozenset({"function", "function_call", "tool", "tool_call", "tool_use", "call"})
"""The values of `type` beside a call that say that it is a call."""


def says_it_is_a_call(kind: object) -> bool:
    """Return whether the value of `type` beside a call says that this is a call."""
    return isinstance(kind, str) and kind in _SAYS_CALL


_CALL_ID: Final = re.compile(r"(?:call|toolu|fc)_(?=[A-Za-z-]*\d)[A-Za-z0-9-]{1,80}")
"""Matches the id of a call: `call_8f2a`. Without a digit it may be a word, such as `call_off`."""

_IDS: Final = frozenset({"id", "call_id"})


def is_remark(key: str, value: Any, tools: Tools, tool: Tool, *, apart: bool = False, called: bool = False) -> bool:
    """Return whether a member beside a call says nothing that could change the call: it is its kind, its id, or a harmless
    thought.

    `apart` says that the arguments are in an object of their own, so that the member cannot be an argument. If it can be one, a
    member with the name of any field of the tool, at any depth, is no remark. An id is no remark if the tool has ids of its
    own, unless a `type` beside the id says that this is a call (`called`).
    """
    names = set() if apart else {tokens(name) for name in _names(tool.fields)}
    if key not in NEUTRAL_KEYS or tokens(key) in names:
        return False
    if not isinstance(value, str):
        return value is None
    if key == "type":
        return value in _SAYS_CALL
    if key in _IDS:
        own = not called and any(name[-1] in ("id", "ids") for name in names)
        return _CALL_ID.fullmatch(value) is not None and not own
    return is_harmless(value, tools, tool)


_COMMENTING: Final = ("#", "//", "--", "%", ";", "<!--")


def hides(text: str) -> bool:
    """Return whether the text before an object turns the object into a comment."""
    if text.rfind("/*") > text.rfind("*/"):
        return True
    line = text[text.rfind("\n") + 1 :].strip()
    return line.startswith(_COMMENTING) or line.endswith(_COMMENTING)


def context_forbids_call(body: str, tools: Tools, tool: Tool | None) -> bool:
    """Return whether the text around the object of a body says more than that the call is made.

    For a destructive or unknown tool, any text but wrapping marks says more.
    """
    starts = [at for at in (body.find("{"), body.find("[")) if at >= 0]
    if not starts:
        return False
    first, last = min(starts), max(body.rfind("}"), body.rfind("]"))
    before = _CALLING.sub("", body[:first])
    around = ((before, False), (body[last + 1 :] if last >= 0 else "", True))
    said = [text for text, behind in around if text.strip() and not is_wrapper(text, behind=behind)]
    any_prose = tool is None or tool.risk is Risk.DESTRUCTIVE
    return hides(before) or any(any_prose or not is_harmless(text, tools, tool) for text in said)


_ATTRIBUTES: Final = re.compile(
    r"(?:(?:[\w:-]+=(?:\"[^\"{}]*\"|'[^'{}]*'|[^\s\"'{}]+)|\{[\d,\s-]*\}|[\w-]+(?:[./][\w-]+)+|(?P<word>[\w-]+))(?:\s+|\Z))+"
)
"""Attributes of a fence as page generators read them: `title="a.json"`, `{1,3}`, the name of a file, a word."""

_ATTRIBUTE: Final = re.compile(r"(?<!\S)[\w-]+(?!\S)")
_WORDS_OF_DISPLAY: Final = """
    copy linenos linenums linenumbers numberlines showlinenumbers wrap tool tools tool_call tool_use
"""
_SHOWING: Final = frozenset(_WORDS_OF_DISPLAY.split())
"""Attributes of one word that set how a block is shown, or mark it as a call: `copy`, `linenos`, `tool`."""

_NAME_OF_ATTRIBUTE: Final = re.compile(r"(?<!\S)([\w:-]+)=")
_WORDS_OF_ATTRIBUTES: Final = """
    attr attributes caption class cl colwidths file filename fold highlight hl_lines hl id label lang language line lineno
    lineno-start line_numbers linenostart linenums lines mark meta name path ref showlinenumbers start startfrom startline
    style tab theme title width
"""
_NAMES_OF_DISPLAY: Final = _SHOWING | frozenset(_WORDS_OF_ATTRIBUTES.split())
"""The names of attributes that set how a block is shown or called. Others may set whether it is run (`eval`)."""


def says_more_than_attributes(text: str, tools: Tools, tool: Tool | None) -> bool:
    """Return whether the text after the language of a fence is part of a call, or says more about the call than usual
    attributes do.
    """
    if _ATTRIBUTES.fullmatch(text) is None or not limits_nothing(text):
        return True
    if any(name.lower() not in _NAMES_OF_DISPLAY for name in _NAME_OF_ATTRIBUTE.findall(text)):
        return True
    words = [word for word in _ATTRIBUTE.findall(text) if word.lower() not in _SHOWING]
    if not words or (tool is not None and words == [tool.name]):
        return False
    return tool is None or tool.risk is Risk.DESTRUCTIVE or not is_harmless(" ".join(words), tools, tool)


_CALLING: Final = re.compile(r"[\w.]{1,80}\s?\(\s?\Z")
