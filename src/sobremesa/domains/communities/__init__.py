"""Communities: servers with members, roles, channels, invites and bans.

- `entities`: the rows, and the questions about them
- `permissions`: which role may do what
- `access`: who is in a server, and the door of its channels
- `service`: servers and channels; `membership`: members, bans and invites
- `cleanup`: what a deleted server, channel or account leaves behind, taken away by jobs
- `api`: the routes
"""
