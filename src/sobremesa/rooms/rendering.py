"""Rendering: turns stored messages into views for one reader.

Reactions come from their summaries, by one query for the whole page. A summary shows whether the reader reacted as
long as it lists all users; only beyond that the reader's own rows are read, in one batch.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence, Set
from typing import NamedTuple, TypeVar, cast

import msgspec
from msgspec import UNSET

from sobremesa.core.actor import DELETED_NAME, PublicProfile, UserId
from sobremesa.core.clock import EPOCH
from sobremesa.core.ids import MessageId, RoomId
from sobremesa.rooms.access import Seat, UserDirectory
from sobremesa.rooms.entities import CLEAN, Flags, Message, ReactionSummary
from sobremesa.rooms.kinds import RoomKind
from sobremesa.rooms.views import FlagsView, MessageFile, MessageView, ReactionView, SentView
from sobremesa.rooms.visibility import may_see
from sobremesa.table import SharedLoads, Table, unhex_part
from sobremesa.table.cache import Cache

V = TypeVar("V")

MAX_SHOWN_REACTORS = 20
CACHED_VIEWS = 5_000
SHOWN_OF_FILES = frozenset(MessageFile.__annotations__)


class Unrendered(NamedTuple):
    """Messages and their reactions; `plain` are their views if they are the same for all readers."""

    messages: Sequence[Message]
    summaries: list[ReactionSummary]
    plain: list[MessageView] | None


class MessageRenderer:
    """Renders messages of one kind of room."""

    def __init__(self, kind: RoomKind, table: Table, users: UserDirectory) -> None:
        self._kind = kind
        self._table = table
        self._users = users
        self._loads = SharedLoads(table)
        self._plain: Cache[MessageId, tuple[Message, MessageView]] = Cache(CACHED_VIEWS)

    async def render(self, seat: Seat, messages: Sequence[Message]) -> list[MessageView]:
        """Return the views of messages of one room, in their order."""
        return await self.render_for(seat, await self.load(seat.room_id, messages))

    async def load(self, room_id: RoomId, messages: Sequence[Message]) -> Unrendered:
        """Return messages of one room with their reactions, independent of the reader."""
        summaries = await self._summaries(room_id, messages) if messages else []
        messages = await with_names(self._users, messages)
        is_plain = not summaries and not any(
            message.reactions or message.moderation != CLEAN or message.nsfw_band for message in messages
        )
        plain = [self._plain_view(message) for message in messages] if is_plain else None
        return Unrendered(messages, summaries, plain)

    async def render_for(self, seat: Seat, unrendered: Unrendered) -> list[MessageView]:
        """Return the views of messages for one reader."""
        departing = await self._users.users_being_deleted()
        if unrendered.plain is not None and not departing:
            return unrendered.plain
        reactions = await self._reactions(seat, unrendered)
        return [
            self._view(message, reactions.get(message.message_id, []), departing, withheld=not may_see(seat, message))
            for message in unrendered.messages
        ]

    def render_new(self, message: Message) -> SentView:
        """Return the view of a new message, which has no reactions or edits."""
        return SentView(
            message.message_id,
            message.room_id,
            self._kind.name,
            message.type,
            message.author_id,
            message.username,
            message.display_name,
            message.content,
            edited=False,
            edited_at=None,
            deleted=False,
            reply_to=message.reply_to,
            attachments=shown_files(message),
            reactions=[],
            mentions=message.mentions or [],
            created_at=message.created_at,
            action=message.acted,
            flags=flags_view(message.flags),
            nsfw_band=message.nsfw_band or None,
            data=message.data,
            bot=message.is_bot or UNSET,
            command=message.command or UNSET,
        )

    def _plain_view(self, message: Message) -> MessageView:
        """Return the view of a message that is the same for all readers, cached since most are."""
        known = self._plain.young.get(message.message_id) or self._plain.find(message.message_id)
        if known is not None and known[0] is message:
            return known[1]
        view = self._view(message, [], frozenset())
        self._plain.keep(message.message_id, (message, view))
        return view

    def _view(
        self,
        message: Message,
        reactions: list[ReactionView],
        departing: frozenset[UserId],
        *,
        withheld: bool = False,
    ) -> MessageView:
        return render_as(MessageView, self._kind, message, reactions, departing, withheld=withheld)

    async def _reactions(self, seat: Seat, unrendered: Unrendered) -> dict[MessageId, list[ReactionView]]:
        return reactions_to(unrendered, seat.user_id, await self._mine(seat, unrendered.summaries))

    async def _summaries(self, room_id: RoomId, messages: Sequence[Message]) -> list[ReactionSummary]:
        ids = [message.message_id for message in messages]
        question = self._kind.reactions_of_page(room_id=room_id, oldest=min(ids), newest=max(ids))

        async def load() -> list[ReactionSummary]:
            return [summary async for summary in self._table.every(question) if summary.count > 0]

        # The load begins after this reader asked, so it has what they have just added as far as a read of their own.
        found = await self._loads.following(question.pk, (min(ids), max(ids)), load)
        return sorted(found, key=lambda summary: (summary.message_id, summary.first_at or EPOCH))

    async def _mine(self, seat: Seat, summaries: Sequence[ReactionSummary]) -> set[tuple[str, str]]:
        """Return which of these reactions the reader shares."""
        mine = {_identity(summary) for summary in summaries if seat.user_id in summary.user_ids}
        unsure = [
            summary
            for summary in summaries
            if summary.count > len(summary.user_ids) and seat.user_id not in summary.user_ids
        ]
        if unsure:
            keys = [
                self._kind.reaction_by_key(
                    room_id=seat.room_id,
                    message_id=summary.message_id,
                    emoji_hex=summary.emoji_hex,
                    user_id=seat.user_id,
                )
                for summary in unsure
            ]
            found = await self._table.get_many(keys)
            mine |= {_identity(summary) for summary, row in zip(unsure, found, strict=True) if row is not None}
        return mine


async def with_names(users: UserDirectory, messages: Sequence[Message]) -> Sequence[Message]:
    """Return the messages; those that other writers stored without a name get their author's current one."""
    nameless = {message.author_id for message in messages if not message.username}
    if not nameless:
        return messages
    profiles = await users.profiles(list(nameless))
    return [message if message.username else _named(message, profiles[message.author_id]) for message in messages]


