"""What is known of topics in Redis: read at once for all who ask at the same time.

Clients that come back together ask about many topics, of which each has most in common. While one read is under way,
those who come wait and are served by the next one: what they get is never from before they asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import NamedTuple

from sobremesa.live.events import Topic
from sobremesa.live.redis_server import FOREIGN
from sobremesa.live.topic_streams import State, StreamId, TopicStreams


class Known(NamedTuple):
    """The states of topics; and the epoch, if there is one, and the server's time, both read after them."""

    states: dict[Topic, State]
    epoch: str | None
    now: StreamId


class _Batch:
    """Those who are served by the same read."""

    def __init__(self) -> None:
        self.topics: dict[Topic, None] = {}
        self.found: Known | None = None
        self.has_failed = False


class TopicStates:
    """Reads the states of topics."""

    def __init__(self, streams: TopicStreams) -> None:
        self._streams = streams
        self._next = _Batch()
        self._reading = asyncio.Lock()

    async def read(self, topics: Collection[Topic]) -> Known:
        """Return what is known of these topics, and perhaps of others."""
        batch = self._next
        batch.topics |= dict.fromkeys(topics)
        async with self._reading:
            if batch is self._next:
                self._next = _Batch()
            if batch.found is None and not batch.has_failed:
                try:
                    batch.found = await self._read(batch.topics)
                except FOREIGN:
                    batch.has_failed = True
        # In a cluster, the servers of some topics may answer where those of others do not.
        return batch.found or await self._read(topics)

    async def _read(self, topics: Collection[Topic]) -> Known:
        asked = list(topics)
        states = await self._streams.states(asked)
        epoch, now = await self._streams.look()
        return Known(dict(zip(asked, states, strict=True)), epoch, now)
