"""Composes the parts of inboxes."""

from __future__ import annotations

from typing import NamedTuple

from sobremesa.core.clock import Clock
from sobremesa.core.ids import Ids
from sobremesa.domains.inboxes.broadcast_floor import BroadcastFloor
from sobremesa.domains.inboxes.cleanup import Cleanup
from sobremesa.domains.inboxes.configuring import Configuring
from sobremesa.domains.inboxes.counting import Counting
from sobremesa.domains.inboxes.current_counts import CurrentCounts
from sobremesa.domains.inboxes.delivery import Delivery
from sobremesa.domains.inboxes.expiring import Expiring
from sobremesa.domains.inboxes.listing import Listing
from sobremesa.domains.inboxes.marking import Marking
from sobremesa.domains.inboxes.message_ids import MessageIds
from sobremesa.domains.inboxes.preferences import Preferences
from sobremesa.domains.inboxes.publishing import Publishing
from sobremesa.domains.inboxes.reconciling import Reconciling
from sobremesa.table import Table
from sobremesa.work.jobs import Jobs


class Inboxes(NamedTuple):
    """The parts of inboxes."""

    configuring: Configuring
    publishing: Publishing
    delivery: Delivery
    listing: Listing
    marking: Marking
    counting: Counting
    preferences: Preferences
    expiring: Expiring
    reconciling: Reconciling
    cleanup: Cleanup


def open_inboxes(table: Table, clock: Clock, ids: Ids, jobs: Jobs) -> Inboxes:
    """Open inboxes over a table."""
    current_counts = CurrentCounts(table, clock)
    floor = BroadcastFloor(table, clock, current_counts)
    configuring = Configuring(table)
    delivery = Delivery(table, clock)
    listing = Listing(table, clock, floor)
    return Inboxes(
        configuring=configuring,
        publishing=Publishing(table, clock, MessageIds(ids), configuring, delivery, jobs),
        delivery=delivery,
        listing=listing,
        marking=Marking(table, clock, floor, listing),
        counting=Counting(table, current_counts, floor),
        preferences=Preferences(table),
        expiring=Expiring(table, clock),
        reconciling=Reconciling(table, current_counts, floor),
        cleanup=Cleanup(table, clock),
    )
