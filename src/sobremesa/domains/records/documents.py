"""SQL statements for documents, their versions and signatures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Row, Select, and_, exists, func, insert, literal, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from sobremesa.core.clock import Instant
from sobremesa.domains.records.panels import upsert
from sobremesa.domains.records.schema import Moment, document_versions, documents, signatures
from sobremesa.domains.records.views import Document, DocumentInFull, Role, Signature, Version

MAX_VERSIONS = 200

_doc = documents.c
_version = document_versions.c
_signature = signatures.c


class Content(NamedTuple):
    """The content of a version: a text, or a file."""

    body: str | None
    file_id: str | None
    sha256: str | None
    note: str | None


async def add(
    connection: AsyncConnection,
    document_id: str,
    thread_id: str,
    *,
    title: str,
    kind: str,
    content: Content,
    user_id: str,
    now: Instant,
) -> None:
    """Insert a draft with its first version."""
    await connection.execute(
        insert(documents).values(
            id=document_id,
            thread_id=thread_id,
            title=title,
            kind=kind,
            state="draft",
            current_version=1,
            created_by=user_id,
            created_at=now,
            updated_at=now,
        )
    )
    await _add_version(connection, document_id, 1, content, user_id, now)


async def revise(
    connection: AsyncConnection,
    thread_id: str,
    document_id: str,
    *,
    seen: int,
    content: Content,
    user_id: str,
    now: Instant,
) -> bool:
    """Add a version after `seen`; False unless that is the current version of a document that is not void."""
    moved = await connection.execute(
        update(documents)
        .where(
            _doc.id == document_id,
            _doc.thread_id == thread_id,
            _doc.current_version == seen,
            _doc.current_version < MAX_VERSIONS,
            _doc.state != "void",
        )
        .values(current_version=seen + 1, state="draft", updated_at=now)
    )
    if moved.rowcount == 0:
        return False
    await _add_version(connection, document_id, seen + 1, content, user_id, now)
    return True


async def sign(
    connection: AsyncConnection,
    thread_id: str,
    document_id: str,
    *,
    version: int,
    user_id: str,
    role: Role,
    now: Instant,
) -> bool:
    """Sign a version; False unless it is current, the document is not void, and the user has not signed it."""
    signable = select(_doc.id, literal(version), literal(user_id), literal(role), literal(now, type_=Moment())).where(
        _doc.id == document_id,
        _doc.thread_id == thread_id,
        _doc.current_version == version,
        _doc.state != "void",
    )
    signed = await connection.execute(
        upsert(connection, signatures)
        .from_select(["document_id", "version", "user_id", "role", "signed_at"], signable)
        .on_conflict_do_nothing()
        .returning(_signature.user_id)
    )
    if signed.first() is None:
        return False
    both = and_(*(_has_signed(role) for role in ("buyer", "seller")))
    await connection.execute(
        update(documents).where(_doc.id == document_id, _doc.state == "draft", both).values(state="signed")
    )
    await connection.execute(update(documents).where(_doc.id == document_id).values(updated_at=now))
    return True


async def void(
    connection: AsyncConnection, thread_id: str, document_id: str, *, user_id: str, is_admin: bool, now: Instant
) -> bool:
    """Void a document; False if it is void already or the user may not."""
    may = [] if is_admin else [_doc.state == "draft", _doc.created_by == user_id]
    ended = await connection.execute(
        update(documents)
        .where(_doc.id == document_id, _doc.thread_id == thread_id, _doc.state != "void", *may)
        .values(state="void", updated_at=now)
    )
    return ended.rowcount > 0


async def find(connection: AsyncConnection, thread_id: str, document_id: str) -> Document | None:
    """Return a document of the thread, or None."""
    found = await _with_signatures(connection, _current(thread_id).where(_doc.id == document_id))
    return found[0] if found else None


async def find_in_full(
    connection: AsyncConnection, thread_id: str, document_id: str, version: int | None = None
) -> DocumentInFull | None:
    """Return a document with all versions and the text of one, by default the current; None if there is none."""
    document = await find(connection, thread_id, document_id)
    if document is None:
        return None
    rows = await connection.execute(
        select(document_versions).where(_version.document_id == document_id).order_by(_version.version)
    )
    shown = version or document.current_version
    by_version = await _signatures_of(connection, [document_id])
    versions: list[Version] = []
    body: str | None = None
    known = False
    for row in rows:
        versions.append(_version_view(row, by_version.get((document_id, row.version), [])))
        if row.version == shown:
            body, known = row.body, True
    if not known:
        return None
    values = {name: getattr(document, name) for name in document.__struct_fields__}
    return DocumentInFull(**values, versions=versions, shown_version=shown, body=body)


async def newest(
    connection: AsyncConnection, thread_id: str, *, limit: int, before: str | None = None
) -> list[Document]:
    """List documents of a thread, newest first."""
    question = _current(thread_id).order_by(_doc.id.desc()).limit(limit)
    return await _with_signatures(connection, question if before is None else question.where(_doc.id < before))


async def count(connection: AsyncConnection, thread_id: str) -> int:
    """Return the number of documents of a thread."""
    counted = await connection.execute(select(func.count()).select_from(documents).where(_doc.thread_id == thread_id))
    return counted.scalar_one()


def _has_signed(role: str) -> Any:
    return exists().where(
        _signature.document_id == _doc.id, _signature.version == _doc.current_version, _signature.role == role
    )


async def _add_version(
    connection: AsyncConnection, document_id: str, version: int, content: Content, user_id: str, now: Instant
) -> None:
    await connection.execute(
        insert(document_versions).values(
            document_id=document_id, version=version, created_by=user_id, created_at=now, **content._asdict()
        )
    )


def _current(thread_id: str) -> Select[Any]:
    return (
        select(documents, _version.file_id, _version.sha256)
        .join(document_versions, and_(_version.document_id == _doc.id, _version.version == _doc.current_version))
        .where(_doc.thread_id == thread_id)
    )


async def _with_signatures(connection: AsyncConnection, question: Select[Any]) -> list[Document]:
    rows = (await connection.execute(question)).all()
    signed = await _signatures_of(connection, [row.id for row in rows])
    return [_view(row, signed.get((row.id, row.current_version), [])) for row in rows]


async def _signatures_of(
    connection: AsyncConnection, document_ids: Sequence[str]
) -> Mapping[tuple[str, int], list[Signature]]:
    if not document_ids:
        return {}
    rows = await connection.execute(
        select(signatures)
        .where(_signature.document_id.in_(document_ids))
        .order_by(_signature.signed_at, _signature.user_id)
    )
    found: dict[tuple[str, int], list[Signature]] = {}
    for row in rows:
        found.setdefault((row.document_id, row.version), []).append(Signature(row.user_id, row.role, row.signed_at))
    return found


def _view(row: Row[Any], signed: Iterable[Signature]) -> Document:
    return Document(
        document_id=row.id,
        thread_id=row.thread_id,
        title=row.title,
        kind=row.kind,
        state=row.state,
        current_version=row.current_version,
        file_id=row.file_id,
        sha256=row.sha256,
        signatures=list(signed),
        created_by=row.created_by,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _version_view(row: Row[Any], signed: list[Signature]) -> Version:
    return Version(row.version, row.file_id, row.sha256, row.note, row.created_by, row.created_at, signed)
