"""The hub, step by step: what it does before the feed reports a change."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Any

import aiohttp
import pytest

from cheap import CHEAP
from gateway.conftest import SharedChannel, shared_channel
from gateway.served_app import ServedApp
from sobremesa.app import Sobremesa
from sobremesa.core.actor import UserId
from sobremesa.core.settings import Settings
from sobremesa.domains.accounts.sessions import SignedIn
from sobremesa.domains.communities.permissions import Role
from sobremesa.domains.communities.privacy import AccessList
from sobremesa.live import replay
from sobremesa.live.events import MembershipKey, Publication, server
from sobremesa.live.frames import payload_of
from sobremesa.live.hub import Hub
from sobremesa.live.polling import Polling
from sobremesa.live.subscriber import Subscriber
from sobremesa.live.translation import Translation
from sobremesa.live.typing import TypingStarted, typing_started
from sobremesa.table import RawChange


class RecordingSubscriber(Subscriber):
    """A subscriber that records what it receives."""

    def __init__(self, who: SignedIn) -> None:
        super().__init__()
        self.user_id = who.user.user_id
        self.session_id = who.session_id
        self.tenant = who.user.tenant
        self.received: list[dict[str, Any]] = []
        self.is_ended = False
        self.flushes = 0
        self.may_go_on = asyncio.Event()
        self.may_go_on.set()

    def flush(self) -> None:
        self.flushes += 1
        pending, self.pending = self.pending, []
        self.received += [json.loads(payload_of(frame)) for frame in pending]

    async def drained(self) -> None:
        await self.may_go_on.wait()

    def end(self) -> None:
        self.is_ended = True

    @property
    def names(self) -> list[str]:
        return [frame["t"] for frame in self.received]


@pytest.fixture
async def served(store: str) -> AsyncIterator[ServedApp]:
    """An application whose hub is stepped by the test."""
    settings = Settings(**CHEAP, store=store, rate_limits="off")
    async with Sobremesa.open(settings=settings, background=False) as app, aiohttp.ClientSession() as http:
        yield ServedApp(app, "", http)


@pytest.fixture
async def hub(served: ServedApp, shared: SharedChannel) -> Hub:
    await served.app.live.hub.open()
    return served.app.live.hub


@pytest.fixture
async def shared(served: ServedApp) -> SharedChannel:
    return await shared_channel(served)


async def subscribe(
    served: ServedApp, who: SignedIn, subscriber: RecordingSubscriber | None = None
) -> RecordingSubscriber:
    subscriber = subscriber or RecordingSubscriber(who)
    return await attach(served, who, subscriber, served.app.live.hub.position())


async def attach(
    served: ServedApp, who: SignedIn, subscriber: RecordingSubscriber, position: str
) -> RecordingSubscriber:
    app = served.app
    again = partial(app.subscriptions.memberships_of, who.actor)
    async with app.live.hub.attaching(subscriber):
        await app.live.hub.attach(subscriber, await again(), app.live.feed.cursor_of(position), again)
    return subscriber


async def test_undelivered_message_from_before_a_kick_is_not_delivered_after_it(
    served: ServedApp, hub: Hub, shared: SharedChannel
) -> None:
    bea, carl = await subscribe(served, shared.bea), await subscribe(served, shared.carl)
    await served.send(shared.ana, shared.channel_id, "just before")
    await served.app.communities.members.remove(shared.ana.actor, shared.server_id, shared.bea.user.user_id)
    await hub.step()

    assert bea.names == ["member.left"]
    assert carl.names == ["message.created", "member.left"]


async def test_late_join_event_does_not_undo_a_kick(served: ServedApp, hub: Hub, shared: SharedChannel) -> None:
    dora, ana = await subscribe(served, shared.dora), await subscribe(served, shared.ana)
    invite = await served.app.communities.invites.create(shared.ana.actor, shared.server_id)
    await served.app.communities.invites.redeem(shared.dora.actor, invite.code)
    await served.send(shared.ana, shared.channel_id, "welcome")
    await served.app.communities.members.remove(shared.ana.actor, shared.server_id, shared.dora.user.user_id)
    await hub.step()

    assert "message.created" not in dora.names
    assert "message.created" in ana.names

    invite = await served.app.communities.invites.create(shared.ana.actor, shared.server_id)
    await served.app.communities.invites.redeem(shared.dora.actor, invite.code)
    await served.send(shared.ana, shared.channel_id, "welcome back")
    await hub.step()
    assert dora.received[-1]["d"]["content"] == "welcome back"


async def test_server_deleted_is_delivered_after_older_events(
    served: ServedApp, hub: Hub, shared: SharedChannel, monkeypatch: pytest.MonkeyPatch
) -> None:
    bea, feed = await subscribe(served, shared.bea), served.app.live.feed
    await served.app.communities.members.change_role(
        shared.ana.actor, shared.server_id, shared.bea.user.user_id, role="moderator"
    )
    read = feed.next

    async def read_before_the_deletion(is_subscribed: Any) -> Any:
        received = await read(is_subscribed)
        await served.app.communities.delete_server(shared.ana.actor, shared.server_id)
        monkeypatch.undo()
        return received

    monkeypatch.setattr(feed, "next", read_before_the_deletion)
    await hub.step()
    await hub.step()

    assert bea.names[-1] == "server.deleted"
    assert server(shared.server_id) not in hub.topics_of(shared.bea.user.user_id)


async def test_pending_events_are_flushed_before_a_disconnect(
    served: ServedApp, hub: Hub, shared: SharedChannel, monkeypatch: pytest.MonkeyPatch
) -> None:
    bea = await subscribe(served, shared.bea)
    seat = MembershipKey(shared.bea.user.user_id, server(shared.server_id))
    received_by_then: list[int] = []

    class First(RecordingSubscriber):
        def flush(self) -> None:
            super().flush()
            hub.disconnect([seat])
            received_by_then.append(len(bea.received))

    await subscribe(served, shared.carl, First(shared.carl))
    await served.send(shared.ana, shared.channel_id, "hello")
    await hub.step()

    assert received_by_then == [1]
    assert len(bea.received) == 1


async def test_session_that_ends_during_attach_is_closed(
    served: ServedApp, hub: Hub, shared: SharedChannel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "CAUGHT_UP", 1)
    monkeypatch.setattr(replay, "PART", 1)
    await subscribe(served, shared.ana)
    subscriber = RecordingSubscriber(shared.bea)
    subscriber.may_go_on.clear()
    before = hub.position()
    for _ in range(3):
        await served.send(shared.ana, shared.channel_id, "hello")
    await hub.step()
    coming = asyncio.create_task(attach(served, shared.bea, subscriber, before))
    while not subscriber.received:  # noqa: ASYNC110 - it has begun, and waits
        await asyncio.sleep(0)
    await served.app.accounts.logout(shared.bea.actor)
    await hub.step()
    subscriber.may_go_on.set()
    await coming

    assert subscriber.is_ended
    await served.send(shared.ana, shared.channel_id, "without bea")
    await hub.step()
    assert len(subscriber.received) == 3


async def test_member_removed_while_attaching_is_not_subscribed(
    served: ServedApp, hub: Hub, shared: SharedChannel
) -> None:
    await subscribe(served, shared.ana)
    app, before, bea = served.app, hub.position(), RecordingSubscriber(shared.bea)
    again = partial(app.subscriptions.memberships_of, shared.bea.actor)
    async with hub.attaching(bea):
        stale = await again()
        await app.communities.members.remove(shared.ana.actor, shared.server_id, shared.bea.user.user_id)
        await hub.step()
        await hub.attach(bea, stale, app.live.feed.cursor_of(before), again)
    await served.send(shared.ana, shared.channel_id, "without bea")
    await hub.step()

    assert bea.names == ["member.left"]


@pytest.mark.parametrize("is_delivered_before", [True, False])
async def test_server_deleted_while_attaching_is_delivered(
    is_delivered_before: bool, served: ServedApp, hub: Hub, shared: SharedChannel
) -> None:
    await subscribe(served, shared.ana)
    app, before, bea = served.app, hub.position(), RecordingSubscriber(shared.bea)
    again = partial(app.subscriptions.memberships_of, shared.bea.actor)
    async with hub.attaching(bea):
        stale = await again()
        await app.communities.members.change_role(
            shared.ana.actor, shared.server_id, shared.bea.user.user_id, role="moderator"
        )
        await hub.step()
        await app.communities.delete_server(shared.ana.actor, shared.server_id)
        if is_delivered_before:
            await hub.step()
        await hub.attach(bea, stale, app.live.feed.cursor_of(before), again)
    if not is_delivered_before:
        await hub.step()

    assert bea.names == ["server.deleted"]


async def test_session_ended_by_this_process_is_closed_at_once(
    served: ServedApp, hub: Hub, shared: SharedChannel
) -> None:
    bea = await subscribe(served, shared.bea)
    await served.app.accounts.logout(shared.bea.actor)
    assert bea.is_ended


async def test_withheld_content_is_delivered_only_to_the_author_and_moderators(
    served: ServedApp, hub: Hub, shared: SharedChannel
) -> None:
    ana, bea, carl = [await subscribe(served, who) for who in (shared.ana, shared.bea, shared.carl)]
    sent = await served.send(shared.bea, shared.channel_id, "something nasty")
    await hub.step()
    await served.app.communities.report(shared.carl.actor, shared.channel_id, sent, "nasty")  # type: ignore[arg-type]
    admin = shared.ana.actor.__class__(user=shared.ana.user.user_id, username="ana", is_admin=True)
    cases, _ = await served.app.moderation.list_cases(admin, state="open", limit=10, cursor=None)
    await served.app.moderation.decide(admin, cases[0].case_id, "block", note=None)
    await hub.step()

    shown = {subscriber.user_id: subscriber.received[-1]["d"]["content"] for subscriber in (ana, bea, carl)}
    assert ana.names[-1] == "message.updated"
    assert shown == {ana.user_id: "something nasty", bea.user_id: "something nasty", carl.user_id: ""}


async def test_changes_are_not_translated_without_subscribers_and_nothing_is_missed(
    served: ServedApp, hub: Hub, shared: SharedChannel
) -> None:
    before = hub.position()
    await served.send(shared.ana, shared.channel_id, "nobody is here")
    await hub.step()
    bea = await attach(served, shared.bea, RecordingSubscriber(shared.bea), before)

    assert [frame["d"]["content"] for frame in bea.received] == ["nobody is here"]


async def test_clients_that_resume_from_the_log_share_what_was_read(
    served: ServedApp, hub: Hub, shared: SharedChannel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a restart nothing is in memory, and all clients come back: the log is not translated for each of them."""
    translated: list[str] = []
    publications_of = Translation.publications_of

    async def counting(translation: Translation, change: RawChange) -> Sequence[Publication]:
        translated.append(change.id)
        return await publications_of(translation, change)

    async def come_back() -> list[str]:
        bea = await attach(served, shared.bea, RecordingSubscriber(shared.bea), before)
        hub.detach(bea)
        return [frame["d"]["content"] for frame in bea.received]

    monkeypatch.setattr(Translation, "publications_of", counting)
    before = hub.position()
    await served.send(shared.ana, shared.channel_id, "first")
    await hub.step()
    assert await come_back() == await come_back() == ["first"]
    await served.send(shared.ana, shared.channel_id, "second")
    await hub.step()
    assert await come_back() == await come_back() == ["first", "second"]
    assert len(translated) == len(set(translated))


