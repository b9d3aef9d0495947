"""The connections of a process to Redis or Valkey: scripts that are sent together, and channels that are subscribed to.

    callers -> Line -> one pipeline after the other -> server         server -> channels -> Channels -> followers
                    -> large calls, and those that failed alone, over a connection of their own

Rule 1: a script may arrive twice, and an answer may be lost; every script is written for that.
Rule 2: no command is cancelled, unless its connection is silent. A caller that has waited long enough gets StoreAway; the
answer to what was sent is awaited, for as long as bytes come.
Rule 3: a call that the server refuses, for whatever reason, is repeated, since it may be allowed later; no other call waits
for it.
Rule 4: a client matches answers to calls by their order. Each answer repeats the number of its call. Where it does not, or has
not the form that its script gives, the connection is out of step: all that came with it is discarded, and the calls are sent
again over another connection.
Rule 5: when a connection is lost, one call may be the reason. So fewer calls go together then, and one that fails alone is sent
apart from the others. Before it is sent again the connection is tried, so that it fails alone only where the store is there.
A refusal that would meet any other call as well (of a replica, or for lack of a permission) says nothing about the call.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import re
from codecs import lookup
from collections import deque
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from hashlib import sha1
from itertools import count
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final

from .store import SHOWN, StoreAway, WrongKind, cursor, may_own

if TYPE_CHECKING:
    from redis.asyncio import Redis, RedisCluster

log: Final = logging.getLogger("stream_guard")

BATCH: Final = 256
"""The most calls in one pipeline."""

BATCH_BYTES: Final = 1 << 17
"""The most bytes in one pipeline, if it has more than one call."""

LARGE: Final = 1 << 16
"""The bytes from which on a call is sent apart from the others."""

_SLOW: Final = 1.0
"""Seconds for one pipeline, after which fewer calls go together."""

_SLOWEST: Final = 1 << 14
"""Bytes per second that a link carries at least: what was sent may wait in buffers of the system, where nobody sees it move."""

TICK: Final = 0.25
"""Seconds between two checks for calls that have waited long enough."""

_LONGEST: Final = 0.5
"""The longest pause between two tries, in seconds."""

_ANSWERS: Final = 5.0
"""The most seconds for which a connection may be silent, while an answer is awaited, before another one is used. Half a lease
where that is less: the heartbeats of the producers wait for it."""

_PATIENT: Final = 0.5
"""The fewest of these seconds, also where a lease is shorter: a store may take that long."""

_TRIPS: Final = 10
"""How many round trips a new connection may need at most."""

_CONNECTIONS: Final = 3
"""The connections that a process needs: one that writes, one that reads, one that subscribes."""

_APART: Final = 5
"""The connections for large calls alone: another one that writes, and another one that reads."""

_REASON: Final = re.compile(r"(?:Error running script .*?: ?-?)?([A-Z]{2,20})\b")
"""The first word of a server's error, which is its code. Redis 6 puts the place in front of it."""

_BEGINNING: Final = re.compile(r"(?:[^'\"`\n]|(?<=\w)'(?=\w)){1,100}(?<=\w)")
"""The beginning of an error's message, up to what it quotes: that may be a name, or part of a stream."""


_NUMBERED: Final = """
local call = table.remove(ARGV)
local function answer()
%s
end
local could, answered = pcall(answer)
if could then return {call, answered} end
local why = type(answered) == 'table' and answered.err or answered
if string.find(why, 'WRONGTYPE', 1, true) then return {call, false, 'WRONGTYPE'} end
error(answered, 0)
"""
"""What is sent for a script: its answer, and the one refusal that is final, come after the number of the call."""


