"""Rate limits: how often an actor or an address may do a class of things.

Each class is a bucket that refills evenly (the generic cell rate algorithm): a burst at once, then a steady rate.
The classes are wide enough that people and well-made clients never meet them. In one process the buckets are in
memory; several nodes share them in Redis.
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
        """The seconds in which one more is allowed."""
        return self.seconds / self.burst


RATES: Mapping[LimitClass, Rate] = {
    "read": Rate(600, 30),
    "write": Rate(200, 60),
    "send": Rate(120, 30),
    # Each may fill a good part of a disk, and costs a look at what is in it.
    "upload": Rate(60, 600),
    # Guessing passwords is what this one is for: by address, and by account (see accounts).
    "credentials": Rate(60, 300),
    "heavy": Rate(10, 600),
    # Each brings a snapshot with it; a client that comes back waits a little longer each time.
    "identify": Rate(300, 60),
}


class Allowance(NamedTuple):
    """What is left of a limit, as headers tell it."""

    headers: tuple[tuple[bytes, bytes], ...] = ()


UNLIMITED = Allowance()


class LimitReached(TooMany):
    """This actor or address has used up a limit; the headers say which, and until when."""

    def __init__(self, limit: LimitClass, rate: Rate, wait_seconds: float) -> None:
        wait = max(1, math.ceil(wait_seconds))
        super().__init__(f"Too many requests of the class {limit}: wait {wait} s.", retry_after=wait)
        self.headers = (_policy(limit, rate), _state(limit, 0, wait))


class Limits(Protocol):
    """Counts; TooMany when it is too often."""

    async def take(self, limit: LimitClass, who: str) -> Allowance: ...

    async def close(self) -> None: ...


class NoLimits:
    """Everything is allowed."""

    async def take(self, limit: LimitClass, who: str) -> Allowance:
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

    async def take(self, limit: LimitClass, who: str) -> Allowance:
        rate = self._rates[limit]
        now = self._now()
        full_at = max(self._full_at.get((limit, who), now), now) + rate.interval
        if full_at - now > rate.seconds + 1e-9:
            raise LimitReached(limit, rate, full_at - now - rate.seconds)
        self._full_at[limit, who] = full_at
        self._sweep(now)
        return allowance(limit, rate, full_at - now)

    async def close(self) -> None:
        pass

    def _sweep(self, now: float) -> None:
        """Forget full buckets now and then, so that memory follows those who are active."""
        self._until_sweep -= 1
        if self._until_sweep <= 0:
            self._full_at = {key: full_at for key, full_at in self._full_at.items() if full_at > now}
            self._until_sweep = SWEEP_EVERY


@lru_cache(maxsize=4096)
def origin_of(address: str) -> str:
    """What limits take for one place: an IPv4 address, or the network of 64 bits that an IPv6 address comes from."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv4Address):
        return address
    return str(parsed.ipv4_mapped or ip_network((parsed, 64), strict=False))


def allowance(limit: LimitClass, rate: Rate, used_seconds: float) -> Allowance:
    """The headers of a bucket from which so many seconds' worth was taken."""
    remaining = max(0, int((rate.seconds - used_seconds) / rate.interval + 1e-9))
    return Allowance((_policy(limit, rate), _state(limit, remaining, math.ceil(used_seconds))))


@cache
def _policy(limit: LimitClass, rate: Rate) -> tuple[bytes, bytes]:
    return b"ratelimit-policy", b'"%b";q=%d;w=%d' % (limit.encode(), rate.burst, rate.seconds)


def _state(limit: LimitClass, remaining: int, seconds: int) -> tuple[bytes, bytes]:
    return b"ratelimit", b'"%b";r=%d;t=%d' % (limit.encode(), remaining, seconds)
