"""A bounded cache that costs one dictionary lookup per hit.

Two generations instead of a list ordered by use: an entry that is read again moves to the young generation, and when
that is full the old generation is dropped.
"""

from __future__ import annotations

from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Cache(Generic[K, V]):
    """Keeps at least the entries used last, up to a total weight, and at most twice that."""

    __slots__ = ("_limit", "_old", "_weight", "young")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._weight = 0
        self.young: dict[K, V] = {}
        """The entries that were stored or read last; a hot path may look here first."""
        self._old: dict[K, V] = {}

    def find(self, key: K, weight: int = 1) -> V | None:
        """Return the value of a key, or None if it was never stored or has been dropped."""
        value = self.young.get(key)
        if value is None:
            value = self._old.get(key)
            if value is not None:
                self.keep(key, value, weight)
        return value

    def keep(self, key: K, value: V, weight: int = 1) -> None:
        """Store a value; `weight` is its share of the limit."""
        self._weight += weight
        if self._weight > self._limit:
            self._old, self.young, self._weight = self.young, {}, weight
        self.young[key] = value
