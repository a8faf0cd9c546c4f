"""What events change in inboxes of notifications."""

from __future__ import annotations

from collections.abc import Callable

from sobremesa.client.shapes import Json
from sobremesa.client.state.known import Known, some, without


def inbox_message(known: Known, d: Json) -> None:
    messages = known.inbox_messages.get((d["tenant"], d["inbox"]))
    if messages is not None:
        messages[d["messageId"]] = without(d, "tenant", "inbox")


def inbox_updated(known: Known, d: Json) -> None:
    """It was read, or put away: what is archived or snoozed is not in the list."""
    messages = known.inbox_messages.get((d["tenant"], d["inbox"]), {})
    if d["archivedat"] is not None or d["snoozeduntil"] is not None:
        messages.pop(d["messageId"], None)
    elif d["messageId"] in messages:
        messages[d["messageId"]] = messages[d["messageId"]] | {"readat": d["readat"]}


def inbox_counts(known: Known, d: Json) -> None:
    unnamed = some(d, ("tenant", "inbox")) | {"title": None, "description": None}
    inbox = (d["tenant"], d["inbox"])
    known.inboxes[inbox] = known.inboxes.get(inbox, unnamed) | d


CHANGES: dict[str, Callable[[Known, Json], None]] = {
    "inbox.message": inbox_message,
    "inbox.updated": inbox_updated,
    "inbox.counts": inbox_counts,
}
