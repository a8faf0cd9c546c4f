"""Digests: one mail about what is unread, for each user and window, as the user may see it now."""

from __future__ import annotations

import asyncio

import pytest

from mail.smtp_servers import Received
from notifications.environment import DAY, HOUR, MINUTE, NEWS, NOW_MS, DigestEnvironment, recipients
from sobremesa.app import Sobremesa
from sobremesa.domains.notifications.digests import RETRY_MS, Digest, Digests
from sobremesa.domains.notifications.schedule import SHARDS
from sobremesa.domains.threads.entities import ListingId
from sobremesa.domains.threads.service import NewThread
from sobremesa.rooms.entities import BLOCKED, FLAGGED, Flags
from sobremesa.rooms.sending import Draft
from sobremesa.table import Update, set_to


def digests_of(app: Sobremesa) -> Digests:
    assert app.digests is not None
    return app.digests.sweeper._digests


async def test_what_is_unread_for_half_an_hour_is_mailed_once(env: DigestEnvironment) -> None:
    ana, ben = await env.user("ana"), await env.user("ben")
    room = await env.direct(ana, ben)
    await env.send(ben, room, "Are you coming?")

    assert await env.digests(after=29 * MINUTE) == []
    [mail] = await env.digests(after=2 * MINUTE)
    assert mail.recipients == ["ana@example.com"]
    assert mail.message["Subject"] == "You have 1 unread message"
    assert f"ben (1 unread message)\n  ben: Are you coming?\n  https://chat.example.com/d/{room}\n" in mail.text()
    assert "Are you coming?" in mail.html()
    assert await env.digests(after=3 * DAY) == []
    assert await env.due() == []


async def test_reading_cancels_the_digest(env: DigestEnvironment) -> None:
    ana, ben = await env.user("ana"), await env.user("ben")
    room = await env.direct(ana, ben)
    sent = await env.send(ben, room, "Are you coming?")
    assert await env.digests(after=20 * MINUTE) == []
    await env.app.conversations.mark_read(ana, room, sent.message_id)

    assert await env.digests(after=20 * MINUTE) == []
    assert await env.due() == []


async def test_what_came_after_reading_is_unread_for_half_an_hour_as_well(env: DigestEnvironment) -> None:
    ana, ben = await env.user("ana"), await env.user("ben")
    room = await env.direct(ana, ben)
    first = await env.send(ben, room, "one")
    await env.digests(after=20 * MINUTE)
    await env.app.conversations.mark_read(ana, room, first.message_id)
    await env.send(ben, room, "two")

    assert await env.digests(after=11 * MINUTE) == []
    [mail] = await env.digests(after=20 * MINUTE)
    assert "ben: two" in mail.text()
    assert "one" not in mail.text()


async def test_two_processes_send_one_digest(env: DigestEnvironment) -> None:
    ana, ben = await env.user("ana"), await env.user("ben")
    room = await env.direct(ana, ben)
    await env.send(ben, room, "Are you coming?")
    other = await env.open_app()
    await env.app.change_consumer.catch_up()
    env.clock.move(seconds=31 * MINUTE)
    assert env.app.digests is not None
    assert other.digests is not None

    await asyncio.gather(env.app.digests.sweeper.sweep(), other.digests.sweeper.sweep())
    assert recipients(env.mail_sink.received) == ["ana@example.com"]


async def test_the_claim_alone_makes_it_one_mail(env: DigestEnvironment) -> None:
    """Without the leases: a process that was paused may look at a user beside the next one."""
    ana, ben = await env.user("ana"), await env.user("ben")
    room = await env.direct(ana, ben)
    await env.send(ben, room, "Are you coming?")
    other = await env.open_app()
    await env.app.change_consumer.catch_up()
    [row] = await env.due()
    env.clock.move(seconds=31 * MINUTE)

    await asyncio.gather(*(digests_of(app).look_at(row) for app in (env.app, other) for _ in range(3)))
    assert recipients(env.mail_sink.received) == ["ana@example.com"]


async def test_scheduling_twice_is_one_row(env: DigestEnvironment) -> None:
    ana, ben = await env.user("ana"), await env.user("ben")
    room = await env.direct(ana, ben)
    other = await env.open_app()
    for content in ("one", "two"):
        await env.send(ben, room, content)
        for app in (env.app, other):
            assert app.digests is not None
            schedule = app.digests.changes._schedule
            await schedule.add({ana.user_id: env.clock.now_ms()})
    assert len(await env.due()) == 1


