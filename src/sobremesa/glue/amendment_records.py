"""Records accepted amendments.

Cards and records are in different stores. The card changes its state in the table; this consumer of the change stream
creates the record, and retries until it succeeds. There is one amendment for each card, so a repetition does no harm.
"""

from __future__ import annotations

from sobremesa.core.actor import Actor
from sobremesa.core.ids import MessageId
from sobremesa.domains.attachments.entities import FileId
from sobremesa.domains.attachments.service import Attachments
from sobremesa.domains.records.opening import RecordsStore
from sobremesa.domains.threads.entities import THREADS, Card
from sobremesa.table import RawChange, Table

_STATE = Card.shape.attribute("state")
_TYPE = Card.shape.attribute("type")


class AmendmentRecords:
    """Creates a record for each amendment that is accepted in a thread."""

    def __init__(self, table: Table, archive: RecordsStore) -> None:
        self._table = table
        self._archive = archive
        self._waiting: dict[MessageId, Card] = {}

    def collect(self, change: RawChange) -> None:
        new, old = change.new, change.old
        if new is None or new.get(_TYPE) != "amendment" or new.get(_STATE) != "accepted":
            return
        if old is not None and old.get(_STATE) == "accepted":
            return
        card = self._table.as_entity(new, Card)
        if card is not None:
            self._waiting[card.message_id] = card

    async def flush(self) -> None:
        if not self._waiting:
            return
        records = self._archive.records
        for message_id, card in list(self._waiting.items()):
            await records.record_amendment(
                card.room_id,
                card_message_id=message_id,
                summary=str(card.payload.get("title", "")),
                payload=card.payload,
                accepted_by=card.moved_by or card.created_by or "",
                accepted_at=card.updated_at,
            )
            del self._waiting[message_id]


class ThreadFiles:
    """The files that records of threads keep."""

    def __init__(self, attachments: Attachments) -> None:
        self._attachments = attachments

    async def keep(self, actor: Actor, file_id: str, thread_id: str) -> str | None:
        return await self._attachments.keep(actor, FileId(file_id), room_kind=THREADS.name, room_id=thread_id)
