"""Creating, listing and closing threads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sobremesa.core.actor import Actor, UserId, stored_tenant
from sobremesa.core.errors import Busy, ChangedMeanwhile, Forbidden, Unauthenticated, UnknownUsers
from sobremesa.core.gather import gather_bounded
from sobremesa.core.ids import RoomId
from sobremesa.domains.accounts.audit import Audit, AuditPage
from sobremesa.domains.accounts.entities import block_of, user_by_id
from sobremesa.domains.accounts.tenancy import exists_in
from sobremesa.domains.threads.access import IS_OPEN, Access
from sobremesa.domains.threads.card_types import CardType, CardTypes
from sobremesa.domains.threads.cards import Cards
from sobremesa.domains.threads.cleanup import Cleanup
from sobremesa.domains.threads.copies import copied_thread, copy_of
from sobremesa.domains.threads.entities import (
    THREADS,
    InquiryClaim,
    LbgId,
    LegId,
    ListingId,
    Participant,
    RoleContext,
    Status,
    Thread,
    ThreadId,
    ThreadKind,
    ThreadReference,
    change_data,
    change_status,
    create_thread,
    inbox_of,
    inquiry_of,
    thread_by_id,
    threads_of_lbg,
    threads_of_leg,
)
from sobremesa.domains.threads.errors import Blocked, BuyerIsSeller, ListingNeeded, LockedByAnother, ThreadNotOpen
from sobremesa.domains.threads.inbox import Inboxes
from sobremesa.domains.threads.participants import Participants
from sobremesa.domains.threads.tabs import Tabs
from sobremesa.rooms.context import RoomContext
from sobremesa.rooms.sending import Draft, HeadChange
from sobremesa.rooms.service import Rooms
from sobremesa.rooms.unread import COUNTED_AT_ONCE, NOTHING_UNREAD, is_read
from sobremesa.rooms.views import UnreadView
from sobremesa.table import (
    Check,
    Condition,
    Create,
    Operation,
    Question,
    Update,
    absent,
    absent_or_null,
    equals,
    set_to,
)
from sobremesa.table.errors import ConditionFailed
from sobremesa.work.idempotency import Idempotency

PAGES_AT_ONCE = 20
"""How many pages of an lbg or a leg are searched for threads of the actor."""


_NOTICES: dict[Status, str] = {
    "open": "The thread was reopened.",
    "archived": "The thread was archived.",
    "locked": "The thread was locked.",
}


class ListedThread(NamedTuple):
    """A thread as one user sees it: `participant` is their own row, which a platform administrator may lack."""

    thread: Thread
    participant: Participant | None
    unread: UnreadView


class CreatedThread(NamedTuple):
    """A thread, and whether this call created it."""

    listed: ListedThread
    is_new: bool


class NewThread(NamedTuple):
    """The attributes of a thread to create."""

    kind: ThreadKind
    seller_user_id: UserId
    listing_id: ListingId | None = None
    lbg_id: LbgId | None = None
    leg_id: LegId | None = None
    city: str | None = None
    safe_mode_required: bool = False
    data: dict[str, Any] | None = None


class Threads(Rooms):
    """Threads between buyers and sellers, with their messages."""

    _access: Access

    def __init__(
        self,
        context: RoomContext,
        *,
        audit: Audit,
        idempotency: Idempotency,
        card_types: Iterable[CardType] = (),
    ) -> None:
        table, clock = context.table, context.clock
        self.inboxes = Inboxes(table)
        access = Access(table, clock, audit, self.inboxes)
        super().__init__(THREADS, access, context)
        self.access = access
        self._audit = audit
        self._idempotency = idempotency
        self.participants = Participants(table, clock, access, audit, self)
        self.cards = Cards(table, clock, access, self, CardTypes(card_types), idempotency)
        self.tabs = Tabs(table, clock, access, self)
        self.cleanup = Cleanup(table, clock, context.files)

    async def close(self) -> None:
        """Wait for background updates of inboxes."""
        await self.inboxes.close()

    # Creating

    async def create(self, actor: Actor, wanted: NewThread, *, key: str | None = None) -> CreatedThread:
        """Create a thread with a seller of the same tenant, or return the existing inquiry about the listing."""
        actor.require_person()
        if wanted.kind == "inquiry" and wanted.listing_id is None:
            raise ListingNeeded
        if wanted.seller_user_id == actor.user_id:
            raise BuyerIsSeller
        await self._data_checks.check(actor.tenant, "thread", wanted.data)
        claim = self._idempotency.claim(actor, key, "thread", wanted)
        before = await claim.find()
        if before is not None:
            return await self._existing(actor, RoomId(before), is_new=True)
        existing = await self._find_inquiry(actor, wanted)
        if existing is not None:
            return await self._existing(actor, existing)

        thread, buyer, seller = self._new_rows(actor, wanted)
        try:
            await self._table.write(
                thread=Create(thread),
                participants=[Create(buyer), Create(seller)],
                seller=Check(user_by_id(user_id=seller.user_id), when=exists_in(actor.tenant)),
                buyer=Check(user_by_id(user_id=buyer.user_id), when=absent_or_null("deleted_at")),
                block=Check(block_of(user_id=seller.user_id, blocked_id=buyer.user_id), when=absent()),
                references=self._reference_rows(thread),
                idempotency=claim.operations(thread.room_id),
                pattern=create_thread,
            )
        except ConditionFailed as failed:
            created = await claim.created(failed)
            if created is not None:
                return await self._existing(actor, RoomId(created), is_new=True)
            existing = await self._find_inquiry(actor, wanted)
            if existing is None:
                raise _refusal(failed, seller.user_id) from None
            return await self._existing(actor, existing)

        return CreatedThread(ListedThread(thread, buyer, NOTHING_UNREAD), is_new=True)

    # Listing

    async def get(self, actor: Actor, thread_id: ThreadId) -> ListedThread:
        """Return a thread that the actor has access to."""
        actor = actor.or_system("rooms:read", "rooms:write")
        caller = await self._access.require(actor, thread_id)
        return await self._listed(actor, caller.thread, caller.participant)

    async def list_threads(
        self, actor: Actor, *, limit: int, cursor: str | None = None, exact: bool = False
    ) -> tuple[list[ListedThread], str | None]:
        """List the actor's threads, newest message first, as the index shows them.

        Only those with unread messages or without a copy in the index are read; `exact` reads all of them.
        """
        page = await self._table.query(inbox_of(user_id=actor.user_id), limit=limit, cursor=cursor)
        copied = {} if exact else self._read_threads(actor, page.items)
        rows = await self._rows(actor, [row.room_id for row in page.items if row.room_id not in copied])
        inside = {thread.room_id: (thread, row) for thread, row in rows if row is not None}
        found = {**copied, **inside}
        return await self._list(actor, [found[row.room_id] for row in page.items if row.room_id in found]), page.cursor

    async def list_about(
        self, actor: Actor, *, lbg_id: LbgId | None, leg_id: LegId | None, limit: int, cursor: str | None = None
    ) -> tuple[list[ListedThread], str | None]:
        """List the actor's threads of an lbg, a leg or both, newest first; for an administrator, all of the tenant."""
        question: Question[Any] = threads_of_leg(leg_id=leg_id) if lbg_id is None else threads_of_lbg(lbg_id=lbg_id)
        found: list[tuple[Thread, Participant | None]] = []
        for _ in range(PAGES_AT_ONCE):
            page = await self._table.query(question, limit=limit - len(found), cursor=cursor)
            found += [
                (thread, participant)
                for thread, participant in await self._rows(actor, [row.room_id for row in page.items])
                if (participant is not None or actor.administers(thread.tenant))
                and (leg_id is None or thread.leg_id == leg_id)
            ]
            cursor = page.cursor
            # A page without the actor's threads is skipped, so that it does not reveal that the threads exist.
            if cursor is None or len(found) >= limit:
                break
        return await self._list(actor, found), cursor

    async def require_party(self, actor: Actor, thread_id: str) -> RoleContext:
        """Return the role of a participant; NotFound if they are not in the thread."""
        return await self._access.require_party(actor, RoomId(thread_id))

    async def list_audit(
        self, actor: Actor, thread_id: ThreadId, *, limit: int, cursor: str | None = None
    ) -> AuditPage:
        """List the audit log of a thread, newest first. For its admins only."""
        caller = await self._access.require(actor, thread_id)
        if not caller.is_admin:
            raise Forbidden("Only an admin may read the audit log of a thread.")
        return await self._audit.list_entries(thread_id, since=caller.thread.created_at, limit=limit, cursor=cursor)

    # Closing

    async def set_status(self, actor: Actor, thread_id: ThreadId, status: Status) -> ListedThread:
        """Archive, lock or reopen a thread. Only the user who locked it, or an admin, changes a locked thread."""
        caller = await self._access.require(actor, thread_id)
        thread = caller.thread
        if thread.status == status:
            return await self._listed(actor, thread, caller.participant)
        if thread.status == "locked" and not caller.is_admin and thread.locked_by != actor.user_id:
            raise LockedByAnother

        locked_by = actor.user_id if status == "locked" else None
        details = {"from": thread.status, "to": status}
        audit = self._audit.entry(thread_id, actor, "thread.status", target=thread_id, details=details)
        try:
            await self.send_with(
                self._access.notice_seat(caller, becomes={"status": status, "locked_by": locked_by}),
                Draft(_NOTICES[status], type="system"),
                lambda message: [audit],
                head=HeadChange(set_to(status=status, locked_by=locked_by), _status_unchanged(thread), change_status),
            )
        except ConditionFailed:
            raise ChangedMeanwhile from None

        return await self.get(actor, thread_id)

    # Custom data

    async def set_data(self, actor: Actor, thread_id: ThreadId, data: dict[str, Any] | None) -> None:
        """Replace the custom data of an open thread. For its participants and admins."""
        await self._access.require(actor, thread_id)
        await self._data_checks.check(actor.tenant, "thread", data)
        change = set_to(data=data, updated_at=self._clock.now())
        try:
            await self._table.write(Update(thread_by_id(room_id=thread_id), change, when=IS_OPEN), pattern=change_data)
        except ConditionFailed:
            raise ThreadNotOpen from None
        await self.inboxes.remove_copies(thread_id)

    # Inboxes

    async def bump(self, thread_id: ThreadId) -> None:
        """Update the inboxes of all participants to a thread's last message. Idempotent."""
        await self.inboxes.move(thread_id)

    # Inside

    def _new_rows(self, actor: Actor, wanted: NewThread) -> tuple[Thread, Participant, Participant]:
        now = self._clock.now()
        thread = Thread(
            room_id=RoomId(self._ids.mint()),
            **wanted._asdict(),
            tenant=stored_tenant(actor.tenant),
            buyer_user_id=actor.user_id,
            participants=[actor.user_id, wanted.seller_user_id],
            created_at=now,
            updated_at=now,
        )
        roles: list[tuple[UserId, RoleContext]] = [(actor.user_id, "buyer"), (wanted.seller_user_id, "seller")]
        buyer, seller = (
            Participant(
                room_id=thread.room_id,
                user_id=user_id,
                role_context=role,
                joined_at=now,
                last_message_at=now,
                thread=copy_of(thread, None),
            )
            for user_id, role in roles
        )
        return thread, buyer, seller

    def _reference_rows(self, thread: Thread) -> list[Operation]:
        """Return the rows that list a thread by its leg, and make its inquiry unique."""
        operations: list[Operation] = []
        if thread.lbg_id is not None and thread.leg_id is not None:
            operations.append(
                Create(ThreadReference(room_id=thread.room_id, leg_id=thread.leg_id, created_at=thread.created_at))
            )
        if thread.kind == "inquiry" and thread.listing_id is not None:
            claim = InquiryClaim(
                buyer_user_id=thread.buyer_user_id,
                seller_user_id=thread.seller_user_id,
                listing_id=thread.listing_id,
                room_id=thread.room_id,
            )
            operations.append(Create(claim))
        return operations

    async def _find_inquiry(self, actor: Actor, wanted: NewThread) -> RoomId | None:
        if wanted.kind != "inquiry":
            return None
        key = inquiry_of(
            buyer_user_id=actor.user_id, seller_user_id=wanted.seller_user_id, listing_id=wanted.listing_id
        )
        claim = await self._table.get(key)
        return None if claim is None else claim.room_id

    async def _existing(self, actor: Actor, thread_id: ThreadId, *, is_new: bool = False) -> CreatedThread:
        """Return an existing thread; one that the same idempotent call created counts as new."""
        found = await self.get(actor, thread_id)
        return CreatedThread(found, is_new=is_new)

    def _read_threads(self, actor: Actor, rows: Sequence[Participant]) -> dict[RoomId, tuple[Thread, Participant]]:
        """Return the threads in which the user has read everything, from copies in the user's own rows."""
        copies = [(thread, row) for row in rows if (thread := copied_thread(row)) is not None]
        return {
            thread.room_id: (thread, row)
            for thread, row in copies
            if is_read(self._access.seat_of(actor, thread, row), row)
        }

    async def _rows(self, actor: Actor, room_ids: Sequence[RoomId]) -> list[tuple[Thread, Participant | None]]:
        """Return those of the threads that exist, each with the actor's own row or None."""
        rows = await self._access.rows_of(actor.user_id, room_ids) if room_ids else []
        return [(thread, participant) for thread, participant in rows if thread is not None]

    async def _list(self, actor: Actor, rows: Sequence[tuple[Thread, Participant | None]]) -> list[ListedThread]:
        return await gather_bounded(COUNTED_AT_ONCE, lambda row: self._listed(actor, *row), rows)

    async def _listed(self, actor: Actor, thread: Thread, participant: Participant | None) -> ListedThread:
        if participant is None:
            return ListedThread(thread, None, NOTHING_UNREAD)
        seat = self._access.seat_of(actor, thread, participant)
        return ListedThread(thread, participant, await self._unread.count(seat, participant))


def _status_unchanged(thread: Thread) -> Condition:
    """Return the condition that the status has not changed."""
    if thread.status == "open":
        return IS_OPEN
    by = thread.locked_by
    return equals("status", thread.status) & (absent_or_null("locked_by") if by is None else equals("locked_by", by))


def _refusal(failed: ConditionFailed, seller_id: UserId) -> Exception:
    if "seller" in failed:
        return UnknownUsers(user_ids=[seller_id])
    if "buyer" in failed:
        return Unauthenticated()
    return Blocked() if "block" in failed else Busy()
