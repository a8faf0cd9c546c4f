"""A typed client for bots and programs, over HTTP and the gateway. It does not import the server's code.

    async with Client("http://127.0.0.1:8080") as client:
        await client.login("bot@example.com", password)
        async with client.gateway() as live:
            async for message in live.messages():
                await live.reply(message, "Thank you.")

- `client`: sign in, send, read; `transport` sends requests and retries; `tokens` keeps the session alive
- `gateway`: events and calls over a connection that reconnects; `connection` is one socket, `frames` what goes over it
- `cursors`: where a program stopped, kept over its restarts; `gaps` fetches what can no longer be resumed
- `state`: the state of a client, from a snapshot and the events since
- `models`: what the API returns, typed; `errors`: what can fail; `pace`: time and randomness, for tests
"""

from sobremesa.client.client import Client
from sobremesa.client.cursors import BadCursor, CursorFile, CursorStore
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
from sobremesa.client.models import (
    Channel,
    Command,
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
from sobremesa.client.pace import Pace

__all__ = [
    "ApiError",
    "BadCursor",
    "Channel",
    "Client",
    "ClientError",
    "Command",
    "Conversation",
    "CursorFile",
    "CursorStore",
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
