"""Presence: which users are online, published to those who share something with them.

A user is online while a node that is alive holds one of their sockets. Each node renews a lease every few seconds
(`NodeRegistry`), not each socket. Changes are collected for a moment, and a user who reconnects soon was never
offline. In large rooms presence is not published: clients ask for the members that they show.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Literal, Protocol, TypeAlias

import msgspec
import structlog

from sobremesa.core.actor import UserId
from sobremesa.core.gather import gather_bounded
from sobremesa.http.endpoints import Output
from sobremesa.live.ephemeral import EphemeralEvents
from sobremesa.live.events import Event, EventType, Topic, TopicMembership, user
from sobremesa.live.hub import Hub
from sobremesa.live.subscriber import Subscriber
from sobremesa.table.errors import TableError

CROWD = 200
"""Presence is not published to topics with more subscribers than this on one node."""
MAX_PRESENCES = 500
ASKED_AT_ONCE = 16

Status: TypeAlias = Literal["online", "offline"]

_log = structlog.get_logger("sobremesa.live")


class PresenceTimes(msgspec.Struct, frozen=True, kw_only=True):
    """The durations of presence."""

    lease_seconds: float = 30.0
    """How long a silent node counts as alive."""
    renew_seconds: float = 10.0
    gather_seconds: float = 1.0
    return_seconds: float = 5.0
    """A user who reconnects within this time was not offline."""


class PresenceView(Output):
    """Whether a user is online."""

    user_id: UserId
    status: Status


presence_updated = EventType(
    "presence.updated",
    PresenceView,
    f"A user is online or offline now; not published in servers with more than {CROWD} users online.",
    durable=False,
)

_decode = msgspec.json.Decoder(PresenceView).decode

_QUESTION = "presence.question"
"""What a node asks the others: which users are online in the topics of this user."""


class NodeRegistry(Protocol):
    """What the table knows of sockets and of the nodes that hold them."""

    async def add_sockets(self, sockets: Iterable[tuple[UserId, str]]) -> None:
        """Record that this node holds these sockets."""
        ...

    async def remove_sockets(self, sockets: Iterable[tuple[UserId, str]]) -> None:
        """Record that this node no longer holds these sockets."""
        ...

    async def renew(self) -> bool:
        """Renew this node's lease; False if other nodes considered it dead and removed its sockets."""
        ...

    async def release(self) -> None:
        """Release this node's lease: others may clean up after it."""
        ...

    async def remove_dead_nodes(self) -> Collection[UserId]:
        """Remove nodes that are dead; return the users whose sockets they held."""
        ...

    @property
    def is_alone(self) -> bool:
        """Whether there can be no other node."""
        ...

    async def is_connected_elsewhere(self, user_id: UserId) -> bool:
        """Return whether another node that is alive holds a socket of this user."""
        ...

    async def shared_topics(self, user_id: UserId) -> Sequence[Topic]:
        """Return the topics that receive a user's presence: servers and conversations."""
        ...


