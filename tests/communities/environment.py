"""A server with a member of every role and a channel, to test in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor, UserId
from sobremesa.core.clock import SystemClock
from sobremesa.core.ids import Ids
from sobremesa.domains.accounts.entities import User
from sobremesa.domains.communities.entities import ChannelId, ServerId, ServerMembership
from sobremesa.domains.communities.permissions import Role
from sobremesa.rooms.sending import Draft
from sobremesa.rooms.views import MessageView
from sobremesa.table import Put
from sobremesa.table.values import Item

PASSWORD = "correct horse"

_ids = Ids(SystemClock())


def actor_of(name: str) -> Actor:
    """Return an actor without a profile, for rules that do not read profiles."""
    return Actor.of_user(UserId(_ids.mint()), name)


class Community(NamedTuple):
    """A server with one channel, its members, and a user who is not a member."""

    app: Sobremesa
    server_id: ServerId
    channel_id: ChannelId
    owner: Actor
    admin: Actor
    moderator: Actor
    member: Actor
    stranger: Actor

    @property
    def members(self) -> dict[Role, Actor]:
        """Those inside, by their roles."""
        return {"owner": self.owner, "admin": self.admin, "moderator": self.moderator, "member": self.member}

    async def send(self, who: Actor, content: str, **more: str) -> MessageView:
        return await self.app.communities.send(who, self.channel_id, Draft(content, **more))  # type: ignore[arg-type]

    async def contents(self, who: Actor | None = None) -> list[str]:
        """Everything in the channel, oldest first."""
        page = await self.app.communities.page(who or self.owner, self.channel_id, limit=100)
        return [message.content for message in reversed(page.messages)]


async def create_community(app: Sobremesa) -> Community:
    """Create a community with one member of each role."""
    owner = actor_of("olga")
    server = await app.communities.create_server(owner, name="The long table")
    channel = await app.communities.create_channel(owner, server.server_id, name="general")
    users = {"admin": actor_of("ada"), "moderator": actor_of("mo"), "member": actor_of("mel")}
    for who in users.values():
        await join(app, owner, server.server_id, who)
    roles: tuple[Role, ...] = ("admin", "moderator")
    for role in roles:
        await app.communities.members.change_role(owner, server.server_id, users[role].user_id, role=role)
    return Community(
        app,
        server.server_id,
        channel.channel.channel_id,
        owner,
        users["admin"],
        users["moderator"],
        users["member"],
        await create_profile(app, actor_of("sam")),
    )


async def create_profile(app: Sobremesa, who: Actor) -> Actor:
    """Give a user a profile, which a user whom others address by id needs."""
    await app.table.write(Put(User(user_id=who.user_id, username=who.username, tenant=who.tenant)))
    return who


async def join(app: Sobremesa, owner: Actor, server_id: ServerId, who: Actor) -> None:
    invite = await app.communities.invites.create(owner, server_id, max_uses=1)
    await app.communities.invites.redeem(who, invite.code)


async def add_members(app: Sobremesa, server_id: ServerId, count: int) -> list[Actor]:
    """Write many members at once, as redemptions would."""
    users = [actor_of(f"add_members{number}") for number in range(count)]
    now = SystemClock().now()
    members = [ServerMembership(user_id=who.user_id, server_id=server_id, joined_at=now) for who in users]
    await app.table.write_many(Put(row) for row in members)
    return users


async def register(app: Sobremesa, name: str) -> Actor:
    """Register a user with a password, which costs a hash."""
    signed_in = await app.accounts.register(email=f"{name}@example.com", username=name, password=PASSWORD)
    return Actor.of_user(signed_in.user.user_id, name)


async def rows(app: Sobremesa, *texts: str) -> list[Item]:
    """Return all stored rows that contain one of these texts."""
    return [item async for item in app.table.scan(consistent=True) if any(text in str(item) for text in texts)]


REQUESTS = ("get", "batch_get", "query", "scan", "write", "transact", "batch_write")


@contextmanager
def requests(app: Sobremesa) -> Iterator[Counter[str]]:
    """Count the requests to the engine inside the block, by kind, with empty caches."""
    counted: Counter[str] = Counter()
    engine: Any = app.table.engine

    def counting(name: str) -> Any:
        ask = getattr(engine, name)

        async def counted_ask(*args: Any, **options: Any) -> Any:
            counted[name] += 1
            return await ask(*args, **options)

        return counted_ask

    for name in REQUESTS:
        setattr(engine, name, counting(name))
    engine.version = lambda: None
    engine.version_of = lambda pk, **_: None
    try:
        yield counted
    finally:
        for name in (*REQUESTS, "version", "version_of"):
            delattr(engine, name)
