"""Moderation cases: opened when a judge flags a message or a user reports one.

A judge's case is written in the transaction of the message, so there is one exactly when the message is flagged.
All cases of a message are in one shard; two of the same millisecond get different times. A case belongs to the
tenant of the message's author.
"""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

from sobremesa.core.actor import Tenant, UserId, stored_tenant
from sobremesa.core.clock import Clock, Instant, instant
from sobremesa.core.errors import Busy
from sobremesa.core.ids import MessageId
from sobremesa.rooms.access import Seat, UserDirectory
from sobremesa.rooms.entities import (
    CLEAN,
    MODERATION_SHARDS,
    Flags,
    Message,
    ModerationCase,
    ReportClaim,
    report_message,
)
from sobremesa.rooms.kinds import RoomKind
from sobremesa.table import Create, Operation, Table, Upsert, less, set_to
from sobremesa.table.errors import ConditionFailed

REPORT_ATTEMPTS = 20
MAX_STEP_MS = 32


class Cases:
    """Opens cases about messages in rooms of one kind."""

    def __init__(self, kind: RoomKind, table: Table, clock: Clock, users: UserDirectory) -> None:
        self._kind = kind
        self._table = table
        self._clock = clock
        self._users = users

    def operations_for(self, seat: Seat, message: Message) -> Sequence[Operation]:
        """Return the case of a message that is not clean, for the transaction that writes the message."""
        return verdict_case(self._kind, message, seat.actor.tenant)

    async def report(self, seat: Seat, message: Message, reason: str) -> None:
        """Open a case for a report. A user's second report of the same version of a message opens none."""
        user_id = seat.user_id
        # An author without a profile, such as the system, has no tenant: the case goes to the reporter's moderators.
        tenant = await self._users.find_tenant(message.author_id) or seat.actor.tenant
        version = message.edited_at or message.created_at
        claim = Upsert(
            ReportClaim.key(user_id=user_id, message_id=message.message_id),
            set_to(version=version, room_kind=self._kind.name, room_id=seat.room_id, reason=reason),
            when=less("version", version),
        )
        step = 1 + crc32(user_id.encode()) % MAX_STEP_MS
        for attempt in range(REPORT_ATTEMPTS):
            # Another user may report the same message in the same millisecond: then this case gets a later time.
            at = instant(self._clock.now_ms() + attempt * step)
            case = _case(self._kind, message, tenant, at, reason=reason, origin="report", reported_by=user_id)
            try:
                await self._table.write(case=Create(case), claim=claim, pattern=report_message)
            except ConditionFailed as failed:
                if "claim" in failed:
                    return
            else:
                return
        raise Busy


def verdict_case(kind: RoomKind, message: Message, tenant: Tenant) -> Sequence[Operation]:
    """Return the creation of the case of a message that is not clean; nothing for a clean one."""
    if message.flags is None or message.moderation == CLEAN:
        return ()
    at = message.edited_at or message.created_at
    reason, verdict = reason_of(message.flags), message.moderation
    return [Create(_case(kind, message, tenant, at, reason=reason, origin="policy", verdict=verdict))]


def _case(
    kind: RoomKind,
    message: Message,
    tenant: Tenant,
    at: Instant,
    *,
    reason: str,
    origin: str,
    reported_by: UserId | None = None,
    verdict: str | None = None,
) -> ModerationCase:
    return ModerationCase(
        shard=shard_of(message.message_id),
        created_at=at,
        message_id=message.message_id,
        room_kind=kind.name,
        room_id=message.room_id,
        author_id=message.author_id,
        tenant=stored_tenant(tenant),
        reported_by=reported_by,
        reason=reason,
        origin=origin,
        verdict=verdict,
    )


def tab_case(seat: Seat, kind: RoomKind, tab: str, flags: Flags, at: Instant) -> ModerationCase:
    """Return the case of a tab that a judge flagged; room and tab form its id."""
    case_id = MessageId(f"{seat.room_id}.{tab}")
    return ModerationCase(
        shard=shard_of(case_id),
        created_at=at,
        message_id=case_id,
        room_kind=kind.name,
        room_id=seat.room_id,
        author_id=seat.user_id,
        tenant=stored_tenant(seat.actor.tenant),
        reason=reason_of(flags),
        origin="policy",
        verdict=flags.moderation,
        tab=tab,
    )


def reason_of(flags: Flags) -> str:
    """Return the reason of a judge's case."""
    return ", ".join(flags.policy_hints) or flags.moderation


def shard_of(message_id: MessageId) -> int:
    """Return the shard of the queue that holds the cases of a message."""
    return crc32(message_id.encode()) % MODERATION_SHARDS