async def test_there_is_one_digest_a_day_and_the_next_has_what_came_since(env: DigestEnvironment) -> None:
    ana, ben = await env.user("ana"), await env.user("ben")
    room = await env.direct(ana, ben)
    await env.send(ben, room, "one")
    assert len(await env.digests(after=31 * MINUTE)) == 1
    await env.send(ben, room, "two")

    assert await env.digests(after=23 * HOUR) == []
    [mail] = await env.digests(after=1 * HOUR)
    assert mail.message["Subject"] == "You have 2 unread messages"


async def test_what_was_mailed_before_causes_no_other_digest(env: DigestEnvironment) -> None:
    ana, ben, cleo = [await env.user(name) for name in ("ana", "ben", "cleo")]
    room, other = await env.direct(ana, ben), await env.direct(ana, cleo)
    await env.send(ben, room, "one")
    assert len(await env.digests(after=31 * MINUTE)) == 1
    read = await env.send(cleo, other, "two")
    await env.digests()
    await env.app.conversations.mark_read(ana, other, read.message_id)

    assert await env.digests(after=2 * DAY) == []


async def test_hourly_digests(env: DigestEnvironment) -> None:
    ana, ben = await env.user("ana"), await env.user("ben")
    await env.app.notifications.change_settings(ana, digest="hourly")
    room = await env.direct(ana, ben)
    await env.send(ben, room, "one")
    assert len(await env.digests(after=31 * MINUTE)) == 1
    await env.send(ben, room, "two")
    assert await env.digests(after=40 * MINUTE) == []
    assert len(await env.digests(after=21 * MINUTE)) == 1


async def test_no_digest_is_sent_to_a_user_who_chose_none(env: DigestEnvironment) -> None:
    ana, ben = await env.user("ana"), await env.user("ben")
    room = await env.direct(ana, ben)
    await env.app.notifications.change_settings(ana, digest="off")
    await env.send(ben, room, "one")
    await env.app.change_consumer.catch_up()
    assert await env.due() == []

    # Neither if they choose so while one is scheduled.
    await env.app.notifications.change_settings(ana, digest="daily")
    await env.send(ben, room, "two")
    await env.app.change_consumer.catch_up()
    await env.app.notifications.change_settings(ana, digest="off")
    assert await env.digests(after=31 * MINUTE) == []
    assert await env.due() == []


async def test_quiet_hours_postpone_a_digest_until_they_end(env: DigestEnvironment) -> None:
    ana, ben = await env.user("ana"), await env.user("ben")
    # It is 05:00 in UTC and 06:00 in Madrid.
    await env.app.notifications.change_settings(ana, quiet_hours=("22:00", "07:30"), time_zone="Europe/Madrid")
    await env.send(ben, await env.direct(ana, ben), "Are you coming?")
    assert await env.digests(after=31 * MINUTE) == []
    assert await env.digests(after=58 * MINUTE) == []
    assert recipients(await env.digests(after=2 * MINUTE)) == ["ana@example.com"]


async def test_a_connected_user_receives_none_until_they_leave(env: DigestEnvironment) -> None:
    ana, ben = await env.user("ana"), await env.user("ben")
    await env.send(ben, await env.direct(ana, ben), "Are you coming?")
    env.app.presence._sockets[ana.user_id].add("socket")
    assert await env.digests(after=31 * MINUTE) == []
    assert await env.digests(after=31 * MINUTE) == []
    del env.app.presence._sockets[ana.user_id]
    assert recipients(await env.digests(after=31 * MINUTE)) == ["ana@example.com"]


async def test_users_without_an_address_and_deleted_users_receive_none(env: DigestEnvironment) -> None:
    ana, ben, cleo = await env.user("ana", email=None), await env.user("ben"), await env.user("cleo")
    for who in (ana, cleo):
        await env.send(ben, await env.direct(who, ben), "Are you coming?")
    await env.app.change_consumer.catch_up()
    await env.app.accounts.delete_me(cleo)
    await env.app.jobs.run_pending(env.app.handlers)

    assert await env.digests(after=31 * MINUTE) == []
    assert await env.due() == []
    assert await env.state(cleo) is None


async def test_mentions_threads_and_notifications_are_in_one_digest(env: DigestEnvironment) -> None:
    ana, ben = await env.user("ana"), await env.user("ben")
    channel = await env.channel(ben, ana)
    for content in ("not for ana", "hello @ana <b>", "again not"):
        await env.app.communities.send(ben, channel, Draft(content))
    await env.publish(ana)
    thread = await env.app.threads.create(
        ana, NewThread(kind="inquiry", seller_user_id=ben.user_id, listing_id=ListingId("chair"))
    )
    await env.app.threads.send(ben, thread.listed.thread.room_id, Draft("It is yours"))

    [mail] = await env.digests(after=31 * MINUTE)
    assert mail.message["Subject"] == "You have 1 mention, 1 unread message and 1 notification"
    text = mail.text()
    assert "#general in The <long> table (1 mention)\n  ben: hello @ana <b>\n" in text
    assert "Thread with ben (1 unread message)\n  ben: It is yours\n" in text
    assert "news (1 notification)\n  shop: Your order has shipped: It arrives on Monday.\n" in text
    assert "not for ana" not in text
    assert "again not" not in text
    assert "hello @ana &lt;b&gt;" in mail.html()


