"""The commands of records, as an operator runs them."""

from __future__ import annotations

import sqlite3
import subprocess
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

import commands
from commands import SOBREMESA
from records.environment import Environment, open_environment
from sobremesa.cli.records import rebuild_tabs
from sobremesa.domains.records.address import RecordsAddress
from sobremesa.table import Delete, Table


def run(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return commands.run(SOBREMESA, "records", *arguments, folder=folder)


def output_of(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stderr
    return " ".join(done.stdout.split())


def test_migrate_and_status_commands(tmp_path: Path) -> None:
    assert "No records at sqlite:///chat.db.records." in output_of(
        run("status", "--store", "sqlite:///chat.db", folder=tmp_path)
    )
    assert list(tmp_path.iterdir()) == []

    for _ in range(2):
        assert "to schema 0001" in output_of(run("migrate", "--store", "sqlite:///chat.db", folder=tmp_path))

    output = output_of(run("status", "--store", "sqlite:///chat.db", folder=tmp_path))
    assert "0001 (newest: 0001)" in output
    assert "pending 0" in output


async def test_status_reports_pending_rows_without_a_password(
    address: RecordsAddress, table: Table, tmp_path: Path
) -> None:
    async with open_environment(address, table) as env:
        await env.spend()
        await env.spend()

    records = address.postgres or f"sqlite:///{address.file}"
    done = run("status", "--records", records.replace("postgres@", "postgres:hunter2@"), folder=tmp_path)

    assert "pending 2, oldest from 20" in output_of(done)
    assert "hunter2" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("status", "--records", "mysql://host/chat"), "is not the URL of a records store"),
        (("migrate", "--records", "sqlite:///no/such/folder/x.db"), "cannot be used"),
        (("migrate", "--records", "postgresql://ana:hunter2@127.0.0.1:1/chat"), "cannot be used"),
    ],
)
def test_error_is_reported_in_one_line(arguments: tuple[str, ...], error: str, tmp_path: Path) -> None:
    done = run(*arguments, folder=tmp_path)

    assert done.returncode == 1
    assert error in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert "hunter2" not in done.stderr


def test_newer_schema_is_reported_in_one_line(tmp_path: Path) -> None:
    output_of(run("migrate", folder=tmp_path))
    connection = sqlite3.connect(tmp_path / "sobremesa.db.records")
    connection.execute("UPDATE alembic_version SET version_num = '0002'")
    connection.commit()
    connection.close()

    done = run("migrate", folder=tmp_path)

    assert done.returncode == 1
    assert "is newer than this version" in " ".join(done.stderr.split())


@pytest.mark.parametrize("terminal", [True, False])
async def test_rebuild_shows_its_progress(env: Environment, terminal: bool) -> None:
    await env.spend()
    await env.outbox.replay()
    before = await env.panels.tab("expenses")
    assert before is not None
    await env.panels.table.write(Delete(before.own_key()))
    output = StringIO()

    await rebuild_tabs(env.outbox, None, Console(file=output, force_terminal=terminal))

    assert "Rebuilt 1 tabs." in output.getvalue()
    assert ("1/1" in output.getvalue()) is terminal
    after = await env.panels.tab("expenses")
    assert after is not None
    assert after.content == before.content
