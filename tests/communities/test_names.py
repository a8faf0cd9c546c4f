"""A community in an existing table: other names, and the style of ElectroDB."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from cheap import CHEAP
from communities.conftest import Ahead
from communities.environment import PASSWORD, Community, create_community
from sobremesa.app import Sobremesa
from sobremesa.core.actor import UserId
from sobremesa.core.errors import NotFound, UnknownUsers
from sobremesa.core.settings import Settings
from sobremesa.domains.communities.entities import ChannelId
from sobremesa.rooms.sending import Draft
from sobremesa.table.names import BadNames, Names
from table.engines import MAPS


@pytest.fixture(params=MAPS)
def settings(request: pytest.FixtureRequest) -> Settings:
    return Settings(**CHEAP, rate_limits="off", names=MAPS[request.param])


@pytest.fixture
async def app(store: str, clock: Ahead, settings: Settings) -> AsyncIterator[Sobremesa]:
    async with Sobremesa.open(store, settings=settings, clock=clock, background=False) as app:
        yield app


async def test_users_join_send_and_rejoin(app: Sobremesa, store: str, clock: Ahead, settings: Settings) -> None:
    ana = await app.accounts.register(email="ana@example.com", username="Ana", password=PASSWORD)
    ben = await app.accounts.register(email="ben@example.com", username="ben", password=PASSWORD)
    server = await app.communities.create_server(ana.actor, name="The long table")
    room = (await app.communities.create_channel(ana.actor, server.server_id, name="general")).channel.channel_id
    invites = await asyncio.gather(
        *(app.communities.invites.create(ana.actor, server.server_id, max_uses=1, key="once") for _ in range(4))
    )
    await app.communities.invites.redeem(ben.actor, invites[0].code)
    assert len({invite.code for invite in invites}) == 1

    first = await app.communities.send(ana.actor, room, Draft("Coffee, @ben?", nonce="n1"))
    again = await app.communities.send(ana.actor, room, Draft("Coffee, @ben?", nonce="n1"))
    for word in ("one", "two", "three"):
        await app.communities.send(ben.actor, room, Draft(word))
    await app.communities.react(ben.actor, room, first.message_id, "☕")
    assert again.message_id == first.message_id
    assert (await app.communities.unread(ana.actor, room)).count == 3

    async with Sobremesa.open(store, settings=settings, clock=clock, background=False) as later:
        back = await later.accounts.login(email="ana@example.com", password=PASSWORD)
        newest = await later.communities.page(back.actor, room, limit=2)
        older = await later.communities.page(back.actor, room, limit=2, before=newest.messages[-1].message_id)
        newer = await later.communities.page(back.actor, room, limit=9, after=first.message_id)

        assert [message.content for message in newest.messages] == ["three", "two"]
        assert [message.content for message in older.messages] == ["one", "Coffee, @ben?"]
        assert {message.content for message in newer.messages} == {"one", "two", "three"}
        assert [(reaction.emoji, reaction.count) for reaction in older.messages[1].reactions] == [("☕", 1)]
        assert [each.server_id for each in (await later.communities.list_servers(back.actor, limit=9))[0]] == [
            server.server_id
        ]


async def test_every_row_has_the_names_of_the_map(app: Sobremesa, settings: Settings) -> None:
    community = await create_community(app)
    await community.send(community.member, "hello")
    names = settings.names
    assert names is not None

    rows = [row async for row in app.table.scan()]

    assert rows
    for row in rows:
        assert {names.pk, names.sk, names.type_attribute} <= row.keys()
        if names.style == "electrodb":
            keys = [text for name, text in row.items() if name in app.table.layout.key_attributes()]
            assert keys == [text.lower() for text in keys]
            assert row["__edb_v__"] == "1"
            assert "entityType" not in row
        else:
            assert row.keys().isdisjoint({"pk", "sk", "gsi1pk", "gsi2pk", "entityType"})


async def test_ids_are_case_sensitive(app: Sobremesa) -> None:
    community = await create_community(app)
    posted = await community.send(community.member, "hello")
    lower_room, lower_owner = ChannelId(community.channel_id.lower()), UserId(community.owner.user_id.lower())

    with pytest.raises(NotFound):
        await app.communities.send(community.member, lower_room, Draft("boo"))
    with pytest.raises(NotFound):
        await app.communities.page(community.member, lower_room, limit=5)
    with pytest.raises(NotFound):
        await app.communities.members.remove(community.admin, community.server_id, lower_owner)
    with pytest.raises(UnknownUsers):
        await app.communities.members.transfer(
            community.owner, community.server_id, UserId(community.member.user_id.lower())
        )

    assert await community.contents(community.owner) == [posted.content]


async def test_incompatible_name_map_is_refused(store: str) -> None:
    with pytest.raises(BadNames, match="already has an attribute 'userId'"):
        async with Sobremesa.open(store, settings=Settings(names=Names(sk="userId"))):
            pass


async def test_deleted_server_is_removed_completely(community: Community) -> None:
    app = community.app
    await community.send(community.member, "hello")
    await app.communities.delete_server(community.owner, community.server_id)

    await app.jobs.run_pending(app.handlers)

    left = [row async for row in app.table.scan() if community.channel_id in str(row).upper()]
    kind = app.table.layout.entity_type
    assert {row[kind].lower() for row in left} <= {"auditentry"}
