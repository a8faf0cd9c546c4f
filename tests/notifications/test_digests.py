"""Digests: one mail about what is unread, for each user and window, as the user may see it now."""

from __future__ import annotations

import asyncio

import pytest

from mail.smtp_servers import Received
from notifications.desk import DAY, HOUR, MINUTE, NEWS, NOW_MS, Desk, recipients
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


async def test_what_is_unread_for_half_an_hour_is_mailed_once(desk: Desk) -> None:
    ana, ben = await desk.user("ana"), await desk.user("ben")
    room = await desk.direct(ana, ben)
    await desk.send(ben, room, "Are you coming?")

    assert await desk.digests(after=29 * MINUTE) == []
    [mail] = await desk.digests(after=2 * MINUTE)
    assert mail.recipients == ["ana@example.com"]
    assert mail.message["Subject"] == "You have 1 unread message"
    assert f"ben (1 unread message)\n  ben: Are you coming?\n  https://chat.example.com/d/{room}\n" in mail.text()
    assert "Are you coming?" in mail.html()
    assert await desk.digests(after=3 * DAY) == []
    assert await desk.due() == []


async def test_reading_cancels_the_digest(desk: Desk) -> None:
    ana, ben = await desk.user("ana"), await desk.user("ben")
    room = await desk.direct(ana, ben)
    sent = await desk.send(ben, room, "Are you coming?")
    assert await desk.digests(after=20 * MINUTE) == []
    await desk.app.conversations.mark_read(ana, room, sent.message_id)

    assert await desk.digests(after=20 * MINUTE) == []
    assert await desk.due() == []


async def test_what_came_after_reading_is_unread_for_half_an_hour_as_well(desk: Desk) -> None:
    ana, ben = await desk.user("ana"), await desk.user("ben")
    room = await desk.direct(ana, ben)
    first = await desk.send(ben, room, "one")
    await desk.digests(after=20 * MINUTE)
    await desk.app.conversations.mark_read(ana, room, first.message_id)
    await desk.send(ben, room, "two")

    assert await desk.digests(after=11 * MINUTE) == []
    [mail] = await desk.digests(after=20 * MINUTE)
    assert "ben: two" in mail.text()
    assert "one" not in mail.text()


async def test_two_processes_send_one_digest(desk: Desk) -> None:
    ana, ben = await desk.user("ana"), await desk.user("ben")
    room = await desk.direct(ana, ben)
    await desk.send(ben, room, "Are you coming?")
    other = await desk.open_app()
    await desk.app.change_consumer.catch_up()
    desk.clock.move(seconds=31 * MINUTE)
    assert desk.app.digests is not None
    assert other.digests is not None

    await asyncio.gather(desk.app.digests.sweeper.sweep(), other.digests.sweeper.sweep())
    assert recipients(desk.postbox.received) == ["ana@example.com"]


async def test_the_claim_alone_makes_it_one_mail(desk: Desk) -> None:
    """Without the leases: a process that was paused may look at a user beside the next one."""
    ana, ben = await desk.user("ana"), await desk.user("ben")
    room = await desk.direct(ana, ben)
    await desk.send(ben, room, "Are you coming?")
    other = await desk.open_app()
    await desk.app.change_consumer.catch_up()
    [row] = await desk.due()
    desk.clock.move(seconds=31 * MINUTE)

    await asyncio.gather(*(digests_of(app).look_at(row) for app in (desk.app, other) for _ in range(3)))
    assert recipients(desk.postbox.received) == ["ana@example.com"]


async def test_scheduling_twice_is_one_row(desk: Desk) -> None:
    ana, ben = await desk.user("ana"), await desk.user("ben")
    room = await desk.direct(ana, ben)
    other = await desk.open_app()
    for content in ("one", "two"):
        await desk.send(ben, room, content)
        for app in (desk.app, other):
            assert app.digests is not None
            schedule = app.digests.changes._schedule
            await schedule.add({ana.user_id: desk.clock.now_ms()})
    assert len(await desk.due()) == 1


async def test_there_is_one_digest_a_day_and_the_next_has_what_came_since(desk: Desk) -> None:
    ana, ben = await desk.user("ana"), await desk.user("ben")
    room = await desk.direct(ana, ben)
    await desk.send(ben, room, "one")
    assert len(await desk.digests(after=31 * MINUTE)) == 1
    await desk.send(ben, room, "two")

    assert await desk.digests(after=23 * HOUR) == []
    [mail] = await desk.digests(after=1 * HOUR)
    assert mail.message["Subject"] == "You have 2 unread messages"


