"""Copying records to another database: from each engine to the other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from records.conftest import emptied_database
from records.environment import BUYER, SELLER, THREAD, Environment, open_environment
from servers import Endpoint
from sobremesa.domains.records.address import RecordsAddress
from sobremesa.domains.records.copying import RecordsNotEmpty, copy_records
from sobremesa.domains.records.opening import open_database
from sobremesa.domains.records.schema import METADATA
from sobremesa.table import Table


async def rows_of(address: RecordsAddress) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of all tables."""
    database = await open_database(address)
    try:

        async def load(connection: AsyncConnection) -> dict[str, list[dict[str, Any]]]:
            return {
                table.name: [
                    dict(row)
                    for row in (await connection.execute(select(table).order_by(*table.primary_key))).mappings()
                ]
                for table in METADATA.sorted_tables
            }

        return await database.read(load)
    finally:
        await database.close()


async def test_all_records_are_copied_once_and_new_ones_follow(
    env: Environment, address: RecordsAddress, table: Table, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    other = RecordsAddress(file=str(tmp_path / "other.records"))
    if address.postgres is None:
        server: Endpoint = request.getfixturevalue("postgres")
        other = await emptied_database(server)
    created = await env.records.create_document(SELLER, THREAD, title="Terms", kind="contract", body="So be it. 🍮")
    await env.records.sign(BUYER, THREAD, created.document_id, version=1)
    await env.records.record_amendment(
        THREAD,
        card_message_id="01JCARD",
        summary="A day more",
        payload={"days": 1},
        accepted_by="buyer-1",
        accepted_at=created.created_at,
    )
    for amount in (1, 250, 9_007_199_254):
        await env.spend(amount)

    copied = await copy_records(address, other)
    rows = await rows_of(address)
    assert await rows_of(other) == rows
    assert copied == sum(map(len, rows.values()))
    assert min(len(rows[name]) for name in ("documents", "signatures", "amendments", "expenses", "history")) > 0
    with pytest.raises(RecordsNotEmpty):
        await copy_records(address, other)
    assert await rows_of(other) == rows

    async with open_environment(other, table) as there:
        await there.spend(77)
    assert len((await rows_of(other))["history"]) == len(rows["history"]) + 1
