"""The example bot runs as it is, and echoes messages."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import commands
from api.calling import PASSWORD
from api.running import Server
from client.scripted import WITHIN_SECONDS
from sobremesa.client import Client, Message, Room

ASK_AGAIN_SECONDS = 0.2
EXAMPLE = Path(__file__).parents[2] / "examples" / "echo_bot.py"


@contextmanager
def bot_running(address: str, email: str, cursor: Path) -> Iterator[None]:
    settings = {"BOT_ADDRESS": address, "BOT_EMAIL": email, "BOT_PASSWORD": PASSWORD, "BOT_CURSOR": str(cursor)}
    with commands.Process(EXAMPLE, environment=os.environ | settings) as process:
        yield
        assert process.poll() is None, "the bot ended by itself"


async def answer(messages: AsyncIterator[Message], to: Message) -> Message:
    """Return the reply to a message."""
    async with asyncio.timeout(WITHIN_SECONDS):
        async for message in messages:
            if message.reply_to == to.message_id:
                return message
    raise AssertionError("the connection ended")


async def calls_until_it_is_there(ana: Client, room: Room) -> None:
    """Send messages until the bot replies: it does not report when it is ready."""
    async with asyncio.timeout(WITHIN_SECONDS):
        while not any([message.reply_to async for message in ana.messages(room)]):
            await ana.send(room, "Are you there?")
            await asyncio.sleep(ASK_AGAIN_SECONDS)


async def test_bot_echoes_only_messages_addressed_to_it(server: Server, fresh: str, tmp_path: Path) -> None:
    async with Client(server.url) as ana, Client(server.url) as bot:
        await ana.register(f"ana{fresh}@example.com", f"ana{fresh}", PASSWORD)
        await bot.register(f"bot{fresh}@example.com", f"bot{fresh}", PASSWORD)
        table = await ana.create_server("The long table")
        await bot.join((await ana.invite(table.server_id)).code)
        general: Room = (await ana.create_channel(table.server_id, "general")).room
        pair = (await ana.direct(bot.user.user_id)).room

        with bot_running(server.url, f"bot{fresh}@example.com", tmp_path / "cursor"):
            async with ana.gateway() as live:
                messages = live.messages()
                await calls_until_it_is_there(ana, pair)
                not_for_it = await live.send(general, "Nobody in particular")
                named = await live.send(general, f"Hello @bot{fresh}")
                echo = await answer(messages, named)
        history = [message async for message in ana.messages(general)]

    assert (echo.author_id, echo.content) == (bot.user.user_id, f"Hello @bot{fresh}")
    assert [message.content for message in history] == [f"Hello @bot{fresh}"] * 2 + ["Nobody in particular"]
    assert not any(message.reply_to == not_for_it.message_id for message in history)
    assert EXAMPLE.read_text().count("\n") <= 20
