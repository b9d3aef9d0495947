"""Verdicts: what an answer is worth, given a row and what came out of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import accumulate
from json import dumps
from typing import Any, Final
from unicodedata import normalize

from ..corpus.rows import By, Meant, Piece, Row
from .parser import Announced, Answer, Failed, Item, Ran, Text, shown


class Verdict(StrEnum):
    """The result of a row. Of several findings, the earliest in this order is the row's."""

    UNSAFE = "unsafe"
    """A call ran that must not: nobody made it, it was cut off, its schema refuses it, or it ran twice."""

    CALL_WRONG = "call wrong"
    """A call ran with another value than was meant, or in another order."""

    CRASHED = "crashed"
    """The parser raised an exception, or its program ended."""

    NO_ANSWER = "no answer"
    """There was no answer within the time, or none that can be read, or its steps are not those of the input."""

    EARLY = "early"
    """A call was announced, ran or failed before the input showed that call; or text came out before it was read."""

    CALL_MISSING = "call missing"
    """A call did not run that must."""

    TEXT_LOST = "text lost"
    """Text that stands outside of calls did not come out as it was: less of it, more, or another."""

    TEXT_LEAKED = "text leaked"
    """A call ran, and more text came out than stands outside of calls."""

    LATE = "late"
    """Text, a name, or a call came out later than it could, or in another order; or an announced call never ended."""

    UNEXPLAINED = "unexplained"
    """The report of a call that did not run does not say what is wrong."""

    SUPERLINEAR = "superlinear"
    """The time grows faster than the input."""

    REFUSED = "refused"
    """Right, and careful: a call of a broken block did not run."""

    PASSED = "passed"
    """Right."""

    NOT_CLAIMED = "not claimed"
    """The parser does not claim the capabilities that the row needs."""

    @property
    def right(self) -> bool:
        """Whether nothing is wrong."""
        return self in (Verdict.REFUSED, Verdict.PASSED, Verdict.NOT_CLAIMED)


UNTIMED: Final = "answered with items: when they came out is unknown"
"""The remark on a row that is right and was answered without steps."""

ORDER: Final = tuple(Verdict)


@dataclass(frozen=True, slots=True)
class Finding:
    """A verdict on a row, and what led to it."""

    verdict: Verdict
    says: str = ""


@dataclass(frozen=True, slots=True)
class Called:
    """A call that ran, and the steps in which its name came out, and the call."""

    name: str
    choice: int
    named: int
    ran: int


def applies(row: Row, capabilities: Collection[str]) -> bool:
    """Return whether a parser claims all that a row needs."""
    return set(row.needs) <= set(capabilities)


def check(row: Row, answer: Answer, capabilities: Collection[str]) -> Finding:
    """Return the verdict on an answer to a row that applies."""
    found = list(_findings(row, answer, capabilities))
    worst = min(found, key=lambda finding: ORDER.index(finding.verdict), default=Finding(Verdict.PASSED))
    if worst.verdict.right and not answer.timed and len(row.input) > 1 and "streams" in capabilities:
        return replace(worst, says=worst.says or UNTIMED)
    return worst


def same(one: Any, other: Any) -> bool:
    """Return whether two values of JSON are the same. 1 and 1.0 are: not every language tells them apart."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return (type(one) is type(other) and one == other) or (_number(one) and _number(other) and one == other)


def _number(value: Any) -> bool:
    return isinstance(value, int | float)


def _findings(row: Row, answer: Answer, capabilities: Collection[str]) -> Iterator[Finding]:
    items = [item for step in answer.steps for item in step]
    ran = [item for item in items if isinstance(item, Ran)]
    choices = {call.choice for call in row.calls} | {item.choice for item in ran} | {0}
    lists = [row.calls, *row.also]
    if row.says is not None and row.says([(item.name, item.arguments) for item in ran]):
        lists.append([Meant(item.name, item.arguments, choice=item.choice) for item in ran])
    refused = False
    for choice in sorted(choices):
        here = [item for item in ran if item.choice == choice]
        found = [list(_calls(here, [call for call in calls if call.choice == choice])) for calls in lists]
        if not here:
            found = found[:1]  # where nothing ran, what was meant counts
        best = min(found, key=lambda seen: max((_weight(each) for each in seen), default=0))
        yield from best
        refused = refused or any(finding.verdict is Verdict.REFUSED for finding in best)
    if "text" in capabilities and row.texts is not None:
        said = [item for item in items if isinstance(item, Text)]
        nothing: Sequence[Piece] = ("",)  # what a choice says that the reply does not have
        meant_by = {**dict.fromkeys((item.choice for item in said), nothing), **dict(enumerate(row.texts))}
        for choice, pieces in sorted(meant_by.items()):
            came = _paired("".join(item.text for item in said if item.choice == choice))
            yield from _text(came, pieces, more=Verdict.TEXT_LEAKED if ran else Verdict.TEXT_LOST)
    called, unended = _called(answer, "".join(piece if isinstance(piece, str) else dumps(piece) for piece in row.input))
    if row.at_once:
        yield from _reported(items, capabilities)
    if "announce" in capabilities:
        for item in unended:
            yield Finding(Verdict.LATE, f"{item.name} was announced, and neither ran nor failed")
    steps, read = len(answer.steps), len(row.input)
    if answer.timed and steps not in (read, read + 1):
        says = f"the answer has {steps} steps, and not one for each of {read} pieces and the end"
        yield Finding(Verdict.NO_ANSWER, says)
    elif answer.timed and "streams" in capabilities:
        yield from _timing(row, answer, capabilities, called)
        if "text" in capabilities and row.texts is not None:
            yield from _order(row, items)
    if row.explains and "hints" in capabilities and not ran:
        says = "\n".join(item.says for item in items if isinstance(item, Failed))
        missing = [word for word in row.explains if word not in says]
        if missing:
            yield Finding(Verdict.UNEXPLAINED, f"no report contains {', '.join(map(shown, missing))}")


def _paired(text: str) -> str:
    """Return a text in which the halves of surrogate pairs are one character, as JSON and UTF-16 have it."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _weight(finding: Finding) -> int:
    return len(ORDER) - ORDER.index(finding.verdict) if not finding.verdict.right else 0


