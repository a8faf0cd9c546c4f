"""All commands, and how an error is told to a person."""

from __future__ import annotations

import sys

import cyclopts
from rich.console import Console

from sobremesa import __version__
from sobremesa.cli import store
from sobremesa.cli.tour import tour
from sobremesa.errors import SobremesaError

app = cyclopts.App(name="sobremesa", help="Messaging that lives in one DynamoDB table.", version=__version__)
app.command(store.table_app)
app.command(store.backup)
app.command(store.restore)
app.command(tour)


def main() -> None:
    """Run a command; an error of ours is one line and the exit status 1, never a traceback."""
    try:
        app()
    except SobremesaError as error:
        Console(stderr=True).print(f"[red]sobremesa:[/red] {error}", highlight=False)
        sys.exit(1)
