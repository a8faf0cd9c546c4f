"""The hub delivers each event to the subscribers of its topics, in the order of the feed.

It never waits for a client: an event goes into the buffers of its subscribers, and each buffer is flushed once at the
end of a batch. Recent events are kept, so that a new or returning subscriber gets what it missed (`replay`) and then
new events, with nothing in between.

The audience of a topic is its membership as it is now. A membership change in the feed, which may come late or twice,
only causes that membership to be read again, consistently, before the batch is delivered.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TypeAlias

import structlog

from sobremesa.core.actor import UserId
from sobremesa.live.ahead import AheadSubscribers
from sobremesa.live.current_content import CurrentEvents
from sobremesa.live.events import (
    Event,
    MembershipKey,
    Topic,
    TopicMembership,
    server_of,
    subject_of,
)
from sobremesa.live.feed import Cursor, Entry, Feed, FeedBatch, FeedPosition
from sobremesa.live.frames import event_payload, text_frame
from sobremesa.live.lazy_delivery import DEFAULT_CROWD, LazyDelivery
from sobremesa.live.look_back import LookedBack
from sobremesa.live.membership_checks import MembershipChecks, over_in
from sobremesa.live.recent_events import RecentEvents
from sobremesa.live.recipient_payloads import Broadcasts, RecipientPayloads, is_broadcast
from sobremesa.live.repeats import Repeats
from sobremesa.live.replay import LoadMemberships, Replay
from sobremesa.live.subscriber import Subscriber, Subscription, frame_for
from sobremesa.live.subscriber_index import SubscriberIndex
from sobremesa.live.unsubscriptions import Unsubscriptions

PAUSE_SECONDS = 1.0
AT_ONCE = 500
"""How many subscribers are flushed before other tasks get a turn."""

Memberships: TypeAlias = Callable[[Collection[MembershipKey]], Awaitable[Mapping[MembershipKey, TopicMembership]]]
"""Returns those of these memberships that exist now, read consistently."""

_log = structlog.get_logger("sobremesa.live")


class Hub:
    """All subscribers of one process."""

    def __init__(
        self,
        feed: Feed,
        payloads: RecipientPayloads,
        memberships: Memberships,
        lookup: CurrentEvents,
        *,
        crowd: int = DEFAULT_CROWD,
    ) -> None:
        self._feed = feed
        self._payloads = payloads
        self._memberships = memberships
        self._index = index = SubscriberIndex()
        self.subscribers_of, self.audience = index.count_of, index.audience
        self.users_in, self.topics_of = index.users_in, index.topics_of
        self._attaching: list[Subscriber] = []
        self._recent = RecentEvents()
        self._checks = MembershipChecks(index)
        self.lazy = LazyDelivery(index, self._checks, self._recent, feed, crowd)
        self._replay = Replay(feed, self._recent, payloads, lookup, self.lazy)
        self._broadcasts = Broadcasts(payloads, index.all_users_in, self._publish_to_user)
        self._repeats = Repeats(index, self._recent, self._replay, may_come=feed.repeats)
        self._undelivered: FeedBatch | None = None
        """A batch from the feed that is not delivered yet; retried if delivery fails."""
        self._unsubscriptions = Unsubscriptions(index)
        self._looked_back = LookedBack({}, {})
        """What those who are about to be subscribed may have missed."""
        self._gained: list[tuple[Subscriber, TopicMembership]] = []
        """Who was subscribed, and may have missed something."""
        self._ahead = AheadSubscribers()
        self._unflushed: dict[Subscriber, None] = {}
        """Who has ephemeral events in the buffer."""
        self.delivered = 0

    # Running

    async def open(self) -> None:
        """Open the feed."""
        self._recent.reset(await self._feed.open(self._is_needed))

    async def run(self) -> None:
        """Deliver the events of the feed until cancelled."""
        while True:
            try:
                await self.step()
            except Exception as error:
                _log.warning("the event feed failed; retrying", why=f"{type(error).__name__}: {error}")
                await asyncio.sleep(PAUSE_SECONDS)

    async def step(self) -> None:
        """Wait for the next batch and deliver it."""
        if self._undelivered is None:
            self._undelivered = await self._feed.next(self.has_subscribers)
        entries, position, is_complete, begins_anew, missed = self._undelivered
        entries, members = await self._resolve(entries)
        # No await from here on: what was read must still be true when it is applied.
        if begins_anew or missed:
            self._interrupt(None if begins_anew else missed)
        touched = self._deliver(entries, members)
        self._undelivered = None
        self._recent.advance(position)
        self._ahead.settle(position)
        if not is_complete:
            self._recent.reset(position)  # a subscriber attached meanwhile reads the rest from the feed
            self._replay.clear()
        await self._flush(touched)

    def position(self) -> str:
        """Return the cursor up to which everything was delivered."""
        return self._feed.s_of(self._recent.position)

    # Subscriptions

    async def attach(
        self, subscriber: Subscriber, memberships: Iterable[TopicMembership], after: Cursor, load: LoadMemberships
    ) -> Cursor | None:
        """Attach a subscriber at a cursor: deliver the events that it missed, then new ones.

        The subscriber must be `attaching` since before its memberships were read; `load` reads them again if they have
        changed since. Raises Trimmed if the missed events are no longer kept, and TooSlow if the client does not read
        them. A subscriber that stops wanting more is not attached; the cursor that it reached is returned.
        """
        subscriber.subscribe(memberships, self._recent.count)
        missed = await self._replay.run(subscriber, after, load)
        if isinstance(missed, Cursor):
            self.lazy.report_missed(subscriber)
            return missed
        # No await from here on, so that no event can come in between.
        if subscriber.is_interrupted:
            subscriber.interrupt()
            return None
        self._replay.finish(subscriber, missed)
        if subscriber.is_over:
            subscriber.end()
            return None
        subscriber.note_caught_up()
        self._ahead.note(subscriber, after.position, self._recent.position)
        for topic in subscriber.subscriptions:
            self._index.by_topic[topic].add(subscriber)
        for topic in subscriber.lost:
            self._unsubscriptions.early[topic].add(subscriber)
        self._index.add(subscriber)
        self._index.watch(subscriber, subscriber.watched)
        subscriber.deliver_ephemeral()
        return None

    async def missing(self, memberships: Iterable[TopicMembership], after: FeedPosition) -> set[Topic]:
        """Return the topics of which not all events after a position are kept."""
        topics = {membership.topic for membership in memberships}
        await self._feed.cover(topics)  # what comes from here on is received: only what came before may be missing
        return set() if self._replay.has_in_memory(topics, after) else await self._feed.missing(after, topics)

    async def catch_up(
        self, subscriber: Subscriber, memberships: Iterable[TopicMembership], after: Cursor, load: LoadMemberships
    ) -> None:
        """Deliver the events that a subscriber missed up to now, as `attach` does, without attaching it."""
        subscriber.subscribe(memberships, self._recent.count)
        missed = await self._replay.run(subscriber, after, load)
        if not isinstance(missed, Cursor):
            self._replay.finish(subscriber, missed)

    async def cover(self, topics: Collection[Topic]) -> None:
        """Receive the events of these topics, before there is a subscriber."""
        await self._feed.cover(topics)

    def renew(self, subscriber: Subscriber, session_id: str | None) -> None:
        """Let a subscriber end with another session, or server key, than before."""
        if session_id == subscriber.session_id:
            return
        is_attached = subscriber in self._index.by_subject.get(subscriber.user_id, ())
        self._index.remove(subscriber)
        subscriber.session_id = session_id
        if is_attached:
            self._index.add(subscriber)

    def detach(self, subscriber: Subscriber) -> None:
        """Remove a subscriber."""
        self._index.watch(subscriber, ())
        self._ahead.discard(subscriber)
        for topic in subscriber.subscriptions:
            self._index.discard(topic, subscriber)
        for topic in list(self._unsubscriptions.early):
            self._unsubscriptions.settle_early(topic, subscriber)
        subscriber.subscriptions = {}
        subscriber.pending = []
        self._index.remove(subscriber)

    def attaching_of(self, user_id: UserId) -> int:
        """Return how many subscribers of a user are being attached."""
        return sum(subscriber.user_id == user_id for subscriber in self._attaching)

    def has_subscribers(self) -> bool:
        """Return whether there is a subscriber, or one is being attached."""
        return bool(self._index.by_subject or self._attaching)

    def _is_needed(self, topic: Topic) -> bool:
        return topic in self._index.by_topic or any(topic in each.subscriptions for each in self._attaching)

    @asynccontextmanager
    async def attaching(self, subscriber: Subscriber) -> AsyncIterator[None]:
        """Keep all events for a subscriber that is about to be attached, and watch its memberships."""
        self._attaching.append(subscriber)
        try:
            yield
        finally:
            self._attaching.remove(subscriber)

    # Publishing

    def publish(self, event: Event, *, without: UserId | None = None, max_subscribers: int | None = None) -> None:
        """Deliver an ephemeral event, such as typing or presence, to all subscribers but those of one user.

        It is not delivered to topics with more subscribers than the maximum.
        """
        frame = text_frame(event_payload(event.t, event.d))
        topics: Sequence[Topic] = event.topics
        if max_subscribers is not None:
            topics = [topic for topic in topics if len(self._index.by_topic.get(topic, ())) <= max_subscribers]
        if self._checks.has_rechecks:
            topics = [topic for topic in topics if server_of(topic) is None]  # who may receive it is being read
        for subscriber in self._attaching:
            subscriber.keep_ephemeral(frame, topics, without)
        is_lazy = bool(topics) and self.lazy.applies_to(event)
        for subscriber in self.lazy.recipients(event) if is_lazy else self._index.subscribers_to(topics):
            if subscriber.user_id != without:
                self._flush_soon(subscriber, frame)

    def _flush_soon(self, subscriber: Subscriber, frame: bytes) -> None:
        """Send a frame with all others of this iteration of the event loop, in one piece.

        When many users connect at once, a subscriber receives the presence of each of them.
        """
        subscriber.pending.append(frame)
        if not self._unflushed:
            asyncio.get_running_loop().call_soon(self._flush_now)
        self._unflushed[subscriber] = None

    def _flush_now(self) -> None:
        unflushed, self._unflushed = self._unflushed, {}
        for subscriber in unflushed:
            if subscriber.pending:
                subscriber.flush()

    def _publish_to_user(self, user_id: UserId, id: str, event: Event) -> None:
        """Deliver an event to one user, after everything that was delivered before."""
        frame = text_frame(event_payload(event.t, event.d, self.position(), id))
        for subscriber in self._index.by_subject.get(user_id, ()):
            subscriber.pending.append(frame)
            subscriber.flush()

    def disconnect(self, keys: Sequence[MembershipKey]) -> None:
        """Unsubscribe members whose memberships this process has ended, before the feed reports it."""
        for key in keys:
            self._checks.note_removal()
            self._mark_stale(key.user_id)
            self._unsubscriptions.unsubscribe(key)

    def suspect(self, key: MembershipKey) -> None:
        """Note that another node has ended a membership; its row is read again before the next event is delivered."""
        self._checks.suspect(key)
        self._mark_stale(key.user_id)

    def recheck(self, topic: Topic, user_id: UserId | None = None) -> None:
        """Note that this process has changed the access list of a channel, or a member's role in a server.

        The subscriptions that depend on it are read again before the next event is delivered, which may be one that
        overtakes the change in the feed.
        """
        self._checks.recheck(topic, user_id)
        self._mark_stale(user_id)

    def invalidate(self, subject: str, *, is_gone: bool = False) -> None:
        """Note that this process has changed a subject: replay shows its new state before the feed reports it.

        If it is gone, its events that the feed has not reported yet are not delivered either.
        """
        self._recent.mark_changed(subject, is_gone=is_gone)
        self._replay.invalidate(subject)
        self._repeats.invalidate(subject)

    def end(self, subjects: Iterable[str]) -> None:
        """End the subscribers of these sessions or users."""
        for subject in subjects:
            for subscriber in list(self._index.by_subject.get(subject_of(subject), ())):
                self.detach(subscriber)
                subscriber.end()

    # Inside

    def _interrupt(self, topics: Collection[Topic] | None) -> None:
        """Interrupt the subscribers of these topics, or all if None: events were lost."""
        self._replay.clear()
        self._repeats.clear()
        if topics is None:
            self.lazy.clear()
        for subscriber in self._attaching:
            subscriber.is_interrupted = True  # even if it is not known yet which topics it is subscribed to
        by_topics = (
            self._index.by_subject.values()
            if topics is None
            else [self._index.by_topic.get(topic, ()) for topic in topics]
        )
        for subscriber in list(dict.fromkeys(each for some in by_topics for each in some)):
            self.detach(subscriber)
            subscriber.interrupt()

    async def _resolve(
        self, entries: Sequence[Entry]
    ) -> tuple[Sequence[Entry], Mapping[MembershipKey, TopicMembership]]:
        """Return the entries with resolved payloads, and the current state of the memberships that they change.

        Repeats if a subscriber was attached meanwhile, or this process ended a membership.
        """
        while True:
            keys, count = self._checks.pending(entries), self._checks.count
            members = await self._memberships(keys) if keys else {}
            await self._look_back(members.values(), entries)
            await self._repeats.look_up(entries)
            entries = await self._payloads.resolve_all(entries, self._index.by_topic)
            is_settled = count == self._checks.count and self._checks.pending(entries) <= keys
            is_settled = is_settled and self._repeats.are_known(entries)
            if is_settled and not self._payloads.are_missing(entries, self._index.by_topic):
                return entries, {key: member for key in keys if (member := members.get(key)) is not None}

    async def _look_back(self, members: Iterable[TopicMembership], coming: Sequence[Entry]) -> None:
        """Receive the topics of those who are about to be subscribed, and read what they may have missed."""
        gaining = [
            member
            for member in members
            if any(member.topic not in each.subscriptions for each in self._index.by_subject.get(member.user_id, ()))
        ]
        await self._feed.cover({member.topic for member in gaining})
        self._looked_back = await self._replay.look_back(gaining, coming)

    def _deliver(self, entries: Sequence[Entry], members: Mapping[MembershipKey, TopicMembership]) -> list[Subscriber]:
        """Put events into the buffers of their subscribers; return the subscribers to flush."""
        touched: dict[Subscriber, None] = {}
        for entry in entries:
            first = self._repeats.note(entry)
            self._recent.add(entry)
            change = entry.audience if first is None else None  # only the first changes subscriptions
            if change is not None:
                for membership in change.adds:
                    self._mark_stale(membership.user_id)
                    self._unsubscriptions.forget_loss(membership.user_id, membership.topic)
                    self._subscribe(members.get(MembershipKey(membership.user_id, membership.topic)), membership)
                for topic in change.rechecks:
                    self._mark_stale(None)
                    self._apply(self._checks.in_channel(topic), members)
            event = self._repeats.current(entry, is_first=first is None)
            if event is not None:
                self._put(entry.with_event(event), event, first, touched, without=over_in(entry, members))
            self._put_missed(entry, touched)
            if change is not None:
                for removal in change.removes:
                    self._mark_stale(removal.user_id)
                    self._unsubscriptions.remove(removal)
                self.end(change.ends)
        # Whatever the events are, and in which order: this is the current state.
        self._apply(self._checks.pending(entries), members)
        self._put_missed(None, touched)
        self._checks.clear()
        return list(touched)

    def _put_missed(self, current: Entry | None, touched: dict[Subscriber, None]) -> None:
        """Put what new members have missed into their buffers, after the event that they joined."""
        gained, self._gained = self._gained, []
        for subscriber, member in gained:
            for entry in self._replay.missed_by(subscriber, member, self._looked_back):
                if current is None or entry.id != current.id:
                    subscriber.pending.append(frame_for(subscriber, entry))
                    touched[subscriber] = None

    def _apply(self, keys: Iterable[MembershipKey], members: Mapping[MembershipKey, TopicMembership]) -> None:
        """Subscribe those whose membership exists, and unsubscribe the others."""
        for key in keys:
            member = members.get(key)
            self._subscribe(member) if member is not None else self._unsubscriptions.unsubscribe_early(key)

    def _put(
        self,
        entry: Entry,
        event: Event,
        first: int | None,
        touched: dict[Subscriber, None],
        *,
        without: Collection[UserId],
    ) -> None:
        if event.supersedes:
            self._replay.invalidate(event.subject)
        if is_broadcast(event):
            self._broadcasts.start(entry.id, event)
            return
        receiving = self._recipients(entry, event, first)
        if without:
            receiving = [each for each in receiving if each.user_id not in without]
        if not receiving:
            return
        if event.full is None:
            frame = entry.frame
            for subscriber in receiving:
                subscriber.pending.append(frame)
            if event.private and event.author is not None:
                # The author's few subscribers are looked up, so that the loop above compares no users.
                for subscriber in self._index.by_subject.get(event.author, ()):
                    if subscriber in receiving:
                        subscriber.pending[-1] = entry.author_frame
        else:
            for subscriber in receiving:
                subscriber.pending.append(frame_for(subscriber, entry))
        touched.update(dict.fromkeys(receiving))
        self.delivered += len(receiving)

    def _recipients(self, entry: Entry, event: Event, first: int | None) -> Collection[Subscriber]:
        """Return the subscribers that receive an event, which may be a repeated one."""
        if self.lazy.applies_to(event):
            receiving = self.lazy.recipients(event)
            if first is None:
                self.lazy.note(entry, event)
        else:
            receiving = self._index.subscribers_to(event.topics)
        if entry.audience is not None and entry.audience.removes and self._feed.repeats:
            removes = entry.audience.removes
            receiving = [each for each in receiving if not each.has_returned_since(removes)]
        if first is None:
            if entry.audience is not None and (ended := entry.audience.ended_topics):
                receiving = set(receiving).union(*(self._unsubscriptions.early.pop(topic, ()) for topic in ended))
        else:
            # A repeated event is only for subscribers that were attached since the first.
            receiving = [each for each in receiving if each.has_subscribed_since(first, event.topics)]
        receiving = self._ahead.without(receiving, entry)
        if event.without:
            # Also for those whose role changed at the same time: they were unsubscribed, whatever they are now.
            lost = self._unsubscriptions.early.get(event.without, ())
            receiving = [each for each in receiving if each.is_addressed(event) or each in lost]
            for each in receiving:
                self._unsubscriptions.settle_early(event.without, each)
        if (hidden := _hidden_channel(entry, event)) is not None:
            # A role and an access list that change in a row may both report it.
            receiving = [each for each in receiving if each.note_loss(hidden)]
        return receiving

    async def _flush(self, touched: Sequence[Subscriber]) -> None:
        for number, subscriber in enumerate(touched, 1):
            if subscriber.pending:
                subscriber.flush()
            if number % AT_ONCE == 0:
                await asyncio.sleep(0)

    def _mark_stale(self, user_id: UserId | None) -> None:
        """Mark the memberships of subscribers being attached as possibly outdated."""
        for subscriber in self._attaching:
            if user_id is None or subscriber.user_id == user_id:
                subscriber.is_stale = True

    def _subscribe(self, member: TopicMembership | None, reported: TopicMembership | None = None) -> None:
        """Subscribe a user by a membership as the table has it; `reported` is that of the event that comes next."""
        if member is None:
            return
        is_reported = reported is not None and reported.since == member.since
        for subscriber in self._index.by_subject.get(member.user_id, ()):
            known = subscriber.subscriptions.get(member.topic)
            since = self._recent.count if known is None else known.after
            if known is None and self._feed.looks_back_to(member) is not None:
                self._gained.append((subscriber, member))
                since = -1  # what is repeated has been delivered
            is_known = is_reported or (known is not None and known.is_known and known.since == member.since)
            subscriber.subscriptions[member.topic] = Subscription.by(member, since, is_known=is_known)
            subscriber.forget_loss(member.topic)
            self._index.by_topic[member.topic].add(subscriber)
            self._unsubscriptions.settle_early(member.topic, subscriber)


def _hidden_channel(entry: Entry, event: Event) -> Topic | None:
    """Return the topic of the channel that users no longer see, if an event reports that."""
    if event.without:
        return event.without
    if entry.audience is None:
        return None
    removed = (each.topic for each in entry.audience.removes if each.user_id is not None)
    return next((topic for topic in removed if server_of(topic) is not None), None)
