"""Invites: codes that let people in, so often and for so long."""

from __future__ import annotations

import asyncio

import pytest

from communities.conftest import Ahead
from communities.world import Town, person, rows
from sobremesa.clock import instant, milliseconds
from sobremesa.codes import CODE_ALPHABET, CODE_LENGTH, InviteCode
from sobremesa.communities.entities import Invite, invite_by_key, members_of
from sobremesa.communities.errors import AlreadyMember, Banned, InviteUsedUp
from sobremesa.errors import Forbidden, NotFound
from sobremesa.idempotency import KeyReused
from sobremesa.people import Actor


async def stored(town: Town, code: InviteCode) -> Invite:
    found = await town.app.table.get(invite_by_key(server_id=town.server_id, code=code))
    assert found is not None
    return found


async def how_many(town: Town) -> int:
    return (await town.app.table.count(members_of(server_id=town.server_id))).count


async def test_an_invite_for_k_admits_exactly_k_of_two_hundred(town: Town) -> None:
    invite = await town.app.membership.create_invite(town.owner, town.server_id, max_uses=7)
    people = [person(f"guest{number}") for number in range(200)]
    before = await how_many(town)

    outcomes = await asyncio.gather(
        *(town.app.membership.redeem(who, invite.code) for who in people), return_exceptions=True
    )

    came = [who for who, outcome in zip(people, outcomes, strict=True) if not isinstance(outcome, BaseException)]
    assert len(came) == 7
    refusals = {type(outcome) for outcome in outcomes if isinstance(outcome, BaseException)}
    assert refusals <= {InviteUsedUp, NotFound}
    assert (await stored(town, invite.code)).uses == 7
    assert await how_many(town) == before + 7
    for who in came:
        assert (await town.app.communities.get_server(who, town.server_id)).role == "member"


async def test_many_clicks_of_one_person_burn_one_use(town: Town) -> None:
    invite = await town.app.membership.create_invite(town.owner, town.server_id, max_uses=5)
    guest = person("guest")

    outcomes = await asyncio.gather(
        *(town.app.membership.redeem(guest, invite.code) for _ in range(10)), return_exceptions=True
    )

    assert sum(not isinstance(outcome, BaseException) for outcome in outcomes) == 1
    assert {type(outcome) for outcome in outcomes if isinstance(outcome, BaseException)} == {AlreadyMember}
    assert (await stored(town, invite.code)).uses == 1
    with pytest.raises(AlreadyMember):
        await town.app.membership.redeem(guest, invite.code)
    assert (await stored(town, invite.code)).uses == 1


async def test_an_invite_ends_at_its_very_millisecond(
    town: Town, clock: Ahead, monkeypatch: pytest.MonkeyPatch
) -> None:
    membership = town.app.membership
    invite = await membership.create_invite(town.owner, town.server_id, expires_in_seconds=60)
    assert invite.expires_at is not None
    ends_ms = milliseconds(invite.expires_at)
    assert invite.created_at == instant(ends_ms - 60_000)

    monkeypatch.setattr(clock, "now_ms", lambda: ends_ms - 1)
    assert (await membership.get_invite(town.stranger, invite.code)).invite == invite
    assert (await membership.redeem(person("in time"), invite.code)).server.server_id == town.server_id

    monkeypatch.setattr(clock, "now_ms", lambda: ends_ms)
    for attempt in (membership.get_invite(town.stranger, invite.code), membership.redeem(person("late"), invite.code)):
        with pytest.raises(NotFound):
            await attempt
    assert await membership.list_invites(town.owner, town.server_id, limit=50) == ([], None)


async def test_an_invite_that_ends_on_the_way_in_admits_nobody(town: Town, clock: Ahead) -> None:
    membership = town.app.membership
    invite = await membership.create_invite(town.owner, town.server_id, expires_in_seconds=60)
    count = town.app.table.count

    async def slow_count(*args: object, **options: object) -> object:
        clock.move(seconds=61)
        return await count(*args, **options)  # type: ignore[arg-type]

    town.app.table.count = slow_count  # type: ignore[method-assign, assignment]

    with pytest.raises((NotFound, InviteUsedUp)):
        await membership.redeem(town.stranger, invite.code)

    del town.app.table.count
    with pytest.raises(NotFound):
        await town.app.communities.get_server(town.stranger, town.server_id)


