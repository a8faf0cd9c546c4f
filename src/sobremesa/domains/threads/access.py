"""Access to threads: participants, their rights, and the authorization of messages.

All reads are consistent and fail closed: a user who is not in a thread gets NotFound. The conditions of a send (the
thread is open, the author is in it and not blocked) are part of the write itself.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import msgspec

from sobremesa.core.actor import SYSTEM, Actor, UserId
from sobremesa.core.clock import Clock, Instant, milliseconds
from sobremesa.core.errors import ChangedMeanwhile, NotFound, Refusal
from sobremesa.core.ids import MessageId, RoomId, first_of
from sobremesa.domains.accounts.audit import Audit
from sobremesa.domains.accounts.entities import Block, block_of
from sobremesa.domains.threads.copies import copied_unchanged, copy_of, participants_unchanged
from sobremesa.domains.threads.entities import (
    Participant,
    RoleContext,
    Thread,
    ThreadMessage,
    inbox_of,
    move_inboxes,
    participant_of,
    participants_in,
    thread_by_id,
)
from sobremesa.domains.threads.errors import Blocked, ThreadNotOpen
from sobremesa.domains.threads.inbox import AT_ONCE, Inboxes
from sobremesa.rooms.access import RoomRight, Seat, SendAdditions, backend_rights
from sobremesa.rooms.entities import Message
from sobremesa.table import (
    Check,
    Condition,
    Key,
    Operation,
    ReadCache,
    Table,
    Update,
    absent,
    absent_or_null,
    always,
    at_most,
    equals,
    present,
    set_to,
)
from sobremesa.table.errors import ConditionFailed

CACHE_SIZE = 10_000
MAX_SEATS = 1000
"""For how many of the newest threads the unread counts are returned together."""

SYSTEM_ACTOR = Actor.of_user(SYSTEM, "system")
"""The actor of what no user does, such as a card that a program of the operator moves."""

_RIGHTS: frozenset[RoomRight] = frozenset({"read", "send", "pin"})
RIGHTS: dict[RoleContext, frozenset[RoomRight]] = {
    "buyer": _RIGHTS,
    "seller": _RIGHTS,
    "admin": _RIGHTS.union({"moderate"}),
}

IS_OPEN = equals("status", "open") | absent_or_null("status")
"""The condition on a thread's head for adding something to it."""


def not_blocked(now: Instant) -> Condition:
    """Return the condition on a participant's row for adding something."""
    return absent_or_null("blocked_until") | at_most("blocked_until", now)


class ThreadSeat(Seat, frozen=True, kw_only=True):
    """A participant of a thread, or the system, which has no row in it."""

    thread: Thread
    participant: Participant | None
    inbox: Sequence[UserId]
    """The users whose inboxes a message updates."""
    notice: Notice | None = None
    """The change that a notice is about, if this seat is for one. Notices are also written in closed threads."""
    copied: Thread | None
    """The thread as it is after the message, for the copies in the rows of its participants; None for no copies."""

    @property
    def cursor(self) -> Participant | None:
        return self.participant


class Notice(NamedTuple):
    """A change of a thread that adds a message: its caller, and the user who joins or leaves."""

    by: Caller
    about: Actor | None = None
    becomes: Mapping[str, Any] | None = None
    """The fields of the thread that change; None if they are not known before the write."""


class Caller(NamedTuple):
    """A user with access to a thread: a participant, or an administrator of its tenant."""

    actor: Actor
    thread: Thread
    participant: Participant | None

    @property
    def role(self) -> RoleContext:
        return "admin" if self.participant is None else self.participant.role_context

    @property
    def is_admin(self) -> bool:
        """Whether the caller has the rights of an admin of the thread."""
        return self.role == "admin" or self.actor.administers(self.thread.tenant)

    def still(self) -> list[Operation]:
        """Return the check that the caller's role has not changed, for the transaction of a change."""
        if self.participant is None:
            return []
        same = present() & equals("role_context", self.participant.role_context)
        return [Check(self.participant.own_key(), when=same)]


