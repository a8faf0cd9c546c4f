"""The operations on rows, as typed values for `Table.write`.

A create requires that the row is absent, an update or delete that it exists, in addition to `when=`; only an explicit
`when=always()` removes that. Several operations, each with a name, are one transaction, all or nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Generic, TypeAlias, TypeVar

from sobremesa.table.conditions import AllOf, Always, Condition, LessIfPresent, absent, always, present
from sobremesa.table.entities import Entity, Key
from sobremesa.table.updates import Changes

E_co = TypeVar("E_co", bound=Entity, covariant=True)


class Put(Generic[E_co]):
    """Store this row, replacing any row with its key."""

    __slots__ = ("entity", "when")

    def __init__(self, entity: E_co, *, when: Condition | None = None) -> None:
        self.entity = entity
        self.when = always() if when is None else when


class Create(Put[E_co]):
    """Store this row if there is none with its key."""

    __slots__ = ()

    def __init__(self, entity: E_co, *, when: Condition | None = None) -> None:
        super().__init__(entity, when=absent() if when is None else absent() & when)


class Update(Generic[E_co]):
    """Change some fields of an existing row."""

    __slots__ = ("changes", "key", "when")

    def __init__(self, key: Key[E_co], *changes: Changes, when: Condition | None = None) -> None:
        self.key = key
        self.changes: Changes = changes[0] if len(changes) == 1 else tuple(chain.from_iterable(changes))
        self.when = _if_present(when)


class Upsert(Update[E_co]):
    """Change some fields of a row, or create it with them. `when` applies to an existing row."""

    __slots__ = ()

    def __init__(self, key: Key[E_co], *changes: Changes, when: Condition | None = None) -> None:
        super().__init__(key, *changes, when=always())
        if when is not None:
            self.when = absent() | when


class Delete(Generic[E_co]):
    """Delete an existing row."""

    __slots__ = ("key", "when")

    def __init__(self, key: Key[E_co], *, when: Condition | None = None) -> None:
        self.key = key
        self.when = _if_present(when)


class Check(Generic[E_co]):
    """Change nothing; the transaction fails unless the condition holds for the row."""

    __slots__ = ("key", "when")

    def __init__(self, key: Key[E_co], *, when: Condition) -> None:
        self.key = key
        self.when = when


def _if_present(when: Condition | None) -> Condition:
    """Add the condition that the row exists: otherwise `less_if_present` and the like would create one."""
    if when is None:
        return _PRESENT
    if type(when) is LessIfPresent:
        return AllOf((_PRESENT, when))
    return when if isinstance(when, Always) else _PRESENT & when


_PRESENT = present()


Operation: TypeAlias = Put[Entity] | Update[Entity] | Delete[Entity] | Check[Entity]
Operations: TypeAlias = Operation | Sequence[Operation] | None
"""What one name of a transaction stands for: an operation, several similar ones, or none this time."""


_KINDS = (Put, Update, Delete, Check)


def in_order(named: Mapping[str, Operations]) -> tuple[Sequence[Operation], Sequence[str]]:
    """Return the operations of a transaction, and the name of each."""
    operations: list[Operation] = []
    names: list[str] = []
    for name, given in named.items():
        if given is None:
            continue
        group = (given,) if isinstance(given, _KINDS) else given
        operations += group
        names += [name] * len(group)
    return operations, names
