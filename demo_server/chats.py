"""Chats: a request becomes a stream, a block becomes a file, and the history keeps both.

    request -> model -> ResumableStreams (guard) -> store + history -> reader
    reader: run this block -> history (claim) -> workspace -> history (result)

Rule 1: a block is run as it stands in the history, and never as a reader sends it; and only if it is `executable`.
Rule 2: a block is run once. Who asks again is told what became of it.
"""

from __future__ import annotations

import asyncio
import contextlib
import difflib
import hashlib
import json
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextvars import ContextVar
from dataclasses import asdict
from functools import partial
from secrets import token_hex
from typing import Any, Final, TypeVar

from stream_guard_adapters.resume import Entry, Forgotten, MemoryStore, RedisStore, ResumableStreams, StoreAway, UnknownStream
from stream_guard_adapters.resume.store import START, cursor, lost_end_id

from stream_guard import CorrectionRequest, Guard, Reply, ToolBlock, Toolset, wire
from stream_guard.spi import Source
from stream_guard.tools.files import FILE_TOOLS
from stream_guard.tools.lessons import LESSON_TOOLS

from .endpoints import Endpoints
from .history import Execution, History, Turn
from .metrics import Metrics
from .models import Asked, Model, Script, chosen
from .playground import said
from .scenarios import SEED
from .settings import Settings
from .workspace import Change, Refused, Workspace

Made = TypeVar("Made")

TOOLS: Final = Toolset(*FILE_TOOLS, *LESSON_TOOLS)
PREVIEW: Final = ("content", "search_replace.new_string")
"""What the page shows of a call while it is written: the text of a file."""


_ANSWERING: Final[ContextVar[Model]] = ContextVar("answering")
"""The model that answers the turn of this task, and corrects its blocks."""


class TooMany(Exception):
    """Raised when more runs at once than is allowed."""


class NotThere(LookupError):
    """Raised when there is no such turn or block, or it belongs to another session."""


