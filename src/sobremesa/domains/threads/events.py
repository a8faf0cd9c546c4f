"""The events of threads, their cards and tabs."""

from __future__ import annotations

from sobremesa.core.clock import Clock
from sobremesa.core.ids import RoomId
from sobremesa.domains.threads import card_reader, tabs
from sobremesa.domains.threads.access import RIGHTS
from sobremesa.domains.threads.card_reader import CardReader
from sobremesa.domains.threads.card_types import CardTypes
from sobremesa.domains.threads.entities import (
    THREADS,
    Card,
    Participant,
    Tab,
    Thread,
    card_by_id,
    tab_by_name,
    thread_by_id,
)
from sobremesa.domains.threads.views import CardView, LiveThread, TabView, card_view, live_thread, tab_view
from sobremesa.live.events import (
    EventType,
    Publication,
    TopicMembership,
    TopicRemoval,
    audience_change,
    user,
    version_of,
)
from sobremesa.live.events import thread as topic_of
from sobremesa.live.translation import Seen, Translation
from sobremesa.rooms import events as rooms
from sobremesa.rooms.access import UserDirectory
from sobremesa.rooms.events import LiveParticipant, ParticipantGone, RoomEvents, RoomTopic
from sobremesa.rooms.visibility import is_withheld
from sobremesa.table import Key, Table
from sobremesa.table.cache import Cache

CACHE_SIZE = 50_000


thread_created = EventType("thread.created", LiveThread, "A thread with you was created, or you were added to one.")
thread_updated = EventType(
    "thread.updated",
    LiveThread,
    "A thread was opened, archived, locked or otherwise changed. A new message alone does not cause it.",
    to="the participants of the thread",
)
card_updated = EventType(
    "card.updated", CardView, "An action card was created, or changed its state.", to="the participants of the thread"
)
tab_updated = EventType(
    "tab.updated", TabView, "The content of a tab of the project panel changed.", to="the participants of the thread"
)

_VISIBLE = (
    "kind",
    "status",
    "locked_by",
    "buyer_user_id",
    "seller_user_id",
    "participants",
    "listing_id",
    "lbg_id",
    "leg_id",
    "city",
    "safe_mode_required",
    "data",
)
"""The attributes of a thread's row that clients see, besides those of its last message."""


class ThreadEvents:
    """Maps changed rows of threads to events."""

    def __init__(self, table: Table, clock: Clock, users: UserDirectory) -> None:
        self._table = table
        self._clock = clock
        self._users = users
        self._cards = CardReader(table, CardTypes())
        self._topics: Cache[RoomId, RoomTopic] = Cache(CACHE_SIZE)
        self.rooms = RoomEvents(THREADS, table, users, self.find_topic)

    def register(self, translation: Translation) -> None:
        translation.on(Thread, self._thread, fields=_VISIBLE)
        translation.on(Participant, self._participant, fields=("role_context", "blocked_until"))
        translation.on(Card, self._card, fields=("state", "version", "payload", "expires_at", "flags", "nsfw_band"))
        translation.on(Tab, self._tab, fields=("content", "source_version", "updated_at", "flags", "nsfw_band"))
        self.rooms.register(translation)
        translation.on_replay_by_row("thread", [card_updated], _card_key, self._card)
        translation.on_replay_by_row("thread", [tab_updated], _tab_key, self._tab)

    async def find_topic(self, room_id: RoomId) -> RoomTopic | None:
        """Return the topic of a thread and whether it has safe mode; None if it does not exist."""
        room = self._topics.find(room_id)
        if room is None:
            thread = await self._table.get(thread_by_id(room_id=room_id))
            if thread is None:
                return None
            room = self._cache_room(thread)
        return room

    async def _thread(self, seen: Seen[Thread]) -> list[Publication]:
        topic = topic_of(seen.row.room_id)
        if seen.new is None:
            return [audience_change(removes=[TopicRemoval(None, topic)])]
        self._cache_room(seen.new)
        if seen.old is None:
            return []  # participants receive thread.created for their own row
        return [thread_updated(live_thread(seen.new), topic)]

    async def _participant(self, seen: Seen[Participant]) -> list[Publication]:
        old, new = seen
        room_id, user_id = seen.row.room_id, seen.row.user_id
        topic = topic_of(room_id)
        if new is None:
            gone = ParticipantGone(THREADS.name, room_id, user_id)
            removes = [TopicRemoval(user_id, topic, version_of(seen.row.joined_at))]
            return [rooms.participant_left(gone, topic, user(user_id), removes=removes)]

        adds = [topic_membership(new)]
        if old is not None:
            return [rooms.participant_updated(await self._live_participant(new), topic, adds=adds)]
        thread = await self._table.get(thread_by_id(room_id=room_id))
        if thread is None:
            return []
        return [
            thread_created(live_thread(thread), user(user_id), adds=adds),
            rooms.participant_joined(await self._live_participant(new), topic),
        ]

    async def _live_participant(self, participant: Participant) -> LiveParticipant:
        profile = (await self._users.profiles([participant.user_id]))[participant.user_id]
        return LiveParticipant(
            THREADS.name,
            participant.room_id,
            participant.user_id,
            profile.username,
            profile.display_name,
            profile.avatar_url,
            participant.role_context,
            participant.joined_at,
            participant.blocked_until,
        )

    async def _card(self, seen: Seen[Card]) -> list[Publication]:
        card = seen.new
        room = None if card is None else await self.find_topic(card.room_id)
        if card is None or room is None:
            return []
        now = self._clock.now()
        card = await self._cards.complete(card)
        if card.author_id is None or not is_withheld(card, safe_mode=room.safe_mode):
            return [card_updated(card_view(card, now), room.topic, subject=card.message_id)]
        bare, full = card_view(card_reader.withheld(card), now), card_view(card, now)
        return [card_updated(bare, room.topic, full=full, author=card.author_id, subject=card.message_id)]

    async def _tab(self, seen: Seen[Tab]) -> list[Publication]:
        tab = seen.new
        room = None if tab is None else await self.find_topic(tab.room_id)
        if tab is None or room is None:
            return []
        subject = f"{tab.room_id}/{tab.tab}"
        if tab.author_id is None or not is_withheld(tab, safe_mode=room.safe_mode):
            return [tab_updated(tab_view(tab), room.topic, subject=subject)]
        bare = tab_view(tabs.withheld(tab))
        return [tab_updated(bare, room.topic, full=tab_view(tab), author=tab.author_id, subject=subject)]

    def _cache_room(self, thread: Thread) -> RoomTopic:
        room = RoomTopic(topic_of(thread.room_id), thread.safe_mode_required)
        self._topics.keep(thread.room_id, room)
        return room


def topic_membership(participant: Participant) -> TopicMembership:
    """Return the subscription of a participant to a thread, and whether they moderate it."""
    moderates = "moderate" in RIGHTS[participant.role_context]
    return TopicMembership(
        participant.user_id, topic_of(participant.room_id), moderates, version_of(participant.joined_at)
    )


def _card_key(view: CardView) -> Key[Card]:
    return card_by_id(room_id=view.thread_id, message_id=view.message_id)


def _tab_key(view: TabView) -> Key[Tab]:
    return tab_by_name(room_id=view.thread_id, tab=view.tab)
