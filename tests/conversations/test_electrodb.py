"""Conversations in a table of ElectroDB: opened by a setting, written to, and still readable by ElectroDB."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from cheap import CHEAP
from communities.conftest import Ahead
from conversations.users import Users, create_users
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor, UserId
from sobremesa.core.settings import Settings
from sobremesa.domains.conversations.entities import ConversationId
from sobremesa.rooms.sending import Draft
from sobremesa.table.engines.protocol import PutItem, RawKey
from sobremesa.table.names import Names
from table.test_electrodb import ROWS

C1 = ConversationId("c_01")
ANA, BEN = (Actor.of_user(UserId(name), name) for name in ("u_01", "u_02"))


@pytest.fixture
async def app(store: str, clock: Ahead) -> AsyncIterator[Sobremesa]:
    settings = Settings(**CHEAP, rate_limits="off", names=Names(style="electrodb"))
    async with Sobremesa.open(store, settings=settings, clock=clock, background=False) as app:
        for item in ROWS:
            await app.table.engine.write(PutItem(RawKey(item["pk"], item["sk"]), item))
        yield app


async def test_conversations_of_electrodb_accept_new_messages(app: Sobremesa) -> None:
    talks = app.conversations
    posted = [one.content for one in (await talks.page(ANA, C1, limit=10)).messages]
    assert "Can we ship by Friday?" in posted

    sent = await talks.send(BEN, C1, Draft("Shipped"))
    assert (await talks.unread(ANA, C1)).count == 1
    await talks.edit(BEN, C1, sent.message_id, "Shipped, at last")
    await talks.mark_read(ANA, C1, sent.message_id)
    await app.change_consumer.catch_up()

    [row, other] = (await app.conversations.list_conversations(ANA, limit=10))[0]
    assert other.seat.conversation.type == "direct"
    assert row.seat.conversation.last_message_body == "Shipped, at last"
    assert row.unread.count == 0
    stored = [item async for item in app.table.scan(consistent=True) if sent.message_id in str(item.get("messageId"))]
    assert stored[0]["sk"] == f"msg#{sent.message_id.lower()}"
    assert stored[0]["__edb_e__"] == "message"


async def test_new_conversations_and_groups_work_in_electrodb_style(app: Sobremesa, clock: Ahead) -> None:
    users: Users = await create_users(app)
    direct = await users.direct(users.ana, users.ben)
    assert await users.direct(users.ben, users.ana) == direct
    group = await users.group(name="Lunch")
    clock.move(seconds=1)
    await users.send(users.ana, group, "Who is hungry?")
    clock.move(seconds=1)
    await users.send(users.ana, direct, "I am")
    await app.change_consumer.catch_up()

    for limit in (1, 10):
        found: list[ConversationId] = []
        cursor = None
        while True:
            rows, cursor = await app.conversations.list_conversations(users.ben, limit=limit, cursor=cursor)
            found += [row.seat.room_id for row in rows]
            if cursor is None:
                break
        assert found == [direct, group]
    await app.conversations.participants.remove(users.ana, group, users.ben.user_id)
    assert [row.seat.room_id for row in await users.inbox(users.ben)] == [direct]
