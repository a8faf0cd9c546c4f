"""A card type of your own: a rental that the seller offers and the buyer accepts, picks up and returns.

    SOBREMESA_EXTENSIONS=rental_cards:extension sobremesa serve

Clients then create cards of the type `rental` like built-in ones: `POST /v1/threads/{threadId}/cards`.
"""

from typing import Annotated

import msgspec

from sobremesa import Extension
from sobremesa.domains.threads.card_types import CardType, Transition


class Rental(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """What is rented, for how many days, and at what price a day in minor units."""

    thing: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    days: Annotated[int, msgspec.Meta(ge=1, le=365)]
    price_a_day: Annotated[int, msgspec.Meta(ge=0)]


RENTAL = CardType(
    name="rental",
    description="A rental of something for some days.",
    payload=Rental,
    creators=("seller",),
    first="offered",
    transitions=(
        Transition(start="offered", to="accepted", who=("other side",)),
        Transition(start="offered", to="declined", who=("other side",)),
        Transition(start="accepted", to="returned", who=("seller",)),
    ),
)

extension = Extension(card_types=[RENTAL])
