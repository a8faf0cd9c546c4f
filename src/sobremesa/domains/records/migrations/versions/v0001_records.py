"""Documents, amendments, expenses, the outbox, and what they need. A step is history: it is never changed."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

APPEND_ONLY = ("document_versions", "signatures", "amendments", "history")


def _key() -> sa.String:
    return sa.String(200)


def _moment() -> sa.types.TypeEngine[Any]:
    return sa.DateTime(timezone=True).with_variant(sa.String(24), "sqlite")


def _counting() -> sa.types.TypeEngine[int]:
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _documents()
    _money()
    _tabs()
    for table in APPEND_ONLY:
        _forbid_changes(table)


def _documents() -> None:
    op.create_table(
        "documents",
        sa.Column("id", _key(), primary_key=True),
        sa.Column("thread_id", _key(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("current_version", sa.Integer(), nullable=False),
        sa.Column("created_by", _key(), nullable=False),
        sa.Column("created_at", _moment(), nullable=False),
        sa.Column("updated_at", _moment(), nullable=False),
        sa.CheckConstraint("kind IN ('contract', 'release', 'license', 'other')", name="documents_kind"),
        sa.CheckConstraint("state IN ('draft', 'signed', 'void')", name="documents_state"),
        sa.CheckConstraint("current_version > 0", name="documents_version"),
    )
    op.create_index("documents_of_thread", "documents", ["thread_id", "id"])
    op.create_table(
        "document_versions",
        sa.Column("document_id", _key(), sa.ForeignKey("documents.id", name="versions_document"), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text()),
        sa.Column("file_id", _key()),
        sa.Column("sha256", sa.String(64)),
        sa.Column("note", sa.Text()),
        sa.Column("created_by", _key(), nullable=False),
        sa.Column("created_at", _moment(), nullable=False),
        sa.PrimaryKeyConstraint("document_id", "version", name="document_versions_pk"),
        sa.CheckConstraint("(body IS NULL) <> (file_id IS NULL)", name="versions_one_content"),
        sa.CheckConstraint("body IS NULL OR sha256 IS NOT NULL", name="versions_digest"),
    )
    op.create_table(
        "signatures",
        sa.Column("document_id", _key(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("user_id", _key(), nullable=False),
        sa.Column("role", sa.String(20), nullable=False),
        sa.Column("signed_at", _moment(), nullable=False),
        sa.PrimaryKeyConstraint("document_id", "version", "user_id", name="signatures_pk"),
        sa.ForeignKeyConstraint(
            ["document_id", "version"],
            ["document_versions.document_id", "document_versions.version"],
            name="signatures_version",
        ),
        sa.CheckConstraint("role IN ('buyer', 'seller')", name="signatures_role"),
    )
    op.create_table(
        "amendments",
        sa.Column("id", _key(), primary_key=True),
        sa.Column("thread_id", _key(), nullable=False),
        sa.Column("document_id", _key(), sa.ForeignKey("documents.id", name="amendments_document")),
        sa.Column("card_message_id", _key(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("accepted_by", _key(), nullable=False),
        sa.Column("accepted_at", _moment(), nullable=False),
        sa.UniqueConstraint("card_message_id", name="amendments_card"),
    )
    op.create_index("amendments_of_thread", "amendments", ["thread_id", "id"])


def _money() -> None:
    op.create_table(
        "expenses",
        sa.Column("id", _key(), primary_key=True),
        sa.Column("thread_id", _key(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.Column("currency", sa.String(3), nullable=False),
        sa.Column("category", sa.Text(), nullable=False),
        sa.Column("receipt_file_id", _key()),
        sa.Column("incurred_on", sa.Date(), nullable=False),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_by", _key(), nullable=False),
        sa.Column("created_role", sa.String(20), nullable=False),
        sa.Column("created_at", _moment(), nullable=False),
        sa.Column("decided_by", _key()),
        sa.Column("decided_at", _moment()),
        sa.CheckConstraint("amount > 0", name="expenses_amount"),
        sa.CheckConstraint("length(currency) = 3 AND currency = upper(currency)", name="expenses_currency"),
        sa.CheckConstraint("state IN ('submitted', 'approved', 'rejected', 'void')", name="expenses_state"),
        sa.CheckConstraint(
            "(state IN ('approved', 'rejected')) = (decided_by IS NOT NULL AND decided_at IS NOT NULL)",
            name="expenses_decision",
        ),
        sa.CheckConstraint("decided_by IS NULL OR decided_by <> created_by", name="expenses_four_eyes"),
    )
    op.create_index("expenses_of_thread", "expenses", ["thread_id", "id"])


def _tabs() -> None:
    op.create_table(
        "history",
        sa.Column("id", _counting(), primary_key=True, autoincrement=True),
        sa.Column("thread_id", _key(), nullable=False),
        sa.Column("subject_id", _key(), nullable=False),
        sa.Column("action", sa.String(50), nullable=False),
        sa.Column("actor", _key(), nullable=False),
        sa.Column("at", _moment(), nullable=False),
        sa.Column("details", sa.JSON(), nullable=False),
    )
    op.create_index("history_of_thread", "history", ["thread_id", "id"])
    op.create_table(
        "panels",
        sa.Column("thread_id", _key(), nullable=False),
        sa.Column("tab", sa.String(20), nullable=False),
        sa.Column("source_version", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("thread_id", "tab", name="panels_pk"),
        sa.CheckConstraint("tab IN ('docs', 'expenses')", name="panels_tab"),
    )
    op.create_table(
        "outbox",
        sa.Column("id", _counting(), primary_key=True, autoincrement=True),
        sa.Column("thread_id", _key(), nullable=False),
        sa.Column("tab", sa.String(20), nullable=False),
        sa.Column("source_version", sa.BigInteger(), nullable=False),
        sa.Column("created_at", _moment(), nullable=False),
        sa.Column("applied_at", _moment()),
        sa.UniqueConstraint("thread_id", "tab", "source_version", name="outbox_version"),
    )
    pending = sa.text("applied_at IS NULL")
    op.create_index("outbox_pending", "outbox", ["id"], postgresql_where=pending, sqlite_where=pending)
    op.create_table(
        "idempotency_keys",
        sa.Column("user_id", _key(), nullable=False),
        sa.Column("key_hash", sa.String(64), nullable=False),
        sa.Column("body_hash", sa.String(64), nullable=False),
        sa.Column("made_id", _key(), nullable=False),
        sa.Column("created_at", _moment(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "key_hash", name="idempotency_keys_pk"),
    )


def _forbid_changes(table: str) -> None:
    """The store itself keeps these rows as they were written."""
    if op.get_bind().dialect.name == "sqlite":
        for event in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{event.lower()} BEFORE {event} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
            )
        return
    op.execute(
        f"CREATE FUNCTION {table}_is_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{table} is append-only'; END $$"
    )
    op.execute(
        f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION {table}_is_append_only()"
    )
