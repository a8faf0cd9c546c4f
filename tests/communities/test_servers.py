"""Creating, finding, updating and deleting servers and channels."""

from __future__ import annotations

import asyncio
from base64 import urlsafe_b64encode
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from communities.conftest import Ahead
from communities.environment import Community, actor_of, create_profile, join, rows
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Tenant
from sobremesa.core.errors import Forbidden, Invalid, NotFound, Refusal
from sobremesa.domains.communities.entities import (
    DIRECTORY_SHARDS,
    ChannelId,
    Connection,
    ConnectionId,
    Server,
    ServerId,
)
from sobremesa.domains.communities.service import CLEAN_SERVER, shard_of
from sobremesa.domains.communities.views import server_view
from sobremesa.rooms.sending import Draft
from sobremesa.table import Create, Update, hash_part, set_to
from sobremesa.table.errors import BadCursor, Throttled
from sobremesa.work.idempotency import KeyReused
from sobremesa.work.jobs import Job

# Making and finding


async def test_creator_owns_a_server_and_no_other_user_sees_it(app: Sobremesa) -> None:
    ana, ben = actor_of("ana"), actor_of("ben")

    server = await app.communities.create_server(ana, name="The long table", icon_url="/v1/attachments/icon")

    assert (server.name, server.owner_id, server.icon_url) == (
        "The long table",
        ana.user_id,
        "/v1/attachments/icon",
    )
    found = await app.communities.get_server(ana, server.server_id)
    assert (found.server, found.role) == (server, "owner")
    assert await app.communities.list_servers(ana, limit=10) == ([server], None)
    assert await app.communities.list_servers(ben, limit=10) == ([], None)
    with pytest.raises(NotFound):
        await app.communities.get_server(ben, server.server_id)


async def test_name_and_icon_of_a_server_change_and_it_is_audited(community: Community) -> None:
    changed = await community.app.communities.change_server(
        community.admin, community.server_id, {"name": "The round table", "icon_url": None}
    )

    assert (changed.name, changed.icon_url) == ("The round table", None)
    assert (await community.app.communities.get_server(community.member, community.server_id)).server == changed
    unchanged = await community.app.communities.change_server(community.admin, community.server_id, {})
    assert unchanged == changed
    [entry, *_] = (await community.app.communities.list_audit(community.owner, community.server_id, limit=5))[0]
    assert (entry.action, entry.details) == ("server.change", {"fields": "icon_url,name"})


async def test_servers_are_listed_page_by_page(app: Sobremesa) -> None:
    ana = actor_of("ana")
    created = [(await app.communities.create_server(ana, name=str(number))).server_id for number in range(5)]

    first, cursor = await app.communities.list_servers(ana, limit=3)
    rest, end = await app.communities.list_servers(ana, limit=3, cursor=cursor)

    assert [server.server_id for server in first + rest] == created
    assert end is None


async def test_repeated_idempotency_key_creates_one_server_and_another_body_is_refused(app: Sobremesa) -> None:
    ana, ben = actor_of("ana"), actor_of("ben")
    make = app.communities.create_server

    created = await asyncio.gather(*(make(ana, name="Once", key="k") for _ in range(20)))

    assert len({server.server_id for server in created}) == 1
    assert await app.communities.list_servers(ana, limit=10) == ([created[0]], None)
    with pytest.raises(KeyReused):
        await make(ana, name="Twice", key="k")
    assert (await make(ben, name="Twice", key="k")).owner_id == ben.user_id
    assert len((await app.communities.list_servers(ana, limit=10))[0]) == 1


async def test_idempotency_key_expires_after_two_days(app: Sobremesa, clock: Ahead) -> None:
    ana = actor_of("ana")
    first = await app.communities.create_server(ana, name="Once", key="k")
    clock.move(seconds=48 * 3600 + 1)

    again = await app.communities.create_server(ana, name="Once more", key="k")

    assert again.server_id != first.server_id


async def test_administrators_list_all_servers_newest_first(app: Sobremesa, clock: Ahead) -> None:
    owners = [actor_of(f"owner{number}") for number in range(6)]
    created: list[ServerId] = []
    for batch in range(10):
        servers = await asyncio.gather(*(app.communities.create_server(who, name=f"{batch}") for who in owners))
        created += [server.server_id for server in servers]
        clock.move(seconds=0.004 * (batch % 2))
    admin = msgspec.structs.replace(actor_of("root"), is_admin=True)

    seen: list[tuple[str, ServerId]] = []
    cursor = None
    while True:
        page, cursor = await app.communities.list_all_servers(admin, limit=7, cursor=cursor)
        seen += [(server.created_at, server.server_id) for server in page]
        if cursor is None:
            break
        assert len(page) == 7

    assert seen == sorted(seen, reverse=True)
    assert sorted(server_id for _, server_id in seen) == sorted(created)
    assert len({shard_of(server_id) for server_id in created}) > DIRECTORY_SHARDS // 2
    with pytest.raises(Forbidden):
        await app.communities.list_all_servers(owners[0], limit=7)
    _, own = await app.communities.list_all_servers(admin, limit=7)
    for_tenant = msgspec.structs.replace(admin, tenant=Tenant("shop"))
    for who, foreign in (
        (admin, "nonsense"),
        (admin, urlsafe_b64encode("#".join(seen[7]).encode()).decode()),
        (for_tenant, own),
    ):
        with pytest.raises(BadCursor):
            await app.communities.list_all_servers(who, limit=7, cursor=foreign)


