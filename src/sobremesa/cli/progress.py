"""Progress of long commands: a bar with rate and time left on a terminal, a line every few seconds elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bar
from rich.text import Text

from sobremesa.work.migration.passes import Progress, Watch

LINE_SECONDS = 2.0


class _Rate(ProgressColumn):
    """The number of rows per second."""

    def __init__(self, things: str) -> None:
        super().__init__()
        self._things = things

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f} {self._things}/s")


@contextmanager
def progress_shown(console: Console, things: str = "rows") -> Iterator[Watch]:
    """Yield a callback that shows progress until the end of the block; `things` names what is counted."""
    if not console.is_terminal:
        yield _Lines(console, things)
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), _Rate(things))
    with Bar(*columns, TimeRemainingColumn(), console=console) as bar:
        yield _Bars(bar)


class _Bars:
    """A bar for each step."""

    def __init__(self, bar: Bar) -> None:
        self._bar = bar
        self._tasks: dict[str, TaskID] = {}

    def __call__(self, progress: Progress) -> None:
        if progress.what not in self._tasks:
            self._tasks[progress.what] = self._bar.add_task(progress.what, total=progress.expected or None)
        expected = max(progress.done, progress.expected) if progress.expected else None
        self._bar.update(self._tasks[progress.what], completed=progress.done, total=expected)


class _Lines:
    """A line every few seconds, for logs and pipes."""

    def __init__(self, console: Console, things: str) -> None:
        self._console = console
        self._things = things
        self._what = ""
        self._started_at = self._printed_at = time.monotonic()
        self._first = 0

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if progress.what != self._what:
            self._what, self._started_at, self._first, self._printed_at = progress.what, now, progress.done, 0.0
        if now - self._printed_at < LINE_SECONDS:
            return
        self._printed_at = now
        rate = (progress.done - self._first) / max(now - self._started_at, 0.001)
        # What is expected is an estimate, which rows that are added meanwhile exceed.
        of = f" of {progress.expected}" if progress.expected and progress.expected >= progress.done else ""
        left = ""
        if rate > 0 and progress.expected > progress.done:
            left = f", {(progress.expected - progress.done) / rate:.0f} s left"
        cost = f", {progress.units:.0f} units" if progress.units else ""
        line = f"{progress.what}: {progress.done}{of} {self._things}, {rate:.0f} {self._things}/s{cost}{left}"
        self._console.print(line, highlight=False, soft_wrap=True)