class Script:
    """A script that runs on the server.

    Args:
        body: The body of a function that returns the answer. KEYS and ARGV are those of the call.
        answers: The types of what an answer that is a list has. Any other answer is a text, or nothing.
        more: The types of what such a list has after that, any number of times.
    """

    def __init__(self, body: str, answers: tuple[type, ...] = (), more: tuple[type, ...] = ()) -> None:
        self.text: Final = _NUMBERED % body
        self._answers: Final = answers
        self._more: Final = more
        self.name: Final = sha1(self.text.encode(), usedforsecurity=False).hexdigest()
        """The hash by which the server knows it."""

    def gave(self, answer: Any) -> bool:
        """Return whether an answer can be an answer of this script."""
        if not isinstance(answer, list):
            return answer is None or isinstance(answer, str)
        groups = (len(answer) - len(self._answers)) // len(self._more) if self._more else 0
        types = self._answers + self._more * groups
        return bool(types) and len(answer) == len(types) and all(map(isinstance, answer, types))


def connected(client: str | Redis | RedisCluster, prefix: str) -> Any:
    """Return a suitable client. Raises TypeError or ValueError for an unsuitable one, with the reason."""
    from redis.asyncio import BlockingConnectionPool, Redis, RedisCluster  # deferred: an extra
    from redis.asyncio.retry import Retry
    from redis.backoff import NoBackoff

    if not isinstance(prefix, str):
        raise TypeError(f"prefix must be a str, got {type(prefix).__name__}")
    if prefix and not may_own(prefix):
        raise ValueError(f"prefix cannot be {prefix[:SHOWN]!r}: give a text without control characters")
    if isinstance(client, str):
        settings: dict[str, Any] = {"max_connections": 8, "timeout": None, "decode_responses": True}
        # `Line` sees whether bytes move: the client's own limit, 5 seconds since its version 8, is for a whole answer.
        settings |= {"socket_timeout": None, "socket_connect_timeout": _ANSWERS, "retry": Retry(NoBackoff(), 0)}
        pool: Any = BlockingConnectionPool.from_url(client, **settings)
        _enough(pool.max_connections)
        _encodes(pool.get_encoder())
        return Redis.from_pool(pool)
    if not isinstance(client, Redis | RedisCluster):
        raise TypeError(f"RedisStore takes a URL or a client of redis.asyncio, not {type(client).__name__}")
    encoder: Any = client.get_encoder()
    if not encoder.decode_responses:
        raise ValueError("this client answers with bytes: make it with decode_responses=True")
    _encodes(encoder)
    if isinstance(client, RedisCluster):
        tag = prefix.partition("{")[2].partition("}")
        if not (tag[0] and tag[1]):
            raise ValueError(
                'in a cluster all keys must be in one hash slot: give a prefix with braces, prefix="{stream-guard}:"'
            )
        return client
    _enough(client.connection_pool.max_connections)
    return client


def roomy(redis: Any) -> bool:
    """Return whether a client can have separate connections for large calls."""
    pool = getattr(redis, "connection_pool", None)
    return pool is None or pool.max_connections >= _APART


def database(redis: Any) -> int:
    """Return the number of a client's database. A cluster has one only."""
    pool = getattr(redis, "connection_pool", None)
    return 0 if pool is None else pool.connection_kwargs.get("db") or 0


def _encodes(encoder: Any) -> None:
    """Raise ValueError for an encoding other than UTF-8, in which the scripts and their answers are."""
    try:
        name = lookup(encoder.encoding).name
    except LookupError:
        name = ""
    if name != "utf-8":
        raise ValueError(f"encoding must be UTF-8, not {encoder.encoding!r}; leave the setting out")


def _enough(connections: int) -> None:
    if connections < _CONNECTIONS:
        raise ValueError(
            f"this client has {connections} connections at most, and RedisStore needs {_CONNECTIONS}: "
            f"one that writes, one that reads, one that subscribes; give it max_connections={_CONNECTIONS} or more"
        )


_TRIAL: Final = Script("return 'ok'")
"""A script whose answer shows that the store answers."""


class _OutOfStep(ConnectionError):
    """Raised when an answer is not that of its call."""


class _WrongType(Exception):
    """Raised when a script found a value of another type under a key."""


class NeverTaken(StoreAway):
    """Raised when a call failed for as long as it was sent again, while the store answered others."""


class SilentConnection(ConnectionError):
    """Raised when nothing came over a connection for too long."""


_PROCESS: Final = token_hex(8)
_NUMBERS: Final = count()


