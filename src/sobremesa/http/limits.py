"""Rate limits of actors and addresses, by class of request.

Each class is a bucket that refills evenly (the generic cell rate algorithm): a burst at once, then a steady rate. The
limits are high enough that users and well-behaved clients never reach them. One process keeps the buckets in memory;
several nodes share them in Redis.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from ipaddress import IPv4Address, ip_address, ip_network
from typing import NamedTuple, Protocol

from sobremesa.core.errors import TooMany
from sobremesa.http.endpoints import LimitClass

SWEEP_EVERY = 10_000


class Rate(NamedTuple):
    """`burst` at once, refilled evenly within `seconds`."""

    burst: int
    seconds: float

    @property
    def interval(self) -> float:
        """The seconds after which one more is allowed."""
        return self.seconds / self.burst


RATES: Mapping[LimitClass, Rate] = {
    "read": Rate(600, 30),
    "write": Rate(200, 60),
    "send": Rate(120, 30),
    # Each may fill a good part of a disk, and has to be inspected.
    "upload": Rate(60, 600),
    # Limits password guessing: by address, and by account (see accounts).
    "credentials": Rate(60, 300),
    "heavy": Rate(10, 600),
    # Each sends a snapshot; a client that reconnects waits a little longer each time.
    "identify": Rate(300, 60),
}


class Allowance(NamedTuple):
    """What is left of a limit, as response headers."""

    headers: tuple[tuple[bytes, bytes], ...] = ()


UNLIMITED = Allowance()


class LimitReached(TooMany):
    """An actor or an address has reached a limit; the headers state which, and until when."""

    def __init__(self, limit: LimitClass, rate: Rate, wait_seconds: float) -> None:
        wait = max(1, math.ceil(wait_seconds))
        super().__init__(f"Too many requests (limit: {limit}). Try again in {wait} s.", retry_after=wait)
        self.headers = (_policy(limit, rate), _state(limit, 0, wait))


class Limits(Protocol):
    """Counts requests; LimitReached beyond the limit."""

    async def consume(self, limit: LimitClass, caller: str) -> Allowance: ...

    async def close(self) -> None: ...


class NoLimits:
    """No rate limits."""

    async def consume(self, limit: LimitClass, caller: str) -> Allowance:
        return UNLIMITED

    async def close(self) -> None:
        pass


class MemoryLimits:
    """The buckets of one process."""

    def __init__(self, rates: Mapping[LimitClass, Rate] = RATES, now: Callable[[], float] = time.monotonic) -> None:
        self._rates = rates
        self._now = now
        self._full_at: dict[tuple[LimitClass, str], float] = {}
        self._until_sweep = SWEEP_EVERY

    async def consume(self, limit: LimitClass, caller: str) -> Allowance:
        rate = self._rates[limit]
        now = self._now()
        full_at = max(self._full_at.get((limit, caller), now), now) + rate.interval
        if full_at - now > rate.seconds + 1e-9:
            raise LimitReached(limit, rate, full_at - now - rate.seconds)
        self._full_at[limit, caller] = full_at
        self._sweep(now)
        return allowance(limit, rate, full_at - now)

    async def close(self) -> None:
        pass

    def _sweep(self, now: float) -> None:
        """Remove full buckets periodically, so that memory is used for active callers only."""
        self._until_sweep -= 1
        if self._until_sweep <= 0:
            self._full_at = {key: full_at for key, full_at in self._full_at.items() if full_at > now}
            self._until_sweep = SWEEP_EVERY


@lru_cache(maxsize=4096)
def network_of(address: str) -> str:
    """Return what limits count as one address: an IPv4 address, or the /64 network of an IPv6 address."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv4Address):
        return address
    return str(parsed.ipv4_mapped or ip_network((parsed, 64), strict=False))


def allowance(limit: LimitClass, rate: Rate, used_seconds: float) -> Allowance:
    """Return the headers of a bucket with this much of it used."""
    remaining = max(0, int((rate.seconds - used_seconds) / rate.interval + 1e-9))
    return Allowance((_policy(limit, rate), _state(limit, remaining, math.ceil(used_seconds))))


@cache
def _policy(limit: LimitClass, rate: Rate) -> tuple[bytes, bytes]:
    return b"ratelimit-policy", b'"%b";q=%d;w=%d' % (limit.encode(), rate.burst, rate.seconds)


def _state(limit: LimitClass, remaining: int, seconds: int) -> tuple[bytes, bytes]:
    return b"ratelimit", b'"%b";r=%d;t=%d' % (limit.encode(), remaining, seconds)
