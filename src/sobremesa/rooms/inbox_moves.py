"""Moves rooms up in the inboxes of their participants after a message.

It consumes the change stream, so it works for messages of every writer, and after a crash. A position in an inbox only
moves forward, so a move is idempotent.
"""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

import structlog

from sobremesa.core.clock import Instant
from sobremesa.core.gather import gather_bounded
from sobremesa.core.ids import RoomId
from sobremesa.rooms.entities import ReadCursor
from sobremesa.table import RawChange, Table, Update, WritePattern, less, less_if_present, set_to
from sobremesa.table.errors import BadRow, ConditionFailed

ROOMS_AT_ONCE = 8
SEATS_AT_ONCE = 10

_log = structlog.get_logger("sobremesa.rooms")


class InboxMove(NamedTuple):
    """A seat, its position in its user's inbox, and the position that it moves to."""

    seat: ReadCursor
    seen: Instant | None
    to: Instant


class InboxMoves(ABC):
    """Moves rooms of one kind, whose head and seats have the field `last_message_at`."""

    pattern: WritePattern

    def __init__(self, table: Table) -> None:
        self._table = table
        self._waiting: set[RoomId] = set()

    @abstractmethod
    def find_room(self, new: dict[str, Any], old: dict[str, Any] | None) -> RoomId | None:
        """Return the room that a changed row moves in inboxes, or None."""

    @abstractmethod
    async def list_moves(self, room_id: RoomId) -> Sequence[InboxMove]:
        """Return the positions of a room in the inboxes that it moves in."""

    def collect(self, change: RawChange) -> None:
        room_id = None if change.new is None else self.find_room(change.new, change.old)
        if room_id is not None:
            self._waiting.add(room_id)

    async def flush(self) -> None:
        await gather_bounded(ROOMS_AT_ONCE, self._move_waiting, self._waiting)

    async def move(self, room_id: RoomId) -> None:
        """Move a room to its last message in the inboxes of its participants. Idempotent."""
        moves = await self.list_moves(room_id)
        await gather_bounded(SEATS_AT_ONCE, self._move_seat, [each for each in moves if (each.seen or "") < each.to])

    async def _move_waiting(self, room_id: RoomId) -> None:
        try:
            await self.move(room_id)
        except BadRow as error:
            # It would fail again the next time, and must not delay all other rooms forever.
            _log.warning("could not update inboxes", room_id=room_id, error=str(error))
        self._waiting.discard(room_id)

    async def _move_seat(self, move: InboxMove) -> None:
        # A seat that lost its position is in a group that became big meanwhile, and stays without one.
        forward = less_if_present if move.seen is None else less
        changes, when = set_to(last_message_at=move.to), forward("last_message_at", move.to)
        with contextlib.suppress(ConditionFailed):
            await self._table.write(Update(move.seat.own_key(), changes, when=when), pattern=self.pattern)
