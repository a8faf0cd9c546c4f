"""Opening a table by the address of its store.

An address is `sqlite:///path/file.db` for one file, `sqlite://` for memory, or
`dynamodb://TABLE?region=...&endpoint=http://...`.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

import msgspec

from sobremesa.table.clock import Clock, SystemClock
from sobremesa.table.engines.protocol import Engine
from sobremesa.table.errors import Refused, TableMissing
from sobremesa.table.layout import Layout

if TYPE_CHECKING:
    from sobremesa.table.engines.embedded import EmbeddedEngine

MEMORY = ":memory:"


class BadStore(Refused):
    """An address that names no store."""


class ExtraMissing(Refused):
    """A package that is installed by an extra only."""


class StoreAddress(NamedTuple):
    """A store: a file (or memory), or a table in a region, perhaps at an endpoint of its own."""

    path: str | None = None
    table: str = ""
    region: str | None = None
    endpoint: str | None = None

    @property
    def in_memory(self) -> bool:
        return self.path == MEMORY


def parse_store(store: str) -> StoreAddress:
    """The parts of a store's address; BadStore says what is wrong with it."""
    address = urlsplit(store)
    match address.scheme:
        case "sqlite":
            if address.netloc or not store.startswith("sqlite://"):
                raise BadStore(f"{store!r}: a file has three slashes, sqlite:///folder/file.db")
            return StoreAddress(path=unquote(address.path.removeprefix("/")) or MEMORY)
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


def require_file(store: str) -> None:
    """TableMissing if the store is a file that does not exist: opening it would create it."""
    address = parse_store(store)
    if address.path is not None and not address.in_memory and not Path(address.path).exists():
        raise TableMissing(f"there is no file {address.path}; `sobremesa table create` makes it")


def require_extra(package: str, extra: str, what: str) -> None:
    """Raise ExtraMissing, with the extra to install, if a package is missing."""
    if find_spec(package) is None:
        raise ExtraMissing(f"{what} needs the package {package}: install the extra {extra!r}")


async def open_engine(
    store: str, *, layout: Layout | None = None, clock: Clock | None = None, janitor: bool = True
) -> Engine:
    """The engine of a store. Only the engine that is asked for is loaded."""
    address = parse_store(store)
    if address.path is not None:
        return await open_embedded(store, layout=layout, clock=clock, janitor=janitor)
    require_extra("botocore", "dynamodb", "a DynamoDB store")
    from sobremesa.table.engines.dynamodb import DynamoEngine

    named = msgspec.structs.replace(layout or Layout(), table=address.table)
    return await DynamoEngine.open(
        named, region=address.region, endpoint=address.endpoint, clock=clock or SystemClock()
    )


async def open_embedded(
    store: str, *, layout: Layout | None = None, clock: Clock | None = None, janitor: bool = True
) -> EmbeddedEngine:
    """The embedded engine of a store, for what only a file can do, such as a copy; BadStore if it is no file."""
    require_extra("apsw", "sqlite", "a SQLite store")
    from sobremesa.table.engines.embedded import EmbeddedEngine

    path = parse_store(store).path
    if path is None:
        raise BadStore(f"{store!r} is no file; DynamoDB has backups of its own")
    return await EmbeddedEngine.open(path, layout, clock=clock or SystemClock(), janitor=janitor)
