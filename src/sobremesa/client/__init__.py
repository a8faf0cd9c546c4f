"""A typed client for programs and bots, over HTTP and the gateway; it knows nothing of the server's code.

    async with Client("http://127.0.0.1:8080") as client:
        await client.login("bot@example.com", password)
        async with client.gateway() as live:
            async for message in live.messages():
                await live.send(message.room, "I heard that.")

Where things are:

- `client`: sign in, say, read; `transport` sends requests and tries again; `tokens` keeps the session alive
- `gateway`: events and calls over a connection that comes back; `connection` is one of them, `frames` what goes over it
- `state`: what one knows, from a snapshot and the events since
- `shapes`: what the API tells, typed; `errors`: what goes wrong; `pace`: time and chance
"""

from sobremesa.client.client import Client
from sobremesa.client.errors import (
    ApiError,
    ClientError,
    GatewayRefused,
    OutcomeUnknown,
    SignedOut,
    Unreachable,
)
from sobremesa.client.frames import Event
from sobremesa.client.gateway import Gateway
from sobremesa.client.pace import Pace
from sobremesa.client.shapes import (
    Channel,
    Conversation,
    Invite,
    Joined,
    Message,
    Reaction,
    Room,
    Server,
    Thread,
    Unread,
    User,
)

__all__ = [
    "ApiError",
    "Channel",
    "Client",
    "ClientError",
    "Conversation",
    "Event",
    "Gateway",
    "GatewayRefused",
    "Invite",
    "Joined",
    "Message",
    "OutcomeUnknown",
    "Pace",
    "Reaction",
    "Room",
    "Server",
    "SignedOut",
    "Thread",
    "Unreachable",
    "Unread",
    "User",
]