async def test_a_channel_message_without_a_mention_causes_none(env: DigestEnvironment) -> None:
    ana, ben = await env.user("ana"), await env.user("ben")
    channel = await env.channel(ben, ana)
    await env.app.communities.send(ben, channel, Draft("not for ana"))
    await env.app.change_consumer.catch_up()
    assert await env.due() == []
    edited = await env.app.communities.send(ben, channel, Draft("for"))
    await env.app.communities.edit(ben, channel, edited.message_id, "for @ana")
    assert recipients(await env.digests(after=31 * MINUTE)) == ["ana@example.com"]


async def test_muted_rooms_levels_and_categories_are_respected(env: DigestEnvironment) -> None:
    ana, ben, cleo, dana = [await env.user(name) for name in ("ana", "ben", "cleo", "dana")]
    muted, silent = await env.direct(ana, ben), await env.direct(ana, cleo)
    mentions, channel = await env.direct(ana, dana), await env.channel(ben, ana)
    await env.app.conversations.set_preferences(ana, muted, muted=True)
    await env.app.inboxes.set_preference(ana, ana.tenant, NEWS, "offers", muted=True)
    await env.app.notifications.change_settings(ana, levels={silent: "none", mentions: "mentions", channel: "all"})
    await env.send(ben, muted, "muted")
    await env.send(cleo, silent, "silent")
    await env.send(dana, mentions, "no mention")
    await env.publish(ana, category="offers", title="An offer")
    assert await env.digests(after=31 * MINUTE) == []

    # A channel with all its messages is in a digest, but does not cause one.
    await env.app.communities.send(ben, channel, Draft("everything"))
    await env.send(dana, mentions, "for @ana")
    [mail] = await env.digests(after=31 * MINUTE)
    text = mail.text()
    assert "for @ana" in text
    assert "everything" in text
    for absent in ("ben: muted", "silent", "no mention", "An offer"):
        assert absent not in text


async def test_deleted_blocked_and_withheld_text_is_never_mailed(env: DigestEnvironment) -> None:
    ana, ben, cleo = [await env.user(name) for name in ("ana", "ben", "cleo")]
    room, other = await env.direct(ana, ben), await env.direct(ana, cleo)
    deleted = await env.send(ben, room, "a deleted text")
    withheld = await env.send(ben, room, "a blocked text")
    flagged = await env.send(ben, room, "a flagged text")
    await env.send(ben, room, "a clean text")
    await env.send(cleo, other, "a text of a blocked user")
    await env.app.change_consumer.catch_up()
    await env.app.conversations.delete_message(ben, room, deleted.message_id)
    for message, state in ((withheld, BLOCKED), (flagged, FLAGGED)):
        key = env.app.conversations.kind.message_key(room, message.message_id)
        await env.app.table.write(Update(key, set_to(flags=Flags(moderation=state))))
    await env.app.accounts.block(ana, cleo.user_id)

    [mail] = await env.digests(after=31 * MINUTE)
    assert mail.message["Subject"] == "You have 1 unread message"
    for form in (mail.text(), mail.html()):
        assert "a clean text" in form
        for absent in ("deleted text", "blocked text", "flagged text", "blocked user"):
            assert absent not in form


async def test_a_removed_member_receives_nothing_of_the_server(env: DigestEnvironment) -> None:
    ana, ben = await env.user("ana"), await env.user("ben")
    channel = await env.channel(ben, ana)
    await env.app.communities.send(ben, channel, Draft("secret for @ana"))
    await env.app.change_consumer.catch_up()
    server_id = (await env.app.communities.get_channel(ben, channel)).channel.server_id
    await env.app.communities.members.remove(ben, server_id, ana.user_id)
    assert await env.digests(after=31 * MINUTE) == []


async def test_a_digest_that_the_mail_server_did_not_accept_is_sent_later_once(env: DigestEnvironment) -> None:
    ana, ben = await env.user("ana"), await env.user("ben")
    await env.send(ben, await env.direct(ana, ben), "Are you coming?")
    digests_of(env.app)._transport._pauses = ()  # type: ignore[attr-defined]
    env.mail_sink.recipient_replies = ["450 4.2.1 try later"]

    assert await env.digests(after=31 * MINUTE) == []
    assert recipients(await env.digests(after=RETRY_MS / 1000 + MINUTE)) == ["ana@example.com"]
    assert await env.digests(after=2 * DAY) == []


