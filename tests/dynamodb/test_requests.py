"""Each call is one request, and what is asked for in it; each answer is read whole."""

from __future__ import annotations

from typing import Any

import pytest

from dynamodb.rows import KEY, delete, put
from dynamodb.scripted import ScriptedEndpoint, answers
from sobremesa.table import IndexLayout, Layout, gsi1, set_to
from sobremesa.table.capacity import Capacity
from sobremesa.table.conditions import absent, equals, present
from sobremesa.table.engines.dynamodb import DynamoEngine
from sobremesa.table.engines.dynamodb.requests import Requests
from sobremesa.table.engines.protocol import (
    CheckItem,
    DeleteItem,
    IndexKey,
    PutItem,
    QueryRequest,
    RawKey,
    ScanRequest,
    UpdateItem,
)
from sobremesa.table.errors import BadExpression, Refused, TooLarge

TYPED_KEY = {"pk": {"S": "p"}, "sk": {"S": "s"}}
OTHERS = Layout(table="theirs", pk="PK", sk="SK", ttl="expiresAt", indexes={gsi1: IndexLayout("byUser", "user", "SK")})


@pytest.fixture
def answered(scripted: ScriptedEndpoint) -> ScriptedEndpoint:
    scripted.answers_always(answers())
    return scripted


async def test_every_call_is_one_request_that_requests_its_cost(
    engine: DynamoEngine, answered: ScriptedEndpoint
) -> None:
    await engine.get(KEY, consistent=True, fields=None)
    await engine.batch_get([KEY], consistent=True)
    await engine.query(QueryRequest(pk="p"))
    await engine.scan(ScanRequest())
    await engine.write(put())
    await engine.write(UpdateItem(KEY, set_to(a=1)))
    await engine.write(delete("s"))
    await engine.write(CheckItem(KEY, present()))
    await engine.transact([put()], None)
    await engine.batch_write([put()])

    assert answered.actions() == [
        "GetItem",
        "BatchGetItem",
        "Query",
        "Scan",
        "PutItem",
        "UpdateItem",
        "DeleteItem",
        "TransactWriteItems",
        "TransactWriteItems",
        "BatchWriteItem",
    ]
    assert {received.service for received in answered.received} == {"DynamoDB_20120810"}
    assert {received.body["ReturnConsumedCapacity"] for received in answered.received} == {"TOTAL"}


async def test_single_write_requests_the_old_or_new_item(engine: DynamoEngine, answered: ScriptedEndpoint) -> None:
    await engine.write(put())
    await engine.write(UpdateItem(KEY, set_to(a=1)))
    await engine.write(delete("s"))

    assert [each.body["ReturnValues"] for each in answered.received] == ["ALL_OLD", "ALL_NEW", "ALL_OLD"]


async def test_condition_requests_the_item_on_which_it_failed(engine: DynamoEngine, answered: ScriptedEndpoint) -> None:
    await engine.write(put(when=absent()))
    await engine.transact([put(when=absent()), delete("t")], None)

    alone = answered.received[0].body
    guarded, free = (next(iter(each.values())) for each in answered.received[1].body["TransactItems"])
    for request in (alone, guarded):
        assert request["ConditionExpression"] == "attribute_not_exists(#0)"
        assert request["ReturnValuesOnConditionCheckFailure"] == "ALL_OLD"
    assert free.keys() == {"TableName", "Key"}


async def test_token_is_sent_only_if_there_is_one(engine: DynamoEngine, answered: ScriptedEndpoint) -> None:
    await engine.transact([put()], "token-1")
    await engine.transact([put()], None)

    assert [each.body.get("ClientRequestToken") for each in answered.received] == ["token-1", None]


