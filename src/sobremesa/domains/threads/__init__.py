"""Threads: a buyer and a seller talk about something, make each other offers, and keep a project together.

- `entities`: the rows, and the questions about them
- `access`: who is in a thread and with which rights, and the door of its messages
- `inbox`: everybody's list of threads, moved by every message
- `service`: making, finding and closing threads; `participants`: who is in them
- `card_types`: what can be offered and how it may end, as data; `cards`: doing it
- `tabs`: the panel of a project
- `cleanup`: what a deleted account leaves behind
- `api`: the routes
"""
