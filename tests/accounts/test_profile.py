"""Profiles, usernames, blocks, and rows of an older table."""

from __future__ import annotations

import asyncio

import pytest

from accounts.environment import Environment
from sobremesa.core.actor import DEFAULT_TENANT, Actor, PublicProfile, UserId
from sobremesa.core.errors import Invalid, NotFound, Unauthenticated
from sobremesa.domains.accounts.api import routes
from sobremesa.domains.accounts.entities import User, UsernameClaim, username_claim
from sobremesa.domains.accounts.errors import SelfBlock, UsernameTaken
from sobremesa.table import Create, Layout, Update, measure, set_to

UNKNOWN_USER = UserId("01JGSXXXXXXXXXXXXXXXXXXXXX")


async def test_new_username_frees_the_old_one(env: Environment) -> None:
    ana = await env.actor("ana")
    env.clock.move(seconds=5)
    changed = await env.accounts.change_profile(ana, username="Anita", avatar_url="/v1/attachments/1")

    assert (changed.username, changed.avatar_url, changed.email) == ("Anita", "/v1/attachments/1", "ana@example.com")
    assert changed.updated_at > changed.created_at
    assert await env.accounts.get_me(ana) == changed
    assert await env.accounts.find_by_username("ana") is None
    assert await env.accounts.find_by_username("ANITA") == changed
    await env.register("ana", email="second@example.com")
    with pytest.raises(UsernameTaken):
        await env.accounts.change_profile(ana, username="ANA")
    assert (await env.accounts.get_me(ana)).username == "Anita"


async def test_user_can_change_the_case_of_their_username(env: Environment) -> None:
    ana = await env.actor("ana")
    assert (await env.accounts.change_profile(ana, username="ANA")).username == "ANA"
    await env.login("ana")
    with pytest.raises(UsernameTaken):
        await env.register("ana", email="other@example.com")


async def test_picture_can_be_removed_and_the_rest_stays(env: Environment) -> None:
    ana = await env.actor("ana")
    await env.accounts.change_profile(ana, avatar_url="/v1/attachments/1")
    assert (await env.accounts.change_profile(ana, username="anita")).avatar_url == "/v1/attachments/1"
    cleared = await env.accounts.change_profile(ana, avatar_url=None)
    assert (cleared.username, cleared.avatar_url) == ("anita", None)
    await env.login("ana")  # still in the index and under the claim of the address


async def test_username_cannot_be_changed_to_a_reserved_one(embedded_env: Environment) -> None:
    with pytest.raises(Invalid):
        await embedded_env.accounts.change_profile(await embedded_env.actor("ana"), username="everyone")


async def test_parallel_renames_leave_exactly_one_claim(env: Environment) -> None:
    ana = await env.actor("ana")
    names = [f"ana{number}" for number in range(6)]
    await asyncio.gather(*(env.accounts.change_profile(ana, username=name) for name in names), return_exceptions=True)
    me = await env.accounts.get_me(ana)
    claims = [row["username"] async for row in env.table.scan() if row["entityType"] == UsernameClaim.__name__]
    assert claims == [me.username]


async def test_one_of_many_parallel_renames_to_the_same_name_succeeds(env: Environment) -> None:
    users = [await env.actor(f"p{number}") for number in range(8)]
    tries = [env.accounts.change_profile(person, username="star") for person in users]
    results = await asyncio.gather(*tries, return_exceptions=True)
    assert [type(result) for result in results].count(User) == 1
    assert [type(result) for result in results].count(UsernameTaken) == 7


async def test_users_are_found_by_id_and_name(env: Environment) -> None:
    ana, bea = await env.actor("ana"), await env.actor("bea")
    assert (await env.accounts.get_user(bea.user_id)).username == "bea"
    with pytest.raises(NotFound):
        await env.accounts.get_user(UNKNOWN_USER)
    with measure() as measured:
        found = await env.accounts.find_by_usernames(["ANA", "bea", "nobody", "#", "", "a b"], DEFAULT_TENANT)
    assert found == {"ANA": ana.user_id, "bea": bea.user_id}
    assert measured.calls == 2
    assert await env.accounts.find_by_username("#") is None
    assert await env.accounts.find_by_usernames([], DEFAULT_TENANT) == {}


async def test_profiles_are_read_in_one_batch_and_unknown_users_appear_as_deleted(env: Environment) -> None:
    ana = await env.actor("ana")
    await env.accounts.change_profile(ana, avatar_url="/v1/attachments/1")
    with measure() as measured:
        profiles = await env.accounts.profiles([ana.user_id, UNKNOWN_USER, ana.user_id])
    assert profiles == {
        ana.user_id: PublicProfile(user_id=ana.user_id, username="ana", avatar_url="/v1/attachments/1"),
        UNKNOWN_USER: PublicProfile(user_id=UNKNOWN_USER, username="deleted user"),
    }
    assert measured.calls == 1


