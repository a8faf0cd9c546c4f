"""Bots authenticate by a token that can be replaced and revoked, and have the rights of their memberships only."""

from __future__ import annotations

import asyncio

import pytest

from communities.conftest import Ahead
from communities.environment import PASSWORD, Community, rows
from conversations.users import known
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor, KeyId, PersonRequired, Tenant
from sobremesa.core.errors import Forbidden, Invalid, NotFound, Unauthenticated
from sobremesa.domains.accounts.actor_cache import FRESH_MS
from sobremesa.domains.accounts.errors import BadCredentials, SessionEnded, UsernameTaken
from sobremesa.domains.bots import service
from sobremesa.domains.bots.errors import TooManyBots
from sobremesa.domains.bots.service import CreatedBot
from sobremesa.domains.threads.service import NewThread
from sobremesa.rooms.sending import Draft

ACME = Tenant("acme")
BACKEND = Actor(tenant=ACME, key_id=KeyId("k1"), scopes=frozenset({"users:write"}))
YEARS_SECONDS = 20 * 365 * 24 * 3600


async def new_bot(community: Community, username: str = "helper") -> CreatedBot:
    return await community.app.bots.create_in_server(
        community.owner, community.server_id, username=username, display_name="The Helper"
    )


async def test_bot_is_a_member_that_sends_with_its_token(community: Community) -> None:
    created = await new_bot(community)

    actor = await community.app.accounts.authenticate(created.token)
    await community.send(actor, "Hello")

    user = await community.app.accounts.get_user(actor.user_id)
    assert (actor.is_bot, actor.username, user.is_bot, user.display_name) == (True, "helper", True, "The Helper")
    assert (await community.app.accounts.profiles([actor.user_id]))[actor.user_id].bot
    member = await community.app.communities.members.get(community.member, community.server_id, actor.user_id)
    assert member.role == "member"
    assert await community.contents() == ["Hello"]


async def test_token_is_stored_as_a_hash_only(community: Community) -> None:
    created = await new_bot(community)
    assert created.token.startswith("sbb_")
    assert await rows(community.app, created.token, created.token.split("_", 3)[-1]) == []


async def test_token_does_not_expire(community: Community, clock: Ahead) -> None:
    created = await new_bot(community)
    clock.move(seconds=YEARS_SECONDS)
    assert (await community.app.accounts.authenticate(created.token)).username == "helper"


async def test_replaced_and_revoked_tokens_are_refused_at_once(community: Community) -> None:
    app, bots = community.app, community.app.bots
    created = await new_bot(community)
    user_id = (await app.accounts.authenticate(created.token)).user_id

    second = await bots.rotate_in_server(community.admin, community.server_id, user_id)
    with pytest.raises(Unauthenticated):
        await app.accounts.authenticate(created.token)
    assert (await app.accounts.authenticate(second)).user_id == user_id

    await bots.revoke_in_server(community.admin, community.server_id, user_id)
    with pytest.raises(Unauthenticated):
        await app.accounts.authenticate(second)
    with pytest.raises(NotFound):
        await bots.revoke_in_server(community.admin, community.server_id, user_id)
    third = await bots.rotate_in_server(community.owner, community.server_id, user_id)
    assert (await app.accounts.authenticate(third)).user_id == user_id


async def test_token_that_another_process_revoked_is_refused_within_a_second(
    community: Community, clock: Ahead
) -> None:
    app = community.app
    created = await new_bot(community)
    user_id = (await app.accounts.authenticate(created.token)).user_id
    async with Sobremesa.open(settings=app.settings, background=False) as other:
        await other.bots.revoke_in_server(community.owner, community.server_id, user_id)
    clock.move(seconds=FRESH_MS / 1000)
    with pytest.raises(Unauthenticated):
        await app.accounts.authenticate(created.token)


@pytest.mark.parametrize("change", [lambda token: token[:-1], lambda token: token[:-1] + "!", lambda token: "sbb_a_b"])
async def test_wrong_token_is_refused(community: Community, change: object) -> None:
    assert callable(change)
    created = await new_bot(community)
    with pytest.raises(Unauthenticated):
        await community.app.accounts.authenticate(change(created.token))


