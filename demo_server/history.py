"""The history of chats: every request, every event of every answer, and the calls that were run.

SQLite in WAL mode, for all workers of a machine. One thread of its own does the waiting.

Rule: what may happen once is claimed here first, by a row that only one can insert.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Final, TypeVar

from stream_guard_adapters.resume import Ending, Entry

Made = TypeVar("Made")

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS chats (
  id TEXT PRIMARY KEY, session TEXT NOT NULL, begun REAL NOT NULL, name TEXT, deleted REAL);
CREATE INDEX IF NOT EXISTS chats_of ON chats (session, begun);
CREATE TABLE IF NOT EXISTS turns (
  id TEXT PRIMARY KEY, chat TEXT NOT NULL, request TEXT NOT NULL, scenario TEXT, begun REAL NOT NULL, ending TEXT);
CREATE INDEX IF NOT EXISTS turns_of ON turns (chat, begun);
CREATE TABLE IF NOT EXISTS events (
  number INTEGER PRIMARY KEY, turn TEXT NOT NULL, id TEXT NOT NULL, event TEXT NOT NULL, data TEXT NOT NULL, at REAL,
  UNIQUE (turn, id));
CREATE TABLE IF NOT EXISTS executions (
  turn TEXT NOT NULL, block TEXT NOT NULL, part INTEGER NOT NULL, begun REAL NOT NULL, state TEXT NOT NULL,
  tool TEXT, path TEXT, message TEXT, before TEXT, after TEXT, PRIMARY KEY (turn, block, part));
"""


KEPT: Final = 600
"""For how many seconds a deleted chat can be restored."""

LISTED: Final = 200
"""Limit: chats in a list."""


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat, as a list shows it."""

    id: str
    name: str
    """The name that it was given, or its first request; empty when it has neither."""

    begun: float
    turns: int


@dataclass(frozen=True, slots=True)
class DeletedChat:
    """A chat that can still be restored."""

    id: str
    name: str
    until: float
    """When it is gone for good."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A request and its answer."""

    id: str
    chat: str
    session: str
    request: str
    scenario: str | None
    ending: Ending | None


@dataclass(frozen=True, slots=True)
class Execution:
    """The result of a call."""

    turn: str
    block: str
    part: int
    begun: float
    state: str
    """`executing`, `completed`, `failed` or `undone`."""

    tool: str | None = None
    path: str | None = None
    message: str | None = None
    before: str | None = None
    after: str | None = None


