"""Broadcasts cause digests: a job walks the users who can receive one, however many nodes there are."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from contextlib import AsyncExitStack

import msgspec
import pytest

from durability.child import line_of, started
from mail.smtp_servers import MailSink, smtp_server
from notifications.environment import (
    DAY,
    HOUR,
    KEY,
    MINUTE,
    NEWS,
    NOW_MS,
    DigestEnvironment,
    mail_settings,
    recipients,
)
from notifications.walking_process import PAGE
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor, Tenant, UserId
from sobremesa.core.clock import SetClock
from sobremesa.domains.accounts.entities import DIGEST_SHARDS
from sobremesa.domains.inboxes.entities import PublicMessage
from sobremesa.domains.inboxes.publish_entities import SegmentName
from sobremesa.domains.inboxes.publishing import Notice
from sobremesa.glue import broadcast_digests
from sobremesa.glue.broadcast_digests import BroadcastDigests
from sobremesa.table import OLDEST, Delete
from sobremesa.work.jobs.entities import open_jobs

SOON = 0.1
USERS = 24
ACME = msgspec.structs.replace(KEY, tenant=Tenant("acme"))


def broadcasts_of(app: Sobremesa) -> BroadcastDigests:
    assert app.digests is not None
    return app.digests.broadcasts


async def scheduled(env: DigestEnvironment) -> Counter[UserId]:
    return Counter(row.user_id for row in await env.due(days=SOON))


# Digests


async def test_a_broadcast_alone_is_mailed_once_to_every_user_with_an_address(env: DigestEnvironment) -> None:
    await env.sign_up("ana")
    await env.upsert("ben", email="ben@example.com")
    await env.upsert("cleo")
    await env.upsert("dana", ACME, email="dana@example.com")
    await env.broadcast()

    assert await env.digests(after=29 * MINUTE) == []
    mails = await env.digests(after=2 * MINUTE)
    assert sorted(recipients(mails)) == ["ana@example.com", "ben@example.com"]
    assert mails[0].message["Subject"] == "You have 1 notification"
    assert "news (1 notification)\n  shop: We are open: From nine.\n" in mails[0].text()
    assert await env.digests(after=3 * DAY) == []
    await env.broadcast(ACME)
    assert recipients(await env.digests(after=31 * MINUTE)) == ["dana@example.com"]


async def test_two_broadcasts_of_a_window_are_one_digest_and_the_next_one_waits(env: DigestEnvironment) -> None:
    await env.sign_up("ana")
    await env.broadcast()
    await env.broadcast(title="We are closed")
    [mail] = await env.digests(after=31 * MINUTE)
    assert mail.message["Subject"] == "You have 2 notifications"
    await env.broadcast(title="We are open again")
    assert await env.digests(after=23 * HOUR) == []
    assert recipients(await env.digests(after=1 * HOUR)) == ["ana@example.com"]


async def test_reading_the_broadcast_cancels_the_digest(env: DigestEnvironment) -> None:
    ana, _ = await env.sign_up("ana"), await env.sign_up("ben")
    message_id = await env.broadcast()
    await env.schedule()
    assert await env.app.inboxes.mark_read(ana, ana.tenant, NEWS, message_id)
    assert recipients(await env.digests(after=31 * MINUTE)) == ["ben@example.com"]
    assert await env.due(days=SOON) == []


async def test_quiet_hours_postpone_the_digest_of_a_broadcast(env: DigestEnvironment) -> None:
    ana = await env.sign_up("ana")
    # It is 05:00 in UTC and 06:00 in Madrid.
    await env.app.notifications.change_settings(ana, quiet_hours=("22:00", "07:30"), time_zone="Europe/Madrid")
    await env.broadcast()
    assert await env.digests(after=89 * MINUTE) == []
    assert recipients(await env.digests(after=2 * MINUTE)) == ["ana@example.com"]


async def test_a_broadcast_that_expires_before_the_digest_schedules_nobody(env: DigestEnvironment) -> None:
    await env.sign_up("ana")
    await env.broadcast(ttl="30m")
    await env.schedule()
    assert await env.due(days=SOON) == []
    await env.broadcast(ttl="31m")
    await env.schedule()
    assert len(await env.due(days=SOON)) == 1


async def test_a_broadcast_that_is_over_when_the_job_runs_schedules_nobody(env: DigestEnvironment) -> None:
    await env.sign_up("ana")
    deleted = await env.broadcast()
    await env.broadcast(ttl="1h")
    await env.app.change_consumer.catch_up()
    await env.app.table.write(Delete(PublicMessage.key(tenant=KEY.tenant, inbox=NEWS, message_id=deleted)))
    env.clock.move(seconds=HOUR)
    await env.schedule()
    assert await env.due(days=SOON) == []


async def test_a_broadcast_that_is_deleted_during_the_walk_is_walked_no_further(
    env: DigestEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20):
        await env.upsert(f"user{number}", email=f"user{number}@example.com")
    monkeypatch.setattr(broadcast_digests, "PAGES_OF_A_JOB", 4)
    message_id = await env.broadcast()
    await env.app.change_consumer.catch_up()
    [job] = [job async for job in env.app.table.every(open_jobs())]
    await broadcasts_of(env.app).run(job.subject)
    before = await scheduled(env)
    assert 0 < len(before) < 20

    await env.app.table.write(Delete(PublicMessage.key(tenant=KEY.tenant, inbox=NEWS, message_id=message_id)))
    await env.schedule()
    assert await scheduled(env) == before
    assert await env.digests(after=31 * MINUTE) == []


async def test_the_rules_of_the_inbox_decide_who_receives_it(env: DigestEnvironment) -> None:
    muted, off, _ = [await env.sign_up(name) for name in ("muted", "off", "reader")]
    disabled = await env.upsert("disabled", email="disabled@example.com")
    await env.app.accounts.disable_user(KEY, KEY.tenant, "disabled")
    await env.app.inboxes.set_preference(muted, muted.tenant, NEWS, "offers", muted=True)
    await env.app.notifications.change_settings(off, digest="off")
    await env.broadcast(category="offers")
    await env.app.change_consumer.catch_up()
    env.clock.move(seconds=1)
    await env.sign_up("late")

    assert recipients(await env.digests(after=31 * MINUTE)) == ["reader@example.com"]
    assert await env.due(days=SOON) == []
    assert await env.state(disabled) is None, "they are not scheduled at all"


async def test_users_of_earlier_versions_receive_it_after_a_recount(env: DigestEnvironment) -> None:
    await env.user("ana")
    async for _ in env.app.recounts().run():
        pass
    await env.broadcast()
    assert recipients(await env.digests(after=31 * MINUTE)) == ["ana@example.com"]


async def test_a_segment_is_mailed_to_its_users_alone(env: DigestEnvironment) -> None:
    ana, _ = await env.sign_up("ana"), await env.sign_up("ben")
    segment = SegmentName("bikers")
    await env.app.inboxes.set_segment(KEY, KEY.tenant, segment, [ana.user_id])
    notice = Notice(sender="shop", title="For bikers", body="New tires")
    await env.app.inboxes.publish_to_segment(KEY, KEY.tenant, NEWS, notice, segment)
    assert recipients(await env.digests(after=31 * MINUTE)) == ["ana@example.com"]


async def test_where_digests_are_off_by_default_only_users_who_chose_them_are_scheduled(
    env: DigestEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana, _ = await env.sign_up("ana"), await env.sign_up("ben")
    schedule = broadcasts_of(env.app)._schedule
    schedule.default = "off"
    add, added = schedule.add, set[UserId]()

    async def record_and_add(unread_since: Mapping[UserId, int]) -> None:
        added.update(unread_since)
        await add(unread_since)

    monkeypatch.setattr(schedule, "add", record_and_add)
    await env.app.notifications.change_settings(ana, digest="hourly")
    await env.broadcast()
    assert recipients(await env.digests(after=31 * MINUTE)) == ["ana@example.com"]
    assert added == {ana.user_id}, "the schedules of the others are not read"


# The walk


async def test_a_broadcast_is_walked_once_although_its_change_is_read_again(env: DigestEnvironment) -> None:
    await env.sign_up("ana")
    await env.broadcast()
    other = await env.open_app()
    changes = []
    for app in (env.app, other, env.app):
        reader = await app.table.changes(OLDEST)
        while batch := (await reader.read(0)).changes:
            changes += batch
        await reader.close()
        for change in changes:
            broadcasts_of(app).collect(change)
    await asyncio.gather(*(broadcasts_of(app).flush() for app in (env.app, other)))
    assert len([job async for job in env.app.table.every(open_jobs())]) == 1

    await asyncio.gather(*(app.jobs.run_pending(app.handlers) for app in (env.app, other)))
    assert recipients(await env.digests(after=31 * MINUTE)) == ["ana@example.com"]
    # It is over, and its change starts no other walk.
    for change in changes:
        broadcasts_of(other).collect(change)
    await broadcasts_of(other).flush()
    assert [job async for job in env.app.table.every(open_jobs())] == []


async def test_two_processes_on_one_walk_schedule_each_user_once(
    env: DigestEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the lease: a process that was paused may continue beside the next one."""
    monkeypatch.setattr(broadcast_digests, "PAGE", 1)
    users = {(await env.upsert(f"user{n}", email=f"user{n}@example.com")).user_id for n in range(12)}
    await env.broadcast()
    other = await env.open_app()
    await env.app.change_consumer.catch_up()
    [job] = [job async for job in env.app.table.every(open_jobs())]

    await asyncio.gather(*(broadcasts_of(app).run(job.subject) for app in (env.app, other)))
    assert await scheduled(env) == Counter(users)


