"""Inboxes: notifications of a tenant to its people, by name or to everyone.

- `entities`: the rows, and what can be asked; `contents`, `message_ids`, `durations`: what they are made of
- `tenancy`, `configuring`: who may reach which tenant; settings, inboxes and how long messages live
- `publishing`, `delivery`: to everyone by one row, to many by a job that can be killed
- `tallies`, `places`, `settling`, `standing`: what a row counts for, where it is counted, and counts that are exact
- `listing`, `marking`, `counting`, `preferences`: what a person reads and does
- `expiring`, `reconciling`: what the store removed by itself, and counting everything again
- `cleanup`: what a person leaves behind; `opening`: the parts, put together
"""
