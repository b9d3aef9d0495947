"""Validates one block and fixes it without a model.

    block -> verdict -> fix -> the calls it holds

Rule: nothing here raises an exception because of the content of a block. An internal error becomes an issue (promise P9).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ..dialects.tables import of_name
from ..scan.fences import Languages
from ..scan.growing import Arguments, Watch
from ..scan.openers import openers_of
from ..scan.reasoning import Reasoning
from ..scan.scanner import FenceScanner
from ..scan.states import Closed
from ..scan.stream_text import ScanSettings
from ..scan.torn import ends_in_text, ends_torn
from ..schema.json_text import position
from ..toolset.validate import Validated, validate
from ..values.block import Block, in_arguments
from ..values.events import FENCE
from ..values.fix import AutoFix, Safety
from ..values.issues import ValidationIssue, internal_error
from ..values.late import compile_all
from ..values.limits import SHORT, Limits
from ..values.log import log
from ..values.quoting import inside
from ..values.wording import SENTENCES, sentence
from .settings import Settings
from .watching import Watching

if TYPE_CHECKING:
    from ..fixes.engine import Engine, Tried
    from ..fixes.mended import Mended


class Judge:
    """Validates and fixes blocks, and finds them in texts. Holds settings only; safe to share."""

    def __init__(self, settings: Settings) -> None:
        self.settings: Final = settings
        self.tools: Final = settings.tools
        self._limits: Final = settings.limits
        names = tuple(name for tool in settings.tools for name in (tool.name, *tool.aliases))
        fields = tuple(field for tool in settings.tools for field in tool.fields.members)
        dialects = tuple({of_name(name).name: of_name(name) for name in settings.dialects if name != FENCE}.values())
        self._scan: Final = ScanSettings(
            languages=Languages(settings.languages) if FENCE in settings.dialects else Languages.none(),
            limits=settings.limits,
            untagged=settings.untagged,
            reasoning=settings.reasoning,
            openers=openers_of(dialects, names, fields) if dialects else None,
        )
        self._made: Engine | None = None
        self._watching: Final = Watching(settings, lambda: self._engine)

    @property
    def _engine(self) -> Engine:
        """What fixes blocks."""
        if self._made is None:
            from ..fixes.engine import Engine  # deferred: the first block that fails needs it

            self._made = Engine(self.tools, self._limits, self.settings.fixes)
        return self._made

    def preload(self) -> None:
        """Compile what only some replies need."""
        self._made = self._engine
        self.tools.mentions.preload()
        compile_all()

    def watch(self, *, corrects: bool) -> Watch | None:
        """Return what is watched of a call while it is written; None if nothing is. With a corrector nothing is aborted."""
        return self._watching.without_abort if corrects else self._watching.as_set

    def scanner(self, watch: Watch | None) -> FenceScanner:
        """Return a scanner of one text."""
        return FenceScanner(self.tools, self._scan, watch)

    def arguments(self, tool: str | None, watch: Watch | None = None) -> Arguments:
        """Return a reader of the arguments of a native call of this tool, with these settings."""
        return Arguments(tool, max_depth=self._limits.max_depth, watch=watch)

    def blocks(self, text: str) -> list[Block]:
        """Return the blocks in a text: the fenced ones, whether they are tool calls or not, and the calls in other dialects."""
        reasoning = self._scan.reasoning
        inner: Reasoning = "skip" if reasoning == "inside" else reasoning  # no reply: it begins with itself
        scanner = FenceScanner(self.tools, self._scan._replace(untagged="validate", reasoning=inner))
        scanned = [item for at in range(0, len(text), SHORT) for item in scanner.feed(text[at : at + SHORT])]
        return [block for item in (*scanned, *scanner.end()) if isinstance(item, Closed) for block in self.calls_of(item)]

    def calls_of(self, closed: Closed) -> tuple[Block, ...]:
        """Return blocks with the plain form of a call as body: one for each call that the block of a dialect holds. Never
        raises.
        """
        if closed.block.dialect == FENCE:
            return (closed.block,)
        from .plain_form import plain_form  # deferred: most guards read fences only

        try:
            dialect = self.settings.dialect(closed.block.dialect)
            return plain_form(closed.block, closed.calls, self.tools, self._limits, dialect)
        except Exception as error:  # promise P9: its text is the body, and fails
            log.error("the guard failed to write the plain form of a block: %s", type(error).__name__)
            return (closed.block,)

    def verdict(self, block: Block) -> Validated:
        """Return the verdict on one block: first the issues of how it ended, then those of its body. Never raises."""
        if not block.ended:
            return Validated(None, None, None, (_cut_off(block, self._limits),))
        try:
            found = validate(block.body, self.tools, self._limits)
        except Exception as error:  # promise P9: closed for tools
            log.error("the guard failed to validate a block: %s", type(error).__name__)
            return Validated(None, None, None, (internal_error(error, "block"),))
        beside = block.beside and self._says_more(block, found.tool)
        if block.native_tool is not None:
            found = _in_arguments(found, block)
        if not (block.ambiguous or block.unclear or beside):
            return found
        more = (ValidationIssue("text_in_opener", sentence("text_in_opener")),) if beside else ()
        issues = (*_uncertain(block, self._limits.max_calls), *more, *found.issues)[: self._limits.max_issues]
        return Validated(found.value, found.tool, found.path, issues)

    def mend(self, block: Block, verdict: Validated) -> tuple[Mended, ...]:
        """Return the fixed calls of a block that failed; empty if it has no fix, or two readings. Never raises.

        A block that was cut off, or whose end is uncertain, is not fixed; nor is one that could not be validated. In a block
        without a closing fence, the syntax is fixed only if every reader would read the same: nothing is closed in it.
        """
        tried = self._tried(block, verdict)
        return tried.mended if tried is not None else ()

    def judged(self, block: Block) -> tuple[Validated, tuple[Mended, ...]]:
        """Return the verdict on a block and its fixed calls. Never raises.

        If a block has no fix, and is not JSON, an envelope or a list, its verdict also has the issues of the calls that it
        probably means. A model can then correct all of them at once.
        """
        verdict = self.verdict(block)
        if not verdict.issues or verdict.passed:
            return verdict, ()
        tried = self._tried(block, verdict)
        if tried is None:
            return verdict.with_meant(None, self._limits), ()
        return verdict.with_meant(tried.meant if block.end_cause == "closed" else None, self._limits), tried.mended

    def _tried(self, block: Block, verdict: Validated) -> Tried | None:
        """Return what the fixes made of a block that failed; None if none may be tried, or text around the call forbids it."""
        if self.settings.fixes == "off" or verdict.passed or not block.end_is_certain or block.unclear:
            return None
        if any(issue.code == "guard_error" for issue in verdict.issues):
            return None
        try:
            tried = self._engine.tried(
                block.body,
                fenced=block.fenced,
                called=block.native_tool,
                indent=block.indent,
                with_ids=block.dialect != FENCE,
            )
        except Exception as error:  # promise P9: what a fix fails on stays failed
            log.error("the fixes failed to mend a block: %s", type(error).__name__)
            return None
        if block.beside and any(self._says_more(block, part.verdict.tool) for part in tried.mended):
            return None
        if block.after_doubt and any(fix.rule == "escaped_body" for part in tried.mended for fix in part.fixes):
            return None
        unfenced = block.end_cause == "stop" and any(_assumes(fix) for part in tried.mended for fix in part.fixes)
        return None if unfenced else tried

    def shows_its_end(self, block: Block) -> bool:
        """Return whether it is certain that a block ended where it did, and not inside one of its strings.

        A body that can be read as a whole, even in several ways, ends where its last bracket closes; unless that bracket may
        have been opened in a string.
        """
        if not block.open_end:
            return True
        if ends_torn(block.body) or ends_in_text(block.body):
            return False
        try:
            return self._engine.is_whole(block.body)
        except Exception as error:  # promise P9: what cannot be read shows nothing
            log.error("the fixes failed to find the end of a block: %s", type(error).__name__)
            return False

    def context_forbids_call(self, block: Block, tool: str | None) -> bool:
        """Return whether text beside a call in its block may forbid the call: it does more than announce the call.

        For a destructive tool any text does.
        """
        if block.beside and self._says_more(block, tool):
            return True
        from ..fixes.remarks import context_forbids_call  # deferred, like the engine

        return context_forbids_call(block.body, self.tools, self.tools.get(tool) if tool is not None else None)

    def _says_more(self, block: Block, tool: str | None) -> bool:
        """Return whether the line of the opening fence has more than the language and attributes."""
        from ..fixes.remarks import says_more_than_attributes  # deferred, like the engine

        return says_more_than_attributes(block.beside, self.tools, self.tools.get(tool) if tool is not None else None)

    def understood(self, body: str) -> Validated | None:
        """Return the verdict on a body as one call with the tools' own names; None if it is uncertain which call is meant."""
        try:
            return self._engine.understood(body)
        except Exception as error:  # promise P9: a body that cannot be understood is compared as text
            log.error("the fixes failed to read the call of a block: %s", type(error).__name__)
            return None

    def faults_have_one_cause(self, body: str) -> bool:
        """Return whether the faults of a body's names and values have one cause, which may have changed other values too."""
        try:
            return self._engine.faults_have_one_cause(body)
        except Exception as error:  # promise P9: if the cause is unknown, no model is asked
            log.error("the fixes failed to compare the faults of a block: %s", type(error).__name__)
            return True


