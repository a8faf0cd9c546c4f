"""The rows of these tests, plain and as an entity."""

from __future__ import annotations

from sobremesa.table import Entity, Keys
from sobremesa.table.conditions import Condition
from sobremesa.table.engines.protocol import DeleteItem, PutItem, RawKey
from sobremesa.table.values import Value

KEY = RawKey("p", "s")


class Note(Entity):
    """Something that is kept under one key."""

    keys = Keys(pk="NOTE#{note_id}", sk="#METADATA")

    note_id: str
    text: str = ""
    reads: int = 0


def note(number: int, text: str = "") -> Note:
    return Note(note_id=f"n{number:03d}", text=text)


def put(sk: str = "s", pk: str = "p", when: Condition | None = None, **attributes: Value) -> PutItem:
    """A put of a stored item."""
    return PutItem(RawKey(pk, sk), {"pk": pk, "sk": sk, **attributes}, when)


def delete(sk: str, pk: str = "p") -> DeleteItem:
    """A delete without a condition."""
    return DeleteItem(RawKey(pk, sk))
