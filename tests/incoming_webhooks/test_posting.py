"""Incoming webhooks post to their rooms, once for each delivery, until they or their rooms are deleted."""

from __future__ import annotations

import asyncio

import pytest

from communities.environment import Community, actor_of, register, rows
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor, KeyId
from sobremesa.core.custom_data import BadData
from sobremesa.core.errors import Forbidden, Invalid, NotFound, TooMany
from sobremesa.core.ids import RoomId
from sobremesa.domains.communities.privacy import AccessList
from sobremesa.domains.conversations.errors import DirectIsFixed
from sobremesa.domains.incoming_webhooks import service
from sobremesa.domains.incoming_webhooks.errors import NothingToPost, TooManyHooks
from sobremesa.domains.incoming_webhooks.service import CreatedHook, Post
from sobremesa.domains.threads.entities import ListingId
from sobremesa.domains.threads.errors import ThreadNotOpen
from sobremesa.domains.threads.service import NewThread
from sobremesa.http.limits import RATES, MemoryLimits
from sobremesa.rooms.errors import NonceReused
from sobremesa.rooms.judging import JudgedContent, Verdict


async def new_hook(community: Community, name: str | None = "Deployments") -> CreatedHook:
    return await community.app.incoming_webhooks.create(community.admin, "channel", community.channel_id, name=name)


async def post(app: Sobremesa, created: CreatedHook, content: str, **more: str | bool) -> str:
    hook = await app.incoming_webhooks.require_hook(created.token)
    return (await app.incoming_webhooks.post(hook, Post(content, **more))).message_id  # type: ignore[arg-type]


async def test_hook_posts_to_a_channel_as_an_author_of_its_own(community: Community) -> None:
    app = community.app
    created = await new_hook(community)
    await post(app, created, "The build is **green**.")
    await post(app, created, "As another.", username="CI")

    page = await app.communities.page(community.member, community.channel_id, limit=10)
    shown = [(each.content, each.username, each.author_id, each.bot) for each in reversed(page.messages)]
    author = created.hook.user_id
    assert shown == [
        ("The build is **green**.", "Deployments", author, True),
        ("As another.", "CI", author, True),
    ]
    profile = (await app.accounts.profiles([author]))[author]
    assert (profile.display_name, profile.bot) == ("Deployments", True)
    assert await app.accounts.find_by_username("Deployments") is None
    unread = await app.communities.unread(community.member, community.channel_id)
    assert unread.count == 2


async def test_only_a_hash_of_the_token_is_stored(community: Community) -> None:
    created = await new_hook(community)
    assert await rows(community.app, created.token, created.token.rsplit("_", 1)[-1]) == []


@pytest.mark.parametrize("token", ["", "x", "a_b_c", "_" * 300, "a#b_c_d", "\ud800_b_c"])
async def test_unknown_token_is_not_found(community: Community, token: str) -> None:
    created = await new_hook(community)
    for wrong in (token, created.token[:-1], created.token + "0", created.token.upper()):
        with pytest.raises(NotFound):
            await community.app.incoming_webhooks.require_hook(wrong)


async def test_members_who_manage_channels_manage_hooks(community: Community) -> None:
    hooks, at = community.app.incoming_webhooks, community.channel_id
    created = await new_hook(community)
    for who, refusal in ((community.moderator, Forbidden), (community.stranger, NotFound)):
        with pytest.raises(refusal):
            await hooks.create(who, "channel", at)
        with pytest.raises(refusal):
            await hooks.list_hooks(who, "channel", at)
        with pytest.raises(refusal):
            await hooks.delete(who, "channel", at, created.hook.hook_id)
    with pytest.raises(NotFound):
        await hooks.list_hooks(community.owner, "conversation", at)
    assert (await hooks.list_hooks(community.owner, "channel", at))[0] == [created.hook]


async def test_deleted_hook_is_refused_and_its_messages_stay(community: Community) -> None:
    app = community.app
    created = await new_hook(community)
    hook = await app.incoming_webhooks.require_hook(created.token)
    await post(app, created, "Before")

    await app.incoming_webhooks.delete(community.owner, "channel", community.channel_id, hook.hook_id)

    with pytest.raises(NotFound):
        await app.incoming_webhooks.require_hook(created.token)
    with pytest.raises(NotFound):
        await app.incoming_webhooks.post(hook, Post("a request that was on its way"))
    with pytest.raises(NotFound):
        await app.incoming_webhooks.delete(community.owner, "channel", community.channel_id, hook.hook_id)
    assert await community.contents() == ["Before"]
    entries, _ = await app.communities.list_audit(community.owner, community.server_id, limit=5)
    assert [entry.action for entry in entries[:2]] == ["hook.delete", "hook.create"]


