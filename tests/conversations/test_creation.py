"""Creating conversations: one direct conversation per pair, groups with an admin."""

from __future__ import annotations

import asyncio

import pytest

from communities.world import person, rows
from conversations.company import Company, known
from sobremesa.core.actor import UserId
from sobremesa.core.errors import NotFound
from sobremesa.domains.conversations.errors import BlockedByRecipient, InvalidParticipants, UnknownUsers
from sobremesa.domains.conversations.service import MAX_OTHERS
from sobremesa.rooms.sending import Draft


async def test_two_users_have_one_direct_conversation(people: Company) -> None:
    first = await people.app.conversations.create_direct(people.ana, people.ben.user_id)
    again = await people.app.conversations.create_direct(people.ana, people.ben.user_id)
    back = await people.app.conversations.create_direct(people.ben, people.ana.user_id)

    assert first.is_new
    assert not again.is_new
    assert not back.is_new
    assert first.conversation_id == again.conversation_id == back.conversation_id


async def test_concurrent_creations_give_a_pair_one_conversation(people: Company) -> None:
    create = people.app.conversations.create_direct
    created = await asyncio.gather(
        *(create(people.ana, people.ben.user_id) for _ in range(10)),
        *(create(people.ben, people.ana.user_id) for _ in range(10)),
    )

    assert len({one.conversation_id for one in created}) == 1
    assert sum(one.is_new for one in created) == 1
    heads = [row for row in await rows(people.app, "#METADATA") if row["sk"] == "#METADATA"]
    assert len(heads) == 1


async def test_user_cannot_create_a_direct_conversation_with_themselves(people: Company) -> None:
    with pytest.raises(InvalidParticipants):
        await people.app.conversations.create_direct(people.ana, people.ana.user_id)


async def test_unknown_user_cannot_be_a_participant(people: Company) -> None:
    with pytest.raises(UnknownUsers) as unknown:
        await people.app.conversations.create_direct(people.ana, UserId("nobody"))
    assert unknown.value.data == {"user_ids": ["nobody"]}

    with pytest.raises(UnknownUsers):
        await people.app.conversations.create_group(people.ana, [people.ben.user_id, UserId("nobody")])
    assert await people.inbox(people.ben) == []


async def test_blocked_user_cannot_reach_the_blocker(people: Company) -> None:
    await people.app.accounts.block(people.ben, people.ana.user_id)

    with pytest.raises(BlockedByRecipient):
        await people.direct(people.ana, people.ben)
    with pytest.raises(BlockedByRecipient):
        await people.group(people.ana, people.ben)


async def test_block_refuses_sends_in_a_direct_conversation_until_it_is_lifted(
    people: Company,
) -> None:
    room_id = await people.direct(people.ana, people.ben)
    await people.say(people.ana, room_id, "Hello?")

    await people.app.accounts.block(people.ben, people.ana.user_id)
    for _ in range(2):
        with pytest.raises(BlockedByRecipient):
            await people.say(people.ana, room_id, "Are you there?")
    assert (await people.app.conversation_rooms.page(people.ana, room_id, limit=10)).messages[0].content == "Hello?"

    await people.app.accounts.unblock(people.ben, people.ana.user_id)
    await people.say(people.ana, room_id, "Thank you.")


async def test_creator_of_a_group_is_its_admin_and_the_others_are_members(people: Company) -> None:
    room_id = await people.group(name="Lunch")

    seats, _ = await people.app.conversation_participants.list_participants(people.ben, room_id, limit=50)

    assert {seat.user_id: seat.role for seat in seats} == {
        people.ana.user_id: "admin",
        people.ben.user_id: "member",
        people.cleo.user_id: "member",
    }


async def test_group_is_created_with_ninety_others(people: Company) -> None:
    others = await known(people.app, *(f"guest{number}" for number in range(MAX_OTHERS)))

    room_id = await people.group(people.ana, *others)

    assert (await people.app.conversation_rooms.unread(others[-1], room_id)).count == 0
    [row] = await people.inbox(others[0])
    assert row.seat.conversation.participants == MAX_OTHERS + 1


async def test_repeated_idempotency_key_creates_one_group(people: Company) -> None:
    async def create() -> str:
        others = [people.ben.user_id]
        return (await people.app.conversations.create_group(people.ana, others, name="x", key="k")).conversation_id

    assert len(set(await asyncio.gather(*(create() for _ in range(5))))) == 1


async def test_send_of_a_non_participant_creates_no_seat(people: Company) -> None:
    room_id = await people.direct(people.ana, people.ben)

    with pytest.raises(NotFound):
        await people.app.conversation_rooms.send(people.cleo, room_id, Draft("Let me in"))

    assert not await rows(people.app, f"PARTICIPANT#{people.cleo.user_id}")
    with pytest.raises(NotFound):
        await people.app.conversation_rooms.mark_read(
            people.cleo, room_id, (await people.say(people.ana, room_id, "x")).message_id
        )
    assert not await rows(people.app, f"PARTICIPANT#{people.cleo.user_id}")


async def test_conversation_is_not_found_by_non_participants(people: Company) -> None:
    room_id = await people.direct(people.ana, people.ben)
    stranger = person("sam")

    for where in (room_id, "01ARZ3NDEKTSV4RRFFQ69G5FAV"):
        with pytest.raises(NotFound) as refused:
            await people.app.conversation_rooms.page(stranger, where, limit=1)  # type: ignore[arg-type]
        assert str(refused.value) == NotFound.says
