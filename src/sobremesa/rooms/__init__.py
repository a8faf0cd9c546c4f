"""Rooms: what channels, conversations and threads share, written once.

A kind of room keeps its own stored shapes. It gives them to `Rooms` as a `RoomKind`, and says with a `Door` who may
come in and do what; everything about messages then works for it.

- `entities`: the shapes that a kind of room fills in with its keys
- `kinds`: a kind of room, as the rows and questions that are its own
- `door`: who comes in, and with which rights
- `service`: the verbs; `sending`, `archive`, `reactions`, `pins`, `unread` and `rendering` hold a thought each
- `rewriting`: edits and tombstones, together with the room's preview
- `judging`: the judge that looks at what is said; `cases`: what a moderator should look at
- `visibility`: the one rule about who may see what a message says
- `traces`: what a person leaves behind in rooms
- `views`: messages as clients see them
- `api`: the routes, for each kind of room
"""
