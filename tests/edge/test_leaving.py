"""Leaving: a server that is stopped finishes what it has begun."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import aiohttp
import pytest

import commands

SERVER = Path(__file__).with_name("slow_server.py")
TOKEN = "s3cr3t-token"
CONTENT = "s3cr3t content"
HEADERS = {"Authorization": f"Bearer {TOKEN}"}


class Served(NamedTuple):
    process: commands.Process
    address: str


@asynccontextmanager
async def served(directory: Path, drain_seconds: float = 10) -> AsyncIterator[Served]:
    with commands.Process(SERVER, str(directory), str(drain_seconds), stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        yield Served(process, (await asyncio.to_thread(process.stdout.readline)).decode().strip())


def log_of(process: commands.Process) -> list[dict[str, Any]]:
    """Return the log of a server that has ended."""
    assert process.stdout is not None
    return [json.loads(line) for line in process.stdout.read().splitlines()]


async def keep(client: aiohttp.ClientSession, name: str, content: str = CONTENT) -> tuple[int, str]:
    async with client.put(f"/v1/notes/{name}", headers=HEADERS, json={"content": content}) as response:
        return response.status, await response.text()


async def begun(directory: Path, requests: int = 1) -> None:
    """Wait until the server handles this many requests."""
    while sum(name.endswith(".begun") for name in os.listdir(directory)) < requests:  # noqa: ASYNC110 - another process
        await asyncio.sleep(0.01)


async def no_longer_accepts(address: str) -> None:
    """Connect until the connection is refused."""
    while True:
        try:
            async with aiohttp.ClientSession() as other, other.get(address + "/healthz"):
                pass
        except aiohttp.ClientConnectorError:
            return


@pytest.mark.parametrize("kind", [signal.SIGTERM, signal.SIGINT])
async def test_what_is_in_flight_is_answered_before_it_leaves(tmp_path: Path, kind: signal.Signals) -> None:
    async with served(tmp_path, drain_seconds=60) as (process, address), aiohttp.ClientSession(address) as client:
        waiting = [asyncio.create_task(keep(client, f"n{number}")) for number in range(5)]
        await begun(tmp_path, len(waiting))
        process.send_signal(kind)
        await no_longer_accepts(address)
        assert not any(task.done() for task in waiting)
        (tmp_path / "go").touch()

        answers = await asyncio.gather(*waiting)
        assert await process.wait_async() == 0
    assert [status for status, _ in answers] == [200] * 5
    assert (tmp_path / "closed").read_text() == "5", "the application closed before its requests were done"


async def test_a_request_that_takes_too_long_times_out(tmp_path: Path) -> None:
    async with served(tmp_path, drain_seconds=1) as (process, address), aiohttp.ClientSession(address) as client:
        waiting = asyncio.create_task(keep(client, "late"))
        await begun(tmp_path)
        process.terminate()

        status, body = await waiting
        assert await asyncio.wait_for(process.wait_async(), 60) == 0
    assert status == 503
    assert '"code":"stopping"' in body
    assert (tmp_path / "closed").read_text() == "0"


async def test_the_log_is_lines_of_json_without_secrets(tmp_path: Path) -> None:
    (tmp_path / "go").touch()
    async with served(tmp_path) as (process, address), aiohttp.ClientSession(address) as client:
        assert (await keep(client, "a"))[0] == 200
        assert (await keep(client, "b", "broken"))[0] == 500
        async with client.get(f"/v1/nothing?token={TOKEN}") as response:
            assert response.status == 404
        process.terminate()
        await process.wait_async()
        lines = log_of(process)
    requests = [line for line in lines if line["event"] == "request"]
    assert [(line["method"], line["route"], line["status"], line["code"]) for line in requests] == [
        ("PUT", "/v1/notes/{name}", 200, None),
        ("PUT", "/v1/notes/{name}", 500, "internal"),
        ("GET", "(none)", 404, "not_found"),
    ]
    assert [line["actor"] for line in requests] == ["user:ana", "user:ana", None]
    (failure,) = [line for line in lines if line["event"] == "request failed"]
    assert failure["request_id"] == requests[1]["request_id"]
    assert "RuntimeError: the pencil broke" in failure["exception"]
    assert all(line["timestamp"].endswith("Z") and line["level"] for line in lines)
    assert TOKEN not in str(lines)
    assert CONTENT not in str(lines)
