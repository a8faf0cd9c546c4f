"""Incoming webhooks as clients see them."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from sobremesa.core.actor import UserId, own_picture
from sobremesa.core.clock import Instant
from sobremesa.core.ids import MessageId, RoomId, RoomKindName
from sobremesa.domains.incoming_webhooks.entities import HookId, IncomingHook
from sobremesa.domains.incoming_webhooks.service import CreatedHook
from sobremesa.http.endpoints import PREFIX, Output


class HookView(Output):
    """An incoming webhook of a room."""

    hook_id: HookId
    room_kind: RoomKindName
    room_id: RoomId
    user_id: Annotated[UserId, Meta(description="The author of its messages.")]
    name: str
    avatar_url: str | None
    created_by: str
    created_at: Instant


class NewHookView(HookView):
    """A new incoming webhook, with its address, which is shown only here."""

    url: Annotated[
        str, Meta(description="Every program that has it can post.", examples=["https://chat.example.com/v1/hooks/…"])
    ]


class PostedView(Output):
    """What a request of another product posted; `messageId` is null if it is not worth a message."""

    ok: bool
    message_id: MessageId | None


def hook_view(hook: IncomingHook) -> HookView:
    return HookView(
        hook.hook_id,
        hook.room_kind,
        hook.room_id,
        hook.user_id,
        hook.name,
        own_picture(hook.avatar_url),
        hook.created_by,
        hook.created_at,
    )


def new_hook_view(created: CreatedHook, site: str) -> NewHookView:
    hook, token = created
    return NewHookView(
        hook.hook_id,
        hook.room_kind,
        hook.room_id,
        hook.user_id,
        hook.name,
        own_picture(hook.avatar_url),
        hook.created_by,
        hook.created_at,
        f"{site.rstrip('/')}{PREFIX}/hooks/{token}",
    )
