"""The relay publishes the change stream of the table, as events, to the stream that all nodes read.

It is a consumer of the change stream: the node that reads a shard calls it for the changes of the shard, in order. If
it fails, it is called again with the changes of the last seconds; the node that takes over a shard repeats some seconds
too. So nothing is missed when Redis has lost the end of its stream.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import msgspec
import structlog

from sobremesa.live.redis_stream import Lost, RedisStream, StreamId
from sobremesa.live.translation import Translation
from sobremesa.table import RawChange

ADDED_AT_ONCE = 500
MAX_SHARDS = 10_000

_encode = msgspec.msgpack.Encoder().encode
_log = structlog.get_logger("sobremesa.live")


class Relay:
    """Publishes the changes of the shards that this node reads."""

    def __init__(self, translation: Translation, stream: RedisStream) -> None:
        self._translation = translation
        self._stream = stream
        self._last: dict[str, tuple[str, StreamId]] = {}
        """For each shard, the epoch of the stream, and the last id that was added."""
        self.prepare: Callable[[], Awaitable[None]] = _nothing
        """Saves a first position in the change stream, so that nothing is missed from then on."""
        self.nudge: Callable[[], None] = _no_nudge
        """Makes this node read the change stream now: something was written."""

    async def publish(self, shard_id: str, changes: Sequence[RawChange]) -> None:
        """Publish the changes of a shard; raise Lost if what was published before is no longer there."""
        if shard_id not in self._last:
            self._last[shard_id] = await self._stream.open()
            if len(self._last) > MAX_SHARDS:
                del self._last[next(iter(self._last))]  # read elsewhere, or to its end
        bodies = [
            _encode(publication)
            for change in changes
            for publication in await self._translation.publications_of(change)
        ]
        # Without events too: that finds out whether the last ones are still there.
        for start in range(0, len(bodies) or 1, ADDED_AT_ONCE):
            await self._add(shard_id, bodies[start : start + ADDED_AT_ONCE])

    async def restart(self) -> None:
        """Start the stream anew, since changes were lost: earlier positions in it are void."""
        _log.warning("the event stream starts anew")
        await self._stream.open(anew=True)
        self._last.clear()

    async def _add(self, shard_id: str, bodies: Sequence[bytes]) -> None:
        epoch, last = self._last[shard_id]
        try:
            self._last[shard_id] = epoch, await self._stream.add(epoch, bodies, last)
        except Lost:
            del self._last[shard_id]
            await self._stream.open(last)
            raise


async def _nothing() -> None:
    pass


def _no_nudge() -> None:
    pass
