"""Changes that may have been published before, in an epoch whose streams are lost.

The changes of the last seconds are published again then, since some nodes may have missed them. Others have not, and
neither have their clients: they drop the later changes, which they know, and would be left with what an earlier one
showed. So each of these changes is published with its row as it is now, and left out if the row is no longer there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from sobremesa.live.events import Publication, user
from sobremesa.live.translation import Translation
from sobremesa.table import RawChange, Table

CLOCKS_DIFFER_MS: Final = 2_000
"""How much the clocks of Redis and of the table's stream may differ."""


class RepeatedChanges:
    """Finds the publications of changes, of which some may have been published before."""

    def __init__(self, table: Table, translation: Translation) -> None:
        self._table = table
        self._translation = translation

    async def publications_of(
        self, changes: Sequence[RawChange], epoch: str
    ) -> list[tuple[RawChange, list[Publication]]]:
        """Return the changes with what each publishes in an epoch."""
        until = int(epoch) + CLOCKS_DIFFER_MS
        published = [change for change in changes if self._translation.publishes(change)]
        repeated = {change.id for change in published if change.at_ms <= until}
        keys = [change.key for change in published if change.id in repeated]
        rows = await self._table.raw.get_many(keys) if keys else {}
        found: list[tuple[RawChange, list[Publication]]] = []
        for change in published:
            if change.id not in repeated:
                found.append((change, await self._translation.publications_of(change)))
                continue
            now = rows.get(change.key)
            if change.new is None and now is not None:
                ended = await self._translation.publications_of(change)
                found.append((change, [each for publication in ended for each in _to_former_members(publication)]))
            elif change.new is None or now is not None:
                shown = change._replace(new=now)
                found.append((change, await self._translation.publications_of(shown, is_repeated=True)))
        return found


def _to_former_members(publication: Publication) -> Iterator[Publication]:
    """Yield what to publish of the deletion of a row that is there again: the end of a membership, to its user alone.

    Whether a user has been informed of the later membership is known where they are connected.
    """
    event, change = publication.event, publication.audience
    users = [] if change is None else [each.user_id for each in change.removes if each.user_id is not None]
    if event is not None and users:
        topics = tuple(user(each) for each in users)
        yield msgspec.structs.replace(publication, event=msgspec.structs.replace(event, topics=topics))
