"""Cases, as moderators see them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

from msgspec import Meta

from sobremesa.core.actor import PublicProfile, UserId
from sobremesa.core.clock import Instant
from sobremesa.core.ids import MessageId, RoomId
from sobremesa.domains.moderation.entities import CaseId
from sobremesa.http.endpoints import Output
from sobremesa.rooms.entities import Message, ModerationCase
from sobremesa.rooms.rendering import flags_view, shown_files
from sobremesa.rooms.reviewing import ReviewedTab
from sobremesa.rooms.summaries import RoomSummary
from sobremesa.rooms.views import FlagsView, MessageFile

Subject: TypeAlias = Literal["message", "card", "tab"]


class ReviewedMessage(Output):
    """The current content of a case's message; `action` is the card, or its transition, with the payload."""

    content: str
    username: str
    display_name: str | None
    attachments: list[MessageFile]
    action: dict[str, Any] | None
    flags: FlagsView | None
    nsfw_band: int | None
    created_at: Instant
    edited_at: Instant | None


class UserSummary(Output):
    """The public profile of a user of a case."""

    user_id: UserId
    username: str
    display_name: str | None
    avatar_url: str | None


class CaseView(Output):
    """A case of the review queue.

    `origin` is `policy` or `report`, and `verdict` is the judge's (null for a report). `state` is `open` or `closed`.
    `message` and `room` are null if they were deleted; a case about a tab has a `tab` and no message.
    """

    case_id: CaseId
    subject: Subject
    message_id: MessageId | None
    room_kind: Annotated[str, Meta(examples=["channel"])]
    room_id: RoomId
    room: RoomSummary | None
    author_id: UserId
    author: UserSummary
    reported_by: UserId | None
    reporter: UserSummary | None
    reason: str
    origin: Annotated[str, Meta(examples=["report"])]
    verdict: Annotated[str, Meta(examples=["flagged"])] | None
    state: Annotated[str, Meta(examples=["closed"])]
    created_at: Instant
    decision: Annotated[str, Meta(examples=["block"])] | None
    decided_by: str | None
    decided_at: Instant | None
    note: Annotated[str, Meta(examples=["An advertisement, the third this week."])] | None
    message: ReviewedMessage | None
    tab: ReviewedTab | None


class CaseContext(NamedTuple):
    """The content, users and room of a case."""

    message: Message | None
    tab: ReviewedTab | None
    room: RoomSummary | None
    author: PublicProfile
    reporter: PublicProfile | None


def case_view(case_id: CaseId, case: ModerationCase, context: CaseContext) -> CaseView:
    message = context.message
    return CaseView(
        case_id,
        _subject(case, message),
        case.message_id if case.tab is None else None,
        case.room_kind,
        case.room_id,
        context.room,
        case.author_id,
        _user(context.author),
        case.reported_by,
        None if context.reporter is None else _user(context.reporter),
        case.reason,
        case.origin,
        case.verdict,
        case.state,
        case.created_at,
        case.decision,
        case.decided_by,
        case.decided_at,
        case.note,
        None if message is None else _reviewed(message),
        context.tab,
    )


def _subject(case: ModerationCase, message: Message | None) -> Subject:
    if case.tab is not None:
        return "tab"
    return "message" if message is None or message.acted is None else "card"


def _user(profile: PublicProfile) -> UserSummary:
    return UserSummary(profile.user_id, profile.username, profile.display_name, profile.avatar_url)


def _reviewed(message: Message) -> ReviewedMessage:
    return ReviewedMessage(
        message.content,
        message.username,
        message.display_name,
        shown_files(message),
        message.acted,
        flags_view(message.flags),
        message.nsfw_band or None,
        message.created_at,
        message.edited_at,
    )
