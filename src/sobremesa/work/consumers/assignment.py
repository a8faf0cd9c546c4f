"""Which shards a node gives up and which it acquires, so that all nodes have about as many."""

from __future__ import annotations

from collections.abc import Mapping


def surplus_of(node_id: str, held: Mapping[str, int]) -> int:
    """Return how many shards a node has to give up; `held` is how many each live node has."""
    least, most = _fair_share(held, sum(held.values()))
    own = held[node_id]
    if own > most:
        return own - most
    lacking = any(count < least for count in held.values())
    return 1 if own > least and lacking else 0


def room_of(node_id: str, held: Mapping[str, int], free: int) -> int:
    """Return how many of the free shards a node may acquire."""
    least, most = _fair_share(held, sum(held.values()) + free)
    own = held[node_id]
    others_lack = any(count < least for other, count in held.items() if other != node_id)
    return max(0, (least if others_lack else most) - own)


def _fair_share(held: Mapping[str, int], shards: int) -> tuple[int, int]:
    return shards // len(held), -(-shards // len(held))
