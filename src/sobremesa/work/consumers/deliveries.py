"""How far one consumer has come in one shard: what was read for it, what it has processed, what is saved of that."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from sobremesa.table import NEWEST, OLDEST, Position, RawChange

END: Final = Position("end")
"""The position of a consumer that has processed the whole shard."""
MAX_PENDING = 10_000
"""How many changes of a shard are read for a consumer that has not processed them; each shard has as many."""
NOTED_SECONDS = 1.0
"""How often the position of a consumer that stays behind is noted."""
CLOCK_SKEW_MS = 5 * 60 * 1000
"""AWS rejects requests with a larger clock skew."""


class ConsumerOptions(NamedTuple):
    """What distinguishes a consumer for the reader of a shard."""

    name: str
    """The name of its checkpoints: it is stored."""
    starts_at_newest: bool = False
    """Whether it needs only the changes from its first start on."""
    behind_seconds: float = 0.0
    """How old its saved position is, so that the next holder repeats the changes since then."""


class Unprocessed(NamedTuple):
    """A page of changes for a consumer, and its position after them."""

    changes: Sequence[RawChange]
    after: Position


def rank(position: Position) -> float:
    """Return a number that orders the positions of a shard; NEWEST has none and is after all."""
    if position == OLDEST:
        return -1
    return math.inf if position in (END, NEWEST) else int(position)


class Delivery:
    """The progress of one consumer in one shard, while this node holds its lease."""

    def __init__(
        self,
        shard_id: str,
        options: ConsumerOptions,
        start: Position,
        *,
        newest_since_ms: int = 0,
        is_valid: Callable[[], bool],
        progressed: Callable[[], None],
    ) -> None:
        self.shard_id = shard_id
        self.options = options
        self.position = start
        """Everything up to it was read."""
        self.is_valid = is_valid
        """Whether the lease on the shard is still held."""
        self.arrived = asyncio.Event()
        """Set when there is something to process."""
        self.on_arrival: Callable[[], None] | None = None
        self._progressed = progressed
        self._floor_ms = newest_since_ms - CLOCK_SKEW_MS if options.starts_at_newest and newest_since_ms else 0
        self._waiting: deque[Unprocessed] = deque()
        self._taken: deque[Unprocessed] = deque()
        self._processed = start
        self._noted: deque[tuple[float, Position]] = deque([(-math.inf, start)])
        self._seen_ms = 0
        self._is_at_head = False
        self.pending = 0

    @property
    def has_room(self) -> bool:
        return self.position != END and self.pending < MAX_PENDING

    @property
    def is_finished(self) -> bool:
        """Whether the consumer has processed the whole shard."""
        return self._processed == END

    def offer(self, changes: Sequence[RawChange], after: Position, *, is_full: bool = False) -> None:
        """Pass on what was read; `after` is the position then."""
        if self._floor_ms:
            changes = [change for change in changes if change.at_ms >= self._floor_ms]
        self._is_at_head = not is_full
        if changes:
            self._seen_ms = changes[-1].at_ms
        elif after == self.position:
            return
        self.position = after
        self.pending += len(changes)
        self._waiting.append(Unprocessed(changes, after))
        self.arrived.set()
        if self.on_arrival is not None:
            self.on_arrival()

    def take(self, at_most: int | None = None) -> list[Unprocessed]:
        """Return the pages that wait, in order; the caller confirms them when it has processed them."""
        pages: list[Unprocessed] = []
        while self._waiting and (at_most is None or len(pages) < at_most):
            pages.append(self._waiting.popleft())
        self._taken += pages
        if not self._waiting:
            self.arrived.clear()
        return pages

    def confirm(self) -> None:
        """Note that everything that was taken is processed."""
        while self._taken:
            page = self._taken.popleft()
            self.pending -= len(page.changes)
            self._processed = page.after
        self._note(asyncio.get_running_loop().time())
        self._progressed()

    def rewind(self) -> None:
        """Go back to the saved position: what was read since is read again."""
        saved = self.saved()
        self._waiting.clear()
        self._taken.clear()
        self.arrived.clear()
        self.pending = 0
        self.move(OLDEST if saved == NEWEST else saved)
        self._progressed()

    def move(self, position: Position) -> None:
        """Continue at another position of the shard."""
        self.position = self._processed = position
        self._noted = deque([(-math.inf, position)])
        self._is_at_head = False

    def saved(self) -> Position:
        """Return the position that is to be saved."""
        if not self.options.behind_seconds:
            return self._processed
        self._forget(asyncio.get_running_loop().time())
        return self._noted[0][1]

    def _note(self, now: float) -> None:
        if self.options.behind_seconds:
            if now - self._noted[-1][0] >= NOTED_SECONDS or self.is_finished:
                self._noted.append((now, self._processed))
            self._forget(now)

    def _forget(self, now: float) -> None:
        while len(self._noted) > 1 and now - self._noted[1][0] >= self.options.behind_seconds:
            self._noted.popleft()

    def lag_seconds(self, now_ms: int) -> float:
        """Return the age of the oldest change that is not processed, as far as it is known; 0 if there is none."""
        for page in (*self._taken, *self._waiting):
            if page.changes:
                return max(0, now_ms - page.changes[0].at_ms) / 1000
        if self._is_at_head or self.position == END or not self._seen_ms:
            return 0.0
        return max(0, now_ms - self._seen_ms) / 1000


def starting_position(options: ConsumerOptions, checkpoints: Mapping[str, Position]) -> Position:
    """Return where a consumer continues: a consumer without a checkpoint starts at the oldest change."""
    return checkpoints.get(options.name, OLDEST)
