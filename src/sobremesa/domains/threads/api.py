"""The routes of threads and their participants."""

from __future__ import annotations

from typing import Annotated

import msgspec

from sobremesa.core.actor import Actor, PersonRequired, UserId
from sobremesa.core.custom_data import BadData, CustomData
from sobremesa.core.errors import ChangedMeanwhile, UnknownUsers
from sobremesa.domains.accounts.views import AuditView, audit_view
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
    ListingNeeded,
    LockedByAnother,
    NotInFuture,
    OwnSideOnly,
    PartyStays,
    ThreadNotOpen,
    TooManyParticipants,
)
from sobremesa.domains.threads.moments import Moment
from sobremesa.domains.threads.service import Threads
from sobremesa.domains.threads.views import ThreadParticipantView, ThreadView, participant_view, thread_view
from sobremesa.http.endpoints import Answer, IdempotencyKey, Input, Listed, NamedUser, PageQuery, Routes
from sobremesa.rooms.access import UserDirectory
from sobremesa.work.idempotency import KeyReused

_REFERENCE = msgspec.Meta(min_length=1, max_length=200, pattern=r"^[^#*$\x00-\x1f\x7f][^#\x00-\x1f\x7f]*$")

PersonRef = Annotated[UserId, _REFERENCE]
ListingRef = Annotated[ListingId, _REFERENCE]
_LISTED_BY = "An object of the marketplace that threads belong to and are listed by."
LbgRef = Annotated[LbgId, _REFERENCE, msgspec.Meta(description=_LISTED_BY, examples=["lbg_7"])]
LegRef = Annotated[LegId, _REFERENCE, msgspec.Meta(description=_LISTED_BY, examples=["leg_3"])]
City = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]


class NewThread(Input):
    """A thread to create. An inquiry needs a listing. A server key names the buyer; anyone else is the buyer."""

    kind: ThreadKind
    seller_user_id: PersonRef
    buyer_user_id: NamedUser | None = None
    listing_id: ListingRef | None = None
    lbg_id: LbgRef | None = None
    leg_id: LegRef | None = None
    city: City | None = None
    safe_mode_required: bool = False
    data: CustomData | None = None


class ThreadQuery(PageQuery):
    """Which threads to list: your inbox, or those of an lbg or a leg of the marketplace."""

    lbg_id: LbgRef | None = None
    leg_id: LegRef | None = None


class ThreadChanges(Input):
    """The new status or custom data of a thread; what is omitted stays, and null removes the data."""

    status: Status | msgspec.UnsetType = msgspec.UNSET
    data: CustomData | msgspec.UnsetType | None = msgspec.UNSET


class NewThreadParticipant(Input):
    """A user to add, and their role."""

    user_id: PersonRef
    role_context: RoleContext


class ThreadParticipantChanges(Input):
    """The attributes to change; omitted ones stay as they are. Set `blockedUntil` to null to lift a block."""

    muted: bool | msgspec.UnsetType = msgspec.UNSET
    blocked_until: Moment | msgspec.UnsetType | None = msgspec.UNSET


