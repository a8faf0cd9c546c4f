"""The server: runs a site on uvicorn until it is stopped.

On SIGTERM or SIGINT it stops accepting connections, reports on `/readyz` that it is stopping, lets requests in progress
finish, and then closes the application. A second SIGINT does not wait.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import math
import signal
import socket
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from types import FrameType
from typing import Any, TypeVar

import uvicorn

from sobremesa.core.errors import SobremesaError
from sobremesa.http.connection import HttpConnection
from sobremesa.http.connection_limits import ConnectionLimits, MaxConnections, raise_file_limit
from sobremesa.http.site import Site
from sobremesa.http.websocket import MAX_FRAME_BYTES, WebSocketConnection

T = TypeVar("T")

BACKLOG = 4096
"""How many connections wait to be accepted: when a node has stopped, its clients come at once."""
KEEP_ALIVE_SECONDS = 75
PING_SECONDS = 20
NEW_OBJECTS = 10_000
"""The number of new objects that starts a garbage collection."""


class CannotListen(SobremesaError):
    """The address cannot be bound; most often another process uses it."""


class CannotStart(SobremesaError):
    """The application did not start; the cause states the reason."""


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine, on the fast event loop if available."""
    tune_garbage_collection()
    fastest = uvicorn.Config("", loop="auto", log_config=None).get_loop_factory()
    with asyncio.Runner(loop_factory=fastest) as runner:
        return runner.run(main)


def tune_garbage_collection() -> None:
    """Collect garbage less often, and ignore imported objects, which are never freed.

    Requests create almost no garbage, and collecting took a twelfth of a server's time under load.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS, *gc.get_threshold()[1:])


async def serve(
    site: Site,
    *,
    host: str,
    port: int,
    drain_seconds: float,
    trusted_proxies: Sequence[str] = (),
    max_connections: MaxConnections = MaxConnections(),  # noqa: B008 - frozen
    metrics: tuple[str, int] | None = None,
    on_ready: Callable[[str], None] | None = None,
    stop: asyncio.Event | None = None,
) -> None:
    """Serve until a signal or `stop`. `on_ready` receives the address when it accepts requests; port 0 is any port.

    `metrics` is another address to listen on, for operators: metrics are served only there.
    """
    config = _config(site, drain_seconds, trusted_proxies)
    with contextlib.ExitStack() as closing:
        listeners = [closing.enter_context(_bound(host, port))]
        if metrics is not None:
            listeners.append(closing.enter_context(_bound(*metrics)))
            site.metrics_port = _port_of_its_own(*listeners)
        limits = ConnectionLimits(max_connections, trusted_proxies, raise_file_limit())
        server = _Server(config, site, limits, on_ready)
        waiting = asyncio.create_task(server.stop_after(stop)) if stop is not None else None
        try:
            await server.serve(sockets=listeners)
        finally:
            if waiting is not None:
                waiting.cancel()


def _config(site: Site, drain_seconds: float, trusted_proxies: Sequence[str]) -> uvicorn.Config:
    return uvicorn.Config(
        site,
        http=HttpConnection,
        ws=WebSocketConnection,
        ws_max_size=MAX_FRAME_BYTES,
        ws_per_message_deflate=False,
        ws_ping_interval=PING_SECONDS,
        ws_ping_timeout=PING_SECONDS,
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=True,
        proxy_headers=bool(trusted_proxies),
        forwarded_allow_ips=list(trusted_proxies),
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=math.ceil(drain_seconds),
    )


def _port_of_its_own(public: socket.socket, operators: socket.socket) -> int:
    """Return the port of the operators, which identifies their requests."""
    port: int = operators.getsockname()[1]
    if port == public.getsockname()[1]:
        raise CannotListen(f"the metrics port must differ from the port {port}")
    return port


def check_address(host: str, port: int) -> None:
    """Raise CannotListen unless the address is free, before doing other work."""
    _bound(host, port).close()


def _bound(host: str, port: int) -> socket.socket:
    """Return a socket bound to the address, before anything else is started: this is most likely to fail."""
    # TCP is explicit, or the event loop would not disable Nagle's algorithm: 40 ms for each response.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise CannotListen(f"cannot listen on {host}:{port}: {error.strerror or error}") from error
    return listener


class _Server(uvicorn.Server):
    def __init__(
        self, config: uvicorn.Config, site: Site, limits: ConnectionLimits, on_ready: Callable[[str], None] | None
    ) -> None:
        super().__init__(config)
        self.server_state = limits
        self._site = site
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        try:
            await super().startup(sockets)
        except SystemExit:
            raise CannotStart("the application did not start") from self._site.start_error
        if self._on_ready is not None and sockets:
            host, port = sockets[0].getsockname()[:2]
            self._on_ready(f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}")

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals as uvicorn does, but do not raise them again: a graceful stop is not a failure."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {kind: signal.signal(kind, self.handle_exit) for kind in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for kind, handler in before.items():
                signal.signal(kind, handler)

    async def stop_after(self, stop: asyncio.Event) -> None:
        await stop.wait()
        self._site.drain()
        self.should_exit = True

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._site.drain()
        super().handle_exit(sig, frame)