# Channels


async def test_channels_are_created_found_listed_updated_and_deleted(community: Community) -> None:
    communities = community.app.communities
    created = await communities.create_channel(
        community.admin, community.server_id, name="kitchen", topic="what to cook"
    )
    channel_id = created.channel.channel_id

    assert (await communities.get_channel(community.member, channel_id)) == created
    changed = await communities.change_channel(community.admin, channel_id, {"topic": None, "name": "cellar"})
    assert (changed.channel.name, changed.channel.topic) == ("cellar", None)
    posted = await community.send(community.member, "hello")
    listed, cursor = await communities.list_channels(community.member, community.server_id, limit=10)
    assert [(each.channel.name, each.last_message_id) for each in listed] == [
        ("general", posted.message_id),
        ("cellar", None),
    ]
    assert cursor is None

    await communities.delete_channel(community.admin, channel_id)
    for attempt in (
        communities.get_channel(community.owner, channel_id),
        communities.delete_channel(community.owner, channel_id),
        communities.change_channel(community.owner, channel_id, {"name": "x"}),
        community.app.communities.send(community.owner, channel_id, Draft("hello?")),
    ):
        with pytest.raises(NotFound):
            await attempt


async def test_repeated_idempotency_key_creates_one_channel(community: Community) -> None:
    make = community.app.communities.create_channel

    created = await asyncio.gather(
        *(make(community.owner, community.server_id, name="once", key="k") for _ in range(10))
    )

    assert len({each.channel.channel_id for each in created}) == 1
    with pytest.raises(KeyReused):
        await make(community.owner, community.server_id, name="twice", key="k")
    assert len((await community.app.communities.list_channels(community.owner, community.server_id, limit=10))[0]) == 2


async def test_messages_of_a_deleted_channel_are_removed(community: Community) -> None:
    await fill(community)
    kept = await community.app.communities.create_channel(community.owner, community.server_id, name="kept")
    await community.app.communities.send(community.owner, kept.channel.channel_id, Draft("still here"))

    await community.app.communities.delete_channel(community.owner, community.channel_id)
    assert await community.app.jobs.run_pending(community.app.handlers) == 1

    left = await rows(community.app, community.channel_id)
    assert {item["entityType"] for item in left} <= {"AuditEntry", "ModerationCase", "Nonce"}
    assert await community._replace(channel_id=kept.channel.channel_id).contents() == ["still here"]


async def test_deleted_channel_accepts_no_message_in_flight(community: Community) -> None:
    sends = [community.send(community.member, str(number)) for number in range(30)]
    deletion = community.app.communities.delete_channel(community.owner, community.channel_id)

    outcomes = await asyncio.gather(*sends[:15], deletion, *sends[15:], return_exceptions=True)
    await community.app.jobs.run_pending(community.app.handlers)

    assert all(not isinstance(outcome, BaseException) or isinstance(outcome, NotFound) for outcome in outcomes)
    assert {item["entityType"] for item in await rows(community.app, community.channel_id)} <= {"AuditEntry"}


# Deleting a server


async def fill(community: Community) -> None:
    """At least one row of every kind that a server can have."""
    app, room = community.app, community.channel_id
    message = await community.send(community.member, "hello", nonce="n")
    answer = await community.send(community.owner, "hello you", reply_to=message.message_id)
    for who in (community.owner, community.member):
        await app.communities.react(who, room, message.message_id, "👍")
        await app.communities.mark_read(who, room, answer.message_id)
    await app.communities.pin(community.owner, room, message.message_id)
    await app.communities.invites.create(community.owner, community.server_id, expires_in_seconds=3600)
    await app.communities.members.ban(
        community.owner, community.server_id, (await create_profile(app, actor_of("rude"))).user_id
    )
    far = 4_102_444_800
    for number in range(30):
        await app.table.write(
            Create(
                Connection(
                    room_id=room,
                    connection_id=ConnectionId(f"socket{number}"),
                    server_id=community.server_id,
                    user_id=community.member.user_id,
                    ttl=far,
                )
            )
        )


