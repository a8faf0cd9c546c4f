"""Results of other systems, measured once on a machine of two cores, on another day: an order of magnitude only."""

from __future__ import annotations

from typing import NamedTuple

NOTE = (
    "The other systems were measured on another day, on a machine of two shared cores (server on one, client on the "
    "other), where identical runs differ by 30 %. socket.io stores nothing."
)
NONE = "-"


class Peer(NamedTuple):
    """The results of another system, as displayed."""

    name: str
    sends_1: str = NONE
    sends_32: str = NONE
    broadcast_200: str = NONE
    broadcast_1000: str = NONE
    p99_of_1000: str = NONE
    pages: str = NONE
    memory: str = NONE


PEERS = (
    Peer(
        "ejabberd 23.01 + PostgreSQL", "840", "1,190", "22,000", "18,500", "281 ms", "122", "85 → 150 MB + PostgreSQL"
    ),
    Peer("Prosody 0.12 + SQLite", "330", "380", "4,800", "5,700", NONE, "45", "16 → 60 MB"),
    Peer("Synapse 1.163, SQLite", "34", "50", "200", NONE, NONE, "117", "118 → 176 MB"),
    Peer("socket.io 4.8", "5,700", "11,500", "80,000", "94,000", "34 ms", NONE, "51 → 101 MB"),
)
