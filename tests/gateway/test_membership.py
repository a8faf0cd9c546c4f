"""Who receives the events of a room: its current members, whatever happened before."""

from __future__ import annotations

import asyncio

import pytest

from api.conftest import ENGINES, store_of
from gateway.conftest import SharedChannel
from gateway.connection import Connection
from gateway.served_app import ServedApp
from sobremesa.domains.accounts.sessions import SignedIn


@pytest.fixture(params=ENGINES)
def store(request: pytest.FixtureRequest) -> str:
    """All tests run on both engines."""
    return store_of(request.param, request)


async def kick(served: ServedApp, shared: SharedChannel, who: SignedIn) -> None:
    await served.app.communities.members.remove(shared.ana.actor, shared.server_id, who.user.user_id)


async def join(served: ServedApp, shared: SharedChannel, who: SignedIn) -> None:
    invite = await served.app.communities.invites.create(shared.ana.actor, shared.server_id)
    await served.app.communities.invites.redeem(who.actor, invite.code)


def texts(frames: list[dict[str, object]]) -> str:
    return str(frames)


async def test_member_kicked_and_back_before_connecting_receives_messages(
    served: ServedApp, shared: SharedChannel
) -> None:
    await kick(served, shared, shared.bea)
    await join(served, shared, shared.bea)
    async with served.connect(shared.bea) as bea:
        await bea.identify()
        await served.send(shared.ana, shared.channel_id, "welcome back")
        assert (await bea.wait_for("message.created"))["content"] == "welcome back"


async def test_resume_replays_nothing_of_an_ended_membership(served: ServedApp, shared: SharedChannel) -> None:
    async with served.connect(shared.dora) as before:
        await before.identify()
    await join(served, shared, shared.dora)
    sent = await served.send(shared.ana, shared.channel_id, "deleted text")
    await served.app.communities.delete_message(shared.ana.actor, shared.channel_id, sent)  # type: ignore[arg-type]
    await served.send(shared.ana, shared.channel_id, "kept text")
    await kick(served, shared, shared.dora)

    async with served.connect(shared.dora) as after:
        missed = await after.resume(before)
    assert "text" not in texts(missed)
    assert {frame["t"] for frame in missed} <= {"member.left"}


async def test_resume_replays_only_the_current_membership(served: ServedApp, shared: SharedChannel) -> None:
    async with served.connect(shared.bea) as before, served.connect(shared.ana) as other:
        await before.identify()
        await other.identify()
        await before.socket.close()
        await kick(served, shared, shared.bea)
        await served.send(shared.ana, shared.channel_id, "without bea")
        await asyncio.sleep(0.002)  # another millisecond
        await join(served, shared, shared.bea)
        await served.send(shared.ana, shared.channel_id, "with bea")
        # Messages may overtake the stream, this may not: now the node has read the stream up to here.
        await served.channel(shared.ana, shared.server_id, "last")
        await other.wait_for("channel.created", name="last")

    async with served.connect(shared.bea) as after:
        missed = await after.resume(before)
        await served.send(shared.ana, shared.channel_id, "live again")
        assert (await after.wait_for("message.created"))["content"] == "live again"
    assert "with bea" in texts(missed)
    assert "without bea" not in texts(missed)


async def poll(served: ServedApp, who: SignedIn, after: str) -> list[dict[str, object]]:
    items: list[dict[str, object]] = (await served.get(who, "/events", after=after, wait=0))["items"]
    return items


async def test_poll_replays_nothing_of_an_ended_membership(served: ServedApp, shared: SharedChannel) -> None:
    start = (await served.get(shared.dora, "/events"))["next"]
    await join(served, shared, shared.dora)
    await served.send(shared.ana, shared.channel_id, "kept text")
    await kick(served, shared, shared.dora)
    async with Connection(
        served.url, shared.ana.access_token
    ) as ana:  # another subscriber, so that events are translated
        await ana.identify()
        assert "text" not in texts(await poll(served, shared.dora, start))