class History:
    """The history, in one SQLite file."""

    def __init__(self, path: Path) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="history")
        self._db = self._thread.submit(_opened, path).result()

    async def _do(self, work: Callable[[sqlite3.Connection], Made]) -> Made:
        """Return what `work` returns, done in the history's thread.

        No cursor may leave it: where one is let go of, its statement is reset.
        """

        def whole() -> Made:
            with self._db:
                return work(self._db)

        return await asyncio.get_running_loop().run_in_executor(self._thread, whole)

    async def _found(self, query: str, *values: object) -> list[sqlite3.Row]:
        return await self._do(lambda db: db.execute(query, values).fetchall())

    async def _changed(self, change: str, *rows: Sequence[object]) -> int:
        """Run a statement and return how many rows it changed."""
        return await self._do(lambda db: db.executemany(change, rows).rowcount)

    async def aclose(self) -> None:
        """Close the file."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._db.close)
        self._thread.shutdown()

    # -- chats ---------------------------------------------------------------------------------------------------------

    async def chat(self, session: str, wanted: str | None = None, *, new: bool = False) -> str:
        """Return a chat of the session: the wanted one if it has that, else its last one, or a new one."""

        def work(db: sqlite3.Connection) -> str:
            find = "SELECT id, EXISTS (SELECT 1 FROM turns WHERE chat = chats.id) AS used FROM chats WHERE session = ?"
            rows = db.execute(f"{find} AND deleted IS NULL ORDER BY begun DESC, chats.rowid DESC", (session,)).fetchall()
            if wanted is not None and any(row["id"] == wanted for row in rows):
                return wanted
            if rows and not (new and rows[0]["used"]):
                return str(rows[0]["id"])
            made = token_hex(8)
            db.execute("INSERT INTO chats (id, session, begun) VALUES (?, ?, ?)", (made, session, time.time()))
            return made

        return await self._do(work)

    async def chats(self, session: str, find: str = "") -> list[Chat]:
        """Return the session's chats that have a turn or a name, newest first; of those the ones with all words of `find`."""
        found = await self._found(_CHATS, session)
        words = find.casefold().split()
        return [
            Chat(row["id"], row["name"] or row["first"] or "", row["begun"], row["turns"])
            for row in found
            if all(word in f"{row['name'] or ''} {row['said'] or ''}".casefold() for word in words)
        ][:LISTED]

    async def deleted(self, session: str) -> list[DeletedChat]:
        """Return the session's chats that were deleted and can be restored, the last one first."""
        found = await self._found(_DELETED, session, time.time() - KEPT)
        return [DeletedChat(row["id"], row["name"] or row["first"] or "", row["deleted"] + KEPT) for row in found][:LISTED]

    async def rename(self, session: str, chat: str, name: str) -> bool:
        """Give a chat a name; an empty one takes its name away. Returns False when the session has no such chat."""
        change = "UPDATE chats SET name = ? WHERE id = ? AND session = ? AND deleted IS NULL"
        return await self._changed(change, (name or None, chat, session)) == 1

    async def delete(self, session: str, chat: str) -> bool:
        """Delete a chat, and for good those that were deleted long ago. Returns False when the session has no such chat."""

        def work(db: sqlite3.Connection) -> bool:
            now = time.time()
            for purge in _PURGES:
                db.execute(purge, (now - KEPT,))
            change = "UPDATE chats SET deleted = ? WHERE id = ? AND session = ? AND deleted IS NULL"
            return db.execute(change, (now, chat, session)).rowcount == 1

        return await self._do(work)

    async def restore(self, session: str, chat: str) -> bool:
        """Take the deletion of a chat back. Returns False when it is gone for good, or is not the session's."""
        change = "UPDATE chats SET deleted = NULL WHERE id = ? AND session = ? AND deleted > ?"
        return await self._changed(change, (chat, session, time.time() - KEPT)) == 1

    async def begin(self, turn: Turn) -> None:
        """Add a turn."""
        row = (turn.id, turn.chat, turn.request, turn.scenario, time.time(), turn.ending)
        await self._changed("INSERT INTO turns VALUES (?, ?, ?, ?, ?, ?)", row)

    async def turns(self, chat: str) -> list[Turn]:
        """Return the turns of a chat."""
        return [Turn(*row) for row in await self._found(f"{_TURNS} WHERE chat = ? {_ORDER}", chat)]

    async def turn(self, id: str) -> Turn | None:
        """Return a turn; None when there is none with this id, or its chat was deleted."""
        return next((Turn(*row) for row in await self._found(f"{_TURNS} WHERE turns.id = ? AND deleted IS NULL", id)), None)

    # -- events: an archive of resumable streams -----------------------------------------------------------------------

    async def keep(self, stream: str, entries: Sequence[Entry], *, timed: bool = True) -> None:
        """Keep events that were stored, with the time if they were stored now."""
        at = time.time() if timed else None
        rows = [(stream, entry.id, entry.event, entry.data, at) for entry in entries]
        await self._changed("INSERT OR IGNORE INTO events (turn, id, event, data, at) VALUES (?, ?, ?, ?, ?)", *rows)

    async def ended(self, stream: str, ending: Ending) -> None:
        """Record how the stream ended."""
        await self._changed("UPDATE turns SET ending = ? WHERE id = ? AND ending IS NULL", (ending, stream))

    async def events(self, turn: str) -> list[Entry]:
        """Return the events of a turn."""
        found = await self._found("SELECT id, event, data FROM events WHERE turn = ? ORDER BY number", turn)
        return [Entry(*row) for row in found]

    async def times(self, turn: str) -> dict[str, float]:
        """Return when each event of a turn was stored, in seconds, by its id; those of which that is not known are left out."""
        found = await self._found("SELECT id, at FROM events WHERE turn = ? AND at IS NOT NULL ORDER BY number", turn)
        return {row["id"]: row["at"] for row in found}

    # -- executions ----------------------------------------------------------------------------------------------------

    async def claim(self, turn: str, block: str, part: int) -> bool:
        """Claim a call to run it; returns False when another request has claimed it."""
        add = "INSERT OR IGNORE INTO executions (turn, block, part, begun, state) VALUES (?, ?, ?, ?, 'executing')"
        return await self._changed(add, (turn, block, part, time.time())) == 1

    async def finish(self, done: Execution) -> None:
        """Record the result of a call that was claimed."""
        change = (
            "UPDATE executions SET state = ?, tool = ?, path = ?, message = ?, before = ?, after = ?"
            " WHERE turn = ? AND block = ? AND part = ?"
        )
        row = (done.state, done.tool, done.path, done.message, done.before, done.after, done.turn, done.block, done.part)
        await self._changed(change, row)

    async def undoing(self, done: Execution) -> bool:
        """Claim the undoing of a call; returns False when another request has claimed it."""
        change = "UPDATE executions SET state = 'undone' WHERE turn = ? AND block = ? AND part = ? AND state = 'completed'"
        return await self._changed(change, (done.turn, done.block, done.part)) == 1

    async def execution(self, turn: str, block: str, part: int) -> Execution | None:
        """Return the result of a call; None when nobody has claimed it."""
        find = "SELECT * FROM executions WHERE turn = ? AND block = ? AND part = ?"
        found = await self._found(find, turn, block, part)
        return next((Execution(**row) for row in found), None)

    async def executions(self, turn: str) -> list[Execution]:
        """Return the results of a turn's calls."""
        found = await self._found("SELECT * FROM executions WHERE turn = ? ORDER BY begun", turn)
        return [Execution(**row) for row in found]