async def test_repeated_delivery_is_one_message(community: Community) -> None:
    app = community.app
    created = await new_hook(community)
    ids = await asyncio.gather(*(post(app, created, "Once", nonce="d-1") for _ in range(4)))
    assert len(set(ids)) == 1
    assert await community.contents() == ["Once"]
    with pytest.raises(NonceReused):
        await post(app, created, "Another body", nonce="d-1")


async def test_concurrent_posts_and_messages_have_one_order(community: Community) -> None:
    app = community.app
    created = await new_hook(community)
    posts = [post(app, created, f"hook {number}") for number in range(8)]
    sends = [community.send(community.member, f"member {number}") for number in range(8)]
    await asyncio.gather(*posts, *sends)
    page = await app.communities.page(community.member, community.channel_id, limit=50)
    ids = [message.message_id for message in page.messages]
    assert len(ids) == 16
    assert ids == sorted(ids, reverse=True)


async def test_only_native_posts_mention_users_and_none_mentions_everyone(community: Community) -> None:
    app = community.app
    ana = await register(app, "ana")
    created = await new_hook(community)
    await post(app, created, "@ana @everyone @here", may_mention=True)
    await post(app, created, "@ana")
    page = await app.communities.page(community.member, community.channel_id, limit=10)
    assert [message.mentions for message in page.messages] == [[], [ana.user_id]]


async def test_hook_of_a_private_channel_mentions_those_who_see_it(community: Community) -> None:
    app = community.app
    ana = await register(app, "ana")
    created = await new_hook(community)
    await app.communities.privacy.change(community.owner, community.channel_id, AccessList(["admin"], []))
    await post(app, created, "@ana \\@ana", may_mention=True)
    page = await app.communities.page(community.owner, community.channel_id, limit=10)
    assert [message.mentions for message in page.messages] == [[]], f"{ana.user_id} is not in the server"


async def test_posts_have_custom_data_within_the_schema_of_the_tenant(community: Community) -> None:
    app = community.app
    created = await new_hook(community)
    hook = await app.incoming_webhooks.require_hook(created.token)
    await app.incoming_webhooks.post(hook, Post("Build 42", nonce="d", data={"build": 42}))
    replayed = await app.incoming_webhooks.post(hook, Post("Build 42", nonce="d", data={"build": 42}))
    assert replayed.replayed
    with pytest.raises(NonceReused):
        await app.incoming_webhooks.post(hook, Post("Build 42", nonce="d", data={"build": 43}))
    page = await app.communities.page(community.member, community.channel_id, limit=5)
    assert [message.data for message in page.messages] == [{"build": 42}]

    key = Actor(tenant=hook.tenant, key_id=KeyId("k"), scopes=frozenset({"rooms:write"}))
    await app.data_schemas.set(key, hook.tenant, "message", {"properties": {"build": {"type": "integer"}}})
    for wrong in ({"build": "green"}, {"x": "y" * 5000}):
        with pytest.raises(BadData):
            await app.incoming_webhooks.post(hook, Post("Build 43", data=wrong))


async def test_empty_posts_are_refused(community: Community) -> None:
    created = await new_hook(community)
    with pytest.raises(NothingToPost):
        await post(community.app, created, " \n")
    with pytest.raises(Invalid):
        await community.app.incoming_webhooks.create(
            community.owner, "channel", community.channel_id, avatar_url="https://elsewhere.example.com/a.png"
        )


