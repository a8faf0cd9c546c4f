"""What a broker stores: texts, hashes, sorted sets and streams, with the commands on them that scripts and nodes use.

Commands take what Redis does and return what it answers. The caller says what time it is.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

EntryId: TypeAlias = tuple[int, int]
Hash: TypeAlias = dict[bytes, bytes]
Scores: TypeAlias = dict[bytes, float]

FIRST: Final[EntryId] = (0, 0)
LAST: Final[EntryId] = (2**64 - 1, 2**64 - 1)


class Status(NamedTuple):
    """A short answer, such as OK."""

    text: str


class Failed(NamedTuple):
    """The answer to a command that failed."""

    text: str


Reply: TypeAlias = "int | bytes | Status | Failed | list[Reply] | None"


class Stream:
    """Entries in the order of their ids, and the last id that there ever was."""

    def __init__(self) -> None:
        self.ids: list[EntryId] = []
        self.fields: dict[EntryId, list[bytes]] = {}
        self.last = FIRST

    def between(self, start: bytes, end: bytes) -> list[EntryId]:
        """Return the ids of a range, whose bounds may be `-`, `+`, incomplete or exclusive."""
        first, last = _bound(start, 0), _bound(end, LAST[1])
        low = (bisect_right if start.startswith(b"(") else bisect_left)(self.ids, first)
        high = (bisect_left if end.startswith(b"(") else bisect_right)(self.ids, last)
        return self.ids[low:high]

    def entries(self, ids: Sequence[EntryId], count: bytes | None) -> Reply:
        return [[_text(id), list(self.fields[id])] for id in (ids if count is None else ids[: int(count)])]

    def drop(self, ids: Sequence[EntryId]) -> int:
        """Remove entries; return how many there were."""
        count = sum(self.fields.pop(id, None) is not None for id in ids)
        self.ids = [id for id in self.ids if id in self.fields]
        return count


class Keyspace:
    """All keys of one server."""

    def __init__(self) -> None:
        self._values: dict[bytes, Any] = {}
        self._expiring: dict[bytes, int] = {}
        """When keys expire, in milliseconds."""
        self.now_ms = 0
        """The time of the command that is being done."""
        self._commands: dict[bytes, Callable[..., Reply]] = {
            name.removeprefix("do_").upper().encode(): getattr(self, name)
            for name in dir(self)
            if name.startswith("do_")
        }

    def run(self, name: bytes, arguments: Sequence[bytes]) -> Reply:
        """Do a command whose first argument is its key."""
        command = self._commands.get(name.upper())
        if command is None:
            return Failed(f"ERR unknown command '{name.decode()}'")
        return command(*arguments)

    def _find(self, key: bytes) -> Any:
        if self._expiring.get(key, self.now_ms + 1) <= self.now_ms:
            self._drop(key)
        return self._values.get(key)

    def _hash(self, key: bytes) -> Hash:
        return self._find(key) or {}

    def _scores(self, key: bytes) -> Scores:
        return self._find(key) or {}

    def _stream(self, key: bytes) -> Stream:
        return self._find(key) or Stream()

    def _keep(self, key: bytes, value: Hash | Scores) -> None:
        """Store a value that changed; without content there is no key."""
        if value:
            self._values[key] = value
        else:
            self._drop(key)

    def _drop(self, key: bytes) -> None:
        self._values.pop(key, None)
        self._expiring.pop(key, None)

    # Keys and texts

    def do_get(self, key: bytes) -> Reply:
        found: bytes | None = self._find(key)
        return found

    def do_set(self, key: bytes, value: bytes) -> Reply:
        self._drop(key)
        self._values[key] = value
        return Status("OK")

    def do_del(self, *keys: bytes) -> Reply:
        count = sum(self._find(key) is not None for key in keys)
        for key in keys:
            self._drop(key)
        return count

    def do_pexpire(self, key: bytes, ms: bytes) -> Reply:
        if self._find(key) is None:
            return 0
        self._expiring[key] = self.now_ms + int(ms)
        return 1

    # Hashes

    def do_hset(self, key: bytes, *pairs: bytes) -> Reply:
        held = self._hash(key)
        before = len(held)
        held.update(zip(pairs[::2], pairs[1::2], strict=True))
        self._keep(key, held)
        return len(held) - before

    def do_hget(self, key: bytes, field: bytes) -> Reply:
        return self._hash(key).get(field)

    def do_hmget(self, key: bytes, *fields: bytes) -> Reply:
        held = self._hash(key)
        return [held.get(field) for field in fields]

    def do_hgetall(self, key: bytes) -> Reply:
        return [each for pair in self._hash(key).items() for each in pair]

    def do_hlen(self, key: bytes) -> Reply:
        return len(self._hash(key))

    def do_hdel(self, key: bytes, *fields: bytes) -> Reply:
        held = self._hash(key)
        count = sum(held.pop(field, None) is not None for field in fields)
        self._keep(key, held)
        return count

    def do_hincrby(self, key: bytes, field: bytes, by: bytes) -> Reply:
        held = self._hash(key)
        count = int(held.get(field, b"0")) + int(by)
        held[field] = b"%d" % count
        self._keep(key, held)
        return count

    # Sorted sets

    def do_zadd(self, key: bytes, *pairs: bytes) -> Reply:
        held = self._scores(key)
        before = len(held)
        held.update((member, float(score)) for score, member in zip(pairs[::2], pairs[1::2], strict=True))
        self._keep(key, held)
        return len(held) - before

    def do_zscore(self, key: bytes, member: bytes) -> Reply:
        score = self._scores(key).get(member)
        return None if score is None else b"%.17g" % score

    def do_zrem(self, key: bytes, *members: bytes) -> Reply:
        held = self._scores(key)
        count = sum(held.pop(member, None) is not None for member in members)
        self._keep(key, held)
        return count

    def do_zremrangebyscore(self, key: bytes, least: bytes, most: bytes) -> Reply:
        low, high = float(least), float(most)
        return self.do_zrem(key, *[member for member, score in self._scores(key).items() if low <= score <= high])

    # Streams

    def do_xadd(self, key: bytes, id: bytes, *fields: bytes) -> Reply:
        stream, added = self._stream(key), _id(id, 0)
        if added <= stream.last:
            return Failed("ERR The ID specified in XADD is equal or smaller than the target stream top item")
        self._values[key] = stream
        stream.ids.append(added)
        stream.fields[added] = list(fields)
        stream.last = added
        return _text(added)

    def do_xlen(self, key: bytes) -> Reply:
        return len(self._stream(key).ids)

    def do_xrange(self, key: bytes, start: bytes, end: bytes, _: bytes = b"", count: bytes | None = None) -> Reply:
        stream = self._stream(key)
        return stream.entries(stream.between(start, end), count)

    def do_xrevrange(self, key: bytes, end: bytes, start: bytes, _: bytes = b"", count: bytes | None = None) -> Reply:
        stream = self._stream(key)
        return stream.entries(stream.between(start, end)[::-1], count)

    def do_xdel(self, key: bytes, *ids: bytes) -> Reply:
        return self._stream(key).drop([_id(id, 0) for id in ids])

    def do_xtrim(self, key: bytes, _: bytes, least: bytes) -> Reply:
        stream = self._stream(key)
        return stream.drop(stream.between(b"-", b"(%b" % least))


def _bound(text: bytes, number: int) -> EntryId:
    match text:
        case b"-":
            return FIRST
        case b"+":
            return LAST
        case _:
            return _id(text.removeprefix(b"("), number)


def _id(text: bytes, number: int) -> EntryId:
    ms, _, rest = text.partition(b"-")
    return int(ms), int(rest or number)


def _text(id: EntryId) -> bytes:
    return b"%d-%d" % id
