"""The table explorer: the schema of the application, its access patterns run by hand, partitions row by row, and costs.

It only reads, and it is for operators: administrators of the operators' tenant, and its server keys with `table:read`.

- `service`: runs patterns and reads partitions, with secrets left out
- `views`: what it returns
- `api`: the routes
"""
