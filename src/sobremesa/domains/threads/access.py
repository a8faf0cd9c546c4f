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


def cache_is_as_seen(thread: Thread) -> Condition:
    """That nobody has come or gone meanwhile, as far as the thread's own list tells."""
    same = equals("participants", thread.participants)
    return same if thread.participants else same | absent_or_null("participants")


class ThreadSeat(Seat, frozen=True, kw_only=True):
    """A person inside of a thread, or the system, which has no row there."""

    thread: Thread
    place: Participant | None
    inbox: Sequence[UserId]
    """Whose lists a message moves."""
    notice: Notice | None = None
    """What a notice is about, if this is the seat for one. It is also written where nobody may send."""


class Notice(NamedTuple):
    """A change of a thread that leaves a message: by whom, and about which user who joins or leaves."""

    by: Standing
    about: Actor | None = None


class Standing(NamedTuple):
    """Somebody who may know of a thread: a participant, or an administrator of its tenant."""

    actor: Actor
    thread: Thread
    place: Participant | None

    @property
    def role(self) -> RoleContext:
        return "admin" if self.place is None else self.place.role_context

    @property
    def is_admin(self) -> bool:
        """May they do what admins of the thread may do?"""
        return self.role == "admin" or self.actor.administers(self.thread.tenant)

    def still(self) -> list[Operation]:
        """That who acts is the same in the thread when it happens as when they asked; for the act's transaction."""
        if self.place is None:
            return []
        same = present() & equals("role_context", self.place.role_context)
        return [Check(self.place.own_key(), when=same)]


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

    async def require(self, actor: Actor, room_id: RoomId) -> Standing:
        """A participant, or an administrator of the thread's tenant; NotFound for anybody else."""
        thread, place = await self._find(actor.user_id, room_id)
        if thread is None or (place is None and not actor.administers(thread.tenant)):
            raise NotFound
        return Standing(actor, thread, place)

    async def require_party(self, actor: Actor, room_id: RoomId) -> RoleContext:
        """On which side a participant is; NotFound for a stranger."""
        _, place = await self._inside(actor, room_id)
        return place.role_context

    def seat_of(self, actor: Actor, thread: Thread, place: Participant) -> ThreadSeat:
        """The seat of a person whose rows are known."""
        return ThreadSeat(
            actor=actor,
            head=thread,
            joined_at=place.joined_at,
            rights=RIGHTS[place.role_context],
            scope=thread.room_id,
            silenced=self._silenced(thread, place),
            safe_mode=thread.safe_mode_required,
            thread=thread,
            place=place,
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
            place=None,
            inbox=thread.participants,
        )

    def notice_seat(self, standing: Standing, about: Actor | None = None) -> ThreadSeat:
        """The seat for a notice of what a participant or an administrator does to the thread.

        A notice about a user who joins or leaves has that user as its author: their name leaves it with their account.
        """
        author, thread = about or standing.actor, standing.thread
        # The row of a user who joins or leaves is written by the change itself.
        is_own_row_free = about is None or about.user_id != standing.actor.user_id
        return ThreadSeat(
            actor=author,
            head=thread,
            joined_at=thread.created_at,
            rights=_RIGHTS,
            scope=thread.room_id,
            thread=thread,
            place=standing.place if is_own_row_free else None,
            inbox=thread.participants,
            notice=Notice(standing, about),
        )

    async def rows_of(
        self, user_id: UserId, room_ids: Sequence[RoomId]
    ) -> list[tuple[Thread | None, Participant | None]]:
        """Heads and a person's own rows of several threads, read together and consistently."""
        heads: list[Key[Thread] | Key[Participant]] = [thread_by_id(room_id=room_id) for room_id in room_ids]
        places = [participant_of(room_id=room_id, user_id=user_id) for room_id in room_ids]
        found = await self._table.get_many([*heads, *places], consistent=True)
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
        elif own.place is None:
            again = await self.system_seat(seat.room_id)
        else:
            again = await self.authorize(seat.actor, seat.room_id)
        places = [place.user_id async for place in self._table.every(participants_in(room_id=seat.room_id))]
        if set(places) != set(again.thread.participants):
            mended = Update(again.thread.own_key(), set_to(participants=places), when=cache_is_as_seen(again.thread))
            with contextlib.suppress(ConditionFailed):
                await self._table.write(mended, pattern=move_inboxes)
        return await self._with_block(msgspec.structs.replace(again, inbox=places))

    def not_blocked_by_the_other(self, seat: ThreadSeat) -> list[Operation]:
        """That the other party has not blocked who writes, for the transaction of what they write."""
        key = _block_by_the_other(seat)
        return [] if key is None else [Check(key, when=absent())]

    async def _with_block(self, seat: ThreadSeat) -> ThreadSeat:
        """The seat, silenced if the other party has blocked this person."""
        key = _block_by_the_other(seat)
        if seat.silenced is not None or key is None or await self._table.get(key, consistent=True) is None:
            return seat
        return msgspec.structs.replace(seat, silenced=Blocked())

    def send_additions(self, seat: Seat, message: Message, last: MessageId | None) -> SendAdditions:
        """The author is in the thread and not blocked, the thread is open, and it moves up in everybody's list."""
        own = _thread_seat(seat)
        if not isinstance(message, ThreadMessage):
            raise TypeError(f"{message!r} is no message of a thread")
        head, operations = IS_OPEN if own.notice is None else always(), list[Operation]()
        if own.place is not None:
            changes = set_to(last_message_at=message.iso)
            if _has_seen_all(own.thread, own.place, last):
                # Their own message is not news to them; that there is no other one is the head's condition.
                read = own.place.marks(message)
                changes += set_to(last_read_message_id=message.message_id, updated_at=message.created_at, **read)
                head &= absent_or_null("last_message_id") if last is None else equals("last_message_id", last)
            same = equals("role_context", own.place.role_context)
            if own.notice is None:
                same &= not_blocked(self._clock.now())
            operations.append(Update(own.place.own_key(), changes, when=same))
        # Another writer's list may name somebody twice, and a transaction has one operation for each row.
        moved = {seat.user_id} if own.place is None else {seat.user_id, own.place.user_id}
        others = [user_id for user_id in dict.fromkeys(own.inbox) if user_id not in moved]
        near = others[: AT_ONCE - len(operations)]
        operations += [
            Update(participant_of(room_id=seat.room_id, user_id=user_id), set_to(last_message_at=message.iso))
            for user_id in near
        ]
        operations += self.not_blocked_by_the_other(own)
        # Whose list is not moved here, because they are many or because the list of them is missing, is moved after it.
        all_moved = len(near) == len(others) and own.inbox
        return SendAdditions(operations, head, None if all_moved else partial(self._inboxes.soon, seat.room_id))

    async def seats_of(self, actor: Actor) -> Sequence[ThreadSeat]:
        """Their seats in the threads that moved last."""
        newest = await self._table.query(inbox_of(user_id=actor.user_id), limit=MAX_SEATS)
        rows = await self.rows_of(actor.user_id, [place.room_id for place in newest.items])
        return [
            self.seat_of(actor, thread, place) for thread, place in rows if thread is not None and place is not None
        ]

    async def current_members(self, room_id: RoomId, user_ids: Sequence[UserId]) -> set[UserId]:
        keys = [participant_of(room_id=room_id, user_id=user_id) for user_id in user_ids]
        return {place.user_id for place in await self._table.get_many(keys) if place is not None}

    def audit(self, seat: Seat, act: str, *, target: str, about: Mapping[str, str]) -> Operation:
        return self._audit.entry(seat.scope, seat.actor, act, target=target, details=about)

    # Inside

    async def _notice_again(self, room_id: RoomId, notice: Notice) -> ThreadSeat:
        """The seat for a notice as it is by now; ChangedMeanwhile if who acts has another role by now."""
        standing = await self.require(notice.by.actor, room_id)
        if standing.role != notice.by.role:
            raise ChangedMeanwhile
        return self.notice_seat(standing, notice.about)

    async def _inside(self, actor: Actor, room_id: RoomId) -> tuple[Thread, Participant]:
        thread, place = await self._find(actor.user_id, room_id)
        if thread is None or place is None:
            raise NotFound
        return thread, place

    async def _find(self, user_id: UserId, room_id: RoomId) -> tuple[Thread | None, Participant | None]:
        return await self._rows.get_or_load(
            (user_id, room_id),
            lambda: self._table.get_pair(
                thread_by_id(room_id=room_id), participant_of(room_id=room_id, user_id=user_id), consistent=True
            ),
        )

    def _silenced(self, thread: Thread, place: Participant) -> Refusal | None:
        if thread.status != "open":
            return ThreadNotOpen(thread_status=thread.status)
        if is_blocked(place, self._clock.now()):
            return Blocked(until=place.blocked_until)
        return None


def is_blocked(place: Participant, now: Instant) -> bool:
    return place.blocked_until is not None and place.blocked_until > now


def _block_by_the_other(seat: ThreadSeat) -> Key[Block] | None:
    """Where it stands that the other party has blocked this person; None for admins and the system."""
    if seat.place is None or seat.place.role_context == "admin" or seat.notice is not None:
        return None
    thread = seat.thread
    other = thread.seller_user_id if seat.place.role_context == "buyer" else thread.buyer_user_id
    return block_of(user_id=other, blocked_id=seat.user_id)


def _thread_seat(seat: Seat) -> ThreadSeat:
    if not isinstance(seat, ThreadSeat):
        raise TypeError(f"{seat!r} is no seat of a thread")
    return seat


def _has_seen_all(thread: Thread, place: Participant, last: MessageId | None) -> bool:
    """Has this person read up to the last message, or come after it?"""
    if last is None:
        return thread.last_message_at is None  # where another writer has been, there may be messages without an id here
    if place.last_read_message_id == last:
        return True
    try:
        return last < first_of(milliseconds(place.joined_at))
    except ValueError:
        return False  # another writer's time, in another form
