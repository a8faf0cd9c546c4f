"""What a verb costs on DynamoDB with everything that it causes later: moves, counters, receipts, expiry.

Units are those of all nodes, less what they spend when nothing happens.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple

import msgspec

from bench.model.goals import BODY, INBOX, NOTICE, Figures, Scenario
from bench.model.installation import BACKEND, Installation
from bench.model.load import Call, at_rate
from sobremesa.core.actor import DEFAULT_TENANT
from sobremesa.domains.threads.entities import ListingId
from sobremesa.domains.threads.service import NewThread
from sobremesa.rooms.sending import Draft

READ_DOLLARS, WRITE_DOLLARS = 0.125, 0.625
"""Of a million units, on demand, in us-east-1."""
LATER_SECONDS = 300.0
"""By then everything that a verb causes has happened, in virtual time; except the expiry, which costs nothing."""
NODES = 2
SHOWN = 4


class Verb(NamedTuple):
    """What is paid for."""

    rate: float
    """Calls a second."""
    seconds: float
    call: Call
    of_call: int = 1
    """How many of what is counted are in a call."""


Prepare = Callable[[Installation], Awaitable[Verb]]


def _price(prepare: Prepare) -> Scenario:
    async def measured(seed: int, length: float) -> Figures:
        async with Installation.open(seed, nodes=NODES, shards=2) as installed:
            verb = await prepare(installed)
            await asyncio.sleep(LATER_SECONDS)
            before = installed.units()
            await asyncio.sleep(LATER_SECONDS)
            idle = installed.units().since(before)
            before = installed.units()
            loop = asyncio.get_running_loop()
            started = loop.time()
            done = await at_rate(verb.rate, verb.seconds * length, verb.call)
            await asyncio.sleep(LATER_SECONDS)
            used = installed.units().since(before)
            share = (loop.time() - started) / LATER_SECONDS
            count = done.accepted * verb.of_call
            reads = {name: (used.reads[name] - idle.reads[name] * share) / count for name in used.calls}
            writes = {name: (used.writes[name] - idle.writes[name] * share) / count for name in used.calls}
            return {
                "read units": round(sum(reads.values()), 2),
                "write units": max(0.0, round(sum(writes.values()), 2)),
                "dollars a million": round(_dollars(sum(reads.values()), sum(writes.values())), 2),
                "most of it": _largest({name: _dollars(reads[name], writes[name]) for name in used.calls}),
                "refused": sum(done.refused.values()),
            }

    return measured


def _dollars(reads: float, writes: float) -> float:
    return reads * READ_DOLLARS + writes * WRITE_DOLLARS


def _largest(dollars: dict[str, float]) -> str:
    """Name the patterns that cost most."""
    largest = sorted(dollars.items(), key=lambda each: -each[1])[:SHOWN]
    return ", ".join(f"{name} ${price:.2f}" for name, price in largest if price >= 0.01)


async def _lonely_sends(installed: Installation) -> Verb:
    return await _sends_to_channel(installed, rate=2, seconds=100)


async def _frequent_sends(installed: Installation) -> Verb:
    return await _sends_to_channel(installed, rate=200, seconds=5)


async def _sends_to_channel(installed: Installation, *, rate: float, seconds: float) -> Verb:
    owner, *members = await installed.users(101)
    _, [channel] = await installed.server(owner, members)

    async def send(number: int) -> None:
        author = members[number % len(members)]
        await installed.app.communities.send(author, channel, Draft(BODY, nonce=f"{number}"))

    return Verb(rate, seconds, send)


async def _direct_sends(installed: Installation) -> Verb:
    users = await installed.users(100)
    pairs = list(zip(users[::2], users[1::2], strict=True))
    rooms = [
        (await installed.app.conversations.create_direct(one, other.user_id)).conversation_id for one, other in pairs
    ]

    async def send(number: int) -> None:
        pair = number % len(pairs)
        author = pairs[pair][number // len(pairs) % 2]
        await installed.app.conversations.send(author, rooms[pair], Draft(BODY, nonce=f"{number}"))

    return Verb(10, 60, send)  # each pair sends a message every five seconds


async def _group_sends(installed: Installation) -> Verb:
    users = await installed.users(100)
    groups = [users[start : start + 10] for start in range(0, 100, 10)]
    rooms = [
        (await installed.app.conversations.create_group(group[0], [each.user_id for each in group[1:]])).conversation_id
        for group in groups
    ]

    async def send(number: int) -> None:
        group = number % len(groups)
        author = groups[group][number // len(groups) % 10]
        await installed.app.conversations.send(author, rooms[group], Draft(BODY, nonce=f"{number}"))

    return Verb(2, 300, send)  # each group as well


async def _thread_inbox(installed: Installation) -> Verb:
    seller, *buyers = await installed.users(21)
    for number, buyer in enumerate(buyers):
        inquiry = NewThread("inquiry", seller.user_id, ListingId(f"listing-{number}"))
        room = (await installed.app.threads.create(buyer, inquiry)).listed.thread.room_id
        sent = await installed.app.threads.send(buyer, room, Draft(BODY))
        if number > 0:
            await installed.app.threads.mark_read(seller, room, sent.message_id)

    async def look(number: int) -> None:
        await installed.app.threads.list_threads(seller, limit=20)

    return Verb(5, 40, look)


async def _notifications(installed: Installation) -> Verb:
    inboxes, together = installed.app.inboxes, 100
    await inboxes.set_tenant(BACKEND, DEFAULT_TENANT, title="Shop", ttl="90d")
    await inboxes.set_inbox(BACKEND, DEFAULT_TENANT, INBOX, title="News", description=None, ttl={"default": "30d"})
    users = await installed.users(4 * together)
    brief = msgspec.structs.replace(NOTICE, ttl="2m")

    async def deliver(number: int) -> None:
        inboxes = installed.app.inboxes
        group = users[number * together : (number + 1) * together]
        sent = await inboxes.publish_to_users(BACKEND, DEFAULT_TENANT, INBOX, brief, [each.user_id for each in group])
        for user in group:
            await inboxes.count(user, DEFAULT_TENANT, INBOX)
            await inboxes.mark_read(user, DEFAULT_TENANT, INBOX, sent.message_id)
        await asyncio.sleep(180)
        for user in group:
            await inboxes.count(user, DEFAULT_TENANT, INBOX)

    return Verb(0.1, 40, deliver, together)


PRICES: dict[str, Scenario] = {
    "a channel send with nonce, alone": _price(_lonely_sends),
    "a channel send with nonce, of 200 a second": _price(_frequent_sends),
    "a direct send": _price(_direct_sends),
    "a send to a group of ten": _price(_group_sends),
    "a notification, delivered, counted, read and expired": _price(_notifications),
    "a look at an inbox of 20 threads, one of them unread": _price(_thread_inbox),
}
