"""Random joins, kicks, connects, resumes, polls, messages and deletes, against a model of who may receive what.

The hub takes its steps when the test says so, the clock moves with everything that happens, and the generator is
seeded: a run is the same each time.
"""

from __future__ import annotations

import json
import random
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import pytest

from cheap import CHEAP
from gateway.conftest import LongTable, long_table
from gateway.test_hub import RecordingSubscriber, attach
from gateway.town import Town, town_of
from sobremesa.app import Sobremesa
from sobremesa.core.clock import SetClock
from sobremesa.core.settings import Settings
from sobremesa.domains.accounts.sessions import SignedIn
from sobremesa.live import recent_events
from sobremesa.live.polling import Polling
from sobremesa.table import NEWEST

STEPS = 150
MAX_READS = 60
"""More than an identify takes."""


def texts(frames: list[dict[str, Any]]) -> list[str]:
    return [frame["d"]["content"] for frame in frames if frame["t"] in ("message.created", "message.updated")]


class World:
    """The application and a model of it, moved together."""

    def __init__(self, town: Town, table: LongTable, clock: SetClock, seed: int) -> None:
        self.town, self.table, self.clock = town, table, clock
        self.hub, self.feed = town.app.live.hub, town.app.live.feed
        self.polling = Polling(self.hub, self.feed, town.app.subscriptions.memberships_of, town.app.gaps.find)
        self.random = random.Random(seed)
        self.people = [table.bea, table.carl, table.dora]
        self.said: list[str] = []
        self.deleted: set[str] = set()
        self.since: dict[str, int] = {who.user.user_id: 0 for who in self.people[:2]}
        """After how many messages the present membership of each member began."""
        self.subscribers: dict[RecordingSubscriber, list[str]] = {}
        """Who listens, and what they must receive."""
        self.cursors: list[tuple[SignedIn, str, int]] = []
        """Cursors that users have kept, and how many messages there were by then."""

    def may_see(self, user_id: str, after: int) -> list[str]:
        """What a user has to be replayed who had so many messages."""
        if user_id not in self.since:
            return []
        return [text for text in self.said[max(after, self.since[user_id]) :] if text not in self.deleted]

    async def settle(self) -> None:
        """Deliver everything that was written, and compare."""
        reader = await self.town.app.table.changes(NEWEST)
        newest = int((await reader.read(0)).position.rpartition("-")[2])
        await reader.close()
        while (self.feed.cursor_of(self.hub.position()).order or (0,))[0] < newest:
            await self.hub.step()
        for subscriber, must in self.subscribers.items():
            received = texts(subscriber.received)
            assert [text for text in received if text in must] == must

    # What can happen

    async def say(self) -> None:
        text = f"text {len(self.said)}"
        await self.town.say(self.table.ana, self.table.channel_id, text)
        self.said.append(text)
        for subscriber, must in self.subscribers.items():
            if subscriber.user_id in self.since:
                must.append(text)

    async def delete(self) -> None:
        left = [text for text in self.said if text not in self.deleted]
        if left:
            text = self.random.choice(left)
            page = await self.town.app.channels.page(self.table.ana.actor, self.table.channel_id, limit=100)
            for found in [each.message_id for each in page.messages if each.content == text]:
                await self.town.app.channels.delete(self.table.ana.actor, self.table.channel_id, found)
                self.deleted.add(text)

    async def come_or_go(self) -> None:
        """Somebody joins who is outside, or is kicked who is inside."""
        who = self.random.choice(self.people)
        user_id, app = who.user.user_id, self.town.app
        if user_id in self.since:
            await app.membership.remove(self.table.ana.actor, self.table.server_id, user_id)
            del self.since[user_id]
            for subscriber in self.subscribers:
                if subscriber.user_id == user_id:
                    received = texts(subscriber.received)
                    self.subscribers[subscriber] = [text for text in self.subscribers[subscriber] if text in received]
        else:
            invite = await app.membership.create_invite(self.table.ana.actor, self.table.server_id)
            await app.membership.redeem(who.actor, invite.code)
            self.since[user_id] = len(self.said)

    async def connect(self) -> None:
        who = self.random.choice(self.people)
        subscriber = RecordingSubscriber(who)
        self.subscribers[subscriber] = []
        await attach(self.town, who, subscriber, self.hub.position())

    async def disconnect(self) -> None:
        if self.subscribers:
            subscriber = self.random.choice(list(self.subscribers))
            self.hub.detach(subscriber)
            del self.subscribers[subscriber]

    async def keep_cursor(self) -> None:
        await self.settle()
        self.cursors.append((self.random.choice(self.people), self.hub.position(), len(self.said)))

    async def resume(self) -> None:
        if self.cursors:
            await self.settle()
            who, cursor, after = self.random.choice(self.cursors)
            subscriber = await attach(self.town, who, RecordingSubscriber(who), cursor)
            must = self.may_see(who.user.user_id, after)
            assert texts(subscriber.received) == must
            self.subscribers[subscriber] = must

    async def poll(self) -> None:
        if self.cursors:
            await self.settle()
            who, cursor, after = self.random.choice(self.cursors)
            received = await self.polling.wait(who.actor, cursor, seconds=0, limit=500)
            found = texts([{"t": item.t, "d": json.loads(bytes(item.d))} for item in received.items])
            assert found == self.may_see(who.user.user_id, after)

    async def check_removed(self) -> None:
        """What is said right after a kick reaches nobody who was kicked."""
        outside = [subscriber for subscriber in self.subscribers if subscriber.user_id not in self.since]
        before = {subscriber: len(texts(subscriber.received)) for subscriber in outside}
        await self.say()
        await self.settle()
        assert {subscriber: len(texts(subscriber.received)) for subscriber in outside} == before

    async def run(self) -> None:
        acts: list[Callable[[], Awaitable[None]]] = [
            self.say,
            self.say,
            self.delete,
            self.come_or_go,
            self.come_or_go,
            self.connect,
            self.disconnect,
            self.keep_cursor,
            self.resume,
            self.poll,
            self.check_removed,
        ]
        for _ in range(STEPS):
            self.clock.move(seconds=0.01)
            await self.random.choice(acts)()
        await self.settle()


