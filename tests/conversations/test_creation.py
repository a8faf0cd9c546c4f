"""Creating conversations: one direct conversation per pair, groups with an admin."""

from __future__ import annotations

import asyncio

import pytest

from communities.environment import actor_of, rows
from conversations.users import Users, known
from sobremesa.core.actor import UserId
from sobremesa.core.errors import NotFound, UnknownUsers
from sobremesa.domains.conversations.errors import BlockedByRecipient, InvalidParticipants
from sobremesa.domains.conversations.service import MAX_OTHERS
from sobremesa.rooms.sending import Draft


async def test_two_users_have_one_direct_conversation(users: Users) -> None:
    first = await users.app.conversations.create_direct(users.ana, users.ben.user_id)
    again = await users.app.conversations.create_direct(users.ana, users.ben.user_id)
    back = await users.app.conversations.create_direct(users.ben, users.ana.user_id)

    assert first.is_new
    assert not again.is_new
    assert not back.is_new
    assert first.conversation_id == again.conversation_id == back.conversation_id


async def test_concurrent_creations_give_a_pair_one_conversation(users: Users) -> None:
    create = users.app.conversations.create_direct
    created = await asyncio.gather(
        *(create(users.ana, users.ben.user_id) for _ in range(10)),
        *(create(users.ben, users.ana.user_id) for _ in range(10)),
    )

    assert len({one.conversation_id for one in created}) == 1
    assert sum(one.is_new for one in created) == 1
    heads = [row for row in await rows(users.app, "#METADATA") if row["sk"] == "#METADATA"]
    assert len(heads) == 1


async def test_user_cannot_create_a_direct_conversation_with_themselves(users: Users) -> None:
    with pytest.raises(InvalidParticipants):
        await users.app.conversations.create_direct(users.ana, users.ana.user_id)


async def test_unknown_user_cannot_be_a_participant(users: Users) -> None:
    with pytest.raises(UnknownUsers) as unknown:
        await users.app.conversations.create_direct(users.ana, UserId("nobody"))
    assert unknown.value.data == {"user_ids": ["nobody"]}

    with pytest.raises(UnknownUsers):
        await users.app.conversations.create_group(users.ana, [users.ben.user_id, UserId("nobody")])
    assert await users.inbox(users.ben) == []


async def test_blocked_user_cannot_reach_the_blocker(users: Users) -> None:
    await users.app.accounts.block(users.ben, users.ana.user_id)

    with pytest.raises(BlockedByRecipient):
        await users.direct(users.ana, users.ben)
    with pytest.raises(BlockedByRecipient):
        await users.group(users.ana, users.ben)


async def test_block_refuses_sends_in_a_direct_conversation_until_it_is_lifted(
    users: Users,
) -> None:
    room_id = await users.direct(users.ana, users.ben)
    await users.send(users.ana, room_id, "Hello?")

    await users.app.accounts.block(users.ben, users.ana.user_id)
    for _ in range(2):
        with pytest.raises(BlockedByRecipient):
            await users.send(users.ana, room_id, "Are you there?")
    assert (await users.app.conversations.page(users.ana, room_id, limit=10)).messages[0].content == "Hello?"

    await users.app.accounts.unblock(users.ben, users.ana.user_id)
    await users.send(users.ana, room_id, "Thank you.")


async def test_creator_of_a_group_is_its_admin_and_the_others_are_members(users: Users) -> None:
    room_id = await users.group(name="Lunch")

    seats, _ = await users.app.conversations.participants.list_participants(users.ben, room_id, limit=50)

    assert {seat.user_id: seat.role for seat in seats} == {
        users.ana.user_id: "admin",
        users.ben.user_id: "member",
        users.cleo.user_id: "member",
    }


async def test_group_is_created_with_ninety_others(users: Users) -> None:
    others = await known(users.app, *(f"guest{number}" for number in range(MAX_OTHERS)))

    room_id = await users.group(users.ana, *others)

    assert (await users.app.conversations.unread(others[-1], room_id)).count == 0
    [row] = await users.inbox(others[0])
    assert row.seat.conversation.participants == MAX_OTHERS + 1


async def test_repeated_idempotency_key_creates_one_group(users: Users) -> None:
    async def create() -> str:
        others = [users.ben.user_id]
        return (await users.app.conversations.create_group(users.ana, others, name="x", key="k")).conversation_id

    assert len(set(await asyncio.gather(*(create() for _ in range(5))))) == 1


async def test_send_of_a_non_participant_creates_no_seat(users: Users) -> None:
    room_id = await users.direct(users.ana, users.ben)

    with pytest.raises(NotFound):
        await users.app.conversations.send(users.cleo, room_id, Draft("Let me in"))

    assert not await rows(users.app, f"PARTICIPANT#{users.cleo.user_id}")
    with pytest.raises(NotFound):
        await users.app.conversations.mark_read(
            users.cleo, room_id, (await users.send(users.ana, room_id, "x")).message_id
        )
    assert not await rows(users.app, f"PARTICIPANT#{users.cleo.user_id}")


async def test_conversation_is_not_found_by_non_participants(users: Users) -> None:
    room_id = await users.direct(users.ana, users.ben)
    stranger = actor_of("sam")

    for where in (room_id, "01ARZ3NDEKTSV4RRFFQ69G5FAV"):
        with pytest.raises(NotFound) as refused:
            await users.app.conversations.page(stranger, where, limit=1)  # type: ignore[arg-type]
        assert str(refused.value) == NotFound.default_detail
