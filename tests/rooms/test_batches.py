"""Sends that wait for a room are written together, and each is answered as if it had been written alone."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, Protocol, TypeAlias

import pytest

from communities.environment import Community, actor_of, create_profile
from lengths import SEED, SEND_BATCHES
from rooms.held_engine import HeldEngine, open_held, settings
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor, KeyId
from sobremesa.core.errors import Busy, Refusal
from sobremesa.domains.attachments.uploads import UploadedFile
from sobremesa.domains.threads.entities import ListingId, thread_by_id
from sobremesa.domains.threads.service import NewThread
from sobremesa.rooms import batching
from sobremesa.rooms.sending import Draft
from sobremesa.table import Update, set_to
from sobremesa.table.errors import StoreClosed

BACKEND = Actor(key_id=KeyId("key"), scopes=frozenset({"rooms:write", "rooms:read", "messages:send"}))
PLATFORM = actor_of("operator")


class Room(Protocol):
    """A room of one kind with an owner who stays, and members who come and go."""

    service: Any
    room_id: Any

    async def open(self, app: Sobremesa, owner: Actor, members: Sequence[Actor]) -> None: ...
    async def exclude(self, member: Actor) -> None: ...
    async def include(self, member: Actor) -> None: ...

    can_be_locked: bool

    async def lock(self) -> None: ...
    async def unlock(self) -> None: ...


class Unlockable:
    """A kind of room that is never locked."""

    can_be_locked = False

    async def lock(self) -> None:
        raise NotImplementedError

    async def unlock(self) -> None:
        raise NotImplementedError


class ChannelRoom(Unlockable):
    """A channel of a server; its members are kicked and added again."""

    async def open(self, app: Sobremesa, owner: Actor, members: Sequence[Actor]) -> None:
        self.app, self.owner, self.service = app, owner, app.communities
        self.server_id = (await app.communities.create_server(owner, name="Kitchen")).server_id
        channel = await app.communities.create_channel(owner, self.server_id, name="general")
        self.room_id = channel.channel.channel_id
        for member in members:
            await self.include(member)

    async def exclude(self, member: Actor) -> None:
        await self.app.communities.members.remove(self.owner, self.server_id, member.user_id)

    async def include(self, member: Actor) -> None:
        await self.app.communities.members.add(BACKEND, self.server_id, member.user_id)


class GroupRoom(Unlockable):
    """A group conversation; its participants are removed and added again."""

    async def open(self, app: Sobremesa, owner: Actor, members: Sequence[Actor]) -> None:
        self.app, self.owner, self.service = app, owner, app.conversations
        created = await app.conversations.create_group(owner, [member.user_id for member in members], name="Group")
        self.room_id = created.conversation_id

    async def exclude(self, member: Actor) -> None:
        await self.app.conversations.participants.remove(self.owner, self.room_id, member.user_id)

    async def include(self, member: Actor) -> None:
        await self.app.conversations.participants.add(self.owner, self.room_id, member.user_id)


class ThreadRoom:
    """A thread; its participants are blocked for a time, and it is locked."""

    can_be_locked = True

    async def open(self, app: Sobremesa, owner: Actor, members: Sequence[Actor]) -> None:
        self.app, self.owner, self.service = app, owner, app.threads
        wanted = NewThread("inquiry", members[0].user_id, listing_id=ListingId("lst-1"))
        self.room_id = (await app.threads.create(owner, wanted)).listed.thread.room_id
        for member in members[1:]:
            await app.threads.participants.add(_administrator(), self.room_id, member.user_id, "admin")

    async def exclude(self, member: Actor) -> None:
        until = datetime.now(UTC) + timedelta(hours=1)
        await self.app.threads.participants.change(_administrator(), self.room_id, member.user_id, blocked_until=until)

    async def include(self, member: Actor) -> None:
        await self.app.threads.participants.change(_administrator(), self.room_id, member.user_id, blocked_until=None)

    async def lock(self) -> None:
        """Lock it as another node does, which does not wait for the sends of this one."""
        await self.app.table.write(Update(thread_by_id(room_id=self.room_id), set_to(status="locked")))

    async def unlock(self) -> None:
        await self.app.table.write(Update(thread_by_id(room_id=self.room_id), set_to(status="open")))


def _administrator() -> Actor:
    return Actor(user=PLATFORM.user, username="operator", is_admin=True)


Change: TypeAlias = Callable[[Room], Awaitable[None]]

KINDS: dict[str, Callable[[], Room]] = {"channel": ChannelRoom, "group": GroupRoom, "thread": ThreadRoom}


class Post(NamedTuple):
    """A send of the random test."""

    author: Actor
    content: str
    nonce: str | None


async def outcome(room: Room, post: Post) -> str:
    """Return how a send is answered: the content that was stored, whether it is a replay, or the code of an error."""
    try:
        view = await room.service.send(post.author, room.room_id, Draft(post.content, nonce=post.nonce))
    except (Refusal, Busy) as error:
        return error.code
    return f"{view.content} {getattr(view, 'replayed', False)}"


async def settled(
    room: Room, engine: HeldEngine, posts: Sequence[Post], meanwhile: Callable[[Room], Awaitable[None]]
) -> list[str]:
    """Send posts while the first of them is held, do something meanwhile, and return how each is answered."""
    engine.hold()
    tasks = [asyncio.create_task(outcome(room, posts[0]))]
    arrival = asyncio.create_task(engine.arrived.wait())
    await asyncio.wait({arrival, *tasks}, return_when=asyncio.FIRST_COMPLETED)
    tasks += [asyncio.create_task(outcome(room, post)) for post in posts[1:]]
    for _ in range(30):  # authorizes them; one that is not yet authorized gets the same refusal a little earlier
        await asyncio.sleep(0)
    await meanwhile(room)
    engine.release()
    arrival.cancel()
    return list(await asyncio.gather(*tasks))


class Story:
    """Random rounds of sends in a room, in which its members come and go."""

    def __init__(self, users: Sequence[Actor], chance: random.Random) -> None:
        self._owner, *self._members = users
        self._users = users
        self._chance = chance
        self._posted: list[Post] = []
        self._outside: set[Actor] = set()
        self._is_locked = False

    def posts(self, number: int) -> list[Post]:
        """Return the sends of a round, some of which repeat an earlier nonce, with the same text or another."""
        posts = [Post(self._owner, f"{number}.first", None)]
        for position in range(self._chance.randrange(1, 9)):
            content = f"{number}.{position}"
            nonce = f"n{content}" if self._chance.random() < 0.6 else None
            post = Post(self._chance.choice(self._users), content, nonce)
            if self._posted and self._chance.random() < 0.3:
                earlier = self._chance.choice(self._posted[-12:])
                post = earlier if self._chance.random() < 0.7 else earlier._replace(content=content)
            elif nonce is not None:
                self._posted.append(post)
            posts.append(post)
        return posts

    def change(self, room: Room) -> tuple[Change, Change]:
        """Return what happens before the sends of a round, and what happens while they wait."""
        member = self._chance.choice(self._members)
        if self._is_locked:
            self._is_locked = False
            return lambda room: room.unlock(), _nothing
        if self._chance.random() < 0.5:
            return _nothing, _nothing
        # With nobody blocked: which of the two refusals such a user gets depends on the moment.
        if room.can_be_locked and not self._outside and self._chance.random() < 0.6:
            self._is_locked = True
            return _nothing, lambda room: room.lock()
        if member in self._outside:
            self._outside.discard(member)
            return lambda room: room.include(member), _nothing
        self._outside.add(member)
        return _nothing, lambda room: room.exclude(member)

    @property
    def inside(self) -> list[Actor]:
        return [user for user in self._users if user not in self._outside]


async def _nothing(room: Room) -> None:
    pass


async def shown(room: Room, reader: Actor, number: int) -> list[str]:
    """Return the messages of a round as the room has them, newest first, and check their order."""
    page = await room.service.page(reader, room.room_id, limit=100)
    ids = [message.message_id for message in page.messages]
    assert ids == sorted(ids, reverse=True)
    return [message.content for message in page.messages if message.content.startswith(f"{number}.")]


async def unread(room: Room, reader: Actor) -> int:
    """Return a reader's unread count, and then read everything."""
    count: int = (await room.service.unread(reader, room.room_id)).count
    page = await room.service.page(reader, room.room_id, limit=1)
    await room.service.mark_read(reader, room.room_id, page.messages[0].message_id)
    return count


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", KINDS)
async def test_sends_of_a_batch_are_answered_as_if_each_was_alone(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    users = [actor_of(name) for name in ("olga", "ana", "ben", "cleo", "dora")]
    story = Story(users, random.Random(SEED))
    answers: Counter[str] = Counter()
    created: set[tuple[Actor, str | None]] = set()
    async with (
        open_held(monkeypatch) as (app, engine),
        Sobremesa.open("sqlite://", settings=settings(), background=False) as alone,
    ):
        ours, oracle = KINDS[kind](), KINDS[kind]()
        for each, room in ((app, ours), (alone, oracle)):
            for user in users:
                await create_profile(each, user)
            await room.open(each, users[0], users[1:])
        engine.batches.clear()
        for number in range(SEND_BATCHES // len(KINDS)):
            posts, (before, meanwhile) = story.posts(number), story.change(ours)
            await before(ours)
            answered = await settled(ours, engine, posts, meanwhile)
            await before(oracle)
            # A repeat is answered by the message that it repeats, also to a member who was removed while it waited.
            repeats = {post: await outcome(oracle, post) for post in posts if (post.author, post.nonce) in created}
            await meanwhile(oracle)
            expected = [repeats.get(post) or await outcome(oracle, post) for post in posts]
            pairs = zip(posts, expected, strict=True)
            created |= {(post.author, post.nonce) for post, answer in pairs if post.nonce and answer.endswith(" False")}
            answers.update(expected)

            assert answered == expected, (SEED, number, posts)
            found, wanted = await shown(ours, users[0], number), await shown(oracle, users[0], number)
            assert sorted(found) == sorted(wanted), (SEED, number)
            counts = [[await unread(room, reader) for reader in story.inside] for room in (ours, oracle)]
            # A message that leaves its batch comes after the others, who then may have more or fewer to read.
            assert counts[0] == counts[1] or found != wanted, (SEED, number)
        assert [each async for each in app.recounts().run(dry=True) if each.drift] == []
    refusals = {"channel": "not_found", "group": "not_found", "thread": "blocked"}
    assert {"nonce_reused", refusals[kind]} < answers.keys(), answers
    if kind != "thread":  # its sends update the same inbox rows, so each has a transaction of its own
        assert sum(count > 1 for count in engine.batches) > 2
        assert any(count > 1 for count in engine.refused)


class HeldChannel(NamedTuple):
    """A channel on an engine that can be held, with an owner and members."""

    app: Sobremesa
    engine: HeldEngine
    room: ChannelRoom
    owner: Actor
    members: Sequence[Actor]


@pytest.fixture
async def held(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[HeldChannel]:
    owner, *members = users = [actor_of(name) for name in ("olga", "ana", "ben")]
    async with open_held(monkeypatch) as (app, engine):
        for user in users:
            await create_profile(app, user)
        room = ChannelRoom()
        await room.open(app, owner, members)
        engine.batches.clear()
        yield HeldChannel(app, engine, room, owner, members)


def posts_by(author: Actor, count: int) -> list[Post]:
    return [Post(author, f"m{number}", f"n{number}") for number in range(count)]


async def test_sends_that_wait_share_transactions(held: HeldChannel) -> None:
    posts = posts_by(held.members[0], 90)

    answered = await settled(held.room, held.engine, posts, _nothing)

    assert answered == [f"{post.content} False" for post in posts]
    # All of one author, whose membership is checked once, so that a message and its nonce are two of 100 operations.
    assert held.engine.batches == [1, 48, 41]


async def test_batch_that_conflicts_takes_what_has_arrived_meanwhile(held: HeldChannel) -> None:
    held.engine.conflicts = 3
    posts = posts_by(held.members[0], 10)

    answered = await settled(held.room, held.engine, posts, _nothing)

    assert answered == [f"{post.content} False" for post in posts]
    assert held.engine.batches == [10]


async def test_room_in_which_other_nodes_always_write_answers_busy(
    held: HeldChannel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batching, "MAX_WAIT_SECONDS", 0.2)
    held.engine.conflicts = 10_000

    assert await asyncio.gather(*(outcome(held.room, post) for post in posts_by(held.members[0], 3))) == ["busy"] * 3

    held.engine.conflicts = 0
    assert await outcome(held.room, Post(held.owner, "later", None)) == "later False"


async def test_sends_that_share_a_transaction_pay_once_for_the_head_and_for_each_author(held: HeldChannel) -> None:
    """The table in docs/messages.md."""

    async def units(authors: Sequence[Actor], *nonces: str) -> float:
        before = held.app.table.meter.totals().get("COM.40")
        posts = [Post(author, nonce, nonce) for author, nonce in zip(authors, nonces, strict=True)]
        answered = await settled(held.room, held.engine, posts, _nothing)
        assert answered == [f"{nonce} False" for nonce in nonces]
        used = held.app.table.meter.totals()["COM.40"].capacity.write
        return used - (0 if before is None else before.capacity.write)

    alone = await units([held.owner], "a")
    of_three = await units([held.owner, held.owner, *held.members], "b", "c", "d", "e") - alone
    of_one = await units([held.owner] * 4, "f", "g", "h", "i") - alone

    assert (alone, of_three, of_one) == (9, 3 * (2 + 1 + 2 + 2) + 2, 3 * (2 + 1 + 2) + 2 + 2)


async def test_refused_send_leaves_its_batch(held: HeldChannel) -> None:
    ana, ben = held.members
    posts = [Post(held.owner, "first", None), Post(ana, "a", None), Post(ben, "b", None), Post(ana, "c", "n")]

    answered = await settled(held.room, held.engine, posts, lambda room: room.exclude(ben))

    assert answered == ["first False", "a False", "not_found", "c False"]
    assert held.engine.batches[-2:] == [1, 2]
    assert held.engine.refused == [3, 1]


async def test_repeated_nonce_is_answered_from_its_batch(held: HeldChannel) -> None:
    ana, ben = held.members
    await outcome(held.room, Post(ana, "once", "n"))
    posts = [Post(held.owner, "first", None), Post(ana, "once", "n"), Post(ben, "b", None), Post(ana, "other", "n")]

    answered = await settled(held.room, held.engine, posts, _nothing)

    assert answered == ["first False", "once True", "b False", "nonce_reused"]


async def test_same_nonce_twice_at_once_makes_one_message(held: HeldChannel) -> None:
    twice = Post(held.members[0], "once", "n")

    answered = await settled(held.room, held.engine, [Post(held.owner, "first", None), twice, twice], _nothing)

    assert sorted(answered) == ["first False", "once False", "once True"]


async def test_deleted_channel_refuses_all_that_wait(held: HeldChannel) -> None:
    ana, ben = held.members
    posts = [Post(held.owner, "first", None), *(Post(each, "x", None) for each in (ana, ben, ana))]

    async def delete(room: Room) -> None:
        await held.app.communities.delete_channel(held.owner, room.room_id)

    assert await settled(held.room, held.engine, posts, delete) == ["not_found"] * 4


async def test_locked_thread_refuses_all_that_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    users = [actor_of(name) for name in ("olga", "ana", "ben")]
    async with open_held(monkeypatch) as (app, engine):
        for user in users:
            await create_profile(app, user)
        room = ThreadRoom()
        await room.open(app, users[0], users[1:])

        answered = await settled(room, engine, [Post(user, "x", None) for user in users], lambda room: room.lock())

    assert answered == ["thread_not_open"] * 3


async def test_full_queue_answers_busy(held: HeldChannel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batching, "MAX_WAITING", 3)

    answered = await settled(held.room, held.engine, posts_by(held.owner, 6), _nothing)

    assert answered == ["m0 False", "m1 False", "m2 False", "m3 False", "busy", "busy"]


async def test_send_that_waits_too_long_is_answered_busy_and_not_written(
    held: HeldChannel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batching, "MAX_WAIT_SECONDS", 0.0)

    answered = await settled(held.room, held.engine, posts_by(held.owner, 2), _nothing)

    assert answered[1] == "busy"
    page = await held.app.communities.page(held.owner, held.room.room_id, limit=10)
    assert "m1" not in [message.content for message in page.messages]


async def test_cancelled_send_leaves_the_queue(held: HeldChannel) -> None:
    held.engine.hold()
    first = asyncio.create_task(outcome(held.room, Post(held.owner, "first", None)))
    await held.engine.arrived.wait()
    cancelled, waiting = (asyncio.create_task(outcome(held.room, Post(each, "waits", None))) for each in held.members)
    for _ in range(30):
        await asyncio.sleep(0)

    cancelled.cancel()
    await asyncio.wait({cancelled})
    held.engine.release()

    assert [await first, await waiting] == ["first False", "waits False"]
    assert held.engine.batches == [1, 1]


async def test_first_caller_that_is_cancelled_takes_no_other_send_with_it(held: HeldChannel) -> None:
    held.engine.hold()
    first = asyncio.create_task(outcome(held.room, Post(held.owner, "first", None)))
    await held.engine.arrived.wait()
    others = [asyncio.create_task(outcome(held.room, Post(each, "waits", None))) for each in held.members]
    for _ in range(30):
        await asyncio.sleep(0)

    first.cancel()
    await asyncio.wait({first})
    held.engine.release()

    assert await asyncio.gather(*others) == ["waits False"] * 2


async def test_failure_of_the_store_is_raised_in_every_send_of_the_batch(held: HeldChannel) -> None:
    held.engine.hold()
    tasks = [asyncio.create_task(held.room.service.send(held.owner, held.room.room_id, Draft("first")))]
    await held.engine.arrived.wait()
    tasks += [asyncio.create_task(held.room.service.send(each, held.room.room_id, Draft("x"))) for each in held.members]
    for _ in range(30):
        await asyncio.sleep(0)
    held.engine.is_cut_off = True
    held.engine.release()

    errors = await asyncio.gather(*tasks, return_exceptions=True)

    assert [type(error) for error in errors] == [StoreClosed] * 3
    assert len({id(error) for error in errors}) == 3


async def test_failure_of_one_batch_ends_no_other_send(held: HeldChannel) -> None:
    held.engine.broken_size = 48
    held.engine.hold()
    tasks = [asyncio.create_task(outcome(held.room, post)) for post in posts_by(held.members[0], 90)]
    await held.engine.arrived.wait()
    for _ in range(30):
        await asyncio.sleep(0)
    held.engine.release()

    answered = await asyncio.gather(*tasks, return_exceptions=True)

    failed = [answer for answer in answered if isinstance(answer, ZeroDivisionError)]
    sent = [answer for answer in answered if isinstance(answer, str) and answer.endswith(" False")]
    assert (len(failed), len(sent)) == (48, 42)


async def _text() -> AsyncIterator[bytes]:
    yield b"text"


async def test_author_keeps_their_order_if_one_of_their_sends_does_not_fit(
    held: HeldChannel, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana = held.members[0]
    files = [await held.app.attachments.receive(ana, UploadedFile(f"{n}.txt", "text/plain", _text())) for n in range(6)]
    monkeypatch.setattr(batching, "MAX_OPERATIONS", 10)
    drafts = [Draft("one"), Draft("two", attachments=[file.file_id for file in files]), Draft("three")]
    held.engine.hold()
    tasks = [asyncio.create_task(held.room.service.send(held.owner, held.room.room_id, Draft("first")))]
    await held.engine.arrived.wait()
    for draft in drafts:
        tasks.append(asyncio.create_task(held.room.service.send(ana, held.room.room_id, draft)))
        for _ in range(30):
            await asyncio.sleep(0)
    held.engine.release()

    views = await asyncio.gather(*tasks)

    assert [view.content for view in sorted(views, key=lambda view: view.message_id)] == [
        "first",
        "one",
        "two",
        "three",
    ]


async def test_concurrent_sends_on_dynamodb_have_one_order(community: Community) -> None:
    """Sends of all members at once, on a real endpoint."""
    authors = list(community.members.values())

    views = await asyncio.gather(*(community.send(authors[n % 4], f"m{n}", nonce=f"n{n}") for n in range(60)))

    assert len({view.message_id for view in views}) == 60
    page = await community.app.communities.page(community.owner, community.channel_id, limit=100)
    newest_first = [message.message_id for message in page.messages]
    assert newest_first == sorted(newest_first, reverse=True)
    assert {view.message_id for view in views} <= set(newest_first)
