"""Memory of what was made before, as much as fits.

Two generations instead of a list of uses: what is asked for again moves to the young one, and when that is full the
old one is forgotten. It costs one look into a dictionary.
"""

from __future__ import annotations

from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Memory(Generic[K, V]):
    """Keeps at least the last things of this weight together, and at most twice as much."""

    __slots__ = ("_limit", "_old", "_weight", "young")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._weight = 0
        self.young: dict[K, V] = {}
        """What was kept or found last; a hot path may look here first."""
        self._old: dict[K, V] = {}

    def find(self, key: K, weight: int = 1) -> V | None:
        """What was kept under a key, or None if it was never kept or is forgotten."""
        value = self.young.get(key)
        if value is None:
            value = self._old.get(key)
            if value is not None:
                self.keep(key, value, weight)
        return value

    def keep(self, key: K, value: V, weight: int = 1) -> None:
        """Remember something; `weight` is its part of the limit."""
        self._weight += weight
        if self._weight > self._limit:
            self._old, self.young, self._weight = self.young, {}, weight
        self.young[key] = value
