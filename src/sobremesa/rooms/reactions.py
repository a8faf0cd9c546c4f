"""Reactions: one row per user, and one summary per emoji of a message, changed in one transaction.

Any number of users may react at the same time. The condition on the user's row decides whether the count changes, so
it never differs from the rows. The summary also lists the first users, so that a page needs no other rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from sobremesa.core.actor import UserId
from sobremesa.core.clock import Clock
from sobremesa.core.errors import Busy
from sobremesa.rooms.access import Seat, UserDirectory
from sobremesa.rooms.entities import REVISED, Message, Reaction, ReactionSummary, StoredReaction
from sobremesa.rooms.errors import TooManyEmoji
from sobremesa.rooms.kinds import RoomKind
from sobremesa.rooms.rendering import MAX_SHOWN_REACTORS
from sobremesa.rooms.views import ReactorView
from sobremesa.table import (
    Create,
    Delete,
    Key,
    Operation,
    Table,
    Update,
    absent_or_null,
    add,
    add_to_set,
    delete_from_set,
    equals,
    greater,
    hash_part,
    hex_part,
    less,
    set_to,
    size,
)
from sobremesa.table.errors import ConditionFailed
from sobremesa.work.keyed_lock import KeyedLocks
from sobremesa.work.quotas import Quotas

MAX_EMOJI = 20
ATTEMPTS = 40


class Reactions:
    """Adds, removes and lists reactions in rooms of one kind."""

    def __init__(self, kind: RoomKind, table: Table, clock: Clock, users: UserDirectory, locks: KeyedLocks) -> None:
        self._kind = kind
        self._table = table
        self._clock = clock
        self._users = users
        self._locks = locks
        self._quotas = Quotas(table, clock)

    async def add(self, seat: Seat, message: Message, emoji: str) -> None:
        """Add a user's reaction, once."""
        if any(old.emoji == emoji and seat.user_id in old.user_ids for old in message.reactions or ()):
            return
        emoji_hex = hex_part(emoji)
        for _ in range(ATTEMPTS):
            # A failed condition means a concurrent change: the list of first users is full, its last user removed
            # the reaction, or another user was the first to use the emoji. So the summary is read again.
            counting = await self._count_up(seat, message, emoji_hex)
            try:
                await self._write(message, Create(self._reaction(seat, message, emoji_hex)), counting)
            except ConditionFailed as failed:
                if "reaction" in failed:
                    return
            else:
                return
        raise Busy

    async def remove(self, seat: Seat, message: Message, emoji: str) -> None:
        """Remove a user's reaction, once."""
        if any(old.emoji == emoji and seat.user_id in old.user_ids for old in message.reactions or ()):
            await self._remove_from_list(seat, message, emoji)
            return
        emoji_hex = hex_part(emoji)
        is_last = False
        for _ in range(ATTEMPTS):
            try:
                await self._write(
                    message,
                    Delete(self._reaction_key(seat, message, emoji_hex)),
                    [self._count_down(seat, message, emoji_hex, is_last=is_last)],
                )
            except ConditionFailed as failed:
                if "reaction" in failed:
                    return
                # A summary without users is deleted, unless another user reacts at the same time.
                is_last = not is_last
            else:
                return
        raise Busy

    async def list_reactors(
        self, seat: Seat, message: Message, emoji: str, *, limit: int, cursor: str | None
    ) -> tuple[list[ReactorView], str | None]:
        """Return a page of the users who reacted with an emoji."""
        question = self._kind.reactors(room_id=seat.room_id, message_id=message.message_id, emoji_hex=hex_part(emoji))
        page = await self._table.query(question, limit=limit, cursor=cursor)
        profiles = await self._users.profiles([reaction.user_id for reaction in page.items])
        reactors = [
            ReactorView(
                reaction.user_id,
                profiles[reaction.user_id].username,
                profiles[reaction.user_id].display_name,
                profiles[reaction.user_id].avatar_url,
                reaction.created_at,
            )
            for reaction in page.items
        ]
        return reactors, page.cursor

    async def _write(self, message: Message, reaction: Operation, counting: Sequence[Operation]) -> None:
        async with self._locks.of(message.message_id):
            await self._table.write(reaction=reaction, counting=counting, pattern=self._kind.react)

    async def _remove_from_list(self, seat: Seat, message: Message, emoji: str) -> None:
        """Remove a user from the list that another writer stored in the message."""
        left = [old if old.emoji != emoji else _without(old, seat.user_id) for old in message.reactions or ()]
        try:
            await self._table.write(
                message=Update(
                    message.own_key(),
                    set_to(reactions=[old for old in left if old.user_ids]),
                    when=equals("reactions", message.reactions),
                ),
                head=Update(self._kind.head_by_key(room_id=seat.room_id), REVISED),
                pattern=self._kind.react,
            )
        except ConditionFailed:
            raise Busy from None

    def _reaction(self, seat: Seat, message: Message, emoji_hex: str) -> Reaction:
        return self._kind.reaction(
            room_id=seat.room_id,
            message_id=message.message_id,
            emoji_hex=emoji_hex,
            user_id=seat.user_id,
            created_at=self._clock.now(),
        )

    async def _count_up(self, seat: Seat, message: Message, emoji_hex: str) -> Sequence[Operation]:
        """Return the operations that count one more reaction; TooManyEmoji if the message has the maximum."""
        question = self._kind.reactions_of_message(room_id=seat.room_id, message_id=message.message_id)
        summaries = {summary.emoji_hex: summary async for summary in self._table.every(question)}
        summary = summaries.get(emoji_hex)
        if summary is None:
            first = self._kind.summary(
                room_id=seat.room_id,
                message_id=message.message_id,
                emoji_hex=emoji_hex,
                count=1,
                user_ids=frozenset({seat.user_id}),
                first_at=self._clock.now(),
            )
            return Create(first), *await self._reserve(seat, message, emoji_hex)
        key = self._summary_key(seat, message, emoji_hex)
        if len(summary.user_ids) >= MAX_SHOWN_REACTORS:
            return (Update(key, add(count=1)),)
        has_room = absent_or_null("user_ids") | less(size("user_ids"), MAX_SHOWN_REACTORS)
        return (Update(key, add(count=1), add_to_set(user_ids=[seat.user_id]), when=has_room),)

    async def _reserve(self, seat: Seat, message: Message, emoji_hex: str) -> Sequence[Operation]:
        """Return the operations that count one more emoji: none if another writer's list has it."""
        listed = {hex_part(old.emoji) for old in message.reactions or ()}
        if emoji_hex in listed:
            return ()
        question = self._kind.reactions_of_message(room_id=seat.room_id, message_id=message.message_id)
        owner_id = hash_part(seat.room_id, message.message_id)
        limit = MAX_EMOJI - len(listed)
        reserved = await self._quotas.reserve("emoji", owner_id, question, limit) if limit > 0 else None
        if reserved is None:
            raise TooManyEmoji(limit=MAX_EMOJI)
        return (reserved,)

    def _count_down(self, seat: Seat, message: Message, emoji_hex: str, *, is_last: bool) -> Operation:
        key = self._summary_key(seat, message, emoji_hex)
        if is_last:
            return Delete(key, when=equals("count", 1))
        return Update(key, add(count=-1), delete_from_set(user_ids=[seat.user_id]), when=greater("count", 1))

    def _reaction_key(self, seat: Seat, message: Message, emoji_hex: str) -> Key[Reaction]:
        return self._kind.reaction_by_key(
            room_id=seat.room_id, message_id=message.message_id, emoji_hex=emoji_hex, user_id=seat.user_id
        )

    def _summary_key(self, seat: Seat, message: Message, emoji_hex: str) -> Key[ReactionSummary]:
        return self._kind.summary.key(room_id=seat.room_id, message_id=message.message_id, emoji_hex=emoji_hex)


def _without(old: StoredReaction, user_id: UserId) -> StoredReaction:
    user_ids = [other for other in old.user_ids if other != user_id]
    return StoredReaction(emoji=old.emoji, user_ids=user_ids, count=len(user_ids))
