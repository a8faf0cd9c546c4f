"""What is read for a consumer is bounded, and nothing is published under a lease that is over."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence

import pytest

from consumers.stream_nodes import eventually
from sobremesa.table import NEWEST, OLDEST, Position, RawChange, RawKey
from sobremesa.work.consumers import deliveries, handlers
from sobremesa.work.consumers.deliveries import END, ConsumerOptions, Delivery, rank
from sobremesa.work.consumers.handlers import PublisherConsumer

NOW_MS = 1_763_000_000_000


def changes(first: int, last: int, at_ms: int = NOW_MS) -> list[RawChange]:
    return [
        RawChange(f"c{number}", at_ms, RawKey("p", "s"), None, {}, expired=False, shard_id="s", sequence=f"{number}")
        for number in range(first, last + 1)
    ]


def delivery_of(
    options: ConsumerOptions,
    start: Position = OLDEST,
    *,
    since_ms: int = 0,
    is_valid: Callable[[], bool] = lambda: True,
) -> Delivery:
    return Delivery("s", options, start, newest_since_ms=since_ms, is_valid=is_valid, progressed=lambda: None)


class Recorder:
    def __init__(self) -> None:
        self.published: list[str] = []
        self.failures = 0

    async def publish(self, shard_id: str, changes: Sequence[RawChange]) -> None:
        if self.failures and changes:
            self.failures -= 1
            raise RuntimeError("the publisher is broken")
        self.published += [change.sequence for change in changes]

    async def restart(self) -> None:
        pass


@contextlib.contextmanager
def attached(publisher: Recorder, delivery: Delivery) -> Iterator[None]:
    consumer = PublisherConsumer("events", publisher, behind_seconds=delivery.options.behind_seconds)
    consumer.attach(delivery)
    try:
        yield
    finally:
        consumer.detach(delivery)


async def test_nothing_is_published_while_the_lease_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process that was stopped and continues, until it notices that another node has the shard."""
    monkeypatch.setattr(handlers, "RETRY_SECONDS", 0.01)
    looked: list[bool] = []
    is_held = False

    def is_valid() -> bool:
        looked.append(is_held)
        return is_held

    publisher, delivery = Recorder(), delivery_of(ConsumerOptions("events"), is_valid=is_valid)
    with attached(publisher, delivery):
        delivery.offer(changes(1, 3), Position("3"))
        await eventually(lambda: len(looked) >= 3)
        assert publisher.published == []

        is_held = True
        await eventually(lambda: publisher.published == ["1", "2", "3"])


async def test_publisher_that_failed_is_read_for_again_from_the_saved_position(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(handlers, "RETRY_SECONDS", 0.01)
    publisher = Recorder()
    delivery = delivery_of(ConsumerOptions("events", behind_seconds=60), Position("4"))
    with attached(publisher, delivery):
        delivery.offer(changes(5, 6), Position("6"))
        await eventually(lambda: publisher.published == ["5", "6"])
        publisher.failures = 1
        delivery.offer(changes(7, 7), Position("7"))

        await eventually(lambda: delivery.position == "4")
        delivery.offer(changes(5, 7), Position("7"))
        await eventually(lambda: publisher.published == ["5", "6", "5", "6", "7"])
        assert delivery.saved() == "4", "the last minute may be lost where it was published"


async def test_reading_for_a_consumer_stops_while_too_much_is_unprocessed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deliveries, "MAX_PENDING", 5)
    delivery = delivery_of(ConsumerOptions("one"))
    had_room: list[bool] = []
    delivery.offer(changes(1, 3), Position("3"))
    had_room.append(delivery.has_room)
    delivery.offer(changes(4, 6), Position("6"))
    had_room.append(delivery.has_room)
    assert len(delivery.take()) == 2
    had_room.append(delivery.has_room)
    assert delivery.saved() == OLDEST, "taken is not processed"
    delivery.confirm()
    had_room.append(delivery.has_room)

    assert had_room == [True, False, False, True]
    assert delivery.saved() == "6"


async def test_consumer_of_new_changes_skips_those_from_before_the_first_start() -> None:
    options = ConsumerOptions("events", starts_at_newest=True)
    delivery = delivery_of(options, NEWEST, since_ms=NOW_MS)
    old, new = changes(1, 1, NOW_MS - 3_600_000), changes(2, 2)
    delivery.offer([*old, *new], Position("2"))

    assert [[change.sequence for change in page.changes] for page in delivery.take()] == [["2"]]
    assert delivery.position == "2"


def test_positions_of_a_shard_are_ordered() -> None:
    positions = [OLDEST, Position("9"), Position("10"), END]
    assert sorted(positions, key=rank) == positions
