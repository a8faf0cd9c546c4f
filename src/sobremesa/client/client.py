"""The client over HTTP: sign in, send, read, and anything else by `request`."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping, Sequence
from types import TracebackType
from typing import Any, TypeVar
from urllib.parse import quote
from uuid import uuid4

import msgspec

from sobremesa.client.cursors import CursorStore, store_of
from sobremesa.client.errors import SignedOut
from sobremesa.client.gateway import MAX_WAITING_EVENTS, Gateway
from sobremesa.client.models import (
    Channel,
    Conversation,
    Invite,
    Joined,
    Json,
    Message,
    Room,
    Server,
    SignedIn,
    Thread,
    Unread,
    User,
)
from sobremesa.client.pace import Pace
from sobremesa.client.sending import new_message
from sobremesa.client.transport import MAX_ATTEMPTS, TIMEOUT_SECONDS, Transport

T = TypeVar("T")

PAGE = 100


class Page(msgspec.Struct, frozen=True):
    """A page of a list."""

    items: list[msgspec.Raw]
    next: str | None = None


class Client:
    """A connection to a server, for a user who signs in or for a server key.

    async with Client("http://127.0.0.1:8080") as client:
        await client.login("ana@example.com", "correct horse battery")
    """

    def __init__(
        self,
        base_url: str,
        *,
        token: str | None = None,
        refresh_token: str | None = None,
        max_attempts: int = MAX_ATTEMPTS,
        timeout_seconds: float = TIMEOUT_SECONDS,
        pace: Pace | None = None,
    ) -> None:
        self._transport = Transport(
            base_url, pace=pace or Pace(), max_attempts=max_attempts, timeout_seconds=timeout_seconds
        )
        self._transport.tokens.set(token, refresh_token)
        self._user: User | None = None
        self._are_direct: dict[Room, bool] = {}

    async def __aenter__(self) -> Client:
        await self._transport.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._transport.__aexit__(kind, error, trace)

    # Account

    @property
    def user(self) -> User:
        """The signed-in user, as known after `register`, `login` or `me`."""
        if self._user is None:
            raise SignedOut(401, "unauthenticated", "This client is not signed in.")
        return self._user

    @property
    def refresh_token(self) -> str | None:
        """Opens this session again in another process; it changes with every refresh."""
        return self._transport.tokens.refresh_token

    async def register(self, email: str, username: str, password: str, *, device: str | None = None) -> User:
        """Register a user and sign in."""
        body = {"email": email, "username": username, "password": password, "device": device}
        return await self._sign_in("/auth/register", body, safe=False)

    async def login(self, email: str, password: str, *, device: str | None = None) -> User:
        """Sign in."""
        return await self._sign_in("/auth/login", {"email": email, "password": password, "device": device}, safe=True)

    async def logout(self) -> None:
        """End the session."""
        await self.request("POST", "/auth/logout", safe=True)
        self._transport.tokens.set(None)
        self._user = None

    async def me(self) -> User:
        """Return the user's own account."""
        self._user = await self.get("/users/me", User)
        return self._user

    async def _sign_in(self, path: str, body: Json, *, safe: bool) -> User:
        reply = await self._transport.send("POST", path, body=body, safe=safe, signed=False)
        signed_in = msgspec.json.decode(reply.body, type=SignedIn)
        self._transport.tokens.store(signed_in)
        self._user = signed_in.user
        return signed_in.user

    # Requests

    async def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
        safe: bool | None = None,
    ) -> Any:
        """Return the response to any request under /v1, as plain JSON; None if it is empty.

        `safe` marks the request as idempotent: then it is repeated if the response is lost. An idempotency key makes it
        so where the route accepts one.
        """
        headers = {} if idempotency_key is None else {"Idempotency-Key": idempotency_key}
        safe = True if idempotency_key is not None else safe
        reply = await self._transport.send(method, path, body=body, query=query, headers=headers, safe=safe)
        return msgspec.json.decode(reply.body) if reply.body else None

    async def get(self, path: str, as_type: type[T], **query: Any) -> T:
        """Return one resource, typed."""
        return msgspec.convert(await self.request("GET", path, query=query), as_type)

    async def every(self, path: str, as_type: type[T], **query: Any) -> AsyncIterator[T]:
        """Yield all items of a list, page by page."""
        asked = {"limit": PAGE} | query
        while True:
            reply = await self._transport.send("GET", path, query=asked)
            page = msgspec.json.decode(reply.body, type=Page)
            for raw in page.items:
                yield msgspec.json.decode(raw, type=as_type)
            if page.next is None:
                return
            asked["cursor"] = page.next

    async def _create(self, path: str, body: Json, as_type: type[T]) -> T:
        created = await self.request("POST", path, body, idempotency_key=uuid4().hex)
        return msgspec.convert(created, as_type)

    # Rooms

    async def send(
        self,
        room: Room,
        content: str = "",
        *,
        reply_to: str | None = None,
        attachments: Sequence[str] = (),
        nonce: str | None = None,
    ) -> Message:
        """Send a message. It has a nonce, given or new, so a retry creates no second message."""
        body = new_message(content, reply_to, attachments, nonce)
        return msgspec.convert(await self.request("POST", f"{room.path}/messages", body, safe=True), Message)

    async def messages(
        self, room: Room, *, before: str | None = None, after: str | None = None
    ) -> AsyncIterator[Message]:
        """Yield the messages of a room, newest first; with `after`, oldest first."""
        async for message in self.every(f"{room.path}/messages", Message, before=before, after=after):
            yield message

    async def edit(self, message: Message, content: str) -> Message:
        """Edit a message."""
        body = {"content": content}
        return msgspec.convert(await self.request("PATCH", _at(message), body, safe=True), Message)

    async def delete(self, message: Message) -> None:
        """Delete a message."""
        await self.request("DELETE", _at(message))

    async def react(self, message: Message, emoji: str) -> None:
        """Add a reaction; repeating it changes nothing."""
        await self.request("PUT", f"{_at(message)}/reactions/{quote(emoji, safe='')}")

    async def unreact(self, message: Message, emoji: str) -> None:
        """Remove your reaction."""
        await self.request("DELETE", f"{_at(message)}/reactions/{quote(emoji, safe='')}")

    async def mark_read(self, room: Room, message_id: str) -> Unread:
        """Mark everything up to this message as read; return what is still unread."""
        answer = await self.request("PUT", f"{room.path}/read", {"messageId": message_id})
        return msgspec.convert(answer["unread"], Unread)

    async def typing(self, room: Room) -> None:
        """Show the members of a room that you are typing."""
        await self.request("POST", f"{room.path}/typing", safe=True)

    # Servers, conversations and users

    def servers(self) -> AsyncIterator[Server]:
        """Yield the servers of the user."""
        return self.every("/servers", Server)

    def channels(self, server_id: str) -> AsyncIterator[Channel]:
        """Yield the channels of a server."""
        return self.every(f"/servers/{server_id}/channels", Channel)

    def conversations(self) -> AsyncIterator[Conversation]:
        """Yield the conversations of the user, by newest activity."""
        return self.every("/conversations", Conversation)

    def threads(self) -> AsyncIterator[Thread]:
        """Yield the threads of the user, by newest activity."""
        return self.every("/threads", Thread)

    async def create_server(self, name: str) -> Server:
        """Create a server."""
        return await self._create("/servers", {"name": name}, Server)

    async def create_channel(self, server_id: str, name: str, *, topic: str | None = None) -> Channel:
        """Create a channel."""
        return await self._create(f"/servers/{server_id}/channels", {"name": name, "topic": topic}, Channel)

    async def invite(self, server_id: str, *, max_uses: int | None = None) -> Invite:
        """Create an invite to a server."""
        return await self._create(f"/servers/{server_id}/invites", {"maxUses": max_uses}, Invite)

    async def join(self, code: str) -> Joined:
        """Join by an invite."""
        return msgspec.convert(await self.request("POST", f"/invites/{quote(code, safe='')}/redeem"), Joined)

    async def direct(self, user_id: str) -> Conversation:
        """Return the direct conversation with a user; created if there is none."""
        body = {"type": "direct", "userIds": [user_id]}
        return msgspec.convert(await self.request("POST", "/conversations", body, safe=True), Conversation)

    async def is_direct(self, room: Room) -> bool:
        """Return whether this is a direct conversation. It never changes, so it is requested once."""
        if room.kind == "conversation" and room not in self._are_direct:
            self._are_direct[room] = (await self.get(room.path, Conversation)).type == "direct"
        return self._are_direct.get(room, False)

    async def group(self, user_ids: Sequence[str], *, name: str | None = None) -> Conversation:
        """Create a group conversation."""
        body = {"type": "group", "userIds": list(user_ids), "name": name}
        return await self._create("/conversations", body, Conversation)

    async def find_user(self, username: str) -> User | None:
        """Find a user by username."""
        found = await self.request("GET", "/users", query={"username": username})
        return next((msgspec.convert(item, User) for item in found["items"]), None)

    # Live

    def gateway(
        self,
        *,
        cursor: CursorStore | str | os.PathLike[str] | None = None,
        max_waiting_events: int = MAX_WAITING_EVENTS,
    ) -> Gateway:
        """Return a live connection: `async with client.gateway() as live: async for event in live.events(): ...`.

        `cursor` is the path of a file, or a store, that keeps the position over restarts of the program.
        """
        return Gateway(self._transport, max_waiting_events=max_waiting_events, cursor_store=store_of(cursor))


def _at(message: Message) -> str:
    return f"{message.room.path}/messages/{message.message_id}"
