"""When an attempt is repeated: a few quick retries for a hiccup, then exponentially longer pauses, for a day."""

from __future__ import annotations

import random
from collections.abc import Callable

QUICK_SECONDS = (0.05, 0.1, 0.2, 0.3, 0.5)
"""The pauses after the first failures: most are over in a moment, and the events behind one wait for it."""
LONGEST_SECONDS = 3600.0
GIVE_UP_SECONDS = 24 * 3600
JITTER = 0.25
"""The share of a pause that is random, so that events that failed together are not repeated together."""
MAX_RETRY_AFTER_SECONDS = 3600.0

Jitter = Callable[[], float]


def pause_after(tried: int, retry_after: float | None = None, jitter: Jitter = random.random) -> float:
    """Return the seconds until the next attempt; a receiver may ask for a longer pause, up to an hour."""
    if tried <= len(QUICK_SECONDS):
        pause = QUICK_SECONDS[tried - 1]
    else:
        pause = min(2.0 ** min(tried - len(QUICK_SECONDS) - 1, 16), LONGEST_SECONDS)
    pause *= 1 - JITTER * jitter()
    return pause if retry_after is None else max(pause, min(retry_after, MAX_RETRY_AFTER_SECONDS))


def endpoint_pause(failed_passes: int, jitter: Jitter = random.random) -> float:
    """Return the seconds to leave an endpoint alone at which everything failed, this many times in a row."""
    return min(2.0 ** min(failed_passes - 1, 16), 300.0) * (1 - JITTER * jitter())
