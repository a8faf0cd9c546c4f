"""Reactions: one row for each person, and one summary for each emoji of a message, changed together.

Any number of people may react at the same time. The person's row decides whether anything happens at all, so the
count can never differ from the rows; the summary also names the first people, so that a page needs no more rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from sobremesa.core.actor import UserId
from sobremesa.core.clock import Clock
from sobremesa.core.errors import Busy
from sobremesa.rooms.access import Seat, UserDirectory
from sobremesa.rooms.entities import Message, Reaction, ReactionSummary, StoredReaction
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

_PERSON = 0
"""The place of the person's own row among the operations of a reaction."""


class Reactions:
    """The reactions in rooms of one kind."""

    def __init__(self, kind: RoomKind, table: Table, clock: Clock, users: UserDirectory, locks: KeyedLocks) -> None:
        self._kind = kind
        self._table = table
        self._clock = clock
        self._users = users
        self._locks = locks
        self._quotas = Quotas(table, clock)

    async def add(self, seat: Seat, message: Message, emoji: str) -> None:
        """Add a person's reaction, once."""
        if any(old.emoji == emoji and seat.user_id in old.user_ids for old in message.reactions or ()):
            return
        emoji_hex = hex_part(emoji)
        for _ in range(ATTEMPTS):
            # What fails below has changed meanwhile: the list of the first people is full now, the last of them has
            # gone, or somebody else was the first to use an emoji. So it is looked at again.
            counting = await self._count_up(seat, message, emoji_hex)
            try:
                await self._write(message, Create(self._reaction(seat, message, emoji_hex)), *counting)
            except ConditionFailed as failed:
                if failed.at(_PERSON):
                    return
            else:
                return
        raise Busy

    async def take_back(self, seat: Seat, message: Message, emoji: str) -> None:
        """Take a person's reaction back, once."""
        if any(old.emoji == emoji and seat.user_id in old.user_ids for old in message.reactions or ()):
            await self._take_from_list(seat, message, emoji)
            return
        emoji_hex = hex_part(emoji)
        is_last = False
        for _ in range(ATTEMPTS):
            try:
                await self._write(
                    message,
                    Delete(self._person_key(seat, message, emoji_hex)),
                    self._count_down(seat, message, emoji_hex, is_last=is_last),
                )
            except ConditionFailed as failed:
                if failed.at(_PERSON):
                    return
                # A summary that nobody is left in is removed, unless somebody comes at the same moment.
                is_last = not is_last
            else:
                return
        raise Busy

    async def list_reactors(
        self, seat: Seat, message: Message, emoji: str, *, limit: int, cursor: str | None
    ) -> tuple[list[ReactorView], str | None]:
        """Who reacted with an emoji."""
        question = self._kind.reactors(room_id=seat.room_id, message_id=message.message_id, emoji_hex=hex_part(emoji))
        page = await self._table.query(question, limit=limit, cursor=cursor)
        profiles = await self._users.profiles([reaction.user_id for reaction in page.items])
        reactors = [
            ReactorView(
                reaction.user_id,
                profiles[reaction.user_id].username,
                profiles[reaction.user_id].avatar_url,
                reaction.created_at,
            )
            for reaction in page.items
        ]
        return reactors, page.cursor

    async def _write(self, message: Message, person: Operation, *counting: Operation) -> None:
        async with self._locks.of(message.message_id):
            await self._table.write(person, *counting, token=None, pattern=self._kind.react)

    async def _take_from_list(self, seat: Seat, message: Message, emoji: str) -> None:
        """Take a person out of the list that another writer keeps in the message itself."""
        left = [old if old.emoji != emoji else _without(old, seat.user_id) for old in message.reactions or ()]
        try:
            await self._table.write(
                Update(
                    message.own_key(),
                    set_to(reactions=[old for old in left if old.user_ids]),
                    when=equals("reactions", message.reactions),
                ),
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
        """What counts one more in the summary of an emoji; TooManyEmoji if it would be one emoji too many."""
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
        """What goes into the transaction that adds an emoji to a message: nothing for one of another writer's list."""
        listed = {hex_part(old.emoji) for old in message.reactions or ()}
        if emoji_hex in listed:
            return ()
        question = self._kind.reactions_of_message(room_id=seat.room_id, message_id=message.message_id)
        owner_id = hash_part(seat.room_id, message.message_id)
        limit = MAX_EMOJI - len(listed)
        room = await self._quotas.reserve("emoji", owner_id, question, limit) if limit > 0 else None
        if room is None:
            raise TooManyEmoji(limit=MAX_EMOJI)
        return (room,)

    def _count_down(self, seat: Seat, message: Message, emoji_hex: str, *, is_last: bool) -> Operation:
        key = self._summary_key(seat, message, emoji_hex)
        if is_last:
            return Delete(key, when=equals("count", 1))
        return Update(key, add(count=-1), delete_from_set(user_ids=[seat.user_id]), when=greater("count", 1))

    def _person_key(self, seat: Seat, message: Message, emoji_hex: str) -> Key[Reaction]:
        return self._kind.reaction_by_key(
            room_id=seat.room_id, message_id=message.message_id, emoji_hex=emoji_hex, user_id=seat.user_id
        )

    def _summary_key(self, seat: Seat, message: Message, emoji_hex: str) -> Key[ReactionSummary]:
        return self._kind.summary.key(room_id=seat.room_id, message_id=message.message_id, emoji_hex=emoji_hex)


def _without(old: StoredReaction, user_id: UserId) -> StoredReaction:
    user_ids = [other for other in old.user_ids if other != user_id]
    return StoredReaction(emoji=old.emoji, user_ids=user_ids, count=len(user_ids))
