"""What a ready needs, in few requests: everything that the subscriptions and the snapshot are about to read.

Both ask the domains, which read by themselves, one after the other. Here their questions and keys are known at once:
five questions side by side, then the rows that these name, then the channels. An ordinary user costs nine requests,
and one more for each room in which unread messages must be counted.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from sobremesa.core.actor import Actor, UserId
from sobremesa.core.gather import gather_bounded
from sobremesa.domains.accounts.entities import user_by_id
from sobremesa.domains.communities import entities as communities
from sobremesa.domains.communities.service import Communities
from sobremesa.domains.conversations import entities as conversations
from sobremesa.domains.inboxes.broadcasts import Broadcasts
from sobremesa.domains.inboxes.current_counts import Counts
from sobremesa.domains.inboxes.entities import InboxConfig, UserStats
from sobremesa.domains.inboxes.partitions import UserPartition
from sobremesa.domains.threads import entities as threads
from sobremesa.domains.workspaces import entities as workspaces
from sobremesa.table import Key, Table
from sobremesa.table.prefetch import Prefetch, prefetching

READ_AT_ONCE = 16
MAX_ROWS = 2000
"""Of a user in more places than this, nothing is prefetched: their lists are paged, and would be read in vain."""
MAX_CATEGORIES = 20
"""Of an inbox with more categories, the counts are read by a query."""


class _Listed(NamedTuple):
    """What the questions have found."""

    servers: Sequence[communities.ServerMembership]
    conversations: Sequence[conversations.Participant]
    threads: Sequence[threads.Participant]
    workspaces: Sequence[Any]
    inboxes: Sequence[InboxConfig]

    def rows(self, user_id: UserId) -> Iterable[Key[Any]]:
        """Yield the keys of the rows that decide about memberships, and of what the lists show."""
        yield user_by_id(user_id=user_id)
        for membership in self.servers:
            yield communities.membership(user_id=user_id, server_id=membership.server_id)
            yield communities.server_by_id(server_id=membership.server_id)
        for seat in self.conversations:
            yield conversations.seat_of(room_id=seat.room_id, user_id=user_id)
            yield conversations.conversation_by_id(room_id=seat.room_id)
            if seat.other_id is not None:
                yield user_by_id(user_id=seat.other_id)
        for participant in self.threads:
            yield threads.participant_of(room_id=participant.room_id, user_id=user_id)
            yield threads.thread_by_id(room_id=participant.room_id)
        for row in self.workspaces:
            if isinstance(row, workspaces.Member):
                yield workspaces.membership(workspace_id=row.workspace_id, user_id=user_id)
                yield workspaces.workspace_by_id(workspace_id=row.workspace_id)


class ReadyPrefetch:
    """Reads ahead what a ready needs."""

    def __init__(self, table: Table, channels: Communities, broadcasts: Broadcasts) -> None:
        self._table = table
        self._communities = channels
        self._broadcasts = broadcasts

    @asynccontextmanager
    async def __call__(self, actor: Actor) -> AsyncIterator[None]:
        """Read ahead, and serve what is read inside the block; where reads cost no request, it is left out."""
        if self._table.engine.version_of(user_by_id(user_id=actor.user_id).raw.pk) is not None:
            yield
            return
        with prefetching(self._table) as prefetch:
            listed = await self._listed(prefetch, actor)
            if sum(map(len, listed)) <= MAX_ROWS:
                await self._rows(prefetch, actor, listed)
            yield

    async def _listed(self, prefetch: Prefetch, actor: Actor) -> _Listed:
        user_id = actor.user_id
        return _Listed(
            *await asyncio.gather(
                prefetch.every(communities.servers_of(user_id=user_id)),
                prefetch.every(conversations.conversations_of(user_id=user_id)),
                prefetch.every(threads.inbox_of(user_id=user_id)),
                prefetch.every(workspaces.workspaces_of(user_id=user_id)),
                self._broadcasts.inboxes(actor.tenant),
            )
        )

    async def _rows(self, prefetch: Prefetch, actor: Actor, listed: _Listed) -> None:
        partitions = [UserPartition(actor.tenant, actor.user_id, config.inbox) for config in listed.inboxes]
        found = await prefetch.get_many([*listed.rows(actor.user_id), *(own.total() for own in partitions)])
        servers = [row for row in found if isinstance(row, communities.Server) and row.deleted_at is None]
        channels = [channel for some in await self._channels(prefetch, servers) for channel in some]
        mine = {row.inbox: row for row in found if isinstance(row, UserStats)}
        public = await gather_bounded(READ_AT_ONCE, lambda own: self._broadcasts.counts(own.public), partitions)
        counts = [_Counts(own, mine.get(own.inbox), theirs) for own, theirs in zip(partitions, public, strict=True)]
        known = [each for each in counts if each.are_listed]
        await prefetch.get_many(
            [
                *(communities.pointer_of(room_id=channel.channel_id) for channel in channels),
                *(communities.last_read(room_id=channel.channel_id, user_id=actor.user_id) for channel in channels),
                *(key for each in known for key in each.own_keys()),
            ]
        )
        for each in known:
            prefetch.answer(each.own.counts(), each.own_keys())

    async def _channels(
        self, prefetch: Prefetch, servers: Sequence[communities.Server]
    ) -> list[Sequence[communities.Channel]]:
        async def of(server: communities.Server) -> Sequence[communities.Channel]:
            if server.has_access_lists:
                await prefetch.every(communities.access_lists_of(server_id=server.server_id))
            cached = self._communities.cached_channels(server)
            return cached or await prefetch.every(communities.channels_of(server_id=server.server_id))

        return await gather_bounded(READ_AT_ONCE, of, servers)


class _Counts(NamedTuple):
    """The total of a user in an inbox, which lists its categories, and the counts of broadcasts."""

    own: UserPartition
    mine: UserStats | None
    public: Counts

    @property
    def are_listed(self) -> bool:
        """Whether the rows of all categories can be read by key."""
        return self.mine is not None and bool(self.mine.lists_categories) and len(self._names()) <= MAX_CATEGORIES

    def _names(self) -> list[str]:
        # Also the categories of broadcasts, which the user may have muted without a message of their own.
        return sorted({*(self.mine.categories if self.mine else ()), *self.public.categories})

    def own_keys(self) -> list[Key[Any]]:
        return [self.own.total(), *map(self.own.category, self._names())]
