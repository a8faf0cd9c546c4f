"""Maps DynamoDB's errors to the table's. No module outside this package knows their names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sobremesa.table.engines.dynamodb.responses import Reason, Rejection
from sobremesa.table.engines.dynamodb.transport import NoResponse, Rejected
from sobremesa.table.engines.protocol import MAX_TRANSACTION_BYTES, ItemWrite
from sobremesa.table.errors import (
    BadExpression,
    BadKey,
    BadValue,
    ConditionFailed,
    Conflict,
    FailedCondition,
    OutcomeUnknown,
    StoreDenied,
    StoreFailed,
    TableError,
    TableExists,
    TableMissing,
    Throttled,
    TokenReused,
    TooLarge,
)
from sobremesa.table.typed_items import load_item
from sobremesa.table.values import MAX_ITEM_BYTES

MAX_REQUEST_BYTES = 16 * 1024 * 1024

_THROTTLES = frozenset(
    {
        "ProvisionedThroughputExceededException",
        "ThrottlingException",
        "Throttling",
        "RequestLimitExceeded",
        "LimitExceededException",
    }
)
_CONFLICTS = frozenset(
    {
        "TransactionConflictException",
        "TransactionInProgressException",
        "ReplicatedWriteConflictException",
        "ContinuousBackupsUnavailableException",
    }
)
_THROTTLED_REASONS = frozenset({"ProvisionedThroughputExceeded", "ThrottlingError", "RequestLimitExceeded"})

_TOO_LARGE = re.compile(r"item size .*exceeded", re.IGNORECASE)
_TRANSACTION_TOO_LARGE = re.compile(
    r"4 ?MBs? limit|exceeded 4 ?MB|transaction.* size|payload in response is too large", re.IGNORECASE
)
_BAD_VALUE = re.compile(
    r"number (over|under)flow|significant digits|precision up to 38|nesting levels|empty attribute name", re.IGNORECASE
)
_BAD_KEY = re.compile(
    r"size of hashkey|size of all range keys|size of rangekey|key element does not match|missing the key"
    r"|type mismatch for (index )?key|for a key attribute|(secondary )?index key",
    re.IGNORECASE,
)


def error_of(rejected: Rejected, writes: Sequence[ItemWrite] | None) -> TableError:
    """Return the error of a rejection; `writes` are the rejected operations, None for a read."""
    rejection = rejected.rejection
    code, message = rejection.code, rejection.message
    if code == "ConditionalCheckFailedException" and writes:
        return ConditionFailed([_failure(0, writes, rejection)])
    if code == "TransactionCanceledException":
        return _cancelled(writes or (), rejection)
    if code in _THROTTLES:
        return Throttled(message or code)
    if code in _CONFLICTS:
        return Conflict(message or code)
    if code == "ResourceNotFoundException":
        return TableMissing(message)
    if code == "ResourceInUseException":
        return TableExists(message)
    if code == "IdempotentParameterMismatchException":
        return TokenReused("the idempotency token came with other operations before")
    if code in ("ValidationException", "SerializationException"):
        return _refusal(message)
    if rejected.status == 413 or code == "RequestEntityTooLarge":
        return TooLarge(f"the request is too large: {message}", MAX_REQUEST_BYTES)
    if rejected.status >= 500 and writes is not None:
        return OutcomeUnknown(f"the response to a write was {rejected}")
    return (StoreFailed if rejected.status >= 500 else StoreDenied)(str(rejected))


def error_without_response(silence: NoResponse, *, writing: bool) -> TableError:
    """Return the error of a lost response."""
    return (OutcomeUnknown if writing and silence.may_have_been_done else StoreFailed)(str(silence))


def _failure(number: int, writes: Sequence[ItemWrite], found: Rejection | Reason) -> FailedCondition:
    item = load_item(found.item) if found.item else None
    return FailedCondition(number, writes[number].key, item)


def _cancelled(writes: Sequence[ItemWrite], rejection: Rejection) -> TableError:
    """Return one error for all reasons: failed conditions first, then invalid operations, then temporary errors."""
    reasons = rejection.reasons or []
    failures = [
        _failure(number, writes, reason)
        for number, reason in enumerate(reasons)
        if reason.code == "ConditionalCheckFailed"
    ]
    if failures:
        return ConditionFailed(failures)
    for number, reason in enumerate(reasons):
        if reason.code == "ValidationError":
            return _refusal(f"operation {number}: {reason.message}")
    codes = {reason.code for reason in reasons}
    if codes & _THROTTLED_REASONS and "TransactionConflict" not in codes:
        return Throttled(rejection.message)
    if codes <= {"None", "TransactionConflict"} | _THROTTLED_REASONS:
        return Conflict(rejection.message)
    return StoreFailed(rejection.message)


def _refusal(message: str) -> TableError:
    if _TOO_LARGE.search(message):
        return TooLarge(message, MAX_ITEM_BYTES)
    if _TRANSACTION_TOO_LARGE.search(message):
        return TooLarge(message, MAX_TRANSACTION_BYTES)
    if _BAD_VALUE.search(message):
        return BadValue(message)
    if _BAD_KEY.search(message):
        return BadKey(message)
    return BadExpression(message)
