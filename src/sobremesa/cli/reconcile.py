"""`sobremesa reconcile`: recount stored counters, and report and repair those that are wrong."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Annotated, Protocol

import cyclopts
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from sobremesa.app import Sobremesa
from sobremesa.cli.store import Store, settings_of
from sobremesa.core.actor import Tenant
from sobremesa.core.settings import DEFAULT_STORE
from sobremesa.domains.inboxes.partitions import UserPartition
from sobremesa.domains.inboxes.reconciling import Checked

console = Console()
PRINT_SECONDS = 5.0


class ShowProgress(Protocol):
    """Shows progress."""

    def checked(self, partitions: int, wrong: int) -> None: ...


async def reconcile(
    *,
    tenant: Annotated[str | None, cyclopts.Parameter(help="Recount only the inboxes of this tenant.")] = None,
    dry_run: Annotated[
        bool, cyclopts.Parameter(help="Report what is wrong without repairing it.", negative="")
    ] = False,
    store: Store = DEFAULT_STORE,
) -> None:
    """Recount inboxes, reactions, members and participants, and report and repair counters that are wrong.

    It can run while servers use the store.
    """
    partitions = wrong = 0
    async with Sobremesa.open(settings=settings_of(store), background=False, create=False) as app:
        with _progress() as shown:
            async for lines in _checked(app, None if tenant is None else Tenant(tenant), dry=dry_run):
                partitions += 1
                wrong += bool(lines)
                for line in lines:
                    console.print(line, highlight=False, soft_wrap=True, markup=False)
                shown.checked(partitions, wrong)
    done = "to repair" if dry_run else "repaired"
    console.print(f"{partitions} partitions counted, {wrong} {done}.", highlight=False, soft_wrap=True)


async def _checked(app: Sobremesa, tenant: Tenant | None, *, dry: bool) -> AsyncIterator[list[str]]:
    """Yield the lines of each recounted partition, one for every wrong counter."""
    async for checked in app.inboxes.reconciling.run(tenant=tenant, dry=dry):
        yield list(_lines_of(checked))
    if tenant is None:
        async for recounted in app.recounts().run(dry=dry):
            yield [
                f"{recounted.label}: {drift.what} {_shown(drift.stored)}, should be {_shown(drift.true)}"
                for drift in recounted.drift
            ]


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) or "none" if isinstance(value, list) else str(value)


def _lines_of(checked: Checked) -> Iterator[str]:
    partition = checked.partition
    owner = partition.user_id if isinstance(partition, UserPartition) else "broadcasts"
    for drift in checked.drift:
        changes = ", ".join(
            f"{name} {stored}, should be {true}"
            for name, stored, true in zip(drift.stored._fields, drift.stored, drift.true, strict=True)
            if stored != true
        )
        yield f"{partition.tenant}/{partition.inbox} {owner} {drift.category}: {changes}"


class _Bar:
    """On a terminal, a bar without a total: the number of partitions is not known in advance."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("counting", total=None)

    def checked(self, partitions: int, wrong: int) -> None:
        self._progress.update(self._task, description=f"{partitions} partitions counted, {wrong} wrong")


class _Lines:
    """Elsewhere, a line every few seconds."""

    def __init__(self) -> None:
        self._printed_at = time.monotonic()

    def checked(self, partitions: int, wrong: int) -> None:
        if time.monotonic() - self._printed_at >= PRINT_SECONDS:
            self._printed_at = time.monotonic()
            console.print(f"{partitions} partitions counted, {wrong} wrong", highlight=False)


@contextmanager
def _progress() -> Iterator[ShowProgress]:
    if not console.is_terminal:
        yield _Lines()
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        yield _Bar(progress)
