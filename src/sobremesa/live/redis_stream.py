"""The stream of events in Redis or Valkey, shared by all nodes.

A Redis server that restarts without its data, or without the end of it, would continue as if nothing had been lost.
So the stream has an epoch, which is stored beside it and lost with it: a node that finds the stream gone, or shorter
than it was, creates another, and positions of the old one are known to be void.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import redis.asyncio
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from sobremesa.core.errors import SobremesaError

ANSWER_WITHIN_SECONDS = 2.0
WAIT_SECONDS = 5.0
READ_AT_ONCE = 1000
KEPT_MS = (24 * 60 + 10) * 60 * 1000

FOREIGN: Final = (RedisError, OSError)

StreamId: TypeAlias = tuple[int, int]
"""The id of an entry: the milliseconds of the server, and a number."""

NOTHING: Final[StreamId] = (0, 0)

# What a script finds of the stream: its epoch and its last id, or nothing.
_STATE = """
local function state()
    local epoch = redis.call('GET', KEYS[2])
    if not epoch or redis.call('EXISTS', KEYS[1]) == 0 then return nil end
    local info = redis.call('XINFO', 'STREAM', KEYS[1])
    for at = 1, #info, 2 do
        if info[at] == 'last-generated-id' then return epoch, info[at + 1] end
    end
end
local function is_before(one, other)
    local ms, number = string.match(one, '(%d+)-(%d+)')
    local other_ms, other_number = string.match(other, '(%d+)-(%d+)')
    ms, other_ms = tonumber(ms), tonumber(other_ms)
    return ms < other_ms or (ms == other_ms and tonumber(number) < tonumber(other_number))
end
"""

_OPEN = (
    _STATE
    + """
local epoch, last = state()
if not epoch or is_before(last, ARGV[2]) or ARGV[3] == 'anew' then
    epoch = ARGV[1]
    redis.call('DEL', KEYS[1])
    redis.call('SET', KEYS[2], epoch)
    last = redis.call('XADD', KEYS[1], '*', 'epoch', epoch)
end
return {epoch, last}
"""
)

_ADD = (
    _STATE
    + """
local epoch, last = state()
if epoch ~= ARGV[1] or is_before(last, ARGV[2]) then return false end
local time = redis.call('TIME')
local oldest = string.format('%.0f', time[1] * 1000 - tonumber(ARGV[3]))
for at = 4, #ARGV do
    last = redis.call('XADD', KEYS[1], 'MINID', '~', oldest, '*', 'a', ARGV[at])
end
return last
"""
)


class Lost(SobremesaError):
    """The stream is not the one that it was."""


class Added(NamedTuple):
    """An entry of the stream; the first one, which marks its start, has no event."""

    id: StreamId
    body: bytes | None


def client_of(url: str, answer_within: float = ANSWER_WITHIN_SECONDS) -> redis.asyncio.Redis:
    """Return a client that tries once: the caller knows when to retry."""
    return redis.asyncio.Redis.from_url(
        url,
        protocol=2,
        socket_timeout=answer_within,
        socket_connect_timeout=ANSWER_WITHIN_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )


class RedisStream:
    """The events of one table."""

    def __init__(self, url: str, name: str) -> None:
        self._client = client_of(url)
        self._waiting = client_of(url, WAIT_SECONDS + ANSWER_WITHIN_SECONDS)
        self._ask: Any = self._client.execute_command
        self._events = f"sobremesa:{{{name}}}:publications"
        self._epoch = f"sobremesa:{{{name}}}:publications:epoch"
        self._open: Any = self._client.register_script(_OPEN)
        self._add: Any = self._client.register_script(_ADD)

    async def open(self, seen: StreamId = NOTHING, *, anew: bool = False) -> tuple[str, StreamId]:
        """Return the epoch and the last id; creates a stream if there is none, or it ends before what was seen."""
        fresh = secrets.token_hex(5)
        arguments = [fresh, id_text(seen), "anew" if anew else ""]
        epoch, last = await self._open(keys=[self._events, self._epoch], args=arguments)
        return epoch.decode(), id_of(last)

    async def add(self, epoch: str, bodies: Sequence[bytes], seen: StreamId = NOTHING) -> StreamId:
        """Add entries, and trim those older than a day; return the last id. Raises Lost if the epoch differs."""
        arguments = [epoch, id_text(seen), KEPT_MS, *bodies]
        last = await self._add(keys=[self._events, self._epoch], args=arguments)
        if last is None:
            raise Lost
        return id_of(last)

    async def read(self, epoch: str, after: StreamId) -> list[Added]:
        """Wait for entries after an id, up to a limit of time. Raises Lost if the epoch differs."""
        asked: Any
        async with self._waiting.pipeline(transaction=False) as asked:
            # Together, over one connection: what is read is of the epoch that is read before it.
            asked.execute_command("GET", self._epoch)
            asked.execute_command(
                "XREAD",
                "COUNT",
                READ_AT_ONCE,
                "BLOCK",
                round(WAIT_SECONDS * 1000),
                "STREAMS",
                self._events,
                id_text(after),
            )
            now, found = await asked.execute()
        if now is None or now.decode() != epoch:
            raise Lost
        return [] if not found else [_added(each) for each in _entries_of(found)]

    async def between(self, first: str, last: str, count: int | None = None) -> list[Added]:
        """Return the entries from one id to another, both included."""
        more = [] if count is None else ["COUNT", count]
        found: Any = await self._ask("XRANGE", self._events, first, last, *more)
        return [_added(each) for each in found]

    async def now_ms(self) -> int:
        """Return the time of the server, from which ids are made."""
        seconds, micros = await self._client.time()
        return int(seconds) * 1000 + int(micros) // 1000

    async def close(self) -> None:
        await self._client.aclose()
        await self._waiting.aclose()


def id_of(text: bytes) -> StreamId:
    ms, _, number = text.partition(b"-")
    return int(ms), int(number)


def id_text(id: StreamId) -> str:
    return f"{id[0]}-{id[1]}"


def _entries_of(found: Any) -> Any:
    """Return the entries of the one stream that was read."""
    return next(iter(found.values())) if isinstance(found, dict) else found[0][1]


def _added(entry: Any) -> Added:
    id, fields = entry
    pairs = fields if isinstance(fields, dict) else dict(zip(fields[::2], fields[1::2], strict=True))
    return Added(id_of(id), pairs.get(b"a"))
