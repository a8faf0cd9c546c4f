"""The table's patience over this engine: what is sent again, how, after which pause, and what never is."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from dynamodb.rows import Note, note
from dynamodb.scripted import Answering, Received, ScriptedEndpoint, answers, cancels, hangs_up, rejects
from sobremesa.core.clock import SetClock
from sobremesa.table import Check, Create, Delete, Put, Table, Update, add, present, set_to
from sobremesa.table.conditions import always
from sobremesa.table.engines.dynamodb import DynamoEngine
from sobremesa.table.errors import Conflict, OutcomeUnknown, StoreFailed, TableError, Throttled, TokenReused
from sobremesa.table.retries import Retries

NOTE = {
    "pk": {"S": "NOTE#n001"},
    "sk": {"S": "#METADATA"},
    "note_id": {"S": "n001"},
    "text": {"S": "hola"},
}
THROTTLED = rejects("ProvisionedThroughputExceededException")
FAILED = rejects("InternalServerError", status=500)


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The longest that each pause could have been; none of them takes any time."""
    longest: list[float] = []

    def shortest(low: float, high: float) -> float:
        longest.append(high)
        return low

    monkeypatch.setattr("random.uniform", shortest)
    return longest


@pytest.fixture
def table(engine: DynamoEngine, clock: SetClock, pauses: list[float]) -> Table:
    return Table(engine, clock=clock)


async def test_a_throttled_read_is_tried_again_after_pauses_that_grow(
    table: Table, scripted: ScriptedEndpoint, pauses: list[float]
) -> None:
    scripted.answers_next(*[THROTTLED] * 7, answers({"Item": NOTE}))

    found = await table.get(Note.key(note_id="n001"))

    assert found is not None
    assert found.text == "hola"
    assert scripted.actions() == ["GetItem"] * 8
    assert pauses == [0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.0]


async def test_patience_ends(engine: DynamoEngine, scripted: ScriptedEndpoint, pauses: list[float]) -> None:
    scripted.answers_always(THROTTLED)
    table = Table(engine, retries=Retries(attempts=3))

    with pytest.raises(Throttled):
        await table.get(Note.key(note_id="n001"))

    assert len(scripted.received) == 3
    assert len(pauses) == 2


@pytest.mark.parametrize("failure", [THROTTLED, FAILED, hangs_up, rejects("TransactionConflictException")])
async def test_a_read_is_tried_again_whatever_went_wrong_on_the_way(
    failure: Answering, table: Table, scripted: ScriptedEndpoint
) -> None:
    scripted.answers_next(failure, failure, answers({"Item": NOTE}))

    assert await table.get(Note.key(note_id="n001")) is not None
    assert len(scripted.received) == 3


@pytest.mark.parametrize("loss", [hangs_up, FAILED])
async def test_transaction_is_retried_with_the_same_token_after_a_lost_response(
    loss: Answering, table: Table, scripted: ScriptedEndpoint
) -> None:
    scripted.answers_next(loss, THROTTLED, cancels("None", "TransactionConflict"), loss, answers())

    await table.write(created=Create(note(1)), changed=Update(Note.key(note_id="n002"), add(reads=1)))

    assert scripted.actions() == ["TransactWriteItems"] * 5
    assert len({received.raw for received in scripted.received}) == 1
    token = scripted.received[0].body["ClientRequestToken"]
    assert str(uuid.UUID(token)) == token


@pytest.mark.usefixtures("pauses")
async def test_conflict_is_raised_at_once_if_the_caller_writes_the_transaction_anew(
    table: Table, scripted: ScriptedEndpoint
) -> None:
    conflict = cancels("None", "TransactionConflict")
    scripted.answers_next(THROTTLED, conflict, answers())

    with pytest.raises(Conflict):
        await table.write(one=Put(note(1)), two=Put(note(2)), retry_conflicts=False)
    assert len(scripted.received) == 2
    await table.write(one=Put(note(1)), two=Put(note(2)), retry_conflicts=False)

    # After a lost response it may be done, and only the same transaction again finds out.
    scripted.answers_next(hangs_up, conflict, conflict, answers())
    await table.write(one=Put(note(1)), two=Put(note(2)), retry_conflicts=False)
    assert len({received.raw for received in scripted.received[-4:]}) == 1


