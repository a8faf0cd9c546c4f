"""Upgrades the schema of a store to the newest revision, in one transaction."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from sobremesa.domains.records import migrations
from sobremesa.domains.records.database import revision_of

LOCK = 7_305_021_894_113
"""The PostgreSQL advisory lock of upgrades: an arbitrary, unique number."""


def upgrade(connection: Connection) -> None:
    """Upgrade the schema to the newest revision. A concurrent process waits, and then has nothing to do."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
    config = _config()
    if revision_of(connection) == ScriptDirectory.from_config(config).get_current_head():
        return
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def revisions() -> tuple[str, ...]:
    """Return all revisions, oldest first."""
    scripts = ScriptDirectory.from_config(_config())
    return tuple(step.revision for step in reversed(list(scripts.walk_revisions())))


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
