"""Segments: named, stored audiences of a tenant.

A segment is replaced as a whole. The users are stored in parts under a new version, then the row of the segment is
moved to that version, so that a publish finds all of the old users or all of the new ones.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from sobremesa.core.actor import Actor, Tenant, UserId
from sobremesa.core.clock import Clock
from sobremesa.core.errors import NotFound, UnknownUsers
from sobremesa.core.ids import Ids
from sobremesa.domains.accounts.tenancy import list_unknown
from sobremesa.domains.inboxes.publish_entities import (
    Segment,
    SegmentName,
    SegmentPart,
    change_segment,
    parts_of,
    segment_by_name,
    users_in,
)
from sobremesa.domains.inboxes.tenancy import require_key
from sobremesa.table import Delete, Put, Table, less_if_present
from sobremesa.table.errors import ConditionFailed

PART = 1000
"""The users of one row: about 30 KB."""


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
        unknown = await list_unknown(self._table, tenant, uids)
        if unknown:
            raise UnknownUsers.among(unknown)
        version = self._ids.mint()
        row = Segment(tenant=tenant, segment=segment, version=version, users=len(uids), updated_at=self._clock.now())

        parts = [
            SegmentPart(tenant=tenant, segment=segment, version=version, n=n, uids=uids[n * PART : (n + 1) * PART])
            for n in range(-(-len(uids) // PART))
        ]
        await self._table.write_many(map(Put, parts), pattern=change_segment)
        with contextlib.suppress(ConditionFailed):  # a later replacement was faster: it holds
            await self._table.write(Put(row, when=less_if_present("version", version)), pattern=change_segment)
        await self._delete_before(row, version)

        return row

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
        row = await self._get(tenant, segment)
        parts = self._table.every(users_in(tenant=tenant, segment=segment, version=row.version))
        uids = [user_id async for part in parts for user_id in part.uids]
        gone = set(await list_unknown(self._table, tenant, uids))
        return [user_id for user_id in uids if user_id not in gone]

    async def _get(self, tenant: Tenant, segment: SegmentName) -> Segment:
        row = await self._table.get(segment_by_name(tenant=tenant, segment=segment))
        if row is None:
            raise NotFound
        return row

    async def _delete_before(self, row: Segment, version: str) -> None:
        """Delete the parts of earlier versions, also those that an interrupted replacement left."""
        parts = self._table.every(parts_of(tenant=row.tenant, segment=row.segment))
        old = [Delete(part.own_key()) async for part in parts if part.version < version]
        await self._table.write_many(old, pattern=change_segment)
