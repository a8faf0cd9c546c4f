"""Pinned messages."""

from __future__ import annotations

import contextlib
from functools import partial

from sobremesa.core.clock import Clock
from sobremesa.core.errors import NotFound
from sobremesa.core.ids import MessageId
from sobremesa.rooms.access import RoomAccess, Seat
from sobremesa.rooms.archive import Archive
from sobremesa.rooms.errors import TooManyPins
from sobremesa.rooms.kinds import RoomKind
from sobremesa.rooms.rendering import MessageRenderer
from sobremesa.rooms.views import PinView
from sobremesa.rooms.visibility import may_see
from sobremesa.table import Check, Create, Delete, Operation, Table, differs, present
from sobremesa.table.errors import ConditionFailed
from sobremesa.work.quotas import Quotas

MAX_PINS = 100


class Pins:
    """Pins messages in rooms of one kind."""

    def __init__(
        self,
        kind: RoomKind,
        table: Table,
        clock: Clock,
        access: RoomAccess,
        archive: Archive,
        renderer: MessageRenderer,
    ) -> None:
        self._kind = kind
        self._table = table
        self._clock = clock
        self._access = access
        self._archive = archive
        self._renderer = renderer
        self._quotas = Quotas(table, clock)

    async def pin(self, seat: Seat, message_id: MessageId) -> None:
        """Pin a message; pinning it again has no effect."""
        message = await self._archive.get(seat, message_id)
        if await self._table.get(self._kind.pin_by_key(room_id=seat.room_id, message_id=message_id)) is not None:
            return

        now = self._clock.now()
        pin = self._kind.pin(room_id=seat.room_id, message_id=message_id, pinned_by=seat.user_id, pinned_at=now)
        about = {"messageId": message_id, "roomId": seat.room_id}
        try:
            await self._quotas.create(
                partial(self._reserve, seat),
                message=Check(message.own_key(), when=present() & differs("deleted", True)),
                pin=Create(pin),
                audit=self._access.audit(seat, "message.pin", target=message.author_id, about=about),
                pattern=self._kind.set_pin,
            )
        except ConditionFailed as failed:
            if "message" in failed:
                raise NotFound from None
            # Otherwise another user has pinned it.

    async def _reserve(self, seat: Seat) -> Operation:
        """Return the operation that counts one more pin; TooManyPins if the room has the maximum."""
        question = self._kind.pins(room_id=seat.room_id)
        reserved = await self._quotas.reserve("pins", seat.room_id, question, MAX_PINS)
        if reserved is None and await self._remove_stale_pins(seat):
            reserved = await self._quotas.reserve("pins", seat.room_id, question, MAX_PINS)
        if reserved is None:
            raise TooManyPins(limit=MAX_PINS)
        return reserved

    async def _remove_stale_pins(self, seat: Seat) -> bool:
        """Remove pins of deleted messages, which older versions left; return whether there were any."""
        pins = (await self._table.query(self._kind.pins(room_id=seat.room_id), limit=MAX_PINS)).items
        found = await self._archive.find_all(seat, [pin.message_id for pin in pins])
        stale = [
            Delete(pin.own_key())
            for pin, message in zip(pins, found, strict=True)
            if message is not None and message.deleted
        ]
        return await self._table.write_many(stale, pattern=self._kind.set_pin) > 0

    async def unpin(self, seat: Seat, message_id: MessageId) -> None:
        """Unpin a message; unpinning one that is not pinned has no effect."""
        about = {"messageId": message_id, "roomId": seat.room_id}
        with contextlib.suppress(ConditionFailed):
            await self._table.write(
                pin=Delete(self._kind.pin_by_key(room_id=seat.room_id, message_id=message_id)),
                audit=self._access.audit(seat, "message.unpin", target=message_id, about=about),
                pattern=self._kind.set_pin,
            )

    async def list(self, seat: Seat, *, limit: int, cursor: str | None) -> tuple[list[PinView], str | None]:
        """Return a page of pinned messages, newest message first."""
        page = await self._table.query(self._kind.pins(room_id=seat.room_id), limit=limit, cursor=cursor)
        found = await self._archive.find_all(seat, [pin.message_id for pin in page.items])
        kept = [
            (pin, message)
            for pin, message in zip(page.items, found, strict=True)
            if message is not None and not message.deleted and may_see(seat, message)
        ]
        views = await self._renderer.render(seat, [message for _, message in kept])

        return [
            PinView(view, pin.pinned_by, pin.pinned_at) for (pin, _), view in zip(kept, views, strict=True)
        ], page.cursor
