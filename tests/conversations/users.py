"""Three users with profiles, without the cost of hashing passwords."""

from __future__ import annotations

from typing import NamedTuple

from communities.environment import actor_of
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor
from sobremesa.core.clock import SystemClock
from sobremesa.domains.accounts.entities import User
from sobremesa.domains.conversations.entities import ConversationId
from sobremesa.domains.conversations.inbox import InboxRow
from sobremesa.rooms.sending import Draft
from sobremesa.rooms.views import SentView
from sobremesa.table import Put


async def known(app: Sobremesa, *names: str) -> list[Actor]:
    """Create users with a profile."""
    users = [actor_of(name) for name in names]
    now = SystemClock().now()
    await app.table.write_many(Put(User(user_id=one.user_id, username=one.username, created_at=now)) for one in users)
    return users


class Users(NamedTuple):
    """Three users, and their operations."""

    app: Sobremesa
    ana: Actor
    ben: Actor
    cleo: Actor

    async def direct(self, one: Actor, other: Actor) -> ConversationId:
        return (await self.app.conversations.create_direct(one, other.user_id)).conversation_id

    async def group(self, *users: Actor, name: str | None = None) -> ConversationId:
        """Create a group of these users, or of all three; the first is its admin."""
        admin, *others = users or (self.ana, self.ben, self.cleo)
        created = await self.app.conversations.create_group(admin, [one.user_id for one in others], name=name)
        return created.conversation_id

    async def send(self, who: Actor, room_id: ConversationId, content: str, **more: str) -> SentView:
        return await self.app.conversations.send(who, room_id, Draft(content, **more))  # type: ignore[arg-type]

    async def inbox(self, who: Actor, **options: int) -> list[InboxRow]:
        rows, _ = await self.app.conversations.list_conversations(who, limit=options.get("limit", 50))
        return rows

    async def preview(self, who: Actor, room_id: ConversationId) -> str | None:
        rows = await self.inbox(who)
        return next(row.seat.conversation.last_message_body for row in rows if row.seat.room_id == room_id)

    async def unread(self, who: Actor, room_id: ConversationId) -> int:
        return (await self.app.conversations.unread(who, room_id)).count


async def create_users(app: Sobremesa) -> Users:
    return Users(app, *await known(app, "ana", "ben", "cleo"))