def _calls(ran: Sequence[Ran], meant: Sequence[Meant]) -> Iterator[Finding]:
    """Yield what is wrong with the calls that ran; REFUSED for a call that did not run and did not have to."""
    at = 0
    done: list[Meant] = []
    passed: list[Meant] = []
    for call in ran:
        where = next((n for n in range(at, len(meant)) if _is(call, meant[n])), None)
        if where is not None:
            passed += meant[at:where]
            done.append(meant[where])
            at = where + 1
            continue
        late = next((n for n, other in enumerate(passed) if _is(call, other)), None)
        if late is not None:
            done.append(passed.pop(late))
            yield Finding(
                Verdict.CALL_WRONG, f"ran {call.name} behind a call that comes after it, with {shown(call.arguments)}"
            )
            continue
        near = next((n for n in range(at, len(meant)) if call.name == meant[n].name), None)
        again = " again" if any(_is(call, other) for other in done) else ""
        verdict = Verdict.UNSAFE if near is None else Verdict.CALL_WRONG
        held = shown(call.arguments) if near is None else _apart(call.arguments, meant[near].arguments)
        yield Finding(verdict, f"ran {call.name}{again} with {held}")
        if near is not None:
            passed += meant[at:near]
            at = near + 1
    yield from map(_not_run, (*passed, *meant[at:]))


def _not_run(call: Meant) -> Finding:
    says = f"{call.name} did not run"
    return Finding(Verdict.CALL_MISSING, says) if call.must else Finding(Verdict.REFUSED, says)


def _is(ran: Ran, meant: Meant) -> bool:
    return ran.name == meant.name and same(ran.arguments, meant.arguments)


def _text(came: str, pieces: Sequence[Piece], more: Verdict) -> Iterator[Finding]:
    """Yield what is wrong with the text of a choice. `more` is the verdict on one that has all that was meant, and more."""
    if len(pieces) == 1 and pieces[0] is not None:
        right = came == pieces[0]
    else:
        parts = [".*" if piece is None else re.escape(piece.strip()) for piece in pieces if piece is None or piece.strip()]
        pattern = r"\s*".join(parts)  # never twice after each other, where each way to share the white space would be tried
        right = re.fullmatch(rf"\s*{pattern}\s*", came, re.DOTALL) is not None
    if not right:
        meant = "".join(piece or "" for piece in pieces)
        verdict = more if _has_more(came, meant) else Verdict.TEXT_LOST
        yield Finding(verdict, f"came out: {_apart(came, meant)}")


def _apart(came: Any, meant: Any) -> str:
    """Return what came and what was meant as JSON. Where the two look alike, characters beyond ASCII are escaped."""
    texts = [shown(came), shown(meant)]
    one, other = texts if _seen(texts[0]) != _seen(texts[1]) else [_UNSEEN.sub(_escaped, text) for text in texts]
    return f"{one}; meant was: {other}"


_UNSEEN: Final = re.compile(r"[^\x20-\x7e]")


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def _seen(text: str) -> str:
    """Return what can be seen of a text: without characters of no width, in one form of those that look the same."""
    return "".join(letter for letter in normalize("NFKC", text) if letter.isprintable())


def _has_more(came: str, meant: str) -> bool:
    """Return whether a text has the letters of another text in their order, and other letters between them."""
    letters, needed = ("".join(text.split()) for text in (came, meant))
    left = iter(letters)
    return len(letters) > len(needed) and all(letter in left for letter in needed)


def _reported(items: Iterable[Item], capabilities: Collection[str]) -> Iterator[Finding]:
    """Yield the calls that were announced or reported where no part of the input could become a call."""
    for item in items:
        if isinstance(item, Announced) and "announce" in capabilities:
            yield Finding(Verdict.EARLY, f"{item.name} was announced, and nothing in the input could become a call")
        if isinstance(item, Failed) and "hints" in capabilities:
            yield Finding(Verdict.EARLY, f"a call failed, and nothing in the input could become one: {shown(item.says)}")


