"""Missed events are replayed with their current content: nothing that was deleted, edited or blocked since."""

from __future__ import annotations

from contextlib import AsyncExitStack

import pytest

from api.conftest import ENGINES, store_of
from gateway.conftest import SharedChannel
from gateway.served_app import ServedApp
from gateway.test_membership import texts
from sobremesa.core.actor import Actor
from sobremesa.core.ids import MessageId, RoomId
from sobremesa.rooms.sending import Draft


@pytest.fixture(params=ENGINES)
def store(request: pytest.FixtureRequest) -> str:
    """All tests run on both engines."""
    return store_of(request.param, request)


async def block(served: ServedApp, shared: SharedChannel, message_id: MessageId) -> None:
    await served.app.communities.report(shared.carl.actor, shared.channel_id, message_id, "nasty")
    admin = Actor(user=shared.ana.user.user_id, username="ana", is_admin=True)
    [case], _ = await served.app.moderation.list_cases(admin, state="open", limit=10, cursor=None)
    await served.app.moderation.decide(admin, case.case_id, "block", note=None)


@pytest.mark.parametrize("has_subscriber", [True, False])
async def test_resume_shows_messages_as_they_are_now(
    served: ServedApp, shared: SharedChannel, has_subscriber: bool
) -> None:
    channels, room, carl = served.app.communities, shared.channel_id, shared.carl
    async with AsyncExitStack() as listening:
        async with served.connect(shared.bea) as before:
            await before.identify()
        subscriber = await listening.enter_async_context(served.connect(shared.ana)) if has_subscriber else None
        if subscriber is not None:
            await subscriber.identify()
        sent = ("taken back", "at first", "nasty", "as it is")
        gone, edited, blocked, kept = [MessageId(await served.send(carl, room, text)) for text in sent]
        await channels.react(shared.bea.actor, room, gone, "🍕")
        await channels.delete_message(carl.actor, room, gone)
        await channels.edit(carl.actor, room, edited, "in the end")
        await block(served, shared, blocked)
        last = await served.send(shared.ana, room, "last")
        while subscriber is not None and (await subscriber.wait_for("message.created"))["messageId"] != last:
            pass

        async with served.connect(shared.bea) as after:
            missed = await after.resume(before)
            deleted = [frame["d"] for frame in missed if frame["t"] == "message.deleted"]
            assert (deleted[0] if deleted else await after.wait_for("message.deleted"))["messageId"] == gone
        polled = (await served.get(shared.bea, "/events", after=before.s, wait=0))["items"]

    for frames in (missed, polled):
        created = {
            frame["d"]["messageId"]: frame["d"]["content"] for frame in frames if frame["t"] == "message.created"
        }
        assert created == {edited: "in the end", blocked: "", kept: "as it is", last: "last"}
        assert not any(text in texts(frames) for text in ("taken back", "at first", "nasty", "🍕"))


async def test_author_of_a_blocked_message_receives_its_content_on_replay(
    served: ServedApp, shared: SharedChannel
) -> None:
    async with served.connect(shared.carl) as before:
        await before.identify()
    blocked = MessageId(await served.send(shared.carl, shared.channel_id, "nasty"))
    await block(served, shared, blocked)

    async with served.connect(shared.carl) as after:
        missed = await after.resume(before)
    assert {frame["d"]["content"] for frame in missed if frame["t"].startswith("message.")} == {"nasty"}


async def test_preview_of_a_deleted_message_is_not_replayed(served: ServedApp, shared: SharedChannel) -> None:
    app, ana, bea = served.app, shared.ana.actor, shared.bea.user.user_id
    carl = shared.carl.user.user_id
    dinner = await app.conversations.create_group(ana, [carl], name="Dinner")
    room = RoomId(dinner.conversation_id)
    sent = (await app.conversations.send(ana, room, Draft("taken back"))).message_id
    async with served.connect(shared.bea) as before, served.connect(shared.ana) as other:
        await before.identify()
        await other.identify()
        await before.socket.close()
        await app.conversations.participants.add(ana, room, bea)
        await other.wait_for("participant.joined", userId=bea)
        await app.conversations.delete_message(ana, room, sent)

        async with served.connect(shared.bea) as after:
            missed = await after.resume(before)
    assert "conversation.created" in {frame["t"] for frame in missed}
    assert "taken back" not in texts(missed)
