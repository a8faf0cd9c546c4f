"""Who may do what in a thread. The columns of the matrix, as users of a thread:

- owner is the buyer, moderator a colleague on the buyer's side, member the seller, admin an admin of the thread
- removed was a colleague of the buyer's and is not any more; a stranger never was there
- the operator is an administrator of the platform, who takes the admin in
"""

from __future__ import annotations

import itertools
import uuid
from typing import Any

from api.attempts import INSIDE, Attempt, Environment, prepares
from api.calling import UNKNOWN_ID, Caller

TABLE = """
threads.createThread                401  403       201      201     201        201    201    201
threads.createThread again          401  403       200      200     200        200    200    200
threads.listThreads                 401  403       200      200     200        200    200    200
threads.getThread                   401  403       404      404     200        200    200    200
threads.changeThread                401  403       404      404     200        200    200    200
threads.changeThread locked         401  403       404      404     403        403    200    200
threads.listAudit                   401  403       404      404     403        403    200    403
threads.listParticipants            401  403       404      404     200        200    200    200
threads.addParticipant              401  403       404      404     403        201    201    201
threads.addParticipant admin        401  403       404      404     403        403    201    403
threads.changeParticipant           401  403       404      404     403        200    200    200
threads.changeParticipant own       401  403       404      404     200        200    200    200
threads.changeParticipant muted     401  403       404      404     403        403    403    403
threads.removeParticipant           401  403       404      404     403        403    204    403
threads.removeParticipant own       401  403       404      404     409        204    204    409
threads.createCard                  401  403       404      404     201        201    403    201
threads.createCard delivery         401  403       404      404     201        403    403    403
threads.listCards                   401  403       404      404     200        200    200    200
threads.getCard                     401  403       404      404     200        200    200    200
threads.moveCard                    401  403       404      404     200        403    403    403
threads.moveCard own                401  403       404      404     403        403    403    200
threads.openPanel                   401  403       404      404     200        200    200    200
threads.getTab                      401  403       404      404     200        200    200    200
threads.putTab                      401  403       404      404     200        200    200    200
threads.putTab system               401  403       404      404     403        403    403    403

threads.sendMessage                 401  403       404      404     201        201    201    201
threads.sendMessage closed          401  403       404      404     409        409    409    409
threads.listMessages                401  403       404      404     200        200    200    200
threads.getMessage                  401  403       404      404     200        200    200    200
threads.editMessage                 401  403       404      404     200        200    200    200
threads.editMessage others          401  403       404      404     403        403    403    403
threads.deleteMessage               401  403       404      404     204        204    204    204
threads.deleteMessage others        401  403       404      404     403        403    204    403
threads.deleteMessage card          401  403       404      404     403        403    403    403
threads.addReaction                 401  403       404      404     204        204    204    204
threads.removeReaction              401  403       404      404     204        204    204    204
threads.listReactors                401  403       404      404     200        200    200    200
threads.listPins                    401  403       404      404     200        200    200    200
threads.pinMessage                  401  403       404      404     204        204    204    204
threads.unpinMessage                401  403       404      404     204        204    204    204
threads.markRead                    401  403       404      404     200        200    200    200
threads.countUnread                 401  403       404      404     200        200    200    200
threads.listReaders                 401  403       404      404     200        200    200    200
threads.startTyping                 401  403       404      404     204        204    204    204
threads.stopTyping                  401  403       404      404     204        204    204    204
threads.setPreferences              401  403       404      404     200        200    200    200
threads.reportMessage               401  403       404      404     202        202    202    202

records.createDocument              401  403       404      404     201        201    201    201
records.listDocuments               401  403       404      404     200        200    200    200
records.getDocument                 401  403       404      404     200        200    200    200
records.addVersion                  401  403       404      404     201        201    201    201
records.signDocument                401  403       404      404     201        201    403    201
records.voidDocument                401  403       404      404     403        403    204    204
records.listAmendments              401  403       404      404     200        200    200    200
records.addExpense                  401  403       404      404     201        201    201    201
records.listExpenses                401  403       404      404     200        200    200    200
records.decideExpense               401  403       404      404     200        403    200    403
records.voidExpense                 401  403       404      404     403        403    403    204
"""

