"""Receives what is published to topics: one connection to a server, or to each server of a cluster.

A connection that breaks loses what is published meanwhile. So each time that one is made, the owner is asked to catch
up with the streams of its topics, before anything else is received from it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterable
from typing import Any, TypeAlias

import structlog
from redis.exceptions import ConnectionError as Disconnected

from sobremesa.live.redis_server import ANSWER_WITHIN_SECONDS, FOREIGN, Address, RedisServer

PAUSE_SECONDS = 0.2
SILENCE_SECONDS = 6.0
"""How long a connection may be silent, although it is asked every second."""
AT_ONCE = 500

Receive: TypeAlias = Callable[[str, bytes], bool]
"""Takes a message of a channel; returns False if something before it is missing."""
CatchUp: TypeAlias = Callable[[Collection[str]], Awaitable[None]]

_log = structlog.get_logger("sobremesa.live")


class TopicLinks:
    """The connections of this node to all servers."""

    def __init__(self, server: RedisServer, receive: Receive, catch_up: CatchUp) -> None:
        self._server = server
        self._receive = receive
        self._catch_up = catch_up
        self._links: dict[Address, _Link] = {}
        self._unplaced: set[str] = set()
        """Channels of which it is not known which server has them, since none has answered."""

    async def subscribe(self, channels: Collection[str]) -> bool:
        """Receive these channels from now on; False if their owner will catch up as soon as there is a connection."""
        try:
            placed = await self._placed(channels)
        except FOREIGN:
            self._unplaced.update(channels)
            raise
        found = await asyncio.gather(*(self._link(address).subscribe(some) for address, some in placed.items()))
        return all(found)

    async def unsubscribe(self, channels: Collection[str]) -> None:
        """Stop to receive these channels."""
        self._unplaced.difference_update(channels)
        for address, some in (await self._placed(channels)).items():
            await self._link(address).unsubscribe(some)

    async def place(self) -> None:
        """Receive the channels whose servers did not answer before; the owner catches up with them."""
        if not self._unplaced:
            return
        placed = await self._placed(list(self._unplaced))
        for address, some in placed.items():
            self._link(address).add(self._unplaced.intersection(some))
            self._unplaced.difference_update(some)

    async def _placed(self, channels: Iterable[str]) -> dict[Address, list[str]]:
        """Return these channels by the server that has them."""
        placed: dict[Address, list[str]] = defaultdict(list)
        for channel in channels:
            placed[await self._server.address_of(channel)].append(channel)
        return placed

    async def settle(self, text: str) -> bool:
        """Wait until everything that was published before has been received; False if a connection is not there."""
        answers = await asyncio.gather(*(link.ping(text) for link in self._links.values()))
        return all(answers)

    def restart(self) -> None:
        """Make all connections anew, and catch up."""
        for link in self._links.values():
            link.restart()

    async def close(self) -> None:
        links, self._links = self._links, {}
        for link in links.values():
            await link.close()

    def _link(self, address: Address) -> _Link:
        link = self._links.get(address)
        if link is None:
            client = self._server.subscriber_of(address, SILENCE_SECONDS * 2)
            # In a cluster, all channels of one command must be in one slot.
            at_once = 1 if address.host else AT_ONCE
            link = self._links[address] = _Link(client, self._receive, self._catch_up, self._move, at_once)
        return link

    async def _move(self) -> None:
        """After a failure, move channels to the servers that have them now."""
        await self._server.refresh()
        for address, link in list(self._links.items()):
            for channel in list(link.channels):
                now = await self._server.address_of(channel)
                if now != address:
                    link.channels.discard(channel)
                    self._link(now).add([channel])


class _Link:
    """One connection."""

    def __init__(
        self, client: Any, receive: Receive, catch_up: CatchUp, moved: Callable[[], Awaitable[None]], at_once: int
    ) -> None:
        self.channels: set[str] = set()
        self._client = client
        self._receive = receive
        self._catch_up = catch_up
        self._moved = moved
        self._at_once = at_once
        """How many channels are in one command."""
        self._connection: Any = None
        self._is_open = False
        """Whether all channels are received and caught up with."""
        self._leaving: set[str] = set()
        self._answers: dict[str, asyncio.Future[None]] = {}
        """What is waited for: the confirmation of a channel, or the answer to a ping."""
        self._wanted = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        """The task that receives, and earlier ones that are still closing their connections."""
        self._task = self._start()

    async def subscribe(self, channels: Collection[str]) -> bool:
        self.channels.update(channels)
        self._leaving.difference_update(channels)
        self._wanted.set()
        if not self._is_open:
            return False
        loop = asyncio.get_running_loop()
        waiting = [self._answers.setdefault(channel, loop.create_future()) for channel in channels]
        return await self._answered(self._send("SSUBSCRIBE", channels), waiting)

    def add(self, channels: Collection[str]) -> None:
        """Receive channels that another server had, or that no server was known for."""
        self.channels.update(channels)
        self._wanted.set()
        self.restart()

    async def unsubscribe(self, channels: Collection[str]) -> None:
        self.channels.difference_update(channels)
        if self._is_open:
            self._leaving.update(channels)
            await self._answered(self._send("SUNSUBSCRIBE", channels), [])

    async def ping(self, text: str) -> bool:
        if not self.channels:
            return True
        if not self._is_open:
            return False
        waiting = self._answers.setdefault(text, asyncio.get_running_loop().create_future())
        return await self._answered(self._send("PING", [text]), [waiting])

    def restart(self) -> None:
        self._task.cancel()
        self._abandon()
        self._task = self._start()

    def _start(self) -> asyncio.Task[None]:
        task = asyncio.create_task(self._run())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._abandon()
        await self._client.aclose()

    async def _answered(self, sending: Awaitable[None], waiting: Collection[asyncio.Future[None]]) -> bool:
        """Return whether a command was sent and answered; if not, the connection is made anew."""
        connection = self._connection
        try:
            async with asyncio.timeout(ANSWER_WITHIN_SECONDS):
                await sending
                await asyncio.wait(waiting) if waiting else None
        except (*FOREIGN, TimeoutError):
            if self._is_open and connection is self._connection:
                self.restart()
            return False
        return not any(each.cancelled() for each in waiting)

    async def _send(self, command: str, arguments: Collection[str]) -> None:
        every = list(arguments)
        commands = [(command, *every[start : start + self._at_once]) for start in range(0, len(every), self._at_once)]
        connection = self._connection
        try:
            await connection.send_packed_command(connection.pack_commands(commands))
        except AttributeError as error:
            # redis-py writes a moment later, and another task has closed the connection, and with it its writer.
            raise Disconnected("the connection was closed") from error

    async def _run(self) -> None:
        while True:
            await self._wanted.wait()
            # Not a PubSub of the client, which reconnects by itself: then nobody would know that something was missed.
            connection = self._client.connection_pool.make_connection()
            try:
                await connection.connect()
                _end_if_cancelled()
                self._connection = connection
                await self._listen()
            except FOREIGN as error:
                _log.warning("events are not received; retrying", why=f"{type(error).__name__}: {error}")
            finally:
                if self._task is asyncio.current_task():  # else another task has the next connection already
                    self._abandon()
                await connection.disconnect(nowait=True)
            await asyncio.sleep(PAUSE_SECONDS)
            with contextlib.suppress(*FOREIGN):
                await self._moved()

    def _abandon(self) -> None:
        """Forget the connection, and what was waited for."""
        self._is_open = False
        self._leaving.clear()
        answers, self._answers = self._answers, {}
        for each in answers.values():
            each.cancel()

    async def _listen(self) -> None:
        received: set[str] = set()
        early: list[tuple[str, bytes]] = []
        while missing := self.channels - received:
            await self._send("SSUBSCRIBE", missing)
            unconfirmed = set(missing)
            while unconfirmed:
                kind, channel, data = await self._message()
                if kind == "ssubscribe":
                    unconfirmed.discard(channel)
                elif kind == "smessage":
                    early.append((channel, data))
            await self._catch_up(missing)
            received |= missing
        # No await since the last look at the channels: those that come from here on subscribe themselves.
        self._is_open = True
        for channel, data in early:
            self._take(channel, data)
        while True:
            kind, channel, data = await self._message()
            if kind == "smessage":
                self._take(channel, data)
            elif kind in ("ssubscribe", "pong"):
                self._confirm(channel if kind == "ssubscribe" else data.decode())
            elif kind == "sunsubscribe" and channel in self._leaving:
                self._leaving.discard(channel)
            elif kind == "sunsubscribe" and channel in self.channels:
                raise Disconnected("the channel has moved to another server")

    def _confirm(self, what: str) -> None:
        answer = self._answers.pop(what, None)
        if answer is not None and not answer.done():
            answer.set_result(None)

    def _take(self, channel: str, data: bytes) -> None:
        if channel in self.channels and not self._receive(channel, data):
            raise Disconnected("something was not received")

    async def _message(self) -> tuple[str, str, Any]:
        message = await self._connection.read_response(timeout=SILENCE_SECONDS)
        _end_if_cancelled()
        match message:
            case None:
                raise Disconnected("the server is silent")
            case [kind, None, data]:  # the last of the channels was unsubscribed
                return kind.decode(), "", data
            case [kind, channel, data]:
                return kind.decode(), channel.decode(), data
            case [b"pong", data]:
                return "pong", "", data
            case _:
                raise Disconnected("not a message")


def _end_if_cancelled() -> None:
    """End a task that was cancelled meanwhile: redis-py may return as if it were not."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError
