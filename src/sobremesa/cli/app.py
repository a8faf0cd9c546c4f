"""All commands, and how errors are printed."""

from __future__ import annotations

import sys

import cyclopts
from rich.console import Console

from sobremesa import __version__
from sobremesa.core.errors import SobremesaError
from sobremesa.table.errors import TableError

app = cyclopts.App(name="sobremesa", help="Messaging that lives in one DynamoDB table.", version=__version__)
# By name: a command imports what it needs when it runs, so that each of them starts fast.
app.command("sobremesa.cli.serve:serve", name="serve", help="Serve the API until stopped.")
app.command("sobremesa.cli.demo:demo", name="demo", help="Serve a demo with sample data and bots.")
app.command("sobremesa.cli.store:table_app", name="table", help="Create, describe, adopt or drop the table of a store.")
app.command(
    "sobremesa.cli.schema:schema", name="schema", help="Print the entities and access patterns, with keys and prices."
)
app.command("sobremesa.cli.cost:cost", name="cost", help="Show what operations cost on DynamoDB, and check budgets.")
app.command(
    "sobremesa.cli.store:backup", name="backup", help="Back up an embedded store to a file, while it is in use."
)
app.command("sobremesa.cli.store:restore", name="restore", help="Restore an embedded store from a backup.")
app.command(
    "sobremesa.cli.keys:keys_app",
    name="keys",
    help="Create, list and revoke server keys; rotate the keys that sign tokens.",
)
app.command("sobremesa.cli.keys:admin_app", name="admin", help="Manage administrators.")
app.command(
    "sobremesa.cli.records:records_app",
    name="records",
    help="Migrate, inspect and rebuild the records of threads.",
)
app.command(
    "sobremesa.cli.reconcile:reconcile",
    name="reconcile",
    help="Recount stored counters and repair those that are wrong.",
)
app.command(
    "sobremesa.cli.migrate:migrate_app",
    name="migrate",
    help="Migrate rows of an older design, while the table is in use.",
)
app.command(
    "sobremesa.cli.imports:import_app",
    name="import",
    help="Import an exported store, or the history of another system.",
)
app.command("sobremesa.cli.moving:export", name="export", help="Export all rows of a store to a file.")
app.command("sobremesa.cli.copying:copy", name="copy", help="Copy a store to another one, while it is in use.")
app.command("sobremesa.cli.moving:verify", name="verify", help="Compare two stores row by row, or check a file.")
app.command("sobremesa.cli.loadtest:loadtest", name="loadtest", help="Measure the performance of a server.")
app.command("sobremesa.cli.tour:tour", name="tour", help="Demonstrate the table toolkit and its costs.")


def main() -> None:
    """Run a command; an expected error is one line and exit status 1, never a traceback."""
    try:
        app()
    except (SobremesaError, TableError) as error:
        Console(stderr=True).print(f"[red]sobremesa:[/red] {error}", highlight=False, soft_wrap=True)
        sys.exit(1)
