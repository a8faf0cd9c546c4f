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
TIMEOUT_SECONDS = 0.25
FALLBACK_SECONDS = 1.0
"""How long to count in this process before trying again: an unreachable Redis delays one request a second only."""

# The clock is the server's own, so that nodes whose clocks differ still share one bucket. Times are in
# microseconds: a Lua number is exact up to 2^53.
_CONSUME = """
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
    """Buckets shared in Redis. While Redis is not reachable, each process counts for itself."""

    def __init__(
        self,
        url: str,
        rates: Mapping[LimitClass, Rate] = RATES,
        now: Callable[[], float] = time.monotonic,
        timeout: float = TIMEOUT_SECONDS,
    ) -> None:
        self._rates = rates
        self._now = now
        self._client = redis.asyncio.Redis.from_url(
            url,
            socket_timeout=timeout,
            socket_connect_timeout=timeout,
            # The client would retry for seconds, while the request waits.
            retry=Retry(NoBackoff(), 0),
        )
        self._consume: Any = self._client.register_script(_CONSUME)
        self._fallback = MemoryLimits(rates, now)
        self._fallback_until = 0.0

    async def consume(self, limit: LimitClass, caller: str) -> Allowance:
        if self._now() < self._fallback_until:
            return await self._fallback.consume(limit, caller)
        rate = self._rates[limit]
        arguments = [round(rate.interval * 1_000_000), round(rate.seconds * 1_000_000)]
        try:
            allowed, micros = await self._consume(keys=[f"{PREFIX}{limit}:{caller}"], args=arguments)
        except (RedisError, OSError) as error:
            self._fallback_until = self._now() + FALLBACK_SECONDS
            _log.warning("Redis is not reachable: rate limits are counted per process", why=type(error).__name__)
            return await self._fallback.consume(limit, caller)
        if not allowed:
            raise LimitReached(limit, rate, micros / 1_000_000)
        return allowance(limit, rate, micros / 1_000_000)

    async def close(self) -> None:
        await self._client.aclose()
