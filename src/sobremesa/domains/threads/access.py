"""Who is in a thread and with which rights; and the door of its messages.

Everything here is read consistently and fails closed: a stranger learns no more than that there is nothing. What a
send must find true (the thread is open, the author is in it and not blocked) is decided by the write itself.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import msgspec

from sobremesa.core.actor import Actor, UserId
from sobremesa.core.clock import Clock, Instant, milliseconds
from sobremesa.core.errors import NotFound, Refusal
from sobremesa.core.ids import MessageId, RoomId, first_of
from sobremesa.domains.accounts.audit import Audit
from sobremesa.domains.accounts.entities import Block, block_of
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
from sobremesa.domains.threads.errors import Blocked, ChangedMeanwhile, ThreadNotOpen
from sobremesa.domains.threads.inbox import AT_ONCE, Inboxes
from sobremesa.rooms.access import RoomRight, Seat, SendAdditions
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
"""Of how many threads, the newest, it is told together what is unread."""

SYSTEM = Actor.of_user(UserId("system"), "system")
"""Who does what nobody does: a card that a program of the operator moves."""

_RIGHTS: frozenset[RoomRight] = frozenset({"read", "send", "pin"})
RIGHTS: dict[RoleContext, frozenset[RoomRight]] = {
    "buyer": _RIGHTS,
    "seller": _RIGHTS,
    "admin": _RIGHTS.union({"moderate"}),
}

IS_OPEN = equals("status", "open") | absent_or_null("status")
"""What must be true of a thread's head when something is added to it."""


def not_blocked(now: Instant) -> Condition:
    """What must be true of a participant's row when they add something."""
    return absent_or_null("blocked_until") | at_most("blocked_until", now)


def participants_unchanged(thread: Thread) -> Condition:
    """That nobody has come or gone meanwhile, as far as the thread's own list tells."""
    same = equals("participants", thread.participants)
    return same if thread.participants else same | absent_or_null("participants")


class ThreadSeat(Seat, frozen=True, kw_only=True):
    """A person inside of a thread, or the system, which has no row there."""

    thread: Thread
    participant: Participant | None
    inbox: Sequence[UserId]
    """Whose lists a message moves."""
    notice: Notice | None = None
    """What a notice is about, if this is the seat for one. It is also written where nobody may send."""


class Notice(NamedTuple):
    """A change of a thread that leaves a message: by whom, and about which user who joins or leaves."""

    by: Caller
    about: Actor | None = None


class Caller(NamedTuple):
    """Somebody who may know of a thread: a participant, or an administrator of its tenant."""

    actor: Actor
    thread: Thread
    participant: Participant | None

    @property
    def role(self) -> RoleContext:
        return "admin" if self.participant is None else self.participant.role_context

    @property
    def is_admin(self) -> bool:
        """May they do what admins of the thread may do?"""
        return self.role == "admin" or self.actor.administers(self.thread.tenant)

    def still(self) -> list[Operation]:
        """That who acts is the same in the thread when it happens as when they asked; for the act's transaction."""
        if self.participant is None:
            return []
        same = present() & equals("role_context", self.participant.role_context)
        return [Check(self.participant.own_key(), when=same)]


