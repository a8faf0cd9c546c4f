"""Seats in a group: who comes, who goes, and with which role.

The group counts its people and its admins in the transaction of each change, so that two admins who leave at the same
moment cannot both go.
"""

from __future__ import annotations

import contextlib

from sobremesa.core.actor import Actor, UserId
from sobremesa.core.clock import Clock
from sobremesa.core.errors import NotFound
from sobremesa.domains.accounts.audit import Audit
from sobremesa.domains.accounts.entities import block_of, user_by_id
from sobremesa.domains.conversations.access import Access, ConversationSeat, has_role
from sobremesa.domains.conversations.entities import (
    Conversation,
    ConversationId,
    FormerSeat,
    Participant,
    SeatRole,
    add_participant,
    change_role,
    conversation_by_id,
    count_seats,
    participants_of,
    remove_participant,
    seat_of,
)
from sobremesa.domains.conversations.errors import (
    AlreadyParticipant,
    BlockedByRecipient,
    ChangedMeanwhile,
    DirectIsFixed,
    LastAdmin,
    TooManyParticipants,
    UnknownUsers,
)
from sobremesa.domains.conversations.service import BIG_ABOVE
from sobremesa.table import (
    Check,
    Condition,
    Create,
    Delete,
    Operation,
    Put,
    Table,
    Update,
    absent_or_null,
    add,
    equals,
    greater,
    less,
    present,
    set_to,
)
from sobremesa.table.errors import ConditionFailed
from sobremesa.table.updates import Changes
from sobremesa.work.jobs import Jobs

MAX_PARTICIPANTS = 500

CLEAN_CONVERSATION = "conversations.empty"

_SEAT, _HEAD = 0, 1
"""Places among the operations of a change."""


