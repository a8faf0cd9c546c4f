"""The relay publishes the change stream of the table, as events, for all nodes.

It is a consumer of the change stream: the node that reads a shard calls it for the changes of the shard, in order. If
it fails, it is called again with the changes of the last seconds; the node that takes over a shard repeats some seconds
too. So nothing is missed when Redis has lost what it had; what the topics still have is not added again
(`topic_streams`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import structlog

from sobremesa.live.topic_publisher import TopicPublisher
from sobremesa.table import RawChange

_log = structlog.get_logger("sobremesa.live")


class Relay:
    """Publishes the changes of the shards that this node reads."""

    def __init__(self, publisher: TopicPublisher) -> None:
        self._publisher = publisher
        self.prepare: Callable[[], Awaitable[None]] = _nothing
        """Saves a first position in the change stream, so that nothing is missed from then on."""
        self.nudge: Callable[[], None] = _no_nudge
        """Makes this node read the change stream now: something was written."""
        self.is_reading: Callable[[], bool] = _never
        """Returns whether this node reads a shard."""
        self.on_reading: Callable[[], Awaitable[object]] = _nothing
        """Called at least once a second while this node reads a shard."""

    async def publish(self, shard_id: str, changes: Sequence[RawChange]) -> None:
        """Publish the changes of a shard; raise Lost if what was published before is no longer there."""
        await self.on_reading()
        await self._publisher.publish(shard_id, changes)

    async def restart(self) -> None:
        """Begin anew, since changes were lost: earlier positions are void."""
        _log.warning("the event stream starts anew")
        await self._publisher.reset()


async def _nothing() -> None:
    pass


def _never() -> bool:
    return False


def _no_nudge() -> None:
    pass