async def test_token_is_neither_a_password_nor_a_refresh_token(community: Community) -> None:
    created = await new_bot(community)
    for password in (created.token, PASSWORD):
        with pytest.raises(BadCredentials):
            await community.app.accounts.login(email="helper", password=password)
    with pytest.raises(SessionEnded):
        await community.app.accounts.refresh(created.token)


async def test_only_members_who_manage_the_server_manage_its_bots(community: Community) -> None:
    app, bots, at = community.app, community.app.bots, community.server_id
    bot = await app.accounts.authenticate((await new_bot(community)).token)
    await app.communities.members.change_role(community.owner, at, bot.user_id, role="admin")

    for who, refusal in ((community.moderator, Forbidden), (community.stranger, NotFound), (bot, PersonRequired)):
        with pytest.raises(refusal):
            await bots.create_in_server(who, at, username="another")
        with pytest.raises(refusal):
            await bots.rotate_in_server(who, at, bot.user_id)
        with pytest.raises(refusal):
            await bots.revoke_in_server(who, at, bot.user_id)
        with pytest.raises(refusal):
            await bots.delete_in_server(who, at, bot.user_id)
    with pytest.raises(PersonRequired):
        await app.communities.create_server(bot, name="Its own")
    with pytest.raises(NotFound):
        await bots.rotate_in_server(community.owner, at, community.member.user_id)


async def test_bot_reaches_users_of_its_servers_and_owns_nothing(app: Sobremesa) -> None:
    member, stranger, owner = await known(app, "ana", "ben", "cleo")
    at = (await app.communities.create_server(owner, name="Shop")).server_id
    key = Actor(key_id=KeyId("k"), scopes=frozenset({"rooms:write"}))
    await app.communities.members.add(key, at, member.user_id)
    bot = await app.accounts.authenticate((await app.bots.create_in_server(owner, at, username="helper")).token)
    direct = await app.conversations.create_direct(bot, member.user_id)
    await app.conversations.send(bot, direct.conversation_id, Draft("Your table is ready"))
    with pytest.raises(PersonRequired):
        await app.conversations.create_direct(bot, stranger.user_id)
    started = await app.conversations.create_direct(stranger, bot.user_id)
    assert await app.conversations.create_direct(bot, stranger.user_id) == (started.conversation_id, False)

    for refused in (
        app.conversations.create_group(bot, [member.user_id]),
        app.workspaces.create(bot, name="Its own"),
        app.threads.create(bot, NewThread("project", member.user_id)),
        app.communities.members.transfer(owner, at, bot.user_id),
    ):
        with pytest.raises(PersonRequired):
            await refused
    workspace_id = (await app.workspaces.create(owner, name="Kitchen")).workspace.workspace_id
    with pytest.raises(PersonRequired):
        await app.workspaces.members.add(key, workspace_id, bot.user_id, role="owner")
    assert (await app.workspaces.members.add(key, workspace_id, bot.user_id)).created
    with pytest.raises(PersonRequired):
        await app.workspaces.members.change_role(owner, workspace_id, bot.user_id, role="owner")
    as_bot = await app.accounts.act_as(key, bot.user_id, "workspaces.createWorkspace", is_write=True)
    with pytest.raises(PersonRequired):
        await app.workspaces.create(as_bot, name="Its own")


async def test_bot_sees_nothing_of_other_servers(community: Community) -> None:
    app = community.app
    bot = await app.accounts.authenticate((await new_bot(community)).token)
    other = await app.communities.create_server(community.stranger, name="Elsewhere")
    channel = (await app.communities.create_channel(community.stranger, other.server_id, name="x")).channel
    with pytest.raises(NotFound):
        await app.communities.send(bot, channel.channel_id, Draft("Hello"))


