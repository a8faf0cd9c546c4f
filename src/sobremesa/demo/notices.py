"""Notices in two inboxes, to all users and to some."""

from __future__ import annotations

from typing import NamedTuple

from sobremesa.core.actor import DEFAULT_TENANT
from sobremesa.demo.communities import COMMUNITIES
from sobremesa.demo.seed_state import PUBLISHER, Action, SeedState
from sobremesa.domains.inboxes.entities import InboxKey
from sobremesa.domains.inboxes.publishing import Notice

HOUSE = InboxKey("house")
ORDERS = InboxKey("orders")
MESA, COOP, STUDIO = (community.name for community in COMMUNITIES)
INBOXES = (
    (HOUSE, "From the house", "What is new on Olmo Street"),
    (ORDERS, "Orders and bookings", "Boxes, tables and payments of your own"),
)


class DemoNotice(NamedTuple):
    """A notice to all users, or to those of `to`; `is_read` is for the main login."""

    when: str
    inbox: InboxKey
    category: str
    sender: str
    title: str
    body: str
    to: tuple[str, ...] = ()
    cta: str | None = None
    is_read: bool = True


NOTICES = (
    DemoNotice(
        "33 09:00", HOUSE, "welcome", "Olmo Street", "Welcome to the table", "This is where news arrive. Quiet by day."
    ),
    DemoNotice("30 12:00", HOUSE, "events", MESA, "Tasting at four", "Smoked leek, first try. Come and be honest."),
    DemoNotice("28 18:00", HOUSE, "co-op", COOP, "Assembly in a week", "Cold room, boxes, and who chairs."),
    DemoNotice("26 08:00", ORDERS, "boxes", COOP, "Your box is packed", "Leeks, squash, chard.", ("ana", "lena")),
    DemoNotice("24 15:00", ORDERS, "offers", STUDIO, "An offer is waiting", "Pictures for winter.", ("ana",)),
    DemoNotice("21 22:00", HOUSE, "co-op", COOP, "We have a cold room", "27 for, 1 against, 3 asleep."),
    DemoNotice("20 12:00", ORDERS, "offers", STUDIO, "Your contract is signed", "Both sides have.", ("ana", "noor")),
    DemoNotice("18 16:00", ORDERS, "payments", STUDIO, "Paid: 725.00 EUR", "The first half. Thank you!", ("ana",)),
    DemoNotice("16 08:00", ORDERS, "boxes", COOP, "Your box is packed", "Kale, apples, chard.", ("ana", "lena")),
    DemoNotice("13 19:00", HOUSE, "events", MESA, "The theatre comes", "Long table, very late. Expect singing."),
    DemoNotice("10 20:00", HOUSE, "co-op", COOP, "Fourteen of fourteen", "All solidarity boxes are paid for."),
    DemoNotice(
        "6 17:30",
        HOUSE,
        "events",
        "Olmo Street",
        "Harvest dinner: bring a chair and a story",
        "One long table at La Mesa Larga, for everybody who grows, packs, cooks or eats on this street.",
        cta="https://olmo-street.example/harvest-dinner",
        is_read=False,
    ),
    DemoNotice("4 08:00", ORDERS, "boxes", COOP, "Your box is packed", "Beetroot, eggs, guess.", ("ana", "lena")),
    DemoNotice(
        "3 12:30", HOUSE, "house", "Carmen", "The quarter is closed", "We owe nobody anything. Receipts can go."
    ),
    DemoNotice(
        "1 10:00",
        ORDERS,
        "payments",
        STUDIO,
        "Due: 725.00 EUR",
        "The second half, when you are happy.",
        ("ana",),
        "https://paper-lantern.example/pay",
        is_read=False,
    ),
    DemoNotice("1 18:00", HOUSE, "co-op", COOP, "Shelves are up", "And they are straight.", is_read=False),
    DemoNotice(
        "-118m",
        ORDERS,
        "offers",
        STUDIO,
        "Forty prints",
        "An offer until the end of the week.",
        ("ana",),
        is_read=False,
    ),
    DemoNotice(
        "-50m", HOUSE, "house", MESA, "A clock is coming", "At five, with Pilar. Somebody find a nail.", is_read=False
    ),
)


def actions(state: SeedState) -> list[Action]:
    """Return the actions that configure the inboxes and publish the notices."""

    async def set_up() -> None:
        inboxes = state.app.inboxes
        await inboxes.set_tenant(PUBLISHER, DEFAULT_TENANT, title="Olmo Street", ttl=None)
        for inbox, title, description in INBOXES:
            await inboxes.set_inbox(
                PUBLISHER, DEFAULT_TENANT, inbox, title=title, description=description, ttl={}, schema=None
            )

    return [state.action("35 09:00", set_up), *(_publish(state, notice) for notice in NOTICES)]


def _publish(state: SeedState, planned: DemoNotice) -> Action:
    async def publish() -> None:
        notice = Notice(
            sender=planned.sender,
            title=planned.title,
            body=planned.body,
            category=planned.category,
            cta_uri=planned.cta,
        )
        inboxes = state.app.inboxes
        if planned.to:
            user_ids = [state.users[name].user_id for name in planned.to]
            created = await inboxes.publish_to_users(PUBLISHER, DEFAULT_TENANT, planned.inbox, notice, user_ids)
        else:
            created = await inboxes.publish_to_everyone(PUBLISHER, DEFAULT_TENANT, planned.inbox, notice)
        if planned.is_read and "ana" in (planned.to or ("ana",)):
            await inboxes.mark_read(state.users["ana"], DEFAULT_TENANT, planned.inbox, created.message_id)

    return state.action(planned.when, publish)
