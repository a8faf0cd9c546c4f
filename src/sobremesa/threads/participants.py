"""Who is in a thread: taking people in, silencing them for a while, leaving.

One takes people in on one's own side, since the other side's people decide about one's offers; admins are taken in by
admins. Whoever silenced somebody as an admin is not undone by the other side.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from msgspec import UNSET, UnsetType

from sobremesa.accounts.audit import Audit
from sobremesa.accounts.entities import block_of, user_by_id
from sobremesa.clock import Clock, Instant, instant
from sobremesa.errors import Forbidden, NotFound
from sobremesa.people import Actor, UserId
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
from sobremesa.threads.access import Access, Standing, cache_is_as_seen
from sobremesa.threads.entities import (
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
)
from sobremesa.threads.errors import (
    AlreadyParticipant,
    Blocked,
    ChangedMeanwhile,
    OwnSideOnly,
    PartyStays,
    TooManyParticipants,
)
from sobremesa.threads.moments import future

MAX_PARTICIPANTS = 100
ATTEMPTS = 10
"""How often a removal starts over because somebody else came or went."""

_OTHER_SIDE: dict[RoleContext, RoleContext | None] = {"buyer": "seller", "seller": "buyer", "admin": None}


class Participants:
    """The people in threads."""

    def __init__(self, table: Table, clock: Clock, access: Access, audit: Audit) -> None:
        self._table = table
        self._clock = clock
        self._access = access
        self._audit = audit

    async def list_participants(
        self, actor: Actor, thread_id: ThreadId, *, limit: int, cursor: str | None = None
    ) -> tuple[list[Participant], str | None]:
        """Who is in a thread that one is in."""
        await self._access.require(actor, thread_id)
        page = await self._table.query(participants_in(room_id=thread_id), limit=limit, cursor=cursor)
        return page.items, page.cursor

    async def add(self, actor: Actor, thread_id: ThreadId, user_id: UserId, role: RoleContext) -> Participant:
        """Take somebody in: on one's own side, or as an admin on any."""
        standing = await self._access.require(actor, thread_id)
        if not standing.is_admin and role != standing.role:
            raise OwnSideOnly
        if standing.place is not None and user_id == actor.user_id:
            raise AlreadyParticipant

        now = self._now()
        place = Participant(room_id=thread_id, user_id=user_id, role_context=role, joined_at=now, last_message_at=now)
        try:
            await self._table.write(
                Create(place),
                Update(standing.thread.own_key(), append(participants=[user_id]), when=_HAS_ROOM),
                Check(user_by_id(user_id=user_id), when=present() & absent_or_null("deleted_at")),
                Check(block_of(user_id=user_id, blocked_id=actor.user_id), when=absent()),
                self._audit.entry(thread_id, actor, "participant.add", target=user_id, details={"as": role}),
                *standing.still(),
                pattern=add_participant,
            )
        except ConditionFailed as failed:
            raise _why_not_in(failed) from None

        return place

    async def change(
        self,
        actor: Actor,
        thread_id: ThreadId,
        user_id: UserId,
        *,
        muted: bool | UnsetType = UNSET,
        blocked_until: datetime | UnsetType | None = UNSET,
    ) -> Participant:
        """Mute a thread for oneself, or keep the other side from speaking until a moment (None: no longer)."""
        standing = await self._access.require(actor, thread_id)
        place = await self._get(thread_id, user_id)
        changes: dict[str, Any] = {}
        when, audit = present(), list[Operation]()
        if muted is not UNSET:
            if user_id != actor.user_id:
                raise Forbidden("Everybody mutes a thread for themselves.")
            changes["muted"] = muted
        if blocked_until is not UNSET:
            self._require_over(standing, place)
            now = self._now()
            until = None if blocked_until is None else future(blocked_until, now)
            changes |= {"blocked_until": until, "blocked_as": None if until is None else _acting_as(standing)}
            act = "participant.unblock" if until is None else "participant.block"
            audit = [self._audit.entry(thread_id, actor, act, target=user_id), *standing.still()]
            if not standing.is_admin:
                when &= differs("blocked_as", "admin") | at_most("blocked_until", now)
        if not changes:
            return place

        try:
            await self._table.write(
                Update(place.own_key(), set_to(**changes), when=when), *audit, token=None, pattern=change_participant
            )
        except ConditionFailed as failed:
            raise await self._why_not_changed(failed, place) from None

        return await self._get(thread_id, user_id)

    async def remove(self, actor: Actor, thread_id: ThreadId, user_id: UserId) -> None:
        """Leave, or as an admin take somebody out. The buyer and the seller stay."""
        for _ in range(ATTEMPTS):
            standing = await self._access.require(actor, thread_id)
            if user_id != actor.user_id and not standing.is_admin:
                raise Forbidden("Only an admin takes somebody out of a thread.")
            if user_id in (standing.thread.buyer_user_id, standing.thread.seller_user_id):
                raise PartyStays
            place = await self._get(thread_id, user_id)
            own = [] if user_id == actor.user_id else standing.still()
            audit = self._audit.entry(thread_id, actor, "participant.remove", target=user_id)

            try:
                await self._table.write(
                    *way_out(standing.thread, place, self._now()), audit, *own, pattern=remove_participant
                )
            except ConditionFailed:
                continue  # somebody else came or went, or this very person

            return
        raise ChangedMeanwhile

    # Inside

    async def _get(self, thread_id: ThreadId, user_id: UserId) -> Participant:
        place = await self._table.get(participant_of(room_id=thread_id, user_id=user_id))
        if place is None:
            raise NotFound
        return place

    def _require_over(self, standing: Standing, place: Participant) -> None:
        """Forbidden unless they may silence this person: the other side, or anybody but oneself as an admin."""
        if place.user_id == standing.actor.user_id:
            raise Forbidden("Nobody silences themselves.")
        if not standing.is_admin and place.role_context != _OTHER_SIDE[standing.role]:
            raise Forbidden("Only the other side or an admin silences somebody.")

    async def _why_not_changed(self, failed: ConditionFailed, place: Participant) -> Exception:
        if not failed.at(0):
            return ChangedMeanwhile()
        if await self._table.get(place.own_key(), consistent=True) is None:
            return NotFound()
        return Forbidden("An admin has silenced them: only an admin changes that.")

    def _now(self) -> Instant:
        return instant(self._clock.now_ms())


def way_out(thread: Thread, place: Participant, now: Instant) -> list[Operation]:
    """What takes a person out of a thread, and remembers that they were there."""
    left = [user_id for user_id in thread.participants if user_id != place.user_id]
    return [
        Delete(place.own_key()),
        Update(thread.own_key(), set_to(participants=left), when=cache_is_as_seen(thread)),
        Put(FormerParticipant(user_id=place.user_id, room_id=thread.room_id, left_at=now)),
    ]


def _acting_as(standing: Standing) -> RoleContext:
    return "admin" if standing.is_admin else standing.role


_HAS_ROOM = absent_or_null("participants") | less(size("participants"), MAX_PARTICIPANTS)

_PLACE, _HEAD, _PERSON, _BLOCK = range(4)
"""Places among the operations of taking somebody in."""


def _why_not_in(failed: ConditionFailed) -> Exception:
    if failed.at(_PLACE):
        return AlreadyParticipant()
    if failed.at(_PERSON):
        return NotFound("There is no such person.")
    if failed.at(_BLOCK):
        return Blocked()
    return TooManyParticipants(limit=MAX_PARTICIPANTS) if failed.at(_HEAD) else ChangedMeanwhile()
