"""Return the routes of cards and tabs."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from sobremesa.core.actor import Actor
from sobremesa.core.errors import ChangedMeanwhile, StaleVersion, TooBig
from sobremesa.core.ids import MessageId
from sobremesa.domains.threads.entities import TabName, ThreadId
from sobremesa.domains.threads.errors import (
    Blocked,
    CardChanged,
    CardFinished,
    NoSuchTransition,
    NotInFuture,
    SystemTab,
    ThreadNotOpen,
    UnknownCardType,
)
from sobremesa.domains.threads.service import Threads
from sobremesa.domains.threads.tabs import MAX_CONTENT_BYTES
from sobremesa.domains.threads.views import CardView, PanelView, TabView, card_view, tab_view
from sobremesa.http.endpoints import IdempotencyKey, Input, Listed, PageQuery, Routes
from sobremesa.work.idempotency import KeyReused

TAB_BODY_BYTES = 2 * MAX_CONTENT_BYTES
"""The size limit of a request body, which may have escapes and white space that are not stored."""

TRANSITION_ERRORS = (Blocked, CardFinished, NoSuchTransition, NotInFuture, ThreadNotOpen, TooBig, UnknownCardType)

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
Version = Annotated[int, msgspec.Meta(ge=1, le=2**53)]
CardPayload = Annotated[
    dict[str, Any],
    msgspec.Meta(
        description="The payload of this card type; the documentation lists the types.",
        examples=[{"amount": 25_000, "currency": "EUR", "note": "Two days, prints included"}],
    ),
]
TransitionPayload = Annotated[
    dict[str, Any],
    msgspec.Meta(description="A `note`, or the new payload of the card.", examples=[{"note": "With pleasure"}]),
]
Content = Annotated[
    dict[str, Any] | list[Any],
    msgspec.Meta(description="Any object or list, up to 256 KB.", examples=[{"shots": [{"title": "The kitchen"}]}]),
]


class NewCard(Input):
    """A card to create."""

    type: Annotated[Name, msgspec.Meta(examples=["offer"])]
    payload: CardPayload


class NewTransition(Input):
    """The state to move a card to, and the version that you saw."""

    to: Annotated[Name, msgspec.Meta(examples=["accepted"])]
    version: Version
    payload: TransitionPayload | None = None


class NewTab(Input):
    """The new content of a tab; `sourceVersion` must be greater than the current one."""

    content: Content
    source_version: Version


def routes(threads: Threads) -> Routes:
    """Return the routes of cards and tabs."""
    cards, tabs = threads.cards, threads.tabs
    api = Routes("Threads")
    card = "/threads/{thread_id}/cards/{message_id}"
    tab_path = "/threads/{thread_id}/tabs/{tab}"

    @api.post(
        "/threads/{thread_id}/cards",
        status=201,
        errors=[*TRANSITION_ERRORS, KeyReused],
        limit="send",
    )
    async def create_card(
        actor: Actor, thread_id: ThreadId, body: NewCard, idempotency_key: IdempotencyKey | None
    ) -> CardView:
        """Create an offer, a booking or another card, which is also a message of the thread."""
        created = await cards.create(actor, thread_id, type=body.type, payload=body.payload, key=idempotency_key)
        return card_view(created, cards.now())

    @api.get("/threads/{thread_id}/cards")
    async def list_cards(actor: Actor, thread_id: ThreadId, query: PageQuery) -> Listed[CardView]:
        """List the cards of a thread, newest first."""
        found, cursor = await cards.list_cards(actor, thread_id, limit=query.limit, cursor=query.cursor)
        now = cards.now()
        return Listed([card_view(one, now) for one in found], cursor)

    @api.get(card)
    async def get_card(actor: Actor, thread_id: ThreadId, message_id: MessageId) -> CardView:
        """Return a card."""
        return card_view(await cards.get(actor, thread_id, message_id), cards.now())

    @api.post(
        f"{card}/transitions",
        errors=[*TRANSITION_ERRORS, CardChanged],
        limit="send",
    )
    async def move_card(actor: Actor, thread_id: ThreadId, message_id: MessageId, body: NewTransition) -> CardView:
        """Move a card to another state: accept, decline, withdraw and so on.

        If the card has another version or is in a final state, the response is 409, with the card as `current`.
        """
        moved = await cards.move(actor, thread_id, message_id, to=body.to, version=body.version, payload=body.payload)
        return card_view(moved, cards.now())

    @api.get("/threads/{thread_id}/panel")
    async def open_panel(actor: Actor, thread_id: ThreadId) -> PanelView:
        """Return all tabs of the project panel."""
        return PanelView(thread_id, [tab_view(tab) for tab in await tabs.open_panel(actor, thread_id)])

    @api.get(tab_path)
    async def get_tab(actor: Actor, thread_id: ThreadId, tab: TabName) -> TabView:
        """Return a tab."""
        return tab_view(await tabs.get(actor, thread_id, tab))

    @api.put(
        tab_path,
        errors=[Blocked, ChangedMeanwhile, StaleVersion, SystemTab, ThreadNotOpen, TooBig],
        max_body=TAB_BODY_BYTES,
    )
    async def put_tab(actor: Actor, thread_id: ThreadId, tab: TabName, body: NewTab) -> TabView:
        """Replace the content of a tab. Only the system writes the tabs docs, expenses and actions."""
        shown = await tabs.put(actor, thread_id, tab, body.content, source_version=body.source_version)
        return tab_view(shown)

    return api
