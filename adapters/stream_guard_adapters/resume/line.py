"""How a process speaks with Redis or Valkey: scripts that go out together, and channels that are listened to.

    callers -> Line -> one pipeline after the other -> server         server -> channels -> News -> followers

Rule 1: what is sent may arrive twice, and an answer may be lost; whatever is called here bears that.
Rule 2: no command is cancelled. Who has waited long enough is told StoreAway; what was sent is seen to its end.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import deque
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from hashlib import sha1
from typing import TYPE_CHECKING, Any, Final

from .store import StoreAway

if TYPE_CHECKING:
    from redis.asyncio import Redis, RedisCluster

BATCH: Final = 256
"""How many calls are sent together at most."""

TICK: Final = 0.25
"""How often it is looked whether somebody has waited long enough, in seconds."""

_LONGEST: Final = 0.5
"""The longest pause between two tries, in seconds; well below a lease, so that a producer is heard in time."""

_ANSWERS: Final = 5.0
"""How long a server may take for one answer, in seconds, before it is asked over another connection."""

_PASSING: Final = ("LOADING", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "NOREPLICAS", "MISCONF", "OOM", "BUSY ")
"""How errors begin that pass: a server that starts, is a replica now, has lost its others, or is full."""


@dataclass(frozen=True, slots=True)
class Script:
    """What is run on the server."""

    text: str

    @property
    def name(self) -> str:
        """What the server calls it."""
        return sha1(self.text.encode(), usedforsecurity=False).hexdigest()


def connected(client: str | Redis | RedisCluster, prefix: str) -> Any:
    """A client that will do. Raises TypeError and ValueError for one that will not."""
    from redis.asyncio import BlockingConnectionPool, Redis, RedisCluster  # deferred: an extra
    from redis.asyncio.retry import Retry
    from redis.backoff import NoBackoff

    if isinstance(client, str):
        settings: dict[str, Any] = {"max_connections": 8, "timeout": None, "decode_responses": True}
        settings |= {"socket_timeout": _ANSWERS, "socket_connect_timeout": _ANSWERS, "retry": Retry(NoBackoff(), 0)}
        return Redis.from_pool(BlockingConnectionPool.from_url(client, **settings))
    if not isinstance(client, Redis | RedisCluster):
        raise TypeError(f"RedisStore takes an address or a client of redis.asyncio, not {type(client).__name__}")
    encoder: Any = client.get_encoder()
    if not encoder.decode_responses:
        raise ValueError("this client answers with bytes: make it with decode_responses=True")
    if isinstance(client, RedisCluster):
        tag = prefix.partition("{")[2].partition("}")
        if not (tag[0] and tag[1]):
            raise ValueError('in a cluster all keys must be in one place: give a prefix with braces, prefix="{stream-guard}:"')
    return client


@dataclass(slots=True)
class _Call:
    script: Script
    keys: Sequence[str]
    arguments: Sequence[Any]
    answer: asyncio.Future[Any]
    until: float
    whole: bool = False
    """Whether the script's text is sent, since the server does not know its name."""

    def put(self, pipeline: Any) -> None:
        """Into a pipeline."""
        what = ("EVAL", self.script.text) if self.whole else ("EVALSHA", self.script.name)
        pipeline.execute_command(*what, len(self.keys), *self.keys, *self.arguments)


