"""The routes of threads and who is in them."""

from __future__ import annotations

from typing import Annotated

import msgspec

from sobremesa.core.actor import Actor, UserId
from sobremesa.core.errors import NotFound
from sobremesa.domains.accounts.audit_views import AuditView, audit_view
from sobremesa.domains.threads import service
from sobremesa.domains.threads.entities import (
    LbgId,
    LegId,
    ListingId,
    RoleContext,
    Status,
    ThreadId,
    ThreadKind,
)
from sobremesa.domains.threads.errors import (
    AlreadyParticipant,
    Blocked,
    BuyerIsSeller,
    ChangedMeanwhile,
    ListingNeeded,
    LockedByAnother,
    NotInFuture,
    OwnSideOnly,
    PartyStays,
    TooManyParticipants,
)
from sobremesa.domains.threads.moments import Moment
from sobremesa.domains.threads.participants import Participants
from sobremesa.domains.threads.service import Threads
from sobremesa.domains.threads.views import ThreadParticipantView, ThreadView, participant_view, thread_view
from sobremesa.http.endpoints import Answer, IdempotencyKey, Input, Listed, PageQuery, Routes
from sobremesa.rooms.access import UserDirectory
from sobremesa.work.idempotency import KeyReused

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


class NewThreadParticipant(Input):
    """Whom to take in, and on which side."""

    user_id: PersonRef
    role_context: RoleContext


class ThreadParticipantChanges(Input):
    """What should be otherwise; what is left out stays. `blockedUntil` is null to let somebody speak again."""

    muted: bool | msgspec.UnsetType = msgspec.UNSET
    blocked_until: Moment | msgspec.UnsetType | None = msgspec.UNSET


def routes(threads: Threads, participants: Participants, people: UserDirectory) -> Routes:
    """The routes of threads, and of who is in them."""
    api = Routes("Threads")

    @api.post(
        "/threads",
        status=201,
        also_status=200,
        errors=[Blocked, KeyReused, ListingNeeded, NotFound, BuyerIsSeller],
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
        return Answer(thread_view(*made.listed), status=201 if made.is_new else 200)

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
        return Listed([thread_view(*listed) for listed in found], cursor)

    @api.get("/threads/{thread_id}")
    async def get_thread(actor: Actor, thread_id: ThreadId) -> ThreadView:
        """A thread that one is in."""
        return thread_view(*await threads.get(actor, thread_id))

    @api.patch("/threads/{thread_id}", errors=[ChangedMeanwhile, LockedByAnother])
    async def change_thread(actor: Actor, thread_id: ThreadId, body: NewStatus) -> ThreadView:
        """Archive, lock or reopen a thread. What is locked, only who locked it or an admin opens again."""
        return thread_view(*await threads.set_status(actor, thread_id, body.status))

    @api.get("/threads/{thread_id}/audit")
    async def list_audit(actor: Actor, thread_id: ThreadId, query: PageQuery) -> Listed[AuditView]:
        """What privileged people did in the thread, newest first: for its admins."""
        entries, cursor = await threads.list_audit(actor, thread_id, limit=query.limit, cursor=query.cursor)
        return Listed([audit_view(entry) for entry in entries], cursor)

    @api.get("/threads/{thread_id}/participants")
    async def list_participants(actor: Actor, thread_id: ThreadId, query: PageQuery) -> Listed[ThreadParticipantView]:
        """Who is in the thread."""
        rows, cursor = await participants.list_participants(actor, thread_id, limit=query.limit, cursor=query.cursor)
        profiles = await people.profiles([participant.user_id for participant in rows])
        return Listed(
            [participant_view(actor, participant, profiles[participant.user_id]) for participant in rows], cursor
        )

    @api.post(
        "/threads/{thread_id}/participants",
        status=201,
        errors=[AlreadyParticipant, Blocked, ChangedMeanwhile, OwnSideOnly, TooManyParticipants],
    )
    async def add_participant(actor: Actor, thread_id: ThreadId, body: NewThreadParticipant) -> ThreadParticipantView:
        """Take somebody in on one's own side; an admin takes in anybody, and other admins."""
        participant = await participants.add(actor, thread_id, body.user_id, body.role_context)
        return participant_view(actor, participant, (await people.profiles([body.user_id]))[body.user_id])

    @api.patch("/threads/{thread_id}/participants/{user_id}", errors=[ChangedMeanwhile, NotInFuture])
    async def change_participant(
        actor: Actor, thread_id: ThreadId, user_id: UserId, body: ThreadParticipantChanges
    ) -> ThreadParticipantView:
        """Mute the thread for oneself, or keep the other side from speaking until a moment."""
        participant = await participants.change(
            actor, thread_id, user_id, muted=body.muted, blocked_until=body.blocked_until
        )
        return participant_view(actor, participant, (await people.profiles([user_id]))[user_id])

    @api.delete("/threads/{thread_id}/participants/{user_id}", errors=[ChangedMeanwhile, PartyStays])
    async def remove_participant(actor: Actor, thread_id: ThreadId, user_id: UserId) -> None:
        """Leave, or as an admin take somebody out. The buyer and the seller stay."""
        await participants.remove(actor, thread_id, user_id)

    return api
