"""Invites: number of uses, expiry and revocation."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest

from communities.conftest import Ahead
from communities.environment import Community, actor_of, join, rows
from communities.test_golden_rows import put
from communities.test_limits import before_the_next_transaction
from sobremesa.core.actor import Actor
from sobremesa.core.clock import instant, milliseconds
from sobremesa.core.errors import AlreadyMember, Forbidden, NotFound
from sobremesa.domains.communities.entities import BannedFrom, Invite, invite_by_key, members_of
from sobremesa.domains.communities.errors import Banned
from sobremesa.domains.invites.codes import CODE_ALPHABET, CODE_LENGTH, InviteCode
from sobremesa.domains.invites.errors import InviteUsedUp
from sobremesa.table import Delete
from sobremesa.table.values import Item
from sobremesa.work.idempotency import KeyReused


async def stored(community: Community, code: InviteCode) -> Invite:
    found = await community.app.table.get(invite_by_key(server_id=community.server_id, code=code))
    assert found is not None
    return found


async def how_many(community: Community) -> int:
    return (await community.app.table.count(members_of(server_id=community.server_id))).count


async def test_invite_with_k_uses_admits_exactly_k_of_two_hundred_users(community: Community) -> None:
    invite = await community.app.communities.invites.create(community.owner, community.server_id, max_uses=7)
    users = [actor_of(f"guest{number}") for number in range(200)]
    before = await how_many(community)

    outcomes = await asyncio.gather(
        *(community.app.communities.invites.redeem(who, invite.code) for who in users), return_exceptions=True
    )

    joined = [who for who, outcome in zip(users, outcomes, strict=True) if not isinstance(outcome, BaseException)]
    assert len(joined) == 7
    refusals = {type(outcome) for outcome in outcomes if isinstance(outcome, BaseException)}
    assert refusals <= {InviteUsedUp, NotFound}
    assert (await stored(community, invite.code)).uses == 7
    assert await how_many(community) == before + 7
    for who in joined:
        assert (await community.app.communities.get_server(who, community.server_id)).role == "member"


async def test_uses_of_an_invite_with_many_are_divided_and_stay_exact(community: Community) -> None:
    communities = community.app.communities
    invite = await communities.invites.create(community.owner, community.server_id, max_uses=70)
    users = [actor_of(f"guest{number}") for number in range(90)]
    before = await how_many(community)

    outcomes = await asyncio.gather(
        *(communities.invites.redeem(who, invite.code) for who in users), return_exceptions=True
    )

    assert invite.shares == 4
    assert sum(not isinstance(outcome, BaseException) for outcome in outcomes) == 70
    assert {type(outcome) for outcome in outcomes if isinstance(outcome, BaseException)} == {InviteUsedUp}
    assert await how_many(community) == before + 70
    with pytest.raises(InviteUsedUp):
        await communities.invites.redeem(actor_of("late"), invite.code)
    with pytest.raises(AlreadyMember):
        await communities.invites.redeem(community.owner, invite.code)


async def test_revoked_invite_with_shares_leaves_no_rows(community: Community) -> None:
    communities = community.app.communities
    invite = await communities.invites.create(community.owner, community.server_id, max_uses=2000)
    assert len([row for row in await rows(community.app, invite.code) if row["entityType"] == "InviteShare"]) == 64

    await communities.invites.revoke(community.owner, invite.code)

    assert {item["entityType"] for item in await rows(community.app, invite.code)} == {"AuditEntry"}
    with pytest.raises(NotFound):
        await communities.invites.redeem(community.stranger, invite.code)


async def test_uses_of_an_invite_without_a_limit_are_counted(community: Community) -> None:
    communities = community.app.communities
    invite = await communities.invites.create(community.owner, community.server_id)
    written = asyncio.Event()
    community.app.table.watch(lambda operations, *, in_bulk: written.set())

    await communities.invites.redeem(actor_of("first"), invite.code)
    assert (await stored(community, invite.code)).uses == 1
    await asyncio.gather(*(communities.invites.redeem(actor_of(f"guest{n}"), invite.code) for n in range(20)))

    async with asyncio.timeout(20):
        while True:
            written.clear()
            if (await stored(community, invite.code)).uses == 21:
                break
            await written.wait()


async def test_user_banned_between_the_check_and_the_write_does_not_join(community: Community) -> None:
    communities, guest = community.app.communities, community.stranger
    invite = await communities.invites.create(community.owner, community.server_id)
    ban = partial(communities.members.ban, community.owner, community.server_id, guest.user_id)

    with before_the_next_transaction(community.app, ban), pytest.raises(Banned):
        await communities.invites.redeem(guest, invite.code)

    assert not await is_inside(community, guest)


async def test_member_removed_between_the_check_and_the_write_does_not_return_by_their_own_invite(
    community: Community,
) -> None:
    communities, removed = community.app.communities, community.member
    invite = await communities.invites.create(removed, community.server_id)
    removal = partial(communities.members.remove, community.owner, community.server_id, removed.user_id)

    with before_the_next_transaction(community.app, removal), pytest.raises(NotFound):
        await communities.invites.redeem(removed, invite.code)

    assert not await is_inside(community, removed)


async def test_ban_of_an_earlier_version_is_honored(community: Community) -> None:
    communities, guest = community.app.communities, community.stranger
    invite = await communities.invites.create(community.owner, community.server_id)
    await communities.members.ban(community.owner, community.server_id, guest.user_id)
    mark = BannedFrom(user_id=guest.user_id, server_id=community.server_id)
    await community.app.table.write(Delete(mark.own_key()))

    with pytest.raises(Banned):
        await communities.invites.redeem(guest, invite.code)
    await communities.members.lift_ban(community.owner, community.server_id, guest.user_id)
    await communities.invites.redeem(guest, invite.code)


async def test_join_of_a_server_that_is_deleted_meanwhile_is_undone(community: Community) -> None:
    communities, guest = community.app.communities, community.stranger
    invite = await communities.invites.create(community.owner, community.server_id)
    deletion = partial(communities.delete_server, community.owner, community.server_id)

    with before_the_next_transaction(community.app, deletion), pytest.raises(NotFound):
        await communities.invites.redeem(guest, invite.code)

    assert await rows(community.app, guest.user_id) == [
        row for row in await rows(community.app, guest.user_id) if row["entityType"] in ("User", "QuotaGuard")
    ]


async def test_repeated_redemptions_of_one_user_count_one_use(community: Community) -> None:
    invite = await community.app.communities.invites.create(community.owner, community.server_id, max_uses=5)
    guest = actor_of("guest")

    outcomes = await asyncio.gather(
        *(community.app.communities.invites.redeem(guest, invite.code) for _ in range(10)), return_exceptions=True
    )

    assert sum(not isinstance(outcome, BaseException) for outcome in outcomes) == 1
    assert {type(outcome) for outcome in outcomes if isinstance(outcome, BaseException)} == {AlreadyMember}
    assert (await stored(community, invite.code)).uses == 1
    with pytest.raises(AlreadyMember):
        await community.app.communities.invites.redeem(guest, invite.code)
    assert (await stored(community, invite.code)).uses == 1


async def test_invite_expires_at_the_exact_millisecond(
    community: Community, clock: Ahead, monkeypatch: pytest.MonkeyPatch
) -> None:
    communities = community.app.communities
    invite = await communities.invites.create(community.owner, community.server_id, expires_in_seconds=60)
    assert invite.expires_at is not None
    ends_ms = milliseconds(invite.expires_at)
    assert invite.created_at == instant(ends_ms - 60_000)

    monkeypatch.setattr(clock, "now_ms", lambda: ends_ms - 1)
    assert (await communities.invites.get(community.stranger, invite.code)).invite == invite
    assert (await communities.invites.redeem(actor_of("in time"), invite.code)).server.server_id == community.server_id

    monkeypatch.setattr(clock, "now_ms", lambda: ends_ms)
    for attempt in (
        communities.invites.get(community.stranger, invite.code),
        communities.invites.redeem(actor_of("late"), invite.code),
    ):
        with pytest.raises(NotFound):
            await attempt
    assert await communities.invites.list_invites(community.owner, community.server_id, limit=50) == ([], None)


async def test_invite_that_expires_during_redemption_admits_no_user(community: Community, clock: Ahead) -> None:
    communities = community.app.communities
    invite = await communities.invites.create(community.owner, community.server_id, expires_in_seconds=60)
    count = community.app.table.count

    async def slow_count(*args: object, **options: object) -> object:
        clock.move(seconds=61)
        return await count(*args, **options)  # type: ignore[arg-type]

    community.app.table.count = slow_count  # type: ignore[method-assign, assignment]

    with pytest.raises((NotFound, InviteUsedUp)):
        await communities.invites.redeem(community.stranger, invite.code)

    del community.app.table.count
    with pytest.raises(NotFound):
        await community.app.communities.get_server(community.stranger, community.server_id)


async def test_user_with_a_code_sees_its_server(community: Community) -> None:
    invite = await community.app.communities.invites.create(community.member, community.server_id, max_uses=3)

    info = await community.app.communities.invites.get(community.stranger, invite.code)

    assert (info.server.name, info.invite.created_by, info.invite.max_uses, info.invite.uses) == (
        "The long table",
        community.member.user_id,
        3,
        0,
    )
    assert len(invite.code) == CODE_LENGTH
    assert set(invite.code) <= set(CODE_ALPHABET)
    assert len(CODE_ALPHABET) ** CODE_LENGTH >= 2**64
    with pytest.raises(NotFound):
        await community.app.communities.invites.get(community.stranger, InviteCode("unknown"))


async def test_banned_users_and_members_count_no_use(community: Community) -> None:
    communities = community.app.communities
    invite = await communities.invites.create(community.owner, community.server_id, max_uses=5)
    await communities.members.ban(community.owner, community.server_id, community.stranger.user_id)

    with pytest.raises(Banned):
        await communities.invites.redeem(community.stranger, invite.code)
    for who in (community.owner, community.member):
        with pytest.raises(AlreadyMember):
            await communities.invites.redeem(who, invite.code)

    assert (await stored(community, invite.code)).uses == 0


async def test_revoked_invite_cannot_be_used_and_leaves_no_rows(community: Community) -> None:
    communities = community.app.communities
    invite = await communities.invites.create(community.member, community.server_id)

    with pytest.raises(Forbidden):
        await communities.invites.revoke(community.moderator, invite.code)
    with pytest.raises(NotFound):
        await communities.invites.revoke(community.stranger, invite.code)
    await communities.invites.revoke(community.member, invite.code)

    for attempt in (
        communities.invites.get(community.stranger, invite.code),
        communities.invites.redeem(community.stranger, invite.code),
        communities.invites.revoke(community.member, invite.code),
    ):
        with pytest.raises(NotFound):
            await attempt
    left = await rows(community.app, invite.code)
    assert {item["entityType"] for item in left} == {"AuditEntry"}
    others = await communities.invites.create(community.member, community.server_id)
    await communities.invites.revoke(community.admin, others.code)


async def test_concurrent_redemption_and_revocation_have_one_order(community: Community) -> None:
    communities = community.app.communities
    for _ in range(6):
        invite = await communities.invites.create(community.owner, community.server_id, max_uses=1)
        guest = actor_of("guest")

        redeemed, revoked = await asyncio.gather(
            communities.invites.redeem(guest, invite.code),
            communities.invites.revoke(community.owner, invite.code),
            return_exceptions=True,
        )

        assert revoked is None
        joined = not isinstance(redeemed, BaseException)
        assert joined or isinstance(redeemed, NotFound | InviteUsedUp)
        assert joined == await is_inside(community, guest)


async def is_inside(community: Community, who: Actor) -> bool:
    return bool((await community.app.communities.list_servers(who, limit=5))[0])


async def test_only_usable_invites_are_listed_and_only_to_managers(community: Community, clock: Ahead) -> None:
    communities, server_id = community.app.communities, community.server_id
    ending = await communities.invites.create(community.member, server_id, expires_in_seconds=60)
    lasting = await communities.invites.create(community.member, server_id)
    used_up = await communities.invites.create(community.member, server_id, max_uses=1)
    await communities.invites.redeem(community.stranger, used_up.code)

    async def codes() -> set[InviteCode]:
        return {
            invite.code for invite in (await communities.invites.list_invites(community.admin, server_id, limit=50))[0]
        }

    assert await codes() == {ending.code, lasting.code}
    clock.move(seconds=61)
    assert await codes() == {lasting.code}
    for who in (community.moderator, community.member):
        with pytest.raises(Forbidden):
            await communities.invites.list_invites(who, server_id, limit=5)


async def test_repeated_idempotency_key_creates_one_invite(community: Community) -> None:
    make = community.app.communities.invites.create

    created = await asyncio.gather(
        *(make(community.owner, community.server_id, max_uses=3, key="k") for _ in range(10))
    )

    assert len({invite.code for invite in created}) == 1
    with pytest.raises(KeyReused):
        await make(community.owner, community.server_id, max_uses=4, key="k")
    claims = [item for item in await rows(community.app, "InviteClaim") if item["code"] == created[0].code]
    assert len(claims) == 1


@pytest.mark.parametrize("uses", [{}, {"uses": None}], ids=["absent", "null"])
async def test_invite_of_another_writer_without_uses_counts_from_zero(
    community: Community, uses: dict[str, Any]
) -> None:
    """Such an invite was shown as open, and redeeming it was a 409 or a 500."""
    row: Item = {
        "pk": f"SERVER#{community.server_id}",
        "sk": "INVITE#old",
        "gsi1pk": "INVITE#old",
        "gsi1sk": f"SERVER#{community.server_id}",
        "entityType": "Invite",
        "inviteCode": "old",
        "serverId": community.server_id,
        "createdBy": "another-user",
        "maxUses": 2,
        **uses,
    }
    await put(community.app, row)
    code, communities = InviteCode("old"), community.app.communities
    users = [actor_of(f"guest {number}") for number in range(6)]

    assert (await communities.invites.get(users[0], code)).invite.uses == 0
    outcomes = await asyncio.gather(*(communities.invites.redeem(who, code) for who in users), return_exceptions=True)

    assert sum(not isinstance(outcome, BaseException) for outcome in outcomes) == 2
    assert {type(each) for each in outcomes if isinstance(each, BaseException)} <= {InviteUsedUp, NotFound}
    assert (await stored(community, code)).uses == 2


@pytest.mark.parametrize("banned", [False, True], ids=["kicked", "banned"])
async def test_invites_of_a_member_end_when_others_remove_them(community: Community, *, banned: bool) -> None:
    communities, server_id, removed = community.app.communities, community.server_id, community.member
    invite = await communities.invites.create(removed, server_id)
    kept = await communities.invites.create(community.owner, server_id)

    if banned:
        await communities.members.ban(community.owner, server_id, removed.user_id)
        await communities.members.lift_ban(community.owner, server_id, removed.user_id)
    else:
        await communities.members.remove(community.owner, server_id, removed.user_id)

    for attempt in (
        communities.invites.get(community.stranger, invite.code),
        communities.invites.redeem(removed, invite.code),
        communities.invites.redeem(community.stranger, invite.code),
    ):
        with pytest.raises(NotFound):
            await attempt
    assert [each.code for each in (await communities.invites.list_invites(community.owner, server_id, limit=9))[0]] == [
        kept.code
    ]

    # They can rejoin by another member's invite and create new ones; the ended invites stay ended.
    await communities.invites.redeem(removed, kept.code)
    again = await communities.invites.create(removed, server_id)
    await communities.members.remove(removed, server_id, removed.user_id)
    with pytest.raises(NotFound):
        await communities.invites.redeem(community.stranger, invite.code)
    await communities.invites.redeem(removed, again.code)


async def test_invite_of_a_removed_member_ends_whatever_the_clocks_of_nodes_show(
    community: Community, clock: Ahead
) -> None:
    communities, server_id = community.app.communities, community.server_id
    clock.move(seconds=5)
    invite = await communities.invites.create(community.member, server_id)
    clock.move(seconds=-5)

    await communities.members.remove(community.owner, server_id, community.member.user_id)

    assert await _is_over(community, invite)
    with pytest.raises(NotFound):
        await communities.invites.redeem(community.stranger, invite.code)


@pytest.mark.parametrize("verb", ["remove", "ban"])
@pytest.mark.parametrize("seconds", [0.0, 5.0])
async def test_invite_ends_with_a_member_who_joined_at_the_same_moment_or_later(
    community: Community, verb: str, seconds: float, clock: Ahead
) -> None:
    communities, server_id, guest = community.app.communities, community.server_id, actor_of("guest")
    clock.stop()
    clock.move(seconds=seconds)
    await join(community.app, community.owner, server_id, guest)
    invite = await communities.invites.create(guest, server_id)
    clock.move(seconds=-seconds)

    await getattr(communities.members, verb)(community.owner, server_id, guest.user_id)

    assert await _is_over(community, invite)
    with pytest.raises(NotFound):
        await communities.invites.redeem(community.stranger, invite.code)


async def test_no_invite_is_created_by_a_member_removed_meanwhile(community: Community) -> None:
    communities, server_id = community.app.communities, community.server_id
    for _ in range(10):
        guest = actor_of("guest")
        await join(community.app, community.owner, server_id, guest)

        created, removed = await asyncio.gather(
            communities.invites.create(guest, server_id),
            communities.members.remove(community.owner, server_id, guest.user_id),
            return_exceptions=True,
        )

        assert removed is None
        assert isinstance(created, NotFound) or await _is_over(community, created)


async def _is_over(community: Community, invite: object) -> bool:
    """Return whether an invite ended with the membership of its creator."""
    assert isinstance(invite, Invite)
    try:
        await community.app.communities.invites.get(community.stranger, invite.code)
    except NotFound:
        return True
    return False
