"""The model of Redis answers as Valkey does."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Sequence
from typing import Any

import pytest
import redis.asyncio
from redis.exceptions import NoScriptError, ResponseError

from servers import Endpoint
from simulation import virtual_time
from simulation.broker import Broker, encoded
from simulation.keyspace import Failed, Reply, Status
from simulation.network import Network
from sobremesa.live import topic_streams
from sobremesa.live.events import Topic
from sobremesa.live.redis_server import FOREIGN, Command, RedisServer, Script
from sobremesa.live.topic_streams import NOTHING, Addition, Lost, TopicStreams

KEPT = 20
WINDOW_MS = 60_000
TOPICS = [Topic("server:one"), Topic("user:two")]
STEPS = 400
HOST, PORT = "broker", 6379


class Messages:
    """What a subscriber of the model received."""

    def __init__(self) -> None:
        self.data = b""

    def answer(self, data: bytes) -> None:
        self.data += data

    def take(self) -> bytes:
        data, self.data = self.data, b""
        return data


class Both(RedisServer):
    """Runs commands on Valkey and on the model, and compares the answers and what is published."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        pool: Any = redis.asyncio.ConnectionPool.from_url(url, protocol=2)
        self._caller, self._subscriber = pool.make_connection(), pool.make_connection()
        self._broker = Broker(lambda: time.time_ns() // 1000)
        self._messages, self._session = Messages(), Messages()
        self.micros = time.time_ns() // 1000
        """The time that scripts get."""
        self.compared = 0

    async def subscribe(self, channels: Sequence[str]) -> None:
        await self._subscriber.send_command("SSUBSCRIBE", *channels)
        for reply in self._broker.run(self._messages, [b"SSUBSCRIBE", *(each.encode() for each in channels)]):
            assert await self._subscriber.read_response() == reply

    async def run_script(self, script: Script, calls: Sequence[tuple[Sequence[str], Sequence[Any]]]) -> list[Any]:
        seconds, micros = divmod(self.micros, 1_000_000)
        text = script.text.replace("redis.call('TIME')", f"{{'{seconds}', '{micros}'}}")
        return await self.run([("EVAL", text, len(keys), *keys, *arguments) for keys, arguments in calls])

    async def run(self, commands: Sequence[Command]) -> list[Any]:
        return [await self._compare(command) for command in commands]

    async def close(self) -> None:
        await super().close()
        await self._caller.disconnect()
        await self._subscriber.disconnect()

    async def _compare(self, command: Command) -> Any:
        await self._caller.send_command(*command)
        try:
            answer: Any = await self._caller.read_response()
        except ResponseError as error:
            answer = Failed("NOSCRIPT" if isinstance(error, NoScriptError) else "ERR")
        parts = [each if isinstance(each, bytes) else str(each).encode() for each in command]
        [modelled] = self._broker.run(self._session, parts)
        if isinstance(modelled, Failed):
            modelled = Failed(modelled.text.split(" ")[0])
        elif isinstance(modelled, Status):
            modelled = modelled.text.encode()
        assert modelled == answer, command
        assert self._messages.take() == await self._published(), command
        self.compared += 1
        return answer

    async def _published(self) -> bytes:
        """Return what the subscriber has received, up to the answer to a ping."""
        await self._subscriber.send_command("PING", "now")
        found = b""
        while (message := await self._subscriber.read_response()) != [b"pong", b"now"]:
            found += encoded(message)
        return found


def some_additions(chance: random.Random, now_ms: int, number: int) -> list[Addition]:
    """Return additions of a few shards, some of them old, repeated, or of new messages."""
    found = []
    for _ in range(chance.randint(0, 6)):
        id, shard = f"id{chance.randint(number - 10, number)}", f"shard{chance.choice((1, 2, number))}"
        is_new = chance.random() < 0.3
        written_ms = now_ms - chance.choice((0, 20_000, 40_000)) if is_new or chance.random() < 0.5 else None
        body = chance.randbytes(chance.randint(0, 40))
        sequence = "" if is_new else f"{chance.randint(number - 5, number):06}.000"
        found.append(Addition(id, "" if is_new else shard, sequence, written_ms, body))
    return found


@pytest.mark.parametrize("seed", [1, 2])
async def test_streams_of_topics_are_those_of_valkey(
    seed: int, valkey: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(topic_streams, "MAX_ENTRIES", KEPT)
    chance = random.Random(seed)
    both = Both(valkey.url)
    streams = TopicStreams(both, chance.randbytes(8).hex() + str(time.time_ns()), WINDOW_MS)
    await both.subscribe([streams.channel_of(topic) for topic in TOPICS])
    epoch, _ = await streams.open()
    lost = added = trimmed = 0
    for number in range(100, 100 + STEPS):
        both.micros += chance.choice((-2_000_000, 0, 20, 5_000, 1_000_000, 10_000_000))
        match chance.randrange(12):
            case 0:
                await streams.notify({topic: [chance.randbytes(9)] for topic in TOPICS})
            case 1:
                await streams.look()
                trimmed += sum(state.trimmed > NOTHING for state in await streams.states(TOPICS))
            case 2:
                until = (both.micros // 1000 - chance.randint(0, 90_000), 0)
                await streams.read(dict.fromkeys(TOPICS, (until[0] - 60_000, 5)), until, chance.choice((1, 500)))
            case 3 if chance.random() < 0.1:
                epoch, _ = await streams.open(epoch)
            case _:
                additions = some_additions(chance, both.micros // 1000, number)
                old = str(int(epoch) - chance.choice((0, 0, 0, 0, 0, 0, 0, 1)))
                try:
                    added += await streams.add(old, {chance.choice(TOPICS): additions})
                except Lost:
                    lost += 1
    await streams.read(dict.fromkeys(TOPICS, NOTHING), None, 500)
    await both.close()

    assert both.compared > STEPS
    assert lost > 0
    assert added > 5 * KEPT
    assert trimmed > 0


def some_command(chance: random.Random, name: str) -> Command:
    """Return a command as scripts and nodes use it."""
    field, score, ms = f"f{chance.randrange(5)}", chance.choice((1, 2.5, 1e15, 7)), chance.randrange(6)
    key = {"H": f"{name}:hash", "Z": f"{name}:scores", "X": f"{name}:stream"}
    bound = chance.choice(("-", "+", f"{ms}", f"{ms}-2", f"({ms}-1", f"({ms}"))
    return chance.choice(
        [
            ("HSET", key["H"], field, chance.randrange(9), "g", 1),
            ("HGET", key["H"], field),
            ("HMGET", key["H"], field, "g", "none"),
            ("HINCRBY", key["H"], "count", chance.randint(-3, 3)),
            ("HDEL", key["H"], field, "g"),
            ("HLEN", key["H"]),
            ("ZADD", key["Z"], score, field),
            ("ZSCORE", key["Z"], field),
            ("ZREM", key["Z"], field),
            ("ZREMRANGEBYSCORE", key["Z"], "-inf", score),
            ("XADD", key["X"], f"{ms}-{chance.randrange(1, 4)}", "a", field),
            ("XRANGE", key["X"], bound, chance.choice(("+", f"{ms + 1}", f"{ms}-2")), "COUNT", 2),
            ("XREVRANGE", key["X"], f"{ms + 2}", "-", "COUNT", 2),
            ("XLEN", key["X"]),
            ("XDEL", key["X"], f"{ms}-1"),
            ("XTRIM", key["X"], "MINID", f"{ms}-1"),
            ("SET", f"{name}:text", field),
            ("GET", f"{name}:text"),
            ("PEXPIRE", chance.choice([*key.values(), f"{name}:text", "none"]), 1_000_000),
            ("DEL", chance.choice([*key.values(), f"{name}:text"]), "none"),
            ("SPUBLISH", chance.choice((name, "other")), field),
            ("EVALSHA", "0" * 40, 0),
            ("INFO", "cluster"),
        ]
    )


async def test_commands_are_those_of_valkey(valkey: Endpoint) -> None:
    chance = random.Random(3)
    both = Both(valkey.url)
    name = f"{{{time.time_ns()}}}"
    await both.subscribe([name])
    await both.run([some_command(chance, name) for _ in range(3 * STEPS)])
    await both.close()


def test_expired_key_is_gone() -> None:
    micros = 0
    broker, session = Broker(lambda: micros), Messages()

    def run(*command: bytes) -> list[Reply]:
        return broker.run(session, command)

    run(b"SET", b"key", b"value")
    run(b"PEXPIRE", b"key", b"1000")
    micros = 900_000
    assert run(b"GET", b"key") == [b"value"]
    micros = 1_100_000
    assert run(b"GET", b"key") == [None]


def on_network(story: Any) -> None:
    """Run a story with a server of nodes that connects to a broker."""

    async def main() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, virtual_time.VirtualLoop)
        network = loop.network = Network(random.Random(1))
        broker = network.servers[HOST, PORT] = Broker(lambda: round(loop.time() * 1e6))
        server = RedisServer(f"redis://{HOST}:{PORT}")
        await story(server, broker, network)
        await server.close()

    virtual_time.run(main(), 1)


def test_client_of_redis_connects_to_the_model() -> None:
    async def story(server: RedisServer, broker: Broker, network: Network) -> None:
        assert await server.run([("SET", "a", "b" * 70_000), ("GET", "a")]) == [True, b"b" * 70_000]
        assert await server.run_script(Script("return {KEYS[1], ARGV[1]}"), [(["k"], [7])]) == [[b"k", b"7"]]
        broker.is_paused = True
        with pytest.raises(FOREIGN):
            await server.run([("SET", "a", "late")])
        broker.resume()
        assert await server.run([("GET", "a")]) == [b"late"]
        network.lost_answers = 1.0
        with pytest.raises(FOREIGN):
            await server.run([("SET", "a", "done")])
        network.lost_answers = 0.0
        assert await server.run([("GET", "a")]) == [b"done"]
        broker.stop(is_emptied=True)
        for link in network.links():
            link.cut()
        with pytest.raises(FOREIGN):
            await server.run([("GET", "a")])
        broker.start()
        assert await server.run([("GET", "a")]) == [None]

    on_network(story)
