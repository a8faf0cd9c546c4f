"""The checks that every engine makes before it reads or writes, so that all reject the same requests.

The rules are DynamoDB's own where it has one, and the stricter one where its endpoints differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from functools import cache

from sobremesa.table.conditions import Always
from sobremesa.table.engines.condition_checks import check_condition, check_filter, check_path, steps
from sobremesa.table.engines.protocol import (
    MAX_BATCH_GET,
    MAX_BATCH_WRITE,
    MAX_TRANSACTION_BYTES,
    MAX_TRANSACTION_ITEMS,
    CheckItem,
    DeleteItem,
    IndexKey,
    ItemWrite,
    PutItem,
    QueryRequest,
    RawKey,
    ScanRequest,
    SortBetween,
    SortCondition,
    SortEquals,
    SortPrefix,
    UpdateItem,
)
from sobremesa.table.errors import BadExpression, BadKey, TooLarge
from sobremesa.table.evaluation import kind_of
from sobremesa.table.keys import MAX_PK_BYTES, MAX_SK_BYTES, check_key, utf8_length
from sobremesa.table.layout import IndexLayout, Layout
from sobremesa.table.updates import Action, Add, AddToSet, Append, DeleteFromSet, Remove, Set, SetIfAbsent
from sobremesa.table.values import Item, Value, stored_value, weigh

MAX_SEGMENTS = 1_000_000
MAX_TOKEN_CHARACTERS = 36


def check_put(key: RawKey, item: Mapping[str, Value], layout: Layout) -> tuple[Item, int]:
    """Return the item in stored form and its size; raise BadKey, BadValue or TooLarge if it is invalid."""
    check_key(key.pk, key.sk)
    if item.get(layout.pk) != key.pk or item.get(layout.sk) != key.sk:
        raise BadKey(f"the item to put does not have its key {key} in {layout.pk} and {layout.sk}")
    for name, where, limit in _index_keys(layout):
        if name in item:
            _check_size(item[name], name, where, limit)
    return weigh(item)


def check_actions(actions: Sequence[Action], layout: Layout) -> None:
    """Raise BadExpression unless there are actions, on different paths, and none on the key of the table."""
    if not actions:
        raise BadExpression("an update needs at least one action")
    keys = layout.key_attributes()
    names = set()
    for action in actions:
        path = action.path
        if type(path) is str:
            names.add(path)
        # Most actions set or add to one attribute that is not a key, which is always valid.
        plain = type(action) is Set or (type(action) is Add and type(action.number) is int)
        if not plain or not path or type(path) is not str or path in keys:
            _check_action(action, layout)
    if len(names) < len(actions):
        _check_overlaps([steps(action.path) for action in actions])


def check_write(operation: ItemWrite, layout: Layout) -> tuple[Item, int] | None:
    """Check one operation; for a put, return the item in stored form and its size."""
    check_condition(operation.when)
    # On the path of every write, so by `type`: `match` and `isinstance` cost five times as much if they fail.
    if type(operation) is PutItem:
        return check_put(operation.key, operation.item, layout)
    check_key(operation.key.pk, operation.key.sk)
    if type(operation) is UpdateItem:
        check_actions(operation.actions, layout)
    elif type(operation) is CheckItem and type(operation.when) is Always:
        raise BadExpression(f"the check of {operation.key} checks nothing")
    return None


def check_transaction(operations: Sequence[ItemWrite]) -> None:
    """Raise BadExpression or TooLarge unless these are 1 to 100 operations on different items."""
    keys = [operation.key for operation in operations]
    if not 0 < len(set(keys)) == len(keys) <= MAX_TRANSACTION_ITEMS:
        _check_different(keys, "a transaction", MAX_TRANSACTION_ITEMS)


def check_transaction_bytes(size: int) -> None:
    """Raise TooLarge if the items of a transaction have more than 4 MB together."""
    if size > MAX_TRANSACTION_BYTES:
        raise TooLarge(f"the items of the transaction have {size} bytes together", MAX_TRANSACTION_BYTES)


def check_token(token: str | None) -> None:
    """Raise BadExpression unless this is a valid idempotency token."""
    if token is not None and not (1 <= len(token) <= MAX_TOKEN_CHARACTERS and token.isascii()):
        raise BadExpression(f"an idempotency token has 1 to {MAX_TOKEN_CHARACTERS} ASCII characters, not {len(token)}")


def check_batch_get(keys: Sequence[RawKey], fields: Collection[str] | None, layout: Layout) -> None:
    """Raise BadExpression, BadKey or TooLarge unless these are 1 to 100 different keys, and fields that include them.

    A response has no order: an item is recognized by its key.
    """
    check_fields(fields)
    if fields is not None and not {layout.pk, layout.sk} <= set(fields):
        raise BadExpression("the fields of a batch of reads must include the key")
    _check_different(keys, "a batch of reads", MAX_BATCH_GET)
    for key in keys:
        check_key(key.pk, key.sk)


def check_transaction_read(keys: Sequence[RawKey]) -> None:
    """Raise BadExpression, BadKey or TooLarge unless these are 1 to 100 different keys."""
    _check_different(keys, "a transaction", MAX_TRANSACTION_ITEMS)
    for key in keys:
        check_key(key.pk, key.sk)


def check_batch_write(operations: Sequence[PutItem | DeleteItem]) -> None:
    """Raise BadExpression or TooLarge unless these are 1 to 25 writes of different items, without conditions."""
    _check_different([operation.key for operation in operations], "a batch of writes", MAX_BATCH_WRITE)
    for operation in operations:
        if operation.when is not None and type(operation.when) is not Always:
            raise BadExpression(f"a batch takes no conditions, but the write of {operation.key} has one")


def check_query(request: QueryRequest, layout: Layout) -> None:
    """Raise BadExpression or BadKey if the query is not valid for this table."""
    index = _index_of(request, layout)
    if index is not None and request.consistent:
        raise BadExpression(f"the index {index.name} cannot be read consistently")
    where = "the table" if index is None else index.name
    _check_size(request.pk, "pk", where, MAX_PK_BYTES)
    _check_sort(request.sort, where)
    _check_limit(request.limit)
    check_fields(request.fields)
    if request.index is not None and request.fields is not None:
        projected = layout.projected(request.index)
        if projected is not None and (missing := set(request.fields) - projected):
            raise BadExpression(f"the index {where} does not project {', '.join(sorted(missing))}")
    if request.count_only and request.fields is not None:
        raise BadExpression("a count has no fields")
    if request.start is not None:
        check_start(request, index)
    check_filter(request.where, layout, request.index)


def check_scan(request: ScanRequest) -> None:
    """Raise BadExpression or BadKey if this is not a page of a segment. A scan's filter may name keys."""
    if not 1 <= request.segments <= MAX_SEGMENTS or not 0 <= request.segment < request.segments:
        raise BadExpression(f"there is no segment {request.segment} of {request.segments}")
    _check_limit(request.limit)
    if request.start is not None:
        check_key(request.start.pk, request.start.sk)
    check_condition(request.where)


