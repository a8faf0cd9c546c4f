"""The load test, as a person runs it, with numbers so small that only its working is tested."""

import asyncio
import os
import subprocess
import time
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from websockets.asyncio.server import ServerConnection, serve

import commands
from cheap import CHEAP_VARIABLES
from commands import SOBREMESA
from sobremesa.cli.loadtest import plan_of
from sobremesa.loadtest.connection import TEXT, Connection, LoadFailed, Tally, connect, frame
from sobremesa.loadtest.run import QUICK, Plan
from sobremesa.loadtest.scenarios import Sender, broadcast
from sobremesa.loadtest.server import LOOPBACK, free_port

LINE_BY_LINE = os.environ | {"PYTHONUNBUFFERED": "1"}
TINY = ("--quick", "--senders", "3", "--sockets", "7", "--seconds", "0.1")


def loadtest(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return commands.run(SOBREMESA, "loadtest", *arguments, folder=folder)


@contextmanager
def served(folder: Path, *, limits: str) -> Iterator[tuple[str, str]]:
    """A server, once it answers: its address, and that of its metrics."""
    port, metrics_port = free_port(), free_port()
    arguments = ("serve", "--port", str(port), "--store", f"sqlite:///{folder}/given.db")
    settings = CHEAP_VARIABLES | {"rate_limits": limits, "metrics_port": str(metrics_port)}
    environment = os.environ | {f"SOBREMESA_{name.upper()}": value for name, value in settings.items()}
    with commands.Process(
        *(SOBREMESA, *arguments),
        folder=folder,
        environment=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr is not None
        assert any(b"Serving" in line for line in process.stderr)
        yield f"http://{LOOPBACK}:{port}", f"http://{LOOPBACK}:{metrics_port}/metrics"
        process.terminate()
        process.wait(20)


def test_it_measures_a_server_of_its_own_and_leaves_nothing_behind(tmp_path: Path) -> None:
    done = loadtest(*TINY, "--folder", str(tmp_path), folder=tmp_path)

    assert done.returncode == 0, done.stderr
    output = " ".join(done.stdout.split())
    for row in (
        "sends, 3 senders, a channel each",
        "broadcast to 7, 4 in flight",
        "newest 50, 3 readers",
        "KB per socket",
    ):
        assert row in output
    for name in ("ejabberd", "Prosody", "Synapse", "socket.io", "measured on another day", "The client can count"):
        assert name in output
    assert list(tmp_path.iterdir()) == []


def test_it_measures_a_server_that_is_given(tmp_path: Path) -> None:
    with served(tmp_path, limits="off") as (url, metrics):
        done = loadtest(*TINY, "--url", url, "--metrics", metrics, folder=tmp_path)

    assert done.returncode == 0, done.stderr
    assert url in done.stdout
    assert "KB per socket" in done.stdout


def test_rate_limit_of_the_server_is_reported_in_one_line(tmp_path: Path) -> None:
    with served(tmp_path, limits="on") as (url, _):
        done = loadtest("--quick", "--senders", "64", "--sockets", "7", "--url", url, folder=tmp_path)

    assert done.returncode == 1
    assert "SOBREMESA_RATE_LIMITS=off" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_server_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    done = loadtest(*TINY, "--url", f"http://{LOOPBACK}:{free_port()}", folder=tmp_path)

    assert done.returncode == 1
    assert "cannot connect to" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_load_test_that_is_killed_leaves_no_server_behind(tmp_path: Path) -> None:
    arguments = ("loadtest", "--quick", "--senders", "3", "--sockets", "7", "--folder", str(tmp_path))
    with commands.Process(
        *(SOBREMESA, *arguments), folder=tmp_path, environment=LINE_BY_LINE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert any(b"setup" in line for line in process.stdout)
        servers = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        assert len(servers) == 1

    deadline = time.monotonic() + 20
    while Path(f"/proc/{servers[0]}").exists():
        assert time.monotonic() < deadline, "the server still runs"
        time.sleep(0.02)


@pytest.mark.parametrize("wrong", [("--senders", "0"), ("--sockets", "1000000"), ("--seconds", "3600")])
def test_it_is_bounded(wrong: tuple[str, str], tmp_path: Path) -> None:
    assert loadtest("--quick", *wrong, folder=tmp_path).returncode != 0


def test_request_matches_the_operation() -> None:
    assert plan_of(False, None, None, None) == Plan()
    assert plan_of(True, None, None, None) == QUICK
    assert plan_of(True, 3, 7, 0.5).sockets == (7,)


class Plain:
    """Counts frames that begin with `event`; is ready at the first other one."""

    path = "/"
    event = b"event"

    def handle_open(self, connection: Connection) -> None:
        """The server sends the first frame."""

    def handle_frame(self, connection: Connection, payload: bytes) -> None:
        if connection.ready.done():
            connection.on_result(payload == b"good", payload)
        else:
            connection.ready.set_result(None)


async def test_events_of_all_sizes_are_counted_and_others_handed_on() -> None:
    received: list[tuple[bool, bytes]] = []
    pongs: list[Awaitable[float]] = []
    sizes = (5, 125, 126, 65_535, 65_536, 300_000)

    async def respond(peer: ServerConnection) -> None:
        await peer.send("hello")
        assert await peer.recv() == "tell me"
        for size in sizes:
            await peer.send("event".ljust(size, "."))
            pongs.append(await peer.ping())
        await asyncio.gather(*pongs)
        await peer.send("bad")
        await peer.send("good")
        await peer.wait_closed()

    async with serve(respond, LOOPBACK, 0, compression=None) as server:
        tally = Tally()
        connection = await connect(LOOPBACK, next(iter(server.sockets)).getsockname()[1], Plain(), tally)
        finished = asyncio.Event()

        def on_answer(is_good: bool, payload: bytes) -> None:
            received.append((is_good, payload))
            if is_good:
                finished.set()

        connection.on_answer = on_answer
        connection.send_text(b"tell me")
        await asyncio.wait_for(finished.wait(), 60)
        connection.disconnect()

    assert tally.count == len(sizes)
    assert received == [(False, b"bad"), (True, b"good")]


async def test_a_broadcast_that_loses_a_listener_fails_with_the_reason() -> None:
    async def respond(peer: ServerConnection) -> None:
        await peer.send("hello")
        await peer.recv()
        await peer.send("event")
        await peer.close(4015, "Too slow")

    async with serve(respond, LOOPBACK, 0, compression=None) as server:
        tally = Tally()
        connection = await connect(LOOPBACK, next(iter(server.sockets)).getsockname()[1], Plain(), tally)
        with pytest.raises(LoadFailed, match="4015 Too slow"):
            await broadcast(tally, 2, [Sender(connection, frame(TEXT, b"say"))], in_flight=1, seconds=5)


async def test_server_without_websockets_is_reported() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(answer, LOOPBACK, 0) as server:
        with pytest.raises(LoadFailed, match="404 Not Found"):
            await connect(LOOPBACK, server.sockets[0].getsockname()[1], Plain(), Tally())
