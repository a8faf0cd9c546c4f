"""The gateway: events and calls over a connection that reconnects by itself.

    async with client.gateway() as live:
        async for event in live.events():
            ...

The first event is `ready`, with a snapshot. After a lost connection the session is resumed: first the missed events,
then `resumed`. If the server no longer has what was missed, `gap` names what to fetch, and a new `ready` follows. No
event comes twice. With a cursor store (`cursors`), the same is true over restarts of the program.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from types import TracebackType
from typing import Any

import msgspec
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

from sobremesa.client.calls import Calls
from sobremesa.client.connection import TOKEN_REFUSED, Connection, is_permanent
from sobremesa.client.cursors import CursorStore, HandledEvents, decoded
from sobremesa.client.errors import ApiError, ClientError, GatewayRefused, OutcomeUnknown, SignedOut, Unreachable
from sobremesa.client.frames import Event, Frame, Op, SessionCursor
from sobremesa.client.gaps import NAMES_MESSAGES, missed_messages
from sobremesa.client.models import Command, Json, Message, Room
from sobremesa.client.sending import new_message, reply_nonce, send_reply
from sobremesa.client.transport import JITTER, MAX_ATTEMPTS, Transport, seconds_of

CALL_WITHIN_SECONDS = 30.0
CONNECT_WITHIN_SECONDS = 10.0
CLOSE_WITHIN_SECONDS = 2.0
MAX_WAITING_EVENTS = 10_000
"""With more events that the application has not taken, the connection pauses."""
MAX_READY_BYTES = 16 * 1024 * 1024
MAX_REFUSED_TOKENS = 2

_TRY_AGAIN = {429, 502, 503, 504}

log = logging.getLogger("sobremesa.client")


class Gateway:
    """A live connection, for as long as the block is open."""

    def __init__(
        self,
        transport: Transport,
        *,
        max_waiting_events: int = MAX_WAITING_EVENTS,
        cursor_store: CursorStore | None = None,
    ) -> None:
        self._transport = transport
        self._cursor_store = cursor_store
        self._handled = HandledEvents()
        self._replies: Counter[str] = Counter()
        """How many replies each message got while the current event is handled."""
        self._max_waiting_events = max_waiting_events
        self._pace = transport.pace
        self._cursor = SessionCursor()
        self._watched: dict[str, str | None] = {}
        """The watched channels that the user sees, with their last message at that time."""
        self._calls = Calls()
        self._events: asyncio.Queue[Event | Exception | None] = asyncio.Queue()
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._ready: asyncio.Future[Connection] = asyncio.get_running_loop().create_future()
        self._opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done with the first event: more may have been missed than is queued before the application takes some."""
        self._refused_tokens = 0
        self._asked_wait: float | None = None
        """How long the server asks to wait before the next connection."""
        self._running: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Gateway:
        """Connect, with a snapshot as the first event; waits as long as it takes, unless the server refuses.

        With a saved cursor the first events are those since then instead.
        """
        await self._load_cursor()
        self._running = asyncio.create_task(self._run())
        try:
            await asyncio.shield(self._opened)
        except BaseException:
            await self._stop()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stop()
        self._fail(None)

    async def events(self) -> AsyncIterator[Event]:
        """Yield every event once, starting with `ready`; ends with the block, or with the error that ended it.

        An event is handled, and its cursor saved, when the next one is asked for.
        """
        while True:
            event = await self._events.get()
            if self._events.qsize() <= self._max_waiting_events // 2:
                self._has_room.set()
            if isinstance(event, Event):
                if event.id is None or self._cursor_store is None or not self._handled.has(event.id):
                    yield event
                await self._mark_handled(event)
                continue
            self._events.put_nowait(event)  # for the next caller
            if event is None:
                return
            raise event

    async def messages(self) -> AsyncIterator[Message]:
        """Yield new messages in the user's rooms.

        What is not delivered as an event is fetched: after a gap, and in large servers the messages of channels that
        are not watched, once a second.
        """
        async for event in self.events():
            if event.t == "message.created":
                if not self._handled.has(event.message().message_id):
                    yield event.message()
            elif event.t in NAMES_MESSAGES:
                async for message in missed_messages(self._transport, event, self._watched):
                    # A message has the id of its event. The cursor moves only with the `ready` after the gap.
                    if not self._handled.has(message.message_id):
                        yield message
                        self._handled.add_id(message.message_id)

    async def call(
        self, method: str, params: Mapping[str, Any] | None = None, *, within_seconds: float = CALL_WITHIN_SECONDS
    ) -> Any:
        """Return the result of a call; raises ApiError if it is an error.

        `method` is an operation's name in OpenAPI, or a request line like "POST /v1/servers". Without a connection it
        waits for one: Unreachable if none comes in time. OutcomeUnknown if the connection is lost, or the time is over,
        before the result.
        """
        asked = {"method": method, "params": dict(params or {})}
        return await self._ask(Op.CALL, asked, method, within_seconds)

    async def watch(self, *channels: Room | str) -> dict[str, str | None]:
        """Watch these channels, instead of those before, also after a reconnect.

        In large servers events about a channel are delivered only to those who watch it; `channel.activity` reports all
        others once a second. Returns the last message of each channel that the user sees: everything after it is
        delivered, so load what is before.
        """
        before = self._cursor.watched
        ids = tuple(each.room_id if isinstance(each, Room) else each for each in channels)
        self._cursor.watched = ids
        attempt = 0
        while True:
            attempt += 1
            try:
                body = await self._ask(Op.WATCH, {"channelIds": ids}, "watch", CALL_WITHIN_SECONDS)
            except OutcomeUnknown:
                if attempt >= MAX_ATTEMPTS:
                    raise
            except ApiError:
                self._cursor.watched = before
                raise
            else:
                self._watched = {each["channelId"]: each["lastMessageId"] for each in body["channels"]}
                return dict(self._watched)

    async def _ask(self, op: Op, asked: Json, method: str, within_seconds: float) -> Any:
        """Return the result of a frame; `method` is what errors name."""
        sent = False
        call_id, answer = self._calls.start()
        try:
            async with asyncio.timeout(within_seconds):
                connection = await asyncio.shield(self._ready)
                sent = True
                await connection.send(Frame(op, asked, id=call_id))
                return await answer
        except TimeoutError:
            if sent:
                raise OutcomeUnknown(f"{method}: no result in time; the call may have succeeded") from None
            raise Unreachable(f"{method}: no connection in time") from None
        except ConnectionClosed:
            raise OutcomeUnknown(f"{method}: the connection was lost; the call may have succeeded") from None
        finally:
            self._calls.discard(call_id)
            answer.cancel()

    async def send(
        self,
        room: Room,
        content: str = "",
        *,
        reply_to: str | None = None,
        attachments: Sequence[str] = (),
        nonce: str | None = None,
    ) -> Message:
        """Send a message. After a lost connection it is repeated with its nonce, which creates no second message."""
        body = new_message(content, reply_to, attachments, nonce)
        attempt = 0
        while True:
            attempt += 1
            try:
                return msgspec.convert(await self.call(f"POST /v1{room.path}/messages", body), Message)
            except OutcomeUnknown:
                if attempt >= MAX_ATTEMPTS:
                    raise
            except ApiError as error:
                if attempt >= MAX_ATTEMPTS or error.status not in _TRY_AGAIN:
                    raise
                await self._transport.wait_after(error, attempt)

    async def reply(self, message: Message, content: str = "", *, attachments: Sequence[str] = ()) -> Message:
        """Reply to a message, once, however often the code that handles it runs.

        The nonce is derived from the message, and from the number of replies that it got from this handler. A handler
        that runs again, because the program ended before it returned, gets the reply that is there, even if it would
        write another one now. The server remembers nonces for 48 hours.
        """
        self._replies[message.message_id] += 1
        nonce = reply_nonce(message, self._replies[message.message_id])
        return await send_reply(self._transport, message, new_message(content, message.message_id, attachments, nonce))

    async def respond(self, command: Command, content: str, *, public: bool = False) -> None:
        """Answer a command, once, however often the code that handles it runs: only to its caller, or publicly.

        The nonce is derived from the command, and from the number of responses that it got from this handler.
        """
        self._replies[command.command_id] += 1
        visibility = "public" if public else "private"
        nonce = f"respond-{self._replies[command.command_id]}"
        body = {"content": content, "visibility": visibility, "nonce": nonce}
        try:
            await self._transport.send("POST", f"/commands/{command.command_id}/responses", body=body, safe=True)
        except ApiError as error:
            if error.code != "nonce_reused":
                raise

    async def _load_cursor(self) -> None:
        if self._cursor_store is not None:
            saved = decoded(await asyncio.to_thread(self._cursor_store.load))
            self._handled = HandledEvents(saved)
            if saved is not None:
                self._cursor.session_id, self._cursor.s = saved.session_id, saved.s

    async def _mark_handled(self, event: Event) -> None:
        """Note that the application is done with an event, and save the cursor if there is a store for it."""
        self._replies.clear()
        if self._handled.add(event) and self._cursor_store is not None:
            await asyncio.to_thread(self._cursor_store.save, self._handled.encoded())

    async def _run(self) -> None:
        try:
            await self._keep_connected()
        except Exception as error:
            self._fail(error)

    async def _keep_connected(self) -> None:
        attempt = 0
        while True:
            if await self._connect():
                attempt = 0
            wait, self._asked_wait = self._asked_wait, None
            await self._pace.sleep(self._pace.backoff(attempt) if wait is None else wait)
            attempt += 1
            await self._has_room.wait()

    async def _connect(self) -> bool:
        """Run one connection from start to end; return whether it was ever ready."""
        try:
            if await self._transport.tokens.current() is None:
                raise SignedOut(401, "unauthenticated", "This client is not signed in.")
            async with connect(
                "ws" + self._transport.base_url.removeprefix("http") + "/v1/gateway",
                compression=None,
                proxy=None,
                ping_interval=None,
                open_timeout=CONNECT_WITHIN_SECONDS,
                close_timeout=CLOSE_WITHIN_SECONDS,
                max_size=MAX_READY_BYTES,
            ) as socket:
                connection = Connection(
                    socket,
                    cursor=self._cursor,
                    tokens=self._transport.tokens,
                    calls=self._calls,
                    pace=self._pace,
                    deliver=self._deliver,
                )
                try:
                    await connection.run(lambda: self._on_ready(connection))
                except asyncio.CancelledError:
                    await socket.close()  # a clean close, so that the server logs no error
                    raise
                finally:
                    was_ready = self._on_lost()
                if (asked := connection.reconnect) is not None:
                    self._asked_wait = self._pace.asked(asked.retry_after, asked.spread)
        except (OSError, InvalidHandshake, ConnectionClosed, Unreachable) as error:
            if is_permanent(error):
                raise GatewayRefused(f"the server refuses the connection: {error}") from error
            log.warning("the gateway cannot be reached: %r", error)
            if isinstance(error, InvalidStatus) and (after := seconds_of(error.response.headers.get("Retry-After"))):
                self._asked_wait = self._pace.asked(after, after * JITTER)
            return False
        if connection.close_code == TOKEN_REFUSED:
            await self._replace_token(connection.token, was_ready)
        return was_ready

    async def _replace_token(self, refused: str | None, was_ready: bool) -> None:
        self._refused_tokens = 1 if was_ready else self._refused_tokens + 1
        if self._refused_tokens > MAX_REFUSED_TOKENS:
            raise SignedOut(401, "unauthenticated", "The gateway refuses every token of this session.")
        try:
            await self._transport.tokens.after_refusal(refused)
        except SignedOut:
            raise
        except ClientError as error:
            log.warning("the token could not be renewed; retrying: %s", error)

    def _on_ready(self, connection: Connection) -> None:
        self._refused_tokens = 0
        if not self._ready.done():
            self._ready.set_result(connection)

    def _on_lost(self) -> bool:
        """Fail the waiting calls; later ones wait for the next connection. Return whether it was ready."""
        was_ready = self._ready.done()
        if was_ready:
            self._ready = asyncio.get_running_loop().create_future()
        self._calls.fail_all()
        return was_ready

    def _deliver(self, event: Event) -> bool:
        """Queue an event for the application; False if the queue is full."""
        if self._events.qsize() >= self._max_waiting_events:
            log.warning("the application does not keep up with the events; the connection pauses")
            self._has_room.clear()
            return False
        self._events.put_nowait(event)
        if not self._opened.done():
            self._opened.set_result(None)
        return True

    def _fail(self, error: Exception | None) -> None:
        """End the gateway, and report the error to all who wait."""
        self._events.put_nowait(error)
        if self._ready.done():
            self._ready = asyncio.get_running_loop().create_future()
        self._ready.set_exception(error or Unreachable("the gateway is closed"))
        self._ready.exception()  # marked as retrieved: there may be no caller
        if not self._opened.done():
            self._opened.set_exception(error or Unreachable("the gateway is closed"))
            self._opened.exception()
        self._calls.fail_all()

    async def _stop(self) -> None:
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)