async def test_taken_and_invalid_names_are_refused(community: Community) -> None:
    await new_bot(community)
    with pytest.raises(UsernameTaken):
        await new_bot(community, "Helper")
    with pytest.raises(Invalid):
        await new_bot(community, "everyone")


async def test_concurrent_creations_do_not_exceed_the_limit(
    community: Community, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MAX_SERVER_BOTS", 2)
    attempts = [new_bot(community, f"helper{number}") for number in range(5)]
    outcomes = await asyncio.gather(*attempts, return_exceptions=True)
    assert sum(isinstance(outcome, CreatedBot) for outcome in outcomes) == 2
    assert sum(isinstance(outcome, TooManyBots) for outcome in outcomes) == 3
    listed, _ = await community.app.bots.list_in_server(community.member, community.server_id)
    assert len(listed) == 2


async def test_deleted_bot_is_refused_and_its_messages_stay(community: Community) -> None:
    app = community.app
    created = await new_bot(community)
    bot = await app.accounts.authenticate(created.token)
    await community.send(bot, "Hello")

    await app.bots.delete_in_server(community.owner, community.server_id, bot.user_id)
    await app.jobs.run_pending(app.handlers)

    with pytest.raises(Unauthenticated):
        await app.accounts.authenticate(created.token)
    assert (await app.bots.list_in_server(community.owner, community.server_id))[0] == []
    page = await app.communities.page(community.owner, community.channel_id, limit=10)
    assert [(message.content, message.username) for message in page.messages] == [("Hello", "deleted user")]
    assert await new_bot(community, "helper"), "the name is free again"


async def test_bots_of_a_deleted_server_are_deleted(community: Community) -> None:
    app = community.app
    created = await new_bot(community)
    bot = await app.accounts.authenticate(created.token)
    await app.communities.delete_server(community.owner, community.server_id)
    for _ in range(3):
        await app.jobs.run_pending(app.handlers)
    with pytest.raises(Unauthenticated):
        await app.accounts.authenticate(created.token)
    assert [row for row in await rows(app, "BOT#") if bot.user_id in str(row)] == []


async def test_backend_manages_the_bots_of_its_own_tenant_only(app: Sobremesa) -> None:
    created = await app.bots.create_in_tenant(BACKEND, ACME, username="helper")
    bot = await app.accounts.authenticate(created.token)
    assert (bot.tenant, bot.is_bot) == (ACME, True)
    assert [each.row.user_id for each in (await app.bots.list_in_tenant(BACKEND, ACME))[0]] == [bot.user_id]

    other = Actor(tenant=Tenant("other"), key_id=KeyId("k2"), scopes=frozenset({"users:write"}))
    with pytest.raises(NotFound):
        await app.bots.create_in_tenant(other, ACME, username="spy")
    for tenant in (ACME, other.tenant):
        with pytest.raises(NotFound):
            await app.bots.rotate_in_tenant(other, tenant, bot.user_id)

    second = await app.bots.rotate_in_tenant(BACKEND, ACME, bot.user_id)
    await app.bots.revoke_in_tenant(BACKEND, ACME, bot.user_id)
    for token in (created.token, second):
        with pytest.raises(Unauthenticated):
            await app.accounts.authenticate(token)
    await app.bots.delete_in_tenant(BACKEND, ACME, bot.user_id)
    assert (await app.bots.list_in_tenant(BACKEND, ACME))[0] == []


async def test_what_is_done_to_bots_is_in_the_audit_log(community: Community) -> None:
    app, at = community.app, community.server_id
    bot = await app.accounts.authenticate((await new_bot(community)).token)
    await app.bots.rotate_in_server(community.owner, at, bot.user_id)
    await app.bots.revoke_in_server(community.owner, at, bot.user_id)
    await app.bots.delete_in_server(community.owner, at, bot.user_id)
    entries, _ = await app.communities.list_audit(community.owner, at, limit=10)
    done = [(entry.action, entry.target) for entry in entries if entry.action.startswith("bot.")]
    assert done == [(f"bot.{act}", bot.user_id) for act in ("delete", "revoke", "rotate", "create")]
