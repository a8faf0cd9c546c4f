"""From a token to an actor: what is cached, for how long, and when it is invalidated."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from accounts.environment import Environment
from sobremesa.core.actor import Actor, UserId
from sobremesa.core.clock import SetClock
from sobremesa.core.errors import Unauthenticated
from sobremesa.domains.accounts.actor_cache import ActorCache, UserProof
from sobremesa.domains.accounts.entities import User, user_by_id
from sobremesa.table import Update, measure, set_to


async def test_cached_token_costs_no_read_for_a_second(env: Environment) -> None:
    token = (await env.register("ana")).access_token
    actor = await env.authenticate(token)
    with measure() as measured:
        assert await env.authenticate(token) is actor
    assert measured.calls == 0
    env.clock.move(seconds=1)
    with measure() as measured:
        assert await env.authenticate(token) == actor
    assert (measured.calls, measured.read) == (1, 2)


async def test_changed_user_is_visible_at_once_here_and_within_a_second_on_other_nodes(env: Environment) -> None:
    token = (await env.register("ana")).access_token
    node = env.other_node()
    actor = await env.authenticate(token)
    await node.authenticate(token)

    await env.accounts.change_profile(actor, username="anita")
    await env.accounts.grant_admin("anita")

    now = await env.authenticate(token)
    assert (now.username, now.is_admin) == ("anita", True)
    assert (await node.authenticate(token)).username == "ana"
    env.clock.move(seconds=1)
    assert await node.authenticate(token) == now


async def test_clock_that_steps_back_does_not_extend_the_cache(embedded_env: Environment) -> None:
    signed_in = await embedded_env.register("ana")
    await embedded_env.authenticate(signed_in.access_token)
    embedded_env.clock.move(seconds=-30)
    with measure() as measured:
        await embedded_env.authenticate(signed_in.access_token)
    assert measured.calls == 1


async def test_deleted_user_is_unauthenticated(env: Environment) -> None:
    signed_in = await env.register("ana")
    key = User.key(user_id=signed_in.user.user_id)
    await env.table.write(Update(key, set_to(deleted_at="2026-01-01T00:00:00.000Z")))
    with pytest.raises(Unauthenticated):
        await env.authenticate(signed_in.access_token)
    env.clock.move(seconds=1)
    assert await env.table.get(user_by_id(user_id=signed_in.user.user_id)) is not None


async def test_read_that_started_before_a_session_ended_is_not_cached(
    embedded_env: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    signed_in = await embedded_env.register("ana")
    actor = Actor(user=signed_in.user.user_id, session_id=signed_in.session_id)
    read = embedded_env.table.get_many
    reading, ended = asyncio.Event(), asyncio.Event()

    async def slow(*given: Any, **options: Any) -> object:
        rows = await read(*given, **options)
        reading.set()
        await ended.wait()
        return rows

    monkeypatch.setattr(embedded_env.table, "get_many", slow)
    request = asyncio.create_task(embedded_env.authenticate(signed_in.access_token))
    await reading.wait()
    await embedded_env.accounts.logout(actor)
    ended.set()
    await request
    with pytest.raises(Unauthenticated):
        await embedded_env.authenticate(signed_in.access_token)


async def test_cached_token_reads_nothing(embedded_env: Environment) -> None:
    token = (await embedded_env.register("ana")).access_token
    with measure() as first:
        await embedded_env.authenticate(token)
    with measure() as again:
        for _ in range(100):
            await embedded_env.authenticate(token)
    assert first.calls > 0
    assert again.calls == 0


def test_cache_is_bounded_and_keeps_the_newest_tokens() -> None:
    clock = SetClock()
    actor_cache = ActorCache(clock, max_tokens=10)
    for number in range(25):
        proof = UserProof(user_id=UserId(f"u{number}"), good_until_ms=clock.now_ms() + 1000)
        actor = Actor(user=proof.user_id)
        actor_cache.store(f"t{number}", proof, actor, read_ms=clock.now_ms(), invalidations=0)
    assert len(actor_cache._entries) <= 10
    assert set(actor_cache._tokens_of) == {entry.proof.subject for entry in actor_cache._entries.values()}
    assert actor_cache.find_actor("t24") is not None
    assert actor_cache.find_actor("t0") is None
    actor_cache.drop("t24")
    actor_cache.invalidate("u23")
    assert actor_cache.find_actor("t23") is None
    assert actor_cache.find_proof("t24") is None
    assert set(actor_cache._tokens_of) == {entry.proof.subject for entry in actor_cache._entries.values()}
