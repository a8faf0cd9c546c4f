"""What the services of all kinds of room share."""

from __future__ import annotations

from typing import NamedTuple

from sobremesa.core.clock import Clock
from sobremesa.core.custom_data import BoundsOnly, DataChecks
from sobremesa.core.ids import Ids
from sobremesa.rooms.access import NoTypingPublisher, TypingPublisher, UserDirectory
from sobremesa.rooms.files import Files
from sobremesa.rooms.judging import TimedJudge
from sobremesa.rooms.readers import RoomReaders
from sobremesa.table import Table
from sobremesa.work.jobs import Jobs


class RoomContext(NamedTuple):
    """The table, the clock, and the services of other domains that rooms use."""

    table: Table
    clock: Clock
    ids: Ids
    users: UserDirectory
    files: Files
    jobs: Jobs
    readers: RoomReaders
    typing: TypingPublisher = NoTypingPublisher()
    judge: TimedJudge | None = None
    has_own_clock: bool = False
    """Whether the program passed a clock, instead of using the machine's."""
    data_checks: DataChecks = BoundsOnly()
    room_nonces_until: int = 0
    """Until when nonces of earlier versions may be in the partitions of rooms."""
