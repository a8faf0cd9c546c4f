"""Messages between nodes that concern a topic, such as ephemeral events. They are not stored.

A message reaches the nodes that need one of its topics. Publishing never blocks, so nothing that must not be lost is
published in this way.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TypeAlias

import structlog

from sobremesa.live.events import Topic
from sobremesa.live.redis_server import FOREIGN
from sobremesa.live.topic_streams import TopicStreams
from sobremesa.table.cache import Cache

MAX_WAITING = 5000
PAUSE_SECONDS = 0.5
CACHED_IDS = 10_000

Handler: TypeAlias = Callable[[bytes], None]

_log = structlog.get_logger("sobremesa.live")


class TopicMessages:
    """Publishes messages to other nodes, and receives theirs."""

    def __init__(self, streams: TopicStreams, node_id: str) -> None:
        self._streams = streams
        self._node = node_id.encode()
        self._handlers: dict[bytes, Handler] = {}
        self._waiting: asyncio.Queue[tuple[bytes, tuple[Topic, ...], bytes]] = asyncio.Queue(MAX_WAITING)
        self._received: Cache[bytes, bool] = Cache(CACHED_IDS)
        """The ids of messages, which may come by several topics."""

    def on(self, subject: bytes, handler: Handler) -> None:
        """Call a handler for messages of other nodes about a subject."""
        self._handlers[subject] = handler

    def publish(self, subject: bytes, topics: Sequence[Topic], body: bytes = b"") -> None:
        """Publish to the other nodes that need one of these topics; dropped if too many messages are waiting."""
        if not self._waiting.full():
            self._waiting.put_nowait((subject, tuple(topics), body))

    async def run(self) -> None:
        """Send what was published, until cancelled."""
        while True:
            waiting = [await self._waiting.get()]
            while not self._waiting.empty():
                waiting.append(self._waiting.get_nowait())
            found: dict[Topic, list[bytes]] = defaultdict(list)
            for subject, topics, body in dict.fromkeys(waiting):  # a repeated hint adds nothing
                data = b"M %b %b %b\n%b" % (subject, self._node, secrets.token_hex(8).encode(), body)
                for topic in topics:
                    found[topic].append(data)
            try:
                await self._streams.notify(found)
            except FOREIGN as error:
                _log.warning("messages to other nodes were lost", why=f"{type(error).__name__}: {error}")
                await asyncio.sleep(PAUSE_SECONDS)

    def take(self, data: bytes) -> None:
        """Take a message of any node."""
        line, _, body = data.partition(b"\n")
        subject, node, id = line.split(b" ")[1:]
        if node == self._node or self._received.find(id):
            return
        self._received.keep(id, True)
        handler = self._handlers.get(subject)
        if handler is None:
            return  # of another version
        try:
            handler(body)
        except Exception as error:  # a bad message must not stop the rest
            _log.error("a message of another node failed", exc_info=error)
