"""The embedded engine and a DynamoDB endpoint, given the same random operations, must answer the same in everything.

Items, error classes, failed operations with their old items, pages and where they end, counts, capacity, and at the
end of each run the whole table and its stream of changes. `make long` and `make conformance` send more; the environment
variable DIFFERENTIAL_SEED sends others. A failure prints the shortest run of operations that shows it.
"""

from __future__ import annotations

import asyncio
import os
import uuid
from collections import Counter
from typing import Any, ClassVar

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from lengths import DIFFERENTIAL_OPERATIONS, DIFFERENTIAL_PARTS
from servers import Endpoint
from sobremesa.table.engines.protocol import DeleteItem, ItemWrite, PutItem, QueryRequest, RawKey, ScanRequest
from table import workload
from table.pairs import Pair, cursors, history, queried, segments, whole_index_partition, whole_partition, whole_table

SEED = int(os.environ.get("DIFFERENTIAL_SEED", "1"))
SEEDS = range(SEED, SEED + DIFFERENTIAL_PARTS)
OPERATIONS = DIFFERENTIAL_OPERATIONS // DIFFERENTIAL_PARTS
STEPS = 50
# Making a failure short takes some minutes.
PHASES = (Phase.generate,) if "DIFFERENTIAL_UNSHRUNK" in os.environ else (Phase.generate, Phase.shrink)

random_data = st.data()


class Differential(RuleBasedStateMachine):
    """One run over two fresh tables."""

    runner: ClassVar[asyncio.Runner]
    endpoint: ClassVar[Endpoint]
    outcomes: ClassVar[Counter[tuple[str, str]]]

    def __init__(self) -> None:
        super().__init__()
        self.pair = Pair(self.runner, self.endpoint)
        self.sent: list[tuple[list[ItemWrite], str]] = []

    @rule(data=random_data, key=workload.keys)
    def put(self, data: Any, key: RawKey) -> None:
        operation = data.draw(workload.puts(key), "put")
        self._compare("put", lambda engine: engine.write(operation))

    @rule(data=random_data, key=workload.keys)
    def update(self, data: Any, key: RawKey) -> None:
        operation = data.draw(workload.updates(key, self.pair.peek(key)), "update")
        self._compare("update", lambda engine: engine.write(operation))

    @rule(data=random_data, key=workload.keys)
    def delete_or_check(self, data: Any, key: RawKey) -> None:
        operation = data.draw(workload.others(key), "operation")
        self._compare("delete_or_check", lambda engine: engine.write(operation))

    @rule(data=random_data, keys=workload.some_keys(4), again=st.sampled_from(("no", "no", "the same", "another")))
    def transact(self, data: Any, keys: list[RawKey], again: str) -> None:
        operations = [data.draw(workload.writes(key, self.pair.peek(key)), "operation") for key in keys]
        token = str(uuid.uuid4())
        if again != "no" and self.sent:
            sent, token = data.draw(st.sampled_from(self.sent), "sent before")
            operations = sent if again == "the same" else operations
        answer = self._compare(f"transact, token {again}", lambda engine: engine.transact(operations, token))
        if not isinstance(answer[0], str):
            self.sent.append((operations, token))

    @rule(operations=workload.batch())
    def batch_write(self, operations: list[PutItem | DeleteItem]) -> None:
        self._compare("batch_write", lambda engine: engine.batch_write(operations))

    @rule(keys=workload.some_keys(8), consistent=st.booleans())
    def get(self, keys: list[RawKey], consistent: bool) -> None:
        self._compare("get", lambda engine: engine.get(keys[0], consistent=consistent, fields=None))
        self._compare("batch_get", lambda engine: engine.batch_get(keys, consistent=consistent))
        self._compare("transact_get", lambda engine: engine.transact_get(keys))

    @rule(request=workload.queries())
    def query(self, request: QueryRequest) -> None:
        self._compare("query", lambda engine: queried(engine, request))

    @rule(request=workload.queries())
    def pages(self, request: QueryRequest) -> None:
        for _ in range(20):
            answer = self._compare("pages", lambda engine, request=request: queried(engine, request))
            if len(answer) < 5 or answer[3] is None:
                return
            request = msgspec.structs.replace(request, start=answer[3])

    @rule(request=workload.scans)
    def scan(self, request: ScanRequest) -> None:
        self._compare("scan", lambda engine: segments(engine, request))

    @rule(
        pk=st.sampled_from(workload.PARTITIONS),
        index_pk=st.sampled_from(("", *workload.INDEX_PARTITIONS)),
        limit=st.integers(1, 3),
        turning_back=workload.sometimes,
    )
    def cursors(self, pk: str, index_pk: str, limit: int, turning_back: bool) -> None:
        question = whole_index_partition(index_partition=index_pk) if index_pk else whole_partition(partition=pk)
        self._compare("cursors", lambda engine: cursors(engine, question, limit, turning_back=turning_back))

    def teardown(self) -> None:
        try:
            self.pair.compare(whole_table)
            self.pair.compare(history)
        finally:
            self.pair.close()

    def _compare(self, what: str, call: Any) -> Any:
        answer = self.pair.compare(call, is_transaction=what.startswith("transact,"))
        self.outcomes[what, answer[0] if isinstance(answer[0], str) else "done"] += 1
        return answer


@pytest.mark.long
@pytest.mark.timeout(120 + OPERATIONS // 10)
@pytest.mark.parametrize("first_seed", SEEDS)
def test_both_engines_return_the_same_for_random_operations(dynamodb_endpoint: Endpoint, first_seed: int) -> None:
    with asyncio.Runner() as runner:

        class Run(Differential):
            pass

        Run.runner, Run.endpoint, Run.outcomes = runner, dynamodb_endpoint, Counter()
        beginning = first_seed
        while (left := OPERATIONS - Run.outcomes.total()) > 0:
            run_state_machine_as_test(
                seed(beginning)(Run),
                settings=settings(
                    max_examples=max(1, left // STEPS),
                    stateful_step_count=STEPS,
                    database=None,
                    phases=PHASES,
                    report_multiple_bugs=False,
                    suppress_health_check=list(HealthCheck),
                ),
            )
            beginning += 1_000_000
    print(f"{Run.outcomes.total()} operations from seed {first_seed}:", *sorted(Run.outcomes.items()), sep="\n")
    # A workload that is always refused would compare nothing.
    for what in (
        "put",
        "update",
        "transact, token no",
        "batch_write",
        "get",
        "transact_get",
        "query",
        "pages",
        "cursors",
        "scan",
    ):
        assert Run.outcomes[what, "done"] > OPERATIONS // 2000, what
    for what in ("put", "update", "delete_or_check", "transact, token no"):
        assert Run.outcomes[what, "ConditionFailed"] > OPERATIONS // 4000, what
    assert Run.outcomes["transact, token the same", "done"]
    assert Run.outcomes["transact, token another", "TokenReused"]
