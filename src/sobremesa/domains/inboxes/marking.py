"""Marks messages as read, archived or snoozed, in one transaction with the counts.

A broadcast is marked by a receipt in the user's partition. Messages that do not exist, have expired or are below the
user's floor are not changed, and the result states so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import aclosing
from typing import Any, NamedTuple, TypeAlias

import msgspec

from sobremesa.core.actor import Actor, Tenant
from sobremesa.core.clock import Clock
from sobremesa.core.errors import Busy
from sobremesa.domains.inboxes.broadcast_floor import BroadcastFloor
from sobremesa.domains.inboxes.broadcasts import Broadcasts
from sobremesa.domains.inboxes.contents import Taxonomy
from sobremesa.domains.inboxes.current_counts import is_expired, unchanged
from sobremesa.domains.inboxes.durations import MAX_SECONDS
from sobremesa.domains.inboxes.entities import (
    Held,
    InboxKey,
    PublicMessage,
    ReadReceipt,
    Snooze,
    UserStats,
    count_of,
    held_message,
    mark,
    public_message,
)
from sobremesa.domains.inboxes.errors import PastSnooze
from sobremesa.domains.inboxes.listing import Listing
from sobremesa.domains.inboxes.message_counts import NO_MESSAGES, MessageCount, category_of, row_count
from sobremesa.domains.inboxes.message_ids import InboxMessageId
from sobremesa.domains.inboxes.partitions import UserPartition, advance_next_expiry, count_operations
from sobremesa.domains.inboxes.tenancy import user_partition
from sobremesa.table import Create, Operation, Put, Table, Update, absent_or_null, at_most, set_to
from sobremesa.table.errors import ConditionFailed
from sobremesa.work.keyed_lock import KeyedLocks

ATTEMPTS = 40
AT_ONCE = 40
"""Messages per transaction, together with the total and up to as many categories."""

Change: TypeAlias = Callable[[Held], Held]


class Target(NamedTuple):
    """A message to mark: the user's row of it, and whether that is a new receipt."""

    held: Held
    is_new: bool

    def stored_count(self) -> MessageCount:
        return NO_MESSAGES if self.is_new else row_count(self.held)