def _timing(row: Row, answer: Answer, capabilities: Collection[str], ran: Iterable[Called]) -> Iterator[Finding]:
    """Yield what came out too early or too late."""
    left = list(ran)
    for meant in row.calls:
        own = next((call for call in left if (call.name, call.choice) == (meant.name, meant.choice)), None)
        if own is None:
            continue  # it did not run
        left.remove(own)
        if meant.ready is not None and own.ran < meant.ready:
            yield Finding(Verdict.EARLY, f"{own.name} ran after piece {own.ran}, and was complete with piece {meant.ready}")
        if meant.due is not None and meant.must and own.ran > meant.due:
            yield Finding(Verdict.LATE, f"{own.name} ran after piece {own.ran}, and its block had ended with piece {meant.due}")
        if "announce" in capabilities and meant.must and meant.named is not None and own.named != meant.named:
            verdict = Verdict.EARLY if own.named < meant.named else Verdict.LATE
            yield Finding(verdict, f"{own.name} was announced after piece {own.named}, and complete with piece {meant.named}")
    if "text" in capabilities:
        if row.at_once:
            yield from _lag(row, answer)
        for choice, marks in enumerate(row.out):
            yield from _held(choice, marks, answer)


def _lag(row: Row, answer: Answer) -> Iterator[Finding]:
    """Yield the first piece after which less text had come out than was read, or more. Wrong text is not counted here."""
    whole = "".join(row.input)
    read = said = 0
    for number, (piece, step) in enumerate(zip(row.input, answer.steps, strict=False)):
        text = "".join(item.text for item in step if isinstance(item, Text))
        if not whole.startswith(text, said):
            return
        read += len(piece)
        said += len(text)
        if said > read:
            yield Finding(Verdict.EARLY, f"after piece {number}, {said - read} characters had come out that were not read yet")
            return
        if said < read:
            yield Finding(Verdict.LATE, f"after piece {number}, {read - said} characters had not come out")
            return


def _held(choice: int, marks: Sequence[By], answer: Answer) -> Iterator[Finding]:
    """Yield the first piece after which less text of a choice had come out than has to. Wrong text is not counted here."""
    came = [
        sum(_letters(item.text) for item in step if isinstance(item, Text) and item.choice == choice) for step in answer.steps
    ]
    out = list(accumulate(came))
    for piece, letters in marks:
        if out[piece] < letters <= out[-1]:
            says = (
                f"after piece {piece}, {letters - out[piece]} characters had not come out, of text that could not become a call"
            )
            yield Finding(Verdict.LATE, says)
            return


def _order(row: Row, items: Sequence[Item]) -> Iterator[Finding]:
    """Yield the first call of each choice that ran before the text in front of it came out, or after text behind it did.

    Places are counted in letters, without white space. What came out wrongly has other findings.
    """
    for choice, pieces in enumerate(row.texts or ()):
        meant = sum(call.choice == choice for call in row.calls)
        places, length = _places(pieces)
        if len(places) == 1:
            places *= meant  # one block has all calls
        ran: list[tuple[str, int]] = []
        came = 0
        for item in items:
            if item.choice == choice and isinstance(item, Text):
                came += _letters(item.text)
            elif item.choice == choice and isinstance(item, Ran):
                ran.append((item.name, came))
        if None in pieces or came != length or not len(places) == meant == len(ran):
            continue
        for (name, at), place in zip(ran, places, strict=True):
            if at != place:
                says = "before the text in front of it came out" if at < place else "after text that stands behind it came out"
                yield Finding(Verdict.LATE, f"{name} ran {says}: behind {at} letters, and not {place}")
                break


def _places(pieces: Sequence[Piece]) -> tuple[list[int], int]:
    """Return how many letters stand before each call, and how many there are."""
    places: list[int] = []
    length = 0
    for piece in pieces:
        length += _letters(piece or "")
        if piece == "":
            places.append(length)
    return places, length


def _letters(text: str) -> int:
    """Return how many characters of a text are no white space."""
    return sum(map(len, text.split()))


def _called(answer: Answer, read: str) -> tuple[list[Called], list[Announced]]:
    """Return the calls that ran, and the announced ones that neither ran nor failed; `read` is the input.

    A call that runs or fails ends the announcement of its name in its choice, or else the first one there that may be its own:
    a name that was mended stands in the input, and a report has none. A call that was not announced names itself.
    """
    ran: list[Called] = []
    waiting: list[tuple[int, Announced]] = []
    for step, item in ((step, item) for step, items in enumerate(answer.steps) for item in items):
        if isinstance(item, Announced):
            waiting.append((step, item))
        elif isinstance(item, Ran | Failed):
            here = [one for one in waiting if one[1].choice == item.choice]
            own = [one for one in here if isinstance(item, Ran) and one[1].name == item.name]
            if isinstance(item, Ran):
                here = [one for one in here if one[1].name in read or item.name not in read]
                ran.append(Called(item.name, item.choice, own[0][0] if own else step, step))
            for ended in (own or here)[:1]:
                waiting.remove(ended)
    return ran, [announced for _, announced in waiting]
