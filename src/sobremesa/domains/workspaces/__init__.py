"""Workspaces: a group of users with shared items and settings.

- `entities`: stored rows and access patterns; `rights`: what each role may do; `access`: the membership check
- `service`: workspaces themselves; `members`, `invites`, `items`, `settings`: one noun each
- `legacy`: rows of the design before workspaces, read while they are migrated; `moving`: their migration
- `adopting`: completes the workspaces of another writer; `recounting`: checks their counters
- `cleanup`: what remains of deleted workspaces and accounts
- `api`: the routes; `views`: their responses; `events`: what is published
"""
