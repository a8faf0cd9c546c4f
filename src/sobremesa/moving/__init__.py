"""Moves all data of one store to another, between engines too: through a file, or directly while it is in use.

- `stores`: the rows and keys of a store, and which rows are moved
- `exports`: the format of exported files; `dynamodb_exports`: the format of DynamoDB's exports to S3
- `exporting`, `importing`: writing and reading these, with the progress in a state file
- `copying`: a copy that follows the changes; `comparing`: the differences of two stores
- `files`: uploaded files; `backups`: everything of a SQLite store in one file
- `state_files`: small files that are replaced atomically
"""
