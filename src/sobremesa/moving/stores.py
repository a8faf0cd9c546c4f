"""One end of a move: the rows and the keys of a store.

A SQLite store has its signing keys and secrets in a file beside it, a DynamoDB store in rows of the table. Here they
are rows of their own kind on both: without them, sessions, mail addresses and signed links of the data are of no use.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple, Self

from sobremesa.app.registry import OF_THE_PROCESS, REGISTRY
from sobremesa.app.store import create_table
from sobremesa.core.gather import gather_bounded
from sobremesa.domains.accounts.entities import ServerSecret, SigningKey
from sobremesa.domains.accounts.key_stores import FileKeys, KeyRecord, Material, TableKeys
from sobremesa.moving.errors import KeysDiffer, MovingError, TargetInUse
from sobremesa.table import Layout, RawKey, Retries, Table, open_engine
from sobremesa.table.engines.protocol import DeleteItem, PutItem
from sobremesa.table.entities import Entity, match_entity
from sobremesa.table.layout import IndexLayout
from sobremesa.table.opening import parse_store, require_file
from sobremesa.table.values import Item

PATIENT = Retries(attempts=40, longest_pause=5.0, deadline=300.0, budget=100_000)
"""A command can wait for a throttled table longer than a request can."""
WRITES_AT_ONCE = 16
BATCH_ROWS = 25
KEY_ROWS: tuple[type[Entity], ...] = (SigningKey, ServerSecret)
_SPECIAL: tuple[type[Entity], ...] = (*OF_THE_PROCESS, *KEY_ROWS)


class MovedPage(NamedTuple):
    """Some rows of a scan that are moved, and the key after which the next page starts; None for the last page."""

    rows: list[Item]
    last: RawKey | None


class MovedStore:
    """An open store that data is moved from or to."""

    def __init__(self, address: str, table: Table, *, is_new: bool) -> None:
        self.address = address
        self.table = table
        self.layout = table.layout
        self.is_new = is_new
        """Whether the table was created just now."""
        path = parse_store(address).path
        self.is_embedded = path is not None
        self._keys = TableKeys(table) if path is None else FileKeys(f"{path}.keys")

    @classmethod
    @asynccontextmanager
    async def open(cls, address: str, layout: Layout | None, *, create: bool = False) -> AsyncIterator[Self]:
        """Open a store; TableMissing if there is none, unless it is to be created."""
        parsed = parse_store(address)
        if parsed.in_memory:
            raise MovingError("a store in memory ends with its process: name a file, sqlite:///folder/file.db")
        if not create:
            require_file(address)
        engine = await open_engine(address, layout=layout, janitor=False)
        try:
            is_new = create and await create_table(engine)
            await engine.describe_table()
            yield cls(address, Table(engine, retries=PATIENT), is_new=is_new)
        finally:
            await engine.close()

    # Which rows are moved

    def key_of(self, row: Mapping[str, object]) -> RawKey:
        return RawKey(str(row[self.layout.pk]), str(row[self.layout.sk]))

    def is_moved(self, row: Item) -> bool:
        """Return whether a row is moved with the others: it is neither of a process nor of the keys."""
        return match_entity(row, _SPECIAL, self.layout) is None

    def is_moved_key(self, key: RawKey) -> bool:
        return self.is_moved({self.layout.pk: key.pk, self.layout.sk: key.sk})

    # Reading

    async def count(self) -> int:
        """Return about how many rows there are, for the progress: DynamoDB counts every six hours."""
        return (await self.table.engine.describe_table()).items

    async def page(self, start: RawKey | None) -> MovedPage:
        """Return the next rows of a scan."""
        page = await self.table.raw.scan(start=start)
        rows = [row for row in page.items if self.is_moved(row)]
        return MovedPage(rows, page.last if isinstance(page.last, RawKey) else None)

    async def pages(self, start: RawKey | None = None) -> AsyncIterator[MovedPage]:
        """Yield all pages of a scan after a key."""
        while True:
            page = await self.page(start)
            yield page
            if page.last is None:
                return
            start = page.last

    async def get_many(self, keys: Sequence[RawKey]) -> dict[RawKey, Item]:
        return await self.table.raw.get_many(keys)

    async def key_rows(self) -> list[Item]:
        """Return the signing keys and the secrets as rows, in the order of their keys."""
        found = await self._keys.load()
        entities: list[Entity] = [
            SigningKey(kid=key.kid, private=key.private, public=key.public, created_ms=key.created_ms)
            for key in found.keys.values()
        ]
        entities += [ServerSecret(name=name, value=value) for name, value in found.secrets.items()]
        return sorted((entity.to_item(self.layout) for entity in entities), key=self.key_of)

    # Writing

    async def require_empty(self) -> None:
        """Raise TargetInUse if there are rows already, other than those of processes."""
        async for page in self.pages():
            if page.rows:
                raise TargetInUse(f"{self.address} is not empty: choose a new store, or write into it with --existing")

    async def put(self, rows: Iterable[Item]) -> int:
        """Store rows, replacing those with their keys, and return how many; rows of processes are left out."""
        plain: list[Item] = []
        keys: list[Item] = []
        for row in rows:
            entity = match_entity(row, _SPECIAL, self.layout)
            if entity is None:
                plain.append(row)
            elif entity in KEY_ROWS:
                keys.append(row)
        if keys:
            await self._join_keys(keys)
        await self._write([PutItem(self.key_of(row), row) for row in plain])
        return len(plain) + len(keys)

    async def delete(self, keys: Iterable[RawKey]) -> None:
        await self._write([DeleteItem(key) for key in keys])

    async def _write(self, operations: Sequence[PutItem | DeleteItem]) -> None:
        batches = [operations[at : at + BATCH_ROWS] for at in range(0, len(operations), BATCH_ROWS)]
        await gather_bounded(WRITES_AT_ONCE, self.table.raw.write_many, batches)

    async def _join_keys(self, rows: Sequence[Item]) -> None:
        """Add keys and secrets to those of the store; KeysDiffer if it has another secret of the same name."""
        given = self._material(rows)
        stored = await self._keys.load()
        if any(stored.secrets.get(name, value) != value for name, value in given.secrets.items()):
            raise KeysDiffer(
                f"{self.address} has keys of its own, with which this data is of no use: a server has created them. "
                "Choose a new store, to which no server was started."
            )
        if isinstance(self._keys, FileKeys):
            stored = await self._keys.store_missing(given)
            for kid in given.keys.keys() - stored.keys.keys():
                await self._keys.add(given.keys[kid], drop=())
        else:
            await self._write([PutItem(self.key_of(row), row) for row in rows])

    def _material(self, rows: Sequence[Item]) -> Material:
        material = Material()
        for row in rows:
            if match_entity(row, KEY_ROWS, self.layout) is ServerSecret:
                secret = ServerSecret.from_item(row, self.layout)
                material.secrets[secret.name] = secret.value
            else:
                key = SigningKey.from_item(row, self.layout)
                record = KeyRecord(kid=key.kid, private=key.private, public=key.public, created_ms=key.created_ms)
                material.keys[key.kid] = record
        return material


def names_of(layout: Layout) -> dict[str, object]:
    """Return the names of a layout that rows are stored under, for a comparison."""
    spelling = layout.spelling
    names: dict[str, object] = {"pk": layout.pk, "sk": layout.sk, "ttl": layout.ttl, "entityType": layout.entity_type}
    indexes: Mapping[str, IndexLayout] = {str(index): names_in for index, names_in in layout.indexes.items()}
    for index, found in indexes.items():
        names |= {f"{index}.pk": found.pk, f"{index}.sk": found.sk}
    if spelling is not None:
        names |= {"style": "electrodb", **{f"mark.{name}": value for name, value in spelling.marks.items()}}
        names |= {f"type.{name}": value for name, value in spelling.types.items()}
    return names


def entity_name(row: Item, layout: Layout) -> str:
    """Return the name of the entity of a row, for display."""
    entity = REGISTRY.entity_of(row, layout)
    return "row" if entity is None else entity.__name__
