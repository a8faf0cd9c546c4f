"""Threads and what belongs to them, as clients see them."""

from __future__ import annotations

from typing import Any

from sobremesa.core.actor import Actor, PublicProfile, UserId
from sobremesa.core.clock import Instant
from sobremesa.core.ids import MessageId
from sobremesa.domains.threads.card_types import as_of
from sobremesa.domains.threads.entities import (
    Card,
    LbgId,
    LegId,
    ListingId,
    Participant,
    RoleContext,
    Status,
    Tab,
    TabName,
    Thread,
    ThreadId,
    ThreadKind,
)
from sobremesa.http.endpoints import Output
from sobremesa.rooms.rendering import flags_view
from sobremesa.rooms.views import FlagsView, UnreadView


class LiveThread(Output):
    """A thread as all of its participants see it."""

    thread_id: ThreadId
    kind: ThreadKind
    status: Status
    locked_by: UserId | None
    buyer_user_id: UserId
    seller_user_id: UserId
    participants: list[UserId]
    listing_id: ListingId | None
    lbg_id: LbgId | None
    leg_id: LegId | None
    city: str | None
    safe_mode_required: bool
    last_message_id: MessageId | None
    last_message_at: Instant | None
    created_at: Instant
    updated_at: Instant | None
    data: dict[str, Any] | None


class ThreadView(LiveThread):
    """A thread as the reader sees it.

    `roleContext` is null for a platform administrator who is not a participant.
    """

    role_context: RoleContext | None
    muted: bool
    unread: UnreadView


class ThreadParticipantView(Output):
    """A participant of a thread. `muted` is null for other users than the reader."""

    user_id: UserId
    username: str
    display_name: str | None
    avatar_url: str | None
    thread_id: ThreadId
    role_context: RoleContext
    muted: bool | None
    blocked_until: Instant | None
    joined_at: Instant


class CardView(Output):
    """The current state of a card. A transition must name its `version`.

    `payload` is empty for a reader who may not see it: then `flags` has the verdict. `createdBy` is null only for a
    card of another program that does not store it.
    """

    message_id: MessageId
    thread_id: ThreadId
    type: str
    state: str
    version: int
    payload: dict[str, Any]
    created_by: UserId | None
    created_at: Instant
    updated_at: Instant
    flags: FlagsView | None = None
    nsfw_band: int | None = None


class TabView(Output):
    """A tab of the panel. One that was never written has no content, and version 0.

    `content` is null for a reader who may not see it: then `flags` has the verdict.
    """

    thread_id: ThreadId
    tab: TabName
    content: dict[str, Any] | list[Any] | None
    source_version: int
    updated_at: Instant | None
    flags: FlagsView | None = None
    nsfw_band: int | None = None


class PanelView(Output):
    """All tabs with content."""

    thread_id: ThreadId
    tabs: list[TabView]


def live_thread(thread: Thread) -> LiveThread:
    return LiveThread(**_shared_fields(thread))


def thread_view(thread: Thread, participant: Participant | None, unread: UnreadView) -> ThreadView:
    return ThreadView(
        **_shared_fields(thread),
        role_context=None if participant is None else participant.role_context,
        muted=participant is not None and participant.muted,
        unread=unread,
    )


def _shared_fields(thread: Thread) -> dict[str, Any]:
    """Return the fields that all participants see."""
    return {
        "thread_id": thread.room_id,
        "kind": thread.kind,
        "status": thread.status,
        "locked_by": thread.locked_by,
        "buyer_user_id": thread.buyer_user_id,
        "seller_user_id": thread.seller_user_id,
        "participants": thread.participants,
        "listing_id": thread.listing_id,
        "lbg_id": thread.lbg_id,
        "leg_id": thread.leg_id,
        "city": thread.city,
        "safe_mode_required": thread.safe_mode_required,
        "last_message_id": thread.last_message_id,
        "last_message_at": thread.last_message_at,
        "created_at": thread.created_at,
        "updated_at": thread.updated_at,
        "data": thread.data,
    }


def participant_view(reader: Actor, participant: Participant, profile: PublicProfile) -> ThreadParticipantView:
    return ThreadParticipantView(
        participant.user_id,
        profile.username,
        profile.display_name,
        profile.avatar_url,
        participant.room_id,
        participant.role_context,
        participant.muted if participant.user_id == reader.user else None,
        participant.blocked_until,
        participant.joined_at,
    )


def card_view(card: Card, now: Instant) -> CardView:
    return CardView(
        card.message_id,
        card.room_id,
        card.type,
        as_of(card, now).state,
        card.version,
        card.payload,
        card.created_by,
        card.created_at,
        card.updated_at,
        flags_view(card.flags),
        card.nsfw_band,
    )


def tab_view(tab: Tab) -> TabView:
    flags = flags_view(tab.flags)
    return TabView(tab.room_id, tab.tab, tab.shown, tab.source_version, tab.updated_at, flags, tab.nsfw_band)
