"""A store in Redis or Valkey, for several workers and machines: one Redis stream for each stream of events.

    {prefix}stream:{stream}    the entries, under the ids that their readers know; the last one says how it ended
    {prefix}meta:{stream}      owner, state, holder (who may write), birth (who held it first, with a digest of that and the
                               owner), epoch (how many held it), length, beats (counts the heartbeats of the holder), gone (the
                               value of beats at which the holder was found to be gone), lease (the holder's, in milliseconds),
                               trimmed (how many of the first entries were removed by `maxlen`), stop (a stop was asked for),
                               lost (entries are gone), unarchived (the archive does not have the end yet), checked (written to
                               see whether the store accepts writes); kept longer than the entries, so that readers who come
                               late learn that they are gone
    {prefix}control:{db}       a channel: the names of streams that may have been asked to stop: channels are shared by all
                               databases of a server, and anybody may write to them: the producer then reads `stop`. The channel
                               of one stream has the name of the key of its entries, and carries the ids of new ones

All work is done by scripts on the server. One task sends all that is written in a process, in batches, and one all that is
read; readers at the same place share one reading, and what this process writes it does not read back. `redis_line.py` sends the
scripts, repeatedly while the store is away.

Rule 1: a script can be sent twice and takes effect once. Each knows what its first run would have written, and looks for that.
Rule 2: a producer writes after the last entry that it knows to be stored. The entries are counted before each write: if there
are fewer, the store has lost some, and the stream ends.
Rule 3: the server's clock is not used. A producer is gone when a worker with a reader of its stream saw no heartbeat for the
lease of that producer, while the store accepted writes. The store keeps that result until the next heartbeat.
Rule 4: PUBLISH may be forbidden. Entries are stored nevertheless, and followers also read at intervals.
Rule 5: a stream is damaged if its fields are not as these scripts write them. It is lost, and ends as interrupted. If its owner
cannot be verified, nobody gets its entries.
Rule 6: a stream that the store does not know may be one that it lost. Its producer ends it with its next heartbeat; a request
that names it waits for that, while the store accepts writes, before it is refused.
Rule 7: the server may refuse any command of a script, and does not undo those before it. So each kind of write is first done
where it changes nothing that is read (the heartbeat is one, and is kept when the rest is refused), and entries are read up to
`length` only, which is written after them.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from stream_guard.wire import SseFields

from .redis_line import LARGE, TICK, Answer, Channels, Line, NeverTaken, Script, connected, database, unsendable
from .store import (
    LEASES,
    PAGE,
    PAGE_BYTES,
    Deleted,
    Ending,
    EntriesLost,
    Entry,
    Forgotten,
    Lease,
    LeaseLost,
    NotTaken,
    ProducerGone,
    State,
    StoreAway,
    StreamStatus,
    UnknownStream,
    WrongKind,
    cursor,
    seconds,
    whole,
)

if TYPE_CHECKING:
    from redis.asyncio import Redis, RedisCluster

log: Final = logging.getLogger("stream_guard")

Found = TypeVar("Found")

BEATS: Final = 4
"""Heartbeats per lease. A reader checks as often, and once more: so a producer that is paused for less than its lease does not
count as gone."""

PAGES: Final = (1 << 14, PAGE_BYTES)
"""The bounds of the bytes that are read together. The number grows if the store answers soon, and shrinks if it takes long."""

LOWERED: Final = 60.0
"""Seconds for which pages stay smaller than one with which the connection was lost: the store may have a limit for answers."""

UNEVEN: Final = 3
"""How many times as long as the shortest an answer may take if all are late: then a link is slow, and the store is there."""

LOOKS: Final = 2
"""How often a stream that the store does not know is looked for again, within one and a half heartbeats."""

# The beginning of most scripts: the fields of the hash. `sure`: owner and birth belong together. `whole`: all fields are as
# these scripts write them; or else the stream is damaged.
_META: Final = (
    f"local SHORTEST, LONGEST = {int(LEASES[0] * 1000)}, {int(LEASES[1] * 1000)}"
    + """
local function number(text)
  return text and #text < 16 and (text == '0' or string.match(text, '^[1-9]%d*$')) and tonumber(text) or nil
end
local function born(token, owner) return token .. '.' .. redis.sha1hex(token .. ' ' .. owner) end
local STATES = {running = 1, done = 1, failed = 1, stopped = 1, interrupted = 1}
local fields = {'state', 'owner', 'holder', 'birth', 'epoch', 'length', 'beats', 'lease', 'trimmed',
  'stop', 'lost', 'unarchived', 'gone'}