class Access:
    """Authorizes access to threads."""

    def __init__(self, table: Table, clock: Clock, audit: Audit, inboxes: Inboxes) -> None:
        self._table = table
        self._clock = clock
        self._audit = audit
        self._inboxes = inboxes
        self._rows: ReadCache[tuple[UserId, RoomId], tuple[Thread | None, Participant | None]] = ReadCache(
            table, CACHE_SIZE
        )

    async def require(self, actor: Actor, room_id: RoomId) -> Caller:
        """Return the caller: a participant, or an administrator or backend of the tenant; NotFound for others."""
        thread, participant = await self._find(actor.user_id, room_id)
        if thread is None:
            raise NotFound
        is_system = actor.is_system and actor.is_of(thread.tenant)
        if participant is None and not is_system and not actor.administers(thread.tenant):
            raise NotFound
        return Caller(actor, thread, participant)

    async def require_party(self, actor: Actor, room_id: RoomId) -> RoleContext:
        """Return the role of a participant; NotFound if they are not in the thread."""
        _, participant = await self._inside(actor, room_id)
        return participant.role_context

    def seat_of(self, actor: Actor, thread: Thread, participant: Participant) -> ThreadSeat:
        """Return the seat of a participant from their rows."""
        return ThreadSeat(
            actor=actor,
            head=thread,
            joined_at=participant.joined_at,
            rights=RIGHTS[participant.role_context],
            scope=thread.room_id,
            silenced=self._silenced(thread, participant),
            safe_mode=thread.safe_mode_required,
            thread=thread,
            participant=participant,
            inbox=thread.participants,
            copied=thread,
        )

    async def system_seat(self, room_id: RoomId) -> ThreadSeat:
        """Return the seat of the system in a thread; NotFound if it does not exist."""
        thread = await self._table.get(thread_by_id(room_id=room_id))
        if thread is None:
            raise NotFound
        return ThreadSeat(
            actor=SYSTEM_ACTOR,
            head=thread,
            joined_at=thread.created_at,
            rights=_RIGHTS,
            scope=room_id,
            silenced=None if thread.status == "open" else ThreadNotOpen(thread_status=thread.status),
            thread=thread,
            participant=None,
            inbox=thread.participants,
            copied=thread,
        )

    def notice_seat(
        self, caller: Caller, about: Actor | None = None, *, becomes: Mapping[str, Any] | None = None
    ) -> ThreadSeat:
        """Return the seat for a notice of a change that a participant or an administrator makes.

        A notice about a user who joins or leaves has that user as its author: their name leaves it with their account.
        """
        author, thread = about or caller.actor, caller.thread
        # The row of a user who joins or leaves is written by the change itself.
        is_own_row_free = about is None or about.user_id != caller.actor.user_id
        return ThreadSeat(
            actor=author,
            head=thread,
            joined_at=thread.created_at,
            rights=_RIGHTS,
            scope=thread.room_id,
            thread=thread,
            participant=caller.participant if is_own_row_free else None,
            inbox=thread.participants,
            notice=Notice(caller, about, becomes),
            copied=None if becomes is None else msgspec.structs.replace(thread, **becomes),
        )

    async def rows_of(
        self, user_id: UserId, room_ids: Sequence[RoomId]
    ) -> list[tuple[Thread | None, Participant | None]]:
        """Return the heads and a user's own rows of several threads, read together and consistently."""
        heads: list[Key[Thread] | Key[Participant]] = [thread_by_id(room_id=room_id) for room_id in room_ids]
        inside = [participant_of(room_id=room_id, user_id=user_id) for room_id in room_ids]
        found = await self._table.get_many([*heads, *inside], consistent=True)
        threads = [row if isinstance(row, Thread) else None for row in found[: len(room_ids)]]
        own = [row if isinstance(row, Participant) else None for row in found[len(room_ids) :]]
        return list(zip(threads, own, strict=True))

    # Authorization of messages

    async def authorize(self, actor: Actor, room_id: RoomId) -> ThreadSeat:
        return self.seat_of(actor, *await self._inside(actor, room_id))

    async def authorize_send(self, actor: Actor, room_id: RoomId) -> ThreadSeat:
        return await self.authorize(actor, room_id)

    async def authorize_backend(self, actor: Actor, room_id: RoomId) -> ThreadSeat:
        seat = await self.system_seat(room_id)
        actor.require_tenant(seat.thread.tenant)
        return msgspec.structs.replace(seat, actor=actor.as_system(), rights=backend_rights(actor), is_system=True)

    async def authorize_action(self, actor: Actor, room_id: RoomId) -> ThreadSeat:
        return await self._with_block(await self.authorize(actor, room_id))

    async def reauthorize(self, seat: Seat) -> ThreadSeat:
        """Return the current seat, with the inboxes from the participants' own rows: the cached list may be wrong."""
        own = _thread_seat(seat)
        if own.notice is not None:
            again = await self._notice_again(seat.room_id, own.notice)
        elif own.participant is None:
            again = msgspec.structs.replace(
                await self.system_seat(seat.room_id), actor=seat.actor, rights=seat.rights, is_system=seat.is_system
            )
        else:
            again = await self.authorize(seat.actor, seat.room_id)
        inside = [participant.user_id async for participant in self._table.every(participants_in(room_id=seat.room_id))]
        if set(inside) != set(again.thread.participants):
            again = msgspec.structs.replace(again, copied=None)
            unchanged = participants_unchanged(again.thread)
            repaired = Update(again.thread.own_key(), set_to(participants=inside), when=unchanged)
            with contextlib.suppress(ConditionFailed):
                await self._table.write(repaired, pattern=move_inboxes)
        return await self._with_block(msgspec.structs.replace(again, inbox=inside))

    def not_blocked_by_other_party(self, seat: ThreadSeat) -> list[Operation]:
        """Return the check that the other party has not blocked the author, for the transaction of a write."""
        key = _other_party_block(seat)
        return [] if key is None else [Check(key, when=absent())]

    async def _with_block(self, seat: ThreadSeat) -> ThreadSeat:
        """Return the seat, silenced if the other party has blocked the user."""
        key = _other_party_block(seat)
        if seat.silenced is not None or key is None or await self._table.get(key, consistent=True) is None:
            return seat
        return msgspec.structs.replace(seat, silenced=Blocked())

    def send_additions(self, seat: Seat, message: Message, last: MessageId | None) -> SendAdditions:
        """Require an open thread and an author who is in it and not blocked, and move the thread up in all inboxes."""
        own = _thread_seat(seat)
        if not isinstance(message, ThreadMessage):
            raise TypeError(f"{message!r} is no message of a thread")
        head, operations = IS_OPEN if own.notice is None else always(), list[Operation]()
        # Where not all inboxes are in the transaction, no participant has a copy.
        copied = own.copied if len(own.inbox) < AT_ONCE else None
        copy = None if copied is None else copy_of(copied, message.message_id)
        if copy is not None:
            head &= copied_unchanged(own.thread)
        moves_up = set_to(last_message_at=message.iso, thread=copy)
        if own.participant is not None:
            changes = moves_up
            if _has_read_all(own.thread, own.participant, last):
                # The author's own message counts as read, on the head's condition that there is no other new one.
                read = own.participant.message_fields(message)
                changes += set_to(last_read_message_id=message.message_id, updated_at=message.created_at, **read)
                head &= absent_or_null("last_message_id") if last is None else equals("last_message_id", last)
            same = equals("role_context", own.participant.role_context)
            if own.notice is None:
                same &= not_blocked(self._clock.now())
            operations.append(Update(own.participant.own_key(), changes, when=same))
        # Another writer's list may have duplicates, and a transaction has one operation per row.
        moved = {seat.user_id} if own.participant is None else {seat.user_id, own.participant.user_id}
        others = [user_id for user_id in dict.fromkeys(own.inbox) if user_id not in moved]
        near = others[: AT_ONCE - len(operations)]
        operations += [Update(participant_of(room_id=seat.room_id, user_id=user_id), moves_up) for user_id in near]
        operations += self.not_blocked_by_other_party(own)
        # The remaining inboxes, if there are too many or the list is missing, are updated afterwards.
        all_moved = len(near) == len(others) and own.inbox
        return SendAdditions(operations, head, None if all_moved else partial(self._inboxes.move_soon, seat.room_id))

    async def seats_of(self, actor: Actor) -> Sequence[ThreadSeat]:
        """Return the actor's seats in the threads with the newest messages."""
        newest = await self._table.query(inbox_of(user_id=actor.user_id), limit=MAX_SEATS)
        rows = await self.rows_of(actor.user_id, [participant.room_id for participant in newest.items])
        return [self.seat_of(actor, thread, row) for thread, row in rows if thread is not None and row is not None]

    async def current_members(self, room_id: RoomId, user_ids: Sequence[UserId]) -> set[UserId]:
        keys = [participant_of(room_id=room_id, user_id=user_id) for user_id in user_ids]
        return {participant.user_id for participant in await self._table.get_many(keys) if participant is not None}

    def audit(self, seat: Seat, act: str, *, target: str, about: Mapping[str, str]) -> Operation:
        return self._audit.entry(seat.scope, seat.actor, act, target=target, details=about)

    # Inside

    async def _notice_again(self, room_id: RoomId, notice: Notice) -> ThreadSeat:
        """Return the current seat for a notice; ChangedMeanwhile if the caller's role has changed."""
        caller = await self.require(notice.by.actor, room_id)
        if caller.role != notice.by.role:
            raise ChangedMeanwhile
        return self.notice_seat(caller, notice.about, becomes=notice.becomes)

    async def _inside(self, actor: Actor, room_id: RoomId) -> tuple[Thread, Participant]:
        thread, participant = await self._find(actor.user_id, room_id)
        if thread is None or participant is None:
            raise NotFound
        return thread, participant

    async def _find(self, user_id: UserId, room_id: RoomId) -> tuple[Thread | None, Participant | None]:
        return await self._rows.get_or_load(
            (user_id, room_id),
            lambda: self._table.get_pair(
                thread_by_id(room_id=room_id), participant_of(room_id=room_id, user_id=user_id), consistent=True
            ),
        )

    def _silenced(self, thread: Thread, participant: Participant) -> Refusal | None:
        if thread.status != "open":
            return ThreadNotOpen(thread_status=thread.status)
        if is_blocked(participant, self._clock.now()):
            return Blocked(until=participant.blocked_until)
        return None


def is_blocked(participant: Participant, now: Instant) -> bool:
    return participant.blocked_until is not None and participant.blocked_until > now


def _other_party_block(seat: ThreadSeat) -> Key[Block] | None:
    """Return the key of the other party's block of this user; None for admins and the system."""
    if seat.participant is None or seat.participant.role_context == "admin" or seat.notice is not None:
        return None
    thread = seat.thread
    other = thread.seller_user_id if seat.participant.role_context == "buyer" else thread.buyer_user_id
    return block_of(user_id=other, blocked_id=seat.user_id)


def _thread_seat(seat: Seat) -> ThreadSeat:
    if not isinstance(seat, ThreadSeat):
        raise TypeError(f"{seat!r} is no seat of a thread")
    return seat


def _has_read_all(thread: Thread, participant: Participant, last: MessageId | None) -> bool:
    """Return whether the participant has read up to the last message, or joined after it."""
    if last is None:
        return thread.last_message_at is None  # another writer may have left messages without an id
    if participant.last_read_message_id == last:
        return True
    try:
        return last < first_of(milliseconds(participant.joined_at))
    except ValueError:
        return False  # another writer's time, in another format
