"""Nonces: which message a client's nonce created, so that a repeated request creates no second one.

A nonce is in the partition of its sender: the partition of a room limits how many messages the room takes. Earlier
versions stored nonces in the partition of their room (`RoomNonce`). Those are honored until they have expired, which
the row `NoncePlace` tells: a table that was in use before has a time until which they are looked for.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from sobremesa.core.actor import UserId
from sobremesa.core.clock import Clock
from sobremesa.core.errors import Refusal
from sobremesa.core.ids import MessageId, RoomId
from sobremesa.table import Create, Entity, Key, Keys, Lookup, Pattern, Table, WritePattern, hash_part
from sobremesa.table.errors import ConditionFailed
from sobremesa.work.table_origin import has_rows

if TYPE_CHECKING:
    from sobremesa.rooms.access import Seat

NONCE_SECONDS = 48 * 3600
SEARCHED_SECONDS = NONCE_SECONDS + 24 * 3600
"""How long nonces in the partitions of rooms are looked for: a day longer than they exist."""


class Nonce(Entity):
    """The message that a nonce created."""

    keys = Keys(pk="USER#{user_id}", sk="NONCE#{room_id}#{nonce_hash}")
    expires = "ttl"

    user_id: str
    """The author. The product's backend, which may send to many rooms at once, has one partition for each room."""
    room_id: RoomId
    nonce_hash: str
    message_id: MessageId
    body_hash: str
    ttl: int


class RoomNonce(Entity):
    """A nonce of an earlier version, in the partition of its room. Each kind of room subclasses it."""

    expires = "ttl"

    room_id: RoomId
    user_id: UserId
    nonce_hash: str
    message_id: MessageId
    body_hash: str
    ttl: int


class NoncePlace(Entity):
    """Until when nonces may also be in the partitions of rooms, in seconds; 0 in a table that never had such nonces."""

    keys = Keys(pk="SYSTEM", sk="NONCES")

    in_rooms_until: int


AnyNonce: TypeAlias = Nonce | RoomNonce

nonce_by_key = Lookup("ROOM.4", "Which message did this nonce create?", Nonce, consistent=True)
nonces_of = Pattern("ROOM.7", "Which nonces has this user?", Nonce, prefix="NONCE#", consistent=True)
forget_nonces = WritePattern("ROOM.8", "Delete the nonces of a deleted user", Nonce)
nonce_place = Lookup("ROOM.5", "Until when may nonces be in the partitions of rooms?", NoncePlace, consistent=True)
note_nonce_place = WritePattern("ROOM.6", "Record until when nonces may be in the partitions of rooms", NoncePlace)


async def search_rooms_until(table: Table, clock: Clock) -> int:
    """Return until when nonces may also be in the partitions of rooms, and record it when it is first asked."""
    found = await table.get(nonce_place())
    if found is not None:
        return found.in_rooms_until
    until = clock.now_seconds() + SEARCHED_SECONDS if await has_rows(table) else 0
    with contextlib.suppress(ConditionFailed):  # another node was faster, and knows as much
        await table.write(Create(NoncePlace(in_rooms_until=until)), pattern=note_nonce_place)
    return until


class NonceOf(NamedTuple):
    """A nonce of a sender in a room."""

    seat: Seat
    nonce: str

    @property
    def key(self) -> Key[Nonce]:
        return nonce_by_key(user_id=self._sender, room_id=self.seat.room_id, nonce_hash=hash_part(self.nonce))

    def creation(self, message_id: MessageId, body_hash: str, now_seconds: int) -> Create[Nonce]:
        """Return the creation of the row that binds the nonce to a message."""
        return Create(
            Nonce(
                user_id=self._sender,
                room_id=self.seat.room_id,
                nonce_hash=hash_part(self.nonce),
                message_id=message_id,
                body_hash=body_hash,
                ttl=now_seconds + NONCE_SECONDS,
            )
        )

    @property
    def _sender(self) -> str:
        seat = self.seat
        return f"{seat.user_id}.{seat.room_id}" if seat.is_system else seat.user_id


class Nonces:
    """The nonces of rooms of one kind."""

    def __init__(self, table: Table, clock: Clock, in_rooms: Lookup[RoomNonce], in_rooms_until: int) -> None:
        self._table = table
        self._clock = clock
        self._in_rooms = in_rooms
        self._in_rooms_until = in_rooms_until

    async def find(self, nonce: NonceOf) -> AnyNonce | None:
        return await self._table.get(nonce.key) or await self.find_in_room(nonce)

    async def find_in_room(self, nonce: NonceOf) -> RoomNonce | None:
        """Return the row of an earlier version; None, without a read, if there cannot be one any more."""
        if self._clock.now_seconds() >= self._in_rooms_until:
            return None
        seat = nonce.seat
        key = self._in_rooms(room_id=seat.room_id, user_id=seat.user_id, nonce_hash=hash_part(nonce.nonce))
        return await self._table.get(key)


class NoncesOfUsers:
    """The nonces of an account, which are removed with it. An export leaves them out: they are hashes."""

    def __init__(self, table: Table) -> None:
        self._table = table

    async def find_objection(self, user_id: UserId) -> Refusal | None:
        return None

    async def delete_user_data(self, user_id: UserId) -> None:
        await self._table.delete_every(nonces_of(user_id=user_id), pattern=forget_nonces)

    async def export(self, user_id: UserId) -> AsyncIterator[Any]:
        return
        yield
