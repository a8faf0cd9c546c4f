"""Several processes at one store of records and one table."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from pathlib import Path

from durability.child import line_of, started
from records.environment import Environment, open_environment
from sobremesa.domains.records.address import RecordsAddress
from sobremesa.domains.records.outbox import status_of
from sobremesa.table import Table

PROCESS = "records.replaying_process"
THREADS = 4
SPENT = 10


async def test_two_processes_replay_what_a_third_writes(address: RecordsAddress, table: Table, tmp_path: Path) -> None:
    records = address.postgres or f"sqlite:///{address.file}"
    async with open_environment(address, table) as env:
        with ExitStack() as stack:
            others = [
                stack.enter_context(started(PROCESS, records, f"sqlite:///{tmp_path / 'chat.db'}")) for _ in range(2)
            ]
            for process in others:
                assert await asyncio.to_thread(line_of, process) == "ready"

            await asyncio.gather(*(_spend(env, f"thread-{number}") for number in range(THREADS)))

            lines = []
            for process in others:
                assert process.stdin
                process.stdin.write(b"stop\n")
                lines.append(await asyncio.to_thread(line_of, process))
        await env.outbox.replay()

        assert [line.split()[1] for line in lines] == ["0", "0"]
        assert (await env.outbox._database.read(status_of)).pending == 0
        for number in range(THREADS):
            shown = await env.panels.tab("expenses", f"thread-{number}")
            assert shown is not None
            fresh = await env.outbox.snapshot(f"thread-{number}", "expenses")
            assert (shown.content, shown.source_version) == fresh
            assert shown.source_version == SPENT


async def _spend(env: Environment, thread: str) -> None:
    for number in range(SPENT):
        await env.spend(number + 1, thread=thread)
