"""The small API on a real server, in the process of the test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import aiohttp

from edge.api import authenticate, endpoints
from sobremesa.http.dispatch import Dispatch
from sobremesa.http.endpoints import Endpoint
from sobremesa.http.limits import Limits, NoLimits
from sobremesa.http.metrics import Metrics
from sobremesa.http.server import serve
from sobremesa.http.site import Site, Step

ANA = {"Authorization": "Bearer ana-token"}
KITCHEN = {"Authorization": "Bearer kitchen-key"}
MAX_BODY_BYTES = 4096


async def always_ready() -> None:
    pass


def site_of(
    routes: Sequence[Endpoint] | None = None,
    *,
    limits: Limits | None = None,
    metrics: Metrics | None = None,
    ready: Step = always_ready,
    request_seconds: float = 20,
    cors_origins: Sequence[str] = (),
    public_url: str | None = "http://127.0.0.1:8080",
    **options: Any,
) -> Site:
    dispatch = Dispatch(
        endpoints() if routes is None else routes,
        authenticate,
        limits or NoLimits(),
        max_body_bytes=MAX_BODY_BYTES,
        request_seconds=request_seconds,
    )
    return Site(
        dispatch,
        version="1.0.0",
        public_url=public_url,
        ready=ready,
        metrics=metrics or Metrics(),
        cors_origins=cors_origins,
        **options,
    )


async def status_of(request: AbstractAsyncContextManager[aiohttp.ClientResponse]) -> int:
    """The status of the answer to a request, which is read to its end."""
    async with request as response:
        await response.read()
        return response.status


async def connected(client: aiohttp.ClientSession) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A bare connection to the server of a client, for what a client would not send."""
    assert client._base_url is not None
    return await asyncio.open_connection("127.0.0.1", client._base_url.port)


@asynccontextmanager
async def running(site: Site, **options: Any) -> AsyncIterator[aiohttp.ClientSession]:
    """A client of the site, which is served until the end of the block."""
    address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    stop = asyncio.Event()
    server = asyncio.create_task(
        serve(site, host="127.0.0.1", port=0, drain_seconds=5, on_ready=address.set_result, stop=stop, **options)
    )
    both: list[asyncio.Future[Any]] = [address, server]
    await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    if server.done():
        server.result()
    try:
        async with aiohttp.ClientSession(await address) as client:
            yield client
    finally:
        stop.set()
        await server
