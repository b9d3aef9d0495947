"""Fences as CommonMark sees them, by markdown-it-py, and as the scanner does; and what may explain a difference.

Each explanation is a leniency of docs/fences.md, by the same name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from markdown_it import MarkdownIt

from stream_guard.scan.fences import Languages
from stream_guard.scan.scanner import FenceScanner
from stream_guard.scan.states import Scanned, Seen, State
from stream_guard.scan.stream_text import ScanSettings
from stream_guard.tools.files import FILE_TOOLS

LINE_END = re.compile(r"\r\n|\r|\n")
MARKER = re.compile(r"[ \t]*(?:[-+*]|[0-9]{1,9}[.)])(?:[ \t]|$)")


@dataclass(frozen=True)
class Fence:
    """A fence: the line of its opener, and of its closer if it has one."""

    opener: int
    closer: int | None


def lines_of(text: str) -> list[str]:
    return LINE_END.split(text)


def commonmark(text: str) -> tuple[list[Fence], list[str], list[tuple[int, int]]]:
    """The fences; for each the containers it is in; and the lines of HTML blocks."""
    fences, containers, html = [], [], []
    stack: list[str] = []
    lines = lines_of(text)
    for token in MarkdownIt("commonmark").parse(text):
        if token.nesting == 1:
            stack.append(token.type)
        elif token.nesting == -1:
            stack.pop()
        elif token.type == "html_block" and token.map:
            html.append((token.map[0], token.map[1]))
        elif token.type == "fence" and token.map:
            first, after = token.map
            content = token.content.count("\n") + (not token.content.endswith("\n") and token.content != "")
            closed = after - first - 1 > content
            fences.append(Fence(first, first + content + 1 if closed else None))
            containers.append("quote" if "blockquote_open" in stack else "list" if stack else "")
    assert all(fence.opener < len(lines) for fence in fences)
    return fences, containers, html


class Recorder(FenceScanner):
    """A scanner that notes where every fence opens and closes."""

    def __init__(self, words: tuple[str, ...] = ("none-of-these",)) -> None:
        super().__init__(FILE_TOOLS, ScanSettings(languages=Languages(words), untagged="validate"))
        self.places: list[tuple[str, int]] = []

    def feed(self, text: str) -> list[Scanned]:
        self._easy = False  # text that passes unbuffered is not counted in places
        return super().feed(text)

    def _go(self, seen: Seen) -> None:
        before = self.state
        super()._go(seen)
        if seen is Seen.OTHER_FENCE or (seen is Seen.BLOCK_FENCE and before is State.LINE):
            self.places.append(("open", self._head_at))
        elif seen is Seen.CLOSER:
            self.places.append(("close", self._head_at))


def fences_of(text: str, chunks: list[str] | None = None, words: tuple[str, ...] = ("none-of-these",)) -> list[Fence]:
    scanner = Recorder(words)
    for chunk in chunks or [text]:
        scanner.feed(chunk)
    scanner.end()
    fences: list[Fence] = []
    for what, place in scanner.places:
        line = len(LINE_END.findall(text[:place]))
        if place and text[place - 1 : place + 1] == "\r\n":
            line -= 1
        if what == "open":
            fences.append(Fence(line, None))
        else:
            fences[-1] = Fence(fences[-1].opener, line)
    return fences


def explain(text: str) -> str | None:
    """The name of what explains the first difference; "" when there is none; None when it cannot be explained."""
    theirs, containers, html = commonmark(text)
    mine = fences_of(text)
    if mine == theirs:
        return ""
    lines = lines_of(text)
    listed = [False]
    for line in lines:
        listed.append(listed[-1] or MARKER.match(line) is not None)
    at = next((i for i, (a, b) in enumerate(zip(mine, theirs, strict=False)) if a != b), min(len(mine), len(theirs)))
    my = mine[at] if at < len(mine) else None
    their = theirs[at] if at < len(theirs) else None
    if their and (my is None or their.opener < my.opener):
        if containers[at] == "quote":
            return "quote"
        if their.opener == len(lines) - 1:
            return "end-opener"
        before = theirs[at - 1] if at else None
        if before and before.closer is None and containers[at - 1] == "list" and _outdented(lines, before.opener, their.opener):
            return "list-outdent"
        return None
    assert my is not None
    line = lines[my.opener]
    if their is None or my.opener < their.opener:
        if any(first <= my.opener < after for first, after in html):
            return "html"
        if MARKER.match(line):
            return "marker-line"
        return "list-indent" if listed[my.opener] and indent(line) > 3 else None
    if containers[at] == "quote":
        return "quote"
    if my.closer is not None and listed[my.opener] and indent(lines[my.closer]) > 3:
        return "list-indent"
    last = my.closer if my.closer is not None else len(lines) - 1
    return "list-outdent" if containers[at] == "list" and _outdented(lines, my.opener, last) else None


def _outdented(lines: list[str], opener: int, last: int) -> bool:
    """Whether a line after the opener stands further left than the opener's fence."""
    spread = lines[opener].expandtabs(4)
    column = min(place for place in (spread.find("```"), spread.find("~~~")) if place >= 0)
    return any(line.strip(" \t") and indent(line) < column for line in lines[opener + 1 : last + 1])


def indent(line: str) -> int:
    """The column of the first character that is not a blank."""
    spread = line.expandtabs(4)
    return len(spread) - len(spread.lstrip(" "))
