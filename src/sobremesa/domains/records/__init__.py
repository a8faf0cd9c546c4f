"""Records: the contracts, amendments and expenses of threads, in a relational store.

- `service`: the methods; `documents`, `amendments`, `expenses`, `history`, `idempotency`: their SQL statements
- `panels`, `snapshots`, `outbox`: how changed records reach the tabs of threads
- `schema`, `migrations`, `schema_upgrade`, `database`: the tables, their migrations, and transactions
- `address`, `opening`: where the records are, and how they are opened on first use
- `protocols`: what records need of threads and files; `views`, `errors`, `api`: what clients see

Only `opening` loads SQLAlchemy, when the records are opened.
"""
