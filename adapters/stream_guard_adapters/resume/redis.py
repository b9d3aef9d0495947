"""A store in Redis or Valkey, for several workers and machines: one Redis stream for each stream of events.

    {prefix}stream:{stream}    the entries; the last one says how it ended
    {prefix}meta:{stream}      owner, state, holder (who may write), how many there ever were, whether a stop was asked for
    {prefix}lease:{stream}     there for as long as the holder is heard of; then another may take its place
    {prefix}control            what every worker hears: stops, and that somebody began to follow another stream

What must happen together happens in a script on the server. One connection of a worker waits for the news of all the streams
that are followed in it, and what all its producers write goes out together: two thousand streams are two busy connections.

Rule 1: a producer whose place was taken cannot write; the script looks before it adds. One that was only slow can.
Rule 2: no command is cancelled. A client that is cancelled while it connects takes it for a lost connection, and goes on.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Generator, Sequence
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final, cast

from stream_guard.wire import SseFields

from .store import (
    START,
    Cursor,
    Ending,
    Entry,
    Forgotten,
    Lease,
    LeaseLost,
    ProducerGone,
    State,
    StreamStatus,
    UnknownStream,
    cursor,
)

if TYPE_CHECKING:
    from redis.asyncio import Redis

_ACQUIRE: Final = """
local state, owner = redis.call('HGET', KEYS[2], 'state'), redis.call('HGET', KEYS[2], 'owner')
if (state and state ~= 'running') or (owner and owner ~= ARGV[1]) then return -1 end
if not redis.call('SET', KEYS[3], ARGV[2], 'NX', 'PX', ARGV[3]) then return -1 end
redis.call('HSET', KEYS[2], 'owner', ARGV[1], 'state', 'running', 'holder', ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[4])
return tonumber(redis.call('HGET', KEYS[2], 'length') or 0)
"""

# A command that was sent again, since its answer was lost, finds what it has added, and adds it no second time.
_APPEND: Final = """
if redis.call('HGET', KEYS[2], 'holder') ~= ARGV[1] then return false end
redis.call('SET', KEYS[3], ARGV[1], 'PX', ARGV[2])
local count, ids = (#ARGV - 5) / 2, {}
if tonumber(redis.call('HGET', KEYS[2], 'length') or 0) > tonumber(ARGV[5]) then
  local added = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', count)
  for at = #added, 1, -1 do ids[#ids + 1] = added[at][1] end
else
  for at = 6, #ARGV, 2 do
    ids[#ids + 1] = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[4], '*', 'event', ARGV[at], 'data', ARGV[at + 1])
  end
  redis.call('HINCRBY', KEYS[2], 'length', count)
end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
ids[#ids + 1] = redis.call('HGET', KEYS[2], 'stop') or ''
return ids
"""

_FINALIZE: Final = """
if redis.call('HGET', KEYS[2], 'holder') ~= ARGV[1] then return false end
local ids = {}
for at = 4, #ARGV, 2 do
  ids[#ids + 1] = redis.call('XADD', KEYS[1], '*', 'event', ARGV[at], 'data', ARGV[at + 1])
end
redis.call('XADD', KEYS[1], '*', 'ending', ARGV[2])
redis.call('HINCRBY', KEYS[2], 'length', #ids)
redis.call('HSET', KEYS[2], 'state', ARGV[2], 'holder', '')
redis.call('DEL', KEYS[3])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return ids
"""

BATCH: Final = 256
"""How many producers' writes are sent together at most."""

_Raw = tuple[str, dict[str, str]]
_Queue = asyncio.Queue[list[_Raw] | None]
"""What comes on a stream; None for one who is to go."""


class RedisStore:
    """Streams in Redis (6.2 or later) or Valkey. Not for a Redis cluster: one command waits for the streams of many keys.

    Args:
        client: Its address (`redis://...`, `unix://...`), or a `redis.asyncio.Redis` that decodes its responses.
        ttl: How long a stream is kept after the last that was written to it, in seconds.
        maxlen: About how many events of a stream are kept.
        lease: After how many seconds without a word a producer counts as gone.
        prefix: What the names of all keys begin with.
    """

    def __init__(
        self,
        client: str | Redis,
        *,
        ttl: float = 3600,
        maxlen: int = 100_000,
        lease: float = 5.0,
        prefix: str = "stream-guard:",
    ) -> None:
        self._redis: Any = _connected(client) if isinstance(client, str) else client
        self._owned = isinstance(client, str)
        self._ttl = int(ttl * 1000)
        self._maxlen = maxlen
        self._lease = int(lease * 1000)
        self._prefix = prefix
        self.beat = lease / 3
        self._acquire: Any = self._redis.register_script(_ACQUIRE)
        self._writing = _Writing(self._redis)
        self._finalize: Any = self._redis.register_script(_FINALIZE)
        self._news = _News(self._redis, f"{prefix}control")

    async def acquire(self, stream: str, owner: str) -> Lease | None:
        """Become the producer of a stream."""
        token = token_hex(8)
        length = await asyncio.shield(self._acquire(keys=self._keys(stream), args=[owner, token, self._lease, self._ttl]))
        return Lease(stream, token, length) if length >= 0 else None

    async def append(self, lease: Lease, events: Sequence[SseFields]) -> list[Entry]:
        """Store events, in one step."""
        arguments = [lease.token, self._lease, self._ttl, self._maxlen, lease.length, *_fields(events)]
        answer = await asyncio.shield(self._writing.write(self._keys(lease.stream), arguments))
        if answer is None:
            raise LeaseLost(lease.stream)
        *ids, stop = answer
        if stop:
            self._news.heard_stop(self._keys(lease.stream)[0])
        lease.length += len(ids)
        return _added(ids, events)

    async def finalize(self, lease: Lease, ending: Ending, last: Sequence[SseFields] = ()) -> list[Entry]:
        """End the stream."""
        arguments = [lease.token, ending, self._ttl, *_fields(last)]
        ids = await asyncio.shield(self._finalize(keys=self._keys(lease.stream), args=arguments))
        if ids is None:
            raise LeaseLost(lease.stream)
        return _added(ids, last)

    async def read(self, stream: str, after: str = "") -> AsyncGenerator[list[Entry], None]:
        """The entries after that id, then those that come."""
        at = cursor(after)
        key = self._keys(stream)[0]
        with self._news.of(key) as news:
            await self._news.follow(key, await self._begun(stream, at))
            found: list[_Raw] = await asyncio.shield(self._redis.xrange(key, f"({after}" if after else "-"))
            while True:
                entries, ended = _entries(found, at)
                if entries:
                    at = cursor(entries[-1].id)
                    yield entries
                if ended:
                    return
                try:
                    async with asyncio.timeout(self.beat):
                        heard = await news.get()
                except TimeoutError:
                    heard = await self._missed(stream, at)
                if heard is None:
                    return
                found = heard

    async def _begun(self, stream: str, at: Cursor) -> str:
        """Where the stream is now, if all that comes after a place is still there."""
        key, meta, _ = self._keys(stream)
        asked = self._redis.pipeline(transaction=True)
        asked.hget(meta, "length")
        asked.xlen(key)
        asked.xrange(key, count=1)
        asked.xrevrange(key, count=1)
        asked.hget(meta, "state")
        length, there, first, last, state = await asyncio.shield(asked.execute())
        if state is None:
            raise UnknownStream(stream)
        there -= state != "running"  # the entry that says how it ended
        if there < int(length or 0) and (not first or at < cursor(first[0][0])):
            raise Forgotten(stream)
        return str(last[0][0]) if last else "0-0"

    async def _missed(self, stream: str, at: Cursor) -> list[_Raw]:
        """What has come and was not told, when nothing was told for a while. Raises ProducerGone when nobody writes."""
        key, meta, lease = self._keys(stream)
        asked = self._redis.pipeline(transaction=True)
        asked.xrange(key, f"({at[0]}-{at[1]}" if at > START else "-")
        asked.exists(lease)
        asked.hget(meta, "state")
        found, held, state = await asyncio.shield(asked.execute())
        if state is None:
            raise UnknownStream(stream)
        if not found and not held:
            raise ProducerGone(stream)
        return cast("list[_Raw]", found)

    def let_go(self) -> None:
        """End every read in this process where it is."""
        self._news.let_go()

    async def status(self, stream: str) -> StreamStatus | None:
        """What is known of a stream."""
        meta = await asyncio.shield(self._redis.hgetall(self._keys(stream)[1]))
        return StreamStatus(meta["owner"], cast("State", meta["state"]), int(meta.get("length", 0))) if meta else None

    async def stop(self, stream: str) -> None:
        """Ask the producer to stop, wherever it runs."""
        key, meta, _ = self._keys(stream)
        if await asyncio.shield(self._redis.exists(meta)):
            await asyncio.shield(self._redis.hset(meta, "stop", 1))
            await self._news.say("stop", key)

    async def stopped(self, lease: Lease) -> None:
        """Returns once the producer has been asked to stop."""
        key, meta, _ = self._keys(lease.stream)
        with self._news.stop_of(key) as asked:
            await self._news.follow()
            if not await asyncio.shield(self._redis.hexists(meta, "stop")):
                await asked.wait()  # what is said and not heard is told when the producer writes next

    async def delete(self, stream: str) -> None:
        """Forget a stream."""
        await asyncio.shield(self._redis.delete(*self._keys(stream)))

    async def aclose(self) -> None:
        """Let go of the connections."""
        await self._news.aclose()
        await self._writing.aclose()
        if self._owned:
            await self._redis.aclose()

    def _keys(self, stream: str) -> tuple[str, str, str]:
        return f"{self._prefix}stream:{stream}", f"{self._prefix}meta:{stream}", f"{self._prefix}lease:{stream}"


def _connected(url: str) -> Redis:
    from redis.asyncio import BlockingConnectionPool, Redis  # deferred: an extra

    pool = BlockingConnectionPool.from_url(url, max_connections=32, timeout=None, decode_responses=True)
    return Redis.from_pool(pool)


def _fields(events: Sequence[SseFields]) -> list[str]:
    return [field for event in events for field in (event["event"], event["data"])]


def _added(ids: Sequence[str], events: Sequence[SseFields]) -> list[Entry]:
    return [Entry(known, event["event"], event["data"]) for known, event in zip(ids, events, strict=True)]


def _entries(found: Sequence[_Raw], at: Cursor) -> tuple[list[Entry], bool]:
    """The entries behind a place, and whether the stream ends with them."""
    new = [(known, fields) for known, fields in found if cursor(known) > at]
    ended = bool(new) and "ending" in new[-1][1]
    return [Entry(known, fields["event"], fields["data"]) for known, fields in new if "ending" not in fields], ended


class _Writing:
    """What the producers of this process write, sent together: while one batch is on its way, the next one gathers."""

    def __init__(self, redis: Any) -> None:
        self._redis = redis
        self._script: Any = redis.register_script(_APPEND)
        self._waiting: list[tuple[Sequence[str], Sequence[Any], asyncio.Future[Any]]] = []
        self._task: asyncio.Task[None] | None = None

    def write(self, keys: Sequence[str], arguments: Sequence[Any]) -> asyncio.Future[Any]:
        """The answer of the script, once it has been sent."""
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append((keys, arguments, answer))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._send())
        return answer

    async def _send(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[:BATCH], self._waiting[BATCH:]
            try:
                together = self._redis.pipeline(transaction=False)
                for keys, arguments, _ in batch:
                    await self._script(keys=keys, args=arguments, client=together)
                answers = await together.execute(raise_on_error=False)
            except Exception as error:
                answers = [error] * len(batch)
            for (_, _, answer), told in zip(batch, answers, strict=True):
                if answer.cancelled():
                    continue
                if isinstance(told, Exception):
                    answer.set_exception(told)
                else:
                    answer.set_result(told)

    async def aclose(self) -> None:
        """Let what is on its way arrive."""
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)


class _News:
    """Waits for what comes on all the streams that are followed in this process, over one connection."""

    def __init__(self, redis: Any, control: str) -> None:
        self._redis = redis
        self._control = control
        self._readers: Final[dict[str, set[_Queue]]] = {}
        self._stops: Final[dict[str, asyncio.Event]] = {}
        self._at: Final[dict[str, str]] = {}
        self._task: asyncio.Task[None] | None = None
        self._closed = False

    @contextlib.contextmanager
    def of(self, key: str) -> Generator[_Queue, None, None]:
        """A queue of what comes on a stream."""
        queue: _Queue = asyncio.Queue()
        self._readers.setdefault(key, set()).add(queue)
        try:
            yield queue
        finally:
            self._readers[key].discard(queue)
            if not self._readers[key]:
                del self._readers[key]
                self._at.pop(key, None)

    @contextlib.contextmanager
    def stop_of(self, key: str) -> Generator[asyncio.Event, None, None]:
        """What is set when a stop is asked for."""
        try:
            yield self._stops.setdefault(key, asyncio.Event())
        finally:
            self._stops.pop(key, None)

    async def follow(self, key: str | None = None, after: str = "0-0") -> None:
        """Follow a stream, if it is not followed yet."""
        if self._task is None or self._task.done():
            last = await asyncio.shield(self._redis.xrevrange(self._control, count=1))
            self._at.setdefault(self._control, last[0][0] if last else "0-0")
            if self._task is None or self._task.done():  # another may have begun it meanwhile
                self._task = asyncio.create_task(self._wait())
        if key is not None and key not in self._at:
            self._at[key] = after
            await self.say("follow", key)

    def heard_stop(self, key: str) -> None:
        """A stop was asked for."""
        stop = self._stops.get(key)
        if stop is not None:
            stop.set()

    async def say(self, word: str, key: str) -> None:
        """Tell every worker something."""
        await asyncio.shield(self._redis.xadd(self._control, {word: key}, maxlen=1000, approximate=True))

    async def _wait(self) -> None:
        while not self._closed:
            try:
                answer = await self._redis.xread(dict(self._at), block=1000)
            except Exception:  # the connection is lost: readers look for themselves meanwhile, and hear when it is back
                await asyncio.sleep(0.2)
                continue
            for key, entries in answer.items() if isinstance(answer, dict) else answer or ():
                self._heard(key, entries)
            # What comes at once is heard at once. To ask costs in proportion to how many are followed.
            await asyncio.sleep(0.002 + 0.00001 * len(self._at))

    def _heard(self, key: str, entries: list[_Raw]) -> None:
        if key in self._at:
            self._at[key] = entries[-1][0]
        if key == self._control:
            for _, said in entries:
                self.heard_stop(said.get("stop", ""))
        for queue in self._readers.get(key, ()):
            queue.put_nowait(entries)

    def let_go(self) -> None:
        """Tell everybody who waits to go."""
        for queues in self._readers.values():
            for queue in queues:
                queue.put_nowait(None)

    async def aclose(self) -> None:
        """Hear no more."""
        self._closed = True
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