def _number() -> str:
    """Return a number for a call that no other call has, in any process."""
    return f"{_PROCESS}{next(_NUMBERS)}"


class Answer(asyncio.Future[Any]):
    """The answer of a script, awaited."""

    sent = 0
    """How often the script was sent and may have run: more than once when an answer was lost."""

    apart = False
    """Whether the call is large: it may be on its way for longer than the time between two heartbeats."""


@dataclass(slots=True, eq=False)
class _Call:
    script: Script
    keys: Sequence[str]
    arguments: Sequence[Any]
    answer: Answer
    until: float
    retry: float = 0.0
    """For how many seconds it is sent again, counted from its turn; 0 if its caller waits only until `until`."""

    whole: bool = False
    """Whether the script's text is sent, since the server does not know its name."""

    refused: int = 0
    """How often the server answered it with an error."""

    size: int = 0
    """About how many bytes are sent for it, or come as its answer."""

    smaller: Callable[[], Sequence[Any]] | None = None
    """Returns the arguments with which less comes as its answer, for when the connection was lost with this call alone."""

    alone: int = 0
    """How often the connection was lost while it was the only call."""

    others: int = -1
    """How many calls the store had answered when it was refused, or lost, for the first time."""

    number: str = field(default_factory=_number)

    def put(self, pipeline: Any) -> None:
        """Add the call to a pipeline."""
        what = ("EVAL", self.script.text) if self.whole else ("EVALSHA", self.script.name)
        pipeline.execute_command(*what, len(self.keys), *self.keys, *self.arguments, self.number)
        self.answer.sent += 1

    def read(self, answered: Any) -> Any:
        """Return the script's answer, or the error that came instead; `_OutOfStep` for what is not the answer to this call."""
        if isinstance(answered, Exception):
            return answered
        if not isinstance(answered, list) or len(answered) < 2 or answered[0] != self.number:
            return _OutOfStep("an answer to something else")
        if len(answered) > 2:
            return _WrongType()
        return answered[1] if self.script.gave(answered[1]) else _OutOfStep("an answer that the script does not give")


