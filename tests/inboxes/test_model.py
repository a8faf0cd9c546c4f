"""Random operations in any order: lists and counts always match a simple model.

`make long` runs it longer.
"""

from __future__ import annotations

import asyncio
import uuid
from collections import Counter
from contextlib import AsyncExitStack
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from inboxes.shop import NEWS, NOW_MS, SHOP, Shop, reader
from lengths import INBOX_EXAMPLES as EXAMPLES
from lengths import INBOX_STEPS as STEPS
from servers import Endpoint
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor
from sobremesa.core.clock import SetClock
from sobremesa.core.settings import Settings
from sobremesa.domains.inboxes.counting import CategoryCount, InboxCount
from sobremesa.table import RawChange

NAMES = ("ana", "ben", "cleo", "dora")
names = st.sampled_from(NAMES)
categories = st.sampled_from([None, "offers", "orders"])
lifetimes = st.sampled_from([None, "5s", "20s", "60s"])
picks = st.integers(min_value=0, max_value=50)


class Published(NamedTuple):
    """A message of the model."""

    message_id: str
    to: frozenset[str] | None
    category: str | None
    at_ms: int
    expires: int | None


class Reader:
    """A user of the model."""

    def __init__(self, since_ms: int) -> None:
        self.since_ms = since_ms
        self.read: set[str] = set()
        self.archived: set[str] = set()
        self.snoozed: dict[str, int] = {}
        self.muted: set[str] = set()


