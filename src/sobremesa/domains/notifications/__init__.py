"""Notifications: what users choose, and the digest, a mail about what is unread.

- `service`: the choices of a user; `quiet_hours`: when no digest is sent
- `schedule`: when a user is looked at next, by rows in time buckets
- `digests`: looks at users who are due, and sends at most one digest for each window
- `unread`: what a digest is made of; `digest_mail`: the mail
- `unsubscribing`: the signed links of digests, and their page
"""
