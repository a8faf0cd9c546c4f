"""Repeated events are delivered once, and subscriptions follow the memberships, not the events about them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from typing import Any

import pytest

from sobremesa.core.actor import UserId
from sobremesa.live.events import (
    AudienceChange,
    Event,
    MembershipKey,
    Publication,
    Topic,
    TopicMembership,
    TopicRemoval,
    server,
    user,
)
from sobremesa.live.feed import AllTopics, Cursor, Entry, FeedBatch, FeedPosition, IsNeeded, Page
from sobremesa.live.frames import payload_of
from sobremesa.live.hub import Hub
from sobremesa.live.recipient_payloads import RecipientPayloads
from sobremesa.live.replay import CAUGHT_UP
from sobremesa.live.subscriber import Subscriber

BEA = UserId("bea")
TABLE, OTHER = server("table"), server("other")


def position_of(number: int) -> FeedPosition:
    return FeedPosition(0, 0, "script", number)


class ScriptedFeed(AllTopics):
    """A feed of the events that a test publishes."""

    repeats = True

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._waiting: list[Entry] = []
        self.begins_anew = False
        self.missed: frozenset[Topic] = frozenset()

    def publish(self, *publications: Publication) -> None:
        for publication in publications:
            position = position_of(len(self._entries) + 1)
            self._entries.append(Entry(position, self.s_of(position), 0, publication))
            self._waiting.append(self._entries[-1])

    async def open(self, is_needed: IsNeeded) -> FeedPosition:
        return position_of(0)

    async def next(self, has_subscribers: Callable[[], bool]) -> FeedBatch:
        entries, self._waiting = self._waiting, []
        begins_anew, self.begins_anew = self.begins_anew, False
        missed, self.missed = self.missed, frozenset()
        return FeedBatch(entries, position_of(len(self._entries)), not begins_anew, begins_anew, missed)

    def s_of(self, position: FeedPosition, at_ms: int | None = None) -> str:
        return str(position.number)

    def cursor_of(self, s: str) -> Cursor:
        return Cursor(position_of(int(s)), 0)

    async def history(self, after: FeedPosition, until: FeedPosition, topics: Collection[Topic]) -> AsyncIterator[Page]:
        yield Page([entry for entry in self._entries if after < entry.position <= until], until)

    async def close(self) -> None:
        pass


class RecordingSubscriber(Subscriber):
    def __init__(self) -> None:
        super().__init__()
        self.user_id = BEA
        self.received: list[str] = []
        self.frames: list[bytes] = []
        self.is_ended = False
        self.on_drained: Callable[[], Awaitable[None]] | None = None

    async def drained(self) -> None:
        happens, self.on_drained = self.on_drained, None
        if happens is not None:
            await happens()

    def flush(self) -> None:
        pending, self.pending = self.pending, []
        self.frames += pending
        self.received += [json.loads(payload_of(frame))["id"] for frame in pending]

    def end(self) -> None:
        self.is_ended = True


def new_event(id: str, topic: Topic = TABLE, **changes: Any) -> Publication:
    event = Event(t="message.created", d=b"{}", topics=(topic,))
    return Publication(id=id, event=event, audience=AudienceChange(**changes) if changes else None)


def message_event(change: str) -> Publication:
    """Return an event of the message m1, whose id is what happened to it."""
    event = Event(t=f"message.{change}", d=b"{}", topics=(TABLE,), subject="m1")
    return Publication(id=change, event=event)


SHOWING = ("message.created", "message.updated")
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
        self.deleted: set[str] = set()
        """The subjects that are no longer visible."""
        self.after_look_up: Callable[[], None] | None = None

    async def memberships(self, seats: Collection[MembershipKey]) -> dict[MembershipKey, TopicMembership]:
        found = {} if self.bea is None else {seat: TopicMembership(*seat, since=self.bea) for seat in seats}
        for happens in self.meanwhile:
            happens()
        self.meanwhile = []
        return found

    def is_volatile(self, event: Event) -> bool:
        return False

    async def current(self, events: Sequence[Event]) -> Sequence[Event | None]:
        found = [None if event.subject in self.deleted and event.t in SHOWING else event for event in events]
        happens, self.after_look_up = self.after_look_up, None
        if happens is not None:
            happens()
        return found


@pytest.fixture
def rows() -> Rows:
    return Rows()


@pytest.fixture
def feed() -> ScriptedFeed:
    return ScriptedFeed()


@pytest.fixture
async def hub(feed: ScriptedFeed, rows: Rows) -> Hub:
    hub = Hub(feed, RecipientPayloads({}), rows.memberships, rows)
    await hub.open()
    return hub


async def subscribe(
    hub: Hub,
    *topics: Topic,
    after: int,
    at_ms: int = 0,
    since: str = "",
    who: UserId = BEA,
    has_snapshot: bool = False,
    on_drained: Callable[[], Awaitable[None]] | None = None,
) -> RecordingSubscriber:
    subscriber = RecordingSubscriber()
    subscriber.user_id = who
    subscriber.has_snapshot = has_snapshot
    subscriber.on_drained = on_drained

    async def admissions() -> list[TopicMembership]:
        return [TopicMembership(who, user(who)), *(TopicMembership(who, topic, since=since) for topic in topics)]

    async with hub.attaching(subscriber):
        await hub.attach(subscriber, await admissions(), Cursor(position_of(after), at_ms), admissions)
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


async def test_client_that_is_ahead_of_the_node_receives_nothing_from_before_its_cursor(
    hub: Hub, feed: ScriptedFeed
) -> None:
    """It resumes at a node that was paused: it has received the deletion, and would drop its event."""
    await subscribe(hub, TABLE, after=0)
    ahead = await subscribe(hub, TABLE, after=2)
    feed.publish(message_event("created"), message_event("deleted"), new_event("hello"))
    await hub.step()
    feed.publish(new_event("bye"))
    await hub.step()

    assert ahead.received == ["hello", "bye"]


async def test_repeated_join_after_a_kick_subscribes_no_user(hub: Hub, feed: ScriptedFeed) -> None:
    bea = await subscribe(hub, after=0)
    feed.publish(JOIN, KICK, JOIN, new_event("secret"))
    await hub.step()
    feed.publish(KICK)
    await hub.step()

    assert bea.received == ["kick"]


async def test_join_reported_after_the_kick_subscribes_no_user(hub: Hub, feed: ScriptedFeed) -> None:
    bea = await subscribe(hub, after=0)
    feed.publish(KICK)
    await hub.step()
    feed.publish(JOIN, new_event("secret"))
    await hub.step()

    assert bea.received == ["kick"]


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

    assert bea.received == []


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
    end = Publication(id="end", audience=AudienceChange(ends=(BEA,)))
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


async def test_frames_are_encoded_once_and_the_author_gets_their_own_fields(hub: Hub, feed: ScriptedFeed) -> None:
    phone, laptop = [await subscribe(hub, TABLE, after=0) for _ in range(2)]
    others = [await subscribe(hub, TABLE, after=0, who=UserId("carl")) for _ in range(2)]
    event = Event(t="message.created", d=b'{"a":1}', topics=(TABLE,), author=BEA, private=b'"nonce":"n"')
    feed.publish(Publication(id="hello", event=event))
    await hub.step()

    assert phone.frames[0] is laptop.frames[0]
    assert others[0].frames[0] is others[1].frames[0]
    assert json.loads(payload_of(phone.frames[0]))["d"] == {"a": 1, "nonce": "n"}
    assert json.loads(payload_of(others[0].frames[0]))["d"] == {"a": 1}


async def test_message_that_overtook_a_join_is_replayed_if_its_repeat_comes_meanwhile(
    hub: Hub, feed: ScriptedFeed, rows: Rows
) -> None:
    rows.bea = FIRST
    others = [new_event(f"{number}", user(BEA)) for number in range(CAUGHT_UP + 1)]
    feed.publish(new_event("overtook"), JOIN, *others)
    await hub.step()

    async def repeat() -> None:
        feed.publish(new_event("overtook"))
        await hub.step()

    bea = await subscribe(hub, TABLE, after=0, at_ms=1, since=FIRST, on_drained=repeat)

    assert "overtook" in bea.received


async def test_message_from_before_a_join_is_not_replayed_if_both_are_repeated(
    hub: Hub, feed: ScriptedFeed, rows: Rows
) -> None:
    rows.bea = FIRST
    feed.publish(new_event("before"), JOIN, new_event("before"), JOIN, new_event("after"))
    await hub.step()

    bea = await subscribe(hub, TABLE, after=0, at_ms=1, since=FIRST)

    assert set(bea.received) == {"join", "after"}


async def test_copy_of_a_deleted_message_is_not_delivered_to_who_connected_since(
    hub: Hub, feed: ScriptedFeed, rows: Rows
) -> None:
    await subscribe(hub, TABLE, after=0)
    created = message_event("created")
    feed.publish(created)
    await hub.step()
    rows.deleted.add("m1")
    hub.invalidate("m1")
    arriving = await subscribe(hub, TABLE, after=1)
    feed.publish(created, message_event("deleted"))
    await hub.step()

    assert arriving.received == ["deleted"]


async def test_copy_of_a_message_that_is_deleted_while_it_is_looked_up_is_not_delivered(
    hub: Hub, feed: ScriptedFeed, rows: Rows
) -> None:
    await subscribe(hub, TABLE, after=0)
    created = message_event("created")
    feed.publish(created)
    await hub.step()
    hub.invalidate("m1")  # an edit
    arriving = await subscribe(hub, TABLE, after=1)

    def delete() -> None:
        rows.deleted.add("m1")
        hub.invalidate("m1")

    rows.after_look_up = delete
    feed.publish(created)
    await hub.step()

    assert arriving.received == []


def reaction_event(number: int) -> Publication:
    return Publication(id=f"reaction {number}", event=Event(t="reaction.added", d=b"{}", topics=(TABLE,), subject="m1"))


async def test_copies_of_changes_are_delivered_to_who_connected_since(hub: Hub, feed: ScriptedFeed) -> None:
    """Who connected since may know the message without them, if the first of the copies shows it as it was."""
    await subscribe(hub, TABLE, after=0)
    edits = [Publication(id=f"edit {n}", event=message_event("updated").event) for n in range(2)]
    changes = [message_event("created"), edits[0], reaction_event(1), edits[1], reaction_event(2)]
    feed.publish(*changes)
    await hub.step()
    arriving = await subscribe(hub, TABLE, after=len(changes))
    feed.publish(*changes)
    await hub.step()

    assert arriving.received == [each.id for each in changes]


async def test_copy_shows_no_less_than_it_was_published_with(hub: Hub, feed: ScriptedFeed) -> None:
    """A message that is published again has the reactions of now, unlike its first event."""
    await subscribe(hub, TABLE, after=0)
    feed.publish(message_event("created"), message_event("updated"))
    await hub.step()
    await subscribe(hub, TABLE, after=0)  # looks up what the first event shows now
    arriving = await subscribe(hub, TABLE, after=2)
    event = Event(t="message.created", d=b'{"reactions":[1]}', topics=(TABLE,), subject="m1")
    feed.publish(Publication(id="created", event=event))
    await hub.step()

    assert [json.loads(payload_of(frame))["d"] for frame in arriving.frames] == [{"reactions": [1]}]


async def test_repeats_after_a_deletion_do_not_show_the_message_in_a_replay(
    hub: Hub, feed: ScriptedFeed, rows: Rows
) -> None:
    await subscribe(hub, TABLE, after=0)
    rows.deleted.add("m1")
    feed.publish(message_event("created"), message_event("deleted"))
    await hub.step()
    feed.publish(message_event("created"))
    await hub.step()
    arriving = await subscribe(hub, TABLE, after=2)

    assert arriving.received == []


async def test_repeated_removal_is_not_delivered_to_who_has_returned_since(
    hub: Hub, feed: ScriptedFeed, rows: Rows
) -> None:
    rows.bea = SECOND
    bea = await subscribe(hub, TABLE, after=0, since=SECOND)
    feed.publish(KICK, RETURN)  # the hub has started since, and has not seen them before
    await hub.step()

    assert bea.received == ["return"]


async def test_removal_is_delivered_to_who_returns_before_it_is_reported(
    hub: Hub, feed: ScriptedFeed, rows: Rows
) -> None:
    bea = await subscribe(hub, TABLE, after=0, since=FIRST)
    rows.bea = SECOND
    feed.publish(KICK, RETURN, new_event("hello"))
    await hub.step()

    assert bea.received == ["kick", "return", "hello"]


async def test_earlier_removal_is_not_delivered_to_who_received_the_event_of_their_return(
    hub: Hub, feed: ScriptedFeed, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "looks_back_to", lambda member: 0)  # as on several nodes
    bea = await subscribe(hub, after=0)
    rows.bea = SECOND
    feed.publish(RETURN)
    await hub.step()
    feed.publish(KICK)  # published again after the streams were lost, which this node had not received
    await hub.step()

    assert bea.received == ["return"]


@pytest.mark.parametrize("is_one_batch", [False, True])
async def test_new_member_does_not_receive_what_was_deleted_after_it_joined(
    hub: Hub, feed: ScriptedFeed, rows: Rows, monkeypatch: pytest.MonkeyPatch, is_one_batch: bool
) -> None:
    """It may have received the deletion before, in a replay, and would drop its event."""
    monkeypatch.setattr(feed, "looks_back_to", lambda member: 0)  # as on several nodes
    bea = await subscribe(hub, after=0)
    rows.bea = FIRST
    rows.deleted.add("m1")
    feed.publish(message_event("created"), message_event("updated"), message_event("deleted"))
    if not is_one_batch:
        await hub.step()
    feed.publish(JOIN)
    await hub.step()

    assert bea.received == ["join", "deleted"]


async def test_new_member_does_not_receive_what_this_process_deletes_meanwhile(
    hub: Hub, feed: ScriptedFeed, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "looks_back_to", lambda member: 0)
    bea = await subscribe(hub, after=0)
    rows.bea = FIRST
    feed.publish(message_event("created"), message_event("updated"))
    await hub.step()
    rows.after_look_up = lambda: hub.invalidate("m1", is_gone=True)
    feed.publish(JOIN)
    await hub.step()

    assert bea.received == ["join"]


async def test_removal_is_delivered_although_the_return_was_read_before(
    hub: Hub, feed: ScriptedFeed, rows: Rows
) -> None:
    bea = await subscribe(hub, TABLE, after=0, since=FIRST)
    rows.bea = SECOND
    hub.suspect(MembershipKey(BEA, TABLE))
    feed.publish(new_event("hello"))
    await hub.step()
    feed.publish(KICK, RETURN)
    await hub.step()

    assert bea.received == ["hello", "kick", "return"]


async def test_join_of_an_earlier_membership_is_not_delivered(hub: Hub, feed: ScriptedFeed, rows: Rows) -> None:
    bea = await subscribe(hub, after=0)
    rows.bea = SECOND
    feed.publish(JOIN, KICK, RETURN, new_event("hello"))
    await hub.step()

    assert bea.received == ["kick", "return", "hello"]


@pytest.mark.parametrize(("has_snapshot", "received"), [(True, ["return"]), (False, ["kick", "return"])])
async def test_replay_informs_of_an_earlier_removal_only_who_does_not_know_the_return(
    hub: Hub, feed: ScriptedFeed, rows: Rows, has_snapshot: bool, received: list[str]
) -> None:
    """A client that has just received its snapshot may have received the event of the return before, and drop it."""
    rows.bea = SECOND
    feed.publish(JOIN, KICK, RETURN)
    await hub.step()
    bea = await subscribe(hub, TABLE, after=0, since=SECOND, has_snapshot=has_snapshot)

    assert bea.received == received


async def test_membership_that_begins_during_a_replay_is_not_known_from_the_snapshot(
    hub: Hub, feed: ScriptedFeed, rows: Rows
) -> None:
    rows.bea = FIRST
    feed.publish(*[new_event(f"{number}") for number in range(CAUGHT_UP + 1)])
    await hub.step()
    subscriber = RecordingSubscriber()
    subscriber.has_snapshot = True

    async def admissions() -> list[TopicMembership]:
        return [TopicMembership(BEA, user(BEA)), TopicMembership(BEA, TABLE, since=rows.bea or "")]

    async def leave_and_return() -> None:
        rows.bea = SECOND
        feed.publish(KICK, RETURN)
        await hub.step()

    subscriber.on_drained = leave_and_return
    async with hub.attaching(subscriber):
        await hub.attach(subscriber, await admissions(), Cursor(position_of(0), 0), admissions)

    assert subscriber.received[-2:] == ["kick", "return"]


async def test_copies_after_a_restart_do_not_show_a_deleted_message_in_a_replay(
    hub: Hub, feed: ScriptedFeed, rows: Rows
) -> None:
    await subscribe(hub, TABLE, after=0)
    rows.deleted.add("m1")
    feed.publish(message_event("deleted"), message_event("created"))  # the hub has not seen the first of these before
    await hub.step()
    arriving = await subscribe(hub, TABLE, after=0)

    assert arriving.received == ["deleted"]


async def test_subscribers_are_ended_if_events_were_lost(hub: Hub, feed: ScriptedFeed) -> None:
    connected = await subscribe(hub, TABLE, after=0)
    feed.publish(*[new_event(f"{number}") for number in range(CAUGHT_UP + 1)])
    await hub.step()

    async def lose() -> None:
        feed.begins_anew = True
        await hub.step()

    arriving = await subscribe(hub, TABLE, after=0, on_drained=lose)

    assert connected.is_ended
    assert arriving.is_ended
    assert not hub.has_subscribers()


async def test_only_subscribers_of_a_topic_are_ended_if_its_events_were_lost(hub: Hub, feed: ScriptedFeed) -> None:
    missing, other = await subscribe(hub, TABLE, after=0), await subscribe(hub, OTHER, after=0)
    feed.missed = frozenset([TABLE, Topic("server:nobody")])
    feed.publish(new_event("after", OTHER))
    await hub.step()

    assert missing.is_ended
    assert not other.is_ended
    assert other.received == ["after"]


async def test_content_that_this_process_has_deleted_is_not_delivered_late(
    hub: Hub, feed: ScriptedFeed, rows: Rows
) -> None:
    """The feed may be seconds behind, such as while Redis does not answer."""
    connected = await subscribe(hub, TABLE, after=0)
    rows.deleted.add("m1")
    hub.invalidate("m1", is_gone=True)
    feed.publish(message_event("created"))
    await hub.step()
    feed.publish(message_event("updated"))
    await hub.step()
    arriving = await subscribe(hub, TABLE, after=0)
    assert connected.received == arriving.received == []

    feed.publish(
        message_event("deleted"), Publication(id="new", event=Event(t="message.created", d=b"{}", topics=(TABLE,)))
    )
    await hub.step()

    assert connected.received == arriving.received == ["deleted", "new"]
