"""Communities: servers with members, roles, channels, invites and bans.

- `entities`: the entities and their access patterns
- `permissions`: the rights of each role
- `access`: authorization in servers and channels
- `service`: servers, channels and their messages; `members`: members and bans; `invites`
- `cleanup`: jobs that remove the rows of deleted servers, channels and accounts
- `views`, `api`, `events`: what clients see
"""
