"""A bot that repeats direct messages and mentions. BOT_CURSOR is the file in which it keeps how far it has come."""

import asyncio
import os

from sobremesa.client import Client


async def main(address: str, email: str, password: str, cursor: str) -> None:
    async with Client(address) as client:
        me = await client.login(email, password, device="echo bot")
        async with client.gateway(cursor=cursor) as live:
            async for message in live.messages():
                is_for_me = me.user_id in message.mentions or await client.is_direct(message.room)
                if is_for_me and message.author_id != me.user_id:
                    await live.reply(message, message.content)


asyncio.run(main(*(os.environ[f"BOT_{name}"] for name in ("ADDRESS", "EMAIL", "PASSWORD", "CURSOR"))))
