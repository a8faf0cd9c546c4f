"""The list of users who can receive digests: it is right after every change of an address or a choice."""

from __future__ import annotations

import pytest

from notifications.environment import PASSWORD, DigestEnvironment
from sobremesa.core.actor import Tenant, UserId
from sobremesa.domains.accounts.directory import Directory
from sobremesa.domains.accounts.entities import User
from sobremesa.domains.notifications.entities import NotificationSettings
from sobremesa.domains.notifications.recounting import _check
from sobremesa.table import Put
from sobremesa.table.errors import ConditionFailed


async def test_a_user_is_listed_while_they_have_an_address_and_digests_are_on(env: DigestEnvironment) -> None:
    ana, ben = await env.sign_up("ana"), await env.upsert("ben")
    assert await env.listed() == {ana.user_id}
    await env.upsert("ben", email="ben@example.com")
    assert await env.listed() == {ana.user_id, ben.user_id}

    await env.app.notifications.change_settings(ben, digest="off")
    assert await env.listed() == {ana.user_id}
    # A new address does not turn them on.
    await env.upsert("ben", email="ben@example.org")
    assert await env.listed() == {ana.user_id}
    await env.app.notifications.change_settings(ben, digest="daily")
    assert await env.listed() == {ana.user_id, ben.user_id}
    await env.app.notifications.unsubscribe(env.app.notifications.unsubscribe_token(ben.user_id))
    await env.app.notifications.change_settings(ben, quiet_hours=("22:00", "07:00"))
    assert await env.listed() == {ana.user_id}

    await env.app.notifications.change_settings(ben, digest="hourly")
    await env.upsert("ben", email=None)
    await env.app.accounts.delete_me(ana, password=PASSWORD)
    assert await env.listed() == set()


async def test_a_user_who_gets_an_external_id_and_an_address_is_listed_by_their_choice(env: DigestEnvironment) -> None:
    ana, ben = [await env.user(name, email=None) for name in ("ana", "ben")]
    await env.app.notifications.change_settings(ben, digest="off")
    await env.upsert("7", user_id=ana.user_id, email="ana@example.com")
    await env.upsert("8", user_id=ben.user_id, email="ben@example.com")
    assert await env.listed() == {ana.user_id}


async def test_the_list_is_right_although_address_and_choice_change_at_once(
    env: DigestEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first read of each write is of before the other write."""
    service, read = env.app.notifications, env.app.accounts.get_user
    ana, ben = await env.upsert("ana"), await env.upsert("ben")
    stale = {who.user_id: await read(who.user_id) for who in (ana, ben)}

    async def find_stale(user_id: UserId, tenant: Tenant | None = None) -> User:
        return stale.pop(user_id, None) or await read(user_id, tenant)

    await env.upsert("ana", email="ana@example.com")
    await service.change_settings(ben, digest="off")
    monkeypatch.setattr(service, "_find_user", find_stale)
    monkeypatch.setattr(Directory, "get_user", staticmethod(find_stale))
    await service.change_settings(ana, digest="daily")
    await env.upsert("ben", email="ben@example.com")

    assert stale == {}
    assert await env.listed() == {ana.user_id}


async def test_users_of_earlier_versions_are_listed_by_a_recount(env: DigestEnvironment) -> None:
    ana, ben, cleo = await env.user("ana"), await env.user("ben"), await env.user("cleo", email=None)
    await env.app.table.write(Put(NotificationSettings(user_id=ben.user_id, digest="off", updated_at=env.clock.now())))
    assert await env.listed() == set()

    drift = [each.label async for each in env.app.recounts().run(dry=True) if each.drift]
    assert sorted(drift) == sorted(f"user {who.user_id}" for who in (ana, ben))
    assert await env.listed() == set()
    assert sorted([each.label async for each in env.app.recounts().run() if each.drift]) == sorted(drift)
    assert await env.listed() == {ana.user_id}
    assert [each async for each in env.app.recounts().run() if each.drift] == []

    # The choice is known to a change of the address from then on.
    for name, who in (("ben", ben), ("cleo", cleo)):
        await env.upsert(name, user_id=who.user_id, email=f"{name}@example.org")
    assert await env.listed() == {ana.user_id, cleo.user_id}


async def test_a_recount_does_not_list_a_user_who_turns_digests_off_meanwhile(env: DigestEnvironment) -> None:
    ana, ben = await env.user("ana"), await env.user("ben")
    await env.app.table.write(Put(NotificationSettings(user_id=ben.user_id, updated_at=env.clock.now())))
    checks = [await _check(env.app.table, await env.app.accounts.get_user(who.user_id)) for who in (ana, ben)]
    env.clock.move(seconds=1)
    for who, check in zip((ana, ben), checks, strict=True):
        await env.app.notifications.change_settings(who, digest="off")
        assert check is not None
        with pytest.raises(ConditionFailed):
            await check.repair()
    assert await env.listed() == set()


async def test_adopting_a_table_lists_its_users(env: DigestEnvironment) -> None:
    ana, _ = await env.user("ana"), await env.user("ben", email=None)
    assert (await env.app.adopting().adopt()).mismatches == []
    assert await env.listed() == {ana.user_id}
