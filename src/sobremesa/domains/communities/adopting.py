"""Adoption of communities that another program wrote: directory entries, channel pointers and invite claims."""

from __future__ import annotations

from collections.abc import Sequence

from sobremesa.core.clock import Clock
from sobremesa.domains.communities.entities import (
    CHANNELS,
    Channel,
    ChannelPointer,
    Invite,
    InviteClaim,
    Server,
    claim_of,
    pointer_of,
)
from sobremesa.domains.communities.service import shard_of
from sobremesa.rooms.adopting import find_last, last_message
from sobremesa.table import (
    Check,
    Create,
    Table,
    Update,
    absent_or_null,
    present,
    set_to,
)
from sobremesa.work.migration import Companions, Move, Step


def moves(table: Table, clock: Clock) -> Sequence[Move]:
    """Return the steps that complete servers, channels and invites."""

    async def server(row: Server) -> Sequence[Step]:
        if row.shard is not None or row.deleted_at is not None:
            return ()
        listed = set_to(shard=shard_of(row.server_id), created_at=row.created_at, tenant=row.tenant)
        still = absent_or_null("shard") & absent_or_null("deleted_at")
        return (Step("it is not in the directory", [Update(row.own_key(), listed, when=still)]),)

    async def channel(row: Channel) -> Sequence[Step]:
        pointer = await table.get(pointer_of(room_id=row.channel_id))
        if pointer is None:
            newest = await find_last(CHANNELS, table, clock, row.channel_id)
            last = None if newest is None else newest.message_id
            created = ChannelPointer(room_id=row.channel_id, server_id=row.server_id, last_message_id=last)
            return (Step("it has no pointer", [Create(created), Check(row.own_key(), when=present())]),)
        return await last_message(CHANNELS, table, clock, pointer)

    async def invite(row: Invite) -> Sequence[Step]:
        if row.revoked or (row.ttl is not None and row.ttl <= clock.now_seconds()):
            return ()
        claim = await table.get(claim_of(code=row.code))
        if claim is not None:
            return () if claim.server_id == row.server_id else (Step("its code leads elsewhere"),)
        claimed = Create(InviteClaim(code=row.code, server_id=row.server_id, ttl=row.ttl))
        return (Step("its code is not claimed", [claimed, Check(row.own_key(), when=present())]),)

    return (Companions(Server, server), Companions(Channel, channel), Companions(Invite, invite))
