"""Card types: the payload of a card, and its states and transitions. `docs/cards.md` is generated from them.

An application can add its own types:

    class Sample(Payload):
        address: str

    SAMPLE = CardType(
        name="sample", description="Something to try", payload=Sample, creators=("seller",), first="sent",
        transitions=(Transition(start="sent", to="kept", who=("other side",)),),
    )
    async with Sobremesa.open("sqlite://", card_types=[SAMPLE]) as app: ...

A state without transitions is final. A card expires at the `expiresAt` of its payload without any write.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import msgspec

from sobremesa.core.actor import UserId
from sobremesa.core.clock import Instant
from sobremesa.core.errors import Invalid, SobremesaError, TooBig
from sobremesa.core.ids import MessageId
from sobremesa.domains.threads.entities import Card, RoleContext
from sobremesa.domains.threads.errors import UnknownCardType
from sobremesa.domains.threads.moments import Moment, future, instant_of

Who: TypeAlias = Literal["creator", "other side", "buyer", "seller", "admin", "system"]

EXPIRED = "expired"
MAX_PAYLOAD_BYTES = 16 * 1024

Amount = Annotated[int, msgspec.Meta(gt=0, le=10**15, description="in the currency's smallest unit")]
Currency = Annotated[str, msgspec.Meta(pattern=r"^[A-Z]{3}$", description="ISO 4217")]
Note = Annotated[str, msgspec.Meta(min_length=1, max_length=2000)]
Title = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
CardRef = Annotated[MessageId, msgspec.Meta(min_length=1, max_length=200)]
FileRefs = Annotated[list[Annotated[str, msgspec.Meta(min_length=1, max_length=200)]], msgspec.Meta(max_length=50)]

_NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")


class BadCardType(SobremesaError):
    """A card type that is not valid; the message states why."""


class Payload(msgspec.Struct, rename="camel", omit_defaults=True, forbid_unknown_fields=True):
    """The payload of a card. Unknown fields are refused."""


class TransitionNote(Payload):
    """What a user may add to a transition."""

    note: Note | None = None


class Transition(msgspec.Struct, frozen=True, kw_only=True):
    """A transition between two states, and who may apply it."""

    start: str
    to: str
    who: tuple[Who, ...]
    renews: bool = False
    """Whether it replaces the payload of the card."""
    through: str | None = None
    """The card type whose creation applies this transition, which is then the only way."""
    at_expiry: bool = False
    """Whether it applies automatically at `expiresAt`."""


class CardType(msgspec.Struct, frozen=True, kw_only=True):
    """A card type: its payload, its creators, and its transitions."""

    name: str
    description: str
    payload: type[msgspec.Struct]
    creators: tuple[RoleContext, ...] = ("buyer", "seller")
    first: str
    transitions: tuple[Transition, ...]
    answers: tuple[str, ...] = ()
    """The card types that it can answer; `answers` of the payload names the card."""

    @property
    def states(self) -> tuple[str, ...]:
        """All states, starting with the first."""
        return tuple(dict.fromkeys([self.first, *(s for each in self.transitions for s in (each.start, each.to))]))

    def is_finished(self, state: str) -> bool:
        return not any(each.start == state for each in self.transitions)

    def expires_in(self, state: str) -> bool:
        """Return whether a card in this state expires at `expiresAt`."""
        return any(each.start == state and each.at_expiry for each in self.transitions)

    def find(self, start: str, to: str, *, through: str | None = None) -> Transition | None:
        """Return the transition that a request may apply, or None."""
        return next(
            (
                each
                for each in self.transitions
                if (each.start, each.to, each.through) == (start, to, through) and not each.at_expiry
            ),
            None,
        )

    def answered(self, start: str, by: str) -> Transition | None:
        """Return the transition that creating a card of another type applies, or None."""
        return next((each for each in self.transitions if (each.start, each.through) == (start, by)), None)

    def read(self, payload: Mapping[str, Any], now: Instant) -> StoredPayload:
        """Return the payload as it is stored; Invalid if it does not match this type."""
        return _read(payload, self.payload, now)


class StoredPayload(NamedTuple):
    """A payload as it is stored, and when it expires."""

    payload: dict[str, Any]
    expires_at: Instant | None


def read_transition_note(payload: Mapping[str, Any] | None, now: Instant) -> dict[str, Any]:
    """Return the note of a transition; Invalid if it is not valid."""
    return _read(payload or {}, TransitionNote, now).payload


def is_expired(card: Card, now: Instant) -> bool:
    """Return whether a card has expired. It has an expiry time only in a state that can expire."""
    return card.expires_at is not None and card.expires_at <= now


def as_of(card: Card, now: Instant) -> Card:
    """Return the card as it is at a time, with its expiry applied."""
    return msgspec.structs.replace(card, state=EXPIRED) if is_expired(card, now) else card


def relations_to(card: Card, user_id: UserId, role: RoleContext | None) -> set[Who]:
    """Return how a user relates to a card; without a role it is the system."""
    if role is None:
        return {"system"}
    found: set[Who] = {role}
    is_creator = user_id == card.created_by
    if is_creator:
        found.add("creator")
    # A card of another writer may lack the side: then all but its creator count as the other side.
    if role not in ("admin", card.created_as) and not (is_creator and card.created_as is None):
        found.add("other side")
    return found


class CardTypes:
    """All card types: the built-in ones, and an application's own."""

    def __init__(self, more: Iterable[CardType] = ()) -> None:
        self._types: dict[str, CardType] = {}
        for kind in (*BUILT_IN, *more):
            self.register(kind)

    def __iter__(self) -> Iterator[CardType]:
        return iter(self._types.values())

    def register(self, kind: CardType) -> None:
        """Add a type; BadCardType if it is not valid or its name is taken."""
        if kind.name in self._types:
            raise BadCardType(f"the card type {kind.name} exists already")
        _check(kind)
        self._types[kind.name] = kind

    def knows(self, name: str) -> bool:
        return name in self._types

    def get(self, name: str) -> CardType:
        try:
            return self._types[name]
        except KeyError:
            raise UnknownCardType(known=sorted(self._types)) from None