class InboxMachine(RuleBasedStateMachine):
    """Runs the inbox and the model side by side."""

    store = "sqlite://"
    steps = 0
    looks = 0

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.closing = AsyncExitStack()
        # Fixed between the steps, so that the model and the inbox have the same time in every run.
        self.clock = SetClock(NOW_MS)
        store = self.store.replace("TABLE", f"model-{uuid.uuid4().hex}")
        opened = Sobremesa.open(store, settings=Settings(rate_limits="off"), clock=self.clock, background=False)
        app: Sobremesa = self.run(self.closing.enter_async_context(opened))
        self.shop = Shop(app, self.clock)
        self.published: list[Published] = []
        self.first: dict[str, int] = {}
        self.readers: dict[str, Reader] = {}
        self.late: list[RawChange] = []

    def run(self, work: Any) -> Any:
        return self.runner.run(work)

    def teardown(self) -> None:
        try:
            for name in self.readers:
                self.check(name)
            assert self.run(self.drift()) == []
        finally:
            self.run(self.closing.aclose())
            self.runner.close()

    # Rules

    @rule(name=names, is_external=st.booleans())
    def join(self, name: str, is_external: bool) -> None:
        if name in self.readers:
            return
        self.tick()
        self.run(self.shop.create_users(reader(name), **({"identity": f"identity-of-{name}"} if is_external else {})))
        since = self.clock.now_ms()
        self.readers[name] = Reader(min(since, self.first.get(name, since)) if is_external else since)

    @rule(to=st.frozensets(names, min_size=1), category=categories, ttl=lifetimes)
    def publish_to_some(self, to: frozenset[str], category: str | None, ttl: str | None) -> None:
        self.publish(to, category, ttl)
        for name in to:
            self.first.setdefault(name, self.clock.now_ms())

    @rule(category=categories, ttl=lifetimes)
    def broadcast(self, category: str | None, ttl: str | None) -> None:
        self.publish(None, category, ttl)

    @precondition(lambda self: self.readers and self.published)
    @rule(pick=picks, who=picks)
    def read(self, pick: int, who: int) -> None:
        name, message = self.pick(who, pick)
        is_new = self.has(name, message) and message.message_id not in self.readers[name].read
        assert self.run(self.shop.read(reader(name), message.message_id)) == is_new
        if is_new:
            self.readers[name].read.add(message.message_id)

    @precondition(lambda self: self.readers)
    @rule(who=picks, category=categories)
    def read_all(self, who: int, category: str | None) -> None:
        name = self.who(who)
        unread = [
            message
            for message in self.shown(name)
            if message.message_id not in self.readers[name].read and category in (None, message.category)
        ]
        marked = self.shop.inboxes.mark_all_read(reader(name), SHOP, NEWS, category=category)
        assert self.run(marked) == len(unread)
        self.readers[name].read |= {message.message_id for message in unread}

    @precondition(lambda self: self.readers and self.published)
    @rule(pick=picks, who=picks)
    def archive(self, pick: int, who: int) -> None:
        name, message = self.pick(who, pick)
        is_new = self.has(name, message) and message.message_id not in self.readers[name].archived
        assert self.run(self.shop.archive(reader(name), message.message_id)) == is_new
        if is_new:
            self.readers[name].archived.add(message.message_id)

    @precondition(lambda self: self.readers and self.published)
    @rule(pick=picks, who=picks, seconds=st.sampled_from([3, 15, 50]))
    def snooze(self, pick: int, who: int, seconds: int) -> None:
        name, message = self.pick(who, pick)
        changed = self.run(self.shop.snooze(reader(name), message.message_id, seconds=seconds))
        if self.has(name, message) and message.message_id not in self.readers[name].archived:
            self.readers[name].snoozed[message.message_id] = -(-(self.clock.now_ms() + seconds * 1000) // 1000)
        else:
            assert not changed

    @precondition(lambda self: self.readers)
    @rule(who=picks, category=st.sampled_from(["offers", "orders"]), muted=st.booleans())
    def mute(self, who: int, category: str, muted: bool) -> None:
        name = self.who(who)
        self.run(self.shop.mute(reader(name), category, muted=muted))
        (self.readers[name].muted.add if muted else self.readers[name].muted.discard)(category)

    @rule(seconds=st.sampled_from([1, 4, 10, 30, 100]))
    def pass_time(self, seconds: int) -> None:
        self.clock.move(seconds=seconds)

    @rule()
    def store_removes(self) -> None:
        self.late += self.run(self.shop.removed_by_the_store())

    @precondition(lambda self: self.late)
    @rule(pick=picks, is_last=st.booleans())
    def record_arrives(self, pick: int, is_last: bool) -> None:
        record = self.late[pick % len(self.late)]
        self.run(self.shop.consume(record))
        if is_last:
            self.late.remove(record)

    @rule()
    def reconcile(self) -> None:
        self.run(self.reconciled())

    @precondition(lambda self: self.readers)
    @rule(who=picks)
    def look(self, who: int) -> None:
        self.check(self.who(who))

    # Checks

    @invariant()
    def step(self) -> None:
        InboxMachine.steps += 1

    def check(self, name: str) -> None:
        InboxMachine.looks += 1
        shown = self.shown(name)
        assert self.run(self.shop.ids(reader(name), limit=5)) == [message.message_id for message in shown[::-1]]
        user = self.readers[name]
        totals = Counter(message.category for message in shown)
        unread = Counter(message.category for message in shown if message.message_id not in user.read)
        expected = InboxCount(
            len(shown),
            sum(number for category, number in unread.items() if category not in user.muted),
            {
                category: CategoryCount(totals[category], unread[category], category in user.muted)
                for category in sorted(filter(None, totals))
            },
        )
        assert self.run(self.shop.count(reader(name))) == expected

    def has(self, name: str, message: Published) -> bool:
        """Return whether a user has this message and it has not expired."""
        if message.expires is not None and message.expires <= self.clock.now_ms() // 1000:
            return False
        return name in message.to if message.to is not None else message.at_ms >= self.readers[name].since_ms

    def shown(self, name: str) -> list[Published]:
        user, now = self.readers[name], self.clock.now_ms() // 1000
        return [
            message
            for message in self.published
            if self.has(name, message)
            and message.message_id not in user.archived
            and user.snoozed.get(message.message_id, 0) <= now
        ]

    # Internals

    def publish(self, to: frozenset[str] | None, category: str | None, ttl: str | None) -> None:
        self.tick()
        recipients: list[Actor] = [] if to is None else [reader(name) for name in sorted(to)]
        message_id = self.run(self.shop.send(*recipients, category=category, ttl=ttl))
        now = self.clock.now_ms()
        expires = None if ttl is None else now // 1000 + int(ttl[:-1])
        self.published.append(Published(message_id, to, category, now, expires))

    def tick(self) -> None:
        self.clock.move(seconds=0.02)

    def who(self, number: int) -> str:
        return sorted(self.readers)[number % len(self.readers)]

    def pick(self, who: int, number: int) -> tuple[str, Published]:
        return self.who(who), self.published[number % len(self.published)]

    async def reconciled(self) -> None:
        async for _ in self.shop.inboxes.reconciling.run():
            pass

    async def drift(self) -> list[Any]:
        """Return the drift after all pending stream records."""
        await self.shop.consume(*self.late)
        return [checked async for checked in self.shop.inboxes.reconciling.run(dry=True) if checked.drift]


@pytest.mark.long
@pytest.mark.timeout(120 + EXAMPLES * STEPS)
@pytest.mark.parametrize("engine", ["embedded", "dynamodb"])
def test_lists_and_counts_always_match_the_model(engine: str, dynamodb_endpoint: Endpoint) -> None:
    class Machine(InboxMachine):
        store = (
            "sqlite://"
            if engine == "embedded"
            else f"dynamodb://TABLE?region=eu-west-1&endpoint={dynamodb_endpoint.url}"
        )

    examples = EXAMPLES if engine == "embedded" else max(3, EXAMPLES // 4)
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=STEPS,
            suppress_health_check=list(HealthCheck),
            print_blob=True,
        ),
    )
    print(f"{engine}: {InboxMachine.steps} steps in all, looked {InboxMachine.looks} times")
