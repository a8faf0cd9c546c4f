"""The relational tables. Invariants are constraints here; `migrations` creates the same tables."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    Column,
    Date,
    DateTime,
    Dialect,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.types import TypeDecorator, TypeEngine

from sobremesa.core.clock import Instant, instant

REVISIONS = ("0001",)
"""All revisions of the schema that this version knows, oldest first; any other one is newer."""

METADATA = MetaData()


class Moment(TypeDecorator[Instant]):
    """An instant: a timestamp with time zone in PostgreSQL, fixed-width text in SQLite."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return dialect.type_descriptor(String(24) if dialect.name == "sqlite" else DateTime(timezone=True))

    def process_bind_param(self, value: Instant | None, dialect: Dialect) -> Any:
        if value is None or dialect.name == "sqlite":
            return value
        return datetime.fromisoformat(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> Instant | None:
        if not isinstance(value, datetime):
            return value  # type: ignore[no-any-return]  # None, or SQLite's text
        whole = value.astimezone(UTC)
        return instant(int(whole.replace(microsecond=0).timestamp()) * 1000 + whole.microsecond // 1000)


def _key() -> String:
    """Return the type of ids. Our own have 26 characters; those of users and files may come from elsewhere."""
    return String(200)


# SQLite auto-increments INTEGER columns only.
_COUNTING = BigInteger().with_variant(Integer, "sqlite")

documents = Table(
    "documents",
    METADATA,
    Column("id", _key(), primary_key=True),
    Column("thread_id", _key(), nullable=False),
    Column("title", Text, nullable=False),
    Column("kind", String(20), nullable=False),
    Column("state", String(20), nullable=False),
    Column("current_version", Integer, nullable=False),
    Column("created_by", _key(), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    CheckConstraint("kind IN ('contract', 'release', 'license', 'other')", name="documents_kind"),
    CheckConstraint("state IN ('draft', 'signed', 'void')", name="documents_state"),
    CheckConstraint("current_version > 0", name="documents_version"),
    Index("documents_of_thread", "thread_id", "id"),
)

document_versions = Table(
    "document_versions",
    METADATA,
    Column("document_id", _key(), ForeignKey("documents.id", name="versions_document"), nullable=False),
    Column("version", Integer, nullable=False),
    Column("body", Text),
    Column("file_id", _key()),
    Column("sha256", String(64)),
    Column("note", Text),
    Column("created_by", _key(), nullable=False),
    Column("created_at", Moment, nullable=False),
    PrimaryKeyConstraint("document_id", "version", name="document_versions_pk"),
    CheckConstraint("(body IS NULL) <> (file_id IS NULL)", name="versions_one_content"),
    CheckConstraint("body IS NULL OR sha256 IS NOT NULL", name="versions_digest"),
)

signatures = Table(
    "signatures",
    METADATA,
    Column("document_id", _key(), nullable=False),
    Column("version", Integer, nullable=False),
    Column("user_id", _key(), nullable=False),
    Column("role", String(20), nullable=False),
    Column("signed_at", Moment, nullable=False),
    PrimaryKeyConstraint("document_id", "version", "user_id", name="signatures_pk"),
    ForeignKeyConstraint(
        ["document_id", "version"],
        ["document_versions.document_id", "document_versions.version"],
        name="signatures_version",
    ),
    CheckConstraint("role IN ('buyer', 'seller')", name="signatures_role"),
)

amendments = Table(
    "amendments",
    METADATA,
    Column("id", _key(), primary_key=True),
    Column("thread_id", _key(), nullable=False),
    Column("document_id", _key(), ForeignKey("documents.id", name="amendments_document")),
    Column("card_message_id", _key(), nullable=False),
    Column("summary", Text, nullable=False),
    Column("payload", JSON, nullable=False),
    Column("accepted_by", _key(), nullable=False),
    Column("accepted_at", Moment, nullable=False),
    UniqueConstraint("card_message_id", name="amendments_card"),
    Index("amendments_of_thread", "thread_id", "id"),
)

expenses = Table(
    "expenses",
    METADATA,
    Column("id", _key(), primary_key=True),
    Column("thread_id", _key(), nullable=False),
    Column("title", Text, nullable=False),
    Column("amount", BigInteger, nullable=False),
    Column("currency", String(3), nullable=False),
    Column("category", Text, nullable=False),
    Column("receipt_file_id", _key()),
    Column("incurred_on", Date, nullable=False),
    Column("state", String(20), nullable=False),
    Column("version", Integer, nullable=False),
    Column("created_by", _key(), nullable=False),
    Column("created_role", String(20), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("decided_by", _key()),
    Column("decided_at", Moment),
    CheckConstraint("amount > 0", name="expenses_amount"),
    CheckConstraint("length(currency) = 3 AND currency = upper(currency)", name="expenses_currency"),
    CheckConstraint("state IN ('submitted', 'approved', 'rejected', 'void')", name="expenses_state"),
    CheckConstraint(
        "(state IN ('approved', 'rejected')) = (decided_by IS NOT NULL AND decided_at IS NOT NULL)",
        name="expenses_decision",
    ),
    CheckConstraint("decided_by IS NULL OR decided_by <> created_by", name="expenses_four_eyes"),
    Index("expenses_of_thread", "thread_id", "id"),
)

history = Table(
    "history",
    METADATA,
    Column("id", _COUNTING, primary_key=True, autoincrement=True),
    Column("thread_id", _key(), nullable=False),
    Column("subject_id", _key(), nullable=False),
    Column("action", String(50), nullable=False),
    Column("actor", _key(), nullable=False),
    Column("at", Moment, nullable=False),
    Column("details", JSON, nullable=False),
    Index("history_of_thread", "thread_id", "id"),
)

panels = Table(
    "panels",
    METADATA,
    Column("thread_id", _key(), nullable=False),
    Column("tab", String(20), nullable=False),
    Column("source_version", BigInteger, nullable=False),
    PrimaryKeyConstraint("thread_id", "tab", name="panels_pk"),
    CheckConstraint("tab IN ('docs', 'expenses')", name="panels_tab"),
)

outbox = Table(
    "outbox",
    METADATA,
    Column("id", _COUNTING, primary_key=True, autoincrement=True),
    Column("thread_id", _key(), nullable=False),
    Column("tab", String(20), nullable=False),
    Column("source_version", BigInteger, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("applied_at", Moment),
    UniqueConstraint("thread_id", "tab", "source_version", name="outbox_version"),
)
Index(
    "outbox_pending",
    outbox.c.id,
    postgresql_where=outbox.c.applied_at.is_(None),
    sqlite_where=outbox.c.applied_at.is_(None),
)

idempotency_keys = Table(
    "idempotency_keys",
    METADATA,
    Column("user_id", _key(), nullable=False),
    Column("key_hash", String(64), nullable=False),
    Column("body_hash", String(64), nullable=False),
    Column("made_id", _key(), nullable=False),
    Column("created_at", Moment, nullable=False),
    PrimaryKeyConstraint("user_id", "key_hash", name="idempotency_keys_pk"),
)

APPEND_ONLY = ("document_versions", "signatures", "amendments", "history")
"""Tables whose rows are never changed or deleted; triggers refuse it."""
