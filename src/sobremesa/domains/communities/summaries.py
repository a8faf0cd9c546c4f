"""Names of channels and their servers, for moderators who are not members."""

from __future__ import annotations

from collections.abc import Sequence

from sobremesa.core.ids import RoomId
from sobremesa.domains.communities.entities import Channel, Server, channel_by_key, pointer_of, server_by_id
from sobremesa.rooms.summaries import RoomSummary, SummarizeRooms
from sobremesa.table import Table


def channel_summaries(table: Table) -> SummarizeRooms:
    """Return the function that summarizes channels."""

    async def summarize(room_ids: Sequence[RoomId]) -> dict[RoomId, RoomSummary]:
        found = await table.get_many([pointer_of(room_id=room_id) for room_id in room_ids])
        pointers = [pointer for pointer in found if pointer is not None]
        servers = list(dict.fromkeys(pointer.server_id for pointer in pointers))
        keys = [channel_by_key(server_id=each.server_id, channel_id=each.room_id) for each in pointers]
        channels = await table.get_many(keys)
        names = dict(
            zip(servers, await table.get_many([server_by_id(server_id=each) for each in servers]), strict=True)
        )
        return {
            pointer.room_id: _summary(pointer.server_id, channel, names[pointer.server_id])
            for pointer, channel in zip(pointers, channels, strict=True)
        }

    return summarize


def _summary(server_id: str, channel: Channel | None, server: Server | None) -> RoomSummary:
    return RoomSummary(
        None if channel is None else channel.name,
        server_id,
        None if server is None or server.deleted_at is not None else server.name,
    )
