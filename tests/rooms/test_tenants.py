"""A user of one tenant cannot be added to, banned from or invited to anything of another tenant."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from communities.environment import actor_of, create_profile
from sobremesa.app import Sobremesa
from sobremesa.core.actor import DEFAULT_TENANT, Actor, Tenant, UserId
from sobremesa.core.errors import NotFound, UnknownUsers
from sobremesa.domains.conversations.entities import conversation_by_id
from sobremesa.domains.threads.entities import thread_by_id
from sobremesa.domains.threads.service import NewThread
from sobremesa.domains.workspaces.entities import workspace_by_id

ACME = Tenant("acme")
NOWHERE = UserId("01JGSYB3ZZ0000000000000000")


class Two(NamedTuple):
    """Two users of one tenant, and one of another."""

    app: Sobremesa
    ana: Actor
    ben: Actor
    other: Actor

    @property
    def stored(self) -> Tenant | None:
        """The tenant of the two, as rows store it."""
        return None if self.ana.tenant == DEFAULT_TENANT else self.ana.tenant


@pytest.fixture(params=[DEFAULT_TENANT, ACME])
async def two(app: Sobremesa, request: pytest.FixtureRequest) -> Two:
    tenants = [request.param, request.param, ACME if request.param == DEFAULT_TENANT else DEFAULT_TENANT]
    users = [
        await create_profile(app, Actor.of_user(actor_of(name).user_id, name, tenant))
        for name, tenant in zip(("ana", "ben", "cleo"), tenants, strict=True)
    ]
    return Two(app, *users)


async def count(app: Sobremesa) -> int:
    return len([row async for row in app.table.scan(consistent=True)])


async def test_conversation_has_users_of_one_tenant(two: Two) -> None:
    conversations = two.app.conversations
    before = await count(two.app)
    for unknown in (two.other.user_id, NOWHERE):
        with pytest.raises(UnknownUsers) as refused:
            await conversations.create_direct(two.ana, unknown)
        assert refused.value.data == {"user_ids": [unknown]}
        with pytest.raises(UnknownUsers) as refused:
            await conversations.create_group(two.ana, [two.ben.user_id, unknown])
        assert refused.value.data == {"user_ids": [unknown]}
    assert await count(two.app) == before

    direct = await conversations.create_direct(two.ana, two.ben.user_id)
    group = await conversations.create_group(two.ana, [two.ben.user_id])
    for outcome in (direct, group):
        row = await two.app.table.get(conversation_by_id(room_id=outcome.conversation_id))
        assert row is not None
        assert row.tenant == two.stored
    with pytest.raises(UnknownUsers):
        await conversations.participants.add(two.ana, group.conversation_id, two.other.user_id)
    with pytest.raises(NotFound):
        await conversations.get(two.other, group.conversation_id)


async def test_thread_has_users_of_one_tenant(two: Two) -> None:
    threads = two.app.threads
    wanted = NewThread("project", two.ben.user_id)
    with pytest.raises(UnknownUsers) as refused:
        await threads.create(two.ana, wanted._replace(seller_user_id=two.other.user_id))
    assert refused.value.data == {"user_ids": [two.other.user_id]}

    thread_id = (await threads.create(two.ana, wanted)).listed.thread.room_id
    row = await two.app.table.get(thread_by_id(room_id=thread_id))
    assert row is not None
    assert row.tenant == two.stored
    for unknown in (two.other.user_id, NOWHERE):
        with pytest.raises(UnknownUsers) as refused:
            await threads.participants.add(two.ana, thread_id, unknown, "buyer")
        assert refused.value.data == {"user_ids": [unknown]}


async def test_invites_of_another_tenant_are_unknown(two: Two) -> None:
    server = await two.app.communities.create_server(two.ana, name="A table")
    workspace = (await two.app.workspaces.create(two.ana, name="A kitchen")).workspace
    row = await two.app.table.get(workspace_by_id(workspace_id=workspace.workspace_id))
    assert row is not None
    assert row.tenant == two.stored
    to_server = await two.app.communities.invites.create(two.ana, server.server_id, max_uses=1)
    to_workspace = await two.app.workspaces.invites.create(two.ana, workspace.workspace_id, max_uses=1)

    for invites, code in (
        (two.app.communities.invites, to_server.code),
        (two.app.workspaces.invites, to_workspace.code),
    ):
        for verb in (invites.get, invites.redeem, invites.revoke):
            with pytest.raises(NotFound) as refused:
                await verb(two.other, code)
            assert (str(refused.value), refused.value.data) == ("Not found.", {})
        await invites.redeem(two.ben, code)


async def test_users_of_another_tenant_can_neither_be_banned_nor_own_a_server(two: Two) -> None:
    members, server = two.app.communities.members, await two.app.communities.create_server(two.ana, name="A table")
    for unknown in (two.other.user_id, NOWHERE):
        with pytest.raises(NotFound):
            await members.ban(two.ana, server.server_id, unknown)
        with pytest.raises(UnknownUsers) as refused:
            await members.transfer(two.ana, server.server_id, unknown)
        assert refused.value.data == {"user_ids": [unknown]}
    with pytest.raises(NotFound):
        await members.transfer(two.ana, server.server_id, two.ben.user_id)

    assert await members.list_bans(two.ana, server.server_id, limit=5) == ([], None)
    assert (await members.ban(two.ana, server.server_id, two.ben.user_id)).user_id == two.ben.user_id
