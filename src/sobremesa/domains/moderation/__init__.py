"""Moderation: what may not be said, and the people who decide about it; for every kind of room.

- `policy`: the judge that comes with it, made of a file of words, links and mentions
- `folding`: words as they are compared, however they are written; `links`: where links lead
- `toml`: files of rules, and the line where they are wrong
- `entities`, `review`, `api`: the queue of cases, and what is decided about them

What a room does with a verdict, and who may see what, is in `rooms.judging` and `rooms.visibility`.
"""
