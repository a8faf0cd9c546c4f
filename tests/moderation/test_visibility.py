"""One rule decides who may see a message, and every read of a room applies it."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from attachments.test_in_messages import uploaded
from communities.environment import Community, add_members
from moderation.environment import ADMIN, Script, block, blocked, cases
from sobremesa.core.actor import Actor
from sobremesa.core.clock import Clock, SystemClock
from sobremesa.core.errors import NotFound
from sobremesa.core.ids import Ids, MessageId, RoomId, first_of
from sobremesa.domains.accounts.audit import Audit
from sobremesa.domains.communities.access import Access
from sobremesa.domains.communities.entities import CHANNELS, ChannelPointer
from sobremesa.domains.moderation.review import Review
from sobremesa.rooms.access import Seat
from sobremesa.rooms.context import RoomContext
from sobremesa.rooms.entities import Flags, Head, Message
from sobremesa.rooms.errors import ReplyMissing
from sobremesa.rooms.judging import TimedJudge, Verdict
from sobremesa.rooms.kinds import RoomKind
from sobremesa.rooms.readers import RoomReaders
from sobremesa.rooms.sending import Draft
from sobremesa.rooms.service import Rooms
from sobremesa.rooms.views import FlagsView, MessageView
from sobremesa.rooms.visibility import is_withheld, may_see, shown_text
from sobremesa.table import Keys, Lookup, Table

SECRET = "you donkey"


async def read(community: Community, who: Actor, message_id: MessageId) -> dict[str, list[MessageView]]:
    """Return a message from every read that can contain it."""
    channels, room = community.app.communities, community.channel_id
    anywhere = await channels.find_message(who, message_id)
    assert anywhere is not None
    tomorrow = MessageId(first_of(SystemClock().now_ms() + 86_400_000))
    pages = {
        "newest": await channels.page(who, room, limit=50),
        "before": await channels.page(who, room, limit=50, before=tomorrow),
        "after": await channels.page(who, room, limit=50, after=MessageId("00000000000000000000000000")),
        "around": await channels.page(who, room, limit=50, around=message_id),
    }
    assert all(
        page.json == msgspec.json.encode({"items": page.messages, "next": page.cursor}) for page in pages.values()
    )
    found = {name: page.messages for name, page in pages.items()}
    found["get"] = [await channels.get_message(who, room, message_id)]
    found["anywhere"] = [anywhere]
    found["pins"] = [pin.message for pin in (await channels.list_pins(who, room, limit=50, cursor=None))[0]]
    return found


def ways_that_show(ways: dict[str, list[MessageView]], text: str) -> set[str]:
    """Return the reads that contain a text."""
    return {way for way, views in ways.items() if any(text in msgspec.json.encode(view).decode() for view in views)}


WAYS = {"newest", "before", "after", "around", "get", "anywhere", "pins"}


async def test_blocked_text_is_never_returned_even_if_cached(community: Community) -> None:
    reader = await other_member(community)
    message = await community.send(community.member, SECRET)
    await community.app.communities.pin(community.owner, community.channel_id, message.message_id)
    for _ in range(2):
        assert ways_that_show(await read(community, reader, message.message_id), SECRET) == WAYS

    await block(community, message)

    for _ in range(2):
        ways = await read(community, reader, message.message_id)
        assert ways_that_show(ways, SECRET) == set()
        assert ways["pins"] == []
        for who in (community.member, community.moderator, community.owner):
            assert ways_that_show(await read(community, who, message.message_id), SECRET) == WAYS
    ways = await read(community, reader, message.message_id)
    for way in WAYS - {"pins"}:
        [view] = ways[way]
        assert (view.message_id, view.content, view.flags) == (message.message_id, "", FlagsView("blocked", []))
    [own] = (await read(community, community.member, message.message_id))["get"]
    assert own.flags == FlagsView("blocked", ["reviewed"])


async def test_withheld_message_reveals_only_its_position(community: Community) -> None:
    reader = await other_member(community)
    first = await community.send(community.owner, "first")
    await community.app.accounts.register(email="ana@example.com", username="ana", password="correct horse")
    file = await uploaded(community.app, community.member)
    draft = Draft(f"{SECRET} @ana", reply_to=first.message_id, attachments=[file.file_id])
    message = await community.app.communities.send(community.member, community.channel_id, draft)
    await community.app.communities.react(community.owner, community.channel_id, message.message_id, "🙈")
    await block(community, message)

    seen = await community.app.communities.get_message(reader, community.channel_id, message.message_id)

    with pytest.raises(NotFound):
        await community.app.attachments.get(reader, file.file_id)
    assert (await community.app.attachments.get(community.moderator, file.file_id)).file_id == file.file_id
    assert (seen.content, seen.attachments, seen.mentions, seen.reply_to, seen.reactions, seen.action) == (
        "", [], [], None, [], None,
    )  # fmt: skip
    whole = await community.app.communities.get_message(community.moderator, community.channel_id, message.message_id)
    assert (len(whole.attachments), len(whole.mentions), whole.reply_to, len(whole.reactions)) == (
        1, 1, first.message_id, 1,
    )  # fmt: skip


async def test_other_users_cannot_act_on_a_blocked_message(community: Community) -> None:
    reader = await other_member(community)
    message = await community.send(community.member, SECRET)
    channels, room, message_id = community.app.communities, community.channel_id, message.message_id
    await channels.react(reader, room, message_id, "👍")
    await block(community, message)

    verbs: list[Callable[[Actor], Awaitable[Any]]] = [
        lambda who: channels.react(who, room, message_id, "🎉"),
        lambda who: channels.list_reactors(who, room, message_id, "👍", limit=10, cursor=None),
        lambda who: channels.unreact(who, room, message_id, "👍"),
        lambda who: channels.report(who, room, message_id, "again"),
    ]
    for verb in verbs:
        with pytest.raises(NotFound):
            await verb(reader)
        await verb(community.moderator)
    with pytest.raises(NotFound):
        await channels.edit(reader, room, message_id, "x")
    with pytest.raises(NotFound):
        await channels.delete_message(reader, room, message_id)
    with pytest.raises(ReplyMissing):
        await community.send(reader, "why?", reply_to=message_id)
    await community.send(community.member, "because", reply_to=message_id)
    await channels.pin(community.moderator, room, message_id)
    assert (await channels.list_pins(reader, room, limit=10, cursor=None))[0] == []
    assert len((await channels.list_pins(community.member, room, limit=10, cursor=None))[0]) == 1


async def test_blocked_message_never_counts_as_unread(community: Community) -> None:
    reader = await other_member(community)
    await community.send(community.owner, "hello")
    await blocked(community, community.member, SECRET)

    for who in (reader, community.moderator):
        assert (await community.app.communities.unread(who, community.channel_id)).count == 1
        [room] = await community.app.communities.unread_everywhere(who)
        assert room.count == 1


async def test_repeated_nonce_returns_the_blocked_message_to_its_author(community: Community) -> None:
    message = await blocked(community, community.member, SECRET, nonce="n")

    again = await community.send(community.member, SECRET, nonce="n")

    assert (again.message_id, again.content) == (message.message_id, SECRET)
    assert again.flags == FlagsView("blocked", ["reviewed"])


async def test_approved_message_is_visible_to_all_members(community: Community, judge: Script) -> None:
    reader = await other_member(community)
    judge.returns(Verdict("blocked", ["insults"]))
    message = await community.send(community.member, SECRET)
    await community.app.communities.pin(community.owner, community.channel_id, message.message_id)
    assert ways_that_show(await read(community, reader, message.message_id), SECRET) == set()

    [case] = await cases(community.app)
    await community.app.moderation.decide(ADMIN, case.case_id, "approve")

    assert ways_that_show(await read(community, reader, message.message_id), SECRET) == WAYS


async def test_flagged_message_is_visible_to_all_members_with_its_reason(community: Community, judge: Script) -> None:
    reader = await other_member(community)
    judge.returns(Verdict("flagged", ["shouting"], 1))
    message = await community.send(community.member, "HELLO")

    seen = await community.app.communities.get_message(reader, community.channel_id, message.message_id)

    assert (seen.content, seen.flags, seen.nsfw_band) == ("HELLO", FlagsView("flagged", ["shouting"]), 1)
    assert (await community.app.communities.unread(reader, community.channel_id)).count == 1


# Safe mode, and previews: with doors and heads that channels do not have


class Preview(ChannelPointer):
    """The head of a room with a preview of its last message, and optional safe mode."""

    keys = Keys(pk="CHANNEL#{room_id}", sk="META")

    last_text: str | None = None

    def message_fields(self, message: Message) -> dict[str, Any]:
        return {"last_text": shown_text(message, safe_mode=False)}


class SafeDoor(Access):
    """Authorizes access to rooms with safe mode."""

    async def authorize(self, actor: Actor, room_id: RoomId) -> Seat:
        return msgspec.structs.replace(await super().authorize(actor, room_id), safe_mode=True)

    async def authorize_send(self, actor: Actor, room_id: RoomId) -> Seat:
        return msgspec.structs.replace(await super().authorize_send(actor, room_id), safe_mode=True)


class PreviewDoor(Access):
    """Authorizes access to rooms whose heads have a preview."""

    def __init__(self, table: Table, audit: Audit) -> None:
        super().__init__(table, audit)
        self._rows = table

    async def authorize(self, actor: Actor, room_id: RoomId) -> Seat:
        return await self._with_preview(await super().authorize(actor, room_id))

    async def authorize_send(self, actor: Actor, room_id: RoomId) -> Seat:
        return await self._with_preview(await super().authorize_send(actor, room_id))

    async def _with_preview(self, seat: Seat) -> Seat:
        head: Head | None = await self._rows.get(Preview.key(room_id=seat.room_id), consistent=True)
        assert head is not None
        return msgspec.structs.replace(seat, head=head)


def rooms_of(
    community: Community, access: type[Access], kind: RoomKind = CHANNELS, judge: Script | None = None
) -> Rooms:
    clock: Clock = SystemClock()
    table = community.app.table
    app, ids = community.app, Ids(clock)
    context = RoomContext(
        table,
        clock,
        ids,
        app.accounts,
        app.attachments,
        app.jobs,
        RoomReaders(table),
        judge=None if judge is None else TimedJudge(judge),
    )
    return Rooms(kind, access(table, Audit(table, clock, ids)), context)


@pytest.mark.parametrize("verdict", [Verdict("flagged", ["shouting"]), Verdict("clean", [], 1), Verdict("blocked")])
async def test_safe_mode_withholds_flagged_and_nsfw_messages(
    verdict: Verdict, community: Community, judge: Script
) -> None:
    reader = await other_member(community)
    rooms = rooms_of(community, SafeDoor, judge=judge)
    await rooms.send(community.member, community.channel_id, Draft("fine"))
    await rooms.page(reader, community.channel_id, limit=10)
    judge.returns(verdict)
    sent = await rooms.send(community.member, community.channel_id, Draft(SECRET))

    async def texts(who: Actor) -> list[str]:
        return [message.content for message in (await rooms.page(who, community.channel_id, limit=10)).messages]

    assert await texts(reader) == ["", "fine"]
    assert await texts(community.member) == await texts(community.moderator) == [SECRET, "fine"]
    assert (await rooms.unread(reader, community.channel_id)).count == 1
    with pytest.raises(NotFound):
        await rooms.react(reader, community.channel_id, sent.message_id, "👍")
    with pytest.raises(ReplyMissing):
        await rooms.send(reader, community.channel_id, Draft("why?", reply_to=sent.message_id))


async def preview_of(community: Community) -> str | None:
    head = await community.app.table.get(Preview.key(room_id=community.channel_id), consistent=True)
    assert head is not None
    return head.last_text


async def test_the_preview_of_a_room_follows_every_decision(community: Community, judge: Script) -> None:
    kind = msgspec.structs.replace(CHANNELS, head=Preview, head_by_key=Lookup("T1", "What is this room?", Preview))
    rooms, room = rooms_of(community, PreviewDoor, kind, judge), community.channel_id
    clock = SystemClock()
    app = community.app
    review = Review(app.table, clock, Audit(app.table, clock, Ids(clock)), app.accounts, kinds=[kind])
    first = await rooms.send(community.member, room, Draft("first"))
    last = await rooms.send(community.member, room, Draft(SECRET))
    assert await preview_of(community) == SECRET
    for message in (first, last):
        for who in (community.owner, community.admin):
            await rooms.report(who, room, message.message_id, "look")

    async def decide(message: MessageView, decision: Any) -> None:
        found, _ = await review.list_cases(ADMIN, limit=50)
        case = next(case for case in found if case.message_id == message.message_id)
        await review.decide(ADMIN, case.case_id, decision)

    await decide(last, "block")
    assert await preview_of(community) is None
    await rooms.edit(community.member, room, last.message_id, f"{SECRET}!")
    assert await preview_of(community) is None
    await decide(last, "approve")
    assert await preview_of(community) == f"{SECRET}!"
    await decide(first, "block")
    assert await preview_of(community) == f"{SECRET}!"
    judge.returns(Verdict("blocked", ["insults"]))
    await rooms.send(community.member, room, Draft("worse"))
    assert await preview_of(community) is None


# The rule itself


async def test_visibility_rule_matches_its_table(community: Community) -> None:
    clock = SystemClock()
    access = Access(community.app.table, Audit(community.app.table, clock, Ids(clock)))
    users = {
        who: await access.authorize(who, community.channel_id)
        for who in (await other_member(community), *community.members.values())
    }
    for moderation, band, safe_mode in itertools.product(
        (None, "clean", "flagged", "blocked"), (None, 0, 1, 2), (False, True)
    ):
        message = CHANNELS.message(
            room_id=community.channel_id,
            message_id=MessageId("0" * 26),
            author_id=community.member.user_id,
            content=SECRET,
            flags=None if moderation is None else Flags(moderation=moderation),
            nsfw_band=band,
            **CHANNELS.message.time_parts(MessageId("0" * 26)),
        )

        withheld = moderation == "blocked" or (safe_mode and (moderation == "flagged" or band in (1, 2)))

        assert is_withheld(message, safe_mode=safe_mode) == withheld
        assert shown_text(message, safe_mode=safe_mode) == (None if withheld else SECRET)
        for who, seat in users.items():
            seen = may_see(msgspec.structs.replace(seat, safe_mode=safe_mode), message)
            assert seen == (who in community.members.values() or not withheld)


async def other_member(community: Community) -> Actor:
    [reader] = await add_members(community.app, community.server_id, 1)
    return reader
