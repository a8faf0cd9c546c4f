"""How the live parts are put together, one for each process."""

from __future__ import annotations

from typing import NamedTuple

from sobremesa.clock import Clock
from sobremesa.live.feed import Feed
from sobremesa.live.hub import Fresh, Hub
from sobremesa.live.log_feed import LogFeed
from sobremesa.live.translation import Translation
from sobremesa.live.typing import Typing
from sobremesa.live.whispers import LocalWhispers, Whispers
from sobremesa.table import Table


class Live(NamedTuple):
    """What is told, and to whom."""

    feed: Feed
    hub: Hub
    whispers: Whispers
    typing: Typing


def open_live(table: Table, clock: Clock, translation: Translation, *, fresh: Fresh) -> Live:
    """The live parts of one process over one table."""
    feed = LogFeed(table, clock, translation)
    hub = Hub(feed, fresh)
    whispers = LocalWhispers(hub)
    return Live(feed, hub, whispers, Typing(whispers))
