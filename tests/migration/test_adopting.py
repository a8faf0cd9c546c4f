"""A table that another program filled after the designs is completed while it is being used; then everything works."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from typing import Any

import msgspec
import pytest

from communities.conftest import Ahead
from communities.environment import actor_of, rows
from communities.test_golden_rows import CHANNEL, FRIEND, OLD_PASSWORD, SERVER, TESTUSER, row
from communities.test_golden_rows import SAMPLES as COMMUNITIES
from conversations.test_golden_rows import SAMPLES as CONVERSATIONS
from migration.before import put
from servers import Endpoint
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor, UserId
from sobremesa.core.ids import RoomId
from sobremesa.core.settings import Settings
from sobremesa.domains.accounts.entities import email_claim, username_claim
from sobremesa.domains.accounts.errors import EmailTaken, UsernameTaken
from sobremesa.domains.communities.entities import claim_of, pointer_of
from sobremesa.domains.conversations.entities import direct_between, seat_of
from sobremesa.domains.invites.codes import InviteCode
from sobremesa.rooms.sending import Draft
from sobremesa.table import Layout, Table, open_engine
from sobremesa.table.engines.dynamodb import DynamoEngine
from sobremesa.table.engines.dynamodb.responses import NothingResponse
from sobremesa.table.errors import StoreForeign
from workspaces.test_golden_rows import ANA as IN_WORKSPACE
from workspaces.test_golden_rows import SAMPLES as WORKSPACES
from workspaces.test_golden_rows import W1

ANA, BEN, EVE = (Actor.of_user(UserId(name), name) for name in ("u_01", "u_02", "u_03"))
C1, C2 = RoomId("c_01"), RoomId("c_02")


async def fill(app: Sobremesa) -> None:
    """Rows as the documents show them, and nothing else."""
    samples = [*COMMUNITIES.values(), *CONVERSATIONS.values(), *WORKSPACES.values()]
    await put(app.table.engine, *{(item["pk"], item["sk"]): item for _, item in samples}.values())
    member = COMMUNITIES["the test membership"][1]
    await put(
        app.table.engine,
        member
        | {
            "pk": f"USER#{FRIEND.user_id}",
            "gsi1sk": f"USER#{FRIEND.user_id}",
            "userId": FRIEND.user_id,
            "role": "member",
        },
        *(
            row(f"USER#{who}", "PROFILE", f"EMAIL#{who}@example.com", f"USER#{who}", userId=who, username=who)
            for who in ("u_01", "u_02", "u_03")
        ),
    )


async def everything_is_read(app: Sobremesa) -> None:
    """What must work at every moment, before, while and after."""
    assert (await app.accounts.find_by_email("test@example.com") or pytest.fail("not found")).username == "testuser"
    page = await app.communities.page(FRIEND, CHANNEL, limit=10)
    assert "Hello, world!" in [message.content for message in page.messages]
    assert [server.name for server in (await app.communities.list_servers(TESTUSER, limit=5))[0]] == ["Test Server"]
    assert (await app.communities.invites.get(TESTUSER, InviteCode("abc123xyz"))).server.name == "My Discord Server"
    talk = await app.conversations.page(ANA, C1, limit=10)
    assert [message.content for message in talk.messages] == ["Sounds good!", "Can we ship by Friday?"]
    assert (await app.workspaces.get_everything(IN_WORKSPACE, W1, limit=50)).workspace is not None
    await asyncio.sleep(0)


async def test_a_table_is_completed_while_it_is_read_and_then_everything_works(app: Sobremesa, clock: Ahead) -> None:
    await fill(app)
    await everything_is_read(app)
    reads = 0

    async def read() -> None:
        nonlocal reads
        while True:
            await everything_is_read(app)
            reads += 1

    reader = asyncio.create_task(read())
    report = await app.adopting().adopt()
    reader.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await reader

    assert reads > 0
    assert report.mismatches == []
    assert report.migration.phase == "cut_over"
    await everything_is_read(app)
    await claims_and_pointers_are_there(app)
    await users_keep_working(app)
    again = await app.adopting().adopt()
    assert (again.mismatches, again.migration.written) == ([], 0), "once is enough"


async def claims_and_pointers_are_there(app: Sobremesa) -> None:
    keys: list[Any] = [
        email_claim(email="test@example.com"),
        username_claim(username="testuser"),
        claim_of(code="abc123xyz"),
        pointer_of(room_id=CHANNEL),
        direct_between(lower=ANA.user_id, higher=EVE.user_id),
    ]
    found: list[Any] = await app.table.get_many(keys, consistent=True)
    email, name, code, pointer, pair = found
    assert email.user_id == name.user_id == TESTUSER.user_id
    assert code.server_id == "01JGSYYY..."
    assert (pointer.server_id, pointer.last_message_id) == (SERVER, "01JGSTEST004")
    assert pair.room_id == C2
    place = await app.table.get(seat_of(room_id=C1, user_id=BEN.user_id))
    assert place is not None
    assert place.last_message_at == "2026-04-15T10:30:00.000Z"
    for claim in ("test@example.com", "another@example.com"):
        with pytest.raises((EmailTaken, UsernameTaken)):
            await app.accounts.register(email=claim, username="TestUser", password="a long password")


async def users_keep_working(app: Sobremesa) -> None:
    signed_in = await app.accounts.login(email="test@example.com", password=OLD_PASSWORD)
    assert signed_in.user.user_id == TESTUSER.user_id
    assert (await app.accounts.find_by_username("TESTUSER") or pytest.fail("not found")).user_id == TESTUSER.user_id

    sent = await app.communities.send(TESTUSER, CHANNEL, Draft("Still here?"))
    history = await app.communities.page(FRIEND, CHANNEL, limit=10)
    assert [message.content for message in history.messages] == ["Still here?", "Hello, world!"]
    assert (await app.communities.get_channel(TESTUSER, CHANNEL)).last_message_id == sent.message_id
    admin = Actor(user=UserId("root"), username="root", is_admin=True)
    assert {server.name for server in (await app.communities.list_all_servers(admin, limit=9))[0]} == {
        "My Discord Server",
        "Test Server",
    }

    created = await app.conversations.create_direct(EVE, ANA.user_id)
    assert (created.conversation_id, created.is_new) == (C2, False), "the pair has its conversation"
    inbox, _ = await app.conversations.list_conversations(ANA, limit=10)
    assert [each.seat.room_id for each in inbox] == [C1, C2]
    await app.conversations.send(EVE, C2, Draft("And now?"))
    await app.change_consumer.catch_up()
    inbox, _ = await app.conversations.list_conversations(ANA, limit=10)
    assert [each.seat.room_id for each in inbox] == [C2, C1]
    assert inbox[0].other is not None
    assert (inbox[0].other.username, inbox[0].unread.count) == ("u_03", 1)

    guest = actor_of("guest")
    await app.invites.redeem(guest, InviteCode("abc123"))
    assert (await app.workspaces.get(guest, W1)).workspace.members == 3


async def test_second_user_with_the_same_name_is_reported_and_not_changed(app: Sobremesa) -> None:
    first = row("USER#a", "PROFILE", "EMAIL#Ana@Example.com", "USER#a", email="Ana@Example.com", username="Ana")
    second = row("USER#b", "PROFILE", "EMAIL#ana@example.com", "USER#b", email="ana@example.com", username="ana")
    third = row("USER#c", "PROFILE", "EMAIL#no address", "USER#c", email="no address", username="cleo")
    await put(app.table.engine, first)
    await app.adopting().adopt()
    await put(app.table.engine, second, third)

    report = await app.adopting().adopt()

    assert sorted(report.mismatches) == [
        "USER#b / PROFILE: its e-mail address belongs to another user",
        "USER#b / PROFILE: its username belongs to another user",
        "USER#c / PROFILE: its e-mail address is invalid",
    ]
    found = await app.accounts.find_by_email("ana@example.com")
    assert found is not None
    assert found.user_id == "a", "an address that was not in its one form is found in it now"


async def test_large_group_of_another_writer_is_listed_with_large_groups(app: Sobremesa) -> None:
    group = {"pk": "CONVO#big", "sk": "#METADATA", "type": "group", "lastMessageAt": "2026-04-15T10:30:00Z"}
    users = [f"p{number:02}" for number in range(12)]
    seats = [
        {"pk": "CONVO#big", "sk": f"PARTICIPANT#{who}", "gsi1pk": f"USER#{who}", "gsi1sk": "CONVO#big", "role": "admin"}
        for who in users
    ]
    await put(app.table.engine, group, *seats)

    report = await app.adopting().adopt()

    assert report.mismatches == []
    inbox, _ = await app.conversations.list_conversations(Actor.of_user(UserId("p03"), "p03"), limit=5)
    assert [(each.seat.room_id, each.seat.conversation.participants) for each in inbox] == [("big", 12)]
    stored = [item for item in await rows(app, "PARTICIPANT#") if item["pk"] == "CONVO#big"]
    assert {item["gsi2sk"] for item in stored} == {"BIGCONVO#big"}


# What a table itself lacks


async def bare_table(endpoint: Endpoint) -> str:
    """A table with only its keys, as created by hand."""
    name = f"bare-{uuid.uuid4().hex}"
    store = f"dynamodb://{name}?region=eu-west-1&endpoint={endpoint.url}"
    engine = await open_engine(store)
    assert isinstance(engine, DynamoEngine)
    keys = ("pk", "HASH"), ("sk", "RANGE")
    request = {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": key, "AttributeType": "S"} for key, _ in keys],
        "KeySchema": [{"AttributeName": key, "KeyType": kind} for key, kind in keys],
    }
    await ask(engine, "CreateTable", request)
    await engine.close()
    return store


async def ask(engine: DynamoEngine, action: str, request: dict[str, Any]) -> None:
    await engine._admin._client.call(action, request, msgspec.json.Decoder(NothingResponse), writes=())


@pytest.mark.parametrize("server", ["dynamodb_endpoint", "moto_server"])
async def test_a_bare_table_gets_its_indexes_its_stream_and_its_time_to_live(
    server: str, request: pytest.FixtureRequest
) -> None:
    store = await bare_table(request.getfixturevalue(server))
    engine = await open_engine(store)
    await put(engine, *(item for _, item in COMMUNITIES.values()))
    try:
        added = await engine.complete_table()
        facts = await engine.describe_table()
        assert added == ["the index gsi1", "the index gsi2", "the stream", "the time to live, ttl"]
        assert (facts.indexes, facts.ttl, facts.stream) == (("gsi1", "gsi2"), "ttl", True)
        assert await engine.complete_table() == []
        table = Table(engine)
        found = await table.raw.query("EMAIL#test@example.com", index=next(iter(engine.layout.indexes)))
        assert [item["username"] for item in found.items] == ["testuser"], "rows of before are in the new index"
    finally:
        await engine.close()
    async with Sobremesa.open(store, settings=Settings(rate_limits="off"), background=False) as app:
        assert (await app.adopting().adopt()).mismatches == []
        signed_in = await app.accounts.login(email="test@example.com", password=OLD_PASSWORD)
        assert signed_in.user.user_id == TESTUSER.user_id


async def test_a_table_whose_index_is_otherwise_is_refused(dynamodb_endpoint: Endpoint) -> None:
    store = await bare_table(dynamodb_endpoint)
    engine = await open_engine(store)
    await engine.complete_table()
    await engine.close()
    names = Layout().indexes
    gsi1 = next(iter(names))
    other = Layout(indexes={**names, gsi1: msgspec.structs.replace(names[gsi1], pk="other")})
    engine = await open_engine(store, layout=other)
    with pytest.raises(StoreForeign, match="name map"):
        await engine.complete_table()
    await engine.close()
