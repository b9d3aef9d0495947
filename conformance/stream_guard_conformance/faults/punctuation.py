"""Faults of marks: commas, colons, brackets, comments, and any mark lost, doubled, moved or put where none belongs."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from random import Random
from typing import Final

from ..render import Token, Tokens
from ..toolsets import words_of
from .table import Scene, inner, kind, last_of, mark, member_starts, noise, pick, places, plain, put, spans, value_span

MARKS: Final = "{}[],:"


def _replaced(tokens: Tokens, at: int | None, text: str) -> Tokens | None:
    return None if at is None else put(tokens, at, tokens[at].spoilt(text))


def _without(tokens: Tokens, at: int | None) -> Tokens | None:
    """Return the tokens without this one; None if two numbers or words would then become one, which cannot be seen."""
    if at is None or (0 < at < len(tokens) - 1 and _JOINED.fullmatch(tokens[at - 1].text[-1:] + tokens[at + 1].text[:1])):
        return None
    return put(tokens, at)


_JOINED: Final = re.compile(r"[\w.+-]{2}")
"""Matches the end of one token and the beginning of another that make one when nothing stands between them."""


# Commas


@kind("commas", "a comma stands behind the last member or item")
def trailing_comma(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    able = [
        at
        for at in places(tokens, mark("}", "]"))
        if (before := last_of(tokens[:at])) is not None and not mark("{", "[", ",")(tokens[before])
    ]
    if not able:
        return None
    before = last_of(tokens[: rng.choice(able)])
    assert before is not None
    return put(tokens, before, tokens[before], Token(",", "mark", ","))


@kind("commas", "trailing commas stand in every object and list")
def trailing_commas(tokens: Tokens, rng: Random, scene: Scene) -> Tokens | None:
    new: list[Token] = []
    for token in tokens:
        before = last_of(new)
        if mark("}", "]")(token) and before is not None and not mark("{", "[", ",")(new[before]):
            new.insert(before + 1, Token(",", "mark", ","))
        new.append(token)
    return tuple(new) if len(new) > len(tokens) else None


@kind("commas", "the comma between two members is lost")
def missing_comma(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    able = [at for at in places(tokens, mark(",")) if (after := _next(tokens, at)) is not None and tokens[after].kind == "key"]
    return _without(tokens, rng.choice(able)) if able else None


def _next(tokens: Tokens, at: int) -> int | None:
    return next((index for index in range(at + 1, len(tokens)) if tokens[index].kind != "space"), None)


@kind("commas", "the comma between two items of a list is lost")
def missing_comma_in_list(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    able = [at for at in places(tokens, mark(",")) if (after := _next(tokens, at)) is not None and tokens[after].kind != "key"]
    return _without(tokens, rng.choice(able)) if able else None


@kind("commas", "a comma stands there twice")
def doubled_comma(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(tokens, rng, mark(","))
    return None if at is None else put(tokens, at, tokens[at], Token(",", "mark", ","))


@kind("commas", "a comma stands in front of the first member or item")
def leading_comma(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(tokens, rng, mark("{", "["))
    return None if at is None else put(tokens, at, tokens[at], Token(",", "mark", ","))


@kind("commas", "a semicolon stands for a comma")
def semicolon(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _replaced(tokens, pick(tokens, rng, mark(",")), ";")


@kind("commas", "semicolons stand for all commas")
def semicolons(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    new = tuple(token.spoilt(";") if mark(",")(token) else token for token in tokens)
    return None if new == tokens else new


@kind("commas", "a full stop or a bar stands for a comma")
def other_separator(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _replaced(tokens, pick(tokens, rng, mark(",")), rng.choice((".", "|", " and", "/")))


# Colons


@kind("colons", "= stands for a colon")
def equals_sign(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _replaced(tokens, pick(tokens, rng, mark(":")), rng.choice(("=", " =")))


@kind("colons", "an arrow or := stands for a colon")
def arrow(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _replaced(tokens, pick(tokens, rng, mark(":")), rng.choice((" =>", " ->", " :=", "=>")))


@kind("colons", "= or => stands for every colon")
def equals_signs(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    sign = rng.choice((" =", " =>"))
    new = tuple(token.spoilt(sign) if mark(":")(token) else token for token in tokens)
    return None if new == tokens else new


@kind("colons", "a colon is lost")
def lost_colon(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _without(tokens, pick(tokens, rng, mark(":")))


@kind("colons", "a colon stands there twice")
def doubled_colon(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _replaced(tokens, pick(tokens, rng, mark(":")), rng.choice(("::", ": :")))


@kind("colons", "a comma stands for a colon")
def comma_for_colon(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _replaced(tokens, pick(tokens, rng, mark(":")), ",")


# Brackets


def _groups(tokens: Tokens, bracket: str, *, within: bool = True) -> list[tuple[int, int]]:
    """Return the groups in such brackets; those in the calls' own arguments, or all."""
    return [
        (start, end) for start, end in spans(tokens) if tokens[start].text == bracket and (tokens[start].field or not within)
    ]


