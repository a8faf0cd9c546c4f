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
from sobremesa.demo import daily_messages, notices, pictures, scripts, workspaces
from sobremesa.demo.calendar import Calendar, SettableClock
from sobremesa.demo.communities import COMMUNITIES, DIRECT, GROUPS, UNREAD, Community, members_of, owner_of
from sobremesa.demo.phrases import BOTS
from sobremesa.demo.scripts import Line
from sobremesa.demo.seed_state import STARTED_AT, Action, SeededRoom, SeedState
from sobremesa.demo.steps import Step
from sobremesa.demo.threads import THREADS, DemoThread
from sobremesa.demo.users import ADMINISTRATOR, MAIN, PASSWORD, USERS, DemoUser
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
    clock = SettableClock()
    calendar = Calendar(clock.now_ms())
    with clock.at(calendar.moment(STARTED_AT)):
        async with Sobremesa.open(settings=settings, clock=clock, background=False) as app:
            state = SeedState(app, clock, calendar)
            await _register_users(state)
            await _create_rooms(state)
            actions = sorted(_actions(state), key=lambda action: action.at_ms)
            _start_avatar_uploads(state)
            await _run_actions(state, actions, report)
            with clock.at(calendar.now_ms):
                await _mark_read(state)
                await (await app.records_store.outbox()).replay()
                await app.change_consumer.catch_up()
                # Last of all: this marks the demo as complete.
                await app.accounts.grant_admin(ADMINISTRATOR)


# Users and rooms


async def _register_users(state: SeedState) -> None:
    async def register(user: DemoUser) -> None:
        signed_in = await state.app.accounts.register(
            email=user.email, username=user.name, password=PASSWORD, device="demo"
        )
        actor = signed_in.actor
        await state.app.accounts.change_profile(actor, display_name=user.full_name)
        await state.app.accounts.logout(actor)
        state.users[user.name] = msgspec.structs.replace(actor, display_name=user.full_name)

    # First and alone: this user marks the store as a demo's, however early the seeding is interrupted.
    await register(next(user for user in USERS if user.name == ADMINISTRATOR))
    await asyncio.gather(*(register(user) for user in USERS if user.name != ADMINISTRATOR))


def _start_avatar_uploads(state: SeedState) -> None:
    """Start uploading the avatars."""
    for user in USERS:
        initials = "".join(word[0] for word in user.full_name.split())
        picture = pictures.avatar(initials, user.colors)
        state.files[user.name] = asyncio.create_task(
            state.upload(user.name, f"{user.name}.png", "image/png", picture, public=True)
        )


async def _create_rooms(state: SeedState) -> None:
    for community in COMMUNITIES:
        await _create_community(state, community)
    for one, other in DIRECT:
        created = await state.app.conversations.create_direct(state.users[one], state.users[other].user_id)
        state.rooms[f"with/{one}/{other}"] = SeededRoom(state.app.conversations, created.conversation_id)
    for group in GROUPS:
        first, *others = (state.users[name] for name in group.members)
        created = await state.app.conversations.create_group(
            first, [other.user_id for other in others], name=group.name
        )
        state.rooms[f"group/{group.key}"] = SeededRoom(state.app.conversations, created.conversation_id)


async def _create_community(state: SeedState, community: Community) -> None:
    app, owner = state.app, state.users[community.owner]
    server = await app.communities.create_server(owner, name=community.name)
    for name, topic in community.channels:
        created = await app.communities.create_channel(owner, server.server_id, name=name, topic=topic)
        state.rooms[f"{community.key}/{name}"] = SeededRoom(app.communities, created.channel.channel_id)
    invite = await app.communities.invites.create(owner, server.server_id)
    others = [name for name in community.members if name != community.owner]
    await asyncio.gather(*(app.communities.invites.redeem(state.users[name], invite.code) for name in others))
    for name in community.admins:
        await app.communities.members.change_role(owner, server.server_id, state.users[name].user_id, role="admin")

    async def icon() -> None:
        initials = "".join(word[0] for word in community.name.split()[-2:])
        picture = pictures.avatar(initials, community.colors)
        view = await state.upload(community.owner, f"{community.key}.png", "image/png", picture, public=True)
        changes = {"icon_url": f"/v1/attachments/{view.file_id}"}
        await app.communities.change_server(owner, server.server_id, changes)

    state.icons.append(asyncio.create_task(icon()))


# Messages and other actions


def _actions(state: SeedState) -> Iterator[Action]:
    for read in (scripts.read, daily_messages.read):
        for script in read(state.calendar, state.random):
            yield from _script_actions(state, script)
    for thread in THREADS:
        yield state.action(thread.created, partial(_create_thread, state, thread))
        for step in thread.steps:
            yield state.action(step.when, partial(_step, state, step, thread.key))
    yield from notices.actions(state)
    yield from workspaces.actions(state)


