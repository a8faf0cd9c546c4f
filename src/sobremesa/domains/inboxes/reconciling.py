"""Reconciling: everything is counted again, and counts that are wrong are mended.

It reads the whole table once and looks at every partition of an inbox that it meets, so it finds what was lost: a
record of the stream that never came, or rows of another writer.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import NamedTuple

from sobremesa.core.actor import Tenant
from sobremesa.domains.inboxes.entities import UserStats
from sobremesa.domains.inboxes.places import Own, Place, find_place
from sobremesa.domains.inboxes.settling import Drift, Settling
from sobremesa.domains.inboxes.standing import Standing
from sobremesa.domains.inboxes.tallies import Tally
from sobremesa.table import Table

BASE = "base"
"""What is wrong when it is the number of messages to everyone from before a person came."""


class Checked(NamedTuple):
    """A place that was counted again, and what was wrong there."""

    place: Place
    drift: Sequence[Drift]


class Reconciling:
    """Counts everything again."""

    def __init__(self, table: Table, settling: Settling, standing: Standing) -> None:
        self._table = table
        self._settling = settling
        self._standing = standing

    async def run(self, *, tenant: Tenant | None = None, dry: bool = False) -> AsyncIterator[Checked]:
        """Every place of a tenant, or of all, one after the other; a dry run only tells what is wrong."""
        layout = self._table.layout
        last: Place | None = None
        async for item in self._table.scan(consistent=True):
            place = find_place(item, layout)
            # The rows of a partition come together; one that came apart would be counted twice, which does no harm.
            if place is None or place == last or tenant not in (None, place.tenant):
                continue
            last = place
            yield Checked(place, await self._check(place, dry=dry))

    async def _check(self, place: Place, *, dry: bool) -> Sequence[Drift]:
        settled = await self._settling.recount(place, dry=dry)
        drift = list(settled.drift)
        total = settled.counts.total
        if isinstance(place, Own) and isinstance(total, UserStats) and total.floor is not None:
            true = await self._standing.base_of(place, total)
            now_is_due = total.base_until is not None and total.base_until <= (total.settled_at or 0)
            if true["base"] != total.base and not now_is_due:
                drift.append(Drift(BASE, Tally(total.base_total), Tally(true["base_total"])))
            if not dry and (true["base"], true["base_until"]) != (total.base, total.base_until):
                await self._standing.renew(place, total)
        return drift
