"""Faults of keys, values and members: not valid JSON, what the tool does not know, and strings that are put together."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from random import Random
from typing import Final

from ..render import Token, Tokens
from .table import Scene, inner, kind, mark, member_starts, noise, pick, pieces, places, plain, put, spans, text, value_span

# Keys


@kind("keys", "one key has no quotes")
def bare_key(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(tokens, rng, lambda token: token.kind == "key" and plain(token))
    return None if at is None else put(tokens, at, tokens[at].spoilt(inner(tokens[at])))


@kind("keys", "no key has quotes")
def bare_keys(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    new = tuple(token.spoilt(inner(token)) if token.kind == "key" and plain(token) else token for token in tokens)
    return None if new == tokens else new


@kind("keys", "a key stands between other brackets or signs")
def dressed_key(tokens: Tokens, rng: Random, scene: Scene) -> Tokens | None:
    at = pick(tokens, rng, scene.keeps_its_name)
    return (
        None
        if at is None
        else put(
            tokens,
            at,
            tokens[at].spoilt(rng.choice(('["{}"]', "**{}**", "<{}>", "`{}`", "${}", "- {}")).format(inner(tokens[at]))),
        )
    )


# Words and numbers


def _words(
    tokens: Tokens, rng: Random, spelling: dict[object, tuple[str, ...]], where: Callable[[Token], bool] = lambda _: True
) -> Tokens | None:
    at = pick(tokens, rng, lambda token: token.kind == "word" and token.value in spelling and where(token))
    return None if at is None else put(tokens, at, tokens[at].spoilt(rng.choice(spelling[tokens[at].value])))


@kind("values", "true, false or null is spelled as Python has it")
def python_literal(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _words(tokens, rng, {True: ("True",), False: ("False",), None: ("None",)})


@kind("values", "true, false or null is spelled in capitals")
def capital_literal(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _words(tokens, rng, {True: ("TRUE",), False: ("FALSE",), None: ("NULL", "Null", "nil")})


@kind("values", "true or false is spelled yes, no, on or off")
def yes_or_no(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _words(tokens, rng, {True: ("yes", "on", "Yes", "y", "t"), False: ("no", "off", "No", "n", "f")})


@kind("values", "true, false or null stands between quotes")
def quoted_literal(tokens: Tokens, rng: Random, scene: Scene) -> Tokens | None:
    return _words(tokens, rng, {True: ('"true"', '"True"'), False: ('"false"', '"False"')}, scene.listed)


def _number(tokens: Tokens, rng: Random, change: Callable[[Token], str | None]) -> Tokens | None:
    able = [
        (at, new)
        for at in places(tokens, lambda token: token.kind == "number")
        if (new := change(tokens[at])) and new != tokens[at].text
    ]
    if not able:
        return None
    at, new = rng.choice(able)
    return put(tokens, at, tokens[at].spoilt(new))


@kind("values", "a number is grouped by commas")
def grouped_number(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _number(tokens, rng, lambda token: f"{token.value:,}" if token.value >= 1000 else None)


@kind("values", "a number is grouped as code or other languages do it")
def grouped_otherwise(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    sign = rng.choice("_'’ \u00a0\u202f")
    return _number(tokens, rng, lambda token: f"{token.value:,}".replace(",", sign) if token.value >= 1000 else None)


@kind("values", "a comma stands for the point of a number", refuse=True)
def decimal_comma(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _number(tokens, rng, lambda token: token.text.replace(".", ",") if "e" not in token.text else None)


@kind("values", "a number has a plus sign")
def plus_sign(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _number(tokens, rng, lambda token: "+" + token.text)


@kind("values", "a number lacks the digit before or behind its point")
def bare_point(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _number(
        tokens,
        rng,
        lambda token: (
            token.text[1:] if token.text.startswith("0.") else None if {".", "e"} & set(token.text) else token.text + "."
        ),
    )


@kind("values", "a number begins with a zero, which may make it octal", unknowable=True)
def leading_zero(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _number(tokens, rng, lambda token: "0" + token.text)


@kind("values", "a number is written in hexadecimal")
def hexadecimal(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _number(tokens, rng, lambda token: hex(token.value) if isinstance(token.value, int) else None)


@kind("values", "a number has a unit, a sign or a sum behind it", refuse=True)
def number_with_more(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    more = rng.choice(("s", "ms", " px", "%", " EUR", "€", "k", " * 60", " + 1", "/2", " or 5", "-10"))
    return _number(tokens, rng, lambda token: token.text + more)


@kind("values", "a number stands between quotes")
def quoted_number(tokens: Tokens, rng: Random, scene: Scene) -> Tokens | None:
    return _number(tokens, rng, lambda token: f'"{token.text}"' if scene.listed(token) else None)


@kind("values", "a value is one that no JSON knows, or a gap", refuse=True)
def no_value(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(tokens, rng, lambda token: bool(token.field) and token.kind in ("text", "number", "word"))
    if at is None:
        return None
    gap = rng.choice(("undefined", "NaN", "-Infinity", "...", "…", "?", "", "<value>", "TBD", "x + 1", "f(x)", "$1"))
    before = next((token.text.strip() for token in reversed(tokens[:at]) if token.text.strip()), "")
    if not gap and before != ":":
        gap = "..."  # in a list a gap is a comma too many, and nobody can know which of the two it is
    return put(tokens, at, tokens[at].spoilt(gap))


@kind("values", "a text of one word has no quotes")
def bare_word(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(
        tokens,
        rng,
        lambda token: (
            token.kind == "text"
            and plain(token)
            and bool(re.fullmatch(r"[A-Za-z_][\w-]*", token.value))
            and token.value not in ("true", "false", "null")
        ),
    )
    return None if at is None else put(tokens, at, tokens[at].spoilt(inner(tokens[at])))


@kind("values", "a date, an address or a path has no quotes")
def bare_text(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(
        tokens,
        rng,
        lambda token: (
            text(token)
            and bool(re.fullmatch(r"\S*[-@/.:]\S*", token.value))
            and '"' not in token.value
            and "\\" not in token.text
        ),
    )
    return None if at is None else put(tokens, at, tokens[at].spoilt(inner(tokens[at])))


@kind("values", "a point slipped in before a number", refuse=True)
def stray_point(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(tokens, rng, lambda token: token.kind == "number" and re.fullmatch(r"[1-9]\d*0", token.text) is not None)
    return None if at is None else put(tokens, at, tokens[at].spoilt(f".{tokens[at].text}"))


_QUOTES: Final = frozenset("\"'`“„")


@kind("values", "a sentence has no quotes")
def bare_sentence(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    def able(token: Token) -> bool:  # with quotes of its own it may be another string
        return text(token) and " " in token.value and _QUOTES.isdisjoint(token.value) and "\\" not in token.text

    at = pick(tokens, rng, able)
    return None if at is None else put(tokens, at, tokens[at].spoilt(inner(tokens[at])))


# Members that the tool does not know


def _member(tokens: Tokens, rng: Random, scene: Scene, names: Sequence[str], form: str) -> Tokens | None:
    """Return the tokens with a member of one of these names, which no member may have where it stands."""
    keys = [key for key in member_starts(tokens) if scene.closed(tokens[key])]
    if not keys:
        return None
    key = rng.choice(keys)
    able = scene.news(tokens[key], names)
    if not able:
        return None
    member = form.format(rng.choice(able))
    span = value_span(tokens, key)
    if span is None or rng.random() < 0.5:
        return (*tokens[:key], noise(f"{member}, "), *tokens[key:])
    return (*tokens[: span[1]], noise(f", {member}"), *tokens[span[1] :])


@kind("members", "there is a member that the tool does not know, and its value is no JSON", refuse=True)
def odd_member(tokens: Tokens, rng: Random, scene: Scene) -> Tokens | None:
    value = rng.choice(("0755", "yes", "1,000", "2024-01-01", "v1", "None", "...", "x.y", "'a'", "10:30", "ab cd", "-"))
    return _member(tokens, rng, scene, ("mode", "force", "when", "size", "backup"), f'"{{}}": {value}')


@kind("members", "there is a member that the tool does not know", refuse=True)
def unknown_member(tokens: Tokens, rng: Random, scene: Scene) -> Tokens | None:
    value = rng.choice(("755", "true", '"x"', "null", "[1, 2]", '{{"a": "b"}}', '"a, b"'))
    return _member(tokens, rng, scene, ("mode", "force", "simulate", "size", "backup", "if_exists"), f'"{{}}": {value}')


@kind("members", "there is a member without a value", refuse=True)
def half_member(tokens: Tokens, rng: Random, scene: Scene) -> Tokens | None:
    return _member(
        tokens, rng, scene, ("mode", "force", "simulate", "x"), rng.choice(('"{}"', "{}", '"{}":', '"{}" ', '"{}": '))
    )


@kind("members", "something is left out: there is an ellipsis among the members or items", refuse=True)
def ellipsis(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    able = places(tokens, lambda token: bool(token.field) and mark(",")(token)) or places(tokens, mark(","))
    if not able:
        return None
    at = rng.choice(able)
    return (*tokens[: at + 1], noise(rng.choice((" ...,", " …,", ' "...",', " // ... more ...\n ...,"))), *tokens[at + 1 :])


@kind("members", "another object is spread into the call", refuse=True)
def spread(tokens: Tokens, rng: Random, scene: Scene) -> Tokens | None:
    return _member(tokens, rng, scene, ("...defaults", "**options", "<<: *base", "$ref: x"), "{}")


@kind("members", "a member stands there twice, with one value")
def repeated_member(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    able = [(key, span) for key in member_starts(tokens) if (span := value_span(tokens, key))]
    if not able:
        return None
    key, span = rng.choice(able)
    return (*tokens[: span[1]], noise(", "), *(token.spoilt(token.text) for token in tokens[key : span[1]]), *tokens[span[1] :])


@kind("members", "a member stands there twice, with two values", refuse=True)
def contradicting_member(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    able = [
        (key, span)
        for key in member_starts(tokens)
        if (span := value_span(tokens, key)) and tokens[span[0]].kind in ("text", "number", "word")
    ]
    if not able:
        return None
    key, span = rng.choice(able)
    held = tokens[span[0]]
    other = json.dumps({"text": f"{held.value}2", "number": 7, "word": not held.value}[held.kind])
    member = noise(f"{tokens[key].text}: {other}")
    if rng.random() < 0.5:
        return (*tokens[:key], member, noise(", "), *tokens[key:])
    return (*tokens[: span[1]], noise(", "), member, *tokens[span[1] :])


@kind("members", "a member stands there twice, first with nothing in it", refuse=True)
def emptied_member(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    able = [(key, span) for key in member_starts(tokens) if (span := value_span(tokens, key)) and span[1] > span[0] + 2]
    if not able:
        return None
    key, span = rng.choice(able)
    empty = "[]" if mark("[")(tokens[span[0]]) else "{}"
    if all(token.kind in ("mark", "space") or token.text.strip()[:1] in ("/", "#") for token in tokens[span[0] : span[1]]):
        return None  # there is nothing in it but comments
    member = noise(f"{tokens[key].text}: {empty}, ")
    return (*tokens[:key], member, *tokens[key:])


@kind("members", "an argument stands under a name that remarks have", refuse=True)
def said_aside(tokens: Tokens, rng: Random, scene: Scene) -> Tokens | None:
    key, value = rng.choice(ASIDE)
    return _member(tokens, rng, scene, (key,), f'"{{}}": {value.replace("{", "{{").replace("}", "}}")}')


ASIDE: Final = (
    ("id", '"m2"'), ("id", "8"), ("id", '"alice"'), ("call_id", '"b.txt"'), ("type", '"todo"'), ("type", '["a"]'),
    ("type", '{"a": 1}'), ("explanation", '"c too"'), ("explanation", '"as reader"'), ("rationale", '"the amount is in cents"'),
    ("thought", '"not yet"'), ("reasoning", '"the recipient is alice"'),
)  # fmt: skip


# Strings that are put together


def _join(tokens: Tokens, rng: Random, joiner: str, form: str = "{}", *, lines: bool = False) -> Tokens | None:
    """Return the tokens with a text written as two strings. With `lines`, the first ends with a line."""
    able = []
    for at in places(tokens, text):
        found = pieces(inner(tokens[at]))
        cuts = [cut for cut in range(1, len(found)) if not lines or found[cut - 1] == "\\n"]
        if cuts:
            able.append((at, found, cuts))
    if not able:
        return None
    at, found, cuts = rng.choice(able)
    cut = rng.choice(cuts)
    first, second = "".join(found[:cut]), "".join(found[cut:])
    return put(tokens, at, tokens[at].spoilt(form.format(f'"{first}"{joiner}"{second}"')))


@kind("joiners", "a text is the sum of two strings")
def plus(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _join(tokens, rng, rng.choice((" + ", " +\n    ", "+")))


@kind("joiners", "a text is the sum of two strings, line by line")
def plus_lines(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _join(tokens, rng, rng.choice((" + ", " +\n    ", "\n + ")), lines=True)


@kind("joiners", "a name stands between two strings", refuse=True)
def plus_name(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _join(
        tokens,
        rng,
        rng.choice((" + name + ", " + str(n) + ", " . $name . ", " + user.name + ", ", name, ", " name ", "\n+ x +\n")),
    )


@kind("joiners", "a text is one string or another", refuse=True)
def either(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _join(tokens, rng, rng.choice((" or ", " || ", " / ", " | ", " ?? ", " if x else ", " and ", " oder ", " vs. ")))


@kind("joiners", "two strings are joined by a point, an ampersand or two dots")
def dot(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _join(tokens, rng, rng.choice((" . ", ".", " & ", " .. ", " .\n    ", " ++ ", " <> ", " ~ ")))


@kind("joiners", "two strings follow one another over a line break")
def adjacent_lines(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _join(tokens, rng, rng.choice(("\n", "\n    ", " \n  ")))


@kind("joiners", "two strings follow one another")
def adjacent(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _join(tokens, rng, rng.choice((" ", "  ", "")))


@kind("joiners", "two strings stand in parentheses")
def parenthesised(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _join(tokens, rng, rng.choice(("\n    ", " ", " + ")), "({})")


@kind("joiners", "a backslash and a line break stand inside a text")
def line_continuation(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    able = [at for at in places(tokens, text) if "\\n" in pieces(inner(tokens[at]))]
    if not able:
        return None
    at = rng.choice(able)
    found = pieces(inner(tokens[at]))
    cut = rng.choice([cut for cut, piece in enumerate(found) if piece == "\\n"]) + 1
    return put(tokens, at, tokens[at].spoilt(f'"{"".join(found[:cut])}\\\n{"".join(found[cut:])}"'))


@kind("joiners", "a backslash stands between two strings on two lines")
def backslash_between(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _join(tokens, rng, " \\\n    ")


@kind("joiners", "a text is a list of its lines")
def lines_in_list(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(tokens, rng, lambda token: text(token) and token.value.count("\n") > 0)
    if at is None:
        return None
    lines = ", ".join(json.dumps(line, ensure_ascii=False) for line in tokens[at].value.split("\n"))
    return put(tokens, at, tokens[at].spoilt(f"[{lines}]" + rng.choice(("", '.join("\\n")'))))


@kind("joiners", "something is done with a text, which nobody can do here", refuse=True)
def expression(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(tokens, rng, text)
    form = rng.choice(
        (
            "{}.trim()",
            "str({})",
            "f{}",
            "{} % name",
            "{}.format(x)",
            "{}[0]",
            "b{}",
            "{} * 2",
            "!{}",
            "read({})",
            "not {}",
            "-{}",
            "{}.repeat(2)",
            "Path({})",
        )
    )
    return None if at is None else put(tokens, at, tokens[at].spoilt(form.format(tokens[at].text)))


# Two readings of one text


@kind("keys", "a control character stands in a key", refuse=True)
def control_in_key(tokens: Tokens, rng: Random, scene: Scene) -> Tokens | None:
    at = pick(tokens, rng, scene.keeps_its_name)
    if at is None:
        return None
    name, size = tokens[at].text, rng.randint(1, len(tokens[at].text) - 1)
    return put(tokens, at, tokens[at].spoilt(name[:size] + rng.choice(("\b", "\x1b[0m", "\x00", "\x7f")) + name[size:]))


@kind("joiners", "a sign in quotes that are not escaped stands in a text", refuse=True)
def quoted_sign(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(tokens, rng, text)
    if at is None:
        return None
    found = pieces(inner(tokens[at]))
    size = rng.choice([at for at in range(len(found) + 1) if found[at - 1 : at] != ["\\n"]])  # there it joins two lines
    sign = rng.choice((' "+" ', '"+"', '" + "'))
    return put(tokens, at, tokens[at].spoilt(f'"{"".join(found[:size])}{sign}{"".join(found[size:])}"'))


@kind("quotes", "a text stands there twice, with nothing but quotes between", refuse=True)
def said_twice(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(tokens, rng, lambda token: text(token) and len(token.text) > 2)
    return None if at is None else put(tokens, at, tokens[at].spoilt(f'{tokens[at].text}"{tokens[at].text}'))


@kind("members", "what stands between two items of a list is lost, and they become one", refuse=True, stage="meaning")
def merged_items(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    able = [
        (end, start)
        for (first, end), (start, last) in pairwise(sorted(span for span in spans(tokens) if tokens[span[0]].text == "{"))
        if end < start
        and all(any(token.kind == "key" for token in tokens[at:to]) for at, to in ((first, end), (start, last)))
        and tokens[start].field
        and all(token.kind == "space" or token.text == "," for token in tokens[end + 1 : start])
    ]
    if not able:
        return None
    end, start = rng.choice(able)
    return (*tokens[:end], noise(", "), *tokens[start + 1 :])
