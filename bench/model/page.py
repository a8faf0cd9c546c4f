"""The pages: what ten nodes carry and what verbs cost, beside an earlier commit; and the limits of hot keys."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from bench.model.dead_node import SERVERS_EACH, SETTLED_SECONDS, SOCKETS, STORMS, USERS
from bench.model.goals import GOALS, Figures
from bench.model.hot_keys import CALLERS, HOT_KEYS
from bench.model.installation import NODES, SHARDS
from bench.model.prices import PRICES, READ_DOLLARS, WRITE_DOLLARS

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "bench" / "model.md"
LIMITS = ROOT / "docs" / "limits.md"

ABOUT = f"""\
<!-- Written by `python -m bench.model`: change that, and run it. -->

# Over the model of DynamoDB

{NODES} nodes and {SHARDS} shards of the change stream, in virtual time (`table/engines/modelled.py`): a transaction
takes 10 to 14 ms and holds its rows for most of it, a write takes 4 to 6 ms, a read 3 to 5 ms; each partition key may
spend 1,000 write and 3,000 read units a second, in the table and in each index. The processors of the nodes are not
modelled; one figure says what a message costs here. The same seed and code give the same other figures everywhere.
"""

ABOUT_STORMS = f"""\
## Storms

{SOCKETS:,} sockets of {USERS:,} users, each with {SERVERS_EACH} servers and a conversation, come at once to the other
nodes after theirs has died, and resume. Each missed a message in each server. Requests are counted for
{SETTLED_SECONDS:.0f} seconds, with what presence stores and removes, less what nodes ask for when nothing happens. A
call of Redis takes 0.2 to 1.2 ms. The time is that of calls alone: on one core, the processor takes
[more](storms.md).
"""

ABOUT_PRICES = f"""\
## Prices

With everything that a verb causes later (moves in inboxes, counters, receipts), less what nodes spend when nothing
happens. A million write units cost ${WRITE_DOLLARS}, a million read units ${READ_DOLLARS} (us-east-1, on demand).
[data-model.md](../docs/data-model.md) has the access patterns that cost most.
"""

ABOUT_LIMITS = f"""\
<!-- Written by `python -m bench.model`: change that, and run it. -->

# Limits

DynamoDB limits a partition key to 1,000 write units and 3,000 read units a second, whatever the table may do in all;
and while a transaction holds a row, others that need it are refused and repeated. So what many users do to *one*
channel, conversation, invite or inbox has a limit; many of them side by side have none. The embedded engine has no
such limits.

The table is measured by the model of DynamoDB ({NODES} nodes, {CALLERS} callers without a pause), with
`python -m bench.model`. It leaves out burst and adaptive capacity: DynamoDB may allow more for a while.

What exceeds a limit is retried by the node for a few seconds, within its retry budget. After that the answer is `503`
with the code `busy` and `Retry-After`; then nothing has changed. With the code `outcome_unknown` it may have: repeat it
with its nonce or `Idempotency-Key`. Nothing that was accepted is lost, which the last column counts.
"""


def write(now: dict[str, Figures], before: dict[str, Figures], commit: str | None, seed: int) -> None:
    """Write both pages."""
    parts = [ABOUT, f"Seed {seed}." + (f" *Before* is the commit {commit}." if commit else ""), ""]
    parts += ["## What it carries", "", *_beside({name: now[name] for name in GOALS}, before), ""]
    parts += [ABOUT_STORMS, *_beside({name: now[name] for name in STORMS}, {}), ""]
    parts += [ABOUT_PRICES, *_beside({name: now[name] for name in PRICES}, before)]
    PAGE.write_text("\n".join(parts) + "\n")
    LIMITS.write_text("\n".join([ABOUT_LIMITS, *_limits({name: now[name] for name in HOT_KEYS})]) + "\n")


def _beside(found: dict[str, Figures], before: dict[str, Figures]) -> Iterable[str]:
    yield f"| | | {'before | ' if before else ''}now |"
    yield f"|---|---|{'---:|' if before else ''}---:|"
    for name, figures in found.items():
        for number, (what, value) in enumerate(figures.items()):
            earlier = f"{_shown(before.get(name, {}).get(what, ''))} | " if before else ""
            yield f"| {'' if number else name} | {what} | {earlier}{_shown(value)} |"


def _limits(found: dict[str, Figures]) -> Iterable[str]:
    yield "| verb | accepted a second | p50, ms | p99, ms | what is reached | answers beyond it | lost |"
    yield "|---|---:|---:|---:|---|---|---:|"
    for name, figures in found.items():
        columns = [figures.get(column, "") for column in COLUMNS]
        yield f"| {name} | " + " | ".join(map(_shown, columns)) + " |"


COLUMNS = ("accepted a second", "p50, ms", "p99, ms", "reached", "other answers", "accepted and not stored")


def _shown(value: float | str) -> str:
    if isinstance(value, str):
        return value
    return f"{value:,}"
