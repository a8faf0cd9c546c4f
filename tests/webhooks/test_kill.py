"""No event is lost and the order of each room is kept, although the server is killed and the receiver fails."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import partial
from subprocess import DEVNULL, PIPE
from typing import Any

import aiohttp
import pytest

from api.calling import Caller, log_in, register
from commands import Process
from durability.child import line_of
from lengths import SEED, WEBHOOK_EVENTS
from sobremesa.app import Sobremesa
from sobremesa.core.actor import DEFAULT_TENANT
from webhooks.receiver import Received, Receiver

KILLS = 5
ROOMS = 20
MAX_REFUSED = 8
AHEAD_SECONDS = 40
"""More than a lease."""


class Sending:
    """Users who send messages, each room's one after the other, and again if the server was killed meanwhile."""

    def __init__(self, rooms: Sequence[str]) -> None:
        self.rooms = rooms
        self._next = dict.fromkeys(rooms, 0)

    async def send(self, url: str, until: int) -> None:
        """Send in every room until it has this many messages, or the server is killed."""
        async with aiohttp.ClientSession(url) as http:
            with contextlib.suppress(aiohttp.ClientError):
                user = await log_in(http, "ana")
                await asyncio.gather(*(self._send(user, room, until) for room in self.rooms))

    async def _send(self, user: Caller, room: str, until: int) -> None:
        while (number := self._next[room]) < until:
            body = {"content": str(number), "nonce": f"{room}-{number}"}
            try:
                reply = await user.call("POST", f"/channels/{room}/messages", body)
            except aiohttp.ClientError:
                return  # killed; the nonce makes it safe to send again
            assert reply.status in (200, 201), reply.raw
            self._next[room] = number + 1


async def create_environment(url: str, store: str, receiver: Receiver) -> tuple[Sending, dict[str, Any]]:
    async with aiohttp.ClientSession(url) as http:
        ana = await register(http, "ana")
        server = await ana.post("/servers", {"name": "The long table"})
        at = f"/servers/{server['serverId']}/channels"
        rooms = [(await ana.post(at, {"name": f"room-{number}"}))["channelId"] for number in range(ROOMS)]
        async with Sobremesa.open(store, background=False) as app:
            key = await app.accounts.server_keys.create_key(DEFAULT_TENANT, ["webhooks:admin"])
        hook = {"url": receiver.url, "events": ["message.created"]}
        return Sending(rooms), await Caller(http, key.text).post("/tenants/default/webhooks", hook)


@pytest.mark.long
@pytest.mark.timeout(1800)
async def test_no_event_is_lost_and_rooms_keep_their_order_although_the_server_is_killed_five_times(
    receiver: Receiver, store: str
) -> None:
    chance = random.Random(SEED)
    # The server that stands in for DynamoDB becomes slow with the number of its stream records.
    events = WEBHOOK_EVENTS if store.startswith("sqlite") else min(WEBHOOK_EVENTS // 2, 600)
    each_room = events // ROOMS
    sending: Sending | None = None
    secret = ""

    refused: Counter[str] = Counter()

    def answer(received: Received) -> int:
        received.verify(secret)
        # Of 10,000 events, some would be refused so often by chance that their next attempt is after half a minute.
        if refused[received.id] >= MAX_REFUSED or chance.random() < 0.5:
            return 200
        refused[received.id] += 1
        return 500

    receiver.answer = answer
    for run in range(KILLS + 1):
        arguments = ("-m", "webhooks.serving_process", store, str(run * AHEAD_SECONDS))
        with Process(*arguments, stdin=PIPE, stdout=PIPE, stderr=DEVNULL) as process:
            url = await asyncio.to_thread(_address_of, process)
            if sending is None:
                sending, hook = await create_environment(url, store, receiver)
                secret = hook["secret"]
            until = each_room * (run + 1) // (KILLS + 1)
            sent = asyncio.create_task(sending.send(url, until))
            if run < KILLS:
                # In the middle of sending messages and of sending webhooks.
                enough = until * ROOMS - each_room * ROOMS // (KILLS + 1) // 2
                await until_accepted(receiver, enough)
                process.kill()
                await asyncio.gather(sent)
            else:
                await sent
                await until_accepted(receiver, each_room * ROOMS)

    assert sending is not None
    by_room: dict[str, list[int]] = defaultdict(list)
    for received in receiver.accepted:
        by_room[received.body["data"]["roomId"]].append(int(received.content))
    # An event that was accepted right before a kill may come twice, but never after a later one of its room.
    assert {room: [number for number, _ in itertools.groupby(found)] for room, found in by_room.items()} == {
        room: list(range(each_room)) for room in sending.rooms
    }, f"seed {SEED}"
    assert len(receiver.requests) > len(receiver.accepted)
    assert len(receiver.accepted) - each_room * ROOMS <= KILLS * ROOMS


async def until_accepted(receiver: Receiver, events: int) -> None:
    """Wait until this many different events were accepted, for as long as it goes on."""
    while len({received.id for received in receiver.accepted}) < events:
        before = len(receiver.accepted)
        await receiver.until(partial(has_more, receiver, before))


def has_more(receiver: Receiver, before: int) -> bool:
    return len(receiver.accepted) > before


def _address_of(process: Process) -> str:
    """Return the address that the process prints, among what it logs."""
    while not (line := line_of(process)).startswith("serving "):
        pass
    return line.removeprefix("serving ")
