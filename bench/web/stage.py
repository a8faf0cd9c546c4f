"""The stage: a server of ours on a file with something to read, and two that have the same page in memory."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import aiohttp
import psutil

from bench.web.load import request
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor
from sobremesa.core.ids import RoomId
from sobremesa.core.settings import Settings
from sobremesa.rooms.sending import Draft

CHANNELS = 100
MESSAGES = 50
CONTENT = "The coffee is ready, and there is cake for everybody who comes before four. "
LOOPBACK = "127.0.0.1"
READY_WITHIN_SECONDS = 30
PERSON = {"email": "ana@example.com", "password": "a long password"}


class Stage(NamedTuple):
    """The servers, and their requests."""

    port: int
    stack_port: int
    framework_port: int
    pages: list[bytes]
    sends: list[bytes]
    process: psutil.Process
    idle_rss_mb: float
    page_bytes: int


@contextmanager
def server(command: list[str], port: int, environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """A server in a process of its own, once its port answers; stopped at the end."""
    process = subprocess.Popen(command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL)
    try:
        _wait_for(port, process)
        yield process
    finally:
        process.terminate()
        process.wait(timeout=20)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind((LOOPBACK, 0))
        port: int = listener.getsockname()[1]
        return port


async def fill(store: str) -> list[RoomId]:
    """Create a user with channels and messages, through the library."""
    async with Sobremesa.open(store, settings=Settings(rate_limits="off"), background=False) as app:
        signed_in = await app.accounts.register(**PERSON, username="ana")
        ana = Actor.of_user(signed_in.user.user_id, "ana")
        server = await app.communities.create_server(ana, name="The long table")
        created = [
            await app.communities.create_channel(ana, server.server_id, name=f"channel-{number}")
            for number in range(CHANNELS)
        ]
        channels = [each.channel.channel_id for each in created]
        for number in range(MESSAGES):
            draft = Draft(f"{number}: {CONTENT}{CONTENT}")
            await asyncio.gather(*(app.communities.send(ana, channel_id, draft) for channel_id in channels))
        return channels


async def prepare(port: int, process: psutil.Process, folder: Path, channels: list[RoomId]) -> Stage:
    """Return the requests to our server; the bound serves one of its pages."""
    idle = process.memory_info().rss / 1e6
    base = f"http://{LOOPBACK}:{port}/v1"
    async with aiohttp.ClientSession(raise_for_status=True) as session:
        async with session.post(f"{base}/auth/login", json=PERSON) as answer:
            token = (await answer.json())["accessToken"]
        async with session.get(
            f"{base}/channels/{channels[0]}/messages", headers={"authorization": f"Bearer {token}"}
        ) as answer:
            page = await answer.read()
    (folder / "page.json").write_bytes(page)
    paths = [f"/v1/channels/{channel_id}/messages" for channel_id in channels]
    body = b'{"content":"' + CONTENT.encode() + b'"}'
    return Stage(
        port=port,
        stack_port=free_port(),
        framework_port=free_port(),
        pages=[request("GET", path, token) for path in paths],
        sends=[request("POST", path, token, body) for path in paths],
        process=process,
        idle_rss_mb=idle,
        page_bytes=len(page),
    )


def ours(port: int, store: str) -> contextlib.AbstractContextManager[subprocess.Popen[bytes]]:
    """Our server, as `sobremesa serve` starts it, without limits."""
    command = [str(Path(sys.executable).parent / "sobremesa"), "serve", "--port", str(port), "--store", store]
    return server(command, port, {"SOBREMESA_RATE_LIMITS": "off"})


def same_stack(port: int, folder: Path, store: str) -> contextlib.AbstractContextManager[subprocess.Popen[bytes]]:
    """Our stack without the product."""
    return server([sys.executable, "-m", "bench.web.same_stack", str(port), str(folder / "page.json"), store], port, {})


def framework(port: int, folder: Path) -> contextlib.AbstractContextManager[subprocess.Popen[bytes]]:
    """The framework without us."""
    return server([sys.executable, "-m", "bench.web.framework", str(port), str(folder / "page.json")], port, {})


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + READY_WITHIN_SECONDS
    while time.monotonic() < end:
        if process.poll() is not None:
            raise RuntimeError(f"{process.args!r} ended with {process.returncode}")
        with contextlib.suppress(OSError), socket.create_connection((LOOPBACK, port), timeout=1):
            return
        time.sleep(0.05)
    raise TimeoutError(f"{process.args!r} did not answer on port {port}")
