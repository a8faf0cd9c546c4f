"""Times from clients: any time with a time zone, stored in the one format that sorts chronologically."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, TypeAlias

import msgspec

from sobremesa.core.clock import Instant, instant
from sobremesa.domains.threads.errors import NotInFuture

Moment: TypeAlias = Annotated[datetime, msgspec.Meta(tz=True, examples=["2026-11-16T09:30:00.000Z"])]
"""An RFC 3339 time with its time zone."""

_START = datetime(1970, 1, 1, tzinfo=UTC)


def instant_of(moment: datetime) -> Instant:
    """Return the fixed-width text of a time; NotInFuture for one that has none, such as the year 10,000."""
    since = (moment - _START) // timedelta(milliseconds=1)
    if since < 0:
        raise NotInFuture
    try:
        return instant(since)
    except (OverflowError, ValueError, OSError):
        raise NotInFuture from None


def future(moment: datetime, now: Instant) -> Instant:
    """Return the text of a future time; NotInFuture otherwise."""
    at = instant_of(moment)
    if at <= now:
        raise NotInFuture
    return at
