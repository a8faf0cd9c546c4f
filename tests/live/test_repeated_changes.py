"""After the streams were lost, the last changes are published again: as they are now, since clients may know that."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest

from live.nodes import Community
from servers import Endpoint
from sobremesa.core.clock import SystemClock
from sobremesa.glue.event_catalog import translation_of
from sobremesa.live import repeated_changes
from sobremesa.live.events import Publication, Topic, server, user
from sobremesa.live.redis_server import RedisServer
from sobremesa.live.repeated_changes import RepeatedChanges
from sobremesa.live.topic_publisher import TopicPublisher
from sobremesa.live.topic_streams import NOTHING, Lost, TopicStreams
from sobremesa.rooms.sending import Draft
from sobremesa.table import OLDEST, RawChange

SHARD = "shard"


class Publishing:
    """What publishes the changes of a community, which the test chooses."""

    def __init__(self, community: Community, valkey: Endpoint) -> None:
        self._table = table = community.app.table
        translation = translation_of(table, SystemClock(), community.app.accounts)
        self.streams = TopicStreams(RedisServer(valkey.url), uuid.uuid4().hex, 3_600_000)
        self.publisher = TopicPublisher(self.streams, RepeatedChanges(table, translation))

    async def changes(self) -> list[RawChange]:
        """Return all changes of the table so far."""
        reader = await self._table.changes(OLDEST)
        found: list[RawChange] = []
        while more := (await reader.read(0)).changes:
            found += more
        await reader.close()
        return found

    async def lose_streams(self) -> None:
        """Begin another epoch, as after a loss, which the publisher notices."""
        await self.publisher.publish(SHARD, [])
        epoch, _ = await self.streams.look()
        await self.streams.open(epoch or "")
        with pytest.raises(Lost):
            await self.publisher.publish(SHARD, [])

    async def published(self, topic: Topic) -> list[Publication]:
        """Return what this epoch has of a topic."""
        epoch, _ = await self.streams.look()
        state, entries = (await self.streams.read({topic: NOTHING}, None, 10_000))[topic]
        decode = msgspec.msgpack.Decoder(Publication).decode
        return [decode(added.body) for added in entries] if state.epoch == epoch else []

    async def events(self, topic: Topic, *names: str) -> list[tuple[str, dict[str, Any]]]:
        """Return the events with these names."""
        found = [each.event for each in await self.published(topic) if each.event is not None]
        return [(event.t, msgspec.json.decode(event.d)) for event in found if event.t in names]


@pytest.fixture
async def publishing(community: Community, valkey: Endpoint) -> AsyncIterator[Publishing]:
    publishing = Publishing(community, valkey)
    yield publishing
    await publishing.streams.server.close()


MESSAGES = ("message.created", "message.updated", "message.deleted")


async def test_message_and_edits_are_published_again_with_the_last_content(
    community: Community, publishing: Publishing
) -> None:
    ana, room = community.users["ana"].actor, community.channel_id
    sent = await community.app.communities.send(ana, room, Draft("hello"))
    await community.app.communities.react(ana, room, sent.message_id, "🙂")
    for content in ("edit one", "edit two"):
        await community.app.communities.edit(ana, room, sent.message_id, content)
    await publishing.lose_streams()
    await publishing.publisher.publish(SHARD, await publishing.changes())

    shown = await publishing.events(server(community.server_id), *MESSAGES)
    assert [name for name, _ in shown] == ["message.created", "message.updated", "message.updated"]
    assert {payload["content"] for _, payload in shown} == {"edit two"}
    # Who knows the event of the reaction drops it when it comes again.
    assert all([each["emoji"] for each in payload["reactions"]] == ["🙂"] for _, payload in shown)


async def test_deleted_message_is_not_published_again(community: Community, publishing: Publishing) -> None:
    ana, room = community.users["ana"].actor, community.channel_id
    sent = await community.app.communities.send(ana, room, Draft("hello"))
    await community.app.communities.edit(ana, room, sent.message_id, "edited")
    await community.app.communities.delete_message(ana, room, sent.message_id)
    await publishing.lose_streams()
    await publishing.publisher.publish(SHARD, await publishing.changes())

    shown = await publishing.events(server(community.server_id), *MESSAGES)
    assert {name for name, _ in shown} == {"message.deleted"}


async def test_join_is_not_published_again_after_the_removal(community: Community, publishing: Publishing) -> None:
    await community.register("dora")
    dora = community.users["dora"].user.user_id
    await community.join("ana", "dora")
    await community.app.communities.members.remove(community.users["ana"].actor, community.server_id, dora)
    await publishing.lose_streams()
    await publishing.publisher.publish(SHARD, await publishing.changes())

    own = await publishing.events(user(dora), "server.created", "member.left")
    assert [name for name, _ in own] == ["member.left"]
    others = await publishing.events(server(community.server_id), "member.joined", "member.left")
    assert ("member.joined", dora) not in [(name, payload["userId"]) for name, payload in others]


async def test_removal_is_published_again_only_to_the_user_who_has_returned(
    community: Community, publishing: Publishing
) -> None:
    await community.register("dora")
    dora = community.users["dora"].user.user_id
    await community.join("ana", "dora")
    await community.app.communities.members.remove(community.users["ana"].actor, community.server_id, dora)
    await community.join("ana", "dora")
    await publishing.lose_streams()
    await publishing.publisher.publish(SHARD, await publishing.changes())

    others = await publishing.events(server(community.server_id), "member.joined", "member.left")
    assert "member.left" not in [name for name, _ in others]
    assert "member.joined" in [name for name, payload in others if payload["userId"] == dora]
    # Their node knows whether they were informed that they have returned.
    own = await publishing.events(user(dora), "server.created", "member.left")
    assert own[-1][0] == "server.created"
    assert "member.left" in [name for name, _ in own]


async def test_channel_is_published_again_with_its_last_message(community: Community, publishing: Publishing) -> None:
    ana = community.users["ana"].actor
    sent = await community.app.communities.send(ana, community.channel_id, Draft("hello"))
    await publishing.lose_streams()
    await publishing.publisher.publish(SHARD, await publishing.changes())

    [(_, channel)] = await publishing.events(server(community.server_id), "channel.created")
    assert channel["lastMessageId"] == sent.message_id


async def test_later_changes_are_published_as_they_were(
    community: Community, publishing: Publishing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No row is read for changes that no earlier epoch can have had."""
    monkeypatch.setattr(repeated_changes, "CLOCKS_DIFFER_MS", -3_600_000)
    ana, room = community.users["ana"].actor, community.channel_id
    sent = await community.app.communities.send(ana, room, Draft("hello"))
    await community.app.communities.edit(ana, room, sent.message_id, "edited")
    await publishing.publisher.publish(SHARD, await publishing.changes())

    shown = await publishing.events(server(community.server_id), *MESSAGES)
    assert [payload["content"] for _, payload in shown] == ["hello", "edited"]
