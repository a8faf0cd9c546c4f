"""Adding indexes that take long: waited for, resumed by another run, and shown."""

from __future__ import annotations

from typing import Any

import pytest

from dynamodb.scripted import Answering, Received, ScriptedEndpoint, answers, rejects
from sobremesa.app import store
from sobremesa.cli import adopt
from sobremesa.table.engines.dynamodb import DynamoEngine, admin
from sobremesa.table.errors import Conflict, StoreDenied
from sobremesa.table.opening import open_engine

BUSY = rejects("LimitExceededException", "Only 1 online index can be created or deleted simultaneously per table")
IN_USE = rejects("ResourceInUseException", "Attempt to change a resource which is still in use")
TIME_TO_LIVE = answers({"TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"}})


@pytest.fixture(autouse=True)
def no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admin, "FIRST_WAIT_SECONDS", 0.0)
    monkeypatch.setattr(admin, "LONGEST_WAIT_SECONDS", 0.0)
    monkeypatch.setattr(admin, "DEADLINE_SECONDS", 0.0)


def table_with(status: str = "ACTIVE", **indexes: str) -> Answering:
    """The description of a table with a stream and these indexes, by their status."""
    described: list[dict[str, Any]] = [
        {"IndexName": name, "IndexStatus": index_status} for name, index_status in indexes.items()
    ]
    stream = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    return answers(
        {"Table": {"TableStatus": status, "GlobalSecondaryIndexes": described, "StreamSpecification": stream}}
    )


class Building:
    """A table whose indexes take a number of descriptions to be built, and that builds one at a time."""

    def __init__(self, descriptions: int, **indexes: int) -> None:
        self._descriptions = descriptions
        self._left = dict(indexes)
        self.begun: list[str] = []

    async def answer(self, received: Received) -> Any:
        match received.action:
            case "DescribeTable":
                statuses = {name: "CREATING" if left else "ACTIVE" for name, left in self._left.items()}
                self._left = {name: max(0, left - 1) for name, left in self._left.items()}
                return await table_with(**statuses)(received)
            case "UpdateTable" if any(self._left.values()):
                return await BUSY(received)
            case "UpdateTable":
                name = received.body["GlobalSecondaryIndexUpdates"][0]["Create"]["IndexName"]
                self._left[name] = self._descriptions
                self.begun.append(name)
                return await answers()(received)
            case _:
                return await TIME_TO_LIVE(received)


async def test_indexes_are_built_one_after_the_other_however_long_it_takes(
    engine: DynamoEngine, scripted: ScriptedEndpoint
) -> None:
    table = Building(50)
    scripted.answers_always(table.answer)

    assert await engine.complete_table() == ["the index gsi1", "the index gsi2"]
    assert table.begun == ["gsi1", "gsi2"]
    assert scripted.actions().count("DescribeTable") > 100


async def test_another_run_waits_for_the_index_that_the_first_one_began(
    engine: DynamoEngine, scripted: ScriptedEndpoint
) -> None:
    table = Building(3, gsi1=5)
    scripted.answers_always(table.answer)

    assert await engine.complete_table() == ["the index gsi1, which an earlier run began", "the index gsi2"]
    assert table.begun == ["gsi2"]
    assert scripted.actions().count("UpdateTable") == 1


async def test_run_waits_for_an_index_of_another_program_first(
    engine: DynamoEngine, scripted: ScriptedEndpoint
) -> None:
    table = Building(1, theirs=6)
    scripted.answers_always(table.answer)

    assert await engine.complete_table() == ["the index gsi1", "the index gsi2"]


@pytest.mark.parametrize("refusal", [BUSY, IN_USE])
async def test_addition_that_another_run_has_just_begun_is_waited_for(
    refusal: Answering, engine: DynamoEngine, scripted: ScriptedEndpoint
) -> None:
    nothing, building = table_with(), table_with(gsi1="CREATING")
    done = table_with(gsi1="ACTIVE", gsi2="ACTIVE")
    scripted.answers_next(nothing, nothing, nothing, refusal, building, building, done)
    scripted.answers_always(Building(0, gsi1=0, gsi2=0).answer)

    assert await engine.complete_table() == ["the index gsi1, which an earlier run began"]


