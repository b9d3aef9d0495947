"""The names that adapters may use besides the public names, `wire`, `testing` and `tools`. All other modules are internal.

blocks    Block, BLANKS, call_body, Judging, TOOL_KEY, without_tool, FENCE, NATIVE, DIALECTS, Settings, excess, bounded,
          PATTERN_ROOM, call_id, joined, fenced, Thought, keeps_layout
tools     declarations, as_definition
given     missing, check_flag, check_hook, check_kind, is_awaited, is_count, is_seconds, shown
streams   GuardedStream, Source, Closing, Scanned, Closed, Released, Unclosed, Work, followed, Turns, Aside, Spent, SHORT,
          EVENT, call_hook, late_modules
commands  GOOD, FINDING, UNREADABLE, Unreadable, imported, takes_reading, toolset, progress, Bar, BlockSummary, blocks, COLUMN,
          Row, Rows, count, steers, visible, Tenths, in_order_on_sigterm, ENDS, deaf_children
"""

from .command.exit_status import FINDING, GOOD, UNREADABLE
from .command.inputs import Unreadable, imported, takes_reading, toolset
from .command.outcomes import BlockSummary, blocks
from .command.rows import COLUMN, Row, Rows
from .command.signals import ENDS, deaf_children, in_order_on_sigterm
from .command.terminal import Bar, Tenths, count, progress, steers, visible
from .correct.budget import Spent
from .dialects.tables import DIALECTS
from .elsewhere import missing
from .fixes.catalogue import keeps_layout
from .judge.announcer import call_hook
from .judge.aside import Aside, Judging
from .judge.settings import Settings
from .running.messages import Thought
from .scan.states import Closed, Released, Scanned, Unclosed
from .schema.json_text import excess
from .schema.patterns import PATTERN_ROOM, bounded
from .stream.guarded import EVENT, GuardedStream
from .stream.late_modules import late_modules
from .stream.source import Closing, Source
from .stream.work import Turns, Work, followed
from .toolset.declarations import as_definition, declarations
from .values.block import BLANKS, Block, call_body, fenced
from .values.call_keys import TOOL_KEY, without_tool
from .values.events import FENCE, NATIVE, call_id
from .values.given import check_flag, check_hook, check_kind, is_awaited, is_count, is_seconds, shown
from .values.limits import SHORT
from .values.surrogates import joined

__all__ = [
    "BLANKS",
    "COLUMN",
    "DIALECTS",
    "ENDS",
    "EVENT",
    "FENCE",
    "FINDING",
    "GOOD",
    "NATIVE",
    "PATTERN_ROOM",
    "SHORT",
    "TOOL_KEY",
    "UNREADABLE",
    "Aside",
    "Bar",
    "Block",
    "BlockSummary",
    "Closed",
    "Closing",
    "GuardedStream",
    "Judging",
    "Released",
    "Row",
    "Rows",
    "Scanned",
    "Settings",
    "Source",
    "Spent",
    "Tenths",
    "Thought",
    "Turns",
    "Unclosed",
    "Unreadable",
    "Work",
    "as_definition",
    "blocks",
    "bounded",
    "call_body",
    "call_hook",
    "call_id",
    "check_flag",
    "check_hook",
    "check_kind",
    "count",
    "deaf_children",
    "declarations",
    "excess",
    "fenced",
    "followed",
    "imported",
    "in_order_on_sigterm",
    "is_awaited",
    "is_count",
    "is_seconds",
    "joined",
    "keeps_layout",
    "late_modules",
    "missing",
    "progress",
    "shown",
    "steers",
    "takes_reading",
    "toolset",
    "visible",
    "without_tool",
]