async def test_only_the_owner_deletes_a_server(community: Community) -> None:
    for who in (community.admin, community.moderator, community.member):
        with pytest.raises(Forbidden):
            await community.app.communities.delete_server(who, community.server_id)
    with pytest.raises(NotFound):
        await community.app.communities.delete_server(community.stranger, community.server_id)


async def test_deleted_server_is_invisible_to_all_members_at_once(community: Community) -> None:
    app, server_id, room = community.app, community.server_id, community.channel_id
    invite = await app.communities.invites.create(community.owner, server_id)
    message = await community.send(community.owner, "hello")
    admin = msgspec.structs.replace(actor_of("root"), is_admin=True)

    await app.communities.delete_server(community.owner, server_id)

    for who in (community.owner, community.member):
        for attempt in (
            app.communities.get_server(who, server_id),
            app.communities.delete_server(who, server_id),
            app.communities.change_server(who, server_id, {"name": "back"}),
            app.communities.get_channel(who, room),
            app.communities.list_channels(who, server_id, limit=10),
            app.communities.create_channel(who, server_id, name="new"),
            app.communities.members.list_members(who, server_id, limit=10),
            app.communities.invites.create(who, server_id),
            app.communities.page(who, room, limit=10),
            app.communities.get_message(who, room, message.message_id),
            app.communities.send(who, room, Draft("anybody?")),
            app.communities.unread(who, room),
            app.communities.mark_read(who, room, message.message_id),
        ):
            with pytest.raises(NotFound):
                await attempt
        assert await app.communities.unread_everywhere(who) == []
        assert await app.communities.list_servers(who, limit=10) == ([], None)
    with pytest.raises(NotFound):
        await app.communities.invites.get(actor_of("new"), invite.code)
    with pytest.raises(NotFound):
        await app.communities.invites.redeem(actor_of("new"), invite.code)
    assert await app.communities.list_all_servers(admin, limit=10) == ([], None)


async def test_deleted_server_leaves_only_its_audit_log(community: Community) -> None:
    await fill(community)
    other = await community.app.communities.create_server(community.member, name="Another")

    await community.app.communities.delete_server(community.owner, community.server_id)
    assert await community.app.jobs.run_pending(community.app.handlers) == 1

    left = await rows(community.app, community.server_id, community.channel_id)
    assert {item["entityType"] for item in left} == {"AuditEntry", "Nonce"}  # its senders' nonces expire
    assert (await community.app.communities.list_servers(community.member, limit=10))[0] == [other]
    assert await community.app.jobs.run_pending(community.app.handlers) == 0


async def test_deleted_server_leaves_no_claim_of_an_expired_invite(community: Community, clock: Ahead) -> None:
    invite = await community.app.communities.invites.create(community.owner, community.server_id, expires_in_seconds=1)
    clock.move(seconds=5)

    await community.app.communities.delete_server(community.owner, community.server_id)
    await community.app.jobs.run_pending(community.app.handlers)

    left = await rows(community.app, community.server_id, invite.code)
    assert {item["entityType"] for item in left if item.get("ttl") is None} == {"AuditEntry"}


async def test_former_members_keep_their_own_row_of_a_deleted_server(community: Community) -> None:
    """A former membership belongs to the user: it is in their export, and deleted with their account."""
    await community.app.communities.members.remove(community.member, community.server_id, community.member.user_id)

    await community.app.communities.delete_server(community.owner, community.server_id)
    await community.app.jobs.run_pending(community.app.handlers)

    left = [item for item in await rows(community.app, community.server_id) if item["entityType"] != "AuditEntry"]
    assert [(item["entityType"], item["userId"]) for item in left] == [("FormerMembership", community.member.user_id)]