local meta = {}
for at, value in ipairs(redis.call('HMGET', KEYS[2], unpack(fields))) do meta[fields[at]] = value end
local counted = meta.beats
meta.epoch, meta.length, meta.beats = number(meta.epoch), number(meta.length), number(counted)
meta.lease, meta.trimmed = number(meta.lease), number(meta.trimmed)
local there = meta.state or meta.owner or meta.birth
local sure = meta.owner and meta.birth and meta.birth == born(string.match(meta.birth, '^%w*'), meta.owner)
local timed = meta.lease and meta.lease >= SHORTEST and meta.lease <= LONGEST
local running, token = meta.state == 'running', string.rep('%x', 16)
local held = string.match(meta.holder or '', (running and '^' or '^ended ') .. token .. '$')
local whole = sure and STATES[meta.state] and held and meta.epoch and meta.length and meta.beats and timed
local function stored()  -- how many entries there are; -1 where the key holds something else
  local count = redis.pcall('XLEN', KEYS[1])
  if type(count) == 'number' then return count end
  if string.find(count.err, 'WRONGTYPE', 1, true) then return -1 end
  return redis.call('XLEN', KEYS[1])  -- it is refused
end
local function lacks(count)  -- whether entries were lost, or foreign ones added, if there are so many
  return count + (meta.trimmed or 0) ~= meta.length
end
local function damaged() return not whole or (running and lacks(stored())) end
local function beat() redis.call('HSET', KEYS[2], 'beats', (meta.beats or 0) + 1) end
local function unknown()  -- told only while writes are accepted: the producer of a stream that was lost can end it then
  redis.call('HSET', KEYS[2], 'checked', 1)
  redis.call('HDEL', KEYS[2], 'checked')
  return 'unknown'
end
"""
)

# Its first run, if it was sent twice, left the holder's token. A damaged stream is taken over to be ended: it is marked as
# lost. ARGV: owner, token, the beats of the producer that is gone or '', milliseconds that the stream is remembered, and
# milliseconds of the lease.
_ACQUIRE: Final = Script(
    _META
    + """
local over = whole and not running
local holder = (over and 'ended ' or '') .. ARGV[2]
if whole and meta.holder == holder then return {meta.epoch, meta.length, meta.birth, meta.state} end
local begins = not there or meta.state == 'deleted'
if not begins then
  if not sure or meta.owner ~= ARGV[1] or (over and not meta.unarchived) then return false end
  if ARGV[3] ~= (meta.beats and counted or '0') then return false end
  if not whole then
    local last = stored() > 0 and redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
    meta.state, meta.length = 'running', math.max(meta.length or 0, last and tonumber(string.match(last[1], '^%d+')) or 0)
  end
elseif ARGV[3] ~= '' then return false
else
  meta.state, meta.length, meta.birth = 'running', 0, born(ARGV[2], ARGV[1])
end
local epoch = (meta.epoch or 0) + 1
redis.call('HSET', KEYS[2], 'checked', 1)  -- Rule 7
if not over then redis.call('PEXPIRE', KEYS[2], ARGV[4]) end
if begins then
  redis.call('DEL', KEYS[1], KEYS[2])
  redis.call('HSET', KEYS[2], 'trimmed', 0)
elseif not whole then redis.call('HSET', KEYS[2], 'lost', 1)
end
redis.call('HSET', KEYS[2], 'owner', ARGV[1], 'state', meta.state, 'holder', holder, 'birth', meta.birth, 'epoch', epoch)
redis.call('HSET', KEYS[2], 'length', meta.length, 'lease', ARGV[5])
beat()
if not over then redis.call('PEXPIRE', KEYS[2], ARGV[4]) end
return {epoch, meta.length, meta.birth, meta.state}
""",
    (int, int, str, str),
)

# The beginning of both scripts that write: whether the lease still holds. ARGV: in one text (few arguments cost the client
# little) the token, birth, epoch, length, generation, milliseconds that entries are kept and that the stream is remembered, how
# many entries are kept, and milliseconds of the lease.
_HELD: Final = (
    _META
    + """