async def _create_thread(state: SeedState, thread: DemoThread) -> None:
    wanted = NewThread(
        thread.kind,
        state.users[thread.seller].user_id,
        None if thread.listing is None else ListingId(thread.listing),
        None if thread.lbg is None else LbgId(thread.lbg),
        None if thread.leg is None else LegId(thread.leg),
        thread.city,
    )
    created = (await state.app.threads.create(state.users[thread.buyer], wanted)).listed.thread
    for name in thread.also:
        await state.app.threads.participants.add(
            state.users[thread.seller], created.room_id, state.users[name].user_id, "seller"
        )
    state.rooms[thread.key] = SeededRoom(state.app.threads, created.room_id)


async def _step(state: SeedState, step: Step, room: str) -> None:
    await step.run(state, room)


def _script_actions(state: SeedState, lines: list[Line]) -> Iterator[Action]:
    """Yield the messages of a script, and the actions on them."""
    sent: dict[int, MessageId] = {}
    for line in lines:
        if line.file is not None:
            _upload(state, line, line.file)
        yield Action(line.at_ms, partial(_send, state, line, sent))
        yield from _follow_ups(state, line, sent)


def _upload(state: SeedState, line: Line, name: str) -> None:
    """Start uploading a file: its preview is created by another process, while messages are written."""
    kind, content = pictures.content_of(name)
    upload = state.upload(line.author, name, kind, content, at_ms=line.at_ms - UPLOADED_BEFORE_MS)
    state.files[name] = asyncio.create_task(upload)


async def _send(state: SeedState, line: Line, sent: dict[int, MessageId]) -> None:
    room = state.rooms[line.room]
    draft = Draft(
        line.text if line.before is None else line.before,
        reply_to=None if line.answers is None else sent[line.answers],
        attachments=() if line.file is None else [(await state.files[line.file]).file_id],
    )
    message = await room.service.send(state.users[line.author], room.room_id, draft)
    sent[line.index] = message.message_id
    state.last.setdefault(line.room, []).append(message.message_id)


def _follow_ups(state: SeedState, line: Line, sent: dict[int, MessageId]) -> Iterator[Action]:
    def concurrently(seconds: float, verb: Callable[[MessageId], Awaitable[object]]) -> Action:
        async def run() -> None:
            await verb(sent[line.index])

        return Action(min(line.at_ms + round(seconds * 1000), state.calendar.now_ms), run, is_concurrent=True)

    def verb_of(verb: str, user: str, *more: str) -> Callable[[MessageId], Awaitable[object]]:
        async def run(message_id: MessageId) -> object:
            room = state.rooms[line.room]
            return await getattr(room.service, verb)(state.users[user], room.room_id, message_id, *more)

        return run

    for emoji, names in line.reactions:
        for name in names:
            yield concurrently(state.random.uniform(5, 900), verb_of("react", name, emoji))
    if line.before is not None:
        yield concurrently(40, verb_of("edit", line.author, line.text))
    if line.is_pinned:
        yield concurrently(60, verb_of("pin", owner_of(line.room) or line.author))
    if line.report is not None:
        yield concurrently(90, verb_of("report", *line.report))


async def _run_actions(state: SeedState, actions: list[Action], report: ReportProgress) -> None:
    """Run all actions, each at its own time."""
    async with asyncio.TaskGroup() as group:
        turn = asyncio.Semaphore(MAX_CONCURRENT)

        async def concurrently(action: Action) -> None:
            async with turn:
                await action.run()

        for done, action in enumerate(actions):
            report(done, len(actions))
            with state.clock.at(action.at_ms):
                if action.is_concurrent:
                    group.create_task(concurrently(action))
                else:
                    await action.run()
        for user in USERS:
            group.create_task(_set_avatar(state, user))
        await asyncio.gather(*state.icons)
    report(len(actions), len(actions))


async def _set_avatar(state: SeedState, user: DemoUser) -> None:
    picture = await state.files[user.name]
    await state.app.accounts.change_profile(state.users[user.name], avatar_url=f"/v1/attachments/{picture.file_id}")


async def _mark_read(state: SeedState) -> None:
    """Mark rooms as read: for the main login as its data says, for others almost everything."""
    threads = {thread.key: (thread.buyer, thread.seller, *thread.also) for thread in THREADS}
    reads = []
    for key, messages in state.last.items():
        for name in threads.get(key) or members_of(key):
            left = UNREAD.get(key, 0) if name == MAIN else state.random.choice((0, 0, 0, 1, 2))
            if name in BOTS:
                left = 0  # or the bots would answer old messages when they start
            if left < len(messages):
                room = state.rooms[key]
                reads.append(room.service.mark_read(state.users[name], room.room_id, messages[-1 - left]))
    await asyncio.gather(*reads)
