"""The events of messages and what belongs to them, in rooms of every kind."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import msgspec
import pytest

from communities.environment import create_community, requests
from conversations.users import create_users
from events.recorder import EventRecorder, Published, event_of, events_of, full, named, names, published
from moderation.environment import ADMIN, cases
from sobremesa.app import Sobremesa
from sobremesa.core.actor import DELETED_NAME, Actor
from sobremesa.core.clock import SetClock
from sobremesa.core.ids import RoomId
from sobremesa.domains.communities.entities import CHANNELS
from sobremesa.domains.conversations.entities import CONVERSATIONS
from sobremesa.domains.threads.entities import THREADS, thread_by_id
from sobremesa.live import events as topics
from sobremesa.live.events import Topic
from sobremesa.rooms.entities import StoredReaction
from sobremesa.rooms.kinds import RoomKind
from sobremesa.rooms.sending import Draft
from sobremesa.rooms.service import Rooms
from sobremesa.rooms.views import MessageView, SentView
from sobremesa.table import Delete, Update, measure, set_to
from threads.environment import strike_deal


class Room(NamedTuple):
    """A room of some kind with two members, the second of whom moderates."""

    app: Sobremesa
    rooms: Rooms
    kind: RoomKind
    room_id: RoomId
    topic: Topic
    one: Actor
    other: Actor

    async def send(self, content: str, **more: Any) -> SentView:
        return await self.rooms.send(self.one, self.room_id, Draft(content, **more))

    async def block(self, message: MessageView) -> None:
        """Report a message, and let the platform block it."""
        await self.rooms.report(self.other, self.room_id, message.message_id, "look")
        case = next(case for case in await cases(self.app) if case.message_id == message.message_id)
        await self.app.moderation.decide(ADMIN, case.case_id, "block")


async def channel(app: Sobremesa) -> Room:
    community = await create_community(app)
    topic = topics.server(community.server_id)
    return Room(app, app.communities, CHANNELS, community.channel_id, topic, community.member, community.owner)


async def conversation(app: Sobremesa) -> Room:
    users = await create_users(app)
    room_id = await users.group(users.ana, users.ben)
    return Room(app, app.conversations, CONVERSATIONS, room_id, topics.conversation(room_id), users.ben, users.ana)


async def thread(app: Sobremesa) -> Room:
    deal = await strike_deal(app)
    topic = topics.thread(deal.thread_id)
    return Room(app, app.threads, THREADS, deal.thread_id, topic, deal.buyer, deal.admin)


MAKE: dict[str, Callable[[Sobremesa], Awaitable[Room]]] = {
    "channel": channel,
    "conversation": conversation,
    "thread": thread,
}


@pytest.fixture(params=MAKE)
async def room(request: pytest.FixtureRequest, app: Sobremesa) -> Room:
    return await MAKE[request.param](app)


@pytest.fixture
async def recorder(room: Room, recorder: EventRecorder) -> EventRecorder:
    await recorder.start()
    return recorder


def about_messages(events: list[Published]) -> list[Published]:
    """Return the events without read cursors: an author has read their own message."""
    return [each for each in events if each.t != "read.updated"]


def as_published(view: MessageView) -> dict[str, Any]:
    """Return a message as readers see it, without what is specific to a reader."""
    shown: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(view))
    shown.pop("replayed", None)
    for reaction in shown["reactions"]:
        del reaction["me"]
    return shown


async def test_message_created_equals_the_message_in_the_list(room: Room, recorder: EventRecorder) -> None:
    first = await room.send("hello")
    second = await room.send("and again", nonce="n", reply_to=first.message_id)
    events = about_messages(await recorder.published())

    assert events == [
        Published("message.created", (room.topic,), as_published(first)),
        Published("message.created", (room.topic,), as_published(second)),
    ]
    page = await room.rooms.page(room.other, room.room_id, limit=2)
    assert [each.d for each in reversed(events)] == [as_published(view) for view in page.messages]


async def test_the_id_of_a_new_message_is_the_id_of_its_event(room: Room, recorder: EventRecorder) -> None:
    message = await room.send("hello")
    [created] = named(await recorder.publications(), "message.created")

    assert created.id == message.message_id


async def test_nonces_heads_and_inbox_entries_cause_no_events(room: Room, recorder: EventRecorder) -> None:
    await room.send("hello", nonce="n")

    own = [] if room.kind.name == "channel" else ["read.updated"]
    assert sorted(names(await recorder.publications())) == ["message.created", *own]


async def test_same_log_yields_the_same_events_with_the_same_ids(room: Room, recorder: EventRecorder) -> None:
    message = await room.send("hello")
    await room.rooms.edit(room.one, room.room_id, message.message_id, "hello there")
    await room.rooms.react(room.other, room.room_id, message.message_id, "👍")
    await room.rooms.set_preferences(room.other, room.room_id, muted=True)
    await room.rooms.mark_read(room.other, room.room_id, message.message_id)
    changes = await recorder.changes()

    once, again = await recorder.translated(changes), await recorder.translated(changes)

    assert [each.id for each in once] == [each.id for each in again]
    assert len({each.id for each in once}) == len(once) >= 5


async def test_message_updated_includes_reactions(room: Room, recorder: EventRecorder) -> None:
    message = await room.send("hello")
    await room.rooms.react(room.other, room.room_id, message.message_id, "👍")
    await recorder.publications()

    await room.rooms.edit(room.one, room.room_id, message.message_id, "hello there")
    [edited] = await recorder.published()

    shown = await room.rooms.get_message(room.other, room.room_id, message.message_id)
    assert edited == Published("message.updated", (room.topic,), as_published(shown))
    assert edited.d["reactions"] == [{"emoji": "👍", "count": 1, "userIds": [room.other.user_id]}]


async def test_invisible_change_causes_no_event(room: Room, recorder: EventRecorder) -> None:
    message = await room.send("hello")
    await recorder.publications()

    key = room.kind.message_key(room.room_id, message.message_id)
    await room.app.table.write(Update(key, set_to(updated_at=message.created_at)))

    assert await recorder.published() == []


async def test_message_deleted_is_published_once(room: Room, recorder: EventRecorder) -> None:
    message = await room.send("hello")
    await recorder.publications()

    await room.rooms.delete_message(room.one, room.room_id, message.message_id)

    gone = {"messageId": message.message_id, "roomId": room.room_id, "roomKind": room.kind.name}
    assert await recorder.published() == [Published("message.deleted", (room.topic,), gone)]


async def test_message_deleted_by_another_program_is_published(room: Room, recorder: EventRecorder) -> None:
    message = await room.send("hello")
    await recorder.publications()

    await room.app.table.write(Delete(room.kind.message_key(room.room_id, message.message_id)))

    assert [each.t for each in await recorder.published()] == ["message.deleted"]


async def test_reaction_events_include_counts(room: Room, recorder: EventRecorder) -> None:
    message = await room.send("hello")
    await recorder.publications()

    for who in (room.one, room.other):
        await room.rooms.react(who, room.room_id, message.message_id, "👍")
        await room.rooms.react(who, room.room_id, message.message_id, "👍")
    await room.rooms.unreact(room.one, room.room_id, message.message_id, "👍")
    *_, last_added, removed = await recorder.published()

    place = {"messageId": message.message_id, "roomId": room.room_id, "roomKind": room.kind.name, "emoji": "👍"}
    now = {"count": 1, "userIds": [room.other.user_id]}
    assert last_added == Published("reaction.added", (room.topic,), {**place, "userId": room.other.user_id, **now})
    assert removed == Published("reaction.removed", (room.topic,), {**place, "userId": room.one.user_id, **now})

    await room.rooms.unreact(room.other, room.room_id, message.message_id, "👍")
    [removed] = await recorder.published()
    assert (removed.d["count"], removed.d["userIds"]) == (0, [])


async def test_reactions_stored_in_the_message_by_another_writer_are_counted(
    room: Room, recorder: EventRecorder
) -> None:
    message = await room.send("hello")
    old = [StoredReaction(emoji="👍", user_ids=[room.one.user_id], count=1)]
    await room.app.table.write(Update(room.kind.message_key(room.room_id, message.message_id), set_to(reactions=old)))
    await room.rooms.react(room.other, room.room_id, message.message_id, "👍")
    *_, updated, added = await recorder.published()

    shown = await room.rooms.get_message(room.other, room.room_id, message.message_id)
    assert updated.d["reactions"] == as_published(shown)["reactions"]
    assert (added.d["count"], added.d["userIds"]) == (2, [room.one.user_id, room.other.user_id])


async def test_pins_are_published(room: Room, recorder: EventRecorder) -> None:
    message = await room.send("hello")
    await recorder.publications()

    await room.rooms.pin(room.other, room.room_id, message.message_id)
    [[view], _] = await room.rooms.list_pins(room.other, room.room_id, limit=5, cursor=None)
    await room.rooms.unpin(room.other, room.room_id, message.message_id)

    pin = {
        "messageId": message.message_id,
        "roomId": room.room_id,
        "roomKind": room.kind.name,
        "pinnedBy": room.other.user_id,
        "pinnedAt": view.pinned_at,
    }
    assert await recorder.published() == [
        Published("pin.added", (room.topic,), pin),
        Published("pin.removed", (room.topic,), pin),
    ]


async def test_read_cursor_is_published_to_the_room_and_in_a_channel_to_the_user(
    room: Room, recorder: EventRecorder
) -> None:
    message = await room.send("hello")
    await recorder.publications()

    await room.rooms.mark_read(room.other, room.room_id, message.message_id)
    await room.rooms.mark_read(room.other, room.room_id, message.message_id)
    [read] = await recorder.published()

    own = topics.user(room.other.user_id)
    assert read[:2] == ("read.updated", (own if room.kind.name == "channel" else room.topic,))
    assert read.d["lastReadMessageId"] == message.message_id
    assert read.d["userId"] == room.other.user_id
    assert read.d["readAt"] is not None


async def test_muting_is_published_only_to_the_user(room: Room, recorder: EventRecorder) -> None:
    for muted in (True, True, False):
        await room.rooms.set_preferences(room.one, room.room_id, muted=muted)

    place = {"roomId": room.room_id, "roomKind": room.kind.name}
    own = (topics.user(room.one.user_id),)
    assert await recorder.published() == [
        Published("preferences.updated", own, {**place, "muted": True}),
        Published("preferences.updated", own, {**place, "muted": False}),
    ]


async def test_content_of_a_blocked_message_is_only_for_author_and_moderators(
    room: Room, recorder: EventRecorder
) -> None:
    first = await room.send("hello")
    message = await room.send("something nasty", reply_to=first.message_id)
    await recorder.publications()

    await room.block(message)
    [event] = await recorder.publications()

    assert event_of(event).author == room.one.user_id
    bare, whole = published(event).d, full(event)
    assert names([event]) == ["message.updated"]
    assert "nasty" not in str(bare)
    assert (bare["content"], bare["replyTo"], bare["flags"]) == ("", None, {"moderation": "blocked", "policyHints": []})
    shown = await room.rooms.get_message(room.one, room.room_id, message.message_id)
    assert whole == as_published(shown)
    assert (whole["content"], whole["replyTo"]) == ("something nasty", first.message_id)


async def test_reactions_to_a_blocked_message_are_not_published(room: Room, recorder: EventRecorder) -> None:
    message = await room.send("something nasty")
    await room.block(message)
    await recorder.publications()

    await room.rooms.react(room.one, room.room_id, message.message_id, "👍")

    assert await recorder.published() == []


async def test_edit_or_deletion_of_a_blocked_message_does_not_reveal_it(room: Room, recorder: EventRecorder) -> None:
    message = await room.send("something nasty")
    await room.block(message)
    await recorder.publications()

    await room.rooms.edit(room.one, room.room_id, message.message_id, "nasty still")
    await room.rooms.delete_message(room.one, room.room_id, message.message_id)
    events = await recorder.publications()

    assert names(events) == ["message.updated", "message.deleted"]
    assert all(b"nasty" not in each.d for each in events_of(events))


async def test_name_of_a_user_being_deleted_is_not_published(
    room: Room, recorder: EventRecorder, clock: SetClock
) -> None:
    message = await room.send("hello")
    pending = room.app.accounts.pending_deletions
    await room.app.table.write(pending.adding(room.one.user_id))
    pending.invalidate()
    events = about_messages(await recorder.published())

    assert [(each.t, each.d["username"]) for each in events] == [("message.created", DELETED_NAME)]

    key = room.kind.message_key(room.room_id, message.message_id)
    await room.app.table.write(Update(key, set_to(username=DELETED_NAME)))
    [masked] = await recorder.published()
    assert (masked.t, masked.d["username"], masked.d["content"]) == ("message.updated", DELETED_NAME, "hello")


async def test_message_created_needs_no_read(room: Room, recorder: EventRecorder) -> None:
    await room.send("hello")
    await recorder.publications()
    await room.app.accounts.users_being_deleted()

    await room.send("and again", nonce="n")
    changes = await recorder.changes()
    with requests(room.app) as counted, measure() as measured:
        events = names(await recorder.translated(changes))

    assert "message.created" in events
    assert counted == {}
    assert measured.calls == 0


async def test_new_process_reads_the_server_of_a_channel_once(
    room: Room, recorder: EventRecorder, clock: SetClock
) -> None:
    await room.send("hello")
    await room.send("and again")
    changes = await recorder.changes()
    await room.app.accounts.users_being_deleted()

    fresh = EventRecorder(room.app, clock)
    with requests(room.app) as counted:
        events = names(await fresh.translated(changes))

    assert events.count("message.created") == 2
    # The topic of a conversation follows from its id, and it has no safe mode.
    assert counted == ({} if room.kind.name == "conversation" else {"get": 1})


async def test_writer_can_publish_a_message_before_the_change_stream(
    room: Room, recorder: EventRecorder, clock: SetClock
) -> None:
    from sobremesa.domains.communities.events import CommunityEvents
    from sobremesa.domains.conversations.events import ConversationEvents
    from sobremesa.domains.threads.events import ThreadEvents

    app = room.app
    await room.send("hello")
    page = await app.table.query(room.kind.messages(room_id=room.room_id), limit=1)
    events = {
        "channel": CommunityEvents(app.table, app.accounts).rooms,
        "conversation": ConversationEvents(app.table, app.accounts).rooms,
        "thread": ThreadEvents(app.table, clock, app.accounts).rooms,
    }[room.kind.name]

    at_once = await events.created(page.items[0])

    assert at_once in await recorder.publications()


async def test_flagged_messages_are_withheld_in_safe_mode_which_may_change(app: Sobremesa, clock: SetClock) -> None:
    deal = await strike_deal(app)
    recorder = EventRecorder(app, clock)
    await recorder.start()
    message = await deal.send(deal.buyer, "not for everybody")
    key = THREADS.message_key(deal.thread_id, message.message_id)

    async def banded(band: int) -> bool:
        """Is the message withheld, at this degree of moderation?"""
        await app.table.write(Update(key, set_to(nsfw_band=band)))
        return event_of(named(await recorder.publications(), "message.updated")[-1]).full is not None

    assert not await banded(1)
    await app.table.write(Update(thread_by_id(room_id=deal.thread_id), set_to(safe_mode_required=True)))
    assert await banded(2)
    await app.table.write(Update(thread_by_id(room_id=deal.thread_id), set_to(safe_mode_required=False)))
    assert not await banded(3)
