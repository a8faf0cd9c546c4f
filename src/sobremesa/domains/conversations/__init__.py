"""Conversations: direct conversations of two users, and groups.

- `entities`: the entities and their access patterns
- `access`: authorization in conversations
- `service`: conversations and their messages; `participants`: the participants of groups
- `inbox`: a user's conversations by activity; `activity`: updates that order
- `cleanup`: removes the rows of empty groups and deleted accounts
- `views`, `api`, `events`: what clients see
"""
