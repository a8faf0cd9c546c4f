"""The audit log: newest first, over months, page by page."""

from __future__ import annotations

import pytest

from accounts.environment import PASSWORD, Environment
from sobremesa.core.actor import Actor, KeyId, Tenant, UserId
from sobremesa.domains.accounts.audit import MONTHS_AT_ONCE, OPERATOR, SYSTEM_SCOPE, Audit
from sobremesa.domains.accounts.entities import AuditEntry
from sobremesa.domains.accounts.errors import WrongPassword
from sobremesa.table.errors import BadCursor

SCOPE = "server:1"
DAY = 24 * 3600


@pytest.fixture
def audit(env: Environment) -> Audit:
    return Audit(env.table, env.clock, env.ids)


async def test_entry_records_actor_action_target_and_time(env: Environment, audit: Audit) -> None:
    actor = Actor.of_user(UserId("ana"), "ana")
    entry = await env.table.write(audit.entry(SCOPE, actor, "ban", target="bea", details={"reason": "spam"}))
    [found] = (await audit.list_entries(SCOPE, since=entry.at)).items
    assert found == entry
    assert (found.actor, found.action, found.target, found.details) == ("ana", "ban", "bea", {"reason": "spam"})
    assert found.at == env.clock.now()
    assert found.month == "202511"
    by_key = audit.entry(SCOPE, Actor(key_id=KeyId("k")), "x")
    assert by_key.entity.actor == "k"


async def test_password_changes_are_recorded(env: Environment, audit: Audit) -> None:
    ana = await env.actor("ana")
    await env.accounts.change_password(ana, current=PASSWORD, next="a new password")
    env.accounts.ask_reset("ana@example.com")
    await env.accounts._passwords.recovery.close()
    await env.accounts.confirm_reset(token=env.mailbox.mails[-1].token, password=PASSWORD)
    with pytest.raises(WrongPassword):
        await env.accounts.change_password(ana, current="a guess, a guess", next="another password")

    assert await _recorded(env, audit, ana.user_id) == [
        (ana.user_id, "password.reset", None),
        (ana.user_id, "password.change", None),
    ]


async def test_operator_actions_are_recorded(env: Environment, audit: Audit) -> None:
    ana = await env.actor("ana")
    await env.accounts.grant_admin("ana")
    await env.accounts.grant_admin("ana", granted=False)
    key = (await env.server_keys.create_key(Tenant("default"), ["inbox:publish"], label="orders")).key
    await env.server_keys.revoke_key(key.key_id)
    kid = await env.accounts.rotate_signing_key()

    assert await _recorded(env, audit, "tenant:default") == [
        (OPERATOR, "key.revoke", key.key_id),
        (OPERATOR, "key.create", key.key_id),
        (OPERATOR, "admin.revoke", ana.user_id),
        (OPERATOR, "admin.grant", ana.user_id),
    ]
    assert await _recorded(env, audit, SYSTEM_SCOPE) == [(OPERATOR, "signing_key.rotate", kid)]


async def test_pages_start_at_the_newest_month(env: Environment, audit: Audit) -> None:
    first = env.clock.now()
    written = []
    for _ in range(7):
        written.append(await _act(env, audit))
        env.clock.move(seconds=20 * DAY)
    env.clock.move(seconds=70 * DAY)
    await _act(env, audit, scope="server:2")

    read: list[AuditEntry] = []
    cursor = None
    while True:
        page = await audit.list_entries(SCOPE, since=first, limit=3, cursor=cursor)
        assert len(page.items) <= 3
        read += page.items
        cursor = page.next
        if cursor is None:
            break
    assert read == written[::-1]


async def test_many_empty_months_are_skipped_in_steps(env: Environment, audit: Audit) -> None:
    first = env.clock.now()
    entry = await _act(env, audit)
    env.clock.move(seconds=31 * DAY * (MONTHS_AT_ONCE + 5))
    page = await audit.list_entries(SCOPE, since=first)
    assert page.items == []
    page = await audit.list_entries(SCOPE, since=first, cursor=page.next)
    assert (page.items, page.next) == ([entry], None)


async def test_cursor_is_of_use_only_for_its_scope(env: Environment, audit: Audit) -> None:
    first = env.clock.now()
    await _act(env, audit)
    await _act(env, audit)
    page = await audit.list_entries(SCOPE, since=first, limit=1)

    assert len((await audit.list_entries(SCOPE, since=first, limit=1, cursor=page.next)).items) == 1
    with pytest.raises(BadCursor):
        await audit.list_entries("server:2", since=first, limit=1, cursor=page.next)


@pytest.mark.parametrize("cursor", ["", "x", "202513.", "202511.x", "202511", "202511.", ".", "000000.", "202511.é"])
async def test_invalid_cursor_is_refused(env: Environment, audit: Audit, cursor: str) -> None:
    with pytest.raises(BadCursor):
        await audit.list_entries(SCOPE, since=env.clock.now(), cursor=cursor)


async def _act(env: Environment, audit: Audit, scope: str = SCOPE) -> AuditEntry:
    return await env.table.write(audit.entry(scope, Actor.of_user(UserId("ana"), "ana"), "kick"))


async def _recorded(env: Environment, audit: Audit, scope: str) -> list[tuple[str, str, str | None]]:
    """Return the entries of a scope, newest first."""
    page = await audit.list_entries(scope, since=env.clock.now())
    return [(entry.actor, entry.action, entry.target) for entry in page.items]
