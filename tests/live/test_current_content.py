"""The current content of missed events: looked up once for all who missed them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from sobremesa.live.current_content import CurrentContent
from sobremesa.live.events import Event
from sobremesa.table.errors import Throttled

COUNT = 20
FIRST, SECOND = (Event(t="message.created", d=b'"%d"' % n, topics=(), subject=str(n)) for n in range(2))
VOLATILE = Event(t="profile.updated", d=b'"volatile"', topics=(), subject="volatile")
CHANGED = b'"changed"'


class Lookup:
    """Events of which some have changed, and whose lookups wait until they are let through."""

    def __init__(self) -> None:
        self.asked: list[Event] = []
        self.changed: dict[str, bytes | None] = {}
        self.fails = False
        self.may_answer = asyncio.Event()

    def is_volatile(self, event: Event) -> bool:
        return event is VOLATILE

    async def current(self, events: Sequence[Event]) -> list[Event | None]:
        self.asked += events
        changed, fails = dict(self.changed), self.fails
        await self.may_answer.wait()
        if fails:
            raise Throttled
        shown = [(each, changed.get(each.subject, each.d)) for each in events]
        return [None if d is None else Event(t=each.t, d=d, topics=(), subject=each.subject) for each, d in shown]


async def found_by_all(content: CurrentContent, lookup: Lookup, *events: Event) -> list[dict[str, Event | None]]:
    """Return what readers find who come together, each of whom missed these events."""
    asked = {each.subject: each for each in events}
    finding = [asyncio.create_task(content.find(asked)) for _ in range(COUNT)]
    await asyncio.sleep(0)
    lookup.may_answer.set()
    return await asyncio.gather(*finding)


async def test_readers_who_come_together_share_a_lookup() -> None:
    lookup = Lookup()
    content = CurrentContent(lookup)
    lookup.changed = {"1": CHANGED}

    for found in await found_by_all(content, lookup, FIRST, SECOND):
        assert found["0"] is FIRST  # the same object, whose frame is encoded once
        assert found["1"] is not None
        assert found["1"].d == CHANGED
    assert lookup.asked == [FIRST, SECOND]


async def test_what_can_change_without_an_event_is_looked_up_by_each() -> None:
    lookup = Lookup()
    await found_by_all(CurrentContent(lookup), lookup, VOLATILE, FIRST)
    assert lookup.asked.count(VOLATILE) == COUNT
    assert lookup.asked.count(FIRST) == 1


async def test_reader_after_a_change_does_not_share_an_earlier_lookup() -> None:
    lookup = Lookup()
    content = CurrentContent(lookup)
    early = asyncio.create_task(content.find({"0": FIRST}))
    await asyncio.sleep(0)
    lookup.changed = {"0": None}
    content.invalidate("0")

    late = await found_by_all(content, lookup, FIRST)
    await early
    assert late == [{"0": None}] * COUNT
    assert await content.find({"0": FIRST}) == {"0": None}


@pytest.mark.parametrize("is_cancelled", [False, True])
async def test_readers_find_by_themselves_what_a_failed_lookup_did_not(is_cancelled: bool) -> None:
    lookup = Lookup()
    content = CurrentContent(lookup)
    lookup.fails = True
    first = asyncio.create_task(content.find({"0": FIRST}))
    await asyncio.sleep(0)
    lookup.fails = False
    others = [asyncio.create_task(content.find({"0": FIRST, "1": SECOND})) for _ in range(COUNT)]
    await asyncio.sleep(0)
    if is_cancelled:
        first.cancel()
        await asyncio.wait([first])
    lookup.may_answer.set()

    with pytest.raises(asyncio.CancelledError if is_cancelled else Throttled):
        await first
    assert await asyncio.gather(*others) == [{"0": FIRST, "1": SECOND}] * COUNT
