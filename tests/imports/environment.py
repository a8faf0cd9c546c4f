"""Users with profiles, and a room of each kind with Ana and Ben in it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, NamedTuple

from communities.environment import join
from conversations.users import known
from sobremesa.app import Sobremesa
from sobremesa.core.actor import DEFAULT_TENANT, Actor, Tenant
from sobremesa.core.clock import Instant, instant, milliseconds
from sobremesa.core.ids import RoomId
from sobremesa.domains.accounts.entities import UsernameClaim
from sobremesa.domains.imports.lines import batches_of
from sobremesa.domains.imports.views import ImportSummary, LineProblem
from sobremesa.domains.threads.entities import ListingId
from sobremesa.domains.threads.service import NewThread
from sobremesa.rooms.entities import Head, Message
from sobremesa.rooms.sending import Draft
from sobremesa.rooms.service import Rooms
from sobremesa.rooms.views import SentView
from sobremesa.table import Put
from sobremesa.table.values import Item

LONG_AGO = 1_500_000_000_000
"""A time before all rooms."""


class Result(NamedTuple):
    """The outcome of an import."""

    summary: ImportSummary
    problems: Sequence[LineProblem]

    @property
    def counts(self) -> tuple[int, int, int]:
        return self.summary.imported, self.summary.repeated, self.summary.failed

    @property
    def codes(self) -> list[tuple[int, str]]:
        return [(problem.line, problem.code) for problem in self.problems]


async def run_import(
    app: Sobremesa, lines: Sequence[Mapping[str, Any] | str], *, tenant: Tenant = DEFAULT_TENANT, **options: Any
) -> Result:
    """Import these lines."""
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]

    async def pieces() -> AsyncIterator[bytes]:
        yield "\n".join(texts).encode()

    async with app.imports.run(tenant, **options) as run:
        problems = [problem async for batch in batches_of(pieces()) for problem in await run.add(batch)]
    return Result(run.summary, problems)


def message_line(room_id: RoomId, author: Actor, at: int = LONG_AGO, nonce: str = "n-1") -> dict[str, Any]:
    """Return the line of a message."""
    time = instant(at)
    return {"room": room_id, "author": author.user_id, "createdAt": time, "nonce": nonce, "content": nonce}


class Room(NamedTuple):
    """A room with Ana and Ben in it."""

    service: Rooms
    room_id: RoomId
    ana: Actor
    ben: Actor

    def line(self, nonce: str, at: int, who: Actor | None = None, **more: Any) -> dict[str, Any]:
        """Return the line of a message."""
        return message_line(self.room_id, who or self.ana, at, nonce) | more

    async def send(self, who: Actor, content: str) -> SentView:
        return await self.service.send(who, self.room_id, Draft(content))

    async def contents(self, who: Actor | None = None) -> list[str]:
        """Return everything in the room, oldest first."""
        page = await self.service.page(who or self.ana, self.room_id, limit=100)
        return [message.content for message in reversed(page.messages) if message.type != "system"]

    async def unread(self, who: Actor) -> tuple[int, bool]:
        found = await self.service.unread(who, self.room_id)
        return found.count, found.capped

    async def head(self, app: Sobremesa) -> Head:
        head: Head | None = await app.table.get(self.service.kind.head_by_key(room_id=self.room_id))
        assert head is not None
        return head

    async def rows(self, app: Sobremesa) -> list[Message]:
        """Return all messages, oldest first."""
        question = self.service.kind.messages(room_id=self.room_id)
        return [row async for row in app.table.every(question, newest_first=False, consistent=True)]


class Environment(NamedTuple):
    """A room of each kind."""

    app: Sobremesa
    ana: Actor
    ben: Actor
    cleo: Actor
    rooms: Mapping[str, Room]


async def create_environment(app: Sobremesa) -> Environment:
    """Create the users and their rooms."""
    ana, ben, cleo = await known(app, "ana", "ben", "cleo")
    claims = [UsernameClaim(username=each.username, user_id=each.user_id) for each in (ana, ben, cleo)]
    await app.table.write_many(map(Put, claims))
    server = await app.communities.create_server(ana, name="The long table")
    channel = await app.communities.create_channel(ana, server.server_id, name="general")
    await join(app, ana, server.server_id, ben)
    group = await app.conversations.create_group(ana, [ben.user_id])
    thread = await app.threads.create(ana, NewThread("inquiry", ben.user_id, listing_id=ListingId("lst-1")))
    rooms = {
        "channel": Room(app.communities, channel.channel.channel_id, ana, ben),
        "conversation": Room(app.conversations, group.conversation_id, ana, ben),
        "thread": Room(app.threads, thread.listed.thread.room_id, ana, ben),
    }
    return Environment(app, ana, ben, cleo, rooms)


async def everything(app: Sobremesa) -> list[Item]:
    """Return every stored row, in the order of keys."""
    rows = [item async for item in app.table.scan(consistent=True)]
    return sorted(rows, key=lambda item: (item["pk"], item["sk"]))


def ms(at: Instant) -> int:
    return milliseconds(at)