@cache  # the built-in types are registered again for each application of a process
def _check(kind: CardType) -> None:
    fields = {info.name for info in msgspec.structs.fields(kind.payload)}
    if not _NAME.fullmatch(kind.name):
        raise BadCardType(f"{kind.name!r} is not a valid name: use lowercase letters, digits and hyphens")
    if not all(_NAME.fullmatch(state) for state in kind.states):
        raise BadCardType(f"{kind.name}: names of states use lowercase letters, digits and hyphens")
    reached = {kind.first}
    for _ in kind.transitions:
        reached |= {each.to for each in kind.transitions if each.start in reached}
    if reached != set(kind.states):
        raise BadCardType(f"{kind.name}: no transition leads to {', '.join(sorted(set(kind.states) - reached))}")
    pairs = [(each.start, each.to) for each in kind.transitions]
    if len(set(pairs)) < len(pairs):
        raise BadCardType(f"{kind.name} has the same transition twice")
    if any(each.at_expiry and each.to != EXPIRED for each in kind.transitions):
        raise BadCardType(f"{kind.name}: a transition at expiry must lead to {EXPIRED}")
    if any(each.at_expiry for each in kind.transitions) and "expires_at" not in fields:
        raise BadCardType(f"{kind.name} can expire, but its payload has no expires_at")
    if kind.answers and "answers" not in fields:
        raise BadCardType(f"{kind.name} answers other cards, but its payload has no field answers")


def _read(payload: Mapping[str, Any], schema: type[msgspec.Struct], now: Instant) -> StoredPayload:
    try:
        value = msgspec.convert(payload, schema)
    except msgspec.ValidationError as error:
        what, _, at = str(error).partition(" - at ")
        pointer = "#/payload" + at.strip("`").removeprefix("$").replace(".", "/")
        raise Invalid(errors=[{"in": "body", "pointer": pointer, "detail": what}]) from None
    held: dict[str, Any] = _kept(msgspec.to_builtins(value, builtin_types=(datetime,)))
    if len(msgspec.json.encode(held)) > MAX_PAYLOAD_BYTES:
        raise TooBig(f"A payload may have at most {MAX_PAYLOAD_BYTES} bytes.", limit=MAX_PAYLOAD_BYTES)
    ends = getattr(value, "expires_at", None)
    return StoredPayload(held, future(ends, now) if isinstance(ends, datetime) else None)


