"""Presence: who is here, told to those they share something with.

A person is here while one of their sockets is held by a node that lives. Each node says every few seconds that it does
(`Attendance`), not each socket. Comings and goings are gathered for a moment, and whoever comes back soon was never
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
from sobremesa.live.events import Admission, Announcement, EventType, Topic
from sobremesa.live.hub import Hub
from sobremesa.live.listener import Listener
from sobremesa.live.whispers import Whispers
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


class Attendance(Protocol):
    """What the table knows of sockets and of the nodes that hold them."""

    async def note(self, sockets: Iterable[tuple[UserId, str]]) -> None:
        """These sockets are held here."""
        ...

    async def forget(self, sockets: Iterable[tuple[UserId, str]]) -> None:
        """These sockets are not held here any more."""
        ...

    async def renew(self) -> bool:
        """This node lives; False if others thought that it does not, and have forgotten its sockets."""
        ...

    async def lapse(self) -> None:
        """This node ends: others may take care of what it leaves behind."""
        ...

    async def bury_dead(self) -> Collection[UserId]:
        """Clear away after nodes that have ended; the people whose sockets they held."""
        ...

    @property
    def is_alone(self) -> bool:
        """Can there be no other node?"""
        ...

    async def is_elsewhere(self, user_id: UserId) -> bool:
        """Does another node that lives hold a socket of this person?"""
        ...

    async def shared_topics(self, user_id: UserId) -> Sequence[Topic]:
        """Where others hear whether a person is here: servers and conversations."""
        ...

    async def people_in(self, topics: Sequence[Topic]) -> Collection[UserId]:
        """Who is in these, as many as may be asked after."""
        ...


class Presence:
    """Knows who is here, and tells of it."""

    def __init__(self, hub: Hub, whispers: Whispers, attendance: Attendance, times: PresenceTimes) -> None:
        self._hub = hub
        self._whispers = whispers
        self._attendance = attendance
        self._times = times
        self._sockets: dict[UserId, set[str]] = defaultdict(set)
        """The sockets of everybody who has one here."""
        self._come: set[tuple[UserId, str]] = set()
        """Those that the table does not know of yet."""
        self._went: set[tuple[UserId, str]] = set()
        """Those that it still knows of."""
        self._told: set[UserId] = set()
        """Who was told to be here."""
        self._gone: dict[UserId, tuple[float, tuple[Topic, ...]]] = {}
        """Who has no socket here any more, since when, and where that is to be told."""
        self._tasks: list[asyncio.Task[None]] = []
        whispers.overhear(self._overheard)

    # The gateway

    def watch(self, socket: Listener, name: str, is_here: bool) -> None:
        """A socket has come, or goes."""
        user_id = socket.user_id
        if is_here:
            self._sockets[user_id].add(name)
            self._come.add((user_id, name))
            self._gone.pop(user_id, None)
            return
        if (user_id, name) in self._come:
            self._come.discard((user_id, name))
        else:
            self._went.add((user_id, name))
        names = self._sockets[user_id]
        names.discard(name)
        if not names:
            del self._sockets[user_id]
            now = asyncio.get_running_loop().time()
            self._gone[user_id] = (now, shared(socket.subscriptions))

    async def start(self) -> None:
        """Begin to count who is here."""
        await self._attendance.renew()
        self._tasks = [asyncio.create_task(self._gather()), asyncio.create_task(self._live())]

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._tasks:
            await self._attendance.lapse()
        self._tasks = []

    # Asking

    async def among(self, admissions: Sequence[Admission]) -> list[PresenceView]:
        """Who is here of those that somebody shares these topics with."""
        topics = shared(admission.topic for admission in admissions)
        found = {user_id for topic in topics for user_id in self._hub.people_in(topic, CROWD)}
        if not self._attendance.is_alone:
            others = [each for each in await self._attendance.people_in(topics) if each not in found]
            found |= await self._online(others)
        found -= {admission.user_id for admission in admissions}  # who asks knows that they are here
        return [PresenceView(user_id, "online") for user_id in sorted(found)[:MAX_PRESENCES]]

    async def of(self, asking: UserId, user_ids: Sequence[UserId]) -> list[PresenceView]:
        """Whether these people are here; of somebody with whom one shares nothing it is not told."""
        mine = set(await self._attendance.shared_topics(asking))
        online = await self._online(user_ids)

        async def is_told(user_id: UserId) -> bool:
            if user_id == asking or not mine.isdisjoint(self._hub.topics_of(user_id)):
                return True
            return not mine.isdisjoint(await self._attendance.shared_topics(user_id))

        told = {user_id for user_id in online if await is_told(user_id)}
        return [PresenceView(user_id, "online" if user_id in told else "offline") for user_id in user_ids]

    async def _online(self, user_ids: Sequence[UserId]) -> set[UserId]:
        here = {user_id for user_id in user_ids if user_id in self._sockets or user_id in self._told}
        if self._attendance.is_alone:
            return here
        turns = asyncio.Semaphore(ASKED_AT_ONCE)

        async def ask(user_id: UserId) -> bool:
            async with turns:
                return await self._attendance.is_elsewhere(user_id)

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
        if self._come:
            come, self._come = self._come, set()
            try:
                await self._attendance.note(come)
            except TableError:
                self._come |= {each for each in come if each not in self._went}
                raise
            for user_id in {user_id for user_id, _ in come if user_id in self._sockets} - self._told:
                self._told.add(user_id)
                self._tell(user_id, "online", shared(self._hub.topics_of(user_id)))

        now = asyncio.get_running_loop().time()
        gone = {user_id for user_id, (at, _) in self._gone.items() if now - at >= self._times.return_seconds}
        over = {socket for socket in self._went if socket[0] in gone or socket[0] in self._sockets}
        if over:
            await self._attendance.forget(over)
            self._went -= over
        for user_id in gone:
            _, topics = self._gone.pop(user_id, (now, ()))
            if user_id in self._told:
                self._told.discard(user_id)
                await self._say_gone(user_id, topics)

    async def _say_gone(self, user_id: UserId, topics: Sequence[Topic] = ()) -> None:
        if user_id in self._sockets or await self._attendance.is_elsewhere(user_id):
            return
        told = topics or await self._attendance.shared_topics(user_id)
        if user_id not in self._sockets:
            self._tell(user_id, "offline", told)

    def _tell(self, user_id: UserId, status: Status, topics: Sequence[Topic]) -> None:
        if topics:
            told = presence_updated(PresenceView(user_id, status), *topics)
            self._whispers.whisper(msgspec.structs.replace(told, author=user_id, crowd=CROWD))

    def _overheard(self, announcement: Announcement) -> None:
        """Another node says that somebody has gone who is here: they came at the same moment."""
        if announcement.t == presence_updated.name:
            told = _decode(announcement.d)
            if told.status == "offline" and told.user_id in self._told:
                self._tell(told.user_id, "online", shared(self._hub.topics_of(told.user_id)))

    # Living

    async def _live(self) -> None:
        while True:
            try:
                if not await self._attendance.renew():
                    self._come = {(user_id, name) for user_id, names in self._sockets.items() for name in names}
                    self._went.clear()
                    self._told.clear()
                for user_id in await self._attendance.bury_dead():
                    await self._say_gone(user_id)
            except TableError as error:
                _log.warning("a node cannot say that it lives", why=f"{type(error).__name__}: {error}")
            await asyncio.sleep(self._times.renew_seconds)


def shared(topics: Iterable[Topic]) -> tuple[Topic, ...]:
    """Those in which it is told who is here: servers and conversations."""
    return tuple(topic for topic in topics if topic.startswith(("server:", "conversation:")))
