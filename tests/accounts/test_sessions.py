"""Sessions: refresh tokens rotate with every use, and reuse ends the session."""

from __future__ import annotations

import asyncio

import pytest

from accounts.environment import Environment
from sobremesa.core.actor import SessionId
from sobremesa.core.clock import SetClock
from sobremesa.core.errors import NotFound, Unauthenticated
from sobremesa.domains.accounts.entities import session_by_id
from sobremesa.domains.accounts.errors import SessionEnded
from sobremesa.domains.accounts.sessions import SESSION_SECONDS, SignedIn
from sobremesa.table import measure


async def test_refresh_returns_the_next_pair(env: Environment) -> None:
    first = await env.register("ana")
    env.clock.move(seconds=1)
    second = await env.accounts.refresh(first.refresh_token)

    assert second.user == first.user
    assert second.session_id == first.session_id
    assert second.refresh_token.startswith(f"sbr_{first.user.user_id}.{first.session_id}.")
    assert second.refresh_token != first.refresh_token
    assert second.expires_in == 600
    assert (await env.authenticate(second.access_token)).user_id == first.user.user_id


async def test_row_contains_no_token(env: Environment) -> None:
    first = await env.register("ana")
    second = await env.accounts.refresh(first.refresh_token)
    stored = str([row async for row in env.table.scan()])
    for signed_in in (first, second):
        assert signed_in.refresh_token.rpartition(".")[2] not in stored
        assert signed_in.access_token not in stored


async def test_refresh_can_be_repeated_within_ten_seconds(env: Environment) -> None:
    first = await env.register("ana")
    second = await env.accounts.refresh(first.refresh_token)
    env.clock.move(seconds=10)
    with measure() as measured:
        again = await env.accounts.refresh(first.refresh_token)
    assert again.refresh_token == second.refresh_token
    assert measured.write == 0
    await env.accounts.refresh(second.refresh_token)


async def test_two_tabs_that_refresh_at_once_get_the_same_successor(env: Environment) -> None:
    first = await env.register("ana")
    results = await asyncio.gather(*(env.accounts.refresh(first.refresh_token) for _ in range(10)))
    assert len({result.refresh_token for result in results}) == 1
    await env.accounts.refresh(results[0].refresh_token)


