"""Clients on real sockets: they load a snapshot, apply events, are cut off, and resume at any node."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import websockets

from chaos.cluster import Member
from chaos.observations import Delivery, ShownMessage, reaction_of
from chaos.requests import Refused, Unanswered
from gateway.connection import Closed, Connection
from simulation.clients import PAGE
from sobremesa.core.ids import MessageId, RoomId

if TYPE_CHECKING:
    from chaos.cycle import Cycle

HANDSHAKE_SECONDS = 10.0
OPEN_SECONDS = 3.0
STAYS_SECONDS = 12.0
AWAY_SECONDS = (0.1, 2.0, 15.0)
NOT_FOUND = 404


class StartAnew(Exception):
    """The server does not know the session or the cursor."""


class Subscriber:
    """A client of one user, and what it shows."""

    def __init__(self, cycle: Cycle, who: str, device: str) -> None:
        self.who = who
        self.name = f"{who}@{device}"
        self.user_id = cycle.community.users[who].user.user_id
        self.messages: dict[RoomId, dict[MessageId, ShownMessage]] = {}
        self.inbox: set[str] = set()
        """The messages in its inbox."""
        self.inbox_counts = (0, 0)
        """How many messages its inbox has, and how many of them are unread."""
        self.fetched_until: dict[RoomId, str] = {}
        """Up to which message of each room a gap was fetched."""
        self.resumes = self.gaps = self.snapshots = 0
        self.is_connected = False
        self._cycle = cycle
        self._chance = random.Random(f"{self.name} {cycle.seed}")
        self._connection: Connection | None = None
        self._before: Connection | None = None
        self._ids: set[str] = set()
        self._is_member = False
        self._joined_at: float | None = None

    def cut(self) -> None:
        """Abort the connection, as a network failure does."""
        if self._connection is not None:
            self._connection.socket.transport.abort()

    async def run(self) -> None:
        """Stay connected, to any node that runs; now and then be away while users are busy."""
        while True:
            member = self._cycle.cluster.any_member(self._chance)
            try:
                if member is not None:
                    await self._visit(member)
            except StartAnew:
                self._before = None
            except (OSError, Closed, TimeoutError, Unanswered, websockets.WebSocketException) as error:
                self._note("disconnected", type(error).__name__)
            self._connection, self.is_connected = None, False
            await asyncio.sleep(self._chance.uniform(0.02, 0.3))

    async def _visit(self, member: Member) -> None:
        assert member.process is not None
        url, run = member.process.url, member.incarnation
        token = self._cycle.community.users[self.who].access_token
        connection = Connection(url, token, open_timeout=OPEN_SECONDS, close_timeout=0.5)
        stays_until = asyncio.get_running_loop().time() + self._chance.expovariate(1 / STAYS_SECONDS)
        async with connection:
            self._connection = connection
            await self._begin(connection, run)
            self._before, self.is_connected = connection, True
            await self._receive_until(stays_until, connection, run)
        if not self._cycle.is_busy:
            return
        away = self._chance.choice(AWAY_SECONDS) * self._chance.random()
        self._connection, self.is_connected = None, False
        self._note("away", f"{away:.1f} s")
        await asyncio.sleep(away)

    async def _receive_until(self, moment: float, connection: Connection, run: str) -> None:
        """Apply events; a frame that has come is applied in full, since the cursor is behind it."""
        while (seconds := moment - asyncio.get_running_loop().time()) > 0:
            try:
                frame = await connection.frame(seconds)
            except TimeoutError:
                return
            await self._receive(frame, run)

    async def _begin(self, connection: Connection, run: str) -> None:
        assert (await connection.frame(HANDSHAKE_SECONDS))["op"] == 10
        before = self._before
        if before is None:
            self.messages.clear()
            self.inbox.clear()
            self._ids.clear()
            self.fetched_until.clear()
            await connection.send(2, {"token": connection.token})
        else:
            connection.s, connection.session_id = before.s, before.session_id
            await connection.send(6, {"token": connection.token, "sessionId": before.session_id, "s": before.s})
        while True:
            frame = await connection.frame(HANDSHAKE_SECONDS)
            if frame["op"] == 9:
                self._note("start anew", run)
                raise StartAnew
            if frame.get("t") == "resumed":
                self.resumes += 1
                self._note("resumed", run)
                return
            if frame.get("t") == "ready":
                connection.session_id = frame["d"]["sessionId"]
                await self._apply_ready(frame["d"], run)
                return
            await self._receive(frame, run, is_replay=True)
            if before is not None:
                before.s = connection.s

    async def _apply_ready(self, ready: dict[str, Any], run: str) -> None:
        self._note("ready", run)
        self.snapshots += 1
        cycle = self._cycle
        is_member = any(server["serverId"] == cycle.community.server_id for server in ready["servers"])
        was_member = self._is_member
        if is_member:
            self._join(is_first=self.snapshots == 1)
        else:
            self._leave()
        self.inbox_counts = next(((each["total"], each["unread"]) for each in ready["inboxes"]), (0, 0))
        self.inbox |= {each["messageId"] for each in await cycle.load_inbox(self.who, self._chance)}
        await self._load([room for room in cycle.rooms if room not in self.messages or not was_member])

    def _join(self, *, is_first: bool = False) -> None:
        if not self._is_member and not is_first:
            self._joined_at = asyncio.get_running_loop().time()
        self._is_member = True

    def _leave(self) -> None:
        self._is_member = False
        for channel in self._cycle.channels:
            self.messages.pop(channel, None)

    async def _load(self, rooms: Sequence[RoomId]) -> None:
        for room in rooms:
            try:
                loaded = await self._cycle.load_room(self.who, room, self._chance)
            except Refused as refused:
                if refused.status != NOT_FOUND:
                    raise
                continue
            self.messages[room] = self.messages.get(room, {}) | loaded

    # Events

    async def _receive(self, frame: dict[str, Any], run: str, *, is_replay: bool = False) -> None:
        if frame["op"] != 0:
            return
        name, payload = frame["t"], frame["d"]
        if name == "gap":
            await self._fetch(payload["rooms"])
            return
        if "id" not in frame:
            return
        is_repeated = frame["id"] in self._ids
        self._ids.add(frame["id"])
        if name in ("message.created", "message.updated"):
            is_new = name == "message.created" and not is_repeated
            self._note_delivery(payload, run, is_new=is_new, is_replay=is_replay)
            if not is_repeated:
                if not is_new:
                    self._note("edited", f"{payload['content']} from {run}{' in a replay' if is_replay else ''}")
                shown = ShownMessage.of(payload)
                self.messages.setdefault(RoomId(payload["roomId"]), {})[MessageId(payload["messageId"])] = shown
        elif is_repeated:
            return
        elif name in ("message.deleted", "reaction.added", "reaction.removed"):
            self._note(name, f"{payload['messageId']} {payload.get('emoji', '')}{payload.get('count', '')} from {run}")
            self._change_message(name, payload)
        elif name == "inbox.message":
            self._note("notified", f"{payload['title']} from {run}")
            self.inbox.add(payload["messageId"])
        elif name == "inbox.counts":
            self.inbox_counts = (payload["total"], payload["unread"])
        elif name == "server.created":
            self._note("joined", run)
            self._check_is_news(run)
            self._join()
            await self._load(self._cycle.channels)
        elif name == "member.left" and payload["userId"] == self.user_id:
            self._note("left", run)
            self._leave()

    def _change_message(self, name: str, payload: dict[str, Any]) -> None:
        """Apply the deletion of a message, or a reaction to it."""
        room, message_id = self.messages.get(RoomId(payload["roomId"]), {}), MessageId(payload["messageId"])
        if name == "message.deleted":
            room[message_id] = ShownMessage("", True)
        elif message_id in room:
            room[message_id] = room[message_id].with_reaction(reaction_of(payload))

    def _check_is_news(self, run: str) -> None:
        """After the event of a removal, that of the membership before it must not come."""
        if not self._is_member and self._cycle.observations.members[self.user_id] == "out":
            details = f"{self.name} received server.created from {run} after member.left"
            self._cycle.history.violate("nothing goes back", details)

    def _note_delivery(self, payload: dict[str, Any], run: str, *, is_new: bool, is_replay: bool) -> None:
        room, message_id = RoomId(payload["roomId"]), MessageId(payload["messageId"])
        joined = [at for at in (self._joined_at, self._cycle.observations.joined.get(self.user_id)) if at is not None]
        content, now = payload["content"], asyncio.get_running_loop().time()
        if is_new:
            self._note("received", f"{content} from {run}{' in a replay' if is_replay else ''}")
        self._cycle.observations.deliveries.append(
            Delivery(
                client=self.name,
                user_id=self.user_id,
                node=run,
                room=room,
                message_id=message_id,
                nonce=content.split(" ")[0],
                at=now,
                is_live=is_new and not is_replay and message_id not in self.messages.get(room, {}),
                joined_at=max(joined, default=None),
            )
        )

    async def _fetch(self, rooms: Sequence[dict[str, Any]]) -> None:
        """Fetch exactly what a gap names."""
        self.gaps += 1
        for missed in rooms:
            room, after, until = RoomId(missed["roomId"]), missed["after"], missed["until"]
            self._note("gap", f"{room} after {after} until {until}")
            while after < until:
                try:
                    page = await self._cycle.page(self.who, room, self._chance, f"limit={PAGE}&after={after}")
                except Refused:
                    break
                if not page:
                    break
                found = {MessageId(each["messageId"]): ShownMessage.of(each) for each in page}
                named = {id: shown for id, shown in found.items() if id <= until}
                self.messages.setdefault(room, {}).update(named)
                after = page[-1]["messageId"]
            self.fetched_until[room] = max(self.fetched_until.get(room, ""), until)

    def _note(self, what: str, details: str) -> None:
        self._cycle.history.note(self.name, what, details)
