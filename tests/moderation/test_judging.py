"""Messages are judged before they are written; a judge that fails loses none."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from attachments.test_in_messages import uploaded
from communities.world import Town, requests, rows
from moderation.world import ADMIN, Script, cases, stored
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
    "says nothing": gives(None),
    "gives another type": gives({"moderation": "clean"}),
    "says another word": gives(Verdict("perhaps")),  # type: ignore[arg-type]
    "gives another band": gives(Verdict("clean", [], 3)),  # type: ignore[arg-type]
    "gives a band that is no number": gives(Verdict("clean", [], True)),  # type: ignore[arg-type]
    "gives hints that are no texts": gives(Verdict("flagged", [1])),  # type: ignore[list-item]
    "gives a hint that cannot be stored": gives(Verdict("flagged", ["\ud800"])),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_message_is_written_and_flagged_whatever_the_judge_does_wrong(
    fault: str, town: Town, judge: Script
) -> None:
    judge.answer = FAULTS[fault]

    sent = await town.say(town.member, "Is anybody here?", nonce="n")
    again = await town.say(town.member, "Is anybody here?", nonce="n")

    assert sent.flags == UNCHECKED
    assert (again.message_id, again.flags) == (sent.message_id, UNCHECKED)
    assert await town.contents(town.moderator) == ["Is anybody here?"]
    [case] = await cases(town.app)
    assert (case.message_id, case.origin, case.reason) == (sent.message_id, "policy", "unchecked")


async def test_judge_that_ignores_cancellation_is_not_awaited(town: Town, judge: Script) -> None:
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
    sent = await town.say(town.member, "hello")

    assert sent.flags == UNCHECKED
    assert not stopped.is_set()
    may_stop.set()
    await asyncio.wait_for(stopped.wait(), 5)


async def test_cancelled_send_cancels_the_judge(town: Town, judge: Script) -> None:
    began, ended = asyncio.Event(), asyncio.Event()

    async def thinks(content: JudgedContent) -> Any:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    judge.answer = thinks
    sending = asyncio.create_task(town.say(town.member, "never mind"))
    await asyncio.wait_for(began.wait(), 5)
    sending.cancel()

    with pytest.raises(asyncio.CancelledError):
        await sending
    await asyncio.wait_for(ended.wait(), 5)
    assert await town.contents() == []


async def test_hints_that_are_too_many_and_too_long_do_not_cost_the_message(town: Town, judge: Script) -> None:
    judge.says(Verdict("flagged", ["x" * 100_000] * 100))

    sent = await town.say(town.member, "hello")

    assert sent.flags == FlagsView("flagged", ["x" * 200] * 16)


async def test_judge_cannot_use_reserved_hints(town: Town, judge: Script) -> None:
    judge.says(Verdict("blocked", ["reviewed", "insults"]))

    sent = await town.say(town.member, "hello")

    assert sent.flags == FlagsView("blocked", ["insults"])


async def test_judge_receives_content_room_and_author(town: Town, judge: Script) -> None:
    await town.app.accounts.register(email="ana@example.com", username="ana", password="correct horse")
    file = await uploaded(town.app, town.member)
    draft = Draft("hello @ana and @nobody-here", attachments=[file.file_id])
    sent = await town.app.channels.send(town.member, town.channel_id, draft)

    assert judge.asked == [
        JudgedContent(
            room_kind="channel",
            room_id=town.channel_id,
            author_id=town.member.user_id,
            content="hello @ana and @nobody-here",
            attachments=sent.attachments,
            mentions=1,
        )
    ]


async def test_a_clean_message_has_no_flags_and_no_case(town: Town, judge: Script) -> None:
    judge.says(Verdict("clean", ["looked at"], 0))
    sent = await town.say(town.member, "hello")

    [row] = await stored(town.app, "Message")
    assert (sent.flags, sent.nsfw_band) == (None, None)
    assert not {"flags", "nsfwBand"} & row.keys()
    assert await cases(town.app) == []


async def test_a_clean_message_may_have_a_band(town: Town, judge: Script) -> None:
    judge.says(Verdict("clean", [], 2))
    sent = await town.say(town.member, "hello")

    assert (sent.flags, sent.nsfw_band) == (None, 2)
    assert await cases(town.app) == []


@pytest.mark.parametrize("verdict", [DOUBTFUL, NASTY])
async def test_unclean_message_opens_a_case(verdict: Verdict, town: Town, judge: Script) -> None:
    judge.says(verdict)
    sent = await town.say(town.member, "HELLO")

    [case] = await cases(town.app)
    assert (case.message_id, case.room_kind, case.room_id) == (sent.message_id, "channel", town.channel_id)
    assert (case.author_id, case.reported_by, case.origin) == (town.member.user_id, None, "policy")
    assert (case.reason, case.state, case.created_at) == (verdict.policy_hints[0], "open", sent.created_at)
    assert case.message is not None
    assert (case.message.content, case.message.flags) == ("HELLO", FlagsView(verdict.moderation, verdict.policy_hints))
    assert case.message.nsfw_band == (verdict.nsfw_band or None)


async def test_concurrent_flagged_messages_all_have_a_case(town: Town, judge: Script) -> None:
    judge.says(DOUBTFUL)
    people = [*town.people.values()] * 8

    sent = await asyncio.gather(*(town.say(who, f"HELLO {number}") for number, who in enumerate(people)))

    assert {case.message_id for case in await cases(town.app)} == {message.message_id for message in sent}
    assert len(await stored(town.app, "ModerationCase")) == len(people)


async def test_judge_costs_one_more_membership_read_and_a_case_its_row(town: Town, judge: Script) -> None:
    await town.say(town.member, "hello")
    with requests(town.app) as asked, measure() as clean:
        await town.say(town.member, "hello")
    judge.says(DOUBTFUL)
    with measure() as flagged:
        await town.say(town.member, "HELLO")

    assert asked == {"batch_get": 2, "transact": 1}
    assert (clean.read, clean.write) == (4, 7)
    assert (flagged.read, flagged.write) == (4, 10)


async def test_member_removed_during_judging_sends_nothing(town: Town, judge: Script) -> None:
    async def slow(content: JudgedContent) -> Verdict:
        await town.app.membership.remove(town.owner, town.server_id, content.author_id)
        return CLEAR

    before = await town.say(town.moderator, "hello")
    judge.answer = slow
    with pytest.raises(NotFound):
        await town.say(town.member, "and another thing")
    with pytest.raises(NotFound):
        await town.app.channels.edit(town.moderator, town.channel_id, before.message_id, "otherwise")

    assert len(judge.asked) == 3

    assert await town.contents() == ["hello"]


async def test_send_with_operations_is_not_judged(town: Town, judge: Script) -> None:
    judge.says(NASTY)
    clock = SystemClock()
    seat = await Access(town.app.table, Audit(town.app.table, clock, Ids(clock))).authorize(
        town.member, town.channel_id
    )

    message = await town.app.channels.send_with(seat, Draft("A card"), lambda message: ())

    assert (message.flags, judge.asked) == (None, [])


# Edits


async def test_edit_is_judged_and_has_its_own_case(town: Town, judge: Script) -> None:
    sent = await town.say(town.member, "hello")
    judge.says(DOUBTFUL)

    edited = await town.app.channels.edit(town.member, town.channel_id, sent.message_id, "HELLO")

    assert edited.flags == FlagsView("flagged", ["shouting"])
    [case] = await cases(town.app)
    assert (case.message_id, case.created_at) == (sent.message_id, edited.edited_at)


async def test_an_edit_that_the_judge_cannot_judge_is_flagged(town: Town, judge: Script) -> None:
    sent = await town.say(town.member, "hello")
    judge.answer = raises

    edited = await town.app.channels.edit(town.member, town.channel_id, sent.message_id, "hello there")

    assert (edited.content, edited.flags) == ("hello there", UNCHECKED)


async def test_edit_can_clear_a_flag(town: Town, judge: Script) -> None:
    judge.says(Verdict("flagged", ["shouting"], 2))
    sent = await town.say(town.member, "HELLO")
    judge.says(CLEAR)

    edited = await town.app.channels.edit(town.member, town.channel_id, sent.message_id, "hello")

    assert (edited.flags, edited.nsfw_band) == (None, None)
    [row] = await stored(town.app, "Message")
    assert not {"flags", "nsfwBand"} & row.keys()


async def test_blocked_message_stays_blocked_through_edits_and_opens_new_cases(town: Town, judge: Script) -> None:
    judge.says(NASTY)
    sent = await town.say(town.member, "you donkey")
    judge.says(CLEAR)

    edited = await town.app.channels.edit(town.member, town.channel_id, sent.message_id, "hello")

    assert edited.flags == FlagsView("blocked", [])
    assert await town.contents(town.admin) == ["hello"]
    newest, oldest = await cases(town.app)
    assert newest.created_at == edited.edited_at

    await town.app.review.decide(ADMIN, newest.case_id, "approve")
    assert (await town.app.channels.get(town.member, town.channel_id, sent.message_id)).flags is None
    assert [case.case_id for case in await cases(town.app)] == [oldest.case_id]


async def test_message_blocked_by_a_moderator_stays_blocked_after_a_clean_edit(town: Town, judge: Script) -> None:
    sent = await town.say(town.member, "you donkey")
    await town.app.channels.report(town.owner, town.channel_id, sent.message_id, "rude")
    [case] = await cases(town.app)
    await town.app.review.decide(ADMIN, case.case_id, "block")
    judge.says(Verdict("flagged", ["shouting"]))

    edited = await town.app.channels.edit(town.member, town.channel_id, sent.message_id, "HELLO")

    assert edited.flags == FlagsView("blocked", ["shouting", "reviewed"])
    assert await town.contents(town.moderator) == ["HELLO"]
    [case] = await cases(town.app)
    assert case.reason == "shouting, reviewed"


async def test_nothing_of_a_refused_message_stays(town: Town, judge: Script) -> None:
    judge.says(NASTY)
    with pytest.raises(NotFound):
        await town.say(town.stranger, "you donkey")

    assert judge.asked == []
    assert await rows(town.app, "donkey") == []
    assert await cases(town.app) == []