class Marking:
    """Marks messages as read, archives and snoozes them."""

    def __init__(
        self, table: Table, clock: Clock, floor: BroadcastFloor, listing: Listing, broadcasts: Broadcasts
    ) -> None:
        self._table = table
        self._clock = clock
        self._floor = floor
        self._broadcasts = broadcasts
        self._listing = listing
        self._locks = KeyedLocks(needed=not table.engine.keeps_order)

    async def mark_read(self, actor: Actor, tenant: Tenant, inbox: InboxKey, message_id: InboxMessageId) -> bool:
        """Mark a message as read; return whether that changed anything."""
        return await self._change(user_partition(actor, tenant, inbox), message_id, self._as_read)

    async def archive(self, actor: Actor, tenant: Tenant, inbox: InboxKey, message_id: InboxMessageId) -> bool:
        """Hide a message permanently; return whether that changed anything."""
        return await self._change(user_partition(actor, tenant, inbox), message_id, self._as_archived)

    async def snooze(
        self, actor: Actor, tenant: Tenant, inbox: InboxKey, message_id: InboxMessageId, *, until_ms: int
    ) -> bool:
        """Hide a message until a time; return whether that changed anything."""
        if not 0 < until_ms - self._clock.now_ms() <= MAX_SECONDS * 1000:
            raise PastSnooze
        until = -(-until_ms // 1000)

        def snoozed(held: Held) -> Held:
            return msgspec.structs.replace(held, snoozeduntil=until) if held.archivedat is None else held

        return await self._change(user_partition(actor, tenant, inbox), message_id, snoozed)

    async def mark_all_read(self, actor: Actor, tenant: Tenant, inbox: InboxKey, *, category: str | None = None) -> int:
        """Mark all visible messages, or those of a category, as read; return how many changed."""
        own = user_partition(actor, tenant, inbox)
        floor = await self._floor.floor_of(own)
        # Before the list, which may be a second old: what is recalled since is not marked.
        recalls = (await self._broadcasts.live(own.public)).recalls

        changed = 0
        waiting: list[Target] = []
        async with aclosing(self._listing.walk(own, floor)) as pieces:
            async for entries in pieces:
                for entry in entries:
                    is_wanted = category is None or entry.message.category == category
                    if entry.readat is not None or not is_wanted or not entry.is_shown(self._clock.now_seconds()):
                        continue
                    waiting.append(_target(own, entry.held, entry.message))
                    if len(waiting) == AT_ONCE:
                        changed += await self._read_together(own, waiting, recalls)
                        waiting = []
        return changed + await self._read_together(own, waiting, recalls)

    # Internals

    async def _change(self, own: UserPartition, message_id: InboxMessageId, change: Change) -> bool:
        for _ in range(ATTEMPTS):
            stats, target = await self._find(own, message_id)
            if target is None:
                return False
            changed = change(target.held)
            if changed == target.held:
                return False
            if await self._write(own, stats, [(target, changed)], recalls=(stats and stats.recalls) or 0):
                return True
        raise Busy

    async def _find(self, own: UserPartition, message_id: InboxMessageId) -> tuple[UserStats | None, Target | None]:
        """Return the user's total, and the message to mark if there is one."""
        stats, held, message = await self._table.get_many(
            [
                count_of(**own.parts()),
                held_message(**own.parts(), message_id=message_id),
                public_message(**own.public.parts(), message_id=message_id),
            ],
            consistent=True,
        )
        total = stats if isinstance(stats, UserStats) else None
        own_row = held if isinstance(held, Held) and not is_expired(held, self._clock.now_seconds()) else None
        if own_row is not None and own_row.is_message:
            return total, Target(own_row, is_new=False)
        if not isinstance(message, PublicMessage) or not message.is_message:
            return total, None
        floor = await self._floor.floor_in(own, total)
        return total, _target(own, own_row, message) if message_id > floor else None

    async def _read_together(self, own: UserPartition, targets: Sequence[Target], recalls: int) -> int:
        """Mark messages in one transaction, or one by one after a concurrent change."""
        if not targets:
            return 0
        stats = await self._table.get(count_of(**own.parts()))
        changes = [(target, self._as_read(target.held)) for target in targets]
        if await self._write(own, stats, changes, recalls=recalls):
            return len(targets)
        return sum([await self._change(own, target.held.message_id, self._as_read) for target in targets])

    async def _write(
        self, own: UserPartition, stats: UserStats | None, changes: Sequence[tuple[Target, Held]], *, recalls: int
    ) -> bool:
        """Store changes and their counts; False after a concurrent change.

        `recalls` is how many broadcasts were recalled when these were read: a receipt of one that was recalled since
        would stay in counts that are settled with that recall.
        """
        operations: list[Operation] = []
        deltas: dict[str | None, MessageCount] = {}
        moments: list[int] = []
        for target, changed in changes:
            held = target.held
            category = category_of(held)
            deltas[category] = deltas.get(category, NO_MESSAGES).plus(row_count(changed).minus(target.stored_count()))
            operations += _stored(target, changed)
            if target.is_new and held.expiredat is not None:
                moments.append(int(held.expiredat))
            if changed.snoozeduntil is not None:
                moments.append(changed.snoozeduntil)
        step = advance_next_expiry(None if stats is None else stats.next_expiry, min(moments, default=None))
        when = step.when
        if any(target.is_new for target, _ in changes):
            as_read = absent_or_null("recalls") | at_most("recalls", recalls)
            when = as_read if when is None else when & as_read
        total, *rest = count_operations(own, deltas, step.changes, when=when)
        try:
            async with self._locks.of(own.total().raw.pk):
                await self._table.write(total=total, messages=operations, categories=rest, pattern=mark)
        except ConditionFailed:
            return False
        return True

    def _as_read(self, held: Held) -> Held:
        return held if held.readat is not None else msgspec.structs.replace(held, readat=self._clock.now_ms())

    def _as_archived(self, held: Held) -> Held:
        if held.archivedat is not None:
            return held
        # An archived message does not reappear when a snooze ends.
        return msgspec.structs.replace(held, archivedat=self._clock.now_ms(), snoozeduntil=None)


def _target(own: UserPartition, held: Held | None, message: Held | PublicMessage) -> Target:
    """Return the row to mark: the existing one, or a new receipt of a broadcast."""
    if held is not None:
        return Target(held, is_new=False)
    receipt = Held(
        tenant=own.tenant,
        user_id=own.user_id,
        inbox=own.inbox,
        message_id=message.message_id,
        taxonomy=Taxonomy(message.category),
        expiredat=message.expiredat,
    )
    return Target(receipt, is_new=True)


def _stored(target: Target, changed: Held) -> list[Operation]:
    state: dict[str, Any] = {
        "readat": changed.readat,
        "archivedat": changed.archivedat,
        "snoozeduntil": changed.snoozeduntil,
    }
    operations: list[Operation]
    if target.is_new:
        receipt = ReadReceipt(
            tenant=changed.tenant,
            user_id=changed.user_id,
            inbox=changed.inbox,
            message_id=changed.message_id,
            taxonomy=changed.taxonomy,
            expiredat=None if changed.expiredat is None else int(changed.expiredat),
            **state,
        )
        operations = [Create(receipt)]
    else:
        operations = [Update(target.held.own_key(), set_to(**state), when=unchanged(target.held))]
    if changed.snoozeduntil is not None and changed.snoozeduntil != target.held.snoozeduntil:
        operations.append(
            Put(
                Snooze(
                    tenant=changed.tenant,
                    user_id=changed.user_id,
                    inbox=changed.inbox,
                    message_id=changed.message_id,
                    until=changed.snoozeduntil,
                )
            )
        )
    return operations
