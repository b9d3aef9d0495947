"""The connections of a process to Redis or Valkey: scripts that are sent together, and channels that are subscribed to.

    callers -> Line -> one pipeline after the other -> server         server -> channels -> Channels -> followers

Rule 1: a script may arrive twice, and an answer may be lost; every script is written for that.
Rule 2: no command is cancelled. A caller that has waited long enough gets StoreAway; the answer to what was sent is awaited.
Rule 3: a call that the server refuses, for whatever reason, is repeated, since it may be allowed later; no other call waits
for it.
Rule 4: a client matches answers to calls by their order. Each answer repeats the number of its call. Where it does not, or has
not the form that its script gives, the connection is out of step: all that came with it is discarded, and the calls are sent
again over another connection.
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

from .store import SHOWN, StoreAway, WrongKind, owns

if TYPE_CHECKING:
    from redis.asyncio import Redis, RedisCluster

log: Final = logging.getLogger("stream_guard")

BATCH: Final = 256
"""The most calls in one pipeline."""

TICK: Final = 0.25
"""Seconds between two checks for calls that have waited long enough."""

_LONGEST: Final = 0.5
"""The longest pause between two tries, in seconds."""

_ANSWERS: Final = 5.0
"""Seconds that a server may take for one answer before another connection is used."""

_CONNECTIONS: Final = 3
"""The connections that a process needs: one that writes, one that reads, one that subscribes."""

_REASON: Final = re.compile(r"(?:Error running script .*?: ?-?)?([A-Z]{2,20})\b")
"""The first word of a server's error, which is its code. Redis 6 puts the place in front of it."""


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
        """Return whether an answer can be one of this script."""
        if not isinstance(answer, list):
            return answer is None or isinstance(answer, str)
        groups = (len(answer) - len(self._answers)) // len(self._more) if self._more else 0
        types = self._answers + self._more * groups
        return bool(types) and len(answer) == len(types) and all(map(isinstance, answer, types))


def connected(client: str | Redis | RedisCluster, prefix: str) -> Any:
    """Return a suitable client. Raises TypeError or ValueError for one that is not suitable, with the reason."""
    from redis.asyncio import BlockingConnectionPool, Redis, RedisCluster  # deferred: an extra
    from redis.asyncio.retry import Retry
    from redis.backoff import NoBackoff

    if not isinstance(prefix, str):
        raise TypeError(f"prefix is a str, not {type(prefix).__name__}")
    if prefix and not owns(prefix):
        raise ValueError(f"prefix cannot be {prefix[:SHOWN]!r}: give a text without control characters")
    if isinstance(client, str):
        settings: dict[str, Any] = {"max_connections": 8, "timeout": None, "decode_responses": True}
        settings |= {"socket_timeout": _ANSWERS, "socket_connect_timeout": _ANSWERS, "retry": Retry(NoBackoff(), 0)}
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
        raise ValueError(f"encoding cannot be {encoder.encoding!r}: leave it out, for UTF-8")


def _enough(connections: int) -> None:
    if connections < _CONNECTIONS:
        raise ValueError(
            f"this client has {connections} connections at most, and RedisStore needs {_CONNECTIONS}: "
            f"one that writes, one that reads, one that subscribes; give it max_connections={_CONNECTIONS} or more"
        )


class _OutOfStep(ConnectionError):
    """Raised when an answer is not that of its call."""


class _WrongType(Exception):
    """Raised when a script found a value of another type under a key."""


_PROCESS: Final = token_hex(8)
_NUMBERS: Final = count()


def _number() -> str:
    """Return a number for a call that no other call has, in any process."""
    return f"{_PROCESS}{next(_NUMBERS)}"


class Answer(asyncio.Future[Any]):
    """The answer of a script, awaited."""

    sent = 0
    """How often the script was sent and may have run: more than once when an answer was lost."""


@dataclass(slots=True)
class _Call:
    script: Script
    keys: Sequence[str]
    arguments: Sequence[Any]
    answer: Answer
    until: float
    whole: bool = False
    """Whether the script's text is sent, since the server does not know its name."""

    refused: int = 0
    """How often the server answered it with an error."""

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


