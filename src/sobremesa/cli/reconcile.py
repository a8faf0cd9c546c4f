"""`sobremesa reconcile`: count everything again, tell what is wrong, and mend it."""

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
SAID_EVERY_SECONDS = 5.0


class Shown(Protocol):
    """Shows how far it is."""

    def checked(self, places: int, wrong: int) -> None: ...


async def reconcile(
    *,
    tenant: Annotated[str | None, cyclopts.Parameter(help="Only the inboxes of this tenant, and nothing else.")] = None,
    dry_run: Annotated[bool, cyclopts.Parameter(help="Only tell what is wrong.", negative="")] = False,
    store: Store = DEFAULT_STORE,
) -> None:
    """Count inboxes, reactions, members and participants again, tell what is wrong, and mend it.

    It works beside a running server.
    """
    places = wrong = 0
    async with Sobremesa.open(settings=settings_of(store), background=False, create=False) as app:
        with _showing() as shown:
            async for lines in _checked(app, None if tenant is None else Tenant(tenant), dry=dry_run):
                places += 1
                wrong += bool(lines)
                for line in lines:
                    console.print(line, highlight=False, soft_wrap=True, markup=False)
                shown.checked(places, wrong)
    done = "would be mended" if dry_run else "mended"
    console.print(f"{places} places counted, {wrong} {done}.", highlight=False, soft_wrap=True)


async def _checked(app: Sobremesa, tenant: Tenant | None, *, dry: bool) -> AsyncIterator[list[str]]:
    """For each place that was counted again, a line for everything that was wrong there."""
    async for checked in app.inboxes.reconciling.run(tenant=tenant, dry=dry):
        yield list(_told(checked))
    if tenant is None:
        async for recounted in app.recounts().run(dry=dry):
            yield [
                f"{recounted.label}: {drift.what} {_shown(drift.stored)} is {_shown(drift.true)}"
                for drift in recounted.drift
            ]


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) or "none" if isinstance(value, list) else str(value)


def _told(checked: Checked) -> Iterator[str]:
    place = checked.partition
    who = place.user_id if isinstance(place, UserPartition) else "everyone"
    for drift in checked.drift:
        changes = ", ".join(
            f"{name} {stored} is {true}"
            for name, stored, true in zip(drift.stored._fields, drift.stored, drift.true, strict=True)
            if stored != true
        )
        yield f"{place.tenant}/{place.inbox} {who} {drift.category}: {changes}"


class _Bar:
    """On a terminal, one line that moves; how many places there are is not known before all are read."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("counting", total=None)

    def checked(self, places: int, wrong: int) -> None:
        self._progress.update(self._task, description=f"{places} places counted, {wrong} wrong")


class _Lines:
    """Elsewhere, a line now and then."""

    def __init__(self) -> None:
        self._said = time.monotonic()

    def checked(self, places: int, wrong: int) -> None:
        if time.monotonic() - self._said >= SAID_EVERY_SECONDS:
            self._said = time.monotonic()
            console.print(f"{places} places counted, {wrong} wrong", highlight=False)


@contextmanager
def _showing() -> Iterator[Shown]:
    if not console.is_terminal:
        yield _Lines()
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        yield _Bar(progress)
