"""Conversations: two people, or a group, who talk with each other.

- `entities`: the rows, and the questions about them
- `access`: who is in a conversation, and its door
- `service`: making, finding and changing conversations; `seats`: who comes into a group and who goes
- `inbox`: a person's conversations, the newest activity first; `activity`: how that order is kept
- `cleanup`: what a deleted account leaves behind
- `api`: the routes
"""
