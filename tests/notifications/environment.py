"""Users with addresses, what they send, and the digests that they receive."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any

from cheap import CHEAP
from communities.environment import actor_of, join
from mail.smtp_servers import MailSink, Received
from sobremesa.app import Sobremesa
from sobremesa.core.actor import DEFAULT_TENANT, Actor, KeyId, Tenant, UserId
from sobremesa.core.clock import SetClock
from sobremesa.core.ids import RoomId
from sobremesa.core.settings import Settings
from sobremesa.domains.accounts.entities import DIGEST_SHARDS, User, UsernameClaim, users_for_digests
from sobremesa.domains.accounts.user_fields import UserFields
from sobremesa.domains.inboxes.entities import InboxKey
from sobremesa.domains.inboxes.message_ids import InboxMessageId
from sobremesa.domains.inboxes.publishing import Notice
from sobremesa.domains.notifications.entities import DigestState, DueDigest, digest_state_of, due_digests
from sobremesa.domains.notifications.schedule import BUCKET_MS, SHARDS
from sobremesa.rooms.sending import Draft
from sobremesa.rooms.views import SentView
from sobremesa.table import Put

NOW_MS = 2_500_002_000_000
"""The time of the tests, Mon, 22 Mar 2049 05:00 UTC: in the future, so that no endpoint expires rows."""
MINUTE, HOUR, DAY = 60, 3600, 86_400
NEWS = InboxKey("news")
KEY = Actor(key_id=KeyId("key"), scopes=frozenset({"inbox:publish", "inbox:admin", "users:write"}))
PASSWORD = "a long password of a test"


def mail_settings(port: int, **more: Any) -> Settings:
    """Settings with the mail server at this port."""
    return Settings(
        **CHEAP,
        rate_limits="off",
        mail="smtp",
        smtp_url=f"smtp://127.0.0.1:{port}?tls=none",
        mail_from="chat@example.com",
        public_url="https://chat.example.com",
        **more,
    )


class DigestEnvironment:
    """An application, its clock and its mail server."""

    def __init__(
        self, app: Sobremesa, clock: SetClock, mail_sink: MailSink, open_app: Callable[[], Awaitable[Sobremesa]]
    ) -> None:
        self.app = app
        self.clock = clock
        self.mail_sink = mail_sink
        self.open_app = open_app

    async def sign_up(self, name: str) -> Actor:
        """Register a user."""
        address = f"{name}@example.com"
        return (await self.app.accounts.register(email=address, username=name, password=PASSWORD)).actor

    async def upsert(self, name: str, key: Actor = KEY, **fields: Any) -> Actor:
        """Create or change a user of a tenant, as the product's backend does."""
        user = (await self.app.accounts.upsert_user(key, key.tenant, name, UserFields(**fields))).user
        return Actor.of_user(user.user_id, user.username, user.tenant)

    async def user(self, name: str, **fields: Any) -> Actor:
        """Create the row of a user with an address, as earlier versions did: it is not listed for digests."""
        who = actor_of(name)
        given = {"email": f"{name}@example.com", "created_at": self.clock.now()} | fields
        await self.app.table.write(
            user=Put(User(user_id=who.user_id, username=name, **given)),
            claim=Put(UsernameClaim(username=name, user_id=who.user_id)),
        )
        return who

    async def direct(self, one: Actor, other: Actor) -> RoomId:
        return (await self.app.conversations.create_direct(one, other.user_id)).conversation_id

    async def send(self, who: Actor, room_id: RoomId, content: str) -> SentView:
        return await self.app.conversations.send(who, room_id, Draft(content))

    async def channel(self, owner: Actor, *members: Actor) -> RoomId:
        server = await self.app.communities.create_server(owner, name="The <long> table")
        for member in members:
            await join(self.app, owner, server.server_id, member)
        created = await self.app.communities.create_channel(owner, server.server_id, name="general")
        return created.channel.channel_id

    async def publish(self, *users: Actor, **notice: Any) -> None:
        given = {"sender": "shop", "title": "Your order has shipped", "body": "It arrives on Monday."} | notice
        uids = [who.user_id for who in users]
        await self.app.inboxes.publish_to_users(KEY, KEY.tenant, NEWS, Notice(**given), uids)

    async def broadcast(self, key: Actor = KEY, **notice: Any) -> InboxMessageId:
        given = {"sender": "shop", "title": "We are open", "body": "From nine."} | notice
        return (await self.app.inboxes.publish_to_everyone(key, key.tenant, NEWS, Notice(**given))).message_id

    async def schedule(self, app: Sobremesa | None = None) -> None:
        """Schedule what is new, for broadcasts too."""
        app = app or self.app
        await app.change_consumer.catch_up()
        while await app.jobs.run_pending(app.handlers):
            pass

    async def listed(self, tenant: Tenant = DEFAULT_TENANT) -> set[UserId]:
        """Return the users of a tenant who can receive digests."""
        questions = [users_for_digests(tenant=tenant, digest_shard=shard) for shard in range(DIGEST_SHARDS)]
        pages = [await self.app.table.query(question, limit=100) for question in questions]
        return {user.user_id for page in pages for user in page.items}

    async def digests(self, *, after: float = 0, app: Sobremesa | None = None) -> list[Received]:
        """Schedule what is new, move the clock, look at who is due, and return the mails since the last call."""
        app = app or self.app
        await self.schedule(app)
        self.clock.move(seconds=after)
        assert app.digests is not None
        await app.digests.sweeper.sweep()
        received, self.mail_sink.received = self.mail_sink.received, []
        return received

    async def state(self, who: Actor) -> DigestState | None:
        return await self.app.table.get(digest_state_of(user_id=who.user_id))

    async def due(self, *, days: float = 3) -> list[DueDigest]:
        """Return the rows of the schedule, around now."""
        now = self.clock.now_ms() // BUCKET_MS
        ahead = round(days * DAY * 1000) // BUCKET_MS
        found = []
        for bucket in range(now - 12, now + ahead):
            for shard in range(SHARDS):
                found += (await self.app.table.query(due_digests(bucket=bucket, shard=shard), limit=100)).items
        return found


def token_of(mail: Received) -> str:
    """Return the token of the one-click link."""
    [token] = re.findall(r"^<https://chat\.example\.com/v1/unsubscribe/([\w-]+)>$", mail.message["List-Unsubscribe"])
    return str(token)


def recipients(mails: list[Received]) -> list[str]:
    return [address for mail in mails for address in mail.recipients]
