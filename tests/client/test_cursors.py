"""A program that keeps its cursor handles every event once over restarts, and answers each message once."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

import commands
from api.calling import PASSWORD
from api.conftest import ENGINES, store_of
from api.running import Server, serving
from client.payloads import GENERAL, new_message
from client.scripted import WITHIN_SECONDS, Scripted, take
from sobremesa.client import BadCursor, Client, CursorFile, Message, Room

EXAMPLE = Path(__file__).parents[2] / "examples" / "echo_bot.py"
MESSAGES = 60
KILLED_AFTER = (7, 29, 51)
"""After how many sent messages the bot is killed; it is started again five messages later."""
DOWN_FOR = 5
ALL_ANSWERED_WITHIN_SECONDS = 60.0
ASK_AGAIN_SECONDS = 0.1


@contextmanager
def bot_running(server: Server, email: str, cursor: Path) -> Iterator[commands.Process]:
    settings = {"BOT_ADDRESS": server.url, "BOT_EMAIL": email, "BOT_PASSWORD": PASSWORD, "BOT_CURSOR": str(cursor)}
    with commands.Process(EXAMPLE, environment=os.environ | settings) as process:
        yield process
        assert process.poll() is None, "the bot ended by itself"
        process.kill()


async def replies(ana: Client, room: Room) -> Counter[str]:
    """Return how many replies each message has."""
    return Counter([message.reply_to async for message in ana.messages(room) if message.reply_to])


async def until_answered(ana: Client, room: Room, message: Message) -> Counter[str]:
    async with asyncio.timeout(ALL_ANSWERED_WITHIN_SECONDS):
        while True:
            found = await replies(ana, room)
            if found[message.message_id]:
                return found
            await asyncio.sleep(ASK_AGAIN_SECONDS)


async def until_connected(cursor: Path) -> None:
    """Wait until the bot has saved the cursor of its first connection."""
    async with asyncio.timeout(ALL_ANSWERED_WITHIN_SECONDS):
        while True:
            if await asyncio.to_thread(cursor.exists):
                return
            await asyncio.sleep(ASK_AGAIN_SECONDS)


@pytest.fixture(params=ENGINES)
def own_server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    with serving(store_of(request.param, request), tmp_path / "server.log") as running:
        yield running


async def test_killed_bot_answers_every_message_once(own_server: Server, tmp_path: Path) -> None:
    cursor = tmp_path / "bot.cursor"
    async with Client(own_server.url) as ana, Client(own_server.url) as bot:
        await ana.register("ana@example.com", "ana", PASSWORD)
        await bot.register("bot@example.com", "bot", PASSWORD)
        pair = (await ana.direct(bot.user.user_id)).room
        with bot_running(own_server, "bot@example.com", cursor):
            await until_connected(cursor)
            sent = [await ana.send(pair, f"{number}") for number in range(KILLED_AFTER[0])]
        for next_kill in (*KILLED_AFTER[1:], MESSAGES):
            sent += [await ana.send(pair, f"{len(sent)}") for _ in range(DOWN_FOR)]
            with bot_running(own_server, "bot@example.com", cursor):
                await until_answered(ana, pair, sent[-DOWN_FOR])  # it works again, and is killed while it answers
                while len(sent) < next_kill:
                    sent.append(await ana.send(pair, f"{len(sent)}"))
                if next_kill == MESSAGES:
                    await until_answered(ana, pair, sent[-1])
        answered = await replies(ana, pair)

    assert len(sent) == MESSAGES
    assert answered == {message.message_id: 1 for message in sent}


async def test_event_comes_again_until_it_is_handled_and_its_reply_is_one_message(
    server: Server, tmp_path: Path, fresh: str
) -> None:
    cursor = tmp_path / "cursor"
    async with Client(server.url) as ana, Client(server.url) as ben:
        await ana.register(f"ana{fresh}@example.com", f"ana{fresh}", PASSWORD)
        await ben.register(f"ben{fresh}@example.com", f"ben{fresh}", PASSWORD)
        pair = (await ana.direct(ben.user.user_id)).room
        async with ben.gateway(cursor=cursor) as live, asyncio.timeout(WITHIN_SECONDS):
            messages = live.messages()
            first = await ana.send(pair, "one")
            assert (await anext(messages)).message_id == first.message_id
            first_replies = [await live.reply(first, "yes"), await live.reply(first, "and more")]
        async with ben.gateway(cursor=cursor) as live, asyncio.timeout(WITHIN_SECONDS):
            messages = live.messages()
            again = await anext(messages)
            repeated = [await live.reply(again, "no"), await live.reply(again, "and more")]
            second = await ana.send(pair, "two")
            handled = [await anext(messages) for _ in range(3)]
        async with ben.gateway(cursor=cursor) as live, asyncio.timeout(WITHIN_SECONDS):
            after = await anext(live.messages())
        history = [message.content async for message in ana.messages(pair)]

    assert again.message_id == first.message_id
    assert [message.message_id for message in repeated] == [message.message_id for message in first_replies]
    assert [message.content for message in repeated] == ["yes", "and more"]
    assert [message.content for message in handled] == ["yes", "and more", "two"]
    assert after.message_id == second.message_id, "the last one was not handled yet"
    assert history == ["two", "and more", "yes", "one"]


class GapScript(Scripted):
    """Also lists the messages 01 to 05 of a channel, two on a page."""

    requests: list[dict[str, str]]

    async def __aenter__(self) -> GapScript:
        await super().__aenter__()
        return self

    def routes(self) -> list[web.RouteDef]:
        self.requests = []
        return [web.get("/v1/channels/c-general/messages", self._messages)]

    async def _messages(self, request: web.Request) -> web.Response:
        self.requests.append(dict(request.query))
        start = request.query.get("cursor", request.query["after"])
        page = [number for number in ("01", "02", "03", "04", "05") if number > start][:2]
        items = [new_message(GENERAL, number) for number in page]
        return web.json_response({"items": items, "next": page[-1] if page else None})


async def test_messages_of_a_gap_are_fetched_and_the_cursor_moves_with_the_ready_after_it(tmp_path: Path) -> None:
    cursor = tmp_path / "cursor"
    CursorFile(cursor).save(b'{"sessionId":"old","s":"7","handled":["02"]}')
    missed: dict[str, Any] = {"roomKind": "channel", "roomId": "c-general", "after": "01", "until": "04"}
    async with GapScript() as script, Client(script.url, token="t") as client:
        live = client.gateway(cursor=cursor)
        entering = asyncio.create_task(live.__aenter__())
        peer = await script.accepts()
        assert await peer.receives(6) == {"token": "t", "sessionId": "old", "s": "7"}
        await peer.sends(t="gap", d={"since": "2026-11-16T09:30:00.000Z", "rooms": [missed]})
        await peer.sends_ready("new", "9")
        await peer.sends(t="message.created", s="10", id="05", d=new_message(GENERAL, "05"))
        async with asyncio.timeout(WITHIN_SECONDS):
            await entering
            messages = live.messages()
            received = [(await anext(messages)).message_id for _ in range(2)]
            before = cursor.read_bytes()
            received.append((await anext(messages)).message_id)
        after = cursor.read_bytes()
        await live.__aexit__(None, None, None)

    assert received == ["03", "04", "05"]
    assert before == b'{"sessionId":"old","s":"7","handled":["02"]}'
    assert after == b'{"sessionId":"new","s":"9","handled":["02","03","04"]}'
    assert [request["after"] for request in script.requests] == ["01", "01"]


async def test_handled_event_that_a_resume_repeats_is_dropped(tmp_path: Path) -> None:
    cursor = tmp_path / "cursor"
    CursorFile(cursor).save(b'{"sessionId":"old","s":"7","handled":["e7"]}')
    async with Scripted() as script, Client(script.url, token="t") as client:
        live = client.gateway(cursor=cursor)
        entering = asyncio.create_task(live.__aenter__())
        peer = await script.accepts()
        await peer.receives(6)
        await peer.sends(t="server.updated", s="7", id="e7", d={})
        await peer.sends(t="server.updated", s="8", id="e8", d={})
        async with asyncio.timeout(WITHIN_SECONDS):
            await entering
        assert [event.id for event in await take(live.events(), 1)] == ["e8"]
        await live.__aexit__(None, None, None)


async def test_more_missed_events_than_are_queued_are_all_received(tmp_path: Path) -> None:
    cursor = tmp_path / "cursor"
    CursorFile(cursor).save(b'{"sessionId":"old","s":"0"}')
    async with Scripted() as script, Client(script.url, token="t") as client:
        live = client.gateway(cursor=cursor, max_waiting_events=2)
        entering = asyncio.create_task(live.__aenter__())
        peer = await script.accepts()
        await peer.receives(6)
        for number in ("1", "2", "3"):
            await peer.sends(t="server.updated", s=number, id=number, d={})
        async with asyncio.timeout(WITHIN_SECONDS):
            await entering
            events = live.events()
            received = [(await anext(events)).id for _ in range(2)]
        again = await script.accepts()
        assert (await again.receives(6))["s"] == "2"
        await again.sends(t="server.updated", s="3", id="3", d={})
        received += [event.id for event in await take(events, 1)]
        await live.__aexit__(None, None, None)
    assert received == ["1", "2", "3"]


async def test_unreadable_cursor_is_an_error(server: Server, tmp_path: Path) -> None:
    cursor = tmp_path / "cursor"
    cursor.write_text("not a cursor")
    async with Client(server.url, token="t") as client:
        with pytest.raises(BadCursor, match="delete it"):
            await client.gateway(cursor=cursor).__aenter__()


def test_cursor_file_is_replaced_as_a_whole_and_private(tmp_path: Path) -> None:
    store = CursorFile(tmp_path / "cursor")
    assert store.load() is None
    store.save(b"one")
    store.save(b"two")
    assert store.load() == b"two"
    assert [path.name for path in tmp_path.iterdir()] == ["cursor"]
    assert (tmp_path / "cursor").stat().st_mode & 0o777 == 0o600