class Line:
    """Sends scripts in batches: while one batch is sent, the next one is collected. What could not be sent is sent again.

    While the server cannot be reached, all calls wait. A call that it refuses waits apart, and is sent again after a pause.

    Args:
        redis: The client.
        retry: For how many seconds a call is sent again.
        beat: Seconds between two heartbeats of a producer. No pause is longer, so that none is late.
    """

    def __init__(self, redis: Any, retry: float, beat: float) -> None:
        self._redis = redis
        self._retry = retry
        self._longest = min(_LONGEST, beat)
        self._waiting: Final[deque[_Call]] = deque()
        self._sent: list[_Call] = []
        self._aside: list[_Call] = []
        self._task: asyncio.Task[None] | None = None
        self._ticking = False
        self._away = ""  # why nothing arrives
        self._reasons: Final[set[str]] = set()  # of refusals, that were logged
        self._closed = False

    def call(self, script: Script, keys: Sequence[str], arguments: Sequence[Any], within: float | None = None) -> Answer:
        """Return the script's answer, to be awaited. Raises StoreAway when none comes in time, WrongKind for a foreign key."""
        loop = asyncio.get_running_loop()
        answer = Answer(loop=loop)
        until = loop.time() + (self._retry if within is None else min(within, self._retry))
        self._waiting.append(_Call(script, keys, arguments, answer, until))
        self._begin()
        if not self._ticking:
            self._ticking = True
            loop.call_later(TICK, self._tick)
        return answer

    def _begin(self) -> None:
        if not self._closed and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self._send())

    def _tick(self) -> None:
        """Fail the calls that have waited long enough."""
        loop = asyncio.get_running_loop()
        now, left = loop.time(), 0
        for call in (*self._sent, *self._waiting, *self._aside):
            if not call.answer.done():
                if call.until <= now:
                    why = "refuses" if call.refused else f"does not answer ({self._away or 'no answer'})"
                    call.answer.set_exception(StoreAway(f"the store {why}"))
                else:
                    left += 1
        self._ticking = left > 0
        if left:
            loop.call_later(TICK, self._tick)

    async def _send(self) -> None:
        tries = 0
        while self._waiting and not self._closed:
            batch = self._sent = [call for call in self._next() if not call.answer.done()]
            answers = await self._together(batch)
            if len(batch) > 1 and any(isinstance(answer, Exception) and _unsendable(answer) for answer in answers):
                # One that cannot be sent at all must not keep the others from it.
                answers = [(await self._together([call]))[0] for call in batch]
            again = [
                call
                for call, answer in zip(batch, answers, strict=True)
                if not call.answer.done() and self._finish(call, answer)
            ]
            self._sent = []
            self._waiting.extendleft(reversed(again))
            away = next((answer for answer in answers if isinstance(answer, Exception) and _lost(answer)), None)
            if away is None:
                tries, self._away = 0, ""
                continue
            if not self._away:
                log.warning("the store cannot be reached (%s): commands are sent again", type(away).__name__)
            self._away = type(away).__name__
            await self._leave()
            await asyncio.sleep(self._pause(tries))
            tries += 1

    def _finish(self, call: _Call, answer: Any) -> bool:
        """Hand a command its answer, or queue it for a later try; return whether it must be in the next batch."""
        if not isinstance(answer, Exception):
            if call.refused:
                self._reasons.clear()
            call.answer.set_result(answer)
        elif isinstance(answer, _WrongType):
            call.answer.set_exception(
                WrongKind("a key of this store holds a value of another type: give the store a prefix of its own")
            )
        elif _unsendable(answer):
            call.answer.set_exception(answer)
        elif _lost(answer):
            return True
        elif _unknown(answer):
            call.whole = True
            call.answer.sent -= 1
            return True
        elif _elsewhere(answer):
            call.answer.set_exception(RuntimeError(_CLUSTER))
        else:
            self._set_aside(call, _reason(answer))
        return False

    def _set_aside(self, call: _Call, reason: str) -> None:
        """Send a call that was refused again after a pause."""
        call.answer.sent -= 1
        if reason not in self._reasons:
            self._reasons.add(reason)
            log.warning("the store refuses a command (%s): it is sent again", reason)
        if not self._aside:
            asyncio.get_running_loop().call_later(self._pause(call.refused), self._back)
        call.refused += 1
        self._aside.append(call)

    def _pause(self, tries: int) -> float:
        return min(self._longest, 0.02 * 2.0 ** min(tries, 8)) * random.uniform(0.5, 1)  # noqa: S311

    def _back(self) -> None:
        self._waiting.extend(self._aside)
        self._aside = []
        if self._waiting:
            self._begin()

    async def _together(self, batch: list[_Call]) -> list[Any]:
        try:
            together = self._redis.pipeline(transaction=False)
            for call in batch:
                call.put(together)
            answers = await together.execute(raise_on_error=False)
        except Exception as error:
            return [error] * len(batch)
        found = [call.read(answered) for call, answered in zip(batch, answers, strict=True)]
        astray = next((answer for answer in found if isinstance(answer, _OutOfStep)), None)
        if astray is not None:  # then an error among them may be of another call too
            return [astray if isinstance(answer, Exception) else answer for answer in found]
        return found

    def _next(self) -> list[_Call]:
        return [self._waiting.popleft() for _ in range(min(BATCH, len(self._waiting)))]

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
        """Wait a second for what was sent, then fail all other calls."""
        if self._task is not None:
            await asyncio.wait([self._task], timeout=1)
            self._closed = True
            await _end(self._task)
        for call in (*self._sent, *self._waiting, *self._aside):
            if not call.answer.done():
                call.answer.set_exception(StoreAway("the store was closed"))


