"""When things happened: moments as people write them, and a clock that can be told one.

A moment is `12 19:30`, twelve days ago at half past seven in the evening where the machine is; `-3 11:00`, in three
days; or `-45m`, forty-five minutes ago.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from typing import Any

from sobremesa.core.clock import Clock, SystemClock, instant

DAY_MS = 86_400_000

_DAYS_AGO = re.compile(r"(-?\d+) (\d\d):(\d\d)")
_MINUTES_AGO = re.compile(r"-(\d+)m")
_told: ContextVar[int] = ContextVar("moment")


class Calendar:
    """Moments seen from now."""

    def __init__(self, now_ms: int) -> None:
        self.now_ms = now_ms
        self._today = datetime.fromtimestamp(now_ms / 1000).astimezone()

    def moment(self, written: str) -> int:
        """A moment in milliseconds; ValueError if it is written otherwise."""
        if found := _MINUTES_AGO.fullmatch(written):
            return self.now_ms - int(found[1]) * 60_000
        if found := _DAYS_AGO.fullmatch(written):
            days, hour, minute = map(int, found.groups())
            day = self._today - timedelta(days=days)
            return round(day.replace(hour=hour, minute=minute, second=0, microsecond=0).timestamp() * 1000)
        raise ValueError(f"no moment: {written!r}")

    def past(self, written: str) -> int:
        """The same, and never later than a moment ago."""
        return min(self.moment(written), self.now_ms - 1000)

    def day(self, written: str) -> datetime:
        """A moment as a date with its zone."""
        return datetime.fromtimestamp(self.moment(written) / 1000, UTC)


class At(str):
    """A moment inside of data that becomes JSON."""

    __slots__ = ()


def dated(value: Any, calendar: Calendar) -> Any:
    """The same data, with every `At` as the API writes times."""
    match value:
        case At():
            return instant(calendar.moment(value))
        case dict():
            return {name: dated(each, calendar) for name, each in value.items()}
        case list():
            return [dated(each, calendar) for each in value]
        case _:
            return value


class StoryClock(Clock):
    """Tells the moment that the task which asks was told, and otherwise the time."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()

    def now_ms(self) -> int:
        told = _told.get(None)
        return self._clock.now_ms() if told is None else told

    @contextmanager
    def at(self, moment_ms: int) -> Iterator[None]:
        """It is this moment for the block, and for tasks that are begun in it."""
        before = _told.set(moment_ms)
        try:
            yield
        finally:
            _told.reset(before)

    def go_to(self, moment_ms: int) -> None:
        """It is this moment from now on, for the task that says so."""
        _told.set(moment_ms)
