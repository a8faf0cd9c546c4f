"""The connection to Redis or Valkey: one server, or a cluster.

All keys of one topic are in one hash slot, so every command and script here concerns one slot.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import redis.asyncio
from redis.asyncio.cluster import RedisCluster
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError, RedisError

ANSWER_WITHIN_SECONDS = 2.0
AT_ONCE = 500
"""How many commands are sent in one piece."""

FOREIGN: Final = (RedisError, OSError)

Command: TypeAlias = Sequence[Any]


class Script:
    """A Lua script."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.sha = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


class Address(NamedTuple):
    """The address of a server; empty for the one of the URL."""

    host: str = ""
    port: int = 0


def client_of(url: str, answer_within: float = ANSWER_WITHIN_SECONDS) -> redis.asyncio.Redis:
    """Return a client that tries once: the caller knows when to retry."""
    return redis.asyncio.Redis.from_url(
        url,
        protocol=2,
        socket_timeout=answer_within,
        socket_connect_timeout=ANSWER_WITHIN_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )


class RedisServer:
    """Runs commands on a server, or on the servers of a cluster."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._client: Any = client_of(url)
        self._cluster: Any = None
        self._is_known = False
        """Whether it is known that the server belongs to a cluster, or not."""
        self._opening = asyncio.Lock()

    @property
    def is_cluster(self) -> bool:
        """Whether the keys are on several servers, as far as it is known."""
        return self._cluster is not None

    async def run(self, commands: Sequence[Command]) -> list[Any]:
        """Run commands in order for each slot, and return their answers; raises the first error."""
        answers = await self._run(commands)
        for answer in answers:
            if isinstance(answer, Exception):
                raise answer
        return answers

    async def run_script(self, script: Script, calls: Sequence[tuple[Sequence[str], Sequence[Any]]]) -> list[Any]:
        """Run a script once for each pair of keys and arguments, and return the results."""
        commands = [("EVALSHA", script.sha, len(keys), *keys, *arguments) for keys, arguments in calls]
        answers = await self._run(commands)
        unknown = [index for index, answer in enumerate(answers) if isinstance(answer, NoScriptError)]
        if unknown:
            again = await self._run([("EVAL", script.text, *commands[index][2:]) for index in unknown])
            for index, answer in zip(unknown, again, strict=True):
                answers[index] = answer
        for answer in answers:
            if isinstance(answer, Exception):
                raise answer
        return answers

    async def address_of(self, key: str) -> Address:
        """Return the server that has a key."""
        await self._open()
        if self._cluster is None:
            return Address()
        node = self._cluster.get_node_from_key(key)
        return Address(str(node.host), int(node.port))

    async def refresh(self) -> None:
        """Find out again which server of a cluster has which keys."""
        if self._cluster is not None:
            await self._cluster.nodes_manager.initialize()

    def subscriber_of(self, address: Address, answer_within: float) -> redis.asyncio.Redis:
        """Return a client for what is published at a server."""
        client = client_of(self._url, answer_within)
        if address.host:
            client.connection_pool.connection_kwargs |= {"host": address.host, "port": address.port, "db": 0}
        return client

    async def close(self) -> None:
        await self._client.aclose()
        if self._cluster is not None:
            await self._cluster.aclose()

    async def _open(self) -> None:
        if self._is_known:
            return
        async with self._opening:
            found = await self._client.info("cluster")
            if found.get("cluster_enabled"):
                cluster: Any = RedisCluster.from_url(
                    self._url,
                    protocol=2,
                    socket_timeout=ANSWER_WITHIN_SECONDS,
                    socket_connect_timeout=ANSWER_WITHIN_SECONDS,
                )
                await cluster.initialize()
                self._cluster = cluster
            self._is_known = True

    async def _run(self, commands: Sequence[Command]) -> list[Any]:
        """Run commands, and end if this is cancelled meanwhile: the client of Redis may return as if it were not."""
        task = asyncio.current_task()
        cancelled = 0 if task is None else task.cancelling()
        answers = await self._send(commands)
        if task is not None and task.cancelling() > cancelled:
            raise asyncio.CancelledError
        return answers

    async def _send(self, commands: Sequence[Command]) -> list[Any]:
        await self._open()
        client = self._client if self._cluster is None else self._cluster
        answers: list[Any] = []
        for start in range(0, len(commands), AT_ONCE):
            pipeline: Any
            async with client.pipeline(transaction=False) as pipeline:
                for command in commands[start : start + AT_ONCE]:
                    pipeline.execute_command(*command)
                answers += await pipeline.execute(raise_on_error=False)
        return answers
