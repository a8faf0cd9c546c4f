"""What the endpoints of the tests are known to get wrong: one name and one sentence each, in this one place.

A contract test that meets a gap asks for it by name and states what the endpoint does instead. The differential test
keeps away from some of them; each place where it does refers to the name here. The DynamoDB engine itself has no gaps
of its own here: these are mistakes of the servers behind it.
"""

from __future__ import annotations

from table.engines import Store

_DYNOXIDE = {
    "projection-charged": "A get of some fields is charged for the fields, not for the whole item.",
    "list-padded": "Setting a place beyond the end of a list fills the places in between with NULL.",
    "remove-nowhere": "Removing a path whose container is not there, or is text, passes in silence.",
    "unchanged-told": "The stream tells of writes that changed nothing.",
    "page-scanned-one-more": "A page that ends at a megabyte counts the item that no longer fitted as scanned.",
    "prefix-ignores-case": "begins_with on a sort key takes upper and lower case ASCII for the same.",
}

_MOTO = {
    "missing-equal": "An attribute that is missing equals another that is missing, and NULL.",
    "kinds-crash": "Comparing the order of two kinds of value answers with status 500.",
    "bytes-unsearched": "begins_with and contains never hold for bytes.",
    "truth-is-number": "True equals 1, and False equals 0.",
    "size-in-characters": "The size of a text counts characters and not UTF-16 units, as DynamoDB does.",
    "size-crash": "The size of a number or of nothing answers with status 500.",
    "path-into-text": "Setting a path that leads into text, or a name of a list, passes in silence.",
    "remove-crash": "Removing a path that leads into text answers with status 500.",
    "limit-at-end": "A page whose limit is met by the last item does not say that there may be more.",
    "item-limit": "An item may have 405,000 bytes and not 409,600.",
    "map-unwrapped": "A map with an empty name, or with the name of a kind such as S, comes back as something else.",
    "token-ignored": "An idempotency token has no effect: a transaction that is sent again is executed again.",
    "transaction-unlimited": "The items of a transaction may count more than 4 MB.",
    "unfit-told-first": "A transaction with an update that does not fit its item tells only of that.",
    "update-told-twice": "The stream tells twice of an item that an update made.",
    "unchanged-told": "The stream tells of writes that changed nothing.",
    "capacity-constant": "Consumed capacity is a constant of the action, whatever the size: it is never compared.",
    "writes-race": "Parallel writes and transactions over the same items lose commits.",
    "sum-rounded": "A sum of more than 38 digits is rounded instead of refused.",
}

GAPS: dict[Store, dict[str, str]] = {
    "embedded-file": {},
    "embedded-memory": {},
    "dynoxide-memory": _DYNOXIDE,
    "dynoxide-file": _DYNOXIDE,
    "moto": _MOTO,
}


def has(store: Store, gap: str) -> bool:
    """Is this a known gap of the store? The name must be one that some store has."""
    if not any(gap in named for named in GAPS.values()):
        raise KeyError(f"no store has a gap called {gap!r}")
    return gap in GAPS[store]
