"""What is told twice is received once, and who subscribes to what follows the memberships, not what is told of them."""

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


class Told:
    """A feed that tells what a test says, in the order in which it says so."""

    repeats = True

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._waiting: list[Entry] = []

    def tell(self, *events: Event) -> None:
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


def said(id: str, topic: Topic = TABLE, **more: Any) -> Event:
    return Event(t="message.created", d=b"{}", topics=(topic,), id=id, **more)


FIRST, SECOND = "2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"
JOIN = said("join", user(BEA), adds=(TopicMembership(BEA, TABLE, since=FIRST),))
KICK = said("kick", user(BEA), removes=(TopicRemoval(BEA, TABLE, FIRST),))
RETURN = said("return", user(BEA), adds=(TopicMembership(BEA, TABLE, since=SECOND),))


class Rows:
    """The memberships as a table has them now, and what happens while somebody reads them."""

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

    def is_volatile(self, said: Event) -> bool:
        return False

    async def current(self, said: Sequence[Event]) -> Sequence[Event | None]:
        return said


@pytest.fixture
def rows() -> Rows:
    return Rows()


@pytest.fixture
def feed() -> Told:
    return Told()


@pytest.fixture
async def hub(feed: Told, rows: Rows) -> Hub:
    hub = Hub(feed, FreshCounts(rows.count), rows.memberships, rows)
    await hub.open()
    return hub


async def listen(hub: Hub, *topics: Topic, after: int, since: str = "") -> RecordingSubscriber:
    subscriber = RecordingSubscriber()

    async def admissions() -> list[TopicMembership]:
        return [TopicMembership(BEA, user(BEA)), *(TopicMembership(BEA, topic, since=since) for topic in topics)]

    async with hub.attaching(subscriber):
        await hub.attach(subscriber, await admissions(), Cursor((after,), 0), admissions)
    return subscriber


async def test_what_is_told_twice_is_heard_once_and_by_whoever_came_between_too(hub: Hub, feed: Told) -> None:
    before = await listen(hub, TABLE, after=0)
    feed.tell(said("hello"))
    await hub.step()
    between = await listen(hub, TABLE, after=1)
    feed.tell(said("hello"))
    await hub.step()

    assert before.received == ["hello"]
    assert between.received == ["hello"]


async def test_join_told_again_after_a_kick_subscribes_nobody(hub: Hub, feed: Told) -> None:
    bea = await listen(hub, after=0)
    feed.tell(JOIN, KICK, JOIN, said("secret"))
    await hub.step()
    feed.tell(KICK)
    await hub.step()

    assert bea.received == ["join", "kick"]


async def test_join_told_only_after_the_kick_subscribes_nobody(hub: Hub, feed: Told) -> None:
    bea = await listen(hub, after=0)
    feed.tell(KICK)
    await hub.step()
    feed.tell(JOIN, said("secret"))
    await hub.step()

    assert bea.received == ["kick", "join"]


async def test_kick_told_again_unsubscribes_nobody_who_came_back(hub: Hub, feed: Told, rows: Rows) -> None:
    rows.bea = SECOND
    feed.tell(JOIN, KICK, RETURN)
    await hub.step()
    listening = await listen(hub, TABLE, after=3, since=SECOND)
    feed.tell(KICK)
    await hub.step()
    # Comes in while the repeats are being told.
    arriving = await listen(hub, TABLE, after=3, since=SECOND)
    feed.tell(RETURN, said("hello"))
    await hub.step()

    assert listening.received[-1] == "hello"
    assert arriving.received[-1] == "hello"


async def test_kick_told_late_leaves_the_next_membership_alone(hub: Hub, feed: Told, rows: Rows) -> None:
    rows.bea = SECOND
    bea = await listen(hub, TABLE, after=0, since=SECOND)
    feed.tell(KICK, said("hello"), RETURN)
    await hub.step()
    feed.tell(said("again"))
    await hub.step()

    assert [id for id in bea.received if id in ("hello", "again")] == ["hello", "again"]


async def test_two_memberships_of_one_millisecond_end_with_what_the_table_has(hub: Hub, feed: Told, rows: Rows) -> None:
    rows.bea = FIRST
    bea = await listen(hub, TABLE, after=0, since=FIRST)
    feed.tell(KICK)  # of the first of two that began in the same millisecond
    await hub.step()
    feed.tell(said("hello"))
    await hub.step()

    assert bea.received == ["kick", "hello"]


async def test_membership_that_ends_here_while_it_is_read_gives_no_subscription(
    hub: Hub, feed: Told, rows: Rows
) -> None:
    bea = await listen(hub, after=0)
    rows.bea = FIRST

    def kick() -> None:
        rows.bea = None
        hub.disconnect([MembershipKey(BEA, TABLE)])

    rows.meanwhile = [kick]
    feed.tell(JOIN, said("secret"))
    await hub.step()

    assert bea.received == ["join"]


async def test_memberships_that_cannot_be_read_are_read_again_and_nothing_is_lost(
    hub: Hub, feed: Told, rows: Rows
) -> None:
    bea = await listen(hub, after=0)
    rows.bea = FIRST

    def fail() -> None:
        raise OSError("the store does not answer")

    rows.meanwhile = [fail]
    feed.tell(JOIN, said("hello"))
    with pytest.raises(OSError, match="does not answer"):
        await hub.step()
    rows.meanwhile = []
    await hub.step()

    assert bea.received == ["join", "hello"]


async def test_an_end_that_is_told_again_ends_no_later_socket(hub: Hub, feed: Told) -> None:
    over = await listen(hub, TABLE, after=0)
    end = Event(id="end", ends=(BEA,))
    feed.tell(end)
    await hub.step()
    fresh = await listen(hub, TABLE, after=1)
    feed.tell(end)
    await hub.step()

    assert over.is_ended
    assert not fresh.is_ended


async def test_removal_that_the_feed_never_tells_keeps_nobody_out(hub: Hub, feed: Told) -> None:
    hub.disconnect([MembershipKey(BEA, TABLE)])
    bea = await listen(hub, TABLE, after=0)
    feed.tell(said("welcome back"))
    await hub.step()

    assert bea.received == ["welcome back"]