async def test_administrator_is_granted_by_username_or_address(env: Environment) -> None:
    ana = await env.actor("ana")
    assert (await env.accounts.grant_admin("Ana@example.com")).is_admin
    assert (await env.accounts.get_me(ana)).is_admin
    await env.accounts.grant_admin("ANA", granted=False)
    assert not (await env.accounts.get_me(ana)).is_admin
    for unknown in ("nobody", "nobody@example.com"):
        with pytest.raises(NotFound):
            await env.accounts.grant_admin(unknown)


async def test_blocking_is_idempotent(env: Environment) -> None:
    ana, bea = await env.actor("ana"), await env.actor("bea")
    first = await env.accounts.block(ana, bea.user_id)
    env.clock.move(seconds=1)
    assert await env.accounts.block(ana, bea.user_id) == first == await env.accounts.get_block(ana, bea.user_id)
    assert (await env.accounts.list_blocks(ana)).items == [first]
    assert await env.accounts.has_blocked(ana.user_id, bea.user_id)
    assert not await env.accounts.has_blocked(bea.user_id, ana.user_id)

    await env.accounts.unblock(ana, bea.user_id)

    assert (await env.accounts.list_blocks(ana)).items == []
    for gone in (env.accounts.unblock, env.accounts.get_block):
        with pytest.raises(NotFound):
            await gone(ana, bea.user_id)


async def test_users_cannot_block_themselves_or_unknown_users(env: Environment) -> None:
    ana = await env.actor("ana")
    with pytest.raises(SelfBlock):
        await env.accounts.block(ana, ana.user_id)
    with pytest.raises(NotFound):
        await env.accounts.block(ana, UNKNOWN_USER)


async def test_blocks_are_listed_page_by_page(env: Environment) -> None:
    ana = await env.actor("ana")
    others = [await env.actor(f"p{number}") for number in range(3)]
    for other in others:
        await env.accounts.block(ana, other.user_id)
    page = await env.accounts.list_blocks(ana, limit=2)
    rest = await env.accounts.list_blocks(ana, limit=2, cursor=page.cursor)
    assert [block.blocked_id for block in page.items + rest.items] == [other.user_id for other in others]


async def test_deleted_user_has_no_profile(embedded_env: Environment) -> None:
    with pytest.raises(Unauthenticated):
        await embedded_env.accounts.get_me(Actor.of_user(UNKNOWN_USER, "nobody"))


async def test_user_without_a_claim_can_change_their_username(env: Environment) -> None:
    """Rows of an older table have no claims; claims of other users are not changed."""
    await env.table.write(Create(User(user_id=UNKNOWN_USER, username="john", email="john@example.com")))
    other = await env.register("john", email="other@example.com")
    changed = await env.accounts.change_profile(Actor.of_user(UNKNOWN_USER, "john"), username="johnny")
    assert changed.username == "johnny"
    claim = await env.table.get(username_claim(username="john"))
    assert claim is not None
    assert claim.user_id == other.user.user_id


def test_legacy_row_loads_and_keeps_its_keys() -> None:
    row = {
        "pk": "USER#01JGSXXX...",
        "sk": "PROFILE",
        "gsi1pk": "EMAIL#user@example.com",
        "gsi1sk": "USER#01JGSXXX...",
        "entityType": "User",
        "userId": "01JGSXXX...",
        "email": "user@example.com",
        "username": "john_doe",
        "passwordHash": "$2a$10$...",
        "avatarUrl": "https://s3.../avatars/01JGSXXX.jpg",
        "createdAt": "2025-12-27T00:00:00.000Z",
        "updatedAt": "2025-12-27T00:00:00.000Z",
    }
    user = User.from_item(row, Layout())
    assert (user.username, user.tenant, user.is_admin) == ("john_doe", "default", False)
    stored = user.to_item(Layout())
    assert {name: stored[name] for name in row} == row
    bare = User.from_item({"pk": "USER#1", "sk": "PROFILE"}, Layout())
    assert (bare.user_id, bare.username) == ("1", "")


FOREIGN = (
    "https://example.com/me.png",
    "http://example.com/me.png",
    "//example.com/v1/attachments/1",
    "/v1/attachments/../../elsewhere",
    "/v1/attachments/1?next=//example.com",
    "/files/1",
    "",
)


@pytest.mark.parametrize("address", FOREIGN)
async def test_picture_of_another_site_is_refused(embedded_env: Environment, address: str) -> None:
    ana = await embedded_env.actor("ana")
    with pytest.raises(Invalid) as refused:
        await embedded_env.accounts.change_profile(ana, avatar_url=address)
    assert refused.value.data["errors"][0]["pointer"] == "#/avatarUrl"


async def test_stored_picture_of_another_site_is_not_returned(env: Environment) -> None:
    """Rows of other programs may have any URL; the page must not load it."""
    ana = await env.actor("ana")
    await env.table.write(Update(User.key(user_id=ana.user_id), set_to(avatar_url="https://example.com/me.png")))

    assert (await env.accounts.profiles([ana.user_id]))[ana.user_id].avatar_url is None
    shown = {f"{each.method} {each.path}": each.handler for each in routes(env.accounts).endpoints}
    assert (await shown["GET /users/me"](actor=ana)).avatar_url is None
    assert (await shown["GET /users/{user_id}"](actor=ana, user_id=ana.user_id)).avatar_url is None
