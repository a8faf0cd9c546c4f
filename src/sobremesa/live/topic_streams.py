"""The events of each topic in Redis or Valkey: a short stream, and what is published to the nodes that need it.

An entry is added by a script, which drops what the topic already has:

- The change stream gives each change a shard and a sequence number. The topic keeps the last one of each shard, so a
  batch that is repeated by the next reader of the shard, or added late by a former one, adds nothing.
- A new message is added by the node that wrote it, too. Whichever copy comes first is added.

A server that restarts without its data would continue as if nothing had been lost. So the streams have an epoch, which
is stored beside them and lost with them: a node that finds it gone, or a stream shorter than it was, begins another.
Epochs are numbers that increase; what an earlier one left of a topic is dropped when the topic gets its next entry.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from sobremesa.core.errors import SobremesaError
from sobremesa.live.events import Topic
from sobremesa.live.redis_server import RedisServer, Script

MAX_ENTRIES = 10_000
"""How many events of one topic are kept."""
LATE_MS = 30_000
"""How late a new message may be added by its writer. Later than this it is left to the change stream."""
REPEATED_MS = 45_000
"""For how long the ids are kept that could still be added late, and whose clocks may differ a little."""
SLACK_MS = 600_000
"""How much longer than their events the keys of a topic are kept."""
ADDED_AT_ONCE = 500
ADDED_BYTES = 1024 * 1024

StreamId: TypeAlias = tuple[int, int]
"""The id of an entry: the milliseconds of the server, and a number."""

NOTHING: Final[StreamId] = (0, 0)

_OPEN = Script(
    """
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local epoch = redis.call('GET', KEYS[1])
if ARGV[1] ~= '-' and (not epoch or epoch == ARGV[1]) then
    if epoch and tonumber(epoch) >= tonumber(now) then now = string.format('%.0f', epoch + 1) end
    epoch = now
    redis.call('SET', KEYS[1], epoch)
end
return {epoch, time[1], time[2]}
"""
)

# Keys: the entries; the state; the new messages that the change stream has not repeated yet; what it recently added.
# Arguments: epoch, window, length, then for each entry its id, shard, sequence, when it was written, and its body.
_ADD = Script(
    """
local stream, state, awaited, repeated = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local window, length = tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local known = redis.call('HMGET', state, 'epoch', 'last')
local epoch, last = known[1], known[2] or '0-0'
if epoch and tonumber(epoch) > tonumber(ARGV[1]) then return -1 end
if epoch ~= ARGV[1] then
    redis.call('DEL', stream, state, awaited, repeated)
    redis.call('HSET', state, 'epoch', ARGV[1])
    last = '0-0'
