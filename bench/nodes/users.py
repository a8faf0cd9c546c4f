"""Many users in a store that is not served yet, as a storm has them: each socket is of another user.

    python -m bench.nodes.users sqlite:////tmp/storm.db 1000

prints their tokens. It is a program, so that other code than this can create the store that it is measured with.
"""

from __future__ import annotations

import asyncio
import json
import sys

from cheap import CHEAP
from sobremesa.app import Sobremesa
from sobremesa.core.clock import EPOCH
from sobremesa.core.settings import Settings
from sobremesa.domains.accounts.sessions import SignedIn
from sobremesa.domains.communities.entities import ServerId, ServerMembership
from sobremesa.rooms.sending import Draft
from sobremesa.table import Put

SERVERS_EACH = 5
CHANNELS = 2
MEMBERS = 250
"""Of each server, more or less."""
PASSWORD = "correct horse battery"


async def create_users(store: str, count: int) -> list[str]:
    """Create users with servers and a conversation each; return their tokens."""
    settings = Settings(**CHEAP, store=store, rate_limits="off")
    async with Sobremesa.open(settings=settings, background=False) as app:
        users = [await _register(app, f"user-{number:06}") for number in range(count)]
        servers = [
            await _create_server(app, users[0]) for _ in range(max(SERVERS_EACH, count * SERVERS_EACH // MEMBERS))
        ]
        for number, user in enumerate(users[1:]):
            # Written directly: what is measured is not how they joined.
            chosen = [servers[(number + step) % len(servers)] for step in range(SERVERS_EACH)]
            rows = [
                ServerMembership(user_id=user.user.user_id, server_id=server_id, role="member", joined_at=EPOCH)
                for server_id in chosen
            ]
            await app.table.write_many([Put(row) for row in rows])
        for one, other in zip(users[::2], users[1::2], strict=False):
            await app.conversations.create_direct(one.actor, other.user.user_id)
        return [user.access_token for user in users]


async def _register(app: Sobremesa, name: str) -> SignedIn:
    return await app.accounts.register(email=f"{name}@example.com", username=name, password=PASSWORD)


async def _create_server(app: Sobremesa, owner: SignedIn) -> ServerId:
    server_id = (await app.communities.create_server(owner.actor, name="Storm")).server_id
    for number in range(CHANNELS):
        created = await app.communities.create_channel(owner.actor, server_id, name=f"channel-{number}")
        await app.communities.send(owner.actor, created.channel.channel_id, Draft("hello"))
    return server_id


if __name__ == "__main__":
    print(json.dumps(asyncio.run(create_users(sys.argv[1], int(sys.argv[2])))))
