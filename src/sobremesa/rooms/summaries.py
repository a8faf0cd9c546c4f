"""Room summaries: names of rooms, for moderators who are not members."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from sobremesa.core.ids import RoomId
from sobremesa.http.endpoints import Output
from sobremesa.rooms.kinds import RoomKind
from sobremesa.table import Table


class RoomSummary(Output):
    """The name of a room: direct conversations and threads have none, and only channels have a server."""

    name: str | None
    server_id: str | None = None
    server_name: str | None = None


SummarizeRooms: TypeAlias = Callable[[Sequence[RoomId]], Awaitable[dict[RoomId, RoomSummary]]]
"""Returns the summaries of rooms of one kind; deleted rooms are left out."""


def summaries_by_head(kind: RoomKind, table: Table) -> SummarizeRooms:
    """Return the function that summarizes rooms whose head has the name."""

    async def summarize(room_ids: Sequence[RoomId]) -> dict[RoomId, RoomSummary]:
        heads = await table.get_many([kind.head_by_key(room_id=room_id) for room_id in room_ids])
        return {head.room_id: RoomSummary(head.title) for head in heads if head is not None}

    return summarize