class Chats:
    """All chats of a server."""

    def __init__(self, settings: Settings, metrics: Metrics) -> None:
        settings.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._settings = settings
        self._metrics = metrics
        self.history: Final = History(settings.folder / "history.db")
        script = Script(settings.pace, settings.thinking)
        self.model: Final = chosen(TOOLS, script)
        self.endpoints: Final = Endpoints(settings, script, TOOLS)
        guard = Guard(
            TOOLS,
            corrector=self._corrected,
            progress=24,
            preview=PREVIEW,
            on_status=metrics.status,
            on_block=metrics.block,
        )
        store = RedisStore(settings.redis, lease=settings.lease) if settings.redis else MemoryStore()
        self.streams: Final = ResumableStreams(store, guard, archive=_Archive(self.history, metrics))
        self._taps: Final[dict[str, _Tap]] = {}
        self._asking: Final[dict[str, set[str]]] = {}
        self._beginning: Final[set[str]] = set()  # turns that are not running yet, and count as if they were

    async def aclose(self) -> None:
        """Let streams end for as long as the settings say, then close everything."""
        await self.streams.aclose(self._settings.drain)
        await self.endpoints.aclose()
        await self.model.aclose()
        await self.streams.store.aclose()
        await self.history.aclose()

    # -- turns ---------------------------------------------------------------------------------------------------------

    def answering(self, session: str) -> Model:
        """Return the model that answers a session: its own, or the server's."""
        return self.endpoints.model(session) or self.model

    async def _corrected(self, request: CorrectionRequest) -> str | Reply:
        return await _ANSWERING.get(self.model).corrector(request)

    async def ask(self, session: str, request: str, scenario: str | None, chat: str | None = None) -> Turn:
        """Begin a turn in a chat, or in the last one, and return it. Raises TooMany; ModelAway if no answer begins."""
        taken = self.streams.running | self._beginning
        own = self._asking[session] = self._asking.pop(session, set()) & taken
        if len(own) >= self._settings.own_streams or len(taken) >= self._settings.streams:
            raise TooMany("Too many streams at once; wait for one to end")
        began = token_hex(16)
        own.add(began)
        self._beginning.add(began)
        try:
            return await self._begin(began, await self.history.chat(session, chat), session, request, scenario)
        finally:
            self._beginning.discard(began)
            while len(self._asking) > 2 * self._settings.streams:  # of those who have been silent the longest
                del self._asking[next(iter(self._asking))]

    async def _begin(self, id: str, chat: str, session: str, request: str, scenario: str | None) -> Turn:
        before, notes = ([], "") if scenario else await self._before(chat)
        model = self.model if scenario else self.answering(session)
        stream = await model.stream(Asked(request, scenario, before, notes))
        turn = Turn(id, chat, session, request, scenario, None)
        await self.history.begin(turn)
        _ANSWERING.set(model)  # the stream's tasks begin in this context
        try:
            await self.streams.start(turn.id, session, lambda: self._tapped(turn.id, stream))
        except StoreAway:
            await Source(stream).aclose()
            await self.history.ended(turn.id, "failed")
            raise
        return turn

    async def _before(self, chat: str) -> tuple[list[dict[str, str]], str]:
        """Return the chat as messages for a model, and the results of the last calls."""
        messages: list[dict[str, str]] = []
        notes = ""
        for turn in (await self.history.turns(chat))[-8:]:
            messages.append({"role": "user", "content": notes + turn.request})
            told = [(entry.event, json.loads(entry.data)) for entry in await self.history.events(turn.id)]
            said = "".join(data if kind == "text" else _raw(kind, data) for kind, data in told)
            messages.append({"role": "assistant", "content": said or "(nothing)"})
            hints = [data["hint"]["message"] for kind, data in told if kind == wire.BLOCK and data.get("hint")]
            results = [f"{done.tool} {done.path}: {done.message}" for done in await self.history.executions(turn.id)]
            notes = "".join(f"[{note}]\n" for note in (*results, *hints))
        return messages, notes

    async def _again(self, turn: str, asked: Asked) -> AsyncIterator[Any]:
        """Return the answer to what was asked before, from its beginning."""
        return self._tapped(turn, await self.model.stream(asked))

    async def _tapped(self, turn: str, stream: Any) -> AsyncGenerator[Any, None]:
        """Yield the stream's items, and add their text to the turn's tap."""
        tap = self._taps[turn] = _Tap()
        source = Source(stream)
        try:
            async for item in source.iterator:
                tap.add(said(item))
                yield item
        finally:
            self._taps.pop(turn, None)
            tap.close()
            await source.aclose()

    async def events(self, session: str, id: str, after: str) -> AsyncGenerator[Entry, None] | None:
        """Return the events of a turn behind an id, with those to come; None behind its end. Raises NotThere, ValueError."""
        turn = await self._turn(session, id)
        again = self.answering(session).replayable or turn.scenario is not None
        asked = Asked(turn.request, turn.scenario)
        try:
            return await self.streams.open(id, session, after, (lambda: self._again(id, asked)) if again else None)
        except (UnknownStream, Forgotten):
            return self._remembered(await self.whole(turn), after)

    def _remembered(self, entries: list[Entry], after: str) -> AsyncGenerator[Entry, None] | None:
        """Return the events of a stored turn behind an id; only its end, if that id was not stored."""
        known = [entry.id for entry in entries]
        at = known.index(after) + 1 if after in known else len(entries) - 1 if after else 0
        if not entries[at:] or (after and not cursor(after)[1]):
            return None

        async def told() -> AsyncGenerator[Entry, None]:
            for entry in entries[at:]:
                yield entry

        return told()

    async def whole(self, turn: Turn) -> list[Entry]:
        """Return the stored events of a turn. One that no worker writes any more gets the end `interrupted`."""
        entries = await self.history.events(turn.id)
        if turn.ending is None and await self.streams.store.status(turn.id) is None:
            # Behind everything that a reader may have seen, also what was told and not kept any more.
            told = {"message": "The server was restarted while this was written", "ending": "interrupted"}
            at = cursor(entries[-1].id) if entries else START
            entries.append(Entry(lost_end_id(at), "error", json.dumps(told)))
            await self.history.keep(turn.id, entries[-1:], timed=False)  # nobody knows when it broke off
            await self.history.ended(turn.id, "interrupted")
        return entries

    async def times(self, session: str, id: str) -> dict[str, float]:
        """Return when each event of a turn was stored, by its id. A reader has the end a moment before. Raises NotThere."""
        for _ in range(100):
            if (await self._turn(session, id)).ending is not None:
                break
            await asyncio.sleep(0.02)
        return await self.history.times(id)

    async def raw(self, session: str, id: str) -> AsyncGenerator[str, None] | None:
        """Return the model's text as it is streamed; None when another worker has it. Raises NotThere."""
        await self._turn(session, id)
        tap = self._taps.get(id)
        return tap.follow() if tap is not None else None

    async def stop(self, session: str, id: str) -> None:
        """Stop a turn. Raises NotThere."""
        await self._turn(session, id)
        with contextlib.suppress(UnknownStream):  # it is long over
            await self.streams.stop(id, session)

    async def _turn(self, session: str, id: str) -> Turn:
        turn = await self.history.turn(id)
        if turn is None or turn.session != session:
            raise NotThere("There is no such turn")
        return turn

    # -- executions ----------------------------------------------------------------------------------------------------

    async def run(self, session: str, id: str, block: str, part: int) -> Execution:
        """Run a block, once, and return the result. Raises NotThere; Refused for a block that is not executable."""
        await self._turn(session, id)
        found = await self._block(id, block, part)
        if not found.executable or found.arguments is None:
            raise Refused("This block did not pass, and is not run")
        if not await self.history.claim(id, block, part):
            return await self._claimed(id, block, part)
        try:
            change = await self.within(session, partial(_apply, tool=found.tool or "", arguments=found.arguments))
        except Refused as refused:
            done = Execution(id, block, part, time.time(), "failed", found.tool, found.path, str(refused))
        else:
            said = f"{_done(found.tool or '', change)} {change.path}"
            row = (found.tool, change.path, said, change.before, change.after)
            done = Execution(id, block, part, time.time(), "completed", *row)
        await self.history.finish(done)
        self._metrics.execution(done.state)
        return done

    async def _block(self, turn: str, block: str, part: int) -> ToolBlock:
        """Return a block of the history. A page may ask for it a moment before it is stored. Raises NotThere."""
        for _ in range(100):
            for entry in await self.history.events(turn):
                if entry.event == wire.BLOCK and json.dumps(block) in entry.data:
                    found = wire.from_json(wire.BLOCK, entry.data)
                    assert isinstance(found, ToolBlock)
                    if (found.id, found.part) == (block, part):
                        return found
            known = await self.history.turn(turn)
            if known is None or known.ending is not None:
                break
            await asyncio.sleep(0.02)
        raise NotThere("There is no such block")

    async def _claimed(self, turn: str, block: str, part: int) -> Execution:
        """Return the result of a call that another request runs, or ran."""
        while True:
            done = await self.history.execution(turn, block, part)
            assert done is not None
            if done.state != "executing":
                return done
            if time.time() - done.begun > 10:
                said = "This was interrupted; look at the file"
                done = Execution(turn, block, part, done.begun, "failed", message=said)
                await self.history.finish(done)
                return done
            await asyncio.sleep(0.05)

    async def undo(self, session: str, id: str, block: str, part: int) -> Execution:
        """Undo the change of a call and return the result. Raises NotThere; Refused when the file has changed since."""
        await self._turn(session, id)
        done = await self.history.execution(id, block, part)
        if done is None or done.state != "completed" or done.path is None or done.before == done.after:
            raise NotThere("There is nothing to undo")
        path, before = done.path, done.before
        now = await self.within(session, lambda files: files.read(path))
        if now == before:
            raise Refused(f"Its effect is gone: {path!r} is as it was before")
        if now is None and done.after is not None:
            raise Refused(f"Its effect is gone: {path!r} is deleted")
        if now != done.after:
            raise Refused(f"Not undone: {path!r} has changed since")
        if await self.history.undoing(done):
            await self.within(session, lambda files: _restore(files, path, before))
        found = await self.history.execution(id, block, part)
        assert found is not None
        return found

    async def within(self, session: str, act: Callable[[Workspace], Made]) -> Made:
        """Return what `act` returns for the session's workspace. It runs in a thread, because it waits for the disk."""
        name = hashlib.sha256(session.encode()).hexdigest()[:24]
        folder = self._settings.folder / "workspaces" / name
        return await asyncio.to_thread(lambda: act(Workspace(folder, self._settings.quota, SEED)))

    # -- what a page shows ---------------------------------------------------------------------------------------------

    async def shown(self, session: str, wanted: str | None = None) -> dict[str, Any]:
        """Return a chat of the session as a page shows it: the wanted one if it is there, else the last one."""
        chat = await self.history.chat(session, wanted)
        turns = await self.history.turns(chat)
        return {"chat": chat, "turns": [await self._shown(turn) for turn in turns]}

    async def listed(self, session: str, find: str) -> list[dict[str, Any]]:
        """Return the session's chats as a page lists them."""
        return [asdict(chat) for chat in await self.history.chats(session, find)]

    async def deleted(self, session: str) -> list[dict[str, Any]]:
        """Return the session's chats that can be restored as a page lists them."""
        return [asdict(chat) for chat in await self.history.deleted(session)]

    async def delete(self, session: str, chat: str) -> None:
        """Delete a chat, and stop its turns. Raises NotThere."""
        running = [turn for turn in await self.history.turns(chat) if turn.session == session and turn.ending is None]
        for turn in running:
            await self.stop(session, turn.id)
        if not await self.history.delete(session, chat):
            raise NotThere("There is no such chat")

    async def _shown(self, turn: Turn) -> dict[str, Any]:
        entries = await self.whole(turn)
        known, times = await self.history.turn(turn.id) or turn, await self.history.times(turn.id)
        return {
            "id": turn.id,
            "request": turn.request,
            "scenario": turn.scenario,
            "ending": known.ending,
            "events": [{**entry.sse(), "at": times.get(entry.id)} for entry in entries],
            "executions": [told(done) for done in await self.history.executions(turn.id)],
        }