_CLUSTER: Final = 'this server is one of a cluster: give RedisStore a RedisCluster, and prefix="{stream-guard}:"'


def _answered(error: Exception) -> bool:
    """Return whether an error is a server's answer."""
    from redis.exceptions import ResponseError

    return isinstance(error, ResponseError)


def _forbidden(error: Exception) -> bool:
    """Return whether an error means that the user lacks a permission."""
    from redis.exceptions import NoPermissionError

    return isinstance(error, NoPermissionError)


def _unknown(error: Exception) -> bool:
    from redis.exceptions import NoScriptError

    return isinstance(error, NoScriptError)


def _unsendable(error: Exception) -> bool:
    """Return whether an error means that the call cannot be written as a command."""
    from redis.exceptions import DataError

    return isinstance(error, (DataError, UnicodeEncodeError))


def _lost(error: Exception) -> bool:
    """Return whether an error means that the right server was not reached: no answer that can be read, or not from a master."""
    from redis import exceptions as known

    if not _answered(error):
        return not isinstance(error, _WrongType) and not _unsendable(error)
    not_yet = (known.ReadOnlyError, known.ClusterError, known.TryAgainError)
    return isinstance(error, not_yet) or _reason(error) == "READONLY"


def _elsewhere(error: Exception) -> bool:
    return _reason(error) in ("MOVED", "CROSSSLOT") or type(error).__name__ in ("MovedError", "ClusterCrossSlotError")


def _reason(error: Exception) -> str:
    """Return the code of a server's error. The rest of its message may contain names."""
    found = _REASON.match(str(error))
    return found[1] if found else type(error).__name__


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
        """Wait until there may be an entry behind an id; returns False when the seconds are over first."""
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
    """Return whether an id is new: behind the known one, or of another generation."""
    if not last or last == known:
        return False
    number, _, generation = last.partition("-")
    at, _, of = known.partition("-")
    return generation != of or int(number) > int(at)


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
                    log.warning("the store does not permit SUBSCRIBE: readers look at intervals")
            finally:
                self._pubsub = None
                self._asked.clear()
                self._there.clear()
                with contextlib.suppress(Exception):
                    await pubsub.aclose()
            await asyncio.sleep(_LONGEST * random.uniform(0.2, 1) * (10 if self._refused else 1))  # noqa: S311

    async def _listen(self, pubsub: Any) -> None:
        await pubsub.subscribe(self._control)
        self._pubsub = pubsub
        self._ask()
        silent = 0
        while not self._closed:
            message = await pubsub.get_message(timeout=self._beat)
            if message is None:
                silent += 1
                if silent > 2:
                    raise ConnectionError("the connection is silent")
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
                self.notify(channel, message["data"])

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


async def _end(task: asyncio.Task[None]) -> None:
    """Cancel a task until it ends: the client may take a cancellation for a lost connection and go on."""
    while not task.done():
        task.cancel()
        await asyncio.wait([task], timeout=0.1)
