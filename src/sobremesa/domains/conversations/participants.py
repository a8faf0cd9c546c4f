"""Seats in groups: adds, removes and lists participants, and changes their roles.

The group counts its participants and admins in the transaction of each change, so that the last two admins cannot both
leave at the same time.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from sobremesa.core.actor import Actor, UserId
from sobremesa.core.clock import EPOCH, Clock, Instant, instant
from sobremesa.core.errors import AlreadyMember, ChangedMeanwhile, NotFound, UnknownUsers
from sobremesa.core.ids import is_ulid, time_of
from sobremesa.domains.accounts.audit import Audit
from sobremesa.domains.accounts.entities import block_of, user_by_id
from sobremesa.domains.accounts.tenancy import exists_in
from sobremesa.domains.conversations.access import Access, ConversationSeat, has_role
from sobremesa.domains.conversations.entities import (
    BIG_ABOVE,
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
    BlockedByRecipient,
    DirectIsFixed,
    LastAdmin,
    TooManyParticipants,
)
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
    set_to,
)
from sobremesa.table.errors import ConditionFailed
from sobremesa.table.updates import Changes
from sobremesa.work.jobs import Jobs

MAX_PARTICIPANTS = 500

CLEAN_CONVERSATION = "conversations.empty"


class Participants:
    """Manages the participants of groups."""

    def __init__(self, table: Table, clock: Clock, access: Access, audit: Audit, jobs: Jobs) -> None:
        self._table = table
        self._clock = clock
        self._access = access
        self._audit = audit
        self._jobs = jobs

    async def list_participants(
        self, actor: Actor, room_id: ConversationId, *, limit: int, cursor: str | None = None
    ) -> tuple[list[Participant], str | None]:
        """Return a page of the participants of a conversation that the actor is in."""
        await self._access.authorize(actor.or_system("rooms:read"), room_id)
        page = await self._table.query(participants_of(room_id=room_id), limit=limit, cursor=cursor)
        return page.items, page.cursor

    async def add(
        self, actor: Actor, room_id: ConversationId, user_id: UserId, *, role: SeatRole = "member"
    ) -> Participant:
        """Add a user of the same tenant to a group. Requires the admin role."""
        actor = actor.or_system("rooms:write")
        seat = await self._authorize_admin(actor, room_id)
        if user_id == actor.user_id:
            raise AlreadyMember
        block = await self._table.get(block_of(user_id=user_id, blocked_id=actor.user_id))
        if block is not None:
            raise BlockedByRecipient

        group = seat.conversation
        becomes_big = not group.is_big and group.participants == BIG_ABOVE
        now = max(self._clock.now(), _after_last_message(group))
        participant = Participant(
            room_id=room_id,
            user_id=user_id,
            role=role,
            joined_at=now,
            last_message_at=None if group.is_big or becomes_big else now,
        )
        grows = add(participants=1, admins=1 if role == "admin" else 0) + set_to(is_big=group.is_big or becomes_big)
        others: Sequence[Operation]
        if becomes_big:
            # The other seats change too, so that the group must have exactly those that are read here.
            has_room = equals("participants", group.participants)
            others = await self._clear_inbox_positions(room_id, seat, user_id)
        else:
            has_room = equals("is_big", group.is_big) & _has_room(group)
            others = seat.role_check()
        try:
            await self._table.write(
                seat=Create(participant),
                group=Update(conversation_by_id(room_id=room_id), grows, when=equals("type", "group") & has_room),
                user=Check(user_by_id(user_id=user_id), when=exists_in(actor.tenant)),
                others=others,
                pattern=add_participant,
            )
        except ConditionFailed as failed:
            raise await self._refusal(failed, seat, user_id) from None

        return participant

    async def change_role(
        self, actor: Actor, room_id: ConversationId, user_id: UserId, *, role: SeatRole
    ) -> Participant:
        """Change the role of a participant. Requires the admin role."""
        actor = actor.or_system("rooms:write")
        seat = await self._authorize_admin(actor, room_id)
        participant = await self._get(room_id, user_id)
        if participant.role == role:
            return participant

        is_promotion = role == "admin"
        try:
            await self._table.write(
                seat=Update(participant.own_key(), set_to(role=role), when=has_role(participant.role)),
                group=Update(
                    conversation_by_id(room_id=room_id),
                    add(admins=1 if is_promotion else -1),
                    when=None if is_promotion else greater("admins", 1),
                ),
                audit=self._audit.entry(room_id, actor, "participant.role", target=user_id, details={"to": role}),
                actor=seat.role_check() if user_id != actor.user_id else None,
                pattern=change_role,
            )
        except ConditionFailed as failed:
            raise LastAdmin if "group" in failed else ChangedMeanwhile from None

        return await self._get(room_id, user_id)

    async def remove(self, actor: Actor, room_id: ConversationId, user_id: UserId) -> None:
        """Leave a group, or as an admin remove a participant."""
        actor = actor.or_system("rooms:write")
        seat = await self._counted(await self._access.authorize(actor, room_id))
        if seat.conversation.type == "direct":
            raise DirectIsFixed
        if user_id == actor.user_id:
            await self._remove_seat(seat.conversation, seat.participant)
            return
        seat.require_admin()
        participant = await self._get(room_id, user_id)

        audit = self._audit.entry(room_id, actor, "participant.remove", target=user_id)
        await self._remove_seat(seat.conversation, participant, *seat.role_check(), audit)

    async def hand_over_and_leave(self, conversation: Conversation, participant: Participant) -> None:
        """Remove a deleted user; if they were the only admin, the participant who joined first becomes admin."""
        group = await self._counts(conversation)
        if participant.role == "admin" and group.admins == 1 and (group.participants or 0) > 1:
            others = [
                other
                async for other in self._table.every(participants_of(room_id=participant.room_id))
                if other.user_id != participant.user_id
            ]
            successor = min(others, key=lambda other: (other.joined_at, other.user_id))
            await self._table.write(
                successor=Update(successor.own_key(), set_to(role="admin"), when=has_role("member")),
                group=Update(group.own_key(), add(admins=1)),
                pattern=change_role,
            )
            group = await self._counts(conversation)
        await self._remove_seat(group, participant)

    # Internal

    async def _remove_seat(self, group: Conversation, participant: Participant, *more: Operation) -> None:
        """Remove a seat. The last admin cannot leave before the others; after the last participant a job cleans up."""
        is_last = group.participants == 1
        is_admin = participant.role == "admin"
        shrinks = add(participants=-1, admins=-1 if is_admin else 0)
        gone = self._clock.now()
        former = FormerSeat(user_id=participant.user_id, room_id=participant.room_id, left_at=gone)
        try:
            await self._table.write(
                seat=Delete(participant.own_key(), when=has_role(participant.role)),
                group=Update(group.own_key(), shrinks, when=_others_stay(is_admin=is_admin, is_last=is_last)),
                former=Put(former),
                others=more,
                job=self._jobs.new(CLEAN_CONVERSATION, participant.room_id) if is_last else None,
                pattern=remove_participant,
            )
        except ConditionFailed as failed:
            if "group" in failed and is_admin and not is_last:
                raise LastAdmin from None
            raise ChangedMeanwhile from None
        if is_last:
            self._jobs.nudge()

    async def _authorize_admin(self, actor: Actor, room_id: ConversationId) -> ConversationSeat:
        seat = await self._counted(await self._access.authorize(actor, room_id))
        seat.require_admin()
        return seat

    async def _get(self, room_id: ConversationId, user_id: UserId) -> Participant:
        participant = await self._table.get(seat_of(room_id=room_id, user_id=user_id))
        if participant is None:
            raise NotFound
        return participant

    async def _clear_inbox_positions(
        self, room_id: ConversationId, by: ConversationSeat | None = None, newcomer: UserId | None = None
    ) -> list[Update[Participant]]:
        """Return the updates that remove the inbox positions of all seats, for a group that becomes big.

        The seat of `by` must still be an admin's. A newcomer who is in the group already is left out: a transaction has
        one operation per row, and the creation of theirs fails.
        """
        out: Changes = set_to(last_message_at=None)
        return [
            Update(row.own_key(), out, when=has_role("admin") if by and row.user_id == by.user_id else None)
            async for row in self._table.every(participants_of(room_id=room_id))
            if row.user_id != newcomer
        ]

    async def _refusal(self, failed: ConditionFailed, seat: ConversationSeat, user_id: UserId) -> Exception:
        if "seat" in failed:
            return AlreadyMember()
        if "user" in failed:
            return UnknownUsers(user_ids=[user_id])
        if (seat.conversation.participants or 0) >= MAX_PARTICIPANTS:
            return TooManyParticipants(limit=MAX_PARTICIPANTS)
        return ChangedMeanwhile()

    async def _counted(self, seat: ConversationSeat) -> ConversationSeat:
        """Return the seat after counting the participants, which another writer's group lacks."""
        if seat.conversation.type == "direct" or seat.conversation.participants is not None:
            return seat
        await self._counts(seat.conversation)
        return await self._access.authorize(seat.actor, seat.room_id)

    async def _counts(self, conversation: Conversation) -> Conversation:
        """Return the current conversation, with its counts."""
        key = conversation_by_id(room_id=conversation.room_id)
        found = await self._table.get(key)
        if found is None or found.participants is not None:
            return found or conversation
        rows = [row async for row in self._table.every(participants_of(room_id=conversation.room_id))]
        is_big = len(rows) > BIG_ABOVE
        for move in await self._clear_inbox_positions(conversation.room_id) if is_big else ():
            await self._table.write(move, pattern=count_seats)
        admins = sum(row.role == "admin" for row in rows)
        with contextlib.suppress(ConditionFailed):
            counts = set_to(participants=len(rows), admins=admins, is_big=is_big)
            await self._table.write(Update(key, counts, when=absent_or_null("participants")), pattern=count_seats)
        return await self._table.get(key) or conversation


def _after_last_message(group: Conversation) -> Instant:
    """Return a time at which nothing is unread yet for a new participant, whose unread messages start with it."""
    last = group.last_message_id
    return instant(time_of(last) + 1) if last is not None and is_ulid(last) else EPOCH


def _has_room(group: Conversation) -> Condition:
    """Return the condition that another participant fits without the group becoming big."""
    return less("participants", MAX_PARTICIPANTS if group.is_big else BIG_ABOVE)


def _others_stay(*, is_admin: bool, is_last: bool) -> Condition:
    if is_last:
        return equals("participants", 1)
    return greater("admins", 1) if is_admin else greater("participants", 1)