_DONE: Final = {"edit_file": "Edited", "delete_file": "Deleted"}
_LINES: Final = 400
"""Limit: lines of a difference that are shown."""


def _done(tool: str, change: Change) -> str:
    """Return what was done to a file, in a word or two."""
    if change.before == change.after:
        return "No change:"
    return ("Created" if change.before is None else "Replaced") if tool == "write_file" else _DONE.get(tool, "Saved")


def told(done: Execution) -> dict[str, Any]:
    """Return the result of a call as a page gets it."""
    before, after = (done.before or "").splitlines(), (done.after or "").splitlines()
    lines = list(difflib.unified_diff(before, after, lineterm="", n=3))[2:]
    shown = [*lines[:_LINES], *(["… and more"] if len(lines) > _LINES else [])]
    return {
        "turn": done.turn,
        "block": done.block,
        "part": done.part,
        "state": done.state,
        "tool": done.tool,
        "path": done.path,
        "message": done.message,
        "diff": shown,
        "undoable": done.state == "completed" and done.before != done.after,
    }


def _apply(workspace: Workspace, tool: str, arguments: Mapping[str, Any]) -> Change:
    """Run a call and return the change. Its arguments have passed the tool's schema."""
    if tool == "write_file":
        return workspace.write(arguments["path"], arguments["content"])
    if tool == "edit_file":
        edit = arguments["search_replace"]
        return workspace.edit(arguments["path"], edit["old_string"], edit["new_string"])
    if tool == "delete_file":
        return workspace.delete(arguments["path"])
    if tool == "validate_lesson_data":
        lesson = arguments["lessonData"]
        name = re.sub(r"[^a-z0-9]+", "-", lesson["metadata"]["topic"].lower()).strip("-") or "lesson"
        return workspace.write(f"lessons/{name[:60]}.json", json.dumps(lesson, indent=2, ensure_ascii=False) + "\n")
    raise Refused(f"Nothing here runs {tool!r}")


