"""Nodes as processes over a sharded DynamoDB endpoint, and a Valkey, that can fail and come back."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

from chaos.endpoint import LastingEndpoint
from live.nodes import LOOK_SECONDS, Node, Valkey, valkey_program
from servers import _free_port
from servers.sharded import ShardingProxy, start_sharded

NODES = 3
TABLE = "chaos"


class Member:
    """A node of the cluster: one process after the other."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.process: Node | None = None
        """The process that runs, or is paused."""
        self.is_paused = False
        self.started = 0

    @property
    def incarnation(self) -> str:
        """The name of the present run."""
        return f"{self.name}.{self.started}"

    @property
    def is_healthy(self) -> bool:
        return self.process is not None and not self.is_paused


class Cluster:
    """The nodes, what they share, and what a fault does to them."""

    def __init__(
        self, endpoint: LastingEndpoint, proxy: ShardingProxy, valkey: Valkey, folder: Path, kept: int
    ) -> None:
        self.endpoint = endpoint
        self.proxy = proxy
        self.valkey = valkey
        self.members = [Member(f"node{number}") for number in range(1, NODES + 1)]
        self.store = f"dynamodb://{TABLE}?region=eu-west-1&endpoint={proxy.url}"
        self._folder = folder
        self._kept = kept

    def any_member(self, chance: random.Random) -> Member | None:
        """Return one of the nodes that run; a paused one looks as if it did."""
        running = [member for member in self.members if member.process is not None]
        return chance.choice(running) if running else None

    async def start(self, member: Member) -> None:
        """Start a process for a node, and wait until it responds."""
        node = Node(self.store, self._folder, self.valkey.url, kept=self._kept)
        try:
            await asyncio.to_thread(node.wait)
        except BaseException:
            node.process.close()
            raise
        member.started += 1
        member.process, member.is_paused = node, False

    def kill(self, member: Member) -> None:
        """Kill the process of a node with SIGKILL."""
        if member.process is not None:
            member.process.kill()
            member.process.process.close()
        member.process, member.is_paused = None, False

    def pause(self, member: Member) -> None:
        """Stop the process of a node with SIGSTOP, for a while."""
        assert member.process is not None
        os.kill(member.process.process.pid, signal.SIGSTOP)
        member.is_paused = True

    def resume(self, member: Member) -> None:
        """Let a paused process go on."""
        assert member.process is not None
        os.kill(member.process.process.pid, signal.SIGCONT)
        member.is_paused = False


@asynccontextmanager
async def cluster_of(folder: Path, seed: int, *, shards: int, kept: int) -> AsyncIterator[Cluster]:
    """Run an endpoint and a Valkey; nodes are started on it until the end of the block."""
    with ExitStack() as running:
        endpoint = LastingEndpoint(folder)
        running.callback(endpoint.kill)
        endpoint.start()
        proxy = running.enter_context(start_sharded(endpoint.endpoint, shards=shards, seed=seed))
        valkey = Valkey(valkey_program(), _free_port())
        running.callback(valkey.stop)
        valkey.start()
        cluster = Cluster(endpoint, proxy, valkey, folder, kept)
        try:
            yield cluster
        finally:
            for member in cluster.members:
                cluster.kill(member)
            await asyncio.sleep(LOOK_SECONDS)