async def test_the_loser_of_two_rotations_gets_the_winners_successor(
    env: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await env.register("ana")
    sessions = env.accounts._sessions
    rotate = sessions._rotate

    async def too_late(*given: str) -> None:
        monkeypatch.setattr(sessions, "_rotate", rotate)
        await env.accounts.refresh(first.refresh_token)
        await rotate(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(sessions, "_rotate", too_late)
    loser = await env.accounts.refresh(first.refresh_token)
    assert loser.refresh_token == (await env.accounts.refresh(first.refresh_token)).refresh_token


async def test_late_rotation_changes_nothing(env: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    first = await env.register("ana")
    sessions = env.accounts._sessions
    rotate = sessions._rotate

    async def far_too_late(*given: str) -> None:
        monkeypatch.setattr(sessions, "_rotate", rotate)
        second = await env.accounts.refresh(first.refresh_token)
        await env.accounts.refresh(second.refresh_token)
        await rotate(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(sessions, "_rotate", far_too_late)
    with pytest.raises(SessionEnded):
        await env.accounts.refresh(first.refresh_token)


async def test_token_reuse_after_ten_seconds_ends_the_session(env: Environment) -> None:
    first = await env.register("ana")
    second = await env.accounts.refresh(first.refresh_token)
    await env.authenticate(second.access_token)
    env.clock.move(seconds=10.001)
    await _is_over(env, first.refresh_token, second)


async def test_reuse_of_a_token_whose_successor_was_used_ends_the_session(env: Environment) -> None:
    first = await env.register("ana")
    second = await env.accounts.refresh(first.refresh_token)
    third = await env.accounts.refresh(second.refresh_token)
    await _is_over(env, first.refresh_token, third)


@pytest.mark.parametrize("secret", ["AAAA", "A" * 43, "A" * 59, ""])
async def test_token_that_was_never_issued_ends_no_session(env: Environment, secret: str) -> None:
    """The ids of a session are not secret: access tokens contain them."""
    signed_in = await env.register("ana")
    with pytest.raises(SessionEnded):
        await env.accounts.refresh(f"sbr_{signed_in.user.user_id}.{signed_in.session_id}.{secret}")
    real = signed_in.refresh_token
    for wrong in (
        real[:-1] + ("A" if real[-1] != "A" else "B"),
        real[:-20] + ("B" if real[-20] != "B" else "C") + real[-19:],
        real + "A",
    ):
        with pytest.raises(SessionEnded):
            await env.accounts.refresh(wrong)
    assert (await env.accounts.refresh(real)).session_id == signed_in.session_id


async def test_token_with_the_tag_of_another_session_ends_no_session(env: Environment) -> None:
    mine, other = await env.register("ana"), await env.login("ana")
    secret = mine.refresh_token.rpartition(".")[2]
    with pytest.raises(SessionEnded):
        await env.accounts.refresh(f"sbr_{other.user.user_id}.{other.session_id}.{secret}")
    await env.accounts.refresh(other.refresh_token)


async def test_other_sessions_survive_a_copied_token(env: Environment) -> None:
    first = await env.register("ana")
    other = await env.login("ana")
    await env.accounts.refresh(first.refresh_token)
    env.clock.move(seconds=11)
    with pytest.raises(SessionEnded):
        await env.accounts.refresh(first.refresh_token)
    await env.authenticate((await env.accounts.refresh(other.refresh_token)).access_token)


async def test_session_expires_thirty_days_after_its_last_use(env: Environment) -> None:
    signed_in = await env.register("ana")
    for _ in range(3):
        env.clock.move(seconds=SESSION_SECONDS - 1)
        signed_in = await env.accounts.refresh(signed_in.refresh_token)
    env.clock.move(seconds=SESSION_SECONDS)
    with pytest.raises(SessionEnded):
        await env.accounts.refresh(signed_in.refresh_token)


@pytest.mark.parametrize(
    "token", ["", "sbr_", "sbr_a.b", "sbr_a.b.c", "a.b.c", "sbr_a#.b.c", "sbr_*.b.c", "sbr_" + "a" * 2000 + ".b.c",
              "sbr_é.b.c"],
)  # fmt: skip
async def test_malformed_refresh_token_is_refused(env: Environment, token: str) -> None:
    with pytest.raises(SessionEnded):
        await env.accounts.refresh(token)


async def test_both_tokens_are_refused_after_logout(env: Environment) -> None:
    signed_in = await env.register("ana")
    actor = await env.authenticate(signed_in.access_token)
    await env.accounts.logout(actor)
    await _is_over(env, signed_in.refresh_token, signed_in)


async def test_one_of_several_sessions_can_be_ended(env: Environment) -> None:
    phone = await env.register("ana", device="phone")
    laptop = await env.login("ana", device="laptop")
    actor = await env.authenticate(laptop.access_token)
    await env.authenticate(phone.access_token)

    await env.accounts.end_session(actor, phone.session_id)

    with pytest.raises(Unauthenticated):
        await env.authenticate(phone.access_token)
    await env.authenticate(laptop.access_token)
    with pytest.raises(NotFound):
        await env.accounts.end_session(actor, phone.session_id)


async def test_user_cannot_end_a_session_of_another(env: Environment) -> None:
    ana, bea = await env.register("ana"), await env.actor("bea")
    with pytest.raises(NotFound):
        await env.accounts.end_session(bea, ana.session_id)
    with pytest.raises(NotFound):
        await env.accounts.end_session(bea, SessionId("01JGSXXXXXXXXXXXXXXXXXXXXX"))
    await env.authenticate(ana.access_token)


async def test_ended_session_is_refused_on_another_node_within_a_second(env: Environment, clock: SetClock) -> None:
    signed_in = await env.register("ana")
    node = env.other_node()
    actor = await node.authenticate(signed_in.access_token)
    await env.accounts.logout(actor)
    clock.move(seconds=1)
    with pytest.raises(Unauthenticated):
        await node.authenticate(signed_in.access_token)


async def test_refresh_costs_two_reads_and_one_write(embedded_env: Environment) -> None:
    signed_in = await embedded_env.register("ana")
    with measure() as measured:
        await embedded_env.accounts.refresh(signed_in.refresh_token)
    assert (measured.calls, measured.read, measured.write) == (2, 2, 1)


async def _is_over(env: Environment, token: str, last: SignedIn) -> None:
    """Check that this token is refused and the session has ended with all of its tokens."""
    with pytest.raises(SessionEnded):
        await env.accounts.refresh(token)
    key = session_by_id(user_id=last.user.user_id, session_id=last.session_id)
    assert await env.table.get(key) is None
    with pytest.raises(SessionEnded):
        await env.accounts.refresh(last.refresh_token)
    with pytest.raises(Unauthenticated):
        await env.authenticate(last.access_token)
