"""The consumers of the change stream: handlers, which process the changes of all shards together, and publishers, which
process each shard by itself, in order.
"""

from __future__ import annotations

import asyncio
import math
from typing import Protocol, TypeAlias

import structlog

from sobremesa.core.waiting import wait_for_event
from sobremesa.table import RawChange
from sobremesa.work.consumers.deliveries import ConsumerOptions, Delivery

FLUSH_SECONDS = 1.0
PAUSE_SECONDS = 5.0
"""How long a handler that failed is left alone."""
RETRY_SECONDS = 1.0
"""How long a publisher that failed is left alone."""
CHECK_SECONDS = 1.0
"""How often a publisher is called without changes, so that it notices a loss of what it published."""

_log = structlog.get_logger("sobremesa.work.consumers")


class ChangeHandler(Protocol):
    """Processes changes of the table."""

    def collect(self, change: RawChange) -> None:
        """Collect a change. Must be quick, since it is called for every change of the table."""
        ...

    async def flush(self) -> None:
        """Process the collected changes. If it raises, it is called again and must still have them."""
        ...


class ChangePublisher(Protocol):
    """Publishes the changes of a shard, one batch after the other."""

    async def publish(self, shard_id: str, changes: list[RawChange]) -> None:
        """Publish some changes of a shard, which continue the last ones, or repeat some after an error.

        It is called without changes now and then. If it raises, all changes of the last seconds are repeated.
        """
        ...

    async def restart(self) -> None:
        """Note that changes were lost, so that nobody can rely on having seen everything."""
        ...


class HandlerConsumer:
    """Passes the changes of all shards of this node to a handler, at most once a second."""

    def __init__(self, name: str, handler: ChangeHandler) -> None:
        self.options = ConsumerOptions(name)
        self._handler = handler
        self._deliveries: list[Delivery] = []
        self._collected: list[Delivery] = []
        """The deliveries of changes that the handler has not processed."""
        self._arrived = asyncio.Event()

    @property
    def least_pause_seconds(self) -> float:
        """How long the reads of a shard may be apart for this consumer."""
        return FLUSH_SECONDS

    def attach(self, delivery: Delivery) -> None:
        delivery.on_arrival = self._arrived.set
        self._deliveries.append(delivery)

    def detach(self, delivery: Delivery) -> None:
        self._deliveries.remove(delivery)

    async def run(self) -> None:
        """Process what arrives until cancelled; a handler that fails is called again."""
        loop = asyncio.get_running_loop()
        flushed = -math.inf
        while True:
            await self._arrived.wait()
            await asyncio.sleep(flushed + FLUSH_SECONDS - loop.time())
            flushed = loop.time()
            try:
                await self.process()
            except Exception as error:  # any error: it is retried
                _log.warning("a change handler failed", consumer=self.options.name, why=error_text(error))
                self._arrived.set()
                await asyncio.sleep(PAUSE_SECONDS)

    async def process(self) -> None:
        """Process everything that was read; raise the error of the handler."""
        self._arrived.clear()
        for delivery in self._deliveries:
            if not delivery.is_valid():
                self._arrived.set()  # the lease is lost soon, or renewed late
                continue
            pages = delivery.take()
            for page in pages:
                for change in page.changes:
                    self._handler.collect(change)
            if pages:
                self._collected.append(delivery)
        if self._collected:
            await self._handler.flush()
            for delivery in self._collected:
                delivery.confirm()
            self._collected.clear()

    async def trimmed(self) -> None:
        """Do nothing: what is no longer kept cannot be processed."""


class PublisherConsumer:
    """Passes the changes of each shard of this node to a publisher."""

    least_pause_seconds = 0.0

    def __init__(self, name: str, publisher: ChangePublisher, *, behind_seconds: float) -> None:
        self.options = ConsumerOptions(name, starts_at_newest=True, behind_seconds=behind_seconds)
        self._publisher = publisher
        self._publishing: dict[Delivery, asyncio.Task[None]] = {}

    def attach(self, delivery: Delivery) -> None:
        self._publishing[delivery] = asyncio.create_task(self._publish(delivery))

    def detach(self, delivery: Delivery) -> None:
        self._publishing.pop(delivery).cancel()

    async def run(self) -> None:
        """Do nothing until cancelled: each shard has a task of its own."""
        await asyncio.Event().wait()

    async def _publish(self, delivery: Delivery) -> None:
        while True:
            await wait_for_event(delivery.arrived, CHECK_SECONDS)
            if not delivery.is_valid():
                # A process that was stopped meanwhile must not publish what another node has published since.
                await asyncio.sleep(RETRY_SECONDS)
                continue
            try:
                pages = delivery.take(1)
                await self._publisher.publish(delivery.shard_id, [*pages[0].changes] if pages else [])
                if pages:
                    delivery.confirm()
            except Exception as error:  # any error: it is retried
                _log.warning("changes are not published", shard=delivery.shard_id, why=error_text(error))
                await asyncio.sleep(RETRY_SECONDS)
                delivery.rewind()

    async def trimmed(self) -> None:
        """Note that changes were lost."""
        await self._publisher.restart()


Consumer: TypeAlias = HandlerConsumer | PublisherConsumer


def error_text(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
