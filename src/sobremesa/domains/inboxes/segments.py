"""Segments: named, stored audiences of a tenant.

A segment is replaced as a whole, also where only some of its users change. The users are stored in parts under a new
version, then the row of the segment is moved to that version, on the condition that it is still at the one before. So a
publish finds all of the old users or all of the new ones, and of concurrent changes none is lost.
"""

from __future__ import annotations

from collections.abc import Sequence

from sobremesa.core.actor import Actor, Tenant, UserId
from sobremesa.core.clock import Clock
from sobremesa.core.errors import Busy, NotFound, UnknownUsers
from sobremesa.core.ids import Ids
from sobremesa.domains.accounts.tenancy import list_unknown
from sobremesa.domains.inboxes.errors import SegmentFull
from sobremesa.domains.inboxes.publish_entities import (
    Segment,
    SegmentName,
    SegmentPart,
    change_segment,
    parts_of,
    segment_by_name,
    segments_of,
    users_in,
)
from sobremesa.domains.inboxes.tenancy import require_key
from sobremesa.table import Delete, Page, Put, Table, absent, equals
from sobremesa.table.errors import ConditionFailed

PART = 1000
"""The users of one row: about 30 KB."""
MAX_USERS = 100_000
ATTEMPTS = 20


class Segments:
    """The segments of all tenants."""

    def __init__(self, table: Table, clock: Clock, ids: Ids) -> None:
        self._table = table
        self._clock = clock
        self._ids = ids

    async def set_segment(
        self, actor: Actor, tenant: Tenant, segment: SegmentName, user_ids: Sequence[UserId]
    ) -> Segment:
        """Create a segment or replace its users; UnknownUsers if some do not exist in the tenant."""
        require_key(actor, tenant, "inbox:admin")
        uids = list(dict.fromkeys(user_ids))
        await self._require_users(tenant, uids)
        for _ in range(ATTEMPTS):
            before = await self._find(tenant, segment)
            row = await self._replace(tenant, segment, before, uids)
            if row is not None:
                return row
        raise Busy

    async def change_users(
        self, actor: Actor, tenant: Tenant, segment: SegmentName, *, add: Sequence[UserId], remove: Sequence[UserId]
    ) -> Segment:
        """Add users to a segment and remove others; one who is in both is removed.

        NotFound if there is no such segment, UnknownUsers if some to add do not exist, SegmentFull if it has too many.
        """
        require_key(actor, tenant, "inbox:admin")
        await self._require_users(tenant, list(dict.fromkeys(add)))
        for _ in range(ATTEMPTS):
            before = await self._get(tenant, segment)
            uids = await self._read(before)
            gone = set(remove)
            changed = [user_id for user_id in dict.fromkeys([*uids, *add]) if user_id not in gone]
            if len(changed) > MAX_USERS:
                raise SegmentFull(limit=MAX_USERS)
            if len(uids) == before.users and changed == uids:
                return before
            row = await self._replace(tenant, segment, before, changed) if len(uids) == before.users else None
            if row is not None:
                return row
        raise Busy

    async def list_segments(self, actor: Actor, tenant: Tenant, *, limit: int, cursor: str | None) -> Page[Segment]:
        """List the segments of a tenant by name."""
        require_key(actor, tenant, "inbox:read", "inbox:admin", "inbox:publish")
        return await self._table.query(segments_of(tenant=tenant), limit=limit, cursor=cursor)

    async def get_segment(self, actor: Actor, tenant: Tenant, segment: SegmentName) -> Segment:
        """Return a segment; NotFound if there is none."""
        require_key(actor, tenant, "inbox:read", "inbox:admin", "inbox:publish")
        return await self._get(tenant, segment)

    async def delete_segment(self, actor: Actor, tenant: Tenant, segment: SegmentName) -> None:
        """Delete a segment; NotFound if there is none."""
        require_key(actor, tenant, "inbox:admin")
        row = await self._get(tenant, segment)
        await self._table.write(Delete(row.own_key()), pattern=change_segment)
        await self._delete_before(row, self._ids.mint())

    async def list_users(self, tenant: Tenant, segment: SegmentName) -> list[UserId]:
        """Return the users of a segment who still exist; NotFound if there is no such segment."""
        for _ in range(ATTEMPTS):
            row = await self._get(tenant, segment)
            uids = await self._read(row)
            if len(uids) == row.users:
                gone = set(await list_unknown(self._table, tenant, uids))
                return [user_id for user_id in uids if user_id not in gone]
        raise Busy

    async def _require_users(self, tenant: Tenant, uids: Sequence[UserId]) -> None:
        unknown = await list_unknown(self._table, tenant, uids)
        if unknown:
            raise UnknownUsers.among(unknown)

    async def _find(self, tenant: Tenant, segment: SegmentName) -> Segment | None:
        return await self._table.get(segment_by_name(tenant=tenant, segment=segment))

    async def _get(self, tenant: Tenant, segment: SegmentName) -> Segment:
        row = await self._find(tenant, segment)
        if row is None:
            raise NotFound
        return row

    async def _read(self, row: Segment) -> list[UserId]:
        """Return the users of a version; fewer than it has if it was replaced meanwhile."""
        parts = self._table.every(users_in(tenant=row.tenant, segment=row.segment, version=row.version))
        return [user_id async for part in parts for user_id in part.uids]

    async def _replace(
        self, tenant: Tenant, segment: SegmentName, before: Segment | None, uids: list[UserId]
    ) -> Segment | None:
        """Store users as a new version of a segment; None if it has changed since `before`."""
        version = self._ids.mint() if before is None else self._ids.mint_after(before.version)
        row = Segment(tenant=tenant, segment=segment, version=version, users=len(uids), updated_at=self._clock.now())
        parts = [
            SegmentPart(tenant=tenant, segment=segment, version=version, n=n, uids=uids[n * PART : (n + 1) * PART])
            for n in range(-(-len(uids) // PART))
        ]
        await self._table.write_many(map(Put, parts), pattern=change_segment)
        same = absent() if before is None else equals("version", before.version)
        try:
            await self._table.write(Put(row, when=same), pattern=change_segment)
        except ConditionFailed:
            await self._table.write_many([Delete(part.own_key()) for part in parts], pattern=change_segment)
            return None
        await self._delete_before(row, version)
        return row

    async def _delete_before(self, row: Segment, version: str) -> None:
        """Delete the parts of earlier versions, also those that an interrupted replacement left."""
        parts = self._table.every(parts_of(tenant=row.tenant, segment=row.segment))
        old = [Delete(part.own_key()) async for part in parts if part.version < version]
        await self._table.write_many(old, pattern=change_segment)
