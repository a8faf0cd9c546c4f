"""The gateway: events as they happen, and calls, over a connection that comes back by itself.

    async with client.gateway() as live:
        async for event in live.events():
            ...

The first event is `ready`, with a snapshot. After a lost connection the session is resumed and what was missed comes
first, then `resumed`. Where the server no longer has what was missed, `gap` says what to fetch, and a new `ready`
follows. No event comes twice.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from types import TracebackType
from typing import Any

import msgspec
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from sobremesa.client.calls import Calls
from sobremesa.client.connection import TOKEN_REFUSED, Connection, is_for_good
from sobremesa.client.errors import ApiError, ClientError, GatewayRefused, OutcomeUnknown, SignedOut, Unreachable
from sobremesa.client.frames import Event, Frame, Op, Place
from sobremesa.client.sending import new_message
from sobremesa.client.shapes import Message, Room
from sobremesa.client.transport import MAX_ATTEMPTS, Transport

CALL_WITHIN_SECONDS = 30.0
CONNECT_WITHIN_SECONDS = 10.0
CLOSE_WITHIN_SECONDS = 2.0
MAX_WAITING_EVENTS = 10_000
"""Above this many events that the application has not taken, the connection waits for it."""
MAX_READY_BYTES = 16 * 1024 * 1024
MAX_REFUSED_TOKENS = 2

_TRY_AGAIN = {429, 502, 503, 504}

log = logging.getLogger("sobremesa.client")


class Gateway:
    """A live connection, for as long as the block is open."""

    def __init__(self, transport: Transport, *, max_waiting_events: int = MAX_WAITING_EVENTS) -> None:
        self._transport = transport
        self._max_waiting_events = max_waiting_events
        self._pace = transport.pace
        self._place = Place()
        self._calls = Calls()
        self._events: asyncio.Queue[Event | Exception | None] = asyncio.Queue()
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._ready: asyncio.Future[Connection] = asyncio.get_running_loop().create_future()
        self._refused_tokens = 0
        self._running: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Gateway:
        """Connected, with a snapshot as the first event; however long that takes, unless the server refuses."""
        self._running = asyncio.create_task(self._run())
        try:
            await asyncio.shield(self._ready)
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
        """What happens, from `ready` on, each once; ends with the block, or with the error that ended it."""
        while True:
            event = await self._events.get()
            if self._events.qsize() <= self._max_waiting_events // 2:
                self._has_room.set()
            if isinstance(event, Event):
                yield event
                continue
            self._events.put_nowait(event)  # for whoever asks again
            if event is None:
                return
            raise event

    async def messages(self) -> AsyncIterator[Message]:
        """What is said from now on, where one is."""
        async for event in self.events():
            if event.t == "message.created":
                yield event.message()

    async def call(
        self, method: str, params: Mapping[str, Any] | None = None, *, within_seconds: float = CALL_WITHIN_SECONDS
    ) -> Any:
        """What a call answers; ApiError if that is no.

        `method` is an operation's name in OpenAPI, or a request line such as "POST /v1/servers". While there is no
        connection it waits for one: Unreachable if none comes in time. OutcomeUnknown if the connection is lost, or
        the time over, before the answer.
        """
        asked = {"method": method, "params": dict(params or {})}
        sent = False
        call_id, answer = self._calls.begin()
        try:
            async with asyncio.timeout(within_seconds):
                connection = await asyncio.shield(self._ready)
                sent = True
                await connection.send(Frame(Op.CALL, asked, id=call_id))
                return await answer
        except TimeoutError:
            if sent:
                raise OutcomeUnknown(f"{method}: no answer in time; it may have been done") from None
            raise Unreachable(f"{method}: no connection in time") from None
        except ConnectionClosed:
            raise OutcomeUnknown(f"{method}: the connection was lost; it may have been done") from None
        finally:
            self._calls.forget(call_id)
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
        """Say something. After a lost connection it is said again with the same nonce: it is one message."""
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
            await self._pace.sleep(self._pace.backoff(attempt))
            attempt += 1
            await self._has_room.wait()

    async def _connect(self) -> bool:
        """One connection, from beginning to end; whether it was ever ready."""
        try:
            if await self._transport.tokens.current() is None:
                raise SignedOut(401, "unauthenticated", "Nobody has signed in by this client.")
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
                    place=self._place,
                    tokens=self._transport.tokens,
                    calls=self._calls,
                    pace=self._pace,
                    deliver=self._deliver,
                )
                try:
                    await connection.live(lambda: self._is_ready(connection))
                except asyncio.CancelledError:
                    await socket.close()  # leaving is no error, which is what the server would be told
                    raise
                finally:
                    was_ready = self._is_lost()
        except (OSError, InvalidHandshake, ConnectionClosed, Unreachable) as error:
            if is_for_good(error):
                raise GatewayRefused(f"the server refuses the connection: {error}") from error
            log.warning("the gateway cannot be reached: %r", error)
            return False
        if connection.close_code == TOKEN_REFUSED:
            await self._take_another_token(connection.token, was_ready)
        return was_ready

    async def _take_another_token(self, refused: str | None, was_ready: bool) -> None:
        self._refused_tokens = 1 if was_ready else self._refused_tokens + 1
        if self._refused_tokens > MAX_REFUSED_TOKENS:
            raise SignedOut(401, "unauthenticated", "The gateway refuses every token of this session.")
        try:
            await self._transport.tokens.after_refusal(refused)
        except SignedOut:
            raise
        except ClientError as error:
            log.warning("the token could not be renewed yet: %s", error)

    def _is_ready(self, connection: Connection) -> None:
        self._refused_tokens = 0
        if not self._ready.done():
            self._ready.set_result(connection)

    def _is_lost(self) -> bool:
        """Calls that wait hear of it; those to come wait for the next connection. Whether it was ready."""
        was_ready = self._ready.done()
        if was_ready:
            self._ready = asyncio.get_running_loop().create_future()
        self._calls.lose()
        return was_ready

    def _deliver(self, event: Event) -> bool:
        """Put an event where the application takes it; False if it has not taken those before."""
        if self._events.qsize() >= self._max_waiting_events:
            log.warning("the application does not keep up with the events: the connection waits for it")
            self._has_room.clear()
            return False
        self._events.put_nowait(event)
        return True

    def _fail(self, error: Exception | None) -> None:
        """It is over: whoever waits for something is told why."""
        self._events.put_nowait(error)
        if self._ready.done():
            self._ready = asyncio.get_running_loop().create_future()
        self._ready.set_exception(error or Unreachable("the gateway is closed"))
        self._ready.exception()  # it is told to those who ask, and nobody may
        self._calls.lose()

    async def _stop(self) -> None:
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)