_TURNS: Final = "SELECT turns.id, chat, session, request, scenario, ending FROM turns JOIN chats ON chats.id = chat"
_CHATS: Final = """
SELECT chats.id, name, chats.begun, count(turns.id) AS turns, group_concat(request, ' ') AS said,
  (SELECT request FROM turns WHERE chat = chats.id ORDER BY begun, rowid LIMIT 1) AS first
FROM chats LEFT JOIN turns ON chat = chats.id WHERE session = ? AND deleted IS NULL
GROUP BY chats.id HAVING turns > 0 OR name IS NOT NULL ORDER BY chats.begun DESC, chats.rowid DESC"""
_DELETED: Final = """
SELECT id, name, deleted, (SELECT request FROM turns WHERE chat = chats.id ORDER BY begun, rowid LIMIT 1) AS first
FROM chats WHERE session = ? AND deleted > ? ORDER BY deleted DESC, rowid DESC"""
_PURGES: Final = (
    "DELETE FROM events WHERE turn IN (SELECT turns.id FROM turns JOIN chats ON chats.id = chat WHERE deleted < ?)",
    "DELETE FROM executions WHERE turn IN (SELECT turns.id FROM turns JOIN chats ON chats.id = chat WHERE deleted < ?)",
    "DELETE FROM turns WHERE chat IN (SELECT id FROM chats WHERE deleted < ?)",
    "DELETE FROM chats WHERE deleted < ?",
)
_ORDER: Final = "ORDER BY turns.begun, turns.rowid"


def _opened(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=10, check_same_thread=False)
    db.row_factory = sqlite3.Row
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    db.executescript(_TABLES)
    for table, column, kind in (("chats", "name", "TEXT"), ("chats", "deleted", "REAL"), ("events", "at", "REAL")):
        if column not in {
            row["name"] for row in db.execute(f"PRAGMA table_info({table})")
        }:  # a folder of before they were there
            db.execute(f"ALTER TABLE {table} ADD COLUMN {column} {kind}")
    return db
