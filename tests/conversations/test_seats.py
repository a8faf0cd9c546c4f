"""Participants of groups: a group always has an admin, also when admins leave at the same time."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from communities.conftest import Ahead
from communities.environment import rows
from conversations.users import Users, known
from sobremesa.core.actor import UserId
from sobremesa.core.errors import AlreadyMember, ChangedMeanwhile, Forbidden, NotFound, UnknownUsers
from sobremesa.domains.conversations.entities import (
    BIG_ABOVE,
    Conversation,
    ConversationId,
    Participant,
    conversation_by_id,
    move_in_inbox,
)
from sobremesa.domains.conversations.errors import BlockedByRecipient, DirectIsFixed, LastAdmin
from sobremesa.rooms.sending import Draft
from sobremesa.table import Put


async def roles(users: Users, room_id: ConversationId) -> dict[str, str]:
    found = await rows(users.app, "PARTICIPANT#")
    return {row["userId"]: row["role"] for row in found if row["convoId"] == room_id}


async def head(users: Users, room_id: ConversationId) -> Conversation:
    found = await users.app.table.get(conversation_by_id(room_id=room_id))
    assert found is not None
    return found


async def test_admin_adds_a_participant_who_reads_and_sends(users: Users) -> None:
    room_id = await users.group(users.ana, users.ben)
    await users.send(users.ana, room_id, "Cleo is on her way")

    seat = await users.app.conversations.participants.add(users.ana, room_id, users.cleo.user_id)

    assert seat.role == "member"
    assert await users.unread(users.cleo, room_id) == 0
    await users.send(users.cleo, room_id, "Here I am")
    assert (await head(users, room_id)).participants == 3


@pytest.mark.parametrize("seconds", [0.0, 5.0])
async def test_new_participant_has_read_what_was_sent_at_the_same_moment_or_later(
    users: Users, clock: Ahead, seconds: float
) -> None:
    clock.stop()
    clock.move(seconds=seconds)
    room_id = await users.group(users.ana, users.ben)
    await users.send(users.ana, room_id, "Cleo is on her way")
    clock.move(seconds=-seconds)

    await users.app.conversations.participants.add(users.ana, room_id, users.cleo.user_id)

    assert await users.unread(users.cleo, room_id) == 0


async def test_participant_cannot_be_added_twice(users: Users) -> None:
    room_id = await users.group(users.ana, users.ben)
    results: list[Any] = await asyncio.gather(
        *(users.app.conversations.participants.add(users.ana, room_id, users.cleo.user_id) for _ in range(5)),
        return_exceptions=True,
    )

    assert sum(isinstance(result, Participant) for result in results) == 1
    assert all(isinstance(result, Participant | AlreadyMember | ChangedMeanwhile) for result in results)
    assert (await head(users, room_id)).participants == 3


async def test_existing_participant_is_refused_also_at_the_size_limit(users: Users) -> None:
    guests = await known(users.app, *(f"guest{number}" for number in range(BIG_ABOVE - 1)))
    for room_id in (await users.group(), await users.group(users.ana, *guests)):
        with pytest.raises(AlreadyMember):
            await users.app.conversations.participants.add(users.ana, room_id, users.ana.user_id)

    with pytest.raises(AlreadyMember):
        await users.app.conversations.participants.add(users.ana, room_id, guests[0].user_id)
    assert not (await head(users, room_id)).is_big


async def test_member_cannot_add_or_remove_participants(users: Users) -> None:
    room_id = await users.group()

    with pytest.raises(Forbidden):
        await users.app.conversations.participants.add(users.ben, room_id, users.cleo.user_id)
    with pytest.raises(Forbidden):
        await users.app.conversations.participants.remove(users.ben, room_id, users.cleo.user_id)
    with pytest.raises(Forbidden):
        await users.app.conversations.participants.change_role(users.ben, room_id, users.ben.user_id, role="admin")
    with pytest.raises(Forbidden):
        await users.app.conversations.rename(users.ben, room_id, name="Mine")


async def test_unknown_user_or_one_who_blocked_the_admin_is_not_added(users: Users) -> None:
    room_id = await users.group(users.ana, users.ben)
    await users.app.accounts.block(users.cleo, users.ana.user_id)

    with pytest.raises(UnknownUsers):
        await users.app.conversations.participants.add(users.ana, room_id, UserId("nobody"))
    with pytest.raises(BlockedByRecipient):
        await users.app.conversations.participants.add(users.ana, room_id, users.cleo.user_id)

    assert (await head(users, room_id)).participants == 2


async def test_removed_participant_reads_and_sends_no_more(users: Users) -> None:
    room_id = await users.group()
    await users.send(users.ben, room_id, "Bye")

    await users.app.conversations.participants.remove(users.ana, room_id, users.ben.user_id)

    with pytest.raises(NotFound):
        await users.app.conversations.page(users.ben, room_id, limit=1)
    with pytest.raises(NotFound):
        await users.app.conversations.send(users.ben, room_id, Draft("One more thing"))
    assert await users.inbox(users.ben) == []
    assert await roles(users, room_id) == {users.ana.user_id: "admin", users.cleo.user_id: "member"}


async def test_last_admin_cannot_leave_before_there_is_another(users: Users) -> None:
    room_id = await users.group()

    with pytest.raises(LastAdmin):
        await users.app.conversations.participants.remove(users.ana, room_id, users.ana.user_id)
    with pytest.raises(LastAdmin):
        await users.app.conversations.participants.change_role(users.ana, room_id, users.ana.user_id, role="member")

    await users.app.conversations.participants.change_role(users.ana, room_id, users.ben.user_id, role="admin")
    await users.app.conversations.participants.remove(users.ana, room_id, users.ana.user_id)
    assert await roles(users, room_id) == {users.ben.user_id: "admin", users.cleo.user_id: "member"}


async def test_one_of_two_admins_who_leave_at_once_is_refused(users: Users) -> None:
    for _ in range(5):
        room_id = await users.group()
        await users.app.conversations.participants.change_role(users.ana, room_id, users.ben.user_id, role="admin")

        results = await asyncio.gather(
            users.app.conversations.participants.remove(users.ana, room_id, users.ana.user_id),
            users.app.conversations.participants.remove(users.ben, room_id, users.ben.user_id),
            return_exceptions=True,
        )

        assert sorted(map(type, results), key=str) == sorted([type(None), LastAdmin], key=str)
        assert "admin" in (await roles(users, room_id)).values()


async def test_one_of_two_admins_who_demote_each_other_is_refused(users: Users) -> None:
    room_id = await users.group()
    await users.app.conversations.participants.change_role(users.ana, room_id, users.ben.user_id, role="admin")

    await asyncio.gather(
        users.app.conversations.participants.change_role(users.ana, room_id, users.ben.user_id, role="member"),
        users.app.conversations.participants.change_role(users.ben, room_id, users.ana.user_id, role="member"),
        return_exceptions=True,
    )

    assert list((await roles(users, room_id)).values()).count("admin") == 1
    assert (await head(users, room_id)).admins == 1


async def test_group_is_removed_after_its_last_participant_leaves(users: Users) -> None:
    room_id = await users.group(users.ana)
    await users.send(users.ana, room_id, "Anybody?")

    await users.app.conversations.participants.remove(users.ana, room_id, users.ana.user_id)
    await users.app.jobs.run_pending(users.app.handlers)

    assert [row["sk"] for row in await rows(users.app, room_id)] == [f"FORMER#CONVO#{room_id}"]


async def test_direct_conversation_keeps_its_two_participants(users: Users) -> None:
    room_id = await users.direct(users.ana, users.ben)

    with pytest.raises(DirectIsFixed):
        await users.app.conversations.participants.add(users.ana, room_id, users.cleo.user_id)
    with pytest.raises(DirectIsFixed):
        await users.app.conversations.participants.remove(users.ana, room_id, users.ana.user_id)
    with pytest.raises(DirectIsFixed):
        await users.app.conversations.rename(users.ana, room_id, name="Us")


async def test_eleventh_participant_makes_a_group_big_for_all(users: Users) -> None:
    guests = await known(users.app, *(f"guest{number}" for number in range(BIG_ABOVE + 1)))
    room_id = await users.group(users.ana, *guests[: BIG_ABOVE - 1])
    assert not (await head(users, room_id)).is_big

    await users.app.conversations.participants.add(users.ana, room_id, guests[-2].user_id)
    await users.app.conversations.participants.add(users.ana, room_id, guests[-1].user_id)

    seats = [row for row in await rows(users.app, "PARTICIPANT#") if row["convoId"] == room_id]
    assert len(seats) == BIG_ABOVE + 2
    assert {row["gsi2sk"] for row in seats} == {f"BIGCONVO#{room_id}"}
    await users.send(guests[-1], room_id, "Crowded")
    assert await users.preview(guests[0], room_id) == "Crowded"


async def test_group_that_becomes_big_during_an_inbox_move_is_big_for_all(
    users: Users, monkeypatch: pytest.MonkeyPatch
) -> None:
    guests = await known(users.app, *(f"guest{number}" for number in range(BIG_ABOVE)))
    room_id = await users.group(users.ana, *guests[: BIG_ABOVE - 1])
    await users.send(users.ana, room_id, "Nearly crowded")
    write, grown = users.app.table.write, list[bool]()

    async def growing(*operations: Any, **options: Any) -> Any:
        if options["pattern"] is move_in_inbox and not grown:
            grown.append(True)
            await users.app.conversations.participants.add(users.ana, room_id, guests[-1].user_id)
        return await write(*operations, **options)

    monkeypatch.setattr(users.app.table, "write", growing)
    await users.app.change_consumer.catch_up()

    seats = [row for row in await rows(users.app, "PARTICIPANT#") if row["convoId"] == room_id]
    assert grown
    assert {row["gsi2sk"] for row in seats} == {f"BIGCONVO#{room_id}"}


async def test_group_of_another_writer_is_counted_at_its_first_change(users: Users) -> None:
    room_id = ConversationId("c_01")
    await users.app.table.write_many(
        [
            Put(Conversation(room_id=room_id, type="group", name="Project Chat")),
            Put(Participant(room_id=room_id, user_id=users.ana.user_id, role="admin", last_message_at=None)),
            Put(Participant(room_id=room_id, user_id=users.ben.user_id)),
        ]
    )

    with pytest.raises(LastAdmin):
        await users.app.conversations.participants.remove(users.ana, room_id, users.ana.user_id)
    await users.app.conversations.participants.add(users.ana, room_id, users.cleo.user_id, role="admin")

    assert (await head(users, room_id)).participants == 3
    assert (await head(users, room_id)).admins == 2
