"""The guard: what is to be guarded, and the judgement of one block.

    block -> parse -> validate -> event

`Guard` holds settings and nothing else, so one serves a whole app: any number of streams, in any threads. What one stream
needs to remember is in its `Session`.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterable, Callable, Coroutine, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Literal

from .correct import Breaker, CorrectionPolicy, Corrector, Spent
from .correct.pending import Pending
from .fixes.engine import ALLOWED, Engine, Fixes, Mended
from .fixes.remarks import speaks_against
from .scan.fences import Languages
from .scan.scanner import FenceScanner
from .scan.states import Closed
from .session import Aside, Mending, Session
from .toolset.tool import Risk
from .toolset.toolset import Toolset
from .toolset.validate import Validated, validate
from .values.block import Block
from .values.events import End, Item, ToolBlock, ToolStatus
from .values.issues import ValidationIssue, internal_error
from .values.limits import SHORT, Limits

if TYPE_CHECKING:
    from .transform import GuardedStream

log: Final = logging.getLogger("stream_guard")


class Guard:
    """Guards streams of text against broken tool calls.

    Args:
        tools: The tools the model may call.
        corrector: Asked for a corrected block when one fails; any async callable. Without one, a failed block stays failed.
        correction: How often and how long it is asked.
        limits: The bounds of one stream.
        languages: The info words of a fence that may hold a tool call. `""` stands for a fence without one.
        announce: When a block is first spoken of: at its `fence`, or once its `tool` is known.
        order: While a correction runs, later text waits (`strict`) or flows on and the block lands later (`flow`).
        untagged: What becomes of a fenced block that is no tool call: `release` it as text, or `validate` it all the same.
        fixes: How much a fix without a model may assume: `lossless`, `likely`, what the specification allows (`spec`: an empty
            text for a missing one), or `off`.
        run_invented: Whether a block may run into which something was put that nobody wrote: the empty text for a missing one,
            from `fixes="spec"` or a corrector, or a tool that was not named. Without it such a block is passed and corrected,
            and not `executable`.
        mode: `guard` changes what is broken; `shadow` changes nothing, and tells in `fixes` what would have been changed.
        progress: Send a progress status every so many characters of a block.
        preview: The field whose text is sent along as it is being written, `content` say.
        on_status: Told of every status, in all streams, as it leaves.
        on_block: Told of every block, likewise. What a hook raises is logged by its name, and goes no further.
    """

    def __init__(
        self,
        tools: Toolset,
        *,
        corrector: Corrector | None = None,
        correction: CorrectionPolicy | None = None,
        limits: Limits | None = None,
        languages: Iterable[str] = ("json",),
        announce: Literal["fence", "tool"] = "fence",
        order: Literal["strict", "flow"] = "strict",
        untagged: Literal["release", "validate"] = "release",
        fixes: Fixes = "likely",
        run_invented: bool = False,
        mode: Literal["guard", "shadow"] = "guard",
        progress: int | None = None,
        preview: str | None = None,
        on_status: Callable[[ToolStatus], None] | None = None,
        on_block: Callable[[ToolBlock], None] | None = None,
    ) -> None:
        if not isinstance(tools, Toolset):
            raise TypeError(f"Guard takes a Toolset, not {type(tools).__name__}")
        if corrector is not None and not callable(corrector):
            raise TypeError("corrector must be an async callable that takes a CorrectionRequest and returns text")
        _one_of("announce", announce, ("fence", "tool"))
        _one_of("order", order, ("strict", "flow"))
        _one_of("untagged", untagged, ("release", "validate"))
        _one_of("fixes", fixes, tuple(ALLOWED))
        _one_of("mode", mode, ("guard", "shadow"))
        if progress is not None and progress < 1:
            raise ValueError(f"progress must be a positive number of characters, not {progress!r}")
        self.tools: Final = tools
        self.corrector: Final = corrector
        self.correction: Final = correction or CorrectionPolicy()
        self.limits: Final = limits or Limits()
        self.announce: Final = announce
        self.order: Final = order
        self.untagged: Final = untagged
        self.fixes: Final = fixes
        self.run_invented: Final = run_invented
        self.mode: Final = mode
        self.progress: Final = progress
        self.preview: Final = preview
        self.on_status: Final = on_status
        self.on_block: Final = on_block
        self._languages: Final = Languages(languages)
        self._engine: Final = Engine(tools, self.limits, fixes)
        self._observer: Guard | None = None
        self.breaker: Final = Breaker(self.correction)
        """Whether the corrector may be asked at all."""

    def stream(self, deltas: AsyncIterable[str | End], *, stream_id: str | None = None) -> GuardedStream[Item]:
        """Guard a live stream: iterate over the result with `async for`.

        Text passes as it comes; `ToolStatus` and `ToolBlock` stand where a tool call stood. The result is also an async
        context manager; leaving it closes the source. An `End` among the deltas says why the text ends there.
        """
        from .transform import GuardedStream  # deferred: asyncio, which the rest of the core does without

        return GuardedStream(self, deltas, self.session(stream_id, patient=True))

    def scan(self, deltas: Iterable[str | End], *, stream_id: str | None = None) -> Iterator[Item]:
        """Guard text that is here already: a list, a file, a recorded stream. No model is asked."""
        if isinstance(deltas, str):
            deltas = (deltas,)
        session = self.session(stream_id, corrects=False)
        for delta in map(session.checked, chain(deltas, (End(),))):
            for item in session.end(delta.cause) if isinstance(delta, End) else session.feed(delta):
                assert not isinstance(item, Pending | Aside)  # there is nobody to ask, and nobody to wait
                yield item

    def check(self, text: str) -> ToolBlock:
        """Judge one block, fenced or bare. No model is asked."""
        return self.checked(self.judged(text))

    def acheck(self, text: str) -> Coroutine[Any, Any, ToolBlock]:
        """Judge one block, fenced or bare, as `check` does. A long one is judged in a thread, so that it holds nobody up."""
        from .transform import check  # deferred: asyncio, which the rest of the core does without

        return check(self, text)

    def judged(self, text: str) -> Mending:
        """The one block of a text, judged and mended. Raises ValueError where there are several."""
        blocks = self.blocks(text)
        if len(blocks) > 1:
            raise ValueError(f"check takes one block, and this text holds {len(blocks)}; use scan")
        mending = Mending(self, blocks[0] if blocks else Block.bare(text))
        mending.run()
        return mending

    def checked(self, mending: Mending) -> ToolBlock:
        """The event of a block with one call that was judged by itself. Raises ValueError where there are several."""
        found = self.session("check", corrects=False).block(mending)
        if len(found) > 1:
            raise ValueError(f"check takes one call, and this block holds {len(found)}; use scan")
        return found[0]

    def blocks(self, text: str) -> list[Block]:
        """The fenced blocks in a text, tool calls or not."""
        scanner = self.scanner(untagged="validate")
        scanned = [item for at in range(0, len(text), SHORT) for item in scanner.feed(text[at : at + SHORT])]
        return [item.block for item in (*scanned, *scanner.end()) if isinstance(item, Closed)]

    def session(
        self,
        stream_id: str | None = None,
        *,
        corrects: bool = True,
        patient: bool = False,
        spent: Spent | None = None,
        quiet: bool = False,
    ) -> Session:
        """What one stream needs to remember. For those who bring their own loop.

        It hands out what waits for a corrector (`Pending`), unless it `corrects` nothing; and, where it is `patient`, what is
        long to do (`Aside`). Sessions of one stream share what they have `spent`. A `quiet` one holds and says nothing.
        """
        asks = self.corrector is not None and self.correction.max_attempts > 0 and self.mode == "guard"
        return Session(self, stream_id, corrects=corrects and asks, patient=patient, spent=spent, quiet=quiet)

    def observer(self) -> Guard:
        """The guard of the same tools that judges, and mends nothing. There is one."""
        if self._observer is None:
            on_status, on_block = self.on_status, self.on_block
            self._observer = Guard(self.tools, fixes="off", limits=self.limits, on_status=on_status, on_block=on_block)
        return self._observer

    def scanner(self, untagged: Literal["release", "validate"] | None = None) -> FenceScanner:
        """A scanner with this guard's settings."""
        return FenceScanner(
            self.tools,
            languages=self._languages,
            limits=self.limits,
            untagged=untagged or self.untagged,
            progress=self.progress,
            preview=self.preview,
        )

    def judge(self, block: Block) -> Validated:
        """The verdict on one block: how it ended first, then what it says. Never raises."""
        if block.end_cause != "closed":
            return Validated(None, None, None, (_cut_off(block, self.limits),))
        try:
            found = validate(block.body, self.tools, self.limits)
        except Exception as error:  # promise P9: closed for tools
            log.error("the guard failed on a block: %s", type(error).__name__)
            return Validated(None, None, None, (internal_error(error, "The guard failed on this block"),))
        if not block.ambiguous:
            return found
        message = "The end of the block is uncertain: a fence stands inside its JSON"
        issues = (ValidationIssue("ambiguous_end", message), *found.issues)[: self.limits.max_issues]
        return Validated(found.value, found.tool, found.path, issues)

    def mend(self, block: Block, verdict: Validated) -> tuple[Mended, ...]:
        """The calls of a block that failed, mended without a model; none when that cannot be done honestly. Never raises.

        A block that was cut off, or whose end is uncertain, is not mended; nor is one that could not be judged.
        """
        if self.fixes == "off" or verdict.passed or block.end_cause != "closed" or block.ambiguous:
            return ()
        if any(issue.code == "guard_error" for issue in verdict.issues):
            return ()
        try:
            return self._engine.mend(block.body, fenced=block.fenced, called=block.called)
        except Exception as error:  # promise P9: what a fix fails on stays failed
            log.error("the fixes failed on a block: %s", type(error).__name__)
            return ()

    def speaks_against(self, body: str, tool: str | None) -> bool:
        """Whether the words around a call in its block forbid it. Beside a tool that takes something away any words do."""
        known = self.tools.get(tool) if tool is not None else None
        return speaks_against(body, any_prose=known is None or known.risk is Risk.DESTRUCTIVE)

    def understood(self, body: str) -> Validated | None:
        """The one call that a body means, under the tools' own names, and what is wrong with it; None when nobody knows."""
        try:
            return self._engine.understood(body)
        except Exception as error:  # promise P9: what nobody understood is compared as text
            log.error("the fixes failed on a block: %s", type(error).__name__)
            return None


