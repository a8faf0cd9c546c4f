"""The participants of threads: adding, blocking and removing them.

A participant adds users on their own side only, since the other side decides about their offers; admins add admins. The
other side cannot lift the block of an admin.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from msgspec import UNSET, UnsetType

from sobremesa.core.actor import DELETED_NAME, Actor, UserId
from sobremesa.core.clock import Clock, Instant
from sobremesa.core.errors import ChangedMeanwhile, Forbidden, NotFound, UnknownUsers
from sobremesa.domains.accounts.audit import Audit
from sobremesa.domains.accounts.entities import block_of, user_by_id
from sobremesa.domains.accounts.tenancy import belongs_to
from sobremesa.domains.threads.access import Access, Caller
from sobremesa.domains.threads.copies import participants_unchanged
from sobremesa.domains.threads.entities import (
    FormerParticipant,
    Participant,
    RoleContext,
    Thread,
    ThreadId,
    add_participant,
    change_participant,
    participant_of,
    participants_in,
    remove_participant,
    thread_by_id,
)
from sobremesa.domains.threads.errors import AlreadyParticipant, Blocked, OwnSideOnly, PartyStays, TooManyParticipants
from sobremesa.domains.threads.moments import future
from sobremesa.rooms.entities import Message
from sobremesa.rooms.sending import Draft, HeadChange
from sobremesa.rooms.service import Rooms
from sobremesa.table import (
    Check,
    Create,
    Delete,
    Operation,
    Put,
    Table,
    Update,
    absent,
    absent_or_null,
    append,
    at_most,
    differs,
    less,
    present,
    set_to,
    size,
)
from sobremesa.table.errors import ConditionFailed
from sobremesa.table.updates import Changes

MAX_PARTICIPANTS = 100
ATTEMPTS = 10
"""How often a removal is retried because another participant joined or left."""

JOINED, LEFT, REMOVED = "Joined the thread.", "Left the thread.", "Was removed from the thread."
"""The texts of notices; the user whom they are about is their author."""

_OTHER_SIDE: dict[RoleContext, RoleContext | None] = {"buyer": "seller", "seller": "buyer", "admin": None}


class _Joining(NamedTuple):
    """A user who joins a thread, the caller who adds them, and their role."""

    by: Caller
    user: Actor
    role: RoleContext

    def participant(self, message: Message) -> Participant:
        """Return the row of the user, who has read the notice that they joined."""
        at = message.created_at
        return Participant(
            room_id=self.by.thread.room_id,
            user_id=self.user.user_id,
            role_context=self.role,
            joined_at=at,
            last_message_at=at,
            last_read_message_id=message.message_id,
            updated_at=at,
            **Participant.message_fields(message),
        )


class Participants:
    """The participants of threads."""

    def __init__(self, table: Table, clock: Clock, access: Access, audit: Audit, rooms: Rooms) -> None:
        self._table = table
        self._clock = clock
        self._access = access
        self._audit = audit
        self._rooms = rooms

    async def list_participants(
        self, actor: Actor, thread_id: ThreadId, *, limit: int, cursor: str | None = None
    ) -> tuple[list[Participant], str | None]:
        """List the participants of a thread that the actor has access to."""
        await self._access.require(actor.or_system("rooms:read"), thread_id)
        page = await self._table.query(participants_in(room_id=thread_id), limit=limit, cursor=cursor)
        return page.items, page.cursor

    async def add(self, actor: Actor, thread_id: ThreadId, user_id: UserId, role: RoleContext) -> Participant:
        """Add a user of the same tenant: on the actor's own side, or in any role as an admin."""
        actor = actor.or_system("rooms:write")
        caller = await self._access.require(actor, thread_id)
        if not caller.is_admin and role != caller.role:
            raise OwnSideOnly
        if caller.participant is not None and user_id == actor.user_id:
            raise AlreadyParticipant

        # The tenant needs no condition in the write: a user never changes tenants.
        user = await self._table.get(user_by_id(user_id=user_id))
        if user is None or not belongs_to(user, actor.tenant):
            raise UnknownUsers(user_ids=[user_id])
        joining = _Joining(caller, Actor.of_user(user_id, user.username, user.tenant), role)
        try:
            message = await self._rooms.send_with(
                self._access.notice_seat(caller, joining.user),
                Draft(JOINED, type="system"),
                partial(self._beside_joining, joining),
                head=await self._list_change(caller.thread, user_id),
            )
        except ConditionFailed:
            raise await self._joining_refusal(joining) from None

        return joining.participant(message)

    async def change(
        self,
        actor: Actor,
        thread_id: ThreadId,
        user_id: UserId,
        *,
        muted: bool | UnsetType = UNSET,
        blocked_until: datetime | UnsetType | None = UNSET,
    ) -> Participant:
        """Mute a thread for the actor, or block a participant until a time (None lifts the block)."""
        actor = actor.or_system("rooms:write")
        caller = await self._access.require(actor, thread_id)
        participant = await self._get(thread_id, user_id)
        changes: dict[str, Any] = {}
        when = present()
        audit: Operation | None = None
        still: Sequence[Operation] = ()
        if muted is not UNSET:
            if user_id != actor.user_id:
                raise Forbidden("You may mute a thread for yourself only.")
            changes["muted"] = muted
        if blocked_until is not UNSET:
            self._require_may_block(caller, participant)
            now = self._clock.now()
            until = None if blocked_until is None else future(blocked_until, now)
            changes |= {"blocked_until": until, "blocked_as": None if until is None else _blocking_role(caller)}
            act = "participant.unblock" if until is None else "participant.block"
            audit = self._audit.entry(thread_id, actor, act, target=user_id)
            still = caller.still()
            if not caller.is_admin:
                when &= differs("blocked_as", "admin") | at_most("blocked_until", now)
        if not changes:
            return participant

        try:
            await self._table.write(
                participant=Update(participant.own_key(), set_to(**changes), when=when),
                audit=audit,
                actor=still,
                pattern=change_participant,
            )
        except ConditionFailed as failed:
            raise await self._change_refusal(failed, participant) from None

        return await self._get(thread_id, user_id)

    async def remove(self, actor: Actor, thread_id: ThreadId, user_id: UserId) -> None:
        """Remove a participant: the actor themselves, or anyone as an admin. The buyer and the seller stay."""
        actor = actor.or_system("rooms:write")
        for _ in range(ATTEMPTS):
            caller = await self._access.require(actor, thread_id)
            if user_id != actor.user_id and not caller.is_admin:
                raise Forbidden("Only an admin may remove other participants.")
            if user_id in (caller.thread.buyer_user_id, caller.thread.seller_user_id):
                raise PartyStays
            participant = await self._get(thread_id, user_id)
            try:
                await self._leave(caller, participant)
            except ConditionFailed:
                continue  # a participant joined or left, perhaps this one

            return
        raise ChangedMeanwhile

    # Inside

    def _beside_joining(self, joining: _Joining, message: Message) -> Sequence[Operation]:
        """Return the row of a user who joins, and the conditions on them."""
        thread_id, by, user_id = joining.by.thread.room_id, joining.by.actor, joining.user.user_id
        return [
            Create(joining.participant(message)),
            Check(user_by_id(user_id=user_id), when=present() & absent_or_null("deleted_at")),
            Check(block_of(user_id=user_id, blocked_id=by.user_id), when=absent()),
            self._audit.entry(thread_id, by, "participant.add", target=user_id, details={"as": joining.role}),
        ]

    async def _joining_refusal(self, joining: _Joining) -> Exception:
        """Return why a user could not join, from the current rows."""
        thread_id, user_id = joining.by.thread.room_id, joining.user.user_id
        if await self._table.get(participant_of(room_id=thread_id, user_id=user_id), consistent=True) is not None:
            return AlreadyParticipant()
        if await self._table.get(block_of(user_id=user_id, blocked_id=joining.by.actor.user_id), consistent=True):
            return Blocked()
        thread = await self._table.get(thread_by_id(room_id=thread_id), consistent=True)
        is_full = thread is not None and len(thread.participants) >= MAX_PARTICIPANTS
        return TooManyParticipants(limit=MAX_PARTICIPANTS) if is_full else ChangedMeanwhile()

    async def _leave(self, caller: Caller, participant: Participant) -> None:
        """Remove a participant, with a notice; ConditionFailed if another one joined or left meanwhile."""
        thread, by, user_id = caller.thread, caller.actor, participant.user_id
        left = user_id == by.user_id
        audit = self._audit.entry(thread.room_id, by, "participant.remove", target=user_id)
        rows = [*departure_rows(thread, participant, self._clock.now()), audit]
        await self._rooms.send_with(
            self._access.notice_seat(caller, by if left else await self._named(user_id)),
            Draft(LEFT if left else REMOVED, type="system"),
            lambda message: rows,
            head=HeadChange(without(thread, user_id), participants_unchanged(thread), remove_participant),
        )

    async def _named(self, user_id: UserId) -> Actor:
        user = await self._table.get(user_by_id(user_id=user_id))
        return Actor.of_user(user_id, DELETED_NAME if user is None else user.username)

    async def _list_change(self, thread: Thread, user_id: UserId) -> HeadChange:
        """Return the change that adds a user to the thread's own list, which another writer may have left out."""
        if thread.participants:
            return HeadChange(append(participants=[user_id]), _BELOW_LIMIT, add_participant)
        inside = [
            participant.user_id async for participant in self._table.every(participants_in(room_id=thread.room_id))
        ]
        return HeadChange(set_to(participants=[*inside, user_id]), participants_unchanged(thread), add_participant)

    async def _get(self, thread_id: ThreadId, user_id: UserId) -> Participant:
        participant = await self._table.get(participant_of(room_id=thread_id, user_id=user_id))
        if participant is None:
            raise NotFound
        return participant

    def _require_may_block(self, caller: Caller, participant: Participant) -> None:
        """Refuse to block oneself, and, unless the caller is an admin, anyone but the other side."""
        if participant.user_id == caller.actor.user_id:
            raise Forbidden("You cannot block yourself.")
        if not caller.is_admin and participant.role_context != _OTHER_SIDE[caller.role]:
            raise Forbidden("Only the other side or an admin may block a participant.")

    async def _change_refusal(self, failed: ConditionFailed, participant: Participant) -> Exception:
        if "participant" not in failed:
            return ChangedMeanwhile()
        if await self._table.get(participant.own_key(), consistent=True) is None:
            return NotFound()
        return Forbidden("An admin has blocked this participant: only an admin may change that.")


def departure_operations(thread: Thread, participant: Participant, now: Instant) -> list[Operation]:
    """Return the operations that remove a participant and record that they were in the thread."""
    listing = Update(thread.own_key(), without(thread, participant.user_id), when=participants_unchanged(thread))
    return [*departure_rows(thread, participant, now), listing]


def departure_rows(thread: Thread, participant: Participant, now: Instant) -> list[Operation]:
    """Return the row changes of a participant who leaves, without the thread's own list."""
    return [
        Delete(participant.own_key()),
        Put(FormerParticipant(user_id=participant.user_id, room_id=thread.room_id, left_at=now)),
    ]


def without(thread: Thread, user_id: UserId) -> Changes:
    """Return the change that removes a user from the thread's own list."""
    return set_to(participants=[each for each in thread.participants if each != user_id])


def _blocking_role(caller: Caller) -> RoleContext:
    return "admin" if caller.is_admin else caller.role


_BELOW_LIMIT = absent_or_null("participants") | less(size("participants"), MAX_PARTICIPANTS)
