"""The actions tab: the newest cards and their states, updated in the transaction that changes a card.

It is computed from the previous snapshot, on the condition that this is still the latest; after a lost race the caller
reads again. So it always agrees with the cards.
"""

from __future__ import annotations

from typing import Any

from sobremesa.core.clock import Instant
from sobremesa.domains.threads.card_types import EXPIRED
from sobremesa.domains.threads.entities import Card, Tab, ThreadId
from sobremesa.table import Create, Operation, Put, equals

MAX_SHOWN = 100


def actions_tab_update(before: Tab | None, thread_id: ThreadId, cards: list[Card], now: Instant) -> Operation:
    """Return the operation that updates these cards in the tab."""
    shown = [] if before is None else _entries(before.shown)
    for card in cards:
        index = next((n for n, entry in enumerate(shown) if entry.get("messageId") == card.message_id), None)
        if index is not None:
            shown[index] = _entry(card)
        elif not shown or card.message_id > shown[0].get("messageId", ""):
            shown.insert(0, _entry(card))
        # A card that is older than the last listed one stays out.
    version = 0 if before is None else before.source_version
    after = Tab(
        room_id=thread_id,
        tab="actions",
        content=shown[:MAX_SHOWN],
        source_version=version + 1,
        updated_at=now,
    )
    return Create(after) if before is None else Put(after, when=equals("source_version", version))


def _entries(content: Any) -> list[dict[str, Any]]:
    """Return the entries of the tab, without what another writer stored in another format."""
    return [entry for entry in content if isinstance(entry, dict)] if isinstance(content, list) else []


def as_of(content: Any, now: Instant) -> Any:
    """Return the content of the tab at a time: cards past `expiresAt` are shown as expired."""
    if not isinstance(content, list):
        return content
    return [_entry_as_of(entry, now) if isinstance(entry, dict) else entry for entry in content]


def _entry_as_of(entry: dict[str, Any], now: Instant) -> dict[str, Any]:
    ends = entry.get("expiresAt")
    return entry | {"state": EXPIRED} if isinstance(ends, str) and ends <= now else entry


def _entry(card: Card) -> dict[str, Any]:
    entry = {
        "messageId": card.message_id,
        "type": card.type,
        "state": card.state,
        "version": card.version,
        "createdBy": card.created_by,
        "createdAt": card.created_at,
        "updatedAt": card.updated_at,
    }
    return entry if card.expires_at is None else entry | {"expiresAt": card.expires_at}
