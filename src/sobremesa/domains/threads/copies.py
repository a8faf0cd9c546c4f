"""Copies of threads in the rows of their participants, which a list of threads reads instead of the heads.

Each message writes them, on the condition that what it copies has not changed. What changes a thread without a message,
by this program or another, leaves copies that the consumer of the change stream removes (`inbox.py`).
"""

from __future__ import annotations

from typing import Any

import msgspec

from sobremesa.core.ids import MessageId
from sobremesa.domains.threads.entities import Participant, Thread, ThreadCopy
from sobremesa.table import Condition, absent_or_null, equals

MAX_COPY_BYTES = 512
"""With a copy of that size, a participant's row is still one write unit."""

COPIED = tuple(name for name in ThreadCopy.__struct_fields__ if name != "last_message_id")
"""The fields of a thread that a copy has; each message updates the other one."""


def copy_of(thread: Thread, last: MessageId | None) -> ThreadCopy | None:
    """Return a thread as of its last message; None if it is too big to be copied, or misses what every thread has."""
    fields: dict[str, Any] = {name: getattr(thread, name) for name in COPIED}
    if not thread.participants:
        return None
    if thread.participants == [thread.buyer_user_id, thread.seller_user_id]:
        fields["participants"] = None
    copy = ThreadCopy(**fields, last_message_id=last)
    return copy if len(msgspec.json.encode(copy)) <= MAX_COPY_BYTES else None


def copied_thread(row: Participant) -> Thread | None:
    """Return the thread as of its last message; None if only its head shows it, as after one of another writer."""
    copy = row.thread
    if copy is None or copy.at != row.last_message_at:
        return None
    fields = {name: getattr(copy, name) for name in COPIED}
    if copy.participants is None:
        fields["participants"] = [copy.buyer_user_id, copy.seller_user_id]
    sent_at = None if copy.last_message_id is None else copy.at
    return Thread(
        room_id=row.room_id, **fields, last_message_id=copy.last_message_id, last_message_at=sent_at, updated_at=copy.at
    )


def copied_unchanged(thread: Thread) -> Condition:
    """Return the condition that a head has what a copy of it has; its status is a condition of every message."""
    same = participants_unchanged(thread)
    return same & (absent_or_null("data") if thread.data is None else equals("data", thread.data))


def participants_unchanged(thread: Thread) -> Condition:
    """Return the condition that the thread's own list of participants has not changed."""
    same = equals("participants", thread.participants)
    return same if thread.participants else same | absent_or_null("participants")