end
local function is_new(id, shard, sequence, written)
    if shard == '' then
        if now - tonumber(written) > LATE_MS then return false end
        if redis.call('ZSCORE', awaited, id) or redis.call('ZSCORE', repeated, id) then return false end
        redis.call('ZADD', awaited, now, id)
        return true
    end
    local fence = redis.call('HGET', state, '@' .. shard)
    if fence and string.sub(fence, 1, #sequence) >= sequence then return false end
    redis.call('HSET', state, '@' .. shard, sequence .. ':' .. time[1])
    if written == '' then return true end
    redis.call('ZADD', repeated, now, id)
    return redis.call('ZREM', awaited, id) == 0
end
local before, head, bodies = last, {}, {}
for at = 4, #ARGV, 5 do
    if is_new(ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3]) then
        local ms, number = string.match(last, '(%d+)-(%d+)')
        local fresh_ms, fresh = now, (time[2] % 1000) * 1000 + #bodies
        if now < tonumber(ms) or (now == tonumber(ms) and fresh <= tonumber(number)) then
            fresh_ms, fresh = tonumber(ms), tonumber(number) + 1
        end
        last = string.format('%.0f-%.0f', fresh_ms, fresh)
        redis.call('XADD', stream, last, 'a', ARGV[at + 4])
        head[#head + 1] = last .. ':' .. #ARGV[at + 4]
        bodies[#bodies + 1] = ARGV[at + 4]
    end
end
redis.call('ZREMRANGEBYSCORE', awaited, '-inf', now - window)
redis.call('ZREMRANGEBYSCORE', repeated, '-inf', now - REPEATED_MS)
local count = redis.call('HINCRBY', state, 'count', #bodies)
local function trim(to)
    redis.call('XTRIM', stream, 'MINID', to)
    redis.call('XDEL', stream, to)
    redis.call('HSET', state, 'trimmed', to)
end
if #bodies > 0 then
    redis.call('HSET', state, 'last', last)
    redis.call('SPUBLISH', stream, 'E ' .. ARGV[1] .. ' ' .. before .. ' ' .. table.concat(head, ',') .. '\\n'
        .. table.concat(bodies))
    if count % 16 < #bodies then
        local old = redis.call('XREVRANGE', stream, string.format('%.0f', now - window), '-', 'COUNT', 1)
        if old[1] then trim(old[1][1]) end
        local excess = redis.call('XLEN', stream) - length
        if excess > 0 then trim(redis.call('XRANGE', stream, '-', '+', 'COUNT', excess)[excess][1]) end
    end
end
if count % 64 < #bodies and redis.call('HLEN', state) > 64 then
    local fields = redis.call('HGETALL', state)
    for at = 1, #fields, 2 do
        local since = string.match(fields[at + 1], ':(%d+)$')
        if string.sub(fields[at], 1, 1) == '@' and since and time[1] - since > 90000 then
            redis.call('HDEL', state, fields[at])
        end
    end
end
for at = 1, 3 do redis.call('PEXPIRE', KEYS[at], window + SLACK_MS) end
redis.call('PEXPIRE', repeated, REPEATED_MS)
return #bodies
""".replace("LATE_MS", str(LATE_MS))
    .replace("REPEATED_MS", str(REPEATED_MS))
    .replace("SLACK_MS", str(SLACK_MS))
)


class Lost(SobremesaError):
    """The streams are not the ones that they were."""


class Addition(NamedTuple):
    """An entry to add to a topic."""

    id: str
    shard: str
    """The shard of its change; empty: the writer of a new message adds it, before the change stream does."""
    sequence: str
    """Where it is in its shard. The texts are in the order of the shard."""
    written_ms: int | None
    """For a new message, when it was written. Only what has this can be added by its writer, too."""
    body: bytes


class Added(NamedTuple):
    """An entry of a stream."""

    id: StreamId
    body: bytes


class State(NamedTuple):
    """What is known of a topic: the epoch of its entries, the last of them, and the last that is no longer kept."""

    epoch: str | None
    last: StreamId
    trimmed: StreamId


class TopicStreams:
    """The streams of one table, by topic."""

    def __init__(self, server: RedisServer, name: str, window_ms: int) -> None:
        self.server = server
        self.window_ms = window_ms
        self._name = name
        self._epoch_key = f"sobremesa:{{{name}}}:epoch"
        self._reset_key = f"sobremesa:{{{name}}}:reset"

    def channel_of(self, topic: Topic) -> str:
        """Return where the entries of a topic are stored and published."""
        return f"sobremesa:{{{self._name}/{topic}}}"

    def topic_of(self, channel: str) -> Topic:
        return Topic(channel.partition("/")[2][:-1])

    async def open(self, lost: str = "") -> tuple[str, StreamId]:
        """Return the epoch and the server's time; begins one if there is none, or the current one is lost."""
        return await self._opened(lost)

    async def look(self) -> tuple[str | None, StreamId]:
        """Return the epoch, if there is one, and the server's time."""
        epoch, now = await self._opened("-")
        return epoch or None, now

    async def reset(self) -> None:
        """Begin a new epoch, since changes were lost before they were published: nobody publishes them again."""
        epoch, _ = await self.open()
        await self.server.run([("SET", self._reset_key, epoch)])  # first, so that all who see the new epoch find it
        await self.open(epoch)

    async def was_reset_since(self, epoch: str) -> bool:
        """Return whether an epoch, or a later one, was ended by `reset`."""
        [found] = await self.server.run([("GET", self._reset_key)])
        return found is not None and int(found) >= int(epoch)

    async def _opened(self, argument: str) -> tuple[str, StreamId]:
        [[epoch, seconds, micros]] = await self.server.run_script(_OPEN, [([self._epoch_key], [argument])])
        ms, rest = divmod(int(seconds) * 1_000_000 + int(micros), 1000)
        return "" if epoch is None else epoch.decode(), (ms, rest * 1000)

    async def add(self, epoch: str, additions: Mapping[Topic, Sequence[Addition]]) -> int:
        """Add entries that their topics do not have yet; return how many were added.

        Raises Lost if the epoch is over. Then some may have been added, and all are to be added again.
        """
        calls = [
            (self._keys(topic), [epoch, self.window_ms, MAX_ENTRIES, *_arguments(part)])
            for topic, each in additions.items()
            for part in _parts(each)
        ]
        added = await self.server.run_script(_ADD, calls)
        [now] = await self.server.run([("GET", self._epoch_key)])
        if now is None or now.decode() != epoch or -1 in added:
            raise Lost
        return sum(added)

    async def states(self, topics: Sequence[Topic]) -> list[State]:
        """Return what is known of each topic."""
        found = await self.server.run([self._state_command(topic) for topic in topics])
        return [_state(each) for each in found]

    async def read(
        self, after: Mapping[Topic, StreamId], until: StreamId | None, count: int
    ) -> dict[Topic, tuple[State, list[Added]]]:
        """Return the state of each topic, and its first entries after an id and not after `until`."""
        end = "+" if until is None else id_text(until)
        commands: list[Sequence[Any]] = []
        for topic, start in after.items():
            commands.append(("XRANGE", self.channel_of(topic), f"({id_text(start)}", end, "COUNT", count))
            commands.append(self._state_command(topic))
        answers = await self.server.run(commands)
        return {
            topic: (_state(state), [_added(entry) for entry in entries])
            for topic, entries, state in zip(after, answers[::2], answers[1::2], strict=True)
        }

    async def notify(self, channels: Mapping[Topic, Sequence[bytes]]) -> None:
        """Publish messages to the nodes that need a topic; they are not stored."""
        await self.server.run(
            [("SPUBLISH", self.channel_of(topic), each) for topic, some in channels.items() for each in some]
        )

    def _keys(self, topic: Topic) -> list[str]:
        key = self.channel_of(topic)
        return [key, f"{key}:state", f"{key}:awaited", f"{key}:repeated"]

    def _state_command(self, topic: Topic) -> Sequence[Any]:
        return ("HMGET", f"{self.channel_of(topic)}:state", "epoch", "last", "trimmed")


class Push(NamedTuple):
    """Entries that were just added to a topic, and the one before them."""

    epoch: str
    before: StreamId
    entries: list[Added]


def push_of(data: bytes) -> Push:
    """Parse what the script publishes."""
    line, _, bodies = data.partition(b"\n")
    _, epoch, before, head = line.split(b" ")
    entries: list[Added] = []
    start = 0
    for each in head.split(b","):
        id, _, size = each.partition(b":")
        end = start + int(size)
        entries.append(Added(id_of(id), bodies[start:end]))
        start = end
    return Push(epoch.decode(), id_of(before), entries)


def id_of(text: bytes) -> StreamId:
    ms, _, number = text.partition(b"-")
    return int(ms), int(number)


def id_text(id: StreamId) -> str:
    return f"{id[0]}-{id[1]}"


def _state(found: Sequence[bytes | None]) -> State:
    epoch, last, trimmed = found
    return State(
        None if epoch is None else epoch.decode(),
        NOTHING if last is None else id_of(last),
        NOTHING if trimmed is None else id_of(trimmed),
    )


def _added(entry: Any) -> Added:
    id, fields = entry
    pairs = fields if isinstance(fields, dict) else dict(zip(fields[::2], fields[1::2], strict=True))
    return Added(id_of(id), pairs[b"a"])


def _arguments(additions: Sequence[Addition]) -> list[Any]:
    found: list[Any] = []
    for each in additions:
        written = "" if each.written_ms is None else each.written_ms
        found += [each.id, each.shard, each.sequence, written, each.body]
    return found


def _parts(additions: Sequence[Addition]) -> list[list[Addition]]:
    """Split additions into parts of a bounded size, so that a script never runs for long."""
    parts: list[list[Addition]] = [[]]
    size = 0
    for each in additions:
        if len(parts[-1]) >= ADDED_AT_ONCE or (parts[-1] and size + len(each.body) > ADDED_BYTES):
            parts.append([])
            size = 0
        parts[-1].append(each)
        size += len(each.body)
    return parts
