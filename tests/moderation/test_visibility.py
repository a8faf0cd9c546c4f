"""One rule decides who may see a message, and every read of a room applies it."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from attachments.test_in_messages import uploaded
from communities.world import Town, crowd
from moderation.world import ADMIN, Script, block, blocked, cases
from sobremesa.core.actor import Actor
from sobremesa.core.clock import Clock, SystemClock
from sobremesa.core.errors import NotFound
from sobremesa.core.ids import Ids, MessageId, RoomId, first_of
from sobremesa.domains.accounts.audit import Audit
from sobremesa.domains.communities.access import Access
from sobremesa.domains.communities.entities import CHANNELS, ChannelPointer
from sobremesa.domains.moderation.review import Review
from sobremesa.rooms.access import Seat
from sobremesa.rooms.entities import Flags, Head, Message
from sobremesa.rooms.errors import ReplyMissing
from sobremesa.rooms.judging import Verdict
from sobremesa.rooms.kinds import RoomKind
from sobremesa.rooms.sending import Draft
from sobremesa.rooms.service import Rooms
from sobremesa.rooms.views import FlagsView, MessageView
from sobremesa.rooms.visibility import is_withheld, may_see, shown_text
from sobremesa.table import Keys, Table

SECRET = "you donkey"


async def read(town: Town, who: Actor, message_id: MessageId) -> dict[str, list[MessageView]]:
    """Return a message from every read that can contain it."""
    channels, room = town.app.channels, town.channel_id
    anywhere = await channels.find_anywhere(who, message_id)
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
    found["get"] = [await channels.get(who, room, message_id)]
    found["anywhere"] = [anywhere]
    found["pins"] = [pin.message for pin in (await channels.list_pins(who, room, limit=50, cursor=None))[0]]
    return found


def tells(ways: dict[str, list[MessageView]], text: str) -> set[str]:
    """Return the reads that contain a text."""
    return {way for way, views in ways.items() if any(text in msgspec.json.encode(view).decode() for view in views)}


WAYS = {"newest", "before", "after", "around", "get", "anywhere", "pins"}


async def test_blocked_text_is_never_returned_even_if_cached(town: Town) -> None:
    reader = await other_member(town)
    message = await town.say(town.member, SECRET)
    await town.app.channels.pin(town.owner, town.channel_id, message.message_id)
    for _ in range(2):
        assert tells(await read(town, reader, message.message_id), SECRET) == WAYS

    await block(town, message)

    for _ in range(2):
        ways = await read(town, reader, message.message_id)
        assert tells(ways, SECRET) == set()
        assert ways["pins"] == []
        for who in (town.member, town.moderator, town.owner):
            assert tells(await read(town, who, message.message_id), SECRET) == WAYS
    ways = await read(town, reader, message.message_id)
    for way in WAYS - {"pins"}:
        [view] = ways[way]
        assert (view.message_id, view.content, view.flags) == (message.message_id, "", FlagsView("blocked", []))
    [own] = (await read(town, town.member, message.message_id))["get"]
    assert own.flags == FlagsView("blocked", ["reviewed"])


async def test_withheld_message_reveals_only_its_position(town: Town) -> None:
    reader = await other_member(town)
    first = await town.say(town.owner, "first")
    await town.app.accounts.register(email="ana@example.com", username="ana", password="correct horse")
    file = await uploaded(town.app, town.member)
    draft = Draft(f"{SECRET} @ana", reply_to=first.message_id, attachments=[file.file_id])
    message = await town.app.channels.send(town.member, town.channel_id, draft)
    await town.app.channels.react(town.owner, town.channel_id, message.message_id, "🙈")
    await block(town, message)

    seen = await town.app.channels.get(reader, town.channel_id, message.message_id)

    with pytest.raises(NotFound):
        await town.app.attachments.get(reader, file.file_id)
    assert (await town.app.attachments.get(town.moderator, file.file_id)).file_id == file.file_id
    assert (seen.content, seen.attachments, seen.mentions, seen.reply_to, seen.reactions, seen.action) == (
        "", [], [], None, [], None,
    )  # fmt: skip
    whole = await town.app.channels.get(town.moderator, town.channel_id, message.message_id)
    assert (len(whole.attachments), len(whole.mentions), whole.reply_to, len(whole.reactions)) == (
        1, 1, first.message_id, 1,
    )  # fmt: skip


async def test_other_users_cannot_act_on_a_blocked_message(town: Town) -> None:
    reader = await other_member(town)
    message = await town.say(town.member, SECRET)
    channels, room, message_id = town.app.channels, town.channel_id, message.message_id
    await channels.react(reader, room, message_id, "👍")
    await block(town, message)

    verbs: list[Callable[[Actor], Awaitable[Any]]] = [
        lambda who: channels.react(who, room, message_id, "🎉"),
        lambda who: channels.list_reactors(who, room, message_id, "👍", limit=10, cursor=None),
        lambda who: channels.unreact(who, room, message_id, "👍"),
        lambda who: channels.report(who, room, message_id, "again"),
    ]
    for verb in verbs:
        with pytest.raises(NotFound):
            await verb(reader)
        await verb(town.moderator)
    with pytest.raises(NotFound):
        await channels.edit(reader, room, message_id, "x")
    with pytest.raises(NotFound):
        await channels.delete(reader, room, message_id)
    with pytest.raises(ReplyMissing):
        await town.say(reader, "why?", reply_to=message_id)
    await town.say(town.member, "because", reply_to=message_id)
    await channels.pin(town.moderator, room, message_id)
    assert (await channels.list_pins(reader, room, limit=10, cursor=None))[0] == []
    assert len((await channels.list_pins(town.member, room, limit=10, cursor=None))[0]) == 1


async def test_blocked_message_never_counts_as_unread(town: Town) -> None:
    reader = await other_member(town)
    await town.say(town.owner, "hello")
    await blocked(town, town.member, SECRET)

    for who in (reader, town.moderator):
        assert (await town.app.channels.unread(who, town.channel_id)).count == 1
        [room] = await town.app.channels.unread_everywhere(who)
        assert room.count == 1


async def test_repeated_nonce_returns_the_blocked_message_to_its_author(town: Town) -> None:
    message = await blocked(town, town.member, SECRET, nonce="n")

    again = await town.say(town.member, SECRET, nonce="n")

    assert (again.message_id, again.content) == (message.message_id, SECRET)
    assert again.flags == FlagsView("blocked", ["reviewed"])


async def test_approved_message_is_visible_to_all_members(town: Town, judge: Script) -> None:
    reader = await other_member(town)
    judge.says(Verdict("blocked", ["insults"]))
    message = await town.say(town.member, SECRET)
    await town.app.channels.pin(town.owner, town.channel_id, message.message_id)
    assert tells(await read(town, reader, message.message_id), SECRET) == set()

    [case] = await cases(town.app)
    await town.app.review.decide(ADMIN, case.case_id, "approve")

    assert tells(await read(town, reader, message.message_id), SECRET) == WAYS


async def test_flagged_message_is_visible_to_all_members_with_its_reason(town: Town, judge: Script) -> None:
    reader = await other_member(town)
    judge.says(Verdict("flagged", ["shouting"], 1))
    message = await town.say(town.member, "HELLO")

    seen = await town.app.channels.get(reader, town.channel_id, message.message_id)

    assert (seen.content, seen.flags, seen.nsfw_band) == ("HELLO", FlagsView("flagged", ["shouting"]), 1)
    assert (await town.app.channels.unread(reader, town.channel_id)).count == 1


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


def rooms_of(town: Town, access: type[Access], kind: RoomKind = CHANNELS, judge: Script | None = None) -> Rooms:
    clock: Clock = SystemClock()
    table = town.app.table
    return Rooms(
        kind,
        table,
        clock,
        Ids(clock),
        access(table, Audit(table, clock, Ids(clock))),
        town.app.accounts,
        town.app.attachments,
        town.app.jobs,
        judge=judge,
    )


@pytest.mark.parametrize("verdict", [Verdict("flagged", ["shouting"]), Verdict("clean", [], 1), Verdict("blocked")])
async def test_safe_mode_withholds_flagged_and_nsfw_messages(verdict: Verdict, town: Town, judge: Script) -> None:
    reader = await other_member(town)
    rooms = rooms_of(town, SafeDoor, judge=judge)
    await rooms.send(town.member, town.channel_id, Draft("fine"))
    await rooms.page(reader, town.channel_id, limit=10)
    judge.says(verdict)
    sent = await rooms.send(town.member, town.channel_id, Draft(SECRET))

    async def texts(who: Actor) -> list[str]:
        return [message.content for message in (await rooms.page(who, town.channel_id, limit=10)).messages]

    assert await texts(reader) == ["", "fine"]
    assert await texts(town.member) == await texts(town.moderator) == [SECRET, "fine"]
    assert (await rooms.unread(reader, town.channel_id)).count == 1
    with pytest.raises(NotFound):
        await rooms.react(reader, town.channel_id, sent.message_id, "👍")
    with pytest.raises(ReplyMissing):
        await rooms.send(reader, town.channel_id, Draft("why?", reply_to=sent.message_id))


async def preview_of(town: Town) -> str | None:
    head = await town.app.table.get(Preview.key(room_id=town.channel_id), consistent=True)
    assert head is not None
    return head.last_text


async def test_the_preview_of_a_room_follows_every_decision(town: Town, judge: Script) -> None:
    kind = msgspec.structs.replace(CHANNELS, head=Preview, head_by_key=None)
    rooms, room = rooms_of(town, PreviewDoor, kind, judge), town.channel_id
    clock = SystemClock()
    app = town.app
    review = Review(app.table, clock, Audit(app.table, clock, Ids(clock)), app.accounts, kinds=[kind])
    first = await rooms.send(town.member, room, Draft("first"))
    last = await rooms.send(town.member, room, Draft(SECRET))
    assert await preview_of(town) == SECRET
    for message in (first, last):
        for who in (town.owner, town.admin):
            await rooms.report(who, room, message.message_id, "look")

    async def decide(message: MessageView, decision: Any) -> None:
        found, _ = await review.list_cases(ADMIN, limit=50)
        case = next(case for case in found if case.message_id == message.message_id)
        await review.decide(ADMIN, case.case_id, decision)

    await decide(last, "block")
    assert await preview_of(town) is None
    await rooms.edit(town.member, room, last.message_id, f"{SECRET}!")
    assert await preview_of(town) is None
    await decide(last, "approve")
    assert await preview_of(town) == f"{SECRET}!"
    await decide(first, "block")
    assert await preview_of(town) == f"{SECRET}!"
    judge.says(Verdict("blocked", ["insults"]))
    await rooms.send(town.member, room, Draft("worse"))
    assert await preview_of(town) is None


# The rule itself


async def test_visibility_rule_matches_its_table(town: Town) -> None:
    clock = SystemClock()
    access = Access(town.app.table, Audit(town.app.table, clock, Ids(clock)))
    people = {
        who: await access.authorize(who, town.channel_id) for who in (await other_member(town), *town.people.values())
    }
    for moderation, band, safe_mode in itertools.product(
        (None, "clean", "flagged", "blocked"), (None, 0, 1, 2), (False, True)
    ):
        message = CHANNELS.message(
            room_id=town.channel_id,
            message_id=MessageId("0" * 26),
            author_id=town.member.user_id,
            content=SECRET,
            flags=None if moderation is None else Flags(moderation=moderation),
            nsfw_band=band,
            **CHANNELS.message.time_parts(MessageId("0" * 26)),
        )

        withheld = moderation == "blocked" or (safe_mode and (moderation == "flagged" or band in (1, 2)))

        assert is_withheld(message, safe_mode=safe_mode) == withheld
        assert shown_text(message, safe_mode=safe_mode) == (None if withheld else SECRET)
        for who, seat in people.items():
            seen = may_see(msgspec.structs.replace(seat, safe_mode=safe_mode), message)
            assert seen == (who in town.people.values() or not withheld)


async def other_member(town: Town) -> Actor:
    [reader] = await crowd(town.app, town.server_id, 1)
    return reader
