"""What was missed is replayed as it is shown now: nothing of what was deleted, edited away or blocked since."""

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
    """All of this holds on both engines."""
    return store_of(request.param, request)


async def block(town: Town, table: LongTable, message_id: MessageId) -> None:
    await town.app.channels.report(table.carl.actor, table.channel_id, message_id, "nasty")
    admin = Actor(user=table.ana.user.user_id, username="ana", is_admin=True)
    [case], _ = await town.app.review.list_cases(admin, state="open", limit=10, cursor=None)
    await town.app.review.decide(admin, case.case_id, "block", note=None)


@pytest.mark.parametrize("somebody_listens", [True, False])
async def test_resume_shows_messages_as_they_are_now(town: Town, table: LongTable, somebody_listens: bool) -> None:
    channels, room, carl = town.app.channels, table.channel_id, table.carl
    async with AsyncExitStack() as listening:
        async with town.visit(table.bea) as before:
            await before.identify()
        listener = await listening.enter_async_context(town.visit(table.ana)) if somebody_listens else None
        if listener is not None:
            await listener.identify()
        said = ("taken back", "at first", "nasty", "as it is")
        gone, edited, blocked, kept = [MessageId(await town.say(carl, room, text)) for text in said]
        await channels.react(table.bea.actor, room, gone, "🍕")
        await channels.delete(carl.actor, room, gone)
        await channels.edit(carl.actor, room, edited, "in the end")
        await block(town, table, blocked)
        last = await town.say(table.ana, room, "last")
        while listener is not None and (await listener.hear("message.created"))["messageId"] != last:
            pass

        async with town.visit(table.bea) as after:
            missed = await after.resume(before)
            deleted = [frame["d"] for frame in missed if frame["t"] == "message.deleted"]
            assert (deleted[0] if deleted else await after.hear("message.deleted"))["messageId"] == gone
        polled = (await town.get(table.bea, "/events", after=before.s, wait=0))["items"]

    for frames in (missed, polled):
        created = {
            frame["d"]["messageId"]: frame["d"]["content"] for frame in frames if frame["t"] == "message.created"
        }
        assert created == {edited: "in the end", blocked: "", kept: "as it is", last: "last"}
        assert not any(text in texts(frames) for text in ("taken back", "at first", "nasty", "🍕"))


async def test_author_of_a_blocked_message_is_replayed_all_of_it(town: Town, table: LongTable) -> None:
    async with town.visit(table.carl) as before:
        await before.identify()
    blocked = MessageId(await town.say(table.carl, table.channel_id, "nasty"))
    await block(town, table, blocked)

    async with town.visit(table.carl) as after:
        missed = await after.resume(before)
    assert {frame["d"]["content"] for frame in missed if frame["t"].startswith("message.")} == {"nasty"}


async def test_preview_of_a_deleted_message_is_not_replayed(town: Town, table: LongTable) -> None:
    app, ana, bea = town.app, table.ana.actor, table.bea.user.user_id
    carl = table.carl.user.user_id
    talk = await app.conversations.create_group(ana, [carl], name="Dinner")
    room = RoomId(talk.conversation_id)
    said = (await app.conversation_rooms.send(ana, room, Draft("taken back"))).message_id
    async with town.visit(table.bea) as before, town.visit(table.ana) as listens:
        await before.identify()
        await listens.identify()
        await before.socket.close()
        await app.conversation_participants.add(ana, room, bea)
        await listens.hear("participant.joined")
        await app.conversation_rooms.delete(ana, room, said)

        async with town.visit(table.bea) as after:
            missed = await after.resume(before)
    assert "conversation.created" in {frame["t"] for frame in missed}
    assert "taken back" not in texts(missed)
