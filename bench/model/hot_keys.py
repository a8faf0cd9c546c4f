"""The rate at which each hot key reaches its limit, and what the API answers beyond it.

Callers on ten nodes repeat one verb on one key without a pause. Nothing that was accepted may be lost.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from bench.model.goals import BODY, INBOX, NOTICE, Figures, Scenario
from bench.model.installation import BACKEND, UNTIL_SEEN_SECONDS, Installation
from bench.model.load import MOST, Call, from_callers
from sobremesa.core.actor import DEFAULT_TENANT, Actor
from sobremesa.core.ids import RoomId
from sobremesa.domains.threads.entities import ListingId
from sobremesa.domains.threads.service import NewThread
from sobremesa.rooms.sending import Draft
from sobremesa.table.engines.modelled import ModelledEngine

CALLERS = 200
SECONDS = 5.0


class HotKey(NamedTuple):
    """A verb that many call on one key."""

    call: Call
    stored: Callable[[], Awaitable[int]] | None = None
    """Counts what is stored of the accepted calls."""


def _reached(engine: ModelledEngine) -> str:
    """Name what refused most calls."""
    reached = Counter({f"{name} units": count for name, count in engine.limits.refusals.items()})
    reached.update({f"transactions of {name}": count for name, count in engine.conflicts.items()})
    return ", ".join(f"{name}" for name, _ in reached.most_common(2)) or "nothing"


Prepare = Callable[[Installation], Awaitable[HotKey]]


def _limit(prepare: Prepare) -> Scenario:
    async def measured(seed: int, length: float) -> Figures:
        async with Installation.open(seed) as installed:
            hot = await prepare(installed)
            installed.engine.limits.refusals.clear()
            installed.engine.conflicts.clear()
            done = await from_callers(CALLERS, SECONDS * length, hot.call)
            figures: Figures = {
                "reached": _reached(installed.engine),
                "accepted a second": round(done.rate),
                "p50, ms": round(done.quantile(0.5) * 1000),
                "p99, ms": round(done.quantile(0.99) * 1000),
                "other answers": ", ".join(f"{count}x {what}" for what, count in done.refused.most_common()) or "none",
            }
            if hot.stored is not None:
                await asyncio.sleep(UNTIL_SEEN_SECONDS)
                figures["accepted and not stored"] = done.accepted - await hot.stored()
            return figures

    return measured


async def _channel(installed: Installation) -> HotKey:
    owner, *members = await installed.users(CALLERS + 1)
    _, [channel] = await installed.server(owner, members)

    async def send(number: int) -> None:
        await installed.app.communities.send(members[number % CALLERS], channel, Draft(BODY, nonce=f"{number}"))

    async def stored() -> int:
        return await _count_messages(installed, owner, channel)

    return HotKey(send, stored)


async def _count_messages(installed: Installation, actor: Actor, channel: RoomId) -> int:
    count, cursor = 0, None
    while True:
        page = await installed.app.communities.page(actor, channel, limit=100, cursor=cursor)
        count += len(page.messages)
        cursor = page.cursor
        if cursor is None:
            return count


async def _direct(installed: Installation) -> HotKey:
    one, other = await installed.users(2)
    room = (await installed.app.conversations.create_direct(one, other.user_id)).conversation_id

    async def send(number: int) -> None:
        await installed.app.conversations.send((one, other)[number % 2], room, Draft(BODY, nonce=f"{number}"))

    return HotKey(send)


async def _thread(installed: Installation) -> HotKey:
    buyer, seller = await installed.users(2)
    inquiry = NewThread("inquiry", seller.user_id, ListingId("kitchen"))
    room = (await installed.app.threads.create(buyer, inquiry)).listed.thread.room_id

    async def send(number: int) -> None:
        await installed.app.threads.send((buyer, seller)[number % 2], room, Draft(BODY, nonce=f"{number}"))

    return HotKey(send)


async def _reactions(installed: Installation) -> HotKey:
    owner, *members = await installed.users(5001)
    _, [channel] = await installed.server(owner, members)
    message_id = (await installed.app.communities.send(owner, channel, Draft(BODY))).message_id

    async def react(number: int) -> None:
        await installed.app.communities.react(members[number % len(members)], channel, message_id, "👍")

    return HotKey(react)


async def _reading(installed: Installation) -> HotKey:
    owner, *members = await installed.users(CALLERS + 1)
    _, [channel] = await installed.server(owner, members)
    message_id = (await installed.app.communities.send(owner, channel, Draft(BODY))).message_id

    async def mark(number: int) -> None:
        await installed.app.communities.mark_read(members[number % CALLERS], channel, message_id)

    return HotKey(mark)


async def _opening(installed: Installation) -> HotKey:
    owner, *members = await installed.users(CALLERS + 1)
    _, [channel] = await installed.server(owner, members)
    for _ in range(60):
        await installed.app.communities.send(owner, channel, Draft(BODY))

    async def open_channel(number: int) -> None:
        await installed.app.communities.page(members[number % CALLERS], channel, limit=50)

    return HotKey(open_channel)


async def _unlimited_invite(installed: Installation) -> HotKey:
    return await _invite(installed, None)


async def _limited_invite(installed: Installation) -> HotKey:
    return await _invite(installed, 1_000_000)


async def _invite(installed: Installation, uses: int | None) -> HotKey:
    [owner] = await installed.users(1, "owner")
    users = await installed.users(MOST)
    server_id, _ = await installed.server(owner, [])
    invite = await installed.app.communities.invites.create(owner, server_id, max_uses=uses)

    async def join(number: int) -> None:
        await installed.app.communities.invites.redeem(users[number], invite.code)

    async def stored() -> int:
        count, cursor = 0, None
        while True:
            rows, cursor = await installed.app.communities.members.list_members(
                owner, server_id, limit=100, cursor=cursor
            )
            count += len(rows)
            if cursor is None:
                return count - 1

    return HotKey(join, stored)


async def _channels(installed: Installation) -> HotKey:
    [owner] = await installed.users(1, "owner")
    server_id, _ = await installed.server(owner, [], channels=0)

    async def create(number: int) -> None:
        await installed.app.communities.create_channel(owner, server_id, name=f"channel-{number}")

    return HotKey(create)


async def _items(installed: Installation) -> HotKey:
    [owner] = await installed.users(1, "owner")
    workspace_id = (await installed.app.workspaces.create(owner, name="Measured")).workspace.workspace_id

    async def create(number: int) -> None:
        await installed.app.workspaces.items.create(owner, workspace_id, title=f"Item {number}", status="open")

    return HotKey(create)


async def _broadcasts(installed: Installation) -> HotKey:
    await _set_up_inbox(installed)

    async def publish(number: int) -> None:
        await installed.app.inboxes.publish_to_everyone(BACKEND, DEFAULT_TENANT, INBOX, NOTICE)

    return HotKey(publish)


async def _personal(installed: Installation) -> HotKey:
    await _set_up_inbox(installed)
    [user] = await installed.users(1)

    async def publish(number: int) -> None:
        await installed.app.inboxes.publish_to_users(BACKEND, DEFAULT_TENANT, INBOX, NOTICE, [user.user_id])

    return HotKey(publish)


async def _set_up_inbox(installed: Installation) -> None:
    inboxes = installed.app.inboxes
    await inboxes.set_tenant(BACKEND, DEFAULT_TENANT, title="Shop", ttl="90d")
    await inboxes.set_inbox(BACKEND, DEFAULT_TENANT, INBOX, title="News", description=None, ttl={"default": "30d"})


async def _reports(installed: Installation) -> HotKey:
    owner, *members = await installed.users(5001)
    _, [channel] = await installed.server(owner, members)
    message_id = (await installed.app.communities.send(owner, channel, Draft(BODY))).message_id

    async def report(number: int) -> None:
        await installed.app.communities.report(members[number % len(members)], channel, message_id, "Too short.")

    return HotKey(report)


HOT_KEYS: dict[str, Scenario] = {
    "send to one channel": _limit(_channel),
    "send to one direct conversation": _limit(_direct),
    "send to one thread": _limit(_thread),
    "react to one message with one emoji": _limit(_reactions),
    "mark one channel as read": _limit(_reading),
    "open one channel": _limit(_opening),
    "join by one unlimited invite": _limit(_unlimited_invite),
    "join by one limited invite": _limit(_limited_invite),
    "create channels in one server": _limit(_channels),
    "create items in one workspace": _limit(_items),
    "publish broadcasts to one inbox": _limit(_broadcasts),
    "publish to one user": _limit(_personal),
    "report one message": _limit(_reports),
}