ALONE = {
    *("threads.changeThread", "threads.changeThread locked", "threads.sendMessage closed"),
    *("threads.addParticipant", "threads.addParticipant admin"),
    *("threads.changeParticipant", "threads.removeParticipant own"),
}
"""The lines after which the thread is not open, or its users are not in their roles."""

OFFER = {"type": "offer", "payload": {"amount": 25_000, "currency": "EUR"}}

_versions = itertools.count(1)


class Deal:
    """A thread with all callers in their roles."""

    def __init__(self, env: Environment) -> None:
        self.callers = env.callers
        self.buyer, self.seller = env.callers["owner"], env.callers["member"]
        self.operator = env.callers["operator"]
        self.thread_id = self.message_id = ""

    async def build(self) -> None:
        created = await self.buyer.post("/threads", {"kind": "project", "sellerUserId": self.seller.user_id})
        self.thread_id = created["threadId"]
        for who, role in (("moderator", "buyer"), ("removed", "buyer"), ("admin", "admin")):
            await self.take_in(self.callers[who], role)
        self.message_id = await self.send(self.buyer)
        removed = self.callers["removed"]
        await removed.delete(f"{self.at}/participants/{removed.user_id}")

    @property
    def at(self) -> str:
        return f"/threads/{self.thread_id}"

    async def take_in(self, who: Caller, role: str) -> None:
        await self.operator.call("POST", f"{self.at}/participants", {"userId": who.user_id, "roleContext": role})

    async def take_out(self, who: Caller) -> None:
        await self.operator.call("DELETE", f"{self.at}/participants/{who.user_id}")

    async def send(self, who: Caller) -> str:
        return str((await who.post(f"{self.at}/messages", {"content": "Hello"}))["messageId"])

    async def card(self) -> str:
        """An offer of the buyer."""
        return str((await self.buyer.post(f"{self.at}/cards", OFFER))["messageId"])


async def deal_of(env: Environment) -> Deal:
    """The thread of this env, made when it is first asked for."""
    if "deal" not in env.built:
        deal = env.built["deal"] = Deal(env)
        await deal.build()
    found: Deal = env.built["deal"]
    return found


@prepares("threads.createThread")
async def _create_thread(env: Environment, who: str) -> Attempt:
    body = {"kind": "inquiry", "sellerUserId": env.callers["victim"].user_id, "listingId": uuid.uuid4().hex}
    return Attempt(body=body)


@prepares("threads.createThread again")
async def _create_thread_again(env: Environment, who: str) -> Attempt:
    attempt = await _create_thread(env, who)
    if env.callers[who].user:
        await env.callers[who].post("/threads", attempt.body)
    return attempt


@prepares("threads.listThreads")
async def _list_threads(env: Environment, who: str) -> Attempt:
    await deal_of(env)
    return Attempt()


@prepares(
    *("threads.getThread", "threads.listAudit", "threads.listParticipants", "threads.listCards", "threads.openPanel")
)
async def _the_thread(env: Environment, who: str) -> Attempt:
    return Attempt({"threadId": (await deal_of(env)).thread_id})


@prepares("threads.changeThread")
async def _archive(env: Environment, who: str) -> Attempt:
    deal = await deal_of(env)
    await deal.operator.patch(deal.at, {"status": "open"})
    return Attempt({"threadId": deal.thread_id}, {"status": "archived"})


@prepares("threads.changeThread locked")
async def _unlock(env: Environment, who: str) -> Attempt:
    deal = await deal_of(env)
    await deal.operator.patch(deal.at, {"status": "open"})
    await deal.buyer.patch(deal.at, {"status": "locked"})
    return Attempt({"threadId": deal.thread_id}, {"status": "open"})


@prepares("threads.addParticipant")
async def _take_in(env: Environment, who: str) -> Attempt:
    deal, victim = await deal_of(env), env.callers["victim"]
    await deal.take_out(victim)
    return Attempt({"threadId": deal.thread_id}, {"userId": victim.user_id, "roleContext": "buyer"})


@prepares("threads.addParticipant admin")
async def _take_in_an_admin(env: Environment, who: str) -> Attempt:
    attempt = await _take_in(env, who)
    return attempt._replace(body=attempt.body | {"roleContext": "admin"})


