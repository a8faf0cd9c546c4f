"""How events change inboxes."""

from __future__ import annotations

from collections.abc import Callable

from sobremesa.client.models import Json
from sobremesa.client.state.data import StateData, some, without


def inbox_message(state: StateData, d: Json) -> None:
    messages = state.inbox_messages.get((d["tenant"], d["inbox"]))
    if messages is not None:
        messages[d["messageId"]] = without(d, "tenant", "inbox")


def inbox_updated(state: StateData, d: Json) -> None:
    """A message was read, archived or snoozed; the list has neither archived nor snoozed messages."""
    messages = state.inbox_messages.get((d["tenant"], d["inbox"]), {})
    if d["archivedAt"] is not None or d["snoozedUntil"] is not None:
        messages.pop(d["messageId"], None)
    elif d["messageId"] in messages:
        messages[d["messageId"]] = messages[d["messageId"]] | without(d, "tenant", "inbox")


def inbox_edited(state: StateData, d: Json) -> None:
    messages = state.inbox_messages.get((d["tenant"], d["inbox"]), {})
    if d["messageId"] in messages:
        messages[d["messageId"]] = messages[d["messageId"]] | without(d, "tenant", "inbox")


def inbox_recalled(state: StateData, d: Json) -> None:
    state.inbox_messages.get((d["tenant"], d["inbox"]), {}).pop(d["messageId"], None)


def inbox_counts(state: StateData, d: Json) -> None:
    unnamed = some(d, ("tenant", "inbox")) | {"title": None, "description": None}
    inbox = (d["tenant"], d["inbox"])
    state.inboxes[inbox] = state.inboxes.get(inbox, unnamed) | d


CHANGES: dict[str, Callable[[StateData, Json], None]] = {
    "inbox.message": inbox_message,
    "inbox.updated": inbox_updated,
    "inbox.edited": inbox_edited,
    "inbox.recalled": inbox_recalled,
    "inbox.counts": inbox_counts,
}
