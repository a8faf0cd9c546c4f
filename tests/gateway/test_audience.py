"""Random joins, kicks, connects, resumes, polls, messages and deletes, against a model of who may receive what.

The test steps the hub, the clock moves with every action, and the generator is seeded: runs are reproducible.
"""

from __future__ import annotations

import json
import random
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import aiohttp
import pytest

from cheap import CHEAP
from gateway.conftest import SharedChannel, shared_channel
from gateway.served_app import ServedApp, serve_app
from gateway.test_hub import RecordingSubscriber, attach
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor, UserId
from sobremesa.core.clock import SetClock
from sobremesa.core.settings import Settings
from sobremesa.domains.accounts.sessions import SignedIn
from sobremesa.domains.communities.permissions import Role
from sobremesa.domains.communities.privacy import AccessList
from sobremesa.live import recent_events
from sobremesa.live.feed import START
from sobremesa.live.polling import Polling
from sobremesa.table import NEWEST

STEPS = 150
MAX_READS = 60
"""More reads than an identify takes."""


def texts(frames: list[dict[str, Any]]) -> list[str]:
    return [frame["d"]["content"] for frame in frames if frame["t"] in ("message.created", "message.updated")]


class Environment:
    """The application and a model of it, changed together."""

    def __init__(self, served: ServedApp, shared: SharedChannel, clock: SetClock, seed: int) -> None:
        self.served, self.shared, self.clock = served, shared, clock
        self.hub, self.feed = served.app.live.hub, served.app.live.feed
        app = served.app

        async def watched(_: Actor) -> frozenset[str]:
            return frozenset({shared.channel_id})

        self.polling = Polling(self.hub, self.feed, app.subscriptions.memberships_of, app.gaps.find, watched)
        self.random = random.Random(seed)
        self.users = [shared.bea, shared.carl, shared.dora]
        self.sent: list[str] = []
        self.deleted: set[str] = set()
        self.since: dict[str, int] = {who.user.user_id: 0 for who in self.users[:2]}
        """After how many messages the current membership of each member started."""
        self.subscribers: dict[RecordingSubscriber, list[str]] = {}
        """The subscribers, and what they must receive."""
        self.cursors: list[tuple[SignedIn, str, int]] = []
        """Cursors that users have, and how many messages there were by then."""

    def has_access(self, user_id: str) -> bool:
        return user_id in self.since

    def may_see(self, user_id: str, after: int) -> list[str]:
        """Return what must be replayed to a user who had so many messages."""
        if not self.has_access(user_id):
            return []
        return [text for text in self.sent[max(after, self.since[user_id]) :] if text not in self.deleted]

    async def settle(self) -> None:
        """Deliver everything that was written, and compare."""
        reader = await self.served.app.table.changes(NEWEST)
        newest = int((await reader.read(0)).position.rpartition("-")[2])
        await reader.close()
        while (self.feed.cursor_of(self.hub.position()).position or START).number < newest:
            await self.hub.step()
        for subscriber, must in self.subscribers.items():
            received = texts(subscriber.received)
            assert [text for text in received if text in must] == must

    # What can happen

    async def send(self) -> None:
        text = f"text {len(self.sent)}"
        await self.served.send(self.shared.ana, self.shared.channel_id, text)
        self.sent.append(text)
        for subscriber, must in self.subscribers.items():
            if self.has_access(subscriber.user_id):
                must.append(text)

    async def delete(self) -> None:
        left = [text for text in self.sent if text not in self.deleted]
        if left:
            text = self.random.choice(left)
            page = await self.served.app.communities.page(self.shared.ana.actor, self.shared.channel_id, limit=100)
            for found in [each.message_id for each in page.messages if each.content == text]:
                await self.served.app.communities.delete_message(self.shared.ana.actor, self.shared.channel_id, found)
                self.deleted.add(text)

    async def come_or_go(self) -> None:
        """Let a user join, or kick a member."""
        who = self.random.choice(self.users)
        user_id, app = who.user.user_id, self.served.app
        if user_id in self.since:
            await app.communities.members.remove(self.shared.ana.actor, self.shared.server_id, user_id)
            del self.since[user_id]
            self.forgive_lost()
        else:
            invite = await app.communities.invites.create(self.shared.ana.actor, self.shared.server_id)
            await app.communities.invites.redeem(who.actor, invite.code)
            self.since[user_id] = len(self.sent)

    def forgive_lost(self) -> None:
        """Expect no more of what those without access have not received yet."""
        for subscriber, must in self.subscribers.items():
            if not self.has_access(subscriber.user_id):
                received = texts(subscriber.received)
                self.subscribers[subscriber] = [text for text in must if text in received]

    async def connect(self) -> None:
        who = self.random.choice(self.users)
        subscriber = self.watching(who)
        self.subscribers[subscriber] = []
        await attach(self.served, who, subscriber, self.hub.position())

    def watching(self, who: SignedIn) -> RecordingSubscriber:
        """Return a new subscriber that watches the channel, if that makes a difference."""
        subscriber = RecordingSubscriber(who)
        subscriber.watched = frozenset({self.shared.channel_id})
        return subscriber

    async def disconnect(self) -> None:
        if self.subscribers:
            subscriber = self.random.choice(list(self.subscribers))
            self.hub.detach(subscriber)
            del self.subscribers[subscriber]

    async def keep_cursor(self) -> None:
        await self.settle()
        self.cursors.append((self.random.choice(self.users), self.hub.position(), len(self.sent)))

    async def resume(self) -> None:
        if self.cursors:
            await self.settle()
            who, cursor, after = self.random.choice(self.cursors)
            subscriber = await attach(self.served, who, self.watching(who), cursor)
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
        """Check that a message right after a kick does not reach the removed member."""
        outside = [subscriber for subscriber in self.subscribers if not self.has_access(subscriber.user_id)]
        before = {subscriber: len(texts(subscriber.received)) for subscriber in outside}
        await self.send()
        await self.settle()
        assert {subscriber: len(texts(subscriber.received)) for subscriber in outside} == before

    def acts(self) -> list[Callable[[], Awaitable[None]]]:
        return [
            self.send,
            self.send,
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

    async def run(self) -> None:
        acts = self.acts()
        for _ in range(STEPS):
            self.clock.move(seconds=0.01)
            await self.random.choice(acts)()
        await self.settle()


class PrivateEnvironment(Environment):
    """The same with a channel whose access list changes, and members whose roles do."""

    roles: Sequence[Role] | None = None
    listed: Sequence[str] = ()

    def __init__(self, served: ServedApp, shared: SharedChannel, clock: SetClock, seed: int) -> None:
        super().__init__(served, shared, clock, seed)
        self.role: dict[str, Role] = {}

    def has_access(self, user_id: str) -> bool:
        if user_id not in self.since:
            return False
        role = self.role.get(user_id, "member")
        return self.roles is None or role == "admin" or role in self.roles or user_id in self.listed

    async def come_or_go(self) -> None:
        await super().come_or_go()
        self.role = {user_id: role for user_id, role in self.role.items() if user_id in self.since}

    async def change_access(self) -> None:
        choices: list[Sequence[Role] | None] = [None, [], ["member"], ["moderator"], ["member", "moderator"]]
        roles = self.random.choice(choices)
        listed = [UserId(user_id) for user_id in self.since if self.random.random() < 0.4]
        wanted = None if roles is None else AccessList(roles, listed)
        await self.served.app.communities.privacy.change(self.shared.ana.actor, self.shared.channel_id, wanted)
        self.roles, self.listed = roles, listed
        self.forgive_lost()

    async def change_role(self) -> None:
        if self.since:
            user_id = self.random.choice(sorted(self.since))
            roles: list[Role] = ["member", "moderator", "admin"]
            role = self.random.choice(roles)
            members = self.served.app.communities.members
            await members.change_role(self.shared.ana.actor, self.shared.server_id, UserId(user_id), role=role)
            self.role[user_id] = role
            self.forgive_lost()

    async def check_shown(self) -> None:
        """Check that a client which applies the events shows the channel exactly if its user has access."""
        await self.settle()
        for subscriber in self.subscribers:
            about: list[str] = []
            for frame in subscriber.received:
                if frame["t"] == "server.created":
                    about = []  # the client loads the channels again
                elif frame["t"].startswith("channel.") and frame["d"]["channelId"] == self.shared.channel_id:
                    about.append(frame["t"])
            if about and subscriber.user_id in self.since:
                assert (about[-1] != "channel.deleted") == self.has_access(subscriber.user_id)

    def acts(self) -> list[Callable[[], Awaitable[None]]]:
        return [*super().acts(), self.change_access, self.change_access, self.change_role, self.check_shown]


@pytest.mark.parametrize("crowd", [250, 0])
@pytest.mark.parametrize("seed", range(4))
async def test_current_members_receive_every_event_and_no_other_user_does(
    seed: int, crowd: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    await run_environment(Environment, seed, crowd, monkeypatch)


@pytest.mark.parametrize("crowd", [250, 0])
@pytest.mark.parametrize("seed", range(6))
async def test_private_channel_is_delivered_to_those_with_access_and_to_no_other_user(
    seed: int, crowd: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    await run_environment(PrivateEnvironment, seed, crowd, monkeypatch)


async def run_environment(kind: type[Environment], seed: int, crowd: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare with the model; in a server that is delivered lazily, all watch the channel."""
    monkeypatch.setattr(recent_events, "MAX_ENTRIES", 10)
    clock = SetClock()
    settings = Settings(**CHEAP, store="sqlite://", rate_limits="off", lazy_delivery_above=crowd)
    async with (
        Sobremesa.open(settings=settings, clock=clock, background=False) as app,
        aiohttp.ClientSession() as http,
    ):
        served = ServedApp(app, "", http)
        shared = await shared_channel(served)
        await app.live.hub.open()
        await kind(served, shared, clock, seed).run()


async def test_kick_at_any_moment_of_identify_takes_effect(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serve_app("sqlite://") as served:
        shared = await shared_channel(served)
        elsewhere = await served.server(shared.ana, shared.bea)
        other = await served.channel(shared.ana, elsewhere)
        engine, left = served.app.table.engine, 0

        def counted(name: str) -> None:
            read = getattr(engine, name)

            async def then_kick(*arguments: Any, **more: Any) -> Any:
                nonlocal left
                found = await read(*arguments, **more)
                left -= 1
                if left == 0:
                    await served.app.communities.members.remove(
                        shared.ana.actor, shared.server_id, shared.bea.user.user_id
                    )
                return found

            monkeypatch.setattr(engine, name, then_kick)

        for name in ("get", "batch_get", "query"):
            counted(name)
        for number in range(1, MAX_READS):
            async with served.connect(shared.bea) as bea:
                left = number
                await bea.identify()
                is_kicked, left = left <= 0, 0
                await served.send(shared.ana, shared.channel_id, "to members")
                await served.send(shared.ana, other, "to bea, too")
                received = await bea.wait_for("message.created")
                assert received["content"] == ("to bea, too" if is_kicked else "to members")
                if not is_kicked:
                    return
                invite = await served.app.communities.invites.create(shared.ana.actor, shared.server_id)
                await served.app.communities.invites.redeem(shared.bea.actor, invite.code)
        raise AssertionError("an identify takes more reads than that")


async def test_resume_shows_nothing_from_before_a_channel_became_private() -> None:
    settings = Settings(**CHEAP, store="sqlite://", rate_limits="off")
    async with (
        Sobremesa.open(settings=settings, clock=SetClock(), background=False) as app,
        aiohttp.ClientSession() as http,
    ):
        served = ServedApp(app, "", http)
        table = await shared_channel(served)
        await app.live.hub.open()
        env = PrivateEnvironment(served, table, SetClock(), 0)
        cursor = app.live.hub.position()
        await attach(served, table.carl, RecordingSubscriber(table.carl), cursor)
        await env.send()
        await env.settle()  # it is published to the members of the server
        wanted = AccessList([], [table.carl.user.user_id])
        await app.communities.privacy.change(table.ana.actor, table.channel_id, wanted)
        await env.settle()

        bea, carl = RecordingSubscriber(table.bea), RecordingSubscriber(table.carl)
        for who, subscriber in ((table.bea, bea), (table.carl, carl)):
            await attach(served, who, subscriber, cursor)
        assert bea.names == ["channel.deleted"]
        assert carl.names == ["message.created", "channel.updated"]
        before = len(bea.received)
        await app.communities.typing(table.carl.actor, table.channel_id)
        await env.send()
        await env.settle()
        assert len(bea.received) == before
