"""`Arguments`: the arguments of one native call, as they come: in pieces, as the members of an object, or all at once.

They may come more than once: first in pieces, then whole. A repetition, or a completion, counts once.

Rule: if different arguments follow those of a call, it is undetermined which were meant. Such a call came `twice`.
"""

from __future__ import annotations

import json
from dataclasses import replace

import jiter

from stream_guard.spi import joined

from ..protocols import ObjectText, Piece


class Arguments:
    """The arguments of one call, as far as they have come."""

    __slots__ = ("_contradicted", "_differs", "_given", "_object", "_pieces", "is_whole", "size")

    def __init__(self) -> None:
        self.size = 0
        """How many characters of the arguments have come."""
        self.is_whole = False
        """Whether the last piece had all of them."""
        self._pieces: list[str] = []
        self._given: str | None = None  # those of a piece that had all of them, if pieces came after it
        self._differs: bool | None = None  # whether these are others; None when that is to be found out
        self._contradicted = False  # whether two pieces had all of them, and others; or nobody can know whose they are
        self._object = ObjectText()  # makes JSON of those that come as members

    @property
    def text(self) -> str:
        """All that has come. Whole arguments that follow, or are followed by, the same ones in pieces count once."""
        text = self._in_pieces
        if self._given is not None and (self.twice or not text.strip()):
            text = joined(self._given + text)
        return text

    @property
    def _in_pieces(self) -> str:
        """What has come in pieces, which may be cut within a character."""
        return joined("".join(self._pieces))

    @property
    def is_empty(self) -> bool:
        """Whether no arguments have come."""
        return not self.text.strip()

    @property
    def twice(self) -> bool:
        """Whether two different sets of arguments came, so that it is undetermined which were meant."""
        if self._contradicted or self._given is None:
            return self._contradicted
        if self._differs is None:
            again = self._in_pieces
            self._differs = bool(again.strip()) and not _is_same(self._given, again)
        return self._differs

    def told(self, piece: Piece) -> Piece:
        """Return a piece with its members as JSON text."""
        return replace(piece, arguments=self._object.add(piece.members), members=())

    def add(self, piece: Piece) -> str:
        """Take the arguments of a piece: more of them, or all of them. Return the new part."""
        self._differs = None
        if piece.whole:
            return self._add_whole(piece)
        if self.is_whole:
            self._given, self.is_whole = self._in_pieces, False
            self._pieces.clear()
        self._pieces.append(piece.arguments)
        self.size += len(piece.arguments)
        return "" if self._given is not None else piece.arguments

    def _add_whole(self, piece: Piece) -> str:
        """Take all arguments together. Return them if none came before."""
        known, said = [text for text in (self._given, self._in_pieces) if text], joined(piece.arguments)
        if said.isspace() or self._contradicted:
            return ""
        if not (piece.decides or all(_agrees(text, said) for text in known)):
            self._contradicted = True
            self._pieces.append(said)
            self.size += len(said)
            return ""
        written = next((text for text in known if _is_same(text, said)), said)
        self._pieces, self._given, self.is_whole, self.size = [written], None, True, len(written)
        return "" if known else said

    def contradict(self) -> None:
        """Note that everything that has come counts, and that it is undetermined which of it was meant."""
        self._contradicted = True

    def give_up(self) -> None:
        """Note that the arguments have no end: it is undetermined to which call later pieces belong."""
        self._object.give_up()
        self.contradict()

    def drop(self) -> None:
        """Stop keeping the arguments."""
        self._pieces.clear()


def _is_same(one: str, other: str) -> bool:
    """Return whether two texts are JSON of the same value: spaces, escapes and the order of keys do not count."""
    try:
        first, second = (jiter.from_json(text.encode(), catch_duplicate_keys=True) for text in (one, other))
    except ValueError:
        return False
    # `1`, `1.0` and `true` are equal in Python, and differ for a tool.
    return bool(first == second) and json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True)


def _agrees(known: str, said: str) -> bool:
    """Return whether the whole arguments of a call agree with the known ones: these are equal to them, or a part of them."""
    if known == said or known.isspace() or _is_same(known, said):
        return True
    try:
        jiter.from_json(known.encode())
    except ValueError:  # it is not whole: pieces may be missing before and after it
        return known in said
    return False
