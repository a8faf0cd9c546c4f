"""Repeated events are delivered once, and subscriptions follow the memberships, not what events say of them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from typing import Any

import pytest

from sobremesa.core.actor import Tenant, UserId
from sobremesa.live.counts import FreshCounts
from sobremesa.live.events import Event, MembershipKey, Topic, TopicMembership, TopicRemoval, server, user
from sobremesa.live.feed import Cursor, Entry, FeedBatch, Order, Page
from sobremesa.live.frames import payload_of
from sobremesa.live.hub import Hub
from sobremesa.live.subscriber import Subscriber

BEA = UserId("bea")
TABLE = server("table")


class ScriptedFeed:
    """A feed of the events that a test publishes."""

    repeats = True

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._waiting: list[Entry] = []

    def publish(self, *events: Event) -> None:
        for event in events:
            order = (len(self._entries) + 1,)
            self._entries.append(Entry(order, self.s_of(order), 0, event))
            self._waiting.append(self._entries[-1])

    async def open(self) -> Order:
        return (0,)

    async def next(self, has_subscribers: Callable[[], bool]) -> FeedBatch:
        entries, self._waiting = self._waiting, []
        return FeedBatch(entries, (len(self._entries),), True)

    def s_of(self, order: Order, at_ms: int | None = None) -> str:
        return str(order[0])

    def cursor_of(self, s: str) -> Cursor:
        return Cursor((int(s),), 0)

    async def history(self, after: Order, until: Order) -> AsyncIterator[Page]:
        yield Page([entry for entry in self._entries if after < entry.order <= until], until)

    async def close(self) -> None:
        pass


class RecordingSubscriber(Subscriber):
    def __init__(self) -> None:
        super().__init__()
        self.user_id = BEA
        self.received: list[str] = []
        self.is_ended = False

    def flush(self) -> None:
        pending, self.pending = self.pending, []
        self.received += [json.loads(payload_of(frame))["id"] for frame in pending]

    def end(self) -> None:
        self.is_ended = True


def new_event(id: str, topic: Topic = TABLE, **more: Any) -> Event:
    return Event(t="message.created", d=b"{}", topics=(topic,), id=id, **more)


FIRST, SECOND = "2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"
JOIN = new_event("join", user(BEA), adds=(TopicMembership(BEA, TABLE, since=FIRST),))
KICK = new_event("kick", user(BEA), removes=(TopicRemoval(BEA, TABLE, FIRST),))
RETURN = new_event("return", user(BEA), adds=(TopicMembership(BEA, TABLE, since=SECOND),))


class Rows:
    """The memberships as the table has them, and what happens while they are read."""

    def __init__(self) -> None:
        self.bea: str | None = None
        """The version of Bea's membership."""
        self.meanwhile: list[Callable[[], None]] = []

    async def memberships(self, seats: Collection[MembershipKey]) -> dict[MembershipKey, TopicMembership]:
        found = {} if self.bea is None else {seat: TopicMembership(*seat, since=self.bea) for seat in seats}
        for happens in self.meanwhile:
            happens()
        self.meanwhile = []
        return found

    async def count(self, tenant: Tenant, user_id: UserId, inbox: str) -> bytes:
        raise AssertionError("nothing is asked for")

    def is_volatile(self, event: Event) -> bool:
        return False

    async def current(self, events: Sequence[Event]) -> Sequence[Event | None]:
        return events


@pytest.fixture
def rows() -> Rows:
    return Rows()


@pytest.fixture
def feed() -> ScriptedFeed:
    return ScriptedFeed()


@pytest.fixture
async def hub(feed: ScriptedFeed, rows: Rows) -> Hub:
    hub = Hub(feed, FreshCounts(rows.count), rows.memberships, rows)
    await hub.open()
    return hub


async def subscribe(hub: Hub, *topics: Topic, after: int, since: str = "") -> RecordingSubscriber:
    subscriber = RecordingSubscriber()

    async def admissions() -> list[TopicMembership]:
        return [TopicMembership(BEA, user(BEA)), *(TopicMembership(BEA, topic, since=since) for topic in topics)]

    async with hub.attaching(subscriber):
        await hub.attach(subscriber, await admissions(), Cursor((after,), 0), admissions)
    return subscriber


