"""Seed a store with the demo, in chronological order.

Ids contain the time and never go back in a process, so messages are written one after the other, each at its own time.
What nothing else depends on (reactions, pins, files) is written concurrently.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from functools import partial

import msgspec

from sobremesa.app import Sobremesa
from sobremesa.core.ids import MessageId
from sobremesa.core.settings import Settings
from sobremesa.demo import notices, pictures, routines, scenes, shared
from sobremesa.demo.agreements import DEALINGS, Dealing
from sobremesa.demo.calendar import Calendar, StoryClock
from sobremesa.demo.communities import COMMUNITIES, DIRECT, GROUPS, UNREAD, Community, members_of, owner_of
from sobremesa.demo.people import ADMINISTRATOR, MAIN, PASSWORD, PEOPLE, Person
from sobremesa.demo.phrases import BOTS
from sobremesa.demo.scenes import Line
from sobremesa.demo.steps import Step
from sobremesa.demo.world import STARTED_AT, Act, Place, World
from sobremesa.domains.threads.entities import LbgId, LegId, ListingId
from sobremesa.domains.threads.service import NewThread
from sobremesa.rooms.sending import Draft

MAX_CONCURRENT = 64
UPLOADED_BEFORE_MS = 3_600_000

ReportProgress = Callable[[int, int], None]
"""Receives the number of finished actions, and of all actions."""


def _ignore(done: int, expected: int) -> None:
    """Report no progress."""


async def seed(settings: Settings, report: ReportProgress = _ignore) -> None:
    """Write the whole demo to an empty store; `store.is_seeded` returns whether it completed."""
    clock = StoryClock()
    calendar = Calendar(clock.now_ms())
    with clock.at(calendar.moment(STARTED_AT)):
        async with Sobremesa.open(settings=settings, clock=clock, background=False) as app:
            world = World(app, clock, calendar)
            await _people(world)
            await _rooms(world)
            acts = sorted(_acts(world), key=lambda act: act.at_ms)
            _avatars(world)
            await _play(world, acts, report)
            with clock.at(calendar.now_ms):
                await _mark_read(world)
                await (await app.records_store.outbox()).replay()
                await app.change_consumer.catch_up()
                # Last of all: this marks the demo as complete.
                await app.accounts.grant_admin(ADMINISTRATOR)


# Users and rooms


async def _people(world: World) -> None:
    async def register(person: Person) -> None:
        signed_in = await world.app.accounts.register(
            email=person.email, username=person.name, password=PASSWORD, device="demo"
        )
        actor = signed_in.actor
        await world.app.accounts.change_profile(actor, display_name=person.full)
        await world.app.accounts.logout(actor)
        world.people[person.name] = msgspec.structs.replace(actor, display_name=person.full)

    # First and alone: this user marks the store as a demo's, however early the seeding is interrupted.
    await register(next(person for person in PEOPLE if person.name == ADMINISTRATOR))
    await asyncio.gather(*(register(person) for person in PEOPLE if person.name != ADMINISTRATOR))


def _avatars(world: World) -> None:
    """Start uploading the avatars."""
    for person in PEOPLE:
        initials = "".join(word[0] for word in person.full.split())
        picture = pictures.face(initials, person.colours)
        world.files[person.name] = asyncio.create_task(
            world.upload(person.name, f"{person.name}.png", "image/png", picture, public=True)
        )


async def _rooms(world: World) -> None:
    for community in COMMUNITIES:
        await _community(world, community)
    for one, other in DIRECT:
        created = await world.app.conversations.create_direct(world.people[one], world.people[other].user_id)
        world.places[f"with/{one}/{other}"] = Place(world.app.conversations, created.conversation_id)
    for group in GROUPS:
        first, *others = (world.people[name] for name in group.people)
        created = await world.app.conversations.create_group(
            first, [other.user_id for other in others], name=group.name
        )
        world.places[f"group/{group.key}"] = Place(world.app.conversations, created.conversation_id)


async def _community(world: World, community: Community) -> None:
    app, owner = world.app, world.people[community.owner]
    server = await app.communities.create_server(owner, name=community.name)
    for name, topic in community.channels:
        created = await app.communities.create_channel(owner, server.server_id, name=name, topic=topic)
        world.places[f"{community.key}/{name}"] = Place(app.communities, created.channel.channel_id)
    invite = await app.communities.invites.create(owner, server.server_id)
    others = [name for name in community.members if name != community.owner]
    await asyncio.gather(*(app.communities.invites.redeem(world.people[name], invite.code) for name in others))
    for name in community.admins:
        await app.communities.members.change_role(owner, server.server_id, world.people[name].user_id, role="admin")

    async def icon() -> None:
        initials = "".join(word[0] for word in community.name.split()[-2:])
        picture = pictures.face(initials, community.colours)
        view = await world.upload(community.owner, f"{community.key}.png", "image/png", picture, public=True)
        changes = {"icon_url": f"/v1/attachments/{view.file_id}"}
        await app.communities.change_server(owner, server.server_id, changes)

    world.icons.append(asyncio.create_task(icon()))


# Messages and other actions


def _acts(world: World) -> Iterator[Act]:
    for read in (scenes.read, routines.read):
        for scene in read(world.calendar, world.chance):
            yield from _scene(world, scene)
    for dealing in DEALINGS:
        yield world.act(dealing.begun, partial(_create_thread, world, dealing))
        for step in dealing.steps:
            yield world.act(step.when, partial(_step, world, step, dealing.key))
    yield from notices.acts(world)
    yield from shared.acts(world)


async def _create_thread(world: World, dealing: Dealing) -> None:
    wanted = NewThread(
        dealing.kind,
        world.people[dealing.seller].user_id,
        None if dealing.listing is None else ListingId(dealing.listing),
        None if dealing.lbg is None else LbgId(dealing.lbg),
        None if dealing.leg is None else LegId(dealing.leg),
        dealing.city,
    )
    thread = (await world.app.threads.create(world.people[dealing.buyer], wanted)).listed.thread
    for name in dealing.also:
        await world.app.threads.participants.add(
            world.people[dealing.seller], thread.room_id, world.people[name].user_id, "seller"
        )
    world.places[dealing.key] = Place(world.app.threads, thread.room_id)


async def _step(world: World, step: Step, room: str) -> None:
    await step.do(world, room)


def _scene(world: World, lines: list[Line]) -> Iterator[Act]:
    """Yield the messages of a scene, and the actions on them."""
    sent: dict[int, MessageId] = {}
    for line in lines:
        if line.file is not None:
            _upload(world, line, line.file)
        yield Act(line.at_ms, partial(_send, world, line, sent))
        yield from _after(world, line, sent)


def _upload(world: World, line: Line, name: str) -> None:
    """Start uploading a file: its preview is made by another process, while messages are written."""
    kind, content = pictures.content_of(name)
    upload = world.upload(line.who, name, kind, content, at_ms=line.at_ms - UPLOADED_BEFORE_MS)
    world.files[name] = asyncio.create_task(upload)


async def _send(world: World, line: Line, sent: dict[int, MessageId]) -> None:
    place = world.places[line.room]
    draft = Draft(
        line.text if line.before is None else line.before,
        reply_to=None if line.answers is None else sent[line.answers],
        attachments=() if line.file is None else [(await world.files[line.file]).file_id],
    )
    message = await place.rooms.send(world.people[line.who], place.room_id, draft)
    sent[line.place] = message.message_id
    world.last.setdefault(line.room, []).append(message.message_id)


def _after(world: World, line: Line, sent: dict[int, MessageId]) -> Iterator[Act]:
    def beside(seconds: float, verb: Callable[[MessageId], Awaitable[object]]) -> Act:
        async def do() -> None:
            await verb(sent[line.place])

        return Act(min(line.at_ms + round(seconds * 1000), world.calendar.now_ms), do, is_beside=True)

    def rooms(verb: str, who: str, *more: str) -> Callable[[MessageId], Awaitable[object]]:
        async def do(message_id: MessageId) -> object:
            place = world.places[line.room]
            return await getattr(place.rooms, verb)(world.people[who], place.room_id, message_id, *more)

        return do

    for emoji, names in line.reactions:
        for name in names:
            yield beside(world.chance.uniform(5, 900), rooms("react", name, emoji))
    if line.before is not None:
        yield beside(40, rooms("edit", line.who, line.text))
    if line.is_pinned:
        yield beside(60, rooms("pin", owner_of(line.room) or line.who))
    if line.report is not None:
        yield beside(90, rooms("report", *line.report))
    if line.is_gone:
        yield beside(120, rooms("delete", line.who))


async def _play(world: World, acts: list[Act], report: ReportProgress) -> None:
    """Run all actions, each at its own time."""
    async with asyncio.TaskGroup() as group:
        turn = asyncio.Semaphore(MAX_CONCURRENT)

        async def beside(act: Act) -> None:
            async with turn:
                await act.do()

        for done, act in enumerate(acts):
            report(done, len(acts))
            with world.clock.at(act.at_ms):
                if act.is_beside:
                    group.create_task(beside(act))
                else:
                    await act.do()
        for person in PEOPLE:
            group.create_task(_set_avatar(world, person))
        await asyncio.gather(*world.icons)
    report(len(acts), len(acts))


async def _set_avatar(world: World, person: Person) -> None:
    picture = await world.files[person.name]
    await world.app.accounts.change_profile(world.people[person.name], avatar_url=f"/v1/attachments/{picture.file_id}")


async def _mark_read(world: World) -> None:
    """Mark rooms as read: for the main login as its data says, for others almost everything."""
    dealings = {dealing.key: (dealing.buyer, dealing.seller, *dealing.also) for dealing in DEALINGS}
    reads = []
    for room, messages in world.last.items():
        for name in dealings.get(room) or members_of(room):
            left = UNREAD.get(room, 0) if name == MAIN else world.chance.choice((0, 0, 0, 1, 2))
            if name in BOTS:
                left = 0  # or the bots would answer old messages when they start
            if left < len(messages):
                place = world.places[room]
                reads.append(place.rooms.mark_read(world.people[name], place.room_id, messages[-1 - left]))
    await asyncio.gather(*reads)
