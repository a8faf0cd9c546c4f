"""Timers of a connection: what must happen within a time, or the connection is broken off."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections.abc import Callable

WRITE_SECONDS = 30.0
"""How long a client may leave what was written for it unread: 64 KB, or the rest of an answer."""

_RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class Timer:
    """Runs a function once, unless it is stopped before."""

    __slots__ = ("_handle", "_loop")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._handle: asyncio.TimerHandle | None = None

    @property
    def is_running(self) -> bool:
        return self._handle is not None

    def start(self, seconds: float, run: Callable[[], object]) -> None:
        """Begin anew."""
        self.stop()
        self._handle = self._loop.call_later(seconds, run)

    def stop(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None


class WriteDeadline:
    """Breaks a connection off when its client has not read for too long.

    Without it a connection with something unread stays for good, since closing a transport waits until all is read.
    """

    __slots__ = ("_timer", "_transport")

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._timer = Timer(loop)

    @property
    def is_running(self) -> bool:
        return self._timer.is_running

    def watch(self) -> None:
        """Give the client the full time from now on, if there is something that it has not read."""
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
    """Break a connection off, and let the system forget what it has still to send."""
    connection: socket.socket | None = transport.get_extra_info("socket")
    if connection is not None:
        with contextlib.suppress(OSError):
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
    transport.abort()
