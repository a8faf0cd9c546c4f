"""What this node writes: its new messages are published at once, and those that read the change stream are notified."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence

import structlog

from sobremesa.live.events import Publication
from sobremesa.live.fast_path import FastPath
from sobremesa.live.redis_server import FOREIGN
from sobremesa.live.topic_messages import TopicMessages
from sobremesa.live.topic_publisher import TopicPublisher
from sobremesa.live.topic_routes import READERS
from sobremesa.live.topic_streams import Lost
from sobremesa.live.translation import Translation
from sobremesa.table import Operation

HINT = b"wrote"
HINT_SECONDS = 0.2
"""How long hints are apart: a shard is read no more often, so that more of them would tell its reader nothing."""
ADDED_AT_ONCE = 500
MAX_WAITING = 10_000
PAUSE_SECONDS = 0.2

_log = structlog.get_logger("sobremesa.live")


class TopicWriter:
    """Publishes the new messages of this node."""

    def __init__(
        self, translation: Translation, publisher: TopicPublisher, messages: TopicMessages, *, fast: bool = True
    ) -> None:
        self._publisher = publisher
        self._messages = messages
        self._fast = fast
        self._wrote = asyncio.Event()
        self._hinted_at = -math.inf
        self._next_hint: asyncio.TimerHandle | None = None
        self._fast_path = FastPath(translation, on_retry=self._wrote.set)

    def note(self, operations: Sequence[Operation]) -> None:
        """Publish the new messages of a write, and notify the nodes that read the change stream."""
        if self._fast:
            self._fast_path.add(operations)
        self._wrote.set()

    async def run(self) -> None:
        """Publish until cancelled."""
        sending = asyncio.create_task(self._messages.run())
        waiting: list[Publication] = []
        try:
            while True:
                await self._wrote.wait()
                self._wrote.clear()
                self._hint()
                waiting += [publication for _, publication in await self._fast_path.take()]
                await self._publish(waiting)
        finally:
            if self._next_hint is not None:
                self._next_hint.cancel()
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)

    def _hint(self) -> None:
        """Notify the nodes that read the change stream: now, or once they may read it again."""
        if self._next_hint is None:
            loop = asyncio.get_running_loop()
            self._next_hint = loop.call_at(max(loop.time(), self._hinted_at + HINT_SECONDS), self._send_hint)

    def _send_hint(self) -> None:
        self._next_hint = None
        self._hinted_at = asyncio.get_running_loop().time()
        self._messages.publish(HINT, [READERS])

    async def _publish(self, waiting: list[Publication]) -> None:
        try:
            while waiting:
                await self._publisher.publish_new(waiting[:ADDED_AT_ONCE])
                del waiting[:ADDED_AT_ONCE]
        except Lost:
            # They may have been published before, and changed since: the relay publishes them as they are now.
            waiting.clear()
            self._fast_path.clear()
        except FOREIGN as error:
            # The relay publishes it too, only later. Retried all the same, so that later messages stay behind it.
            _log.warning("new messages are published later", why=f"{type(error).__name__}: {error}")
            del waiting[: max(0, len(waiting) - MAX_WAITING)]
            await asyncio.sleep(PAUSE_SECONDS)
            self._wrote.set()