def _cut_off(block: Block, limits: Limits) -> ValidationIssue:
    if block.end_cause == "oversize":
        message = f"The block is longer than {limits.max_block} characters"
        return ValidationIssue("oversize", message, constraint="maxLength", expected=limits.max_block)
    why = {"length": " at the token limit", "content_filter": " by a content filter", "error": " by an error"}
    message = f"The block was cut off{why.get(block.end_cause, '')} after {len(block.body)} characters"
    return ValidationIssue("truncated", message, offset=len(block.body))


def _one_of(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{name} must be {' or '.join(map(repr, allowed))}, not {value!r}")


@dataclass(frozen=True, slots=True)
class JsonToolValidation:
    """What `validate_json_tool_block` has to say."""

    is_valid: bool
    """Whether the block is a valid tool call."""

    errors: list[str]
    """What is wrong with it, one sentence each."""

    parsed_json: Any = None
    """The JSON, if it is JSON."""


def validate_json_tool_block(text: str) -> JsonToolValidation:
    """Check one fenced block against write_file, delete_file and edit_file."""
    from .tools.files import FILE_TOOLS  # deferred: compiles schemas

    guard = Guard(FILE_TOOLS, fixes="off")  # it judges, and mends nothing
    blocks = guard.blocks(text)
    if len(blocks) != 1:
        found = "none" if not blocks else str(len(blocks))
        return JsonToolValidation(False, [f"Expected one ```json code block, found {found}"])
    verdict = guard.judge(blocks[0])
    return JsonToolValidation(verdict.passed, [issue.message for issue in verdict.issues], verdict.value)
