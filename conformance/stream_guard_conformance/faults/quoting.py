"""Faults of strings: their quotes, their escapes, and characters that must be escaped in them."""

from __future__ import annotations

import json
import re
from random import Random
from typing import Final

from ..render import Token, Tokens, joined
from .table import Scene, changed, inner, kind, noise, pick, pieces, places, plain, put, sound, text

# Quotes inside a text


def _bare(inside: str) -> str:
    return "".join('"' if piece == '\\"' else piece for piece in pieces(inside))


@kind("quotes", "the quotes in one text are not escaped")
def bare_quotes(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return changed(tokens, rng, text, _bare)


@kind("quotes", "the quotes in every text are not escaped")
def bare_quotes_everywhere(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return changed(tokens, rng, text, _bare, "all")


@kind("quotes", "some quotes of a text are escaped, and some are not")
def some_bare_quotes(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    def some(inside: str) -> str:
        found = pieces(inside)
        able = [index for index, piece in enumerate(found) if piece == '\\"']
        if len(able) < 2:
            return inside
        chosen = {index for index in able if able.index(index) % 2} if len(able) % 2 else set(able[: len(able) // 2])
        return "".join('"' if index in chosen else piece for index, piece in enumerate(found))

    return changed(tokens, rng, text, some)


@kind("quotes", "quotes and line breaks of a text stand there as they are")
def verbatim_text(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return changed(
        tokens,
        rng,
        lambda token: text(token) and '\\"' in token.text and "\\n" in token.text,
        lambda inside: "".join({'\\"': '"', "\\n": "\n", "\\t": "\t"}.get(piece, piece) for piece in pieces(inside)),
    )


@kind("quotes", "the quotes in a text are doubled, as CSV has it; code with empty strings looks the same", unknowable=True)
def doubled_inner_quotes(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(tokens, rng, lambda token: text(token) and '\\"' in pieces(inner(token)))
    if at is None:
        return None
    inside = "".join('""' if piece == '\\"' else piece for piece in pieces(inner(tokens[at])))
    return put(tokens, at, tokens[at].spoilt(f'"{inside}"'))


# Quotes around a string


@kind("quotes", "the quote that opens a value is lost")
def lost_opening_quote(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(tokens, rng, lambda token: token.kind == "text" and plain(token))
    return None if at is None else put(tokens, at, tokens[at].spoilt(tokens[at].text[1:]))


@kind("quotes", "the quote that closes a value is lost")
def lost_closing_quote(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(tokens, rng, lambda token: token.kind == "text" and plain(token))
    return None if at is None else put(tokens, at, tokens[at].spoilt(tokens[at].text[:-1]))


@kind("quotes", "one quote of a key is lost")
def lost_key_quote(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(tokens, rng, lambda token: token.kind == "key" and plain(token))
    if at is None:
        return None
    written = tokens[at].text
    return put(tokens, at, tokens[at].spoilt(written[1:] if rng.random() < 0.5 else written[:-1]))


def _in(token: Token, open_: str, close: str) -> str:
    """Return a string between other quotes: those are escaped in it, and double ones are not."""
    swap = {'\\"': '"', open_: "\\" + open_, close: "\\" + close}
    return open_ + "".join(swap.get(piece, piece) for piece in pieces(inner(token))) + close


@kind("quotes", "all strings stand between single quotes")
def single_quotes(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    new = tuple(token.spoilt(_in(token, "'", "'")) if sound(token) else token for token in tokens)
    return None if new == tokens else new


@kind("quotes", "one value stands between single quotes")
def single_quoted_value(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(tokens, rng, lambda token: token.kind == "text" and sound(token))
    return None if at is None else put(tokens, at, tokens[at].spoilt(_in(tokens[at], "'", "'")))


@kind("quotes", "one key stands between single quotes")
def single_quoted_key(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(tokens, rng, lambda token: token.kind == "key" and plain(token))
    return None if at is None else put(tokens, at, tokens[at].spoilt(f"'{inner(tokens[at])}'"))


@kind("quotes", "Python wrote the block: single quotes, and double ones where the text has single ones")
def python_quotes(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    able = [token for token in tokens if sound(token)]
    if not able or not all(token.value.isprintable() for token in able):
        return None
    return tuple(token.spoilt(repr(token.value)) if sound(token) else token for token in tokens)


TYPOGRAPHIC: Final = (("“", "”"), ("„", "“"), ("«", "»"), ("”", "”"))


@kind("quotes", "all strings stand between typographic quotes")
def typographic_quotes(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    open_, close = rng.choice(TYPOGRAPHIC)
    if any(mark in token.text for token in tokens for mark in (open_, close)):
        return None
    new = tuple(token.spoilt(open_ + inner(token) + close) if plain(token) else token for token in tokens)
    return None if new == tokens else new


@kind("quotes", "one quote around a string is typographic")
def one_typographic_quote(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(tokens, rng, plain)
    if at is None:
        return None
    open_, close = rng.choice(TYPOGRAPHIC)
    inside = inner(tokens[at])
    return put(tokens, at, tokens[at].spoilt(f'{open_}{inside}"' if rng.random() < 0.5 else f'"{inside}{close}'))


@kind("quotes", "one text stands between backticks, its lines as they are")
def backticks(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(tokens, rng, lambda token: text(token) and sound(token) and "${" not in token.text and "\\r" not in token.text)
    if at is None:
        return None
    said = tokens[at].value.replace("\\", "\\\\").replace("`", "\\`")
    return put(tokens, at, tokens[at].spoilt(f"`{said}`"))


@kind("quotes", "one text stands between triple quotes, its lines as they are")
def triple_quotes(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(
        tokens,
        rng,
        lambda token: (
            text(token)
            and sound(token)
            and '"""' not in token.value
            and "\r" not in token.value
            and token.value[-1:] not in ('"', "\\")
        ),
    )
    if at is None:
        return None
    said = tokens[at].value.replace("\\", "\\\\")
    return put(tokens, at, tokens[at].spoilt(f'"""{said}"""'))


@kind("quotes", "the quotes around a text are doubled; a text that holds its own looks the same", unknowable=True)
def doubled_quotes(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(tokens, rng, lambda token: text(token) and len(token.text) > 2)
    return None if at is None else put(tokens, at, tokens[at].spoilt(f'"{tokens[at].text}"'))


@kind("quotes", "the quotes around a key or the tool's name are doubled")
def doubled_name_quotes(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(tokens, rng, lambda token: plain(token) and (token.kind == "key" or token.name))
    return None if at is None else put(tokens, at, tokens[at].spoilt(f'"{tokens[at].text}"'))


@kind("quotes", "one string has Python's r before it, and its backslashes are not doubled")
def raw_string(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(
        tokens,
        rng,
        lambda token: (
            text(token) and sound(token) and "\\" in token.value and token.value.isprintable() and '"' not in token.value
        ),
    )
    if at is None or tokens[at].value.endswith("\\"):
        return None
    return put(tokens, at, tokens[at].spoilt(f'r"{tokens[at].value}"'))


@kind("quotes", "the quotes around all strings are HTML entities")
def entity_quotes(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    new = tuple(token.spoilt(f"&quot;{inner(token)}&quot;") if plain(token) else token for token in tokens)
    return None if new == tokens else new


# Escapes


def _undouble(inside: str, which: int | None = None) -> str:
    """Return a text with doubled backslashes written once: one of them, or all."""
    found = pieces(inside)
    able = [index for index, piece in enumerate(found) if piece == "\\\\"]
    chosen = able if which is None or not able else [able[which % len(able)]]
    return "".join("\\" if index in chosen else piece for index, piece in enumerate(found))


@kind("escapes", "one backslash is not doubled", stage="quiet")
def undoubled_backslash(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    which = rng.randrange(1000)
    return changed(tokens, rng, text, lambda inside: _undouble(inside, which))


@kind("escapes", "the backslashes of one text are not doubled", stage="quiet")
def undoubled_backslashes(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return changed(tokens, rng, text, _undouble)


@kind("escapes", "no backslash of the block is doubled", stage="quiet")
def undoubled_everywhere(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return changed(tokens, rng, text, _undouble, "all")


@kind("escapes", "LaTeX, a regular expression or a Windows path is written as it is, its lines escaped", stage="quiet")
def verbatim_backslashes(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return changed(
        tokens,
        rng,
        lambda token: (
            text(token) and bool(re.search(r"\\\\[bfnrtu]", token.text)) and bool(re.search(r"\\\\[^bfnrtu\"\\/]", token.text))
        ),
        _undouble,
    )


@kind("escapes", "the escapes of quotes are doubled", stage="quiet")
def over_escaped_quotes(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return changed(tokens, rng, text, lambda inside: "".join('\\\\"' if piece == '\\"' else piece for piece in pieces(inside)))


@kind("escapes", "one escape is doubled", stage="quiet")
def over_escaped(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    def once(inside: str) -> str:
        found = pieces(inside)
        able = [index for index, piece in enumerate(found) if piece[0] == "\\" and len(piece) > 1]
        if able:
            at = able[len(able) // 2]
            found[at] = "\\" + found[at]
        return "".join(found)

    return changed(tokens, rng, text, once)


@kind("escapes", "the apostrophes and single quotes of one text are escaped")
def escaped_apostrophe(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(tokens, rng, lambda token: text(token) and "'" in pieces(inner(token)))
    if at is None:
        return None
    inside = "".join("\\'" if piece == "'" else piece for piece in pieces(inner(tokens[at])))
    return put(tokens, at, tokens[at].spoilt(f'"{inside}"'))


@kind("escapes", "the quotes around one string are escaped")
def escaped_outer_quotes(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(tokens, rng, lambda token: plain(token) and "\\" not in token.text)
    return None if at is None else put(tokens, at, tokens[at].spoilt(f'\\"{inner(tokens[at])}\\"'))


@kind("escapes", "a \\u or \\x of the text's own is not doubled", stage="quiet")
def undoubled_code_point(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return changed(tokens, rng, text, lambda inside: re.sub(r"(?<!\\)\\\\(?=[ux])", r"\\", inside))


@kind("escapes", "a \\b or \\f of the text's own is not doubled", stage="quiet", refuse=True)
def undoubled_back(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return changed(tokens, rng, text, lambda inside: re.sub(r"(?<!\\)\\\\(?=[bf][A-Za-z])", r"\\", inside))


@kind("escapes", "a Windows path is written as it is, and reads as if it had line breaks and tabs", stage="quiet", refuse=True)
def undoubled_path(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    def once(inside: str) -> str:
        return inside.replace("\\\\", "\\") if re.fullmatch(r"(?:[A-Z]:)?(?:(?:\\\\)?[\w.]+)+", inside) else inside

    def misread(token: Token) -> bool:
        return text(token) and re.search(r"\\\\[bfnrt](?=\w)", token.text) is not None and once(inner(token)).isprintable()

    return changed(tokens, rng, lambda token: misread(token) and _is_json(once(inner(token))), once)


def _is_json(inside: str) -> bool:
    try:
        json.loads(f'"{inside}"')
    except ValueError:
        return False
    return True


@kind("escapes", "Markdown's marks in one text are escaped", stage="quiet")
def escaped_marks(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    def sentence(inside: str) -> bool:
        return re.fullmatch(r"[\w\s.,:_*\[\]()<>#~-]+", inside) is not None

    return changed(
        tokens,
        rng,
        lambda token: text(token) and sentence(inner(token)),
        lambda inside: re.sub(r"[_*\[\]<>#~]", r"\\\g<0>", inside),
    )


@kind(
    "escapes",
    "every backslash of the block was lost on the way, and a character is written by its number",
    stage="text",
    refuse=True,
)
def lost_backslashes(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    whole = joined(tokens)
    if re.search(r'\\"', whole) is None or re.search("[\u00a1-\u04ff]", whole) is None:
        return None
    return (noise(re.sub("[\u0080-\uffff]", lambda found: f"u{ord(found[0]):04x}", whole).replace("\\", "")),)


@kind("escapes", "half of a surrogate pair is lost", refuse=True)
def lone_surrogate(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    def halved(inside: str) -> str:
        return re.sub("[\U00010000-\U0010ffff]", lambda found: json.dumps(found[0])[1:7], inside, count=1)

    return changed(tokens, rng, text, halved)


# What may not stand in a string as it is

RAW: Final = {"\\n": "\n", "\\t": "\t", "\\r": "\r", "\\f": "\f", "\\b": "\b"}


def _unspoilt(token: Token) -> bool:
    """Return whether a token is a text with the escapes that were meant: another fault may have made one of a command."""
    return text(token) and sound(token)


def _raw(inside: str, which: str) -> str:
    return "".join(RAW[piece] if piece in RAW and piece[1] in which else piece for piece in pieces(inside))


@kind("raw", "the line breaks of one text are not escaped")
def raw_line_breaks(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return changed(tokens, rng, _unspoilt, lambda inside: _raw(inside, "n"))


@kind("raw", "no line break and no tab of the block is escaped")
def raw_everywhere(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return changed(tokens, rng, _unspoilt, lambda inside: _raw(inside, "nrt"), "all")


@kind("raw", "the tabs of one text are not escaped")
def raw_tabs(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return changed(tokens, rng, _unspoilt, lambda inside: _raw(inside, "t"))


@kind("raw", "some line breaks of a text are escaped, and some are not")
def some_raw_line_breaks(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    def some(inside: str) -> str:
        found = pieces(inside)
        able = [index for index, piece in enumerate(found) if piece == "\\n"]
        return "".join("\n" if index in able[::2] else piece for index, piece in enumerate(found)) if len(able) > 1 else inside

    return changed(tokens, rng, _unspoilt, some)


@kind("raw", "a line break slipped into a word, in a block whose others are escaped", refuse=True)
def stray_line_break(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    able = [at for at in places(tokens, text) if re.fullmatch(r"\w[\w ,.'-]* [\w ,.'-]*\w", inner(tokens[at]))]
    escaped = [at for at in places(tokens, text) if "\\n" in pieces(inner(tokens[at]))]
    if not able or not escaped or any("\n" in token.text for token in tokens if plain(token)):
        return None
    at = rng.choice(able)
    inside = inner(tokens[at])
    cuts = [cut for cut in range(1, len(inside)) if inside[cut - 1].isalpha() and inside[cut].isalpha()]
    if not cuts:
        return None
    cut = rng.choice(cuts)
    return put(tokens, at, tokens[at].spoilt(f'"{inside[:cut]}\n{inside[cut:]}"'))


@kind("raw", "the quote that closes a text changed places with the line break behind it", refuse=True)
def quote_behind_line_break(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    able = [
        at
        for at in places(tokens[:-1], text)
        if tokens[at + 1].kind == "space" and tokens[at + 1].text.startswith("\n") and inner(tokens[at])[-1:].isalnum()
    ]
    if not able:
        return None
    at = rng.choice(able)
    behind = (noise(tokens[at + 1].text[1:]),) if tokens[at + 1].text[1:] else ()
    return (*tokens[:at], tokens[at].spoilt(f'"{inner(tokens[at])}\n"'), *behind, *tokens[at + 2 :])


@kind("characters", "a control character that no text has slipped into a text", refuse=True)
def control_in_text(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(tokens, rng, lambda token: _unspoilt(token) and bool(inner(token)))
    if at is None:
        return None
    found = pieces(inner(tokens[at]))
    cut = rng.randrange(len(found) + 1)
    inside = "".join([*found[:cut], rng.choice("\0\x01\x02\x07\x08\x0b\x0e\x1a\x1f"), *found[cut:]])
    return put(tokens, at, tokens[at].spoilt(f'"{inside}"'))


# Characters that are hard to see


@kind("characters", "an invisible character stands between two tokens")
def invisible_between(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = rng.randrange(len(tokens) + 1)
    return (*tokens[:at], noise(rng.choice("\ufeff\u200b\u00a0\u2060\u200e\u2028")), *tokens[at:])


@kind("characters", "lines are indented by spaces that do not break")
def wide_spaces(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    space = rng.choice("\u00a0\u3000\u2009")
    new = tuple(token.says(token.text.replace(" ", space)) if token.kind == "space" else token for token in tokens)
    return None if new == tokens else new


@kind("characters", "an invisible character stands in a key or in the tool's name")
def invisible_in_name(tokens: Tokens, rng: Random, scene: Scene) -> Tokens | None:
    at = pick(tokens, rng, lambda token: scene.keeps_its_name(token) or (plain(token) and token.name))
    if at is None:
        return None
    inside = inner(tokens[at])
    cut = rng.randrange(len(inside) + 1)
    unseen = rng.choice("\u200b\u00ad\u200c")
    return put(tokens, at, tokens[at].spoilt(f'"{inside[:cut]}{unseen}{inside[cut:]}"'))


FULL_WIDTH: Final = {"{": "｛", "}": "｝", "[": "［", "]": "］", ",": "，", ":": "："}


@kind("characters", "one mark is full-width")
def full_width_mark(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(tokens, rng, lambda token: token.kind == "mark")
    return None if at is None else put(tokens, at, tokens[at].spoilt(FULL_WIDTH[tokens[at].text]))


@kind("characters", "all commas and colons are full-width")
def full_width_marks(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    chosen = places(tokens, lambda token: token.kind == "mark" and token.text in ",:")
    return (
        tuple(token.spoilt(FULL_WIDTH[token.text]) if at in chosen else token for at, token in enumerate(tokens))
        if chosen
        else None
    )


@kind("characters", "the tool's name or a field has a letter of another script", refuse=True)
def homoglyph(tokens: Tokens, rng: Random, scene: Scene) -> Tokens | None:
    alike = {"a": "а", "e": "е", "i": "і", "o": "о", "c": "с", "p": "р", "s": "ѕ", "x": "х", "y": "у"}
    at = pick(
        tokens,
        rng,
        lambda token: (
            plain(token)
            and (token.name or (bool(token.field) and scene.keeps_its_name(token)))
            and any(c in alike for c in token.text)
        ),
    )
    if at is None:
        return None
    inside = inner(tokens[at])
    where = rng.choice([index for index, letter in enumerate(inside) if letter in alike])
    return put(tokens, at, tokens[at].spoilt(f'"{inside[:where]}{alike[inside[where]]}{inside[where + 1 :]}"'))
