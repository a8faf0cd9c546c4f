"""The gateway: live events and calls over WebSocket.

A client identifies, receives a cursor and a snapshot that was read after it, and from then on every event of its
rooms. After a disconnect it resumes with the cursor and receives what it missed. The token is renewed on the open
socket; when it expires, or the session ends, the socket is closed.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Callable, Iterable
from time import monotonic
from urllib.parse import urlsplit

import msgspec
import structlog

from sobremesa.core.actor import Actor
from sobremesa.core.clock import Clock
from sobremesa.core.errors import Invalid, Refusal
from sobremesa.http.asgi import Receive, Scope, Send
from sobremesa.http.calls import Call, Caller, Calls
from sobremesa.http.endpoints import PREFIX
from sobremesa.http.limits import Limits, network_of
from sobremesa.http.problems import Problem, problem_of
from sobremesa.http.site import NO_SUCH_SOCKET
from sobremesa.live import frames
from sobremesa.live.admission import Admission
from sobremesa.live.draining import drain
from sobremesa.live.frames import op_frame, result_frame
from sobremesa.live.identify import HEARTBEAT_MS, SILENCE_SECONDS, GatewayBackend, Identification, refusals
from sobremesa.live.opening import Live
from sobremesa.live.sessions import GatewaySessions
from sobremesa.live.socket import Ended, Socket
from sobremesa.live.socket_limits import MaxSockets, SocketLimits, TooManySockets
from sobremesa.live.wire import wire_of
from sobremesa.table.errors import StoreError, TableError

PATH = f"{PREFIX}/gateway"
IDENTIFY_SECONDS = 10.0
SWEEP_SECONDS = 1.0
CALLS_AT_ONCE = 16
"""Of one socket; while this many are in progress, nothing more is read from it."""
MAX_QUIET_FRAMES = 240
"""How many frames other than calls a client may send in a minute."""

_STOPPING = Problem(status=503, code="stopping", detail="The service is stopping.")
_HELLO = op_frame(frames.HELLO, frames.Hello(HEARTBEAT_MS))
_ACK = op_frame(frames.HEARTBEAT_ACK)

_log = structlog.get_logger("sobremesa.live")


class Gateway:
    """An ASGI application for WebSockets."""

    def __init__(
        self,
        live: Live,
        backend: GatewayBackend,
        calls: Calls,
        sessions: GatewaySessions,
        limits: Limits,
        clock: Clock,
        *,
        origins: Iterable[str] = (),
        max_sockets: MaxSockets = MaxSockets(),  # noqa: B008 - frozen
        drain_seconds: float = 10.0,
        appeared: Callable[[Socket, str, bool], None] | None = None,
    ) -> None:
        self._hub = live.hub
        self._feed = live.feed
        self._backend = backend
        self._calls = calls
        self.admission = Admission()
        self._identification = Identification(
            live, backend, sessions, limits, clock, self.admission, appear=self._appear
        )
        self._clock = clock
        self._origins = frozenset(origins)
        self._socket_limits = SocketLimits(max_sockets, self.admission.next_return)
        self._drain_seconds = drain_seconds
        self._appeared = appeared or _ignored
        """Called for every socket that is attached (True) or closed (False)."""
        self._limits = limits
        self._sockets: set[Socket] = set()
        self.closes = Counter({frames.TIMED_OUT: 0, frames.TOO_SLOW: 0})
        """How many sockets this node has closed, by the code; those that clients close are not counted."""
        self._is_draining = False
        self._running: list[asyncio.Task[None]] = []
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def sockets(self) -> int:
        """How many sockets are open."""
        return len(self._sockets)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        if scope["path"] != PATH:
            await send({"type": "websocket.close", "code": NO_SUCH_SOCKET})
            return
        if self._is_draining:
            await _refuse(scope, send, _STOPPING)
            return
        if not self._is_allowed_origin(scope):
            await send({"type": "websocket.close", "code": frames.REFUSED})
            return
        address = network_of(scope["client"][0] if scope.get("client") else "unknown")
        try:
            with self._socket_limits.counted(address) as identified:
                await send({"type": "websocket.accept"})
                await self._serve(Socket(wire_of(send), address, self.closes), receive, identified)
        except TooManySockets as refusal:
            await _refuse(scope, send, problem_of(refusal))

    async def _serve(self, socket: Socket, receive: Receive, identified: Callable[[], None]) -> None:
        """Serve a socket from the handshake to the close."""
        socket.deadline = monotonic() + IDENTIFY_SECONDS
        self._sockets.add(socket)
        try:
            socket.write(_HELLO)
            await self._receive_frames(socket, receive, identified)
        except Ended as ended:
            await socket.answered()
            socket.close(ended.code, ended.reason)
        except Exception as error:
            _log.error("a socket failed", connection=socket.name, exc_info=error)
            socket.close(frames.UNKNOWN_ERROR, "Internal error.")
        finally:
            self._sockets.discard(socket)
            socket.is_closed = True
            if socket.is_present:
                self._appeared(socket, socket.name, False)
            self._hub.detach(socket)
            self._backend.watching.closed(socket)
            socket.drop()

    async def run(self) -> None:
        """Close silent sockets, and check expiring tokens again, until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + SWEEP_SECONDS
            await asyncio.sleep(SWEEP_SECONDS)
            self._close_silent(late=loop.time() - due)
            now_ms = self._clock.now_ms()
            for socket in list(self._sockets):
                if socket.is_identified and now_ms > socket.recheck_ms:
                    socket.recheck_ms = now_ms + 60_000
                    socket.start(self._recheck(socket))

    def _close_silent(self, *, late: float) -> None:
        """Close sockets that have sent nothing in time.

        The time by which the sweep is late does not count: the process was too busy to read anything in it.
        """
        for socket in list(self._sockets):
            socket.deadline += max(0.0, late)
            if monotonic() > socket.deadline:
                socket.close(frames.TIMED_OUT, "No frame was received in time.")

    async def start(self) -> None:
        """Start to deliver events."""
        self._loop = asyncio.get_running_loop()
        await self._hub.open()
        work = (self._hub.run(), self._hub.lazy.run(), self.run())
        self._running = [asyncio.create_task(each) for each in work]

    async def stop(self) -> None:
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        await self._backend.watching.settle()
        await self._feed.close()

    def drain(self) -> None:
        """Ask all clients to reconnect elsewhere, a few at a time. May be called by a signal handler."""
        self._is_draining = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._start_to_drain)

    def _start_to_drain(self) -> None:
        self._running.append(
            asyncio.create_task(drain(self._sockets, self._drain_seconds, self._hub.lazy.report_if_settled))
        )

    # Frames

    async def _receive_frames(self, socket: Socket, receive: Receive, identified: Callable[[], None]) -> None:
        while True:
            message = await receive()
            if message["type"] == "websocket.disconnect":
                return
            text = message.get("text")
            if text is None:
                raise Ended(frames.UNREADABLE, "Frames must be text.")
            try:
                if socket.is_identified:
                    await self._handle(socket, text)
                else:
                    await self._handle_unidentified(socket, text, identified)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                raise Ended(frames.UNREADABLE, "The frame is not valid.") from None

    async def _handle_unidentified(self, socket: Socket, text: str, identified: Callable[[], None]) -> None:
        """Handle a frame; the time limit to identify is suspended while the client waits for us."""
        left = socket.deadline - monotonic()
        socket.deadline = math.inf
        try:
            await self._handle(socket, text)
        finally:
            if socket.is_identified:
                identified()
                socket.deadline = monotonic() + SILENCE_SECONDS
            else:
                socket.deadline = monotonic() + left

    async def _handle(self, socket: Socket, text: str) -> None:
        frame = frames.decode_frame(text)
        if frame.op == frames.CALL:
            if not socket.is_identified:
                raise Ended(frames.NOT_IDENTIFIED, "Identify first.")
            await self._take_call(socket, frame)
            return
        self._count(socket)
        if frame.op == frames.WATCH:
            if socket.actor is None:
                raise Ended(frames.NOT_IDENTIFIED, "Identify first.")
            socket.deadline = monotonic() + SILENCE_SECONDS
            await socket.room_for_call(CALLS_AT_ONCE)
            socket.start(self._run_watch(socket, socket.actor, frame), in_turn=True)
            return
        if frame.op == frames.HEARTBEAT:
            if socket.is_identified:
                socket.deadline = monotonic() + SILENCE_SECONDS
            socket.write(_ACK)
        elif frame.op == frames.IDENTIFY:
            asked = frames.decode_identify(frame.d)
            with refusals():
                if socket.is_identified:
                    await self._identification.renew(socket, asked)
                    socket.deadline = monotonic() + SILENCE_SECONDS
                else:
                    await self._identification.identify(socket, asked)
        elif frame.op == frames.RESUME:
            if socket.is_identified:
                raise Ended(frames.ALREADY_IDENTIFIED, "This socket is already identified.")
            with refusals():
                await self._identification.resume(socket, frames.decode_resume(frame.d))
        else:
            raise Ended(frames.UNKNOWN_OP, f"Clients cannot send op {frame.op}.")

    async def _recheck(self, socket: Socket) -> None:
        """Check that the token is still valid: it may have expired, or its session may have ended."""
        try:
            socket.actor, socket.recheck_ms = await self._identification.verify_again(socket)
        except Refusal:
            socket.end("The token has expired.")
        except TableError:
            socket.recheck_ms = 0  # retried at the next sweep

    # Calls

    async def _take_call(self, socket: Socket, frame: frames.ClientFrame) -> None:
        socket.deadline = monotonic() + SILENCE_SECONDS
        asked = frames.decode_call(frame.d)
        try:
            call = self._calls.find(asked.method, asked.params)
        except Refusal as refusal:
            self._count(socket)
            problem = problem_of(refusal)
            socket.write(result_frame(frame.id, problem.status, problem.body))
            return
        await socket.room_for_call(CALLS_AT_ONCE)
        socket.start(self._run_call(socket, frame.id, call), in_turn=not call.is_read)

    async def _run_call(self, socket: Socket, id: str | int | None, call: Call) -> None:
        try:
            actor = await self._backend.authenticate(socket.token)
        except Refusal:
            socket.end("The token has expired.")
            return
        except StoreError as error:
            problem = problem_of(error)
            socket.write(result_frame(id, problem.status, problem.body))
            return
        response = await self._calls.run(Caller(actor, socket.address, socket.name, socket.act_as), call)
        socket.write_soon(result_frame(id, response.status, response.body))

    async def _run_watch(self, socket: Socket, actor: Actor, frame: frames.ClientFrame) -> None:
        try:
            await self._limits.consume("write", actor.name)
            asked = frames.decode_watch(frame.d)
            found = await self._backend.watching.watch(socket, actor, asked.channel_ids)
        except msgspec.ValidationError as error:
            problem = problem_of(Invalid(errors=[{"in": "body", "pointer": "#", "detail": str(error)}]))
            socket.write(result_frame(frame.id, problem.status, problem.body))
        except (Refusal, StoreError) as error:
            problem = problem_of(error)
            socket.write(result_frame(frame.id, problem.status, problem.body))
        else:
            socket.write(result_frame(frame.id, 200, msgspec.json.encode(found)))

    # Inside

    def _appear(self, socket: Socket) -> None:
        """Count a socket for the presence of its user. A backend that acts as a user is not that user's presence."""
        if socket.act_as is not None:
            return
        socket.is_present = True
        self._appeared(socket, socket.name, True)

    def _count(self, socket: Socket) -> None:
        """Close a client that sends too many frames."""
        minute = int(monotonic() // 60)
        socket.frame_count = (minute, socket.frame_count[1] + 1 if socket.frame_count[0] == minute else 1)
        if socket.frame_count[1] > MAX_QUIET_FRAMES:
            raise Ended(frames.TOO_MANY, "Too many frames.")

    def _is_allowed_origin(self, scope: Scope) -> bool:
        """Return whether a page of this origin may connect. Programs send no origin."""
        headers = dict(scope["headers"])
        origin = headers.get(b"origin", b"").decode("latin-1")
        if not origin or "*" in self._origins or origin in self._origins:
            return True
        host: bytes = headers.get(b"host", b"")
        return bool(urlsplit(origin).netloc == host.decode("latin-1"))


async def _refuse(scope: Scope, send: Send, problem: Problem) -> None:
    """Refuse a handshake, with a status if the server can send one."""
    if "websocket.http.response" not in scope.get("extensions", {}):
        code = frames.RESTARTING if problem is _STOPPING else frames.TOO_MANY
        await send({"type": "websocket.close", "code": code})
        return
    headers = [*problem.headers, (b"content-length", b"%d" % len(problem.body))]
    await send({"type": "websocket.http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": problem.body})


def _ignored(socket: Socket, name: str, is_here: bool) -> None:
    pass
