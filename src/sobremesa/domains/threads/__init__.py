"""Threads: conversations between a buyer and a seller, with action cards and a project panel.

- `entities`: the rows, and their access patterns
- `access`: participants, their rights, and the authorization of messages
- `inbox`: the order of threads in each participant's inbox
- `service`: threads and their messages; `participants`: adding and removing participants
- `card_types`: the types of cards and their transitions, as data; `cards`: creating and moving cards
- `tabs`: the project panel
- `cleanup`: the data of deleted accounts
- `api`, `project_api`: the routes
"""
