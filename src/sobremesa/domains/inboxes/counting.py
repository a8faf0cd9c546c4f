"""The total and unread counts of a user in an inbox, with two queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sobremesa.core.actor import Actor, Tenant
from sobremesa.core.gather import gather_bounded
from sobremesa.domains.inboxes.broadcast_floor import BroadcastFloor
from sobremesa.domains.inboxes.broadcasts import Base, Broadcasts
from sobremesa.domains.inboxes.current_counts import Counts, CurrentCounts
from sobremesa.domains.inboxes.entities import CategoryStats, InboxKey, UserStats
from sobremesa.domains.inboxes.message_counts import NO_MESSAGES, MessageCount, stats_count
from sobremesa.domains.inboxes.partitions import UserPartition
from sobremesa.domains.inboxes.tenancy import user_partition

AT_ONCE = 8


class CategoryCount(NamedTuple):
    """The visible messages of one category. A muted category keeps its own unread count."""

    total: int
    unread: int
    muted: bool


class InboxCount(NamedTuple):
    """The visible messages of an inbox. `unread` excludes muted categories."""

    total: int
    unread: int
    categories: dict[str, CategoryCount]


class InboxUnread(NamedTuple):
    """The unread count of one inbox."""

    inbox: InboxKey
    unread: int


class Counting:
    """Counts the messages of users."""

    def __init__(self, current_counts: CurrentCounts, broadcasts: Broadcasts, floor: BroadcastFloor) -> None:
        self._current_counts = current_counts
        self._broadcasts = broadcasts
        self._floor = floor

    async def count(self, actor: Actor, tenant: Tenant, inbox: InboxKey) -> InboxCount:
        """Return the visible counts of the actor, exact while no concurrent write runs."""
        return await self.count_at(user_partition(actor, tenant, inbox))

    async def count_everywhere(self, actor: Actor) -> Sequence[InboxUnread]:
        """Return the inboxes of the actor's tenant that have unread messages."""
        inboxes = [config.inbox for config in await self._broadcasts.inboxes(actor.tenant)]

        async def of(inbox: InboxKey) -> InboxUnread:
            found = await self.count_at(UserPartition(actor.tenant, actor.user_id, inbox))
            return InboxUnread(inbox, found.unread)

        counts = await gather_bounded(AT_ONCE, of, inboxes)
        return [each for each in counts if each.unread]

    async def count_at(self, own: UserPartition) -> InboxCount:
        """Return the visible counts of a user's partition."""
        # The user's partition first: a message read in between is then one unread too many, never one too few.
        mine = await self._current_counts.get(own)
        public = await self._broadcasts.counts(own.public)
        live = await self._broadcasts.live(own.public)
        if (mine.total.recalls or 0) < live.recalls and (mine.total.read or mine.total.hidden):
            mine = await self._current_counts.settle_recalls(own, live.recalls, live.ids)
        assert isinstance(mine.total, UserStats)  # noqa: S101 - for the type checker
        base = await self._floor.base(own, mine.total, public)

        return visible(mine, public, base)

    async def count_after(self, own: UserPartition, mark: str) -> InboxCount:
        """Return the visible counts, with a change of the broadcasts that an event is about."""
        self._broadcasts.changed(own.public, mark)
        return await self.count_at(own)


def visible(mine: Counts, public: Counts, base: Base) -> InboxCount:
    """Return the visible counts from those of both partitions, without the broadcasts that the user does not see."""
    categories: dict[str, CategoryCount] = {}
    muted_unread = 0
    for category in sorted({*mine.categories, *public.categories}):
        own, theirs = mine.categories.get(category), public.categories.get(category)
        is_muted = isinstance(own, CategoryStats) and own.muted
        seen, unread = _seen(
            NO_MESSAGES if own is None else stats_count(own),
            0 if theirs is None else theirs.published,
            base.categories.get(category, 0),
        )
        muted_unread += unread if is_muted else 0
        if seen:
            categories[category] = CategoryCount(seen, unread, is_muted)
    seen, unread = _seen(stats_count(mine.total), public.total.published, base.total)
    return InboxCount(seen, max(0, unread - muted_unread), categories)


def _seen(own: MessageCount, public: int, base: int) -> tuple[int, int]:
    """Return the visible and the unread count; never negative, also during concurrent writes."""
    seen = max(0, own.published + max(0, public - base) - own.hidden)
    return seen, max(0, seen - own.read)
