"""The client over HTTP: sign in, say, read, and anything else by `request`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from types import TracebackType
from typing import Any, TypeVar
from urllib.parse import quote
from uuid import uuid4

import msgspec

from sobremesa.client.errors import SignedOut
from sobremesa.client.gateway import MAX_WAITING_EVENTS, Gateway
from sobremesa.client.pace import Pace
from sobremesa.client.sending import new_message
from sobremesa.client.shapes import (
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
from sobremesa.client.transport import MAX_ATTEMPTS, TIMEOUT_SECONDS, Transport

T = TypeVar("T")

PAGE = 100


class Page(msgspec.Struct, frozen=True):
    """A page of a list."""

    items: list[msgspec.Raw]
    next: str | None = None


class Client:
    """Somebody's way into a server: a person who signs in, or a program with a key.

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

    # Who one is

    @property
    def user(self) -> User:
        """Who is signed in, as far as this client was told: after `register`, `login` or `me`."""
        if self._user is None:
            raise SignedOut(401, "unauthenticated", "Nobody has signed in by this client.")
        return self._user

    @property
    def refresh_token(self) -> str | None:
        """What opens this session again in another process; it changes with every refresh."""
        return self._transport.tokens.refresh_token

    async def register(self, email: str, username: str, password: str, *, device: str | None = None) -> User:
        """A new person, signed in."""
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
        """One's own account."""
        self._user = await self.get("/users/me", User)
        return self._user

    async def _sign_in(self, path: str, body: Json, *, safe: bool) -> User:
        reply = await self._transport.send("POST", path, body=body, safe=safe, signed=False)
        signed_in = msgspec.json.decode(reply.body, type=SignedIn)
        self._transport.tokens.take(signed_in)
        self._user = signed_in.user
        return signed_in.user

    # Anything

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
        """What the API answers to any request under /v1, as plain JSON; None for an empty answer.

        `safe` says that doing it twice is doing it once: then a lost answer is asked for again. An idempotency key
        makes it so where the route takes one.
        """
        headers = {} if idempotency_key is None else {"Idempotency-Key": idempotency_key}
        safe = True if idempotency_key is not None else safe
        reply = await self._transport.send(method, path, body=body, query=query, headers=headers, safe=safe)
        return msgspec.json.decode(reply.body) if reply.body else None

    async def get(self, path: str, as_type: type[T], **query: Any) -> T:
        """One thing, typed."""
        return msgspec.convert(await self.request("GET", path, query=query), as_type)

    async def every(self, path: str, as_type: type[T], **query: Any) -> AsyncIterator[T]:
        """Everything in a list, page after page."""
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
        made = await self.request("POST", path, body, idempotency_key=uuid4().hex)
        return msgspec.convert(made, as_type)

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
        """Say something. It has a nonce, one's own or a new one: however often it is tried, it is one message."""
        body = new_message(content, reply_to, attachments, nonce)
        return msgspec.convert(await self.request("POST", f"{room.path}/messages", body, safe=True), Message)

    async def messages(
        self, room: Room, *, before: str | None = None, after: str | None = None
    ) -> AsyncIterator[Message]:
        """What was said, the newest first; with `after`, in the order in which it was said."""
        async for message in self.every(f"{room.path}/messages", Message, before=before, after=after):
            yield message

    async def edit(self, message: Message, content: str) -> Message:
        """Say it otherwise."""
        body = {"content": content}
        return msgspec.convert(await self.request("PATCH", _at(message), body, safe=True), Message)

    async def delete(self, message: Message) -> None:
        """Take it back."""
        await self.request("DELETE", _at(message))

    async def react(self, message: Message, emoji: str) -> None:
        """React; again changes nothing."""
        await self.request("PUT", f"{_at(message)}/reactions/{quote(emoji, safe='')}")

    async def unreact(self, message: Message, emoji: str) -> None:
        """Take one's reaction back."""
        await self.request("DELETE", f"{_at(message)}/reactions/{quote(emoji, safe='')}")

    async def mark_read(self, room: Room, message_id: str) -> Unread:
        """Everything up to this message was read; what is left unread."""
        answer = await self.request("PUT", f"{room.path}/read", {"messageId": message_id})
        return msgspec.convert(answer["unread"], Unread)

    async def typing(self, room: Room) -> None:
        """Tell those who look that one is writing."""
        await self.request("POST", f"{room.path}/typing", safe=True)

    # Where one is

    def servers(self) -> AsyncIterator[Server]:
        """The servers that one is in."""
        return self.every("/servers", Server)

    def channels(self, server_id: str) -> AsyncIterator[Channel]:
        """The channels of a server."""
        return self.every(f"/servers/{server_id}/channels", Channel)

    def conversations(self) -> AsyncIterator[Conversation]:
        """The conversations that one is in, the newest activity first."""
        return self.every("/conversations", Conversation)

    def threads(self) -> AsyncIterator[Thread]:
        """The threads that one is in, the newest activity first."""
        return self.every("/threads", Thread)

    async def create_server(self, name: str) -> Server:
        """A new server, one's own."""
        return await self._create("/servers", {"name": name}, Server)

    async def create_channel(self, server_id: str, name: str, *, topic: str | None = None) -> Channel:
        """A new channel."""
        return await self._create(f"/servers/{server_id}/channels", {"name": name, "topic": topic}, Channel)

    async def invite(self, server_id: str, *, max_uses: int | None = None) -> Invite:
        """A code that lets people into a server."""
        return await self._create(f"/servers/{server_id}/invites", {"maxUses": max_uses}, Invite)

    async def join(self, code: str) -> Joined:
        """Come in by a code."""
        return msgspec.convert(await self.request("POST", f"/invites/{quote(code, safe='')}/redeem"), Joined)

    async def direct(self, user_id: str) -> Conversation:
        """The direct conversation with somebody: the one there is, or a new one."""
        body = {"type": "direct", "userIds": [user_id]}
        return msgspec.convert(await self.request("POST", "/conversations", body, safe=True), Conversation)

    async def is_direct(self, room: Room) -> bool:
        """Is this a conversation of two? What a conversation is never changes, so it is asked once."""
        if room.kind == "conversation" and room not in self._are_direct:
            self._are_direct[room] = (await self.get(room.path, Conversation)).type == "direct"
        return self._are_direct.get(room, False)

    async def group(self, user_ids: Sequence[str], *, name: str | None = None) -> Conversation:
        """A new conversation of several."""
        body = {"type": "group", "userIds": list(user_ids), "name": name}
        return await self._create("/conversations", body, Conversation)

    async def find_user(self, username: str) -> User | None:
        """Who has this name."""
        found = await self.request("GET", "/users", query={"username": username})
        return next((msgspec.convert(item, User) for item in found["items"]), None)

    # Live

    def gateway(self, *, max_waiting_events: int = MAX_WAITING_EVENTS) -> Gateway:
        """A live connection: `async with client.gateway() as live: async for event in live.events(): ...`."""
        return Gateway(self._transport, max_waiting_events=max_waiting_events)


def _at(message: Message) -> str:
    return f"{message.room.path}/messages/{message.message_id}"