class Presence:
    """Tracks which users are online, and publishes changes."""

    def __init__(self, hub: Hub, ephemeral: EphemeralEvents, registry: NodeRegistry, times: PresenceTimes) -> None:
        self._hub = hub
        self._ephemeral = ephemeral
        self._registry = registry
        self._times = times
        self._sockets: dict[UserId, set[str]] = defaultdict(set)
        """The sockets on this node, by user."""
        self._connected: set[tuple[UserId, str]] = set()
        """Sockets that the table does not know of yet."""
        self._disconnected: set[tuple[UserId, str]] = set()
        """Sockets that the table still has."""
        self._online_users: set[UserId] = set()
        """The users who were published as online."""
        self._left: dict[UserId, tuple[float, tuple[Topic, ...]]] = {}
        """Users without a socket on this node: since when, and the topics to publish it to."""
        self._tasks: list[asyncio.Task[None]] = []
        ephemeral.on_remote(self._on_remote)

    # The gateway

    def watch(self, socket: Subscriber, name: str, is_here: bool) -> None:
        """Note that a socket was attached or closed."""
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
        """Start to track presence."""
        await self._registry.renew()
        self._tasks = [asyncio.create_task(self._gather()), asyncio.create_task(self._keep_alive())]

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._tasks:
            await self._registry.release()
        self._tasks = []

    # Queries

    async def among(self, memberships: Sequence[TopicMembership]) -> list[PresenceView]:
        """Return the users on this node among those who share these topics; ask the other nodes for theirs.

        Their answers come as events. Reading the table for it would take a request for each room and each user.
        """
        topics = shared(membership.topic for membership in memberships)
        asking = {membership.user_id for membership in memberships}
        for user_id in asking if topics else ():
            question = PresenceView(user_id, "online")
            self._ephemeral.ask_nodes(Event(t=_QUESTION, d=msgspec.json.encode(question), topics=topics))
        return [PresenceView(user_id, "online") for user_id in sorted(self._here(topics) - asking)[:MAX_PRESENCES]]

    def _here(self, topics: Iterable[Topic]) -> set[UserId]:
        """Return the users on this node who share these topics."""
        # Not every subscriber is a user who is there: requests that poll and backends that act as a user are not.
        return {each for topic in topics for each in self._hub.users_in(topic, CROWD) if each in self._sockets}

    async def of(self, asking: UserId, user_ids: Sequence[UserId]) -> list[PresenceView]:
        """Return whether these users are online; users with whom nothing is shared are shown as offline."""
        mine = set(await self._registry.shared_topics(asking))
        online = await self._online(user_ids)

        async def is_shared(user_id: UserId) -> bool:
            if user_id == asking or not mine.isdisjoint(self._hub.topics_of(user_id)):
                return True
            return not mine.isdisjoint(await self._registry.shared_topics(user_id))

        visible = {user_id for user_id in online if await is_shared(user_id)}
        return [PresenceView(user_id, "online" if user_id in visible else "offline") for user_id in user_ids]

    async def is_online(self, user_id: UserId) -> bool:
        """Return whether a node that is alive holds a socket of this user."""
        return bool(await self._online([user_id]))

    async def _online(self, user_ids: Sequence[UserId]) -> set[UserId]:
        here = {user_id for user_id in user_ids if user_id in self._sockets or user_id in self._online_users}
        if self._registry.is_alone:
            return here
        others = [user_id for user_id in user_ids if user_id not in here]
        answers = await gather_bounded(ASKED_AT_ONCE, self._registry.is_connected_elsewhere, others)
        return here | {user_id for user_id, is_there in zip(others, answers, strict=True) if is_there}

    # Publishing

    async def _gather(self) -> None:
        while True:
            await asyncio.sleep(self._times.gather_seconds)
            try:
                await self._settle()
            except TableError as error:
                _log.warning("presence is published later", why=f"{type(error).__name__}: {error}")

    async def _settle(self) -> None:
        """Store what has changed, and publish it."""
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
        topics = topics or await self._registry.shared_topics(user_id)
        if user_id not in self._sockets:
            self._publish(user_id, "offline", topics)

    def _publish(self, user_id: UserId, status: Status, topics: Sequence[Topic]) -> None:
        if topics:
            event = presence_updated.event(PresenceView(user_id, status), *topics)
            self._ephemeral.publish(event, without=user_id, max_subscribers=CROWD)

    def _on_remote(self, event: Event) -> None:
        """Answer the question of another node, or correct one that published a user of this node as offline."""
        if event.t == _QUESTION:
            asking = _decode(event.d).user_id
            for user_id in sorted(self._here(event.topics) - {asking})[:MAX_PRESENCES]:
                self._publish(user_id, "online", [user(asking)])
        elif event.t == presence_updated.name:
            presence = _decode(event.d)
            if presence.status == "offline" and presence.user_id in self._online_users:  # they reconnected here
                self._publish(presence.user_id, "online", shared(self._hub.topics_of(presence.user_id)))

    # Lease

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
                _log.warning("the node's lease was not renewed", why=f"{type(error).__name__}: {error}")
            await asyncio.sleep(self._times.renew_seconds)


def shared(topics: Iterable[Topic]) -> tuple[Topic, ...]:
    """Return the topics that receive presence: servers and conversations."""
    return tuple(topic for topic in topics if topic.startswith(("server:", "conversation:")))