async def test_what_was_mailed_before_causes_no_other_digest(desk: Desk) -> None:
    ana, ben, cleo = [await desk.user(name) for name in ("ana", "ben", "cleo")]
    room, other = await desk.direct(ana, ben), await desk.direct(ana, cleo)
    await desk.send(ben, room, "one")
    assert len(await desk.digests(after=31 * MINUTE)) == 1
    read = await desk.send(cleo, other, "two")
    await desk.digests()
    await desk.app.conversations.mark_read(ana, other, read.message_id)

    assert await desk.digests(after=2 * DAY) == []


async def test_hourly_digests(desk: Desk) -> None:
    ana, ben = await desk.user("ana"), await desk.user("ben")
    await desk.app.notifications.change_settings(ana, digest="hourly")
    room = await desk.direct(ana, ben)
    await desk.send(ben, room, "one")
    assert len(await desk.digests(after=31 * MINUTE)) == 1
    await desk.send(ben, room, "two")
    assert await desk.digests(after=40 * MINUTE) == []
    assert len(await desk.digests(after=21 * MINUTE)) == 1


async def test_no_digest_is_sent_to_a_user_who_chose_none(desk: Desk) -> None:
    ana, ben = await desk.user("ana"), await desk.user("ben")
    room = await desk.direct(ana, ben)
    await desk.app.notifications.change_settings(ana, digest="off")
    await desk.send(ben, room, "one")
    await desk.app.change_consumer.catch_up()
    assert await desk.due() == []

    # Neither if they choose so while one is scheduled.
    await desk.app.notifications.change_settings(ana, digest="daily")
    await desk.send(ben, room, "two")
    await desk.app.change_consumer.catch_up()
    await desk.app.notifications.change_settings(ana, digest="off")
    assert await desk.digests(after=31 * MINUTE) == []
    assert await desk.due() == []


async def test_quiet_hours_postpone_a_digest_until_they_end(desk: Desk) -> None:
    ana, ben = await desk.user("ana"), await desk.user("ben")
    # It is 05:00 in UTC and 06:00 in Madrid.
    await desk.app.notifications.change_settings(ana, quiet_hours=("22:00", "07:30"), time_zone="Europe/Madrid")
    await desk.send(ben, await desk.direct(ana, ben), "Are you coming?")
    assert await desk.digests(after=31 * MINUTE) == []
    assert await desk.digests(after=58 * MINUTE) == []
    assert recipients(await desk.digests(after=2 * MINUTE)) == ["ana@example.com"]


async def test_a_connected_user_receives_none_until_they_leave(desk: Desk) -> None:
    ana, ben = await desk.user("ana"), await desk.user("ben")
    await desk.send(ben, await desk.direct(ana, ben), "Are you coming?")
    desk.app.presence._sockets[ana.user_id].add("socket")
    assert await desk.digests(after=31 * MINUTE) == []
    assert await desk.digests(after=31 * MINUTE) == []
    del desk.app.presence._sockets[ana.user_id]
    assert recipients(await desk.digests(after=31 * MINUTE)) == ["ana@example.com"]


async def test_users_without_an_address_and_deleted_users_receive_none(desk: Desk) -> None:
    ana, ben, cleo = await desk.user("ana", email=None), await desk.user("ben"), await desk.user("cleo")
    for who in (ana, cleo):
        await desk.send(ben, await desk.direct(who, ben), "Are you coming?")
    await desk.app.change_consumer.catch_up()
    await desk.app.accounts.delete_me(cleo)
    await desk.app.jobs.run_pending(desk.app.handlers)

    assert await desk.digests(after=31 * MINUTE) == []
    assert await desk.due() == []
    assert await desk.state(cleo) is None


async def test_mentions_threads_and_notifications_are_in_one_digest(desk: Desk) -> None:
    ana, ben = await desk.user("ana"), await desk.user("ben")
    channel = await desk.channel(ben, ana)
    for content in ("not for ana", "hello @ana <b>", "again not"):
        await desk.app.communities.send(ben, channel, Draft(content))
    await desk.publish(ana)
    thread = await desk.app.threads.create(
        ana, NewThread(kind="inquiry", seller_user_id=ben.user_id, listing_id=ListingId("chair"))
    )
    await desk.app.threads.send(ben, thread.listed.thread.room_id, Draft("It is yours"))

    [mail] = await desk.digests(after=31 * MINUTE)
    assert mail.message["Subject"] == "You have 1 mention, 1 unread message and 1 notification"
    text = mail.text()
    assert "#general in The <long> table (1 mention)\n  ben: hello @ana <b>\n" in text
    assert "Thread with ben (1 unread message)\n  ben: It is yours\n" in text
    assert "news (1 notification)\n  shop: Your order has shipped: It arrives on Monday.\n" in text
    assert "not for ana" not in text
    assert "again not" not in text
    assert "hello @ana &lt;b&gt;" in mail.html()


