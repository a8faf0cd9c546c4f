"""Limits: the response states what is left, requests above the limit are refused, and the allowance refills."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any

import pytest

from edge.running import ANA, KITCHEN, running, site_of, status_of
from servers import Endpoint, start_valkey
from sobremesa.http.endpoints import LimitClass
from sobremesa.http.limits import RATES, LimitReached, MemoryLimits, Rate
from sobremesa.http.redis_limits import FALLBACK_SECONDS, RedisLimits

RATES_OF_TESTS: dict[LimitClass, Rate] = {**RATES, "read": Rate(3, 30), "write": Rate(2, 60)}


class Time:
    """A clock that tests move."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


async def test_every_response_has_the_remaining_limit() -> None:
    async with running(site_of(limits=MemoryLimits(RATES_OF_TESTS, Time()))) as client:
        for left in (2, 1, 0):
            async with client.get("/v1/tables/T1", headers=ANA) as response:
                assert response.status == 200
                assert response.headers["RateLimit-Policy"] == '"read";q=3;w=30'
                assert response.headers["RateLimit"] == f'"read";r={left};t={10 * (3 - left)}'


async def test_too_many_requests_receive_retry_after_and_are_then_admitted() -> None:
    time = Time()
    async with running(site_of(limits=MemoryLimits(RATES_OF_TESTS, time))) as client:
        for _ in range(3):
            assert await status_of(client.get("/v1/tables/T1", headers=ANA)) == 200
        async with client.get("/v1/tables/T1", headers=ANA) as response:
            assert response.status == 429
            assert response.headers["Retry-After"] == "10"
            assert response.headers["RateLimit"] == '"read";r=0;t=10'
            body = await response.json(content_type="application/problem+json")
        assert body["code"] == "too_many_requests"
        assert body["retryAfter"] == 10

        time.now += 9.9
        assert await status_of(client.get("/v1/tables/T1", headers=ANA)) == 429
        time.now += 0.2
        assert await status_of(client.get("/v1/tables/T1", headers=ANA)) == 200
        assert await status_of(client.get("/v1/tables/T1", headers=ANA)) == 429
        time.now += 1000
        for status in (200, 200, 200, 429):
            assert await status_of(client.get("/v1/tables/T1", headers=ANA)) == status


async def test_limits_are_by_class_and_by_actor_or_address() -> None:
    async with running(site_of(limits=MemoryLimits(RATES_OF_TESTS, Time()))) as client:
        for _ in range(3):
            assert await status_of(client.get("/v1/tables/T1", headers=ANA)) == 200
        assert await status_of(client.get("/v1/tables/T1", headers=ANA)) == 429
        assert await status_of(client.patch("/v1/tables/T1", headers=ANA)) == 200
        assert await status_of(client.get("/v1/kitchen/orders", headers=KITCHEN)) == 200
        assert await status_of(client.get("/v1/tables")) == 200


async def test_guesses_at_tokens_are_counted_by_address() -> None:
    guess = {"Authorization": "Bearer guess"}
    async with running(site_of(limits=MemoryLimits(RATES_OF_TESTS, Time()))) as client:
        for status in (401, 401, 401, 429):
            assert await status_of(client.get("/v1/tables/T1", headers=guess)) == status
        assert await status_of(client.get("/v1/tables/T1", headers=ANA)) == 200


async def test_what_is_refused_is_not_counted() -> None:
    time = Time()
    limits = MemoryLimits(RATES_OF_TESTS, time)
    for _ in range(3):
        await limits.consume("read", "ana")
    for _ in range(100):
        with pytest.raises(LimitReached):
            await limits.consume("read", "ana")
    time.now += 10.01
    await limits.consume("read", "ana")


async def test_memory_follows_those_who_are_active(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sobremesa.http.limits.SWEEP_EVERY", 10)
    time = Time()
    limits = MemoryLimits(RATES_OF_TESTS, time)
    for person in range(100):
        await limits.consume("read", f"person {person}")
        time.now += 5
    assert len(limits._full_at) < 20


@asynccontextmanager
async def shared(
    url: str, now: Callable[[], float] | None = None, patience: float = 0.25
) -> AsyncIterator[RedisLimits]:
    limits = RedisLimits(url, RATES_OF_TESTS, now or monotonic, patience)
    try:
        yield limits
    finally:
        await limits.close()


async def test_nodes_share_one_bucket(valkey: Endpoint) -> None:
    async with shared(valkey.url) as one, shared(valkey.url) as other:
        left = [(await limits.consume("read", "shared")).headers[1][1] for limits in (one, other, one)]
        assert [int(_remaining(state)) for state in left] == [2, 1, 0]
        for limits in (one, other):
            with pytest.raises(LimitReached) as caught:
                await limits.consume("read", "shared")
            assert 9 <= caught.value.data["retry_after"] <= 10
        await other.consume("read", "another user")
        await other.consume("write", "shared")


async def test_many_at_once_get_exactly_what_there_is(valkey: Endpoint) -> None:
    async with shared(valkey.url, patience=30) as one, shared(valkey.url, patience=30) as other:
        tries = [limits.consume("read", "many") for limits in (one, other) for _ in range(50)]
        outcomes: list[Any] = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(not isinstance(outcome, Exception) for outcome in outcomes) == 3
    assert sum(isinstance(outcome, LimitReached) for outcome in outcomes) == 97


async def test_a_shared_bucket_refills(valkey: Endpoint) -> None:
    limits = RedisLimits(valkey.url, {**RATES, "read": Rate(2, 2.0)})
    for _ in range(2):
        await limits.consume("read", "refill")
    with pytest.raises(LimitReached):
        await limits.consume("read", "refill")
    while True:  # until Valkey's own clock has moved on
        with contextlib.suppress(LimitReached):
            await limits.consume("read", "refill")
            break
    await limits.close()


async def test_without_the_server_each_process_counts_for_itself(logged: list[dict[str, Any]]) -> None:
    time = Time()
    with start_valkey() as server:
        async with shared(server.url, time) as limits:
            await limits.consume("read", "ana")
    async with shared(server.url, time) as limits:
        for _ in range(3):
            await limits.consume("read", "ana")
        with pytest.raises(LimitReached):
            await limits.consume("read", "ana")
        # One warning, and the server is left alone for a while.
        assert [line["log_level"] for line in logged] == ["warning"]
        time.now += FALLBACK_SECONDS
        with pytest.raises(LimitReached):
            await limits.consume("read", "ana")
        assert len(logged) == 2


def _remaining(state: bytes) -> str:
    found = re.search(rb";r=(\d+);", state)
    assert found is not None
    return found[1].decode()
