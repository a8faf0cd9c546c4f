"""The review queue: moderation cases, and the decisions about them.

A case is decided once; a second decision is refused with the first one. The decision changes the message in the same
transaction, so that every read of it applies the decision. Several cases of one message are decided one by one.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

from sobremesa.core.actor import Actor, Tenant, UserId, stored_tenant
from sobremesa.core.clock import Clock, Instant
from sobremesa.core.errors import Busy, NotFound, Refusal
from sobremesa.core.ids import MessageId, RoomId, is_ulid
from sobremesa.domains.accounts.audit import Audit
from sobremesa.domains.moderation.entities import CaseId, case_by_key, cases_in, decide_case, tenant_cases_in
from sobremesa.domains.moderation.errors import CaseClosed
from sobremesa.domains.moderation.views import CaseContext, CaseView, case_view
from sobremesa.rooms.access import UserDirectory
from sobremesa.rooms.archive import find_message
from sobremesa.rooms.editing import rewrite
from sobremesa.rooms.entities import (
    BLOCKED,
    CLEAN,
    MODERATION_SHARDS,
    Flags,
    Message,
    ModerationCase,
    forget_reports,
    reports_of,
)
from sobremesa.rooms.judging import REVIEWED
from sobremesa.rooms.kinds import RoomKind
from sobremesa.rooms.reviewing import Reviewed, ReviewedTab
from sobremesa.rooms.summaries import RoomSummary, SummarizeRooms, summaries_by_head
from sobremesa.table import (
    Condition,
    Delete,
    Operation,
    Shards,
    Table,
    Update,
    absent_or_null,
    differs,
    equals,
    set_to,
)
from sobremesa.table.errors import BadKey, ConditionFailed

SCOPE = "moderation"
"""The scope of the audit log for decisions."""
ATTEMPTS = 8

State: TypeAlias = Literal["open", "closed"]
Decision: TypeAlias = Literal["approve", "block"]


class _Ruling(NamedTuple):
    """A decision to write: the closed case, and the operations of the case and the audit log."""

    decision: Decision
    at: Instant
    case: ModerationCase
    operations: tuple[Operation, Operation]


class Review:
    """The review queue of rooms of these kinds."""

    def __init__(
        self,
        table: Table,
        clock: Clock,
        audit: Audit,
        users: UserDirectory,
        kinds: Sequence[RoomKind],
        summaries: Mapping[str, SummarizeRooms] | None = None,
        reviewed: Mapping[str, Reviewed] | None = None,
    ) -> None:
        """`summaries` are for kinds of rooms whose head does not contain the name.

        `reviewed` applies decisions to what some kinds of rooms have besides messages.
        """
        self._table = table
        self._clock = clock
        self._audit = audit
        self._users = users
        self._kinds: dict[str, RoomKind] = {kind.name: kind for kind in kinds}
        self._summaries = {kind.name: summaries_by_head(kind, table) for kind in kinds} | dict(summaries or {})
        self._reviewed = dict(reviewed or {})
        self._queue = Shards(table, MODERATION_SHARDS, cases_in, _place, _at)
        self._tenant_queue = Shards(table, MODERATION_SHARDS, tenant_cases_in, _place, _at)

    async def list_cases(
        self, actor: Actor, *, state: State = "open", limit: int, cursor: str | None = None
    ) -> tuple[list[CaseView], str | None]:
        """List the open or closed cases of the actor's tenant, newest first."""
        actor.require_scope("admin")
        tenant = stored_tenant(actor.tenant)
        if tenant is None:
            cases, next_cursor = await self._queue.newest(limit=limit, cursor=cursor, state=state)
        else:
            cases, next_cursor = await self._tenant_queue.newest(limit=limit, cursor=cursor, state=state, tenant=tenant)
        return await self._views(cases, await self._messages(cases)), next_cursor

    async def get_case(self, actor: Actor, case_id: CaseId) -> CaseView:
        """Return a case of the actor's tenant, with the current content of its message."""
        actor.require_scope("admin")
        case = await self._get(actor, case_id)
        return await self._view(case, await self._find(case))

    async def decide(self, actor: Actor, case_id: CaseId, decision: Decision, note: str | None = None) -> CaseView:
        """Close a case by approving or blocking its content; CaseClosed if it is decided already."""
        actor.require_scope("admin")
        case = await self._get(actor, case_id)
        if case.state != "open":
            raise CaseClosed(current=await self.get_case(actor, case_id))

        for _ in range(ATTEMPTS):
            message = await self._find(case)
            ruling = self._ruling(actor, case_id, case, decision, note)
            try:
                message = await self._write(ruling, message)
            except ConditionFailed:
                # Another moderator decided, or the message was edited or deleted at the same time.
                current = await self.get_case(actor, case_id)
                if current.state != "open":
                    raise CaseClosed(current=current) from None
            else:
                return await self._view(ruling.case, message)
        raise Busy

    # Deleted accounts

    async def find_objection(self, user_id: UserId) -> Refusal | None:
        """Return None: reports never prevent the deletion of an account."""
        return None

    async def delete_user_data(self, user_id: UserId) -> None:
        """Delete the report claims of a user; the cases stay."""
        keys = [claim.own_key() async for claim in self._table.every(reports_of(user_id=user_id))]
        await self._table.write_many([Delete(key) for key in keys], pattern=forget_reports)

    async def export(self, user_id: UserId) -> AsyncIterator[Any]:
        """Yield the reports of a user, with their reasons."""
        async for claim in self._table.every(reports_of(user_id=user_id)):
            yield {
                "kind": "report",
                "roomKind": claim.room_kind,
                "roomId": claim.room_id,
                "messageId": claim.message_id,
                "reason": claim.reason,
            }

    # Inside

    def _ruling(
        self, actor: Actor, case_id: CaseId, case: ModerationCase, decision: Decision, note: str | None
    ) -> _Ruling:
        at = self._clock.now()
        changes: dict[str, Any] = {
            "state": "closed",
            "tenant": case.tenant,
            "decision": decision,
            "decided_by": actor.user or str(actor.key_id),
            "decided_at": at,
            "note": note,
        }
        details = {"caseId": case_id, "messageId": case.message_id, "roomId": case.room_id}
        closing = Update(case.own_key(), set_to(**changes), when=equals("state", "open"))
        entry = self._audit.entry(SCOPE, actor, f"case.{decision}", target=case.author_id, details=details)
        return _Ruling(decision, at, msgspec.structs.replace(case, **changes), (closing, entry))

    async def _write(self, ruling: _Ruling, message: Message | None) -> Message | None:
        """Write a decision: case, audit log and message in one transaction. Return the message, if it exists."""
        if message is None or not _concerns(ruling, message):
            await self._table.write(ruling=ruling.operations, tab=await self._deciding_tab(ruling), pattern=decide_case)
            return message
        kind = self._kinds[ruling.case.room_kind]
        head = await self._table.get(kind.head_by_key(room_id=message.room_id), consistent=True)
        flags = _blocked(message.flags) if ruling.decision == "block" else None
        changes = {**kind.stored_verdict(flags, message.nsfw_band), "updated_at": ruling.at}
        after = msgspec.structs.replace(message, **changes)
        reviewed = self._reviewed.get(kind.name)
        related = () if reviewed is None else await reviewed.related_operations(message, flags)
        await rewrite(
            kind,
            self._table,
            head,
            after,
            set_to(**changes),
            [*ruling.operations, *related],
            when=differs("deleted", True) & _not_edited_since(message),
            pattern=decide_case,
        )
        return after

    async def _deciding_tab(self, ruling: _Ruling) -> Sequence[Operation]:
        """Return the operations of a decision on a tab, if the case is about one."""
        reviewed = self._reviewed.get(ruling.case.room_kind)
        if ruling.case.tab is None or reviewed is None:
            return ()
        return await reviewed.decide_tab(ruling.case, block=ruling.decision == "block")

    async def _get(self, actor: Actor, case_id: CaseId) -> ModerationCase:
        try:
            shard, created_at, message_id = urlsafe_b64decode(case_id + "=" * (-len(case_id) % 4)).decode().split("#")
            key = case_by_key(shard=int(shard), created_at=created_at, message_id=message_id)
        except (ValueError, BadKey):
            raise NotFound from None
        case = await self._table.get(key)
        if case is None:
            raise NotFound
        actor.require_tenant(case.tenant)
        return case

    async def _find(self, case: ModerationCase) -> Message | None:
        """Return the message of a case, or None if it is deleted."""
        kind = self._kinds.get(case.room_kind)
        if kind is None or case.tab is not None:
            return None
        message = await find_message(kind, self._table, case.room_id, case.message_id)
        return None if message is None or message.deleted else message

    async def _messages(self, cases: Sequence[ModerationCase]) -> list[Message | None]:
        """Return the messages of cases, in order; one request per kind of room for messages with ids of our own."""
        found: dict[tuple[str, str], Message] = {}
        for kind in self._kinds.values():
            ours = [case for case in cases if case.room_kind == kind.name and is_ulid(case.message_id)]
            keys = {case.message_id: kind.message_key(case.room_id, case.message_id) for case in ours}
            rows = await self._table.get_many(list(keys.values()), consistent=True) if keys else []
            found |= {(kind.name, row.message_id): row for row in rows if row is not None and not row.deleted}
        return [found.get((case.room_kind, case.message_id)) or await self._find(case) for case in cases]

    async def _find_tab(self, case: ModerationCase) -> ReviewedTab | None:
        reviewed = self._reviewed.get(case.room_kind)
        return None if case.tab is None or reviewed is None else await reviewed.find_tab(case)

    async def _view(self, case: ModerationCase, message: Message | None) -> CaseView:
        return (await self._views([case], [message]))[0]

    async def _views(self, cases: Sequence[ModerationCase], messages: Sequence[Message | None]) -> list[CaseView]:
        """Return cases with their users and rooms: one request for the users, and one per kind of room."""
        users = [user_id for case in cases for user_id in (case.author_id, case.reported_by) if user_id is not None]
        profiles = await self._users.profiles(users)
        rooms: dict[tuple[str, RoomId], RoomSummary] = {}
        for kind, summarize in self._summaries.items():
            room_ids = list(dict.fromkeys(case.room_id for case in cases if case.room_kind == kind))
            found = await summarize(room_ids) if room_ids else {}
            rooms |= {(kind, room_id): summary for room_id, summary in found.items()}
        return [
            case_view(
                case_id_of(case),
                case,
                CaseContext(
                    message,
                    await self._find_tab(case),
                    rooms.get((case.room_kind, case.room_id)),
                    profiles[case.author_id],
                    None if case.reported_by is None else profiles[case.reported_by],
                ),
            )
            for case, message in zip(cases, messages, strict=True)
        ]


