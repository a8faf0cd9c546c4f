"""Bots of the demo send messages while a user is connected, and answer direct messages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from api.running import Server
from client.timing import ManualTime
from demo.running import Login, copied
from gateway.served_app import ServedApp, serve_app
from sobremesa.client import Client, Event, Pace, Room
from sobremesa.demo.bot_activity import run_bots
from sobremesa.demo.bots import HOUR_SECONDS, HourlyBudget, Tempo
from sobremesa.demo.communities import COMMUNITIES, members_of
from sobremesa.demo.phrases import BOTS, EXCHANGES
from sobremesa.demo.users import NAMES, PASSWORD, email_of

A_FEW_SECONDS = 10.0
WITHIN_SECONDS = 20.0
TURN = 0.0137
"""How long the quick ones wait between two lines: no other task sleeps exactly as long."""
QUICK = Tempo(between=(TURN, TURN), writing=(0, 0), reading=(0.01, 0.02), offers=(0.5, 1), notices=(0.5, 1))


async def direct_with(client: Client, name: str) -> Room:
    found = await client.find_user(name)
    assert found is not None
    return (await client.direct(found.user_id)).room


async def until(events: AsyncIterator[Event], room: Room, name: str) -> list[str]:
    """Return the types of this user's events in a room, until they send a message."""
    seen = []
    async for event in events:
        if event.d.get("roomId") == room.room_id and event.d.get("username") == name:
            seen.append(event.t)
            if event.t == "message.created":
                return seen
    raise AssertionError("the connection ended")


async def answers(client: Client, name: str) -> None:
    """Wait until a bot answers; one that is not connected yet answers when it connects."""
    room = await direct_with(client, name)
    async with client.gateway() as live, asyncio.timeout(WITHIN_SECONDS):
        events = live.events()
        await client.send(room, "Are you there?")
        await until(events, room, name)


async def test_a_bot_answers_a_direct_message_after_typing(ana: Client) -> None:
    await answers(ana, "marta")  # from now on all of them are there
    room = await direct_with(ana, "teo")
    async with ana.gateway() as live, asyncio.timeout(A_FEW_SECONDS):
        events = live.events()
        asked = await ana.send(room, "Hello Teo, is there a table for tonight?")

        assert await until(events, room, "teo") == ["typing.started", "message.created"]
    answer = (await ana.request("GET", f"{room.path}/messages", query={"limit": 1}))["items"][0]
    assert answer["content"] == "I write you down. Inside, near the warm wall?"
    async with asyncio.timeout(A_FEW_SECONDS), ana.gateway() as live:
        async for _ in live.events():
            readers = (await ana.request("GET", f"{room.path}/readers"))["items"]
            if any(each["username"] == "teo" and each["lastReadMessageId"] >= asked.message_id for each in readers):
                break


async def test_a_mentioned_bot_answers_with_a_reply(demo: Server, logins: dict[str, Login]) -> None:
    async with Client(demo.url) as ben:
        await ben.login(logins["ben"].email, logins["ben"].password)
        [server] = [server async for server in ben.servers()]
        await answers(ben, "iker")
        [square] = [channel.room async for channel in ben.channels(server.server_id) if channel.name == "square"]
        async with ben.gateway() as live, asyncio.timeout(A_FEW_SECONDS):
            asked = await ben.send(square, "How is the goat, @iker?")
            async for message in live.messages():
                if message.reply_to == asked.message_id:
                    break

    assert message.username == "iker"
    assert message.content.startswith("She sends her regards")


class Turns:
    """The pace of all bots, which counts the turns that pass."""

    def __init__(self) -> None:
        self.count = 0
        self._passed = asyncio.Condition()

    @property
    def pace(self) -> Pace:
        return Pace(sleep=self._sleep)

    async def _sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        if seconds == TURN:
            async with self._passed:
                self.count += 1
                self._passed.notify_all()

    async def pass_by(self, many: int) -> None:
        """As soon as so many more have passed."""
        last = self.count + many
        async with asyncio.timeout(WITHIN_SECONDS), self._passed:
            await self._passed.wait_for(lambda: self.count >= last)


@pytest.fixture
async def served(seeded: str, tmp_path: Path) -> AsyncIterator[ServedApp]:
    """The demo in this process, without connections."""
    async with serve_app(copied(seeded, tmp_path)) as served:
        yield served


async def last_messages(served: ServedApp) -> list[str | None]:
    """The last message of every channel."""
    last: list[str | None] = []
    for name in ("ana", "ben", "noor"):
        signed_in = await served.app.accounts.login(email=email_of(name), password=PASSWORD)
        for server in (await served.app.communities.list_servers(signed_in.actor, limit=50))[0]:
            channels = await served.app.communities.list_channels(signed_in.actor, server.server_id, limit=50)
            last += [channel.last_message_id for channel in channels[0]]
    return last


async def test_bots_pause_while_no_user_is_connected(served: ServedApp) -> None:
    turns = Turns()
    async with (
        run_bots(served.app, served.url, tempo=QUICK, pace=turns.pace) as activity,
        Client(served.url) as visitor,
    ):
        before = await last_messages(served)
        await turns.pass_by(20)
        assert not activity.is_watched()
        assert await last_messages(served) == before

        await visitor.login(email_of("ana"), PASSWORD)
        async with visitor.gateway() as live, asyncio.timeout(WITHIN_SECONDS):
            assert activity.is_watched()
            received = set()
            async for event in live.events():
                received.add((event.t, event.d.get("type")))
                if received >= {("message.created", "text"), ("message.created", "action"), ("inbox.message", None)}:
                    break
        while activity.is_watched():
            await turns.pass_by(1)

        await turns.pass_by(2)  # messages in progress have been sent
        before = await last_messages(served)
        await turns.pass_by(20)
        assert await last_messages(served) == before


def test_an_allowance_is_restored_after_an_hour() -> None:
    manual_time = ManualTime()
    budget = HourlyBudget(3, manual_time.pace)

    assert [budget.take() for _ in range(5)] == [True, True, True, False, False]
    manual_time.time += HOUR_SECONDS
    assert budget.take()


def test_authors_of_exchanges_are_members_of_the_room() -> None:
    channels = {f"{community.key}/{name}" for community in COMMUNITIES for name, _ in community.channels}
    for exchange in EXCHANGES:
        assert exchange.room in channels | {"project/winter"}
        for author, text in exchange.lines:
            assert author in BOTS
            assert author in (NAMES if exchange.room == "project/winter" else members_of(exchange.room))
            assert text
