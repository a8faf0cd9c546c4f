"""The measurements of one process: `python -m bench.model` starts it with the paths and the hash seed that it needs."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.model.goals import GOALS
from bench.model.measuring import SCENARIOS, measure
from bench.model.page import LIMITS, PAGE, write
from bench.model.prices import PRICES

ROOT = Path(__file__).resolve().parent.parent.parent


def main() -> None:
    """Measure, and write the pages."""
    parser = argparse.ArgumentParser(prog="python -m bench.model", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--length", type=float, default=1.0, help="times the usual length")
    parser.add_argument("--only", choices=SCENARIOS, action="append", help="measure this alone; may be repeated")
    parser.add_argument("--before", metavar="COMMIT", help="measure goals and prices of this commit too")
    parser.add_argument("--json", action="store_true", help="print the figures, and write no page")
    given = parser.parse_args()
    names = given.only or list(SCENARIOS)

    if given.json:
        for name in names:
            print(json.dumps({"name": name, "figures": measure(name, given.seed, given.length)}))
        return
    compared = [name for name in names if name in GOALS or name in PRICES]
    before = _measured_at(given.before, compared, given.seed, given.length) if given.before and compared else {}
    now = {}
    for name in names:
        now[name] = measure(name, given.seed, given.length)
        print(f"{name}: {now[name]}" + (f"; before: {before[name]}" if name in before else ""), flush=True)
    if given.only is None:
        write(now, before, given.before, given.seed)
        print(f"Written: {PAGE.relative_to(ROOT)}, {LIMITS.relative_to(ROOT)}")


def _measured_at(commit: str, names: list[str], seed: int, length: float) -> dict[str, dict[str, float | str]]:
    """Return the figures of another commit, whose sources and simulation are checked out beside these benchmarks."""
    with tempfile.TemporaryDirectory(prefix="sobremesa-model-") as folder:
        archive = subprocess.run(["git", "archive", commit, "src", "tests"], cwd=ROOT, check=True, capture_output=True)
        subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
        path = os.pathsep.join([f"{folder}/src", f"{folder}/tests", str(ROOT)])
        environment = {**os.environ, "PYTHONPATH": path}
        asked = [part for name in names for part in ("--only", name)]
        options = ["--json", f"--seed={seed}", f"--length={length}", *asked]
        command = [sys.executable, "-m", "bench.model.run", *options]
        ran = subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return {found["name"]: found["figures"] for found in map(json.loads, ran.stdout.splitlines())}


if __name__ == "__main__":
    main()
