"""Fill a channel of a new store with many messages: `python fill_channel.py STORE HOW_MANY`.

Prints the ids and an invite code as JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys

from sobremesa.app import Sobremesa
from sobremesa.rooms.sending import Draft

IN_FLIGHT = 300
WORDS = "The bread is in the oven, and **no one** leaves before it is out. "


def content(number: int) -> str:
    """Return a text of varying length; some have code, a list or a link."""
    extra = {3: " `oven.on()`", 5: " https://example.org/bread", 6: "\n- salt\n- flour"}.get(number % 11, "")
    return f"number {number}. " + WORDS * (number % 5) + extra


async def fill(store: str, how_many: int) -> None:
    """Create the channel, and let three users fill it concurrently."""
    async with Sobremesa.open(store, background=False) as app:
        users = [
            (
                await app.accounts.register(email=f"{name}@example.org", username=name, password="correct horse")  # noqa: S106
            ).actor
            for name in ("olga", "pau", "rui")
        ]
        owner, *others = users
        server = await app.communities.create_server(owner, name="Test community")
        created = await app.communities.create_channel(owner, server.server_id, name="general")
        channel_id = created.channel.channel_id
        invite = await app.communities.invites.create(owner, server.server_id)
        for other in others:
            await app.communities.invites.redeem(other, invite.code)
        numbers = iter(range(how_many))

        async def send() -> None:
            for number in numbers:
                await app.communities.send(users[number // 4 % 3], channel_id, Draft(content(number)))

        await asyncio.gather(*(send() for _ in range(IN_FLIGHT)))
        print(json.dumps({"serverId": server.server_id, "channelId": channel_id, "code": invite.code}))


asyncio.run(fill(sys.argv[1], int(sys.argv[2])))
