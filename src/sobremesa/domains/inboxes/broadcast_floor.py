"""Broadcast floors: from where on messages to everyone are a person's, and how many there are below.

Whoever joins late neither sees nor counts what was said before. That is the floor: the account's creation, and for
people of another issuer the first message to them by name in this inbox, if that was earlier. It is written down at
first sight, as an id: at most the newest id that everyone has then. Later messages have greater ids, so what is below
the floor can only become less, by expiry. How many that are, the base, is therefore known until the first of them
expires, and is counted again then. What a person has of the messages to everyone is all of them less the base.
"""

from __future__ import annotations

import contextlib
from typing import Any

import msgspec

from sobremesa.core.clock import Clock, milliseconds
from sobremesa.core.errors import Busy
from sobremesa.domains.accounts.entities import user_by_id
from sobremesa.domains.inboxes.current_counts import Counts, CurrentCounts, is_expired
from sobremesa.domains.inboxes.entities import UserStats, count_of, held_public_until, messages_to, set_floor
from sobremesa.domains.inboxes.message_counts import CategoryCounts
from sobremesa.domains.inboxes.message_ids import first_after
from sobremesa.domains.inboxes.partitions import UserPartition
from sobremesa.table import Table, Update, Upsert, absent_or_null, equals, set_if_absent, set_to
from sobremesa.table.errors import ConditionFailed


class BroadcastFloor:
    """Knows what messages to everyone are a person's."""

    def __init__(self, table: Table, clock: Clock, current_counts: CurrentCounts) -> None:
        self._table = table
        self._clock = clock
        self._current_counts = current_counts

    async def floor_of(self, own: UserPartition) -> str:
        """Messages to everyone are this person's if their ids are above it."""
        stats = await self._table.get(count_of(**own.parts()))
        return await self.floor_in(own, stats)

    async def floor_in(self, own: UserPartition, stats: UserStats | None) -> str:
        """The same, of a total that was read already."""
        if stats is not None and stats.floor is not None:
            return stats.floor
        public = await self._current_counts.get(own.public)
        taken = await self.current(own, stats or own.nothing(), public)
        return taken.floor or ""

    async def current(self, own: UserPartition, stats: UserStats, public: Counts) -> UserStats:
        """A person's total, with a floor and with a base that is true now."""
        if stats.floor is None:
            return await self._take(own, stats, public)
        if stats.base_until is None or stats.base_until > self._now():
            return stats
        return await self.renew(own, stats)

    async def renew(self, own: UserPartition, stats: UserStats) -> UserStats:
        """The total with its base counted again."""
        base = await self._base(own, stats.floor or "")
        with contextlib.suppress(ConditionFailed):
            # A concurrent write may store an older base, which expires earlier and is then counted again.
            await self._table.write(
                Update(own.total(), set_to(**base), when=equals("floor", stats.floor)), pattern=set_floor
            )
        return msgspec.structs.replace(stats, **base)

    async def base_of(self, own: UserPartition, stats: UserStats) -> dict[str, Any]:
        """What the base should be now."""
        return await self._base(own, stats.floor or "")

    async def _take(self, own: UserPartition, stats: UserStats, public: Counts) -> UserStats:
        newest = getattr(public.total, "last_id", None) or ""
        below = await self._below_receipts(own)
        floor = min(first_after(await self._since_ms(own, stats)), newest, newest if below is None else below)
        taken = {"floor": floor, **await self._base(own, floor)}
        try:
            await self._table.write(
                Upsert(
                    own.total(),
                    set_to(**taken),
                    set_if_absent(None, **own.fixed()),
                    when=absent_or_null("floor"),
                ),
                pattern=set_floor,
            )
        except ConditionFailed:
            found = await self._table.get(count_of(**own.parts()))
            if found is None or found.floor is None:
                raise Busy from None
            taken = {"floor": found.floor, **await self._base(own, found.floor)}
        return msgspec.structs.replace(stats, **taken)

    async def _below_receipts(self, own: UserPartition) -> str | None:
        """What is below every receipt: another writer's tell that the person has seen older messages."""
        async for row in self._table.every(messages_to(**own.parts()), newest_first=False):
            if not row.is_message:
                return row.message_id[:-1]
        return None

    async def _since_ms(self, own: UserPartition, stats: UserStats) -> int:
        """When a person came."""
        user = await self._table.get(user_by_id(user_id=own.user_id))
        first = stats.first_addressed
        if user is None:
            return self._clock.now_ms() if first is None else first
        try:
            created = milliseconds(user.created_at)
        except ValueError:
            # Another writer's row whose date cannot be read: they see everything.
            created = 0
        return created if user.identity is None or first is None else min(created, first)

    async def _base(self, own: UserPartition, floor: str) -> dict[str, Any]:
        if not floor:
            return {"base": {}, "base_total": 0, "base_until": None}
        question = held_public_until(**own.public.parts(), floor=floor)
        rows = [row async for row in self._table.every(question)]
        now = self._now()
        live = [row for row in rows if not is_expired(row, now)]
        sums = CategoryCounts.of(live)
        return {
            "base": {category: count.published for category, count in sums.categories.items()},
            "base_total": sums.total.published,
            "base_until": min((int(row.expiredat) for row in live if row.expiredat is not None), default=None),
        }

    def _now(self) -> int:
        return self._clock.now_ms() // 1000
