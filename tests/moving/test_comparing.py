"""`sobremesa verify`: what is missing, extra or different in another store, on both engines."""

from __future__ import annotations

from pathlib import Path

import pytest

from moving.data import done, dynamodb_store, fill, key_of, keys_in, row_of, sobremesa, sqlite_store
from servers import Endpoint
from sobremesa.moving.stores import MovedStore


@pytest.mark.parametrize("engine", ["embedded", "dynamodb"])
async def test_every_kind_of_difference_is_reported_with_its_key(
    engine: str, tmp_path: Path, dynamodb_endpoint: Endpoint
) -> None:
    one = sqlite_store(tmp_path)
    other = sqlite_store(tmp_path, "other") if engine == "embedded" else dynamodb_store(dynamodb_endpoint)
    await fill(one, 200)
    await done("export", tmp_path / "file", "--store", one)
    await done("import", tmp_path / "file", "--store", other)

    same = await done("verify", "--store", one, "--to", other)
    async with MovedStore.open(other, None) as store:
        await store.delete([key_of(5)])
        await store.put([row_of(999), row_of(7) | {"true": 1}, row_of(8) | {"float": 0.2}])
        await store.put([{"pk": "NODE#1", "sk": "LEASE", "nodeId": "1", "entityType": "Node"}])
        await store.put([row_of(998) | {"ttl": 1_000_000_000}])
    differs = await sobremesa("verify", "--store", one, "--to", other)

    assert "0 missing, 0 extra, 0 different" in same
    assert differs.returncode == 1
    assert f"{one} and {other} are not the same" in " ".join(differs.stderr.split())
    lines = differs.stdout.splitlines()
    assert [line for line in lines if " / " in line] == [
        "extra: TEST#29 / ROW#0000999",
        "missing: TEST#5 / ROW#0000005",
        "different: TEST#7 / ROW#0000007",
        "different: TEST#8 / ROW#0000008",
    ]
    assert "1 missing, 1 extra, 2 different" in lines[-1]


async def test_other_keys_are_a_difference(tmp_path: Path) -> None:
    one, other = sqlite_store(tmp_path), sqlite_store(tmp_path, "other")
    await fill(one, 1)
    await done("backup", tmp_path / "other.db", "--store", one)

    without = await sobremesa("verify", "--store", one, "--to", other)

    assert without.returncode == 1
    assert f"{len(await keys_in(one))} missing, 0 extra, 0 different" in without.stdout
    assert "missing: SYSTEM / SECRET#cursors" in without.stdout


async def test_many_differences_are_counted(tmp_path: Path) -> None:
    one, other = sqlite_store(tmp_path), sqlite_store(tmp_path, "other")
    await fill(one, 500)
    await done("table", "create", "--store", other)

    result = await sobremesa("verify", "--store", one, "--to", other)

    assert "more" in result.stdout
    assert len(result.stdout.splitlines()) < 120
