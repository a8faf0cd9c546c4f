"""What each of DynamoDB's errors means at the table."""

from __future__ import annotations

from typing import Any

import pytest

from dynamodb.rows import KEY, delete, put
from dynamodb.scripted import ScriptedEndpoint, answers_bytes, cancels, rejects
from sobremesa.table.conditions import absent, present
from sobremesa.table.engines.dynamodb import DynamoEngine
from sobremesa.table.engines.protocol import (
    MAX_TRANSACTION_BYTES,
    CheckItem,
    ItemWrite,
    QueryRequest,
    RawKey,
    UpdateItem,
)
from sobremesa.table.errors import (
    BadExpression,
    BadKey,
    BadValue,
    ConditionFailed,
    Conflict,
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
from sobremesa.table.updates import add
from sobremesa.table.values import MAX_ITEM_BYTES

CODES: list[tuple[str, int, type[TableError], type[TableError]]] = [
    # code, status, what it means for a read, and for a write
    ("ProvisionedThroughputExceededException", 400, Throttled, Throttled),
    ("ThrottlingException", 400, Throttled, Throttled),
    ("Throttling", 400, Throttled, Throttled),
    ("RequestLimitExceeded", 400, Throttled, Throttled),
    ("LimitExceededException", 400, Throttled, Throttled),
    ("ThrottlingException", 500, Throttled, Throttled),
    ("TransactionConflictException", 400, Conflict, Conflict),
    ("TransactionInProgressException", 400, Conflict, Conflict),
    ("ReplicatedWriteConflictException", 400, Conflict, Conflict),
    ("ResourceNotFoundException", 400, TableMissing, TableMissing),
    ("ResourceInUseException", 400, TableExists, TableExists),
    ("IdempotentParameterMismatchException", 400, TokenReused, TokenReused),
    ("ValidationException", 400, BadExpression, BadExpression),
    ("SerializationException", 400, BadExpression, BadExpression),
    ("AccessDeniedException", 400, StoreDenied, StoreDenied),
    ("UnrecognizedClientException", 400, StoreDenied, StoreDenied),
    ("ExpiredTokenException", 400, StoreDenied, StoreDenied),
    ("MissingAuthenticationTokenException", 403, StoreDenied, StoreDenied),
    ("SomethingNewException", 400, StoreDenied, StoreDenied),
    ("RequestEntityTooLarge", 413, TooLarge, TooLarge),
    ("InternalServerError", 500, StoreFailed, OutcomeUnknown),
    ("InternalFailure", 500, StoreFailed, OutcomeUnknown),
    ("ServiceUnavailable", 503, StoreFailed, OutcomeUnknown),
]

MESSAGES: list[tuple[str, type[TableError]]] = [
    ("Item size has exceeded the maximum allowed size", TooLarge),
    ("Item size to update has exceeded the maximum allowed size", TooLarge),
    (
        "Collection size of items exceeded, which can also be caused by the aggregate size of the items in the "
        "transaction exceeding the 4MB limit",
        TooLarge,
    ),
    (
        "One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes",
        BadKey,
    ),
    (
        "One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit of "
        "1024 bytes",
        BadKey,
    ),
    ("The provided key element does not match the schema", BadKey),
    ("One or more parameter values were invalid: Missing the key sk in the item", BadKey),
    ("One or more parameter values were invalid: Type mismatch for key pk expected: S actual: N", BadKey),
    (
        "One or more parameter values were invalid: Type mismatch for Index Key gsi1pk Expected: S Actual: N "
        "IndexName: gsi1",
        BadKey,
    ),
    (
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty "
        "string value. Key: sk",
        BadKey,
    ),
    (
        "One or more parameter values are not valid. A value specified for a secondary index key is not supported. "
        "The AttributeValue for a key attribute cannot contain an empty string value. IndexName: gsi1, IndexKey: "
        "gsi1pk",
        BadKey,
    ),
    (
        "Number overflow. Attempting to store a number with magnitude larger than supported range",
        BadValue,
    ),
    (
        "Number underflow. Attempting to store a number with magnitude smaller than supported range",
        BadValue,
    ),
    ("Attempting to store more than 38 significant digits in a Number", BadValue),
    ("Nesting Levels have exceeded supported limits", BadValue),
    ("An operand in the update expression has an incorrect data type", BadExpression),
    ("The document path provided in the update expression is invalid for update", BadExpression),
    ("Query condition missed key schema element: sk", BadExpression),
    (
        "Filter Expression can only contain non-primary key attributes: Primary key attribute: sk",
        BadExpression,
    ),
    (
        "One or more parameter values were invalid: Cannot update attribute pk. This attribute is part of the key",
        BadExpression,
    ),
    ('Invalid ConditionExpression: Syntax error; token: "OR", near: "x OR"', BadExpression),
]


async def raised(attempt: Any) -> TableError:
    """The error that this raises."""
    with pytest.raises(TableError) as caught:
        await attempt
    return caught.value


@pytest.mark.parametrize(("code", "status", "reading", "writing"), CODES)
async def test_a_code_means_one_error(
    code: str,
    status: int,
    reading: type[TableError],
    writing: type[TableError],
    engine: DynamoEngine,
    scripted: ScriptedEndpoint,
) -> None:
    scripted.answers_always(rejects(code, "because", status=status))

    for read in (
        engine.get(KEY, consistent=True, fields=None),
        engine.batch_get([KEY], consistent=True),
        engine.query(QueryRequest(pk="p")),
        engine.describe_table(),
    ):
        assert type(await raised(read)) is reading
    for write in (
        engine.write(put(when=absent())),
        engine.write(CheckItem(KEY, present())),
        engine.transact([put(), delete("t")], "token"),
        engine.batch_write([put(), delete("t")]),
    ):
        assert type(await raised(write)) is writing


@pytest.mark.parametrize(("message", "meaning"), MESSAGES)
async def test_refusal_explains_the_mistake(
    message: str, meaning: type[TableError], engine: DynamoEngine, scripted: ScriptedEndpoint
) -> None:
    reason = {"Code": "ValidationError", "Message": message}
    scripted.answers_next(
        rejects("ValidationException", message),
        rejects("TransactionCanceledException", CancellationReasons=[{"Code": "None"}, reason]),
    )

    alone = await raised(engine.write(put()))
    in_transaction = await raised(engine.transact([put(), delete("t")], None))

    assert type(alone) is type(in_transaction) is meaning
    assert message in str(alone)
    assert f"operation 1: {message}" in str(in_transaction)


async def test_a_limit_comes_with_the_error(engine: DynamoEngine, scripted: ScriptedEndpoint) -> None:
    limits = []
    for answer in (
        rejects("ValidationException", "Item size has exceeded the maximum allowed size"),
        rejects("ValidationException", "the aggregate size of the items in the transaction exceeding the 4MB limit"),
        answers_bytes(b"", status=413),
    ):
        scripted.answers_next(answer)
        error = await raised(engine.write(put()))
        assert isinstance(error, TooLarge)
        limits.append(error.limit)

    assert limits == [MAX_ITEM_BYTES, MAX_TRANSACTION_BYTES, 16 * 1024 * 1024]


REASONS: list[tuple[tuple[str, ...], type[TableError]]] = [
    (("TransactionConflict", "None"), Conflict),
    (("None", "TransactionConflict"), Conflict),
    (("ProvisionedThroughputExceeded", "None"), Throttled),
    (("None", "ThrottlingError"), Throttled),
    (("RequestLimitExceeded", "ThrottlingError"), Throttled),
    (("ThrottlingError", "TransactionConflict"), Conflict),
    (("TransactionConflict", "ProvisionedThroughputExceeded"), Conflict),
    (("ValidationError", "TransactionConflict"), BadExpression),
    (("ThrottlingError", "ValidationError"), BadExpression),
    (("ConditionalCheckFailed", "TransactionConflict"), ConditionFailed),
    (("ValidationError", "ConditionalCheckFailed"), ConditionFailed),
    (("ItemCollectionSizeLimitExceeded", "None"), StoreFailed),
    (("SomethingNew", "TransactionConflict"), StoreFailed),
    ((), Conflict),
]


@pytest.mark.parametrize(("reasons", "meaning"), REASONS)
async def test_a_cancelled_transaction_means_the_gravest_of_its_reasons(
    reasons: tuple[str, ...], meaning: type[TableError], engine: DynamoEngine, scripted: ScriptedEndpoint
) -> None:
    scripted.answers_always(cancels(*reasons))

    error = await raised(engine.transact([put(when=absent()), delete("t")], "token"))

    assert type(error) is meaning


async def test_cancelled_transaction_reports_each_failed_operation_and_its_item(
    engine: DynamoEngine, scripted: ScriptedEndpoint
) -> None:
    there = {"pk": {"S": "p"}, "sk": {"S": "b"}, "n": {"N": "7"}}
    reasons = [
        {"Code": "None"},
        {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed", "Item": there},
        {"Code": "TransactionConflict", "Message": "ongoing"},
        {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"},
    ]
    scripted.answers_always(rejects("TransactionCanceledException", CancellationReasons=reasons))
    operations: list[ItemWrite] = [
        put("a"),
        put("b", when=absent()),
        delete("c"),
        UpdateItem(RawKey("p", "d"), add(n=1), present()),
    ]

    error = await raised(engine.transact(operations, None))

    assert isinstance(error, ConditionFailed)
    assert [(failure.index, failure.key, failure.item) for failure in error.failures] == [
        (1, RawKey("p", "b"), {"pk": "p", "sk": "b", "n": 7}),
        (3, RawKey("p", "d"), None),
    ]


async def test_failed_condition_reports_the_item(engine: DynamoEngine, scripted: ScriptedEndpoint) -> None:
    there = {"pk": {"S": "p"}, "sk": {"S": "s"}, "tags": {"SS": ["a"]}}
    scripted.answers_next(
        rejects("ConditionalCheckFailedException", Item=there), rejects("ConditionalCheckFailedException")
    )

    found = await raised(engine.write(put(when=absent())))
    nothing = await raised(engine.write(UpdateItem(KEY, add(n=1), present())))

    assert isinstance(found, ConditionFailed)
    assert isinstance(nothing, ConditionFailed)
    assert found.failures[0].key == nothing.failures[0].key == KEY
    assert found.failures[0].item == {"pk": "p", "sk": "s", "tags": frozenset({"a"})}
    assert nothing.failures[0].item is None


@pytest.mark.parametrize(
    "body",
    [
        b'{"__type": "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException", "message": "Requested resource"}',
        b'{"__type": "ResourceNotFoundException", "Message": "Requested resource"}',
        b'{"__type": "ResourceNotFoundException:http://internal.amazon.com/coral/", "message": "Requested resource"}',
        b'{"__type": "com.amazon.coral#ResourceNotFoundException", "message": null, "Message": "Requested resource"}',
    ],
)
async def test_an_error_is_known_by_its_name_however_it_is_spelt(
    body: bytes, engine: DynamoEngine, scripted: ScriptedEndpoint
) -> None:
    scripted.answers_always(answers_bytes(body, status=400))

    error = await raised(engine.get(KEY, consistent=True, fields=None))

    assert type(error) is TableMissing
    assert str(error) == "Requested resource"


@pytest.mark.parametrize("body", [b"", b"<html>Forbidden", b'"text"', b"[]", b'{"__type": 7}'])
async def test_error_of_a_proxy_is_reported_with_its_text(
    body: bytes, engine: DynamoEngine, scripted: ScriptedEndpoint
) -> None:
    scripted.answers_always(answers_bytes(body, status=403))

    error = await raised(engine.write(put()))

    assert type(error) is StoreDenied
    assert body.decode() in str(error)
    assert "403" in str(error)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("TransactionConflict", Conflict),
        ("ProvisionedThroughputExceeded", Throttled),
        ("ThrottlingError", Throttled),
        ("ValidationError", BadExpression),
        ("AccessDenied", StoreFailed),
    ],
)
async def test_a_cancelled_transaction_of_reads_has_the_error_of_its_reason(
    engine: DynamoEngine, scripted: ScriptedEndpoint, code: str, expected: type[TableError]
) -> None:
    scripted.answers_always(
        rejects("TransactionCanceledException", CancellationReasons=[{"Code": "None"}, {"Code": code, "Message": "m"}])
    )

    with pytest.raises(expected):
        await engine.transact_get([KEY, RawKey("other", "key")])
