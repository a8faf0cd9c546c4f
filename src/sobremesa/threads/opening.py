"""Opening threads: the parts, put together in their one order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sobremesa.accounts.audit import Audit
from sobremesa.clock import Clock
from sobremesa.idempotency import Idempotency
from sobremesa.ids import Ids
from sobremesa.rooms.door import People
from sobremesa.rooms.service import Rooms
from sobremesa.table import Table
from sobremesa.threads.access import Access
from sobremesa.threads.card_types import CardType, CardTypes
from sobremesa.threads.cards import Cards
from sobremesa.threads.entities import THREADS
from sobremesa.threads.inbox import Inboxes
from sobremesa.threads.participants import Participants
from sobremesa.threads.service import Threads
from sobremesa.threads.tabs import Tabs


class Opened(NamedTuple):
    """What threads give to the rest of the program."""

    threads: Threads
    participants: Participants
    rooms: Rooms
    cards: Cards
    tabs: Tabs


def open_threads(
    table: Table,
    clock: Clock,
    ids: Ids,
    *,
    audit: Audit,
    idempotency: Idempotency,
    people: People,
    card_types: Iterable[CardType] = (),
) -> Opened:
    """All parts of threads over one table."""
    inboxes = Inboxes(table)
    access = Access(table, clock, audit, inboxes)
    rooms = Rooms(THREADS, table, clock, ids, door=access, people=people)
    threads = Threads(table, clock, ids, access, audit, idempotency, inboxes)
    cards = Cards(table, clock, access, rooms, CardTypes(card_types), idempotency)
    return Opened(threads, Participants(table, clock, access, audit), rooms, cards, Tabs(table, clock, access))