async def test_repeated_event_is_delivered_once_and_to_new_subscribers(hub: Hub, feed: ScriptedFeed) -> None:
    before = await subscribe(hub, TABLE, after=0)
    feed.publish(new_event("hello"))
    await hub.step()
    between = await subscribe(hub, TABLE, after=1)
    feed.publish(new_event("hello"))
    await hub.step()

    assert before.received == ["hello"]
    assert between.received == ["hello"]


async def test_repeated_join_after_a_kick_subscribes_no_user(hub: Hub, feed: ScriptedFeed) -> None:
    bea = await subscribe(hub, after=0)
    feed.publish(JOIN, KICK, JOIN, new_event("secret"))
    await hub.step()
    feed.publish(KICK)
    await hub.step()

    assert bea.received == ["join", "kick"]


async def test_join_reported_after_the_kick_subscribes_no_user(hub: Hub, feed: ScriptedFeed) -> None:
    bea = await subscribe(hub, after=0)
    feed.publish(KICK)
    await hub.step()
    feed.publish(JOIN, new_event("secret"))
    await hub.step()

    assert bea.received == ["kick", "join"]


async def test_repeated_kick_does_not_unsubscribe_a_rejoined_member(hub: Hub, feed: ScriptedFeed, rows: Rows) -> None:
    rows.bea = SECOND
    feed.publish(JOIN, KICK, RETURN)
    await hub.step()
    connected = await subscribe(hub, TABLE, after=3, since=SECOND)
    feed.publish(KICK)
    await hub.step()
    # Attached while the repeats are being delivered.
    arriving = await subscribe(hub, TABLE, after=3, since=SECOND)
    feed.publish(RETURN, new_event("hello"))
    await hub.step()

    assert connected.received[-1] == "hello"
    assert arriving.received[-1] == "hello"


async def test_late_kick_does_not_end_the_next_membership(hub: Hub, feed: ScriptedFeed, rows: Rows) -> None:
    rows.bea = SECOND
    bea = await subscribe(hub, TABLE, after=0, since=SECOND)
    feed.publish(KICK, new_event("hello"), RETURN)
    await hub.step()
    feed.publish(new_event("again"))
    await hub.step()

    assert [id for id in bea.received if id in ("hello", "again")] == ["hello", "again"]


async def test_two_memberships_of_one_millisecond_end_with_what_the_table_has(
    hub: Hub, feed: ScriptedFeed, rows: Rows
) -> None:
    rows.bea = FIRST
    bea = await subscribe(hub, TABLE, after=0, since=FIRST)
    feed.publish(KICK)  # of the first of two that began in the same millisecond
    await hub.step()
    feed.publish(new_event("hello"))
    await hub.step()

    assert bea.received == ["kick", "hello"]


async def test_membership_that_ends_here_while_it_is_read_gives_no_subscription(
    hub: Hub, feed: ScriptedFeed, rows: Rows
) -> None:
    bea = await subscribe(hub, after=0)
    rows.bea = FIRST

    def kick() -> None:
        rows.bea = None
        hub.disconnect([MembershipKey(BEA, TABLE)])

    rows.meanwhile = [kick]
    feed.publish(JOIN, new_event("secret"))
    await hub.step()

    assert bea.received == ["join"]


async def test_memberships_that_cannot_be_read_are_read_again_and_nothing_is_lost(
    hub: Hub, feed: ScriptedFeed, rows: Rows
) -> None:
    bea = await subscribe(hub, after=0)
    rows.bea = FIRST

    def fail() -> None:
        raise OSError("the store does not answer")

    rows.meanwhile = [fail]
    feed.publish(JOIN, new_event("hello"))
    with pytest.raises(OSError, match="does not answer"):
        await hub.step()
    rows.meanwhile = []
    await hub.step()

    assert bea.received == ["join", "hello"]


async def test_repeated_session_end_closes_no_later_socket(hub: Hub, feed: ScriptedFeed) -> None:
    over = await subscribe(hub, TABLE, after=0)
    end = Event(id="end", ends=(BEA,))
    feed.publish(end)
    await hub.step()
    fresh = await subscribe(hub, TABLE, after=1)
    feed.publish(end)
    await hub.step()

    assert over.is_ended
    assert not fresh.is_ended


async def test_removal_that_the_feed_never_reports_does_not_block_rejoining(hub: Hub, feed: ScriptedFeed) -> None:
    hub.disconnect([MembershipKey(BEA, TABLE)])
    bea = await subscribe(hub, TABLE, after=0)
    feed.publish(new_event("welcome back"))
    await hub.step()

    assert bea.received == ["welcome back"]
