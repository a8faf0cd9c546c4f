"""Workspaces: a few people, and the items and settings that they share.

- `entities`: rows and questions; `rights`: which role may do what; `access`: the member check, one read
- `service`: workspaces themselves; `members`, `invitations`, `items`, `options`: one noun each
- `legacy`: rows of the design before workspaces, and how both are read while they are moved; `moving` moves them
- `adopting`: what another writer's workspaces lack; `cleanup`: what deleted ones leave behind
- `api`: the routes; `views`: what they answer
"""
