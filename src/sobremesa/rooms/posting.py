"""Posting: checks, judges and writes messages of users, of the system and of programs; a repeated nonce is replayed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec

from sobremesa.core.actor import UserId
from sobremesa.core.errors import Busy, NotFound, Refusal
from sobremesa.core.ids import MessageId
from sobremesa.rooms.access import MessageAccess, Seat
from sobremesa.rooms.archive import Archive
from sobremesa.rooms.cases import Cases
from sobremesa.rooms.context import RoomContext
from sobremesa.rooms.entities import Message
from sobremesa.rooms.errors import ReplyMissing
from sobremesa.rooms.judging import CLEAR, JudgedContent, Verdict
from sobremesa.rooms.kinds import RoomKind
from sobremesa.rooms.mentions import MAX_MENTIONS, mentioned_names
from sobremesa.rooms.rendering import MessageRenderer
from sobremesa.rooms.sending import Draft, Extras, HeadChange, JudgedDraft, Send, no_extras
from sobremesa.rooms.tails import Tails
from sobremesa.rooms.views import SentView
from sobremesa.rooms.visibility import may_see
from sobremesa.rooms.writing import MessageWriter
from sobremesa.table import Operation
from sobremesa.table.errors import ConditionFailed
from sobremesa.work.keyed_lock import KeyedLocks


class Posting:
    """Posts messages to rooms of one kind, for authors who are authorized."""

    def __init__(
        self,
        kind: RoomKind,
        context: RoomContext,
        access: MessageAccess,
        locks: KeyedLocks,
        archive: Archive,
        renderer: MessageRenderer,
        cases: Cases,
    ) -> None:
        self.kind = kind
        self._access = access
        self._users = context.users
        self._files = context.files
        self._judge = context.judge
        self._data_checks = context.data_checks
        self._archive = archive
        self._renderer = renderer
        self._cases = cases
        self._writer = MessageWriter(
            kind,
            context.table,
            context.clock,
            context.ids,
            access,
            locks,
            has_own_clock=context.has_own_clock,
            room_nonces_until=context.room_nonces_until,
        )

    @classmethod
    def of(cls, kind: RoomKind, context: RoomContext, access: MessageAccess) -> Posting:
        """Return one for a part of the application that has no service of rooms."""
        renderer = MessageRenderer(kind, context.table, context.users)
        return cls(
            kind,
            context,
            access,
            KeyedLocks(needed=not context.table.engine.keeps_order),
            Archive(kind, context.table, renderer, Tails(kind, context.table)),
            renderer,
            Cases(kind, context.table, context.clock, context.users),
        )

    async def send(
        self, seat: Seat, draft: Draft, *, guards: Sequence[Operation] = (), max_mentions: int = MAX_MENTIONS
    ) -> SentView:
        """Send a message. A repeated nonce returns the first message, and is refused with another body.

        A program that is not in the room passes guards, such as the check of its own row; ConditionFailed if one fails.
        """
        try:
            return await self._send(seat, draft, guards, max_mentions)
        except NotFound:
            raise
        except Refusal:
            # The same request may have succeeded before there was a reason to refuse it, and its response was lost.
            if await self._writer.find_created(seat, draft) is None:
                raise
            return await self._replay(seat, draft)

    async def send_with(
        self, seat: Seat, draft: Draft, extras: Extras, verdict: Verdict = CLEAR, head: HeadChange | None = None
    ) -> Message:
        """Write a message as part of a larger action, whose other operations go into the same transaction.

        The verdict is that of `judge`, which the caller calls once, even if it retries.
        """
        seat.require("send")

        def all_of_it(message: Message) -> Sequence[Operation]:
            return [*extras(message), *self._cases.operations_for(seat, message)]

        judged = JudgedDraft(draft, flags=verdict.flags, nsfw_band=verdict.band)
        message = await self._writer.write(Send(seat, judged, all_of_it), head)
        if message is None:
            raise Busy
        return message

    async def judge(self, seat: Seat, payload: Any, *, size: int = 0) -> Verdict:
        """Return the judge's verdict on a payload that others in the room will see; clear without a judge.

        `size` is the number of JSON characters, if it may be large.
        """
        if self._judge is None:
            return CLEAR
        written = JudgedContent(
            room_kind=self.kind.name,
            room_id=seat.room_id,
            author_id=seat.user_id,
            content="",
            payload=payload,
            size=size,
        )
        verdict = self._judge.judge_at_once(written)
        return await self._judge.judge(written) if verdict is None else verdict

    async def mentioned(self, seat: Seat, content: str, at_most: int = MAX_MENTIONS) -> list[UserId]:
        """Return the users of the tenant that a text mentions with @; in a room with an access list, those in it."""
        names = mentioned_names(content, at_most)
        found = await self._users.find_by_usernames(names, seat.tenant) if names else {}
        mentioned = list(dict.fromkeys(found.values()))
        if not seat.is_restricted or not mentioned:
            return mentioned
        inside = await self._access.current_members(seat.room_id, mentioned)
        return [user_id for user_id in mentioned if user_id in inside]

    def judged_content(
        self,
        seat: Seat,
        content: str,
        attachments: Sequence[dict[str, Any]],
        mentions: Sequence[UserId],
        data: dict[str, Any] | None,
    ) -> JudgedContent:
        return JudgedContent(
            room_kind=self.kind.name,
            room_id=seat.room_id,
            author_id=seat.user_id,
            content=content,
            attachments=attachments,
            payload=data,
            mentions=len(mentions),
        )

    async def _send(self, seat: Seat, draft: Draft, guards: Sequence[Operation], max_mentions: int) -> SentView:
        seat.require("send")
        if draft.data is not None:
            await self._data_checks.check(seat.actor.tenant, "message", draft.data)
        if draft.reply_to is not None:
            draft = draft._replace(replied_author_id=await self._replied_author(seat, draft.reply_to))
        if draft.attachments:
            return await self._send_with_files(seat, draft)
        judged = JudgedDraft(draft, await self.mentioned(seat, draft.content, max_mentions))
        extras = partial(_only, guards) if guards else no_extras
        # What the product's backend says in its own name is not judged.
        if self._judge is not None and not seat.is_system:
            seat, judged = await self._judge_draft(seat, judged)
            extras = partial(self._with_case, seat, guards)

        message = await self._writer.write(Send(seat, judged, extras))

        if message is None:
            return await self._replay(seat, draft)
        return self._renderer.render_new(message)

    async def _send_with_files(self, seat: Seat, draft: Draft) -> SentView:
        """Send a message with files, which are attached in its transaction."""
        files = await self._files.attachable(seat.actor, draft.attachments)
        judged = JudgedDraft(draft, await self.mentioned(seat, draft.content), files)
        if self._judge is not None:
            seat, judged = await self._judge_draft(seat, judged)

        try:
            message = await self._writer.write(Send(seat, judged, partial(self._file_operations, seat, draft)))
        except ConditionFailed:
            # Another message attached one of them first.
            await self._files.attachable(seat.actor, draft.attachments)
            raise Busy from None

        if message is None:
            return await self._replay(seat, draft)
        return self._renderer.render_new(message)

    async def _replay(self, seat: Seat, draft: Draft) -> SentView:
        """Return the message that this nonce created before."""
        message_id = await self._writer.find_created(seat, draft)
        if message_id is None:
            raise Busy
        message = await self._archive.find(seat, message_id)
        if message is None:
            raise NotFound
        [view] = await self._renderer.render(seat, [message])
        return SentView(**msgspec.structs.asdict(view), replayed=True)

    async def _replied_author(self, seat: Seat, message_id: MessageId) -> UserId:
        """Return the author of a message to reply to; ReplyMissing unless the room has it and the user may see it."""
        message = await self._archive.find(seat, message_id)
        if message is None or not may_see(seat, message):
            raise ReplyMissing
        return message.author_id

    async def _judge_draft(self, seat: Seat, judged: JudgedDraft) -> tuple[Seat, JudgedDraft]:
        """Return the verdict, and the seat: during the wait the user may have been removed or silenced."""
        assert self._judge is not None  # noqa: S101 - for the type checker
        draft = judged.draft
        written = self.judged_content(seat, draft.content, judged.files, judged.mentions, draft.data)
        verdict = self._judge.judge_at_once(written)
        if verdict is None:
            verdict = await self._judge.judge(written)
            seat = await self._access.authorize_send(seat.actor, seat.room_id)
            seat.require("send")
        return seat, judged._replace(flags=verdict.flags, nsfw_band=verdict.band)

    def _with_case(self, seat: Seat, guards: Sequence[Operation], message: Message) -> Sequence[Operation]:
        return [*guards, *self._cases.operations_for(seat, message)]

    def _file_operations(self, seat: Seat, draft: Draft, message: Message) -> Sequence[Operation]:
        """Return the operations of a message with files: their attachment, and a case if it is not clean."""
        attaching = [
            self._files.attaching(
                file_id,
                room_kind=self.kind.name,
                room_id=message.room_id,
                message_id=message.message_id,
                owner_id=message.author_id,
            )
            for file_id in draft.attachments
        ]
        return [*attaching, *self._cases.operations_for(seat, message)]


def _only(guards: Sequence[Operation], message: Message) -> Sequence[Operation]:
    return guards
