"""Missed events are replayed with their current content: nothing that was deleted, edited or blocked since."""

from __future__ import annotations

from contextlib import AsyncExitStack

import pytest

from api.conftest import ENGINES, store_of
from gateway.conftest import LongTable
from gateway.test_membership import texts
from gateway.town import Town
from sobremesa.core.actor import Actor
from sobremesa.core.ids import MessageId, RoomId
from sobremesa.rooms.sending import Draft


@pytest.fixture(params=ENGINES)
def store(request: pytest.FixtureRequest) -> str:
    """All tests run on both engines."""
    return store_of(request.param, request)


async def block(town: Town, table: LongTable, message_id: MessageId) -> None:
    await town.app.channels.report(table.carl.actor, table.channel_id, message_id, "nasty")
    admin = Actor(user=table.ana.user.user_id, username="ana", is_admin=True)
    [case], _ = await town.app.review.list_cases(admin, state="open", limit=10, cursor=None)
    await town.app.review.decide(admin, case.case_id, "block", note=None)


@pytest.mark.parametrize("has_subscriber", [True, False])
async def test_resume_shows_messages_as_they_are_now(town: Town, table: LongTable, has_subscriber: bool) -> None:
    channels, room, carl = town.app.channels, table.channel_id, table.carl
    async with AsyncExitStack() as listening:
        async with town.connect(table.bea) as before:
            await before.identify()
        subscriber = await listening.enter_async_context(town.connect(table.ana)) if has_subscriber else None
        if subscriber is not None:
            await subscriber.identify()
        sent = ("taken back", "at first", "nasty", "as it is")
        gone, edited, blocked, kept = [MessageId(await town.send(carl, room, text)) for text in sent]
        await channels.react(table.bea.actor, room, gone, "🍕")
        await channels.delete(carl.actor, room, gone)
        await channels.edit(carl.actor, room, edited, "in the end")
        await block(town, table, blocked)
        last = await town.send(table.ana, room, "last")
        while subscriber is not None and (await subscriber.wait_for("message.created"))["messageId"] != last:
            pass

        async with town.connect(table.bea) as after:
            missed = await after.resume(before)
            deleted = [frame["d"] for frame in missed if frame["t"] == "message.deleted"]
            assert (deleted[0] if deleted else await after.wait_for("message.deleted"))["messageId"] == gone
        polled = (await town.get(table.bea, "/events", after=before.s, wait=0))["items"]

    for frames in (missed, polled):
        created = {
            frame["d"]["messageId"]: frame["d"]["content"] for frame in frames if frame["t"] == "message.created"
        }
        assert created == {edited: "in the end", blocked: "", kept: "as it is", last: "last"}
        assert not any(text in texts(frames) for text in ("taken back", "at first", "nasty", "🍕"))


async def test_author_of_a_blocked_message_receives_its_content_on_replay(town: Town, table: LongTable) -> None:
    async with town.connect(table.carl) as before:
        await before.identify()
    blocked = MessageId(await town.send(table.carl, table.channel_id, "nasty"))
    await block(town, table, blocked)

    async with town.connect(table.carl) as after:
        missed = await after.resume(before)
    assert {frame["d"]["content"] for frame in missed if frame["t"].startswith("message.")} == {"nasty"}


async def test_preview_of_a_deleted_message_is_not_replayed(town: Town, table: LongTable) -> None:
    app, ana, bea = town.app, table.ana.actor, table.bea.user.user_id
    carl = table.carl.user.user_id
    dinner = await app.conversations.create_group(ana, [carl], name="Dinner")
    room = RoomId(dinner.conversation_id)
    sent = (await app.conversation_rooms.send(ana, room, Draft("taken back"))).message_id
    async with town.connect(table.bea) as before, town.connect(table.ana) as other:
        await before.identify()
        await other.identify()
        await before.socket.close()
        await app.conversation_participants.add(ana, room, bea)
        await other.wait_for("participant.joined")
        await app.conversation_rooms.delete(ana, room, sent)

        async with town.connect(table.bea) as after:
            missed = await after.resume(before)
    assert "conversation.created" in {frame["t"] for frame in missed}
    assert "taken back" not in texts(missed)
