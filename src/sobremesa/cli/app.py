"""All commands, and how an error is told to a person."""

from __future__ import annotations

import sys

import cyclopts
from rich.console import Console

from sobremesa import __version__
from sobremesa.core.errors import SobremesaError
from sobremesa.table.errors import TableError

app = cyclopts.App(name="sobremesa", help="Messaging that lives in one DynamoDB table.", version=__version__)
# By name: a command loads what it needs when it is called, so that all of them start at once.
app.command("sobremesa.cli.serve:serve", name="serve", help="Serve the API until stopped.")
app.command("sobremesa.cli.demo:demo", name="demo", help="Serve a small world to look at, with people who talk.")
app.command(
    "sobremesa.cli.store:table_app", name="table", help="Make, describe, complete or drop the table of a store."
)
app.command(
    "sobremesa.cli.store:backup", name="backup", help="Copy an embedded store to a file, while it is being used."
)
app.command("sobremesa.cli.store:restore", name="restore", help="Make an embedded store from a copy.")
app.command(
    "sobremesa.cli.keys:keys_app",
    name="keys",
    help="Make, list and revoke server keys; rotate the keys that sign tokens.",
)
app.command("sobremesa.cli.keys:admin_app", name="admin", help="Say who administers.")
app.command(
    "sobremesa.cli.records:records_app",
    name="records",
    help="Migrate, look at and rebuild the documents and expenses of threads.",
)
app.command("sobremesa.cli.reconcile:reconcile", name="reconcile", help="Count inboxes again, and mend what is wrong.")
app.command("sobremesa.cli.migrate:migrate_app", name="migrate", help="Move rows of an older design, while in use.")
app.command("sobremesa.cli.loadtest:loadtest", name="loadtest", help="Measure how fast a server is, beside others.")
app.command("sobremesa.cli.tour:tour", name="tour", help="Show what the table toolkit does, and what that costs.")


def main() -> None:
    """Run a command; an error of ours is one line and the exit status 1, never a traceback."""
    try:
        app()
    except (SobremesaError, TableError) as error:
        Console(stderr=True).print(f"[red]sobremesa:[/red] {error}", highlight=False, soft_wrap=True)
        sys.exit(1)
