"""Announcing: every event that there is, and from which changes of rows each comes."""

from __future__ import annotations

from sobremesa.accounts import events as accounts
from sobremesa.clock import Clock
from sobremesa.communities import events as communities
from sobremesa.conversations import events as conversations
from sobremesa.inboxes import events as inboxes
from sobremesa.live.events import EventTypes
from sobremesa.live.translation import Translation
from sobremesa.rooms import events as rooms
from sobremesa.rooms.door import People
from sobremesa.table import Table
from sobremesa.threads import events as threads
from sobremesa.workspaces import events as workspaces

FROM_ROWS = (rooms, communities, conversations, threads, inboxes, workspaces, accounts)
"""The modules whose events come from changes of rows."""

# The gateway's own events (ready, resumed, typing, presence) come from no rows: their module belongs after these.
EVENTS = EventTypes.of(*FROM_ROWS)
"""Every event: the docs and the tests are loops over it."""


def translation_of(table: Table, clock: Clock, people: People) -> Translation:
    """What the changes of all kinds of rows mean."""
    return Translation(
        table,
        [
            communities.CommunityEvents(table, people),
            conversations.ConversationEvents(table, people),
            threads.ThreadEvents(table, clock, people),
            inboxes.InboxEvents(),
            workspaces.WorkspaceEvents(table, people),
            accounts.AccountEvents(),
        ],
    )