async def test_whoever_has_a_code_sees_where_it_leads(town: Town) -> None:
    invite = await town.app.membership.create_invite(town.member, town.server_id, max_uses=3)

    info = await town.app.membership.get_invite(town.stranger, invite.code)

    assert (info.server.name, info.invite.created_by, info.invite.max_uses, info.invite.uses) == (
        "The long table",
        town.member.user_id,
        3,
        0,
    )
    assert len(invite.code) == CODE_LENGTH
    assert set(invite.code) <= set(CODE_ALPHABET)
    assert len(CODE_ALPHABET) ** CODE_LENGTH >= 2**64
    with pytest.raises(NotFound):
        await town.app.membership.get_invite(town.stranger, InviteCode("unknown"))


async def test_the_banned_and_those_inside_burn_no_use(town: Town) -> None:
    membership = town.app.membership
    invite = await membership.create_invite(town.owner, town.server_id, max_uses=5)
    await membership.ban(town.owner, town.server_id, town.stranger.user_id)

    with pytest.raises(Banned):
        await membership.redeem(town.stranger, invite.code)
    for who in (town.owner, town.member):
        with pytest.raises(AlreadyMember):
            await membership.redeem(who, invite.code)

    assert (await stored(town, invite.code)).uses == 0


async def test_a_revoked_invite_is_useless_and_leaves_nothing(town: Town) -> None:
    membership = town.app.membership
    invite = await membership.create_invite(town.member, town.server_id)

    with pytest.raises(Forbidden):
        await membership.revoke_invite(town.moderator, invite.code)
    with pytest.raises(NotFound):
        await membership.revoke_invite(town.stranger, invite.code)
    await membership.revoke_invite(town.member, invite.code)

    for attempt in (
        membership.get_invite(town.stranger, invite.code),
        membership.redeem(town.stranger, invite.code),
        membership.revoke_invite(town.member, invite.code),
    ):
        with pytest.raises(NotFound):
            await attempt
    left = await rows(town.app, invite.code)
    assert {item["entityType"] for item in left} == {"AuditEntry"}
    others = await membership.create_invite(town.member, town.server_id)
    await membership.revoke_invite(town.admin, others.code)


async def test_redeeming_and_revoking_at_once_have_one_order(town: Town) -> None:
    membership = town.app.membership
    for _ in range(6):
        invite = await membership.create_invite(town.owner, town.server_id, max_uses=1)
        guest = person("guest")

        redeemed, revoked = await asyncio.gather(
            membership.redeem(guest, invite.code),
            membership.revoke_invite(town.owner, invite.code),
            return_exceptions=True,
        )

        assert revoked is None
        came = not isinstance(redeemed, BaseException)
        assert came or isinstance(redeemed, NotFound | InviteUsedUp)
        assert came == await is_inside(town, guest)


async def is_inside(town: Town, who: Actor) -> bool:
    return bool((await town.app.communities.list_servers(who, limit=5))[0])


async def test_only_open_invites_are_listed_and_only_to_those_who_manage_them(town: Town, clock: Ahead) -> None:
    membership, server_id = town.app.membership, town.server_id
    ending = await membership.create_invite(town.member, server_id, expires_in_seconds=60)
    lasting = await membership.create_invite(town.member, server_id)
    used_up = await membership.create_invite(town.member, server_id, max_uses=1)
    await membership.redeem(town.stranger, used_up.code)

    async def codes() -> set[InviteCode]:
        return {invite.code for invite in (await membership.list_invites(town.admin, server_id, limit=50))[0]}

    assert await codes() == {ending.code, lasting.code}
    clock.move(seconds=61)
    assert await codes() == {lasting.code}
    for who in (town.moderator, town.member):
        with pytest.raises(Forbidden):
            await membership.list_invites(who, server_id, limit=5)


async def test_the_same_key_makes_one_invite(town: Town) -> None:
    make = town.app.membership.create_invite

    made = await asyncio.gather(*(make(town.owner, town.server_id, max_uses=3, key="k") for _ in range(10)))

    assert len({invite.code for invite in made}) == 1
    with pytest.raises(KeyReused):
        await make(town.owner, town.server_id, max_uses=4, key="k")
    claims = [item for item in await rows(town.app, "InviteClaim") if item["code"] == made[0].code]
    assert len(claims) == 1
