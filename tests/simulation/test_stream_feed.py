"""What a feed over the change stream replays ends where the live events go on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import NamedTuple

import pytest

from simulation import virtual_time
from simulation.nodes import ON_DYNAMODB, Node
from simulation.virtual_time import VirtualClock
from sobremesa.core.actor import Actor, UserId
from sobremesa.core.clock import EPOCH
from sobremesa.core.ids import MessageId, RoomId
from sobremesa.domains.accounts.entities import User
from sobremesa.domains.accounts.key_stores import MemoryKeys
from sobremesa.glue.event_catalog import translation_of
from sobremesa.live.event_cursors import EventCursors
from sobremesa.live.feed import Entry, FeedPosition, Page, Trimmed
from sobremesa.live.stream_feed import StreamFeed
from sobremesa.rooms.sending import Draft
from sobremesa.table import Put
from sobremesa.table.engines.modelled import Figures
from sobremesa.table.opening import open_modelled

VISIBLE_SECONDS = 2.0
"""After this time the stream returns every change that was made before."""
CALM = Figures(stall=0.0)
ANA = Actor.of_user(UserId("ana"), "ana")


class Room(NamedTuple):
    """A channel, and a feed of its table that is not part of the node."""

    node: Node
    feed: StreamFeed
    start: FeedPosition
    channel_id: RoomId

    async def send(self, content: str) -> MessageId:
        sent = await self.node.app.communities.send(ANA, self.channel_id, Draft(content))
        return MessageId(sent.message_id)

    async def delete(self, message_id: MessageId) -> None:
        await self.node.app.communities.delete_message(ANA, self.channel_id, message_id)

    async def next(self, count: int) -> tuple[list[Entry], FeedPosition]:
        """Return so many live events of messages, and the position after them."""
        found: list[Entry] = []
        while True:
            batch = await self.feed.next(lambda: True)
            found += messages(batch.entries)
            if len(found) >= count:
                return found, batch.position

    def start_for_clients(self) -> FeedPosition:
        """Return the start as a client that resumes sends it."""
        position = self.feed.cursor_of(self.feed.s_of(self.start)).position
        assert position is not None
        return position

    def history(self, until: FeedPosition) -> AsyncIterator[Page]:
        return self.feed.history(self.start, until, [])


def messages(entries: Sequence[Entry]) -> list[Entry]:
    """Return those of new and deleted messages."""
    return [entry for entry in entries if entry.event is not None and entry.event.t.startswith("message.")]


def run(story: Callable[[Room], Awaitable[None]], *, fast: bool, figures: Figures = CALM) -> None:
    """Run a story in a new channel, in virtual time."""

    async def main() -> None:
        engine = await open_modelled(clock=VirtualClock(), figures=figures, seed=1)
        node = Node("node", engine, MemoryKeys(), ON_DYNAMODB, seed=1, skew_ms=0, is_gateway=False)
        await node.start()
        app, clock = node.app, VirtualClock()
        await app.table.write(Put(User(user_id=ANA.user_id, username="ana", created_at=EPOCH)))
        server_id = (await app.communities.create_server(ANA, name="Server")).server_id
        channel = (await app.communities.create_channel(ANA, server_id, name="channel")).channel
        await asyncio.sleep(VISIBLE_SECONDS)
        feed = StreamFeed(app.table, clock, translation_of(app.table, clock, app.accounts), EventCursors(), fast=fast)
        start = await feed.open(lambda _: True)
        await story(Room(node, feed, start, RoomId(channel.channel_id)))
        await feed.close()
        await node.crash()
        await engine.close()

    virtual_time.run(main(), 1)


def test_replay_ends_where_the_live_events_go_on() -> None:
    async def story(room: Room) -> None:
        sent = await room.send("hello")
        [created], here = await room.next(1)
        await room.delete(sent)
        await asyncio.sleep(VISIBLE_SECONDS)

        replayed = [entry.id async for page in room.history(here) for entry in messages(page.entries)]
        [deleted], _ = await room.next(1)

        assert replayed == [created.id]
        assert deleted.event is not None
        assert deleted.event.t == "message.deleted"

    run(story, fast=False)


def test_replay_ends_before_a_batch_that_is_not_delivered_yet() -> None:
    async def story(room: Room) -> None:
        sent = await room.send("hello")
        [created], here = await room.next(1)
        await room.delete(sent)
        await room.next(1)

        assert [entry.id async for page in room.history(here) for entry in messages(page.entries)] == [created.id]

    run(story, fast=False)


def test_replay_has_messages_that_the_stream_confirms_meanwhile() -> None:
    async def story(room: Room) -> None:
        sent = [await room.send("first"), await room.send("second")]
        _, here = await room.next(2)
        pages = room.history(here)
        replayed = messages((await anext(pages)).entries)
        await room.next(2)
        replayed += [entry async for page in pages for entry in messages(page.entries)]

        assert [entry.id for entry in replayed] == sent

    run(story, fast=True)


def test_feed_whose_position_is_no_longer_kept_begins_anew() -> None:
    async def story(room: Room) -> None:
        await room.send("lost")
        await asyncio.sleep(10)
        await room.send("kept")
        await asyncio.sleep(VISIBLE_SECONDS)
        lost = await room.feed.next(lambda: True)
        sent = await room.send("after")
        [created], here = await room.next(1)

        assert lost.begins_anew
        assert created.id == sent
        with pytest.raises(Trimmed):
            await anext(room.feed.history(room.start_for_clients(), here, []))

    run(story, fast=False, figures=Figures(stall=0.0, retention_seconds=5.0))
