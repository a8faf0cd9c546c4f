"""Replay: sends again what was sent since a time, with the same ids, by a job."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from sobremesa.core.actor import Tenant
from sobremesa.core.clock import Clock
from sobremesa.core.ids import Ids, first_of, time_of
from sobremesa.domains.webhooks.entities import (
    Delivery,
    EventOrder,
    HookId,
    QueuedEvent,
    Webhook,
    deliveries_between,
    queue_again,
    record_failure,
    webhook_by_id,
)
from sobremesa.domains.webhooks.failed_changes import UNKNOWN, FailedChanges
from sobremesa.domains.webhooks.queueing import EVENT_SECONDS, EventQueue, announce
from sobremesa.table import Create, Delete, Table, always
from sobremesa.table.errors import ConditionFailed

JOB = "webhook.replay"
SECOND_MS = 1000
"""DynamoDB dates a change by the second."""
SKEW_MS = 5000
"""How far the clocks of two nodes may differ."""


class ReplayJob(msgspec.Struct, frozen=True):
    """What to send again: everything since a time that was queued before the replay was requested."""

    tenant: Tenant
    hook_id: HookId
    since_ms: int
    last: EventOrder
    failed_since_ms: int | None = None
    """From when on events are created again that could not be; they are kept for longer than the others."""


class Replaying:
    """Queues events again."""

    def __init__(self, table: Table, clock: Clock, ids: Ids, queue: EventQueue, queued: Callable[[], None]) -> None:
        self._table = table
        self._clock = clock
        self._ids = ids
        self._queue = queue
        self._queued = queued
        self._failed = FailedChanges(table, clock)

    async def run(self, subject: str) -> None:
        """Queue the events of a replay. If it runs again, the receiver ignores the ids that it knows."""
        job = msgspec.json.decode(subject, type=ReplayJob)
        hook = await self._table.get(webhook_by_id(tenant=job.tenant, hook_id=job.hook_id))
        if hook is None or hook.disabled_at is not None:
            return
        await self._queue.has_webhooks()  # this node may have cached them long ago
        failed_since_ms = job.since_ms if job.failed_since_ms is None else job.failed_since_ms
        first = first_of(min(job.since_ms, failed_since_ms) - SKEW_MS)
        is_queued = False
        # One after the other, so that a sender never sees the second of two events of a room without the first.
        async for sent in self._table.every(deliveries_between(hook_id=job.hook_id, order=first, last=job.last)):
            since_ms = job.since_ms if sent.error is None else failed_since_ms
            is_since = sent.at_ms >= since_ms // SECOND_MS * SECOND_MS or time_of(sent.order) >= since_ms
            if is_since and sent.state != "retrying":
                await (self._queue_again(sent) if sent.error is None else self._create_again(hook, sent))
                is_queued = True
        if is_queued:
            await announce(self._table, self._ids, (job.hook_id, job.tenant))
            self._queued()

    async def _queue_again(self, sent: Delivery) -> None:
        now_ms = self._clock.now_ms()
        queued = QueuedEvent(
            hook_id=sent.hook_id,
            order=sent.order,
            event_key=sent.event_key,
            event_id=sent.event_id,
            type=sent.type,
            room_key=sent.room_key,
            room_id=sent.room_id,
            at_ms=sent.at_ms,
            queued_ms=now_ms,
            attempts=sent.attempts,
            ttl=now_ms // 1000 + EVENT_SECONDS,
        )
        try:
            await self._table.write(Create(queued), pattern=queue_again)
        except ConditionFailed:
            return  # it is in the queue already

    async def _create_again(self, hook: Webhook, entry: Delivery) -> None:
        """Queue the events of a change that could not be translated; if it still cannot, it stays in the log."""
        change = await self._failed.find(entry)
        if change is None:
            return
        found = await self._queue.events_of(change)
        meant = [event for event in found.events if any(each.hook_id == hook.hook_id for each in event.hooks)]
        if entry.type != UNKNOWN:
            meant = [event for event in meant if event.id == entry.event_id]
        for number, event in enumerate(meant):
            await self._queue.queue_again(EventOrder(self._ids.mint()) if number else entry.order, event, hook)
        if not meant and not found.failures:
            await self._table.write(Delete(entry.own_key(), when=always()), pattern=record_failure)
