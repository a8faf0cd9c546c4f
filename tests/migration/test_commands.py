"""The commands, as a person runs them, on both engines."""

from __future__ import annotations

import os
from pathlib import Path

import commands
from commands import SOBREMESA
from communities.conftest import store
from communities.test_golden_rows import SAMPLES as COMMUNITIES
from migration.before import fill, put
from sobremesa.app import Sobremesa
from sobremesa.core.settings import Settings

__all__ = ["store"]


def run(*arguments: str, expect: int = 0) -> str:
    done = commands.run(SOBREMESA, *arguments)
    assert done.returncode == expect, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return " ".join((done.stdout + done.stderr).split())


async def filled(store: str) -> str:
    """A store with old rows; the workspace that is to take them."""
    async with Sobremesa.open(store, settings=Settings(rate_limits="off"), background=False) as app:
        before = await fill(app, 40)
        await put(app.table.engine, *(item for _, item in COMMUNITIES.values()))
    return before.workspace_id


async def test_a_migration_by_its_commands(store: str) -> None:
    workspace_id = await filled(store)
    at = ("--store", store)
    move = ("migrate", "workspaces")

    assert "No migration is planned" in run(*move, "status", *at)
    assert "not planned" in run(*move, "backfill", *at, expect=1)
    assert "no such workspace: nowhere" in run(*move, "plan", "--workspace", "nowhere", *at, expect=1)
    assert "42 old rows" in run(*move, "plan", "--workspace", workspace_id, *at)
    assert "the phase planned" in run(*move, "cutover", *at, expect=1)
    assert "created 42" in run(*move, "backfill", "--units", "2000", *at)
    assert "checked 42 old rows" in run(*move, "verify", *at)
    assert "phase cut_over" in run(*move, "cutover", *at)
    assert "phase copied" in run(*move, "rollback", *at)
    assert "phase copied" in run(*move, "status", *at)
    assert "removed 42" in run(*move, "rollback", *at)
    assert "mismatches found" in run(*move, "verify", *at, expect=1)


async def test_a_table_is_adopted_by_its_command(store: str) -> None:
    await filled(store)

    first = run("table", "adopt", "--store", store)
    second = run("table", "adopt", "--units", "1000", "--store", store)

    assert "adopt:" in first
    assert "Checked " in first
    assert "completed 0," not in first
    assert "completed 0," in second
    if store.startswith("sqlite"):
        assert "there is no file" in run("table", "adopt", "--store", "sqlite:///nowhere.db", expect=1)


async def test_progress_is_a_bar_on_a_terminal_and_plain_lines_elsewhere(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'chat.db'}"
    workspace_id = await filled(store)
    run("migrate", "workspaces", "plan", "--workspace", workspace_id, "--store", store)

    bar = on_a_terminal("migrate", "workspaces", "backfill", "--store", store)
    lines = run("migrate", "workspaces", "verify", "--store", store)

    assert "━" in bar
    assert "42/42" in bar
    assert "verify: 42 of 42 rows" in lines
    assert "━" not in lines


def on_a_terminal(*arguments: str) -> str:
    """What a command shows on a terminal."""
    return commands.run_on_a_terminal(
        SOBREMESA, *arguments, environment=os.environ | {"TERM": "xterm", "COLUMNS": "120"}
    )
