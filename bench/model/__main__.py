"""Measure ten nodes over the model of DynamoDB, in virtual time: `python -m bench.model`.

The figures follow from the seed and the code. `--before COMMIT` measures an earlier commit as well.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent.parent / "tests"


def main() -> None:
    """Start again, so that sets of text have the same order in every run, and with the simulation of the tests."""
    environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": str(TESTS)}
    os.execve(sys.executable, [sys.executable, "-m", "bench.model.run", *sys.argv[1:]], environment)


if __name__ == "__main__":
    main()
