"""The review queue: it is complete, and each case is decided once."""

from __future__ import annotations

import asyncio
from base64 import urlsafe_b64encode
from typing import Any

import msgspec
import pytest

from cheap import CHEAP
from communities.conftest import Ahead
from communities.environment import PASSWORD, Community, add_members, create_community, join, register
from moderation.environment import ADMIN, Script, cases, stored
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor, KeyId
from sobremesa.core.clock import EPOCH, SetClock, SystemClock
from sobremesa.core.errors import Forbidden, NotFound
from sobremesa.core.ids import Ids
from sobremesa.core.settings import Settings
from sobremesa.domains.accounts.audit import Audit
from sobremesa.domains.communities.access import Access
from sobremesa.domains.communities.entities import CHANNELS
from sobremesa.domains.moderation.entities import CaseId
from sobremesa.domains.moderation.errors import CaseClosed
from sobremesa.domains.moderation.review import Decision, Review
from sobremesa.domains.moderation.views import CaseView
from sobremesa.rooms.context import RoomContext
from sobremesa.rooms.judging import CLEAR, JudgedContent, Verdict
from sobremesa.rooms.readers import RoomReaders
from sobremesa.rooms.sending import Draft
from sobremesa.rooms.service import Rooms
from sobremesa.rooms.summaries import RoomSummary
from sobremesa.rooms.views import FlagsView, MessageView
from sobremesa.table import Update, set_to
from sobremesa.table.errors import BadCursor
from threads.environment import new_person

KEY = Actor(key_id=KeyId("key"), scopes=frozenset({"admin"}))
BLOCKED = FlagsView("blocked", ["reviewed"])


async def reported(community: Community, text: str = "buy now") -> tuple[MessageView, CaseView]:
    """A message that the owner reported, and its case."""
    message = await community.send(community.member, text)
    await community.app.communities.report(community.owner, community.channel_id, message.message_id, "spam")
    return message, next(case for case in await cases(community.app) if case.message_id == message.message_id)


async def seen(community: Community, message: MessageView, who: Actor) -> MessageView:
    return await community.app.communities.get_message(who, community.channel_id, message.message_id)


# Reports


async def test_report_opens_a_case(community: Community) -> None:
    message, case = await reported(community)

    assert (case.message_id, case.room_kind, case.room_id) == (message.message_id, "channel", community.channel_id)
    assert (case.author_id, case.reported_by) == (community.member.user_id, community.owner.user_id)
    assert (case.reason, case.origin, case.state) == ("spam", "report", "open")
    assert (case.decision, case.decided_by, case.decided_at, case.note) == (None, None, None, None)
    assert case.message is not None
    assert (case.message.content, case.message.username, case.message.flags) == ("buy now", "mel", None)
    assert await community.app.moderation.get_case(ADMIN, case.case_id) == case


async def test_case_has_its_author_and_room(community: Community, judge: Script) -> None:
    ana = await new_person(community.app, "ana")
    await join(community.app, community.owner, community.server_id, ana)
    judge.returns(Verdict("blocked", ["insults"]))
    await community.send(ana, "you donkey")

    [case] = await cases(community.app)

    assert (case.subject, case.verdict, case.reason, case.reporter) == ("message", "blocked", "insults", None)
    assert (case.author.user_id, case.author.username, case.author.avatar_url) == (ana.user_id, "ana", None)
    channel = await community.app.communities.get_channel(community.owner, community.channel_id)
    server = await community.app.communities.get_server(community.owner, community.server_id)
    assert case.room == RoomSummary(channel.channel.name, community.server_id, server.server.name)


async def test_a_report_names_its_reporter_and_has_no_verdict(community: Community) -> None:
    ana = await new_person(community.app, "ana")
    await join(community.app, community.owner, community.server_id, ana)
    message = await community.send(community.member, "buy now")
    await community.app.communities.report(ana, community.channel_id, message.message_id, "spam")

    [case] = await cases(community.app)

    assert case.verdict is None
    assert case.reporter is not None
    assert (case.reporter.user_id, case.reporter.username) == (ana.user_id, "ana")


async def test_thirty_concurrent_reports_of_users_are_thirty_cases(community: Community) -> None:
    message = await community.send(community.member, "buy now")
    users = await add_members(community.app, community.server_id, 30)

    await asyncio.gather(
        *(community.app.communities.report(who, community.channel_id, message.message_id, "spam") for who in users)
    )

    found = await cases(community.app)
    assert {case.reported_by for case in found} == {who.user_id for who in users}
    assert len({case.case_id for case in found}) == len(found) == 30


