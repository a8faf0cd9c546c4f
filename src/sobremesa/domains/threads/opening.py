"""Builds the services of threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from sobremesa.core.clock import Clock
from sobremesa.core.ids import Ids
from sobremesa.domains.accounts.audit import Audit
from sobremesa.domains.threads.access import Access
from sobremesa.domains.threads.card_types import CardType, CardTypes
from sobremesa.domains.threads.cards import Cards
from sobremesa.domains.threads.entities import THREADS
from sobremesa.domains.threads.inbox import Inboxes
from sobremesa.domains.threads.participants import Participants
from sobremesa.domains.threads.service import Threads
from sobremesa.domains.threads.tabs import Tabs
from sobremesa.rooms.service import Rooms
from sobremesa.table import Table
from sobremesa.work.idempotency import Idempotency


class ThreadServices(NamedTuple):
    """The services of threads."""

    threads: Threads
    participants: Participants
    rooms: Rooms
    cards: Cards
    tabs: Tabs
    inboxes: Inboxes


def open_threads(
    table: Table,
    clock: Clock,
    ids: Ids,
    *,
    audit: Audit,
    idempotency: Idempotency,
    rooms: Callable[..., Rooms],
    card_types: Iterable[CardType] = (),
) -> ThreadServices:
    """Build the services of threads over one table; `rooms` builds the room service of a kind of room."""
    inboxes = Inboxes(table)
    access = Access(table, clock, audit, inboxes)
    room_service = rooms(THREADS, access=access)
    threads = Threads(table, clock, ids, access, audit, idempotency, inboxes, room_service)
    cards = Cards(table, clock, access, room_service, CardTypes(card_types), idempotency)
    tabs = Tabs(table, clock, access, room_service)
    return ThreadServices(
        threads, Participants(table, clock, access, audit, room_service), room_service, cards, tabs, inboxes
    )
