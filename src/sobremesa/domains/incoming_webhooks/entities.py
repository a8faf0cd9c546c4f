"""Incoming webhooks: stored rows and access patterns."""

from __future__ import annotations

from typing import NewType

from sobremesa.core.actor import Tenant, UserId
from sobremesa.core.clock import Instant
from sobremesa.core.ids import RoomId, RoomKindName
from sobremesa.domains.accounts.entities import AuditEntry, User
from sobremesa.table import Entity, Keys, Lookup, Pattern, WritePattern

HookId = NewType("HookId", str)


class IncomingHook(Entity):
    """An incoming webhook of a room. Only the hash of its token is stored."""

    keys = Keys(pk="HOOKS#{room_id}", sk="HOOK#{hook_id}")
    redacted = ("hash",)

    room_id: RoomId
    hook_id: HookId
    room_kind: RoomKindName
    user_id: UserId
    """The author of its messages: a user without a password or a membership."""
    name: str
    avatar_url: str | None = None
    tenant: Tenant
    hash: str
    created_by: str
    created_at: Instant


hooks_of = Pattern("HOOK.1", "Which incoming webhooks does this room have?", IncomingHook, consistent=True)
hook_by_id = Lookup("HOOK.2", "What is this incoming webhook of this room?", IncomingHook, consistent=True)

create_hook = WritePattern("HOOK.10", "Create an incoming webhook", IncomingHook, User, AuditEntry)
delete_hook = WritePattern("HOOK.11", "Delete an incoming webhook", IncomingHook, AuditEntry)
clean_hooks = WritePattern("HOOK.12", "Remove the incoming webhooks of a deleted room", IncomingHook, User)