async def test_table_that_is_always_being_changed_is_reported(engine: DynamoEngine, scripted: ScriptedEndpoint) -> None:
    async def busy(received: Received) -> Any:
        return await (BUSY if received.action == "UpdateTable" else table_with())(received)

    scripted.answers_always(busy)

    with pytest.raises(Conflict, match="gsi1 cannot be added"):
        await engine.complete_table()


async def test_checks_that_fail_do_not_end_the_waiting(engine: DynamoEngine, scripted: ScriptedEndpoint) -> None:
    failed = rejects("InternalServerError", status=500)
    building = table_with(gsi1="CREATING", gsi2="ACTIVE")
    scripted.answers_next(building, building, failed, rejects("ThrottlingException"), building)
    scripted.answers_always(Building(0, gsi1=0, gsi2=0).answer)

    assert await engine.complete_table() == ["the index gsi1, which an earlier run began"]


async def test_check_that_is_denied_ends_the_waiting(engine: DynamoEngine, scripted: ScriptedEndpoint) -> None:
    building = table_with(gsi1="CREATING")
    scripted.answers_next(building, building, rejects("AccessDeniedException", "not authorized"))

    with pytest.raises(StoreDenied, match="not authorized"):
        await engine.complete_table()


async def test_waiting_for_an_index_is_shown(
    engine: DynamoEngine,
    scripted: ScriptedEndpoint,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(adopt, "PROGRESS_SECONDS", 0.001)
    monkeypatch.setattr(admin, "LONGEST_WAIT_SECONDS", 0.01)
    scripted.answers_always(Building(100, gsi1=0).answer)

    assert await adopt.complete(engine) == ["the index gsi2"]
    assert "Waiting for the index gsi2" in capsys.readouterr().out


async def test_table_that_another_node_creates_is_waited_for(
    engine: DynamoEngine, scripted: ScriptedEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "CREATION_POLL_SECONDS", 0.0)
    creating, there = table_with("CREATING"), table_with("ACTIVE", gsi1="ACTIVE", gsi2="ACTIVE")
    scripted.answers_next(creating, TIME_TO_LIVE, creating, TIME_TO_LIVE, there, TIME_TO_LIVE)

    assert await store.create_table(engine)
    assert set(scripted.actions()) == {"DescribeTable", "DescribeTimeToLive"}


async def test_stream_that_cannot_be_added_now_is_no_table_that_exists(
    engine: DynamoEngine, scripted: ScriptedEndpoint
) -> None:
    there = [{"IndexName": name, "IndexStatus": "ACTIVE"} for name in ("gsi1", "gsi2")]
    without = answers({"Table": {"TableStatus": "ACTIVE", "GlobalSecondaryIndexes": there}})

    async def busy(received: Received) -> Any:
        return await (IN_USE if received.action == "UpdateTable" else without)(received)

    scripted.answers_always(busy)

    with pytest.raises(Conflict, match="is being changed"):
        await engine.complete_table()


async def test_recovery_of_a_new_table_is_asked_for_until_aws_is_ready(
    scripted: ScriptedEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admin, "DEADLINE_SECONDS", 60.0)
    recovery = {"PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": "DISABLED"}}
    unavailable = rejects("ContinuousBackupsUnavailableException", "Backups are being enabled for the table")
    engine = await open_engine(f"dynamodb://notes?endpoint={scripted.url}&point_in_time_recovery=true")
    scripted.answers_next(answers(), table_with(), answers())
    scripted.answers_next(answers({"ContinuousBackupsDescription": recovery}), unavailable, unavailable, answers())

    await engine.create_table()
    await engine.close()

    assert scripted.actions()[-3:] == ["UpdateContinuousBackups"] * 3
