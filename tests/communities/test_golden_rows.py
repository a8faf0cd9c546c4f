"""Rows that another program wrote by the documented design: they load, and all operations work with them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from communities.conftest import Ahead
from communities.environment import Community, actor_of, rows
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor, UserId
from sobremesa.core.errors import Forbidden, NotFound
from sobremesa.core.ids import MessageId, RoomId
from sobremesa.domains.accounts import entities as accounts
from sobremesa.domains.accounts.entities import User
from sobremesa.domains.communities import entities as communities
from sobremesa.domains.communities.entities import (
    Channel,
    ChannelMessage,
    Connection,
    Invite,
    LastRead,
    Server,
    ServerId,
    ServerMembership,
)
from sobremesa.domains.invites.codes import InviteCode
from sobremesa.rooms.sending import Draft
from sobremesa.rooms.views import ReactionView
from sobremesa.table import Entity, Layout, Put, RawKey, Registry
from sobremesa.table.engines.protocol import PutItem
from sobremesa.table.values import Item

LAYOUT = Layout()
KEYS = ("pk", "sk", "gsi1pk", "gsi1sk")
THEN = "2025-12-27T00:00:00.000Z"


def row(pk: str, sk: str, gsi1pk: str, gsi1sk: str, **attributes: Any) -> Item:
    return {"pk": pk, "sk": sk, "gsi1pk": gsi1pk, "gsi1sk": gsi1sk, **attributes}


SAMPLES: dict[str, tuple[type[Entity], Item]] = {
    "a user": (
        User,
        row(
            "USER#01JGSXXX...", "PROFILE", "EMAIL#user@example.com", "USER#01JGSXXX...",
            entityType="User", userId="01JGSXXX...", email="user@example.com", username="john_doe",
            passwordHash="$2a$10$...", avatarUrl="https://s3.../avatars/01JGSXXX.jpg", createdAt=THEN, updatedAt=THEN,
        ),
    ),
    "a server": (
        Server,
        row(
            "SERVER#01JGSYYY...", "META", "SERVER#01JGSYYY...", "META",
            entityType="Server", serverId="01JGSYYY...", name="My Discord Server", ownerId="01JGSXXX...",
            iconUrl="https://s3.../server-icons/01JGSYYY.jpg", createdAt=THEN, updatedAt=THEN,
        ),
    ),
    "a membership": (
        ServerMembership,
        row(
            "USER#01JGSXXX...", "SERVER#01JGSYYY...", "SERVER#01JGSYYY...", "USER#01JGSXXX...",
            entityType="ServerMembership", userId="01JGSXXX...", serverId="01JGSYYY...", role="member", joinedAt=THEN,
        ),
    ),
    "a channel": (
        Channel,
        row(
            "SERVER#01JGSYYY...", "CHANNEL#01JGSZSZ...", "CHANNEL#01JGSZSZ...", "META",
            entityType="Channel", channelId="01JGSZSZ...", serverId="01JGSYYY...", name="general",
            topic="General discussion", createdAt=THEN, updatedAt=THEN,
        ),
    ),
    "a message": (
        ChannelMessage,
        row(
            "CHANNEL#01JGSZSZ...", "MSG#1735257600000#01JGSTTT...", "MSG#01JGSTTT...", "CHANNEL#01JGSZSZ...",
            entityType="Message", messageId="01JGSTTT...", channelId="01JGSZSZ...", userId="01JGSXXX...",
            username="john_doe", content="Hello, world!", edited=False, editedAt=None, reactions=[],
            createdAt=THEN, updatedAt=THEN,
        ),
    ),
    "a message with reactions": (
        ChannelMessage,
        row(
            "CHANNEL#01JGSZSZ...", "MSG#1735257600000#01JGSTTT123ABC", "MSG#01JGSTTT123ABC", "CHANNEL#01JGSZSZ...",
            entityType="Message", messageId="01JGSTTT123ABC", channelId="01JGSZSZ...", userId="01JGSXXX...",
            username="john_doe", content="Hello, world!", edited=False, editedAt=None,
            reactions=[{"emoji": "👍", "userIds": ["01JGSXXX...", "01JGSYYY..."], "count": 2}],
            createdAt=THEN, updatedAt=THEN,
        ),
    ),
    "an invite": (
        Invite,
        row(
            "SERVER#01JGSYYY...", "INVITE#abc123xyz", "INVITE#abc123xyz", "SERVER#01JGSYYY...",
            entityType="Invite", inviteCode="abc123xyz", serverId="01JGSYYY...", createdBy="01JGSXXX...",
            expiresAt=None, maxUses=None, uses=0, createdAt=THEN,
        ),
    ),
    "a connection": (
        Connection,
        row(
            "CHANNEL#01JGSZSZ...", "CONN#xyz789conn", "CONN#xyz789conn", "USER#01JGSXXX...",
            entityType="Connection", connectionId="xyz789conn", channelId="01JGSZSZ...", serverId="01JGSYYY...",
            userId="01JGSXXX...", connectedAt=THEN, ttl=1735344000,
        ),
    ),
    "a last read": (
        LastRead,
        row(
            "USER#01JGSXXX...", "LASTREAD#CHANNEL#01JGSZSZ...", "CHANNEL#01JGSZSZ...", "USER#01JGSXXX...",
            entityType="LastRead", userId="01JGSXXX...", channelId="01JGSZSZ...", lastReadMessageId="01JGSTTT...",
            lastReadTimestamp=1735257600000, updatedAt=THEN,
        ),
    ),
    "the test user": (
        User,
        row(
            "USER#01JGSTEST001", "PROFILE", "EMAIL#test@example.com", "USER#01JGSTEST001",
            entityType="User", userId="01JGSTEST001", email="test@example.com", username="testuser",
            # A hash of the document's form; its own sample is no hash of anything.
            passwordHash="$2a$04$jPx5T1m9njPCmUWMkeiWleic7gRiw.oQXi1MQkalGsJdBYKLJ.3k2",
            avatarUrl=None, createdAt=THEN, updatedAt=THEN,
        ),
    ),
    "the test server": (
        Server,
        row(
            "SERVER#01JGSTEST002", "META", "SERVER#01JGSTEST002", "META",
            entityType="Server", serverId="01JGSTEST002", name="Test Server", ownerId="01JGSTEST001", iconUrl=None,
            createdAt=THEN, updatedAt=THEN,
        ),
    ),
    "the test membership": (
        ServerMembership,
        row(
            "USER#01JGSTEST001", "SERVER#01JGSTEST002", "SERVER#01JGSTEST002", "USER#01JGSTEST001",
            entityType="ServerMembership", userId="01JGSTEST001", serverId="01JGSTEST002", role="owner", joinedAt=THEN,
        ),
    ),
    "the test channel": (
        Channel,
        row(
            "SERVER#01JGSTEST002", "CHANNEL#01JGSTEST003", "CHANNEL#01JGSTEST003", "META",
            entityType="Channel", channelId="01JGSTEST003", serverId="01JGSTEST002", name="general",
            topic="General chat", createdAt=THEN, updatedAt=THEN,
        ),
    ),
    "the test message": (
        ChannelMessage,
        row(
            "CHANNEL#01JGSTEST003", "MSG#1735257600000#01JGSTEST004", "MSG#01JGSTEST004", "CHANNEL#01JGSTEST003",
            entityType="Message", messageId="01JGSTEST004", channelId="01JGSTEST003", userId="01JGSTEST001",
            username="testuser", content="Hello, world!", edited=False, editedAt=None, reactions=[],
            createdAt=THEN, updatedAt=THEN,
        ),
    ),
}  # fmt: skip

OLD_PASSWORD = "a password of 2025"


async def put(app: Sobremesa, *items: Item) -> None:
    for item in items:
        await app.table.engine.write(PutItem(RawKey(item["pk"], item["sk"]), item))


@pytest.mark.parametrize("sample", SAMPLES)
def test_documented_row_is_recognized_and_keeps_its_keys(sample: str) -> None:
    entity, item = SAMPLES[sample]
    registry = Registry.of(accounts, communities)

    assert registry.entity_of(item, LAYOUT) is entity
    rewritten = entity.from_item({**item, "colour": "blue"}, LAYOUT).to_item(LAYOUT)

    assert {name: rewritten[name] for name in KEYS} == {name: item[name] for name in KEYS}
    kept = {name: value for name, value in item.items() if value is not None}
    assert {name: rewritten.get(name) for name in kept} == kept
    assert rewritten["colour"] == "blue"


async def test_documented_rows_survive_a_rewrite(app: Sobremesa) -> None:
    for entity, sample in SAMPLES.values():
        item = {**sample, "colour": "blue", **({"ttl": 4_102_444_800} if "ttl" in sample else {})}
        await put(app, item)
        loaded = await app.table.get(entity.from_item(item, LAYOUT).own_key(), consistent=True)
        assert loaded is not None

        await app.table.write(Put(loaded))

        [stored] = [each for each in await rows(app, item["pk"]) if each["sk"] == item["sk"]]
        kept = {name: value for name, value in item.items() if value is not None}
        assert {name: stored.get(name) for name in kept} == kept


async def test_expired_connection_is_not_found(app: Sobremesa) -> None:
    _, item = SAMPLES["a connection"]
    await put(app, item)

    assert await app.table.get(Connection.from_item(item, LAYOUT).own_key()) is None


# A store with only such rows

TESTUSER = Actor.of_user(UserId("01JGSTEST001"), "testuser")
FRIEND = Actor.of_user(UserId("01JGSTEST009"), "friend")
SERVER, CHANNEL = ServerId("01JGSTEST002"), RoomId("01JGSTEST003")
FIRST, SECOND = MessageId("01JGSTEST004"), MessageId("01JGSTEST005")


@pytest.fixture
async def old_community(app: Sobremesa) -> Community:
    """The document's test data, with a second user, a second message, an invite and a last read."""
    names = ("the test user", "the test server", "the test membership", "the test channel", "the test message")
    await put(app, *(SAMPLES[name][1] for name in names))
    message = SAMPLES["the test message"][1]
    await put(
        app,
        message
        | {
            "sk": "MSG#1735257600001#01JGSTEST005",
            "gsi1pk": "MSG#01JGSTEST005",
            "messageId": "01JGSTEST005",
            "content": "Anybody?",
            "reactions": [{"emoji": "👍", "userIds": ["01JGSTEST009"], "count": 1}],
        },
        SAMPLES["the test membership"][1]
        | {
            "pk": "USER#01JGSTEST009",
            "gsi1sk": "USER#01JGSTEST009",
            "userId": "01JGSTEST009",
            "role": "member",
        },
        SAMPLES["an invite"][1]
        | {"pk": "SERVER#01JGSTEST002", "gsi1sk": "SERVER#01JGSTEST002", "serverId": "01JGSTEST002"},
        row(
            "USER#01JGSTEST009", "LASTREAD#CHANNEL#01JGSTEST003", "CHANNEL#01JGSTEST003", "USER#01JGSTEST009",
            entityType="LastRead", userId="01JGSTEST009", channelId="01JGSTEST003", lastReadMessageId="01JGSTEST004",
            lastReadTimestamp=1735257600000, updatedAt=THEN,
        ),
    )  # fmt: skip
    return Community(app, SERVER, CHANNEL, TESTUSER, TESTUSER, TESTUSER, FRIEND, actor_of("sam"))


