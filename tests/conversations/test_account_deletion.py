"""Deletion of an account: removed from every group, and masked in all messages."""

from __future__ import annotations

import pytest

from communities.conftest import Ahead
from communities.world import PASSWORD, register, rows
from conversations.company import Company
from sobremesa.core.actor import DELETED_NAME
from sobremesa.core.errors import NotFound

NAME = "zebedee"


async def test_deleted_user_is_removed_from_groups_and_masked_in_messages(people: Company, clock: Ahead) -> None:
    app, talks = people.app, people.app.conversation_rooms
    zeb = await register(app, NAME)
    direct = await people.direct(zeb, people.ana)
    owned = await people.group(zeb, people.ben, people.cleo)
    left = await people.group(people.ana, zeb)
    for room_id in (direct, owned, left):
        await people.say(zeb, room_id, f"I posted this in {room_id}")
    await app.conversation_participants.remove(zeb, left, zeb.user_id)

    await app.accounts.delete_me(zeb, password=PASSWORD)
    [masked] = (await talks.page(people.ana, direct, limit=5)).messages
    assert masked.username == DELETED_NAME, "before anything was cleaned up"
    await app.jobs.run_pending(app.handlers)
    clock.move(seconds=5)

    for who, room_id in ((people.ana, direct), (people.ben, owned), (people.ana, left)):
        [message] = (await talks.page(who, room_id, limit=5)).messages
        assert (message.username, message.content) == (DELETED_NAME, f"I posted this in {room_id}")
    assert not await rows(app, NAME)
    seats, _ = await app.conversation_participants.list_participants(people.ben, owned, limit=10)
    assert {seat.user_id: seat.role for seat in seats} in (
        {people.ben.user_id: "admin", people.cleo.user_id: "member"},
        {people.ben.user_id: "member", people.cleo.user_id: "admin"},
    ), "another participant is the admin now"
    [row] = [row for row in await people.inbox(people.ana) if row.seat.room_id == direct]
    assert row.other is not None
    assert row.other.username == DELETED_NAME
    with pytest.raises(NotFound):
        await talks.page(zeb, owned, limit=1)


async def test_group_is_removed_when_its_last_participant_is_deleted(people: Company) -> None:
    zeb = await register(people.app, NAME)
    alone = await people.group(zeb)
    await people.say(zeb, alone, "Only me here")

    await people.app.accounts.delete_me(zeb, password=PASSWORD)
    for _ in range(3):
        await people.app.jobs.run_pending(people.app.handlers)

    assert not await rows(people.app, "Only me here")


async def test_export_has_all_messages_and_reactions_of_a_user(people: Company) -> None:
    zeb = await register(people.app, NAME)
    room_id = await people.direct(zeb, people.ana)
    theirs = await people.say(people.ana, room_id, "not zeb's")
    await people.say(zeb, room_id, "zeb's own words")
    await people.app.conversation_rooms.react(zeb, room_id, theirs.message_id, "👍")

    lines = [line async for line in people.app.accounts.export(zeb)]

    assert {"kind": "participant", "convoId": room_id}.items() <= next(
        line for line in lines if line["kind"] == "participant"
    ).items()
    assert [line["content"] for line in lines if line["kind"] == "message"] == ["zeb's own words"]
    assert [line["emoji"] for line in lines if line["kind"] == "reaction"] == ["👍"]