async def test_thirty_reports_in_one_millisecond_are_thirty_cases(store: str) -> None:
    clock = SetClock(SystemClock().now_ms())
    settings = Settings(**CHEAP, rate_limits="off")
    async with Sobremesa.open(store, settings=settings, clock=clock, background=False) as app:
        community = await create_community(app)
        message = await community.send(community.member, "buy now")
        users = await add_members(app, community.server_id, 30)

        await asyncio.gather(
            *(app.communities.report(who, community.channel_id, message.message_id, "spam") for who in users)
        )

        assert {case.reported_by for case in await cases(app)} == {who.user_id for who in users}


async def test_thirty_concurrent_reports_of_one_user_are_one_case(community: Community, clock: Ahead) -> None:
    message = await community.send(community.member, "buy now")
    report = community.app.communities.report

    await asyncio.gather(
        *(report(community.owner, community.channel_id, message.message_id, f"spam {number}") for number in range(30))
    )
    clock.move(seconds=60)
    await report(community.owner, community.channel_id, message.message_id, "still spam")

    assert len(await cases(community.app)) == 1
    assert len(await stored(community.app, "ModerationCase")) == 1


async def test_edited_message_can_be_reported_again(community: Community, clock: Ahead) -> None:
    message, case = await reported(community)
    await community.app.moderation.decide(ADMIN, case.case_id, "approve")
    clock.move(seconds=1)
    await community.app.communities.edit(community.member, community.channel_id, message.message_id, "buy NOW")

    await community.app.communities.report(community.owner, community.channel_id, message.message_id, "spam after all")

    assert [case.reason for case in await cases(community.app)] == ["spam after all"]


# The queue


async def test_the_queue_is_read_page_by_page_the_newest_first(community: Community, clock: Ahead) -> None:
    for number in range(40):
        message = await community.send(community.member, f"offer {number}")
        await community.app.communities.report(community.owner, community.channel_id, message.message_id, f"{number}")
        clock.move(seconds=0.01)

    found = await cases(community.app)

    assert [case.reason for case in found] == [str(number) for number in reversed(range(40))]
    assert [case.message and case.message.content for case in found] == [f"offer {case.reason}" for case in found]
    assert await cases(community.app, "closed") == []


async def test_invalid_cursor_is_refused(community: Community) -> None:
    with pytest.raises(BadCursor):
        await community.app.moderation.list_cases(ADMIN, limit=5, cursor="bm9uZQ==")


async def test_a_decided_case_moves_to_the_closed_ones(community: Community) -> None:
    _, first = await reported(community, "one")
    _, second = await reported(community, "two")

    await community.app.moderation.decide(ADMIN, first.case_id, "approve")

    assert [case.case_id for case in await cases(community.app)] == [second.case_id]
    assert [case.case_id for case in await cases(community.app, "closed")] == [first.case_id]


async def test_only_administrators_and_their_keys_see_the_queue(community: Community) -> None:
    _, case = await reported(community)
    review = community.app.moderation
    for actor in (community.owner, Actor(key_id=KeyId("other"), scopes=frozenset({"inbox:read"}))):
        with pytest.raises(Forbidden):
            await review.list_cases(actor, limit=1)
        with pytest.raises(Forbidden):
            await review.get_case(actor, case.case_id)
        with pytest.raises(Forbidden):
            await review.decide(actor, case.case_id, "block")

    assert (await review.decide(KEY, case.case_id, "block")).decided_by == "key"


@pytest.mark.parametrize("word", ["", "x", "!!!", "MyM", "é", urlsafe_b64encode(b"3#2026#nothing").decode(), "M" * 200])
async def test_unknown_case_is_not_found(word: str, community: Community) -> None:
    with pytest.raises(NotFound):
        await community.app.moderation.get_case(ADMIN, CaseId(word))
    with pytest.raises(NotFound):
        await community.app.moderation.decide(ADMIN, CaseId(word), "block")


# Decisions


async def test_block_hides_a_message_from_all_but_author_and_moderators(community: Community) -> None:
    message, case = await reported(community)

    decided = await community.app.moderation.decide(ADMIN, case.case_id, "block", "the third time")

    assert (decided.state, decided.decision, decided.note) == ("closed", "block", "the third time")
    assert decided.decided_by == ADMIN.user_id
    assert decided.decided_at is not None
    assert decided.message is not None
    assert (decided.message.content, decided.message.flags) == ("buy now", BLOCKED)
    assert await community.app.moderation.get_case(ADMIN, case.case_id) == decided
    assert (await seen(community, message, community.member)).flags == BLOCKED
    assert (await seen(community, message, community.moderator)).content == "buy now"


async def test_approval_removes_the_flags(community: Community, judge: Script) -> None:
    judge.returns(Verdict("blocked", ["insults"], 1))
    message = await community.send(community.member, "you donkey")
    [case] = await cases(community.app)

    decided = await community.app.moderation.decide(ADMIN, case.case_id, "approve")

    assert decided.message is not None
    assert decided.message.flags is None
    after = await seen(community, message, community.admin)
    assert (after.content, after.flags, after.nsfw_band) == ("you donkey", None, 1)


