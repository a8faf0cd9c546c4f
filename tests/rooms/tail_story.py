"""Random changes of a room on several nodes, each followed by a comparison of what they show with a fresh read."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

from communities.environment import create_profile, join
from imports.environment import message_line, run_import
from moderation.environment import ADMIN, cases
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor, UserId
from sobremesa.core.errors import NotFound
from sobremesa.core.ids import MessageId, RoomId
from sobremesa.domains.threads.entities import ListingId
from sobremesa.domains.threads.service import NewThread
from sobremesa.rooms.archive import History
from sobremesa.rooms.sending import Draft

LIMITS = (1, 4, 30, 100)
PLATFORM = Actor(user=UserId("operator"), username="operator", is_admin=True)


class Room(NamedTuple):
    """A room of one kind; the first user moderates it, and the last one leaves it for good in the course of a story."""

    kind: str
    room_id: RoomId
    users: Sequence[Actor]

    def of(self, app: Sobremesa) -> Any:
        return {"channel": app.communities, "group": app.conversations, "thread": app.threads}[self.kind]

    @property
    def owner(self) -> Actor:
        return self.users[0]


async def open_room(app: Sobremesa, kind: str, users: Sequence[Actor]) -> Room:
    """Create a room with these users, who get profiles."""
    owner, *others = users
    for user in users:
        await create_profile(app, user)
    if kind == "group":
        group = await app.conversations.create_group(owner, [each.user_id for each in others], name="Group")
        return Room(kind, group.conversation_id, users)
    if kind == "thread":
        wanted = NewThread("inquiry", others[0].user_id, listing_id=ListingId("lst-1"))
        room_id = (await app.threads.create(owner, wanted)).listed.thread.room_id
        for each in others[1:]:
            await app.threads.participants.add(PLATFORM, room_id, each.user_id, "admin")
        return Room(kind, room_id, users)
    server = await app.communities.create_server(owner, name="Kitchen")
    channel = await app.communities.create_channel(owner, server.server_id, name="general")
    for each in others:
        await join(app, owner, server.server_id, each)
    return Room(kind, channel.channel.channel_id, users)


def without_caches(app: Sobremesa) -> Sobremesa:
    """Let an application read everything from the table, always."""
    setattr(app.table.engine, "version_of", lambda pk, **_: object())  # noqa: B010 - an engine of any kind
    return app


class TailStory:
    """A story with some nodes, and one that reads without tails. `wait` lets seconds pass."""

    def __init__(
        self,
        room: Room,
        nodes: Sequence[Sobremesa],
        reference: Sobremesa,
        wait: Callable[[float], Awaitable[None]],
        chance: random.Random,
    ) -> None:
        self._room = room
        self._nodes = nodes
        self._reference = reference
        self._wait = wait
        self._chance = chance
        self._sent: dict[MessageId, Actor] = {}
        self._users = list(room.users)
        self._number = 0

    async def run(self, steps: int) -> None:
        """Take steps; after each, what every node shows is what the table has."""
        for step in range(steps):
            if step == steps * 3 // 5:
                await self._delete_account()
            await self._step()
            await self._compare(f"step {step}")
            if self._chance.random() < 0.5:
                await self._wait(self._chance.choice((0.4, 1.1, 1.1, 70)))
                await self._compare(f"step {step}, later")

    async def _step(self) -> None:
        steps: Sequence[tuple[int, Callable[[Any, Sobremesa], Awaitable[None]]]] = (
            (6, self._send),
            (3, self._edit),
            (2, self._delete),
            (3, self._react),
            (2, self._moderate),
            (1, self._import),
            (2, self._mark_read),
            (1, self._send_many),
        )
        [step] = self._chance.choices([one for _, one in steps], [weight for weight, _ in steps])
        app = self._chance.choice(self._nodes)
        with contextlib.suppress(NotFound):  # the message was deleted, or is withheld
            await step(self._room.of(app), app)

    async def _send(self, service: Any, app: Sobremesa) -> None:
        author = self._chance.choice(self._users)
        self._number += 1
        text = f"message {self._number} " + self._chance.choice(("", "@ben ", "more " * 40))
        self._sent[(await service.send(author, self._room.room_id, Draft(text))).message_id] = author

    async def _send_many(self, service: Any, app: Sobremesa) -> None:
        for _ in range(self._chance.choice((3, 25, 45))):
            await self._send(service, app)

    async def _edit(self, service: Any, app: Sobremesa) -> None:
        if found := self._any():
            self._number += 1
            await service.edit(found[1], self._room.room_id, found[0], f"edited {self._number}")

    async def _delete(self, service: Any, app: Sobremesa) -> None:
        if found := self._any():
            await service.delete_message(found[1], self._room.room_id, found[0])
            del self._sent[found[0]]

    async def _react(self, service: Any, app: Sobremesa) -> None:
        if found := self._any():
            verb = self._chance.choice((service.react, service.react, service.unreact))
            await verb(self._chance.choice(self._users), self._room.room_id, found[0], self._chance.choice("👍🎉"))

    async def _moderate(self, service: Any, app: Sobremesa) -> None:
        if found := self._any():
            await service.report(self._room.owner, self._room.room_id, found[0], "spam")
            for case in await cases(app):
                await app.moderation.decide(ADMIN, case.case_id, self._chance.choice(("block", "approve")))

    async def _import(self, service: Any, app: Sobremesa) -> None:
        self._number += 1
        before = self._chance.choice((1, 5_000, 100_000_000))
        at = app.table.engine.clock.now_ms() - before
        line = message_line(self._room.room_id, self._room.owner, at, f"imported {self._number}")
        done = await run_import(app, [line])
        assert done.counts == (1, 0, 0), done.problems

    async def _mark_read(self, service: Any, app: Sobremesa) -> None:
        if found := self._any():
            await service.mark_read(self._chance.choice(self._users), self._room.room_id, found[0])

    async def _delete_account(self) -> None:
        """Remove the last user and their name, as the job of a deleted account does."""
        gone = self._users.pop()
        self._sent = {message_id: author for message_id, author in self._sent.items() if author is not gone}
        await self._room.of(self._chance.choice(self._nodes)).cleanup.delete_user_data(gone.user_id)

    def _any(self) -> tuple[MessageId, Actor] | None:
        recent = list(self._sent.items())[-60:]
        return self._chance.choice(recent) if recent else None

    async def _compare(self, when: str) -> None:
        reader, limit = self._chance.choice(self._users), self._chance.choice(LIMITS)
        around = self._chance.choice(list(self._sent)) if self._sent else None
        asked: list[dict[str, Any]] = [{"limit": limit}]
        if around is not None:
            asked += [{"limit": limit, "before": around}, {"limit": limit, "after": around}]
            asked += [{"limit": limit, "around": around}]
        for question in asked:
            expected = await self._page(self._reference, reader, question)
            for number, node in enumerate(self._nodes):
                shown = await self._page(node, reader, question)
                assert shown.messages == expected.messages, f"{when}, node {number}: {question}"
                await self._compare_next(node, reader, limit, question, shown.cursor, expected.cursor)
        count = await self._room.of(self._reference).unread(reader, self._room.room_id)
        for number, node in enumerate(self._nodes):
            shown_count = await self._room.of(node).unread(reader, self._room.room_id)
            assert shown_count == count, f"{when}, node {number}: unread counts"

    async def _compare_next(
        self,
        node: Sobremesa,
        reader: Actor,
        limit: int,
        question: dict[str, Any],
        cursor: str | None,
        expected: str | None,
    ) -> None:
        """Compare the pages after two cursors; without one nothing follows, which DynamoDB may not know yet."""
        direction = {name: value for name, value in question.items() if name == "after"}
        asked = ((node, cursor), (self._reference, expected))
        pages = [
            [] if at is None else (await self._page(app, reader, {"limit": limit, **direction, "cursor": at})).messages
            for app, at in asked
        ]
        assert pages[0] == pages[1], question

    async def _page(self, app: Sobremesa, reader: Actor, question: dict[str, Any]) -> History:
        page: History = await self._room.of(app).page(reader, self._room.room_id, **question)
        return page
