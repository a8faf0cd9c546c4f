"""Records in PostgreSQL, with a connection pool."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import create_async_engine

from sobremesa.domains.records.address import RecordsAddress
from sobremesa.domains.records.database import Database, to_json

CONNECT_SECONDS = 5
STATEMENT_SECONDS = 20
LOCK_SECONDS = 10
POOL_SIZE = 10


def postgres_database(address: RecordsAddress) -> Database:
    """Return the database of a `postgresql+asyncpg://` URL, without connecting yet."""
    engine = create_async_engine(
        address.postgres or "",
        pool_size=POOL_SIZE,
        max_overflow=POOL_SIZE,
        pool_timeout=STATEMENT_SECONDS,
        pool_pre_ping=True,  # a restarted server is noticed before a request fails
        json_serializer=to_json,
        connect_args={
            "timeout": CONNECT_SECONDS,
            "command_timeout": STATEMENT_SECONDS,
            "server_settings": {"application_name": "sobremesa", "lock_timeout": f"{LOCK_SECONDS}s"},
        },
    )
    return Database(address, engine)