class Line:
    """Sends scripts: while one batch is on its way, the next one gathers. What could not be sent is sent again.

    Args:
        redis: The client.
        retry: For how many seconds.
    """

    def __init__(self, redis: Any, retry: float) -> None:
        self._redis = redis
        self._retry = retry
        self._waiting: Final[deque[_Call]] = deque()
        self._sent: list[_Call] = []
        self._task: asyncio.Task[None] | None = None
        self._ticking = False
        self._why = ""
        self._closed = False

    def call(
        self, script: Script, keys: Sequence[str], arguments: Sequence[Any], within: float | None = None
    ) -> asyncio.Future[Any]:
        """The script's answer. Raises StoreAway when there was none in time."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Any] = loop.create_future()
        until = loop.time() + (self._retry if within is None else min(within, self._retry))
        self._waiting.append(_Call(script, keys, arguments, answer, until))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._send())
        if not self._ticking:
            self._ticking = True
            loop.call_later(TICK, self._tick)
        return answer

    def _tick(self) -> None:
        """Tell those who have waited long enough."""
        loop = asyncio.get_running_loop()
        now, left = loop.time(), 0
        for call in (*self._sent, *self._waiting):
            if not call.answer.done():
                if call.until <= now:
                    call.answer.set_exception(StoreAway(f"the store does not answer ({self._why or 'no answer'})"))
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
            if len(batch) > 1 and any(isinstance(told, Exception) and not _again(told) for told in answers):
                # One that cannot be sent at all must not keep the others from it.
                answers = [(await self._together([call]))[0] for call in batch]
            again = []
            for call, told in zip(batch, answers, strict=True):
                if call.answer.done():
                    continue
                if not isinstance(told, Exception):
                    call.answer.set_result(told)
                elif _again(told):
                    call.whole = call.whole or _unknown(told)
                    again.append(call)
                else:
                    call.answer.set_exception(_explained(told))
            self._sent = []
            self._waiting.extendleft(reversed(again))
            away = next((told for told in answers if isinstance(told, Exception) and _passes(told)), None)
            if away is None:
                tries = 0
                continue
            self._why = type(away).__name__
            await self._leave()
            await asyncio.sleep(min(_LONGEST, 0.02 * 2 ** min(tries, 8)) * random.uniform(0.5, 1))  # noqa: S311
            tries += 1

    async def _together(self, batch: list[_Call]) -> list[Any]:
        try:
            together = self._redis.pipeline(transaction=False)
            for call in batch:
                call.put(together)
            answers: list[Any] = await together.execute(raise_on_error=False)
            return answers
        except Exception as error:
            return [error] * len(batch)

    def _next(self) -> list[_Call]:
        return [self._waiting.popleft() for _ in range(min(BATCH, len(self._waiting)))]

    async def _leave(self) -> None:
        """Let go of idle connections: behind the same address there may be another server now."""
        pool = getattr(self._redis, "connection_pool", None)
        if pool is not None:
            with contextlib.suppress(Exception):
                await pool.disconnect(inuse_connections=False)

    async def aclose(self) -> None:
        """Let what is on its way arrive, or not."""
        if self._task is not None:
            await asyncio.wait([self._task], timeout=1)
            self._closed = True
            await _end(self._task)
        for call in (*self._sent, *self._waiting):
            if not call.answer.done():
                call.answer.set_exception(StoreAway("the store was closed"))


def _again(error: Exception) -> bool:
    """Whether it is worth sending again."""
    return _unknown(error) or _passes(error)


def _unknown(error: Exception) -> bool:
    from redis.exceptions import NoScriptError

    return isinstance(error, NoScriptError)


def _passes(error: Exception) -> bool:
    """Whether the same may go well later."""
    from redis import exceptions as known

    lost = (OSError, TimeoutError, known.ConnectionError, known.TimeoutError, known.ReadOnlyError, known.ClusterError)
    passing = (*lost, known.ClusterDownError, known.MasterDownError, known.TryAgainError, known.OutOfMemoryError)
    return isinstance(error, passing) or str(error).startswith(_PASSING)


def _explained(error: Exception) -> Exception:
    if str(error).startswith(("MOVED", "CROSSSLOT")) or type(error).__name__ in ("MovedError", "ClusterCrossSlotError"):
        return RuntimeError('this server is one of a cluster: give RedisStore a RedisCluster, and prefix="{stream-guard}:"')
    return error


class Follower:
    """Waits for news of one stream."""

    def __init__(self) -> None:
        self.over = False
        """Whether it is to go."""

        self._last = ""
        self._poked = False
        self._waits: asyncio.Future[None] | None = None

    def tell(self, id: str) -> None:
        """There is an entry of this id; or, without one, there may be something."""
        if id:
            self._last = id
        else:
            self._poked = True
        if self._waits is not None and not self._waits.done():
            self._waits.set_result(None)

    def go(self) -> None:
        """Wait no more."""
        self.over = True
        self.tell("")

    async def behind(self, id: str, seconds: float) -> bool:
        """Whether there is something behind an id; waits for it so long."""
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


def _newer(told: str, known: str) -> bool:
    """Whether what was told is not known: behind it, or of another writing."""
    if not told or told == known:
        return False
    number, _, generation = told.partition("-")
    at, _, of = known.partition("-")
    return generation != of or int(number) > int(at)


class News:
    """Listens for what is told of all the streams that are followed in this process, over one connection.

    What is told may get lost: who follows looks for itself once in a while, and whenever the connection is new.

    Args:
        redis: The client.
        control: The channel on which streams are told to stop.
        beat: How long the connection may be silent before it is asked whether it is there, in seconds.
        on_stop: Called with the name of a stream that is to stop.
    """

    def __init__(self, redis: Any, control: str, beat: float, on_stop: Callable[[str], None]) -> None:
        self._redis = redis
        self._control = control
        self._beat = beat
        self._on_stop = on_stop
        self._followers: Final[dict[str, set[Follower]]] = {}
        self._own: Final[set[str]] = set()  # channels of what is written here: nobody need be asked about them
        self._asked: Final[set[str]] = set()  # channels that were asked for on this connection
        self._there: Final[set[str]] = set()  # and those of them that it has
        self._pubsub: Any = None
        self._task: asyncio.Task[None] | None = None
        self._asking: asyncio.Task[None] | None = None
        self._closed = False

    def begin(self) -> None:
        """Listen."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._listen())

    def own(self, channel: str) -> None:
        """What is told on a channel is told here from now on, with `tell`."""
        self._own.add(channel)
        self.begin()

    def disown(self, channel: str) -> None:
        """It is no more."""
        self._own.discard(channel)
        self.tell(channel)
        self._ask()

    @contextlib.contextmanager
    def of(self, channel: str) -> Generator[Follower, None, None]:
        """Follow a channel."""
        follower = Follower()
        self._followers.setdefault(channel, set()).add(follower)
        if channel in self._there or channel in self._own:
            follower.tell("")  # something may have come since it was looked
        self.begin()
        self._ask()
        try:
            yield follower
        finally:
            self._followers[channel].discard(follower)
            if not self._followers[channel]:
                del self._followers[channel]
                self._ask()

    def tell(self, channel: str, id: str = "") -> None:
        """Tell those who follow a channel."""
        for follower in self._followers.get(channel, ()):
            follower.tell(id)

    def _ask(self) -> None:
        if self._pubsub is not None and (self._asking is None or self._asking.done()):
            self._asking = asyncio.create_task(self._ask_for(self._pubsub))

    async def _ask_for(self, pubsub: Any) -> None:
        """Subscribe to what is followed, and to nothing else."""
        with contextlib.suppress(Exception):  # then the connection is lost, and whoever listens to it makes another
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

    async def _listen(self) -> None:
        while not self._closed:
            pubsub = self._redis.pubsub()
            try:
                await self._hear(pubsub)
            except Exception:  # noqa: S110  # the connection is lost: another one is made
                pass
            finally:
                self._pubsub = None
                self._asked.clear()
                self._there.clear()
                with contextlib.suppress(Exception):
                    await pubsub.aclose()
            await asyncio.sleep(_LONGEST * random.uniform(0.2, 1))  # noqa: S311

    async def _hear(self, pubsub: Any) -> None:
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
                self.tell(channel)
            elif kind == "message" and channel == self._control:
                self._on_stop(message["data"])
            elif kind == "message":
                self.tell(channel, message["data"])

    def let_go(self) -> None:
        """Tell everybody who waits to go."""
        for followers in self._followers.values():
            for follower in followers:
                follower.go()

    async def aclose(self) -> None:
        """Listen no more."""
        self._closed = True
        for task in (self._asking, self._task):
            if task is not None:
                await _end(task)


async def _end(task: asyncio.Task[None]) -> None:
    """End a task that uses a client, which may take a cancellation for a lost connection and go on."""
    while not task.done():
        task.cancel()
        await asyncio.wait([task], timeout=0.1)
