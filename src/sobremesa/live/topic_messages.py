"""Messages between nodes that concern a topic, such as ephemeral events. They are not stored.

A message reaches the nodes that need one of its topics. Publishing never blocks, and what Redis does not take is lost;
except for repeated messages, which are sent again until Redis has been back for some seconds.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

import structlog

from sobremesa.live.events import Topic
from sobremesa.live.redis_server import FOREIGN
from sobremesa.live.topic_streams import TopicStreams
from sobremesa.table.cache import Cache

MAX_WAITING = 5000
PAUSE_SECONDS = 0.5
REPEAT_SECONDS = 5.0
"""How long repeated messages are kept, and sent again after a failure: other nodes must subscribe again first."""
CACHED_IDS = 10_000

Handler: TypeAlias = Callable[[bytes], None]

_log = structlog.get_logger("sobremesa.live")


class _Message(NamedTuple):
    subject: bytes
    topics: tuple[Topic, ...]
    body: bytes
    is_repeated: bool


class TopicMessages:
    """Publishes messages to other nodes, and receives theirs."""

    def __init__(self, streams: TopicStreams, node_id: str) -> None:
        self._streams = streams
        self._node = node_id.encode()
        self._handlers: dict[bytes, Handler] = {}
        self._waiting: asyncio.Queue[_Message] = asyncio.Queue(MAX_WAITING)
        self._repeated: deque[tuple[float, _Message]] = deque(maxlen=MAX_WAITING)
        """The repeated messages of the last seconds, and when they were published."""
        self._failed_at: float | None = None
        """When a message was lost last; None if Redis has been back for long enough."""
        self._received: Cache[bytes, bool] = Cache(CACHED_IDS)
        """The ids of messages, which may come by several topics."""

    def on(self, subject: bytes, handler: Handler) -> None:
        """Call a handler for messages of other nodes about a subject."""
        self._handlers[subject] = handler

    def publish(self, subject: bytes, topics: Sequence[Topic], body: bytes = b"", *, is_repeated: bool = False) -> None:
        """Publish to the other nodes that need one of these topics; dropped if too many messages are waiting.

        A repeated message may reach them several times.
        """
        message = _Message(subject, tuple(topics), body, is_repeated)
        if is_repeated:
            self._repeated.append((asyncio.get_running_loop().time(), message))
        if not self._waiting.full():
            self._waiting.put_nowait(message)

    async def run(self) -> None:
        """Send what was published, until cancelled."""
        now = asyncio.get_running_loop().time
        while True:
            waiting = await self._next(now())
            try:
                await self._streams.notify(self._encoded(waiting))
            except FOREIGN as error:
                _log.warning("messages to other nodes were lost", why=f"{type(error).__name__}: {error}")
                self._failed_at = now()
            if self._failed_at is not None:
                await asyncio.sleep(PAUSE_SECONDS)

    async def _next(self, now: float) -> list[_Message]:
        """Return the messages to send, after a failure with the repeated ones; wait for one otherwise."""
        if self._failed_at is not None and now - self._failed_at >= REPEAT_SECONDS:
            self._failed_at = None
        waiting: list[_Message] = []
        if self._failed_at is None:
            waiting.append(await self._waiting.get())
            self._forget_repeated()
        else:
            waiting += [message for _, message in self._repeated]
        while not self._waiting.empty():
            waiting.append(self._waiting.get_nowait())
        return waiting

    def _forget_repeated(self) -> None:
        oldest = asyncio.get_running_loop().time() - REPEAT_SECONDS
        while self._repeated and self._repeated[0][0] < oldest:
            self._repeated.popleft()

    def _encoded(self, messages: Iterable[_Message]) -> dict[Topic, list[bytes]]:
        found: dict[Topic, list[bytes]] = defaultdict(list)
        for message in dict.fromkeys(messages):  # a hint that waits twice adds nothing
            data = b"M %b %b %b\n%b" % (message.subject, self._node, secrets.token_hex(8).encode(), message.body)
            for topic in message.topics:
                found[topic].append(data)
        return found

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
