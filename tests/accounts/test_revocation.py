"""Revoked tokens and disabled users are refused at once, and the log has the reason."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from structlog.testing import capture_logs

from accounts.environment import PASSWORD, Environment, environment_on
from accounts.test_issuers import EC, Product, issuer, key_set
from sobremesa.core.actor import Actor, KeyId, Tenant
from sobremesa.core.clock import SetClock
from sobremesa.core.errors import Unauthenticated
from sobremesa.domains.accounts.errors import AccountDisabled, BadCredentials, LogoutUnavailable, SessionEnded
from sobremesa.domains.accounts.external_ids import claim_external_id
from sobremesa.table import Table, Update, measure, set_to

ACME = Tenant("acme")
KEY = Actor(tenant=ACME, key_id=KeyId("k"), scopes=frozenset({"users:write"}))
OURS = Actor(key_id=KeyId("k"), scopes=frozenset({"users:write"}))


@pytest.fixture
def product(clock: SetClock) -> Product:
    return Product(clock)


def issued(product: Product, subject: str = "42", *, ago: float = 0, **claims: Any) -> str:
    """Return a token that was issued some seconds ago."""
    return product.token(subject, iat=product.clock.now_ms() / 1000 - ago, **claims)


async def registered(env: Environment, name: str = "ana") -> str:
    """Register a user with the external id 42, and return the access token."""
    signed_in = await env.register(name)
    user = signed_in.user
    await env.table.write(
        claim=claim_external_id(user.tenant, "42", user.user_id, user.created_at),
        user=Update(user.own_key(), set_to(external_id="42")),
    )
    return signed_in.access_token


async def test_tokens_issued_before_a_revocation_are_refused_on_every_node(
    table: Table, clock: SetClock, product: Product
) -> None:
    async with environment_on(table, clock, issuers=[issuer(tenant="acme")]) as env:
        other = env.other_node(issuers=[issuer(tenant="acme")])
        old, undated = issued(product, ago=60), product.token("42")
        for node in (env, other):
            for token in (old, undated):
                await node.authenticate(token)

        await env.accounts.revoke_tokens(KEY, ACME, "42")

        for token in (old, undated, issued(product, ago=0.001)):
            with pytest.raises(Unauthenticated):
                await env.authenticate(token)
        clock.move(seconds=1)
        for token in (old, undated):
            with pytest.raises(Unauthenticated):
                await other.authenticate(token)
        for node in (env, other):
            assert (await node.authenticate(issued(product))).username == "Ana"


async def test_known_token_of_a_revoked_user_costs_one_read(embedded_env: Environment, product: Product) -> None:
    env = embedded_env.other_node(issuers=[issuer(tenant="acme")])
    await env.authenticate(issued(product))
    await env.accounts.revoke_tokens(KEY, ACME, "42")
    embedded_env.clock.move(seconds=1)
    token = issued(product)
    await env.authenticate(token)
    embedded_env.clock.move(seconds=1)
    with measure() as measured:
        await env.authenticate(token)
    assert (measured.calls, measured.read) == (1, 1)


async def test_revocation_ends_the_sessions_of_a_registered_user(env: Environment) -> None:
    access = await registered(env)
    phone = await env.login("ana")
    await env.accounts.revoke_tokens(OURS, OURS.tenant, "42")
    for token in (access, phone.access_token):
        with pytest.raises(Unauthenticated):
            await env.authenticate(token)
    with pytest.raises(SessionEnded):
        await env.accounts.refresh(phone.refresh_token)
    assert (await env.authenticate((await env.login("ana")).access_token)).username == "ana"


async def test_disabled_user_is_refused_until_enabled(table: Table, clock: SetClock, product: Product) -> None:
    async with environment_on(table, clock, issuers=[issuer(tenant="acme")]) as env:
        other = env.other_node(issuers=[issuer(tenant="acme")])
        token = issued(product)
        for node in (env, other):
            await node.authenticate(token)

        disabled = await env.accounts.disable_user(KEY, ACME, "42")

        assert disabled.disabled_at is not None
        clock.move(seconds=1)
        for node in (env, other):
            with pytest.raises(AccountDisabled):
                await node.authenticate(token)
            with pytest.raises(AccountDisabled):
                await node.authenticate(issued(product))
        assert (await env.accounts.disable_user(KEY, ACME, "42")).disabled_at == disabled.disabled_at
        assert (await env.accounts.enable_user(KEY, ACME, "42")).disabled_at is None
        clock.move(seconds=1)
        for node in (env, other):
            await node.authenticate(token)


async def test_disabled_user_can_neither_log_in_nor_refresh(env: Environment) -> None:
    access = await registered(env)
    phone = await env.login("ana")
    await env.accounts.disable_user(OURS, OURS.tenant, "42")
    with pytest.raises(AccountDisabled):
        await env.authenticate(access)
    with pytest.raises(AccountDisabled):
        await env.accounts.refresh(phone.refresh_token)
    with pytest.raises(AccountDisabled):
        await env.login("ana")
    with pytest.raises(BadCredentials):  # the state of an account is not shown to a stranger
        await env.login("ana", password="wrong horse")
    await env.accounts.enable_user(OURS, OURS.tenant, "42")
    await env.authenticate(access)
    await env.login("ana", PASSWORD)


async def test_logout_of_a_user_of_an_issuer_refuses_the_tokens_until_now(
    table: Table, clock: SetClock, product: Product
) -> None:
    async with environment_on(table, clock, issuers=[issuer(tenant="acme")]) as env:
        token, older = issued(product, ago=1), issued(product, ago=100)
        await env.accounts.logout(await env.authenticate(token))
        for refused in (token, older):
            with pytest.raises(Unauthenticated):
                await env.authenticate(refused)
        clock.move(seconds=1)
        await env.authenticate(issued(product))


async def test_logout_without_a_time_of_issue_is_refused_and_changes_nothing(
    table: Table, clock: SetClock, product: Product
) -> None:
    async with environment_on(table, clock, issuers=[issuer(tenant="acme")]) as env:
        token = product.token("42")
        actor = await env.authenticate(token)
        with pytest.raises(LogoutUnavailable):
            await env.accounts.logout(actor)
        clock.move(seconds=2)
        await env.authenticate(token)


@pytest.fixture
def logged() -> Iterator[list[Any]]:
    with capture_logs() as lines:
        yield lines


async def test_log_has_the_reason_of_a_refusal_and_never_the_token(
    table: Table, clock: SetClock, product: Product, logged: list[Any]
) -> None:
    async with environment_on(table, clock, issuers=[issuer(tenant="acme")]) as env:
        cases = {
            "malformed": "no token",
            "unknown_issuer": product.token(iss="https://elsewhere.example.com"),
            "wrong_audience": product.token(aud="another"),
            "expired": product.token(exp=clock.now_seconds() - 1),
            "not_yet_valid": product.token(nbf=clock.now_seconds() + 60),
            "bad_subject": product.token(sub=7),
            "bad_signature": product.token()[:-8] + "AAAAAAAA",
            "unknown_key": "sbk_NOSUCHKEY_secret",
        }
        for reason, token in cases.items():
            logged.clear()
            with pytest.raises(Unauthenticated) as refused:
                await env.authenticate(token)
            [line] = [line for line in logged if line["event"] == "authentication failed"]
            assert line["reason"] == reason
            assert token not in str(logged)
            assert refused.value.code == "unauthenticated"
            assert refused.value.data == {}

        token = issued(product)
        await env.authenticate(token)
        clock.move(seconds=1)
        await env.accounts.revoke_tokens(KEY, ACME, "42")
        await env.accounts.disable_user(KEY, ACME, "42")
        for reason, refused_token in (("revoked", token), ("disabled", issued(product))):
            logged.clear()
            with pytest.raises(Unauthenticated):
                await env.authenticate(refused_token)
            assert [line["reason"] for line in logged] == [reason]


async def test_unknown_kid_and_claims_of_any_length_are_logged_in_bounds(
    table: Table, clock: SetClock, product: Product, logged: list[Any], tmp_path: Any
) -> None:
    keys = tmp_path / "keys.json"
    keys.write_text(key_set(EC))
    async with environment_on(table, clock, issuers=[issuer(public_key=None, jwks_file=str(keys))]) as env:
        with pytest.raises(Unauthenticated):
            await env.authenticate(product.token())
        assert [(line["reason"], line["kid"]) for line in logged] == [("unknown_kid", "ed")]
        logged.clear()
        with pytest.raises(Unauthenticated):
            await env.authenticate(product.token(iss="x" * 5000))
        assert len(str(logged)) < 1000
