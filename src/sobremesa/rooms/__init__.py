"""Rooms: what channels, conversations and threads have in common.

A kind of room defines its own stored entities. Its service inherits `Rooms` and passes them as a `RoomKind`, with a
`RoomAccess` that decides who may do what; every message operation then works for it.

- `entities`: the base entities, to which each kind of room adds its keys
- `kinds`: a kind of room: its entities and access patterns
- `context`: the services of other domains that rooms use
- `access`: authorization of actors in rooms
- `service`: the operations; `sending`, `archive`, `reactions`, `pins`, `unread` and `rendering` implement them
- `editing`: edits and deletions, which also update the room's preview
- `judging`: automatic moderation before a write; `cases`: the moderators' queue
- `visibility`: the rule that decides who may see the content of a message
- `user_data`: masking and export of a user's messages and reactions
- `views`: messages as clients see them
- `api`: the routes, for each kind of room
"""
