"""Run every benchmark: `python -m bench`."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import uvloop
from rich.console import Console

from bench.calls import ROUNDS, measure_calls
from bench.lock import Lock
from bench.machine import describe_machine
from bench.partition import measure_partitions
from bench.picture import draw
from bench.plan import FULL, QUICK, Plan
from bench.progress import steps
from bench.report import markdown, print_report
from bench.results import Results
from bench.rounds import count_slices, run_rounds
from bench.stage import ORDER, open_stage
from bench.verify import verify

HERE = Path(__file__).resolve().parent
PAGE, PICTURE = "results.md", "results.png"
QUICK_PAGE, QUICK_PICTURE = "quick.md", "quick.png"
PLAIN_WIDTH = 132


async def run(console: Console, folder: Path, plan: Plan, lock_file: Path | None) -> Results:
    """Everything, one part after the other."""
    lock = Lock(lock_file)
    with steps(console, "Is the bound fair", 1):
        await verify(folder)
    machine = describe_machine(folder, "uvloop")
    with steps(console, "Opening and filling", len(ORDER)) as opening:
        stack = open_stage(folder, plan, opening)
        stage = await stack.__aenter__()
    try:
        with steps(console, "Rounds", count_slices(stage, plan)) as rounds:
            figures = await run_rounds(stage, plan, lock, rounds)
        with steps(console, "Processor time of calls", 3 * ROUNDS) as calling:
            calls = await measure_calls(stage, plan, lock, calling)
    finally:
        await stack.__aexit__(None, None, None)
    with steps(console, "Growth, and partitions of all sizes", 1):
        partitions = await measure_partitions(folder, plan, lock_file)
    return Results(machine, plan.quick, plan.rounds, figures, calls, partitions)


def main() -> None:
    """Measure, show a table, and write the page and the picture."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help=f"one or two minutes instead of five; {QUICK_PAGE}")
    parser.add_argument("--out", type=Path, default=HERE, help=f"the folder for {PAGE} and {PICTURE}")
    parser.add_argument("--data", type=Path, help="a folder on the disk to measure (a temporary one)")
    parser.add_argument("--sends", type=int, help="how many sends the growth is measured with")
    parser.add_argument("--lock", type=Path, help="hold a lock on this file while time is measured")
    given = parser.parse_args()
    plan = QUICK if given.quick else FULL
    if given.sends:
        plan = plan._replace(growth_sends=given.sends)

    console = Console()
    if not console.is_terminal:
        console = Console(width=PLAIN_WIDTH)
    with tempfile.TemporaryDirectory(prefix="sobremesa-bench-", dir=given.data) as folder:
        results = uvloop.run(run(console, Path(folder), plan, given.lock))

    print_report(console, results)
    given.out.mkdir(parents=True, exist_ok=True)
    # A quick look must not replace what was measured with care.
    page, picture = (QUICK_PAGE, QUICK_PICTURE) if given.quick else (PAGE, PICTURE)
    (given.out / page).write_text(markdown(results, picture))
    draw(results, given.out / picture)
    console.print(f"Written: {page} and {picture}")


if __name__ == "__main__":
    main()