async def test_the_same_transaction_is_the_same_to_the_byte(engine: DynamoEngine, answered: ScriptedEndpoint) -> None:
    words = [f"word{number}" for number in range(100)]
    for order in (words, words[::-1]):
        tags = frozenset(order)
        update = UpdateItem(RawKey("p", "t"), set_to(tags=tags, numbers={3, 1, 2}), equals("tags", tags))
        await engine.transact([put(tags=tags), update], "x")

    first, second = answered.received
    assert first.raw == second.raw


async def test_invalid_request_is_refused_before_it_is_sent(engine: DynamoEngine, answered: ScriptedEndpoint) -> None:
    big = put(text="x" * 400 * 1024)
    for attempt in (
        engine.write(big),
        engine.transact([put(), put()], None),
        engine.transact([put(f"{n}", text="x" * 400_000) for n in range(11)], None),
        engine.transact([put()], "t" * 37),
        engine.batch_get([], consistent=True),
        engine.batch_write([put(when=absent())]),
        engine.query(QueryRequest(pk="p", index=gsi1, consistent=True)),
        engine.write(CheckItem(RawKey("", "s"), present())),
        engine.write(PutItem(KEY, {"pk": "p", "sk": "another"})),
        engine.get(KEY, consistent=True, fields=()),
    ):
        with pytest.raises(Refused):
            await attempt

    assert answered.received == []
    with pytest.raises(TooLarge):
        await engine.batch_write([put(f"{n}") for n in range(26)])


def test_a_page_of_the_table_starts_at_a_key() -> None:
    request = Requests(Layout()).query(QueryRequest(pk="p", start=KEY))

    assert request["ExclusiveStartKey"] == TYPED_KEY


def test_a_page_of_an_index_starts_at_its_key_there_and_its_own() -> None:
    start = IndexKey("2026", RawKey("p", "s"))

    request = Requests(Layout()).query(QueryRequest(pk="u", index=gsi1, start=start))

    assert request["ExclusiveStartKey"] == {"gsi1pk": {"S": "u"}, "gsi1sk": {"S": "2026"}, **TYPED_KEY}


def test_the_names_of_a_layout_are_used_throughout() -> None:
    requests = Requests(OTHERS)
    key = {"PK": {"S": "p"}, "SK": {"S": "s"}}

    start = requests.query(QueryRequest(pk="u", index=gsi1, start=IndexKey("s", KEY)))
    _, written = requests.write(PutItem(KEY, {"PK": "p", "SK": "s"}, absent()))

    assert (start["TableName"], start["IndexName"]) == ("theirs", "byUser")
    assert start["ExclusiveStartKey"] == {"user": {"S": "u"}, **key}
    assert start["ExpressionAttributeNames"] == {"#0": "user"}
    assert written["ExpressionAttributeNames"] == {"#0": "PK"}
    assert requests.key_of({**key, "more": {"N": "1"}}) == KEY
    assert requests.last_of({"user": {"S": "u"}, **key}, gsi1) == IndexKey("s", KEY)
    assert requests.last_of({}, gsi1) is requests.last_of(None, None) is None


def test_query_request_contains_exactly_the_question() -> None:
    requests = Requests(Layout(table="t"))

    plain = requests.query(QueryRequest(pk="p"))
    full = requests.query(QueryRequest(pk="p", backward=True, limit=5, where=equals("a", "p"), fields=("a",)))
    counted = requests.query(QueryRequest(pk="p", count_only=True, consistent=True))

    assert plain == {
        "TableName": "t",
        "ReturnConsumedCapacity": "TOTAL",
        "ScanIndexForward": True,
        "ConsistentRead": False,
        "KeyConditionExpression": "#0 = :0",
        "ExpressionAttributeNames": {"#0": "pk"},
        "ExpressionAttributeValues": plain["ExpressionAttributeValues"],
    }
    assert (full["ScanIndexForward"], full["Limit"]) == (False, 5)
    assert (full["FilterExpression"], full["ProjectionExpression"]) == ("#1 = :0", "#1")
    assert (counted["Select"], counted["ConsistentRead"]) == ("COUNT", True)


