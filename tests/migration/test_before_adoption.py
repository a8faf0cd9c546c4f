"""A table that others made, before it is adopted: the documented indexes answer, and nothing is made twice."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from communities.conftest import Ahead
from communities.environment import actor_of, requests
from communities.test_golden_rows import SAMPLES as COMMUNITIES
from communities.test_golden_rows import TESTUSER, row
from conversations.test_golden_rows import SAMPLES as CONVERSATIONS
from migration.before import put
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor, UserId
from sobremesa.core.clock import EPOCH
from sobremesa.core.ids import RoomId
from sobremesa.core.settings import Settings
from sobremesa.domains.accounts.errors import UsernameTaken
from sobremesa.domains.conversations.entities import direct_between
from sobremesa.rooms.sending import Draft
from sobremesa.table import Layout, open_engine
from sobremesa.work.table_origin import TableOrigin, origin_of_table

ANA, BEN, EVE = (Actor.of_user(UserId(name), name) for name in ("u_01", "u_02", "u_03"))
GROUP, DIRECT = RoomId("c_01"), RoomId("c_02")


@pytest.fixture
async def theirs(store: str, clock: Ahead, tmp_path: Path) -> AsyncIterator[Sobremesa]:
    """Documented rows in a table that was there before us."""
    engine = await open_engine(store, clock=clock)
    await engine.create_table()
    samples = [item for _, item in (*CONVERSATIONS.values(), COMMUNITIES["the test user"])]
    users = [
        row(f"USER#{who}", "PROFILE", f"EMAIL#{who}@example.com", f"USER#{who}", userId=who, username=f"name_{who}")
        for who in ("u_01", "u_02", "u_03")
    ]
    # A file is always our own; in DynamoDB the origin is detected.
    noted = [TableOrigin(noticed_at=EPOCH).to_item(Layout())] if store.startswith("sqlite") else []
    await put(engine, *samples, *users, *noted)
    await engine.close()
    settings = Settings(rate_limits="off", files=(tmp_path / "files").as_uri())
    async with Sobremesa.open(store, settings=settings, clock=clock, background=False) as app:
        yield app


async def test_table_of_another_program_is_recognized_until_it_is_adopted(theirs: Sobremesa) -> None:
    assert await theirs.table.get(origin_of_table()) is not None
    assert not await theirs.store.origin.is_complete()

    await theirs.adopting().adopt()

    assert await theirs.store.origin.is_complete()


async def test_own_table_is_complete_and_makes_no_extra_reads(app: Sobremesa) -> None:
    assert await app.table.get(origin_of_table()) is None
    with requests(app) as asked:
        assert await app.store.origin.is_complete()
        await app.conversations.list_conversations(actor_of("ana"), limit=10)

    assert asked == {"query": 2}


async def test_empty_table_created_beforehand_is_our_own(store: str, clock: Ahead, tmp_path: Path) -> None:
    """As `sobremesa table create` makes it."""
    engine = await open_engine(store, clock=clock)
    await engine.create_table()
    await engine.close()
    settings = Settings(rate_limits="off", files=(tmp_path / "files").as_uri())
    for _ in range(2):
        async with Sobremesa.open(store, settings=settings, clock=clock, background=False) as app:
            assert await app.store.origin.is_complete()
            assert await app.table.get(origin_of_table()) is None
            await app.communities.create_server(actor_of("ana"), name="The first one")


async def test_conversations_are_listed_by_the_documented_index(theirs: Sobremesa) -> None:
    rows, cursor = await theirs.conversations.list_conversations(ANA, limit=10)

    assert ([one.seat.room_id for one in rows], cursor) == ([GROUP, DIRECT], None)
    assert rows[1].other is not None
    assert rows[1].other.username == "name_u_03"
    assert [one.seat.room_id for one in (await theirs.conversations.list_conversations(BEN, limit=10))[0]] == [GROUP]


async def test_pages_of_the_list_neither_skip_nor_repeat(theirs: Sobremesa) -> None:
    created = await theirs.conversations.create_direct(ANA, BEN.user_id)
    await theirs.conversations.send(ANA, created.conversation_id, Draft("hello"))

    listed, cursor = await theirs.conversations.list_conversations(ANA, limit=1)
    while cursor is not None:
        page, cursor = await theirs.conversations.list_conversations(ANA, limit=1, cursor=cursor)
        listed += page

    assert [one.seat.room_id for one in listed] == [created.conversation_id, GROUP, DIRECT]


async def test_conversation_of_a_pair_is_found_and_no_second_one_is_created(theirs: Sobremesa) -> None:
    for one, other in ((ANA, EVE), (EVE, ANA)):
        created = await theirs.conversations.create_direct(one, other.user_id)
        assert (created.conversation_id, created.is_new) == (DIRECT, False)

    lower, higher = sorted((ANA.user_id, EVE.user_id))
    claim = await theirs.table.get(direct_between(lower=lower, higher=higher))
    assert claim is not None
    assert claim.room_id == DIRECT
    assert (await theirs.conversations.create_direct(ANA, BEN.user_id)).is_new


async def test_username_assigned_by_another_writer_cannot_be_registered(theirs: Sobremesa) -> None:
    with pytest.raises(UsernameTaken):
        await theirs.accounts.register(email="new@example.com", username="TestUser", password="a long password")

    created = await theirs.accounts.register(email="new@example.com", username="free", password="a long password")
    with pytest.raises(UsernameTaken):
        await theirs.accounts.change_profile(Actor.of_user(created.user.user_id, "free"), username="name_u_02")


async def test_users_are_found_by_their_names(theirs: Sobremesa) -> None:
    found = await theirs.accounts.find_by_username("TESTUSER")

    assert found is not None
    assert found.user_id == TESTUSER.user_id
    assert await theirs.accounts.find_by_username("nobody") is None


async def test_seats_added_by_another_writer_get_an_inbox_entry(app: Sobremesa) -> None:
    """Also in a table of ours, for as long as that program writes to it."""
    await put(app.table.engine, *(item for _, item in CONVERSATIONS.values()))

    await app.change_consumer.catch_up()

    assert [one.seat.room_id for one in (await app.conversations.list_conversations(ANA, limit=10))[0]] == [
        GROUP,
        DIRECT,
    ]
