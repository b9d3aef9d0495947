"""`Guard`: the settings of an app, and the methods that guard streams with them.

A `Guard` remembers nothing of a stream, so one serves a whole app: any number of streams, in any threads. The state of
one stream is in its `Session`; a block is validated and fixed by the `Judge`.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Coroutine, Iterable, Iterator, Sequence
from dataclasses import fields
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Literal

from .correct.budget import CorrectionPolicy, Spent
from .correct.corrections import Corrections
from .correct.request import Corrector
from .dialects.table import Dialect
from .dialects.tables import names_of
from .judge.announcer import call_hook
from .judge.approval_policy import ApprovalPolicy
from .judge.aside import Judging
from .judge.judge import Judge
from .judge.settings import Early, Rewrite, Settings
from .running.calling import Approve
from .running.toolset import Toolset
from .scan.reasoning import Reasoning
from .stream.session import Session
from .values.block import Block
from .values.events import FENCE, End, Item, ToolBlock, ToolStatus
from .values.fix import Fixes
from .values.given import check_hook, several
from .values.issues import ValidationIssue
from .values.limits import SHORT_BLOCK, Limits
from .values.wording import sentence

if TYPE_CHECKING:
    from .stream.guarded import GuardedStream

_END: Final = End()
_NO_TEXTS: Final = (bytes, dict)
"""What can be iterated over, and is no iterable of texts."""

_OBSERVED: Final = ("tools", "limits", "progress", "preview", "approval", "on_status", "on_block")
"""The settings that the observer has from its guard as they are. A risky call is not executable there either."""

_UNOBSERVED: Final = {
    "languages": "a native call is in no fence",
    "dialects": "a native call is in no dialect",
    "rewrite": "a native call is put back into no text",
    "untagged": "a native call is known to be a call",
    "reasoning": "a native call is not in reasoning",
    "announce": "a native call is announced with its name",
    "order": "nothing is corrected, so no text waits",
    "run_invented": "nothing is fixed, so nothing is invented",
    "mode": "nothing is changed in either mode",
    "approve": "nobody is asked about a call that has gone on",
    "fixes": "it fixes nothing: what was fixed would be another call than the one that has gone on",
    "early": "it aborts nothing: the call has gone on, so that at most its status is announced",
}
"""The settings that the observer has values of its own for, and why."""


class Guard:
    """Guards streams of text against broken tool calls.

    Args:
        tools: The tools the model may call: a Toolset, or a list of functions, models and tools for `Toolset.of`.
        corrector: An async callable that returns a corrected block for one that failed. None: no corrections.
        correction: The budget of corrections.
        limits: The bounds of one stream.
        languages: The info words of a fence that may hold a tool call. `""` stands for a fence without one; with it a fence may
            also stand after prose on its line.
        dialects: The forms in which the model may write calls: `fence` for the fenced block, names in docs/dialects.md, what
            `dialects.from_response_template` returns, or `all`. An empty list: no call is read in text, as for a model with
            native calls alone.
        rewrite: How adapters put a block of another dialect back into a text: as it was written, or mended in its `own`
            dialect, or as a `fence`.
        announce: When the first status of a block is sent: at its `fence`, or when its `tool` is known.
        order: While a correction runs, later text waits (`strict`) or is passed on before the block (`flow`).
        untagged: For a fenced block that is no tool call: `release` it as text, or `validate` it.
        reasoning: A call in reasoning (`<think>` to `</think>`) is text (`skip`), or a call like any other (`scan`). `inside`:
            text, and the reply begins in reasoning, because the prompt opens it.
        fixes: How much a fix without a model may assume: `lossless`, `likely`, what the specification allows (`spec`: an empty
            text for a missing one), or `off`.
        run_invented: Whether a block is `executable` that holds a value which the model did not write: an empty string for a
            missing one, from `fixes="spec"` or a corrector, or a tool that was not named.
        mode: `guard` fixes blocks; `shadow` changes nothing, and reports in `fixes` what would have been changed.
        progress: The number of characters of a block between two progress statuses.
        preview: Whether the arguments are sent while they are written; or the dotted names of the fields that are, such as
            `content`.
        early: What is done about a block that is still being written and cannot pass any more: `announce` sends the status
            `failing`, `abort` also ends the block and the text it is in. With a corrector nothing is aborted.
        approve: An async callable that is asked before a call of a risky tool may run, with its block and its tool: True lets
            it run; False, or a text with the reason for the model, does not; an object lets it run with these arguments. A
            function must be `async def`, or be annotated to return an awaitable: a lambda is refused.
        approval: Which calls need an approval, and how long it is waited for. Without `approve` none of them may run.
        on_status: Called with every status of every stream.
        on_block: Called with every block of every stream. An exception in a hook is logged by its type and ignored.
    """

    def __init__(
        self,
        tools: Toolset | list[Any] | tuple[Any, ...],
        *,
        corrector: Corrector | None = None,
        correction: CorrectionPolicy | None = None,
        limits: Limits | None = None,
        languages: str | Iterable[str] = ("json",),
        dialects: Iterable[str | Dialect] | Literal["all"] = (FENCE,),
        rewrite: Rewrite = "own",
        announce: Literal["fence", "tool"] = "fence",
        order: Literal["strict", "flow"] = "strict",
        untagged: Literal["release", "validate"] = "release",
        reasoning: Reasoning = "skip",
        fixes: Fixes = "likely",
        run_invented: bool = False,
        mode: Literal["guard", "shadow"] = "guard",
        progress: int | None = None,
        preview: bool | str | Iterable[str] = False,
        early: Early = "off",
        approve: Approve | None = None,
        approval: ApprovalPolicy | None = None,
        on_status: Callable[[ToolStatus], None] | None = None,
        on_block: Callable[[ToolBlock], None] | None = None,
    ) -> None:
        settings = Settings(
            Toolset.of(tools) if isinstance(tools, list | tuple) else tools,
            Limits() if limits is None else limits,
            languages=tuple(several("languages", languages, "info words, such as 'json'")),
            dialects=names_of(dialects),
            rewrite=rewrite,
            announce=announce,
            order=order,
            untagged=untagged,
            reasoning=reasoning,
            fixes=fixes,
            run_invented=run_invented,
            mode=mode,
            progress=progress,
            preview=preview if isinstance(preview, bool) else tuple(several("preview", preview, "names of fields, or a bool")),
            early=early,
            approve=approve,
            approval=ApprovalPolicy() if approval is None and approve is not None else approval,
            on_status=on_status,
            on_block=on_block,
        )
        self.corrections = Corrections(corrector, CorrectionPolicy() if correction is None else correction)
        """The corrector and its policy."""
        self.judge: Final = Judge(settings)
        """Validates and fixes one block."""
        self.settings: Final = settings
        self.tools: Final = settings.tools
        self.limits: Final = settings.limits
        self._observer: Guard | None = None
        self._unasking: Guard | None = None
        self._unaborted: Guard | None = None

    def __repr__(self) -> str:
        usual = Settings(self.tools, Limits())
        changed = [
            f"{field.name}={value!r}"
            for field in fields(Settings)[1:]
            if (value := getattr(self.settings, field.name)) != getattr(usual, field.name)
        ]
        corrector = self.corrections.corrector
        asked = [f"corrector={getattr(corrector, '__name__', type(corrector).__name__)}"] if corrector is not None else []
        return f"Guard({', '.join([repr(self.tools), *changed, *asked])})"

    def stream(self, deltas: AsyncIterable[str | End], *, stream_id: str | None = None) -> GuardedStream[Item]:
        """Guard a live stream: iterate over the result with `async for`.

        Text passes unchanged; `ToolStatus` and `ToolBlock` are in the place of a tool call. The result is also an async
        context manager; leaving it closes the source. An `End` as the last delta has the cause of the text's end.
        """
        from .stream.guarded import GuardedStream  # deferred: asyncio, which the rest of the core does without

        return GuardedStream(self.settings, self.corrections, deltas, self.session(stream_id, patient=True))

    def scan(self, deltas: Iterable[str | End], *, stream_id: str | None = None) -> Iterator[Item]:
        """Guard text that is complete: a list, a file, a recorded stream. Yields items.

        No corrector is called, and no approval is asked for.
        """
        if isinstance(deltas, str):
            deltas = (deltas,)
        elif isinstance(deltas, _NO_TEXTS) or not hasattr(deltas, "__iter__"):
            kind = type(deltas).__name__
            hint = "for an async one use stream" if hasattr(deltas, "__aiter__") else "read a file first, and decode bytes"
            raise TypeError(f"scan takes a text or an iterable of texts, got {kind}; {hint}")
        session = self.session(stream_id, asks=False)
        tail = session.string_tail
        for given in chain(deltas, (_END,)):
            if tail.decides_at and type(given) is str and tail.take(given):
                if tail.members is not None:
                    shown = session.shown(tail, given)
                    if shown is not None:
                        yield shown
                continue
            if given and type(given) is str and "\n" not in given and session.try_pass(given):  # nearly all text
                yield given
                continue
            delta = given if type(given) is str else session.as_delta(given)
            items = session.end(delta.cause) if isinstance(delta, End) else session.feed(delta)
            yield from items  # type: ignore[misc]  # there is nobody to ask, and nobody to wait: so these are items
            if session.over:
                return

    def check(self, text: str) -> ToolBlock:
        """Validate and fix one block, with or without a fence, and return its event.

        No corrector is called, and no approval is asked for. A text with several blocks, or a block with several calls, fails
        as a whole (`several_calls`): `scan` takes those.
        """
        return self.event_of(self.judging(text))

    def acheck(self, text: str) -> Coroutine[Any, Any, ToolBlock]:
        """Return an awaitable of `check(text)`, which handles a block that takes long in a thread."""
        from .running.awaiting import aside_then  # deferred: asyncio, which the rest of the core does without

        _check_text(text)
        return aside_then(self.tools.is_heavy or len(text) > SHORT_BLOCK, partial(self.judging, text), self.event_of)

    def judging(self, text: str) -> Judging:
        """Return the one block of a text, validated and fixed. Of several blocks or calls none is chosen: the text fails.

        A block inside a call is data of that call: a text that is a call, or begins one before the block, is judged as a whole.
        """
        _check_text(text)
        blocks = self.judge.blocks(text)
        if blocks and _is_inside_a_call(text, blocks):
            blocks = []
        if len(blocks) > 1:
            of_one = blocks[0].parts == len(blocks)  # a dialect may have several calls in a block
            return Judging.refused(self.judge, Block.bare(text), _several(len(blocks), "" if of_one else ".blocks"))
        judging = Judging(self.judge, blocks[0] if blocks else Block.bare(text))
        _, mended = judging.run()
        if len(mended) > 1 and self.settings.mode == "guard":
            return Judging.refused(self.judge, judging.block, _several(len(mended)))
        return judging

    def event_of(self, judging: Judging) -> ToolBlock:
        """Return the event of a block with one call."""
        (event,) = self.session("check", asks=False).events_of(judging)
        return event

    def session(
        self,
        stream_id: str | None = None,
        *,
        asks: bool = True,
        patient: bool = False,
        spent: Spent | None = None,
        quiet: bool = False,
    ) -> Session:
        """Return a session: the state of one stream, for loops of your own.

        It yields a `Pending` for a block that waits for a corrector or an approval, if it `asks`, and an `Aside` for long
        work, if it is `patient`. Sessions of one stream share what they have `spent`. A `quiet` session yields no events.
        """
        corrects = asks and self.corrections.possible and self.settings.mode == "guard"
        # Python makes a dict of the keywords that a class is called with, so there are none here and in what every block needs.
        return Session(self.judge, self.corrections, stream_id, corrects, asks, patient, spent, quiet)

    def preload(self) -> None:
        """Load what only some replies need, a broken block say. Servers do so as they start, so that no stream waits for it."""
        from .stream.late_modules import late_modules  # deferred: they are what an import leaves out

        late_modules()
        self.judge.preload()

    def without_asking(self) -> Guard:
        """Return the guard that asks nobody, for streams that nothing can be awaited in; the same object every time.

        It has no corrector, and lets no call run that needs an approval.
        """
        if not self.corrections.possible and self.settings.approve is None:
            return self
        if self._unasking is None:
            self._unasking = self._with(approve=None)
        return self._unasking

    def without_abort(self) -> Guard:
        """Return the guard that aborts no block, for replies that are whole already; the same object every time."""
        if self.settings.early != "abort":
            return self
        if self._unaborted is None:
            self._unaborted = self._like(early="announce")
        return self._unaborted

    def with_tools(self, tools: Toolset) -> Guard:
        """Return the guard for other tools: with the same settings, hooks and corrector, and the same budget of corrections."""
        return self._like(tools=tools)

    def with_hook(self, on_block: Callable[[ToolBlock], None]) -> Guard:
        """Return a guard like this one with one more hook for its blocks, which is called after its own."""
        check_hook("on_block", on_block)
        own = self.settings.on_block

        def both(block: ToolBlock) -> None:
            call_hook(own, block)
            call_hook(on_block, block)

        return self._like(on_block=both)

    def _like(self, **changes: Any) -> Guard:
        """Return a guard with these settings changed, and with the same corrector and the same budget of corrections."""
        made = self._with(**changes)
        made.corrections = self.corrections
        return made

    def _with(self, **changes: Any) -> Guard:
        """Return a guard with these settings changed, and without a corrector."""
        return Guard(**{**{field.name: getattr(self.settings, field.name) for field in fields(Settings)}, **changes})

    def observer(self) -> Guard:
        """Return the guard that only reports native calls, which are not held: it fixes nothing; the same object every time.

        `_OBSERVED` are the settings that it takes over, `_UNOBSERVED` those that it does not.
        """
        if self._observer is None:
            own = self.settings
            taken = {name: getattr(own, name) for name in _OBSERVED}
            self._observer = Guard(**taken, fixes="off", early="off" if own.early == "off" else "announce")
        return self._observer


def _check_text(text: object) -> None:
    if not isinstance(text, str):
        raise TypeError(f"check takes the text of one block, got {type(text).__name__}; for a list of texts use scan")


def _several(count: int, variant: str = "") -> ValidationIssue:
    message = sentence(f"several_calls{variant}", count=count)
    return ValidationIssue("several_calls", message, constraint="maxItems", expected=1, got=count)


def _is_inside_a_call(text: str, blocks: Sequence[Block]) -> bool:
    """Return whether the blocks found in a text are part of another call, which begins before them or is beside them."""
    at = max(text.find(blocks[0].raw), 0)
    before, behind = text[:at], text[at:].removeprefix(blocks[0].raw)
    if before.strip():
        return before.lstrip()[0] in "{[" or before.count("{") > before.count("}")
    return text.lstrip()[:1] in ("{", "[") and "{" in behind
