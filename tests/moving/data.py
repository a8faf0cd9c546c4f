"""Stores with rows of every type of value, and the commands that move them."""

from __future__ import annotations

import asyncio
import os
import random
import secrets
import signal
import subprocess
import time
from decimal import Decimal
from pathlib import Path

import commands
from commands import SOBREMESA
from lengths import MOVING_KILLS
from servers import Endpoint
from sobremesa.app import Sobremesa
from sobremesa.app.registry import OF_THE_PROCESS, REGISTRY
from sobremesa.core.settings import Settings
from sobremesa.moving.stores import MovedStore
from sobremesa.rooms.sending import Draft
from sobremesa.table import RawKey, Table, open_engine
from sobremesa.table.engines.protocol import PutItem
from sobremesa.table.typed_items import TypedItem, dump_item
from sobremesa.table.values import Item

VALUES: Item = {
    "long": 12345678901234567890123456789012345678,
    "longNegative": -12345678901234567890123456789012345678,
    "precise": Decimal("0.12345678901234567890123456789012345678"),
    "tiny": Decimal("1.2345678901234567890123456789E-120"),
    "float": 0.1,
    "true": True,
    "null": None,
    "empty": "",
    "text": "Crème brûlée 🍮\n\u2028\x00",
    "bytes": bytes(range(256)),
    "texts": frozenset({"a", "b", "ç"}),
    "numbers": frozenset({1, Decimal("1.00000000000000000000000000001"), -5}),
    "blobs": frozenset({b"\x00", b"\xff\xfe"}),
    "list": [1, True, None, ["nested", {"deep": b"\n"}]],
    "map": {"Item": {"S": "not a type"}},
}


def row_of(number: int, version: int = 0) -> Item:
    """Return a row with values of every type, in both indexes."""
    name = f"{number:07}"
    return {
        "pk": f"TEST#{number % 97}",
        "sk": f"ROW#{name}",
        "gsi1pk": "TESTS",
        "gsi1sk": name,
        "gsi2pk": f"TESTS#{number % 3}",
        "gsi2sk": name,
        "entityType": "Unknown",
        "version": version,
        "ttl": 4_000_000_000,
        **VALUES,
    }


def key_of(number: int) -> RawKey:
    row = row_of(number)
    return RawKey(row["pk"], row["sk"])


def sqlite_store(folder: Path, name: str = "chat") -> str:
    return f"sqlite:///{folder / name}.db"


def dynamodb_store(endpoint: Endpoint) -> str:
    return f"dynamodb://t{secrets.token_hex(6)}?region=eu-west-1&endpoint={endpoint.url}"


async def fill(store: str, rows: int) -> None:
    """Create a store as a server does, with users, a channel and messages, and add rows of every type."""
    async with Sobremesa.open(store, settings=Settings(rate_limits="off"), background=False) as app:
        ana = await app.accounts.register(email="ana@example.com", username="ana", password="correct horse battery")
        server = await app.communities.create_server(ana.actor, name="Kitchen")
        channel = (await app.communities.create_channel(ana.actor, server.server_id, name="general")).channel.channel_id
        for number in range(20):
            await app.communities.send(ana.actor, channel, Draft(f"Message {number}"))
    await put_rows(store, range(rows))


async def put_rows(store: str, numbers: range, version: int = 0) -> None:
    engine = await open_engine(store, janitor=False)
    try:
        table = Table(engine)
        rows = [row_of(number, version) for number in numbers]
        await table.raw.write_many([PutItem(RawKey(row["pk"], row["sk"]), row) for row in rows])
    finally:
        await engine.close()


async def rows_in(store: str) -> dict[RawKey, TypedItem]:
    """Return all rows with their types, without those of processes and keys; read without the code that is tested."""
    engine = await open_engine(store, janitor=False)
    try:
        rows = [row async for row in Table(engine).scan(consistent=True)]
        layout = engine.layout
    finally:
        await engine.close()
    skipped = {entity.__name__ for entity in OF_THE_PROCESS} | {"SigningKey", "ServerSecret"}
    found = {}
    for row in rows:
        entity = REGISTRY.entity_of(row, layout)
        if entity is None or entity.__name__ not in skipped:
            found[RawKey(row[layout.pk], row[layout.sk])] = dump_item(row)
    return found


async def keys_in(store: str) -> list[TypedItem]:
    async with MovedStore.open(store, None) as opened:
        return [dump_item(row) for row in await opened.key_rows()]


async def sobremesa(*arguments: str | Path, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    return await commands.run_async(SOBREMESA, *arguments, folder=folder, within=300)


async def done(*arguments: str | Path, folder: Path | None = None) -> str:
    """Run a command that must succeed, and return its output."""
    result = await sobremesa(*arguments, folder=folder)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


async def refused(*arguments: str | Path) -> str:
    """Run a command that must be refused in one line, and return that."""
    result = await sobremesa(*arguments)
    assert result.returncode == 1, result.stdout + result.stderr
    assert "Traceback" not in result.stderr
    return " ".join(result.stderr.split())


async def killed_until_done(*arguments: str | Path, state: Path, chance: random.Random, longest: float) -> int:
    """Kill a command a random time after it saved progress, again and again, then let it end; return how many kills."""
    kills = 0
    while kills < MOVING_KILLS and await _killed(*arguments, state=state, chance=chance, longest=longest):
        kills += 1
        if not _changed_at(state):
            return kills  # it was done, but had not ended
    if kills == MOVING_KILLS:
        await done(*arguments)
    return kills


async def _killed(
    *arguments: str | Path, state: Path, chance: random.Random, longest: float, within: float = 60.0
) -> bool:
    before = _changed_at(state)
    with commands.Process(SOBREMESA, *arguments, stdout=subprocess.DEVNULL, environment=dict(os.environ)) as process:
        deadline = time.monotonic() + within
        while process.poll() is None and _changed_at(state) in (0, before):
            assert time.monotonic() < deadline, "the command saved no progress"
            await asyncio.sleep(0.005)
        await asyncio.sleep(chance.uniform(0, longest))
        process.kill()
        status = await process.wait_async()
    assert status in (0, -signal.SIGKILL)
    return status != 0


def _changed_at(path: Path) -> int:
    return path.stat().st_mtime_ns if path.exists() else 0


def assert_private(path: Path) -> None:
    """Assert that only the owner can read a file, or anything in a folder."""
    modes = {str(each): oct(each.stat().st_mode & 0o077) for each in (path, *path.rglob("*"))}
    assert {each: mode for each, mode in modes.items() if mode != "0o0"} == {}
