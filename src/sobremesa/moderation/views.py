"""Cases, as moderators see them."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from sobremesa.clock import Instant
from sobremesa.http.endpoints import Output
from sobremesa.ids import MessageId, RoomId
from sobremesa.moderation.entities import CaseId
from sobremesa.people import UserId
from sobremesa.rooms.entities import Message, ModerationCase
from sobremesa.rooms.views import FlagsView


class AccusedView(Output):
    """What the message of a case says now."""

    content: str
    username: str
    attachments: list[dict[str, Any]]
    flags: FlagsView | None
    nsfw_band: int | None
    created_at: Instant
    edited_at: Instant | None


class CaseView(Output):
    """Something to look at: `origin` is policy or report, `state` open or closed; no `message` if it is gone."""

    case_id: CaseId
    message_id: MessageId
    room_kind: Annotated[str, Meta(examples=["channel"])]
    room_id: RoomId
    author_id: UserId
    reported_by: UserId | None
    reason: str
    origin: Annotated[str, Meta(examples=["report"])]
    state: Annotated[str, Meta(examples=["closed"])]
    created_at: Instant
    decision: Annotated[str, Meta(examples=["block"])] | None
    decided_by: str | None
    decided_at: Instant | None
    note: Annotated[str, Meta(examples=["An advertisement, the third this week."])] | None
    message: AccusedView | None


def case_view(case_id: CaseId, case: ModerationCase, message: Message | None) -> CaseView:
    return CaseView(
        case_id,
        case.message_id,
        case.room_kind,
        case.room_id,
        case.author_id,
        case.reported_by,
        case.reason,
        case.origin,
        case.state,
        case.created_at,
        case.decision,
        case.decided_by,
        case.decided_at,
        case.note,
        None if message is None else _accused(message),
    )


def _accused(message: Message) -> AccusedView:
    flags = message.flags
    return AccusedView(
        message.content,
        message.username,
        message.attachments or [],
        None if flags is None else FlagsView(flags.moderation, flags.policy_hints),
        message.nsfw_band,
        message.created_at,
        message.edited_at,
    )
