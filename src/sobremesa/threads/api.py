"""The routes of threads and who is in them."""

from __future__ import annotations

from typing import Annotated

import msgspec

from sobremesa.clock import Instant
from sobremesa.http.endpoints import Answer, IdempotencyKey, Input, Listed, Output, PageQuery, Routes
from sobremesa.idempotency import KeyReused
from sobremesa.ids import MessageId
from sobremesa.people import Actor, Face, UserId
from sobremesa.rooms.door import People
from sobremesa.rooms.views import UnreadView
from sobremesa.threads import service
from sobremesa.threads.entities import (
    LbgId,
    LegId,
    ListingId,
    Participant,
    RoleContext,
    Status,
    ThreadId,
    ThreadKind,
)
from sobremesa.threads.errors import (
    AlreadyParticipant,
    Blocked,
    ChangedMeanwhile,
    ListingNeeded,
    NotInFuture,
    OwnSideOnly,
    PartyStays,
    SomebodyElsesLock,
    TooManyParticipants,
    WithOneself,
)
from sobremesa.threads.moments import Moment
from sobremesa.threads.participants import Participants
from sobremesa.threads.service import Threads

_REFERENCE = msgspec.Meta(min_length=1, max_length=200, pattern=r"^[^#*$\x00-\x1f\x7f][^#\x00-\x1f\x7f]*$")

PersonRef = Annotated[UserId, _REFERENCE]
ListingRef = Annotated[ListingId, _REFERENCE]
LbgRef = Annotated[LbgId, _REFERENCE]
LegRef = Annotated[LegId, _REFERENCE]
City = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]


class NewThread(Input):
    """With whom to talk, and about what. An inquiry needs a listing."""

    kind: ThreadKind
    seller_user_id: PersonRef
    listing_id: ListingRef | None = None
    lbg_id: LbgRef | None = None
    leg_id: LegRef | None = None
    city: City | None = None
    safe_mode_required: bool = False


class ThreadQuery(PageQuery):
    """Which threads: one's inbox, or those of an lbg or a leg."""

    lbg_id: LbgRef | None = None
    leg_id: LegRef | None = None


class NewStatus(Input):
    """Whether something can be added to the thread."""

    status: Status


class NewParticipant(Input):
    """Whom to take in, and on which side."""

    user_id: PersonRef
    role_context: RoleContext


class ParticipantChanges(Input):
    """What should be otherwise; what is left out stays. `blockedUntil` is null to let somebody speak again."""

    muted: bool | msgspec.UnsetType = msgspec.UNSET
    blocked_until: Moment | msgspec.UnsetType | None = msgspec.UNSET


class ThreadView(Output):
    """A thread, with what it is to the reader.

    `roleContext` is null for an administrator of the platform who is not in it.
    """

    thread_id: ThreadId
    kind: ThreadKind
    status: Status
    locked_by: UserId | None
    buyer_user_id: UserId
    seller_user_id: UserId
    participants: list[UserId]
    listing_id: ListingId | None
    lbg_id: LbgId | None
    leg_id: LegId | None
    city: str | None
    safe_mode_required: bool
    last_message_id: MessageId | None
    last_message_at: Instant | None
    role_context: RoleContext | None
    muted: bool
    unread: UnreadView
    created_at: Instant
    updated_at: Instant | None


class ParticipantView(Output):
    """Somebody in a thread. Whether they muted it is theirs alone to know."""

    user_id: UserId
    username: str
    avatar_url: str | None
    thread_id: ThreadId
    role_context: RoleContext
    muted: bool | None
    blocked_until: Instant | None
    joined_at: Instant


