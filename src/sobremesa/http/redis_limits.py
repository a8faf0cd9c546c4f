"""Rate limits that several nodes share, in Redis or Valkey."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import redis.asyncio
import structlog
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from sobremesa.http.endpoints import LimitClass
from sobremesa.http.limits import RATES, Allowance, LimitReached, MemoryLimits, Rate, allowance

PREFIX = "sobremesa:limit:"
ANSWER_WITHIN_SECONDS = 0.25
ALONE_SECONDS = 1.0
"""How long to count alone before asking again, so that a server which is gone slows down one request a second only."""

# The clock is the server's own, so that nodes whose clocks differ still share one bucket. Times are in
# microseconds: a Lua number is exact up to 2^53.
_TAKE = """
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local interval, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local full_at = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now) + interval
if full_at - now > window then
    return {0, full_at - now - window}
end
redis.call('SET', KEYS[1], string.format('%.0f', full_at), 'PX', math.ceil((full_at - now) / 1000))
return {1, full_at - now}
"""

_log = structlog.get_logger("sobremesa.http")


class RedisLimits:
    """The same buckets, shared. While Redis does not answer, each process counts for itself."""

    def __init__(
        self,
        url: str,
        rates: Mapping[LimitClass, Rate] = RATES,
        now: Callable[[], float] = time.monotonic,
        answer_within: float = ANSWER_WITHIN_SECONDS,
    ) -> None:
        self._rates = rates
        self._now = now
        self._client = redis.asyncio.Redis.from_url(
            url,
            socket_timeout=answer_within,
            socket_connect_timeout=answer_within,
            # The client would try again for seconds, while the request waits.
            retry=Retry(NoBackoff(), 0),
        )
        self._take: Any = self._client.register_script(_TAKE)
        self._alone = MemoryLimits(rates, now)
        self._alone_until = 0.0

    async def take(self, limit: LimitClass, who: str) -> Allowance:
        if self._now() < self._alone_until:
            return await self._alone.take(limit, who)
        rate = self._rates[limit]
        arguments = [round(rate.interval * 1_000_000), round(rate.seconds * 1_000_000)]
        try:
            allowed, micros = await self._take(keys=[f"{PREFIX}{limit}:{who}"], args=arguments)
        except (RedisError, OSError) as error:
            self._alone_until = self._now() + ALONE_SECONDS
            _log.warning("limits are counted in this process alone", why=type(error).__name__)
            return await self._alone.take(limit, who)
        if not allowed:
            raise LimitReached(limit, rate, micros / 1_000_000)
        return allowance(limit, rate, micros / 1_000_000)

    async def close(self) -> None:
        await self._client.aclose()
