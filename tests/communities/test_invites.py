"""Invites: number of uses, expiry and revocation."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from communities.conftest import Ahead
from communities.test_golden_rows import put
from communities.world import Town, join, person, rows
from sobremesa.core.actor import Actor
from sobremesa.core.clock import instant, milliseconds
from sobremesa.core.errors import Forbidden, NotFound
from sobremesa.domains.communities.entities import Invite, invite_by_key, members_of
from sobremesa.domains.communities.errors import Banned
from sobremesa.domains.invites.codes import CODE_ALPHABET, CODE_LENGTH, InviteCode
from sobremesa.domains.invites.errors import AlreadyMember, InviteUsedUp
from sobremesa.table.values import Item
from sobremesa.work.idempotency import KeyReused


async def stored(town: Town, code: InviteCode) -> Invite:
    found = await town.app.table.get(invite_by_key(server_id=town.server_id, code=code))
    assert found is not None
    return found


async def how_many(town: Town) -> int:
    return (await town.app.table.count(members_of(server_id=town.server_id))).count


async def test_invite_with_k_uses_admits_exactly_k_of_two_hundred_users(town: Town) -> None:
    invite = await town.app.membership.create_invite(town.owner, town.server_id, max_uses=7)
    people = [person(f"guest{number}") for number in range(200)]
    before = await how_many(town)

    outcomes = await asyncio.gather(
        *(town.app.membership.redeem(who, invite.code) for who in people), return_exceptions=True
    )

    joined = [who for who, outcome in zip(people, outcomes, strict=True) if not isinstance(outcome, BaseException)]
    assert len(joined) == 7
    refusals = {type(outcome) for outcome in outcomes if isinstance(outcome, BaseException)}
    assert refusals <= {InviteUsedUp, NotFound}
    assert (await stored(town, invite.code)).uses == 7
    assert await how_many(town) == before + 7
    for who in joined:
        assert (await town.app.communities.get_server(who, town.server_id)).role == "member"


async def test_repeated_redemptions_of_one_user_count_one_use(town: Town) -> None:
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


async def test_invite_expires_at_the_exact_millisecond(
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


async def test_invite_that_expires_during_redemption_admits_no_user(town: Town, clock: Ahead) -> None:
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


async def test_user_with_a_code_sees_its_server(town: Town) -> None:
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


async def test_banned_users_and_members_count_no_use(town: Town) -> None:
    membership = town.app.membership
    invite = await membership.create_invite(town.owner, town.server_id, max_uses=5)
    await membership.ban(town.owner, town.server_id, town.stranger.user_id)

    with pytest.raises(Banned):
        await membership.redeem(town.stranger, invite.code)
    for who in (town.owner, town.member):
        with pytest.raises(AlreadyMember):
            await membership.redeem(who, invite.code)

    assert (await stored(town, invite.code)).uses == 0


async def test_revoked_invite_cannot_be_used_and_leaves_no_rows(town: Town) -> None:
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


async def test_concurrent_redemption_and_revocation_have_one_order(town: Town) -> None:
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
        joined = not isinstance(redeemed, BaseException)
        assert joined or isinstance(redeemed, NotFound | InviteUsedUp)
        assert joined == await is_inside(town, guest)


async def is_inside(town: Town, who: Actor) -> bool:
    return bool((await town.app.communities.list_servers(who, limit=5))[0])


async def test_only_usable_invites_are_listed_and_only_to_managers(town: Town, clock: Ahead) -> None:
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


async def test_repeated_idempotency_key_creates_one_invite(town: Town) -> None:
    make = town.app.membership.create_invite

    created = await asyncio.gather(*(make(town.owner, town.server_id, max_uses=3, key="k") for _ in range(10)))

    assert len({invite.code for invite in created}) == 1
    with pytest.raises(KeyReused):
        await make(town.owner, town.server_id, max_uses=4, key="k")
    claims = [item for item in await rows(town.app, "InviteClaim") if item["code"] == created[0].code]
    assert len(claims) == 1


@pytest.mark.parametrize("uses", [{}, {"uses": None}], ids=["absent", "null"])
async def test_invite_of_another_writer_without_uses_counts_from_zero(town: Town, uses: dict[str, Any]) -> None:
    """Such an invite was shown as open, and redeeming it was a 409 or a 500."""
    row: Item = {
        "pk": f"SERVER#{town.server_id}",
        "sk": "INVITE#old",
        "gsi1pk": "INVITE#old",
        "gsi1sk": f"SERVER#{town.server_id}",
        "entityType": "Invite",
        "inviteCode": "old",
        "serverId": town.server_id,
        "createdBy": "somebody",
        "maxUses": 2,
        **uses,
    }
    await put(town.app, row)
    code, membership = InviteCode("old"), town.app.membership
    people = [person(f"guest {number}") for number in range(6)]

    assert (await membership.get_invite(people[0], code)).invite.uses == 0
    outcomes = await asyncio.gather(*(membership.redeem(who, code) for who in people), return_exceptions=True)

    assert sum(not isinstance(outcome, BaseException) for outcome in outcomes) == 2
    assert {type(each) for each in outcomes if isinstance(each, BaseException)} <= {InviteUsedUp, NotFound}
    assert (await stored(town, code)).uses == 2


@pytest.mark.parametrize("banned", [False, True], ids=["kicked", "banned"])
async def test_invites_of_a_member_end_when_others_remove_them(town: Town, *, banned: bool) -> None:
    membership, server_id, removed = town.app.membership, town.server_id, town.member
    invite = await membership.create_invite(removed, server_id)
    kept = await membership.create_invite(town.owner, server_id)

    if banned:
        await membership.ban(town.owner, server_id, removed.user_id)
        await membership.lift_ban(town.owner, server_id, removed.user_id)
    else:
        await membership.remove(town.owner, server_id, removed.user_id)

    for attempt in (
        membership.get_invite(town.stranger, invite.code),
        membership.redeem(removed, invite.code),
        membership.redeem(town.stranger, invite.code),
    ):
        with pytest.raises(NotFound):
            await attempt
    assert [each.code for each in (await membership.list_invites(town.owner, server_id, limit=9))[0]] == [kept.code]

    # They can rejoin by another member's invite and create new ones; the ended invites stay ended.
    await membership.redeem(removed, kept.code)
    again = await membership.create_invite(removed, server_id)
    await membership.remove(removed, server_id, removed.user_id)
    with pytest.raises(NotFound):
        await membership.redeem(town.stranger, invite.code)
    await membership.redeem(removed, again.code)


async def test_invite_of_a_removed_member_ends_whatever_the_clocks_of_nodes_show(town: Town, clock: Ahead) -> None:
    membership, server_id = town.app.membership, town.server_id
    clock.move(seconds=5)
    invite = await membership.create_invite(town.member, server_id)
    clock.move(seconds=-5)

    await membership.remove(town.owner, server_id, town.member.user_id)

    assert await _is_over(town, invite)
    with pytest.raises(NotFound):
        await membership.redeem(town.stranger, invite.code)


async def test_no_invite_is_created_by_a_member_removed_meanwhile(town: Town) -> None:
    membership, server_id = town.app.membership, town.server_id
    for _ in range(10):
        guest = person("guest")
        await join(town.app, town.owner, server_id, guest)

        created, removed = await asyncio.gather(
            membership.create_invite(guest, server_id),
            membership.remove(town.owner, server_id, guest.user_id),
            return_exceptions=True,
        )

        assert removed is None
        assert isinstance(created, NotFound) or await _is_over(town, created)


async def _is_over(town: Town, invite: object) -> bool:
    """Return whether an invite ended with the membership of its creator."""
    assert isinstance(invite, Invite)
    try:
        await town.app.membership.get_invite(town.stranger, invite.code)
    except NotFound:
        return True
    return False
