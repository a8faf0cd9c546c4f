"""Creates the services of conversations, in dependency order."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sobremesa.core.clock import Clock
from sobremesa.core.ids import Ids
from sobremesa.domains.accounts.audit import Audit
from sobremesa.domains.conversations.access import Access
from sobremesa.domains.conversations.activity import Activity
from sobremesa.domains.conversations.cleanup import Cleanup
from sobremesa.domains.conversations.entities import CONVERSATIONS
from sobremesa.domains.conversations.inbox import Inbox
from sobremesa.domains.conversations.seats import Seats
from sobremesa.domains.conversations.service import Conversations
from sobremesa.rooms.files import Files
from sobremesa.rooms.service import Rooms
from sobremesa.table import Table
from sobremesa.work.idempotency import Idempotency
from sobremesa.work.jobs import Jobs
from sobremesa.work.table_origin import Origin


class Opened(NamedTuple):
    """The services of conversations."""

    conversations: Conversations
    seats: Seats
    inbox: Inbox
    rooms: Rooms
    activity: Activity
    cleanup: Cleanup


def open_conversations(
    table: Table,
    clock: Clock,
    ids: Ids,
    *,
    audit: Audit,
    idempotency: Idempotency,
    jobs: Jobs,
    files: Files,
    rooms: Callable[..., Rooms],
    origin: Origin,
) -> Opened:
    """Return the services of conversations over one table; `rooms` creates the service of a kind of room."""
    access = Access(table, audit)
    seats = Seats(table, clock, access, audit, jobs)
    return Opened(
        Conversations(table, clock, ids, access, idempotency, origin),
        seats,
        Inbox(table, access, origin),
        rooms(CONVERSATIONS, access=access),
        Activity(table),
        Cleanup(table, seats, files),
    )
