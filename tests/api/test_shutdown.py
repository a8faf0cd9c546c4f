"""A server that stops, or is stopped, loses nothing that it has answered."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import aiohttp
import pytest

from api.calling import Caller, client_of, register
from api.conftest import store_of
from api.running import Server, serving
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor, UserId
from sobremesa.rooms.service import Rooms

SENDERS = 32
AFTER_MESSAGES = 200
"""So many were answered when the server is stopped: the senders are in full swing."""
BUSY_WITHIN_SECONDS = 60.0
STOPPED_WITHIN_SECONDS = 10.0


class Traffic:
    """Senders who send one message after the other until the server is gone, and remember what was answered."""

    def __init__(self, caller: Caller, channel_id: str) -> None:
        self.caller = caller
        self.channel_id = channel_id
        self.acknowledged: dict[str, str] = {}
        """The content of every message that was answered with 201, by its id."""
        self.statuses: Counter[int] = Counter()
        self.busy = asyncio.Event()

    async def run(self) -> None:
        async with asyncio.TaskGroup() as senders:
            for number in range(SENDERS):
                senders.create_task(self._send(number))

    async def _send(self, sender: int) -> None:
        path = f"/v1/channels/{self.channel_id}/messages"
        headers = {"Authorization": f"Bearer {self.caller.token}"}
        with contextlib.suppress(aiohttp.ClientConnectionError, aiohttp.ClientPayloadError):
            for number in range(100_000):
                body = {"content": f"{sender}/{number}", "nonce": f"{sender}-{number}"}
                async with self.caller.http.post(path, json=body, headers=headers) as answer:
                    sent = await answer.json(content_type=None)
                self.statuses[answer.status] += 1
                if answer.status != 201:
                    return
                self.acknowledged[sent["messageId"]] = sent["content"]
                if len(self.acknowledged) >= AFTER_MESSAGES:
                    self.busy.set()


class OwnedChannel(NamedTuple):
    caller: Caller
    channel_id: str


async def create_channel(http: aiohttp.ClientSession, word: str) -> OwnedChannel:
    caller = await register(http, f"ana-{word}")
    server = await caller.post("/servers", {"name": "A busy table"})
    channel = await caller.post(f"/servers/{server['serverId']}/channels", {"name": "general"})
    return OwnedChannel(caller, channel["channelId"])


async def in_full_swing(traffic: Traffic) -> asyncio.Task[None]:
    """The running senders, once enough was answered."""
    running = asyncio.create_task(traffic.run())
    busy = asyncio.create_task(traffic.busy.wait())
    async with asyncio.timeout(BUSY_WITHIN_SECONDS):
        await asyncio.wait([running, busy], return_when=asyncio.FIRST_COMPLETED)
    assert busy.done(), f"the senders stopped by themselves: {traffic.statuses}"
    return running


async def kept(store: str, owned: OwnedChannel) -> dict[str, str]:
    """Every message of the channel, through the library's door."""
    async with Sobremesa.open(store, background=False) as app:
        actor = Actor.of_user(UserId(owned.caller.user_id), owned.caller.name)
        return await _all(app.communities, actor, owned.channel_id)


async def _all(channels: Rooms, actor: Actor, channel_id: str) -> dict[str, str]:
    found: dict[str, str] = {}
    cursor: str | None = None
    while True:
        page = await channels.page(actor, channel_id, limit=100, cursor=cursor)  # type: ignore[arg-type]
        found |= {message.message_id: message.content for message in page.messages}
        cursor = page.cursor
        if cursor is None:
            return found


async def test_a_stopping_server_finishes_requests_in_progress(
    engine: str, request: pytest.FixtureRequest, tmp_path: Path, fresh: str
) -> None:
    with serving(store_of(engine, request), tmp_path / "server.log") as server:
        async with client_of(server.url) as http:
            owned = await create_channel(http, fresh)
            traffic = Traffic(*owned)
            running = await in_full_swing(traffic)

            server.process.terminate()
            async with asyncio.timeout(STOPPED_WITHIN_SECONDS):
                assert await asyncio.to_thread(server.process.wait, STOPPED_WITHIN_SECONDS) == 0
                await running

        assert traffic.statuses.keys() == {201}, server.log.read_text()[-2000:]
        assert_nothing_is_lost(traffic, await kept(server.store, owned), begun_at_most=0)


async def test_a_killed_server_has_everything_that_it_answered(
    request: pytest.FixtureRequest, tmp_path: Path, fresh: str
) -> None:
    store = store_of("embedded", request)
    with serving(store, tmp_path / "server.log") as server:
        async with client_of(server.url) as http:
            owned = await create_channel(http, fresh)
            traffic = Traffic(*owned)
            running = await in_full_swing(traffic)

            server.kill()
            async with asyncio.timeout(STOPPED_WITHIN_SECONDS):
                await running
    assert traffic.statuses.keys() == {201}

    with serving(store, tmp_path / "again.log") as again:
        await the_nonces_still_hold(again, traffic, owned)
    assert_nothing_is_lost(traffic, await kept(store, owned), begun_at_most=SENDERS)


async def the_nonces_still_hold(server: Server, traffic: Traffic, owned: OwnedChannel) -> None:
    """The restarted server knows the same session and the same nonces."""
    message_id, content = next(iter(traffic.acknowledged.items()))
    async with client_of(server.url) as http:
        caller = Caller(http, owned.caller.token, owned.caller.user)
        body = {"content": content, "nonce": content.replace("/", "-")}
        again = await caller.post(f"/channels/{owned.channel_id}/messages", body, expect=200)
    assert (again["messageId"], again["replayed"]) == (message_id, True)


def assert_nothing_is_lost(traffic: Traffic, found: dict[str, str], *, begun_at_most: int) -> None:
    """Everything that was answered is there, once; what was only begun may be there."""
    assert len(traffic.acknowledged) >= AFTER_MESSAGES
    assert {id_: found.get(id_) for id_ in traffic.acknowledged} == traffic.acknowledged
    assert len(set(found.values())) == len(found), "a message is there twice"
    unanswered = len(found) - len(traffic.acknowledged)
    assert unanswered <= begun_at_most, f"{unanswered} messages were kept and not answered"
