"""Cards: offers, bookings and their like, which the two sides make and move.

Making and moving one is a message of the thread: message, card and the tab of actions change in one transaction. A move
names the version that it saw; of two at the same time one wins, and the other is told how the card is now.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import msgspec

from sobremesa.core.actor import Actor
from sobremesa.core.clock import Clock, Instant
from sobremesa.core.errors import Busy, Forbidden, Invalid, NotFound
from sobremesa.core.ids import MessageId
from sobremesa.domains.threads.access import Access, ThreadSeat
from sobremesa.domains.threads.actions import refreshed
from sobremesa.domains.threads.card_reading import CardReader, as_seen_by, may_see_card
from sobremesa.domains.threads.card_types import (
    CardType,
    CardTypes,
    Held,
    Transition,
    is_expired,
    read_remark,
    standing_to,
)
from sobremesa.domains.threads.entities import Card, Tab, ThreadId, card_by_id, cards_in, tab_by_name
from sobremesa.domains.threads.errors import CardChanged, CardFinished, NoSuchMove
from sobremesa.domains.threads.views import card_view
from sobremesa.rooms.entities import CLEAN, Message
from sobremesa.rooms.judging import CLEAR, Verdict, settled
from sobremesa.rooms.sending import Draft
from sobremesa.rooms.service import Rooms
from sobremesa.table import (
    Create,
    Operation,
    Table,
    Update,
    absent_or_null,
    equals,
    greater,
    set_to,
)
from sobremesa.table.errors import BadKey, ConditionFailed
from sobremesa.work.idempotency import Claim, Idempotency

ATTEMPTS = 20
"""How often a verb starts over because somebody else moved another card of the thread."""

Authorize: TypeAlias = Callable[[], Awaitable[ThreadSeat]]


class _Step(NamedTuple):
    """A card, the way that it takes, and what it holds after it."""

    card: Card
    way: Transition
    held: Held

    def done(self, now: Instant, *, expires: bool) -> Card:
        """The card after it."""
        return msgspec.structs.replace(
            self.card,
            state=self.way.to,
            version=self.card.version + 1,
            payload=self.held.payload,
            expires_at=self.held.expires_at if expires else None,
            updated_at=now,
        )


class Judged(NamedTuple):
    """What a card will hold, or what is added to a move, and what the judge found in it."""

    held: Held
    verdict: Verdict


class Cards:
    """The cards in threads."""

    def __init__(
        self, table: Table, clock: Clock, access: Access, rooms: Rooms, types: CardTypes, idempotency: Idempotency
    ) -> None:
        self._table = table
        self._clock = clock
        self._access = access
        self._rooms = rooms
        self.types = types
        self._reader = CardReader(table, types)
        self._idempotency = idempotency

    # Looking

    async def get(self, actor: Actor, thread_id: ThreadId, message_id: MessageId) -> Card:
        """A card as the reader sees it; `card_types.as_of` tells how it is at a moment."""
        seat = await self._access.authorize(actor, thread_id)
        return as_seen_by(seat, await self._get(thread_id, message_id))

    async def list_cards(
        self, actor: Actor, thread_id: ThreadId, *, limit: int, cursor: str | None = None
    ) -> tuple[list[Card], str | None]:
        """The cards of a thread, the newest first."""
        seat = await self._access.authorize(actor, thread_id)
        page = await self._table.query(cards_in(room_id=thread_id), limit=limit, cursor=cursor)
        return [as_seen_by(seat, await self._reader.complete(card)) for card in page.items], page.cursor

    # Making

    async def create(
        self, actor: Actor, thread_id: ThreadId, *, type: str, payload: Mapping[str, Any], key: str | None = None
    ) -> Card:
        """Make a card; one that answers another moves that one in the same moment."""
        seat = await self._access.authorize(actor, thread_id)
        claim = self._idempotency.claim(actor, key, "card", [thread_id, type, payload])
        before = await claim.find()
        if before is not None:
            return as_seen_by(seat, await self._get(thread_id, MessageId(before)))
        seat.require("send")
        kind = self.types.get(type)
        if seat.place is None or seat.place.role_context not in kind.creators:
            raise Forbidden(f"Only these make a card of this type: {', '.join(kind.creators)}.")
        held = kind.read(payload, self.now())
        verdict = await self._rooms.judge(seat, held.payload)

        for _ in range(ATTEMPTS):
            step = await self._answered(seat, kind, held)
            try:
                return await self._make(seat, kind, Judged(held, verdict), step, claim)
            except ConditionFailed as failed:
                made = await claim.made(failed)
                if made is not None:
                    return await self._get(thread_id, MessageId(made))
            # The tab, or the card that this answers, has changed: look again.
            seat = await self._access.authorize(actor, thread_id)
        raise Busy

    async def _make(self, seat: ThreadSeat, kind: CardType, judged: Judged, step: _Step | None, claim: Claim) -> Card:
        held, verdict = judged
        tab = await self._table.get(tab_by_name(room_id=seat.room_id, tab="actions"))
        made: list[Card] = []

        def also(message: Message) -> Sequence[Operation]:
            made[:] = [_new_card(seat, kind, held, message)]
            moved = [] if step is None else [self._after(step, message)]
            return [
                Create(made[0]),
                *([] if step is None else [_moving(step, moved[0], self.now())]),
                refreshed(tab, seat.room_id, [*moved, *made], message.created_at),
                *claim.operations(message.message_id),
            ]

        action: dict[str, Any] = {"type": kind.name, "payload": held.payload, "state": kind.first, "version": 1}
        if step is not None:
            answered = {"type": step.card.type, "state": step.way.to, "version": step.card.version + 1}
            action["answered"] = {"cardId": step.card.message_id, **answered}
        reply_to = None if step is None else step.card.message_id
        await self._rooms.act(seat, _draft(kind.name, kind.first, action, reply_to), also, verdict)
        return made[0]

    async def _answered(self, seat: ThreadSeat, kind: CardType, held: Held) -> _Step | None:
        """The move of the card that this one answers, if it answers any."""
        if not kind.answers:
            return None
        try:
            card = await self._reader.find(seat.room_id, held.payload["answers"])
        except BadKey:
            card = None
        if card is None or card.type not in kind.answers or not may_see_card(seat, card):
            told = {"in": "body", "pointer": "#/payload/answers", "detail": "There is no such card to answer"}
            raise Invalid(errors=[told])
        self._refuse_finished(card)
        way = self.types.get(card.type).answered(card.state, by=kind.name)
        return _Step(card, self._allowed(seat, card, way), Held(card.payload, None))

    # Moving

    async def move(
        self,
        actor: Actor,
        thread_id: ThreadId,
        message_id: MessageId,
        *,
        to: str,
        version: int,
        payload: Mapping[str, Any] | None = None,
    ) -> Card:
        """Move a card on; CardChanged, with the card as it is now, if it has another version than was seen."""
        return await self._move(
            lambda: self._access.authorize(actor, thread_id), message_id, to=to, version=version, payload=payload
        )

    async def settle(
        self,
        thread_id: ThreadId,
        message_id: MessageId,
        *,
        to: str,
        version: int,
        payload: Mapping[str, Any] | None = None,
    ) -> Card:
        """Move a card on as the system: what a program of the operator knows, as that something was paid."""
        return await self._move(
            lambda: self._access.system_seat(thread_id), message_id, to=to, version=version, payload=payload
        )

    async def _move(
        self, authorize: Authorize, message_id: MessageId, *, to: str, version: int, payload: Mapping[str, Any] | None
    ) -> Card:
        verdict: Verdict | None = None
        for _ in range(ATTEMPTS):
            seat = await authorize()
            seat.require("send")
            card, tab = await self._table.get_pair(
                card_by_id(room_id=seat.room_id, message_id=message_id),
                tab_by_name(room_id=seat.room_id, tab="actions"),
                consistent=True,
            )
            card = None if card is None else await self._reader.complete(card)
            if card is None or not may_see_card(seat, card):
                raise NotFound
            if card.version != version:
                raise CardChanged(current=card_view(card, self.now()))
            step, remark = self._step(seat, card, to, payload)
            if verdict is None:
                verdict = await self._judge_move(seat, step, remark)

            try:
                return await self._take(seat, step, Judged(Held(remark, None), verdict), tab)
            except ConditionFailed:
                continue  # this card has changed, or another one of the thread: look again
        raise Busy

    def _step(
        self, seat: ThreadSeat, card: Card, to: str, payload: Mapping[str, Any] | None
    ) -> tuple[_Step, dict[str, Any]]:
        """The move that somebody wants, and what its message says."""
        self._refuse_finished(card)
        kind = self.types.get(card.type)
        way = self._allowed(seat, card, kind.find(card.state, to))
        if way.renews:
            renewed = kind.read(payload or {}, self.now())
            return _Step(card, way, renewed), renewed.payload
        return _Step(card, way, Held(card.payload, card.expires_at)), read_remark(payload, self.now())

    async def _judge_move(self, seat: ThreadSeat, step: _Step, remark: dict[str, Any]) -> Verdict:
        """What the judge finds in what a move adds; what the system adds is the operator's own."""
        if seat.place is None or not remark:
            return CLEAR
        verdict = await self._rooms.judge(seat, remark)
        return settled(step.card.moderation, verdict) if step.way.renews else verdict

    async def _take(self, seat: ThreadSeat, step: _Step, judged: Judged, tab: Tab | None) -> Card:
        card, to = step.card, step.way.to
        done: list[Card] = []

        def also(message: Message) -> Sequence[Operation]:
            done[:] = [self._after(step, message)]
            return [_moving(step, done[0], self.now()), refreshed(tab, card.room_id, done, message.created_at)]

        action = {
            "cardId": card.message_id,
            "type": card.type,
            "payload": judged.held.payload,
            "state": to,
            "version": card.version + 1,
        }
        await self._rooms.act(seat, _draft(card.type, to, action, card.message_id), also, judged.verdict)
        return done[0]

    # Inside

    async def _get(self, thread_id: ThreadId, message_id: MessageId) -> Card:
        card = await self._reader.find(thread_id, message_id)
        if card is None:
            raise NotFound
        return card

    def _refuse_finished(self, card: Card) -> None:
        now = self.now()
        if is_expired(card, now) or self.types.get(card.type).is_finished(card.state):
            raise CardFinished(current=card_view(card, now))

    def _allowed(self, seat: ThreadSeat, card: Card, way: Transition | None) -> Transition:
        """The way, if there is one and this person may take it."""
        if way is None:
            raise NoSuchMove(current=card_view(card, self.now()))
        role = None if seat.place is None else seat.place.role_context
        if not standing_to(card, seat.user_id, role).intersection(way.who):
            raise Forbidden(f"Only these may do this: {', '.join(way.who)}.")
        return way

    def _after(self, step: _Step, message: Message) -> Card:
        done = step.done(message.created_at, expires=self.types.get(step.card.type).expires_in(step.way.to))
        changes: dict[str, Any] = {"moved_by": message.author_id}
        if step.way.renews:
            changes |= {"payload_of": message.message_id, "payload_by": message.author_id, **_verdict(message)}
        return msgspec.structs.replace(done, **changes)

    def now(self) -> Instant:
        return self._clock.now()


