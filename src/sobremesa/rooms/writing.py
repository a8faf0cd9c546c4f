"""Writing: one transaction for a message, which is repeated with a newer id if another message was faster."""

from __future__ import annotations

from sobremesa.core.clock import Clock
from sobremesa.core.errors import Busy
from sobremesa.core.ids import Ids, MessageId
from sobremesa.rooms.access import MessageAccess, Seat, newest
from sobremesa.rooms.batching import SendBatches
from sobremesa.rooms.entities import Message
from sobremesa.rooms.errors import NonceReused
from sobremesa.rooms.kinds import RoomKind
from sobremesa.rooms.nonces import NonceOf, Nonces
from sobremesa.rooms.sending import Composer, Draft, HeadChange, JudgedDraft, Send, faster_message
from sobremesa.table import Table
from sobremesa.table.errors import ConditionFailed
from sobremesa.work.keyed_lock import KeyedLocks

SEND_ATTEMPTS = 40


class MessageWriter:
    """Writes messages into rooms of one kind."""

    def __init__(
        self,
        kind: RoomKind,
        table: Table,
        clock: Clock,
        ids: Ids,
        access: MessageAccess,
        locks: KeyedLocks,
        *,
        has_own_clock: bool,
        room_nonces_until: int = 0,
    ) -> None:
        self._kind = kind
        self._table = table
        self._access = access
        self._nonces = Nonces(table, clock, kind.nonce_in_room, room_nonces_until)
        self._locks = locks
        self._composer = composer = Composer(kind, clock, ids, access, has_own_clock=has_own_clock)
        # An engine that keeps the order of transactions commits many at once by itself.
        self._batches = None if table.engine.keeps_order else SendBatches(kind, table, composer, self._write, locks)

    async def write(self, send: Send, head: HeadChange | None = None) -> Message | None:
        """Write a message after all others of its room; None if its nonce created one before.

        ConditionFailed if a condition of the send's `extras` or of `head` failed.
        """
        nonce = send.judged.draft.nonce
        if nonce is not None and await self._nonces.find_in_room(NonceOf(send.seat, nonce)) is not None:
            return None
        if self._batches is not None and head is None:
            return await self._batches.write(send)
        async with self._locks.of(send.seat.room_id):
            return await self._write(send, head)

    async def find_created(self, seat: Seat, draft: Draft) -> MessageId | None:
        """Return the message that this nonce created, or None; NonceReused if its body was different."""
        if draft.nonce is None:
            return None
        nonce = await self._nonces.find(NonceOf(seat, draft.nonce))
        if nonce is None:
            return None
        if nonce.body_hash != draft.hash:
            raise NonceReused(message_id=nonce.message_id)
        return nonce.message_id

    async def _write(self, send: Send, head: HeadChange | None = None) -> Message | None:
        last = send.seat.head.last_message_id
        for _ in range(SEND_ATTEMPTS):
            composed = self._composer.compose(send, last)
            message, additions = composed.message, composed.additions
            try:
                await self._table.write(
                    message=composed.create,
                    head=self._composer.head_update(send.seat, message, composed, additions.head, head),
                    additions=additions.operations,
                    nonce=composed.nonce,
                    extras=composed.extras,
                    pattern=self._kind.send if head is None else head.pattern,
                )
            except ConditionFailed as failed:
                if "nonce" in failed:
                    return None
                if "extras" in failed:
                    raise
                faster = faster_message(failed, self._kind, last)
                if faster is None and head is not None and "head" in failed:
                    raise
                if faster is None:
                    # Another condition: the seat or the room has changed.
                    seat = await self._access.reauthorize(send.seat)
                    seat.require("send")
                    send = send._replace(seat=seat, judged=await self._with_mentions_inside(seat, send.judged))
                    faster = seat.head.last_message_id
                # Another send was faster: this message takes an id after it, so that the room has one order.
                last = newest(last, faster)
            else:
                if additions.after is not None:
                    additions.after()
                return message
        raise Busy("This room is too busy: try again later.")

    async def _with_mentions_inside(self, seat: Seat, judged: JudgedDraft) -> JudgedDraft:
        """Return the draft with the mentions of those who see the room; its access list may have changed."""
        if not seat.is_restricted or not judged.mentions:
            return judged
        inside = await self._access.current_members(seat.room_id, judged.mentions)
        return judged._replace(mentions=[user_id for user_id in judged.mentions if user_id in inside])
