"""A TCP proxy with a fixed address in front of a server that may restart; it can cut its connections."""

from __future__ import annotations

import asyncio
import contextlib
from types import TracebackType
from urllib.parse import urlsplit

CHUNK = 65_536


class TcpProxy:
    """Listens on a port of its own, and forwards to its current target."""

    def __init__(self, behind: str) -> None:
        self.behind = behind
        self._writers: set[asyncio.StreamWriter] = set()
        self.url = ""

    def cut(self) -> None:
        """Abort all connections."""
        for writer in self._writers:
            writer.transport.abort()

    async def __aenter__(self) -> TcpProxy:
        self._server = await asyncio.start_server(self._take, "127.0.0.1", 0)
        host, port = self._server.sockets[0].getsockname()
        self.url = f"http://{host}:{port}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        self.cut()
        await self._server.wait_closed()

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        behind = urlsplit(self.behind)
        self._writers.add(writer)
        try:
            far_reader, far_writer = await asyncio.open_connection(behind.hostname, behind.port)
            self._writers.add(far_writer)
            await asyncio.gather(_hand_on(reader, far_writer), _hand_on(far_reader, writer))
            self._writers.discard(far_writer)
        except OSError:
            pass
        finally:
            self._writers.discard(writer)
            writer.transport.abort()


async def _hand_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(CHUNK):
            writer.write(data)
            await writer.drain()
    writer.close()
