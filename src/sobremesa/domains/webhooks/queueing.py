"""From the change stream to the queues of webhooks: a change handler, which queues every event exactly once.

The row of an event and the references to it, in the queue of each webhook that receives it, are one transaction. A
consumer that is killed before its position is saved reads the same changes again; the rows are there already then.
The rows of one room are written one after the other, so that a sender on another node never sees the second of two
events without the first.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, Protocol

import structlog

from sobremesa.core.actor import Tenant
from sobremesa.core.clock import Clock, lenient_ms, milliseconds
from sobremesa.core.gather import gather_bounded
from sobremesa.core.ids import Ids
from sobremesa.domains.webhooks.entities import (
    LOG_SECONDS,
    Delivery,
    EventOrder,
    HookId,
    QueuedEvent,
    Webhook,
    WebhookEvent,
    WebhookWork,
    announce_work,
    queue_event,
    roster,
    webhooks_of,
    work_of,
)
from sobremesa.domains.webhooks.event_names import is_selected
from sobremesa.domains.webhooks.failed_changes import UNKNOWN, FailedChanges, Failure
from sobremesa.domains.webhooks.payloads import EventBody, body_of
from sobremesa.domains.webhooks.usage import WebhookUsage
from sobremesa.live.events import Event, user_of
from sobremesa.live.recipient_payloads import RecipientPayloads, is_broadcast
from sobremesa.live.translation import Translation, is_permanent
from sobremesa.table import Create, RawChange, Table, Upsert, hash_part, set_if_absent, set_to
from sobremesa.table.cache import Cache
from sobremesa.table.errors import ConditionFailed

EVENT_SECONDS = 50 * 3600
"""How long an event is stored: a day of attempts, and a day of replay after the last of them."""
REPLAY_SECONDS = 24 * 3600
ROOMS_AT_ONCE = 16
CACHED_TENANTS = 10_000
CHANGES_AT_ONCE = 500
"""How many changes are translated before their events are written, which bounds what is in memory."""
SECOND_MS = 1000
"""DynamoDB dates a change by the second."""

_log = structlog.get_logger("sobremesa.domains.webhooks")


class TenantFinder(Protocol):
    """Finds the tenant that an event belongs to."""

    async def tenant_of(self, event: Event | None, change: RawChange) -> Tenant | None:
        """Return the tenant of an event, or of the changed row; None if nothing of what it is about exists any more."""
        ...


class NewEvent(NamedTuple):
    """An event that some webhooks receive."""

    id: str
    at_ms: int
    tenant: Tenant
    hooks: Sequence[Webhook]
    body: EventBody


class ChangeEvents(NamedTuple):
    """The events of a change, and those that could not be created."""

    events: list[NewEvent]
    failures: list[Failure]


class EventQueue:
    """Queues the events of changed rows for the webhooks that select them."""

    def __init__(
        self,
        table: Table,
        clock: Clock,
        ids: Ids,
        translation: Translation,
        tenants: TenantFinder,
        payloads: RecipientPayloads,
        usage: WebhookUsage,
        queued: Callable[[], None],
    ) -> None:
        self._table = table
        self._clock = clock
        self._ids = ids
        self._translation = translation
        self._tenants = tenants
        self._payloads = payloads
        self._usage = usage
        self._queued = queued
        self._failed = FailedChanges(table, clock)
        self._changes: list[RawChange] = []
        self._hooks: Cache[Tenant, list[Webhook]] = Cache(CACHED_TENANTS)
        self._version = ""

    def collect(self, change: RawChange) -> None:
        self._changes.append(change)

    async def flush(self) -> None:
        """Queue the events of the collected changes."""
        while self._changes:
            some = self._changes[:CHANGES_AT_ONCE]
            if await self.has_webhooks():
                found = [await self.events_of(change) for change in some]
                await self._queue([event for each in found for event in each.events])
                for failure in (failure for each in found for failure in each.failures):
                    await self._failed.record(EventOrder(self._ids.mint()), failure)
                self._usage.queued_lag_seconds = max(0, self._clock.now_ms() - some[-1].at_ms) / 1000
            del self._changes[:CHANGES_AT_ONCE]

    async def has_webhooks(self) -> bool:
        """Return whether there are webhooks at all; forget the cached ones if any has changed."""
        now = await self._table.get(roster())
        if now is None or now.hooks <= 0:
            return False
        if now.version != self._version:
            self._hooks = Cache(CACHED_TENANTS)
            self._version = now.version
        return True

    async def _webhooks_of(self, tenant: Tenant) -> list[Webhook]:
        known = self._hooks.find(tenant)
        if known is None:
            known = [hook async for hook in self._table.every(webhooks_of(tenant=tenant))]
            self._hooks.keep(tenant, known)
        return known

    # Which webhooks receive what

    async def events_of(self, change: RawChange) -> ChangeEvents:
        """Return the events of a change that webhooks receive; raises TableError if they cannot be determined now."""
        found = ChangeEvents([], [])
        translated = await self._translation.translate(change)
        for error in translated.failures:
            found.failures.append(await self._failure(change.id, None, change, error))
        for published in translated.publications:
            if published.event is None or (published.event.is_reference and is_broadcast(published.event)):
                continue
            try:
                new = await self._event_of(published.id, published.event, change)
            except Exception as error:
                if not is_permanent(error):
                    raise
                found.failures.append(await self._failure(published.id, published.event, change, error))
                continue
            if new is not None:
                found.events.append(new)
        await asyncio.sleep(0)  # the reads may all return at once: yield to other tasks
        return found

    async def _failure(self, id: str, event: Event | None, change: RawChange, error: Exception) -> Failure:
        """Return what is recorded about an event that cannot be created, and log and count it."""
        self._usage.failed_changes += 1
        name = type(error).__name__
        key = f"{change.key.pk} / {change.key.sk}"
        _log.error("an event of webhooks was not created", event_id=id, key=key, why=f"{name}: {error}")
        tenant = await self._tenants.tenant_of(event, change)
        hooks = [] if tenant is None else await self._webhooks_of(tenant)
        meant = [hook for hook in hooks if self._may_receive(hook, None if event is None else event.t, change)]
        why = f"The event could not be created ({name}). The log of the server has the details."
        return Failure(change, id, UNKNOWN if event is None else event.t, meant, why)

    async def _event_of(self, id: str, event: Event, change: RawChange) -> NewEvent | None:
        tenant = await self._tenants.tenant_of(event, change)
        hooks = [] if tenant is None else await self._webhooks_of(tenant)
        hooks = [hook for hook in hooks if self._may_receive(hook, event.t, change)]
        if tenant is None or not hooks:
            return None
        if event.is_reference:
            event = await self._payloads.resolve(event, user_of(event.topics[0]))
        body = body_of(event, change.at_ms)
        hooks = [hook for hook in hooks if hook.rooms is None or body.room_id in hook.rooms]
        return NewEvent(id, change.at_ms, tenant, hooks, body) if hooks else None

    def _may_receive(self, hook: Webhook, name: str | None, change: RawChange) -> bool:
        """Return whether an event is selected, and not from before the webhook or from long after it was disabled.

        An event without a name, because it could not be created, may have been any of them.
        """
        if is_earlier(change, milliseconds(hook.created_at)) or (
            name is not None and not is_selected(hook.events, name)
        ):
            return False
        disabled = hook.disabled_at
        return disabled is None or change.at_ms - milliseconds(disabled) < REPLAY_SECONDS * 1000

    # Writing

    async def _queue(self, events: Sequence[NewEvent]) -> None:
        by_room: dict[tuple[Tenant, str], list[tuple[EventOrder, NewEvent]]] = defaultdict(list)
        for event in events:
            by_room[event.tenant, event.body.room_key].append((EventOrder(self._ids.mint()), event))
        await gather_bounded(ROOMS_AT_ONCE, self._write_room, by_room.values())
        work = {hook.hook_id: hook.tenant for event in events for hook in event.hooks if hook.disabled_at is None}
        await gather_bounded(ROOMS_AT_ONCE, partial(announce, self._table, self._ids), work.items())
        if work:
            self._queued()

    async def queue_again(self, order: EventOrder, event: NewEvent, hook: Webhook) -> None:
        """Queue the event of a change that could not be translated before, for one webhook, at its old position."""
        with contextlib.suppress(ConditionFailed):  # it was created for another webhook
            await self._table.write(event=Create(self._stored(event)), pattern=queue_event)
        with contextlib.suppress(ConditionFailed):  # it is in the queue already
            await self._table.write(queues=[Create(self._reference(order, event, hook))], pattern=queue_event)

    def _stored(self, event: NewEvent) -> WebhookEvent:
        return WebhookEvent(
            event_key=hash_part(event.id),
            event_id=event.id,
            body=event.body.body,
            ttl=self._clock.now_seconds() + EVENT_SECONDS,
        )

    async def _write_room(self, events: Sequence[tuple[EventOrder, NewEvent]]) -> None:
        for order, event in events:
            active = [Create(self._reference(order, event, hook)) for hook in event.hooks if hook.disabled_at is None]
            skipped = [
                Create(self._skipped(order, event, hook)) for hook in event.hooks if hook.disabled_at is not None
            ]
            try:
                await self._table.write(
                    event=Create(self._stored(event)), queues=active, logs=skipped, pattern=queue_event
                )
            except ConditionFailed:
                continue  # it was queued before the consumer was killed

    def _reference(self, order: EventOrder, event: NewEvent, hook: Webhook) -> QueuedEvent:
        now_ms = self._clock.now_ms()
        return QueuedEvent(
            hook_id=hook.hook_id,
            order=order,
            event_key=hash_part(event.id),
            event_id=event.id,
            type=event.body.type,
            room_key=event.body.room_key,
            room_id=event.body.room_id,
            at_ms=event.at_ms,
            queued_ms=now_ms,
            ttl=now_ms // 1000 + EVENT_SECONDS,
        )

    def _skipped(self, order: EventOrder, event: NewEvent, hook: Webhook) -> Delivery:
        """Return the log entry of an event of a disabled webhook: a replay sends it."""
        return Delivery(
            hook_id=hook.hook_id,
            order=order,
            event_key=hash_part(event.id),
            event_id=event.id,
            type=event.body.type,
            room_key=event.body.room_key,
            room_id=event.body.room_id,
            at_ms=event.at_ms,
            state="skipped",
            ttl=self._clock.now_seconds() + LOG_SECONDS,
        )


def is_earlier(change: RawChange, moment_ms: int) -> bool:
    """Return whether a change was made before a moment; False if that cannot be known.

    DynamoDB dates a change by the second. Within that second, the times count that the writer put into the row.
    """
    if change.at_ms % SECOND_MS or change.at_ms // SECOND_MS != moment_ms // SECOND_MS:
        return change.at_ms < moment_ms
    times = [lenient_ms(value) for value in (change.new or {}).values() if isinstance(value, str)]
    written_ms = max((ms for ms in times if ms is not None and 0 <= ms - change.at_ms < SECOND_MS), default=moment_ms)
    return written_ms < moment_ms


async def announce(table: Table, ids: Ids, work: tuple[HookId, Tenant]) -> None:
    """Say that a webhook has queued events, so that a node sends them."""
    await table.write(announcement(ids, *work), pattern=announce_work)


def announcement(ids: Ids, hook_id: HookId, tenant: Tenant) -> Upsert[WebhookWork]:
    """Return the operation that makes a node look at the queue of a webhook."""
    # A new row has a free lease: a condition on an attribute that does not exist never holds.
    return Upsert(work_of(hook_id=hook_id), set_to(tenant=tenant, version=ids.mint()), set_if_absent(leased_until_ms=0))