def _restore(workspace: Workspace, path: str, text: str | None) -> None:
    if text is None:
        workspace.delete(path)
    else:
        workspace.write(path, text)


def _raw(kind: str, data: Mapping[str, Any]) -> str:
    return str(data["raw"]) if kind == wire.BLOCK else ""


class _Tap:
    """The text of a model so far, before it is guarded, for the page that shows it. It is not stored."""

    def __init__(self) -> None:
        self._said: list[str] = []
        self._over = False
        self._news = asyncio.Event()

    def add(self, text: str) -> None:
        """Append text."""
        self._said.append(text)
        self._tell()

    def close(self) -> None:
        """End the text."""
        self._over = True
        self._tell()

    def _tell(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    async def follow(self) -> AsyncGenerator[str, None]:
        """Yield the text so far, then new text."""
        at = 0
        while True:
            news, said = self._news, self._said[at:]
            at += len(said)
            if said:
                yield "".join(said)
            elif self._over:
                return
            else:
                await news.wait()


class _Archive:
    """Writes stored events to the history, and counts the streams that end."""

    def __init__(self, history: History, metrics: Metrics) -> None:
        self.keep: Final = history.keep
        self._history = history
        self._metrics = metrics

    async def ended(self, stream: str, ending: Any) -> None:
        await self._history.ended(stream, ending)
        self._metrics.turn(ending)