async def test_number_of_hooks_is_limited_by_the_write(community: Community, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MAX_HOOKS", 2)
    outcomes = await asyncio.gather(*(new_hook(community) for _ in range(5)), return_exceptions=True)
    assert sum(isinstance(outcome, CreatedHook) for outcome in outcomes) == 2
    assert sum(isinstance(outcome, TooManyHooks) for outcome in outcomes) == 3


async def test_posts_of_one_hook_are_limited(community: Community) -> None:
    hooks = community.app.incoming_webhooks
    created = await new_hook(community)
    hooks._limits = MemoryLimits(now=lambda: 0.0)
    for _ in range(RATES["send"].burst):
        await hooks.require_hook(created.token)
    with pytest.raises(TooMany):
        await hooks.require_hook(created.token)


async def test_hooks_end_with_their_channel_and_server(community: Community) -> None:
    app = community.app
    first = await new_hook(community)
    other = (await app.communities.create_channel(community.owner, community.server_id, name="other")).channel
    second = await app.incoming_webhooks.create(community.owner, "channel", other.channel_id)
    hook = await app.incoming_webhooks.require_hook(first.token)

    await app.communities.delete_channel(community.owner, community.channel_id)
    with pytest.raises(NotFound):
        await app.incoming_webhooks.post(hook, Post("the job has not run yet"))
    await app.jobs.run_pending(app.handlers)
    with pytest.raises(NotFound):
        await app.incoming_webhooks.require_hook(first.token)

    await app.communities.delete_server(community.owner, community.server_id)
    await app.jobs.run_pending(app.handlers)
    with pytest.raises(NotFound):
        await app.incoming_webhooks.require_hook(second.token)
    assert await rows(app, "HOOK#", first.hook.user_id, second.hook.user_id) == []


async def group_of(app: Sobremesa) -> tuple[Actor, Actor, RoomId]:
    ana, ben = await register(app, "ana"), await register(app, "ben")
    group = await app.conversations.create_group(ana, [ben.user_id], name="Us")
    return ana, ben, group.conversation_id


async def test_admins_of_a_group_have_hooks_and_direct_conversations_none(app: Sobremesa) -> None:
    ana, ben, room_id = await group_of(app)
    with pytest.raises(Forbidden):
        await app.incoming_webhooks.create(ben, "conversation", room_id)
    created = await app.incoming_webhooks.create(ana, "conversation", room_id, name="CI")
    await post(app, created, "Hello, group")
    page = await app.conversations.page(ben, room_id, limit=5)
    assert [(message.content, message.username) for message in page.messages] == [("Hello, group", "CI")]
    assert (await app.conversations.get(ben, room_id)).seat.conversation.last_message_body == "Hello, group"

    direct = await app.conversations.create_direct(ana, ben.user_id)
    with pytest.raises(DirectIsFixed):
        await app.incoming_webhooks.create(ana, "conversation", direct.conversation_id)


async def test_hook_of_a_thread_posts_while_it_is_open(app: Sobremesa) -> None:
    buyer, seller = await register(app, "buyer"), await register(app, "seller")
    root = Actor(user=actor_of("root").user_id, username="root", is_admin=True)
    wanted = NewThread(kind="inquiry", seller_user_id=seller.user_id, listing_id=ListingId("l1"))
    room_id = (await app.threads.create(buyer, wanted)).listed.thread.room_id
    for who in (buyer, seller):
        with pytest.raises(Forbidden):
            await app.incoming_webhooks.create(who, "thread", room_id)
    created = await app.incoming_webhooks.create(root, "thread", room_id, name="Courier")

    await post(app, created, "On its way")
    page = await app.threads.page(seller, room_id, limit=5)
    assert [(message.content, message.username) for message in page.messages] == [("On its way", "Courier")]

    await app.threads.set_status(root, room_id, "locked")
    with pytest.raises(ThreadNotOpen):
        await post(app, created, "Too late")


class NoSpam:
    """Flags messages with one word."""

    async def judge(self, content: JudgedContent) -> Verdict:
        return Verdict("blocked", ["spam"]) if "spam" in content.content else Verdict()


async def test_posts_are_judged_like_every_message(store: str) -> None:
    async with Sobremesa.open(store, judge=NoSpam(), background=False) as app:
        owner = actor_of("olga")
        server = await app.communities.create_server(owner, name="x")
        channel = (await app.communities.create_channel(owner, server.server_id, name="x")).channel
        created = await app.incoming_webhooks.create(owner, "channel", channel.channel_id)
        await post(app, created, "spam")
        await post(app, created, "fine")
        cases, _ = await app.moderation.list_cases(Actor(user=owner.user_id, is_admin=True), limit=5)
        page = await app.communities.page(owner, channel.channel_id, limit=5)

    assert [message.flags is not None for message in page.messages] == [False, True]
    assert [case.reason for case in cases] == ["spam"]
