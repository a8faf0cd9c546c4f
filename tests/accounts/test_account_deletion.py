"""Account deletion: visible to others at once, and complete in the end, also after an interruption."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from accounts.environment import PASSWORD, Environment, QueuedJob
from sobremesa.core.actor import Actor, PublicProfile, UserId
from sobremesa.core.errors import NotFound, Refusal, Unauthenticated
from sobremesa.domains.accounts.entities import Departing, User, user_by_email, user_by_id
from sobremesa.domains.accounts.errors import BadCredentials, BadResetToken, OwnsServers, SessionEnded, WrongPassword
from sobremesa.http.large_requests import LargeRequestRunning
from sobremesa.table import Create, measure


class OtherDomain:
    """Another domain, which stores the names of users."""

    def __init__(self) -> None:
        self.owners: set[UserId] = set()
        self.names: dict[UserId, str] = {}
        self.failures = 0
        self.deleted: list[UserId] = []

    async def find_objection(self, user_id: UserId) -> Refusal | None:
        return OwnsServers(server_ids=["s1"]) if user_id in self.owners else None

    async def delete_user_data(self, user_id: UserId) -> None:
        if self.failures:
            self.failures -= 1
            raise ConnectionError("the store went away")
        self.names.pop(user_id, None)
        self.deleted.append(user_id)

    async def export(self, user_id: UserId) -> AsyncIterator[Any]:
        yield {"kind": "other_domain", "name": self.names[user_id]}


@pytest.fixture
def other_domain(env: Environment) -> OtherDomain:
    other_domain = OtherDomain()
    env.domains.append(other_domain)
    return other_domain


async def test_deleted_user_is_gone_at_once(env: Environment, other_domain: OtherDomain) -> None:
    signed_in = await env.register("ana")
    ana = await env.authenticate(signed_in.access_token)
    bea = await env.actor("bea")
    await env.accounts.change_profile(ana, avatar_url="/v1/attachments/1")
    await env.accounts.grant_admin("ana")
    await env.accounts.block(bea, ana.user_id)
    assert await env.accounts.pending_deletions.user_ids() == frozenset()

    await env.accounts.delete_me(ana, password=PASSWORD)

    with pytest.raises(Unauthenticated):
        await env.authenticate(signed_in.access_token)
    with pytest.raises(SessionEnded):
        await env.accounts.refresh(signed_in.refresh_token)
    with pytest.raises(BadCredentials):
        await env.login("ana")
    with pytest.raises(NotFound):
        await env.accounts.get_user(ana.user_id)
    assert await env.accounts.find_by_username("ana") is None
    deleted = PublicProfile(user_id=ana.user_id, username="deleted user")
    assert await env.accounts.profiles([ana.user_id]) == {ana.user_id: deleted}
    assert await env.accounts.pending_deletions.user_ids() == {ana.user_id}
    tombstone = await env.table.get(user_by_id(user_id=ana.user_id))
    assert tombstone is not None
    assert (tombstone.email, tombstone.avatar_url, tombstone.is_admin) == (None, None, False)
    assert (await env.table.query(user_by_email(email="ana@example.com"))).items == []
    assert [job.subject for job in await _queued_jobs(env)] == [ana.user_id]
    assert env.jobs.nudges == 1


async def test_heavy_requests_of_a_user_run_one_at_a_time(env: Environment) -> None:
    ana, bea = await env.actor("ana"), await env.actor("bea")
    running = env.accounts.export(ana)
    assert (await anext(running))["kind"] == "profile"

    with pytest.raises(LargeRequestRunning) as refused:
        await anext(env.accounts.export(ana))
    assert refused.value.data["retry_after"] > 0
    with pytest.raises(LargeRequestRunning):
        await env.accounts.delete_me(ana, password=PASSWORD)
    assert "profile" in [line["kind"] async for line in env.accounts.export(bea)]

    await running.aclose()
    assert "profile" in [line["kind"] async for line in env.accounts.export(ana)]
    await env.accounts.delete_me(ana, password=PASSWORD)


async def test_email_and_username_of_a_deleted_user_are_free_again(env: Environment) -> None:
    first = await env.actor("ana")
    await env.accounts.delete_me(first, password=PASSWORD)
    second = await env.actor("ana")
    await env.accounts.finish_deletion(first.user_id)
    assert (await env.accounts.get_me(second)).username == "ana"
    await env.login("ana")


async def test_no_personal_data_is_left_after_the_job(env: Environment, other_domain: OtherDomain) -> None:
    ana, bea = await env.actor("ana"), await env.actor("bea")
    await env.login("ana", device="my phone")
    await env.accounts.block(ana, bea.user_id)
    env.accounts.ask_reset("ana@example.com")
    await env.accounts._passwords.recovery.close()
    other_domain.names[ana.user_id] = "ana"

    await env.accounts.delete_me(ana, password=PASSWORD)
    await env.accounts.finish_deletion(ana.user_id)

    assert (other_domain.deleted, other_domain.names) == ([ana.user_id], {})
    assert await env.accounts.pending_deletions.user_ids() == frozenset()
    rows = [row async for row in env.table.scan() if ana.user_id in row["pk"]]
    assert [row["sk"] for row in rows] == ["PROFILE"]
    kept = [row async for row in env.table.scan() if row["entityType"] != "QueuedJob" and bea.user_id not in str(row)]
    assert "ana" not in str(kept)
    with pytest.raises(BadResetToken):
        await env.accounts.confirm_reset(token=env.mailbox.mails[-1].token, password=PASSWORD)


async def test_interrupted_deletion_is_resumed(env: Environment, other_domain: OtherDomain) -> None:
    second = OtherDomain()
    env.domains.append(second)
    ana = await env.actor("ana")
    await env.accounts.delete_me(ana, password=PASSWORD)
    second.failures = 1
    with pytest.raises(ConnectionError):
        await env.accounts.finish_deletion(ana.user_id)
    assert await env.accounts.pending_deletions.user_ids() == {ana.user_id}

    await env.accounts.finish_deletion(ana.user_id)

    assert second.deleted == [ana.user_id]
    assert await env.accounts.pending_deletions.user_ids() == frozenset()
    await env.accounts.finish_deletion(ana.user_id)
    assert await env.accounts.pending_deletions.user_ids() == frozenset()


async def test_stray_job_does_not_delete_an_active_user(env: Environment, other_domain: OtherDomain) -> None:
    ana = await env.actor("ana")
    await env.accounts.finish_deletion(ana.user_id)
    await env.accounts.finish_deletion("nobody")
    assert other_domain.deleted == []
    await env.login("ana")


async def test_domain_can_refuse_a_deletion(env: Environment, other_domain: OtherDomain) -> None:
    ana = await env.actor("ana")
    other_domain.owners.add(ana.user_id)
    with pytest.raises(OwnsServers) as refused:
        await env.accounts.delete_me(ana, password=PASSWORD)
    assert (refused.value.code, refused.value.data) == ("owns_servers", {"server_ids": ["s1"]})
    await env.login("ana")
    assert await _queued_jobs(env) == []


@pytest.mark.parametrize("password", [None, "", "a guess, a guess"])
async def test_user_with_a_password_must_enter_it(env: Environment, password: str | None) -> None:
    ana = await env.actor("ana")
    with pytest.raises(WrongPassword):
        await env.accounts.delete_me(ana, password=password)
    await env.login("ana")


async def test_deleting_a_user_without_claims_keeps_the_claims_of_others(env: Environment) -> None:
    user_id = UserId("old")
    await env.table.write(Create(User(user_id=user_id, username="john", email="john@example.com")))
    other = await env.register("john", email="other@example.com")
    await env.accounts.delete_me(Actor.of_user(user_id, "john"))
    assert await env.accounts.find_by_username("john") == other.user


async def test_pending_deletions_are_read_once_a_second_and_visible_to_other_nodes(env: Environment) -> None:
    node = env.other_node()
    ana = await env.actor("ana")
    assert await node.accounts.pending_deletions.user_ids() == frozenset()
    await env.accounts.delete_me(ana, password=PASSWORD)
    with measure() as measured:
        assert await node.accounts.pending_deletions.user_ids() == frozenset()
    assert measured.calls == 0
    env.clock.move(seconds=1)
    assert await node.accounts.pending_deletions.user_ids() == {ana.user_id}


async def test_concurrent_deletions_are_all_pending(env: Environment) -> None:
    users = [await env.actor(f"p{number}") for number in range(5)]
    for user in users:
        await env.accounts.delete_me(user, password=PASSWORD)
    row = await env.table.get(Departing.key(), consistent=True)
    assert row is not None
    assert row.user_ids == {user.user_id for user in users}
    for user in users:
        await env.accounts.finish_deletion(user.user_id)
    assert await env.accounts.pending_deletions.user_ids() == frozenset()


async def test_export_contains_all_data_of_the_user_and_no_hash(env: Environment, other_domain: OtherDomain) -> None:
    ana, bea = await env.actor("ana"), await env.actor("bea")
    await env.login("ana", device="phone")
    await env.accounts.block(ana, bea.user_id)
    other_domain.names[ana.user_id] = "ana"

    lines = [line async for line in env.accounts.export(ana)]

    assert [line["kind"] for line in lines] == ["profile", "session", "session", "block", "other_domain"]
    assert (lines[0]["email"], lines[2]["device"], lines[3]["userId"]) == ("ana@example.com", "phone", bea.user_id)
    assert "hash" not in str(lines).lower()


async def _queued_jobs(env: Environment) -> list[QueuedJob]:
    rows = [row async for row in env.table.scan() if row["entityType"] == QueuedJob.__name__]
    return [QueuedJob.from_item(row, env.table.layout) for row in rows]
