"""Who was sent out in this process, of which the feed has not told yet: they are not let in before it does."""

from __future__ import annotations

import asyncio

from sobremesa.live.events import Expulsion
from sobremesa.memory import Memory

BARRED_SECONDS = 15.0
"""How long somebody stays out if the feed never tells of it: it does not while nobody listens."""
FASTER_SECONDS = 2.0
"""By how much the feed may be faster than the answer to a write, where another node tells of it."""
REMEMBERED = 1000


class Barred:
    """Counts how often each was sent out, and how often the feed has told so."""

    def __init__(self, *, tells_others: bool) -> None:
        self._tells_others = tells_others
        self._times: dict[Expulsion, tuple[int, float]] = {}
        self._told_at: Memory[Expulsion, float] = Memory(REMEMBERED)

    def bar(self, expulsion: Expulsion) -> None:
        """Somebody was sent out."""
        told_at = self._told_at.find(expulsion)
        if told_at is not None and _now() - told_at < FASTER_SECONDS:
            return
        count, _ = self._times[expulsion] if expulsion in self else (0, 0.0)
        self._times[expulsion] = (count + 1, _now() + BARRED_SECONDS)

    def lift(self, expulsion: Expulsion) -> None:
        """The feed tells that somebody was sent out."""
        count, until = self._times.pop(expulsion, (0, 0.0))
        if count > 1:
            self._times[expulsion] = (count - 1, until)
        if self._tells_others:
            self._told_at.keep(expulsion, _now())

    def __contains__(self, expulsion: Expulsion) -> bool:
        found = self._times.get(expulsion)
        if found is not None and _now() > found[1]:
            del self._times[expulsion]
            return False
        return found is not None

    def __bool__(self) -> bool:
        return bool(self._times)


def _now() -> float:
    return asyncio.get_running_loop().time()