local known = {}
for word in string.gmatch(ARGV[1], '%S+') do known[#known + 1] = word end
local token, birth, epoch, length, generation = known[1], known[2], tonumber(known[3]), tonumber(known[4]), known[5]
if meta.state == 'deleted' or (sure and meta.birth ~= birth) then return 'deleted' end
local ended = whole and meta.holder == 'ended ' .. token
local lost = not whole or (running and meta.epoch < epoch)
if not lost and not ended and (not running or meta.holder ~= token) then return 'taken' end
if not lost then beat() end  -- needs no command that `_CHECK` does without: what is refused below ends no living producer
local entries = stored()
local foreign = entries < 0
if not lost and not ended then lost = meta.lost or lacks(entries) end
local function remember() redis.call('PEXPIRE', KEYS[2], known[7]) end
local function keep()
  if not foreign then redis.call('PEXPIRE', KEYS[1], known[6]) end
end
local function publish(id)
  local found = redis.pcall('PUBLISH', KEYS[1], id)
  return type(found) == 'table' and 'unpublished' or ''
end
local function add(...)  -- whether there was room: somebody else may have written after the place
  local added = redis.pcall('XADD', KEYS[1], ...)
  if type(added) == 'table' then
    if string.find(added.err, 'equal or smaller', 1, true) then return false end
    redis.call('XADD', KEYS[1], ...)
  end
  return true
end
local function clear()  -- delete the entries, unless `add`, which comes after this, would be refused
  add('NOMKSTREAM', '0-1', 'event', '')
  redis.call('DEL', KEYS[1])
end
"""
)

# ARGV further: events and data. Returns '1' if a stop was asked for, and 'unpublished' if PUBLISH is forbidden.
_APPEND: Final = Script(
    _HELD
    + """
if lost then return 'lost' end
local count = (#ARGV - 1) / 2
if ended then return count > 0 and 'taken' or '' end
remember()
local stop = meta.stop and '1' or ''
if meta.length ~= length then
  local last = (length + count) .. '-' .. generation
  local done = count > 0 and #redis.call('XRANGE', KEYS[1], last, last) == 1
  if not done and not (meta.length > length and count == 0) then return 'lost' end
  keep()
  return stop
end
for at = 1, count do
  local id = (length + at) .. '-' .. generation
  if not add('MAXLEN', '~', known[8], id, 'event', ARGV[2 * at], 'data', ARGV[1 + 2 * at]) then return 'lost' end
end
if count > 0 then redis.call('HSET', KEYS[2], 'length', length + count, 'trimmed', length + count - stored()) end
keep()
local published = count > 0 and publish((length + count) .. '-' .. generation) or ''
return stop .. published
"""
)

# ARGV further: owner, ending, '1' if there is an archive, event, data. A stream that has lost entries ends after all that were
# ever written, so that each reader gets its end. Entries are deleted if their owner cannot be verified; a value of another type
# under their key is not changed.
_FINALIZE: Final = Script(
    _HELD
    + """
beat()
remember()
if not ended then
  local beyond = not foreign and #redis.call('XRANGE', KEYS[1], (length + 1) .. '-0', '+', 'COUNT', 1) > 0
  lost = lost or foreign or beyond or meta.length ~= length
  if lost and ARGV[3] ~= 'interrupted' then return 'lost' end
  if not foreign and (beyond or not sure) then clear() end
  local function last() return add((length + 1) .. '-' .. generation, 'event', ARGV[5], 'data', ARGV[6], 'ending', ARGV[3]) end
  if not foreign and not last() then
    if ARGV[3] ~= 'interrupted' then return 'lost' end
    lost = true
    clear()
    last()
  end
  if lost then redis.call('HSET', KEYS[2], 'lost', 1) end
  redis.call('HSET', KEYS[2], 'owner', ARGV[2], 'state', ARGV[3], 'holder', 'ended ' .. token, 'birth', birth)
  redis.call('HSET', KEYS[2], 'epoch', epoch, 'length', length + 1, 'lease', known[9])
  if ARGV[4] ~= '' then redis.call('HSET', KEYS[2], 'unarchived', 1) end
end
keep()
return publish((length + 1) .. '-' .. generation)
"""
)

# Record that the archive has the end. ARGV: token.
_ARCHIVED: Final = Script("""
if redis.call('HGET', KEYS[2], 'holder') == 'ended ' .. ARGV[1] then redis.call('HDEL', KEYS[2], 'unarchived') end
return 'ok'
""")

# Returns the beats of the holder, its lease, 0 if that is damaged, and whether another producer can continue the stream. It
# writes too, since a living holder can do so only while the store accepts writes. ARGV: owner; '' to check the producer of a
# stream that runs, '1' to check also who should archive the end of one that has ended and has not expired, or end one that is
# damaged; and the beats of a producer that is gone, to record that, or ''.
_CHECK: Final = Script(
    _META
    + """
if not sure or meta.owner ~= ARGV[1] or meta.state == 'deleted' then return false end
local wanted, runs = whole and running, 1
if ARGV[2] == '1' then
  if damaged() or not running then runs = 0 end
  wanted = damaged() or running or (meta.unarchived and stored() ~= 0)
end
if not wanted then return false end
redis.call('HSET', KEYS[2], 'checked', 1)
if ARGV[3] == counted then redis.call('HSET', KEYS[2], 'gone', counted) end
return {meta.beats or 0, timed and meta.lease or 0, runs}
""",
    (int, int, int),
)

# ARGV: owner, number, id or '', how many entries, how many bytes, how many bytes one entry may have or ''; '1' to begin at the
# oldest entry if those after the place are gone. Returns a word, with 'large' the bytes of an entry that has more; or the
# producer's beats, whether there is more, whether the last entry is the end, whether the producer is gone, and of each entry
# id, event and data. A stream that has lost entries has an end for every reader, and a gap for none; a damaged one is lost.
_READ: Final = Script(
    _META
    + """
if not there or meta.state == 'deleted' or not sure or meta.owner ~= ARGV[1] then return unknown() end
if not whole then return 'lost' end
local number, length, lost = tonumber(ARGV[2]), meta.length, meta.lost and meta.state == 'interrupted'
local function place(id) return tonumber(string.match(id, '^%d+')) end
local function ending(entry) return entry[2][5] == 'ending' end
local function known(entry) return entry[2][1] == 'event' and entry[2][3] == 'data' end
local forgotten = damaged() and 'lost' or 'forgotten'
local elsewhere, missing = false, forgotten
local oldest = ARGV[7] ~= '' and forgotten ~= 'lost' and redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
if oldest and place(oldest[1]) > number then number = place(oldest[1]) - 1
elseif ARGV[3] ~= '' then
  local at = number <= length and redis.call('XRANGE', KEYS[1], ARGV[3], ARGV[3])[1]
  if at then
    if ending(at) then return 'over' end
    missing = 'lost'  -- `maxlen` removes nothing after an entry that is there
  elseif length == 0 then return 'lost'
  else
    local first = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
    if not first then return forgotten end
    if not lost and number < place(first[1]) then return forgotten end
    if not lost or number >= length then return 'lost' end
    elsewhere = true
  end
end
local found = redis.call('XRANGE', KEYS[1], (number + 1) .. '-0', length, 'COUNT', ARGV[4])
if #found == 0 then
  if number < length then return missing end
  if not running then return 'lost' end
end
local more, ended, bytes = #found == tonumber(ARGV[4]), false, 0
local page = {meta.beats, 0, 0, running and meta.gone == counted and 1 or 0}
for at, entry in ipairs(found) do
  if elsewhere or place(entry[1]) ~= number + at then
    entry = lost and redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
    if not entry or not ending(entry) then
      if at == 1 then return missing end
      more = true
      break
    end
  end
  if not known(entry) then
    if at == 1 then return 'lost' end
    more = true
    break
  end
  bytes = bytes + #entry[2][2] + #entry[2][4]
  if at == 1 and ARGV[6] ~= '' and bytes > tonumber(ARGV[6]) then return 'large ' .. bytes end
  if bytes > tonumber(ARGV[5]) and at > 1 then
    more = true
    break
  end
  page[#page + 1], page[#page + 2], page[#page + 3] = entry[1], entry[2][2], entry[2][4]
  if ending(entry) then
    ended, more = true, false
    break
  end
end
page[2], page[3] = more and 1 or 0, ended and 1 or 0
return page
""",
    (int, int, int, int),
    (str, str, str),
)

_STATUS: Final = Script(
    _META
    + """
if not whole or (meta.length > 0 and redis.call('EXISTS', KEYS[1]) == 0) then return false end
return {meta.owner, meta.state, meta.length}
""",
    (str, str, int),
)

_STOP: Final = Script(
    _META
    + """
if not sure or meta.owner ~= ARGV[1] then return unknown() end
if running or not whole then
  redis.call('HSET', KEYS[2], 'stop', 1)
  redis.pcall('PUBLISH', ARGV[3], ARGV[2])
end
return 'ok'
"""
)

# What stays tells a producer that still writes that the stream was deleted. ARGV: milliseconds that the stream is remembered.
_DELETE: Final = Script(
    _META
    + """
redis.call('DEL', KEYS[1])
if redis.call('EXISTS', KEYS[2]) == 1 then
  redis.call('HSET', KEYS[2], 'state', 'deleted', 'epoch', meta.epoch or 0)
  redis.call('PEXPIRE', KEYS[2], ARGV[1])
  redis.call('HDEL', KEYS[2], 'owner', 'birth', 'holder', 'length', 'lease', 'trimmed', 'stop', 'lost', 'unarchived', 'gone')
  redis.pcall('PUBLISH', KEYS[1], '')
end
return 'ok'
"""
)


@dataclass(frozen=True, slots=True)
class _Page:
    """The entries after a place."""

    beats: int
    """The heartbeats of the producer so far."""

    more: bool
    """Whether the store has more entries."""

    entries: list[Entry]
    ended: bool
    """Whether the last entry is the end."""

    gone: bool = False
    """Whether the producer was found to be gone."""


class _Shared:
    """One reading for several readers at the same place."""

    def __init__(self, answer: asyncio.Future[Any]) -> None:
        self.answer: Final = answer
        self._page: _Page | None = None

    async def page(self, stream: str) -> _Page | None:
        """Return the page; None after the end."""
        await asyncio.wait([self.answer])  # a reader that leaves meanwhile does not cancel it for the others
        try:
            answer = self.answer.result()
        except (WrongKind, NeverTaken) as error:  # NeverTaken: an entry is larger than what the store sends
            raise EntriesLost(stream) from error
        if isinstance(answer, str):
            if answer == "over":
                return None
            raise _REFUSED[answer](stream)
        if self._page is None:
            beats, more, over, gone, *found = answer
            entries = [Entry(*found[at : at + 3]) for at in range(0, len(found), 3)]
            self._page = _Page(beats, bool(more), entries, bool(over), bool(gone))
        return self._page


class _Own:
    """A stream that this process writes: its last entries, which need not be read from the store.

    Its readers may use it until they have read the end, also when another process has taken over the stream since: what it has
    was stored.
    """

    def __init__(self, lease: Lease, now: float) -> None:
        self.lease: Final = lease
        self.asked = False
        """Whether a message says that it should stop, and the store was not asked since that message."""

        self.asking: asyncio.Task[None] | None = None

        self.ended = False
        """Whether the last entry is the end."""

        self.heard: float = now
        """When the store last answered a write."""

        self._last: Final[deque[Entry]] = deque(maxlen=PAGE)
        self._length = lease.length
        self._size = 0

    def add(self, entries: Sequence[Entry]) -> None:
        """Keep entries that were stored."""
        self._length += len(entries)
        for entry in entries:
            if len(self._last) == PAGE:
                self._size -= len(self._last.popleft().data)
            self._last.append(entry)
            self._size += len(entry.data)
        while self._size > PAGE_BYTES and len(self._last) > 1:
            self._size -= len(self._last.popleft().data)

    def behind(self, after: str, alive: float) -> _Page | None:
        """Return the entries after an id; None where the store must be read.

        It must also be read if no entry follows and the store has answered no write since `alive`: then only the store knows
        whether the producer lives.
        """
        have, back = len(self._last), self._length - cursor(after)[0]
        known = self._last[-1 - back].id if 0 <= back < have else "" if back == have else None
        if known != after:
            return None
        if not back and self.heard < alive:
            return None
        return _Page(self._length, False, list(islice(self._last, have - back, None)), self.ended)


_Place = tuple[str, str, str, bool, float | None, "_Own | None"]
"""What readers have in common that share one reading: stream, owner, the id of their last entry, whether a gap may follow, how
long they wait, and the stream's producer, if that is in this process."""

_REFUSED: Final[dict[str, type[Exception]]] = {"unknown": UnknownStream, "forgotten": Forgotten, "lost": EntriesLost}


def _uneven(took: Sequence[float], beat: float) -> bool:
    """Return whether an answer was late by more than a slow link, on which all answers are late, explains."""
    return max(took) > max(beat, UNEVEN * min(took))


class RedisStore:
    """Streams in Redis (6.2 or later) or Valkey.

    Raises ValueError for a setting that cannot work.

    Args:
        client: Its URL (`redis://...`, `rediss://...`, `unix://...`); or a client of `redis.asyncio` that decodes its
            responses: a `Redis`, also one of a `Sentinel`'s `master_for`, or a `RedisCluster`.
        ttl: Seconds that a stream is kept after its last entry.
        tombstone: Seconds after that in which the store still knows that there was such a stream.
        maxlen: About how many events of a stream are kept.
        lease: Seconds without a heartbeat after which a producer of this process counts as gone, for all readers. Seconds in
            which the store did not answer or refused to write are not counted.
        retry: Seconds for which writes of producers and reads of running streams are repeated while the store is away or
            refuses.
        wait: The same for requests that begin, open or stop a stream.
        prefix: The beginning of all keys. For a cluster it needs a part in braces, so that all keys are in one hash slot.
    """

    def __init__(
        self,
        client: str | Redis | RedisCluster,
        *,
        ttl: float = 3600,
        tombstone: float = 86_400,
        maxlen: int = 100_000,
        lease: float = 5.0,
        retry: float = 30.0,
        wait: float = 5.0,
        prefix: str = "stream-guard:",
    ) -> None:
        self.ttl = seconds("ttl", ttl)
        self._kept = int(ttl * 1000)
        self._lease = int(seconds("lease", lease, *LEASES) * 1000)
        self._kept_running = max(self._kept, 2 * self._lease)  # longer than its producer may be silent
        self._remembered = int(seconds("tombstone", tombstone, 0) * 1000)
        self._maxlen = whole("maxlen", maxlen)
        self.retry = seconds("retry", retry)
        self._wait = seconds("wait", wait)
        self._redis: Any = connected(client, prefix)
        self._owned = isinstance(client, str)
        self._prefix = prefix
        self.beat = lease / BEATS
        self._writing: Final = Line(self._redis, retry, self.beat, timed=self._owned)
        self._reading: Final = Line(self._redis, retry, self.beat, timed=self._owned)
        self._page_bytes = LARGE
        self._most_bytes, self._lowered = PAGES[1], 0.0  # the bound of pages, and since when it is lower
        self._troubles: dict[tuple[str, str, str], tuple[float, float]] = {}  # since when, and until when, a page did not come
        self._pages: Final[dict[_Place, _Shared]] = {}
        self._watches: Final[dict[str, asyncio.Task[None]]] = {}  # check whether the producers of what is read here live
        self._own: Final[dict[str, _Own]] = {}
        self._unpublished = False
        self._control: Final = f"{prefix}control:{database(self._redis)}"
        self._channels: Final = Channels(self._redis, self._control, self.beat, self._asked_to_stop)

    # -- writing -------------------------------------------------------------------------------------------------------

    async def acquire(self, stream: str, owner: str, gone: ProducerGone | None = None) -> Lease | None:
        """Become the producer of a stream."""
        lease = Lease(stream, owner, token_hex(8))
        arguments = [owner, lease.token, "" if gone is None else gone.beats, self._kept_running + self._remembered, self._lease]
        answer = await self._writing.call(_ACQUIRE, self._keys(stream), arguments, self._wait)
        if answer is None:
            return None
        lease.epoch, lease.length, lease.birth, state = answer
        if state != "running":
            lease.ended = cast("Ending", state)
            return lease
        self._own[stream] = _Own(lease, asyncio.get_running_loop().time())
        self._channels.own(self._keys(stream)[0])
        return lease

    async def append(self, lease: Lease, events: Sequence[SseFields]) -> list[Entry]:
        """Store events, in one step."""
        fields = [field for event in events for field in (event["event"], event["data"])]
        answer = await self._write(_APPEND, lease, fields)
        added = lease.entries(events)
        lease.length += len(added)
        own = self._own.get(lease.stream)
        if own is not None and own.lease is lease:
            own.heard = asyncio.get_running_loop().time()
            if added:
                own.add(added)
                self._channels.notify(self._keys(lease.stream)[0], added[-1].id)
        if answer.startswith("1"):
            lease.stop()
        return added

    async def finalize(self, lease: Lease, ending: Ending, last: SseFields) -> Entry:
        """End the stream."""
        unarchived = "" if lease.archived else "1"
        await self._write(_FINALIZE, lease, [lease.owner, ending, unarchived, last["event"], last["data"]])
        entry = lease.entry(last, lease.length + 1)
        self._let_go_of(lease, entry)
        return entry

    async def archived(self, lease: Lease) -> None:
        """Record that the archive has the end."""
        await self._writing.call(_ARCHIVED, self._keys(lease.stream), [lease.token], self._wait)

    async def _write(self, script: Script, lease: Lease, more: Sequence[Any]) -> str:
        kept = self._kept if script is _FINALIZE else self._kept_running
        place = f"{lease.token} {lease.birth or lease.token} {lease.epoch} {lease.length} {lease.generation}"
        known = f"{place} {kept} {kept + self._remembered} {self._maxlen} {self._lease}"
        called = self._writing.call(script, self._keys(lease.stream), [known, *more])
        try:
            if called.apart:
                await self._beating(called, lease, known)
            answer: str = await called
        except WrongKind as error:
            raise EntriesLost(lease.stream, unsure=called.sent > 1) from error
        except NeverTaken as error:
            if script is _FINALIZE or not more:
                raise
            raise NotTaken(lease.stream, unsure=True) from error
        except Exception as error:
            if unsendable(error):
                raise NotTaken(lease.stream) from error
            raise
        if answer in ("taken", "deleted"):
            self._let_go_of(lease)
            raise (LeaseLost if answer == "taken" else Deleted)(lease.stream, unsure=called.sent > 1)
        if answer == "lost":
            raise EntriesLost(lease.stream, unsure=called.sent > 1)
        if answer.endswith("unpublished") and not self._unpublished:
            self._unpublished = True
            log.warning("the store does not permit PUBLISH: readers at other workers look every %s seconds", self.beat)
        return answer

    async def _beating(self, called: Answer, lease: Lease, known: str) -> None:
        """Wait for a large call, with heartbeats meanwhile."""

        def heard(beat: asyncio.Future[Any]) -> None:
            if beat.cancelled() or beat.exception() is not None:
                return  # the large call fails too
            if (own := self._own.get(lease.stream)) is not None and own.lease is lease:
                own.heard = asyncio.get_running_loop().time()
            if beat.result().startswith("1"):
                lease.stop()

        beat: asyncio.Future[Any] | None = None
        try:
            while not (await asyncio.wait([called], timeout=self.beat))[0]:
                if beat is None or beat.done():
                    beat = self._writing.call(_APPEND, self._keys(lease.stream), [known])
                    beat.add_done_callback(heard)
        finally:
            called.cancel()  # when this was cancelled
            if beat is not None:
                beat.cancel()

    def _let_go_of(self, lease: Lease, end: Entry | None = None) -> None:
        """Note that this process no longer writes a stream, and the end that it wrote."""
        own = self._own.get(lease.stream)
        if own is None or own.lease is not lease:
            return
        del self._own[lease.stream]
        if end is not None:
            own.add([end])
            own.ended = True
        self._channels.disown(self._keys(lease.stream)[0], ended=own.ended)

    def _written_here(self, stream: str, owner: str) -> _Own | None:
        own = self._own.get(stream)
        return own if own is not None and own.lease.owner == owner else None

    def _alive(self) -> float:
        """Return the time since when the store must have answered a producer in this process that is alive."""
        return asyncio.get_running_loop().time() - 2 * self.beat

    # -- reading -------------------------------------------------------------------------------------------------------

    async def read(
        self, stream: str, owner: str, after: str = "", *, gap: bool = False
    ) -> AsyncGenerator[list[Entry], None] | None:
        """Return pages of the entries after an id, then new ones as they are stored; None if there are no more."""
        at = cursor(after)
        over = bool(after) and not at[1]  # the end event for a reader whose place is lost
        try:
            page = await self._looked_up(
                stream, owner, lambda: self._stored(stream, owner, "" if over else after, self._wait, gap)
            )
        except (EntriesLost, Forgotten):
            if over:
                return None
            raise
        if page is None or over:
            return None
        if not page.ended:
            self._watch(stream, owner)
        return self._following(stream, owner, after, page)

    async def _looked_up(self, stream: str, owner: str, look: Callable[[], Awaitable[Found]]) -> Found:
        """Return what `look` returns, which raises UnknownStream where the store does not know the stream.

        If this process wrote the stream already when it asked, the store has lost it: raises EntriesLost. If another one may
        write it, `look` is called again until that one had a heartbeat, with which it ends a stream that was lost. It had none
        while the store was away or refused to write, which a late answer shows. Raises StoreAway when answers stay late, and
        take unevenly long.
        """
        loop = asyncio.get_running_loop()
        begun, took = loop.time(), list[float]()
        while True:
            asked, own = loop.time(), self._written_here(stream, owner)
            try:
                return await look()
            except UnknownStream:
                if own is not None and self._written_here(stream, owner) is own:
                    raise EntriesLost(stream) from None
                took.append(loop.time() - asked)
                if _uneven(took, self.beat):
                    del took[:-1]
                if len(took) > LOOKS:
                    raise
                if loop.time() - begun > 2 * self._wait:
                    raise StoreAway("the store answers late, and knows no such stream") from None
            await asyncio.sleep(min(1.5 * max(self.beat, *took), self._wait) / LOOKS)

    async def _following(self, stream: str, owner: str, after: str, page: _Page) -> AsyncGenerator[list[Entry], None]:
        own = self._written_here(stream, owner)
        with self._channels.of(self._keys(stream)[0]) as follower:
            while True:
                if page.entries:
                    after = page.entries[-1].id
                    yield page.entries
                    if page.ended:
                        return
                elif page.gone:
                    raise ProducerGone(stream, page.beats)
                self._watch(stream, owner)
                if not page.more:
                    await follower.behind(after, self.beat)
                if follower.over:
                    return
                current = self._written_here(stream, owner)
                own = current or (own if own is not None and own.ended else None)
                found = None if own is None else own.behind(after, self._alive())
                if found is None:
                    found = await self._stored(stream, owner, after)
                if found is None:  # the end was yielded before
                    return
                page = found

    def _watch(self, stream: str, owner: str) -> None:
        """Start a check whether anybody writes a stream, if this process does not. It goes on when the reader leaves."""
        own = self._written_here(stream, owner)
        if stream not in self._watches and (own is None or own.heard < self._alive()):
            task = self._watches[stream] = asyncio.create_task(self._watched(stream, owner))
            task.add_done_callback(lambda task: self._unwatched(stream, task))

    def _unwatched(self, stream: str, task: asyncio.Task[None]) -> None:
        del self._watches[stream]
        if not task.cancelled():
            task.exception()  # readers get the same error

    async def _watched(self, stream: str, owner: str) -> None:
        """Record in the store that the producer is gone, if it is, and wake the readers in this process."""
        gone = await self._silent(stream, owner, ended=False)
        if gone is not None:
            await self._reading.call(_CHECK, self._keys(stream), [owner, "", gone.beats], self._wait)
            self._channels.notify(self._keys(stream)[0])

    async def left(self, stream: str, owner: str) -> ProducerGone | None:
        """Return the producer that is gone and left a stream without an end, in store or archive; None when there is none."""
        return await self._silent(stream, owner, ended=True)

    async def _silent(self, stream: str, owner: str, *, ended: bool) -> ProducerGone | None:
        """Return the holder of a stream as gone, when there was no heartbeat for a lease.

        None when the stream has no holder that should have heartbeats; or when it has them, the stream runs, and nobody reads
        it in this process any more. The store is asked at the interval of the heartbeats. A late answer, or none, shows nothing
        about the holder: the store was away, or refused, or this process was paused. Where all answers are late, and take
        evenly long, the store is far: it is asked at that interval, in which a holder who is as far has heartbeats.
        """
        loop, channel = asyncio.get_running_loop(), self._keys(stream)[0]
        last, beat, running, took = -1, self.beat, not ended, list[float]()
        while len(took) <= BEATS:
            asked = loop.time()
            try:
                found = await self._reading.call(_CHECK, self._keys(stream), [owner, "1" if ended else "", ""], self._wait)
            except StoreAway:
                if ended or not self._channels.followed(channel):
                    raise
                found = [-1, self._lease, running]
            if found is None:
                return None
            beats, lease, running = found
            beat = (lease or self._lease) / 1000 / BEATS
            now = loop.time() - asked
            if beats == last >= 0 and not _uneven([*took, now], beat):
                took.append(now)
            elif last < 0 or not running or self._channels.followed(channel):
                last = beats
                took.clear()
            else:
                return None
            await asyncio.sleep(max([beat, *took]))
        return ProducerGone(stream, last, running=bool(running))

    async def _stored(
        self, stream: str, owner: str, after: str, within: float | None = None, gap: bool = False
    ) -> _Page | None:
        """Return the stored entries after an id; None after the end. Readers at the same place share one reading.

        They also know the same about the stream: an answer to a question from before the stream began says nothing about the
        running stream.
        """
        place = stream, owner, after, gap, within, self._written_here(stream, owner)
        shared = self._pages.get(place)
        if shared is None:
            shared = self._pages[place] = _Shared(asyncio.create_task(self._page(stream, owner, after, within, gap)))
            shared.answer.add_done_callback(lambda answer: self._arrived(place, answer))
        return await shared.page(stream)

    async def _page(self, stream: str, owner: str, after: str, within: float | None, gap: bool) -> Any:
        """Return the answer of `_READ`. Raises NeverTaken when the store sent others, but not this, for `retry` seconds."""
        begun, where = asyncio.get_running_loop().time(), (stream, owner, after)
        try:
            answer = await self._asked(stream, owner, after, within, gap)
        except NeverTaken as error:
            if not self._lasted(where, begun):
                what = f"the entries of {stream!r} after {after!r}"
                raise StoreAway(f"the store answers other requests, but not the one for {what}") from error
            raise
        self._troubles.pop(where, None)
        return answer

    async def _asked(self, stream: str, owner: str, after: str, within: float | None, gap: bool) -> Any:
        """Return the answer of `_READ`. One entry is read at once where one of more cannot be read, and where it is large.

        When the connection is lost with it, the smallest page is asked for instead.
        """
        loop, keys = asyncio.get_running_loop(), self._keys(stream)
        begun, place, oldest = loop.time(), (owner, cursor(after)[0], after), "1" if gap else ""
        asked = self._page_bytes

        def smaller() -> list[Any]:
            if asked > PAGES[0]:
                self._most_bytes, self._lowered = max(PAGES[0], min(self._most_bytes, asked // 2)), loop.time()
                self._page_bytes = PAGES[0]
            return [*place, PAGE, PAGES[0], LARGE, oldest]

        if loop.time() > self._lowered + LOWERED:
            self._most_bytes = PAGES[1]
        try:
            arguments = [*place, PAGE, asked, LARGE, oldest]
            answer = await self._reading.call(_READ, keys, arguments, within, smaller=smaller)
        except WrongKind:
            answer = await self._reading.call(_READ, keys, [*place, 1, self._page_bytes, LARGE, oldest], within)
        except StoreAway:
            self._page_bytes = PAGES[0]  # a page may be what takes so long
            raise
        took = loop.time() - begun
        if took > 2 * TICK:
            self._page_bytes = max(PAGES[0], self._page_bytes // 2)
        elif isinstance(answer, list) and answer[1] and took < TICK:
            self._page_bytes = min(self._most_bytes, self._page_bytes * 2)
        if isinstance(answer, str) and answer.startswith("large "):
            return await self._reading.call(_READ, keys, [*place, 1, PAGE_BYTES, "", oldest], within, int(answer[6:]))
        return answer

    def _lasted(self, where: tuple[str, str, str], begun: float) -> bool:
        """Return whether the store has not sent what follows a place for `retry` seconds, since a reading that began then.

        Other trouble looks the same while it lasts: a link that loses some answers, for example. So readers who come meanwhile
        are told to come again, for as long as the earlier readers wait. If no reader has met the trouble for that long, it
        counts as over.
        """
        now = asyncio.get_running_loop().time()
        self._troubles = {place: times for place, times in self._troubles.items() if now - times[1] <= self.retry}
        since = self._troubles.get(where, (begun, now))[0]
        self._troubles[where] = since, now
        return now - since >= self.retry

    def _arrived(self, place: _Place, answer: asyncio.Future[Any]) -> None:
        self._pages.pop(place, None)
        if not answer.cancelled():
            answer.exception()  # retrieved, also when nobody waits for it any more

    def let_go(self) -> None:
        """End every `read` in this process."""
        self._channels.let_go()

    async def status(self, stream: str) -> StreamStatus | None:
        """Return the status of a stream; None when nothing of it is kept."""
        found = await self._reading.call(_STATUS, self._keys(stream), [], self._wait)
        return StreamStatus(found[0], cast("State", found[1]), found[2]) if found is not None else None

    # -- the rest ------------------------------------------------------------------------------------------------------

    async def stop(self, stream: str, owner: str) -> None:
        """Ask the producer to stop, wherever it runs."""

        async def ask() -> None:
            arguments = [owner, stream, self._control]
            if await self._writing.call(_STOP, self._keys(stream), arguments, self._wait) == "unknown":
                raise UnknownStream(stream)

        try:
            await self._looked_up(stream, owner, ask)
        except EntriesLost:  # it is written here
            if (own := self._own.get(stream)) is not None:
                own.lease.stop()

    def _asked_to_stop(self, stream: str) -> None:
        """Ask the store, if a stream is written here, whether it should stop."""
        own = self._own.get(stream)
        if own is not None:
            own.asked = True
            if own.asking is None or own.asking.done():
                own.asking = asyncio.create_task(self._ask(own))

    async def _ask(self, own: _Own) -> None:
        while own.asked:
            own.asked = False
            with contextlib.suppress(StoreAway, EntriesLost, LeaseLost):  # the next heartbeat raises the same
                await self.append(own.lease, [])  # a heartbeat, whose answer says whether it should stop

    async def delete(self, stream: str) -> None:
        """Forget a stream."""
        own = self._own.get(stream)
        await self._writing.call(_DELETE, self._keys(stream), [self._kept_running + self._remembered], self._wait)
        if own is not None:
            self._let_go_of(own.lease)

    async def aclose(self) -> None:
        """Close the connections."""
        for watch in self._watches.values():
            watch.cancel()
        await self._channels.aclose()
        for line in (self._writing, self._reading):
            await line.aclose()
        if self._owned:
            await self._redis.aclose()

    def _keys(self, stream: str) -> tuple[str, str]:
        return f"{self._prefix}stream:{stream}", f"{self._prefix}meta:{stream}"
