"""Run seeds, or replay one and print its history."""

from __future__ import annotations

import argparse
import os
import sys

HASH_SEED = "0"


def main() -> int:
    """Run the seeds of the command line; return 1 if a property was violated."""
    if os.environ.get("PYTHONHASHSEED") != HASH_SEED:
        # The order of sets of text depends on it. Nothing that takes long is imported yet.
        again = [sys.executable, "-m", "simulation", *sys.argv[1:]]
        os.execve(sys.executable, again, {**os.environ, "PYTHONHASHSEED": HASH_SEED})
    from simulation.runs import replay, run_all
    from simulation.scenario import BUSY_SECONDS, MODES

    parser = argparse.ArgumentParser(prog="simulation", description=__doc__)
    parser.add_argument("--seeds", type=int, default=20, help="how many seeds to run")
    parser.add_argument("--first", type=int, default=0, help="the first of them")
    parser.add_argument("--seed", type=int, help="run this one, and print its history")
    parser.add_argument("--mode", choices=MODES, help="what to simulate; by default the seed decides")
    parser.add_argument("--seconds", type=float, default=BUSY_SECONDS, help="how long users are busy, in virtual time")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many processes run seeds")
    asked = parser.parse_args()
    if asked.seed is not None:
        return replay(asked.seed, asked.mode, asked.seconds)
    return run_all(range(asked.first, asked.first + asked.seeds), asked.mode, asked.seconds, asked.jobs)


if __name__ == "__main__":
    sys.exit(main())
