"""What imports of messages need of threads."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from functools import partial

from sobremesa.core.actor import DEFAULT_TENANT, UserId
from sobremesa.core.clock import Clock
from sobremesa.core.gather import gather_bounded
from sobremesa.core.ids import RoomId
from sobremesa.domains.threads.entities import THREADS, FormerParticipant, note_authors, participant_of, thread_by_id
from sobremesa.domains.threads.inbox import Inboxes
from sobremesa.rooms.importing import ImportRoom
from sobremesa.table import Create, Table
from sobremesa.table.errors import ConditionFailed

WRITES_AT_ONCE = 8


class ThreadImports:
    """Rooms of imports: threads."""

    kind = THREADS

    def __init__(self, table: Table, clock: Clock, inboxes: Inboxes) -> None:
        self._table = table
        self._clock = clock
        self._inboxes = inboxes

    async def find_room(self, room_id: RoomId) -> ImportRoom | None:
        thread = await self._table.get(thread_by_id(room_id=room_id))
        return None if thread is None else ImportRoom(self.kind, room_id, thread.tenant or DEFAULT_TENANT)

    async def note_authors(self, room_id: RoomId, user_ids: Sequence[UserId]) -> None:
        found = await self._table.get_many([participant_of(room_id=room_id, user_id=user_id) for user_id in user_ids])
        inside = {row.user_id for row in found if row is not None}
        strangers = [user_id for user_id in user_ids if user_id not in inside]
        await gather_bounded(WRITES_AT_ONCE, partial(self._note, room_id), strangers)

    async def moved(self, room_id: RoomId) -> None:
        # A send moves the thread in its own transaction, so the change stream does it only in big threads.
        await self._inboxes.move(room_id)

    async def _note(self, room_id: RoomId, user_id: UserId) -> None:
        former = FormerParticipant(user_id=user_id, room_id=room_id, left_at=self._clock.now())
        with contextlib.suppress(ConditionFailed):
            await self._table.write(Create(former), pattern=note_authors)
