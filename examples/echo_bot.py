"""A bot that repeats direct messages and mentions. It reads BOT_ADDRESS, BOT_EMAIL and BOT_PASSWORD."""

import asyncio
import os

from sobremesa.client import Client


async def main(address: str, email: str, password: str) -> None:
    async with Client(address) as client:
        me = await client.login(email, password, device="echo bot")
        async with client.gateway() as live:
            async for message in live.messages():
                is_for_me = me.user_id in message.mentions or await client.is_direct(message.room)
                if is_for_me and message.author_id != me.user_id:
                    await live.send(message.room, message.content, reply_to=message.message_id)


asyncio.run(main(*(os.environ[f"BOT_{name}"] for name in ("ADDRESS", "EMAIL", "PASSWORD"))))
