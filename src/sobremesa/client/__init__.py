"""A typed client for programs and bots, over HTTP; it knows nothing of the server's code.

    async with Client("http://127.0.0.1:8080") as client:
        await client.login("ana@example.com", password)
        async for server in client.servers():
            ...

Where things are:

- `client`: sign in, say, read; `transport` sends requests and tries again; `tokens` keeps the session alive
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