def failing_after(call: Callable[..., Awaitable[Any]], times: int) -> Callable[..., Awaitable[Any]]:
    """The same call, which always fails after this many times."""
    left = [times]

    async def broken(*args: Any, **options: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise Throttled("the process dies here")
        return await call(*args, **options)

    return broken


@pytest.mark.parametrize("steps", [5, 8])
async def test_interrupted_deletion_is_finished_by_the_next_run(
    community: Community, clock: Ahead, monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    await fill(community)
    await community.app.communities.delete_server(community.owner, community.server_id)
    before = len(await rows(community.app, community.server_id, community.channel_id))
    with monkeypatch.context() as patched:
        patched.setattr(community.app.table, "write_many", failing_after(community.app.table.write_many, steps))
        assert await community.app.jobs.run_pending(community.app.handlers) == 0
    halfway = len(await rows(community.app, community.server_id, community.channel_id))
    assert 0 < halfway < before

    assert await community.app.jobs.run_pending(community.app.handlers) == 0, "a job that failed rests a little"
    clock.move(seconds=70)
    assert await community.app.jobs.run_pending(community.app.handlers) == 1

    left = await rows(community.app, community.server_id, community.channel_id)
    assert {item["entityType"] for item in left} == {"AuditEntry", "Nonce"}  # its senders' nonces expire


async def test_job_is_run_by_one_of_two_runners(app: Sobremesa) -> None:
    done: list[str] = []
    both, waiting = asyncio.Event(), asyncio.Event()

    async def slow(subject: str) -> None:
        done.append(subject)
        if len(done) == 2:
            both.set()
        await waiting.wait()

    await app.table.write(one=app.jobs.new("slow", "one"), two=app.jobs.new("slow", "two"))
    runners = [asyncio.create_task(app.jobs.run_pending({"slow": slow})) for _ in range(4)]
    await asyncio.wait_for(both.wait(), 60)
    waiting.set()

    assert sum(await asyncio.gather(*runners)) == 2
    assert sorted(done) == ["one", "two"]


async def test_job_of_a_killed_runner_is_resumed_when_its_lease_ends(app: Sobremesa, clock: Ahead) -> None:
    started = asyncio.Event()
    done: list[str] = []

    async def endless(subject: str) -> None:
        started.set()
        await asyncio.sleep(3600)

    async def quick(subject: str) -> None:
        done.append(subject)

    await app.table.write(known=app.jobs.new("work", "one"), unknown=app.jobs.new("unknown here", "two"))
    killed = asyncio.create_task(app.jobs.run_pending({"work": endless}))
    await started.wait()
    killed.cancel()

    assert await app.jobs.run_pending({"work": quick}) == 0
    clock.move(seconds=61)
    assert await app.jobs.run_pending({"work": quick}) == 1
    assert done == ["one"]


async def test_concurrent_deletions_run_once(community: Community) -> None:
    delete = community.app.communities.delete_server

    outcomes = await asyncio.gather(
        *(delete(community.owner, community.server_id) for _ in range(5)), return_exceptions=True
    )

    assert sum(outcome is None for outcome in outcomes) == 1
    assert all(outcome is None or isinstance(outcome, Refusal) for outcome in outcomes)
    jobs = [item async for item in community.app.table.scan() if item["entityType"] == Job.shape.type_name]
    assert [(job["kind"], job["subject"]) for job in jobs] == [(CLEAN_SERVER, community.server_id)]


async def test_unknown_channel_is_not_found(community: Community) -> None:
    for channel_id in ("01JZZZZZZZZZZZZZZZZZZZZZZZ", "nonsense", hash_part("x")):
        with pytest.raises(NotFound):
            await community.app.communities.get_channel(community.owner, ChannelId(channel_id))


async def test_users_who_join_during_a_deletion_are_removed_with_the_server(community: Community) -> None:
    invite = await community.app.communities.invites.create(community.owner, community.server_id)
    users = [actor_of(f"late{number}") for number in range(10)]

    outcomes = await asyncio.gather(
        *(community.app.communities.invites.redeem(who, invite.code) for who in users[:5]),
        community.app.communities.delete_server(community.owner, community.server_id),
        *(community.app.communities.invites.redeem(who, invite.code) for who in users[5:]),
        return_exceptions=True,
    )
    await community.app.jobs.run_pending(community.app.handlers)

    assert all(not isinstance(outcome, BaseException) or isinstance(outcome, Refusal) for outcome in outcomes)
    with pytest.raises(NotFound):
        await join(community.app, community.owner, community.server_id, actor_of("too late"))
    left = await rows(community.app, community.server_id)
    assert {item["entityType"] for item in left} == {"AuditEntry"}


async def test_servers_are_listed_with_their_channel_counts(community: Community) -> None:
    communities = community.app.communities
    other = await communities.create_server(community.member, name="Another")
    await communities.create_channel(community.owner, community.server_id, name="second")

    servers, _ = await communities.list_servers(community.member, limit=10)
    counted = await communities.count_channels(community.member, servers)
    counts = dict(zip((server.server_id for server in servers), counted, strict=True))

    assert counts == {community.server_id: 2, other.server_id: 0}


async def test_icon_must_be_an_upload_and_a_stored_foreign_one_is_hidden(app: Sobremesa) -> None:
    ana = actor_of("ana")
    with pytest.raises(Invalid):
        await app.communities.create_server(ana, name="x", icon_url="https://example.com/i.png")
    server = await app.communities.create_server(ana, name="x")
    with pytest.raises(Invalid):
        await app.communities.change_server(ana, server.server_id, {"icon_url": "https://example.com/i.png"})

    key = Server.key(server_id=server.server_id)
    stored = await app.table.write(Update(key, set_to(icon_url="https://example.com/i.png")))
    assert server_view(stored).icon_url is None
