"""`sobremesa import messages`: import the history of another system from a file with lines of JSON.

`sobremesa import FILE`, for an exported store, is in `cli.moving`.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated

import cyclopts
from rich.console import Console

from sobremesa.app import Sobremesa
from sobremesa.cli.moving import import_table
from sobremesa.cli.progress import progress_shown
from sobremesa.cli.store import Store
from sobremesa.core.actor import DEFAULT_TENANT, Tenant
from sobremesa.core.errors import SobremesaError
from sobremesa.core.settings import DEFAULT_STORE, Settings
from sobremesa.domains.imports.files import READ_BYTES, read_pieces
from sobremesa.domains.imports.lines import batches_of
from sobremesa.domains.imports.views import LineProblem
from sobremesa.http.server import tune_garbage_collection
from sobremesa.work.migration.passes import Progress

import_app = cyclopts.App(name="import", help="Import an exported store, or the history of another system.")
import_app.default(import_table)
import_app.command(import_table, name="table")
console = Console()
errors = Console(stderr=True)

BATCH_LINES = 10_000
"""More than a server takes at once, so that the transactions of many rooms have many messages."""
PROBLEMS_SHOWN = 100


class NoSuchFile(SobremesaError):
    """The file to import does not exist."""


class LinesRefused(SobremesaError):
    """Some lines were not imported."""


@import_app.command
async def messages(
    file: Annotated[Path, cyclopts.Parameter(help="A file with lines of JSON; - reads the standard input.")],
    /,
    *,
    tenant: Annotated[str, cyclopts.Parameter(help="The tenant of the rooms and the authors.")] = DEFAULT_TENANT,
    judge: Annotated[
        bool, cyclopts.Parameter(help="Check the messages by the moderation policy of the settings.")
    ] = True,
    store: Store = DEFAULT_STORE,
) -> None:
    """Import messages with their own times and authors, and the rooms that the file declares.

    It can run while servers use the store. Run it again to continue after an interruption, or after a correction: what
    was imported is not imported twice. Attachments are files in the folder of the imported file, or URLs.
    """
    is_file = str(file) != "-"
    if is_file and not await asyncio.to_thread(file.is_file):
        raise NoSuchFile(f"{file} does not exist.")
    tune_garbage_collection()
    expected = await _count_lines(file) if is_file else 0
    settings = Settings.from_environment(os.environ, store=store)
    folder = file.parent if is_file else await asyncio.to_thread(Path.cwd)
    async with Sobremesa.open(settings=settings, background=False, create=False) as app:
        done = 0
        async with app.imports.run(Tenant(tenant), judge=judge, folder=folder) as run:
            pieces = read_pieces(file) if is_file else _standard_input()
            with progress_shown(console, "lines") as watch:
                async for batch in batches_of(pieces, size=BATCH_LINES):
                    _print_problems(await run.add(batch), run.summary.failed)
                    done = batch[-1].number
                    watch(Progress("importing", done, expected, 0))
    summary = run.summary
    console.print(
        f"Imported {summary.imported} messages; {summary.repeated} were there before, {summary.failed} lines failed.",
        highlight=False,
        soft_wrap=True,
    )
    if summary.failed:
        raise LinesRefused(f"{summary.failed} of {done} lines were not imported.")


async def _count_lines(file: Path) -> int:
    """Return the number of lines, for the progress bar."""
    return sum([piece.count(b"\n") async for piece in read_pieces(file)])


async def _standard_input() -> AsyncIterator[bytes]:
    while piece := await asyncio.to_thread(sys.stdin.buffer.read, READ_BYTES):
        yield piece


def _print_problems(problems: list[LineProblem], failed: int) -> None:
    """Print refused lines to the standard error, up to a limit; `failed` is their number so far."""
    before = failed - len(problems)
    for problem in problems[: max(PROBLEMS_SHOWN - before, 0)]:
        text = f"line {problem.line}: {problem.code}: {problem.detail}"
        errors.print(text, highlight=False, soft_wrap=True, markup=False)
    if before < PROBLEMS_SHOWN < failed:
        errors.print("More lines failed; they are counted, but not shown.", highlight=False)
