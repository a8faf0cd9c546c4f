"""The known differences of the test endpoints from DynamoDB: one name and one sentence each.

A contract test that meets a gap refers to it by name and asserts what the endpoint does instead. The differential test
avoids some of them, and refers to their names. The DynamoDB engine itself has no gaps: these are bugs of the servers.
"""

from __future__ import annotations

from table.engines import Store

_DYNOXIDE = {
    "projection-charged": "A get of some fields is charged for those fields, not for the whole item.",
    "list-padded": "Setting an index beyond the end of a list fills the indexes in between with NULL.",
    "remove-nowhere": "Removing a path whose container is missing, or is text, is silently ignored.",
    "unchanged-logged": "The stream contains writes that changed nothing.",
    "page-scanned-one-more": "A page that ends at 1 MB counts the item that did not fit as scanned.",
    "reads-unlimited": "The items that a transaction reads may have more than 4 MB.",
    "prefix-ignores-case": "begins_with on a sort key ignores the case of ASCII letters.",
    "warm-throughput-ignored": "The warm throughput of a new table is ignored.",
    "recovery-unknown": "Point-in-time recovery cannot be turned on, nor asked for.",
    "autoscaling-unknown": "The endpoint has no Application Auto Scaling: a provisioned table is not scaled.",
}

_MOTO = {
    "batch-deletes-last": "The stream has the deletes of a batch after its puts. DynamoDB specifies no order of items.",
    "missing-equal": "A missing attribute equals another missing attribute, and NULL.",
    "kinds-crash": "Comparing the order of two types of value returns status 500.",
    "bytes-unsearched": "begins_with and contains never hold for bytes.",
    "truth-is-number": "True equals 1, and False equals 0.",
    "size-in-characters": "The size of a text counts characters instead of UTF-16 units.",
    "size-crash": "The size of a number or of a missing attribute returns status 500.",
    "path-into-text": "Setting a path into text, or a name in a list, is silently ignored.",
    "remove-crash": "Removing a path into text returns status 500.",
    "limit-at-end": "A page whose limit is met by the last item has no start for a next page.",
    "item-limit": "An item may have 405,000 bytes instead of 409,600.",
    "map-unwrapped": "A map with the name of a type such as S is returned as another value.",
    "token-ignored": "An idempotency token has no effect: a repeated transaction is executed again.",
    "transaction-unlimited": "The items of a transaction may have more than 4 MB.",
    "reads-unlimited": "The items that a transaction reads may have more than 4 MB.",
    "reads-limited-to-25": "A transaction reads at most 25 items instead of 100.",
    "invalid-update-first": "A transaction with an update that is not valid for its item reports only that error.",
    "update-logged-twice": "The stream contains an item that an update created twice.",
    "unchanged-logged": "The stream contains writes that changed nothing.",
    "capacity-constant": "Consumed capacity is a constant of the action, whatever the size; it is never compared.",
    "writes-race": "Parallel writes and transactions over the same items lose commits.",
    "index-page-of-whole-items": "A page of an index ends at 1 MB of whole items, whatever the index projects.",
    "sum-rounded": "A sum of more than 38 digits is rounded instead of rejected.",
}

_DYNAMODB_LOCAL = {
    "equal-keys-unordered": "Items with equal keys in an index are in the order of a hash. DynamoDB specifies none.",
    "batch-deletes-last": "The stream has the deletes of a batch after its puts. DynamoDB specifies no order of items.",
    "page-ends-at-bound": "A page of a range that ends with the bound itself has no start for a next page.",
    "page-starts-at-bound": "A page of a range cannot start at its last key, although DynamoDB returns such starts.",
    "page-exceeds-a-megabyte": "A page ends after the item that makes it larger than 1 MB, not before it.",
    "index-page-of-whole-items": "A page of an index ends at 1 MB of whole items, whatever the index projects.",
    "invalid-update-first": "A transaction with an update that is not valid for its item reports only that error.",
    "absent-uncharged": "A batch is not charged for keys without an item, nor a query that finds nothing.",
    "batch-deletes-charged": "A batch write is charged more for the items it replaces or deletes.",
    "transaction-capacity": "Transactions are charged otherwise: twice for indexes, and for several items as for one.",
    "replay-charged-as-write": "A transaction that is sent again is charged as a write, not as a read.",
    "warm-throughput-ignored": "The warm throughput of a new table is ignored.",
    "recovery-unknown": "Point-in-time recovery cannot be turned on, nor asked for.",
    "autoscaling-unknown": "The endpoint has no Application Auto Scaling: a provisioned table is not scaled.",
    "key-ignored": "The KMS key of a new table is ignored.",
    "tags-ignored": "The tags of a new table are ignored, and cannot be asked for.",
}

GAPS: dict[Store, dict[str, str]] = {
    "embedded-file": {},
    "embedded-memory": {},
    "dynoxide-memory": _DYNOXIDE,
    "dynamodb-local": _DYNAMODB_LOCAL,
    "moto": _MOTO,
}


def has(store: Store, gap: str) -> bool:
    """Return whether this is a known gap of the store. The name must be a gap of some store."""
    if not any(gap in named for named in GAPS.values()):
        raise KeyError(f"no store has a gap called {gap!r}")
    return gap in GAPS[store]
