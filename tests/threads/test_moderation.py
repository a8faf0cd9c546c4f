"""What moderation says holds in threads as in other rooms."""

from __future__ import annotations

from moderation.world import ADMIN, Script, cases
from sobremesa.app import Sobremesa
from sobremesa.rooms.judging import Verdict
from sobremesa.settings import Settings
from threads.conftest import Ahead
from threads.world import strike_deal


async def test_a_judge_and_a_moderator_look_at_what_is_said_in_a_thread(store: str, clock: Ahead) -> None:
    judge = Script()
    settings = Settings(rate_limits="off")
    async with Sobremesa.open(store, settings=settings, clock=clock, judge=judge, background=False) as app:
        deal = await strike_deal(app, "project", safe_mode_required=True)
        judge.says(Verdict("flagged", ["rude"]))
        flagged = await deal.say(deal.buyer, "you again")

        assert [said.room_kind for said in judge.asked] == ["thread"]
        rooms = app.thread_rooms
        assert (await rooms.get(deal.seller, deal.thread_id, flagged.message_id)).content == ""
        assert (await rooms.get(deal.admin, deal.thread_id, flagged.message_id)).content == "you again"
        assert (await rooms.unread(deal.seller, deal.thread_id)).count == 0
        [case] = await cases(app)
        assert (case.room_kind, case.message_id) == ("thread", flagged.message_id)

        await app.review.decide(ADMIN, case.case_id, "approve")
        assert (await rooms.get(deal.seller, deal.thread_id, flagged.message_id)).content == "you again"
        judge.says(Verdict())
        offer = {"amount": 1, "currency": "EUR", "note": "Last price"}
        card = await app.cards.create(deal.buyer, deal.thread_id, type="offer", payload=offer)
        await rooms.report(deal.seller, deal.thread_id, card.message_id, "That is no price")
        [case] = await cases(app)
        await app.review.decide(ADMIN, case.case_id, "block")
        assert (await rooms.get(deal.seller, deal.thread_id, card.message_id)).action is None
