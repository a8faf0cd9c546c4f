"""Messages are judged before they are written; a judge that fails loses none."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from attachments.test_in_messages import uploaded
from communities.conftest import Ahead
from communities.environment import Community, requests, rows
from moderation.environment import ADMIN, Script, cases, stored
from sobremesa.core.clock import SystemClock
from sobremesa.core.errors import NotFound
from sobremesa.core.ids import Ids
from sobremesa.domains.accounts.audit import Audit
from sobremesa.domains.communities.access import Access
from sobremesa.rooms.judging import CLEAR, JudgedContent, Verdict
from sobremesa.rooms.sending import Draft
from sobremesa.rooms.views import FlagsView
from sobremesa.table import measure

UNCHECKED = FlagsView("flagged", ["unchecked"])
NASTY = Verdict("blocked", ["insults"], 1)
DOUBTFUL = Verdict("flagged", ["shouting"])


async def raises(content: JudgedContent) -> Any:
    raise RuntimeError("no service today")


async def hangs(content: JudgedContent) -> Any:
    await asyncio.Event().wait()


async def is_cancelled(content: JudgedContent) -> Any:
    raise asyncio.CancelledError


def gives(value: Any) -> Callable[[JudgedContent], Awaitable[Any]]:
    async def answer(content: JudgedContent) -> Any:
        return value

    return answer


FAULTS: dict[str, Callable[[JudgedContent], Awaitable[Any]]] = {
    "raises": raises,
    "hangs": hangs,
    "is cancelled": is_cancelled,
    "returns nothing": gives(None),
    "gives another type": gives({"moderation": "clean"}),
    "returns an unknown word": gives(Verdict("perhaps")),  # type: ignore[arg-type]
    "gives another band": gives(Verdict("clean", [], 3)),  # type: ignore[arg-type]
    "gives a band that is no number": gives(Verdict("clean", [], True)),  # type: ignore[arg-type]
    "gives hints that are no texts": gives(Verdict("flagged", [1])),  # type: ignore[list-item]
    "gives a hint that cannot be stored": gives(Verdict("flagged", ["\ud800"])),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_message_is_written_and_flagged_whatever_the_judge_does_wrong(
    fault: str, community: Community, judge: Script
) -> None:
    judge.answer = FAULTS[fault]

    sent = await community.send(community.member, "Is anybody here?", nonce="n")
    again = await community.send(community.member, "Is anybody here?", nonce="n")

    assert sent.flags == UNCHECKED
    assert (again.message_id, again.flags) == (sent.message_id, UNCHECKED)
    assert await community.contents(community.moderator) == ["Is anybody here?"]
    [case] = await cases(community.app)
    assert (case.message_id, case.origin, case.reason) == (sent.message_id, "policy", "unchecked")


async def test_judge_that_ignores_cancellation_is_not_awaited(community: Community, judge: Script) -> None:
    may_stop, stopped = asyncio.Event(), asyncio.Event()

    async def stubborn(content: JudgedContent) -> Any:
        while not may_stop.is_set():
            try:
                await may_stop.wait()
            except asyncio.CancelledError:
                continue
        stopped.set()
        raise RuntimeError("far too late")

    judge.answer = stubborn
    sent = await community.send(community.member, "hello")

    assert sent.flags == UNCHECKED
    assert not stopped.is_set()
    may_stop.set()
    await asyncio.wait_for(stopped.wait(), 60)


async def test_cancelled_send_cancels_the_judge(community: Community, judge: Script) -> None:
    began, ended = asyncio.Event(), asyncio.Event()

    async def thinks(content: JudgedContent) -> Any:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    judge.answer = thinks
    sending = asyncio.create_task(community.send(community.member, "never mind"))
    await asyncio.wait_for(began.wait(), 60)
    sending.cancel()

    with pytest.raises(asyncio.CancelledError):
        await sending
    await asyncio.wait_for(ended.wait(), 60)
    assert await community.contents() == []


async def test_hints_that_are_too_many_and_too_long_do_not_cost_the_message(
    community: Community, judge: Script
) -> None:
    judge.returns(Verdict("flagged", ["x" * 100_000] * 100))

    sent = await community.send(community.member, "hello")

    assert sent.flags == FlagsView("flagged", ["x" * 200] * 16)


async def test_judge_cannot_use_reserved_hints(community: Community, judge: Script) -> None:
    judge.returns(Verdict("blocked", ["reviewed", "insults"]))

    sent = await community.send(community.member, "hello")

    assert sent.flags == FlagsView("blocked", ["insults"])


async def test_judge_receives_content_room_and_author(community: Community, judge: Script) -> None:
    await community.app.accounts.register(email="ana@example.com", username="ana", password="correct horse")
    file = await uploaded(community.app, community.member)
    draft = Draft("hello @ana and @nobody-here", attachments=[file.file_id])
    sent = await community.app.communities.send(community.member, community.channel_id, draft)

    assert judge.asked == [
        JudgedContent(
            room_kind="channel",
            room_id=community.channel_id,
            author_id=community.member.user_id,
            content="hello @ana and @nobody-here",
            attachments=sent.attachments,
            mentions=1,
        )
    ]


async def test_a_clean_message_has_no_flags_and_no_case(community: Community, judge: Script) -> None:
    judge.returns(Verdict("clean", ["looked at"], 0))
    sent = await community.send(community.member, "hello")

    [row] = await stored(community.app, "Message")
    assert (sent.flags, sent.nsfw_band) == (None, None)
    assert not {"flags", "nsfwBand"} & row.keys()
    assert await cases(community.app) == []


async def test_a_clean_message_may_have_a_band(community: Community, judge: Script) -> None:
    judge.returns(Verdict("clean", [], 2))
    sent = await community.send(community.member, "hello")

    assert (sent.flags, sent.nsfw_band) == (None, 2)
    assert await cases(community.app) == []


@pytest.mark.parametrize("verdict", [DOUBTFUL, NASTY])
async def test_unclean_message_opens_a_case(verdict: Verdict, community: Community, judge: Script) -> None:
    judge.returns(verdict)
    sent = await community.send(community.member, "HELLO")

    [case] = await cases(community.app)
    assert (case.message_id, case.room_kind, case.room_id) == (sent.message_id, "channel", community.channel_id)
    assert (case.author_id, case.reported_by, case.origin) == (community.member.user_id, None, "policy")
    assert (case.reason, case.state, case.created_at) == (verdict.policy_hints[0], "open", sent.created_at)
    assert case.message is not None
    assert (case.message.content, case.message.flags) == ("HELLO", FlagsView(verdict.moderation, verdict.policy_hints))
    assert case.message.nsfw_band == (verdict.nsfw_band or None)


async def test_concurrent_flagged_messages_all_have_a_case(community: Community, judge: Script) -> None:
    judge.returns(DOUBTFUL)
    users = [*community.members.values()] * 8

    sent = await asyncio.gather(*(community.send(who, f"HELLO {number}") for number, who in enumerate(users)))

    assert {case.message_id for case in await cases(community.app)} == {message.message_id for message in sent}
    assert len(await stored(community.app, "ModerationCase")) == len(users)


async def test_judge_costs_one_more_membership_read_and_a_case_its_row(
    community: Community, judge: Script, clock: Ahead
) -> None:
    clock.stop()  # the row of the server is read once a second
    with requests(community.app) as asked:
        await community.send(community.member, "hello")
        asked.clear()
        with measure() as clean:
            await community.send(community.member, "hello")
        assert asked == {"get": 2, "transact": 1}
        judge.returns(DOUBTFUL)
        with measure() as flagged:
            await community.send(community.member, "HELLO")

    assert (clean.read, clean.write) == (1, 7)
    assert (flagged.read, flagged.write) == (1, 10)


async def test_member_removed_during_judging_sends_nothing(community: Community, judge: Script) -> None:
    async def slow(content: JudgedContent) -> Verdict:
        await community.app.communities.members.remove(community.owner, community.server_id, content.author_id)
        return CLEAR

    before = await community.send(community.moderator, "hello")
    judge.answer = slow
    with pytest.raises(NotFound):
        await community.send(community.member, "and another thing")
    with pytest.raises(NotFound):
        await community.app.communities.edit(community.moderator, community.channel_id, before.message_id, "otherwise")

    assert len(judge.asked) == 3

    assert await community.contents() == ["hello"]


async def test_send_with_operations_is_not_judged(community: Community, judge: Script) -> None:
    judge.returns(NASTY)
    clock = SystemClock()
    seat = await Access(community.app.table, Audit(community.app.table, clock, Ids(clock))).authorize(
        community.member, community.channel_id
    )

    message = await community.app.communities.send_with(seat, Draft("A card"), lambda message: ())

    assert (message.flags, judge.asked) == (None, [])


# Edits


async def test_edit_is_judged_and_has_its_own_case(community: Community, judge: Script) -> None:
    sent = await community.send(community.member, "hello")
    judge.returns(DOUBTFUL)

    edited = await community.app.communities.edit(community.member, community.channel_id, sent.message_id, "HELLO")

    assert edited.flags == FlagsView("flagged", ["shouting"])
    [case] = await cases(community.app)
    assert (case.message_id, case.created_at) == (sent.message_id, edited.edited_at)


async def test_an_edit_that_the_judge_cannot_judge_is_flagged(community: Community, judge: Script) -> None:
    sent = await community.send(community.member, "hello")
    judge.answer = raises

    edited = await community.app.communities.edit(
        community.member, community.channel_id, sent.message_id, "hello there"
    )

    assert (edited.content, edited.flags) == ("hello there", UNCHECKED)


async def test_edit_can_clear_a_flag(community: Community, judge: Script) -> None:
    judge.returns(Verdict("flagged", ["shouting"], 2))
    sent = await community.send(community.member, "HELLO")
    judge.returns(CLEAR)

    edited = await community.app.communities.edit(community.member, community.channel_id, sent.message_id, "hello")

    assert (edited.flags, edited.nsfw_band) == (None, None)
    [row] = await stored(community.app, "Message")
    assert not {"flags", "nsfwBand"} & row.keys()


async def test_blocked_message_stays_blocked_through_edits_and_opens_new_cases(
    community: Community, judge: Script
) -> None:
    judge.returns(NASTY)
    sent = await community.send(community.member, "you donkey")
    judge.returns(CLEAR)

    edited = await community.app.communities.edit(community.member, community.channel_id, sent.message_id, "hello")

    assert edited.flags == FlagsView("blocked", [])
    assert await community.contents(community.admin) == ["hello"]
    newest, oldest = await cases(community.app)
    assert newest.created_at == edited.edited_at

    await community.app.moderation.decide(ADMIN, newest.case_id, "approve")
    assert (
        await community.app.communities.get_message(community.member, community.channel_id, sent.message_id)
    ).flags is None
    assert [case.case_id for case in await cases(community.app)] == [oldest.case_id]


async def test_message_blocked_by_a_moderator_stays_blocked_after_a_clean_edit(
    community: Community, judge: Script
) -> None:
    sent = await community.send(community.member, "you donkey")
    await community.app.communities.report(community.owner, community.channel_id, sent.message_id, "rude")
    [case] = await cases(community.app)
    await community.app.moderation.decide(ADMIN, case.case_id, "block")
    judge.returns(Verdict("flagged", ["shouting"]))

    edited = await community.app.communities.edit(community.member, community.channel_id, sent.message_id, "HELLO")

    assert edited.flags == FlagsView("blocked", ["shouting", "reviewed"])
    assert await community.contents(community.moderator) == ["HELLO"]
    [case] = await cases(community.app)
    assert case.reason == "shouting, reviewed"


async def test_nothing_of_a_refused_message_stays(community: Community, judge: Script) -> None:
    judge.returns(NASTY)
    with pytest.raises(NotFound):
        await community.send(community.stranger, "you donkey")

    assert judge.asked == []
    assert await rows(community.app, "donkey") == []
    assert await cases(community.app) == []