@prepares("threads.changeParticipant")
async def _silence_the_seller(env: Environment, who: str) -> Attempt:
    deal = await deal_of(env)
    await deal.operator.patch(f"{deal.at}/participants/{deal.seller.user_id}", {"blockedUntil": None})
    places = {"threadId": deal.thread_id, "userId": deal.seller.user_id}
    return Attempt(places, {"blockedUntil": "2090-01-01T00:00:00Z"})


@prepares("threads.changeParticipant own")
async def _mute(env: Environment, who: str) -> Attempt:
    deal, caller = await deal_of(env), env.callers[who]
    user_id = caller.user_id if caller.user else UNKNOWN_ID
    return Attempt({"threadId": deal.thread_id, "userId": user_id}, {"muted": True})


@prepares("threads.changeParticipant muted")
async def _mute_for_another(env: Environment, who: str) -> Attempt:
    deal, victim = await deal_of(env), env.callers["victim"]
    await deal.take_in(victim, "buyer")
    return Attempt({"threadId": deal.thread_id, "userId": victim.user_id}, {"muted": True})


@prepares("threads.removeParticipant")
async def _take_out(env: Environment, who: str) -> Attempt:
    return (await _mute_for_another(env, who))._replace(body=None)


@prepares("threads.removeParticipant own")
async def _leave(env: Environment, who: str) -> Attempt:
    return (await _mute(env, who))._replace(body=None)


# Cards and tabs


@prepares("threads.createCard")
async def _offer(env: Environment, who: str) -> Attempt:
    return Attempt({"threadId": (await deal_of(env)).thread_id}, OFFER)


@prepares("threads.createCard delivery")
async def _deliver(env: Environment, who: str) -> Attempt:
    return (await _offer(env, who))._replace(body={"type": "delivery", "payload": {"title": "The first cut"}})


@prepares("threads.getCard")
async def _the_card(env: Environment, who: str) -> Attempt:
    deal = await deal_of(env)
    return Attempt({"threadId": deal.thread_id, "messageId": await deal.card()})


@prepares("threads.moveCard")
async def _accept(env: Environment, who: str) -> Attempt:
    return (await _the_card(env, who))._replace(body={"to": "accepted", "version": 1})


@prepares("threads.moveCard own")
async def _withdraw(env: Environment, who: str) -> Attempt:
    return (await _the_card(env, who))._replace(body={"to": "withdrawn", "version": 1})


@prepares("threads.getTab")
async def _the_tab(env: Environment, who: str) -> Attempt:
    return Attempt({"threadId": (await deal_of(env)).thread_id, "tab": "brief"})


@prepares("threads.putTab")
async def _put_tab(env: Environment, who: str) -> Attempt:
    body: dict[str, Any] = {"content": {"title": "A kitchen"}, "sourceVersion": next(_versions)}
    return (await _the_tab(env, who))._replace(body=body)


@prepares("threads.putTab system")
async def _put_docs(env: Environment, who: str) -> Attempt:
    attempt = await _put_tab(env, who)
    return attempt._replace(places=attempt.places | {"tab": "docs"})


# Messages


@prepares(
    *("threads.listMessages", "threads.listPins", "threads.countUnread", "threads.listReaders"),
    "threads.startTyping",
    "threads.stopTyping",
)
async def _the_room(env: Environment, who: str) -> Attempt:
    return Attempt({"roomId": (await deal_of(env)).thread_id})


@prepares("threads.sendMessage")
async def _send(env: Environment, who: str) -> Attempt:
    return (await _the_room(env, who))._replace(body={"content": "Hello"})


@prepares("threads.sendMessage closed")
async def _send_where_it_is_closed(env: Environment, who: str) -> Attempt:
    deal = await deal_of(env)
    await deal.buyer.patch(deal.at, {"status": "locked"})
    return await _send(env, who)


@prepares("threads.markRead")
async def _mark_read(env: Environment, who: str) -> Attempt:
    return (await _the_room(env, who))._replace(body={"messageId": (await deal_of(env)).message_id})


@prepares("threads.setPreferences")
async def _preferences(env: Environment, who: str) -> Attempt:
    return (await _the_room(env, who))._replace(body={"muted": True})


