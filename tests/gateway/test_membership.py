"""Who receives the events of a room: its current members, whatever happened before."""

from __future__ import annotations

import asyncio

import pytest

from api.conftest import ENGINES, store_of
from gateway.conftest import LongTable
from gateway.connection import Connection
from gateway.town import Town
from sobremesa.domains.accounts.sessions import SignedIn


@pytest.fixture(params=ENGINES)
def store(request: pytest.FixtureRequest) -> str:
    """All tests run on both engines."""
    return store_of(request.param, request)


async def kick(town: Town, table: LongTable, who: SignedIn) -> None:
    await town.app.membership.remove(table.ana.actor, table.server_id, who.user.user_id)


async def join(town: Town, table: LongTable, who: SignedIn) -> None:
    invite = await town.app.membership.create_invite(table.ana.actor, table.server_id)
    await town.app.membership.redeem(who.actor, invite.code)


def texts(frames: list[dict[str, object]]) -> str:
    return str(frames)


async def test_member_kicked_and_back_before_connecting_receives_messages(town: Town, table: LongTable) -> None:
    await kick(town, table, table.bea)
    await join(town, table, table.bea)
    async with town.connect(table.bea) as bea:
        await bea.identify()
        await town.send(table.ana, table.channel_id, "welcome back")
        assert (await bea.wait_for("message.created"))["content"] == "welcome back"


async def test_resume_replays_nothing_of_an_ended_membership(town: Town, table: LongTable) -> None:
    async with town.connect(table.dora) as before:
        await before.identify()
    await join(town, table, table.dora)
    sent = await town.send(table.ana, table.channel_id, "deleted text")
    await town.app.channels.delete(table.ana.actor, table.channel_id, sent)  # type: ignore[arg-type]
    await town.send(table.ana, table.channel_id, "kept text")
    await kick(town, table, table.dora)

    async with town.connect(table.dora) as after:
        missed = await after.resume(before)
    assert "text" not in texts(missed)
    assert {frame["t"] for frame in missed} <= {"member.left"}


async def test_resume_replays_only_the_current_membership(town: Town, table: LongTable) -> None:
    async with town.connect(table.bea) as before:
        await before.identify()
    await kick(town, table, table.bea)
    await town.send(table.ana, table.channel_id, "without bea")
    await asyncio.sleep(0.002)  # another millisecond
    await join(town, table, table.bea)
    await town.send(table.ana, table.channel_id, "with bea")

    async with town.connect(table.bea) as after:
        missed = await after.resume(before)
        await town.send(table.ana, table.channel_id, "live again")
        assert (await after.wait_for("message.created"))["content"] == "live again"
    assert "with bea" in texts(missed)


async def poll(town: Town, who: SignedIn, after: str) -> list[dict[str, object]]:
    items: list[dict[str, object]] = (await town.get(who, "/events", after=after, wait=0))["items"]
    return items


async def test_poll_replays_nothing_of_an_ended_membership(town: Town, table: LongTable) -> None:
    start = (await town.get(table.dora, "/events"))["next"]
    await join(town, table, table.dora)
    await town.send(table.ana, table.channel_id, "kept text")
    await kick(town, table, table.dora)
    async with Connection(town.url, table.ana.access_token) as ana:  # another subscriber, so that events are translated
        await ana.identify()
        assert "text" not in texts(await poll(town, table.dora, start))
