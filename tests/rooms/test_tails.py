"""Tails: pages and counts from memory, which always show what was answered on any node."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from cheap import CHEAP
from communities.conftest import Ahead
from communities.environment import Community, actor_of, create_community, create_profile, requests
from imports.environment import message_line, run_import
from lengths import SEED, TAIL_SEEDS, TAIL_STEPS
from rooms.tail_story import TailStory, open_room, without_caches
from rooms.torn_engine import open_torn
from simulation import virtual_time
from simulation.nodes import ON_DYNAMODB, Node
from simulation.virtual_time import VirtualClock
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor, UserId
from sobremesa.core.ids import MessageId
from sobremesa.core.settings import Settings
from sobremesa.domains.accounts.key_stores import MemoryKeys
from sobremesa.domains.communities.entities import ChannelMessage
from sobremesa.rooms import tails
from sobremesa.rooms.sending import Draft
from sobremesa.table import Put, measure
from sobremesa.table.engines.modelled import Figures
from sobremesa.table.opening import open_modelled

SETTLED = tails.SETTLED_MS / 1000 + 0.1
KINDS = ("channel", "group", "thread")


@asynccontextmanager
async def another_node(store: str, tmp_path: Path, name: str) -> AsyncIterator[Sobremesa]:
    settings = Settings(
        **CHEAP,
        rate_limits="off",
        files=(tmp_path / "files").as_uri(),
        records=f"sqlite:///{tmp_path / name}.db",
    )
    async with Sobremesa.open(store, settings=settings, background=False) as app:
        yield app


async def warm(community: Community, clock: Ahead, limit: int = 50) -> None:
    """Look at the channel until it has a tail."""
    await community.app.communities.page(community.owner, community.channel_id, limit=limit)
    clock.move(seconds=SETTLED)
    await community.app.communities.page(community.owner, community.channel_id, limit=limit)


# What it costs


async def test_page_with_a_warm_tail_reads_the_head_the_membership_and_the_reactions(
    community: Community, clock: Ahead
) -> None:
    sent = [await community.send(community.owner, f"message {number}") for number in range(60)]
    page = community.app.communities.page
    with requests(community.app):  # on both engines without the cache of the embedded one
        await warm(community, clock)
    first, then = sent[30].message_id, sent[57].message_id

    questions: list[dict[str, Any]] = [
        {},
        {"before": first, "limit": 20},
        {"after": then},
        {"around": sent[40].message_id, "limit": 20},
    ]
    for question in questions:
        with requests(community.app) as asked, measure() as used:
            shown = await page(community.member, community.channel_id, **{"limit": 50, **question})
        reads = 2 if "around" in question else 1
        assert shown.messages
        assert dict(asked) == {"batch_get": 1, "query": 1} | ({"get": 1} if reads == 2 else {}), question
        assert used.read == 2 + 0.5 + (1 if reads == 2 else 0), question

    with requests(community.app) as asked, measure() as used:
        unread = await community.app.communities.unread(community.member, community.channel_id)
    assert (unread.count, dict(asked), used.read) == (60, {"batch_get": 1, "get": 1}, 3)


async def test_only_what_follows_the_tail_is_read(community: Community, clock: Ahead) -> None:
    for number in range(60):
        await community.send(community.owner, f"message {number} " + "more " * 100)
    with requests(community.app):
        await warm(community, clock)
    await community.send(community.owner, "the last one")

    with requests(community.app) as asked, measure() as used:
        shown = await community.app.communities.page(community.member, community.channel_id, limit=50)

    assert [message.content for message in shown.messages[:2]] == ["the last one", "message 59 " + "more " * 100]
    assert (dict(asked), used.read) == ({"batch_get": 1, "query": 2}, 2 + 1 + 0.5)


async def test_user_who_has_just_reacted_sees_it_beside_many_readers(community: Community, clock: Ahead) -> None:
    message = await community.send(community.owner, "cake?")
    channels, room_id = community.app.communities, community.channel_id
    await warm(community, clock)

    async def read(number: int) -> bool:
        who = community.member if number % 2 else community.admin
        await channels.react(who, room_id, message.message_id, "🎂" if number % 2 else "👍")
        page = await channels.page(who, room_id, limit=50)
        return all(any(each.me for each in one.reactions) for one in page.messages)

    assert all(await asyncio.gather(*(read(number) for number in range(20))))


# What it shows


@pytest.mark.parametrize("kind", KINDS)
async def test_nodes_show_what_the_table_has(
    app: Sobremesa, store: str, clock: Ahead, tmp_path: Path, kind: str
) -> None:
    async def wait(seconds: float) -> None:
        clock.move(seconds=seconds)

    users = [actor_of(name) for name in ("ana", "ben", "cleo", "zeb")]
    async with another_node(store, tmp_path, "other") as other, another_node(store, tmp_path, "third") as third:
        room = await open_room(app, kind, users)
        story = TailStory(room, [app, other], without_caches(third), wait, random.Random(f"{SEED} {kind}"))
        await story.run(TAIL_STEPS // 2)


def in_virtual_time(
    seed: int, nodes: int, work: Callable[[list[Sobremesa]], Awaitable[None]], figures: Figures
) -> None:
    """Run work with nodes over the model of DynamoDB."""

    async def run() -> None:
        engine, keys = await open_modelled(clock=VirtualClock(), figures=figures, seed=seed), MemoryKeys()
        running = [
            Node(f"node{number}", engine, keys, ON_DYNAMODB, seed=seed + number, skew_ms=0, is_gateway=False)
            for number in range(nodes)
        ]
        for node in running:
            await node.start()
        await asyncio.sleep(1)
        await work([node.app for node in running])
        for node in running:
            await node.crash()
        await engine.close()

    virtual_time.run(run(), seed)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", range(TAIL_SEEDS))
def test_nodes_show_what_the_model_of_dynamodb_has(kind: str, number: int) -> None:
    seed = SEED % 1_000_000 + number

    async def work(apps: list[Sobremesa]) -> None:
        users = [Actor.of_user(UserId(f"u-{name}"), name) for name in ("ana", "ben", "cleo", "zeb")]
        room = await open_room(apps[0], kind, users)
        await asyncio.sleep(1)
        *nodes, reference = apps
        story = TailStory(room, nodes, without_caches(reference), asyncio.sleep, random.Random(f"{seed} {kind}"))
        await story.run(TAIL_STEPS)
        read = [app.table.meter.totals()[room.of(app).kind.messages.id].calls for app in apps]
        assert max(read[:2]) < read[2]  # the tails were used

    # What need not be consistent is so all the same: the comparison would see older pages of the copy.
    in_virtual_time(seed, 3, work, Figures(inconsistent=0.0, stall=0.0, copy_lag=(0.0, 0.0)))


@pytest.mark.parametrize("number", range(TAIL_SEEDS))
def test_page_contains_every_change_that_was_answered_before_it_was_asked_for(number: int) -> None:
    seed = SEED % 1_000_000 + number
    chance = random.Random(seed)
    answered: dict[MessageId, int] = {}
    """The version of each message that was answered last; a deleted one has the last of all."""
    deleted, pages = 1_000, 0

    async def work(apps: list[Sobremesa]) -> None:
        users = [Actor.of_user(UserId(f"u-{name}"), name) for name in ("ana", "ben", "cleo", "zeb")]
        room = await open_room(apps[0], "channel", users)
        await asyncio.sleep(1)
        is_over = asyncio.Event()

        async def write(user: Actor) -> None:
            mine: list[Any] = []
            for _ in range(18):
                channels = chance.choice(apps).communities
                if len(mine) < 4 or chance.random() < 0.3:
                    view = await channels.send(user, room.room_id, Draft("0"))
                    mine.append(view.message_id)
                    answered[view.message_id] = 0
                elif chance.random() < 0.2:
                    gone = mine.pop(chance.randrange(len(mine)))
                    await channels.delete_message(user, room.room_id, gone)
                    answered[gone] = deleted
                else:
                    message_id = chance.choice(mine)
                    version = answered[message_id] + 1
                    await channels.edit(user, room.room_id, message_id, str(version))
                    answered[message_id] = version
                await asyncio.sleep(chance.choice((0, 0.01, 0.1, 1.5)))

        async def read(app: Sobremesa, user: Actor) -> None:
            nonlocal pages
            while not is_over.is_set():
                expected = dict(answered)
                page = await app.communities.page(user, room.room_id, limit=100)
                shown = {each.message_id: deleted if each.deleted else int(each.content) for each in page.messages}
                missing = {key: version for key, version in expected.items() if shown.get(key, -1) < version}
                assert not missing, (missing, shown)
                pages += 1
                await asyncio.sleep(chance.choice((0, 0.003, 0.05)))

        readers = [asyncio.create_task(read(app, user)) for app in apps for user in users]
        await asyncio.gather(*(write(user) for user in users))
        await asyncio.sleep(2)
        is_over.set()
        await asyncio.gather(*readers)

    in_virtual_time(seed, 3, work, Figures())
    assert pages > 100


def test_readers_of_one_moment_share_their_reads() -> None:
    async def work(apps: list[Sobremesa]) -> None:
        users = [Actor.of_user(UserId(f"u-{name}"), name) for name in ("ana", "ben", "cleo")]
        room = await open_room(apps[0], "channel", users)
        for _ in range(5):
            await apps[0].communities.send(users[0], room.room_id, Draft("hello"))
        page = apps[0].communities.page
        for seconds in (5, SETTLED):  # without a tail, and with one that is about to be read
            await asyncio.sleep(seconds)
            with requests(apps[0]) as asked:
                pages = await asyncio.gather(*(page(users[1], room.room_id, limit=50) for _ in range(100)))
            assert {len(each.messages) for each in pages} == {5}
            assert asked["query"] <= 10  # some for messages, some for reactions, since access checks differ in length

    in_virtual_time(1, 1, work, Figures())


@pytest.mark.parametrize("change", ["edit", "new messages"])
async def test_part_of_a_transaction_is_never_kept(monkeypatch: pytest.MonkeyPatch, clock: Ahead, change: str) -> None:
    """A reader may find the new head before the new message; another one, after the answer, finds the message."""
    async with open_torn(monkeypatch, clock) as (app, engine):
        community = await create_community(app)
        message = await community.send(community.member, "before")
        await warm(community, clock)
        writing: asyncio.Future[Any]
        if change == "edit":
            engine.tear(messages=1)
            verb = app.communities.edit(community.member, community.channel_id, message.message_id, "after")
            writing = asyncio.ensure_future(verb)
            seen, expected = ["before"], ["after"]
        else:
            engine.tear(messages=2)
            await create_profile(app, community.member)
            now_ms = clock.now_ms()
            lines = [
                message_line(community.channel_id, community.member, now_ms - 9 + each, "ab"[each]) for each in (0, 1)
            ]
            writing = asyncio.ensure_future(run_import(app, lines))
            seen, expected = ["before", "b"], ["before", "a", "b"]
        torn = asyncio.ensure_future(engine.torn.wait())
        await asyncio.wait({torn, writing}, return_when=asyncio.FIRST_COMPLETED)
        assert torn.done()
        in_part = [await community.contents() for _ in range(3)]
        engine.complete()
        await writing

        assert in_part == [seen] * 3
        for _ in range(3):
            assert await community.contents() == expected
            clock.move(seconds=SETTLED)


async def test_row_of_another_program_appears_within_a_minute(community: Community, clock: Ahead) -> None:
    """A program that writes no head, beside nodes that look at the room all the time."""
    await community.send(community.owner, "ours")
    engine: Any = community.app.table.engine
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "version_of", lambda pk, **_: None, raising=False)
        await warm(community, clock)
        row = ChannelMessage(
            room_id=community.channel_id,
            message_id=MessageId("theirs"),
            author_id=community.owner.user_id,
            username="olga",
            content="theirs",
            ms=clock.now_ms() + 1,
        )
        await community.app.table.write(Put(row))

        shown = []
        for _ in range(62):
            clock.move(seconds=1)
            shown.append(len(await community.contents()))

    assert shown[-1] == 2
    assert await community.contents() == ["ours", "theirs"]


# How much it keeps


async def test_tails_are_dropped_beyond_their_size(
    community: Community, clock: Ahead, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tails, "MAX_BYTES", 40_000)
    channels = community.app.communities
    server = (await channels.create_server(community.owner, name="Large")).server_id
    rooms = [(await channels.create_channel(community.owner, server, name=name)).channel.channel_id for name in "abc"]

    async def queries(room_id: Any) -> int:
        with requests(community.app) as asked:
            await channels.page(community.owner, room_id, limit=5)
        return asked["query"]

    for room_id in rooms:
        for _ in range(2):
            await channels.send(community.owner, room_id, Draft("x" * 3000))
        for _ in range(3):
            await queries(room_id)
            clock.move(seconds=SETTLED)

    assert [await queries(room_id) for room_id in (rooms[2], rooms[0])] == [1, 2]
