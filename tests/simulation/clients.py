"""Clients of a simulation: subscribers in the process, with what a client knows, that disconnect and resume."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from simulation.nodes import Node, NodeGone
from sobremesa.core.actor import Actor
from sobremesa.core.errors import NotFound
from sobremesa.core.ids import MessageId, RoomId
from sobremesa.live.events import Topic, TopicMembership, server
from sobremesa.live.feed import BadEventCursor, Cursor, Trimmed
from sobremesa.live.frames import payload_of
from sobremesa.live.replay import LoadMemberships
from sobremesa.live.session_frames import Gap
from sobremesa.live.subscriber import Subscriber
from sobremesa.table.errors import TableError

if TYPE_CHECKING:
    from simulation.scenario import Scenario

PAGE = 100


class Frame(msgspec.Struct):
    """An event as a client receives it."""

    t: str
    d: dict[str, Any]
    s: str = ""
    id: str = ""


class Shown(NamedTuple):
    """What a client shows of a message."""

    content: str
    is_deleted: bool


_decode = msgspec.json.Decoder(Frame).decode


class Connection(Subscriber):
    """One connection of a client to a node; closed when the client or the node is gone."""

    def __init__(self, client: Client, node: Node) -> None:
        super().__init__()
        self.client = client
        self.node = node
        self.gateway = node.incarnation
        self.user_id = client.actor.user_id
        self.tenant = client.actor.tenant
        self.is_open = True
        self.is_live = False
        """Whether it was brought up to date."""
        self.order = client.scenario.next_order()
        self.opened_at = asyncio.get_running_loop().time()

    def __hash__(self) -> int:
        return self.order  # the address, by default, would order sets differently in each run

    def __eq__(self, other: object) -> bool:
        return self is other

    def flush(self) -> None:
        pending, self.pending = self.pending, []
        for frame in pending:
            if self.is_open:
                self.client.receive(_decode(payload_of(frame)), self)

    def end(self) -> None:
        self.is_open = False


class Client:
    """A client of one user, who wants to be connected."""

    def __init__(self, scenario: Scenario, name: str, actor: Actor) -> None:
        self.scenario = scenario
        self.name = name
        self.actor = actor
        self.connection: Connection | None = None
        self.cursor: str | None = None
        self.messages: dict[RoomId, dict[MessageId, Shown]] = {}
        """What it knows of each room that it is in."""
        self.received: dict[str, None] = {}
        """The ids of the events that it has received since `ready`."""
        self.deletions: set[str] = set()
        """The messages of which it has received the deletion since `ready`."""
        self._loading: set[asyncio.Task[None]] = set()

    @property
    def is_connected(self) -> bool:
        here = self.connection
        return here is not None and here.is_open and here.node.is_running and here.node.incarnation == here.gateway

    async def connect(self, node: Node) -> None:
        """Resume with the last cursor, or start anew, as the gateway does it."""
        connection = Connection(self, node)
        self.connection = connection
        try:
            await node.run(self._attach(connection))
        except (NodeGone, TableError, NotFound, Trimmed) as error:
            self.scenario.history.note(self.name, "not connected", type(error).__name__)
            self.disconnect()

    def disconnect(self) -> None:
        """Close the connection, without a word to the node."""
        connection, self.connection = self.connection, None
        if connection is not None:
            connection.is_open = False
            if connection.node.is_running and connection.node.incarnation == connection.gateway:
                connection.node.app.live.hub.detach(connection)

    def receive(self, frame: Frame, connection: Connection) -> None:
        """Apply an event."""
        if frame.s:
            self.cursor = frame.s
        is_repeated = frame.id in self.received
        self.received[frame.id] = None
        content, about = frame.d.get("content", ""), frame.d.get("messageId", frame.d.get("userId", ""))
        self.scenario.history.note(self.name, "repeat" if is_repeated else "event", f"{frame.t} {content} {about[-6:]}")
        room = RoomId(str(frame.d.get("roomId", "")))
        is_known = is_repeated or bool(self._loading) or about in self.messages.get(room, {about})
        self.scenario.oracle.delivered(self, connection, frame, is_known=is_known, is_repeated=is_repeated)
        if is_repeated:
            return
        match frame.t:
            case "message.created" | "message.updated":
                if room in self.messages:
                    shown = Shown(content, frame.d["deleted"])
                    self.messages[room][MessageId(frame.d["messageId"])] = shown
            case "message.deleted":
                self.deletions.add(about)
                if room in self.messages:
                    self.messages[room][MessageId(frame.d["messageId"])] = Shown("", True)
            case "server.created":
                self._load_later(connection)
            case "member.left" | "server.deleted":
                if frame.d.get("userId", self.actor.user_id) == self.actor.user_id:
                    self._leave()
            case _:
                pass  # of other things it shows nothing

    # Inside: what runs on the node

    async def _attach(self, connection: Connection) -> None:
        """Identify or resume, as `live/identify.py` does it."""
        app = connection.node.app
        hub, feed = app.live.hub, app.live.feed
        load = partial(app.subscriptions.memberships_of, self.actor)
        async with hub.attaching(connection):
            here = feed.cursor_of(hub.position())
            after = None
            if self.cursor is not None:
                with contextlib.suppress(BadEventCursor):
                    after = feed.cursor_of(self.cursor)
            if after is None:
                self._forget()
                await hub.attach(connection, await self._ready(connection, here), here, load)
            else:
                await self._resume(connection, after, here, load)
            connection.is_live = True

    async def _resume(self, connection: Connection, after: Cursor, here: Cursor, load: LoadMemberships) -> None:
        app, node = connection.node.app, connection.node.name
        self.scenario.history.note(self.name, "resume", node)
        try:
            if after.position is None:
                raise Trimmed
            memberships = await load()
            missing = await app.live.hub.missing(memberships, after.position)
            if missing:
                await self._resume_in_part(connection, after, here, memberships, missing, load)
            else:
                await app.live.hub.attach(connection, memberships, after, load)
            self.scenario.history.note(self.name, "resumed", node)
        except Trimmed as error:
            self.scenario.history.note(self.name, "gap", f"{node} {error}")
            await self._fetch(connection, await app.gaps.find(self.actor, after.at_ms))
            await app.live.hub.attach(connection, await self._ready(connection, here), here, load)

    async def _resume_in_part(
        self,
        connection: Connection,
        after: Cursor,
        here: Cursor,
        memberships: Sequence[TopicMembership],
        missing: Collection[Topic],
        load: LoadMemberships,
    ) -> None:
        """Fetch what a gap names of some topics, and receive what was missed of the others."""
        app = connection.node.app

        def kept(some: Sequence[TopicMembership]) -> list[TopicMembership]:
            return [each for each in some if each.topic not in missing]

        async def load_kept() -> Sequence[TopicMembership]:
            return kept(await load())

        self.scenario.history.note(self.name, "partial gap", f"{connection.node.name} {sorted(missing)}")
        await self._fetch(connection, await app.gaps.find(self.actor, after.at_ms, missing))
        await app.live.hub.catch_up(connection, kept(memberships), after, load_kept)
        await app.live.hub.attach(connection, await self._ready(connection, here), here, load)

    def _forget(self) -> None:
        self.cursor = None
        self.messages.clear()
        self.received.clear()
        self.deletions.clear()

    async def _ready(self, connection: Connection, here: Cursor) -> Sequence[TopicMembership]:
        """Read the memberships after the cursor, and load the rooms that this client does not show yet."""
        assert here.position is not None
        memberships = await connection.node.app.subscriptions.memberships_of(self.actor)
        if server(self.scenario.server_id) not in {each.topic for each in memberships}:
            self._leave()
        for room in self.scenario.rooms:
            if room not in self.messages:
                with contextlib.suppress(NotFound):
                    self.messages[room] = await load_room(self.scenario, connection.node, self.actor, room)
        self.cursor = connection.node.app.live.feed.s_of(here.position, here.at_ms)
        self.scenario.history.note(self.name, "ready", connection.node.name)
        return memberships

    async def _fetch(self, connection: Connection, gap: Gap) -> None:
        """Fetch exactly what a gap names."""
        for missed in gap.rooms:
            self.scenario.history.note(self.name, "fetch", f"{missed.room_id} to {missed.until[-6:]}")
            with contextlib.suppress(NotFound):
                found = await load_room(self.scenario, connection.node, self.actor, missed.room_id, missed.after)
                named = {id: shown for id, shown in found.items() if id <= missed.until}
                self.messages.setdefault(missed.room_id, {}).update(named)

    def _leave(self) -> None:
        for channel in self.scenario.channels:
            self.messages.pop(channel, None)

    def _load_later(self, connection: Connection) -> None:
        """Fetch the rooms of a server that was joined; events that come meanwhile are applied to what is loaded."""
        for room in self.scenario.channels:
            self.messages.setdefault(room, {})
        task = asyncio.get_running_loop().create_task(self._merge(connection))
        self._loading.add(task)
        task.add_done_callback(self._loading.discard)

    async def _merge(self, connection: Connection) -> None:
        is_loaded = False
        try:
            for room in self.scenario.channels:
                before = dict(self.messages.get(room, {}))
                loaded = await load_room(self.scenario, connection.node, self.actor, room)
                held = self.messages.get(room, {})
                came = {id: shown for id, shown in held.items() if before.get(id) != shown}
                if room in self.messages:
                    self.messages[room] = loaded | came
            is_loaded = True
        except NotFound:
            is_loaded = True  # removed again meanwhile
        except TableError:
            pass
        finally:
            if not is_loaded and self.connection is connection:
                self.disconnect()  # what it knows is incomplete: start anew
                self.cursor = None


async def load_room(
    scenario: Scenario, node: Node, actor: Actor, room: RoomId, after: MessageId | None = None
) -> dict[MessageId, Shown]:
    """Return what is in a room after a message, as an actor sees it; NotFound for those who are not members."""
    loaded: dict[MessageId, Shown] = {}
    before: MessageId | None = None
    while True:
        page = await scenario.service(node, room).page(actor, room, limit=PAGE, before=before)
        for message in page.messages:
            if after is None or message.message_id > after:
                loaded[message.message_id] = Shown(message.content, message.deleted)
        if len(page.messages) < PAGE:
            return loaded
        before = page.messages[-1].message_id
