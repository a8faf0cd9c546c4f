"""The embedded engine: one SQLite file that behaves as a DynamoDB table.

file      opening, the schema, refusing what is not ours
codec     items as bytes
rows      items and index entries in SQL
known_rows those that the writer read or changed last
reads     pages of queries and scans, cut where DynamoDB cuts them
writer    group commit: every waiting write, one fsync
changelog the durable, ordered stream of changes
log_rows  its compressed rows in the file
sweeper   what is deleted by the clock
engine    all of it behind the engine protocol
"""

from sobremesa.table.engines.embedded.engine import EmbeddedEngine

__all__ = ["EmbeddedEngine"]
