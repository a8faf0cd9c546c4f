"""Benchmarks: `make bench`, or `python -m bench --help`.

workload   the work of every contender
contender  a system under test; facade, raw and endpoints are the kinds other than plain engines
verify     is the bound fair?
stage      all contenders of a run, opened and filled
rounds     the contenders in turn, several times; medians and spread
beside     a busy event loop, and how late it is
calls      the processor time of one DynamoDB call, beside aiobotocore
partition  what a page costs in partitions of any size, and how file and memory grow
results    everything that was measured; report and picture show it
"""

import sys
from pathlib import Path

# The servers of the tests are the contenders of the benchmarks.
sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))
