"""No event crosses tenants: neither stored events nor typing and presence, neither live nor by a resume."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import pytest

from cheap import CHEAP
from gateway.connection import Connection
from gateway.served_app import ServedApp
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor, KeyId, Tenant
from sobremesa.core.ids import RoomId
from sobremesa.core.settings import Settings
from sobremesa.domains.accounts.sessions import SignedIn
from sobremesa.domains.communities.entities import ServerId
from sobremesa.domains.inboxes.entities import InboxKey
from sobremesa.domains.inboxes.publishing import Notice
from sobremesa.domains.threads.service import NewThread
from sobremesa.domains.workspaces.entities import WorkspaceId
from sobremesa.rooms.sending import Draft

NEWS = InboxKey("news")
DIRECTIONS = [("default", "acme"), ("acme", "default")]


class Pair(NamedTuple):
    """Two users of a tenant who share a room of each kind."""

    served: ServedApp
    tenant: Tenant
    one: SignedIn
    two: SignedIn
    server_id: ServerId
    channel_id: RoomId
    group_id: RoomId
    thread_id: RoomId
    workspace_id: WorkspaceId

    @property
    def ids(self) -> list[str]:
        """What identifies them in any payload."""
        users = [self.one.user.user_id, self.one.user.username, self.two.user.user_id, self.two.user.username]
        return [*users, self.server_id, self.channel_id, self.group_id, self.thread_id, self.workspace_id]

    async def act(self, word: str) -> None:
        """Cause an event of every kind of room, typing, a notification and a broadcast."""
        app, actor = self.served.app, self.one.actor
        await app.communities.send(actor, self.channel_id, Draft(f"{word} in a channel of {self.tenant}"))
        await app.conversations.send(actor, self.group_id, Draft(f"{word} in a group of {self.tenant}"))
        await app.threads.send(actor, self.thread_id, Draft(f"{word} in a thread of {self.tenant}"))
        for rooms, room_id in ((app.communities, self.channel_id), (app.conversations, self.group_id)):
            await rooms.typing(actor, room_id)
        await app.workspaces.rename(actor, WorkspaceId(self.workspace_id), name=f"{word} of {self.tenant}")
        key = Actor(tenant=self.tenant, key_id=KeyId("key"), scopes=frozenset({"inbox:publish"}))
        notice = Notice(sender=self.tenant, title=f"{word} for {self.tenant}", body="News")
        await app.inboxes.publish_to_users(key, self.tenant, NEWS, notice, [self.two.user.user_id])
        await app.inboxes.publish_to_everyone(key, self.tenant, NEWS, notice)

    async def until_all(self, socket: Connection, word: str) -> list[dict[str, Any]]:
        """Act, and return what a socket of the second user gets, up to a last message of their own."""
        await self.act(word)
        last = await self.served.send(self.two, self.channel_id, f"the last {word}")
        frames = []
        while True:
            frames.append(await socket.event())
            if frames[-1]["t"] == "message.created" and frames[-1]["d"]["messageId"] == last:
                return frames


async def pair_of(served: ServedApp, tenant: str) -> Pair:
    app = served.app
    settings = Settings(tenant=tenant, **CHEAP)
    async with Sobremesa.open(app.settings.store, settings=settings, background=False) as door:
        one, two = [
            await door.accounts.register(
                email=f"{name}-{tenant}@example.com", username=f"{name}-{tenant}", password="correct horse battery"
            )
            for name in ("ana", "ben")
        ]
    server_id = await served.server(one, two)
    group = await app.conversations.create_group(one.actor, [two.user.user_id])
    thread = await app.threads.create(one.actor, NewThread("project", two.user.user_id))
    workspace = (await app.workspaces.create(one.actor, name="A kitchen")).workspace
    invite = await app.workspaces.invites.create(one.actor, workspace.workspace_id)
    await app.workspaces.invites.redeem(two.actor, invite.code)
    return Pair(
        served,
        Tenant(tenant),
        one,
        two,
        server_id,
        await served.channel(one, server_id),
        group.conversation_id,
        thread.listed.thread.room_id,
        workspace.workspace_id,
    )


@asynccontextmanager
async def connected(pair: Pair) -> AsyncIterator[Connection]:
    """A socket of the second user, which has received that the first one is online."""
    async with pair.served.connect(pair.two) as socket, pair.served.connect(pair.one) as other:
        await socket.identify()
        await other.identify()
        await socket.wait_for("presence.updated", userId=pair.one.user.user_id)
        yield socket


def found_in(payloads: Any, pair: Pair) -> list[str]:
    """What of a pair is in these payloads."""
    text = json.dumps(payloads)
    return [each for each in [*pair.ids, f"of {pair.tenant}", f"for {pair.tenant}"] if each in text]


KINDS = {"message.created", "typing.started", "workspace.updated", "inbox.message", "inbox.counts"}
ROOMS = {"channel", "conversation", "thread"}


@pytest.mark.parametrize(("tenant", "other"), DIRECTIONS)
async def test_socket_receives_no_event_of_another_tenant(served: ServedApp, tenant: str, other: str) -> None:
    theirs, ours = await pair_of(served, tenant), await pair_of(served, other)

    async with connected(ours) as socket:
        ready = socket.ready
        async with connected(theirs) as their_socket:
            their_frames = await theirs.until_all(their_socket, "hello")
        frames = await ours.until_all(socket, "hello")

    assert found_in([ready, frames], theirs) == []
    for received in (their_frames, frames):
        assert {frame["t"] for frame in received} >= KINDS
        assert {frame["d"]["roomKind"] for frame in received if frame["t"] == "message.created"} == ROOMS


@pytest.mark.parametrize(("tenant", "other"), DIRECTIONS)
async def test_cursor_of_another_tenant_replays_nothing_of_it(served: ServedApp, tenant: str, other: str) -> None:
    theirs, ours = await pair_of(served, tenant), await pair_of(served, other)
    async with connected(theirs) as their_socket, connected(ours) as socket:
        await theirs.until_all(their_socket, "before")
        await ours.until_all(socket, "before")
        cursor = their_socket.s
    await theirs.act("missed")
    await ours.act("missed")

    async with served.connect(ours.two) as again:
        missed = await again.resume(socket, s=cursor)
    polled = await served.get(ours.two, "/events", after=cursor, limit=100)
    async with served.connect(ours.two) as stolen:
        assert (await stolen.frame())["op"] == 10
        await stolen.send(6, {"token": stolen.token, "sessionId": their_socket.session_id, "s": cursor})
        assert (await stolen.frame())["op"] == 9

    assert found_in([missed, polled], theirs) == []
    assert "missed in a channel" in json.dumps(missed)
    assert "missed in a channel" in json.dumps(polled)


@pytest.mark.parametrize(("tenant", "other"), DIRECTIONS)
async def test_users_of_another_tenant_are_offline(served: ServedApp, tenant: str, other: str) -> None:
    theirs, ours = await pair_of(served, tenant), await pair_of(served, other)
    app = served.app

    async with connected(theirs), connected(ours):
        memberships = await app.subscriptions.memberships_of(ours.two.actor)
        among = await app.presence.among(memberships)
        asked = await served.get(ours.two, "/presence", userIds=f"{theirs.one.user.user_id},{ours.one.user.user_id}")

    assert [presence.user_id for presence in among] == [ours.one.user.user_id]
    assert [item["status"] for item in asked["items"]] == ["offline", "online"]
    assert found_in([membership.topic for membership in memberships], theirs) == []
    assert f"tenant:{theirs.tenant}" not in {membership.topic for membership in memberships}
