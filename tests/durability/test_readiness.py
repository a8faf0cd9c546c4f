"""Readiness: a server reports that its store rejects writes, and that it accepts them again."""

from __future__ import annotations

from pathlib import Path

from durability.test_disk_faults import no_file_larger_than
from gateway.served_app import ServedApp, serve_app

WAL = "chat.db-wal"


async def readiness(served: ServedApp) -> int:
    async with served.http.get("/readyz") as answer:
        return answer.status


async def register(served: ServedApp, name: str) -> int:
    person = {"email": f"{name}@example.com", "username": name, "password": "correct horse battery"}
    async with served.http.post("/v1/auth/register", json=person) as answer:
        return answer.status


async def test_a_server_whose_store_takes_no_writes_is_not_ready(tmp_path: Path) -> None:
    async with serve_app(f"sqlite:///{tmp_path / 'chat.db'}") as served:
        assert await register(served, "ana") == 201
        assert await readiness(served) == 200
        with no_file_larger_than((tmp_path / WAL).stat().st_size):
            assert await register(served, "bea") == 503
            assert await readiness(served) == 503
            async with served.http.get("/healthz") as answer:
                assert answer.status == 200
        await served.app.node_registry.renew()  # as the node does every few seconds
        assert await readiness(served) == 200
