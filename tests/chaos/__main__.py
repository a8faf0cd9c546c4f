"""Run cycles for some minutes, each with a seed of its own, and report what was violated."""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import structlog

import commands
from chaos.cycle import Outcome, run_cycle

MINUTES = 5.0
BUSY_SECONDS = 40.0
SHOWN = 3
"""How many violations of a property are printed for one cycle; its history has all."""


def main() -> int:
    """Run the cycles of the command line; return 1 if a property was violated."""
    parser = argparse.ArgumentParser(prog="chaos", description=__doc__)
    parser.add_argument("--minutes", type=float, default=MINUTES, help="how long to start new cycles")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the first cycle; the next has the next one")
    parser.add_argument("--seconds", type=float, default=BUSY_SECONDS, help="how long users are busy in a cycle")
    parser.add_argument("--histories", type=Path, help="write the history of every cycle into this folder")
    asked = parser.parse_args()
    os.environ |= {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    try:
        return _run_cycles(asked.minutes, asked.seed, asked.seconds, asked.histories)
    finally:
        commands.close()


def _run_cycles(minutes: float, first: int, seconds: float, histories: Path | None) -> int:
    began, seed, failed = time.monotonic(), first, 0
    counts: Counter[str] = Counter()
    while seed == first or time.monotonic() - began < 60 * minutes:
        with tempfile.TemporaryDirectory(prefix="chaos-") as folder:
            outcome = asyncio.run(run_cycle(seed, seconds, Path(folder)))
            _report(outcome, histories, Path(folder))
        counts.update(outcome.counts)
        failed += bool(outcome.history.violations)
        seed += 1
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    print(f"{seed - first} cycles, {failed} failed, {time.monotonic() - began:.0f} s")
    return int(failed > 0)


def _report(outcome: Outcome, histories: Path | None, logs: Path) -> None:
    violations = outcome.history.violations
    print(f"seed {outcome.seed}: {outcome.counts['faults']} faults, {len(violations)} violations", flush=True)
    rules = Counter(violation.partition(":")[0] for violation in violations)
    for rule, count in rules.items():
        print(f"  {rule}: {count} times")
        for violation in [each for each in violations if each.startswith(f"{rule}:")][:SHOWN]:
            print(f"    {violation.partition(': ')[2]}")
    if violations or histories is not None:
        folder = histories or Path(tempfile.gettempdir())
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"chaos-{outcome.seed}.log"
        file.write_text("\n".join(outcome.history.lines) + "\n")
        nodes = folder / f"chaos-{outcome.seed}-nodes"
        nodes.mkdir(exist_ok=True)
        for log in logs.glob("node-*.log"):
            shutil.copy(log, nodes)
        print(f"  history: {file}, logs of the nodes: {nodes}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