async def test_channel_of_another_writer_accepts_reads_and_sends(old_community: Community, clock: Ahead) -> None:
    channels, room = old_community.app.communities, old_community.channel_id

    page = await channels.page(FRIEND, room, limit=1)
    assert [message.content for message in page.messages] == ["Anybody?"]
    assert page.messages[0].reactions == [ReactionView("👍", 1, [FRIEND.user_id], True)]
    rest = await channels.page(FRIEND, room, limit=5, cursor=page.cursor)
    assert [message.message_id for message in rest.messages] == [FIRST]
    assert [m.message_id for m in (await channels.page(FRIEND, room, limit=5, before=SECOND)).messages] == [FIRST]
    assert [m.message_id for m in (await channels.page(FRIEND, room, limit=5, after=FIRST)).messages] == [SECOND]
    assert [m.message_id for m in (await channels.page(FRIEND, room, limit=5, around=FIRST)).messages] == [
        SECOND,
        FIRST,
    ]
    assert (await channels.get_message(FRIEND, room, FIRST)).content == "Hello, world!"

    posted = await old_community.send(FRIEND, "Still here?", reply_to=FIRST)
    edited = await channels.edit(TESTUSER, room, FIRST, "Hello again")
    assert (edited.content, edited.edited) == ("Hello again", True)
    with pytest.raises(Forbidden):
        await channels.edit(FRIEND, room, FIRST, "mine now")
    await channels.react(TESTUSER, room, SECOND, "👍")
    await channels.pin(TESTUSER, room, SECOND)
    await channels.delete_message(TESTUSER, room, FIRST)

    assert await old_community.contents() == ["", "Anybody?", "Still here?"]
    [reaction] = (await channels.get_message(TESTUSER, room, SECOND)).reactions
    assert (reaction.count, reaction.user_ids, reaction.me) == (2, [FRIEND.user_id, TESTUSER.user_id], True)
    pins, _ = await channels.list_pins(FRIEND, room, limit=5, cursor=None)
    assert [pin.message.message_id for pin in pins] == [SECOND]
    head = await old_community.app.communities.get_channel(TESTUSER, room)
    assert (head.last_message_id, head.channel.topic) == (posted.message_id, "General chat")