async def test_second_decision_is_refused_with_the_first(community: Community) -> None:
    message, case = await reported(community)
    first = await community.app.moderation.decide(ADMIN, case.case_id, "block")

    with pytest.raises(CaseClosed) as refused:
        await community.app.moderation.decide(KEY, case.case_id, "approve")

    assert refused.value.data == {"current": first}
    assert (await seen(community, message, community.member)).flags == BLOCKED


async def test_exactly_one_of_many_concurrent_decisions_wins(community: Community) -> None:
    decisions: list[Decision] = ["approve", "block"] * 6
    for number in range(4):
        message, case = await reported(community, f"offer {number}")

        async def decide(decision: Decision, case_id: CaseId = case.case_id) -> CaseView | CaseClosed:
            try:
                return await community.app.moderation.decide(ADMIN, case_id, decision)
            except CaseClosed as closed:
                return closed

        outcomes = await asyncio.gather(*map(decide, decisions))

        [won] = [each for each in outcomes if isinstance(each, CaseView)]
        currents = [each.data["current"] for each in outcomes if isinstance(each, CaseClosed)]
        assert [(each.decision, each.decided_at) for each in currents] == [(won.decision, won.decided_at)] * 11
        flags = (await seen(community, message, community.member)).flags
        assert flags == (BLOCKED if won.decision == "block" else None)
        audit = Audit(community.app.table, SystemClock(), Ids(SystemClock()))
        entries = (await audit.list_entries("moderation", since=EPOCH, limit=1)).items
        assert (entries[0].action, entries[0].target) == (f"case.{won.decision}", community.member.user_id)
        assert entries[0].details["caseId"] == case.case_id
    assert len(await stored(community.app, "AuditEntry")) >= 4


async def test_the_cases_of_one_message_are_decided_one_by_one(community: Community) -> None:
    message, first = await reported(community)
    await community.app.communities.report(community.admin, community.channel_id, message.message_id, "me too")
    other = next(case for case in await cases(community.app) if case.case_id != first.case_id)

    await community.app.moderation.decide(ADMIN, first.case_id, "block")

    [case] = await cases(community.app)
    assert case.case_id == other.case_id
    assert case.message is not None
    assert case.message.flags == BLOCKED
    await community.app.moderation.decide(ADMIN, other.case_id, "approve")
    assert (await seen(community, message, community.member)).flags is None


async def test_case_of_a_deleted_message_can_be_closed(community: Community) -> None:
    message, case = await reported(community)
    await community.app.communities.delete_message(community.member, community.channel_id, message.message_id)

    assert (await community.app.moderation.get_case(ADMIN, case.case_id)).message is None
    decided = await community.app.moderation.decide(ADMIN, case.case_id, "block")

    assert (decided.state, decided.message) == ("closed", None)
    [row] = await stored(community.app, "Message")
    assert "flags" not in row


async def test_case_of_a_deleted_room_can_be_closed(community: Community) -> None:
    _, case = await reported(community)
    await community.app.communities.delete_channel(community.owner, community.channel_id)
    await community.app.jobs.run_pending(community.app.handlers)

    decided = await community.app.moderation.decide(ADMIN, case.case_id, "block")

    assert (decided.message, decided.room) == (None, None)


async def test_approval_covers_the_text_of_its_case(community: Community, judge: Script, clock: Ahead) -> None:
    """Otherwise an author could wait with harmless text, and edit it at the last moment."""
    message, case = await reported(community)
    clock.move(seconds=1)
    judge.returns(Verdict("blocked", ["insults"]))
    await community.app.communities.edit(community.member, community.channel_id, message.message_id, "you donkey")

    await community.app.moderation.decide(ADMIN, case.case_id, "approve")

    assert (await seen(community, message, community.member)).flags == FlagsView("blocked", ["insults"])
    [left] = await cases(community.app)
    assert left.reason == "insults"


async def test_approval_covers_the_text_of_its_case_after_a_clock_step_back(
    community: Community, judge: Script, clock: Ahead
) -> None:
    judge.returns(Verdict("flagged", ["shouting"]))
    sent = await community.app.communities.send(community.member, community.channel_id, Draft("HELLO"))
    [case] = await cases(community.app)
    clock.move(seconds=-3600)
    judge.returns(Verdict("flagged", ["insults"]))
    await community.app.communities.edit(community.member, community.channel_id, sent.message_id, "you donkey")

    await community.app.moderation.decide(ADMIN, case.case_id, "approve")

    assert (await seen(community, sent, community.member)).flags == FlagsView("flagged", ["insults"])


