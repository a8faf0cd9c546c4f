"""Verbs give the right answer where reads that are not consistent lag behind, as they may on DynamoDB."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from simulation import virtual_time
from simulation.nodes import ON_DYNAMODB, Node
from simulation.virtual_time import VirtualClock
from sobremesa.app import Sobremesa
from sobremesa.core.actor import DEFAULT_TENANT, Actor, KeyId, UserId
from sobremesa.core.errors import UnknownUsers
from sobremesa.domains.accounts.entities import User
from sobremesa.domains.accounts.key_stores import MemoryKeys
from sobremesa.domains.inboxes.entities import InboxKey
from sobremesa.domains.inboxes.publishing import Notice
from sobremesa.table import Put
from sobremesa.table.engines.modelled import Figures
from sobremesa.table.opening import open_modelled

LAGGING = Figures(copy_lag=(60, 60), inconsistent=1.0)
BACKEND = Actor(
    key_id=KeyId("backend"), scopes=frozenset({"rooms:write", "rooms:read", "inbox:publish", "inbox:admin"})
)
ANA = Actor.of_user(UserId("ana"), "ana")
BEN = Actor.of_user(UserId("ben"), "ben")


def run(story: Callable[[Sobremesa], Coroutine[Any, Any, None]]) -> None:
    """Run a story with two users on a node whose inconsistent reads show the table as it was a minute ago."""

    async def main() -> None:
        engine = await open_modelled(clock=VirtualClock(), figures=LAGGING)
        node = Node("node", engine, MemoryKeys(), ON_DYNAMODB, seed=1, skew_ms=0, is_gateway=False)
        await node.start()
        now = VirtualClock().now()
        for user in (ANA, BEN):
            await node.app.table.write(Put(User(user_id=user.user_id, username=user.username, created_at=now)))
        await asyncio.sleep(120)  # the profiles are known everywhere
        await node.run(story(node.app))
        await node.crash()
        await engine.close()

    virtual_time.run(main(), 1)


def test_adding_a_new_member_of_a_server_again_is_no_error() -> None:
    async def story(app: Sobremesa) -> None:
        server = await app.communities.create_server(ANA, name="Lagging")
        members = app.communities.members
        assert (await members.add(BACKEND, server.server_id, BEN.user_id)).created
        assert not (await members.add(BACKEND, server.server_id, BEN.user_id)).created

    run(story)


def test_adding_a_new_member_of_a_workspace_again_is_no_error() -> None:
    async def story(app: Sobremesa) -> None:
        created = await app.workspaces.create(ANA, name="Lagging")
        workspace_id = created.workspace.workspace_id
        members = app.workspaces.members
        assert (await members.add(BACKEND, workspace_id, BEN.user_id)).created
        assert not (await members.add(BACKEND, workspace_id, BEN.user_id)).created

    run(story)


def test_new_users_are_published_to_at_once() -> None:
    async def story(app: Sobremesa) -> None:
        inboxes, inbox = app.inboxes, InboxKey("news")
        await inboxes.set_inbox(BACKEND, DEFAULT_TENANT, inbox, title="News", description=None, ttl={"default": "30d"})
        cora = User(user_id=UserId("cora"), username="cora", created_at=VirtualClock().now())
        await app.table.write(Put(cora))
        notice = Notice(sender="shop", title="Welcome", body="Good to have you here.")
        publish = await inboxes.publish_to_users(BACKEND, DEFAULT_TENANT, inbox, notice, [cora.user_id])
        assert publish.state == "done"
        with pytest.raises(UnknownUsers):
            await inboxes.publish_to_users(BACKEND, DEFAULT_TENANT, inbox, notice, [cora.user_id, UserId("nobody")])

    run(story)
