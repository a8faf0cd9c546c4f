"""Participants of groups: a group always has an admin, also when admins leave at the same time."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from communities.world import rows
from conversations.company import Company, known
from sobremesa.core.actor import UserId
from sobremesa.core.errors import Forbidden, NotFound
from sobremesa.domains.conversations.entities import (
    Conversation,
    ConversationId,
    Participant,
    conversation_by_id,
    move_in_inbox,
)
from sobremesa.domains.conversations.errors import (
    AlreadyParticipant,
    BlockedByRecipient,
    ChangedMeanwhile,
    DirectIsFixed,
    LastAdmin,
    UnknownUsers,
)
from sobremesa.domains.conversations.service import BIG_ABOVE
from sobremesa.rooms.sending import Draft
from sobremesa.table import Put


async def roles(people: Company, room_id: ConversationId) -> dict[str, str]:
    found = await rows(people.app, "PARTICIPANT#")
    return {row["userId"]: row["role"] for row in found if row["convoId"] == room_id}


async def head(people: Company, room_id: ConversationId) -> Conversation:
    found = await people.app.table.get(conversation_by_id(room_id=room_id))
    assert found is not None
    return found


async def test_admin_adds_a_participant_who_reads_and_sends(people: Company) -> None:
    room_id = await people.group(people.ana, people.ben)
    await people.say(people.ana, room_id, "Cleo is on her way")

    seat = await people.app.conversation_participants.add(people.ana, room_id, people.cleo.user_id)

    assert seat.role == "member"
    assert await people.unread(people.cleo, room_id) == 0
    await people.say(people.cleo, room_id, "Here I am")
    assert (await head(people, room_id)).participants == 3


async def test_participant_cannot_be_added_twice(people: Company) -> None:
    room_id = await people.group(people.ana, people.ben)
    results: list[Any] = await asyncio.gather(
        *(people.app.conversation_participants.add(people.ana, room_id, people.cleo.user_id) for _ in range(5)),
        return_exceptions=True,
    )

    assert sum(isinstance(result, Participant) for result in results) == 1
    assert all(isinstance(result, Participant | AlreadyParticipant | ChangedMeanwhile) for result in results)
    assert (await head(people, room_id)).participants == 3


async def test_existing_participant_is_refused_also_at_the_size_limit(people: Company) -> None:
    guests = await known(people.app, *(f"guest{number}" for number in range(BIG_ABOVE - 1)))
    for room_id in (await people.group(), await people.group(people.ana, *guests)):
        with pytest.raises(AlreadyParticipant):
            await people.app.conversation_participants.add(people.ana, room_id, people.ana.user_id)

    with pytest.raises(AlreadyParticipant):
        await people.app.conversation_participants.add(people.ana, room_id, guests[0].user_id)
    assert not (await head(people, room_id)).is_big


async def test_member_cannot_add_or_remove_participants(people: Company) -> None:
    room_id = await people.group()

    with pytest.raises(Forbidden):
        await people.app.conversation_participants.add(people.ben, room_id, people.cleo.user_id)
    with pytest.raises(Forbidden):
        await people.app.conversation_participants.remove(people.ben, room_id, people.cleo.user_id)
    with pytest.raises(Forbidden):
        await people.app.conversation_participants.change_role(people.ben, room_id, people.ben.user_id, role="admin")
    with pytest.raises(Forbidden):
        await people.app.conversations.rename(people.ben, room_id, name="Mine")


async def test_unknown_user_or_one_who_blocked_the_admin_is_not_added(people: Company) -> None:
    room_id = await people.group(people.ana, people.ben)
    await people.app.accounts.block(people.cleo, people.ana.user_id)

    with pytest.raises(UnknownUsers):
        await people.app.conversation_participants.add(people.ana, room_id, UserId("nobody"))
    with pytest.raises(BlockedByRecipient):
        await people.app.conversation_participants.add(people.ana, room_id, people.cleo.user_id)

    assert (await head(people, room_id)).participants == 2


async def test_removed_participant_reads_and_sends_no_more(people: Company) -> None:
    room_id = await people.group()
    await people.say(people.ben, room_id, "Bye")

    await people.app.conversation_participants.remove(people.ana, room_id, people.ben.user_id)

    with pytest.raises(NotFound):
        await people.app.conversation_rooms.page(people.ben, room_id, limit=1)
    with pytest.raises(NotFound):
        await people.app.conversation_rooms.send(people.ben, room_id, Draft("One more thing"))
    assert await people.inbox(people.ben) == []
    assert await roles(people, room_id) == {people.ana.user_id: "admin", people.cleo.user_id: "member"}


async def test_last_admin_cannot_leave_before_there_is_another(people: Company) -> None:
    room_id = await people.group()

    with pytest.raises(LastAdmin):
        await people.app.conversation_participants.remove(people.ana, room_id, people.ana.user_id)
    with pytest.raises(LastAdmin):
        await people.app.conversation_participants.change_role(people.ana, room_id, people.ana.user_id, role="member")

    await people.app.conversation_participants.change_role(people.ana, room_id, people.ben.user_id, role="admin")
    await people.app.conversation_participants.remove(people.ana, room_id, people.ana.user_id)
    assert await roles(people, room_id) == {people.ben.user_id: "admin", people.cleo.user_id: "member"}


async def test_one_of_two_admins_who_leave_at_once_is_refused(people: Company) -> None:
    for _ in range(5):
        room_id = await people.group()
        await people.app.conversation_participants.change_role(people.ana, room_id, people.ben.user_id, role="admin")

        results = await asyncio.gather(
            people.app.conversation_participants.remove(people.ana, room_id, people.ana.user_id),
            people.app.conversation_participants.remove(people.ben, room_id, people.ben.user_id),
            return_exceptions=True,
        )

        assert sorted(map(type, results), key=str) == sorted([type(None), LastAdmin], key=str)
        assert "admin" in (await roles(people, room_id)).values()


async def test_one_of_two_admins_who_demote_each_other_is_refused(people: Company) -> None:
    room_id = await people.group()
    await people.app.conversation_participants.change_role(people.ana, room_id, people.ben.user_id, role="admin")

    await asyncio.gather(
        people.app.conversation_participants.change_role(people.ana, room_id, people.ben.user_id, role="member"),
        people.app.conversation_participants.change_role(people.ben, room_id, people.ana.user_id, role="member"),
        return_exceptions=True,
    )

    assert list((await roles(people, room_id)).values()).count("admin") == 1
    assert (await head(people, room_id)).admins == 1


async def test_group_is_removed_after_its_last_participant_leaves(people: Company) -> None:
    room_id = await people.group(people.ana)
    await people.say(people.ana, room_id, "Anybody?")

    await people.app.conversation_participants.remove(people.ana, room_id, people.ana.user_id)
    await people.app.jobs.run_pending(people.app.handlers)

    assert [row["sk"] for row in await rows(people.app, room_id)] == [f"FORMER#CONVO#{room_id}"]


async def test_direct_conversation_keeps_its_two_participants(people: Company) -> None:
    room_id = await people.direct(people.ana, people.ben)

    with pytest.raises(DirectIsFixed):
        await people.app.conversation_participants.add(people.ana, room_id, people.cleo.user_id)
    with pytest.raises(DirectIsFixed):
        await people.app.conversation_participants.remove(people.ana, room_id, people.ana.user_id)
    with pytest.raises(DirectIsFixed):
        await people.app.conversations.rename(people.ana, room_id, name="Us")


async def test_eleventh_participant_makes_a_group_big_for_all(people: Company) -> None:
    guests = await known(people.app, *(f"guest{number}" for number in range(BIG_ABOVE + 1)))
    room_id = await people.group(people.ana, *guests[: BIG_ABOVE - 1])
    assert not (await head(people, room_id)).is_big

    await people.app.conversation_participants.add(people.ana, room_id, guests[-2].user_id)
    await people.app.conversation_participants.add(people.ana, room_id, guests[-1].user_id)

    seats = [row for row in await rows(people.app, "PARTICIPANT#") if row["convoId"] == room_id]
    assert len(seats) == BIG_ABOVE + 2
    assert {row["gsi2sk"] for row in seats} == {f"BIGCONVO#{room_id}"}
    await people.say(guests[-1], room_id, "Crowded")
    assert await people.preview(guests[0], room_id) == "Crowded"


async def test_group_that_becomes_big_during_an_inbox_move_is_big_for_all(
    people: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    guests = await known(people.app, *(f"guest{number}" for number in range(BIG_ABOVE)))
    room_id = await people.group(people.ana, *guests[: BIG_ABOVE - 1])
    await people.say(people.ana, room_id, "Nearly crowded")
    write, grown = people.app.table.write, list[bool]()

    async def growing(*operations: Any, **options: Any) -> Any:
        if options["pattern"] is move_in_inbox and not grown:
            grown.append(True)
            await people.app.conversation_participants.add(people.ana, room_id, guests[-1].user_id)
        return await write(*operations, **options)

    monkeypatch.setattr(people.app.table, "write", growing)
    await people.app.change_consumer.catch_up()

    seats = [row for row in await rows(people.app, "PARTICIPANT#") if row["convoId"] == room_id]
    assert grown
    assert {row["gsi2sk"] for row in seats} == {f"BIGCONVO#{room_id}"}


async def test_group_of_another_writer_is_counted_at_its_first_change(people: Company) -> None:
    room_id = ConversationId("c_01")
    await people.app.table.write_many(
        [
            Put(Conversation(room_id=room_id, type="group", name="Project Chat")),
            Put(Participant(room_id=room_id, user_id=people.ana.user_id, role="admin", last_message_at=None)),
            Put(Participant(room_id=room_id, user_id=people.ben.user_id)),
        ]
    )

    with pytest.raises(LastAdmin):
        await people.app.conversation_participants.remove(people.ana, room_id, people.ana.user_id)
    await people.app.conversation_participants.add(people.ana, room_id, people.cleo.user_id, role="admin")

    assert (await head(people, room_id)).participants == 3
    assert (await head(people, room_id)).admins == 2