async def test_every_transaction_has_a_token_of_its_own(table: Table, scripted: ScriptedEndpoint) -> None:
    scripted.answers_always(answers())

    await table.write(one=Put(note(1)), two=Put(note(2)))
    await table.write(one=Put(note(1)), two=Put(note(2)))
    await table.write(Check(Note.key(note_id="n001"), when=present()), token=None)

    tokens = [received.body["ClientRequestToken"] for received in scripted.received]
    assert len(set(tokens)) == 3


async def test_given_token_is_kept_and_turns_one_write_into_a_transaction(
    table: Table, scripted: ScriptedEndpoint
) -> None:
    scripted.answers_next(hangs_up, answers())

    await table.write(Create(note(1)), token="order-7")

    assert scripted.actions() == ["TransactWriteItems"] * 2
    assert [received.body["ClientRequestToken"] for received in scripted.received] == ["order-7"] * 2


async def test_a_transaction_sent_twice_with_its_token_is_done_once(stored: DynamoEngine) -> None:
    table = Table(stored)
    await table.write(Put(note(1)))

    for _ in range(2):
        await table.write(changed=Update(Note.key(note_id="n001"), add(reads=1)), stored=Put(note(2)), token="same")
    found = await table.get(Note.key(note_id="n001"), consistent=True)

    assert found is not None
    assert found.reads == 1
    with pytest.raises(TokenReused):
        await table.write(changed=Update(Note.key(note_id="n001"), add(reads=1)), stored=Put(note(3)), token="same")


@pytest.mark.parametrize("loss", [hangs_up, FAILED])
async def test_write_that_is_not_idempotent_is_never_repeated_after_a_lost_response(
    loss: Answering, table: Table, scripted: ScriptedEndpoint
) -> None:
    scripted.answers_always(loss)
    key = Note.key(note_id="n001")

    for operation in (
        Create(note(1)),
        Put(note(1), when=present()),
        Update(key, set_to(text="x")),
        Update(key, add(reads=1), when=always()),
        Delete(key),
    ):
        scripted.received.clear()
        with pytest.raises(OutcomeUnknown):
            await table.write(operation)
        assert len(scripted.received) == 1


async def test_a_single_write_that_is_the_same_twice_is_sent_again(table: Table, scripted: ScriptedEndpoint) -> None:
    key = Note.key(note_id="n001")
    scripted.answers_next(hangs_up, FAILED, answers(), hangs_up, answers(), hangs_up, answers({"Attributes": NOTE}))

    await table.write(Put(note(1)))
    await table.write(Delete(key, when=always()))
    await table.write(Update(key, set_to(text="hola"), when=always()))

    assert scripted.actions() == ["PutItem"] * 3 + ["DeleteItem"] * 2 + ["UpdateItem"] * 2


@pytest.mark.parametrize("passing", [THROTTLED, rejects("TransactionConflictException")])
async def test_a_write_that_surely_was_not_done_is_always_sent_again(
    passing: Answering, table: Table, scripted: ScriptedEndpoint
) -> None:
    scripted.answers_next(passing, passing, answers())

    await table.write(Create(note(1)))

    assert scripted.actions() == ["PutItem"] * 3


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (rejects("ValidationException"), TableError),
        (rejects("ResourceNotFoundException"), TableError),
        (cancels("ConditionalCheckFailed", "None"), TableError),
        (rejects("IdempotentParameterMismatchException"), TokenReused),
    ],
)
async def test_what_will_never_work_is_tried_once(
    answer: Answering, kind: type[TableError], table: Table, scripted: ScriptedEndpoint
) -> None:
    scripted.answers_always(answer)

    with pytest.raises(kind):
        await table.write(one=Put(note(1)), two=Put(note(2)))

    assert len(scripted.received) == 1


async def test_persistent_conflict_is_reported(table: Table, scripted: ScriptedEndpoint) -> None:
    scripted.answers_always(cancels("TransactionConflict", "None"))

    with pytest.raises(Conflict):
        await table.write(one=Put(note(1)), two=Put(note(2)))

    assert len(scripted.received) == Retries().attempts


async def test_unreachable_store_is_reported(table: Table, scripted: ScriptedEndpoint) -> None:
    scripted.answers_always(hangs_up)

    with pytest.raises(StoreFailed):
        await table.get(Note.key(note_id="n001"))
    with pytest.raises(OutcomeUnknown):
        await table.write(one=Put(note(1)), two=Put(note(2)))


