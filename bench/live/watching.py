"""Measure what messages cost in a large server of which few look at a channel: `python -m bench.live.watching`.

The same server process is started twice, once with lazy delivery and once without. Each time it has as many sockets, of
which one in a hundred watches the channel, and receives the same messages at the same pace; before, it receives them
without any other socket. What is reported is the processor time of the server, which other programs on the machine
hardly change.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import uvloop

from bench.live.contenders import our_server
from sobremesa.loadtest.connection import Tally
from sobremesa.loadtest.meter import Meter
from sobremesa.loadtest.scenarios import Sender, paced
from sobremesa.loadtest.server import Cores, Process, allow_files, own_cores
from sobremesa.loadtest.stage import Stage

SOCKETS = 1000
WATCHING = 100
"""One in so many sockets watches the channel."""
NODE_SOCKETS = 10_000
"""The sockets of one of ten nodes, if 100,000 members are online."""
PER_SECOND = 50.0
SECONDS = 6.0
EVERYTHING = 1_000_000
FILES = 20_000
HEARTBEAT = b'{"op":1,"d":{"s":null}}'


class Spent(NamedTuple):
    """The share of a core that the server used, without and with the sockets that do not send."""

    alone: float
    beside: float

    @property
    def share(self) -> float:
        """What the sockets cost."""
        return max(0.0, self.beside - self.alone)

    @property
    def message_us(self) -> float:
        return self.share / PER_SECOND * 1e6


async def measured(cores: Cores, sockets: int, crowd: int) -> Spent:
    """Return what a server spends that is delivered lazily above this number of members."""
    async with our_server(cores, 1, None, lazy_delivery_above=crowd) as (stage, process):
        alone = await _share(stage, process, 0, 0)
        return Spent(alone, await _share(stage, process, sockets, sockets // WATCHING))


async def _share(stage: Stage, process: Process, sockets: int, watching: int) -> float:
    """Return the share of a core that the server uses while messages are sent."""
    tally = Tally()
    connections = [*await stage.listeners(watching, tally), *await stage.bystanders(sockets - watching, Tally())]
    senders = await stage.open_senders(1, together=True)
    own = senders[0].connection.tally
    for connection in connections:
        connection.send_text(HEARTBEAT)  # they may have waited for the others for a while
    try:
        await _send(tally, own, watching, senders[0], seconds=1.0)
        meter = Meter(process.pid)
        await _send(tally, own, watching, senders[0], seconds=SECONDS)
        return meter.shares().server or 0.0
    finally:
        for connection in (*connections, senders[0].connection):
            connection.disconnect()
        await asyncio.sleep(0.3)


async def _send(tally: Tally, own: Tally, watching: int, sender: Sender, *, seconds: float) -> None:
    """Send at the pace until every socket that watches has all messages; the author's own socket, if there is none."""
    counted, listeners = (tally, watching) if watching else (own, 1)
    await paced(counted, listeners, sender, per_second=PER_SECOND, seconds=seconds)


def report(sockets: int, lazily: Sequence[Spent], fully: Sequence[Spent]) -> Iterator[str]:
    for lazy, full in zip(lazily, fully, strict=True):
        yield (
            f"{PER_SECOND:.0f} messages/s, {sockets} sockets, 1 in {WATCHING} watches: "
            f"{full.message_us:.0f} µs of CPU for a message with full delivery ({full.share:.0%} of a core), "
            f"{lazy.message_us:.0f} µs lazily ({lazy.share:.1%}), 1/{full.share / max(lazy.share, 1e-9):.0f}; "
            f"{lazy.share * NODE_SOCKETS / sockets:.1%} of a core for {NODE_SOCKETS} sockets; "
            f"{lazy.alone:.0%} and {full.alone:.0%} without sockets"
        )


async def main(cores: Cores, sockets: int, rounds: int) -> None:
    lazily: list[Spent] = []
    fully: list[Spent] = []
    for _ in range(rounds):
        lazily.append(await measured(cores, sockets, 0))
        fully.append(await measured(cores, sockets, EVERYTHING))
    for line in report(sockets, lazily, fully):
        print(line)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.live.watching", description=__doc__)
    parser.add_argument("--sockets", type=int, default=SOCKETS, help="how many sockets are connected")
    parser.add_argument("--rounds", type=int, default=1, help="how many rounds")
    given = parser.parse_args()
    allow_files(FILES)
    with own_cores() as cores:
        uvloop.run(main(cores, given.sockets, given.rounds))
