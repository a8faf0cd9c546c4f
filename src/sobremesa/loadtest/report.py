"""The report: a table of all results, compared with other systems."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table as Grid

from sobremesa.loadtest.peers import NOTE, PEERS
from sobremesa.loadtest.run import Results
from sobremesa.loadtest.scenarios import Rate

SHOWN = 3
"""The maximum number of warnings that are listed."""


def print_report(console: Console, results: Results, *, where: str, bound: float) -> None:
    """Print the table, and warnings about the results."""
    grid = Grid(title=f"Sobremesa load test: {where}", title_justify="left", padding=(0, 1))
    grid.add_column("")
    for name in ("Sobremesa", *(peer.name for peer in PEERS)):
        grid.add_column(name, justify="right")
    for row in rows(results):
        grid.add_row(*row)
    console.print(grid)
    client = max(shares.client for shares in results.shares.values())
    lines = [
        "In flight: messages that not every socket has received yet.",
        f"The client can count {bound:,.0f} frames/s, and was at most {client:.0%} busy.",
        *doubts(results),
        NOTE,
    ]
    for line in lines:
        console.print(line, highlight=False, soft_wrap=True)


def rows(results: Results) -> Iterator[tuple[str, ...]]:
    """Yield one row for each result."""
    plan = results.plan
    yield ("durable sends/s, 1 sender", _rate(results.sends_1), *(peer.sends_1 for peer in PEERS))
    if results.sends_apart is not None and results.sends_together is not None:
        others = [peer.sends_32 if plan.senders == 32 else "" for peer in PEERS]
        yield (f"durable sends/s, {plan.senders} senders, a channel each", _rate(results.sends_apart), *others)
        yield (
            f"durable sends/s, {plan.senders} senders, one channel",
            _rate(results.sends_together),
            *("" for _ in PEERS),
        )
    most = max(plan.in_flight)
    for (sockets, in_flight), rate in results.broadcasts.items():
        known = {200: [peer.broadcast_200 for peer in PEERS], 1000: [peer.broadcast_1000 for peer in PEERS]}
        others = known.get(sockets, []) if in_flight == most else []
        name = f"stored broadcast to {sockets:,}, {in_flight} in flight, deliveries/s"
        yield (name, f"{rate:,.0f}", *(others or [""] * len(PEERS)))
    name = f"{plan.per_second:.0f} messages/s to {plan.sockets[-1]:,}: p50, p99"
    others = [peer.p99_of_1000 if (plan.sockets[-1], plan.per_second) == (1000, 20) else "" for peer in PEERS]
    yield (name, f"{results.waits.p50_ms:.0f} ms, {results.waits.p99_ms:.0f} ms", *others)
    if results.pages is not None:
        yield (f"newest 50, pages/s, {plan.senders} readers", _rate(results.pages), *(peer.pages for peer in PEERS))
    for memory in results.memory:
        text = f"{memory.idle / 1e6:.0f} → {memory.with_sockets / 1e6:.0f} MB, {memory.of_each / 1024:.1f} KB each"
        others = [peer.memory if memory.sockets == 1000 else "" for peer in PEERS]
        yield (f"memory (RSS), idle → {memory.sockets:,} idle sockets", text, *others)


def doubts(results: Results) -> list[str]:
    """Return warnings about results that may not be the server's own."""
    found = [f"{name}: {shares.doubt}" for name, shares in results.shares.items() if shares.doubt is not None]
    if not found:
        return []
    more = f"; and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return [f"Warning: {'; '.join(found[:SHOWN])}{more}."]


def _rate(rate: Rate) -> str:
    return f"{rate.per_second:,.0f} (p50 {rate.p50_ms:.1f}, p99 {rate.p99_ms:.1f} ms)"
