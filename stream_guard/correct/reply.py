"""Finds the corrected block in a reply.

A reply is a fenced block, a bare object, or either of them in prose. A reply with two blocks, or with half a block, counts as
having none: the guard does not choose.
"""

from __future__ import annotations

import json
import re
from typing import Final

from ..judge.judge import Judge
from ..values.block import Block
from ..values.fence import RUN, RUNS
from .request import CorrectionRequest, Reply

_THOUGHTS: Final = re.compile(r"\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_OBJECT: Final = re.compile(r"^[ \t]*\{|(?<=[:.] )\{", re.MULTILINE)
_MOST: Final = 64
"""The most places of a reply that are tried as the beginning of an object."""


class NoSingleBlock(Exception):
    """Raised if a reply does not contain exactly one block. The message is the reason, in a word or two."""


def corrected(reply: Reply, request: CorrectionRequest, judge: Judge) -> Block:
    """Return the one block in a reply. Raises NoSingleBlock."""
    text = _complete(reply, request)
    blocks = judge.blocks(text)
    if len({block.body.strip() for block in blocks}) > 1:
        raise NoSingleBlock("several blocks")
    if blocks:
        if blocks[0].end_cause != "closed" or blocks[0].ambiguous:
            raise NoSingleBlock("cut off")
        return blocks[0]
    return Block.bare(_object(text))


def continued(reply: Reply, request: CorrectionRequest, judge: Judge, so_far: str) -> str:
    """Return the cut-off body `so_far` with its rest from a reply. Raises NoSingleBlock."""
    text = _complete(reply, request)
    blocks = judge.blocks(text)
    rest = blocks[0].body if len(blocks) == 1 and text.lstrip().startswith(RUNS) else text
    head = so_far.rstrip()
    if rest.lstrip().startswith(head.lstrip()):  # the reply has the whole block
        return rest
    rest = re.sub(rf"\s*{RUN}\s*\Z", "", rest)
    if _overlap(so_far, rest) >= _REPEATED:
        raise NoSingleBlock("repeats the block")
    return so_far + rest


_REPEATED: Final = 12
"""The number of the block's last characters that show, at the beginning of a reply, that the reply repeats them."""


_LONGEST_OVERLAP: Final = 1_000
"""The most characters of a block's end that are compared with the beginning of a reply. Models repeat a line or two."""


def _overlap(so_far: str, rest: str) -> int:
    """Return how many of the last characters of `so_far` the text `rest` begins with."""
    most = min(len(so_far), len(rest), _LONGEST_OVERLAP)
    return next((size for size in range(most, 0, -1) if rest.startswith(so_far[-size:])), 0)


def _complete(reply: Reply, request: CorrectionRequest) -> str:
    """Return the text of a reply that was not cut off. Raises NoSingleBlock."""
    if reply.end != "stop":
        raise NoSingleBlock("refusal" if reply.end == "refusal" else "cut off")
    if len(reply.text) > request.max_characters:
        raise NoSingleBlock("too long")
    thoughts = _THOUGHTS.match(reply.text)
    text = reply.text[thoughts.end() :] if thoughts is not None else reply.text
    if not text.strip():
        raise NoSingleBlock("empty")
    return text


def _object(text: str) -> str:
    """Return the only object in a text without fences; the whole text if it begins with an object that is no JSON."""
    decoder = json.JSONDecoder(strict=False)
    found: set[str] = set()
    end = 0
    for count, start in enumerate(_OBJECT.finditer(text)):
        if count == _MOST:
            raise NoSingleBlock("no block")
        if start.end() <= end:
            continue
        try:
            _, end = decoder.raw_decode(text, start.end() - 1)
        except (ValueError, RecursionError):
            continue
        found.add(text[start.end() - 1 : end])
    if len(found) > 1:
        raise NoSingleBlock("several blocks")
    if found:
        return found.pop()
    if not text.lstrip().startswith("{"):
        raise NoSingleBlock("no block")
    return text.strip()
