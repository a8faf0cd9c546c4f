"""Progress: a bar on a terminal, plain lines otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn


class Steps:
    """Some steps of one part of the run, ticked off one by one."""

    def __init__(self, bar: Progress | None, name: str, total: int) -> None:
        self._bar = bar
        self._name = name
        self._task = bar.add_task(name, total=total) if bar else None

    def done(self, what: str) -> None:
        if self._bar and self._task is not None:
            self._bar.update(self._task, advance=1, description=f"{self._name}: {what}")


@contextmanager
def steps(console: Console, name: str, total: int) -> Iterator[Steps]:
    """Shows how far a part of the run is."""
    started = perf_counter()
    if console.is_terminal:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=console, transient=True) as bar:
            yield Steps(bar, name, total)
    else:
        console.print(f"{name} ...")
        yield Steps(None, name, total)
    console.print(f"{name}: {perf_counter() - started:.0f} s")
