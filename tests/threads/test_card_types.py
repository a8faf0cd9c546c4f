"""Card types: transitions stay within the declared states, and final states stay final."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sobremesa.core.actor import UserId
from sobremesa.core.clock import instant
from sobremesa.core.errors import Invalid
from sobremesa.core.ids import MessageId, RoomId
from sobremesa.domains.threads.card_types import (
    BUILT_IN,
    EXPIRED,
    BadCardType,
    CardType,
    CardTypes,
    Payload,
    Transition,
    as_of,
    relations_to,
)
from sobremesa.domains.threads.entities import Card, RoleContext
from sobremesa.domains.threads.moments import Moment

NOW = instant(1_763_000_000_000)
STATES = sorted({state for kind in BUILT_IN for state in kind.states} | {"nowhere", ""})
ROLES: tuple[RoleContext | None, ...] = ("buyer", "seller", "admin", None)


def card_of(kind: CardType, role: RoleContext, ends: str | None = None) -> Card:
    return Card(
        room_id=RoomId("t"),
        message_id=MessageId("m"),
        type=kind.name,
        state=kind.first,
        created_by=UserId("creator"),
        created_as=role,
        expires_at=ends,  # type: ignore[arg-type]
    )


@given(
    kind=st.sampled_from(BUILT_IN),
    side=st.sampled_from(("buyer", "seller")),
    moves=st.lists(
        st.tuples(
            st.sampled_from(STATES), st.sampled_from(ROLES), st.booleans(), st.sampled_from([None, "counter-offer"])
        ),
        max_size=12,
    ),
)
def test_no_sequence_leaves_the_declared_states(kind: CardType, side: RoleContext, moves: list[Any]) -> None:
    """Whatever is attempted, a card is in a state of its type, and a final state has no transitions."""
    card = card_of(kind, side)
    for to, role, is_creator, through in moves:
        who = "creator" if is_creator else "another"
        way = kind.find(card.state, to, through=through)
        was_finished = kind.is_finished(card.state)
        if way is None or not relations_to(card, UserId(who), role).intersection(way.who):
            continue
        assert not was_finished
        assert (way.start, way.to) == (card.state, to)
        card = msgspec.structs.replace(card, state=way.to, version=card.version + 1)
        assert card.state in kind.states
        assert card.state != EXPIRED, "only time leads there"


@given(kind=st.sampled_from(BUILT_IN), state=st.sampled_from(STATES), to=st.sampled_from(STATES))
def test_final_state_stays_final(kind: CardType, state: str, to: str) -> None:
    if kind.is_finished(state):
        assert kind.find(state, to) is None
        assert kind.answered(state, by="counter-offer") is None
        assert not kind.expires_in(state)


@given(kind=st.sampled_from(BUILT_IN), offset=st.integers(min_value=-10, max_value=10))
def test_card_is_expired_from_its_expiry_time_on(kind: CardType, offset: int) -> None:
    card = card_of(kind, "seller", instant(1_763_000_000_000 + offset))

    assert (as_of(card, NOW).state == EXPIRED) == (offset <= 0)
    assert as_of(card_of(kind, "seller"), NOW).state == kind.first


def test_offer_has_the_documented_transitions() -> None:
    offer = CardTypes().get("offer")
    allowed = {(each.start, each.to): each.who for each in offer.transitions}

    assert offer.creators == ("buyer", "seller")
    assert allowed == {
        ("open", "accepted"): ("other side",),
        ("open", "declined"): ("other side",),
        ("open", "withdrawn"): ("creator",),
        ("open", "countered"): ("other side",),
        ("open", "expired"): ("system",),
    }
    assert {state for state in offer.states if not offer.is_finished(state)} == {"open"}


@pytest.mark.parametrize("kind", BUILT_IN, ids=lambda kind: kind.name)
def test_every_type_has_a_final_state_and_a_description(kind: CardType) -> None:
    assert kind.description
    assert any(kind.is_finished(state) for state in kind.states)
    for way in kind.transitions:
        assert way.who
    with pytest.raises(Invalid):
        kind.read({"nothing": "of this"}, NOW)


class Empty(Payload):
    """Nothing."""


class Ending(Payload):
    """A payload that can expire."""

    expires_at: Moment | None = None


GOOD = CardType(
    name="good", description="x", payload=Empty, first="a", transitions=(Transition(start="a", to="b", who=("buyer",)),)
)


def changed(**changes: Any) -> CardType:
    return msgspec.structs.replace(GOOD, **changes)


BAD = {
    "a name with capitals": changed(name="Good"),
    "a name that is taken": changed(name="offer"),
    "a state that nothing leads to": changed(first="c"),
    "a state without a name": changed(first=""),
    "the same transition twice": changed(transitions=GOOD.transitions * 2),
    "an expiry without a time": changed(
        transitions=(Transition(start="a", to="expired", who=("system",), at_expiry=True),)
    ),
    "an expiry to another state": changed(
        payload=Ending, transitions=(Transition(start="a", to="over", who=("system",), at_expiry=True),)
    ),
    "an answer that names no card": changed(answers=("offer",)),
}


@pytest.mark.parametrize("why", BAD)
def test_invalid_card_type_is_refused(why: str) -> None:
    with pytest.raises(BadCardType):
        CardTypes([BAD[why]])
    CardTypes([GOOD])
