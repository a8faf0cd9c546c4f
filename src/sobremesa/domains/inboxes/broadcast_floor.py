"""The broadcast floor: which broadcasts a user sees.

A user who joins late neither sees nor counts earlier broadcasts. The floor is the creation of the account; for users of
another issuer it is the first message to them in the inbox, if that was earlier. It is stored at the first read, as an
id that is at most the newest broadcast id at that time. Later broadcasts have greater ids, so a user counts all
broadcasts but those up to the floor, which `broadcasts` counts from a list that all users share.
"""

from __future__ import annotations

from sobremesa.core.clock import Clock, milliseconds
from sobremesa.core.errors import Busy
from sobremesa.domains.accounts.entities import user_by_id
from sobremesa.domains.inboxes.broadcasts import Base, Broadcasts
from sobremesa.domains.inboxes.current_counts import Counts
from sobremesa.domains.inboxes.entities import UserStats, count_of, messages_to, set_floor
from sobremesa.domains.inboxes.message_ids import first_after
from sobremesa.domains.inboxes.partitions import UserPartition
from sobremesa.table import Table, Upsert, absent_or_null, set_if_absent, set_to
from sobremesa.table.errors import ConditionFailed


class BroadcastFloor:
    """Determines which broadcasts a user sees."""

    def __init__(self, table: Table, clock: Clock, broadcasts: Broadcasts) -> None:
        self._table = table
        self._clock = clock
        self._broadcasts = broadcasts

    async def floor_of(self, own: UserPartition) -> str:
        """Return the floor of a user: they see the broadcasts with greater ids."""
        stats = await self._table.get(count_of(**own.parts()))
        return await self.floor_in(own, stats)

    async def floor_in(self, own: UserPartition, stats: UserStats | None) -> str:
        """Return the floor from a total that was already read."""
        if stats is not None and stats.floor is not None:
            return stats.floor
        return await self._set(own, stats or own.nothing(), await self._broadcasts.counts(own.public))

    async def base(self, own: UserPartition, stats: UserStats, public: Counts) -> Base:
        """Return the broadcasts that a user does not see."""
        floor = stats.floor
        if floor is None:
            floor = await self._set(own, stats, public)
        return await self._broadcasts.base(own.public, floor)

    async def _set(self, own: UserPartition, stats: UserStats, public: Counts) -> str:
        """Store the floor of a user who reads for the first time, and return it."""
        newest = getattr(public.total, "last_id", None) or ""
        below = await self._below_receipts(own)
        floor = min(first_after(await self._since_ms(own, stats)), newest, newest if below is None else below)
        try:
            await self._table.write(
                Upsert(
                    own.total(),
                    set_to(floor=floor, base_until=0),
                    set_if_absent(None, **own.fixed()),
                    when=absent_or_null("floor"),
                ),
                pattern=set_floor,
            )
        except ConditionFailed:
            found = await self._table.get(count_of(**own.parts()))
            if found is None or found.floor is None:
                raise Busy from None
            return found.floor
        return floor

    async def _below_receipts(self, own: UserPartition) -> str | None:
        """Return an id below every receipt: receipts of another writer show that the user saw older broadcasts."""
        async for row in self._table.every(messages_to(**own.parts()), newest_first=False):
            if not row.is_message and not row.is_recalled:
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
