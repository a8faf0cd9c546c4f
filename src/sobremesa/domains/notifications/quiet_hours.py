"""Quiet hours: a span of each day in the user's own time zone in which no digest is sent."""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from sobremesa.domains.notifications.errors import UnknownTimeZone

DEFAULT_ZONE = "UTC"
MAX_ZONE = 64

# Names without a region, such as `localtime`, depend on the machine.
_ZONE = re.compile(r"UTC|GMT|[A-Z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9_+-]+){1,2}")


def require_zone(name: str) -> ZoneInfo:
    """Return the time zone of this name; UnknownTimeZone if there is none."""
    if len(name) > MAX_ZONE or not _ZONE.fullmatch(name):
        raise UnknownTimeZone
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, LookupError):
        raise UnknownTimeZone from None


class QuietHours(NamedTuple):
    """From `start` until before `end`, over midnight if it is the later one."""

    start: time
    end: time

    @classmethod
    def parse(cls, start: str, end: str) -> QuietHours:
        return cls(time.fromisoformat(start), time.fromisoformat(end))

    def end_ms(self, now_ms: int, zone: ZoneInfo) -> int | None:
        """Return when the quiet hours that contain this moment end; None if it is not in any."""
        now = datetime.fromtimestamp(now_ms / 1000, zone)
        if not self._contains(now.time()):
            return None
        day = now.date() if now.time() < self.end else now.date() + timedelta(days=1)
        # When clocks are set back, the end occurs twice: the first may be past. When they are set forward, it may not
        # occur at all: it is then as long after the jump as it would have been without.
        ends = [round(datetime.combine(day, self.end, zone).replace(fold=fold).timestamp() * 1000) for fold in (0, 1)]
        return next((end for end in sorted(ends) if end > now_ms), now_ms + 1)

    def _contains(self, at: time) -> bool:
        if self.start < self.end:
            return self.start <= at < self.end
        return at >= self.start or at < self.end
