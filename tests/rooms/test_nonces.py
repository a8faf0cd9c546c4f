"""A nonce creates one message: also one that an earlier version stored, in the partition of its room."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from cheap import CHEAP
from communities.conftest import Ahead
from communities.environment import Community, actor_of, create_community, create_profile
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor, KeyId
from sobremesa.core.ids import RoomId
from sobremesa.core.settings import Settings
from sobremesa.domains.communities.entities import ChannelNonce
from sobremesa.domains.conversations.entities import ConversationNonce
from sobremesa.domains.threads.entities import ListingId, ThreadNonce
from sobremesa.domains.threads.service import NewThread
from sobremesa.rooms.errors import NonceReused
from sobremesa.rooms.nonces import NONCE_SECONDS, Nonce, NoncePlace, RoomNonce
from sobremesa.rooms.sending import Draft
from sobremesa.table import Delete, Put

BACKEND = Actor(key_id=KeyId("key"), scopes=frozenset({"rooms:write", "messages:send"}))


async def stored_nonces(app: Sobremesa) -> list[dict[str, Any]]:
    return [dict(item) async for item in app.table.scan(consistent=True) if item["sk"].startswith("NONCE#")]


async def test_nonce_is_in_the_partition_of_its_sender(community: Community) -> None:
    who, room = community.member, community.channel_id

    await community.send(who, "hello", nonce="n")
    await community.app.communities.send(BACKEND, room, Draft("from the backend", nonce="n", type="system"))

    mine, backends = sorted(await stored_nonces(community.app), key=lambda item: item["pk"].endswith(room))
    assert (mine["pk"], mine["sk"].split("#")[:2]) == (f"USER#{who.user_id}", ["NONCE", room])
    assert backends["pk"] == f"USER#system.{room}"


async def test_same_nonce_of_others_and_in_other_rooms_is_another_one(community: Community) -> None:
    other = await community.app.communities.create_channel(community.owner, community.server_id, name="other")

    sent = [
        await community.send(community.member, "hello", nonce="n"),
        await community.send(community.owner, "hello", nonce="n"),
        await community.app.communities.send(
            community.member, RoomId(other.channel.channel_id), Draft("hello", nonce="n")
        ),
    ]

    assert len({view.message_id for view in sent}) == 3


async def test_own_sends_leave_the_membership_of_the_sender_cached(tmp_path: Path) -> None:
    """On the embedded engine: the nonce of a send is written beside the row that the next send depends on."""
    async with open_file(tmp_path) as app:
        community = await create_community(app)
        await community.send(community.member, "hello", nonce="1")
        pk = f"USER#{community.member.user_id}"
        before = app.table.engine.version_of(pk)

        await community.send(community.member, "hello", nonce="2")

        assert before is not None
        assert app.table.engine.version_of(pk) is before


class EarlierVersion:
    """A table in the state in which the version before the move of nonces left it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.owner, self.other = actor_of("olga"), actor_of("ben")
        self.clock = Ahead()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Sobremesa]:
        async with open_file(self._path, self.clock) as app:
            yield app

    async def send(self, app: Sobremesa, kind: str) -> tuple[RoomId, type[RoomNonce]]:
        """Send `hello` with the nonce `n` to a new room."""
        owner, other = self.owner, self.other
        for user in (owner, other):
            await create_profile(app, user)
        room: RoomId
        if kind == "channel":
            server = await app.communities.create_server(owner, name="Kitchen")
            room = (await app.communities.create_channel(owner, server.server_id, name="general")).channel.channel_id
            await app.communities.send(owner, room, Draft("hello", nonce="n"))
            return room, ChannelNonce
        if kind == "conversation":
            room = (await app.conversations.create_group(owner, [other.user_id], name="Group")).conversation_id
            await app.conversations.send(owner, room, Draft("hello", nonce="n"))
            return room, ConversationNonce
        wanted = NewThread("inquiry", other.user_id, listing_id=ListingId("lst-1"))
        room = (await app.threads.create(owner, wanted)).listed.thread.room_id
        await app.threads.send(owner, room, Draft("hello", nonce="n"))
        return room, ThreadNonce

    async def move_back(self, app: Sobremesa, entity: type[RoomNonce]) -> None:
        """Put all nonces where the earlier version had them."""
        for item in await stored_nonces(app):
            row = app.table.as_entity(item, Nonce)
            assert row is not None
            fields = {name: getattr(row, name) for name in entity.__struct_fields__ if hasattr(row, name)}
            await app.table.write_many([Put(entity(**fields)), Delete(row.own_key())])
        await app.table.write_many([Delete(NoncePlace(in_rooms_until=0).own_key())])


@asynccontextmanager
async def open_file(path: Path, clock: Ahead | None = None) -> AsyncIterator[Sobremesa]:
    store = f"sqlite:///{path / 'table.db'}"
    async with Sobremesa.open(settings=Settings(**CHEAP, store=store), clock=clock, background=False) as app:
        yield app


@pytest.mark.parametrize("kind", ["channel", "conversation", "thread"])
async def test_nonce_of_an_earlier_version_is_honored_until_it_has_expired(tmp_path: Path, kind: str) -> None:
    earlier = EarlierVersion(tmp_path)
    async with earlier.open() as app:
        room, entity = await earlier.send(app, kind)
        await earlier.move_back(app, entity)

    async with earlier.open() as app:
        service: Any = {"channel": app.communities, "conversation": app.conversations, "thread": app.threads}[kind]
        again = await service.send(earlier.owner, room, Draft("hello", nonce="n"))
        assert again.replayed
        with pytest.raises(NonceReused):
            await service.send(earlier.owner, room, Draft("another", nonce="n"))
        assert await stored_in(app, "NONCE#") == {room}

        earlier.clock.move(seconds=NONCE_SECONDS + 1)
        later = await service.send(earlier.owner, room, Draft("hello", nonce="n"))
        assert later.message_id != again.message_id
        assert await stored_in(app, "NONCE#") == {room, earlier.owner.user_id}


async def stored_in(app: Sobremesa, prefix: str) -> set[str]:
    """Return the ids of the partitions that have rows with this prefix."""
    items = [item async for item in app.table.scan(consistent=True)]
    return {str(item["pk"]).partition("#")[2] for item in items if str(item["sk"]).startswith(prefix)}
