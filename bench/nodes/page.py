"""The pages: figures, ratios within the run, and what they mean."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from bench.nodes import beside, cluster, storm
from bench.nodes.centrifugo import VERSION
from bench.nodes.cluster import Sizes
from bench.nodes.crowds import ALL_WITHIN_SECONDS, IN_A_STORM, Delivered, Storm
from sobremesa.loadtest.server import Cores

F = TypeVar("F")

CPU = """\
Servers and clients share {cores} cores, with other programs. So what counts is the **CPU time** that each process uses,
and the ratios of one run; seconds are shown for what they are worth.
"""
NODES = """\
Each node is `sobremesa serve` in a process of its own, over one endpoint of DynamoDB (an emulator, in memory) and one
Valkey, limits off. *Deliveries per CPU second of the busiest node* is what the installation could deliver if each node
had a core of its own. **Before** is the last commit in which all nodes read one stream of everything
([decision 48](../docs/decisions/0048-events-by-topic.md)), driven by the same clients.
"""
CENTRIFUGO = """\
Centrifugo {version} is a server for live messages, in Go, here with its Redis engine and a Valkey; ours is one node
over an emulator of DynamoDB and a Valkey. Both have the same clients, which send raw frames of JSON, and events of the
same size.

Centrifugo stores nothing durable: a publication is a script in Valkey, kept as long as its history is set to. That buys
it a publish without a transaction, a connection without reading who the user is and what they may see (its token says
so, and the client names its channel), and a recovery that is one read of one stream. It also uses all cores in one
process. A message of ours is in the table, with its place in the order of the room, before it is answered; `ready` has
the state of all rooms; a resume reads consistently which rooms the user is still in, and shows messages as they are
now, so that removed members receive nothing and deleted messages do not come back.
"""
STORMS = """\
All users of the embedded engine come at once, each with 5 servers and 11 rooms: they identify at a server that has just
started, are cut off, and resume when it has started again. {at_once:,} handshakes are in progress at a time. The CPU
time includes the presence that is published for them. **Before** is the last commit in which each client read and
translated the end of the log, and each subscriber was written each presence, by itself
([decision 60](../docs/decisions/0060-what-a-resume-costs.md)).
"""
MANY = """\
The same with more sockets, {cores}. The server has nothing to do where its main thread neither runs nor waits for a
core that another program has: that time would be lost on a machine of its own, too.\
"""
Row = tuple[str, Callable[[F], float], str]


class Beside(NamedTuple):
    """One node, and Centrifugo."""

    ours: beside.Found
    theirs: beside.Found
    event_bytes: int


def nodes_page(sizes: Sizes, now: cluster.Found, before: cluster.Found | None) -> str:
    """Return the page about several nodes."""
    first, *more = sizes.nodes
    rows: list[Row[cluster.Found]] = []
    for count in sizes.nodes:
        nodes = "1 node" if count == 1 else f"{count} nodes"
        rows += [
            (f"{nodes}: deliveries/s, all on this machine", _of(count, lambda each: each.per_second), ",.0f"),
            (f"{nodes}: deliveries per CPU second of the busiest", _of(count, lambda each: each.of_busiest), ",.0f"),
            (f"{nodes}: CPU of all nodes for a delivery, µs", _of(count, lambda each: each.microseconds_each), ".1f"),
        ]
        if count in more:
            rows.append((f"{nodes}: of what 1 node could deliver", _of_first(count, first), ".0%"))
    rows += [
        ("CPU of a node for an event that it does not need, µs", lambda each: each.unneeded.node_microseconds, ".1f"),
        ("its standard error, µs", lambda each: each.unneeded.spread, ".1f"),
        ("bytes that Redis sends to a node for such an event", lambda each: each.unneeded.received_bytes, ",.1f"),
        ("memory of Redis for an event, bytes", lambda each: each.unneeded.redis_bytes, ",.0f"),
        *_storm_rows(f"{sizes.cut:,} sockets of a killed node", _storm_of_cluster),
    ]
    return _page(
        "Several nodes",
        NODES,
        _table(("now", now), ("before", before), rows),
        f"{sizes.rooms} rooms with {sizes.sockets:,} sockets in all, as many rooms on each node, a message in flight in"
        f" each. {now.unneeded.events:,} events that a node does not need, in {sizes.pairs} periods between as many in"
        " which nobody sends; the node reads no shard of the table's stream. Each socket of the killed node missed"
        f" {sizes.missed} messages. {_fates('Now', now.storm)}"
        + (_fates(" Before", before.storm) if before else " The baseline needs the project's history."),
    )


def centrifugo_page(sizes: Sizes, found: Beside) -> str:
    """Return the page about Centrifugo."""
    ours, theirs = found.ours, found.theirs
    delivery = ours.delivered.microseconds_each / theirs.delivered.microseconds_each
    memory = ours.socket_bytes / theirs.socket_bytes
    back = ours.storm.milliseconds_each / theirs.storm.milliseconds_each
    rows: list[Row[beside.Found]] = [
        (
            f"broadcast to {sizes.sockets:,}, {beside.IN_FLIGHT} in flight, deliveries/s",
            lambda each: each.delivered.per_second,
            ",.0f",
        ),
        ("deliveries per CPU second", lambda each: each.delivered.of_busiest, ",.0f"),
        ("memory for an idle socket, KB", lambda each: each.socket_bytes / 1024, ".1f"),
        *_storm_rows(f"{sizes.cut:,} cut sockets", _storm_of_one),
    ]
    return _page(
        "One node beside Centrifugo",
        CENTRIFUGO.format(version=VERSION),
        _table(("Sobremesa", ours), ("Centrifugo", theirs), rows),
        f"Where we stand: a delivery costs ours {delivery:.1f} times the CPU of Centrifugo's, an idle socket"
        f" {memory:.1f} times the memory, and coming back {back:.0f} times the CPU, for what a resume reads. All sends"
        " and resumes of ours wait for the emulator, which shares the cores: that is most of the seconds.\n\n"
        f"One room, events of {found.event_bytes} bytes. Each socket missed {sizes.missed} messages."
        f" {_fates('Sobremesa', ours.storm)} {_fates('Centrifugo', theirs.storm)}",
    )


def storms_page(now: storm.Found, before: storm.Found | None, many: storm.Found, many_users: int, cores: Cores) -> str:
    """Return the page about storms."""
    users = now.identify.sockets
    rows: list[Row[storm.Found]] = [
        *_storm_rows(f"{users:,} users identify", _identify_of),
        *_storm_rows(f"{users:,} users resume after a restart", _resume_of),
    ]
    return _page(
        "Storms of reconnects",
        STORMS.format(at_once=IN_A_STORM),
        _table(("now", now), ("before", before), rows),
        f"{_fates('Now, identify', now.identify)} {_fates('Now, resume', now.resume)}"
        + (_fates(" Before, resume", before.resume) if before else " The baseline needs the project's history.")
        + f"\n\n{_many(many, many_users, cores)}",
    )


def _many(found: storm.Found, users: int, cores: Cores) -> str:
    """Return the part about many sockets."""
    sockets = found.resume.sockets
    rows: list[tuple[str, Callable[[Storm], float], str]] = [
        ("back in the end", lambda each: each.back, ",.0f"),
        ("seconds until then", lambda each: each.seconds, ".1f"),
        ("of these, the server had nothing to do, s", lambda each: each.idle, ".1f"),
        ("CPU of the server, s", lambda each: sum(each.cpu), ".1f"),
        ("CPU of the server for each, ms", lambda each: each.milliseconds_each, ".2f"),
        ("times a client was given a time to come back", lambda each: each.asked_to_wait, ",.0f"),
        ("connections that were closed otherwise, or reset", lambda each: each.failures, ",.0f"),
    ]
    lines = [f"## {sockets:,} sockets of {users:,} users", "", MANY.format(cores=cores), ""]
    lines += ["| | identify | resume after a restart |", "|---|---|---|"]
    lines += [
        f"| {row} | {figure(found.identify):{form}} | {figure(found.resume):{form}} |" for row, figure, form in rows
    ]
    return "\n".join(lines)


def _page(title: str, method: str, table: str, notes: str) -> str:
    cores = os.cpu_count()
    day = time.strftime("%d %B %Y").lstrip("0")
    machine = f"{day}, {cores} cores ({_processor()}), Python {platform.python_version()}, one run"
    load = f"the load of the machine after it was {os.getloadavg()[0]:.1f}"
    return f"# {title}\n\n{method}\n{CPU.format(cores=cores)}\n{table}\n\n{notes}\n\n{machine}; {load}.\n"


def _table(one: tuple[str, F], other: tuple[str, F | None], rows: Sequence[Row[F]]) -> str:
    (name, found), (other_name, beside_it) = one, other
    lines = [f"| | {name} | {other_name} | ratio |", "|---|---|---|---|"]
    for row, figure, form in rows:
        ours = figure(found)
        theirs = None if beside_it is None else figure(beside_it)
        shown = "-" if theirs is None else f"{theirs:{form}}"
        lines.append(f"| {row} | {ours:{form}} | {shown} | {_ratio(ours, theirs)} |")
    return "\n".join(lines)


def _of(count: int, figure: Callable[[Delivered], float]) -> Callable[[cluster.Found], float]:
    return lambda each: figure(each.delivered[count])


def _of_first(count: int, first: int) -> Callable[[cluster.Found], float]:
    return lambda each: each.delivered[count].of_busiest / each.delivered[first].of_busiest


def _storm_of_cluster(found: cluster.Found) -> Storm:
    return found.storm


def _storm_of_one(found: beside.Found) -> Storm:
    return found.storm


def _identify_of(found: storm.Found) -> Storm:
    return found.identify


def _resume_of(found: storm.Found) -> Storm:
    return found.resume


def _storm_rows(name: str, storm_of: Callable[[F], Storm]) -> Iterator[Row[F]]:
    yield f"{name}: back in the end", lambda each: storm_of(each).back, ",.0f"
    yield f"{name}: seconds until then", lambda each: storm_of(each).seconds, ".1f"
    yield f"{name}: CPU of the server for each, ms", lambda each: storm_of(each).milliseconds_each, ".2f"


def _fates(name: str, found: Storm) -> str:
    given_up = "" if found.back == found.sockets else f" {found.sockets - found.back:,} were not back after"
    given_up += f" {ALL_WITHIN_SECONDS:.0f} seconds." if given_up else ""
    received = f"{found.received:,} of {found.missed:,} missed messages were received, " if found.missed else ""
    return (
        f"{name}: {received}{found.asked_to_wait:,} times a client was given a time to come back, and"
        f" {found.failures:,} connections were closed or reset.{given_up}"
    )


def _ratio(ours: float, theirs: float | None) -> str:
    return f"{ours / theirs:.2f}" if theirs else "-"


def _processor() -> str:
    try:
        with open("/proc/cpuinfo") as file:
            return next(line.partition(":")[2].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()
