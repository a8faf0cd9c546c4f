"""Create, find and rename conversations."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple

from sobremesa.core.actor import Actor, PersonRequired, UserId, stored_tenant
from sobremesa.core.errors import Busy, ChangedMeanwhile, UnknownUsers
from sobremesa.core.ids import RoomId
from sobremesa.domains.accounts.audit import Audit
from sobremesa.domains.accounts.entities import Block, User, block_of, user_by_id
from sobremesa.domains.accounts.tenancy import belongs_to
from sobremesa.domains.conversations.access import Access
from sobremesa.domains.conversations.activity import Activity
from sobremesa.domains.conversations.cleanup import Cleanup
from sobremesa.domains.conversations.entities import (
    BIG_ABOVE,
    CONVERSATIONS,
    Conversation,
    ConversationId,
    Participant,
    change_conversation,
    conversation_by_id,
    conversations_of,
    create_conversation,
    direct_between,
    direct_claim,
    seat_of,
)
from sobremesa.domains.conversations.errors import BlockedByRecipient, InvalidParticipants
from sobremesa.domains.conversations.inbox import Inbox
from sobremesa.domains.conversations.participants import Participants
from sobremesa.rooms.context import RoomContext
from sobremesa.rooms.service import Rooms
from sobremesa.table import Check, Create, Update, absent_or_null, equals, set_to
from sobremesa.table.errors import ConditionFailed
from sobremesa.work.idempotency import Idempotency
from sobremesa.work.table_origin import Origin

MAX_OTHERS = 90
"""The maximum number of other users in a new group, which is created in one transaction."""


class Created(NamedTuple):
    """A conversation, and whether this request created it."""

    conversation_id: ConversationId
    is_new: bool


class Conversations(Rooms):
    """Direct and group conversations, with their messages."""

    _access: Access

    def __init__(
        self,
        context: RoomContext,
        *,
        audit: Audit,
        idempotency: Idempotency,
        origin: Origin,
        share_server: Callable[[UserId, UserId], Awaitable[bool]],
    ) -> None:
        table, clock = context.table, context.clock
        access = Access(table, audit)
        super().__init__(CONVERSATIONS, access, context)
        self.access = access
        self._idempotency = idempotency
        self._origin = origin
        self._share_server = share_server
        """Returns whether two users are members of the same server."""
        self.participants = Participants(table, clock, access, audit, context.jobs)
        inbox = Inbox(table, access, origin, self._unread)
        self.list_conversations, self.get = inbox.list_conversations, inbox.get
        self.list_all = inbox.list_all
        self.activity = Activity(table)
        self.cleanup = Cleanup(table, self.participants, context.files)

    async def create_direct(self, actor: Actor, other: UserId, *, data: dict[str, Any] | None = None) -> Created:
        """Return the direct conversation of the actor and another user, created if needed: each pair has one.

        A bot creates one only with a user with whom it shares a server; else PersonRequired.
        """
        return await self._create_direct(actor, actor.user_id, other, data)

    async def create_direct_between(
        self, actor: Actor, one: UserId, other: UserId, *, data: dict[str, Any] | None = None
    ) -> Created:
        """Return the direct conversation of two users, created if needed, for the product's backend."""
        actor.require_scope("rooms:write")
        return await self._create_direct(actor.as_system(), one, other, data)

    async def _create_direct(self, actor: Actor, one: UserId, other: UserId, data: dict[str, Any] | None) -> Created:
        if other == one:
            raise InvalidParticipants
        others = [user_id for user_id in (one, other) if user_id != actor.user_id]
        before = await self._find_direct(one, other)
        if before is not None and not actor.is_system:
            return Created(before, False)
        await self._data_checks.check(actor.tenant, "conversation", data)
        await self._require_reachable(actor, others)
        if before is not None:
            return Created(before, False)
        if actor.is_bot and not await self._share_server(one, other):
            raise PersonRequired("A bot may write only to users with whom it shares a server.")

        now = self._clock.now()
        room_id = RoomId(self._ids.mint())
        conversation = Conversation(
            room_id=room_id,
            type="direct",
            participants=2,
            tenant=stored_tenant(actor.tenant),
            data=data,
            created_by=actor.user_id,
            created_at=now,
            updated_at=now,
        )
        pair = ((one, other), (other, one))
        try:
            await self._table.write(
                claim=Create(direct_claim(one, other, room_id)),
                conversation=Create(conversation),
                seats=[
                    Create(Participant(room_id=room_id, user_id=each, joined_at=now, last_message_at=now, other_id=to))
                    for each, to in pair
                ],
                users=[Check(user_by_id(user_id=user_id), when=absent_or_null("deleted_at")) for user_id, _ in pair],
                pattern=create_conversation,
            )
        except ConditionFailed as failed:
            if "claim" not in failed:
                raise UnknownUsers(user_ids=others) from None
            existing = await self._find_direct(one, other)
            if existing is None:
                raise Busy from None
            return Created(existing, False)

        return Created(room_id, True)

    async def create_group(
        self,
        actor: Actor,
        others: Sequence[UserId],
        *,
        name: str | None = None,
        data: dict[str, Any] | None = None,
        key: str | None = None,
    ) -> Created:
        """Create a group with others; the actor becomes its admin.

        A group that the product's backend creates in its own name has no admin: the backend manages it.
        """
        actor.require_person()
        actor = actor.or_system("rooms:write")
        others = [user_id for user_id in dict.fromkeys(others) if user_id != actor.user_id]
        if actor.is_system and not others:
            raise InvalidParticipants
        await self._data_checks.check(actor.tenant, "conversation", data)
        claim = self._idempotency.claim(actor, key, "group", [others, name, data])
        before = await claim.find()
        if before is not None:
            return Created(RoomId(before), False)
        await self._require_reachable(actor, others)

        now = self._clock.now()
        room_id = RoomId(self._ids.mint())
        admins = [] if actor.is_system else [actor.user_id]
        count = len(others) + len(admins)
        is_big = count > BIG_ABOVE
        conversation = Conversation(
            room_id=room_id,
            type="group",
            tenant=stored_tenant(actor.tenant),
            name=name,
            participants=count,
            admins=len(admins),
            is_big=is_big,
            data=data,
            created_by=actor.user_id,
            created_at=now,
            updated_at=now,
        )
        inbox_position = None if is_big else now
        seats = [
            Participant(
                room_id=room_id,
                user_id=user_id,
                role="admin" if user_id in admins else "member",
                joined_at=now,
                last_message_at=inbox_position,
            )
            for user_id in [*admins, *others]
        ]
        try:
            await self._table.write(
                conversation=Create(conversation),
                seats=list(map(Create, seats)),
                users=[Check(user_by_id(user_id=user_id), when=absent_or_null("deleted_at")) for user_id in admins],
                idempotency=claim.operations(room_id),
                pattern=create_conversation,
            )
        except ConditionFailed as failed:
            existing = await claim.created(failed)
            if existing is None:
                raise ChangedMeanwhile from None
            return Created(RoomId(existing), False)

        return Created(room_id, True)

    async def rename(self, actor: Actor, room_id: ConversationId, *, name: str | None) -> None:
        """Rename a group, or remove its name. Requires the admin role."""
        await self.change(actor, room_id, {"name": name})

    async def change(self, actor: Actor, room_id: ConversationId, changes: Mapping[str, Any]) -> None:
        """Change the name or the custom data of a group. Requires the admin role."""
        seat = await self._access.authorize(actor, room_id)
        seat.require_admin()
        await self._data_checks.check(actor.tenant, "conversation", changes.get("data"))
        if not changes:
            return

        try:
            await self._table.write(
                conversation=Update(
                    conversation_by_id(room_id=room_id),
                    set_to(**changes, updated_at=self._clock.now()),
                    when=equals("type", "group"),
                ),
                actor=seat.role_check(),
                pattern=change_conversation,
            )
        except ConditionFailed:
            raise ChangedMeanwhile from None

    async def _find_direct(self, one: UserId, other: UserId) -> ConversationId | None:
        lower, higher = sorted((one, other))
        claim = await self._table.get(direct_between(lower=lower, higher=higher))
        if claim is not None:
            return claim.room_id
        return None if await self._origin.is_complete() else await self._find_unclaimed(one, other)

    async def _find_unclaimed(self, one: UserId, other: UserId) -> ConversationId | None:
        """Return a pair's conversation that another writer created without a claim, and claim it."""
        rooms = [participant.room_id async for participant in self._table.every(conversations_of(user_id=one))]
        heads = await self._table.get_many([conversation_by_id(room_id=room_id) for room_id in rooms], consistent=True)
        direct = sorted(head.room_id for head in heads if head is not None and head.type == "direct")
        seats = await self._table.get_many(
            [seat_of(room_id=room_id, user_id=other) for room_id in direct], consistent=True
        )
        room_id = next((seat.room_id for seat in seats if seat is not None), None)
        if room_id is not None:
            is_there = Check(conversation_by_id(room_id=room_id), when=equals("type", "direct"))
            with contextlib.suppress(ConditionFailed):
                claim = Create(direct_claim(one, other, room_id))
                await self._table.write(claim=claim, conversation=is_there, pattern=create_conversation)
        return room_id

    async def _require_reachable(self, actor: Actor, others: Sequence[UserId]) -> None:
        """Raise UnknownUsers unless all exist in the actor's tenant, BlockedByRecipient if one has blocked the actor.

        The tenant needs no condition in the write: a user never changes tenants.
        """
        users = [user_by_id(user_id=user_id) for user_id in others]
        blocks = [block_of(user_id=user_id, blocked_id=actor.user_id) for user_id in others]
        found = await self._table.get_many([*users, *blocks], consistent=True)
        known = {row.user_id for row in found if isinstance(row, User) and belongs_to(row, actor.tenant)}
        unknown = [user_id for user_id in others if user_id not in known]
        if unknown:
            raise UnknownUsers(user_ids=unknown)
        if any(isinstance(row, Block) for row in found):
            raise BlockedByRecipient
