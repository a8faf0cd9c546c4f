"""Build the services of communities in dependency order."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sobremesa.core.clock import Clock
from sobremesa.core.ids import Ids
from sobremesa.domains.accounts.audit import Audit
from sobremesa.domains.communities.access import Access
from sobremesa.domains.communities.cleanup import Cleanup
from sobremesa.domains.communities.entities import CHANNELS
from sobremesa.domains.communities.invites import ServerInviteKind, ServerInvites
from sobremesa.domains.communities.membership import Membership
from sobremesa.domains.communities.service import Communities
from sobremesa.domains.invites import Invites
from sobremesa.rooms.files import Files
from sobremesa.rooms.service import Rooms
from sobremesa.table import Table
from sobremesa.work.idempotency import Idempotency
from sobremesa.work.jobs import Jobs
from sobremesa.work.quotas import Quotas


class Opened(NamedTuple):
    """The services of communities."""

    communities: Communities
    membership: Membership
    invites: ServerInvites
    rooms: Rooms
    cleanup: Cleanup


def open_communities(
    table: Table,
    clock: Clock,
    ids: Ids,
    *,
    audit: Audit,
    idempotency: Idempotency,
    jobs: Jobs,
    files: Files,
    rooms: Callable[..., Rooms],
) -> Opened:
    """Build the services of communities over one table; `rooms` builds the service of one kind of room."""
    access = Access(table, audit, clock)
    quotas = Quotas(table, clock)
    invites = Invites(ServerInviteKind(table, access, quotas), table, clock, audit, idempotency)
    return Opened(
        Communities(table, clock, ids, access, audit, idempotency, jobs, quotas),
        Membership(table, clock, access, audit, invites),
        invites,
        rooms(CHANNELS, access=access),
        Cleanup(table, files),
    )
