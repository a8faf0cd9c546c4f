"""How a client identifies, resumes, and is brought up to date.

The table is read for a limited number of clients at a time. A client that is slow to read what it missed holds up no
other: it waits without a turn, and is closed if it takes too long.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from functools import partial
from typing import TypeAlias

import msgspec
import structlog

from sobremesa.core.actor import Actor, UserRequired
from sobremesa.core.clock import Clock, Instant, instant
from sobremesa.core.errors import Refusal, TooMany, Unauthenticated
from sobremesa.core.ids import RoomId
from sobremesa.http.limits import Limits
from sobremesa.http.user_references import Users
from sobremesa.live import frames
from sobremesa.live.admission import Admission, ServerBusy
from sobremesa.live.events import D, EventType, Topic, TopicMembership
from sobremesa.live.feed import START, BadEventCursor, Cursor, Trimmed
from sobremesa.live.frames import event_payload, op_frame, text_frame
from sobremesa.live.opening import Live
from sobremesa.live.polling import ACT_AS_SCOPES
from sobremesa.live.presence import PresenceView
from sobremesa.live.replay import TooSlow
from sobremesa.live.session_frames import READY, Gap, Identified, Renewed, Resumed, gap, renewed, resumed
from sobremesa.live.sessions import GatewaySessions
from sobremesa.live.socket import Ended, Socket
from sobremesa.live.watching import Watching
from sobremesa.table.errors import TableError

HEARTBEAT_MS = 30_000
SILENCE_SECONDS = 2 * HEARTBEAT_MS / 1000 + 5
RECHECK_SECONDS = 1.5
"""After this time, check whether the session was ended while the client identified."""
RECHECK_KEY_SECONDS = 60
"""How often a server key that acts as a user is checked again: it may have expired."""
SHORTEST_SPREAD_SECONDS = 1.0
SPREAD_SHARE = 0.1
"""Which part of the time that a client is asked to wait it may wait more. The times themselves are spread."""
ATTACHING_AT_ONCE = 64
"""How many sockets of one user are brought up to date at the same time; more are closed, and may retry."""

OPERATION = "gateway.identify"
"""The name of identifying as a user, in the audit log."""

_INVALID_SESSION = op_frame(frames.INVALID_SESSION, False)

_log = structlog.get_logger("sobremesa.live")


VerifiedToken: TypeAlias = tuple[Actor, int]
"""The actor of a token, and until when it need not be verified again."""


class GatewayBackend:
    """What the gateway asks of the application."""

    def __init__(
        self,
        *,
        authenticate: Callable[[str], Awaitable[Actor]],
        verify: Callable[[str], Awaitable[VerifiedToken]],
        users: Users,
        memberships: Callable[[Actor], Awaitable[Sequence[TopicMembership]]],
        snapshot: Callable[[Actor, str, Instant], Awaitable[Identified]],
        gap: Callable[[Actor, int, Collection[Topic] | None], Awaitable[Gap]],
        presences: Callable[[Sequence[TopicMembership]], Awaitable[list[PresenceView]]],
        prefetched: Callable[[Actor], AbstractAsyncContextManager[None]],
        watching: Watching,
    ) -> None:
        self.authenticate = authenticate
        self.verify = verify
        self.users = users
        self.memberships = memberships
        """Returns the topics that a user is subscribed to."""
        self.snapshot = snapshot
        """Returns everything that a client starts with, read after the cursor."""
        self.gap = gap
        """Returns what a user must fetch who was disconnected since a time; only of these topics, unless None."""
        self.presences = presences
        """Returns the online users among those who share a topic with a user."""
        self.prefetched = prefetched
        """Reads ahead, and serves inside the block, what memberships and snapshot read."""
        self.watching = watching


class Identification:
    """Identifies and resumes clients."""

    def __init__(
        self,
        live: Live,
        backend: GatewayBackend,
        sessions: GatewaySessions,
        limits: Limits,
        clock: Clock,
        admission: Admission,
        *,
        appear: Callable[[Socket], None],
    ) -> None:
        self._hub = live.hub
        self._feed = live.feed
        self._backend = backend
        self._sessions = sessions
        self._limits = limits
        self._clock = clock
        self._appear = appear
        self._admission = admission

    async def identify(self, socket: Socket, asked: frames.Identify) -> None:
        async with AsyncExitStack() as attaching:
            async with self._turn(socket):
                # Not before the turn: events are kept for everyone who is being attached.
                await attaching.enter_async_context(self._hub.attaching(socket))
                cursor = self._feed.cursor_of(self._hub.position())
                verified = await self._verify(asked)
                self._set_identity(socket, asked.token, verified)
                self._set_watched(socket, asked)
                memberships = await self._send_ready(socket, verified, cursor)
            await self._attach(socket, verified[0], memberships, cursor)

    async def _send_ready(self, socket: Socket, verified: VerifiedToken, cursor: Cursor) -> Sequence[TopicMembership]:
        """Send the snapshot, which is read after the cursor; return the memberships that it was made for."""
        actor, good_until_ms = verified
        session_id = self._sessions.create(actor.user_id)
        async with self._backend.prefetched(actor):
            memberships = await self._backend.memberships(actor)
            snapshot = await self._backend.snapshot(actor, session_id, instant(good_until_ms))
        snapshot.presences = await self._backend.presences(memberships)
        assert cursor.position is not None  # noqa: S101 - it is the hub's own
        s = self._feed.s_of(cursor.position, cursor.at_ms)
        socket.has_snapshot = True
        socket.write(text_frame(event_payload(READY, msgspec.json.encode(snapshot), s)))
        return memberships

    async def resume(self, socket: Socket, asked: frames.Resume) -> None:
        async with AsyncExitStack() as attaching:
            async with self._turn(socket):
                await attaching.enter_async_context(self._hub.attaching(socket))
                here = self._feed.cursor_of(self._hub.position())
                verified = await self._verify(asked)
                cursor = self._resumed_at(asked, verified[0])
                if cursor is None:
                    socket.write(_INVALID_SESSION)
                    return
                self._set_identity(socket, asked.token, verified)
                self._set_watched(socket, asked)
                memberships = await self._backend.memberships(verified[0])
            try:
                if cursor.position is None:
                    raise Trimmed
                missing = await self._hub.missing(memberships, cursor.position)
                if missing:
                    await self._resume_in_part(socket, verified, cursor, here, memberships, missing)
                    return
                socket.last_received = cursor.position
                await self._attach(socket, verified[0], memberships, cursor)
            except Trimmed:
                # The missed events are no longer kept: name what to fetch, and start anew.
                socket.last_received = START
                async with self._admission.turn(is_admitted=True):
                    socket.write(_session_frame(gap, await self._backend.gap(verified[0], cursor.at_ms, None)))
                    memberships = await self._send_ready(socket, verified, here)
                await self._attach(socket, verified[0], memberships, here)
                return
            socket.write(_session_frame(resumed, Resumed(), self._hub.position()))

    async def _resume_in_part(
        self,
        socket: Socket,
        verified: VerifiedToken,
        after: Cursor,
        here: Cursor,
        memberships: Sequence[TopicMembership],
        missing: Collection[Topic],
    ) -> None:
        """Name what to fetch of topics whose events are no longer kept, replay the others, and start anew.

        The gap comes first: once the client has moved its cursor, it would not be found again. What follows it starts
        at the cursor from before the gap was read, so that nothing is in neither.
        """
        actor = verified[0]

        def kept(some: Sequence[TopicMembership]) -> list[TopicMembership]:
            return [each for each in some if each.topic not in missing]

        async def load() -> Sequence[TopicMembership]:
            return kept(await self._backend.memberships(actor))

        async with self._admission.turn(is_admitted=True):
            socket.write(_session_frame(gap, await self._backend.gap(actor, after.at_ms, missing)))
        await self._hub.catch_up(socket, kept(memberships), after, load)
        async with self._admission.turn(is_admitted=True):
            memberships = await self._send_ready(socket, verified, here)
        await self._attach(socket, actor, memberships, here)

    @asynccontextmanager
    async def _turn(self, socket: Socket) -> AsyncIterator[None]:
        """Hold a turn during the block; a client that gets none soon receives when to come back, and is closed."""
        try:
            async with self._admission.turn():
                yield
        except ServerBusy as busy:
            spread = max(SHORTEST_SPREAD_SECONDS, busy.retry_after * SPREAD_SHARE)
            socket.write(op_frame(frames.RECONNECT, frames.Reconnect(round(busy.retry_after, 3), round(spread, 3))))
            raise Ended(frames.BUSY, "The server is busy. Come back when op 7 says.") from None

    def _resumed_at(self, asked: frames.Resume, actor: Actor) -> Cursor | None:
        """Return the cursor of a resume; None if the session is another user's, or the cursor is not valid."""
        if not self._sessions.is_of(asked.session_id, actor.user_id):
            return None
        try:
            return self._feed.cursor_of(asked.s)
        except BadEventCursor:
            return None

    async def _attach(
        self, socket: Socket, actor: Actor, memberships: Sequence[TopicMembership], after: Cursor
    ) -> None:
        """Attach the socket at a cursor. It holds no turn: a client may read slowly."""
        if self._hub.attaching_of(actor.user_id) > ATTACHING_AT_ONCE:
            raise Ended(frames.TOO_MANY, "Too many connections at once. Wait and retry.")
        try:
            await self._hub.attach(socket, memberships, after, partial(self._backend.memberships, actor))
        except TooSlow:
            raise Ended(frames.TOO_SLOW, "Too slow. Resume to receive what you missed.") from None
        self._appear(socket)
        if socket.watched:
            socket.start(self._note_watched(socket, actor), in_turn=True)

    async def _note_watched(self, socket: Socket, actor: Actor) -> None:
        """Check what a client that was just attached watches, and record it."""
        try:
            await self._backend.watching.watch(socket, actor, [RoomId(each) for each in sorted(socket.watched)])
        except (Refusal, TableError) as error:
            _log.warning("what a client watches was not recorded", why=f"{type(error).__name__}: {error}")

    def _set_watched(self, socket: Socket, asked: frames.Identify | frames.Resume) -> None:
        """Note what a client watches: what it missed of it is delivered as well."""
        try:
            socket.watched = self._backend.watching.admit(asked.channel_ids)
        except Refusal as refusal:
            raise Ended(frames.UNREADABLE, str(refusal)) from None
        socket.on_lost_topic = self._backend.watching.lost_topic

    async def renew(self, socket: Socket, asked: frames.Identify) -> None:
        verified = await self._verify(asked)
        actor, good_until_ms = verified
        if actor.user_id != socket.user_id:
            raise Ended(frames.ALREADY_IDENTIFIED, "This socket belongs to another user.")
        self._set_identity(socket, asked.token, verified)
        socket.write(_session_frame(renewed, Renewed(instant(good_until_ms))))

    async def verify_again(self, socket: Socket) -> VerifiedToken:
        """Return the actor of an identified socket, and when to check again; a Refusal if the token is not valid."""
        actor, good_until_ms = await self._backend.verify(socket.token)
        if socket.act_as is None:
            return actor, good_until_ms
        actor = await self._act_as(actor, socket.act_as, is_recorded=False)
        return actor, min(good_until_ms, self._clock.now_ms() + RECHECK_KEY_SECONDS * 1000)

    async def _act_as(self, key: Actor, reference: str, *, is_recorded: bool) -> Actor:
        """Return the actor of a server key that acts as a user; a Refusal as over HTTP if it may not."""
        for scope in ACT_AS_SCOPES:
            key.require_scope(scope)
        return await self._backend.users.act_as(key, reference, OPERATION, is_write=is_recorded)

    async def _verify(self, asked: frames.Identify | frames.Resume) -> VerifiedToken:
        """Return the actor of a token; ends the socket if the token is not valid or the actor identifies too often.

        A server key acts as the user that it names, which is recorded in the audit log: from here on it receives
        everything that this user does.
        """
        try:
            actor, good_until_ms = await self._backend.verify(asked.token)
            await self._limits.consume("identify", actor.name)
        except Unauthenticated as refusal:
            # A disabled account has a code of its own, and its user may know; any other token is just not valid.
            is_plain = refusal.code == Unauthenticated.code
            raise Ended(frames.REFUSED, "The token is not valid." if is_plain else str(refusal)) from None
        except TooMany:
            raise Ended(frames.TOO_MANY, "Too many connections. Wait and retry.") from None
        if asked.act_as is not None:
            actor = await self._act_as(actor, asked.act_as, is_recorded=True)
        elif actor.user is None:
            raise UserRequired("This requires a user: a server key names one in `actAs`.")
        return actor, good_until_ms

    def _set_identity(self, socket: Socket, token: str, verified: VerifiedToken) -> None:
        now_ms = self._clock.now_ms()
        actor, good_until_ms = verified
        socket.token = token
        socket.actor = actor
        socket.user_id = actor.user_id
        socket.tenant = actor.tenant
        self._hub.renew(socket, actor.credential_id)
        socket.act_as = None if actor.key_id is None else actor.user_id
        socket.recheck_ms = min(good_until_ms, now_ms + round(RECHECK_SECONDS * 1000))


@contextmanager
def refusals() -> Iterator[None]:
    """End a socket whose client cannot be identified, with the reason."""
    try:
        yield
    except Refusal as refusal:
        raise Ended(frames.REFUSED, str(refusal)) from None
    except Trimmed:
        # This node is far behind, or Redis does not answer.
        raise Ended(frames.RESTARTING, "Events were lost. Resume.") from None
    except TableError as error:
        _log.warning("a client could not be identified", why=f"{type(error).__name__}: {error}")
        raise Ended(frames.RESTARTING, "The store is unavailable. Reconnect later.") from None


def _session_frame(kind: EventType[D], d: D, s: str = "") -> bytes:
    """Return one of the gateway's own events as a frame."""
    return text_frame(event_payload(kind.name, kind.event(d).d, s))
