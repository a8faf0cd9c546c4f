"""Nodes come to have about as many shards each, from any start, and then leave each other alone."""

from __future__ import annotations

import random

import pytest

from sobremesa.work.consumers.assignment import room_of, surplus_of


def step(held: dict[str, int], shards: int, chance: random.Random) -> dict[str, int]:
    """Let every node, in any order, give up what is too much, or acquire what it may."""
    held = dict(held)
    for node in chance.sample(sorted(held), len(held)):
        surplus = surplus_of(node, held)
        held[node] -= surplus
        if not surplus:
            free = shards - sum(held.values())
            held[node] += min(free, room_of(node, held, free))
    return held


@pytest.mark.parametrize("seed", range(50))
def test_shards_are_shared_evenly_from_any_start(seed: int) -> None:
    chance = random.Random(seed)
    shards, count = chance.randrange(1, 30), chance.randrange(1, 9)
    held = {f"n{number}": 0 for number in range(count)}
    for _ in range(chance.randrange(shards + 1)):
        held[chance.choice(sorted(held))] += 1

    for _ in range(2 * shards):
        held = step(held, shards, chance)

    assert sum(held.values()) == shards
    assert max(held.values()) - min(held.values()) <= 1
    assert step(held, shards, chance) == held, "nothing moves any more"
