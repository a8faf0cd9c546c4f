"""Opening a table by the address of its store.

An address is `sqlite:///path/file.db` for one file, `sqlite://` for memory, or
`dynamodb://TABLE?region=...&endpoint=http://...`, whose other options `ServiceOptions` has.
"""

from __future__ import annotations

import asyncio
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

import msgspec

from sobremesa.table.clock import Clock, SystemClock
from sobremesa.table.engines.protocol import Engine, QueryRequest, RawKey
from sobremesa.table.errors import Refused, TableMissing
from sobremesa.table.layout import Layout
from sobremesa.table.service_options import BadOption, ServiceOptions, parse_options

if TYPE_CHECKING:
    from sobremesa.table.engines.embedded import EmbeddedEngine
    from sobremesa.table.engines.modelled import Figures, ModelledEngine

MEMORY = ":memory:"


class BadStore(Refused):
    """The address of a store is invalid."""


class ExtraMissing(Refused):
    """A package of an extra is not installed."""


class StoreAddress(NamedTuple):
    """A parsed address: a file, memory, or a table in a region, optionally at an endpoint."""

    path: str | None = None
    table: str = ""
    region: str | None = None
    endpoint: str | None = None
    options: ServiceOptions = ServiceOptions()

    @property
    def is_embedded(self) -> bool:
        """Whether the table is a file or in memory, not in a service."""
        return self.path is not None

    @property
    def in_memory(self) -> bool:
        return self.path == MEMORY


def parse_store(store: str) -> StoreAddress:
    """Parse the address of a store; raise BadStore if it is invalid."""
    address = urlsplit(store)
    match address.scheme:
        case "sqlite":
            if address.netloc or not store.startswith("sqlite://"):
                raise BadStore(f"{store!r}: the path follows three slashes, sqlite:///folder/file.db")
            return StoreAddress(path=unquote(address.path.removeprefix("/")) or MEMORY)
        case "dynamodb":
            if not address.netloc:
                raise BadStore(f"{store!r} has no table: use dynamodb://TABLE?region=...")
            options = {name: values[-1] for name, values in parse_qs(address.query).items()}
            unknown = options.keys() - {"region", "endpoint"} - set(ServiceOptions.__struct_fields__)
            if unknown:
                raise BadStore(f"{store!r} has the unknown option {', '.join(sorted(unknown))}")
            region, endpoint = options.pop("region", None), options.pop("endpoint", None)
            try:
                return StoreAddress(None, address.netloc, region, endpoint, parse_options(options))
            except BadOption as error:
                raise BadStore(f"{store!r}: {error}") from None
        case _:
            raise BadStore(f"{store!r} is not a store: it must start with sqlite:// or dynamodb://")


def require_file(store: str) -> None:
    """Raise TableMissing if the store is a file that does not exist: opening it would create it."""
    address = parse_store(store)
    if address.path is not None and not address.in_memory and not Path(address.path).exists():
        raise TableMissing(f"there is no file {address.path}; create it with `sobremesa table create`")


def require_extra(package: str, extra: str, what: str) -> None:
    """Raise ExtraMissing, with the extra to install, if a package is missing."""
    if find_spec(package) is None:
        raise ExtraMissing(f"{what} needs the package {package}: install the extra {extra!r}")


async def open_engine(
    store: str, *, layout: Layout | None = None, clock: Clock | None = None, janitor: bool = True
) -> Engine:
    """Open the engine of a store. Only that engine is imported."""
    address = parse_store(store)
    if address.path is not None:
        return await open_embedded(store, layout=layout, clock=clock, janitor=janitor)
    require_extra("botocore", "dynamodb", "a DynamoDB store")
    from sobremesa.table.engines.dynamodb import DynamoEngine

    named = msgspec.structs.replace(layout or Layout(), table=address.table)
    return await DynamoEngine.open(
        named,
        region=address.region,
        endpoint=address.endpoint,
        clock=clock or SystemClock(),
        options=address.options,
    )


async def open_embedded(
    store: str, *, layout: Layout | None = None, clock: Clock | None = None, janitor: bool = True
) -> EmbeddedEngine:
    """Open the embedded engine, for operations on files such as a backup; raise BadStore if the store is not a file."""
    require_extra("apsw", "sqlite", "a SQLite store")
    from sobremesa.table.engines.embedded import EmbeddedEngine

    path = parse_store(store).path
    if path is None:
        raise BadStore(f"{store!r} is not a file; use the backups of DynamoDB")
    return await EmbeddedEngine.open(path, layout, clock=clock or SystemClock(), janitor=janitor)


async def open_modelled(
    *, layout: Layout | None = None, clock: Clock, figures: Figures | None = None, seed: int = 0
) -> ModelledEngine:
    """Open a new table of the model of DynamoDB; on a loop with virtual time, the clock must follow that loop."""
    require_extra("apsw", "sqlite", "a modelled table")
    from sobremesa.table.engines.embedded import EmbeddedEngine
    from sobremesa.table.engines.modelled import Figures, ModelledEngine

    stopwatch = asyncio.get_running_loop().time
    engine = await EmbeddedEngine.open(MEMORY, layout, clock=clock, stopwatch=stopwatch)
    copy = await EmbeddedEngine.open(MEMORY, layout, clock=clock, janitor=False, stopwatch=stopwatch)
    return ModelledEngine(engine, copy, figures or Figures(), seed)


def dynamodb_request(layout: Layout, read: QueryRequest | RawKey, *, consistent: bool = False) -> dict[str, Any] | None:
    """Return a query, or the read of a key, as DynamoDB gets it; None without the packages of that engine."""
    if find_spec("botocore") is None:
        return None
    from sobremesa.table.engines.dynamodb.requests import Requests

    requests = Requests(layout)
    if isinstance(read, QueryRequest):
        return requests.query(read)
    return requests.get(read, consistent=consistent, fields=None)
