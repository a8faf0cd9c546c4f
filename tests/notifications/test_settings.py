"""What users choose about notifications, and how they unsubscribe."""

from __future__ import annotations

import asyncio

import pytest

from notifications.environment import DAY, MINUTE, DigestEnvironment, recipients, token_of
from sobremesa.core.errors import NotFound
from sobremesa.core.ids import RoomId
from sobremesa.domains.notifications.entities import settings_of


async def test_the_link_of_a_digest_ends_digests_without_a_login(env: DigestEnvironment) -> None:
    ana, ben = await env.user("ana"), await env.user("ben")
    room = await env.direct(ana, ben)
    await env.send(ben, room, "one")
    [mail] = await env.digests(after=31 * MINUTE)
    token = token_of(mail)
    assert mail.message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert f"Unsubscribe:\nhttps://chat.example.com/v1/unsubscribe/{token}\n" in mail.text()
    assert f'href="https://chat.example.com/v1/unsubscribe/{token}"' in mail.html()

    await asyncio.gather(*(env.app.notifications.unsubscribe(token) for _ in range(3)))
    await env.send(ben, room, "two")
    assert await env.digests(after=2 * DAY) == []
    assert await env.due() == []

    # They can subscribe again, and the same link still works.
    await env.app.notifications.change_settings(ana, digest="daily")
    await env.send(ben, room, "three")
    assert recipients(await env.digests(after=31 * MINUTE)) == ["ana@example.com"]
    await env.app.notifications.unsubscribe(token)
    settings = await env.app.notifications.find_settings(ana)
    assert settings is not None
    assert settings.digest == "off"


async def test_a_token_is_for_one_user_of_one_store(env: DigestEnvironment) -> None:
    ana, ben = await env.user("ana"), await env.user("ben")
    of_ana, of_ben = map(env.app.notifications.unsubscribe_token, (ana.user_id, ben.user_id))
    for wrong in (of_ana[:22] + of_ben[22:], of_ana[:-1], "", "%", "é", of_ana + "A" * 100):
        with pytest.raises(NotFound):
            await env.app.notifications.unsubscribe(wrong)
    assert await env.app.notifications.find_settings(ana) is None


async def test_the_link_of_a_deleted_user_leaves_no_row(env: DigestEnvironment) -> None:
    ana = await env.user("ana")
    await env.app.notifications.change_settings(ana, time_zone="UTC")
    await env.app.accounts.delete_me(ana)
    await env.app.jobs.run_pending(env.app.handlers)
    await env.app.notifications.unsubscribe(env.app.notifications.unsubscribe_token(ana.user_id))
    assert await env.app.table.get(settings_of(user_id=ana.user_id)) is None


async def test_what_is_not_given_stays_as_it_is(env: DigestEnvironment) -> None:
    ana = await env.user("ana")
    levels = {RoomId("room"): "none"}
    await env.app.notifications.change_settings(ana, levels=levels, quiet_hours=("22:00", "07:00"))  # type: ignore[arg-type]
    await env.app.notifications.change_settings(ana, time_zone="Europe/Madrid")
    settings = await env.app.notifications.change_settings(ana, quiet_hours=None)
    assert settings is not None
    assert (settings.levels, settings.time_zone, settings.quiet_start) == (levels, "Europe/Madrid", None)
    assert (await env.app.notifications.change_settings(ana)) == settings


async def test_settings_are_exported_and_deleted_with_the_account(env: DigestEnvironment) -> None:
    ana = await env.user("ana")
    await env.app.notifications.change_settings(ana, digest="hourly")
    [line] = [line async for line in env.app.accounts.export(ana) if line["kind"] == "notificationSettings"]
    assert line["digest"] == "hourly"
    await env.app.accounts.delete_me(ana)
    await env.app.jobs.run_pending(env.app.handlers)
    assert await env.app.table.get(settings_of(user_id=ana.user_id)) is None
    assert await env.state(ana) is None