@prepares("threads.getMessage", "threads.pinMessage")
async def _the_message(env: Environment, who: str) -> Attempt:
    deal = await deal_of(env)
    return Attempt({"roomId": deal.thread_id, "messageId": deal.message_id})


@prepares("threads.unpinMessage")
async def _pinned(env: Environment, who: str) -> Attempt:
    deal = await deal_of(env)
    await deal.buyer.put(f"{deal.at}/pins/{deal.message_id}", expect=204)
    return await _the_message(env, who)


@prepares("threads.deleteMessage")
async def _own_message(env: Environment, who: str) -> Attempt:
    deal = await deal_of(env)
    message_id = await deal.send(env.callers[who]) if who in INSIDE else deal.message_id
    return Attempt({"roomId": deal.thread_id, "messageId": message_id})


@prepares("threads.editMessage")
async def _edit(env: Environment, who: str) -> Attempt:
    return (await _own_message(env, who))._replace(body={"content": "Hello there"})


@prepares("threads.deleteMessage others")
async def _others_message(env: Environment, who: str) -> Attempt:
    deal, victim = await deal_of(env), env.callers["victim"]
    await deal.take_in(victim, "buyer")
    return Attempt({"roomId": deal.thread_id, "messageId": await deal.send(victim)})


@prepares("threads.deleteMessage card")
async def _message_of_a_card(env: Environment, who: str) -> Attempt:
    deal = await deal_of(env)
    return Attempt({"roomId": deal.thread_id, "messageId": await deal.card()})


@prepares("threads.editMessage others")
async def _edit_others(env: Environment, who: str) -> Attempt:
    return (await _others_message(env, who))._replace(body={"content": "Not what they wrote"})


@prepares("threads.addReaction", "threads.removeReaction", "threads.listReactors")
async def _reaction(env: Environment, who: str) -> Attempt:
    deal = await deal_of(env)
    await deal.buyer.put(f"{deal.at}/messages/{deal.message_id}/reactions/👍", expect=204)
    attempt = await _the_message(env, who)
    return attempt._replace(places=attempt.places | {"emoji": "👍"})


@prepares("threads.reportMessage")
async def _report(env: Environment, who: str) -> Attempt:
    return (await _the_message(env, who))._replace(body={"reason": "It is too short."})


# Records: the document and the expense of each attempt are the buyer's, and new.

CONTRACT = {"title": "Licence", "kind": "license", "body": "One year."}
TRAIN = {"title": "Train", "amount": 4_900, "currency": "EUR", "category": "travel", "incurredOn": "2026-11-16"}


@prepares("records.listDocuments", "records.listAmendments", "records.listExpenses")
async def _records(env: Environment, who: str) -> Attempt:
    return Attempt({"threadId": (await deal_of(env)).thread_id})


@prepares("records.createDocument")
async def _create_document(env: Environment, who: str) -> Attempt:
    return (await _records(env, who))._replace(body=CONTRACT)


@prepares("records.addExpense")
async def _add_expense(env: Environment, who: str) -> Attempt:
    return (await _records(env, who))._replace(body=TRAIN)


@prepares("records.getDocument", "records.voidDocument")
async def _document(env: Environment, who: str) -> Attempt:
    deal = await deal_of(env)
    created = await deal.buyer.post(f"{deal.at}/documents", CONTRACT)
    return Attempt({"threadId": deal.thread_id, "documentId": created["documentId"]})


@prepares("records.addVersion")
async def _version(env: Environment, who: str) -> Attempt:
    return (await _document(env, who))._replace(body={"version": 1, "body": "Two years."})


@prepares("records.signDocument")
async def _signature(env: Environment, who: str) -> Attempt:
    return (await _document(env, who))._replace(body={"version": 1})


@prepares("records.voidExpense")
async def _expense(env: Environment, who: str) -> Attempt:
    deal = await deal_of(env)
    created = await deal.buyer.post(f"{deal.at}/expenses", TRAIN)
    return Attempt({"threadId": deal.thread_id, "expenseId": created["expenseId"]})


@prepares("records.decideExpense")
async def _decision(env: Environment, who: str) -> Attempt:
    return (await _expense(env, who))._replace(body={"decision": "approve", "version": 1})