@pytest.mark.parametrize("seed", range(4))
async def test_members_as_they_are_now_receive_everything_and_nobody_else_anything(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recent_events, "MAX_ENTRIES", 10)
    clock = SetClock()
    settings = Settings(**CHEAP, store="sqlite://", rate_limits="off")
    async with (
        Sobremesa.open(settings=settings, clock=clock, background=False) as app,
        aiohttp.ClientSession() as nobody,
    ):
        town = Town(app, "", nobody)
        table = await long_table(town)
        await app.live.hub.open()
        await World(town, table, clock, seed).run()


async def test_kick_at_any_moment_of_identify_closes_nothing_and_is_obeyed(monkeypatch: pytest.MonkeyPatch) -> None:
    async with town_of("sqlite://") as town:
        table = await long_table(town)
        elsewhere = await town.server(table.ana, table.bea)
        other = await town.channel(table.ana, elsewhere)
        engine, left = town.app.table.engine, 0

        def counted(name: str) -> None:
            read = getattr(engine, name)

            async def then_kick(*arguments: Any, **more: Any) -> Any:
                nonlocal left
                found = await read(*arguments, **more)
                left -= 1
                if left == 0:
                    await town.app.membership.remove(table.ana.actor, table.server_id, table.bea.user.user_id)
                return found

            monkeypatch.setattr(engine, name, then_kick)

        for name in ("get", "batch_get", "query"):
            counted(name)
        for number in range(1, MAX_READS):
            async with town.visit(table.bea) as bea:
                left = number
                await bea.identify()
                is_kicked, left = left <= 0, 0
                await town.say(table.ana, table.channel_id, "to members")
                await town.say(table.ana, other, "to bea, too")
                received = await bea.hear("message.created")
                assert received["content"] == ("to bea, too" if is_kicked else "to members")
                if not is_kicked:
                    return
                invite = await town.app.membership.create_invite(table.ana.actor, table.server_id)
                await town.app.membership.redeem(table.bea.actor, invite.code)
        raise AssertionError("an identify takes more reads than that")
