"""Timers of a connection, which abort it when they expire."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections.abc import Callable

WRITE_SECONDS = 30.0
"""How long a client may leave written data unread: 64 KB, or the rest of a response."""

_RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class Timer:
    """Calls a function once, unless it is stopped before."""

    __slots__ = ("_handle", "_loop")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._handle: asyncio.TimerHandle | None = None

    @property
    def is_running(self) -> bool:
        return self._handle is not None

    def start(self, seconds: float, run: Callable[[], object]) -> None:
        """Start, or start again."""
        self.stop()
        self._handle = self._loop.call_later(seconds, run)

    def stop(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None


class WriteDeadline:
    """Aborts a connection whose client has not read for too long.

    Without it a connection with unread data would stay open forever, since closing a transport waits until all is read.
    """

    __slots__ = ("_timer", "_transport")

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._timer = Timer(loop)

    @property
    def is_running(self) -> bool:
        return self._timer.is_running

    def watch(self) -> None:
        """Restart the timeout if there is unread data; stop it otherwise."""
        if self._transport.get_write_buffer_size():
            self._timer.start(WRITE_SECONDS, self._end)
        else:
            self._timer.stop()

    def stop(self) -> None:
        self._timer.stop()

    def _end(self) -> None:
        self._timer.stop()
        if self._transport.get_write_buffer_size():
            reset(self._transport)


def reset(transport: asyncio.Transport) -> None:
    """Abort a connection, and discard what the system has not sent."""
    connection: socket.socket | None = transport.get_extra_info("socket")
    if connection is not None:
        with contextlib.suppress(OSError):
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
    transport.abort()