def check_fields(fields: Collection[str] | None) -> None:
    """Raise BadExpression if fields are requested, but the list is empty or has duplicates."""
    if fields is None:
        return
    if not fields or not all(fields):
        raise BadExpression("`fields` is empty; omit it to get all fields")
    if len(set(fields)) != len(fields):
        raise BadExpression(f"the fields {', '.join(fields)} contain a duplicate")


def _index_of(request: QueryRequest, layout: Layout) -> IndexLayout | None:
    if request.index is None:
        return None
    if request.index not in layout.indexes:
        raise BadExpression(f"the table {layout.table} has no index {request.index}")
    return layout.indexes[request.index]


def _check_different(keys: Sequence[RawKey], what: str, limit: int) -> None:
    if not keys:
        raise BadExpression(f"{what} needs at least one item")
    if len(keys) > limit:
        raise TooLarge(f"{what} has at most {limit} items, not {len(keys)}", limit)
    if len(set(keys)) != len(keys):
        raise BadExpression(f"{what} has {Counter(keys).most_common(1)[0][0]} twice")


def _check_size(value: object, name: str, where: str, limit: int) -> None:
    if type(value) is str and 0 < len(value) * 4 <= limit and value.isascii():
        return
    if not isinstance(value, str):
        raise BadKey(f"the {name} of {where} is a {type(value).__name__}; a key is text")
    if not value:
        raise BadKey(f"the {name} of {where} is empty")
    if (size := utf8_length(value)) > limit:
        raise BadKey(f"the {name} of {where} has {size} bytes, more than {limit}")