async def test_a_channel_message_without_a_mention_causes_none(desk: Desk) -> None:
    ana, ben = await desk.user("ana"), await desk.user("ben")
    channel = await desk.channel(ben, ana)
    await desk.app.communities.send(ben, channel, Draft("not for ana"))
    await desk.app.change_consumer.catch_up()
    assert await desk.due() == []
    edited = await desk.app.communities.send(ben, channel, Draft("for"))
    await desk.app.communities.edit(ben, channel, edited.message_id, "for @ana")
    assert recipients(await desk.digests(after=31 * MINUTE)) == ["ana@example.com"]


async def test_muted_rooms_levels_and_categories_are_respected(desk: Desk) -> None:
    ana, ben, cleo, dana = [await desk.user(name) for name in ("ana", "ben", "cleo", "dana")]
    muted, silent = await desk.direct(ana, ben), await desk.direct(ana, cleo)
    mentions, channel = await desk.direct(ana, dana), await desk.channel(ben, ana)
    await desk.app.conversations.set_preferences(ana, muted, muted=True)
    await desk.app.inboxes.set_preference(ana, ana.tenant, NEWS, "offers", muted=True)
    await desk.app.notifications.change_settings(ana, levels={silent: "none", mentions: "mentions", channel: "all"})
    await desk.send(ben, muted, "muted")
    await desk.send(cleo, silent, "silent")
    await desk.send(dana, mentions, "no mention")
    await desk.publish(ana, category="offers", title="An offer")
    assert await desk.digests(after=31 * MINUTE) == []

    # A channel with all its messages is in a digest, but does not cause one.
    await desk.app.communities.send(ben, channel, Draft("everything"))
    await desk.send(dana, mentions, "for @ana")
    [mail] = await desk.digests(after=31 * MINUTE)
    text = mail.text()
    assert "for @ana" in text
    assert "everything" in text
    for absent in ("ben: muted", "silent", "no mention", "An offer"):
        assert absent not in text


async def test_deleted_blocked_and_withheld_text_is_never_mailed(desk: Desk) -> None:
    ana, ben, cleo = [await desk.user(name) for name in ("ana", "ben", "cleo")]
    room, other = await desk.direct(ana, ben), await desk.direct(ana, cleo)
    deleted = await desk.send(ben, room, "a deleted text")
    withheld = await desk.send(ben, room, "a blocked text")
    flagged = await desk.send(ben, room, "a flagged text")
    await desk.send(ben, room, "a clean text")
    await desk.send(cleo, other, "a text of a blocked user")
    await desk.app.change_consumer.catch_up()
    await desk.app.conversations.delete_message(ben, room, deleted.message_id)
    for message, state in ((withheld, BLOCKED), (flagged, FLAGGED)):
        key = desk.app.conversations.kind.message_key(room, message.message_id)
        await desk.app.table.write(Update(key, set_to(flags=Flags(moderation=state))))
    await desk.app.accounts.block(ana, cleo.user_id)

    [mail] = await desk.digests(after=31 * MINUTE)
    assert mail.message["Subject"] == "You have 1 unread message"
    for form in (mail.text(), mail.html()):
        assert "a clean text" in form
        for absent in ("deleted text", "blocked text", "flagged text", "blocked user"):
            assert absent not in form


async def test_a_removed_member_receives_nothing_of_the_server(desk: Desk) -> None:
    ana, ben = await desk.user("ana"), await desk.user("ben")
    channel = await desk.channel(ben, ana)
    await desk.app.communities.send(ben, channel, Draft("secret for @ana"))
    await desk.app.change_consumer.catch_up()
    server_id = (await desk.app.communities.get_channel(ben, channel)).channel.server_id
    await desk.app.communities.members.remove(ben, server_id, ana.user_id)
    assert await desk.digests(after=31 * MINUTE) == []


async def test_a_digest_that_the_mail_server_did_not_accept_is_sent_later_once(desk: Desk) -> None:
    ana, ben = await desk.user("ana"), await desk.user("ben")
    await desk.send(ben, await desk.direct(ana, ben), "Are you coming?")
    digests_of(desk.app)._transport._pauses = ()  # type: ignore[attr-defined]
    desk.postbox.recipient_replies = ["450 4.2.1 try later"]

    assert await desk.digests(after=31 * MINUTE) == []
    assert recipients(await desk.digests(after=RETRY_MS / 1000 + MINUTE)) == ["ana@example.com"]
    assert await desk.digests(after=2 * DAY) == []


