"""Readiness: a server reports that its store rejects writes, and that it accepts them again."""

from __future__ import annotations

from pathlib import Path

from durability.test_disk_faults import no_file_larger_than
from gateway.town import Town, town_of

WAL = "chat.db-wal"


async def readiness(town: Town) -> int:
    async with town.http.get("/readyz") as answer:
        return answer.status


async def register(town: Town, name: str) -> int:
    person = {"email": f"{name}@example.com", "username": name, "password": "correct horse battery"}
    async with town.http.post("/v1/auth/register", json=person) as answer:
        return answer.status


async def test_a_server_whose_store_takes_no_writes_is_not_ready(tmp_path: Path) -> None:
    async with town_of(f"sqlite:///{tmp_path / 'chat.db'}") as town:
        assert await register(town, "ana") == 201
        assert await readiness(town) == 200
        with no_file_larger_than((tmp_path / WAL).stat().st_size):
            assert await register(town, "bea") == 503
            assert await readiness(town) == 503
            async with town.http.get("/healthz") as answer:
                assert answer.status == 200
        await town.app.node_registry.renew()  # as the node does every few seconds
        assert await readiness(town) == 200