@kind("brackets", "the last brace or braces are forgotten")
def forgotten_brace(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    ends = 0
    while ends < len(tokens) and (mark("}")(tokens[-1 - ends]) or tokens[-1 - ends].kind == "space"):
        ends += 1
    able = [count for count in range(1, ends + 1) if mark("}")(tokens[-count]) and _ended(tokens[:-count])]
    return tokens[: -rng.choice(able)] if able else None


def _ended(tokens: Tokens) -> bool:
    """Return whether the last value has an end of its own: a number may go on."""
    last = last_of(tokens)
    return last is not None and tokens[last].text.endswith(('"', "]", "}"))


@kind("brackets", "the brace that closes an inner object is lost")
def lost_inner_brace(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    able = _groups(tokens, "{")
    return _without(tokens, rng.choice(able)[1]) if able else None


@kind("brackets", "the bracket that closes a list is lost")
def lost_bracket(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    able = _groups(tokens, "[")
    return _without(tokens, rng.choice(able)[1]) if able else None


@kind("brackets", "the bracket or brace that opens a value is lost")
def lost_opener(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    able = _groups(tokens, "{") + _groups(tokens, "[")
    return _without(tokens, rng.choice(able)[0]) if able else None


@kind("brackets", "the block's own opening brace is lost")
def lost_first_brace(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return tokens[1:] if mark("{")(tokens[0]) else None


@kind("brackets", "closers too many stand at the end")
def extra_closer(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return (*tokens, noise(rng.choice(("}", "]", "}}", "}]", ")", "\n}", "};"))))


@kind("brackets", "a closer too many stands behind an inner value")
def extra_inner_closer(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    able = [end for start, end in spans(tokens) if tokens[start].field]
    if not able:
        return None
    at = rng.choice(able)
    return put(tokens, at, tokens[at], Token(tokens[at].text, "mark", tokens[at].text))


@kind("brackets", "a closer that closes nothing stands behind a value")
def stray_closer(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    able = [at for at, token in enumerate(tokens) if token.kind in ("text", "number", "word") and not token.name]
    if not able:
        return None
    at = rng.choice(able)
    return (*tokens[: at + 1], noise(rng.choice(("]", "}", ")", "}}", "]}"))), *tokens[at + 1 :])


@kind("brackets", "an opener stands there twice")
def extra_opener(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(tokens, rng, mark("{", "["))
    return None if at is None else put(tokens, at, tokens[at], Token(tokens[at].text, "mark", tokens[at].text))


@kind("brackets", "a value is closed by the wrong bracket")
def wrong_closer(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(tokens, rng, mark("}", "]"))
    return None if at is None else _replaced(tokens, at, ")" if rng.random() < 0.2 else "}" if tokens[at].text == "]" else "]")


@kind("brackets", "two closers have changed places")
def crossed_closers(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    closers = places(tokens, mark("}", "]"))
    able = [(a, b) for a, b in pairwise(closers) if tokens[a].text != tokens[b].text and _next(tokens, a) == b]
    if not able:
        return None
    first, second = rng.choice(able)
    return put(put(tokens, first, tokens[second]), second, tokens[first])


@kind("brackets", "an object stands in square brackets")
def square_object(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    able = _groups(tokens, "{", within=False)
    if not able:
        return None
    start, end = rng.choice(able)
    return put(put(tokens, end, tokens[end].spoilt("]")), start, tokens[start].spoilt("["))


@kind("brackets", "a list stands in braces or in parentheses")
def other_list(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    able = _groups(tokens, "[")
    if not able:
        return None
    start, end = rng.choice(able)
    open_, close = rng.choice(("{}", "()", "<>"))
    return put(put(tokens, end, tokens[end].spoilt(close)), start, tokens[start].spoilt(open_))


# Comments

REMARKS: Final = (
    "the target",
    "keep this",
    "TODO check",
    "was y before",
    "see above, then go on",
    "not POST",
    "it's fine",
    "a: b",
    "path, content",
)
QUOTED: Final = ('was "y"', 'not "POST"', 'see "b"', '"old": "x",', 'or "a", "b"', 'the "path": here', 'was "y",')

FORMS: Final = ("// {}", "# {}", "/* {} */")
OTHERWISE: Final = (
    "should be 50", "or 50", "50", "mcg", "USD", "GB", "cents", "ms", "scale down", "recipient", "swap the two", "etc",
    "and so on", "and the rest", "plus bob", "all others too", "truncated", "same as before", "fill in", "bob", "by half",
    "per day", "не то", "ikke denne", "違う", "다른 값", "b.txt", "reader", "twice",
)  # fmt: skip


def _comment(tokens: Tokens, rng: Random, says: str, form: str, fits: Callable[[int], bool] = lambda _: True) -> Tokens | None:
    """Return a comment after a comma, a value or an opener, where it `fits`; what ends with its line gets a line."""
    able = [
        at
        for at, token in enumerate(tokens)
        if (token.kind in ("text", "number", "word") or mark(",", "{", "[", "}", "]")(token)) and fits(at)
    ]
    if not able:
        return None
    at = rng.choice(able)
    written = form.format(says)
    after = tokens[at + 1 :]
    line = "" if form[-1] != "}" or (after and after[0].text.startswith("\n")) else "\n"
    return (*tokens[: at + 1], noise(" " + written + line), *after)


@kind("comments", "a // comment")
def line_comment(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _comment(tokens, rng, rng.choice(REMARKS), "// {}")


@kind("comments", "a // comment with quotes in it")
def quoted_line_comment(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _comment(tokens, rng, rng.choice(QUOTED), "// {}")


@kind("comments", "a # comment")
def hash_comment(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _comment(tokens, rng, rng.choice(REMARKS), "# {}")


@kind("comments", "a # comment with quotes in it")
def quoted_hash_comment(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _comment(tokens, rng, rng.choice(QUOTED), "# {}")


@kind("comments", "a /* */ comment")
def block_comment(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _comment(tokens, rng, rng.choice(REMARKS), "/* {} */")


@kind("comments", "a /* */ comment with quotes in it")
def quoted_block_comment(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _comment(tokens, rng, rng.choice(QUOTED), "/* {} */")


@kind("comments", "a comment that says no more than that this is the call")
def plain_comment(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _comment(tokens, rng, rng.choice(("ok", "the call", "this is the call", "Here it is:", "")), rng.choice(FORMS))


@kind("comments", "a comment says another value, another unit, or that something was left out", refuse=True)
def contradicting_comment(tokens: Tokens, rng: Random, scene: Scene) -> Tokens | None:
    says, form = rng.choice(OTHERWISE), rng.choice(FORMS)

    def contradicts(at: int) -> bool:
        """Return whether no field beside the place says the same already: a repetition contradicts nothing."""
        before = [token for token in tokens[: at + 1] if token.field][-1:]
        behind = [token for token in tokens[at + 1 :] if token.field][:1]
        return not any(words_of(says) <= scene.tool(token).says(token.field) for token in (*before, *behind))

    return _comment(tokens, rng, says, form, contradicts)


@kind("comments", "an HTML or SQL comment")
def foreign_comment(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _comment(tokens, rng, rng.choice(REMARKS + QUOTED), rng.choice(("<!-- {} -->", "-- {}", "; {}", "% {}")))


@kind("comments", "a member with another value is commented out")
def commented_member(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    able = [
        key
        for key in member_starts(tokens)
        if (span := value_span(tokens, key)) and span[1] == span[0] + 1 and tokens[span[0]].kind == "text"
    ]
    if not able:
        return None
    key = rng.choice(able)
    sign = rng.choice(("// {}", "# {}", "/* {} */"))
    member = sign.format(f'{tokens[key].text}: "{rng.choice(("old", "b.txt", "none"))}",')
    return (*tokens[:key], noise(member + "\n"), *tokens[key:])


# Any mark


@kind("marks", "one mark is lost, wherever it stood")
def lost_mark(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _without(tokens, pick(tokens, rng, lambda token: token.kind == "mark"))


@kind("marks", "one mark is doubled, wherever it stands")
def doubled_mark(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(tokens, rng, lambda token: token.kind == "mark")
    return None if at is None else put(tokens, at, tokens[at], tokens[at])


@kind("marks", "one mark is another, wherever it stands")
def other_mark(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(tokens, rng, lambda token: token.kind == "mark")
    return (
        None
        if at is None
        else _replaced(tokens, at, rng.choice([mark for mark in MARKS + ";.|=\"'" if mark != tokens[at].text]))
    )


@kind("marks", "two tokens have changed places")
def swapped_tokens(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    able = [
        at
        for at in range(len(tokens) - 1)
        if tokens[at].text != tokens[at + 1].text
        and {tokens[at].kind, tokens[at + 1].kind} <= {"mark", "text", "key"}
        and "mark" in (tokens[at].kind, tokens[at + 1].kind)
    ]
    if not able:
        return None
    at = rng.choice(able)
    return (*tokens[:at], tokens[at + 1], tokens[at], *tokens[at + 2 :])


INSERTED: Final = "{}[],:;\"'`\\=+*/#.-()<>|&!?~"


@kind("marks", "a mark too many stands between two tokens near the end")
def inserted_mark_near_end(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    if not tokens:
        return None
    return _inserted(tokens, rng.randint(max(1, len(tokens) - 8), len(tokens)), rng)


@kind("marks", "a mark too many stands between two tokens")
def inserted_mark(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _inserted(tokens, rng.randint(0, len(tokens)), rng)


def _inserted(tokens: Tokens, at: int, rng: Random) -> Tokens | None:
    """Return the tokens with a mark before one of them. A point beside a number is left out: it would make another number."""
    mark = rng.choice(INSERTED)
    if mark == "." and any(token.kind == "number" for token in tokens[max(at - 1, 0) : at + 1]):
        return None
    return (*tokens[:at], noise(mark), *tokens[at:])


@kind("marks", "the wrong mark closes a string")
def other_closing_mark(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(tokens, rng, plain)
    return None if at is None else _replaced(tokens, at, f'"{inner(tokens[at])}' + rng.choice("'`”,;:}]"))


# The same in the items of lists, where a call has the same fields several times


@kind("records", "an item of a list of records has lost a bracket or a brace")
def item_lost_closer(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _without(tokens, pick(tokens, rng, lambda token: token.item and mark("}", "]")(token)))


@kind("records", "an item of a list of records has lost an opening bracket or brace")
def item_lost_opener(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _without(tokens, pick(tokens, rng, lambda token: token.item and mark("{", "[")(token)))


@kind("records", "an item of a list of records has lost a comma")
def item_lost_comma(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _without(tokens, pick(tokens, rng, lambda token: token.item and mark(",")(token)))


@kind("records", "an item of a list of records has lost a colon")
def item_lost_colon(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _without(tokens, pick(tokens, rng, lambda token: token.item and mark(":")(token)))


@kind("records", "a string in a list of records has lost a quote")
def item_lost_quote(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(tokens, rng, lambda token: token.item and plain(token))
    if at is None:
        return None
    written = tokens[at].text
    return _replaced(tokens, at, written[1:] if rng.random() < 0.4 else written[:-1])


@kind("records", "a semicolon stands for a comma in a list of records")
def item_semicolon(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _replaced(tokens, pick(tokens, rng, lambda token: token.item and mark(",")(token)), ";")


@kind("records", "an item of a list of records has the wrong bracket")
def item_wrong_bracket(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(tokens, rng, lambda token: token.item and mark("{", "}", "[", "]")(token))
    return None if at is None else _replaced(tokens, at, {"{": "[", "[": "{", "}": "]", "]": "}"}[tokens[at].text])


@kind("records", "an item of a list of records has a member that is not JSON", refuse=True)
def item_odd_member(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(tokens, rng, lambda token: token.item and token.kind == "key" and plain(token))
    return (
        None
        if at is None
        else (
            *tokens[:at],
            noise(f'"{rng.choice(("mode", "rank", "when"))}": {rng.choice(("0755", "yes", "1,000", "2024-01-01", "x1"))}, '),
            *tokens[at:],
        )
    )


@kind("brackets", "an inner brace stands one member too early, and the comma before it", unknowable=True)
def early_closer(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    able = []
    for start, end in _groups(tokens, "{"):
        inside = [(first, last) for first, last in spans(tokens) if start < first and last < end]
        commas = [
            at for at in range(start, end) if tokens[at].text == "," and not any(first < at < last for first, last in inside)
        ]
        if commas and any(token.kind == "key" for token in tokens[commas[-1] : end]):
            able.append((commas[-1], end))
    if not able:
        return None
    comma, end = rng.choice(able)
    return (*tokens[: comma + 1], tokens[end], *tokens[comma + 1 : end], *tokens[end + 1 :])