def _check_index_key(value: Value, name: str, index: IndexLayout) -> None:
    _check_size(value, name, index.name, MAX_PK_BYTES if name == index.pk else MAX_SK_BYTES)


def _check_sort(sort: SortCondition, where: str) -> None:
    match sort:
        case SortPrefix(text) | SortEquals(text):
            _check_size(text, "sk", where, MAX_SK_BYTES)
        case SortBetween(low, high):
            _check_size(low, "sk", where, MAX_SK_BYTES)
            _check_size(high, "sk", where, MAX_SK_BYTES)
            if low > high:
                raise BadExpression(f"the bounds are reversed: {low!r} sorts after {high!r}")
        case None:
            pass


def _check_limit(limit: int | None) -> None:
    if limit is not None and limit < 1:
        raise BadExpression(f"a page has at least one item, not {limit}")


def check_start(request: QueryRequest, index: IndexLayout | None) -> None:
    """Raise BadExpression or BadKey unless the page starts within the range of the query."""
    start = request.start
    if isinstance(start, IndexKey) is (index is None):
        raise BadExpression("a page of an index starts after an IndexKey, a page of the table after a RawKey")
    if isinstance(start, IndexKey):
        _check_size(start.sk, "sk", "the start", MAX_SK_BYTES)
        check_key(start.base.pk, start.base.sk, "the start")
    elif start is not None:
        check_key(start.pk, start.sk, "the start")
        if start.pk != request.pk:
            raise BadExpression(f"the page starts at {start}, outside of the partition {request.pk}")
    if start is not None and not _sorts_inside(start.sk, request.sort):
        raise BadExpression(f"the page starts at {start.sk!r}, outside of {request.sort}")


def _sorts_inside(sk: str, sort: SortCondition) -> bool:
    match sort:
        case SortPrefix(prefix):
            return sk.startswith(prefix)
        case SortEquals(value):
            return sk == value
        case SortBetween(low, high):
            return low <= sk <= high
        case None:
            return True


@cache
def _index_keys(layout: Layout) -> list[tuple[str, str, int]]:
    """Return every attribute that is a key of an index, the index, and its maximum size."""
    return [
        (name, index.name, limit)
        for index in layout.indexes.values()
        for name, limit in ((index.pk, MAX_PK_BYTES), (index.sk, MAX_SK_BYTES))
    ]


def _check_action(action: Action, layout: Layout) -> None:
    check_path(action.path)
    name = steps(action.path)[0]
    if name in (layout.pk, layout.sk):
        raise BadExpression(f"{name} is the item's key, which cannot change")
    for index in layout.indexes.values():
        if name in (index.pk, index.sk) and not isinstance(action, Remove):
            whole = isinstance(action, Set | SetIfAbsent) and action.path in (name, (name,))
            _check_index_key(action.value if whole else None, str(name), index)  # type: ignore[attr-defined]
    if isinstance(action, Add | AddToSet | DeleteFromSet):
        _check_sum(action)
    if isinstance(action, Append) and not isinstance(action.values, list):
        raise BadExpression(f"only a list can be appended to {action.path!r}")


def _check_sum(action: Add | AddToSet | DeleteFromSet) -> None:
    if len(steps(action.path)) > 1:
        raise BadExpression(f"{action.path!r} is inside an attribute; only top-level numbers and sets can be added to")
    if isinstance(action, Add):
        if isinstance(action.number, bool) or not isinstance(action.number, int | float | Decimal):
            raise BadExpression(f"a {type(action.number).__name__} cannot be added to {action.path!r}")
    elif kind_of(stored_value(action.elements)) not in ("SS", "NS", "BS"):
        raise BadExpression(f"the elements for {action.path!r} are not a set")


def _check_overlaps(paths: list[tuple[str | int, ...]]) -> None:
    """Raise BadExpression if one path contains another, or two use one container as a map and as a list."""
    if all(len(path) == 1 for path in paths) and len(set(paths)) == len(paths):
        return
    for number, path in enumerate(paths):
        for other in paths[:number]:
            shared = 0
            while shared < min(len(path), len(other)) and path[shared] == other[shared]:
                shared += 1
            if shared == min(len(path), len(other)):
                raise BadExpression(f"two actions overlap: {other!r} and {path!r}")
            if type(path[shared]) is not type(other[shared]):
                raise BadExpression(f"{other!r} and {path!r} use one attribute as a map and as a list")
