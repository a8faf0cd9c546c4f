"""A proxy in front of a real server: forwards everything, unless it is set to lose or answer a request itself."""

from __future__ import annotations

from collections import deque
from types import TracebackType
from typing import NamedTuple

import aiohttp
from aiohttp import web

_HOP = {"host", "content-length", "transfer-encoding", "connection", "content-encoding", "date", "server"}


class Fate(NamedTuple):
    """What happens to a request instead of being forwarded."""

    reaches_server: bool
    status: int | None = None
    """The status of the response; None: the connection is cut."""
    headers: dict[str, str] = {}


LOST_ANSWER = Fate(reaches_server=True)


class LossyProxy:
    """A proxy in front of another server."""

    def __init__(self, behind: str) -> None:
        self._behind = behind
        self._fates: deque[tuple[str, Fate]] = deque()
        self.seen: list[tuple[str, str]] = []
        """The requests that came: method and path."""
        self.url = ""

    def next(self, path_end: str, *fates: Fate) -> None:
        """Set what happens to the next requests whose path ends like this."""
        self._fates.extend((path_end, fate) for fate in fates)

    def times(self, path_end: str) -> int:
        """Return how often a path that ends like this was requested."""
        return sum(path.endswith(path_end) for _, path in self.seen)

    async def __aenter__(self) -> LossyProxy:
        self._session = aiohttp.ClientSession()
        application = web.Application()
        application.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(application)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._session.close()
        await self._runner.cleanup()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        self.seen.append((request.method, request.path))
        fate = self._fate_of(request.path)
        if fate is None or fate.reaches_server:
            answer = await self._handed_on(request)
            if fate is None:
                return answer
        if fate.status is not None:
            return web.Response(status=fate.status, headers=fate.headers)
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    def _fate_of(self, path: str) -> Fate | None:
        if self._fates and path.endswith(self._fates[0][0]):
            return self._fates.popleft()[1]
        return None

    async def _handed_on(self, request: web.Request) -> web.Response:
        headers = {name: value for name, value in request.headers.items() if name.lower() not in _HOP}
        async with self._session.request(
            request.method, self._behind + request.raw_path, data=await request.read(), headers=headers
        ) as answer:
            headers = {name: value for name, value in answer.headers.items() if name.lower() not in _HOP}
            return web.Response(status=answer.status, body=await answer.read(), headers=headers)
