"""Files in messages: what a room needs to know of them, wherever they are kept."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from sobremesa.core.actor import Actor, UserId
from sobremesa.rooms.entities import Message
from sobremesa.table import Operation


class Files(Protocol):
    """Where uploaded files are kept."""

    async def attachable(self, actor: Actor, file_ids: Sequence[str]) -> list[dict[str, Any]]:
        """What a message keeps of these files; refused unless all of them are the actor's own, and free."""
        ...

    def attaching(self, file_id: str, *, room_kind: str, room_id: str, message_id: str, owner_id: UserId) -> Operation:
        """The operation that gives a file to a message, for the transaction of the message."""
        ...

    def deleting(self, file_ids: Sequence[str]) -> AbstractAsyncContextManager[list[Operation]]:
        """The operations that take files away, for a transaction inside of the block; their bytes go after it."""
        ...


def files_of(message: Message) -> list[str]:
    """The files that a message has."""
    return [file["fileId"] for file in message.attachments or () if "fileId" in file]