def routes(threads: Threads, users: UserDirectory) -> Routes:
    """Return the routes of threads and their participants."""
    api = Routes("Threads", "Marketplace threads between a buyer and a seller, with cards and tabs.")

    @api.post(
        "/threads",
        status=201,
        also_status=200,
        errors=[BadData, Blocked, KeyReused, ListingNeeded, BuyerIsSeller, PersonRequired, UnknownUsers],
        key_scope="rooms:write",
        key_acts_as="buyer_user_id",
    )
    async def create_thread(
        actor: Actor, body: NewThread, idempotency_key: IdempotencyKey | None
    ) -> Answer[ThreadView]:
        """Create a thread with a seller, as the buyer.

        If there is already an inquiry about the listing, it is returned with status 200.
        """
        wanted = service.NewThread(
            body.kind,
            body.seller_user_id,
            body.listing_id,
            body.lbg_id,
            body.leg_id,
            body.city,
            body.safe_mode_required,
            body.data,
        )
        created = await threads.create(actor, wanted, key=idempotency_key)
        return Answer(thread_view(*created.listed), status=201 if created.is_new else 200)

    @api.get("/threads")
    async def list_threads(actor: Actor, query: ThreadQuery) -> Listed[ThreadView]:
        """List your inbox, newest message first; with `lbgId` or `legId` their threads, newest first.

        Only threads that you participate in; a platform administrator gets all threads of an lbg or a leg.
        """
        if query.lbg_id is None and query.leg_id is None:
            found, cursor = await threads.list_threads(actor, limit=query.limit, cursor=query.cursor)
        else:
            found, cursor = await threads.list_about(
                actor, lbg_id=query.lbg_id, leg_id=query.leg_id, limit=query.limit, cursor=query.cursor
            )
        return Listed([thread_view(*listed) for listed in found], cursor)

    @api.get("/threads/{thread_id}", key_scope="rooms:read")
    async def get_thread(actor: Actor, thread_id: ThreadId) -> ThreadView:
        """Return a thread that you participate in."""
        return thread_view(*await threads.get(actor, thread_id))

    @api.patch("/threads/{thread_id}", errors=[BadData, ChangedMeanwhile, LockedByAnother, ThreadNotOpen])
    async def change_thread(actor: Actor, thread_id: ThreadId, body: ThreadChanges) -> ThreadView:
        """Archive, lock or reopen a thread, or replace its custom data while it is open.

        Only the user who locked it, or an admin, may reopen a locked thread.
        """
        if body.data is not msgspec.UNSET:
            await threads.set_data(actor, thread_id, body.data)
        if body.status is not msgspec.UNSET:
            return thread_view(*await threads.set_status(actor, thread_id, body.status))
        return thread_view(*await threads.get(actor, thread_id))

    @api.get("/threads/{thread_id}/audit")
    async def list_audit(actor: Actor, thread_id: ThreadId, query: PageQuery) -> Listed[AuditView]:
        """List the audit log of a thread, newest first. For its admins only."""
        entries, cursor = await threads.list_audit(actor, thread_id, limit=query.limit, cursor=query.cursor)
        return Listed([audit_view(entry) for entry in entries], cursor)

    @api.get("/threads/{thread_id}/participants", key_scope="rooms:read")
    async def list_participants(actor: Actor, thread_id: ThreadId, query: PageQuery) -> Listed[ThreadParticipantView]:
        """List the participants of a thread."""
        rows, cursor = await threads.participants.list_participants(
            actor, thread_id, limit=query.limit, cursor=query.cursor
        )
        profiles = await users.profiles([row.user_id for row in rows])
        return Listed([participant_view(actor, row, profiles[row.user_id]) for row in rows], cursor)

    @api.post(
        "/threads/{thread_id}/participants",
        status=201,
        errors=[AlreadyParticipant, Blocked, ChangedMeanwhile, OwnSideOnly, TooManyParticipants, UnknownUsers],
        key_scope="rooms:write",
    )
    async def add_participant(actor: Actor, thread_id: ThreadId, body: NewThreadParticipant) -> ThreadParticipantView:
        """Add a user on your own side; an admin may add users in any role."""
        participant = await threads.participants.add(actor, thread_id, body.user_id, body.role_context)
        return participant_view(actor, participant, (await users.profiles([body.user_id]))[body.user_id])

    @api.patch(
        "/threads/{thread_id}/participants/{user_id}",
        errors=[ChangedMeanwhile, NotInFuture],
        key_scope="rooms:write",
    )
    async def change_participant(
        actor: Actor, thread_id: ThreadId, user_id: UserId, body: ThreadParticipantChanges
    ) -> ThreadParticipantView:
        """Mute the thread for yourself, or block a participant of the other side until a time."""
        row = await threads.participants.change(
            actor, thread_id, user_id, muted=body.muted, blocked_until=body.blocked_until
        )
        return participant_view(actor, row, (await users.profiles([user_id]))[user_id])

    @api.delete(
        "/threads/{thread_id}/participants/{user_id}", errors=[ChangedMeanwhile, PartyStays], key_scope="rooms:write"
    )
    async def remove_participant(actor: Actor, thread_id: ThreadId, user_id: UserId) -> None:
        """Leave a thread, or remove a participant as an admin. The buyer and the seller cannot be removed."""
        await threads.participants.remove(actor, thread_id, user_id)

    return api
