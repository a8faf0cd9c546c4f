"""What an installation of ten nodes carries: each function measures one row of the table of goals."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any

from bench.model.installation import BACKEND, NODES, Installation
from bench.model.load import at_rate, from_callers
from sobremesa.core.actor import DEFAULT_TENANT
from sobremesa.domains.inboxes.entities import InboxKey
from sobremesa.domains.inboxes.message_ids import InboxMessageId
from sobremesa.domains.inboxes.publishing import Notice
from sobremesa.rooms.sending import Draft
from sobremesa.table.errors import TableError

Figures = dict[str, float | str]
Scenario = Callable[[int, float], Coroutine[Any, Any, Figures]]
"""Measures something with a seed, for so many times the usual length."""

BODY = "The coffee is ready, and there is cake for everybody who comes before four. " * 2
INBOX = InboxKey("news")
NOTICE = Notice(sender="shop", title="Half price", body=BODY, category="offers")
MS = 1000
POLL_SECONDS = 0.1
MOST_POLLS = 3000


async def one_channel(seed: int, length: float) -> Figures:
    """Send to one channel with nonces, at 400 a second and from callers that never pause."""
    figures: Figures = {}
    async with Installation.open(seed) as installed:
        owner, *members = await installed.users(400)
        _, [channel] = await installed.server(owner, members)

        async def send(number: int) -> None:
            author = members[number % len(members)]
            await installed.app.communities.send(author, channel, Draft(BODY, nonce=f"paced {number}"))

        paced = await at_rate(400, 10 * length, send)
        figures["accepted of 400 msg/s"] = round(paced.rate, 1)
        figures["p99 at 400 msg/s, ms"] = round(paced.quantile(0.99) * MS)
        figures["not sent at 400 msg/s"] = sum(paced.refused.values())
        await asyncio.sleep(10)

        async def push(number: int) -> None:
            author = members[number % len(members)]
            await installed.app.communities.send(author, channel, Draft(BODY, nonce=f"pushed {number}"))

        pushed = await from_callers(300, 10 * length, push)
        figures["msg/s of 300 callers"] = round(pushed.rate, 1)
        figures["p99 of 300 callers, ms"] = round(pushed.quantile(0.99) * MS)
        figures["not sent of 300 callers"] = sum(pushed.refused.values())
    return figures


async def installation(seed: int, length: float) -> Figures:
    """Send 10,000 messages a second to a thousand channels of a hundred servers."""
    rate, channels, each = 10_000, 10, 20
    async with Installation.open(seed) as installed:
        owners = await installed.users(100, "owner")
        members = await installed.users(100 * each)
        rooms = []
        for number, owner in enumerate(owners):
            inside = members[number * each : (number + 1) * each]
            _, created = await installed.server(owner, inside, channels=channels)
            rooms += [(room, inside) for room in created]

        async def send(number: int) -> None:
            room, inside = rooms[number * 7919 % len(rooms)]
            author = inside[number // len(rooms) % len(inside)]
            await installed.app.communities.send(author, room, Draft(BODY, nonce=f"{number}"))

        started = time.process_time()
        sent = await at_rate(rate, 2 * length, send)
        spent = time.process_time() - started
        return {
            "accepted of 10,000 msg/s": round(sent.rate),
            "p99, ms": round(sent.quantile(0.99) * MS),
            "not sent": sum(sent.refused.values()),
            "CPU of a message on this machine, with the model, ms": round(spent * MS / max(1, sent.accepted), 2),
        }


async def joins(seed: int, length: float) -> Figures:
    """Join a server by one unlimited invite, a thousand users a second."""
    rate = 1000
    async with Installation.open(seed) as installed:
        [owner] = await installed.users(1, "owner")
        users = await installed.users(round(rate * 3 * length))
        server_id, _ = await installed.server(owner, [])
        invite = await installed.app.communities.invites.create(owner, server_id)

        async def join(number: int) -> None:
            await installed.app.communities.invites.redeem(users[number], invite.code)

        joined = await at_rate(rate, 3 * length, join)
        return {
            "accepted of 1,000 joins/s": round(joined.rate),
            "p99, ms": round(joined.quantile(0.99) * MS),
            "refused": sum(joined.refused.values()),
        }


async def public_inbox(seed: int, length: float) -> Figures:
    """Count an inbox of broadcasts for many users, each for the first time; then again after one has expired."""
    polls = 2000
    async with Installation.open(seed) as installed:
        inboxes = installed.app.inboxes
        await inboxes.set_tenant(BACKEND, DEFAULT_TENANT, title="Shop", ttl="90d")
        await inboxes.set_inbox(BACKEND, DEFAULT_TENANT, INBOX, title="News", description=None, ttl={"default": "30d"})
        users = await installed.users(round(polls * 2 * length))
        for _ in range(50):
            await inboxes.publish_to_everyone(BACKEND, DEFAULT_TENANT, INBOX, NOTICE)
        await asyncio.sleep(5)

        async def poll(number: int) -> None:
            await installed.app.inboxes.count(users[number], DEFAULT_TENANT, INBOX)

        before = installed.units()
        polled = await at_rate(polls, 2 * length, poll)
        first = installed.units().since(before)
        before = installed.units()
        again = await at_rate(polls, 2 * length, poll)
        second = installed.units().since(before)
        return {
            "reads for a first count": round(sum(first.calls.values()) / polled.accepted, 2),
            "reads for a later count": round(sum(second.calls.values()) / again.accepted, 2),
            "refused": sum(polled.refused.values()) + sum(again.refused.values()),
        }


async def publishing(seed: int, length: float) -> Figures:
    """Publish to users by name, as a backend does that has a list of them."""
    count = round(20_000 * length)
    async with Installation.open(seed) as installed:
        inboxes = installed.app.inboxes
        await inboxes.set_tenant(BACKEND, DEFAULT_TENANT, title="Shop", ttl="90d")
        await inboxes.set_inbox(BACKEND, DEFAULT_TENANT, INBOX, title="News", description=None, ttl={"default": "30d"})
        users = await installed.users(count)
        loop = asyncio.get_running_loop()
        started = loop.time()
        names = [each.user_id for each in users]
        message_id = (await inboxes.publish_to_users(BACKEND, DEFAULT_TENANT, INBOX, NOTICE, names)).message_id
        for _ in range(MOST_POLLS):
            await asyncio.sleep(POLL_SECONDS)
            if await _is_delivered(installed, message_id):
                break
        return {"recipients/s": round(count / (loop.time() - started))}


async def _is_delivered(installed: Installation, message_id: InboxMessageId) -> bool:
    try:
        publish = await installed.app.inboxes.get_publish(BACKEND, DEFAULT_TENANT, INBOX, message_id)
    except TableError:
        return False
    return publish.state == "done"


async def single_publishes(seed: int, length: float) -> Figures:
    """Publish to single users, from callers that never pause."""
    async with Installation.open(seed) as installed:
        inboxes = installed.app.inboxes
        await inboxes.set_tenant(BACKEND, DEFAULT_TENANT, title="Shop", ttl="90d")
        await inboxes.set_inbox(BACKEND, DEFAULT_TENANT, INBOX, title="News", description=None, ttl={"default": "30d"})
        users = await installed.users(2000)

        async def publish(number: int) -> None:
            user_id = users[number % len(users)].user_id
            await installed.app.inboxes.publish_to_users(BACKEND, DEFAULT_TENANT, INBOX, NOTICE, [user_id])

        done = await from_callers(200, 5 * length, publish)
        return {
            "publishes/s of one tenant": round(done.rate),
            "p99, ms": round(done.quantile(0.99) * MS),
            "refused": sum(done.refused.values()),
        }


GOALS: dict[str, Scenario] = {
    "one channel": one_channel,
    f"{NODES} nodes, 1,000 channels": installation,
    "joins by one unlimited invite": joins,
    "counts of a public inbox": public_inbox,
    "publishing by name": publishing,
    "publishing to single users": single_publishes,
}