async def test_concurrent_edit_never_undoes_a_block(community: Community, judge: Script) -> None:
    for number in range(10):
        message, case = await reported(community, f"offer {number}")
        edits = [
            community.app.communities.edit(community.member, community.channel_id, message.message_id, f"{n}")
            for n in range(3)
        ]

        await asyncio.gather(community.app.moderation.decide(ADMIN, case.case_id, "block"), *edits)

        flags = (await seen(community, message, community.member)).flags
        assert flags is not None
        assert flags.moderation == "blocked"


async def test_approval_does_not_cover_a_concurrent_edit(community: Community, judge: Script) -> None:
    judge.returns(Verdict("flagged", ["shouting"]))
    message = await community.send(community.member, "OFFER")
    [case] = await cases(community.app)
    judge.returns(Verdict("blocked", ["insults"]))
    engine: Any = community.app.table.engine
    transact = engine.transact

    async def after_an_edit(*arguments: Any) -> Any:
        """The edit comes after the message was read, and before the decision is written."""
        engine.transact = transact
        await community.app.communities.edit(community.member, community.channel_id, message.message_id, "you donkey")
        return await transact(*arguments)

    engine.transact = after_an_edit
    decided = await community.app.moderation.decide(ADMIN, case.case_id, "approve")

    assert (decided.state, decided.message and decided.message.content) == ("closed", "you donkey")
    assert (await seen(community, message, community.member)).flags == FlagsView("blocked", ["insults"])
    assert [case.reason for case in await cases(community.app)] == ["insults"]


async def test_edit_judged_during_a_block_does_not_undo_it(community: Community, judge: Script) -> None:
    message, case = await reported(community)

    async def slow(content: JudgedContent) -> Verdict:
        await community.app.moderation.decide(ADMIN, case.case_id, "block")
        return CLEAR

    judge.answer = slow
    edited = await community.app.communities.edit(community.member, community.channel_id, message.message_id, "hello")

    assert edited.flags == BLOCKED
    assert (await seen(community, message, community.member)).flags == BLOCKED


# Every kind of room


async def test_cases_of_any_kind_of_room_are_decided(community: Community) -> None:
    app, clock = community.app, SystemClock()
    kind = msgspec.structs.replace(CHANNELS, name="thread", plural="threads")
    audit = Audit(app.table, clock, Ids(clock))
    access = Access(app.table, audit)
    readers = RoomReaders(app.table)
    context = RoomContext(app.table, clock, Ids(clock), app.accounts, app.attachments, app.jobs, readers)
    threads = Rooms(kind, access, context)
    review = Review(app.table, clock, audit, app.accounts, kinds=[CHANNELS, kind])
    sent = await threads.send(community.member, community.channel_id, Draft("buy now"))
    await threads.report(community.owner, community.channel_id, sent.message_id, "spam")
    [case], _ = await review.list_cases(ADMIN, limit=10)

    assert case.room_kind == "thread"
    assert (await review.decide(ADMIN, case.case_id, "block")).message is not None
    assert (await threads.get_message(community.member, community.channel_id, sent.message_id)).flags == BLOCKED


async def test_a_moderator_sees_no_storage_key_of_a_file_that_another_writer_attached(community: Community) -> None:
    _, case = await reported(community)
    file = {"kind": "preview", "s3Key": "previews/1.jpg", "mime": "image/jpeg", "w": 640, "h": 480}
    assert case.message_id is not None
    key = CHANNELS.message_key(case.room_id, case.message_id)
    await community.app.table.write(Update(key, set_to(attachments=[file])))

    seen = await community.app.moderation.get_case(ADMIN, case.case_id)

    assert seen.message is not None
    assert seen.message.attachments == [{"kind": "preview", "mime": "image/jpeg", "w": 640, "h": 480}]


async def test_case_of_an_unknown_kind_of_room_can_be_closed(community: Community) -> None:
    _, case = await reported(community)
    clock = SystemClock()
    app = community.app
    review = Review(app.table, clock, Audit(app.table, clock, Ids(clock)), app.accounts, kinds=[])

    assert (await review.decide(ADMIN, case.case_id, "approve")).message is None


# Deleted accounts


async def test_deleted_user_gets_their_reports_exported_and_deleted(community: Community) -> None:
    ana = await register(community.app, "ana")
    await join(community.app, community.owner, community.server_id, ana)
    message = await community.send(community.member, "buy now")
    await community.app.communities.report(ana, community.channel_id, message.message_id, "spam")

    mine = [line async for line in community.app.accounts.export(ana) if line["kind"] == "report"]
    assert [(line["messageId"], line["reason"]) for line in mine] == [(message.message_id, "spam")]

    await community.app.accounts.delete_me(ana, password=PASSWORD)
    await community.app.jobs.run_pending(community.app.handlers)
    assert await stored(community.app, "ReportClaim") == []
    assert len(await cases(community.app)) == 1