class Access:
    """Lets people into threads."""

    def __init__(self, table: Table, clock: Clock, audit: Audit, inboxes: Inboxes) -> None:
        self._table = table
        self._clock = clock
        self._audit = audit
        self._inboxes = inboxes
        self._rows: ReadCache[tuple[UserId, RoomId], tuple[Thread | None, Participant | None]] = ReadCache(
            table, CACHE_SIZE
        )

    async def require(self, actor: Actor, room_id: RoomId) -> Caller:
        """A participant, or an administrator of the thread's tenant; NotFound for anybody else."""
        thread, participant = await self._find(actor.user_id, room_id)
        if thread is None or (participant is None and not actor.administers(thread.tenant)):
            raise NotFound
        return Caller(actor, thread, participant)

    async def require_party(self, actor: Actor, room_id: RoomId) -> RoleContext:
        """On which side a participant is; NotFound for a stranger."""
        _, participant = await self._inside(actor, room_id)
        return participant.role_context

    def seat_of(self, actor: Actor, thread: Thread, participant: Participant) -> ThreadSeat:
        """The seat of a person whose rows are known."""
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
        )

    async def system_seat(self, room_id: RoomId) -> ThreadSeat:
        """The seat of the system in a thread; NotFound if there is none."""
        thread = await self._table.get(thread_by_id(room_id=room_id))
        if thread is None:
            raise NotFound
        return ThreadSeat(
            actor=SYSTEM,
            head=thread,
            joined_at=thread.created_at,
            rights=_RIGHTS,
            scope=room_id,
            silenced=None if thread.status == "open" else ThreadNotOpen(thread_status=thread.status),
            thread=thread,
            participant=None,
            inbox=thread.participants,
        )

    def notice_seat(self, caller: Caller, about: Actor | None = None) -> ThreadSeat:
        """The seat for a notice of what a participant or an administrator does to the thread.

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
            notice=Notice(caller, about),
        )

    async def rows_of(
        self, user_id: UserId, room_ids: Sequence[RoomId]
    ) -> list[tuple[Thread | None, Participant | None]]:
        """Heads and a person's own rows of several threads, read together and consistently."""
        heads: list[Key[Thread] | Key[Participant]] = [thread_by_id(room_id=room_id) for room_id in room_ids]
        inside = [participant_of(room_id=room_id, user_id=user_id) for room_id in room_ids]
        found = await self._table.get_many([*heads, *inside], consistent=True)
        threads = [row if isinstance(row, Thread) else None for row in found[: len(room_ids)]]
        own = [row if isinstance(row, Participant) else None for row in found[len(room_ids) :]]
        return list(zip(threads, own, strict=True))

    # The door of messages

    async def authorize(self, actor: Actor, room_id: RoomId) -> ThreadSeat:
        return self.seat_of(actor, *await self._inside(actor, room_id))

    async def authorize_send(self, actor: Actor, room_id: RoomId) -> ThreadSeat:
        return await self.authorize(actor, room_id)

    async def authorize_action(self, actor: Actor, room_id: RoomId) -> ThreadSeat:
        return await self._with_block(await self.authorize(actor, room_id))

    async def reauthorize(self, seat: Seat) -> ThreadSeat:
        """Their seat as it is by now, with everybody's inbox by their own rows: the cache was wrong, perhaps."""
        own = _thread_seat(seat)
        if own.notice is not None:
            again = await self._notice_again(seat.room_id, own.notice)
        elif own.participant is None:
            again = await self.system_seat(seat.room_id)
        else:
            again = await self.authorize(seat.actor, seat.room_id)
        inside = [participant.user_id async for participant in self._table.every(participants_in(room_id=seat.room_id))]
        if set(inside) != set(again.thread.participants):
            repaired = Update(
                again.thread.own_key(), set_to(participants=inside), when=participants_unchanged(again.thread)
            )
            with contextlib.suppress(ConditionFailed):
                await self._table.write(repaired, pattern=move_inboxes)
        return await self._with_block(msgspec.structs.replace(again, inbox=inside))

    def not_blocked_by_other_party(self, seat: ThreadSeat) -> list[Operation]:
        """That the other party has not blocked who writes, for the transaction of what they write."""
        key = _other_party_block(seat)
        return [] if key is None else [Check(key, when=absent())]

    async def _with_block(self, seat: ThreadSeat) -> ThreadSeat:
        """The seat, silenced if the other party has blocked this person."""
        key = _other_party_block(seat)
        if seat.silenced is not None or key is None or await self._table.get(key, consistent=True) is None:
            return seat
        return msgspec.structs.replace(seat, silenced=Blocked())

    def send_additions(self, seat: Seat, message: Message, last: MessageId | None) -> SendAdditions:
        """The author is in the thread and not blocked, the thread is open, and it moves up in everybody's list."""
        own = _thread_seat(seat)
        if not isinstance(message, ThreadMessage):
            raise TypeError(f"{message!r} is no message of a thread")
        head, operations = IS_OPEN if own.notice is None else always(), list[Operation]()
        if own.participant is not None:
            changes = set_to(last_message_at=message.iso)
            if _has_read_all(own.thread, own.participant, last):
                # Their own message is not news to them; that there is no other one is the head's condition.
                read = own.participant.marks(message)
                changes += set_to(last_read_message_id=message.message_id, updated_at=message.created_at, **read)
                head &= absent_or_null("last_message_id") if last is None else equals("last_message_id", last)
            same = equals("role_context", own.participant.role_context)
            if own.notice is None:
                same &= not_blocked(self._clock.now())
            operations.append(Update(own.participant.own_key(), changes, when=same))
        # Another writer's list may name somebody twice, and a transaction has one operation for each row.
        moved = {seat.user_id} if own.participant is None else {seat.user_id, own.participant.user_id}
        others = [user_id for user_id in dict.fromkeys(own.inbox) if user_id not in moved]
        near = others[: AT_ONCE - len(operations)]
        operations += [
            Update(participant_of(room_id=seat.room_id, user_id=user_id), set_to(last_message_at=message.iso))
            for user_id in near
        ]
        operations += self.not_blocked_by_other_party(own)
        # Whose list is not moved here, because they are many or because the list of them is missing, is moved after it.
        all_moved = len(near) == len(others) and own.inbox
        return SendAdditions(operations, head, None if all_moved else partial(self._inboxes.bump_soon, seat.room_id))

    async def seats_of(self, actor: Actor) -> Sequence[ThreadSeat]:
        """Their seats in the threads that moved last."""
        newest = await self._table.query(inbox_of(user_id=actor.user_id), limit=MAX_SEATS)
        rows = await self.rows_of(actor.user_id, [participant.room_id for participant in newest.items])
        return [
            self.seat_of(actor, thread, participant)
            for thread, participant in rows
            if thread is not None and participant is not None
        ]

    async def current_members(self, room_id: RoomId, user_ids: Sequence[UserId]) -> set[UserId]:
        keys = [participant_of(room_id=room_id, user_id=user_id) for user_id in user_ids]
        return {participant.user_id for participant in await self._table.get_many(keys) if participant is not None}

    def audit(self, seat: Seat, act: str, *, target: str, about: Mapping[str, str]) -> Operation:
        return self._audit.entry(seat.scope, seat.actor, act, target=target, details=about)

    # Inside

    async def _notice_again(self, room_id: RoomId, notice: Notice) -> ThreadSeat:
        """The seat for a notice as it is by now; ChangedMeanwhile if who acts has another role by now."""
        caller = await self.require(notice.by.actor, room_id)
        if caller.role != notice.by.role:
            raise ChangedMeanwhile
        return self.notice_seat(caller, notice.about)

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
    """Where it stands that the other party has blocked this person; None for admins and the system."""
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
    """Has this person read up to the last message, or come after it?"""
    if last is None:
        return thread.last_message_at is None  # where another writer has been, there may be messages without an id here
    if participant.last_read_message_id == last:
        return True
    try:
        return last < first_of(milliseconds(participant.joined_at))
    except ValueError:
        return False  # another writer's time, in another form
