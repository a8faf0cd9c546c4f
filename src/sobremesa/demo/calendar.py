"""Relative times in the data of the demo, and a clock that can be set.

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

_DAYS_AGO = re.compile(r"(-?\d+) (\d\d):(\d\d)")
_MINUTES_AGO = re.compile(r"-(\d+)m")
_moment: ContextVar[int] = ContextVar("moment")


class Calendar:
    """Relative times, seen from now."""

    def __init__(self, now_ms: int) -> None:
        self.now_ms = now_ms
        self._today = datetime.fromtimestamp(now_ms / 1000).astimezone()

    def moment(self, written: str) -> int:
        """Return a time in milliseconds; ValueError if the text is not a time."""
        if found := _MINUTES_AGO.fullmatch(written):
            return self.now_ms - int(found[1]) * 60_000
        if found := _DAYS_AGO.fullmatch(written):
            days, hour, minute = map(int, found.groups())
            day = self._today - timedelta(days=days)
            return round(day.replace(hour=hour, minute=minute, second=0, microsecond=0).timestamp() * 1000)
        raise ValueError(f"not a time: {written!r}")

    def past(self, written: str) -> int:
        """Return a time in milliseconds, at the latest one second ago."""
        return min(self.moment(written), self.now_ms - 1000)

    def day(self, written: str) -> datetime:
        """Return a time as a `datetime` in UTC."""
        return datetime.fromtimestamp(self.moment(written) / 1000, UTC)


class At(str):
    """A relative time inside data that becomes JSON."""

    __slots__ = ()


def dated(value: Any, calendar: Calendar) -> Any:
    """Return the data with every `At` replaced by a timestamp."""
    match value:
        case At():
            return instant(calendar.moment(value))
        case dict():
            return {name: dated(each, calendar) for name, each in value.items()}
        case list():
            return [dated(each, calendar) for each in value]
        case _:
            return value


class SettableClock(Clock):
    """Returns the time that was set for the current task, or else the time of the machine."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()

    def now_ms(self) -> int:
        set_to = _moment.get(None)
        return self._clock.now_ms() if set_to is None else set_to

    @contextmanager
    def at(self, moment_ms: int) -> Iterator[None]:
        """Set the time for the block, and for tasks that are created in it."""
        before = _moment.set(moment_ms)
        try:
            yield
        finally:
            _moment.reset(before)

    def go_to(self, moment_ms: int) -> None:
        """Set the time for the rest of the current task."""
        _moment.set(moment_ms)