def _new_card(seat: ThreadSeat, kind: CardType, held: Held, message: Message) -> Card:
    if seat.place is None:
        raise NotFound  # the system moves cards, and makes none
    return Card(
        room_id=seat.room_id,
        message_id=message.message_id,
        type=kind.name,
        state=kind.first,
        payload=held.payload,
        created_by=seat.user_id,
        created_as=seat.place.role_context,
        expires_at=held.expires_at if kind.expires_in(kind.first) else None,
        **_verdict(message),
        created_at=message.created_at,
        updated_at=message.created_at,
    )


def _verdict(message: Message) -> dict[str, Any]:
    """What a card stores of the verdict about the message that brought its payload."""
    return {
        "flags": None if message.moderation == CLEAN else message.flags,
        "nsfw_band": message.nsfw_band or None,
    }


def _draft(type: str, state: str, action: dict[str, Any], reply_to: MessageId | None) -> Draft:
    return Draft(f"{type}: {state}", reply_to=reply_to, type="action", more={"action": action})


def _moving(step: _Step, after: Card, now: Instant) -> Update[Card]:
    """The change of a card, which must be as it was seen, and not have ended meanwhile."""
    seen = step.card
    changes: dict[str, Any] = {
        "state": after.state,
        "version": after.version,
        "expires_at": after.expires_at,
        "moved_by": after.moved_by,
        "updated_at": after.updated_at,
    }
    if step.way.renews:
        renewed = ("payload", "payload_of", "payload_by", "flags", "nsfw_band")
        changes |= {field: getattr(after, field) for field in renewed}
    as_seen = equals("version", seen.version) & equals("state", seen.state)
    return Update(
        seen.own_key(),
        set_to(**changes),
        when=as_seen & (absent_or_null("expires_at") | greater("expires_at", now)),
    )