def case_id_of(case: ModerationCase) -> CaseId:
    """Return the public id of a case, which encodes its key."""
    position = f"{case.shard}#{case.created_at}#{case.message_id}"
    return CaseId(urlsafe_b64encode(position.encode()).decode().rstrip("="))


def _concerns(ruling: _Ruling, message: Message) -> bool:
    """Return whether the decision changes the message.

    An approval covers the text at the time of the case: a later edit that was flagged has its own case.
    """
    if ruling.decision == "block":
        return True
    is_later = message.edited_at is not None and message.edited_at > ruling.case.created_at
    return message.moderation != CLEAN and not is_later


def _not_edited_since(message: Message) -> Condition:
    """Return the condition that the message was not edited since it was read."""
    return absent_or_null("edited_at") if message.edited_at is None else equals("edited_at", message.edited_at)


def _blocked(before: Flags | None) -> Flags:
    hints = [hint for hint in (before.policy_hints if before is not None else []) if hint != REVIEWED]
    return Flags(moderation=BLOCKED, policy_hints=[*hints, REVIEWED])


def _place(case: ModerationCase) -> tuple[str, str]:
    return case.created_at, case.message_id


def _at(
    created_at: Instant, message_id: MessageId, *, shard: int, state: str, tenant: Tenant | None = None
) -> ModerationCase:
    return ModerationCase(
        shard=shard,
        created_at=created_at,
        message_id=message_id,
        room_kind="",
        room_id=RoomId(""),
        author_id=UserId(""),
        tenant=tenant,
        reason="",
        state=state,
    )
