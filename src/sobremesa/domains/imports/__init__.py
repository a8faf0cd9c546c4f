"""Imports of history: messages of another system, with their own times and authors.

- `records`: the lines of an import, and how they are decoded
- `service`: runs an import, batch after batch
- `preparing`: resolves the rooms, authors, mentions and replies of a batch
- `files`, `downloads`: the files that messages name by path or URL
- `rooms`: creates the rooms that an import declares, once
- `api`: the route
"""
