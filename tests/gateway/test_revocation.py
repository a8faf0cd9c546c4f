"""Sockets of revoked and disabled users close, those of users of another issuer too, on every node."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from typing import Any

import pytest

from accounts.test_issuers import OKP, issuer
from accounts.test_tokens import signed
from cheap import CHEAP
from gateway.connection import Connection
from gateway.served_app import ServedApp, serve_app
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor, KeyId, Tenant
from sobremesa.core.settings import Settings

ACME = Tenant("acme")
KEY = Actor(tenant=ACME, key_id=KeyId("k"), scopes=frozenset({"users:write"}))
REFUSED = 4004


def token(*, ago: float, subject: str = "42") -> str:
    now = time.time()
    claims = {"iss": issuer().issuer, "aud": "chat", "sub": subject, "exp": int(now) + 300, "iat": now - ago}
    return signed({"alg": "EdDSA", "kid": OKP.kid}, claims, OKP)


@pytest.fixture
async def issuing(store: str) -> AsyncIterator[ServedApp]:
    async with serve_app(store, issuers=[issuer(tenant=ACME)]) as served:
        yield served


def verb_of(app: Sobremesa, name: str) -> Any:
    return {"revoke": app.accounts.revoke_tokens, "disable": app.accounts.disable_user}[name]


@pytest.mark.parametrize("name", ["revoke", "disable"])
async def test_sockets_close_on_the_node_that_revokes(issuing: ServedApp, name: str) -> None:
    async with (
        Connection(issuing.url, token(ago=60)) as revoked,
        Connection(issuing.url, token(ago=60, subject="7")) as other,
    ):
        await revoked.identify()
        await other.identify()
        await verb_of(issuing.app, name)(KEY, ACME, "42")
        assert (await revoked.closed()).code == REFUSED
        await other.send(1)
        assert await other.frame() == {"op": 11}
    async with Connection(issuing.url, token(ago=60)) as again:
        await again.send(2, {"token": again.token})
        reason = "The token is not valid." if name == "revoke" else "This account is disabled."
        assert str(await again.closed()) == f"{REFUSED} {reason}"


@pytest.mark.parametrize("name", ["revoke", "disable"])
async def test_sockets_close_when_another_process_revokes(issuing: ServedApp, store: str, name: str) -> None:
    async with Connection(issuing.url, token(ago=60)) as revoked:
        await revoked.identify()
        async with Sobremesa.open(settings=Settings(store=store, **CHEAP), background=False) as elsewhere:
            await verb_of(elsewhere, name)(KEY, ACME, "42")
        assert (await revoked.closed()).code == REFUSED


async def test_user_resumes_with_a_new_token_after_a_revocation(issuing: ServedApp) -> None:
    """The revocation is among the events that it missed, and must not close the new socket."""
    async with Connection(issuing.url, token(ago=60)) as first:
        await first.identify()
        await issuing.app.accounts.revoke_tokens(KEY, ACME, "42")
        assert (await first.closed()).code == REFUSED
    async with Connection(issuing.url, token(ago=-0.5)) as second:
        await second.send(6, {"token": second.token, "sessionId": first.session_id, "s": first.s})
        await second.wait_for("resumed")
        await second.send(1)
        assert await second.frame() == {"op": 11}


async def test_logout_over_the_gateway_is_answered_before_the_close(issuing: ServedApp) -> None:
    async with Connection(issuing.url, token(ago=60)) as connection:
        await connection.identify()
        status, _ = await connection.call("accounts.logout")
        assert status == 204
        assert (await connection.closed()).code == REFUSED