def _named(message: Message, author: PublicProfile) -> Message:
    return msgspec.structs.replace(message, username=author.username, display_name=author.display_name)


def render_as(
    form: Callable[..., V],
    kind: RoomKind,
    message: Message,
    reactions: Sequence[object],
    departing: Set[UserId],
    *,
    withheld: bool,
) -> V:
    """Render a message as a view type, with or without its content."""
    return form(
        message.message_id,
        message.room_id,
        kind.name,
        message.type,
        message.author_id,
        DELETED_NAME if message.author_id in departing else message.username,
        None if message.author_id in departing else message.display_name,
        "" if withheld else message.content,
        message.edited,
        message.edited_at,
        message.deleted,
        None if withheld else message.reply_to,
        [] if withheld else shown_files(message),
        [] if withheld or message.deleted else reactions,
        [] if withheld else message.mentions or [],
        message.sent_at,
        None if withheld else message.acted,
        flags_view(message.flags, withheld=withheld),
        message.nsfw_band or None,
        None if withheld else message.data,
        message.is_bot or UNSET,
        message.command or UNSET,
    )


def reactions_to(
    unrendered: Unrendered, reader: UserId | None = None, mine: Set[tuple[str, str]] = frozenset()
) -> dict[MessageId, list[ReactionView]]:
    """Return the reactions by message: from summaries, and from lists that another writer stored in messages."""
    found: dict[MessageId, list[ReactionView]] = defaultdict(list)
    for message in unrendered.messages:
        for old in message.reactions or ():
            found[message.message_id].append(
                ReactionView(
                    old.emoji, old.count or len(old.user_ids), old.user_ids[:MAX_SHOWN_REACTORS], reader in old.user_ids
                )
            )
    for summary in unrendered.summaries:
        view = ReactionView(
            unhex_part(summary.emoji_hex), summary.count, sorted(summary.user_ids), _identity(summary) in mine
        )
        _merge(found[summary.message_id], view)
    return found


def shown_files(message: Message) -> list[MessageFile]:
    """Return what clients see of a message's files, without storage addresses that another writer may have stored."""
    return [
        cast(MessageFile, {name: value for name, value in file.items() if name in SHOWN_OF_FILES})
        for file in message.attachments or ()
    ]


def flags_view(flags: Flags | None, *, withheld: bool = False) -> FlagsView | None:
    """Return the moderation flags: None for a clean message, without hints if the content is withheld."""
    if flags is None or flags.moderation == CLEAN:
        return None
    return FlagsView(flags.moderation, [] if withheld else flags.policy_hints)


def _identity(summary: ReactionSummary) -> tuple[str, str]:
    return summary.message_id, summary.emoji_hex


def _merge(views: list[ReactionView], view: ReactionView) -> None:
    """Add a reaction to those of a message, merged with the same emoji from another writer's list."""
    for index, other in enumerate(views):
        if other.emoji == view.emoji:
            user_ids = list(dict.fromkeys([*other.user_ids, *view.user_ids]))[:MAX_SHOWN_REACTORS]
            views[index] = ReactionView(view.emoji, other.count + view.count, user_ids, other.me or view.me)
            return
    views.append(view)
