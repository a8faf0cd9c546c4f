"""Messages in a channel."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from communities.conftest import Ahead
from communities.environment import Community
from sobremesa.core.clock import Instant
from sobremesa.core.errors import Forbidden, Invalid, NotFound
from sobremesa.core.ids import MessageId
from sobremesa.domains.communities.entities import CHANNELS
from sobremesa.rooms.errors import NonceReused, OneDirection, ReplyMissing
from sobremesa.rooms.sending import Draft


async def test_messages_are_listed_newest_first(community: Community) -> None:
    for number in range(5):
        await community.send(community.member, f"message {number}")

    page = await community.app.communities.page(community.owner, community.channel_id, limit=3)

    assert [message.content for message in page.messages] == ["message 4", "message 3", "message 2"]
    rest = await community.app.communities.page(community.owner, community.channel_id, limit=3, cursor=page.cursor)
    assert [message.content for message in rest.messages] == ["message 1", "message 0"]
    assert rest.cursor is None


async def test_message_has_the_display_name_of_its_author_at_the_time_of_sending(community: Community) -> None:
    named = msgspec.structs.replace(community.member, display_name="Mia M.")
    await community.send(community.member, "before")
    sent = await community.send(named, "after")

    page = await community.app.communities.page(community.owner, community.channel_id, limit=5)

    assert sent.display_name == "Mia M."
    assert [(message.content, message.display_name) for message in page.messages] == [
        ("after", "Mia M."),
        ("before", None),
    ]


async def test_page_before_after_or_around_a_message(community: Community) -> None:
    posted = [await community.send(community.member, f"{number}") for number in range(9)]
    middle = posted[4].message_id
    channels = community.app.communities

    before = await channels.page(community.owner, community.channel_id, limit=2, before=middle)
    after = await channels.page(community.owner, community.channel_id, limit=2, after=middle)
    around = await channels.page(community.owner, community.channel_id, limit=5, around=middle)

    assert [message.content for message in before.messages] == ["3", "2"]
    assert [message.content for message in after.messages] == ["5", "6"]
    assert [message.content for message in around.messages] == ["6", "5", "4", "3", "2"]
    further = await channels.page(community.owner, community.channel_id, limit=9, after=middle, cursor=after.cursor)
    assert [message.content for message in further.messages] == ["7", "8"]
    with pytest.raises(OneDirection):
        await channels.page(community.owner, community.channel_id, limit=2, before=middle, after=middle)


async def test_fifty_parallel_sends_with_one_nonce_create_one_message(community: Community) -> None:
    draft = Draft("once", nonce="mine")

    sent = await asyncio.gather(
        *(community.app.communities.send(community.member, community.channel_id, draft) for _ in range(50))
    )

    assert len({one.message_id for one in sent}) == 1
    assert sum(not one.replayed for one in sent) == 1
    assert await community.contents() == ["once"]


async def test_nonce_belongs_to_its_body_and_its_sender(community: Community) -> None:
    await community.send(community.member, "first", nonce="n")

    with pytest.raises(NonceReused):
        await community.send(community.member, "second", nonce="n")
    await community.send(community.moderator, "another person's", nonce="n")

    assert await community.contents() == ["first", "another person's"]


async def test_parallel_sends_have_one_order_and_none_is_lost(community: Community) -> None:
    users = [community.owner, community.admin, community.moderator, community.member]

    sent = await asyncio.gather(*(community.send(users[n % 4], str(n)) for n in range(60)))

    page = await community.app.communities.page(community.owner, community.channel_id, limit=100)
    ids = [message.message_id for message in page.messages]
    assert len(ids) == 60
    assert ids == sorted(ids, reverse=True)
    assert set(ids) == {message.message_id for message in sent}
    head = (await community.app.communities.get_channel(community.owner, community.channel_id)).last_message_id
    assert head == ids[0]


async def test_reader_who_catches_up_during_sends_misses_no_message(community: Community) -> None:
    first = await community.send(community.owner, "start")
    seen: list[str] = []

    async def reader() -> None:
        position: MessageId = first.message_id
        while len(seen) < 80:
            page = await community.app.communities.page(community.owner, community.channel_id, limit=7, after=position)
            seen.extend(message.content for message in page.messages)
            position = page.messages[-1].message_id if page.messages else position
            await asyncio.sleep(0)

    async def writer(who: int) -> None:
        for number in range(20):
            await community.send(
                [community.admin, community.moderator, community.member, community.owner][who], f"{who}:{number}"
            )

    async with asyncio.timeout(60):
        await asyncio.gather(reader(), *map(writer, range(4)))

    assert sorted(seen) == sorted(f"{who}:{number}" for who in range(4) for number in range(20))


async def test_edit_right_after_the_send_finds_the_message(community: Community) -> None:
    for number in range(10):
        message = await community.send(community.member, "draft")
        edited = await community.app.communities.edit(
            community.member, community.channel_id, message.message_id, f"final {number}"
        )
        assert (edited.content, edited.edited) == (f"final {number}", True)
        assert edited.edited_at is not None


async def test_only_its_author_edits_a_message(community: Community) -> None:
    message = await community.send(community.member, "mine")

    for who in (community.moderator, community.admin, community.owner):
        with pytest.raises(Forbidden):
            await community.app.communities.edit(who, community.channel_id, message.message_id, "ours")

    assert await community.contents() == ["mine"]


async def test_deleted_message_leaves_a_tombstone_without_content(community: Community) -> None:
    message = await community.send(community.member, "a secret", nonce="a secret, too")
    await community.app.communities.react(community.owner, community.channel_id, message.message_id, "👀")

    await community.app.communities.delete_message(community.member, community.channel_id, message.message_id)

    left = await community.app.communities.get_message(community.owner, community.channel_id, message.message_id)
    assert (left.deleted, left.content, left.reactions, left.mentions) == (True, "", [], [])
    rows = [item async for item in community.app.table.scan()]
    assert "a secret" not in str(rows)
    with pytest.raises(NotFound):
        await community.app.communities.delete_message(community.member, community.channel_id, message.message_id)
    with pytest.raises(NotFound):
        await community.app.communities.edit(community.member, community.channel_id, message.message_id, "back again")


async def test_moderator_deletes_messages_of_others_and_it_is_audited(community: Community) -> None:
    message = await community.send(community.member, "rude")
    other = await community.send(community.owner, "polite")

    with pytest.raises(Forbidden):
        await community.app.communities.delete_message(community.member, community.channel_id, other.message_id)
    await community.app.communities.delete_message(community.moderator, community.channel_id, message.message_id)

    entries, _ = await community.app.communities.list_audit(community.owner, community.server_id, limit=5)
    assert (entries[0].action, entries[0].actor, entries[0].target) == (
        "message.delete",
        community.moderator.user_id,
        community.member.user_id,
    )
    assert "rude" not in str(entries)


async def test_reply_needs_its_message_in_the_same_room(community: Community) -> None:
    question = await community.send(community.member, "who cooks?")
    other = await community.app.communities.create_channel(community.owner, community.server_id, name="other")

    answer = await community.send(community.owner, "I do", reply_to=question.message_id)

    assert answer.reply_to == question.message_id
    draft = Draft("I do", reply_to=question.message_id)
    with pytest.raises(ReplyMissing):
        await community.app.communities.send(community.owner, other.channel.channel_id, draft)


async def test_users_are_mentioned_by_their_names(community: Community) -> None:
    ana = await community.app.accounts.register(email="ana@example.com", username="Ana", password="a long password")

    message = await community.send(community.owner, "@ana, @Ana and @nobody: mail me at x@ana.example")

    assert message.mentions == [ana.user.user_id]


async def test_message_of_another_channel_is_not_found(community: Community) -> None:
    other = await community.app.communities.create_channel(community.owner, community.server_id, name="other")
    message = await community.send(community.member, "here")

    with pytest.raises(NotFound):
        await community.app.communities.get_message(community.owner, other.channel.channel_id, message.message_id)
    with pytest.raises(NotFound):
        await community.app.communities.get_message(community.owner, community.channel_id, MessageId("no-such-message"))


async def test_non_member_finds_nothing(community: Community) -> None:
    message = await community.send(community.member, "between us")
    channels, stranger, room = community.app.communities, community.stranger, community.channel_id

    for attempt in (
        channels.page(stranger, room, limit=10),
        channels.get_message(stranger, room, message.message_id),
        channels.send(stranger, room, Draft("let me in")),
        channels.edit(stranger, room, message.message_id, "hm"),
        channels.delete_message(stranger, room, message.message_id),
        channels.react(stranger, room, message.message_id, "👍"),
        channels.pin(stranger, room, message.message_id),
        channels.mark_read(stranger, room, message.message_id),
        channels.unread(stranger, room),
        channels.report(stranger, room, message.message_id, "because"),
        channels.typing(stranger, room),
    ):
        with pytest.raises(NotFound) as refused:
            await attempt
        assert str(refused.value) == NotFound.default_detail

    assert await community.contents() == ["between us"]


async def test_pins_are_listed_until_they_are_removed(community: Community) -> None:
    first, second = await community.send(community.member, "one"), await community.send(community.member, "two")
    channels = community.app.communities

    with pytest.raises(Forbidden):
        await channels.pin(community.member, community.channel_id, first.message_id)
    for message in (first, second, second):
        await channels.pin(community.moderator, community.channel_id, message.message_id)
    pins, _ = await channels.list_pins(community.member, community.channel_id, limit=10, cursor=None)
    assert [pin.message.content for pin in pins] == ["two", "one"]

    await channels.unpin(community.moderator, community.channel_id, second.message_id)
    await channels.delete_message(community.member, community.channel_id, first.message_id)
    pins, _ = await channels.list_pins(community.member, community.channel_id, limit=10, cursor=None)
    assert pins == []


async def test_report_reaches_the_moderators_queue(community: Community) -> None:
    message = await community.send(community.member, "buy now")

    await community.app.communities.report(community.owner, community.channel_id, message.message_id, "spam")

    [case] = [item async for item in community.app.table.scan() if item["entityType"] == "ModerationCase"]
    assert case["pk"].startswith("MODQ#")
    assert (case["reason"], case["messageId"], case["reportedBy"]) == (
        "spam",
        message.message_id,
        community.owner.user_id,
    )


async def test_cursor_of_another_channel_is_refused(community: Community) -> None:
    other = await community.app.communities.create_channel(community.owner, community.server_id, name="other")
    for number in range(3):
        await community.send(community.member, str(number))
    page = await community.app.communities.page(community.owner, community.channel_id, limit=2)

    with pytest.raises(Exception, match="cursor"):
        await community.app.communities.page(community.owner, other.channel.channel_id, limit=2, cursor=page.cursor)


def test_two_directions_are_invalid() -> None:
    assert issubclass(OneDirection, Invalid)


async def test_message_is_found_by_its_id_alone_by_its_readers(community: Community) -> None:
    message = await community.send(community.member, "here")
    find = community.app.communities.find_message

    found = await find(community.owner, message.message_id)
    assert found is not None
    assert (found.message_id, found.content) == (message.message_id, "here")
    assert await find(community.stranger, message.message_id) is None
    assert await find(community.owner, MessageId("01JZZZZZZZZZZZZZZZZZZZZZZZ")) is None


async def test_new_message_stores_its_update_time(community: Community, clock: Ahead) -> None:
    async def updated_at() -> Instant | None:
        row = await community.app.table.get(
            CHANNELS.message_key(community.channel_id, sent.message_id), consistent=True
        )
        assert row is not None
        return row.updated_at

    sent = await community.send(community.member, "hello")
    assert await updated_at() == sent.created_at

    clock.move(seconds=5)
    edited = await community.app.communities.edit(
        community.member, community.channel_id, sent.message_id, "hello there"
    )
    assert await updated_at() == edited.edited_at
