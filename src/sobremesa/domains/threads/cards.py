"""Action cards: offers, bookings and the like, which participants create and move to other states.

Each change is also a message: message, card and the actions tab change in one transaction. A transition names the
version that the client saw. Of two concurrent transitions one succeeds, and the other is refused with the current card.
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
from sobremesa.domains.threads.actions import actions_tab_update
from sobremesa.domains.threads.card_reader import CardReader, as_seen_by, may_see_card
from sobremesa.domains.threads.card_types import (
    CardType,
    CardTypes,
    StoredPayload,
    Transition,
    is_expired,
    read_transition_note,
    relations_to,
)
from sobremesa.domains.threads.entities import Card, Tab, ThreadId, card_by_id, cards_in, tab_by_name
from sobremesa.domains.threads.errors import CardChanged, CardFinished, NoSuchTransition
from sobremesa.domains.threads.views import card_view
from sobremesa.rooms.entities import CLEAN, Message
from sobremesa.rooms.judging import CLEAR, Verdict, keep_blocked
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
"""How often a change is retried because another card of the thread changed concurrently."""

Authorize: TypeAlias = Callable[[], Awaitable[ThreadSeat]]


class _CardChange(NamedTuple):
    """A card, the transition to apply, and the payload after it."""

    card: Card
    transition: Transition
    stored: StoredPayload

    def applied(self, now: Instant, *, expires: bool) -> Card:
        """Return the card after the transition."""
        return msgspec.structs.replace(
            self.card,
            state=self.transition.to,
            version=self.card.version + 1,
            payload=self.stored.payload,
            expires_at=self.stored.expires_at if expires else None,
            updated_at=now,
        )


class JudgedPayload(NamedTuple):
    """The payload of a card or the note of a transition, and the verdict about it."""

    stored: StoredPayload
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

    # Reading

    async def get(self, actor: Actor, thread_id: ThreadId, message_id: MessageId) -> Card:
        """Return a card as the reader may see it; `card_types.as_of` applies its expiry."""
        seat = await self._access.authorize(actor, thread_id)
        return as_seen_by(seat, await self._get(thread_id, message_id))

    async def list_cards(
        self, actor: Actor, thread_id: ThreadId, *, limit: int, cursor: str | None = None
    ) -> tuple[list[Card], str | None]:
        """List the cards of a thread, newest first."""
        seat = await self._access.authorize(actor, thread_id)
        page = await self._table.query(cards_in(room_id=thread_id), limit=limit, cursor=cursor)
        return [as_seen_by(seat, await self._reader.complete(card)) for card in page.items], page.cursor

    # Creating

    async def create(
        self, actor: Actor, thread_id: ThreadId, *, type: str, payload: Mapping[str, Any], key: str | None = None
    ) -> Card:
        """Create a card. One that answers another card also moves that one, in the same transaction."""
        seat = await self._access.authorize(actor, thread_id)
        claim = self._idempotency.claim(actor, key, "card", [thread_id, type, payload])
        before = await claim.find()
        if before is not None:
            return as_seen_by(seat, await self._get(thread_id, MessageId(before)))
        seat.require("send")
        kind = self.types.get(type)
        if seat.participant is None or seat.participant.role_context not in kind.creators:
            raise Forbidden(f"Only these roles may create a card of this type: {', '.join(kind.creators)}.")
        stored = kind.read(payload, self.now())
        verdict = await self._rooms.judge(seat, stored.payload)

        for _ in range(ATTEMPTS):
            change = await self._answered(seat, kind, stored)
            try:
                return await self._write_new(seat, kind, JudgedPayload(stored, verdict), change, claim)
            except ConditionFailed as failed:
                created = await claim.created(failed)
                if created is not None:
                    return await self._get(thread_id, MessageId(created))
            # The tab, or the card that this one answers, has changed: read them again.
            seat = await self._access.authorize(actor, thread_id)
        raise Busy

    async def _write_new(
        self, seat: ThreadSeat, kind: CardType, judged: JudgedPayload, change: _CardChange | None, claim: Claim
    ) -> Card:
        stored, verdict = judged
        tab = await self._table.get(tab_by_name(room_id=seat.room_id, tab="actions"))

        def also(message: Message) -> Sequence[Operation]:
            card = _new_card(seat, kind, stored, message)
            changed, operations = [card], [Create(card), *claim.operations(message.message_id)]
            if change is not None:
                answered = self._after(change, message)
                changed.insert(0, answered)
                operations.append(_card_update(change, answered, self.now()))
            return [*operations, actions_tab_update(tab, seat.room_id, changed, message.created_at)]

        action: dict[str, Any] = {"type": kind.name, "payload": stored.payload, "state": kind.first, "version": 1}
        if change is not None:
            answered = {"type": change.card.type, "state": change.transition.to, "version": change.card.version + 1}
            action["answered"] = {"cardId": change.card.message_id, **answered}
        reply_to = None if change is None else change.card.message_id
        message = await self._rooms.send_with(seat, _draft(kind.name, kind.first, action, reply_to), also, verdict)
        return _new_card(seat, kind, stored, message)

    async def _answered(self, seat: ThreadSeat, kind: CardType, stored: StoredPayload) -> _CardChange | None:
        """Return the transition of the card that this one answers, or None."""
        if not kind.answers:
            return None
        try:
            card = await self._reader.find(seat.room_id, stored.payload["answers"])
        except BadKey:
            card = None
        if card is None or card.type not in kind.answers or not may_see_card(seat, card):
            error = {"in": "body", "pointer": "#/payload/answers", "detail": "There is no such card to answer"}
            raise Invalid(errors=[error])
        self._refuse_finished(card)
        transition = self.types.get(card.type).answered(card.state, by=kind.name)
        return _CardChange(card, self._allowed(seat, card, transition), StoredPayload(card.payload, None))

    # Transitions

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
        """Move a card to another state; CardChanged, with the current card, if its version differs."""
        return await self._move(
            lambda: self._access.authorize(actor, thread_id), message_id, to=to, version=version, payload=payload
        )

    async def move_as_system(
        self,
        thread_id: ThreadId,
        message_id: MessageId,
        *,
        to: str,
        version: int,
        payload: Mapping[str, Any] | None = None,
    ) -> Card:
        """Move a card as the system, for a program of the operator that knows, for example, of a payment."""
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
            change, note = self._plan(seat, card, to, payload)
            if verdict is None:
                verdict = await self._judge_move(seat, change, note)

            try:
                return await self._write_change(seat, change, JudgedPayload(StoredPayload(note, None), verdict), tab)
            except ConditionFailed:
                continue  # this card, or another one of the thread, has changed: read again
        raise Busy

    def _plan(
        self, seat: ThreadSeat, card: Card, to: str, payload: Mapping[str, Any] | None
    ) -> tuple[_CardChange, dict[str, Any]]:
        """Return the requested change, and the payload of its message."""
        self._refuse_finished(card)
        kind = self.types.get(card.type)
        transition = self._allowed(seat, card, kind.find(card.state, to))
        if transition.renews:
            renewed = kind.read(payload or {}, self.now())
            return _CardChange(card, transition, renewed), renewed.payload
        unchanged = StoredPayload(card.payload, card.expires_at)
        return _CardChange(card, transition, unchanged), read_transition_note(payload, self.now())

    async def _judge_move(self, seat: ThreadSeat, change: _CardChange, note: dict[str, Any]) -> Verdict:
        """Return the verdict about what a transition adds; what the system adds is not judged."""
        if seat.participant is None or not note:
            return CLEAR
        verdict = await self._rooms.judge(seat, note)
        return keep_blocked(change.card.moderation, verdict) if change.transition.renews else verdict

    async def _write_change(
        self, seat: ThreadSeat, change: _CardChange, judged: JudgedPayload, tab: Tab | None
    ) -> Card:
        card, to = change.card, change.transition.to

        def also(message: Message) -> Sequence[Operation]:
            after = self._after(change, message)
            return [
                _card_update(change, after, self.now()),
                actions_tab_update(tab, card.room_id, [after], message.created_at),
            ]

        action = {
            "cardId": card.message_id,
            "type": card.type,
            "payload": judged.stored.payload,
            "state": to,
            "version": card.version + 1,
        }
        message = await self._rooms.send_with(
            seat, _draft(card.type, to, action, card.message_id), also, judged.verdict
        )
        return self._after(change, message)

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

    def _allowed(self, seat: ThreadSeat, card: Card, transition: Transition | None) -> Transition:
        """Return the transition; a refusal if there is none or the user may not apply it."""
        if transition is None:
            raise NoSuchTransition(current=card_view(card, self.now()))
        role = None if seat.participant is None else seat.participant.role_context
        if not relations_to(card, seat.user_id, role).intersection(transition.who):
            raise Forbidden(f"Only these may apply this transition: {', '.join(transition.who)}.")
        return transition

    def _after(self, change: _CardChange, message: Message) -> Card:
        expires = self.types.get(change.card.type).expires_in(change.transition.to)
        after = change.applied(message.created_at, expires=expires)
        changes: dict[str, Any] = {"moved_by": message.author_id}
        if change.transition.renews:
            changes |= {"payload_of": message.message_id, "payload_by": message.author_id, **_verdict(message)}
        return msgspec.structs.replace(after, **changes)

    def now(self) -> Instant:
        return self._clock.now()


def _new_card(seat: ThreadSeat, kind: CardType, stored: StoredPayload, message: Message) -> Card:
    if seat.participant is None:
        raise NotFound  # the system creates no cards
    return Card(
        room_id=seat.room_id,
        message_id=message.message_id,
        type=kind.name,
        state=kind.first,
        payload=stored.payload,
        created_by=seat.user_id,
        created_as=seat.participant.role_context,
        expires_at=stored.expires_at if kind.expires_in(kind.first) else None,
        **_verdict(message),
        created_at=message.created_at,
        updated_at=message.created_at,
    )


def _verdict(message: Message) -> dict[str, Any]:
    """Return what a card stores of the verdict about the message with its payload."""
    return {
        "flags": None if message.moderation == CLEAN else message.flags,
        "nsfw_band": message.nsfw_band or None,
    }


def _draft(type: str, state: str, action: dict[str, Any], reply_to: MessageId | None) -> Draft:
    return Draft(f"{type}: {state}", reply_to=reply_to, type="action", more={"action": action})


def _card_update(change: _CardChange, after: Card, now: Instant) -> Update[Card]:
    """Return the update of a card, on the condition that it is unchanged and has not expired."""
    seen = change.card
    changes: dict[str, Any] = {
        "state": after.state,
        "version": after.version,
        "expires_at": after.expires_at,
        "moved_by": after.moved_by,
        "updated_at": after.updated_at,
    }
    if change.transition.renews:
        renewed = ("payload", "payload_of", "payload_by", "flags", "nsfw_band")
        changes |= {field: getattr(after, field) for field in renewed}
    as_seen = equals("version", seen.version) & equals("state", seen.state)
    return Update(
        seen.own_key(),
        set_to(**changes),
        when=as_seen & (absent_or_null("expires_at") | greater("expires_at", now)),
    )
