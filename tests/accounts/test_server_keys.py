"""Server keys of a product's backend, by tenant and scope."""

from __future__ import annotations

import pytest

from accounts.environment import Environment
from sobremesa.core.actor import KeyId, Tenant, UserRequired
from sobremesa.core.errors import Forbidden, Invalid, NotFound, Unauthenticated

ACME = Tenant("acme")


async def test_key_acts_for_its_tenant_within_its_scopes(env: Environment) -> None:
    created = await env.server_keys.create_key(ACME, ["inbox:publish"], label="shop")

    assert created.text.startswith(f"sbk_{created.key.key_id}_")
    actor = await env.authenticate(created.text)
    assert (actor.tenant, actor.key_id, actor.scopes) == ("acme", created.key.key_id, frozenset({"inbox:publish"}))
    assert actor.name == f"key:{created.key.key_id}"
    actor.require_scope("inbox:publish")
    with pytest.raises(Forbidden):
        actor.require_scope("inbox:admin")
    with pytest.raises(UserRequired):
        await env.accounts.get_me(actor)


async def test_only_the_hash_is_stored(env: Environment) -> None:
    created = await env.server_keys.create_key(ACME, ["admin"])
    # The secret itself may contain the separator.
    secret = created.text.removeprefix(f"sbk_{created.key.key_id}_")
    assert secret not in str([row async for row in env.table.scan()])


async def test_the_keys_of_a_tenant_are_listed_page_by_page(env: Environment) -> None:
    created = [await env.server_keys.create_key(ACME, ["admin"]) for _ in range(3)]
    await env.server_keys.create_key(Tenant("other"), ["admin"])
    page = await env.server_keys.list_keys(ACME, limit=2)
    rest = await env.server_keys.list_keys(ACME, limit=2, cursor=page.cursor)
    assert [key.key_id for key in page.items + rest.items] == [new.key.key_id for new in created]


async def test_revoked_key_is_refused_at_once_and_within_a_second_on_other_nodes(env: Environment) -> None:
    created = await env.server_keys.create_key(ACME, ["admin"])
    node = env.other_node()
    await env.authenticate(created.text)
    await node.authenticate(created.text)

    await env.server_keys.revoke_key(created.key.key_id)

    with pytest.raises(Unauthenticated):
        await env.authenticate(created.text)
    env.clock.move(seconds=1)
    with pytest.raises(Unauthenticated):
        await node.authenticate(created.text)
    with pytest.raises(NotFound):
        await env.server_keys.revoke_key(created.key.key_id)
    assert (await env.server_keys.list_keys(ACME)).items == []


async def test_expired_key_is_refused(env: Environment) -> None:
    created = await env.server_keys.create_key(ACME, ["admin"], expires_in_seconds=60)
    env.clock.move(seconds=59)
    await env.authenticate(created.text)
    env.clock.move(seconds=1)
    with pytest.raises(Unauthenticated):
        await env.authenticate(created.text)


async def test_wrong_secret_or_unknown_key_is_refused(env: Environment) -> None:
    created = await env.server_keys.create_key(ACME, ["admin"])
    wrong = ("sbk_", "sbk_unknown_secret", "sbk_a#b_secret", "sbk_*_x", "sbk_é_x", "sbk_" + "a" * 300 + "_x")
    key = f"sbk_{created.key.key_id}"
    for text in (created.text[:-1], created.text + "x", f"{key}_", key, *wrong):
        with pytest.raises(Unauthenticated):
            await env.authenticate(text)


async def test_invalid_key_options_are_refused(embedded_env: Environment) -> None:
    for scopes in ([], ["everything"], ["admin", "root"]):
        with pytest.raises(Invalid):
            await embedded_env.server_keys.create_key(ACME, scopes)
    with pytest.raises(Invalid):
        await embedded_env.server_keys.create_key(ACME, ["admin"], expires_in_seconds=0)
    with pytest.raises(Invalid):
        await embedded_env.server_keys.create_key(ACME, ["admin"], label="x" * 65)
    with pytest.raises(Invalid):
        await embedded_env.server_keys.create_key(Tenant("a#b"), ["admin"])
    with pytest.raises(NotFound):
        await embedded_env.server_keys.revoke_key(KeyId("a#b"))