async def test_ephemeral_events_of_one_moment_are_written_in_one_piece(
    served: ServedApp, hub: Hub, shared: SharedChannel
) -> None:
    bea, carl = [await subscribe(served, who) for who in (shared.bea, shared.carl)]

    for name in ("one", "two", "three"):
        typing = TypingStarted(shared.channel_id, "channel", UserId(name), name, None)
        hub.publish(typing_started.event(typing, server(shared.server_id)))
    hub.detach(carl)
    await asyncio.sleep(0)

    assert [frame["d"]["userId"] for frame in bea.received] == ["one", "two", "three"]
    assert bea.flushes == 1
    assert carl.received == []


async def test_poll_with_only_ephemeral_events_keeps_its_cursor(
    served: ServedApp, hub: Hub, shared: SharedChannel
) -> None:
    app = served.app
    watched = app.watching.watched_by_polling
    polling = Polling(hub, app.live.feed, app.subscriptions.memberships_of, app.gaps.find, watched)
    before = hub.position()
    waiting = asyncio.create_task(polling.wait(shared.bea.actor, before, seconds=10, limit=1))
    while not hub.subscribers_of(shared.bea.user.user_id):  # noqa: ASYNC110 - polled: there is no signal
        await asyncio.sleep(0)
    for name in ("ana", "carl"):
        typing = TypingStarted(shared.channel_id, "channel", UserId(name), name, None)
        hub.publish(typing_started.event(typing, server(shared.server_id)))
    received = await waiting

    assert [item.t for item in received.items] == ["typing.started"]
    assert received.next == before


