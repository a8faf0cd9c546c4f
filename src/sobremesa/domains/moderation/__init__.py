"""Moderation of all rooms: the policy that judges messages, and the review queue.

- `policy`: the built-in judge, which applies a file of rules about words, links and mentions
- `folding`: matches words regardless of spelling variants; `links`: finds the hosts of links
- `toml`: reads rule files, and reports the line of an error
- `entities`, `review`, `api`: the review queue and its decisions

`rooms.judging` and `rooms.visibility` apply verdicts and decide who may see what.
"""
