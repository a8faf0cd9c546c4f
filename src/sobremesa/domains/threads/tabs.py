"""The tabs of the project panel, stored as snapshots that open fast.

The content of a tab comes from another source, and has the version of that source: only a newer snapshot replaces it.
Participants write four of the tabs; the system writes the other three, from the records and the cards.
"""

from __future__ import annotations

from typing import Any, TypeAlias, get_args

import msgspec

from sobremesa.core.actor import Actor
from sobremesa.core.clock import Clock
from sobremesa.core.errors import ChangedMeanwhile, NotFound, StaleVersion, TooBig
from sobremesa.core.ids import RoomId
from sobremesa.domains.threads import actions
from sobremesa.domains.threads.access import IS_OPEN, Access, ThreadSeat, not_blocked
from sobremesa.domains.threads.entities import (
    THREADS,
    Tab,
    TabName,
    ThreadId,
    panel_of,
    participant_of,
    tab_by_name,
    thread_by_id,
    write_tab,
)
from sobremesa.domains.threads.errors import SystemTab
from sobremesa.rooms.cases import tab_case
from sobremesa.rooms.entities import BLOCKED
from sobremesa.rooms.judging import keep_blocked
from sobremesa.rooms.service import Rooms
from sobremesa.rooms.visibility import may_see
from sobremesa.table import (
    Check,
    Condition,
    Create,
    Put,
    Table,
    differs,
    equals,
    less_if_present,
    present,
)
from sobremesa.table.errors import ConditionFailed

MAX_CONTENT_BYTES = 256 * 1024
TABS: tuple[TabName, ...] = get_args(TabName)
SYSTEM_TABS: frozenset[TabName] = frozenset({"docs", "expenses", "actions"})

_MODERATION = ("flags", "moderation")

Content: TypeAlias = dict[str, Any] | list[Any]


class Tabs:
    """The tabs of threads."""

    def __init__(self, table: Table, clock: Clock, access: Access, rooms: Rooms) -> None:
        self._table = table
        self._clock = clock
        self._access = access
        self._rooms = rooms

    async def get(self, actor: Actor, thread_id: ThreadId, tab: TabName) -> Tab:
        """Return a tab; one that was never written is empty, at version 0."""
        seat = await self._access.authorize(actor, thread_id)
        found = await self._table.get(tab_by_name(room_id=thread_id, tab=tab))
        return Tab(room_id=thread_id, tab=tab) if found is None else self._as_seen_by(seat, found)

    async def open_panel(self, actor: Actor, thread_id: ThreadId) -> list[Tab]:
        """Return all tabs with content, in their order."""
        seat = await self._access.authorize(actor, thread_id)
        found = [self._as_seen_by(seat, tab) async for tab in self._table.every(panel_of(room_id=thread_id))]
        return sorted(found, key=lambda tab: TABS.index(tab.tab))

    async def put(
        self, actor: Actor, thread_id: ThreadId, tab: TabName, content: Content, *, source_version: int
    ) -> Tab:
        """Replace the content of a tab with a newer version."""
        if tab in SYSTEM_TABS:
            await self._access.authorize(actor, thread_id)
            raise SystemTab
        seat = await self._access.authorize(actor, thread_id)
        seat.require("send")
        if seat.participant is None:
            raise NotFound
        text = _as_text(content)
        verdict = await self._rooms.judge(seat, content, size=len(text))

        snapshot = Tab(
            room_id=thread_id,
            tab=tab,
            content=text,
            source_version=source_version,
            updated_at=self._clock.now(),
            updated_by=actor.user_id,
            flags=verdict.flags,
            nsfw_band=verdict.band,
        )
        try:
            await self._write(seat, snapshot, when=differs(_MODERATION, BLOCKED))
        except ConditionFailed as failed:
            if not await self._is_blocked(snapshot):
                raise await self._refusal(actor, thread_id, tab, failed) from None
            # A blocked tab stays blocked, whatever replaces its content, until a moderator approves it.
            flags = keep_blocked(BLOCKED, verdict).flags
            snapshot = msgspec.structs.replace(snapshot, flags=flags)
            try:
                await self._write(seat, snapshot, when=equals(_MODERATION, BLOCKED))
            except ConditionFailed as again:
                raise await self._refusal(actor, thread_id, tab, again) from None

        return msgspec.structs.replace(snapshot, content=content)

    async def _write(self, seat: ThreadSeat, snapshot: Tab, *, when: Condition) -> None:
        """Write a tab of a participant, with a moderation case if the judge flagged it."""
        now = snapshot.updated_at or self._clock.now()
        flags = snapshot.flags
        await self._table.write(
            tab=Put(snapshot, when=when & less_if_present("source_version", snapshot.source_version)),
            thread=Check(seat.thread.own_key(), when=present() & IS_OPEN),
            participant=Check(
                participant_of(room_id=seat.room_id, user_id=seat.user_id), when=present() & not_blocked(now)
            ),
            block=self._access.not_blocked_by_other_party(seat),
            case=None if flags is None else Create(tab_case(seat, THREADS, snapshot.tab, flags, now)),
            pattern=write_tab,
        )

    async def _is_blocked(self, snapshot: Tab) -> bool:
        """Return whether the tab that this replaces is blocked, and older."""
        before = await self._table.get(snapshot.own_key(), consistent=True)
        return before is not None and before.moderation == BLOCKED and before.source_version < snapshot.source_version

    async def put_snapshot(self, thread_id: str, tab: TabName, content: Any, source_version: int) -> bool:
        """Replace the content of a tab as the system, also in a closed thread.

        False if the tab has a snapshot that is as new or newer, or the thread does not exist.
        """
        text = _as_text(content)
        snapshot = Tab(
            room_id=RoomId(thread_id),
            tab=tab,
            content=text,
            source_version=source_version,
            updated_at=self._clock.now(),
        )
        try:
            await self._table.write(
                tab=Put(snapshot, when=less_if_present("source_version", source_version)),
                thread=Check(thread_by_id(room_id=thread_id), when=present()),
                pattern=write_tab,
            )
        except ConditionFailed:
            return False
        return True

    async def _refusal(self, actor: Actor, thread_id: ThreadId, tab: TabName, failed: ConditionFailed) -> Exception:
        if "tab" in failed:
            current = await self.get(actor, thread_id, tab)
            return StaleVersion(
                current={"tab": tab, "sourceVersion": current.source_version, "updatedAt": current.updated_at}
            )
        (await self._access.authorize_action(actor, thread_id)).require("send")
        return ChangedMeanwhile()

    def _as_seen_by(self, seat: ThreadSeat, tab: Tab) -> Tab:
        if not may_see(seat, tab):
            return withheld(tab)
        content = actions.as_of(tab.shown, self._clock.now()) if tab.tab == "actions" else tab.shown
        return msgspec.structs.replace(tab, content=content)


def withheld(tab: Tab) -> Tab:
    """Return the tab without its content and the reasons of its verdict."""
    flags = None if tab.flags is None else msgspec.structs.replace(tab.flags, policy_hints=[])
    return msgspec.structs.replace(tab, content=None, flags=flags)


def _as_text(content: Content) -> str:
    """Return the content as it is stored; TooBig if it exceeds the limit."""
    text = msgspec.json.encode(content)
    if len(text) > MAX_CONTENT_BYTES:
        raise TooBig(f"A tab may have at most {MAX_CONTENT_BYTES} bytes of JSON.", limit=MAX_CONTENT_BYTES)
    return text.decode()
