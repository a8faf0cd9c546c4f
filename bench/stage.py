"""All contenders of one run, each opened and filled with the same conversations.

Moto copies its whole store for each transaction, so it holds only a few messages, and dynoxide with a stream is slow to
fill, so it starts with none; the others hold a hundred in each conversation. The embedded engine and the bound work on
files of their own, side by side on the same disk.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from bench.contender import Contender, EngineContender, seed
from bench.endpoints import REGION, create_plain_table
from bench.facade import TableContender
from bench.plan import Plan
from bench.progress import Steps
from bench.raw import GroupCommitContender, RawContender
from bench.workload import COUNT, Rooms
from servers import Endpoint, start_dynalite, start_dynoxide, start_moto
from sobremesa.core.clock import SystemClock
from sobremesa.table import Layout, Table
from sobremesa.table.engines.dynamodb import DynamoEngine
from sobremesa.table.engines.embedded import EmbeddedEngine

EMBEDDED = "embedded"
FACADE = "embedded, typed table"
GROUP = "raw group commit (bound)"
RAW = "raw SQLite, no senders"
DYNOXIDE = "dynoxide"
DYNOXIDE_STREAM = "dynoxide, stream on"
DYNALITE = "dynalite"
MOTO = "moto"

ORDER = (RAW, GROUP, EMBEDDED, FACADE, DYNOXIDE, DYNOXIDE_STREAM, DYNALITE, MOTO)
FEW_ROOMS = 32
MOTO_POPULATED = 2


class Stage(NamedTuple):
    """The contenders. Some run the sends only."""

    senders: list[Contender]
    readers: list[Contender]
    dynoxide: DynamoEngine
    dynoxide_url: str
    layout: Layout


@asynccontextmanager
async def open_stage(folder: Path, plan: Plan, steps: Steps) -> AsyncIterator[Stage]:
    """Yield all contenders, ready; at the end stop the servers and close the files."""
    layout = Layout()
    async with AsyncExitStack() as stack:
        embedded = await _embedded(stack, EMBEDDED, folder / "embedded.db", layout, plan)
        steps.done(EMBEDDED)
        facade = await _facade(stack, folder / "facade.db", layout, plan)
        steps.done(FACADE)
        raw = await _raw(stack, RawContender, RAW, folder / "raw.db", layout, plan)
        steps.done(RAW)
        group = await _raw(stack, GroupCommitContender, GROUP, folder / "group.db", layout, plan)
        steps.done(GROUP)
        dynoxide_end = stack.enter_context(start_dynoxide(folder / "dynoxide.db"))
        dynoxide = await _dynamo(stack, DYNOXIDE, dynoxide_end, layout, plan)
        steps.done(DYNOXIDE)
        streaming_end = stack.enter_context(start_dynoxide(folder / "dynoxide-stream.db"))
        streaming = await _dynamo(stack, DYNOXIDE_STREAM, streaming_end, layout, plan, populated=0, stream=True)
        steps.done(DYNOXIDE_STREAM)
        dynalite_end = stack.enter_context(start_dynalite())
        dynalite = await _dynamo(stack, DYNALITE, dynalite_end, layout, plan, transactions=False)
        steps.done(DYNALITE)
        moto = await _dynamo(stack, MOTO, stack.enter_context(start_moto()), layout, plan, populated=MOTO_POPULATED)
        steps.done(MOTO)
        engine = dynoxide.engine
        assert isinstance(engine, DynamoEngine)
        yield Stage(
            [raw, group, embedded, facade, dynoxide, streaming, dynalite, moto],
            [raw, embedded, facade, dynoxide, dynalite, moto],
            engine,
            dynoxide_end.url,
            layout,
        )


async def _embedded(stack: AsyncExitStack, name: str, path: Path, layout: Layout, plan: Plan) -> EngineContender:
    engine = await EmbeddedEngine.open(str(path), layout, clock=SystemClock())
    stack.push_async_callback(engine.close)
    rooms = Rooms(plan.rooms)
    readable = await seed(engine, rooms, plan.rooms, COUNT)
    return EngineContender(name, engine, rooms, readable)


async def _facade(stack: AsyncExitStack, path: Path, layout: Layout, plan: Plan) -> TableContender:
    engine = await EmbeddedEngine.open(str(path), layout, clock=SystemClock())
    stack.push_async_callback(engine.close)
    rooms = Rooms(plan.rooms)
    readable = await seed(engine, rooms, plan.rooms, COUNT)
    return TableContender(FACADE, Table(engine), rooms, readable)


async def _raw(
    stack: AsyncExitStack, kind: type[RawContender], name: str, path: Path, layout: Layout, plan: Plan
) -> RawContender:
    engine = await EmbeddedEngine.open(str(path), layout, clock=SystemClock())
    rooms = Rooms(plan.rooms)
    readable = await seed(engine, rooms, plan.rooms, COUNT)
    await engine.close()
    raw = kind(name, str(path), layout, rooms, readable)
    stack.callback(raw.close)
    return raw


async def _dynamo(
    stack: AsyncExitStack,
    name: str,
    endpoint: Endpoint,
    layout: Layout,
    plan: Plan,
    *,
    populated: int | None = None,
    stream: bool = False,
    transactions: bool = True,
) -> EngineContender:
    engine = await DynamoEngine.open(layout, region=REGION, endpoint=endpoint.url, clock=SystemClock())
    stack.push_async_callback(engine.close)
    if stream:
        await engine.create_table()
    else:
        await create_plain_table(endpoint.url, layout)
    fragile = name == MOTO
    rooms = Rooms(FEW_ROOMS if populated is not None else plan.rooms)
    readable = await seed(
        engine, rooms, plan.rooms if populated is None else populated, COUNT, writers=1 if fragile else 8
    )
    return EngineContender(name, engine, rooms, readable, transactions=transactions, one_by_one=fragile)
