"""Messages of programs that are not in the room, such as incoming webhooks.

They are judged, ordered and published like every message. In place of a membership, the transaction checks the guard
that the program passes, such as the row of the webhook.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import msgspec

from sobremesa.core.actor import Actor, UserId
from sobremesa.core.errors import Busy, NotFound
from sobremesa.core.ids import MessageId, RoomId
from sobremesa.rooms.access import RoomAccess, Seat, SendAdditions
from sobremesa.rooms.archive import find_message
from sobremesa.rooms.cases import Cases
from sobremesa.rooms.context import RoomContext
from sobremesa.rooms.entities import Message
from sobremesa.rooms.judging import JudgedContent
from sobremesa.rooms.kinds import RoomKind
from sobremesa.rooms.rendering import MessageRenderer
from sobremesa.rooms.sending import Draft, JudgedDraft, MessageWriter, no_extras
from sobremesa.rooms.views import SentView
from sobremesa.table import Check, Operation, Table
from sobremesa.work.keyed_lock import KeyedLocks

FindSeat: TypeAlias = Callable[[RoomId, Actor], Awaitable[Seat]]
"""Returns the seat of a program in a room; NotFound if the room does not exist."""

Additions: TypeAlias = Callable[[Seat, Message, MessageId | None], SendAdditions]
"""What a kind of room adds to the transaction of such a message."""


class ProgramMessages:
    """Sends messages of programs to rooms of one kind."""

    def __init__(self, kind: RoomKind, context: RoomContext, find_seat: FindSeat, additions: Additions) -> None:
        self._kind = kind
        self._context = context
        self._find_seat = find_seat
        self._additions = additions
        self._cases = Cases(kind, context.table, context.clock, context.users)
        self._renderer = MessageRenderer(kind, context.table, context.users)
        self._locks = KeyedLocks(needed=not context.table.engine.keeps_order)

    async def send(
        self, author: Actor, room_id: RoomId, draft: Draft, guard: Check[Any], mentions: Sequence[UserId] = ()
    ) -> SentView:
        """Send a message; NotFound if the room or what the guard checks is gone. A repeated nonce replays."""
        seat = await self._find_seat(room_id, author)
        seat.require("send")
        writer = self._writer(guard)
        created = await writer.find_created(seat, draft)
        if created is not None:
            return await self._replay(seat, created)
        judged = await self._judge(seat, JudgedDraft(draft, mentions))
        extras = no_extras if self._context.judge is None else partial(self._cases.operations_for, seat)

        message = await writer.write(seat, judged, extras)

        if message is None:
            created = await writer.find_created(seat, draft)
            if created is None:
                raise Busy
            return await self._replay(seat, created)
        return self._renderer.render_new(message)

    async def _judge(self, seat: Seat, judged: JudgedDraft) -> JudgedDraft:
        judge = self._context.judge
        if judge is None:
            return judged
        written = JudgedContent(
            room_kind=self._kind.name,
            room_id=seat.room_id,
            author_id=seat.user_id,
            content=judged.draft.content,
            mentions=len(judged.mentions),
        )
        verdict = judge.judge_at_once(written) or await judge.judge(written)
        return judged._replace(flags=verdict.flags, nsfw_band=verdict.band)

    async def _replay(self, seat: Seat, message_id: MessageId) -> SentView:
        message = await find_message(self._kind, self._context.table, seat.room_id, message_id)
        if message is None:
            raise NotFound
        [view] = await self._renderer.render(seat, [message])
        return SentView(**msgspec.structs.asdict(view), replayed=True)

    def _writer(self, guard: Check[Any]) -> MessageWriter:
        context = self._context
        access = _GuardedAccess(context.table, guard, self._find_seat, self._additions)
        return MessageWriter(
            self._kind,
            context.table,
            context.clock,
            context.ids,
            access,
            self._locks,
            has_own_clock=context.has_own_clock,
        )


class _GuardedAccess(RoomAccess):
    """Authorizes by a guard in place of a membership, for the writer of messages."""

    def __init__(self, table: Table, guard: Check[Any], find_seat: FindSeat, additions: Additions) -> None:
        self._table = table
        self._guard = guard
        self._find_seat = find_seat
        self._additions = additions

    async def authorize(self, actor: Actor, room_id: RoomId) -> Seat:
        return await self._find_seat(room_id, actor)

    async def authorize_send(self, actor: Actor, room_id: RoomId) -> Seat:
        return await self._find_seat(room_id, actor)

    async def authorize_backend(self, actor: Actor, room_id: RoomId) -> Seat:
        return await self._find_seat(room_id, actor)

    async def authorize_action(self, actor: Actor, room_id: RoomId) -> Seat:
        return await self._find_seat(room_id, actor)

    def send_additions(self, seat: Seat, message: Message, last: MessageId | None) -> SendAdditions:
        additions = self._additions(seat, message, last)
        return additions._replace(operations=[*additions.operations, self._guard])

    async def reauthorize(self, seat: Seat) -> Seat:
        """Read the seat again; NotFound if the row of the guard is gone."""
        if await self._table.get(self._guard.key, consistent=True) is None:
            raise NotFound
        return await self._find_seat(seat.room_id, seat.actor)

    async def seats_of(self, actor: Actor) -> Sequence[Seat]:
        return ()

    async def current_members(self, room_id: RoomId, user_ids: Sequence[UserId]) -> set[UserId]:
        return set()

    def audit(self, seat: Seat, act: str, *, target: str, about: Mapping[str, str]) -> Operation:
        raise NotImplementedError