def _assumes(fix: AutoFix) -> bool:
    """Return whether a fix of syntax assumes anything. A fix that closes what the model left open always does."""
    return fix.type == "SYNTAX_REPAIR" and fix.safety > Safety.LOSSLESS


def _uncertain(block: Block, most: int) -> Iterator[ValidationIssue]:
    """Yield the issues of a block with two readings (of a value, or of its end), and of a block with too `many` calls."""
    for field, why in block.unclear:
        if why == "many":
            yield ValidationIssue("oversize", sentence("oversize.block", most=most), constraint="maxItems", expected=most)
            continue
        yield ValidationIssue("ambiguous_value", sentence(f"ambiguous_value.{why}", field=inside(field)), field=field)
    if block.ambiguous and block.dialect == FENCE:
        yield ValidationIssue("ambiguous_end", sentence("ambiguous_end"))
    elif block.ambiguous:
        yield ValidationIssue("ambiguous_end", sentence("ambiguous_end.dialect"), constraint="dialect")


def _in_arguments(found: Validated, block: Block) -> Validated:
    """Return the verdict on a native call with the positions of its issues in the arguments, as the model wrote them."""
    issues = [
        issue if issue.offset is None else _placed(issue, block.raw, in_arguments(block.native_tool, block.raw, issue.offset))
        for issue in found.issues
    ]
    return found._replace(issues=tuple(issues))


def _placed(issue: ValidationIssue, text: str, offset: int) -> ValidationIssue:
    line, column = position(text, offset)
    return replace(issue, line=line, column=column, offset=offset)


def _cut_off(block: Block, limits: Limits) -> ValidationIssue:
    if block.end_cause == "oversize":
        message = sentence("oversize", most=limits.max_block)
        return ValidationIssue("oversize", message, constraint="maxLength", expected=limits.max_block)
    count = len(block.body if block.native_tool is None else block.raw)  # the body of a native call has more: its tool's name
    if block.complete:
        return ValidationIssue("missing_fence", sentence("missing_fence"), offset=count)
    key = f"truncated.{block.end_cause}"
    message = sentence(key if key in SENTENCES else "truncated", count=count)
    return ValidationIssue("truncated", message, constraint="length" if block.end_cause == "length" else "", offset=count)