class Seats:
    """Who is in which group."""

    def __init__(self, table: Table, clock: Clock, access: Access, audit: Audit, jobs: Jobs) -> None:
        self._table = table
        self._clock = clock
        self._access = access
        self._audit = audit
        self._jobs = jobs

    async def list_participants(
        self, actor: Actor, room_id: ConversationId, *, limit: int, cursor: str | None = None
    ) -> tuple[list[Participant], str | None]:
        """Who is in a conversation that one is in."""
        await self._access.authorize(actor, room_id)
        page = await self._table.query(participants_of(room_id=room_id), limit=limit, cursor=cursor)
        return page.items, page.cursor

    async def add(
        self, actor: Actor, room_id: ConversationId, user_id: UserId, *, role: SeatRole = "member"
    ) -> Participant:
        """Take somebody into a group."""
        seat = await self._authorize_admin(actor, room_id)
        if user_id == actor.user_id:
            raise AlreadyParticipant
        block = await self._table.get(block_of(user_id=user_id, blocked_id=actor.user_id))
        if block is not None:
            raise BlockedByRecipient

        group = seat.conversation
        becomes_big = not group.is_big and group.participants == BIG_ABOVE
        now = self._clock.now()
        place = Participant(
            room_id=room_id,
            user_id=user_id,
            role=role,
            joined_at=now,
            last_message_at=None if group.is_big or becomes_big else now,
        )
        grows = add(participants=1, admins=1 if role == "admin" else 0) + set_to(is_big=group.is_big or becomes_big)
        try:
            await self._table.write(
                Create(place),
                # How many there are is part of the condition where it decides what the rows look like.
                Update(
                    conversation_by_id(room_id=room_id),
                    grows,
                    when=equals("type", "group") & equals("participants", group.participants)
                    if becomes_big
                    else equals("type", "group") & equals("is_big", group.is_big) & _has_room(group),
                ),
                Check(user_by_id(user_id=user_id), when=present() & absent_or_null("deleted_at")),
                *(await self._leaving_the_order(room_id, seat, user_id) if becomes_big else (seat.still(),)),
                pattern=add_participant,
            )
        except ConditionFailed as failed:
            raise await self._why_not_in(failed, seat, user_id) from None

        return place

    async def change_role(
        self, actor: Actor, room_id: ConversationId, user_id: UserId, *, role: SeatRole
    ) -> Participant:
        """Make somebody in a group an admin, or no longer one."""
        seat = await self._authorize_admin(actor, room_id)
        place = await self._get(room_id, user_id)
        if place.role == role:
            return place

        is_rise = role == "admin"
        operations: list[Operation] = [
            Update(place.own_key(), set_to(role=role), when=has_role(place.role)),
            Update(
                conversation_by_id(room_id=room_id),
                add(admins=1 if is_rise else -1),
                when=None if is_rise else greater("admins", 1),
            ),
            self._audit.entry(room_id, actor, "participant.role", target=user_id, details={"to": role}),
        ]
        if user_id != actor.user_id:
            operations.append(seat.still())
        try:
            await self._table.write(*operations, pattern=change_role)
        except ConditionFailed as failed:
            raise LastAdmin if failed.at(_HEAD) else ChangedMeanwhile from None

        return await self._get(room_id, user_id)

    async def remove(self, actor: Actor, room_id: ConversationId, user_id: UserId) -> None:
        """Leave a group, or as an admin take somebody out of it."""
        seat = await self._counted(await self._access.authorize(actor, room_id))
        if seat.conversation.type == "direct":
            raise DirectIsFixed
        if user_id == actor.user_id:
            await self._take_out(seat.conversation, seat.place)
            return
        seat.require_admin()
        place = await self._get(room_id, user_id)

        audit = self._audit.entry(room_id, actor, "participant.remove", target=user_id)
        await self._take_out(seat.conversation, place, seat.still(), audit)

    async def hand_over_and_leave(self, conversation: Conversation, place: Participant) -> None:
        """Take out somebody who is going for good; if they were the only admin, the longest-standing one follows."""
        group = await self._counts(conversation)
        if place.role == "admin" and group.admins == 1 and (group.participants or 0) > 1:
            others = [
                other
                async for other in self._table.every(participants_of(room_id=place.room_id))
                if other.user_id != place.user_id
            ]
            heir = min(others, key=lambda other: (other.joined_at, other.user_id))
            await self._table.write(
                Update(heir.own_key(), set_to(role="admin"), when=has_role("member")),
                Update(group.own_key(), add(admins=1)),
                pattern=change_role,
            )
            group = await self._counts(conversation)
        await self._take_out(group, place)

    # Inside

    async def _take_out(self, group: Conversation, place: Participant, *more: Operation) -> None:
        """One seat less. The last admin stays while anybody else is there; after the last person all is cleaned up."""
        is_last = group.participants == 1
        is_admin = place.role == "admin"
        shrinks = add(participants=-1, admins=-1 if is_admin else 0)
        gone = self._clock.now()
        former = FormerSeat(user_id=place.user_id, room_id=place.room_id, left_at=gone)
        try:
            await self._table.write(
                Delete(place.own_key(), when=has_role(place.role)),
                Update(group.own_key(), shrinks, when=_others_stay(is_admin=is_admin, is_last=is_last)),
                Put(former),
                *more,
                *([self._jobs.new(CLEAN_CONVERSATION, place.room_id)] if is_last else ()),
                pattern=remove_participant,
            )
        except ConditionFailed as failed:
            if failed.at(_HEAD) and is_admin and not is_last:
                raise LastAdmin from None
            raise ChangedMeanwhile from None
        if is_last:
            self._jobs.nudge()

    async def _authorize_admin(self, actor: Actor, room_id: ConversationId) -> ConversationSeat:
        seat = await self._counted(await self._access.authorize(actor, room_id))
        seat.require_admin()
        return seat

    async def _get(self, room_id: ConversationId, user_id: UserId) -> Participant:
        place = await self._table.get(seat_of(room_id=room_id, user_id=user_id))
        if place is None:
            raise NotFound
        return place

    async def _leaving_the_order(
        self, room_id: ConversationId, by: ConversationSeat | None = None, newcomer: UserId | None = None
    ) -> list[Update[Participant]]:
        """Everybody's seat moves to where big groups are, which no message moves; who does it is still an admin.

        A newcomer who is inside already is left out: a transaction has one operation for each row, and theirs fails.
        """
        out: Changes = set_to(last_message_at=None)
        return [
            Update(place.own_key(), out, when=has_role("admin") if by and place.user_id == by.user_id else None)
            async for place in self._table.every(participants_of(room_id=room_id))
            if place.user_id != newcomer
        ]

    async def _why_not_in(self, failed: ConditionFailed, seat: ConversationSeat, user_id: UserId) -> Exception:
        if failed.at(_SEAT):
            return AlreadyParticipant()
        if failed.at(2):
            return UnknownUsers(user_ids=[user_id])
        if (seat.conversation.participants or 0) >= MAX_PARTICIPANTS:
            return TooManyParticipants(limit=MAX_PARTICIPANTS)
        return ChangedMeanwhile()

    async def _counted(self, seat: ConversationSeat) -> ConversationSeat:
        """The seat in a group whose people are counted: another writer's group gets its numbers now."""
        if seat.conversation.type == "direct" or seat.conversation.participants is not None:
            return seat
        await self._counts(seat.conversation)
        return await self._access.authorize(seat.actor, seat.room_id)

    async def _counts(self, conversation: Conversation) -> Conversation:
        """The conversation as it is now, with its numbers."""
        key = conversation_by_id(room_id=conversation.room_id)
        found = await self._table.get(key)
        if found is None or found.participants is not None:
            return found or conversation
        places = [place async for place in self._table.every(participants_of(room_id=conversation.room_id))]
        is_big = len(places) > BIG_ABOVE
        for move in await self._leaving_the_order(conversation.room_id) if is_big else ():
            await self._table.write(move, pattern=count_seats)
        admins = sum(place.role == "admin" for place in places)
        with contextlib.suppress(ConditionFailed):
            numbers = set_to(participants=len(places), admins=admins, is_big=is_big)
            await self._table.write(Update(key, numbers, when=absent_or_null("participants")), pattern=count_seats)
        return await self._table.get(key) or conversation


def _has_room(group: Conversation) -> Condition:
    """Is there room, without the step to a big group?"""
    return less("participants", MAX_PARTICIPANTS if group.is_big else BIG_ABOVE)


def _others_stay(*, is_admin: bool, is_last: bool) -> Condition:
    if is_last:
        return equals("participants", 1)
    return greater("admins", 1) if is_admin else greater("participants", 1)
