"""Records: the contractual truth of marketplace threads, in a relational store.

- `service`: the verbs; `documents`, `amendments`, `expenses`, `history`, `repeats` are their statements
- `panels`, `snapshots`, `outbox`: how what a thread's tabs show follows from the records, and reaches the one table
- `schema`, `migrations`, `migrating`, `database`: the tables, how they came to be, and transactions over them
- `address`, `opening`: where the records are, and opening them when somebody first needs them
- `neighbours`: what records need of threads and files; `views`, `errors`, `api`: what clients see

SQLAlchemy is loaded by `opening`, when the records are opened, and by nobody else.
"""
