"""A publish/subscribe channel between the nodes, over Redis or Valkey. Messages are not stored.

Publishing never blocks, so nothing that must not be lost goes through it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeAlias

import structlog

from sobremesa.live.redis_stream import FOREIGN, client_of

MAX_WAITING = 5000
PAUSE_SECONDS = 0.5
LISTEN_SECONDS = 5.0

Handler: TypeAlias = Callable[[bytes], None]

_log = structlog.get_logger("sobremesa.live")


class RedisChannel:
    """Publishes messages to all other nodes, and receives theirs."""

    def __init__(self, url: str, name: str, node_id: str) -> None:
        self._publisher = client_of(url)
        self._subscriber = client_of(url, LISTEN_SECONDS * 2)
        self._name = f"sobremesa:{{{name}}}:nodes:"
        self._node = node_id.encode()
        self._handlers: dict[str, Handler] = {}
        self._waiting: asyncio.Queue[tuple[str, bytes]] = asyncio.Queue(MAX_WAITING)
        self._tasks: list[asyncio.Task[None]] = []

    def on(self, subject: str, handler: Handler) -> None:
        """Call a handler for messages of other nodes about a subject."""
        self._handlers[subject] = handler

    def publish(self, subject: str, body: bytes = b"") -> None:
        """Publish to all other nodes; dropped if too many messages are waiting."""
        if not self._waiting.full():
            self._waiting.put_nowait((subject, body))

    def open(self) -> None:
        self._tasks = [asyncio.create_task(self._publish_waiting()), asyncio.create_task(self._listen())]

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._publisher.aclose()
        await self._subscriber.aclose()

    async def _publish_waiting(self) -> None:
        while True:
            messages = [await self._waiting.get()]
            while not self._waiting.empty():
                messages.append(self._waiting.get_nowait())
            try:
                pipeline: Any
                async with self._publisher.pipeline(transaction=False) as pipeline:
                    for subject, body in dict.fromkeys(messages):  # a repeated hint adds nothing
                        pipeline.publish(self._name + subject, self._node + b" " + body)
                    await pipeline.execute()
            except FOREIGN as error:
                _log.warning("messages to other nodes were lost", why=f"{type(error).__name__}: {error}")
                await asyncio.sleep(PAUSE_SECONDS)

    async def _listen(self) -> None:
        while True:
            try:
                async with self._subscriber.pubsub(ignore_subscribe_messages=True) as pubsub:
                    await pubsub.subscribe(*(self._name + subject for subject in self._handlers))
                    while True:
                        message = await pubsub.get_message(timeout=LISTEN_SECONDS)
                        if message is not None:
                            self._take(message)
                        else:
                            await pubsub.ping()
            except FOREIGN as error:
                _log.warning("messages of other nodes are not received", why=f"{type(error).__name__}: {error}")
                await asyncio.sleep(PAUSE_SECONDS)

    def _take(self, message: Any) -> None:
        if message["type"] != "message":
            return
        node, _, body = message["data"].partition(b" ")
        if node == self._node:
            return
        try:
            self._handlers[message["channel"].decode().removeprefix(self._name)](body)
        except Exception as error:  # a bad message must not stop the rest
            _log.error("a message of another node failed", exc_info=error)
