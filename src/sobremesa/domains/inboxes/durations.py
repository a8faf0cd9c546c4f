"""Durations as text: a number and `s`, `m`, `h`, `d` or `w`."""

from __future__ import annotations

import re

PATTERN = r"^[1-9][0-9]{0,8}[smhdw]$"
MAX_SECONDS = 100 * 366 * 86400

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_DURATION = re.compile(PATTERN)


def find_seconds(text: str | None) -> int | None:
    """Return the seconds of a duration, at most a hundred years; None if it is invalid."""
    if text is None or not _DURATION.fullmatch(text):
        return None
    seconds = int(text[:-1]) * _UNITS[text[-1]]
    return seconds if seconds <= MAX_SECONDS else None