def test_a_scan_names_its_segment_only_where_there_are_several() -> None:
    requests = Requests(Layout())

    whole = requests.scan(ScanRequest(start=KEY))
    part = requests.scan(ScanRequest(segment=2, segments=4))

    assert "Segment" not in whole
    assert whole["ExclusiveStartKey"] == TYPED_KEY
    assert (part["Segment"], part["TotalSegments"]) == (2, 4)
    with pytest.raises(BadExpression):
        requests.scan(ScanRequest(segment=4, segments=4))


async def test_an_item_without_the_fields_is_empty_and_one_that_is_not_there_is_none(
    engine: DynamoEngine, scripted: ScriptedEndpoint
) -> None:
    scripted.answers_next(answers({"Item": {}}), answers({}))

    assert (await engine.get(KEY, consistent=True, fields=("a",))).item == {}
    assert (await engine.get(KEY, consistent=True, fields=("a",))).item is None


CONSUMED: list[tuple[list[dict[str, Any]], Capacity]] = [
    ([], Capacity(0, 0)),
    ([{"TableName": "notes", "CapacityUnits": 3.0}], Capacity(0, 3)),
    ([{"CapacityUnits": 4.0, "WriteCapacityUnits": 4.0, "ReadCapacityUnits": 0.0}], Capacity(0, 4)),
    ([{"CapacityUnits": 2.0, "ReadCapacityUnits": 2.0}], Capacity(2, 0)),
    ([{"CapacityUnits": 1.0}, {"CapacityUnits": 2.0}], Capacity(0, 3)),
]


@pytest.mark.parametrize(("consumed", "capacity"), CONSUMED)
async def test_transaction_costs_what_the_response_reports(
    consumed: list[dict[str, Any]], capacity: Capacity, engine: DynamoEngine, scripted: ScriptedEndpoint
) -> None:
    scripted.answers_always(answers({"ConsumedCapacity": consumed}))

    assert (await engine.transact([put()], None)).capacity == capacity


async def test_reads_and_single_writes_cost_what_the_response_reports(
    engine: DynamoEngine, scripted: ScriptedEndpoint
) -> None:
    scripted.answers_always(answers({"ConsumedCapacity": {"TableName": "notes", "CapacityUnits": 2.5}}))

    assert (await engine.get(KEY, consistent=True, fields=None)).capacity == Capacity(2.5, 0)
    assert (await engine.query(QueryRequest(pk="p"))).capacity == Capacity(2.5, 0)
    assert (await engine.write(put())).capacity == Capacity(0, 2.5)


async def test_what_a_batch_left_over_is_given_back_as_it_was(engine: DynamoEngine, scripted: ScriptedEndpoint) -> None:
    operations: list[PutItem | DeleteItem] = [put("a", text="long"), delete("b"), put("c", tags={"x"})]
    left = [
        {"PutRequest": {"Item": {"pk": {"S": "p"}, "sk": {"S": "c"}, "tags": {"SS": ["x"]}}}},
        {"DeleteRequest": {"Key": {"pk": {"S": "p"}, "sk": {"S": "b"}}}},
    ]
    keys = {"Keys": [TYPED_KEY], "ConsistentRead": True}
    found = {"notes": [{"pk": {"S": "p"}, "sk": {"S": "a"}, "text": {"S": "long"}}]}
    scripted.answers_next(
        answers({"UnprocessedItems": {"notes": left}}),
        answers({"Responses": found, "UnprocessedKeys": {"notes": keys}}),
    )

    written = await engine.batch_write(operations)
    read = await engine.batch_get([RawKey("p", "a"), KEY], consistent=True)

    assert written.unprocessed == [operations[2], operations[1]]
    assert read.items == {RawKey("p", "a"): {"pk": "p", "sk": "a", "text": "long"}}
    assert read.unprocessed == [KEY]
