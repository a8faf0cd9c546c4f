"""Deletion of an account: removed from every group, and masked in all messages."""

from __future__ import annotations

import pytest

from communities.conftest import Ahead
from communities.environment import PASSWORD, register, rows
from conversations.users import Users
from sobremesa.core.actor import DELETED_NAME
from sobremesa.core.errors import NotFound

NAME = "zebedee"


async def test_deleted_user_is_removed_from_groups_and_masked_in_messages(users: Users, clock: Ahead) -> None:
    app, talks = users.app, users.app.conversations
    zeb = await register(app, NAME)
    direct = await users.direct(zeb, users.ana)
    owned = await users.group(zeb, users.ben, users.cleo)
    left = await users.group(users.ana, zeb)
    for room_id in (direct, owned, left):
        await users.send(zeb, room_id, f"I posted this in {room_id}")
    await app.conversations.participants.remove(zeb, left, zeb.user_id)

    await app.accounts.delete_me(zeb, password=PASSWORD)
    [masked] = (await talks.page(users.ana, direct, limit=5)).messages
    assert masked.username == DELETED_NAME, "before anything was cleaned up"
    await app.jobs.run_pending(app.handlers)
    clock.move(seconds=5)

    for who, room_id in ((users.ana, direct), (users.ben, owned), (users.ana, left)):
        [message] = (await talks.page(who, room_id, limit=5)).messages
        assert (message.username, message.content) == (DELETED_NAME, f"I posted this in {room_id}")
    assert not await rows(app, NAME)
    seats, _ = await app.conversations.participants.list_participants(users.ben, owned, limit=10)
    assert {seat.user_id: seat.role for seat in seats} in (
        {users.ben.user_id: "admin", users.cleo.user_id: "member"},
        {users.ben.user_id: "member", users.cleo.user_id: "admin"},
    ), "another participant is the admin now"
    [row] = [row for row in await users.inbox(users.ana) if row.seat.room_id == direct]
    assert row.other is not None
    assert row.other.username == DELETED_NAME
    with pytest.raises(NotFound):
        await talks.page(zeb, owned, limit=1)


async def test_group_is_removed_when_its_last_participant_is_deleted(users: Users) -> None:
    zeb = await register(users.app, NAME)
    alone = await users.group(zeb)
    await users.send(zeb, alone, "Only me here")

    await users.app.accounts.delete_me(zeb, password=PASSWORD)
    for _ in range(3):
        await users.app.jobs.run_pending(users.app.handlers)

    assert not await rows(users.app, "Only me here")


async def test_export_has_all_messages_and_reactions_of_a_user(users: Users) -> None:
    zeb = await register(users.app, NAME)
    room_id = await users.direct(zeb, users.ana)
    theirs = await users.send(users.ana, room_id, "not zeb's")
    await users.send(zeb, room_id, "zeb's own words")
    await users.app.conversations.react(zeb, room_id, theirs.message_id, "👍")

    lines = [line async for line in users.app.accounts.export(zeb)]

    assert {"kind": "participant", "convoId": room_id}.items() <= next(
        line for line in lines if line["kind"] == "participant"
    ).items()
    assert [line["content"] for line in lines if line["kind"] == "message"] == ["zeb's own words"]
    assert [line["emoji"] for line in lines if line["kind"] == "reaction"] == ["👍"]