async def test_read_positions_of_another_writer_are_kept(old_community: Community) -> None:
    channels, room = old_community.app.communities, old_community.channel_id
    posted = await old_community.send(TESTUSER, "new")

    # By the document's dates all users joined a year after its messages: only the new one is unread.
    assert (await channels.unread(FRIEND, room)).count == 1
    assert [each.room_id for each in await channels.unread_everywhere(FRIEND)] == [room]
    read = await channels.mark_read(FRIEND, room, SECOND)
    assert (read.last_read_message_id, read.unread.count) == (SECOND, 1)
    assert (await channels.mark_read(FRIEND, room, posted.message_id)).unread.count == 0
    assert (await channels.mark_read(FRIEND, room, FIRST)).last_read_message_id == posted.message_id
    readers, _ = await channels.list_readers(TESTUSER, room, limit=5, cursor=None)
    assert [(reader.user_id, reader.last_read_message_id) for reader in readers] == [
        (FRIEND.user_id, posted.message_id)
    ]


async def test_server_of_another_writer_supports_all_operations(old_community: Community) -> None:
    app, guest = old_community.app, actor_of("guest")

    assert [server.name for server in (await app.communities.list_servers(TESTUSER, limit=5))[0]] == ["Test Server"]
    assert (await app.communities.get_server(TESTUSER, SERVER)).role == "owner"
    listed, _ = await app.communities.list_channels(FRIEND, SERVER, limit=5)
    assert [each.channel.name for each in listed] == ["general"]
    members, _ = await app.communities.members.list_members(FRIEND, SERVER, limit=5)
    assert {row.user_id: row.role for row in members} == {
        TESTUSER.user_id: "owner",
        FRIEND.user_id: "member",
    }

    assert (await app.communities.invites.get(guest, InviteCode("abc123xyz"))).server.name == "Test Server"
    await app.communities.invites.redeem(guest, InviteCode("abc123xyz"))
    [invite] = (await app.communities.invites.list_invites(TESTUSER, SERVER, limit=5))[0]
    assert (invite.code, invite.uses) == ("abc123xyz", 1)
    await app.communities.members.change_role(TESTUSER, SERVER, FRIEND.user_id, role="admin")
    await app.communities.change_server(FRIEND, SERVER, {"name": "Our server"})
    await app.communities.members.remove(FRIEND, SERVER, guest.user_id)
    await app.communities.invites.revoke(TESTUSER, InviteCode("abc123xyz"))
    with pytest.raises(NotFound):
        await app.communities.invites.redeem(guest, InviteCode("abc123xyz"))
    await app.communities.members.transfer(TESTUSER, SERVER, FRIEND.user_id)
    assert (await app.communities.get_server(FRIEND, SERVER)).role == "owner"

    await app.communities.delete_server(FRIEND, SERVER)
    await app.jobs.run_pending(app.handlers)
    left = await rows(app, SERVER, CHANNEL)
    assert {item["entityType"] for item in left} <= {"AuditEntry", "FormerMembership"}


async def test_first_send_creates_the_pointer_of_another_writers_channel_once(old_community: Community) -> None:
    sent = await asyncio.gather(
        *(old_community.app.communities.send(TESTUSER, CHANNEL, Draft(str(number))) for number in range(10))
    )

    assert len({one.message_id for one in sent}) == 10
    assert len(await old_community.contents()) == 12
    pointers = [item for item in await rows(old_community.app, "ChannelPointer") if item["pk"] == f"CHANNEL#{CHANNEL}"]
    assert len(pointers) == 1


async def test_user_of_another_writer_logs_in_with_their_password(old_community: Community) -> None:
    signed_in = await old_community.app.accounts.login(email="test@example.com", password=OLD_PASSWORD)

    assert signed_in.user.user_id == TESTUSER.user_id
    assert await rows(old_community.app, "passwordHash", "$2a$") == []
    again = await old_community.app.accounts.login(email="test@example.com", password=OLD_PASSWORD)
    assert again.user.user_id == TESTUSER.user_id