async def test_other_jobs_have_their_turn_during_a_long_walk(
    env: DigestEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broadcast_digests, "PAGES_OF_A_JOB", DIGEST_SHARDS // 4)
    users = {(await env.upsert(f"user{n}", email=f"user{n}@example.com")).user_id for n in range(12)}
    await env.broadcast()
    await env.app.change_consumer.catch_up()
    await env.app.table.write(env.app.jobs.new("other", "job"))
    ran = []

    async def walk(subject: str) -> None:
        ran.append("walk")
        await broadcasts_of(env.app).run(subject)

    async def run_other(subject: str) -> None:
        ran.append("other")

    while await env.app.jobs.run_pending({broadcast_digests.JOB: walk, "other": run_other}):
        pass
    assert ran == ["walk", "other", "walk", "walk", "walk", "walk"]
    assert await scheduled(env) == Counter(users)


async def test_a_killed_walk_is_continued_where_it_was(store: str) -> None:
    mail_sink, clock = MailSink(), SetClock(NOW_MS)
    async with AsyncExitStack() as closing:
        port = await closing.enter_async_context(smtp_server(mail_sink))
        app = await closing.enter_async_context(
            Sobremesa.open(store, settings=mail_settings(port), clock=clock, background=False)
        )
        env = DigestEnvironment(app, clock, mail_sink, lambda: asyncio.sleep(0, app))
        users: list[Actor] = [await env.upsert(f"user{n}", email=f"user{n}@example.com") for n in range(USERS)]
        shards = Counter([(await app.accounts.get_user(who.user_id)).digest_shard for who in users])
        await env.broadcast()
        await app.change_consumer.catch_up()

        killed_at, pages = 5, 0
        with started("notifications.walking_process", store, str(port), "0") as process:
            while pages < killed_at:
                assert await asyncio.to_thread(line_of, process) == "page"
                pages += 1
                if pages < killed_at:
                    _continue(process)
            process.kill()
        done = await scheduled(env)
        assert 0 < len(done) < len(users)
        with started("notifications.walking_process", store, str(port), str(2 * MINUTE)) as process:
            while await asyncio.to_thread(line_of, process) == "page":
                pages += 1
                _continue(process)

        assert await scheduled(env) == Counter(who.user_id for who in users)
        # Of all pages, only the one whose progress was not saved is walked again. The last page of a shard is not full.
        assert pages == 1 + sum(shards[shard] // PAGE + 1 for shard in range(DIGEST_SHARDS))
        assert Counter(recipients(await env.digests(after=31 * MINUTE))) == Counter(
            f"user{number}@example.com" for number in range(USERS)
        )


def _continue(process: object) -> None:
    process.stdin.write(b"\n")  # type: ignore[attr-defined]
    process.stdin.flush()  # type: ignore[attr-defined]
