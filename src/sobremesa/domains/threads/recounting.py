"""Recounts threads: compares a thread's cached list of participants with their own rows."""

from __future__ import annotations

from functools import partial

from sobremesa.domains.threads.copies import participants_unchanged
from sobremesa.domains.threads.entities import THREADS, Thread, move_inboxes, participants_in, thread_by_id
from sobremesa.rooms.recounting import check_head
from sobremesa.table import Table, Update, present, set_to
from sobremesa.work.recounts import Drift, Found


async def check(table: Table, row: Thread) -> Found | None:
    """Compare a thread's list of participants with their own rows."""
    thread = await table.get(thread_by_id(room_id=row.room_id))
    inside = [participant.user_id async for participant in table.every(participants_in(room_id=row.room_id))]
    if thread is None or set(thread.participants) == set(inside):
        return await check_head(THREADS, table, row)
    listed = Update(thread.own_key(), set_to(participants=inside), when=present() & participants_unchanged(thread))
    drift = [Drift("participants", sorted(thread.participants), sorted(inside))]
    return Found(drift, partial(table.write, listed, token=None, pattern=move_inboxes))