def _kept(value: Any) -> Any:
    """Return the value with its times in the stored format."""
    match value:
        case datetime():
            return instant_of(value)
        case dict():
            return {name: _kept(held) for name, held in value.items()}
        case list():
            return [_kept(held) for held in value]
        case _:
            return value


# Built-in types


class Offer(Payload):
    """A price."""

    amount: Amount
    currency: Currency
    note: Note | None = None
    expires_at: Moment | None = None


class CounterOffer(Offer, kw_only=True):
    """Another price, as the answer to an offer."""

    answers: CardRef


class Booking(Payload):
    """A time, and optionally a place."""

    starts_at: Moment
    ends_at: Moment | None = None
    place: Title | None = None
    note: Note | None = None

    def __post_init__(self) -> None:
        if self.ends_at is not None and self.ends_at <= self.starts_at:
            raise ValueError("A booking must end after it starts")


class Delivery(Payload):
    """Work that was delivered."""

    title: Title
    files: FileRefs = []
    note: Note | None = None


class PaymentRequest(Payload):
    """An amount that is due."""

    amount: Amount
    currency: Currency
    note: Note | None = None
    expires_at: Moment | None = None


class Amendment(Payload):
    """A change of the agreement."""

    title: Title
    text: Annotated[str, msgspec.Meta(min_length=1, max_length=8000)]


def _transitions(*transitions: tuple[str, str, tuple[Who, ...]]) -> tuple[Transition, ...]:
    return tuple(Transition(start=start, to=to, who=who) for start, to, who in transitions)


_PRICE = (
    *_transitions(
        ("open", "accepted", ("other side",)),
        ("open", "declined", ("other side",)),
        ("open", "withdrawn", ("creator",)),
    ),
    Transition(start="open", to="countered", who=("other side",), through="counter-offer"),
    Transition(start="open", to=EXPIRED, who=("system",), at_expiry=True),
)

BUILT_IN: tuple[CardType, ...] = (
    CardType(
        name="offer",
        description="A price, which the other side accepts or declines",
        payload=Offer,
        first="open",
        transitions=_PRICE,
    ),
    CardType(
        name="counter-offer",
        description="Another price, as the answer to an offer, which becomes countered",
        payload=CounterOffer,
        first="open",
        transitions=_PRICE,
        answers=("offer", "counter-offer"),
    ),
    CardType(
        name="booking",
        description="A time, requested by one side and confirmed by the other",
        payload=Booking,
        first="requested",
        transitions=_transitions(
            ("requested", "confirmed", ("other side",)),
            ("requested", "declined", ("other side",)),
            ("requested", "cancelled", ("creator", "admin")),
            ("confirmed", "completed", ("buyer", "admin", "system")),
            ("confirmed", "cancelled", ("buyer", "seller", "admin")),
        ),
    ),
    CardType(
        name="delivery",
        description="Delivered work, which the buyer's side accepts or returns for revision",
        payload=Delivery,
        creators=("seller",),
        first="submitted",
        transitions=(
            *_transitions(
                ("submitted", "accepted", ("other side",)),
                ("submitted", "revision-requested", ("other side",)),
            ),
            Transition(start="revision-requested", to="submitted", who=("seller",), renews=True),
        ),
    ),
    CardType(
        name="payment-request",
        description="An amount that is due; its creator marks it as paid",
        payload=PaymentRequest,
        creators=("seller",),
        first="open",
        transitions=(
            *_transitions(
                ("open", "paid", ("creator", "admin", "system")),
                ("open", "declined", ("other side",)),
                ("open", "withdrawn", ("creator",)),
            ),
            Transition(start="open", to=EXPIRED, who=("system",), at_expiry=True),
        ),
    ),
    CardType(
        name="amendment",
        description="A change of the agreement",
        payload=Amendment,
        first="proposed",
        transitions=_transitions(
            ("proposed", "accepted", ("other side",)),
            ("proposed", "declined", ("other side",)),
            ("proposed", "withdrawn", ("creator",)),
        ),
    ),
)
