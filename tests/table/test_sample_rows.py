"""Rows of the five documents' samples load as they stand: odd dates, short ids, missing attributes, other names."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from sobremesa.table import Entity, Index, Keys, Layout, Put, RawKey, Registry, Table, gsi1, gsi2
from sobremesa.table.engines.protocol import PutItem
from sobremesa.table.values import Item
from table.samples import stored

LAYOUT = Layout()


class User(Entity):
    keys = Keys(pk="USER#{user_id}", sk="PROFILE")
    by_email = Index(gsi1, pk="EMAIL#{email}", sk="USER#{user_id}")

    user_id: str
    email: str
    username: str
    avatar_url: str | None = None
    created_at: str = ""


class Server(Entity):
    keys = Keys(pk="SERVER#{server_id}", sk="META")
    as_server = Index(gsi1, pk="SERVER#{server_id}", sk="META")

    server_id: str
    name: str
    owner_id: str
    icon_url: str | None = None


class ServerMembership(Entity):
    keys = Keys(pk="USER#{user_id}", sk="SERVER#{server_id}")
    by_server = Index(gsi1, pk="SERVER#{server_id}", sk="USER#{user_id}")

    user_id: str
    server_id: str
    role: str = "member"
    joined_at: str = ""


class Channel(Entity):
    keys = Keys(pk="SERVER#{server_id}", sk="CHANNEL#{channel_id}")
    by_id = Index(gsi1, pk="CHANNEL#{channel_id}", sk="META")

    server_id: str
    channel_id: str
    name: str
    topic: str | None = None


class Reaction(msgspec.Struct, frozen=True, rename="camel"):
    emoji: str
    user_ids: list[str]
    count: int


class ChannelMessage(Entity):
    keys = Keys(pk="CHANNEL#{channel_id}", sk="MSG#{ms:013}#{message_id}")
    by_id = Index(gsi1, pk="MSG#{message_id}", sk="CHANNEL#{channel_id}")
    entity_type = "Message"

    channel_id: str
    ms: int
    message_id: str
    user_id: str
    username: str
    content: str = ""
    edited: bool = False
    edited_at: str | None = None
    reactions: tuple[Reaction, ...] = ()


class Invite(Entity, rename={"code": "inviteCode", "server_id": "serverId", "max_uses": "maxUses"}):
    keys = Keys(pk="SERVER#{server_id}", sk="INVITE#{code}")
    by_code = Index(gsi1, pk="INVITE#{code}", sk="SERVER#{server_id}")

    server_id: str
    code: str
    uses: int = 0
    max_uses: int | None = None


class Connection(Entity):
    keys = Keys(pk="CHANNEL#{channel_id}", sk="CONN#{connection_id}")
    by_id = Index(gsi1, pk="CONN#{connection_id}", sk="USER#{user_id}")
    expires = "ttl"

    channel_id: str
    connection_id: str
    user_id: str
    ttl: int


class LastRead(Entity):
    keys = Keys(pk="USER#{user_id}", sk="LASTREAD#CHANNEL#{channel_id}")
    by_channel = Index(gsi1, pk="CHANNEL#{channel_id}", sk="USER#{user_id}")

    user_id: str
    channel_id: str
    last_read_message_id: str
    last_read_timestamp: int


class Conversation(Entity):
    keys = Keys(pk="CONVO#{convo_id}", sk="#METADATA")

    convo_id: str
    type: str
    name: str | None = None
    last_message_body: str | None = None
    last_message_sender: str | None = None
    last_message_at: str | None = None


class Participant(Entity):
    keys = Keys(pk="CONVO#{convo_id}", sk="PARTICIPANT#{user_id}")
    by_user = Index(gsi1, pk="USER#{user_id}", sk="CONVO#{convo_id}")

    convo_id: str
    user_id: str
    role: str = "member"
    joined_at: str | None = None
    last_read_at: str | None = None


class ConvoMessage(Entity):
    keys = Keys(pk="CONVO#{convo_id}", sk="MSG#{message_id}")

    convo_id: str
    message_id: str
    sender_id: str
    body: str
    type: str = "text"
    created_at: str | None = None


class Thread(Entity):
    keys = Keys(pk="THR#{thread_id}", sk="THR")
    by_lbg = Index(gsi2, pk="LBG#{lbg_id}", sk="{created_at}")

    thread_id: str
    kind: str
    participants: tuple[str, ...] = ()
    lbg_id: str | None = None
    created_at: str | None = None
    status: str = "open"
    safe_mode_required: bool = False


class ThreadMessage(Entity):
    keys = Keys(pk="THR#{thread_id}", sk="MSG#{iso}#{message_id}")

    thread_id: str
    iso: str
    message_id: str
    type: str
    author_user_id: str
    body: str = ""
    attachments: tuple[dict[str, Any], ...] = ()
    action: dict[str, Any] | None = None
    nsfw_band: int = 0
    flags: dict[str, Any] = msgspec.field(default_factory=dict)


class InboxMessage(Entity, rename=None):
    keys = Keys(pk="t#{tenant_key}U#{uid}#{inbox_key}", sk="m#{id}")
    entity_type = "UM"
    expires = "expiredat"

    tenant_key: str
    uid: str
    inbox_key: str
    id: str
    sender: str | None = None
    readat: int | None = None
    expiredat: int | None = None
    taxonomy: dict[str, str] = msgspec.field(default_factory=dict)
    message: dict[str, Any] = msgspec.field(default_factory=dict)


class InboxStats(Entity, rename=None):
    keys = Keys(pk="t#{tenant_key}U#{uid}#{inbox_key}", sk="c#*")
    entity_type = "US"

    tenant_key: str
    uid: str
    inbox_key: str
    published: int = 0
    read: int = 0


class TenantSettings(Entity, rename=None):
    keys = Keys(pk="t#{tenant_key}", sk="st#tenant_settings")
    entity_type = "TS"

    tenant_key: str
    title: str = ""
    ttl: str | None = None


def _row(pk: str, sk: str, *index: str, **attributes: Any) -> Item:
    return {"pk": pk, "sk": sk, **dict(zip(("gsi1pk", "gsi1sk"), index, strict=False)), **attributes}


TIMES = {"createdAt": "2025-12-27T00:00:00.000Z", "updatedAt": "2025-12-27T00:00:00.000Z"}
SAMPLES: dict[str, tuple[Entity, Item]] = {
    "User of 002": (
        User(user_id="01JGSTEST001", email="test@example.com", username="testuser", created_at=TIMES["createdAt"]),
        _row(
            "USER#01JGSTEST001", "PROFILE", "EMAIL#test@example.com", "USER#01JGSTEST001",
            entityType="User", userId="01JGSTEST001", email="test@example.com", username="testuser",
            passwordHash="$2a$10$HASHEDPASSWORD", avatarUrl=None, **TIMES,
        ),
    ),
    "User of 002 with dots in its id": (
        User(user_id="01JGSXXX...", email="user@example.com", username="john_doe", avatar_url="https://s3/a.jpg"),
        _row("USER#01JGSXXX...", "PROFILE", "EMAIL#user@example.com", "USER#01JGSXXX...", userId="01JGSXXX...",
             email="user@example.com", username="john_doe", avatarUrl="https://s3/a.jpg"),
    ),
    "Server of 002": (
        Server(server_id="01JGSTEST002", name="Test Server", owner_id="01JGSTEST001"),
        _row("SERVER#01JGSTEST002", "META", "SERVER#01JGSTEST002", "META", entityType="Server",
             serverId="01JGSTEST002", name="Test Server", ownerId="01JGSTEST001", iconUrl=None, **TIMES),
    ),
    "Membership of 002": (
        ServerMembership(user_id="01JGSTEST001", server_id="01JGSTEST002", role="owner", joined_at=TIMES["createdAt"]),
        _row("USER#01JGSTEST001", "SERVER#01JGSTEST002", "SERVER#01JGSTEST002", "USER#01JGSTEST001",
             entityType="ServerMembership", userId="01JGSTEST001", serverId="01JGSTEST002", role="owner",
             joinedAt=TIMES["createdAt"]),
    ),
    "Channel of 002": (
        Channel(server_id="01JGSTEST002", channel_id="01JGSTEST003", name="general", topic="General chat"),
        _row("SERVER#01JGSTEST002", "CHANNEL#01JGSTEST003", "CHANNEL#01JGSTEST003", "META", entityType="Channel",
             channelId="01JGSTEST003", serverId="01JGSTEST002", name="general", topic="General chat", **TIMES),
    ),
    "Message of 002, whose time is only in its key": (
        ChannelMessage(channel_id="01JGSTEST003", ms=1735257600000, message_id="01JGSTEST004", user_id="01JGSTEST001",
                       username="testuser", content="Hello, world!"),
        _row("CHANNEL#01JGSTEST003", "MSG#1735257600000#01JGSTEST004", "MSG#01JGSTEST004", "CHANNEL#01JGSTEST003",
             entityType="Message", messageId="01JGSTEST004", channelId="01JGSTEST003", userId="01JGSTEST001",
             username="testuser", content="Hello, world!", edited=False, editedAt=None, reactions=[], **TIMES),
    ),
    "Message of 002 with reactions": (
        ChannelMessage(channel_id="c", ms=1735257600000, message_id="m", user_id="u", username="n",
                       reactions=(Reaction("👍", ["01JGSXXX...", "01JGSYYY..."], 2),)),
        _row("CHANNEL#c", "MSG#1735257600000#m", channelId="c", messageId="m", userId="u", username="n",
             reactions=[{"emoji": "👍", "userIds": ["01JGSXXX...", "01JGSYYY..."], "count": 2}]),
    ),
    "Invite of 002": (
        Invite(server_id="01JGSYYY...", code="abc123xyz"),
        _row("SERVER#01JGSYYY...", "INVITE#abc123xyz", "INVITE#abc123xyz", "SERVER#01JGSYYY...", entityType="Invite",
             inviteCode="abc123xyz", serverId="01JGSYYY...", createdBy="01JGSXXX...", expiresAt=None, maxUses=None,
             uses=0, createdAt=TIMES["createdAt"]),
    ),
    "Connection of 002": (
        Connection(channel_id="01JGSZSZ...", connection_id="xyz789conn", user_id="01JGSXXX...", ttl=4102444800),
        _row("CHANNEL#01JGSZSZ...", "CONN#xyz789conn", "CONN#xyz789conn", "USER#01JGSXXX...", entityType="Connection",
             connectionId="xyz789conn", channelId="01JGSZSZ...", serverId="01JGSYYY...", userId="01JGSXXX...",
             connectedAt=TIMES["createdAt"], ttl=4102444800),
    ),
    "LastRead of 002": (
        LastRead(user_id="01JGSXXX...", channel_id="01JGSZSZ...", last_read_message_id="01JGSTTT...",
                 last_read_timestamp=1735257600000),
        _row("USER#01JGSXXX...", "LASTREAD#CHANNEL#01JGSZSZ...", "CHANNEL#01JGSZSZ...", "USER#01JGSXXX...",
             entityType="LastRead", userId="01JGSXXX...", channelId="01JGSZSZ...", lastReadMessageId="01JGSTTT...",
             lastReadTimestamp=1735257600000, updatedAt=TIMES["updatedAt"]),
    ),
    "group of 003, without its id": (
        Conversation(convo_id="c_01", type="group", name="Project Chat", last_message_body="Sounds good!",
                     last_message_sender="u_02", last_message_at="2026-04-15T10:30:00Z"),
        _row("CONVO#c_01", "#METADATA", name="Project Chat", type="group", lastMessageBody="Sounds good!",
             lastMessageSender="u_02", lastMessageAt="2026-04-15T10:30:00Z"),
    ),
    "direct conversation of 003, its name null": (
        Conversation(convo_id="c_02", type="direct", last_message_body="See you tomorrow", last_message_sender="u_01"),
        _row("CONVO#c_02", "#METADATA", name=None, type="direct", lastMessageBody="See you tomorrow",
             lastMessageSender="u_01"),
    ),
    "participant of 003 with an odd date": (
        Participant(convo_id="c_01", user_id="u_01", role="admin", joined_at="2026-04-01T...",
                    last_read_at="2026-04-15T10:25:00Z"),
        _row("CONVO#c_01", "PARTICIPANT#u_01", "USER#u_01", "CONVO#c_01", role="admin", joinedAt="2026-04-01T...",
             lastReadAt="2026-04-15T10:25:00Z"),
    ),
    "participant of 003 without a date": (
        Participant(convo_id="c_02", user_id="u_03", last_read_at="2026-04-15T09:00:00Z"),
        _row("CONVO#c_02", "PARTICIPANT#u_03", "USER#u_03", "CONVO#c_02", role="member",
             lastReadAt="2026-04-15T09:00:00Z"),
    ),
    "message of 003": (
        ConvoMessage(convo_id="c_01", message_id="01HW1A2B3C...", sender_id="u_01", body="Can we ship by Friday?"),
        _row("CONVO#c_01", "MSG#01HW1A2B3C...", senderId="u_01", body="Can we ship by Friday?", type="text"),
    ),
    "thread of 000": (
        Thread(thread_id="thrd_1", kind="inquiry", participants=("usr_1", "usr_2"), lbg_id="lbg_1",
               safe_mode_required=True),
        _row("THR#thrd_1", "THR", kind="inquiry", lbgId="lbg_1", legId=None, buyerUserId="usr_1",
             sellerUserId="usr_2", participants=["usr_1", "usr_2"], city="Houston", status="open",
             safeModeRequired=True),
    ),
    "message of 000": (
        ThreadMessage(thread_id="thrd_1", iso="2025-11-05T14:12:07.123Z", message_id="msg_1", type="asset",
                      author_user_id="usr_1", attachments=({"kind": "preview", "s3Key": "k", "w": 1, "h": 2},),
                      nsfw_band=1, flags={"moderation": "clean", "policyHints": []}),
        _row("THR#thrd_1", "MSG#2025-11-05T14:12:07.123Z#msg_1", type="asset", authorUserId="usr_1",
             attachments=[{"kind": "preview", "s3Key": "k", "w": 1, "h": 2}], action=None, nsfwBand=1,
             flags={"moderation": "clean", "policyHints": []}),
    ),
    "user message of 004": (
        InboxMessage(tenant_key="acme", uid="u1", inbox_key="main", id="m3k9z0a1", sender="shop",
                     expiredat=4102444800, taxonomy={"category": "news"}, message={"title": "Hi", "body": {"a": 1}}),
        _row("t#acmeU#u1#main", "m#m3k9z0a1", kind="UM", id="m3k9z0a1", host_system_id=None, sender="shop",
             audiences={"kind": "users", "label": "x", "uids": ["u1"]}, received=1, delivered=2, readat=None,
             expiredat=4102444800, taxonomy={"category": "news"}, tenant_key="acme", inbox_key="main", uid="u1",
             message={"title": "Hi", "body": {"a": 1}}),
    ),
    "receipt of 004, which holds no ids at all": (
        InboxMessage(tenant_key="acme", uid="u1", inbox_key="main", id="m3k9z0a2", readat=1735257600000,
                     expiredat=4102444800, taxonomy={"category": "news"}),
        _row("t#acmeU#u1#main", "m#m3k9z0a2", taxonomy={"category": "news"}, readat=1735257600000,
             expiredat=4102444800),
    ),
    "stats of 004": (
        InboxStats(tenant_key="acme", uid="u1", inbox_key="main", published=3, read=1),
        _row("t#acmeU#u1#main", "c#*", kind="US", published=3, read=1, tenant_key="acme", inbox_key="main", uid="u1"),
    ),
    "settings of 004, whose ttl is a duration": (
        TenantSettings(tenant_key="acme", title="Acme", ttl="30d"),
        _row("t#acme", "st#tenant_settings", kind="TS", title="Acme", ttl="30d", tenant_key="acme", uid="x"),
    ),
}  # fmt: skip


def _without_other(entity: Entity) -> Entity:
    return msgspec.structs.replace(entity, other={})


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_documented_row_loads_and_keeps_what_we_do_not_know(sample: str) -> None:
    expected, item = SAMPLES[sample]

    loaded = type(expected).from_item(item, LAYOUT)

    assert _without_other(loaded) == expected
    rewritten = loaded.to_item(LAYOUT)
    kept = {name: value for name, value in item.items() if value is not None}
    assert {name: rewritten.get(name) for name in kept} == kept


async def test_documented_rows_survive_a_rewrite_on_every_store(table: Table) -> None:
    for expected, item in SAMPLES.values():
        await table.engine.write(PutItem(RawKey(item["pk"], item["sk"]), item))

        loaded = await table.get(expected.own_key(), consistent=True)
        assert loaded is not None
        assert _without_other(loaded) == expected
        await table.write(Put(loaded))

        kept = {name: value for name, value in item.items() if value is not None}
        rewritten = await stored(table.engine, item["pk"], item["sk"])
        assert rewritten is not None
        assert {name: rewritten.get(name) for name in kept} == kept


def test_a_row_finds_its_entity_by_its_key_then_by_its_type() -> None:
    registry = Registry(entities=[type(entity) for entity, _ in SAMPLES.values()])

    for entity, item in SAMPLES.values():
        assert registry.entity_of(item, LAYOUT) is type(entity)
    assert registry.entity_of({"pk": "SOMETHING#x", "sk": "ELSE"}, LAYOUT) is None