def routes(threads: Threads, participants: Participants, people: People) -> Routes:
    """The routes of threads, and of who is in them."""
    api = Routes("Threads")

    @api.post(
        "/threads",
        status=201,
        also_status=200,
        errors=[Blocked, KeyReused, ListingNeeded, WithOneself],
    )
    async def create_thread(
        actor: Actor, body: NewThread, idempotency_key: IdempotencyKey | None
    ) -> Answer[ThreadView]:
        """Begin to talk with a seller, as the buyer.

        An inquiry about the same listing that exists already comes back with 200.
        """
        wanted = service.NewThread(
            body.kind,
            body.seller_user_id,
            body.listing_id,
            body.lbg_id,
            body.leg_id,
            body.city,
            body.safe_mode_required,
        )
        made = await threads.create(actor, wanted, key=idempotency_key)
        return Answer(thread_view(made.listed), status=201 if made.is_new else 200)

    @api.get("/threads")
    async def list_threads(actor: Actor, query: ThreadQuery) -> Listed[ThreadView]:
        """One's inbox, the newest message first; with `lbgId` or `legId` the threads of those, the newest first.

        Threads that one is in; an administrator of the platform sees all threads of an lbg or a leg.
        """
        if query.lbg_id is None and query.leg_id is None:
            found, cursor = await threads.list_inbox(actor, limit=query.limit, cursor=query.cursor)
        else:
            found, cursor = await threads.list_about(
                actor, lbg_id=query.lbg_id, leg_id=query.leg_id, limit=query.limit, cursor=query.cursor
            )
        return Listed([thread_view(listed) for listed in found], cursor)

    @api.get("/threads/{thread_id}")
    async def get_thread(actor: Actor, thread_id: ThreadId) -> ThreadView:
        """A thread that one is in."""
        return thread_view(await threads.get(actor, thread_id))

    @api.patch("/threads/{thread_id}", errors=[ChangedMeanwhile, SomebodyElsesLock])
    async def change_thread(actor: Actor, thread_id: ThreadId, body: NewStatus) -> ThreadView:
        """Archive, lock or reopen a thread. What is locked, only who locked it or an admin opens again."""
        return thread_view(await threads.set_status(actor, thread_id, body.status))

    @api.get("/threads/{thread_id}/participants")
    async def list_participants(actor: Actor, thread_id: ThreadId, query: PageQuery) -> Listed[ParticipantView]:
        """Who is in the thread."""
        places, cursor = await participants.list_participants(actor, thread_id, limit=query.limit, cursor=query.cursor)
        faces = await people.faces([place.user_id for place in places])
        return Listed([_participant_view(actor, place, faces[place.user_id]) for place in places], cursor)

    @api.post(
        "/threads/{thread_id}/participants",
        status=201,
        errors=[AlreadyParticipant, Blocked, ChangedMeanwhile, OwnSideOnly, TooManyParticipants],
    )
    async def add_participant(actor: Actor, thread_id: ThreadId, body: NewParticipant) -> ParticipantView:
        """Take somebody in on one's own side; an admin takes in anybody, and other admins."""
        place = await participants.add(actor, thread_id, body.user_id, body.role_context)
        return _participant_view(actor, place, (await people.faces([body.user_id]))[body.user_id])

    @api.patch("/threads/{thread_id}/participants/{user_id}", errors=[ChangedMeanwhile, NotInFuture])
    async def change_participant(
        actor: Actor, thread_id: ThreadId, user_id: UserId, body: ParticipantChanges
    ) -> ParticipantView:
        """Mute the thread for oneself, or keep the other side from speaking until a moment."""
        place = await participants.change(actor, thread_id, user_id, muted=body.muted, blocked_until=body.blocked_until)
        return _participant_view(actor, place, (await people.faces([user_id]))[user_id])

    @api.delete("/threads/{thread_id}/participants/{user_id}", errors=[ChangedMeanwhile, PartyStays])
    async def remove_participant(actor: Actor, thread_id: ThreadId, user_id: UserId) -> None:
        """Leave, or as an admin take somebody out. The buyer and the seller stay."""
        await participants.remove(actor, thread_id, user_id)

    return api


def thread_view(listed: service.Listed) -> ThreadView:
    thread, place, unread = listed
    return ThreadView(
        thread.room_id,
        thread.kind,
        thread.status,
        thread.locked_by,
        thread.buyer_user_id,
        thread.seller_user_id,
        thread.participants,
        thread.listing_id,
        thread.lbg_id,
        thread.leg_id,
        thread.city,
        thread.safe_mode_required,
        thread.last_message_id,
        thread.last_message_at,
        None if place is None else place.role_context,
        place is not None and place.muted,
        unread,
        thread.created_at,
        thread.updated_at,
    )


def _participant_view(actor: Actor, place: Participant, face: Face) -> ParticipantView:
    return ParticipantView(
        place.user_id,
        face.username,
        face.avatar_url,
        place.room_id,
        place.role_context,
        place.muted if place.user_id == actor.user_id else None,
        place.blocked_until,
        place.joined_at,
    )
