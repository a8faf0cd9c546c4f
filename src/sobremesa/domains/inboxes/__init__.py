"""Inboxes: notifications of a tenant to some of its users, or to all of them (a broadcast).

- `entities`: stored rows and access patterns; `contents`, `message_ids`, `durations`: the types of their fields
- `tenancy`, `configuring`: who may use which tenant; settings, inboxes and the lifetime of messages
- `publishing`, `delivery`: a broadcast is one row, a message to many users is delivered by a job
- `partitions`, `message_counts`, `current_counts`: where rows are counted, what a row counts for, exact counts
- `broadcast_floor`: which broadcasts a user sees
- `listing`, `marking`, `counting`, `preferences`: the operations of users
- `expiring`, `reconciling`: counting rows that the store has expired, and recounting everything
- `api`: the routes; `views`: their responses; `events`: what is published
- `cleanup`: account deletion and export; `service`: the verbs of all parts
"""
