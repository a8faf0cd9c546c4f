"""Presence: who is here, told to those they share something with.

A person is here while one of their sockets is held by a node that lives. Each node says every few seconds that it does
(`NodeRegistry`), not each socket. Comings and goings are gathered for a moment, and whoever comes back soon was never
gone. In rooms with a large crowd nothing is told of them: there one asks for the members that one looks at.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Literal, Protocol, TypeAlias

import msgspec
import structlog

from sobremesa.core.actor import UserId
from sobremesa.http.endpoints import Output
from sobremesa.live.ephemeral import EphemeralEvents
from sobremesa.live.events import Event, EventType, Topic, TopicMembership
from sobremesa.live.hub import Hub
from sobremesa.live.subscriber import Subscriber
from sobremesa.table.errors import TableError

CROWD = 200
"""Where more people listen than this, on one node, nothing is told of comings and goings."""
MAX_PRESENCES = 500
ASKED_AT_ONCE = 16

Status: TypeAlias = Literal["online", "offline"]

_log = structlog.get_logger("sobremesa.live")


class PresenceTimes(msgspec.Struct, frozen=True, kw_only=True):
    """How patient everybody is."""

    lease_seconds: float = 30.0
    """How long a node is believed to live that says nothing."""
    renew_seconds: float = 10.0
    gather_seconds: float = 1.0
    return_seconds: float = 5.0
    """Whoever comes back within this was not gone."""


class PresenceView(Output):
    """Is somebody here?"""

    user_id: UserId
    status: Status


presence_updated = EventType(
    "presence.updated",
    PresenceView,
    f"Somebody is here, or no longer; not told in servers in which more than {CROWD} people listen.",
    durable=False,
)

_decode = msgspec.json.Decoder(PresenceView).decode


class NodeRegistry(Protocol):
    """What the table knows of sockets and of the nodes that hold them."""

    async def add_sockets(self, sockets: Iterable[tuple[UserId, str]]) -> None:
        """These sockets are held here."""
        ...

    async def remove_sockets(self, sockets: Iterable[tuple[UserId, str]]) -> None:
        """These sockets are not held here any more."""
        ...

    async def renew(self) -> bool:
        """This node lives; False if others thought that it does not, and have forgotten its sockets."""
        ...

    async def release(self) -> None:
        """This node ends: others may take care of what it leaves behind."""
        ...

    async def remove_dead_nodes(self) -> Collection[UserId]:
        """Clear away after nodes that have ended; the people whose sockets they held."""
        ...

    @property
    def is_alone(self) -> bool:
        """Can there be no other node?"""
        ...

    async def is_connected_elsewhere(self, user_id: UserId) -> bool:
        """Does another node that lives hold a socket of this person?"""
        ...

    async def shared_topics(self, user_id: UserId) -> Sequence[Topic]:
        """Where others hear whether a person is here: servers and conversations."""
        ...

    async def users_in(self, topics: Sequence[Topic]) -> Collection[UserId]:
        """Who is in these, as many as may be asked after."""
        ...


class Presence:
    """Knows who is here, and tells of it."""

    def __init__(self, hub: Hub, ephemeral: EphemeralEvents, registry: NodeRegistry, times: PresenceTimes) -> None:
        self._hub = hub
        self._ephemeral = ephemeral
        self._registry = registry
        self._times = times
        self._sockets: dict[UserId, set[str]] = defaultdict(set)
        """The sockets of everybody who has one here."""
        self._connected: set[tuple[UserId, str]] = set()
        """Those that the table does not know of yet."""
        self._disconnected: set[tuple[UserId, str]] = set()
        """Those that it still knows of."""
        self._online_users: set[UserId] = set()
        """Who was told to be here."""
        self._left: dict[UserId, tuple[float, tuple[Topic, ...]]] = {}
        """Who has no socket here any more, since when, and where that is to be told."""
        self._tasks: list[asyncio.Task[None]] = []
        ephemeral.on_remote(self._on_remote)

    # The gateway

    def watch(self, socket: Subscriber, name: str, is_here: bool) -> None:
        """A socket has connected, or goes."""
        user_id = socket.user_id
        if is_here:
            self._sockets[user_id].add(name)
            self._connected.add((user_id, name))
            self._left.pop(user_id, None)
            return
        if (user_id, name) in self._connected:
            self._connected.discard((user_id, name))
        else:
            self._disconnected.add((user_id, name))
        names = self._sockets[user_id]
        names.discard(name)
        if not names:
            del self._sockets[user_id]
            now = asyncio.get_running_loop().time()
            self._left[user_id] = (now, shared(socket.subscriptions))

    async def start(self) -> None:
        """Begin to count who is here."""
        await self._registry.renew()
        self._tasks = [asyncio.create_task(self._gather()), asyncio.create_task(self._keep_alive())]

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._tasks:
            await self._registry.release()
        self._tasks = []

    # Asking

    async def among(self, memberships: Sequence[TopicMembership]) -> list[PresenceView]:
        """Who is here of those that somebody shares these topics with."""
        topics = shared(membership.topic for membership in memberships)
        found = {user_id for topic in topics for user_id in self._hub.users_in(topic, CROWD)}
        if not self._registry.is_alone:
            others = [each for each in await self._registry.users_in(topics) if each not in found]
            found |= await self._online(others)
        found -= {membership.user_id for membership in memberships}  # who asks knows that they are here
        return [PresenceView(user_id, "online") for user_id in sorted(found)[:MAX_PRESENCES]]

    async def of(self, asking: UserId, user_ids: Sequence[UserId]) -> list[PresenceView]:
        """Whether these people are here; of somebody with whom one shares nothing it is not told."""
        mine = set(await self._registry.shared_topics(asking))
        online = await self._online(user_ids)

        async def is_shared(user_id: UserId) -> bool:
            if user_id == asking or not mine.isdisjoint(self._hub.topics_of(user_id)):
                return True
            return not mine.isdisjoint(await self._registry.shared_topics(user_id))

        told = {user_id for user_id in online if await is_shared(user_id)}
        return [PresenceView(user_id, "online" if user_id in told else "offline") for user_id in user_ids]

    async def _online(self, user_ids: Sequence[UserId]) -> set[UserId]:
        here = {user_id for user_id in user_ids if user_id in self._sockets or user_id in self._online_users}
        if self._registry.is_alone:
            return here
        turns = asyncio.Semaphore(ASKED_AT_ONCE)

        async def ask(user_id: UserId) -> bool:
            async with turns:
                return await self._registry.is_connected_elsewhere(user_id)

        others = [user_id for user_id in user_ids if user_id not in here]
        answers = await asyncio.gather(*map(ask, others))
        return here | {user_id for user_id, is_there in zip(others, answers, strict=True) if is_there}

    # Telling

    async def _gather(self) -> None:
        while True:
            await asyncio.sleep(self._times.gather_seconds)
            try:
                await self._settle()
            except TableError as error:
                _log.warning("who is here is told later", why=f"{type(error).__name__}: {error}")

    async def _settle(self) -> None:
        """Write down what has changed, and tell of it."""
        if self._connected:
            connected, self._connected = self._connected, set()
            try:
                await self._registry.add_sockets(connected)
            except TableError:
                self._connected |= {each for each in connected if each not in self._disconnected}
                raise
            for user_id in {user_id for user_id, _ in connected if user_id in self._sockets} - self._online_users:
                self._online_users.add(user_id)
                self._publish(user_id, "online", shared(self._hub.topics_of(user_id)))

        now = asyncio.get_running_loop().time()
        gone = {user_id for user_id, (at, _) in self._left.items() if now - at >= self._times.return_seconds}
        over = {socket for socket in self._disconnected if socket[0] in gone or socket[0] in self._sockets}
        if over:
            await self._registry.remove_sockets(over)
            self._disconnected -= over
        for user_id in gone:
            _, topics = self._left.pop(user_id, (now, ()))
            if user_id in self._online_users:
                self._online_users.discard(user_id)
                await self._publish_offline(user_id, topics)

    async def _publish_offline(self, user_id: UserId, topics: Sequence[Topic] = ()) -> None:
        if user_id in self._sockets or await self._registry.is_connected_elsewhere(user_id):
            return
        told = topics or await self._registry.shared_topics(user_id)
        if user_id not in self._sockets:
            self._publish(user_id, "offline", told)

    def _publish(self, user_id: UserId, status: Status, topics: Sequence[Topic]) -> None:
        if topics:
            told = presence_updated(PresenceView(user_id, status), *topics)
            self._ephemeral.publish(msgspec.structs.replace(told, author=user_id, crowd=CROWD))

    def _on_remote(self, event: Event) -> None:
        """Another node says that somebody has gone who is here: they came at the same moment."""
        if event.t == presence_updated.name:
            told = _decode(event.d)
            if told.status == "offline" and told.user_id in self._online_users:
                self._publish(told.user_id, "online", shared(self._hub.topics_of(told.user_id)))

    # Living

    async def _keep_alive(self) -> None:
        while True:
            try:
                if not await self._registry.renew():
                    self._connected = {(user_id, name) for user_id, names in self._sockets.items() for name in names}
                    self._disconnected.clear()
                    self._online_users.clear()
                for user_id in await self._registry.remove_dead_nodes():
                    await self._publish_offline(user_id)
            except TableError as error:
                _log.warning("a node cannot say that it lives", why=f"{type(error).__name__}: {error}")
            await asyncio.sleep(self._times.renew_seconds)


def shared(topics: Iterable[Topic]) -> tuple[Topic, ...]:
    """Those in which it is told who is here: servers and conversations."""
    return tuple(topic for topic in topics if topic.startswith(("server:", "conversation:")))