@pytest.mark.parametrize("is_list_first", [True, False])
@pytest.mark.parametrize("is_named", [True, False])
async def test_loss_of_a_channel_by_role_and_by_access_list_is_delivered_once(
    served: ServedApp, hub: Hub, shared: SharedChannel, is_list_first: bool, is_named: bool
) -> None:
    communities, ana, carl_id = served.app.communities, shared.ana.actor, shared.carl.user.user_id

    async def restrict(roles: list[Role], *user_ids: UserId) -> None:
        await communities.privacy.change(ana, shared.channel_id, AccessList(roles, user_ids))

    async def lose_role() -> None:
        await communities.members.change_role(ana, shared.server_id, carl_id, role="member")

    async def lose_name() -> None:
        await restrict(["moderator"] if is_named else [])

    async def deliver() -> None:
        last = await communities.create_channel(ana, shared.server_id, name=f"channel {len(carl.received)}")
        while last.channel.channel_id not in [frame["d"].get("channelId") for frame in carl.received]:
            await hub.step()

    carl = await subscribe(served, shared.carl)
    for _ in range(2):
        await communities.members.change_role(ana, shared.server_id, carl_id, role="moderator")
        await restrict(["moderator"], carl_id)
        await deliver()
        carl.received.clear()
        for lose in (lose_name, lose_role) if is_list_first else (lose_role, lose_name):
            await lose()
        await deliver()
        assert carl.names.count("channel.deleted") == 1
