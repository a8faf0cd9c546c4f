"""Opening a table by the address of its store.

sqlite:///path/file.db      one file
sqlite://                   memory
dynamodb://TABLE?region=…&endpoint=http://…
"""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

import msgspec

from sobremesa.clock import Clock, SystemClock
from sobremesa.table.engines.embedded.file import MEMORY
from sobremesa.table.engines.protocol import Engine
from sobremesa.table.errors import Refused
from sobremesa.table.layout import Layout


class BadStore(Refused):
    """An address that names no store."""


class StoreAddress(NamedTuple):
    """A store: a file (or memory), or a table in a region, perhaps at an endpoint of its own."""

    path: str | None
    table: str | None
    region: str | None
    endpoint: str | None


def parse_store(store: str) -> StoreAddress:
    """The parts of a store's address; BadStore says what is wrong with it."""
    address = urlsplit(store)
    match address.scheme:
        case "sqlite":
            if address.netloc:
                raise BadStore(f"{store!r}: a file has three slashes, sqlite:///folder/file.db")
            path = unquote(address.path[1:]) if address.path.startswith("/") else ""
            return StoreAddress(path or MEMORY, None, None, None)
        case "dynamodb":
            if not address.netloc:
                raise BadStore(f"{store!r} names no table: dynamodb://TABLE?region=...")
            options = {name: values[-1] for name, values in parse_qs(address.query).items()}
            unknown = options.keys() - {"region", "endpoint"}
            if unknown:
                raise BadStore(f"{store!r} has the unknown option {', '.join(sorted(unknown))}")
            return StoreAddress(None, address.netloc, options.get("region"), options.get("endpoint"))
        case _:
            raise BadStore(f"{store!r} is no store: it begins with sqlite:// or dynamodb://")


async def open_engine(
    store: str, *, layout: Layout | None = None, clock: Clock | None = None, janitor: bool = True
) -> Engine:
    """The engine of a store. Only the engine that is asked for is loaded."""
    address = parse_store(store)
    clock = clock or SystemClock()
    if address.path is not None:
        from sobremesa.table.engines.embedded import EmbeddedEngine

        return await EmbeddedEngine.open(address.path, layout or Layout(), clock=clock, janitor=janitor)
    from sobremesa.table.engines.dynamodb import DynamoEngine

    named = msgspec.structs.replace(layout or Layout(), table=address.table)
    return await DynamoEngine.open(named, region=address.region, endpoint=address.endpoint, clock=clock)
