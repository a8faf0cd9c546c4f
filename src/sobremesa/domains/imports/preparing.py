"""Preparation of a batch: from placed messages to rows, with authors, mentions, replies, files and verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from sobremesa.core.actor import Actor, Tenant, UserId
from sobremesa.core.errors import Refusal, UnknownUsers
from sobremesa.core.gather import gather_bounded
from sobremesa.core.ids import MessageId
from sobremesa.domains.attachments.service import Attachments
from sobremesa.domains.attachments.uploads import UploadedFile
from sobremesa.domains.imports.files import ImportFiles
from sobremesa.domains.imports.lines import yielding
from sobremesa.domains.imports.replies import Placed, Replies
from sobremesa.domains.imports.users import ImportUsers
from sobremesa.rooms.cases import verdict_case
from sobremesa.rooms.errors import EmptyMessage, ReplyMissing
from sobremesa.rooms.importing import ImportedMessage, imported_row
from sobremesa.rooms.judging import CLEAR, JudgedContent, TimedJudge, Verdict
from sobremesa.rooms.mentions import mentioned_names
from sobremesa.table import Operation, Table

JUDGED_AT_ONCE = 16
UPLOADED_AT_ONCE = 8

_Uploaded: TypeAlias = Mapping[MessageId, Sequence[dict[str, Any]] | Refusal]


class Prepared(NamedTuple):
    """A message that can be written."""

    placed: Placed
    imported: ImportedMessage


class _Resolved(NamedTuple):
    """What the records of a batch refer to."""

    authors: Mapping[str, Actor]
    names: Mapping[str, UserId]
    replies: Mapping[MessageId, MessageId | ReplyMissing]
    there: set[MessageId]
    """The messages with attachments that were imported before: their files are not uploaded again."""


class _Draft(NamedTuple):
    """A message with everything but the verdict."""

    placed: Placed
    author: Actor
    mentions: Sequence[UserId]
    reply_to: MessageId | None
    files: Sequence[dict[str, Any]]


class Preparation:
    """Prepares the messages of one import."""

    def __init__(
        self,
        table: Table,
        users: ImportUsers,
        files: Attachments,
        import_files: ImportFiles,
        judge: TimedJudge | None,
        tenant: Tenant,
    ) -> None:
        self._table = table
        self._users = users
        self._files = files
        self._import_files = import_files
        self._judge = judge
        self._tenant = tenant
        self._replies = Replies(table)

    async def prepare(self, batch: Sequence[Placed]) -> list[Prepared | Refusal]:
        """Return the rows of the messages, in their order; a refusal for those that cannot be imported."""
        resolved = await self._resolve(batch)
        uploaded = await self._upload_all(batch, resolved)
        drafts: list[_Draft | Refusal] = [self._draft(each, resolved, uploaded) async for each in yielding(batch)]
        refused = {each.message_id for each, draft in zip(batch, drafts, strict=True) if isinstance(draft, Refusal)}
        drafts = [ReplyMissing() if _is_orphan(draft, refused) else draft for draft in drafts]
        accepted = [draft for draft in drafts if isinstance(draft, _Draft)]
        verdicts = dict(zip((each.placed.message_id for each in accepted), await self._judged(accepted), strict=True))
        return [
            draft if isinstance(draft, Refusal) else self._prepared(draft, verdicts[draft.placed.message_id])
            async for draft in yielding(drafts)
        ]

    async def _resolve(self, batch: Sequence[Placed]) -> _Resolved:
        names = {name for each in batch for name in mentioned_names(each.record.content)}
        with_files = [each for each in batch if each.record.attachments]
        keys = [each.room.imports.kind.message_key(each.room.room_id, each.message_id) for each in with_files]
        rows = await self._table.get_many(keys, consistent=True) if keys else []
        return _Resolved(
            authors=await self._users.find(each.record.author for each in batch),
            names=await self._users.find_by_names(names) if names else {},
            replies=await self._replies.find(batch),
            there={row.message_id for row in rows if row is not None},
        )

    def _draft(self, placed: Placed, resolved: _Resolved, uploaded: _Uploaded) -> _Draft | Refusal:
        record = placed.record
        author = resolved.authors.get(record.author)
        if author is None:
            return UnknownUsers(f"There is no user {record.author} in this tenant.", user_ids=[record.author])
        if not record.content and not record.attachments:
            return EmptyMessage()
        reply_to = resolved.replies.get(placed.message_id)
        if isinstance(reply_to, ReplyMissing):
            return reply_to
        files = uploaded.get(placed.message_id, ())
        if isinstance(files, Refusal):
            return files
        found = (resolved.names.get(name) for name in mentioned_names(record.content))
        mentions = list(dict.fromkeys(user_id for user_id in found if user_id is not None))
        return _Draft(placed, author, mentions, reply_to, files)

    async def _upload_all(self, batch: Sequence[Placed], resolved: _Resolved) -> _Uploaded:
        """Store the files of a batch, and return them, or why they were refused, by message."""
        accepted = [
            each
            for each in batch
            if each.record.attachments
            and each.message_id not in resolved.there
            and each.record.author in resolved.authors
            and not isinstance(resolved.replies.get(each.message_id), ReplyMissing)
        ]
        upload = partial(self._upload, resolved.authors)
        return dict(
            zip(
                (each.message_id for each in accepted),
                await gather_bounded(UPLOADED_AT_ONCE, upload, accepted),
                strict=True,
            )
        )

    async def _upload(self, authors: Mapping[str, Actor], placed: Placed) -> Sequence[dict[str, Any]] | Refusal:
        """Store the files of a message as its author's, and return what the message stores of them."""
        author = authors[placed.record.author]
        file_ids = []
        try:
            for record in placed.record.attachments:
                name, pieces = await self._import_files.open(record)
                async with aclosing(pieces):
                    file = await self._files.receive(author, UploadedFile(name, "", pieces))
                file_ids.append(file.file_id)
            return await self._files.attachable(author, file_ids)
        except Refusal as refusal:
            return refusal

    async def _judged(self, drafts: Sequence[_Draft]) -> list[Verdict]:
        judge = self._judge
        if judge is None:
            return [CLEAR] * len(drafts)
        contents = [_content(draft) for draft in drafts]
        verdicts = [judge.judge_at_once(content) async for content in yielding(contents)]
        slow = [content for content, verdict in zip(contents, verdicts, strict=True) if verdict is None]
        late = iter(await gather_bounded(JUDGED_AT_ONCE, judge.judge, slow))
        return [next(late) if verdict is None else verdict for verdict in verdicts]

    def _prepared(self, draft: _Draft, verdict: Verdict) -> Prepared:
        placed, author, files = draft.placed, draft.author, draft.files
        record, kind, room_id = placed.record, placed.room.imports.kind, placed.room.room_id
        message = imported_row(
            kind,
            placed.message_id,
            room_id=room_id,
            author_id=author.user_id,
            username=author.username,
            nonce=record.nonce,
            type="asset" if files and record.type == "text" else record.type,
            content=record.content,
            reply_to=draft.reply_to,
            mentions=list(draft.mentions) or None,
            attachments=list(files) or None,
            **kind.stored_verdict(verdict.flags, verdict.band),
        )
        others: list[Operation] = [
            self._files.attaching(
                file["fileId"],
                room_kind=kind.name,
                room_id=room_id,
                message_id=message.message_id,
                owner_id=message.author_id,
            )
            for file in files
        ]
        others += verdict_case(kind, message, self._tenant)
        return Prepared(placed, ImportedMessage(message, others))


def _is_orphan(draft: _Draft | Refusal, refused: set[MessageId]) -> bool:
    """Return whether a message replies to one of the same batch that was refused."""
    return isinstance(draft, _Draft) and draft.reply_to is not None and draft.reply_to in refused


def _content(draft: _Draft) -> JudgedContent:
    return JudgedContent(
        room_kind=draft.placed.room.imports.kind.name,
        room_id=draft.placed.room.room_id,
        author_id=draft.author.user_id,
        content=draft.placed.record.content,
        attachments=draft.files,
        mentions=len(draft.mentions),
    )
