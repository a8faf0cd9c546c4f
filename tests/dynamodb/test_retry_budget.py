"""An outage is not multiplied: what bounds the retries of all calls together, and what operators see of them."""

from __future__ import annotations

import asyncio

import pytest

from dynamodb.rows import Note, note
from dynamodb.scripted import Answering, ScriptedEndpoint, answers, cancels, hangs_up, rejects
from sobremesa.core.clock import SetClock
from sobremesa.http.metrics import Metrics
from sobremesa.table import OLDEST, Put, Table
from sobremesa.table.engines.dynamodb import DynamoEngine
from sobremesa.table.errors import Conflict, StoreFailed, TableError, Throttled
from sobremesa.table.retries import Retries

KEY = Note.key(note_id="n001")
THROTTLED = rejects("ProvisionedThroughputExceededException")
FAILED = rejects("InternalServerError", status=500)
CONFLICT = cancels("TransactionConflict", "None")
ITEM = {"Item": {"pk": {"S": "NOTE#n001"}, "sk": {"S": "#METADATA"}, "note_id": {"S": "n001"}, "text": {"S": "hola"}}}


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("random.uniform", lambda low, high: low)


@pytest.fixture
def table(engine: DynamoEngine, clock: SetClock) -> Table:
    return Table(engine, clock=clock, retries=Retries(budget=50))


@pytest.mark.parametrize(("failure", "kind", "cost"), [(FAILED, StoreFailed, 10), (THROTTLED, Throttled, 5)])
async def test_outage_of_many_calls_costs_few_retries(
    failure: Answering, kind: type[TableError], cost: int, table: Table, scripted: ScriptedEndpoint
) -> None:
    scripted.answers_always(failure)

    failures = [await asyncio.gather(table.get(KEY), return_exceptions=True) for _ in range(40)]

    assert all(isinstance(failed, kind) for (failed,) in failures)
    assert len(scripted.received) == 40 + 50 // cost
    assert "the retry budget of the table is spent" in str(failures[-1][0])
    assert table.call_stats.by_operation["get"].retries == 50 // cost
    assert table.call_stats.by_operation["get"].refused_retries > 0


async def test_successes_fill_the_budget_again(table: Table, scripted: ScriptedEndpoint) -> None:
    scripted.answers_always(FAILED)
    for _ in range(10):
        with pytest.raises(StoreFailed):
            await table.get(KEY)

    scripted.answers_always(answers(ITEM))
    for _ in range(10):
        await table.get(KEY)
    scripted.answers_next(FAILED)

    assert await table.get(KEY) is not None


async def test_retry_that_succeeds_gives_its_tokens_back(table: Table, scripted: ScriptedEndpoint) -> None:
    for _ in range(20):
        scripted.answers_next(FAILED, answers(ITEM))
        assert await table.get(KEY) is not None


async def test_conflicts_are_retried_whatever_is_left_of_the_budget(table: Table, scripted: ScriptedEndpoint) -> None:
    scripted.answers_always(CONFLICT)

    for _ in range(10):
        with pytest.raises(Conflict):
            await table.write(one=Put(note(1)), two=Put(note(2)))

    assert len(scripted.received) == 10 * Retries().attempts
    assert table.call_stats.by_operation["transact"].conflicts == len(scripted.received)


async def test_outage_of_the_stream_spends_no_retries_of_the_table(table: Table, scripted: ScriptedEndpoint) -> None:
    scripted.answers_always(FAILED)
    for _ in range(10):
        with pytest.raises(StoreFailed):
            await table.changes(OLDEST)

    scripted.answers_always(answers(ITEM))
    scripted.answers_next(FAILED)

    assert await table.get(KEY) is not None


async def test_batch_that_is_never_processed_spends_the_budget(table: Table, scripted: ScriptedEndpoint) -> None:
    left = {"Responses": {}, "UnprocessedKeys": {"notes": {"Keys": [{"pk": {"S": "NOTE#n001"}, "sk": {"S": "x"}}]}}}
    scripted.answers_always(answers(left))

    for _ in range(10):
        with pytest.raises(Throttled):
            await table.get_many([KEY])

    assert len(scripted.received) < 30  # of the 90 that ten calls would make: each answer refunds one token
    assert table.call_stats.by_operation["batch_get"].throttles == len(scripted.received)


async def test_no_attempt_begins_after_the_deadline_of_the_call(
    engine: DynamoEngine, scripted: ScriptedEndpoint
) -> None:
    scripted.answers_always(hangs_up)
    table = Table(engine, retries=Retries(deadline=0.0))

    with pytest.raises(StoreFailed):
        await table.get(KEY)

    assert len(scripted.received) == 1


async def test_metrics_have_the_latency_and_the_errors_of_each_operation(
    table: Table, scripted: ScriptedEndpoint
) -> None:
    metrics = Metrics()
    metrics.watch_calls(table.call_stats)
    scripted.answers_next(FAILED, THROTTLED, answers(ITEM), CONFLICT, answers())
    await table.get(KEY)
    await table.write(one=Put(note(1)), two=Put(note(2)))
    scripted.answers_always(FAILED)
    with pytest.raises(StoreFailed):
        await table.get(KEY)

    text = metrics.text().decode()

    assert 'sobremesa_table_throttles_total{operation="get"} 1.0' in text
    assert 'sobremesa_table_failures_total{operation="get"} 6.0' in text
    assert 'sobremesa_table_retries_total{operation="get"} 6.0' in text
    assert 'sobremesa_table_refused_retries_total{operation="get"} 1.0' in text
    assert 'sobremesa_table_conflicts_total{operation="transact"} 1.0' in text
    assert 'sobremesa_table_attempt_seconds_count{operation="get"} 8.0' in text
    assert 'sobremesa_table_attempt_seconds_bucket{le="+Inf",operation="transact"} 2.0' in text
