"""The tab of actions: the newest cards and their states, changed in the very transaction that changes a card.

It is computed from the snapshot before it, on the condition that this still is the last one; who loses that race reads
again. So at every moment it says the same as the cards.
"""

from __future__ import annotations

from typing import Any

from sobremesa.core.clock import Instant
from sobremesa.domains.threads.card_types import EXPIRED
from sobremesa.domains.threads.entities import Card, Tab, ThreadId
from sobremesa.table import Create, Operation, Put, equals

MAX_SHOWN = 100


def actions_tab_update(before: Tab | None, thread_id: ThreadId, cards: list[Card], now: Instant) -> Operation:
    """The operation that brings these cards into the tab, which was like this before."""
    shown = [] if before is None else _entries(before.shown)
    for card in cards:
        index = next((n for n, entry in enumerate(shown) if entry.get("messageId") == card.message_id), None)
        if index is not None:
            shown[index] = _entry(card)
        elif not shown or card.message_id > shown[0].get("messageId", ""):
            shown.insert(0, _entry(card))
        # What is older than the last one shown stays out.
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
    """What the tab shows; what another writer put there in a form of its own is not among it."""
    return [entry for entry in content if isinstance(entry, dict)] if isinstance(content, list) else []


def as_of(content: Any, now: Instant) -> Any:
    """What the tab shows at this moment: a card whose time is over has expired, also if nobody touched it."""
    if not isinstance(content, list):
        return content
    return [_now(entry, now) if isinstance(entry, dict) else entry for entry in content]


def _now(entry: dict[str, Any], now: Instant) -> dict[str, Any]:
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
