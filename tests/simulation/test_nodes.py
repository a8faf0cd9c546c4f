"""A node that crashes writes nothing more, and what it had sent to the table is still done."""

from __future__ import annotations

import asyncio

import pytest

from simulation import virtual_time
from simulation.nodes import ON_DYNAMODB, Node, NodeGone
from simulation.virtual_time import VirtualClock
from sobremesa.core.actor import UserId
from sobremesa.core.clock import EPOCH
from sobremesa.domains.accounts.entities import User
from sobremesa.domains.accounts.key_stores import MemoryKeys
from sobremesa.table import Put, Table
from sobremesa.table.errors import StoreClosed
from sobremesa.table.opening import open_modelled


def user(name: str) -> Put[User]:
    return Put(User(user_id=UserId(name), username=name, created_at=EPOCH))


async def write_twice(table: Table) -> None:
    """Write one row, and another one when this is cancelled."""
    try:
        await table.write(user("first"))
        await asyncio.sleep(3600)
    finally:
        await table.write(user("second"))


@pytest.mark.parametrize("after_seconds", [0.001, 1.0])
def test_crashed_node_writes_nothing_more(after_seconds: float) -> None:
    async def main() -> set[str]:
        engine = await open_modelled(clock=VirtualClock())
        node = Node("node", engine, MemoryKeys(), ON_DYNAMODB, seed=1, skew_ms=0, is_gateway=False)
        await node.start()
        running = asyncio.create_task(node.run(write_twice(node.app.table)))
        await asyncio.sleep(after_seconds)
        await node.crash()
        with pytest.raises((NodeGone, StoreClosed)):
            await running
        await asyncio.sleep(1)
        found = await Table(engine).get_many([user(name).entity.own_key() for name in ("first", "second")])
        await engine.close()
        return {row.username for row in found if row is not None}

    assert virtual_time.run(main(), 1) == {"first"}