def stored_note(number: int) -> dict[str, dict[str, str]]:
    key = f"n{number:03d}"
    return {"pk": {"S": f"NOTE#{key}"}, "sk": {"S": "#METADATA"}, "note_id": {"S": key}, "text": {"S": f"text {key}"}}


class Shelf:
    """Answers batches some at a time: the first of each, or all but the first, as one whose time is short."""

    def __init__(self, at_once: int, *, last_first: bool = False) -> None:
        self.at_once = at_once
        self.last_first = last_first
        self.written: list[str] = []

    async def answer(self, received: Received) -> Any:
        asked = received.body["RequestItems"]["notes"]
        if received.action == "BatchGetItem":
            now, later = self._split(asked["Keys"])
            items = [stored_note(int(key["pk"]["S"][-3:])) for key in now]
            left = {"notes": {"Keys": later, "ConsistentRead": asked["ConsistentRead"]}} if later else {}
            return await answers({"Responses": {"notes": items[::-1]}, "UnprocessedKeys": left})(received)
        now, later = self._split(asked)
        self.written += [each["PutRequest"]["Item"]["text"]["S"] for each in now]
        return await answers({"UnprocessedItems": {"notes": later} if later else {}})(received)

    def _split(self, asked: list[Any]) -> tuple[list[Any], list[Any]]:
        ordered = asked[::-1] if self.last_first else asked
        return ordered[: self.at_once], ordered[self.at_once :]


@pytest.mark.parametrize("last_first", [False, True])
async def test_unprocessed_keys_are_requested_again_and_their_order_is_kept(
    last_first: bool, table: Table, scripted: ScriptedEndpoint, pauses: list[float]
) -> None:
    scripted.answers_always(Shelf(30, last_first=last_first).answer)
    wanted = [(number * 37) % 250 for number in range(250)]

    found = await table.get_many([Note.key(note_id=f"n{number:03d}") for number in wanted])

    assert [each.text for each in found if each is not None] == [f"text n{number:03d}" for number in wanted]
    assert all(len(each.body["RequestItems"]["notes"]["Keys"]) <= 100 for each in scripted.received)
    assert pauses, "a pause comes before what was left over is asked for again"


async def test_items_that_a_batch_left_over_are_written_again(
    table: Table, scripted: ScriptedEndpoint, pauses: list[float]
) -> None:
    shelf = Shelf(10)
    scripted.answers_always(shelf.answer)

    done = await table.write_many(Put(note(number, text=f"{number}")) for number in range(60))

    assert done == 60
    assert sorted(shelf.written, key=int) == [str(number) for number in range(60)]
    assert all(len(each.body["RequestItems"]["notes"]) <= 25 for each in scripted.received)
    assert pauses


async def test_the_last_write_of_an_item_wins_also_when_the_first_is_left_over(
    table: Table, scripted: ScriptedEndpoint
) -> None:
    shelf = Shelf(1, last_first=True)
    scripted.answers_always(shelf.answer)

    await table.write_many([Put(note(1, "first")), Put(note(2, "other")), Put(note(1, "second"))])

    assert shelf.written.index("first") < shelf.written.index("second")


@pytest.mark.parametrize("loss", [hangs_up, THROTTLED])
async def test_batch_whose_response_is_lost_is_sent_again(
    loss: Answering, table: Table, scripted: ScriptedEndpoint
) -> None:
    shelf = Shelf(25)
    scripted.answers_next(loss)
    scripted.answers_always(shelf.answer)

    await table.write_many(Put(note(number, text=f"{number}")) for number in range(3))

    assert shelf.written == ["0", "1", "2"]
    assert scripted.received[0].raw == scripted.received[1].raw


async def test_a_batch_of_which_nothing_moves_is_throttled(
    table: Table, scripted: ScriptedEndpoint, pauses: list[float]
) -> None:
    scripted.answers_always(Shelf(0).answer)

    with pytest.raises(Throttled):
        await table.get_many([Note.key(note_id="n001")])
    with pytest.raises(Throttled):
        await table.write_many([Put(note(1, "x"))])

    half = len(pauses) // 2
    assert pauses[:half] == pauses[half:] == sorted(pauses[:half])
