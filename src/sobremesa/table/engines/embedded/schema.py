"""The SQL tables of the file, and their relation to the layout of the table.

Items are clustered by their key. An index contains references, not copies: `index_1 (pk, sk, base_pk, base_sk)`.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import apsw
import msgspec

from sobremesa.table.engines.embedded.codec import unpack
from sobremesa.table.errors import StoreForeign
from sobremesa.table.keys import MAX_PK_BYTES, MAX_SK_BYTES, utf8_length
from sobremesa.table.layout import IndexLayout, IndexName, Layout, Spelling
from sobremesa.table.values import Value

APPLICATION_ID = 0x50B4E3E5
FORMAT = 2
SURELY_FITS = min(MAX_PK_BYTES, MAX_SK_BYTES) // 4
"""This many characters are never too long for a key, since none has more than four bytes."""

_TABLES = """
    CREATE TABLE items (
        pk TEXT NOT NULL, sk TEXT NOT NULL, size INTEGER NOT NULL, ttl INTEGER, body BLOB NOT NULL,
        PRIMARY KEY (pk, sk)
    ) WITHOUT ROWID, STRICT;
    CREATE INDEX items_by_ttl ON items (ttl) WHERE ttl IS NOT NULL;
    CREATE TABLE changes (
        seq INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, transactions INTEGER NOT NULL, dictionary INTEGER,
        body BLOB NOT NULL
    ) STRICT;
    CREATE TABLE dictionaries (since INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, body BLOB NOT NULL) STRICT;
    CREATE TABLE tokens (
        token TEXT PRIMARY KEY, digest BLOB NOT NULL, units REAL NOT NULL, until_ms INTEGER NOT NULL
    ) WITHOUT ROWID, STRICT;
    CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID, STRICT;
"""
_FROM_FORMAT_1 = """
    ALTER TABLE changes ADD COLUMN transactions INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE changes ADD COLUMN dictionary INTEGER;
    CREATE TABLE dictionaries (since INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, body BLOB NOT NULL) STRICT;
"""
"""No row is changed, however many there are: those of format 1 are the ones whose dictionary is null."""
_INDEX_TABLE = """
    CREATE TABLE {table} (
        pk TEXT NOT NULL, sk TEXT NOT NULL, base_pk TEXT NOT NULL, base_sk TEXT NOT NULL,
        PRIMARY KEY (pk, sk, base_pk, base_sk)
    ) WITHOUT ROWID, STRICT
"""


class StoredLayout(msgspec.Struct, frozen=True):
    """The layout with which the rows of a file were stored."""

    pk: str
    sk: str
    ttl: str
    indexes: list[tuple[str, IndexLayout]]
    entity_type: str = "entityType"
    spelling: Spelling | None = None

    def names(self) -> str:
        """Return the names that cannot change once there are rows."""
        marks = () if self.spelling is None else self.spelling.marks
        spelled = "as they are" if self.spelling is None else "in lower case"
        return f"{', '.join((self.pk, self.sk, self.ttl, self.entity_type, *marks))} with keys {spelled}"


class Schema(msgspec.Struct, frozen=True):
    """The identity of a store, its layout, and the SQL table of each of its indexes."""

    store_id: str
    layout: Layout
    index_tables: dict[IndexName, str]


@contextmanager
def locked(connection: apsw.Connection) -> Iterator[None]:
    """Run a write transaction: committed at the end of the block, rolled back if it raises."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def prepare(connection: apsw.Connection, layout: Layout | None, *, sole_use: Callable[[], None]) -> Schema:
    """Create the missing tables, and change the format to ours and the indexes to the layout's (None: keep them).

    Another process with the store open would keep using the old ones, so they change only in sole use.
    """
    stored = _stored_layout(connection)
    if layout is None:
        layout = _layout_of(stored) if stored else Layout()
    wanted = _to_store(layout)
    if stored is not None and (stored != wanted or connection.pragma("user_version") < FORMAT):
        _refuse_other_names(stored, wanted)
        sole_use()
    with locked(connection):
        if connection.pragma("application_id") != APPLICATION_ID:
            connection.execute(_TABLES)
            give_identity(connection)
            connection.pragma("application_id", APPLICATION_ID)
            connection.pragma("user_version", FORMAT)
        elif connection.pragma("user_version") < FORMAT:
            connection.execute(_FROM_FORMAT_1)
            connection.pragma("user_version", FORMAT)
        _fit_layout(connection, layout)
        store_id = connection.execute("SELECT value FROM meta WHERE name = 'store_id'").get
    return Schema(store_id, layout, index_tables(layout))


def _to_store(layout: Layout) -> StoredLayout:
    indexes = [(str(name), index) for name, index in layout.indexes.items()]
    return StoredLayout(layout.pk, layout.sk, layout.ttl, indexes, layout.entity_type, layout.spelling)


def _layout_of(stored: StoredLayout) -> Layout:
    indexes = {IndexName(name): index for name, index in stored.indexes}
    return Layout(
        pk=stored.pk,
        sk=stored.sk,
        ttl=stored.ttl,
        entity_type=stored.entity_type,
        indexes=indexes,
        spelling=stored.spelling,
    )


def _refuse_other_names(stored: StoredLayout, wanted: StoredLayout) -> None:
    if stored.names() != wanted.names():
        raise StoreForeign(f"the rows were stored under the names {stored.names()}, not {wanted.names()}")


def _stored_layout(connection: apsw.Connection) -> StoredLayout | None:
    if connection.pragma("application_id") != APPLICATION_ID:
        return None
    text = connection.execute("SELECT value FROM meta WHERE name = 'layout'").get
    return msgspec.json.decode(text, type=StoredLayout) if text else None


def give_identity(connection: apsw.Connection) -> None:
    """Give the store a new id, so that no other store accepts its stream positions."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('store_id', ?)", (secrets.token_hex(8),))


def index_tables(layout: Layout) -> dict[IndexName, str]:
    """Return the SQL table of each index, by its number in the layout."""
    return {index: f"index_{number}" for number, index in enumerate(layout.indexes, 1)}


def index_entry(item: Mapping[str, Value], names: IndexLayout) -> tuple[str, str] | None:
    """Return the key of an item in an index, or None if it is not in it.

    A row from before the index may have any value there; one that is not a valid key excludes it.
    """
    pk = item.get(names.pk)
    sk = item.get(names.sk)
    if type(pk) is str and type(sk) is str and pk and sk:
        if len(pk) <= SURELY_FITS and len(sk) <= SURELY_FITS:
            return pk, sk
        if utf8_length(pk) <= MAX_PK_BYTES and utf8_length(sk) <= MAX_SK_BYTES:
            return pk, sk
    return None


def _fit_layout(connection: apsw.Connection, layout: Layout) -> None:
    stored, wanted = _stored_layout(connection), _to_store(layout)
    if stored == wanted:
        return
    if stored is not None:
        _refuse_other_names(stored, wanted)
        for number in range(1, len(stored.indexes) + 1):
            connection.execute(f"DROP TABLE index_{number}")
    for index, table in index_tables(layout).items():
        connection.execute(_INDEX_TABLE.format(table=table))
        _fill_index(connection, table, layout.indexes[index])
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('layout', ?)", (msgspec.json.encode(wanted).decode(),))


def _fill_index(connection: apsw.Connection, table: str, names: IndexLayout) -> None:
    for pk, sk, body in connection.execute("SELECT pk, sk, body FROM items"):
        entry = index_entry(unpack(body), names)
        if entry:
            connection.execute(f"INSERT INTO {table} VALUES (?, ?, ?, ?)", (*entry, pk, sk))
