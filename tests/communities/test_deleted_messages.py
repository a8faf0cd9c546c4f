"""A deleted message leaves a tombstone without pin and reactions."""

from __future__ import annotations

import asyncio

import pytest

from communities.environment import Community, rows
from conversations.users import known
from sobremesa.app import Sobremesa
from sobremesa.core.clock import EPOCH
from sobremesa.core.errors import NotFound
from sobremesa.rooms import pins
from sobremesa.rooms.sending import Draft
from sobremesa.table import Put
from sobremesa.table.values import Item

BELONGINGS = {"Pin", "Reaction", "ReactionSummary"}


async def belongings(app: Sobremesa, message_id: str) -> list[Item]:
    """The rows that belong to a message."""
    return [item for item in await rows(app, message_id) if item["entityType"] in BELONGINGS]


async def test_deleting_a_message_removes_its_pin_and_reactions(community: Community) -> None:
    app, channels, room = community.app, community.app.communities, community.channel_id
    gone, stays = [(await community.send(community.owner, text)).message_id for text in ("gone", "stays")]
    for message_id in (gone, stays):
        await channels.pin(community.owner, room, message_id)
        await asyncio.gather(
            *(channels.react(who, room, message_id, emoji) for who in community.members.values() for emoji in "👍🎉")
        )

    await channels.delete_message(community.owner, room, gone)

    assert {item["entityType"] for item in await belongings(app, gone)} == {"Reaction", "ReactionSummary"}
    assert await app.jobs.run_pending(app.handlers) == 1
    assert await belongings(app, gone) == []
    assert len(await belongings(app, stays)) == 1 + 8 + 2
    pinned, _ = await channels.list_pins(community.member, room, limit=10, cursor=None)
    assert [pin.message.message_id for pin in pinned] == [stays]


async def test_deleting_a_message_without_reactions_enqueues_no_job(community: Community) -> None:
    message_id = (await community.send(community.owner, "gone")).message_id
    await community.app.communities.delete_message(community.owner, community.channel_id, message_id)

    assert await community.app.jobs.run_pending(community.app.handlers) == 0


async def test_deleting_a_conversation_message_removes_its_pin_and_reactions(app: Sobremesa) -> None:
    ana, ben = await known(app, "ana", "ben")
    room = (await app.conversations.create_direct(ana, ben.user_id)).conversation_id
    message_id = (await app.conversations.send(ana, room, Draft("gone"))).message_id
    await app.conversations.pin(ben, room, message_id)
    await app.conversations.react(ben, room, message_id, "👍")

    await app.conversations.delete_message(ana, room, message_id)
    await app.jobs.run_pending(app.handlers)

    assert await belongings(app, message_id) == []


async def test_pins_of_deleted_messages_do_not_use_up_the_limit(
    community: Community, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pins, "MAX_PINS", 2)
    channels, room = community.app.communities, community.channel_id
    posted = [(await community.send(community.owner, str(number))).message_id for number in range(5)]
    for message_id in posted[:2]:
        await channels.pin(community.owner, room, message_id)
        await channels.delete_message(community.owner, room, message_id)
    # What an older version left: the pin of a message that is deleted.
    leftover = channels.kind.pin(room_id=room, message_id=posted[0], pinned_by=community.owner.user_id, pinned_at=EPOCH)
    await community.app.table.write_many([Put(leftover)])

    for message_id in posted[2:4]:
        await channels.pin(community.owner, room, message_id)

    pinned, _ = await channels.list_pins(community.member, room, limit=10, cursor=None)
    assert [pin.message.message_id for pin in pinned] == [posted[3], posted[2]]
    assert await belongings(community.app, posted[0]) == []


async def test_message_pinned_and_deleted_at_once_has_no_pin(community: Community) -> None:
    channels, room = community.app.communities, community.channel_id
    for number in range(4):
        message_id = (await community.send(community.owner, str(number))).message_id
        pinned, deleted = await asyncio.gather(
            channels.pin(community.admin, room, message_id),
            channels.delete_message(community.owner, room, message_id),
            return_exceptions=True,
        )

        assert pinned is None or isinstance(pinned, NotFound)
        assert deleted is None
        assert await belongings(community.app, message_id) == []
