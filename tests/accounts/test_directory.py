"""Users are found in their own tenant only, and a name is unique in a tenant."""

from __future__ import annotations

import asyncio

import pytest

from accounts.environment import Environment
from sobremesa.core.actor import Actor, Tenant, UserId
from sobremesa.core.errors import Invalid, NotFound, UnknownUsers
from sobremesa.domains.accounts.adopting import claim_username
from sobremesa.domains.accounts.entities import User, UsernameClaim, username_claim
from sobremesa.domains.accounts.errors import UsernameTaken
from sobremesa.domains.accounts.names import MAX_DISPLAY_NAME, normal_display_name
from sobremesa.table import Create

ACME, OTHER = Tenant("acme"), Tenant("other")
CYRILLIC_PAY = "\u0440\u0430\u0443"
UNKNOWN_USER = UserId("01JGSXXXXXXXXXXXXXXXXXXXXX")


async def test_each_tenant_has_its_own_usernames(env: Environment) -> None:
    acme = env.other_node(tenant=ACME)
    ours = await env.actor("ana")
    theirs = (await acme.register("Ana", email="ana@acme.example")).actor

    assert theirs.tenant == ACME
    assert await env.accounts.find_by_usernames(["ana"], ACME) == {"ana": theirs.user_id}
    assert await env.accounts.find_by_usernames(["ana"]) == {"ana": ours.user_id}
    assert await env.accounts.find_by_usernames(["ana"], OTHER) == {}
    found = await env.accounts.find_by_username("ANA", ACME)
    assert found is not None
    assert found.user_id == theirs.user_id
    # Users log in where users register, with the names of that tenant.
    signed_in = await acme.accounts.login(email="ana", password="correct horse")
    assert signed_in.user.user_id == theirs.user_id


async def test_name_or_lookalike_in_the_same_tenant_is_taken(env: Environment) -> None:
    acme = env.other_node(tenant=ACME)
    await acme.register("pay")
    bea = await acme.actor("bea")
    for taken in ("PAY", CYRILLIC_PAY):
        with pytest.raises(UsernameTaken):
            await acme.register(taken, email="x@acme.example")
        with pytest.raises(UsernameTaken):
            await acme.accounts.change_profile(bea, username=taken)
    await env.register(CYRILLIC_PAY, email="x@example.com")


async def test_rename_and_deletion_free_the_name_in_the_tenant(env: Environment) -> None:
    acme = env.other_node(tenant=ACME)
    ana = await acme.actor("ana")
    await acme.accounts.change_profile(ana, username="anita")
    assert await acme.accounts.find_by_usernames(["ana", "anita"]) == {"anita": ana.user_id}
    bea = await acme.actor("bea")
    assert (await acme.accounts.change_profile(bea, username="ana")).username == "ana"
    await acme.accounts.delete_me(bea, password="correct horse")
    await acme.register("ana", email="anew@example.com")


async def test_parallel_registrations_of_a_name_in_a_tenant_create_one_user(env: Environment) -> None:
    acme = env.other_node(tenant=ACME)
    tries = [acme.register("ana", email=f"ana{number}@example.com") for number in range(6)]
    results = await asyncio.gather(*tries, return_exceptions=True)
    assert [type(result) for result in results].count(UsernameTaken) == 5


async def test_required_users_exist_in_the_tenant(env: Environment) -> None:
    ana, bea = await env.actor("ana"), await env.actor("bea")
    stranger = await env.other_node(tenant=ACME).actor("cy")
    gone = await env.actor("dan")
    await env.accounts.delete_me(gone, password="correct horse")

    found = await env.accounts.require_users(ana.tenant, [bea.user_id, ana.user_id, bea.user_id])
    assert {user_id: user.username for user_id, user in found.items()} == {bea.user_id: "bea", ana.user_id: "ana"}

    wrong = [stranger.user_id, UNKNOWN_USER, gone.user_id, UserId("a#b"), UserId("")]
    with pytest.raises(UnknownUsers) as refused:
        await env.accounts.require_users(ana.tenant, [ana.user_id, *wrong])
    assert refused.value.data["user_ids"] == wrong


async def test_user_of_another_tenant_can_neither_be_read_nor_blocked(env: Environment) -> None:
    ana = await env.actor("ana")
    stranger = await env.other_node(tenant=ACME).actor("cy")
    with pytest.raises(NotFound):
        await env.accounts.get_user(stranger.user_id, ana.tenant)
    with pytest.raises(NotFound):
        await env.accounts.block(ana, stranger.user_id)
    assert (await env.accounts.get_user(stranger.user_id)).username == "cy"


async def test_display_name_is_beside_the_username_and_not_unique(env: Environment) -> None:
    ana, bea = await env.actor("ana"), await env.actor("bea")
    for actor in (ana, bea):
        changed = await env.accounts.change_profile(actor, display_name="  Ana María 👩‍🚀 ")
        assert changed.display_name == "Ana María 👩‍🚀"
    assert (await env.accounts.profiles([bea.user_id]))[bea.user_id].display_name == "Ana María 👩‍🚀"
    renamed = await env.accounts.change_profile(ana, username="anita", display_name="A")
    assert (renamed.username, renamed.display_name) == ("anita", "A")
    assert (await env.accounts.change_profile(ana, display_name=None)).display_name is None
    assert (await env.accounts.profiles([ana.user_id]))[ana.user_id].display_name is None


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "a\u202eb", "\u200d", "x" * (MAX_DISPLAY_NAME + 1)])
async def test_unreadable_display_name_is_refused(embedded_env: Environment, name: str) -> None:
    with pytest.raises(Invalid):
        normal_display_name(name)
    with pytest.raises(Invalid):
        await embedded_env.accounts.change_profile(Actor.of_user(UNKNOWN_USER, "ana"), display_name=name)


async def test_adoption_moves_a_claim_of_an_earlier_version_to_its_tenant(env: Environment) -> None:
    user = User(user_id=UNKNOWN_USER, username="Ana", tenant=ACME)
    await env.table.write(user=Create(user), claim=Create(UsernameClaim(username="ana", user_id=UNKNOWN_USER)))

    for step in await claim_username(env.table, user):
        await env.table.write(claims=step.operations)

    assert await env.accounts.find_by_usernames(["ana"], ACME) == {"ana": UNKNOWN_USER}
    assert await env.table.get(username_claim(username="ana")) is None
    assert await claim_username(env.table, user) == ()
