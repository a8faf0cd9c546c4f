"""Publishing by name, over the model of DynamoDB with its latencies and limits, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from inboxes.shop import KEY, NEWS, SHOP, reader
from simulation import virtual_time
from simulation.nodes import ON_DYNAMODB, Node
from simulation.virtual_time import VirtualClock
from sobremesa.app import Sobremesa
from sobremesa.core.actor import UserId
from sobremesa.domains.accounts.entities import User
from sobremesa.domains.accounts.key_stores import MemoryKeys
from sobremesa.domains.inboxes.publishing import Notice
from sobremesa.table import Put, Table
from sobremesa.table.engines.modelled import Figures, ModelledEngine
from sobremesa.table.opening import open_modelled

NOTICE = Notice(sender="shop", title="News", body="Something new", category="c", ttl="1d")
PEOPLE = [UserId(f"user-{number:05}") for number in range(10_000)]


def run(story: Callable[[Sobremesa, ModelledEngine], Awaitable[None]], figures: Figures) -> None:
    """Run a story with one node over a new table in virtual time."""

    async def main() -> None:
        engine = await open_modelled(clock=VirtualClock(), figures=figures, seed=62)
        node = Node("node", engine, MemoryKeys(), ON_DYNAMODB, seed=62, skew_ms=0, is_gateway=False)
        await node.start()
        users = [User(user_id=each, username=each, tenant=SHOP, created_at=VirtualClock().now()) for each in PEOPLE]
        await engine_write(engine, users)
        await node.run(story(node.app, engine))  # type: ignore[arg-type]
        await node.crash()
        await engine.close()

    virtual_time.run(main(), seed=62)


async def engine_write(engine: ModelledEngine, users: list[User]) -> None:
    """Write users without waiting for the model."""
    await Table(engine.engine).write_many(map(Put, users))


def test_publishing_by_name_reaches_five_thousand_recipients_a_second() -> None:
    async def story(app: Sobremesa, engine: ModelledEngine) -> None:
        loop = asyncio.get_running_loop()
        start = loop.time()
        publish = await app.inboxes.publish_to_users(KEY, SHOP, NEWS, NOTICE, PEOPLE)
        while publish.state != "done":
            await asyncio.sleep(0.01)
            publish = await app.inboxes.get_publish(KEY, SHOP, NEWS, publish.message_id)
        seconds = loop.time() - start
        assert publish.delivered == len(PEOPLE)
        assert len(PEOPLE) / seconds >= 5000, f"{len(PEOPLE) / seconds:.0f} recipients a second"
        counted = await app.inboxes.count(reader(PEOPLE[-1]), SHOP, NEWS)
        assert (counted.total, counted.unread) == (1, 1)

    run(story, Figures(stall=0.0))


def test_many_publishes_of_a_tenant_do_not_contend_for_a_partition() -> None:
    async def story(app: Sobremesa, engine: ModelledEngine) -> None:
        await app.inboxes.publish_to_users(KEY, SHOP, NEWS, NOTICE, PEOPLE[:1])
        loop = asyncio.get_running_loop()
        start = loop.time()
        await asyncio.gather(
            *(app.inboxes.publish_to_users(KEY, SHOP, NEWS, NOTICE, [user_id]) for user_id in PEOPLE[:2000])
        )
        assert 2000 / (loop.time() - start) >= 1000

    run(story, Figures(stall=0.0))