class _Lane:
    """The calls that go over one connection."""

    def __init__(self) -> None:
        self.waiting: Final[deque[_Call]] = deque()
        self.sent: list[_Call] = []
        self.task: asyncio.Task[None] | None = None
        self.away = ""  # why nothing arrives
        self._most = BATCH  # calls that go together

    def next(self) -> list[_Call]:
        """Return the calls that go together next."""
        batch: list[_Call] = []
        size = 0
        while self.waiting and len(batch) < self._most:
            call = self.waiting[0]
            size += call.size
            if batch and (call.alone or batch[0].alone or size > BATCH_BYTES):
                break
            self.waiting.popleft()
            if not call.answer.done():
                batch.append(call)
        return batch

    def went(self, count: int, seconds: float, lost: Exception | None) -> None:
        """Note how a batch went. Where the connection was silent its calls go singly: each may take as long again."""
        if lost is not None or seconds > _SLOW:
            self._most = 1 if isinstance(lost, (SilentConnection, TimeoutError)) or _timed_out(lost) else max(1, count // 2)
        else:
            self._most = min(BATCH, 2 * self._most)


class Line:
    """Sends scripts in batches: while one batch is sent, the next one is collected. What could not be sent is sent again.

    While the server cannot be reached, all calls wait. A call that it refuses waits apart, and is sent again after a pause.

    Args:
        redis: The client.
        retry: For how many seconds a call is sent again.
        beat: Seconds between two heartbeats of a producer. No pause is longer, so that none is late.
        timed: Whether a connection that is silent for too long is given up here; or else the client does it.
    """

    def __init__(self, redis: Any, retry: float, beat: float, *, timed: bool = False) -> None:
        self._redis = redis
        self._retry = retry
        self._longest = min(_LONGEST, beat)
        self._silence = max(2 * beat, _PATIENT)
        self._timed = timed
        self._far = 1.0  # how many times as long as an answer a new connection may take: it needs several round trips
        self._common: Final = _Lane()
        self._apart: Final = _Lane() if roomy(redis) else self._common
        self._aside: list[_Call] = []
        self._answered = 0  # how many calls the store has answered
        self._ticking = False
        self._due = 0.0  # when the next tick comes, unless the loop stands still
        self._reasons: Final[set[str]] = set()  # of refusals, that were logged
        self._closed = False

    def call(
        self,
        script: Script,
        keys: Sequence[str],
        arguments: Sequence[Any],
        within: float | None = None,
        size: int = 0,
        smaller: Callable[[], Sequence[Any]] | None = None,
    ) -> Answer:
        """Return the script's answer, to be awaited. Raises StoreAway when none comes in time, WrongKind for a foreign key.

        With the `size` of its answer, where that is large. A large call is given up no sooner than its connection. `smaller`
        returns the arguments that ask for less, for when the connection was lost with this call alone.
        """
        loop = asyncio.get_running_loop()
        answer = Answer(loop=loop)
        until = loop.time() + (self._retry if within is None else min(within, self._retry))
        sent = sum(_size(argument) for argument in arguments)
        retry = self._retry if within is None else 0.0
        call = _Call(script, keys, arguments, answer, until, retry, size=sent + size, smaller=smaller)
        answer.apart = call.size > LARGE
        self._queue(call)
        if not self._ticking:
            self._next_tick()
        return answer

    def _lanes(self) -> Sequence[_Lane]:
        return (self._common,) if self._apart is self._common else (self._common, self._apart)

    def _queue(self, call: _Call) -> None:
        lane = self._apart if call.answer.apart or call.alone else self._common
        lane.waiting.append(call)
        if not self._closed and (lane.task is None or lane.task.done()):
            lane.task = asyncio.create_task(self._send(lane))

    def _calls(self) -> list[_Call]:
        return [call for lane in self._lanes() for calls in (lane.sent, lane.waiting) for call in calls] + self._aside

    def _next_tick(self) -> None:
        loop = asyncio.get_running_loop()
        self._ticking, self._due = True, loop.time() + TICK
        loop.call_at(self._due, self._tick)

    def _tick(self) -> None:
        """Fail the calls that have waited long enough. Time in which this loop stood still is none that the store had."""
        now, left = asyncio.get_running_loop().time(), 0
        late = now - self._due
        for call in self._calls():
            if not call.answer.done():
                call.until += late
                if call.retry and self._waits_its_turn(call):
                    call.until = now + call.retry
                if call.until <= now and not self._is_on_its_way(call):
                    call.answer.set_exception(self._too_late(call))
                else:
                    left += 1
        self._ticking = left > 0
        if left:
            self._next_tick()

    def _waits_its_turn(self, call: _Call) -> bool:
        """Return whether a large call waits after another one that is on its way: then the store is not away."""
        lane = self._apart
        return call.answer.apart and bool(lane.sent) and not lane.away and call in lane.waiting

    def _is_on_its_way(self, call: _Call) -> bool:
        """Return whether a large call was sent: such a call is given up no sooner than its connection."""
        return call.answer.apart and call in self._apart.sent

    def _too_late(self, call: _Call) -> StoreAway:
        if call.alone > 1 and self._answered > call.others:
            return NeverTaken("the store does not take this, and answers others")
        why = self._common.away or self._apart.away or "no answer"
        return StoreAway(f"the store {'refuses' if call.refused else f'does not answer ({why})'}")

    async def _send(self, lane: _Lane) -> None:
        tries = 0
        loop = asyncio.get_running_loop()
        while lane.waiting and not self._closed:
            batch = lane.sent = lane.next()
            if not batch:
                continue
            begun = loop.time()
            answers = await (self._tried(batch[0]) if batch[0].alone else self._together(batch))
            if len(batch) > 1 and any(isinstance(answer, Exception) and unsendable(answer) for answer in answers):
                # One that cannot be sent at all must not keep the others from it.
                answers = [(await self._together([call]))[0] for call in batch]
            away = next((answer for answer in answers if isinstance(answer, Exception) and _lost(answer)), None)
            if len(batch) == 1 and isinstance(away, UnicodeDecodeError):
                away = None  # it came
            lane.went(len(batch), loop.time() - begun, away)
            again = [
                call
                for call, answer in zip(batch, answers, strict=True)
                if not call.answer.done() and self._finish(call, answer, alone=len(batch) == 1)
            ]
            lane.sent = []
            if away is not None and len(batch) == 1:
                for call in again:
                    self._queue(call)  # after all others
            else:
                again.sort(key=lambda call: call.size)  # the largest one is the likeliest reason of a loss
                lane.waiting.extendleft(reversed(again))
            if away is None:
                tries, lane.away = 0, ""
                continue
            if not any(each.away for each in self._lanes()) and not (len(batch) == 1 and batch[0].alone > 1):
                log.warning("the store cannot be reached (%s): commands are sent again", _why(away))
            lane.away = _why(away)
            await self._leave()
            await asyncio.sleep(self._pause(tries))
            tries += 1

    def _finish(self, call: _Call, answer: Any, *, alone: bool) -> bool:
        """Give a command its answer, or queue it for a later try; return whether it must be in the next batch."""
        if not isinstance(answer, Exception):
            if call.refused:
                self._reasons.clear()
            self._answered += 1
            call.answer.set_result(answer)
        elif isinstance(answer, _WrongType) or (alone and isinstance(answer, UnicodeDecodeError)):
            call.answer.set_exception(
                WrongKind("a key of this store holds a value of another type: give the store a prefix of its own")
            )
        elif unsendable(answer):
            call.answer.set_exception(answer)
        elif _lost(answer):
            self._failed(call, alone=alone and not _answered(answer))
            return True
        elif _unknown(answer):
            call.whole = True
            call.answer.sent -= 1
            return True
        elif _elsewhere(answer):
            call.answer.set_exception(RuntimeError(_CLUSTER))
        else:
            self._set_aside(call, answer)
        return False

    def _failed(self, call: _Call, *, alone: bool) -> None:
        call.alone += alone
        if alone and call.smaller is not None:
            call.arguments = call.smaller()
        if call.others < 0:
            call.others = self._answered

    def _set_aside(self, call: _Call, refusal: Exception) -> None:
        """Send a call that was refused again after a pause."""
        call.answer.sent -= 1
        reason = _reason(refusal)
        if reason not in self._reasons:
            self._reasons.add(reason)
            log.warning("the store refuses a command (%s): it is sent again", _why(refusal))
        if (call.answer.apart or call.smaller is not None) and reason in _UNNAMED:  # it may be too large
            self._failed(call, alone=True)
        if not self._aside:
            asyncio.get_running_loop().call_later(self._pause(call.refused), self._back)
        call.refused += 1
        self._aside.append(call)

    def _pause(self, tries: int) -> float:
        return min(self._longest, 0.02 * 2.0 ** min(tries, 8)) * random.uniform(0.5, 1)  # noqa: S311

    def _back(self) -> None:
        aside, self._aside = self._aside, []
        for call in aside:
            self._queue(call)

    async def _tried(self, call: _Call) -> list[Any]:
        """Send a call that failed alone, if the store answers another one before it."""
        trial = _Call(_TRIAL, call.keys, (), Answer(loop=asyncio.get_running_loop()), call.until, whole=True)
        (answer,) = await self._together([trial])
        if isinstance(answer, Exception) and _lost(answer):
            call.alone -= 1  # it is counted again, for what was not its failure
            return [answer]
        self._answered += not isinstance(answer, Exception)
        return await self._together([call])

    async def _together(self, batch: list[_Call]) -> list[Any]:
        try:
            together = self._redis.pipeline(transaction=False)
            for call in batch:
                call.put(together)
            answers = await self._executed(together, sum(call.size for call in batch))
        except Exception as error:
            return [error] * len(batch)
        found = [call.read(answered) for call, answered in zip(batch, answers, strict=True)]
        astray = next((answer for answer in found if isinstance(answer, _OutOfStep)), None)
        if astray is not None:  # then an error among them may be of another call too
            return [astray if isinstance(answer, Exception) else answer for answer in found]
        return found

    async def _executed(self, together: Any, size: int) -> list[Any]:
        """Return the answers of a pipeline. Raises `SilentConnection` when nothing moves for too long."""
        executing = asyncio.ensure_future(together.execute(raise_on_error=False))
        loop = asyncio.get_running_loop()
        since, known = loop.time(), _moved(together)
        try:
            silence, begun = min(_ANSWERS, self._silence), since
            while not (await asyncio.wait([executing], timeout=min(TICK, silence / 4) if self._timed else None))[0]:
                now, moved = loop.time(), _moved(together)
                if moved != known:
                    since, known = now, moved
                elif getattr(together, "connection", None) is None:
                    if now - since > min(_ANSWERS, silence * self._far):
                        self._far = min(2 * self._far, _ANSWERS / silence)
                        raise SilentConnection("no connection is made")
                elif now - since > silence + size / _SLOWEST:
                    raise SilentConnection("nothing came over the connection for too long")
            if loop.time() - begun < silence / _TRIPS:
                self._far = 1.0
        finally:
            if not executing.done():
                executing.cancel()  # which closes its connection
                executing.add_done_callback(lambda task: task.cancelled() or task.exception())
                await asyncio.wait([executing], timeout=1)
        answers: list[Any] = executing.result()
        return answers

    async def _leave(self) -> None:
        """Close idle connections: another server may have the same address now."""
        pool = getattr(self._redis, "connection_pool", None)
        with contextlib.suppress(Exception):
            if pool is not None:
                await pool.disconnect(inuse_connections=False)
            else:
                for node in self._redis.get_nodes():
                    await node.disconnect()

    async def aclose(self) -> None:
        """Wait at most a second for the answers to what was sent, then fail every call that has none."""
        tasks = [lane.task for lane in self._lanes() if lane.task is not None]
        if tasks:
            await asyncio.wait(tasks, timeout=1)
        self._closed = True
        for task in tasks:
            await _end(task)
        for call in self._calls():
            if not call.answer.done():
                call.answer.set_exception(StoreAway("the store was closed"))


def _size(argument: Any) -> int:
    """Return about how many bytes an argument has."""
    return (len(argument) if argument.isascii() else 3 * len(argument)) if isinstance(argument, str) else 8


def _moved(pipeline: Any) -> tuple[int, int, int]:
    """Return a value that changes while bytes go over the connection of a pipeline."""
    connection = getattr(pipeline, "connection", None)
    reader, writer = getattr(connection, "_reader", None), getattr(connection, "_writer", None)
    come = len(getattr(reader, "_buffer", ()))
    return id(connection), come, 0 if writer is None else writer.transport.get_write_buffer_size()


def _timed_out(error: Exception | None) -> bool:
    """Return whether a client gave up waiting for an answer."""
    from redis.exceptions import TimeoutError as Late

    return isinstance(error, Late)


_FORBIDS: Final = re.compile(r"NOPERM|no permission|ACL failure|executing the script can't")
"""The texts of refusals for lack of a permission. Those of a command in a script have no code of their own."""

_UNNAMED: Final = ("ERR", "ResponseError")
"""The reasons of refusals that have no code: a proxy that takes no more than so many bytes gives one, for example."""


_CLUSTER: Final = 'this server is one of a cluster: give RedisStore a RedisCluster, and prefix="{stream-guard}:"'


def _answered(error: Exception) -> bool:
    """Return whether an error is a server's answer."""
    from redis.exceptions import ResponseError

    return isinstance(error, ResponseError)


def _forbidden(error: Exception) -> bool:
    """Return whether an error means that the user lacks a permission, for a script or for a command in it."""
    from redis.exceptions import NoPermissionError

    return isinstance(error, NoPermissionError) or (_answered(error) and _FORBIDS.search(str(error)) is not None)


def _unknown(error: Exception) -> bool:
    from redis.exceptions import NoScriptError

    return isinstance(error, NoScriptError)


def unsendable(error: Exception) -> bool:
    """Return whether an error means that the call cannot be written as a command."""
    from redis.exceptions import DataError

    return isinstance(error, (DataError, UnicodeEncodeError))


def _lost(error: Exception) -> bool:
    """Return whether an error means that the right server was not reached: the answer is unreadable, or not from a master."""
    from redis import exceptions as known

    if not _answered(error):
        return not isinstance(error, _WrongType) and not unsendable(error)
    not_yet = (known.ReadOnlyError, known.ClusterError, known.TryAgainError)
    return isinstance(error, not_yet) or _reason(error) == "READONLY"


def _elsewhere(error: Exception) -> bool:
    return _reason(error) in ("MOVED", "CROSSSLOT") or type(error).__name__ in ("MovedError", "ClusterCrossSlotError")


def _reason(error: Exception) -> str:
    """Return the code of a server's error, or the name of the error's class."""
    if _forbidden(error):
        return "NOPERM"
    found = _REASON.match(str(error)) if _answered(error) else None
    return found[1] if found else type(error).__name__


def _why(error: Exception) -> str:
    """Return what the log says of an error: its reason, and how the message of a server or a connection begins."""
    from redis.exceptions import RedisError

    reason, message = _reason(error), str(error)
    if not isinstance(error, (OSError, RedisError)):
        return reason
    coded = _REASON.match(message)
    begins = _BEGINNING.match(message, coded.start(1) if coded else 0)
    if begins is None:
        return reason
    return begins[0] if begins[0].startswith(reason) else f"{reason}: {begins[0]}"


class Follower:
    """Waits for new entries of one stream."""

    def __init__(self) -> None:
        self.over = False
        """Whether it should stop."""

        self._last = ""
        self._poked = False
        self._waits: asyncio.Future[None] | None = None

    def notify(self, id: str) -> None:
        """Note that there is an entry of this id; without an id, that there may be one."""
        if id:
            self._last = id
        else:
            self._poked = True
        if self._waits is not None and not self._waits.done():
            self._waits.set_result(None)

    def go(self) -> None:
        """End the waiting."""
        self.over = True
        self.notify("")

    async def behind(self, id: str, seconds: float) -> bool:
        """Wait until there may be an entry after an id; returns False if the seconds are over first."""
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        while not self.over:
            if self._poked or _newer(self._last, id):
                self._poked, self._last = False, ""
                return True
            if loop.time() >= until:
                return False
            waits = self._waits = loop.create_future()
            timer = loop.call_at(until, _wake, waits)
            try:
                await waits
            finally:
                timer.cancel()
        return True


def _wake(waits: asyncio.Future[None]) -> None:
    if not waits.done():
        waits.set_result(None)


def _newer(last: str, known: str) -> bool:
    """Return whether an id is new: after the known id, or of another generation."""
    number, generation = cursor(last)
    at, of = cursor(known)
    return bool(last) and (generation != of or number > at)


class Channels:
    """Subscribes to the channels of all streams that are followed in this process, over one connection.

    A message may get lost: followers also read the stream at intervals, and whenever the connection is new.

    Args:
        redis: The client.
        control: The channel with the names of streams that may have been asked to stop.
        beat: Seconds of silence after which the connection is tested with a ping.
        on_stop: Called with each of these names.
    """

    def __init__(self, redis: Any, control: str, beat: float, on_stop: Callable[[str], None]) -> None:
        self._redis = redis
        self._control = control
        self._beat = beat
        self._on_stop = on_stop
        self._followers: Final[dict[str, set[Follower]]] = {}
        self._own: Final[set[str]] = set()  # channels of streams that are written here: no subscription is needed
        self._asked: Final[set[str]] = set()  # channels that were asked for on this connection
        self._there: Final[set[str]] = set()  # and those of them that it has
        self._pubsub: Any = None
        self._task: asyncio.Task[None] | None = None
        self._asking: asyncio.Task[None] | None = None
        self._refused = False
        self._closed = False

    def begin(self) -> None:
        """Start the subscriptions."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._subscribe())

    def own(self, channel: str) -> None:
        """Note that a channel's stream is written in this process: `notify` wakes its followers, without a subscription."""
        self._own.add(channel)
        self.begin()

    def disown(self, channel: str, *, ended: bool) -> None:
        """Undo `own`. Nothing more comes about a stream that has `ended`."""
        self._own.discard(channel)
        self.notify(channel)
        if not ended:
            self._ask()

    @contextlib.contextmanager
    def of(self, channel: str) -> Generator[Follower, None, None]:
        """Yield a follower of a channel."""
        follower = Follower()
        self._followers.setdefault(channel, set()).add(follower)
        if channel in self._there or channel in self._own:
            follower.notify("")  # something may have come since the last read
        self.begin()
        if channel not in self._own:
            self._ask()
        try:
            yield follower
        finally:
            self._followers[channel].discard(follower)
            if not self._followers[channel]:
                del self._followers[channel]
                if channel in self._asked:
                    self._ask()

    def followed(self, channel: str) -> bool:
        """Return whether anybody follows a channel."""
        return channel in self._followers

    def notify(self, channel: str, id: str = "") -> None:
        """Notify the followers of a channel."""
        for follower in self._followers.get(channel, ()):
            follower.notify(id)

    def _ask(self) -> None:
        if self._pubsub is not None and (self._asking is None or self._asking.done()):
            self._asking = asyncio.create_task(self._ask_for(self._pubsub))

    async def _ask_for(self, pubsub: Any) -> None:
        """Subscribe to the channels that are followed, and to no others."""
        with contextlib.suppress(Exception):  # then the connection is lost, and `_subscribe` makes another
            while pubsub is self._pubsub:
                wanted = self._followers.keys() - self._own
                missing, idle = wanted - self._asked, self._asked - wanted
                if missing:
                    self._asked.update(missing)
                    await pubsub.subscribe(*missing)
                elif idle:
                    self._asked.difference_update(idle)
                    self._there.difference_update(idle)
                    await pubsub.unsubscribe(*idle)
                else:
                    return

    async def _subscribe(self) -> None:
        while not self._closed:
            pubsub = self._redis.pubsub()
            try:
                await self._listen(pubsub)
            except Exception as error:  # the connection is lost: another one is made
                if _forbidden(error) and not self._refused:
                    self._refused = True
                    log.warning("the store does not permit channels (SUBSCRIBE, UNSUBSCRIBE, PING): readers look at intervals")
            finally:
                self._pubsub = None
                self._asked.clear()
                self._there.clear()
                with contextlib.suppress(Exception):
                    await pubsub.aclose()
            await asyncio.sleep(_LONGEST * random.uniform(0.2, 1) * (10 if self._refused else 1))  # noqa: S311

    async def _listen(self, pubsub: Any) -> None:
        async with asyncio.timeout(_ANSWERS):
            await pubsub.subscribe(self._control)
        self._pubsub = pubsub
        self._ask()
        silent = 0
        while not self._closed:
            message = await pubsub.get_message(timeout=self._beat)
            if message is None:
                silent += 1
                if silent > 2:
                    raise ConnectionError("the server answered no ping on the subscription")
                await pubsub.ping()
                continue
            silent = 0
            kind, channel = message["type"], message["channel"]
            if kind == "subscribe":
                if channel in self._asked:
                    self._there.add(channel)
                self.notify(channel)
            elif kind == "message" and channel == self._control:
                self._on_stop(message["data"])
            elif kind == "message":
                self.notify(channel, _id(message["data"]))

    def let_go(self) -> None:
        """End the waiting of all followers."""
        for followers in self._followers.values():
            for follower in followers:
                follower.go()

    async def aclose(self) -> None:
        """End the subscriptions."""
        self._closed = True
        for task in (self._asking, self._task):
            if task is not None:
                await _end(task)


def _id(said: str) -> str:
    """Return the id that a message has. Anyone may send messages: a message without an id says that there may be something."""
    try:
        cursor(said)
    except ValueError:
        return ""
    return said


async def _end(task: asyncio.Task[None]) -> None:
    """Cancel a task until it ends: the client may mistake a cancellation for a lost connection, and go on."""
    while not task.done():
        task.cancel()
        await asyncio.wait([task], timeout=0.1)