async def test_users_wait_while_the_mail_server_fails_and_all_receive_theirs(desk: Desk) -> None:
    ben = await desk.user("ben")
    users = [await desk.user(f"user{number}") for number in range(30)]
    for who in users:
        await desk.send(ben, await desk.direct(who, ben), "Are you coming?")
    digests_of(desk.app)._transport._pauses = ()  # type: ignore[attr-defined]
    desk.postbox.recipient_replies = ["421 4.3.2 closing"] * 100
    assert await desk.digests(after=31 * MINUTE) == []
    assert desk.postbox.attempts <= 8, "no more than are sent at a time"

    desk.postbox.recipient_replies = []
    mails = await desk.digests(after=2 * MINUTE) + await desk.digests(after=31 * MINUTE)
    assert sorted(recipients(mails)) == sorted(f"user{number}@example.com" for number in range(30))
    states = [await desk.state(who) for who in users]
    assert {state.failures for state in states if state is not None} == {0}


async def test_a_digest_that_is_refused_for_good_is_not_sent_again(desk: Desk) -> None:
    ana, ben = await desk.user("ana"), await desk.user("ben")
    await desk.send(ben, await desk.direct(ana, ben), "Are you coming?")
    desk.postbox.recipient_replies = ["550 5.1.1 no such user"]
    assert await desk.digests(after=31 * MINUTE) == []
    assert await desk.digests(after=2 * DAY) == []
    assert desk.postbox.attempts == 1


async def test_a_process_that_dies_after_the_claim_sends_nothing_and_no_other_process_does(desk: Desk) -> None:
    ana, ben = await desk.user("ana"), await desk.user("ben")
    await desk.send(ben, await desk.direct(ana, ben), "Are you coming?")
    await desk.app.change_consumer.catch_up()
    [row] = await desk.due()
    desk.clock.move(seconds=31 * MINUTE)
    state = await desk.state(ana)
    assert state is not None
    digest = await digests_of(desk.app).decide(state)
    assert isinstance(digest, Digest)
    await digests_of(desk.app).claim(row, digest)

    other = await desk.open_app()
    assert await desk.digests(after=2 * DAY, app=other) == []


async def test_users_who_were_due_while_no_process_ran_are_looked_at_afterwards(desk: Desk) -> None:
    ana, ben = await desk.user("ana"), await desk.user("ben")
    await desk.digests()
    await desk.send(ben, await desk.direct(ana, ben), "Are you coming?")
    await desk.app.change_consumer.catch_up()
    assert recipients(await desk.digests(after=2 * DAY)) == ["ana@example.com"]


async def test_a_sweep_reads_no_more_than_its_buckets(desk: Desk) -> None:
    ana, ben = await desk.user("ana"), await desk.user("ben")
    room = await desk.direct(ana, ben)
    await desk.send(ben, room, "Are you coming?")
    await desk.digests(after=31 * MINUTE)
    before = {name: usage.calls for name, usage in desk.app.table.meter.totals().items()}
    await desk.digests(after=10 * MINUTE)
    after = {name: usage.calls for name, usage in desk.app.table.meter.totals().items()}
    read = {name: calls - before.get(name, 0) for name, calls in after.items() if calls != before.get(name)}
    assert {name for name in read if name.startswith(("S2", "S3", "COM", "CON", "THR", "ACC"))} == set()
    assert read["NOT.3"] <= 4 * SHARDS


async def test_a_failing_user_does_not_delay_others(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    users = [await desk.user(name) for name in ("ana", "bea", "cleo")]
    ben = await desk.user("ben")
    for who in users:
        await desk.send(ben, await desk.direct(who, ben), "Are you coming?")
    digests = digests_of(desk.app)
    find = digests._places.find

    async def failing(actor: object, levels: object) -> object:
        if actor.user_id == users[1].user_id:  # type: ignore[attr-defined]
            raise RuntimeError("broken")
        return await find(actor, levels)  # type: ignore[arg-type]

    monkeypatch.setattr(digests._places, "find", failing)
    mails: list[Received] = await desk.digests(after=31 * MINUTE)
    assert sorted(recipients(mails)) == ["ana@example.com", "cleo@example.com"]
    monkeypatch.undo()
    assert recipients(await desk.digests(after=2 * HOUR)) == ["bea@example.com"]


def test_the_clock_of_these_tests_is_at_five_in_the_morning() -> None:
    assert NOW_MS % (DAY * 1000) == 5 * HOUR * 1000
