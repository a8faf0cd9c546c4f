"""A thread with a buyer, a seller and an admin, and users outside it."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import Any, NamedTuple

from communities.environment import requests
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor, UserId
from sobremesa.core.clock import SystemClock
from sobremesa.core.ids import Ids
from sobremesa.domains.accounts.entities import User
from sobremesa.domains.threads.entities import (
    ListingId,
    Participant,
    RoleContext,
    Thread,
    ThreadId,
    ThreadKind,
    participant_of,
    thread_by_id,
)
from sobremesa.domains.threads.service import NewThread
from sobremesa.rooms.sending import Draft
from sobremesa.rooms.views import SentView
from sobremesa.table import Put, Update, append
from sobremesa.table.values import Item

__all__ = ["PLATFORM", "Deal", "at", "new_person", "requests", "strike_deal"]

PLATFORM = Actor(user=UserId("01PLATFORM"), username="operator", is_admin=True)
"""An administrator of the platform."""

_ids = Ids(SystemClock())


async def new_person(app: Sobremesa, name: str) -> Actor:
    """Create a user with a profile, without hashing a password."""
    user_id = UserId(_ids.mint())
    await app.table.write(Put(User(user_id=user_id, username=name)))
    return Actor.of_user(user_id, name)


class Deal(NamedTuple):
    """One thread, and users inside and outside it."""

    app: Sobremesa
    thread_id: ThreadId
    buyer: Actor
    seller: Actor
    admin: Actor
    stranger: Actor

    async def send(self, who: Actor, content: str, **more: Any) -> SentView:
        return await self.app.threads.send(who, self.thread_id, Draft(content, **more))

    async def contents(self) -> list[str]:
        """Return the contents of all messages by users, oldest first."""
        page = await self.app.threads.page(self.buyer, self.thread_id, limit=100)
        return [message.content for message in reversed(page.messages) if message.type != "system"]

    async def thread(self) -> Thread:
        found = await self.app.table.get(thread_by_id(room_id=self.thread_id))
        assert found is not None
        return found

    async def participant(self, who: Actor) -> Participant | None:
        return await self.app.table.get(participant_of(room_id=self.thread_id, user_id=who.user_id))

    async def rows(self) -> list[Item]:
        """Every stored row of the thread."""
        pk = f"THR#{self.thread_id}"
        return [item async for item in self.app.table.scan(consistent=True) if item["pk"] == pk]

    async def join(self, name: str, role: RoleContext) -> Actor:
        """Add a new user to the thread."""
        who = await new_person(self.app, name)
        await self.app.threads.participants.add(PLATFORM, self.thread_id, who.user_id, role)
        return who


async def strike_deal(app: Sobremesa, kind: ThreadKind = "inquiry", **about: Any) -> Deal:
    buyer, seller = await new_person(app, "bea"), await new_person(app, "sal")
    admin, stranger = await new_person(app, "ada"), await new_person(app, "sam")
    wanted = NewThread(kind, seller.user_id, listing_id=ListingId(f"lst-{uuid.uuid4().hex[:8]}"))
    created = await app.threads.create(buyer, wanted._replace(**about))
    thread = created.listed.thread
    thread_id, now = thread.room_id, thread.created_at
    # Written as rows, so that the thread starts without a notice.
    participant = Participant(
        room_id=thread_id, user_id=admin.user_id, role_context="admin", joined_at=now, last_message_at=now
    )
    await app.table.write(
        participant=Put(participant), thread=Update(thread.own_key(), append(participants=[admin.user_id]))
    )
    return Deal(app, thread_id, buyer, seller, admin, stranger)


def at(milliseconds: int) -> datetime:
    """Return a time as clients send it."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC)
