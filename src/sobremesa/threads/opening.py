"""Opening threads: the parts, put together in their one order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from sobremesa.accounts.audit import Audit
from sobremesa.clock import Clock
from sobremesa.idempotency import Idempotency
from sobremesa.ids import Ids
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
) -> Opened:
    """All parts of threads over one table; `rooms` makes the verbs of a kind of room behind a door."""
    inboxes = Inboxes(table)
    access = Access(table, clock, audit, inboxes)
    talk = rooms(THREADS, door=access)
    threads = Threads(table, clock, ids, access, audit, idempotency, inboxes, talk)
    cards = Cards(table, clock, access, talk, CardTypes(card_types), idempotency)
    tabs = Tabs(table, clock, access, talk)
    return Opened(threads, Participants(table, clock, access, audit, talk), talk, cards, tabs, inboxes)
