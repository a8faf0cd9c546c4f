"""Measure durable sends beside their bound in the same run: `python -m bench.live.sends`.

The bound is the raw group commit of `bench.raw`: SQLite with the same rows, and nothing else. The server is one process
on one core, the client another on the other; the bound runs in the client's process while the server is idle. Every
send has a nonce, and each sender a channel of its own. A ratio is taken round by round. The processor time of the
server for each send hardly depends on what else the machine does.

`--source FOLDER` serves the code of another checkout (its `src`), to compare two versions.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec
import uvloop

from bench.contender import seed
from bench.live.http_connection import HttpConnection
from bench.raw import GroupCommitContender
from bench.workload import COUNT, Rooms
from sobremesa.core.clock import SystemClock
from sobremesa.core.settings import PREFIX
from sobremesa.loadtest.connection import TEXT, LoadFailed, frame
from sobremesa.loadtest.gateway import FILLER
from sobremesa.loadtest.server import LOOPBACK, Cores, Process, free_port, own_cores, running
from sobremesa.loadtest.stage import Stage, prepare, users_of_store
from sobremesa.table import Layout
from sobremesa.table.engines.embedded import EmbeddedEngine

SENDERS = 32
ROOMS = 96
GATEWAY, HTTP = "gateway", "HTTP"
HERE = Path(__file__).resolve().parents[2] / "src"
SERVE = "import sys; sys.path.insert(0, sys.argv.pop(1)); from sobremesa.cli import main; main()"

_encode = msgspec.json.encode
_numbers = count(1)


class Connected(Protocol):
    """A connection that sends requests, one after the other."""

    on_answer: Callable[[bool, bytes], None] | None

    def write(self, data: bytes) -> None: ...

    def disconnect(self) -> None: ...


class Sender(NamedTuple):
    """A connection, and what it sends; `%b` is the number of the message, twice."""

    connection: Connected
    request: bytes

    def send(self) -> None:
        """Send the next message, with a nonce of its own."""
        number = b"%08d" % next(_numbers)
        self.connection.write(self.request.replace(b"########", number))


class Found(NamedTuple):
    """What one scenario measured."""

    per_second: float
    p50_ms: float
    cpu_us: float


async def measured(senders: Sequence[Sender], seconds: float, process: Process) -> Found:
    """Let each sender send, wait for the response, and send again."""
    loop = asyncio.get_running_loop()
    started = time.perf_counter()
    took: list[float] = []
    used = _cpu_seconds(process.pid)
    await asyncio.wait_for(
        asyncio.gather(*(_repeat(loop, sender, started + seconds, took) for sender in senders)), seconds + 20
    )
    used = _cpu_seconds(process.pid) - used
    return Found(
        len(took) / (time.perf_counter() - started), 1000 * statistics.median(took), 1_000_000 * used / len(took)
    )


def _repeat(loop: asyncio.AbstractEventLoop, sender: Sender, end: float, took: list[float]) -> asyncio.Future[None]:
    finished: asyncio.Future[None] = loop.create_future()
    sent_at = time.perf_counter()

    def on_answer(is_good: bool, payload: bytes) -> None:
        nonlocal sent_at
        now = time.perf_counter()
        if not is_good:
            finished.set_exception(LoadFailed(f"refused: {payload[:300]!r}"))
            return
        took.append(now - sent_at)
        if now >= end:
            finished.set_result(None)
            return
        sent_at = now
        sender.send()

    sender.connection.on_answer = on_answer
    sender.send()
    return finished


def _cpu_seconds(pid: int) -> float:
    """Return the processor time of another process, with more digits than /proc has."""
    return time.clock_gettime(~pid << 3 | 2)


def _body(**fields: str) -> bytes:
    return _encode(fields | {"content": f"######## {FILLER}", "nonce": "########"})


async def open_senders(stage: Stage, way: str) -> list[Sender]:
    """Return senders over the gateway or over HTTP, each with a channel of its own. The server closes idle ones."""
    if way == HTTP:
        connections = [
            await HttpConnection.open(stage.host, stage.port, f"/v1/channels/{channel}/messages", token, _body())
            for channel, token in zip(stage.own_channels, stage.senders, strict=True)
        ]
        return [Sender(connection, connection.request) for connection in connections]
    sockets = await stage.connect_senders(SENDERS)
    calls = [
        frame(TEXT, b'{"op":12,"id":1,"d":{"method":"channels.sendMessage","params":%b}}' % _body(roomId=channel))
        for channel in stage.own_channels
    ]
    return [Sender(*pair) for pair in zip(sockets, calls, strict=True)]


async def open_bound(path: str) -> GroupCommitContender:
    """Return the bound, on a file with some conversations."""
    layout, rooms = Layout(), Rooms(ROOMS)
    engine = await EmbeddedEngine.open(path, layout, clock=SystemClock())
    readable = await seed(engine, rooms, ROOMS, COUNT)
    await engine.close()
    return GroupCommitContender("bound", path, layout, rooms, readable)


async def rounds(cores: Cores, source: Path, folder: str, number: int, seconds: float) -> None:
    """Measure everything some times, and print each ratio."""
    bound = await open_bound(f"{folder}/bound.db")
    store = f"sqlite:///{folder}/live.db"
    tokens = await users_of_store(store, SENDERS + 1)
    port = free_port()
    command = [sys.executable, "-c", SERVE, str(source), "serve", "--port", str(port), "--store", store]
    found: dict[tuple[str, int], list[Found]] = {}
    ratios: dict[str, list[float]] = {}
    with running(command, port, cores, {f"{PREFIX}RATE_LIMITS": "off"}) as process:
        stage = await prepare(f"http://{LOOPBACK}:{port}", tokens)
        for way in (GATEWAY, HTTP):
            await measured(await open_senders(stage, way), seconds / 2, process)
        for _ in range(number):
            most = (await bound.send(SENDERS, seconds)).per_second
            for way in (GATEWAY, HTTP):
                senders = await open_senders(stage, way)
                many = await measured(senders, seconds, process)
                one = await measured(senders[:1], seconds / 2, process)
                for sender in senders:
                    sender.connection.disconnect()
                found.setdefault((way, SENDERS), []).append(many)
                found.setdefault((way, 1), []).append(one)
                ratios.setdefault(way, []).append(many.per_second / most)
                print(
                    f"{way}: {many.per_second:,.0f} sends/s of {most:,.0f} ({many.per_second / most:.0%}), "
                    f"{many.cpu_us:.0f} µs of CPU; one sender: p50 {one.p50_ms:.2f} ms, {one.cpu_us:.0f} µs of CPU"
                )
    bound.close()
    for way, ratio in ratios.items():
        many_us = statistics.median(each.cpu_us for each in found[way, SENDERS])
        one_ms = statistics.median(each.p50_ms for each in found[way, 1])
        print(
            f"median, {way}: {statistics.median(ratio):.0%} of the bound ({min(ratio):.0%} to {max(ratio):.0%}), "
            f"{many_us:.0f} µs of CPU for a send; one sender: p50 {one_ms:.2f} ms"
        )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.live.sends", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="how many rounds")
    parser.add_argument("--seconds", type=float, default=3.0, help="how long each part of a round takes")
    parser.add_argument("--source", type=Path, default=HERE, help="the sources of the server")
    parser.add_argument("--data", type=Path, help="a folder on the disk to measure (a temporary one)")
    given = parser.parse_args()
    with own_cores() as cores, tempfile.TemporaryDirectory(prefix="sobremesa-bench-", dir=given.data) as folder:
        print(f"{os.cpu_count()} cores, {cores}")
        uvloop.run(rounds(cores, given.source.resolve(), folder, given.rounds, given.seconds))


if __name__ == "__main__":
    main()
