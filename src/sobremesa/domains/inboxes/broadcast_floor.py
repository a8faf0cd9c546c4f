"""The broadcast floor: which broadcasts a user sees, and how many they do not see.

A user who joins late neither sees nor counts earlier broadcasts. The floor is the creation of the account; for users of
another issuer it is the first message to them in the inbox, if that was earlier. It is stored at the first read, as an
id that is at most the newest broadcast id at that time. Later broadcasts have greater ids, so the number of broadcasts
up to the floor, the base, can only shrink by expiry. It is therefore valid until the first of them expires, and is then
counted again. A user sees all broadcasts minus the base.
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
    """Determines which broadcasts a user sees."""

    def __init__(self, table: Table, clock: Clock, current_counts: CurrentCounts) -> None:
        self._table = table
        self._clock = clock
        self._current_counts = current_counts

    async def floor_of(self, own: UserPartition) -> str:
        """Return the floor of a user: they see the broadcasts with greater ids."""
        stats = await self._table.get(count_of(**own.parts()))
        return await self.floor_in(own, stats)

    async def floor_in(self, own: UserPartition, stats: UserStats | None) -> str:
        """Return the floor from a total that was already read."""
        if stats is not None and stats.floor is not None:
            return stats.floor
        public = await self._current_counts.get(own.public)
        current = await self.current(own, stats or own.nothing(), public)
        return current.floor or ""

    async def current(self, own: UserPartition, stats: UserStats, public: Counts) -> UserStats:
        """Return a user's total with a floor and a current base."""
        if stats.floor is None:
            return await self._set(own, stats, public)
        if stats.base_until is None or stats.base_until > self._clock.now_seconds():
            return stats
        return await self.renew(own, stats)

    async def renew(self, own: UserPartition, stats: UserStats) -> UserStats:
        """Recount and store the base; return the updated total."""
        base = await self._base(own, stats.floor or "")
        with contextlib.suppress(ConditionFailed):
            # A concurrent write may store an older base, which expires earlier and is then counted again.
            await self._table.write(
                Update(own.total(), set_to(**base), when=equals("floor", stats.floor)), pattern=set_floor
            )
        return msgspec.structs.replace(stats, **base)

    async def base_of(self, own: UserPartition, stats: UserStats) -> dict[str, Any]:
        """Return the correct base as of now."""
        return await self._base(own, stats.floor or "")

    async def _set(self, own: UserPartition, stats: UserStats, public: Counts) -> UserStats:
        newest = getattr(public.total, "last_id", None) or ""
        below = await self._below_receipts(own)
        floor = min(first_after(await self._since_ms(own, stats)), newest, newest if below is None else below)
        values = {"floor": floor, **await self._base(own, floor)}
        try:
            await self._table.write(
                Upsert(
                    own.total(),
                    set_to(**values),
                    set_if_absent(None, **own.fixed()),
                    when=absent_or_null("floor"),
                ),
                pattern=set_floor,
            )
        except ConditionFailed:
            found = await self._table.get(count_of(**own.parts()))
            if found is None or found.floor is None:
                raise Busy from None
            values = {"floor": found.floor, **await self._base(own, found.floor)}
        return msgspec.structs.replace(stats, **values)

    async def _below_receipts(self, own: UserPartition) -> str | None:
        """Return an id below every receipt: receipts of another writer show that the user saw older broadcasts."""
        async for row in self._table.every(messages_to(**own.parts()), newest_first=False):
            if not row.is_message:
                return row.message_id[:-1]
        return None

    async def _since_ms(self, own: UserPartition, stats: UserStats) -> int:
        """Return since when a user sees broadcasts."""
        user = await self._table.get(user_by_id(user_id=own.user_id))
        first = stats.first_addressed
        if user is None:
            return self._clock.now_ms() if first is None else first
        try:
            created = milliseconds(user.created_at)
        except ValueError:
            # The date of another writer's row is invalid: the user sees everything.
            created = 0
        return created if user.identity is None or first is None else min(created, first)

    async def _base(self, own: UserPartition, floor: str) -> dict[str, Any]:
        if not floor:
            return {"base": {}, "base_total": 0, "base_until": None}
        question = held_public_until(**own.public.parts(), floor=floor)
        rows = [row async for row in self._table.every(question)]
        now = self._clock.now_seconds()
        live = [row for row in rows if not is_expired(row, now)]
        sums = CategoryCounts.of(live)
        return {
            "base": {category: count.published for category, count in sums.categories.items()},
            "base_total": sums.total.published,
            "base_until": min((int(row.expiredat) for row in live if row.expiredat is not None), default=None),
        }
