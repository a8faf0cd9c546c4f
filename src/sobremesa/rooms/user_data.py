"""A user's data in rooms: the name on their messages, and their reactions."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Any

from sobremesa.core.actor import DELETED_NAME, UserId
from sobremesa.core.ids import RoomId
from sobremesa.rooms.entities import REVISED
from sobremesa.rooms.files import Files, files_of
from sobremesa.rooms.kinds import RoomKind
from sobremesa.table import Table, Update, WritePattern, add, differs, equals, present, set_to, unhex_part
from sobremesa.table.errors import ConditionFailed


class RoomUserData:
    """Masks and exports users' data in rooms of one kind. All operations are idempotent."""

    def __init__(self, kind: RoomKind, table: Table, files: Files, *, pattern: WritePattern) -> None:
        self._kind = kind
        self._table = table
        self._files = files
        self._pattern = pattern

    async def discard_files(self, room_id: RoomId) -> None:
        """Delete the files of all messages of a deleted room."""
        with_files = present("attachments")
        async for message in self._table.every(self._kind.messages(room_id=room_id), where=with_files):
            async with self._files.deleting(files_of(message)) as gone:
                if gone:
                    await self._table.write(files=gone, pattern=self._pattern)

    async def mask(self, room_id: RoomId, user_id: UserId) -> None:
        """Replace a user's name on all their messages in a room.

        The count in the head comes first: an import that has read the account before cannot write after it. Its
        revision comes last, once for all messages and also if none is left to change: another run may have been
        interrupted before it. Meanwhile no reader is shown the name of an account that is being deleted.
        """
        head = self._kind.head_by_key(room_id=room_id)
        with contextlib.suppress(ConditionFailed):
            await self._table.write(Update(head, add(mask_count=1)), pattern=self._pattern)
        named = equals("author_id", user_id) & differs("username", DELETED_NAME)
        async for message in self._table.every(self._kind.messages(room_id=room_id), where=named):
            with contextlib.suppress(ConditionFailed):
                await self._table.write(
                    Update(message.own_key(), set_to(username=DELETED_NAME, display_name=None)), pattern=self._pattern
                )
        with contextlib.suppress(ConditionFailed):
            await self._table.write(Update(head, REVISED), pattern=self._pattern)

    async def export(self, room_id: RoomId, user_id: UserId) -> AsyncIterator[Any]:
        """Yield a user's messages in a room, oldest first, and their reactions."""
        room = {"roomKind": self._kind.name, "roomId": room_id}
        own = self._table.every(
            self._kind.messages(room_id=room_id), newest_first=False, where=equals("author_id", user_id)
        )
        async for message in own:
            yield {
                "kind": "message",
                **room,
                "messageId": message.message_id,
                "content": message.content,
                **({} if message.data is None else {"data": message.data}),
                "createdAt": message.created_at,
            }
        reactions = self._kind.reactions(room_id=room_id)
        async for reaction in self._table.every(reactions, where=equals("user_id", user_id)):
            yield {
                "kind": "reaction",
                **room,
                "messageId": reaction.message_id,
                "emoji": unhex_part(reaction.emoji_hex),
                "createdAt": reaction.created_at,
            }
