"""What a feed tells twice is heard once, and changes nobody's listening the second time."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import pytest

from sobremesa.live.events import Admission, Announcement, Expulsion, Topic, person, server
from sobremesa.live.feed import Cursor, Entry, Heard, Order
from sobremesa.live.frames import payload_of
from sobremesa.live.hub import Hub, Listener
from sobremesa.people import Tenant, UserId

BEA = UserId("bea")
TABLE = server("table")


class Told:
    """A feed that tells what a test says, in the order in which it says so."""

    repeats = True

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._waiting: list[Entry] = []

    def tell(self, *announcements: Announcement) -> None:
        for announcement in announcements:
            order = (len(self._entries) + 1,)
            self._entries.append(Entry(order, self.s_of(order), announcement))
            self._waiting.append(self._entries[-1])

    async def open(self) -> Order:
        return (0,)

    async def next(self, is_heard: Callable[[], bool]) -> Heard:
        entries, self._waiting = self._waiting, []
        return Heard(entries, (len(self._entries),), True)

    def s_of(self, order: Order) -> str:
        return str(order[0])

    def cursor_of(self, s: str) -> Cursor:
        return Cursor((int(s),), 0)

    async def history(self, after: Order, until: Order) -> AsyncIterator[Sequence[Entry]]:
        yield [entry for entry in self._entries if after < entry.order <= until]

    async def close(self) -> None:
        pass


class Ear(Listener):
    def __init__(self) -> None:
        super().__init__()
        self.user_id = BEA
        self.heard: list[str] = []
        self.is_ended = False

    def flush(self) -> None:
        pending, self.pending = self.pending, []
        self.heard += [json.loads(payload_of(frame))["id"] for frame in pending]

    def end(self) -> None:
        self.is_ended = True


def said(id: str, topic: Topic = TABLE, **more: Any) -> Announcement:
    return Announcement(t="message.created", d=b"{}", topics=(topic,), id=id, **more)


JOIN = said("join", person(BEA), admits=(Admission(BEA, TABLE),))
KICK = said("kick", person(BEA), expels=(Expulsion(BEA, TABLE),))
RETURN = said("return", person(BEA), admits=(Admission(BEA, TABLE),))


@pytest.fixture
def feed() -> Told:
    return Told()


@pytest.fixture
async def hub(feed: Told) -> Hub:
    async def fresh(tenant: Tenant, user_id: UserId, inbox: str) -> bytes:
        raise AssertionError("nothing is asked for")

    hub = Hub(feed, fresh)
    await hub.open()
    return hub


async def listen(hub: Hub, *topics: Topic, after: int) -> Ear:
    ear = Ear()
    await hub.attach(ear, [Admission(BEA, topic) for topic in (person(BEA), *topics)], (after,))
    return ear


async def test_what_is_told_twice_is_heard_once_and_by_whoever_came_between_too(hub: Hub, feed: Told) -> None:
    before = await listen(hub, TABLE, after=0)
    feed.tell(said("hello"))
    await hub.step()
    between = await listen(hub, TABLE, after=1)
    feed.tell(said("hello"))
    await hub.step()

    assert before.heard == ["hello"]
    assert between.heard == ["hello"]


async def test_a_join_that_is_told_again_after_a_kick_lets_nobody_in(hub: Hub, feed: Told) -> None:
    bea = await listen(hub, after=0)
    feed.tell(JOIN, KICK, JOIN, said("secret"))
    await hub.step()
    feed.tell(KICK)
    await hub.step()

    assert bea.heard == ["join", "kick"]


async def test_a_kick_that_is_told_again_sends_nobody_out_who_came_back(hub: Hub, feed: Told) -> None:
    feed.tell(JOIN, KICK, RETURN)
    await hub.step()
    listening = await listen(hub, TABLE, after=3)
    feed.tell(KICK)
    await hub.step()
    # Comes in while the repeats are being told.
    arriving = await listen(hub, TABLE, after=3)
    feed.tell(RETURN, said("hello"))
    await hub.step()

    assert listening.heard[-1] == "hello"
    assert arriving.heard[-1] == "hello"


async def test_an_end_that_is_told_again_ends_no_later_socket(hub: Hub, feed: Told) -> None:
    over = await listen(hub, TABLE, after=0)
    end = Announcement(id="end", ends=(BEA,))
    feed.tell(end)
    await hub.step()
    fresh = await listen(hub, TABLE, after=1)
    feed.tell(end)
    await hub.step()

    assert over.is_ended
    assert not fresh.is_ended


async def test_somebody_whose_removal_the_feed_never_told_may_come_back(
    hub: Hub, feed: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sobremesa.live.barred.BARRED_SECONDS", -1.0)
    hub.send_out([Expulsion(BEA, TABLE)])
    bea = await listen(hub, TABLE, after=0)
    feed.tell(said("welcome back"))
    await hub.step()

    assert bea.heard == ["welcome back"]
