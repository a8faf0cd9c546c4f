"""Uploading, fetching, attaching and deleting files.

Only its owner may fetch a file until it is attached to a message; then all readers of the room may. An unattached file
expires after a day.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, NamedTuple, Protocol

import structlog

from sobremesa.core.actor import Actor, UserId, stored_tenant
from sobremesa.core.clock import Clock
from sobremesa.core.errors import Invalid, NotFound, Refusal, TooBig
from sobremesa.core.ids import Ids, is_ulid, time_of
from sobremesa.domains.attachments.entities import (
    Attachment,
    FileId,
    complete_file,
    discard_file,
    file_by_id,
    keep_file,
)
from sobremesa.domains.attachments.errors import (
    AttachmentInUse,
    AttachmentMissing,
    FilesUnavailable,
    NoPresignedUploads,
    UploadMissing,
    WrongType,
)
from sobremesa.domains.attachments.inspection import TYPES, plain_type
from sobremesa.domains.attachments.previews import MIME as PREVIEW_MIME
from sobremesa.domains.attachments.processing import StoredFile, UploadProcessor
from sobremesa.domains.attachments.serving import FileHeaders, file_headers
from sobremesa.domains.attachments.signed_urls import SignedUrls, Variant
from sobremesa.domains.attachments.stores import FileStore, Presigned, StorageKey, file_of, new_key
from sobremesa.domains.attachments.uploads import UploadedFile, clean_name
from sobremesa.domains.attachments.views import AttachmentView, in_message
from sobremesa.table import Create, Delete, Operation, Table, Update, absent_or_null, differs, equals, remove, set_to
from sobremesa.table.errors import ConditionFailed, TableError

MAX_PER_MESSAGE = 10
UNATTACHED_SECONDS = 24 * 3600
SWEPT_AFTER_SECONDS = 25 * 3600
"""Later than any row expires: bytes without a row by then never get one."""
SWEEP_EVERY_SECONDS = 3600
SWEPT_AT_ONCE = 100

_log = structlog.get_logger("sobremesa.domains.attachments")


class Readers(Protocol):
    """Decides who may read which message."""

    async def may_read(self, user_id: UserId, room_kind: str, room_id: str, message_id: str | None) -> bool:
        """Return whether a user may read a message of a room, or the room itself if there is no message."""
        ...

    async def is_visible_to_all(self, room_kind: str, room_id: str, message_id: str) -> bool:
        """Return whether all readers of the room may see a message."""
        ...


class OpenedFile(NamedTuple):
    """A file that a user may download now."""

    key: StorageKey
    headers: FileHeaders
    url: str | None
    """Where the client fetches it; None if this server sends the bytes."""


class Attachments:
    """The files of one table."""

    def __init__(
        self,
        table: Table,
        clock: Clock,
        ids: Ids,
        *,
        store: FileStore,
        readers: Readers,
        secret: bytes,
        max_bytes: int,
    ) -> None:
        self.max_bytes = max_bytes
        self.store = store
        self._table = table
        self._clock = clock
        self._ids = ids
        self._readers = readers
        self._urls = SignedUrls(secret, clock)
        self._processor = UploadProcessor(store, max_bytes=max_bytes)

    # Uploading

    async def receive(self, actor: Actor, file: UploadedFile, *, public: bool = False) -> AttachmentView:
        """Store an upload if its content is accepted; a public file must be an image."""
        file_id = FileId(self._ids.mint())
        stored = await self._processor.process(file_id, file, public=public)

        created = await self._table.write(
            Create(
                Attachment(
                    file_id=file_id,
                    owner_id=actor.user_id,
                    tenant=stored_tenant(actor.tenant),
                    name=clean_name(file.name),
                    public=public,
                    created_at=self._clock.now(),
                    ttl=None if public else self._a_day_from_now(),
                    **stored._asdict(),
                )
            ),
            pattern=keep_file,
        )

        return self._view(created, actor.user_id)

    async def presign(
        self, actor: Actor, *, name: str, mime: str, size: int, public: bool = False
    ) -> tuple[FileId, Presigned]:
        """Return a request that uploads a file directly to the store; NoPresignedUploads if it has none."""
        declared = plain_type(mime)
        if size > self.max_bytes:
            raise TooBig(f"A file may have at most {self.max_bytes} bytes.", limit=self.max_bytes)
        if declared not in TYPES:
            raise WrongType
        file_id = FileId(self._ids.mint())
        key = new_key(file_id)
        presigned = await self.store.presign_upload(key, declared, size)
        if presigned is None:
            raise NoPresignedUploads

        await self._table.write(
            Create(
                Attachment(
                    file_id=file_id,
                    owner_id=actor.user_id,
                    tenant=stored_tenant(actor.tenant),
                    name=clean_name(name),
                    mime=declared,
                    size=size,
                    storage_key=key,
                    state="waiting",
                    public=public,
                    created_at=self._clock.now(),
                    ttl=self._a_day_from_now(),
                )
            ),
            pattern=keep_file,
        )

        return file_id, presigned

    async def complete(self, actor: Actor, file_id: FileId) -> AttachmentView:
        """Inspect and store a file that was uploaded directly; a refused one is deleted. Idempotent."""
        file = await self._table.get(file_by_id(file_id=file_id))
        if file is None or file.owner_id != actor.user_id:
            raise NotFound
        if file.state == "waiting":
            file = await self._complete(file)
        return self._view(file, actor.user_id)

    async def _complete(self, waiting: Attachment) -> Attachment:
        try:
            stored = await self._processor.process_presigned(waiting)
        except (Invalid, UploadMissing) as refusal:
            return await self._discard_refused(waiting, refusal)
        try:
            ready = await self._table.write(
                Update(
                    waiting.own_key(),
                    set_to(state="ready", **stored._asdict()),
                    remove("ttl") if waiting.public else (),
                    when=equals("state", "waiting"),
                ),
                pattern=complete_file,
            )
        except ConditionFailed:
            # A concurrent call was first, or the file was deleted.
            await self.store.delete(_stored_keys(stored))
            return await self._already_ready(waiting, NotFound())
        await self.store.delete([StorageKey(waiting.storage_key)])
        return ready

    async def _discard_refused(self, waiting: Attachment, refusal: Refusal) -> Attachment:
        """Delete a refused file and raise the refusal, unless a concurrent call has completed it."""
        if isinstance(refusal, Invalid):
            with contextlib.suppress(ConditionFailed):
                gone = await self._table.write(
                    Delete(waiting.own_key(), when=equals("state", "waiting")), pattern=discard_file
                )
                await self._delete_bytes([gone])
        return await self._already_ready(waiting, refusal)

    async def _already_ready(self, waiting: Attachment, otherwise: Refusal) -> Attachment:
        found = await self._table.get(file_by_id(file_id=waiting.file_id))
        if found is None or found.state == "waiting":
            raise otherwise
        return found

    # Fetching

    async def get(self, actor: Actor, file_id: FileId) -> AttachmentView:
        """Return a file with new URLs; NotFound if the actor may not fetch it."""
        file = await self._fetchable(actor.user_id, file_id)
        if file.is_hidden_from(actor):
            raise NotFound
        return self._view(file, actor.user_id)

    async def get_several(self, actor: Actor, file_ids: Sequence[FileId]) -> list[AttachmentView]:
        """Return those of the files that the actor may fetch, with new URLs."""
        files = await self._table.get_many([file_by_id(file_id=file_id) for file_id in file_ids], consistent=True)
        ready = [file for file in files if file and file.state == "ready" and not file.is_hidden_from(actor)]
        return [self._view(file, actor.user_id) for file in ready if await self._may_fetch(actor.user_id, file)]

    async def open(self, file_id: FileId, variant: Variant, token: str) -> OpenedFile:
        """Return the file of a signed URL; NotFound if the user of the URL may not fetch it any more.

        The tenant was checked when the URL was signed, and neither the user nor the file changes tenants.
        """
        user_id = self._urls.read(token, file_id, variant)
        file = await self._fetchable(user_id, file_id)
        key = file.storage_key if variant == "content" else file.preview_key
        if key is None:
            raise NotFound
        headers = file_headers(file.mime if variant == "content" else PREVIEW_MIME, file.name, public=file.public)

        url = await self.store.presign_download(StorageKey(key), headers.mime, headers.disposition)
        return OpenedFile(StorageKey(key), headers, url)

    async def _fetchable(self, user_id: UserId, file_id: FileId) -> Attachment:
        file = await self._table.get(file_by_id(file_id=file_id))
        if file is None or file.state != "ready" or not await self._may_fetch(user_id, file):
            raise NotFound
        return file

    async def _may_fetch(self, user_id: UserId, file: Attachment) -> bool:
        if file.public or file.owner_id == user_id:
            return True
        if file.room_kind is None or file.room_id is None:
            return False
        message_id = None if file.is_kept else file.message_id
        return await self._readers.may_read(user_id, file.room_kind, file.room_id, message_id)

    # In messages

    async def attachable(self, actor: Actor, file_ids: Sequence[str]) -> list[dict[str, Any]]:
        """Return what a message stores of these files; AttachmentMissing unless all are the actor's, ready and free.

        `attaching` checks it again in the transaction of the message.
        """
        if len(file_ids) > MAX_PER_MESSAGE or len(set(file_ids)) < len(file_ids):
            raise AttachmentMissing(limit=MAX_PER_MESSAGE)
        if not all(map(is_ulid, file_ids)):
            raise AttachmentMissing
        keys = [file_by_id(file_id=file_id) for file_id in file_ids]
        files = [file for file in await self._table.get_many(keys, consistent=True) if file is not None]
        if len(files) < len(file_ids) or not all(_is_unattached(file, actor.user_id) for file in files):
            raise AttachmentMissing
        return [in_message(file) for file in files]

    def attaching(self, file_id: str, *, room_kind: str, room_id: str, message_id: str, owner_id: UserId) -> Operation:
        """Return the operation that attaches a file to a message, for the transaction of the message."""
        return Update(
            Attachment.key(file_id=file_id),
            set_to(room_kind=room_kind, room_id=room_id, message_id=message_id),
            remove("ttl"),
            when=equals("state", "ready")
            & equals("owner_id", owner_id)
            & equals("public", False)
            & absent_or_null("room_id"),
        )

    async def keep(self, actor: Actor, file_id: FileId, *, room_kind: str, room_id: str) -> str | None:
        """Keep a file permanently as part of a room's records, and return its SHA-256.

        It must be the actor's own unattached file, or one that was sent in the room.
        """
        file = await self._fetchable(actor.user_id, file_id)
        is_free = file.room_id is None and file.owner_id == actor.user_id and not file.public
        if not is_free and (file.room_kind, file.room_id) != (room_kind, room_id):
            raise NotFound
        # A record must not reveal the file of a withheld message.
        if file.message_id is not None and not await self._readers.is_visible_to_all(
            room_kind, room_id, file.message_id
        ):
            raise NotFound

        kept = set_to(is_kept=True, room_kind=room_kind, room_id=room_id)
        as_seen = absent_or_null("room_id") if file.room_id is None else equals("room_id", room_id)
        try:
            await self._table.write(Update(file.own_key(), kept, remove("ttl"), when=as_seen), pattern=keep_file)
        except ConditionFailed:
            raise NotFound from None

        return file.sha256

    async def remove(self, actor: Actor, file_id: FileId) -> None:
        """Delete the actor's own file that is not attached to a message."""
        key = Attachment.key(file_id=file_id)
        try:
            gone = await self._table.write(
                Delete(key, when=equals("owner_id", actor.user_id) & absent_or_null("room_id")), pattern=discard_file
            )
        except ConditionFailed:
            file = await self._table.get(file_by_id(file_id=file_id))
            if file is None or file.owner_id != actor.user_id:
                raise NotFound from None
            raise AttachmentInUse from None

        await self._delete_bytes([gone])

    @asynccontextmanager
    async def deleting(self, file_ids: Sequence[str]) -> AsyncIterator[list[Operation]]:
        """Yield the operations that delete files, for a transaction inside the block; then delete their bytes."""
        found = await self._table.get_many([file_by_id(file_id=file_id) for file_id in file_ids], consistent=True)
        files = [file for file in found if file is not None and not file.is_kept]
        yield [Delete(file.own_key(), when=differs("is_kept", True)) for file in files]
        await self._delete_bytes(files)

    async def _delete_bytes(self, gone: Sequence[Attachment | None]) -> None:
        """Delete the bytes of deleted rows. If that fails or never happens, a sweep deletes them."""
        keys = [StorageKey(key) for file in gone if file is not None for key in file.stored_keys]
        try:
            await self.store.delete(keys)
        except FilesUnavailable as error:
            _log.warning("could not delete files; a sweep will", count=len(keys), error=str(error))

    # Sweeping

    async def sweep(self) -> int:
        """Delete bytes older than a day that have no row, and return how many files they were."""
        now = self._clock.now_ms()
        swept = 0
        async for page in self.store.iter_keys():
            old = [key for key in page if _age_seconds(key, now) > SWEPT_AFTER_SECONDS]
            for start in range(0, len(old), SWEPT_AT_ONCE):
                swept += await self._sweep(old[start : start + SWEPT_AT_ONCE])
        return swept

    async def _sweep(self, keys: Sequence[StorageKey]) -> int:
        file_ids = dict.fromkeys(map(file_of, keys))
        rows = await self._table.get_many([file_by_id(file_id=file_id) for file_id in file_ids], consistent=True)
        kept = {key for row in rows if row is not None for key in row.stored_keys}
        gone = [key for key in keys if key not in kept]
        await self.store.delete(gone)
        return len(gone)

    async def sweep_periodically(self) -> None:
        """Sweep every hour, until cancelled."""
        while True:
            await asyncio.sleep(SWEEP_EVERY_SECONDS)
            try:
                await self.sweep()
            except (TableError, FilesUnavailable) as error:
                _log.warning("could not sweep files", error=str(error))

    def _view(self, file: Attachment, user_id: UserId) -> AttachmentView:
        return AttachmentView(
            file_id=file.file_id,
            name=file.name,
            kind=file.kind,
            mime=file.mime,
            size=file.size,
            width=file.width,
            height=file.height,
            url=self._urls.of(file.file_id, user_id, "content", public=file.public),
            preview_url=self._urls.of(file.file_id, user_id, "preview", public=file.public)
            if file.preview_key
            else None,
            expires_at=self._urls.until(public=file.public),
        )

    def _a_day_from_now(self) -> int:
        return self._clock.now_seconds() + UNATTACHED_SECONDS


def _is_unattached(file: Attachment, user_id: UserId) -> bool:
    return file.state == "ready" and file.owner_id == user_id and not file.public and file.room_id is None


def _stored_keys(stored: StoredFile) -> list[StorageKey]:
    return [key for key in (stored.storage_key, stored.preview_key) if key is not None]


def _age_seconds(key: StorageKey, now_ms: int) -> float:
    """Return the age of a file; 0 for a key that is not one of this store's."""
    file_id = file_of(key)
    return (now_ms - time_of(file_id)) / 1000 if is_ulid(file_id) else 0
