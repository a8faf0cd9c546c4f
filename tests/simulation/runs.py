"""Running seeds, and reporting what they found."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import NamedTuple

import structlog

from simulation.scenario import Mode, simulate

SHOWN = 5
"""How many violations of one run are printed."""


def replay(seed: int, mode: Mode | None, busy_seconds: float) -> int:
    """Run one seed and print its history; return 1 if a property was violated."""
    _silence()
    outcome = simulate(seed, mode, busy_seconds)
    print("\n".join(outcome.history.lines))
    print(f"seed {seed} ({outcome.mode}): {outcome.history.digest()}")
    return int(bool(outcome.history.violations))


def run_all(seeds: Sequence[int], mode: Mode | None, busy_seconds: float, jobs: int) -> int:
    """Run seeds; print those that violated a property, and what happened in all; return 1 if there were any."""
    failed = 0
    cpu_seconds = virtual_seconds = 0.0
    counts: Counter[str] = Counter()
    run = partial(_run, mode=mode, busy_seconds=busy_seconds)
    with ProcessPoolExecutor(jobs) as processes:
        for ran in processes.map(run, seeds) if jobs > 1 else map(run, seeds):
            counts.update(ran.counts)
            cpu_seconds += ran.cpu_seconds
            virtual_seconds += ran.virtual_seconds
            if ran.violations:
                failed += 1
                print(f"seed {ran.seed} ({ran.mode}): {len(ran.violations)} violations")
                for violation in ran.violations[:SHOWN]:
                    print(f"  {violation}", flush=True)
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    print(
        f"{len(seeds)} seeds, {failed} failed, {virtual_seconds / 3600:.1f} virtual hours, {cpu_seconds:.1f} s of CPU"
    )
    return int(bool(failed))


class _Ran(NamedTuple):
    """What one run found."""

    seed: int
    mode: Mode
    violations: list[str]
    counts: dict[str, int]
    virtual_seconds: float
    cpu_seconds: float


def _run(seed: int, mode: Mode | None, busy_seconds: float) -> _Ran:
    _silence()
    started = time.process_time()
    outcome = simulate(seed, mode, busy_seconds)
    history = outcome.history
    cpu_seconds = time.process_time() - started
    return _Ran(seed, outcome.mode, history.violations, history.counts, outcome.virtual_seconds, cpu_seconds)


def _silence() -> None:
    """Write no logs: faults cause thousands of warnings."""
    structlog.configure(processors=[_drop])


def _drop(logger: object, method: str, event: structlog.types.EventDict) -> structlog.types.EventDict:
    raise structlog.DropEvent
