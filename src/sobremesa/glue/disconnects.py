"""Disconnects removed members before the request that removed them is answered.

Every node learns of a removal from the change stream, which takes a moment. The node that wrote it applies it at once,
and notifies the others.
A changed role or access list is noted, and read again before the next event is delivered.
The same holds for messages that are deleted or edited: once the request is answered, the old content is not replayed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from sobremesa.domains.accounts.entities import ApiKey, Session, User
from sobremesa.domains.accounts.events import REVOCATION
from sobremesa.domains.communities.entities import ChannelAccess, ServerMembership
from sobremesa.domains.conversations.entities import Participant as ConversationParticipant
from sobremesa.domains.threads.entities import Participant as ThreadParticipant
from sobremesa.domains.workspaces.entities import Member as WorkspaceMember
from sobremesa.live.ephemeral import EphemeralEvents
from sobremesa.live.events import MembershipKey, channel, conversation, server, thread, tokens_of, workspace
from sobremesa.live.hub import Hub
from sobremesa.rooms.entities import Message
from sobremesa.table import Check, Delete, Entity, Operation, Put, Update
from sobremesa.table.updates import Set

Parts: TypeAlias = Mapping[str, Any]

MEMBERSHIP_KEYS: dict[type[Entity], Callable[[Parts], MembershipKey]] = {
    ServerMembership: lambda parts: MembershipKey(parts["user_id"], server(parts["server_id"])),
    ConversationParticipant: lambda parts: MembershipKey(parts["user_id"], conversation(parts["room_id"])),
    ThreadParticipant: lambda parts: MembershipKey(parts["user_id"], thread(parts["room_id"])),
    WorkspaceMember: lambda parts: MembershipKey(parts["user_id"], workspace(parts["workspace_id"])),
}
"""The rows that make a user a subscriber, and of which topic."""


class Disconnects:
    """Watches the writes of this process."""

    def __init__(self, hub: Hub, ephemeral: EphemeralEvents) -> None:
        self._hub = hub
        self._ephemeral = ephemeral

    def __call__(self, operations: Sequence[Operation], *, in_bulk: bool) -> None:
        for operation in operations:
            # Every send comes here: most operations are creations, checks, and updates of heads.
            if isinstance(operation, Put):
                if isinstance(operation.entity, ChannelAccess):
                    self._hub.recheck(channel(operation.entity.server_id, operation.entity.channel_id))
            elif not isinstance(operation, Check):
                self._changed(operation, in_bulk=in_bulk)

    def _changed(self, operation: Update[Entity] | Delete[Entity], *, in_bulk: bool) -> None:
        entity, parts = operation.key.entity, operation.key.parts
        if isinstance(operation, Delete):
            self._removed(entity, parts, in_bulk=in_bulk)
        elif entity is User:
            self._changed_user(operation)
        elif entity is ServerMembership:
            self._hub.recheck(server(parts["server_id"]), parts["user_id"])
        if issubclass(entity, Message):
            self._hub.invalidate(parts["message_id"], is_gone=_deletes(operation))

    def _changed_user(self, operation: Update[Entity]) -> None:
        """Close the sockets of a user whose tokens this process has just revoked."""
        if any(isinstance(each, Set) and each.path in REVOCATION for each in operation.changes):
            self._hub.end([tokens_of(operation.key.parts["user_id"])])

    def _removed(self, entity: type[Entity], parts: Parts, *, in_bulk: bool) -> None:
        key = MEMBERSHIP_KEYS.get(entity)
        # In bulk, memberships end with a deleted server or workspace; its members still receive that event.
        if key is not None and not in_bulk:
            self._ephemeral.disconnect([key(parts)])
        elif entity is Session:
            self._hub.end([parts["session_id"]])
        elif entity is ApiKey:
            self._hub.end([parts["key_id"]])


def _deletes(operation: Update[Entity] | Delete[Entity]) -> bool:
    """Return whether a message is deleted, of which a row without content may stay."""
    if isinstance(operation, Delete):
        return True
    return any(isinstance(each, Set) and each.path == "deleted" and each.value is True for each in operation.changes)