async def test_users_wait_while_the_mail_server_fails_and_all_receive_theirs(env: DigestEnvironment) -> None:
    ben = await env.user("ben")
    users = [await env.user(f"user{number}") for number in range(30)]
    for who in users:
        await env.send(ben, await env.direct(who, ben), "Are you coming?")
    digests_of(env.app)._transport._pauses = ()  # type: ignore[attr-defined]
    env.mail_sink.recipient_replies = ["421 4.3.2 closing"] * 100
    assert await env.digests(after=31 * MINUTE) == []
    assert env.mail_sink.attempts <= 8, "no more than are sent at a time"

    env.mail_sink.recipient_replies = []
    mails = await env.digests(after=2 * MINUTE) + await env.digests(after=31 * MINUTE)
    assert sorted(recipients(mails)) == sorted(f"user{number}@example.com" for number in range(30))
    states = [await env.state(who) for who in users]
    assert {state.failures for state in states if state is not None} == {0}


async def test_a_digest_that_is_refused_for_good_is_not_sent_again(env: DigestEnvironment) -> None:
    ana, ben = await env.user("ana"), await env.user("ben")
    await env.send(ben, await env.direct(ana, ben), "Are you coming?")
    env.mail_sink.recipient_replies = ["550 5.1.1 no such user"]
    assert await env.digests(after=31 * MINUTE) == []
    assert await env.digests(after=2 * DAY) == []
    assert env.mail_sink.attempts == 1


async def test_a_process_that_dies_after_the_claim_sends_nothing_and_no_other_process_does(
    env: DigestEnvironment,
) -> None:
    ana, ben = await env.user("ana"), await env.user("ben")
    await env.send(ben, await env.direct(ana, ben), "Are you coming?")
    await env.app.change_consumer.catch_up()
    [row] = await env.due()
    env.clock.move(seconds=31 * MINUTE)
    state = await env.state(ana)
    assert state is not None
    digest = await digests_of(env.app).decide(state)
    assert isinstance(digest, Digest)
    await digests_of(env.app).claim(row, digest)

    other = await env.open_app()
    assert await env.digests(after=2 * DAY, app=other) == []


async def test_users_who_were_due_while_no_process_ran_are_looked_at_afterwards(env: DigestEnvironment) -> None:
    ana, ben = await env.user("ana"), await env.user("ben")
    await env.digests()
    await env.send(ben, await env.direct(ana, ben), "Are you coming?")
    await env.app.change_consumer.catch_up()
    assert recipients(await env.digests(after=2 * DAY)) == ["ana@example.com"]


async def test_a_sweep_reads_no_more_than_its_buckets(env: DigestEnvironment) -> None:
    ana, ben = await env.user("ana"), await env.user("ben")
    room = await env.direct(ana, ben)
    await env.send(ben, room, "Are you coming?")
    await env.digests(after=31 * MINUTE)
    before = {name: usage.calls for name, usage in env.app.table.meter.totals().items()}
    await env.digests(after=10 * MINUTE)
    after = {name: usage.calls for name, usage in env.app.table.meter.totals().items()}
    read = {name: calls - before.get(name, 0) for name, calls in after.items() if calls != before.get(name)}
    assert {name for name in read if name.startswith(("S2", "S3", "COM", "CON", "THR", "ACC"))} == set()
    assert read["NOT.3"] <= 4 * SHARDS


async def test_a_failing_user_does_not_delay_others(env: DigestEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    users = [await env.user(name) for name in ("ana", "bea", "cleo")]
    ben = await env.user("ben")
    for who in users:
        await env.send(ben, await env.direct(who, ben), "Are you coming?")
    digests = digests_of(env.app)
    find = digests._places.find

    async def failing(actor: object, levels: object) -> object:
        if actor.user_id == users[1].user_id:  # type: ignore[attr-defined]
            raise RuntimeError("broken")
        return await find(actor, levels)  # type: ignore[arg-type]

    monkeypatch.setattr(digests._places, "find", failing)
    mails: list[Received] = await env.digests(after=31 * MINUTE)
    assert sorted(recipients(mails)) == ["ana@example.com", "cleo@example.com"]
    monkeypatch.undo()
    assert recipients(await env.digests(after=2 * HOUR)) == ["bea@example.com"]


def test_the_clock_of_these_tests_is_at_five_in_the_morning() -> None:
    assert NOW_MS % (DAY * 1000) == 5 * HOUR * 1000
